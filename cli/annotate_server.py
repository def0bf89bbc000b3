"""Which review server the `annotate` commands talk to, and how its failures end them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.common import Incomplete, SummaryTable

if TYPE_CHECKING:
    from benchwright.annotation.client import ReviewServer
    from benchwright.annotation.push import GroupPush
    from benchwright.schemas.workspace import Workspace

url_option = click.option(
    "--url",
    envvar="LABEL_STUDIO_URL",
    show_envvar=True,
    help="A running Label Studio; default: the one of `annotate serve`.",
)
token_option = click.option(
    "--token", envvar="LABEL_STUDIO_TOKEN", show_envvar=True, help="Legacy token of an account on it."
)


@contextmanager
def open_server(workspace: Workspace, url: str | None, token: str | None) -> Iterator[ReviewServer]:
    """The review server; its failures end the command with exit code 1 and one sentence."""
    from benchwright.annotation.client import ReviewServer, ServerTrouble
    from benchwright.annotation.connection import find_connection

    with ReviewServer(find_connection(workspace, url, token)) as server:
        server.check()
        try:
            yield server
        except ServerTrouble as error:
            raise Incomplete(
                f"the review server failed ({error}): run the same command again, nothing doubles."
            ) from error


def pages_table(title: str, pages: Sequence[GroupPush]) -> SummaryTable:
    """What a push did, a row for each page and slot."""
    columns = ("page", "slot", "project", "tasks", "new", "with proposal", "proposals changed", "refreshed")
    rows = [
        (
            *(p.group, p.slot, "" if p.project is None else p.project, p.tasks, p.new, p.proposals),
            *(p.proposals_changed, p.refreshed, p.stale, len(p.waiting), len(p.rejected)),
        )
        for p in pages
    ]
    return SummaryTable(title, (*columns, "stale", "waiting", "rejected"), rows)


def pages_json(pages: Sequence[GroupPush]) -> list[dict[str, Any]]:
    """The same for machines."""
    return [
        {
            **vars(page),
            "rejected": [record.model_dump() for record in page.rejected],
            "waiting": [record.model_dump() for record in page.waiting],
        }
        for page in pages
    ]


def refuse_rejected(pages: Sequence[GroupPush]) -> None:
    """End with exit code 1 where something could not be shown."""
    rejected = [record for page in pages for record in page.rejected]
    if rejected:
        first = rejected[0]
        raise Incomplete(
            f"{len(rejected)} items or proposals cannot be shown; "
            f"the first is {first.item_id}: {first.reason}: {first.detail}"
        )
