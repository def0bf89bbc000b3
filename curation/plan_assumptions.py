"""The stated assumptions of a plan, as data that can be overridden."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib import resources

from benchwright.schemas.effort import Pace, pace_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import ADJUDICATION_SECONDS, JOBS
from benchwright.schemas.workspace import Workspace

_REVIEWED = (
    "duplicates",
    "tagging",
    "quality",
    "translation",
    "multiple-choice",
    "decomposition",
    "placement",
)
"""Jobs that a plan counts."""


class Assumptions:
    """Numbers by `TABLE.KEY`; knows which were given by the user, and which were measured."""

    def __init__(
        self, values: dict[str, float], own: Sequence[str] = (), measured: dict[str, int] | None = None
    ) -> None:
        self.values = values
        self.own = tuple(own)
        self.measured = measured or {}
        """`minutes.JOB` -> how many timed tasks it is the median of."""

    @classmethod
    def read(cls, overrides: Sequence[str] = (), workspace: Workspace | None = None) -> Assumptions:
        """The built-in ones, with measured times of reviewers and `KEY=VALUE` in place of some.

        Args:
            overrides: what the user says; it beats what was measured.
            workspace: whose reviews were timed; None: nobody was.

        Raises:
            UsageError: a key that does not exist, or a value that is no number from 0 up.
        """
        text = resources.files("benchwright.curation").joinpath("plan_assumptions.toml").read_text("utf-8")
        values = {
            f"{table}.{key}": float(value)
            for table, entries in tomllib.loads(text).items()
            for key, value in entries.items()
        }
        paces = {
            f"minutes.{job}": Pace(seconds=JOBS[job].seconds)
            if workspace is None
            else pace_of(workspace, job)
            for job in _REVIEWED
        }
        values |= {key: pace.seconds / 60 for key, pace in paces.items()}
        values["minutes.adjudication"] = ADJUDICATION_SECONDS / 60
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
        measured = {key: pace.timed for key, pace in paces.items() if pace.timed and key not in own}
        return cls(values, own, measured)

    def __getitem__(self, key: str) -> float:
        return self.values[key]

    def get(self, key: str, other: float) -> float:
        """The number, or another one where there is none."""
        return self.values.get(key, other)
