"""Plots as records, before anything is drawn: what each one shows, down to the last number."""

from __future__ import annotations

from benchwright.curation.release.statistics_audit import LegibilityFigures
from benchwright.schemas.records import Record
from benchwright.schemas.review_figures import Interval


class Name(Record):
    """A name in the languages in which it is drawn."""

    en: str
    zh: str = ""
    """Empty where the release holds no Chinese, or the taxonomy has no Chinese name."""


class SubjectPart(Record):
    """Problems of one subject."""

    subject: str
    """The subject's id; empty for several small ones drawn as one."""
    name: Name
    levels: tuple[int, int, int, int, int]
    """Problems of levels 1 to 5."""

    @property
    def problems(self) -> int:
        """All of them."""
        return sum(self.levels)


class DisciplinePart(Record):
    """Problems of one discipline, subjects with most problems first."""

    discipline: str
    name: Name
    subjects: tuple[SubjectPart, ...]

    @property
    def levels(self) -> tuple[int, ...]:
        """Problems of levels 1 to 5."""
        return tuple(sum(subject.levels[at] for subject in self.subjects) for at in range(5))

    @property
    def problems(self) -> int:
        """All of them."""
        return sum(self.levels)


class Composition(Record):
    """Disciplines, subjects and levels of all problems."""

    disciplines: tuple[DisciplinePart, ...]
    chinese: bool
    """Whether names are drawn in Chinese too."""

    @property
    def problems(self) -> int:
        """All of them."""
        return sum(part.problems for part in self.disciplines)


class LengthPanel(Record):
    """Question lengths of one version in one language."""

    version: str
    language: str
    questions: int
    mean: float
    longest: int
    bars: tuple[int, ...]
    """Questions by length, each bar `Lengths.width` characters wide, the first from 0."""
    longer: int
    """Questions beyond the last bar."""


class Lengths(Record):
    """Question lengths in characters of the text that a model is sent."""

    panels: tuple[LengthPanel, ...]
    width: int
    textless: tuple[str, ...]
    """Versions that send no text, so that there is nothing to measure."""


class AgreementRow(Record):
    """How far people agree on one field."""

    job: str
    field: str
    items: int
    equal: Interval
    kappa: Interval | None
    alpha: Interval | None


class Agreement(Record):
    """All fields that two people answered."""

    rows: tuple[AgreementRow, ...]


class Legibility(Record):
    """All published pages that were rendered."""

    rows: tuple[LegibilityFigures, ...]


class PointDot(Record):
    """Knowledge points with the same two counts."""

    pool: int
    chosen: int
    stand_in: bool
    points: int


class CoveragePanel(Record):
    """Knowledge points of one discipline."""

    discipline: str
    name: Name
    points: int
    covered: int
    stand_ins: int
    stand_ins_covered: int
    dots: tuple[PointDot, ...]
    targets: tuple[tuple[int, int], ...]
    """(questions in the pool, target), growing."""


class Coverage(Record):
    """Knowledge points of all disciplines."""

    panels: tuple[CoveragePanel, ...]


class Plot(Record):
    """A plot before it is drawn."""

    name: str
    """File name below `plots/`."""
    alt: str
    """The figures in words, for whoever does not see the picture; safe between `![` and `]`."""
    data: Composition | Lengths | Agreement | Legibility | Coverage
