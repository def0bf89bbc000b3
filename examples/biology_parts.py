"""Biology: parts with numbers and their tasks, keys, fields of view, strata."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial

from benchwright.examples import organisms
from benchwright.examples.canvas import Drawing
from benchwright.examples.problem import (
    JUNIOR,
    SENIOR,
    Draft,
    ExampleProblem,
    Head,
    Option,
    Words,
    num,
    option,
)

head = partial(Head, "biology")
Tasks = Mapping[str, tuple[str, str]]
FLOWER: Tasks = {
    "anther": ("sets pollen free", "产生并散出花粉"),
    "stigma": ("receives the pollen", "接受花粉"),
    "petal": ("attracts insects by its colour", "以颜色吸引昆虫"),
    "ovary": ("turns into the fruit", "发育成果实"),
    "sepal": ("protected the bud", "在花蕾时期起保护作用"),
}
LEAF: Tasks = {
    "epidermis": ("protects the leaf and lets light through", "起保护作用并让光透过"),
    "palisade layer": ("does most of the photosynthesis", "进行光合作用最旺盛"),
    "spongy layer": ("has wide air spaces between its cells", "细胞排列疏松、间隙大"),
    "stoma": ("lets gases in and out", "是气体进出的门户"),
    "vein": ("carries water into the leaf", "把水运输到叶片"),
}
REFLEX: Tasks = {
    "receptor": ("takes up the stimulus", "感受刺激"),
    "sensory fibre": ("leads the excitation to the cord", "将兴奋传入脊髓"),
    "centre": ("works the excitation up", "对兴奋进行分析综合"),
    "motor fibre": ("leads the excitation away from the cord", "将兴奋由脊髓传出"),
    "effector": ("carries out the response", "作出应答反应"),
}
HEART: Tasks = {
    "right atrium": ("receives the blood that returns from the body", "接受从全身流回的血液"),
    "left atrium": ("receives the blood that returns from the lungs", "接受从肺流回的血液"),
    "right ventricle": ("pumps blood to the lungs", "把血液压入肺"),
    "left ventricle": ("pumps blood into the body", "把血液压向全身"),
}
MICROSCOPE: Tasks = {
    "eyepiece": ("does one look into", "用眼观察时靠近的"),
    "objective": ("magnifies the specimen first", "对标本进行第一级放大的"),
    "stage": ("carries the slide", "放置玻片标本的"),
    "mirror": ("throws light on the specimen", "使光线照到标本上的"),
    "focusing knob": ("raises and lowers the tube or stage", "用来调节焦距的"),
}
WAYS: Tasks = {
    "diffusion": ("is simple diffusion through the layer", "为自由扩散"),
    "channel": ("runs through a channel without using energy", "经通道蛋白进行且不消耗能量"),
    "pump": ("moves particles against their gradient", "逆浓度梯度进行"),
    "vesicle": ("takes large particles in by folding the membrane", "通过膜的内陷摄取大分子"),
}


def _numbered(
    heading: Head,
    draw: Callable[[], Drawing],
    tasks: Tasks,
    asked: str,
    en: str,
    zh: str,
    hint: tuple[str, str],
) -> ExampleProblem:
    """A question for the number of the part with a task; the parts are numbered in the order of the tasks."""
    names = list(tasks)
    number = names.index(asked) + 1
    others = [i for i in range(1, len(names) + 1) if i != number][:3]
    english, chinese = tasks[asked]
    return Draft(
        heading,
        draw(),
        {"asked": asked},
        {"en": english, "zh": chinese},
        Words(en, hint[0]),
        Words(zh, hint[1]),
    ).single(
        Option(f"part {number}", f"结构 {number}"),
        *(Option(f"part {i}", f"结构 {i}", f"this is the {names[i - 1]}") for i in others),
    )


def flower_parts(asked: str = "ovary") -> ExampleProblem:
    """The number of a part of a flower."""
    return _numbered(
        head("bio-flower", "botany-and-zoology", 1, JUNIOR, ("Plants/Structure and growth",)),
        organisms.flower,
        FLOWER,
        asked,
        "The figure shows a flower cut open. Which of the numbered parts @en?",
        "如图为花的结构示意图，图中@{zh}的是（　）",
        (
            "Name anther, stigma, petal, ovary and sepal; then compare their tasks.",
            "先辨认花药、柱头、花瓣、子房和萼片，再比较它们的功能。",
        ),
    )


def leaf_parts(asked: str = "palisade layer") -> ExampleProblem:
    """The number of a layer of a leaf."""
    return _numbered(
        head("bio-leaf-section", "botany-and-zoology", 2, JUNIOR, ("Plants/Structure and growth",)),
        organisms.leaf_section,
        LEAF,
        asked,
        "The figure shows a section of a leaf. Which of the numbered parts @en?",
        "如图为叶片横切面示意图，图中@{zh}的是（　）",
        (
            "Cells of the palisade layer stand close and hold most chloroplasts; spongy cells lie loosely.",
            "栅栏组织细胞排列紧密、叶绿体多，海绵组织细胞排列疏松。",
        ),
    )


def reflex_parts(asked: str = "effector") -> ExampleProblem:
    """The number of a part of a reflex arc."""
    return _numbered(
        head("bio-reflex-arc", "biomedicine", 2, SENIOR, ("Animals/Organs and regulation",)),
        organisms.reflex_arc,
        REFLEX,
        asked,
        "The figure shows a reflex arc. Which of the numbered parts @en?",
        "如图为反射弧示意图，图中@{zh}的是（　）",
        (
            "The fibre with the ganglion leads inwards; follow the arrows from skin to muscle.",
            "有神经节的一侧为传入神经，沿箭头由皮肤到肌肉依次辨认。",
        ),
    )


def heart_chambers(asked: str = "left ventricle") -> ExampleProblem:
    """The number of a chamber of the heart."""
    return _numbered(
        head("bio-heart", "biomedicine", 2, JUNIOR, ("Animals/Organs and regulation",)),
        organisms.heart,
        HEART,
        asked,
        "The figure shows a human heart from the front; the right side of the body is on the left. Which "
        "of the numbered parts @en?",
        "如图为人的心脏结构示意图（图的左侧为身体右侧），图中@{zh}的是（　）",
        (
            "Atria lie above, ventricles below; the right half serves the lungs, the left half the body.",
            "心房在上，心室在下；右半部分通向肺，左半部分通向全身。",
        ),
    )


def microscope_parts(asked: str = "mirror") -> ExampleProblem:
    """The number of a part of a microscope."""
    return _numbered(
        head("bio-microscope", "basic-biologics", 1, JUNIOR, ("Cells/Structure and function",)),
        organisms.microscope,
        MICROSCOPE,
        asked,
        "The figure shows a light microscope. Which of the numbered parts @en?"
        if asked != "eyepiece"
        else "The figure shows a light microscope. Into which of the numbered parts @en?",
        "如图为光学显微镜，图中@{zh}部件是（　）",
        (
            "Follow the light from below: mirror, stage, objective, eyepiece.",
            "沿光路由下向上依次为反光镜、载物台、物镜、目镜。",
        ),
    )


def membrane_ways(asked: str = "pump") -> ExampleProblem:
    """The number of a way across a membrane."""
    return _numbered(
        head("bio-membrane", "molecular-and-cellular", 2, SENIOR, ("Cells/Structure and function",)),
        organisms.membrane,
        WAYS,
        asked,
        "The figure shows four ways across a cell membrane; the dots are the particles that are moved. "
        "Which of them @en?",
        "如图为物质跨膜运输的四种方式，小圆圈表示被运输的物质，其中@{zh}的是（　）",
        (
            "Compare the numbers of particles on both sides and look for a protein or for ATP.",
            "比较膜两侧物质的多少，看是否需要蛋白质和 ATP。",
        ),
    )


def cells_in_view(cells: int = 16, low: int = 100, high: int = 400) -> ExampleProblem:
    """Cells that remain in view at a higher magnification."""
    times = Fraction(high, low)

    def count(value: Fraction | int, mistake: str = "") -> Option:
        return option(f"${num(value)}$", mistake)

    return Draft(
        head("bio-cells-in-view", "basic-biologics", 3, JUNIOR, ("Cells/Structure and function",)),
        organisms.field_of_view(cells),
        {"cells": cells, "low": low, "high": high},
        {"a": num(low), "b": num(high)},
        Words(
            "At a magnification of @a a row of cells reaches just across the field of view, as shown. "
            "How many cells of the row are in view at a magnification of @b?",
            "The diameter of the field shrinks as the magnification grows.",
        ),
        Words(
            "如图，在 @a 倍的放大倍数下，一行细胞恰好充满视野的直径；换用 @b 倍的放大倍数后，视野中能看到"
            "该行细胞"
            "的个数为（　）",
            "视野的直径与放大倍数成反比。",
        ),
    ).single(
        count(cells / times),
        count(cells / times**2, "shrinks by the area, although the cells lie in a row"),
        count(cells * times, "lets more cells appear"),
        count(cells, "overlooks the change of the field"),
    )


def identification_key(answers: str = "+-", names: tuple[str, ...] = ("P", "Q", "R", "S")) -> ExampleProblem:
    """Follows a key with two questions to its end."""
    ends = dict(zip(("b+", "b-", "c+", "c-"), names, strict=True))
    second = "b" if answers[0] == "+" else "c"
    right = ends[second + answers[1]]
    has = {"+": ("has", "有"), "-": ("has no", "没有")}
    spine = {"+": "has a", "-": "has no"}
    what = {"b": ("feathers", "羽毛"), "c": ("six legs", "六条足")}
    return Draft(
        head("bio-identification-key", "basic-biologics", 2, JUNIOR, ("Evolution/Descent and selection",)),
        organisms.key_tree(ends),
        {"answers": answers, "names": names},
        {
            "e1": spine[answers[0]],
            "z1": has[answers[0]][1],
            "e2": f"{has[answers[1]][0]} {what[second][0]}",
            "z2": has[answers[1]][1] + what[second][1],
        },
        Words(
            "In the key of the figure a asks for a backbone, b for feathers and c for six legs; plus "
            "means yes and "
            "minus no. To which letter does an animal lead that @e1 backbone and @e2?",
            "Answer the questions one after the other from the top.",
        ),
        Words(
            "在如图所示的检索表中，a 表示是否有脊椎，b 表示是否有羽毛，c 表示是否有六条足，加号表示是，减"
            "号表示否。某动物@{z1}脊椎、@{z2}，它对应的字母是（　）",
            "从上往下依次回答各个问题。",
        ),
    ).single(
        option(right), *(option(n, "takes a wrong turn at one of the questions") for n in names if n != right)
    )


def rock_layers(order: tuple[str, ...] = ("P", "Q", "S", "R"), place: int = 3) -> ExampleProblem:
    """Which rock was formed at a place of the order; the dyke comes after the layers that it cuts."""
    words = {1: ("first", "最早"), 2: ("second", "第二"), 3: ("third", "第三"), 4: ("last", "最晚")}
    return Draft(
        head("bio-rock-layers", "evolutionary", 2, JUNIOR, ("Evolution/Descent and selection",)),
        organisms.strata(order),
        {"order": order, "place": place},
        {"e": words[place][0], "z": words[place][1]},
        Words(
            "The figure shows layers of rock and a dyke of solidified melt that cuts some of them. Which "
            "of the four was formed @e?",
            "Lower layers are older; the dyke is younger than every layer that it cuts and older than "
            "the one that it does not reach.",
        ),
        Words(
            "如图为某地的岩层剖面，其中一条岩脉穿过了部分岩层，四者中形成时间@{z}的是（　）",
            "下层较老；岩脉晚于被它切穿的岩层，早于未被切穿的上覆岩层。",
        ),
    ).single(
        option(order[place - 1]),
        *(option(n, "misjudges the order of layers and dyke") for n in order if n != order[place - 1]),
    )


PROBLEMS = (
    flower_parts,
    leaf_parts,
    reflex_parts,
    heart_chambers,
    microscope_parts,
    membrane_ways,
    cells_in_view,
    identification_key,
    rock_layers,
)
