"""Statistics as tables: for the terminal, and as one HTML page with pictures in a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from benchwright.curation.stats import Stats
from benchwright.curation.stats_figures import draw_figures
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import canonical_json

Row = tuple[str, str, int | float]
_POINTS = 20


def rows_of(figures: Stats) -> list[Row]:
    """All figures as (figure, of what, value), in the order in which people read them."""
    rows: list[Row] = [("items", "", figures.items)]
    for group, counts in _groups(figures).items():
        rows += [(group, name, n) for name, n in counts.items()]
    for name in (
        "with_image",
        "with_solution",
        "images",
        "unique_images",
        "unique_questions",
        "unique_answers",
    ):
        rows.append((name.replace("_", " "), "", getattr(figures, name)))
    rows += [(figure, of, value) for figure, of, value in length_rows(figures)]
    points = figures.points
    rows += [
        ("knowledge points", "", points.distinct),
        ("knowledge points of one item", "", points.once),
        ("items without knowledge points", "", points.items_without),
        *(("knowledge point", name, n) for name, n in list(points.most.items())[:_POINTS]),
    ]
    return rows


def length_rows(figures: Stats) -> list[Row]:
    """Table 1's lengths: mean and most, in characters and words, with and without options."""
    rows: list[Row] = []
    for text in figures.texts:
        of = f"{text.language} {text.version}".strip()
        kinds = {
            "question": text.question,
            "question with options": text.question_with_options,
            "answer": text.answer,
        }
        for kind, lengths in kinds.items():
            for unit, length in (("characters", lengths.characters), ("words", lengths.words)):
                rows.append((f"{kind} {unit}, mean", of, length.mean))
                rows.append((f"{kind} {unit}, most", of, length.maximum))
        rows.append(("options, most", of, text.most_options))
    return rows


def write_statistics(figures: Stats, folder: Path) -> Path:
    """Write `stats.json`, the pictures and `stats.html` into a folder; returns the page."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = draw_figures(figures, folder)
    write_atomic(folder / "stats.json", (canonical_json(figures) + "\n").encode("utf-8"))
    environment = Environment(
        loader=PackageLoader("benchwright.curation", "templates"), autoescape=True, undefined=StrictUndefined
    )
    page = environment.get_template("stats.html").render(
        figures=figures, groups=_groups(figures), pictures=pictures, shares=_shares
    )
    write_atomic(folder / "stats.html", page.encode("utf-8"))
    return folder / "stats.html"


def _groups(figures: Stats) -> dict[str, dict[str, int]]:
    groups = {
        "discipline": figures.by_discipline,
        "subject": figures.by_subject,
        "level": figures.by_difficulty,
        "question type": figures.by_question_type,
        "options": figures.choices,
        "language": figures.by_language,
        "version": figures.by_version,
        "source": figures.by_source,
        "split": figures.by_split,
        "estimated": figures.estimated,
    }
    return {name: counts for name, counts in groups.items() if counts}


def _shares(counts: Mapping[str, int], whole: int) -> list[tuple[str, int, float]]:
    """Count and percentage of each value."""
    return [(name, n, round(100 * n / whole, 1) if whole else 0.0) for name, n in counts.items()]
