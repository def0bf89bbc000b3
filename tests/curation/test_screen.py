"""`curate screen` as a stage: one row a question, pictures measured once, same bytes with any number of processes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from PIL import Image, ImageDraw

from benchwright.cli.curate import curate
from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.curation.screen import picture_digests, screen_discipline, screened_out, sheet_path
from benchwright.curation.screen_store import STORE
from benchwright.schemas.errors import NotDone, TamperedError, UsageError
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.screening import ScreenRow
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace


def drawn(path: Path, number: int | None) -> str:
    image = Image.new("RGB", (120, 90), "white")
    if number is not None:
        ImageDraw.Draw(image).line((10, 10, 20 + number, 80), fill="black", width=2)
    image.save(path)
    return path.name


@pytest.fixture
def pool(workspace: Workspace, jsonl: Callable[..., Path]) -> Workspace:
    """Eight questions, three distinct pictures: one is blank, one is shared."""
    folder = jsonl().parent
    line, other, blank = (drawn(folder / f"{i}.png", n) for i, n in enumerate((1, 40, None)))
    stem = "Find the length in <image1> if the scale is one to two."
    ingest(workspace, [jsonl(
        {"id": "a", "question": stem, "images": [line]},
        {"id": "b", "question": stem + " Round it.", "images": [line]},
        {"id": "c", "question": "Which drawing below is a straight line?", "answer": "A",
         "choices": [{"label": "A", "image": line}, {"label": "B", "image": other}]},
        {"id": "d", "question": stem, "images": [blank]},
        {"id": "e", "question": "As shown in the figure, a rod turns. Find its period."},
        {"id": "f", "question": "What is the mass of {{object}} on the moon?"},
        {"id": "g", "question": "What does a body weigh on the moon?", "solution": "See www.example.org/moon."},
        {"id": "h", "question": "Which force acts on it?", "choices": ["gravity", "gravity"], "answer": "B"},
    )], IngestOptions())  # fmt: skip
    return workspace


def test_every_question_has_a_row_and_every_rejection_its_measure(pool: Workspace) -> None:
    result = screen_discipline(pool, "physics", 1)
    rows = read_records(pool.screen("physics"), ScreenRow)
    assert [row.question_id for row in rows] == list("abcdefgh")
    assert screened_out(pool, "physics") == {
        "d": ("image-blank",), "e": ("picture-missing",), "f": ("placeholder",), "h": ("option-repeated",),
    }  # fmt: skip
    assert (result.questions, result.kept, result.pictures, result.measured) == (8, 4, 3, 3)
    assert result.noted_by == {"link": 1}
    assert result.stage.counts is not None and result.stage.counts.reasons == {
        "image-blank": 1, "option-repeated": 1, "picture-missing": 1, "placeholder": 1,
    }  # fmt: skip
    (blank,) = rows[3].findings
    assert (blank.measure, blank.threshold) == (0.0, 0.0005)
    assert blank.image is not None and bytes.fromhex(blank.image) in picture_digests(pool.pool("physics"))


def test_a_second_run_does_nothing_and_a_third_measures_nothing_again(pool: Workspace) -> None:
    first = screen_discipline(pool, "physics", 1)
    again = screen_discipline(pool, "physics", 1)
    assert (again.stage.ran, again.measured) == (False, 0)
    assert (again.rejected_by, again.noted_by, again.pictures) == (first.rejected_by, first.noted_by, 3)
    looser = with_recipe(pool, '\n[screen]\nnote = ["image-blank"]\n')
    third = screen_discipline(looser, "physics", 1)
    assert (third.stage.ran, third.measured, "image-blank" in third.rejected_by) == (True, 0, False)
    (pool.root / STORE).unlink()
    fourth = screen_discipline(pool, "physics", 1)
    assert (fourth.stage.ran, fourth.measured) == (True, 3)


def test_two_processes_write_the_same_bytes_as_one(pool: Workspace) -> None:
    outputs = (pool.screen("physics"), sheet_path(pool, "physics"))
    screen_discipline(pool, "physics", 1)
    alone = [path.read_bytes() for path in outputs]
    for path in (*outputs, pool.root / STORE):
        path.unlink()
    done: list[tuple[int, int]] = []
    screen_discipline(pool, "physics", 2, lambda n, total: done.append((n, total)))
    assert [path.read_bytes() for path in outputs] == alone
    assert done[0] == (3, 11) and done[-1] == (11, 11)


def test_the_sheet_stands_alone_and_shows_the_blank_picture_as_rejected(pool: Workspace) -> None:
    screen_discipline(pool, "physics", 1)
    page = sheet_path(pool, "physics").read_text(encoding="utf-8")
    assert page.count("<h2>") == 7
    assert "below 0.05%, reject; 1 of 3." in page
    assert "http:" not in page and "https:" not in page and 'src="data:image/png;base64,' in page
    assert (page.count("class=beyond"), page.count("; 0 of 3.")) == (1, 6)


def test_damaged_pictures_and_missing_pools_are_errors(pool: Workspace) -> None:
    with pytest.raises(UsageError, match="not screened yet"):
        screened_out(pool, "physics")
    with pytest.raises(UsageError, match="chemistry"):
        screen_discipline(pool, "chemistry", 1)
    with pytest.raises(NotDone):
        screen_discipline(Workspace(pool.root, pool.recipe, dry=True), "physics", 1)
    digest = picture_digests(pool.pool("physics"))[0].hex()
    path = pool.find_image(digest)
    path.chmod(0o600)
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(TamperedError, match=digest):
        screen_discipline(pool, "physics", 1)
    path.unlink()
    with pytest.raises(UsageError, match=digest):
        screen_discipline(pool, "physics", 1)
    assert not pool.screen("physics").exists()


def test_what_was_measured_before_a_run_broke_off_is_not_measured_again(
    workspace: Workspace, jsonl: Callable[..., Path]
) -> None:
    folder = jsonl().parent
    names = [drawn(folder / f"p{number}.png", number) for number in range(70)]
    rows = [
        {"id": f"q{i:02}", "question": "What does the figure show?", "images": [n]}
        for i, n in enumerate(names)
    ]
    ingest(workspace, [jsonl(*rows)], IngestOptions())
    last = workspace.find_image(picture_digests(workspace.pool("physics"))[-1].hex())
    whole = last.read_bytes()
    last.chmod(0o600)
    last.write_bytes(whole[:-1])
    with pytest.raises(TamperedError):
        screen_discipline(workspace, "physics", 1)
    last.write_bytes(whole)
    result = screen_discipline(workspace, "physics", 1)
    assert (result.pictures, result.measured, result.kept) == (70, 6, 70)


def test_the_command_ends_with_a_table_and_the_next_command(pool: Workspace) -> None:
    shown = CliRunner().invoke(curate, ["screen", "--workspace", str(pool.root), "--workers", "1"])
    assert shown.exit_code == 0, shown.output
    for part in ("kept", "rejected by", "image-blank", "noted by", "link", "next: curate dedup"):
        assert part in shown.stdout
    assert "not read for watermarks" in shown.stderr
    told = CliRunner().invoke(curate, ["screen", "--workspace", str(pool.root), "--json"])
    figures: dict[str, Any] = json.loads(told.stdout)["physics"]
    assert (figures["ran"], figures["kept"], figures["rejected"], figures["pictures"]) == (False, 4, 4, 3)


def test_an_unknown_code_in_the_recipe_stops_before_anything_is_written(pool: Workspace) -> None:
    wrong = with_recipe(pool, "\n[screen.thresholds]\nimage-blury = 0.3\n")
    with pytest.raises(UsageError, match=r"image-blury.*image-blurred"):
        screen_discipline(wrong, "physics", 1)
    assert not pool.screen("physics").exists()


def with_recipe(workspace: Workspace, extra: str) -> Workspace:
    toml = default_recipe_toml("test", ("mathematics", "physics", "chemistry"))
    (workspace.root / "benchwright.toml").write_text(toml + extra, encoding="utf-8")
    return Workspace.find(workspace.root)
