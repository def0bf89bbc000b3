"""Charts: same figures same bytes, nothing of the day or the machine inside, every run told apart without colour."""

from __future__ import annotations

import re
from pathlib import Path

from benchwright.eval.display.charts import Chart, Point, Series, draw_charts

RADAR = Chart(
    "subjects-zh",
    "radar",
    "Accuracy by subject",
    ("plane-geometry", "力学", "x" * 200, "$\\frac{a}{b}$"),
    (
        Series("openai/one", (Point(0.5), Point(None), Point(1.0), Point(0.25, incomplete=True))),
        Series("openai/\x1b[31mtwo", (Point(0.25), Point(0.5), Point(0.5), Point(0.5))),
    ),
    chance=(0.25, 0.25, None, 0.0),
)
LINES = Chart(
    "versions-en",
    "lines",
    "Accuracy by version",
    ("knowledge-free", "vision-only"),
    tuple(
        Series(f"run {n}", (Point(n / 10, n / 10 - 0.05, n / 10 + 0.05), Point(None))) for n in range(1, 10)
    ),
    chance=(0.25, 0.25),
)


def drawn(folder: Path) -> dict[str, bytes]:
    folder.mkdir()
    draw_charts([RADAR, LINES], folder)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_same_figures_same_bytes_and_no_date(tmp_path: Path) -> None:
    first = drawn(tmp_path / "a")
    assert sorted(first) == ["subjects-zh.png", "subjects-zh.svg", "versions-en.png", "versions-en.svg"]
    assert drawn(tmp_path / "b") == first
    for name, data in first.items():
        assert (
            b"tEXt" not in data and b"dc:date" not in data and b"atplotlib" not in data.split(b"<g id")[0]
        ), name
        assert b"\x1b" not in data or name.endswith("png")


def test_runs_differ_in_sign_and_dash_not_in_colour_alone(tmp_path: Path) -> None:
    svg = drawn(tmp_path / "a")["versions-en.svg"].decode()
    legend = svg.split('<g id="legend_1">')[1]
    looks = set(re.findall(r'<path d="([^"]*)"[^>]*style="([^"]*stroke: #[^"]*)"', legend))
    assert len({style for _, style in looks}) >= 9


def test_a_radar_ends_above_its_highest_figure(tmp_path: Path) -> None:
    from benchwright.eval.display.charts import _top

    assert _top(RADAR) == 100.0
    low = Chart("a", "radar", "t", ("a",), (Series("s", (Point(0.31, 0.1, 0.99),)),))
    assert _top(low) == 40.0, "intervals are not drawn on a radar"
    assert _top(Chart("a", "lines", "t", ("a",), low.series)) == 100.0
