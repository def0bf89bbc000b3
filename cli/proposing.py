"""How a proposing command runs: which models, what it may cost, dry run, the summary it ends with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchwright.cli.common import (
    Incomplete,
    SummaryTable,
    emit,
    open_workspace,
    progress,
    say,
    stderr_is_a_terminal,
)

if TYPE_CHECKING:
    from benchwright.curation.proposers.catalogue import Wishes
    from benchwright.curation.proposers.planning import Planning
    from benchwright.models.budget import Budget
    from benchwright.models.prices import PriceTable
    from benchwright.models.spending import Ledger, Spending
    from benchwright.schemas.artefact import StageResult
    from benchwright.schemas.recipe import ModelRecipe
    from benchwright.schemas.workspace import Workspace


def propose(
    command: str,
    title: str,
    flags: dict[str, Any],
    *,
    wishes: Mapping[str, Any] | None = None,
    follow: str | None = "annotate push {job}",
    after: Callable[[Workspace, str | None], None] | None = None,
    budget: Budget | None = None,
) -> None:
    """Run one proposer as the flags say: for real, or as a dry run; `budget` is one that an earlier step began."""
    from benchwright.curation.proposers.catalogue import JOB_OF_COMMAND, Wishes

    place = open_workspace(flags["workspace"])
    job = JOB_OF_COMMAND[command]
    models = panel_of(place, job, flags)
    wanted = Wishes(**(wishes or {}))
    if flags["dry_run"] or flags["pilot"]:
        _plan(place, command, title, models, wanted, flags, budget)
        return
    ledger = _ledger(place, job, flags, budget)
    with progress(0, command) as bar:

        def on_item(done: int, total: int) -> None:
            bar.total, bar.shown = total, stderr_is_a_terminal()
            bar.advance(done - bar.done)

        result = _run(place, command, models, wanted, flags, ledger, on_item)
    following = follow and follow.format(job=job)
    show_run(place, command, title, models, result, ledger.spending(), flags, following)
    if after is not None and not flags["as_json"]:
        after(place, flags["discipline"])
    raise_if_failed(command, result)


def _run(
    place: Workspace,
    command: str,
    models: tuple[ModelRecipe, ...],
    wishes: Wishes,
    flags: dict[str, Any],
    ledger: Ledger,
    on_item: Callable[[int, int], None],
) -> StageResult:
    from benchwright.curation.proposers.asking import Asking
    from benchwright.curation.proposers.catalogue import JOB_OF_COMMAND, asking_proposer, embedded_proposer
    from benchwright.curation.proposers.stage import disciplines_of, run_asking, run_embedded

    names = disciplines_of(place, JOB_OF_COMMAND[command], flags["discipline"])
    if not models:
        return run_embedded(
            place, embedded_proposer(place, command, names, wishes), flags["discipline"], on_item
        )
    proposer = asking_proposer(place, command, names, wishes)
    asking = Asking(models, flags["votes"])
    return run_asking(place, proposer, asking, flags["discipline"], on_item, ledger)


def panel_of(place: Workspace, job: str, flags: Mapping[str, Any]) -> tuple[ModelRecipe, ...]:
    """Whom to ask: the flags over `[models.JOB]` or `[models.default]` of the recipe; none: the embedded proposer.

    Raises:
        UsageError: `embedded` beside a model, one model twice, or a flag for models without any.
    """
    from benchwright.schemas.errors import UsageError
    from benchwright.schemas.recipe import ModelRecipe

    known = place.recipe.models.get(job) or place.recipe.models.get("default")
    names = tuple(flags["models"]) or ((known.model,) if known else ("embedded",))
    if names == ("embedded",):
        idle = [
            f"--{name.replace('_', '-')}"
            for name in ("base_url", "budget", "dry_run", "pilot", "assume_vision")
            if flags[name]
        ]
        if flags["votes"] > 1:
            idle.append("--votes")
        if idle:
            raise UsageError(f"{', '.join(idle)}: no model is asked here; name one with --model.")
        return ()
    if "embedded" in names:
        raise UsageError("--model embedded asks nobody: leave it away beside other models.")
    if len(set(names)) < len(names):
        # Its second voice would be the first one's reply, read from the store: agreement out of nothing.
        raise UsageError("--model names one model twice: ask one model several times with --votes N.")
    values: dict[str, Any] = known.model_dump(exclude_unset=True) if known else {}
    if flags["base_url"]:
        values["base_url"] = flags["base_url"]
    if flags["concurrency"]:
        values["concurrency"] = flags["concurrency"]
    if flags["allow_external"]:
        values["allow_external"] = True
    if flags["assume_vision"]:
        values["vision"] = "assume"
    return tuple(ModelRecipe.model_validate({**values, "model": name}) for name in names)


def _ledger(place: Workspace, job: str, flags: Mapping[str, Any], budget: Budget | None) -> Ledger:
    """What books the calls; with a budget, begun before or here, it stops them."""
    from benchwright.models.spending import Ledger

    return Ledger(job, _prices(place, flags), budget or budget_of(place, flags))


def budget_of(place: Workspace, flags: Mapping[str, Any]) -> Budget | None:
    """The limit that `--budget` sets.

    Raises:
        UsageError: it is no amount.
    """
    from decimal import Decimal, InvalidOperation

    from benchwright.models.budget import Budget
    from benchwright.schemas.errors import UsageError

    if flags["budget"] is None:
        return None
    try:
        usd = Decimal(flags["budget"])
    except InvalidOperation as error:
        raise UsageError(f"--budget {flags['budget']!r} is no amount of US dollars, such as 2.50.") from error
    return Budget(usd, _prices(place, flags))


def _prices(place: Workspace, flags: Mapping[str, Any]) -> PriceTable:
    from benchwright.models.prices import load_prices

    return load_prices(place.recipe.prices, flags["prices"])


def _plan(
    place: Workspace,
    command: str,
    title: str,
    models: tuple[ModelRecipe, ...],
    wishes: Wishes,
    flags: dict[str, Any],
    budget: Budget | None,
) -> None:
    """Show what would be asked; with a pilot, ask about some items first.

    Raises:
        Incomplete: items of the pilot failed.
    """
    from benchwright.curation.proposers.asking import Asking
    from benchwright.curation.proposers.catalogue import JOB_OF_COMMAND, asking_proposer
    from benchwright.curation.proposers.planning import plan
    from benchwright.curation.proposers.stage import disciplines_of
    from benchwright.models.dry_run import DRY_RUN_COLUMNS, dry_run_notes, dry_run_rows

    names = disciplines_of(place, JOB_OF_COMMAND[command], flags["discipline"])
    found = plan(
        place,
        asking_proposer(place, command, names, wishes),
        Asking(models, flags["votes"]),
        flags["discipline"],
        prices=_prices(place, flags),
        pilot=flags["pilot"] or 0,
        ledger=_ledger(place, JOB_OF_COMMAND[command], flags, budget),
    )
    table = SummaryTable(f"{title}: nothing was asked", DRY_RUN_COLUMNS, dry_run_rows(found.plans))
    if found.spending:
        table = SummaryTable(f"{title}: what the rest would cost", DRY_RUN_COLUMNS, dry_run_rows(found.plans))
        _say_spending(found.spending)
    if not flags["as_json"]:
        for note in [note for one in found.plans for note in dry_run_notes(one)] + _planning_notes(found):
            say(note)
        for sample in [sample for one in found.plans for sample in one.samples][:1]:
            say(f"--- what is sent about {sample.item_id}:\n" + "\n".join(sample.messages) + "\n---")
    emit(found.model_dump(mode="json"), table, flags["as_json"])
    if found.failed:
        listed = ", ".join(f"{reason} {n:,}" for reason, n in found.failed.items())
        tried = found.follow_ups.units if found.follow_ups else 0
        raise Incomplete(
            f"{sum(found.failed.values())} of the {tried} items of the pilot got no proposal ({listed}): the forecast "
            "says little before that is mended."
        )


def _planning_notes(found: Planning) -> list[str]:
    notes = [f"{n:,} items would not be asked about: {reason}" for reason, n in found.left_out.items()]
    added = found.follow_ups
    if added is None:
        notes.append(
            "calls that depend on a reply (a re-ask, a translation back) are not counted; --pilot shows them"
        )
    elif added.made > added.foreseen:
        times = f", {added.factor:.2f} times the tokens" if added.factor else ""
        notes.append(
            f"the pilot took {added.made:,} calls for {added.foreseen:,} foreseen{times}: expect as much of the rest"
        )
    return notes


def show_run(
    place: Workspace,
    command: str,
    title: str,
    models: Sequence[ModelRecipe],
    result: StageResult,
    spending: Sequence[Spending],
    flags: Mapping[str, Any],
    follow: str | None,
) -> None:
    """Show what a run did: the summary table and the next command, or JSON."""
    counts = result.counts
    assert counts is not None, "this stage always counts"
    if not result.ran:
        say("nothing to do: these proposals were already made")
    _say_spending(spending)
    if counts.reasons:
        say("no proposal: " + ", ".join(f"{reason} {n:,}" for reason, n in counts.reasons.items()))
    proposers = " + ".join(model.model for model in models) or "embedded"
    table = SummaryTable(
        title,
        ["proposer", "in", "proposed", "none", "file"],
        [[proposers, counts.n_in, counts.n_kept, counts.n_rejected, place.relative(result.outputs[0])]],
    )
    output = {
        "ran": result.ran,
        **counts.model_dump(),
        "spending": [one.model_dump(mode="json") for one in spending],
    }
    emit(output, table, flags["as_json"], follow)


def _say_spending(spending: Sequence[Spending]) -> None:
    from benchwright.models.spending import spending_notes

    for one in spending:
        say(
            f"{one.model}: {one.made:,} calls ({one.reused:,} more from the store, {one.retries:,} retries), "
            f"{one.input_tokens:,} tokens in, {one.output_tokens:,} out, cost {one.money}"
        )
    for note in spending_notes(spending):
        say(note)


def raise_if_failed(command: str, result: StageResult) -> None:
    """Items that failed make the exit code 1; items that need nothing, by a rule, do not.

    Raises:
        Incomplete: some failed.
    """
    from benchwright.curation.proposers.stage import FAILED, SAID

    assert result.counts is not None, "this stage always counts"
    failed = {reason: n for reason, n in result.counts.reasons.items() if reason in FAILED}
    if not failed:
        return
    listed = ", ".join(f"{reason} {n:,}" for reason, n in failed.items())
    if "budget-reached" in failed:
        again = f"run `curate {command}` again with a larger --budget to go on from there"
    elif failed.keys() <= SAID:
        why = ", ".join(
            f"{p.parent.name}/{p.name}" for p in result.outputs if p.name.endswith(".rejected.jsonl")
        )
        again = f"the models said so and would not be asked again: see {why}, or ask another model"
    else:
        again = f"run `curate {command}` again to ask for them once more"
    raise Incomplete(f"{sum(failed.values())} of {result.counts.n_in} have no proposal ({listed}): {again}.")
