"""`annotate`: review by people in Label Studio."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.annotate_offer import (
    OfferOptions,
    flagged_kinds,
    nothing_to_review,
    offer,
    offer_options,
)
from benchwright.cli.annotate_plan import plan
from benchwright.cli.annotate_report import adjudicate, report, tell_left_open
from benchwright.cli.annotate_server import (
    open_server,
    pages_json,
    pages_table,
    refuse_rejected,
    token_option,
    url_option,
)
from benchwright.cli.annotate_slots import SlotOptions, push_slots, slot_options
from benchwright.cli.annotate_users import users
from benchwright.cli.common import (
    SummaryTable,
    emit,
    json_option,
    open_workspace,
    progress,
    say,
    workspace_option,
)
from benchwright.cli.terminal import print_document

if TYPE_CHECKING:
    from benchwright.annotation.server import ManagedServer
    from benchwright.schemas.workspace import Workspace


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def annotate() -> None:
    """Review proposals with people: serve a Label Studio, push tasks, pull answers."""


@annotate.command()
@workspace_option
@click.option(
    "--port", type=click.IntRange(1, 65535), default=None, help="Port of that address; default: a free one."
)
@click.option(
    "--bind",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="IPv4 address to listen on; 0.0.0.0: all of this machine's.",
)
@click.option(
    "--public-url", metavar="URL", default=None, help="What people type: https://HOST of the TLS proxy."
)
@click.option("--insecure", is_flag=True, help="Accept plain HTTP where others can read it.")
@json_option
def serve(
    workspace: Path | None, port: int | None, bind: str, public_url: str | None, insecure: bool, as_json: bool
) -> None:
    """Run the workspace's review server until Ctrl-C; its data stay.

    The first start installs Label Studio into an environment of its own (one to five minutes). With --json the one
    document is printed as soon as the server answers.
    """
    import signal

    from benchwright.annotation.exposure import expose
    from benchwright.annotation.server import ManagedServer, credentials_path

    exposure = expose(bind, public_url, insecure=insecure)

    def _interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    space = open_workspace(workspace)
    # A SIGTERM during the start must stop the half-started server too.
    signal.signal(signal.SIGTERM, _interrupt)
    with ManagedServer(space, say, port, exposure) as server:
        _tell_address(server, exposure.public_url, as_json)
        say(f"the password is kept in {credentials_path(space)}; stop with Ctrl-C")
        say("next: annotate users add NAME..., annotate push tagging")
        server.serve_until_told()
    say("stopped; everything is kept")


def _tell_address(server: ManagedServer, public_url: str | None, as_json: bool) -> None:
    """Where to log in; at once, since the command itself ends only when it is told to."""
    password = server.credentials.password if server.first_start else None
    if as_json:
        told = {"url": server.url, "public_url": public_url, "username": server.credentials.username}
        print_document({**told, "password": password})
        return
    click.echo(f"review server: {server.url}")
    if public_url is not None:
        click.echo(f"people use:    {public_url}")
    click.echo(f"log in as:     {server.credentials.username}")
    if password is not None:
        click.echo(f"password:      {password}  (shown once)")


@annotate.command()
@click.argument("job")
@slot_options
@offer_options
@workspace_option
@url_option
@token_option
@json_option
def push(
    job: str,
    slots: int | None,
    no_proposal_share: float | None,
    gold: Path | None,
    qualification: bool,
    workspace: Path | None,
    url: str | None,
    token: str | None,
    as_json: bool,
    **offered: Any,
) -> None:
    """Put a JOB's tasks and proposals on the review server; run again, nothing is doubled."""
    from benchwright.annotation.items import waits_for
    from benchwright.annotation.jobs import find_job

    review_job, space, options = find_job(job), open_workspace(workspace), OfferOptions(**offered)
    offer(space, job, options)
    others = qualification or any(given is not None for given in (slots, no_proposal_share, gold))
    kinds = flagged_kinds(job, options, other_pages=others)
    if kinds is not None and options.from_run is not None:
        _push_flagged(space, options.from_run, kinds, (url, token), as_json)
        return
    groups = review_job.groups(space)
    if not groups:
        raise nothing_to_review(space, job)
    reviewing = SlotOptions(slots, no_proposal_share, gold, qualification)
    total = sum(len(group.items) for group in groups) * (slots or space.recipe.annotation.slots)
    with open_server(space, url, token) as server, progress(total, f"pushing {job}") as bar:
        pages = push_slots(server, space, review_job, groups, reviewing, bar.advance)
    waiting = waits_for(sorted({record for page in pages for record in page.waiting}, key=str))
    for earlier, count in waiting.items():
        say(f"{count} wait for {earlier}: once that is reviewed and pulled, push {job} again")
    result = {"job": job, "waiting": waiting, "pages": pages_json(pages)}
    table = pages_table(f"annotate push {job}", pages)
    emit(result, table, as_json, f"review in the browser, then: annotate pull {job}")
    refuse_rejected(pages)


def _push_flagged(
    space: Workspace,
    run: str,
    kinds: frozenset[str],
    server_at: tuple[str | None, str | None],
    as_json: bool,
) -> None:
    """Put the questions that a run's statistics flag before people once more."""
    from benchwright.annotation.flagged import JOB, push_flagged, read_flagged
    from benchwright.annotation.jobs import find_job

    flagged = read_flagged(space, run, kinds)
    with (
        open_server(space, *server_at) as server,
        progress(len(flagged.flags), "pushing flagged questions") as bar,
    ):
        pages = push_flagged(server, space, find_job(JOB), flagged, bar.advance)
    counts = Counter(flag.kind for flags in flagged.flags.values() for flag in flags)
    listed = ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items()))
    say(f"run {flagged.run_id}: {len(flagged.flags)} questions flagged ({listed})")
    result = {"job": JOB, "run": flagged.run_id, "flags": dict(counts), "pages": pages_json(pages)}
    table = pages_table(f"annotate push {JOB}: looked at again", pages)
    emit(result, table, as_json, f"review in the browser, then: annotate pull {JOB}")
    refuse_rejected(pages)


@annotate.command()
@click.argument("job")
@workspace_option
@url_option
@token_option
@click.option("--full", is_flag=True, help="Look at every task again and notice deleted annotations.")
@json_option
def pull(
    job: str, workspace: Path | None, url: str | None, token: str | None, full: bool, as_json: bool
) -> None:
    """Append a JOB's answers to reviews/ and derive its verdicts."""
    from benchwright.annotation.jobs import REVIEW_JOBS, find_job
    from benchwright.annotation.pull import pull_job
    from benchwright.annotation.summary import job_states, next_command, shown_jobs

    review_job, space = find_job(job), open_workspace(workspace)
    with open_server(space, url, token) as server:
        result = pull_job(server, space, review_job, full=full)
    states = [state for shown in shown_jobs(space, REVIEW_JOBS) for state in job_states(space, shown)]
    rows = [
        (f"new: {state}", result.states.get(state, 0))
        for state in ("submitted", "skipped", "draft", "deleted")
    ]
    bases = ("agreed", "adjudicated", "consensus", "open")
    rows += [(f"verdicts: {basis}", result.verdicts.get(basis, 0)) for basis in bases]
    if result.twice:
        say(
            f"{result.twice} items were answered by one person in several slots: each counts once and waits for "
            "another person; `annotate report` lists them privately"
        )
    emit(
        {"job": job, **vars(result)},
        SummaryTable(f"annotate pull {job}", ("answers, one per field", "count"), rows),
        as_json,
        next_command(space, states, serving=True),
    )


@annotate.command()
@workspace_option
@json_option
def status(workspace: Path | None, as_json: bool) -> None:
    """Show how far the reviews are and whether the review server runs."""
    from benchwright.annotation.jobs import REVIEW_JOBS
    from benchwright.annotation.left_open import left_open_items
    from benchwright.annotation.server import running_server
    from benchwright.annotation.summary import job_states, next_command, next_job, shown_jobs, stale_items

    space = open_workspace(workspace)
    jobs = shown_jobs(space, REVIEW_JOBS)
    states = [state for job in jobs for state in job_states(space, job)]
    stale = sum(stale_items(space, job) for job in jobs)
    left = [item for shown in jobs for item in left_open_items(space, shown.name)]
    running, job = running_server(space), next_job(states)
    counts = ("items", "proposed", "agreed", "open", "skipped", "draft", "untouched", "waiting")
    columns = ("job", "group", *counts)
    table = SummaryTable(
        f"reviews; server: {running.url if running else 'not running'}; reviewed contents of the past: {stale}",
        columns,
        [tuple(vars(state)[column] for column in columns) for state in states],
    )
    result = {
        "server": running.url if running else None,
        "stale": stale,
        "next": job,
        "jobs": [vars(s) for s in states],
        "left_open": [vars(item) for item in left],
    }
    tell_left_open(left)
    emit(result, table, as_json, next_command(space, states, serving=running is not None))


annotate.add_command(report)
annotate.add_command(adjudicate)
annotate.add_command(plan)
annotate.add_command(users)
