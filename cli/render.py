"""`render`: from the problems to their pictures and to a page that shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    from benchwright.schemas.recipe import StyleName


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
_jobs = click.option(
    "--jobs",
    "--workers",
    "jobs",
    type=click.IntRange(min=1),
    default=None,
    help="Processes; the pictures do not depend on it. Default: the number of processors.",
)
_style = click.option(
    "--style",
    type=click.Choice(["clean", "exam", "phone-photo"]),
    default=None,
    help="How vision-only pages look; default: the recipe's.",
)
_font = click.option(
    "--font",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="An OpenType or TrueType file for the text; default: the recipe's, or the bundled one.",
)


def _rendering(command: Callable[..., None]) -> Callable[..., None]:
    """The options of both rendering commands."""
    for option in (json_option, _font, _style, _jobs, _only, _language, workspace_option):
        command = option(command)
    return command


@render.command("vision-only")
@_rendering
def vision_only(workspace: Path | None, **options: Any) -> None:
    """Put the whole question into one picture: stem, diagram, choices."""
    _run(workspace, "vision-only", **options)


@render.command("vision-rich")
@_rendering
def vision_rich(workspace: Path | None, **options: Any) -> None:
    """Put the given conditions that can be shown into the diagram."""
    _run(workspace, "vision-rich", **options)


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


@render.command()
@click.argument("version", type=click.Choice(["vision-only", "vision-rich"]), required=False)
@workspace_option
@_language
@_only
@_jobs
@_style
@_font
@json_option
def check(
    version: str | None,
    workspace: Path | None,
    languages: tuple[str, ...],
    only: tuple[str, ...],
    jobs: int | None,
    style: StyleName | None,
    font: Path | None,
    as_json: bool,
) -> None:
    """Read the pictures back: is every line legible, every formula whole, no drawing covered?

    Judges both rendered versions of the recipe unless one is named. Verdicts are kept beside the pictures; a picture
    that fails never reaches a release. Needs the extra `ocr` to read text.
    """
    from benchwright.cli.render_check import run_check
    from benchwright.render.job import with_style

    run_check(with_style(open_workspace(workspace), style, font), version, languages, only, jobs, as_json)


def _run(
    where: Path | None,
    version_name: str,
    languages: Sequence[str],
    only: Sequence[str],
    jobs: int | None,
    style: StyleName | None,
    font: Path | None,
    as_json: bool,
) -> None:
    import os

    from benchwright.render.job import problem_count, render_version, with_style
    from benchwright.schemas.versions import Version

    workspace = with_style(open_workspace(where), style, font)
    version = Version(version_name)
    chosen = tuple(dict.fromkeys(languages)) or workspace.recipe.benchmark.languages
    total = len(only) or problem_count(workspace)
    results: list[RenderResult] = []
    for language in chosen:
        with progress(total, f"{version.value} {language}") as bar:
            results.append(
                render_version(workspace, version, language, only, jobs or os.cpu_count() or 1, bar.advance)
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
        made = "1 picture" if len(failed) == 1 else f"{len(failed)} pictures"
        raise Incomplete(
            f"{made} could not be made; renders/*/{version.value}/*/rejected.jsonl says why, and the others are kept."
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
