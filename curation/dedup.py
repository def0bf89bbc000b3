"""`curate dedup`: repeats in a pool, what stays of them, and what people have to decide.

Canonical text -> MinHash with the numbers as guard -> embeddings within the two nearest clusters -> pictures by digest
and by a hash of their trimmed drawing. All of these only bring questions together; `dedup_verify` says what they are to
each other, and `dedup_groups` forms groups around the question that stays. Questions that differ in their numbers share
a `template` and stay. docs/duplicates.md has the method and its measures.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from pydantic import JsonValue

from benchwright.curation.dedup_embedded import add_vectors
from benchwright.curation.dedup_groups import Standing
from benchwright.curation.dedup_guard import check_sources
from benchwright.curation.dedup_images import looks, picture_comparer
from benchwright.curation.dedup_links import Links
from benchwright.curation.dedup_members import Member, read_members
from benchwright.curation.dedup_outcome import DedupReport, Outcome
from benchwright.curation.dedup_overlap import find_overlaps, overlap_path
from benchwright.curation.dedup_page import duplicates_page
from benchwright.curation.dedup_review import Verdicts, merge_proposals, written_for
from benchwright.curation.dedup_scan import Scan
from benchwright.curation.dedup_search import Search
from benchwright.curation.dedup_sets import OtherSet, open_set
from benchwright.curation.dedup_settled import reviewed_questions, source_ranks
from benchwright.curation.dedup_verify import SamePictures
from benchwright.curation.executor import Executor, open_executor
from benchwright.curation.thumbnails import thumbnail
from benchwright.schemas.artefact import Counts, StageResult, manifest_path, read_manifest, run_stage
from benchwright.schemas.digest import canonical_json, digest_of
from benchwright.schemas.duplicates import DuplicatePair, DuplicateRow
from benchwright.schemas.errors import RecipeError, UsageError
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.tables import iter_records, write_records
from benchwright.schemas.workspace import Workspace

STAGE_VERSION = 5
_SIDE = 180
"""Longest side of a thumbnail on the page, in pixels."""
Report = Callable[[str, int, int], None]
"""Told (what is being done, done, total)."""


@dataclass(frozen=True)
class DedupResult:
    """What `dedup_discipline` did."""

    stage: StageResult
    report: DedupReport


def dedup_discipline(
    workspace: Workspace,
    discipline: str,
    workers: int | None = None,
    yes: bool = False,
    report: Report = lambda what, done, total: None,
    against: Sequence[str] | None = None,
    standing_sets: bool = False,
    executor: Executor | None = None,
) -> DedupResult:
    """Look for repeats in a discipline's pool.

    Args:
        workspace: reads `pool/`, `reviews/`; writes `duplicates/` and `proposals/duplicates.jsonl`.
        discipline: which pool.
        workers: processes; changes the speed only. None takes all cores.
        yes: drop even more of a source than the recipe's `max_source_share`.
        report: progress.
        against: other sets to compare with; None takes the recipe's.
        standing_sets: where the recipe names no set, those of the last run count as long as nothing else changed, so
            that a stage that only makes sure of duplicates does not undo a comparison asked for by `--against`.
        executor: who reads, embeds and looks at pictures, instead of `workers` processes of this machine.

    Raises:
        UsageError: there is no pool, a set cannot be read, an unknown threshold, too much of a source would go, or
            sets of the last run are lost because something else changed.
    """
    recipe = workspace.recipe.dedup
    named = recipe.against if against is None else against
    sets = [open_set(name, offline=workspace.dry) for name in named]
    lost = _sets_before(workspace, discipline) if standing_sets and not sets else None
    run = _Run(workspace, discipline, dedup_thresholds(workspace), sets, lost, yes, workers, report, executor)
    stage = run_stage(
        workspace,
        f"dedup/{discipline}",
        STAGE_VERSION,
        [run.pool],
        dedup_files(workspace, discipline),
        run.parameters,
        run.produce,
    )
    merge_proposals(workspace)
    return DedupResult(stage, read_report(workspace, discipline))


@dataclass(frozen=True)
class _Run:
    """One run over a discipline."""

    workspace: Workspace
    discipline: str
    thresholds: Mapping[str, float]
    sets: Sequence[OtherSet]
    lost: JsonValue
    """Sets of the last run that would be lost by another one."""
    yes: bool
    workers: int | None
    report: Report
    executor: Executor | None

    @property
    def pool(self) -> Path:
        return self.workspace.pool(self.discipline)

    @cached_property
    def verdicts(self) -> Verdicts:
        return Verdicts.read(self.workspace)

    @cached_property
    def standing(self) -> Standing:
        return Standing(reviewed_questions(self.workspace, self.pool), source_ranks(self.workspace))

    @property
    def parameters(self) -> dict[str, JsonValue]:
        compared: JsonValue = [[other.name, other.digest] for other in self.sets]
        return {
            "thresholds": dict(sorted(self.thresholds.items())),
            # What is reviewed by now is not signed: a review alone must not shake groups that a choice rests on.
            "source_rank": digest_of(dict(self.standing.source_rank)),
            "verdicts": self.verdicts.digest,
            "against": self.lost or compared,
            "overlap": self.workspace.recipe.dedup.overlap,
        }

    def produce(self, paths: tuple[Path, ...]) -> Counts:
        if self.lost:
            raise _sets_lost(self.discipline, self.lost)
        recipe, thresholds = self.workspace.recipe.dedup, self.thresholds
        executor = self.executor or open_executor(self.workers)
        link, pictures = _helpers(self.workspace, self.discipline, thresholds, executor, self.report)
        search = Search(
            self.pool, thresholds, self.standing, self.verdicts, executor, self.report, link, pictures
        )
        overlaps = find_overlaps(self.pool, self.sets, thresholds["overlap"])
        outcome = Outcome.of(search.run(), overlaps, recipe.overlap)
        dropped, scan = sorted(outcome.dropped), outcome.found.scan
        guard_from = int(thresholds["source_guard_from"])
        check_sources(self.discipline, scan, dropped, recipe.max_source_share, guard_from, self.yes)
        page = duplicates_page(
            self.discipline,
            outcome,
            thresholds,
            lambda rows: read_members(self.pool, scan, rows),
            lambda digest: thumbnail(self.workspace.read_image(digest), _SIDE),
        )
        return _write(outcome, dropped, page, paths)


def _helpers(
    workspace: Workspace,
    discipline: str,
    thresholds: Mapping[str, float],
    executor: Executor,
    report: Report,
) -> tuple[Callable[[Links, Scan], None], Callable[[Mapping[int, Member]], SamePictures]]:
    """What the search needs of the workspace: links by likeness of vectors, and which pictures are the same."""

    def link(links: Links, scan: Scan) -> None:
        add_vectors(links, scan, workspace, discipline, thresholds, executor, report)

    def pictures(members: Mapping[int, Member]) -> SamePictures:
        digests = {digest for member in members.values() for digest in member.pictures}
        known = looks(workspace, digests, executor)
        return picture_comparer(known, thresholds["image_bits"], thresholds["image_change"])

    return link, pictures


def duplicate_rows(workspace: Workspace, discipline: str) -> dict[str, DuplicateRow]:
    """What became of each question of a discipline, by id; empty where `curate dedup` has not run."""
    path = workspace.duplicates(discipline)
    if not path.is_file():
        return {}
    return {row.question_id: row for row in iter_records(path, DuplicateRow)}


def read_report(workspace: Workspace, discipline: str) -> DedupReport:
    """The counts of the last run."""
    return DedupReport.model_validate_json(dedup_files(workspace, discipline)[2].read_bytes())


def dedup_files(workspace: Workspace, discipline: str) -> tuple[Path, ...]:
    """What a run leaves behind: rows, pairs, report, proposals, groups, overlap, page. Writer: curate dedup."""
    rows = workspace.duplicates(discipline)
    names = (f"{discipline}.pairs.parquet", f"{discipline}.report.json")
    beside = (rows.with_name(name) for name in names)
    overlap, page = overlap_path(workspace, discipline), page_path(workspace, discipline)
    return (rows, *beside, *written_for(workspace, discipline), overlap, page)


def page_path(workspace: Workspace, discipline: str) -> Path:
    """The page that shows what was found. Writer: curate dedup."""
    return workspace.duplicates(discipline).with_suffix(".html")


def dedup_thresholds(workspace: Workspace) -> Mapping[str, float]:
    """The built-in thresholds, each replaced by the recipe's where it names one.

    Raises:
        RecipeError: the recipe names one that does not exist.
    """
    text = files("benchwright.curation").joinpath("dedup_thresholds.toml").read_text(encoding="utf-8")
    built_in: dict[str, float] = tomllib.loads(text)
    own = workspace.recipe.dedup.thresholds
    if unknown := sorted(set(own) - set(built_in)):
        raise RecipeError(
            f"[dedup.thresholds] has no {unknown[0]!r}: use one of {', '.join(sorted(built_in))}."
        )
    return {**built_in, **own}


def _sets_before(workspace: Workspace, discipline: str) -> JsonValue:
    """Names and digests of the sets that the last run compared with; None where there was none."""
    manifest = read_manifest(manifest_path(workspace.duplicates(discipline)))
    return manifest.parameters.get("against") if manifest is not None else None


def _sets_lost(discipline: str, sets: JsonValue) -> UsageError:
    names = ", ".join(str(one[0]) for one in sets if isinstance(one, list)) if isinstance(sets, list) else ""
    return UsageError(
        f"the duplicates of {discipline} have to be searched anew, and the sets that they were compared with ({names}) "
        f'are not in the recipe: name them as against = ["…"] under [dedup], or run `curate dedup --discipline '
        f"{discipline}`, with --against for each set or without."
    )


def _write(outcome: Outcome, dropped: Sequence[str], page: str, paths: Sequence[Path]) -> Counts:
    n = write_records(paths[0], outcome.rows(), DuplicateRow)
    write_records(paths[1], outcome.pairs(), DuplicatePair)
    paths[2].write_text(canonical_json(outcome.report()) + "\n", encoding="utf-8")
    paths[5].write_text(canonical_json(outcome.overlaps.report) + "\n", encoding="utf-8")
    paths[6].write_text(page, encoding="utf-8")
    asked = outcome.asked()
    write_jsonl(paths[3], outcome.proposals(asked))
    write_jsonl(paths[4], (one.item for one in asked))
    reasons = {"duplicate": len(outcome.gave_way), "overlap": len(dropped) - len(outcome.gave_way)}
    return Counts(
        n_in=n,
        n_kept=n - len(dropped),
        n_rejected=len(dropped),
        reasons={reason: count for reason, count in reasons.items() if count},
    )
