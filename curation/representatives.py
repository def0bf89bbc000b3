"""From pool, embeddings, estimates and clusters to the certified selection of one discipline."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from benchwright.curation.candidates import check_pins, named_points, offer_files, read_candidates
from benchwright.curation.certificate import certify, rows_of
from benchwright.curation.certificate_page import certificate_page
from benchwright.curation.cluster import cluster_discipline, default_clusters
from benchwright.curation.dedup import dedup_discipline
from benchwright.curation.embed import embed_discipline
from benchwright.curation.estimate import estimate_discipline
from benchwright.curation.screen import screen_discipline
from benchwright.curation.select import Choice, choose, choose_deepest, preview
from benchwright.curation.select_before import forget_before, note_before
from benchwright.curation.select_conflicts import checked_cover
from benchwright.curation.select_dev import choose_dev
from benchwright.curation.select_items import Candidate, shared_values
from benchwright.curation.select_presets import preset_shares
from benchwright.schemas.artefact import (
    Counts,
    StageResult,
    manifest_path,
    read_manifest,
    run_stage,
    stage_state,
)
from benchwright.schemas.errors import UsageError
from benchwright.schemas.recipe import SelectionRecipe
from benchwright.schemas.selection import Certificate, ChoiceSettings, Family, RefusedLevel, SelectionRow
from benchwright.schemas.tables import write_records
from benchwright.schemas.workspace import Workspace

SELECT_VERSION = 2
Report = Callable[[str, int, int], None]
"""Told (what is being done, done, to be done)."""


@dataclass(frozen=True)
class Selected:
    """What `select_discipline` did."""

    stage: StageResult
    certificate: Certificate


@dataclass(frozen=True)
class Decided:
    """A choice with all that it was made from."""

    items: list[Candidate]
    left_out: dict[str, int]
    settings: ChoiceSettings
    choice: Choice
    refused: tuple[RefusedLevel, ...]


def choose_representatives(
    workspace: Workspace,
    discipline: str,
    budget: int | None = None,
    k: int | None = None,
    workers: int | None = None,
    report: Report = lambda what, done, total: None,
) -> Selected:
    """Run what is missing of screen, dedup, embed, estimate and cluster, then choose: the whole of `curate cluster`.

    Args:
        workspace: where everything lies.
        discipline: which pool.
        budget: how many to choose; None takes the recipe's.
        k: clusters; None takes the recipe's, or `default_clusters`.
        workers: processes and threads; None takes all cores.
        report: progress of the stages.

    Raises:
        InfeasibleError: see `select.choose`; whatever stood there before is left as it was.
        UsageError: there is no pool, or a stage cannot be run.
    """
    recipe = workspace.recipe
    n = budget or recipe.budget(discipline)
    clusters = k or recipe.selection.clusters or default_clusters(n)
    if recipe.screen.enabled:
        screen_discipline(workspace, discipline, workers, lambda done, total: report("screen", done, total))
    if recipe.dedup.enabled:
        dedup_discipline(
            workspace,
            discipline,
            workers,
            report=lambda what, done, total: report(f"dedup: {what}", done, total),
            standing_sets=True,
        )
    cores = workers or os.cpu_count() or 1
    embed_discipline(workspace, discipline, None, cores, lambda done, total: report("embed", done, total))
    estimate_discipline(workspace, discipline)
    check_budget(workspace, discipline, n)
    cluster_discipline(workspace, discipline, clusters, workers)
    return select_discipline(workspace, discipline, n, clusters)


def check_budget(workspace: Workspace, discipline: str, n: int) -> None:
    """Refuse a budget that cannot cover the knowledge points, before clusters are written for it.

    Raises:
        InfeasibleError: `cover-exceeds-budget` or `budget-exceeds-pool`.
    """
    done = stage_state(workspace, workspace.selection(discipline)) == "done"
    level = workspace.recipe.selection.path_level
    if done and read_certificate(workspace, discipline).n == n:
        return
    items = named_points(workspace, discipline, 1 if level == "deepest" else level)
    checked_cover(discipline, items, ChoiceSettings(n=n, max_per_cluster=1, seed=0))


def settings_for(workspace: Workspace, discipline: str, n: int, items: Sequence[Candidate]) -> ChoiceSettings:
    """The recipe's rules for a budget of `n` among these candidates."""
    recipe = workspace.recipe.selection
    level = recipe.path_level
    subjects, levels = preset_shares(recipe.preset, discipline)
    own_subjects = counts_of(recipe.subjects.get(discipline, {}), n, f"subjects.{discipline}")
    own_levels = counts_of(recipe.difficulties, n, "difficulties")
    hard = recipe.quotas == "hard"
    chapters = recipe.max_per_chapter
    return ChoiceSettings(
        n=n,
        path_level=None if level == "deepest" else level,
        stand_ins_hard=recipe.stand_ins == "hard",
        subject_quota=own_subjects if own_subjects and hard else None,
        difficulty_quota=own_levels if own_levels and hard else None,
        quota_tolerance=recipe.quota_tolerance,
        subject_target=_target(own_subjects, subjects, n),
        difficulty_target=_target(own_levels, levels, n),
        subject_balance=1.0 if recipe.preset == "sciverse" else recipe.subject_balance,
        subject_tolerance=min(1.0, recipe.subject_tolerance),
        difficulty_tolerance=min(1.0, recipe.difficulty_tolerance),
        max_per_cluster=recipe.max_per_cluster or _even_cap(items, "cluster", n),
        cluster_hard=recipe.cluster_rule == "hard",
        max_per_chapter=_even_cap(items, "chapter", n) if chapters is None else chapters or None,
        max_per_template=recipe.max_per_template or None,
        max_per_group=recipe.max_per_group or None,
        max_per_image=recipe.max_per_image or None,
        gap_limit=recipe.gap_limit,
        time_limit=recipe.time_limit,
        seed=workspace.recipe.benchmark.seed,
    )


def counts_of(wanted: Mapping[Any, float], n: int, where: str) -> dict[str, int]:
    """Numbers of questions from shares (below 1) and numbers (whole); shares are rounded so that their sum stays.

    Raises:
        UsageError: a number from 1 upwards that is not whole, or shares above 1 in all.
    """
    named: dict[str, float] = dict(wanted)
    if broken := sorted(value for value, number in named.items() if number >= 1 and number != int(number)):
        raise UsageError(
            f"selection.{where}.{broken[0]} is neither a share below 1 nor a whole number: correct the recipe."
        )
    shares = {value: number for value, number in named.items() if number < 1}
    if math.fsum(shares.values()) > 1 + 1e-9:
        raise UsageError(f"the shares under selection.{where} are more than 1 together: correct the recipe.")
    counts = {value: int(number) for value, number in named.items() if number >= 1}
    down = {value: math.floor(number * n) for value, number in shares.items()}
    left = round(math.fsum(shares.values()) * n) - sum(down.values())
    for value in sorted(shares, key=lambda value: (down[value] - shares[value] * n, value))[:left]:
        down[value] += 1
    return dict(sorted({**counts, **down}.items()))


def _target(own: dict[str, int], preset: dict[str, float], n: int) -> dict[str, float] | None:
    """What is aimed at: the recipe's numbers, else the preset's shares of the budget."""
    if own:
        return {value: float(count) for value, count in own.items()}
    return {value: round(share * n, 6) for value, share in preset.items()} or None


def _even_cap(items: Sequence[Candidate], family: Family, n: int) -> int:
    sizes = Counter(value for item in items for value in shared_values(item, family))
    return cluster_cap(sizes.values(), min(n, sum(sizes.values())))


def cluster_cap(sizes: Collection[int], n: int) -> int:
    """How many of one cluster may be chosen: twice the even share, or more where small clusters cannot fill theirs.

    A cap under which the clusters together hold fewer than `n` questions would be broken by every choice.
    """
    cap = max(1, math.ceil(2 * n / max(1, len(sizes))))
    while sum(min(size, cap) for size in sizes) < min(n, sum(sizes)):
        cap += 1
    return cap


def decide(workspace: Workspace, discipline: str, n: int, quick: bool = False) -> Decided:
    """Read what is offered and choose; writes nothing.

    Args:
        workspace: where everything lies.
        discipline: which pool.
        n: how many.
        quick: a preview by greedy and exchanges, without proof.

    Raises:
        InfeasibleError: the rules exclude each other; names them.
        UsageError: a stage before this one is missing.
    """
    recipe = workspace.recipe.selection
    if recipe.pinned:
        check_pins(workspace)
    level = recipe.path_level
    offer = read_candidates(workspace, discipline, None if level == "deepest" else level)
    if not offer.items:
        why = ", ".join(f"{reason} {count}" for reason, count in offer.left_out.items())
        raise UsageError(
            f"none of the {offer.total} questions of {discipline} may be chosen ({why}): loosen the recipe."
        )
    settings = settings_for(workspace, discipline, n, offer.items)
    if quick:
        choice = preview(discipline, offer.items, settings)
    elif level == "deepest":
        choice, items, settings, refused = choose_deepest(discipline, offer.items, settings)
        return Decided(items, offer.left_out, settings, choice, refused)
    else:
        choice = choose(discipline, offer.items, settings)
    return Decided(offer.items, offer.left_out, settings, choice, ())


def select_discipline(workspace: Workspace, discipline: str, n: int, clusters_asked: int) -> Selected:
    """Choose `n` questions; write `selection/<discipline>.parquet`, its certificate, its page and the examples.

    A selection that cannot be made leaves the one before as it was. Which questions people reviewed meanwhile is
    looked up when there is something to do, and makes nothing stale by itself.

    Raises:
        InfeasibleError: the rules exclude each other; names them.
        UsageError: a stage before this one is missing.
    """
    recipe = workspace.recipe
    dev = recipe.disciplines[discipline].dev

    def produce(paths: tuple[Path, ...]) -> Counts:
        decided = decide(workspace, discipline, n)
        note_before(workspace, discipline)
        certificate = certificate_of(discipline, decided, clusters_asked)
        chosen = decided.choice.chosen
        examples = choose_dev(chosen, decided.items, recipe.selection.dev_per_subject, dev)
        write_records(paths[0], rows_of(discipline, chosen), SelectionRow)
        paths[1].write_text(certificate.model_dump_json(indent=2) + "\n", encoding="utf-8")
        paths[2].write_text(certificate_page(certificate, examples), encoding="utf-8")
        write_records(paths[3], rows_of(discipline, examples), SelectionRow)
        reasons = {**decided.left_out, "not-chosen": len(decided.items) - len(chosen)}
        left = sum(reasons.values())
        return Counts(
            n_in=len(chosen) + left,
            n_kept=len(chosen),
            n_rejected=left,
            reasons={reason: count for reason, count in sorted(reasons.items()) if count},
        )

    parameters: dict[str, JsonValue] = {
        "n": n,
        "clusters_asked": clusters_asked,
        "seed": recipe.benchmark.seed,
        "recipe": signature_of(recipe.selection, discipline),
        "dev": dev,
    }
    outputs = [
        workspace.selection(discipline),
        workspace.certificate(discipline),
        page_path(workspace, discipline),
        workspace.dev_selection(discipline),
    ]
    inputs = offer_files(workspace, discipline)
    result = run_stage(
        workspace, f"select/{discipline}", SELECT_VERSION, inputs, outputs, parameters, produce
    )
    forget_before(workspace, discipline)
    return Selected(result, read_certificate(workspace, discipline))


def select_again(workspace: Workspace, discipline: str, budget: int | None = None) -> Selected:
    """Choose anew from what the stages before left, as `curate select`.

    Raises:
        InfeasibleError: as `select_discipline`.
        UsageError: a stage before this one is missing.
    """
    n = budget or workspace.recipe.budget(discipline)
    manifest = read_manifest(manifest_path(workspace.clusters(discipline)))
    if manifest is None:
        raise UsageError(f"{discipline} has no clusters yet: run `curate cluster --discipline {discipline}`.")
    return select_discipline(workspace, discipline, n, int(str(manifest.parameters["k"])))


def certificate_of(discipline: str, decided: Decided, clusters_asked: int) -> Certificate:
    """The certificate of a decision."""
    return certify(
        discipline,
        decided.items,
        decided.choice,
        decided.settings,
        clusters_asked,
        decided.left_out,
        decided.refused,
    )


def signature_of(recipe: SelectionRecipe, discipline: str) -> dict[str, JsonValue]:
    """The part of `[selection]` that decides a discipline's choice (its clusters are an input of their own)."""
    values: dict[str, JsonValue] = recipe.model_dump(mode="json", exclude={"clusters", "engine", "subjects"})
    return {**values, "subjects": dict(recipe.subjects.get(discipline, {}))}


def page_path(workspace: Workspace, discipline: str) -> Path:
    """The certificate as a page for people."""
    return workspace.certificate(discipline).with_suffix(".html")


def read_certificate(workspace: Workspace, discipline: str) -> Certificate:
    """The stored certificate of a discipline."""
    return Certificate.model_validate_json(workspace.certificate(discipline).read_bytes())
