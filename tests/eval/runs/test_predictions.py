"""Asking and scoring apart: a predictions file without answers, and the same scores as a run that does both."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.schemas.records import ReleaseRow

Rows = Callable[..., ReleaseRow]
Command = Any  # the fixture `command` of conftest.py


def total(scores: dict[str, Any]) -> dict[str, Any]:
    (cell,) = [cell for cell in scores["cells"] if cell["by"] == []]
    return cell


@pytest.fixture
def rows(row: Rows) -> list[ReleaseRow]:
    return [row(f"p{i:02}", answer="ABCD"[i % 4], solution=f"SOLUTION-{i}") for i in range(12)]


@pytest.fixture
def withheld(rows: list[ReleaseRow]) -> list[ReleaseRow]:
    return [one.model_copy(update={"answer": None, "solution": None}) for one in rows]


@pytest.fixture
def server(openai_server: Any) -> Any:
    judge = {
        "model": "judge",
        "judge": {"ground": r"Reference answer:\n(\w)", "reply": r"begins -----\nAnswer: (\w)"},
    }
    split = {"steps": [{"quote": "Answer:", "kind": "L"}]}
    steps = [
        {"model": "judge", "match": "Take the answer apart", "json": split},
        {"model": "judge", "match": "Mark every step", "json": {"scores": [{"step": 1, "score": 1}]}},
    ]
    return openai_server({"rules": [*steps, judge, {"letter": 3}]})


def asking(server: Any) -> tuple[str, ...]:
    return ("--model", "openai/m", "--base-url", server.base_url)


def judging(server: Any) -> tuple[str, ...]:
    return ("--judge-model", "openai/judge", "--judge-base-url", server.base_url)


@pytest.mark.parametrize(
    ("protocol", "mode", "judged"),
    [("visscience", "direct", False), ("visscience", "cot", True), ("sciverse", "cot", True)],
)
def test_generate_and_score_end_with_the_bytes_of_a_run(
    command: Command,
    release: Any,
    rows: list[ReleaseRow],
    server: Any,
    tmp_path: Path,
    protocol: str,
    mode: str,
    judged: bool,
) -> None:
    folder = release(rows).folder
    way = (*asking(server), "--protocol", protocol, "--mode", mode)
    judge = judging(server) if judged else ()
    whole = command.json(folder, *way, *judge, "--out", tmp_path / "whole")
    made = command.json("generate", folder, *way, "--out", tmp_path / "asked")
    asked = len(server.requests)
    (run,) = made["runs"]
    assert run["statuses"] == {"ok": 12}
    apart = command.json(
        "score", run["predictions"], "--answers", folder, *judge, "--out", tmp_path / "apart"
    )
    assert {r.body["model"] for r in server.requests[asked:]} == ({"judge"} if judged else set())
    assert apart["run_id"] == whole["run_id"]
    for name in ("scores.json", "report.md", "spec.json", "rows.jsonl"):
        assert (tmp_path / "apart" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


def test_withheld_answers_are_asked_without_and_scored_from_a_file(
    command: Command,
    release: Any,
    rows: list[ReleaseRow],
    withheld: list[ReleaseRow],
    server: Any,
    tmp_path: Path,
) -> None:
    public, private = release(withheld, name="public").folder, release(rows, name="private").folder
    _, err = command(public, *asking(server), code=2)
    assert "evaluate generate" in err
    predictions = tmp_path / "answers-of-m.jsonl"
    command("generate", public, *asking(server), "--predictions", predictions)
    text = predictions.read_text()
    assert json.loads(text.splitlines()[0])["predictions"] == 1
    assert len(text.splitlines()) == 13
    assert "SOLUTION" not in text

    known = tmp_path / "key.jsonl"
    known.write_text("".join(json.dumps({"id": one.id, "answer": one.answer}) + "\n" for one in rows))
    csv = tmp_path / "key.csv"
    csv.write_text("id,answer,unit\n" + "".join(f"{one.id},{one.answer},\n" for one in rows))
    whole = total(command.json(private, *asking(server)))
    for answers in (known, csv):
        scores = command.json("score", predictions, "--answers", answers, "--dataset", public)
        assert total(scores) == whole
        assert scores["spec"]["dataset"]["answers"] is not None
    # The rows of a release that has the answers do as well, though its digest is another.
    assert total(command.json("score", predictions, "--answers", private)) == whole


def test_rows_whose_answers_stay_public_need_none_in_the_file(
    command: Command,
    release: Any,
    rows: list[ReleaseRow],
    withheld: list[ReleaseRow],
    server: Any,
    tmp_path: Path,
) -> None:
    public, private = release([*rows[:4], *withheld[4:]], name="public").folder, release(rows).folder
    predictions, known = tmp_path / "answers-of-m.jsonl", tmp_path / "key.jsonl"
    command("generate", public, *asking(server), "--predictions", predictions)
    lines = [json.dumps({"id": one.id, "answer": one.answer}) + "\n" for one in rows[4:]]
    known.write_text("".join(lines))
    score = ("score", predictions, "--answers", known, "--dataset", public)
    assert total(command.json(*score)) == total(command.json(private, *asking(server)))
    known.write_text("".join(lines[1:]))
    _, err = command(*score, code=2)
    assert f"the answers lack 1 of 12 rows that were asked, {rows[4].id} among them" in err


def test_answers_of_rows_that_changed_since_do_not_count(
    command: Command, release: Any, row: Rows, rows: list[ReleaseRow], server: Any, tmp_path: Path
) -> None:
    made = command.json("generate", release(rows).folder, *asking(server))
    later = release([row("p00", question="Mended."), *rows[1:]], name="later").folder
    scores = command.json("score", made["runs"][0]["predictions"], "--answers", later, code=1)
    assert (total(scores)["not_run"], total(scores)["n_total"], scores["complete"]) == (1, 12, False)
    assert any("1 rows that have changed" in note for note in scores["notes"])


def test_what_failed_stays_not_run_and_a_second_generate_redoes_just_that(
    command: Command, release: Any, rows: list[ReleaseRow], server: Any, tmp_path: Path
) -> None:
    folder = release(rows).folder
    script = dict(server._server.state.script)
    server.use({"rules": [{"match": "Item p0[0-2]", "status": 500}, *script["rules"]]})
    ask = ("generate", folder, *asking(server), "--attempts", 1, "--out", tmp_path / "asked")
    _, err = command(*ask, code=1)
    assert "3 of 12 rows have no final answer (3 error)" in err
    assert "3 of 12 calls for answers failed: HTTP 500" in err
    path = tmp_path / "asked/predictions.jsonl"
    _, err = command("score", path, "--answers", folder, "--out", tmp_path / "first", code=1)
    assert "Run evaluate generate again" in err
    scores = command.json("score", path, "--answers", folder, "--out", tmp_path / "scored", code=1)
    assert (total(scores)["not_run"], scores["statuses"]["error"]) == (3, 3)
    server.use(script)
    sent = len(server.requests)
    command(*ask, "--resume")
    assert len(server.requests) - sent == 3
    mended = command.json("score", path, "--answers", folder, "--out", tmp_path / "scored")
    assert total(mended)["not_run"] == 0


def test_a_guessers_answers_are_decided_by_the_rules_whoever_is_named(
    command: Command, release: Any, rows: list[ReleaseRow], server: Any, tmp_path: Path
) -> None:
    folder = release(rows).folder
    _, err = command(folder, "--model", "baseline/random", "--judge", "llm", "--out", tmp_path / "whole")
    assert "the rules decide; no other judge is asked" in err
    made = command.json("generate", folder, "--model", "baseline/random", "--out", tmp_path / "asked")
    score = ("score", made["runs"][0]["predictions"], "--answers", folder, "--judge", "llm", *judging(server))
    _, err = command(*score, "--out", tmp_path / "apart")
    assert "the rules decide; no other judge is asked" in err
    assert server.requests == []
    for name in ("scores.json", "spec.json"):
        assert (tmp_path / "apart" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


def test_other_answers_never_take_the_place_of_those_of_a_run(
    command: Command, release: Any, rows: list[ReleaseRow], server: Any, tmp_path: Path
) -> None:
    folder = release(rows).folder
    command("run", folder, *asking(server), "--out", tmp_path / "run")
    before = (tmp_path / "run/responses.jsonl").read_bytes()
    made = command.json("generate", folder, *asking(server), "--out", tmp_path / "asked")
    path = Path(made["runs"][0]["predictions"])
    path.write_text(path.read_text().replace("Answer: A", "Answer: B"))
    _, err = command("score", path, "--answers", folder, "--out", tmp_path / "run", code=2)
    assert "holds other answers of the same run" in err
    assert (tmp_path / "run/responses.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("predictions", "answers", "words"),
    [
        ("{good}", "{folder}/../nowhere", "There is no folder"),
        ("{folder}/none.jsonl", "{folder}", "cannot be read"),
        ("{key}", "{folder}", "is no predictions file"),
        ("{good}", "{key}", "name it with --dataset"),
        ("{good}", "{short} --dataset {folder}", "the answers lack 11 of 12 rows"),
        ("{good}", "{typed} --dataset {folder}", "answer 1: answer: Input should be a valid string"),
        ("{double}", "{folder}", "two answers to row p00"),
    ],
)
def test_what_cannot_be_scored_is_refused_in_one_sentence(
    command: Command,
    release: Any,
    rows: list[ReleaseRow],
    replay: Any,
    tmp_path: Path,
    predictions: str,
    answers: str,
    words: str,
) -> None:
    folder = release(rows).folder
    made = command.json("generate", folder, "--model", replay({one.id: "A" for one in rows}))
    good = Path(made["runs"][0]["predictions"])
    texts = {
        "key": json.dumps({"id": "p00", "answer": "A"}) + "\n",
        "short": json.dumps({"id": "p00", "answer": "A"}) + "\n",
        "typed": json.dumps({"id": "p00", "answer": 2.5}) + "\n",
        "double": good.read_text() + good.read_text().splitlines()[1] + "\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.jsonl").write_text(text)
    places = {name: tmp_path / f"{name}.jsonl" for name in texts} | {"good": good, "folder": folder}
    typed = ["score", predictions.format(**places), "--answers", *answers.format(**places).split()]
    out, err = command(*typed, code=2)
    assert words in err
    assert out == ""
    assert len([line for line in err.splitlines() if line]) == 1, err
