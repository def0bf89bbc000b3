"""The codes of screening: what each means, whether it turns a question away, what it is measured against.

They are data (`screen_thresholds.toml`); the recipe's `[screen]` changes severities and values, never the code.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import JsonValue

from benchwright.schemas.errors import UsageError
from benchwright.schemas.recipe import ScreenRecipe
from benchwright.schemas.records import Record
from benchwright.schemas.screening import ScreenFinding

Severity = Literal["reject", "note", "off"]


class Code(Record):
    """One thing that screening can find."""

    severity: Severity
    meaning: str
    value: float | None = None
    """What a measure is held against; None for a check without a number."""


@dataclass(frozen=True)
class Rules:
    """The codes as one recipe wants them; small and plain, so that a worker process can be handed it."""

    codes: Mapping[str, Code]

    def on(self, code: str) -> bool:
        """Whether a code is looked for."""
        return self.codes[code].severity != "off"

    def value(self, code: str) -> float:
        """What a code's measure is held against."""
        value = self.codes[code].value
        if value is None:
            raise AssertionError(f"{code} has no value")
        return value

    def found(
        self,
        code: str,
        detail: str = "",
        *,
        measure: float | None = None,
        image: str | None = None,
    ) -> Iterator[ScreenFinding]:
        """The finding for a code, or nothing where the code is off."""
        rule = self.codes[code]
        if rule.severity != "off":
            yield ScreenFinding(
                code=code,
                severity=rule.severity,
                measure=None if measure is None else round(measure, 4),
                threshold=rule.value,
                detail=detail,
                image=image,
            )

    @property
    def signature(self) -> JsonValue:
        """What of the rules decides the result: severities and values, not the wording of meanings."""
        return {name: [code.severity, code.value] for name, code in sorted(self.codes.items())}


@cache
def built_in() -> Mapping[str, Code]:
    """The codes as they are shipped, in the order of the file."""
    text = resources.files("benchwright.curation").joinpath("screen_thresholds.toml").read_text("utf-8")
    return {name: Code.model_validate(entry) for name, entry in tomllib.loads(text).items()}


def rules_of(recipe: ScreenRecipe) -> Rules:
    """The codes with a recipe's changes.

    Raises:
        UsageError: an unknown code, a code under both `reject` and `note`, a value for a code that measures nothing.
    """
    codes = dict(built_in())
    for key, named in (
        ("reject", recipe.reject),
        ("note", recipe.note),
        ("thresholds", tuple(recipe.thresholds)),
    ):
        _known(key, named, codes)
    if both := sorted(set(recipe.reject) & set(recipe.note)):
        raise UsageError(
            f"[screen] in benchwright.toml has {both[0]} under both reject and note: take it out of one."
        )
    for name in recipe.reject:
        codes[name] = codes[name].model_copy(update={"severity": "reject"})
    for name in recipe.note:
        codes[name] = codes[name].model_copy(update={"severity": "note"})
    for name, value in recipe.thresholds.items():
        if codes[name].value is None:
            measured = ", ".join(sorted(other for other, code in codes.items() if code.value is not None))
            raise UsageError(
                f"[screen.thresholds] in benchwright.toml gives {name} a value, but it measures nothing "
                f"(these do: {measured}): name it in [screen] reject or note instead."
            )
        codes[name] = codes[name].model_copy(update={"value": float(value)})
    return Rules(codes)


def _known(key: str, named: tuple[str, ...], codes: Mapping[str, Code]) -> None:
    for name in named:
        if name not in codes:
            section = "[screen.thresholds]" if key == "thresholds" else f"[screen] {key}"
            raise UsageError(
                f"{section} in benchwright.toml names {name!r}, which is no code of screening; the codes are "
                f"{', '.join(sorted(codes))}."
            )
