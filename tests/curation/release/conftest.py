"""A workspace that is ready to be released, made by hand, and a running Hub."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from benchwright.render.sidecar import DiagramRecord, Rect, Sidecar
from benchwright.render.style import style_of
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.images import load_image_bytes
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import (
    Choice,
    Condition,
    Decomposition,
    ImageRef,
    KnowledgeCue,
    KnowledgeDetail,
    LocalizedText,
    Mark,
    Origin,
    Problem,
    Provenance,
    QuestionType,
    Rejected,
    Show,
    Split,
)
from benchwright.schemas.tables import write_records
from benchwright.schemas.workspace import Workspace

HUB = Path(__file__).parents[2] / "servers" / "hub.py"

RECIPE = """
[benchmark]
name = "tiny"
title = "Tiny benchmark"
languages = ["en", "zh"]
[disciplines.physics]
[disciplines.biology]
"""


def picture(text: str, kind: str = "PNG") -> bytes:
    """A small drawing that differs by its text."""
    image = Image.new("RGB", (120, 60), "white")
    ImageDraw.Draw(image).text((5, 5), text, fill="black")
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return buffer.getvalue()


def stored(workspace: Workspace, text: str, kind: str = "PNG") -> ImageRef:
    """Put a drawing into the workspace as ingest would."""
    loaded = load_image_bytes(picture(text, kind))
    path = workspace.image(loaded.ref.sha256, loaded.ref.suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(loaded.published)
    return loaded.ref


def rendered(workspace: Workspace, item: Problem, version: str, language: str, shown: Sequence[str]) -> None:
    """Leave a rendered image with its sidecar as the renderer would."""
    folder = workspace.renders("clean", version, language)
    folder.mkdir(parents=True, exist_ok=True)
    style = style_of(workspace.recipe.render)
    data = picture(f"{item.problem_id} {version} {language}")
    (folder / f"{item.problem_id}.png").write_bytes(data)
    drawn = tuple(
        DiagramRecord(sha256=ref.sha256, box=Rect(x=0, y=0, width=ref.width, height=ref.height))
        for ref in (item.images if version == "vision-only" else item.images[:1])
    )
    sidecar = Sidecar(
        problem_id=item.problem_id,
        problem_digest=item.digest,
        version=version,
        language=language,
        renderer_version=1,
        style=style.model_dump(mode="json"),
        style_digest=style.digest,
        font_sha256="1" * 64,
        engines={"mathra": "1.5.0"},
        png_sha256=sha256_bytes(data),
        width=120,
        height=60,
        shown=tuple(shown),
        diagrams=drawn,
    )
    (folder / f"{item.problem_id}.json").write_text(sidecar.model_dump_json())


def not_rendered(workspace: Workspace, item: Problem, version: str, language: str) -> None:
    """Leave the renderer's word that it could not make an image."""
    why = Rejected(item_id=item.problem_id, stage=f"render/{version}/{language}", reason="no-room")
    write_jsonl(workspace.renders("clean", version, language) / "rejected.jsonl", [why])


def circuit(workspace: Workspace) -> Problem:
    """Multiple choice in two languages, decomposed, with one option that is a picture."""
    diagram, option = stored(workspace, "circuit"), stored(workspace, "option b")

    def text(question: str, stem: str, core: str, cue: str, a: str) -> LocalizedText:
        start = stem.index("6")
        return LocalizedText(
            question=question,
            choices=(
                Choice(label="A", text=a),
                Choice(label="B", image=option),
                Choice(label="C", text="007"),
            ),
            answer="B",
            solution="R = U / I",
            decomposition=Decomposition(
                stem=stem,
                conditions=(
                    Condition(
                        id="c1", start=start, end=start + 3, show=Show.ON_DIAGRAM, marks=(Mark(label="6 V"),)
                    ),
                ),
                core_question=core,
                knowledge_cue=KnowledgeCue(terms=("Ohm",), sentence=cue),
                knowledge_detail=(KnowledgeDetail(term="Ohm", text="U = R I"),),
            ),
        )

    texts = {
        "en": text(
            "What is R at 6 V?", "The source has 6 V. What is R?", "What is R?", "Think of Ohm's law.", "2 Ω"
        ),
        "zh": text("电压6 V时R多大？", "电源为6 V。R多大？", "R多大？", "想想欧姆定律。", "2 Ω"),
    }
    reviewed = (Provenance(field="difficulty", origin=Origin.REVIEW, by="A01"),)
    return problem("circuit", workspace, texts, QuestionType.SINGLE_CHOICE, (diagram,), provenance=reviewed)


def problem(
    problem_id: str,
    workspace: Workspace,
    texts: dict[str, LocalizedText],
    question_type: QuestionType,
    images: tuple[ImageRef, ...],
    **changes: Any,
) -> Problem:
    """A problem with the usual fields."""
    values: dict[str, Any] = {
        "problem_id": problem_id, "question_id": f"q-{problem_id}", "source": "hand-made", "source_license": "CC0-1.0",
        "discipline": "physics", "subject": "electromagnetism", "difficulty": 2, "language": "en", "texts": texts,
        "question_type": question_type, "source_texts": texts, "source_question_type": question_type,
        "images": images, "provenance": (Provenance(field="difficulty", origin=Origin.PROPOSAL, by="embedded"),),
    }  # fmt: skip
    return Problem.model_validate({**values, **changes})


def tiny_problems(workspace: Workspace) -> list[Problem]:
    """Four problems: decomposed; two pictures (one a JPEG), never decomposed; a dev example; Chinese only."""
    cells = (stored(workspace, "cell"), stored(workspace, "cell under light", "JPEG"))
    free = {"en": LocalizedText(question="Name the organelle.", answer="mitochondrion")}
    dev = {"en": LocalizedText(question="How many legs?", answer="6", unit=None)}
    both = {
        "zh": LocalizedText(
            question="选出所有正确的。",
            choices=(Choice(label="A", text="甲"), Choice(label="B", text="乙")),
            answer="AB",
        )
    }
    return [
        circuit(workspace),
        problem("cell", workspace, free, QuestionType.FREE_FORM, cells, discipline="biology", subject="cells"),
        problem("insect", workspace, dev, QuestionType.FREE_FORM, cells[:1], discipline="biology", subject="cells",
                split=Split.DEV),
        problem("multi", workspace, both, QuestionType.MULTIPLE_SELECT, cells[:1], language="zh", difficulty=5),
    ]  # fmt: skip


@pytest.fixture
def tiny(tmp_path: Path) -> Workspace:
    """A workspace with four problems and the renders of some."""
    return make_tiny(tmp_path / "workspace")


@pytest.fixture
def make_workspace() -> Callable[[Path], Workspace]:
    """Makes the same workspace anywhere."""
    return make_tiny


def make_tiny(root: Path) -> Workspace:
    """The tiny workspace at a place."""
    workspace = Workspace.create(root, RECIPE)
    problems = tiny_problems(workspace)
    write_records(workspace.problems, problems, Problem)
    for language in ("en", "zh"):
        rendered(workspace, problems[0], "vision-rich", language, ("c1",))
        rendered(workspace, problems[0], "vision-only", language, ())
    rendered(workspace, problems[1], "vision-only", "en", ())
    not_rendered(workspace, problems[2], "vision-only", "en")
    not_rendered(workspace, problems[3], "vision-only", "zh")
    return workspace


@dataclass
class Hub:
    """A running Hub and the environment in which the genuine clients find it."""

    url: str
    home: Path

    def environment(
        self, token: str | None = "hf_testwrite", xet: bool = False, **more: str
    ) -> dict[str, str]:
        """Environment of a client process."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
        own = {"HF_ENDPOINT": self.url, "HF_HOME": str(self.home), "HF_HUB_DISABLE_TELEMETRY": "1"}
        own |= {} if xet else {"HF_HUB_DISABLE_XET": "1"}
        own |= {} if token is None else {"HF_TOKEN": token}
        return {**kept, **own, **more}

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Steer the server, or ask it something as the owner."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": "Bearer hf_testwrite", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")

    def fail(self, *faults: dict[str, Any]) -> None:
        """What shall fail from now on."""
        self.ask("POST", "/-/faults", list(faults))

    def requests(self, method: str, part: str) -> list[int]:
        """Answers to all requests whose path holds `part`."""
        return [
            row["status"]
            for row in self.ask("GET", "/-/log")
            if row["method"] == method and part in row["path"]
        ]

    def run(self, code: str, *arguments: str, **environment: Any) -> subprocess.CompletedProcess[str]:
        """Run Python code as a client process."""
        return subprocess.run(
            [sys.executable, "-c", code, *arguments],
            env=self.environment(**environment),
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )

    def kill_push_at(
        self, method: str, match: str, *arguments: str, after: bool = False, xet: bool = False
    ) -> None:
        """Run `push-dataset` and SIGKILL it while it waits for the answer to a request."""
        self.fail({"method": method, "match": match, "statuses": [500] * 9, "after": after, "hold": 3600})
        code = "from benchwright.cli.main import run_push; run_push()"
        environment = self.environment(xet=xet)
        with subprocess.Popen([sys.executable, "-c", code, *arguments], env=environment) as process:
            for _ in range(600):
                if any(row["method"] == method and match in row["path"] for row in self.ask("GET", "/-/log")):
                    break
                assert process.poll() is None, "the push ended before the moment came"
                time.sleep(0.1)
            process.kill()
        self.fail()

    def push(self, *arguments: str, **environment: Any) -> subprocess.CompletedProcess[str]:
        """Run `push-dataset` as a process."""
        code = "from benchwright.cli.main import run_push; run_push()"
        return self.run(code, *arguments, **environment)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """A Hub of our own, empty."""
    port_file = tmp_path / "hub.port"
    command = [sys.executable, str(HUB), "--root", str(tmp_path / "hub"), "--port-file", str(port_file)]
    with subprocess.Popen(command) as process:
        try:
            for _ in range(200):
                if port_file.exists():
                    break
                time.sleep(0.05)
            yield Hub(f"http://127.0.0.1:{port_file.read_text().strip()}", tmp_path / "hf-home")
        finally:
            process.terminate()
