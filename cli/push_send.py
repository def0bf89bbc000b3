"""Sending a built release, verifying it, and putting it where people read: the last part of `push-dataset`."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.common import (
    Incomplete,
    SummaryTable,
    emit,
    reporter,
    say,
    stderr_is_a_terminal,
)

if TYPE_CHECKING:
    from huggingface_hub import HfApi

    from benchwright.curation.release.build import BuiltRelease
    from benchwright.curation.release.push import Pushed
    from benchwright.curation.release.verify import Verification


@dataclass(frozen=True)
class Pushing:
    """How to push."""

    public: bool | None
    endpoint: str | None
    verify: bool
    retry_wait: float
    rescore: tuple[str, ...] = ()
    """What re-scores the stored runs of the release that was corrected."""


def send(release: BuiltRelease, repo_id: str, how: Pushing, as_json: bool) -> None:
    """Push, verify, put on main, set the visibility; every step is left out that was done by an earlier run.

    Raises:
        UsageError: no login, no right, or the tag is taken by other content.
        Incomplete: the Hub failed, or what it gives back is not what was built.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.utils.tqdm import disable_progress_bars

    from benchwright.curation.release.push import push_release, set_visibility
    from benchwright.curation.release.remote import HubError
    from benchwright.curation.release.verify import GoneError, VerificationError

    if not stderr_is_a_terminal():
        disable_progress_bars()
    api = HfApi(endpoint=how.endpoint)
    tag = release.manifest.tag
    result: dict[str, Any] = {
        "repo_id": repo_id,
        "tag": tag,
        "rows": release.manifest.rows,
        "verified": False,
        "rescore": list(how.rescore),
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
    except HubError as error:
        if as_json:  # what was done before it failed
            emit(result, None, as_json)
        raise Incomplete(str(error)) from error
    except GoneError as error:
        raise Incomplete(f"{error} Run the same command again: it makes it anew.") from error
    except VerificationError as error:
        raise Incomplete(f"{error} {_left(pushed)} Run the same command again.") from error
    _show_push(result, as_json, f"evaluate {repo_id}@{tag} --model baseline/random")


def _verified(release: BuiltRelease, pushed: Pushed, api: HfApi, how: Pushing) -> Verification:
    """The verification; after a second push, files that the Hub has lost are sent once more."""
    from benchwright.curation.release.push import send_again
    from benchwright.curation.release.verify import verify_release

    def verify() -> Verification:
        with ExitStack() as stack:
            return verify_release(
                pushed.repo_id,
                pushed.tag,
                release.folder,
                pushed.card_sha256,
                how.endpoint,
                report=reporter(stack, "verifying"),
            )

    say(f"verifying: {pushed.repo_id} at {pushed.tag}, in a fresh process with an empty cache")
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
    mend = (
        "The Hub was offered these files again and kept what it has: tell those who run it, then run the same command."
        if pushed.repeated
        else "Run the same command again: it sends what the Hub has lost."
    )
    raise Incomplete(
        f"{pushed.repo_id} at {pushed.tag} is not what was built ({len(failures)} differing). {_left(pushed)} {mend}"
    )


def _left(pushed: Pushed) -> str:
    """What readers see after a verification that did not hold."""
    return "It was not made public." if pushed.on_main else "Main is as it was."


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
    if result["rescore"] and not as_json:
        click.echo("Stored runs of the corrected release; each of these shows both scores:")
        for command in result["rescore"]:
            click.echo(f"  {command}")
    emit(result, SummaryTable("Released", ("what", "value"), rows), as_json, next_command)
