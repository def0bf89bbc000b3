"""Lines for judging the judge: real pages as they are, and the same lines damaged on purpose, one by one."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from benchwright.examples.registry import all_problems
from benchwright.render.compose import Rendered, render_vision_only, render_vision_rich, typesetter_for
from benchwright.render.font import TextFont
from benchwright.render.legibility import Gate
from benchwright.render.legibility_result import GateResult
from benchwright.render.legibility_scene import scene
from benchwright.render.photo import photograph
from benchwright.render.sidecar import RunRecord, Sidecar
from benchwright.render.style import LOOKS, WHITE, RenderStyle
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import ItemError
from benchwright.schemas.images import load_image_bytes
from benchwright.schemas.recipe import StyleName
from benchwright.schemas.records import Problem

from .test_real_input import SHARED, real_problem

Pixels = NDArray[np.uint8]
Store = dict[str, bytes]
EXAMPLES = 60
"""So many examples, the registry's first, are drawn and damaged; all would take three times as long."""


@dataclass(frozen=True)
class Page:
    """A rendered page and where its diagrams come from."""

    source: str
    rendered: Rendered
    store: Store

    @property
    def sidecar(self) -> Sidecar:
        return self.rendered.sidecar

    @property
    def calibration(self) -> bool:
        """Which half it belongs to: all lines of one problem, in all versions and languages, are in one half."""
        return int(sha256_bytes(self.sidecar.problem_id.encode("utf-8")), 16) % 2 == 0

    @property
    def to_be_damaged(self) -> bool:
        """Three problems of five: a damaged line is read several times, and half as many are needed."""
        return int(sha256_bytes(self.sidecar.problem_id.encode("utf-8")), 16) // 2 % 5 < 3

    def picture(self) -> Image.Image:
        with Image.open(io.BytesIO(self.rendered.png)) as image:
            return image.convert("RGB")


def example_problems() -> Iterator[tuple[Problem, Store]]:
    for example in all_problems()[:EXAMPLES]:
        loaded = load_image_bytes(example.drawing.png)
        yield (
            Problem(
                problem_id=example.id,
                question_id=example.id,
                source="examples",
                source_license="CC0-1.0",
                discipline=example.discipline,
                subject=example.subject,
                difficulty=example.difficulty,
                language=example.language,
                texts=dict(example.texts),
                question_type=example.question_type,
                source_texts=dict(example.texts),
                source_question_type=example.question_type,
                images=(loaded.ref,),
            ),
            {loaded.ref.sha256: loaded.published},
        )


def real_problems(step: int, first: int = 0) -> Iterator[tuple[Problem, Store]]:
    lines = (SHARED / "real_pool" / "pool.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines[first::step]:
        store: Store = {}
        yield real_problem(json.loads(line), store), store


def pages(problems: Iterator[tuple[Problem, Store]], source: str, style: StyleName) -> Iterator[Page]:
    """Vision-only and vision-rich pictures in every language; a problem that cannot be drawn has none."""
    look = RenderStyle(name=style, look=LOOKS[style])
    for problem, store in problems:
        for language in sorted(problem.texts):
            for render in (render_vision_only, render_vision_rich):
                if render is render_vision_rich and style == "phone-photo":
                    continue
                try:
                    yield Page(source, render(problem, language, store.__getitem__, look), store)
                except ItemError:
                    continue


def judged(gate: Gate, page: Page) -> GateResult:
    return gate.judge(page.sidecar, page.rendered.png, page.store.__getitem__)


def judged_damaged(gate: Gate, page: Page, kinds: tuple[str, ...]) -> tuple[GateResult, dict[int, str]]:
    """The verdict on a page each of whose lines is damaged, and the kind of damage by line."""
    typesetter = typesetter_for()
    made = scene(page.sidecar, page.store.__getitem__, typesetter)
    # A photograph is damaged before it is taken: what is wrong with a page is on the paper.
    flat = Image.fromarray(made.expected) if page.sidecar.photo else page.picture()
    done: dict[int, str] = {}
    for index in range(len(page.sidecar.lines)):
        chance = random.Random(f"{page.sidecar.problem_id}/{page.sidecar.language}/{index}")
        order = list(kinds)
        chance.shuffle(order)
        for kind in order:
            changed = DAMAGES[kind](flat, page.sidecar, index, chance, typesetter.font)
            if changed is not None:
                flat, done[index] = changed, kind
                break
    if page.sidecar.photo:
        look = LOOKS["phone-photo"].photo
        assert look is not None
        taken = photograph(flat, look, page.sidecar.problem_id)
        assert taken.matrix == page.sidecar.photo.matrix
        flat = taken.image
    return gate.judge_pixels(page.sidecar, np.asarray(flat), made), done


# --- damages: each takes a flat page and returns it with one line spoiled, or None where it does not apply -------


def _runs(sidecar: Sidecar, index: int) -> list[RunRecord]:
    line = sidecar.lines[index]
    right = line.box.x + line.box.width
    return [
        r
        for r in sidecar.runs
        if r.y == line.baseline and line.box.x - 2 <= r.x <= right and any(c.isalnum() for c in r.text)
    ]


def _box(run: RunRecord) -> tuple[int, int, int, int]:
    return run.x - 1, run.y - round(0.95 * run.px), run.x + run.width + 1, run.y + round(0.3 * run.px)


def _ink(sidecar: Sidecar) -> tuple[int, int, int]:
    style = RenderStyle.model_validate(sidecar.style)
    return style.rgb if sidecar.version == "vision-rich" else style.page_rgb


def _ground(page: Image.Image, box: tuple[int, int, int, int]) -> tuple[int, int, int]:
    red, green, blue = np.median(np.asarray(page.crop(box)).reshape(-1, 3), axis=0)
    return int(red), int(green), int(blue)


def _retype(page: Image.Image, run: RunRecord, text: str, px: int, sidecar: Sidecar, font: TextFont) -> None:
    page.paste(_ground(page, _box(run)), _box(run))
    draw = ImageDraw.Draw(page)
    draw.text((run.x, run.y), text, fill=_ink(sidecar), font=font.face(px), anchor="ls")


def overlap(
    page: Image.Image, sidecar: Sidecar, index: int, chance: random.Random, font: TextFont
) -> Image.Image | None:
    """Ink across a stretch of the line: a stroke of the drawing, or other words, in black or in the text's colour."""
    if not (runs := _runs(sidecar, index)):
        return None
    run = chance.choice(runs)
    spoiled = page.copy()
    draw = ImageDraw.Draw(spoiled)
    colour = chance.choice([(0, 0, 0), _ink(sidecar)])
    left, top, right, bottom = _box(run)
    if chance.random() < 0.5:
        y0, y1 = (chance.uniform(top + 0.2 * run.px, bottom - 0.2 * run.px) for _ in range(2))
        draw.line((left - 4, y0, right + 4, y1), fill=colour, width=chance.choice([2, 3, 4]))
    else:
        at = (left + chance.uniform(-0.3, 0.5) * run.px, run.y + chance.uniform(-0.4, 0.4) * run.px)
        draw.text(at, "R = 3", fill=colour, font=font.face(run.px), anchor="ls")
    return spoiled


def small(
    page: Image.Image, sidecar: Sidecar, index: int, chance: random.Random, font: TextFont
) -> Image.Image | None:
    """The line's text at 8 pixels."""
    if not (runs := _runs(sidecar, index)):
        return None
    spoiled = page.copy()
    for run in runs:
        _retype(spoiled, run, run.text, 8, sidecar, font)
    return spoiled


def blur(
    page: Image.Image, sidecar: Sidecar, index: int, chance: random.Random, font: TextFont
) -> Image.Image | None:
    """The line out of focus, from just soft to unreadable."""
    if not (runs := _runs(sidecar, index)):
        return None
    spoiled = page.copy()
    radius = chance.uniform(0.06, 0.16) * runs[0].px
    box = (_box(runs[0])[0], _box(runs[0])[1], _box(runs[-1])[2], _box(runs[0])[3])
    spoiled.paste(page.crop(box).filter(ImageFilter.GaussianBlur(radius)), box[:2])
    return spoiled


def lost(
    page: Image.Image, sidecar: Sidecar, index: int, chance: random.Random, font: TextFont
) -> Image.Image | None:
    """One letter, digit or Chinese character missing, the gap closed or open."""
    if not (runs := _runs(sidecar, index)):
        return None
    run = chance.choice(runs)
    place = chance.choice([i for i, c in enumerate(run.text) if c.isalnum()])
    spoiled = page.copy()
    kept = run.text[:place] + chance.choice(["", " "]) + run.text[place + 1 :]
    _retype(spoiled, run, kept, run.px, sidecar, font)
    return spoiled


_DIGITS, _LETTERS, _HAN = (
    "2345679",
    "abdefghkmnrtABDEFGHKLMNRT",
    "的一是在不了有和人这中大为上个国我以要他时来用们",
)


def swapped(
    page: Image.Image, sidecar: Sidecar, index: int, chance: random.Random, font: TextFont
) -> Image.Image | None:
    """One character replaced by another of its kind."""
    if not (runs := _runs(sidecar, index)):
        return None
    run = chance.choice(runs)
    place = chance.choice([i for i, c in enumerate(run.text) if c.isalnum()])
    old = run.text[place]
    kind = _DIGITS if old.isdigit() else _LETTERS if old.isascii() else _HAN
    new = chance.choice([c for c in kind if c.lower() != old.lower()])
    spoiled = page.copy()
    _retype(spoiled, run, run.text[:place] + new + run.text[place + 1 :], run.px, sidecar, font)
    return spoiled


def cut(
    page: Image.Image, sidecar: Sidecar, index: int, chance: random.Random, font: TextFont
) -> Image.Image | None:
    """The line's upper or lower edge, or its end, cut away."""
    if not (runs := _runs(sidecar, index)):
        return None
    left, top, right, _ = _box(runs[0])
    right = _box(runs[-1])[2]
    px = runs[0].px
    where = chance.choice(["upper", "lower", "end"])
    box = {
        "upper": (left, top, right, runs[0].y - round(chance.uniform(0.3, 0.5) * px)),
        "lower": (
            left,
            runs[0].y - round(chance.uniform(0.15, 0.4) * px),
            right,
            runs[0].y + round(0.3 * px),
        ),
        "end": (
            max(left, right - round(chance.uniform(0.6, 1.5) * px)),
            top,
            right,
            runs[0].y + round(0.3 * px),
        ),
    }[where]
    spoiled = page.copy()
    spoiled.paste(_ground(page, (left, top, right, runs[0].y)), box)
    return spoiled


def pale(
    page: Image.Image, sidecar: Sidecar, index: int, chance: random.Random, font: TextFont
) -> Image.Image | None:
    """The line bleached until its contrast is below 4.5 : 1."""
    if not (runs := _runs(sidecar, index)):
        return None
    spoiled = page.copy()
    box = (_box(runs[0])[0], _box(runs[0])[1], _box(runs[-1])[2], _box(runs[0])[3])
    part = page.crop(box)
    spoiled.paste(Image.blend(part, Image.new("RGB", part.size, WHITE), chance.uniform(0.6, 0.8)), box[:2])
    return spoiled


Damage = Callable[[Image.Image, Sidecar, int, random.Random, TextFont], Image.Image | None]
DAMAGES: dict[str, Damage] = {
    "overlap": overlap,
    "small": small,
    "blur": blur,
    "lost": lost,
    "swapped": swapped,
    "cut": cut,
    "pale": pale,
}
KINDS = tuple(DAMAGES)

__all__ = [
    "DAMAGES",
    "KINDS",
    "Page",
    "example_problems",
    "judged",
    "judged_damaged",
    "pages",
    "real_problems",
]
