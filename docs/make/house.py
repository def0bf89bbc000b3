"""The picture of the house: floors, rooms, and the files in front of it. One SVG that follows light and dark."""

from __future__ import annotations

from pathlib import Path

WIDTH, HEIGHT = 920, 640
LEFT, RIGHT = 110, 810
STYLE = """
  .ground { fill: #fbfaf7 } .room { fill: #ffffff; stroke: #44403a; stroke-width: 2 }
  .roof { fill: #e9dccb; stroke: #44403a; stroke-width: 2; stroke-linejoin: round }
  .floor1 { fill: #e4ecf4 } .floor2 { fill: #e6f0e6 } .floor3 { fill: #f4ead9 } .floor4 { fill: #f7e6e3 }
  .name { font: 600 19px system-ui, sans-serif; fill: #23201c }
  .what { font: 14px system-ui, sans-serif; fill: #4b463f }
  .note { font: 14px system-ui, sans-serif; fill: #6a645b } .line { stroke: #8a5a2b; stroke-width: 2; fill: none }
  .file { fill: #ffffff; stroke: #8a5a2b; stroke-width: 1.5 } .arrow { fill: #8a5a2b }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #1b1d20 } .room { fill: #26292e; stroke: #b9b3a8 } .roof { fill: #4a3d2c; stroke: #b9b3a8 }
    .floor1 { fill: #23303d } .floor2 { fill: #243528 } .floor3 { fill: #3a3222 } .floor4 { fill: #3d2927 }
    .name { fill: #f2efe9 } .what { fill: #cfc9be } .note { fill: #aaa498 } .line { stroke: #d9a066 }
    .file { fill: #26292e; stroke: #d9a066 } .arrow { fill: #d9a066 }
  }
"""
ROOMS = (
    ("curation", ("pool to problems;", "release")),
    ("annotation", ("people review", "in Label Studio")),
    ("eval", ("released split", "to scores")),
    ("examples", ("self-written", "problems")),
)
FLOORS = (
    (3, "render", "problems to pictures: formulas, layout, marks, the legibility gate"),
    (2, "models", "who answers: clients, call store, budgets, prompts, embedders, reading of answers"),
    (1, "schemas", "what things are: records, versions, jobs, taxonomy, recipe, workspace, images"),
)
FILES = ("pool", "selection", "proposals", "reviews", "problems", "renders", "release", "runs")


def text(x: float, y: float, said: str, look: str, anchor: str = "middle") -> str:
    """One line of words."""
    return f'<text x="{x:g}" y="{y:g}" class="{look}" text-anchor="{anchor}">{said}</text>'


def box(x: float, y: float, width: float, height: float, look: str, radius: int = 0) -> str:
    """One rectangle."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius}" class="{look}"/>'


def svg() -> str:
    """The whole picture."""
    middle = (LEFT + RIGHT) / 2
    parts = [
        box(0, 0, WIDTH, HEIGHT, "ground", 10),
        f'<path class="roof" d="M{LEFT - 40} 136 L{middle} 20 L{RIGHT + 40} 136 Z"/>',
        text(middle, 88, "cli", "name"),
        text(middle, 112, "the commands; nobody imports it", "what"),
        text(60, 114, "5", "note"),
    ]
    parts += _rooms(136, 110) + _floors(246, 62) + _files(490)
    parts.append(
        text(middle, 620, "Rooms of floor 4 do not know each other: they meet through these files.", "note")
    )
    title = (
        "Five floors: schemas, models, render, four rooms (curation, annotation, eval, examples), "
        "and the commands as the roof"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def _rooms(top: float, height: float) -> list[str]:
    width = (RIGHT - LEFT) / len(ROOMS)
    parts = [text(60, top + height / 2 + 5, "4", "note")]
    for number, (name, lines) in enumerate(ROOMS):
        x = LEFT + number * width
        parts += [box(x, top, width, height, "room floor4"), text(x + width / 2, top + 38, name, "name")]
        parts += [text(x + width / 2, top + 64 + 20 * n, line, "what") for n, line in enumerate(lines)]
    return parts


def _floors(top: float, height: float) -> list[str]:
    parts = []
    for number, (floor, name, what) in enumerate(FLOORS):
        y = top + number * height
        parts += [
            box(LEFT, y, RIGHT - LEFT, height, f"room floor{floor}"),
            text((LEFT + RIGHT) / 2, y + 27, name, "name"),
            text((LEFT + RIGHT) / 2, y + 48, what, "what"),
            text(60, y + height / 2 + 5, str(floor), "note"),
        ]
    x, bottom = 862, top + len(FLOORS) * height
    parts += [
        f'<path class="line" d="M{x} 150 V{bottom - 14}"/>',
        f'<path class="arrow" d="M{x - 7} {bottom - 16} h14 l-7 14 Z"/>',
        f'<text x="{x + 20}" y="{(150 + bottom) / 2}" class="note" text-anchor="middle" '
        f'transform="rotate(90 {x + 20} {(150 + bottom) / 2})">imports go down only</text>',
    ]
    return parts


def _files(top: float) -> list[str]:
    step, width = 105, 88
    first = (WIDTH - step * (len(FILES) - 1) - width) / 2
    parts = [text(WIDTH / 2, top - 14, "the workspace: one folder, one writer a file", "note")]
    for number, name in enumerate(FILES):
        x = first + number * step
        parts += [
            f'<path class="file" d="M{x:g} {top} h{width - 18} l18 18 v62 h-{width} Z"/>',
            text(x + width / 2, top + 50, name, "what"),
        ]
        if number + 1 < len(FILES):
            parts.append(f'<path class="arrow" d="M{x + width + 3:g} {top + 38} l11 6 l-11 6 Z"/>')
    return parts


def made(docs: Path) -> dict[Path, str]:
    """The picture, by its path."""
    return {docs / "static" / "house.svg": svg()}
