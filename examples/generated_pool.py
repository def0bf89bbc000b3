"""Large pools of made-up questions, for trials at the size of a real one (150,000 a discipline in about a minute).

What makes a real pool hard is in it: knowledge points that follow Zipf's law (some stand in thousands of questions,
most in few), two languages, the same template with other numbers, repeats that differ in spelling only, repeats with
another answer, missing labels, and pictures that several questions share. What was planted is written down beside the
pool, so that a search for duplicates can be held against it (by chance two further questions may differ in nothing but
their numbers). Same arguments, same bytes.
"""

from __future__ import annotations

import json
import random
import re
import tomllib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from benchwright.examples.generated_pictures import write_pictures
from benchwright.examples.generated_relations import RELATIONS, Relation, plain
from benchwright.examples.generated_texts import ALSO, FACETS, GRADES, SEEN, SETTINGS
from benchwright.schemas.errors import UsageError
from benchwright.schemas.taxonomy import load_taxonomy

SOURCES = ("generated-old", "generated-new", "generated-web")
LICENSE = "Apache-2.0"
Planted = Literal["spelling", "options", "markup", "disputed", "template"]

_POINTS_OF_AN_ITEM = {1: 0.45, 2: 0.30, 3: 0.17, 4: 0.08}
"""How many knowledge points a question has, and how often."""
_TEMPLATES, _REPEATS = 0.15, 0.04
"""Shares of questions that repeat an earlier one with other numbers, and with the same."""
_REMEMBERED = 2000
"""Earlier questions that may be repeated."""
_LABELS = "ABCD"


@dataclass(frozen=True)
class Point:
    """One knowledge point, with the words for its concept."""

    path: str
    subject: str
    chapter: str
    concept: dict[str, str]
    facet: int


@dataclass(frozen=True)
class Shape:
    """All of a question but its numbers: what number variants share."""

    points: tuple[Point, ...]
    relation: Relation
    language: str
    setting: str
    pattern: int
    choice: bool
    picture: str | None


@dataclass(frozen=True)
class GeneratedPool:
    """What was written."""

    path: Path
    truth: Path
    items: int
    points: int
    planted: dict[str, int]


def write_generated_pool(
    folder: Path,
    items: int,
    discipline: str = "physics",
    points: int = 1000,
    pictures: int = 0,
    seed: int = 0,
    report: Callable[[int], None] = lambda done: None,
) -> GeneratedPool:
    """Write `pool.jsonl` (source rows for `curate ingest`), `truth.jsonl` and, if wished, `images/`.

    Args:
        folder: made if it does not exist.
        items: questions, repeats included.
        discipline: `physics`, `mathematics` or `chemistry`.
        points: knowledge points; each is held by at least one question where there are enough questions.
        pictures: different pictures to draw; half of the questions then show one.
        seed: another one gives another pool.
        report: told how many questions are written, a thousand at a time.

    Raises:
        UsageError: an unknown discipline, or more points than the topics give.
    """
    known = _points(discipline)
    if points > len(known):
        raise UsageError(
            f"the topics of {discipline} give {len(known)} knowledge points: ask for at most that many."
        )
    rng = random.Random(f"{seed}/{discipline}/{items}/{points}")
    chosen = sorted(rng.sample(known, points), key=lambda point: point.path)
    folder.mkdir(parents=True, exist_ok=True)
    names = write_pictures(folder / "images", pictures, seed)
    planted: dict[str, int] = {}
    pool, truth = folder / "pool.jsonl", folder / "truth.jsonl"
    with pool.open("w", encoding="utf-8") as rows, truth.open("w", encoding="utf-8") as facts:
        for done, (row, fact) in enumerate(_rows(rng, items, discipline, chosen, names), start=1):
            rows.write(json.dumps(row, ensure_ascii=False) + "\n")
            if fact is not None:
                facts.write(json.dumps(fact) + "\n")
                planted[fact["kind"]] = planted.get(fact["kind"], 0) + 1
            if done % 1000 == 0 or done == items:
                report(done)
    return GeneratedPool(pool, truth, items, points, dict(sorted(planted.items())))


def disciplines() -> tuple[str, ...]:
    """Disciplines that questions can be made up for."""
    return tuple(_topics())


@cache
def _topics() -> dict[str, dict[str, list[str]]]:
    text = Path(__file__).with_name("generated_topics.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _points(discipline: str) -> list[Point]:
    """Every knowledge point of a discipline: concept x facet."""
    if discipline not in _topics():
        raise UsageError(f"no topics for {discipline!r}: choose from {', '.join(_topics())}.")
    names = {subject.id: subject.names["en"] for subject in load_taxonomy("visscience").subjects(discipline)}
    found = []
    for subject, chapters in _topics()[discipline].items():
        for line in chapters:
            chapter, _, concepts = line.partition(" : ")
            for concept in concepts.split(" ; "):
                en, _, zh = concept.partition(" | ")
                for facet, (name, _) in enumerate(FACETS):
                    path = f"{names[subject]}/{chapter.partition(' | ')[0]}/{en}/{name}"
                    found.append(
                        Point(path, subject, chapter.partition(" | ")[0], {"en": en, "zh": zh}, facet)
                    )
    return found


class _Draw:
    """Draws knowledge points: the subject evenly by its points, the point within it by Zipf's law."""

    def __init__(self, rng: random.Random, points: Sequence[Point]) -> None:
        self._rng = rng
        self._by_subject: dict[str, list[Point]] = {}
        for point in rng.sample(points, len(points)):
            self._by_subject.setdefault(point.subject, []).append(point)
        self._weights = {
            subject: list(accumulate(1 / rank for rank in range(1, len(own) + 1)))
            for subject, own in self._by_subject.items()
        }
        self._subjects = sorted(self._by_subject)
        self._sizes = list(accumulate(len(self._by_subject[subject]) for subject in self._subjects))

    def __call__(self, first: Point | None) -> tuple[Point, ...]:
        """The points of one question, the first as given, else drawn."""
        rng = self._rng
        if first is None:
            (subject,) = rng.choices(self._subjects, cum_weights=self._sizes)
            (first,) = rng.choices(self._by_subject[subject], cum_weights=self._weights[subject])
        (count,) = rng.choices(list(_POINTS_OF_AN_ITEM), list(_POINTS_OF_AN_ITEM.values()))
        own = self._by_subject[first.subject]
        more = rng.choices(own, cum_weights=self._weights[first.subject], k=count - 1)
        return tuple({point.path: point for point in (first, *more)}.values())


def _rows(
    rng: random.Random, items: int, discipline: str, points: Sequence[Point], pictures: Sequence[str]
) -> Iterator[tuple[dict[str, Any], dict[str, str] | None]]:
    draw = _Draw(rng, points)
    todo = deque(points)
    earlier: deque[tuple[Shape, dict[str, Any]]] = deque(maxlen=_REMEMBERED)
    for number in range(items):
        row_id = f"{discipline}-{number:07d}"
        kind = rng.random()
        if len(earlier) >= 50 and not todo and kind < _TEMPLATES + _REPEATS:
            shape, old = earlier[rng.randrange(len(earlier))]
            if kind < _TEMPLATES:
                row = _row(rng, row_id, discipline, shape)
                if row["question"] != old["question"]:
                    yield row, {"id": row_id, "of": old["id"], "kind": "template"}
                    continue
            row, planted = _repeat(rng, row_id, old)
            yield row, {"id": row_id, "of": old["id"], "kind": planted}
            continue
        shape = _shape(rng, discipline, draw(todo.popleft() if todo else None), pictures)
        row = _row(rng, row_id, discipline, shape)
        earlier.append((shape, row))
        yield row, None


def _shape(rng: random.Random, discipline: str, points: tuple[Point, ...], pictures: Sequence[str]) -> Shape:
    language = rng.choice(("en", "zh"))
    return Shape(
        points,
        rng.choice(RELATIONS[discipline]),
        language,
        rng.choice(SETTINGS[discipline][language]),
        rng.randrange(2),
        rng.random() < 0.6,
        rng.choice(pictures) if pictures and rng.random() < 0.5 else None,
    )


def _row(rng: random.Random, row_id: str, discipline: str, shape: Shape) -> dict[str, Any]:
    """A question of a shape, with numbers of its own."""
    values = shape.relation.draw(rng)
    answer = plain(shape.relation.answer(values))
    row: dict[str, Any] = {
        "id": row_id,
        "source": rng.choice(SOURCES),
        "source_license": LICENSE,
        "discipline": discipline,
        "language": shape.language,
        "question": _question(shape, values),
        "knowledge_points": [point.path for point in shape.points],
        "chapter": shape.points[0].chapter,
        "images": [f"images/{shape.picture}"] if shape.picture else [],
    }
    if shape.choice:
        options = _options(rng, float(answer), shape.relation.unit)
        right = options[0]
        rng.shuffle(options)
        row |= {"choices": options, "answer": _LABELS[options.index(right)]}
    else:
        row |= {"answer": answer, "unit": shape.relation.unit}
    if rng.random() < 0.5:
        row["solution"] = f"${shape.relation.solution}$, {answer} {shape.relation.unit}".rstrip()
    # Real pools name level, grade and subject for a part of their questions only.
    if rng.random() < 0.3:
        row["difficulty"] = 1 + min(4, shape.points[0].facet // 2 + len(shape.points) // 2)
    if rng.random() < 0.5:
        row["grade"] = rng.choice(GRADES[shape.language])
    if rng.random() < 0.6:
        row["subject"] = shape.points[0].subject
    return row


def _question(shape: Shape, values: dict[str, float]) -> str:
    language = shape.language
    first, *others = shape.points
    given = re.sub("@([A-Za-z])", lambda found: plain(values[found[1]]), shape.relation.given[language])
    wanted = re.sub("@([A-Za-z])", lambda found: plain(values[found[1]]), shape.relation.wanted[language])
    ask = FACETS[first.facet][1][language][shape.pattern].format(
        concept=first.concept[language], wanted=wanted
    )
    also = "".join(ALSO[language].format(concept=point.concept[language]) for point in others)
    seen = SEEN[language] if shape.picture else ""
    if language == "en":
        return f"{seen}{shape.setting}, {given}. {ask}{also}"
    return f"{seen}{shape.setting}，{given}。{ask}{also}"


def _options(rng: random.Random, right: float, unit: str) -> list[str]:
    """Four different options, the right one first."""
    values = [plain(right)]
    for factor in rng.sample((0.1, 0.25, 0.5, 0.8, 1.25, 2, 4, 10), 8):
        if (other := plain(right * factor)) not in values and len(values) < len(_LABELS):
            values.append(other)
    offset = 1
    while len(values) < len(_LABELS):
        if (other := plain(right + offset)) not in values:
            values.append(other)
        offset += 1
    return [f"${value}\\ \\text{{{unit}}}$" if unit else f"${value}$" for value in values]


def _repeat(rng: random.Random, row_id: str, old: dict[str, Any]) -> tuple[dict[str, Any], Planted]:
    """The same question again, as another source would have it."""
    kinds: list[Planted] = ["spelling", "markup", "disputed"]
    if "choices" in old:
        kinds.append("options")
    kind = rng.choice(kinds)
    row = {**old, "id": row_id, "source": rng.choice(SOURCES)}
    text = str(old["question"])
    if kind == "spelling":
        row["question"] = (
            text.replace(", ", " , ").replace(". ", ".  ").replace("，", ", ").replace("。", ". ")
        )
    elif kind == "markup":
        row["question"] = re.sub(r"\$([^$]*)\$", r"\\(\1\\)", text).replace("\\ ", "\\,")
    elif kind == "options":
        order = list(range(len(old["choices"])))
        rng.shuffle(order)
        row["choices"] = [old["choices"][at] for at in order]
        row["answer"] = _LABELS[order.index(_LABELS.index(old["answer"]))]
    elif "choices" in old:
        row["answer"] = rng.choice([label for label in _LABELS if label != old["answer"]])
    else:
        row["answer"] = plain(float(old["answer"]) * 2 + 1)
    return row, kind
