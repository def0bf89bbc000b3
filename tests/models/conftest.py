"""Fixtures for the tests of `benchwright.models`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def png_bytes() -> bytes:
    """A real small PNG (2 x 2, RGB)."""
    import io

    from PIL import Image

    stream = io.BytesIO()
    Image.new("RGB", (2, 2), (200, 30, 30)).save(stream, format="PNG")
    return stream.getvalue()


def load_beside(name: str) -> Any:
    """Load a helper module that lies beside this file."""
    full = f"benchwright_test_models_{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, Path(__file__).with_name(f"{name}.py"))
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[full] = module
        spec.loader.exec_module(module)
    return sys.modules[full]


@pytest.fixture(scope="session")
def tiny() -> Any:
    """Builders of tiny random checkpoints; skips where torch and transformers are not installed."""
    for package in ("torch", "transformers"):
        pytest.importorskip(package, reason=f"{package} is not installed (extra `local`)")
    return load_beside("tiny")


@pytest.fixture(scope="session")
def llama(tiny: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a tiny random causal model."""
    return tiny.build_llama(tmp_path_factory.mktemp("checkpoints") / "tiny-llama")


@pytest.fixture(scope="session")
def llava(tiny: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a tiny random vision-language model."""
    return tiny.build_llava(tmp_path_factory.mktemp("checkpoints") / "tiny-llava")


@pytest.fixture(scope="session")
def idefics3(tiny: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of another kind of tiny random vision-language model."""
    return tiny.build_idefics3(tmp_path_factory.mktemp("checkpoints") / "tiny-idefics3")


@pytest.fixture(params=["llava", "idefics3"])
def seeing(request: pytest.FixtureRequest) -> Path:
    """Folder of each of the two kinds."""
    folder: Path = request.getfixturevalue(request.param)
    return folder
