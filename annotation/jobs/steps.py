"""Steps: the key steps of an answer, each knowledge or logic, right or wrong (SciVerse, section 3.2, Sci-CoT).

`evaluate` divides the answer and proposes kinds and scores; people check them step by step. What is asked rests on that
very division, so another division is another task. A passage that is no step of its own is struck out.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from functools import partial
from xml.sax.saxutils import quoteattr

from pydantic import JsonValue, TypeAdapter, ValidationError

from benchwright.annotation.guidelines import load_guidelines
from benchwright.annotation.jobs.answered import (
    answered_data,
    answered_group,
    response_of,
    says_something,
)
from benchwright.annotation.jobs.base import FieldAnswer, JsonObject, ReviewGroup, ReviewItem, ReviewOrigin
from benchwright.annotation.jobs.controls import (
    COMMENT,
    UNDECIDED,
    Option,
    choices_region,
    chosen,
    closing,
    only_when,
    page,
    shown_html,
    written,
)
from benchwright.annotation.row_markup import ROW_STYLE, paragraphs_html
from benchwright.annotation.sources import Offered, Source, offer_run, read_sources
from benchwright.schemas.jobs import Proposal, shown_digest
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Rejected
from benchwright.schemas.runs import Step, steps_view
from benchwright.schemas.workspace import Workspace

_TARGET = "answered"
_CARD = "step_{{idx}}"
_STEPS: TypeAdapter[tuple[Step, ...]] = TypeAdapter(tuple[Step, ...])
NO_STEP = "none"
_KINDS = (
    Option(
        "K", "K knowledge · 知识", "It states or recalls a law, definition, fact, or what the picture shows."
    ),
    Option("L", "L logic · 逻辑", "It concludes or computes from what was said before."),
    Option(NO_STEP, "no step · 不成步骤", "Talk, a heading, or a repetition: it is struck out."),
)
_SCORES = (
    Option("1", "right · 对", "True, and usable for this question."),
    Option("0", "wrong · 错", "False, or it does not follow."),
)
_STYLE = """
.bw-step{border-top:1px solid #d0d7de;padding:10px 0}
.bw-step .bw-q{font-size:15px}
.bw-line{display:flex;gap:4px 14px;align-items:baseline}
.bw-line h4{flex:0 0 84px;margin:4px 0 !important}
.bw-side:has(.bw-step){position:static}
.bw-page:has(.bw-step) .bw-target{position:sticky;top:0;max-height:88vh;overflow-y:auto}
"""


class StepsJob:
    """K or L and right or wrong, for each step of each divided answer that was offered."""

    name = "steps"
    version = 1

    def offer(
        self, workspace: Workspace, run: str, sample: int | None = None, release: str | None = None
    ) -> Source:
        """Offer a run's divided answers; see `benchwright.annotation.sources.offer_run`."""
        return offer_run(
            workspace, self.name, run, says_something, pictures=True, sample=sample, release=release
        )

    def groups(self, workspace: Workspace) -> list[ReviewGroup]:
        """One group for each run that was offered; answers that nobody divided are rejected (`not-divided`)."""
        divided = _divisions(workspace)
        groups = []
        for source in read_sources(workspace, self.name):
            items: list[ReviewItem] = []
            undivided: list[Rejected] = []
            for one in source.offered:
                proposals = divided.get(one.item_id, [])
                steps = _fitting(one, proposals)
                if steps is None:
                    undivided.append(_undivided(one, proposals))
                else:
                    items.append(steps_item(one, steps))
            groups.append(
                answered_group(
                    source,
                    "Steps",
                    steps_config(),
                    load_guidelines(self.name),
                    tuple(items),
                    tuple(undivided),
                )
            )
        return groups

    def regions(self, proposals: Mapping[str, Proposal], data: JsonObject) -> list[JsonObject]:
        """Kind and score of each step as filled-in controls; a card that the value has no step for is struck out."""
        if "steps" not in proposals:
            return []
        regions = []
        left = deque(read_steps(proposals["steps"].value))
        for place, card in enumerate(data["steps"]):
            target = f"step_{place}"
            if not left or left[0].text != card["text"]:
                regions.append(choices_region(f"kind_{place}", target, [NO_STEP]))
                continue
            step = left.popleft()
            regions.append(choices_region(f"kind_{place}", target, [step.kind]))
            regions.append(choices_region(f"ok_{place}", target, [str(step.score)]))
        return regions

    def answers(self, result: Sequence[JsonObject], data: JsonObject) -> dict[str, FieldAnswer]:
        """All steps with kind and score, those struck out left out; nothing as long as one is unanswered."""
        steps: list[JsonValue] = []
        origins: set[ReviewOrigin] = set()
        for place, shown in enumerate(data["steps"]):
            kind, score = chosen(result, f"kind_{place}"), chosen(result, f"ok_{place}")
            if kind is None or (score is None and kind.value != NO_STEP):
                return {}
            origins.add(kind.origin)
            if kind.value == NO_STEP or score is None:
                continue
            origins.add(score.origin)
            steps.append({"text": shown["text"], "kind": kind.value, "score": int(str(score.value))})
        return {"steps": FieldAnswer(steps, _origin(origins))}

    def comment(self, result: Sequence[JsonObject]) -> str | None:
        """The remark."""
        return written(result, COMMENT)


def _origin(origins: set[ReviewOrigin]) -> ReviewOrigin:
    """Of a value that is put together from several controls."""
    return next(iter(origins)) if len(origins) == 1 else "prediction-changed"


def read_steps(value: JsonValue) -> tuple[Step, ...]:
    """The steps that a proposal or review holds.

    Raises:
        ValidationError: it holds something else.
    """
    return _STEPS.validate_python(value)


def steps_item(offered: Offered, steps: Sequence[str]) -> ReviewItem:
    """A divided answer as a task.

    Args:
        offered: the answer.
        steps: texts of its steps.
    """
    return ReviewItem(
        item_id=offered.item_id,
        language=None,
        digest=shown_digest(steps_view(offered.row, response_of(offered), steps)),
        build=partial(_data, offered, tuple(steps)),
        images=offered.pictures,
    )


def steps_config() -> str:
    """Label Studio's XML: the answer on the left, its steps as cards on the right."""
    kind = _radios("kind_{{idx}}", "Kind · 类型", _KINDS)
    score = _radios("ok_{{idx}}", "Right? · 对错", _SCORES)
    card = (
        f'<View className="bw-step"><HyperText name="{_CARD}" value="$steps[{{{{idx}}}}].html" inline="true"/>'
        f"{kind}{only_when('kind_{{idx}}', ['K', 'L'], score)}</View>"
    )
    cards = f'<Repeater on="$steps" indexFlag="{{{{idx}}}}">{card}</Repeater>'
    return page(f"<Style>{ROW_STYLE}{_STYLE}</Style>{shown_html(_TARGET)}", cards + closing(_TARGET))


def _radios(name: str, title: str, options: Sequence[Option]) -> str:
    """One answer a card.

    Label Studio names a radio button by its value, and a browser joins all of one name: so the value has the card's
    number, and what is read stands in `html`.
    """
    made = "".join(
        f"<Choice value={quoteattr(option.value + ' {{idx}}')} alias={quoteattr(option.value)} "
        f"html={quoteattr(option.label)} hint={quoteattr(option.hint)}/>"
        for option in options
    )
    return (
        f'<View className="bw-line" visibleWhen="choice-unselected" whenTagName="{UNDECIDED}">'
        f'<Header value={quoteattr(title)} size="5"/>'
        f'<Choices name="{name}" toName="{_CARD}" choice="single-radio" showInline="true" required="true" '
        f"requiredMessage={quoteattr('Choose for every step: ' + title)}>{made}</Choices></View>"
    )


def _data(offered: Offered, steps: Sequence[str]) -> JsonObject:
    cards = [
        {
            "text": text,
            "html": f'<div class="bw-q"><span class="bw-label">{place}</span>{paragraphs_html(text)}</div>',
        }
        for place, text in enumerate(steps, start=1)
    ]
    return {**answered_data("steps", offered, solution=True), "steps": cards}


def _divisions(workspace: Workspace) -> dict[str, list[Proposal]]:
    """Proposals of steps by item, the newest first."""
    path = workspace.proposals("steps")
    found: dict[str, list[Proposal]] = defaultdict(list)
    for proposal in read_jsonl(path, Proposal) if path.is_file() else []:
        if proposal.field == "steps":
            found[proposal.item_id].insert(0, proposal)
    return dict(found)


def _fitting(offered: Offered, proposals: Sequence[Proposal]) -> tuple[str, ...] | None:
    """The newest division of exactly this answer."""
    for proposal in proposals:
        texts = _division(proposal)
        if texts and shown_digest(steps_view(offered.row, response_of(offered), texts)) == proposal.digest:
            return texts
    return None


def _division(proposal: Proposal) -> tuple[str, ...] | None:
    """The texts of the proposed steps; None where the value is no division, which `_undivided` tells."""
    try:
        return tuple(step.text for step in read_steps(proposal.value))
    except ValidationError:
        return None


def _undivided(offered: Offered, proposals: Sequence[Proposal]) -> Rejected:
    if not proposals:
        why = "proposals/steps.jsonl has no steps of it"
    elif all(_division(proposal) is None for proposal in proposals):
        why = "its steps in proposals/steps.jsonl have another form than a division"
    else:
        why = "its steps were divided in another text"
    return Rejected(
        item_id=offered.item_id,
        stage="annotate-push/steps",
        reason="not-divided",
        detail=f"{why}: score the run step by step first",
    )
