"""What the line's plots have in common: matplotlib without a screen, the bundled font, plain axes.

The font is named throughout, since matplotlib's own has no Chinese. Same figures, same bytes, with one version of
matplotlib.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from benchwright.render.font import BUNDLED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#23252b"
"""Colour of words and of marks that stand for none of the things compared."""


@contextmanager
def plot_style() -> Iterator[None]:
    """Matplotlib's settings while plots are drawn and saved."""
    import matplotlib
    from matplotlib import font_manager

    font_manager.fontManager.addfont(str(BUNDLED))
    settings: Any = {
        "font.family": [font_manager.FontProperties(fname=str(BUNDLED)).get_name()],
        "font.size": 11,
        "axes.unicode_minus": False,
        "text.parse_math": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": "#9a9a9a",
        "text.color": INK,
        "axes.labelcolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        # Without these the ids and letters of SVG files differ from run to run, or need the reader's fonts.
        "svg.hashsalt": "benchwright",
        "svg.fonttype": "path",
    }
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # a user's own matplotlibrc would draw other pictures from the same figures
        matplotlib.rcParams.update(settings)
        yield


def blank_figure(width: float, height: float) -> Figure:
    """A figure of so many inches that no window belongs to."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure
