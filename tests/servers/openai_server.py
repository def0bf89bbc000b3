"""A real OpenAI-compatible chat server for tests: scripted answers, injected faults, every request recorded.

As a process (waits until SIGTERM; the port file appears once it listens; FILE.json may be left out):

    python tests/servers/openai_server.py --port 0 --port-file F --script FILE.json --log requests.jsonl [--images DIR]

In a test, as a thread (the conftest beside the tests of `models` loads this file by its path):

    with OpenAIServer({"rules": [...]}) as server:
        open_model("openai/any-name", base_url=server.base_url)
        server.requests            # list of Recorded, in order of arrival
        server.max_in_flight

Script (JSON): {"latency_ms": 0, "rules": [RULE, ...]}. Rules are tried in order; the first that applies acts. When none
applies the answer is the seeded letter (see "letter").

RULE, conditions (all optional, all must hold):
    "match": REGEX        found in the text of all messages, joined by line breaks (flags: DOTALL)
    "model": REGEX        found in the model's name
    "has_image": bool, "has_schema": bool
    "format": TYPE        response_format.type is this ("json_schema", "json_object")
    "every": N            this is the N-th, 2N-th, ... distinct request (by its body, in order of first arrival)
    "times": N            only the first N times for each distinct request, afterwards the rule is passed over
    "above": N            more than N requests are being answered at this moment
RULE, action (one):
    "answer": TEXT        reply text; \\1 or \\g<name> are groups of "match"
    "answers": [TEXT,..]  one of them by the seeded hash of the prompt
    "json": VALUE         reply text is this value as JSON; "fence": true puts it into a ```json block
    "letter": SEED        "Answer: X", X by hash of seed and prompt among the option labels at line starts (else A-D)
    "judge": {"ground": REGEX, "reply": REGEX}   group 1 of each is taken from the prompt; ends in [Consistent] when
                          they are equal after stripping blanks and case, else [Inconsistent]
    "read_digits": true   reply text is the number that the (first) image shows, read from its pixels
    "status": N           an HTTP error; "error": {...} its body, "retry_after": TEXT its header
    "hang_s": S           no reply for S seconds, then the connection is closed
    "disconnect": true    the connection is closed at once; "half" sends half a body first, "reset" resets it (RST)
    "malformed": true     HTTP 200 with a cut JSON body
    "raw": VALUE          HTTP 200 with exactly this JSON body
    "length": N           on /embeddings: numbers a vector (default 8), taken from the text's digest; "match" reads
                          the texts
RULE, modifiers of a reply:
    "content": null       no text at all          "finish_reason": "length" | "content_filter" | "stop"
    "refusal": TEXT       the refusal field       "reasoning": TEXT -> message.reasoning_content
    "think": TEXT         <think>TEXT</think> in front of the text; "unclosed": true leaves the closing tag out
    "usage": {...}        default: words of the prompt and of the reply
    "latency_ms": N       instead of the script's

Each line of the log: {"n", "path", "model", "prompt", "messages" (images as {sha256, media_type, bytes}), "params",
"authorization_sha256", "in_flight", "rule", "status"}. The key itself is never written. `--images DIR` keeps the image
bytes as DIR/<sha256>.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import re
import signal
import socket
import struct
import sys
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import FrameType
from typing import Any

LETTER_RULE: dict[str, Any] = {"letter": 0}
_LABEL = re.compile(r"^\s*\(?([A-Z])[.．、):：]", re.MULTILINE)


@dataclass
class Recorded:
    """One request as it came in."""

    n: int
    path: str
    body: dict[str, Any]
    prompt: str
    images: list[tuple[str, bytes]]
    """(MIME type, bytes) in the order of sending."""
    authorization: str
    in_flight: int
    at: float
    """Monotonic seconds of arrival; not in the log."""
    rule: int | None = None
    status: int | None = None

    def as_log(self) -> dict[str, Any]:
        """Line of the log, images by digest."""
        params = {name: value for name, value in self.body.items() if name not in ("messages", "model")}
        return {
            "n": self.n,
            "path": self.path,
            "model": self.body.get("model"),
            "prompt": self.prompt,
            "messages": [
                {"role": message.get("role"), "content": _logged(message.get("content"))}
                for message in self.body.get("messages", [])
            ],
            "params": params,
            "authorization_sha256": hashlib.sha256(self.authorization.encode()).hexdigest(),
            "in_flight": self.in_flight,
            "rule": self.rule,
            "status": self.status,
        }


def _logged(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    return [_image_note(part) if part.get("type") == "image_url" else part for part in content]


def _image_note(part: dict[str, Any]) -> dict[str, Any]:
    media_type, data = decode_data_uri(part["image_url"]["url"])
    note = {"sha256": hashlib.sha256(data).hexdigest(), "media_type": media_type, "bytes": len(data)}
    return {"type": "image", "detail": part["image_url"].get("detail"), **note}


def decode_data_uri(uri: str) -> tuple[str, bytes]:
    """MIME type and bytes of a base64 data URI; any other address counts as no bytes."""
    match = re.fullmatch(r"data:([^;,]+);base64,(.*)", uri, re.DOTALL)
    if match is None:
        return uri, b""
    return match.group(1), base64.b64decode(match.group(2), validate=True)


def _text_and_images(messages: list[dict[str, Any]]) -> tuple[str, list[tuple[str, bytes]]]:
    texts: list[str] = []
    images: list[tuple[str, bytes]] = []
    for message in messages:
        content = message.get("content")
        if isinstance(content, str):
            texts.append(content)
            continue
        for part in content or []:
            if part.get("type") == "text":
                texts.append(part["text"])
            elif part.get("type") == "image_url":
                images.append(decode_data_uri(part["image_url"]["url"]))
    return "\n".join(texts), images


@dataclass
class _State:
    script: dict[str, Any]
    log: Path | None
    images: Path | None
    lock: threading.Lock = field(default_factory=threading.Lock)
    stopping: threading.Event = field(default_factory=threading.Event)
    requests: list[Recorded] = field(default_factory=list)
    in_flight: int = 0
    max_in_flight: int = 0
    ordinals: dict[str, int] = field(default_factory=dict)
    hits: dict[tuple[int, str], int] = field(default_factory=dict)

    def choose(self, recorded: Recorded) -> dict[str, Any]:
        """The first rule that applies; counts its use. Call with the lock held."""
        digest = hashlib.sha256(json.dumps(recorded.body, sort_keys=True).encode()).hexdigest()
        ordinal = self.ordinals.setdefault(digest, len(self.ordinals) + 1)
        for place, rule in enumerate(self.script.get("rules", [])):
            if not _applies(rule, recorded, ordinal):
                continue
            used = self.hits.get((place, digest), 0)
            if "times" in rule and used >= rule["times"]:
                continue
            self.hits[place, digest] = used + 1
            recorded.rule = place
            return dict(rule)
        return LETTER_RULE

    def note(self, recorded: Recorded) -> None:
        """Write the log line of a finished request."""
        with self.lock:
            if self.log is not None:
                with self.log.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(recorded.as_log(), ensure_ascii=False) + "\n")
            if self.images is not None:
                for _, data in recorded.images:
                    (self.images / hashlib.sha256(data).hexdigest()).write_bytes(data)


def _applies(rule: dict[str, Any], recorded: Recorded, ordinal: int) -> bool:
    if "match" in rule and re.search(rule["match"], recorded.prompt, re.DOTALL) is None:
        return False
    if "model" in rule and re.search(rule["model"], str(recorded.body.get("model"))) is None:
        return False
    if "has_image" in rule and rule["has_image"] != bool(recorded.images):
        return False
    if "has_schema" in rule and rule["has_schema"] != ("response_format" in recorded.body):
        return False
    if "format" in rule and rule["format"] != (recorded.body.get("response_format") or {}).get("type"):
        return False
    if "above" in rule and recorded.in_flight <= rule["above"]:
        return False
    return "every" not in rule or ordinal % rule["every"] == 0


def _seeded(seed: object, prompt: str, count: int) -> int:
    return int(hashlib.sha256(f"{seed}\n{prompt}".encode()).hexdigest()[:12], 16) % count


def _reply_text(rule: dict[str, Any], prompt: str) -> str:
    if "answer" in rule:
        match = re.search(rule["match"], prompt, re.DOTALL) if "match" in rule else None
        return (
            match.expand(rule["answer"]) if match is not None and "\\" in rule["answer"] else rule["answer"]
        )
    if "answers" in rule:
        return rule["answers"][_seeded("answers", prompt, len(rule["answers"]))]
    if "json" in rule:
        text = json.dumps(rule["json"], ensure_ascii=False)
        return f"Here it is:\n```json\n{text}\n```" if rule.get("fence") else text
    if "judge" in rule:
        said = [re.search(rule["judge"][name], prompt, re.DOTALL) for name in ("ground", "reply")]
        words = ["".join(match.group(1).split()).lower() if match else None for match in said]
        same = words[0] is not None and words[0] == words[1]
        return "The two were compared.\n" + ("[Consistent]" if same else "[Inconsistent]")
    labels = sorted(set(_LABEL.findall(prompt))) or list("ABCD")
    return f"Answer: {labels[_seeded(rule.get('letter', 0), prompt, len(labels))]}"


def read_digits(data: bytes) -> str:
    """The digits of an image in black on white: each run of inked columns is the digit that it is most like."""
    from PIL import Image, ImageChops, ImageDraw, ImageFont, ImageStat

    def pieces(image: Any) -> list[Any]:
        inked = [any(image.crop((x, 0, x + 1, image.height)).tobytes()) for x in range(image.width)]
        starts = [x for x in range(image.width) if inked[x] and (x == 0 or not inked[x - 1])]
        ends = [x + 1 for x in range(image.width) if inked[x] and (x + 1 == image.width or not inked[x + 1])]
        cut = (image.crop((start, 0, end, image.height)) for start, end in zip(starts, ends, strict=True))
        return [piece.crop(piece.getbbox()).resize((24, 32)) for piece in cut]

    def drawn(digit: str) -> Any:
        canvas = Image.new("L", (80, 100))
        ImageDraw.Draw(canvas).text((40, 50), digit, fill=255, font=ImageFont.load_default(64), anchor="mm")
        return pieces(canvas)[0]

    known = {digit: drawn(digit) for digit in "0123456789"}
    with Image.open(io.BytesIO(data)) as opened:
        ink = ImageChops.invert(opened.convert("L"))
    return "".join(
        min(known, key=lambda digit: ImageStat.Stat(ImageChops.difference(piece, known[digit])).sum[0])
        for piece in pieces(ink)
    )


def _reply_body(rule: dict[str, Any], recorded: Recorded) -> dict[str, Any]:
    text: str | None = rule["content"] if "content" in rule else _reply_text(rule, recorded.prompt)
    if "read_digits" in rule:
        text = read_digits(recorded.images[0][1])
    if "think" in rule:
        text = f"<think>{rule['think']}" + ("" if rule.get("unclosed") else f"</think>\n{text}")
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": rule.get("refusal")}
    if "reasoning" in rule:
        message["reasoning_content"] = rule["reasoning"]
    words = {"prompt_tokens": len(recorded.prompt.split()), "completion_tokens": len((text or "").split())}
    return {
        "id": f"chatcmpl-{recorded.n}",
        "object": "chat.completion",
        "created": 0,
        "model": f"served-{recorded.body.get('model')}",
        "choices": [{"index": 0, "message": message, "finish_reason": rule.get("finish_reason", "stop")}],
        "usage": rule.get("usage", {**words, "total_tokens": sum(words.values())}),
    }


def _embeddings_body(rule: dict[str, Any], recorded: Recorded) -> dict[str, Any]:
    """Vectors of a request to /embeddings: bytes of the text's digest, or of the rule's length; last text first."""
    length = rule.get("length", 8)
    data = [
        {
            "object": "embedding",
            "index": at,
            "embedding": [byte - 127.5 for byte in hashlib.sha256(text.encode()).digest()[:length]],
        }
        for at, text in enumerate(recorded.body["input"])
    ]
    return {
        "object": "list",
        "model": recorded.body["model"],
        "data": data[::-1],
        "usage": {"prompt_tokens": 1},
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    state: _State

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: the log is ours."""

    def do_GET(self) -> None:
        self._send(200, {"object": "list", "data": []})

    def do_POST(self) -> None:
        state = self.server.state
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        prompt, images = _text_and_images(body.get("messages", []))
        if "input" in body:
            prompt = "\n".join(body["input"])
        with state.lock:
            state.in_flight += 1
            state.max_in_flight = max(state.max_in_flight, state.in_flight)
            authorization = self.headers.get("authorization", "")
            number = len(state.requests)
            recorded = Recorded(
                number, self.path, body, prompt, images, authorization, state.in_flight, time.monotonic()
            )
            state.requests.append(recorded)
            rule = state.choose(recorded)
        try:
            self._act(rule, recorded)
        finally:
            with state.lock:
                state.in_flight -= 1
            state.note(recorded)

    def _act(self, rule: dict[str, Any], recorded: Recorded) -> None:
        state = self.server.state
        state.stopping.wait(rule.get("latency_ms", state.script.get("latency_ms", 0)) / 1000)
        if "hang_s" in rule:
            state.stopping.wait(rule["hang_s"])
            self.close_connection = True
        elif "disconnect" in rule:
            if rule["disconnect"] == "half":
                self._send(200, _reply_body({"answer": "half"}, recorded), cut=True)
            if rule["disconnect"] == "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
            self.close_connection = True
        elif "status" in rule:
            error = rule.get(
                "error", {"message": f"injected {rule['status']}", "type": "injected", "code": None}
            )
            recorded.status = rule["status"]
            headers = {"Retry-After": str(rule["retry_after"])} if "retry_after" in rule else {}
            self._send(rule["status"], {"error": error}, headers)
        else:
            recorded.status = 200
            made = _embeddings_body if "input" in recorded.body else _reply_body
            whole = rule["raw"] if "raw" in rule else made(rule, recorded)
            self._send(200, whole, malformed="malformed" in rule)

    def _send(
        self,
        status: int,
        body: Any,
        headers: dict[str, str] | None = None,
        cut: bool = False,
        malformed: bool = False,
    ) -> None:
        data = json.dumps(body).encode()
        if malformed:
            data = data[: len(data) // 2]
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)


class OpenAIServer:
    """The server as a thread of this process; use as a context manager."""

    def __init__(
        self,
        script: dict[str, Any] | None = None,
        *,
        port: int = 0,
        log: Path | None = None,
        images: Path | None = None,
    ) -> None:
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.state = _State(script or {}, log, images)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def port(self) -> int:
        """Port it listens on."""
        return int(self._server.server_address[1])

    @property
    def base_url(self) -> str:
        """What to give as `--base-url`."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def requests(self) -> list[Recorded]:
        """All requests so far."""
        return self._server.state.requests

    @property
    def max_in_flight(self) -> int:
        """Most requests that were being answered at one time."""
        return self._server.state.max_in_flight

    def use(self, script: dict[str, Any]) -> None:
        """Go on with another script; counters of its rules start anew, the recorded requests stay."""
        with self._server.state.lock:
            self._server.state.script = script
            self._server.state.hits.clear()
            self._server.state.ordinals.clear()

    def start(self) -> OpenAIServer:
        """Begin to listen."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop; requests that hang are let go."""
        self._server.state.stopping.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def __enter__(self) -> OpenAIServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


def main() -> None:
    """Run as a process until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(description="OpenAI-compatible test server (see the head of this file)")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--port-file", type=Path)
    parser.add_argument("--script", type=Path)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--images", type=Path)
    options = parser.parse_args()
    script = json.loads(options.script.read_text(encoding="utf-8")) if options.script else {}
    done = threading.Event()

    def end(signum: int, frame: FrameType | None) -> None:
        done.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    if options.images is not None:
        options.images.mkdir(parents=True, exist_ok=True)
    with OpenAIServer(script, port=options.port, log=options.log, images=options.images) as server:
        if options.port_file is not None:
            temporary = options.port_file.with_suffix(".tmp")
            temporary.write_text(f"{server.port}\n", encoding="utf-8")
            temporary.replace(options.port_file)
        print(server.base_url, flush=True)
        done.wait()


if __name__ == "__main__":
    main()
