"""`curate certify`: every rule of a selection, recomputed on what people said.

The selection was chosen on cheap estimates. Review moves levels, subjects and points, and turns questions away; this
says which rules still hold, and for each that does not, the exchanges that would mend it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from benchwright.curation.certify_rules import as_before, family_slacks, faults, mend
from benchwright.curation.chosen_now import current_selection
from benchwright.curation.keep_choice import rules_for
from benchwright.curation.replace_open import Opened, inputs_of, open_desk, open_selection
from benchwright.curation.select_items import Candidate, frequencies
from benchwright.curation.select_rules import Rules
from benchwright.schemas.artefact import Counts, StageResult, run_stage
from benchwright.schemas.digest import digest_of
from benchwright.schemas.reviewed import (
    Kept,
    ReviewedCertificate,
    reviewed_certificate_path,
)
from benchwright.schemas.selection import PointCount, is_stand_in
from benchwright.schemas.taxonomy import load_taxonomy
from benchwright.schemas.workspace import Workspace

STAGE_VERSION = 1


@dataclass(frozen=True)
class Certified:
    """What `certify_discipline` did."""

    stage: StageResult
    certificate: ReviewedCertificate


def certify_discipline(workspace: Workspace, discipline: str, accept_proposals: bool = False) -> Certified:
    """Write `selection/<discipline>.reviewed.certificate.json`.

    Args:
        workspace: the workspace.
        discipline: which selection.
        accept_proposals: take the machine's word where no person has spoken, as in `curate problems`.

    Raises:
        UsageError: nothing is selected, or the discipline is not embedded.
    """
    output = reviewed_certificate_path(workspace, discipline)
    current_selection(workspace, discipline)

    def produce(paths: tuple[Path, ...]) -> Counts:
        opened = open_selection(workspace, discipline, accept_proposals)
        made = reviewed_certificate(workspace, opened, current_selection(workspace, discipline).kept)
        paths[0].write_text(made.model_dump_json(indent=2) + "\n", encoding="utf-8")
        reasons: Counter[str] = Counter(one.reason for one in made.turned)
        return Counts(
            n_in=made.n + len(made.turned), n_kept=made.n, n_rejected=len(made.turned), reasons=dict(reasons)
        )

    taxonomy = load_taxonomy(workspace.recipe.benchmark.taxonomy, workspace.taxonomies)
    parameters: dict[str, JsonValue] = {
        "accept_proposals": accept_proposals,
        "languages": list(workspace.recipe.benchmark.languages),
        "taxonomy": digest_of(taxonomy),
        "screen": workspace.recipe.screen.model_dump(mode="json"),
        "dedup": workspace.recipe.dedup.model_dump(mode="json"),
        "selection": workspace.recipe.selection.model_dump(mode="json"),
    }
    inputs = inputs_of(workspace, discipline)
    stage = run_stage(
        workspace, f"certify/{discipline}", STAGE_VERSION, inputs, [output], parameters, produce
    )
    return Certified(stage, ReviewedCertificate.model_validate_json(output.read_bytes()))


def reviewed_certificate(
    workspace: Workspace, opened: Opened, kept: Kept | None = None
) -> ReviewedCertificate:
    """The certificate of an opened selection, or of the best of it."""
    reviewed = opened.reviewed
    if kept is None:
        rules, wanted = (
            as_before(opened.rules, opened.certificate.rules),
            {item.question_id for item in reviewed.items},
        )
        settings = opened.certificate.settings
    else:
        rules, wanted = rules_for(opened.accepted(), kept.settings), set(kept.question_ids)
        settings = kept.settings
    turned = tuple(one for one in reviewed.turned if one.question_id in wanted)
    gone = {one.question_id for one in turned}
    staying = [item for item in reviewed.items if item.question_id in wanted - gone]
    before = [item for item in reviewed.before if item.question_id in wanted]
    # What was kept is mended by keeping anew: its supply is the reviewed selection, not the pool.
    broken = (
        mend(open_desk(workspace, opened), rules, turned).broken if kept is None else faults(rules, staying)
    )
    points = _points(rules, opened, staying)
    real = [point for point in points if not point.stand_in]
    return ReviewedCertificate(
        discipline=opened.discipline,
        settings=settings,
        selection_digest=digest_of(sorted(wanted)),
        replacements=len(opened.current.applied),
        stale_replacements=opened.current.stale,
        n=len(staying),
        turned=turned,
        to_be_mended=tuple(name for name in reviewed.to_be_mended if name in wanted),
        origins={name: dict(sorted(counts.items())) for name, counts in reviewed.origins.items()},
        waiting=dict(sorted(reviewed.waiting.items())),
        changed=reviewed.changed,
        objective=rules.worth(staying),
        objective_before=rules.worth(before),
        points_total=len(real),
        points_covered=sum(1 for point in real if point.selected),
        points=points,
        rules=rules.band_slacks(staying),
        families=family_slacks(rules, opened.items.values(), staying),
        per_difficulty=_tally(str(item.difficulty) for item in staying),
        per_subject=_tally(item.subject for item in staying),
        broken=tuple(broken),
    )


def _points(rules: Rules, opened: Opened, staying: Sequence[Candidate]) -> tuple[PointCount, ...]:
    """Every point of the rules in pool and selection; points that only review brought up are not among them."""
    supply = frequencies(opened.items.values())
    counts = Counter(point for item in staying for point in item.points)
    return tuple(
        PointCount(
            point=point,
            stand_in=is_stand_in(point),
            pool=max(supply.get(point, 0), 1),
            target=target,
            selected=counts[point],
        )
        for point, target in rules.targets.items()
    )


def _tally(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
