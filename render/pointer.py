"""Leader lines and arrows: shapes as masks, and finding ones that touch no ink."""

from __future__ import annotations

import math

import cv2
import numpy as np

from benchwright.render.inkmap import Box, Mask

Line = tuple[int, int, int, int]
_GAP = 3
"""Pixels between a pointer and any ink."""


def line_mask(size: tuple[int, int], line: Line, thickness: int) -> Mask:
    """A straight line as a mask of shape (height, width)."""
    canvas = np.zeros((size[1], size[0]), dtype=np.uint8)
    cv2.line(canvas, line[:2], line[2:], 1, thickness)
    found: Mask = canvas.astype(bool)
    return found


def arrow_mask(size: tuple[int, int], line: Line, px: int) -> Mask:
    """A line with a filled head at its end."""
    canvas = np.zeros((size[1], size[0]), dtype=np.uint8)
    head = 0.45 * px
    dx, dy = line[2] - line[0], line[3] - line[1]
    length = max(1.0, math.hypot(dx, dy))
    ux, uy = dx / length, dy / length
    neck = (line[2] - ux * head, line[3] - uy * head)
    cv2.line(canvas, line[:2], (round(neck[0]), round(neck[1])), 1, max(3, px // 9))
    wing = 0.22 * px
    corners = [
        line[2:],
        (neck[0] - uy * wing, neck[1] + ux * wing),
        (neck[0] + uy * wing, neck[1] - ux * wing),
    ]
    cv2.fillConvexPoly(canvas, np.round(np.array(corners)).astype(np.int32), 1)
    found: Mask = canvas.astype(bool)
    return found


def clear_arrow(occupied: Mask, wanted: Line, px: int) -> Line | None:
    """The wanted arrow, moved sideways as little as needed to touch nothing; None if there is no such place."""
    height, width = occupied.shape
    dx, dy = wanted[2] - wanted[0], wanted[3] - wanted[1]
    length = math.hypot(dx, dy)
    if length < 0.6 * px:
        return None
    nx, ny = -dy / length, dx / length
    for step in range(0, 2 * px, 3):
        for side in (step, -step) if step else (0,):
            sx, sy = round(nx * side), round(ny * side)
            line = (wanted[0] + sx, wanted[1] + sy, wanted[2] + sx, wanted[3] + sy)
            inside = all(0 <= v < width for v in line[::2]) and all(0 <= v < height for v in line[1::2])
            if inside and not (widened(arrow_mask((width, height), line, px)) & occupied).any():
                return line
    return None


def clear_leader(occupied: Mask, label: Box, anchor: Box, px: int) -> Line | None:
    """A straight line from the label to the anchor, ending just before the ink it points at; None if ink is between."""
    ax, ay = (round(v) for v in anchor.center)
    x = min(max(ax, label.x), label.x + label.w)
    y = min(max(ay, label.y), label.y + label.h)
    length = math.hypot(ax - x, ay - y)
    if length < px * 0.5:
        return None
    stop = length
    count = int(length)
    height, width = occupied.shape
    for i in range(1, count + 1):
        px_, py_ = round(x + (ax - x) * i / length), round(y + (ay - y) * i / length)
        if not (0 <= px_ < width and 0 <= py_ < height) or _near_ink(occupied, px_, py_):
            stop = i - 1
            break
    if length - stop > max(1.0 * px, max(anchor.w, anchor.h) / 2 + 0.5 * px) or stop < px * 0.4:
        return None
    end = (round(x + (ax - x) * (stop - 1) / length), round(y + (ay - y) * (stop - 1) / length))
    line = (x, y, *end)
    if (line_mask((width, height), line, max(2, px // 12)) & occupied).any():
        return None
    return line


def _near_ink(occupied: Mask, x: int, y: int) -> bool:
    return bool(occupied[max(0, y - _GAP) : y + _GAP + 1, max(0, x - _GAP) : x + _GAP + 1].any())


def widened(mask: Mask) -> Mask:
    """A shape with its air around it."""
    size = 2 * _GAP + 1
    found: Mask = cv2.dilate(mask.astype(np.uint8), np.ones((size, size), np.uint8)).astype(bool)
    return found
