"""What is offered to a choice, what is left out and why; few-shot examples; the recipe's quotas and presets."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.curation.candidates import read_candidates
from benchwright.curation.certificate import check_certificate
from benchwright.curation.certificate_page import certificate_page
from benchwright.curation.representatives import (
    choose_representatives,
    counts_of,
    page_path,
    select_again,
    settings_for,
)
from benchwright.curation.select_dev import choose_dev
from benchwright.curation.select_items import Candidate
from benchwright.curation.select_presets import VISSCIENCE_LEVELS, VISSCIENCE_SUBJECTS
from benchwright.curation.select_rules import bands
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import LocalizedText, Question, QuestionType
from benchwright.schemas.selection import ChoiceSettings, SelectionRow
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.taxonomy import load_taxonomy
from benchwright.schemas.workspace import Workspace

RECIPE = """
[benchmark]
name = "trial"
[disciplines.physics]
budget = 4
[screen]
enabled = false
[selection]
licenses = ["CC*"]
dev_per_subject = 2
pinned = ["q03"]
"""
SENTENCES = (
    "A ray of light meets a glass prism; find the angle of refraction.",
    "An object stands before a thin converging lens; where is its image?",
    "A resistor is joined to a battery; what current flows in the circuit?",
    "How much heat warms a kettle of water by ten degrees?",
    "A block slides down a smooth slope; what is its acceleration?",
    "Two magnets face each other with equal poles. Do they attract?",
    "A pendulum swings with small amplitude; which length has it?",
    "Explain why the sky looks blue at noon and red in the evening.",
    "A train brakes evenly until it stands. How far does it roll?",
    "Which fraction of an ice cube floats above the sea?",
)


def made(root: Path) -> Workspace:
    workspace = Workspace.create(root, RECIPE)
    questions = [
        Question(
            id=f"q{number:02}",
            source="trial",
            source_license="proprietary" if number == 9 else "CC0-1.0",
            source_row="{}",
            discipline="physics",
            language="en",
            texts={
                "en": LocalizedText(question=text, answer="1", solution="So it is." if number % 2 else None)
            },
            question_type=QuestionType.FREE_FORM,
            subject="Optics" if number < 5 else "Mechanics",
            difficulty=1 + number % 3,
            chapter="one" if number % 4 else None,
        )
        for number, text in enumerate([*SENTENCES, SENTENCES[0].upper()])
    ]
    write_records(workspace.pool("physics"), questions, Question)
    return workspace


@pytest.fixture(scope="module")
def workspace(tmp_path_factory) -> Workspace:
    workspace = made(tmp_path_factory.mktemp("offer") / "w")
    choose_representatives(workspace, "physics", workers=1)
    return workspace


def test_what_may_not_be_chosen_is_left_out_and_counted(workspace):
    offer = read_candidates(workspace, "physics")
    assert offer.total == 11
    assert offer.left_out == {"duplicate": 1, "license": 1}
    names = [item.question_id for item in offer.items]
    assert names == sorted(names) and len(names) == 9 and "q09" not in names
    first = {item.question_id: item for item in offer.items}
    assert (first["q03"].pinned, first["q01"].pinned) == ("recipe", None)
    assert (first["q01"].solved, first["q02"].solved) == (True, False)
    assert (first["q04"].chapter, first["q05"].chapter) == (None, "one")


def test_the_selection_keeps_pins_and_says_what_was_left_out(workspace):
    done = select_again(workspace, "physics")
    certificate = done.certificate
    assert not done.stage.ran
    assert certificate.kept == {"recipe": 1} and certificate.left_out == {"duplicate": 1, "license": 1}
    rows = read_records(workspace.selection("physics"), SelectionRow)
    offer = read_candidates(workspace, "physics")
    assert "q03" in {row.question_id for row in rows}
    assert check_certificate(rows, offer.items, certificate, left_out=offer.left_out) == ()
    assert check_certificate(rows, offer.items, certificate, left_out={}) != ()
    page = page_path(workspace, "physics").read_text(encoding="utf-8")
    assert "Certificate of physics" in page and "licence not among those allowed" in page
    assert page == certificate_page(certificate, _examples(workspace))


def _examples(workspace: Workspace) -> list[Candidate]:
    ids = [row.question_id for row in read_records(workspace.dev_selection("physics"), SelectionRow)]
    known = {item.question_id: item for item in read_candidates(workspace, "physics").items}
    return [known[name] for name in ids]


def test_examples_are_solved_and_beside_the_selection(workspace):
    scored = {row.question_id for row in read_records(workspace.selection("physics"), SelectionRow)}
    examples = _examples(workspace)
    assert 0 < len(examples) <= 4 and not scored & {item.question_id for item in examples}
    assert all(item.solved for item in examples)


def test_a_pinned_question_that_may_not_be_chosen_is_named(tmp_path):
    workspace = made(tmp_path / "w")
    path = workspace.root / "benchwright.toml"
    path.write_text(path.read_text().replace('["q03"]', '["q09"]'))
    with pytest.raises(UsageError, match=r"q09 is pinned under .selection. but left out .license."):
        choose_representatives(Workspace.find(workspace.root), "physics", workers=1)
    path.write_text(path.read_text().replace('["q09"]', '["q99"]'))
    with pytest.raises(UsageError, match=r"q99 is pinned under .selection. but is in no pool"):
        choose_representatives(Workspace.find(workspace.root), "physics", workers=1)


def item(number: int, **more) -> Candidate:
    values = {
        "subject": "s",
        "difficulty": 3,
        "cluster": 0,
        "centrality": 0.5,
        "points": ("p",),
        "solved": True,
    }
    return Candidate(f"q{number}", **{**values, **more})


def test_examples_share_neither_words_nor_pictures_with_what_is_scored():
    scored = [item(0, template="t", images=("a" * 64,))]
    pool = [
        *scored,
        item(1, template="t"),
        item(2, images=("a" * 64,)),
        item(3, solved=False),
        item(4, group="g", difficulty=1),
        item(5, group="g", difficulty=1, centrality=0.4),
        item(6, difficulty=1, centrality=0.3),
        item(7, difficulty=2, centrality=0.1),
        item(8, subject="other"),
    ]
    named = [one.question_id for one in choose_dev(scored, pool, 3)]
    assert named == ["q8", "q4", "q7", "q6"]
    assert [one.question_id for one in choose_dev(scored, pool, 0, total=2)] == ["q8", "q4"]
    assert choose_dev(scored, pool, 0) == []


def test_quotas_are_shares_or_numbers():
    assert counts_of({"a": 0.5, "b": 0.25, "c": 0.25}, 7, "subjects") == {"a": 3, "b": 2, "c": 2}
    assert counts_of({"a": 3.0, "b": 0.5}, 10, "subjects") == {"a": 3, "b": 5}
    with pytest.raises(UsageError, match="neither a share below 1 nor a whole number"):
        counts_of({"a": 1.5}, 10, "subjects")
    with pytest.raises(UsageError, match="more than 1 together"):
        counts_of({"a": 0.7, "b": 0.7}, 10, "subjects")


def test_the_preset_names_the_taxonomys_subjects_and_its_shares_are_aimed_at(tmp_path):
    taxonomy = load_taxonomy("visscience")
    for discipline, shares in VISSCIENCE_SUBJECTS.items():
        assert {subject.id for subject in taxonomy.subjects(discipline)} == set(shares)
        assert sum(shares.values()) == pytest.approx(1, abs=0.005)
        assert sum(VISSCIENCE_LEVELS[discipline].values()) == pytest.approx(1)
    toml = '[benchmark]\nname = "p"\n[disciplines.physics]\n[selection]\npreset = "visscience"\n'
    workspace = Workspace.create(tmp_path / "w", toml)
    pool = [item(n, subject=subject) for n, subject in enumerate(list(VISSCIENCE_SUBJECTS["physics"]) * 500)]
    settings = settings_for(workspace, "physics", 1000, pool)
    wanted = {band.rule: band for band in bands(pool, settings)}
    optics = wanted["subject:optics"]
    assert (optics.hard, optics.lower, optics.upper) == (False, 54, 68)
    assert isinstance(settings, ChoiceSettings) and settings.subject_quota is None
