"""Corrections of a released data set: who asked for which, what became of each row, and the page that says so.

`errata.toml` in the workspace names rows or problems with a reason each. What changed comes out of the comparison with
the release that is corrected, never out of that file. `ERRATA.md` and `errata.jsonl` beside the data tell all
corrections since the first release; the answers of splits whose answers are withheld stand in neither.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from benchwright.schemas.digest import canonical_json
from benchwright.schemas.errors import UsageError
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Record, Split
from benchwright.schemas.workspace import Workspace

REASONS_NAME = "errata.toml"
"""File of the workspace in which a person gives the reasons."""
PAGE_NAME = "ERRATA.md"
LINES_NAME = "errata.jsonl"
KINDS = ("corrected", "withdrawn")
"""Tables of `errata.toml`: rows that changed (or, named by their own id, came), and rows that are gone."""
ANSWER_COLUMNS = frozenset({"answer", "unit", "solution"})
"""What is withheld of a row whose answers are."""
_SHOWN = 160
"""Characters of a value on the page; `errata.jsonl` has all of it."""
_VERSION = re.compile(r"(v?)(\d+)\.(\d+)\.(\d+)")


class Reason(Record):
    """One line of `errata.toml`."""

    kind: Literal["corrected", "withdrawn"]
    id: str
    """A row's id, or a problem's: then it stands for all of its rows."""
    reason: str


class ErratumChange(Record):
    """One column of one row; pictures by their sha256."""

    column: str
    before: JsonValue = None
    after: JsonValue = None
    withheld: bool = False
    """It changed, and neither value is told."""


class Erratum(Record):
    """What a patch release did to one row, a line of `errata.jsonl`."""

    tag: str
    """The release that brought it."""
    base: str
    """The release that was corrected."""
    id: str
    problem_id: str
    version: str
    language: str
    split: Split
    event: Literal["corrected", "withdrawn", "added"]
    reason: str
    changes: tuple[ErratumChange, ...] = ()
    """In the order of the columns; empty for a row that came or went."""


@dataclass(frozen=True)
class ErrataPlan:
    """What a patch release is made of."""

    tag: str
    base: str
    """The release that is corrected."""
    errata: tuple[Erratum, ...]
    """Of this release and of all before it."""

    @property
    def own(self) -> tuple[Erratum, ...]:
        """Those that this release brings."""
        return tuple(one for one in self.errata if one.tag == self.tag)


def read_reasons(path: Path) -> tuple[Reason, ...]:
    """The reasons that a person gave, sorted.

    Raises:
        UsageError: there is no such file, or it is not of the form `[corrected]` and `[withdrawn]` with `ID = "why"`.
    """
    form = 'it has the tables [corrected] and [withdrawn] with lines like "ID" = "why"'
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise UsageError(
            f"{path} is not there: write it; {form}, where ID is that of a row or a problem."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read ({error}); {form}.") from error
    reasons = []
    for kind, lines in found.items():
        if kind not in KINDS or not isinstance(lines, dict):
            raise UsageError(f"{path} says {kind!r}, which is unknown; {form}.")
        for name, why in lines.items():
            if not isinstance(why, str) or not why.strip():
                raise UsageError(f"{path}: {name!r} under [{kind}] has no reason in words; {form}.")
            reasons.append(Reason.model_validate({"kind": kind, "id": name, "reason": why.strip()}))
    return tuple(sorted(reasons, key=lambda one: (one.kind, one.id)))


def read_errata(path: Path) -> tuple[Erratum, ...]:
    """The lines of a release's `errata.jsonl`; none where it has no such file.

    Raises:
        TamperedError: a line is no erratum.
    """
    return tuple(read_jsonl(path, Erratum)) if path.is_file() else ()


def earlier_errata(workspace: Workspace, tag: str, withheld: Collection[Split] = ()) -> tuple[Erratum, ...]:
    """Corrections that an ordinary later release carries on: those of the highest lower version built here.

    Args:
        workspace: holds `release/`.
        tag: the release to be built.
        withheld: splits whose answers are withheld now.
    """
    here = version_of(tag)
    if here is None:
        return ()
    lower = [
        (number, path)
        for path in workspace.release(tag).parent.glob(f"*/{LINES_NAME}")
        if (number := version_of(path.parent.name)) is not None and number < here
    ]
    return masked(read_errata(max(lower)[1]), withheld) if lower else ()


def masked(errata: Iterable[Erratum], withheld: Collection[Split]) -> tuple[Erratum, ...]:
    """The same without the answers of some splits: what was open once may be withheld now."""
    return tuple(
        one.model_copy(update={"changes": tuple(map(_hidden, one.changes))}) if one.split in withheld else one
        for one in errata
    )


def _hidden(change: ErratumChange) -> ErratumChange:
    return ErratumChange(column=change.column, withheld=True) if change.column in ANSWER_COLUMNS else change


def version_of(tag: str) -> tuple[int, int, int] | None:
    """Numbers of a tag like `v1.0.3`; None for any other."""
    match = _VERSION.fullmatch(tag)
    return None if match is None else (int(match[2]), int(match[3]), int(match[4]))


def next_patch(tag: str) -> str:
    """The tag after this one: `v1.0.3` -> `v1.0.4`.

    Raises:
        UsageError: the tag is no version number.
    """
    match = _VERSION.fullmatch(tag)
    if match is None:
        raise UsageError(f"{tag} is no version like v1.0.0, so none follows it: name the new one with --tag.")
    return f"{match[1]}{match[2]}.{match[3]}.{int(match[4]) + 1}"


def errata_texts(errata: Sequence[Erratum], repo_id: str, contact: str = "") -> dict[str, str]:
    """What lies beside the data, by file name: the page always, the lines where there is any correction.

    Args:
        errata: all corrections up to this release.
        repo_id: the data set's id on the Hub.
        contact: whom to tell of a fault, as the recipe says.
    """
    page = "\n".join(_page(errata, repo_id, contact)) + "\n"
    lines = "".join(canonical_json(one) + "\n" for one in errata)
    return {PAGE_NAME: page, **({LINES_NAME: lines} if errata else {})}


def _page(errata: Sequence[Erratum], repo_id: str, contact: str) -> Iterator[str]:
    yield "# Errata"
    yield ""
    tags = list(dict.fromkeys(one.tag for one in errata))
    if not tags:
        yield "Nothing has been corrected since the first release."
    else:
        yield "A tag never moves: scores on an earlier tag stay what they were, and stored answers can be scored on"
        yield (
            f"a later one with `evaluate rescore RUN --release {repo_id}@{tags[-1]}`. "
            f"`{LINES_NAME}` has every value whole"
            + (" but the withheld ones." if any(c.withheld for one in errata for c in one.changes) else ".")
        )
    yield ""
    where = f"the discussions of `{repo_id}`"
    yield (
        f"Something wrong? Tell it in {where}" + (f", or to {contact}" if contact else "") + "; name the row."
    )
    for tag in reversed(tags):
        ours = [one for one in errata if one.tag == tag]
        yield ""
        yield f"## {tag}"
        yield ""
        told = [
            f"{sum(one.event == event for one in ours)} {event}"
            for event in ("corrected", "withdrawn", "added")
        ]
        yield f"Against {ours[0].base}: {', '.join(text for text in told if not text.startswith('0 '))}."
        for one in ours:
            yield from _entry(one)


def _entry(one: Erratum) -> Iterator[str]:
    yield ""
    yield f"### `{one.id}`: {one.event}"
    yield ""
    yield _cell(one.reason)
    if one.changes:
        yield ""
        yield "| column | before | after |"
        yield "|---|---|---|"
        for change in one.changes:
            before, after = (
                ("(withheld)", "(withheld)")
                if change.withheld
                else _short(_text(change.before), _text(change.after))
            )
            yield f"| {change.column} | {_cell(before)} | {_cell(after)} |"


def _text(value: JsonValue) -> str:
    if value is None:
        return "(none)"
    return value if isinstance(value, str) else canonical_json(value)


def _short(before: str, after: str) -> tuple[str, str]:
    """Both values from shortly before the place where they part, if they are long."""
    if max(len(before), len(after)) <= _SHOWN:
        return before, after
    same = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b),
        min(len(before), len(after)),
    )
    start = max(0, same - _SHOWN // 3)

    def cut(text: str) -> str:
        piece = text[start : start + _SHOWN]
        return ("… " if start else "") + piece + (" …" if start + _SHOWN < len(text) else "")

    return cut(before), cut(after)


def _cell(text: str) -> str:
    """One line of Markdown in which nothing of a text acts as markup of the page."""
    line = " ".join(text.split())
    return re.sub(r"([\\`|<>\[\]*_#])", r"\\\1", line)
