"""The text side of an LLM judge: the quoted response made harmless, and the verdict read without guessing.

A response is hostile input: it may quote the verdict tags, the fence, or give orders. So it stands between fence lines
whose code it cannot know (the code is a digest over the response itself), and every look-alike of a tag inside it loses
its square brackets. The verdict is read from the judge's own last line only; anything unclear is no verdict.
"""

from __future__ import annotations

import re
from typing import Literal

from benchwright.models.thinking import split_thinking
from benchwright.schemas.digest import digest_of

Verdict = Literal["consistent", "inconsistent"]

_TAG_LIKE = re.compile(
    r"[\[［【〔⟦]\s*[*_`]*\s*((?:in)?\s*-?\s*consistent)\s*[*_`]*\s*[\]］】〕⟧]", re.IGNORECASE
)
_FENCE_LIKE = re.compile(r"-{5,}|─{5,}|—{3,}")
_TAG = re.compile(r"\[(consistent|inconsistent)\]", re.IGNORECASE)
_TAIL = re.compile(r"^[\s*_`.。!！)）\"'”’]*$")
_NEGATION = re.compile(
    r"\b(?:not|never|neither|nor|cannot|instead|rather|isn't|aren't|if)\b|n't|[不没未非]|如果|而是", re.I
)


def neutralise(response: str) -> tuple[str, bool]:
    """Take the force out of verdict tags and fences in a response.

    Returns:
        The text to quote, and whether there was anything of that kind in it.
    """
    quoted, tags = _TAG_LIKE.subn(lambda match: f"⟦{match.group(1)}⟧", response)
    quoted, fences = _FENCE_LIKE.subn("- - -", quoted)
    # A ruled line alone is ordinary Markdown; only a fence that names itself one is suspicious.
    fence_words = re.search(r"- - -\s*(?:response|作答)", quoted, re.IGNORECASE) is not None and fences > 0
    return quoted, bool(tags) or fence_words


def nonce_of(row_id: str, response: str) -> str:
    """Code of the fence lines: fixed for a response, and not to be known while writing it."""
    return digest_of({"fence": row_id, "response": response})[:16]


def read_verdict(reply: str) -> Verdict | None:
    """The verdict of a judge's reply, or None when it is not clear.

    Clear means: the last non-empty line (after closed thinking) ends with exactly one tag and denies nothing.
    """
    lines = [line for line in split_thinking(reply).text.splitlines() if line.strip()]
    if not lines:
        return None
    found = list(_TAG.finditer(lines[-1]))
    if len(found) != 1:
        return None
    before, after = lines[-1][: found[0].start()], lines[-1][found[0].end() :]
    if not _TAIL.match(after) or _NEGATION.search(before):
        return None
    return "consistent" if found[0].group(1).lower() == "consistent" else "inconsistent"
