"""A headless Chromium, driven through its DevTools pipe: enough to log in, look and press keys."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self


class Chromium:
    """One page of a fresh browser profile. Use as a context manager."""

    def __init__(self, profile: Path, width: int = 1440, height: int = 900) -> None:
        self._out, child_in = _pipe()
        self._in, child_out = _pipe(reading=True)

        def _place() -> None:  # the browser reads commands from 3 and answers on 4
            os.dup2(child_in, 3)
            os.dup2(child_out, 4)

        command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"]
        command += [
            "--remote-debugging-pipe",
            f"--user-data-dir={profile}",
            f"--window-size={width},{height}",
        ]
        self._process = subprocess.Popen(
            [*command, "about:blank"],
            preexec_fn=_place,
            pass_fds=(3, 4),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(child_in)
        os.close(child_out)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        target = next(
            t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"
        )  # the page that the browser opened itself
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        self.call("Page.enable")

    def call(self, method: str, **params: Any) -> Any:
        """One DevTools command; returns its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._read()
            if reply.get("id") == self._number:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                return reply["result"]

    def run(self, script: str) -> Any:
        """Value of a JavaScript expression on the page."""
        reply = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in reply:
            raise RuntimeError(f"{script}: {reply['exceptionDetails']}")
        return reply["result"].get("value")

    def open(self, url: str) -> None:
        """Go to an address."""
        self.call("Page.navigate", url=url)

    def wait(self, script: str, seconds: float = 60.0) -> Any:
        """Ask until the expression is true; returns its value.

        Raises:
            TimeoutError: it did not become true.
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.run(f"document.readyState === 'complete' && ({script})")
            if value:
                return value
            time.sleep(0.2)
        raise TimeoutError(f"never true within {seconds} s: {script}")

    def key(self, char: str, code: str) -> None:
        """Press and release a key."""
        press = {
            "key": char,
            "code": code,
            "windowsVirtualKeyCode": ord(char.upper()) if len(char) == 1 else 27,
        }
        text = {"text": char} if len(char) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **press, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **press)

    def screenshot(self) -> bytes:
        """PNG of what is visible."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def _read(self) -> Any:
        while b"\0" not in self._buffer:
            data = os.read(self._in, 65536)
            if not data:
                raise RuntimeError("the browser went away")
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait()
        os.close(self._out)
        os.close(self._in)


def _pipe(reading: bool = False) -> tuple[int, int]:
    """(our end, the browser's end), with numbers above the two that the browser uses."""
    read, write = (os.dup(fd) if fd < 5 else fd for fd in os.pipe())
    return (read, write) if reading else (write, read)
