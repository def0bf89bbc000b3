"""Answer: people answer the problems themselves, in a given version: the human baseline.

The page shows what a model is sent and nothing more: the version's text, the published pictures, and the labels of
the options to choose from; never the key, and for vision-only no word of the question. `evaluate import-human` makes
runs of the answers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal
from xml.sax.saxutils import quoteattr

from benchwright.annotation.guidelines import load_guidelines
from benchwright.annotation.jobs.base import (
    FieldAnswer,
    JsonObject,
    ReviewGroup,
    ReviewItem,
    image_url,
)
from benchwright.annotation.jobs.controls import (
    COMMENT,
    UNDECIDED,
    chosen,
    chosen_many,
    closing,
    entered,
    page,
    shown_html,
    text_field,
    written,
)
from benchwright.annotation.row_markup import ROW_STYLE, given_html
from benchwright.annotation.sources import Offered, ReleaseChoice, Source, offer_release, read_sources
from benchwright.schemas.jobs import Proposal, shown_digest
from benchwright.schemas.records import QuestionType, ReleaseRow
from benchwright.schemas.runs import answer_view
from benchwright.schemas.workspace import Workspace

_TARGET = "given"
_CONTROL = "answer"
Form = Literal["one", "several", "text"]
_TITLES: dict[Form, str] = {
    "one": "Your answer · 你的答案",
    "several": "All right options · 所有正确选项",
    "text": "Your answer · 你的答案",
}


class AnswerJob:
    """A person's answer to each row of a release that was offered."""

    name = "answer"
    version = 1

    def offer(self, workspace: Workspace, choice: ReleaseChoice) -> list[Source]:
        """Offer rows of a release; see `benchwright.annotation.sources.offer_release`."""
        return offer_release(workspace, self.name, choice)

    def groups(self, workspace: Workspace) -> list[ReviewGroup]:
        """One group for each version, language and form of answer that was offered."""
        groups = []
        for source in read_sources(workspace, self.name):
            by_form: dict[Form, list[Offered]] = defaultdict(list)
            for one in source.offered:
                by_form[answer_form(one.row)].append(one)
            rejected = source.rejected
            for form, offered in sorted(by_form.items()):
                groups.append(
                    ReviewGroup(
                        name=f"{source.name}.{form}",
                        title=f"Answer: {source.name} ({form})",
                        config=answer_config(form),
                        guidelines=load_guidelines(self.name),
                        items=tuple(answer_item(one) for one in offered),
                        rejected=rejected,
                    )
                )
                rejected = ()  # told once, not for each form
        return groups

    def regions(self, proposals: Mapping[str, Proposal], data: JsonObject) -> list[JsonObject]:
        """Nothing: a person answers without help."""
        return []

    def answers(self, result: Sequence[JsonObject], data: JsonObject) -> dict[str, FieldAnswer]:
        """Labels without separators, in the order of the options, or the text that was written."""
        form = data["form"]
        if form == "text":
            found = entered(result, _CONTROL)
        elif form == "one":
            found = chosen(result, _CONTROL)
        else:
            found = _labels(chosen_many(result, _CONTROL), data)
        return {} if found is None else {"answer": found}

    def comment(self, result: Sequence[JsonObject]) -> str | None:
        """The remark."""
        return written(result, COMMENT)


def answer_form(row: ReleaseRow) -> Form:
    """How a row is answered."""
    if row.options and row.question_type is QuestionType.SINGLE_CHOICE:
        return "one"
    if row.options and row.question_type is QuestionType.MULTIPLE_SELECT:
        return "several"
    return "text"


def answer_item(offered: Offered) -> ReviewItem:
    """A row as a task; the item is the release row."""
    return ReviewItem(
        item_id=offered.item_id,
        language=None,
        digest=shown_digest(answer_view(offered.row)),
        build=partial(_data, offered),
        images=offered.pictures,
    )


def answer_config(form: Form) -> str:
    """Label Studio's XML; the options are the item's."""
    if form == "text":
        asked = text_field(
            _CONTROL,
            _TARGET,
            _TITLES[form],
            4,
            placeholder="The final answer, with its unit · 最终答案（含单位）",
        )
    else:
        kind = "single-radio" if form == "one" else "multiple"
        asked = (
            f'<View visibleWhen="choice-unselected" whenTagName="{UNDECIDED}">'
            f'<Header value={quoteattr(_TITLES[form])} size="5"/>'
            f'<Choices name="{_CONTROL}" toName="{_TARGET}" choice="{kind}" value="$options" required="true" '
            'requiredMessage="Choose your answer."/></View>'
        )
    return page(f"<Style>{ROW_STYLE}</Style>{shown_html(_TARGET)}", asked + closing(_TARGET))


def _data(offered: Offered) -> JsonObject:
    row = offered.row
    shown = given_html(row, offered.pictures, lambda image: image_url("answer", image))
    # Labels alone: what the options say stands in the text or, for vision-only, in the picture.
    options = [
        {"value": option.label, "hotkey": str(place)} if place < 10 else {"value": option.label}
        for place, option in enumerate(row.options, start=1)
    ]
    return {"html": shown, "options": options, "form": answer_form(row)}


def _labels(found: FieldAnswer | None, data: JsonObject) -> FieldAnswer | None:
    if found is None or not isinstance(found.value, list):
        return None
    ticked = set(map(str, found.value))
    ordered = [option["value"] for option in data["options"] if option["value"] in ticked]
    return FieldAnswer("".join(ordered), found.origin)
