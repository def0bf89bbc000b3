"""Traps of Label Studio and its SDK that nothing else here would notice."""

from __future__ import annotations

import importlib.metadata
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.annotation.server import ManagedServer, state_path
from benchwright.schemas.errors import UsageError


def test_the_sdk_did_not_bring_a_second_cv2() -> None:
    """Two packages own the folder `cv2`; whichever was installed last would win without a word."""
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        importlib.metadata.version("opencv-python")
    code = "import cv2; print(cv2.__version__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    version = importlib.metadata.version("opencv-python-headless")
    assert version.startswith(done.stdout.strip())
    assert done.stdout.startswith("4.12.")


@pytest.mark.labelstudio
def test_a_taken_port_is_refused_where_label_studio_would_move_to_the_next(
    tmp_path: Path, make_workspace
) -> None:
    workspace = make_workspace(tmp_path / "ws", 1, name="taken")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with (
            pytest.raises(UsageError, match=f"port {port} of 127.0.0.1 cannot be used"),
            ManagedServer(workspace, print, port=port),
        ):
            pass
    assert not state_path(workspace).exists()
