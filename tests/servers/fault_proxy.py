"""A real HTTP proxy that stands before a real server and spoils chosen requests.

`refuse`: the request never reaches the server, the client gets a 503.
`lose-reply`: the server carries the request out, the client's connection breaks.
"""

from __future__ import annotations

import socket
import threading
import urllib.error
import urllib.request
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

HOP_HEADERS = {
    "connection",
    "content-length",
    "transfer-encoding",
    "host",
    "accept-encoding",
    "content-encoding",
}


class FaultProxy:
    """Forwards everything to `target`; the next requests whose method and path match take a fault each."""

    def __init__(self, target: str, method: str, path_part: str, faults: list[str]) -> None:
        self.target, self.method, self.path_part = target, method, path_part
        self.faults = deque(faults)
        self.seen: list[str] = []
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: object) -> None:
                pass

            def _serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                fault = proxy.take(self.command, self.path)
                if fault == "refuse":
                    self._answer(503, b'{"detail": "spoiled"}', "application/json")
                    return
                status, data, kind = proxy.forward(self.command, self.path, dict(self.headers), body)
                if fault == "lose-reply":
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                    return
                self._answer(status, data, kind)

            def _answer(self, status: int, data: bytes, kind: str) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PATCH = do_DELETE = _serve

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """Address to give to the client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def take(self, method: str, path: str) -> str | None:
        """The fault for a request, if it is one of those to be spoiled."""
        if method != self.method or self.path_part not in path or not self.faults:
            return None
        fault = self.faults.popleft()
        self.seen.append(fault)
        return fault

    def forward(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes, str]:
        """Ask the real server."""
        kept = {name: value for name, value in headers.items() if name.lower() not in HOP_HEADERS}
        request = urllib.request.Request(self.target + path, data=body or None, method=method, headers=kept)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=120) as reply:
                return reply.status, reply.read(), reply.headers.get("Content-Type", "application/json")
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read(), error.headers.get("Content-Type", "application/json")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
