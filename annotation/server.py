"""The managed review server: Label Studio with its database in the workspace's `label-studio/`.

It listens on the loopback interface unless told otherwise (`benchwright.annotation.exposure`).

Everything is kept when it stops: database, log, credentials. `server.json` stands only while it runs, so that
`annotate push` and `annotate pull` find it. Images for review lie in `label-studio/shown/`, the only folder that the
server may hand out: in the community edition every reviewer may change project settings, so it must not see more.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

from filelock import FileLock, Timeout

from benchwright.annotation.environment import (
    DATABASE_NAME,
    clean_variables,
    ensure_environment,
    ensure_template,
)
from benchwright.annotation.exposure import Exposure
from benchwright.annotation.private import read_private, write_private
from benchwright.schemas.errors import LockedError, UsageError
from benchwright.schemas.records import Record
from benchwright.schemas.workspace import Workspace

USERNAME = "owner@benchwright.localhost"
START_LIMIT = 300.0
"""Seconds a start may take; a migrated database needs 5 to 10, a busy machine many more."""
STOP_LIMIT = 15.0


class Credentials(Record):
    """The owner's account of one managed server."""

    username: str
    password: str
    token: str


class ServerState(Record):
    """Where a running server is found."""

    url: str
    token: str
    pid: int


def credentials_path(workspace: Workspace) -> Path:
    """Owner's account, mode 600."""
    return workspace.label_studio / "credentials.json"


def state_path(workspace: Workspace) -> Path:
    """Address of the running server, mode 600; absent while none runs."""
    return workspace.label_studio / "server.json"


def shown_folder(workspace: Workspace) -> Path:
    """The only folder the server may hand out files from."""
    return workspace.label_studio / "shown"


def running_server(workspace: Workspace) -> ServerState | None:
    """The workspace's server, if one runs and answers as ours."""
    state = read_private(state_path(workspace), ServerState)
    if state is None:
        return None
    return state if answers_as(state.url, state.token) == USERNAME else None


def answers_as(url: str, token: str, timeout: float = 10.0) -> str | None:
    """E-mail of the account behind a token on a Label Studio server; None where nothing usable answers."""
    request = urllib.request.Request(
        f"{url}/api/current-user/whoami", headers={"Authorization": f"Token {token}"}
    )
    # The caller's proxy settings must not send a loopback request elsewhere.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=timeout) as reply:
            email = json.loads(reply.read()).get("email")
    except (OSError, ValueError):
        return None
    return str(email) if email else None


class ManagedServer:
    """A Label Studio process that belongs to one workspace. Use as a context manager: leaving it stops the process."""

    def __init__(
        self,
        workspace: Workspace,
        say: Callable[[str], None],
        port: int | None = None,
        exposure: Exposure | None = None,
    ) -> None:
        self.workspace = workspace
        self.exposure = exposure or Exposure()
        self._say = say
        self._port = port
        self._lock = FileLock(workspace.label_studio / "serve.lock", timeout=0)
        self._process: subprocess.Popen[bytes] | None = None
        self.url = ""
        self.first_start = False
        self.credentials = Credentials(username=USERNAME, password="", token="")

    @property
    def log_path(self) -> Path:
        """What the server prints."""
        return self.workspace.label_studio / "server.log"

    @property
    def pid(self) -> int:
        """Process id of the server.

        Raises:
            RuntimeError: it has not been started.
        """
        if self._process is None:
            raise RuntimeError("the server has not been started")
        return self._process.pid

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Install what is missing, start the process and wait until it answers as ours.

        Raises:
            LockedError: the workspace's server runs already.
            UsageError: the port is taken, or the server does not come up; names the log.
        """
        folder = self.workspace.label_studio
        folder.mkdir(parents=True, exist_ok=True)
        self._take_lock()
        try:
            self.credentials = self._own_credentials()
            self._place_database()
            port = self._free_port()
            self.url = f"http://{self.exposure.reached_at}:{port}"
            self._launch(port)
            self._wait_until_ours()
            write_private(
                state_path(self.workspace),
                ServerState(url=self.url, token=self.credentials.token, pid=self.pid),
            )
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the process, politely first; data stays."""
        process, self._process = self._process, None
        if process is not None:
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(STOP_LIMIT)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
            state_path(self.workspace).unlink(missing_ok=True)
        self._lock.release()

    def serve_until_told(self) -> None:
        """Stay in the foreground until SIGTERM, SIGINT (Ctrl-C) or the server's own end.

        Raises:
            UsageError: the server ended by itself; names the log.
        """
        told = threading.Event()

        def _tell(number: int, frame: FrameType | None) -> None:
            told.set()

        before = {number: signal.signal(number, _tell) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            while not told.wait(0.5):
                if self._process is None or self._process.poll() is not None:
                    raise UsageError(
                        f"Label Studio ended by itself: {self._log_tail()} (log: {self.log_path})."
                    )
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _take_lock(self) -> None:
        state = running_server(self.workspace)
        if state is None:
            try:
                self._lock.acquire()
            except Timeout:
                raise LockedError(
                    f"another `annotate serve` is starting on {self.workspace.root}: wait for it, or stop it."
                ) from None
            return
        raise LockedError(
            f"the review server of {self.workspace.root} runs already at {state.url} (process {state.pid}): "
            f"use it, or stop it with `kill {state.pid}`."
        )

    def _own_credentials(self) -> Credentials:
        path = credentials_path(self.workspace)
        known = read_private(path, Credentials)
        if known is not None:
            return known
        self.first_start = True
        made = Credentials(username=USERNAME, password=secrets.token_urlsafe(18), token=secrets.token_hex(20))
        write_private(path, made)
        return made

    def _place_database(self) -> None:
        database = self.workspace.label_studio / DATABASE_NAME
        if database.exists():
            return
        template = ensure_template(self._say)
        partial = database.with_suffix(".partial")
        shutil.copyfile(template, partial)
        partial.chmod(0o600)
        partial.replace(database)

    def _free_port(self) -> int:
        """A port nobody listens on: Label Studio would move to the next one without failing."""
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            try:
                probe.bind((self.exposure.bind, self._port or 0))
            except OSError as error:
                if error.errno == errno.EADDRNOTAVAIL:
                    raise UsageError(
                        f"--bind {self.exposure.bind} is no address of this machine: give one of its own, or 0.0.0.0."
                    ) from error
                raise UsageError(
                    f"port {self._port} of {self.exposure.bind} cannot be used ({error.strerror}): "
                    "choose another with --port."
                ) from error
            return int(probe.getsockname()[1])

    def _launch(self, port: int) -> None:
        python = ensure_environment(self._say)
        shown = shown_folder(self.workspace)
        shown.mkdir(exist_ok=True)
        variables = clean_variables(
            self.workspace.label_studio,
            {
                "LABEL_STUDIO_USERNAME": self.credentials.username,
                "LABEL_STUDIO_PASSWORD": self.credentials.password,
                "LABEL_STUDIO_USER_TOKEN": self.credentials.token,
                "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
                "LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED": "true",
                "LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT": str(shown),
                **self.exposure.variables(),
            },
        )
        command = [str(python), "-m", "label_studio.server", "start", "--no-browser"]
        command += ["--internal-host", self.exposure.bind, "--port", str(port)]
        handle = os.open(self.log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(handle, "ab") as log:
            # A session of its own: Ctrl-C reaches us alone, and we stop the server in order.
            self._process = subprocess.Popen(
                command,
                env=variables,
                cwd=self.workspace.label_studio,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _wait_until_ours(self) -> None:
        began = time.monotonic()
        told = 0.0
        while True:
            waited = time.monotonic() - began
            if self._process is None or self._process.poll() is not None:
                raise UsageError(f"Label Studio did not start: {self._log_tail()} (log: {self.log_path}).")
            if answers_as(self.url, self.credentials.token, timeout=5.0) == self.credentials.username:
                return
            if waited > START_LIMIT:
                raise UsageError(
                    f"Label Studio did not answer at {self.url} within {START_LIMIT:.0f} s: see {self.log_path}."
                )
            if waited - told >= 10.0:
                told = waited
                self._say(f"waiting for Label Studio at {self.url} ({waited:.0f} s)")
            time.sleep(0.25)

    def _log_tail(self) -> str:
        if not self.log_path.exists():
            return "it printed nothing"
        lines = self.log_path.read_text(encoding="utf-8", errors="replace").splitlines()
        return " ".join(lines[-3:])[-300:]
