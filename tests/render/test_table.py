from __future__ import annotations

import pytest

from benchwright.render.font import load_font
from benchwright.render.layout import Setter
from benchwright.render.segment import Segment, Text, segment
from benchwright.render.table import Cell, Table
from benchwright.schemas.errors import ItemError


def split(text: str) -> list[Segment]:
    return segment(text, load_font().__contains__).segments


def only_table(text: str) -> Table:
    tables = [item for item in split(text) if isinstance(item, Table)]
    assert len(tables) == 1
    return tables[0]


LATEX = (
    r"\begin{tabular}{|c|c|c|}\hline \multirow{2}{*}{a} & \multicolumn{2}{c|}{b} \\ \cline{2-3} & c & d \\ \hline "
    r"e & f & g \\ \hline\end{tabular}"
)
HTML = (
    "<table border=1><thead><tr><th rowspan='2'>a</th><th colspan=2>b</th></tr></thead>"
    "<tr><td>c</td><td>d</td></tr><tr><td>e<td>f<td>g</table>"
)


@pytest.mark.parametrize("source", [LATEX, HTML], ids=["latex", "html"])
def test_spans_mean_the_same_in_latex_and_html(source: str) -> None:
    table = only_table(f"See {source} now.")
    assert table.columns == 3
    assert table.rows == (
        (Cell("a", rows=2), Cell("b", span=2)),
        (Cell("c"), Cell("d")),
        (Cell("e"), Cell("f"), Cell("g")),
    )
    assert [[column for column, _ in row] for row in table.places()] == [[0, 1], [1, 2], [0, 1, 2]]


def test_text_around_a_table_stays() -> None:
    words = [item.text.strip() for item in split(f"before {HTML} after") if isinstance(item, Text)]
    assert words == ["before", "after"]


def test_html_cells_keep_scripts_entities_and_lines() -> None:
    table = only_table("<TABLE><TR><TD>H<sub>2</sub>O &lt; 5<br/>x &amp; y</TD></TR></TABLE>")
    assert table.rows == ((Cell("H<sub>2</sub>O &lt; 5\nx &amp; y"),),)


def test_markdown_needs_no_bars_at_the_ends() -> None:
    plain = only_table("Trial | m\n--- | :-:\n1 | 2 \\| 3\n2 | A & B")
    barred = only_table("| Trial | m |\n|---|:-:|\n| 1 | 2 \\| 3 |\n| 2 | A & B |")
    assert plain == barred
    assert plain.rows[1][1] == Cell("2 | 3")
    assert plain.rows[2][1] == Cell(r"A \& B")


@pytest.mark.parametrize("text", ["|x| - |y|", "a | b\nc | d", "P(A|B)\n---\nnext", "|a|\n|-|"])
def test_bars_alone_make_no_table(text: str) -> None:
    assert not [item for item in split(text) if isinstance(item, Table)]


def test_cells_may_hold_formulas_with_lines_and_ampersands() -> None:
    table = only_table(
        r"\begin{tabular}{|l|l|} A & $\begin{array}{l} x & y \\ z \end{array}$ \\ \hlineB & 5 \& 6 \\ \end{tabular}"
    )
    assert table.rows == (
        (Cell("A"), Cell(r"$\begin{array}{l} x & y \\ z \end{array}$")),
        (Cell("B"), Cell(r"5 \& 6")),
    )


def test_an_array_with_spans_is_a_table_of_formulas() -> None:
    table = only_table(r"$\begin{array}{cc}\multicolumn{2}{c}{x^2} \\ a & b\end{array}$")
    assert table.rows == ((Cell("$x^2$", span=2),), (Cell("$a$"), Cell("$b$")))


def test_wrappers_of_a_page_of_its_own_are_left_out() -> None:
    table = only_table(r"\begin{center}\begin{tabular}{c}1\end{tabular}\end{center}Find it.")
    assert table.rows == ((Cell("1"),),)


@pytest.mark.parametrize(
    "source",
    [
        "<table></table>",
        "<table><tr><td>1",
        "</table>",
        "<table><tr><td><table><tr><td>1</td></tr></table></td></tr></table>",
        "<table><tr><td><img src='a.png'></td></tr></table>",
        "<table>stray<tr><td>1</td></tr></table>",
        r"\begin{tabular}{c}\multirow{2}{*}{a} \\ b\end{tabular}",
        r"\begin{tabular}{c}\begin{tabular}{cc}1 & 2\end{tabular}\end{tabular}",
        r"\begin{tabular}{c}a \multirow{2}{*}{b}\end{tabular}",
        r"\begin{tabular}{c}" + r"&" * 30 + r"\end{tabular}",
    ],
)
def test_tables_that_cannot_be_drawn_are_refused(source: str) -> None:
    with pytest.raises(ItemError) as caught:
        split(source)
    assert caught.value.reason == "table"


def test_a_spanning_cell_has_no_rule_inside_and_all_text_stays_in_its_cell(setter: Setter) -> None:
    block = setter.set(LATEX, 800)
    assert [line.text for line in block.lines] == ["a", "b", "c", "d", "e", "f", "g"]
    tall = block.lines[0]
    for rule in block.rules:
        for line in block.lines:
            apart_x = line.x + line.width <= rule.x or rule.x + rule.width <= line.x
            apart_y = line.y + line.height <= rule.y or rule.y + rule.height <= line.y
            assert apart_x or apart_y, (rule, line)
    first, second = block.lines[1], block.lines[2]
    assert first.y < tall.y + tall.height // 2 < second.y + second.height


def test_a_tall_cell_makes_room_for_itself(setter: Setter) -> None:
    block = setter.set(
        "<table><tr><td rowspan=2>" + "one<br>" * 6 + "</td><td>x</td></tr><tr><td>y</td></tr></table>", 600
    )
    bottom = max(rule.y + rule.height for rule in block.rules)
    assert max(line.y + line.height for line in block.lines) <= bottom == block.height
