"""People's answers as runs: `reviews/answer.jsonl` becomes run folders of the models `human/A01`, ..., or `human/all`.

A person's first submitted answer to a row counts, in its newest state. "Cannot decide" and "the item is faulty" are no
answer; a skipped task or a draft is nothing. The rows of a run are those that the person dealt with.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

from benchwright.eval.judges.judge_llm import JUDGE_MAX_TOKENS
from benchwright.eval.pipeline.plan import judge_spec
from benchwright.eval.runs.dataset import Dataset, Selection, check_rows, dataset_spec
from benchwright.eval.runs.people import People
from benchwright.eval.runs.spec import (
    SCORED_SPLITS,
    JudgeKind,
    ModelSpec,
    PromptRef,
    RunSpec,
    SamplingSpec,
)
from benchwright.models.chat import ChatModel
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Review, shown_digest
from benchwright.schemas.journal import Journal
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.release_table import ResolvedRelease, read_release
from benchwright.schemas.review_states import current_states, is_review_slot, moment
from benchwright.schemas.runs import Response, answer_view, asked_digest
from benchwright.schemas.status import CallStatus
from benchwright.schemas.workspace import Workspace

JOB = "answer"
FIELD = "answer"
EVERYBODY = "all"
PROTOCOL: Final = "human"


@dataclass(frozen=True)
class HumanRun:
    """One run as it will be written and judged."""

    name: str
    """`human/A01` or `human/all`."""
    dataset: Dataset
    """Without pictures: nobody is asked anything."""
    responses: tuple[Response, ...]
    people: People
    guidelines: tuple[str, ...]
    """Digests of the guidelines under which the answers were given."""


def read_answers(workspace: Workspace) -> list[Review]:
    """Every submitted answer of the `answer` job in its newest state, one a person and row, oldest first.

    Answers to the qualification set are practice, and an adjudicator has seen others' answers: neither counts.

    Raises:
        UsageError: there is none.
    """
    states = current_states(Journal(workspace.reviews(JOB)).read(Review))
    said = [
        review
        for review in states
        if review.field == FIELD
        and review.state == "submitted"
        and is_review_slot(review.slot)
        and (review.value is not None or review.undecided is not None)
    ]
    if not said:
        raise UsageError(
            f"{workspace.reviews(JOB)} holds no submitted answers: `annotate push answer --from-release RELEASE`, let "
            "people answer, then `annotate pull answer`."
        )
    first: dict[tuple[str, str, str], Review] = {}
    for review in sorted(said, key=lambda r: (moment(r), r.annotation_id)):
        first.setdefault((review.pseudonym, review.item_id, review.digest), review)
    return list(first.values())


def human_runs(
    release: ResolvedRelease, answers: Sequence[Review], persons: Sequence[str] = (), *, pooled: bool = False
) -> list[HumanRun]:
    """Make runs of people's answers.

    Args:
        release: what they answered.
        answers: of `read_answers`.
        persons: pseudonyms; empty means everybody.
        pooled: one run `human/all` in place of one for each person. A row with several answers then takes that of one
            person, drawn by digest: the figure is that of an average person, not of a crowd.

    Raises:
        UsageError: an unknown pseudonym, or nobody answered a row of this release.
    """
    known = sorted({review.pseudonym for review in answers})
    if missing := sorted(set(persons) - set(known)):
        raise UsageError(f"{missing[0]} has answered nothing: there are answers of {', '.join(known)}.")
    rows = {row.id: row for row, _ in read_release(release) if row.split in SCORED_SPLITS}
    chosen = [review for review in answers if not persons or review.pseudonym in persons]
    sets: dict[str, list[Review]] = defaultdict(list)
    for review in chosen:
        sets[EVERYBODY if pooled else review.pseudonym].append(review)
    runs = [_run(release, rows, f"human/{name}", said) for name, said in sorted(sets.items())]
    found = [run for run in runs if run is not None]
    if not found:
        raise UsageError(
            f"none of the {len(chosen)} answers is about a row of {release.name} as it stands there: name the release "
            "that was answered."
        )
    return found


def human_spec(
    run: HumanRun, kind: JudgeKind, judge: ChatModel | None, judge_max_tokens: int = JUDGE_MAX_TOKENS
) -> RunSpec:
    """The specification of a run of people's answers; its revision is the digest of the answers."""
    return RunSpec(
        protocol=PROTOCOL,
        dataset=run.dataset.spec,
        model=ModelSpec(name=run.name, endpoint=PROTOCOL, revision=digest_of(list(run.responses))),
        sampling=SamplingSpec(max_tokens=None, temperature=None),
        prompts=tuple(PromptRef(name="guidelines", sha256=sha256) for sha256 in run.guidelines),
        judge=judge_spec(kind, judge, judge_max_tokens, run.dataset.spec.languages),
    )


def human_response(row: ReleaseRow, review: Review) -> Response:
    """A person's answer as the journal's record: no answer is an empty reply that says why."""
    text = "" if review.value is None else str(review.value)
    return Response(
        row_id=row.id,
        asked_digest=asked_digest(row),
        status=CallStatus.OK if text.strip() else CallStatus.EMPTY,
        text=text,
        detail=review.undecided or "",
    )


def _run(
    release: ResolvedRelease, rows: Mapping[str, ReleaseRow], name: str, said: Sequence[Review]
) -> HumanRun | None:
    """The run of some people's answers; None where none of them is about a row as it is."""
    about = [review for review in said if review.item_id in rows]
    fitting = [r for r in about if r.digest == shown_digest(answer_view(rows[r.item_id]))]
    by_row: dict[str, list[Review]] = defaultdict(list)
    for review in fitting:
        by_row[review.item_id].append(review)
    if not by_row:
        return None
    drawn = {
        row_id: min(given, key=lambda r: digest_of([row_id, r.pseudonym])) for row_id, given in by_row.items()
    }
    answered = tuple(rows[row_id] for row_id in sorted(drawn))
    check_rows(answered, release.name)
    responses = tuple(human_response(row, drawn[row.id]) for row in answered)
    times = [r.lead_time for r in drawn.values() if r.lead_time is not None]
    people = People(
        people=tuple(sorted({review.pseudonym for review in drawn.values()})),
        items=len(answered),
        answered=sum(response.status is CallStatus.OK for response in responses),
        undecided=dict(sorted(Counter(r.undecided for r in drawn.values() if r.undecided).items())),
        median_seconds=round(median(times), 1) if times else None,
        timed=len(times),
        met_before=_met_before(fitting, drawn.values(), rows),
        several=sum(len(given) > 1 for given in by_row.values()),
        stale=len(about) - len(fitting),
        unknown=len(said) - len(about),
    )
    guidelines = tuple(sorted({review.guidelines for review in drawn.values() if review.guidelines}))
    selection = _selection(rows.values(), answered)
    dataset = Dataset(dataset_spec(release, selection, answered), answered, {})
    return HumanRun(name, dataset, responses, people, guidelines)


def _met_before(fitting: Sequence[Review], drawn: Iterable[Review], rows: Mapping[str, ReleaseRow]) -> int:
    """Answers that count although their author had answered the problem in another form before."""
    first: dict[tuple[str, str], str] = {}
    for review in fitting:  # oldest first
        first.setdefault((review.pseudonym, rows[review.item_id].problem_id), review.item_id)
    return sum(first[(r.pseudonym, rows[r.item_id].problem_id)] != r.item_id for r in drawn)


def _selection(rows: Iterable[ReleaseRow], answered: Sequence[ReleaseRow]) -> Selection:
    """How the rows of a run were chosen: whole versions and languages where all of theirs were answered."""
    versions = tuple(sorted({row.version for row in answered}))
    languages = tuple(sorted({row.language for row in answered}))
    whole = {row.id for row in rows if row.version in versions and row.language in languages}
    selection = Selection(versions=versions, languages=languages)
    ids = {row.id for row in answered}
    return selection if ids == whole else replace(selection, only=tuple(sorted(ids)))
