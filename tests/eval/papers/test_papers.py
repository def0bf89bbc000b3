"""The papers' published rows: re-entered without a slip, contradictions found, never beside ours."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from benchwright.eval.display.tables import table_csv, table_markdown
from benchwright.eval.papers.paper_checks import Check, Inconsistency, counts_by_check, inconsistencies
from benchwright.eval.papers.paper_tables import MARK, paper_table, papers_markdown
from benchwright.eval.papers.printed import ALL, REPORTED, PaperTable, published, subject_sizes

FOUND = inconsistencies(published())


def table(name: str) -> PaperTable:
    return next(one for one in published() if one.name == name)


def found(check: Check, name: str, model: str, column: str | None = None) -> list[Inconsistency]:
    return [
        one
        for one in FOUND
        if (one.check, one.table, one.model) == (check, name, model) and column in (None, one.column)
    ]


def test_published_subject_sizes_make_up_a_thousand_questions() -> None:
    assert {name: sum(sizes.values()) for name, sizes in subject_sizes().items()} == {
        "mathematics": 1000,
        "physics": 1000,
        "chemistry": 1000,
    }
    assert subject_sizes()["physics"]["modern-physics"] == 21


def test_the_weighted_subjects_are_not_all() -> None:
    """VisScience, Table 3: ChatGPT's subjects give 17.9 where 22.40 is printed, GPT-4's 26.5 where 25.90 is."""
    (chatgpt,) = found("subjects-to-all", "visscience-3", "Zero-shot ChatGPT")
    assert (chatgpt.printed, chatgpt.expected, chatgpt.column) == ("22.40", "17.897", ALL)
    (gpt4,) = found("subjects-to-all", "visscience-3", "Zero-shot GPT-4")
    assert (gpt4.printed, gpt4.expected[:4]) == ("25.90", "26.4")
    assert chatgpt.detail == "45.0 of 1,000 questions apart"


def test_shares_that_no_whole_number_of_questions_gives() -> None:
    """VisScience, Table 7: modern physics has 21 questions, yet a column holds shares of 19, 20 and 16."""
    column = "modern-physics"
    shares = {
        one.printed: one.detail
        for one in FOUND
        if (one.check, one.table, one.column) == ("not-k-of-n", "visscience-7", column)
    }
    assert shares == {
        "5.26": "of 21 questions; it would be 1 of 19",
        "15.00": "of 21 questions; it would be 3 of 20",
        "35.00": "of 21 questions; it would be 7 of 20",
        "31.25": "of 21 questions; it would be 5 of 16",
    }
    assert not found("not-k-of-n", "visscience-7", "Claude3.5-Sonnet", column), "66.67 is 14 of 21"


def test_tables_that_print_two_figures_for_one_thing() -> None:
    (only,) = [one for one in FOUND if one.check == "table-to-table"]
    assert (only.model, only.table, only.printed, only.expected) == (
        "GLM-4V-9B",
        "visscience-3",
        "14.70",
        "24.7",
    )


def test_means_of_knowledge_and_logic_and_of_five_versions() -> None:
    """SciVerse, Table 2."""
    (xc2,) = found("mean-of-k-and-l", "sciverse-2", "InternLM-XC2. (7B)")
    assert (xc2.column, xc2.printed, xc2.expected) == ("vision-only Sci-CoT", "37.8", "47.90")
    (minigpt,) = found("mean-of-k-and-l", "sciverse-2", "MiniGPT-v2 (7B)")
    assert (minigpt.printed, minigpt.expected) == ("30.3", "25.80")
    assert not found("mean-of-k-and-l", "sciverse-2", "GPT-4V", "knowledge-rich Sci-CoT"), (
        "72.3 and 39.3: 55.8"
    )
    assert not found("mean-of-five", "sciverse-2", "GPT-4o", "all Acc")
    (gpt4o,) = found("mean-of-five", "sciverse-2", "GPT-4o", "all Sci-CoT")
    assert (gpt4o.printed, gpt4o.expected) == ("66.7", "67.08")


def test_a_baseline_is_no_share_of_questions() -> None:
    assert not [one for one in FOUND if one.model == "Random Chance"]


def test_they_stand_in_a_table_of_their_own_as_printed_and_marked() -> None:
    shown = paper_table(table("visscience-7"), FOUND)
    assert REPORTED in shown.title
    text = table_markdown(shown)
    (line,) = [line for line in text.splitlines() if line.startswith("| LLaVA-1.5-7B |")]
    assert line.rstrip(" |").endswith(f"5.26 {MARK}") and "13.50 ‡" in line
    assert "modern-physics: n" in table_csv(shown).splitlines()[0]
    page = papers_markdown(["visscience-2", "visscience-3"])
    assert page.index("not ranked") < page.index("| Zero-shot ChatGPT")
    assert "17.897" in page and "visscience-7" not in page
    assert sum(counts_by_check(FOUND).values()) == len(FOUND)


def test_every_figure_is_entered_as_the_shared_tables_have_it() -> None:
    folder = (
        Path(os.environ.get("BENCHWRIGHT_SHARED", Path(__file__).resolve().parents[4] / "shared")) / "papers"
    )
    if not folder.is_dir():
        pytest.skip("the shared data (BENCHWRIGHT_SHARED) is not there")
    ours: dict[tuple[str, str], list[str]] = {}
    for one in published():
        for row in one.rows:
            for column, value in row.values.items():
                ours.setdefault((one.name, column), []).append(value)
    theirs: dict[tuple[str, str], list[str]] = {}
    with (folder / "visscience_results.csv").open(encoding="utf-8") as stream:
        for line in csv.DictReader(stream):
            column = line["subject"].replace(" ", "-")
            if line["table"] in ("2", "6"):
                column = line["discipline"]
            theirs.setdefault((f"visscience-{line['table']}", column), []).append(line["accuracy"])
    with (folder / "sciverse_results.csv").open(encoding="utf-8") as stream:
        for line in csv.DictReader(stream):
            theirs.setdefault(("sciverse-2", f"{line['version']} {line['metric']}"), []).append(line["score"])
    # SciVerse's file lists models group by group, the package does too: the same figures in the same order.
    assert {key: sorted(values) for key, values in ours.items()} == {k: sorted(v) for k, v in theirs.items()}
    assert sum(map(len, ours.values())) == 1020 + 358
    assert {key: values for key, values in ours.items() if key[0] != "sciverse-2"} == {
        key: values for key, values in theirs.items() if key[0] != "sciverse-2"
    }
