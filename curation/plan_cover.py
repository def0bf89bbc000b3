"""Whether the budgets can hold every knowledge point that the pool names: a first look, before anything is computed."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.curation.cover import smallest_cover
from benchwright.curation.select_items import Candidate, frequencies, points_at
from benchwright.schemas.records import Question
from benchwright.schemas.tables import iter_records
from benchwright.schemas.workspace import Workspace


def cover_notes(workspace: Workspace, disciplines: Sequence[str] = ()) -> list[str]:
    """A sentence for each discipline whose budget `curate cluster` would refuse as its pool stands.

    Questions without points are left out, and nothing is screened yet: what is told here is a first look.

    Args:
        workspace: with pools, or none yet.
        disciplines: of the recipe; none names all.
    """
    pools = workspace.pool_disciplines()
    named = [name for name in (disciplines or sorted(workspace.recipe.disciplines)) if name in pools]
    return [note for name in named for note in _note(workspace, name)]


def _note(workspace: Workspace, discipline: str) -> list[str]:
    level, n = workspace.recipe.selection.path_level, workspace.recipe.budget(discipline)
    questions = list(iter_records(workspace.pool(discipline), Question))
    if n > len(questions):
        return [f"{discipline} has {len(questions):,} questions, the budget is {n:,}: it cannot be filled."]
    items = [
        Candidate(
            question.id,
            "",
            1,
            0,
            0.0,
            points_at(question.knowledge_points, 0, 1 if level == "deepest" else level),
        )
        for question in questions
        if question.knowledge_points
    ]
    cover = smallest_cover(items, frequencies(items), enough=n)
    if cover.lower_bound <= n:
        return []
    return [
        f"{discipline}: to hold each of its {len(frequencies(items)):,} knowledge points takes at least "
        f"{cover.lower_bound:,} questions, the budget is {n:,}: `curate cluster` will refuse it; raise the budget, "
        "or set path_level under [selection]."
    ]
