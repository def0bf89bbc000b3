"""Tables: ruled cells with centred entries."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.examples.canvas import NORMAL, PALE, SIZE, THICK, THIN, Canvas, Drawing


def table(
    rows: Sequence[Sequence[str]],
    *,
    first: float = 110.0,
    other: float = 88.0,
    header: bool = True,
    corner: tuple[str, str] | None = None,
) -> Drawing:
    """A table of LaTeX entries; the first row and column are heads.

    Args:
        rows: equally long rows of LaTeX, without dollar signs; an empty text leaves a cell blank.
        first: width of the first column.
        other: width of the other columns.
        header: shade the first row.
        corner: names of the columns' and of the rows' quantity, set on both sides of a diagonal in the first cell.
    """
    height, margin = 44.0, 34.0
    columns = len(rows[0])
    wide = first + other * (columns - 1)
    canvas = Canvas("table", wide + 2 * margin, height * len(rows) + 2 * margin)
    if header:
        canvas.rect(margin, margin, wide, height, width=0, fill=PALE)
    canvas.rect(margin, margin, wide, height * len(rows), width=THICK - 0.6)
    for j in range(1, len(rows)):
        y = margin + j * height
        canvas.line((margin, y), (margin + wide, y), width=NORMAL if j == 1 else THIN)
    for i in range(1, columns):
        x = margin + first + (i - 1) * other
        canvas.line((x, margin), (x, margin + height * len(rows)), width=NORMAL if i == 1 else THIN)
    if corner is not None:
        canvas.line((margin, margin), (margin + first, margin + height), width=THIN)
        canvas.label(corner[0], (margin + first - 10, margin + 13), "w", gap=0, size=SIZE - 3)
        canvas.label(corner[1], (margin + 10, margin + height - 12), "e", gap=0, size=SIZE - 3)
    for j, row in enumerate(rows):
        for i, tex in enumerate(row):
            if tex:
                x = margin + (first / 2 if i == 0 else first + (i - 0.5) * other)
                canvas.label(tex, (x, margin + (j + 0.5) * height))
    return canvas.finish()
