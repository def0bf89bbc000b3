"""Options and their answers: from whatever spelling a source uses to labels, texts and pictures."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import Any

from benchwright.curation.sources import Number, parse_json
from benchwright.schemas.errors import ItemError

_MARK = r"[)）}.．、:：]"
_PREFIX = re.compile(rf"\s*[(（]?([A-Z])\s*{_MARK}\s*")
_AT_LINE_START = re.compile(rf"(?m)^[ \t]*[(（]?([A-Z]){_MARK}[ \t]*")
_FIRST_INLINE = re.compile(rf"(?<=\s)[(（]?A{_MARK}[ \t]*")
_SHOWN = re.compile(rf"(?<![A-Za-z\\])\$?(?:\\(?:mathrm|text|mathbf)\{{)?~?([A-Z])\}}?\$?\s*(?:{_MARK}|&)")
_SEPARATORS = re.compile(r"[\s,，、;；/&()（）\[\]]+")
_LAST_MARK = re.compile(r"[.．。:：;；-]+$")
_TEXT_KEYS = ("text", "content", "value")


@dataclass(frozen=True)
class RawOption:
    """One option before its picture is loaded; `image` is whatever the source holds for it."""

    label: str
    text: str | None
    image: Any = None


def read_options(value: Any) -> tuple[RawOption, ...]:
    """Options from a list of texts or objects, an object label -> text, parallel lists, or lines "A. ...".

    Raises:
        ItemError: `bad-choices` when the value is none of these or two options share a label.
    """
    if value is None or value == "" or value == [] or value == {}:
        return ()
    if isinstance(value, str):
        value = _from_text(value)
    if isinstance(value, dict):
        value = _from_object(value)
    if not isinstance(value, list):
        raise ItemError("bad-choices", "the options are neither a list nor an object")
    if len(value) > len(ascii_uppercase):
        raise ItemError(
            "bad-choices", f"{len(value)} options, at most {len(ascii_uppercase)} can be labelled"
        )
    options = tuple(_option(item, ascii_uppercase[index]) for index, item in enumerate(value))
    options = _without_prefixes(options)
    labels = [option.label for option in options]
    if len(set(labels)) < len(labels):
        raise ItemError("bad-choices", f"two options share a label ({', '.join(labels)})")
    # A text that only repeats the label says nothing: the option stands in the picture.
    return tuple(replace(o, text=None) if o.text in ("", o.label) else o for o in options)


def read_labels(answer: str, labels: Sequence[str]) -> tuple[str, ...] | None:
    """The labels that an answer names ("B", "(C)", "A,C", "BD", "c."), in its own order; None for anything else.

    Repeated labels are kept: "A B A" answers three sub-questions, not one.
    """
    letters = _SEPARATORS.sub("", _LAST_MARK.sub("", answer.strip()))
    if len(letters) == 1:
        letters = letters.upper()
    if not letters or any(letter not in labels for letter in letters):
        return None
    return tuple(letters)


def match_option(answer: str, options: Sequence[RawOption]) -> str | None:
    """Label of the one option whose text is the answer (compared after NFKC, without outer blanks), or None."""
    wanted = _key(answer)
    found = [option.label for option in options if option.text is not None and _key(option.text) == wanted]
    return found[0] if len(found) == 1 else None


def split_options(question: str) -> tuple[str, tuple[RawOption, ...]] | None:
    """Cut options off the end of a question where each stands on a line of its own; None when that is not certain.

    Certain means: labels A, B, C... in order, one a line, each with text; "A" may follow the stem on its line.
    """
    marks = list(_AT_LINE_START.finditer(question))
    starts = [index for index, mark in enumerate(marks) if mark.group(1) == "A"]
    run = marks[starts[-1] :] if starts else _with_inline_first(question, marks)
    if len(run) < 2 or _letters_of(run) != ascii_uppercase[: len(run)]:
        return None
    ends = [mark.start() for mark in run[1:]] + [len(question)]
    texts = [question[mark.end() : end].strip() for mark, end in zip(run, ends, strict=True)]
    stem = question[: run[0].start()].rstrip()
    if not stem or any(not text or "\n" in text for text in texts):
        return None
    return stem, tuple(RawOption(ascii_uppercase[index], text) for index, text in enumerate(texts))


def labels_shown(question: str) -> tuple[str, ...]:
    """Labels A, B, C... that a question's text shows in order (in a table, in formulas); () for fewer than three."""
    letters = [mark.group(1) for mark in _SHOWN.finditer(question)]
    best: tuple[str, ...] = ()
    for start in (index for index, letter in enumerate(letters) if letter == "A"):
        wanted = 0
        for letter in letters[start:]:
            if wanted < len(ascii_uppercase) and letter == ascii_uppercase[wanted]:
                wanted += 1
        best = max(best, tuple(ascii_uppercase[:wanted]), key=len)
    return best if len(best) >= 3 else ()


def _from_text(value: str) -> Any:
    text = value.strip()
    if text.startswith(("[", "{")):
        try:
            return parse_json(text)
        except ValueError as error:
            raise ItemError("bad-choices", f"the options are not valid JSON ({error})") from error
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or not all(_PREFIX.match(line) for line in lines):
        raise ItemError("bad-choices", "the options are one text without labelled lines")
    return lines


def _from_object(value: dict[str, Any]) -> list[Any]:
    labels, texts = value.get("label"), value.get("text")
    if isinstance(labels, list) and isinstance(texts, list):
        if len(labels) != len(texts):
            raise ItemError("bad-choices", f"{len(labels)} labels for {len(texts)} option texts")
        return [{"label": label, "text": text} for label, text in zip(labels, texts, strict=True)]
    if not all(re.fullmatch(r"[A-Z]", str(key)) for key in value):
        raise ItemError("bad-choices", "the options are an object whose keys are not labels")
    return [{"label": key, "text": value[key]} for key in sorted(value)]


def _option(item: Any, label: str) -> RawOption:
    if isinstance(item, dict):
        text = next((item[key] for key in _TEXT_KEYS if item.get(key) is not None), None)
        own = str(item.get("label") or label).strip().rstrip(".．)）").lstrip("(（")
        return RawOption(own, _option_text(text), item.get("image"))
    return RawOption(label, _option_text(item))


def _option_text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, Number)):
        return str(value)
    raise ItemError("bad-choices", f"an option is a {type(value).__name__}, not text")


def _without_prefixes(options: tuple[RawOption, ...]) -> tuple[RawOption, ...]:
    """Drop "A. ", "(B) " from the texts, but only when all of them carry their own label."""
    marks = [_PREFIX.match(option.text or "") for option in options]
    if not all(mark and mark.group(1) == o.label for mark, o in zip(marks, options, strict=True)):
        return options
    return tuple(
        replace(option, text=(option.text or "")[mark.end() :] if mark else option.text)
        for mark, option in zip(marks, options, strict=True)
    )


def _with_inline_first(question: str, marks: list[re.Match[str]]) -> list[re.Match[str]]:
    if not marks or marks[0].group(1) != "B":
        return []
    first = [mark for mark in _FIRST_INLINE.finditer(question) if mark.end() <= marks[0].start()]
    return [first[-1], *marks] if first else []


def _letters_of(run: Sequence[re.Match[str]]) -> str:
    return "".join(mark.group(1) if mark.lastindex else "A" for mark in run)


def _key(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip()
