"""Placement: for each mark of a condition its label, place and arrow on the diagram (SciVerse, section 2.3).

A card for each mark says whether it is drawn, already there or has no place; box, point and arrow are drawn on the
picture itself. What the proposal gives is burnt in by the renderer's own rules and shown beside.
"""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from xml.sax.saxutils import quoteattr

from benchwright.annotation.guidelines import Guidelines, load_guidelines
from benchwright.annotation.items import StandingQuestion, standing_questions
from benchwright.annotation.jobs.base import FieldAnswer, JsonObject, ReviewGroup, ReviewItem
from benchwright.annotation.jobs.controls import (
    COMMENT,
    Option,
    closing,
    origin_of,
    page,
    shown_html,
    single_choice,
    text_field,
    written,
)
from benchwright.annotation.jobs.decomposition_preview import STYLE as STEM_STYLE
from benchwright.annotation.jobs.decomposition_preview import stem_html
from benchwright.annotation.jobs.placement_preview import Pictures, reason
from benchwright.annotation.jobs.placement_regions import (
    COLOURS,
    DRAWN,
    NOWHERE,
    THERE,
    Picture,
    Slot,
    arrow_keys,
    placement_regions,
    read_placements,
    slots_of,
)
from benchwright.annotation.proposals import newest_proposals
from benchwright.annotation.svg import text_html
from benchwright.render.placement_marks import Placements, placed_language, placement_view
from benchwright.schemas.errors import ItemError
from benchwright.schemas.jobs import Key, Proposal, shown_digest
from benchwright.schemas.records import Decomposition, ImageRef, Language, LocalizedText
from benchwright.schemas.workspace import Workspace

NAME, FIELD = "placement", "marks"
_TARGET = "question"
_STYLE = """
.bw-mark{margin:0 0 10px;padding:6px 10px 2px;border:1px solid #d0d7de;border-radius:6px}
.bw-mark .bw-q{font-size:15px}
.bw-mark h4{margin:4px 0 0 !important;font-size:12px;color:#57606a}
.bw-q .bw-number{display:inline-block;min-width:20px;text-align:center;color:#fff;border-radius:10px;margin-right:8px;
font-size:12px;line-height:20px;font-weight:600}
.bw-q.bw-burnt img{border:1px solid #d0d7de;max-height:340px}
.bw-side:has(.bw-mark){position:static}
.bw-tool{display:flex;flex-wrap:wrap;gap:2px 12px;align-items:center;margin:4px 0}
.bw-tool h4,.bw-tool h5,.bw-tool h6,.bw-tool .lsf-labels{margin:0 !important}
[data-color-scheme=dark] .bw-mark .bw-q{margin:4px 0}
"""
_OPTIONS = (
    Option(DRAWN, "draw it · 画上去", "At its box, near its point, or else beside the drawing."),
    Option(THERE, "already there · 图上已有", "The diagram says it; nothing is drawn."),
    Option(NOWHERE, "no place · 无处可放", "The words of its condition return to the question."),
)


class PlacementJob:
    """Place, label and arrow of every mark."""

    name = NAME
    version = 1

    def groups(self, workspace: Workspace) -> list[ReviewGroup]:
        """One group per selected discipline and number of pictures."""
        proposals = newest_proposals(workspace, NAME)
        guidelines = load_guidelines(NAME)
        groups: list[ReviewGroup] = []
        for name in workspace.selected_disciplines():
            offer = standing_questions(workspace, name, NAME)
            by_count: dict[int, list[ReviewItem]] = defaultdict(list)
            for found in offer.questions:
                item = placement_item(workspace, found, proposals)
                if item is not None:
                    by_count[len(found.question.images)].append(item)
            counts = sorted(by_count) or [1]
            made = [_group(name, count, tuple(by_count[count]), guidelines) for count in counts]
            first = made[0]
            groups.append(
                ReviewGroup(
                    first.name,
                    first.title,
                    first.config,
                    guidelines,
                    first.items,
                    offer.rejected,
                    offer.waiting,
                )
            )
            groups += made[1:]
        return groups

    def regions(self, proposals: Mapping[str, Proposal], data: JsonObject) -> list[JsonObject]:
        """The proposed places, labels and arrows."""
        said = proposals.get(FIELD)
        if said is None or said.value is None:
            return []
        return placement_regions(Placements.model_validate(said.value), _slots(data), _pictures(data))

    def answers(self, result: Sequence[JsonObject], data: JsonObject) -> dict[str, FieldAnswer]:
        """The placed marks; where the regions do not fit together, an answer without a value, and why in `findings`."""
        proposed = data.get("proposal")
        placements = Placements.model_validate(proposed) if proposed else None
        try:
            made = read_placements(result, _slots(data), _pictures(data), placements)
        except ItemError as error:
            return {
                FIELD: FieldAnswer(None, "manual"),
                "findings": FieldAnswer([f"{error.reason}: {error.detail}"], "manual"),
            }
        if made is None:
            return {}
        machine = any(origin_of(region) != "manual" for region in result)
        if machine and made == placements:
            return {FIELD: FieldAnswer(_value(made), "prediction")}
        return {FIELD: FieldAnswer(_value(made), "prediction-changed" if machine else "manual")}

    def comment(self, result: Sequence[JsonObject]) -> str | None:
        """The remark."""
        return written(result, COMMENT)


def placement_item(
    workspace: Workspace, found: StandingQuestion, proposals: Mapping[Key, Proposal]
) -> ReviewItem | None:
    """A question's marks as a task of this job; None where it has none, no picture, or its own text is not settled."""
    images = found.question.images
    language = placed_language(found.standing.texts, found.question.language)
    if language is None or not images or found.question.language not in found.languages:
        return None
    text = found.standing.texts[language]
    digest = shown_digest(placement_view(text, images, language))
    said = proposals.get(Key(item_id=found.item_id, language=None, field=FIELD, digest=digest))
    return ReviewItem(
        item_id=found.item_id,
        language=None,
        digest=digest,
        build=partial(_data, Pictures(workspace), text, images, language, said),
        images=images,
        hints=("proposal", "burnt_html"),
    )


def placement_config(pictures: int) -> str:
    """Label Studio's XML for questions with so many pictures."""
    target = f"<Style>{STEM_STYLE}{_STYLE}</Style>" + shown_html(_TARGET)
    for number in range(pictures):
        name = f"picture_{number}"
        target += (
            _tool(
                f"Box: the label stands here · 框：标注写在这里{_of(number, pictures)}",
                f'<RectangleLabels name="box_{number}" toName="{name}" value="$labels" canRotate="false" '
                'strokeWidth="2" opacity="0.15"/>',
            )
            + _tool(
                "Point: it belongs to this · 点：它属于此物",
                f'<KeyPointLabels name="point_{number}" toName="{name}" value="$labels" strokeWidth="4"/>',
            )
            + _tool(
                "Arrow, where a direction is given · 箭头（给出方向时）",
                f'<KeyPointLabels name="arrow_{number}" toName="{name}" value="$arrows" strokeWidth="3"/>',
            )
            + f'<Image name="{name}" value="$picture_{number}" zoom="true" zoomControl="true"/>'
        )
    card = (
        shown_html("mark_{{idx}}", "marks[{{idx}}].html")
        + single_choice("where_{{idx}}", "mark_{{idx}}", "Where · 位置", _OPTIONS, inline=True)
        + text_field("label_{{idx}}", "mark_{{idx}}", "Label · 标注", 1)
    )
    side = (
        f'<Repeater on="$marks" indexFlag="{{{{idx}}}}"><View className="bw-mark">{card}</View></Repeater>'
        + shown_html("burnt", "burnt_html")
        + closing(_TARGET)
    )
    return page(target, side)


def _tool(title: str, labels: str) -> str:
    """One kind of region, its labels beside its name."""
    return f'<View className="bw-tool"><Header value={quoteattr(title)} size="6"/>{labels}</View>'


def _group(name: str, count: int, items: tuple[ReviewItem, ...], guidelines: Guidelines) -> ReviewGroup:
    many = "" if count == 1 else f", {count} pictures"
    return ReviewGroup(
        name=name if count == 1 else f"{name}-{count}",
        title=f"Placement: {name}{many}",
        config=placement_config(count),
        guidelines=guidelines,
        items=items,
    )


def _data(
    pictures: Pictures,
    text: LocalizedText,
    images: Sequence[ImageRef],
    language: Language,
    said: Proposal | None,
) -> JsonObject:
    split = text.decomposition
    assert split is not None, "marks come from a decomposition"
    slots = slots_of(split)
    shown = [pictures.shown(image) for image in images]
    placements = Placements.model_validate(said.value) if said is not None else None
    colours = [COLOURS[number % len(COLOURS)] for number in range(len(slots))]
    return {
        "html": f'<div class="bw-q">{stem_html(split)}</div>',
        "burnt_html": _burnt_html(pictures, split, placements, images, language),
        "marks": [
            {
                "condition": slot.condition,
                "mark": slot.mark,
                "label": slot.label,
                "key": slot.key,
                "html": _card_html(number, colour, slot, split),
            }
            for number, (slot, colour) in enumerate(zip(slots, colours, strict=True))
        ],
        "labels": [
            {"value": slot.key, "background": colour} for slot, colour in zip(slots, colours, strict=True)
        ],
        "arrows": [
            {"value": name, "background": colour}
            for number, colour in enumerate(colours)
            for name in arrow_keys(number)
        ],
        "pictures": [
            {"sha256": image.sha256, "width": width, "height": height}
            for image, (_, width, height) in zip(images, shown, strict=True)
        ],
        **{f"picture_{number}": url for number, (url, _, _) in enumerate(shown)},
        "proposal": _value(placements) if placements is not None else None,
    }


def _card_html(number: int, colour: str, slot: Slot, split: Decomposition) -> str:
    condition = next(c for c in split.conditions if c.id == slot.condition)
    words = text_html(split.stem[condition.start : condition.end])
    badge = f'<span class="bw-number" style="background:{colour}">{number + 1}</span>'
    return f'<div class="bw-q">{badge}<b>{text_html(slot.label)}</b> ← {words}</div>'


def _burnt_html(
    pictures: Pictures,
    split: Decomposition,
    placements: Placements | None,
    images: Sequence[ImageRef],
    language: Language,
) -> str:
    if placements is None:
        body = "<p>Nothing was proposed. · 没有建议。</p>"
    else:
        try:
            url = pictures.burnt(split, placements, images, language)
        except ItemError as error:
            body = f'<code class="bw-fault">{html.escape(reason(error))}</code>'
        else:
            body = f'<figure><img src="{html.escape(url, quote=True)}" alt=""></figure>'
        unplaced = "".join(
            f"<li>{html.escape(name)}: {html.escape(why)}</li>" for name, why in placements.unplaced.items()
        )
        body += f"<ul>{unplaced}</ul>" if unplaced else ""
        if not placements.labels_read:
            body += "<p>The writing on the diagram was not read: look for what is there already. · 未识别图中文字。</p>"
    return f'<div class="bw-q bw-burnt"><h5>As proposed, burnt in · 按建议画好的图</h5>{body}</div>'


def _of(number: int, pictures: int) -> str:
    return "" if pictures == 1 else f" · {number + 1} / {pictures}"


def _slots(data: JsonObject) -> list[Slot]:
    return [Slot(str(m["condition"]), int(m["mark"]), str(m["label"]), str(m["key"])) for m in data["marks"]]


def _pictures(data: JsonObject) -> list[Picture]:
    return [Picture(str(p["sha256"]), int(p["width"]), int(p["height"])) for p in data["pictures"]]


def _value(placements: Placements) -> JsonObject:
    """As the proposer writes it."""
    return placements.model_dump(mode="json", exclude_none=True)
