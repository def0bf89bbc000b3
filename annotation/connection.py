"""Which review server a command talks to: flags, else environment, else the workspace's running server."""

from __future__ import annotations

from urllib.parse import urlsplit

from benchwright.annotation.server import ServerState, running_server, state_path
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Record
from benchwright.schemas.workspace import Workspace

URL_ENVIRONMENT = "LABEL_STUDIO_URL"
TOKEN_ENVIRONMENT = "LABEL_STUDIO_TOKEN"


class Connection(Record):
    """Address of a review server and the legacy token of an account on it."""

    url: str
    token: str
    managed: bool
    """True for the workspace's own server."""

    @property
    def loopback(self) -> bool:
        """Whether it is on this machine, so that proxy settings must not apply."""
        return self.managed or urlsplit(self.url).hostname in {"127.0.0.1", "localhost", "::1"}


def find_connection(workspace: Workspace, url: str | None = None, token: str | None = None) -> Connection:
    """The server to use.

    Args:
        workspace: its running server is the default.
        url: address of another one (flag or LABEL_STUDIO_URL).
        token: legacy token for it (flag or LABEL_STUDIO_TOKEN).

    Raises:
        UsageError: none runs, or the address lacks a token or a scheme.
    """
    if url is not None:
        if urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname:
            raise UsageError(
                f"{url!r} is not an address of a review server: write it like http://127.0.0.1:8080."
            )
        if not token:
            raise UsageError(
                f"no token for {url}: give --token or {TOKEN_ENVIRONMENT} "
                "(in Label Studio under Account & Settings, Legacy Token)."
            )
        return Connection(url=url.rstrip("/"), token=token, managed=False)
    state: ServerState | None = running_server(workspace)
    if state is None:
        stale = " (its server.json is stale)" if state_path(workspace).exists() else ""
        raise UsageError(
            f"no review server of {workspace.root} is running{stale}: start one with `annotate serve`, "
            f"or name one with --url and --token."
        )
    return Connection(url=state.url, token=state.token, managed=True)
