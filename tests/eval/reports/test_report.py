"""The written report."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence

from benchwright.eval.metrics.cells import scored_row
from benchwright.eval.metrics.scores import Scores, score, scores_csv
from benchwright.eval.reports.report_page import markdown
from benchwright.eval.runs.families import own_family
from benchwright.eval.runs.spec import DatasetSpec, JudgeSpec, ModelSpec, RunSpec, SamplingSpec
from benchwright.schemas.records import ReleaseRow, Split
from benchwright.schemas.status import CallStatus, Outcome

Rows = Callable[..., ReleaseRow]


def run_spec(tested: str = "openai/gpt-x", judge: str | None = None) -> RunSpec:
    return RunSpec(
        protocol="visscience",
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
    assert "| 100.0 * |" in text


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


def test_a_judge_of_the_models_own_family_is_flagged(row: Rows) -> None:
    related = {
        ("openai/gpt-4o-mini", "openai/gpt-4o"),
        ("openai/org/Qwen2-VL", "openai/other/qwen-72b"),
        ("openai/o3", "openai/gpt-4o"),
        ("openai/chatgpt-4o", "openai/gpt-5"),
    }
    for tested, judge in related:
        assert own_family(run_spec(tested, judge)) == ("judge",), (tested, judge)
    assert own_family(run_spec("openai/gpt-4o", "openai/claude-x")) == ()
    assert own_family(run_spec("openai/gpt-4o")) == ()
    scored = [scored_row(row("p1"), Outcome.CONSISTENT, CallStatus.OK)]
    assert "may favour it" in markdown(score(run_spec("openai/gpt-4o-mini", "openai/gpt-4o"), scored, []))


def test_sta_01_failed_rows_keep_their_place_in_what_is_said(row: Rows) -> None:
    """Six right, two wrong, two that never came: both denominators, and no headline figure."""
    rows = [row(f"p{number}") for number in range(10)]
    ends = [Outcome.CONSISTENT] * 6 + [Outcome.INCONSISTENT] * 2 + [Outcome.NOT_RUN] * 2
    scores = scores_of(rows, ends)
    text = markdown(scores)
    assert (
        "**Incomplete:** 2 rows were not run and 0 were not judged. 6 of 8 scored rows are right, of 10"
        in text
    )
    assert "**75.0 %**" not in text
    (line,) = [line for line in text.splitlines() if line.startswith("| ALL |")]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[1:9] == ["10", "8", "6", "2", "0", "0", "2", "75.0 *"]
    assert cells[10] == "60.0"
    lines = list(csv.DictReader(io.StringIO(scores_csv(scores.cells))))
    assert all(line["n_total"] and line["n_scored"] for line in lines), "no cell without its n"


def test_terminal_codes_and_markup_in_names_stay_signs(row: Rows) -> None:
    subject = "a\x1b[31m<script>x</script>|b\u202e"
    text = markdown(scores_of([row("p1", subject=subject), row("p2")], [Outcome.CONSISTENT] * 2))
    assert "\x1b" not in text and "\u202e" not in text and "<script>" not in text
    assert "a␛\\[31m\\<script\\>x\\</script\\>\\|b⟨U+202E⟩" in text
