"""Other sets to compare with: files, saved datasets, releases, datasets of the Hub; nothing in them is inferred."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchwright.curation.fields import FieldMap
from benchwright.curation.options import split_options
from benchwright.curation.sources import (
    DATA_FORMATS,
    BadRow,
    SourceRow,
    read_rows,
    source_digest,
    source_format,
)
from benchwright.schemas.digest import digest_of, sha256_file
from benchwright.schemas.errors import UsageError

HUB = "hf:"
_QUESTION = ("full_question", "question", "problem", "stem", "prompt", "query", "text")
"""Fields that may hold a question's text, tried in this order (a vision-only row of a release has it in the first)."""

_NOTES = ("dataset_info.json", "dataset_infos.json", "manifest.json", "config.json", "croissant.json")
"""What lies beside the rows of datasets and is no table."""


@dataclass(frozen=True)
class OtherSet:
    """A set and what it is told by."""

    name: str
    """File or folder name without endings, or `hf:ORG/NAME`: no machine's paths."""
    digest: str
    """Of its bytes, or its revision on the Hub."""
    files: tuple[Path, ...]


def open_set(named: str, *, offline: bool = False) -> OtherSet:
    """Find a set, fetching it where it lies on the Hub.

    Args:
        named: a path, or `hf:ORG/NAME`.
        offline: take of the Hub only what was fetched before.

    Raises:
        UsageError: it cannot be found or read.
    """
    if named.startswith(HUB):
        return _from_hub(named, offline)
    path = Path(named)
    if path.is_dir() and (files := tuple(sorted(path.glob("data/**/*.parquet")))):
        return OtherSet(path.resolve().name, digest_of([sha256_file(file) for file in files]), files)
    source_format(path)
    return OtherSet(path.name.split(".")[0], source_digest(path), (path,))


def set_texts(other: OtherSet) -> Iterator[tuple[str, str]]:
    """(id, text) of each row that has a text, the set's ids where it has any, else `FILE:LINE`.

    Raises:
        UsageError: not one row has a text.
    """
    fields = FieldMap({}, {})
    found = 0
    for file in other.files:
        for row in read_rows(file):
            if isinstance(row, BadRow) or (text := _text(row)) is None:
                continue
            found += 1
            name = fields.get(row.values, "id")
            yield (str(name) if name is not None else f"{file.name}:{row.line}"), text
    if not found:
        raise UsageError(
            f"{other.name} holds no question: none of its rows has a text under {', '.join(_QUESTION)}."
        )


def _text(row: SourceRow) -> str | None:
    for field in _QUESTION:
        value = row.values.get(field)
        if isinstance(value, str) and value.strip():
            return _without_options(value, row.values.get("options"))
    return None


def _without_options(text: str, options: object) -> str:
    """The stem: a pool's question holds no options, whose numbers would make the same question another one."""
    if isinstance(options, list) and all(isinstance(option, dict) for option in options):
        # As a release writes them; an option that is a picture has its label alone.
        texts = [(option.get("label"), option.get("text")) for option in options]
        lines = [f"{label}." if text is None else f"{label}. {text}" for label, text in texts]
        stem = text.removesuffix("\n".join(lines))
        if lines and stem != text and stem.strip():
            return stem
    split = split_options(text)
    return split[0] if split else text


def _tables(folder: Path) -> tuple[Path, ...]:
    """A dataset's files that hold rows: Parquet below `data/` where there is any, else all that are no notes."""
    if tables := tuple(sorted(folder.glob("data/**/*.parquet"))):
        return tables
    return tuple(sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in _NOTES))


def _from_hub(named: str, offline: bool) -> OtherSet:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    repo_id = named.removeprefix(HUB)
    patterns = [f"**/*{ending}{gz}" for ending in DATA_FORMATS for gz in ("", ".gz")]
    patterns += [pattern.removeprefix("**/") for pattern in patterns]
    try:
        folder = Path(
            snapshot_download(repo_id, repo_type="dataset", allow_patterns=patterns, local_files_only=offline)
        )
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError) as error:
        raise UsageError(
            f"{named} cannot be fetched ({str(error).splitlines()[0]}): check the name and the network, or give a path."
        ) from error
    files = _tables(folder)
    if not files:
        raise UsageError(f"{named} has no file with one of the endings {', '.join(DATA_FORMATS)}.")
    return OtherSet(named, folder.name, files)
