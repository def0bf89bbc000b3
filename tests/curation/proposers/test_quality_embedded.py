"""The embedded proposer of quality: what rules see in characters and pixels, and what they leave alone."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFilter

from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.curation.proposers.quality_embedded import MODEL, EmbeddedQuality
from benchwright.curation.proposers.quality_faults import Fault, middle, reason_text, tally
from benchwright.curation.proposers.quality_pictures import image_faults, measure, richness
from benchwright.curation.proposers.quality_rules import complexity, text_faults
from benchwright.curation.proposers.stage import run_embedded
from benchwright.curation.proposers.unit import Item
from benchwright.schemas.jobs import JOBS, Proposal
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import Choice, LocalizedText, Question, QuestionType
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

SINGLE, MULTIPLE, FREE = QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_SELECT, QuestionType.FREE_FORM


def said(
    question: str, answer: str = "B", options: tuple[str | None, ...] = ("1 m", "2 m", "3 m")
) -> LocalizedText:
    choices = tuple(Choice(label="ABCDE"[place], text=text) for place, text in enumerate(options))
    return LocalizedText(question=question, choices=choices, answer=answer)


def codes(text: LocalizedText, kind: QuestionType = SINGLE, pictures: int = 1) -> list[str]:
    return [fault.code for fault in text_faults(text, kind, pictures)]


@pytest.mark.parametrize(
    ("text", "kind", "pictures", "wrong"),
    [
        (said("?"), SINGLE, 1, "incomplete"),
        (said("TODO: write the question about the lens."), SINGLE, 1, "incomplete"),
        (said("Find {{value}} for the lens."), SINGLE, 1, "incomplete"),
        (said("物块的质量是多少？待补充"), SINGLE, 1, "incomplete"),
        (said("How long is the rod in <image1>?"), SINGLE, 0, "incomplete"),
        (said("如图所示，杆长是多少？"), SINGLE, 0, "incomplete"),
        (said("How long is the rod in the figure?"), SINGLE, 0, "incomplete"),
        (said("How long is the rod?", answer=""), SINGLE, 1, "incomplete"),
        (said("How long is the rod?", answer="N/A", options=()), FREE, 1, "incomplete"),
        (said("How long is the rod?", options=("2 m",), answer="A"), SINGLE, 1, "incomplete"),
        (said("How long is the rod?", options=("1 m", None, "3 m")), SINGLE, 1, "incomplete"),
        (said("How long is the rod?", options=("1 m", None, None)), SINGLE, 0, "incomplete"),
        (said("How long is the rod?", answer="D"), SINGLE, 1, "inaccurate"),
        (said("How long is the rod?", options=("1 m", "2 m", "$1\\,\\mathrm{m}$")), SINGLE, 1, "ambiguous"),
        (said("The rod is \ufffd m long. How heavy is it?"), SINGLE, 1, "incoherent"),
        (said("Simplify $\\frac{a}{b$ for the lens."), SINGLE, 1, "incoherent"),
        (said("A rod of length 2 m hangs from the", options=(), answer="2"), FREE, 1, "incoherent"),
    ],
)
def test_a_planted_fault_is_found(text: LocalizedText, kind: QuestionType, pictures: int, wrong: str) -> None:
    assert codes(text, kind, pictures) == [wrong]
    assert all(fault.reason for fault in text_faults(text, kind, pictures))


@pytest.mark.parametrize(
    ("text", "kind", "pictures"),
    [
        (said("How long is the rod?"), SINGLE, 1),
        (said("What floats best is the rod with a"), SINGLE, 1),
        (said("如图所示，杆长是多少？"), SINGLE, 1),
        (said("The null hypothesis states nothing of the mean. Which is it?"), SINGLE, 0),
        (said("Simplify ${{x}_{1}} + {{y}}$ and give the sum."), SINGLE, 0),
        (said("It costs $5 and not $7. Which sum is it?"), SINGLE, 0),
        (said("Which piece is left?", options=(None, None, None)), SINGLE, 1),
        (said("In the picture\n[asy] draw((0,0)--(1,1)); [/asy]\nhow long is it?"), SINGLE, 0),
        (said("Which are right?", answer="AC"), MULTIPLE, 0),
        (said("Is there a limit?", answer="none", options=()), FREE, 0),
        (said("Which form of the gene?", options=("Aa", "AA", "aa")), SINGLE, 0),
    ],
)
def test_what_only_looks_like_a_fault_is_let_pass(
    text: LocalizedText, kind: QuestionType, pictures: int
) -> None:
    assert codes(text, kind, pictures) == []


@given(st.text(max_size=200), st.text(max_size=20), st.lists(st.none() | st.text(max_size=9), max_size=5))
def test_the_rules_read_any_text(question: str, answer: str, options: list[str | None]) -> None:
    text = said(question, answer, tuple(options))
    for kind in QuestionType:
        found = text_faults(text, kind, 0)
        assert len(set(found)) == len(found)
    assert 1 <= complexity(text, ["a/b"]) <= 5


def test_complexity_grows_with_words_formulas_and_points() -> None:
    short, long = said("Find x."), said("Find the mass of the block that slides down the plane. " * 6)
    assert complexity(short, []) < complexity(long, [])
    assert complexity(said("Find $x$ and $y$ and $z$ and $t$."), []) > complexity(
        said("Find x and y and z."), []
    )
    assert complexity(short, ["A/B", "A/C", "D", "E"]) > complexity(short, ["A/B"])


def drawing(pieces: int = 6, ink: tuple[int, int, int] = (0, 0, 0), width: int = 2) -> Image.Image:
    image = Image.new("RGB", (400, 300), "white")
    pen = ImageDraw.Draw(image)
    for number in range(pieces):
        x, y = 20 + 36 * (number % 10), 20 + 36 * (number // 10)
        pen.rectangle((x, y, x + 24, y + 20), outline=ink, width=width)
    return image


def data_of(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, format="PNG")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("image", "wrong", "word"),
    [
        (Image.new("RGB", (300, 200), "white"), "uninformative", "blank"),
        (Image.new("RGB", (300, 200), "black"), "uninformative", "blank"),
        (drawing(ink=(225, 225, 225)), "unclear", "faint"),
        (drawing(20, width=9).filter(ImageFilter.GaussianBlur(8)), "unclear", "blurred"),
        (drawing(1).crop((10, 10, 60, 25)), "unclear", "only 50 x 15 pixels"),
    ],
)
def test_a_picture_that_shows_nothing_or_badly_is_named(image: Image.Image, wrong: str, word: str) -> None:
    (fault,) = image_faults([measure(data_of(image))])
    assert fault.code == wrong and word in fault.reason and "Picture 1" in fault.reason


@pytest.mark.parametrize(
    "image",
    [
        drawing(),
        drawing(1),
        drawing(ink=(139, 26, 26)),
        drawing(40),
        drawing().convert("L").point(lambda v: 255 - v),
    ],
)
def test_a_sharp_drawing_has_no_fault_in_any_colours(image: Image.Image) -> None:
    found = measure(data_of(image))
    assert image_faults([found]) == ()
    assert found.edge > 0.3


def test_measures_count_pieces_and_richness_follows_them() -> None:
    few, many = measure(data_of(drawing(3))), measure(data_of(drawing(60)))
    assert (few.pieces, many.pieces) == (3, 60)
    assert (few.width, few.height, few.contrast) == (400, 300, 255.0)
    levels = [richness([measure(data_of(drawing(n)))]) for n in (0, 3, 12, 30, 60)]
    assert levels == [1, 2, 3, 4, 5]
    assert richness([]) == 1 and richness([few] * 20) == 5


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c"]), unique=True, max_size=3), min_size=1, max_size=7))
def test_a_fault_stands_when_more_than_half_name_it(ballots: list[list[str]]) -> None:
    found = tally([[Fault(code, "because") for code in ballot] for ballot in ballots], ["a", "b", "c"])
    counts = Counter(code for ballot in ballots for code in ballot)
    assert [f.code for f in found.faults] == [c for c in "abc" if 2 * counts[c] > len(ballots)]
    assert 0.5 <= found.agreement <= 1
    assert (found.agreement == 1) == all(counts[c] in (0, len(ballots)) for c in "abc")


@given(st.lists(st.integers(1, 5), min_size=1, max_size=9))
def test_the_middle_of_ratings_is_one_of_them(levels: list[int]) -> None:
    value, share = middle(levels)
    assert value in levels and share == levels.count(value) / len(levels)
    assert 2 * sum(level < value for level in levels) <= len(levels)
    assert 2 * sum(level > value for level in levels) <= len(levels)


def test_reasons_of_one_fault_share_a_line() -> None:
    faults = [Fault("unclear", "Too\nsmall."), Fault("unclear", "Cut."), Fault("incorrect", "Wrong arrow."),
              Fault("unclear", "Cut.")]  # fmt: skip
    assert reason_text(faults) == "unclear: Too small. / Cut.\nincorrect: Wrong arrow."
    assert reason_text([]) == ""


def test_the_stage_writes_every_required_field_of_every_question_and_the_same_bytes_again(
    selected: Workspace,
) -> None:
    result = run_embedded(selected, EmbeddedQuality(selected))
    assert result.counts is not None and result.counts.n_kept == result.counts.n_in == 12
    path = selected.proposals("quality")
    found = read_jsonl(path, Proposal)
    required = {field.name for field in JOBS["quality"].fields if field.required}
    by_item: dict[str, set[str]] = {}
    for proposal in found:
        by_item.setdefault(proposal.item_id, set()).add(proposal.field)
        assert proposal.model == MODEL and proposal.call_id is None
        assert proposal.confidence is not None and proposal.confidence <= 0.5
    assert len(by_item) == 12 and all(names >= required for names in by_item.values())
    # The fixture's pictures are one flat colour: blank, and each says so with its reason.
    assert all(p.value == ["uninformative"] for p in found if p.field == "image_faults")
    assert all("blank" in str(p.value) for p in found if p.field == "reason")
    before = path.read_bytes()
    path.unlink()
    run_embedded(selected, EmbeddedQuality(selected))
    assert path.read_bytes() == before


@pytest.mark.long
def test_the_real_pool_raises_few_false_alarms(shared_data: Path, tmp_path: Path) -> None:
    """1,363 real items with pictures: what is flagged has been read by eye and is really so."""
    toml = default_recipe_toml("real", ("mathematics", "physics", "chemistry", "biology"))
    workspace = Workspace.create(tmp_path / "workspace", toml)
    ingest(workspace, [shared_data / "real_pool" / "pool.jsonl"], IngestOptions())
    proposer = EmbeddedQuality(workspace)
    flagged: dict[str, Any] = {}
    levels: dict[str, Counter[Any]] = {"knowledge_complexity": Counter(), "visual_richness": Counter()}
    for name in workspace.pool_disciplines():
        questions = read_records(workspace.pool(name), Question)
        items = [Item(q, q.texts, q.texts, q.question_type) for q in questions]
        for unit in proposer.plan(name, items).units:
            for proposal in proposer.propose(unit):
                if proposal.field == "reason":
                    flagged[unit.item_id] = proposal.value
                elif proposal.field in levels:
                    levels[proposal.field][proposal.value] += 1
    # A character of the private use area in place of a Greek letter; nothing else of the kind stands in the pool.
    assert set(flagged) == {"scemqa-mc-chemistry-0170"} and "U+F061" in flagged["scemqa-mc-chemistry-0170"]
    for counted in levels.values():
        assert sum(counted.values()) == 1363 and max(counted.values()) < 0.5 * 1363
    assert set(levels["visual_richness"]) == {2, 3, 4, 5}
