from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchwright.cli.render import render
from benchwright.render.compose import share_formulas, typesetter_for
from benchwright.render.font import BUNDLED
from benchwright.render.job import IndexRow, formula_cache, picture_path, read_sidecar, render_version
from benchwright.schemas.artefact import folder_digest, stage_state, write_atomic
from benchwright.schemas.digest import sha256_file
from benchwright.schemas.errors import LockedError, RecipeError, UsageError
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import Choice, Mark, Problem, Rejected
from benchwright.schemas.tables import write_records
from benchwright.schemas.versions import Version
from benchwright.schemas.workspace import Workspace

from .conftest import Studio

STEM = "A block of mass m = 2 kg moves. Find it with $\\frac{p}{m}$."


def problems(studio: Studio, count: int = 6) -> list[Problem]:
    made: list[Problem] = []
    for n in range(count):
        ref = studio.triangle(400 + n, 300)
        show = "text" if n == 1 else "on-diagram"
        marks = () if n == 1 else (Mark(label=f"$m = {n}$ kg"),)
        decomposition = studio.decomposed(STEM, ("m = 2 kg", show, marks)) if n != 2 else None
        made.append(
            studio.problem(
                f"Question {n} about $x_{n}$.",
                choices=(Choice(label="A", text="1"), Choice(label="B", text="2")),
                images=(ref,),
                decomposition=decomposition,
                problem_id=f"phys/{n:03d}",
            )
        )
    return made


def workspace_of(root: Path, studio: Studio, made: list[Problem]) -> Workspace:
    workspace = Workspace.create(root, default_recipe_toml("test"))
    for problem in made:
        for ref in problem.images:
            write_atomic(workspace.image(ref.sha256, ref.suffix), studio.bytes_of[ref.sha256])
    write_records(workspace.problems, made, Problem)
    return workspace


def run(workspace: Workspace, *arguments: str) -> Result:
    return CliRunner().invoke(render, [*arguments, "--workspace", str(workspace.root)])


@pytest.fixture
def workspace(tmp_path: Path, studio: Studio) -> Workspace:
    return workspace_of(tmp_path / "ws", studio, problems(studio))


def test_every_problem_is_drawn_or_refused_with_a_reason(workspace: Workspace) -> None:
    only = render_version(workspace, Version.VISION_ONLY, "en")
    assert (only.made, only.kept, only.rejected) == (6, 0, ())
    rich = render_version(workspace, Version.VISION_RICH, "en")
    assert rich.made == 4
    assert rich.reasons == {"no-decomposition": 1, "nothing-to-show": 1}
    assert rich.failed == ()
    folder = workspace.renders("clean", "vision-rich", "en")
    assert {row.item_id for row in read_jsonl(folder / "rejected.jsonl", Rejected)} == {
        "phys/001",
        "phys/002",
    }
    rows = read_jsonl(folder / "index.jsonl", IndexRow)
    assert [row.problem_id for row in rows] == ["phys/000", "phys/003", "phys/004", "phys/005"]
    assert all(row.shown == ("c1",) for row in rows)
    assert stage_state(workspace, folder / "index.jsonl") == "done"


def test_a_second_run_does_nothing_and_changes_no_byte(workspace: Workspace) -> None:
    render_version(workspace, Version.VISION_ONLY, "en")
    folder = workspace.renders("clean", "vision-only", "en")
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.png")}
    digest = folder_digest(folder)
    again = render_version(workspace, Version.VISION_ONLY, "en")
    assert (again.made, again.kept) == (0, 6)
    assert {path.name: path.stat().st_mtime_ns for path in folder.glob("*.png")} == before
    assert folder_digest(folder) == digest


def test_the_number_of_processes_does_not_matter(tmp_path: Path, studio: Studio) -> None:
    digests: list[str] = []
    for workers in (1, 2):
        workspace = workspace_of(tmp_path / str(workers), studio, problems(studio))
        render_version(workspace, Version.VISION_ONLY, "en", workers=workers)
        render_version(workspace, Version.VISION_RICH, "en", workers=workers)
        digests.append(folder_digest(workspace.root / "renders"))
    assert digests[0] == digests[1]


@pytest.mark.parametrize("damage", ["png", "json", "no-json"])
def test_a_damaged_picture_or_sidecar_is_made_anew(workspace: Workspace, damage: str) -> None:
    render_version(workspace, Version.VISION_ONLY, "en")
    folder = workspace.renders("clean", "vision-only", "en")
    digest = folder_digest(folder)
    path = picture_path(workspace, Version.VISION_ONLY, "en", "phys/003")
    if damage == "png":
        path.write_bytes(path.read_bytes()[:-20])
    elif damage == "json":
        path.with_suffix(".json").write_text('{"torn')
    else:
        path.with_suffix(".json").unlink()
    again = render_version(workspace, Version.VISION_ONLY, "en")
    assert (again.made, again.kept) == (1, 5)
    assert folder_digest(folder) == digest


def test_an_edited_problem_alone_is_drawn_again_and_a_removed_one_goes(
    workspace: Workspace, studio: Studio
) -> None:
    render_version(workspace, Version.VISION_ONLY, "en")
    made = problems(studio)
    text = made[2].texts["en"].model_copy(update={"question": "Edited $y$."})
    made[2] = made[2].model_copy(update={"texts": {"en": text}, "source_texts": {"en": text}})
    write_records(workspace.problems, made[:5], Problem)
    again = render_version(workspace, Version.VISION_ONLY, "en")
    assert (again.made, again.kept) == (1, 4)
    sidecar = read_sidecar(
        picture_path(workspace, Version.VISION_ONLY, "en", "phys/002").with_suffix(".json")
    )
    assert sidecar is not None and sidecar.lines[0].text == "Edited $y$."
    assert not picture_path(workspace, Version.VISION_ONLY, "en", "phys/005").exists()


def test_an_item_that_fails_leaves_no_picture_and_is_named(workspace: Workspace, studio: Studio) -> None:
    render_version(workspace, Version.VISION_ONLY, "en")
    made = problems(studio)
    text = made[0].texts["en"]
    assert text.decomposition is not None
    spoiled = text.model_copy(
        update={"decomposition": text.decomposition.model_copy(update={"stem": STEM + " 🧪"})}
    )
    made[0] = made[0].model_copy(update={"texts": {"en": spoiled}})
    write_records(workspace.problems, made, Problem)
    result = run(workspace, "vision-only", "--language", "en", "--workers", "1", "--json")
    assert result.exit_code == 1
    assert "U+1F9EA" in result.output
    assert not picture_path(workspace, Version.VISION_ONLY, "en", "phys/000").exists()
    folder = workspace.renders("clean", "vision-only", "en")
    assert [row.reason for row in read_jsonl(folder / "rejected.jsonl", Rejected)] == ["missing-glyph"]


def test_only_some_problems_leaves_the_others_and_marks_the_rest_unsettled(workspace: Workspace) -> None:
    first = render_version(workspace, Version.VISION_ONLY, "en", only=["phys/001"])
    assert first.made == 1
    folder = workspace.renders("clean", "vision-only", "en")
    assert stage_state(workspace, folder / "index.jsonl") == "missing"
    render_version(workspace, Version.VISION_ONLY, "en")
    assert stage_state(workspace, folder / "index.jsonl") == "done"
    render_version(workspace, Version.VISION_ONLY, "en", only=["phys/001"])
    assert stage_state(workspace, folder / "index.jsonl") == "done"
    with pytest.raises(UsageError, match="no problem 'nobody'"):
        render_version(workspace, Version.VISION_ONLY, "en", only=["nobody"])


def test_a_run_over_some_problems_does_not_vouch_for_the_others(workspace: Workspace, studio: Studio) -> None:
    render_version(workspace, Version.VISION_ONLY, "en")
    made = problems(studio)
    for n in (0, 3):
        text = made[n].texts["en"].model_copy(update={"question": f"Edited {n}."})
        made[n] = made[n].model_copy(update={"texts": {"en": text}, "source_texts": {"en": text}})
    write_records(workspace.problems, made, Problem)
    assert render_version(workspace, Version.VISION_ONLY, "en", only=["phys/000"]).made == 1
    folder = workspace.renders("clean", "vision-only", "en")
    assert stage_state(workspace, folder / "index.jsonl") == "missing"
    listed = {row.problem_id for row in read_jsonl(folder / "index.jsonl", IndexRow)}
    assert "phys/000" in listed and "phys/003" not in listed
    assert picture_path(workspace, Version.VISION_ONLY, "en", "phys/003").is_file()
    assert render_version(workspace, Version.VISION_ONLY, "en").made == 1
    assert stage_state(workspace, folder / "index.jsonl") == "done"


def test_a_refusal_from_before_an_edit_settles_nothing(workspace: Workspace, studio: Studio) -> None:
    render_version(workspace, Version.VISION_RICH, "en")
    made = problems(studio)
    made[2] = made[0].model_copy(update={"problem_id": "phys/002"})
    write_records(workspace.problems, made, Problem)
    index = workspace.renders("clean", "vision-rich", "en") / "index.jsonl"
    render_version(workspace, Version.VISION_RICH, "en", only=["phys/000"])
    assert stage_state(workspace, index) == "missing"
    assert render_version(workspace, Version.VISION_RICH, "en").reasons == {"nothing-to-show": 1}
    assert stage_state(workspace, index) == "done"


@pytest.mark.parametrize("changed", ["renderer_version", "font_sha256", "engines", "style_digest"])
def test_a_picture_of_another_renderer_font_engine_or_style_is_made_anew(
    workspace: Workspace, changed: str
) -> None:
    only = ["phys/003"]
    render_version(workspace, Version.VISION_ONLY, "en", only=only)
    path = picture_path(workspace, Version.VISION_ONLY, "en", "phys/003").with_suffix(".json")
    before = path.read_text(encoding="utf-8")
    fields = json.loads(before)
    other = {"renderer_version": 0, "engines": {"mathra": "0"}}.get(changed, "0" * 64)
    assert fields[changed] != other
    path.write_text(json.dumps({**fields, changed: other}), encoding="utf-8")
    assert render_version(workspace, Version.VISION_ONLY, "en", only=only).made == 1
    assert path.read_text(encoding="utf-8") == before


def test_a_lost_or_changed_diagram_fails_its_item_alone(workspace: Workspace, studio: Studio) -> None:
    made = problems(studio)
    workspace.find_image(made[0].images[0].sha256).unlink()
    workspace.find_image(made[1].images[0].sha256).write_bytes(b"not the same")
    result = render_version(workspace, Version.VISION_ONLY, "en")
    assert result.reasons == {"image-missing": 1, "image-tampered": 1}
    assert result.made == 4


def test_the_command_counts_rule_refusals_without_failing(workspace: Workspace) -> None:
    result = run(workspace, "vision-rich", "--language", "en", "--workers", "1", "--json")
    assert result.exit_code == 0, result.output
    counts = json.loads(result.stdout)["results"][0]
    assert counts["reasons"] == {"no-decomposition": 1, "nothing-to-show": 1}
    assert (counts["made"], counts["failed"]) == (4, 0)


def test_a_language_without_texts_is_counted_not_failed(workspace: Workspace) -> None:
    result = run(workspace, "vision-only", "--workers", "1", "--json")
    assert result.exit_code == 0
    assert [r["reasons"] for r in json.loads(result.stdout)["results"]] == [{}, {"no-translation": 6}]


def test_no_problems_yet_is_a_users_error(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "empty", default_recipe_toml("test"))
    with pytest.raises(UsageError, match="curate problems"):
        render_version(workspace, Version.VISION_ONLY, "en")
    with pytest.raises(UsageError, match="no rendered picture"):
        render_version(workspace, Version.ORIGINAL, "en")


def test_a_second_writer_is_told_who_holds_the_lock(workspace: Workspace) -> None:
    with workspace.lock("render/vision-only/en"), pytest.raises(LockedError, match=str(os.getpid())):
        render_version(workspace, Version.VISION_ONLY, "en")


@pytest.mark.parametrize("style", ["clean", "exam", "phone-photo"])
def test_the_result_does_not_depend_on_the_number_of_processes(
    tmp_path: Path, studio: Studio, style: str
) -> None:
    made = problems(studio, 8)
    digests = []
    for jobs in ("1", "2"):
        workspace = workspace_of(tmp_path / jobs, studio, made)
        result = run(workspace, "vision-only", "--language", "en", "--jobs", jobs, "--style", style)
        assert result.exit_code == 0, result.output
        digests.append(folder_digest(workspace.renders(style, "vision-only", "en")))
    assert digests[0] == digests[1]


def test_the_formula_cache_belongs_to_no_artefact(workspace: Workspace) -> None:
    typesetter_for.cache_clear()  # as a fresh process: nothing in memory
    render_version(workspace, Version.VISION_ONLY, "en")
    folder = workspace.renders("clean", "vision-only", "en")
    before = folder_digest(folder)
    cache = formula_cache(workspace)
    assert cache.is_file()
    for path in folder.iterdir():
        path.unlink()
    render_version(workspace, Version.VISION_ONLY, "en")  # with what the cache holds
    assert folder_digest(folder) == before
    share_formulas(BUNDLED, cache).close()
    cache.unlink()
    assert render_version(workspace, Version.VISION_ONLY, "en").kept == 6
    assert not any("cache" in line for line in read_manifest_text(folder))


def read_manifest_text(folder: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in folder.glob("*manifest*")]


def test_another_font_draws_anew_and_is_recorded(
    workspace: Workspace, latin_font: Path, tmp_path: Path
) -> None:
    only = ("--language", "en", "--only", "phys/000", "--jobs", "1")
    assert run(workspace, "vision-only", *only).exit_code == 0
    path = picture_path(workspace, Version.VISION_ONLY, "en", "phys/000").with_suffix(".json")
    bundled = json.loads(path.read_text(encoding="utf-8"))
    assert bundled["font_sha256"] == sha256_file(BUNDLED)
    assert run(workspace, "vision-only", *only, "--font", str(latin_font)).exit_code == 0
    other = json.loads(path.read_text(encoding="utf-8"))
    assert other["font_sha256"] == sha256_file(latin_font) != bundled["font_sha256"]
    for content, words in ((b"no font", "not a font"), (None, "cannot be read")):
        broken = tmp_path / "broken.otf"
        broken.unlink(missing_ok=True)
        if content is not None:
            broken.write_bytes(content)
        with pytest.raises(UsageError, match=words):
            render_version(workspace, Version.VISION_ONLY, "en", font=broken)


def test_the_recipe_may_name_a_font_and_a_style(tmp_path: Path, studio: Studio, latin_font: Path) -> None:
    recipe = default_recipe_toml("test").replace('style = "clean"', 'style = "exam"\nfont = "own.otf"', 1)
    workspace = Workspace.create(tmp_path / "ws", recipe)
    (workspace.root / "own.otf").write_bytes(latin_font.read_bytes())
    made = problems(studio, 2)
    for problem in made:
        for ref in problem.images:
            write_atomic(workspace.image(ref.sha256, ref.suffix), studio.bytes_of[ref.sha256])
    write_records(workspace.problems, made, Problem)
    assert render_version(workspace, Version.VISION_ONLY, "en").made == 2
    sidecar = read_sidecar(
        picture_path(workspace, Version.VISION_ONLY, "en", "phys/000").with_suffix(".json")
    )
    assert sidecar is not None and sidecar.font_sha256 == sha256_file(latin_font)
    assert sidecar.style["name"] == "exam"
    with pytest.raises(RecipeError, match=r"render\.style"):
        Workspace.create(
            tmp_path / "other", default_recipe_toml("test").replace('style = "clean"', 'style = "x"')
        )


def test_a_killed_run_goes_on_and_ends_with_the_same_bytes(tmp_path: Path, studio: Studio) -> None:
    made = problems(studio, 12)
    whole = workspace_of(tmp_path / "whole", studio, made)
    render_version(whole, Version.VISION_ONLY, "en")
    killed = workspace_of(tmp_path / "killed", studio, made)
    folder = killed.renders("clean", "vision-only", "en")
    code = (
        "import sys; from pathlib import Path\n"
        "from benchwright.render.job import render_version\n"
        "from benchwright.schemas.versions import Version\n"
        "from benchwright.schemas.workspace import Workspace\n"
        "render_version(Workspace.find(Path(sys.argv[1])), Version.VISION_ONLY, 'en')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(killed.root)])
    deadline = time.monotonic() + 60
    while len(list(folder.glob("*.json"))) < 3:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (folder / "index.jsonl").exists()
    result = render_version(killed, Version.VISION_ONLY, "en")
    assert result.kept >= 3 and result.made + result.kept == 12
    assert folder_digest(folder) == folder_digest(whole.renders("clean", "vision-only", "en"))
