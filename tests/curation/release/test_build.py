"""Building: what is in the folder, and that it is the same wherever it is built."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from benchwright.curation.release.build import build_release, checked_content, release_state
from benchwright.curation.release.card_merge import END, split_card
from benchwright.curation.release.checklist import Checklist, checklist
from benchwright.schemas.artefact import folder_digest
from benchwright.schemas.recipe import RECIPE_NAME
from benchwright.schemas.records import Problem
from benchwright.schemas.release_table import load_release, read_manifest
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace

BESIDE = {
    "LICENSES.md", "DATASHEET.md", "DATA_STATEMENT.md", "CITATION.cff", "ERRATA.md", "croissant.json", "checklist.json",
    "audit/README.md", "audit/origins.jsonl", "audit/left-out.jsonl", "plots/subjects.png", "plots/flow.png",
    "plots/levels.png", "plots/lengths.png",
}  # fmt: skip


def built(workspace, tag="v1.0.0", **options):
    content, findings = checked_content(workspace)
    assert findings == ()
    return build_release(workspace, tag, "org/tiny", content, **options)


def test_rows_and_reasons(tiny):
    content, findings = checked_content(tiny)
    assert findings == ()
    made = Counter((row.problem_id, row.language) for row in content.rows)
    # circuit has all six versions in both languages; the others have no decomposition.
    assert made == {
        ("circuit", "en"): 6, ("circuit", "zh"): 6, ("cell", "en"): 2, ("insect", "en"): 1, ("multi", "zh"): 1,
    }  # fmt: skip
    reasons = Counter(item.reason for item in content.rejected)
    assert reasons == {"no-decomposition": 12, "no-translation": 18, "no-room": 2}
    assert len(content.rows) + len(content.rejected) == 4 * 6 * 2


def test_order_of_pictures(tiny):
    content, _ = checked_content(tiny)
    rows = {row.id: row for row in content.rows}
    option = rows["circuit-original-en"].options[1].image_sha256
    assert option is not None
    text = rows["circuit-knowledge-free-en"]
    assert len(text.images) == 2 and text.images[1] == option
    rich = rows["circuit-vision-rich-en"]
    assert rich.images[0] not in text.images and rich.images[1:] == (option,)
    assert rich.question == "What is R?\nA. 2 Ω\nB.\nC. 007"
    only = rows["circuit-vision-only-zh"]
    assert only.question == "" and len(only.images) == 1 and only.full_question.startswith("电源为6 V")
    assert only.options[1].image_sha256 == option
    assert only.conditions == ("6 V",) and only.answer == "B"
    assert len(rows["cell-original-en"].images) == 2 and len(rows["cell-vision-only-en"].images) == 1


def test_folder_is_read_back(tiny):
    release = built(tiny)
    back = list(load_release(release.folder))
    assert {row.id: row for row, _ in back} == {row.id: row for row in release.content.rows}
    for row, images in back:
        assert set(images) == {*row.images, *(o.image_sha256 for o in row.options if o.image_sha256)}
        assert all(images[sha256] == release.content.images(sha256) for sha256 in images)
    files = {file.path for file in release.manifest.files}
    assert "data/en/original/dev-00000-of-00001.parquet" in files
    assert "data/en/original/test-00000-of-00001.parquet" in files
    assert "README.md" not in files and files >= BESIDE
    on_disk = {p.relative_to(release.folder).as_posix() for p in release.folder.rglob("*") if p.is_file()}
    assert on_disk == files | {"README.md", "manifest.json"}


def test_dev_stays_apart(tiny):
    release = built(tiny)
    configs = yaml.safe_load(split_card((release.folder / "README.md").read_text())[0])["configs"]
    assert [config["config_name"] for config in configs if config.get("default")] == ["all"]
    for config in configs:
        for entry in config["data_files"]:
            matched = list(release.folder.glob(entry["path"]))
            assert matched and all(path.name.startswith(f"{entry['split']}-") for path in matched)
    assert {row.problem_id for row, _ in load_release(release.folder) if row.split == "dev"} == {"insect"}


def test_same_bytes_elsewhere_and_again(tiny, tmp_path, make_workspace):
    first = built(tiny)
    other = built(make_workspace(tmp_path / "elsewhere"))
    assert {path for path in BESIDE if not (other.folder / path).is_file()} == set()
    for path in BESIDE:
        assert (first.folder / path).read_bytes() == (other.folder / path).read_bytes(), path
    assert folder_digest(first.folder) == folder_digest(other.folder)
    again = built(tiny)
    assert not again.ran and again.manifest == first.manifest
    damaged = next(first.folder.glob("data/*/*/*.parquet"))
    before = folder_digest(first.folder)
    damaged.write_bytes(damaged.read_bytes()[:-1])
    assert release_state(tiny, "v1.0.0") == "tampered"
    assert built(tiny).ran and folder_digest(first.folder) == before
    assert release_state(tiny, "v1.0.0") == "done"


def test_state_follows_the_renders(tiny):
    assert release_state(tiny, "v1.0.0") == "missing"
    built(tiny)
    next(tiny.renders("clean", "vision-rich", "en").glob("*.png")).unlink()
    assert release_state(tiny, "v1.0.0") == "stale"
    tiny.problems.unlink()  # `status` must be able to say it
    assert release_state(tiny, "v1.0.0") == "stale"


def test_unfinished_renders_refuse(tiny):
    """A forgotten `render` must not publish a release with holes in it."""
    next(tiny.renders("clean", "vision-only", "zh").glob("*.png")).unlink()
    problems = read_records(tiny.problems, Problem)
    problems[1] = problems[1].model_copy(update={"subject": "edited"})
    write_records(tiny.problems, problems, Problem)
    content, findings = checked_content(tiny)
    assert {finding.code: finding.rows for finding in findings} == {
        "not-rendered": ("circuit-vision-only-zh",), "stale-render": ("cell-vision-only-en",),
    }  # fmt: skip
    assert len(content.rows) == 14
    assert checked_content(tiny, drop_failing=True) == (content, ())
    wider = tiny.recipe.model_copy(update={"render": tiny.recipe.render.model_copy(update={"width": 800})})
    stale = {finding.code: len(finding.rows) for finding in checked_content(Workspace(tiny.root, wider))[1]}
    assert stale == {"not-rendered": 1, "stale-render": 4}


def test_groups_are_cut_into_files(tiny):
    release = built(tiny, shard_bytes=1)
    names = sorted(path.name for path in (release.folder / "data/en/original").iterdir())
    assert names == [
        "dev-00000-of-00001.parquet", "test-00000-of-00002.parquet", "test-00001-of-00002.parquet",
    ]  # fmt: skip
    assert len(list(load_release(release.folder))) == len(release.content.rows)


def test_pub_01_pictures_are_bytes_with_bare_names(tiny, tmp_path):
    """PUB-01: the pictures travel as bytes, and no path of this machine goes along."""
    release = built(tiny)
    for file in release.manifest.tables():
        for row in pq.read_table(release.folder / file.path).to_pylist():
            cells = [*row["images"], *(o["image"] for o in row["options"] if o["image"] is not None)]
            for cell in cells:
                assert cell["bytes"] and "/" not in cell["path"] and "\\" not in cell["path"]
    moved = tmp_path / "moved"
    release.folder.rename(moved)
    (tiny.root / "images").rename(tmp_path / "hidden")
    code = """
import sys
from datasets import load_dataset
loaded = load_dataset(sys.argv[1], "original_en", split="test")
print(sum(len(row["images"]) for row in loaded), [image.size for row in loaded for image in row["images"]][0])
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(moved)], capture_output=True, text=True, timeout=120, check=False,
        env={"PATH": "", "HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "4 (120, 60)"


def test_card_says_what_was_counted(tiny):
    release = built(tiny)
    card = (release.folder / "README.md").read_text()
    assert (
        "4 problems of biology and physics in English and Chinese, published in up to 6 versions" in card
        and "16 rows in all" in card
    )
    assert '"org/tiny",\n    "vision_only_en",  # version and language\n    split="test",\n' in card
    assert "| version | en | zh |\n|---|---|---|\n| original | `original_en` | `original_zh` |\n" in card
    assert "| vision-rich | no-decomposition | 3 |" in card
    assert tiny.recipe.release.canary in card
    assert (
        "| difficulty | review | 1 |" in card
        and "| difficulty | proposal | 3 |" in card
        and "A01" not in card
    )
    assert "| hand-made | CC0-1.0 | 4 |" in (release.folder / "LICENSES.md").read_text()
    assert str(tiny.root) not in card


SAYS = """
[release]
tag = "v1.0.0"
[release.statements]
measures = "Reading circuits, and what | follows."
limitations = "Two languages. <!-- benchwright:end --> All of them ours."
contact = "help@lab.example"
"""


def test_what_people_say_and_what_was_checked_stand_on_the_card(make_workspace, tmp_path):
    place = make_workspace(tmp_path / "said")
    plain = built(place)
    card = (plain.folder / "README.md").read_text()
    assert "## What it measures" not in card and "## Limitations" not in card and "## Contact" not in card
    (place.root / RECIPE_NAME).write_text((place.root / RECIPE_NAME).read_text() + SAYS)
    release = built(Workspace.find(place.root))
    assert release.ran
    card = (release.folder / "README.md").read_text()
    _, body = split_card(card)
    assert "## What it measures\n\nReading circuits, and what | follows.\n\n## What a model is sent\n" in body
    assert "## Contact\n\nhelp@lab.example\n" in body
    assert card.rstrip().endswith(END) and card.count(END) == 1, "nobody's words end the generated part"
    order = [
        body.index(f"\n## {name}\n")
        for name in ("Loading", "What it measures", "Figures", "Limitations", "Contact", "Checklist")
    ]
    assert order == sorted(order)
    checked = Checklist.model_validate_json((release.folder / "checklist.json").read_bytes())
    content, findings = checked_content(Workspace.find(place.root))
    assert checked == checklist(content, Workspace.find(place.root), findings, published=True)
    assert len(checked.criteria) == 32 and checked.to_markdown() in body
    assert {c.name: c.status for c in checked.criteria}["contact, feedback, build status"] == "pass"
    assert "checklist.json" in {file.path for file in release.manifest.files}
    assert "| version v1.0.0; " in card
    later = built(Workspace.find(place.root), tag="v1.1.0").folder
    assert "| version v1.1.0; " in (later / "README.md").read_text(), (
        "the tag that was asked for, not the recipe's"
    )


def words(row):
    """Stands for those of `evaluate`, which a build is given."""
    return f"Answer this one of {row.discipline}."


def test_exports_lie_beside_the_data(tiny, tmp_path, make_workspace):
    assert not (built(tiny).folder / "exports").exists(), "nobody said the words"
    release = built(tiny, words=words)
    assert release.ran and not built(tiny, words=words).ran
    names = {file.path for file in release.manifest.files if file.path.startswith("exports/")}
    assert names == {
        path.relative_to(release.folder).as_posix() for path in release.folder.glob("exports/*/*")
    }
    assert {"exports/inspect_ai/tiny.py", "exports/lmms_eval/tiny_vision_only_zh_test.yaml"} <= names
    assert not any(name.endswith((".tsv", "_dev.yaml")) for name in names)
    task = (release.folder / "exports/inspect_ai/tiny.py").read_text()
    assert '"org/tiny"' in task and '"v1.0.0"' in task and "Answer this one of physics." in task
    shared = (release.folder / "exports/lmms_eval/_template_yaml").read_text()
    assert "dataset_path: org/tiny\n" in shared and "revision: v1.0.0\n" in shared
    other = built(make_workspace(tmp_path / "elsewhere"), words=words)
    assert folder_digest(other.folder) == folder_digest(release.folder)


KILLED = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from benchwright.curation.release.build import build_release, checked_content
from benchwright.curation.release.rows import ReleaseImages
from benchwright.schemas.workspace import Workspace

class Deadly(ReleaseImages):
    left = int(sys.argv[2])
    def __call__(self, sha256):
        Deadly.left -= 1
        if Deadly.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(sha256)

workspace = Workspace.find(Path(sys.argv[1]))
content, _ = checked_content(workspace)
deadly = replace(content, images=Deadly(content.images.paths))
build_release(workspace, "v1.0.0", "org/tiny", deadly, findings=())
"""


@pytest.mark.parametrize("pictures", [0, 7, 25])
def test_killed_build_is_never_taken_for_a_release(tiny, tmp_path, make_workspace, pictures):
    """SIGKILL while the tables are written: no folder, or the old one; the next build ends in the same bytes."""
    whole = folder_digest(built(make_workspace(tmp_path / "undisturbed")).folder)
    command = [sys.executable, "-c", KILLED, str(tiny.root), str(pictures)]
    assert subprocess.run(command, timeout=120, check=False).returncode == -signal.SIGKILL
    folder = tiny.release("v1.0.0")
    assert read_manifest(folder) is None and list(folder.parent.iterdir()) != []
    assert built(tiny).ran and folder_digest(folder) == whole
    assert [path.name for path in folder.parent.iterdir()] == ["v1.0.0"]


def test_no_problems_is_one_sentence(tiny):
    from benchwright.schemas.errors import UsageError

    tiny.problems.unlink()
    with pytest.raises(UsageError, match="run `curate problems` first"):
        checked_content(tiny)
    assert Path(tiny.root).is_dir()
