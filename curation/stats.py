"""`curate stats`: what a pool, a selection, a benchmark or a release is made of, in counts and lengths.

The figures of both papers' Table 1 (VisScience: items, types, unique questions and answers, lengths by language;
SciVerse: lengths by version), and the distributions behind VisScience's Figure 3 and SciVerse's Figure 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import blake2b

from benchwright.curation.stats_items import Item, Said, Subject
from benchwright.curation.stats_lengths import Lengths, LengthTally
from benchwright.schemas.records import Record

NONE = "(none)"
_POINTS = 50
"""Knowledge points that are listed, the most frequent first."""


class TextFigures(Record):
    """Lengths of one language (and version, of a release)."""

    language: str
    version: str
    question: Lengths
    """Without its options."""
    question_with_options: Lengths
    answer: Lengths
    most_options: int


class PointFigures(Record):
    """Knowledge points."""

    distinct: int
    once: int
    """Points of a single item."""
    items_without: int
    most: dict[str, int]
    """The most frequent ones, in falling order."""
    frequencies: dict[str, int]
    """How often -> how many points (`1`, `2-3`, `4-7`, ...)."""


class Stats(Record):
    """The figures; `of` says of what. A count by language counts texts, all others count items."""

    of: Subject
    items: int
    by_discipline: dict[str, int]
    by_subject: dict[str, int]
    by_difficulty: dict[str, int]
    by_question_type: dict[str, int]
    by_language: dict[str, int]
    by_source: dict[str, int]
    by_split: dict[str, int]
    by_version: dict[str, int]
    """Rows of a release."""
    flows: dict[str, dict[str, dict[str, int]]]
    """Discipline -> level -> subject -> items."""
    estimated: dict[str, int]
    """Of a selection: items whose value the source does not give, by field."""
    with_image: int
    with_solution: int
    images: int
    unique_images: int
    unique_questions: int
    unique_answers: int
    texts: tuple[TextFigures, ...]
    choices: dict[str, int]
    """Number of options -> items, of those that have any."""
    points: PointFigures


class _Texts:
    def __init__(self) -> None:
        self.question, self.whole, self.answer = LengthTally(), LengthTally(), LengthTally()
        self.most_options = 0

    def add(self, said: Said, options: int) -> None:
        self.question.add(said.question)
        self.whole.add("\n".join(part for part in (said.question, said.options) if part))
        self.answer.add(said.answer)
        self.most_options = max(self.most_options, options)


class _Count:
    """Counts items; of texts it keeps digests of eight bytes, to know which are alike."""

    def __init__(self) -> None:
        names = ("discipline", "subject", "difficulty", "type", "language", "source", "split", "version")
        self.by: dict[str, Counter[str]] = {name: Counter() for name in (*names, "choices", "estimated")}
        self.flows: dict[str, dict[str, Counter[str]]] = {}
        self.texts: dict[tuple[str, str], _Texts] = {}
        self.unique: dict[str, set[bytes]] = {"image": set(), "question": set(), "answer": set()}
        self.points: Counter[str] = Counter()
        self.known: set[bytes] = set()
        self.images = self.with_image = self.with_solution = self.without_points = 0

    def add(self, item: Item) -> None:
        """Count one item; of a release, the rows of one problem make one item."""
        for said in item.texts:
            self.by["language"][said.language] += 1
            if said.version:
                self.by["version"][said.version] += 1
            self.texts.setdefault((said.language, said.version), _Texts()).add(said, item.options)
            self.unique["question"].add(_digest(f"{said.question}\n{said.options}"))
            self.unique["answer"].add(_digest(said.answer))
        self.unique["image"].update(_digest(image) for image in item.images)
        key = _digest(f"{item.discipline}\n{item.item_id}")
        if key not in self.known:
            self.known.add(key)
            self._add_once(item)

    def _add_once(self, item: Item) -> None:
        subject = f"{item.discipline}/{item.subject}" if item.subject else NONE
        level = str(item.difficulty) if item.difficulty else NONE
        self.by["discipline"][item.discipline] += 1
        self.by["subject"][subject] += 1
        self.by["difficulty"][level] += 1
        self.by["type"][item.question_type] += 1
        self.by["source"][item.source] += 1
        if item.split is not None:
            self.by["split"][item.split] += 1
        if item.options:
            self.by["choices"][str(item.options)] += 1
        self.by["estimated"].update(item.estimated)
        levels = self.flows.setdefault(item.discipline, {})
        levels.setdefault(level, Counter())[item.subject or NONE] += 1
        self.points.update(item.points)
        self.without_points += not item.points
        self.images += len(item.images)
        self.with_image += bool(item.images)
        self.with_solution += item.solution


def statistics(of: Subject, items: Iterable[Item]) -> Stats:
    """Count; one pass, one item in memory at a time (but for eight bytes of each distinct text)."""
    count = _Count()
    for item in items:
        count.add(item)
    ordered = {name: dict(sorted(counter.items())) for name, counter in count.by.items()}
    return Stats(
        of=of,
        items=len(count.known),
        by_discipline=ordered["discipline"],
        by_subject=ordered["subject"],
        by_difficulty=ordered["difficulty"],
        by_question_type=ordered["type"],
        by_language=ordered["language"],
        by_source=ordered["source"],
        by_split=ordered["split"],
        by_version=ordered["version"],
        flows={
            discipline: {level: dict(sorted(subjects.items())) for level, subjects in sorted(levels.items())}
            for discipline, levels in sorted(count.flows.items())
        },
        estimated=ordered["estimated"],
        with_image=count.with_image,
        with_solution=count.with_solution,
        images=count.images,
        unique_images=len(count.unique["image"]),
        unique_questions=len(count.unique["question"]),
        unique_answers=len(count.unique["answer"]),
        texts=_text_figures(count.texts),
        choices=ordered["choices"],
        points=_point_figures(count.points, count.without_points),
    )


def _text_figures(texts: Mapping[tuple[str, str], _Texts]) -> tuple[TextFigures, ...]:
    return tuple(
        TextFigures(
            language=language,
            version=version,
            question=found.question.lengths(),
            question_with_options=found.whole.lengths(),
            answer=found.answer.lengths(),
            most_options=found.most_options,
        )
        for (language, version), found in sorted(texts.items())
    )


def _point_figures(points: Counter[str], without: int) -> PointFigures:
    ranked = sorted(points.items(), key=lambda pair: (-pair[1], pair[0]))
    bands = Counter((count.bit_length() - 1) for _, count in ranked)
    return PointFigures(
        distinct=len(ranked),
        once=sum(1 for _, count in ranked if count == 1),
        items_without=without,
        most=dict(ranked[:_POINTS]),
        frequencies={
            ("1" if band == 0 else f"{2**band}-{2 ** (band + 1) - 1}"): bands[band] for band in sorted(bands)
        },
    )


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8"), digest_size=8).digest()
