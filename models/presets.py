"""Presets: models that stand in the papers or the project's notes, with where and when that was read. Data only.

A preset fills nothing in by itself; it lets a caller say "this id reads text only" or "this is a printed misprint" with
a source in hand. What no source says is None, never a guess.
"""

from __future__ import annotations

import tomllib
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Literal

from benchwright.schemas.records import Record


class Source(Record):
    """Where presets were read."""

    title: str
    place: str
    date: date


class Preset(Record):
    """One model as its source describes it."""

    id: str
    """What the source gives for opening it: an API's id, or the name of a checkpoint."""
    name: str
    """What the source's tables call it."""
    source: Source
    open: bool
    """Weights are published."""
    images: bool
    """The source used it with images."""
    llm_size: str | None = None
    token_limit_field: Literal["max_tokens", "max_completion_tokens"] | None = None
    """Which field limits the reply; None: the source does not say."""
    note: str | None = None


@cache
def load_presets() -> tuple[Preset, ...]:
    """All presets, in the order of the file."""
    data = tomllib.loads(files("benchwright.models").joinpath("presets.toml").read_text(encoding="utf-8"))
    sources = {name: Source.model_validate(entry) for name, entry in data["sources"].items()}
    return tuple(
        Preset.model_validate({**entry, "source": sources[entry["source"]]}) for entry in data["presets"]
    )


def find_preset(model: str) -> Preset | None:
    """The preset of an id, given bare or as `openai/ID` or `local/PATH/ID`; None when no source names it."""
    wanted = model.rsplit("/", 1)[-1]
    return next((preset for preset in load_presets() if preset.id == wanted), None)
