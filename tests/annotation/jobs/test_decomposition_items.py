"""The decomposition page: what it shows of a question, with and without a proposal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.annotation.checks import data_faults
from benchwright.annotation.guidelines import load_guidelines
from benchwright.annotation.jobs import find_job
from benchwright.annotation.jobs.base import without_hints
from benchwright.annotation.jobs.decomposition import DecompositionJob
from benchwright.annotation.jobs.decomposition_preview import proposal_panel, question_panel, stem_html
from benchwright.annotation.jobs.decomposition_spans import read_decomposition
from benchwright.schemas.jobs import shown_digest, text_view
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import LocalizedText, Question
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace

from .crates import CRATE, STEM, finding, predicted, proposal, span, split_of


def test_the_preview_draws_formulas_colours_conditions_and_shows_what_was_removed() -> None:
    text = LocalizedText(question=f"Friction is a force. {STEM}", answer="7", unit="m")
    html = question_panel(text, (), lambda image: "")
    html += proposal_panel(CRATE, ["Friction is a force."], ["core-reads-badly: look"])
    assert '<span class="bw-cond bw-already-there">10-kg</span>' in html
    assert html.count("<svg") >= 5
    assert '<span class="bw-removed">Friction is a force.</span>' in html
    assert "core-reads-badly" in html
    assert "bw-fault" not in html


def test_a_condition_that_tears_a_formula_is_not_coloured_but_the_formula_is_drawn() -> None:
    stem = "Let $a = 3$ hold."
    split = split_of(stem, ("3$ hold", "text", ""))
    html = stem_html(split)
    assert "<svg" in html
    assert "bw-cond" not in html


def test_hostile_text_is_shown_not_run() -> None:
    evil = '<script>alert(1)</script><img src=x onerror="alert(2)"> </style> & 5 kg'
    split = split_of(
        evil,
        ("5 kg", "on-diagram", "<b onclick=alert(3)>"),
        core_question=evil,
        knowledge_cue={"terms": [evil], "sentence": evil},
        knowledge_detail=[{"term": evil, "text": evil}],
    )
    text = LocalizedText(question=evil, answer=evil)
    html = question_panel(text, (), lambda image: "unused") + proposal_panel(split, [evil], [evil])
    for piece in ("<script", "<img", "<b ", "</style"):
        assert piece not in html
    assert read_decomposition(predicted(split), evil, split) == split


@pytest.fixture
def reviewed(tmp_path: Path, make_workspace: Any) -> Workspace:
    """Two questions, the first with a proposal in English and one about an older text in Chinese."""
    workspace: Workspace = make_workspace(tmp_path, 2)
    first = read_records(workspace.pool("physics"), Question)[0]
    text = first.texts["en"]
    split = split_of(text.question, ("$F = \\frac{0}{2}$ N", "on-diagram", "$F$"))
    value = split.model_dump(mode="json", exclude_none=True)
    digest = shown_digest(text_view(text, first.images))
    write_jsonl(
        workspace.proposals("decomposition"),
        [
            proposal(value, item_id=first.id, digest=digest),
            proposal(["A fact."], "removed", item_id=first.id, digest=digest),
            proposal(value, item_id=first.id, language="zh"),
        ],
    )
    # Tagging is in use and unanswered: nothing would come here.
    workspace.proposals("tagging").unlink()
    return workspace


def test_each_text_is_an_item_and_shows_its_proposal(reviewed: Workspace) -> None:
    (group,) = DecompositionJob().groups(reviewed)
    assert [(i.item_id, i.language) for i in group.items] == [
        ("q0000", "en"), ("q0000", "zh"), ("q0001", "en"), ("q0001", "zh"),
    ]  # fmt: skip
    assert group.guidelines == load_guidelines("decomposition")
    english, chinese = group.items[0].data, group.items[1].data
    assert english["proposal"]["stem"] == english["stem"]
    assert "A fact." in english["proposal_html"]
    assert f"decomposition/{group.items[0].images[0].sha256}.png" in english["html"]
    assert chinese["proposal"] is None, "what was proposed about an older text is not shown"
    assert chinese["stem"].startswith("第0题")
    for item in group.items:
        assert data_faults(group.config, item.data) == []


def test_a_task_that_shows_no_proposal_shows_no_trace_of_it(reviewed: Workspace) -> None:
    item = DecompositionJob().groups(reviewed)[0].items[0]
    data = without_hints(item, item.data)
    assert "A fact." not in str(data)
    assert "friction" not in str(data)
    start = data["stem"].index("$F")
    made = DecompositionJob().answers([span(start, start + 2, "text", data["stem"])], data)
    assert finding(made).startswith("no-core-question"), "read without the proposal"


def test_where_no_proposal_is_shown_the_stem_is_the_questions_own(reviewed: Workspace) -> None:
    (first, *_) = read_records(reviewed.pool("physics"), Question)
    digest = shown_digest(text_view(first.texts["en"], first.images))
    value = CRATE.model_dump(mode="json", exclude_none=True)
    write_jsonl(reviewed.proposals("decomposition"), [proposal(value, item_id=first.id, digest=digest)])
    item = DecompositionJob().groups(reviewed)[0].items[0]
    assert item.data["stem"] == STEM
    bare = without_hints(item, item.data)
    assert bare["stem"] == first.texts["en"].question
    assert set(bare) == set(item.data)


def test_the_digest_is_the_proposers(reviewed: Workspace) -> None:
    from benchwright.curation.proposers.decomposition_plan import planned
    from benchwright.curation.proposers.unit import Item

    pool = read_records(reviewed.pool("physics"), Question)
    items = [Item(q, q.texts, q.texts, q.question_type) for q in pool]
    units = {(u.item_id, u.language): u.digest for u in planned(items).units}
    (group,) = DecompositionJob().groups(reviewed)
    assert {(i.item_id, i.language): i.digest for i in group.items} == units


def test_what_came_decomposed_is_not_asked(reviewed: Workspace) -> None:
    pool = read_records(reviewed.pool("physics"), Question)
    text = pool[0].texts["en"]
    split = split_of(text.question)
    texts = {**pool[0].texts, "en": text.model_copy(update={"decomposition": split})}
    write_records(reviewed.pool("physics"), [pool[0].model_copy(update={"texts": texts}), pool[1]], Question)
    (group,) = DecompositionJob().groups(reviewed)
    assert ("q0000", "en") not in [(i.item_id, i.language) for i in group.items]


def test_it_is_found_by_its_name() -> None:
    assert isinstance(find_job("decomposition"), DecompositionJob)
