"""The judge's page: which answers are offered, what is shown, and what comes back."""

from __future__ import annotations

import pytest
from label_studio_sdk.label_interface import LabelInterface

from benchwright.annotation.checks import data_faults, prediction_faults
from benchwright.annotation.jobs import find_job
from benchwright.annotation.jobs.judge import JudgeJob
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import JOBS, Proposal
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.runs import Judgement, read_run


def verdict(item_id: str, digest: str, value: str) -> Proposal:
    return Proposal(job="judge", item_id=item_id, field="verdict", digest=digest, value=value, model="m")


def test_the_page_is_known_to_label_studio_and_offers_the_jobs_verdicts() -> None:
    interface = LabelInterface(JudgeJob().config())
    interface.validate()
    assert tuple(interface.get_control("verdict").labels) == JOBS["judge"].field("verdict").values
    assert find_job("judge").name == "judge"


def test_answers_with_words_are_offered_and_others_not(evaluated) -> None:
    source = JudgeJob().offer(evaluated.workspace, evaluated.run_id)
    ids = [one.item_id for one in source.offered]
    assert f"{evaluated.run_id}/p1:original:en" in ids
    assert f"{evaluated.run_id}/p4:original:en" not in ids  # an empty reply
    assert len(ids) == 9
    (group,) = JudgeJob().groups(evaluated.workspace)
    assert [item.item_id for item in group.items] == ids
    assert "replay" not in group.title  # whose answer it is stays unsaid


def test_the_digest_is_that_of_the_runs_own_judgement(evaluated) -> None:
    JudgeJob().offer(evaluated.workspace, evaluated.run_id)
    (group,) = JudgeJob().groups(evaluated.workspace)
    files = read_run(evaluated.workspace.runs / evaluated.run_id)
    assert files.run_id == evaluated.run_id
    judged = {f"{files.run_id}/{a.row.id}": a.judgement for a in files.answered}
    for item in group.items:
        judgement = judged[item.item_id]
        assert isinstance(judgement, Judgement)
        assert judgement.key_digest == item.digest


def test_the_page_shows_question_key_and_answer_but_no_verdict_thinking_or_script(evaluated) -> None:
    JudgeJob().offer(evaluated.workspace, evaluated.run_id)
    (group,) = JudgeJob().groups(evaluated.workspace)
    items = {item.item_id.split("/")[1]: item for item in group.items}
    data = items["p3:original:en"].data
    assert data_faults(group.config, data) == []
    shown = data["html"]
    assert "<script" not in shown and "<b>" not in shown and "onerror=&quot;" in shown
    assert "<svg" in shown  # $x_0$ of the answer is drawn
    assert "B (option-B-3 $x^2$)" not in shown and "option-B-3" in shown
    assert "onsistent" not in shown
    assert "hidden-thinking" not in items["p6:original:en"].data["html"]
    assert "2.5 m" in items["p6:original:en"].data["html"]
    assert items["p3:original:en"].images == ()


def test_only_a_proposal_is_preselected_and_comes_back(evaluated) -> None:
    job = JudgeJob()
    assert job.regions({}, {}) == []
    result = job.regions({"verdict": verdict("r/x", "0" * 64, "inconsistent")}, {})
    assert prediction_faults(JudgeJob().config(), result) == []
    prediction = {"model_version": "m", "result": result}
    assert LabelInterface(JudgeJob().config()).validate_prediction(prediction, return_errors=True) == []
    result[0]["origin"] = "prediction"
    answer = job.answers(result, {})["verdict"]
    assert (answer.value, answer.origin) == ("inconsistent", "prediction")
    assert job.answers([], {}) == {}


def test_a_sample_is_the_same_each_time_and_grows(evaluated) -> None:
    job, space, run = JudgeJob(), evaluated.workspace, evaluated.run_id
    small = {one.item_id for one in job.offer(space, run, sample=1).offered}
    again = {one.item_id for one in job.offer(space, run, sample=1).offered}
    larger = {one.item_id for one in job.offer(space, run, sample=2).offered}
    assert small == again and small < larger
    assert len(small) == 2 and len(larger) == 4  # of each of two disciplines


def test_what_evaluate_drew_is_what_people_get(evaluated, offered_to) -> None:
    drawn = f"{evaluated.run_id}/p2:original:en"
    offered_to.proposals("judge").parent.mkdir(parents=True)
    write_jsonl(offered_to.proposals("judge"), [verdict(drawn, "0" * 64, "consistent")])
    folder = str(evaluated.workspace.runs / evaluated.run_id)
    assert [one.item_id for one in JudgeJob().offer(offered_to, folder).offered] == [drawn]


def test_an_offer_outlives_the_run(evaluated, offered_to) -> None:
    JudgeJob().offer(offered_to, str(evaluated.workspace.runs / evaluated.run_id))
    assert not offered_to.runs.exists()
    (group,) = JudgeJob().groups(offered_to)
    assert len(group.items) == 9


def test_a_run_that_is_none_is_named(offered_to) -> None:
    with pytest.raises(UsageError, match=r"no run folder: it has no spec\.json"):
        JudgeJob().offer(offered_to, "0123456789abcdef")
