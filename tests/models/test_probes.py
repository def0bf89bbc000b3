"""What an endpoint really does: schema enforced or only accepted, image seen or only taken; asked once and kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from benchwright.models.chat import ChatRequest, Message, Sampling
from benchwright.models.probes import Capabilities, probe, with_schema
from benchwright.models.registry import open_model
from benchwright.models.reply_schema import reply_schema
from benchwright.models.scheduler import SchedulerSettings
from benchwright.models.store import CallStore
from benchwright.models.structured import run_structured
from benchwright.models.traffic import EndpointDenied

Server = Callable[..., Any]
CONFORMING = {"json": {"reason": "scattering", "mark": "kelp-4071"}}
PROSE = {"answer": "Because air scatters blue light more."}
SEES = {"has_image": True, "read_digits": True}


class Tag(BaseModel):
    """A flat reply with everything that the subset leaves out."""

    subject: Literal["optics", "mechanics"]
    difficulty: int = Field(ge=1, le=5)
    note: str | None = Field(default=None, pattern="^[a-z]+$", max_length=9)
    reason: str = Field(min_length=1)


def found(server: Any, store: CallStore | None = None, vision: bool = True) -> Capabilities:
    return probe(open_model("openai/m", base_url=server.base_url), store, vision=vision)


@pytest.mark.parametrize(
    ("rules", "mode"),
    [
        pytest.param([{"format": "json_schema", **CONFORMING}, PROSE], "json_schema", id="enforced"),
        pytest.param([PROSE], "none", id="accepted-and-ignored"),
        pytest.param(
            [{"format": "json_schema", "status": 500}, {"format": "json_object", **CONFORMING}, PROSE],
            "json_object",
            id="500-then-the-older-form",
        ),
        pytest.param([{"has_schema": True, "status": 400}, PROSE], "none", id="400-for-both"),
        pytest.param([{"has_schema": True, "status": 500}, PROSE], "none", id="500-for-both"),
        pytest.param([{"json": {"mark": "kelp-4071"}}], "none", id="half-the-fields"),
        pytest.param([{"json": {"reason": "x", "mark": "blue"}}], "none", id="another-word-than-the-enum"),
        pytest.param([{"fence": True, **CONFORMING}], "none", id="fenced-so-not-bound"),
        pytest.param([{"finish_reason": "length", **CONFORMING}], "none", id="never-ends"),
    ],
)
def test_a_schema_is_enforced_only_where_the_reply_conforms(
    openai_server: Server, rules: list[Any], mode: str
) -> None:
    assert found(openai_server({"rules": rules}), vision=False) == Capabilities(schema_mode=mode)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rule", "sees"),
    [
        pytest.param(SEES, True, id="reads-the-pixels"),
        pytest.param({"has_image": True, "answer": "The number is 48213."}, False, id="makes-one-up"),
        pytest.param({"has_image": True, "answer": "I cannot see images."}, False, id="says-so"),
        pytest.param({"has_image": True, "status": 400}, False, id="400"),
        pytest.param({"has_image": True, "status": 500}, False, id="500"),
    ],
)
def test_an_image_is_seen_only_where_its_number_comes_back(
    openai_server: Server, rule: dict[str, Any], sees: bool
) -> None:
    assert found(openai_server({"rules": [rule, PROSE]})).sees_images is sees


def test_found_once_for_each_endpoint_and_model_and_kept(openai_server: Server, tmp_path: Path) -> None:
    rules = [SEES, {"format": "json_schema", "status": 500}, PROSE]
    server = openai_server({"rules": rules})
    expected = Capabilities(schema_mode="none", sees_images=True)
    with CallStore(tmp_path / "calls.sqlite") as store:
        assert found(server, store) == expected
        asked = len(server.requests)
        assert asked == 4, "a 500 is tried twice, then the older form, then the picture"
        server.use({"rules": [{"status": 500}]})
        assert found(server, store) == expected
    with CallStore(tmp_path / "calls.sqlite") as reopened:
        assert found(server, reopened) == expected
        assert len(server.requests) == asked
        other = probe(open_model("openai/other", base_url=server.base_url), reopened)
        assert other == Capabilities(schema_mode="none", sees_images=False) and len(server.requests) > asked
    images = {request.images[0][1] for request in server.requests if request.images}
    assert len(images) == 2, "another model, another number"


def test_an_endpoint_that_is_busy_tells_nothing_and_nothing_is_kept(
    openai_server: Server, tmp_path: Path
) -> None:
    server = openai_server({"rules": [{"status": 429, "retry_after": "0"}]})
    with CallStore(tmp_path / "calls.sqlite") as store:
        assert found(server, store) == Capabilities()
        server.use({"rules": [SEES, CONFORMING]})
        assert found(server, store) == Capabilities(schema_mode="json_schema", sees_images=True)


@pytest.mark.parametrize("vision", [True, False])
@pytest.mark.parametrize("status", [401, 403, 404])
def test_who_is_turned_away_learns_it_here_and_nothing_is_kept(
    openai_server: Server, tmp_path: Path, status: int, vision: bool
) -> None:
    server = openai_server({"rules": [{"status": status}]})
    with CallStore(tmp_path / "calls.sqlite") as store:
        with pytest.raises(EndpointDenied, match=f"HTTP {status}"):
            found(server, store, vision=vision)
        server.use({"rules": [SEES, CONFORMING]})
        assert found(server, store) == Capabilities(schema_mode="json_schema", sees_images=True)


def test_embedded_models_are_not_asked(tmp_path: Path) -> None:
    assert probe(open_model("baseline/random")) == Capabilities(schema_mode="none", sees_images=False)


def test_a_local_model_is_shown_a_picture(llava: Path, llama: Path) -> None:
    for folder in (llava, llama):
        assert probe(open_model(f"local/{folder}")) == Capabilities(schema_mode="none", sees_images=False)


# ---- what is sent then ---------------------------------------------------------------------------------------------


def test_the_schema_is_reduced_to_the_common_subset() -> None:
    assert reply_schema(Tag) == {
        "type": "object",
        "properties": {
            "reason": {"type": "string"},
            "subject": {"type": "string", "enum": ["optics", "mechanics"]},
            "difficulty": {"type": "integer"},
            "note": {"type": ["string", "null"]},
        },
        "required": ["reason", "subject", "difficulty", "note"],
        "additionalProperties": False,
    }
    names = list(reply_schema(Tag)["properties"])  # type: ignore[index, arg-type]
    assert names[0] == "reason", "reasoned before it is decided"


class Inner(BaseModel):
    """A part of a reply."""

    text: str
    show: Literal["band", "text"] = "text"


class Outer(BaseModel):
    """Lists of parts are written out in place."""

    parts: list[Inner]


class Loop(BaseModel):
    """Holds itself."""

    inner: list[Loop]


class Free(BaseModel):
    """Any keys."""

    values: dict[str, str]


class Union(BaseModel):
    """A text or a number."""

    answer: str | int


def test_nested_records_have_no_references_and_what_the_subset_lacks_is_not_sent() -> None:
    schema = reply_schema(Outer)
    assert schema is not None and "$" not in str(schema) and "'enum': ['band', 'text']" in str(schema)
    assert [reply_schema(record) for record in (Loop, Free, Union)] == [None] * 3


@pytest.mark.parametrize(
    ("mode", "form"),
    [
        ("json_schema", {"type": "json_schema"}),
        ("json_object", {"type": "json_object"}),
        ("none", None),
        (None, None),
    ],
)
def test_a_structured_request_carries_the_schema_only_where_it_is_enforced(
    openai_server: Server, mode: Any, form: dict[str, Any] | None
) -> None:
    reply = {"subject": "optics", "difficulty": 3, "note": None, "reason": "a lens"}
    server = openai_server(
        {"rules": [{"match": "could not be used", "json": reply}, {"json": {"subject": "light"}}]}
    )
    (result,) = run_structured(
        open_model("openai/m", base_url=server.base_url),
        [ChatRequest("q", (Message.user("Tag this."),), Sampling(extra={"top_k": 1}))],
        Tag,
        settings=SchedulerSettings(attempts=1),
        capabilities=Capabilities(schema_mode=mode),
    )
    assert result.value == Tag.model_validate(reply)
    assert len(server.requests) == 2, "the re-ask is bound as well"
    for request in server.requests:
        assert request.body["top_k"] == 1
        sent = request.body.get("response_format")
        if form is None:
            assert sent is None
        else:
            assert sent["type"] == form["type"]
            held = sent["json_schema"]["schema"] if mode == "json_schema" else sent["schema"]
            assert held == reply_schema(Tag)


def test_a_record_outside_the_subset_is_asked_for_by_prompt() -> None:
    request = ChatRequest("q", (Message.user("x"),))
    assert with_schema(request, reply_schema(Free), Capabilities(schema_mode="json_schema")) is request
    assert with_schema(request, reply_schema(Tag), None) is request
