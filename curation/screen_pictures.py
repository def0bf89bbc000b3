"""Do text and pictures belong together, as far as the text says? Both directions.

What rejects is a text that cannot be read without a picture it does not have: an unfilled place for one, or words that
point at one ("as shown in the figure", 如图). Words that may mean a drawing in general ("the graph of f") are a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.curation.screen_codes import Rules
from benchwright.schemas.screening import ScreenFinding

_MARKER = re.compile(
    r"<\s*(?:image|img|图)\s*_?(\d*)\s*>|\[\s*(?:image|img|图片)\s*_?(\d*)\s*\]|<img\b[^>]*>|!\[[^\]]*\]\([^)]*\)"
    r"|\\includegraphics\b",
    re.IGNORECASE,
)
_PICTURE = r"(?:(?:figure|diagram|picture|photograph|photo|image|illustration|sketch|drawing)s?)"
_DRAWN = "(?:figure|diagram|picture|photograph|photo|image|illustration|graph|chart|map)"
_POINTS = re.compile(
    r"如(?:下|右|左|上)?图(?!书|样|案)|[右左上下]图(?:所示|中|是|为|表示|的|，|,)|图中所示|见(?:[下右左上])?图(?!书)|图\s?[0-9①②甲乙]\s?(?:所示|中|是|为)"
    rf"|\b(?:shown|illustrated|depicted|drawn|pictured|as seen) in (?:the |this )?(?:(?:above|following) )?{_PICTURE}\b"
    rf"|\bin the (?:figure|diagram)s?\b(?! of)|\bthe above (?:figure|diagram|graph|picture)\b"
    rf"|\b(?:shown|illustrated|depicted|pictured) in (?:the )?(?:accompanying|following|above|adjacent) {_DRAWN}\b"
    rf"|\b(?:the|this|these) {_DRAWN}s? (?:above|below|(?:shown )?(?:at|on|to) the (?:right|left))\b"
    rf"|\bin the {_PICTURE} (?:above|below|shown)\b|\b(?:in|see|refer to) (?:figure|fig\.)\s?\d"
    rf"|\bthe (?:figure|diagram|picture|photograph|photo) shows\b",
    re.IGNORECASE,
)
_SPEAKS = re.compile(
    rf"图|表|\b{_PICTURE}\b|\bgraph(?:s|ed)?\b|\bcharts?\b|\bplot(?:s|ted)?\b|\b(?:shown|pictured|depicted|illustrated|drawn)\b"
    r"|\b(?:above|below)\b|\bfollowing (?:table|circuit|structure|compound|molecule|apparatus|map|data|situation)\b"
    r"|\bthe (?:table|circuit|structure|map)\b|\bfig\b|下列(?:装置|实验|电路)",
    re.IGNORECASE,
)
_PERHAPS = re.compile(
    rf"\b(?:in|from|on|to|by) the (?:figure|diagram|picture|graph|chart)\b(?! of)|\bin the image\b"
    rf"|\b{_DRAWN}s? (?:shown|shows)\b"
    r"|\bas shown\b|\bshown (?:below|above|here|at (?:the )?(?:right|left))\b|(?<![\u4e00-\u9fff])图[中示]",
    re.IGNORECASE,
)
_DRAWN_IN_WORDS = re.compile(
    r"\[asy\]|\\begin\{tikzpicture\}|\\begin\{(?:tabular|array)\}|<table\b", re.IGNORECASE
)
"""The picture, or the table that is called one, stands in the text itself."""


def picture_findings(stem: str, pictures: int, in_options: int, rules: Rules) -> Iterator[ScreenFinding]:
    """How a text's words about pictures fit the pictures there are.

    Args:
        stem: the question's text in one language.
        pictures: how many belong to the stem.
        in_options: how many belong to options.
        rules: severities.
    """
    numbers = [next((group for group in match.groups() if group), "") for match in _MARKER.finditer(stem)]
    # Unnumbered places count one by one, numbered ones by their distinct numbers.
    places = len({number for number in numbers if number}) + sum(not number for number in numbers)
    if not pictures and not in_options:
        yield from _without(stem, places, rules)
    elif places > pictures + in_options:
        detail = f"{places} places, {pictures + in_options} pictures"
        yield from rules.found("markers-beyond-pictures", detail, measure=places - pictures - in_options)
    elif 0 < places < pictures:
        detail = f"{places} places, {pictures} pictures"
        yield from rules.found("pictures-beyond-markers", detail, measure=pictures - places)
    elif not places and pictures and not _SPEAKS.search(stem):
        yield from rules.found("picture-not-mentioned", f"{pictures} pictures", measure=pictures)


def without_places(text: str) -> str:
    """A text without its places for pictures."""
    return _MARKER.sub("", text)


def _without(stem: str, places: int, rules: Rules) -> Iterator[ScreenFinding]:
    if places:
        yield from rules.found(
            "picture-missing", f"the text has places for {places} pictures, there is none", measure=places
        )
    elif _DRAWN_IN_WORDS.search(stem):
        return
    elif (match := _POINTS.search(stem)) is not None:
        yield from rules.found("picture-missing", f"the text says {match[0]!r}, there is no picture")
    elif (match := _PERHAPS.search(stem)) is not None:
        yield from rules.found("picture-perhaps-missing", f"the text says {match[0]!r}")
