"""The empty cache of a verification: gone with it, and what a killed one left is removed by the next."""

from __future__ import annotations

import pytest
from filelock import FileLock

from benchwright.curation.release.verify_home import empty_home, remove_abandoned


def test_it_is_empty_private_and_gone_afterwards(tmp_path):
    with empty_home(tmp_path) as home:
        assert home.parent == tmp_path and list(home.iterdir()) == [] and home.stat().st_mode & 0o777 == 0o700
        (home / "file").write_text("x")
    with pytest.raises(RuntimeError), empty_home(tmp_path) as other:
        raise RuntimeError
    assert home != other and list(tmp_path.glob("benchwright-verify-*")) == []


def test_abandoned_ones_go_and_those_in_use_stay(tmp_path):
    left, used, foreign = (tmp_path / f"benchwright-verify-{name}" for name in ("left", "used", "foreign"))
    for home in (left, used, foreign):
        home.mkdir()
        (home / "cache").write_text("x")
    (tmp_path / "benchwright-verify-left.lock").touch()
    with FileLock(tmp_path / "benchwright-verify-used.lock"), empty_home(tmp_path):
        assert not left.exists() and (used / "cache").exists() and (foreign / "cache").exists()
        assert remove_abandoned(tmp_path) == 0
    assert remove_abandoned(tmp_path) == 1 and not used.exists()
