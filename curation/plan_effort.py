"""What a benchmark asks of people and of models: tasks, hours, calls, tokens, money."""

from __future__ import annotations

import math
from collections.abc import Iterable
from importlib import resources
from itertools import islice

from pydantic import NonNegativeFloat, NonNegativeInt

from benchwright.curation.plan_assumptions import Assumptions
from benchwright.models.prices import Money, Price, PriceTable
from benchwright.models.tokens import TokenEstimator, TokenRange
from benchwright.schemas.records import Question, Record
from benchwright.schemas.tables import iter_records
from benchwright.schemas.versions import VERSIONS, Version
from benchwright.schemas.workspace import Workspace

_SAMPLE = 200
"""Questions of the pool of which tokens are counted, evenly spread over it."""
_PROMPTS = {
    "tagging": "tagging",
    "quality": "assess",
    "translation": "translation",
    "multiple-choice": "multiple-choice",
    "decomposition": "decomposition",
}
NOBODY = "none named"


class Work(Record):
    """People's part of one job."""

    job: str
    units: NonNegativeInt
    """Problems, or problems in a language; replacements of rejected ones included."""
    tasks: NonNegativeInt
    """Answers that people give: units times independent reviews; for adjudication one each."""
    hours: NonNegativeFloat


class Asked(Record):
    """A model's part of one job."""

    job: str
    model: str
    calls: NonNegativeInt
    input: TokenRange
    output: NonNegativeInt
    """Tokens of all replies, by assumption."""
    money: Money


def work_of(workspace: Workspace, problems: int, assumed: Assumptions) -> list[Work]:
    """Tasks and hours by job, adjudication last."""
    work = []
    for job, share in units_of(workspace, assumed).items():
        units = whole(problems * share * (1 + assumed["people.reject"]))
        tasks = whole(units * assumed["people.slots"])
        hours = tasks * assumed[f"minutes.{job}"] / 60
        work.append(Work(job=job, units=units, tasks=tasks, hours=round(hours, 1)))
    third = whole(sum(one.units for one in work) * assumed["people.disagree"])
    if assumed["people.slots"] > 1 and third:
        hours = round(third * assumed["minutes.adjudication"] / 60, 1)
        work.append(Work(job="adjudication", units=third, tasks=third, hours=hours))
    return work


def units_of(workspace: Workspace, assumed: Assumptions) -> dict[str, float]:
    """Units of each reviewed job for one problem, by what the recipe makes."""
    languages = len(workspace.recipe.benchmark.languages)
    versions = workspace.recipe.benchmark.chosen_versions
    units = {"duplicates": assumed["items.duplicates"], "tagging": 1.0, "quality": 1.0}
    if languages > 1:
        units["quality"] = float(languages)
        units["translation"] = float(languages - 1)
    if any(not VERSIONS[version].source_form for version in versions):
        units["multiple-choice"] = languages * assumed["items.free_form"]
        units["decomposition"] = float(languages)
    if Version.VISION_RICH in versions:
        units["placement"] = assumed["items.vision_rich"]
    return units


def weeks_of(work: Iterable[Work], assumed: Assumptions) -> float:
    """Weeks of the assumed people."""
    capacity = assumed["people.reviewers"] * assumed["people.hours_a_week"]
    hours = sum(one.hours for one in work)
    return round(hours / capacity, 1) if capacity else math.inf


def asked_of(
    workspace: Workspace, problems: int, assumed: Assumptions, prices: PriceTable, model: str | None = None
) -> list[Asked]:
    """Calls and tokens of proposals, then of the evaluation."""
    recipe = workspace.recipe
    asked = []
    for job, share in units_of(workspace, assumed).items():
        if job not in _PROMPTS:
            continue
        settings = recipe.models.get(job) or recipe.models.get("default")
        name = settings.model if settings else NOBODY
        calls = whole(problems * (1 + assumed["people.reject"]) * share * assumed[f"calls.{job}"])
        estimator = TokenEstimator(name)
        read = _plus(estimator.text(_prompt(job)), question_tokens(workspace, estimator, assumed))
        read = _plus(read, TokenRange.of(*[_fixed(assumed, "image")] * 3))
        output = whole(calls * assumed[f"output.{job}"])
        asked.append(_asked(job, name, calls, read, output, prices))
    return asked + _evaluation(workspace, problems, assumed, prices, model or NOBODY)


def question_tokens(workspace: Workspace, estimator: TokenEstimator, assumed: Assumptions) -> TokenRange:
    """Mean tokens of a question with its options: counted on the pool where there is one."""
    counted: list[TokenRange] = []
    for discipline in workspace.recipe.disciplines:
        path = workspace.pool(discipline)
        if path.is_file():
            for question in islice(iter_records(path, Question), _SAMPLE):
                text = question.text
                options = "\n".join(choice.text or "" for choice in text.choices)
                counted.append(estimator.text(f"{text.question}\n{options}"))
    if not counted:
        return TokenRange.of(*[_fixed(assumed, "question")] * 3)
    n = len(counted)
    return TokenRange.of(
        sum(one.low for one in counted) / n,
        sum(one.likely for one in counted) / n,
        sum(one.high for one in counted) / n,
    )


def _evaluation(
    workspace: Workspace, problems: int, assumed: Assumptions, prices: PriceTable, model: str
) -> list[Asked]:
    benchmark = workspace.recipe.benchmark
    rows = sum(
        problems * (assumed["items.vision_rich"] if version is Version.VISION_RICH else 1.0)
        for version in benchmark.chosen_versions
    ) * len(benchmark.languages)
    answers = whole(rows * assumed["evaluation.models"] * assumed["evaluation.samples"])
    judged = whole(answers * assumed["items.judged"])
    estimator = TokenEstimator(model)
    question = question_tokens(workspace, estimator, assumed)
    shown = _plus(question, TokenRange.of(*[_fixed(assumed, "image")] * 3))
    reply = TokenRange.of(*[assumed["output.answer"] + _fixed(assumed, "context")] * 3)
    return [
        _asked("answers", model, answers, shown, whole(answers * assumed["output.answer"]), prices),
        _asked(
            "judge",
            model,
            judged,
            _plus(question, reply),
            whole(judged * assumed["output.judge"]),
            prices,
        ),
    ]


def _asked(job: str, model: str, calls: int, read: TokenRange, output: int, prices: PriceTable) -> Asked:
    whole = TokenRange.of(read.low * calls, read.likely * calls, read.high * calls)
    price: Price | None = prices.price_of(model)
    money = Money(unknown=calls) if price is None else Money(usd=price.of(whole.likely, output))
    return Asked(job=job, model=model, calls=calls, input=whole, output=output, money=money)


def _prompt(job: str) -> str:
    """The latest English prompt of a job; its placeholders are as long as a short text."""
    folder = resources.files("benchwright.curation").joinpath("prompts")
    wanted = f"{_PROMPTS[job]}.en."
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.startswith(wanted))
    return folder.joinpath(names[-1]).read_text(encoding="utf-8")


def _plus(one: TokenRange, two: TokenRange) -> TokenRange:
    return one + two


def _fixed(assumed: Assumptions, key: str) -> float:
    return assumed[f"tokens.{key}"]


def whole(value: float) -> int:
    """Rounded up; what only floating-point arithmetic adds does not count."""
    return math.ceil(round(value, 6))
