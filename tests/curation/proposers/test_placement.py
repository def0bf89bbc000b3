"""`curate place`: anchors for marks, what a drawing says already, and what final verdicts make of a problem's texts."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image, ImageDraw

from benchwright.cli.main import run_command
from benchwright.cli.propose import place
from benchwright.curation.problems import make_problems
from benchwright.curation.proposers.chosen import chosen_questions
from benchwright.curation.proposers.placement import MODEL, Placer, labels_cache
from benchwright.curation.proposers.unit import Item
from benchwright.render.compose import render_vision_rich, typesetter_for
from benchwright.render.legibility_read import missing_packages
from benchwright.render.placement import NOWHERE
from benchwright.render.placement_marks import Placements, placed_language, placement_view
from benchwright.render.style import RenderStyle
from benchwright.schemas.digest import sha256_bytes, sha256_file
from benchwright.schemas.errors import ItemError
from benchwright.schemas.jobs import (
    JOBS,
    Proposal,
    Verdict,
    problem_id,
    shown_digest,
    tagging_view,
    text_view,
    translation_view,
)
from benchwright.schemas.journal import read_jsonl, write_jsonl
from benchwright.schemas.records import (
    Anchor,
    Decomposition,
    ImageRef,
    LocalizedText,
    Origin,
    Problem,
    Question,
    Rejected,
    Show,
)
from benchwright.schemas.tables import read_records
from benchwright.schemas.versions import Version, version_text
from benchwright.schemas.workspace import Workspace

STEM = "A 10-kg crate slides at 3 m/s. Where does it stop?"
needs_reader = pytest.mark.skipif(
    bool(missing_packages()), reason=f"not installed: {', '.join(missing_packages())}"
)


def decomposed(stem: str, *marks: tuple[str, str], core: str = "CORE") -> dict[str, Any]:
    """A decomposition whose conditions, given as span and label, are to be drawn."""
    conditions = [
        {
            "id": f"c{n}",
            "start": stem.index(span),
            "end": stem.index(span) + len(span),
            "show": "on-diagram" if label else "text",
            "marks": [{"label": label}] if label else [],
        }
        for n, (span, label) in enumerate(marks, 1)
    ]
    cue = {"terms": ["friction"], "sentence": "It is about friction."}
    return {"stem": stem, "conditions": conditions, "core_question": core, "knowledge_cue": cue}


def with_split(text: LocalizedText, split: dict[str, Any]) -> LocalizedText:
    return text.model_copy(update={"decomposition": Decomposition.model_validate(split)})


@pytest.fixture
def drawing(workspace: Workspace) -> ImageRef:
    """A box on the ground that says what it weighs."""
    image = Image.new("RGB", (900, 500), "white")
    pen = ImageDraw.Draw(image)
    pen.line((20, 450, 880, 450), fill="black", width=4)
    pen.rectangle((350, 300, 550, 448), outline="black", width=4)
    pen.text((450, 375), "10 kg", fill="black", font=typesetter_for().font.face(48), anchor="mm")
    stream = io.BytesIO()
    image.save(stream, format="PNG")
    digest = sha256_bytes(stream.getvalue())
    path = workspace.image(digest, ".png")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(stream.getvalue())
    return ImageRef(source_sha256=digest, sha256=digest, width=900, height=500, format="png")


@pytest.fixture
def crate(text_item: Callable[..., Item], drawing: ImageRef) -> Item:
    item = text_item("q1", STEM, "7 m", language="en", images=(drawing,))
    split = with_split(item.texts["en"], decomposed(STEM, ("10-kg", "10 kg"), ("at 3 m/s", "3 m/s")))
    return Item(item.question, {"en": split}, item.source_texts, item.question_type)


def test_only_what_has_marks_and_a_picture_is_placed(
    workspace: Workspace, text_item: Callable[..., Item], crate: Item
) -> None:
    bare = text_item("q2", STEM, "7 m", language="en", images=crate.question.images)
    words = text_item("q3", STEM, "7 m", language="en", images=crate.question.images)
    said = {"en": with_split(words.texts["en"], decomposed(STEM, ("10-kg", "")))}
    words = Item(words.question, said, words.source_texts, words.question_type)
    blind = text_item("q4", STEM, "7 m", language="en")
    blind = Item(blind.question, crate.texts, blind.source_texts, blind.question_type)
    plan = Placer(workspace).plan("physics", [crate, bare, words, blind])
    assert [(unit.item_id, unit.language) for unit in plan.units] == [("q1", None)]
    assert [(r.item_id, r.reason) for r in plan.not_applicable] == [
        ("q2", "no-decomposition"), ("q3", "nothing-to-show"), ("q4", "no-diagram"),
    ]  # fmt: skip


def test_marks_of_the_sources_language_are_placed_and_else_those_of_another(crate: Item) -> None:
    assert placed_language({**crate.texts, "zh": crate.texts["en"]}, "zh") == "zh"
    assert placed_language({**crate.texts, "zh": crate.source_texts["en"]}, "zh") == "en"
    assert placed_language(crate.source_texts, "en") is None


def test_without_reading_the_drawing_places_are_guesses_and_say_so(workspace: Workspace, crate: Item) -> None:
    placer = Placer(workspace, read=False)
    (unit,) = placer.plan("physics", [crate]).units
    (proposal,) = placer.propose(unit)
    assert (proposal.job, proposal.field, proposal.model) == ("placement", "marks", MODEL)
    assert JOBS["placement"].field("marks") and proposal.language is None
    value = Placements.model_validate_json(json.dumps(proposal.value))
    assert not value.labels_read and not value.unplaced
    assert [(m.condition, m.label, m.place) for m in value.marks] == [
        ("c1", "crate: 10 kg", "free"), ("c2", "3 m/s", "free"),
    ]  # fmt: skip
    assert proposal.confidence == 0.2
    assert placer.propose(unit) == [proposal]
    assert placer.signature == Placer(workspace, read=False).signature
    assert not labels_cache(workspace).exists()


@needs_reader
def test_what_the_drawing_says_is_read_once_and_not_drawn_again(workspace: Workspace, crate: Item) -> None:
    placer = Placer(workspace)
    (unit,) = placer.plan("physics", [crate]).units
    (proposal,) = placer.propose(unit)
    value = Placements.model_validate_json(json.dumps(proposal.value))
    first, second = value.marks
    assert value.labels_read and (first.place, first.near) == ("already-there", "10 kg")
    assert second.place == "free" and proposal.confidence == 0.4
    assert placer.signature != Placer(workspace, read=False).signature
    (kept,) = labels_cache(workspace).rglob("*.json")
    kept.write_text("[]")
    (again,) = placer.propose(unit)
    assert Placements.model_validate_json(json.dumps(again.value)).marks[0].place == "free"


def test_a_picture_that_is_gone_fails_its_item_alone(workspace: Workspace, crate: Item) -> None:
    placer = Placer(workspace, read=False)
    (unit,) = placer.plan("physics", [crate]).units
    (path,) = workspace.root.glob(f"images/*/{crate.question.images[0].sha256}.png")
    path.unlink()
    with pytest.raises(ItemError) as caught:
        placer.propose(unit)
    assert caught.value.reason == "image-missing"


# --- from verdicts to problems --------------------------------------------------------------------------------------

LENS = "A lens forms an image at 2 cm. Where is the object?"
LENS_ZH = "透镜在 2 cm 处成像，物体在何处？"
SPLIT = decomposed(LENS, ("at 2 cm", "2 cm"), core="A lens forms an image. Where is the object?")
SPLIT_ZH = decomposed(LENS_ZH, ("在 2 cm 处", "像距 2 cm"), core="透镜成像，物体在何处？")


def lens(workspace: Workspace) -> Question:
    chosen = chosen_questions(workspace, "physics", "test")[0]
    return next(item.question for item in chosen if item.question.text.question == LENS)


def verdict(
    about: Question, job: str, field: str, value: Any, view: dict[str, Any], language: Any = None
) -> Verdict:
    return Verdict(
        job=job, item_id=problem_id(about.id), language=language, field=field, digest=shown_digest(view),
        value=value, basis="agreed", by=("A01",),
    )  # fmt: skip


def reviewed(workspace: Workspace, split: dict[str, Any] = SPLIT, chinese: bool = False) -> Question:
    """The lens question with reviewed tags and decompositions, and a reviewed translation where wished."""
    about = lens(workspace)
    tags = [("subject", "optics"), ("difficulty", 2)]
    view = tagging_view(about)
    write_jsonl(workspace.verdicts("tagging"), [verdict(about, "tagging", n, v, view) for n, v in tags])
    splits = [
        verdict(about, "decomposition", "decomposition", split, text_view(about.text, about.images), "en")
    ]
    if chinese:
        text = LocalizedText(question=LENS_ZH, answer="零")
        view = translation_view(about.text, about.images, "zh")
        said = [("question", text.question), ("answer", text.answer)]
        write_jsonl(
            workspace.verdicts("translation"),
            [verdict(about, "translation", n, v, view, "zh") for n, v in said],
        )
        view = text_view(text, about.images)
        splits.append(verdict(about, "decomposition", "decomposition", SPLIT_ZH, view, "zh"))
    write_jsonl(workspace.verdicts("decomposition"), splits)
    return about


def placement_verdict(
    workspace: Workspace, about: Question, value: dict[str, Any], split: dict[str, Any] = SPLIT
) -> None:
    view = placement_view(with_split(about.text, split), about.images, "en")
    write_jsonl(workspace.verdicts("placement"), [verdict(about, "placement", "marks", value, view)])


def made(workspace: Workspace, accept: bool = False) -> tuple[Problem, dict[str, str]]:
    """The lens problem, and what is pending about it by reason."""
    about = lens(workspace)
    make_problems(workspace, accept)
    problems = {p.question_id: p for p in read_records(workspace.problems, Problem)}
    pending = read_records(workspace.problems_pending, Rejected)
    return problems[about.id], {r.reason: r.detail for r in pending if r.item_id == problem_id(about.id)}


def condition(problem: Problem, language: Any = "en") -> Any:
    split = problem.texts[language].decomposition
    assert split is not None
    return split.conditions[0]


def anchored(about: Question, **more: Any) -> dict[str, Any]:
    anchor = {"image": about.images[0].sha256, "kind": "box", "x": 0.1, "y": 0.2, "w": 0.3, "h": 0.1}
    mark = {"condition": "c1", "mark": 0, "label": "$d$ = 2 cm", "anchor": anchor, "place": "free", **more}
    return {"marks": [mark]}


def test_the_command_writes_proposals_and_says_what_it_left_out(
    selected: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    about = reviewed(selected)
    typed = ["--no-labels", "--json", "--workspace", str(selected.root)]
    assert run_command(place, "place", typed) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["n_in"], said["n_kept"], said["reasons"]) == (12, 1, {"no-decomposition": 11})
    (proposal,) = read_jsonl(selected.proposals("placement"), Proposal)
    assert proposal.item_id == problem_id(about.id)
    before = sha256_file(selected.proposals("placement"))
    assert run_command(place, "place", typed) == 0
    assert json.loads(capsys.readouterr().out)["ran"] is False
    assert sha256_file(selected.proposals("placement")) == before
    # Nobody's word counts yet: the marks are the reviewed ones, without places, and the list says what waits.
    problem, pending = made(selected)
    assert condition(problem).marks[0].anchor is None and "placement-unreviewed" in pending
    say_again(selected)
    problem, pending = made(selected, accept=True)
    assert not pending and ("marks", Origin.PROPOSAL) in {(p.field, p.origin) for p in problem.provenance}


def say_again(workspace: Workspace) -> None:
    """`--accept-proposals` needs the file of tags: the reviewed ones, said by a machine as well."""
    lines = read_jsonl(workspace.verdicts("tagging"), Verdict)
    same = [Proposal(**{**line.model_dump(exclude={"basis", "by"}), "model": "openai/x"}) for line in lines]
    write_jsonl(workspace.proposals("tagging"), same)


def test_reviewed_marks_get_their_anchors_in_every_language(selected: Workspace) -> None:
    about = reviewed(selected, chinese=True)
    placement_verdict(selected, about, anchored(about))
    problem, pending = made(selected)
    wanted = Anchor(image=about.images[0].sha256, kind="box", x=0.1, y=0.2, w=0.3, h=0.1)
    (english,), (chinese,) = condition(problem).marks, condition(problem, "zh").marks
    assert (english.label, english.anchor) == ("$d$ = 2 cm", wanted)
    assert (chinese.label, chinese.anchor) == ("像距 2 cm", wanted)
    assert not pending
    assert ("marks", Origin.REVIEW, "A01") in {(p.field, p.origin, p.by) for p in problem.provenance}


def test_already_there_leaves_the_core_question_as_it_was_reviewed(selected: Workspace) -> None:
    about = reviewed(selected)
    placement_verdict(selected, about, anchored(about, place="already-there", label="2 cm"))
    problem, pending = made(selected)
    assert (condition(problem).show, condition(problem).marks, pending) == (Show.ALREADY_THERE, (), {})
    rendered = render_vision_rich(problem, "en", selected.read_image, RenderStyle())
    assert rendered.sidecar.shown == ("c1",) and not rendered.sidecar.marks
    text = version_text(problem, Version.VISION_RICH, "en", rendered.sidecar.shown).question
    assert text == SPLIT["core_question"] and not rendered.sidecar.text_changed


def test_a_condition_without_a_place_goes_back_to_the_decomposition_and_is_never_lost(
    selected: Workspace,
) -> None:
    both = decomposed(
        LENS, ("A lens", "lens"), ("at 2 cm", "2 cm"), core="An image forms. Where is the object?"
    )
    about = reviewed(selected, both)
    value = {"marks": anchored(about, label="lens")["marks"], "unplaced": {"c2": "means nothing there"}}
    placement_verdict(selected, about, value, both)
    problem, pending = made(selected)
    assert "c2 (means nothing there)" in pending["decomposition-text-changed"]
    split = problem.texts["en"].decomposition
    assert split is not None and split.conditions[1].marks[0].anchor == NOWHERE
    sidecar = render_vision_rich(problem, "en", selected.read_image, RenderStyle()).sidecar
    assert sidecar.text_changed and sidecar.unshown == {"c2": "unplaced"}
    assert sidecar.shown == ("c1",)
    text = version_text(problem, Version.VISION_RICH, "en", sidecar.shown).question
    assert "at 2 cm" in text and "A lens" not in text


def test_a_placement_of_an_older_decomposition_is_stale(selected: Workspace) -> None:
    older = decomposed(
        LENS, ("at 2 cm", "two centimetres"), core="A lens forms an image. Where is the object?"
    )
    about = reviewed(selected)
    placement_verdict(selected, about, anchored(about), older)
    problem, pending = made(selected)
    assert condition(problem).marks[0].anchor is None
    assert list(pending) == ["placement-stale-review"]


def test_mending_the_core_question_alone_makes_no_placement_stale(selected: Workspace) -> None:
    about = reviewed(selected, {**SPLIT, "core_question": "A lens forms its image. Where is the object?"})
    placement_verdict(selected, about, anchored(about))
    problem, pending = made(selected)
    assert condition(problem).marks[0].anchor is not None and not pending


@pytest.mark.parametrize(
    "wrong",
    [
        {"marks": [{"condition": "c7", "mark": 0, "label": "x", "place": "free"}]},
        {"marks": [{"condition": "c1", "mark": 0, "label": "x", "place": "under the table"}]},
        "c1",
    ],
)
def test_a_word_that_fits_no_mark_is_pending_and_changes_nothing(selected: Workspace, wrong: Any) -> None:
    about = reviewed(selected)
    placement_verdict(selected, about, wrong)
    problem, pending = made(selected)
    assert condition(problem).marks[0].anchor is None
    assert list(pending) == ["placement-bad-verdict"]


def test_problems_are_made_anew_when_a_placement_was_reviewed(selected: Workspace) -> None:
    about = reviewed(selected)
    first = make_problems(selected)
    placement_verdict(selected, about, anchored(about))
    again = make_problems(selected)
    assert first.ran and again.ran and not make_problems(selected).ran
