"""How far a judge can be trusted: its verdicts on cases whose truth is known.

A judge's errors shift every accuracy that it yields, so a report carries them: how often it calls an inconsistent
response consistent, and the other way round, each with its interval; and Cohen's kappa over the cases that it decided.
What it leaves open (`abstained`) and what failed is counted apart and is never a wrong verdict.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from benchwright.eval.judges.cases import JudgeCase, Prepared, cases_digest
from benchwright.eval.judges.judge import Judge
from benchwright.eval.metrics.intervals import wilson
from benchwright.eval.runs.spec import JudgeSpec
from benchwright.models.scheduler import as_finished
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Record, Sha256
from benchwright.schemas.runs import Judgement
from benchwright.schemas.status import Outcome

CALIBRATION_VERSION = 1
DIGITS = 6
_TRUTH = {Outcome.CONSISTENT: True, Outcome.INCONSISTENT: False, Outcome.NO_ANSWER: False}


@dataclass(frozen=True)
class Checked:
    """A case and what the judge made of it."""

    number: int
    """Its place in the file, from 1."""
    case: JudgeCase
    judgement: Judgement

    @property
    def verdict(self) -> bool | None:
        """True for consistent, False for inconsistent or no answer, None where there is none."""
        return _TRUTH.get(self.judgement.outcome)

    @property
    def failed(self) -> bool:
        """True when a model was asked and gave no readable verdict."""
        return self.verdict is None and self.judgement.judge_status is not None


class Rate(Record):
    """A share with its Wilson interval (95 %); None where nothing was counted."""

    count: int
    of: int
    share: float | None
    low: float | None
    high: float | None


class KindFigures(Record):
    """Counts over the cases of one kind."""

    n: int
    decided: int
    wrong: int
    false_consistent: int
    false_inconsistent: int
    abstained: int
    failed: int


class LeftOpen(Record):
    """A case without a verdict."""

    number: int
    kind: str
    consistent: bool
    """What would have been right."""
    reason: str
    """Why there is none, as a stable code."""


class Calibration(KindFigures):
    """A judge measured on cases; `decided` = right + wrong, `n` = decided + abstained + failed."""

    calibration_version: int = CALIBRATION_VERSION
    judge: JudgeSpec
    cases: Sha256
    """Digest of the cases."""
    accuracy: Rate
    """Right verdicts among those given."""
    false_consistent_rate: Rate
    """Of the inconsistent cases that were decided: how many were called consistent."""
    false_inconsistent_rate: Rate
    """Of the consistent cases that were decided: how many were called inconsistent."""
    kappa: float | None
    """Cohen's kappa over the decided cases; None where chance alone explains everything."""
    by_kind: dict[str, KindFigures]
    decided_by: dict[str, int]
    left_open: tuple[LeftOpen, ...]
    wrong_cases: tuple[int, ...]
    """Places of the cases with a wrong verdict."""


async def check_cases(cases: Sequence[Prepared], judge: Judge, concurrency: int) -> list[Checked]:
    """Judge every case as a run would; in the order given."""
    numbered = list(enumerate(cases, start=1))

    async def one(item: tuple[int, Prepared]) -> Checked:
        number, case = item
        return Checked(number, case.case, await judge.judge(case.row, case.response))

    found = [checked async for _, checked in as_finished(numbered, one, concurrency)]
    return sorted(found, key=lambda checked: checked.number)


def calibrate(found: Sequence[Checked], judge: JudgeSpec) -> Calibration:
    """Every figure of a check.

    Args:
        found: the cases with their verdicts.
        judge: who judged.
    """
    total = figures(found)
    kinds: dict[str, list[Checked]] = defaultdict(list)
    for checked in found:
        kinds[checked.case.kind].append(checked)
    decided = [checked for checked in found if checked.verdict is not None]
    truly = sum(checked.case.consistent for checked in decided)
    return Calibration(
        **total.model_dump(),
        judge=judge,
        cases=cases_digest([checked.case for checked in found]),
        accuracy=rate_of(total.decided - total.wrong, total.decided),
        false_consistent_rate=rate_of(total.false_consistent, total.decided - truly),
        false_inconsistent_rate=rate_of(total.false_inconsistent, truly),
        kappa=kappa((checked.case.consistent, bool(checked.verdict)) for checked in decided),
        by_kind={kind: figures(members) for kind, members in sorted(kinds.items())},
        decided_by=dict(sorted(Counter(checked.judgement.decided_by for checked in found).items())),
        left_open=tuple(
            LeftOpen(
                number=checked.number,
                kind=checked.case.kind,
                consistent=checked.case.consistent,
                reason=checked.judgement.reason,
            )
            for checked in found
            if checked.verdict is None
        ),
        wrong_cases=tuple(
            checked.number for checked in decided if checked.verdict is not checked.case.consistent
        ),
    )


def figures(found: Iterable[Checked]) -> KindFigures:
    """Counts over some checked cases."""
    all_of = list(found)
    false_consistent = sum(c.verdict is True and not c.case.consistent for c in all_of)
    false_inconsistent = sum(c.verdict is False and c.case.consistent for c in all_of)
    decided = sum(c.verdict is not None for c in all_of)
    failed = sum(c.failed for c in all_of)
    return KindFigures(
        n=len(all_of),
        decided=decided,
        wrong=false_consistent + false_inconsistent,
        false_consistent=false_consistent,
        false_inconsistent=false_inconsistent,
        abstained=len(all_of) - decided - failed,
        failed=failed,
    )


def kappa(pairs: Iterable[tuple[bool, bool]]) -> float | None:
    """Cohen's kappa of (truth, verdict) pairs; None without pairs, or where both always say the same one thing."""
    counts = Counter(pairs)
    n = sum(counts.values())
    if not n:
        return None
    observed = (counts[True, True] + counts[False, False]) / n
    truth = (counts[True, True] + counts[True, False]) / n
    verdict = (counts[True, True] + counts[False, True]) / n
    expected = truth * verdict + (1 - truth) * (1 - verdict)
    return None if expected == 1 else round((observed - expected) / (1 - expected), DIGITS)


def write_calibration(path: Path, calibration: Calibration) -> None:
    """Keep a calibration for the reports that rest on this judge; same record, same bytes."""
    write_atomic(path, (canonical_json(calibration) + "\n").encode("utf-8"))


def read_calibration(path: Path) -> Calibration:
    """A calibration that `evaluate judge-check --save` wrote.

    Raises:
        UsageError: it is missing or of another form.
    """
    try:
        return Calibration.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise UsageError(
            f"{path} does not exist: write it with evaluate judge-check CASES --save {path}."
        ) from error
    except ValidationError as error:
        raise UsageError(
            f"{path} holds no calibration: write it anew with evaluate judge-check --save."
        ) from error


def measures(calibration: Calibration, judge: JudgeSpec) -> bool:
    """Whether a calibration is of the very judge of a run: the same but for languages that the run does not have."""
    measured = calibration.judge
    alike = measured.model_copy(update={"prompts": judge.prompts}) == judge
    return alike and set(judge.prompts) <= set(measured.prompts)


def calibration_lines(calibration: Calibration) -> list[str]:
    """The calibration in words, one Markdown line each, for a report."""
    judge = calibration.judge
    name = judge.kind if judge.model is None else f"{judge.kind} ({judge.model.name})"
    lines = [
        f"- the judge {name} was measured on {calibration.n} cases with a known verdict: {calibration.decided} "
        f"decided, {calibration.abstained} left open, {calibration.failed} failed",
        f"- right: {_in_words(calibration.accuracy)}",
        f"- called consistent although they differ: {_in_words(calibration.false_consistent_rate)}",
        f"- called inconsistent although they agree: {_in_words(calibration.false_inconsistent_rate)}",
    ]
    if calibration.kappa is not None:
        lines.append(f"- Cohen's kappa with the known verdicts: {calibration.kappa:.3f}")
    return lines


def _in_words(rate: Rate) -> str:
    if rate.share is None or rate.low is None or rate.high is None:
        return f"{rate.count} of {rate.of}"
    return f"{rate.count} of {rate.of} = {100 * rate.share:.1f} % ({100 * rate.low:.1f} to {100 * rate.high:.1f})"


def rate_of(count: int, of: int) -> Rate:
    """A share with its Wilson interval; no share where nothing was counted."""
    if of == 0:
        return Rate(count=count, of=of, share=None, low=None, high=None)
    low, high = wilson(count, of)
    return Rate(
        count=count, of=of, share=round(count / of, DIGITS), low=round(low, DIGITS), high=round(high, DIGITS)
    )
