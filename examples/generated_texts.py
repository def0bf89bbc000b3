"""Sentences of generated questions: settings, and nine ways in which a concept is asked about."""

from __future__ import annotations

FACETS: tuple[tuple[str, dict[str, tuple[str, ...]]], ...] = (
    ("Meaning", {
        "en": ("Use what {concept} means to state {wanted}.", "From the meaning of {concept}, what is {wanted}?"),
        "zh": ("根据{concept}的含义，求{wanted}。", "从{concept}的定义出发，{wanted}是多少？"),
    }),
    ("Calculation", {
        "en": ("Work out {wanted}; the topic is {concept}.", "In this exercise on {concept}, calculate {wanted}."),
        "zh": ("这是一道关于{concept}的计算题，求{wanted}。", "结合{concept}，计算{wanted}。"),
    }),
    ("Graph", {
        "en": ("A graph drawn to illustrate {concept} is read off for these values. Give {wanted}.",
               "Sketch the curve that belongs to {concept} and read {wanted} from it."),
        "zh": ("作出反映{concept}的图象，由图读出{wanted}。", "某图象描述了{concept}，由上述数据求{wanted}。"),
    }),
    ("Comparison", {
        "en": ("Two pupils compare cases of {concept}; for the first case find {wanted}.",
               "Compared with an ordinary case of {concept}, how large is {wanted} here?"),
        "zh": ("两位同学比较{concept}的不同情形，求第一种情形下{wanted}。",
               "与一般的{concept}相比，此时{wanted}有多大？"),
    }),
    ("Experiment", {
        "en": ("The reading belongs to an experiment on {concept}. Which value follows for {wanted}?",
               "During a laboratory lesson about {concept} this was noted. Find {wanted}."),
        "zh": ("在研究{concept}的实验中记录了以上数据，求{wanted}。",
               "实验课上探究{concept}时测得上述结果，则{wanted}为多少？"),
    }),
    ("Everyday use", {
        "en": ("In daily life {concept} matters for such things. Find {wanted}.",
               "An engineer who deals with {concept} needs {wanted}. What is it?"),
        "zh": ("生活中常遇到{concept}，试求{wanted}。", "工程师在处理{concept}问题时需要知道{wanted}，它是多少？"),
    }),
    ("Error", {
        "en": ("A solution that mistakes {concept} gives a wrong result. What is the right value of {wanted}?",
               "Someone mixes up {concept} with a similar idea. State {wanted} correctly."),
        "zh": ("有同学误用了{concept}，请给出{wanted}的正确结果。", "若不混淆{concept}与相近概念，{wanted}应为多少？"),
    }),
    ("Limiting case", {
        "en": ("Neglect all that disturbs {concept}. Then what is {wanted}?",
               "In the ideal case of {concept}, determine {wanted}."),
        "zh": ("忽略对{concept}的一切影响，求{wanted}。", "在{concept}的理想情形下，确定{wanted}。"),
    }),
    ("Combined", {
        "en": ("The task joins {concept} with what was learnt before. Determine {wanted}.",
               "Bring {concept} together with the data and give {wanted}."),
        "zh": ("综合运用{concept}与已学知识，求{wanted}。", "把{concept}与题中数据结合，给出{wanted}。"),
    }),
)  # fmt: skip
"""(name of the last part of a knowledge point's path, language -> patterns)."""

SETTINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "physics": {
        "en": (
            "On a test track", "In a school workshop", "At a harbour", "In a mountain railway",
            "On board a research ship", "In a wind tunnel", "At a power station", "On a playground",
            "In a lift shaft", "During a night of observation", "In a bicycle factory", "On a frozen lake",
            "At the foot of a dam", "In a space laboratory", "Beside a motorway", "In a music hall",
        ),
        "zh": (
            "在试车场上", "在学校的工作间里", "在港口", "在登山铁路上", "在科考船上", "在风洞中", "在发电站",
            "在操场上",
            "在电梯井内", "在一次夜间观测中", "在自行车厂", "在结冰的湖面上", "在大坝脚下", "在空间实验室",
            "在高速公路旁",
            "在音乐厅里",
        ),
    },
    "mathematics": {
        "en": (
            "In a contest paper", "On a map", "In the plan of a garden", "For a tiled floor", "In a notebook",
            "On squared paper", "For a new bridge", "In a puzzle", "At a fair", "In a library list",
            "For a model house", "In a survey", "On the blackboard", "In an old manuscript", "For a kite",
            "In a class project",
        ),
        "zh": (
            "在一张竞赛试卷中", "在地图上", "在花园的平面图中", "铺地砖时", "在笔记本里", "在方格纸上", "设计新桥时",
            "在一个谜题中", "在集市上", "在图书目录中", "制作房屋模型时", "在一次调查中", "在黑板上",
            "在一份古老手稿中",
            "制作风筝时", "在课堂项目中",
        ),
    },
    "chemistry": {
        "en": (
            "In a school laboratory", "At a waterworks", "In a dye factory", "In a mine", "At a salt lake",
            "In a battery plant", "On a farm", "In a bakery", "In a drug company", "Beside a volcano",
            "In a glass works", "In a museum store", "At a swimming pool", "In a steel mill", "In a greenhouse",
            "In a recycling yard",
        ),
        "zh": (
            "在学校实验室", "在自来水厂", "在染料厂", "在矿井里", "在盐湖边", "在电池厂", "在农场", "在面包房",
            "在制药公司",
            "在火山附近", "在玻璃厂", "在博物馆库房", "在游泳池", "在炼钢厂", "在温室里", "在回收站",
        ),
    },
}  # fmt: skip

SEEN = {"en": "The figure shows the situation. ", "zh": "情形如图所示。"}
"""Before the question of an item with a picture."""
ALSO = {"en": " Mind {concept} as well.", "zh": "还要考虑{concept}。"}
"""For further knowledge points of an item."""
GRADES = {
    "en": ("grade 7", "grade 8", "grade 9", "grade 10", "grade 11", "grade 12"),
    "zh": ("初一", "初二", "初三", "高一", "高二", "高三"),
}
