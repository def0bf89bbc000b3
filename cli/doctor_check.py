"""A finding of `benchwright doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "absent", "note", "broken"]
"""absent: an extra, a key or a file that only some commands need; broken: something that should work does not."""


@dataclass(frozen=True)
class Check:
    """One part, what was found, and what mends it."""

    section: str
    part: str
    state: State
    said: str
    remedy: str = ""
