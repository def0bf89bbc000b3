"""The table of field cases in `tests/README.md`: whole, and of tests that exist."""

from __future__ import annotations

import ast
import json
import os
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("BENCHWRIGHT_SHARED", TESTS.parents[1] / "shared"))
CASES = SHARED / "field_cases.jsonl"


def table() -> dict[str, list[str]]:
    """Case -> its tests, as the table names them."""
    rows = re.findall(
        r"^\| ([A-Z]{3}-\d\d) \| .+ \| (.+) \|$", (TESTS / "README.md").read_text("utf-8"), re.MULTILINE
    )
    return {case: re.findall(r"`([^`]+)`", tests) for case, tests in rows}


def test_every_named_test_exists_and_is_named_after_its_case() -> None:
    assert len(table()) >= 37
    for case, tests in table().items():
        assert tests, case
        for named in tests:
            path, _, name = named.partition("::")
            name, _, bracket = name.partition("[")
            source = (TESTS / path).read_text(encoding="utf-8")
            functions = {
                node.name
                for node in ast.walk(ast.parse(source))
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            }
            assert name in functions, named
            if bracket:
                assert f'id="{bracket.removesuffix("]")}"' in source and bracket.startswith(case), named
            else:
                assert name.lower().startswith(f"test_{case.lower().replace('-', '_')}_"), named


@pytest.mark.skipif(not CASES.is_file(), reason="needs field_cases.jsonl below BENCHWRIGHT_SHARED")
def test_every_case_has_a_test() -> None:
    wanted = {
        json.loads(line)["id"] for line in CASES.read_text(encoding="utf-8").splitlines() if line.strip()
    }
    assert wanted == set(table())
