"""The plan: what cells can show, and that its figures follow from recipe, selection and stated assumptions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchwright.cli.curate import curate
from benchwright.curation.plan import make_plan, markdown
from benchwright.curation.plan_assumptions import Assumptions
from benchwright.curation.plan_power import (
    exact_power,
    formula_difference,
    problems_needed,
    smallest_difference,
)
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Question
from benchwright.schemas.tables import write_records
from benchwright.schemas.workspace import Workspace


@pytest.mark.parametrize(
    ("n", "alike", "different"),
    [(21, 22, 32), (48, 15, 22), (143, 9.0, 12.7), (1000, 3.4, 4.8), (3000, 2.0, 2.8)],
)
def test_the_formula_gives_the_figures_of_the_research(n: int, alike: float, different: float) -> None:
    digits = 0 if n < 100 else 1
    assert round(100 * formula_difference(n, 0.15), digits) == alike
    assert round(100 * formula_difference(n, 0.30), digits) == different


@pytest.mark.parametrize(
    ("n", "shows"), [(0, (False, False)), (21, (False, False)), (48, (False, True)), (143, (True, True))]
)
def test_no_difference_is_promised_beyond_what_is_discordant(n: int, shows: tuple[bool, bool]) -> None:
    found = (smallest_difference(n, 0.15), smallest_difference(n, 0.30))
    assert tuple(value is not None for value in found) == shows
    assert all(value is None or value <= share for value, share in zip(found, (0.15, 0.30), strict=True))


@pytest.mark.parametrize("n", [143, 400, 1000])
@pytest.mark.parametrize("discordant", [0.15, 0.30])
def test_the_exact_test_finds_that_difference_about_as_often(n: int, discordant: float) -> None:
    difference = smallest_difference(n, discordant)
    assert difference is not None
    assert 0.75 <= exact_power(n, difference, discordant) <= 0.82
    assert exact_power(n, difference / 2, discordant) < 0.4
    assert problems_needed(difference, discordant) in (n, n + 1)


def test_more_problems_show_smaller_differences() -> None:
    found = [smallest_difference(n, 0.3) or 1.0 for n in range(60, 2000, 37)]
    assert found == sorted(found, reverse=True)


def test_a_fresh_recipe_is_planned_by_budgets_and_equal_shares(
    make_workspace: Callable[..., Workspace],
) -> None:
    plan = make_plan(make_workspace(name="fresh"))
    cells = {(cell.by, cell.discipline, cell.value): cell for cell in plan.cells}
    assert plan.problems == cells["all", "", ""].problems == 3000
    assert cells["all", "", ""].smallest == {"0.15": 2.0, "0.30": 2.8}
    assert cells["discipline", "physics", "physics"].smallest == {"0.15": 3.4, "0.30": 4.8}
    optics = cells["subject", "physics", "optics"]
    assert (optics.problems, optics.basis) == (125, "equal-shares")
    assert cells["level", "", "3"].problems == 600
    assert cells["version", "", "vision-rich"].basis == "assumption"
    assert cells["language", "", "zh"].problems == 3000  # the same problems: no second observation
    work = {one.job: one for one in plan.work}
    assert work["tagging"].tasks == 2 * 3300 and work["tagging"].hours == 110.0
    assert plan.hours == round(sum(one.hours for one in plan.work), 1)
    assert plan.weeks == round(plan.hours / 40, 1)
    assert not plan.money.known


def test_quotas_assumptions_and_prices_decide(make_workspace: Callable[..., Workspace]) -> None:
    recipe = """
[models.default]
model = "openai/some"
[prices."openai/some"]
input = 1.0
output = 2.0
source = "test"
date = 2026-01-01
"""
    workspace = make_workspace(recipe, name="own", disciplines=("physics",))
    path = workspace.root / "benchwright.toml"
    text = path.read_text().replace(
        "[selection]", "[selection]\nsubjects = { physics = { optics = 0.021, mechanics = 500 } }"
    )
    path.write_text(text)
    workspace = Workspace.find(workspace.root)
    plan = make_plan(workspace, overrides=["people.slots=1", "minutes.tagging=3"], model="openai/some")
    cells = {(cell.by, cell.value): cell for cell in plan.cells}
    assert (cells["subject", "optics"].problems, cells["subject", "optics"].basis) == (21, "quota")
    assert cells["subject", "optics"].smallest == {"0.15": None, "0.30": None}
    assert cells["subject", "mechanics"].problems == 500
    work = {one.job: one for one in plan.work}
    assert work["tagging"].tasks == 1100 and work["tagging"].hours == 55.0
    assert "adjudication" not in work
    assert plan.money.known
    answers = next(one for one in plan.asked if one.job == "answers")
    assert float(answers.money.usd) == pytest.approx((answers.input.likely + 2 * answers.output) / 1e6)
    assert plan.own_assumptions == ("people.slots", "minutes.tagging")
    assert "| subject | physics / optics | 21 | - | - | quota |" in markdown(plan)


def test_tokens_are_counted_on_the_pool(make_workspace: Callable[..., Workspace]) -> None:
    workspace = make_workspace(name="pool", disciplines=("physics",))
    before = {one.job: one.input.likely for one in make_plan(workspace).asked}
    question = Question.model_validate(
        {
            "id": "q",
            "source": "s",
            "source_license": "CC0-1.0",
            "source_row": "{}",
            "discipline": "physics",
            "language": "en",
            "texts": {"en": {"question": "Find the force on the charge. " * 400, "answer": "1"}},
            "question_type": "free-form",
        }
    )
    write_records(workspace.pool("physics"), [question], Question)
    after = {one.job: one.input.likely for one in make_plan(workspace).asked}
    assert after["tagging"] > 2 * before["tagging"]
    assert after["answers"] > 2 * before["answers"]


@pytest.mark.parametrize(
    ("override", "words"),
    [("people.slots=x", "no number"), ("people.luck=1", "no assumption"), ("a", "no assumption")],
)
def test_bad_assumptions_are_named(override: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Assumptions.read([override])


def test_the_command_writes_a_page_and_json(make_workspace: Callable[..., Workspace], tmp_path: Path) -> None:
    workspace = make_workspace(name="cli", disciplines=("physics", "chemistry"))
    page = tmp_path / "plan.md"
    arguments = [
        "plan",
        "--workspace",
        str(workspace.root),
        "--discipline",
        "physics",
        "--out",
        str(page),
        "--json",
    ]
    result = CliRunner().invoke(curate, arguments)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["problems"] == 1000
    assert page.read_text().startswith("# Plan of test")
    result = CliRunner().invoke(
        curate, ["plan", "--workspace", str(workspace.root), "--discipline", "biology"]
    )
    assert isinstance(result.exception, UsageError)
