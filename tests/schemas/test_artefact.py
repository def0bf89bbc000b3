"""Stages: done once, done again when something changed, whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from benchwright.schemas.artefact import (
    Counts,
    StageResult,
    folder_digest,
    manifest_path,
    read_manifest,
    run_stage,
    stage_state,
    write_atomic,
)
from benchwright.schemas.errors import LockedError, NotDone, RecipeError, UsageError
from benchwright.schemas.recipe import default_recipe_toml, load_recipe
from benchwright.schemas.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.create(tmp_path / "bench", default_recipe_toml("toy"))


def upper(workspace: Workspace, factor: int = 1, fail: bool = False) -> StageResult:
    source, target = workspace.root / "in.txt", workspace.root / "out" / "up.txt"

    def produce(temporary: tuple[Path, ...]) -> Counts:
        temporary[0].write_text(source.read_text().upper() * factor)
        if fail:
            raise RuntimeError("the stage broke")
        return Counts(n_in=1, n_kept=1)

    return run_stage(workspace, "upper", 1, [source], [target], {"factor": factor}, produce)


def test_runs_once_and_again_only_when_something_changed(workspace: Workspace) -> None:
    source = workspace.root / "in.txt"
    source.write_text("abc")
    assert upper(workspace).ran
    assert not upper(workspace).ran
    assert upper(workspace, factor=2).ran
    assert not upper(workspace, factor=2).ran
    source.write_text("abd")
    assert stage_state(workspace, workspace.root / "out" / "up.txt") == "stale"
    assert upper(workspace, factor=2).ran
    assert (workspace.root / "out" / "up.txt").read_text() == "ABDABD"


def test_tampered_output_is_noticed_and_made_anew(workspace: Workspace) -> None:
    (workspace.root / "in.txt").write_text("abc")
    upper(workspace)
    target = workspace.root / "out" / "up.txt"
    target.write_text("ABX")
    assert stage_state(workspace, target) == "tampered"
    result = upper(workspace)
    assert result.ran and result.repaired == ("out/up.txt",)
    assert target.read_text() == "ABC"
    assert stage_state(workspace, target) == "done"


def test_torn_manifest_counts_as_missing(workspace: Workspace) -> None:
    (workspace.root / "in.txt").write_text("abc")
    upper(workspace)
    beside = manifest_path(workspace.root / "out" / "up.txt")
    beside.write_bytes(beside.read_bytes()[:40])
    assert read_manifest(beside) is None
    assert upper(workspace).ran


def test_failed_stage_leaves_no_half_output(workspace: Workspace) -> None:
    (workspace.root / "in.txt").write_text("abc")
    with pytest.raises(RuntimeError):
        upper(workspace, fail=True)
    assert list((workspace.root / "out").iterdir()) == []


def test_missing_input_names_the_file(workspace: Workspace) -> None:
    with pytest.raises(UsageError, match=r"in\.txt does not exist"):
        upper(workspace)


def test_second_writer_is_told_who_holds_the_stage(workspace: Workspace) -> None:
    code = textwrap.dedent(
        """
        import sys, time
        from pathlib import Path
        from benchwright.schemas.workspace import Workspace
        with Workspace.find(Path(sys.argv[1])).lock("cluster/physics"):
            print("held", flush=True)
            time.sleep(60)
        """
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(workspace.root)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None and holder.stdout.readline().strip() == "held"
        with pytest.raises(LockedError, match=f"process {holder.pid}"), workspace.lock("cluster/physics"):
            pass
        with workspace.lock("cluster/chemistry"):
            pass
    finally:
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        holder.stdout.close()
    with workspace.lock("cluster/physics"):
        pass


def test_kill_in_the_middle_leaves_the_old_artefact(workspace: Workspace) -> None:
    code = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path
        from benchwright.schemas.artefact import run_stage
        from benchwright.schemas.workspace import Workspace
        w = Workspace.find(Path(sys.argv[1]))
        def produce(t):
            t[0].write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
        run_stage(w, "upper", 1, [w.root / "in.txt"], [w.root / "out" / "up.txt"], {"factor": 9}, produce)
        """
    )
    (workspace.root / "in.txt").write_text("abc")
    upper(workspace)
    done = subprocess.run([sys.executable, "-c", code, str(workspace.root)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert (workspace.root / "out" / "up.txt").read_text() == "ABC"
    assert not upper(workspace).ran, "the old artefact and its manifest are whole"
    assert upper(workspace, factor=9).ran
    assert (workspace.root / "out" / "up.txt").read_text() == "ABC" * 9
    assert sorted(p.name for p in (workspace.root / "out").iterdir()) == ["up.txt", "up.txt.manifest.json"]


def test_next_writer_removes_what_a_killed_one_left_half_written(workspace: Workspace) -> None:
    code = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path
        from benchwright.schemas.workspace import Workspace
        w = Workspace.find(Path(sys.argv[1]))
        with w.lock("ingest"):
            folder = w.root / "images" / "ab"
            folder.mkdir(parents=True)
            (folder / f".x.png.{os.getpid()}.tmp").write_bytes(b"half")
            (folder / ".y.png.1.tmp").write_bytes(b"another process is writing this")
            os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    subprocess.run([sys.executable, "-c", code, str(workspace.root)], check=False)
    folder = workspace.root / "images" / "ab"
    assert len(list(folder.iterdir())) == 2
    with workspace.lock("ingest"):
        assert [path.name for path in folder.iterdir()] == [".y.png.1.tmp"]
    assert not list((workspace.root / ".locks").glob("*.holder.json"))


def test_a_dry_workspace_says_what_would_run_and_writes_nothing(workspace: Workspace) -> None:
    dry = Workspace(workspace.root, workspace.recipe, dry=True)
    source, target = workspace.root / "in.txt", workspace.root / "out" / "up.txt"
    source.write_text("abc")

    def found(factor: int = 1) -> str:
        before = folder_digest(workspace.root)
        try:
            assert not upper(dry, factor).ran
        except NotDone as stop:
            return stop.state
        finally:
            assert folder_digest(workspace.root) == before
        return "done"

    assert found() == "missing"
    upper(workspace)
    assert (found(), found(factor=2)) == ("done", "stale")
    source.write_text("abd")
    assert found() == "stale"
    upper(workspace)
    target.write_text("x")
    assert found() == "tampered"
    upper(workspace)
    beside = manifest_path(target)
    manifest = beside.read_text()
    beside.write_text(manifest.replace('"package_version":"', '"package_version":"0.0.'))
    assert stage_state(workspace, target) == "stale"
    beside.write_text(manifest[:40])
    assert (found(), stage_state(workspace, target)) == ("tampered", "tampered")


def test_write_atomic_replaces(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a" / "b.txt", b"one")
    write_atomic(tmp_path / "a" / "b.txt", b"two")
    assert (tmp_path / "a" / "b.txt").read_bytes() == b"two"
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["b.txt"]


def test_workspace_is_found_upwards_and_by_environment(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = workspace.root / "a" / "b"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert Workspace.find().root == workspace.root
    monkeypatch.chdir(workspace.root.parent)
    with pytest.raises(UsageError, match="curate init"):
        Workspace.find()
    monkeypatch.setenv("BENCHWRIGHT_WORKSPACE", str(workspace.root))
    assert Workspace.find().root == workspace.root


def test_create_never_overwrites(workspace: Workspace) -> None:
    with pytest.raises(UsageError, match="already exists"):
        Workspace.create(workspace.root, default_recipe_toml("other"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[benchmark", "not valid TOML"),
        ('[benchmark]\nname = "x"\n[disciplines]\n', "at least one discipline"),
        (
            '[benchmark]\nname = "x"\nlanguage = "en"\n[disciplines.physics]\n',
            r"benchmark\.language: there is no such key",
        ),
        ('[benchmark]\nname = "x"\n[disciplines.physics]\nbudget = 0\n', r"disciplines\.physics\.budget"),
    ],
)
def test_recipe_errors_name_file_and_key(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "benchwright.toml"
    path.write_text(text)
    with pytest.raises(RecipeError, match=message):
        load_recipe(path)
