"""What a dataset repository on the Hub holds, and the client's errors as one sentence."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from huggingface_hub import HfApi
from huggingface_hub import errors as hub_errors
from huggingface_hub.hf_api import RepoFile

from benchwright.schemas.digest import sha256_file
from benchwright.schemas.errors import BenchwrightError, UsageError
from benchwright.schemas.release_table import MANIFEST_NAME, ReleaseManifest

_NETWORK: tuple[type[Exception], ...] = (OSError, *hub_errors.HfHubHTTPError.__bases__)
"""The client's errors and, as their base, the HTTP library's own."""
_STATUS = re.compile(r"HTTP status client error \((401|403) ")


class HubError(BenchwrightError):
    """The Hub did not do what was asked; nothing of ours is wrong, trying again later may help."""


def head_of(api: HfApi, repo_id: str, branch: str) -> str:
    """Commit that a branch points at."""
    sha = api.dataset_info(repo_id, revision=branch).sha
    if sha is None:
        raise HubError(f"The Hub names no commit for {branch} of {repo_id}.")
    return sha


def tags_of(api: HfApi, repo_id: str) -> dict[str, str]:
    """Every tag with its commit."""
    refs = api.list_repo_refs(repo_id, repo_type="dataset")
    return {ref.name: ref.target_commit for ref in refs.tags}


def tree(api: HfApi, repo_id: str, revision: str) -> dict[str, RepoFile]:
    """Every file of a revision by its path."""
    items = api.list_repo_tree(repo_id, recursive=True, revision=revision, repo_type="dataset")
    return {item.path: item for item in items if isinstance(item, RepoFile)}


def read_text(api: HfApi, repo_id: str, commit: str, name: str) -> str | None:
    """A text file of a commit; None when it has none of that name."""
    if name not in tree(api, repo_id, commit):
        return None
    path = api.hf_hub_download(repo_id, name, repo_type="dataset", revision=commit)
    return Path(path).read_bytes().decode("utf-8")


def manifest_at(api: HfApi, repo_id: str, commit: str) -> ReleaseManifest | None:
    """The manifest of the release at a commit; None when there is none that this version can read."""
    text = read_text(api, repo_id, commit, MANIFEST_NAME)
    try:
        return None if text is None else ReleaseManifest.model_validate_json(text)
    except ValueError:
        return None


def remote_oid(file: RepoFile) -> str:
    """Name of a file's bytes: sha256 of a large file, git's blob id of any other."""
    return file.lfs.sha256 if file.lfs is not None else file.blob_id


def local_oid(path: Path, large: bool) -> str:
    """sha256 of a large file, git's blob id of any other."""
    if large:
        return sha256_file(path)
    data = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def answer(error: hub_errors.HfHubHTTPError) -> str:
    """Status and the server's own words; the request, which carries the token, is left out."""
    said = (error.server_message or "").strip().splitlines()
    return f"HTTP {error.response.status_code}" + (f" ({said[0]})" if said else "")


@contextmanager
def explained(repo_id: str) -> Iterator[None]:
    """Turn the client's errors into one sentence.

    Raises:
        UsageError: no login, or one without the right.
        HubError: anything else.
    """
    try:
        yield
    except hub_errors.RepositoryNotFoundError as error:
        raise UsageError(
            f"The Hub shows no dataset {repo_id} to this login: log in with `hf auth login` or set HF_TOKEN."
        ) from error
    except hub_errors.HfHubHTTPError as error:
        status = error.response.status_code
        if status in (401, 403):
            raise UsageError(_refusal(status, repo_id)) from error
        raise HubError(f"The Hub refused the push to {repo_id}: {answer(error)}.") from error
    except _NETWORK as error:
        said = (str(error).strip().splitlines() or [""])[0]
        if refused := _STATUS.search(
            said
        ):  # large files go through a library that has no error of its own for it
            raise UsageError(_refusal(int(refused[1]), repo_id)) from error
        hidden = re.sub(r"hf_\w+", "hf_…", said)
        raise HubError(
            f"The Hub could not be reached for {repo_id}, or broke off: {type(error).__name__} ({hidden})."
        ) from error


def _refusal(status: int, repo_id: str) -> str:
    if status == 401:
        return "The Hub does not accept this login: set HF_TOKEN or run `hf auth login`."
    return f"The token in use has no right to write to {repo_id}; use one with write access to it."
