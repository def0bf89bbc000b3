"""Blind baselines: the same rows asked without their pictures, or without their text.

What a model gets right blind needs no seeing, so these runs stand beside a table and are never ranked in it. A row
without a picture is the same question blind or not, and a vision-only row has no text, so a baseline rests only on the
rows from which something was taken away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from benchwright.eval.metrics.cells import Scored, cell_of
from benchwright.eval.metrics.intervals import IntervalMethod
from benchwright.eval.metrics.repeats import RunRecords, without_sample
from benchwright.eval.runs.spec import RunSpec
from benchwright.schemas.digest import digest_of
from benchwright.schemas.records import Record
from benchwright.schemas.versions import VERSIONS, Version

BlindKind = Literal["text without image", "image without text"]
_KINDS: dict[str, BlindKind] = {"Q": "text without image", "I": "image without text"}


class Blind(Record):
    """A run that saw a part of each row only, beside the run that saw all. Shares are in 0..1."""

    run_id: str
    kind: BlindKind
    of: str | None
    """The same model's run with everything shown and else the same settings; None where it is not among these."""
    rows: int
    """Rows of the blind run from which something was taken away, in both runs."""
    n_scored: int
    accuracy: float | None
    low: float | None
    high: float | None
    interval: IntervalMethod
    full_accuracy: float | None
    """Of the other run, on the same rows."""
    full_incomplete: bool
    """True when one of these rows was not run or not judged there."""
    chance: float


def blind_kind(spec: RunSpec) -> BlindKind | None:
    """What a run saw of each row, None where it saw all."""
    return _KINDS.get(spec.input)


def blind_baselines(runs: Sequence[RunRecords]) -> tuple[Blind, ...]:
    """The blind runs among these, in the order given, each beside the run that it is a baseline for.

    Args:
        runs: with the outcomes of final answers.
    """
    full = {_question(run.spec): run for run in reversed(runs) if blind_kind(run.spec) is None}
    found = []
    for run in runs:
        kind = blind_kind(run.spec)
        if kind is not None and run.rows:
            found.append(_blind(run, kind, full.get(_question(run.spec))))
    return tuple(found)


def takes_away(kind: BlindKind, row: Scored, with_images: frozenset[str]) -> bool:
    """Whether a blind run saw less of the row than there is."""
    if kind == "text without image":
        return row.row_id in with_images
    # Without a picture there was nothing left to be asked.
    return row.row_id in with_images and VERSIONS[Version(row.version)].text


def _question(spec: RunSpec) -> str:
    """What was asked of whom, but for what was shown, how often, in which words, and which rows were chosen."""
    data = {"name": spec.dataset.name, "commit": spec.dataset.commit, "tag": spec.dataset.tag}
    hidden = {"dataset", "input", "prompts", "image_policy"}
    asked = without_sample(spec).model_dump(mode="json", exclude=hidden)
    return digest_of({**asked, "data": data})


def _blind(run: RunRecords, kind: BlindKind, other: RunRecords | None) -> Blind:
    rows = [row for row in run.rows if takes_away(kind, row, run.with_images)]
    full = None
    if other is not None:
        shared = set(run.digests.items()) & set(other.digests.items())
        ids = {row_id for row_id, _ in shared} & {row.row_id for row in rows}
        rows = [row for row in rows if row.row_id in ids]
        full = cell_of((), (), [row for row in other.rows if row.row_id in ids])
    cell = cell_of((), (), rows)
    return Blind(
        run_id=run.spec.run_id,
        kind=kind,
        of=None if other is None else other.spec.run_id,
        rows=len(rows),
        n_scored=cell.n_scored,
        accuracy=cell.accuracy,
        low=cell.low,
        high=cell.high,
        interval=cell.interval,
        full_accuracy=None if full is None else full.accuracy,
        full_incomplete=full is not None and full.incomplete,
        chance=cell.chance,
    )
