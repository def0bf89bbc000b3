"""The refusal list: each fault is planted in real content and must be found, and only that one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchwright.curation.release.build import checked_content
from benchwright.curation.release.check import check_release, without_failing
from benchwright.curation.release.rows import ReleaseImages
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.records import Option, Split


@pytest.fixture
def content(tiny):
    found, findings = checked_content(tiny)
    assert findings == ()
    return found


def planted(content, row_id, **changes):
    rows = tuple(row.model_copy(update=changes) if row.id == row_id else row for row in content.rows)
    assert rows != content.rows
    return replace(content, rows=rows)


def codes(content, **options):
    return {finding.code: finding.rows for finding in check_release(content, **options)}


CIRCUIT = "circuit-original-en"
A, B, C = (Option(label="A", text="1"), Option(label="B", text="2"), Option(label="C", text="3"))


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("no-canary", {"canary": " "}),
        ("no-canary", {"canary": "another"}),
        ("no-licence", {"source_license": "Unknown"}),
        ("no-source", {"source": ""}),
        ("no-options", {"options": (A,), "answer": "A"}),
        ("empty-option", {"options": (A, Option(label="B", text=" "))}),
        ("label-repeated", {"options": (A, B, C, Option(label="B", text="4"))}),
        ("labels-not-consecutive", {"options": (A, B, Option(label="D", text="4"))}),
        ("labels-not-consecutive", {"options": (B, A)}),
        ("option-repeated", {"options": (A, B, Option(label="C", text="2 "))}),
        ("answer-not-an-option", {"answer": "D"}),
        ("answer-not-an-option", {"answer": "AB"}),
        ("no-text", {"question": " "}),
        ("no-text", {"full_question": ""}),
    ],
)
def test_planted_fault(content, code, changes):
    found = codes(planted(content, CIRCUIT, **changes))
    assert found[code] == (CIRCUIT,)
    # A label twice is out of order as well; nothing else may be reported beside the planted fault.
    assert set(found) <= {code, "labels-not-consecutive", "answer-not-an-option"}


def test_options_that_stand_in_the_picture(content):
    """Labels alone are no fault where the question's own picture shows the options, and are one without a picture."""
    bare = (Option(label="A"), Option(label="B"))
    assert codes(planted(content, CIRCUIT, options=bare)) == {}
    assert codes(planted(content, CIRCUIT, options=bare, images=())) == {"empty-option": (CIRCUIT,)}


def test_answers_that_are_right_are_not_reported(content):
    assert codes(planted(content, CIRCUIT, answer=None)) == {}  # withheld
    assert codes(planted(content, "multi-original-zh", answer="A")) == {}
    assert "answer-not-an-option" in codes(planted(content, "multi-original-zh", answer="AA"))
    assert codes(planted(content, "cell-original-en", answer="D")) == {}  # free form
    assert "no-answer" in codes(planted(content, "cell-original-en", answer=" "))


def test_vision_only_has_no_text(content):
    faulty = planted(content, "circuit-vision-only-en", question="A. 2 Ω")
    assert codes(faulty) == {"vision-only-text": ("circuit-vision-only-en",)}
    assert codes(faulty, choices_in_image=False) == {}
    assert "no-picture" in codes(planted(content, "circuit-vision-only-en", images=()))


def test_ids_and_splits(content):
    twice = replace(content, rows=(*content.rows, content.rows[0]))
    assert codes(twice) == {"duplicate-id": (content.rows[0].id,)}
    moved = planted(content, CIRCUIT, split=Split.DEV)
    assert len(codes(moved)["split-overlap"]) == 12
    assert set(codes(replace(content, rows=()))) == {"no-rows"}


def test_pictures(content, tmp_path):
    row = next(row for row in content.rows if row.id == "cell-original-en")
    users = {other.id for other in content.rows if row.images[1] in other.images}

    def with_file(data):
        path = tmp_path / "picture.png"
        if data is not None:
            path.write_bytes(data)
        return replace(content, images=ReleaseImages({**content.images.paths, row.images[1]: path}))

    assert codes(with_file(None)) == {"image-missing": tuple(sorted(users))}
    whole = content.images(row.images[1])
    assert codes(with_file(whole[:-1])) == {"image-changed": tuple(sorted(users))}
    cut = whole[: len(whole) // 2]
    broken = planted(with_file(cut), row.id, images=(sha256_bytes(cut),))
    broken.images.paths[sha256_bytes(cut)] = tmp_path / "picture.png"
    assert codes(broken)["image-undecodable"] == (row.id,)


def test_failing_rows_can_be_left_out_with_their_reason(content):
    faulty = planted(content, CIRCUIT, answer="D")
    kept = without_failing(faulty, check_release(faulty))
    assert check_release(kept) == ()
    assert len(kept.rows) == len(content.rows) - 1
    assert [item.reason for item in kept.rejected if item.item_id == CIRCUIT] == ["answer-not-an-option"]
