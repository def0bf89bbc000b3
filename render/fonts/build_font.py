"""Build the bundled text font, `BenchwrightSerif-Regular.otf`, from Noto Serif CJK SC Medium.

    python render/fonts/build_font.py --source NotoSerifCJK-Medium.ttc --ucd ucd.all.grouped.xml

`--source` is the collection of Debian's package fonts-noto-cjk-extra (SIL OFL 1.1): its Medium weight is as dark as
the formula fonts, beside which Regular looks pale; `--ucd` is the Unicode Character
Database in XML, whose field kTGH names the 8,105 characters of the Table of General Standard Chinese Characters
(2013). Same inputs give the same bytes. The OFL asks derivatives for a name of their own, hence "Benchwright Serif".
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from fontTools import subset
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTCollection, TTFont

FAMILY = "Benchwright Serif"
POSTSCRIPT = "BenchwrightSerif-Regular"
FACE = 2
"""Index of the Simplified Chinese face inside the collection."""

QUOTES = "‘’“”"
_QUOTE_AIR = 45
"""Blank on each side of a narrow quotation mark, in font units."""

BLOCKS: tuple[tuple[int, int], ...] = (
    (0x0020, 0x007E),  # ASCII
    (0x00A0, 0x024F),  # Latin-1, Latin Extended
    (0x0250, 0x02AF),  # phonetic letters
    (0x02B0, 0x036F),  # modifiers, combining marks
    (0x0370, 0x03FF),  # Greek
    (0x0400, 0x045F),  # Cyrillic
    (0x1E00, 0x1EFF),  # more Latin
    (0x2000, 0x214F),  # punctuation, scripts, currency, letterlike
    (0x2150, 0x218F),  # number forms
    (0x2190, 0x23FF),  # arrows, operators, technical
    (0x2460, 0x27BF),  # enclosed, box drawing, geometric, dingbats
    (0x27C0, 0x2BFF),  # more operators and arrows
    (0x3000, 0x33FF),  # CJK punctuation, kana, enclosed, units
    (0xFE30, 0xFE6F),  # compatibility and small forms
    (0xFF00, 0xFFEF),  # full and half width
)


def wanted(ucd: Path, available: set[int]) -> set[int]:
    """Code points of the subset: the symbol blocks, GB2312, Big5 level 1 and the table of 8,105."""
    chosen = {code for first, last in BLOCKS for code in range(first, last + 1)}
    chosen |= _decoded("gb2312", range(0xB0, 0xF8), range(0xA1, 0xFF))
    big5_rows = range(0xA4, 0xC7)
    chosen |= _decoded("big5", big5_rows, [*range(0x40, 0x7F), *range(0xA1, 0xFF)])
    with ucd.open(encoding="utf-8") as stream:
        for line in stream:
            if 'kTGH="' in line and (match := re.search(r'cp="([0-9A-F]+)"', line)):
                chosen.add(int(match[1], 16))
    return chosen & available


def _decoded(codec: str, leads: range, trails: range | list[int]) -> set[int]:
    found: set[int] = set()
    for lead in leads:
        for trail in trails:
            try:
                found.update(map(ord, bytes((lead, trail)).decode(codec)))
            except UnicodeDecodeError:
                continue
    return found


def build(source: Path, ucd: Path, target: Path) -> None:
    """Write the subset font."""
    font = TTCollection(str(source)).fonts[FACE]
    options = subset.Options()
    options.layout_features = ["kern", "liga", "ccmp", "mark", "mkmk"]
    options.hinting = False
    options.name_IDs = ["*"]
    options.notdef_outline = True
    options.drop_tables += ["vhea", "vmtx", "VORG", "BASE", "DSIG"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=sorted(wanted(ucd, set(font.getBestCmap()))))
    subsetter.subset(font)
    narrow_quotes(font)
    _rename(font)
    font["OS/2"].usWeightClass = 400  # the regular weight of a family of its own
    font.recalcTimestamp = False
    font.save(str(target))


def narrow_quotes(font: TTFont) -> None:
    """Give the four curly quotation marks the width of their ink and a little air.

    In the source they fill an em, which tears "isn’t" apart; where Chinese wants an em for them, the layout gives it.
    """
    metrics, glyphs = font["hmtx"], font.getGlyphSet()
    top = font["CFF "].cff.topDictIndex[0]
    for char in QUOTES:
        name = font.getBestCmap()[ord(char)]
        bounds = BoundsPen(glyphs)
        glyphs[name].draw(bounds)
        left, _, right, _ = bounds.bounds
        width = round(right - left) + 2 * _QUOTE_AIR
        old, selected = top.CharStrings.getItemAndSelector(name)
        pen = T2CharStringPen(width - old.private.nominalWidthX, glyphs)
        glyphs[name].draw(TransformPen(pen, (1, 0, 0, 1, _QUOTE_AIR - left, 0)))
        new = pen.getCharString(private=old.private, globalSubrs=old.globalSubrs)
        top.CharStrings[name] = new
        if selected is not None:
            new.fdSelectIndex = selected
        metrics[name] = (width, _QUOTE_AIR)


def _rename(font: TTFont) -> None:
    names = {
        1: FAMILY,
        2: "Regular",
        3: f"{POSTSCRIPT};1",
        4: FAMILY,
        6: POSTSCRIPT,
        16: FAMILY,
        17: "Regular",
    }
    table = font["name"]
    table.names = [
        record
        for record in table.names
        if (record.platformID, record.langID) == (3, 0x409) and record.nameID in {0, 5, 7, 13, 14, *names}
    ]
    for name_id, text in names.items():
        if any(record.nameID == name_id for record in table.names) or name_id < 7:
            table.setName(text, name_id, 3, 1, 0x409)
    cff = font["CFF "].cff
    cff.fontNames = [POSTSCRIPT]
    top = cff.topDictIndex[0]
    top.FullName = FAMILY
    top.FamilyName = FAMILY


def main() -> None:
    """Command line of the build."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--ucd", type=Path, required=True)
    parser.add_argument("--target", type=Path, default=Path(__file__).with_name(f"{POSTSCRIPT}.otf"))
    arguments = parser.parse_args()
    build(arguments.source, arguments.ucd, arguments.target)


if __name__ == "__main__":
    main()
