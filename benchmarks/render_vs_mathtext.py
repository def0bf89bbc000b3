"""The same formulas by our typesetter and by matplotlib's mathtext: CPU per formula, and how many each can draw.

    python benchmarks/render_vs_mathtext.py [--repeat 5] [--fragments FILE.jsonl.gz --step 200]

Both draw to pixels at 32 pixels an em with a cold formula cache; start-up (fonts, engines) is not counted.
`--fragments` takes real formulas instead (one JSON object a line with `latex`). Only what both can draw is compared
for speed.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import logging
import time
from collections.abc import Callable
from pathlib import Path

from benchwright.render.font import load_font
from benchwright.render.formula import make_typesetter
from benchwright.schemas.errors import ItemError

FORMULAS = (
    r"x^2 + y^2 = r^2",
    r"\frac{-b \pm \sqrt{b^2 - 4ac}}{2a}",
    r"\int_0^{\infty} e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}",
    r"\sum_{i=1}^{n} i = \frac{n(n+1)}{2}",
    r"\vec{F} = m\vec{a}",
    r"E_k = \frac{1}{2}mv^2",
    r"\lim_{x \to 0} \frac{\sin x}{x} = 1",
    r"30^{\circ} \leq \theta < 90^{\circ}",
    r"\mu_0 = 4\pi \times 10^{-7}\,\mathrm{N/A^2}",
    r"\angle ABC = 60^{\circ}",
    r"\overrightarrow{AB} \cdot \overrightarrow{AC}",
    r"\sqrt[3]{\frac{V}{4\pi/3}}",
    r"\left( \frac{T_1}{T_2} \right)^{\frac{3}{2}}",
    r"\alpha + \beta \neq \gamma",
    r"\log_2 8 = 3",
    r"\overline{x} = \frac{x_1 + x_2}{2}",
    r"a_n = a_1 q^{n-1}",
    r"\Delta U = Q - W",
    r"\begin{cases} x + y = 1 \\ x - y = 3 \end{cases}",
    r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
    r"\begin{aligned} a &= b \\ &= c \end{aligned}",
    r"\ce{2H2 + O2 ->[\Delta] 2H2O}",
    r"\ce{SO4^2- + Ba^2+ -> BaSO4 v}",
    r"\xrightarrow{\text{heat}}",
    r"m_{\text{球}} = 2\,\text{千克}",
    r"\underbrace{1 + 1 + \cdots + 1}_{n}",
    r"\binom{n}{k}",
    r"P(A \mid B)",
)


def main() -> None:
    """Run and print one JSON object."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--fragments", type=Path)
    parser.add_argument("--step", type=int, default=200)
    arguments = parser.parse_args()
    formulas = list(FORMULAS)
    if arguments.fragments:
        with gzip.open(arguments.fragments, "rt", encoding="utf-8") as lines:
            formulas = [json.loads(line)["latex"] for line in lines][:: arguments.step]
    ours, mathtext = _ours(), _mathtext()
    drawn_by = {"benchwright": _drawn(formulas, ours), "mathtext": _drawn(formulas, mathtext)}
    both = [f for f in formulas if f in drawn_by["benchwright"] and f in drawn_by["mathtext"]]
    spent = {
        name: _cpu(both, draw, arguments.repeat)
        for name, draw in (("benchwright", ours), ("mathtext", mathtext))
    }
    print(
        json.dumps(
            {
                "formulas": len(formulas),
                "drawn": {name: len(set(formulas) & drawn) for name, drawn in drawn_by.items()},
                "compared": len(both),
                "cpu_ms_per_formula": {name: round(1000 * value, 3) for name, value in spent.items()},
                "ratio": round(spent["mathtext"] / spent["benchwright"], 2),
                "only_mathtext": sorted(drawn_by["mathtext"] - drawn_by["benchwright"])[:10],
                "only_benchwright": sorted(drawn_by["benchwright"] - drawn_by["mathtext"])[:10],
            },
            ensure_ascii=False,
            indent=2,
        )
    )


def _ours() -> Callable[[str], None]:
    typesetter = make_typesetter(load_font())
    typesetter.cache_bytes = 0

    def draw(tex: str) -> None:
        typesetter.formula(tex, 32)

    draw("x")
    draw(r"\ce{H2O}")
    return draw


def _mathtext() -> Callable[[str], None]:
    from matplotlib.font_manager import FontProperties
    from matplotlib.mathtext import math_to_image

    # mathtext draws a box for a character it lacks and only logs it: such a formula counts as not drawn.
    lost: list[logging.LogRecord] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lost.append(record)

    logging.getLogger("matplotlib.mathtext").addHandler(Listener())
    logging.getLogger("matplotlib.mathtext").propagate = False
    font = FontProperties(size=32)

    def draw(tex: str) -> None:
        lost.clear()
        math_to_image(f"${tex}$", io.BytesIO(), prop=font, dpi=72, format="png")
        if lost:
            raise ValueError(lost[0].getMessage())

    draw("x")
    return draw


def _drawn(formulas: list[str], draw: Callable[[str], None]) -> set[str]:
    done: set[str] = set()
    for tex in formulas:
        try:
            draw(tex)
        except (ItemError, ValueError):  # mathtext's parse errors are ValueErrors
            continue
        done.add(tex)
    return done


def _cpu(formulas: list[str], draw: Callable[[str], None], repeat: int) -> float:
    """CPU seconds per formula, the best of `repeat` passes."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        for tex in formulas:
            draw(tex)
        best = min(best, time.process_time() - start)
    return best / max(1, len(formulas))


if __name__ == "__main__":
    main()
