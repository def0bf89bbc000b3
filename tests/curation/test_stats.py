"""Statistics: lengths in characters and words, distributions, figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from benchwright.cli.curate import curate
from benchwright.curation.stats import NONE, Stats, statistics
from benchwright.curation.stats_items import Item, Said, items_of
from benchwright.curation.stats_lengths import Tally, characters, words
from benchwright.curation.stats_page import length_rows, rows_of, write_statistics
from benchwright.schemas.errors import UsageError
from benchwright.schemas.workspace import Workspace


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("A 10-kg box slides down.", 5),
        ("Find $x$ if x = 2 , please", 6),
        ("求电流", 3),
        ("质量为 2 kg，求 F=ma 中的力。", 10),
        ("--- ... ，。", 0),
    ],
)
def test_words_are_runs_with_a_letter_and_single_chinese_characters(text: str, expected: int) -> None:
    assert words(text) == expected
    assert characters(text) == len(text)


def test_the_last_bar_holds_everything_longer() -> None:
    tally = Tally(10)
    for length in (0, 9, 10, 100_000):
        tally.add(length)
    found = tally.length()
    assert (found.n, found.mean, found.maximum) == (4, 25004.75, 100_000)
    assert found.histogram == {0: 2, 10: 1, 590: 1}


def item(number: int, subject: str | None, level: int | None, language: str = "en", **more: object) -> Item:
    values: dict[str, object] = {
        "item_id": f"q{number}", "discipline": "physics", "subject": subject, "difficulty": level,
        "question_type": "single-choice", "source": "S", "split": None, "points": ("A/B",) if number else (),
        "images": ("i",), "solution": number == 0, "options": 2,
        "texts": (Said(language, "", "two words", "A. one\nB. two", "A"),), **more,
    }  # fmt: skip
    return Item(**values)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def figures() -> Stats:
    items = [item(0, "optics", 1), item(1, "optics", 3), item(2, None, None), item(3, "力学与运动", 3, "zh")]
    return statistics("pool", items)


def test_table_1_counts_with_and_without_options(figures: Stats) -> None:
    assert (figures.items, figures.images, figures.unique_images, figures.with_image) == (4, 4, 1, 4)
    assert (figures.unique_questions, figures.unique_answers, figures.with_solution) == (1, 1, 1)
    english = next(text for text in figures.texts if text.language == "en")
    assert english.question.characters.mean == 9 and english.question.words.mean == 2
    assert english.question_with_options.characters.mean == 23
    assert english.question_with_options.words.maximum == 6 and english.most_options == 2
    assert ("question with options words, mean", "zh", 6.0) in length_rows(figures)


def test_distributions_add_up(figures: Stats) -> None:
    assert figures.by_subject == {NONE: 1, "physics/optics": 2, "physics/力学与运动": 1}
    assert figures.flows == {
        "physics": {NONE: {NONE: 1}, "1": {"optics": 1}, "3": {"optics": 1, "力学与运动": 1}}
    }
    assert (figures.points.distinct, figures.points.once, figures.points.items_without) == (1, 0, 1)
    assert (figures.points.most, figures.points.frequencies) == ({"A/B": 3}, {"2-3": 1})
    shown = rows_of(figures)
    assert ("level", "3", 2) in shown and ("knowledge point", "A/B", 3) in shown


def test_rows_of_one_problem_are_one_item_with_many_texts() -> None:
    versions = [
        item(1, "optics", 1, texts=(Said("en", version, "x" * length, "", "A"),))
        for version, length in (("knowledge-free", 30), ("vision-only", 0))
    ]
    figures = statistics("release", versions)
    assert (figures.items, figures.by_version) == (1, {"knowledge-free": 1, "vision-only": 1})
    assert {t.version: t.question.characters.maximum for t in figures.texts} == {
        "knowledge-free": 30,
        "vision-only": 0,
    }


def test_figures_and_page_are_the_same_each_time(figures: Stats, tmp_path: Path) -> None:
    page = write_statistics(figures, tmp_path / "one")
    write_statistics(figures, tmp_path / "two")
    names = sorted(path.name for path in page.parent.iterdir())
    drawn = ("levels-physics", "lengths-characters", "lengths-words", "points", "ring", "subjects-physics")
    assert names == sorted([*(f"{name}.png" for name in drawn), "stats.html", "stats.json"])
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
        if name.endswith(".png"):
            with Image.open(page.parent / name) as picture:
                assert picture.convert("L").getextrema()[0] < 120  # something was drawn
            assert name in page.read_text(encoding="utf-8")
    assert Stats.model_validate_json((page.parent / "stats.json").read_bytes()) == figures


def test_a_selection_is_counted_by_the_values_it_was_chosen_for(selected: Workspace) -> None:
    what, items = items_of(selected, "selection")
    figures = statistics(what, items)
    assert (what, figures.items, figures.by_discipline) == ("selection", 12, {"chemistry": 6, "physics": 6})
    assert NONE not in figures.by_subject and NONE not in figures.by_difficulty
    assert figures.estimated["subject"] == 12
    with pytest.raises(UsageError, match="no release v"):
        items_of(selected, "release")


def test_nothing_selected_is_a_sentence(workspace: Workspace) -> None:
    with pytest.raises(UsageError, match="curate cluster"):
        items_of(workspace, "selection")


def test_the_command_prints_a_table_and_writes_a_folder(selected: Workspace, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["stats", "--of", "selection", "--workspace", str(selected.root), "--out", str(out)]
    done = CliRunner().invoke(curate, arguments)
    assert done.exit_code == 0, done.output
    assert "question with options words, mean" in done.stdout and (out / "stats.html").is_file()
    as_json = CliRunner().invoke(curate, ["stats", "--workspace", str(selected.root), "--json"])
    assert json.loads(as_json.stdout)["of"] == "pool"
    mapped = CliRunner().invoke(
        curate, ["map", "--discipline", "physics", "--workspace", str(selected.root), "--json"]
    )
    assert mapped.exit_code == 0 and json.loads(mapped.stdout)["physics"]["items"] == 12
