"""Judging inside of a run: what cannot be read, what the next run asks anew, what a report says of a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchwright.schemas.records import ReleaseRow

Rows = Callable[..., ReleaseRow]
Command = Any  # the fixture `command` of conftest.py


def total(scores: dict[str, Any]) -> dict[str, Any]:
    (cell,) = [cell for cell in scores["cells"] if cell["by"] == []]
    return cell


def test_an_unreadable_judge_leaves_rows_unjudged_never_wrong(
    command: Command, release: Any, row: Rows, openai_server: Any
) -> None:
    judge_rules = [{"model": "judge", "match": "Item p0000", "answer": "Differ.\n[Inconsistent]"}]
    server = openai_server(
        {"rules": [*judge_rules, {"model": "judge", "answer": "Indeed 6."}, {"answer": "C"}]}
    )
    scores = command.json(
        *(
            release([row(f"p{i:04}") for i in range(4)]).folder,
            "--model",
            "openai/m",
            "--base-url",
            server.base_url,
        ),
        *("--judge", "llm", "--judge-model", "openai/judge", "--judge-base-url", server.base_url),
        code=1,
    )
    cell = total(scores)
    assert (cell["inconsistent"], cell["unjudged"], cell["n_scored"], cell["incomplete"]) == (1, 3, 1, True)
    assert scores["judging"]["reasons"]["judge-unparsable"] == 3


def test_a_judge_that_could_not_be_read_is_asked_anew_by_the_next_run(
    command: Command, release: Any, row: Rows, openai_server: Any, tmp_path: Path
) -> None:
    server = openai_server({"rules": [{"model": "judge", "answer": "Indeed 6."}, {"answer": "C"}]})
    ask = (
        *(
            release([row(f"p{i:04}") for i in range(2)]).folder,
            "--model",
            "openai/m",
            "--base-url",
            server.base_url,
        ),
        *("--judge", "llm", "--judge-model", "openai/judge", "--judge-base-url", server.base_url),
        *("--out", tmp_path / "run"),
    )
    for _ in range(2):
        server.requests.clear()
        assert total(command.json(*ask, code=1))["unjudged"] == 2
    # The tested model is not asked again; the judge is, twice for each row, and not read from the store of calls.
    assert [request.body["model"] for request in server.requests] == ["judge"] * 4
    server.use({"rules": [{"model": "judge", "answer": "Differ.\n[Inconsistent]"}]})
    server.requests.clear()
    assert total(command.json(*ask))["inconsistent"] == 2
    assert len(server.requests) == 2
    server.requests.clear()
    command.json(*ask)
    assert server.requests == []


def test_what_of_a_folder_cannot_be_used_is_said_by_reports_too(
    command: Command, release: Any, row: Rows, replay: Any, tmp_path: Path
) -> None:
    rows = [row(f"p{i:04}") for i in range(2)]
    model = replay({one.id: "B" for one in rows})
    out = tmp_path / "run"
    command(release(rows).folder, "--model", model, "--out", out)
    with (out / "responses.jsonl").open("a") as stream:
        stream.write("null\n")
    wanted = "1 unreadable lines were ignored"
    assert wanted in command("report", out)[1]
    quick = ("--no-charts", "--no-papers", "--no-viewer", "--out", tmp_path / "report")
    assert wanted in command("report", out, *quick)[1]
    command("generate", tmp_path / "release", "--model", model, "--out", tmp_path / "answers")
    assert "judged by nobody" in command("report", tmp_path / "answers", code=1)[0]


def test_rules_then_llm_asks_the_judge_only_what_the_rules_leave_open(
    command: Command, release: Any, row: Rows, replay: Any, openai_server: Any
) -> None:
    rows = [row(f"p{i:04}") for i in range(3)]
    model = replay(
        {rows[0].id: "B", rows[1].id: "C", rows[2].id: "Either way BC comes out as the second one."}
    )
    server = openai_server({"rules": [{"answer": "Same.\n[Consistent]"}]})
    scores = command.json(
        *(release(rows).folder, "--model", model, "--judge", "chain"),
        *("--judge-model", "openai/judge", "--judge-base-url", server.base_url),
    )
    assert len(server.requests) == 1
    assert scores["judging"]["decided_by"] == {"llm": 1, "rules": 2}
    assert total(scores)["consistent"] == 2
