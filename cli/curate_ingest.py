"""`curate ingest`: sources into the pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.common import (
    SummaryTable,
    emit,
    json_option,
    open_workspace,
    progress,
    say,
    stderr_is_a_terminal,
    workspace_option,
)

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from benchwright.curation.ingest import IngestOptions, IngestResult
    from benchwright.schemas.workspace import Workspace


class PresetName(click.ParamType):  # type: ignore[type-arg]
    """The name of a preset; the list of names is read only where it is needed."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name or file as it was given, when there is such a preset."""
        from benchwright.curation.presets import load_preset

        load_preset(str(value))
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Names that begin so."""
        from click.shell_completion import CompletionItem

        from benchwright.curation.presets import preset_names

        return [CompletionItem(name) for name in preset_names() if name.startswith(incomplete.lower())]


@click.command()
@click.argument("sources", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--preset",
    type=PresetName(),
    default=None,
    help="The public source they are, e.g. mmmu; or a preset file of your own.",
)
@click.option("--list-presets", is_flag=True, help="Show the presets, and read nothing.")
@click.option("--name", default=None, help="Name of the source; default: its file name without endings.")
@click.option("--license", "license_name", default=None, help="Licence of rows that name none.")
@click.option("--discipline", default=None, help="Discipline of rows that name none.")
@click.option("--language", default=None, help="Language of rows that name none.")
@click.option(
    "--images-root",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=None,
    help="Folder that picture paths are relative to; default: the source's own.",
)
@click.option(
    "--fetch-images",
    is_flag=True,
    help="Fetch pictures at URLs, from public addresses only; each is pinned by its hash and fetched once.",
)
@click.option(
    "--recheck-images", is_flag=True, help="Report fetched pictures that have changed where they were."
)
@workspace_option
@json_option
def ingest(
    sources: tuple[Path, ...],
    preset: str | None,
    list_presets: bool,
    name: str | None,
    license_name: str | None,
    discipline: str | None,
    language: str | None,
    images_root: Path | None,
    fetch_images: bool,
    recheck_images: bool,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Read sources into the pool: JSONL, JSON, CSV, Parquet, HTML, XLSX, ZIP or a saved `datasets` folder.

    Every row is kept or rejected with a reason (pool/rejected.parquet). The same source again is an update. With
    --preset a source is one of the known public ones, as a folder, an archive or a single file of it.
    """
    from benchwright.curation.ingest import IngestOptions
    from benchwright.schemas.errors import UsageError

    if list_presets:
        _show_presets(as_json)
        return
    if not sources:
        raise UsageError("no source is named: give one or more files, or see `curate ingest --list-presets`.")
    place = open_workspace(workspace)
    options = IngestOptions(
        name, license_name, discipline, language, images_root, preset, fetch_images, recheck_images
    )
    _show_ingest(place, _ingested(place, sources, options), as_json)


def _ingested(place: Workspace, sources: Sequence[Path], options: IngestOptions) -> list[IngestResult]:
    from benchwright.curation.ingest import ingest as ingest_sources

    with progress(0, "ingest") as bar:
        base = 0

        def on_row(source: str, done: int, total: int) -> None:
            nonlocal base
            bar.label = f"ingest {source}"
            if done == 1:
                base = bar.done
                bar.total, bar.shown = base + total, stderr_is_a_terminal()
            bar.advance()

        return ingest_sources(place, sources, options, on_row)


def _show_presets(as_json: bool) -> None:
    from benchwright.curation.presets import load_presets

    presets = load_presets()
    rows = [[one.name, one.title, one.language, one.license, one.url] for one in presets]
    table = SummaryTable("Presets", ["name", "source", "language", "licence", "where"], rows)
    output = {"presets": [one.model_dump(mode="json") for one in presets]}
    emit(output, table, as_json, "curate ingest --preset NAME PATH")


def _show_ingest(workspace: Workspace, results: Sequence[IngestResult], as_json: bool) -> None:
    rows = []
    for result in results:
        counts, changes = result.counts, result.changes
        rows.append(
            [
                result.name,
                counts.n_in,
                counts.n_kept,
                counts.n_rejected,
                changes["new"],
                changes["changed"],
                changes["gone"],
            ]
        )
        _say_result(result)
    pools = {name: _rows_in(workspace.pool(name)) for name in workspace.pool_disciplines()}
    clashes = _rows_in(workspace.pool_rejected) - _all_rejected(workspace)
    if clashes:
        say(f"{clashes} rows clash with questions of other sources: see pool/rejected.parquet")
    say("pool: " + (_listed(pools) or "empty"))
    table = SummaryTable("Ingest", ["source", "rows", "kept", "rejected", "new", "changed", "gone"], rows)
    output = {
        "sources": [
            {
                "name": r.name,
                "ran": r.ran,
                **r.counts.model_dump(),
                "changes": r.changes,
                "notes": r.notes,
                "fetched": r.fetched,
                "changed_pictures": r.changed_pictures,
            }
            for r in results
        ],
        "pool": pools,
        "clashes": clashes,
    }
    if not any(pools.values()):
        say("no row was kept: mend the mapping in [ingest.fields], or the flags, and ingest again")
    emit(output, table, as_json, "curate cluster" if any(pools.values()) else None)


def _say_result(result: IngestResult) -> None:
    if result.counts.reasons:
        say(f"{result.name}, rejected: {_listed(result.counts.reasons)}")
    if result.notes:
        say(f"{result.name}, noted: {_listed(result.notes)}")
    if result.fetched:
        say(f"{result.name}, pictures fetched and pinned: {result.fetched:,}")
    for url, now in result.changed_pictures.items():
        say(f"{result.name}: {url} is no longer what was fetched ({now}); the pinned picture stays")
    if not result.ran:
        say(f"{result.name}: nothing to do, this source was already in the pool")


def _all_rejected(workspace: Workspace) -> int:
    from benchwright.curation.ingest_pool import read_entries

    return sum(entry.counts.n_rejected for entry in read_entries(workspace))


def _rows_in(path: Path) -> int:
    import pyarrow.parquet as pq

    return int(pq.read_metadata(path).num_rows)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in counts.items())
