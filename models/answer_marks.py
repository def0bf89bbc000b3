"""Words around an answer that decide whether it counts: corrections, doubts, look-alikes of a judge's verdict."""

from __future__ import annotations

import re

from benchwright.models.answer_text import plain

UNSURE_BEFORE = re.compile(
    r"\b(?:wrong|incorrect|not|students?'?s?|users?'?s?|his|her|their|given|example|sample|previous|possible|reference|"
    r"standard|expected|ground[- ]truth)"
    r"\s+(?:\w+\s+)?$"
    r"|(?:\b(?:if|whether|why|suppose|assume|assuming)\b|如果|假设|假如|若|是否)[^.,\n。，;；]{0,30}$"
    r"|(?:错误的?|不正确的?|学生的?|例如|不是|并非|可能的?|参考|标准|不(?:能|应|应该|可|可以|要|得|会))\s*$",
    re.IGNORECASE,
)
"""Stands right before a statement that is not the reply's own answer."""
CORRECTION = re.compile(
    r"\b(?:wait|actually|correction|hold on|on second thought|instead|mistake|sorry|reconsider|rather)\b"
    r"|不对|等等|等一下|更正|应为|应该是|重新|改为|错了|其实",
    re.IGNORECASE,
)
"""Takes back what was said before."""
CONTRAST = re.compile(r"\b(?:but|however|yet|although|though)\b|但|然而|不过|可是", re.IGNORECASE)
"""Sets something against what was said before."""
HEDGE = re.compile(
    r"\b(?:or|either|maybe|perhaps|possibly|might|could)\b|或|可能|也许|大概是|要么|还是", re.IGNORECASE
)
"""Leaves open which of several things is meant."""
VERDICT = re.compile(
    r"[\[［【〔⟦]\s*(?:(?:in)?\s*-?\s*consistent|不?一致|不?相符)\s*[\]］】〕⟧]", re.IGNORECASE
)
"""Looks like a judge's verdict."""
TAKEN_BACK = re.compile(
    r"\b(?:wait|correction|hold\s+on|second\s+thoughts?|reflection|reconsider\w*|scratch|strike|erratum|oops|more\s+(?:likely|probabl[ey])|kidding|then\s+again|re-?think\w*|hmm+)\b"
    r"|\b(?:edit(?:ed)?|update|note)\s*:.*\b(?:should|is|it's|could|may|might)\b|\bedit(?:ed)?\s*:|\bupdate\s*:"
    r"|\bchanged?\s+my\s+mind|\bdisagree\w*|\bI\s+say\b|\b(?:not\s+(?:\w+\s+)?(?:sure|certain)|unsure|uncertain|doubt\w*|ambiguous)\b"
    r"|\b(?:cannot|can't)\s+(?:tell|decide|choose)\b|^\W*(?:actually|no|nope|sorry)\s*(?:[,.:;!-]|$)|[,:(-]\s*no\s*[,.:;!-]"
    r"|\b(?:that|this|it|which|above|answer|choice)(?:\s+(?:is|was|seems|may\s+be|might\s+be)|'s)\s+(?:\w+\s+)?"
    r"(?:wrong|incorrect|false|mistaken|not\s+(?:right|correct))\b"
    r"|不对|等等|等一下|更正|改为|改选|错了|算了|更可能|再想|划掉|哦不|啊不|[该此上](?:述|面)?(?:答案|选项|结论|结果)(?:是|有)?(?:错|误|不)|^\W*(?:wrong|incorrect|false|错误?|有误|不正确)\W*$|(?:^|[,:(，：（])\s*不\s*[,，。:：!]|这是?错误?的?|不(?:太)?(?:确定|肯定)|存疑|说不准",
    re.IGNORECASE,
)
"""In a later sentence: takes the answer back, or doubts it."""
BESIDE = re.compile(
    r"\b(?:also|too(?=\W*$)|as\s+well|likewise|equally|alternatives?|alternatively|otherwise|else|acceptable|accepted|arguabl[ey]"
    r"|defensible|plausible|possible|may|depending|if|unless|why|whether|both|prefer\w*|second|backup|candidates?)\b"
    r"|也|亦|还有|另|否则|备选|如果|若|均可|都可",
    re.IGNORECASE,
)
"""Puts another answer beside the one given, or makes it depend on something."""
OPENS_AGAIN = re.compile(
    r"^\W*(?:(?:or|alternatively|otherwise|perhaps|maybe|possibly|but|however|though|although|yet)\b"
    r"|或|但|不过|然而|也许|也?可能|要么|否则)",
    re.IGNORECASE,
)
"""Begins a sentence or a line that goes on from an answer by opening it again."""
STRUCK = re.compile(r"\\[bx]?cancel\s*\{[^{}]{0,8}\\boxed|\\sout\b|~~|</?(?:s|del|strike)>", re.IGNORECASE)
"""Something in the reply is struck out."""
DENIAL = re.compile(r"\b(?:not|never|neither|nor|cannot)\b|n't\b|不|别|勿", re.IGNORECASE)
"""Denies something."""
DOUBT_BEHIND = re.compile(
    r"\b(?:if|unless|provided|assuming|when|wrong|incorrect|false|mistaken|doubtful|unlikely|not\s+(?:right|correct))\b"
    r"|错|不对|不正确|不成立|存疑|如果|假如|若",
    re.IGNORECASE,
)
"""In the answer's own sentence, behind it."""
_NOT_MINE = re.compile(
    r"\b(?:not|never|nobody|no\s+one|hardly|except|(?:any|every|no)?(?:thing|one)\s+but|all\s+but|besides|avoid|without|unlike|others|some|somebody|someone|many|most"
    r"|people|students?|classmates?|often|tempt\w*|neither|nor|eliminat\w+|exclud\w+|rul(?:e|ed|ing)\s+out|wrong|incorrect"
    r"|either|maybe|perhaps|possibly|might|may|could|can\s?not|according|friends?|claim\w*|says?|said"
    r"|believ\w*|colleagues?|teachers?|books?|trap|distractor|mistake)\b|\w*n't\b|同学|有人|别人|容易|误|错|不|非(?!常)|除|排除|绝|以为|要么|可能|(?<!其)[他她]|(?<!我)认为|书上|老师|干扰|陷阱",
    re.IGNORECASE,
)
_GIVEN_THAT = re.compile(
    r"\b(?:if|unless|suppos\w+|suppose|assum\w+)\b|如果|假设|假如|倘若|(?<![A-Za-z])若", re.IGNORECASE
)
_CALLED = re.compile(
    r"(?:wrong|incorrect|false|trap|distractor|mistake|错误(?:的|答案|选项)?|易错|干扰项?|陷阱)\W*$",
    re.IGNORECASE,
)
_SENTENCE_BREAK = re.compile(r"(?<=[\n;。！？；])|(?<=[.!?])(?=\s)")


def sentences(text: str) -> list[str]:
    """A text in sentences, lines and halves at a semicolon, each with its end mark."""
    return [piece for piece in _SENTENCE_BREAK.split(text) if piece and not piece.isspace()]


def not_own(before: str) -> bool:
    """Whether the words before a statement, in its sentence, deny it, hand it to others or hang it on a condition."""
    said = _SENTENCE_BREAK.split(before[-200:])[-1]
    clause = re.split(r"[,:，：]", said)[-1]
    named_wrong = _CALLED.search(said) is not None
    return named_wrong or _NOT_MINE.search(clause) is not None or _GIVEN_THAT.search(said) is not None


def opened_again(after: str) -> bool:
    """Whether what follows a number or a word given as the answer takes it back or names another beside it."""
    for piece in sentences(after):
        if TAKEN_BACK.search(piece) or OPENS_AGAIN.search(piece) or CORRECTION.search(piece):
            return True
        if re.search(r"\d", piece) and _BETTER.search(piece):
            return True
        if (HEDGE.search(piece) or CONTRAST.search(piece) or BESIDE.search(piece)) and (
            re.search(r"\d", piece) or (BESIDE.search(piece) is not None and _RIGHT_TOO.search(piece))
        ):
            return True
    return False


_BETTER = re.compile(
    r"\b(?:correct(?:ed|ly)?|right|precise\w*|exact\w*|accurate\w*|better|true|revised|strictly)\b|正确|准确|精确|严格",
    re.IGNORECASE,
)
_RIGHT_TOO = re.compile(
    r"\b(?:possible|acceptable|accepted|correct|right|valid|fits?|works?|plausible|defensible|answers?|choices?|guess)\b|对|正确|可以|成立"
    r"|答案",
    re.IGNORECASE,
)
EMPTY_WORDS = re.compile(r"(?:解|答|答案|answer|solution|final answer)?[\s:：.。…·\-_]*", re.IGNORECASE)
"""A reply that says nothing: a lead without an answer, dots."""
_OPTION_LIST = re.compile(
    r"§(?:\s*(?:,\s*(?:and|or|nor)\b|[,、&]|\b(?:and|or|nor)\b|和|与|及|或)\s*(?:options?\s+)?§)+",
    re.IGNORECASE,
)
_TURNED_DOWN = re.compile(
    r"(?:(?<!if )(?<!why )(?<!or )\b(?:not|nor|neither|rather\s+than|other\s+than|instead\s+of|unlike)"
    r"|(?<!not )(?<!n't )(?<!never )\b(?:eliminat\w+|exclud\w+|rul(?:e|es|ed|ing)\s+out|choosing)"
    r"|(?<!能)(?<!法)(?<!不)排除|不选|不是|而非|而不是)\s*(?:the\s+)?(?:other\s+)?(?:options?|choices?|answers?|statements?|选项)?\s*§"
    r"|§\s*(?:选?项|options?)?\s*(?:(?:is|are|was|were|would|be|gives?|all|both|each|simply|just|clearly|far|much|均|都|全|则|为|是)\s*)*"
    r"(?:wrong|incorrect|false|too\s+\w+|ignor\w+|forget\w*|neglect\w*|miss(?:es)?|omits?|confus\w+|uses?\s+the\s+wrong"
    r"|(?:not|cannot|\w+n't)(?!\s+(?:\w+\s+){0,2}(?:wrong|incorrect|false|exclu\w+|impossible|rul\w+|eliminat\w+))"
    r"|错|误|忽略|漏|太|过[大小]|不(?!错|能排除|可排除|排除|误))",
    re.IGNORECASE,
)
OTHER_OPTION = re.compile(
    r"\b(?:options?|choices?|answers?|alternatives?|candidates?|guess|ones?)\b|选项|答案|备选|项",
    re.IGNORECASE,
)
"""Speaks of an option, an answer or a guess without its label."""
_REFUSAL = re.compile(
    r"\b(?:I(?:'m|\s+am)?\s+(?:really\s+|just\s+|also\s+)?"
    r"(?:can\s?not|can't|could\s?not|couldn't|unable\s+to|not\s+able\s+to|do\s+not|don't|won't|will\s+not)\s+"
    r"(?:\w+\s+)?(?:see|view|access|open|read|determine|answer|help|assist|provide|identify|process|interpret|solve|"
    r"know|comply|have\s+(?:access|enough)|discuss)"
    r"|we\s+(?:can\s?not|can't|won't|will\s+not)\s+(?:\w+\s+)?(?:answer|help|assist|provide|comply|discuss))\b"
    r"|\b(?:I|we)\s+(?:must|have\s+to)\s+decline\b"
    r"|\bno\s+(?:image|picture|diagram|figure)\s+(?:was\s+|is\s+|has\s+been\s+)?(?:provided|attached|visible|given)\b"
    r"|(?:我(?!们)|抱歉|对不起|不好意思)(?:(?!认为|觉得|相信|我想)[^。\n]){0,12}"
    r"(?:(?:无法|不能|没法|没有办法)[^。，,\n]{0,6}?"
    r"(?:看|识别|辨认|读|打开|访问|提供|给出|回答|解答|作答|答复|确定|判断|帮|协助|处理|完成|满足|讨论)"
    r"|看不到|看不见|不知道|不清楚|不会(?=[做答解。]|$))"
    r"|^(?:无法|不能)(?:看到|查看|识别|回答|作答|读取|提供|打开)|^不知道",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\b(?:but|however|therefore|thus|hence|so|still|nevertheless|based on|assuming|likely|probably|obviously)\b"
    r"|\banswer is\b"
    r"|但是?|不过|因此|所以|根据|可能是|应该是|应为|答案是",
    re.IGNORECASE,
)
_REPEATS = re.compile(
    r"[\s,，]*(?:(?:unfortunately|as an? [\w -]{2,40}?),?\s+)?(?=I\b|we\b|no\b|我|[无不没])", re.IGNORECASE
)


def turned_down(piece: str) -> bool:
    """Whether a sentence turns down every other option that it names (each a "§", the chosen one "¤")."""
    said = _OPTION_LIST.sub("§", piece)
    if "¤" in said or "?" in said or HEDGE.search(said) or BESIDE.search(said):
        return False
    return "§" not in _TURNED_DOWN.sub("", said)


def is_refusal(text: str) -> bool:
    """True when the reply only says that it cannot or will not answer: short, no digit, nothing goes on from there.

    "Sorry, but I cannot help" goes on with nothing but the refusal itself. "Cannot be determined" is no refusal: it
    may be the right option.
    """
    said = plain(text).replace("’", "'").strip()
    if len(said) > 400 or re.search(r"[\d=\\]", said) or _REFUSAL.search(said) is None:
        return False
    return all(_refuses_at(said, link.end()) for link in _GOES_ON.finditer(said))


def _refuses_at(said: str, place: int) -> bool:
    """Whether the words from `place` on begin with a refusal."""
    lead = _REPEATS.match(said, place)
    return lead is not None and _REFUSAL.match(said[lead.end() :]) is not None
