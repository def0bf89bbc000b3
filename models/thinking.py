"""Thinking text and answer text of a reply are told apart here, once, before anything is parsed or judged."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BLOCK = re.compile(r"<(think|thinking)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPEN = re.compile(r"<(?:think|thinking)>", re.IGNORECASE)
_CLOSE = re.compile(r"</(?:think|thinking)>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SplitReply:
    """Answer and thinking of one reply."""

    text: str
    thinking: str | None
    unclosed: bool
    """True: the thinking never ended, so there is no answer, whatever it mentions."""


def split_thinking(content: str) -> SplitReply:
    """Separate `<think>` blocks.

    Chat templates may put the opening tag into the prompt, so a reply may begin inside the block: everything up to a
    closing tag without an opening one is thinking as well.
    """
    blocks = [match.group(0) for match in _BLOCK.finditer(content)]
    rest = _BLOCK.sub("", content)
    closing = list(_CLOSE.finditer(rest))
    if closing:
        blocks.append(rest[: closing[-1].end()])
        rest = rest[closing[-1].end() :]
    opening = _OPEN.search(rest)
    if opening is not None:
        blocks.append(rest)
        rest = ""
    thinking = "\n".join(_CLOSE.sub("", _OPEN.sub("", block)).strip() for block in blocks)
    return SplitReply(rest.strip(), thinking or None, unclosed=opening is not None)
