"""The stage that runs every proposer: killed and run again, several votes, failures, what stays and what goes stale."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.cli.curate import curate as curate_group
from benchwright.cli.main import run_command
from benchwright.curation.proposers.chosen import chosen_questions
from benchwright.models.store import CallStore
from benchwright.schemas.digest import sha256_file
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.journal import read_jsonl, write_jsonl
from benchwright.schemas.records import Rejected
from benchwright.schemas.status import CallStatus
from benchwright.schemas.workspace import Workspace

GOOD = {"reason": "An image is formed.", "subject": "optics", "difficulty": 2}
CHEMISTRY = {"match": "alcohol|copper", "json": {**GOOD, "subject": "organic-chemistry"}}
REPLIES = [CHEMISTRY, {"json": GOOD}]
RUN = "from benchwright.cli.main import run_curate; run_curate()"
RECIPE = """
[models.tagging]
model = "openai/tagger"
base_url = "{url}"
api_key_env = "NO_SUCH_KEY"
concurrency = {concurrency}
reply_schema = "never"
vision = "assume"
"""


def configure(workspace: Workspace, url: str, concurrency: int = 4) -> Workspace:
    """The workspace with a model for tagging in its recipe."""
    recipe = workspace.root / "benchwright.toml"
    text = recipe.read_text(encoding="utf-8").split("\n# [models.tagging]")[0]
    recipe.write_text(text + RECIPE.format(url=url, concurrency=concurrency), encoding="utf-8")
    return Workspace.find(workspace.root)


def start(workspace: Workspace, *arguments: str) -> subprocess.Popen[str]:
    """`curate ARGUMENTS --json` as a process of its own, to be killed."""
    command = [sys.executable, "-c", RUN, *arguments, "--json"]
    environment = {**os.environ, "BENCHWRIGHT_WORKSPACE": str(workspace.root)}
    return subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def curate(workspace: Workspace, *arguments: str, code: int = 0) -> dict[str, Any]:
    """Run a command to its end; its JSON result, with the words of an error under `error`."""
    out, error = io.StringIO(), io.StringIO()
    typed = [*arguments, "--json", "--workspace", str(workspace.root)]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        ended = run_command(curate_group, "curate", typed)
    assert ended == code, error.getvalue()
    found: dict[str, Any] = json.loads(out.getvalue())
    return {**found, "error": found["error"]["message"]} if "error" in found else found


def files(workspace: Workspace) -> dict[str, str]:
    """Digests of the tagging files."""
    paths = (workspace.proposals("tagging"), workspace.proposals_rejected("tagging"))
    return {path.name: sha256_file(path) for path in paths}


def bodies(server: Any) -> Counter[str]:
    """How often each distinct request came in."""
    return Counter(json.dumps(request.body, sort_keys=True) for request in server.requests)


def test_killed_in_the_middle_and_run_again_it_asks_for_the_rest_alone(
    selected: Workspace, tmp_path: Path, openai_server: Callable[..., Any]
) -> None:
    """Acceptance B: at most the calls in flight are sent twice, and the files are those of an undisturbed run."""
    server = openai_server({"latency_ms": 150, "rules": REPLIES})
    place = configure(selected, server.base_url, concurrency=2)
    process = start(place, "tag")
    deadline = time.monotonic() + 60
    while len(server.requests) < 6 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    sent_before = len(server.requests)
    assert 6 <= sent_before < 12, "killed too late to show anything"
    assert not place.proposals("tagging").exists()
    result = curate(place, "tag")
    assert (result["n_in"], result["n_kept"]) == (12, 12)
    twice = [body for body, times in bodies(server).items() if times > 1]
    assert len(bodies(server)) == 12 and len(twice) <= 2
    assert len(server.requests) - sent_before <= 12 - (sent_before - 2)
    killed = files(place)

    whole = openai_server({"rules": REPLIES})
    other = Workspace.find(Path(shutil.copytree(place.root, tmp_path / "whole")))
    for path in (other.root / "proposals").iterdir():
        path.unlink()
    other.calls.unlink()
    # The address is part of a call's identity, so the undisturbed run asks the same one.
    curate(other, "tag")
    assert files(other) == killed
    assert not whole.requests


def test_three_votes_are_three_calls_and_all_of_them_count(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    answers = [json.dumps({**GOOD, "difficulty": level}) for level in (2, 3)]
    server = openai_server({"rules": [{"answers": answers}]})
    place = configure(selected, server.base_url)
    result = curate(place, "tag", "--discipline", "physics", "--votes", "3")
    assert result["n_kept"] == 6 and len(server.requests) == 18
    (spent,) = result["spending"]
    assert spent["calls"] == {"ok": 18} and spent["reused"] == 0
    again = curate(place, "tag", "--discipline", "physics", "--votes", "3")
    assert not again["ran"] and len(server.requests) == 18
    found = read_jsonl(place.proposals("tagging"), Proposal)
    votes = [p.value for p in found if p.field == "votes"]
    assert len(votes) == 6
    assert all(p.confidence == 1.0 for p in found if p.field == "subject")
    (cost,) = curate(place, "proposals", "report", "tagging")["costs"]
    assert (cost["calls"], cost["missing"]) == (18, 0), "every ballot was paid, not the winners' alone"
    assert cost["output_tokens"] == spent["output_tokens"]


def test_what_failed_is_named_counted_and_asked_for_again_alone(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    rules = [{"every": 3, "status": 400, "error": {"code": "content_policy_violation", "message": "no"}}]
    server = openai_server({"rules": [*rules, *REPLIES]})
    place = configure(selected, server.base_url)
    result = curate(place, "tag", code=1)
    assert (result["n_kept"], result["reasons"]) == (8, {"refused": 4})
    refused = read_jsonl(place.proposals_rejected("tagging"), Rejected)
    assert {(r.stage, r.reason) for r in refused} == {("tag", "refused")}
    assert bodies(server).most_common(1)[0][1] == 1, "a refusal is sent once"
    again = curate(place, "tag", code=1)
    assert again["ran"] and again["reasons"] == {"refused": 4}
    assert len(server.requests) == 12, "a refusal is final, and stored"


@pytest.mark.parametrize(
    ("rule", "words"), [({"answer": "no"}, "would not be asked again"), ({"status": 400}, "once more")]
)
def test_running_again_is_advised_only_where_it_helps(
    rule: dict[str, Any], words: str, selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    server = openai_server({"rules": [{"match": "lens forms", **rule}, {"json": GOOD}]})
    place = configure(selected, server.base_url)
    typed = ("tag", "--discipline", "physics", "--workspace", str(place.root))
    done = subprocess.run([sys.executable, "-c", RUN, *typed], text=True, capture_output=True, check=False)
    assert done.returncode == 1 and words in done.stderr.splitlines()[-1], done.stderr


@pytest.mark.parametrize(
    "arguments",
    [("--budget", "1"), ("--base-url", "http://127.0.0.1:9/v1"), ("--dry-run",), ("--votes", "3")],
)
def test_flags_for_models_without_a_model_are_an_error(
    arguments: tuple[str, ...], selected: Workspace
) -> None:
    assert "name one with --model" in curate(selected, "tag", *arguments, code=2)["error"]


def test_one_model_named_twice_is_no_second_voice(selected: Workspace) -> None:
    arguments = ("--model", "openai/a", "--model", "openai/a", "--base-url", "http://127.0.0.1:9/v1")
    assert "--votes" in curate(selected, "tag", *arguments, code=2)["error"]


def test_when_one_of_a_panel_is_denied_what_the_others_were_asked_is_waited_for_and_kept(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    rules = [{"model": "slow", "json": GOOD, "latency_ms": 500}, {"status": 401}]
    server = openai_server({"rules": rules})
    place = configure(selected, server.base_url, concurrency=3)
    panel = ("--model", "openai/slow", "--model", "openai/denied", "--votes", "3")
    error = curate(place, "tag", "--discipline", "physics", *panel, code=2)["error"]
    assert "openai/denied" in error and "nothing more is sent" in error
    asked = [request for request in server.requests if request.body["model"] == "slow"]
    with CallStore(place.calls) as store:
        assert store.counts()[CallStatus.OK] == len(asked) > 0
    assert len(server.requests) - len(asked) <= 2 + 3, "the denied model is left alone"


def test_transform_has_one_budget_for_both_its_steps(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 90, "total_tokens": 99}
    server = openai_server({"rules": [{"answer": "{}", "usage": usage}]})
    place = configure(selected, server.base_url)
    prices = place.root / "prices.toml"
    prices.write_text('["openai/m"]\ninput = 0\noutput = 1000\nsource = "test"\ndate = 2026-01-01\n')
    arguments = ("--model", "openai/m", "--base-url", server.base_url, "--prices", str(prices))
    typed = ("transform", *arguments, "--budget", "1.4", "--discipline", "physics", "--assume-vision")
    process = subprocess.run(
        [sys.executable, "-c", RUN, *typed, "--workspace", str(place.root)],
        text=True,
        capture_output=True,
        check=False,
    )
    assert process.returncode == 1, process.stderr
    (first,) = re.findall(r"^openai/m: (\d+) calls", process.stderr, re.MULTILINE)
    asked = [request for request in server.requests if "the sky" not in request.prompt]
    assert 0 < int(first) == len(asked), "the first step used it up"
    assert "no proposal: budget-reached 6" in process.stderr, process.stderr


def test_another_subject_is_another_decomposition_by_rule(selected: Workspace) -> None:
    curate(selected, "decompose", "--discipline", "physics")
    assert not curate(selected, "decompose", "--discipline", "physics")["ran"]
    path = selected.proposals("tagging")
    curate(selected, "tag", "--discipline", "physics")
    tags = read_jsonl(path, Proposal)
    changed = [
        tag.model_copy(update={"value": "electromagnetism"}) if tag.field == "subject" else tag
        for tag in tags
    ]
    assert changed != tags
    write_jsonl(path, changed)
    assert curate(selected, "decompose", "--discipline", "physics")["ran"], (
        "cue and detail follow the subject"
    )


def test_a_command_without_an_embedded_proposer_says_so(selected: Workspace) -> None:
    assert "--model" in curate(selected, "translate", code=2)["error"]
    assert "--model" in curate(selected, "assess", "--solve", "2", code=2)["error"]


def test_an_external_model_is_refused_before_anything_is_sent(selected: Workspace) -> None:
    error = curate(selected, "tag", "--model", "openai/x", "--base-url", "https://192.0.2.7/v1", code=2)[
        "error"
    ]
    assert "needs a key" in error or "allow_external" in error


def test_a_dry_run_asks_nothing_and_counts_what_would_be_asked(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    server = openai_server({"rules": REPLIES})
    place = configure(selected, server.base_url)
    found = curate(place, "tag", "--dry-run")
    (plan,) = found["plans"]
    assert not server.requests and not place.proposals("tagging").exists()
    assert (plan["calls"], plan["items"], plan["in_store"], plan["images"]) == (12, 12, 0, 12)
    assert plan["host"] == "127.0.0.1" and not plan["external"] and plan["answers"]
    curate(place, "tag", "--discipline", "physics")
    assert len(server.requests) == 6
    (plan,) = curate(place, "tag", "--dry-run")["plans"]
    assert (plan["calls"], plan["in_store"]) == (6, 6) and len(server.requests) == 6


def test_a_pilot_asks_about_some_and_the_run_about_the_rest(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    server = openai_server({"rules": REPLIES})
    place = configure(selected, server.base_url)
    prices = place.root / "prices.toml"
    prices.write_text('["openai/tagger"]\ninput = 1\noutput = 2\nsource = "test"\ndate = 2026-01-01\n')
    found = curate(place, "tag", "--pilot", "5", "--prices", str(prices))
    assert len(server.requests) == 5
    assert found["follow_ups"] == {"units": 5, "foreseen": 5, "made": 5, "factor": 1.0}
    assert found["plans"][0]["calls"] == 7 and found["plans"][0]["forecast"] is not None
    curate(place, "tag")
    assert len(server.requests) == 12 and max(bodies(server).values()) == 1


def test_a_pilot_that_fails_says_so(selected: Workspace, openai_server: Callable[..., Any]) -> None:
    place = configure(selected, openai_server({"rules": [{"answer": "no object"}]}).base_url)
    found = curate(place, "tag", "--pilot", "3", code=1)
    assert found["failed"] == {"unparsable": 3} and not place.proposals("tagging").exists()


def test_a_budget_stops_cleanly_and_more_money_goes_on(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    server = openai_server({"rules": REPLIES})
    place = configure(selected, server.base_url, concurrency=1)
    prices = place.root / "prices.toml"
    prices.write_text('["openai/tagger"]\ninput = 0\noutput = 1000\nsource = "test"\ndate = 2026-01-01\n')
    # 1,024 tokens at 1,000 USD a million are at most 1.024 USD a call; a real reply costs a few cents.
    result = curate(place, "tag", "--prices", str(prices), "--budget", "1.1", code=1)
    asked = len(server.requests)
    assert 0 < asked < 12
    assert result["n_kept"] == asked and result["reasons"] == {"budget-reached": 12 - asked}
    result = curate(place, "tag", "--prices", str(prices), "--budget", "9")
    assert result["n_kept"] == 12 and len(server.requests) == 12


def test_a_model_that_does_not_see_is_not_asked_about_pictures(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    server = openai_server({"rules": REPLIES})
    place = configure(selected, server.base_url)
    recipe = place.root / "benchwright.toml"
    recipe.write_text(recipe.read_text().replace('vision = "assume"', 'vision = "auto"'))
    assert "did not read a number" in curate(place, "tag", code=2)["error"]
    assert len(server.requests) <= 2 and not place.proposals("tagging").exists()


def test_who_cannot_be_asked_again_keeps_what_was_proposed_about_the_same_text(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    server = openai_server(
        {"rules": [{"model": "down", "status": 400, "error": {"message": "no"}}, *REPLIES]}
    )
    place = configure(selected, server.base_url)
    curate(place, "tag")
    before = read_jsonl(place.proposals("tagging"), Proposal)
    result = curate(place, "tag", "--model", "openai/down", code=1)
    assert result["n_kept"] == 0 and result["n_rejected"] == 12
    assert read_jsonl(place.proposals("tagging"), Proposal) == before
    assert {r.reason for r in read_jsonl(place.proposals_rejected("tagging"), Rejected)} == {"error"}
    curate(place, "tag", "--model", "embedded")
    assert {p.model for p in read_jsonl(place.proposals("tagging"), Proposal)}.isdisjoint({"openai/tagger"})


def test_lines_of_other_disciplines_are_not_taken_over_from_a_file_that_was_changed(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    place = configure(selected, openai_server({"rules": REPLIES}).base_url)
    curate(place, "tag")
    path = place.proposals("tagging")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    error = curate(place, "tag", "--discipline", "physics", code=2)["error"]
    assert "not what its last run wrote" in error and path.read_bytes() == b"".join(lines[:-1])
    path.unlink()
    curate(place, "tag")
    assert path.read_bytes() == b"".join(lines)


def test_a_missing_picture_is_its_own_questions_failure(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    place = configure(selected, openai_server({"rules": REPLIES}).base_url)
    chosen = chosen_questions(place, "physics", "test")[0][0].question
    picture = place.find_image(chosen.images[0].sha256)
    data = picture.read_bytes()
    picture.unlink()
    result = curate(place, "tag", code=1)
    assert result["n_kept"] == 11 and result["reasons"] == {"picture-missing": 1}
    picture.write_bytes(data)
    assert curate(place, "tag")["n_kept"] == 12


def test_the_first_proposal_of_a_unit_names_all_calls_that_it_took(
    selected: Workspace, openai_server: Callable[..., Any]
) -> None:
    again = "could not be used"
    chemistry = {**CHEMISTRY, "match": f"(alcohol|copper).*{again}"}
    server = openai_server({"rules": [chemistry, {"match": again, "json": GOOD}, {"answer": "no object"}]})
    place = configure(selected, server.base_url)
    curate(place, "tag")
    found = read_jsonl(place.proposals("tagging"), Proposal)
    noted = {p.item_id: p.calls for p in found if p.calls}
    assert len(noted) == 12 and sum(map(len, noted.values())) == len(server.requests) == 24
    assert all(p.call_id in noted[p.item_id] for p in found)
