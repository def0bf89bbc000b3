"""Where a diagram has ink, and where a label finds room. Pixels decide, nothing is assumed of shapes."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

Mask = NDArray[np.bool_]
_MIXED_EDGE = 0.2
"""Share of a picture's edge that may be ink where its ground is said to reach the edge."""
INK_THRESHOLD = 24
"""Grey levels (largest channel) by which ink differs from the ground."""


@dataclass(frozen=True)
class Box:
    """A rectangle `[x, x + w) x [y, y + h)` in pixels."""

    x: int
    y: int
    w: int
    h: int

    @property
    def center(self) -> tuple[float, float]:
        """Middle point."""
        return self.x + self.w / 2, self.y + self.h / 2


def ground_colour(image: Image.Image) -> tuple[int, int, int]:
    """The colour that most of the picture has: median of the most frequent bin (16 levels a channel)."""
    pixels = np.asarray(image.convert("RGB")).reshape(-1, 3)
    coarse = (pixels >> 4).astype(np.uint16)
    codes = (coarse[:, 0] << 8) | (coarse[:, 1] << 4) | coarse[:, 2]
    winner = int(np.bincount(codes, minlength=4096).argmax())
    red, green, blue = np.median(pixels[codes == winner], axis=0)
    return int(red), int(green), int(blue)


def margin_colour(image: Image.Image) -> tuple[int, int, int]:
    """The colour of ground to be added around a picture: its own ground where that reaches its edges, else white.

    A photograph would get a frame of its commonest green, a grey figure on white a grey bar.
    """
    ground = ground_colour(image)
    off = ink_of(image, ground)
    edge = np.concatenate([off[0], off[-1], off[:, 0], off[:, -1]])
    return ground if edge.mean() <= _MIXED_EDGE else (255, 255, 255)


def ink_of(image: Image.Image, ground: tuple[int, int, int]) -> Mask:
    """Pixels that differ from the ground, dark on light as well as light on dark."""
    off = (
        np.abs(np.asarray(image.convert("RGB")).astype(np.int16) - np.array(ground, dtype=np.int16))
        > INK_THRESHOLD
    )
    found: Mask = off[..., 0] | off[..., 1] | off[..., 2]
    return found


def room_for(occupied: Mask, w: int, h: int) -> Mask:
    """For each top left corner: is the rectangle w x h free? Shape (H - h + 1, W - w + 1); empty if it cannot fit."""
    height, width = occupied.shape
    if h > height or w > width:
        return np.zeros((0, 0), dtype=bool)
    total = cv2.integral(occupied.astype(np.uint8))
    sums = total[h:, w:] - total[:-h, w:] - total[h:, :-w] + total[:-h, :-w]
    free: Mask = sums == 0
    return free


def clearance(occupied: Mask, w: int, h: int) -> NDArray[np.float32]:
    """For each top left corner: distance from the rectangle's centre to the nearest ink, in pixels."""
    distance = cv2.distanceTransform((~occupied).astype(np.uint8), cv2.DIST_L2, 3)
    height, width = occupied.shape
    return np.asarray(
        distance[h // 2 : height - h + 1 + h // 2, w // 2 : width - w + 1 + w // 2], dtype=np.float32
    )


def open_ground(ink: Mask) -> Mask:
    """Ground outside closed shapes: what is connected with the border, and the largest area if that is framed."""
    closed = cv2.dilate(ink.astype(np.uint8), np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(1 - closed, connectivity=4)
    edge = np.unique(np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]]))
    keep = set(edge.tolist()) - {0}
    if count > 1:
        areas = stats[1:, cv2.CC_STAT_AREA]
        largest = 1 + int(areas.argmax())
        if areas.max() > 0.3 * ink.size:
            keep.add(largest)
    found: Mask = np.isin(labels, sorted(keep)) & (closed == 0)
    return found


def nearest_free(
    occupied: Mask, w: int, h: int, anchor: Box, comfort: float, limit: float
) -> list[tuple[float, int, int]]:
    """Free corners for a w x h label near an anchor: (distance to the anchor, x, y), best first.

    Args:
        occupied: ink and what was placed before.
        w: label width with its clearance.
        h: label height with its clearance.
        anchor: what the label belongs to.
        comfort: clearance beyond which more air brings nothing.
        limit: greatest distance from the anchor.
    """
    free = room_for(occupied, w, h)
    if not free.any():
        return []
    ys, xs = _grid(free)
    dx = np.maximum(np.maximum(anchor.x - (xs + w), xs - (anchor.x + anchor.w)), 0)
    dy = np.maximum(np.maximum(anchor.y - (ys + h), ys - (anchor.y + anchor.h)), 0)
    distance = np.hypot(dx, dy)
    air = clearance(occupied, w, h)[ys, xs] - h / 2
    cx, cy = anchor.center
    offset = np.hypot(xs + w / 2 - cx, ys + h / 2 - cy)
    cost = distance + 0.6 * np.maximum(0.0, comfort - air) + 0.05 * offset
    near = np.nonzero(distance <= limit)[0]
    order = near[np.lexsort((xs[near], ys[near], np.round(cost[near], 3)))]
    return [(float(distance[i]), int(xs[i]), int(ys[i])) for i in _spread(order, xs, ys)]


def quietest(occupied: Mask, allowed: Mask, w: int, h: int, comfort: float) -> tuple[int, int] | None:
    """The free corner on allowed ground with the most air up to `comfort`, then nearest to the drawing's middle."""
    free = room_for(occupied | ~allowed, w, h)
    if not free.any():
        return None
    ys, xs = _grid(free)
    air = np.minimum(clearance(occupied, w, h)[ys, xs] - h / 2, comfort)
    iy, ix = np.nonzero(occupied)
    cy, cx = (iy.mean(), ix.mean()) if len(iy) else (occupied.shape[0] / 2, occupied.shape[1] / 2)
    distance = np.hypot(xs + w / 2 - cx, ys + h / 2 - cy)
    best = np.lexsort((xs, ys, np.round(distance, 3), -np.round(air / 4)))[0]
    return int(xs[best]), int(ys[best])


def _grid(free: Mask) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of free corners, every second pixel each way; all of them where that would leave none."""
    ys, xs = np.nonzero(free[::2, ::2])
    if len(ys):
        return 2 * ys, 2 * xs
    ys, xs = np.nonzero(free)
    return ys, xs


def _spread(order: NDArray[np.intp], xs: NDArray[np.intp], ys: NDArray[np.intp], step: int = 8) -> list[int]:
    """The best candidate of each step x step cell, in order; at most 400."""
    seen: set[tuple[int, int]] = set()
    kept: list[int] = []
    for index in order.tolist():
        cell = (int(xs[index]) // step, int(ys[index]) // step)
        if cell not in seen:
            seen.add(cell)
            kept.append(index)
            if len(kept) == 400:
                break
    return kept
