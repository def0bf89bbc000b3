"""A second opinion on formulas: the other engine's width for the same source. Reading does not verify formulas."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchwright.render.formula import Refusal, Typesetter, mathjax_first
from benchwright.render.normalise import normalise_tex


@dataclass
class SecondOpinion:
    """Widths of formulas by the engine that did not draw them; each asked once.

    Args:
        typesetter: the chain whose engines are compared.
    """

    typesetter: Typesetter
    _known: dict[tuple[str, bool], float | None] = field(default_factory=dict)

    def width(self, tex: str, display: bool, drawn_by: str) -> float | None:
        """Width in em by the other engine; None where there is no second opinion.

        What MathJax drew, it drew because the main engine cannot or is known to draw it wrong: nobody else to ask.
        """
        if drawn_by != self.typesetter.main.name or mathjax_first(tex) is not None:
            return None
        key = (tex, display)
        if key not in self._known:
            try:
                self._known[key] = self.typesetter.fallback.draw(normalise_tex(tex)[0], display).width
            except Refusal:
                self._known[key] = None
        return self._known[key]


def widths_agree(first: float, second: float, low: float, high: float, slack: float) -> bool:
    """Whether two widths in em can be one formula's: their ratio is in `low`..`high`, or they are `slack` apart."""
    if abs(first - second) <= slack:
        return True
    return second > 0 and low <= first / second <= high
