"""How far a steps judge can be trusted: its splits and its marks on responses whose steps people have settled.

Two measurements a case. The judge cuts the response itself: which of the settled steps it finds, and whether it gives
those the same kind (K or L). Then it marks the settled steps, so that its marks (1 or 0) are measured whatever its cut
was. Agreement is given with Wilson intervals and as Cohen's kappa, because most steps of good responses are right.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError

from benchwright.eval.judges.judge_check import Rate, kappa, rate_of
from benchwright.eval.runs.spec import ModelSpec, PromptRef, StepsSee, StepsSpec, model_spec
from benchwright.eval.scicot.step_quotes import QuoteError, Span, find_steps
from benchwright.eval.scicot.steps import STEPS_MAX_TOKENS, FoundStep, StepsQuestion, found_steps, steps_refs
from benchwright.eval.scicot.steps_pass import ask_scores, ask_split
from benchwright.models.scheduler import Scheduler, as_finished
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Record, Sha256
from benchwright.schemas.runs import Step

Text = Annotated[str, StringConstraints(min_length=1)]
SAME_STEP = 0.5
"""Least share of a settled step that one step of the judge has to hold to be taken for the same."""


class StepsCase(Record):
    """A response with its settled steps."""

    discipline: str
    question: Text
    """With its options, where it has some."""
    response: Text
    language: Literal["en", "zh"] = "en"
    ground_answer: str | None = None
    """Shown to the scorer only with `--steps-see answer`."""
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]
    """In the response's order; each text stands in the response."""
    kind: Text
    """What the case is about; figures are given by kind too."""
    why: str = ""


class StepsFigures(Record):
    """How a judge did on some cases."""

    n: int
    failed: int
    """Cases in which the judge gave no split or no marks that can be used."""
    steps: int
    """Settled steps of the cases whose split can be used."""
    found: Rate
    """Of these: how many the judge's own split has."""
    extra: int
    """Steps of the judge that are none of the settled ones."""
    same_kind: Rate
    """Of the found steps: how many get the settled kind."""
    kind_kappa: float | None
    same_score: Rate
    """Of the settled steps that were marked: how many get the settled mark."""
    score_kappa: float | None
    false_right: Rate
    """Of the marked steps that are wrong: how many are marked right."""
    false_wrong: Rate
    """Of the marked steps that are right: how many are marked wrong."""


class StepsCheck(StepsFigures):
    """A steps judge measured on cases."""

    judge: ModelSpec
    prompts: tuple[PromptRef, ...]
    see: tuple[StepsSee, ...]
    """What the scorer saw besides question and response."""
    cases: Sha256
    """Digest of the cases."""
    by_kind: dict[str, StepsFigures]
    failed_cases: tuple[int, ...]
    """Their places in the file, from 1."""


@dataclass(frozen=True)
class _Checked:
    case: StepsCase
    number: int
    kinds: tuple[tuple[str, str], ...] | None
    """(settled, said) for each settled step that the judge's split has; None where there is no split."""
    extra: int
    scores: tuple[tuple[int, int], ...] | None
    """(settled, said) for each settled step; None where there are no marks."""

    @property
    def failed(self) -> bool:
        return self.kinds is None or self.scores is None


def read_steps_cases(path: Path) -> tuple[StepsCase, ...]:
    """The cases of a JSONL file.

    Raises:
        UsageError: it is missing or empty, a line is no case, or a settled step does not stand in its response.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read as UTF-8 text: name a JSONL file of step cases.") from error
    cases = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            case = StepsCase.model_validate(json.loads(line))
            find_steps(case.response, [step.text for step in case.steps])
        except (ValueError, ValidationError, QuoteError) as error:
            said = error.errors()[0] if isinstance(error, ValidationError) else None
            why = f"{'.'.join(map(str, said['loc']))}: {said['msg']}" if said else str(error)
            raise UsageError(f"{path}, line {number} is no step case ({why}).") from error
        cases.append(case)
    if not cases:
        raise UsageError(f"{path} holds no cases.")
    return tuple(cases)


async def check_steps(
    cases: Sequence[StepsCase],
    scheduler: Scheduler,
    max_tokens: int = STEPS_MAX_TOKENS,
    see: tuple[StepsSee, ...] = (),
) -> StepsCheck:
    """Let a judge cut and mark every case as a run would.

    Args:
        cases: with settled steps.
        scheduler: of the judging model.
        max_tokens: room for each reply; never less than a run gives.
        see: what the scorer sees besides question and response; cases have no pictures.
    """
    room = max(max_tokens, STEPS_MAX_TOKENS)

    async def one(item: tuple[int, StepsCase]) -> _Checked:
        return await _check(item[0], item[1], scheduler, room, "answer" in see)

    numbered = list(enumerate(cases, start=1))
    stream = as_finished(numbered, one, scheduler.settings.concurrency)
    found = sorted([checked async for _, checked in stream], key=lambda checked: checked.number)
    kinds = {case.kind for case in cases}
    return StepsCheck(
        **_figures(found).model_dump(),
        by_kind={
            kind: _figures([checked for checked in found if checked.case.kind == kind])
            for kind in sorted(kinds)
        },
        failed_cases=tuple(checked.number for checked in found if checked.failed),
        judge=model_spec(scheduler.model),
        prompts=steps_refs(sorted({case.language for case in cases})),
        see=see,
        cases=digest_of([case.model_dump(mode="json") for case in cases]),
    )


def read_steps_check(path: Path) -> StepsCheck:
    """A calibration that `evaluate judge-check --kind steps --save` wrote.

    Raises:
        UsageError: it is missing or of another form.
    """
    try:
        return StepsCheck.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise UsageError(
            f"{path} does not exist: write it with evaluate judge-check CASES --kind steps --save {path}."
        ) from error
    except ValidationError as error:
        raise UsageError(
            f"{path} holds no calibration of a steps judge: write it with evaluate judge-check --kind steps --save."
        ) from error


def measures(found: StepsCheck, spec: StepsSpec) -> bool:
    """Whether a calibration is of the very judge of a run: model, prompts and what it saw."""
    return found.judge == spec.model and found.see == spec.see and set(spec.prompts) <= set(found.prompts)


def steps_calibration_lines(found: StepsCheck) -> list[str]:
    """The calibration in words, one Markdown line each, for a report."""
    (_, n), (_, failed), *figures = steps_check_lines(found)
    head = f"- the steps judge ({found.judge.name}) was measured on {n} responses with settled steps, {failed} failed"
    return [head, *(f"- {name}: {words}" for name, words in figures)]


def steps_check_lines(found: StepsCheck) -> list[tuple[str, str]]:
    """The figures in words, for a summary table."""
    return [
        ("cases", str(found.n)),
        ("failed", str(found.failed)),
        ("settled steps found", _in_words(found.found)),
        ("steps beside them", str(found.extra)),
        ("same kind (K or L)", _in_words(found.same_kind) + _kappa_words(found.kind_kappa)),
        ("same mark (1 or 0)", _in_words(found.same_score) + _kappa_words(found.score_kappa)),
        ("wrong steps marked right", _in_words(found.false_right)),
        ("right steps marked wrong", _in_words(found.false_wrong)),
    ]


async def _check(
    number: int, case: StepsCase, scheduler: Scheduler, max_tokens: int, see_answer: bool
) -> _Checked:
    asked = StepsQuestion(
        item_id=f"case {number}",
        language=case.language,
        question=case.question,
        response=case.response,
        reference=case.ground_answer if see_answer else None,
    )
    spans = find_steps(case.response, [step.text for step in case.steps])
    settled = tuple(
        FoundStep(span, case.response[span.start : span.end], step.kind)
        for span, step in zip(spans, case.steps, strict=True)
    )
    split = await ask_split(asked, scheduler, 0.0, max_tokens)
    kinds, extra = None, 0
    if split.value is not None:
        kinds, extra = _same_steps(settled, found_steps(case.response, split.value))
    marks = await ask_scores(asked, settled, scheduler, max_tokens)
    scores = None
    if marks.value is not None:
        said = {mark.step: mark.score for mark in marks.value.scores}
        scores = tuple((step.score, said[place]) for place, step in enumerate(case.steps, start=1))
    return _Checked(case, number, kinds, extra, scores)


def _same_steps(
    settled: Sequence[FoundStep], said: Sequence[FoundStep]
) -> tuple[tuple[tuple[str, str], ...], int]:
    """Kinds of the settled steps that the judge has too, and how many steps it has besides."""
    pairs = []
    used = set()
    for step in settled:
        shared = [_shared(step.span, other.span) for other in said]
        best = max(range(len(said)), key=lambda place: shared[place])
        if shared[best] >= SAME_STEP * (step.span.end - step.span.start):
            pairs.append((step.kind, said[best].kind))
            used.add(best)
    return tuple(pairs), len(said) - len(used)


def _shared(one: Span, other: Span) -> int:
    return max(0, min(one.end, other.end) - max(one.start, other.start))


def _figures(found: Iterable[_Checked]) -> StepsFigures:
    checked = list(found)
    split = [one for one in checked if one.kinds is not None]
    kinds = [pair for one in split for pair in one.kinds or ()]
    scores = [pair for one in checked for pair in one.scores or ()]
    wrong, right = scores.count((0, 0)) + scores.count((0, 1)), scores.count((1, 0)) + scores.count((1, 1))
    settled = sum(len(one.case.steps) for one in split)
    return StepsFigures(
        n=len(checked),
        failed=sum(one.failed for one in checked),
        steps=settled,
        found=rate_of(len(kinds), settled),
        extra=sum(one.extra for one in split),
        same_kind=rate_of(sum(one == other for one, other in kinds), len(kinds)),
        kind_kappa=kappa((one == "K", other == "K") for one, other in kinds),
        same_score=rate_of(sum(one == other for one, other in scores), len(scores)),
        score_kappa=kappa((one == 1, other == 1) for one, other in scores),
        false_right=rate_of(scores.count((0, 1)), wrong),
        false_wrong=rate_of(scores.count((1, 0)), right),
    )


def _in_words(rate: Rate) -> str:
    if rate.share is None or rate.low is None or rate.high is None:
        return f"{rate.count} of {rate.of}"
    return f"{rate.count} of {rate.of} = {100 * rate.share:.1f} % ({100 * rate.low:.1f} to {100 * rate.high:.1f})"


def _kappa_words(value: float | None) -> str:
    return "" if value is None else f", kappa {value:.2f}"
