"""Formulas: what an engine returns, and the typesetter that picks engines, checks their work and caches it.

The chain for one formula (measured in docs/architecture.md):

1. chemistry, bold digits, ruled arrays and the like -> MathJax at once (mathra draws these wrong unwarned);
2. mathra, unless it warns of anything but characters that our text font can supply;
3. MathJax;
4. the item fails with a reason. A formula is never drawn as its source text.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from PIL import Image

from benchwright.render.font import TextFont, refuse_right_to_left
from benchwright.render.normalise import normalise_tex
from benchwright.schemas.errors import ItemError

T = TypeVar("T")
MAX_LENGTH = 5000
MAX_DEPTH = 100
"""Limits on a formula's source: beyond them engines overflow their stack instead of failing."""


class Refusal(Exception):
    """An engine will not draw a formula. `reason` is the item's reason code if no engine will."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True)
class Drawing:
    """A formula as SVG. Lengths in em; the markup's unit is 1/1000 em, its origin the pen on the baseline."""

    body: str
    """Inner markup, without the outer `<svg>` element."""
    width: float
    ascent: float
    descent: float
    engine: str
    warnings: tuple[str, ...] = ()


class Engine(Protocol):
    """Anything that turns LaTeX mathematics into a `Drawing`."""

    name: str
    version: str

    def draw(self, tex: str, display: bool) -> Drawing:
        """Typeset normalised source.

        Raises:
            Refusal: the engine cannot draw it, or would draw it wrong.
        """
        ...


@dataclass(frozen=True)
class Formula:
    """A formula in pixels. The pen starts at (0, 0) on the baseline; `left` and `top` place the mask relative to it."""

    mask: Image.Image | None
    """Coverage, mode L; None when the formula has no ink (a blank)."""
    left: int
    top: int
    width: int
    """Advance: where the next thing starts."""
    ascent: int
    descent: int
    """Whole pixels above and below the baseline, box and ink."""
    px: int
    engine: str
    tex: str
    display: bool
    warnings: tuple[str, ...] = ()


class FormulaCache(Protocol):
    """Where drawn formulas outlive a process (`formulastore.FormulaStore`)."""

    def get(self, tex: str, display: bool, px: int) -> Formula | None:
        """A formula drawn before, or None."""
        ...

    def put(self, formula: Formula) -> None:
        """Remember a formula."""
        ...


_MATHJAX_FIRST: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("chemistry", re.compile(r"\\(?:ce|pu)(?![A-Za-z])")),
    (
        "bold-digit",
        re.compile(r"\\(?:mathbf|boldsymbol|bm|textbf|pmb|bf|mathbfsf)(?![A-Za-z])\s*(?:\{[^{}]*\d|\d)"),
    ),
    ("bold-digit", re.compile(r"\{\s*\\(?:bf|boldmath)(?![A-Za-z])[^{}]*\d")),
    ("modulo", re.compile(r"\\bmod(?![A-Za-z])")),
    ("code-point", re.compile(r"\\unicode(?![A-Za-z])")),
    ("ruled-array", re.compile(r"\\begin\{(?:array|tabular)\}\s*(?:\[[a-z]\]\s*)?\{[^{}]*\|")),
)


_NOT_STRAY = re.compile(r"\\begin\{.*\\end\{\w+\*?\}|\\text\w*\s*\{[^{}]*\}|\\.", re.DOTALL)
"""Where an ampersand has a meaning: inside environments, in words, and escaped."""


def mathjax_first(tex: str) -> str | None:
    """Why a formula must not go to the main engine, which would draw it wrong without a word; None if it may.

    `chemistry`, `bold-digit`, `ruled-array`, `code-point`, `modulo` (no air
    after it), `stray-ampersand` (left out of the picture by the main
    engine, refused by MathJax).
    """
    if "&" in tex and "&" in _NOT_STRAY.sub("", tex):
        return "stray-ampersand"
    return next((why for why, pattern in _MATHJAX_FIRST if pattern.search(tex)), None)


@dataclass
class Typesetter:
    """Typesets formulas through a chain of engines, with a cache.

    Args:
        font: supplies characters that the engines' own fonts lack.
        main: the fast engine.
        fallback: the thorough engine.
        cache_bytes: how much of the formulas drawn last is kept in memory.
        store: formulas that other processes or earlier runs drew.
    """

    font: TextFont
    main: Engine
    fallback: Engine
    cache_bytes: int = 24 << 20
    store: FormulaCache | None = None
    counts: Counter[str] = field(default_factory=Counter)
    """Uses of normalisation rules and engines since the last `take_counts`."""
    _cache: dict[tuple[str, bool, int], Formula] = field(default_factory=dict)
    _held: int = 0

    @property
    def versions(self) -> dict[str, str]:
        """Version of each engine of the chain."""
        return {engine.name: engine.version for engine in (self.main, self.fallback)}

    def formula(self, source: str, px: int, display: bool = False) -> Formula:
        """Typeset one formula.

        Args:
            source: LaTeX mathematics without its dollar signs, as found.
            px: em in pixels.
            display: display style (large operators, limits above and below).

        Raises:
            ItemError: `formula` (no engine can draw it; names the command where one is unknown), `missing-glyph`,
                or `formula-too-long`.
        """
        tex, rules = normalise_tex(source)
        self.counts.update(rules)
        key = (tex, display, px)
        found = self._cache.pop(key, None)
        if found is None:
            found = self._drawn(tex, px, display)
            self._held += _size(found)
            while self._cache and self._held > self.cache_bytes:
                self._held -= _size(self._cache.pop(next(iter(self._cache))))
        self._cache[key] = found  # at the end: used last
        self.counts[f"engine-{found.engine}"] += 1
        return found

    def _drawn(self, tex: str, px: int, display: bool) -> Formula:
        from benchwright.render.raster import rasterise

        found = self.store.get(tex, display, px) if self.store is not None else None
        if found is None:
            found = self._first(tex, lambda engine: rasterise(engine.draw(tex, display), px, tex, display))
            if self.store is not None:
                self.store.put(found)
        return found

    def drawing(self, source: str, display: bool = False) -> Drawing:
        """Typeset one formula as SVG, for pages that scale.

        Raises:
            ItemError: as `formula`.
        """
        tex = normalise_tex(source)[0]
        return self._first(tex, lambda engine: engine.draw(tex, display))

    def take_counts(self) -> dict[str, int]:
        """The counts since the last call, sorted by name."""
        counts = dict(sorted(self.counts.items()))
        self.counts.clear()
        return counts

    def _first(self, tex: str, attempt: Callable[[Engine], T]) -> T:
        """What the first engine of the chain that does not refuse makes of the formula."""
        if len(tex) > MAX_LENGTH or _depth(tex) > MAX_DEPTH:
            raise ItemError(
                "formula-too-long", f"{len(tex)} characters, {_depth(tex)} levels of braces: {tex[:60]}"
            )
        if strange := [
            c for c in tex if unicodedata.category(c) in ("Cc", "Co", "Cn", "Cs") and not c.isspace()
        ]:
            named = ", ".join(f"U+{ord(c):04X}" for c in dict.fromkeys(strange))
            raise ItemError("missing-glyph", f"no font has {named} in the formula {tex[:200]!r}")
        refuse_right_to_left(tex)
        refusals: list[str] = []
        missing: Refusal | None = None
        engines = (self.fallback,) if mathjax_first(tex) else (self.main, self.fallback)
        for engine in engines:
            try:
                return attempt(engine)
            except Refusal as refusal:
                refusals.append(f"{engine.name}: {refusal.detail}")
                missing = refusal if refusal.reason == "missing-glyph" else missing
        if missing is not None:
            raise ItemError("missing-glyph", f"{missing.detail} in the formula {tex[:200]}")
        raise ItemError("formula", f"{tex[:200]} ({'; '.join(refusals)})")


def _size(formula: Formula) -> int:
    mask = formula.mask
    return 500 + (mask.width * mask.height if mask is not None else 0)


def _depth(tex: str) -> int:
    depth = deepest = 0
    for char in tex:
        if char == "{":
            depth += 1
            deepest = max(deepest, depth)
        elif char == "}":
            depth -= 1
    return deepest


def make_typesetter(font: TextFont) -> Typesetter:
    """The usual chain: mathra, then MathJax."""
    from benchwright.render.mathjax_engine import MathJaxEngine
    from benchwright.render.mathra_engine import MathraEngine

    return Typesetter(font, MathraEngine(font), MathJaxEngine(font))
