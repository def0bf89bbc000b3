"""Worked examples before a question: who is drawn, what is shown, and when it is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.eval.runs.dataset import Selection, open_dataset
from benchwright.eval.runs.shots import draw_shots, worked_solution
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import ReleaseRow, Split

Rows = Callable[..., ReleaseRow]
Command = Any  # the fixture `command` of conftest.py
TWO_SHOTS = ("--protocol", "visscience", "--mode", "cot", "--shots", 2)


def dev_rows(row: Rows, n: int, **fields: Any) -> list[ReleaseRow]:
    values = {"split": Split.DEV, "solution": "Because of the law of levers.", **fields}
    prefix = f"dev-{values.get('subject', 'mechanics')}-{values.get('language', 'en')}"
    return [row(f"{prefix}-{i}", **values) for i in range(n)]


def sent_turns(request: Any) -> list[tuple[str, str, int]]:
    """Role, text and number of pictures of each message of a request."""
    turns = []
    for message in request.body["messages"]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        text = "".join(part["text"] for part in parts if part["type"] == "text")
        turns.append((message["role"], text, sum(part["type"] == "image_url" for part in parts)))
    return turns


def test_examples_come_from_dev_with_the_same_subject_and_language_and_are_recorded(
    command: Command, release: Any, row: Rows, png: Any, openai_server: Any, tmp_path: Path
) -> None:
    pictures = [png(i) for i in range(12)]
    asked = [
        row("p0", images=[pictures[0]]),
        row("p1", subject="optics", images=[pictures[1]]),
        row("p2", language="zh", question="求 BC。", images=[pictures[2]]),
    ]
    dev = [
        *dev_rows(row, 4, images=[pictures[3]]),
        *dev_rows(row, 2, subject="optics", images=[pictures[4]]),
        *dev_rows(row, 3, language="zh", question="例题", images=[pictures[5]], solution="由杠杆原理。"),
    ]
    server = openai_server({"rules": [{"answer": "Answer: B"}]})
    folder = release([*asked, *dev], pictures).folder
    model = ("--model", "openai/m", "--base-url", server.base_url)
    scores = command.json(folder, *model, *TWO_SHOTS, "--out", tmp_path / "run")

    spec = json.loads((tmp_path / "run/spec.json").read_text())
    assert len(spec["shot_ids"]) == 6
    assert set(spec["shot_ids"]) <= {one.id for one in dev}
    # What is scored is what was asked for: no example is among it.
    assert next(cell for cell in scores["cells"] if cell["by"] == [])["n_total"] == 3
    lines = (tmp_path / "run/responses.jsonl").read_text().splitlines()
    assert {json.loads(line)["row_id"] for line in lines} == {"p0", "p1", "p2"}
    for request in server.requests:
        turns = sent_turns(request)
        assert [role for role, _, _ in turns] == ["user", "assistant", "user", "assistant", "user"]
        assert [count for _, _, count in turns] == [1, 0, 1, 0, 1]
    said = {
        row_id: next(r for r in server.requests if f"Item {row_id}:" in r.prompt) for row_id in ("p0", "p1")
    }
    assert "dev-optics" not in said["p0"].prompt
    assert said["p1"].prompt.count("dev-optics-en") == 2
    assert sent_turns(said["p0"])[1][1] == "Because of the law of levers.\n\nAnswer: B"
    chinese = next(r for r in server.requests if "求 BC" in r.prompt)
    assert sent_turns(chinese)[1][1] == "由杠杆原理。\n\n答案：B"
    digests = [hashlib.sha256(data).hexdigest() for _, data in chinese.images]
    assert digests == [hashlib.sha256(pictures[i]).hexdigest() for i in (5, 5, 2)]


def test_with_text_alone_the_examples_have_no_pictures_either(
    command: Command, release: Any, row: Rows, png: Any, openai_server: Any
) -> None:
    folder = release(
        [row("p0", images=[png(1)]), *dev_rows(row, 2, images=[png(2)])], [png(1), png(2)]
    ).folder
    server = openai_server({"rules": [{"answer": "Answer: B"}]})
    model = ("--model", "openai/m", "--base-url", server.base_url)
    _, err = command(folder, *model, *TWO_SHOTS, "--input", "Q")
    assert server.requests[0].images == []
    assert "1 of 1 rows have pictures, which are not sent" in err


def test_the_seed_fixes_the_draw_and_worked_examples_come_first(release: Any, row: Rows) -> None:
    dev = [
        *dev_rows(row, 5),
        row("dev-bare", split=Split.DEV),
        row("dev-unknown", split=Split.DEV, answer=None),
    ]
    folder = release([row("p0"), *dev]).folder
    resolved, data = open_dataset(str(folder), Selection())
    drawn = {seed: draw_shots(resolved, data, 2, seed).ids for seed in range(20)}
    assert drawn[3] == draw_shots(resolved, data, 2, 3).ids
    assert len(set(drawn.values())) > 3
    assert not any("dev-bare" in ids or "dev-unknown" in ids for ids in drawn.values())
    six = draw_shots(resolved, data, 6, 0).before(data.rows[0])
    assert six[-1].id == "dev-bare"
    assert worked_solution(six[-1]) == "Answer: B"


def test_an_example_is_never_of_a_problem_that_is_scored(release: Any, row: Rows) -> None:
    twin = row("p0:dev", split=Split.DEV, solution="Told.")  # the same problem as p0:test
    folder = release([row("p0:test"), twin, *dev_rows(row, 2)]).folder
    resolved, data = open_dataset(str(folder), Selection())
    for seed in range(10):
        assert "p0:dev" not in draw_shots(resolved, data, 2, seed).ids


def test_two_examples_are_of_two_problems(release: Any, row: Rows) -> None:
    same = [row(f"q0:{i}", split=Split.DEV, solution="Told.") for i in range(3)]
    folder = release([row("p0"), *same]).folder
    resolved, data = open_dataset(str(folder), Selection())
    with pytest.raises(UsageError, match="has 1 examples for physics, mechanics, en, original"):
        draw_shots(resolved, data, 2, 0)


@pytest.mark.parametrize(
    ("dev", "more", "words"),
    [
        (0, TWO_SHOTS, "takes its examples from the dev split and"),
        (1, TWO_SHOTS, "has 1 examples for physics, mechanics, en, original"),
        (2, ("--shots", 2), "part of VisScience's chain of thought"),
        (
            2,
            ("--protocol", "sciverse", "--mode", "cot", "--shots", 2),
            "part of VisScience's chain of thought",
        ),
        (2, (*TWO_SHOTS, "--input", "I"), "blind baseline without any text"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_one_sentence(
    command: Command, release: Any, row: Rows, replay: Any, dev: int, more: tuple[object, ...], words: str
) -> None:
    folder = release([row("p0"), *dev_rows(row, dev)]).folder
    judge = (
        ("--judge-model", "openai/j", "--judge-base-url", "http://127.0.0.1:9/v1")
        if "sciverse" in more
        else ()
    )
    out, err = command(folder, "--model", replay({"p0": "B"}), *more, *judge, code=2)
    assert words in err
    assert out == ""
    assert len(err.strip().splitlines()) == 1
