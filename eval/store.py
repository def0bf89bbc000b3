"""A run folder: `spec.json`, and two append-only journals that survive a kill.

Rules for reading them back (each is tested):

* a line that is no record (torn, foreign, `null`) is ignored and counted; its row is asked again;
* a reply whose asked digest (question, images, language) is not today's is ignored: the row changed, it is asked
  again; a judgement also falls when the reference answer or anything else that the judge sees changed;
* a record of a row that the data set no longer has is ignored and counted;
* several records of one row: the first **final** one counts, so no row is asked until its answer pleases;
  without a final one the last counts. A judgement only counts for the very response it was made for.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self, TypeVar

from pydantic import BaseModel, ValidationError

from benchwright.eval.spec import RunSpec
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import canonical_json, digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.journal import Journal, read_jsonl, write_jsonl
from benchwright.schemas.locks import hold
from benchwright.schemas.records import Record, ReleaseRow, Sha256
from benchwright.schemas.status import REUSABLE_STATUSES, CallStatus, Outcome

R = TypeVar("R", bound=BaseModel)

FINAL_STATUSES = REUSABLE_STATUSES | {CallStatus.EMPTY}
"""Ends of a call that a later `evaluate` leaves alone: an empty reply (after the client's one retry) is a result."""


class Response(Record):
    """One row's reply from the tested model."""

    row_id: str
    asked_digest: Sha256
    """Digest of what the model was shown of the row."""
    status: CallStatus
    text: str
    detail: str = ""
    """Why the call did not end well, in words."""
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    call_id: str | None = None
    """Key of the call in the call store."""

    @property
    def final(self) -> bool:
        """True when a later run leaves it alone."""
        return self.status in FINAL_STATUSES

    @property
    def digest(self) -> str:
        """Digest of what a judge sees of it."""
        return digest_of({"asked": self.asked_digest, "status": self.status, "text": self.text})


class Judgement(Record):
    """What one response is worth, and who said so."""

    row_id: str
    key_digest: Sha256
    """Digest of the response together with what the judge was shown of the row."""
    outcome: Outcome
    decided_by: Literal["status", "rules", "llm", "nobody"]
    reason: str
    """Stable kebab-case code."""
    rules: Outcome | None = None
    """What the rules alone say (None: they abstain), kept beside an LLM's verdict to measure their agreement."""
    injection_suspected: bool = False
    """True when the response holds text made to look like a verdict or a fence."""
    judge_text: str = ""
    """The judging model's own words, last attempt."""
    judge_status: CallStatus | None = None

    @property
    def final(self) -> bool:
        """True when a later run leaves it alone."""
        return self.outcome is not Outcome.UNJUDGED


F = TypeVar("F", Response, Judgement)


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


class RunFolder:
    """One run on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.responses = Journal(path / "responses.jsonl")
        self.judgements = Journal(path / "judgements.jsonl")

    @property
    def spec_path(self) -> Path:
        """Where the specification lies."""
        return self.path / "spec.json"

    @property
    def rows_path(self) -> Path:
        """Where the rows of the run lie (text only, pictures by digest)."""
        return self.path / "rows.jsonl"

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
        digests = {row_id: asked_digest(row) for row_id, row in known.items()}
        replies, bad_replies = read_tolerantly(self.responses.path, Response)
        verdicts, bad_verdicts = read_tolerantly(self.judgements.path, Judgement)
        fitting = [r for r in replies if digests.get(r.row_id) == r.asked_digest]
        responses = _choose(fitting)
        keys = {row_id: judgement_key(known[row_id], reply) for row_id, reply in responses.items()}
        judgements = _choose([j for j in verdicts if keys.get(j.row_id) == j.key_digest])
        unknown = {r.row_id for r in replies if r.row_id not in digests}
        changed = {r.row_id for r in replies if r.row_id in digests} - set(responses)
        notes = []
        if bad_replies or bad_verdicts:
            notes.append(
                f"{bad_replies + bad_verdicts} unreadable lines were ignored; their rows are asked again"
            )
        if unknown:
            notes.append(f"answers to {len(unknown)} rows that the data set does not have were ignored")
        if changed:
            notes.append(
                f"answers to {len(changed)} rows that have changed were ignored; they are asked again"
            )
        return Loaded(responses=responses, judgements=judgements, notes=tuple(notes))

    def _write_spec(self, spec: RunSpec) -> None:
        write_atomic(self.spec_path, (canonical_json(spec) + "\n").encode("utf-8"))


def asked_digest(row: ReleaseRow) -> str:
    """Digest of what a tested model is shown of a row."""
    return digest_of({"question": row.question, "images": row.images, "language": row.language})


def judgement_key(row: ReleaseRow, response: Response) -> str:
    """Digest of everything that a judgement rests on: the response and what the judge is shown of the row."""
    return digest_of(
        {
            "response": response.digest,
            "full_question": row.full_question,
            "answer": row.answer,
            "unit": row.unit,
            "options": row.options,
            "question_type": row.question_type,
        }
    )


def read_tolerantly(path: Path, model: type[R]) -> tuple[list[R], int]:
    """Records of a journal and the number of lines that are none."""
    if not path.exists():
        return [], 0
    records: list[R] = []
    unreadable = 0
    for raw in path.read_bytes().split(b"\n"):
        if not raw.strip():
            continue
        try:
            records.append(model.model_validate_json(raw))
        except ValidationError:
            unreadable += 1
    return records, unreadable


def _choose(records: Iterable[F]) -> dict[str, F]:
    chosen: dict[str, F] = {}
    for record in records:
        known = chosen.get(record.row_id)
        if known is None or not known.final:
            chosen[record.row_id] = record
    return chosen


def _difference(known: RunSpec, wanted: RunSpec) -> str:
    names = [name for name in RunSpec.model_fields if getattr(known, name) != getattr(wanted, name)]
    return ", ".join(names)
