"""What the scripted model says to the prompts of `evaluate`; what it says to the proposers stands in `tests/line`.

The first lines of a prompt tell which one it is. The model answers questions with a letter by its own hash of them.
"""

from __future__ import annotations

import re
from importlib import resources
from typing import Any

Rule = dict[str, Any]
SEES: Rule = {"match": "^The picture shows one number", "has_image": True, "read_digits": True}
"""It reads the number of the probe's picture from its pixels."""
_REASONED = {"en": "Answer: B", "zh": "答案：B"}
_THOUGHT = {"en": "The law that is named here holds.", "zh": "这里用到题目所说的规律。"}
_REFERENCE = {"en": "Reference answer", "zh": "参考答案"}
_BEGINS = {"en": "begins -----", "zh": "开始 -----"}


def rules() -> list[Rule]:
    """Judge, scorer of steps, and reasoning step by step, in both languages."""
    said = {"ground": r"Reference answer: (\S+)", "reply": r"begins -----\s*Answer: (\S+)"}
    found = [SEES, {"match": "^Say whether the two results below", "judge": said}]  # docs/howto/extend.md
    for language in ("en", "zh"):
        thought, answer = _THOUGHT[language], _REASONED[language]
        quoted = [{"quote": thought, "kind": "K"}, {"quote": answer, "kind": "L"}]
        marks = [{"step": 1, "score": 1}, {"step": 2, "score": 0}]
        found += [
            {"match": _head("steps-split", language), "json": {"steps": quoted}},
            {"match": _head("steps-score", language), "json": {"scores": marks}},
            {"match": _head("cot", language), "answer": f"{thought}\n{answer}"},
            {
                "match": _head("judge", language),
                "judge": {
                    "ground": rf"{_REFERENCE[language]}[:：]\s*([^\s.]+)",
                    "reply": rf"{_BEGINS[language]}\s*(?:Answer: |答案：)(\S+)",
                },
            },
        ]
    return found


def _head(name: str, language: str) -> str:
    """What a prompt begins with."""
    text = (resources.files("benchwright.eval") / "prompts" / f"{name}.{language}.1.txt").read_text(
        encoding="utf-8"
    )
    return "^" + re.escape("\n".join(text.split("\n")[:2]).split("{{")[0])
