"""Joining a generated card with the one on the Hub, so that what people wrote there survives.

The front matter is edited as text: keys and configs that are not ours keep their very bytes. Of the body only the
part between our two markers is ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from benchwright.schemas.errors import UsageError
from benchwright.schemas.versions import Version

BEGIN = "<!-- benchwright:begin (the text down to benchwright:end is generated; write above or below it) -->"
END = "<!-- benchwright:end -->"

COUNTED_KEYS = frozenset({"language", "multilinguality", "size_categories"})
"""Keys that follow from the rows; refreshed where the card is ours, all other keys belong to people once written."""

_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?^)---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_OURS = re.compile(
    r"data/(\*|[a-z]{2,3})/(\*|" + "|".join(version.value for version in Version) + r")/[a-z]+-\*\.parquet"
)


@dataclass(frozen=True)
class MergedCard:
    """The joined card."""

    text: str
    kept: tuple[str, ...]
    """Keys whose value on the Hub differs from the generated one and was left as it is."""


@dataclass(frozen=True)
class _Entry:
    """One top-level key of the front matter with its text, down to the next key."""

    key: str
    value: yaml.Node
    text: str
    start: int


def dump_yaml(values: Any) -> str:
    """YAML as the Hub's own tools write it: block style, order kept, characters not escaped."""
    return str(
        yaml.safe_dump(values, sort_keys=False, allow_unicode=True, default_flow_style=False, width=1000)
    )


def split_card(text: str) -> tuple[str, str]:
    """Front matter (without its two rules) and body of a card; the first is empty where there is none."""
    match = _MATTER.match(text)
    return ("", text) if match is None else (match.group(1), text[match.end() :])


def merge_card(existing: str | None, generated: str) -> MergedCard:
    """Join the generated card with what stands on the Hub.

    Args:
        existing: the card on the Hub, None when there is none.
        generated: the card that was built.

    Raises:
        UsageError: the existing front matter is no YAML mapping, or one of its configs has a name of ours but
            holds other files, or holds files of another format, beside which ours could not be loaded.
    """
    if existing is None:
        return MergedCard(generated, ())
    old_matter, old_body = split_card(existing)
    new_matter, new_body = split_card(generated)
    try:
        matter, kept = _merge_matter(old_matter, yaml.safe_load(new_matter), ours=BEGIN in old_body)
    except yaml.YAMLError as error:
        raise UsageError(
            "The card on the Hub has a broken front matter; mend its README.md there."
        ) from error
    return MergedCard(f"---\n{matter}---\n{_merge_body(old_body, new_body)}", kept)


def _merge_body(old: str, new: str) -> str:
    start, end = old.find(BEGIN), old.find(END)
    if 0 <= start < end:
        return old[:start] + new.strip() + old[end + len(END) :]
    return f"{old.rstrip()}\n\n{new.lstrip()}" if old.strip() else new


def _merge_matter(text: str, values: dict[str, Any], ours: bool) -> tuple[str, tuple[str, ...]]:
    parts: list[str] = []
    kept: list[str] = []
    present: set[str] = set()
    for entry in _entries(text):
        present.add(entry.key)
        if entry.key == "configs":
            parts.append(_merge_configs(entry, values["configs"]))
        elif entry.key in values and yaml.safe_load(entry.text).get(entry.key) != values[entry.key]:
            refresh = ours and entry.key in COUNTED_KEYS
            parts.append(dump_yaml({entry.key: values[entry.key]}) if refresh else entry.text)
            if not refresh:
                kept.append(entry.key)
        else:
            parts.append(entry.text)
    # A licence's name and link belong to the licence: they are not added to one that somebody else chose.
    skipped = {"license_name", "license_link"} if "license" in present else set()
    missing = {key: value for key, value in values.items() if key not in present | skipped}
    joined = "".join(parts)
    if joined and not joined.endswith("\n"):
        joined += "\n"
    return joined + (dump_yaml(missing) if missing else ""), tuple(kept)


def _entries(text: str) -> list[_Entry]:
    top = yaml.compose(text)
    if top is None:
        return []
    if not isinstance(top, yaml.MappingNode):
        raise UsageError("The card's front matter on the Hub is no mapping; mend its README.md there first.")
    if top.flow_style:
        return _entries(dump_yaml(yaml.safe_load(text)))
    starts = [_line_start(text, key.start_mark.index) for key, _ in top.value]
    starts[0] = 0  # comments above the first key travel with it
    ends = [*starts[1:], len(text)]
    return [
        _Entry(str(key.value), value, text[start:end], start)
        for (key, value), start, end in zip(top.value, starts, ends, strict=True)
    ]


def _merge_configs(entry: _Entry, blocks: list[dict[str, Any]]) -> str:
    node = entry.value
    names = {block["config_name"] for block in blocks}
    if not isinstance(node, yaml.SequenceNode) or node.flow_style or not node.value:
        old = yaml.safe_load(entry.text)["configs"] or []
        foreign = [config for config in old if not _is_ours(config, names)]
        return dump_yaml({"configs": [*foreign, *_without_second_default(foreign, blocks)]})
    starts = [_line_start(entry.text, item.start_mark.index - entry.start) for item in node.value]
    pieces = [
        entry.text[start:end] for start, end in zip(starts, [*starts[1:], len(entry.text)], strict=True)
    ]
    kept = [(piece, yaml.safe_load(piece)[0]) for piece in pieces]
    kept = [(piece, config) for piece, config in kept if not _is_ours(config, names)]
    first = pieces[0]
    indent = first[: len(first) - len(first.lstrip(" "))]
    added = dump_yaml(_without_second_default([config for _, config in kept], blocks))
    text = entry.text[: starts[0]] + "".join(piece for piece, _ in kept)
    if not text.endswith("\n"):
        text += "\n"
    return text + "".join(f"{indent}{line}" for line in added.splitlines(keepends=True))


def _without_second_default(
    foreign: list[dict[str, Any]], blocks: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Our blocks, without our default where another config is the default already."""
    if not any(config.get("default") for config in foreign):
        return blocks
    return [{key: value for key, value in block.items() if key != "default"} for block in blocks]


def _is_ours(config: dict[str, Any], names: set[str]) -> bool:
    """Whether a config on the Hub is one that we write, now or in an earlier release: told by its files."""
    paths = list(_paths(config.get("data_files")))
    if paths and all(_OURS.fullmatch(path) for path in paths):
        return True
    if other := [path for path in paths if not path.endswith((".parquet", "*"))]:
        raise UsageError(
            f"The card on the Hub has a config {config.get('config_name')!r} of files that are no Parquet "
            f"({other[0]}); `datasets` reads all configs of a repository in one format: use another repository."
        )
    if config.get("config_name") in names:
        raise UsageError(
            f"The card on the Hub has a config {config['config_name']!r} with other files; rename it there first."
        )
    return False


def _paths(data_files: Any) -> Iterator[str]:
    if isinstance(data_files, str):
        yield data_files
    elif isinstance(data_files, list):
        for item in data_files:
            yield from _paths(item)
    elif isinstance(data_files, dict):
        yield from _paths(data_files.get("path"))


def _line_start(text: str, index: int) -> int:
    return text.rfind("\n", 0, index) + 1
