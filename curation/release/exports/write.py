"""Writing a release's exports into a folder, in one pass over its rows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchwright.curation.release.exports.inspect_task import inspect_texts
from benchwright.curation.release.exports.lmms_eval import lmms_texts
from benchwright.curation.release.exports.source import ExportSource, Group, rendered
from benchwright.curation.release.exports.vlmevalkit import write_vlmevalkit
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.errors import UsageError
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import Rejected, ReleaseRow

VLMEVALKIT: Final = "vlmevalkit"
TEXTS: dict[str, Callable[[ExportSource], dict[str, str]]] = {
    "inspect_ai": inspect_texts,
    "lmms_eval": lmms_texts,
}
"""Exports that name the published tables instead of holding them: a few kilobytes each."""
HARNESSES: Final = (*TEXTS, VLMEVALKIT)


@dataclass(frozen=True)
class Exported:
    """What was written."""

    files: tuple[str, ...]
    """Paths below the folder, sorted."""
    groups: dict[Group, int]
    """Rows of each version, language and split that can be scored."""
    withheld: dict[Group, int]
    """Rows without a published answer; their groups are in no task."""
    rejected: tuple[Rejected, ...]
    """Rows that the VLMEvalKit table leaves out."""


def export_release(
    source: ExportSource,
    rows: Iterable[tuple[ReleaseRow, Mapping[str, bytes]]],
    folder: Path,
    harnesses: Collection[str] = HARNESSES,
) -> Exported:
    """Write the exports of a release; the same release gives the same bytes.

    Args:
        source: the release's names and words.
        rows: all its rows with their pictures, e.g. `read_release(...)`.
        folder: where to; files of an earlier export are replaced.
        harnesses: which, of `HARNESSES`.

    Raises:
        UsageError: no row can be scored, or VLMEvalKit would take the name for another benchmark's.
        TamperedError: a picture is not what its digest says.
    """
    if VLMEVALKIT in harnesses:
        source.refuse_known_name()
    scored = source.scored(rows)
    rejected: tuple[Rejected, ...] = ()
    count = 0
    table = folder / VLMEVALKIT / f"{source.slug}.tsv"
    if VLMEVALKIT in harnesses:
        table.parent.mkdir(parents=True, exist_ok=True)
        count, rejected = write_vlmevalkit(table, source, scored)
    else:
        for _ in scored:
            continue
    if not source.groups:
        table.unlink(missing_ok=True)
        raise UsageError(
            f"{source.name} {source.tag} has no version, language and split whose answers are all published; "
            "use `evaluate generate` and send the answers to whoever holds the key."
        )
    texts = _texts(source, harnesses)
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_atomic(folder / name, text.encode("utf-8"))
    files = [*texts]
    if VLMEVALKIT in harnesses:
        files += _beside_the_table(table, source, count, rejected)
    scorable = {group: source.counts[group] for group in source.groups}
    return Exported(tuple(sorted(files)), scorable, dict(source.withheld), rejected)


def text_exports(source: ExportSource, rows: Iterable[ReleaseRow]) -> dict[str, str]:
    """The small exports of rows that are not written yet, by file name: what a build can put beside its data.

    Args:
        source: the release's names and words.
        rows: all its rows.

    Returns:
        Nothing where no version, language and split has all its answers published.
    """
    for _ in source.scored((row, {}) for row in rows):
        continue
    return _texts(source, HARNESSES)


def _texts(source: ExportSource, harnesses: Collection[str]) -> dict[str, str]:
    chosen = [texts for harness, texts in TEXTS.items() if harness in harnesses]
    return {name: text for texts in chosen for name, text in texts(source).items()}


def _beside_the_table(
    table: Path, source: ExportSource, rows: int, rejected: tuple[Rejected, ...]
) -> list[str]:
    with table.open("rb") as stream:
        md5 = hashlib.file_digest(stream, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    values = source.values() | {"file": table.name, "md5": md5, "rows": rows}
    readme = table.with_name("README.md")
    write_atomic(readme, rendered("vlmevalkit.md.j2", values).encode("utf-8"))
    left_out = table.with_name("left-out.jsonl")
    write_jsonl(left_out, list(rejected))
    return [f"{VLMEVALKIT}/{path.name}" for path in (table, readme, left_out)]
