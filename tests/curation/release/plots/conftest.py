"""Rows and audits to draw: a hundred and twenty problems of the built-in taxonomies, in two languages."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from benchwright.curation.release.audit_records import AgreementLine, GateLine, PointLine, ReleaseAudit
from benchwright.schemas.records import QuestionType, ReleaseRow, Split
from benchwright.schemas.review_figures import FieldAgreement, Interval
from benchwright.schemas.taxonomy import Taxonomy, load_taxonomy

VERSIONS = {"knowledge-free": 60, "knowledge-rich": 400, "vision-rich": 50, "vision-only": 0}


def row(problem: int, version: str, language: str, place: tuple[str, str, int], length: int) -> ReleaseRow:
    """A row of which only what is drawn matters."""
    discipline, subject, difficulty = place
    return ReleaseRow(
        id=f"p{problem}-{version}-{language}",
        problem_id=f"p{problem}",
        version=version,
        language=language,
        discipline=discipline,
        subject=subject,
        difficulty=difficulty,
        knowledge_points=(),
        question="x" * length,
        images=(),
        options=(),
        question_type=QuestionType.FREE_FORM,
        answer="1",
        unit=None,
        full_question="x",
        stem=None,
        conditions=(),
        core_question=None,
        knowledge_cue=None,
        knowledge_detail=(),
        solution=None,
        split=Split.TEST,
        source="s",
        source_license="CC0-1.0",
        render=None,
        canary="c",
    )


def rows_of(taxonomy: Taxonomy, languages: tuple[str, ...], problems: int = 120) -> list[ReleaseRow]:
    """Rows of problems spread over every subject, some subjects with one problem only."""
    chance = random.Random(7)
    places = [(entry.id, one.id) for entry in taxonomy.disciplines for one in entry.subjects]
    weights = [chance.random() ** 3 for _ in places]
    made = []
    for problem in range(problems):
        known = places[problem] if problem < len(places) else chance.choices(places, weights)[0]
        place = (*known, chance.choices((1, 2, 3, 4, 5), (3, 5, 6, 3, 1))[0])
        for version, mean in VERSIONS.items():
            for language in languages:
                length = int(mean * chance.lognormvariate(0, 0.7))
                made.append(row(problem, version, language, place, length))
    return made


def interval(value: float) -> Interval:
    """A figure with an interval around it."""
    return Interval(value=value, low=max(-1.0, value - 0.1), high=min(1.0, value + 0.1), n=40)


def agreement(job: str, name: str, kappa: float | None, alpha: float | None, equal: float) -> AgreementLine:
    """How far people agreed on one field."""
    return AgreementLine(
        job=job,
        seed=0,
        figures=FieldAgreement(
            name=name,
            scale="nominal",
            items=40,
            percent=interval(equal),
            kappa=None if kappa is None else interval(kappa),
            alpha=None if alpha is None else interval(alpha),
        ),
    )


def gates(version: str, language: str, states: dict[str, int], errors: int) -> list[GateLine]:
    """Pages by state; those that passed have a hundred characters each."""
    return [
        GateLine.model_validate(
            {
                "row": f"{state}-{number}", "version": version, "language": language, "sha256": "0" * 64,
                "state": state, "characters": 100 if state == "passed" else 0,
                "errors": errors if state == "passed" and number == 0 else 0, "unverified_formulas": 0,
                "reader": None, "codes": (),
            }
        )
        for state, count in states.items()
        for number in range(count)
    ]  # fmt: skip


def full_audit(taxonomy: Taxonomy) -> ReleaseAudit:
    """Something for every plot."""
    chance = random.Random(3)
    points = []
    for entry in taxonomy.disciplines:
        for number in range(60):
            pool = int(chance.lognormvariate(1.5, 1.4))
            chosen = chance.randint(0, max(1, round(pool**0.5)))
            points.append(
                PointLine(
                    discipline=entry.id,
                    point=f"p{number}",
                    stand_in=number > 50,
                    pool=pool,
                    target=round(pool**0.5),
                    chosen=chosen,
                    published=chosen,
                )
            )
    return ReleaseAudit(
        agreement=(
            agreement("tagging", "subject", 0.7, 0.72, 0.8),
            agreement("tagging", "difficulty", 0.8, 0.75, 0.4),
            agreement("decomposition", "a very long name of a part of a field that recurs", -0.25, None, 0.5),
            agreement("translation", "question", None, None, 1.0),
        ),
        gates=(
            *gates("vision-only", "en", {"passed": 40, "failed": 1, "unchecked": 2}, 3),
            *gates("vision-only", "zh", {"not-judged": 5}, 0),
            *gates("vision-rich", "en", {"passed": 9}, 0),
        ),
        points=tuple(points),
    )


@pytest.fixture(scope="session")
def taxonomy() -> Taxonomy:
    """VisScience's disciplines, and SciVerse's biology."""
    return load_taxonomy("visscience+sciverse")


@pytest.fixture(scope="session")
def rows(taxonomy: Taxonomy) -> list[ReleaseRow]:
    """In English and Chinese."""
    return rows_of(taxonomy, ("en", "zh"))


@pytest.fixture(scope="session")
def audit(taxonomy: Taxonomy) -> ReleaseAudit:
    """Something for every plot."""
    return full_audit(taxonomy)


@pytest.fixture(scope="session")
def make_row() -> Callable[[int, str, str, tuple[str, str, int], int], ReleaseRow]:
    """Makes a row of which only what is drawn matters."""
    return row
