"""Which plots a release has and what they show: counted from published rows and figures, without drawing.

Pure and quick, so that the card and the release's signature can be made although nothing is drawn.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence

from benchwright.curation.release.audit_records import AgreementLine, PointLine, ReleaseAudit
from benchwright.curation.release.plots.composition import composition_of
from benchwright.curation.release.plots.inputs import (
    Agreement,
    AgreementRow,
    Composition,
    Coverage,
    CoveragePanel,
    Legibility,
    LengthPanel,
    Lengths,
    Plot,
    PointDot,
)
from benchwright.curation.release.plots.names import Names
from benchwright.curation.release.statistics_audit import legibility_figures
from benchwright.curation.stats_lengths import characters
from benchwright.schemas.records import DIFFICULTY_NAMES, ReleaseRow
from benchwright.schemas.taxonomy import Taxonomy
from benchwright.schemas.versions import Version

DRAWING = 1
"""Raised whenever the same data are drawn in another way: part of a release's signature."""
_BARS = 40
_IN_ALT = 12
"""Things that an alternative text lists one by one."""
_UNSAFE = re.compile(r"[\[\]\\`*_<>|\s]+")


def plots_of(
    rows: Sequence[ReleaseRow], audit: ReleaseAudit, taxonomy: Taxonomy | None = None
) -> tuple[Plot, ...]:
    """All plots that have something to show, in the order in which a card shows them.

    Args:
        rows: as published; problems are counted once.
        audit: what lies below `audit/`.
        taxonomy: names of disciplines and subjects; None: their ids, dashes taken out.
    """
    if not rows:
        return ()
    names = Names(taxonomy, chinese=any(row.language == "zh" for row in rows))
    plots = _composition_plots(composition_of(rows, names))
    for plot in (
        _lengths_plot(lengths_of(rows)),
        _agreement_plot(agreement_of(audit.agreement)),
        _legibility_plot(Legibility(rows=legibility_figures(audit))),
        _coverage_plot(coverage_of(audit.points, names)),
    ):
        if plot is not None:
            plots.append(plot)
    return tuple(plots)


def lengths_of(rows: Sequence[ReleaseRow]) -> Lengths:
    """Histograms of the characters of `question`, by version and language; versions that send no text are named."""
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in rows:
        found[row.version, row.language].append(characters(row.question))
    kept = {key: lengths for key, lengths in found.items() if any(lengths)}
    order = [version.value for version in Version]
    keys = sorted(kept, key=lambda key: (order.index(key[0]), key[1]))
    width, bars = _bins(sorted(length for lengths in kept.values() for length in lengths))
    panels = []
    for version, language in keys:
        lengths = kept[version, language]
        counts = [0] * (bars + 1)
        for length in lengths:
            counts[min(length // width, bars)] += 1
        panels.append(
            LengthPanel(
                version=version,
                language=language,
                questions=len(lengths),
                mean=round(sum(lengths) / len(lengths), 2),
                longest=max(lengths),
                bars=tuple(counts[:-1]),
                longer=counts[-1],
            )
        )
    textless = {version for version, _ in found} - {version for version, _ in kept}
    return Lengths(panels=tuple(panels), width=width, textless=tuple(sorted(textless, key=order.index)))


def _bins(ordered: Sequence[int]) -> tuple[int, int]:
    """Width of a bar (1, 2 or 5 times a power of ten) and how many hold 99 % of the lengths."""
    if not ordered:
        return 1, 1
    reach = ordered[min(len(ordered) - 1, math.ceil(0.99 * len(ordered)))] + 1
    width = next(
        width for power in range(10) for step in (1, 2, 5) if (width := step * 10**power) * _BARS >= reach
    )
    return width, math.ceil(reach / width)


def agreement_of(lines: Sequence[AgreementLine]) -> Agreement:
    """Fields that two people answered, with the agreement that is defined for them."""
    return Agreement(
        rows=tuple(
            AgreementRow(
                job=line.job,
                field=field.name,
                items=field.items,
                equal=field.percent,
                kappa=None if field.kappa is None or field.kappa.value is None else field.kappa,
                alpha=None if field.alpha is None or field.alpha.value is None else field.alpha,
            )
            for line in lines
            if (field := line.figures).items and field.percent.value is not None
        )
    )


def coverage_of(points: Sequence[PointLine], names: Names) -> Coverage:
    """Knowledge points by discipline, those with the same counts together."""
    groups: dict[str, list[PointLine]] = defaultdict(list)
    for point in points:
        groups[point.discipline].append(point)
    panels = []
    for discipline, found in sorted(groups.items()):
        dots: dict[tuple[int, int, bool], int] = defaultdict(int)
        for point in found:
            dots[point.pool, point.chosen, point.stand_in] += 1
        real = [point for point in found if not point.stand_in]
        others = [point for point in found if point.stand_in]
        panels.append(
            CoveragePanel(
                discipline=discipline,
                name=names.discipline(discipline),
                points=len(real),
                covered=sum(point.chosen > 0 for point in real),
                stand_ins=len(others),
                stand_ins_covered=sum(point.chosen > 0 for point in others),
                dots=tuple(
                    PointDot(pool=pool, chosen=chosen, stand_in=stand_in, points=n)
                    for (pool, chosen, stand_in), n in sorted(dots.items())
                ),
                targets=tuple(sorted({(point.pool, point.target) for point in found if point.target})),
            )
        )
    return Coverage(panels=tuple(panels))


def _composition_plots(data: Composition) -> list[Plot]:
    total = data.problems
    parts = [
        f"{part.name.en} {part.problems:,} ({100 * part.problems / total:.1f} %), "
        f"most in {part.subjects[0].name.en} ({part.subjects[0].problems:,})"
        for part in data.disciplines[:_IN_ALT]
    ]
    levels = [
        f"{part.name.en}: "
        + ", ".join(f"{DIFFICULTY_NAMES[at + 1]} {n:,}" for at, n in enumerate(part.levels) if n)
        for part in data.disciplines[:_IN_ALT]
    ]
    subjects = sum(len(part.subjects) for part in data.disciplines)
    ring = f"Ring of {_counted(total, 'problem')} in {_counted(subjects, 'subject')}. {'; '.join(parts)}."
    flow = f"Flow of {_counted(total, 'problem')} from disciplines through subjects to levels. {'; '.join(levels)}."
    bars = f"Bars of the levels of {_counted(total, 'problem')}. {'; '.join(levels)}."
    plots = {"subjects.png": ring, "flow.png": flow, "levels.png": bars}
    return [Plot(name=name, alt=_safe(alt), data=data) for name, alt in plots.items()]


def _lengths_plot(data: Lengths) -> Plot | None:
    if not data.panels:
        return None
    said = [
        f"{one.version} {one.language}: mean {one.mean:,.1f}, longest {one.longest:,}"
        for one in data.panels[:_IN_ALT]
    ]
    alt = f"Histograms of question lengths in characters. {'; '.join(said)}."
    return Plot(name="lengths.png", alt=_safe(alt), data=data)


def _agreement_plot(data: Agreement) -> Plot | None:
    if not data.rows:
        return None
    said = []
    for row in data.rows[:_IN_ALT]:
        figures = [
            f"{name} {one.value:.2f}"
            for name, one in (("kappa", row.kappa), ("alpha", row.alpha), ("equal", row.equal))
            if one is not None and one.value is not None
        ]
        said.append(f"{row.job} {row.field} {', '.join(figures)}")
    alt = f"How far two people agree before adjudication, with 95 % intervals. {'; '.join(said)}."
    return Plot(name="agreement.png", alt=_safe(alt), data=data)


def _legibility_plot(data: Legibility) -> Plot | None:
    if not any(row.passed or row.failed for row in data.rows):
        return None
    said = []
    for row in data.rows[:_IN_ALT]:
        read = f", {100 * (1 - row.errors / row.characters):.2f} % of characters" if row.characters else ""
        said.append(f"{row.version} {row.language}: {row.passed:,} of {row.pictures:,} passed{read}")
    alt = f"Legibility of the rendered pages, read back by a recogniser. {'; '.join(said)}."
    return Plot(name="legibility.png", alt=_safe(alt), data=data)


def _coverage_plot(data: Coverage) -> Plot | None:
    if not data.panels:
        return None
    said = []
    for panel in data.panels[:_IN_ALT]:
        counts = [(panel.covered, panel.points, "points")] if panel.points else []
        if panel.stand_ins:
            counts.append((panel.stand_ins_covered, panel.stand_ins, "clusters without named points"))
        said.append(
            panel.name.en + ": " + ", ".join(f"{got:,} of {all_:,} {what}" for got, all_, what in counts)
        )
    alt = f"Knowledge points by questions in the pool and chosen questions. Covered: {'; '.join(said)}."
    return Plot(name="coverage.png", alt=_safe(alt), data=data)


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def _safe(text: str) -> str:
    """Without signs that mean something in Markdown."""
    return _UNSAFE.sub(" ", text).strip()
