"""Fixtures of the curation tests: small real workspaces, pictures and sources made on the spot."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.workspace import Workspace

DISCIPLINES = ("mathematics", "physics", "chemistry")


@pytest.fixture
def make_workspace(tmp_path: Path) -> Callable[..., Workspace]:
    """Factory: an empty workspace whose recipe is the default one plus the given TOML."""

    def make(
        extra: str = "", name: str = "workspace", disciplines: tuple[str, ...] = DISCIPLINES
    ) -> Workspace:
        toml = default_recipe_toml("test", disciplines)
        if "[ingest.fields]" in extra:  # TOML knows a table once
            toml = toml.replace("[ingest.fields]", "#", 1)
        return Workspace.create(tmp_path / name, toml + extra)

    return make


@pytest.fixture
def workspace(make_workspace: Callable[..., Workspace]) -> Workspace:
    return make_workspace()


@pytest.fixture
def jsonl(tmp_path: Path) -> Callable[..., Path]:
    """Factory: a JSON Lines file of rows; physics, English and a licence unless a row says otherwise."""

    def write(*rows: dict[str, Any], name: str = "pool.jsonl") -> Path:
        path = tmp_path / "source" / name
        path.parent.mkdir(exist_ok=True)
        base = {"discipline": "physics", "language": "en", "source_license": "CC0-1.0", "answer": "1"}
        path.write_text("".join(json.dumps({**base, **row}) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


@pytest.fixture
def png() -> Callable[..., bytes]:
    """Factory: bytes of a plain PNG."""
    from PIL import Image

    def make(colour: tuple[int, int, int] = (200, 30, 30), size: tuple[int, int] = (8, 6)) -> bytes:
        stream = io.BytesIO()
        Image.new("RGB", size, colour).save(stream, format="PNG")
        return stream.getvalue()

    return make


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The shared data folder; tests that need it are skipped where it is missing."""
    folder = (
        Path(os.environ.get("BENCHWRIGHT_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "data"
    )
    if not folder.is_dir():
        pytest.skip("the shared data (BENCHWRIGHT_SHARED) is not there")
    return folder


SMALL_POOL: dict[str, list[tuple[str, str, dict[str, Any]]]] = {
    "physics": [
        ("A lens forms an image at {n} cm. Where is the object?", "optics", {}),
        ("A charge of {n} C sits in an electric field. Find the force.", "electromagnetism", {}),
        ("The gas expands at {n} K. Find its pressure.", "thermodynamics", {"difficulty": 4}),
        ("物块质量为 {n} kg，求合力。", "mechanics", {"language": "zh"}),
    ],
    "chemistry": [
        ("Name the alcohol with {n} carbon atoms.", "organic-chemistry", {}),
        ("The cell delivers {n} A. Which mass of copper is deposited?", "electrochemistry", {}),
    ],
}
"""Our own sentences: (text, subject, further fields)."""


@pytest.fixture(scope="session")
def selected_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of 24 questions with 6 chosen in each of two disciplines; never written to."""
    from PIL import Image

    from benchwright.curation.ingest import IngestOptions, ingest
    from benchwright.curation.representatives import choose_representatives

    folder = tmp_path_factory.mktemp("selected")
    rows = []
    for discipline, sentences in SMALL_POOL.items():
        for number in range(12):
            sentence, subject, more = sentences[number % len(sentences)]
            rows.append({
                "id": f"{discipline[:4]}/{number}" if number == 0 else f"{discipline[:4]}-{number:02}",
                "discipline": discipline, "language": "en", "source": "test-source", "source_license": "CC0-1.0",
                "question": sentence.format(n=number + 2), "answer": str(number), "grade": "senior high",
                "knowledge_points": [subject], "image": f"{number}.png", **more,
            })  # fmt: skip
            Image.new("RGB", (40, 30), (number * 9, 0, 99)).save(folder / f"{number}.png")
    source = folder / "pool.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    toml = default_recipe_toml("test", tuple(SMALL_POOL)).replace("budget = 1000", "budget = 6")
    toml = toml.replace("dev_per_subject = 5", "max_per_template = 0")
    toml += "\n[screen]\nenabled = false\n"  # the pictures are one flat colour, which screening turns away
    workspace = Workspace.create(folder / "workspace", toml)
    ingest(workspace, [source], IngestOptions())
    for discipline in SMALL_POOL:
        choose_representatives(workspace, discipline, workers=1)
    return workspace.root


@pytest.fixture
def selected(selected_base: Path, tmp_path: Path) -> Workspace:
    """A copy of the workspace with a selection."""
    return Workspace.find(Path(shutil.copytree(selected_base, tmp_path / "selected")))
