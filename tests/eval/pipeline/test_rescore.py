"""`evaluate rescore`: another judge, newer rules, an errata release; the tested model is never asked again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.eval.judges.judge_rules import RULES_VERSION
from benchwright.eval.pipeline.rescore import read_origin
from benchwright.eval.runs.store import RunFolder
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.status import Outcome

Rows = Callable[..., ReleaseRow]
TESTED = {"model": "tested", "match": r"Item p000[0-3]", "answer": "Answer: B"}
OTHER = {"model": "tested", "answer": "Answer: C"}
STRICT = {"model": "judge", "answer": "No.\n[Inconsistent]"}


def total(scores: dict[str, Any]) -> dict[str, Any]:
    (cell,) = [cell for cell in scores["cells"] if cell["by"] == []]
    return cell


@pytest.fixture
def ran(command: Any, release: Any, row: Rows, openai_server: Any, tmp_path: Path) -> tuple[Any, Path, list]:
    """Eight rows; the first four answered rightly. The server, the run's folder, the rows."""
    rows = [row(f"p{i:04}") for i in range(8)]
    server = openai_server({"rules": [TESTED, OTHER, STRICT]})
    out = tmp_path / "run"
    command(release(rows).folder, "--model", "openai/tested", "--base-url", server.base_url, "--out", out)
    assert len(server.requests) == 8
    return server, out, rows


def judge(server: Any) -> tuple[str, ...]:
    return ("--judge-model", "openai/judge", "--judge-base-url", server.base_url)


def test_another_judge_sees_the_stored_answers_and_both_scores_are_shown(
    command: Any, ran: tuple[Any, Path, list], tmp_path: Path
) -> None:
    server, out, _ = ran
    before = {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
    shown = command("rescore", out, *judge(server), "--out", tmp_path / "shown")[0]
    assert "p0000" in shown and "consistent" in shown and "50.0" in shown
    found = command.json("rescore", out, *judge(server), "--out", tmp_path / "new")
    assert {request.body["model"] for request in server.requests[8:]} == {"judge"}
    (spent,) = json.loads((tmp_path / "new/spending.jsonl").read_text())["spending"]
    assert (spent["stage"], spent["model"]) == ("judge", "openai/judge")
    assert (total(found["before"])["consistent"], total(found["after"])["consistent"]) == (4, 0)
    changed = found["rescored"]["changed"]
    assert [one["row_id"] for one in changed] == [f"p{i:04}" for i in range(4)]
    assert (
        changed[0]["before"]["outcome"] == "consistent" and changed[0]["after"]["outcome"] == "inconsistent"
    )
    assert found["changes"] == {"consistent -> inconsistent": 4}
    assert (found["rescored"]["rows"], found["rescored"]["carried"]) == ({"same": 8}, 8)
    assert {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()} == before
    new = RunFolder(tmp_path / "new")
    assert new.spec().judge.kind == "llm" and new.spec().model == RunFolder(out).spec().model
    stored = (out / "responses.jsonl").read_bytes().splitlines(keepends=True)
    by_row = sorted(stored, key=lambda line: json.loads(line)["row_id"])
    assert new.responses.path.read_bytes() == b"".join(by_row)
    assert read_origin(new).rescored_from == RunFolder(out).spec().run_id


def test_an_errata_release_judges_anew_only_what_it_changed(
    command: Any, ran: tuple[Any, Path, list], release: Any, row: Rows, tmp_path: Path
) -> None:
    server, out, rows = ran
    corrected = [
        row("p0000", answer="C"),  # the key was wrong: judged again
        row("p0001", question="Mended: find BC."),  # asks something else: not run
        *rows[2:6],
        row("p0006", answer="C"),
        row("p0009"),  # was not there before; p0007 is gone
    ]
    found = command.json(
        "rescore",
        out,
        "--release",
        release(corrected, name="errata").folder,
        "--out",
        tmp_path / "new",
        code=1,
    )
    assert len(server.requests) == 8
    assert found["rescored"]["rows"] == {
        "asked-changed": 1,
        "gone": 1,
        "key-changed": 2,
        "new": 1,
        "same": 4,
    }
    assert (found["rescored"]["carried"], found["rescored"]["verdicts_kept"]) == (6, 4)
    cell = total(found["after"])
    assert (cell["n_total"], cell["consistent"], cell["inconsistent"], cell["not_run"]) == (8, 3, 3, 2)
    changes = {
        one["row_id"]: (one["row"], one["before"], one["after"]) for one in found["rescored"]["changed"]
    }
    assert set(changes) == {"p0000", "p0001", "p0006", "p0007", "p0009"}
    assert changes["p0000"][1]["outcome"] == "consistent" and changes["p0000"][2]["outcome"] == "inconsistent"
    assert changes["p0006"][2]["outcome"] == "consistent"
    assert changes["p0001"][0] == "asked-changed" and changes["p0001"][2]["outcome"] == "not-run"
    assert changes["p0007"][2] is None and changes["p0009"][1] is None
    report = (tmp_path / "new" / "report.md").read_text()
    assert "- rescored: 6 answers come from run `" in report
    assert "judged there by rules, rules version" in report
    assert "1 rows ask something else now and lost their answers" in report and "1 rows are gone" in report
    # A run over the corrected release asks just what is missing, in the folder that was rescored.
    base = ("--model", "openai/tested", "--base-url", server.base_url, "--out", tmp_path / "new")
    finished = command.json(tmp_path / "errata", *base)
    assert len(server.requests) == 10
    assert (finished["reused"], finished["complete"]) == (6, True)


def test_a_part_of_the_rows_stays_that_part(
    command: Any, ran: tuple[Any, Path, list], release: Any, row: Rows, tmp_path: Path
) -> None:
    server, _, rows = ran
    part = tmp_path / "part"
    base = ("--model", "openai/tested", "--base-url", server.base_url)
    command(tmp_path / "release", *base, "--limit", 3, "--out", part)
    corrected = [row("p0000", answer="C"), *rows[1:]]
    errata = release(corrected, name="errata").folder
    found = command.json("rescore", part, "--release", errata, "--out", tmp_path / "new")
    assert (total(found["after"])["n_total"], found["after"]["partial"]) == (3, True)
    with_none = release([row("p0100")], name="other").folder
    _, err = command("rescore", part, "--release", with_none, "--out", tmp_path / "x", code=2)
    assert "has none of the 3 rows" in err


def test_verdicts_of_older_rules_are_made_anew_by_todays(
    command: Any, ran: tuple[Any, Path, list], tmp_path: Path
) -> None:
    server, out, _ = ran
    folder = RunFolder(out)
    # The run as older rules would have left it: another version in the specification, one verdict that was wrong.
    judge_then = folder.spec().judge.model_copy(update={"rules_version": 0})
    then = folder.spec().model_copy(update={"judge": judge_then})
    folder.spec_path.write_text(canonical_json(then) + "\n")
    known = folder.load(folder.rows()).judgements
    wrong = known["p0000"].model_copy(update={"outcome": Outcome.INCONSISTENT, "rules": Outcome.INCONSISTENT})
    write_jsonl(folder.judgements.path, [wrong, *(j for j in known.values() if j.row_id != "p0000")])
    found = command.json("rescore", out, "--out", tmp_path / "new")
    assert len(server.requests) == 8
    assert found["rescored"]["from_judge"]["rules_version"] == 0
    assert RunFolder(tmp_path / "new").spec().judge.rules_version == RULES_VERSION
    assert (found["rescored"]["verdicts_kept"], found["changes"]) == (0, {"inconsistent -> consistent": 1})
    assert (total(found["before"])["consistent"], total(found["after"])["consistent"]) == (3, 4)


def test_what_would_change_nothing_and_what_is_there_already_are_refused(
    command: Any, ran: tuple[Any, Path, list], tmp_path: Path
) -> None:
    server, out, _ = ran
    assert "name another judge or release" in command("rescore", out, code=2)[1]
    unpriced = ("--budget", "0.01", "--out", tmp_path / "dear")
    assert "its price is unknown" in command("rescore", out, *judge(server), *unpriced, code=2)[1]
    assert not (tmp_path / "dear").exists()
    assert "is no run folder" in command("rescore", tmp_path, *judge(server), code=2)[1]
    model = ("--model", "openai/tested", "--base-url", server.base_url)
    command(tmp_path / "release", *model, *judge(server), "--out", tmp_path / "judged")
    again = command("rescore", out, *judge(server), "--out", tmp_path / "judged", code=2)[1]
    assert "a run with just these settings already" in again


def test_rescoring_again_continues_and_asks_nothing_twice(
    command: Any, ran: tuple[Any, Path, list], tmp_path: Path
) -> None:
    server, out, _ = ran
    server.use({"rules": [{"model": "judge", "match": "p000[0-4]", "status": 500}, STRICT]})
    more = (*judge(server), "--attempts", 1, "--out", tmp_path / "new")
    first = command.json("rescore", out, *more, code=1)
    assert total(first["after"])["unjudged"] == 5
    sent = len(server.requests)
    server.use({"rules": [STRICT]})
    second = command.json("rescore", out, *more)
    assert len(server.requests) - sent == 5
    assert total(second["after"])["inconsistent"] == 8
    content = {path.name: path.read_bytes() for path in (tmp_path / "new").glob("*.json")}
    command("rescore", out, *more)
    assert {path.name: path.read_bytes() for path in (tmp_path / "new").glob("*.json")} == content


def test_the_runs_own_judge_is_opened_again_for_an_errata_release(
    command: Any, ran: tuple[Any, Path, list], release: Any, row: Rows, tmp_path: Path
) -> None:
    server, out, rows = ran
    command("rescore", out, *judge(server), "--out", tmp_path / "judged")
    sent = len(server.requests)
    errata = release([row("p0000", answer="C"), *rows[1:]], name="errata").folder
    found = command.json("rescore", tmp_path / "judged", "--release", errata, "--out", tmp_path / "new")
    assert [request.body["model"] for request in server.requests[sent:]] == ["judge"]
    assert found["rescored"]["verdicts_kept"] == 7


SPLIT = {
    "match": "Take the answer apart",
    "json": {"steps": [{"quote": "Pythagoras holds.", "kind": "K"}, {"quote": "Answer: B", "kind": "L"}]},
}


def marks(knowledge: int, logic: int) -> dict[str, Any]:
    scores = [{"reason": "r", "step": 1, "score": knowledge}, {"reason": "r", "step": 2, "score": logic}]
    return {"json": {"scores": scores}}


def test_scored_steps_are_scored_anew_by_another_model(
    command: Any, release: Any, row: Rows, openai_server: Any, tmp_path: Path
) -> None:
    rows = [row(f"p{i:04}", version="knowledge-free") for i in range(3)]
    tested = {"model": "tested", "answer": "Pythagoras holds.\nAnswer: B"}
    first = {"model": "judge", **marks(1, 1)}
    other = [{"model": "other", "match": "p0001", **marks(1, 1)}, {"model": "other", **marks(1, 0)}]
    server = openai_server({"rules": [tested, SPLIT, first, *other]})
    base = ("--base-url", server.base_url, "--judge-base-url", server.base_url)
    asked = (release(rows).folder, "--model", "openai/tested", "--protocol", "sciverse", "--mode", "cot")
    command(
        *asked, *base, "--judge-model", "openai/judge", "--steps-see", "answer", "--out", tmp_path / "run"
    )
    sent = len(server.requests)
    named = ("--judge-model", "openai/other", "--judge-base-url", server.base_url)
    found = command.json("rescore", tmp_path / "run", *named, "--out", tmp_path / "new")
    assert {request.body["model"] for request in server.requests[sent:]} == {"other"}
    changed = found["rescored"]["changed"]
    assert [one["row_id"] for one in changed] == ["p0000", "p0002"]
    assert (changed[0]["before"]["right_steps"], changed[0]["after"]["right_steps"]) == (
        "1/1 K, 1/1 L",
        "1/1 K, 0/1 L",
    )
    spec = RunFolder(tmp_path / "new").spec()
    assert (spec.judge, spec.steps.see, spec.steps.model.name) == (None, ("answer",), "openai/other")
    assert "needs a judging model" in command("rescore", tmp_path / "run", "--judge", "llm", code=2)[1]
    more = ("--steps-see", "answer,image", "--out", tmp_path / "seeing")
    seeing = command.json("rescore", tmp_path / "run", *named, *more)
    assert seeing["after"]["spec"]["steps"]["see"] == ["answer", "image"]


def test_the_users_own_words_for_the_judge_stay_and_idle_options_are_refused(
    command: Any, ran: tuple[Any, Path, list], release: Any, row: Rows, tmp_path: Path
) -> None:
    server, out, rows = ran
    assert "has no scored steps" in command("rescore", out, "--steps-see", "image", code=2)[1]
    mine = tmp_path / "mine"
    mine.mkdir()
    form = "MY WORDS {{nonce}} {{question}} {{answer}} {{response}} [Consistent] or [Inconsistent]"
    (mine / "judge.en.txt").write_text(form)
    command("rescore", out, *judge(server), "--judge-prompts", mine, "--out", tmp_path / "judged")
    sent = len(server.requests)
    errata = release([row("p0000", answer="C"), *rows[1:]], name="errata").folder
    command("rescore", tmp_path / "judged", "--release", errata, "--out", tmp_path / "new")
    (request,) = server.requests[sent:]
    assert request.prompt.startswith("MY WORDS")
