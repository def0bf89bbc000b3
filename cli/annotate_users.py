"""`annotate users`: accounts of the people who review."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.cli.annotate_server import open_server, token_option, url_option
from benchwright.cli.common import (
    Incomplete,
    SummaryTable,
    emit,
    json_option,
    open_workspace,
    say,
    workspace_option,
)


@click.group()
def users() -> None:
    """Make, list and forget the accounts of reviewers."""


@users.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@workspace_option
@url_option
@token_option
@json_option
def add(
    names: tuple[str, ...], workspace: Path | None, url: str | None, token: str | None, as_json: bool
) -> None:
    """Make an account for each NAME (a plain name, or an e-mail address); their passwords are shown once, here."""
    from benchwright.annotation.client import ServerTrouble
    from benchwright.annotation.users import accounts_path, add_users, uninvited_may_sign_up

    space = open_workspace(workspace)
    made, trouble = [], None
    with open_server(space, url, token) as server:
        if uninvited_may_sign_up(server.connection):
            say(
                f"{server.connection.url} lets anybody sign up: start it with "
                "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK=true"
            )
        try:
            for user in add_users(server, space, names):
                made.append(user)
        except ServerTrouble as error:
            trouble = error
    rows = [(user.pseudonym, user.name, user.email, user.password) for user in made]
    table = SummaryTable("Passwords are shown once", ("pseudonym", "name", "log in as", "password"), rows)
    emit({"users": [vars(user) for user in made]}, table, as_json)
    say(f"tokens: {accounts_path(space)} (private); each can change the password under Account & Settings")
    if trouble is not None:
        raise Incomplete(f"{len(names) - len(made)} of {len(names)} accounts were not made ({trouble}).")


@users.command("list")
@click.option("--names", is_flag=True, help="Show the names too: here alone, from the private people.json.")
@workspace_option
@url_option
@token_option
@json_option
def list_(names: bool, workspace: Path | None, url: str | None, token: str | None, as_json: bool) -> None:
    """Everybody with a pseudonym: whether their account is active, how many tasks they submitted."""
    from benchwright.annotation.people import People
    from benchwright.annotation.server import running_server
    from benchwright.annotation.users import list_users

    space = open_workspace(workspace)
    if url is None and running_server(space) is None:
        found = list_users(space, None)
        say("no review server runs: whether accounts are active is not known")
    else:
        with open_server(space, url, token) as server:
            found = list_users(space, server)
    known = People(space).emails if names else {}
    columns = ("pseudonym", "account", "tasks submitted", *(("name",) if names else ()))
    rows = [
        (
            *(user.pseudonym, user.account, user.reviews),
            *((known.get(user.pseudonym, ""),) if names else ()),
        )
        for user in found
    ]
    listed = [{**vars(user), **({"name": known.get(user.pseudonym)} if names else {})} for user in found]
    emit({"users": listed}, SummaryTable("annotate users list", columns, rows), as_json)


@users.command()
@click.argument("name")
@click.option(
    "--name-only",
    is_flag=True,
    help="Ask no server: erase the name on this machine, where the server is gone.",
)
@workspace_option
@url_option
@token_option
@json_option
def forget(
    name: str, name_only: bool, workspace: Path | None, url: str | None, token: str | None, as_json: bool
) -> None:
    """Erase who NAME is (pseudonym, name or address): account, token, name. The pseudonym's reviews stay.

    Their answers are pulled first. Drafts that they did not submit go with the account.
    """
    from benchwright.annotation.jobs import REVIEW_JOBS
    from benchwright.annotation.users import forget_user

    space = open_workspace(workspace)
    if name_only:
        gone = forget_user(None, space, REVIEW_JOBS, name)
    else:
        with open_server(space, url, token) as server:
            gone = forget_user(server, space, REVIEW_JOBS, name)
    words = f"{gone.pseudonym}: the name is erased" if gone.pseudonym else "no pseudonym had that name"
    rows = [(words, gone.account)]
    emit(vars(gone), SummaryTable("annotate users forget", ("name", "account"), rows), as_json)
    if gone.account == "kept":
        raise Incomplete(
            f"the account is still on the server ({gone.why}): its owner can delete it there, and answers given with "
            "it from now on would get a new pseudonym."
        )
