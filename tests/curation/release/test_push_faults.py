"""Every fault of a push, through the command: what readers see, the one sentence it says, and the second run.

Each case prints a line of the table that the log of the long tests shows: fault, exit code, readers, sentence, second
run. Both transports are gone through, since what lies before a commit differs between them.
"""

from __future__ import annotations

import json
import urllib.error
from dataclasses import dataclass, field
from typing import Any

import pytest

from benchwright.schemas.records import Problem
from benchwright.schemas.tables import read_records, write_records

ID = "org/tiny"
HEAD = f"/api/datasets/{ID}"
TABLE = "data/en/vision-only/test-00000-of-00001.parquet"


@dataclass(frozen=True)
class Fault:
    """What is planted, and what must come of it."""

    says: str
    """Part of the sentence; empty: the run mends it by itself."""
    fail: tuple[dict[str, Any], ...] = ()
    before: tuple[dict[str, Any], ...] = ()
    code: int = 1
    environment: dict[str, str] = field(default_factory=dict)
    only: str = ""
    """`lfs`, `xet`: the other transport has no such request."""
    gone: bool = False
    """The repository is deleted."""


def refuse(match, *statuses, method="POST", after=False):
    return {"method": method, "match": match, "statuses": list(statuses), "after": after}


def when_verifying(tag, do):
    return (
        {"method": "GET", "match": f"/tree/{tag}$", "do": do, "repo": ID, "path": TABLE, "revision": tag},
    )


def faults(tag, branch):
    """All faults of a release; `branch`: where its commit goes first."""
    commit = f"/commit/{branch}"
    return {
        "upload-401": Fault("does not accept this login", (refuse("/preupload/", 401),), code=2),
        "upload-lfs-500": Fault("", (refuse("/-lfs/", 500, 503, method="PUT"),), only="lfs"),
        "upload-xet-401": Fault(
            "does not accept this login", (refuse("/xet-write-token/", 401, method="GET"),), code=2, only="xet"
        ),
        "commit-500": Fault("5 tries", (refuse(commit, *[500] * 5),)),
        "commit-500-once": Fault("", (refuse(commit, 500),)),
        "commit-502-but-done": Fault("", (refuse(commit, 502, after=True),)),
        "commit-412": Fault("5 tries", (refuse(commit, *[412] * 5),)),
        "commit-412-once": Fault("", (refuse(commit, 412),)),
        "commit-401": Fault("does not accept this login", (refuse(commit, 401),), code=2),
        "tag-409": Fault("could not be set", (refuse("/tag/", *[409] * 5),)),
        "tag-504-but-done": Fault("", (refuse("/tag/", 504, after=True),)),
        "login-wrong": Fault("does not accept this login", code=2, environment={"HF_TOKEN": "hf_wrongwrong"}),
        "flipped-byte": Fault("is not what was built", before=when_verifying(tag, "corrupt")),
        "deleted": Fault("is not there any more", before=when_verifying(tag, "delete"), gone=True),
    }  # fmt: skip


LATER = {
    "main-500": Fault("5 tries", (refuse("/commit/main", *[500] * 5),)),
    "main-412": Fault("5 tries", (refuse("/commit/main", *[412] * 5),)),
    "main-401": Fault("does not accept this login", (refuse("/commit/main", 401),), code=2),
    "main-502-but-done": Fault("", (refuse("/commit/main", 502, after=True),)),
    "branch-500": Fault("could not be made", (refuse("/branch/", *[500] * 5),)),
}
FIRST = faults("v1.0.0", "main")
NEXT = faults("v1.0.1", "release-v1.0.1") | LATER
BOTH = (
    "upload-401",
    "upload-xet-401",
    "commit-500",
    "commit-412",
    "main-500",
    "main-502-but-done",
    "flipped-byte",
    "deleted",
)
"""What is gone through on both transports; elsewhere the requests are the same ones."""
CASES = [
    (kind, name, transport)
    for kind, known in (("first", FIRST), ("later", NEXT))
    for name, fault in known.items()
    for transport in ("lfs", "xet")
    if fault.only in ("", transport) and (transport == "lfs" or name in BOTH)
]
QUICK = {("first", "deleted", "lfs")}


def push(hub, workspace, tag, transport, *more, **environment):
    where = ("--workspace", str(workspace.root), "--tag", tag, "--retry-wait", "0.05")
    return hub.push(ID, *where, *more, xet=transport == "xet", **environment)


def shorten(workspace):
    """Another content, so that a later release has files of its own."""
    renders = workspace.renders("clean", "vision-only", "zh")
    (renders / "circuit.png").unlink()
    words = (renders / "rejected.jsonl").read_text()
    (renders / "rejected.jsonl").write_text(words.replace("multi", "circuit"))
    write_records(workspace.problems, read_records(workspace.problems, Problem)[:3], Problem)


def seen(hub):
    """What a reader finds: main, the tags, and whether the dataset is private; nothing where there is none."""
    try:
        refs = hub.ask("GET", f"{HEAD}/refs")
    except urllib.error.HTTPError as error:
        assert error.code == 404
        return None, {}, None
    main, tags = ({ref["name"]: ref["targetCommit"] for ref in refs[kind]} for kind in ("branches", "tags"))
    return main["main"], tags, hub.ask("GET", HEAD)["private"]


@pytest.mark.parametrize(
    ("kind", "name", "transport"),
    [
        pytest.param(*case, id="-".join(case), marks=() if case in QUICK else pytest.mark.long)
        for case in CASES
    ],
)
def test_each_fault_ends_whole_or_unchanged(hub, tiny, kind, name, transport):
    fault = (FIRST if kind == "first" else NEXT)[name]
    tag = "v1.0.0"
    if kind == "later":
        released = push(hub, tiny, tag, transport, "--no-verify")
        assert released.returncode == 0, released.stderr
        shorten(tiny)
        tag = "v1.0.1"
    before = seen(hub)
    hub.fail(*fault.fail)
    hub.ask("POST", "/-/before", list(fault.before))
    first = push(hub, tiny, tag, transport, "--public", **fault.environment)
    hub.fail()
    sentence = first.stderr.strip().splitlines()[-1]
    assert "Traceback" not in first.stderr and "hf_" not in first.stdout + first.stderr
    main, tags, private = seen(hub)
    if fault.gone:
        assert (main, tags) == (None, {})
        readers = "the dataset is gone"
    elif not fault.says:
        assert first.returncode == 0 and tag in tags and private is False, first.stderr
        readers = "released whole"
    else:
        assert private is not False, "made public without a verification"
        assert main == before[0] or kind == "first", "main changed"
        assert {key: value for key, value in tags.items() if key != tag} == before[1], "an older tag changed"
        readers = (
            "private, main and older tags as they were" if kind == "later" else "nobody but its owner sees it"
        )
    if fault.says:
        assert first.returncode == fault.code and sentence.startswith("Error: ") and fault.says in sentence, (
            first.stderr
        )
    hub.ask("POST", "/-/scrub")
    again = push(hub, tiny, tag, transport, "--public", "--json")
    assert again.returncode == 0, again.stdout + again.stderr
    result = json.loads(again.stdout)
    assert result["verified"] and result["main"] == "this release" and result["visibility"] == "public"
    now = seen(hub)
    assert tag in now[1] and now[2] is False
    assert fault.gone or {key: now[1][key] for key in before[1]} == before[1]
    commits = len(hub.ask("GET", f"{HEAD}/commits/main"))
    assert commits == (2 if kind == "first" or fault.gone else 3), "a commit was made twice"
    told = sentence.removeprefix("Error: ") if first.returncode else "(none: the run mended it)"
    print(
        f"{kind} {transport} {name} | exit {first.returncode} | {readers} | {told} | second run: whole, verified"
    )
