"""Words around an answer that decide whether it counts: corrections, doubts, look-alikes of a judge's verdict."""

from __future__ import annotations

import re

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
EMPTY_WORDS = re.compile(r"(?:解|答|答案|answer|solution|final answer)?[\s:：.。…·\-_]*", re.IGNORECASE)
"""A reply that says nothing: a lead without an answer, dots."""
