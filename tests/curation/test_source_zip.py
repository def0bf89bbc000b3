"""Archives as sources: any other format with its pictures, and nothing that reaches out or fills the disk."""

from __future__ import annotations

import json
import stat
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.curation.source_zip import ZipLimits, unpacked
from benchwright.curation.sources import SourceRow, read_rows
from benchwright.schemas.digest import sha256_file
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Question, Rejected
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

from .public_shapes import write_gaokao_mm

OPTIONS = IngestOptions(license="CC0-1.0", discipline="physics", language="en")


def archive(path: Path, files: dict[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in files.items():
            opened.writestr(name, data)
    return path


def row(name: str, image: str) -> str:
    return json.dumps({"id": name, "question": f"What is {name}?", "answer": "1", "image": image}) + "\n"


def test_files_of_several_formats_with_their_pictures(
    tmp_path: Path, workspace: Workspace, png: Callable[..., bytes]
) -> None:
    path = archive(tmp_path / "set.zip", {
        "__MACOSX/set/._a.jsonl": b"\0", "set/.DS_Store": b"\0",
        "set/one/a.jsonl": row("a", "pics/1.png") + row("b", "set.png") + "{\n",
        "set/one/pics/1.png": png((1, 0, 0)), "set/set.png": png((2, 0, 0)),
        "set/two/page.html": '<article id="c" data-answer="1">What is c?<img src="pics/1.png"></article>',
        "set/two/pics/1.png": png((3, 0, 0)), "set/table.csv": "id,question,answer\nd,What is d?,2.50\n",
    })  # fmt: skip
    before = set(Path(tempfile.gettempdir()).glob("benchwright-*"))
    (result,) = ingest(workspace, [path], OPTIONS)
    assert set(Path(tempfile.gettempdir()).glob("benchwright-*")) <= before, "nothing stays behind"
    assert (result.name, result.counts.n_in, result.counts.n_kept) == ("set", 5, 4)
    found = {q.id: q for q in read_records(workspace.pool("physics"), Question)}
    reds = {
        name: sha256_file(workspace.source_image(q.images[0].source_sha256, ".png"))
        for name, q in found.items()
        if q.images
    }
    assert len(set(reds.values())) == 3, "the same path in two folders is two pictures"
    (bad,) = read_records(workspace.pool_rejected, Rejected)
    assert (bad.reason, "[one/a.jsonl, row 3]" in bad.detail) == ("bad-json", True)
    (again,) = ingest(workspace, [path], OPTIONS)
    assert not again.ran, "the same archive again is nothing new, wherever it was unpacked"


def test_a_public_source_in_an_archive(tmp_path: Path, make_workspace: Callable[..., Workspace]) -> None:
    folder = write_gaokao_mm(tmp_path / "GAOKAO-MM-main")
    path = tmp_path / "GAOKAO-MM.zip"
    with zipfile.ZipFile(path, "w") as opened:
        for file in sorted(folder.rglob("*")):
            opened.write(file, file.relative_to(tmp_path).as_posix())
    packed, plain = make_workspace(name="packed"), make_workspace(name="plain")
    ingest(packed, [path], IngestOptions(name="g", preset="gaokao-mm"))
    ingest(plain, [folder], IngestOptions(name="g", preset="gaokao-mm"))
    assert sha256_file(packed.pool("physics")) == sha256_file(plain.pool("physics"))


def test_names_that_windows_wrote_in_chinese(tmp_path: Path) -> None:
    entry = zipfile.ZipInfo("物理题.jsonl".encode("gb18030").decode("cp437"))
    path = tmp_path / "p.zip"
    with zipfile.ZipFile(path, "w") as opened:
        opened.writestr(entry, row("a", "x.png"))
    data = bytearray(path.read_bytes())
    # zipfile marks every name that is not ASCII as UTF-8 and writes it so: put the old spelling in its place.
    wrong, right = entry.filename.encode("utf-8"), "物理题.jsonl".encode("gb18030")
    assert data.count(wrong) == 2
    old = zipfile.ZipFile(path).infolist()[0]
    assert old.flag_bits & 0x800
    data = bytearray(_renamed(bytes(data), wrong, right))
    path.write_bytes(data)
    with unpacked(path) as folder:
        assert [file.name for file in folder.iterdir()] == ["物理题.jsonl"]


def _renamed(data: bytes, wrong: bytes, right: bytes) -> bytes:
    """An archive of one file with another name, without the UTF-8 mark."""
    cut = len(wrong) - len(right)
    local, central, end = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    head, directory, tail = (
        bytearray(data[local:central]),
        bytearray(data[central:end]),
        bytearray(data[end:]),
    )
    head[6:8], directory[8:10] = b"\0\0", b"\0\0"
    head[26:28] = directory[28:30] = len(right).to_bytes(2, "little")
    tail[12:16] = (len(directory) - cut).to_bytes(4, "little")
    tail[16:20] = (central - cut).to_bytes(4, "little")
    return bytes(head).replace(wrong, right) + bytes(directory).replace(wrong, right) + bytes(tail)


@pytest.mark.parametrize(
    "name", ["../out.jsonl", "/abs.jsonl", "a/../../out.jsonl", "C:\\out.jsonl", "..\\out.jsonl"]
)
def test_names_that_leave_the_archive_are_refused_before_anything_is_written(
    name: str, tmp_path: Path
) -> None:
    path = archive(tmp_path / "p.zip", {"first.jsonl": row("a", "x.png"), name: "{}"})
    with pytest.raises(UsageError, match="leaves the archive"):
        list(read_rows(path))
    assert [file.name for file in tmp_path.iterdir()] == ["p.zip"]


def test_links_are_refused(tmp_path: Path) -> None:
    entry = zipfile.ZipInfo("secret.png")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = tmp_path / "p.zip"
    with zipfile.ZipFile(path, "w") as opened:
        opened.writestr("a.jsonl", row("a", "secret.png"))
        opened.writestr(entry, "/etc/hostname")
    with pytest.raises(UsageError, match="a link or a device"):
        list(read_rows(path))


def test_bombs_are_refused_unread(tmp_path: Path) -> None:
    path = archive(tmp_path / "p.zip", {"a.jsonl": b" " * 30_000_000})
    with pytest.raises(UsageError, match="decompression bomb"):
        list(read_rows(path))
    many = archive(tmp_path / "many.zip", {f"{n}.jsonl": b" " * 900_000 for n in range(20)})
    with pytest.raises(UsageError, match="decompression bomb"):
        list(read_rows(many))
    fine = archive(tmp_path / "fine.zip", {"a.jsonl": row("a", ""), "b.jsonl": row("b", "")})
    for limits in (ZipLimits(files=1), ZipLimits(total_bytes=10)):
        with pytest.raises(UsageError, match=r"holds 2 files|bomb"), unpacked(fine, limits):
            pass


def test_a_size_that_lies_is_noticed(tmp_path: Path) -> None:
    path = archive(tmp_path / "p.zip", {"a.jsonl": row("a", "") * 3000})
    data = path.read_bytes()
    real = zipfile.ZipFile(path).infolist()[0].file_size.to_bytes(4, "little")
    path.write_bytes(data.replace(real, (100).to_bytes(4, "little")))
    with pytest.raises(UsageError, match="damaged"):
        list(read_rows(path))


def test_an_encrypted_or_empty_archive_and_one_in_another_are_told_so(tmp_path: Path) -> None:
    path = archive(tmp_path / "p.zip", {"a.jsonl": row("a", "")})
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(UsageError, match="encrypted"):
        list(read_rows(path))
    with pytest.raises(UsageError, match=r"holds no \.jsonl"):
        list(read_rows(archive(tmp_path / "empty.zip", {"readme.txt": "hello"})))
    inner = path.read_bytes()
    with pytest.raises(UsageError, match="archive in an archive"):
        list(read_rows(archive(tmp_path / "outer.zip", {"p.zip": inner})))


def test_what_the_disk_cannot_hold_is_told_so(tmp_path: Path) -> None:
    for files in ({f"{'n' * 300}.jsonl": "{}"}, {"a.jsonl": "{}", "a.jsonl/b.jsonl": "{}"}):
        with pytest.raises(UsageError, match="cannot be unpacked"):
            list(read_rows(archive(tmp_path / "p.zip", files)))


def test_rows_count_through_all_files(tmp_path: Path) -> None:
    path = archive(tmp_path / "p.zip", {"b.jsonl": row("b1", "") + row("b2", ""), "a.jsonl": row("a1", "")})
    found = [(r.line, r.values["id"], r.place) for r in read_rows(path) if isinstance(r, SourceRow)]
    assert found == [(1, "a1", "a.jsonl, row 1"), (2, "b1", "b.jsonl, row 1"), (3, "b2", "b.jsonl, row 2")]
