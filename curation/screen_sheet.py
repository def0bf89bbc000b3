"""A contact sheet of the pictures that a person should look at: per measure the worst, and the borderline ones."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchwright.curation.screen_codes import Rules
from benchwright.curation.screen_images import ImageMeasures
from benchwright.curation.thumbnails import thumbnail
from benchwright.schemas.workspace import Workspace

_WORST = 12
_BORDER = 6
"""Pictures shown on each side of the threshold."""
_SIDE = 150
"""Longest side of a thumbnail in pixels."""


@dataclass(frozen=True)
class _Measure:
    code: str
    name: str
    value: Callable[[ImageMeasures], float]
    low_is_bad: bool
    shown: str


_MEASURES: tuple[_Measure, ...] = (
    _Measure("image-blank", "Ink share", lambda m: m.ink, True, "{:.2%}"),
    _Measure("image-faint", "Contrast", lambda m: m.contrast, True, "{:.0f}"),
    _Measure("image-blurred", "Sharpness", lambda m: m.sharpness, True, "{:.3f}"),
    _Measure("image-small", "Longer side", lambda m: max(m.width, m.height), True, "{:.0f} px"),
    _Measure("image-thin", "Shorter side", lambda m: min(m.width, m.height), True, "{:.0f} px"),
    _Measure("image-dark", "Ground", lambda m: m.ground, True, "{:.0f}"),
    _Measure("image-cut", "Strokes into the edge", lambda m: m.cut, False, "{:.0f}"),
)


class _Nearest:
    """Keeps the few items with the smallest keys; ties go by digest, so the order of arrival does not matter."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: list[tuple[float, str, ImageMeasures]] = []

    def add(self, key: float, found: ImageMeasures) -> None:
        if len(self._kept) < self._size or (key, found.sha256) < self._kept[-1][:2]:
            self._kept.append((key, found.sha256, found))
            self._kept.sort(key=lambda item: item[:2])
            del self._kept[self._size :]

    def items(self) -> list[ImageMeasures]:
        return [found for _, _, found in self._kept]


class SheetMaker:
    """Collects pictures as they come and holds only those that will be shown."""

    def __init__(self, workspace: Workspace, discipline: str, rules: Rules) -> None:
        self._workspace, self._discipline, self._rules = workspace, discipline, rules
        self._seen = 0
        self._beyond = dict.fromkeys((m.code for m in _MEASURES), 0)
        self._worst = {m.code: _Nearest(_WORST) for m in _MEASURES}
        self._bad = {m.code: _Nearest(_BORDER) for m in _MEASURES}
        self._good = {m.code: _Nearest(_BORDER) for m in _MEASURES}

    def add(self, found: ImageMeasures) -> None:
        """Look at one picture's measures; a blank one has no contrast or sharpness to be shown for."""
        self._seen += 1
        blank = found.ink < self._rules.value("image-blank")
        for measure in _MEASURES[:1] if blank else _MEASURES:
            value, limit = measure.value(found), self._rules.value(measure.code)
            badness = -value if measure.low_is_bad else value
            beyond = value < limit if measure.low_is_bad else value >= limit
            self._worst[measure.code].add(-badness, found)
            side = self._bad if beyond else self._good
            side[measure.code].add(abs(value - limit), found)
            self._beyond[measure.code] += beyond

    def html(self) -> str:
        """The page; pictures are inside it, nothing is loaded from elsewhere."""
        title = f"Pictures of {self._discipline}"
        head = f"<h1>{html.escape(title)}</h1><p>{self._seen:,} pictures were measured.</p>"
        body = "".join(self._section(measure) for measure in _MEASURES) if self._seen else ""
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
            f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head>"
            f"<body><main>{head}{body}</main></body></html>\n"
        )

    def _section(self, measure: _Measure) -> str:
        code = self._rules.codes[measure.code]
        limit = measure.shown.format(code.value)
        side = "below" if measure.low_is_bad else "from"
        parts = [
            f"<h2>{measure.name} <code>{measure.code}</code></h2>",
            f"<p>{html.escape(code.meaning)}: {side} {limit}, {code.severity}; "
            f"{self._beyond[measure.code]:,} of {self._seen:,}.</p>",
        ]
        shown: set[str] = set()
        for name, kept in (
            ("worst", self._worst[measure.code]),
            ("just beyond the threshold", self._bad[measure.code]),
            ("just inside", self._good[measure.code]),
        ):
            fresh = [found for found in kept.items() if found.sha256 not in shown]
            shown.update(found.sha256 for found in fresh)
            if fresh:
                parts.append(f"<h3>{name}</h3><div class=row>{''.join(self._cards(measure, fresh))}</div>")
        return "".join(parts)

    def _cards(self, measure: _Measure, pictures: Sequence[ImageMeasures]) -> Iterator[str]:
        limit = self._rules.value(measure.code)
        for found in pictures:
            value = measure.value(found)
            beyond = value < limit if measure.low_is_bad else value >= limit
            alt = html.escape(
                f"picture {found.sha256[:12]}, {measure.name.lower()} {measure.shown.format(value)}"
            )
            source = thumbnail(self._workspace.read_image(found.sha256), _SIDE)
            yield (
                f'<figure{" class=beyond" if beyond else ""}><img src="{source}" alt="{alt}">'
                f"<figcaption><b>{measure.shown.format(value)}</b> {found.width} x {found.height}<br>"
                f"<code>{found.sha256[:12]}</code></figcaption></figure>"
            )


_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = (
    ":root{--ground:#f6f7f9;--ink:#1c2330;--soft:#505a69;--panel:#fff;--line:#d5dae1;--beyond:#b3261e;"
    "--paper:#eceff3;color-scheme:light}"
    "@media(prefers-color-scheme:dark){:root{--ground:#16181d;--ink:#e8e6e1;--soft:#a2a6b0;--panel:#1f2229;"
    "--line:#363a43;--beyond:#f08d84;--paper:#e4e6ea;color-scheme:dark}}"
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:78rem;padding:0 1rem;color:var(--ink);"
    "background:var(--ground)}h1{font-size:1.5rem}h2{font-size:1.15rem;margin:2.2rem 0 .2rem}"
    "h3{font-size:.9rem;font-weight:600;color:var(--soft);margin:.8rem 0 .4rem}"
    "h2 code{font-size:.8rem;color:var(--soft);margin-left:.5rem}p{margin:.2rem 0}"
    ".row{display:grid;grid-template-columns:repeat(auto-fill,minmax(10.5rem,1fr));gap:.7rem}"
    "figure{margin:0;padding:.6rem;background:var(--panel);border:1px solid var(--line);border-radius:6px;"
    "text-align:center}"
    "figure.beyond{border-color:var(--beyond);border-width:2px;padding:calc(.6rem - 1px)}"
    "img{max-width:100%;width:150px;height:150px;object-fit:scale-down;background:var(--paper)}"
    "figcaption{font-size:.78rem;color:var(--soft)}figcaption b{color:var(--ink)}"
)
