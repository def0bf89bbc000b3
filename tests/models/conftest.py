"""Fixtures for the tests of `benchwright.models`."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

SERVER_FILE = Path(__file__).resolve().parents[1] / "servers" / "openai_server.py"


def load_server_module() -> Any:
    """Load the test server by its path (test folders are not importable as packages)."""
    name = "benchwright_test_openai_server"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, SERVER_FILE)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture
def openai_server() -> Iterator[Callable[..., Any]]:
    """Factory: `openai_server({"rules": [...]})` gives a running server, stopped after the test."""
    module = load_server_module()
    with ExitStack() as stack:
        yield lambda script=None, **options: stack.enter_context(module.OpenAIServer(script, **options))


@pytest.fixture
def png_bytes() -> bytes:
    """A real small PNG (2 x 2, RGB)."""
    import io

    from PIL import Image

    stream = io.BytesIO()
    Image.new("RGB", (2, 2), (200, 30, 30)).save(stream, format="PNG")
    return stream.getvalue()
