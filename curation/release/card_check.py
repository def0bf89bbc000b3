"""Whether a card will load: the Hub looks at its front matter only when everything is uploaded already."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from fnmatch import fnmatchcase
from typing import Any

import yaml

from benchwright.curation.release.card_merge import BEGIN, END, split_card

_SPLIT = re.compile(r"\w+(\.\w+)*")
"""What `datasets` takes as the name of a split."""
_RESERVED = "data"
"""A name that `datasets` refuses for a config."""
_PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]*)\)")


def card_troubles(card: str, names: Collection[str]) -> Iterator[str]:
    """What would keep somebody from loading a release by its card, one sentence each; nothing where all is well.

    Args:
        card: the whole README.
        names: paths of the other files of the release.
    """
    matter, body = split_card(card)
    try:
        values = yaml.safe_load(matter)
    except yaml.YAMLError as error:
        yield f"its front matter is no YAML ({str(error).splitlines()[0]})"
        return
    if not isinstance(values, dict) or not isinstance(values.get("configs"), list):
        yield "its front matter has no list of configs"
        return
    yield from _config_troubles(values["configs"], {name for name in names if name.endswith(".parquet")})
    for key in ("license", "pretty_name"):
        if not isinstance(values.get(key), str) or not values[key].strip():
            yield f"its {key} is empty"
    if (body.count(BEGIN), body.count(END)) != (1, 1):
        yield "its generated part has not one beginning and one end"
    for picture in _PICTURE.findall(body):
        if picture not in names:
            yield f"it shows {picture}, which is not there"


def _config_troubles(configs: list[dict[str, Any]], tables: set[str]) -> Iterator[str]:
    names = [config["config_name"] for config in configs]
    if len(set(names)) < len(names) or _RESERVED in names:
        yield "two of its configs share a name, or one is called data"
    defaults = [config for config in configs if config.get("default")]
    if len(defaults) != 1:
        yield f"{len(defaults)} of its configs are the default, not one"
    covered = dict.fromkeys(sorted(tables), 0)
    for config in configs:
        for entry in config["data_files"]:
            if _SPLIT.fullmatch(entry["split"]) is None:
                yield f"{entry['split']!r} cannot be the name of a split"
            found = [table for table in tables if fnmatchcase(table, entry["path"])]
            if not found:
                yield f"no table is at {entry['path']}, which {config['config_name']} names"
            if not config.get("default"):
                for table in found:
                    covered[table] += 1
    for table, times in covered.items():
        if times != 1:
            yield f"{table} belongs to {times} configs beside the default, not to one"
