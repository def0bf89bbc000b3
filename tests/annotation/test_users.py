"""Accounts made, logged in with, listed and forgotten on a real server that stands behind a public https address."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from benchwright.annotation.client import ReviewServer
from benchwright.annotation.connection import find_connection
from benchwright.annotation.exposure import expose
from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.annotation.people import People
from benchwright.annotation.projects import our_projects
from benchwright.annotation.pull import pull_job
from benchwright.annotation.push import push_job
from benchwright.annotation.server import USERNAME, ManagedServer
from benchwright.annotation.users import account_email, accounts_path, uninvited_may_sign_up
from benchwright.cli.annotate import annotate
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Review
from benchwright.schemas.journal import Journal
from benchwright.schemas.workspace import Workspace

PUBLIC = "https://review.example.org"
JOB = TaggingJob()
OPTICS_3 = [
    {"from_name": name, "to_name": "question", "type": "choices", "value": {"choices": [value]}}
    for name, value in (("subject", "optics"), ("difficulty", "3"))
]


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory, make_workspace) -> Iterator[Workspace]:
    """A workspace whose server is told that people reach it through a TLS proxy."""
    workspace = make_workspace(tmp_path_factory.mktemp("public"), 3, name="users-test")
    with ManagedServer(workspace, print, exposure=expose(public_url=PUBLIC)):
        yield workspace


@pytest.fixture
def server(public: Workspace) -> Iterator[ReviewServer]:
    with ReviewServer(find_connection(public)) as client:
        yield client


def run(workspace: Workspace, *arguments: str) -> Result:
    return CliRunner().invoke(annotate, ["users", *arguments, "--workspace", str(workspace.root)])


def add(workspace: Workspace, *names: str) -> list[dict[str, str]]:
    done = run(workspace, "add", *names, "--json")
    assert done.exit_code == 0, done.output
    users: list[dict[str, str]] = json.loads(done.stdout)["users"]
    return users


class Proxied:
    """A browser behind the TLS proxy: what it sends arrives with the public host and origin, over plain HTTP."""

    def __init__(self, url: str) -> None:
        self.cookies: dict[str, str] = {}
        self.url = url

    def ask(self, method: str, path: str, origin: str = PUBLIC, **form: str) -> httpx.Response:
        headers = {"Host": "review.example.org", "Origin": origin, "Referer": f"{origin}{path}"}
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        reply = httpx.request(
            method, self.url + path, data=form or None, headers=headers, timeout=60.0, trust_env=False
        )
        self.cookies |= {cookie.name: cookie.value or "" for cookie in reply.cookies.jar}
        return reply

    def log_in(self, email: str, password: str, origin: str = PUBLIC) -> httpx.Response:
        page = self.ask("GET", "/user/login/")
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
        assert token is not None
        form = {"email": email, "password": password, "csrfmiddlewaretoken": token[1]}
        return self.ask("POST", "/user/login/", origin, **form)

    def who(self) -> str | None:
        reply = self.ask("GET", "/api/current-user/whoami")
        return str(reply.json()["email"]) if reply.status_code == 200 else None


@pytest.mark.labelstudio
def test_new_accounts_log_in_through_the_form(public: Workspace, server: ReviewServer) -> None:
    first, second = add(public, "Mei", "joao@example.org")
    assert (first["email"], second["email"]) == ("mei@benchwright.localhost", "joao@example.org")
    assert [first["pseudonym"], second["pseudonym"]] == ["A01", "A02"]
    assert first["password"] != second["password"] and len(first["password"]) >= 16
    for user in (first, second):
        browser = Proxied(server.connection.url)
        assert browser.who() is None
        reply = browser.log_in(user["email"], user["password"])
        assert reply.status_code == 302 and browser.who() == user["email"]
        cookies = reply.headers.get_list("set-cookie")
        assert any("sessionid=" in cookie and "Secure" in cookie for cookie in cookies), cookies
        projects = browser.ask("GET", "/api/projects/")
        assert projects.status_code == 200, "an account without an organization may not even list"
    wrong = Proxied(server.connection.url)
    assert wrong.log_in(first["email"], second["password"]).status_code == 200 and wrong.who() is None
    forged = Proxied(server.connection.url)
    assert forged.log_in(first["email"], first["password"], "https://elsewhere.example").status_code == 403

    path = accounts_path(public)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert first["password"] not in path.read_text() + public.people.read_text()
    tokens = {a["email"]: a["token"] for a in json.loads(path.read_text())["accounts"]}
    mine = httpx.get(
        f"{server.connection.url}/api/current-user/whoami",
        headers={"Authorization": f"Token {tokens['joao@example.org']}"},
        timeout=60.0,
        trust_env=False,
    )
    assert mine.json()["email"] == "joao@example.org"


@pytest.mark.labelstudio
def test_names_that_cannot_be_made_make_nothing(public: Workspace, server: ReviewServer) -> None:
    (there,) = add(public, "there")
    before = server.emails()
    for names, words in (
        (["new-one", "there"], "there has an account already"),
        (["new-one", there["email"].upper()], "has an account already"),
        (["new-one", "New-One"], "given twice"),
        (["new-one", "two words"], "cannot be an account"),
    ):
        done = run(public, "add", *names)
        assert isinstance(done.exception, UsageError) and words in str(done.exception), done.output
    assert server.emails() == before


@pytest.mark.labelstudio
def test_strangers_cannot_sign_up_and_other_hosts_are_not_answered(
    public: Workspace, server: ReviewServer
) -> None:
    assert not uninvited_may_sign_up(server.connection)
    address = f"{server.connection.url}/user/login/"
    other = httpx.get(address, headers={"Host": "evil.example"}, timeout=60.0, trust_env=False)
    assert other.status_code == 400
    # With the invite link the same empty form is shown again: the answer above is about the link.
    page = httpx.get(
        f"{server.connection.url}/user/signup/",
        params={"token": server.invitation()},
        timeout=60.0,
        trust_env=False,
    )
    assert page.status_code == 200


def submit(server: ReviewServer, workspace: Workspace, token: str, task: int) -> None:
    with ReviewServer(server.connection.model_copy(update={"token": token})) as theirs:
        theirs._request(
            "POST", f"/api/tasks/{task}/annotations/", payload={"result": OPTICS_3, "lead_time": 9.0}
        )


def words_of(workspace: Workspace) -> list[tuple[str, str, str, Any]]:
    reviews = Journal(workspace.reviews("tagging")).read(Review)
    return sorted((r.item_id, r.field, f"{r.pseudonym} {r.state}", r.value) for r in reviews)


@pytest.mark.labelstudio
def test_forgetting_erases_the_name_and_keeps_the_reviews(public: Workspace, server: ReviewServer) -> None:
    (user,) = add(public, "gone.soon")
    pseudonym = user["pseudonym"]
    tokens = {a["email"]: a["token"] for a in json.loads(accounts_path(public).read_text())["accounts"]}
    (page,) = push_job(server, public, JOB)
    assert page.project is not None
    first, second = [task.id for task in server.tasks(page.project)][:2]
    submit(server, public, tokens[user["email"]], first)
    pull_job(server, public, JOB)
    submit(server, public, tokens[user["email"]], second)  # not pulled yet

    listed = json.loads(run(public, "list", "--json").stdout)["users"]
    (mine,) = [row for row in listed if row["pseudonym"] == pseudonym]
    assert mine == {"pseudonym": pseudonym, "account": "active", "reviews": 1}
    assert "gone.soon" not in run(public, "list").stdout
    assert "gone.soon@" in run(public, "list", "--names").stdout

    done = run(public, "forget", "gone.soon", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {"pseudonym": pseudonym, "account": "deleted", "why": ""}
    kept = words_of(public)
    assert {words for _, _, words, _ in kept} == {f"{pseudonym} submitted"}
    assert len({item for item, *_ in kept}) == 2, "what was not pulled yet must not be lost"
    private = [public.people, *public.label_studio.glob("*.json")]
    assert not any("gone.soon" in path.read_text() for path in private)
    assert user["email"] not in server.emails().values()
    assert Proxied(server.connection.url).log_in(user["email"], user["password"]).status_code == 200

    # The server has forgotten whose they were; the pseudonym stays with them, and nobody else becomes it.
    people = dict(People(public).emails)
    pull_job(server, public, JOB, full=True)
    assert words_of(public) == kept
    assert People(public).emails == people
    (after,) = add(public, "gone.soon")
    assert after["pseudonym"] not in {pseudonym, *people}
    listed = {row["pseudonym"]: row for row in json.loads(run(public, "list", "--json").stdout)["users"]}
    assert (listed[pseudonym]["account"], listed[pseudonym]["reviews"]) == ("forgotten", 2)
    assert len(our_projects(server, public, JOB)) == 1


@pytest.mark.labelstudio
def test_the_owner_and_strangers_cannot_be_forgotten(public: Workspace, server: ReviewServer) -> None:
    for name, words in ((USERNAME, "commands themselves use"), ("nobody-here", "nobody is called")):
        done = run(public, "forget", name)
        assert isinstance(done.exception, UsageError) and words in str(done.exception), done.output
    assert server.check() == USERNAME


@pytest.mark.labelstudio
def test_an_account_the_server_will_not_delete_is_told(public: Workspace, server: ReviewServer) -> None:
    asking, kept = add(public, "asking", "kept")
    tokens = {a["email"]: a["token"] for a in json.loads(accounts_path(public).read_text())["accounts"]}
    given = ["--url", server.connection.url, "--token", tokens[asking["email"]]]
    done = run(public, "forget", "kept", *given)
    assert done.exit_code == 1 and "the account is still on the server" in done.output, done.output
    assert kept["email"] in server.emails().values()
    assert People(public).find("kept") is None


def test_without_a_server_names_are_erased_here_and_lists_say_so(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path / "ws", 1, name="no-server")
    People(workspace).admit(["a@example.org", "b@example.org"])
    done = run(workspace, "forget", "A02", "--name-only", "--json")
    assert json.loads(done.stdout) == {"pseudonym": "A02", "account": "not asked", "why": ""}
    rows = json.loads(run(workspace, "list", "--json", "--names").stdout)["users"]
    assert [(row["pseudonym"], row["account"], row["name"]) for row in rows] == [
        ("A01", "unknown", "a@example.org"),
        ("A02", "forgotten", None),
    ]
    People(workspace).admit(["c@example.org"])
    assert People(workspace).pseudonym("c@example.org") == "A03", "A02 is somebody's for ever"
    assert stat.S_IMODE(workspace.people.stat().st_mode) == 0o600


def test_two_who_give_pseudonyms_at_once_give_different_ones(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path / "ws", 1, name="two-writers")
    early, late = People(workspace), People(workspace)
    late.admit(["first@example.org"])
    early.admit(["second@example.org"])
    assert People(workspace).emails == {"A01": "first@example.org", "A02": "second@example.org"}


@pytest.mark.parametrize("name", ["", "two words", "-x", "a@b", "名", "a@b.c@d.e", "x" * 80, "a\nb"])
def test_what_cannot_be_an_account(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be an account"):
        account_email(name)
