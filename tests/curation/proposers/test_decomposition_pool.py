"""The rule decomposer on real questions (acceptance F of PROPOSALS): a sample in every run, the whole pool if long."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.curation.proposers.decomposition import Decomposer
from benchwright.curation.proposers.decomposition_checks import check
from benchwright.curation.proposers.decomposition_rules import Proposed, decompose
from benchwright.curation.proposers.unit import Item
from benchwright.schemas.digest import digest_of
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import (
    Decomposition,
    ImageRef,
    LocalizedText,
    Problem,
    Question,
    QuestionType,
    Show,
    Split,
)
from benchwright.schemas.tables import read_records
from benchwright.schemas.taxonomy import load_taxonomy
from benchwright.schemas.versions import Version, version_text
from benchwright.schemas.workspace import Workspace

N_ITEMS = 1363
DISCIPLINES = ("mathematics", "physics", "chemistry")
TAXONOMY = load_taxonomy("visscience+sciverse")
LAWS = {
    "en": "What holds in general is said here, in one sentence, without any value of a single case.",
    "zh": "这里用一句话说明一般规律，不涉及任何一道题的具体数值。",
}
TERMS = {"en": "a general law", "zh": "一般规律"}
CUES = {"en": "The way to the answer leads over a general law.", "zh": "解答时请想一想一般规律。"}


@pytest.fixture(scope="module")
def sample(shared_data: Path) -> list[Question]:
    """Every seventh question as its source tells it, without the work of reading a thousand pictures."""
    rows = (shared_data / "real_pool" / "pool.jsonl").read_text(encoding="utf-8").splitlines()
    return [read(json.loads(row)) for row in rows[::7]]


def read(row: dict[str, Any]) -> Question:
    named = digest_of(row["id"])
    picture = ImageRef(source_sha256=named, sha256=named, width=8, height=6, format="png")
    return Question(
        id=row["id"],
        source=row["source"],
        source_license="none",
        source_row="{}",
        discipline=row["discipline"],
        language=row["language"],
        texts={row["language"]: LocalizedText(question=row["question"], answer=str(row["answer"]))},
        images=(picture,),
        question_type=QuestionType.FREE_FORM,
    )


@pytest.fixture(scope="module")
def pool(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Question]:
    toml = default_recipe_toml("real", ("mathematics", "physics", "chemistry", "biology"))
    workspace = Workspace.create(tmp_path_factory.mktemp("real") / "workspace", toml)
    ingest(workspace, [shared_data / "real_pool" / "pool.jsonl"], IngestOptions())
    found = [
        question
        for name in workspace.pool_disciplines()
        for question in read_records(workspace.pool(name), Question)
    ]
    assert len(found) == N_ITEMS
    return sorted(found, key=lambda question: digest_of(question.id))


def split(question: Question) -> Proposed:
    """As `curate decompose` does it behind `curate tag`; which subject was tagged changes the knowledge alone.

    Any subject of the discipline serves: it is drawn by the question's digest, so that none is favoured.
    """
    subjects = TAXONOMY.subjects(question.discipline)
    return decompose(
        question.text,
        question.language,
        question.images,
        subject=subjects[int(digest_of(question.id)[:8], 16) % len(subjects)],
        points=question.knowledge_points[-1:],
        discipline=question.discipline,
    )


def on_diagram(decomposition: Decomposition) -> bool:
    return any(condition.show is Show.ON_DIAGRAM for condition in decomposition.conditions)


def tally(questions: Sequence[Question]) -> Counter[str]:
    """Print shares by discipline and language; return the sums."""
    rows: dict[tuple[str, str], Counter[str]] = {}
    found: Counter[str] = Counter()
    for question in questions:
        made = split(question)
        row = rows.setdefault((question.discipline, question.language), Counter())
        row["items"] += 1
        row["with conditions"] += bool(made.decomposition.conditions)
        row["conditions"] += len(made.decomposition.conditions)
        row["all checks"] += not made.findings
        row["usable"] += not made.findings and on_diagram(made.decomposition)
        found.update({f"! {finding.code}" for finding in made.findings})
        # The record of what is shown is whole: the core question has what is not shown, and the marks the rest.
        assert made.findings == tuple(check(question.text, made.decomposition, made.removed, question.images))
    total: Counter[str] = Counter()
    for (discipline, language), row in sorted(rows.items()):
        total.update(row)
        print(f"{discipline:12} {language}", dict(row))
    print(f"{'all':15}", dict(total), dict(found))
    return total


def test_a_sample_of_the_real_pool(sample: list[Question]) -> None:
    total = tally(sample)
    assert total["items"] == len(sample) == 195 and total["all checks"] >= 0.99 * len(sample)
    assert total["usable"] >= 0.36 * len(sample) and total["with conditions"] >= 0.45 * len(sample)


@pytest.mark.long
def test_the_whole_real_pool(pool: list[Question]) -> None:
    total = tally(pool)
    assert total["items"] == N_ITEMS and total["all checks"] >= 0.99 * N_ITEMS
    assert total["usable"] >= 500


def test_the_same_question_is_always_split_alike(sample: list[Question]) -> None:
    assert all(split(question) == split(question) for question in sample[:20])


def scripted(question: Question) -> dict[str, Any]:
    """What a model might say to a question: spans and marks of the rules, knowledge of its own."""
    made, language = split(question).decomposition, "zh" if question.language == "zh" else "en"
    conditions = []
    for condition in made.conditions:
        quote = made.stem[condition.start : condition.end]
        conditions.append(
            {
                "id": condition.id,
                "quote": quote,
                "occurrence": _occurrence(made.stem, quote, condition.start),
                "show": condition.show.value,
                "labels": [mark.label for mark in condition.marks],
            }
        )
    return {
        "stem": made.stem,
        "conditions": conditions,
        "core_question": made.core_question,
        "cue": CUES[language],
        "terms": [{"term": TERMS[language], "detail": LAWS[language]}],
    }


def _occurrence(stem: str, quote: str, start: int) -> int:
    place, number = -1, 0
    while place < start:
        place = stem.index(quote, place + 1)
        number += 1
    return number


def problem_of(question: Question, decomposition: Decomposition) -> Problem:
    text = question.text.model_copy(update={"decomposition": decomposition})
    return Problem(
        problem_id=question.id,
        question_id=question.id,
        source=question.source,
        source_license=question.source_license,
        discipline=question.discipline,
        subject=TAXONOMY.subjects(question.discipline)[0].id,
        difficulty=3,
        language=question.language,
        texts={question.language: text},
        question_type=question.question_type,
        source_texts={question.language: question.text},
        source_question_type=question.question_type,
        images=question.images,
        split=Split.TEST,
    )


@pytest.fixture
def hundred(pool: list[Question]) -> list[Question]:
    """A hundred real items that have something to show, of the test workspace's disciplines and both languages."""
    there = [question for question in pool if question.discipline in DISCIPLINES]
    return [question for question in there if on_diagram(split(question).decomposition)][:100]


@pytest.mark.long
def test_a_scripted_model_makes_all_five_versions_of_a_hundred_real_items(
    hundred: list[Question],
    workspace: Workspace,
    shared_data: Path,
    asked: Callable[..., Any],
    openai_server: Callable[..., Any],
) -> None:
    ingest(workspace, [shared_data / "real_pool" / "pool.jsonl"], IngestOptions())
    rules = [{"match": re.escape(question.text.question), "json": scripted(question)} for question in hundred]
    server = openai_server({"rules": rules})
    items = [Item(q, {q.language: q.text}, {q.language: q.text}, q.question_type) for q in hundred]
    proposals, rejected = asked(server, Decomposer(), items)
    assert not rejected and len(server.requests) == len(hundred) == 100
    assert not [proposal for proposal in proposals if proposal.field == "findings"]
    made = {p.item_id: Decomposition.model_validate(p.value) for p in _decompositions(proposals)}
    languages: Counter[str] = Counter()
    for question, item in zip(hundred, items, strict=True):
        _check_versions(problem_of(question, made[item.item_id]), question.language)
        languages[question.language] += 1
    assert min(languages["en"], languages["zh"]) >= 15


def _decompositions(proposals: Sequence[Proposal]) -> list[Proposal]:
    return [proposal for proposal in proposals if proposal.field == "decomposition"]


def _check_versions(problem: Problem, language: str) -> None:
    decomposition = problem.texts[language].decomposition
    assert decomposition is not None
    shown = [c.id for c in decomposition.conditions if c.show is Show.ON_DIAGRAM]
    free, lite, rich, seen, only = (
        version_text(problem, version, language, shown).question
        for version in (
            Version.KNOWLEDGE_FREE,
            Version.KNOWLEDGE_LITE,
            Version.KNOWLEDGE_RICH,
            Version.VISION_RICH,
            Version.VISION_ONLY,
        )
    )
    assert len(free) < len(lite) < len(rich) and len(seen) < len(free) and only == ""
    assert CUES[language] in lite and LAWS[language] in rich and CUES[language] not in free
