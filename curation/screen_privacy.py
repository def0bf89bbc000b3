"""Personal data and marks of provenance in texts: what a published benchmark should not carry unnoticed.

Numbers of physics are not telephone numbers: a run of digits alone is none, whatever its length. It takes a word before
it (telephone, call, 电话), or the exact form of a Chinese mobile number standing alone in Chinese prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.curation.screen_codes import Rules
from benchwright.curation.screen_formulas import without_formulas
from benchwright.curation.screen_text import spoken_parts
from benchwright.schemas.records import Question
from benchwright.schemas.screening import ScreenFinding

_DOMAIN = (
    r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:com|org|net|edu|gov|info|io|cn|uk|de|tv|cc|vip|xyz|top|co)"
)
_LINK = re.compile(
    rf"\b(?:https?|ftp)://[^\s<>\"'，。；）]+|(?<![@A-Za-z0-9.])www\.[a-z0-9-]+\.[^\s<>\"'，。；）]+"
    rf"|(?<![@A-Za-z0-9./]){_DOMAIN}(?:\.cn)?(?:/[^\s<>\"'，。；）]*)?(?![A-Za-z0-9@-])",
    re.IGNORECASE,
)
_MAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9][A-Za-z0-9._%+-]*@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}(?![A-Za-z0-9])"
)
_MOBILE = re.compile(
    r"(?<![\d.,，+*/=×÷^-])(?:\+?86[ -]?)?1[3-9]\d(?:[ -]?\d{4}){2}(?![\d.%*/=×÷^]|[,，]\d|\s*[A-Za-zμΩ°])"
)
_MOBILE_WORDS = re.compile(
    r"电话|手机|联系|热线|致电|咨询|号码|微信|客服|拨打|\b(?:phone|mobile|tel|call)\b", re.IGNORECASE
)
_PHONE = re.compile(
    r"(?:电话|手机|联系方式|热线|客服|传真|\b(?:tele)?phone(?: number)?|\btel\b\.?|\bfax\b|\bcall us at"
    r"|\bmobile(?: number)?)"
    r"\s*(?:是|为|is|at)?\s*[:：]?\s*(?=[+(（\d])(?P<number>[+(（]?\d[\d ()（）+-]{5,}\d)",
    re.IGNORECASE,
)
_MESSENGER = re.compile(
    r"(?<![A-Za-z])(?:QQ|qq)\s*(?:群|号|交流群|群号)?\s*[:：]?\s*\d{5,11}(?!\d)"
    r"|(?:微信|(?<![A-Za-z])(?i:we ?chat|weixin))\s*(?:公众号|号|群)?\s*[:：]\s*[A-Za-z0-9_\u4e00-\u9fff-]{2,20}"
    r"|(?:加|添加)(?:我|老师)?(?:微信|QQ)\s*[A-Za-z0-9_-]{5,}"
)
_SITES = (
    "学科网|菁优网|组卷网|中学学科网|高考资源网|ks5u|zxxk|jyeoo|新东方在线|21世纪教育网|来源[:：]\\s*(?:学|网|Z|z)|"
    "中华资源库|金太阳新课标|精品解析|第一试卷网|ziyuanku"
)
_PROVENANCE = re.compile(
    rf"(?:{_SITES})|关注(?:微信)?公众号|扫码(?:关注|查看|下载)|版权所有|翻印必究|未经许可|(?i:all rights reserved)"
    r"|(?:©|(?i:copyright)\s*(?:©|\(c\))?)\s*(?:\d{4}|(?<=\s)[A-Z][a-z]{2,})",
)


def privacy_findings(question: Question, rules: Rules) -> Iterator[ScreenFinding]:
    """What of a question's texts names people, accounts, or where it was copied from; once a code and place."""
    for _, text in sorted(question.texts.items()):
        for place, words in spoken_parts(text):
            yield from marks_in(words, place, rules)


def marks_in(words: str, place: str, rules: Rules) -> Iterator[ScreenFinding]:
    """Marks in one text, the first of each code.

    Args:
        words: the text.
        place: where it stands, named in the finding.
        rules: severities.
    """
    for code, found in found_marks(words):
        yield from rules.found(code, f"{place}: {found!r}")


def found_marks(words: str) -> Iterator[tuple[str, str]]:
    """Code and wording of the marks in a text, the first of each code."""
    if (mail := _MAIL.search(words)) is not None:
        yield "e-mail", mail[0]
    if (link := _LINK.search(words)) is not None:
        yield "link", link[0].rstrip(").,;")
    if (number := _phone(words)) is not None:
        yield "phone-number", number
    if (account := _MESSENGER.search(words)) is not None:
        yield "messenger-id", account[0]
    if (mark := _PROVENANCE.search(words)) is not None:
        yield "provenance-mark", mark[0]


def _phone(words: str) -> str | None:
    """A telephone number, or None; formulas hold none."""
    if not re.search(r"\d{3}", words):
        return None
    bare = without_formulas(words)
    if (named := _PHONE.search(bare)) is not None and 7 <= sum(map(str.isdigit, named["number"])) <= 15:
        return named[0]
    if (mobile := _MOBILE.search(bare)) is not None and _MOBILE_WORDS.search(bare):
        return mobile[0]
    return None
