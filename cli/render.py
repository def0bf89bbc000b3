"""`render`: from the problems to their pictures and to a page that shows them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.common import (
    Incomplete,
    SummaryTable,
    emit,
    json_option,
    open_workspace,
    progress,
    say,
    workspace_option,
)

if TYPE_CHECKING:
    from benchwright.render.job import RenderResult
    from benchwright.schemas.workspace import Workspace


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def render() -> None:
    """Burn conditions or whole questions into pictures, and show them.

    Run it after `curate problems`. Pictures are made again only where something changed.
    """


_language = click.option(
    "--language",
    "languages",
    multiple=True,
    help="Language of the text, may be repeated; default: the recipe's.",
)
_only = click.option(
    "--only", multiple=True, metavar="ID", help="One problem, may be repeated; default: all."
)
_workers = click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=None,
    help="Processes; default: the number of processors.",
)


@render.command("vision-only")
@workspace_option
@_language
@_only
@_workers
@json_option
def vision_only(
    workspace: Path | None,
    languages: tuple[str, ...],
    only: tuple[str, ...],
    workers: int | None,
    as_json: bool,
) -> None:
    """Put the whole question into one picture: stem, diagram, choices."""
    _run(open_workspace(workspace), "vision-only", languages, only, workers, as_json)


@render.command("vision-rich")
@workspace_option
@_language
@_only
@_workers
@json_option
def vision_rich(
    workspace: Path | None,
    languages: tuple[str, ...],
    only: tuple[str, ...],
    workers: int | None,
    as_json: bool,
) -> None:
    """Put the given conditions that can be shown into the diagram."""
    _run(open_workspace(workspace), "vision-rich", languages, only, workers, as_json)


@render.command()
@workspace_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Default: gallery.html in the workspace.",
)
@json_option
def gallery(workspace: Path | None, out: Path | None, as_json: bool) -> None:
    """Write a page that shows every problem in all its versions, beside its pictures."""
    from benchwright.render.gallery import write_gallery

    where = open_workspace(workspace)
    path = out or where.root / "gallery.html"
    count = write_gallery(where, path)
    say(f"{count} problems on {path}")
    emit({"path": str(path), "problems": count}, None, as_json, f"open {path} in a browser")


def _run(
    workspace: Workspace,
    version_name: str,
    languages: Sequence[str],
    only: Sequence[str],
    workers: int | None,
    as_json: bool,
) -> None:
    import os

    from benchwright.render.job import problem_count, render_version
    from benchwright.schemas.versions import Version

    version = Version(version_name)
    chosen = tuple(dict.fromkeys(languages)) or workspace.recipe.benchmark.languages
    total = len(only) or problem_count(workspace)
    results: list[RenderResult] = []
    for language in chosen:
        with progress(total, f"{version.value} {language}") as bar:
            results.append(
                render_version(
                    workspace, version, language, only, workers or os.cpu_count() or 1, bar.advance
                )
            )
    failed = [item for result in results for item in result.failed]
    for item in failed:
        say(f"{item.item_id} ({item.stage}): {item.reason}: {item.detail}")
    emit(
        {"version": version.value, "results": [_as_json(result) for result in results]},
        SummaryTable(
            f"rendered {version.value}",
            ("language", "made", "kept", "no such version", "failed", "reasons"),
            [_row(result) for result in results],
        ),
        as_json,
        "render gallery" if version is Version.VISION_RICH else "render vision-rich",
    )
    if failed:
        raise Incomplete(
            f"{len(failed)} pictures could not be made; renders/*/{version.value}/*/rejected.jsonl says why."
        )


def _row(result: RenderResult) -> tuple[object, ...]:
    failed = len(result.failed)
    reasons = ", ".join(f"{reason} {count}" for reason, count in result.reasons.items())
    return result.language, result.made, result.kept, len(result.rejected) - failed, failed, reasons or "-"


def _as_json(result: RenderResult) -> dict[str, object]:
    return {
        "language": result.language,
        "made": result.made,
        "kept": result.kept,
        "rejected": len(result.rejected),
        "failed": len(result.failed),
        "reasons": result.reasons,
    }
