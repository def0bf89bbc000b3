"""Pictures of the statistics: pies, flows, rings and histograms, drawn by matplotlib without a screen.

For each discipline a pie of its subjects and a flow from all items over the levels to the subjects (VisScience, Figure
3); one ring of disciplines and subjects (SciVerse, Figure 2); histograms of question lengths. The bundled font is named
throughout, since matplotlib's own has no Chinese. Same figures, same bytes, with one version of matplotlib.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from benchwright.curation.stats import NONE, Stats, TextFigures
from benchwright.curation.stats_lengths import BIN
from benchwright.render.font import BUNDLED, TextFont
from benchwright.render.plots import INK, blank_figure, plot_style
from benchwright.schemas.records import DIFFICULTY_NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SUBJECT_COLOURS = (
    "#2f6db5", "#d9692c", "#2f8f5b", "#b5406f", "#8064b8", "#a98514", "#3a98a6", "#8a5a3c",
    "#5f7f1e", "#c2497c", "#56678a", "#b03a2e",
)  # fmt: skip
_LEVEL_COLOURS = {
    "1": "#a9c8e8",
    "2": "#7fabd8",
    "3": "#578cc2",
    "4": "#396ca2",
    "5": "#234a77",
    NONE: "#c9c9c9",
}
_SMALL = 0.01
"""Share of a whole under which a slice has no label of its own."""
_GAP = 0.022
"""Between the bars of a flow, as a share of its height."""


def draw_figures(figures: Stats, folder: FilePath) -> list[tuple[str, str]]:
    """Draw everything that has something to show.

    Args:
        figures: what to draw.
        folder: an existing folder; PNG files are written into it.

    Returns:
        File name and caption of each picture, in order.
    """
    made: list[tuple[str, str]] = []
    with plot_style():
        for discipline, levels in figures.flows.items():
            subjects = _subjects(levels)
            _save(_pie(subjects), folder / f"subjects-{discipline}.png")
            made.append((f"subjects-{discipline}.png", f"{discipline}: subjects"))
            _save(_flow(levels, subjects), folder / f"levels-{discipline}.png")
            made.append((f"levels-{discipline}.png", f"{discipline}: all items, levels, subjects"))
        if figures.flows:
            _save(_ring(figures), folder / "ring.png")
            made.append(("ring.png", "Disciplines and subjects"))
        for unit in BIN:
            texts = [text for text in figures.texts if text.question_with_options.characters.maximum]
            if texts:
                _save(_histograms(texts, unit), folder / f"lengths-{unit}.png")
                made.append((f"lengths-{unit}.png", f"Length of questions with their options, in {unit}"))
        if figures.points.distinct:
            _save(_points(figures.points.frequencies), folder / "points.png")
            made.append(("points.png", "How often knowledge points occur"))
    return made


def _save(figure: Figure, path: FilePath) -> None:
    figure.savefig(
        path, dpi=160, facecolor="white", metadata={"Software": None}, bbox_inches="tight", pad_inches=0.12
    )


def _subjects(levels: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Items of each subject, most first."""
    counts: dict[str, int] = {}
    for subjects in levels.values():
        for subject, n in subjects.items():
            counts[subject] = counts.get(subject, 0) + n
    return dict(sorted(counts.items(), key=lambda pair: (pair[0] == NONE, -pair[1], pair[0])))


def _pie(subjects: Mapping[str, int]) -> Figure:
    figure = blank_figure(8.2, 4.6)
    axes = figure.add_subplot()
    total = sum(subjects.values())
    wedges = axes.pie(
        list(subjects.values()), colors=_colours(subjects), startangle=90, counterclock=False,
        wedgeprops={"edgecolor": "white", "linewidth": 1.2},
    )[0]  # fmt: skip
    labels = [f"{_label(name)}  {100 * n / total:.1f} %  ({n:,})" for name, n in subjects.items()]
    axes.legend(wedges, labels, loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
    return figure


def _flow(levels: Mapping[str, Mapping[str, int]], subjects: Mapping[str, int]) -> Figure:
    """Sankey diagram: all items -> levels -> subjects."""
    figure = blank_figure(9.5, 5.6)
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set_xlim(-0.02, 1.45)
    axes.set_ylim(1.02, -0.02)
    total = sum(subjects.values())
    by_level = {level: sum(found.values()) for level, found in levels.items()}
    colour = dict(zip(subjects, _colours(subjects), strict=True))
    scale = min(_scale(by_level), _scale(subjects), 0.9 / total)
    left, middle, right = _stack({"": total}, scale), _stack(by_level, scale), _stack(subjects, scale)
    _bar(axes, 0.0, left[""], total * scale, "#8b8f99", f"{total:,} items")
    entered = {level: middle[level] for level in by_level}
    gone = left[""]
    for level, n in by_level.items():
        shade = _LEVEL_COLOURS[level]
        _ribbon(axes, (0.035, gone), (0.42, middle[level]), n * scale, shade)
        gone += n * scale
        _bar(axes, 0.42, middle[level], n * scale, shade, _level(level, n))
    arrived = dict(right)
    for level, found in levels.items():
        for subject in subjects:
            if n := found.get(subject, 0):
                _ribbon(axes, (0.455, entered[level]), (0.96, arrived[subject]), n * scale, colour[subject])
                entered[level] += n * scale
                arrived[subject] += n * scale
    for subject, n in subjects.items():
        _bar(axes, 0.96, right[subject], n * scale, colour[subject], f"{_label(subject)}  {n:,}")
    return figure


def _scale(parts: Mapping[str, int]) -> float:
    """Height of one item, gaps between the bars allowed for."""
    return (1 - _GAP * (len(parts) - 1)) / sum(parts.values())


def _stack(parts: Mapping[str, int], scale: float) -> dict[str, float]:
    """Top of each bar when they stand on each other with gaps, the whole column in the middle."""
    top = (1 - sum(parts.values()) * scale - _GAP * (len(parts) - 1)) / 2
    tops: dict[str, float] = {}
    for name, n in parts.items():
        tops[name] = top
        top += n * scale + _GAP
    return tops


def _bar(axes: Axes, x: float, y: float, height: float, colour: str, text: str) -> None:
    from matplotlib.patches import Rectangle
    from matplotlib.patheffects import withStroke

    axes.add_patch(Rectangle((x, y), 0.035, height, color=colour, linewidth=0))
    halo = withStroke(linewidth=2.5, foreground="white")
    axes.text(x + 0.045, y + height / 2, text, va="center", ha="left", fontsize=10, path_effects=[halo])


def _ribbon(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], width: float, colour: str
) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    (x0, y0), (x1, y1) = start, end
    bend = (x0 + x1) / 2
    points = [
        (x0, y0), (bend, y0), (bend, y1), (x1, y1),
        (x1, y1 + width), (bend, y1 + width), (bend, y0 + width), (x0, y0 + width), (x0, y0),
    ]  # fmt: skip
    codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
    axes.add_patch(PathPatch(Path(points, codes), facecolor=colour, alpha=0.38, linewidth=0))


def _ring(figures: Stats) -> Figure:
    """Inner ring: disciplines; outer ring: their subjects."""
    figure = blank_figure(8.6, 8.0)
    axes = figure.add_subplot()
    total = figures.items
    inner: list[int] = []
    outer: list[int] = []
    names: list[str] = []
    shades: list[tuple[float, float, float]] = []
    labels: list[str] = []
    for at, (discipline, levels) in enumerate(figures.flows.items()):
        subjects = _subjects(levels)
        inner.append(sum(subjects.values()))
        names.append(f"{discipline}\n{100 * inner[-1] / total:.1f} %")
        for place, (subject, n) in enumerate(subjects.items()):
            outer.append(n)
            shades.append(
                _lighter(
                    _SUBJECT_COLOURS[at % len(_SUBJECT_COLOURS)], 0.15 + 0.6 * place / max(1, len(subjects))
                )
            )
            labels.append(f"{_label(subject, 20)} {100 * n / total:.1f} %" if n >= _SMALL * total else "")
    edge = {"edgecolor": "white", "linewidth": 1.2}
    axes.pie(
        outer, radius=1.0, colors=shades, labels=labels, startangle=90, counterclock=False, rotatelabels=True,
        labeldistance=1.03, wedgeprops={**edge, "width": 0.34}, textprops={"fontsize": 8.5},
    )  # fmt: skip
    axes.pie(
        inner, radius=0.65, colors=list(_SUBJECT_COLOURS[: len(inner)]), labels=names, startangle=90,
        counterclock=False, labeldistance=0.6, wedgeprops={**edge, "width": 0.37},
        textprops={"color": "white", "ha": "center", "va": "center", "fontsize": 10.5},
    )  # fmt: skip
    axes.text(0, 0, f"{total:,}", ha="center", va="center", fontsize=15)
    return figure


def _histograms(texts: Sequence[TextFigures], unit: str) -> Figure:
    figure = blank_figure(8.4, 0.5 + 2.1 * len(texts))
    panels = figure.subplots(len(texts), 1, squeeze=False, sharex=True)[:, 0]
    for axes, text in zip(panels, texts, strict=True):
        found = getattr(text.question_with_options, unit)
        axes.bar(
            list(found.histogram), list(found.histogram.values()), width=BIN[unit] * 0.94, align="edge",
            color="#2f6db5" if text.language == "en" else "#d9692c",
        )  # fmt: skip
        axes.axvline(found.mean, color=INK, linewidth=1, linestyle=(0, (4, 3)))
        name = f"{text.language} {text.version}".strip()
        axes.set_title(
            f"{name}: {found.n:,} questions, mean {found.mean:,.1f}, longest {found.maximum:,}",
            loc="left",
            fontsize=11,
        )
        axes.set_ylabel("questions")
        axes.yaxis.get_major_locator().set_params(integer=True)
    panels[-1].set_xlabel(f"{unit}, options included; the last bar holds everything longer; dashed: mean")
    return figure


def _points(frequencies: Mapping[str, int]) -> Figure:
    figure = blank_figure(8.0, 3.4)
    axes = figure.add_subplot()
    bars = axes.bar(list(frequencies), list(frequencies.values()), color="#2f8f5b")
    axes.bar_label(bars, fontsize=9)
    axes.tick_params(axis="x", labelsize=8, rotation=30)
    axes.set_xlabel("items of a knowledge point")
    axes.set_ylabel("knowledge points")
    return figure


def _colours(subjects: Mapping[str, int]) -> list[str]:
    return [
        "#c9c9c9" if name == NONE else _SUBJECT_COLOURS[at % len(_SUBJECT_COLOURS)]
        for at, name in enumerate(subjects)
    ]


def _lighter(colour: str, share: float) -> tuple[float, float, float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part + (1 - part) * share for part in parts)
    return red, green, blue


def _label(name: str, width: int = 30) -> str:
    """A subject's name as the font can draw it, in lines of at most `width`.

    What the font lacks becomes a box, since matplotlib would only warn.
    """
    if name == NONE:
        return "no subject"
    missing = set(TextFont(BUNDLED).missing(name))
    shown = "".join("□" if sign in missing else sign for sign in name.replace("-", " "))
    return "\n".join(textwrap.wrap(shown[:1].upper() + shown[1:], width)) or name


def _level(level: str, n: int) -> str:
    return f"{level} {DIFFICULTY_NAMES[int(level)]}  {n:,}" if level != NONE else f"no level  {n:,}"
