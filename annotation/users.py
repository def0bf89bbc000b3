"""Accounts of reviewers: made so that they can log in, told by pseudonym, forgotten on request.

Label Studio's own call for new users leaves an account without a usable password. So an account is made as a person
would: with the invite link and the sign-up form. Names stand in `people.json` and `label-studio/accounts.json` (both
mode 600).
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from benchwright.annotation.client import ReviewServer, ServerTrouble
from benchwright.annotation.connection import Connection
from benchwright.annotation.jobs.base import ReviewJob
from benchwright.annotation.people import People
from benchwright.annotation.private import read_private, write_private
from benchwright.annotation.projects import our_projects
from benchwright.annotation.pull import pull_job
from benchwright.annotation.server import USERNAME
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import JOBS, Review
from benchwright.schemas.journal import Journal
from benchwright.schemas.records import Record
from benchwright.schemas.review_states import current_states
from benchwright.schemas.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    import httpx

LOCAL_DOMAIN = "benchwright.localhost"
"""Of the addresses made for plain names. Reserved: no mail can be sent there."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,60}")
_ADDRESS = re.compile(_NAME.pattern + r"@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
_PASSWORD_BYTES = 12
_LIMIT = 60.0


class Account(Record):
    """An account that we made."""

    email: str
    url: str
    """The server it is on."""
    token: str | None
    """Its legacy token; None where the server gave none."""


class AccountsFile(Record):
    """What `label-studio/accounts.json` holds."""

    accounts: tuple[Account, ...] = ()


@dataclass(frozen=True)
class NewUser:
    """An account just made. The password is kept nowhere."""

    name: str
    pseudonym: str
    email: str
    password: str


@dataclass(frozen=True)
class ListedUser:
    """One reviewer, without the name."""

    pseudonym: str
    account: Literal["active", "none", "unknown", "forgotten"]
    """Whether the server has an account for them; unknown where no server was asked."""
    reviews: int
    """Tasks they submitted, in all jobs."""


@dataclass(frozen=True)
class Forgotten:
    """What became of somebody."""

    pseudonym: str | None
    """The one whose name was erased; None where they had none."""
    account: Literal["deleted", "none", "kept", "not asked"]
    why: str = ""
    """Why the account was kept."""


def accounts_path(workspace: Workspace) -> Path:
    """Tokens of the accounts that we made, mode 600."""
    return workspace.label_studio / "accounts.json"


def account_email(name: str) -> str:
    """The address that an account is made for: a given one, or one below a domain that does not exist.

    Raises:
        UsageError: the name is neither a plain name nor an address.
    """
    if _ADDRESS.fullmatch(name):
        return name.lower()
    if _NAME.fullmatch(name):
        return f"{name.lower()}@{LOCAL_DOMAIN}"
    raise UsageError(
        f"{name!r} cannot be an account: give a name of letters, digits, '.', '_', '-' (it becomes "
        f"NAME@{LOCAL_DOMAIN}), or an e-mail address."
    )


def add_users(server: ReviewServer, workspace: Workspace, names: Sequence[str]) -> Iterator[NewUser]:
    """Make accounts, one after the other; each is complete when it is handed out.

    Raises:
        UsageError: a name cannot be one, is given twice, or has an account already. Nothing was made then.
        ServerTrouble: the server refused or failed; those handed out before can log in.
    """
    wanted = {name: account_email(name) for name in names}
    taken = {email.lower() for email in server.emails().values()}
    if len(set(wanted.values())) < len(names):
        raise UsageError("a name is given twice: each account needs its own.")
    if there := [name for name, email in wanted.items() if email in taken]:
        raise UsageError(
            f"{', '.join(there)} has an account already: leave it away, or `annotate users forget` it first."
        )
    invitation = server.invitation()
    for name, email in wanted.items():
        password = secrets.token_urlsafe(_PASSWORD_BYTES)
        token = sign_up(server.connection, invitation, email, password)
        _keep(workspace, Account(email=email, url=server.connection.url, token=token))
        people = People(workspace)
        people.admit([email])
        yield NewUser(name, people.pseudonym(email), email, password)


def sign_up(connection: Connection, invitation: str, email: str, password: str) -> str | None:
    """Make an account through the sign-up form; returns its legacy token, if the server gives one.

    Raises:
        ServerTrouble: the form was refused, or the outcome is unknown.
    """
    import httpx

    try:
        with _visitor(connection) as visitor:
            page = visitor.get("/user/signup/", params={"token": invitation})
            form = {"email": email, "password": password, "allow_newsletters": "false"}
            reply = _submit(visitor, page, "/user/signup/", form, {"token": invitation})
            if reply.status_code != 302:
                raise ServerTrouble(
                    f"the server did not make the account {email} (HTTP {reply.status_code}): {_words(reply.text)}"
                )
            cookies = {**_cookies(page), **_cookies(reply)}
            answer = visitor.get("/api/current-user/token", headers=_cookie_header(cookies))
            return str(answer.json()["token"]) if answer.status_code == 200 else None
    except httpx.HTTPError as error:
        raise ServerTrouble(f"sign-up of {email}: {type(error).__name__}: {error}") from error


def uninvited_may_sign_up(connection: Connection) -> bool:
    """Whether a stranger without the invite link can make an account there; asked with a form that makes none.

    Raises:
        ServerTrouble: the server does not answer.
    """
    import httpx

    try:
        with _visitor(connection) as visitor:
            page = visitor.get("/user/signup/")
            return _submit(visitor, page, "/user/signup/", {"email": "", "password": ""}).status_code == 200
    except httpx.HTTPError as error:
        raise ServerTrouble(f"sign-up page: {type(error).__name__}: {error}") from error


def list_users(workspace: Workspace, server: ReviewServer | None) -> list[ListedUser]:
    """Everybody with a pseudonym, sorted by it: those in `people.json`, forgotten ones, and authors of reviews."""
    people = People(workspace)
    there = None if server is None else {email.lower() for email in server.emails().values()}
    done = _submitted(workspace)
    found = []
    for pseudonym in sorted({*people.emails, *people.forgotten, *done}):
        email = people.emails.get(pseudonym)
        account: Literal["active", "none", "unknown", "forgotten"]
        if pseudonym in people.forgotten:
            account = "forgotten"
        elif email is None:
            account = "none"
        elif there is None:
            account = "unknown"
        else:
            account = "active" if email.lower() in there else "none"
        found.append(ListedUser(pseudonym, account, done.get(pseudonym, 0)))
    return found


def forget_user(
    server: ReviewServer | None, workspace: Workspace, jobs: Mapping[str, ReviewJob], name: str
) -> Forgotten:
    """Erase who is behind a pseudonym: the account, its token, the name. What they reviewed stays under the pseudonym.

    Their answers are pulled first, since the server forgets with the account whose they were.

    Args:
        server: where the account is; None erases the name on this machine alone.
        workspace: whose `people.json`.
        jobs: review jobs to pull.
        name: pseudonym, address, or the name an account was made for.

    Raises:
        UsageError: nobody is called that, or it is the server's owner.
        ServerTrouble: the server failed; the name is still there, run again.
    """
    people = People(workspace)
    emails = {} if server is None else server.emails()
    email = people.find(name) or _on_server(emails, name)
    if email is None:
        raise UsageError(f"nobody is called {name!r} here: `annotate users list --names` shows who is known.")
    if email == USERNAME or (server is not None and email == server.check()):
        raise UsageError(f"{name} is the account that the commands themselves use: it cannot be forgotten.")
    account: Literal["deleted", "none", "kept", "not asked"] = "not asked" if server is None else "none"
    why = ""
    number = next((number for number, known in emails.items() if known.lower() == email.lower()), None)
    if server is not None and number is not None:
        for job in jobs.values():
            if our_projects(server, workspace, job):
                pull_job(server, workspace, job)
        account, why = _delete(server, number)
    people = People(workspace)
    pseudonym = people.forget(email) if email in people.emails.values() else None
    _drop(workspace, email)
    return Forgotten(pseudonym, account, why)


def _delete(server: ReviewServer, number: int) -> tuple[Literal["deleted", "kept"], str]:
    try:
        server.delete_account(number)
    except ServerTrouble as error:
        if number in server.emails():
            return "kept", str(error)
    return "deleted", ""


def _on_server(emails: Mapping[int, str], name: str) -> str | None:
    """An account without a pseudonym: somebody who was invited and reviewed nothing yet."""
    wanted = {name.lower(), f"{name.lower()}@{LOCAL_DOMAIN}"}
    return next((email for email in emails.values() if email.lower() in wanted), None)


def _submitted(workspace: Workspace) -> dict[str, int]:
    tasks: dict[str, set[str]] = {}
    for job in JOBS:
        path = workspace.reviews(job)
        for review in current_states(Journal(path).read(Review)) if path.is_file() else ():
            if review.state == "submitted":
                tasks.setdefault(review.pseudonym, set()).add(f"{job}/{review.annotation_id}")
    return {who: len(mine) for who, mine in tasks.items()}


def _keep(workspace: Workspace, account: Account) -> None:
    known = (read_private(accounts_path(workspace), AccountsFile) or AccountsFile()).accounts
    write_private(accounts_path(workspace), AccountsFile(accounts=(*known, account)))


def _drop(workspace: Workspace, email: str) -> None:
    known = read_private(accounts_path(workspace), AccountsFile)
    if known is not None:
        kept = tuple(account for account in known.accounts if account.email.lower() != email.lower())
        write_private(accounts_path(workspace), AccountsFile(accounts=kept))


def _visitor(connection: Connection) -> httpx.Client:
    """A browser of its own: no cookie of ours, and none of its cookies elsewhere."""
    import httpx

    return httpx.Client(
        base_url=connection.url, timeout=_LIMIT, trust_env=not connection.loopback, follow_redirects=False
    )


def _submit(
    visitor: httpx.Client,
    page: httpx.Response,
    path: str,
    form: Mapping[str, str],
    query: Mapping[str, str] | None = None,
) -> httpx.Response:
    """Send a form as its page asks for it, with the token against forged requests."""
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    if page.status_code != 200 or found is None:
        raise ServerTrouble(f"{path} shows no form (HTTP {page.status_code})")
    return visitor.post(
        path,
        params=query,
        data={**form, "csrfmiddlewaretoken": found[1]},
        headers={**_cookie_header(_cookies(page)), "Referer": str(page.url)},
    )


def _cookies(reply: httpx.Response) -> dict[str, str]:
    return {cookie.name: cookie.value or "" for cookie in reply.cookies.jar}


def _cookie_header(cookies: Mapping[str, str]) -> dict[str, str]:
    """Sent by hand: behind a TLS proxy they are marked as secure, and we talk to the server below the proxy."""
    return {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}


def _words(page: str) -> str:
    """The complaints of a form's page."""
    errors = re.findall(r'class="[^"]*error[^"]*"[^>]*>(.*?)</', page, flags=re.DOTALL)
    text = " ".join(re.sub(r"<[^>]+>", " ", " ".join(errors) or page).split())
    return text[:200]
