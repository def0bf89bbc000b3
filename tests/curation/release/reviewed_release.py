"""A workspace that has gone the whole way: pool, search for repeats, choice, reviews, renders.

Ten questions of ours are chosen from two small pools, few-shot examples beside them; two of four people reviewed each,
did not always agree, and a fifth decided some of it. Everything is written by the stages themselves but the pictures,
which are drawings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from benchwright.annotation.gold import GoldLine, store_gold
from benchwright.annotation.jobs import find_job
from benchwright.annotation.replay import replay_reviews
from benchwright.annotation.report import reviewed_jobs, write_report
from benchwright.curation.certify import certify_discipline
from benchwright.curation.dedup import dedup_discipline
from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.curation.problems import make_problems
from benchwright.curation.representatives import choose_representatives
from benchwright.render.check import gate_path
from benchwright.render.job import picture_path, read_sidecar
from benchwright.render.legibility_result import GateResult, GateState
from benchwright.render.legibility_thresholds import DEFAULT
from benchwright.schemas.digest import canonical_json, digest_of
from benchwright.schemas.jobs import Proposal, problem_id, shown_digest, tagging_view
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import Problem, Question
from benchwright.schemas.reviewed import current_rows
from benchwright.schemas.selection import SelectionRow
from benchwright.schemas.tables import read_records
from benchwright.schemas.versions import Version
from benchwright.schemas.workspace import Workspace

RECIPE = """
[benchmark]
name = "reviewed"
title = "Reviewed benchmark"
languages = ["en", "zh"]
[disciplines.physics]
budget = 6
[disciplines.chemistry]
budget = 4
[selection]
dev_per_subject = 1
max_per_template = 0
[annotation]
slots = 2
[screen]
enabled = false
[dedup.thresholds]
cosine = 2
[release]
tag = "v1.0.0"
license = "cc0-1.0"
[release.statements]
measures = "How well models of two kinds read drawings."
uses = "Comparing models; never training them."
[sources.hand-made]
redistribute = "yes"
adapt = "yes"
commercial = "yes"
share_alike = "no"
attribution = "no"
"""
PHYSICS = (
    (
        "A lens of {n} cm forms an image of the drawn arrow; how far away does the image stand?",
        "optics",
        "senior high",
    ),
    ("Which force acts on the drawn charge of {n} C inside its field?", "electromagnetism", "senior high"),
    (
        "The drawn gas is heated to {n} K at constant volume. What is its pressure now?",
        "thermodynamics",
        "university",
    ),
    ("图中物块的质量为 {n} kg，它受到的合力是多少？", "mechanics", "junior high"),
)
CHEMISTRY = (
    ("Name the drawn alcohol, whose chain holds {n} carbon atoms.", "organic-chemistry", "senior high"),
    (
        "The drawn cell delivers {n} A for an hour. Which mass of copper is deposited?",
        "electrochemistry",
        "university",
    ),
)
EXAMPLES = (
    ("physics", "Two mirrors meet in the drawing under a right angle; where does the ray leave?", "optics"),
    ("physics", "Both drawn bulbs glow. Which of them goes out when the switch opens?", "electromagnetism"),
    ("chemistry", "Which of the drawn flasks holds the acid, judging by its indicator?", "electrochemistry"),
    ("chemistry", "Count the double bonds in the drawn ring.", "organic-chemistry"),
)
OPTIONS = (" metres", " units", " of them, roughly as many as anybody would guess", " exactly")


def make_reviewed(root: Path, extra: str = "") -> Workspace:
    """The workspace, ready for `push-dataset`.

    Args:
        root: where.
        extra: added to the recipe.
    """
    folder = root.parent / f"{root.name}-sources"
    folder.mkdir(parents=True)
    workspace = Workspace.create(root, RECIPE.replace('tag = "v1.0.0"', f'tag = "v1.0.0"\n{extra}'))
    ingest(workspace, [_pool(folder)], IngestOptions())
    public = folder / "public-set.jsonl"
    public.write_text(json.dumps(_row("chemistry", 1, *CHEMISTRY[1])) + "\n", encoding="utf-8")
    for discipline in ("chemistry", "physics"):
        dedup_discipline(workspace, discipline, workers=1, against=[str(public)])
        choose_representatives(workspace, discipline, workers=1)
    _review(workspace, folder)
    make_problems(workspace)
    for discipline in ("chemistry", "physics"):
        certify_discipline(workspace, discipline)
    write_report(workspace, reviewed_jobs(workspace))
    _calibrate(workspace)
    return workspace


def judged(workspace: Workspace, problem: Problem, language: str, errors: int | None) -> None:
    """Leave what the legibility gate says of a rendered picture; None: it could not judge."""
    picture = picture_path(workspace, Version.VISION_ONLY, language, problem.problem_id)
    sidecar = read_sidecar(picture.with_suffix(".json"))
    assert sidecar is not None
    verdict = GateResult(
        problem_id=problem.problem_id,
        version="vision-only",
        language=language,
        style="clean",
        png_sha256=sidecar.png_sha256,
        sidecar_sha256=digest_of(sidecar),
        thresholds=DEFAULT.digest,
        reader="reader 1",
        state=GateState.NOT_JUDGED if errors is None else GateState.PASSED,
        reason="no-reader" if errors is None else None,
        characters=0 if errors is None else 80,
        errors=errors or 0,
    )
    gate_path(picture).parent.mkdir(exist_ok=True)
    gate_path(picture).write_text(verdict.model_dump_json(), encoding="utf-8")


def _row(discipline: str, number: int, sentence: str, subject: str, grade: str) -> dict[str, Any]:
    name = f"{discipline[:4]}-{number:02}"
    choices = [f"{number + place}{unit}" for place, unit in enumerate(OPTIONS)] if number % 3 else []
    return {
        "id": name, "discipline": discipline, "source": "hand-made", "source_license": "CC0-1.0",
        "language": "zh" if sentence.startswith("图") else "en", "question": sentence.format(n=number + 2),
        "choices": choices, "answer": "ABCD"[number % 4] if choices else f"{number * 7} units in all",
        "grade": grade, "knowledge_points": [f"{subject}/{'basics' if number % 2 else 'uses'}"],
        "image": f"{name}.png",
    }  # fmt: skip


def picture(number: int) -> Image.Image:
    """A drawing that differs by its number."""
    image = Image.new("RGB", (160, 120), "white")
    draw = ImageDraw.Draw(image)
    draw.line((10, 10 + 4 * number, 150 - 5 * number, 110), fill="black", width=3)
    draw.ellipse((20 + 3 * number, 30, 60 + 5 * number, 70 + number), outline="black", width=2)
    draw.text((100, 5), f"no. {number}", fill="black")
    return image


def _pool(folder: Path) -> Path:
    rows = []
    for discipline, sentences in (("physics", PHYSICS), ("chemistry", CHEMISTRY)):
        for number in range(12):
            rows.append(_row(discipline, number, *sentences[number % len(sentences)]))
            picture(len(rows)).save(folder / rows[-1]["image"])
    for number, (discipline, sentence, subject) in enumerate(EXAMPLES, start=20):
        rows.append(
            {
                **_row(discipline, number, sentence, subject, "senior high"),
                "solution": f"Look at line {number} of the drawing.",
            }
        )
        picture(number).save(folder / rows[-1]["image"])
    copy = {**rows[0], "id": "phys-copy", "question": rows[0]["question"].replace("; how", ", how")}
    path = folder / "pool.jsonl"
    path.write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in [*rows, copy]), encoding="utf-8"
    )
    return path


def _questions(workspace: Workspace) -> list[Question]:
    """Chosen questions and few-shot examples, by id."""
    found = []
    for discipline in workspace.selected_disciplines():
        wanted = {row.question_id for row in current_rows(workspace, discipline).rows}
        if workspace.dev_selection(discipline).is_file():
            wanted |= {
                row.question_id for row in read_records(workspace.dev_selection(discipline), SelectionRow)
            }
        found += [q for q in read_records(workspace.pool(discipline), Question) if q.id in wanted]
    return sorted(found, key=lambda question: question.id)


def _review(workspace: Workspace, folder: Path) -> None:
    questions = _questions(workspace)
    proposals = [
        Proposal(
            job="tagging", item_id=problem_id(question.id), field=field, digest=shown_digest(tagging_view(question)),
            value=value, model="embedded/trial",
        )
        for place, question in enumerate(questions)
        for field, value in (("subject", question.knowledge_points[0].split("/")[0]), ("difficulty", 1 + place % 5))
    ]  # fmt: skip
    workspace.proposals("tagging").parent.mkdir(exist_ok=True)
    write_jsonl(workspace.proposals("tagging"), proposals)
    known = folder / "gold.jsonl"
    lines = [
        GoldLine(item_id=problem_id(question.id), values={"difficulty": 1 + (place + (place == 3) * 3) % 5})
        for place, question in enumerate(questions[:4])
    ]
    write_jsonl(known, lines)
    store_gold(
        workspace,
        "tagging",
        known,
        [item for group in find_job("tagging").groups(workspace) for item in group.items],
    )
    path = folder / "reviews.jsonl"
    text = "".join(canonical_json(line) + "\n" for line in _lines(questions))
    path.write_text(text, encoding="utf-8")
    replay_reviews(workspace, path, ("A", "B"))


def _lines(questions: list[Question]) -> Iterator[dict[str, Any]]:
    """What people said: two each, of four people; they differ on some, and on some of these a fifth decides."""
    for place, question in enumerate(questions):
        name, level = problem_id(question.id), 1 + place % 5
        first, second = ("R01", "R02") if place % 2 else ("R03", "R02")
        subject = question.knowledge_points[0].split("/")[0]
        other = level if place % 3 else min(5, level + 1)
        for who, slot, said in ((first, "A", level), (second, "B", other)):
            tag = {
                "job": "tagging",
                "item_id": name,
                "pseudonym": who,
                "slot": slot,
                "origin": "prediction-changed",
            }
            yield {**tag, "field": "subject", "value": subject, "annotation_id": f"t-{name}-{slot}"}
            yield {**tag, "field": "difficulty", "value": said, "annotation_id": f"t-{name}-{slot}"}
        if other != level:
            tag = {"job": "tagging", "item_id": name, "pseudonym": "R05", "slot": "adjudication"}
            yield {**tag, "field": "subject", "value": subject, "annotation_id": f"t-{name}-x"}
            yield {**tag, "field": "difficulty", "value": level, "annotation_id": f"t-{name}-x"}
        yield from _quality(place, name, question.language, (first, second))


def _quality(place: int, name: str, language: str, people: tuple[str, str]) -> Iterator[dict[str, Any]]:
    for slot, who in zip("AB", people, strict=True):
        line = {
            "job": "quality", "item_id": name, "language": language, "pseudonym": who, "slot": slot,
            "annotation_id": f"q-{name}-{slot}",
        }  # fmt: skip
        faults = (
            ["ambiguous"] if place == 1 else ["ambiguous", "incomplete"] if (place, slot) == (2, "A") else []
        )
        values = {"decision": "accept", "text_faults": faults, "image_faults": [], "visual_richness": 4 - place % 3,
                  "knowledge_complexity": 2 + (place % 4 == 0 and slot == "B")}  # fmt: skip
        for field, value in values.items():
            yield {**line, "field": field, "value": value}
        yield {**line, "field": "reason", "value": f"a remark about {name}"}


def _calibrate(workspace: Workspace) -> None:
    """A measured judge, as `evaluate judge-check --save` leaves it."""
    folder = workspace.root / "calibrations"
    folder.mkdir()
    calibration = {
        "n": 40, "decided": 38, "wrong": 3, "kappa": 0.8412, "accuracy": {"count": 35, "of": 38},
        "judge": {"kind": "chain", "model": {"name": "local/judge", "base_url": "http://machine.example:80"}},
    }  # fmt: skip
    (folder / "first.json").write_text(canonical_json(calibration), encoding="utf-8")
