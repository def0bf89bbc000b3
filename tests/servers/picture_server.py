"""A real web server of pictures: what it gives at a path can be set, changed while it runs, and is counted."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self


@dataclass(frozen=True)
class Reply:
    """What stands at one path."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    drip: float = 0.0
    """Seconds between single bytes."""
    declared: int | None = None
    """Length that is promised, where it is another than the body's."""


class PictureServer:
    """Serves `replies` on a free port of this machine.

    Args:
        replies: path -> what stands there; may be changed at any time.
        on_request: called with the path before each reply.
        certificate: a PEM file with key and certificate: https instead of http.
    """

    def __init__(
        self,
        replies: dict[str, Reply],
        on_request: Callable[[str], None] = lambda path: None,
        certificate: Path | None = None,
    ) -> None:
        self.replies, self.requests, self.hosts = replies, [], []  # type: ignore[var-annotated]
        self.most_at_once, self._now, self._lock = 0, 0, threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: object) -> None:
                pass

            def do_GET(self) -> None:
                with server._lock:
                    server.requests.append(self.path)
                    server.hosts.append(self.headers.get("Host"))
                    server._now += 1
                    server.most_at_once = max(server.most_at_once, server._now)
                try:
                    on_request(self.path)
                    self._reply(server.replies.get(self.path, Reply(b"nothing here", 404)))
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True
                finally:
                    with server._lock:
                        server._now -= 1

            def _reply(self, reply: Reply) -> None:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header(
                    "Content-Length", str(len(reply.body) if reply.declared is None else reply.declared)
                )
                self.end_headers()
                if not reply.drip:
                    self.wfile.write(reply.body)
                    if reply.declared is not None:
                        self.close_connection = True
                    return
                for byte in reply.body:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    time.sleep(reply.drip)

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.port = self._http.server_address[1]
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True)
        self.url = f"{'https' if certificate else 'http'}://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
