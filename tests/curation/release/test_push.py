"""Pushing with the genuine client to a Hub that speaks its protocol; each fault ends whole or unchanged."""

from __future__ import annotations

import json

import pytest

from benchwright.cli.main import run_command
from benchwright.cli.push import push_dataset
from benchwright.schemas.records import Problem
from benchwright.schemas.tables import read_records, write_records

READ_BACK = """
import hashlib, json, sys
from datasets import load_dataset
data = load_dataset(sys.argv[1], sys.argv[2], revision=sys.argv[3])
print(json.dumps({name: sorted(split["id"]) for name, split in data.items()}))
"""
ID = "org/tiny"
HEAD = f"/api/datasets/{ID}"


def push(hub, tiny, *arguments, **environment):
    return hub.push(
        ID,
        "--workspace",
        str(tiny.root),
        "--tag",
        "v1.0.0",
        "--retry-wait",
        "0.05",
        *arguments,
        **environment,
    )


def tags(hub):
    return {ref["name"]: ref["targetCommit"] for ref in hub.ask("GET", f"{HEAD}/refs")["tags"]}


@pytest.mark.parametrize("xet", [False, True], ids=["lfs", "xet"])
def test_push_verify_load(hub, tiny, xet):
    done = push(hub, tiny, "--json", xet=xet)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["verified"] and result["verification"]["configs"] == 13
    assert result["verification"]["rows"] == 2 * 16
    info = hub.ask("GET", HEAD)
    assert (
        info["private"] is True
        and tags(hub) == {"v1.0.0": result["commit"]}
        and info["sha"] == result["commit"]
    )
    # One commit beside the one that the Hub makes itself.
    assert len(hub.ask("GET", f"{HEAD}/commits/main")) == 2
    read = hub.run(READ_BACK, ID, "all", "v1.0.0", xet=xet)
    assert read.returncode == 0, read.stderr
    ids = json.loads(read.stdout)
    assert ids["dev"] == ["insect-original-en"] and len(ids["test"]) == 15
    assert "hf_testwrite" not in done.stdout + done.stderr


def test_second_push_sends_nothing(hub, tiny):
    assert push(hub, tiny, "--no-verify").returncode == 0
    before = hub.ask("GET", HEAD)["sha"]
    hub.ask("DELETE", "/-/log")
    again = push(hub, tiny, "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["already_there"] is True
    assert hub.ask("GET", HEAD)["sha"] == before and hub.requests("POST", "/commit/") == []


def test_a_tag_never_moves(hub, tiny):
    assert push(hub, tiny, "--no-verify").returncode == 0
    before = (hub.ask("GET", HEAD)["sha"], tags(hub))
    renders = tiny.renders("clean", "vision-only", "zh")
    (renders / "circuit.png").unlink()
    (renders / "rejected.jsonl").write_text(
        (renders / "rejected.jsonl").read_text().replace("multi", "circuit")
    )
    write_records(tiny.problems, read_records(tiny.problems, Problem)[:3], Problem)
    other = push(hub, tiny)
    assert other.returncode == 2 and "tags never move" in other.stderr
    assert (hub.ask("GET", HEAD)["sha"], tags(hub)) == before
    newer = hub.push(ID, "--workspace", str(tiny.root), "--tag", "v1.0.1", "--no-verify")
    assert newer.returncode == 0, newer.stderr
    assert hub.ask("GET", HEAD)["sha"] == before[0], "main got what was not verified"
    files = {item["path"] for item in hub.ask("GET", f"{HEAD}/tree/v1.0.1?recursive=true")}
    assert not any("zh/vision-only" in path for path in files), "files of the older release were left there"
    old = hub.run(READ_BACK, ID, "vision_only_zh", "v1.0.0")
    assert json.loads(old.stdout) == {"test": ["circuit-vision-only-zh"]}


def test_pub_05_always_412(hub, tiny):
    """PUB-05, first run: tries are bounded, the last answer is shown, nothing has changed."""
    hub.fail({"method": "POST", "match": "/commit/", "statuses": [412] * 99})
    done = push(hub, tiny)
    assert done.returncode == 1 and "412" in done.stderr and "5 tries" in done.stderr
    assert "Traceback" not in done.stderr
    assert hub.requests("POST", "/commit/") == [412] * 5 and tags(hub) == {}


def test_pub_05_no_write_right(hub, tiny):
    """PUB-05, second run: 403 says what the token lacks and never shows it."""
    hub.ask("POST", "/api/repos/create", {"organization": "org", "name": "tiny", "type": "dataset"})
    done = push(hub, tiny, token="hf_testread")
    assert done.returncode == 2 and "no right to write to org/tiny" in done.stderr
    assert "hf_testread" not in done.stdout + done.stderr and "Traceback" not in done.stderr


def test_pub_05_412_once(hub, tiny):
    """PUB-05, third run: one 412, then success after the card was read again."""
    hub.fail({"method": "POST", "match": "/commit/", "statuses": [412]})
    done = push(hub, tiny, "--json", "--no-verify")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tries"] == 2 and hub.requests("POST", "/commit/") == [412, 200]


def test_500_before_the_work_is_repeated(hub, tiny):
    hub.fail({"method": "POST", "match": "/commit/", "statuses": [500]})
    done = push(hub, tiny, "--json", "--no-verify")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tries"] == 2
    assert len(hub.ask("GET", f"{HEAD}/commits/main")) == 2


def test_500_after_the_work_is_not_repeated(hub, tiny):
    """The commit was made although the answer was a failure: it must not be made twice."""
    hub.fail({"method": "POST", "match": "/commit/", "statuses": [502], "after": True})
    done = push(hub, tiny, "--json", "--no-verify")
    assert done.returncode == 0, done.stderr
    assert hub.requests("POST", "/commit/") == [502]
    assert len(hub.ask("GET", f"{HEAD}/commits/main")) == 2


@pytest.mark.parametrize(
    ("method", "match", "after", "commits"),
    [("PUT", "/-lfs/", True, 1), ("POST", "/commit/", True, 2), ("POST", "/tag/", False, 2)],
    ids=["uploading", "committing", "tagging"],
)
def test_killed_push_is_whole_or_nothing(hub, tiny, method, match, after, commits):
    """SIGKILL of the client: readers of tags see nothing of it, and the second run ends as an undisturbed one."""
    arguments = (ID, "--workspace", str(tiny.root), "--tag", "v1.0.0", "--no-verify")
    hub.kill_push_at(method, match, *arguments, after=after)
    assert tags(hub) == {} and len(hub.ask("GET", f"{HEAD}/commits/main")) == commits
    again = hub.push(*arguments)
    assert again.returncode == 0, again.stderr
    assert list(tags(hub)) == ["v1.0.0"] and len(hub.ask("GET", f"{HEAD}/commits/main")) == 2


def test_tag_fails_then_is_mended_by_a_second_run(hub, tiny):
    hub.fail({"method": "POST", "match": "/tag/", "statuses": [503] * 5})
    done = push(hub, tiny)
    assert done.returncode == 1 and "could not be set" in done.stderr and tags(hub) == {}
    again = push(hub, tiny, "--json", "--no-verify")
    assert again.returncode == 0, again.stderr
    assert len(tags(hub)) == 1 and len(hub.ask("GET", f"{HEAD}/commits/main")) == 2


def test_flipped_byte_is_noticed(hub, tiny):
    """The client would accept it: the size is right, and it does not compare digests."""
    assert push(hub, tiny, "--no-verify").returncode == 0
    hub.ask("POST", "/-/corrupt", {"repo": ID, "path": "data/en/vision-only/test-00000-of-00001.parquet"})
    done = push(hub, tiny, "--public")
    assert done.returncode == 1, done.stderr
    assert (
        "data/en/vision-only/test-00000-of-00001.parquet" in done.stdout and "another sha256" in done.stdout
    )
    assert hub.ask("GET", HEAD)["private"] is True


def test_a_cached_copy_counts_as_a_failure(hub, tiny):
    """`datasets` serves what it once loaded when the repository is gone: the line in its log is noticed."""
    assert push(hub, tiny, "--no-verify").returncode == 0
    assert hub.run(READ_BACK, ID, "original_zh", "v1.0.0").returncode == 0
    hub.ask("DELETE", "/api/repos/delete", {"organization": "org", "name": "tiny", "type": "dataset"})
    code = """
import logging, sys
from datasets import load_dataset
from benchwright.curation.release.verify import CacheListener
listener = CacheListener()
logging.getLogger("datasets").addHandler(listener)
print(load_dataset(sys.argv[1], "original_zh", revision="v1.0.0")["test"].num_rows, len(listener.lines) > 0)
"""
    assert hub.run(code, ID).stdout.strip() == "2 True"


def test_public_after_verification(hub, tiny):
    done = push(hub, tiny, "--public")
    assert done.returncode == 0, done.stderr
    assert hub.ask("GET", HEAD)["private"] is False
    reader = hub.run(READ_BACK, ID, "original_zh", "v1.0.0", token=None)
    assert json.loads(reader.stdout) == {"test": ["circuit-original-zh", "multi-original-zh"]}


def test_no_login_and_bad_login(hub, tiny):
    none = push(hub, tiny, token=None)
    assert none.returncode == 2 and "HF_TOKEN" in none.stderr and "Traceback" not in none.stderr
    bad = push(hub, tiny, token="hf_wrongwrongwrong")
    assert bad.returncode == 2 and "hf_wrongwrongwrong" not in bad.stdout + bad.stderr


def test_no_hub_at_all(hub, tiny):
    done = push(hub, tiny, HF_ENDPOINT="http://127.0.0.1:9")
    assert done.returncode == 1 and "could not be reached" in done.stderr and "Traceback" not in done.stderr


HAND_MADE = """---
license: cc-by-4.0
configs:
- config_name: chemistry   # somebody's
  data_files:   chemistry.parquet
---
# Written by a person
"""


def test_pub_03_a_card_on_the_hub_is_merged(hub, tiny):
    """PUB-03: text, licence, config and data of other people outlive our push, and ours still loads."""
    made = """
import io, sys
import pyarrow as pa, pyarrow.parquet as pq
from huggingface_hub import CommitOperationAdd, HfApi
api = HfApi()
api.create_repo(sys.argv[1], repo_type="dataset")
table = io.BytesIO()
pq.write_table(pa.table({"id": ["007"]}), table)
files = {"README.md": sys.argv[2].encode(), "chemistry.parquet": table.getvalue()}
adds = [CommitOperationAdd(path, data) for path, data in files.items()]
api.create_commit(sys.argv[1], adds, commit_message="by hand", repo_type="dataset")
"""
    assert hub.run(made, ID, HAND_MADE).returncode == 0
    done = push(hub, tiny, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verified"] and "kept for: license" in done.stderr
    read = """
import sys
from huggingface_hub import hf_hub_download
sys.stdout.write(open(hf_hub_download(sys.argv[1], "README.md", repo_type="dataset", revision="v1.0.0")).read())
"""
    card = hub.run(read, ID).stdout
    assert card.startswith(HAND_MADE[: HAND_MADE.index("---\n#")]) and "# Written by a person" in card
    theirs = hub.run(READ_BACK, ID, "chemistry", "v1.0.0")
    assert json.loads(theirs.stdout) == {"train": ["007"]}


LOAD = """
import sys
from benchwright.schemas.errors import BenchwrightError
from benchwright.schemas.release_table import load_release, resolve_release
try:
    found = resolve_release(sys.argv[1], sys.argv[2])
    print(found.revision, sum(1 for _ in load_release(sys.argv[1], sys.argv[2])))
except BenchwrightError as error:
    print(type(error).__name__, error)
"""


def test_load_release_by_tag(hub, tiny):
    """What `evaluate` does with a Hub id: resolved to its commit, hashed, never a cached copy in place of an answer."""
    commit = json.loads(push(hub, tiny, "--no-verify", "--json").stdout)["commit"]
    assert hub.run(LOAD, ID, "v1.0.0").stdout.strip() == f"{commit} 16"
    assert "has no revision 'v9'" in hub.run(LOAD, ID, "v9").stdout
    assert "shows no dataset" in hub.run(LOAD, ID, "v1.0.0", token=None).stdout
    hub.ask("POST", "/-/corrupt", {"repo": ID, "path": "data/zh/original/test-00000-of-00001.parquet"})
    fresh = hub.run(LOAD, ID, "v1.0.0", HF_HOME=str(hub.home.with_name("fresh")))
    assert fresh.stdout.startswith("TamperedError data/zh/original/test-00000-of-00001.parquet"), fresh.stderr
    hub.ask("DELETE", "/api/repos/delete", {"organization": "org", "name": "tiny", "type": "dataset"})
    assert "shows no dataset" in hub.run(LOAD, ID, "v1.0.0").stdout
    away = hub.run(LOAD, ID, "v1.0.0", HF_ENDPOINT="http://127.0.0.1:9").stdout
    assert away.startswith("UsageError") and "could not be fetched" in away


def test_findings_refuse_and_can_be_left_out(hub, tiny):
    problems = read_records(tiny.problems, Problem)
    bad = problems[3].texts["zh"].model_copy(update={"answer": "AC"})
    problems[3] = problems[3].model_copy(update={"source_texts": {"zh": bad}, "texts": {"zh": bad}})
    write_records(tiny.problems, problems, Problem)
    checked = push(hub, tiny, "--check-only")
    assert checked.returncode == 2
    assert "answer-not-an-option" in checked.stdout and "multi-original-zh" in checked.stdout
    assert push(hub, tiny).returncode == 2 and not tiny.release("v1.0.0").exists()
    assert hub.ask("GET", "/-/log") == []
    built = push(hub, tiny, "--build-only", "--drop-failing", "--json")
    assert built.returncode == 0, built.stderr
    result = json.loads(built.stdout)
    assert result["rows"] == 15 and result["rejected"]["answer-not-an-option"] == 1


def test_quiet_leaves_the_result_and_json_is_one_document(tiny, capsys):
    words = [ID, "--workspace", str(tiny.root), "--build-only", "--json", "--quiet"]
    assert run_command(push_dataset, "push-dataset", words) == 0
    said = capsys.readouterr()
    assert said.err == "" and json.loads(said.out)["rows"] == 16
    assert run_command(push_dataset, "push-dataset", [*words, "--base", "v1.0.0"]) == 2
    said = capsys.readouterr()
    assert json.loads(said.out)["error"]["exit_code"] == 2 and "add --errata" in said.err


def test_dry_run_sends_nothing(hub, tiny):
    done = push(hub, tiny, "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    assert plan["rows"] == 16 and plan["bytes"] == sum(file["bytes"] for file in plan["files"])
    assert {file["path"] for file in plan["files"]} >= {"README.md", "LICENSES.md", "manifest.json"}
    assert hub.ask("GET", "/-/log") == []
    table = push(hub, tiny, "--dry-run")
    assert "nothing was sent" in table.stdout and "v1.0.0" in table.stdout
    assert len(plan["steps"]) == 4 and all(step in table.stdout for step in plan["steps"])
