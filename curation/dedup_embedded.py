"""Links by embedding: in one language with the same numbers, between languages with the same digits."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from benchwright.curation.dedup_links import Links
from benchwright.curation.dedup_scan import NO_DIGITS, Scan
from benchwright.curation.dedup_vectors import Matrix, Rows, near_vectors, stored
from benchwright.curation.embed import embed_discipline
from benchwright.curation.embed_table import open_vectors
from benchwright.curation.executor import Executor
from benchwright.schemas.workspace import Workspace


def add_vectors(
    links: Links,
    scan: Scan,
    workspace: Workspace,
    discipline: str,
    thresholds: Mapping[str, float],
    executor: Executor,
    report: Callable[[str, int, int], None],
) -> None:
    """Embed what is missing, and link classes whose vectors are alike; nothing with a threshold above 1."""
    if thresholds["cosine"] > 1:
        return
    embed_discipline(
        workspace, discipline, None, 1, lambda done, total: report("embed", done, total), executor
    )
    table = open_vectors(workspace, discipline)
    row_of = {name: row for row, name in enumerate(scan.ids)}
    order = np.array([row_of[name] for name in table.ids], np.int64)
    first = np.zeros(len(order), np.bool_)
    first[[int(rows[0]) for rows in links.rows]] = True

    def blocks() -> Iterator[Matrix]:
        for start, block in table.blocks():
            yield np.ascontiguousarray(block[first[order[start : start + len(block)]]])

    rows = order[first[order]]
    with stored(blocks(), workspace.root, table.dimension) as vectors:
        allowed = _allowed(scan, rows, thresholds)
        threads = min(executor.workers, os.cpu_count() or 1)  # those of a cluster are not this machine's
        for pairs, cosines in near_vectors(vectors, allowed, workspace.recipe.benchmark.seed, threads):
            links.add(map(tuple, rows[pairs].tolist()), cosines.tolist(), "vector")


def _allowed(
    scan: Scan, rows: Rows, thresholds: Mapping[str, float]
) -> Callable[[Rows, Rows], NDArray[np.float32]]:
    languages, numbers, digits = scan.languages[rows], scan.numbers[rows], scan.digits[rows]
    within, across = np.float32(thresholds["cosine"]), np.float32(thresholds["cosine_across"])

    def allowed(one: Rows, two: Rows) -> NDArray[np.float32]:
        same_tongue = languages[one][:, None] == languages[two][None, :]
        same_numbers = numbers[one][:, None] == numbers[two][None, :]
        same_digits = digits[one][:, None] == digits[two][None, :]
        bare = (digits[one] == NO_DIGITS)[:, None]
        least = np.where(same_tongue, np.where(same_numbers, within, 2.0), np.where(same_digits, across, 2.0))
        # Two texts without a digit have nothing but their likeness that speaks for a translation.
        return np.where(~same_tongue & same_digits & bare, within, least).astype(np.float32)

    return allowed
