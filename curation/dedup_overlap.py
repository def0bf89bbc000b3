"""Which questions of a pool stand in other sets too, and what a dataset card says about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import pyarrow.parquet as pq

from benchwright.curation.dedup_grams import METHOD, GramIndex, Grams, grams_of
from benchwright.curation.dedup_sets import OtherSet, set_texts
from benchwright.schemas.duplicates import DuplicatePair
from benchwright.schemas.records import Record
from benchwright.schemas.workspace import Workspace

_AT_ONCE = 20_000
"""Texts of a set that are held at a time; the pool is read once for each such part."""
_TEXTS = 500
"""Texts of other sets that are kept for the page."""


class SetOverlap(Record):
    """One set that a pool was compared with."""

    name: str
    digest: str
    texts: int
    """Of the set."""
    questions: int
    """Of the pool."""
    overlap: int
    """Questions with the same text and the same numbers."""
    other_numbers: int
    """Questions with the same text and other numbers."""

    @property
    def share(self) -> float:
        """Share of the pool's questions that stand in the set, 0..1."""
        return self.overlap / self.questions if self.questions else 0.0


class OverlapReport(Record):
    """`duplicates/<discipline>.overlap.json`."""

    method: str
    threshold: float
    sets: tuple[SetOverlap, ...] = ()


@dataclass
class Overlaps:
    """What the comparison found."""

    report: OverlapReport
    repeats: dict[str, list[str]] = field(default_factory=dict)
    """Question id -> `SET#ID` of what it repeats, numbers and all."""
    pairs: list[DuplicatePair] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    """`SET#ID` -> its text, of the first so many pairs."""


def overlap_path(workspace: Workspace, discipline: str) -> Path:
    """The report on overlap of a discipline. Writer: curate dedup."""
    return workspace.duplicates(discipline).with_name(f"{discipline}.overlap.json")


def read_overlap(workspace: Workspace, discipline: str) -> OverlapReport | None:
    """What a card may say of a discipline's overlap with other sets; None where dedup has not run."""
    path = overlap_path(workspace, discipline)
    return OverlapReport.model_validate_json(path.read_bytes()) if path.is_file() else None


def find_overlaps(pool: Path, sets: Sequence[OtherSet], share: float) -> Overlaps:
    """Compare every question of a pool with every text of other sets.

    Args:
        pool: a table of `Question`s.
        sets: what to compare with.
        share: of the shorter text's grams.
    """
    found = Overlaps(OverlapReport(method=METHOD, threshold=share))
    lines = []
    for other in sets:
        repeats: dict[str, list[DuplicatePair]] = defaultdict(list)
        texts = set_texts(other)
        count = 0
        while part := list(islice(texts, _AT_ONCE)):
            count += len(part)
            for pair, text in _pairs(pool, other.name, part, share):
                repeats[pair.first].append(pair)
                if len(found.texts) < _TEXTS:
                    found.texts[pair.second] = text
        same = {name for name, pairs in repeats.items() if any(p.relation == "overlap" for p in pairs)}
        lines.append(
            SetOverlap(
                name=other.name,
                digest=other.digest,
                texts=count,
                questions=pq.read_metadata(pool).num_rows,
                overlap=len(same),
                other_numbers=len(repeats) - len(same),
            )
        )
        for name, pairs in repeats.items():
            found.pairs += pairs
            if name in same:
                found.repeats.setdefault(name, []).extend(p.second for p in pairs if p.relation == "overlap")
    found.report = OverlapReport(method=METHOD, threshold=share, sets=tuple(lines))
    return found


def _pairs(
    pool: Path, name: str, part: Sequence[tuple[str, str]], share: float
) -> Iterator[tuple[DuplicatePair, str]]:
    index = GramIndex([grams_of(text) for _, text in part], share)
    for question_id, grams in _pool_grams(pool):
        for hit in index.hits(grams):
            other_id, text = part[hit.at]
            pair = DuplicatePair(
                first=question_id,
                second=f"{name}#{other_id}",
                relation="overlap" if hit.same_numbers else "same-template",
                method="shingles",
                similarity=min(1.0, round(hit.share, 6)),
                detail="" if hit.same_numbers else "same text, other numbers",
            )
            yield pair, text


def _pool_grams(pool: Path) -> Iterable[tuple[str, Grams]]:
    with pq.ParquetFile(pool) as file:
        for batch in file.iter_batches(batch_size=1000, columns=["id", "language", "texts"]):
            for row in batch.to_pylist():
                yield row["id"], grams_of(dict(row["texts"])[row["language"]]["question"])
