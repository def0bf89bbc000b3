"""Stored answers under another judge, newer rules or a corrected release, without calling the tested model again.

A rescored run is a run of its own: the old specification with the judge, the release, or both replaced. Answers are
carried over where the model was shown exactly what the row shows now; a row whose question or pictures changed is not
run, and counted. Verdicts and steps are carried over only where the judge is the same and saw the same. Where it came
from and what changed stands in `rescored.json` beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from benchwright.eval.display.plain_text import markdown_cell
from benchwright.eval.runs.dataset import Dataset, Selection, choose_rows, dataset_spec
from benchwright.eval.runs.run_pictures import find_pictures
from benchwright.eval.runs.spec import DatasetSpec, JudgeSpec, RunSpec, StepsSpec
from benchwright.eval.runs.store import Loaded, RunFolder
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.errors import UsageError
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import Record, ReleaseRow
from benchwright.schemas.release_table import ResolvedRelease
from benchwright.schemas.runs import Judgement, Response, StepsRecord, asked_digest, judgement_key, steps_key
from benchwright.schemas.workspace import Workspace

RESCORED_NAME = "rescored.json"
"""File in the new run's folder."""
_ROW_WORDS = {
    "asked-changed": "ask something else now and lost their answers",
    "gone": "are gone",
    "key-changed": "have another reference, options or unit",
    "new": "were not there",
}
RowChange = Literal["same", "key-changed", "asked-changed", "gone", "new"]
"""What a release did to a row: nothing; what the judge sees of it; what the model is shown; took it out; added it."""


class Verdict(Record):
    """What one row's answer is worth in one of the two runs."""

    outcome: str
    reason: str = ""
    right_steps: str = ""
    """`3/4 K, 1/2 L` where steps are scored."""


class Changed(Record):
    """A row whose worth changed."""

    row_id: str
    row: RowChange
    before: Verdict | None
    """None where the old run had no such row."""
    after: Verdict | None


class Rescored(Record):
    """Where a rescored run came from, and what became of its rows."""

    rescored_from: str
    """Run id."""
    from_dataset: DatasetSpec
    from_judge: JudgeSpec | None
    from_steps: StepsSpec | None
    rows: dict[str, int]
    """Rows by what the release did to them (`RowChange`)."""
    carried: int
    """Answers that were carried over."""
    verdicts_kept: int
    """Verdicts or steps that were carried over with them: same judge, same things seen."""
    changed: tuple[Changed, ...] = ()
    """Filled in once the new run is judged."""


@dataclass(frozen=True)
class Carried:
    """The contents of the new folder before anything is judged."""

    spec: RunSpec
    dataset: Dataset
    responses: tuple[Response, ...]
    judgements: tuple[Judgement, ...]
    steps: tuple[StepsRecord, ...]
    origin: Rescored


def rows_of(
    folder: RunFolder, release: ResolvedRelease | None, workspace: Workspace | None, *, pictures: bool
) -> Dataset:
    """The rows of the new run: the old ones, or the same choice of rows in another release.

    A run of a part of the rows (`--limit`, `--only`) keeps exactly these.

    Args:
        folder: the old run.
        release: the corrected release; None for the old rows.
        workspace: where pictures may be found.
        pictures: whether they are needed: a steps judge may see them.

    Raises:
        UsageError: the release has none of the rows, or withholds their answers; or the pictures are nowhere.
    """
    spec, rows = folder.spec(), folder.rows()
    if release is None:
        needed = {sha256 for row in rows for sha256 in row.images} if pictures else set()
        return Dataset(spec.dataset, rows, find_pictures(workspace, spec.dataset, needed))
    asked = spec.dataset
    found = choose_rows(release, Selection(asked.versions, asked.languages, asked.splits))
    if not asked.partial:
        return found
    known = {row.id for row in rows}
    kept = tuple(row for row in found.rows if row.id in known)
    if not kept:
        raise UsageError(f"{release.name} has none of the {len(rows)} rows of run {spec.run_id}.")
    selection = Selection(asked.versions, asked.languages, asked.splits, asked.limit, asked.only)
    return replace(found, spec=dataset_spec(release, selection, kept), rows=kept)


def carry_over(
    folder: RunFolder, dataset: Dataset, judge: JudgeSpec | None, steps: StepsSpec | None
) -> Carried:
    """What the new run holds before anything is judged.

    Args:
        folder: the old run.
        dataset: rows of the new one.
        judge: who judges final answers now; None where nobody does.
        steps: who scores steps now; None where nobody does.

    Raises:
        UsageError: the new run would be the old one.
    """
    old, rows = folder.spec(), folder.rows()
    spec = old.model_copy(update={"dataset": dataset.spec, "judge": judge, "steps": steps})
    if spec == old:
        raise UsageError(
            f"run {old.run_id} was scored by just this judge on just these rows: name another judge or release."
        )
    known, now = folder.load(rows), {row.id: row for row in dataset.rows}
    responses = [
        response
        for row_id, response in sorted(known.responses.items())
        if row_id in now and response.asked_digest == asked_digest(now[row_id])
    ]
    kept = {response.row_id: response for response in responses}
    judgements = _judgements(known, now, kept) if judge == old.judge else ()
    divided = _steps(known, now, kept) if steps == old.steps else ()
    origin = Rescored(
        rescored_from=old.run_id,
        from_dataset=old.dataset,
        from_judge=old.judge,
        from_steps=old.steps,
        rows=dict(sorted(Counter(row_changes(rows, dataset.rows).values()).items())),
        carried=len(responses),
        verdicts_kept=len(judgements) + len(divided),
    )
    return Carried(spec, dataset, tuple(responses), judgements, divided, origin)


def write_carried(folder: RunFolder, carried: Carried, old: RunFolder) -> None:
    """Fill the new run's folder; the caller holds its lock. One that was filled before is continued.

    Raises:
        UsageError: a run with these settings lies there that was not rescored from the same one.
    """
    if folder.spec_path.exists():
        known = read_origin(folder)
        if known is None or known.rescored_from != carried.origin.rescored_from:
            raise UsageError(
                f"{folder.path} holds a run with just these settings already: look at it with evaluate report, or "
                "choose another --out."
            )
        folder.open(carried.spec)
        return
    # The specification last of all: a folder that has one is complete.
    folder.write_rows(carried.dataset.rows)
    folder.replace_responses(carried.responses)
    write_jsonl(folder.judgements.path, carried.judgements)
    write_jsonl(folder.steps.path, carried.steps)
    if (people := old.people()) is not None:
        folder.write_people(people)
    write_origin(folder, carried.origin)
    write_atomic(folder.spec_path, (canonical_json(carried.spec) + "\n").encode("utf-8"))


def compare(old: RunFolder, new: RunFolder, origin: Rescored) -> Rescored:
    """The origin with the rows whose worth changed, sorted by id."""
    before_rows, after_rows = old.rows(), new.rows()
    changes = row_changes(before_rows, after_rows)
    before = verdicts(before_rows, old.load(before_rows), old.spec())
    after = verdicts(after_rows, new.load(after_rows), new.spec())
    changed = [
        Changed(row_id=row_id, row=changes[row_id], before=before.get(row_id), after=after.get(row_id))
        for row_id in sorted(changes)
        if not _same_worth(before.get(row_id), after.get(row_id))
    ]
    return origin.model_copy(update={"changed": tuple(changed)})


def verdicts(rows: Iterable[ReleaseRow], known: Loaded, spec: RunSpec) -> dict[str, Verdict]:
    """What each row's answer is worth, by row id."""
    found = {}
    for row in rows:
        response = known.responses.get(row.id)
        if response is None or not response.final:
            status = "not-asked" if response is None else response.status.value
            found[row.id] = Verdict(outcome="not-run", reason=status)
        elif spec.steps is not None:
            found[row.id] = _by_steps(known.steps.get(row.id))
        else:
            judged = known.judgements.get(row.id)
            found[row.id] = (
                Verdict(outcome="unjudged", reason="not-judged")
                if judged is None
                else Verdict(outcome=judged.outcome.value, reason=judged.reason)
            )
    return found


def row_changes(before: Sequence[ReleaseRow], after: Sequence[ReleaseRow]) -> dict[str, RowChange]:
    """What happened to each row of either release, by row id."""
    old, new = {row.id: row for row in before}, {row.id: row for row in after}
    changes: dict[str, RowChange] = {}
    for row_id in sorted(old.keys() | new.keys()):
        if row_id not in new:
            changes[row_id] = "gone"
        elif row_id not in old:
            changes[row_id] = "new"
        elif asked_digest(old[row_id]) != asked_digest(new[row_id]):
            changes[row_id] = "asked-changed"
        else:
            changes[row_id] = "same" if _judged_alike(old[row_id], new[row_id]) else "key-changed"
    return changes


def read_origin(folder: RunFolder) -> Rescored | None:
    """Where a run was rescored from; None for a run that asked a model.

    Raises:
        UsageError: the file is no such record.
    """
    path = origin_path(folder)
    if not path.is_file():
        return None
    try:
        return Rescored.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise UsageError(f"{path} cannot be read: rescore into another folder.") from error


def write_origin(folder: RunFolder, origin: Rescored) -> None:
    """Keep where a run came from beside it."""
    write_atomic(origin_path(folder), (canonical_json(origin) + "\n").encode("utf-8"))


def origin_line(origin: Rescored) -> str:
    """What a report says of a rescored run, as Markdown."""
    judge = origin.from_judge
    if origin.from_steps is not None:
        by = f"its steps were scored there by {markdown_cell(origin.from_steps.model.name)}"
    elif judge is None:
        by = "nobody judged them there"
    else:
        name = "" if judge.model is None else f" {markdown_cell(judge.model.name)}"
        by = f"judged there by {judge.kind}{name}, rules version {judge.rules_version}"
    lost = ", ".join(f"{n} rows {_ROW_WORDS[kind]}" for kind, n in origin.rows.items() if kind in _ROW_WORDS)
    return (
        f"- rescored: {origin.carried} answers come from run `{origin.rescored_from}` (data digest "
        f"`{origin.from_dataset.digest[:16]}`), {by}{'; ' + lost if lost else ''}"
    )


def origin_path(folder: RunFolder) -> Path:
    """Where that lies."""
    return folder.path / RESCORED_NAME


def _judgements(
    known: Loaded, now: Mapping[str, ReleaseRow], kept: Mapping[str, Response]
) -> tuple[Judgement, ...]:
    return tuple(
        judged
        for row_id, judged in sorted(known.judgements.items())
        if row_id in kept and judged.key_digest == judgement_key(now[row_id], kept[row_id])
    )


def _steps(
    known: Loaded, now: Mapping[str, ReleaseRow], kept: Mapping[str, Response]
) -> tuple[StepsRecord, ...]:
    return tuple(
        record
        for row_id, record in sorted(known.steps.items())
        if row_id in kept and record.key_digest == steps_key(now[row_id], kept[row_id])
    )


def _judged_alike(old: ReleaseRow, new: ReleaseRow) -> bool:
    """Whether a judge sees the same of two rows."""
    names = ("full_question", "answer", "unit", "options", "question_type")
    return all(getattr(old, name) == getattr(new, name) for name in names)


def _by_steps(record: StepsRecord | None) -> Verdict:
    if record is None:
        return Verdict(outcome="unjudged", reason="not-judged")
    parts = []
    for kind in ("K", "L"):
        scores = [step.score for step in record.steps if step.kind == kind]
        parts.append(f"{sum(scores)}/{len(scores)} {kind}")
    steps = ", ".join(parts) if record.outcome == "scored" else ""
    return Verdict(outcome=record.outcome, reason=record.reason, right_steps=steps)


def _same_worth(before: Verdict | None, after: Verdict | None) -> bool:
    """Whether outcome and steps are the same; another reason for the same outcome is no change of worth."""
    if before is None or after is None:
        return before is after
    return (before.outcome, before.right_steps) == (after.outcome, after.right_steps)
