"""The subjects as an editable text, there and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from label_studio_sdk.label_interface import LabelInterface

from benchwright.annotation.checks import data_faults
from benchwright.annotation.jobs.taxonomy import TaxonomyJob, taxonomy_config
from benchwright.annotation.jobs.taxonomy_text import read_taxonomy, taxonomy_text
from benchwright.schemas.errors import ItemError
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.taxonomy import BUILT_IN, DisciplineTaxonomy, Subject, load_taxonomy

PHYSICS = load_taxonomy("visscience").discipline("physics")
COVERS = {PHYSICS.subjects[0].id: ["Newton's laws", "Energy"], PHYSICS.subjects[1].id: ["场 (field)"]}


def proposals(discipline=PHYSICS, covers=COVERS, findings=(), digest="1" * 64) -> list[Proposal]:
    values = {
        "subjects": discipline.model_dump(mode="json"),
        "assignment": covers,
        "findings": list(findings),
    }
    return [
        Proposal(job="taxonomy", item_id=discipline.id, field=name, digest=digest, value=value, model="m")
        for name, value in values.items()
        if value
    ]


@pytest.fixture
def page(offered_to):
    def make(*lines: Proposal):
        offered_to.proposals("taxonomy").parent.mkdir(parents=True, exist_ok=True)
        write_jsonl(offered_to.proposals("taxonomy"), lines)
        (group,) = TaxonomyJob().groups(offered_to)
        return group

    return make


def typed(text: str) -> list[dict[str, object]]:
    return [{"from_name": "text", "to_name": "proposed", "type": "textarea", "value": {"text": [text]}}]


@pytest.mark.parametrize("discipline", [d for name in BUILT_IN for d in load_taxonomy(name).disciplines])
def test_every_built_in_discipline_makes_the_round(discipline) -> None:
    covers = {subject.id: [f"{subject.id}/a", "b - c"] for subject in discipline.subjects}
    edited = read_taxonomy(taxonomy_text(discipline, covers))
    assert edited.discipline == discipline
    assert edited.assignment == covers


LINES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20).map(
    lambda text: " ".join(text.split()).replace("|", "/").replace("｜", "/")
)


@given(LINES.filter(bool), LINES.filter(bool), st.lists(LINES.filter(bool), max_size=3))
def test_any_name_description_and_group_makes_the_round(name, described, covers) -> None:
    subject = Subject(id="a-1", names={"en": name, "zh": name}, descriptions={"en": described})
    made = DisciplineTaxonomy(id="d", names={"en": "D"}, subjects=(subject,))
    text = taxonomy_text(made, {"a-1": covers})
    edited = read_taxonomy(text)
    assert edited.discipline == made
    assert edited.assignment["a-1"] == covers


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("[a]\nen = A", "line 1: the text begins with `discipline ID`"),
        ("discipline d\nen = D\n[a]\nA | b", "line 4: 'A | b' is neither"),
        ("discipline d\nen = D\n- group\n[a]\nen = A", "line 3"),
        ("discipline d\nen = D\n[a]\nzh = 甲", "a has no English name"),
        ("discipline d\nen = D\n[a]\nen = A\n[a]\nen = B", "names a subject twice"),
        ("discipline d\nen = D\n[Big Name]\nen = A", "should match pattern"),
        ("discipline d\nen = D", "at least 1 item"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(text: str, why: str) -> None:
    with pytest.raises(ItemError, match=r".*") as caught:
        read_taxonomy(text)
    assert caught.value.reason == "unreadable-taxonomy"
    assert why in str(caught.value)


def test_the_page_is_known_to_label_studio_and_holds_the_proposal(page) -> None:
    LabelInterface(taxonomy_config()).validate()
    group = page(*proposals(findings=["uncovered: <script>x</script>"]))
    (item,) = group.items
    assert (item.item_id, item.digest) == ("physics", "1" * 64)
    data = item.data
    assert data_faults(group.config, data) == []
    assert PHYSICS.subjects[0].name("zh") in data["html"]
    assert "<script" not in data["html"] and "&lt;script" in data["html"]
    assert "- Newton's laws" in data["text"]


def test_untouched_it_is_the_proposal_edited_it_is_what_was_typed(page) -> None:
    data = page(*proposals()).items[0].data
    job = TaxonomyJob()
    untouched = job.answers(typed(data["text"]), data)
    assert untouched["subjects"].value == PHYSICS.model_dump(mode="json")
    assert untouched["assignment"].value == COVERS
    assert {answer.origin for answer in untouched.values()} == {"prediction"}
    edited = job.answers(typed(data["text"].replace("Newton's laws", "Laws of motion")), data)
    assert edited["assignment"].value[PHYSICS.subjects[0].id] == ["Laws of motion", "Energy"]
    assert edited["subjects"].origin == "prediction-changed"
    assert job.answers([], data) == {}


def test_an_unreadable_edit_stays_open_and_says_why(page) -> None:
    data = page(*proposals()).items[0].data
    broken = TaxonomyJob().answers(typed(data["text"].replace("[", "", 1)), data)
    assert broken["subjects"].value is None
    assert "unreadable-taxonomy: line" in broken["findings"].value[0]
    other = TaxonomyJob().answers(
        typed(data["text"].replace("discipline physics", "discipline biology")), data
    )
    assert other["subjects"].value is None
    assert "other-discipline" in other["findings"].value[0]


def test_the_last_proposal_counts_and_a_broken_one_is_rejected(page) -> None:
    fewer = PHYSICS.model_copy(update={"subjects": PHYSICS.subjects[:2]})
    group = page(*proposals(findings=["old"]), *proposals(fewer, {}, digest="2" * 64))
    assert [item.digest for item in group.items] == ["2" * 64]
    assert "old" not in group.items[0].data["html"]
    broken = proposals()[0].model_copy(update={"value": {"id": "physics"}})
    group = page(broken)
    assert [reject.reason for reject in group.rejected] == ["unreadable-proposal"]


def test_without_proposals_there_is_no_page(offered_to) -> None:
    assert TaxonomyJob().groups(offered_to) == []
