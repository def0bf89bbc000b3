"""Where the managed server listens, and under which address people reach it.

Label Studio speaks plain HTTP. On the loopback interface that stays on the machine; anywhere else passwords and
unreleased questions would be readable on the way, so a TLS proxy has to stand before it.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from benchwright.schemas.errors import UsageError

LOOPBACK = "127.0.0.1"
ANYWHERE = "0.0.0.0"


@dataclass(frozen=True)
class Exposure:
    """A checked pair of bind address and public address; `expose` makes one."""

    bind: str = LOOPBACK
    """IPv4 address that the server listens on."""
    public_url: str | None = None
    """What people type, without a path; None: the bind address itself."""

    @property
    def reached_at(self) -> str:
        """The address at which this machine reaches the server."""
        return LOOPBACK if self.bind == ANYWHERE else self.bind

    def variables(self) -> dict[str, str]:
        """The server's settings for its public address: which hosts and origins it answers, cookies by TLS alone."""
        if self.public_url is None:
            return {}
        parts = urlsplit(self.public_url)
        hosts = dict.fromkeys((str(parts.hostname), self.reached_at, LOOPBACK, "localhost"))
        found = {
            "LABEL_STUDIO_CSRF_TRUSTED_ORIGINS": self.public_url,
            "LABEL_STUDIO_ALLOWED_HOSTS": ",".join(hosts),
        }
        if parts.scheme == "https":
            found |= {"LABEL_STUDIO_SESSION_COOKIE_SECURE": "1", "LABEL_STUDIO_CSRF_COOKIE_SECURE": "1"}
        return found


def expose(bind: str = LOOPBACK, public_url: str | None = None, *, insecure: bool = False) -> Exposure:
    """Check where a server shall listen.

    Args:
        bind: IPv4 address of this machine, `0.0.0.0` for all of them, or `localhost`.
        public_url: `https://review.example.org`, the address of the TLS proxy before it.
        insecure: plain HTTP is accepted on an address that others can reach.

    Raises:
        UsageError: no such kind of address, or passwords would travel readable.
    """
    address = _address(bind)
    public = None if public_url is None else _public(public_url)
    secure = address.is_loopback if public is None else public.startswith("https://")
    if not secure and not insecure:
        named = f"{public} is" if public else f"--bind {bind} would be"
        raise UsageError(
            f"{named} plain HTTP that others can read: put a TLS proxy before the server and name its address with "
            "--public-url https://..., leave both away to serve this machine alone, or accept it with --insecure."
        )
    return Exposure(str(address), public)


def _address(bind: str) -> ipaddress.IPv4Address:
    try:
        return ipaddress.IPv4Address(LOOPBACK if bind == "localhost" else bind)
    except ValueError as error:
        raise UsageError(
            f"--bind {bind} is no IPv4 address: give one of this machine's, e.g. 192.0.2.7, or 0.0.0.0 for all of them."
        ) from error


def _public(url: str) -> str:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == -1:
        raise UsageError(f"--public-url {url} is no web address: write it like https://review.example.org.")
    if parts.path.strip("/") or parts.query or parts.fragment or parts.username:
        raise UsageError(
            f"--public-url {url} says more than scheme, host and port: give the review server a host name of its own, "
            "like https://review.example.org."
        )
    return f"{parts.scheme}://{parts.netloc}"
