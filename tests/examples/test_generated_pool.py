"""The generator of large pools: what it promises about points, languages, repeats and bytes."""

import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchwright.cli.main import benchwright
from benchwright.examples.generated_pool import disciplines, write_generated_pool
from benchwright.schemas.digest import sha256_file
from benchwright.schemas.errors import UsageError
from benchwright.schemas.images import load_image_bytes
from benchwright.schemas.taxonomy import load_taxonomy


def rows_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pool")
    return write_generated_pool(folder, 6000, points=800, pictures=12, seed=3)


@pytest.fixture(scope="module")
def rows(made):
    return rows_of(made.path)


def test_every_point_is_held_and_few_points_hold_most(rows):
    counts = Counter(point for row in rows for point in row["knowledge_points"])
    assert len(counts) == 800
    ordered = sorted(counts.values(), reverse=True)
    assert sum(ordered[:80]) > 3 * sum(ordered[-400:])
    assert 1.5 < sum(counts.values()) / len(rows) < 2.2


def test_both_languages_and_every_subject(rows):
    languages = Counter(row["language"] for row in rows)
    assert 0.45 < languages["zh"] / len(rows) < 0.55
    subjects = {subject.id for subject in load_taxonomy("visscience").subjects("physics")}
    assert {row["subject"] for row in rows if "subject" in row} == subjects
    labelled = sum("difficulty" in row for row in rows)
    assert 0 < labelled < len(rows)


def test_planted_repeats_are_what_the_truth_says(made, rows):
    by_id = {row["id"]: row for row in rows}
    facts = rows_of(made.truth)
    kinds = Counter(fact["kind"] for fact in facts)
    assert dict(sorted(kinds.items())) == made.planted
    assert set(kinds) == {"spelling", "options", "markup", "disputed", "template"}
    for fact in facts:
        new, old = by_id[fact["id"]], by_id[fact["of"]]
        assert new["images"] == old["images"] and new["knowledge_points"] == old["knowledge_points"]
        if fact["kind"] == "template":
            assert new["question"] != old["question"]
            assert letters(new["question"]) == letters(old["question"])
        elif fact["kind"] == "options":
            assert sorted(new["choices"]) == sorted(old["choices"]) and right(new) == right(old)
        elif fact["kind"] == "disputed":
            assert new["question"] == old["question"] and right(new) != right(old)
        else:
            assert right(new) == right(old) and digits(new["question"]) == digits(old["question"])


def test_answers_are_among_the_options(rows):
    for row in rows:
        if "choices" in row:
            assert len(set(row["choices"])) == 4 and row["answer"] in "ABCD"
    assert max(Counter(row["answer"] for row in rows if "choices" in row).values()) < 0.3 * len(rows)


def test_pictures_are_drawn_and_shared(made, rows):
    names = Counter(name for row in rows for name in row["images"])
    assert len(names) == 12
    pictures = {load_image_bytes((made.path.parent / name).read_bytes()).ref.sha256 for name in names}
    assert len(pictures) == 12
    assert 0.4 < sum(bool(row["images"]) for row in rows) / len(rows) < 0.6


def test_same_arguments_same_bytes_and_another_seed_another_pool(tmp_path):
    first = write_generated_pool(tmp_path / "a", 300, "chemistry", points=50, seed=1)
    again = write_generated_pool(tmp_path / "b", 300, "chemistry", points=50, seed=1)
    other = write_generated_pool(tmp_path / "c", 300, "chemistry", points=50, seed=2)
    assert sha256_file(first.path) == sha256_file(again.path) != sha256_file(other.path)
    assert sha256_file(first.truth) == sha256_file(again.truth)


def test_more_points_than_topics_or_an_unknown_discipline_is_refused(tmp_path):
    with pytest.raises(UsageError, match="at most"):
        write_generated_pool(tmp_path, 10, "mathematics", points=10_000)
    with pytest.raises(UsageError, match="choose from physics"):
        write_generated_pool(tmp_path, 10, "alchemy")
    assert disciplines() == ("physics", "mathematics", "chemistry")


def test_the_command_says_what_was_planted(tmp_path):
    done = CliRunner().invoke(
        benchwright, ["generate-pool", str(tmp_path / "pool"), "--items", "500", "--points", "40", "--json"]
    )
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert result["items"] == 500 == len(rows_of(Path(result["pool"])))
    assert sum(result["planted"].values()) == len(rows_of(Path(result["truth"])))


def letters(text: str) -> str:
    return "".join(c for c in text if not c.isdigit() and c != ".")


def digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit())


def right(row: dict) -> str:
    return row["choices"]["ABCD".index(row["answer"])] if "choices" in row else row["answer"]
