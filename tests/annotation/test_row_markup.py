"""A model's answer is hostile text: whatever it holds, the page shows it and does nothing else."""

from __future__ import annotations

import pytest

from benchwright.annotation.row_markup import LONGEST, paragraphs_html, response_html
from benchwright.schemas.runs import Response
from benchwright.schemas.status import CallStatus


def said(text: str, status: CallStatus = CallStatus.OK, detail: str = "") -> Response:
    return Response(row_id="r", asked_digest="0" * 64, status=status, text=text, detail=detail)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "</script><img src=x onerror=alert(1)>",
        "<svg onload=alert(1)><b>",
        "a <iframe src='javascript:alert(1)'></iframe>",
    ],
)
def test_markup_is_shown_not_run(text: str) -> None:
    shown = response_html(said(text))
    assert shown.startswith("<p>") and shown.endswith("</p>")
    assert "<" not in shown.removeprefix("<p>").removesuffix("</p>")


def test_terminal_codes_and_control_characters_are_spelled_out() -> None:
    assert paragraphs_html("\x1b[2Jred\x00\x7f\x9b") == "<p>␛[2Jred␀␡�</p>"
    assert paragraphs_html("one\r\n\r\ntwo") == "<p>one</p><p>two</p>"


def test_a_megabyte_loses_its_middle_and_says_so() -> None:
    shown = response_html(said("begin " + "word " * 200_000 + "end"))
    assert len(shown) < 2 * LONGEST
    assert "characters are not shown" in shown
    assert shown.startswith("<p>begin") and shown.endswith("end</p>")


def test_a_formula_that_cannot_be_drawn_spoils_only_its_paragraph() -> None:
    good, bad = "So $x^2$ holds.", "But $\\nosuchcommand{x}$ does not."
    shown = paragraphs_html(f"{good}\n\n{bad}")
    assert shown.split("</p>")[0].count("<svg") == 1
    assert "bw-fault" in shown.split("</p>")[1]


def test_thinking_is_left_out_and_silence_has_its_reason() -> None:
    assert "secret" not in response_html(said("<think>secret</think>B"))
    assert "cannot-decide" in response_html(said("", CallStatus.EMPTY, "cannot-decide"))
    assert "refused" in response_html(said("", CallStatus.REFUSED))
