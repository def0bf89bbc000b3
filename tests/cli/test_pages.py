"""Pages fit 80 columns, whatever is written on them, and never steer the terminal."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from benchwright.cli.pages import cut, heading, remark, short, table


def test_nothing_is_wider_than_the_page_and_nothing_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    long = "电压为六伏的电源与电阻相连，" * 12
    remark("    " + long)
    table(("field", "value", "prompt"), [("a" * 35, long, "0123abcd"), ("b", 12345, "-")])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(cell_len, lines)) <= 80
    said = "".join(line.strip() for line in lines)
    assert said.startswith(long), "a paragraph is wrapped, not cut"
    assert "a" * 35 in said and "0123abcd" in said and "12,345" in said
    assert all(line.strip() for line in lines)


def test_many_columns_make_a_wider_page_and_none_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    cells = [tuple(f"{letter}{i}bcdefghij" for i in range(9)) for letter in "xy面"]
    table(tuple(f"column{i}" for i in range(9)), cells)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5, "no cell of this size is folded"
    assert all(cell in line for row, line in zip(cells, lines[2:], strict=True) for cell in row)


def test_control_codes_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    nasty = "x\x1b[2J\u202e[bold]y[/bold]\n"
    heading(nasty)
    remark(nasty)
    table(("name",), [(nasty,)])
    said = capsys.readouterr().out
    assert not set(said) & set("\x1b\u202e") and said.count("x␛[2J⟨U+202E⟩[bold]y[/bold]") == 3


def test_two_values_begin_a_little_before_their_difference() -> None:
    assert short("6 V", None) == ("6 V", "(none)")
    before, after = short("w" * 900 + "old", "w" * 900 + "new")
    assert (before, after) == ("…" + "w" * 12 + "old", "…" + "w" * 12 + "new")
    assert short("w" * 900, "w" * 900 + " more") == ("…" + "w" * 12, "…" + "w" * 12 + " more")
    assert short("", None) == ("(empty)", "(none)")
    assert len(cut({"a": "b" * 99}, 20)) == 20
