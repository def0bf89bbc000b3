"""`curate export`: a release in the form of other harnesses. It needs no workspace, only the release."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.common import SummaryTable, emit, json_option

if TYPE_CHECKING:
    from benchwright.curation.release.exports.source import ExportSource, Instruct
    from benchwright.schemas.release_table import ResolvedRelease

_HARNESSES = ("inspect_ai", "lmms_eval", "vlmevalkit")


@click.command("export", short_help="Write a release for another harness.")
@click.argument("dataset")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder to write into."
)
@click.option(
    "--to",
    "harnesses",
    type=click.Choice(_HARNESSES),
    multiple=True,
    help="Which harness, may be repeated; default: all.",
)
@click.option(
    "--repo-id",
    default=None,
    help="What the harness shall load, ORG/NAME; default: DATASET. Needed where DATASET is a folder.",
)
@click.option("--name", default=None, help="Name of the tasks; default: the release's.")
@click.option(
    "--protocol",
    type=click.Choice(["visscience", "sciverse"]),
    default=None,
    help="Whose words stand in front of a question; default: as `evaluate` chooses by the versions.",
)
@json_option
def export(
    dataset: str,
    out: Path,
    harnesses: tuple[str, ...],
    repo_id: str | None,
    name: str | None,
    protocol: str | None,
    as_json: bool,
) -> None:
    """Write DATASET (a release folder, ORG/NAME or ORG/NAME@TAG) for inspect_ai, lmms-eval and VLMEvalKit.

    Every export asks as `evaluate` does in its direct mode: instruction, question, pictures; never the options of a
    version that shows them in its picture alone. The first two read the published dataset at its tag; VLMEvalKit's
    table holds all pictures itself.
    """
    from benchwright.curation.release.exports.write import export_release
    from benchwright.schemas.release_table import read_release, resolve_release

    target, revision = _split(dataset)
    release = resolve_release(target, revision)
    source = _source(release, revision, repo_id, name, protocol)
    done = export_release(source, read_release(release), out, harnesses or _HARNESSES)
    rows = [(group.version, group.language, group.split, count) for group, count in done.groups.items()]
    left_out = sum(done.withheld.values())
    title = f"Exported {len(done.files)} files to {out}"
    if left_out:
        title += f"; {left_out} rows without a published answer are in no task"
    if done.rejected:
        title += f"; {len(done.rejected)} rows are not in the VLMEvalKit table"
    result = {
        "folder": str(out),
        "files": done.files,
        "groups": [dict(zip(("version", "language", "split", "rows"), row, strict=True)) for row in rows],
        "withheld": left_out,
        "rejected": [item.model_dump(mode="json") for item in done.rejected],
    }
    table = SummaryTable(title, ("version", "language", "split", "rows"), rows)
    emit(result, table, as_json, f"evaluate {dataset} --model baseline/random")


def _split(dataset: str) -> tuple[str, str | None]:
    from benchwright.eval.runs.dataset import split_name

    return split_name(dataset)


def _source(
    release: ResolvedRelease,
    revision: str | None,
    repo_id: str | None,
    name: str | None,
    protocol: str | None,
) -> ExportSource:
    """The release's names, and the words that `evaluate` puts in front of a question.

    Raises:
        UsageError: a folder, and nothing says what the harness is to load.
    """
    from benchwright.curation.release.exports.source import ExportSource
    from benchwright.schemas.errors import UsageError

    loaded = repo_id or (release.name if release.revision is not None else None)
    if loaded is None:
        raise UsageError(
            f"{release.name} is a folder, which a harness elsewhere does not see: say what it shall load with "
            "--repo-id ORG/NAME."
        )
    folders = [path.parent for path in release.folder.glob("data/*/*/*.parquet")]
    instruct = words_of(
        {folder.name for folder in folders}, {folder.parent.name for folder in folders}, protocol
    )
    manifest = release.manifest
    tag = manifest.tag if manifest is not None else revision or release.revision or "unversioned"
    known = name or (manifest.name if manifest is not None else loaded.rpartition("/")[2])
    return ExportSource(
        name=known,
        tag=tag,
        dataset=loaded,
        revision=None if Path(loaded).is_dir() else tag,
        instruct=instruct,
        title=known,
    )


def words_of(versions: Collection[str], languages: Collection[str], protocol: str | None = None) -> Instruct:
    """The words that `evaluate` puts in front of a question in its direct mode.

    Args:
        versions: of the release; they choose the protocol where none is named.
        languages: of the release.
        protocol: "visscience" or "sciverse".

    Raises:
        UsageError: there are no words for one of the languages.
    """
    from benchwright.eval.runs.instructions import default_protocol, instructions

    whose = protocol or default_protocol(versions)
    words = instructions("sciverse" if whose == "sciverse" else "visscience", "direct", sorted(languages))
    return lambda row: words.text_for(row, with_question=False)
