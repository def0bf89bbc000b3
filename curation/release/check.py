"""Whether a release may be published: every check of rows, pictures, languages, licences and people, in one place.

Each check answers a complaint that users of published benchmarks really made: answers that are no option, options
missing or mislabelled, pictures lost, one problem in two splits. Nothing is published while a finding stands; what can
be found, and what mends it, is listed in `benchwright.curation.release.findings`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchwright.curation.dedup import duplicate_rows
from benchwright.curation.release.check_images import image_troubles
from benchwright.curation.release.check_pairs import pair_troubles
from benchwright.curation.release.check_rows import row_troubles
from benchwright.curation.release.check_scoring import perfect_solver
from benchwright.curation.release.check_withheld import Withheld, withheld_found
from benchwright.curation.release.findings import REFUSALS, Finding, Trouble, gathered
from benchwright.curation.release.licences import PER_SOURCE, licence_troubles
from benchwright.curation.release.personal import (
    AccountNames,
    addresses_in,
    personal_in_folder,
    personal_troubles,
)
from benchwright.curation.release.rows import STAGE, ReleaseContent
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import problem_id
from benchwright.schemas.recipe import SourceRecipe
from benchwright.schemas.records import Rejected, ReleaseRow
from benchwright.schemas.workspace import Workspace

__all__ = ["Finding", "Known", "check_folder", "check_release", "unfinished", "without_failing"]

_UNFINISHED = ("not-rendered", "illegible-image", "unchecked-image", "text-changed", "stale-render")


@dataclass(frozen=True)
class Known:
    """What the workspace knows and rows do not say."""

    choices_in_image: bool = True
    """The recipe's `render.choices` is `image`, so vision-only rows have no text at all."""
    license: str = PER_SOURCE
    """The release's licence by the recipe."""
    sources: Mapping[str, SourceRecipe] = field(default_factory=dict)
    accounts: AccountNames = field(default_factory=AccountNames)
    groups: Mapping[str, str] = field(default_factory=dict)
    """Group of repeats by problem, as `curate dedup` left it."""
    waived: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    contact: str = ""
    """Whom to ask about the release; addresses in it are meant to be read."""
    authors: tuple[str, ...] = ()
    """Whom a citation names: given names, family names, groups."""

    @classmethod
    def of(cls, workspace: Workspace) -> Known:
        """Read it.

        Raises:
            UsageError: the recipe waives a code that does not exist or that no person may waive.
        """
        recipe = workspace.recipe
        for code in recipe.release.waived:
            if code not in REFUSALS or not REFUSALS[code].by_words:
                may = ", ".join(name for name, refusal in REFUSALS.items() if refusal.by_words)
                raise UsageError(f"[release.waived] in benchwright.toml names {code!r}; it may name: {may}.")
        groups = {
            problem_id(row.question_id): row.group
            for discipline in recipe.disciplines
            for row in duplicate_rows(workspace, discipline).values()
            if row.group is not None
        }
        return cls(
            recipe.render.choices == "image",
            recipe.release.license,
            recipe.sources,
            AccountNames.read(workspace.people),
            groups,
            recipe.release.waived,
            recipe.release.statements.get("contact", ""),
            tuple(
                part
                for one in recipe.release.authors
                for part in (one.given, one.family, one.name)
                if part is not None
            ),
        )


def check_release(content: ReleaseContent, known: Known | None = None) -> tuple[Finding, ...]:
    """Run every check; an empty result means that the release may be built.

    Args:
        content: rows and pictures as they would be published.
        known: what the workspace knows besides; None: nothing.
    """
    if not content.rows:
        return gathered([Trouble("no-rows", "-")])
    known = known or Known()
    return gathered(_troubles(content, known), _waived_rows(known.waived, content.rows))


def check_folder(folder: Path, known: Known, withheld: Sequence[Withheld] = ()) -> tuple[Finding, ...]:
    """What a built folder must not hold, found in its files, their names and the columns of its tables.

    Args:
        folder: `release/<tag>/`, before it is announced.
        known: what the workspace knows besides.
        withheld: of `withheld_of`, from the rows as they were before their answers were taken out.

    Returns:
        Findings; the rows of one about people are files.
    """
    accounts = known.accounts.without(known.authors)
    personal = personal_in_folder(folder, accounts, addresses_in(known.contact))
    return gathered((*personal, *withheld_found(folder, withheld)))


def unfinished(content: ReleaseContent) -> tuple[Finding, ...]:
    """Rows that are missing only because a stage has not been run since the last edit: no reason to leave them out."""
    return gathered(
        Trouble(item.reason, item.item_id, item.detail)
        for item in content.rejected
        if item.reason in _UNFINISHED
    )


def without_failing(content: ReleaseContent, findings: Sequence[Finding]) -> ReleaseContent:
    """The content without the rows that findings name; each becomes a `Rejected` with the finding's code."""
    first: dict[str, Finding] = {}
    for finding in findings:
        for name in finding.rows:
            first.setdefault(name, finding)
    dropped = tuple(
        Rejected(item_id=row.id, stage=STAGE, reason=why.code, detail=why.sentence, source=row.source)
        for row in content.rows
        if (why := first.get(row.id)) is not None
    )
    kept = tuple(row for row in content.rows if row.id not in first)
    return replace(content, rows=kept, rejected=(*content.rejected, *dropped))


def _troubles(content: ReleaseContent, known: Known) -> Iterator[Trouble]:
    rows = content.rows
    by_row = tuple(row_troubles(rows, known.choices_in_image))
    yield from by_row
    yield from pair_troubles(rows, known.groups)
    yield from licence_troubles(rows, known.sources, known.license, content.source_languages)
    yield from personal_troubles(rows, known.accounts)
    # A key that is no option is told as such.
    named = {trouble.row_id for trouble in by_row}
    yield from (trouble for trouble in perfect_solver(rows)[2] if trouble.row_id not in named)
    yield from image_troubles(rows, content.images)


def _waived_rows(
    waived: Mapping[str, tuple[str, ...]], rows: Sequence[ReleaseRow]
) -> dict[str, tuple[str, ...]]:
    """Problems that are named stand for all of their rows."""
    return {
        code: (*names, *(row.id for row in rows if row.problem_id in set(names)))
        for code, names in waived.items()
    }
