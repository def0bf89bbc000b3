"""What the passes of a run share: its rows, its folder, how hard to try, and the loop that journals results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, aclosing
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from pydantic import BaseModel

from benchwright.eval.runs.dataset import Dataset
from benchwright.eval.runs.spec import RunSpec
from benchwright.eval.runs.store import Batches, RunFolder
from benchwright.models.budget import Budget, BudgetReached
from benchwright.models.prices import PriceTable
from benchwright.models.scheduler import SchedulerSettings, as_finished
from benchwright.schemas.journal import Journal

T = TypeVar("T")
R = TypeVar("R", bound=BaseModel)

STOP_AFTER = 10
"""Calls of this run that have to be finished before the stop rule speaks."""


@dataclass
class Tally:
    """Calls of this run alone: what an earlier run left behind never dilutes its failure rate."""

    finished: int = 0
    failed: int = 0
    stopped: bool = False
    """More calls failed than the stop rule allows, or there is no money left."""
    budget: str = ""
    """What the budget says where it stopped the pass."""
    causes: Counter[str] = field(default_factory=Counter)
    """What failed calls ended with, in words."""

    def note(self, failed: bool, limit: float, cause: str = "") -> None:
        """Count one finished call and decide whether to go on; `cause` says why it failed, where that is known."""
        self.finished += 1
        self.failed += failed
        if failed and cause:
            self.causes[cause] += 1
        if self.finished >= STOP_AFTER and self.failed / self.finished > limit:
            self.stopped = True


@dataclass(frozen=True)
class RunSettings:
    """What changes how a run goes, never what it finds."""

    scheduler: SchedulerSettings = field(default_factory=SchedulerSettings)
    stop_above: float = 0.5
    """Share of this run's calls that may fail in transport before it stops (after ten calls)."""
    prices: PriceTable = field(default_factory=PriceTable)
    budget: Budget | None = None
    """The most that the calls may cost, over all passes and runs that share it."""


class Bar(Protocol):
    """Shows how far a pass is."""

    def advance(self, n: int = 1) -> None:
        """`n` more are finished."""


Progress = Callable[[int, str], AbstractContextManager[Bar]]
"""Opens a bar for a pass: how many there are to do, and the pass's name."""


@dataclass(frozen=True)
class PassContext:
    """One pass over the rows of a run."""

    spec: RunSpec
    dataset: Dataset
    folder: RunFolder
    """Opened with the specification and locked."""
    settings: RunSettings
    progress: Progress
    tally: Tally

    async def work_through(
        self,
        items: Sequence[T],
        one: Callable[[T], Awaitable[R]],
        *,
        label: str,
        journal: Journal,
        failed: Callable[[R], bool | None],
        known: Callable[[R], bool] = lambda record: False,
        cause: Callable[[R], str] = lambda record: "",
    ) -> None:
        """Work on items side by side and journal each result as it comes, until they are done or the tally says stop.

        Args:
            items: what there is to do.
            one: makes the record of one item.
            label: the name on the bar.
            journal: where records go, in small groups.
            failed: whether the call behind a record failed in transport; None where no call was needed.
            known: whether the journal says the same already; such a record is not written again.
            cause: what a failed call ended with.
        """
        concurrency = self.settings.scheduler.concurrency
        try:
            with self.progress(len(items), label) as bar, Batches(journal) as batch:
                async with aclosing(as_finished(items, one, concurrency)) as stream:
                    async for _, record in stream:
                        if not known(record):
                            batch.add(record)
                        if (lost := failed(record)) is not None:
                            self.tally.note(lost, self.settings.stop_above, cause(record))
                        bar.advance()
                        if self.tally.stopped:
                            break
        except BudgetReached as error:
            self.tally.stopped, self.tally.budget = True, str(error)
