"""`benchwright doctor`: parts are really used, absent extras are named with their pip line, broken parts end with 1."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import tomllib
import venv
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from benchwright.cli.doctor_check import Check
from benchwright.cli.doctor_parts import COMMANDS_OF_EXTRA
from benchwright.cli.doctor_probes import CORE, EXTRAS
from benchwright.cli.doctor_workspace import workspace_checks
from benchwright.cli.main import benchwright, run_command
from benchwright.schemas.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
RECIPE = """[benchmark]
name = "small"
[disciplines.physics]
budget = 3
[models.tagging]
model = "openai/served"
base_url = "{url}"
[models.translation]
model = "openai/far-away"
base_url = "https://models.example/v1"
api_key_env = "DOCTOR_TEST_KEY"
[models.quality]
model = "replay/{root}/none.jsonl"
"""


def run_doctor(
    python: Path | str, folder: Path, *flags: str, **more: str
) -> tuple[int, dict[str, dict[str, str]], str]:
    """Exit code, findings by section and part, and what stood on standard error."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("BENCHWRIGHT", "PYTHON"))
    }
    done = subprocess.run(
        [str(python), "-c", "from benchwright.cli.main import run; run()", "doctor", "--json", *flags],
        cwd=folder,
        env={**kept, **more},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    checks = json.loads(done.stdout)["checks"]
    return done.returncode, {f"{one['section']}: {one['part']}": one for one in checks}, done.stderr


@pytest.fixture(scope="module")
def core_only(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that holds what the core needs and none of the extras' packages."""
    place = tmp_path_factory.mktemp("core")
    venv.EnvBuilder(with_pip=False, symlinks=True).create(place / "venv")
    (site,) = (place / "venv").glob("lib/python*/site-packages")
    installed = Path(str(distribution("click").locate_file("")))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    core = {Requirement(text).name for text in project["dependencies"]}
    optional = {name: texts for name, texts in project["optional-dependencies"].items() if name != "dev"}
    extras = {Requirement(text).name for texts in optional.values() for text in texts} - core
    left_out = {Path(str(file)).parts[0] for name in extras for file in _files(name)} - {".."}
    for path in installed.iterdir():
        if path.name not in left_out and not path.name.startswith("benchwright-"):
            (site / path.name).symlink_to(path)
    described = (
        site / f"benchwright-{project['version']}.dist-info"
    )  # the developer's may be older than pyproject
    described.mkdir()
    lines = ["Metadata-Version: 2.1", "Name: benchwright", f"Version: {project['version']}"]
    lines += [f"Requires-Dist: {text}" for text in project["dependencies"]]
    lines += [
        f'Requires-Dist: {text}; extra == "{name}"' for name, texts in optional.items() for text in texts
    ]
    (described / "METADATA").write_text("\n".join(lines) + "\n")
    return place / "venv" / "bin" / "python"


def _files(name: str) -> list[Any]:
    try:
        return list(distribution(name).files or ())
    except PackageNotFoundError:
        return []


def test_a_core_without_extras_works_and_names_them(core_only: Path, tmp_path: Path) -> None:
    code, found, said = run_doctor(core_only, tmp_path)
    assert code == 0, said
    for part in CORE:
        assert found[f"core: {part}"]["state"] == "ok", found[f"core: {part}"]
    for extra, commands in COMMANDS_OF_EXTRA.items():
        one = found[f"extras: [{extra}]"]
        assert one["state"] == "absent" and one["remedy"] == f"pip install 'benchwright[{extra}]'"
        assert "is not installed" in one["said"] and commands in one["said"]
    assert found["workspace: recipe"]["state"] == "note" and found["machine: work folder"]["state"] == "ok"
    assert "求面积与质量" in found["core: font"]["said"] and "mathjax" in found["core: formulas"]["said"]


def test_a_part_that_cannot_be_used_is_broken(core_only: Path, tmp_path: Path) -> None:
    """A library that is installed and does not load: what looking for its name alone would call fine."""
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "highspy.py").write_text("raise ImportError('libhighs.so: no such file')\n")
    code, found, said = run_doctor(core_only, tmp_path, PYTHONPATH=str(tmp_path / "broken"))
    one = found["core: solver"]
    assert code == 1 and one["state"] == "broken" and "libhighs.so" in one["said"] and one["remedy"]
    assert [name for name, check in found.items() if check["state"] == "broken"] == ["core: solver"]
    assert "1 of" in said and "core: solver" in said and "Traceback" not in said


@pytest.mark.parametrize(
    "extra",
    [pytest.param(one, marks=pytest.mark.long) if one in ("embed", "local") else one for one in EXTRAS],
)
def test_an_installed_extra_is_put_to_work(extra: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchwright.cli.doctor_probes", extra],
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if "ModuleNotFoundError" in done.stderr or "UsageError" in done.stderr:
        pytest.skip(f"the extra {extra} is not installed")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout.splitlines()[-1])["said"]) > 10


def test_every_extra_that_users_install_is_known() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(declared) - {"dev", "bench"} == COMMANDS_OF_EXTRA.keys() == EXTRAS.keys()


class Listing(BaseHTTPRequestHandler):
    """`GET /v1/models` as OpenAI-compatible servers answer it."""

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers.get("Authorization")))  # type: ignore[attr-defined]
        body = json.dumps({"object": "list", "data": [{"id": "served", "object": "model"}]}).encode()
        self.send_response(200 if self.path == "/v1/models" else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the test looks at what was asked."""


@pytest.fixture
def endpoint() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Listing) as server:
        server.asked = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def workspace(tmp_path: Path, endpoint: ThreadingHTTPServer) -> Workspace:
    url = f"http://127.0.0.1:{endpoint.server_port}/v1"
    (tmp_path / "benchwright.toml").write_text(RECIPE.format(url=url, root=tmp_path))
    return Workspace.find(tmp_path)


def looked_at(workspace: Workspace, connect: bool = False) -> dict[str, Check]:
    return {one.part: one for one in workspace_checks(workspace, connect)}


def test_models_are_named_and_keys_are_not(
    workspace: Workspace, endpoint: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCTOR_TEST_KEY", "very-secret")
    found = looked_at(workspace)
    assert found["models.tagging"].state == "ok" and "need not be" in found["models.tagging"].said
    far = found["models.translation"]
    assert far.state == "ok" and "models.example, outside this machine; DOCTOR_TEST_KEY is set" in far.said
    assert "very-secret" not in str(found)
    assert found["models.quality"].state == "absent" and "no such file" in found["models.quality"].said
    assert endpoint.asked == [], "without --connect nothing is asked"
    monkeypatch.delenv("DOCTOR_TEST_KEY")
    far = looked_at(workspace)["models.translation"]
    assert far.state == "absent" and far.remedy == "export DOCTOR_TEST_KEY=..."


def test_connect_asks_each_endpoint_once(workspace: Workspace, endpoint: Any, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{endpoint.server_port}/v1"
    free = socket.socket()
    free.bind(("127.0.0.1", 0))  # taken, and nobody listens
    recipe = '[benchmark]\nname = "small"\n[disciplines.physics]\n'
    for stage, model, where in (
        ("tagging", "served", url),
        ("quality", "unknown", url),
        ("translation", "served", f"http://127.0.0.1:{free.getsockname()[1]}/v1"),
    ):
        recipe += f'[models.{stage}]\nmodel = "openai/{model}"\nbase_url = "{where}"\n'
        recipe += 'api_key_env = "DOCTOR_NO_KEY"\n'
    (tmp_path / "benchwright.toml").write_text(recipe)
    found = looked_at(Workspace.find(tmp_path), connect=True)
    free.close()
    assert found["models.tagging, asked"].state == "ok"
    assert found["models.quality, asked"].state == "broken"
    assert "has no unknown; it has served" in found["models.quality, asked"].said
    assert found["models.translation, asked"].state == "broken"
    assert "does not answer: ConnectError" in found["models.translation, asked"].said
    assert endpoint.asked == [("/v1/models", None)] * 2


def test_locks_and_tampered_stages_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "benchwright.toml").write_text(
        '[benchmark]\nname = "small"\n[disciplines.physics]\nbudget = 3\n'
    )
    row = {"id": "a", "question": "What is 1 + 1?", "answer": "2", "discipline": "physics", "language": "en"}
    pool = tmp_path / "pool.jsonl"
    pool.write_text(json.dumps(row) + "\n")
    flags = ["--workspace", str(tmp_path), "--quiet"]
    assert run_command(benchwright, "benchwright", ["curate", "ingest", str(pool), *flags]) == 0
    ws = Workspace.find(tmp_path)
    with ws.lock("select/physics"):
        found = looked_at(ws)
        assert (
            found["locks"].state == "note"
            and f"select.physics (process {os.getpid()})" in found["locks"].said
        )
    found = looked_at(ws)
    assert found["locks"].state == "ok" and found["stages"].state == "ok"
    assert all(one.state != "broken" for one in found.values())
    assert "does not run now" in found["review server"].said and "people" not in found
    ws.people.write_text("{}")
    ws.people.chmod(0o644)
    assert looked_at(ws)["people"].state == "broken" and "chmod 600" in looked_at(ws)["people"].remedy
    ws.people.chmod(0o600)
    assert looked_at(ws)["people"].state == "ok"
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    (tmp_path / ".locks" / "x.holder.json").write_text(json.dumps({"pid": int(gone.stdout)}))
    path = ws.pool("physics")
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    found = looked_at(ws)
    assert "left by a command that was stopped: x" in found["locks"].said
    assert found["pool physics"].state == "broken" and "curate ingest" in found["pool physics"].remedy
