"""Replayed reviews, pseudonyms, the state of a workspace, and commands that need no server."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.annotation.people import People
from benchwright.annotation.replay import replay_reviews
from benchwright.annotation.summary import job_states, stale_items
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Review, Verdict
from benchwright.schemas.journal import Journal, read_jsonl


def write_lines(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def line(item: str, field: str, value: Any, **changes: Any) -> dict[str, Any]:
    return {"job": "tagging", "item_id": item, "field": field, "value": value, "pseudonym": "R01", **changes}


def test_a_replay_settles_its_items_once(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path / "ws", 4)
    path = write_lines(
        tmp_path / "reviews.jsonl",
        [
            line("q0000", "subject", "mechanics"),
            line("q0000", "difficulty", 2),
            line("q0001", "subject", "optics"),
            line("q0001", "subject", "mechanics", pseudonym="R02"),
            line("q0002", "subject", "optics", digest="0" * 64),
            line("elsewhere", "subject", "optics"),
        ],
    )
    (result,) = replay_reviews(workspace, path)
    assert (result.applied, result.new, result.other_items, result.stale) == (4, 4, 1, 1)
    assert dict(result.verdicts) == {"agreed": 2, "open": 1}
    before = workspace.reviews("tagging").read_bytes(), workspace.verdicts("tagging").read_bytes()
    (again,) = replay_reviews(workspace, path)
    assert again.new == 0
    assert (workspace.reviews("tagging").read_bytes(), workspace.verdicts("tagging").read_bytes()) == before
    shown = {item.item_id: item.digest for group in TaggingJob().groups(workspace) for item in group.items}
    for verdict in read_jsonl(workspace.verdicts("tagging"), Verdict):
        assert verdict.digest == shown[verdict.item_id]
    assert {r.pseudonym for r in Journal(workspace.reviews("tagging")).read(Review)} == {"R01", "R02"}


def test_states_add_up_to_the_items(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path / "ws", 12)
    path = write_lines(
        tmp_path / "reviews.jsonl",
        [
            line("q0000", "subject", "mechanics"),
            line("q0000", "difficulty", 2),
            line("q0001", "subject", "optics"),
            line("q0002", "subject", None, state="skipped"),
            line("q0003", "subject", "optics", state="draft"),
        ],
    )
    replay_reviews(workspace, path)
    (state,) = job_states(workspace, TaggingJob())
    assert (state.items, state.proposed) == (12, 11)
    assert (state.agreed, state.open, state.skipped, state.draft, state.untouched) == (1, 1, 1, 1, 8)
    assert stale_items(workspace, TaggingJob()) == 0
    changed = make_workspace(tmp_path / "ws", 12, wording="Reworded question")
    (state,) = job_states(changed, TaggingJob())
    assert (state.untouched, stale_items(changed, TaggingJob())) == (12, 4)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (line("q0000", "subject", "optics", pseudonym="A01"), "line 1: replayed reviewers are named R01"),
        (line("q0000", "colour", "red"), "has no field 'colour'"),
        (line("q0000", "subject", "x", job="naming"), "job 'naming' has no field"),
    ],
)
def test_bad_replay_lines_are_refused(
    tmp_path: Path, make_workspace, bad: dict[str, Any], words: str
) -> None:
    workspace = make_workspace(tmp_path / "ws", 1)
    with pytest.raises(UsageError, match=words):
        replay_reviews(workspace, write_lines(tmp_path / "reviews.jsonl", [bad]))
    assert not workspace.reviews("tagging").exists()


def test_a_missing_replay_file_is_a_usage_error(tmp_path: Path, make_workspace) -> None:
    with pytest.raises(UsageError, match="there is no reviews file"):
        replay_reviews(make_workspace(tmp_path / "ws", 1), tmp_path / "none.jsonl")


def test_pseudonyms_are_stable_and_private(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path / "ws", 1)
    people = People(workspace)
    people.admit(["b@example.org", "a@example.org"])
    assert [people.pseudonym(e) for e in ("b@example.org", "a@example.org")] == ["A01", "A02"]
    later = People(workspace)
    later.admit(["c@example.org", "a@example.org"])
    assert [later.pseudonym(e) for e in ("a@example.org", "c@example.org")] == ["A02", "A03"]
    assert stat.S_IMODE(workspace.people.stat().st_mode) == 0o600
    with pytest.raises(KeyError):
        later.pseudonym("nobody@example.org")


def test_a_damaged_people_file_is_named(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path / "ws", 1)
    workspace.people.write_text("{", encoding="utf-8")
    with pytest.raises(UsageError, match=r"people\.json is damaged"):
        People(workspace)


def test_without_a_server_the_command_says_what_to_start(tmp_path: Path, make_workspace) -> None:
    from benchwright.annotation.connection import find_connection

    workspace = make_workspace(tmp_path / "ws", 1)
    with pytest.raises(UsageError, match="annotate serve"):
        find_connection(workspace)
    with pytest.raises(UsageError, match="no token"):
        find_connection(workspace, url="http://127.0.0.1:1")
    with pytest.raises(UsageError, match="not an address"):
        find_connection(workspace, url="127.0.0.1:8080", token="t")


def test_an_address_where_nobody_listens_is_a_usage_error(tmp_path: Path, make_workspace) -> None:
    from benchwright.annotation.client import ReviewServer
    from benchwright.annotation.connection import find_connection

    connection = find_connection(make_workspace(tmp_path / "ws", 1), url="http://127.0.0.1:9", token="t")
    with (
        ReviewServer(connection) as server,
        pytest.raises(UsageError, match=r"no Label Studio at http://127\.0\.0\.1:9"),
    ):
        server.check()


def test_the_server_inherits_nothing_that_could_change_it(tmp_path: Path) -> None:
    import os

    from benchwright.annotation.environment import clean_variables

    os.environ["DEBUG"], os.environ["HOST"] = "true", "http://example.org"
    try:
        variables = clean_variables(tmp_path)
    finally:
        del os.environ["DEBUG"], os.environ["HOST"]
    assert "DEBUG" not in variables
    assert "HOST" not in variables
    assert variables["HTTPS_PROXY"] == "http://127.0.0.1:9"
    assert variables["LABEL_STUDIO_COLLECT_ANALYTICS"] == "false"


def test_status_command_counts_without_a_server(tmp_path: Path, make_workspace) -> None:
    from click.testing import CliRunner

    from benchwright.cli.annotate import annotate

    workspace = make_workspace(tmp_path / "ws", 3)
    outcome = CliRunner().invoke(annotate, ["status", "--workspace", str(workspace.root), "--json"])
    assert outcome.exit_code == 0
    reply = json.loads(outcome.stdout)
    assert reply["server"] is None
    assert reply["jobs"][0]["untouched"] == 3


def test_without_the_sdk_the_command_names_what_to_install(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path / "ws", 1)
    # A module that is None in sys.modules is what Python itself raises ModuleNotFoundError for.
    code = (
        "import sys; sys.modules['label_studio_sdk'] = None\n"
        "from benchwright.cli.main import annotate, run_command\n"
        "sys.exit(run_command(annotate, 'annotate'))"
    )
    given = [
        "push",
        "tagging",
        "--workspace",
        str(workspace.root),
        "--url",
        "http://127.0.0.1:9",
        "--token",
        "t",
    ]
    done = subprocess.run([sys.executable, "-c", code, *given], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'benchwright[annotate]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_pushing_without_a_selection_says_what_to_run(tmp_path: Path) -> None:
    from benchwright.cli.main import annotate, run_command
    from benchwright.schemas.recipe import default_recipe_toml
    from benchwright.schemas.workspace import Workspace

    workspace = Workspace.create(tmp_path / "ws", default_recipe_toml("empty"))
    assert run_command(annotate, "annotate", ["push", "tagging", "--workspace", str(workspace.root)]) == 2
