"""`curate dedup --against` a release: as a folder, saved by `datasets`, and on a Hub that speaks its protocol."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchwright.curation.dedup_overlap import read_overlap
from benchwright.curation.dedup_sets import open_set
from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.curation.release.build import build_release, checked_content
from benchwright.schemas.errors import UsageError
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import LocalizedText, Problem
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace

ID = "org/tiny"
FLIGHT = "An insect of {} g flies round a lamp once every {} s on a circle. Which force keeps it on its path?"
CURATE = "import sys; from benchwright.cli.main import run_curate; run_curate()"
SAVE = """
import sys
from datasets import load_dataset
load_dataset("parquet", data_files=sys.argv[1] + "/data/**/*.parquet", split="train").save_to_disk(sys.argv[2])
"""


@pytest.fixture
def released(tiny: Workspace) -> Path:
    """The release of the tiny workspace, one of whose questions is long enough to be known by its grams."""
    problems = []
    for problem in read_records(tiny.problems, Problem):
        texts = {"en": LocalizedText(question=FLIGHT.format(2, 5), answer="the lift")}
        longer = {"texts": texts, "source_texts": texts} if problem.problem_id == "insect" else {}
        problems.append(problem.model_copy(update=longer))
    write_records(tiny.problems, problems, Problem)
    content, findings = checked_content(tiny)
    assert findings == ()
    return build_release(tiny, "v1.0.0", ID, content).folder


@pytest.fixture
def pool(tmp_path: Path) -> Workspace:
    """Five questions: two of the release (one as short as a title, one reprinted), one with other numbers, two own."""
    rows = [
        {"id": "a", "question": FLIGHT.format(2, 5).replace(" ", "  ")},
        {"id": "b", "question": FLIGHT.format(3, 8)},
        {"id": "c", "question": "Name the organelle"},
        {"id": "d", "question": "Why does ice float on the water of a lake in winter?"},
        {"id": "e", "question": "电源为6 V。R多大？", "language": "zh"},
    ]
    base = {
        "source": "trial", "source_license": "CC0-1.0", "discipline": "physics", "language": "en", "answer": "1",
    }  # fmt: skip
    source = tmp_path / "pool.jsonl"
    source.write_text("".join(json.dumps({**base, **row}) + "\n" for row in rows), encoding="utf-8")
    extra = '\n[dedup]\noverlap = "reject"\n[dedup.thresholds]\ncosine = 2\n'
    workspace = Workspace.create(tmp_path / "pool", default_recipe_toml("trial", ("physics",)) + extra)
    ingest(workspace, [source], IngestOptions())
    return workspace


def searched(hub: Any, pool: Workspace, against: str, **environment: Any) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own: the Hub's client reads its address once, when it is imported."""
    command = [
        "dedup",
        "--workers",
        "1",
        "--yes",
        "--json",
        "--against",
        against,
        "--workspace",
        str(pool.root),
    ]
    return hub.run(CURATE, *command, **environment)


def found(pool: Workspace, done: subprocess.CompletedProcess[str]) -> tuple[str, str, bool]:
    """Name and digest of the set, and whether the stage ran; what was found is the same for every way there."""
    assert done.returncode == 0, done.stderr
    report = read_overlap(pool, "physics")
    assert report is not None
    (line,) = report.sets
    assert (line.questions, line.overlap, line.other_numbers) == (5, 3, 1)
    assert line.texts == 16, "rows without a text of their own (vision-only) have one for judge and reader"
    said = json.loads(done.stdout)["physics"]
    assert said["overlaps"] == 3
    return line.name, line.digest, said["ran"]


def test_a_release_folder_and_a_saved_dataset(
    hub: Any, released: Path, pool: Workspace, tmp_path: Path
) -> None:
    name, digest, ran = found(pool, searched(hub, pool, str(released)))
    assert (name, len(digest), ran) == ("v1.0.0", 64, True)
    assert found(pool, searched(hub, pool, str(released))) == (name, digest, False)
    saved = tmp_path / "earlier"
    done = hub.run(SAVE, str(released), str(saved))
    assert done.returncode == 0, done.stderr
    name, digest, ran = found(pool, searched(hub, pool, str(saved)))
    assert (name, len(digest), ran) == ("earlier", 64, True)
    empty = tmp_path / "empty"
    empty.mkdir()
    refused = searched(hub, pool, str(empty))
    assert refused.returncode == 2 and "Traceback" not in refused.stderr
    assert "state.json" in refused.stderr


def test_a_dataset_of_the_hub(hub: Any, tiny: Workspace, released: Path, pool: Workspace) -> None:
    push = ("--workspace", str(tiny.root), "--tag", "v1.0.0", "--no-verify", "--json")
    pushed = hub.push(ID, *push)
    assert pushed.returncode == 0, pushed.stderr
    commit = json.loads(pushed.stdout)["commit"]
    assert found(pool, searched(hub, pool, f"hf:{ID}")) == (f"hf:{ID}", commit, True)
    assert found(pool, searched(hub, pool, f"hf:{ID}")) == (f"hf:{ID}", commit, False)

    private = searched(hub, pool, f"hf:{ID}", token=None, HF_HOME=str(pool.root / "nobody"))
    assert private.returncode == 2 and "Traceback" not in private.stderr, private.stderr
    assert f"hf:{ID} cannot be fetched" in private.stderr
    with pytest.raises(UsageError, match="hf:a/b/c cannot be fetched"):
        open_set("hf:a/b/c")
    away = searched(hub, pool, f"hf:{ID}", HF_HOME=str(pool.root / "other"), HF_ENDPOINT="http://127.0.0.1:9")
    assert away.returncode == 2 and "check the name and the network" in away.stderr
