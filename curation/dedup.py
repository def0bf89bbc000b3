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
from importlib.resources import files
from pathlib import Path

from pydantic import JsonValue

from benchwright.curation.dedup_embedded import add_vectors
from benchwright.curation.dedup_groups import Standing
from benchwright.curation.dedup_guard import check_sources
from benchwright.curation.dedup_images import looks, picture_comparer
from benchwright.curation.dedup_links import Links
from benchwright.curation.dedup_members import Member
from benchwright.curation.dedup_outcome import DedupReport, Outcome
from benchwright.curation.dedup_overlap import find_overlaps, overlap_path
from benchwright.curation.dedup_review import Verdicts, merge_proposals, written_for
from benchwright.curation.dedup_scan import Scan
from benchwright.curation.dedup_search import Search
from benchwright.curation.dedup_sets import open_set
from benchwright.curation.dedup_settled import reviewed_questions, source_ranks
from benchwright.curation.dedup_verify import SamePictures
from benchwright.curation.executor import Executor, open_executor
from benchwright.curation.proposers.chosen import in_order
from benchwright.schemas.artefact import Counts, StageResult, run_stage
from benchwright.schemas.digest import canonical_json, digest_of
from benchwright.schemas.duplicates import DuplicatePair, DuplicateRow
from benchwright.schemas.errors import RecipeError
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.tables import iter_records, write_records
from benchwright.schemas.workspace import Workspace

STAGE_VERSION = 1
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
) -> DedupResult:
    """Look for repeats in a discipline's pool.

    Args:
        workspace: reads `pool/`, `reviews/`; writes `duplicates/` and `proposals/duplicates.jsonl`.
        discipline: which pool.
        workers: processes; changes the speed only. None takes all cores.
        yes: drop even more of a source than the recipe's `max_source_share`.
        report: progress.
        against: other sets to compare with; None takes the recipe's.

    Raises:
        UsageError: there is no pool, a set cannot be read, an unknown threshold, or too much of a source would go.
    """
    thresholds = dedup_thresholds(workspace)
    verdicts = Verdicts.read(workspace)
    pool = workspace.pool(discipline)
    standing = Standing(reviewed_questions(workspace, pool), source_ranks(workspace))
    recipe = workspace.recipe.dedup
    sets = [open_set(named) for named in (recipe.against if against is None else against)]

    def produce(paths: tuple[Path, ...]) -> Counts:
        executor = open_executor(workers)
        link, pictures = _helpers(workspace, discipline, thresholds, executor, report)
        search = Search(pool, thresholds, standing, verdicts, executor, report, link, pictures)
        outcome = Outcome.of(search.run(), find_overlaps(pool, sets, thresholds["overlap"]), recipe.overlap)
        dropped = sorted(outcome.dropped)
        guard_from = int(thresholds["source_guard_from"])
        check_sources(discipline, outcome.found.scan, dropped, recipe.max_source_share, guard_from, yes)
        return _write(outcome, dropped, paths)

    parameters: dict[str, JsonValue] = {
        "thresholds": dict(sorted(thresholds.items())),
        # What is reviewed by now is read but not signed: a review alone must not shake groups that a choice rests on.
        "source_rank": digest_of(dict(standing.source_rank)),
        "verdicts": verdicts.digest,
        "against": [[other.name, other.digest] for other in sets],
        "overlap": recipe.overlap,
    }
    stage = run_stage(
        workspace,
        f"dedup/{discipline}",
        STAGE_VERSION,
        [pool],
        dedup_files(workspace, discipline),
        parameters,
        produce,
    )
    merge_proposals(workspace)
    return DedupResult(stage, read_report(workspace, discipline))


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
    """What a run leaves behind: rows, pairs, report, proposals, groups, overlap. Writer: curate dedup."""
    rows = workspace.duplicates(discipline)
    names = (f"{discipline}.pairs.parquet", f"{discipline}.report.json")
    beside = (rows.with_name(name) for name in names)
    return (rows, *beside, *written_for(workspace, discipline), overlap_path(workspace, discipline))


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


def _write(outcome: Outcome, dropped: Sequence[str], paths: Sequence[Path]) -> Counts:
    n = write_records(paths[0], outcome.rows(), DuplicateRow)
    write_records(paths[1], outcome.pairs(), DuplicatePair)
    paths[2].write_text(canonical_json(outcome.report()) + "\n", encoding="utf-8")
    paths[5].write_text(canonical_json(outcome.overlaps.report) + "\n", encoding="utf-8")
    groups, proposals = outcome.questions()
    write_jsonl(paths[3], in_order(proposals))
    write_jsonl(paths[4], groups)
    reasons = {"duplicate": len(outcome.gave_way), "overlap": len(dropped) - len(outcome.gave_way)}
    return Counts(
        n_in=n,
        n_kept=n - len(dropped),
        n_rejected=len(dropped),
        reasons={reason: count for reason, count in reasons.items() if count},
    )
