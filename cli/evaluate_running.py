"""How `evaluate run`, `generate` and `score` go: plan, check what may leave, open the folder, ask, judge, show."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.cli.common import Incomplete, progress, say
from benchwright.cli.evaluate_options import Options
from benchwright.cli.evaluate_show import find_place, finish, kept_back, runs_folder

if TYPE_CHECKING:
    from benchwright.eval.pipeline.plan import Plan, Verdicts, Way
    from benchwright.eval.pipeline.runner import Models, RunResult
    from benchwright.eval.runs.dataset import Dataset
    from benchwright.eval.runs.passes import RunSettings
    from benchwright.eval.runs.shots import Shots
    from benchwright.eval.runs.store import RunFolder
    from benchwright.models.budget import Budget
    from benchwright.models.chat import ChatModel
    from benchwright.models.spending import Spending
    from benchwright.models.store import CallStore
    from benchwright.schemas.release_table import ResolvedRelease
    from benchwright.schemas.workspace import Workspace


@dataclass(frozen=True)
class Session:
    """What all runs of one command share."""

    options: Options
    place: Workspace | None
    models: Models
    settings: RunSettings
    plans: tuple[Plan, ...]

    @property
    def data(self) -> Dataset:
        """The rows, the same for every run."""
        return self.plans[0].dataset


@dataclass(frozen=True)
class Done:
    """One run that this command made or continued."""

    result: RunResult
    folder: Path


def lean_memory() -> None:
    """Let Arrow, not imported yet, use the system's memory: its own pools keep what they freed, for all of a run."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")


def prepare(options: Options, *, judged: bool) -> Session:
    """Read the rows, open the models and plan the runs: one for each mode and repetition.

    Args:
        options: as typed.
        judged: False for `generate`, which only asks.

    Raises:
        UsageError: something does not fit together, or rows may not leave.
    """
    lean_memory()
    from benchwright.eval.pipeline.plan import check_outgoing, make_plan, scored_by_steps
    from benchwright.eval.pipeline.runner import Models
    from benchwright.eval.runs.dataset import open_dataset
    from benchwright.models.registry import open_model
    from benchwright.schemas.errors import TamperedError, UsageError

    place = find_place(options.workspace)
    tested = open_model(options.model, options.base_url, options.api_key_env, options.local_settings)
    try:
        release, data = open_dataset(options.dataset, options.selection, to_score=judged)
    except TamperedError as error:
        raise UsageError(f"{error}: download or build {options.dataset} again.") from error
    way = _way(options, data, tested)
    verdicts = None
    if judged:
        for_steps = any(scored_by_steps(way.protocol, mode) for mode in options.modes)
        verdicts = open_judge(options, tested, for_steps=for_steps)
    models = Models(tested, None if verdicts is None else verdicts.model)
    plans: list[Plan] = []
    for way in (replace(way, mode=mode) for mode in options.modes):
        shots = _shots(way, release, data)
        plans += (
            make_plan(data, tested, way, options.sampling, verdicts, shots=shots, sample=sample)
            for sample in range(options.repeats)
        )
    _check_use(options, plans)
    check_outgoing(
        data,
        tested,
        models.judge,
        allow_external=options.allow_external,
        forbidden_sources=kept_back(place, Path(options.dataset)),
        examples=[row for plan in plans for row in plan.shots.rows],
    )
    settings = settings_of(options, place)
    check_budget(settings, tested, models.judge)
    return Session(options, place, models, settings, tuple(plans))


def run_all(session: Session) -> list[Done]:
    """Make or continue every run of the session; what one of them lacks does not keep the next from starting."""
    from benchwright.eval.pipeline.runner import run
    from benchwright.eval.reports.report_page import write_scores

    done = []
    for plan, folder in zip(session.plans, folders(session), strict=True):
        with opened(session, plan, folder) as (notes, calls):
            judge = session.models.judge if _asks_judge(plan) else None
            models = replace(session.models, judge=judge)
            result = run(plan, models, folder, calls, session.settings, progress)
            folder.note_spending(result.spending)
            write_scores(folder.path, result.scores)
        result = replace(result, notes=(*notes, *result.notes))
        say_result(result.notes, result.spending)
        done.append(Done(result, folder.path))
    return done


def folders(session: Session) -> list[RunFolder]:
    """Where each run of the session lies.

    Raises:
        UsageError: `--resume` and there is none.
    """
    from benchwright.eval.runs.store import RunFolder
    from benchwright.schemas.errors import UsageError

    options, plans = session.options, session.plans
    paths = []
    for plan in plans:
        if options.out is None:
            paths.append(runs_folder(session.place) / plan.spec.run_id)
        else:
            paths.append(options.out if len(plans) == 1 else options.out / name_of(plan))
    found = [RunFolder(path) for path in paths]
    if options.resume and not any(folder.spec_path.exists() for folder in found):
        raise UsageError(f"there is no run in {found[0].path} to resume: leave --resume away to start one.")
    return found


def name_of(plan: Plan) -> str:
    """What one of several runs is called: its mode, and from the second sample on its number."""
    return plan.spec.mode + (f"-{plan.spec.sample}" if plan.spec.sample else "")


@contextmanager
def opened(session: Session, plan: Plan, folder: RunFolder) -> Iterator[tuple[tuple[str, ...], CallStore]]:
    """A run's folder, locked and opened with its specification, and the store of calls."""
    from benchwright.models.store import CallStore

    with folder.lock():
        notes = folder.open(plan.spec)
        announce(session, plan, folder.path)
        with CallStore(calls_path(session.place, folder)) as calls:
            yield notes, calls


def calls_path(place: Workspace | None, folder: RunFolder) -> Path:
    """The store of calls: the workspace's, else one in the run's folder."""
    return place.calls if place is not None else folder.path / "calls.sqlite"


def finish_all(done: Sequence[Done], limit: float) -> None:
    """Say what was stopped in each run.

    Raises:
        Incomplete: a row of one of them was not run or not judged.
    """
    lacking = []
    for one in done:
        try:
            finish(one.result, limit, f"{one.folder}: " if len(done) > 1 else "")
        except Incomplete as error:
            lacking.append((one.folder, error.message))
    if len(done) == 1 and lacking:
        raise Incomplete(lacking[0][1])
    if lacking:
        raise Incomplete(" ".join(f"{folder}: {message}" for folder, message in lacking))


def settings_of(options: Options, place: Workspace | None) -> RunSettings:
    """How hard to try, and what it may cost.

    Raises:
        UsageError: no amount, or an unreadable table of prices.
    """
    from benchwright.eval.runs.passes import RunSettings
    from benchwright.models.prices import load_prices
    from benchwright.models.scheduler import SchedulerSettings

    prices = load_prices(None if place is None else place.recipe.prices, options.prices)
    budget: Budget | None = None
    if options.budget is not None:
        from decimal import Decimal, InvalidOperation

        from benchwright.models.budget import Budget
        from benchwright.schemas.errors import UsageError

        try:
            budget = Budget(Decimal(options.budget), prices)
        except InvalidOperation as error:
            raise UsageError(
                f"--budget {options.budget!r} is no amount of US dollars, such as 2.50."
            ) from error
    scheduler = SchedulerSettings(
        concurrency=options.concurrency,
        attempts=options.attempts,
        attempt_timeout_s=options.timeout,
        item_timeout_s=max(900.0, options.timeout * options.attempts),
    )
    return RunSettings(scheduler, options.stop_above, prices, budget)


def check_budget(settings: RunSettings, *models: ChatModel | None) -> None:
    """Refuse a budget that cannot be kept, before anything is written.

    Raises:
        UsageError: the price of a model is unknown.
    """
    for model in models:
        if model is not None and settings.budget is not None:
            settings.budget.check(model)


def open_judge(options: Options, tested: ChatModel | None, *, for_steps: bool) -> Verdicts:
    """Who decides, as typed.

    Args:
        options: as typed.
        tested: the tested model; None where there is none to ask.
        for_steps: the runs, or some of them, have their steps scored.

    Raises:
        UsageError: judge and judging model do not fit together.
    """
    from benchwright.eval.pipeline.plan import ASKING_JUDGES, Verdicts, check_judge, judge_kind
    from benchwright.models.registry import open_model
    from benchwright.schemas.errors import UsageError

    kind = judge_kind(options.judge, options.judge_model, tested, for_steps=for_steps)
    if options.judge_prompts is not None and kind not in ASKING_JUDGES:
        raise UsageError(
            "--judge-prompts are words for a judging model: use --judge llm or chain, or leave it away."
        )
    judge = None
    if options.judge_model is not None and (kind in ASKING_JUDGES or for_steps):
        judge = open_model(options.judge_model, options.judge_base_url, options.judge_api_key_env)
        check_judge(judge)
    if kind == "rules" and (options.judge not in (None, "rules") or (options.judge_model and judge is None)):
        say(f"note: {options.model} answers in letters, so the rules decide; no other judge is asked")
    return Verdicts(
        kind,
        judge,
        options.judge_max_tokens,
        options.judge_prompts,
        options.see,
        options.min_step_coverage,
    )


def announce(session: Session, plan: Plan, folder: Path) -> None:
    """Say what is about to be asked, of whom, and where it goes."""
    from benchwright.models.policy import outgoing_note

    spec, data = plan.spec, plan.spec.dataset
    fixed = f"commit {data.commit[:12]}" if data.commit else f"digest {data.digest[:12]}"
    say(f"{data.name} ({fixed}): {data.rows} rows -> {folder}")
    way = f"{spec.protocol}, {spec.mode}, input {spec.input}, {spec.shots} examples"
    names = ", ".join(prompt.name for prompt in spec.prompts)
    say(f"asked: {way}; instructions {names} ({'yours' if spec.prompts_of == 'user' else 'ours'})")
    say(outgoing_note(session.models.tested, data.rows, answers=False))
    if session.models.judge is not None and _asks_judge(plan):
        what = "steps" if spec.steps is not None else spec.judge.kind if spec.judge else ""
        say(f"judge {what}: {outgoing_note(session.models.judge, data.rows, answers=True)}")
    if spec.input == "Q" and (left := sum(bool(row.images) for row in plan.dataset.rows)):
        say(f"note: {left} of {data.rows} rows have pictures, which are not sent (--input Q)")
    if data.partial:
        say("note: --limit or --only leaves rows out; the figures are partial and marked so")


def say_result(notes: Sequence[str], spending: Sequence[Spending]) -> None:
    """Say what of the folder could not be used, and what was asked."""
    from benchwright.models.spending import spending_notes

    for note in notes:
        say(f"note: {note}")
    for one in spending:
        say(
            f"{one.stage}: {one.model}: {one.made:,} calls ({one.reused:,} more from the store, {one.retries:,} "
            f"retries), {one.input_tokens:,} tokens in, {one.output_tokens:,} out, cost {one.money}"
        )
    for note in spending_notes(spending):
        say(f"note: {note}")


def _way(options: Options, data: Dataset, tested: ChatModel) -> Way:
    from benchwright.eval.pipeline.plan import Way
    from benchwright.eval.runs.image_limits import image_policy
    from benchwright.eval.runs.instructions import default_protocol

    return Way(
        protocol=options.protocol or default_protocol(data.spec.versions),
        input=options.input,
        shots=int(options.shots),
        shot_seed=options.shot_seed,
        prompts=options.prompts,
        images=image_policy(tested.endpoint.host, options.image_limit, options.downscale_images),
    )


def _shots(way: Way, release: ResolvedRelease, data: Dataset) -> Shots:
    from benchwright.eval.pipeline.plan import check_way
    from benchwright.eval.runs.shots import draw_shots

    check_way(way, data)
    return draw_shots(release, data, way.shots, way.shot_seed)


def _check_use(options: Options, plans: Sequence[Plan]) -> None:
    """Refuse options that would do nothing in these runs.

    Raises:
        UsageError: options about steps, and no run whose steps are scored.
    """
    from benchwright.schemas.errors import UsageError

    idle = [
        name
        for name, given in (("--steps-see", options.see), ("--min-step-coverage", options.min_step_coverage))
        if given
    ]
    if idle and all(plan.spec.steps is None for plan in plans):
        raise UsageError(
            f"{idle[0]} is about scoring steps, and no run here does that: add --protocol sciverse --mode cot or both."
        )


def _asks_judge(plan: Plan) -> bool:
    judge = plan.spec.judge
    return plan.spec.steps is not None or (judge is not None and judge.model is not None)
