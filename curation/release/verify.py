"""Verification after a push: what a stranger gets, by tag, with an empty cache, in a process of its own.

Three traps are closed here: the client does not check the digest of a large file it downloads, `load_dataset` serves
an old cached copy when it finds nothing, and a branch may have moved since. So files are fetched by tag and hashed by
us, and a log line about a cached version counts as a failure.

    python -m benchwright.curation.release.verify REPO_ID TAG FOLDER CARD_SHA256

prints a `Verification` as JSON; `verify_release` runs it that way.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi, constants, get_token
from huggingface_hub.errors import HfHubHTTPError
from huggingface_hub.hf_api import RepoFile

from benchwright.curation.release.card import ALL, config_name
from benchwright.schemas.digest import sha256_bytes, sha256_file
from benchwright.schemas.errors import BenchwrightError
from benchwright.schemas.records import Record
from benchwright.schemas.release_table import MANIFEST_NAME, ReleaseManifest, read_manifest, release_schema

CARD_NAME = "README.md"
_CACHE_WORDS = ("cached version", "from the cache", "latest cached")


class Failure(Record):
    """One thing that is not as it was built."""

    what: str
    """`files`, `hash`, `config`, `features`, `rows`, `image` or `cache`."""
    detail: str


class Verification(Record):
    """Result of a verification; it holds when there is no failure."""

    files: int
    configs: int
    rows: int
    images: int
    """Pictures whose bytes were compared, counted each time."""
    failures: tuple[Failure, ...]


class VerificationError(BenchwrightError):
    """The verification could not be carried out to its end."""


def verify_release(
    repo_id: str,
    tag: str,
    folder: Path,
    card_sha256: str,
    endpoint: str | None = None,
    timeout: float = 3600.0,
) -> Verification:
    """Verify a pushed release in a fresh process with an empty cache.

    Args:
        repo_id: `ORG/NAME`.
        tag: the release's tag; nothing else is looked at.
        folder: the folder that was pushed.
        card_sha256: digest of the card that was pushed (it may hold text of other people).
        endpoint: the Hub; None takes the environment's.
        timeout: seconds after which the process is given up.

    Raises:
        VerificationError: the process did not come to an end, with its last line.
    """
    with tempfile.TemporaryDirectory(prefix="benchwright-verify-") as home:
        environment = dict(os.environ)
        for name in (
            "HF_HUB_CACHE",
            "HF_DATASETS_CACHE",
            "HF_XET_CACHE",
            "HF_HUB_OFFLINE",
            "HF_DATASETS_OFFLINE",
        ):
            environment.pop(name, None)
        environment |= {
            "HF_HOME": home,
            "HF_ENDPOINT": endpoint or constants.ENDPOINT,
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        }
        if (token := get_token()) is not None:  # the login lies in the home that is replaced
            environment["HF_TOKEN"] = token
        command = [sys.executable, "-m", __name__, repo_id, tag, str(folder), card_sha256]
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=timeout, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise VerificationError(
                f"The verification of {repo_id} took more than {timeout:.0f} s."
            ) from error
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise VerificationError(f"The verification of {repo_id} at {tag} broke off: {last}")
    return Verification.model_validate_json(done.stdout.strip().splitlines()[-1])


class CacheListener(logging.Handler):
    """Collects log lines that speak of a cached copy."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the line if it is one of those."""
        message = record.getMessage()
        if any(words in message.lower() for words in _CACHE_WORDS):
            self.lines.append(message)


def check_remote(repo_id: str, tag: str, folder: Path, card_sha256: str) -> Verification:
    """Compare everything at the tag with the folder; to be called in a fresh process with an empty cache."""
    listener = CacheListener()
    for name in ("datasets", "huggingface_hub"):
        logging.getLogger(name).addHandler(listener)
    manifest = read_manifest(folder)
    if manifest is None:
        raise VerificationError(f"{folder} has no {MANIFEST_NAME}.")
    failures = list(_file_failures(repo_id, tag, folder, manifest, card_sha256))
    counts: Counter[str] = Counter()
    if not failures:
        failures += _config_failures(repo_id, tag, manifest, counts)
    failures += [Failure(what="cache", detail=line) for line in listener.lines]
    return Verification(
        files=len(manifest.files) + 2,
        configs=counts["configs"],
        rows=counts["rows"],
        images=counts["images"],
        failures=tuple(failures),
    )


def _file_failures(
    repo_id: str, tag: str, folder: Path, manifest: ReleaseManifest, card_sha256: str
) -> Iterator[Failure]:
    api = HfApi()
    items = api.list_repo_tree(repo_id, recursive=True, revision=tag, repo_type="dataset")
    listed = {item.path: item for item in items if isinstance(item, RepoFile)}
    wanted = {file.path: file.sha256 for file in manifest.files}
    wanted |= {MANIFEST_NAME: sha256_file(folder / MANIFEST_NAME), CARD_NAME: card_sha256}
    for path in sorted(set(listed) - set(wanted)):
        if path.startswith("data/") and path.endswith(".parquet"):
            yield Failure(what="files", detail=f"{path} is on the Hub but not in the release")
    for path, sha256 in sorted(wanted.items()):
        item = listed.get(path)
        if item is None:
            yield Failure(what="files", detail=f"{path} is not on the Hub at {tag}")
            continue
        if item.lfs is not None and item.lfs.sha256 != sha256:
            yield Failure(what="hash", detail=f"{path}: the Hub names another sha256")
            continue
        try:
            local = api.hf_hub_download(repo_id, path, repo_type="dataset", revision=tag)
        except (HfHubHTTPError, OSError) as error:
            said = (str(error).strip().splitlines() or [""])[0]
            yield Failure(what="files", detail=f"{path} cannot be downloaded: {said}")
            continue
        if sha256_file(Path(local)) != sha256:
            yield Failure(what="hash", detail=f"{path}: the downloaded bytes have another sha256")


def _config_failures(
    repo_id: str, tag: str, manifest: ReleaseManifest, counts: Counter[str]
) -> Iterator[Failure]:
    from datasets import get_dataset_config_names

    expected = expected_rows(manifest)
    names = set(get_dataset_config_names(repo_id, revision=tag))
    for config, splits in sorted(expected.items()):
        if config not in names:
            yield Failure(what="config", detail=f"the card does not offer the config {config}")
            continue
        counts["configs"] += 1
        yield from _one_config(repo_id, tag, config, splits, counts)


def expected_rows(manifest: ReleaseManifest) -> dict[str, Counter[str]]:
    """Rows per split that each config must have, from the manifest's files."""
    expected: dict[str, Counter[str]] = {ALL: Counter()}
    for file in manifest.tables():
        _, language, version, name = file.path.split("/")
        split, rows = name.split("-")[0], file.rows or 0
        expected[ALL][split] += rows
        expected.setdefault(config_name(version, language), Counter())[split] += rows
    return expected


def _one_config(
    repo_id: str, tag: str, config: str, splits: Counter[str], counts: Counter[str]
) -> Iterator[Failure]:
    from datasets import Features, load_dataset
    from datasets.exceptions import DatasetsError

    try:
        loaded = load_dataset(repo_id, config, revision=tag)
    except (DatasetsError, ValueError, OSError) as error:
        yield Failure(what="config", detail=f"{config} cannot be loaded: {error}")
        return
    found = {name: split.num_rows for name, split in loaded.items()}
    if found != dict(splits):
        yield Failure(what="rows", detail=f"{config} has {found}, built were {dict(splits)}")
    features = Features.from_arrow_schema(release_schema())
    for name, split in loaded.items():
        counts["rows"] += split.num_rows
        if split.features != features:
            yield Failure(what="features", detail=f"{config}/{name} has other features than were built")
            continue
        # The Arrow table below the data set holds the bytes as they were loaded, not decoded and encoded again.
        for batch in split.data.to_batches(max_chunksize=128):
            for row in batch.select(["id", "images", "image_sha256", "options"]).to_pylist():
                counts["images"] += len(row["images"])
                if not _images_match(row):
                    yield Failure(what="image", detail=f"{config}/{name}: row {row['id']} has other pictures")


def _images_match(row: dict[str, Any]) -> bool:
    pairs = list(zip(row["images"], row["image_sha256"], strict=False))
    pairs += [
        (option["image"], option["image_sha256"]) for option in row["options"] if option["image_sha256"]
    ]
    if len(row["images"]) != len(row["image_sha256"]):
        return False
    return all(cell and cell["bytes"] and sha256_bytes(cell["bytes"]) == sha256 for cell, sha256 in pairs)


def main(arguments: Sequence[str]) -> None:
    """Verify and print the result as JSON on the last line of standard output."""
    repo_id, tag, folder, card_sha256 = arguments
    sys.stdout.write(check_remote(repo_id, tag, Path(folder), card_sha256).model_dump_json() + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
