"""Drawing the plots of a release. Same plots, same bytes, with one version of matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchwright.curation.release.plots.agreement import draw_agreement
from benchwright.curation.release.plots.coverage import draw_coverage
from benchwright.curation.release.plots.flow import draw_flow
from benchwright.curation.release.plots.inputs import (
    Agreement,
    Composition,
    Coverage,
    Legibility,
    Lengths,
    Plot,
)
from benchwright.curation.release.plots.legibility import draw_legibility
from benchwright.curation.release.plots.lengths import draw_lengths
from benchwright.curation.release.plots.levels import draw_levels
from benchwright.curation.release.plots.page import encoded, style
from benchwright.curation.release.plots.ring import draw_ring

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COMPOSITION = {"subjects.png": draw_ring, "flow.png": draw_flow, "levels.png": draw_levels}


def draw_plots(plots: Sequence[Plot]) -> dict[str, bytes]:
    """PNG bytes by name, 1600 pixels wide, dark on white, without metadata."""
    if not plots:
        return {}
    with style():
        return {plot.name: encoded(draw_figure(plot)) for plot in plots}


def draw_figure(plot: Plot) -> Figure:
    """One plot as a figure of matplotlib's, inside `page.style`."""
    match plot.data:
        case Composition() as data:
            return _COMPOSITION[plot.name](data)
        case Lengths() as data:
            return draw_lengths(data)
        case Agreement() as data:
            return draw_agreement(data)
        case Legibility() as data:
            return draw_legibility(data)
        case Coverage() as data:
            return draw_coverage(data)
