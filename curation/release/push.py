"""Pushing a built release with the genuine client: one commit, one tag that never moves, nothing half done.

The commit names its parent, so it goes through only on the state that the card was merged with. A failed answer may
hide a commit that was made: after every failure the head is read again, and the commit is repeated only if the head
has not moved. The token comes from the environment or the client's login and is never shown.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
from huggingface_hub import errors as hub_errors
from huggingface_hub.hf_api import RepoFile

from benchwright.curation.release.build import CARD_NAME
from benchwright.curation.release.card_merge import MergedCard, merge_card
from benchwright.schemas.digest import sha256_bytes, sha256_file
from benchwright.schemas.errors import BenchwrightError, UsageError
from benchwright.schemas.release_table import MANIFEST_NAME, ReleaseManifest
from benchwright.schemas.versions import Version

TRIES = 5
"""How often a commit or tag is asked for before giving up."""

_OWN_PATH = re.compile(
    r"data/[a-z]{2,3}/("
    + "|".join(version.value for version in Version)
    + r")/[a-z]+-\d{5}-of-\d{5}\.parquet"
)
_NETWORK: tuple[type[Exception], ...] = (OSError, *hub_errors.HfHubHTTPError.__bases__)
"""The client's errors and, as their base, the HTTP library's own."""


class HubError(BenchwrightError):
    """The Hub did not do what was asked; nothing of ours is wrong, trying again later may help."""


@dataclass(frozen=True)
class PlannedFile:
    """A file that will be part of the commit."""

    path: str
    bytes: int
    rows: int | None


@dataclass(frozen=True)
class Pushed:
    """What stands on the Hub after a push."""

    repo_id: str
    tag: str
    commit: str
    card_sha256: str
    kept_keys: tuple[str, ...]
    """Keys of the card that were written by people and left as they are."""
    repeated: bool
    """True: the tag already held exactly this release, nothing was sent."""
    tries: int
    """Commits asked for."""


def plan(folder: Path, manifest: ReleaseManifest) -> tuple[PlannedFile, ...]:
    """The files of a push, sorted by path."""
    files = [PlannedFile(file.path, file.bytes, file.rows) for file in manifest.files]
    files += [PlannedFile(name, (folder / name).stat().st_size, None) for name in (CARD_NAME, MANIFEST_NAME)]
    return tuple(sorted(files, key=lambda file: file.path))


def push_release(
    folder: Path,
    manifest: ReleaseManifest,
    repo_id: str,
    api: HfApi,
    first_wait: float = 1.0,
) -> Pushed:
    """Put a built release on the Hub: repository (private when new), one commit, tag.

    Args:
        folder: the release folder, intact.
        manifest: its manifest; names the tag.
        repo_id: `ORG/NAME`.
        api: the client.
        first_wait: seconds to wait after the first failed try; doubled after each.

    Raises:
        UsageError: no token, no write right, or the tag is taken by other content.
        HubError: the Hub kept failing, or somebody else's commit came between; says the last answer.
    """
    with _explained(repo_id):
        api.create_repo(repo_id, repo_type="dataset", private=True, exist_ok=True)
        tagged = _tags(api, repo_id).get(manifest.tag)
        if tagged is not None:
            if not holds_release(api, repo_id, tagged, folder, manifest):
                raise UsageError(
                    f"{repo_id} already has a tag {manifest.tag} with other content; tags never move: choose a new one."
                )
            there = _read_card(api, repo_id, tagged) or ""
            return Pushed(
                repo_id, manifest.tag, tagged, sha256_bytes(there.encode()), (), repeated=True, tries=0
            )
        commit, card, tries = _commit(folder, manifest, repo_id, api, first_wait)
        _tag(api, repo_id, manifest.tag, commit, first_wait)
    return Pushed(
        repo_id,
        manifest.tag,
        commit,
        sha256_bytes(card.text.encode()),
        card.kept,
        repeated=False,
        tries=tries,
    )


def holds_release(api: HfApi, repo_id: str, revision: str, folder: Path, manifest: ReleaseManifest) -> bool:
    """Whether a revision holds exactly the release's data files, licences and manifest (the card may differ)."""
    present = _tree(api, repo_id, revision)
    wanted = {file.path: _oid(folder, file.path, present) for file in manifest.files}
    wanted[MANIFEST_NAME] = _oid(folder, MANIFEST_NAME, present)
    own = {path for path in present if _OWN_PATH.fullmatch(path)} | set(wanted)
    return {path: _remote_oid(present[path]) for path in own if path in present} == wanted


def set_visibility(api: HfApi, repo_id: str, public: bool) -> None:
    """Make a dataset public or private; done last, after the verification.

    Raises:
        UsageError: the token may not do that.
        HubError: the Hub did not do it.
    """
    with _explained(repo_id):
        api.update_repo_settings(repo_id, private=not public, repo_type="dataset")


def _commit(
    folder: Path, manifest: ReleaseManifest, repo_id: str, api: HfApi, first_wait: float
) -> tuple[str, MergedCard, int]:
    generated = (folder / CARD_NAME).read_bytes().decode("utf-8")
    last = ""
    for attempt in range(1, TRIES + 2):
        head = _head(api, repo_id)
        theirs = _read_card(api, repo_id, head)
        card = merge_card(theirs, generated)
        if theirs == card.text and holds_release(api, repo_id, head, folder, manifest):
            return head, card, attempt - 1  # an earlier try was carried out although its answer was a failure
        if attempt > TRIES:
            break
        try:
            info = api.create_commit(
                repo_id,
                _operations(api, repo_id, head, folder, manifest, card.text),
                commit_message=f"Release {manifest.tag}",
                repo_type="dataset",
                parent_commit=head,
            )
        except hub_errors.HfHubHTTPError as error:
            status = error.response.status_code
            # 412: somebody committed since; the card is read and merged again. 5xx, 429: the head decides above.
            if status != 412 and status != 429 and status < 500:
                raise
            last = _answer(error)
            _pause(attempt, first_wait)
        else:
            return str(info.oid), card, attempt
    raise HubError(
        f"The commit to {repo_id} did not go through in {TRIES} tries, and nothing was changed; "
        f"last answer: {last}. Run the same command again later."
    )


def _operations(
    api: HfApi, repo_id: str, head: str, folder: Path, manifest: ReleaseManifest, card: str
) -> Iterator[CommitOperationAdd | CommitOperationDelete]:
    names = {file.path for file in manifest.files} | {MANIFEST_NAME}
    for name in sorted(names):
        yield CommitOperationAdd(name, str(folder / name))
    yield CommitOperationAdd(CARD_NAME, card.encode("utf-8"))
    # Files of an earlier release would be read along with ours; everything that is not ours stays.
    for path in sorted(_tree(api, repo_id, head)):
        if _OWN_PATH.fullmatch(path) and path not in names:
            yield CommitOperationDelete(path)


def _tag(api: HfApi, repo_id: str, tag: str, commit: str, first_wait: float) -> None:
    last = ""
    for attempt in range(1, TRIES + 1):
        there = _tags(api, repo_id).get(tag)
        if there == commit:
            return
        if there is not None:
            raise UsageError(
                f"{repo_id} already has a tag {tag} on another commit; tags never move: choose a new one."
            )
        try:
            api.create_tag(repo_id, tag=tag, revision=commit, repo_type="dataset")
        except hub_errors.HfHubHTTPError as error:
            if error.response.status_code not in (409, 429) and error.response.status_code < 500:
                raise
            last = _answer(error)
            _pause(attempt, first_wait)
    if _tags(api, repo_id).get(tag) != commit:
        raise HubError(
            f"The files are on {repo_id} at {commit}, but the tag {tag} could not be set; last answer: {last}. "
            "Run the same command again: nothing is sent twice."
        )


def _pause(attempt: int, first_wait: float) -> None:
    if attempt < TRIES:
        time.sleep(first_wait * 2 ** (attempt - 1))


def _head(api: HfApi, repo_id: str) -> str:
    sha = api.dataset_info(repo_id, revision="main").sha
    if sha is None:
        raise HubError(f"The Hub names no commit for {repo_id}.")
    return sha


def _tags(api: HfApi, repo_id: str) -> dict[str, str]:
    refs = api.list_repo_refs(repo_id, repo_type="dataset")
    return {ref.name: ref.target_commit for ref in refs.tags}


def _tree(api: HfApi, repo_id: str, revision: str) -> dict[str, RepoFile]:
    items = api.list_repo_tree(repo_id, recursive=True, revision=revision, repo_type="dataset")
    return {item.path: item for item in items if isinstance(item, RepoFile)}


def _read_card(api: HfApi, repo_id: str, commit: str) -> str | None:
    if CARD_NAME not in _tree(api, repo_id, commit):
        return None
    path = api.hf_hub_download(repo_id, CARD_NAME, repo_type="dataset", revision=commit)
    return Path(path).read_bytes().decode("utf-8")


def _remote_oid(file: RepoFile) -> str:
    return file.lfs.sha256 if file.lfs is not None else file.blob_id


def _oid(folder: Path, name: str, present: dict[str, RepoFile]) -> str:
    """Name that the Hub would give to our file: sha256 where it stores it as a large file, git's blob id otherwise."""
    large = name in present and present[name].lfs is not None
    return local_oid(folder / name, large)


def local_oid(path: Path, large: bool) -> str:
    """sha256 of a large file, git's blob id of any other."""
    if large:
        return sha256_file(path)
    data = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def _answer(error: hub_errors.HfHubHTTPError) -> str:
    """Status and the server's own words; the request, which carries the token, is left out."""
    said = (error.server_message or "").strip().splitlines()
    return f"HTTP {error.response.status_code}" + (f" ({said[0]})" if said else "")


@contextmanager
def _explained(repo_id: str) -> Iterator[None]:
    """Turn the client's errors into one sentence."""
    try:
        yield
    except hub_errors.RepositoryNotFoundError as error:
        raise UsageError(
            f"The Hub shows no dataset {repo_id} to this login: log in with `hf auth login` or set HF_TOKEN."
        ) from error
    except hub_errors.HfHubHTTPError as error:
        status = error.response.status_code
        if status == 401:
            raise UsageError(
                "The Hub does not accept this login: set HF_TOKEN or run `hf auth login`."
            ) from error
        if status == 403:
            raise UsageError(
                f"The token in use has no right to write to {repo_id}; use one with write access to it."
            ) from error
        raise HubError(f"The Hub refused the push to {repo_id}: {_answer(error)}.") from error
    except _NETWORK as error:
        said = (str(error).strip().splitlines() or [""])[0]
        hidden = re.sub(r"hf_\w+", "hf_…", said)
        raise HubError(
            f"The Hub could not be reached for {repo_id}, or broke off: {type(error).__name__} ({hidden})."
        ) from error
