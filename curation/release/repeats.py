"""What the card says of repeats: how pools were searched for them, and how much of a release stands in other sets.

Whoever scores a model on a release has to know how much of it the model may have met in public sets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pydantic import JsonValue

from benchwright.curation.dedup import duplicate_rows, read_report
from benchwright.curation.dedup_overlap import read_overlap
from benchwright.schemas.artefact import manifest_path, read_manifest, stage_state
from benchwright.schemas.jobs import problem_id
from benchwright.schemas.records import Record, ReleaseRow
from benchwright.schemas.workspace import Workspace

THRESHOLDS = {
    "minhash": "Jaccard of 5-character shingles from which two texts are compared",
    "near": "Jaccard from which they may be one question",
    "cosine": "cosine of embeddings from which two texts are compared",
    "cosine_across": "the same between two languages, with equal digits",
    "image_bits": "share of equal bits of two picture hashes",
}
"""Those that the card names, and what they are."""


class SetShare(Record):
    """A pool beside one set that it was compared with."""

    name: str
    texts: int
    pool_share: float
    """Of the pool's questions that the set holds too, 0..1."""
    other_numbers: int
    """Questions of the pool that it holds with other numbers."""
    overlapping: tuple[str, ...]
    """Problems whose question it holds, sorted, whether or not they are published."""


class Repeats(Record):
    """The search for duplicates in the pool of one discipline."""

    discipline: str
    questions: int
    gave_way: int
    """Repeats that are not chosen."""
    groups: int
    disputed: int
    """Groups that still have different answers; at most one of a group is chosen."""
    thresholds: tuple[tuple[str, float], ...]
    current: bool
    """False where the pool or the rules changed after the search."""
    method: str
    """Of the comparison with other sets."""
    threshold: float
    sets: tuple[SetShare, ...]


class SetFigures(Record):
    """A line of the card: one set and one discipline of the release."""

    discipline: str
    name: str
    texts: int
    pool_percent: float
    published: int
    """Problems of the release that the set holds too."""
    published_percent: float
    other_numbers: int


def repeats_of(workspace: Workspace, disciplines: Iterable[str]) -> tuple[Repeats, ...]:
    """What `curate dedup` left for each discipline, by name; none for one that was not searched."""
    found = (_repeats(workspace, name) for name in sorted(set(disciplines)))
    return tuple(one for one in found if one is not None)


def set_figures(repeats: Iterable[Repeats], rows: Collection[ReleaseRow]) -> tuple[SetFigures, ...]:
    """Overlap with other sets, counted over the problems that are published."""
    published: dict[str, set[str]] = {}
    for row in rows:
        published.setdefault(row.discipline, set()).add(row.problem_id)
    lines = []
    for one in repeats:
        here = published.get(one.discipline, set())
        for other in one.sets if here else ():
            n = len(here.intersection(other.overlapping))
            lines.append(
                SetFigures(
                    discipline=one.discipline,
                    name=other.name,
                    texts=other.texts,
                    pool_percent=round(100 * other.pool_share, 2),
                    published=n,
                    published_percent=round(100 * n / len(here), 2),
                    other_numbers=other.other_numbers,
                )
            )
    return tuple(lines)


def _repeats(workspace: Workspace, discipline: str) -> Repeats | None:
    rows_path = workspace.duplicates(discipline)
    manifest = read_manifest(manifest_path(rows_path))
    overlap = read_overlap(workspace, discipline)
    if manifest is None or overlap is None:
        return None
    report = read_report(workspace, discipline)
    names = [other.name for other in overlap.sets]
    held = _held(workspace, discipline, names) if names else {}
    return Repeats(
        discipline=discipline,
        questions=report.questions,
        gave_way=manifest.counts.reasons.get("duplicate", 0) if manifest.counts else report.dropped,
        groups=report.groups,
        disputed=report.disputed,
        thresholds=_thresholds(manifest.parameters.get("thresholds")),
        current=stage_state(workspace, rows_path) == "done",
        method=overlap.method,
        threshold=overlap.threshold,
        sets=tuple(
            SetShare(
                name=other.name,
                texts=other.texts,
                pool_share=other.share,
                other_numbers=other.other_numbers,
                overlapping=tuple(sorted(held[other.name])),
            )
            for other in overlap.sets
        ),
    )


def _held(workspace: Workspace, discipline: str, names: Iterable[str]) -> dict[str, set[str]]:
    """Set -> problems that it holds."""
    held: dict[str, set[str]] = {name: set() for name in names}
    for row in duplicate_rows(workspace, discipline).values():
        for name, problems in held.items():
            if any(place.startswith(f"{name}#") for place in row.overlap):
                problems.add(problem_id(row.question_id))
    return held


def _thresholds(known: JsonValue) -> tuple[tuple[str, float], ...]:
    values = known if isinstance(known, dict) else {}
    return tuple((name, value) for name in THRESHOLDS if isinstance(value := values.get(name), int | float))
