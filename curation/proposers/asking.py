"""Asking a panel of models about many units: who may be asked, who is, and what becomes of each unit."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from pydantic import JsonValue, ValidationError

from benchwright.curation.ingest_pool import source_ids
from benchwright.curation.proposers.panel import Member, Panel
from benchwright.curation.proposers.unit import OnItem, Proposed, Proposer, Unit
from benchwright.models.budget import BudgetReached
from benchwright.models.local_checkpoint import LocalSettings
from benchwright.models.policy import require_allowed
from benchwright.models.probes import probe_endpoint
from benchwright.models.registry import open_model
from benchwright.models.scheduler import Scheduler, SchedulerSettings, as_finished
from benchwright.models.spending import Ledger
from benchwright.models.store import CallStore
from benchwright.schemas.errors import ItemError, UsageError
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.recipe import ModelRecipe
from benchwright.schemas.records import Question, Rejected
from benchwright.schemas.tables import iter_records
from benchwright.schemas.workspace import Workspace

SENT = "questions, images and answers"


@dataclass(frozen=True)
class Asking:
    """Whom to ask, and how often.

    Attributes:
        models: the panel, in order.
        votes: calls of each model for what is put to a vote.
    """

    models: tuple[ModelRecipe, ...]
    votes: int = 1

    @property
    def signature(self) -> JsonValue:
        """What decides the replies; concurrency, speed limits and the name of the key's variable do not."""
        names = {"model", "base_url", "temperature", "vote_temperature", "max_tokens", "reply_schema"}
        return {
            "models": [
                {**model.model_dump(mode="json", include=names), "local": _deciding(model.local)}
                for model in self.models
            ],
            "votes": self.votes,
        }


def open_panel(
    workspace: Workspace, asking: Asking, store: CallStore | None, ledger: Ledger | None = None
) -> Panel:
    """Open the models of a panel; they belong to the event loop in which they are first used.

    Raises:
        UsageError: an unknown model, one without its key, or a budget without the price.
    """
    members = []
    for settings in asking.models:
        model = open_model(
            settings.model, settings.base_url, settings.api_key_env, local_settings(settings.local)
        )
        pace = SchedulerSettings(
            concurrency=settings.concurrency,
            requests_per_minute=settings.requests_per_minute,
            tokens_per_minute=settings.tokens_per_minute,
        )
        members.append(Member(model, settings, Scheduler(model, store, pace, ledger=ledger)))
    return Panel(workspace, members, asking.votes)


def ask_all(
    workspace: Workspace,
    proposer: Proposer,
    units: Sequence[Unit],
    asking: Asking,
    on_item: OnItem,
    ledger: Ledger | None = None,
) -> Proposed:
    """Ask about every unit that may be sent; each ends as proposals or as a rejection with its reason.

    Raises:
        UsageError: a model is external and the recipe does not allow it, or it cannot see; nothing was sent.
        EndpointDenied: an endpoint turns everybody away.
    """
    with CallStore(workspace.calls) as store:
        panel = open_panel(workspace, asking, store, ledger)
        allowed, forbidden = permitted(workspace, panel, units, proposer.command)
        _require_allowed(panel, proposer.job, len(allowed))
        try:
            answers = asyncio.run(_ask(proposer, panel, allowed, store, on_item))
        except BudgetReached as error:  # while probing: nothing of the benchmark was sent
            answers = [unit.rejected(proposer.command, "budget-reached", str(error)) for unit in allowed]
    proposals: list[Proposal] = []
    failed = list(forbidden)
    for answer in answers:
        if isinstance(answer, Rejected):
            failed.append(answer)
        else:
            proposals += answer
    return proposals, failed


def permitted(
    workspace: Workspace, panel: Panel, units: Sequence[Unit], command: str
) -> tuple[list[Unit], list[Rejected]]:
    """Leave out units whose source, or the file they came in, must not reach an external model."""
    names = {name for name, source in workspace.recipe.sources.items() if not source.allow_external}
    forbidden = names if any(member.model.external for member in panel.members) else set()
    ids = {item_id for name in forbidden for item_id in source_ids(workspace, name)}
    kept: list[Unit] = []
    refused: list[Rejected] = []
    for unit in units:
        # A discipline's taxonomy is made of words of all its questions.
        questions = (
            (unit.item.question,) if unit.item is not None else _pool(workspace, unit.item_id, forbidden)
        )
        banned = next((q for q in questions if q.source in forbidden or q.id in ids), None)
        if banned is None:
            kept.append(unit)
        else:
            words = f"[sources] does not let {banned.source} reach an external model"
            refused.append(unit.rejected(command, "source-forbids-external", words))
    return kept, refused


def _pool(workspace: Workspace, discipline: str, forbidden: set[str]) -> Iterable[Question]:
    return iter_records(workspace.pool(discipline), Question) if forbidden else ()


def _require_allowed(panel: Panel, job: str, n_items: int) -> None:
    for member in panel.members:
        require_allowed(
            member.model,
            allow_external=member.settings.allow_external,
            stage=f"[models.{job}]",
            what=SENT,
            n_items=n_items,
        )


def local_settings(values: dict[str, JsonValue]) -> LocalSettings:
    """`[models.JOB.local]` of the recipe.

    Raises:
        UsageError: an unknown key or value.
    """
    try:
        return LocalSettings.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        raise UsageError(f"[models.….local] {where}: {first['msg']}.") from error


def _with_calls(proposals: Sequence[Proposal], called: set[str]) -> Sequence[Proposal]:
    """The unit's proposals; the first one by field says what all of them took."""
    if not proposals:
        return proposals
    first = min(proposals, key=lambda proposal: proposal.field)
    noted = first.model_copy(update={"calls": tuple(sorted(called))})
    return [noted if proposal is first else proposal for proposal in proposals]


async def _ask(
    proposer: Proposer, panel: Panel, units: Sequence[Unit], store: CallStore, on_item: OnItem
) -> list[Sequence[Proposal] | Rejected]:
    answers: dict[int, Sequence[Proposal] | Rejected] = {}

    async def one(numbered: tuple[int, Unit]) -> Sequence[Proposal] | Rejected:
        unit, own = numbered[1], panel.for_unit()
        try:
            return _with_calls(await proposer.propose(unit, own), own.called)
        except ItemError as error:
            return unit.rejected(proposer.command, error.reason, error.detail)
        except BudgetReached as error:
            # Calls in flight still end and are stored; every later unit comes here at once.
            return unit.rejected(proposer.command, "budget-reached", str(error))

    in_flight = sum(member.settings.concurrency for member in panel.members)
    try:
        if units:
            await _probe(panel, units, store)
        async with aclosing(as_finished(enumerate(units), one, in_flight)) as stream:
            async for (place, _), answer in stream:
                answers[place] = answer
                on_item(len(answers), len(units))
    finally:
        for member in panel.members:
            await member.model.close()
    return [answers[place] for place in range(len(units))]


async def _probe(panel: Panel, units: Sequence[Unit], store: CallStore) -> None:
    """Find out what each endpoint can do, once for all runs.

    Its calls are held against the budget like all others.

    Raises:
        UsageError: there are pictures, and a model does not see them.
        BudgetReached: there is no money even for this.
    """
    pictures = sum(unit.item is not None and bool(unit.item.pictures) for unit in units)
    for member in panel.members:
        settings = member.settings
        if member.model.endpoint.kind != "openai":
            continue
        look = pictures > 0 and settings.vision == "auto"
        if settings.reply_schema == "never" and not look:
            continue
        booked = member.scheduler.ledger
        probing = None if booked is None else Ledger(f"{booked.stage}, probe", booked.prices, booked.budget)
        found = await probe_endpoint(
            member.model, store, schema=settings.reply_schema == "auto", vision=look, ledger=probing
        )
        if found.sees_images is False:
            raise UsageError(
                f"{member.model.name} did not read a number off a picture, and {pictures} units have some: "
                'ask a model that sees, or give --assume-vision (vision = "assume" in benchwright.toml) '
                "to send them all the same."
            )
        panel.learn(member, found)


def _deciding(local: dict[str, JsonValue]) -> JsonValue:
    return {name: local[name] for name in ("dtype", "trust_remote_code", "revision") if name in local}
