"""Taking conditions out of a sentence and mending what is left, by rule; a cut that leaves a stump is taken back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from benchwright.curation.proposers.decomposition_atoms import Atom, Shadow
from benchwright.curation.proposers.decomposition_values import symbols, words_of

_MARK = "\uf8ff"
"""Stands for a cut in the text that is being mended."""
_CHINESE = r"\u3400-\u9fff"
_STUMP_LEFT = re.compile(
    r"(?:\b(?:of|with|is|are|was|were|at|by|for|to|from|that|than|equals?|where|as|between|in|on|has|have|having|had|"
    r"measures?|weighs?|about|approximately|its|their|let|if|when|given|suppose|assume|only|every|per|least|most|"
    r"another|exactly|nearly|over|under|within|after|before|then|through|into|be|being|costs?|"
    r"contains?|takes?|holds?|"
    r"gives?|makes?|reads?|called|value|said|gets?|needs?|uses?|using|adding|drops?|both|either|"
    r"(?:that|it|what)['’]s|inclined|tilted|directed|oriented|located|situated|all|and|or|kept|held|maintained|constant)"
    r"|[=为是将把从在以与和及或由至到使用的取约达])\s*$",
    re.IGNORECASE,
)
_STUMP_RIGHT = re.compile(
    r"^\s*(?:(?:of|per|times|apart|or|each|long|wide|high|tall|deep|thick|more|less|older|farther|"
    r"further|away|away from|"
    r"above|below|larger|smaller|greater|as many|squared|wide|old)\b|[-/×^=*+%°_]|的|倍|个|名|次|之|左右|以上|"
    r"以下|时|后|内|处|和|与|或)",
    re.IGNORECASE,
)
_STUMP_END = re.compile(r"\b(?:a|an|the|and|or|is|are|of|with|at|by|has|have)\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Cut:
    """A condition that a rule found, in places of the raw text.

    Attributes:
        start, end: its span.
        wide: what goes with it when it is cut: blanks, a comma, an "and".
        atoms: the values it holds.
        noun: the name of the quantity, where the rule saw one.
        confidence: how sure the rule is, 0 to 1.
        keeps_grammar: the rule takes out something that a sentence can do without (no check of stumps on the left).
    """

    start: int
    end: int
    wide: tuple[int, int]
    atoms: tuple[Atom, ...]
    noun: str = ""
    confidence: float = 0.6
    rule: str = ""
    keeps_grammar: bool = False
    owner: str = ""
    """What has the value ("Slider A"), where the rule saw it."""
    owners: tuple[str, ...] = ()
    """The same for each value of its own, where there are several."""
    said: str = ""
    """The label, where it is words or signs of the text rather than made of the values; several between line breaks."""

    def words(self, raw: str) -> str:
        """The span's text."""
        return raw[self.start : self.end]


def cut_of(
    found: Shadow,
    span: tuple[int, int],
    wide: tuple[int, int],
    *,
    noun: str = "",
    confidence: float,
    rule: str,
    keeps_grammar: bool = False,
    owner: str = "",
    value: tuple[int, int] | None = None,
    owners: tuple[str, ...] = (),
    said: str = "",
) -> Cut:
    """A cut from places of a shadow text; blanks at the ends of the span go into its surroundings.

    `value` narrows the values down where the phrase also holds names of things.
    """
    start, end = span
    while start < end and found.text[start] in " \t\n,，、;；":
        start += 1
    while end > start and found.text[end - 1] in " \t\n,，、;；":
        end -= 1
    atoms = tuple(found.within(*(value or (start, end))))
    # The place behind an atom is the place of the next character, which may lie behind blanks of a formula's own.
    raw_end = found.atoms[end - 1].end if end - 1 in found.atoms else found.at(end)
    return Cut(
        found.at(start),
        raw_end,
        (min(found.at(wide[0]), found.at(start)), max(found.at(wide[1]), raw_end)),
        atoms,
        noun,
        confidence,
        rule,
        keeps_grammar,
        owner,
        owners,
        said,
    )


def apart(cuts: Iterable[Cut]) -> list[Cut]:
    """Cuts that do not overlap: of two that do, the surer one stays, then the longer one; in reading order."""
    kept: list[Cut] = []
    for cut in sorted(cuts, key=lambda c: (-c.confidence, -(c.end - c.start), c.start)):
        if all(cut.wide[1] <= other.wide[0] or cut.wide[0] >= other.wide[1] for other in kept):
            kept.append(cut)
    return sorted(kept, key=lambda c: c.start)


def sound_cuts(raw: str, cuts: Sequence[Cut], chinese: bool) -> list[Cut]:
    """The cuts that leave no stump, looked at one by one and then together."""
    single = [cut for cut in cuts if _sound(raw, [cut], chinese)]
    while single and not _sound(raw, single, chinese):
        single.remove(min(single, key=lambda c: (c.confidence, -c.start)))
    return single


def _sound(raw: str, cuts: Sequence[Cut], chinese: bool) -> bool:
    marked = _marked(raw, cuts)
    for cut, match in zip(cuts, re.finditer(_MARK, marked), strict=True):
        left, right = marked[: match.start()], marked[match.end() :]
        if _stump(cut, left.replace(_MARK, "")[-24:], right.replace(_MARK, "")):
            return False
    core = mended(raw, cuts, chinese)
    if len(re.findall(rf"[A-Za-z]+|[{_CHINESE}]|\$[^$]*\$", core)) < 2:
        return False
    known = words_of(core)
    return all(symbols(_outside(raw, cut)) <= known | words_of(f"{cut.owner} {cut.said}") for cut in cuts)


def _stump(cut: Cut, left: str, right: str) -> bool:
    """Whether a cut leaves a stump between what stands left and right of it."""
    graph_of = cut.rule == "named-curve" and right.lstrip().startswith("的")
    if _STUMP_RIGHT.match(right) and not graph_of:
        return True
    if cut.keeps_grammar:
        # What a whole statement spoke of may be meant by the next one.
        return re.match(r"\s*(?:that|those|the same|this|such)\b", right, re.IGNORECASE) is not None
    joins = re.search(r"\b(?:and|or)\s*$", left) and re.match(r"\s*[.,;]", right)
    if not joins and _STUMP_LEFT.search(left):
        return True
    return bool(_STUMP_END.search(left[-12:]) and re.match(r"\s*(?:[.,;:?!)]|$|and\b)", right))


def _outside(raw: str, cut: Cut) -> str:
    """The words of a span without its values: what names the things that it speaks of."""
    parts: list[str] = []
    position = cut.start
    for atom in cut.atoms:
        parts.append(raw[position : max(position, atom.start)])
        position = max(position, atom.end)
    return " ".join([*parts, raw[position : cut.end]])


def _marked(raw: str, cuts: Sequence[Cut]) -> str:
    parts: list[str] = []
    position = 0
    for cut in cuts:
        parts += [raw[position : cut.wide[0]], _MARK, _end_mark(raw, cut)]
        position = cut.wide[1]
    return "".join([*parts, raw[position:]])


def _end_mark(raw: str, cut: Cut) -> str:
    """The end of a sentence that stands inside of the formula that is cut (`$c=2.0.$ What ...`)."""
    last = cut.atoms[-1].inner.rstrip() if cut.atoms and cut.atoms[-1].end == cut.end else ""
    ends = last.endswith(".") and re.match(r"\s*(?:[A-Z<]|$)", raw[cut.wide[1] :])
    return "?" if last.endswith(("?", "?}")) else "." if ends else ""


def mended(raw: str, cuts: Sequence[Cut], chinese: bool) -> str:
    """The text without the cuts: blanks, commas, articles, joins and capitals put right where something went."""
    text = _marked(raw, cuts)
    for pattern, replacement in _CHINESE_MENDING if chinese else _ENGLISH_MENDING:
        text = pattern.sub(replacement, text)
    return text.strip()


def _article(match: re.Match[str]) -> str:
    vowel = match[2] in "aeioAEIO"
    return f"{match[1]}{'n' if vowel else ''} "


def _capital(match: re.Match[str]) -> str:
    return f"{match[1]}{' ' if match[1] in ('.', '!', '?') else ''}{match[2].upper()}"


def _joined(match: re.Match[str]) -> str:
    """`In triangle $ABC$. Find ...` becomes one sentence again."""
    if re.search(r"\b(?:is|are|was|has|have|can|lies|lie|moves|shows?)\b", match[1]):
        return match[0]
    return f"{match[1]}, {match[2].lower()}"


_Replacement = str | Callable[[re.Match[str]], str]


def _table(*pairs: tuple[str, _Replacement]) -> tuple[tuple[re.Pattern[str], _Replacement], ...]:
    return tuple((re.compile(pattern.replace("@", _MARK)), replacement) for pattern, replacement in pairs)


_BRACKETS = (r"[(（]\s*@\s*[)）]", _MARK)
_ENGLISH_MENDING = _table(
    (r"[ \t]*@(?:[ \t]*(?:and|,)?[ \t]*@)*[ \t]*", _MARK),
    _BRACKETS,
    (r"[,;:]\s*@\s*(?=[,;.?:])", ""),
    (r",?\s*\b(?:and|where|with)\s*@\s*(?=[,;.])", ""),
    (r"(^|[.!?]\s*|\n)@\s*[,;.]\s*", rf"\1{_MARK}"),
    (r"(^|[.!?]\s*|\n)@\s*(?:and|then|so)\s+(?=[a-z])", rf"\1{_MARK}"),
    (r"@\s*(?=[,.;:?!)])", ""),
    (r"(?<=\()@\s*", ""),
    (r"\b([Aa])n?\s*@\s*(?=([A-Za-z]))", _article),
    (r"(^|[.!?]|\n)\s*@\s*([a-z])(?=[a-z]+[ ,])", _capital),
    (r"^\s*@|@\s*$", ""),
    (r"\s*@\s*", " "),
    (
        r"(?:^|(?<=[.?!]\s)|(?<=\n))((?:In|For|On|At|Inside)\s+(?:[^.?!\s$]+\s+|\$[^$]*\$\s*){0,4}"
        r"(?:[^.?!\s$]+|\$[^$]*\$))\.\s+([A-Z])(?=[a-z]+\b)",
        _joined,
    ),
)
_CHINESE_MENDING = _table(
    (r"[ \t]*@(?:[ \t]*(?:和|、|,|，)?[ \t]*@)*[ \t]*", _MARK),
    _BRACKETS,
    (r"([,，、;；])\s*@\s*[,，、]", rf"\1{_MARK}"),
    (r"[,，、;；:]\s*@\s*(?=[;.。；?？:])", ""),
    (r"(^|[.。!?！？]\s*|\n)@\s*[,;.，；。、]\s*", rf"\1{_MARK}"),
    # "Then" makes no sense once what it follows from is gone.
    (r"([，,])\s*@\s*[，,]?\s*那么\s*(?=[\u3400-\u9fff$])", rf"\1{_MARK}"),
    (r"(中)\s*@\s*([，,])\s*则\s*(?=[\u3400-\u9fff$])", rf"\1\2{_MARK}"),
    (r"([.。；;]\s*|中\s*[，,]\s*|^)@\s*则\s*(?=[\u3400-\u9fff$])", rf"\1{_MARK}"),
    (r"@\s*(?=[,.;:?!)，。；？：）])", ""),
    (r"(?<=[(（])@\s*", ""),
    (r"(?<=[,;.])@(?=[\u3400-\u9fff$])", " "),
    (r"(?<=[\u3400-\u9fff，。；、])@|@(?=[\u3400-\u9fff，。；、])", ""),
    (r"^\s*@|@\s*$", ""),
    (r"\s*@\s*", " "),
    (r"([如右下]图(?:所示)?|中|上|内)\s*[。.]\s*(?=则|求|那么)", r"\1，"),
)
