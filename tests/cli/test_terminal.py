"""What a terminal is given: names of data sets and models are shown there, never obeyed."""

from __future__ import annotations

import pytest

from benchwright.cli.common import SummaryTable, say, show_table


def test_control_codes_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    nasty = "model\x1b[2J\x1b]0;owned\x07\u202etxt [bold]x[/bold]\x9b"
    show_table(SummaryTable(nasty, ("name\x1b[31m", "n"), [(nasty, 3)]))
    say(f"note: {nasty}\nsecond line")
    said = capsys.readouterr()
    for text in (said.out, said.err):
        assert not set(text) & set("\x1b\x07\x9b\u202e")
        assert "model␛[2J␛]0;owned␇⟨U+202E⟩txt [bold]x[/bold]" in text
    assert said.err.endswith("\nsecond line\n"), "line breaks of our own stay"
