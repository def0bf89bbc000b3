"""What an English question tells and what it asks: its sentences, and the asking clause of the one that asks."""

from __future__ import annotations

import re

from benchwright.curation.proposers.decomposition_atoms import S, Shadow

_SENTENCE = re.compile(
    r"(?:(?<=[a-z0-9)\]$\ue000-\ue005])(?<!\bFig)(?<!\bFigs)(?<!\bEq)(?<!\bvs)(?<!\bNo)|(?<=[\"'”’]))"
    r"[.?!](?=\s|[A-Z<(]|$)|(?<=[\ue000-\ue005])\s[.?!](?=\s|$)|\n\s*"
)
_ASK = re.compile(
    r"\b(?:what|how|which|who|whom|whose (?=\w+\?)|why|where is|when (?:does|do|will|is)|find|"
    r"determine|calculate|compute|"
    r"evaluate|estimate|approximate|express|sketch|draw|explain|describe|identify|show that|prove|state|give|name|"
    r"write|use|choose|select|is it|is the|are the|does|do you|can|could|should|will|would|did|"
    r"complete|label|rank|predict|match)\b",
    re.IGNORECASE,
)
_ASKS_LATE = re.compile(
    r"[,\ue000-\ue005]\s+(?:then\s+)?(?:find|determine|calculate|compute|evaluate|estimate|what|"
    r"how (?:much|many|far|long)|which of)\b",
    re.IGNORECASE,
)
_FILL = re.compile(
    r"(?:\b(?:is|are|equals?|be|was|by|to|of|at|that|should|would|will|has|have|if)|=|_{2,}\.?|:)\s*$"
)
_PARTS = re.compile(r"(?:^|[\s.?:;])\(?(?:a|1|i)\)\s*(?=\S)")
"""The first part of a question in parts: what stands behind it holds for a part alone."""


def regions(found: Shadow) -> list[tuple[int, int, bool]]:
    """Sentences of a shadow text as (start, end, asks); of an asking sentence an opening clause stays apart.

    The last sentence asks where it is left open ("the speed of the block is"); the parts of a question all ask.
    """
    parts = _PARTS.search(found.text) if re.search(r"\(?(?:b|2|ii)\)", found.text) else None
    limit = parts.start() if parts is not None else len(found.text)
    sentences: list[tuple[int, int]] = []
    position = 0
    for match in _SENTENCE.finditer(found.text, 0, limit):
        sentences.append((position, match.end()))
        position = match.end()
    sentences.append((position, limit))
    sentences = [(a, b) for a, b in sentences if found.text[a:b].strip()]
    out: list[tuple[int, int, bool]] = []
    for index, (start, end) in enumerate(sentences):
        text = found.text[start:end]
        asks = text.rstrip().endswith("?") or _starts_asking(text) or _ASKS_LATE.search(text) is not None
        if not asks and index == len(sentences) - 1 and parts is None:
            said = re.sub(r"\(?(?:Final |Answer).*|<image.*", "", text, flags=re.DOTALL).rstrip(" .\n")
            asks = _FILL.search(said) is not None
        place = _ask_place(text) if asks else None
        if place:
            out += [(start, start + place, False), (start + place, end, True)]
        else:
            out.append((start, end, asks))
    if parts is not None:
        out.append((limit, len(found.text), True))
    return out


def _starts_asking(text: str) -> bool:
    head = re.sub(r"^\s*(?:Then|Thus|Now|Also|Next|Finally|Hence),?\s+", "", text.lstrip())
    return _ASK.match(head) is not None


def _ask_place(text: str) -> int | None:
    """Where the asking clause of a sentence begins, behind a comma; 0 where the sentence begins with it."""
    opens = (
        r"(?:is|are|in|at|for|by|to|with|from|on|of|about|approximately|through|over)\s+(?:what|which|how)\b"
    )
    if _ASK.match(text.lstrip()) or re.match(rf"\s*{opens}", text, re.IGNORECASE):
        return 0
    for match in re.finditer(r"[,;\ue000-\ue005]\s+", text):
        rest = re.sub(r"^(?:then|and|so)\s+", "", text[match.end() :])
        if match[0][0] not in ",;" and not _ASK.match(rest):
            continue
        if _ASK.match(rest) or re.match(
            rf"(?:{opens}|is\b|are\b|the\b[^,]*\b(?:is|are)\s*\W*$|then\b|[{S}\ue005]\s*(?:is|equals)?\s*\W*$)",
            rest,
            re.IGNORECASE,
        ):
            return match.end()
    return None
