"""`push-dataset --errata` as a command: what it refuses, what it needs no network for, and how it goes on."""

from __future__ import annotations

import json
import shutil

import pytest
from click.testing import CliRunner

from benchwright.cli.push import push_dataset
from benchwright.curation.release.build import build_release, checked_content
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Problem
from benchwright.schemas.tables import read_records, write_records

from .conftest import rendered

ID = "org/tiny"
ROWS = ["cell-original-en", "cell-vision-only-en"]


def push(hub, workspace, *more):
    return hub.push(ID, "--workspace", str(workspace.root), "--retry-wait", "0.05", *more)


def correct(workspace, text, reason=None):
    """A review changed the key of `cell`; the reason is written down if there is one."""
    problems = read_records(workspace.problems, Problem)
    words = {"en": problems[1].texts["en"].model_copy(update={"answer": text})}
    problems[1] = problems[1].model_copy(update={"texts": words, "source_texts": words})
    write_records(workspace.problems, problems, Problem)
    rendered(workspace, problems[1], "vision-only", "en", ())
    lines = "" if reason is None else f'cell = "{reason}"\n'
    (workspace.root / "errata.toml").write_text(f"[corrected]\n{lines}")


def typed(workspace, *arguments):
    return CliRunner().invoke(push_dataset, [ID, "--workspace", str(workspace.root), "--errata", *arguments])


def test_without_network_it_is_checked_and_built_and_refuses(tiny):
    none = typed(tiny, "--check-only")
    assert isinstance(none.exception, UsageError) and "errata.toml is not there" in str(none.exception)
    (tiny.root / "errata.toml").write_text("[corrected]\n")
    first = typed(tiny, "--build-only")
    assert "No earlier release is built in this workspace" in str(first.exception)
    content, _ = checked_content(tiny)
    build_release(tiny, "v1.0.0", ID, content)
    assert "No row differs from v1.0.0" in str(typed(tiny, "--build-only").exception)
    correct(tiny, "chloroplast")
    refused = typed(tiny, "--build-only", "--json")
    assert isinstance(refused.exception, UsageError)
    (finding,) = json.loads(refused.stdout)["findings"]
    assert (finding["code"], finding["rows"]) == ("errata-no-reason", ROWS)
    assert "errata.toml" in finding["command"] and not tiny.release("v1.0.1").exists()
    correct(tiny, "chloroplast", "Another organelle.")
    checked = typed(tiny, "--check-only")
    assert checked.exit_code == 0 and "Errata v1.0.1 against v1.0.0: 2 rows" in checked.stdout, checked.output
    built = typed(tiny, "--build-only", "--json")
    assert built.exit_code == 0, built.output
    assert [(one["id"], one["tag"]) for one in json.loads(built.stdout)["errata"]] == [
        (row, "v1.0.1") for row in ROWS
    ]


@pytest.mark.long
def test_one_that_failed_goes_on_under_its_own_tag(hub, tiny):
    """Its base is what main holds, here downloaded by its tag, and no tag that was set before the failure."""
    assert push(hub, tiny, "--tag", "v1.0.0", "--no-verify").returncode == 0
    shutil.rmtree(tiny.release("v1.0.0"))
    correct(tiny, "chloroplast", "Another organelle.")
    hub.fail({"method": "POST", "match": "/commit/main", "statuses": [500] * 5})
    failed = push(hub, tiny, "--errata")
    assert failed.returncode == 1 and "5 tries" in failed.stderr and "Traceback" not in failed.stderr
    hub.fail()
    again = push(hub, tiny, "--errata", "--json")
    assert again.returncode == 0, again.stderr
    result = json.loads(again.stdout)
    assert (result["tag"], result["main"], result["already_there"]) == ("v1.0.1", "this release", True)
    refs = hub.ask("GET", f"/api/datasets/{ID}/refs")
    assert sorted(ref["name"] for ref in refs["tags"]) == ["v1.0.0", "v1.0.1"]
    # Once more: main holds these corrections, so there is nothing to do but to look after them.
    done = push(hub, tiny, "--errata", "--json", "--no-verify")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["already_there"] and "holds these corrections" in done.stderr
    taken = push(hub, tiny, "--errata", "--dry-run", "--base", "v9.9.9")
    assert taken.returncode == 2 and "has no tag v9.9.9; it has: v1.0.0, v1.0.1" in taken.stderr


def test_a_dataset_without_a_release_has_nothing_to_correct(hub, tiny):
    (tiny.root / "errata.toml").write_text("[corrected]\n")
    assert "shows no dataset" in push(hub, tiny, "--errata").stderr
    hub.ask("POST", "/api/repos/create", {"organization": "org", "name": "tiny", "type": "dataset"})
    empty = push(hub, tiny, "--errata")
    assert empty.returncode == 2 and "holds no release to correct" in empty.stderr
    alone = push(hub, tiny, "--base", "v1.0.0")
    assert alone.returncode == 2 and "add --errata" in alone.stderr
