"""How a box of the page is cut out of the published picture: a rectangle, or, on a photograph, a slanted band.

A photograph is judged on its own pixels. Where a line runs in it follows from the known projection; the band along it
is cut column by column, each column moved by whole pixels, so that nothing is smoothed or sharpened before it is
measured or read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchwright.render.legibility_scene import Scene
from benchwright.render.photo import Matrix, projected, warped
from benchwright.render.sidecar import PhotoRecord, Rect
from benchwright.render.style import WHITE

Cells = TypeVar("Cells", bound=NDArray[Any])

_HALF = 128
"""Coverage from which a projected mask counts as set, of 255."""


@dataclass(frozen=True)
class View:
    """Cuts boxes out of arrays that have the published picture's pixels.

    Args:
        photo: the photograph's record; None: page and picture are one.
    """

    photo: PhotoRecord | None = None

    def cut(self, cells: Cells, box: Rect, air: int = 0) -> Cells:
        """The part of an array in which a box of the page lies.

        Args:
            cells: shape (height, width) or (height, width, channels), in pixels of the picture.
            box: in pixels of the flat page; what lies beyond the picture is left out.
            air: pixels around the box that are cut with it.
        """
        return cells[self._part(box, air, cells.shape)]  # type: ignore[return-value]

    def area(self, box: Rect, air: int, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """Mask over the picture of where a box lies.

        Args:
            box: in pixels of the flat page.
            air: pixels around it.
            shape: of the picture; the first two numbers count.
        """
        found = np.zeros(shape[:2], np.uint8)
        left, top = box.x - air, box.y - air
        right, bottom = box.x + box.width + air, box.y + box.height + air
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        if self.photo is None:
            found[max(0, top) : max(0, bottom), max(0, left) : max(0, right)] = 1
        else:  # the frame of a drawing leans both ways: no band, but the whole quadrangle
            seen = [projected(self.photo.matrix, *corner) for corner in corners]
            cv2.fillConvexPoly(found, np.round(seen).astype(np.int32), 1)
        return found > 0

    def _part(
        self, box: Rect, air: int, shape: tuple[int, ...]
    ) -> tuple[slice, slice] | tuple[NDArray[np.intp], NDArray[np.intp]]:
        if self.photo is not None:
            return _band(self.photo.matrix, box, air, shape)
        rows = slice(max(0, box.y - air), min(shape[0], box.y + box.height + air))
        columns = slice(max(0, box.x - air), min(shape[1], box.x + box.width + air))
        return rows, columns


def _band(
    matrix: Matrix, box: Rect, air: int, shape: tuple[int, ...]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Row and column numbers of the band along a box: straight columns, each starting at its own row."""
    middle = box.y + box.height / 2
    left, left_y = projected(matrix, box.x - air, middle)
    right, right_y = projected(matrix, box.x + box.width + air, middle)
    centre = box.x + box.width / 2
    upper = projected(matrix, centre, box.y - air)[1]
    lower = projected(matrix, centre, box.y + box.height + air)[1]
    columns = np.arange(max(0, int(left)), min(shape[1], int(np.ceil(right))))
    along = (columns - left) / (right - left)
    height = int(np.ceil(lower - upper))
    first = np.round(left_y + along * (right_y - left_y) - height / 2).astype(np.intp)
    rows = np.clip(first[None, :] + np.arange(height)[:, None], 0, shape[0] - 1)
    return rows, np.broadcast_to(columns[None, :], rows.shape)


def photographed(made: Scene, photo: PhotoRecord, size: tuple[int, int]) -> Scene:
    """A page drawn again, seen from where the photograph was taken: the same projection, no light, no lens, no noise.

    Args:
        made: the flat page.
        photo: the projection.
        size: width and height of the photograph.
    """

    def colours(page: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return np.asarray(warped(Image.fromarray(page), photo.matrix, size, WHITE))

    def grey(cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return np.asarray(warped(Image.fromarray(cells), photo.matrix, size, 0))

    def mask(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return grey(cells.astype(np.uint8) * 255) > 0

    return Scene(
        before=colours(made.before),
        coverage=grey(made.coverage),
        expected=colours(made.expected),
        unknown=mask(made.unknown),
        ground=colours(made.ground),
        formula_ink=mask(made.formula_ink),
        line_collisions=made.line_collisions,
        formula_collisions=made.formula_collisions,
    )


def paper(photo: PhotoRecord, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Mask over a photograph of where the sheet lies, its edge excluded.

    Args:
        photo: the projection.
        size: width and height of the photograph.
    """
    inner = Image.new("L", (photo.width, photo.height), 0)
    edge = 4
    inner.paste(255, (edge, edge, photo.width - edge, photo.height - edge))
    return np.asarray(warped(inner, photo.matrix, size, 0)) >= _HALF
