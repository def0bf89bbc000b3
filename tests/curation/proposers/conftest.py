"""Fixtures of the proposers' tests: items with texts and pictures, and a run through the real call store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from benchwright.curation.proposers.asking import Asking, ask_all
from benchwright.curation.proposers.unit import Item, Proposer
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.recipe import ModelRecipe
from benchwright.schemas.records import Choice, ImageRef, LocalizedText, Question, QuestionType, Rejected
from benchwright.schemas.workspace import Workspace

Asked = tuple[list[Proposal], list[Rejected]]


@pytest.fixture
def picture(workspace: Workspace, png: Callable[..., bytes]) -> Callable[[], ImageRef]:
    """Factory: a picture that the workspace holds, another one each time."""
    made: list[int] = []

    def make() -> ImageRef:
        made.append(1)
        data = png(colour=(9 * len(made), 50, 80))
        digest = sha256_bytes(data)
        path = workspace.image(digest, ".png")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return ImageRef(source_sha256=digest, sha256=digest, width=8, height=6, format="png")

    return make


@pytest.fixture
def text_item() -> Callable[..., Item]:
    """Factory: an item from its texts; further keywords are fields of the question."""

    def make(name: str, question: str, answer: str, **more: Any) -> Item:
        language = more.pop("language", "zh")
        options = more.pop("options", ())
        translations = more.pop("translations", {})
        text = LocalizedText(
            question=question,
            choices=tuple(Choice(label="ABCDEF"[n], text=said) for n, said in enumerate(options)),
            answer=answer,
            unit=more.pop("unit", None),
            solution=more.pop("solution", None),
        )
        kind = QuestionType.SINGLE_CHOICE if options else QuestionType.FREE_FORM
        values: dict[str, Any] = {
            "id": name,
            "source": "made",
            "source_license": "CC0-1.0",
            "source_row": "{}",
            "discipline": "physics",
            "language": language,
            "texts": {language: text},
            "question_type": kind,
        }
        record = Question.model_validate({**values, **more})
        texts = {**record.texts, **translations}
        return Item(record, texts, texts, record.question_type)

    return make


@pytest.fixture
def asked(workspace: Workspace) -> Callable[..., Asked]:
    """Runs a proposer over items against a server: (proposals, rejected), those not applicable among the latter."""

    def run(server: Any, proposer: Proposer, items: Sequence[Item]) -> Asked:
        recipe = ModelRecipe(
            model="openai/one",
            base_url=server.base_url,
            api_key_env="NO_SUCH_KEY",
            reply_schema="never",
            vision="assume",
        )
        plan = proposer.plan("physics", items)
        proposals, failed = ask_all(
            workspace, proposer, plan.units, Asking((recipe,)), lambda done, total: None
        )
        return proposals, [*plan.not_applicable, *failed]

    return run
