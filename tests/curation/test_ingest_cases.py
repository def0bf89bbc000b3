"""Ingest against what really happened to others (share cases ING-*): each named case is one test."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.schemas.records import Question, Rejected
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

OPTIONS = IngestOptions(license="CC0-1.0", discipline="physics", language="en")


def pool(workspace: Workspace, discipline: str = "physics") -> dict[str, Question]:
    path = workspace.pool(discipline)
    return {q.id: q for q in read_records(path, Question)} if path.is_file() else {}


def rejected(workspace: Workspace) -> dict[str, Rejected]:
    return {r.item_id: r for r in read_records(workspace.pool_rejected, Rejected)}


def source(folder: Path, data: bytes | list[dict[str, Any]], name: str = "pool.jsonl") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    if isinstance(data, list):
        data = "".join(json.dumps(row) + "\n" for row in data).encode()
    path.write_bytes(data)
    return path


def test_ing_01_byte_order_mark_and_crlf_change_nothing(
    tmp_path: Path, make_workspace: Callable[..., Workspace]
) -> None:
    lines = [
        '{"id":"p1","question":"弹簧的劲度系数是多少?","answer":"2","meta":{"grade":9}}',
        '{"id":"p2","question":"Find the net force.\\r\\nShow it.","answer":"3","meta":{"unit":"N"}}',
    ]
    plain = make_workspace('[ingest.fields]\nunit = "meta.unit"\n', "plain")
    marked = make_workspace('[ingest.fields]\nunit = "meta.unit"\n', "marked")
    ingest(plain, [source(tmp_path / "a", "\n".join(lines).encode() + b"\n")], OPTIONS)
    ingest(marked, [source(tmp_path / "b", b"\xef\xbb\xbf" + "\r\n".join(lines).encode() + b"\r\n")], OPTIONS)
    found = pool(marked)
    assert list(found) == ["p1", "p2"]
    assert found["p2"].text.unit == "N"
    assert found["p2"].text.question == "Find the net force.\nShow it."
    assert found["p1"].source_row == lines[0]
    assert plain.pool("physics").read_bytes() == marked.pool("physics").read_bytes()


def test_ing_03_nothing_outside_the_source_folder_is_opened(
    tmp_path: Path, workspace: Workspace, png: Callable[..., bytes]
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    secret = outside / "secret.png"
    secret.write_bytes(png((1, 2, 3)))
    images = tmp_path / "source" / "images"
    images.mkdir(parents=True)
    (images / "link.png").symlink_to(secret)
    (images / "ok.png").write_bytes(png())
    paths = {"s1": "../outside/secret.png", "s2": str(secret), "s3": "images/link.png", "s4": "images/ok.png"}
    rows = [{"id": key, "image": path, "question": "q", "answer": "A"} for key, path in paths.items()]
    ingest(workspace, [source(tmp_path / "source", rows)], OPTIONS)
    assert list(pool(workspace)) == ["s4"]
    refused = rejected(workspace)
    assert {key: record.reason for key, record in refused.items()} == dict.fromkeys(
        ("s1", "s2", "s3"), "image-outside-root"
    )
    assert [record.line for record in refused.values()] == [1, 2, 3]
    kept = [path.read_bytes() for path in (workspace.root / "images").rglob("*.png")]
    assert kept and secret.read_bytes() not in kept


def test_ing_05_cut_and_empty_pictures_reject_their_rows_only(tmp_path: Path, workspace: Workspace) -> None:
    images = tmp_path / "source" / "images"
    images.mkdir(parents=True)
    stream = io.BytesIO()
    Image.effect_noise((200, 200), 60).convert("RGB").save(stream, "JPEG")
    (images / "cut.jpg").write_bytes(stream.getvalue()[: len(stream.getvalue()) // 2])
    (images / "whole.jpg").write_bytes(stream.getvalue())
    (images / "empty.png").write_bytes(b"")
    rows = [
        {"id": name, "image": f"images/{name}", "question": "q", "answer": "A"}
        for name in ("cut.jpg", "empty.png", "whole.jpg")
    ]
    ingest(workspace, [source(tmp_path / "source", rows)], OPTIONS)
    assert list(pool(workspace)) == ["whole.jpg"]
    assert {key: r.reason for key, r in rejected(workspace).items()} == {
        "cut.jpg": "image-truncated",
        "empty.png": "image-empty",
    }


def test_ing_07_a_sideways_photo_is_stored_upright_without_metadata(
    tmp_path: Path, workspace: Workspace
) -> None:
    images = tmp_path / "source" / "images"
    images.mkdir(parents=True)
    picture = Image.new("RGB", (400, 100), "white")
    exif = picture.getexif()
    exif[0x0112], exif[0x010F] = 6, "SecretMaker"
    picture.save(images / "phone.jpg", exif=exif)
    rows = [{"id": "p", "image": "images/phone.jpg", "question": "q", "answer": "A"}]
    ingest(workspace, [source(tmp_path / "source", rows)], OPTIONS)
    (ref,) = pool(workspace)["p"].images
    assert (ref.width, ref.height, ref.conversion) == (100, 400, "orientation")
    published = workspace.read_image(ref.sha256)
    assert b"SecretMaker" not in published
    with Image.open(io.BytesIO(published)) as shown:
        assert shown.size == (100, 400)
        assert dict(shown.getexif()) == {}
    assert (
        workspace.source_image(ref.source_sha256, ".jpg").read_bytes() == (images / "phone.jpg").read_bytes()
    )


def test_ing_09_one_id_on_different_questions_is_quarantined_with_all_lines(
    tmp_path: Path, workspace: Workspace
) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "44", "question": "A car stops in 5 s. Find a.", "answer": "-4"},
        {"id": "44", "question": "Name the gas set free.", "answer": "CO2"},
        {"id": "45", "question": "Untouched.", "answer": "1"},
        {"id": 44, "question": "Balance the equation.", "answer": "2"},
        {"id": "45", "question": "Untouched.", "answer": "1"},
    ]
    (result,) = ingest(workspace, [source(tmp_path / "source", rows)], OPTIONS)
    assert list(pool(workspace)) == ["45"]
    records = read_records(workspace.pool_rejected, Rejected)
    assert [(r.line, r.item_id, r.reason) for r in records] == [
        (1, "44", "id-clash"),
        (2, "44", "id-clash"),
        (4, "44", "id-clash"),
        (5, "45", "repeated-row"),
    ]
    assert all("lines 1, 2 and 4" in r.detail for r in records[:3])
    assert (result.counts.n_in, result.counts.n_kept, result.counts.n_rejected) == (5, 1, 4)


def test_ing_11_half_a_surrogate_pair_and_its_like_reject_their_rows_only(
    tmp_path: Path, workspace: Workspace
) -> None:
    data = (
        b'{"id":"u1","question":"let \\ud835 be the speed","answer":"A"}\n'
        b'{"id":"u2","question":"ok","answer":"B"}\n'
        b'{"id":"u3","question":"raw \xff byte","answer":"B"}\n'
        b'{"id":"u4","question":"nul \\u0000 inside","answer":"B"}\n'
        b'{"id":"u5","question":"a whole pair \\ud835\\udc65","answer":"B"}\n'
        b'{"id":"u6","question":"\\frac{1}{2}","answer":"B"}\n'
        b'{"id":"u7","question":"fine","answer":"B","remark":"half \\ud835 elsewhere"}\n'
    )
    ingest(workspace, [source(tmp_path / "source", data)], OPTIONS)
    found = pool(workspace)
    assert list(found) == ["u2", "u5", "u7"]
    assert found["u5"].text.question == "a whole pair \U0001d465"
    assert json.loads(found["u7"].source_row)["remark"] == "half \ud835 elsewhere"
    assert {r.line: r.reason for r in rejected(workspace).values()} == {
        1: "unpaired-surrogate",
        3: "not-utf8",
        4: "control-character",
        6: "control-character",
    }


def test_ing_13_the_content_decides_what_a_file_is(tmp_path: Path, workspace: Workspace) -> None:
    images = tmp_path / "source" / "images"
    images.mkdir(parents=True)
    stream = io.BytesIO()
    Image.new("RGB", (8, 8), (9, 9, 9)).save(stream, "WEBP", lossless=True)
    (images / "b.jpg").write_bytes(stream.getvalue())
    (images / "c.png").write_text('<svg xmlns="http://www.w3.org/2000/svg"></svg>')
    (images / "d.jpeg").write_bytes(b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00" + bytes(40))
    rows = [
        {"id": name, "image": f"images/{name}", "question": "q", "answer": "A"}
        for name in ("b.jpg", "c.png", "d.jpeg")
    ]
    ingest(workspace, [source(tmp_path / "source", rows)], OPTIONS)
    (ref,) = pool(workspace)["b.jpg"].images
    assert (ref.format, ref.suffix, ref.conversion) == ("png", ".png", "format-webp")
    assert workspace.read_image(ref.sha256).startswith(b"\x89PNG")
    assert workspace.source_image(ref.source_sha256, ".webp").is_file()
    assert {key: r.reason for key, r in rejected(workspace).items()} == {
        "c.png": "image-svg",
        "d.jpeg": "image-heic",
    }


@pytest.mark.parametrize("form", ["path", "bytes-object", "base64", "data-uri", "list"])
def test_one_picture_in_every_form_is_the_same_picture(
    form: str, tmp_path: Path, workspace: Workspace, png: Callable[..., bytes]
) -> None:
    data = png(size=(40, 30))
    coded = base64.b64encode(data).decode()
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "a.png").write_bytes(data)
    value: Any = {
        "path": "a.png",
        "bytes-object": {"bytes": coded, "path": "elsewhere.png"},
        "base64": coded,
        "data-uri": f"data:image/png;base64,{coded}",
        "list": ["a.png", coded],
    }[form]
    rows = [{"id": "p", "images": value, "question": "q", "answer": "1"}]
    ingest(workspace, [source(tmp_path / "source", rows)], OPTIONS)
    question = pool(workspace)["p"]
    assert {ref.source_sha256 for ref in question.images} == {hashlib.sha256(data).hexdigest()}
    assert coded not in question.source_row, "the payload must not stand in the row a second time"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("https://example.org/a.png", "image-remote"),
        ("data:image/png,notbase64", "image-bad-base64"),
        ("missing.png", "image-missing"),
        (7, "image-bad-value"),
        ("iVBORw0KGgo" + "A" * 102, "image-bad-base64"),
    ],
)
def test_what_is_no_picture_rejects_the_row(
    value: Any, reason: str, tmp_path: Path, workspace: Workspace
) -> None:
    rows = [{"id": "p", "image": value, "question": "q", "answer": "1"}]
    ingest(workspace, [source(tmp_path / "source", rows)], OPTIONS)
    assert rejected(workspace)["p"].reason == reason
