"""Items that a run's statistics make suspicious, put before people once more.

`evaluate items` writes why into the run's `flags.jsonl`. Each flagged question gets one task of the job it was accepted
in (`quality`), in a project of its own: the reasons and the answers given so far stand above it, nothing is filled in.
The word given there is an adjudicator's, so it is final; where it differs from that of an earlier adjudicator, the item
is open until one of them thinks better of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from benchwright.annotation.adjudicate import (
    Answer,
    Disagreement,
    answers_given,
    answers_html,
    option_labels,
    page_with_answers,
)
from benchwright.annotation.client import ReviewServer
from benchwright.annotation.guidelines import Guidelines
from benchwright.annotation.jobs.base import JsonObject, ReviewGroup, ReviewItem, ReviewJob
from benchwright.annotation.markup import panel_html
from benchwright.annotation.push import GroupPush, push_page
from benchwright.annotation.slots import ItemKey, counted, item_key
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import UsageError
from benchwright.schemas.flags import FLAGS_NAME, Flag
from benchwright.schemas.jobs import Review
from benchwright.schemas.journal import Journal, read_jsonl
from benchwright.schemas.records import Language, Rejected, ReleaseRow
from benchwright.schemas.review_states import ADJUDICATION, current_states
from benchwright.schemas.runs import ROWS_NAME, read_run
from benchwright.schemas.workspace import Workspace

JOB = "quality"
_INTRODUCTION = (
    "<p><b>Looking again.</b> These questions were accepted, and the answers of several models make them suspicious: "
    "why stands above each page. A reason is no verdict: a hard question is answered wrongly by everybody, too. Solve "
    "the question yourself, hold the reference answer against it, and decide anew. Your word is final.</p>"
    "<p><b>复查。</b>这些题目曾被采用，但多个模型的作答使其可疑，原因列在每页上方。可疑并不等于有错：难题也会让所有模型答错。"
    "请自己解一遍，核对参考答案，再重新作出决定。您的决定为最终决定。</p><hr>"
)
_WORDS = {
    "dead": "no model answers it rightly · 没有模型答对",
    "ceiling": "every model answers it rightly · 所有模型都答对",
    "blind-solvable": "it is solved without the picture or without the text · 不看图或不看文字也能答对",
    "suspect-key": "the reference answer may be wrong · 参考答案可能有误",
}


@dataclass(frozen=True)
class Flagged:
    """The flags of a run, by problem and language."""

    run_id: str
    flags: Mapping[tuple[str, Language], Sequence[Flag]]


def read_flagged(workspace: Workspace, run: str, kinds: Collection[str] = ()) -> Flagged:
    """Read what a run's statistics found.

    Args:
        workspace: whose `runs/` may hold it.
        run: the run's id, or its folder.
        kinds: which flags count; empty means all.

    Raises:
        UsageError: no such run, no statistics of it, or nothing was flagged.
    """
    folder = Path(run) if Path(run).is_dir() else workspace.runs / run
    run_id = read_run(folder).run_id
    path = folder / FLAGS_NAME
    if not path.is_file():
        raise UsageError(
            f"{path} is missing: `evaluate items RUN...` counts over several runs and writes it."
        )
    rows = {row.id: row for row in read_jsonl(folder / ROWS_NAME, ReleaseRow)}
    found: dict[tuple[str, Language], list[Flag]] = defaultdict(list)
    for flag in read_jsonl(path, Flag):
        if (not kinds or flag.kind in kinds) and flag.row_id in rows:
            found[flag.problem_id, rows[flag.row_id].language].append(flag)
    if not found:
        wanted = f" of the kinds {', '.join(sorted(kinds))}" if kinds else ""
        raise UsageError(f"{path} flags no row{wanted}: there is nothing to look at again.")
    return Flagged(run_id, dict(found))


def flagged_pages(workspace: Workspace, job: ReviewJob, flagged: Flagged) -> list[ReviewGroup]:
    """One page for each page of the job that shows a flagged question.

    Flagged questions that no page shows (gone, replaced, or waiting for another job) are rejected on the first page.
    """
    given = _given(workspace, job.name)
    groups = job.groups(workspace)
    shown = {(item.item_id, item.language) for group in groups for item in group.items}
    lost = tuple(
        Rejected(
            item_id=problem,
            stage=f"annotate-push/{job.name}",
            reason="not-on-a-page",
            detail=f"flagged in run {flagged.run_id}, but not reviewed in {language} (any more)",
        )
        for problem, language in sorted(flagged.flags)
        if (problem, language) not in shown
    )
    pages = [_page(group, job.name, flagged, given) for group in groups]
    kept = [page for page in pages if page.items] or pages[:1]
    return [replace(page, rejected=lost if place == 0 else ()) for place, page in enumerate(kept)]


def push_flagged(
    server: ReviewServer,
    workspace: Workspace,
    job: ReviewJob,
    flagged: Flagged,
    progress: Callable[[int], None] = lambda n: None,
) -> list[GroupPush]:
    """Put the flagged questions on the server; run again, nothing is doubled. `pull` brings the words given there.

    Raises:
        ServerTrouble: the server kept failing; run again.
    """
    with workspace.lock(f"annotate-push/{job.name}"):
        recipe = workspace.recipe.annotation.model_copy(update={"no_proposal_share": 0.0})
        return [
            push_page(server, workspace, job, page, ADJUDICATION, {}, recipe, progress)
            for page in flagged_pages(workspace, job, flagged)
        ]


def flag_lines(flags: Sequence[Flag]) -> list[str]:
    """The reasons in words, each with its figures."""
    return [f"{_WORDS[flag.kind]}: {_figures(flag)}" for flag in flags]


def _figures(flag: Flag) -> str:
    parts = []
    if flag.share_correct is not None:
        parts.append(f"{flag.row_id}: {flag.share_correct:.0%} of {flag.respondents} models right")
    if flag.item_rest is not None:
        parts.append(f"correlation with the rest {flag.item_rest:+.2f}")
    if flag.blind_respondents:
        by_chance = f", {flag.chance:.0%} by guessing"
        parts.append(f"blind: {flag.blind_right} of {flag.blind_respondents} right{by_chance}")
    if flag.agreed_answer is not None:
        parts.append(f"{flag.agreeing} models agree on another answer: {flag.agreed_answer}")
    return "; ".join(parts)


def _page(
    group: ReviewGroup, job: str, flagged: Flagged, given: Mapping[ItemKey, tuple[Answer, ...]]
) -> ReviewGroup:
    labels = option_labels(group.config)
    items = []
    for item in group.items:
        flags = flagged.flags.get((item.item_id, item.language or ""), ())
        if flags:
            key = (item.item_id, item.language, item.digest)
            known = Disagreement(key, given.get(key, ()), ())
            items.append(replace(item, build=partial(_with_reasons, item, flags, known, job, labels)))
    text = _INTRODUCTION + group.guidelines.html
    return replace(
        group,
        name=f"{group.name}.flagged-{flagged.run_id[:8]}",
        title=f"Again, {group.title}",
        config=page_with_answers(group.config),
        guidelines=Guidelines(text, sha256_bytes(text.encode("utf-8"))),
        items=tuple(items),
        rejected=(),
        waiting=(),
    )


def _with_reasons(
    item: ReviewItem,
    flags: Sequence[Flag],
    known: Disagreement,
    job: str,
    labels: Mapping[tuple[str, str], str],
) -> JsonObject:
    why = panel_html("Why it is shown again · 复查原因", flag_lines(flags), found=True)
    before = answers_html(job, known, labels) if known.answers else ""
    return {**item.build(), "answers_html": why + before}


def _given(workspace: Workspace, job: str) -> dict[ItemKey, tuple[Answer, ...]]:
    """The answers given so far, adjudicators' among them, by what was shown."""
    path = workspace.reviews(job)
    if not path.is_file():
        return {}
    submitted: dict[ItemKey, list[Review]] = defaultdict(list)
    for review in counted(current_states(Journal(path).read(Review))):
        if review.state == "submitted":
            submitted[item_key(review)].append(review)
    seed = workspace.recipe.benchmark.seed
    return {key: answers_given(said, seed) for key, said in submitted.items()}
