"""Presets are data with a source; with the shared papers at hand, every id stands in the source that it names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchwright.models.presets import find_preset, load_presets


def test_every_preset_has_a_source_and_is_unique() -> None:
    presets = load_presets()
    ids = [preset.id for preset in presets]
    assert len(ids) == len(set(ids)) and len(ids) >= 25
    assert all(
        preset.source.title and preset.source.place and preset.source.date.year >= 2024 for preset in presets
    )
    assert {preset.token_limit_field for preset in presets} == {None}, "no source names one"


def test_find_by_any_form_of_the_id() -> None:
    seeing = find_preset("openai/gpt-4o")
    assert seeing is not None and seeing.images and not seeing.open
    assert find_preset("gpt-4o") == seeing
    text = find_preset("openai/gpt-3.5-turbo")
    assert text is not None and not text.images
    assert find_preset("local//somewhere/SmolLM2-135M-Instruct.Q4_1.gguf") is not None
    assert find_preset("openai/gpt-5") is None, "what no source names is unknown"
    misprint = find_preset("claude-3-5-sonnet-2024620")
    assert misprint is not None and "as printed" in (misprint.note or "")


def test_the_ids_stand_in_the_paper() -> None:
    shared = Path(os.environ.get("BENCHWRIGHT_SHARED", Path(__file__).resolve().parents[3] / "shared"))
    paper = shared / "papers" / "visscience.txt"
    if not paper.is_file():
        pytest.skip("the shared papers are not there (BENCHWRIGHT_SHARED)")
    rows = [line.split("\t") for line in paper.read_text(encoding="utf-8").splitlines()]
    table = {row[3]: row for row in rows if len(row) == 4}
    for preset in load_presets():
        if preset.source.title.startswith("VisScience"):
            name, inputs, size, _ = table[preset.id]
            assert (preset.name, preset.images, preset.llm_size or "-") == (name, "I" in inputs, size)
