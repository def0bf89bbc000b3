"""Certify, replace and keep on a real workspace, with people's verdicts in files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchwright.cli.curate import curate
from benchwright.cli.curate_replace import what_mends
from benchwright.cli.status import status
from benchwright.curation.certify import certify_discipline
from benchwright.curation.chosen_now import current_selection
from benchwright.curation.dedup_review import written_for
from benchwright.curation.keep import keep_discipline
from benchwright.curation.problems import make_problems
from benchwright.curation.replace import replace_for_rules, replace_from_reviews, replace_named
from benchwright.curation.representatives import choose_representatives
from benchwright.examples.generated_pool import write_generated_pool
from benchwright.schemas.duplicates import DuplicateGroup, group_item_id
from benchwright.schemas.errors import InfeasibleError, UsageError
from benchwright.schemas.jobs import Verdict, problem_id, quality_view, shown_digest, tagging_view
from benchwright.schemas.journal import Journal, write_jsonl
from benchwright.schemas.records import Question
from benchwright.schemas.reviewed import Replacement, applied, kept_path, selection_digest
from benchwright.schemas.selection import SelectionRow
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace

RECIPE = """
[benchmark]
name = "trial"
languages = ["en", "zh"]
[disciplines.physics]
budget = 40
[selection]
difficulties = { "2" = 8, "3" = 10, "4" = 10, "5" = 8 }
quota_tolerance = 2
dev_per_subject = 1
"""


@pytest.fixture(scope="module")
def chosen_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from benchwright.curation.ingest import IngestOptions, ingest

    folder = tmp_path_factory.mktemp("reviewed")
    pool = write_generated_pool(folder / "pool", 400, "physics", 30, 0, seed=3)
    workspace = Workspace.create(folder / "workspace", RECIPE)
    ingest(workspace, [pool.path], IngestOptions())
    choose_representatives(workspace, "physics", workers=1)
    return workspace.root


@pytest.fixture
def workspace(chosen_base: Path, tmp_path: Path) -> Workspace:
    return Workspace.find(Path(shutil.copytree(chosen_base, tmp_path / "w")))


def chosen(workspace: Workspace) -> list[Question]:
    wanted = {row.question_id for row in current_selection(workspace, "physics").rows}
    return [q for q in read_records(workspace.pool("physics"), Question) if q.id in wanted]


def quality(question: Question, decision: str, complexity: int = 3, richness: int = 3) -> list[Verdict]:
    view = shown_digest(quality_view(question.text, question.images))
    values = {"decision": decision, "knowledge_complexity": complexity, "visual_richness": richness}
    return [
        Verdict(
            job="quality",
            item_id=problem_id(question.id),
            language=question.language,
            field=name,
            digest=view,
            value=value,
            basis="agreed",
            by=("A01", "A02"),
        )
        for name, value in values.items()
    ]


def tag(question: Question, name: str, value: object) -> Verdict:
    return Verdict(
        job="tagging",
        item_id=problem_id(question.id),
        field=name,
        digest=shown_digest(tagging_view(question)),
        value=value,
        basis="agreed",
        by=("A01", "A02"),
    )


def said(workspace: Workspace, job: str, verdicts: Sequence[Verdict]) -> None:
    write_jsonl(workspace.verdicts(job), list(verdicts))


def level_of(workspace: Workspace, question: Question) -> int:
    return next(
        r.difficulty for r in current_selection(workspace, "physics").rows if r.question_id == question.id
    )


def test_an_unreviewed_selection_holds_and_says_what_waits(workspace: Workspace) -> None:
    done = certify_discipline(workspace, "physics")
    assert done.certificate.holds and done.certificate.n == 40
    assert done.certificate.waiting["difficulty: unreviewed"] == 40
    assert done.certificate.objective == done.certificate.objective_before
    assert not certify_discipline(workspace, "physics").stage.ran
    first = workspace.root.joinpath("selection/physics.reviewed.certificate.json").read_bytes()
    workspace.root.joinpath("selection/physics.reviewed.certificate.json").unlink()
    certify_discipline(workspace, "physics")
    assert workspace.root.joinpath("selection/physics.reviewed.certificate.json").read_bytes() == first


def test_rejected_questions_are_replaced_and_every_reader_sees_it(workspace: Workspace) -> None:
    questions = chosen(workspace)
    bad = questions[:3]
    said(workspace, "quality", [v for q in questions for v in quality(q, "reject" if q in bad else "accept")])
    broken = certify_discipline(workspace, "physics").certificate
    assert broken.broken[0].rule == "n"
    assert {pair.leaves for pair in broken.broken[0].mended_by} >= {q.id for q in bad}
    result = CliRunner().invoke(curate, ["certify", "--workspace", str(workspace.root)])
    assert result.exit_code == 1, result.output
    done = replace_from_reviews(workspace, "physics")
    assert [step.exchanges[0].leaves for step in done.done] == [q.id for q in bad] and not done.failed
    proposed = {(pair.leaves, pair.joins) for pair in broken.broken[0].mended_by}
    assert {(s.exchanges[0].leaves, s.exchanges[0].row.question_id) for s in done.done} <= proposed
    now = {q.id for q in chosen(workspace)}
    assert len(now) == 40 and not now & {q.id for q in bad}
    assert certify_discipline(workspace, "physics").certificate.holds
    assert replace_from_reviews(workspace, "physics").done == []
    make_problems(workspace)
    rejected = {r["item_id"] for r in _rows(workspace.problems_rejected)}
    assert rejected >= {problem_id(name) for name in now} and not rejected & {problem_id(q.id) for q in bad}
    from benchwright.annotation.items import selected_questions

    assert {q.id for q in selected_questions(workspace, "physics")[0]} >= now


def _rows(path: Path) -> list[dict[str, object]]:
    import pyarrow.parquet as pq

    rows: list[dict[str, object]] = pq.read_table(path).to_pylist()
    return rows


def test_a_chain_keeps_its_place_and_length(workspace: Workspace) -> None:
    first = current_selection(workspace, "physics").rows[4]
    name = first.question_id
    for step in (1, 2, 3):
        done = replace_named(workspace, "physics", [problem_id(name)], "blurred").done[0]
        assert (done.place, done.step, done.why, done.detail) == (first.question_id, step, "named", "blurred")
        name = done.exchanges[0].row.question_id
    rows = current_selection(workspace, "physics").rows
    assert [row.rank for row in rows] == list(range(1, 41))
    assert next(row for row in rows if row.rank == first.rank).question_id == name


def test_levels_moved_by_review_break_quotas_and_are_mended(workspace: Workspace) -> None:
    questions = chosen(workspace)
    fives = [q for q in questions if level_of(workspace, q) == 5]
    said(workspace, "tagging", [tag(q, "difficulty", 4) for q in fives[:5]])
    found = certify_discipline(workspace, "physics").certificate
    assert found.changed["difficulty"] == 5 and found.origins["difficulty"]["review"] == 5
    broken = {rule.rule: rule for rule in found.broken}
    assert "difficulty:5" in broken and broken["difficulty:5"].hard
    assert broken["difficulty:5"].mended_by and not broken["difficulty:5"].why_not
    done = replace_for_rules(workspace, "physics")
    assert done.done and all(step.why == "rule" for step in done.done) and not done.failed
    assert certify_discipline(workspace, "physics").certificate.holds


def test_the_next_command_is_one_that_can_mend(workspace: Workspace) -> None:
    questions = chosen(workspace)
    certify = ["certify", "--workspace", str(workspace.root)]
    fives = [q for q in questions if level_of(workspace, q) == 5]
    said(workspace, "tagging", [tag(q, "difficulty", 4) for q in fives[:5]])
    assert "next: curate replace --mend" in CliRunner().invoke(curate, certify).output
    made = certify_discipline(workspace, "physics").certificate
    beyond_mending = [rule.model_copy(update={"mended_by": ()}) for rule in made.broken]
    command, words = what_mends([made.model_copy(update={"broken": tuple(beyond_mending)})])
    assert command == "curate problems" and "no exchange mends that" in words
    assert what_mends([made.model_copy(update={"broken": ()})]) == ("curate problems", "")


def test_a_new_selection_makes_old_replacements_stale(workspace: Workspace) -> None:
    name = current_selection(workspace, "physics").rows[0].question_id
    step = replace_named(workspace, "physics", [name]).done[0]
    joined = step.exchanges[0].row.question_id
    rows = read_records(workspace.selection("physics"), SelectionRow)
    without = [row for row in rows if row.question_id != name]
    write_records(workspace.selection("physics"), without, SelectionRow)
    current = current_selection(workspace, "physics")
    assert [(s.leaves, s.joins, s.why) for s in current.stale] == [(name, joined, "not-selected")]
    assert joined not in {row.question_id for row in current.rows}
    both = [*rows, rows[0].model_copy(update={"question_id": joined, "rank": 41})]
    assert applied(both, [step]).stale[0].why == "already-selected"


def test_choosing_anew_leaves_out_what_was_replaced(workspace: Workspace) -> None:
    name = current_selection(workspace, "physics").rows[0].question_id
    replace_named(workspace, "physics", [name])
    workspace.selection("physics").with_name("physics.parquet.manifest.json").unlink()
    made = choose_representatives(workspace, "physics", workers=1)
    assert made.certificate.left_out["replaced"] == 1
    current = current_selection(workspace, "physics")
    assert name not in {row.question_id for row in current.rows}
    assert len(current.stale) == 1


def test_a_log_torn_by_a_kill_loses_its_last_step_alone(workspace: Workspace) -> None:
    rows = current_selection(workspace, "physics").rows
    replace_named(workspace, "physics", [row.question_id for row in rows[:2]])
    log = workspace.replacements("physics")
    whole = log.read_bytes()
    log.write_bytes(whole[:-40])
    assert len(current_selection(workspace, "physics").applied) == 1
    replace_named(workspace, "physics", [rows[1].question_id])
    assert log.read_bytes() == whole


def test_the_command_names_what_it_cannot_replace_and_goes_on(workspace: Workspace) -> None:
    name = current_selection(workspace, "physics").rows[0].question_id
    runner = CliRunner()
    result = runner.invoke(curate, ["replace", "nothing", name, "--workspace", str(workspace.root), "--json"])
    assert result.exit_code == 1
    told = json.loads(result.stdout)["physics"]
    assert [one["reason"] for one in told["failed"]] == ["not-selected"]
    assert [step["exchanges"][0]["leaves"] for step in told["done"]] == [name]
    result = runner.invoke(curate, ["replace", "--workspace", str(workspace.root)])
    assert isinstance(result.exception, UsageError)
    assert len(Journal(workspace.replacements("physics")).read(Replacement)) == 1


def test_keep_takes_the_best_by_both_ratings_and_accounts_for_the_rest(workspace: Workspace) -> None:
    questions = chosen(workspace)
    verdicts = []
    for place, question in enumerate(questions):
        decision = "reject" if place < 2 else "fix" if place == 2 else "accept"
        verdicts += quality(question, decision, 1 + place % 5, 1 + place // 5 % 5)
    said(workspace, "quality", verdicts[:-3])  # nobody decided about the last one
    done = keep_discipline(workspace, "physics", 12, path_level=1)
    stations = {station.name: station for station in done.attrition.stations}
    assert [s.n for s in done.attrition.stations][-4:] == [40, 39, 36, 12]
    assert stations["accepted"].lost == {"rejected-in-review": 2, "to-be-mended": 1}
    for before, after in zip(done.attrition.stations, done.attrition.stations[1:], strict=False):
        assert after.n == before.n - sum(after.lost.values())
    kept = done.kept
    assert kept.bound >= kept.value - 1e-6
    assert kept.of_digest == selection_digest(current_selection(workspace, "physics", kept=False).rows)
    now = current_selection(workspace, "physics")
    assert {row.question_id for row in now.rows} == set(kept.question_ids)
    assert not set(kept.question_ids) & {q.id for q in questions[:3]}
    worst = sorted(done.kept.ratings.values())
    assert sum(worst) >= 12 * 5
    assert certify_discipline(workspace, "physics").certificate.n == 12
    assert not keep_discipline(workspace, "physics", 12, path_level=1).stage.ran
    replace_named(workspace, "physics", [now.rows[0].question_id])
    assert current_selection(workspace, "physics").stale_kept
    assert len(current_selection(workspace, "physics").rows) == 40
    assert kept_path(workspace, "physics").is_file()


def test_of_two_chosen_that_people_call_the_same_one_is_replaced(workspace: Workspace) -> None:
    one, two = (question.id for question in chosen(workspace)[:2])
    group = DuplicateGroup(
        item_id=group_item_id([one, two]), why="candidate", members=tuple(sorted((one, two))), digest="5" * 64
    )
    write_jsonl(written_for(workspace, "physics")[1], [group])
    about = {"job": "duplicates", "item_id": group.item_id, "digest": group.digest, "basis": "agreed"}
    values = {"relation": "same", "keep": two}
    said(
        workspace,
        "duplicates",
        [Verdict.model_validate({**about, "field": name, "value": value}) for name, value in values.items()],
    )
    turned = certify_discipline(workspace, "physics").certificate.turned
    assert [(t.question_id, t.reason) for t in turned] == [(one, "duplicate")]
    (step,) = replace_from_reviews(workspace, "physics").done
    assert (step.exchanges[0].leaves, step.why) == (one, "duplicate")
    values["relation"] = "different"
    said(
        workspace,
        "duplicates",
        [Verdict.model_validate({**about, "field": name, "value": value}) for name, value in values.items()],
    )
    assert certify_discipline(workspace, "physics").certificate.turned == ()


def test_people_see_what_broke_what_was_kept_and_where_it_stands(workspace: Workspace) -> None:
    questions = chosen(workspace)
    place = ["--workspace", str(workspace.root)]
    said(
        workspace,
        "quality",
        [v for q in questions for v in quality(q, "accept" if q is not questions[0] else "reject")],
    )
    runner = CliRunner()
    told = runner.invoke(curate, ["certify", *place])
    assert "39 of 40" in told.output and f"mended by {questions[0].id} -> " in told.output
    assert "next: curate replace --from-reviews" in told.output
    told = runner.invoke(curate, ["replace", "--from-reviews", *place])
    assert told.exit_code == 0 and questions[0].id in told.output
    told = runner.invoke(curate, ["keep", "--best", "10", "--path-level", "1", *place])
    assert told.exit_code == 0, told.output
    assert "not-among-the-best 29" in told.output and "(replaced on the way)" in told.output
    told = runner.invoke(status, [*place, "--json"])
    stages = {line["stage"]: line for line in json.loads(told.stdout)["stages"]}
    assert stages["replace physics"]["items"] == 1
    assert (stages["certify physics"]["state"], stages["keep physics"]["state"]) == ("stale", "done")


def test_too_few_accepted_is_named(workspace: Workspace) -> None:
    said(workspace, "quality", [v for q in chosen(workspace)[:5] for v in quality(q, "accept")])
    with pytest.raises(InfeasibleError, match="5 accepted and rated") as error:
        keep_discipline(workspace, "physics", 6)
    assert error.value.conflict == "too-few-accepted"
