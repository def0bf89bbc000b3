"""Tables drawn cell by cell: texts wrapped in their columns, rules around every cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright.render.canvas import Block, Rule
from benchwright.render.table import Cell, Table
from benchwright.schemas.errors import ItemError

if TYPE_CHECKING:
    from benchwright.render.layout import Setter

_PAD_X, _PAD_Y = 0.5, 0.35
_NARROWEST = 2.2
"""Text width of the narrowest column, in em."""


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
    y = 0
    for row in table.rows:
        cells = _cells(setter, row, columns, pad_x, rule)
        height = max([cell.height for _, _, cell in cells] + [px]) + 2 * pad_y + rule
        baseline = max((cell.baseline for _, _, cell in cells), default=0)
        for x, cell_width, cell in cells:
            inner = max((line.x + line.width for line in cell.lines), default=0)
            dx = (
                left
                + x
                + rule
                + pad_x
                + max(0, (cell_width - rule - 2 * pad_x - inner) // 2) * (len(cell.lines) == 1)
            )
            single = len(cell.lines) == 1 and all(len(other.lines) <= 1 for _, _, other in cells)
            dy = baseline - cell.baseline if single else (height - rule - 2 * pad_y - cell.height) // 2
            block.add(cell, dx, y + rule + pad_y + max(0, dy))
            block.rules.append(Rule(left + x, y, rule, height + rule))
        block.rules.append(Rule(left, y, total, rule))
        block.rules.append(Rule(left + total - rule, y, rule, height + rule))
        y += height
    block.rules.append(Rule(left, y, total, rule))
    block.height = y + rule
    block.baseline = block.lines[0].baseline if block.lines else 0
    return block


def _widths(setter: Setter, table: Table, room: int, pad_x: int, rule: int) -> list[int]:
    extra = 2 * pad_x + rule
    wanted = [extra + setter.px] * table.columns
    for row in table.rows:
        column = 0
        for cell in row:
            if cell.span == 1 and cell.text:
                wanted[column] = max(wanted[column], setter.natural_width(cell.text) + extra + 2)
            column += cell.span
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


def _cells(
    setter: Setter, row: tuple[Cell, ...], columns: list[int], pad_x: int, rule: int
) -> list[tuple[int, int, Block]]:
    placed: list[tuple[int, int, Block]] = []
    column = 0
    for cell in row:
        width = sum(columns[column : column + cell.span])
        placed.append((sum(columns[:column]), width, setter.set(cell.text, max(1, width - 2 * pad_x - rule))))
        column += cell.span
    return placed
