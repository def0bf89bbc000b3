"""Chinese conditions that are no plain value: smooth, from rest, nothing of gravity, lists told "respectively".

The label is made of the text's own words and signs (`Cut.said`), as a textbook writes it beside the figure.
"""

from __future__ import annotations

import re
from dataclasses import replace

from benchwright.curation.proposers.decomposition_atoms import E, N, P, Q, S, Shadow, X, equations
from benchwright.curation.proposers.decomposition_chinese import NOUNS, regions
from benchwright.curation.proposers.decomposition_cuts import Cut, cut_of
from benchwright.curation.proposers.decomposition_values import plain

_CJK = r"[\u3400-\u9fff]"
_STOP = r"[，,。.;；:：\n]"
_ATOM = f"[{Q}{N}{E}{S}{P}{X}]"
_JOIN = r"\s*(?:、|和|与|,|，|及)?\s*"
_IN_FRONT: tuple[tuple[str, re.Pattern[str], float], ...] = (
    # 光滑的水平面
    (
        "smooth",
        re.compile(
            rf"(?<![均是为面处壁不])(?P<wide>(?P<cut>(?P<said>光滑|粗糙))的?)(?={_CJK})"
            r"(?!且|和|与|部分|段|程度|接触|无|，)"
        ),
        0.75,
    ),
    # 由静止释放
    (
        "from-rest",
        re.compile(
            r"(?P<wide>(?P<cut>(?P<said>[由从]静止(?:状态)?(?:开始)?)))"
            r"(?=释放|自由|下滑|沿|做|滑|落下|加速)"
        ),
        0.75,
    ),
    # 用 20.00 mL 的 NaOH 溶液; 取 5 g 样品
    (
        "amount",
        re.compile(
            rf"(?:用|取|向|滴定|加入|称取|量取|体积为|浓度为)\s*(?P<wide>(?P<cut>(?P<said>{Q}))\s*(?:的\s*)?)"
            rf"(?=(?!的|时|内|后|左右|以|处|到|倍){_CJK}|[{S}{X}]\s*{_CJK})"
        ),
        0.65,
    ),
)
_WORDS = re.compile(
    rf"(?:(?<={_STOP})|^)(?P<wide>\s*(?P<cut>(?:若|且|并|其中|其余|设|已知)?(?P<said>(?:不计|忽略|不考虑){_CJK}"
    rf"(?:{_CJK}|、|[{S}]|\s){{1,14}}?|(?:{_CJK}|[{S}]|、|\s){{2,12}}?(?:忽略不计|可忽略|可以忽略|不计|可视为质点|"
    rf"均光滑|为零(?=[,，]?\s*(?:则|求|。|$)))|磁场(?:的)?方向{_CJK}{{2,9}}))\s*(?:{_STOP}|$))"
)
_GRAVITY = re.compile(
    rf"(?:(?<={_STOP})|^)(?P<wide>\s*(?P<cut>(?:已知|取|设|当地)?(?:的)?重力加速度(?:的)?(?:大小)?\s*(?:{S}\s*)?"
    rf"(?:为|取|是)?\s*(?P<said>[{Q}{E}{X}]))\s*(?:{_STOP}|$))"
)
_EQUATIONS = re.compile(
    rf"(?:(?<={_STOP})|^)(?P<wide>\s*(?P<cut>(?:已知|测得|其中|设|且|若)?(?P<subject>(?:{_CJK}|[{S}]|\s){{0,14}}?)"
    rf"(?:{NOUNS})(?:分别)?(?:为|是|有)?\s*(?P<said>{E}(?:{_JOIN}{E})*))\s*(?:{_STOP}|$))"
)
_VERBS = re.compile(r"[所会能必若从由以将把使让沿做受被后时]|经过|通过|当|如果|求|则|问")
_RESPECTIVELY = re.compile(
    rf"(?P<names>{_ATOM}(?:{_JOIN}{_ATOM})*)(?P<of>\s*的?\s*(?:{NOUNS})?(?:大小)?)\s*分别(?:为|是)\s*"
    rf"(?P<values>{_ATOM}(?:{_JOIN}{_ATOM})*)\s*(?={_STOP}|$)"
)
_BEFORE = re.compile(r"(?:若|如果|已知|其中|设|且|而|又|图中|此时)?(?:输[入人]的?|[\u3400-\u9fff]{0,8})\s*")
_NAME = re.compile(r"[A-Za-zΑ-ω]'?(?:_\{?\w{1,2}\}?)?")
_VALUE = re.compile(r"[-+]?\s*(?:\d|√|π)")


def chinese_relation_cuts(found: Shadow) -> list[Cut]:
    """Conditions of a Chinese stem that the phrases with values do not find; they may overlap."""
    cuts: list[Cut] = []
    for start, end, asks in regions(found):
        if asks:
            continue
        text = found.text[start:end]
        for rule, pattern, confidence in _IN_FRONT:
            cuts += [
                _words(found, start, match, rule, confidence, keeps=rule != "from-rest")
                for match in pattern.finditer(text)
                if rule == "amount"
                or len(re.findall("静止" if rule == "from-rest" else match["said"], found.raw)) == 1
            ]
        cuts += [
            _clause(found, start, match, "words", 0.7)
            for match in _WORDS.finditer(text)
            if not re.search(r"[若如]|当|求|则|时|^假设|^其|^且", match["said"])
        ]
        cuts += [
            replace(cut, said=_gravity(cut.said))
            for match in _GRAVITY.finditer(text)
            if re.search(r"\d", (cut := _clause(found, start, match, "gravity", 0.6)).said)
        ]
        cuts += [
            _each(_clause(found, start, match, "clause-equations", 0.75))
            for match in _EQUATIONS.finditer(text)
            if not _VERBS.search(match["subject"])
        ]
        told = (_respectively(found, start, match) for match in _RESPECTIVELY.finditer(text))
        cuts += [cut for cut in told if cut is not None]
    return cuts


def _words(
    found: Shadow, offset: int, match: re.Match[str], rule: str, confidence: float, *, keeps: bool
) -> Cut:
    return cut_of(
        found,
        (offset + match.start("cut"), offset + match.end("cut")),
        (offset + match.start("wide"), offset + match.end("wide")),
        confidence=confidence,
        rule=rule,
        keeps_grammar=keeps,
        said=_raw(found, offset + match.start("said"), offset + match.end("said")),
    )


def _clause(found: Shadow, offset: int, match: re.Match[str], rule: str, confidence: float) -> Cut:
    """A whole clause; the comma in front of it goes too where it ends the sentence, else the one behind it."""
    begin, end = offset + match.start("cut"), offset + match.end("cut")
    wide = _around(found, begin, end)
    return cut_of(
        found,
        (begin, end),
        wide,
        confidence=confidence,
        rule=rule,
        keeps_grammar=True,
        said=_raw(found, offset + match.start("said"), offset + match.end("said")),
    )


def _around(found: Shadow, begin: int, end: int) -> tuple[int, int]:
    before = found.text[:begin].rstrip()
    behind = re.match(r"\s*[，,]", found.text[end:])
    if behind is not None and before[-1:] not in "，,":
        return begin, end + behind.end()
    if before[-1:] in ("，", ","):
        return len(before) - 1, end
    stop = re.match(r"\s*[.。；;]", found.text[end:])  # a whole sentence goes with its end mark
    return (begin, end + stop.end()) if stop is not None else (begin, end)


def _raw(found: Shadow, start: int, end: int) -> str:
    last = found.atoms[end - 1].end if end - 1 in found.atoms else found.at(end)
    return found.raw[found.at(start) : last].strip()


def _gravity(said: str) -> str:
    inner = said.strip("$ .,")
    return f"${inner}$" if "=" in inner else f"$g={inner}$"


def _each(cut: Cut) -> Cut:
    """One label for each equation."""
    parts = [part for atom in cut.atoms if atom.kind == E for part in equations(atom.inner) or [atom.inner]]
    return replace(cut, said="\n".join(f"${part.strip(' .,$')}$" for part in parts))


def _respectively(found: Shadow, offset: int, match: re.Match[str]) -> Cut | None:
    """A list as a whole clause: "a、b 分别为 1、2" becomes `a=1`, `b=2`; None where they do not pair off."""
    names = _parts(found, offset + match.start("names"), offset + match.end("names"))
    values = _parts(found, offset + match.start("values"), offset + match.end("values"))
    head = match.string[: match.start("names")]
    begin = max((m.end() for m in re.finditer(_STOP, head)), default=0)
    if len(names) != len(values) or len(names) < 2 or _BEFORE.fullmatch(head[begin:].strip()) is None:
        return None
    if not all(_NAME.fullmatch(plain(name).replace(" ", "")) for name in names):
        return None
    if not all(_VALUE.match(plain(value)) for value in values) or _VERBS.search(head[begin:].strip(" 若")):
        return None
    thing = re.search(NOUNS, match["of"])
    told = thing is None or (thing[0] in ("电阻", "阻值") and all(plain(name)[0] == "R" for name in names))
    labels = [
        f"${name}={value}$" if told else f"${name}$: ${value}$"
        for name, value in zip(names, values, strict=True)
    ]
    span = (offset + begin, offset + match.end("values"))
    return cut_of(
        found,
        span,
        _around(found, *span),
        confidence=0.8,
        rule="respectively",
        keeps_grammar=True,
        said="\n".join(labels),
    )


def _parts(found: Shadow, start: int, end: int) -> list[str]:
    return [
        part.strip(" .")
        for atom in found.within(start, end)
        for part in re.split(r"[,，、]", re.sub(r"\\mathrm\s*\{\s*~?([A-Za-z])\s*\}", r"\1", atom.inner))
        if part.strip(" .~\\")
    ]
