"""Readers of pages, each with a fresh folder, a pool, a model server and a Hub of their own."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from . import model
from .reader import Reader, wait_for

TESTS = Path(__file__).resolve().parents[1]


def loaded(path: Path) -> ModuleType:
    """A file of another folder of tests, under a name of its own."""
    name = f"benchwright_test_{path.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="session")
def questions() -> Any:
    """Eight examples, and what a scripted model says about them to each proposer (`tests/line`)."""
    return loaded(TESTS / "line" / "test_scripted_model.py")


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, server_module: Any, questions: Any) -> Path:
    """A workspace with all versions of four questions, proposals accepted, its release built. Copied, not used."""
    folder = tmp_path_factory.mktemp("finished")
    problems = questions.our_problems()[:4]
    pool = questions.raw_pool(folder / "raw", problems)
    with server_module("openai_server").OpenAIServer(questions.script(problems)) as server:
        counts = Counter(problem.discipline for problem in problems)
        place = questions.workspace_of(folder / "bench", counts, server.base_url, "all")
        questions.typed(place, "curate", "ingest", str(pool))
        questions.typed(place, "curate", "cluster", "--workers", "1")
        questions.propose_all(place)
        questions.finish(place)
    return Path(place.root)


@pytest.fixture
def reader(tmp_path: Path, server_module: Any, questions: Any) -> Iterator[Reader]:
    """A reader with `raw/pool.jsonl` beside their folders, a model that answers about its questions, and a Hub."""
    problems = questions.our_problems()
    questions.raw_pool(tmp_path / "raw", problems)
    rules = [*model.rules(), *questions.script(problems)["rules"]]
    with (
        server_module("openai_server").OpenAIServer({"rules": rules}) as server,
        running_hub(tmp_path / ".hub") as hub,
        Reader(tmp_path, server.base_url, hub) as reader,
    ):
        yield reader


@contextmanager
def running_hub(folder: Path) -> Iterator[dict[str, str]]:
    """A Hub of our own, empty; the variables under which the genuine clients find it."""
    folder.mkdir()
    script, port_file = TESTS / "servers" / "hub.py", folder / "port"
    command = [sys.executable, str(script), "--root", str(folder / "store"), "--port-file", str(port_file)]
    with subprocess.Popen(command) as process:
        try:
            yield {
                "HF_ENDPOINT": f"http://127.0.0.1:{wait_for(port_file)}",
                "HF_HOME": str(folder / "home"),
                "HF_TOKEN": "hf_testwrite",
                "HF_HUB_DISABLE_XET": "1",
                "HF_HUB_DISABLE_TELEMETRY": "1",
            }
        finally:
            process.terminate()
