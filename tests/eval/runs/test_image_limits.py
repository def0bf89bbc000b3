"""Pictures too large for an endpoint: never a wrong answer, and reduced only by agreement and by a recorded rule."""

from __future__ import annotations

import hashlib
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from benchwright.eval.runs.image_limits import MEGABYTE, base64_length, fitting_bytes, image_policy
from benchwright.eval.runs.spec import ImagePolicy
from benchwright.schemas.errors import ItemError, UsageError
from benchwright.schemas.records import ReleaseRow

Rows = Callable[..., ReleaseRow]
Command = Any  # the fixture `command` of conftest.py


def noise(size: int, mode: str = "RGB", form: str = "PNG") -> bytes:
    """A picture that does not compress."""
    count = size * size * len(mode)
    stream = io.BytesIO()
    Image.frombytes(mode, (size, size), random.Random(size).randbytes(count)).save(stream, format=form)
    return stream.getvalue()


def form_of(data: bytes) -> tuple[str | None, str]:
    with Image.open(io.BytesIO(data)) as image:
        return image.format, image.mode


def test_eva_11_a_picture_too_large_as_base64_is_not_run_and_never_wrong(
    command: Command, release: Any, row: Rows, png: Any, openai_server: Any, tmp_path: Path
) -> None:
    large = noise(300)  # 270,000 bytes of noise: 260 kB, 350 kB as base64
    limit = 0.3
    assert len(large) < limit * MEGABYTE < base64_length(large)  # what counts is what travels
    folder = release([row("p0", images=[png(1)]), row("p1", images=[large])], [png(1), large]).folder
    server = openai_server({"rules": [{"answer": "Answer: B"}]})
    ask = (folder, "--model", "openai/m", "--base-url", server.base_url, "--image-limit", limit)

    scores = command.json(*ask, "--out", tmp_path / "run", code=1)
    cell = next(cell for cell in scores["cells"] if cell["by"] == [])
    assert scores["statuses"] == {"ok": 1, "unsendable": 1}
    assert (cell["consistent"], cell["inconsistent"], cell["not_run"], cell["n_scored"]) == (1, 0, 1, 1)
    assert len(server.requests) == 1
    (refused,) = [
        response
        for line in (tmp_path / "run/responses.jsonl").read_text().splitlines()
        if (response := json.loads(line))["row_id"] == "p1"
    ]
    assert refused["detail"].startswith("image-too-large: ")
    assert f"the limit is {round(limit * MEGABYTE):,}" in refused["detail"]

    sent = []
    for name in ("first", "second"):
        done = command.json(*ask, "--downscale-images", "--out", tmp_path / name)
        assert done["statuses"] == {"ok": 2}
        assert done["spec"]["image_policy"] == {
            "kind": "downscale",
            "limit": round(limit * MEGABYTE),
            "rule": "tenths.1",
        }
        pictures = {data for request in server.requests[-2:] for _, data in request.images}
        assert png(1) in pictures  # what fits travels as it is
        sent.append(pictures - {png(1)})
        lines = [json.loads(line) for line in (tmp_path / name / "responses.jsonl").read_text().splitlines()]
        assert {line["row_id"]: line["reduced_images"] for line in lines} == {"p0": 0, "p1": 1}
    assert sent[0] == sent[1]
    (reduced,) = sent[0]
    assert base64_length(reduced) <= limit * MEGABYTE
    assert form_of(reduced) == ("PNG", "RGB")
    assert done["run_id"] != scores["run_id"]


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (noise(200, form="JPEG"), "JPEG"),
        (noise(200, mode="RGBA"), "PNG"),
        (noise(200, mode="L"), "PNG"),
    ],
    ids=["jpeg", "rgba", "grey"],
)
def test_a_reduced_picture_keeps_its_form_and_has_no_transparency(data: bytes, form: str) -> None:
    policy = ImagePolicy(kind="downscale", limit=base64_length(data) - 1, rule="tenths.1")
    reduced = fitting_bytes(data, policy)
    assert base64_length(reduced) <= (policy.limit or 0)
    assert form_of(reduced) == (form, "RGB")
    assert fitting_bytes(data, policy) == reduced
    assert fitting_bytes(data, ImagePolicy(limit=base64_length(data))) == data


def test_a_picture_that_no_reduction_makes_fit_is_refused() -> None:
    with pytest.raises(ItemError, match="at a tenth of its size too"):
        fitting_bytes(noise(100), ImagePolicy(kind="downscale", limit=100, rule="tenths.1"))


def test_limits_are_known_by_host_or_said_by_the_user() -> None:
    assert image_policy("api.anthropic.com", None, False) == ImagePolicy(limit=5 * MEGABYTE)
    assert image_policy("127.0.0.1", None, False) == ImagePolicy()
    assert image_policy("127.0.0.1", 2.5, True).limit == round(2.5 * MEGABYTE)
    with pytest.raises(UsageError, match=r"none is known for 127\.0\.0\.1"):
        image_policy("127.0.0.1", None, True)


def test_an_endpoint_that_refuses_the_size_itself_is_understood(
    command: Command, release: Any, row: Rows, png: Any, openai_server: Any, tmp_path: Path
) -> None:
    too_large = {"message": "image exceeds 5 MB maximum: 6143212 bytes > 5242880 bytes", "code": None}
    server = openai_server(
        {"rules": [{"match": "Item p0", "status": 400, "error": too_large}, {"answer": "B"}]}
    )
    folder = release([row("p0", images=[png(1)]), row("p1", images=[png(2)])], [png(1), png(2)]).folder
    ask = (folder, "--model", "openai/m", "--base-url", server.base_url)
    scores = command.json(*ask, code=1)
    assert scores["statuses"] == {"ok": 1, "unsendable": 1}
    assert len(server.requests) == 2
    sent = {hashlib.sha256(data).hexdigest() for request in server.requests for _, data in request.images}
    assert sent == {hashlib.sha256(png(i)).hexdigest() for i in (1, 2)}
