"""The architecture, held by tests: arrows go downwards, workshops do not know each other, names are not bare."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLOORS = {
    "schemas": 1,
    "models": 2,
    "render": 3,
    "curation": 4,
    "annotation": 4,
    "eval": 4,
    "examples": 4,
    "cli": 5,
}
EXAMPLES_MAY_IMPORT = {"schemas", "render", "examples"}


def modules(folder: str) -> list[Path]:
    return sorted(p for p in (ROOT / folder).rglob("*.py") if "root" not in p.relative_to(ROOT).parts[1:2])


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and sub-package of every `benchwright.X` import, wherever in the file it stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level > 0:
            raise AssertionError(f"{path}:{node.lineno}: relative import; write benchwright.… in full")
        for name in names:
            parts = name.split(".")
            if parts[0] == "benchwright" and len(parts) > 1 and parts[1] in FLOORS:
                yield node.lineno, parts[1]
            if parts[0] in FLOORS:
                raise AssertionError(f"{path}:{node.lineno}: bare import of {parts[0]}")


@pytest.mark.parametrize("folder", FLOORS)
def test_arrows_go_downwards(folder: str) -> None:
    files = modules(folder)
    assert files, f"{folder} has no modules"
    for path in files:
        for line, target in imported(path):
            if target == folder:
                continue
            where = f"{path.relative_to(ROOT)}:{line} imports {target}"
            assert FLOORS[target] < FLOORS[folder], where
            if folder == "examples":
                assert target in EXAMPLES_MAY_IMPORT, where


def test_the_rooms_of_eval_know_only_those_before_them() -> None:
    rooms = ("display", "runs", "metrics", "judges", "scicot", "pipeline", "papers", "errors", "reports")
    assert {p.name for p in (ROOT / "eval").iterdir() if (p / "__init__.py").exists()} == set(rooms)
    for place, room in enumerate(rooms):
        for path in (ROOT / "eval" / room).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("benchwright.eval."):
                    target = (node.module or "").split(".")[2]
                    assert rooms.index(target) <= place, f"{path}:{node.lineno} imports {target}"


def test_nothing_imports_the_commands() -> None:
    for folder in FLOORS:
        if folder != "cli":
            for path in modules(folder):
                assert all(target != "cli" for _, target in imported(path)), path


def test_every_package_is_typed_and_listed() -> None:
    import tomllib

    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    mapped = set(setuptools["package-dir"].values())
    assert set(setuptools["packages"]) == set(setuptools["package-dir"])
    for folder in FLOORS:
        assert (ROOT / folder / "py.typed").exists(), folder
        assert (ROOT / "tests" / "typing_root" / "benchwright" / folder).resolve() == ROOT / folder
        for path in (ROOT / folder).rglob("*.py"):
            place = path.parent.relative_to(ROOT).as_posix()
            # render/fonts holds the script that made the font; it is not shipped.
            if place not in ("cli/root", "render/fonts"):
                assert path.parent.relative_to(ROOT).as_posix() in mapped, f"{path} is in no listed package"


def test_no_mocks_of_our_own_code() -> None:
    banned = ("unittest.mock", "MagicMock", "monkeypatch.setattr", "mocker.patch")
    for path in (ROOT / "tests").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path != Path(__file__).resolve():
            assert not any(word in text for word in banned), path


def test_functions_and_files_stay_readable() -> None:
    """House measures: function p90 <= 45 lines, file p90 <= 450 lines."""
    functions: list[int] = []
    files: list[int] = []
    for folder in FLOORS:
        for path in modules(folder):
            text = path.read_text(encoding="utf-8")
            files.append(text.count("\n"))
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    functions.append((node.end_lineno or node.lineno) - node.lineno + 1)
    assert sorted(functions)[int(len(functions) * 0.9)] <= 45
    assert sorted(files)[int(len(files) * 0.9)] <= 450
