"""Run folders made on the spot: problems in five versions and two languages, answered as a test wishes."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path

from PIL import Image, ImageDraw

from benchwright.eval.metrics.run_view import RunView, read_view
from benchwright.eval.runs.dataset import Selection, choose_rows
from benchwright.eval.runs.spec import (
    DatasetSpec,
    JudgeSpec,
    ModelSpec,
    PromptRef,
    RunSpec,
    SamplingSpec,
    StepsSpec,
)
from benchwright.eval.runs.store import RunFolder
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.release_table import resolve_release
from benchwright.schemas.runs import (
    Judgement,
    Response,
    Step,
    StepsRecord,
    asked_digest,
    judgement_key,
    steps_key,
)
from benchwright.schemas.status import CallStatus, Outcome

FIVE = ("knowledge-free", "knowledge-lite", "knowledge-rich", "vision-rich", "vision-only")
SUBJECTS = {"physics": ("mechanics", "optics"), "chemistry": ("organic-chemistry", "electrochemistry")}
JUDGE = ModelSpec(name="openai/judge-x", endpoint="openai", base_url="http://127.0.0.1:1/v1")

Say = Callable[[ReleaseRow, int], tuple[Outcome, str]]
"""Outcome and response of the row with this number."""


def drawing(number: int, label: str) -> bytes:
    """A picture that tells by eye which problem and version it is of."""
    image = Image.new("RGB", (320, 180), "white")
    draw = ImageDraw.Draw(image)
    draw.ellipse((20 + 7 * (number % 9), 30, 90 + 7 * (number % 9), 100), outline="black", width=3)
    draw.line((10, 150, 310, 150 - 5 * (number % 11)), fill="black", width=3)
    draw.text((130, 60), f"problem {number}\n{label}", fill="darkred")
    stream = io.BytesIO()
    image.save(stream, format="PNG")
    return stream.getvalue()


def five_versions(
    make_row: Callable[..., ReleaseRow], problems: int, languages: Sequence[str] = ("en", "zh")
) -> tuple[list[ReleaseRow], list[bytes]]:
    """Rows of so many problems, and their pictures; a picture is shared by versions that show the same diagram."""
    rows, images = [], []
    for number in range(problems):
        discipline = ("physics", "chemistry")[number % 2]
        fields = {
            "discipline": discipline,
            "subject": SUBJECTS[discipline][number // 2 % 2],
            "difficulty": 1 + number % 5,
        }
        diagram = drawing(number, "diagram")
        images.append(diagram)
        for version in FIVE:
            shown = diagram
            if version.startswith("vision"):
                shown = drawing(number, version)
                images.append(shown)
            for language in languages:
                text = f"A ball {number} falls $h = {number} + \\frac{{1}}{{2}}$ m. Find its speed."
                if language == "zh":
                    text = f"小球 {number} 下落 $h = {number} + \\frac{{1}}{{2}}$ m，求速度。"
                rows.append(
                    make_row(
                        f"p{number:04}:{version}:{language}",
                        question=text,
                        images=[shown],
                        version=version,
                        language=language,
                        **fields,
                    )
                )
    return rows, images


def dataset_spec_of(folder: Path, **selection: object) -> DatasetSpec:
    """What fixes the rows of a release folder."""
    return choose_rows(resolve_release(str(folder)), Selection(**selection)).spec  # type: ignore[arg-type]


def spec_of(
    dataset: DatasetSpec, model: str, mode: str = "direct", protocol: str = "sciverse", **fields: object
) -> RunSpec:
    """A run's specification; a SciVerse run step by step is judged for its steps."""
    steps = protocol == "sciverse" and mode == "cot"
    values: dict[str, object] = {
        "protocol": protocol,
        "mode": mode,
        "dataset": dataset,
        "model": ModelSpec(name=model, endpoint="openai", base_url="http://127.0.0.1:1/v1"),
        "sampling": SamplingSpec(),
        "prompts": (PromptRef(name=f"{mode}.en.1", sha256="a" * 64),),
        "judge": None if steps else JudgeSpec(kind="llm", rules_version=1, model=JUDGE, max_tokens=2048),
        "steps": StepsSpec(model=JUDGE, prompts=()) if steps else None,
    }
    return RunSpec.model_validate({**values, **fields})


def write_run(folder: Path, spec: RunSpec, rows: Sequence[ReleaseRow], say: Say) -> RunView:
    """Write a run folder through the product's own store, and read it back."""
    run = RunFolder(folder)
    run.open(spec)
    run.write_rows(rows)
    responses, judgements, steps = [], [], []
    for number, row in enumerate(rows):
        outcome, text = say(row, number)
        status = {Outcome.NOT_RUN: CallStatus.TIMEOUT, Outcome.NO_ANSWER: CallStatus.REFUSED}.get(
            outcome, CallStatus.OK
        )
        response = Response(row_id=row.id, asked_digest=asked_digest(row), status=status, text=text)
        responses.append(response)
        if outcome is Outcome.NOT_RUN:
            continue
        if spec.judge is not None:
            judgements.append(_judged(row, response, outcome))
        else:
            steps.append(_divided(row, response, outcome, number))
    run.responses.extend(responses)
    run.judgements.extend(judgements)
    run.steps.extend(steps)
    return read_view(run)


def right_every(n: int, offset: int = 0) -> Say:
    """Wrong on every n-th row, right on the others."""

    def say(row: ReleaseRow, number: int) -> tuple[Outcome, str]:
        if (number + offset) % n == 0:
            return Outcome.INCONSISTENT, f"I think it is A, see {row.id}."
        return Outcome.CONSISTENT, f"Because v = gt, the answer is B.\n\nRow {row.id}."

    return say


def _judged(row: ReleaseRow, response: Response, outcome: Outcome) -> Judgement:
    return Judgement(
        row_id=row.id,
        key_digest=judgement_key(row, response),
        outcome=outcome,
        decided_by="nobody" if outcome is Outcome.UNJUDGED else "llm",
        reason="judge-unclear" if outcome is Outcome.UNJUDGED else "judge-verdict",
        judge_text=f"The reference says {row.answer}.\n[{outcome.value.capitalize()}]",
        judge_status=CallStatus.OK,
    )


def _divided(row: ReleaseRow, response: Response, outcome: Outcome, number: int) -> StepsRecord:
    key = steps_key(row, response)
    if outcome is Outcome.NO_ANSWER:
        return StepsRecord(row_id=row.id, key_digest=key, outcome="no-answer", reason="refused")
    if outcome is Outcome.UNJUDGED:
        return StepsRecord(row_id=row.id, key_digest=key, outcome="unjudged", reason="steps-failed")
    good = outcome is Outcome.CONSISTENT
    return StepsRecord(
        row_id=row.id,
        key_digest=key,
        outcome="scored",
        reason="steps-scored",
        steps=(
            Step(text="v = gt", kind="K", score=1 if number % 3 else 0),
            Step(text="the answer is B", kind="L", score=1 if good else 0),
        ),
        coverage=0.75,
        judge_status=CallStatus.OK,
        judge_texts=("K: v = gt",),
    )


def by_digest(images: Sequence[bytes]) -> dict[str, bytes]:
    """Pictures as the report takes them."""
    return {sha256_bytes(data): data for data in images}
