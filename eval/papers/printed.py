"""The results that the two papers print, re-entered as data: VisScience, Tables 2, 3, 6, 7, 8; SciVerse, Table 2.

They stand in tables of their own and are never ranked with anything measured here: data, prompts and judge were the
papers'. A few model names are spelled alike across tables (`LLaVA-1.5-13B`); figures stand as printed.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Literal

from benchwright.schemas.records import Record
from benchwright.schemas.versions import Version

Group = Literal["baseline", "closed", "open"]
REPORTED = "reported by the paper on its own data, prompts and judge"
GROUPS: dict[str, str] = {"baseline": "baseline", "closed": "closed models", "open": "open models"}
ALL = "ALL"
PROBLEMS_OF_A_DISCIPLINE = 1000
"""VisScience: questions of each discipline."""
PROBLEMS_OF_A_VERSION = 1147
"""SciVerse: questions of each version."""
SCIVERSE_VERSIONS = tuple(
    version.value
    for version in (
        Version.KNOWLEDGE_RICH,
        Version.KNOWLEDGE_FREE,
        Version.KNOWLEDGE_LITE,
        Version.VISION_RICH,
        Version.VISION_ONLY,
    )
)
"""In the order of its Table 2."""
SCI_COT = "Sci-CoT"
METRICS = ("Acc", SCI_COT, f"{SCI_COT}_K", f"{SCI_COT}_L")


class PaperRow(Record):
    """One model's line; `values` as printed, by column, without those that stand empty."""

    model: str
    group: Group
    input: Literal["Q", "QI"]
    values: dict[str, str]


class PaperTable(Record):
    """One of the papers' tables of results."""

    paper: Literal["visscience", "sciverse"]
    number: int
    language: str
    discipline: str | None
    """What its columns are subjects of; None where they are disciplines or versions."""
    columns: tuple[str, ...]
    rows: tuple[PaperRow, ...]

    @property
    def name(self) -> str:
        """E.g. `visscience-7`."""
        return f"{self.paper}-{self.number}"

    def row(self, model: str) -> PaperRow:
        """The line of a model.

        Raises:
            KeyError: the table has none.
        """
        for row in self.rows:
            if row.model == model:
                return row
        raise KeyError(model)


_TABLES: tuple[tuple[Literal["visscience", "sciverse"], int, str, str | None], ...] = (
    ("visscience", 2, "zh", None),
    ("visscience", 3, "zh", "mathematics"),
    ("visscience", 6, "en", None),
    ("visscience", 7, "zh", "physics"),
    ("visscience", 8, "zh", "chemistry"),
    ("sciverse", 2, "en", None),
)
_ABOUT_THE_MODEL = ("model", "group", "input", "llm")


@cache
def published() -> tuple[PaperTable, ...]:
    """All six tables."""
    return tuple(
        PaperTable(
            paper=paper,
            number=number,
            language=language,
            discipline=discipline,
            columns=columns,
            rows=tuple(
                PaperRow.model_validate(
                    {
                        "model": line["model"],
                        "group": line["group"],
                        "input": line.get("input", "QI"),
                        "values": {column: line[column] for column in columns if line[column]},
                    }
                )
                for line in lines
            ),
        )
        for paper, number, language, discipline in _TABLES
        for columns, lines in [_read(f"{paper}-{number}")]
    )


@cache
def subject_sizes() -> dict[str, dict[str, int]]:
    """Discipline -> subject -> questions, from the shares that VisScience's Figure 3 prints (each of 1,000)."""
    sizes: dict[str, dict[str, int]] = {}
    for line in _lines("visscience-subjects"):
        of = sizes.setdefault(line["discipline"], {})
        of[line["subject"]] = round(float(line["share"]) * PROBLEMS_OF_A_DISCIPLINE / 100)
    return sizes


def _read(name: str) -> tuple[tuple[str, ...], list[dict[str, str]]]:
    lines = list(_lines(name))
    return tuple(column for column in lines[0] if column not in _ABOUT_THE_MODEL), lines


def _lines(name: str) -> Iterator[dict[str, str]]:
    text = (files("benchwright.eval.papers") / "data" / f"{name}.csv").read_text(encoding="utf-8")
    return iter(csv.DictReader(text.splitlines()))
