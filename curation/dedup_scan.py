"""First pass over a pool: a few numbers for each question, never its text.

A shard is one row group of the pool's table. What comes back of a question is its id and 64-bit keys of its parts, by
which everything that is exactly equal is found by sorting; 600,000 questions take about 400 MB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchwright.curation.dedup_minhash import HASHES, Keys, Signatures, signature
from benchwright.curation.dedup_numbers import masked, numbers, written_digits
from benchwright.curation.dedup_text import STEM_END, canonical, key_of, normal, squashed
from benchwright.curation.executor import Executor

COLUMNS = ("id", "source", "language", "texts", "images")


@dataclass(frozen=True)
class Written:
    """A question as the comparison sees it."""

    question_id: str
    source: str
    language: str
    stem: str
    """Normal form."""
    options: tuple[str, ...]
    """Canonical forms, sorted; a picture stands as its digest."""
    images: tuple[str, ...]
    """Digests of the question's own pictures, sorted."""
    right: tuple[str, ...]
    """The answer whatever the options' order: canonical forms of the right options, or of a free answer; empty where
    an answer names no option."""

    @cached_property
    def canonical_stem(self) -> str:
        """The stem without blanks and punctuation."""
        return squashed(self.stem)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The stem's numbers, sorted."""
        return numbers(self.stem)

    @cached_property
    def text(self) -> str:
        """Canonical stem and sorted options in one."""
        return self.canonical_stem + STEM_END + STEM_END.join(self.options)


def written(row: dict[str, Any]) -> Written:
    """A question from a row of the pool's table that holds `COLUMNS`."""
    text = dict(row["texts"])[row["language"]]
    choices = text["choices"]
    return Written(
        question_id=row["id"],
        source=row["source"],
        language=row["language"],
        stem=normal(text["question"]),
        options=tuple(sorted(_option(choice) for choice in choices)),
        images=tuple(sorted(image["sha256"] for image in row["images"])),
        right=_right(choices, text["answer"]),
    )


def _right(choices: Sequence[dict[str, Any]], answer: str) -> tuple[str, ...]:
    if not choices:
        return (canonical(answer),) if answer.strip() else ()
    options = {choice["label"]: _option(choice) for choice in choices}
    labels = [answer] if answer in options else list(answer)
    return tuple(sorted(options[label] for label in labels)) if all(one in options for one in labels) else ()


def _option(choice: dict[str, Any]) -> str:
    picture = choice["image"]["sha256"] if choice["image"] else ""
    return squashed(normal(choice["text"] or "")) + picture


@dataclass
class Scan:
    """Keys of all questions of a pool, in the order of its table; arrays of [n]."""

    ids: list[str]
    sources: NDArray[np.int32]
    """Place in `source_names`."""
    source_names: list[str]
    languages: NDArray[np.int32]
    """Place in `language_names`."""
    language_names: list[str]
    groups: NDArray[np.int32]
    """Row group of the table."""
    stem: Keys
    text: Keys
    """Stem and options."""
    images: Keys
    numbers: Keys
    """Of stem and options: the guard."""
    digits: Keys
    """Of the stem, in digits only: what a translation keeps."""
    template: Keys
    """Stem with masked numbers, and how many pictures."""
    answered: Keys
    """Stem and right answer; `NO_ANSWER` where the answer names nothing."""
    signatures: Signatures
    """[n, HASHES]; empty once its pairs were found (`spent`)."""

    def spent(self) -> Scan:
        """The scan without its signatures, half a kilobyte a question that only the first layer reads."""
        return replace(self, signatures=np.empty((0, HASHES), np.uint32))


NO_DIGITS = np.uint64(key_of())
"""`Scan.digits` of a stem without digits."""
NO_ANSWER = np.uint64(key_of())
_PARTS = ("stem", "text", "images", "numbers", "digits", "template", "answered")


@dataclass(frozen=True)
class _Shard:
    ids: list[str]
    sources: list[str]
    languages: list[str]
    keys: Keys
    """[len(_PARTS), n]"""
    signatures: Signatures


def scan_pool(
    pool: Path, executor: Executor, report: Callable[[int, int], None] = lambda done, total: None
) -> Scan:
    """Read a pool's table once, row group by row group.

    Args:
        pool: a table of `Question`s.
        executor: who reads the row groups.
        report: told (questions read, questions).
    """
    with pq.ParquetFile(pool) as file:
        n, row_groups = file.metadata.num_rows, file.num_row_groups
    ids: list[str] = []
    names: dict[str, int] = {}
    tongues: dict[str, int] = {}
    sources, languages, groups = (np.empty(n, np.int32) for _ in range(3))
    keys = np.empty((len(_PARTS), n), np.uint64)
    signatures = np.empty((n, HASHES), np.uint32)
    for number, shard in enumerate(executor.map(partial(_scan_shard, str(pool)), range(row_groups))):
        here = slice(len(ids), len(ids) + len(shard.ids))
        ids += shard.ids
        sources[here] = [names.setdefault(name, len(names)) for name in shard.sources]
        languages[here] = [tongues.setdefault(name, len(tongues)) for name in shard.languages]
        groups[here] = number
        keys[:, here], signatures[here] = shard.keys, shard.signatures
        report(len(ids), n)
    parts = dict(zip(_PARTS, keys, strict=True))
    return Scan(
        ids=ids, sources=sources, source_names=list(names), languages=languages, language_names=list(tongues),
        groups=groups, signatures=signatures, **parts,
    )  # fmt: skip


def read_rows(
    pool: Path, scan: Scan, rows: Sequence[int], columns: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Some questions of the table as plain rows, in its order; only the row groups that hold one are read."""
    wanted = np.asarray(sorted(set(rows)), np.int64)
    last = int(scan.groups[-1]) if len(scan.groups) else -1
    starts = np.searchsorted(scan.groups, np.arange(last + 2))
    with pq.ParquetFile(pool) as file:
        for group in np.unique(scan.groups[wanted]) if len(wanted) else ():
            table = file.read_row_group(int(group), columns=list(columns))
            low, high = np.searchsorted(wanted, [starts[group], starts[group + 1]])
            yield from table.take(wanted[low:high] - starts[group]).to_pylist()


def _scan_shard(pool: str, row_group: int) -> _Shard:
    with pq.ParquetFile(pool) as file:
        rows = file.read_row_group(row_group, columns=list(COLUMNS)).to_pylist()
    found = [written(row) for row in rows]
    keys = np.array([_keys(item) for item in found], np.uint64).reshape(len(found), len(_PARTS)).T
    return _Shard(
        [item.question_id for item in found],
        [item.source for item in found],
        [item.language for item in found],
        np.ascontiguousarray(keys),
        np.stack([signature(item.text) for item in found]) if found else np.empty((0, HASHES), np.uint32),
    )


def _keys(item: Written) -> tuple[int, ...]:
    in_stem = item.numbers
    every = sorted([*in_stem, *(value for option in item.options for value in numbers(option))])
    return (
        key_of(item.language, item.canonical_stem),
        key_of(item.language, item.text),
        key_of(*item.images),
        key_of(*every),
        key_of(*written_digits(item.stem)),
        key_of(item.language, squashed(masked(item.stem)), str(len(item.images))),
        key_of(item.language, item.canonical_stem, *item.right) if any(item.right) else int(NO_ANSWER),
    )
