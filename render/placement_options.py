"""Which of several pictures are the options and not the question's diagram: those bear an option's letter each.

Some sources print options as pictures, in any order and with the question's own diagram among them. A mark on an
option's picture would say something about that option alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from benchwright.render.placement_names import DiagramLabel
from benchwright.schemas.records import ImageRef

_LETTER = re.compile(r"[(（]?\s*([A-H])\s*[.．、,·:：)）]+")
_BARE = re.compile(r"[A-H]")
_FEWEST = 3
"""Pictures with a letter each that are options: two may be parts of one drawing."""
MANY = 4
"""So many pictures nobody takes for parts of one diagram without having read them."""


def option_pictures(refs: Sequence[ImageRef], labels: Mapping[str, Sequence[DiagramLabel]]) -> frozenset[str]:
    """Digests of the pictures that are options, by what was read on them; empty where that does not tell.

    Args:
        refs: the question's pictures.
        labels: what was read on them, by digest.
    """
    marked: dict[str, str] = {}
    bare: dict[str, set[str]] = {}
    for ref in refs:
        texts = [item.text.strip() for item in labels.get(ref.sha256, ())]
        letters = {match[1] for text in texts if (match := _LETTER.fullmatch(text))}
        if len(letters) == 1:
            marked[ref.sha256] = letters.pop()
        else:
            bare[ref.sha256] = {text for text in texts if _BARE.fullmatch(text)}
    if len(set(marked.values())) < _FEWEST:
        return frozenset()
    # The dot of one letter may have been overlooked.
    missing = set("ABCDEFGH"[: max(4, len(marked))]) - set(marked.values())
    late = [
        name for name, found in bare.items() if len(missing) == 1 and missing <= found and len(found) == 1
    ]
    return frozenset([*marked, *(late if len(late) == 1 else ())])


def home_of(refs: Sequence[ImageRef], labels: Mapping[str, Sequence[DiagramLabel]]) -> str | None:
    """The picture for marks that nothing else settles: the first that is no option; None where that is unknown.

    Args:
        refs: the question's pictures.
        labels: what was read on them; a picture that was not read has no entry.
    """
    options = option_pictures(refs, labels)
    if len(refs) >= MANY and not options:
        return None
    return next((ref.sha256 for ref in refs if ref.sha256 not in options), None)
