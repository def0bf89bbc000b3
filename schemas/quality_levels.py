"""Levels of the two ratings of a question, in words: a model that proposes and a person who reviews read the same.

The ratings are those by which SciVerse, section 2.1, chose its problems; the papers define no levels: these are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

LEVELS: Mapping[str, Mapping[str, Mapping[int, str]]] = MappingProxyType(
    {
        "complexity": {
            "en": {
                1: "everyday knowledge or one definition, applied as it stands.",
                2: "one law or rule of the school course, in its standard use.",
                3: "two or three rules of one chapter that have to be put together.",
                4: "rules of several chapters, or one that most courses treat late or not at all.",
                5: "a web of ideas from different fields, or knowledge beyond the school course.",
            },
            "zh": {
                1: "日常常识或一个定义，直接套用。",
                2: "课程中的一条规律或法则，按常规使用。",
                3: "同一章的两三条规律，需要合在一起用。",
                4: "几章的规律，或多数课程很晚才讲、甚至不讲的规律。",
                5: "来自不同领域、互相牵连的一组概念，或超出中学课程的知识。",
            },
        },
        "richness": {
            "en": {
                1: "no picture, or one that can be left away.",
                2: "it repeats what the text says; a look at it helps a little.",
                3: "one or two values, names or positions stand in it alone.",
                4: "several things have to be read off and related: a curve, a table, an apparatus, a figure.",
                5: "most of the problem is in it: many parts, scales or steps that have to be combined.",
            },
            "zh": {
                1: "没有图，或图可以去掉。",
                2: "图只重复文字所说的内容，看一眼略有帮助。",
                3: "有一两个数值、名称或位置只在图中给出。",
                4: "需要读出多处内容并联系起来：曲线、表格、装置或几何图形。",
                5: "题目的主要内容都在图中：多个部分、刻度或步骤需要综合。",
            },
        },
    }
)
"""Levels 1 to 5 of both ratings, by language."""
