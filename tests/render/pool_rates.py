"""How the real pool fares in one style: drawn, failed, passed, read back; by language, source and style."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from PIL import Image
from pydantic import BaseModel

from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.curation.proposers.decomposition_rules import decompose
from benchwright.render.check import gate_for
from benchwright.render.compose import render_vision_only, render_vision_rich, typesetter_for
from benchwright.render.font import BUNDLED
from benchwright.render.job import RULE_REASONS
from benchwright.render.legibility import Gate
from benchwright.render.legibility_marks import covered_drawings
from benchwright.render.legibility_result import GateState, InkMeasure
from benchwright.render.legibility_scene import scene
from benchwright.render.style import LOOKS, RenderStyle
from benchwright.schemas.errors import ItemError
from benchwright.schemas.jobs import problem_id
from benchwright.schemas.recipe import StyleName, default_recipe_toml
from benchwright.schemas.records import Problem, Question
from benchwright.schemas.tables import iter_records
from benchwright.schemas.workspace import Workspace

from .gate_sets import SHARED, Store, real_problems


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
    contrast: float | None = None
    sharpness: float | None = None
    likeness: float | None = None
    differing: float = 0.0
    """The worst of its lines and formulas."""
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
        inks = [part.ink for part in (*verdict.lines, *verdict.formulas)]
        yield row.model_copy(
            update={
                "state": verdict.state.value,
                "codes": verdict.codes,
                "lines": sum(line.characters > 0 for line in verdict.lines),
                "characters": verdict.characters,
                "errors": verdict.errors,
                "formulas": len(verdict.formulas),
                "unverified": verdict.unverified_formulas,
                **{name: _least(inks, name) for name in ("contrast", "sharpness", "likeness")},
                "differing": max((ink.differing for ink in inks), default=0.0),
                "wrong": tuple((line.expected, line.read) for line in verdict.lines if line.codes),
            }
        )


class RichRow(BaseModel):
    """One item of the pool, split by the embedded decomposer, as a vision-rich picture."""

    item: str
    language: str
    source: str
    state: str
    """Verdict of the gate; `failed to draw`; `no such version` where a rule says that there is nothing to show."""
    codes: tuple[str, ...] = ()
    conditions: int = 0
    meant: int = 0
    """Conditions meant for the diagram, already-there included."""
    shown: int = 0
    burnt: int = 0
    """Conditions that have a mark burnt in."""
    marks: int = 0
    unshown: tuple[str, ...] = ()
    """Why conditions meant for the diagram stay in the text."""
    text_changed: bool = False
    covered: int = 0
    """Pixels of the drawing's own ink that changed."""
    characters: int = 0
    errors: int = 0


NO_VERSION = "no such version"


def decomposed(problem: Problem) -> Problem:
    """The problem as the embedded decomposer splits it."""
    text = problem.texts[problem.language]
    made = decompose(text, problem.language, problem.images, discipline=problem.discipline)
    changed = text.model_copy(update={"decomposition": made.decomposition})
    return problem.model_copy(update={"texts": {problem.language: changed}})


def line_problems(folder: Path) -> Iterator[tuple[Problem, Store]]:
    """The whole real pool as the line knows it: ingested, with its own answers, options and question types.

    Answers matter to the decomposer, which moves no value into the drawing that gives one away.
    """
    toml = default_recipe_toml("real", ("mathematics", "physics", "chemistry", "biology"))
    workspace = Workspace.create(folder / "workspace", toml)
    ingest(workspace, [SHARED / "real_pool" / "pool.jsonl"], IngestOptions())
    for name in workspace.pool_disciplines():
        for question in iter_records(workspace.pool(name), Question):
            refs = {*question.images, *(c.image for c in question.text.choices if c.image is not None)}
            yield (
                Problem(
                    problem_id=problem_id(question.id),
                    question_id=question.id,
                    source=question.source,
                    source_license=question.source_license,
                    discipline=name,
                    subject="unknown",
                    difficulty=1,
                    language=question.language,
                    texts=question.texts,
                    question_type=question.question_type,
                    source_texts=question.texts,
                    source_question_type=question.question_type,
                    images=question.images,
                ),
                {ref.sha256: workspace.read_image(ref.sha256) for ref in refs},
            )


def judged_rich(problems: Iterable[tuple[Problem, Store]], gate: Gate | None = None) -> Iterator[RichRow]:
    """Vision-rich pictures of problems; without a gate only the independent ink check is made."""
    for problem, store in problems:
        split = decomposed(problem)
        decomposition = split.texts[split.language].decomposition
        assert decomposition is not None
        row = RichRow(
            item=problem.problem_id,
            language=problem.language,
            source=problem.source,
            state=NOT_DRAWN,
            conditions=len(decomposition.conditions),
            meant=sum(c.show in ("on-diagram", "already-there") for c in decomposition.conditions),
        )
        try:
            rendered = render_vision_rich(split, split.language, store.__getitem__, RenderStyle())
        except ItemError as error:
            state = NO_VERSION if error.reason in RULE_REASONS else NOT_DRAWN
            yield row.model_copy(update={"state": state, "codes": (error.reason,)})
            continue
        sidecar = rendered.sidecar
        with Image.open(io.BytesIO(rendered.png)) as picture:
            after = np.asarray(picture.convert("RGB"))
        before = scene(sidecar, store.__getitem__, typesetter_for()).before
        update: dict[str, object] = {
            "state": "not judged",
            "shown": len(sidecar.shown),
            "burnt": len({mark.condition for mark in sidecar.marks}),
            "marks": len(sidecar.marks),
            "unshown": tuple(sidecar.unshown.values()),
            "text_changed": sidecar.text_changed,
            "covered": covered_drawings(sidecar, before, after),
        }
        if gate is not None:
            verdict = gate.judge(sidecar, rendered.png, store.__getitem__)
            update |= {
                "state": verdict.state.value,
                "codes": verdict.codes,
                "characters": verdict.characters,
                "errors": verdict.errors,
            }
        yield row.model_copy(update=update)


def rich_table(rows: list[RichRow]) -> str:
    """The acceptance table of vision-rich: by language and source."""
    groups: dict[str, list[RichRow]] = {}
    for row in rows:
        for group in ("all", row.language, row.source):
            groups.setdefault(group, []).append(row)
    parts = [
        f"{'group':42} {'items':>5} {'none':>5} {'failed':>6} {'pictures':>8} {'passed':>14} {'conditions':>10} "
        f"{'meant':>5} {'shown':>13} {'burnt in':>8} {'marks':>5} {'text changed':>12} "
        f"{'read back':>9} {'ink covered':>11}"
    ]
    for group, members in sorted(groups.items(), key=lambda g: (len(g[0]), g[0])):
        states = Counter(row.state for row in members)
        drawn = [row for row in members if row.state not in (NO_VERSION, NOT_DRAWN)]
        total = {
            name: sum(getattr(row, name) for row in drawn)
            for name in ("conditions", "meant", "shown", "burnt", "marks", "text_changed", "covered")
        }
        characters, errors = (sum(getattr(row, name) for row in drawn) for name in ("characters", "errors"))
        parts.append(
            f"{group:42} {len(members):5} {states[NO_VERSION]:5} {states[NOT_DRAWN]:6} {len(drawn):8} "
            f"{states[PASSED]:4} = {100 * states[PASSED] / max(1, len(drawn)):5.1f} % {total['conditions']:10} "
            f"{total['meant']:5} {total['shown']:4} = {100 * total['shown'] / max(1, total['conditions']):4.0f} % "
            f"{total['burnt']:8} {total['marks']:5} {total['text_changed']:12} "
            f"{100 * (1 - errors / max(1, characters)):7.2f} % {total['covered']:11}"
        )
    every = sum(row.conditions for row in rows)
    shown = sum(row.shown for row in rows)
    parts.append(
        f"of all {every} conditions of all items {shown} = {100 * shown / max(1, every):.1f} % are shown"
    )
    reasons = Counter(f"{row.state}: {code}" for row in rows for code in row.codes)
    parts += [f"  {reason}: {count}" for reason, count in sorted(reasons.items())]
    kept = Counter(reason for row in rows for reason in row.unshown)
    parts += [f"  stays in the text, {reason}: {count}" for reason, count in sorted(kept.items())]
    return "\n".join(parts)


def _least(inks: list[InkMeasure], name: str) -> float | None:
    found = [value for ink in inks if (value := getattr(ink, name)) is not None]
    return min(found, default=None)


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
