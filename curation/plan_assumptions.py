"""The stated assumptions of a plan, as data that can be overridden."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib import resources

from benchwright.schemas.errors import UsageError


class Assumptions:
    """Numbers by `TABLE.KEY`; knows which were given by the user."""

    def __init__(self, values: dict[str, float], own: Sequence[str] = ()) -> None:
        self.values = values
        self.own = tuple(own)

    @classmethod
    def read(cls, overrides: Sequence[str] = ()) -> Assumptions:
        """The built-in ones, with `KEY=VALUE` in place of some.

        Raises:
            UsageError: a key that does not exist, or a value that is no number from 0 up.
        """
        text = resources.files("benchwright.curation").joinpath("plan_assumptions.toml").read_text("utf-8")
        values = {
            f"{table}.{key}": float(value)
            for table, entries in tomllib.loads(text).items()
            for key, value in entries.items()
        }
        own = []
        for override in overrides:
            key, _, said = override.partition("=")
            if key not in values:
                known = ", ".join(sorted(values))
                raise UsageError(
                    f"there is no assumption {key!r}: --assume takes KEY=VALUE with one of {known}."
                )
            try:
                number = float(said)
            except ValueError:
                number = -1.0
            if not 0 <= number < float("inf"):
                raise UsageError(f"--assume {override}: {said!r} is no number from 0 up.")
            values[key] = number
            own.append(key)
        return cls(values, own)

    def __getitem__(self, key: str) -> float:
        return self.values[key]

    def get(self, key: str, other: float) -> float:
        """The number, or another one where there is none."""
        return self.values.get(key, other)
