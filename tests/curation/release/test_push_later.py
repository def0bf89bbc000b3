"""Later releases: readers of main and of older tags see nothing until the new one is verified; faults and repairs."""

from __future__ import annotations

import json

import pytest

from benchwright.schemas.records import Problem
from benchwright.schemas.tables import read_records, write_records

ID = "org/tiny"
HEAD = f"/api/datasets/{ID}"

SCENARIOS = """
import json, os, sys, urllib.request
from pathlib import Path
from huggingface_hub import HfApi, hf_hub_download
from benchwright.curation.release.build import build_release, checked_content
from benchwright.curation.release.push import publish_on_main, push_release
from benchwright.schemas.errors import BenchwrightError
from benchwright.schemas.workspace import Workspace

ID, api = "org/tiny", HfApi()
workspace = Workspace.find(Path(sys.argv[1]))
content, _ = checked_content(workspace)

def steer(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["HF_ENDPOINT"] + path, data=data, method=method)
    return json.loads(urllib.request.urlopen(request).read())

def state():
    refs = api.list_repo_refs(ID, repo_type="dataset")
    return {r.name: r.target_commit for r in refs.branches}["main"], {r.name: r.target_commit for r in refs.tags}

def on_main():
    path = hf_hub_download(ID, "manifest.json", repo_type="dataset", revision=state()[0])
    return json.loads(Path(path).read_text())["tag"]

def release(tag):
    built = build_release(workspace, tag, ID, content)
    try:
        pushed = push_release(built.folder, built.manifest, ID, api, 0.0)
        if pushed.on_main:
            return "whole"
        put = publish_on_main(built.folder, built.manifest, ID, api, pushed.commit, 0.0)
        return "later one there" if put is None else "whole"
    except BenchwrightError as error:
        return str(error)

def commits():
    return len(api.list_repo_commits(ID, revision="main", repo_type="dataset"))
"""

FAULTS = {
    "branch-500": ("/branch/", [500] * 5, False),
    "commit-500": ("/commit/release-", [500] * 5, False),
    "commit-412": ("/commit/release-", [412] * 5, False),
    "commit-401": ("/commit/release-", [401], False),
    "tag-409": ("/tag/", [409] * 5, False),
    "main-500": ("/commit/main", [500] * 5, False),
    "main-412": ("/commit/main", [412] * 5, False),
    "main-401": ("/commit/main", [401], False),
    "main-412-once": ("/commit/main", [412], False),
    "main-502-but-done": ("/commit/main", [502], True),
    "branch-502-but-done": ("/branch/", [502], True),
    "tag-504-but-done": ("/tag/", [504], True),
}
SAID = {
    "branch-500": "could not be made",
    "commit-500": "5 tries",
    "commit-412": "5 tries",
    "commit-401": "login",
    "tag-409": "could not be set",
    "main-500": "5 tries",
    "main-412": "5 tries",
    "main-401": "login",
}


def push(hub, workspace, tag, *more, **environment):
    where = ("--workspace", str(workspace.root), "--tag", tag, "--retry-wait", "0.05")
    return hub.push(ID, *where, *more, **environment)


def refs(hub):
    found = hub.ask("GET", f"{HEAD}/refs")
    return tuple({ref["name"]: ref["targetCommit"] for ref in found[kind]} for kind in ("branches", "tags"))


def shorten(workspace):
    """Another content, so that a later release has files of its own."""
    renders = workspace.renders("clean", "vision-only", "zh")
    (renders / "circuit.png").unlink()
    words = (renders / "rejected.jsonl").read_text()
    (renders / "rejected.jsonl").write_text(words.replace("multi", "circuit"))
    write_records(workspace.problems, read_records(workspace.problems, Problem)[:3], Problem)


def test_each_fault_leaves_readers_as_they_were(hub, tiny):
    """500, 412, 401, 409 at every step of a later release: main and the older tags stay; the next run ends it."""
    code = (
        SCENARIOS
        + """
assert release("v1.0.0") == "whole"
for number, (name, (match, statuses, after)) in enumerate(json.loads(sys.argv[2]).items(), start=1):
    tag, before, count = f"v1.0.{number}", state(), commits()
    steer("POST", "/-/faults", [{"method": "POST", "match": match, "statuses": statuses, "after": after}])
    said = release(tag)
    main, tags = state()
    kept = {key: tags.get(key) for key in before[1]} == before[1]
    unchanged = main == before[0]
    steer("POST", "/-/faults", [])
    again = release(tag)
    report = {"name": name, "said": said, "kept": kept, "unchanged": unchanged, "again": again}
    print(json.dumps(report | {"on_main": on_main() == tag, "commits": commits() - count}))
"""
    )
    done = hub.run(code, str(tiny.root), json.dumps(FAULTS))
    assert done.returncode == 0, done.stderr
    reports = {row["name"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert set(reports) == set(FAULTS)
    for name, row in reports.items():
        assert row["kept"] and row["again"] == "whole" and row["on_main"] and row["commits"] == 1, row
        if name in SAID:
            assert SAID[name] in row["said"] and "\n" not in row["said"] and row["unchanged"], row
        else:
            assert row["said"] == "whole" and not row["unchanged"], row
        assert "hf_testwrite" not in row["said"]


@pytest.mark.parametrize("xet", [False, True], ids=["lfs", "xet"])
def test_main_gets_what_the_tag_holds_and_is_never_taken_back(hub, tiny, xet):
    code = (
        SCENARIOS
        + """
assert release("v1.0.0") == "whole"
built = build_release(workspace, "v1.1.0", ID, content)
pushed = push_release(built.folder, built.manifest, ID, api, 0.0)
assert not pushed.on_main and on_main() == "v1.0.0"
steer("DELETE", "/-/log")
assert publish_on_main(built.folder, built.manifest, ID, api, pushed.commit, 0.0) == state()[0]
sent = [row["path"] for row in steer("GET", "/-/log") if "/-lfs/" in row["path"] or "xet-write" in row["path"]]
def listed(revision):
    items = api.list_repo_tree(ID, recursive=True, revision=revision, repo_type="dataset")
    return {item.path: item.blob_id for item in items if hasattr(item, "blob_id")}
print(json.dumps([sent, listed("main") == listed("v1.1.0"), state()[0] != pushed.commit]))
# A release that main had before, one of a lower version, and the same one again.
print(json.dumps([release("v1.0.0"), release("v1.0.7"), release("v1.1.0"), on_main(), commits()]))
"""
    )
    done = hub.run(code, str(tiny.root), xet=xet)
    assert done.returncode == 0, done.stderr
    first, second = map(json.loads, done.stdout.splitlines())
    assert first == [[], True, True]
    assert second == ["later one there", "later one there", "whole", "v1.1.0", 3]


def test_flipped_byte_keeps_main_and_is_mended(hub, tiny):
    """A damaged file of the new release: main stays; once the Hub knows of its loss, the next run sends it again."""
    assert push(hub, tiny, "v1.0.0", "--no-verify").returncode == 0
    before = refs(hub)
    shorten(tiny)
    new = push(hub, tiny, "v1.0.1", "--no-verify", "--json")
    assert new.returncode == 0 and json.loads(new.stdout)["main"] == "as it was", new.stderr
    damaged = "data/en/vision-only/test-00000-of-00001.parquet"
    hub.ask("POST", "/-/corrupt", {"repo": ID, "path": damaged, "revision": "v1.0.1"})
    bad = push(hub, tiny, "v1.0.1", "--public")
    assert bad.returncode == 1 and "Main is as it was." in bad.stderr and "Traceback" not in bad.stderr
    assert damaged in bad.stdout and refs(hub)[0]["main"] == before[0]["main"]
    assert hub.ask("GET", HEAD)["private"] is True
    assert hub.ask("POST", "/-/scrub") == {"removed": 1}
    good = push(hub, tiny, "v1.0.1", "--public", "--json")
    assert good.returncode == 0, good.stderr
    assert json.loads(good.stdout)["main"] == "this release" and json.loads(good.stdout)["verified"]
    branches, tags = refs(hub)
    assert tags["v1.0.0"] == before[1]["v1.0.0"] and hub.ask("GET", HEAD)["private"] is False
    files = {item["path"] for item in hub.ask("GET", f"{HEAD}/tree/main?recursive=true")}
    assert not any("zh/vision-only" in path for path in files), "files of the older release were left on main"
    assert branches["main"] != tags["v1.0.1"] and len(hub.ask("GET", f"{HEAD}/commits/main")) == 3


def test_missing_image_sends_nothing(hub, tiny):
    image = next((tiny.root / "images").rglob("*.png"))
    data = image.read_bytes()
    image.unlink()
    done = push(hub, tiny, "v1.0.0", "--no-verify")
    assert (
        done.returncode == 2 and "Traceback" not in done.stderr and "ingest its source again" in done.stderr
    )
    assert hub.ask("GET", "/-/log") == []
    image.write_bytes(data)
    assert push(hub, tiny, "v1.0.0", "--no-verify").returncode == 0


def test_pub_01_local_paths_are_not_verified(hub, tiny):
    """PUB-01: a table that holds paths of pictures instead of their bytes is loaded by nobody else: verify says so."""
    code = (
        SCENARIOS
        + """
import pyarrow as pa, pyarrow.parquet as pq
from benchwright.curation.release.verify import verify_release
from benchwright.schemas.digest import sha256_file
from benchwright.schemas.release_table import release_schema
built = build_release(workspace, "v0.9.0", ID, content)
name = "data/en/original/test-00000-of-00001.parquet"
path = built.folder / name
rows = pq.read_table(path).to_pylist()
for row in rows:
    row["images"] = [{"bytes": None, "path": "/home/somebody/" + cell["path"]} for cell in row["images"]]
pq.write_table(pa.Table.from_pylist(rows, schema=release_schema()), path)
files = tuple(
    file.model_copy(update={"sha256": sha256_file(path), "bytes": path.stat().st_size}) if file.path == name else file
    for file in built.manifest.files
)
manifest = built.manifest.model_copy(update={"files": files})
(built.folder / "manifest.json").write_text(manifest.model_dump_json(indent=2) + "\\n")
pushed = push_release(built.folder, manifest, ID, api, 0.0)
steps = []
told = {"report": lambda done, total: steps.append([done, total])}
found = verify_release(ID, "v0.9.0", built.folder, pushed.card_sha256, **told)
print(json.dumps([sorted({failure.what for failure in found.failures}), found.files + found.configs, steps]))
"""
    )
    done = hub.run(code, str(tiny.root))
    assert done.returncode == 0, done.stderr
    kinds, total, steps = json.loads(done.stdout)
    assert kinds == ["image"] and steps == [[number, total] for number in range(1, total + 1)]


MOMENTS = {
    "first-before-upload": ("v1.0.0", "POST", "/preupload/", False),
    "first-after-upload": ("v1.0.0", "PUT", "/-lfs/", True),
    "first-before-commit": ("v1.0.0", "POST", "/commit/", False),
    "first-after-tag": ("v1.0.0", "POST", "/tag/", True),
    "later-after-branch": ("v1.0.1", "POST", "/branch/", True),
    "later-before-commit": ("v1.0.1", "POST", "/commit/release-", False),
    "later-after-commit": ("v1.0.1", "POST", "/commit/release-", True),
    "later-verifying": ("v1.0.1", "HEAD", "/resolve/v1.0.1/", False),
    "later-before-main": ("v1.0.1", "POST", "/commit/main", False),
    "later-after-main": ("v1.0.1", "POST", "/commit/main", True),
}


def caches(folder):
    return sorted(path.name for path in folder.glob("benchwright-verify-*") if path.is_dir())


@pytest.mark.long
@pytest.mark.parametrize("transport", ["lfs", "xet"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_at_ten_moments(hub, tiny, tmp_path, monkeypatch, moment, transport):
    """SIGKILL: main holds the older release or the whole new one, and the second run ends as an undisturbed one."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    tag, method, match, after = MOMENTS[moment]
    xet = transport == "xet"
    if xet and method == "PUT":
        method, match = "GET", "/xet-write-token/"
    if tag != "v1.0.0":
        assert push(hub, tiny, "v1.0.0", "--no-verify", xet=xet).returncode == 0
        before = refs(hub)
        shorten(tiny)
        hub.ask("DELETE", "/-/log")
    hub.kill_push_at(method, match, ID, "--workspace", str(tiny.root), "--tag", tag, after=after, xet=xet)
    readers = "nobody but its owner sees it"
    if tag != "v1.0.0":
        branches, tags = refs(hub)
        assert tags["v1.0.0"] == before[1]["v1.0.0"]
        assert (branches["main"] == before[0]["main"]) == (moment != "later-after-main")
        readers = (
            "main and older tags as they were" if moment != "later-after-main" else "main holds all of v1.0.1"
        )
    elif hub.ask("GET", "/-/log")[-1]["status"] != 404:
        assert hub.ask("GET", HEAD)["private"] is True
    assert len(caches(tmp_path)) == (moment == "later-verifying"), "the moment was another one"
    again = push(hub, tiny, tag, "--json", xet=xet)
    assert again.returncode == 0, again.stderr
    result = json.loads(again.stdout)
    assert result["verified"] and result["main"] == "this release"
    assert len(hub.ask("GET", f"{HEAD}/commits/main")) == (2 if tag == "v1.0.0" else 3)
    assert caches(tmp_path) == [], "the cache of a killed verification was left"
    print(f"SIGKILL {transport} {moment} | {readers} | second run: whole, verified, no cache left")
