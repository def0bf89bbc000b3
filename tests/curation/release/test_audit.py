"""`audit/`: who is named, what of an answer is told, and that the same workspace gives the same files."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchwright.annotation.pull import write_verdicts
from benchwright.annotation.report import write_report
from benchwright.curation.release.audit import audit_files, read_audit, read_audit_folder, release_audit
from benchwright.curation.release.audit_records import ReleaseAudit
from benchwright.curation.release.audit_reviews import release_pseudonyms
from benchwright.curation.release.build import build_release, checked_content
from benchwright.curation.release.rows import release_content
from benchwright.curation.release.statistics import release_figures
from benchwright.curation.release.statistics_audit import audit_figures, judge_figures
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Review
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import Problem
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

from .recount_agreement import Measure

PICTURE = "b" * 64


def review(job: str, item: str, field: str, value: Any, who: str, slot: str, **changes: Any) -> Review:
    fields = {
        "job": job, "item_id": item, "field": field, "digest": "a" * 64, "value": value, "pseudonym": who, "slot": slot,
        "state": "submitted", "origin": "manual", "annotation_id": f"{slot}-{who}-{item}",
        "updated_at": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    return Review.model_validate({**fields, **changes})


def reviewed(workspace: Workspace, reviews: Sequence[Review]) -> Workspace:
    """Leave reviews, their verdicts and the report as pulling and reporting do."""
    workspace.reviews("tagging").parent.mkdir(exist_ok=True)
    jobs = sorted({one.job for one in reviews})
    for job in jobs:
        mine = [one for one in reviews if one.job == job]
        write_jsonl(workspace.reviews(job), mine)
        write_verdicts(workspace, job, mine, ("A", "B"))
    write_report(workspace, jobs)
    return workspace


def audit_of(workspace: Workspace, tag: str = "v1.0.0") -> ReleaseAudit:
    content = release_content(workspace, read_records(workspace.problems, Problem))
    return release_audit(workspace, tag, content)


def withholding(workspace: Workspace) -> Workspace:
    path = workspace.root / "benchwright.toml"
    path.write_text(path.read_text() + '\n[release]\nwithhold = ["test"]\n')
    return Workspace.find(workspace.root)


def both(job: str, item: str, field: str, first: Any, second: Any, **changes: Any) -> list[Review]:
    return [
        review(job, item, field, first, "A07", "A", **changes),
        review(job, item, field, second, "A03", "B", **changes),
    ]


def test_reviewers_have_other_names_in_another_release() -> None:
    people = [f"A{number:02}" for number in range(1, 9)]
    first, again = release_pseudonyms("v1.0.0", people), release_pseudonyms("v1.0.0", reversed(people))
    assert first == again and sorted(first.values()) == [f"R{number:02}" for number in range(1, 9)]
    assert release_pseudonyms("v1.1.0", people) != first
    assert [first[name] for name in people] != sorted(first.values()), (
        "their order is not that of the workspace"
    )


def test_texts_are_numbers_and_closed_values_stand_there(tiny: Workspace) -> None:
    secret = "the wording that a person typed"
    reviews = [
        *both("translation", "multi", "question", secret, secret, language="en"),
        *both("translation", "multi", "answer", "AB", "A", language="en"),
        *both("translation", "cell", "answer", "mitochondrion", "mitochondrion", language="zh"),
        *both("tagging", "circuit", "difficulty", 2, 3),
        *both("tagging", "circuit", "comment", "a remark by somebody", "another"),
    ]
    audit = audit_of(reviewed(tiny, reviews))
    said = {(line.item, line.measure): (line.coded, line.answers) for line in audit.answers}
    names = release_pseudonyms("v1.0.0", ["A07", "A03"])
    first, second = sorted(
        (names["A07"], "A") if who == "A07" else (names["A03"], "B") for who in ("A07", "A03")
    )
    assert said["multi", "question"] == ("number-in-item", ((*first, 1, 1), (*second, 1, 1)))
    assert [one[3] for one in said["multi", "answer"][1]] == [1, 2], (
        "they differ, and that is all that is told"
    )
    assert [one[3] for one in said["cell", "answer"][1]] == [1, 1], "numbers begin anew in each item"
    assert {one[0]: one[3] for one in said["circuit", "difficulty"][1]} == {names["A07"]: 2, names["A03"]: 3}
    verdicts = {(line.item, line.field): (line.basis, line.value, line.by) for line in audit.verdicts}
    assert verdicts["cell", "answer"] == ("agreed", None, tuple(sorted(names.values())))
    assert verdicts["circuit", "difficulty"][:2] == ("open", None)
    text = "".join(audit_files(audit).values())
    for word in (secret, "mitochondrion", "remark", "A07", "A03", "2026"):
        assert word not in text, word


def test_sets_boxes_and_objects_can_be_compared_again(tiny: Workspace) -> None:
    def marks(x: float) -> dict[str, Any]:
        anchor = {"image": PICTURE, "x": x, "y": 0.1, "w": 0.2, "h": 0.2}
        return {"marks": [{"condition": "c1", "label": "6 V", "anchor": anchor}]}

    reviews = [
        *both("placement", "circuit", "marks", marks(0.1), marks(0.2)),
        *both("quality", "circuit", "text_faults", ["ambiguous", "incomplete"], ["ambiguous"], language="en"),
        *both("multiple-choice", "circuit", "choices", ["2 ohm", "7"], ["2 ohm", "8"], language="en"),
    ]
    lines = {line.measure: line for line in audit_of(reviewed(tiny, reviews)).answers}
    assert {tuple(one[3]) for one in lines["marks: box"].answers} == {
        (1, 0.1, 0.1, 0.2, 0.2),
        (1, 0.2, 0.1, 0.2, 0.2),
    }
    assert [one[3] for one in lines["marks: label"].answers] == [1, 1]
    assert sorted(len(one[3]) for one in lines["text_faults"].answers) == [1, 2]
    (one, other) = (set(one[3]) for one in lines["choices"].answers)
    assert len(one & other) == 1 and len(one | other) == 3, "Jaccard of the options, not their wording"


def said_by_many() -> list[Review]:
    """Three people in three slots on 14 items of six kinds; they differ, leave things out, and one answers twice."""
    draw = random.Random(5)
    reviews: list[Review] = []
    for number in range(14):
        name = f"item-{number:02}"
        for slot, who in zip("ABC", draw.sample(("A01", "A02", "A03", "A04"), 3), strict=True):
            if draw.random() < 0.2:
                continue
            marks = [
                {
                    "condition": f"c{mark}",
                    "label": draw.choice(("6 V", "2 A")),
                    "anchor": box(draw),
                    "mark": 0,
                }
                for mark in range(draw.randint(1, 2))
            ]
            values: dict[tuple[str, str], Any] = {
                ("tagging", "subject"): draw.choice(("optics", "optics", "mechanics")),
                ("tagging", "difficulty"): min(5, number % 4 + draw.randint(1, 2)),
                ("quality", "text_faults"): draw.sample(
                    ("ambiguous", "incoherent", "incomplete"), draw.randint(0, 2)
                ),
                ("quality", "decision"): "accept",
                ("multiple-choice", "choices"): [draw.choice("pq"), draw.choice("rs"), "t"],
                ("translation", "question"): draw.choice(
                    ("one wording", "another  wording", "another wording")
                ),
                ("placement", "marks"): {"marks": marks},
                ("steps", "steps"): {
                    "steps": [{"text": f"s{n}", "kind": draw.choice(("k", "r"))} for n in range(2)]
                },
            }
            for (job, field), value in values.items():
                language = "en" if job in ("quality", "multiple-choice", "translation") else None
                reviews.append(review(job, name, field, value, who, slot, language=language))
    again = next(one for one in reviews if one.slot == "A")
    return [*reviews, again.model_copy(update={"slot": "B", "annotation_id": "again"})]


def box(draw: random.Random) -> dict[str, Any]:
    return {
        "image": PICTURE,
        "x": draw.choice((0.1, 0.15, 0.4)),
        "y": 0.2,
        "w": draw.choice((0.0, 0.2)),
        "h": 0.1,
    }


def test_agreement_on_every_scale_is_counted_again_from_the_files(tiny: Workspace) -> None:
    audit = audit_of(reviewed(tiny, said_by_many()))
    files = audit_files(audit)
    answers = [json.loads(line) for line in files["audit/answers.jsonl"].splitlines()]
    scales = set()
    for line in audit.agreement:
        known = line.figures
        mine = [one for one in answers if (one["job"], one["measure"]) == (line.job, known.name)]
        measure = Measure(line.job, known.name, line.seed, mine)
        assert measure.pairable == known.items
        figures = [(known.percent, measure.equal), (known.alpha, measure.alpha), (known.kappa, measure.kappa)]
        for interval, figure in figures:
            if interval is not None:
                counted = [
                    None if number != number else round(number, 4) for number in measure.figure(figure)
                ]
                assert counted == pytest.approx([interval.value, interval.low, interval.high], abs=1.01e-4), (
                    known.name
                )
        scales.add(known.scale)
    assert scales == {"nominal", "ordinal", "sets", "boxes", None}


def test_a_verdict_on_a_response_to_a_withheld_question_is_not_told(tiny: Workspace) -> None:
    hidden = ["run-1/cell-original-en", "run-1/zebra-original-en", "run-1/insect-vision-only-en"]
    other = "run-1/insect-original-en"  # of a few-shot example; the last of the others is a row that is not published
    verdicts = dict(
        zip((*hidden, other), ("consistent", "inconsistent", "consistent", "consistent"), strict=True)
    )
    reviews = [one for item, said in verdicts.items() for one in both("judge", item, "verdict", said, said)]
    reviewed(tiny, reviews)
    open_audit, audit = audit_of(tiny), audit_of(withholding(tiny))
    assert {line.item: line.value for line in open_audit.verdicts} == verdicts
    named = [f"withheld-{number:04}" for number in (1, 2, 3)]
    assert {line.item: line.value for line in audit.verdicts} == {**dict.fromkeys(named), other: "consistent"}
    coded = {line.item: (line.coded, [one[3] for one in line.answers]) for line in audit.answers}
    assert coded[named[0]] == ("number-in-item", [1, 1]) and coded[other] == ("value", ["consistent"] * 2)
    assert [line.item for line in audit.answers] == [other, *sorted(line.item for line in audit.answers[1:])]
    (agreement,) = audit.agreement
    assert agreement.figures.percent.value == 1.0 and agreement.figures.percent.low is None
    assert open_audit.agreement[0].figures.percent.low == 1.0
    text = "".join(audit_files(audit).values())
    assert not any(item in text for item in hidden), "that people looked for an error says that there is one"


@pytest.mark.parametrize("renamed", ["run-1/aardvark-original-en", "run-1/zebra-original-en"])
def test_neither_numbers_nor_order_tell_which_row_is_hidden(
    make_workspace: Any, tmp_path: Path, renamed: str
) -> None:
    def files(name: str, item: str) -> dict[str, str]:
        reviews = [
            *both("errors", item, "category", "reasoning", "knowledge"),
            *both("errors", "run-1/circuit-original-en", "category", "reasoning", "reasoning"),
            *both("errors", "run-1/insect-original-en", "category", "reasoning", "reasoning"),
        ]
        return audit_files(audit_of(withholding(reviewed(make_workspace(tmp_path / name), reviews))))

    assert files("one", "run-1/multi-original-zh") == files("two", renamed)


def test_withheld_answers_stand_nowhere_below_audit(tiny: Workspace) -> None:
    reviews = [
        *both("translation", "cell", "answer", "mitochondrion", "mitochondrion", language="en"),
        *both("translation", "circuit", "solution", "R = U / I", "R = U / I", language="zh"),
    ]
    workspace = withholding(reviewed(tiny, reviews))
    content, _ = checked_content(workspace, drop_failing=True)
    built = build_release(workspace, "v1.0.0", "org/tiny", content)
    texts = {path.name: path.read_text("utf-8") for path in (built.folder / "audit").iterdir()}
    assert {"translation"} == {json.loads(line)["job"] for line in texts["verdicts.jsonl"].splitlines()}
    for text in texts.values():
        assert "mitochondrion" not in text and "U / I" not in text
        assert "a" * 64 not in text, "a digest of question and answer could be tried with guesses"


def test_records_come_back_from_the_files_and_the_card_is_made_of_them(tiny: Workspace) -> None:
    reviewed(tiny, both("tagging", "circuit", "difficulty", 2, 2))
    content, _ = checked_content(tiny, drop_failing=True)
    audit = release_audit(tiny, "v1.0.0", content)
    files = audit_files(audit)
    assert read_audit(files) == audit
    assert all(text.endswith("\n") and not text.startswith("\n") for text in files.values())
    built = build_release(tiny, "v1.0.0", "org/tiny", content)
    again = read_audit_folder(built.folder)
    assert release_figures(built.content.rows, again) == built.figures
    assert audit_figures(built.content.rows, again) == audit_figures(content.rows, audit)
    named = {path.relative_to(built.folder).as_posix() for path in (built.folder / "audit").iterdir()}
    assert named == set(files) and {file.path for file in built.manifest.files} >= named


@pytest.mark.parametrize("digests", ["ab", "ba"])
def test_contents_are_numbered_as_people_saw_them(tiny: Workspace, digests: str) -> None:
    """By their digests the numbers would tell which of two guessed keys came first."""
    said = [
        line.model_copy(update={"digest": digest * 64, "annotation_id": f"{line.annotation_id}-{digest}"})
        for digest, decision in zip(digests, ("fix", "accept"), strict=True)
        for line in both("quality", "cell", "decision", decision, decision, language="en")
    ]
    audit = audit_of(reviewed(tiny, said))
    assert {(line.shown, line.value) for line in audit.verdicts} == {(1, "fix"), (2, "accept")}


def test_left_out_rows_have_a_reason_and_no_detail(tiny: Workspace) -> None:
    audit = audit_of(tiny)
    lines = {line.row: line for line in audit.left_out}
    found = lines["insect-vision-only-en"]
    assert (found.problem_id, found.version, found.language, found.reason) == (
        "insect",
        "vision-only",
        "en",
        "no-room",
    )
    content = release_content(tiny, read_records(tiny.problems, Problem))
    assert len(lines) == len(content.rejected)


def test_a_damaged_calibration_is_named(tiny: Workspace) -> None:
    path = tiny.root / "calibrations" / "first.json"
    path.parent.mkdir()
    for text in ('{"judge": ', "[]", '{"judge": {}, "n": 3}'):
        path.write_text(text)
        with pytest.raises(UsageError, match=r"first\.json holds no calibration"):
            audit_of(tiny)
    spec = {
        "kind": "llm",
        "model": {"name": "local//models/mine/judge", "base_url": "http://somewhere.example:80"},
    }
    rate = {"count": 2, "of": 3}
    path.write_text(json.dumps({"judge": spec, "n": 3, "accuracy": rate, "kappa": None}))
    steps = {"judge": spec["model"], "n": 2, "same_score": rate, "score_kappa": 0.5}
    path.with_name("second.json").write_text(json.dumps(steps))
    audit = audit_of(tiny)
    assert audit.calibrations[0].calibration["judge"] == {"kind": "llm", "model": {"name": "local/judge"}}
    assert "/mine" not in "".join(audit_files(audit).values())
    assert "somewhere" not in "".join(audit_files(audit).values()), "it may be a machine's name"
    first, second = judge_figures(audit)
    assert (first.judge, first.cases, first.decided, first.kappa) == ("llm: local/judge", 3, 3, "-")
    assert (second.judge, second.right, second.kappa) == ("local/judge", "66.7 [20.8, 93.9]", "0.50")


def test_two_workspaces_in_two_places_give_the_same_files(make_workspace: Any, tmp_path: Path) -> None:
    reviews = both("tagging", "circuit", "difficulty", 2, 3)
    one, other = (
        reviewed(make_workspace(tmp_path / name), order)
        for name, order in (("one", reviews), ("two", reviews[::-1]))
    )
    assert audit_files(audit_of(one)) == audit_files(audit_of(other))
