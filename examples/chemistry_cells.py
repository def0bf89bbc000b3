"""Chemistry: fuel cells, corrosion, electrolysis behind a membrane."""

from __future__ import annotations

from functools import partial

from benchwright.examples import vessels
from benchwright.examples.problem import (
    JUNIOR,
    SENIOR,
    Draft,
    ExampleProblem,
    Head,
    Option,
    Words,
    num,
    q,
    qty,
)

head = partial(Head, "chemistry")
CELLS = ("Electrochemistry/Cells",)


def fuel_cell(medium: str = "alkaline") -> ExampleProblem:
    """Statements about a hydrogen-oxygen cell; multiple-select."""
    alkaline = medium == "alkaline"

    def says(en: str, zh: str, true: bool) -> Option:
        return Option(en, zh, "" if true else "mixes up the electrodes or the electrolyte")

    return Draft(
        head("chem-fuel-cell", "electrochemistry", 3, SENIOR, CELLS),
        vessels.fuel_cell(r"\mathrm{KOH}" if alkaline else r"\mathrm{H_2SO_4}"),
        {"medium": medium},
        {},
        Words(
            "The figure shows a fuel cell that feeds a lamp; a and b are its electrodes. Which "
            "statements are right?",
            "Hydrogen is oxidised at the negative pole; water takes part on the side where hydroxide "
            "ions or hydrogen ions must be balanced.",
        ),
        Words(
            "如图为给小灯泡供电的燃料电池，a、b 为两个电极，下列说法正确的有（　）",
            "氢气在负极被氧化；再根据电解质判断哪一侧消耗或生成氢离子、氢氧根离子。",
        ),
    ).multiple(
        says("a is the negative pole.", "a 为负极", True),
        says("Electrons flow through the lamp from b to a.", "电子经小灯泡由 b 流向 a", False),
        says("Hydroxide ions form at b.", "b 极生成氢氧根离子", alkaline),
        says("Hydrogen ions form at a.", "a 极生成氢离子", not alkaline),
        says("The only product of the cell is water.", "电池的总反应只生成水", True),
    )


def rusting_nail(order: tuple[str, ...] = ("dry", "salt", "oil", "wet")) -> ExampleProblem:
    """The test tube in which a nail rusts fastest."""
    numbers = {kind: i for i, kind in enumerate(order, 1)}
    why = {
        "dry": "overlooks that water is missing",
        "oil": "overlooks that air is missing",
        "wet": "overlooks that salt speeds rusting up",
    }
    return Draft(
        head("chem-rusting-nail", "electrochemistry", 1, JUNIOR, ("Electrochemistry/Cells",)),
        vessels.nails(order),
        {"order": order},
        {},
        Words(
            "Nails of iron stand in four test tubes: in dry air, half in water, half in salt water, and "
            "in boiled water under a layer of oil. In which tube does the nail rust fastest?",
            "Rust needs water and air together; dissolved salt makes the liquid conduct better.",
        ),
        Words(
            "四支试管中的铁钉分别处于干燥空气、水与空气、食盐水与空气、油层下煮沸过的水中，如图所示，铁钉"
            "锈蚀最快的是（　）",
            "铁生锈需要水和氧气同时存在，溶解的食盐使溶液导电能力增强。",
        ),
    ).single(
        Option(f"tube {numbers['salt']}", f"试管 {numbers['salt']}"),
        *(Option(f"tube {numbers[k]}", f"试管 {numbers[k]}", mistake) for k, mistake in why.items()),
    )


def brine_cell(electrons: int = 2) -> ExampleProblem:
    """Amounts in the electrolysis of brine behind a membrane; multiple-select."""

    def says(en: str, zh: str, amount: float, ions: int) -> Option:
        true = amount == electrons / ions
        value = q(num(amount), "mol")
        return Option(
            en.replace("#", value), zh.replace("#", value), "" if true else "does not balance the electrons"
        )

    return Draft(
        head("chem-brine-cell", "electrochemistry", 4, SENIOR, ("Electrochemistry/Cells",)),
        vessels.membrane_cell(),
        {"electrons": electrons},
        {"n": qty(electrons, "mol")},
        Words(
            "Brine is electrolysed in the cell shown; the membrane M lets only cations pass, and water "
            "with a little base is on the right. While $@n$ of electrons flow, which statements "
            "are right?",
            r"$\mathrm{2Cl^-\rightarrow Cl_2+2e^-}$, $\mathrm{2H_2O+2e^-\rightarrow H_2+2OH^-}$; for "
            r"each electron one $\mathrm{Na^+}$ passes the membrane.",
        ),
        Words(
            "用如图所示的装置电解食盐水，M 膜只允许阳离子通过，右侧为加有少量碱的水。当转移 $@n$ 电子时，"
            "下列说法正确的有（　）",
            r"$\mathrm{2Cl^--2e^-=Cl_2\uparrow}$，$\mathrm{2H_2O+2e^-=H_2\uparrow+2OH^-}$；每转移一个电子"
            r"有一个 $\mathrm{Na^+}$ 通过膜。",
        ),
    ).multiple(
        says("# of chlorine form on the left.", "左侧生成 # 氯气", electrons / 2, 2),
        says("# of hydrogen form on the right.", "右侧生成 # 氢气", float(electrons), 2),
        says(
            "# of sodium ions pass the membrane to the right.",
            "有 # 钠离子通过膜移向右侧",
            float(electrons),
            1,
        ),
        says("# of sodium hydroxide form on the right.", "右侧生成 # 氢氧化钠", float(electrons), 1),
    )


PROBLEMS = (
    fuel_cell,
    rusting_nail,
    brine_cell,
)
