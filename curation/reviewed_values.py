"""The chosen questions with what people said about them in place of what the selection was made with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from benchwright.curation.dedup_review import written_for
from benchwright.curation.problems import JOBS_READ, Sayings
from benchwright.curation.select_items import Candidate, points_at
from benchwright.schemas.duplicates import DuplicateGroup
from benchwright.schemas.errors import ItemError
from benchwright.schemas.jobs import Verdict, problem_id, quality_view
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Origin, Provenance, Question
from benchwright.schemas.reviewed import Turned
from benchwright.schemas.selection import SelectionRow
from benchwright.schemas.standing import Standing, standing
from benchwright.schemas.taxonomy import load_taxonomy
from benchwright.schemas.words import Trust, Words
from benchwright.schemas.workspace import Workspace

FIELDS = ("subject", "difficulty", "knowledge_points")
RATINGS = ("knowledge_complexity", "visual_richness")
"""SciVerse keeps problems by these two."""


@dataclass
class Reviewed:
    """What is known of a selection after review."""

    items: list[Candidate] = field(default_factory=list)
    """Every chosen question with its reviewed values, by id; those that were turned away too."""
    before: list[Candidate] = field(default_factory=list)
    """The same with the values that the selection was made with."""
    turned: list[Turned] = field(default_factory=list)
    to_be_mended: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    """Ids with a final decision about their quality in their source language."""
    ratings: dict[str, dict[str, float]] = field(default_factory=dict)
    """By id and rating, the mean over the languages that have a final value."""
    origins: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in FIELDS})
    waiting: Counter[str] = field(default_factory=Counter)

    @property
    def changed(self) -> dict[str, int]:
        """How many questions have another value than before, by field."""
        pairs = list(zip(self.items, self.before, strict=True))
        return {
            "subject": sum(a.subject != b.subject for a, b in pairs),
            "difficulty": sum(a.difficulty != b.difficulty for a, b in pairs),
            "knowledge_points": sum(a.points != b.points for a, b in pairs),
        }

    @property
    def gone(self) -> dict[str, Turned]:
        """Questions that may not stay, by id."""
        return {one.question_id: one for one in self.turned}


def reviewed_values(
    workspace: Workspace,
    rows: Sequence[SelectionRow],
    known: Mapping[str, Candidate],
    questions: Mapping[str, Question],
    path_level: int | None,
    accept_proposals: bool = False,
) -> Reviewed:
    """Look up what was said about chosen questions.

    Args:
        workspace: reads proposals and final verdicts of tagging, quality, duplicates and the text jobs.
        rows: the selection as it stands.
        known: what the choice knew of the pool's questions.
        questions: the pool's records of the chosen ones.
        path_level: level at which points are told apart.
        accept_proposals: the machine's word counts where no person has spoken, as in `curate problems`.
    """
    trust = Trust.ACCEPTED if accept_proposals else Trust.REVIEWED
    words = Words.read(workspace, JOBS_READ, trust)
    taxonomy = load_taxonomy(workspace.recipe.benchmark.taxonomy, workspace.taxonomies)
    reader = _Reader(Sayings(words, taxonomy, workspace.recipe.benchmark.languages), path_level, Reviewed())
    for row in sorted(rows, key=lambda row: row.question_id):
        before = known.get(row.question_id) or of_row(row)
        reader.found.before.append(before)
        question = questions.get(row.question_id)
        if question is None:
            reader.found.items.append(before)
            reader.found.turned.append(Turned(question_id=row.question_id, reason="gone-from-pool"))
        else:
            reader.found.items.append(reader.read(question, before))
    _take_duplicates(workspace, rows, reader.found)
    return reader.found


def of_row(row: SelectionRow) -> Candidate:
    """What a selection's own row says of a question, for one that is not offered any more."""
    return Candidate(row.question_id, row.subject, row.difficulty, row.cluster, row.centrality, row.points)


@dataclass(frozen=True)
class _Reader:
    sayings: Sayings
    path_level: int | None
    found: Reviewed

    def read(self, question: Question, before: Candidate) -> Candidate:
        """A question with its reviewed values; what was decided about it is noted."""
        subject, level, points = before.subject, before.difficulty, before.points
        if (said := self._said("subject", before, lambda: self.sayings.tag(question, "subject"))) is not None:
            subject = str(said)
        if (
            said := self._said("difficulty", before, lambda: self.sayings.tag(question, "difficulty"))
        ) is not None:
            level = int(str(said))
        said = self._said("knowledge_points", before, lambda: self._points(question))
        if isinstance(said, list):
            points = points_at([str(point) for point in said], before.cluster, self.path_level)
        self._quality(question)
        return replace(before, subject=subject, difficulty=level, points=points)

    def _points(self, question: Question) -> tuple[JsonValue, Provenance]:
        points, by = self.sayings.points(question)
        if by is None:
            raise ItemError("unreviewed", "no knowledge points")
        return list(points), by

    def _said(
        self, name: str, before: Candidate, ask: Callable[[], tuple[JsonValue, Provenance]]
    ) -> JsonValue | None:
        origins = self.found.origins[name]
        try:
            value, by = ask()
        except ItemError as error:
            self.found.waiting[f"{name}: {error.reason}"] += 1
            origins[(Origin.ESTIMATE if name in before.estimated else Origin.SOURCE).value] += 1
            return None
        origins[by.origin.value] += 1
        return value

    def _quality(self, question: Question) -> None:
        texts = standing(question, self.sayings.words, self.sayings.languages)
        try:
            self.sayings.refuse_bad(question, texts)
        except ItemError as error:
            match error.reason:
                case "rejected-in-review":
                    turned = Turned(question_id=question.id, reason="rejected-in-review", detail=error.detail)
                    self.found.turned.append(turned)
                case "to-be-mended":
                    self.found.to_be_mended.append(question.id)
                case _:
                    self.found.waiting[f"decision: {error.reason}"] += 1
        if self._decided(question, texts):
            self.found.seen.add(question.id)
        ratings = {name: self._rating(question, texts, name) for name in RATINGS}
        self.found.ratings[question.id] = {
            name: value for name, value in ratings.items() if value is not None
        }

    def _decided(self, question: Question, texts: Standing) -> bool:
        """Whether people, not machines, said what becomes of the question in its source language."""
        people = Words({}, self.sayings.words.verdicts, Trust.REVIEWED)
        return (
            _Reader(replace(self.sayings, words=people), self.path_level, self.found)._final(
                question, texts, "decision", question.language
            )
            is not None
        )

    def _rating(self, question: Question, texts: Standing, name: str) -> float | None:
        said = [self._final(question, texts, name, language) for language in texts.source_texts]
        values = [value for value in said if isinstance(value, int | float) and not isinstance(value, bool)]
        return sum(values) / len(values) if values else None

    def _final(self, question: Question, texts: Standing, name: str, language: str) -> JsonValue | None:
        """A person's final word about quality, or the machine's where it is accepted; None where there is none."""
        view = quality_view(texts.source_texts[language], question.images)
        try:
            said = self.sayings.words.optional("quality", problem_id(question.id), language, name, view)
        except ItemError:  # open, stale or failed checks: counted under `decision` or waiting for people
            return None
        return None if said is None else said[0]


def _take_duplicates(workspace: Workspace, rows: Sequence[SelectionRow], found: Reviewed) -> None:
    """Of chosen questions that people called one and the same, only the one they keep may stay."""
    path = workspace.verdicts("duplicates")
    if not path.is_file():
        return
    said = {(v.item_id, v.digest, v.field): v.value for v in read_jsonl(path, Verdict) if v.basis != "open"}
    chosen = {row.question_id for row in rows}
    for discipline in sorted({row.discipline for row in rows}):
        groups = written_for(workspace, discipline)[1]
        for group in read_jsonl(groups, DuplicateGroup) if groups.is_file() else []:
            members = [name for name in group.members if name in chosen]
            if len(members) < 2 or said.get((group.item_id, group.digest, "relation")) != "same":
                continue
            keep = said.get((group.item_id, group.digest, "keep"))
            stays = keep if keep in members else members[0]
            gone = found.gone
            found.turned += [
                Turned(
                    question_id=name, reason="duplicate", detail=f"the reviewers call it the same as {stays}"
                )
                for name in members
                if name != stays and name not in gone
            ]
