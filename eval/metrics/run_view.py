"""A run folder read whole, for everything that is written about runs: rows, answers, verdicts, steps, flags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright.eval.metrics.cells import Scored
from benchwright.eval.metrics.scored import scored_rows, step_rows
from benchwright.eval.metrics.step_metrics import StepScored
from benchwright.eval.runs.people import People
from benchwright.eval.runs.protocol_name import run_label
from benchwright.eval.runs.spec import RunSpec
from benchwright.eval.runs.store import Loaded, RunFolder
from benchwright.schemas.digest import digest_of
from benchwright.schemas.flags import FLAGS_NAME, Flag
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.runs import read_tolerantly


@dataclass(frozen=True)
class RunView:
    """One run."""

    spec: RunSpec
    people: People | None
    rows: tuple[ReleaseRow, ...]
    known: Loaded
    scored: tuple[Scored, ...]
    """One for each row; none where the run was judged for its steps only."""
    steps: tuple[StepScored, ...]
    """One for each row of a run whose steps are scored; else none."""
    digests: Mapping[str, str]
    """Row id -> digest of the released row."""
    flags: tuple[Flag, ...] = ()

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.spec.run_id

    @property
    def incomplete(self) -> bool:
        """True when a row was not run or not judged."""
        unknown = any(row.value("accuracy") is None for row in self.scored)
        return unknown or any(row.outcome in ("unjudged", "not-run") for row in self.steps)


def read_view(folder: RunFolder) -> RunView:
    """Read a run.

    Raises:
        UsageError: the folder holds no run.
    """
    spec = folder.spec()
    rows = folder.rows()
    known = folder.load(rows)
    flags, _ = read_tolerantly(folder.path / FLAGS_NAME, Flag)
    return RunView(
        spec=spec,
        people=folder.people(),
        rows=rows,
        known=known,
        scored=() if spec.judge is None and spec.steps is not None else tuple(scored_rows(rows, known)),
        steps=() if spec.steps is None else tuple(step_rows(rows, known)),
        digests={row.id: digest_of(row) for row in rows},
        flags=tuple(flags),
    )


def labels(runs: Sequence[RunView]) -> dict[str, str]:
    """Run id -> a name that no other run of these has."""
    names = [run_label(run.spec) for run in runs]
    return {
        run.run_id: name if names.count(name) == 1 else f"{name} [{run.run_id[:6]}]"
        for run, name in zip(runs, names, strict=True)
    }


def release_groups(runs: Sequence[RunView]) -> list[list[RunView]]:
    """Runs by the release that they asked, in the order given: figures of two releases never share a table.

    Two runs are of one release when its name, commit and tag are the same, every row that both have is the same to the
    byte, and, where both asked the same choice of it, the digests over all their rows agree.
    """
    groups: list[list[RunView]] = []
    for run in runs:
        for group in groups:
            if all(_one_release(run, other) for other in group):
                group.append(run)
                break
        else:
            groups.append([run])
    return groups


def _one_release(one: RunView, other: RunView) -> bool:
    a, b = one.spec.dataset, other.spec.dataset
    if (a.name, a.commit, a.tag, a.answers) != (b.name, b.commit, b.tag, b.answers):
        return False
    whole = not (a.partial or b.partial or one.people or other.people)
    if whole and (a.versions, a.languages, a.splits) == (b.versions, b.languages, b.splits):
        return a.digest == b.digest
    smaller, larger = sorted((one.digests, other.digests), key=len)
    return all(larger.get(row_id, digest) == digest for row_id, digest in smaller.items())
