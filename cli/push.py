"""`push-dataset`: check, build, push and verify a release of the workspace's problems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.common import (
    SummaryTable,
    emit,
    json_option,
    open_workspace,
    say,
    show_table,
    workspace_option,
)
from benchwright.cli.push_check import finding_table, show_check
from benchwright.cli.push_errata import ErrataOrder, errata_order, errata_table, plan_for, rescore_commands

if TYPE_CHECKING:
    from benchwright.curation.release.build import BuiltRelease
    from benchwright.curation.release.errata import ErrataPlan
    from benchwright.curation.release.exports.source import Instruct
    from benchwright.curation.release.rows import ReleaseContent
    from benchwright.schemas.workspace import Workspace


@click.command("push-dataset", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("repo_id", metavar="[ORG/NAME]", required=False)
@workspace_option
@click.option("--tag", default=None, help="Name of the release, e.g. v1.0.0; default: the recipe's.")
@click.option("--check-only", is_flag=True, help="Look for reasons not to publish, write nothing.")
@click.option("--build-only", is_flag=True, help="Write release/TAG, push nothing; needs no network.")
@click.option("--dry-run", is_flag=True, help="Build, then show what a push would send, and to where.")
@click.option(
    "--errata",
    is_flag=True,
    help="A patch release: rows corrected or withdrawn since the last one, each with its reason in errata.toml.",
)
@click.option(
    "--base",
    default=None,
    metavar="TAG",
    help="With --errata: the release to correct; default: what main holds, without network the last one built.",
)
@click.option(
    "--drop-failing",
    is_flag=True,
    help="Leave rows that fail a check out, each with its reason, instead of refusing.",
)
@click.option(
    "--public/--private",
    "public",
    default=None,
    help="Visibility after a verified push; a new dataset is private.",
)
@click.option("--endpoint", default=None, envvar="HF_ENDPOINT", help="The Hub; default: huggingface.co.")
@click.option(
    "--verify/--no-verify", default=True, help="Load the pushed release back and compare it (default)."
)
@click.option(
    "--retry-wait",
    type=float,
    default=1.0,
    show_default=True,
    help="Seconds before a failed try is repeated; doubles.",
)
@json_option
def push_dataset(
    repo_id: str | None,
    workspace: Path | None,
    tag: str | None,
    check_only: bool,
    build_only: bool,
    dry_run: bool,
    errata: bool,
    base: str | None,
    drop_failing: bool,
    public: bool | None,
    endpoint: str | None,
    verify: bool,
    retry_wait: float,
    as_json: bool,
) -> None:
    """Release the workspace's problems as a dataset on the Hub.

    Checks every row, builds release/TAG, puts it on the Hub as one commit with a tag, then loads it back by that tag
    in a fresh process and compares every file, row and picture. Where people may be reading already, main gets the
    release only after that. The token comes from HF_TOKEN or the client's login.
    """
    if public and not verify:
        raise click.UsageError("--public needs the verification: what was not verified stays private.")
    if base is not None and not errata:
        raise click.UsageError("--base names the release that --errata corrects: add --errata.")
    place = open_workspace(workspace)
    offline = check_only or build_only
    name = _name(place, repo_id, needed=not offline)
    order = errata_order(place, name, tag, base, endpoint, offline) if errata else None
    wanted_tag = _tag(tag or place.recipe.release.tag if order is None else order.tag)
    content, plan = _checked(place, order, drop_failing, check_only, as_json)
    if content is None:
        return
    from benchwright.curation.release.build import build_release

    if plan is not None:
        wanted_tag = plan.tag
    release = build_release(place, wanted_tag, name, content, words=_words(content), findings=(), errata=plan)
    say(f"{'built' if release.ran else 'already built'}: {release.folder}")
    again = f"push-dataset {name} " + ("--errata" if order else f"--tag {wanted_tag}")
    if build_only:
        _show_build(release, plan, as_json, again)
    elif dry_run:
        _show_plan(release, name, endpoint, as_json, again)
    else:
        told = [] if order is None or plan is None else rescore_commands(place, name, plan, order.base.commit)
        from benchwright.cli.push_send import Pushing, send

        send(release, name, Pushing(public, endpoint, verify, retry_wait, tuple(told)), as_json)


def _name(workspace: Workspace, repo_id: str | None, needed: bool) -> str:
    """The dataset's id: flag, else recipe."""
    import re

    from benchwright.schemas.errors import UsageError

    recipe = workspace.recipe
    name = repo_id or recipe.release.repo_id
    if name is None:
        if needed:
            raise UsageError(
                "No dataset to push to: name it, `push-dataset ORG/NAME`, or set `repo_id` in the recipe."
            )
        name = f"ORG/{recipe.benchmark.name}"
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", name):
        raise UsageError(f"{name!r} is no dataset id; it must look like ORG/NAME.")
    return name


def _tag(wanted: str) -> str:
    import re

    from benchwright.schemas.errors import UsageError

    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", wanted):
        raise UsageError(f"{wanted!r} cannot be a tag; use letters, digits, dots and hyphens, e.g. v1.0.0.")
    return wanted


def _checked(
    workspace: Workspace, order: ErrataOrder | None, drop_failing: bool, check_only: bool, as_json: bool
) -> tuple[ReleaseContent | None, ErrataPlan | None]:
    """The content to build (None: only the check was wanted), and the errata it makes up where one was ordered.

    Raises:
        UsageError: there are findings.
    """
    from benchwright.cli.status import problems_line
    from benchwright.curation.release.build import checked_content
    from benchwright.schemas.errors import UsageError

    problems = problems_line(workspace, chosen=True)
    if problems.state == "stale":
        say(
            f"note: the problems are older than the recipe or what they are made from: {problems.next}, then render"
        )
    content, findings = checked_content(workspace, drop_failing)
    planned = None if order is None else plan_for(order, workspace, content)
    if planned is not None:
        findings = (*findings, *planned.findings)
    say(
        f"checked: {len(content.rows)} rows, {len(content.rejected)} cannot be made, {len(findings)} findings"
    )
    if content.unchecked:
        say(f"needs check: {len(content.unchecked)} pictures have not been read back; run `render check`")
    if check_only:
        from benchwright.curation.release.checklist import checklist

        show_check(findings, checklist(content, workspace, findings), _reasons(content), as_json)
    elif findings:
        result = {"findings": [finding.model_dump(mode="json") for finding in findings]}
        emit(result, finding_table(findings), as_json)
    if findings:
        kinds = "kind" if len(findings) == 1 else "kinds"
        left = "mend them." if planned else "mend them, or leave those rows out with --drop-failing."
        raise UsageError(
            f"Not published: {len(findings)} {kinds} of finding in {len({r for f in findings for r in f.rows})} rows; "
            + left
        )
    plan = None if planned is None else planned.plan
    if plan is not None and not as_json:
        show_table(errata_table(plan))
    return None if check_only else content, plan


def _words(content: ReleaseContent) -> Instruct | None:
    """What `evaluate` says in front of a question, for the exports beside the data; None where it has no words."""
    from benchwright.cli.curate_export import words_of
    from benchwright.schemas.errors import UsageError

    try:
        return words_of({row.version for row in content.rows}, {row.language for row in content.rows})
    except UsageError as error:
        say(f"no exports for other harnesses: {error}")
        return None


def _show_build(release: BuiltRelease, plan: ErrataPlan | None, as_json: bool, next_command: str) -> None:
    figures = release.figures
    rows = [
        (
            row.language,
            row.version,
            row.rows,
            ", ".join(f"{k} {v}" for k, v in row.splits.items()),
            row.images,
        )
        for row in figures.versions
    ]
    result = {
        "folder": str(release.folder),
        "ran": release.ran,
        "rows": figures.rows,
        "problems": figures.problems,
        "rejected": _reasons(release.content),
        "manifest": release.manifest.model_dump(mode="json"),
        "errata": [] if plan is None else [one.model_dump(mode="json") for one in plan.own],
    }
    table = SummaryTable(
        f"Release {release.manifest.tag}: {figures.rows} rows of {figures.problems} problems, "
        f"{len(release.content.rejected)} rows left out with a reason",
        ("language", "version", "rows", "splits", "pictures"),
        rows,
    )
    emit(result, table, as_json, next_command)


def _show_plan(
    release: BuiltRelease, repo_id: str, endpoint: str | None, as_json: bool, next_command: str
) -> None:
    from benchwright.curation.release.push import plan, steps_of

    files = plan(release.folder, release.manifest)
    total = sum(file.bytes for file in files)
    steps = steps_of(release.manifest.tag)
    where = endpoint or "https://huggingface.co"
    rows = [(file.path, file.bytes, "-" if file.rows is None else file.rows) for file in files]
    result = {
        "repo_id": repo_id,
        "endpoint": where,
        "tag": release.manifest.tag,
        "bytes": total,
        "rows": release.manifest.rows,
        "steps": list(steps),
        "files": [{"path": file.path, "bytes": file.bytes, "rows": file.rows} for file in files],
    }
    if not as_json:
        for number, step in enumerate(steps, start=1):
            click.echo(f"{number}. {step}")
    table = SummaryTable(
        f"Would go to {where}/datasets/{repo_id} as {release.manifest.tag}: "
        f"{len(files)} files, {total:,} bytes, {release.manifest.rows:,} rows; nothing was sent",
        ("file", "bytes", "rows"),
        rows,
    )
    emit(result, table, as_json, next_command)


def _reasons(content: ReleaseContent) -> dict[str, int]:
    from collections import Counter

    return dict(sorted(Counter(item.reason for item in content.rejected).items()))
