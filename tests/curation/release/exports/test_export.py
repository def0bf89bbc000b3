"""`curate export`: what it writes, what it refuses, and that the exported code asks as `evaluate` does."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest
import yaml

from benchwright.cli.curate_export import words_of
from benchwright.curation.release.exports.inspect_task import inspect_texts
from benchwright.curation.release.exports.lmms_eval import lmms_texts
from benchwright.curation.release.exports.source import ExportSource, Group
from benchwright.curation.release.exports.write import export_release, text_exports
from benchwright.eval.runs.instructions import instructions
from benchwright.schemas.artefact import folder_digest
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.release_table import load_release


def source(**changes: Any) -> ExportSource:
    values = {"name": "tiny", "tag": "v1.0.0", "dataset": "org/tiny", "revision": "v1.0.0", "title": "tiny"}
    return ExportSource(**{**values, "instruct": lambda _: "Solve.", **changes})


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"exported_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def utils(exported: Any) -> ModuleType:
    return loaded(exported.folder / "lmms_eval" / "utils.py")


@pytest.fixture
def matches(tmp_path: Path) -> Callable[..., bool]:
    """The exported code's look at a reply."""
    named = source(counts={Group("original", "en", "test"): 1})
    path = tmp_path / "utils.py"
    path.write_text(lmms_texts(named)["lmms_eval/utils.py"], encoding="utf-8")
    return cast("Callable[..., bool]", loaded(path).matches)


def as_columns(row: ReleaseRow) -> dict[str, Any]:
    return row.model_dump(mode="json")


def test_exported_code_asks_as_evaluate_does(exported: Any, utils: ModuleType) -> None:
    for row in exported.scored.values():
        sent = utils.doc_to_text(as_columns(row))
        assert sent == exported.words.text_for(row)
        if row.version == "vision-only":
            shown = [option.text for option in row.options if option.text]
            assert not any(text in sent for text in (*shown, row.full_question))
    assert any(row.version == "vision-only" and row.options for row in exported.scored.values())


@pytest.mark.parametrize(
    ("kind", "labels", "answer", "unit", "reply", "right"),
    [
        ("single-choice", "ABC", "B", None, "I think of A first.\nAnswer: B", True),
        ("single-choice", "ABC", "B", None, "答案：B。", True),
        ("single-choice", "ABC", "B", None, "**Answer: (B)**", True),
        ("single-choice", "ABC", "B", None, "B. 2 Ω", True),
        ("single-choice", "ABC", "B", None, "Answer: A", False),
        ("single-choice", "ABC", "B", None, "", False),
        ("single-choice", "ABC", "B", None, "Answer: D", False),
        ("multiple-select", "ABC", "AB", None, "Answer: B, A", True),
        ("multiple-select", "ABC", "AB", None, "Answer: AB", True),
        ("multiple-select", "ABC", "AB", None, "Answer: A", False),
        ("free-form", "", "007", None, "Answer: 007", True),
        ("free-form", "", "007", None, "Answer: 7", False),
        ("free-form", "", "2.5", "m/s", "It falls.\nAnswer: 2.5 m/s.", True),
        ("free-form", "", "mitochondrion", None, "Answer: Mitochondrion", True),
        ("free-form", "", "mitochondrion", None, "The mitochondrion is not it.\nAnswer: nucleus", False),
    ],
)  # fmt: skip
def test_quick_match(
    matches: Callable[..., bool],
    kind: str,
    labels: str,
    answer: str,
    unit: str | None,
    reply: str,
    right: bool,
) -> None:
    assert matches(kind, list(labels), answer, unit, reply) is right


def test_a_perfect_solver_gets_all_and_an_empty_one_nothing(exported: Any, utils: ModuleType) -> None:
    for row in exported.scored.values():
        doc = as_columns(row)
        assert utils.process_results(doc, [f"Answer: {utils.doc_to_target(doc)}"]) == {"quick_match": 1.0}, (
            row.id
        )
        assert utils.process_results(doc, [""]) == {"quick_match": 0.0}, row.id


def test_tasks_name_config_and_tag(exported: Any, export_again: Callable[..., Any], tmp_path: Path) -> None:
    export_again(exported.release, tmp_path / "hub", "--repo-id", "org/tiny", "--to", "lmms_eval")
    folder = tmp_path / "hub" / "lmms_eval"
    shared = yaml.safe_load((folder / "_template_yaml").read_text().replace("!function ", ""))
    assert (shared["dataset_path"], shared["dataset_kwargs"]) == ("org/tiny", {"revision": "v1.0.0"})
    assert shared["metadata"]["canary"] == next(iter(exported.rows.values())).canary
    assert shared["generation_kwargs"]["until"] == []
    group = yaml.safe_load((folder / "tiny.yaml").read_text())
    tasks = {path.stem: yaml.safe_load(path.read_text()) for path in folder.glob("tiny_*.yaml")}
    assert set(group["task"]) == set(tasks) and "tiny_vision_only_zh_test" in tasks
    found = {(task["dataset_name"], task["test_split"]) for task in tasks.values()}
    assert found == {
        (f"{r.version.replace('-', '_')}_{r.language}", r.split.value) for r in exported.scored.values()
    }
    assert not (tmp_path / "hub" / "vlmevalkit").exists()


def test_same_release_same_bytes(exported: Any, export_again: Callable[..., Any], tmp_path: Path) -> None:
    said = export_again(exported.release, tmp_path / "again", "--repo-id", str(exported.release))
    assert folder_digest(tmp_path / "again") == folder_digest(exported.folder)
    there = {
        path.relative_to(exported.folder).as_posix() for path in exported.folder.rglob("*") if path.is_file()
    }
    assert said["files"] == sorted(there)
    assert sum(group["rows"] for group in said["groups"]) == len(exported.scored)


def test_a_build_can_have_the_same_texts(exported: Any) -> None:
    """Before the tables are written, from the rows alone."""
    words = words_of({row.version for row in exported.rows.values()}, {"en", "zh"})
    named = source(dataset=str(exported.release), revision=None, instruct=words)
    texts = text_exports(named, exported.rows.values())
    assert texts == {
        name: (exported.folder / name).read_text(encoding="utf-8")
        for name in exported.said["files"]
        if not name.startswith("vlmevalkit")
    }


def test_the_words_are_those_of_the_protocol(exported: Any) -> None:
    row = exported.rows["cell-original-en"]
    own = instructions("visscience", "direct", ["en"]).text_for(row, with_question=False)
    assert words_of({"original"}, {"en"})(row) == own != words_of({"original", "vision-only"}, {"en"})(row)
    assert "biology" in own and words_of({"vision-only"}, {"en"}, "visscience")(row) == own


def test_a_folder_needs_the_name_on_the_hub(
    exported: Any, export_again: Callable[..., Any], tmp_path: Path
) -> None:
    done = export_again(exported.release, tmp_path / "x", code=1)
    assert isinstance(done.exception, UsageError) and "--repo-id ORG/NAME" in str(done.exception)
    assert not (tmp_path / "x").exists()


def test_withheld_answers_make_no_task(exported: Any, tmp_path: Path) -> None:
    rows = [
        (row.model_copy(update={"answer": None}) if row.language == "zh" else row, images)
        for row, images in load_release(exported.release)
    ]
    done = export_release(source(), rows, tmp_path / "part")
    assert {group.language for group in done.groups} == {"en"}
    withheld = [row.id for row, _ in rows if row.answer is None]
    assert sum(done.withheld.values()) == len(withheld) > 0
    assert {item.item_id for item in done.rejected if item.reason == "answer-withheld"} == set(withheld)
    assert not any("_zh_" in name for name in done.files)
    with pytest.raises(UsageError, match="evaluate generate"):
        export_release(source(), [pair for pair in rows if pair[0].answer is None], tmp_path / "none")
    assert not [path for path in (tmp_path / "none").rglob("*") if path.is_file()]


def test_a_name_that_holds_another_benchmarks_is_refused(exported: Any, tmp_path: Path) -> None:
    """By the harness that finds pictures by it, and by no other."""
    named = source(name="zh-cmmmu-hard")
    with pytest.raises(UsageError, match="MMMU"):
        export_release(named, load_release(exported.release), tmp_path)
    assert list(tmp_path.glob("vlmevalkit*")) == []
    assert export_release(named, load_release(exported.release), tmp_path, ["lmms_eval"]).files


def test_a_strange_name_writes_no_code(exported: Any, tmp_path: Path) -> None:
    """Names come with a downloaded release: they end as text."""
    evil = '"""\nimport os; os.abort()\n"""'
    named = source(name=evil, tag=evil, title=evil, dataset=evil, instruct=lambda _: evil)
    done = export_release(named, load_release(exported.release), tmp_path, ["lmms_eval", "inspect_ai"])
    module = loaded(tmp_path / "lmms_eval" / "utils.py")
    assert module.NAME == module.TAG == module.DATASET == evil
    (task,) = (name for name in done.files if name.startswith("inspect_ai"))
    compile((tmp_path / task).read_text(), task, "exec")
    assert "\nimport os; os.abort()" not in (tmp_path / task).read_text()


@pytest.mark.parametrize("name", ["class", "sample", "task", "print", "re", "7-things", "good-name"])
def test_a_task_hides_nothing_that_its_file_needs(name: str) -> None:
    made = source(name=name)
    assert made.slug == {"good-name": "good_name"}.get(name, f"benchmark_{name.replace('-', '_')}")
    made.counts[Group("original", "en", "test")] = 1
    tree = ast.parse(inspect_texts(made)[f"inspect_ai/{made.slug}.py"])
    defined = [one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert made.slug in defined and len(defined) == len(set(defined))
    imported = [one for one in ast.walk(tree) if isinstance(one, ast.Import | ast.ImportFrom)]
    assert not {a.asname or a.name for one in imported for a in one.names} & set(defined)
