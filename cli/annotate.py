"""`annotate`: review by people in Label Studio."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.common import (
    Incomplete,
    SummaryTable,
    emit,
    json_option,
    open_workspace,
    progress,
    say,
    workspace_option,
)

if TYPE_CHECKING:
    from benchwright.annotation.client import ReviewServer
    from benchwright.schemas.workspace import Workspace

_URL = click.option(
    "--url",
    envvar="LABEL_STUDIO_URL",
    show_envvar=True,
    help="A running Label Studio; default: the one of `annotate serve`.",
)
_TOKEN = click.option(
    "--token", envvar="LABEL_STUDIO_TOKEN", show_envvar=True, help="Legacy token of an account on it."
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def annotate() -> None:
    """Review proposals with people: serve a Label Studio, push tasks, pull answers."""


@annotate.command()
@workspace_option
@click.option(
    "--port", type=click.IntRange(1, 65535), default=None, help="Port on 127.0.0.1; default: a free one."
)
def serve(workspace: Path | None, port: int | None) -> None:
    """Run the workspace's review server until Ctrl-C; its data stay.

    The first start installs Label Studio into an environment of its own (one to five minutes).
    """
    import signal

    from benchwright.annotation.server import ManagedServer, credentials_path

    def _interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    space = open_workspace(workspace)
    # A SIGTERM during the start must stop the half-started server too.
    signal.signal(signal.SIGTERM, _interrupt)
    with ManagedServer(space, say, port) as server:
        click.echo(f"review server: {server.url}")
        click.echo(f"log in as:     {server.credentials.username}")
        if server.first_start:
            click.echo(f"password:      {server.credentials.password}  (shown once)")
        say(f"the password is kept in {credentials_path(space)}; stop with Ctrl-C")
        say("next: annotate push tagging")
        server.serve_until_told()
    say("stopped; everything is kept")


@annotate.command()
@click.argument("job")
@workspace_option
@_URL
@_TOKEN
@json_option
def push(job: str, workspace: Path | None, url: str | None, token: str | None, as_json: bool) -> None:
    """Put a JOB's tasks and proposals on the review server; run again, nothing is doubled."""
    from benchwright.annotation.jobs import find_job
    from benchwright.annotation.push import push_job

    review_job, space = find_job(job), open_workspace(workspace)
    total = sum(len(group.items) for group in review_job.groups(space))
    if not space.selected_disciplines():
        raise _nothing_selected(space)
    with _open_server(space, url, token) as server, progress(total, f"pushing {job}") as bar:
        pages = push_job(server, space, review_job, progress=bar.advance)
    rejected = [reject for page in pages for reject in page.rejected]
    table = SummaryTable(
        f"annotate push {job}",
        ("page", "project", "tasks", "new", "with proposal", "proposals changed", "stale", "rejected"),
        [
            (p.group, p.project, p.tasks, p.new, p.proposals, p.proposals_changed, p.stale, len(p.rejected))
            for p in pages
        ],
    )
    result = {
        "job": job,
        "pages": [{**vars(page), "rejected": [r.model_dump() for r in page.rejected]} for page in pages],
    }
    emit(result, table, as_json, f"review in the browser, then: annotate pull {job}")
    if rejected:
        first = rejected[0]
        raise Incomplete(
            f"{len(rejected)} items or proposals cannot be shown; "
            f"the first is {first.item_id}: {first.reason}: {first.detail}"
        )


@annotate.command()
@click.argument("job")
@workspace_option
@_URL
@_TOKEN
@click.option("--full", is_flag=True, help="Look at every task again and notice deleted annotations.")
@json_option
def pull(
    job: str, workspace: Path | None, url: str | None, token: str | None, full: bool, as_json: bool
) -> None:
    """Append a JOB's answers to reviews/ and derive its verdicts."""
    from benchwright.annotation.jobs import find_job
    from benchwright.annotation.pull import pull_job

    review_job, space = find_job(job), open_workspace(workspace)
    with _open_server(space, url, token) as server:
        result = pull_job(server, space, review_job, full=full)
    rows = [
        (f"new: {state}", result.states.get(state, 0))
        for state in ("submitted", "skipped", "draft", "deleted")
    ]
    rows += [(f"verdicts: {basis}", result.verdicts.get(basis, 0)) for basis in ("agreed", "open")]
    emit(
        {"job": job, **vars(result)},
        SummaryTable(f"annotate pull {job}", ("answers, one per field", "count"), rows),
        as_json,
        "curate problems",
    )


@annotate.command()
@workspace_option
@json_option
def status(workspace: Path | None, as_json: bool) -> None:
    """Show how far the reviews are and whether the review server runs."""
    from benchwright.annotation.jobs import REVIEW_JOBS
    from benchwright.annotation.server import running_server
    from benchwright.annotation.summary import job_states, stale_items

    space = open_workspace(workspace)
    states = [state for job in REVIEW_JOBS.values() for state in job_states(space, job)]
    stale = sum(stale_items(space, job) for job in REVIEW_JOBS.values())
    running = running_server(space)
    columns = ("job", "group", "items", "proposed", "agreed", "open", "skipped", "draft", "untouched")
    table = SummaryTable(
        f"reviews; server: {running.url if running else 'not running'}; reviewed contents of the past: {stale}",
        columns,
        [tuple(vars(state)[column] for column in columns) for state in states],
    )
    if not states:
        following = "curate cluster"
    elif all(state.agreed == state.items for state in states):
        following = "curate problems"
    else:
        following = "annotate pull tagging" if running else "annotate serve"
    result = {"server": running.url if running else None, "stale": stale, "jobs": [vars(s) for s in states]}
    emit(result, table, as_json, following)


@contextmanager
def _open_server(workspace: Workspace, url: str | None, token: str | None) -> Iterator[ReviewServer]:
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


def _nothing_selected(workspace: Workspace) -> Exception:
    from benchwright.schemas.errors import UsageError

    return UsageError(f"{workspace.root} has no selected questions: run `curate cluster` first.")
