"""Fetching one picture from the public web, and from nowhere else.

Every host name is resolved here, every address that it resolves to must be public, and the connection goes to the
address that was checked: a name that means another address a moment later changes nothing. The same holds after each
redirect. Proxies of the environment are not used, since a proxy would resolve names by itself.
"""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Callable, Collection, Iterable
from ssl import SSLContext
from typing import Any
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

import httpcore

from benchwright.schemas.errors import ImageRejected

Resolver = Callable[[str, int], Iterable[str]]
_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_REDIRECTS = 5
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_USER_AGENT = b"benchwright (fetches pictures of question sources once)"


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host by the system's own resolver, in its order.

    Raises:
        OSError: the name does not resolve.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(address: str) -> bool:
    """Whether an address is one of the public internet, also in what is wrapped in it (IPv4 in IPv6, 6to4, NAT64)."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour
        if parsed in _NAT64:
            inner = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        if parsed.teredo is not None or parsed.is_site_local or int(parsed) < 2**32:
            return False
    return parsed.is_global and not (
        parsed.is_multicast or parsed.is_reserved or parsed.is_unspecified or parsed.is_link_local
    )


def checked_addresses(
    host: str, port: int, allow_hosts: Collection[str], resolver: Resolver = resolve
) -> list[str]:
    """Resolve a host and refuse it when any of its addresses is not public.

    Args:
        host: name or address.
        port: the port.
        allow_hosts: hosts, as `host` or `host:port`, that may have addresses which are not public.
        resolver: tells the addresses of a name.

    Raises:
        ImageRejected: `fetch-not-public`, or `fetch-failed` for a name that does not resolve.
    """
    try:
        addresses = list(resolver(host, port))
    except (OSError, UnicodeError) as error:
        raise ImageRejected("fetch-failed", f"{host} does not resolve ({error})") from error
    if not addresses:
        raise ImageRejected("fetch-failed", f"{host} has no address")
    if not {host, f"{host}:{port}", f"[{host}]:{port}"} & set(allow_hosts):
        inner = [address for address in addresses if not is_public(address)]
        if inner:
            raise ImageRejected(
                "fetch-not-public", f"{host} is {inner[0]}, no public address: nothing was sent to it"
            )
    return addresses


class PictureClient:
    """Fetches pictures one after another over at most one connection.

    Args:
        max_bytes: a longer reply is cut off and refused.
        seconds: for one picture in all, redirects included, however slowly the bytes drip.
        allow_hosts: see `checked_addresses`; from `[fetch] allow_hosts`, for servers of one's own network.
        resolver: tells the addresses of a name; the system's own by default.
        certificates: whom https servers are trusted by; the usual authorities by default.
    """

    def __init__(
        self,
        max_bytes: int,
        seconds: float = 60.0,
        allow_hosts: Collection[str] = (),
        resolver: Resolver = resolve,
        certificates: SSLContext | None = None,
    ) -> None:
        self._max_bytes, self._seconds = max_bytes, seconds
        self._backend = _CheckedBackend(allow_hosts, resolver)
        self._pool = httpcore.ConnectionPool(
            certificates, max_connections=1, max_keepalive_connections=1, network_backend=self._backend
        )

    def close(self) -> None:
        """Close the connection."""
        self._pool.close()

    def get(self, url: str) -> bytes:
        """The bytes at a URL.

        Raises:
            ImageRejected: `fetch-bad-url`, `fetch-not-public`, `fetch-failed` or `too-many-bytes`.
        """
        self._backend.deadline = time.monotonic() + self._seconds
        here = wire_url(url)
        for _ in range(_MOST_REDIRECTS + 1):
            try:
                reply = self._once(here)
            except (httpcore.TimeoutException, TimeoutError) as error:
                raise ImageRejected("fetch-failed", f"no whole picture within {self._seconds:g} s") from error
            except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
                raise ImageRejected("fetch-failed", f"{type(error).__name__}") from error
            if isinstance(reply, bytes):
                return reply
            if here.startswith("https:") and urlsplit(urljoin(here, reply)).scheme == "http":
                raise ImageRejected("fetch-failed", "a redirect from https to http")
            here = wire_url(urljoin(here, reply))
        raise ImageRejected("fetch-failed", f"more than {_MOST_REDIRECTS} redirects")

    def _once(self, url: str) -> bytes | str:
        """The reply's bytes, or where it redirects to."""
        headers = [(b"Accept", b"image/*"), (b"Accept-Encoding", b"identity"), (b"User-Agent", _USER_AGENT)]
        limits = dict.fromkeys(("connect", "read", "write", "pool"), self._seconds)
        with self._pool.stream("GET", url, headers=headers, extensions={"timeout": limits}) as response:
            found = {key.lower(): value for key, value in response.headers}
            if response.status in _REDIRECTS and b"location" in found:
                return found[b"location"].decode("latin-1")
            if response.status != 200:
                raise ImageRejected("fetch-failed", f"the server replied {response.status}")
            if found.get(b"content-encoding", b"identity").lower() != b"identity":
                raise ImageRejected("fetch-failed", "the reply is compressed, which was not asked for")
            body = bytearray()
            for chunk in response.iter_stream():
                body += chunk
                if len(body) > self._max_bytes:
                    raise ImageRejected("too-many-bytes", f"more than {self._max_bytes} bytes")
            return bytes(body)


def wire_url(url: str) -> str:
    """A URL as it is sent: ASCII, without fragment.

    Raises:
        ImageRejected: `fetch-bad-url`: not http(s), without host, or with a name and password in it.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ImageRejected("fetch-bad-url", str(error)) from error
    if parts.scheme.lower() not in ("http", "https") or not host:
        raise ImageRejected("fetch-bad-url", "neither http nor https, or without a host")
    if parts.username is not None or parts.password is not None:
        raise ImageRejected("fetch-bad-url", "a name or password stands in it")
    try:
        name = f"[{host}]" if ":" in host else host.encode("idna").decode("ascii")
    except UnicodeError as error:
        raise ImageRejected("fetch-bad-url", f"{host!r} is no host name") from error
    place = name if port is None else f"{name}:{port}"
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
    return urlunsplit((parts.scheme.lower(), place, path, query, ""))


class _CheckedBackend(httpcore.NetworkBackend):
    """Connects to addresses that were checked, and holds every step to one deadline."""

    def __init__(self, allow_hosts: Collection[str], resolver: Resolver) -> None:
        self._allow_hosts, self._resolver = allow_hosts, resolver
        self._inner = httpcore.SyncBackend()
        self.deadline = 0.0

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore.NetworkStream:
        failed: Exception | None = None
        for address in checked_addresses(host, port, self._allow_hosts, self._resolver):
            try:
                stream = self._inner.connect_tcp(
                    address, port, time_left(self.deadline), local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
            else:
                return _TimedStream(stream, self)
        raise failed or httpcore.ConnectError("no address")


class _TimedStream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, backend: _CheckedBackend) -> None:
        self._inner, self._backend = inner, backend

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, time_left(self._backend.deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, time_left(self._backend.deadline))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = time_left(self._backend.deadline)
        return _TimedStream(self._inner.start_tls(ssl_context, server_hostname, left), self._backend)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def time_left(deadline: float) -> float:
    """Seconds until a deadline of `time.monotonic`.

    Raises:
        TimeoutError: it has passed.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("the time for this picture is over")
    return left
