"""The report: figures against hand counts and against the simulation's own truth; what is published and what is not."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchwright.annotation.agreement import Scale, krippendorff_alpha, table_of
from benchwright.annotation.opinions import ABSENT, answers_table, measures, submitted_answers
from benchwright.annotation.report import PrivateReport, private_path, reviewed_jobs, write_report
from benchwright.annotation.report_figures import anchoring, field_agreement, job_report
from benchwright.annotation.report_page import interval_words, kappa_words
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Key, Proposal, Review, Verdict
from benchwright.schemas.journal import read_jsonl, write_jsonl
from benchwright.schemas.review_figures import (
    Interval,
    JobFigures,
    figures_path,
    read_evidence,
    read_figures,
)
from benchwright.schemas.workspace import Workspace

from .said import DIGEST, review

PICTURE = "b" * 64


def both(item: str, first: Any, second: Any, **changes: Any) -> list[Review]:
    return [review(item, first, "A01", "A", **changes), review(item, second, "A02", "B", **changes)]


def measured(reviews: list[Review], name: str, job: str = "tagging") -> Any:
    return next(m for m in measures(job, reviews) if m.name == name)


# --- from answers to tables --------------------------------------------------------------------------------------
def test_levels_are_ordinal_with_quadratic_kappa_and_all_five_ranks() -> None:
    pairs = [(1, 1), (2, 3), (4, 4), (5, 4), (2, 2)]
    reviews = [r for i, (a, b) in enumerate(pairs) for r in both(f"p{i}", a, b, field="difficulty")]
    measure = measured(reviews, "difficulty")
    assert answers_table(measure).values == 5, "also level 3 of one person alone has its place"
    figures = field_agreement(measure, seed=0)
    assert (figures.scale, figures.kappa_weights, figures.items) == ("ordinal", "quadratic", 5)
    codes = table_of([[a - 1, b - 1] for a, b in pairs], 5)
    assert figures.alpha is not None
    assert figures.alpha.value == pytest.approx(krippendorff_alpha(codes, Scale.ORDINAL).value, abs=1e-4)
    from sklearn.metrics import cohen_kappa_score

    assert figures.kappa is not None
    assert figures.kappa.value == pytest.approx(
        cohen_kappa_score(*zip(*pairs, strict=True), weights="quadratic", labels=range(1, 6)), abs=1e-4
    )


def test_kappa_says_which_pair_of_slots_has_none_and_is_the_mean_over_the_others() -> None:
    pairs = [(1, 1), (2, 3), (4, 4), (5, 4), (2, 2)]
    reviews = [r for i, (a, b) in enumerate(pairs) for r in both(f"p{i}", a, b, field="difficulty")]
    alone = field_agreement(measured(reviews, "difficulty"), seed=0)
    assert (alone.kappa_pairs, alone.kappa_undefined) == (1, ())
    for i in range(5, 9):  # the third slot answered other items than the second, and one value there
        reviews += [
            review(f"p{i}", 3, who, slot, field="difficulty") for who, slot in (("A01", "A"), ("A03", "C"))
        ]
    figures = field_agreement(measured(reviews, "difficulty"), seed=0)
    assert (figures.kappa_pairs, figures.kappa_undefined) == (1, ("A-C",))
    assert figures.kappa is not None
    assert alone.kappa is not None
    assert figures.kappa.value == alone.kappa.value
    assert kappa_words(figures).endswith("weighted; mean of 1 of 2 pairs, undefined: A-C")
    assert "undefined" not in kappa_words(alone)


def test_faults_are_sets_without_an_order() -> None:
    def faults(item: str, a: list[str], b: list[str]) -> list[Review]:
        return both(item, a, b, job="quality", language="en", field="text_faults")

    reviews = [
        *faults("p1", ["ambiguous", "incoherent"], ["incoherent", "ambiguous"]),
        *faults("p2", [], []),
        *faults("p3", ["ambiguous", "incoherent"], ["ambiguous"]),
    ]
    figures = field_agreement(measured(reviews, "text_faults", "quality"), seed=0)
    assert (figures.scale, figures.kappa) == ("sets", None)
    assert figures.percent.value == pytest.approx(2 / 3, abs=1e-4)
    values = [2, 2, 0, 0, 2, 1]  # {}, {a}, {a, i}; the fourth differs from the third by half
    apart = np.array([[0, 1, 1], [1, 0, 0.5], [1, 0.5, 0]])
    n = np.bincount(values, minlength=3)
    expected = n @ apart @ n / 5
    assert figures.alpha is not None
    assert figures.alpha.value == pytest.approx(1 - (2 * 0.5) / expected, abs=1e-4)


def marks(*boxes: tuple[str, float, float, float, float]) -> dict[str, Any]:
    return {
        "marks": [
            {
                "condition": name,
                "mark": 0,
                "label": "2 s",
                "place": "beside",
                "anchor": {"image": PICTURE, "kind": "box", "x": x, "y": y, "w": w, "h": h},
            }
            for name, x, y, w, h in boxes
        ]
    }


def test_boxes_are_compared_by_what_they_share_and_a_missing_mark_is_a_disagreement() -> None:
    reviews = [
        *both(
            "p1",
            marks(("c1", 0.1, 0.1, 0.2, 0.2)),
            marks(("c1", 0.1, 0.1, 0.2, 0.2)),
            job="placement",
            field="marks",
        ),
        *both(
            "p2",
            marks(("c1", 0.0, 0.0, 0.2, 0.2)),
            marks(("c1", 0.1, 0.0, 0.2, 0.2)),
            job="placement",
            field="marks",
        ),
        *both("p3", marks(("c1", 0.5, 0.5, 0.1, 0.1)), marks(), job="placement", field="marks"),
    ]
    measure = measured(reviews, "marks: box", "placement")
    assert {o.value for o in measure.opinions if o.item[0] == "p3" and o.slot == "B"} == {ABSENT}
    table = answers_table(measure)
    assert table.distances is not None
    first, second = table.codes[1]
    assert table.distances[first, second] == pytest.approx(1 - 0.5 / 1.5)
    first, second = table.codes[2]
    assert table.distances[first, second] == 1.0
    figures = field_agreement(measure, seed=0)
    assert (figures.scale, figures.items) == ("boxes", 3)
    assert figures.percent.value == pytest.approx(1 / 3, abs=1e-4)


def test_steps_are_compared_part_by_part() -> None:
    def steps(*kinds: str) -> dict[str, Any]:
        return {"steps": [{"kind": kind, "right": kind == "K"} for kind in kinds]}

    reviews = both("run/row", steps("K", "L", "L"), steps("K", "L", "K"), job="steps", field="steps")
    figures = {m.name: field_agreement(m, 0) for m in measures("steps", reviews)}
    assert set(figures) == {"steps: kind", "steps: right"}
    assert figures["steps: kind"].percent.value == pytest.approx(2 / 3, abs=1e-4)
    assert figures["steps: kind"].items == 1


def test_a_step_that_one_struck_out_is_held_against_no_other_step() -> None:
    law, conclusion = (
        {"text": text, "kind": kind, "score": 1} for text, kind in (("F = ma", "K"), ("so 3", "L"))
    )
    reviews = both("run/row", [law, conclusion], [conclusion], job="steps", field="steps")
    figures = {m.name: field_agreement(m, 0) for m in measures("steps", reviews)}
    assert figures["steps: kind"].percent.value == 0.5
    again = both("run/row", [law, law], [law, law], job="steps", field="steps")
    figures = {m.name: field_agreement(m, 0) for m in measures("steps", again)}
    assert (figures["steps: kind"].percent.value, figures["steps: kind"].percent.n) == (1.0, 2)


def test_the_newest_answer_of_a_person_is_found_by_time_not_by_text() -> None:
    old, new = "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.500000Z"
    first, second = (
        r.model_copy(update={"annotation_id": name, "updated_at": at, "pseudonym": "A01"})
        for r, name, at in zip(both("p1", "optics", "waves"), "xy", (old, new), strict=True)
    )
    assert [r.value for r in submitted_answers([second, first])] == ["waves"]


def test_texts_that_differ_in_blanks_are_equal_and_have_no_alpha() -> None:
    reviews = [
        *both("p1", "a  b\n", "a b", job="translation", language="zh", field="question"),
        *both("p2", "c", "d", job="translation", language="zh", field="question"),
    ]
    figures = field_agreement(measured(reviews, "question", "translation"), 0)
    assert (figures.scale, figures.alpha, figures.kappa) == (None, None, None)
    assert figures.percent.value == 0.5


def test_a_person_twice_in_a_slot_counts_with_the_newest_answer() -> None:
    reviews = [
        *both("p1", "optics", "waves"),
        review("p1", "waves", "A01", "A", annotation_id="again", updated_at="2026-01-02T00:00:00Z"),
    ]
    assert field_agreement(measured(reviews, "subject"), 0).percent.value == 1.0


def test_ann_05_two_people_on_one_task_are_two_raters_and_no_answer_of_their_slot() -> None:
    reviews = [review("p7", "optics", "A01", "A"), review("p7", "mechanics", "A02", "A")]
    figures = field_agreement(measured(reviews, "subject"), 0)
    assert (figures.items, figures.percent.value, figures.kappa) == (1, 0.0, None)


# --- anchoring ---------------------------------------------------------------------------------------------------
def test_anchoring_is_the_difference_between_the_arms() -> None:
    """The machine is right in 60 of 100; people alone in 90; half of those who see a wrong proposal keep it."""
    random = np.random.default_rng(0)
    proposals, reviews = {}, []
    for number in range(2000):
        item, truth = f"p{number:04d}", "optics"
        value = "optics" if random.random() < 0.6 else "waves"
        proposals[Key(item_id=item, field="subject", digest=DIGEST)] = Proposal(
            job="tagging", item_id=item, field="subject", digest=DIGEST, value=value, model="m"
        )
        for who, slot in (("A01", "A"), ("A02", "B")):
            withheld = bool(random.random() < 0.3)
            own = truth if random.random() < 0.9 else "waves"
            said = value if not withheld and random.random() < 0.5 else own
            reviews.append(review(item, said, who, slot, withheld=withheld))
    (found,) = anchoring("tagging", reviews, proposals, seed=1)
    alone = 0.6 * 0.9 + 0.4 * 0.1
    assert found.withheld.value == pytest.approx(alone, abs=0.04)
    assert found.shown.value == pytest.approx(0.5 + 0.5 * alone, abs=0.03)
    assert found.difference.low is not None and found.difference.high is not None
    assert found.difference.low < 0.5 - 0.5 * alone < found.difference.high
    assert found.difference.low > 0
    assert found.shown.n + found.withheld.n == 4000


def test_without_a_withheld_share_nothing_is_said_about_anchoring() -> None:
    proposals = {
        Key(item_id="p1", field="subject", digest=DIGEST): Proposal(
            job="tagging", item_id="p1", field="subject", digest=DIGEST, value="optics", model="m"
        )
    }
    assert anchoring("tagging", both("p1", "optics", "waves", withheld=False), proposals, 0) == ()
    assert anchoring("tagging", both("p1", "optics", "waves"), proposals, 0) == (), "no arm is on record"


# --- the files ---------------------------------------------------------------------------------------------------
def reviewed(workspace: Workspace, reviews: list[Review]) -> Workspace:
    from benchwright.annotation.verdicts import derive_verdicts

    workspace.reviews("tagging").parent.mkdir(exist_ok=True)
    write_jsonl(workspace.reviews("tagging"), reviews)
    write_jsonl(workspace.verdicts("tagging"), derive_verdicts(reviews, ("A", "B")))
    return workspace


def twenty() -> list[Review]:
    reviews = []
    for i in range(20):
        subjects = (
            ("optics", "waves") if i % 5 == 0 else ("optics", "optics") if i % 2 else ("waves", "waves")
        )
        reviews += both(f"p{i:02d}", *subjects, lead_time=10.0 + i, comment="a remark by somebody")
        reviews += both(f"p{i:02d}", 1 + i % 5, 1 + i % 5, field="difficulty", lead_time=10.0 + i)
    reviews.append(review("p00", "optics", "A03", "adjudication"))
    reviews.append(review("p05", "optics", "A01", "adjudication"))
    return reviews


def test_the_report_is_written_once_for_all_and_once_privately(tmp_path: Path, make_workspace) -> None:
    workspace = reviewed(make_workspace(tmp_path / "ws", 2), twenty())
    written = write_report(workspace, reviewed_jobs(workspace))
    (figures,) = written.jobs
    assert (figures.people, figures.items, figures.answered_by_two) == (2, 20, 20)
    assert (figures.adjudicators, figures.adjudicated_by_a_party) == (2, 1)
    assert figures.states == {"submitted": 40}
    assert figures.verdicts == {"adjudicated": 2, "agreed": 36, "open": 2}
    assert figures.median_seconds == 19.5
    subject = figures.fields[0]
    assert (subject.name, subject.percent.value) == ("subject", 0.8)
    assert read_figures(workspace) == [figures]
    evidence = read_evidence(workspace, figures)
    assert {made.pseudonym for made in evidence.reviews if made.slot != "adjudication"} == {"A01", "A02"}
    assert len({made.item_id for made in evidence.reviews}) == figures.items and len(evidence.reviews) == 42
    assert [measure.name for measure in evidence.measures] == [field.name for field in figures.fields]
    assert [len(measure.answers) for measure in evidence.measures] == [
        field.items for field in figures.fields
    ]
    assert evidence.known == () and evidence.kept == (), (
        "nobody saw a proposal, and nothing is known beforehand"
    )
    assert written.private == private_path(workspace)
    assert stat.S_IMODE(written.private.stat().st_mode) == 0o600
    private = PrivateReport.model_validate_json(written.private.read_bytes())
    assert [p.pseudonym for p in private.people["tagging"]] == ["A01", "A02", "A03"]


def test_what_is_published_names_nobody(tmp_path: Path, make_workspace) -> None:
    workspace = reviewed(make_workspace(tmp_path / "ws", 2), twenty())
    for path in write_report(workspace, ["tagging"]).files:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\bA\d\d\b", text), path
        assert "a remark" not in text
        assert "p05" not in text
    assert {path.name for path in workspace.reviews("tagging").parent.iterdir()} == {
        "report.md",
        "report.html",
        "report.json",
        "tagging.evidence.json",
        "tagging.figures.json",
        "tagging.jsonl",
        "tagging.verdicts.jsonl",
    }


def test_one_persons_speed_and_care_is_no_group_figure(tmp_path: Path, make_workspace) -> None:
    alone = [r for r in twenty() if r.pseudonym == "A01" and r.slot == "A"]
    workspace = reviewed(make_workspace(tmp_path / "ws", 2), alone)
    figures = job_report(workspace, "tagging").figures
    assert (figures.people, figures.median_seconds, figures.kept, figures.gold) == (1, None, {}, None)


def test_the_same_reviews_give_the_same_bytes_in_whatever_order(tmp_path: Path, make_workspace) -> None:
    reviews = twenty()
    first = reviewed(make_workspace(tmp_path / "one", 2), reviews)
    second = reviewed(make_workspace(tmp_path / "two", 2), reviews)
    pages = [{p.name: p.read_bytes() for p in write_report(w, ["tagging"]).files} for w in (first, second)]
    assert pages[0] == pages[1]
    before = pages[0]["report.md"]
    write_report(first, ["tagging"])
    assert (first.reviews("tagging").parent / "report.md").read_bytes() == before
    figures = json.loads(pages[0]["report.json"])["jobs"][0]
    write_jsonl(first.reviews("tagging"), reviews[::-1])
    report = job_report(first, "tagging")
    known = read_evidence(
        second, JobFigures.model_validate_json(figures_path(second, "tagging").read_bytes())
    )
    assert report.evidence == known.model_copy(update={"reviews_sha256": report.figures.reviews_sha256})
    turned = report.figures.model_dump(mode="json")
    assert {k: v for k, v in turned.items() if k != "reviews_sha256"} == {
        k: v for k, v in figures.items() if k != "reviews_sha256"
    }


def test_markdown_and_page_say_the_same_figures(tmp_path: Path, make_workspace) -> None:
    workspace = reviewed(make_workspace(tmp_path / "ws", 2, name="pages"), twenty())
    files = {path.name: path for path in write_report(workspace, ["tagging"]).files}
    markdown = files["report.md"].read_text(encoding="utf-8")
    page = files["report.html"].read_text(encoding="utf-8")
    figures = JobFigures.model_validate_json(figures_path(workspace, "tagging").read_bytes())
    for field in figures.fields:
        for words in (interval_words(field.percent, percent=True), interval_words(field.alpha)):
            assert words in markdown
            assert words in page
    assert markdown.startswith("# Reviews of pages\n\n## tagging\n\n- 2 people answered 20 items")
    lines = [line for line in markdown.split("\n") if line.startswith("|")]
    assert len({line.count("|") for line in lines[:4]}) == 1, "header, rule and rows have the same cells"


def test_figures_in_words() -> None:
    assert interval_words(Interval(value=0.714, low=0.65, high=0.781, n=9)) == "0.71 (0.65 to 0.78)"
    assert (
        interval_words(Interval(value=0.714, low=0.65, high=0.781, n=9), percent=True)
        == "71.4 % (65.0 to 78.1)"
    )
    assert interval_words(Interval(value=0.5, n=9)) == "0.50"
    assert interval_words(Interval(value=None, n=9)) == interval_words(None) == "-"


def test_a_job_without_reviews_is_a_usage_error(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path / "ws", 1)
    with pytest.raises(UsageError, match="no reviews yet"):
        write_report(workspace, reviewed_jobs(workspace))
    with pytest.raises(UsageError, match="run `annotate pull tagging` first"):
        write_report(workspace, ["tagging"])
    with pytest.raises(UsageError, match="there is no job 'tags'"):
        write_report(workspace, ["tags"])
    assert not (workspace.root / "reviews").exists() or not list((workspace.root / "reviews").iterdir())


def test_verdict_file_is_read_as_it_stands(tmp_path: Path, make_workspace) -> None:
    workspace = reviewed(make_workspace(tmp_path / "ws", 2), twenty())
    assert {v.basis for v in read_jsonl(workspace.verdicts("tagging"), Verdict)} == {
        "adjudicated",
        "agreed",
        "open",
    }


def test_the_command_shows_people_only_when_asked_and_only_on_the_screen(
    tmp_path: Path, make_workspace
) -> None:
    from click.testing import CliRunner

    from benchwright.cli.annotate import annotate

    workspace = reviewed(make_workspace(tmp_path / "ws", 2), twenty())
    where = ["--workspace", str(workspace.root)]
    plain = CliRunner().invoke(annotate, ["report", *where])
    assert plain.exit_code == 0, plain.output
    assert "A01" not in plain.stdout
    assert "next: annotate adjudicate tagging" in plain.stdout
    told = CliRunner().invoke(annotate, ["report", "tagging", "--people", *where])
    assert "A01" in told.stdout
    assert "nothing changed" in told.stderr, "the rule of the warnings is told"
    machine = json.loads(CliRunner().invoke(annotate, ["report", "--json", *where]).stdout)
    assert [job["job"] for job in machine["jobs"]] == ["tagging"]
    assert "A01" not in json.dumps(machine)
    missing = CliRunner().invoke(annotate, ["report", "quality", *where])
    assert "annotate pull quality" in str(missing.exception)
