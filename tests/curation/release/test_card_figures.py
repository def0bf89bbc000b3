"""Every number on a card is counted again, from what anybody can download: the tables and `audit/`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from benchwright import __version__
from benchwright.curation.release.audit import read_audit_folder
from benchwright.curation.release.build import build_release, checked_content
from benchwright.curation.release.plots.draw import draw_plots
from benchwright.curation.release.plots.plan import plots_of
from benchwright.curation.release.withheld import answers_path
from benchwright.schemas.records import Problem
from benchwright.schemas.release_table import load_release
from benchwright.schemas.tables import read_records
from benchwright.schemas.taxonomy import load_taxonomy
from benchwright.schemas.workspace import Workspace

from .card_numbers import CONSTANTS, Card, left, numbers, taken_apart
from .conftest import rendered
from .recount import Recount
from .reviewed_release import judged, make_reviewed

REPO = "org/reviewed"
TAG = "v1.0.0"
TAXONOMY = load_taxonomy("visscience", Path())
DOWNLOAD = """
import sys
from huggingface_hub import snapshot_download
print(snapshot_download(sys.argv[1], repo_type="dataset", revision=sys.argv[2], local_dir=sys.argv[3]))
"""


def reviewed(folder: Path, extra: str = "") -> Workspace:
    """A reviewed workspace with pictures, most of them judged by the legibility gate."""
    workspace = make_reviewed(folder, extra)
    for place, item in enumerate(read_records(workspace.problems, Problem)):
        rendered(workspace, item, "vision-only", item.language, ())
        if place % 4 != 3:
            judged(workspace, item, item.language, None if place == 1 else place % 3)
    return workspace


@pytest.fixture
def downloaded(hub: Any, tmp_path: Path) -> Path:
    """A release of a reviewed workspace, pushed with the command and downloaded by its tag into an empty folder."""
    workspace = reviewed(tmp_path / "workspace")
    done = hub.push(REPO, "--workspace", str(workspace.root), "--tag", TAG, "--no-verify")
    assert done.returncode == 0, done.stderr
    got = hub.run(DOWNLOAD, REPO, TAG, str(tmp_path / "download"))
    assert got.returncode == 0, got.stderr
    return tmp_path / "download"


@dataclass(frozen=True)
class Expected:
    """What a card has to say."""

    tables: dict[tuple[str, ...], list[list[str]]]
    pictures: dict[str, list[str]]
    prose: list[str]

    @classmethod
    def of(cls, found: Recount, card: Card) -> Expected:
        """Count what the card has."""
        known = found.tables()
        return cls(
            {name: known[name]() for name in card.tables if name in known}, pictured(found), prose(found)
        )


def troubles(card: Card, expected: Expected) -> list[str]:
    """Numbers of a card that are not what was counted, or that nothing counts."""
    bad = []
    for header, rows in card.tables.items():
        counted = expected.tables.get(header)
        if counted is None:
            bad += [f"{header}: {row}" for row in rows if re.search(r"\d", left(" ".join(row), []))]
        elif rows != counted:
            pairs = zip_longest(rows, counted)
            bad += [f"{header}: {row} is {true}" for row, true in pairs if row != true]
    for path, text in card.pictures.items():
        true = expected.pictures[Path(path).stem]
        bad += [] if numbers(text) == true else [f"{path}: {numbers(text)} is {true}"]
    rest = left(card.prose, expected.prose)
    return bad + [line for line in rest.splitlines() if re.search(r"\d", line)]


def prose(found: Recount) -> list[str]:
    """What a card says in words about figures."""
    rows, ones = found.rows, found.ones
    searches = found.audit("repeats")
    values = dict(pair for one in searches for pair in one["thresholds"])
    names = {
        "minhash": "Jaccard of 5-character shingles from which two texts are compared",
        "near": "Jaccard from which they may be one question",
        "cosine": "cosine of embeddings from which two texts are compared",
        "cosine_across": "the same between two languages, with equal digits",
        "image_bits": "share of equal bits of two picture hashes",
    }
    thresholds = "; ".join(f"{names[name]} {value}" for name, value in values.items())
    splits = ", ".join(
        f"`{name}` ({n} problem{'' if n == 1 else 's'})"
        for name, n in ones.split.value_counts().sort_index().items()
    )
    states = [one["status"] for one in found.checklist["criteria"]]
    sources = len(rows[["source", "source_license"]].drop_duplicates())
    passed, failed, person, later = (
        states.count(name) for name in ("pass", "fail", "needs a person", "after release")
    )
    return [
        f"{len(ones)} problems ~ published in up to {rows.version.nunique()} versions: {len(rows)} rows in all. "
        f"Release `{found.manifest['tag']}`, built with Benchwright {__version__}.",
        f"Splits: {splits}.",
        *([f"How many of the {len(ones)} published problems each job has seen:"] if found.reviewed() else []),
        *([f"Thresholds: {thresholds}."] if searches else []),
        *(
            [f"How: {searches[0]['method']}. Share needed: {searches[0]['threshold']}."]
            if any(one["sets"] for one in searches)
            else []
        ),
        f"{sources} source{'' if sources == 1 else 's'}; `LICENSES.md`",
        f"{passed} passed, {failed} failed, {person} need a person's word, and {later} are measured by runs",
        f"<summary>All {len(states)} criteria</summary>",
        *found.losses(),
        *found.machines(),
    ]


def pictured(found: Recount) -> dict[str, list[str]]:
    """The numbers that the alternative texts of the plots name, in their order."""
    ones = found.ones
    parts = [(name, of) for name, of in ones.groupby("discipline")]
    parts.sort(key=lambda part: -len(part[1]))
    levels = [str(n) for _, of in parts for n in of.difficulty.value_counts().sort_index()]
    shares = [
        text
        for _, of in parts
        for text in (str(len(of)), f"{100 * len(of) / len(ones):.1f}", str(of.subject.value_counts().max()))
    ]
    asked = found.rows[found.rows.question != ""]
    lengths = [
        text
        for (_, _), of in asked.groupby(["place", "language"])
        for text in (f"{of.question.map(len).mean():.1f}", str(of.question.map(len).max()))
    ]
    agreement = ["95"]
    for measure in found.measures():
        kinds = {"nominal": [measure.kappa, measure.alpha], "ordinal": [measure.kappa, measure.alpha]}
        for figure in (*kinds.get(measure.scale or "", [measure.alpha]), measure.equal):
            value = measure.figure(figure)[0]
            agreement += [] if value != value else [f"{round(value, 4):.2f}"]
    pages = [text for row in found.legibility() for text in (row[3], row[2], row[7])]
    points = [text for row in found.points() for text in (row[2], row[1])]
    return {
        "subjects": [str(len(ones)), str(ones.groupby(["discipline", "subject"]).ngroups), *shares],
        "flow": [str(len(ones)), *levels],
        "levels": [str(len(ones)), *levels],
        "lengths": lengths,
        "agreement": agreement,
        "legibility": pages,
        "coverage": points,
    }


def test_every_number_of_the_card_is_counted_again_from_a_download(downloaded: Path) -> None:
    text = (downloaded / "README.md").read_text(encoding="utf-8")
    card, found = taken_apart(text), Recount(downloaded)
    expected = Expected.of(found, card)
    assert troubles(card, expected) == []
    assert {Path(path).name for path in card.pictures} == {
        path.name for path in (downloaded / "plots").iterdir()
    }
    assert len(card.tables) >= 18 and {"agreement", "coverage", "legibility"} <= {
        Path(p).stem for p in card.pictures
    }
    assert any(TAG in code for code in card.code) and found.rows.canary[0] in "".join(card.code)
    changed = list(with_one_figure_changed(text))
    assert len(changed) > 300
    missed = [where for where, other in changed if not noticed(other, expected)]
    assert missed == [], "a wrong figure there would go unnoticed"
    for more in ("Read by 77 people.", "| widgets | n |\n|---|---:|\n| all | 77 |"):
        assert noticed(text.replace("## Integrity\n", f"## Integrity\n\n{more}\n", 1), expected), (
            "nothing counts it"
        )
    drawn = draw_plots(
        plots_of([row for row, _ in load_release(downloaded)], read_audit_folder(downloaded), TAXONOMY)
    )
    assert drawn == {path.name: path.read_bytes() for path in (downloaded / "plots").iterdir()}


def test_figures_of_a_release_that_withholds_its_answers(tmp_path: Path) -> None:
    """Those about the keys can be counted by whoever holds the answers, all others by anybody."""
    workspace = reviewed(tmp_path / "workspace", 'withhold = ["test"]')
    content, findings = checked_content(workspace)
    assert not findings
    folder = build_release(workspace, TAG, REPO, content).folder
    text = (folder / "README.md").read_text(encoding="utf-8")
    card, found = taken_apart(text), Recount(folder, answers_path(workspace, TAG))
    held = found.rows[found.rows.split == "test"]
    assert held.answer.isna().all() and found.rows[found.rows.split == "dev"].answer.notna().all()
    expected = Expected.of(found, card)
    expected.prose.append(f"`test`: {len(held)} rows are published without answer")
    expected.prose.append(f"`evaluate generate {REPO}@{TAG} --model NAME`")
    assert troubles(card, expected) == []


def with_one_figure_changed(text: str) -> Iterator[tuple[str, str]]:
    """The card once for each number of it outside code and wording, with another number there."""
    start = text.index("---\n", 4)
    kept = [match.span() for match in re.finditer(r"```\w*\n.*?```", text, re.DOTALL)]
    kept += [match.span() for match in re.finditer("|".join(CONSTANTS), text, re.IGNORECASE)]
    for match in re.finditer(r"\d+", text):
        if match.start() > start and not any(low <= match.start() < high for low, high in kept):
            other = str((int(match[0][-1]) + 1) % 10)
            yield (
                text[match.start() - 30 : match.end()],
                text[: match.end() - 1] + other + text[match.end() :],
            )


def noticed(text: str, expected: Expected) -> bool:
    try:
        return bool(troubles(taken_apart(text), expected))
    except (AssertionError, KeyError):  # words that have to stand there do not any more
        return True
