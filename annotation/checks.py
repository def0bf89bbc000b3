"""Checks before an upload: Label Studio's community edition accepts predictions that its config cannot show."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchwright.schemas.errors import UsageError

JsonObject = dict[str, Any]
_VALUE_KEYS = {"textarea": "text", "rectangle": "x", "keypoint": "x"}
"""Where the value of a region stands; under the control's own type where nothing else is said."""
_OPTION_TAGS = {"Choice", "Label"}
_INDEX = re.compile(r"\{\{\w+\}\}")
"""Number of a card in a Repeater, as it stands in the names of its controls."""
_VARIABLE = re.compile(r"\$(\w+)(?:\[.*)?")


@dataclass(frozen=True)
class Control:
    """One control of a labelling config."""

    name: str
    type: str
    targets: tuple[str, ...]
    options: frozenset[str]
    """Values a region may hold; empty for free text and for options that come from the task."""
    single: bool


def config_controls(config: str) -> dict[str, Control]:
    """The controls of a labelling config by name.

    Raises:
        UsageError: the config is not well-formed, or two controls share a name.
    """
    try:
        root = ElementTree.fromstring(config)
    except ElementTree.ParseError as error:
        raise UsageError(f"the labelling config is not well-formed XML: {error}.") from error
    controls: dict[str, Control] = {}
    for element in root.iter():
        name, targets = element.get("name"), element.get("toName")
        if name is None or targets is None:
            continue
        if name in controls:
            raise UsageError(f"the labelling config has two controls named {name!r}: rename one.")
        options = frozenset(
            option.get("alias") or option.get("value") or ""
            for option in element.iter()
            if option.tag in _OPTION_TAGS
        )
        single = element.tag == "Choices" and not (element.get("choice") or "").startswith("multiple")
        controls[name] = Control(name, element.tag.lower(), tuple(targets.split(",")), options, single)
    return controls


def prediction_faults(config: str, result: Sequence[JsonObject]) -> list[str]:
    """What is wrong with a prediction, in words; empty when the page can show it.

    Checks of each region: the control is known, its target and type are the control's, each value is an option.
    """
    controls = config_controls(config)
    every_option = {option for control in controls.values() for option in control.options}
    faults: list[str] = []
    for number, region in enumerate(result, start=1):
        faults.extend(f"region {number}: {fault}" for fault in _region_faults(controls, every_option, region))
    return faults


def _region_faults(controls: dict[str, Control], every_option: set[str], region: JsonObject) -> list[str]:
    control = _control(controls, str(region.get("from_name")))
    values = _values(region)
    if control is None:
        faults = [
            f"there is no control {region.get('from_name')!r} (there are {', '.join(sorted(controls))})"
        ]
        faults += [
            f"{value!r} is not a choice of any control" for value in values if value not in every_option
        ]
        return faults
    faults = []
    if not any(_named(target, str(region.get("to_name"))) for target in control.targets):
        faults.append(f"{control.name!r} does not belong to {region.get('to_name')!r}")
    if str(region.get("type", "")).lower() != control.type:
        faults.append(f"{control.name!r} is of type {control.type}, not {region.get('type')}")
    if not values:
        faults.append(f"{control.name!r} has no value")
    if control.options:
        faults += [
            f"{value!r} is not a choice of {control.name!r}"
            for value in values
            if value not in control.options
        ]
    if control.single and len(values) > 1:
        faults.append(f"{control.name!r} takes one value, not {len(values)}")
    return faults


def data_faults(config: str, data: JsonObject) -> list[str]:
    """Variables of the config that a task's data lacks; the server would refuse the whole batch for one of them."""
    names: set[str] = set()
    for element in ElementTree.fromstring(config).iter():
        for attribute in ("value", "on"):
            if match := _VARIABLE.fullmatch(element.get(attribute) or ""):
                names.add(match[1])
    return [f"the task's data has no {name!r}" for name in sorted(names - data.keys())]


def _control(controls: dict[str, Control], name: str) -> Control | None:
    """The control of that name; those of a Repeater have a number in place of the index."""
    if name in controls:
        return controls[name]
    return next((control for pattern, control in controls.items() if _named(pattern, name)), None)


def _named(pattern: str, name: str) -> bool:
    if "{{" not in pattern:
        return pattern == name
    return re.fullmatch(r"\d+".join(map(re.escape, _INDEX.split(pattern))), name) is not None


def _values(region: JsonObject) -> list[str]:
    value = region.get("value")
    if not isinstance(value, dict):
        return []
    kind = str(region.get("type", "")).lower()
    found = value.get(_VALUE_KEYS.get(kind, kind), [])
    return [str(entry) for entry in found] if isinstance(found, list) else [str(found)]
