"""The written report."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence

from benchwright.eval.metrics import scored_row
from benchwright.eval.report import Scores, markdown, same_family, score, scores_csv
from benchwright.eval.spec import DatasetSpec, JudgeSpec, ModelSpec, RunSpec, SamplingSpec
from benchwright.schemas.records import ReleaseRow, Split
from benchwright.schemas.status import CallStatus, Outcome

Rows = Callable[..., ReleaseRow]


def run_spec(tested: str = "openai/gpt-x", judge: str | None = None) -> RunSpec:
    return RunSpec(
        dataset=DatasetSpec(
            name="ORG/NAME",
            origin="hub",
            commit="c" * 40,
            digest="d" * 64,
            tag="v1",
            rows=2,
            versions=("original",),
            languages=("en",),
            splits=(Split.TEST,),
        ),
        model=ModelSpec(name=tested, endpoint="openai"),
        sampling=SamplingSpec(seed=3, extra={"top_k": 1}),
        prompts=(),
        judge=JudgeSpec(
            kind="llm" if judge else "rules",
            rules_version=1,
            model=ModelSpec(name=judge, endpoint="openai") if judge else None,
        ),
    )


def scores_of(rows: Sequence[ReleaseRow], outcomes: Sequence[Outcome]) -> Scores:
    scored = [scored_row(row, outcome, CallStatus.OK) for row, outcome in zip(rows, outcomes, strict=True)]
    return score(run_spec(), scored, [])


def test_headline_says_accuracy_interval_and_chance(row: Rows) -> None:
    text = markdown(scores_of([row("p1"), row("p2")], [Outcome.CONSISTENT, Outcome.NO_ANSWER]))
    assert "**50.0 %** (1 of 2), 95 % interval 9.5 to 90.5" in text
    assert "a blind guesser gets 25.0 %" in text
    assert "commit `" + "c" * 40 + "`, tag v1" in text
    assert "max_tokens 2048, temperature 0.0, seed 3, top_k 1" in text
    assert "Incomplete" not in text


def test_an_incomplete_run_has_no_headline_figure(row: Rows) -> None:
    text = markdown(scores_of([row("p1"), row("p2")], [Outcome.CONSISTENT, Outcome.UNJUDGED]))
    assert "**Incomplete:**" in text
    assert "The rules leave 1 open" in text
    assert "**100.0 %**" not in text
    assert "100.0 *" in text


def test_names_from_the_data_cannot_break_the_tables(row: Rows) -> None:
    text = markdown(scores_of([row("p1", subject="acids | bases"), row("p2")], [Outcome.CONSISTENT] * 2))
    (line,) = [line for line in text.splitlines() if "acids" in line]
    assert line.startswith(r"| physics / acids \| bases | 1 |")


def test_versions_stand_in_the_papers_order(row: Rows) -> None:
    versions = [
        "vision-only",
        "knowledge-rich",
        "original",
        "vision-rich",
        "knowledge-free",
        "knowledge-lite",
    ]
    rows = [row(f"p{i}", version=version) for i, version in enumerate(versions)]
    cells = scores_of(rows, [Outcome.CONSISTENT] * 6).table("version")
    assert [cell.label for cell in cells] == [
        "original",
        "knowledge-free",
        "knowledge-lite",
        "knowledge-rich",
        "vision-rich",
        "vision-only",
    ]


def test_the_csv_reads_back_to_the_cells(row: Rows) -> None:
    scores = scores_of([row("p1"), row("p2", subject='a "b", c')], [Outcome.CONSISTENT, Outcome.INCONSISTENT])
    lines = list(csv.DictReader(io.StringIO(scores_csv(scores.cells))))
    assert len(lines) == len(scores.cells)
    by_subject = {line["subject"]: line["accuracy"] for line in lines if line["subject"] != "ALL"}
    assert by_subject == {"mechanics": "1.0", 'a "b", c': "0.0"}


def test_a_judge_of_the_models_own_family_is_flagged() -> None:
    assert same_family(run_spec("openai/gpt-4o-mini", "openai/gpt-4o"))
    assert same_family(run_spec("openai/org/qwen-vl", "openai/other/qwen-72b"))
    assert not same_family(run_spec("openai/gpt-4o", "openai/claude-x"))
    assert not same_family(run_spec("openai/gpt-4o"))
