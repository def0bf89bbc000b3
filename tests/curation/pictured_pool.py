"""A small pool whose pictures keep executors busy: each question stands in it twice, once in a wider frame."""

from __future__ import annotations

import json
from pathlib import Path

from PIL import Image, ImageDraw, ImageOps

from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.workspace import Workspace

PAIRS = 35
"""Seventy pictures: more than one task of any stage that looks at pictures."""


def write_source(folder: Path, pairs: int = PAIRS) -> Path:
    """Write `pool.jsonl` and its pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number in range(pairs):
        image = Image.new("L", (90, 70), 255)
        draw = ImageDraw.Draw(image)
        draw.line((8, 8 + number, 80 - number, 60), fill=0, width=2)
        draw.ellipse((10 + number, 20, 30 + number, 40), outline=0)
        for side, picture in (("a", image), ("b", ImageOps.expand(image, 25, 255))):
            name = f"{number}{side}.png"
            picture.save(folder / name)
            rows.append(
                {
                    "id": f"q{number:03}{side}", "source": "trial", "source_license": "CC0-1.0",
                    "discipline": "physics", "language": "en", "answer": str(number), "images": [name],
                    "question": f"The figure shows rod {number} and a ring. Where does rod {number} touch the ring?",
                }
            )  # fmt: skip
    source = folder / "pool.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return source


def pictured_workspace(root: Path, source: Path, extra: str = "") -> Workspace:
    """A workspace that has taken the source in.

    Args:
        root: made.
        source: of `write_source`.
        extra: added to the recipe.
    """
    workspace = Workspace.create(root, default_recipe_toml("trial", ("physics",)) + extra)
    ingest(workspace, [source], IngestOptions())
    return workspace


def screened_and_searched(workspace: Workspace) -> dict[str, bytes]:
    """Every artefact of `curate screen` and `curate dedup`, manifests too, by its path."""
    found = {}
    for folder in ("screen", "duplicates", "proposals"):
        for path in sorted((workspace.root / folder).rglob("*")):
            if path.is_file():
                found[path.relative_to(workspace.root).as_posix()] = path.read_bytes()
    return found
