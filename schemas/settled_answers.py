"""Right answers where repeats of one question contradict each other: what people said in the `duplicates` job.

A verdict `same` with an `answer` says what all members of a group should have answered. Whoever works on a selected
question reads it through `settled_questions`, so that proposals, reviews and problems rest on one and the same text.
Only people settle an answer: a majority of copies is proposed to them and decides nothing, whatever is accepted.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from benchwright.schemas.duplicates import DuplicateGroup, group_view, groups_path
from benchwright.schemas.errors import ItemError
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Choice, Provenance, Question, QuestionType
from benchwright.schemas.tables import iter_records
from benchwright.schemas.words import Trust, Words
from benchwright.schemas.workspace import Workspace

JOB = "duplicates"
_CHOICE = (QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_SELECT)


@dataclass(frozen=True)
class Settled:
    """A question of the pool with the answer that counts."""

    question: Question
    """With the reviewed answer in place of its source's where people gave one."""
    by: Provenance | None = None
    """Who gave it; None where nobody did, and the source's answer stands."""
    doubt: ItemError | None = None
    """Why its answer is in doubt: `unreviewed` (its repeats name others, nobody has looked), `open-review`,
    `stale-review` or `bad-verdict`. The question is then as the pool has it."""


def settled_questions(workspace: Workspace, discipline: str, wanted: Collection[str]) -> dict[str, Settled]:
    """Questions of a discipline by id, each with the answer that counts; ids that the pool lacks are left out.

    Args:
        workspace: reads `pool/`, the groups that `curate dedup` left, and verdicts of the `duplicates` job.
        discipline: which pool.
        wanted: question ids.
    """
    groups = _groups(workspace, discipline, frozenset(wanted))
    needed = {*wanted, *(name for group in groups for name in group.members)}
    pool = {q.id: q for q in iter_records(workspace.pool(discipline), Question) if q.id in needed}
    words = Words.read(workspace, [JOB], Trust.REVIEWED)
    return {name: settle(pool[name], groups, pool, words) for name in wanted if name in pool}


def settle(
    question: Question, groups: Sequence[DuplicateGroup], pool: Mapping[str, Question], words: Words
) -> Settled:
    """What people said about a question's answer.

    Args:
        question: as the pool has it.
        groups: those of the job; the ones without this question say nothing.
        pool: the members of these groups by id; a group of which one is gone from the pool says nothing.
        words: of the job.
    """
    said: dict[str, tuple[Provenance, Sequence[Question]]] = {}
    doubt: ItemError | None = None
    for group in groups:
        if question.id not in group.members or not pool.keys() >= set(group.members):
            continue
        members = [pool[name] for name in group.members]
        try:
            found = _said(question, members, group, words)
        except ItemError as error:
            # Two reviewers who differ about a mere candidate leave both questions as they are.
            doubt = error if group.why == "disputed" else doubt
        else:
            if found is not None:
                said.setdefault(found[0], (found[1], members))
    if len(said) > 1:
        doubt = ItemError("open-review", f"verdicts about its repeats name different answers: {sorted(said)}")
    if doubt is not None or not said:
        return Settled(question, doubt=doubt)
    ((answer, (by, repeats)),) = said.items()
    return Settled(_answered(question, answer, repeats), by)


def translated_answer(answer: JsonValue, of: Question, to: Question) -> str:
    """An answer that is meant for one question, as another with the same options has to say it.

    Args:
        answer: labels of options of `of`, the text of one of its options, or the answer of a free-form question.
        of: the question whose labels are meant.
        to: the question that is to be answered.

    Raises:
        ItemError: `bad-verdict`, when it names no option, or not as many as the question type takes.
    """
    if not isinstance(answer, str) or not answer.strip():
        raise ItemError("bad-verdict", f"answer: {answer!r} is no text")
    if to.question_type not in _CHOICE:
        return answer.strip()
    options = _options(of, answer.strip())
    shown = [_shown(choice) for choice in options]
    labels = [choice.label for choice in to.text.choices if _shown(choice) in shown]
    if not options or len(labels) != len(options):
        raise ItemError("bad-verdict", f"answer: {answer!r} names no option of {to.id}")
    if to.question_type is QuestionType.SINGLE_CHOICE and len(labels) != 1:
        raise ItemError(
            "bad-verdict", f"answer: {answer!r} names {len(labels)} options of a single-choice question"
        )
    return "".join(labels)


def _groups(workspace: Workspace, discipline: str, wanted: frozenset[str]) -> list[DuplicateGroup]:
    path = groups_path(workspace, discipline)
    groups = read_jsonl(path, DuplicateGroup) if path.is_file() else []
    return [group for group in groups if not wanted.isdisjoint(group.members)]


def _said(
    question: Question, members: Sequence[Question], group: DuplicateGroup, words: Words
) -> tuple[str, Provenance] | None:
    """The answer for this question by the verdicts about a group, and whose word it is; None where there is none."""
    view = group_view(members)
    relation = words.optional(JOB, group.item_id, None, "relation", view)
    if relation is None:
        if group.why == "disputed":
            others = sorted({member.text.answer for member in members if member.id != question.id})
            raise ItemError("unreviewed", f"repeats of the question answer {', '.join(map(repr, others))}")
        return None
    answer = words.optional(JOB, group.item_id, None, "answer", view)
    if relation[0] != "same" or answer is None:
        return None
    keep = words.optional(JOB, group.item_id, None, "keep", view)
    meant = [member for member in members if keep is not None and member.id == keep[0]] or members
    found = sorted({translated_answer(answer[0], one, question) for one in meant})
    if len(found) > 1:
        raise ItemError(
            "bad-verdict", f"answer: {answer[0]!r} is another option in each repeat, and none is kept"
        )
    return found[0], answer[1].model_copy(update={"language": question.language})


def _answered(question: Question, answer: str, members: Sequence[Question]) -> Question:
    """The question with that answer; unit and solution go with the answer to which they belong."""
    text = question.text
    if text.answer == answer:
        return question
    right = [member.text for member in members if _same_answer(member, answer, question)]
    changes = {
        "answer": answer,
        "solution": next((one.solution for one in right if one.solution), None),
        "unit": next((one.unit for one in right), text.unit),
    }
    texts = {**question.texts, question.language: text.model_copy(update=changes)}
    return question.model_copy(update={"texts": texts})


def _same_answer(member: Question, answer: str, question: Question) -> bool:
    if member.language != question.language:
        return False
    try:
        return translated_answer(member.text.answer, member, question) == answer
    except ItemError:  # the source's own answer names no option
        return False


def _options(question: Question, answer: str) -> list[Choice]:
    """The options that an answer names by their labels, or the one whose text it is."""
    by_label = {choice.label: choice for choice in question.text.choices}
    if answer in by_label:
        return [by_label[answer]]
    if set(answer) <= by_label.keys():
        return [by_label[label] for label in sorted(set(answer))]
    return [
        choice
        for choice in question.text.choices
        if choice.text is not None and _plain(choice.text) == _plain(answer)
    ]


def _shown(choice: Choice) -> tuple[str, str]:
    return _plain(choice.text or ""), choice.image.sha256 if choice.image else ""


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split()).replace("$", "")
