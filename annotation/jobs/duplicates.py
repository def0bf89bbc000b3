"""Duplicates: members of a group side by side: one question, one template, or different; which stays; what is right.

The groups are those that `curate dedup` could not settle: repeats whose answers contradict each other, and pairs so
alike that people should say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from xml.sax.saxutils import quoteattr

from benchwright.annotation.guidelines import load_guidelines
from benchwright.annotation.jobs.base import FieldAnswer, JsonObject, ReviewGroup, ReviewItem, image_url
from benchwright.annotation.jobs.controls import (
    COMMENT,
    Option,
    choices_region,
    chosen,
    closing,
    entered,
    only_when,
    page,
    shown_html,
    single_choice,
    text_field,
    text_region,
    written,
)
from benchwright.annotation.markup import question_html, question_images
from benchwright.schemas.duplicates import DuplicateGroup, group_view, groups_path
from benchwright.schemas.errors import ItemError
from benchwright.schemas.jobs import Proposal, shown_digest
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import ImageRef, Question, Rejected
from benchwright.schemas.settled_answers import translated_answer
from benchwright.schemas.tables import iter_records
from benchwright.schemas.workspace import Workspace

_TARGET = "members"
_RELATIONS = (
    Option("same", "The same question · 同一道题", "Whoever solved one has solved the other.", "1"),
    Option(
        "same-template", "Same template · 同一模板", "Only numbers or names differ; so does the answer.", "2"
    ),
    Option("different", "Different questions · 不同的题", "They ask for different things.", "3"),
)
_STYLE = """
.bw-members{display:grid;grid-template-columns:repeat(auto-fit,minmax(270px,1fr));gap:14px;align-items:start}
.bw-member{border:1px solid #d0d7de;border-radius:6px;padding:4px 12px 12px}
.bw-member .bw-number{font-weight:600;margin:6px 0}
.bw-member .bw-q{font-size:15px}
"""


class DuplicatesJob:
    """Relation, the member that stays, and the right answer, for each group that `curate dedup` left open."""

    name = "duplicates"
    version = 1

    def groups(self, workspace: Workspace) -> list[ReviewGroup]:
        """One group of items for each discipline that has been searched for duplicates."""
        found = []
        for discipline in workspace.pool_disciplines():
            path = groups_path(workspace, discipline)
            asked = read_jsonl(path, DuplicateGroup) if path.is_file() else []
            if not asked:
                continue
            items, rejected = duplicate_items(workspace, discipline, asked)
            found.append(
                ReviewGroup(
                    name=discipline,
                    title=f"Duplicates: {discipline}",
                    config=duplicates_config(),
                    guidelines=load_guidelines(self.name),
                    items=items,
                    rejected=rejected,
                )
            )
        return found

    def regions(self, proposals: Mapping[str, Proposal], data: JsonObject) -> list[JsonObject]:
        """Relation and member as filled-in controls, and the answer where a member gives it, else as text."""
        regions = []
        for name in ("relation", "keep"):
            if name in proposals and proposals[name].value is not None:
                regions.append(choices_region(name, _TARGET, [str(proposals[name].value)]))
        if "answer" in proposals and proposals["answer"].value is not None:
            kept = str(proposals["keep"].value) if "keep" in proposals else None
            regions.append(_answer_region(str(proposals["answer"].value), kept, data))
        return regions

    def answers(self, result: Sequence[JsonObject], data: JsonObject) -> dict[str, FieldAnswer]:
        """The relation; for one and the same question also the member that stays and the answer as that one puts it."""
        relation = chosen(result, "relation")
        if relation is None:
            return {}
        found = {"relation": relation}
        if relation.value != "same":
            return found
        keep = chosen(result, "keep")
        if keep is not None:
            found["keep"] = keep
        other, of = entered(result, "answer"), chosen(result, "answer_of")
        if other is not None:
            found["answer"] = other
        elif of is not None:
            kept = None if keep is None else str(keep.value)
            found["answer"] = FieldAnswer(_as_kept(str(of.value), kept, data), of.origin)
        return found

    def comment(self, result: Sequence[JsonObject]) -> str | None:
        """The remark."""
        return written(result, COMMENT)


def duplicate_items(
    workspace: Workspace, discipline: str, groups: Sequence[DuplicateGroup]
) -> tuple[tuple[ReviewItem, ...], tuple[Rejected, ...]]:
    """The groups as tasks; those whose members changed or went since `curate dedup` come back as rejected."""
    wanted = {name for group in groups for name in group.members}
    pool = {q.id: q for q in iter_records(workspace.pool(discipline), Question) if q.id in wanted}
    items, rejected = [], []
    for group in groups:
        members = [pool[name] for name in group.members if name in pool]
        if len(members) < len(group.members) or shown_digest(group_view(members)) != group.digest:
            rejected.append(
                Rejected(
                    item_id=group.item_id,
                    stage="annotate-push/duplicates",
                    reason="stale-group",
                    detail=f"the pool changed since the search: run `curate dedup --discipline {discipline}`",
                )
            )
        else:
            items.append(duplicate_item(group, members))
    return tuple(items), tuple(rejected)


def duplicate_item(group: DuplicateGroup, members: Sequence[Question]) -> ReviewItem:
    """A group as a task."""
    shown = [_as_shown(member) for member in sorted(members, key=lambda member: member.id)]
    images: dict[str, ImageRef] = {}
    for member in shown:
        images |= {image.sha256: image for image in question_images(member)}
    return ReviewItem(
        item_id=group.item_id,
        language=None,
        digest=group.digest,
        build=partial(_data, shown),
        images=tuple(images.values()),
    )


def duplicates_config() -> str:
    """Label Studio's XML; which members there are to choose from is the item's."""
    asked = single_choice("relation", _TARGET, "What are they to each other? · 它们之间的关系", _RELATIONS)
    details = (
        _dynamic("keep", "Which one stays? · 保留哪一道", "$keepers")
        + _dynamic("answer_of", "Whose answer is right? · 哪个答案正确", "$answers")
        + text_field(
            "answer",
            _TARGET,
            "Another answer (if none is right) · 其他答案（都不对时）",
            1,
            placeholder="As the question that stays would put it · 按保留题目的写法",
        )
    )
    return page(
        f"<Style>{_STYLE}</Style>{shown_html(_TARGET)}",
        asked + only_when("relation", ["same"], details) + closing(_TARGET),
    )


def _dynamic(name: str, title: str, variable: str) -> str:
    """A choice among the item's own options, none of them required."""
    return (
        f'<View visibleWhen="choice-unselected" whenTagName="undecided"><Header value={quoteattr(title)} size="5"/>'
        f"<Choices name={quoteattr(name)} toName={quoteattr(_TARGET)} choice={quoteattr('single-radio')} "
        f"value={quoteattr(variable)}/></View>"
    )


def _as_shown(member: Question) -> Question:
    """The question in its source language alone, as `group_view` has it."""
    return member.model_copy(update={"texts": {member.language: member.text}})


def _data(members: Sequence[Question]) -> JsonObject:
    cards = "".join(
        f'<div class="bw-member"><div class="bw-number">{number}</div>'
        f"{question_html(member, lambda image: image_url('duplicates', image))}</div>"
        for number, member in enumerate(members, start=1)
    )
    first: dict[str, list[int]] = {}
    for place, member in enumerate(members):
        first.setdefault(_answer_in(member, members[0]) or f"{place}: {member.text.answer}", []).append(place)
    return {
        "html": f'<div class="bw-members">{cards}</div>',
        # Ids and answers stand in the alias: a `$` in what is shown would be taken for a variable of the task.
        "keepers": [
            {"value": f"question {number}", "alias": member.id}
            for number, member in enumerate(members, start=1)
        ],
        "answers": [
            {"value": "as in " + ", ".join(str(place + 1) for place in places), "alias": str(places[0])}
            for places in first.values()
        ],
        "said": [
            {
                "answer": member.text.answer,
                "says": _says(member),
                "as": {other.id: _answer_in(member, other) for other in members},
            }
            for member in members
        ],
    }


def _answer_in(member: Question, other: Question) -> str | None:
    """A member's answer as another one puts it: its options may stand in another order."""
    try:
        return translated_answer(member.text.answer, member, other)
    except ItemError:  # its options are others: there is no such answer there
        return None


def _says(member: Question) -> str:
    """What a member's answer says: the texts of its options, where it names some."""
    texts = {choice.label: choice.text for choice in member.text.choices}
    answer = member.text.answer
    if answer and all(texts.get(label) for label in answer):
        return ", ".join(str(texts[label]) for label in answer)
    return answer


def _as_kept(place: str, kept: str | None, data: JsonObject) -> str:
    """The answer of a member, as the kept one puts it.

    Where the kept one has no such option, what the member's option says: the label would mean something else there.
    """
    said = data["said"][int(place)]
    if kept is None:
        return str(said["answer"])
    return str(said["as"].get(kept) or said["says"])


def _answer_region(answer: str, kept: str | None, data: JsonObject) -> JsonObject:
    for option in data["answers"]:
        if _as_kept(option["alias"], kept, data) == answer:
            return choices_region("answer_of", _TARGET, [option["alias"]])
    return text_region("answer", _TARGET, answer)
