"""Runs in the shapes of the papers' tables, against figures worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from benchwright.eval.display.tables import Table, Value
from benchwright.eval.metrics.cells import cell_of
from benchwright.eval.metrics.run_view import RunView, labels, release_groups
from benchwright.eval.metrics.totals import figures
from benchwright.eval.papers.shapes import CHANCE, Entry, check_line, paper_shapes
from benchwright.eval.runs.spec import DatasetSpec
from benchwright.schemas.digest import digest_of
from benchwright.schemas.records import ReleaseRow, Split
from benchwright.schemas.status import Outcome

from ..report_runs import FIVE, Say, spec_of, write_run

Rows = Callable[..., ReleaseRow]
RIGHT, WRONG, OPEN, LOST, NONE = (
    Outcome.CONSISTENT,
    Outcome.INCONSISTENT,
    Outcome.UNJUDGED,
    Outcome.NOT_RUN,
    Outcome.NO_ANSWER,
)


def dataset(rows: Sequence[ReleaseRow], **fields: object) -> DatasetSpec:
    values: dict[str, object] = {
        "name": "made/up",
        "origin": "folder",
        "digest": digest_of([digest_of(row) for row in rows]),
        "tag": "v1",
        "rows": len(rows),
        "versions": tuple(sorted({row.version for row in rows})),
        "languages": tuple(sorted({row.language for row in rows})),
        "splits": (Split.TEST,),
    }
    return DatasetSpec.model_validate({**values, **fields})


def saying(outcomes: Sequence[Outcome]) -> Say:
    return lambda row, number: (outcomes[number], "The answer is B.")


def entries(*runs: RunView) -> list[Entry]:
    names = labels(runs)
    return [Entry(run, figures(run.scored, run.steps), names[run.run_id]) for run in runs]


def figures_of(table: Table, label: str) -> dict[str, Value | None]:
    (line,) = [line for line in table.lines if line.labels[0] == label]
    return {column.full: value for column, value in zip(table.columns, line.values, strict=True)}


def shown(table: Table, label: str) -> dict[str, tuple[float, int, int, bool]]:
    return {
        name: (round(value.percent, 4), value.n or 0, value.n_total or 0, value.incomplete)
        for name, value in figures_of(table, label).items()
        if value is not None and value.percent is not None
    }


@pytest.fixture
def whole(row: Rows) -> list[ReleaseRow]:
    """Six original questions in Chinese and one in English, in two disciplines."""
    places = [
        ("physics", "mechanics"), ("physics", "mechanics"), ("physics", "optics"), ("physics", "optics"),
        ("chemistry", "electrochemistry"), ("chemistry", "electrochemistry"),
    ]  # fmt: skip
    rows = [
        row(f"p{n}:original:zh", discipline=discipline, subject=subject, language="zh")
        for n, (discipline, subject) in enumerate(places)
    ]
    return [*rows, row("p0:original:en", discipline="physics", subject="mechanics")]


def test_visscience_disciplines_and_subjects_to_the_digit(tmp_path: Path, whole: list[ReleaseRow]) -> None:
    data = dataset(whole)
    asked = spec_of(data, "openai/one", protocol="visscience")
    blind = spec_of(data, "openai/one", protocol="visscience", input="Q")
    run = write_run(tmp_path / "a", asked, whole, saying([RIGHT, WRONG, RIGHT, OPEN, LOST, NONE, RIGHT]))
    text = write_run(tmp_path / "b", blind, whole, saying([WRONG] * 6 + [RIGHT]))
    tables = {table.name: table for table in paper_shapes(entries(run, text))}
    assert sorted(tables) == [
        "visscience-2", "visscience-6", "visscience-7", "visscience-7-en", "visscience-8",
    ]  # fmt: skip
    first, second = (labels([run, text])[one.run_id] for one in (run, text))
    assert first != second, "two runs of one model have names of their own"
    # physics: right, wrong, right, open -> 2 of 3; chemistry: not run, no answer -> 0 of 1
    assert shown(tables["visscience-2"], first) == {
        "physics": (66.6667, 3, 4, True),
        "chemistry": (0.0, 1, 2, True),
    }
    assert shown(tables["visscience-7"], first) == {
        "ALL": (66.6667, 3, 4, True),
        "mechanics": (50.0, 2, 2, False),
        "optics": (100.0, 1, 2, True),
    }
    assert shown(tables["visscience-6"], first) == {"physics": (100.0, 1, 1, False)}
    assert shown(tables["visscience-8"], CHANCE)["ALL"] == (25.0, 2, 2, False)
    sections = [line.section for line in tables["visscience-2"].lines]
    assert sections == ["baseline", "text and pictures (Q, I)", "text alone (Q)"]
    assert [column.name for column in tables["visscience-7"].columns] == ["ALL", "mechanics", "optics"]


def test_all_is_proved_to_be_the_weighted_subjects(tmp_path: Path, whole: list[ReleaseRow]) -> None:
    run = write_run(
        tmp_path / "a", spec_of(dataset(whole), "openai/one"), whole, saying([RIGHT, WRONG] * 3 + [RIGHT])
    )
    cell = cell_of((), (), run.scored)
    check_line(cell, [cell])
    with pytest.raises(ArithmeticError, match="n_total of the subjects"):
        check_line(cell, [cell_of((), (), run.scored[:-1])])


def test_sciverse_versions_to_the_digit(tmp_path: Path, row: Rows) -> None:
    """Two problems in five versions: Acc of the direct run, K and L of the run step by step, in one line."""
    rows = [row(f"p{n}:{version}", version=version) for n in range(2) for version in FIVE]
    data = dataset(rows)
    direct = write_run(
        tmp_path / "d", spec_of(data, "openai/one"), rows,
        saying([RIGHT, RIGHT, RIGHT, WRONG, WRONG, RIGHT, WRONG, WRONG, NONE, WRONG]),
    )  # fmt: skip
    steps = write_run(
        tmp_path / "c", spec_of(data, "openai/one", mode="cot"), rows,
        saying([RIGHT, RIGHT, WRONG, WRONG, NONE, RIGHT, OPEN, RIGHT, RIGHT, RIGHT]),
    )  # fmt: skip
    (table,) = paper_shapes(entries(direct, steps))
    assert table.name == "sciverse-2-en" and [line.labels[0] for line in table.lines] == [
        CHANCE,
        "openai/one",
    ]
    got = shown(table, "openai/one")
    # direct: free 2/2, lite 1/2, rich 1/2, vision-rich 0/2 (one without an answer), vision-only 0/2: mean 40
    assert got["All Acc"] == (40.0, 10, 10, False)
    assert [got[f"{version} Acc"][0] for version in FIVE] == [100.0, 50.0, 50.0, 0.0, 0.0]
    # K is right unless the row's number divides by three; L as the outcome says; no answer is 0 in both.
    assert got["knowledge-free Sci-CoT_K"] == (50.0, 2, 2, False)
    assert got["knowledge-free Sci-CoT_L"] == (100.0, 2, 2, False)
    assert got["knowledge-free Sci-CoT"] == (75.0, 2, 2, False)
    assert got["knowledge-lite Sci-CoT"] == (100.0, 1, 2, True), "the other response's steps are not scored"
    assert got["vision-only Sci-CoT_L"] == (50.0, 2, 2, False) and got["vision-only Sci-CoT_K"] == (
        0.0,
        2,
        2,
        False,
    )
    parts = [got[f"{version} Sci-CoT"][0] for version in FIVE]
    assert got["All Sci-CoT"][0] == round(sum(parts) / 5, 4) and got["All Sci-CoT"][3]
    chance = figures_of(table, CHANCE)
    assert chance["All Acc"] and chance["All Acc"].percent == 25.0 and chance["All Sci-CoT"] is None


def test_all_stands_only_where_all_five_versions_have_a_figure(tmp_path: Path, row: Rows) -> None:
    rows = [row(f"p0:{version}", version=version) for version in FIVE[:4]]
    run = write_run(tmp_path / "d", spec_of(dataset(rows), "openai/one"), rows, saying([RIGHT] * 4))
    (table,) = paper_shapes(entries(run))
    assert figures_of(table, run.spec.model.name + " (direct answer)")["All Acc"] == Value(
        percent=None, n=4, n_total=4
    )


def test_two_direct_runs_of_a_model_are_not_merged(tmp_path: Path, row: Rows) -> None:
    rows = [row(f"p0:{version}", version=version) for version in FIVE]
    data = dataset(rows)
    specs = [
        spec_of(data, "openai/one"),
        spec_of(data, "openai/one", sampling={"temperature": 1.0}),
        spec_of(data, "openai/one", mode="cot"),
    ]
    runs = [write_run(tmp_path / str(n), spec, rows, saying([RIGHT] * 5)) for n, spec in enumerate(specs)]
    (table,) = paper_shapes(entries(*runs))
    assert len(table.lines) == 4 and len({line.labels for line in table.lines}) == 4


def test_runs_of_two_releases_never_meet(tmp_path: Path, row: Rows) -> None:
    old = [row(f"p{n}:original") for n in range(3)]
    errata = [*old[:2], row("p2:original", answer="C")]
    longer = [*old, row("p3:original")]
    asked = {"a": old, "b": errata, "c": old, "d": longer, "e": old[:1]}
    runs = {
        name: write_run(
            tmp_path / name,
            spec_of(dataset(rows, limit=1 if name == "e" else None), f"openai/{name}"),
            rows,
            saying([RIGHT] * len(rows)),
        )
        for name, rows in asked.items()
    }
    groups = [[run.spec.model.name[-1] for run in group] for group in release_groups(list(runs.values()))]
    assert groups == [["a", "c", "e"], ["b"], ["d"]], (
        "a changed row, and rows more in the same choice, are others"
    )
    other_tag = write_run(
        tmp_path / "f", spec_of(dataset(old, tag="v2"), "openai/f"), old, saying([RIGHT] * 3)
    )
    assert len(release_groups([runs["a"], other_tag])) == 2
