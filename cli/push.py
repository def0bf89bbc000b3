"""`push-dataset`: check, build, push and verify a release of the workspace's problems."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.common import (
    Incomplete,
    SummaryTable,
    emit,
    json_option,
    open_workspace,
    say,
    show_table,
    workspace_option,
)
from benchwright.cli.push_check import finding_table, show_check

if TYPE_CHECKING:
    from huggingface_hub import HfApi

    from benchwright.curation.release.build import BuiltRelease
    from benchwright.curation.release.exports.source import Instruct
    from benchwright.curation.release.push import Pushed
    from benchwright.curation.release.rows import ReleaseContent
    from benchwright.curation.release.verify import Verification
    from benchwright.schemas.workspace import Workspace


@click.command("push-dataset", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("repo_id", metavar="[ORG/NAME]", required=False)
@workspace_option
@click.option("--tag", default=None, help="Name of the release, e.g. v1.0.0; default: the recipe's.")
@click.option("--check-only", is_flag=True, help="Look for reasons not to publish, write nothing.")
@click.option("--build-only", is_flag=True, help="Write release/TAG, push nothing; needs no network.")
@click.option("--dry-run", is_flag=True, help="Build, then show what a push would send, and to where.")
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
    place = open_workspace(workspace)
    name, wanted_tag = _names(place, repo_id, tag, needed=not (check_only or build_only))
    content = _checked(place, drop_failing, check_only, as_json)
    if content is None:
        return
    from benchwright.curation.release.build import build_release

    release = build_release(place, wanted_tag, name, content, words=_words(content), findings=())
    say(f"{'built' if release.ran else 'already built'}: {release.folder}")
    if build_only:
        _show_build(release, as_json, f"push-dataset {name} --tag {wanted_tag}")
    elif dry_run:
        _show_plan(release, name, endpoint, as_json)
    else:
        _push(release, name, Pushing(public, endpoint, verify, retry_wait), as_json)


def _names(workspace: Workspace, repo_id: str | None, tag: str | None, needed: bool) -> tuple[str, str]:
    """The dataset's id and the tag: flag, else recipe."""
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
    wanted = tag or recipe.release.tag
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", wanted):
        raise UsageError(f"{wanted!r} cannot be a tag; use letters, digits, dots and hyphens, e.g. v1.0.0.")
    return name, wanted


def _checked(
    workspace: Workspace, drop_failing: bool, check_only: bool, as_json: bool
) -> ReleaseContent | None:
    """The content to build, or None when only the check was wanted.

    Raises:
        UsageError: there are findings.
    """
    from benchwright.curation.release.build import checked_content
    from benchwright.schemas.errors import UsageError

    content, findings = checked_content(workspace, drop_failing)
    say(
        f"checked: {len(content.rows)} rows, {len(content.rejected)} cannot be made, {len(findings)} findings"
    )
    if content.unchecked:
        say(f"needs check: {len(content.unchecked)} pictures have not been read back; run `render check`")
    if check_only:
        from benchwright.curation.release.checklist import checklist

        show_check(findings, checklist(content, workspace, findings), _reasons(content), as_json)
    elif findings:
        show_table(finding_table(findings))
    if findings:
        kinds = "kind" if len(findings) == 1 else "kinds"
        raise UsageError(
            f"Not published: {len(findings)} {kinds} of finding in {len({r for f in findings for r in f.rows})} rows; "
            "mend them, or leave those rows out with --drop-failing."
        )
    return None if check_only else content


def _words(content: ReleaseContent) -> Instruct | None:
    """What `evaluate` says in front of a question, for the exports beside the data; None where it has no words."""
    from benchwright.cli.curate_export import words_of
    from benchwright.schemas.errors import UsageError

    try:
        return words_of({row.version for row in content.rows}, {row.language for row in content.rows})
    except UsageError as error:
        say(f"no exports for other harnesses: {error}")
        return None


@dataclass(frozen=True)
class Pushing:
    """How to push."""

    public: bool | None
    endpoint: str | None
    verify: bool
    retry_wait: float


def _push(release: BuiltRelease, repo_id: str, how: Pushing, as_json: bool) -> None:
    import sys

    from huggingface_hub import HfApi
    from huggingface_hub.utils.tqdm import disable_progress_bars

    from benchwright.curation.release.push import push_release, set_visibility
    from benchwright.curation.release.remote import HubError
    from benchwright.curation.release.verify import VerificationError

    if not sys.stderr.isatty():
        disable_progress_bars()
    api = HfApi(endpoint=how.endpoint)
    tag = release.manifest.tag
    result: dict[str, Any] = {
        "repo_id": repo_id,
        "tag": tag,
        "rows": release.manifest.rows,
        "verified": False,
    }
    try:
        pushed = push_release(release.folder, release.manifest, repo_id, api, how.retry_wait)
        say(
            f"{'already on the Hub' if pushed.repeated else 'pushed'}: {repo_id} at {tag} ({pushed.commit[:12]})"
        )
        if pushed.kept_keys:
            say(f"the card's own values were kept for: {', '.join(pushed.kept_keys)}")
        result |= {"commit": pushed.commit, "already_there": pushed.repeated, "tries": pushed.tries}
        if how.verify:
            checked = _verified(release, pushed, api, how)
            result |= {"verified": not checked.failures, "verification": checked.model_dump(mode="json")}
            if checked.failures:
                _refuse(result, as_json, pushed)
        result["main"] = _on_main(release, pushed, api, how)
        if how.public is not None:
            set_visibility(api, repo_id, how.public)
            result["visibility"] = "public" if how.public else "private"
    except (HubError, VerificationError) as error:
        raise Incomplete(str(error)) from error
    _show_push(result, as_json, f"evaluate {repo_id}@{tag} --model baseline/random")


def _verified(release: BuiltRelease, pushed: Pushed, api: HfApi, how: Pushing) -> Verification:
    """The verification; after a second push, files that the Hub has lost are sent once more."""
    from benchwright.curation.release.push import send_again
    from benchwright.curation.release.verify import verify_release

    def verify() -> Verification:
        return verify_release(pushed.repo_id, pushed.tag, release.folder, pushed.card_sha256, how.endpoint)

    checked = verify()
    if pushed.repeated and any(failure.what in ("files", "hash") for failure in checked.failures):
        say("files on the Hub are lost or damaged: offering them again")
        send_again(release.folder, release.manifest, pushed.repo_id, api)
        checked = verify()
    return checked


def _on_main(release: BuiltRelease, pushed: Pushed, api: HfApi, how: Pushing) -> str:
    """Put a verified release on main; says what main holds now."""
    from benchwright.curation.release.push import publish_on_main

    if pushed.on_main:
        return "this release"
    if not how.verify:
        say("main is as it was: it takes what was verified; run the same command without --no-verify")
        return "as it was"
    commit = publish_on_main(
        release.folder, release.manifest, pushed.repo_id, api, pushed.commit, how.retry_wait
    )
    if commit is None:
        say("main is as it was: it holds a later release")
        return "a later release"
    return "this release"


def _refuse(result: dict[str, Any], as_json: bool, pushed: Pushed) -> None:
    failures = result["verification"]["failures"]
    rows = [(failure["what"], failure["detail"]) for failure in failures]
    emit(result, SummaryTable("Not as it was built", ("what", "detail"), rows), as_json)
    left = "it was not made public" if pushed.on_main else "main is as it was"
    raise Incomplete(
        f"{pushed.repo_id} at {pushed.tag} is not what was built ({len(failures)} differing); {left}. "
        "Run the same command again: it sends what the Hub has lost."
    )


def _show_push(result: dict[str, Any], as_json: bool, next_command: str) -> None:
    seen = result.get("verification")
    rows: list[tuple[str, object]] = [
        ("dataset", f"{result['repo_id']} at {result['tag']}"),
        ("commit", result["commit"]),
        ("rows", result["rows"]),
        ("main holds", result["main"]),
        (
            "verified",
            "no"
            if seen is None
            else f"{seen['files']} files, {seen['configs']} configs, {seen['images']} pictures",
        ),
    ]
    if "visibility" in result:
        rows.append(("visibility", result["visibility"]))
    emit(result, SummaryTable("Released", ("what", "value"), rows), as_json, next_command)


def _show_build(release: BuiltRelease, as_json: bool, next_command: str) -> None:
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
    }
    table = SummaryTable(
        f"Release {release.manifest.tag}: {figures.rows} rows of {figures.problems} problems, "
        f"{len(release.content.rejected)} rows left out with a reason",
        ("language", "version", "rows", "splits", "pictures"),
        rows,
    )
    emit(result, table, as_json, next_command)


def _show_plan(release: BuiltRelease, repo_id: str, endpoint: str | None, as_json: bool) -> None:
    from benchwright.curation.release.push import plan

    files = plan(release.folder, release.manifest)
    total = sum(file.bytes for file in files)
    where = endpoint or "https://huggingface.co"
    rows = [(file.path, file.bytes, "-" if file.rows is None else file.rows) for file in files]
    result = {
        "repo_id": repo_id,
        "endpoint": where,
        "tag": release.manifest.tag,
        "bytes": total,
        "rows": release.manifest.rows,
        "files": [{"path": file.path, "bytes": file.bytes, "rows": file.rows} for file in files],
    }
    table = SummaryTable(
        f"Would go to {where}/datasets/{repo_id} as {release.manifest.tag}: "
        f"{len(files)} files, {total:,} bytes, {release.manifest.rows:,} rows; nothing was sent",
        ("file", "bytes", "rows"),
        rows,
    )
    emit(result, table, as_json, f"push-dataset {repo_id} --tag {release.manifest.tag}")


def _reasons(content: ReleaseContent) -> dict[str, int]:
    from collections import Counter

    return dict(sorted(Counter(item.reason for item in content.rejected).items()))
