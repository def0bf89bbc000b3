"""The selection as it stands now: as it was chosen, with the replacements that people asked for since."""

from __future__ import annotations

from pathlib import Path

from benchwright.schemas.errors import UsageError
from benchwright.schemas.journal import Journal
from benchwright.schemas.reviewed import CurrentSelection, Replacement, current_rows, later_files
from benchwright.schemas.workspace import Workspace


def current_selection(workspace: Workspace, discipline: str, *, kept: bool = True) -> CurrentSelection:
    """The selection of a discipline with replacements applied; what no longer fits is listed in it as stale.

    Args:
        workspace: the workspace.
        discipline: which.
        kept: whether a choice of the best (`curate keep`) is applied too.

    Raises:
        UsageError: nothing is selected there yet.
    """
    if not workspace.selection(discipline).is_file():
        raise UsageError(
            f"{discipline} has no selection yet: run `curate cluster --discipline {discipline}` first."
        )
    return current_rows(workspace, discipline, kept=kept)


def selection_files(workspace: Workspace, discipline: str) -> list[Path]:
    """The files on which `current_selection` rests: inputs of every stage that reads it."""
    return [workspace.selection(discipline), *later_files(workspace, discipline)]


def replaced_away(workspace: Workspace, discipline: str) -> frozenset[str]:
    """Questions that were replaced for what they are (not only for a rule): they may not be chosen again."""
    log = Journal(workspace.replacements(discipline)).read(Replacement)
    return frozenset(step.exchanges[0].leaves for step in log if step.why != "rule")
