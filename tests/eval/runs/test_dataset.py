"""Which rows a run asks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.eval.runs.dataset import Selection, open_dataset, split_name
from benchwright.schemas.errors import TamperedError, UsageError
from benchwright.schemas.records import ReleaseRow, Split

Rows = Callable[..., ReleaseRow]


def mixed(row: Rows, png: Callable[[int], bytes]) -> list[ReleaseRow]:
    return [
        row("p2:original:en", images=[png(2)]),
        row("p1:original:en"),
        row("p1:vision-only:en", version="vision-only", images=[png(1)]),
        row("p1:original:zh", language="zh"),
        row("p3:original:en", split=Split.DEV),
        row("p4:original:en", split=Split.TESTMINI),
    ]


def test_default_is_the_whole_scored_set_in_order_of_ids(release: Any, row: Rows, png: Any) -> None:
    made = release(mixed(row, png), [png(1), png(2)])
    _, data = open_dataset(str(made.folder), Selection())
    assert [r.id for r in data.rows] == [
        "p1:original:en",
        "p1:original:zh",
        "p1:vision-only:en",
        "p2:original:en",
        "p4:original:en",
    ]
    assert data.spec.splits == (Split.TESTMINI, Split.TEST)
    assert (data.spec.name, data.spec.origin, data.spec.commit, data.spec.partial) == (
        "release",
        "folder",
        None,
        False,
    )
    assert set(data.images.values()) == {png(1), png(2)}


def test_choices_narrow_the_rows_and_change_the_digest(release: Any, row: Rows, png: Any) -> None:
    folder = str(release(mixed(row, png), [png(1), png(2)]).folder)
    _, everything = open_dataset(folder, Selection())
    _, zh = open_dataset(folder, Selection(languages=("zh",)))
    _, seen = open_dataset(folder, Selection(versions=("vision-only",)))
    _, first = open_dataset(folder, Selection(limit=2))
    _, one = open_dataset(folder, Selection(only=("p2:original:en",)))
    assert [r.id for r in zh.rows] == ["p1:original:zh"]
    assert [r.id for r in seen.rows] == ["p1:vision-only:en"]
    assert (len(first.rows), first.spec.partial, one.spec.partial) == (2, True, True)
    assert set(one.images.values()) == {png(2)}
    assert len({d.spec.digest for d in (everything, zh, seen, first, one)}) == 5


@pytest.mark.parametrize(
    ("selection", "words"),
    [
        (Selection(splits=(Split.DEV,)), "never scored"),
        (Selection(versions=("vision-rich",)), "no version 'vision-rich' \\(original, vision-only\\)"),
        (Selection(languages=("fr",)), "no language 'fr' \\(en, zh\\)"),
        (Selection(only=("p9",)), "no row 'p9'"),
        (Selection(versions=("vision-only",), languages=("zh",)), "no scored rows"),
    ],
)
def test_a_choice_that_fits_nothing_is_named(
    release: Any, row: Rows, png: Any, selection: Selection, words: str
) -> None:
    made = release(mixed(row, png), [png(1), png(2)])
    with pytest.raises(UsageError, match=words):
        open_dataset(str(made.folder), selection)


def test_withheld_answers_and_double_rows_cannot_be_scored(release: Any, row: Rows) -> None:
    with pytest.raises(UsageError, match=r"1 of 2 chosen rows .* no published answer"):
        open_dataset(str(release([row("p1"), row("p2", answer=None)], name="a").folder), Selection())
    with pytest.raises(UsageError, match="p1 twice"):
        open_dataset(str(release([row("p1"), row("p1")], name="b").folder), Selection())


def test_names_with_and_without_revision(tmp_path: Path) -> None:
    assert split_name("ORG/NAME") == ("ORG/NAME", None)
    assert split_name("ORG/NAME@v1.0.0") == ("ORG/NAME", "v1.0.0")
    odd = tmp_path / "a@b"
    odd.mkdir()
    assert split_name(str(odd)) == (str(odd), None)
    with pytest.raises(UsageError, match="names no data set"):
        split_name("ORG/NAME@")


def test_a_tampered_file_is_refused(release: Any, row: Rows) -> None:
    from benchwright.schemas.digest import sha256_file
    from benchwright.schemas.release_table import ReleaseFile, ReleaseManifest

    made = release([row("p1")])
    (path,) = made.folder.glob("data/*/*/*.parquet")
    name = path.relative_to(made.folder).as_posix()
    file = ReleaseFile(path=name, sha256=sha256_file(path), bytes=path.stat().st_size, rows=1)
    manifest = ReleaseManifest(
        name="n",
        tag="v1",
        table_version=1,
        package_version="0",
        signature="s",
        content="c",
        canary="c",
        rows=1,
        problems=1,
        files=(file,),
    )
    (made.folder / "manifest.json").write_text(manifest.model_dump_json())
    assert open_dataset(str(made.folder), Selection())[1].spec.tag == "v1"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(TamperedError, match="its sha256 differs"):
        open_dataset(str(made.folder), Selection())


def test_preferred_versions_are_kept_to_unless_something_is_named(release: Any, row: Rows) -> None:
    rows = [row("p0:o"), row("p0:f", version="knowledge-free")]
    folder = str(release(rows).folder)

    def chosen(**fields: Any) -> list[str]:
        _, data = open_dataset(folder, Selection(**fields))
        return [one.id for one in data.rows]

    assert chosen(preferred=("original",)) == ["p0:o"]
    assert chosen(preferred=("vision-only",)) == ["p0:f", "p0:o"]
    assert chosen(preferred=("original",), versions=("knowledge-free",)) == ["p0:f"]
    assert chosen(preferred=("original",), only=("p0:f",)) == ["p0:f"]
