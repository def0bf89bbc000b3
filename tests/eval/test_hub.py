"""`evaluate ORG/NAME@TAG` from a running Hub: the revision is fixed to its commit, the rows are that commit's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import HfApi

from benchwright.schemas.records import ReleaseRow

Rows = Callable[..., ReleaseRow]
TOKEN = "hf_testwrite"
PROGRAM = "from benchwright.cli.main import run_evaluate; run_evaluate()"


@pytest.fixture
def hub(tmp_path: Path, server_module: Callable[[str], Any]) -> Iterator[str]:
    """Address of a running Hub."""
    root = tmp_path / "hub"
    root.mkdir()
    server = server_module("hub").HubServer(root)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield server.url
    server.shutdown()
    thread.join()
    server.server_close()


def evaluate(folder: Path, hub: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own: the Hub's client reads its address once, when it is imported."""
    environment = {
        **os.environ,
        "HF_ENDPOINT": hub,
        "HF_HOME": str(folder / "hf"),
        "HF_TOKEN": TOKEN,
    }
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )


def scores_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.fixture
def published(hub: str, release: Any, row: Rows) -> tuple[str, str, str]:
    """Two releases of one data set; tag v1 stays on the first. Gives the Hub and both commits."""
    api = HfApi(endpoint=hub, token=TOKEN)
    api.create_repo("org/bench", repo_type="dataset")
    commits = []
    for n in (2, 3):
        folder = release([row(f"p{i}", answer="B") for i in range(n)], name=f"release{n}").folder
        info = api.upload_folder(
            repo_id="org/bench", repo_type="dataset", folder_path=folder, delete_patterns="*"
        )
        commits.append(info.oid)
        if n == 2:
            api.create_tag("org/bench", tag="v1", repo_type="dataset")
    return hub, commits[0], commits[1]


def test_a_tag_is_resolved_to_its_commit(published: tuple[str, str, str], tmp_path: Path) -> None:
    hub, first, second = published
    ask = ("--model", "baseline/random", "--json")
    tagged = scores_of(evaluate(tmp_path, hub, "org/bench@v1", *ask))
    newest = scores_of(evaluate(tmp_path, hub, "org/bench", *ask))
    assert (tagged["spec"]["dataset"]["commit"], tagged["spec"]["dataset"]["rows"]) == (first, 2)
    assert (newest["spec"]["dataset"]["commit"], newest["spec"]["dataset"]["rows"]) == (second, 3)
    assert tagged["spec"]["dataset"]["origin"] == "hub"
    assert tagged["run_id"] != newest["run_id"]
    by_commit = scores_of(evaluate(tmp_path, hub, f"org/bench@{first}", *ask))
    assert by_commit["run_id"] == tagged["run_id"]


def test_what_the_hub_does_not_have_is_named(published: tuple[str, str, str], tmp_path: Path) -> None:
    hub, _, _ = published
    for target, words in (("org/bench@v9", "no revision 'v9'"), ("org/other", "no dataset org/other")):
        done = evaluate(tmp_path, hub, target, "--model", "baseline/random")
        assert done.returncode == 2
        assert words in done.stderr
        assert "Traceback" not in done.stderr
