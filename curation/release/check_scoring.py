"""What solvers that know everything or nothing score on a release, and where its keys stand.

All by the rules that score real answers (`benchwright.models.answer_compare`). A solver that knows the keys must get
everything; one that says nothing, always the same, or takes the longest option must not do better than chance.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import erfc, sqrt

from benchwright.curation.release.findings import Trouble
from benchwright.models.answer_compare import Match, compare_answer
from benchwright.schemas.records import QuestionType, Record, ReleaseRow

LEVEL = 0.001
"""Chance, over all that is tried, at which a solver without knowledge is called better than guessing."""
EXCESS = 0.03
"""How much better it must be, as a share of the problems, to matter."""
SKEW_LEVEL = 0.01
"""Chance, over all strata, at which the places of the keys are called skewed."""
_LEAST_PER_PLACE = 5
"""Keys that have to be expected at each place for the chi-square to hold."""


class Blind(Record):
    """What one solver without knowledge gets."""

    solver: str
    problems: int
    """That it can answer in its way."""
    right: int
    chance: float
    """Right answers that guessing among the options would give."""
    p: float
    """Chance of so many right answers or more by guessing."""

    @property
    def share(self) -> float:
        """Of the problems that it answers."""
        return self.right / self.problems if self.problems else 0.0


class Floors(Record):
    """The floor of a release: one row a problem."""

    problems: int
    """With a published or known key."""
    chance: float
    """Expected share of right answers by guessing; free-form counts as 0."""
    empty: int
    """Empty replies that were scored as right."""
    constants: tuple[Blind, ...]
    """Always the same label, by label; multiple-choice problems with one right option that have it."""
    longest: Blind
    """The option with the most characters."""
    commonest: str
    """The most frequent answer of a free-form problem."""
    commonest_count: int
    free: int
    """Free-form problems."""

    @property
    def better(self) -> tuple[Blind, ...]:
        """Solvers that do better than guessing, by so much that it matters."""
        tried = (*self.constants, self.longest)
        return tuple(
            one
            for one in tried
            if one.p < LEVEL / len(tried) and one.right - one.chance >= EXCESS * one.problems
        )


class Skew(Record):
    """Places of the keys in one stratum."""

    stratum: str
    problems: int
    counts: dict[str, int]
    """Keys by label."""
    p: float | None
    """Of the chi-square test against equal places; None where there are too few problems."""


def perfect_solver(rows: Iterable[ReleaseRow]) -> tuple[int, int, tuple[Trouble, ...]]:
    """Feed every key to the scorer.

    Returns:
        Rows called right, rows with a key, and a trouble for each of the others.
    """
    troubles, keyed = [], 0
    known: dict[tuple[object, ...], Match] = {}
    for row in rows:
        if row.answer is None:
            continue
        keyed += 1
        options = tuple((option.label, option.text) for option in row.options)
        key = (row.answer, row.unit, row.question_type, options)
        if key not in known:
            known[key] = score(row, row.answer)
        if known[key] is not Match.CONSISTENT:
            troubles.append(Trouble("key-not-scored", row.id, f"{row.answer!r}: {known[key].value}"))
    return keyed - len(troubles), keyed, tuple(troubles)


def score(row: ReleaseRow, reply: str) -> Match:
    """The rules' verdict about a reply to a row that has a key."""
    assert row.answer is not None
    return compare_answer(
        reply,
        row.answer,
        row.question_type,
        [option.label for option in row.options],
        {option.label: option.text for option in row.options if option.text},
        row.unit,
    ).match


def floors(rows: Sequence[ReleaseRow]) -> Floors:
    """What solvers without knowledge get; each problem counts once, by the first of its rows that has a key."""
    ones = one_row_each(rows)
    single = [row for row in ones if row.question_type is QuestionType.SINGLE_CHOICE and row.options]
    free = Counter(row.answer or "" for row in ones if not row.options)
    commonest = min(free.items(), key=lambda item: (-item[1], item[0]), default=("", 0))
    labels = sorted({option.label for row in single for option in row.options})
    return Floors(
        problems=len(ones),
        chance=sum(_chance(row) for row in ones) / len(ones) if ones else 0.0,
        empty=sum(score(row, "") is Match.CONSISTENT for row in ones),
        constants=tuple(_blind(f"always {label}", list(_always(single, label))) for label in labels),
        longest=_blind("longest option", [(row, longest) for row in single if (longest := _longest(row))]),
        commonest=commonest[0],
        commonest_count=commonest[1],
        free=free.total(),
    )


def key_skews(rows: Sequence[ReleaseRow]) -> tuple[Skew, ...]:
    """Places of the keys by discipline and number of options; one row a problem, one right option."""
    from scipy.special import chdtrc

    strata: dict[tuple[str, int], list[ReleaseRow]] = defaultdict(list)
    for row in one_row_each(rows):
        if row.question_type is QuestionType.SINGLE_CHOICE and row.options:
            strata[row.discipline, len(row.options)].append(row)
    skews = []
    for (discipline, places), members in sorted(strata.items()):
        labels = [option.label for option in members[0].options]
        said = Counter(row.answer for row in members)
        counts = {label: said[label] for label in labels}
        enough = len(members) >= _LEAST_PER_PLACE * places and sum(counts.values()) == len(members)
        expected = len(members) / places
        squares = sum((count - expected) ** 2 for count in counts.values()) / expected
        p = float(chdtrc(places - 1, squares)) if enough else None
        skews.append(
            Skew(stratum=f"{discipline}, {places} options", problems=len(members), counts=counts, p=p)
        )
    return tuple(skews)


def skewed(skews: Sequence[Skew]) -> tuple[Skew, ...]:
    """Strata whose keys do not stand equally often at each place."""
    tested = [skew for skew in skews if skew.p is not None]
    return tuple(skew for skew in tested if skew.p is not None and skew.p < SKEW_LEVEL / len(tested))


def one_row_each(rows: Iterable[ReleaseRow]) -> list[ReleaseRow]:
    """The first row with a key of each problem, by problem id."""
    first: dict[str, ReleaseRow] = {}
    for row in rows:
        if row.answer is not None:
            first.setdefault(row.problem_id, row)
    return [first[name] for name in sorted(first)]


def _always(rows: Iterable[ReleaseRow], label: str) -> Iterator[tuple[ReleaseRow, str]]:
    for row in rows:
        if any(option.label == label for option in row.options):
            yield row, label


def _longest(row: ReleaseRow) -> str:
    """Label of the only longest option; '' where options are pictures or two are equally long."""
    lengths = sorted(((len((o.text or "").strip()), o.label) for o in row.options), reverse=True)
    return lengths[0][1] if lengths[0][0] > lengths[1][0] > 0 else ""


def _blind(solver: str, replies: Sequence[tuple[ReleaseRow, str]]) -> Blind:
    chances = [_chance(row) for row, _ in replies]
    right = sum(score(row, reply) is Match.CONSISTENT for row, reply in replies)
    spread = sqrt(sum(chance * (1 - chance) for chance in chances))
    z = (right - 0.5 - sum(chances)) / spread if spread else 0.0
    p = 0.5 * erfc(z / sqrt(2)) if spread else 1.0
    return Blind(
        solver=solver, problems=len(replies), right=right, chance=round(sum(chances), 4), p=round(p, 6)
    )


def _chance(row: ReleaseRow) -> float:
    count = len(row.options)
    if row.question_type is QuestionType.SINGLE_CHOICE and count:
        return 1 / count
    return 1 / (2**count - 1) if row.question_type is QuestionType.MULTIPLE_SELECT and count else 0.0
