"""The wheel built from the sdist is the product: its file list is committed, and it runs in an empty environment."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LISTING = Path(__file__).with_name("wheel_files.txt")


def run(
    *command: str | Path, cwd: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build sdist -> wheel from the files that git knows, elsewhere."""
    place = tmp_path_factory.mktemp("build")
    source = place / "source"
    names = run("git", "ls-files", "-co", "--exclude-standard", "-z", cwd=ROOT).stdout.split("\0")
    for name in filter(None, names):
        path = ROOT / name
        if (
            path.is_file()
            and not path.is_symlink()
            and not name.startswith(("tests/", "docs/", "notebooks/"))
        ):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, source / name)
    run(
        sys.executable, "-m", "build", "--outdir", place / "dist", source, cwd=place
    )  # sdist, then wheel from it
    (built,) = (place / "dist").glob("*.whl")
    return built


def test_wheel_holds_exactly_the_committed_list(wheel: Path) -> None:
    names = sorted(n for n in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in n)
    text = "\n".join(names) + "\n"
    if os.environ.get("BENCHWRIGHT_UPDATE"):
        LISTING.write_text(text)
    assert text == LISTING.read_text(), (
        "if the change is meant: BENCHWRIGHT_UPDATE=1 pytest tests/test_wheel.py"
    )
    assert all(name.startswith("benchwright/") for name in names)


def test_wheel_in_an_empty_environment_runs_every_help_and_the_demo(wheel: Path, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    run(sys.executable, "-m", "venv", venv, cwd=tmp_path)
    pip = [venv / "bin" / "python", "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt"]
    run(*pip, wheel, cwd=tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    env = {"PATH": f"{venv / 'bin'}:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8"}
    for command in ("benchwright", "curate", "render", "annotate", "push-dataset", "evaluate"):
        assert "Usage:" in run(venv / "bin" / command, "--help", cwd=tmp_path, env=env).stdout
    checked = json.loads(run(venv / "bin" / "benchwright", "doctor", "--json", cwd=tmp_path, env=env).stdout)
    states = {f"{one['section']}: {one['part']}": one["state"] for one in checked["checks"]}
    assert (
        states["core: formulas"] == states["core: embedder"] == "ok" and states["extras: [ray]"] == "absent"
    )
    done = run(venv / "bin" / "benchwright", "demo", "workspace", cwd=tmp_path, env=env)
    assert "score" in done.stdout
    assert (tmp_path / "workspace" / "benchwright.toml").is_file()
    assert list((tmp_path / "workspace" / "renders").rglob("*.png"))
    assert list((tmp_path / "workspace" / "runs").glob("*/scores.json"))
