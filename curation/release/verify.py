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
import re
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi, constants, get_token
from huggingface_hub.errors import HfHubHTTPError, RepositoryNotFoundError, RevisionNotFoundError
from huggingface_hub.hf_api import RepoFile

from benchwright.curation.release.card import ALL, config_name
from benchwright.curation.release.remote import explained
from benchwright.curation.release.verify_home import empty_home
from benchwright.schemas.digest import sha256_bytes, sha256_file
from benchwright.schemas.errors import BenchwrightError
from benchwright.schemas.records import Record
from benchwright.schemas.release_table import MANIFEST_NAME, ReleaseManifest, read_manifest, release_schema

CARD_NAME = "README.md"
WITH_PARENT = "with-parent"
"""Last argument of the process: it ends as soon as nobody holds the other end of its standard input."""
_CACHE_WORDS = ("cached version", "from the cache", "latest cached")
_CACHE_NAMES = ("HF_HUB_CACHE", "HF_DATASETS_CACHE", "HF_XET_CACHE", "HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE")
_GONE = 4
"""Status of a process that found no such dataset or tag."""
_STEP = re.compile(r"step (\d+) of (\d+)")


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


class GoneError(VerificationError):
    """There is no such dataset or tag any more."""


def verify_release(
    repo_id: str,
    tag: str,
    folder: Path,
    card_sha256: str,
    endpoint: str | None = None,
    timeout: float = 3600.0,
    report: Callable[[int, int], None] | None = None,
) -> Verification:
    """Verify a pushed release in a fresh process with an empty cache.

    The process ends with this one, however this one ends; its cache is removed then or at the next verification.

    Args:
        repo_id: `ORG/NAME`.
        tag: the release's tag; nothing else is looked at.
        folder: the folder that was pushed.
        card_sha256: digest of the card that was pushed (it may hold text of other people).
        endpoint: the Hub; None takes the environment's.
        timeout: seconds after which the process is given up.
        report: is told how many files and configs were compared, and of how many.

    Raises:
        GoneError: the dataset or its tag is not there any more.
        VerificationError: the process did not come to an end, with its last line.
    """
    command = [sys.executable, "-m", __name__, repo_id, tag, str(folder), card_sha256, WITH_PARENT]
    with empty_home() as home:
        status, said = _run(
            command, _environment(home, endpoint), timeout, report or (lambda done, total: None)
        )
    if status is None:
        raise VerificationError(f"The verification of {repo_id} took more than {timeout:.0f} s.")
    if status == _GONE:
        raise GoneError(
            f"{repo_id} at {tag} is not there any more: somebody deleted or hid it after the push."
        )
    if status != 0:
        raise VerificationError(f"The verification of {repo_id} at {tag} broke off: {said}")
    return Verification.model_validate_json(said)


def _run(
    command: Sequence[str], environment: dict[str, str], timeout: float, report: Callable[[int, int], None]
) -> tuple[int | None, str]:
    """Status of the process (None: it took too long), and its last line; where it failed, that of its errors."""
    said, late = "no output", threading.Event()
    pipe = subprocess.PIPE
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as errors,
        subprocess.Popen(
            command, env=environment, stdin=pipe, stdout=pipe, stderr=errors, encoding="utf-8"
        ) as process,
    ):

        def give_up() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(timeout, give_up)
        timer.start()
        try:
            for line in process.stdout or ():
                if (step := _STEP.fullmatch(line.strip())) is None:
                    said = line.strip() or said
                else:
                    report(int(step[1]), int(step[2]))
            status = process.wait()
        finally:
            timer.cancel()
            process.kill()
        if status != 0:
            errors.seek(0)
            said = (errors.read().strip().splitlines() or [said])[-1]
    return None if late.is_set() else status, said


def _environment(home: Path, endpoint: str | None) -> dict[str, str]:
    """Of a client that has never been used here."""
    environment = {name: value for name, value in os.environ.items() if name not in _CACHE_NAMES}
    environment |= {
        "HF_HOME": str(home),
        "HF_ENDPOINT": endpoint or constants.ENDPOINT,
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }
    if (token := get_token()) is not None:  # the login lies in the home that is replaced
        environment["HF_TOKEN"] = token
    return environment


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


def check_remote(
    repo_id: str, tag: str, folder: Path, card_sha256: str, step: Callable[[], None] | None = None
) -> Verification:
    """Compare everything at the tag with the folder; to be called in a fresh process with an empty cache.

    Args:
        repo_id: `ORG/NAME`.
        tag: the release's tag.
        folder: the folder that was pushed.
        card_sha256: digest of the card that was pushed.
        step: called for each file and each config that was compared.
    """
    listener = CacheListener()
    for name in ("datasets", "huggingface_hub"):
        logging.getLogger(name).addHandler(listener)
    manifest = read_manifest(folder)
    if manifest is None:
        raise VerificationError(f"{folder} has no {MANIFEST_NAME}.")
    step = step or (lambda: None)
    failures = list(_file_failures(repo_id, tag, folder, manifest, card_sha256, step))
    counts: Counter[str] = Counter()
    if not failures:
        failures += _config_failures(repo_id, tag, manifest, counts, step)
    failures += [Failure(what="cache", detail=line) for line in listener.lines]
    return Verification(
        files=len(manifest.files) + 2,
        configs=counts["configs"],
        rows=counts["rows"],
        images=counts["images"],
        failures=tuple(failures),
    )


def _file_failures(
    repo_id: str,
    tag: str,
    folder: Path,
    manifest: ReleaseManifest,
    card_sha256: str,
    step: Callable[[], None],
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
        step()
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
    repo_id: str, tag: str, manifest: ReleaseManifest, counts: Counter[str], step: Callable[[], None]
) -> Iterator[Failure]:
    from datasets import get_dataset_config_names

    expected = expected_rows(manifest)
    names = set(get_dataset_config_names(repo_id, revision=tag))
    for config, splits in sorted(expected.items()):
        step()
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
    """Verify and print the result as JSON on the last line of standard output, before it a line a step."""
    repo_id, tag, folder, card_sha256, *more = arguments
    if WITH_PARENT in more:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    manifest = read_manifest(Path(folder))
    total = 0 if manifest is None else len(manifest.files) + 2 + len(expected_rows(manifest))
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        sys.stdout.write(f"step {done} of {total}\n")
        sys.stdout.flush()

    try:
        with explained(repo_id):
            try:
                found = check_remote(repo_id, tag, Path(folder), card_sha256, step)
            except (RepositoryNotFoundError, RevisionNotFoundError):
                sys.exit(_GONE)
    except BenchwrightError as error:
        # One sentence for the other process; anything else is a bug and keeps its trace.
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    sys.stdout.write(found.model_dump_json() + "\n")


def _end_with_parent() -> None:
    """Wait until the other end of standard input is closed, which a killed parent does too."""
    while os.read(0, 1):
        pass
    os._exit(3)


if __name__ == "__main__":
    main(sys.argv[1:])
