"""Criteria about what people say of a release: its purpose, its people, its limits, whom to ask."""

from __future__ import annotations

import re
from collections.abc import Callable

from benchwright.curation.release.checklist_facts import Answer, Facts
from benchwright.schemas.recipe import Statement

_TAG = re.compile(r"v\d+\.\d+\.\d+")
_MEND = "{} under [release.statements] in benchwright.toml"


def _stated(facts: Facts, figure: str, *subjects: Statement) -> Answer:
    missing = facts.missing(*subjects)
    if not missing:
        words = sum(len(facts.recipe.release.statements[subject].split()) for subject in subjects)
        return Answer("pass", f"{figure}{'; ' if figure else ''}said in {words} words")
    figure += "; " if figure else ""
    return Answer(
        "needs a person",
        f"{figure}not said yet: {', '.join(missing)}",
        _MEND.format(", ".join(missing)),
        missing,
    )


def purpose(facts: Facts) -> Answer:
    """Criterion 1."""
    return _stated(facts, "", "measures", "uses")


def experts(facts: Facts) -> Answer:
    """Criterion 2."""
    people = max((one.people for one in facts.reviews), default=0)
    if not people:
        return Answer(
            "fail", "no reviews with figures", "annotate push JOB, annotate pull JOB, annotate report"
        )
    return _stated(facts, f"up to {people} people in {len(facts.reviews)} jobs", "people")


def related(facts: Facts) -> Answer:
    """Criterion 3."""
    return _stated(facts, "", "related")


def metric(facts: Facts) -> Answer:
    """Criterion 4."""
    return _stated(facts, "", "metric")


def construction(facts: Facts) -> Answer:
    """Criterion 23."""
    said = {origin for entries in facts.content.origins.values() for _, origin in entries}
    return _stated(
        facts, f"values come from: {', '.join(sorted(said)) or 'nothing on record'}", "construction"
    )


def limits(facts: Facts) -> Answer:
    """Criterion 25."""
    errors = next((one.items for one in facts.reviews if one.job == "errors"), 0)
    figure = f"{errors} wrong answers explained" if errors else "errors explained after the release"
    said = _stated(facts, figure, "limitations")
    if errors or said.status != "pass":
        return said
    mend = "annotate push errors on a run of this release, then annotate report errors"
    return Answer("after release", said.figure, mend)


def contact(facts: Facts) -> Answer:
    """Criterion 30."""
    return _stated(facts, "", "contact")


def later(facts: Facts) -> Answer:
    """Criterion 31."""
    tag = facts.recipe.release.tag
    if _TAG.fullmatch(tag) is None:
        return Answer("fail", f"the tag {tag!r} is no version", 'tag = "vX.Y.Z" under [release]')
    return _stated(facts, f"version {tag}", "retirement")


ABOUT: dict[int, tuple[str, Callable[[Facts], Answer]]] = {
    1: ("purpose, users, uses and non-uses stated", purpose),
    2: ("subject experts took part", experts),
    3: ("difference from related benchmarks stated", related),
    4: ("metric and its reading stated", metric),
    23: ("construction and instructions published", construction),
    25: ("limitations and error analysis", limits),
    30: ("contact, feedback, build status", contact),
    31: ("version, change log, errata, retirement", later),
}
"""By number: name and judge."""
