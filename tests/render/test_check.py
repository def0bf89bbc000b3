"""`render check` on a workspace: verdicts are kept, stale ones are not believed, and the release reads them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from benchwright.cli.render import render
from benchwright.curation.release.renders import Renders
from benchwright.render.check import check_version, gate_path, gate_verdict
from benchwright.render.gallery import write_gallery
from benchwright.render.job import picture_path, read_sidecar, render_version
from benchwright.render.legibility_result import GateState
from benchwright.render.raster import encode_png
from benchwright.render.sidecar import Sidecar
from benchwright.schemas.artefact import folder_digest, write_atomic
from benchwright.schemas.digest import canonical_json, sha256_bytes
from benchwright.schemas.errors import ItemError, LockedError, UsageError
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import Mark, Problem
from benchwright.schemas.tables import write_records
from benchwright.schemas.versions import Version
from benchwright.schemas.workspace import Workspace

from .conftest import Studio
from .test_legibility_long import needs_reader

STEM = "A block of mass m = 2 kg moves. Find its momentum."


@pytest.fixture
def workspace(tmp_path: Path, studio: Studio) -> Workspace:
    made = Workspace.create(tmp_path / "ws", default_recipe_toml("test"))
    problems: list[Problem] = []
    for number in range(4):  # two processes need four pictures
        ref = studio.triangle(400 + number, 300)
        decomposition = studio.decomposed(STEM, ("m = 2 kg", "on-diagram", (Mark(label="2 kg"),)))
        problems.append(
            studio.problem(STEM, images=(ref,), decomposition=decomposition, problem_id=f"p/{number}")
        )
        write_atomic(made.image(ref.sha256, ref.suffix), studio.bytes_of[ref.sha256])
    write_records(made.problems, problems, Problem)
    for version in (Version.VISION_ONLY, Version.VISION_RICH):
        render_version(made, version, "en")
    return made


def picture(workspace: Workspace, name: str = "p/1") -> Path:
    return picture_path(workspace, Version.VISION_ONLY, "en", name)


def spoil(path: Path) -> None:
    """Ink across the first line, under a sidecar that owns the new bytes: a renderer's fault, not a torn file."""
    sidecar = read_sidecar(path.with_suffix(".json"))
    assert sidecar is not None
    with Image.open(path) as opened:
        image = opened.convert("RGB")
    box = sidecar.lines[0].box
    image.paste((0, 0, 0), (box.x, box.y + box.height // 2, box.x + box.width, box.y + box.height // 2 + 4))
    data = encode_png(image)
    write_atomic(path, data)
    changed = sidecar.model_copy(update={"png_sha256": sha256_bytes(data)})
    write_atomic(path.with_suffix(".json"), (canonical_json(changed) + "\n").encode())


def edit_sidecar(path: Path, **changes: object) -> None:
    sidecar = Sidecar.model_validate_json(path.with_suffix(".json").read_bytes())
    changed = sidecar.model_copy(update=changes)
    write_atomic(path.with_suffix(".json"), (canonical_json(changed) + "\n").encode())


def run(workspace: Workspace, *arguments: str) -> Result:
    command = ["check", *arguments, "--workspace", str(workspace.root), "--jobs", "1"]
    return CliRunner().invoke(render, command)


def find(workspace: Workspace, name: str = "p/1") -> Renders:
    from benchwright.schemas.tables import read_records

    problem = next(p for p in read_records(workspace.problems, Problem) if p.problem_id == name)
    renders = Renders(workspace)
    renders.find(problem, Version.VISION_ONLY, "en")
    return renders


@needs_reader
def test_good_pictures_pass_and_are_not_judged_again(workspace: Workspace) -> None:
    first = check_version(workspace, Version.VISION_ONLY, "en")
    assert (first.count(GateState.PASSED), first.kept, first.accuracy) == (4, 0, 1.0)
    before = folder_digest(picture(workspace).parent)
    again = check_version(workspace, Version.VISION_ONLY, "en")
    assert (again.kept, again.verdicts) == (4, first.verdicts)
    assert folder_digest(picture(workspace).parent) == before
    verdict = gate_verdict(picture(workspace))
    assert verdict is not None and verdict.state is GateState.PASSED


@needs_reader
def test_rendering_anew_keeps_verdicts_that_hold(workspace: Workspace) -> None:
    check_version(workspace, Version.VISION_ONLY, "en")
    assert render_version(workspace, Version.VISION_ONLY, "en").kept == 4
    assert check_version(workspace, Version.VISION_ONLY, "en").kept == 4


@needs_reader
def test_a_spoiled_picture_fails_the_command_and_never_reaches_a_release(workspace: Workspace) -> None:
    assert find(workspace).unchecked == ["renders/clean/vision-only/en/p%2F1.png"]
    spoil(picture(workspace))
    result = run(workspace, "vision-only", "--json", "--language", "en")
    assert result.exit_code != 0
    report = json.loads(result.stdout)["results"][0]
    assert (report["passed"], report["failed"], list(report["failing"])) == (3, 1, ["p/1"])
    assert "ink-differs" in report["codes"]
    with pytest.raises(ItemError) as caught:
        find(workspace)
    assert caught.value.reason == "illegible-image" and "ink-differs" in caught.value.detail
    assert find(workspace, "p/0").unchecked == []


@needs_reader
def test_the_gallery_shows_verdicts(workspace: Workspace) -> None:
    spoil(picture(workspace))
    check_version(workspace, Version.VISION_ONLY, "en")
    page = workspace.root / "gallery.html"
    write_gallery(workspace, page)
    html = page.read_text(encoding="utf-8")
    assert 'id="p/1" data-discipline="physics" data-status="failed"' in html
    assert 'id="p/0" data-discipline="physics" data-status="unchecked"' in html
    assert '<span class="verdict failed">failed: ' in html
    assert "read back: " in html and "not read back yet" in html


def test_a_verdict_on_other_bytes_another_sidecar_or_by_other_thresholds_is_none(
    workspace: Workspace,
) -> None:
    check_version(workspace, Version.VISION_ONLY, "en")
    names = ("p/0", "p/1", "p/2")
    assert all(gate_verdict(picture(workspace, name)) for name in names)
    spoil(picture(workspace, "p/0"))
    edit_sidecar(picture(workspace, "p/1"), warnings=("w",))
    stored = gate_path(picture(workspace, "p/2"))
    fields = json.loads(stored.read_text(encoding="utf-8"))
    stored.write_text(json.dumps({**fields, "thresholds": "0" * 64}), encoding="utf-8")
    assert [gate_verdict(picture(workspace, name)) for name in names] == [None, None, None]
    assert check_version(workspace, Version.VISION_ONLY, "en").kept == 1


def test_a_torn_verdict_and_that_of_a_picture_that_is_gone_are_replaced(workspace: Workspace) -> None:
    check_version(workspace, Version.VISION_ONLY, "en")
    whole = gate_path(picture(workspace)).read_bytes()
    gate_path(picture(workspace)).write_bytes(whole[:40])
    stray = gate_path(picture(workspace)).with_name("gone.json")
    stray.write_bytes(whole)
    assert check_version(workspace, Version.VISION_ONLY, "en").kept == 3
    assert gate_path(picture(workspace)).read_bytes() == whole
    assert not stray.exists()


def test_a_release_may_demand_a_verdict(workspace: Workspace) -> None:
    recipe = (workspace.root / "benchwright.toml").read_text(encoding="utf-8")
    strict = recipe.replace("[render]\n", '[render]\ngate = "require"\n')
    (workspace.root / "benchwright.toml").write_text(strict, encoding="utf-8")
    with pytest.raises(ItemError) as caught:
        find(Workspace.find(workspace.root))
    assert caught.value.reason == "unchecked-image"


def test_a_text_cut_by_rule_is_refused_until_reviewed(workspace: Workspace) -> None:
    edit_sidecar(picture(workspace), text_changed=True, unshown={"c1": "no-room"})
    with pytest.raises(ItemError) as caught:
        find(workspace)
    assert caught.value.reason == "text-changed" and "c1" in caught.value.detail


def test_two_processes_give_the_verdicts_of_one(workspace: Workspace) -> None:
    check_version(workspace, Version.VISION_RICH, "en", workers=1)
    folder = picture_path(workspace, Version.VISION_RICH, "en", "x").parent / "gate"
    one = folder_digest(folder)
    for path in folder.iterdir():
        path.unlink()
    rows = [r.problem_id for r in check_version(workspace, Version.VISION_RICH, "en", workers=2).verdicts]
    assert rows == ["p/0", "p/1", "p/2", "p/3"]
    assert folder_digest(folder) == one


def test_users_errors(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no rendered picture"):
        check_version(workspace, Version.ORIGINAL, "en")
    with pytest.raises(UsageError, match="run `render vision-only` first"):
        check_version(workspace, Version.VISION_ONLY, "zh")
    with pytest.raises(UsageError, match="'nobody' has no vision-only picture"):
        check_version(workspace, Version.VISION_ONLY, "en", only=["nobody"])
    with workspace.lock("gate/vision-only/en"), pytest.raises(LockedError, match=str(os.getpid())):
        check_version(workspace, Version.VISION_ONLY, "en")
    empty = Workspace.create(tmp_path / "empty", default_recipe_toml("test"))
    result = run(empty)
    assert isinstance(result.exception, UsageError) and "no picture has been rendered" in str(
        result.exception
    )
