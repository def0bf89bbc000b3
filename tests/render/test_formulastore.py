from __future__ import annotations

import sqlite3
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from benchwright.render.font import load_font
from benchwright.render.formula import Formula, Typesetter, make_typesetter
from benchwright.render.formulastore import FormulaStore
from benchwright.schemas.errors import UsageError

IDENTITY = {"mathra": "1", "font": "f"}
TEX = (r"\frac{a}{b}", r"\ce{H2O}", r"\text{质量}", r"\quad")


def same(first: Formula, second: Formula) -> bool:
    masks = [f.mask.tobytes() if f.mask is not None else b"" for f in (first, second)]
    boxes = [
        (f.left, f.top, f.width, f.ascent, f.descent, f.px, f.engine, f.tex, f.display, f.warnings)
        for f in (first, second)
    ]
    return masks[0] == masks[1] and boxes[0] == boxes[1]


def test_a_formula_comes_back_as_it_was_in_a_later_run(tmp_path: Path, typesetter: Typesetter) -> None:
    path = tmp_path / "deep" / "formulas.sqlite"
    store = FormulaStore(path, IDENTITY)
    drawn = [typesetter.formula(tex, 32) for tex in TEX]
    for formula in drawn:
        store.put(formula)
    store.close()
    later = FormulaStore(path, IDENTITY)
    for formula in drawn:
        found = later.get(formula.tex, False, 32)
        assert found is not None and same(found, formula)
    later.close()


@pytest.mark.parametrize("changed", ["size", "style", "engine"])
def test_nothing_of_another_size_style_or_engine_comes_back(
    tmp_path: Path, typesetter: Typesetter, changed: str
) -> None:
    path = tmp_path / "formulas.sqlite"
    store = FormulaStore(path, IDENTITY)
    store.put(typesetter.formula("x", 32))
    store.close()
    other = FormulaStore(path, {**IDENTITY, "mathra": "2"} if changed == "engine" else IDENTITY)
    assert other.get("x", changed == "style", 33 if changed == "size" else 32) is None
    other.close()


def test_a_damaged_entry_is_drawn_again(tmp_path: Path, typesetter: Typesetter) -> None:
    path = tmp_path / "formulas.sqlite"
    store = FormulaStore(path, IDENTITY)
    store.put(typesetter.formula("x", 32))
    store.close()
    with sqlite3.connect(path) as database:
        value = bytearray(database.execute("SELECT value FROM formulas").fetchone()[0])
        value[-1] ^= 1
        database.execute("UPDATE formulas SET value = ?", (bytes(value),))
    database.close()
    again = FormulaStore(path, IDENTITY)
    assert again.get("x", False, 32) is None
    again.close()


def test_a_file_that_is_no_store_is_a_users_error(tmp_path: Path) -> None:
    path = tmp_path / "formulas.sqlite"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(UsageError, match=r"formulas\.sqlite.*delete it"):
        FormulaStore(path, IDENTITY).get("x", False, 32)


def write_many(path: Path, start: int) -> int:
    typesetter = make_typesetter(load_font())
    store = FormulaStore(path, IDENTITY)
    for number in range(start, start + 40):
        store.put(typesetter.formula(f"x_{{{number}}}", 20))
        store.flush()
    store.close()
    return start


def test_many_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "formulas.sqlite"
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        list(pool.map(write_many, [path] * 3, (0, 20, 40)))
    store = FormulaStore(path, IDENTITY)
    assert all(store.get(f"x_{{{number}}}", False, 20) is not None for number in range(80))
    store.close()


def test_a_typesetter_takes_from_the_store_what_it_would_have_drawn(tmp_path: Path) -> None:
    path = tmp_path / "formulas.sqlite"
    first, second = make_typesetter(load_font()), make_typesetter(load_font())
    first.store = store = FormulaStore(path, IDENTITY)
    drawn = [first.formula(tex, 32) for tex in TEX]
    store.flush()
    second.store = later = FormulaStore(path, IDENTITY)
    found = [second.formula(tex, 32) for tex in TEX]
    assert all(map(same, drawn, found))
    assert first.take_counts() == second.take_counts()
    store.close()
    later.close()
