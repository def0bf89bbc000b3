"""Whether an errata may be released, and what it says of each row: the difference to the base, with its reasons.

An errata corrects rows that people may have scored already. So every row that differs needs a reason, every reason a
row that differs, and nothing by which rows are told apart may move. What is found is refused as `push-dataset` refuses
anything: by a code, the ids and the command that mends it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchwright.curation.release.diff import (
    DiffRow,
    FieldChange,
    ReleaseDiff,
    RowChange,
    diff_with_rows,
)
from benchwright.curation.release.errata import (
    ANSWER_COLUMNS,
    REASONS_NAME,
    ErrataPlan,
    Erratum,
    ErratumChange,
    Reason,
    masked,
)
from benchwright.curation.release.errata_base import ErrataBase
from benchwright.curation.release.findings import Finding, Refusal, Trouble, gathered
from benchwright.curation.release.withheld import Key, keep_back
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import ReleaseRow, Split

FIXED = ("problem_id", "version", "language", "split", "discipline", "canary")
"""Columns that an errata may not change: they decide which row is which and where it counts."""

_LINE = f"{REASONS_NAME} in the workspace"
_LATER = "push-dataset ORG/NAME --tag vX.Y.0: a later release, not an errata"
ERRATA_REFUSALS: Mapping[str, Refusal] = {
    "errata-no-reason": Refusal(
        "A row differs from the release that is corrected, and nobody says why.",
        f'"ID" = "why" under [corrected] of {_LINE}; or undo the change by curate problems and render',
    ),
    "errata-no-change": Refusal(
        "A reason is given, and its row is as it was.",
        f"annotate pull JOB, curate problems and render; or take the line out of {_LINE}",
    ),
    "errata-unknown-id": Refusal(
        "A reason names what is no row or problem of either release.", f"mend the id in {_LINE}"
    ),
    "errata-removed": Refusal(
        "A row is gone, and nobody withdrew it.",
        f'"ID" = "why" under [withdrawn] of {_LINE}; or curate problems and render, so that it is there again',
    ),
    "errata-added": Refusal(
        "A row came that the release did not have, and its own id has no reason.",
        f'"ID" = "why" under [corrected] of {_LINE}, with the id of the row itself',
    ),
    "errata-new-problem": Refusal("A problem came that the release did not have.", _LATER),
    "errata-new-version": Refusal("A version or language came that the release did not have.", _LATER),
    "errata-moved": Refusal(
        "A row changed in what an errata may not change: " + ", ".join(FIXED) + ".", f"undo it; or {_LATER}"
    ),
    "errata-names-answer": Refusal(
        "A reason names the answer of a row whose answers are withheld, the right one or the one before.",
        f"say it without the answer in {_LINE}",
    ),
    "errata-columns": Refusal("The tables have other columns than the release that is corrected.", _LATER),
}


@dataclass(frozen=True)
class PlannedErrata:
    """The plan of a patch release, what stands against it, and the comparison it rests on."""

    plan: ErrataPlan
    findings: tuple[Finding, ...]
    diff: ReleaseDiff


def plan_errata(
    base: ErrataBase,
    tag: str,
    rows: Sequence[ReleaseRow],
    withheld: Sequence[Split],
    reasons: Sequence[Reason],
) -> PlannedErrata:
    """Compare the rows to be released with the base and give every difference its reason.

    Args:
        base: the release that is corrected.
        tag: the patch release.
        rows: all rows to be published, with all answers.
        withheld: splits whose answers are withheld.
        reasons: of `errata.toml`.

    Raises:
        UsageError: answers are withheld, and those of the base are not here to compare with.
    """
    kept = keep_back(rows, withheld, base.salts)
    diff = diff_with_rows(base.release, kept.rows, tag)
    changed = {row.id: row for row in diff.changed}
    hidden = _changed_keys(base, kept.keys, withheld)
    by_id = {row.id: row for row in rows}
    for row_id in hidden.keys() - changed.keys():
        row = by_id[row_id]
        changed[row_id] = RowChange(
            id=row_id, problem_id=row.problem_id, version=row.version, language=row.language, changes=()
        )
    asked = _Asked(reasons)
    own = [
        *(
            _corrected(row, by_id[row.id].split, hidden.get(row.id, ()), asked)
            for _, row in sorted(changed.items())
        ),
        *(_whole(row, "added", asked.of("corrected", row.id)) for row in diff.added),
        *(_whole(row, "withdrawn", asked.of("withdrawn", row.id, row.problem_id)) for row in diff.removed),
    ]
    own = [
        one.model_copy(update={"tag": tag, "base": base.tag}) for one in sorted(own, key=lambda one: one.id)
    ]
    troubles = (
        *_row_troubles(own, base),
        *_answers_named(own, kept.keys, base.keys),
        *_moved(diff),
        *_table_troubles(diff),
        *_unused(asked, base, rows),
    )
    errata = (*masked(base.errata, withheld), *masked(own, withheld))
    return PlannedErrata(
        ErrataPlan(tag, base.tag, errata), gathered(troubles, refusals=ERRATA_REFUSALS), diff
    )


class _Asked:
    """The reasons, and which of them were used."""

    def __init__(self, reasons: Iterable[Reason]) -> None:
        self.all: dict[tuple[str, str], Reason] = {(one.kind, one.id): one for one in reasons}
        self.used: set[tuple[str, str]] = set()

    def of(self, kind: str, *names: str) -> str:
        """The reason of the first of these ids that has one; empty where none has."""
        for name in names:
            if (kind, name) in self.all:
                self.used.add((kind, name))
                return self.all[kind, name].reason
        return ""


def _corrected(row: RowChange, split: Split, hidden: Sequence[str], asked: _Asked) -> Erratum:
    changes = [
        ErratumChange(column=change.field, before=change.before, after=change.after) for change in row.changes
    ]
    changes += [ErratumChange(column=name, withheld=True) for name in hidden]
    return Erratum(
        tag="",
        base="",
        id=row.id,
        problem_id=row.problem_id,
        version=row.version,
        language=row.language,
        split=split,
        event="corrected",
        reason=asked.of("corrected", row.id, row.problem_id),
        changes=tuple(changes),
    )


def _whole(row: DiffRow, event: str, reason: str) -> Erratum:
    return Erratum.model_validate(
        {**row.model_dump(), "tag": "", "base": "", "event": event, "reason": reason}
    )


def _changed_keys(
    base: ErrataBase, keys: Sequence[Key], withheld: Sequence[Split]
) -> dict[str, tuple[str, ...]]:
    """By row, which withheld columns changed.

    Raises:
        UsageError: the base withholds answers, and its private file is not here.
    """
    if not withheld or not keys:
        return {}
    was = {key.id: key for key in base.keys}
    if missing := [name for name in base.without_answer if name not in was]:
        raise UsageError(
            f"{base.answers_name} lacks the answers of {len(missing)} rows that {base.tag} withholds, "
            f"e.g. {min(missing)}: without them nobody can tell which changed; put the file back into the workspace."
        )
    found = {}
    for key in keys:
        if key.id in was and key.id in base.without_answer and key != was[key.id]:
            found[key.id] = tuple(
                name for name in sorted(ANSWER_COLUMNS) if getattr(key, name) != getattr(was[key.id], name)
            )
    return found


def _row_troubles(own: Sequence[Erratum], base: ErrataBase) -> Iterator[Trouble]:
    for one in own:
        if one.event == "added":
            if one.problem_id not in base.problems:
                yield Trouble("errata-new-problem", one.id, one.problem_id)
            elif (one.version, one.language) not in base.groups:
                yield Trouble("errata-new-version", one.id, f"{one.version} in {one.language}")
            elif not one.reason:
                yield Trouble("errata-added", one.id)
        elif not one.reason:
            code = "errata-removed" if one.event == "withdrawn" else "errata-no-reason"
            yield Trouble(code, one.id, ", ".join(change.column for change in one.changes))


def _answers_named(own: Iterable[Erratum], *keys: Iterable[Key]) -> Iterator[Trouble]:
    """Reasons that hold an answer of their row which is withheld: even one letter tells it."""
    answers: dict[str, set[str]] = defaultdict(set)
    for key in (key for some in keys for key in some):
        answers[key.id].add(key.answer)
    for one in own:
        if any(answer_named(answer, one.reason) for answer in answers[one.id]):
            yield Trouble("errata-names-answer", one.id)


def answer_named(answer: str, reason: str) -> bool:
    """Whether an answer stands in a reason by itself; of letters, any of them ("A" before a word is an article)."""
    said = " ".join(answer.split())
    if re.fullmatch(r"[A-Z]+", said):
        found = re.findall(r"(?<![A-Za-z])[A-Z]+(?![A-Za-z])(?!(?<=A) [a-z])", reason)
        return any(name == said or (len(name) == 1 and name in said) for name in found)
    bounds = rf"(?<![A-Za-z0-9]){re.escape(said.casefold())}(?![A-Za-z0-9])"
    return bool(said) and re.search(bounds, " ".join(reason.split()).casefold()) is not None


def _moved(diff: ReleaseDiff) -> Iterator[Trouble]:
    def told(change: FieldChange) -> str:
        return f"{change.field}: {change.before} -> {change.after}"

    for row in diff.changed:
        if moved := [told(change) for change in row.changes if change.field in FIXED]:
            yield Trouble("errata-moved", row.id, "; ".join(moved))


def _table_troubles(diff: ReleaseDiff) -> Iterator[Trouble]:
    for sign, names in (("+", diff.columns_added), ("-", diff.columns_removed)):
        for name in names:
            yield Trouble("errata-columns", name, f"{sign} {name}")


def _unused(asked: _Asked, base: ErrataBase, rows: Sequence[ReleaseRow]) -> Iterator[Trouble]:
    """Reasons without a change; those of earlier errata may stay in the file."""
    known = base.rows | base.problems | {name for row in rows for name in (row.id, row.problem_id)}
    told = {
        ("withdrawn" if one.event == "withdrawn" else "corrected", name, one.reason)
        for one in base.errata
        for name in (one.id, one.problem_id)
    }
    for key, one in asked.all.items():
        if key in asked.used or (*key, one.reason) in told:
            continue
        if one.id not in known:
            yield Trouble("errata-unknown-id", one.id)
        else:
            yield Trouble("errata-no-change", one.id, f"[{one.kind}] {one.reason}")
