"""Several sources, updates, clashes, damage and kills: the pool is always derived from what was ingested."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.schemas.digest import sha256_file
from benchwright.schemas.errors import LockedError, UsageError
from benchwright.schemas.records import Question, Rejected
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

NOTHING = IngestOptions()


def questions(workspace: Workspace, discipline: str = "physics") -> dict[str, str]:
    return {q.id: q.text.question for q in read_records(workspace.pool(discipline), Question)}


def tree(workspace: Workspace) -> dict[str, str]:
    """Digests of everything that ingest made; locks and a killed writer's hidden leavings are no artefacts."""
    files = (path for part in ("pool", "images") for path in (workspace.root / part).rglob("*"))
    return {
        path.relative_to(workspace.root).as_posix(): sha256_file(path)
        for path in sorted(files)
        if path.is_file() and not path.name.startswith(".")
    }


def test_the_same_source_again_changes_nothing(workspace: Workspace, jsonl: Callable[..., Path]) -> None:
    path = jsonl({"id": "b", "question": "B?"}, {"id": "a", "question": "A?"})
    (first,) = ingest(workspace, [path], NOTHING)
    before = tree(workspace)
    (second,) = ingest(workspace, [path], NOTHING)
    assert (first.ran, second.ran) == (True, False)
    assert tree(workspace) == before
    assert list(questions(workspace)) == ["a", "b"], "a pool is sorted by id"
    assert second.changes == {"new": 0, "changed": 0, "unchanged": 2, "gone": 0}


def test_a_newer_edition_of_a_source_updates_it(workspace: Workspace, jsonl: Callable[..., Path]) -> None:
    ingest(workspace, [jsonl({"id": "a", "question": "old"}, {"id": "b", "question": "gone"})], NOTHING)
    path = jsonl({"id": "a", "question": "new"}, {"id": "c", "question": "more"})
    (result,) = ingest(workspace, [path], NOTHING)
    assert result.changes == {"new": 1, "changed": 1, "unchanged": 0, "gone": 1}
    assert questions(workspace) == {"a": "new", "c": "more"}


def test_sources_add_up_and_move_between_disciplines(
    workspace: Workspace, jsonl: Callable[..., Path]
) -> None:
    first = jsonl({"id": "a", "question": "A?"}, name="one.jsonl")
    second = jsonl(
        {"id": "b", "question": "B?"}, {"id": "m", "question": "M?", "discipline": "math"}, name="two.jsonl"
    )
    ingest(workspace, [first, second], NOTHING)
    assert questions(workspace) == {"a": "A?", "b": "B?"}
    assert questions(workspace, "mathematics") == {"m": "M?"}
    ingest(workspace, [jsonl({"id": "m", "question": "M?"}, name="two.jsonl")], NOTHING)
    assert questions(workspace) == {"a": "A?", "m": "M?"}
    assert questions(workspace, "mathematics") == {}


def test_one_original_source_in_two_files_is_updated_by_the_later_one(
    workspace: Workspace, jsonl: Callable[..., Path]
) -> None:
    ingest(workspace, [jsonl({"id": "a", "question": "v1", "source": "S"}, name="one.jsonl")], NOTHING)
    ingest(workspace, [jsonl({"id": "a", "question": "v2", "source": "S"}, name="two.jsonl")], NOTHING)
    assert questions(workspace) == {"a": "v2"}
    assert read_records(workspace.pool_rejected, Rejected) == []


def test_different_sources_with_one_id_clash_and_the_first_stays(
    workspace: Workspace, jsonl: Callable[..., Path]
) -> None:
    one = jsonl({"id": "44", "question": "first", "source": "S"}, name="one.jsonl")
    ingest(workspace, [one], NOTHING)
    second = [
        {"id": "x", "question": "other", "source": "T"},
        {"id": 44, "question": "second", "source": "T"},
    ]
    two = jsonl(*second, name="two.jsonl")
    ingest(workspace, [two], NOTHING)
    assert questions(workspace) == {"44": "first", "x": "other"}
    (record,) = read_records(workspace.pool_rejected, Rejected)
    assert (record.item_id, record.reason, record.source, record.line) == ("44", "id-clash", "two", 2)
    assert "one, line 1" in record.detail
    # The first source in a newer edition is still the first.
    ingest(
        workspace,
        [jsonl({"id": "44", "question": "first, mended", "source": "S"}, name="one.jsonl")],
        NOTHING,
    )
    assert questions(workspace) == {"44": "first, mended", "x": "other"}


def test_two_sources_of_one_name_are_refused(
    tmp_path: Path, workspace: Workspace, jsonl: Callable[..., Path]
) -> None:
    path = jsonl({"id": "a", "question": "A?"})
    with pytest.raises(UsageError, match="--name"):
        ingest(workspace, [path, path], NOTHING)


def test_a_changed_picture_is_noticed_though_the_table_is_the_same(
    workspace: Workspace, jsonl: Callable[..., Path], png: Callable[..., bytes]
) -> None:
    path = jsonl({"id": "a", "question": "A?", "image": "a.png"})
    (path.parent / "a.png").write_bytes(png((1, 1, 1)))
    ingest(workspace, [path], NOTHING)
    (path.parent / "a.png").write_bytes(png((2, 2, 2)))
    (result,) = ingest(workspace, [path], NOTHING)
    assert result.changes["changed"] == 1


def test_deleted_and_tampered_parts_are_made_again(
    workspace: Workspace, jsonl: Callable[..., Path], png: Callable[..., bytes]
) -> None:
    path = jsonl({"id": "a", "question": "A?", "image": "a.png"})
    (path.parent / "a.png").write_bytes(png())
    ingest(workspace, [path], NOTHING)
    whole = tree(workspace)
    for name in whole:
        if name.startswith("images/source/"):
            continue  # the same file as the published one here
        damaged = workspace.root / name
        damaged.unlink()
        ingest(workspace, [path], NOTHING)
        if name == "pool/sources.jsonl":
            continue
        assert tree(workspace) == whole, f"{name} was deleted"
    workspace.pool("physics").write_bytes(b"tampered")
    ingest(workspace, [path], NOTHING)
    assert tree(workspace) == whole


def test_the_second_writer_is_told_who_holds_the_pool(
    workspace: Workspace, jsonl: Callable[..., Path]
) -> None:
    path = jsonl({"id": "a", "question": "A?"})
    code = (
        "import sys, time; from pathlib import Path; from benchwright.schemas.workspace import Workspace\n"
        "with Workspace.find(Path(sys.argv[1])).lock('ingest'):\n    print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(workspace.root)], stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        try:
            with pytest.raises(LockedError, match=str(holder.pid)):
                ingest(workspace, [path], NOTHING)
        finally:
            holder.kill()
    ingest(workspace, [path], NOTHING)


INGEST = (
    "import sys; from pathlib import Path; from benchwright.curation.ingest import *\n"
    "from benchwright.schemas.workspace import Workspace\n"
    "ingest(Workspace.find(Path(sys.argv[1])), [Path(sys.argv[2])], IngestOptions())"
)


@pytest.mark.parametrize("point", ["first pictures", "half the pictures", "source table written"])
def test_a_killed_ingest_run_again_gives_the_same_bytes(
    point: str, make_workspace: Callable[..., Workspace], tmp_path: Path
) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    n = 240
    rows = []
    for number in range(n):
        (folder / f"{number}.png").write_bytes(noise(number))
        rows.append({
            "id": f"q{number:03}", "question": f"Question {number}?", "answer": "1", "image": f"{number}.png",
            "discipline": ("physics", "chemistry")[number % 2], "language": "en", "source_license": "CC0-1.0",
        })  # fmt: skip
    path = folder / "pool.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    whole = make_workspace(name="whole")
    ingest(whole, [path], NOTHING)
    for attempt in range(5):  # a kill may come too late on a busy machine; then it proves nothing
        killed = make_workspace(name=f"killed-{attempt}")
        run_and_kill(killed, path, lambda: reached(killed.root, point, n))  # noqa: B023
        if tree(killed) != tree(whole):
            break
    else:
        pytest.fail("no run was killed before its end")
    ingest(killed, [path], NOTHING)
    assert tree(killed) == tree(whole)


def reached(root: Path, point: str, n: int) -> bool:
    """Whether a running ingest has come to the point at which it is to be killed."""
    if point == "source table written":
        return (root / "pool" / "sources" / "pool.parquet").exists()
    taken = sum(1 for _ in (root / "images").rglob("*.png"))
    return taken >= (2 if point == "first pictures" else n)  # each picture has two names


def run_and_kill(workspace: Workspace, source: Path, at_point: Callable[[], bool]) -> None:
    """Start a real ingest and kill it at a point; ends normally where it was faster."""
    with subprocess.Popen([sys.executable, "-c", INGEST, str(workspace.root), str(source)]) as process:
        deadline = time.monotonic() + 60
        while process.poll() is None and not at_point():
            assert time.monotonic() < deadline, "the kill point was never reached"
            time.sleep(0.001)
        process.kill()


def noise(seed: int) -> bytes:
    import io
    import random

    from PIL import Image

    stream = io.BytesIO()
    data = random.Random(seed).randbytes(64 * 64)
    Image.frombytes("L", (64, 64), data).save(stream, "PNG")
    return stream.getvalue()


def test_every_reason_and_note_is_documented() -> None:
    """The page that explains reasons names each code that the ingest modules can give."""
    import re

    root = Path(__file__).resolve().parents[2]
    page = (root / "docs" / "ingest.md").read_text(encoding="utf-8")
    codes: set[str] = set()
    for path in [
        *(root / "curation").glob("ingest*.py"),
        *(root / "curation" / name for name in ("sources.py", "fields.py", "options.py")),
    ]:
        text = path.read_text(encoding="utf-8")
        codes |= set(re.findall(r'(?:ItemError|append)\(\(?\s*"([a-z0-9]+(?:-[a-z0-9]+)+)"', text))
        codes |= set(re.findall(r'BadRow\(\s*\w+,\s*"([a-z0-9-]+)"', text))
        codes |= {f"image-{code}" for code in re.findall(r'ImageRejected\(\s*"([a-z0-9-]+)"', text)}
    images = (root / "schemas" / "images.py").read_text(encoding="utf-8")
    codes |= {f"image-{code}" for code in re.findall(r'ImageRejected\(\s*"([a-z0-9-]+)"', images)}
    assert len(codes) > 35
    assert {code for code in codes if f"`{code}`" not in page} == set()
