"""The review server's own Python environment and its template database, both in a cache folder.

Label Studio cannot share an environment with this package: it wants `openai<2`, and a resolver that is asked for both
goes back to a server of years ago without a word. So it is installed alone, pinned, and its version is checked.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock

from benchwright.schemas.errors import UsageError

SERVER_VERSION = "1.23.2"
DATABASE_NAME = "label_studio.sqlite3"
_TELL_EVERY = 20.0
"""Seconds between two signs of life of an installation."""
_DEAD_PROXY = "http://127.0.0.1:9"
_KEPT = (
    "PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
)  # fmt: skip


def cache_folder() -> Path:
    """Folder of this server version below the user's cache (`XDG_CACHE_HOME`, else `~/.cache`)."""
    base = os.environ.get("XDG_CACHE_HOME")
    root = Path(base) if base else Path.home() / ".cache"
    return root / "benchwright" / f"label-studio-{SERVER_VERSION}"


def server_python(folder: Path) -> Path:
    """The interpreter of the server's environment."""
    return folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def clean_variables(data: Path, extra: dict[str, str] | None = None) -> dict[str, str]:
    """Environment variables for the server: nothing of the caller's but what a process needs, and no way out.

    Label Studio reads every setting without a prefix too (`HOST`, `PORT`, `DEBUG`, `USERNAME`...), so an inherited
    variable could change it. Whatever it asks of the network goes to a loopback port where nobody listens.
    """
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {
        **kept,
        "PYTHONUNBUFFERED": "1",
        "PYTHONUTF8": "1",
        "LABEL_STUDIO_BASE_DATA_DIR": str(data),
        "LABEL_STUDIO_COLLECT_ANALYTICS": "false",
        "LABEL_STUDIO_LATEST_VERSION_CHECK": "false",
        "LABEL_STUDIO_SENTRY_DSN": "",
        "LABEL_STUDIO_FRONTEND_SENTRY_DSN": "",
        "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
        "HTTP_PROXY": _DEAD_PROXY,
        "HTTPS_PROXY": _DEAD_PROXY,
        "ALL_PROXY": _DEAD_PROXY,
        "http_proxy": _DEAD_PROXY,
        "https_proxy": _DEAD_PROXY,
        "all_proxy": _DEAD_PROXY,
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
        **(extra or {}),
    }


def ensure_environment(say: Callable[[str], None]) -> Path:
    """Install the server where it is missing and return its interpreter.

    A folder without its `installed` mark is the rest of a killed installation and is made anew. Two processes wait for
    each other.

    Raises:
        UsageError: the installation failed; holds the end of its output.
    """
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    mark = folder / "installed"
    with FileLock(folder / "install.lock"):
        if not (mark.exists() and server_python(folder).exists()):
            if not _reports(server_python(folder)):
                _install(folder, say)
            mark.write_text(SERVER_VERSION + "\n", encoding="utf-8")
    return server_python(folder)


def ensure_template(say: Callable[[str], None]) -> Path:
    """A migrated database without users or projects; copying it saves half a minute of every first start."""
    python = ensure_environment(say)
    folder = cache_folder()
    template = folder / "template" / DATABASE_NAME
    with FileLock(folder / "install.lock"):
        if template.exists():
            return template
        say("preparing the review server's empty database (once per machine)")
        with tempfile.TemporaryDirectory(dir=folder, prefix="template-") as work:
            _run(
                [str(python), "-m", "label_studio.server", "version"],
                Path(work),
                "its database could not be prepared",
            )
            made = Path(work) / DATABASE_NAME
            if not made.is_file():
                raise UsageError(f"Label Studio made no database in {work}: delete {folder} and try again.")
            template.parent.mkdir(exist_ok=True)
            partial = template.with_suffix(".partial")
            shutil.copyfile(made, partial)
            partial.replace(template)
    return template


def _install(folder: Path, say: Callable[[str], None]) -> None:
    say(f"installing Label Studio {SERVER_VERSION} into {folder} (once per machine, one to five minutes)")
    venv = folder / "venv"
    if venv.exists():
        shutil.rmtree(venv)
    requirement = f"label-studio=={SERVER_VERSION}"
    uv = shutil.which("uv")
    if uv is not None:
        _install_step([uv, "venv", "--python", sys.executable, str(venv)], say)
        _install_step([uv, "pip", "install", "--python", str(server_python(folder)), requirement], say)
    else:
        _install_step([sys.executable, "-m", "venv", str(venv)], say)
        pip = [
            str(server_python(folder)),
            "-m",
            "pip",
            "install",
            "--disable-pip-version-check",
            "--no-compile",
            "-q",
        ]
        _install_step([*pip, requirement], say)
    if not _reports(server_python(folder)):
        raise UsageError(
            f"the environment in {venv} does not hold Label Studio {SERVER_VERSION}: delete it and try again."
        )


def _reports(python: Path) -> bool:
    """Whether that interpreter has exactly the pinned server."""
    if not python.exists():
        return False
    code = "import importlib.metadata as m; print(m.version('label-studio'))"
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == SERVER_VERSION


def _install_step(command: list[str], say: Callable[[str], None]) -> None:
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            while True:
                try:
                    output, _ = process.communicate(timeout=_TELL_EVERY)
                    break
                except subprocess.TimeoutExpired:
                    say(f"still installing ({time.monotonic() - began:.0f} s)")
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        tail = " ".join(output.split())[-400:]
        raise UsageError(
            f"Label Studio {SERVER_VERSION} could not be installed (`{' '.join(command[:4])} ...` failed: {tail}): "
            "mend the package index or network, or use a running server with --url and --token."
        )


def _run(command: list[str], data: Path, failure: str) -> None:
    done = subprocess.run(command, env=clean_variables(data), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        tail = " ".join(done.stderr.split())[-400:]
        raise UsageError(f"Label Studio started but {failure}: {tail}")
