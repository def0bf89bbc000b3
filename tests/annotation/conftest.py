"""Real workspaces with real pictures, and one real Label Studio for the session."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from benchwright.annotation.client import ReviewServer
from benchwright.annotation.connection import find_connection
from benchwright.annotation.server import ManagedServer
from benchwright.schemas.images import load_image_bytes
from benchwright.schemas.jobs import Proposal, shown_digest, tagging_view
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import Choice, ImageRef, LocalizedText, Question, QuestionType
from benchwright.schemas.selection import SelectionRow
from benchwright.schemas.tables import write_records
from benchwright.schemas.workspace import Workspace

from .reviewer import Reviewer, annotate_command, ask_hostile_questions, log_in

SUBJECTS = ("mechanics", "electromagnetism")

WorkspaceMaker = Callable[..., Workspace]


def _picture(number: int) -> bytes:
    image = Image.new("RGB", (320, 200), "white")
    draw = ImageDraw.Draw(image)
    draw.line((20, 180, 300, 180 - number % 120), fill="black", width=3)
    draw.text((140, 60), f"F = {number} N", fill="black")
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _question(number: int, image: ImageRef, wording: str) -> Question:
    choices = tuple(Choice(label=label, text=f"${i + number}$ N") for i, label in enumerate("ABCD"))
    english = (
        f"{wording} {number}: a block is pulled with $F = \\frac{{{number}}}{{2}}$ N. Which reading fits?"
    )
    return Question(
        id=f"q{number:04d}",
        source="self",
        source_license="CC0-1.0",
        source_row="{}",
        discipline="physics",
        language="en",
        texts={
            "en": LocalizedText(question=english, choices=choices, answer="B"),
            "zh": LocalizedText(
                question=f"第{number}题：用力拉斜面上的木块，读数是多少？", choices=choices, answer="B"
            ),
        },
        images=(image,),
        question_type=QuestionType.SINGLE_CHOICE,
    )


@pytest.fixture(scope="session")
def make_workspace() -> WorkspaceMaker:
    """Builder of a workspace with `count` selected physics questions and proposals for all but every tenth."""

    def _make(root: Path, count: int, name: str = "review-test", wording: str = "Question") -> Workspace:
        workspace = (
            Workspace.find(root)
            if (root / "benchwright.toml").exists()
            else Workspace.create(root, default_recipe_toml(name, ("physics",)))
        )
        questions = []
        for number in range(count):
            loaded = load_image_bytes(_picture(number))
            path = workspace.image(loaded.ref.sha256, loaded.ref.suffix)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(loaded.published)
            questions.append(_question(number, loaded.ref, wording))
        rows = [
            SelectionRow(
                question_id=q.id,
                discipline="physics",
                subject="mechanics",
                difficulty=2,
                cluster=0,
                centrality=0.5,
                points=("mechanics",),
                rank=rank,
            )
            for rank, q in enumerate(questions, start=1)
        ]
        workspace.pool("physics").parent.mkdir(exist_ok=True)
        workspace.selection("physics").parent.mkdir(exist_ok=True)
        write_records(workspace.pool("physics"), questions, Question)
        write_records(workspace.selection("physics"), rows, SelectionRow)
        write_proposals(workspace, questions, "first-tagger", shift=0)
        return workspace

    return _make


def write_proposals(workspace: Workspace, questions: list[Question], model: str, shift: int) -> None:
    proposals = []
    for number, question in enumerate(questions):
        if number % 10 == 9:
            continue
        digest = shown_digest(tagging_view(question))
        values = {"subject": SUBJECTS[(number + shift) % 2], "difficulty": 1 + (number + shift) % 5}
        for field, value in values.items():
            proposals.append(
                Proposal(
                    job="tagging",
                    item_id=question.id,
                    field=field,
                    digest=digest,
                    value=value,
                    confidence=0.75,
                    model=model,
                )
            )
    write_jsonl(workspace.proposals("tagging"), proposals)


@pytest.fixture
def propose() -> Callable[[Workspace, list[Question], str, int], None]:
    """Write proposals of another model."""
    return write_proposals


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory, make_workspace: WorkspaceMaker) -> Iterator[Workspace]:
    """A workspace of 40 questions whose review server runs."""
    workspace = make_workspace(tmp_path_factory.mktemp("served"), 40)
    with ManagedServer(workspace, print):
        yield workspace


@pytest.fixture
def server(served: Workspace) -> Iterator[ReviewServer]:
    """The owner's client on the session's review server."""
    with ReviewServer(find_connection(served)) as client:
        yield client


@pytest.fixture(scope="session")
def fault_proxy(server_module: Callable[[str], Any]) -> Any:
    """The class of the proxy that spoils requests on their way to a real server."""
    return server_module("fault_proxy").FaultProxy


@pytest.fixture(scope="session")
def invited(
    tmp_path_factory: pytest.TempPathFactory, make_workspace: WorkspaceMaker, chromium: Callable[..., Any]
) -> Iterator[Reviewer]:
    """Somebody with an account made by `annotate users add`, logged in to a workspace of two hostile questions.

    One server and one Chromium for all pages of the session.
    """
    root = tmp_path_factory.mktemp("pages")
    workspace = make_workspace(root / "ws", 2, name="pages-test")
    ask_hostile_questions(workspace)
    with ManagedServer(workspace, print), ReviewServer(find_connection(workspace)) as server:
        (account,) = annotate_command(workspace, "users", "add", "mei")["users"]
        with chromium(root / "profile") as browser:
            log_in(browser, server.connection.url, account["email"], account["password"])
            yield Reviewer(browser, workspace, server, account["pseudonym"], root / "seen")


@pytest.fixture
def reviewer(invited: Reviewer) -> Iterator[Reviewer]:
    """The invited annotator, before a job that nothing holds up."""
    invited.clear_desk()
    yield invited
    invited.browser.open("about:blank")
