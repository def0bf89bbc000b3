"""The run folder: what is reused, by which rule; EVA-09."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.eval.runs.spec import DatasetSpec, JudgeSpec, ModelSpec, RunSpec, SamplingSpec
from benchwright.eval.runs.store import RunFolder
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.errors import LockedError, UsageError
from benchwright.schemas.records import ReleaseRow, Split
from benchwright.schemas.runs import Judgement, Response, asked_digest, judgement_key
from benchwright.schemas.status import CallStatus, Outcome

Rows = Callable[..., ReleaseRow]


def spec(digest: str = "a" * 64, temperature: float = 0.0) -> RunSpec:
    return RunSpec(
        protocol="visscience",
        dataset=DatasetSpec(
            name="release",
            origin="folder",
            digest=digest,
            rows=3,
            versions=("original",),
            languages=("en",),
            splits=(Split.TEST,),
        ),
        model=ModelSpec(name="openai/x", endpoint="openai", base_url="http://127.0.0.1:1/v1"),
        sampling=SamplingSpec(temperature=temperature),
        prompts=(),
        judge=JudgeSpec(kind="rules", rules_version=1),
    )


def reply(row: ReleaseRow, text: str, status: CallStatus = CallStatus.OK) -> Response:
    return Response(row_id=row.id, asked_digest=asked_digest(row), status=status, text=text)


def verdict(row: ReleaseRow, response: Response, outcome: Outcome) -> Judgement:
    return Judgement(
        row_id=row.id,
        key_digest=judgement_key(row, response),
        outcome=outcome,
        decided_by="rules",
        reason="test",
    )


def test_eva_09_resume_reuses_one_row_once_and_says_what_it_left(tmp_path: Path, row: Rows) -> None:
    rows = [row("p1"), row("p2"), row("p3")]
    gone = row("old9")
    folder = RunFolder(tmp_path)
    first, second = reply(rows[0], "B"), reply(rows[0], "C")
    lines = [first, second, reply(gone, "B")]
    torn = canonical_json(reply(rows[1], "B"))[:25]
    text = "".join(canonical_json(line) + "\n" for line in lines) + "null\n" + torn
    folder.responses.path.write_text(text, encoding="utf-8")

    known = folder.load(rows)
    assert known.responses == {"p1": first}  # the first final answer, never a later one that pleases more
    assert any("1 rows that the data set does not have" in note for note in known.notes)
    assert any("2 unreadable lines" in note for note in known.notes)

    # The next answer is appended whole, the torn line does not swallow it.
    folder.responses.append(reply(rows[1], "A"))
    again = folder.load(rows)
    assert again.responses["p2"].text == "A"

    # Second trial: the question of p1 changed, so its old answer is not an answer to it.
    changed = [row("p1", question="Another question."), *rows[1:]]
    later = folder.load(changed)
    assert "p1" not in later.responses
    assert any("1 rows that have changed" in note for note in later.notes)


def test_a_later_answer_replaces_one_that_was_not_final(tmp_path: Path, row: Rows) -> None:
    one = row("p1")
    folder = RunFolder(tmp_path)
    folder.responses.extend([reply(one, "", CallStatus.RATE_LIMITED), reply(one, "B"), reply(one, "C")])
    assert folder.load([one]).responses["p1"].text == "B"
    failed = RunFolder(tmp_path / "failed")
    failed.responses.extend([reply(one, "", CallStatus.RATE_LIMITED), reply(one, "", CallStatus.TIMEOUT)])
    assert failed.load([one]).responses["p1"].status is CallStatus.TIMEOUT


def test_a_verdict_falls_with_the_answer_or_the_key_it_was_made_for(tmp_path: Path, row: Rows) -> None:
    one = row("p1", answer="B")
    folder = RunFolder(tmp_path)
    response = reply(one, "B")
    folder.responses.append(response)
    folder.judgements.append(verdict(one, response, Outcome.CONSISTENT))
    assert folder.load([one]).judgements["p1"].outcome is Outcome.CONSISTENT
    corrected = row("p1", answer="C")
    known = folder.load([corrected])
    assert known.responses["p1"] == response  # the model was shown the same, its answer stands
    assert known.judgements == {}  # but it has to be judged by the corrected key


def test_an_unjudged_verdict_gives_way_and_a_decided_one_does_not(tmp_path: Path, row: Rows) -> None:
    one = row("p1")
    folder = RunFolder(tmp_path)
    response = reply(one, "B")
    folder.responses.append(response)
    for outcome in (Outcome.UNJUDGED, Outcome.INCONSISTENT, Outcome.CONSISTENT):
        folder.judgements.append(verdict(one, response, outcome))
    assert folder.load([one]).judgements["p1"].outcome is Outcome.INCONSISTENT


def test_one_folder_holds_one_run(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    assert folder.open(spec()) == ()
    assert folder.open(spec()) == ()
    with pytest.raises(UsageError, match="other settings \\(sampling\\)"):
        folder.open(spec(temperature=0.7))
    assert folder.spec() == spec()
    # A corrected data set continues: rows that are the same keep their answers.
    assert "changed since" in folder.open(spec(digest="b" * 64))[0]
    assert folder.spec().dataset.digest == "b" * 64


def test_answers_without_a_specification_are_not_taken_over(tmp_path: Path, row: Rows) -> None:
    folder = RunFolder(tmp_path)
    folder.responses.append(reply(row("p1"), "B"))
    with pytest.raises(UsageError, match=r"without a spec\.json"):
        folder.open(spec())


def test_the_second_writer_is_turned_away(tmp_path: Path) -> None:
    with (
        RunFolder(tmp_path).lock(),
        pytest.raises(LockedError, match=f"process {os.getpid()}"),
        RunFolder(tmp_path).lock(),
    ):
        raise AssertionError("not reached")


def test_run_id_follows_the_settings_and_holds_no_key() -> None:
    assert spec().run_id == spec().run_id
    ids: list[Any] = [spec().run_id, spec(temperature=0.5).run_id, spec(digest="c" * 64).run_id]
    assert len(set(ids)) == 3
    assert not any("key" in name for name in ModelSpec.model_fields)
