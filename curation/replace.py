"""`curate replace`: questions that may not stay give their places to others of the same kind; the log says why.

The log is append-only, one line a step, written before the next step is looked for: a killed run has made the steps
that it has written, and running it again makes the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benchwright.curation.certify_rules import Pair, as_before, mend
from benchwright.curation.replace_find import Desk, Found
from benchwright.curation.replace_open import Opened, open_desk, open_selection
from benchwright.curation.select_items import Candidate
from benchwright.schemas.errors import ItemError
from benchwright.schemas.jobs import problem_id
from benchwright.schemas.journal import Journal
from benchwright.schemas.records import Rejected
from benchwright.schemas.reviewed import (
    CurrentSelection,
    Exchanged,
    Replacement,
    StaleReplacement,
    Topic,
    Why,
)
from benchwright.schemas.selection import SelectionRow, is_stand_in
from benchwright.schemas.workspace import Workspace

STAGE = "replace"


@dataclass
class Replaced:
    """What a run did."""

    discipline: str
    done: list[Replacement] = field(default_factory=list)
    failed: list[Rejected] = field(default_factory=list)
    """Questions that keep their places, with the reason: `topic-exhausted`, `rules-against-topic`, `not-selected`."""
    stale: tuple[StaleReplacement, ...] = ()
    """Earlier steps that do not fit the present selection."""


def replace_named(
    workspace: Workspace,
    discipline: str,
    ids: Sequence[str],
    detail: str = "",
    report: Callable[[int, int], None] = lambda done, total: None,
) -> Replaced:
    """Replace questions by question or problem id, one after another.

    Raises:
        UsageError: nothing is selected there, or it is not embedded.
        LockedError: another process is replacing.
    """
    return _run(workspace, discipline, lambda opened: [(name, "named", detail) for name in ids], report)


def replace_from_reviews(
    workspace: Workspace, discipline: str, report: Callable[[int, int], None] = lambda done, total: None
) -> Replaced:
    """Replace every chosen question that people rejected or called a repeat, or that left the pool.

    Raises:
        UsageError: nothing is selected there, or it is not embedded.
        LockedError: another process is replacing.
    """

    def wanted(opened: Opened) -> list[tuple[str, Why, str]]:
        return [(one.question_id, one.reason, one.detail) for one in opened.reviewed.turned]

    return _run(workspace, discipline, wanted, report)


def replace_for_rules(workspace: Workspace, discipline: str, accept_proposals: bool = False) -> Replaced:
    """Make the exchanges that `curate certify` lists for rules which reviewed values break.

    Questions that may not stay are replaced first, as by `replace_from_reviews`.

    Raises:
        UsageError: nothing is selected there, or it is not embedded.
        LockedError: another process is replacing.
    """
    first = replace_from_reviews(workspace, discipline)
    with workspace.lock(f"{STAGE}/{discipline}"):
        opened = open_selection(workspace, discipline, accept_proposals)
        desk = open_desk(workspace, opened)
        rules = as_before(opened.rules, opened.certificate.rules)
        mended = mend(desk, rules, opened.reviewed.turned)
        writer = _Writer(workspace, opened, desk)
        for pair in mended.exchanged:
            first.done.append(writer.write_pair(pair))
        first.failed += [
            Rejected(item_id=rule.rule, stage=STAGE, reason="rule-unmended", detail=rule.why_not)
            for rule in mended.broken
            if rule.why_not and rule.rule != "n"
        ]
    return first


def _run(
    workspace: Workspace,
    discipline: str,
    wanted: Callable[[Opened], Sequence[tuple[str, Why, str]]],
    report: Callable[[int, int], None],
) -> Replaced:
    with workspace.lock(f"{STAGE}/{discipline}"):
        opened = open_selection(workspace, discipline)
        result = Replaced(discipline, stale=opened.current.stale)
        asked = wanted(opened)
        if not asked:
            return result
        desk = open_desk(workspace, opened)
        desk.turned |= {_question_id(desk, name) for name, _, _ in asked} | opened.reviewed.gone.keys()
        writer = _Writer(workspace, opened, desk)
        for number, (name, why, detail) in enumerate(asked, start=1):
            try:
                found = desk.find(_question_id(desk, name))
                result.done.append(writer.write(found, why, detail))
                desk.make(found)
            except ItemError as error:
                result.failed.append(
                    Rejected(item_id=name, stage=STAGE, reason=error.reason, detail=error.detail)
                )
            report(number, len(asked))
    return result


def _question_id(desk: Desk, name: str) -> str:
    """The chosen question of that id, or of that problem id."""
    if name in desk.tally.chosen:
        return name
    return next((known for known in desk.tally.chosen if problem_id(known) == name), name)


class _Writer:
    """Writes steps, and knows the places that earlier ones led to."""

    def __init__(self, workspace: Workspace, opened: Opened, desk: Desk) -> None:
        self._log = Journal(workspace.replacements(opened.discipline))
        self._discipline = opened.discipline
        self._desk = desk
        self._ranks = {row.question_id: row.rank for row in opened.current.rows}
        self._places = places(opened.current)

    def write(self, found: Found, why: Why, detail: str) -> Replacement:
        """Append what a search found."""
        old, new = found.pairs[0]
        return self._append(found.pairs, why, detail, found.topic, found.supply, found.relaxed, (old, new))

    def write_pair(self, pair: Pair) -> Replacement:
        """Append an exchange that a rule asked for."""
        old, new = pair
        topic: Topic = "cluster" if old.cluster == new.cluster else "none"
        if _shared(old, new):
            topic = "knowledge-point"
        effect = (
            self._desk.tally.effect([old], [new]).relaxed
            if old.question_id in self._desk.tally.chosen
            else ()
        )
        return self._append((pair,), "rule", "", topic, 0, effect, pair)

    def _append(
        self,
        pairs: Sequence[Pair],
        why: Why,
        detail: str,
        topic: Topic,
        supply: int,
        relaxed: tuple[str, ...],
        first: Pair,
    ) -> Replacement:
        old, new = first
        stock = self._desk.stock
        place, length = self._places.get(old.question_id, (old.question_id, 0))
        step = Replacement(
            exchanges=tuple(
                Exchanged(leaves=leaves.question_id, row=self._row(leaves, joins)) for leaves, joins in pairs
            ),
            why=why,
            detail=detail,
            topic=topic,
            shared_points=_shared(old, new),
            same_difficulty=old.difficulty == new.difficulty,
            same_language=stock.languages.get(old.question_id) == stock.languages.get(new.question_id),
            same_subject=old.subject == new.subject,
            similarity=stock.cosines(old.question_id, [new.question_id])[0],
            supply=supply,
            relaxed=relaxed,
            place=place,
            step=length + 1,
        )
        self._log.append(step)
        for leaves, joins in pairs:
            where, steps = self._places.pop(leaves.question_id, (leaves.question_id, 0))
            self._places[joins.question_id] = (where, steps + 1)
            self._ranks[joins.question_id] = self._ranks.pop(leaves.question_id)
        return step

    def _row(self, leaves: Candidate, joins: Candidate) -> SelectionRow:
        return SelectionRow(
            question_id=joins.question_id,
            discipline=self._discipline,
            subject=joins.subject,
            difficulty=joins.difficulty,
            cluster=joins.cluster,
            centrality=joins.centrality,
            points=joins.points,
            rank=self._ranks[leaves.question_id],
        )


def places(current: CurrentSelection) -> dict[str, tuple[str, int]]:
    """For each question that came by a replacement: which question had its place first, after how many steps."""
    found: dict[str, tuple[str, int]] = {}
    for step in current.applied:
        for exchange in step.exchanges:
            where, steps = found.pop(exchange.leaves, (exchange.leaves, 0))
            found[exchange.row.question_id] = (where, steps + 1)
    return found


def _shared(old: Candidate, new: Candidate) -> tuple[str, ...]:
    return tuple(sorted(point for point in set(old.points) & set(new.points) if not is_stand_in(point)))
