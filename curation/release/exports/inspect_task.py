"""inspect_ai: one Python file with a task that reads the published tables at their tag."""

from __future__ import annotations

from benchwright.curation.release.exports.source import ExportSource, rendered


def inspect_texts(source: ExportSource) -> dict[str, str]:
    """The task's file by its name: `inspect_ai/NAME.py`; nothing where no group has all its answers published.

    The samples hold text, then pictures, in the order in which `evaluate` sends them, and no `choices`.
    """
    if not source.groups:
        return {}
    file = f"{source.slug}.py"
    values = source.values() | {
        "file": file,
        "groups": [[group.version, group.language, group.split] for group in source.groups],
    }
    reading = rendered("reading.py.j2", values).strip()
    return {f"inspect_ai/{file}": rendered("inspect_task.py.j2", values | {"reading": reading})}
