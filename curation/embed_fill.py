"""Fill a folder of shards: take over what is known, compute the rest through an executor, remove what is superseded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from benchwright.curation.embed_shards import SHARD_KEYS, ShardFolder, Vectors, open_rows
from benchwright.curation.executor import Executor

P = TypeVar("P")
Keys = NDArray[np.uint8]
"""[n, 32], digests."""
Report = Callable[[int, int], None]


@dataclass(frozen=True)
class Work(Generic[P]):
    """How vectors are made of what a key stands for."""

    read: Callable[[Callable[[str], bool]], Iterator[tuple[str, P]]]
    """Given "is this key wanted?", (key, value) of the wanted ones, each once, in the order of the keys."""
    function: Callable[[list[P]], Vectors]
    """Vectors of values, [n, dimension], each as if it were alone; runs in a worker."""
    least: int = 0
    """Fewer values than this are done in this process: sooner than further processes start."""


def first_seen(keys: Keys) -> tuple[Keys, NDArray[np.int64]]:
    """Distinct keys in the order of their first row, and for each row the place of its key among them."""
    if not len(keys):
        return keys, np.empty(0, np.int64)
    flat = np.ascontiguousarray(keys).view("S32").ravel()
    _, first, inverse = np.unique(flat, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return keys[first[order]], rank[inverse]


def fill(
    shards: ShardFolder, keys: Keys, work: Work[P], executor: Executor, here: Executor, report: Report
) -> tuple[dict[str, str], int]:
    """Make every shard that these keys need.

    Args:
        shards: where.
        keys: distinct.
        work: how a vector is made.
        executor: who makes many.
        here: who makes few.
        report: called with (done, to do) as shards are finished.

    Returns:
        Digest of each shard by its name, in the keys' order, and how many values went through `work.function`.
    """
    finished = shards.finished()
    plan = list(_plan(shards, keys))
    names = [name for name, _, _ in plan]
    missing = [(name, start, stop) for name, start, stop in plan if name not in finished]
    outside = sorted(set(finished) - set(names))
    old = _places(
        shards, [name for name in outside if finished[name].embedder == shards.embedder], keys, missing
    )
    fresh = {
        name: [key for key in _hex(keys, start, stop) if key not in old] for name, start, stop in missing
    }
    total, done = sum(map(len, fresh.values())), 0
    if total:
        report(done, total)
    wanted = {key for part in fresh.values() for key in part}
    values = work.read(wanted.__contains__)
    tasks = ([next(values)[1] for _ in fresh[name]] for name, _, _ in missing)
    chosen = executor if total >= work.least else here
    digests = {name: finished[name].sha256 for name in names if name in finished}
    for (name, start, stop), rows in zip(missing, chosen.map(work.function, tasks), strict=True):
        whole = _joined(shards, _hex(keys, start, stop), fresh[name], rows, old)
        digests[name] = shards.write(_hex(keys, start, stop), whole).sha256
        done += len(rows)
        report(done, total)
    shards.remove_others(names)
    return {name: digests[name] for name in names}, total


def gather(shards: ShardFolder, names: Sequence[str], places: NDArray[np.int64]) -> Vectors:
    """Vectors by the place of their key, [len(places), dimension]; one shard is open at a time."""
    rows = np.empty((len(places), shards.dimension), np.float32)
    holders = places // SHARD_KEYS
    for number in np.unique(holders):
        here = np.flatnonzero(holders == number)
        opened = open_rows(shards.folder, names[int(number)], shards.dimension)
        rows[here] = opened[places[here] % SHARD_KEYS]
    return rows


def _plan(shards: ShardFolder, keys: Keys) -> Iterator[tuple[str, int, int]]:
    for start in range(0, len(keys), SHARD_KEYS):
        stop = min(start + SHARD_KEYS, len(keys))
        yield shards.name(_hex(keys, start, stop)), start, stop


def _hex(keys: Keys, start: int, stop: int) -> list[str]:
    return [key.tobytes().hex() for key in keys[start:stop]]


def _places(
    shards: ShardFolder, names: Sequence[str], keys: Keys, missing: Sequence[tuple[str, int, int]]
) -> dict[str, tuple[str, int]]:
    """Where keys of missing shards stand in superseded ones."""
    if not names or not missing:
        return {}
    wanted = {key for _, start, stop in missing for key in _hex(keys, start, stop)}
    return {key: place for key, place in shards.places(names) if key in wanted}


def _joined(
    shards: ShardFolder,
    keys: Sequence[str],
    fresh: Sequence[str],
    rows: Vectors,
    old: Mapping[str, tuple[str, int]],
) -> Vectors:
    new = dict(zip(fresh, rows, strict=True))
    whole = np.empty((len(keys), shards.dimension), np.float32)
    for at, key in enumerate(keys):
        if key in new:
            whole[at] = new[key]
        else:
            shard, place = old[key]
            whole[at] = open_rows(shards.folder, shard, shards.dimension)[place]
    return whole
