"""`benchwright status` on a real small workspace: missing -> done -> stale -> tampered, and it only looks."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from benchwright.annotation.replay import replay_reviews
from benchwright.cli.main import benchwright, run_command
from benchwright.examples.pool import write_raw_pool
from benchwright.schemas.artefact import folder_digest
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.workspace import Workspace

RECIPE = """[benchmark]
name = "small"
languages = ["en"]
versions = ["original", "vision-only"]
taxonomy = "visscience+sciverse"

[disciplines.chemistry]
budget = 8
[disciplines.physics]
budget = 12

[selection]
difficulty_tolerance = 1.0
subject_tolerance = 1.0
"""
Status = Callable[[Path], dict[str, Any]]


def typed(workspace: Path, *arguments: str, code: int = 0) -> None:
    got = run_command(benchwright, "benchwright", [*arguments, "--workspace", str(workspace)])
    assert got == code, arguments


@pytest.fixture
def status(capsys: pytest.CaptureFixture[str]) -> Status:
    def look(workspace: Path) -> dict[str, Any]:
        before = folder_digest(workspace)
        capsys.readouterr()
        typed(workspace, "status", "--json")
        said: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert folder_digest(workspace) == before, "status writes nothing"
        return {"lines": {line["stage"]: line for line in said["stages"]}, "stages": said["stages"]}

    return look


def states(found: dict[str, Any]) -> dict[str, str]:
    return {name: line["state"] for name, line in found["lines"].items()}


def following(found: dict[str, Any]) -> str | None:
    return next((line["next"] for line in found["stages"] if line["next"]), None)


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples as a raw pool."""
    return write_raw_pool(tmp_path_factory.mktemp("raw"))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, raw: Path) -> Path:
    """A workspace in which the whole line was run."""
    root = tmp_path_factory.mktemp("status") / "bench"
    workspace = Workspace.create(root, RECIPE)
    typed(root, "curate", "ingest", str(raw))
    typed(root, "curate", "cluster")
    typed(root, "curate", "tag")
    with resources.as_file(resources.files("benchwright.examples") / "reviews.jsonl") as recorded:
        replay_reviews(workspace, recorded)
    typed(root, "curate", "problems")
    typed(root, "render", "vision-only")
    typed(root, "push", "--build-only")
    typed(root, "evaluate", "run", str(workspace.release("v0.1.0")), "--model", "baseline/random")
    return root


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "bench"))


def test_everything_is_missing_at_first_and_the_next_command_is_named(
    tmp_path: Path, status: Status, raw: Path
) -> None:
    Workspace.create(tmp_path / "new", RECIPE)
    found = status(tmp_path / "new")
    assert set(states(found).values()) == {"missing"}
    assert following(found) == "curate ingest SOURCE"
    typed(tmp_path / "new", "curate", "ingest", str(raw))
    found = status(tmp_path / "new")
    assert states(found)["pool physics"] == "done" and states(found)["embed physics"] == "missing"
    assert found["lines"]["ingest, rejected"]["rejected"] > 0
    assert following(found) == "curate screen --discipline chemistry"
    typed(tmp_path / "new", "curate", "screen", "--discipline", "chemistry")
    found = status(tmp_path / "new")
    assert states(found)["screen chemistry"] == "done" and states(found)["screen physics"] == "missing"
    assert following(found) == "curate dedup --discipline chemistry"


def test_a_finished_workspace_is_done_with_its_counts(copy: Path, status: Status) -> None:
    found = status(copy)
    assert set(states(found).values()) == {"done"}, states(found)
    assert following(found) is None
    lines = found["lines"]
    assert (lines["select chemistry"]["items"], lines["select physics"]["items"]) == (8, 12)
    assert lines["problems"]["items"] == lines["reviews tagging"]["items"] == 20
    assert lines["render vision-only en"]["items"] == 20
    assert lines["release v0.1.0"]["items"] == 40


def test_another_budget_makes_the_choice_and_all_that_follows_stale(copy: Path, status: Status) -> None:
    (copy / "benchwright.toml").write_text(RECIPE.replace("physics]\nbudget = 12", "physics]\nbudget = 15"))
    found = states(status(copy))
    stale = {name for name, state in found.items() if state != "done"}
    assert {found[name] for name in stale} == {"stale"}
    assert stale == {
        "cluster physics",
        "select physics",
        "proposals tagging",
        "problems",
        "render vision-only en",
        "release v0.1.0",
    }
    (copy / "benchwright.toml").write_text(RECIPE)
    assert set(states(status(copy)).values()) == {"done"}


def test_screening_and_duplicates_have_their_lines_and_counts(copy: Path, status: Status) -> None:
    lines = status(copy)["lines"]
    for stage in ("screen", "dedup"):
        line, pool = lines[f"{stage} physics"], lines["pool physics"]
        assert line["items"] + line["rejected"] == pool["items"] > 0, stage
    more = "\n[dedup.thresholds]\nminhash = 0.5\n"
    (copy / "benchwright.toml").write_text(RECIPE + more)
    found = status(copy)
    late = {name for name, state in states(found).items() if state == "stale"}
    assert {"dedup chemistry", "dedup physics", "select physics", "problems"} <= late
    assert not {"screen physics", "embed physics", "cluster physics"} & late
    assert following(found) == "curate dedup --discipline chemistry"
    (copy / "benchwright.toml").write_text(RECIPE + more + "\n[screen]\nenabled = false\n")
    assert "screen physics" not in states(status(copy)), "a stage that the recipe turns off has no line"


def test_another_ink_makes_pictures_and_release_stale(copy: Path, status: Status) -> None:
    (copy / "benchwright.toml").write_text(RECIPE + '\n[render]\nink = "black"\n')
    found = states(status(copy))
    assert {name for name, state in found.items() if state == "stale"} == {
        "render vision-only en",
        "release v0.1.0",
    }


def test_new_proposals_make_problems_stale(copy: Path, status: Status) -> None:
    path = copy / "reviews" / "tagging.verdicts.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]))
    found = status(copy)
    assert states(found)["problems"] == "stale"
    assert found["lines"]["reviews tagging"]["state"] == "open"
    assert "1 of 20 open" in found["lines"]["reviews tagging"]["note"]


def test_every_job_in_use_has_a_line(copy: Path, status: Status) -> None:
    assert not [name for name in states(status(copy)) if name.startswith("reviews") and "tagging" not in name]
    said = {"job": "quality", "item_id": "any", "language": "en", "field": "decision", "digest": "0" * 64}
    line = Proposal.model_validate({**said, "value": "accept", "model": "m"})
    write_jsonl(Workspace.find(copy).proposals("quality"), [line])
    lines = status(copy)["lines"]
    quality = lines["reviews quality"]
    assert (quality["state"], quality["note"], quality["next"]) == (
        "missing",
        "40 of 40 open",  # a page for each of two languages
        "annotate push quality",
    )
    assert "20 wait for an earlier job" in lines["reviews tagging"]["note"]


@pytest.mark.parametrize(
    ("pattern", "stage"),
    [
        ("pool/physics.parquet", "pool physics"),
        ("screen/physics.parquet", "screen physics"),
        ("duplicates/physics.html", "dedup physics"),
        ("embeddings/physics/*.npy", "embed physics"),
        ("selection/physics.parquet", "select physics"),
        ("selection/physics.parquet.manifest.json", "select physics"),
        ("problems.parquet", "problems"),
        ("renders/*/vision-only/en/*.png", "render vision-only en"),
        ("release/v0.1.0/data/en/original/*.parquet", "release v0.1.0"),
    ],
)
def test_a_changed_byte_is_noticed(copy: Path, status: Status, pattern: str, stage: str) -> None:
    path = sorted(copy.glob(pattern))[0]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    if path.name.endswith(".manifest.json"):
        data = data[:40]  # torn
    path.write_bytes(bytes(data))
    found = status(copy)
    assert states(found)[stage] == "tampered"
    assert found["lines"][stage]["next"]


def test_what_was_tampered_with_is_made_anew(copy: Path, status: Status) -> None:
    path = copy / "selection" / "physics.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert following(status(copy)) == "curate cluster --discipline physics"
    typed(copy, "curate", "cluster", "--discipline", "physics")
    assert path.read_bytes() == whole
    assert set(states(status(copy)).values()) == {"done"}


def test_a_run_without_scores_and_one_with_open_rows_are_open(
    copy: Path, status: Status, tmp_path: Path
) -> None:
    (run,) = (copy / "runs").iterdir()
    (run / "scores.json").unlink()
    assert states(status(copy))[f"run {run.name}"] == "open"
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"id": "nobody", "text": "B"}\n')
    release = str(copy / "release" / "v0.1.0")
    typed(copy, "evaluate", "run", release, "--model", f"replay/{answers}", code=1)
    (other,) = set((copy / "runs").iterdir()) - {run}
    line = status(copy)["lines"][f"run {other.name}"]
    assert (line["state"], line["items"]) == ("open", 0) and "40 rows open" in line["note"]
