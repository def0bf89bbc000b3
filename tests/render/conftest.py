"""Small real problems and diagrams for the renderer's tests; everything is drawn here, nothing is mocked."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from benchwright.render.compose import typesetter_for
from benchwright.render.formula import Typesetter
from benchwright.render.layout import Setter
from benchwright.schemas.images import load_image_bytes
from benchwright.schemas.records import (
    Choice,
    Condition,
    Decomposition,
    ImageRef,
    KnowledgeCue,
    LocalizedText,
    Mark,
    Problem,
    QuestionType,
)


@dataclass
class Studio:
    """Draws diagrams and makes problems of them; holds the published bytes."""

    bytes_of: dict[str, bytes] = field(default_factory=dict)

    def add(self, image: Image.Image) -> ImageRef:
        """Load a picture through the one image loader."""
        buffer = io.BytesIO()
        image.save(buffer, "PNG")
        loaded = load_image_bytes(buffer.getvalue())
        self.bytes_of[loaded.ref.sha256] = loaded.published
        return loaded.ref

    def triangle(
        self, width: int = 500, height: int = 360, ground: str = "white", ink: str = "black"
    ) -> ImageRef:
        """A triangle with room around it."""
        image = Image.new("RGB", (width, height), ground)
        draw = ImageDraw.Draw(image)
        corners = [(width * 0.2, height * 0.8), (width * 0.8, height * 0.8), (width * 0.55, height * 0.2)]
        draw.line([*corners, corners[0]], fill=ink, width=3)
        return self.add(image)

    def problem(
        self,
        question: str,
        *,
        language: str = "en",
        choices: tuple[Choice, ...] = (),
        images: tuple[ImageRef, ...] = (),
        decomposition: Decomposition | None = None,
        problem_id: str = "p1",
    ) -> Problem:
        """A problem in one language."""
        text = LocalizedText(question=question, choices=choices, answer="A", decomposition=decomposition)
        kind = QuestionType.SINGLE_CHOICE if choices else QuestionType.FREE_FORM
        return Problem(
            problem_id=problem_id,
            question_id=problem_id,
            source="test",
            source_license="CC0-1.0",
            discipline="physics",
            subject="mechanics",
            difficulty=2,
            language=language,
            texts={language: text},
            question_type=kind,
            source_texts={language: text},
            source_question_type=kind,
            images=images,
        )

    def decomposed(
        self, stem: str, *conditions: tuple[str, str, tuple[Mark, ...]], core: str = "Find it."
    ) -> Decomposition:
        """A decomposition; each condition is (span text, show, marks), in reading order."""
        made: list[Condition] = []
        position = 0
        for number, (span, show, marks) in enumerate(conditions, start=1):
            start = stem.index(span, position)
            position = start + len(span)
            made.append(
                Condition.model_validate(
                    {"id": f"c{number}", "start": start, "end": position, "show": show, "marks": marks}
                )
            )
        cue = KnowledgeCue(terms=("law",), sentence="Use the law.")
        return Decomposition(stem=stem, conditions=tuple(made), core_question=core, knowledge_cue=cue)


@pytest.fixture
def studio() -> Studio:
    return Studio()


@pytest.fixture(scope="session")
def typesetter() -> Typesetter:
    return typesetter_for()


@pytest.fixture
def setter(typesetter: Typesetter) -> Setter:
    return Setter(typesetter.font, typesetter, 32)


@pytest.fixture(scope="session")
def latin_font(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled font cut down to ASCII: a font without Chinese."""
    from fontTools import subset
    from fontTools.ttLib import TTFont

    from benchwright.render.font import BUNDLED

    font = TTFont(BUNDLED)
    cutter = subset.Subsetter()
    cutter.populate(unicodes=range(0x20, 0x7F))
    cutter.subset(font)
    path = tmp_path_factory.mktemp("fonts") / "ascii.otf"
    font.save(path)
    return path


@pytest.fixture(scope="session")
def hebrew_font(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled font with Latin shapes standing for Hebrew letters."""
    from fontTools.ttLib import TTFont

    from benchwright.render.font import BUNDLED

    font = TTFont(BUNDLED)
    for table in font["cmap"].tables:
        if table.isUnicode() and hasattr(table, "cmap") and ord("w") in table.cmap:
            table.cmap |= {ord(char): table.cmap[ord("w")] for char in "שלום"}
    path = tmp_path_factory.mktemp("fonts") / "hebrew.otf"
    font.save(path)
    return path


StudioMaker = Callable[[], Studio]
