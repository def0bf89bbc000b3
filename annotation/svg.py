"""Text with formulas -> HTML for a review page. Formulas are drawn as inline SVG by the renderer's own engines.

Label Studio's page drops the root sign from MathML and shows LaTeX as source; SVG shows what will be burnt into images.
"""

from __future__ import annotations

import html
import xml.etree.ElementTree as ElementTree
from functools import lru_cache

from benchwright.render.font import load_font
from benchwright.render.formula import Drawing, Typesetter, make_typesetter
from benchwright.render.segment import Break, Math, Segment, Text, segment
from benchwright.render.table import Table
from benchwright.schemas.errors import ItemError

_RULE = {"stroke": "currentColor", "stroke-width": "50", "fill": "none"}
"""What a style sheet says of table rules elsewhere; here it must stand on the element."""
_WIDE = 20.0
"""Width in em from which a formula stands on a line of its own, where it can be scrolled; two columns leave 22."""
_HREFS = ("href", "{http://www.w3.org/1999/xlink}href")


def text_html(text: str) -> str:
    """Escaped text with its formulas drawn, its tables and its line breaks.

    What no engine can draw is shown as marked source: a reviewer must see that it is there.
    """
    try:
        # A browser has glyphs for everything, so only what is written as mathematics becomes a drawing.
        segments = segment(text, lambda char: True).segments
    except ItemError as error:
        return _fault(text, str(error))
    return "".join(_segment_html(part) for part in segments)


def formula_svg(tex: str, display: bool = False) -> str:
    """One formula as a self-contained `<svg>` that sits on the baseline of the text around it.

    Raises:
        ItemError: as `Typesetter.drawing`.
    """
    return _drawn(tex, display)[0]


def _segment_html(part: Segment) -> str:
    if isinstance(part, Text):
        return html.escape(part.text, quote=True)
    if isinstance(part, Break):
        return "<br>"
    if isinstance(part, Table):
        return _table_html(part)
    return _math_html(part)


def _math_html(part: Math) -> str:
    try:
        drawn, width = _drawn(part.tex, part.display)
    except ItemError as error:
        return _fault(part.tex, str(error))
    return f'<span class="bw-display">{drawn}</span>' if part.display or width > _WIDE else drawn


def _table_html(table: Table) -> str:
    rows = []
    for row in table.rows:
        cells = [f'<td colspan="{cell.span}">{text_html(cell.text)}</td>' for cell in row]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return f'<table class="bw-table"><tbody>{"".join(rows)}</tbody></table>'


def _fault(source: str, why: str) -> str:
    return f'<code class="bw-fault" title="{html.escape(why, quote=True)}">{html.escape(source)}</code>'


@lru_cache(maxsize=4000)  # an option, a proposal and a preview often hold the same formula
def _drawn(tex: str, display: bool) -> tuple[str, float]:
    """A formula and its width in em."""
    drawing = _typesetter().drawing(tex, display)
    return _svg(drawing), drawing.width


@lru_cache(maxsize=1)
def _typesetter() -> Typesetter:
    return make_typesetter(load_font())


def _svg(drawing: Drawing) -> str:
    """Paths only: pages strip `<use>`, and ids of two formulas could meet."""
    root = ElementTree.fromstring(
        f'<svg xmlns:xlink="http://www.w3.org/1999/xlink">{drawing.body}</svg>',
    )
    shapes = {str(element.get("id")): element for element in root.iter() if element.get("id")}
    _inline_uses(root, shapes)
    for element in root.iter():
        if element.get("data-line") is not None or element.get("data-frame") is not None:
            element.attrib.update(_RULE)
        for name in [name for name in element.attrib if name.startswith("data-") or name == "id"]:
            del element.attrib[name]
    height = drawing.ascent + drawing.descent
    root.attrib.update(
        {
            "class": "bw-math",
            "width": f"{drawing.width:.3f}em",
            "height": f"{height:.3f}em",
            "viewBox": f"0 {-drawing.ascent * 1000:.0f} {drawing.width * 1000:.0f} {height * 1000:.0f}",
            "style": f"vertical-align:{-drawing.descent:.3f}em;overflow:visible",
        }
    )
    return ElementTree.tostring(root, encoding="unicode")


def _inline_uses(parent: ElementTree.Element, shapes: dict[str, ElementTree.Element]) -> None:
    for place, child in enumerate(list(parent)):
        if child.tag == "defs":
            parent.remove(child)
            _inline_uses(parent, shapes)
            return
        if child.tag == "use":
            target = next(child.get(name) for name in _HREFS if child.get(name))
            shape = shapes[str(target).removeprefix("#")]
            kept = {name: value for name, value in child.attrib.items() if name not in _HREFS}
            x, y = kept.pop("x", "0"), kept.pop("y", "0")
            if (x, y) != ("0", "0"):
                kept["transform"] = f"{kept.get('transform', '')} translate({x} {y})".strip()
            group = ElementTree.Element("g", kept)
            group.append(ElementTree.Element(shape.tag, {k: v for k, v in shape.attrib.items() if k != "id"}))
            group.tail = child.tail
            parent[place] = group
        else:
            _inline_uses(child, shapes)
