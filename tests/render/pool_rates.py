"""How the real pool fares in one style: drawn, failed, passed, read back; by language, source and style."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator

from pydantic import BaseModel

from benchwright.render.check import gate_for
from benchwright.render.compose import render_vision_only
from benchwright.render.font import BUNDLED
from benchwright.render.legibility_result import GateState
from benchwright.render.style import LOOKS, RenderStyle
from benchwright.schemas.errors import ItemError
from benchwright.schemas.recipe import StyleName

from .gate_sets import real_problems


class PoolRow(BaseModel):
    """One item of the pool as a vision-only page of one style."""

    item: str
    style: str
    language: str
    source: str
    state: str
    """Verdict of the gate; `failed to draw` for an item without a page."""
    codes: tuple[str, ...] = ()
    """What is wrong with the page, or why there is none."""
    lines: int = 0
    characters: int = 0
    errors: int = 0
    formulas: int = 0
    unverified: int = 0
    wrong: tuple[tuple[str, str | None], ...] = ()
    """Known and read text of the lines that have something wrong."""


NOT_DRAWN = "failed to draw"
PASSED = GateState.PASSED.value


def judged_pool(
    style: StyleName, step: int = 1, first: int = 0, done: frozenset[str] = frozenset()
) -> Iterator[PoolRow]:
    """Every `step`-th item from the `first` on, drawn and judged; `done` are left out."""
    gate = gate_for(BUNDLED)
    look = RenderStyle(name=style, look=LOOKS[style])
    for problem, store in real_problems(step, first):
        if problem.problem_id in done:
            continue
        row = PoolRow(
            item=problem.problem_id,
            style=style,
            language=problem.language,
            source=problem.source,
            state=NOT_DRAWN,
        )
        try:
            rendered = render_vision_only(problem, problem.language, store.__getitem__, look)
        except ItemError as error:
            yield row.model_copy(update={"codes": (error.reason,), "wrong": ((error.detail, None),)})
            continue
        verdict = gate.judge(rendered.sidecar, rendered.png, store.__getitem__)
        yield row.model_copy(
            update={
                "state": verdict.state.value,
                "codes": verdict.codes,
                "lines": sum(line.characters > 0 for line in verdict.lines),
                "characters": verdict.characters,
                "errors": verdict.errors,
                "formulas": len(verdict.formulas),
                "unverified": verdict.unverified_formulas,
                "wrong": tuple((line.expected, line.read) for line in verdict.lines if line.codes),
            }
        )


def failed_share(rows: Iterable[PoolRow]) -> float:
    """Share of items without a page."""
    states = Counter(row.state for row in rows)
    return states[NOT_DRAWN] / states.total()


def passed_share(rows: Iterable[PoolRow]) -> float:
    """Share of pages that the gate passes."""
    states = Counter(row.state for row in rows if row.state != NOT_DRAWN)
    return states[PASSED] / states.total()


def accuracy(rows: Iterable[PoolRow]) -> float:
    """Share of text characters read back."""
    characters = errors = 0
    for row in rows:
        characters, errors = characters + row.characters, errors + row.errors
    return 1 - errors / characters if characters else 1.0


def table(rows: list[PoolRow]) -> str:
    """The acceptance table: a row for each style, language and source, then what failed."""
    groups: dict[tuple[str, str], list[PoolRow]] = {}
    for row in rows:
        for group in ((row.style, "all"), (row.style, row.language), (row.style, row.source)):
            groups.setdefault(group, []).append(row)
    head = f"{'style':12} {'group':42} {'items':>5} {'not drawn':>13} {'passed':>14} {'lines':>6} "
    parts = [head + f"{'characters':>10} {'read back':>9} {'formulas':>8} {'no 2nd':>6}"]
    for (style, group), members in sorted(groups.items(), key=lambda g: (g[0][0], len(g[0][1]), g[0][1])):
        drawn = [row for row in members if row.state != NOT_DRAWN]
        passed = sum(row.state == PASSED for row in drawn)
        parts.append(
            f"{style:12} {group:42} {len(members):5} {len(members) - len(drawn):4} = "
            f"{100 * failed_share(members):4.2f} % {passed:4} = {100 * passed_share(members) if drawn else 0:6.2f} % "
            f"{sum(row.lines for row in members):6} {sum(row.characters for row in members):10} "
            f"{100 * accuracy(members):7.3f} % {sum(row.formulas for row in members):8} "
            f"{sum(row.unverified for row in members):6}"
        )
    bad = [row for row in rows if row.state != PASSED]
    for (style, codes), count in sorted(Counter((row.style, ", ".join(row.codes)) for row in bad).items()):
        parts.append(f"  {style}: {codes}: {count}")
    return "\n".join(parts)


def details(rows: Iterable[PoolRow]) -> str:
    """What is wrong, item by item: holds text of the pool, so it is printed and never committed."""
    bad = [row for row in rows if row.state != PASSED]
    return "\n".join(
        f"  {row.style} {row.item} {','.join(row.codes)} {json.dumps(row.wrong, ensure_ascii=False)}"
        for row in bad
    )
