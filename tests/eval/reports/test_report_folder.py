"""`evaluate report RUN... --out DIR`: what it writes, that it is the same again, and what never stands together."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.eval.judges.judge_check import Rate, calibrate
from benchwright.eval.metrics.run_view import RunView
from benchwright.eval.runs.protocol_name import protocol_name
from benchwright.eval.scicot.steps_check import StepsCheck
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.status import Outcome

from ..report_runs import dataset_spec_of, five_versions, right_every, spec_of, write_run


def say(row: ReleaseRow, number: int) -> tuple[Outcome, str]:
    """Mostly right; one answer is not judged."""
    return (Outcome.UNJUDGED, "?") if number == 3 else right_every(4)(row, number)


@pytest.fixture
def three(tmp_path: Path, row: Callable[..., ReleaseRow], release: Callable[..., Any]) -> list[RunView]:
    """Two models answer directly, the first one step by step as well; twenty problems in five versions."""
    rows, images = five_versions(row, 20, ("en",))
    folder = release(rows, images).folder
    data = dataset_spec_of(folder)
    rows = sorted(rows, key=lambda one: one.id)
    runs = tmp_path / "runs"
    return [
        write_run(runs / "a", spec_of(data, "openai/judge-one"), rows, say),
        write_run(runs / "b", spec_of(data, "openai/two"), rows, right_every(4, 1)),
        write_run(runs / "c", spec_of(data, "openai/judge-one", mode="cot"), rows, right_every(3)),
    ]


def paths(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_three_runs_make_tables_charts_and_a_viewer(
    command: Any, three: list[RunView], tmp_path: Path
) -> None:
    out = tmp_path / "report"
    runs = ("runs/a", "runs/b", "runs/c")
    shown, said = command("report", *runs, "--out", out, "--dataset", "release", code=1)
    assert f"open {out / 'viewer/index.html'}" in shown and "were not run or not judged" in said
    files = paths(out)
    page = files["report.md"].decode()
    assert "# Report of 3 runs" in page and "in the shape of SciVerse, Table 2" in page
    assert page.count("sciverse-like, benchwright prompts v1") == 3 and "| sciverse, " not in page
    assert "judge-one (direct answer): its judge is of its own family" in page
    assert "was not measured here" in page
    assert "2025" not in page and str(tmp_path) not in page and "/work" not in page
    papers = files["papers/papers.md"].decode()
    assert "GPT-4o" not in page and "judge-one" not in papers, "the papers' rows and ours never meet"
    assert "reported by the paper on its own data, prompts and judge" in papers
    line = list(csv.DictReader(files["tables/sciverse-2-en.csv"].decode().splitlines()))[1]
    assert (line["model"], line["All Acc: n"], line["All Acc: of"]) == ("openai/judge-one", "99", "100")
    assert line["All Acc: incomplete"] == "yes" and line["vision-only Sci-CoT_K: n"] == "20"
    assert "tables/sciverse-2-en.tex" in files and "papers/tables/paper-sciverse-2.csv" in files
    kinds = {name.split("/")[1] for name in files if name.startswith("charts/")}
    assert {
        f"{name}-en.{ending}"
        for name in ("subjects", "levels", "versions", "sci-cot")
        for ending in ("png", "svg")
    } == kinds
    figures = json.loads(files["report.json"])
    assert figures[0]["shared_rows"] == 100 and len(figures[0]["runs"]) == 3
    command("report", *runs, "--out", out, "--dataset", "release", code=1)
    assert paths(out) == files, "same runs, same bytes"


def test_ties_are_ties_and_no_rank_is_given(command: Any, three: list[RunView], tmp_path: Path) -> None:
    """75 of 99 against 75 of 100 on the same rows, each wrong on a quarter: nobody is better."""
    command("report", "runs/a", "runs/b", "--out", "report", "--no-charts", "--no-viewer", code=1)
    page = Path("report/report.md").read_text()
    lines = [line for line in page.splitlines() if line.count("|") == 7 and " a |" in line]
    assert len(lines) == 2 and all("| 1-2 | a |" in line for line in lines)
    assert "told apart |" not in page.split("### Accuracy")[0].replace("tie |", "")
    assert not Path("report/viewer").exists() and not Path("report/charts").exists()


def test_runs_of_two_releases_stand_in_separate_tables(
    command: Any, three: list[RunView], row: Callable[..., ReleaseRow], release: Callable[..., Any]
) -> None:
    rows, images = five_versions(row, 20, ("en",))
    rows[7] = rows[7].model_copy(update={"answer": "C"})
    folder = release(rows, images, "release2").folder
    spec = spec_of(dataset_spec_of(folder).model_copy(update={"name": "release"}), "openai/three")
    write_run(Path("runs/errata"), spec, sorted(rows, key=lambda one: one.id), right_every(5))
    runs = ("runs/b", "runs/errata", "runs/c")
    shown, said = command("report", *runs, "--out", "report", "--no-charts", "--no-viewer")
    assert "asked different releases" in said and shown.count("shared rows") == 2
    page = Path("report/report.md").read_text()
    assert "**These runs asked 2 different releases.**" in page
    first, second = (Path(f"report/release-{n}/tables/sciverse-2-en.csv").read_text() for n in (1, 2))
    assert "openai/two" in first and "three" not in first and "openai/three" in second and "two" not in second
    assert not Path("report/tables").exists()


def test_a_calibration_is_carried_by_the_runs_that_it_measured(command: Any, three: list[RunView]) -> None:
    judge = three[0].spec.judge
    assert judge is not None
    Path("mine.json").write_text(calibrate([], judge).model_dump_json())
    other = judge.model_copy(update={"kind": "rules", "model": None, "max_tokens": None})
    Path("other.json").write_text(calibrate([], other).model_dump_json())
    arguments = ("report", "runs/b", "--out", "report", "--no-charts", "--no-viewer", "--no-papers")
    command(*arguments, "--calibration", "mine.json", "--calibration", "other.json")
    page = Path("report/report.md").read_text()
    assert "was measured on 0 cases" in page and "was not measured here" not in page
    assert "a calibration of rules was given, which judged none of these runs" in page
    assert "Published by the papers" not in page and not Path("report/papers").exists()
    _, said = command(*arguments, "--calibration", "no.json", code=2)
    assert "no.json does not exist" in said


def test_a_folder_that_holds_something_else_is_left_alone(command: Any, three: list[RunView]) -> None:
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("keep")
    _, said = command("report", "runs/b", "--out", "mine", code=2)
    assert "holds files and is no report" in said and Path("mine/notes.txt").read_text() == "keep"
    _, said = command("report", "runs/b", "runs/b", "--out", "report", code=2)
    assert "named twice" in said


def test_pictures_that_are_not_at_hand_are_named(command: Any, three: list[RunView]) -> None:
    _, said = command("report", "runs/b", "--out", "report", "--no-charts")
    assert "60 pictures are not at hand" in said
    assert "not in this folder" in Path("report/viewer/index.html").read_text()
    assert not Path("report/viewer/pictures").exists()
    command("report", "runs/b", "--out", "report", "--no-charts", "--dataset", "release")
    assert len(list(Path("report/viewer/pictures").iterdir())) == 60


def test_a_run_whose_steps_are_scored_has_a_report_of_steps(command: Any, three: list[RunView]) -> None:
    shown, _ = command("report", "runs/c")
    assert "Sci-CoT_K %" in shown and "chance" not in shown
    page = Path("runs/c/report.md").read_text()
    assert (
        "Sci-CoT **" in page and "mean of Sci-CoT_K" in page and "## Knowledge gain and vision loss" in page
    )
    assert "## How the scores of steps came about" in page and "| steps-scored | 100 |" in page
    assert "## How the verdicts came about" not in page and "blind guesser" not in page
    lines = list(csv.DictReader(Path("runs/c/step-scores.csv").read_text().splitlines()))
    (whole,) = [
        one
        for one in lines
        if all(one[name] == "ALL" for name in ("version", "language", "discipline", "level"))
    ]
    assert (whole["n_total"], whole["knowledge.n"], whole["logic.n"]) == ("100", "100", "100")
    assert float(whole["sci_cot"]) == pytest.approx(
        (float(whole["knowledge.macro"]) + float(whole["logic.macro"])) / 2
    )
    assert not Path("runs/c/scores.csv").exists()


def test_the_protocol_bears_a_papers_name_only_with_the_users_prompts_and_that_data(
    three: list[RunView],
) -> None:
    spec = three[0].spec
    own = spec.model_copy(update={"prompts_of": "user"})
    data = own.dataset.model_copy(update={"name": "ORG/SciVerse"})
    assert protocol_name(spec) == "sciverse-like, benchwright prompts v1"
    assert protocol_name(own) == "sciverse-like, the user's own prompts"
    assert protocol_name(own.model_copy(update={"dataset": data})) == "sciverse, the user's own prompts"
    assert protocol_name(spec.model_copy(update={"dataset": data})) == "sciverse-like, benchwright prompts v1"


def test_repeats_and_blind_runs_stand_beside_and_in_no_comparison(command: Any, three: list[RunView]) -> None:
    rows, spec = three[1].rows, three[1].spec
    write_run(Path("runs/again"), spec.model_copy(update={"sample": 1}), rows, right_every(4, 2))
    blind = spec.model_copy(update={"input": "Q"})
    write_run(Path("runs/blind"), blind, rows, right_every(2))
    command("report", "runs/b", "runs/again", "runs/blind", "--out", "report", "--no-charts", "--no-viewer")
    page = Path("report/report.md").read_text()
    repeats = page.split("### Repeats")[1].split("###")[0]
    assert (
        "2 runs that differ in nothing but chance" in repeats
        and "| ALL | accuracy | 2 | 75.0 | 0.00 |" in repeats
    )
    beside = page.split("### Blind baselines")[1].split("###")[0]
    assert "text without image | 100 | 100 | 50.0 |" in beside and "| 75.0 | 25.0 |" in beside
    compared = page.split("### Compared on")[1].split("### Repeats")[0]
    assert compared.count("openai/two") and "without pictures" not in compared and "50.0" not in compared


def test_a_steps_judge_is_carried_with_its_calibration_too(command: Any, three: list[RunView]) -> None:
    scorer = three[2].spec.steps
    assert scorer is not None
    rate = Rate(count=8, of=10, share=0.8, low=0.5, high=0.95)
    measured = StepsCheck(
        judge=scorer.model, prompts=scorer.prompts, see=scorer.see, cases="a" * 64, by_kind={}, failed_cases=(),
        n=5, failed=0, steps=10, found=rate, extra=1, same_kind=rate, kind_kappa=0.5, same_score=rate,
        score_kappa=0.5, false_right=rate, false_wrong=rate,
    )  # fmt: skip
    Path("steps.json").write_text(measured.model_dump_json())
    arguments = ("report", "runs/c", "--out", "report", "--no-charts", "--no-viewer")
    command(*arguments)
    assert "the steps judge (openai/judge-x) was not measured here" in Path("report/report.md").read_text()
    command(*arguments, "--calibration", "steps.json")
    page = Path("report/report.md").read_text()
    assert "the steps judge (openai/judge-x) was measured on 5 responses" in page
    assert "was not measured" not in page
    Path("torn.json").write_text("{")
    _, said = command(*arguments, "--calibration", "torn.json", code=2)
    assert "torn.json is no JSON" in said
