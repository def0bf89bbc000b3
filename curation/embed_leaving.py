"""Whether a discipline's questions may go to the embedder that the recipe names."""

from __future__ import annotations

from collections import Counter

from benchwright.curation.pool_reader import iter_columns
from benchwright.models.embedders import Embedder
from benchwright.schemas.errors import UsageError
from benchwright.schemas.workspace import Workspace


def require_allowed(workspace: Workspace, discipline: str, embedder: Embedder) -> None:
    """Refuse to send unreleased questions to an embedder outside this machine without the builder's word.

    Raises:
        UsageError: the embedder is external, and recipe or source do not allow it.
    """
    host = embedder.external_host
    if host is None:
        return
    sources = Counter(
        name for chunk in iter_columns(workspace.pool(discipline), ["source"]) for name in chunk["source"]
    )
    if not workspace.recipe.embed.allow_external:
        raise UsageError(
            f"{embedder.name} is at {host}, outside this machine: {sources.total()} unreleased questions of "
            f"{discipline} would be sent there; set allow_external = true in [embed] of benchwright.toml to agree, or "
            "use another embedder."
        )
    rules = workspace.recipe.sources
    kept = {
        name: count for name, count in sources.items() if name in rules and not rules[name].allow_external
    }
    if kept:
        named = ", ".join(f"{count} of {name}" for name, count in sorted(kept.items()))
        raise UsageError(
            f"{embedder.name} is at {host}, outside this machine, and the recipe keeps questions of {discipline} here "
            f"({named}): use another embedder."
        )
