"""The ways of asking: protocols, modes, repetitions, inputs, a user's own prompts, a budget."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.schemas.records import ReleaseRow

Rows = Callable[..., ReleaseRow]
Command = Any  # the fixture `command` of conftest.py
STEPS = {"steps": [{"quote": "The law of levers holds.", "kind": "K"}]}
JUDGE_RULES = [
    {"model": "judge", "match": "Take the answer apart", "json": STEPS},
    {"model": "judge", "match": "Mark every step", "json": {"scores": [{"step": 1, "score": 1}]}},
    {"model": "judge", "answer": "They agree.\n[Consistent]"},
]
REPLY = {"answer": "The law of levers holds.\nAnswer: B"}


def asking(server: Any) -> tuple[str, ...]:
    return ("--model", "openai/m", "--base-url", server.base_url)


def judging(server: Any) -> tuple[str, ...]:
    return ("--judge-model", "openai/judge", "--judge-base-url", server.base_url)


def spec_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "spec.json").read_text())
    return found


def asked(server: Any) -> list[Any]:
    return [request for request in server.requests if request.body["model"] == "m"]


def test_both_modes_and_repetitions_are_runs_of_their_own(
    command: Command, release: Any, row: Rows, openai_server: Any, tmp_path: Path
) -> None:
    (tmp_path / "benchwright.toml").write_text('[benchmark]\nname = "b"\n[disciplines.physics]\n')
    folder = release([row(f"p{i}") for i in range(3)]).folder
    server = openai_server({"rules": [REPLY]})
    ask = (folder, *asking(server), "--mode", "both", "--repeats", 2, "--seed", 5, "--out", tmp_path / "runs")
    out, _ = command(*ask)
    names = ["direct", "direct-1", "cot", "cot-1"]
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == sorted(names)
    assert "next: evaluate report " + " ".join(str(tmp_path / "runs" / name) for name in names) in out
    specs = [spec_of(tmp_path / "runs" / name) for name in names]
    assert [(spec["mode"], spec["sample"]) for spec in specs] == [
        ("direct", 0),
        ("direct", 1),
        ("cot", 0),
        ("cot", 1),
    ]
    assert [spec["sampling"]["seed"] for spec in specs] == [5, 6, 5, 6]
    # One store of calls, and yet every repetition is asked for itself.
    assert len(server.requests) == 4 * 3
    assert sum("clear, complete solutions" in request.prompt for request in server.requests) == 2 * 3
    command(*ask)
    assert len(server.requests) == 4 * 3


def test_repetitions_without_a_seed_are_asked_too(
    command: Command, release: Any, row: Rows, openai_server: Any, tmp_path: Path
) -> None:
    (tmp_path / "benchwright.toml").write_text('[benchmark]\nname = "b"\n[disciplines.physics]\n')
    server = openai_server({"rules": [REPLY]})
    scores = command.json(release([row("p0")]).folder, *asking(server), "--repeats", 3)
    assert len(server.requests) == 3
    assert len({run["run_id"] for run in scores["runs"]}) == 3


def test_sciverse_takes_accuracy_from_direct_answers_and_steps_from_reasoning(
    command: Command, release: Any, row: Rows, openai_server: Any, tmp_path: Path
) -> None:
    versions = ("knowledge-free", "knowledge-lite", "original")
    rows = [row(f"p{i}:{version}", version=version) for i in range(2) for version in versions]
    server = openai_server({"rules": [*JUDGE_RULES, REPLY]})
    ask = (
        release(rows).folder,
        *asking(server),
        *judging(server),
        "--protocol",
        "sciverse",
        "--mode",
        "both",
    )
    command(*ask, "--out", tmp_path / "runs")
    direct, cot = spec_of(tmp_path / "runs/direct"), spec_of(tmp_path / "runs/cot")
    assert (direct["judge"]["kind"], direct["steps"]) == ("llm", None)
    assert (cot["judge"], cot["steps"]["model"]["name"]) == (None, "openai/judge")
    # The protocol's versions, not the original beside them.
    assert direct["dataset"]["versions"] == ["knowledge-free", "knowledge-lite"]
    assert len(asked(server)) == 2 * 4
    assert (tmp_path / "runs/direct/judgements.jsonl").exists()
    assert not (tmp_path / "runs/direct/steps.jsonl").exists()
    assert len((tmp_path / "runs/cot/steps.jsonl").read_text().splitlines()) == 4
    assert not (tmp_path / "runs/cot/judgements.jsonl").exists()


def test_the_protocols_versions_unless_others_are_named(
    command: Command, release: Any, row: Rows, openai_server: Any
) -> None:
    folder = release([row("p0:o"), row("p0:f", version="knowledge-free")]).folder
    server = openai_server({"rules": [REPLY]})
    named = command.json(folder, *asking(server), "--protocol", "visscience")
    assert named["spec"]["dataset"]["versions"] == ["original"]
    other = command.json(folder, *asking(server), "--protocol", "visscience", "--versions", "knowledge-free")
    assert (other["spec"]["protocol"], other["spec"]["dataset"]["versions"]) == (
        "visscience",
        ["knowledge-free"],
    )
    every = command.json(folder, *asking(server))
    assert (every["spec"]["protocol"], every["spec"]["dataset"]["rows"]) == ("sciverse", 2)


def test_a_users_prompts_make_another_run_and_are_recorded_as_theirs(
    command: Command, release: Any, row: Rows, openai_server: Any, tmp_path: Path
) -> None:
    folder = release([row("p0")]).folder
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/visscience-direct.en.txt").write_text("Please solve this {{discipline}} problem.")
    server = openai_server({"rules": [REPLY]})
    ours = command.json(folder, *asking(server))
    mine = command.json(folder, *asking(server), "--prompts", tmp_path / "mine")
    assert server.requests[-1].prompt.startswith("Please solve this physics problem.\n\nItem p0")
    assert (ours["spec"]["prompts_of"], mine["spec"]["prompts_of"]) == ("benchwright", "user")
    assert mine["spec"]["prompts"][0]["name"] == "visscience-direct.en.user"
    assert ours["run_id"] != mine["run_id"]


def test_a_users_words_for_the_judge_are_used_and_recorded_as_theirs(
    command: Command, release: Any, row: Rows, openai_server: Any, tmp_path: Path
) -> None:
    folder = release([row("p0")]).folder
    mine = tmp_path / "judge.en.txt"
    text = (
        "As a {{discipline}} teacher say [Consistent] or [Inconsistent]: {{question}} {{answer}} {{response}}"
    )
    mine.write_text(text)
    server = openai_server({"rules": [*JUDGE_RULES, REPLY]})
    judged = (folder, *asking(server), *judging(server))
    ours = command.json(*judged)
    theirs = command.json(*judged, "--judge-prompts", tmp_path)
    asked_judge = [request.prompt for request in server.requests if request.body["model"] == "judge"]
    assert asked_judge[1].startswith("As a physics teacher say [Consistent] or [Inconsistent]: Item p0")
    assert asked_judge[0] != asked_judge[1]
    own = {prompt["name"]: prompt["text"] for prompt in theirs["spec"]["judge"]["prompts"]}
    assert own["judge.en.user"] == text
    assert ours["run_id"] != theirs["run_id"]
    for words, wrong in (
        ("lacks {{response}}", text[:-12]),
        ("has to ask for", text.replace("[Consistent]", "")),
    ):
        mine.write_text(wrong)
        _, err = command(*judged, "--judge-prompts", tmp_path, code=2)
        assert words in err


@pytest.mark.parametrize(
    ("version", "more", "words"),
    [
        ("vision-only", ("--input", "Q"), "vision-only ask with the picture"),
        ("vision-rich", ("--input", "Q"), "vision-rich ask with the picture"),
        ("knowledge-free", ("--mode", "cot"), "scored by a model, step after step"),
        ("knowledge-free", ("--mode", "both"), "scored by a model, step after step"),
        ("original", ("--steps-see", "answer"), "no run here does that"),
        ("original", ("--min-step-coverage", "0.5"), "no run here does that"),
        ("original", ("--budget", "plenty"), "no amount of US dollars"),
        ("original", ("--budget", "1"), "price"),
        ("original", ("--downscale-images",), "with --image-limit"),
        ("original", ("--prompts", "."), "has no visscience-direct.en.txt"),
        ("original", ("--judge-prompts", "."), "words for a judging model"),
    ],
)
def test_what_does_not_fit_together_is_refused_in_one_sentence(
    command: Command,
    release: Any,
    row: Rows,
    png: Any,
    openai_server: Any,
    version: str,
    more: tuple[str, ...],
    words: str,
) -> None:
    folder = release([row("p0", version=version, images=[png(1)])], [png(1)]).folder
    server = openai_server({"rules": [REPLY]})
    out, err = command(folder, *asking(server), *more, code=2)
    assert words in err
    assert out == ""
    assert len([line for line in err.splitlines() if line]) == 1, err
    assert server.requests == []


def test_the_budget_ends_a_run_and_a_larger_one_goes_on_from_there(
    command: Command, release: Any, row: Rows, openai_server: Any, tmp_path: Path
) -> None:
    prices = tmp_path / "prices.toml"
    price = 'input = "1000"\noutput = "1000"\nsource = "made up"\ndate = 2026-01-01\n'
    prices.write_text(f'["openai/m"]\n{price}["openai/judge"]\n{price}')
    usage = {"prompt_tokens": 100, "completion_tokens": 100}  # 0.20 USD a call at 1,000 USD a million
    server = openai_server({"rules": [{**rule, "usage": usage} for rule in (*JUDGE_RULES, REPLY)]})
    ask = (
        *(release([row(f"p{i}") for i in range(6)]).folder, *asking(server), *judging(server)),
        *("--concurrency", 1, "--max-tokens", 100, "--prices", prices, "--out", tmp_path / "run"),
    )
    _, err = command(*ask, "--budget", "1", code=1)
    sent = len(server.requests)
    assert 0 < sent < 6
    assert "stopped at the budget of 1.00 USD" in err
    assert "rows were not run" in err
    scores = command.json(*ask, "--budget", "50")
    assert scores["complete"]
    assert len(server.requests) == 12
    spent = [json.loads(line) for line in (tmp_path / "run/spending.jsonl").read_text().splitlines()]
    by_stage = {one["stage"]: one for one in spent[-1]["spending"]}
    assert by_stage["judge"]["input_tokens"] == 600
    assert by_stage["answers"]["calls"] == {"ok": 6 - sent}
    # What a run cost is no part of what it found.
    assert "spending" not in (tmp_path / "run/scores.json").read_text()
