"""Which questions stood chosen before a choice that is being written.

Reviewed questions stay because they were chosen, so a choice rests on the selection that it replaces. A run that is
killed between two renames leaves neither the old selection nor the new one: before its first rename it writes down
what it saw, and the next run goes on from there instead of from what lies about.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter

from benchwright.curation.chosen_now import current_selection
from benchwright.schemas.artefact import stage_state, write_atomic
from benchwright.schemas.workspace import Workspace

_IDS = TypeAdapter(tuple[str, ...])


def chosen_before(workspace: Workspace, discipline: str) -> frozenset[str] | None:
    """Ids of the selection that a choice replaces, replacements applied; None where it is damaged and cannot say.

    Args:
        workspace: reads `selection/` and `replacements/`.
        discipline: which.
    """
    path = workspace.selection(discipline)
    if path.is_file() and stage_state(workspace, path) in ("done", "stale"):
        return frozenset(row.question_id for row in current_selection(workspace, discipline, kept=False).rows)
    noted = _note(workspace, discipline)
    if noted.is_file():
        return frozenset(_IDS.validate_json(noted.read_bytes()))
    return None if path.is_file() else frozenset()


def note_before(workspace: Workspace, discipline: str) -> None:
    """Write down what `chosen_before` says; a damaged selection says nothing, then as after a kill."""
    before = chosen_before(workspace, discipline)
    if before is not None:
        write_atomic(_note(workspace, discipline), _IDS.dump_json(tuple(sorted(before))))


def forget_before(workspace: Workspace, discipline: str) -> None:
    """Remove the note: the new selection is whole."""
    if not workspace.dry:
        _note(workspace, discipline).unlink(missing_ok=True)


def _note(workspace: Workspace, discipline: str) -> Path:
    return workspace.selection(discipline).with_name(f".{discipline}.before.json")
