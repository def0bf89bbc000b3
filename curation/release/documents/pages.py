"""`DATASHEET.md` and `DATA_STATEMENT.md`: what a reader asks of a data set, answered from what the workspace knows."""

from __future__ import annotations

from typing import Any

from benchwright.curation.release.documents.citation import authors_line
from benchwright.curation.release.documents.counted import (
    criterion,
    drawn,
    left_out,
    tasks,
    varieties,
)
from benchwright.curation.release.documents.stated import stated
from benchwright.curation.release.edition import Edition
from benchwright.curation.release.markdown import counted, in_line, pages
from benchwright.schemas.records import Split

DATASHEET_NAME = "DATASHEET.md"
DATA_STATEMENT_NAME = "DATA_STATEMENT.md"


def datasheet(edition: Edition) -> str:
    """The seven themes of a datasheet (Gebru et al. 2021, "Datasheets for Datasets", section 3), in our own words."""
    return _page("datasheet.md.j2", edition)


def data_statement(edition: Edition) -> str:
    """Whose language the data are (Bender and Friedman 2018, "Data Statements for NLP", section 5)."""
    return _page("data_statement.md.j2", edition)


def _page(template: str, edition: Edition) -> str:
    text = pages("benchwright.curation.release.documents").get_template(template).render(_values(edition))
    return text.rstrip() + "\n"


def _values(edition: Edition) -> dict[str, Any]:
    figures, release = edition.figures, edition.release
    day = release.date_released
    return {
        "title": edition.title,
        "tag": edition.tag,
        "repo_id": edition.repo_id,
        "url": edition.url,
        "doi": release.doi,
        "date_released": "Not stated: set date_released under [release]." if day is None else f"{day}.",
        "authors": in_line(authors_line(release.authors)) if release.authors else authors_line(()),
        "figures": figures,
        "parts": (
            ("discipline", figures.disciplines),
            ("level", figures.levels),
            ("question type", figures.question_types),
        ),
        "left_out": left_out(edition),
        "withheld": edition.withheld,
        "terms": edition.terms,
        "licence": edition.licence,
        "repeats": edition.published.repeats,
        "varieties": varieties(edition),
        "drawn": drawn(edition),
        "machines": edition.machines,
        "sent": edition.sent,
        "tasks": tasks(edition),
        "canary": edition.published.rows[0].canary,
        "has_mini": any(share.name == Split.TESTMINI for share in figures.splits),
        "has_dev": any(share.name == Split.DEV for share in figures.splits),
        "counted": counted,
        "criterion": lambda number: criterion(edition, number),
        "stated": lambda subject: stated(release, subject),
    }
