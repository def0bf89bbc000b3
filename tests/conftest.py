"""What the tests of several packages use alike: the servers and the browser of `tests/servers`."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A busy machine is slow, not wrong: no test is held to a time. The rest stays as hypothesis chose it (its own for CI).
settings.register_profile("patient", settings.get_profile(settings.get_current_profile_name()), deadline=None)
settings.load_profile("patient")

SERVERS = Path(__file__).resolve().parent / "servers"


@pytest.fixture(scope="session")
def server_module() -> Callable[[str], Any]:
    """Loader of the modules of `tests/servers`, by name: test folders are not importable as packages."""

    def load(name: str) -> Any:
        full = f"benchwright_test_{name}"
        if full not in sys.modules:
            spec = importlib.util.spec_from_file_location(full, SERVERS / f"{name}.py")
            assert spec is not None and spec.loader is not None
            sys.modules[full] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[full])
        return sys.modules[full]

    return load


@pytest.fixture
def openai_server(server_module: Callable[[str], Any]) -> Iterator[Callable[..., Any]]:
    """Factory: `openai_server({"rules": [...]})` gives a running server, stopped after the test."""
    server = server_module("openai_server").OpenAIServer
    with ExitStack() as stack:
        yield lambda script=None, **options: stack.enter_context(server(script, **options))


@pytest.fixture(scope="session")
def chromium(server_module: Callable[[str], Any]) -> Callable[..., Any]:
    """The class of a real browser; its tests are skipped by name where there is no Chromium."""
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed")
    browser: Callable[..., Any] = server_module("chromium").Chromium
    return browser
