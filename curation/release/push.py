"""Pushing a built release with the genuine client: nothing half done, and a tag never moves.

The first release goes into a private repository: one commit on main, a tag. Every later one, and every one into a
repository that somebody may be reading already, is one commit on a branch of its own and a tag; only when it has been
verified by that tag are the same files put on main in one commit, by reference, so nothing is sent twice.

Each commit names its parent, so it goes through only on the state that the card was merged with. A failed answer may
hide a commit that was made: after every failure the head is read again, and the commit is repeated only if the head
has not moved. The token comes from the environment or the client's login and is never shown.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import CommitOperationAdd, CommitOperationCopy, CommitOperationDelete, HfApi
from huggingface_hub import errors as hub_errors
from huggingface_hub.hf_api import RepoFile

from benchwright.curation.release.card_merge import MergedCard, merge_card
from benchwright.curation.release.remote import (
    HubError,
    answer,
    explained,
    head_of,
    local_oid,
    manifest_at,
    read_text,
    remote_oid,
    tags_of,
    tree,
)
from benchwright.curation.release.texts import CARD_NAME
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import UsageError
from benchwright.schemas.release_table import MANIFEST_NAME, ReleaseManifest
from benchwright.schemas.versions import Version

MAIN = "main"

TRIES = 5
"""How often a commit or tag is asked for before giving up."""

_OWN_PATH = re.compile(
    r"data/[a-z]{2,3}/("
    + "|".join(version.value for version in Version)
    + r")/[a-z]+-\d{5}-of-\d{5}\.parquet"
)


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
    on_main: bool
    """Whether main holds exactly this release; if not, `publish_on_main` is the last step."""


@dataclass(frozen=True)
class _Order:
    """What is pushed, and where."""

    folder: Path
    manifest: ReleaseManifest
    repo_id: str
    api: HfApi
    first_wait: float

    @property
    def message(self) -> str:
        """Title of the commit."""
        return f"Release {self.manifest.tag}"

    @property
    def names(self) -> frozenset[str]:
        """Every file of the release but the card."""
        return frozenset({file.path for file in self.manifest.files} | {MANIFEST_NAME})

    def held_by(self, revision: str) -> bool:
        """Whether a revision holds exactly this release."""
        return holds_release(self.api, self.repo_id, revision, self.folder, self.manifest)


@dataclass(frozen=True)
class _Committed:
    """A commit that holds the release."""

    commit: str
    card: MergedCard
    tries: int


def plan(folder: Path, manifest: ReleaseManifest) -> tuple[PlannedFile, ...]:
    """The files of a push, sorted by path."""
    files = [PlannedFile(file.path, file.bytes, file.rows) for file in manifest.files]
    files += [PlannedFile(name, (folder / name).stat().st_size, None) for name in (CARD_NAME, MANIFEST_NAME)]
    return tuple(sorted(files, key=lambda file: file.path))


def steps_of(tag: str) -> tuple[str, ...]:
    """What a push does, in order, for a person to read before it is done."""
    return (
        f"one commit: on main of a new private dataset, or on the branch {branch_of(tag)} where people may be reading",
        f"the tag {tag} on that commit; it never moves",
        "all files, rows and pictures loaded back by the tag and compared, in a fresh process with an empty cache",
        "the same files on main in one commit, where they are not yet; then the visibility that was asked for",
    )


def branch_of(tag: str) -> str:
    """Branch on which a later release is prepared."""
    return f"release-{tag}"


def push_release(
    folder: Path,
    manifest: ReleaseManifest,
    repo_id: str,
    api: HfApi,
    first_wait: float = 1.0,
) -> Pushed:
    """Put a built release on the Hub: repository (private when new), one commit, tag.

    The commit goes to main where nobody can be reading yet, else to the branch `branch_of(tag)`: then main stays as
    it is until `publish_on_main` is called.

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
    order = _Order(folder, manifest, repo_id, api, first_wait)
    tag = manifest.tag
    with explained(repo_id):
        api.create_repo(repo_id, repo_type="dataset", private=True, exist_ok=True)
        tags = tags_of(api, repo_id)
        made: _Committed | None = None
        if (commit := tags.get(tag)) is None:
            branch = MAIN if _nobody_reads(order, tags) else branch_of(tag)
            if branch != MAIN:
                _set_branch(order, branch)
            made = _commit(order, branch)
            commit = _set_tag(order, made.commit)
        elif not order.held_by(commit):
            raise UsageError(
                f"{repo_id} already has a tag {tag} with other content; tags never move: choose a new one."
            )
        card = read_text(api, repo_id, commit, CARD_NAME) or ""
        return Pushed(
            repo_id=repo_id,
            tag=tag,
            commit=commit,
            card_sha256=sha256_bytes(card.encode()),
            kept_keys=() if made is None else made.card.kept,
            repeated=made is None,
            tries=0 if made is None else made.tries,
            on_main=order.held_by(head_of(api, repo_id, MAIN)),
        )


def publish_on_main(
    folder: Path,
    manifest: ReleaseManifest,
    repo_id: str,
    api: HfApi,
    commit: str,
    first_wait: float = 1.0,
) -> str | None:
    """Put a verified release on main in one commit; its large files are named, not sent again.

    The card is merged with the one that main has now. Main is left alone when it has moved on: when it holds a
    release of a higher version, or another one after it held this one.

    Args:
        folder: the release folder, intact.
        manifest: its manifest.
        repo_id: `ORG/NAME`.
        api: the client.
        commit: what the release's tag points at.
        first_wait: seconds to wait after the first failed try; doubled after each.

    Returns:
        The commit on main, or None when main has moved on.

    Raises:
        UsageError: no write right (any more).
        HubError: the Hub kept failing; main is as it was.
    """
    order = _Order(folder, manifest, repo_id, api, first_wait)
    with explained(repo_id):
        head = head_of(api, repo_id, MAIN)
        if not order.held_by(head) and _moved_on(order, head):
            return None
        made = _commit(order, MAIN, source=commit)
        if not order.held_by(made.commit):
            raise HubError(
                f"Main of {repo_id} is not what the tag {manifest.tag} holds; run the command again."
            )
        return made.commit


def send_again(folder: Path, manifest: ReleaseManifest, repo_id: str, api: HfApi) -> None:
    """Offer all files once more: the Hub takes those whose bytes it has lost; no commit is made.

    Raises:
        UsageError: no write right (any more).
        HubError: the Hub did not take them.
    """
    with explained(repo_id):
        files = [CommitOperationAdd(file.path, str(folder / file.path)) for file in manifest.files]
        api.preupload_lfs_files(repo_id, files, repo_type="dataset", revision=manifest.tag)


def _oid(folder: Path, name: str, present: dict[str, RepoFile]) -> str:
    """Name that the Hub would give to our file: sha256 where it stores it as a large file, git's blob id otherwise."""
    large = name in present and present[name].lfs is not None
    return local_oid(folder / name, large)


def holds_release(api: HfApi, repo_id: str, revision: str, folder: Path, manifest: ReleaseManifest) -> bool:
    """Whether a revision holds exactly the release's data files, licences and manifest (the card may differ)."""
    present = tree(api, repo_id, revision)
    wanted = {file.path: _oid(folder, file.path, present) for file in manifest.files}
    wanted[MANIFEST_NAME] = _oid(folder, MANIFEST_NAME, present)
    own = {path for path in present if _OWN_PATH.fullmatch(path)} | set(wanted)
    return {path: remote_oid(present[path]) for path in own if path in present} == wanted


def set_visibility(api: HfApi, repo_id: str, public: bool) -> None:
    """Make a dataset public or private; done last, after the verification.

    Raises:
        UsageError: the token may not do that.
        HubError: the Hub did not do it.
    """
    with explained(repo_id):
        api.update_repo_settings(repo_id, private=not public, repo_type="dataset")


def _nobody_reads(order: _Order, tags: dict[str, str]) -> bool:
    """Whether main can be written at once: private, no release yet, nothing there but a killed try of this one."""
    info = order.api.dataset_info(order.repo_id, revision=MAIN)
    if not info.private or tags or info.sha is None:
        return False
    return set(tree(order.api, order.repo_id, info.sha)) <= {".gitattributes"} or order.held_by(info.sha)


def _moved_on(order: _Order, head: str) -> bool:
    """Whether main holds a release that came after this one."""
    there = manifest_at(order.api, order.repo_id, head)
    if there is None or there.tag == order.manifest.tag:
        return False
    if _newer(there.tag, order.manifest.tag):
        return True
    history = order.api.list_repo_commits(order.repo_id, revision=head, repo_type="dataset")
    return any(item.title == order.message and order.held_by(item.commit_id) for item in history)


def _newer(one: str, other: str) -> bool:
    """Whether the first of two tags is the higher version; False where one of them is no version number."""
    found = [re.fullmatch(r"v?(\d+)\.(\d+)\.(\d+)", tag) for tag in (one, other)]
    numbers = [tuple(int(part) for part in match.groups()) for match in found if match is not None]
    return len(numbers) == 2 and numbers[0] > numbers[1]


def _commit(order: _Order, branch: str, source: str | None = None) -> _Committed:
    """One commit on a branch, unless its head holds the release already; `source`: commit whose files are named."""
    api, repo_id = order.api, order.repo_id
    generated = (order.folder / CARD_NAME).read_bytes().decode("utf-8")
    last, failed_on = "", None
    for attempt in range(1, TRIES + 2):
        head = head_of(api, repo_id, branch)
        theirs = read_text(api, repo_id, head_of(api, repo_id, MAIN), CARD_NAME)
        card = merge_card(theirs, generated)
        if read_text(api, repo_id, head, CARD_NAME) == card.text and order.held_by(head):
            return _Committed(head, card, attempt - 1)  # an earlier try was carried out, whatever its answer
        if attempt > TRIES:
            break
        if failed_on not in (None, head):
            raise HubError(
                f"Somebody else wrote to {repo_id} while the Hub failed ({last}); run the command again."
            )
        try:
            info = api.create_commit(
                repo_id,
                _operations(order, head, card.text, source),
                commit_message=order.message,
                repo_type="dataset",
                revision=branch,
                parent_commit=head,
            )
        except hub_errors.HfHubHTTPError as error:
            status = error.response.status_code
            # 412: somebody committed since; the card is read and merged again. 5xx, 429: the head decides above.
            if status != 412 and not _passing(status):
                raise
            last, failed_on = answer(error), None if status == 412 else head
            _pause(attempt, order.first_wait)
        else:
            return _Committed(str(info.oid), card, attempt)
    raise HubError(
        f"The commit to {branch} of {repo_id} did not go through in {TRIES} tries, and nothing was changed on it; "
        f"last answer: {last}. Run the same command again later."
    )


def _operations(
    order: _Order, head: str, card: str, source: str | None
) -> Iterator[CommitOperationAdd | CommitOperationCopy | CommitOperationDelete]:
    present = tree(order.api, order.repo_id, head)
    known = {} if source is None else tree(order.api, order.repo_id, source)
    for name in sorted(order.names):
        if name not in known or known[name].lfs is None:
            yield CommitOperationAdd(name, str(order.folder / name))
        elif name not in present or remote_oid(present[name]) != remote_oid(known[name]):
            yield CommitOperationCopy(name, name, src_revision=source)
    yield CommitOperationAdd(CARD_NAME, card.encode("utf-8"))
    # Files of an earlier release would be read along with ours; everything that is not ours stays.
    earlier = manifest_at(order.api, order.repo_id, head)
    listed = set() if earlier is None else {file.path for file in earlier.files}
    for path in sorted(present):
        if (path in listed or _OWN_PATH.fullmatch(path)) and path not in order.names:
            yield CommitOperationDelete(path)


def _set_branch(order: _Order, branch: str) -> None:
    api, repo_id = order.api, order.repo_id

    def read() -> str | None:
        refs = api.list_repo_refs(repo_id, repo_type="dataset")
        return {ref.name: ref.target_commit for ref in refs.branches}.get(branch)

    def make() -> None:
        api.create_branch(repo_id, branch=branch, revision=head_of(api, repo_id, MAIN), repo_type="dataset")

    there, last = _set_ref(read, make, order.first_wait)
    if there is None:
        raise HubError(
            f"The branch {branch} of {repo_id} could not be made, and nothing was changed; last answer: {last}. "
            "Run the same command again later."
        )


def _set_tag(order: _Order, commit: str) -> str:
    """Set the tag; returns the commit that it is on: another one if it holds the same release."""
    api, repo_id, tag = order.api, order.repo_id, order.manifest.tag
    there, last = _set_ref(
        lambda: tags_of(api, repo_id).get(tag),
        lambda: api.create_tag(repo_id, tag=tag, revision=commit, repo_type="dataset"),
        order.first_wait,
    )
    if there is None:
        raise HubError(
            f"The files are on {repo_id} at {commit}, but the tag {tag} could not be set; last answer: {last}. "
            "Run the same command again: nothing is sent twice."
        )
    if there != commit and not order.held_by(there):
        raise UsageError(
            f"{repo_id} already has a tag {tag} on another commit; tags never move: choose a new one."
        )
    return there


def _set_ref(
    read: Callable[[], str | None], make: Callable[[], None], first_wait: float
) -> tuple[str | None, str]:
    """Make a branch or tag that is not there; returns where it points at last, and the last failed answer."""
    last = ""
    for attempt in range(1, TRIES + 1):
        if (there := read()) is not None:
            return there, last
        try:
            make()
        except hub_errors.HfHubHTTPError as error:
            if error.response.status_code != 409 and not _passing(error.response.status_code):
                raise
            last = answer(error)
            _pause(attempt, first_wait)
    return read(), last


def _passing(status: int) -> bool:
    """Whether an answer speaks of a trouble that may pass by itself."""
    return status == 429 or status >= 500


def _pause(attempt: int, first_wait: float) -> None:
    if attempt < TRIES:
        time.sleep(first_wait * 2 ** (attempt - 1))
