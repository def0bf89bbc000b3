"""Adjudication: what reviewers left open goes to somebody who sees all answers, but not whose they are.

The project is one more page of the same job, with the answers above it. Fields on which all agree are filled in, and so
are long ones, with one of the answers, so that nobody has to type a text or draw a box again. The word is final.
"""

from __future__ import annotations

import html
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pydantic import JsonValue

from benchwright.annotation.consensus import CLOSED, consensus_rule
from benchwright.annotation.guidelines import Guidelines
from benchwright.annotation.jobs.base import JsonObject, ReviewGroup, ReviewItem
from benchwright.annotation.opinions import agreeing_fields
from benchwright.annotation.slots import ItemKey, counted, item_key
from benchwright.annotation.svg import text_html
from benchwright.annotation.values import comparable
from benchwright.annotation.verdicts import derive_verdicts
from benchwright.schemas.digest import canonical_json, digest_of, sha256_bytes
from benchwright.schemas.jobs import JOBS, Key, Proposal, Review
from benchwright.schemas.recipe import AnnotationRecipe
from benchwright.schemas.review_states import ADJUDICATION, current_states, is_review_slot

Labels = Mapping[tuple[str, str], str]
AGREED = "agreed-answers"
"""Stands in place of a model where the page starts from people's answers."""
_INTRODUCTION = (
    "<p><b>Adjudication.</b> The reviewers of these items did not agree, or gave no answer. Their answers stand above "
    "each page, in an order that changes from item to item; what differs is marked. Look at the item first, then "
    "decide: you may take one of the answers or give your own. Yours is final.</p>"
    "<p><b>裁定。</b>这些题目的审阅者意见不一，或未作回答。他们的答案列在页面上方，顺序逐题变化，"
    "不同之处已标出。请先看题目，再作决定：可以采纳其中之一，也可以给出自己的答案。您的答案为最终答案。</p><hr>"
)
_STYLE = (
    ".bw-answers{margin-bottom:18px}.bw-answers table{border-collapse:collapse;font-size:14px}"
    ".bw-answers td,.bw-answers th{border:1px solid #d0d7de;padding:4px 10px;text-align:left;vertical-align:top}"
    ".bw-answers tr.bw-differs td{background:#fff8c5}"
)
_UNDECIDED_WORDS = {"cannot-decide": "cannot decide", "item-faulty": "the item is faulty"}


@dataclass(frozen=True)
class Answer:
    """One submitted annotation of an item, without whose it is."""

    values: Mapping[str, JsonValue]
    """By field."""
    undecided: str | None
    remark: str | None


@dataclass(frozen=True)
class Disagreement:
    """An item that its reviews do not settle."""

    item: ItemKey
    answers: tuple[Answer, ...]
    """In an order that says nothing."""
    open_fields: tuple[str, ...]


def disagreements(
    job: str, reviews: Sequence[Review], slots: Sequence[str], recipe: AnnotationRecipe
) -> list[Disagreement]:
    """The items that need an adjudicator, sorted.

    These have a field without a final value although people answered it differently, or although every slot submitted
    something (somebody could not decide, found the item faulty, or left the field empty). Once adjudicated, an item is
    not listed any more.

    Args:
        job: the job's name.
        reviews: all pulled states.
        slots: the independent reviews that an item needs.
        recipe: its consensus rule and its seed are used.
    """
    names = {field.name for field in agreeing_fields(job)}
    unsettled: dict[ItemKey, list[str]] = defaultdict(list)
    for verdict in derive_verdicts(reviews, slots, consensus_rule(recipe)):
        if verdict.basis == "open" and verdict.field in names:
            unsettled[verdict.item_id, verdict.language, verdict.digest].append(verdict.field)
    submitted: dict[ItemKey, list[Review]] = defaultdict(list)
    for review in counted(current_states(reviews)):
        if review.state == "submitted":
            submitted[item_key(review)].append(review)
    found = []
    for item in sorted(unsettled, key=lambda key: (key[0], key[1] or "", key[2])):
        if any(review.slot == ADJUDICATION for review in submitted[item]):
            continue
        said = [review for review in submitted[item] if is_review_slot(review.slot)]
        spoken = set(slots) <= {review.slot for review in said}
        fields = [field for field in unsettled[item] if spoken or _differ(said, field)]
        if fields:
            found.append(Disagreement(item, answers_given(said, recipe.seed), tuple(sorted(fields))))
    return found


def adjudication_group(
    group: ReviewGroup, job: str, open_items: Sequence[Disagreement]
) -> tuple[ReviewGroup, dict[Key, Proposal]]:
    """A page with the items to be decided, and what it starts from.

    Returns:
        The page, the answers above each item; and the values that are filled in, as proposals of `AGREED`.
    """
    by_item = {found.item: found for found in open_items}
    labels = option_labels(group.config)
    items, filled = [], {}
    for item in group.items:
        found = by_item.get((item.item_id, item.language, item.digest))
        if found is not None:
            items.append(replace(item, build=partial(_with_answers, item, found, job, labels)))
            filled.update({proposal.key: proposal for proposal in starting_values(job, found)})
    shown = _INTRODUCTION + group.guidelines.html
    page = replace(
        group,
        config=page_with_answers(group.config),
        guidelines=Guidelines(shown, sha256_bytes(shown.encode("utf-8"))),
        items=tuple(items),
        rejected=(),
        waiting=(),
    )
    return page, filled


def starting_values(job: str, found: Disagreement) -> list[Proposal]:
    """What the page starts from: values that all answers share, and the first answer's where a field is long work."""
    answers = [answer for answer in found.answers if answer.undecided is None]
    proposals = []
    for field in JOBS[job].fields:
        values = [answer.values[field.name] for answer in answers if field.name in answer.values]
        if not values:
            continue
        same = len(values) == len(found.answers) and len({comparable(field, value) for value in values}) == 1
        if same or field.kind not in CLOSED:
            item_id, language, digest = found.item
            proposals.append(
                Proposal.model_validate(
                    {
                        "job": job,
                        "item_id": item_id,
                        "language": language,
                        "field": field.name,
                        "digest": digest,
                        "value": values[0],
                        "model": AGREED,
                    }
                )
            )
    return proposals


def answers_html(job: str, found: Disagreement, labels: Labels) -> str:
    """The answers side by side; rows that differ are marked. Everything is escaped."""
    heads = "".join(
        f"<th>Answer {number} · 答案 {number}</th>" for number in range(1, len(found.answers) + 1)
    )
    rows = [
        _row(field.name, [_cell(answer, field.name, labels) for answer in found.answers])
        for field in JOBS[job].fields
        if any(field.name in answer.values for answer in found.answers)
    ]
    if any(answer.undecided for answer in found.answers):
        words = [_UNDECIDED_WORDS.get(a.undecided or "", a.undecided or "") for a in found.answers]
        rows.append(_row("no answer", [html.escape(word) for word in words]))
    if any(answer.remark for answer in found.answers):
        rows.append(
            _row("remark", [html.escape(answer.remark or "") for answer in found.answers], plain=True)
        )
    return f'<div class="bw-answers"><table><tr><th></th>{heads}</tr>{"".join(rows)}</table></div>'


def option_labels(config: str) -> Labels:
    """What the page calls the options of its controls: (control, value) -> label."""
    found = {}
    for control in ElementTree.fromstring(config).iter():
        for option in control.iter():
            if control.get("toName") and option.tag in {"Choice", "Label"} and option.get("alias"):
                found[str(control.get("name")), str(option.get("alias"))] = str(option.get("value"))
    return found


def answers_given(said: Iterable[Review], seed: int) -> tuple[Answer, ...]:
    """One item's annotations in an order drawn from the seed, the item and who answered: it differs from item to item.

    Args:
        said: the submitted reviews of the item.
        seed: of the recipe.
    """
    by_annotation: dict[str, list[Review]] = defaultdict(list)
    for review in said:
        by_annotation[review.annotation_id].append(review)

    def place(name: str) -> str:
        first = by_annotation[name][0]
        return digest_of(["adjudication", seed, *item_key(first), first.pseudonym, first.slot, name])

    answers = []
    for name in sorted(by_annotation, key=place):
        reviews = by_annotation[name]
        answers.append(
            Answer(
                values={review.field: review.value for review in reviews if review.value is not None},
                undecided=next((review.undecided for review in reviews if review.undecided), None),
                remark=next((review.comment for review in reviews if review.comment), None),
            )
        )
    return tuple(answers)


def _differ(said: Iterable[Review], field: str) -> bool:
    """Whether people gave different values of a field; a field that one left empty differs from one filled in."""
    by_annotation: dict[str, str | None] = {}
    for review in said:
        by_annotation.setdefault(review.annotation_id, None)
        if review.field == field and review.value is not None:
            by_annotation[review.annotation_id] = comparable(JOBS[review.job].field(field), review.value)
    return len(by_annotation) > 1 and len(set(by_annotation.values())) > 1


def _with_answers(item: ReviewItem, found: Disagreement, job: str, labels: Labels) -> JsonObject:
    return {**item.build(), "answers_html": answers_html(job, found, labels)}


def page_with_answers(config: str) -> str:
    """The job's page below the answers; its controls stay as they are, so it is answered and read in the same way."""
    return (
        f'<View><Style>{_STYLE}</Style><View className="bw-answers-box">'
        f'<HyperText name="answers_given" value="$answers_html" inline="true"/></View>{config}</View>'
    )


def _row(name: str, cells: Sequence[str], *, plain: bool = False) -> str:
    mark = ' class="bw-differs"' if not plain and len(set(cells)) > 1 else ""
    return f"<tr{mark}><th>{html.escape(name)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _cell(answer: Answer, field: str, labels: Labels) -> str:
    return _value_html(answer.values[field], field, labels) if field in answer.values else ""


def _value_html(value: JsonValue, field: str, labels: Labels) -> str:
    if isinstance(value, list):
        return "<br>".join(_value_html(entry, field, labels) for entry in value)
    if isinstance(value, dict):
        marks = value.get("marks")
        lines = _mark_lines(marks) if isinstance(marks, list) else list(_leaf_lines(value, ""))
        return "<br>".join(lines)
    label = labels.get((field, str(value)))
    if label is not None:
        return html.escape(label)
    return text_html(value) if isinstance(value, str) else html.escape(canonical_json(value))


def _mark_lines(marks: Sequence[JsonValue]) -> list[str]:
    """Each mark's label and its place in percent of the picture."""
    lines = []
    for mark in marks:
        if isinstance(mark, dict):
            anchor = mark.get("anchor")
            place = str(mark.get("place") or "no place")
            if isinstance(anchor, dict):
                sides = ", ".join(f"{side} {100 * float(str(anchor.get(side, 0))):.0f}" for side in "xywh")
                place = f"{place}: {sides} %"
            lines.append(f"{text_html(str(mark.get('label', '')))} ({html.escape(place)})")
    return lines


def _leaf_lines(value: JsonValue, path: str) -> Iterable[str]:
    if isinstance(value, (dict, list)):
        entries = value.items() if isinstance(value, dict) else ((str(i), v) for i, v in enumerate(value, 1))
        for name, entry in entries:
            yield from _leaf_lines(entry, f"{path} {name}".strip())
    else:
        shown = text_html(value) if isinstance(value, str) else html.escape(canonical_json(value))
        yield f"<i>{html.escape(path)}</i> {shown}"
