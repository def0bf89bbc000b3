"""Pictures at URLs: fetched when asked for, then pinned by their hash.

    pool/sources/<name>.fetched.jsonl      what was fetched for a source (`FetchedPicture`), by URL

A pinned picture is never asked for again: later ingests use the bytes that lie in `images/source/`. Where these are
lost, the URL must give the same bytes once more; other bytes reject the rows and are named. `recheck` asks every pinned
URL and reports which have changed, without taking anything. To accept a change, its line is deleted by hand.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from queue import SimpleQueue

from benchwright.curation.fetch_guard import PictureClient
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import ImageRejected
from benchwright.schemas.images import ImageLimits, load_image_bytes
from benchwright.schemas.journal import Journal, write_jsonl
from benchwright.schemas.records import Record, Sha256
from benchwright.schemas.workspace import Workspace

CONNECTIONS = 2
"""At a time, of one ingest: pictures of one source mostly lie on one server."""


class FetchedPicture(Record):
    """One picture of the web, as it was when it was first fetched."""

    url: str
    sha256: Sha256
    bytes: int
    suffix: str
    """Ending by its content."""


@dataclass
class RemotePictures:
    """The pictures at URLs of one source.

    Args:
        workspace: where they are kept.
        name: the source.
        limits: what is accepted as a picture.
    """

    workspace: Workspace
    name: str
    limits: ImageLimits
    pinned: dict[str, FetchedPicture] = field(default_factory=dict)
    failed: dict[str, ImageRejected] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._journal = Journal(fetched_path(self.workspace, self.name))
        for entry in self._journal.read(FetchedPicture):
            self.pinned.setdefault(entry.url, entry)  # the first one stands

    def read(self, url: str) -> bytes:
        """The pinned bytes at a URL.

        Raises:
            ImageRejected: `remote` where it was never fetched, else why it could not be.
        """
        if url in self.failed:
            raise self.failed[url]
        entry = self.pinned.get(url)
        if entry is None:
            raise ImageRejected(
                "remote", "the picture is a URL: --fetch-images fetches it, nothing is fetched without"
            )
        data = self._kept(entry)
        if data is None:
            raise ImageRejected(
                "fetch-lost", "its bytes are no longer in images/source: --fetch-images fetches them"
            )
        return data

    def state(self, url: str) -> str:
        """What decides about a row with this URL: its hash, why it failed, or '' where it was not fetched."""
        if url in self.failed:
            return f"!{self.failed[url].reason}"
        return self.pinned[url].sha256 if url in self.pinned else ""

    def fetch(
        self,
        urls: Collection[str],
        client: Callable[[], PictureClient],
        on_picture: Callable[[int, int], None] = lambda done, total: None,
    ) -> int:
        """Fetch what is not pinned yet, each written down before the next; returns how many came.

        A killed run goes on where it stopped. When all are done the file is put in the order of the URLs.
        """
        wanted = [
            url for url in sorted(set(urls)) if url not in self.pinned or self._kept(self.pinned[url]) is None
        ]
        came = 0
        for done, (url, data) in enumerate(_replies(wanted, client), start=1):
            try:
                came += self._pin(url, data)
            except ImageRejected as error:
                self.failed[url] = error
            on_picture(done, len(wanted))
        if came:
            write_jsonl(self._journal.path, [self.pinned[url] for url in sorted(self.pinned)])
        return came

    def recheck(
        self,
        urls: Collection[str],
        client: Callable[[], PictureClient],
        on_picture: Callable[[int, int], None] = lambda done, total: None,
    ) -> dict[str, str]:
        """URLs of this source whose pictures have changed since they were pinned -> what is there now."""
        asked = [url for url in sorted(set(urls)) if url in self.pinned and url not in self.failed]
        changed: dict[str, str] = {}
        for done, (url, data) in enumerate(_replies(asked, client), start=1):
            on_picture(done, len(asked))
            if isinstance(data, ImageRejected):
                changed[url] = f"{data.reason}: {data.detail}"
            elif (now := sha256_bytes(data)) != self.pinned[url].sha256:
                changed[url] = f"sha256 {now}, pinned is {self.pinned[url].sha256}"
        return changed

    def _pin(self, url: str, data: bytes | ImageRejected) -> bool:
        if isinstance(data, ImageRejected):
            raise data
        image = load_image_bytes(data, self.limits)
        sha256 = sha256_bytes(data)
        before = self.pinned.get(url)
        if before is not None and before.sha256 != sha256:
            raise ImageRejected(
                "fetch-changed",
                f"another picture is there now: delete its line in {self._journal.path.name} to take it",
            )
        write_atomic(self.workspace.source_image(sha256, image.source_suffix), data)
        if before is None:
            entry = FetchedPicture(url=url, sha256=sha256, bytes=len(data), suffix=image.source_suffix)
            self._journal.append(entry)
            self.pinned[url] = entry
        return True

    def _kept(self, entry: FetchedPicture) -> bytes | None:
        path = self.workspace.source_image(entry.sha256, entry.suffix)
        if not path.is_file():
            return None
        data = path.read_bytes()
        return data if sha256_bytes(data) == entry.sha256 else None


def fetched_path(workspace: Workspace, name: str) -> Path:
    """The file of a source's pinned pictures."""
    return workspace.root / "pool" / "sources" / f"{name}.fetched.jsonl"


def _replies(
    urls: Sequence[str], client: Callable[[], PictureClient]
) -> Iterator[tuple[str, bytes | ImageRejected]]:
    """What each URL gives, in their order; no more than a few replies wait in memory."""
    if not urls:
        return
    free: SimpleQueue[PictureClient] = SimpleQueue()
    clients = [client() for _ in range(min(CONNECTIONS, len(urls)))]
    for one in clients:
        free.put(one)

    def get(url: str) -> bytes | ImageRejected:
        own = free.get()
        try:
            return own.get(url)
        except ImageRejected as error:
            return error
        finally:
            free.put(own)

    try:
        with ThreadPoolExecutor(len(clients)) as threads:
            waiting = deque((url, threads.submit(get, url)) for url in urls[: 2 * CONNECTIONS])
            following = iter(urls[2 * CONNECTIONS :])
            while waiting:
                url, reply = waiting.popleft()
                yield url, reply.result()
                waiting.extend((another, threads.submit(get, another)) for another in islice(following, 1))
    finally:
        for one in clients:
            one.close()
