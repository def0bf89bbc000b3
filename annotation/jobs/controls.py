"""Parts of a review page: what makes their XML, what fills them with a proposal, what reads them.

Every page ends with `closing`: "cannot decide", "the item is faulty", and a remark, so that nobody needs to skip. Once
one of the two is chosen the questions vanish, and none of them holds up the submission.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast
from xml.sax.saxutils import quoteattr

from benchwright.annotation.jobs.base import FieldAnswer, JsonObject, ReviewOrigin
from benchwright.annotation.markup import STYLE
from benchwright.schemas.jobs import Undecided

UNDECIDED = "undecided"
COMMENT = "comment"


@dataclass(frozen=True)
class Option:
    """One option of a choice."""

    value: str
    """What the answer is; the page shows `label`."""
    label: str
    hint: str = ""
    """Shown under the pointer."""
    hotkey: str | None = None


def page(target: str, side: str) -> str:
    """A page of two columns: what is looked at, and beside it what is asked."""
    return (
        f'<View className="bw-page"><Style>{STYLE}</Style><View className="bw-target">{target}</View>'
        f'<View className="bw-side">{side}</View></View>'
    )


def shown_html(name: str, variable: str = "html") -> str:
    """A part that shows the HTML in a variable of the task's data."""
    return f'<HyperText name={quoteattr(name)} value={quoteattr("$" + variable)} inline="true"/>'


def single_choice(
    name: str, to: str, title: str, options: Sequence[Option], *, required: bool = True, inline: bool = False
) -> str:
    """A question with one answer."""
    must = f' required="true" requiredMessage={quoteattr("Choose: " + title)}' if required else ""
    return _asked(
        title,
        f"<Choices name={quoteattr(name)} toName={quoteattr(to)} choice={quoteattr('single-radio')}{must}"
        f"{_inline(inline)}>{_options(options)}</Choices>",
    )


def many_choices(name: str, to: str, title: str, options: Sequence[Option], *, inline: bool = False) -> str:
    """A question with any number of answers, none included."""
    return _asked(
        title,
        f"<Choices name={quoteattr(name)} toName={quoteattr(to)} choice={quoteattr('multiple')}"
        f"{_inline(inline)}>{_options(options)}</Choices>",
    )


def rating(
    name: str,
    to: str,
    title: str,
    words: Sequence[tuple[str, str]],
    hotkeys: str = "",
    *,
    required: bool = True,
) -> str:
    """A rating from 1 up, each level with (name, description) and, where given, a key."""
    options = [
        Option(str(level), f"{level} · {word}", hint, hotkeys[level - 1] if level <= len(hotkeys) else None)
        for level, (word, hint) in enumerate(words, start=1)
    ]
    return single_choice(name, to, title, options, required=required)


def text_field(
    name: str,
    to: str,
    title: str,
    rows: int = 3,
    value_var: str | None = None,
    *,
    placeholder: str = "",
    required: bool = False,
) -> str:
    """A text to be written.

    Args:
        name: of the control.
        to: what it is about.
        title: shown above.
        rows: height of the empty field.
        value_var: a variable of the task's data whose text stands in the field from the start; a proposal that is a
            prediction (`text_region`) needs none, and keeps its origin.
        placeholder: shown in the empty field.
        required: whether the page asks for it before it lets go.
    """
    value = f" value={quoteattr('$' + value_var)}" if value_var is not None else ""
    must = f' required="true" requiredMessage={quoteattr("Fill in: " + title)}' if required else ""
    return _asked(
        title,
        # `transcription` keeps a prefilled field open for editing: without it there is a line with a pencil beside it.
        f'<TextArea name={quoteattr(name)} toName={quoteattr(to)} rows="{rows}" maxSubmissions="1" editable="true" '
        f'transcription="true" showSubmitButton="false" placeholder={quoteattr(placeholder)}{value}{must}/>',
        f"bw-field bw-rows-{rows}",
    )


def only_when(control: str, values: Sequence[str], parts: str) -> str:
    """Parts that are shown only while one of `values` is chosen in `control`."""
    return (
        f'<View visibleWhen="choice-selected" whenTagName={quoteattr(control)} '
        f"whenChoiceValue={quoteattr(','.join(values))}>{parts}</View>"
    )


def closing(to: str) -> str:
    """The last part of every page: not decided and why, a remark."""
    options = _options(
        [
            Option("cannot-decide", "I cannot decide · 无法判断", "Somebody else will look at it.", "n"),
            Option("item-faulty", "The item is faulty · 题目有错", "Say in the remark what is wrong.", "m"),
        ]
    )
    return (
        '<View className="bw-closing"><Header value="If you cannot answer · 若无法作答" size="5"/>'
        f'<Choices name="{UNDECIDED}" toName={quoteattr(to)} choice="single" showInline="true">{options}</Choices>'
        '<Header value="Remark (optional) · 备注（可不填）" size="5"/>'
        f'<TextArea name="{COMMENT}" toName={quoteattr(to)} rows="2" maxSubmissions="1" editable="true" '
        'showSubmitButton="false" placeholder="What is unclear or wrong? · 哪里不清楚或有错？"/></View>'
    )


# --- filling in ---------------------------------------------------------------------------------------------------
def choices_region(control: str, target: str, values: Sequence[str]) -> JsonObject:
    """A filled-in choice."""
    return {"from_name": control, "to_name": target, "type": "choices", "value": {"choices": list(values)}}


def text_region(control: str, target: str, text: str) -> JsonObject:
    """A filled-in text field."""
    return {"from_name": control, "to_name": target, "type": "textarea", "value": {"text": [text]}}


# --- reading ------------------------------------------------------------------------------------------------------
def chosen(result: Sequence[JsonObject], control: str) -> FieldAnswer | None:
    """The one choice made in a control; None where nothing, or not exactly one thing, was chosen."""
    many = chosen_many(result, control)
    if many is None or not isinstance(many.value, list) or len(many.value) != 1:
        return None
    return FieldAnswer(many.value[0], many.origin)


def chosen_many(result: Sequence[JsonObject], control: str) -> FieldAnswer | None:
    """All choices made in a control; None where there is none: a page that lost its last tick has no region either."""
    for region in _of(result, control):
        values = region.get("value", {}).get("choices", [])
        if values and all(isinstance(value, str) for value in values):
            return FieldAnswer(list(values), origin_of(region))
    return None


def rated(result: Sequence[JsonObject], control: str) -> FieldAnswer | None:
    """A rating as a whole number."""
    answer = chosen(result, control)
    if answer is None or not str(answer.value).isdecimal():
        return None
    return FieldAnswer(int(str(answer.value)), answer.origin)


def entered(result: Sequence[JsonObject], control: str) -> FieldAnswer | None:
    """What stands in a text field, without blanks around it; None where it is empty."""
    regions = _of(result, control)
    text = "\n".join(str(line) for region in regions for line in region.get("value", {}).get("text", []))
    return FieldAnswer(text.strip(), origin_of(regions[0])) if text.strip() else None


def written(result: Sequence[JsonObject], control: str) -> str | None:
    """As `entered`, the text alone."""
    answer = entered(result, control)
    return None if answer is None else str(answer.value)


def undecided(result: Sequence[JsonObject]) -> Undecided | None:
    """Whether the reviewer gave no answer on purpose, and why."""
    answer = chosen(result, UNDECIDED)
    if answer is None or answer.value not in ("cannot-decide", "item-faulty"):
        return None
    return cast(Undecided, answer.value)


def origin_of(region: JsonObject) -> ReviewOrigin:
    """Label Studio's own note of whether a proposal was kept; what it leaves out was entered by hand."""
    origin = region.get("origin")
    return cast(ReviewOrigin, origin) if origin in {"prediction", "prediction-changed"} else "manual"


def _of(result: Sequence[JsonObject], control: str) -> list[JsonObject]:
    return [region for region in result if region.get("from_name") == control]


def _asked(title: str, control: str, look: str = "bw-asked") -> str:
    """A control under its title, in a view of its own that vanishes once the reviewer chose not to answer."""
    return (
        f'<View className={quoteattr(look)} visibleWhen="choice-unselected" whenTagName="{UNDECIDED}">'
        f'<Header value={quoteattr(title)} size="5"/>{control}</View>'
    )


def _inline(inline: bool) -> str:
    return ' showInline="true"' if inline else ""


def _options(options: Sequence[Option]) -> str:
    return "".join(_choice(option) for option in options)


def _choice(option: Option) -> str:
    hotkey = f" hotkey={quoteattr(option.hotkey)}" if option.hotkey is not None else ""
    hint = f" hint={quoteattr(option.hint)}" if option.hint else ""
    return f"<Choice value={quoteattr(option.label)} alias={quoteattr(option.value)}{hint}{hotkey}/>"
