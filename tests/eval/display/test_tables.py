"""One table as Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
import re

from benchwright.eval.display.tables import (
    Column,
    Line,
    Table,
    Value,
    plain_table,
    table_csv,
    table_latex,
    table_markdown,
)

TABLE = Table(
    name="sciverse-2-en",
    title="Accuracy, %, 力学 & more",
    label_columns=("model",),
    columns=(
        Column(name="ALL"),
        Column(name="Acc", group="vision_only"),
        Column(name="Sci-CoT_K", group="vision_only"),
    ),
    lines=(
        Line(
            labels=("=cmd|' /C calc'!A0",),
            values=(
                Value(percent=61.05, n=19, n_total=20, low=40.0, high=80.0, incomplete=True),
                Value(percent=None, n=0, n_total=5),
                None,
            ),
            section="text & pictures",
        ),
        Line(
            labels=("a|b_c",),
            values=(
                Value(percent=22.4, n=None, n_total=None, printed="22.40", mark="‡"),
                Value(percent=50.0, n=4, n_total=4),
                None,
            ),
            section="text & pictures",
        ),
    ),
    notes=("Acc of 50 % & more.",),
)


def test_markdown_shows_one_decimal_a_star_and_what_somebody_else_printed() -> None:
    lines = table_markdown(TABLE).splitlines()
    assert lines[2] == r"| model | ALL | vision_only Acc | vision_only Sci-CoT_K |"
    assert lines[4] == "| *n* | 20 | 4-5 |  |", "how many rows each column is about"
    assert lines[5] == "| *text & pictures* | | | |"
    assert lines[6] == r"| =cmd\|' /C calc'!A0 | 61.0 * | - | - |"
    assert lines[7] == r"| a\|b_c | 22.40 ‡ | 50.0 | - |"
    assert lines[-1] == "- Acc of 50 % & more."


def test_csv_gives_every_figure_its_n_and_runs_no_formula() -> None:
    first, second = csv.DictReader(io.StringIO(table_csv(TABLE)))
    assert (first["ALL"], first["ALL: n"], first["ALL: of"], first["ALL: incomplete"]) == (
        "61.0500",
        "19",
        "20",
        "yes",
    )
    assert (first["ALL: low"], first["ALL: high"]) == ("40.0000", "80.0000")
    assert (first["vision_only Acc"], first["vision_only Acc: n"]) == ("", "0"), (
        "nothing scored, and it says so"
    )
    assert first["vision_only Sci-CoT_K: n"] == "", "the column does not apply"
    assert first["model"].startswith("'=cmd"), "text, not a formula"
    assert second["ALL"] == "22.4000" and second["ALL: n"] == ""


def test_latex_is_a_booktabs_table_with_as_many_cells_in_every_line() -> None:
    text = table_latex(TABLE)
    assert "% holds Chinese" in text and r"\usepackage{booktabs}" in text
    assert r"\begin{tabular}{lrrr}" in text and r"\cmidrule(lr){3-4}" in text
    assert r"\multicolumn{2}{c}{vision\_only}" in text
    body = text.split(r"\toprule")[1].split(r"\bottomrule")[0]
    rows = [line for line in body.splitlines() if line.endswith(r"\\")]
    widths = [
        len(re.split(r"(?<!\\)&", row)) + sum(int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", row))
        for row in rows
    ]
    assert widths == [4] * len(rows) and len(rows) == 6
    assert r"\emph{n} & 20 & 4--5 &  \\" in body
    assert r"61.0$^{*}$" in body and r"22.40 \textdaggerdbl{}" in body and "--" in body
    for name in ("table", "tabular"):
        assert text.count(rf"\begin{{{name}}}") == text.count(rf"\end{{{name}}}") == 1
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")


def test_a_plain_table_escapes_too() -> None:
    assert plain_table(("a", "b|"), [("x\ny", "1 <b>")]).splitlines() == [
        r"| a | b\| |",
        "|---|---:|",
        r"| x y | 1 \<b\> |",
    ]
