"""The sheet that a plot is drawn on: measures in inches from the bottom left corner, the bundled font, PNG out.

Nothing is left to automatic layout: every word's place is worked out from the font's own widths, so that words neither
overlap nor leave the sheet, and the same data give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from benchwright.curation.release.plots.inputs import Name
from benchwright.render.font import BUNDLED, load_font
from benchwright.render.plots import INK, plot_style
from benchwright.render.raster import encode_png

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

WIDTH = 8.0
"""Inches; 1600 pixels."""
DPI = 200
SIZE = 10.5
"""Points of ordinary words: about 15 pixels an em when a page shows the plot at half width."""
SMALL = 9.5
TITLE = 13.0
LINE = 1.28
"""Height of a line in em."""
SOFT = "#5c606b"
"""Words that explain; 6:1 on white."""
RULE = "#c9ccd3"
HUES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8C7A00", "#56B4E9", "#5D4A9C", "#7F4F24")
"""Colours of disciplines and measures (Okabe and Ito's, darkened ones for its yellow and orange, two more): told apart
with colour-blind eyes too."""
LEVEL_HUES = ("#bcd7ee", "#8dbbe0", "#5a9bd0", "#2468a8", "#0f3563")
"""Levels 1 to 5, from light to dark in equal steps."""
_DRAWN = 100


@contextmanager
def style() -> Iterator[None]:
    """Matplotlib's settings while plots are made and encoded."""
    with plot_style():
        yield


def page(height: float) -> tuple[Figure, Axes]:
    """An empty sheet, and axes over all of it whose unit is the inch."""
    figure = sheet(height)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(0, figure.get_figheight())
    return figure, axes


def sheet(height: float) -> Figure:
    """An empty sheet of whole pixels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, round(height * DPI) / DPI), dpi=DPI, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def encoded(figure: Figure) -> bytes:
    """PNG of a figure: no metadata, no alpha. Every word is set in the bundled font, found by its file."""
    from matplotlib.text import Text
    from PIL import Image

    for text in figure.findobj(Text):
        text.get_fontproperties().set_file(str(BUNDLED))
    canvas: Any = figure.canvas
    canvas.draw()
    width, height = canvas.get_width_height()
    image = Image.frombuffer("RGBA", (width, height), canvas.buffer_rgba(), "raw", "RGBA", 0, 1)
    return encode_png(image.convert("RGB"))


def words(
    axes: Axes, x: float, y: float, text: str, size: float = SIZE, *, halo: bool = False, **more: Any
) -> Text:
    """Write a line at a place (its middle line; `ha` is `left` unless said otherwise)."""
    if halo:
        from matplotlib.patheffects import withStroke

        more["path_effects"] = [withStroke(linewidth=2.4, foreground="white")]
    settings = {"va": "center_baseline", "ha": "left", "fontsize": size, "color": INK, **more}
    return axes.text(x, y, drawable(text), **settings)


def label(
    axes: Axes,
    x: float,
    y: float,
    lines: Sequence[str],
    size: float = SIZE,
    *,
    halo: bool = False,
    **more: Any,
) -> None:
    """Write lines under each other, their middle at y; the last of several is softer."""
    step = line_height(size)
    for at, line in enumerate(lines):
        place = y + step * ((len(lines) - 1) / 2 - at)
        soft = at > 0 and at == len(lines) - 1
        words(axes, x, place, line, size, halo=halo, **{"color": SOFT if soft else INK, **more})


def title(axes: Axes, height: float, text: str, notes: Sequence[str] = ()) -> None:
    """What a sheet shows, at its top left corner, and lines under it that explain."""
    words(axes, 0.2, height - 0.27, text, TITLE)
    for at, note in enumerate(notes):
        words(axes, 0.2, height - 0.54 - at * line_height(SMALL), note, SMALL, color=SOFT)


def problems(count: int) -> str:
    """So many problems, in words."""
    return f"{count:,} problem{'' if count == 1 else 's'}"


def line_height(size: float) -> float:
    """Inches of a line."""
    return LINE * size / 72


def width_of(text: str, size: float = SIZE) -> float:
    """Inches of a line of text."""
    return load_font().width(drawable(text), _DRAWN) * size / 72 / _DRAWN


def drawable(text: str) -> str:
    """Text as the font can draw it: what it lacks becomes a box."""
    missing = set(load_font().missing(text))
    return "".join("□" if sign in missing else sign for sign in text)


def fitted(text: str, width: float, size: float = SIZE) -> str:
    """Text in at most so many inches: what is too long loses its end."""
    if width_of(text, size) <= width:
        return text
    kept = text
    while kept and width_of(kept + "…", size) > width:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def wrapped(text: str, width: float, size: float = SIZE, most: int = 3) -> list[str]:
    """Text in lines of at most so many inches, broken at blanks; the last of `most` lines loses what is too long."""
    lines: list[str] = []
    for word in text.split():
        if lines and (width_of(f"{lines[-1]} {word}", size) <= width or len(lines) == most):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [fitted(line, width, size) for line in lines] or [""]


def name_lines(name: Name, figure: str, width: float, size: float = SIZE) -> list[str]:
    """A name and a figure in lines: English, then Chinese with the figure."""
    lines = wrapped(name.en, width, size)
    under = f"{name.zh}  {figure}" if name.zh else figure
    if width_of(under, size) <= width:
        return [*lines, under]
    return [*lines, *([fitted(name.zh, width, size)] if name.zh else []), figure]


def name_line(name: Name, figure: str, width: float, size: float = SIZE) -> list[str]:
    """A name and a figure in one line where they fit, else in lines."""
    line = f"{name.en} {name.zh}".strip() + f"  {figure}"
    return [line] if width_of(line, size) <= width else name_lines(name, figure, width, size)


def spread(wanted: Sequence[float], heights: Sequence[float], bottom: float, top: float) -> list[float]:
    """Places as near to those wanted as may be, without overlap and between bottom and top.

    Args:
        wanted: middles, from the topmost downwards.
        heights: of the things; together no more than there is room for.
        bottom: lower end of the room.
        top: its upper end.
    """
    places: list[float] = []
    limit = top
    for want, height in zip(wanted, heights, strict=True):
        place = min(want, limit - height / 2)
        places.append(place)
        limit = place - height / 2
    limit = bottom
    for at in range(len(places) - 1, -1, -1):
        places[at] = max(places[at], limit + heights[at] / 2)
        limit = places[at] + heights[at] / 2
    return places


def on(colour: str) -> str:
    """Ink that can be read on a colour: white or black, whichever stands out more."""
    light = luminance(colour) + 0.05
    return "#ffffff" if 1.05 / light > light / 0.05 else "#000000"


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb` (WCAG 2.2)."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def lighter(colour: str, share: float) -> str:
    """A colour mixed with so much white."""
    parts = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(part + (255 - part) * share):02x}" for part in parts)


def hue(at: int) -> str:
    """Colour of the discipline or measure at a place."""
    return HUES[at % len(HUES)]
