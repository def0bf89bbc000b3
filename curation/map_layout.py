"""Where the items of a pool stand on its map: a rectangle for each cluster, in it a disc of its items.

The plane is halved again and again: the clusters of a part are ordered along their own first principal axis and cut
where half of the items lie on either side, and the rectangle is cut in the same proportion. Like clusters stay
neighbours, areas are in proportion to items, nothing overlaps, and nothing is drawn at random. Within a cluster the
item nearest to the centre stands in the middle, the others spiral outwards at the golden angle.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

WIDTH, HEIGHT = 1.6, 1.0
_GOLDEN = math.pi * (3 - math.sqrt(5))
_FILLED = 0.94
"""Share of a rectangle's half axes that its disc takes."""


def centres_of(
    blocks: Iterable[tuple[int, NDArray[np.float32]]], labels: Indices, k: int, dimension: int
) -> Floats:
    """Mean vector of each cluster, [k, dimension], read block by block."""
    sums = np.zeros((k, dimension))
    for start, block in blocks:
        here = labels[start : start + len(block)]
        member = sparse.csr_matrix(
            (np.ones(len(block)), (here, np.arange(len(block)))), shape=(k, len(block))
        )
        sums += member @ block
    sums /= np.maximum(1, np.bincount(labels, minlength=k))[:, None]
    return sums


def rectangles(centres: Floats, sizes: Indices) -> Floats:
    """For each cluster (x, y, width, height) within `WIDTH` by `HEIGHT`; areas in proportion to sizes.

    Args:
        centres: [k, d].
        sizes: [k], items of each cluster, none 0.
    """
    placed = np.zeros((len(centres), 4))
    axes = _axes(centres, sizes)
    parts: list[tuple[Indices, tuple[float, float, float, float]]] = [
        (np.arange(len(centres)), (0.0, 0.0, WIDTH, HEIGHT))
    ]
    while parts:
        members, (x, y, width, height) = parts.pop()
        if len(members) <= 1:
            placed[members] = (x, y, width, height)
            continue
        wide = width >= height
        order = members[_ordered(centres[members], sizes[members], axes[0 if wide else 1])]
        total = np.cumsum(sizes[order])
        cut = int(np.argmin(np.abs(total[:-1] / total[-1] - 0.5))) + 1
        share = float(total[cut - 1] / total[-1])
        if wide:
            parts.append((order[:cut], (x, y, width * share, height)))
            parts.append((order[cut:], (x + width * share, y, width * (1 - share), height)))
        else:
            parts.append((order[:cut], (x, y, width, height * share)))
            parts.append((order[cut:], (x, y + height * share, width, height * (1 - share))))
    return placed


def positions(boxes: Floats, labels: Indices, centralities: Floats) -> Floats:
    """[n, 2]: each item in the disc of its cluster, the most central in the middle; ties by row."""
    order = np.lexsort((np.arange(len(labels)), -np.round(centralities, 6), labels))
    sizes = np.bincount(labels, minlength=len(boxes))
    starts = np.cumsum(sizes) - sizes
    rank = np.empty(len(labels))
    rank[order] = np.arange(len(labels)) - starts[labels[order]]
    radius = _FILLED * np.sqrt((rank + 0.5) / sizes[labels])
    turn = rank * _GOLDEN
    box = boxes[labels]
    across = box[:, 0] + box[:, 2] / 2 * (1 + radius * np.cos(turn))
    down = box[:, 1] + box[:, 3] / 2 * (1 + radius * np.sin(turn))
    return np.stack([across, down], axis=1)


def _axes(centres: Floats, sizes: Indices) -> Floats:
    """The two main axes of all clusters, [2, d], each turned so that its largest entry is positive."""
    found = _principal(centres, sizes, 2)
    return np.concatenate([found, np.zeros((2 - len(found), centres.shape[1]))])


def _ordered(centres: Floats, sizes: Indices, towards: Floats) -> Indices:
    """Order along the first axis of these clusters, turned to go with `towards`."""
    axis = _principal(centres, sizes, 1)[0]
    if float(axis @ towards) < 0:
        axis = -axis
    # Rounded, so that the last bits of a decomposition cannot swap two clusters that lie alike.
    along = np.round((centres - centres.mean(axis=0)) @ axis, 5)
    order: Indices = np.lexsort((np.arange(len(centres)), along))
    return order


def _principal(centres: Floats, sizes: Indices, count: int) -> Floats:
    weights = sizes / sizes.sum()
    shifted = (centres - weights @ centres) * np.sqrt(weights)[:, None]
    axes = np.linalg.svd(shifted, full_matrices=False)[2][:count]
    largest = np.argmax(np.round(np.abs(axes), 5), axis=1)
    signs = np.where(axes[np.arange(len(axes)), largest] < 0, -1.0, 1.0)
    return np.asarray(axes * signs[:, None])
