"""A live language model behind the OpenAI protocol: HTTP in front of a checkpoint that this process has loaded.

As a thread of the test (nothing leaves the machine, the port is chosen by the system):

    with LocalLLMServer("/folder/or/file.gguf", LocalSettings(batch_size=10)) as server:
        open_model("openai/any-name", base_url=server.base_url)

It answers POST /v1/chat/completions as servers of small models do: concurrent requests are generated in one batch, a
`response_format` is turned down with HTTP 400, images with HTTP 400 where the model reads text only.
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchwright.models.chat import Call, ChatRequest, ImagePart, Message, Sampling, TextPart
from benchwright.models.local import LocalModel
from benchwright.models.local_checkpoint import LocalSettings
from benchwright.schemas.status import CallStatus


def request_of(body: dict[str, Any]) -> ChatRequest:
    """The request that a body asks for."""
    messages = tuple(
        Message(message["role"], tuple(_parts(message["content"]))) for message in body["messages"]
    )
    limit = body.get("max_completion_tokens", body.get("max_tokens"))
    sampling = Sampling(
        temperature=body.get("temperature"),
        max_tokens=limit,
        seed=body.get("seed"),
        top_p=body.get("top_p"),
        json_schema={} if "response_format" in body else None,
    )
    return ChatRequest("served", messages, sampling)


def _parts(content: str | list[dict[str, Any]]) -> list[TextPart | ImagePart]:
    if isinstance(content, str):
        return [TextPart(content)]
    return [
        TextPart(part["text"])
        if part["type"] == "text"
        else ImagePart.of(base64.b64decode(part["image_url"]["url"].split(",", 1)[1], validate=True))
        for part in content
    ]


def answer_of(call: Call, model: str) -> tuple[int, dict[str, Any]]:
    """HTTP status and body for a call."""
    if call.status not in (CallStatus.OK, CallStatus.TRUNCATED, CallStatus.EMPTY):
        return 400, {"error": {"message": call.detail, "type": "invalid_request_error", "code": None}}
    used = call.usage
    message = {"role": "assistant", "content": call.text}
    return 200, {
        "id": f"chatcmpl-{call.key[:12]}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": call.finish_reason}],
        "usage": {
            "prompt_tokens": used.prompt_tokens,
            "completion_tokens": used.completion_tokens,
            "total_tokens": (used.prompt_tokens or 0) + (used.completion_tokens or 0),
        },
    }


class _Server(ThreadingHTTPServer):
    request_queue_size = 256  # the default of five turns away some of twenty callers at once
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class LocalLLMServer:
    """The server; use as a context manager. The weights are loaded when it listens; `answered` holds what it made."""

    def __init__(self, where: str, settings: LocalSettings) -> None:
        self.model = LocalModel(where, settings)
        self.answered: list[Call] = []
        self._loop = asyncio.new_event_loop()
        self._loop_thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._http = _Server(("127.0.0.1", 0), self._handler())
        self._http_thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    @property
    def base_url(self) -> str:
        """What to give as `--base-url`."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def generate(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Answer one request; called from the threads of the HTTP server, batched in the loop's."""
        attempt = asyncio.run_coroutine_threadsafe(self.model.complete(request_of(body)), self._loop).result()
        self.answered.append(attempt.call)
        return answer_of(attempt.call, str(body.get("model")))

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                """Silent."""

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                status, answer = owner.generate(body)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        return Handler

    def __enter__(self) -> LocalLLMServer:
        self._loop_thread.start()
        self.generate({"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 1})
        self.answered.clear()
        self._http_thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http_thread.join()
        self._http.server_close()
        asyncio.run_coroutine_threadsafe(self.model.close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._loop_thread.join()
        self._loop.close()
