"""What `curate dedup` found, on one page: repeats side by side, what brought them together, what stays and why.

The page stands alone and its size is bounded: of each kind it shows those first that a person should look at first,
and says how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from jinja2 import Environment, PackageLoader, StrictUndefined

from benchwright.curation.dedup_groups import Group
from benchwright.curation.dedup_links import templates
from benchwright.curation.dedup_members import Member
from benchwright.curation.dedup_minhash import jaccard
from benchwright.curation.dedup_outcome import Outcome
from benchwright.curation.dedup_page_sides import Album, Side, plain_side, side_of
from benchwright.curation.dedup_search import Candidate
from benchwright.schemas.duplicates import DuplicatePair, Method

FINDINGS = 40
"""Of a kind that are shown."""
SIDES = 5
"""Questions of a finding that are shown."""
PICTURES = 300
"""Thumbnails on the page."""
_VARIANTS = 3
"""Questions of a template that are shown."""
_ID_LIST = 30

LAYERS: dict[Method, str] = {
    "exact": "equal text",
    "stem": "equal stem and answer",
    "minhash": "MinHash",
    "vector": "embeddings, cosine",
    "image": "pictures",
    "shingles": "grams",
    "verdict": "people",
}
RULES = {
    "reviewed": "people have reviewed it",
    "complete": "more of its fields are filled",
    "image-quality": "its picture is larger",
    "older-source": "its source was ingested first",
    "id": "all else is equal, and its id is the lower one",
    "verdict": "people chose it",
}

T = TypeVar("T")
ReadRows = Callable[[Sequence[int]], Mapping[int, Member]]
"""Reads questions of the pool by their rows."""


@dataclass(frozen=True)
class Finding:
    """Questions side by side; the first is what the others are held against."""

    head: str
    sides: tuple[Side, ...]
    more: tuple[str, ...] = ()
    """Ids of further questions of it."""
    uncounted: int = 0
    """Further ones that are not even named."""
    warning: str = ""


@dataclass(frozen=True)
class Section:
    """All findings of one kind that are shown."""

    key: str
    short: str
    """For the list of kinds."""
    title: str
    meaning: str
    order: str
    """Which of them come first, in words."""
    total: int
    findings: tuple[Finding, ...]


def duplicates_page(
    discipline: str,
    outcome: Outcome,
    thresholds: Mapping[str, float],
    read_rows: ReadRows,
    thumbnail: Callable[[str], str],
) -> str:
    """The page of a search.

    Args:
        discipline: which pool.
        outcome: what was found, after people's verdicts.
        thresholds: those of the search.
        read_rows: reads the questions that are shown and that the search did not hold.
        thumbnail: makes a data address from a picture's digest.
    """
    album = Album(thumbnail, PICTURES)
    drawn = _Drawn(outcome, album)
    sections = [
        *drawn.groups(),
        *drawn.candidates(),
        drawn.templates(read_rows),
        drawn.same_words(read_rows),
        *drawn.overlaps(read_rows),
    ]
    environment = Environment(
        loader=PackageLoader("benchwright.curation"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("duplicates.html.j2").render(
        discipline=discipline,
        report=outcome.report(),
        sections=sections,
        layers=LAYERS,
        rules=RULES,
        thresholds=sorted(thresholds.items()),
        overlap=outcome.overlaps.report,
        refused=album.refused,
        pictures=PICTURES,
    )


class _Drawn:
    """Draws each kind of finding."""

    def __init__(self, outcome: Outcome, album: Album) -> None:
        self._outcome, self._found, self._album = outcome, outcome.found, album

    def groups(self) -> list[Section]:
        """Repeats: contradictory ones, those that are not equal to the letter, and the rest."""
        groups = self._outcome.groups
        disputed = [group for group in groups if group.disputed]
        alike = [group for group in groups if not group.disputed and self._weakest(group)[0] < 1]
        known = {id(group) for group in (*disputed, *alike)}
        equal = [group for group in groups if id(group) not in known]
        return [
            _section(
                "contradictory", disputed, lambda group: (-len(group.members), group.keeper.id), self._group
            ),
            _section("alike", alike, self._weakest, self._group),
            _section("equal", equal, lambda group: (-len(group.members), group.keeper.id), self._group),
        ]

    def candidates(self) -> list[Section]:
        """What people are asked about, in one language and between two."""
        within: list[Candidate] = []
        across: list[Candidate] = []
        for candidate in self._found.candidates:
            one, two = candidate.first.written, candidate.second.written
            (within if one.language == two.language else across).append(candidate)
        return [
            _section("candidates", within, _most_alike, self._candidate),
            _section("across", across, _most_alike, self._candidate),
        ]

    def templates(self, read_rows: ReadRows) -> Section:
        """Number variants, the largest families first."""
        ids = self._found.scan.ids
        families = sorted(templates(self._found.scan), key=lambda one: (-len(one[1]), ids[one[0]]))
        chosen = []
        for first, rows in families[:FINDINGS]:
            others = sorted((row for row in rows.tolist() if row != first), key=ids.__getitem__)
            chosen.append((first, others))
        shown = [row for first, others in chosen for row in (first, *others[: _VARIANTS - 1])]
        members = read_rows(shown)
        findings = [
            Finding(
                f"{len(others) + 1:,} questions with the same words",
                self._row([members[row] for row in (first, *others[: _VARIANTS - 1])]),
                *_rest([ids[row] for row in others[_VARIANTS - 1 :]]),
            )
            for first, others in chosen
        ]
        return _titled("templates", len(families), findings)

    def same_words(self, read_rows: ReadRows) -> Section:
        """One stem with another picture or other options."""
        pairs = sorted(
            self._outcome.same_words(), key=lambda pair: [self._found.scan.ids[row] for row in pair]
        )
        members = read_rows([row for pair in pairs[:FINDINGS] for row in pair])
        findings = []
        for a, b in pairs[:FINDINGS]:
            one, two = members[a], members[b]
            what = "other options" if one.written.options != two.written.options else "another picture"
            findings.append(Finding(f"One stem, {what}", self._row([one, two])))
        return _titled("same-words", len(pairs), findings)

    def overlaps(self, read_rows: ReadRows) -> list[Section]:
        """Questions that stand in other sets too; no section where nothing was compared."""
        found = self._outcome.overlaps
        if not found.report.sets:
            return []
        row_of = {name: row for row, name in enumerate(self._found.scan.ids)}
        pairs = sorted(
            (pair for pair in found.pairs if pair.second in found.texts),
            key=lambda pair: (pair.relation != "overlap", -pair.similarity, pair.first, pair.second),
        )[:FINDINGS]
        members = read_rows([row_of[pair.first] for pair in pairs])
        findings = [
            self._overlap(pair, members[row_of[pair.first]], found.texts[pair.second]) for pair in pairs
        ]
        return [_titled("overlap", len(found.pairs), findings)]

    def _group(self, group: Group) -> Finding:
        place = self._outcome.places[group.keeper.id]
        first = next(member for member in group.members if member.id == place.group)
        others = [member for member in group.members if member is not first]
        # Whatever contradicts the first is shown before what repeats it once more.
        others.sort(key=lambda member: (self._weight(first, member), member.id))
        sides = [side_of(first, None, self._album, stays=True)]
        for other in others[: SIDES - 1]:
            notes = self._notes(first, other)
            sides.append(side_of(other, first, self._album, stays=place.disputed, notes=notes))
        n = len(group.members)
        head = f"{n} questions are one; the first stays: {RULES[place.rule]}"
        warning = ""
        if place.disputed:
            head = f"{n} questions are one"
            warning = "Their answers differ. All stay until people decide, at most one is chosen."
        elif group.contradictory:
            warning = "Their answers differ; people have called them one question."
        return Finding(head, tuple(sides), *_rest([member.id for member in others[SIDES - 1 :]]), warning)

    def _candidate(self, candidate: Candidate) -> Finding:
        pair = (candidate.first, candidate.second)
        keep, other = sorted(pair, key=self._found.standing.order)
        rule = RULES[self._found.standing.rule(keep, [other])]
        head = f"Perhaps one question. If so, the first would stay: {rule}"
        sides = (
            side_of(keep, None, self._album, stays=True),
            side_of(other, keep, self._album, stays=True, notes=self._notes(keep, other)),
        )
        return Finding(head, sides)

    def _overlap(self, pair: DuplicatePair, member: Member, text: str) -> Finding:
        name, _, at = pair.second.partition("#")
        same = pair.relation == "overlap"
        head = f"Also in {name}" if same else f"In {name} with other numbers"
        stays = member.id not in self._outcome.turned_away
        notes = (f"{LAYERS[pair.method]} {pair.similarity:.2f}",)
        sides = (
            side_of(member, None, self._album, stays=stays),
            plain_side(at, name, text, member.question, notes),
        )
        return Finding(head, sides)

    def _row(self, members: Sequence[Member]) -> tuple[Side, ...]:
        first, *others = members
        dropped = self._outcome.dropped
        sides = [side_of(first, None, self._album, stays=first.id not in dropped)]
        sides += [side_of(one, first, self._album, stays=one.id not in dropped) for one in others]
        return tuple(sides)

    def _notes(self, first: Member, other: Member) -> tuple[str, ...]:
        layers = self._found.layers(first, other)
        told = [
            LAYERS[method] + ("" if method in ("exact", "stem") else f" {share:.2f}")
            for method, share in layers.items()
        ]
        if first.written.language == other.written.language and "exact" not in layers:
            told.append(f"Jaccard of all shingles {jaccard(first.written.text, other.written.text):.2f}")
        verified = self._found.verified(first, other, layers.get("vector", 0.0))
        return (*told, *([verified.detail] if verified.detail else []))

    def _weight(self, first: Member, other: Member) -> float:
        return max(self._found.layers(first, other).values(), default=0.0)

    def _weakest(self, group: Group) -> tuple[float, str]:
        """The least likeness in a group; pictures that only look alike count as less than equal."""
        shares = [self._found.how(group.keeper, other)[1] for other in group.others]
        eyes = any(sorted(group.keeper.pictures) != sorted(other.pictures) for other in group.others)
        return min(*shares, 0.999 if eyes else 1.0), group.keeper.id


_WORDS = {
    "contradictory": (
        "Contradictory", "Contradictory answers", "largest groups first",
        "One question, different answers. People are asked in the job duplicates; nothing is dropped before.",
    ),
    "alike": (
        "Alike", "Merged, though not equal to the letter", "least alike first",
        "Found by likeness and then held side by side: numbers, options, pictures and answers agree.",
    ),
    "equal": (
        "Equal", "Merged: equal text, equal pictures", "largest groups first",
        "Only the way of writing differs, or nothing at all.",
    ),
    "candidates": (
        "To review", "For people: nearly one wording", "most alike first",
        "A word that may matter differs, or only the wrong options do, or the same thing is told otherwise. "
        "Both stay unless people call them one.",
    ),
    "across": (
        "Two languages", "For people: two languages", "most alike first",
        "Perhaps one question and its translation: its numbers, signs, options, pictures and answer agree.",
    ),
    "templates": (
        "Templates", "Templates: the same words, other numbers", "largest first",
        "Different questions. All stay; a selection takes few of each.",
    ),
    "same-words": (
        "Same words", "The same words with another picture or other options", "by id",
        "Different questions. All stay.",
    ),
    "overlap": (
        "Overlap", "Overlap with other sets", "the same numbers first, then most alike",
        "Text that also stands in a set that was compared against.",
    ),
}  # fmt: skip
"""Key -> short title, title, order, meaning."""


def _section(
    key: str, items: Sequence[T], order: Callable[[T], Any], draw: Callable[[T], Finding]
) -> Section:
    return _titled(key, len(items), [draw(item) for item in sorted(items, key=order)[:FINDINGS]])


def _most_alike(candidate: Candidate) -> tuple[float, str, str]:
    return -candidate.similarity, candidate.first.id, candidate.second.id


def _titled(key: str, total: int, findings: Sequence[Finding]) -> Section:
    short, title, order, meaning = _WORDS[key]
    return Section(key, short, title, meaning, order, total, tuple(findings))


def _rest(ids: Sequence[str]) -> tuple[tuple[str, ...], int]:
    return tuple(ids[:_ID_LIST]), max(0, len(ids) - _ID_LIST)
