"""Tables drawn cell by cell: texts wrapped in their columns, rules around every cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchwright.render.canvas import Block, Rule
from benchwright.render.table import Cell, Table
from benchwright.schemas.errors import ItemError

if TYPE_CHECKING:
    from benchwright.render.layout import Setter

_PAD_X, _PAD_Y = 0.5, 0.35
_NARROWEST = 2.2
"""Text width of the narrowest column, in em."""


@dataclass(frozen=True)
class _Placed:
    """A cell's text with the place of its box: first row and column, and how far it reaches."""

    row: int
    column: int
    cell: Cell
    block: Block


def set_table(setter: Setter, table: Table, width: int) -> Block:
    """Lay a table out, centred in `width` pixels.

    Raises:
        ItemError: `table` when it does not fit, and whatever a cell's text raises.
    """
    px = setter.px
    pad_x, pad_y, rule = round(_PAD_X * px), round(_PAD_Y * px), max(2, px // 16)
    columns = _widths(setter, table, width - rule, pad_x, rule)
    total = sum(columns) + rule
    block = Block(width=max(total, width if width < 100_000 else 0))
    left = max(0, (block.width - total) // 2)
    cells = [
        _Placed(
            number,
            column,
            cell,
            setter.set(cell.text, max(1, _span(columns, column, cell) - 2 * pad_x - rule)),
        )
        for number, row in enumerate(table.places())
        for column, cell in row
    ]
    heights = _heights(cells, len(table.rows), px, 2 * pad_y + rule)
    for placed in cells:
        row = [other for other in cells if other.row == placed.row and other.cell.rows == 1]
        x, y = left + sum(columns[: placed.column]), sum(heights[: placed.row])
        box_width = _span(columns, placed.column, placed.cell)
        box_height = sum(heights[placed.row : placed.row + placed.cell.rows])
        inner = max((line.x + line.width for line in placed.block.lines), default=0)
        dx = max(0, (box_width - rule - 2 * pad_x - inner) // 2) if len(placed.block.lines) == 1 else 0
        dy = max(0, (box_height - rule - 2 * pad_y - placed.block.height) // 2)
        if placed.cell.rows == 1 and all(len(other.block.lines) <= 1 for other in row):
            dy = max(other.block.baseline for other in row) - placed.block.baseline
        block.add(placed.block, x + rule + pad_x + dx, y + rule + pad_y + dy)
        block.rules.append(Rule(x, y, rule, box_height + rule))
        block.rules.append(Rule(x, y, box_width + rule, rule))
    height = sum(heights)
    block.rules.append(Rule(left + total - rule, 0, rule, height + rule))
    block.rules.append(Rule(left, height, total, rule))
    block.height = height + rule
    block.baseline = block.lines[0].baseline if block.lines else 0
    return block


def _span(columns: list[int], column: int, cell: Cell) -> int:
    return sum(columns[column : column + cell.span])


def _heights(cells: list[_Placed], rows: int, px: int, extra: int) -> list[int]:
    """Heights of the rows; a cell over several rows makes its last one taller where it needs to."""
    heights = [px + extra] * rows
    for number in range(rows):
        row = [placed.block for placed in cells if placed.row == number and placed.cell.rows == 1]
        above = max((block.baseline for block in row), default=0)
        one_line = all(len(block.lines) <= 1 for block in row)
        for block in row:
            needed = above + block.height - block.baseline if one_line else block.height
            heights[number] = max(heights[number], needed + extra)
    for placed in cells:
        last = placed.row + placed.cell.rows - 1
        lacking = placed.block.height + extra - sum(heights[placed.row : last + 1])
        heights[last] += max(0, lacking)
    return heights


def _widths(setter: Setter, table: Table, room: int, pad_x: int, rule: int) -> list[int]:
    extra = 2 * pad_x + rule
    wanted = [extra + setter.px] * table.columns
    placed = [(column, cell) for row in table.places() for column, cell in row if cell.text]
    for column, cell in sorted(placed, key=lambda place: place[1].span):
        lacking = setter.natural_width(cell.text) + extra + 2 - _span(wanted, column, cell)
        for index in range(cell.span):  # a wide heading is shared by the columns below it
            wanted[column + index] += max(0, -(-lacking // cell.span))
    if sum(wanted) <= room:
        return wanted
    least = round(_NARROWEST * setter.px) + extra
    if least * table.columns > room:
        raise ItemError("table", f"{table.columns} columns do not fit {room} pixels")
    setter.counts["wrapped-table"] += 1
    # Columns that are narrow by nature keep their width; the others share what is left.
    fixed: set[int] = set()
    while True:
        shared = [i for i in range(table.columns) if i not in fixed]
        left = room - sum(min(wanted[i], room) for i in fixed)
        share = left // max(1, len(shared))
        narrow = {i for i in shared if wanted[i] <= share}
        if not narrow:
            return [wanted[i] if i in fixed else max(share, least) for i in range(table.columns)]
        fixed |= narrow
