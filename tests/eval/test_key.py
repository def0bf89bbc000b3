"""The API key appears nowhere: not in what is written, said, logged or thrown, whatever a server sends back."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.cli.evaluate import evaluate
from benchwright.cli.main import run_command
from benchwright.schemas.records import ReleaseRow

Rows = Callable[..., ReleaseRow]
Command = Any  # the fixture `command` of conftest.py
KEY, JUDGE_KEY = "sk-very-secret-4711-abcdef", "sk-judge-secret-0815-ghijkl"
ECHO = f"You sent Authorization: Bearer {KEY}"
LEAKS = [
    {"model": "judge", "match": "Take the answer apart", "answer": f"no JSON, but {JUDGE_KEY}"},
    {"model": "judge", "answer": f"Authorization: Bearer {JUDGE_KEY} agrees.\n[Consistent]"},
    {"match": "Item p00", "status": 401, "error": {"message": f"Incorrect API key provided: {KEY}"}},
    {"match": "Item p01", "status": 500, "error": {"message": ECHO, "type": ECHO, "code": ECHO}},
    {"match": "Item p02", "status": 400, "error": {"message": ECHO, "code": "content_policy_violation"}},
    {"match": "Item p03", "content": None, "refusal": ECHO},
    {"match": "Item p04", "answer": "B", "finish_reason": ECHO},
    {"match": "Item p05", "answer": "B", "think": ECHO},
    {"match": "Item p06", "answer": "B", "reasoning": ECHO},
    {"match": "Item p07", "status": 429, "retry_after": "0", "error": {"message": ECHO}},
    {"match": "Item p08", "raw": {"model": ECHO, "choices": [{"message": {"content": "B"}}]}},
    {"match": "Item p09", "raw": {"error": {"code": 503, "message": ECHO}}},
    {"answer": f"My key is {KEY}.\nAnswer: B"},
]


@pytest.fixture
def ask(release: Any, row: Rows, openai_server: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[object, ...]:
    """Arguments of a run whose server tells all it knows."""
    monkeypatch.setenv("SOME_KEY", KEY)
    monkeypatch.setenv("SOME_JUDGE_KEY", JUDGE_KEY)
    server = openai_server({"rules": LEAKS})
    folder = release([row(f"p{i:02}", version="knowledge-free") for i in range(12)]).folder
    return (
        *(folder, "--model", "openai/m", "--base-url", server.base_url, "--api-key-env", "SOME_KEY"),
        *("--attempts", 1, "--stop-above", 1),
    )


def judge_of(ask: tuple[object, ...]) -> tuple[object, ...]:
    base_url = ask[ask.index("--base-url") + 1]
    judge = ("--judge-model", "openai/judge", "--judge-base-url", base_url)
    return (*judge, "--judge-api-key-env", "SOME_JUDGE_KEY")


def check_clean(folder: Path, *said: str) -> None:
    """Neither key in any file below the folder nor in what was said."""
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert len(written) > 5
    for key in (KEY, JUDGE_KEY):
        for path in written:
            assert key.encode() not in path.read_bytes(), path
        assert not any(key in text for text in said)


def test_the_key_is_in_no_file_no_message_and_no_log(
    command: Command, ask: tuple[object, ...], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        both = command(*ask, *judge_of(ask), "--mode", "both", "--out", tmp_path / "runs", code=1)
        report = ("report", tmp_path / "runs/direct", tmp_path / "runs/cot", "--no-charts")
        shown = command(*report, "--out", tmp_path / "runs/report", code=1)
        made = command("generate", *ask, "--out", tmp_path / "runs/asked", code=1)
    assert caplog.records, "the SDK logs at this level"
    names = {path.name for path in (tmp_path / "runs").rglob("*")}
    assert {"calls.sqlite", "spec.json", "responses.jsonl", "judgements.jsonl", "steps.jsonl"} <= names
    assert {"predictions.jsonl", "spending.jsonl", "report.md", "index.html"} <= names
    check_clean(tmp_path / "runs", *both, *shown, *made, caplog.text)
    # What was taken out is marked, so the run really met it.
    assert "[key]" in (tmp_path / "runs/direct/responses.jsonl").read_text()
    assert "[key]" in (tmp_path / "runs/direct/judgements.jsonl").read_text()
    assert "[key]" in (tmp_path / "runs/cot/steps.jsonl").read_text()


def test_the_key_is_in_no_traceback_and_no_local_of_it(
    ask: tuple[object, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    (out / "spending.jsonl").mkdir(
        parents=True
    )  # no file to write to: after the calls, a real bug's traceback
    typed = [str(argument) for argument in (*ask, *judge_of(ask), "--out", out)]
    with pytest.raises(OSError) as caught:
        run_command(evaluate, "evaluate", typed)
    thrown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    text = "".join(thrown.format())
    assert "OpenAIClient('openai/m'" in text, "the client is among the locals"
    said = capsys.readouterr()
    check_clean(out, text, said.out, said.err)
