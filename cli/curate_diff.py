"""`curate diff`: in what two releases differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.common import emit, json_option, workspace_option
from benchwright.cli.pages import heading, remark, short, table

if TYPE_CHECKING:
    from benchwright.curation.release.diff import ReleaseDiff


@click.command()
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="AFTER")
@click.option(
    "--rows", "shown", type=click.IntRange(0), default=20, show_default=True, help="Rows shown a list."
)
@workspace_option
@json_option
def diff(before: str, after: str, shown: int, workspace: Path | None, as_json: bool) -> None:
    """Show in what two releases differ: rows, fields, pictures, counts.

    BEFORE and AFTER are tags built in this workspace, folders, or ORG/NAME@TAG on the Hub. Pictures are compared by
    their sha256. A difference is a result: the exit code is 0 either way.
    """
    from benchwright.cli.evaluate_show import find_place
    from benchwright.curation.release.diff import diff_releases, find_side

    place = find_place(workspace)
    found = diff_releases(find_side(before, place), find_side(after, place))
    if not as_json:
        _show(found, shown)
    emit({**found.model_dump(mode="json"), "same": found.same}, None, as_json)


def _show(found: ReleaseDiff, shown: int) -> None:
    heading(f"{found.before.tag or found.before.name} -> {found.after.tag or found.after.name}")
    table(
        ("", "before", "after"),
        [
            (name, getattr(found.before, name), getattr(found.after, name))
            for name in ("rows", "problems", "images")
        ],
    )
    if found.same:
        remark("Both hold the same rows and columns.")
    for sign, names in (("added", found.columns_added), ("removed", found.columns_removed)):
        if names:
            remark(f"Columns {sign}: {', '.join(names)}")
    for line in found.files:
        remark(f"File: {line}")
    _show_changes(found, shown)
    for title, rows in (("Rows added", found.added), ("Rows removed", found.removed)):
        if rows:
            heading(f"{title}: {len(rows):,}")
            table(("row", "split"), [(row.id, row.split) for row in rows[:shown]])
            _rest(len(rows), shown)
    for title, images in (("Pictures added", found.images_added), ("Pictures removed", found.images_removed)):
        if images:
            heading(f"{title}: {len(images):,}")
            for sha256 in images[:shown]:
                remark(f"  {sha256}")
            _rest(len(images), shown)
    moved = [count for count in found.counts if count.before != count.after]
    if moved:
        heading("Rows by version and language, where they differ")
        table(
            ("version", "language", "before", "after"),
            [(count.version, count.language, count.before, count.after) for count in moved],
        )


def _show_changes(found: ReleaseDiff, shown: int) -> None:
    if not found.changed:
        return
    heading(f"Rows changed: {len(found.changed):,}")
    table(("field", "rows"), list(found.fields.items()))
    for row in found.changed[:shown]:
        remark(row.id)
        for change in row.changes:
            before, after = short(change.before, change.after)
            remark(f"    {change.field}")
            remark(f"      - {before}")
            remark(f"      + {after}")
    _rest(len(found.changed), shown)


def _rest(total: int, shown: int) -> None:
    if total > shown:
        remark(f"… and {total - shown:,} more: --rows {total} or --json shows them.")
