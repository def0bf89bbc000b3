"""Examples as two public sets keep their questions: the true shapes stand in `tests/curation/public_shapes.py`."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.examples.problem import ExampleProblem
from benchwright.examples.registry import all_problems
from benchwright.schemas.records import QuestionType

COLUMNS = [f"image_{number}" for number in range(1, 8)]
_ANSWER = "Answer (final answer highlighted)"
_FOR_EACH = 3


def write_sources(folder: Path) -> None:
    """`MMMU/` with questions of physics, `SceMQA/` with those of the three other disciplines and free answers."""
    choice = [one for one in all_problems() if one.question_type is QuestionType.SINGLE_CHOICE]
    physics = [one for one in choice if one.discipline == "physics" and one.texts["en"].decomposition]
    _mmmu(folder / "MMMU", physics[: 2 * _FOR_EACH])
    lists: dict[str, list[ExampleProblem]] = defaultdict(list)
    for one in choice:
        lists[one.discipline.capitalize()].append(one)
    free = [one for one in all_problems() if one.question_type is QuestionType.FREE_FORM]
    _scemqa(folder / "SceMQA", {name: lists[name][:_FOR_EACH] for name in ("Chemistry", "Biology")}, free)


def _mmmu(folder: Path, problems: Sequence[ExampleProblem]) -> None:
    rows: list[dict[str, Any]] = []
    for number, one in enumerate(problems, start=1):
        text = one.texts["en"]
        rows.append(
            {
                "id": f"validation_Physics_{number}", "question": f"{text.question} <image 1>",
                "options": repr([choice.text for choice in text.choices]), "answer": text.answer,
                "explanation": text.solution or "", "img_type": "['Diagrams']", "topic_difficulty": "Medium",
                "subfield": "Classical Mechanics", "question_type": "multiple-choice",
                **dict.fromkeys(COLUMNS), "image_1": {"bytes": one.drawing.png, "path": f"{number}_1.png"},
            }
        )  # fmt: skip
    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    schema = pa.schema([(name, image if name in COLUMNS else pa.string()) for name in rows[0]])
    path = folder / "Physics" / "validation-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)


def _scemqa(folder: Path, lists: dict[str, list[ExampleProblem]], free: Sequence[ExampleProblem]) -> None:
    def put(
        part: str, name: str, number: int, one: ExampleProblem, question: str, answer: str
    ) -> dict[str, str]:
        path = folder / part / name / f"{number}.jpg"  # the ending is not what it is, as in the source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(one.drawing.png)
        return {"Question": question, _ANSWER: answer, "ImagePath": f"{name}/{number}"}

    chosen: dict[str, list[dict[str, str]]] = defaultdict(list)
    for name, problems in lists.items():
        for number, one in enumerate(problems, start=1):
            text = one.texts["en"]
            options = "\n".join(f"{choice.label}. {choice.text}" for choice in text.choices)
            question = f"{text.question}\n\n{options}"
            chosen[name].append(
                put("Multiple_Choice", name, number, one, question, f"{text.answer}: as shown")
            )
    written: dict[str, list[dict[str, str]]] = defaultdict(list)
    for number, one in enumerate(free, start=1):
        name, text = f"{one.discipline.capitalize()}_Free_Response", one.texts["en"]
        answer = rf"\answer{{{text.answer}}} as shown"
        written[name].append(put("Free_Response", name, number, one, text.question, answer))
    (folder / "Multiple_Choice" / "multiple_choice.json").write_text(json.dumps(chosen), encoding="utf-8")
    (folder / "Free_Response" / "free_response.json").write_text(json.dumps(written), encoding="utf-8")
