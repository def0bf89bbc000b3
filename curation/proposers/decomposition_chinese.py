"""Conditions of a Chinese question: which phrases state them, and what goes with them when they are cut."""

from __future__ import annotations

import re
from dataclasses import replace

from benchwright.curation.proposers.decomposition_atoms import E, N, P, Q, S, Shadow, X
from benchwright.curation.proposers.decomposition_cuts import Cut, cut_of

NOUNS = (
    r"(?:质量|大小|重力|重|初速度|末速度|角速度|加速度|速度|速率|线速度|半径|直径|边长|棱长|母线长|周长|弧长|全长|长度|长|宽度|宽|高度|高|深|厚度|"
    r"间距|相距|距离|位移|夹角|倾角|圆心角|入射角|折射角|角度|角|外阻|内阻|电阻|阻值|电压|电动势|电流强度|电流|电荷量|带电量|电量|比荷|"
    r"有效值|磁感应强度|电场强度|场强|电势差|电势|频率|周期|波长|波速|振幅|温度|压强|体积|表面积|面积|底面积|物质的量浓度|浓度|物质的量|质量分数|"
    r"时间|动摩擦因数|摩擦因数|劲度系数|系数|功率|匝数比|匝数|密度|焦距|折射率|动能|势能|机械能|能量|拉力|摩擦力|弹力|压力|推力|外力|力|"
    r"概率|斜率|离心率|方差|平均数|比例|浓度比|体积分数|转化率|pH)"
)
SYMBOLS: dict[str, str | None] = {
    "质量分数|比荷": None,
    "质量": "m",
    "初速度": "v_0",
    "加速度": "a",
    "角速度": r"\omega",
    "速度|速率|波速": "v",
    "半径": "r",
    "温度": "T",
    "压强": "p",
    "电阻|阻值": "R",
    "电压": "U",
    "电动势": "E",
    "电流": "I",
    "频率": "f",
    "波长": r"\lambda",
    "摩擦因数": r"\mu",
    "劲度系数": "k",
    "焦距": "f",
    "折射率": "n",
    "时间": "t",
    "磁感应强度": "B",
    "浓度": "c",
    "体积": "V",
    "周期": "T",
    "电荷量|电量": "q",
    "高": "h",
}
"""Usual symbols of quantities; None where a longer name must not be read as a shorter one."""

_V = f"[{Q}{E}]"
_ANY = f"[{Q}{E}{N}{S}]"
_B = r"\s*"
_IS = r"(?:大小|数值|的大小)?(?:分别|均|都|也|约|恒|始终|仅|只|总)?(?:为|是|等于|有|达|=|＝)?"
_HOLDS = rf"(?:{_IS}{_B}[{Q}{E}{N}]|(?:大小|的大小)?(?:均|都|也|恒)?(?:为|是){_B}{S})"
_MUST = r"(?:大小|数值|的大小)?(?:均|都|约|恒|始终)?(?:为|是|等于|=|＝)"
_STOP = r"[，,。.;；:：\n]"
_LIST = rf"{_V}(?:{_B}(?:、|和|与|,|，|且)?{_B}{_V})*"
_SENTENCE = re.compile(r"[。；;？?！!](?!\d)|(?<=[\u3400-\u9fff\ue000-\ue005)）])\.\s*(?!\d)|\n")
_CLAUSE = re.compile(r"[，,：:]")
_ASK = re.compile(
    r"则|求|问|那么|下列|以下|关于|由此|可知|可得|可以推|可能|叙述|说法|判断|正确|错误|不合理|多少|几(?!何)|何(?!体)|哪|应为|[（(]\s*[）)]|\ue005\s*$|"
    r"该.{0,12}[为是]\s*$|[为是]\s*$|有\s*$|说明|计算"
)
_VERBS = re.compile(
    r"所|会|能|必|对|若|从|由|以|将|把|使|让|到达|释放|射|抛|沿|做|受|被|后|时|经过|通过|若|如果|当|接入|滑|转动|运动|放|置|测得|分成|组成"
)
_CONSTANT = re.compile(
    r"重力加速度|取\s*[\ue002]|相对原子质量|阿伏加德罗|静电力常量|引力常量|光速|摩尔质量|元电荷|普朗克|sin|cos|tan"
)


def regions(found: Shadow) -> list[tuple[int, int, bool]]:
    """Stretches of a shadow text as (start, end, asks): sentences, the one that asks cut at its asking clause."""
    sentences: list[tuple[int, int]] = []
    position = 0
    for match in _SENTENCE.finditer(found.text):
        sentences.append((position, match.end()))
        position = match.end()
    sentences.append((position, len(found.text)))
    sentences = [(a, b) for a, b in sentences if found.text[a:b].strip()]
    out: list[tuple[int, int, bool]] = []
    asking = False
    for index, (start, end) in enumerate(sentences):
        if asking:
            out.append((start, end, True))
            continue
        text = found.text[start:end]
        place = _ask_place(text, last=index == len(sentences) - 1)
        if place is None:
            out.append((start, end, False))
            continue
        if place > 0:
            out.append((start, start + place, False))
        out.append((start + place, end, True))
        asking = index >= len(sentences) - 2
    return out


def _ask_place(text: str, last: bool) -> int | None:
    """Where the first clause that asks begins; only a strong word asks in a sentence that is not the last."""
    begin = 0
    for end in [*(match.end() for match in _CLAUSE.finditer(text)), len(text)]:
        clause = text[begin:end].strip().rstrip("，,：:。.")
        strong = re.match(r"(?:则|求|问|试求|那么)", clause) or re.search(
            r"[？?]|[（(]\s*[）)]|下列|多少", clause
        )
        given = re.match(r"(?:若|如果)输[入人]", clause)
        if strong or (last and _ASK.search(clause) and given is None):
            return begin
        begin = end
    return None


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_CJK = r"[\u3400-\u9fff]"
_NOT_OF = "作用|变化|两端|关系|过程|时间|大小|方向|距离|位置|一半|倍|地方|时候|情况|条件"
_NOT_ATTRIBUTES = "时间|速度|距离|位移|路程|高度|地方|位置|倍|概率|可能|能量"
_SPEEDS = "初速度|角速度|加速度|速度|速率|波速"
_GIVEN = "已知|其中|若|设|且|而|又|有|测得|又知|假设|如果|满足|并且|此时"
_PHRASES: tuple[tuple[str, re.Pattern[str], float], ...] = (
    # 质量为 Q 的物块
    (
        "attributive-noun",
        _rule(
            rf"(?P<wide>(?P<cut>(?:总)?(?P<noun>{NOUNS}){_HOLDS}"
            rf"(?:{_B}[、和,，]{_B}(?:总)?{NOUNS}{_HOLDS})*{_B}的))(?={_B}(?:{_CJK}|[{S}{X}]))(?!{_NOT_OF})"
        ),
        0.85,
    ),
    # 以 Q 的速度
    (
        "with-speed",
        _rule(
            rf"(?P<wide>(?P<cut>以{_B}(?:大小为|约)?{_B}[{Q}{E}{S}]{_B}的{_B}(?:恒定|水平|初始|平均)?(?:的)?"
            rf"(?P<noun>{_SPEEDS})(?:大小)?))(?={_B}(?:{_CJK}|[，,]))"
        ),
        0.85,
    ),
    (
        "with-speed",
        _rule(rf"(?P<wide>(?P<cut>以{_B}(?:恒定)?(?P<noun>{_SPEEDS}){_B}[{E}{S}{Q}]))(?={_B}{_CJK})"),
        0.8,
    ),
    # 2 kg 的物块
    (
        "attributive",
        _rule(
            rf"(?<=[\u3400-\u9fff，,]){_B}(?<!为)(?<!是)(?<!大)(?<!小)(?P<wide>(?P<cut>{Q}{_B}的)){_B}(?P<noun>)"
            rf"(?={_CJK})(?!{_NOT_ATTRIBUTES})"
        ),
        0.65,
    ),
    # 如果输入的 E，则
    (
        "input-is",
        _rule(
            rf"(?P<wide>[，,]?{_B}(?P<cut>(?:如果|若)?输[入人]的?(?:正整数|整数|实数)?{_B}(?P<owner>{S}){_B}"
            rf"(?:的值)?(?:为|是){_B}(?P<value>[{N}{S}])))(?P<noun>){_B}(?=[，,])"
        ),
        0.75,
    ),
    (
        "input",
        _rule(rf"(?P<wide>[，,]?{_B}(?P<cut>(?:如果|若)?输[入人]的?{_B}{_LIST}))(?P<noun>)(?={_B}[，,])"),
        0.8,
    ),
    # 函数 E; 直线 E
    (
        "named-curve",
        _rule(
            rf"(?P<noun>函数|抛物线|双曲线|椭圆|直线|曲线|圆|方程)(?:{_B}[{S}{X}][:：])?"
            rf"(?P<wide>{_B}(?P<cut>{E}(?:{_B}(?:、|和|与){_B}{E})*))"
            rf"(?={_B}(?:的|与|和|在|上|有|，|,|。|经过|过|交))"
        ),
        0.7,
    ),
    (
        "bracket",
        _rule(rf"(?P<wide>[（(]{_B}(?P<cut>{_V}(?:{_B}[、，,和]{_B}{_V})*){_B}[）)])(?P<noun>)"),
        0.8,
    ),
    # ，其中 E、E
    (
        "equations",
        _rule(
            rf"(?:(?<={_STOP})|^)(?P<wide>{_B}(?P<cut>(?:{_GIVEN}){{0,2}}{_B}{_LIST}){_B}(?:{_STOP}|$))(?P<noun>)"
        ),
        0.85,
    ),
)

_CLAUSE_IS = _rule(
    rf"(?:(?<={_STOP})|^)(?P<wide>{_B}(?P<cut>(?:已知|其中|设|且|而|又|又知|假设){{0,2}}"
    rf"(?P<subject>(?:{_CJK}|[{S}{X}{N}A-Za-z「」“”]|\s|的|、){{0,24}}?)"
    rf"(?:(?P<noun>{NOUNS})|[{S}{X}]){_B}{_MUST}{_B}(?P<value>{_ANY})){_B}(?:{_STOP}|$))"
)
_CLAUSE_LONG = _rule(
    rf"(?:(?<={_STOP})|^)(?P<wide>{_B}(?P<cut>(?:其|且|而|又)?(?P<subject>(?:{_CJK}|[{S}{X}]|\s|的){{0,12}}?)"
    rf"(?P<noun>长|宽|高|相距|重|半径|直径){_B}(?:约)?(?P<value>{Q})){_B}(?:{_STOP}|$))"
)

_BETWEEN = frozenset(["距离", "相距", "夹角", "间距", "角"])
"""Quantities between two things: of "与 P 距离为 l 的点" nothing can be cut."""
_IN_QUESTIONS = frozenset({"named-curve", "attributive-noun"})
"""Phrases whose value is given even where they stand in the asking clause itself."""


def chinese_cuts(found: Shadow) -> list[Cut]:
    """Conditions of a Chinese stem that can be taken out; they may overlap."""
    cuts: list[Cut] = []
    for start, end, asks in regions(found):
        text = found.text[start:end]
        if asks:
            cuts += [
                _cut(found, start, match, rule, confidence - 0.15)
                for rule, pattern, confidence in _PHRASES
                if rule in _IN_QUESTIONS
                for match in pattern.finditer(text)
                if not _constant(text, match) and not _relates(rule, match)
            ]
            continue
        for rule, pattern, confidence in _PHRASES:
            cuts += [
                _cut(found, start, match, rule, confidence)
                for match in pattern.finditer(text)
                if not _constant(text, match) and not _relates(rule, match)
            ]
        for rule, pattern, confidence in (("clause", _CLAUSE_IS, 0.8), ("clause", _CLAUSE_LONG, 0.7)):
            cuts += [
                _cut(found, start, match, rule, confidence)
                for match in pattern.finditer(text)
                if not _constant(text, match) and _stands_alone(found, start, match)
            ]
    return cuts


def _relates(rule: str, match: re.Match[str]) -> bool:
    """Whether an attribute relates two things, or belongs to a list: "与 P 距离为 l 的点" goes as a whole or not."""
    before = match.string[: match.start("cut")]
    between = match["noun"] in _BETWEEN and re.search(r"[与和到离][^，,。.;；]*$", before)
    listed = re.search(r"[、和]\s*[\u3400-\u9fff]{0,2}$", before)
    return rule == "attributive-noun" and (between or listed) is not None


def _stands_alone(found: Shadow, start: int, match: re.Match[str]) -> bool:
    """Whether a clause states a value and nothing else, and what it speaks of is named elsewhere as well."""
    subject, text = match["subject"].strip(), match.string
    if (
        _VERBS.search(re.sub("滑动摩擦|动摩擦|运动员|运动轨迹", "", subject))
        or "分别" in match[0]
        or re.search(r"[为是]", subject)
        or (match["cut"].startswith("设") and S in match["value"])
    ):
        return False
    before = re.split(_STOP, text[: match.start("cut")].rstrip(" ，,"))[-1].strip()
    if re.match(r"若|当|如果|设", before):
        return False
    behind = text[match.end("cut") :].lstrip(" ，,")
    if not before and re.match(rf"方向|其|边界|它|且|并|{NOUNS}{_MUST}", behind):
        return False
    head = re.sub(r"^(?:一|该|某|此|两|每个|各)+", "", re.split("的", subject)[0]) if subject else ""
    name = "".join(re.findall(_CJK, head))[-2:]
    rest = found.text[: start + match.start("cut")] + found.text[start + match.end("cut") :]
    if before and len(re.findall(_CJK, subject)) <= 4:
        return True
    return len(name) < 2 or name in rest or re.search("网格|小正方形|小方格", head) is not None


def _constant(text: str, match: re.Match[str]) -> bool:
    """Whether the clause of a match speaks of a constant of nature."""
    begin = max((m.end() for m in _CLAUSE.finditer(text, 0, match.start("cut"))), default=0)
    return _CONSTANT.search(text[begin : match.end()]) is not None or "分别" in match["cut"]


def _cut(found: Shadow, offset: int, match: re.Match[str], rule: str, confidence: float) -> Cut:
    wide = (offset + match.start("wide"), offset + match.end("wide"))
    if rule in ("clause", "equations"):
        # One of the two marks around a clause goes with it: the one in front, unless the clause ends a sentence.
        before, after = found.text[: wide[0]].rstrip()[-1:], found.text[wide[1] - 1 : wide[1]]
        if after in "。.;；" or not re.match(_STOP, after or " "):
            wide = (wide[0], wide[1] - (1 if after and re.match(_STOP, after) else 0))
            if before and before in "，,":
                wide = (found.text[: wide[0]].rstrip().__len__() - 1, wide[1])
        elif before and before in "。.;；":
            wide = (wide[0], wide[1])
    span = (offset + match.start("cut"), offset + match.end("cut"))
    stated = match.groupdict().get("value")
    cut = cut_of(
        found,
        span,
        wide,
        noun=match["noun"] or "",
        confidence=confidence - (0.3 if S in match["cut"] else 0.0),
        rule=rule,
        keeps_grammar=rule in ("clause", "equations", "attributive-noun"),
        owner=_owner(found, match, offset, rule),
        value=(offset + match.start("value"), offset + match.end("value")) if stated else None,
    )
    nouns = re.findall(rf"({NOUNS}){_IS}{_B}{_ANY}", match["cut"])
    if rule != "attributive-noun" or len(cut.atoms) < 2 or len(nouns) != len(cut.atoms):
        return cut
    return replace(cut, owners=tuple(cut.owner + noun for noun in nouns))


_THINGS = (
    r"(?:(?![从沿在绕以])[\u3400-\u9fff]){0,4}?(?:球|物块|滑块|木块|木板|环|棒|杆|绳|线|粒子|电荷|电阻|弹簧|圆盘|圆环|圆弧|圆柱|圆锥|圆筒|车|"
    r"人|圆(?![环盘弧柱锥筒])|弧|正方形|框|板|斜面|物体|轨道|导轨|电容器|电源|溶液|气体|灯泡|导线)"
)


def _owner(found: Shadow, match: re.Match[str], offset: int, rule: str) -> str:
    """The thing that a phrase belongs to: the subject of a clause, or the name behind an attribute."""
    text = match.string
    if rule == "input-is":
        return found.raw[
            found.at(offset + match.start("owner")) : found.at(offset + match.end("owner"))
        ].strip()
    if rule == "clause":
        subject = re.sub(r"(?:的|上|中|处|点的?|在)+$", "", match["subject"].rstrip()).rstrip()
        begin = match.start("subject")
        if article := re.match(r"(?:一|某|该|此)(?=[\u3400-\u9fff]{2})", subject):
            begin, subject = begin + article.end(), subject[article.end() :]
        return found.raw[found.at(offset + begin) : found.at(offset + begin + len(subject))].strip()
    if rule in ("attributive-noun", "attributive"):
        letter = "" if "均" in match["cut"] else rf"\s*[{S}A-Z]?(?![A-Z])"  # of all of them, not of the first
        behind = re.match(rf"\s*{_THINGS}{letter}", text[match.end("wide") :])
        if behind:
            begin = offset + match.end("wide")
            return found.raw[found.at(begin) : found.at(begin + behind.end())].strip()
    return ""


def chinese_rest(found: Shadow, taken: list[Cut]) -> list[Cut]:
    """Values with a unit and equations before the question is asked that no phrase covers: conditions in words."""
    out: list[Cut] = []
    for start, end, asks in regions(found):
        if asks:
            continue
        for place in range(start, end):
            atom = found.atoms.get(place)
            if atom is None or atom.kind not in (Q, E, P):
                continue
            if any(cut.start < atom.end and atom.start < cut.end for cut in taken):
                continue
            clause = max((m.end() for m in re.finditer(_STOP, found.text[start:place])), default=0) + start
            if _CONSTANT.search(found.text[clause : place + 2]):
                continue
            lead = re.search(rf"{NOUNS}{_IS}\s*$", found.text[clause:place])
            begin = clause + lead.start() if lead else place
            if (
                lead
                and re.fullmatch(rf"\s*(?:{_CJK}){{0,8}}", ahead := found.text[clause:begin])
                and not _VERBS.search(ahead)
            ):
                begin = clause
            out.append(cut_of(found, (begin, place + 1), (begin, place + 1), confidence=0.5, rule="value"))
    return out


def label_symbol(noun: str) -> str | None:
    """The usual symbol of a quantity, by its Chinese name."""
    for pattern, symbol in SYMBOLS.items():
        if noun and re.search(pattern, noun):
            return symbol
    return None
