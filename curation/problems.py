"""`curate problems`: the benchmark's problems, derived from pool, selection, proposals and final verdicts.

A field counts when a final verdict about exactly what was shown gives it. Without one the question is no problem yet
(`unreviewed`), unless the builder takes the machine's word for it with `--accept-proposals`; then every such field says
so in its provenance. A verdict about an older text is `stale-review`, a disagreement of reviewers `open-review`:
neither is overruled by a proposal. An answer that repeats of the question contradict is the one that people gave in the
job `duplicates` (`schemas.settled_answers`). Texts grow the same way (`schemas.standing`): a translation, conversion or
decomposition that does not count yet leaves the problem without it, and is listed in `problems.pending.parquet`; marks
whose places do not count yet are placed by the renderer (`curation.proposers.placement_words`). The files are
derived: deleted and made again they have the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import JsonValue, ValidationError

from benchwright.curation.chosen_now import selection_files
from benchwright.curation.proposers.chosen import Chosen, chosen_questions, selected_disciplines
from benchwright.curation.proposers.placement_words import take_places
from benchwright.curation.splits import SplitRule, Stratum, check_room, splits
from benchwright.schemas.artefact import Counts, StageResult, run_stage
from benchwright.schemas.digest import digest_of
from benchwright.schemas.duplicates import groups_path
from benchwright.schemas.errors import ItemError, UsageError
from benchwright.schemas.jobs import problem_id, quality_view, tagging_view
from benchwright.schemas.records import Origin, Problem, Provenance, Question, Rejected, Split
from benchwright.schemas.standing import TEXT_JOBS, Standing, standing
from benchwright.schemas.tables import write_records
from benchwright.schemas.taxonomy import Taxonomy, load_taxonomy
from benchwright.schemas.words import Trust, Words
from benchwright.schemas.workspace import Workspace

STAGE_VERSION = 5
STAGE = "problems"
PENDING_ANSWER = "answer-unreviewed"
"""Repeats of the question name other answers, and nobody has said which is right: the source's stands until then."""
JOBS_READ = ("tagging", "quality", *TEXT_JOBS, "placement")


@dataclass(frozen=True)
class Sayings:
    """What is known about the selected questions beyond the pool, and where it has to be looked up."""

    words: Words
    taxonomy: Taxonomy
    languages: tuple[str, ...]

    def tag(self, question: Question, name: str) -> tuple[JsonValue, Provenance]:
        """Subject or difficulty and who said it.

        Raises:
            ItemError: `unreviewed`, `stale-review`, `open-review` or `bad-verdict`.
        """
        view = tagging_view(question)
        value, by = self.words.value("tagging", problem_id(question.id), None, name, view)
        if name == "difficulty":
            if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 5:
                return value, by
        elif isinstance(value, str) and value in {s.id for s in self.taxonomy.subjects(question.discipline)}:
            return value, by
        raise ItemError("bad-verdict", f"{value!r} is no {name} of {question.discipline}")

    def points(self, question: Question) -> tuple[tuple[str, ...], Provenance | None]:
        """Knowledge points: as reviewed where they were, else as the source has them, else as proposed.

        Raises:
            ItemError: `open-review`, `stale-review` or `bad-verdict`.
        """
        name, view = "knowledge_points", tagging_view(question)
        said = self.words.optional("tagging", problem_id(question.id), None, name, view)
        if question.knowledge_points and (said is None or said[1].origin is not Origin.REVIEW):
            return question.knowledge_points, Provenance(field=name, origin=Origin.SOURCE)
        if said is None:
            return (), None
        if not isinstance(said[0], list):
            raise ItemError("bad-verdict", f"{said[0]!r} is no list of knowledge points")
        return tuple(str(point) for point in said[0]), said[1]

    def refuse_bad(self, question: Question, found: Standing) -> None:
        """Leave a question out that people rejected, or that they said must be mended first.

        A machine's word about quality orders the review and decides nothing, whatever is accepted.

        Raises:
            ItemError: `rejected-in-review`, `to-be-mended` or `open-review`.
        """
        reviewed = Words({}, self.words.verdicts, Trust.REVIEWED)
        for language, text in found.source_texts.items():
            view = quality_view(text, question.images)
            said = reviewed.optional("quality", problem_id(question.id), language, "decision", view)
            if said is not None and said[0] != "accept":
                reason = "rejected-in-review" if said[0] == "reject" else "to-be-mended"
                raise ItemError(reason, f"[{language}] the reviewers {said[1].by} said {said[0]}")


def make_problems(workspace: Workspace, accept_proposals: bool = False) -> StageResult:
    """Derive `problems.parquet`, the selected questions that are no problems yet, and what still waits for people.

    Raises:
        UsageError: nothing is selected, or proposals are to be accepted and there are none.
    """
    disciplines = selected_disciplines(workspace)
    if accept_proposals and not workspace.proposals("tagging").is_file():
        raise UsageError(
            f"{workspace.proposals('tagging')} does not exist: run `curate tag` before accepting proposals."
        )
    taxonomy = load_taxonomy(workspace.recipe.benchmark.taxonomy, workspace.taxonomies)
    rule = SplitRule(testmini=workspace.recipe.release.testmini, seed=workspace.recipe.benchmark.seed)

    def produce(temporaries: tuple[Path, ...]) -> Counts:
        words = Words.read(workspace, JOBS_READ, Trust.ACCEPTED if accept_proposals else Trust.REVIEWED)
        sayings = Sayings(words, taxonomy, workspace.recipe.benchmark.languages)
        made = _Made()
        for discipline in disciplines:
            _discipline(workspace, discipline, sayings, rule, made)
        write_records(temporaries[0], sorted(made.problems, key=lambda p: p.problem_id), Problem)
        for path, records in ((temporaries[1], made.rejected), (temporaries[2], made.pending)):
            write_records(path, sorted(records, key=lambda r: (r.item_id, r.reason, r.detail)), Rejected)
        reasons = Counter(record.reason for record in made.rejected)
        return Counts(
            n_in=len(made.problems) + len(made.rejected),
            n_kept=len(made.problems),
            n_rejected=len(made.rejected),
            reasons=dict(sorted(reasons.items())),
        )

    parameters: dict[str, JsonValue] = {
        "accept_proposals": accept_proposals,
        "taxonomy": digest_of(taxonomy),
        "split": rule.model_dump(mode="json"),
        "languages": list(workspace.recipe.benchmark.languages),
    }
    outputs = [workspace.problems, workspace.problems_rejected, workspace.problems_pending]
    inputs = _inputs(workspace, disciplines)
    return run_stage(workspace, STAGE, STAGE_VERSION, inputs, outputs, parameters, produce)


def _inputs(workspace: Workspace, disciplines: Sequence[str]) -> list[Path]:
    inputs = [
        path for name in disciplines for path in (workspace.pool(name), *selection_files(workspace, name))
    ]
    optional = [
        path for name in disciplines for path in (workspace.dev_selection(name), groups_path(workspace, name))
    ]
    optional.append(workspace.verdicts("duplicates"))
    optional += [path for job in JOBS_READ for path in (workspace.proposals(job), workspace.verdicts(job))]
    return inputs + [path for path in optional if path.is_file()]


@dataclass
class _Made:
    """What becomes of the selected questions."""

    problems: list[Problem] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    pending: list[Rejected] = field(default_factory=list)


def _discipline(
    workspace: Workspace, discipline: str, sayings: Sayings, rule: SplitRule, made: _Made
) -> None:
    chosen, gone = chosen_questions(workspace, discipline, STAGE)
    made.rejected += gone
    check_room(discipline, sum(not item.dev for item in chosen), rule)
    problems: list[Problem] = []
    for item in chosen:
        name = problem_id(item.question.id)
        found = standing(item.question, sayings.words, sayings.languages)
        take_places(item.question, found, sayings.words)
        try:
            problem = _problem(item, sayings, found)
        except ItemError as error:
            made.rejected.append(
                Rejected(
                    item_id=name,
                    stage=STAGE,
                    reason=error.reason,
                    detail=error.detail,
                    source=item.question.source,
                )
            )
        else:
            problems.append(problem)
            made.pending += [*found.pending, *_answer_pending(item)]
    scored = {one.problem_id: Stratum.of(one) for one in problems if one.split is not Split.DEV}
    split = splits(scored, rule)
    made.problems += [
        one.model_copy(update={"split": split.get(one.problem_id, Split.DEV)}) for one in problems
    ]


def _answer_pending(item: Chosen) -> list[Rejected]:
    if item.answer_doubt is None:
        return []
    question = item.question
    return [
        Rejected(
            item_id=problem_id(question.id),
            stage=STAGE,
            reason=PENDING_ANSWER,
            detail=f"[{question.language}] {item.answer_doubt.detail}",
            source=question.source,
        )
    ]


def _problem(item: Chosen, sayings: Sayings, found: Standing) -> Problem:
    """A problem, in `dev` or, for the time being, in `test`."""
    question = item.question
    if item.answer_doubt is not None and item.answer_doubt.reason != "unreviewed":
        raise item.answer_doubt
    subject, subject_by = sayings.tag(question, "subject")
    difficulty, difficulty_by = sayings.tag(question, "difficulty")
    points, points_by = sayings.points(question)
    sayings.refuse_bad(question, found)
    optional = [by for by in (points_by, item.answer_by) if by is not None]
    provenance = [subject_by, difficulty_by, *optional, *found.provenance]
    values: dict[str, Any] = {
        "problem_id": problem_id(question.id),
        "question_id": question.id,
        "source": question.source,
        "source_license": question.source_license,
        "discipline": question.discipline,
        "subject": subject,
        "difficulty": difficulty,
        "knowledge_points": points,
        "grade": question.grade,
        "language": question.language,
        "texts": found.texts,
        "question_type": found.question_type,
        "source_texts": found.source_texts,
        "source_question_type": question.question_type,
        "images": question.images,
        "provenance": tuple(provenance),
        "split": Split.DEV if item.dev else Split.TEST,
    }
    try:
        return Problem.model_validate(values)
    except ValidationError as error:
        raise ItemError("bad-record", str(error.errors(include_url=False)[0]["msg"])) from error
