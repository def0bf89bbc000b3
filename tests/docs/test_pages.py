"""Every code block of README and how-tos does what its page says; those that cannot be run here are printed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .pages import blocks
from .reader import ROOT, Reader
from .sources import write_sources

MOST_NOT_RUN = 5
FIVE = {"knowledge-free", "knowledge-lite", "knowledge-rich", "vision-rich", "vision-only"}
README_EDITS = (
    ("budget = 1000", "budget = 4"),
    (
        r"\[selection\]\ndev_per_subject = 5",
        "[selection]\nsubject_tolerance = 1.0\ndifficulty_tolerance = 1.0",
    ),
    ('taxonomy = "visscience"', 'taxonomy = "visscience+sciverse"'),
)
"""Its comment says what to edit in the recipe; here: for so small a pool."""


def follow(reader: Reader, page: str, place: str = ".") -> Path:
    """Follow a page from a folder below the reader's own; returns where the reader stands in the end."""
    reader.place = reader.home / place
    reader.place.mkdir(exist_ok=True)
    reader.follow(blocks(ROOT / page, ROOT))
    return reader.place


def put_workspace(reader: Reader, finished: Path) -> None:
    """A finished workspace where the reader is going to stand."""
    shutil.copytree(finished, reader.home / "bench", ignore=shutil.ignore_patterns(".locks"))


def lines(path: Path) -> int:
    """How many lines a file has."""
    return len(path.read_text(encoding="utf-8").splitlines())


def test_what_cannot_be_run_here_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs" / "howto").glob("*.md"))]
    left = [block for page in pages for block in blocks(page, ROOT) if block.kind == "not run"]
    with capsys.disabled():
        print("\nnot run here:", *(f"  {block.where}: {block.reason}" for block in left), sep="\n")
    assert all(block.reason for block in left) and len(left) <= MOST_NOT_RUN
    followed = Path(__file__).read_text(encoding="utf-8")
    for page in pages:
        assert f'"{page.relative_to(ROOT).as_posix()}"' in followed, f"no test follows {page.name}"


@pytest.mark.labelstudio
def test_readme(reader: Reader) -> None:
    reader.edits = README_EDITS
    place = follow(reader, "README.md")
    assert list(place.glob("release/*/manifest.json")) and list(place.glob("runs/*/scores.json"))


@pytest.mark.long
@pytest.mark.labelstudio
def test_build_like_visscience(reader: Reader) -> None:
    place = follow(reader, "docs/howto/visscience.md", "vis-bench")
    assert {path.name for path in (place / "release" / "v0.1.0" / "data").iterdir()} == {"en", "zh"}
    assert lines(place / "runs" / "first" / "responses.jsonl") == 12, "six questions in two languages"


def test_build_like_sciverse(reader: Reader) -> None:
    write_sources(reader.home)
    place = follow(reader, "docs/howto/sciverse.md")
    assert {path.name for path in (place / "release" / "v0.1.0" / "data" / "en").iterdir()} == FIVE
    assert lines(place / "runs" / "first" / "cot" / "steps.jsonl") > 0


@pytest.mark.long
@pytest.mark.labelstudio
def test_eight_annotators(reader: Reader) -> None:
    place = follow(reader, "docs/howto/eight-annotators.md", "review-bench")
    said = (place / "reviews" / "tagging.verdicts.jsonl").read_text(encoding="utf-8")
    assert '"adjudicated"' in said and '"open"' not in said
    assert "ada" not in (place / "people.json").read_text(encoding="utf-8")


def test_vllm(reader: Reader, finished: Path) -> None:
    put_workspace(reader, finished)
    place = follow(reader, "docs/howto/vllm.md", "bench")
    assert "blind" in (place / "comparison" / "report.md").read_text(encoding="utf-8")


def test_withheld_answers(reader: Reader, finished: Path) -> None:
    put_workspace(reader, finished)
    place = follow(reader, "docs/howto/withheld-answers.md", "bench")
    assert lines(place / "release" / "v0.1.0.answers.jsonl") > 0
    assert list(place.glob("release/v0.1.0/data/en/*/testmini-*.parquet")), "what stays public"
    assert (place / "runs" / "scored" / "report.md").is_file()


@pytest.mark.long
@pytest.mark.labelstudio
def test_extend(reader: Reader) -> None:
    place = follow(reader, "docs/howto/extend.md", "extended")
    assert '"by-length"' in (place / "proposals" / "tagging.jsonl").read_text(encoding="utf-8")
    assert (place / "wide.png").is_file() and (place / "calibrations" / "mine.json").is_file()


@pytest.mark.long
def test_ray(reader: Reader) -> None:
    pytest.importorskip("ray")
    place = follow(reader, "docs/howto/ray.md")
    assert (place / "selection" / "physics.certificate.json").is_file()


def test_troubleshooting(reader: Reader) -> None:
    follow(reader, "docs/howto/troubleshooting.md")
