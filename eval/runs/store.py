"""A run folder: `spec.json`, and append-only journals (answers, verdicts, steps) that survive a kill.

Rules for reading them back (each is tested):

* a line that is no record (torn, foreign, `null`) is ignored and counted; its row is asked again;
* a reply whose asked digest (question, images, language) is not today's is ignored: the row changed, it is asked
  again; a judgement and steps also fall when the reference answer or anything else that the judge sees changed;
* a record of a row that the data set no longer has is ignored and counted;
* several records of one row: the first **final** one counts, so no row is asked until its answer pleases;
  without a final one the last counts. A judgement only counts for the very response it was made for.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ValidationError

from benchwright.eval.runs.people import PEOPLE_NAME, People
from benchwright.eval.runs.spec import RunSpec
from benchwright.models.spending import Spending
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.errors import UsageError
from benchwright.schemas.journal import Journal, read_jsonl, write_jsonl
from benchwright.schemas.locks import hold
from benchwright.schemas.records import Record, ReleaseRow
from benchwright.schemas.runs import (
    JUDGEMENTS_NAME,
    RESPONSES_NAME,
    ROWS_NAME,
    SPEC_NAME,
    STEPS_NAME,
    Judgement,
    Response,
    StepsRecord,
    fitting,
    fitting_steps,
    read_tolerantly,
)

SPENDING_NAME = "spending.jsonl"
"""Side file: what each command cost. It tells how the run went, not what it found, so no report reads it."""


class Batches:
    """Writes to a journal in groups: one wait for the disk for up to 16 records or one second."""

    SIZE = 16
    SECONDS = 1.0

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._waiting: list[BaseModel] = []
        self._since = time.monotonic()

    def add(self, record: BaseModel) -> None:
        """Take a record; it is on disk at the latest when the block ends."""
        self._waiting.append(record)
        if len(self._waiting) >= self.SIZE or time.monotonic() - self._since >= self.SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what is waiting."""
        self._journal.extend(self._waiting)
        self._waiting.clear()
        self._since = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.flush()


@dataclass(frozen=True)
class Loaded:
    """What a journal holds for today's rows."""

    responses: Mapping[str, Response]
    judgements: Mapping[str, Judgement]
    notes: tuple[str, ...]
    steps: Mapping[str, StepsRecord] = field(default_factory=dict)


class Spent(Record):
    """What one command asked for, one record a stage and model."""

    spending: tuple[Spending, ...]


class RunFolder:
    """One run on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.responses = Journal(path / RESPONSES_NAME)
        self.judgements = Journal(path / JUDGEMENTS_NAME)
        self.steps = Journal(path / STEPS_NAME)

    @property
    def spec_path(self) -> Path:
        """Where the specification lies."""
        return self.path / SPEC_NAME

    @property
    def rows_path(self) -> Path:
        """Where the rows of the run lie (text only, pictures by digest)."""
        return self.path / ROWS_NAME

    def spec(self) -> RunSpec:
        """Read the specification.

        Raises:
            UsageError: the folder holds no readable run.
        """
        try:
            return RunSpec.model_validate_json(self.spec_path.read_bytes())
        except FileNotFoundError as error:
            raise UsageError(f"{self.path} is no run folder: it has no spec.json.") from error
        except ValidationError as error:
            raise UsageError(
                f"{self.spec_path} is not a specification this version reads; run again."
            ) from error

    def open(self, spec: RunSpec) -> tuple[str, ...]:
        """Start or continue a run here; returns notes for the user.

        Raises:
            UsageError: the folder holds a run with other settings, or other files.
        """
        if not self.spec_path.exists():
            if self.responses.path.exists():
                raise UsageError(f"{self.path} holds answers without a spec.json: choose another --out.")
            self.path.mkdir(parents=True, exist_ok=True)
            self._write_spec(spec)
            return ()
        known = self.spec()
        if known == spec:
            return ()
        if not known.differs_only_in_data(spec):
            raise UsageError(
                f"{self.path} holds run {known.run_id} with other settings ({_difference(known, spec)}): "
                "choose another --out."
            )
        self._write_spec(spec)
        return (f"the data set changed since run {known.run_id}: only rows that are unchanged are reused",)

    def write_rows(self, rows: Sequence[ReleaseRow]) -> None:
        """Keep the rows asked beside their answers, so that a report needs nothing but this folder."""
        write_jsonl(self.rows_path, rows)

    def rows(self) -> tuple[ReleaseRow, ...]:
        """The rows of the run.

        Raises:
            UsageError: the run was never started.
        """
        if not self.rows_path.exists():
            raise UsageError(f"{self.path} has no rows.jsonl: start the run first.")
        return tuple(read_jsonl(self.rows_path, ReleaseRow))

    def write_people(self, people: People) -> None:
        """Keep who answered beside the answers, where people did."""
        write_atomic(self.path / PEOPLE_NAME, (canonical_json(people) + "\n").encode("utf-8"))

    def people(self) -> People | None:
        """Who answered; None where a model did.

        Raises:
            UsageError: the file is no such record.
        """
        path = self.path / PEOPLE_NAME
        if not path.exists():
            return None
        try:
            return People.model_validate_json(path.read_bytes())
        except ValidationError as error:
            raise UsageError(f"{path} cannot be read: import the answers again.") from error

    def note_spending(self, spending: Sequence[Spending]) -> None:
        """Keep what a command asked for beside the run; one that asked nothing leaves no record."""
        if any(one.made for one in spending):
            Journal(self.path / SPENDING_NAME).append(Spent(spending=tuple(spending)))

    def replace_responses(self, responses: Sequence[Response]) -> None:
        """Write all answers at once: for answers that were not asked for here, so that none is of an older import."""
        write_jsonl(self.responses.path, responses)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep a second writer out while a run goes on; readers take no lock.

        Raises:
            LockedError: another process writes here; names its process id.
        """
        with hold(self.path / ".lock", f"the run in {self.path}", self.path):
            yield

    def load(self, rows: Iterable[ReleaseRow]) -> Loaded:
        """What is known for these rows, by the rules of this module."""
        known = {row.id: row for row in rows}
        replies, bad_replies = read_tolerantly(self.responses.path, Response)
        verdicts, bad_verdicts = read_tolerantly(self.judgements.path, Judgement)
        divided, bad_steps = read_tolerantly(self.steps.path, StepsRecord)
        responses, judgements = fitting(known, replies, verdicts)
        unknown = {r.row_id for r in replies if r.row_id not in known}
        changed = {r.row_id for r in replies if r.row_id in known} - set(responses)
        notes = []
        if bad := bad_replies + bad_verdicts + bad_steps:
            notes.append(f"{bad} unreadable lines were ignored")
        if unknown:
            notes.append(f"answers to {len(unknown)} rows that the data set does not have were ignored")
        if changed:
            notes.append(f"answers to {len(changed)} rows that have changed were ignored")
        return Loaded(responses, judgements, tuple(notes), fitting_steps(known, responses, divided))

    def _write_spec(self, spec: RunSpec) -> None:
        write_atomic(self.spec_path, (canonical_json(spec) + "\n").encode("utf-8"))


def _difference(known: RunSpec, wanted: RunSpec) -> str:
    names = [name for name in RunSpec.model_fields if getattr(known, name) != getattr(wanted, name)]
    return ", ".join(names)
