"""What every export is made from: a release's scored rows, and the words in front of each question.

An export asks as `evaluate` does: the instruction, the row's `question`, its `images`, nothing else of the row. The
words are given from outside, so that they are the very ones of `evaluate`.
"""

from __future__ import annotations

import builtins
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from benchwright.curation.release.card import config_name
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import ReleaseRow, Split

Instruct = Callable[[ReleaseRow], str]
"""Gives the words in front of a row's question."""
_TAKEN = frozenset(dir(builtins)) | {
    *(
        "accuracy",
        "generate",
        "laid_down",
        "load_dataset",
        "matches",
        "os",
        "prompt",
        "quick_match",
        "re",
        "sample",
    ),
    *("scorer", "stated", "stderr", "task", "tempfile", "utils"),
}
"""Names that a task of this name would hide from the rest of its file."""
_OTHERS = ("MMMU", "OCRVQA", "COCO_VAL", "MMBench")


@dataclass(frozen=True, order=True)
class Group:
    """The rows of one version, language and split."""

    version: str
    language: str
    split: str

    @property
    def config(self) -> str:
        """Name of the dataset's config that holds it."""
        return config_name(self.version, self.language)


@dataclass
class ExportSource:
    """A release as the exports see it; filled by `scored` while its rows are read once.

    Attributes:
        name: the benchmark's.
        tag: the release's.
        dataset: what a harness loads: `ORG/NAME`, or a folder.
        revision: tag or commit at which it loads it; None for a folder.
        instruct: words in front of a row's question.
        title: for people.
    """

    name: str
    tag: str
    dataset: str
    revision: str | None
    instruct: Instruct
    title: str
    canary: str = ""
    instructions: dict[str, dict[str, str]] = field(default_factory=dict)
    """By language and discipline."""
    counts: dict[Group, int] = field(default_factory=dict)
    """Rows of each group."""
    withheld: dict[Group, int] = field(default_factory=dict)
    """Rows of each group whose answers are not published."""

    def refuse_known_name(self) -> None:
        """Refuse a name that VLMEvalKit would take for another benchmark's.

        Raises:
            UsageError: the name holds a known benchmark's.
        """
        for other in _OTHERS:
            if other.casefold() in self.slug.casefold():
                raise UsageError(
                    f"The name {self.name!r} holds {other!r}, by which VLMEvalKit finds another benchmark's pictures; "
                    "export it under another --name."
                )

    @property
    def slug(self) -> str:
        """The name as an identifier that an export's Python file does not use itself."""
        plain = re.sub(r"[^A-Za-z0-9]+", "_", self.name).strip("_")
        free = plain[:1].isalpha() and not iskeyword(plain) and plain not in _TAKEN
        return plain if free else f"benchmark_{plain}".strip("_")

    @property
    def groups(self) -> tuple[Group, ...]:
        """Groups that can be scored: all their answers are published."""
        return tuple(sorted(group for group in self.counts if group not in self.withheld))

    def scored(
        self, rows: Iterable[tuple[ReleaseRow, Mapping[str, bytes]]]
    ) -> Iterator[tuple[ReleaseRow, Mapping[str, bytes]]]:
        """The rows that are asked and scored, with their pictures; notes what the exports need to know of all rows.

        Examples (`dev`) are never scored. Rows without a published answer are counted in `withheld`.
        """
        for row, pictures in rows:
            if row.split is Split.DEV:
                continue
            self.canary = row.canary
            group = Group(row.version, row.language, row.split.value)
            self.counts[group] = self.counts.get(group, 0) + 1
            words = self.instructions.setdefault(row.language, {})
            if row.discipline not in words:
                words[row.discipline] = self.instruct(row)
            if row.answer is None:
                self.withheld[group] = self.withheld.get(group, 0) + 1
            yield row, pictures

    def prompt(self, row: ReleaseRow) -> str:
        """All text that a model is sent about a row."""
        said = self.instructions[row.language][row.discipline]
        return f"{said}\n\n{row.question}" if row.question else said

    def values(self) -> dict[str, Any]:
        """What the templates are told."""
        return {
            "name": self.name,
            "title": _plain(self.title),
            "shown_tag": _plain(self.tag),
            "tag": self.tag,
            "slug": self.slug,
            "dataset": self.dataset,
            "revision": self.revision,
            "canary": self.canary,
            "instructions": self.instructions,
        }


def rendered(template: str, values: Mapping[str, Any]) -> str:
    """A template of this folder filled in; `literal` writes a value as Python and YAML both read it."""
    environment = Environment(
        loader=PackageLoader("benchwright.curation.release.exports"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["literal"] = _literal
    return environment.get_template(template).render(values)


def _plain(text: str) -> str:
    """Text for a comment or docstring: names come from a manifest that others may have written."""
    return re.sub(r"[^\w .,:()-]", "", text)


def _literal(value: Any) -> str:
    if value is None:
        return "None"
    return json.dumps(value, ensure_ascii=False, indent=None if isinstance(value, str) else 4, sort_keys=True)
