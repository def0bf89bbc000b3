"""Facts that machines measured about a question, in words: trial solutions, tries without the picture."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from benchwright.annotation.markup import panel_html

_CONDITIONS = {
    "no-image": "without the picture · 不给图",
    "options-only": "from the options alone · 只给选项",
    "wrong-image": "with another question's picture · 换一幅图",
}
_TAGS = {
    "suspect-key": "the reference answer is in doubt · 参考答案可疑",
    "image-not-needed": "the picture may not be needed · 可能不需要图",
    "options-suffice": "the options may give the answer away · 选项可能泄露答案",
}


def facts_html(answer_check: JsonValue, blind: JsonValue) -> str:
    """Both kinds of facts as boxes; '' where none were measured. They inform: nothing in them is an answer.

    Args:
        answer_check: value of the field of that name, or None.
        blind: value of the field of that name, or None.
    """
    solved = panel_html("Trial solutions by machines · 机器试解", list(_solutions(answer_check)))
    return solved + panel_html("Can it be solved blind? · 不看图能否做出", list(_blind(blind)))


def _solutions(value: JsonValue) -> Iterator[str]:
    if not isinstance(value, dict):
        return
    yield (
        f"{value.get('agree')} of {value.get('n')} agree with the reference answer, {value.get('disagree')} disagree, "
        f"{value.get('undecided', 0)} could not be compared, {value.get('no_answer', 0)} gave none"
    )
    if value.get("modal") is not None:
        yield f"most often answered: {value.get('modal')} ({value.get('modal_count')} times)"
    yield from _tags(value)


def _blind(value: JsonValue) -> Iterator[str]:
    if not isinstance(value, dict):
        return
    if value.get("not_applicable"):
        yield f"not measured: {value.get('not_applicable')}"
        return
    conditions = value.get("conditions")
    for name, words in _CONDITIONS.items():
        found = conditions.get(name) if isinstance(conditions, dict) else None
        if isinstance(found, dict):
            chance = found.get("chance")
            guessed = f", {chance:.0%} by guessing" if isinstance(chance, float | int) else ""
            yield f"{words}: {found.get('right')} of {found.get('tries')} right{guessed}"
    yield from _tags(value)


def _tags(value: dict[str, JsonValue]) -> Iterator[str]:
    tags = value.get("tags")
    for tag in tags if isinstance(tags, list) else []:
        yield _TAGS.get(str(tag), str(tag))
