"""Where a review server may listen, and what it is told about its public address."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from benchwright.annotation.environment import clean_variables
from benchwright.annotation.exposure import Exposure, expose
from benchwright.annotation.server import ManagedServer
from benchwright.cli.annotate import annotate
from benchwright.schemas.errors import UsageError

PUBLIC = "https://review.example.org"


@pytest.mark.parametrize(
    ("bind", "url", "insecure", "public"),
    [
        ("127.0.0.1", None, False, None),
        ("localhost", None, False, None),
        ("127.0.0.1", PUBLIC, False, PUBLIC),
        ("0.0.0.0", f"{PUBLIC}:8443/", False, f"{PUBLIC}:8443"),
        ("192.0.2.7", None, True, None),
        ("192.0.2.7", "http://review.example.org", True, "http://review.example.org"),
    ],
)
def test_what_is_safe_or_accepted_is_taken(
    bind: str, url: str | None, insecure: bool, public: str | None
) -> None:
    taken = expose(bind, url, insecure=insecure)
    assert taken.public_url == public
    assert taken.reached_at == {"localhost": "127.0.0.1", "0.0.0.0": "127.0.0.1"}.get(bind, bind)


@pytest.mark.parametrize(
    ("bind", "url", "words"),
    [
        ("0.0.0.0", None, r"--bind 0\.0\.0\.0 would be plain HTTP .* --public-url https://.* --insecure"),
        ("192.0.2.7", "http://review.example.org", r"http://review.example.org is plain HTTP .* --insecure"),
        ("127.0.0.1", "http://review.example.org", "is plain HTTP"),
        ("review.example.org", PUBLIC, "is no IPv4 address"),
        ("::", PUBLIC, "is no IPv4 address"),
        ("127.0.0.1", "review.example.org", "is no web address"),
        ("127.0.0.1", "https://review.example.org:port", "is no web address"),
        ("127.0.0.1", f"{PUBLIC}/below", "says more than scheme, host and port"),
        ("127.0.0.1", "https://me@review.example.org", "says more than scheme, host and port"),
    ],
)
def test_what_is_not_is_refused_in_a_sentence_that_says_how_to_mend(
    bind: str, url: str | None, words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        expose(bind, url)


def test_the_command_refuses_before_anything_starts(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path / "ws", 1, name="refused")
    told = CliRunner().invoke(annotate, ["serve", "--bind", "0.0.0.0", "--workspace", str(workspace.root)])
    assert isinstance(told.exception, UsageError) and "--insecure" in str(told.exception)
    assert not workspace.label_studio.exists()


def test_an_address_of_another_machine_is_named(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path / "ws", 1, name="elsewhere")
    server = ManagedServer(workspace, print, exposure=expose("192.0.2.7", PUBLIC))
    with pytest.raises(UsageError, match=r"--bind 192\.0\.2\.7 is no address of this machine"):
        server._free_port()


def test_the_server_is_told_hosts_origins_and_cookies() -> None:
    assert Exposure().variables() == {}
    told = expose("0.0.0.0", PUBLIC).variables()
    assert told == {
        "LABEL_STUDIO_CSRF_TRUSTED_ORIGINS": PUBLIC,
        "LABEL_STUDIO_ALLOWED_HOSTS": "review.example.org,127.0.0.1,localhost",
        "LABEL_STUDIO_SESSION_COOKIE_SECURE": "1",
        "LABEL_STUDIO_CSRF_COOKIE_SECURE": "1",
    }
    plain = expose("192.0.2.7", "http://review.example.org", insecure=True).variables()
    assert "LABEL_STUDIO_SESSION_COOKIE_SECURE" not in plain, "nobody could log in over plain HTTP"


def test_whatever_the_server_asks_of_the_network_goes_to_a_dead_port(tmp_path: Path) -> None:
    variables = clean_variables(tmp_path)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        assert variables[name] == "http://127.0.0.1:9"
    assert variables["LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK"] == "true"
    assert (
        variables["LABEL_STUDIO_COLLECT_ANALYTICS"]
        == variables["LABEL_STUDIO_LATEST_VERSION_CHECK"]
        == "false"
    )
