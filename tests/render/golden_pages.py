"""The eighty golden pages: examples and pages of `cases/pages.jsonl` in all styles, and how a page is compared.

    python tests/render/golden_pages.py        # after a wanted change of pixels: draw and store them all again

Each page has the digest of its pixels in `golden.json`, and its grey picture beside it in `golden/`, so that a
machine whose libraries round differently can be told from a page that changed.
"""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops

from benchwright.examples.pool import as_question
from benchwright.examples.problem import ExampleProblem
from benchwright.examples.registry import all_problems
from benchwright.render.compose import render_vision_only
from benchwright.render.style import LOOKS, RenderStyle
from benchwright.schemas.images import load_image_bytes
from benchwright.schemas.recipe import StyleName
from benchwright.schemas.records import Choice, ImageRef, LocalizedText, Problem, QuestionType

HERE = Path(__file__).parent
DIGESTS, PICTURES, CASES = HERE / "golden.json", HERE / "golden", HERE / "cases" / "pages.jsonl"
EXAMPLES = 60
"""So many examples, the registry's first, have golden pages."""
SIZES: dict[StyleName, tuple[int, int]] = {"clean": (800, 22), "exam": (800, 22), "phone-photo": (420, 16)}
"""Page width and text size; small where noise makes large files."""


@dataclass(frozen=True)
class GoldenPage:
    """One page of the eighty."""

    problem: Problem
    language: str
    style: StyleName

    @property
    def name(self) -> str:
        """File name without suffix."""
        return f"{self.problem.problem_id}-{self.language}-{self.style}"


@cache
def diagrams() -> tuple[tuple[ImageRef, ...], dict[str, bytes]]:
    """The first sixty examples' diagrams in their order, and the published bytes by digest."""
    loaded = [load_image_bytes(example.drawing.png) for example in all_problems()[:EXAMPLES]]
    return tuple(item.ref for item in loaded), {item.ref.sha256: item.published for item in loaded}


def golden_pages() -> list[GoldenPage]:
    """Sixty examples and the twelve special pages in changing styles, and the first eight examples once more."""
    pages = [
        GoldenPage(
            problem, ("en", "zh")[n % 2], "phone-photo" if n % 14 > 11 else ("clean", "exam")[n // 2 % 2]
        )
        for n, problem in enumerate(map(example_problem, all_problems()[:EXAMPLES]))
    ]
    styles: tuple[StyleName, ...] = ("clean", "exam")
    for n, line in enumerate(CASES.read_text("utf-8").splitlines()):
        case = json.loads(line)
        pages.append(GoldenPage(case_problem(case), case["language"], styles[n % 2]))
    pages += [GoldenPage(page.problem, page.language, styles[page.style == "clean"]) for page in pages[:8]]
    return pages


def example_problem(example: ExampleProblem) -> Problem:
    """An example as a problem."""
    question = as_question(example)
    return _problem(question.id, dict(question.texts), question.images)


def case_problem(case: dict[str, Any]) -> Problem:
    """A page of the case file as a problem; its pictures are diagrams of the examples, by number."""
    refs = diagrams()[0]
    choices = [Choice(label="ABCDEF"[i], text=text) for i, text in enumerate(case.get("choices", ()))]
    choices += [
        Choice(label="ABCDEF"[i], image=refs[number])
        for i, number in enumerate(case.get("choice_images", ()))
    ]
    text = LocalizedText(question=case["text"], choices=tuple(choices), answer="A")
    images = tuple(refs[number] for number in case.get("images", ()))
    return _problem(f"page-{case['name']}", {case["language"]: text}, images)


def _problem(problem_id: str, texts: dict[str, LocalizedText], images: tuple[ImageRef, ...]) -> Problem:
    return Problem(
        problem_id=problem_id,
        question_id=problem_id,
        source="benchwright",
        source_license="Apache-2.0",
        discipline="any",
        subject="any",
        difficulty=1,
        language=min(texts),
        texts=texts,
        question_type=QuestionType.FREE_FORM,
        source_texts=texts,
        source_question_type=QuestionType.FREE_FORM,
        images=images,
    )


def style_of_page(page: GoldenPage) -> RenderStyle:
    """The page's style at the golden size."""
    width, size = SIZES[page.style]
    return RenderStyle(name=page.style, look=LOOKS[page.style], width=width, font_px=size)


def draw(page: GoldenPage) -> Image.Image:
    """Draw one page."""
    rendered = render_vision_only(page.problem, page.language, diagrams()[1].__getitem__, style_of_page(page))
    return Image.open(io.BytesIO(rendered.png)).convert("RGB")


def digest(image: Image.Image) -> str:
    """Digest of size and pixels, independent of how a PNG packs them."""
    return hashlib.sha256(f"{image.size}".encode() + image.tobytes()).hexdigest()


def differing(image: Image.Image, golden: Image.Image) -> tuple[float, int]:
    """Share of pixels whose grey differs, and the largest difference in grey levels.

    Raises:
        ValueError: the sizes differ.
    """
    if image.size != golden.size:
        raise ValueError(f"{image.size} instead of {golden.size}")
    histogram = ImageChops.difference(image.convert("L"), golden.convert("L")).histogram()
    changed = sum(histogram[1:])
    return changed / (image.width * image.height), max(i for i, n in enumerate(histogram) if n)


def store_all() -> None:
    """Draw all pages and store them."""
    PICTURES.mkdir(exist_ok=True)
    for old in PICTURES.glob("*.png"):
        old.unlink()
    digests: dict[str, str] = {}
    for page in golden_pages():
        image = draw(page)
        digests[page.name] = digest(image)
        image.convert("L").save(PICTURES / f"{page.name}.png", optimize=True)
    DIGESTS.write_text(json.dumps(digests, indent=0, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    store_all()
