"""Worked examples before a question: VisScience's 2-shot setting (section 4), drawn from the dev split.

The paper does not say which examples it showed. Ours are of the same discipline, subject, language and version as the
question, the same ones for every question of such a group, fixed by a seed; rows with a worked solution come before
rows without one. No example belongs to a problem that is scored. Their ids stand in the run's specification.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchwright.eval.runs.dataset import Dataset
from benchwright.eval.runs.instructions import answer_line
from benchwright.eval.runs.pictures import Pictures
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import ReleaseRow, Split
from benchwright.schemas.release_table import ResolvedRelease, read_release

Group = tuple[str, str, str, str]
"""Discipline, subject, language, version."""


@dataclass(frozen=True)
class Shots:
    """The examples of each group of questions, and their pictures by sha256."""

    by_group: Mapping[Group, tuple[ReleaseRow, ...]] = field(default_factory=dict)
    images: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def rows(self) -> tuple[ReleaseRow, ...]:
        """Every example once, by id."""
        known = {row.id: row for rows in self.by_group.values() for row in rows}
        return tuple(known[row_id] for row_id in sorted(known))

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the examples, sorted."""
        return tuple(row.id for row in self.rows)

    @property
    def digest(self) -> str | None:
        """Digest over the examples; None without any."""
        return digest_of([digest_of(row) for row in self.rows]) if self.by_group else None

    def before(self, row: ReleaseRow) -> tuple[ReleaseRow, ...]:
        """The examples shown before a row, in the order of showing."""
        return self.by_group.get(group_of(row), ())


def group_of(row: ReleaseRow) -> Group:
    """Where the examples of a row are looked for."""
    return row.discipline, row.subject, row.language, row.version


def draw_shots(release: ResolvedRelease, dataset: Dataset, count: int, seed: int) -> Shots:
    """Draw the examples for a data set.

    Args:
        release: holds the dev split.
        dataset: the rows that are asked.
        count: examples before each question; 0 draws none.
        seed: fixes the choice.

    Raises:
        UsageError: the release has no dev split, or too few usable examples for a group of questions.
    """
    if count == 0:
        return Shots()
    scored = {row.problem_id for row in dataset.rows}
    wanted = {group_of(row) for row in dataset.rows}
    candidates: dict[Group, list[ReleaseRow]] = defaultdict(list)
    images, dev = Pictures(), 0
    for row, pictures in read_release(release):
        if row.split is not Split.DEV:
            continue
        dev += 1
        # A row without an answer shows nothing, one of a scored problem would give its answer away.
        if group_of(row) in wanted and row.answer and row.problem_id not in scored:
            candidates[group_of(row)].append(row)
            for sha256 in row.images:
                images.add(sha256, pictures[sha256])
    if not dev:
        raise UsageError(
            f"--shots {count} takes its examples from the dev split and {release.name} has none: "
            "use --shots 0, or a release that was built with a dev split."
        )
    chosen = {group: _drawn(candidates[group], count, seed) for group in sorted(wanted)}
    if short := [group for group, rows in chosen.items() if len(rows) < count]:
        discipline, subject, language, version = short[0]
        more = f" (and for {len(short) - 1} further groups)" if len(short) > 1 else ""
        raise UsageError(
            f"--shots {count}: the dev split of {release.name} has {len(chosen[short[0]])} examples for {discipline}, "
            f"{subject}, {language}, {version}{more}: use --shots 0 or a release with a larger dev split."
        )
    shots = Shots(chosen, images)
    images.keep({sha256 for row in shots.rows for sha256 in row.images})
    return shots


def worked_solution(row: ReleaseRow) -> str:
    """What the model is shown as the reply to an example: its solution, then its answer on the line that we ask for.

    An example without a solution shows its answer alone.
    """
    answer = f"{row.answer} {row.unit}" if row.unit else row.answer or ""
    parts = (row.solution or "").strip(), answer_line(answer, row.language)
    return "\n\n".join(part for part in parts if part)


def _drawn(rows: list[ReleaseRow], count: int, seed: int) -> tuple[ReleaseRow, ...]:
    """One example a problem, those with a solution first, in an order that the seed fixes."""
    ordered = sorted(rows, key=lambda row: (not row.solution, digest_of([seed, row.id])))
    first = {row.problem_id: row for row in reversed(ordered)}
    return tuple(row for row in ordered if first[row.problem_id] is row)[:count]
