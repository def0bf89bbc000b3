"""`curate keep`: the best of a reviewed selection, and where all the others went."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchwright.curation.attrition import attrition_of
from benchwright.curation.keep_choice import Best, keep_best, scaled
from benchwright.curation.replace_open import Opened, inputs_of, open_selection
from benchwright.schemas.artefact import Counts, StageResult, run_stage
from benchwright.schemas.reviewed import Attrition, Kept, attrition_path, kept_path, selection_digest
from benchwright.schemas.selection import ChoiceSettings
from benchwright.schemas.workspace import Workspace

STAGE_VERSION = 1


@dataclass(frozen=True)
class KeptResult:
    """What `keep_discipline` did."""

    stage: StageResult
    kept: Kept
    attrition: Attrition


def keep_discipline(
    workspace: Workspace,
    discipline: str,
    n: int,
    path_level: int | None = None,
    accept_proposals: bool = False,
) -> KeptResult:
    """Keep the best `n`; write `selection/<discipline>.kept.json` and the attrition table beside it.

    Every reader of the selection then sees these alone, until the selection or its replacements change.

    Args:
        workspace: the workspace.
        discipline: which selection.
        n: how many to keep.
        path_level: level at which points must be covered; None takes the selection's.
        accept_proposals: rate by the machine's word where no person has spoken. Accepting a question is always a
            person's decision.

    Raises:
        InfeasibleError: see `keep_best`.
        UsageError: nothing is selected.
    """
    outputs = [kept_path(workspace, discipline), attrition_path(workspace, discipline)]

    def produce(paths: tuple[Path, ...]) -> Counts:
        opened = open_selection(workspace, discipline, accept_proposals)
        accepted = [item for item in opened.accepted() if rating(opened, item.question_id) is not None]
        ratings = {item.question_id: rating(opened, item.question_id) or 0.0 for item in accepted}
        settings = scaled(opened.certificate.settings, n, path_level)
        best = keep_best(discipline, accepted, ratings, settings)
        kept = _kept(opened, best, settings, ratings)
        table = attrition_of(workspace, opened, kept)
        for path, record in zip(paths, (kept, table), strict=True):
            path.write_text(record.model_dump_json(indent=2) + "\n", encoding="utf-8")
        lost = table.stations[-1].lost
        whole = len(opened.reviewed.items)
        reasons = Counter({"not-kept": whole - kept.n}) if whole > kept.n else Counter(lost)
        return Counts(n_in=whole, n_kept=kept.n, n_rejected=whole - kept.n, reasons=dict(reasons))

    inputs = [path for path in inputs_of(workspace, discipline) if path not in outputs]
    parameters = {"n": n, "path_level": path_level, "accept_proposals": accept_proposals}
    stage = run_stage(
        workspace,
        f"keep/{discipline}",
        STAGE_VERSION,
        inputs,
        outputs,
        {**parameters, "languages": list(workspace.recipe.benchmark.languages)},
        produce,
    )
    return KeptResult(
        stage,
        Kept.model_validate_json(outputs[0].read_bytes()),
        Attrition.model_validate_json(outputs[1].read_bytes()),
    )


def rating(opened: Opened, question_id: str) -> float | None:
    """Sum of both ratings; None where one is missing."""
    found = opened.reviewed.ratings.get(question_id, {})
    return round(sum(found.values()), 6) if len(found) == 2 else None


def _kept(opened: Opened, best: Best, settings: ChoiceSettings, ratings: dict[str, float]) -> Kept:
    names = sorted(item.question_id for item in best.items)
    left = [value for name, value in ratings.items() if name not in set(names)]
    return Kept(
        discipline=opened.discipline,
        n=len(names),
        question_ids=tuple(names),
        of_digest=selection_digest(opened.current.rows),
        settings=settings,
        ratings={name: ratings[name] for name in names},
        value=best.value,
        bound=best.bound,
        least_kept=min(ratings[name] for name in names),
        best_left=max(left, default=0.0),
    )
