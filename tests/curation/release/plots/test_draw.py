"""The drawings: words fit and do not overlap, Chinese has its glyphs, marks equal the data, same bytes each time."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from itertools import combinations, pairwise

import pytest
from fontTools.ttLib import TTFont
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.font_manager import findfont
from matplotlib.patches import PathPatch, Rectangle, Wedge
from matplotlib.text import Text

from benchwright.curation.release.audit_records import ReleaseAudit
from benchwright.curation.release.plots import page
from benchwright.curation.release.plots.draw import draw_figure, draw_plots
from benchwright.curation.release.plots.plan import plots_of
from benchwright.render.font import BUNDLED

LONG = "Computational-and-mathematical-foundations-of-the-experimental-natural-sciences"


def words_of(figure):
    """Texts that are seen, with their boxes in pixels."""
    renderer = figure.canvas.get_renderer()
    beyond = {
        label
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for label, place in zip(axis.get_ticklabels(), axis.get_ticklocs(), strict=True)
        if not min(axis.get_view_interval()) <= place <= max(axis.get_view_interval())
    }
    found = []
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and text not in beyond:
            found.append((text.get_text(), text.get_window_extent(renderer)))
    return found


def drawn(plots):
    """Each plot as an encoded figure."""
    with page.style():
        for plot in plots:
            figure = draw_figure(plot)
            page.encoded(figure)
            yield plot, figure


@pytest.fixture(scope="module")
def figures(rows, audit, taxonomy):
    """Every plot of the common rows, drawn once."""
    return list(drawn(plots_of(rows, audit, taxonomy)))


def check_words(figure, name):
    """No word leaves the sheet or lies on another."""
    width, height = figure.canvas.get_width_height()
    found = words_of(figure)
    for text, box in found:
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height, (name, text, box)
    for (one, first), (other, second) in combinations(found, 2):
        across = min(first.x1, second.x1) - max(first.x0, second.x0)
        up = min(first.y1, second.y1) - max(first.y0, second.y0)
        # Boxes hold the whole height of a line: letters touch only when they share more than a few pixels.
        assert across <= 1 or up <= 6, (name, one, other, across, up)


def odd_rows(make_row):
    """One discipline with one subject; many with long names; one with tiny slices; more than two languages."""
    yield "one", [make_row(0, "original", "en", ("physics", "optics", 3), 40)]
    yield (
        "long",
        [
            make_row(
                number,
                "original",
                language,
                (f"{LONG}-{number % 7}", f"{LONG}-{number % 23}", 1 + number % 5),
                4 * number,
            )
            for number in range(200)
            for language in ("de", "en", "fr", "zh")
        ],
    )
    yield (
        "tiny",
        [
            make_row(
                number, "original", "zh", ("physics", f"s{max(0, number - 170)}", 1 + (number > 198)), number
            )
            for number in range(200)
        ],
    )


def test_words_fit_and_do_not_overlap(figures):
    assert len(figures) == 7
    for plot, figure in figures:
        check_words(figure, plot.name)


def test_words_fit_whatever_the_names(make_row, taxonomy):
    for name, rows in odd_rows(make_row):
        for plot, figure in drawn(plots_of(rows, ReleaseAudit(), taxonomy)):
            check_words(figure, f"{name} {plot.name}")


def test_chinese_has_its_glyphs_and_every_word_the_bundled_font(figures):
    glyphs = TTFont(BUNDLED).getBestCmap()
    seen = ""
    for _, figure in figures:
        for text in figure.findobj(Text):
            assert findfont(text.get_fontproperties()) == str(BUNDLED)
            lost = [
                sign
                for sign in text.get_text()
                if not sign.isspace() and glyphs.get(ord(sign), ".notdef") == ".notdef"
            ]
            assert not lost, text.get_text()
            seen += text.get_text()
    for name in ("物理", "平面几何", "综合实验与方法", "较难", "全部"):
        assert name in seen


def test_what_the_font_lacks_is_a_box_and_no_warning(make_row):
    rows = [make_row(0, "original", "en", ("अंक", "ש", 1), 3)]
    ring = next(
        figure for plot, figure in drawn(plots_of(rows, ReleaseAudit())) if plot.name == "subjects.png"
    )
    assert any("□" in text for text, _ in words_of(ring))


def test_marks_equal_the_data(figures):
    made = {plot.name: (plot.data, figure) for plot, figure in figures}
    data, ring = made["subjects.png"]
    wedges = [(wedge.width is None, wedge.theta2 - wedge.theta1) for wedge in ring.findobj(Wedge)]
    inner = [round(angle * data.problems / 360, 6) for whole, angle in wedges if whole]
    outer = [round(angle * data.problems / 360, 6) for whole, angle in wedges if not whole]
    assert inner == [part.problems for part in data.disciplines]
    assert outer == [one.problems for part in data.disciplines for one in part.subjects]
    flow = made["flow.png"][1]
    ribbons = sum(
        1 + sum(level > 0 for level in one.levels) for part in data.disciplines for one in part.subjects
    )
    assert len(flow.findobj(lambda artist: type(artist) is PathPatch)) == ribbons
    lengths, histograms = made["lengths.png"]
    panels = [axes for axes in histograms.axes if axes.axison]
    assert len(panels) == len(lengths.panels)
    for axes, panel in zip(panels, lengths.panels, strict=True):
        heights = [
            bar.get_height()
            for bar in axes.findobj(Rectangle)
            if bar.get_label() != "" and bar is not axes.patch
        ]
        assert [height for height in heights if height] == [n for n in (*panel.bars, panel.longer) if n]
    points, coverage = made["coverage.png"]
    panels = [axes for axes in coverage.axes if axes.axison]
    for axes, panel in zip(panels, points.panels, strict=True):
        assert sum(len(one.get_offsets()) for one in axes.collections) == len(panel.dots)


def test_pictures_are_print_sized_plain_and_the_same_in_another_process(rows, audit, taxonomy, tmp_path):
    plots = plots_of(rows, audit, taxonomy)
    made = draw_plots(plots)
    assert list(made) == [plot.name for plot in plots]
    for data in made.values():
        width, _, depth, colours = struct.unpack(">IIBB", data[16:26])
        assert (width, depth, colours) == (1600, 8, 2)
        assert [kind for kind in (b"tEXt", b"iTXt", b"tIME", b"pHYs", b"zTXt") if kind in data[:200]] == []
    (tmp_path / "plots.jsonl").write_text("\n".join(plot.model_dump_json() for plot in reversed(plots)))
    (tmp_path / "matplotlibrc").write_text(
        "lines.linewidth: 9\naxes.linewidth: 7\npatch.linewidth: 5\nfont.size: 30\n"
    )
    code = (
        "import json, sys; from pathlib import Path\n"
        "from benchwright.curation.release.plots.draw import draw_plots\n"
        "from benchwright.curation.release.plots.inputs import Plot\n"
        "plots = [Plot.model_validate_json(line) for line in Path('plots.jsonl').read_text().splitlines()]\n"
        "print(json.dumps({name: data.hex() for name, data in draw_plots(plots).items()}))\n"
    )
    again = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120
    )
    assert {name: bytes.fromhex(text) for name, text in json.loads(again.stdout).items()} == made
    assert draw_plots(()) == {}


def test_planning_imports_no_matplotlib():
    code = "import sys, benchwright.curation.release.plots.plan; print('matplotlib' in sys.modules)"
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert said.stdout.strip() == "False"


@given(st.lists(st.tuples(st.floats(-5, 15), st.floats(0.1, 0.5)), max_size=20))
def test_labels_spread_without_overlap(things):
    things.sort(reverse=True)
    places = page.spread([want for want, _ in things], [height for _, height in things], 0.0, 10.0)
    ends = [
        (place - height / 2, place + height / 2) for place, (_, height) in zip(places, things, strict=True)
    ]
    assert all(low >= -1e-6 and high <= 10 + 1e-6 for low, high in ends)
    assert all(upper[0] >= lower[1] - 1e-6 for upper, lower in pairwise(ends))


@pytest.mark.parametrize("colour", [*page.HUES, *page.LEVEL_HUES])
def test_ink_on_colours_can_be_read(colour):
    light, dark = sorted((page.luminance(colour), page.luminance(page.on(colour))), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5
