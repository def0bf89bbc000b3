"""A run of an evaluation as everybody reads it: its answers and verdicts, and what people are shown of them.

Writer of a run folder is `evaluate` alone; reviewers read it for the jobs `judge`, `steps` and `errors`. Each of those
is about one answer of one run (`RUN/ROW`), and its digest covers everything that is shown, so that a new answer or an
errata release makes an old review stale.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Record, ReleaseRow, Sha256
from benchwright.schemas.status import REUSABLE_STATUSES, CallStatus, Outcome

R = TypeVar("R", bound=BaseModel)

FINAL_STATUSES = REUSABLE_STATUSES | {CallStatus.EMPTY}
"""Ends of a call that a later `evaluate` leaves alone: an empty reply (after the client's one retry) is a result."""

SPEC_NAME = "spec.json"
ROWS_NAME = "rows.jsonl"
RESPONSES_NAME = "responses.jsonl"
JUDGEMENTS_NAME = "judgements.jsonl"
STEPS_NAME = "steps.jsonl"
RUN_ID_LENGTH = 16


DecidedBy = Literal["status", "rules", "math-verify", "llm", "nobody"]
"""Who gave a verdict: the call's own end, one of the judges, or none of them."""


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
    reduced_images: int = 0
    """Pictures of the request that were sent smaller than published, by the run's recorded rule."""

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
    decided_by: DecidedBy
    reason: str
    """Stable kebab-case code."""
    rules: Outcome | None = None
    """What the rules alone say (None: they abstain), kept beside an LLM's verdict to measure their agreement."""
    injection_suspected: bool = False
    """True when the response holds text made to look like a verdict or a fence."""
    judge_text: str = ""
    """The judging model's own words, last attempt."""
    judge_status: CallStatus | None = None
    round: int = 0
    """How many earlier runs asked the judge and could not read its replies."""

    @property
    def final(self) -> bool:
        """True when a later run leaves it alone."""
        return self.outcome is not Outcome.UNJUDGED


class Step(Record):
    """A key step of a response (SciVerse, section 3.2): knowledge or logic, right or wrong."""

    text: str
    """As it stands in the response."""
    kind: Literal["K", "L"]
    """`K`: it states or recalls knowledge; `L`: it concludes or computes."""
    score: Literal[0, 1]


class StepsRecord(Record):
    """What the steps of one response are worth, and how that came about."""

    row_id: str
    key_digest: Sha256
    """Digest of the response together with what a steps judge may be shown of the row (`steps_key`)."""
    outcome: Literal["scored", "no-answer", "unjudged"]
    """`no-answer`: the model's own failure, worth 0 in knowledge and in logic; `unjudged`: no figure came of it."""
    reason: str
    """Stable kebab-case code: `steps-scored`, `steps-failed`, `judge-timeout`, a call status, ..."""
    detail: str = ""
    """Why there are no scores, in words."""
    steps: tuple[Step, ...] = ()
    """In the response's order; empty unless scored."""
    coverage: float | None = None
    """Share of the response's words that stand in a step, in 0..1; None unless scored."""
    injection_suspected: bool = False
    """True when the response holds text made to look like a judge's reply or a fence."""
    judge_status: CallStatus | None = None
    """How the last call to the judge ended; None when it was not asked."""
    judge_texts: tuple[str, ...] = ()
    """The judging model's own words, call by call."""
    round: int = 0
    """How many earlier runs asked the judge and could not use its replies."""

    @property
    def final(self) -> bool:
        """True when a later run leaves it alone."""
        return self.outcome != "unjudged"


F = TypeVar("F", Response, Judgement, StepsRecord)


@dataclass(frozen=True)
class Answered:
    """A row of a run whose answer is final."""

    row: ReleaseRow
    response: Response
    judgement: Judgement | None
    """None where nobody has judged it yet."""


@dataclass(frozen=True)
class RunFiles:
    """What lies in a run folder."""

    run_id: str
    answered: tuple[Answered, ...]
    """Rows with a final answer, by row id."""


def read_run(folder: Path) -> RunFiles:
    """Read a run folder by the rules of `benchwright.eval.runs.store`.

    Raises:
        UsageError: it is no run folder.
    """
    try:
        spec = json.loads((folder / SPEC_NAME).read_bytes())
    except FileNotFoundError as error:
        raise UsageError(f"{folder} is no run folder: it has no {SPEC_NAME}.") from error
    except ValueError as error:
        raise UsageError(f"{folder / SPEC_NAME} is no specification of a run: run again.") from error
    if not (folder / ROWS_NAME).is_file():
        raise UsageError(f"{folder} has no {ROWS_NAME}: start the run first.")
    rows = read_jsonl(folder / ROWS_NAME, ReleaseRow)
    responses, _ = read_tolerantly(folder / RESPONSES_NAME, Response)
    judgements, _ = read_tolerantly(folder / JUDGEMENTS_NAME, Judgement)
    known, verdicts = fitting({row.id: row for row in rows}, responses, judgements)
    answered = [
        Answered(row, known[row.id], verdicts.get(row.id))
        for row in sorted(rows, key=lambda row: row.id)
        if row.id in known and known[row.id].final
    ]
    return RunFiles(digest_of(spec)[:RUN_ID_LENGTH], tuple(answered))


def fitting(
    rows: Mapping[str, ReleaseRow], responses: Sequence[Response], judgements: Sequence[Judgement]
) -> tuple[dict[str, Response], dict[str, Judgement]]:
    """The answer and the verdict that count for each row, by row id: those about the row as it is now."""
    digests = {row_id: asked_digest(row) for row_id, row in rows.items()}
    chosen = first_final([r for r in responses if digests.get(r.row_id) == r.asked_digest])
    keys = {row_id: judgement_key(rows[row_id], reply) for row_id, reply in chosen.items()}
    return chosen, first_final([j for j in judgements if keys.get(j.row_id) == j.key_digest])


def fitting_steps(
    rows: Mapping[str, ReleaseRow], responses: Mapping[str, Response], records: Sequence[StepsRecord]
) -> dict[str, StepsRecord]:
    """The steps that count for each answer that counts (see `fitting`), by row id."""
    keys = {row_id: steps_key(rows[row_id], reply) for row_id, reply in responses.items()}
    return first_final([record for record in records if keys.get(record.row_id) == record.key_digest])


def first_final(records: Iterable[F]) -> dict[str, F]:
    """One record a row: the first final one; without one, the last."""
    chosen: dict[str, F] = {}
    for record in records:
        known = chosen.get(record.row_id)
        if known is None or not known.final:
            chosen[record.row_id] = record
    return chosen


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


def run_item_id(run_id: str, row_id: str) -> str:
    """The item of the jobs about an answer: `RUN/ROW`."""
    return f"{run_id}/{row_id}"


# --- what is shown: digests of these are keys ---------------------------------------------------------------------
def asked_view(row: ReleaseRow) -> dict[str, Any]:
    """What a tested model is shown of a row."""
    return {"question": row.question, "images": row.images, "language": row.language}


def asked_digest(row: ReleaseRow) -> str:
    """Digest of what a tested model is shown of a row."""
    return digest_of(asked_view(row))


def judge_view(row: ReleaseRow, response: Response) -> dict[str, Any]:
    """What a judgement rests on, a model's and a person's: the response and what the judge is shown of the row."""
    return {
        "response": response.digest,
        "full_question": row.full_question,
        "answer": row.answer,
        "unit": row.unit,
        "options": row.options,
        "question_type": row.question_type,
    }


def judgement_key(row: ReleaseRow, response: Response) -> str:
    """Digest of `judge_view`."""
    return digest_of(judge_view(row, response))


def steps_key(row: ReleaseRow, response: Response) -> str:
    """Digest of the response and of all that a steps judge may be shown of the row, whatever its options."""
    return digest_of({"steps": judge_view(row, response), "images": row.images})


def errors_view(row: ReleaseRow, response: Response) -> dict[str, Any]:
    """What the errors job shows: as the judge sees it, with the pictures and the solution."""
    return {**judge_view(row, response), "images": row.images, "solution": row.solution}


def steps_view(row: ReleaseRow, response: Response, steps: Sequence[str]) -> dict[str, Any]:
    """What the steps job shows: as for errors, and the response's key steps, whose kinds and scores are asked.

    Args:
        row: the row.
        response: the answer that was divided.
        steps: texts of the steps, in order: another division is another question.
    """
    return {**errors_view(row, response), "steps": list(steps)}


def answer_view(row: ReleaseRow) -> dict[str, Any]:
    """What the answer job shows: no more than a model is sent, and how the answer is to be given."""
    labels = [option.label for option in row.options]
    return {**asked_view(row), "labels": labels, "question_type": row.question_type}
