"""`curate problems`: the benchmark's problems, derived from pool, selection, proposals and final verdicts.

A field counts when a final verdict about exactly what was shown gives it. Without one the question is no problem yet
(`unreviewed`), unless the builder takes the machine's word for it with `--accept-proposals`; then every such field says
so in its provenance. A verdict about an older text is `stale-review`, a disagreement of reviewers `open-review`:
neither is overruled by a proposal. The file is derived: deleted and made again it has the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue, ValidationError

from benchwright.curation.propose import Chosen, chosen_questions, selected_disciplines
from benchwright.schemas.artefact import Counts, StageResult, run_stage
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import ItemError, UsageError
from benchwright.schemas.jobs import Keyed, Proposal, Verdict, problem_id, shown_digest, tagging_view
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Origin, Problem, Provenance, Question, Record, Rejected, Split
from benchwright.schemas.tables import write_records
from benchwright.schemas.taxonomy import Taxonomy, load_taxonomy
from benchwright.schemas.workspace import Workspace

STAGE_VERSION = 1
STAGE = "problems"
JOB = "tagging"

_ByField = Mapping[tuple[str, str], Sequence[Any]]


@dataclass(frozen=True)
class Words:
    """What machines and people said about tags, by (item id, field)."""

    proposals: _ByField
    verdicts: _ByField
    accept_proposals: bool
    taxonomy: Taxonomy

    def value(self, question: Question, name: str) -> tuple[JsonValue, Provenance]:
        """The value of a required field and who said it.

        Raises:
            ItemError: `unreviewed`, `stale-review`, `open-review` or `bad-verdict`.
        """
        digest = shown_digest(tagging_view(question))
        verdict = _fitting(self.verdicts, question, name, digest)
        if verdict is not None and verdict.value is not None and verdict.basis != "open":
            value = self._checked(question, name, verdict.value)
            return value, Provenance(field=name, origin=Origin.REVIEW, by=",".join(verdict.by) or None)
        _refuse_open(verdict, name)
        if verdict is None and any(older.by for older in _all(self.verdicts, question, name)):
            raise ItemError("stale-review", f"{name}: the question was changed after its review")
        proposal = _fitting(self.proposals, question, name, digest)
        if not self.accept_proposals or proposal is None:
            raise ItemError(
                "unreviewed", f"{name}: no verdict" + ("" if proposal else ", no proposal either")
            )
        value = self._checked(question, name, proposal.value)
        return value, Provenance(field=name, origin=Origin.PROPOSAL, by=proposal.model)

    def points(self, question: Question) -> tuple[tuple[str, ...], Provenance | None]:
        """Knowledge points: as reviewed where they were, else as the source has them.

        Raises:
            ItemError: `open-review` or `bad-verdict`.
        """
        verdict = _fitting(self.verdicts, question, "knowledge_points", shown_digest(tagging_view(question)))
        if verdict is not None and verdict.value is not None and verdict.basis != "open":
            if not isinstance(verdict.value, list):
                raise ItemError("bad-verdict", f"{verdict.value!r} is no list of knowledge points")
            points = tuple(str(point) for point in verdict.value)
            by = ",".join(verdict.by) or None
            return points, Provenance(field="knowledge_points", origin=Origin.REVIEW, by=by)
        _refuse_open(verdict, "knowledge_points")
        if question.knowledge_points:
            return question.knowledge_points, Provenance(field="knowledge_points", origin=Origin.SOURCE)
        return (), None

    def _checked(self, question: Question, name: str, value: JsonValue) -> JsonValue:
        if name == "difficulty":
            if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 5:
                return value
        elif isinstance(value, str) and value in {s.id for s in self.taxonomy.subjects(question.discipline)}:
            return value
        raise ItemError("bad-verdict", f"{value!r} is no {name} of {question.discipline}")


class SplitRule(Record):
    """How many problems of a discipline go to `testmini`, and the seed that chooses them."""

    testmini: int
    seed: int


def make_problems(workspace: Workspace, accept_proposals: bool = False) -> StageResult:
    """Derive `problems.parquet` and the list of selected questions that are no problems yet.

    Raises:
        UsageError: nothing is selected, or proposals are to be accepted and there are none.
    """
    disciplines = selected_disciplines(workspace)
    proposals, verdicts = workspace.proposals(JOB), workspace.verdicts(JOB)
    if accept_proposals and not proposals.is_file():
        raise UsageError(f"{proposals} does not exist: run `curate tag` before accepting proposals.")
    taxonomy = load_taxonomy(workspace.recipe.benchmark.taxonomy, workspace.taxonomies)
    rule = SplitRule(testmini=workspace.recipe.release.testmini, seed=workspace.recipe.benchmark.seed)

    def produce(temporaries: tuple[Path, ...]) -> Counts:
        words = Words(
            _by_field(read_jsonl(proposals, Proposal) if proposals.is_file() else []),
            _by_field(read_jsonl(verdicts, Verdict) if verdicts.is_file() else []),
            accept_proposals,
            taxonomy,
        )
        problems: list[Problem] = []
        rejected: list[Rejected] = []
        for discipline in disciplines:
            made, refused = _discipline(workspace, discipline, words, rule)
            problems += made
            rejected += refused
        write_records(temporaries[0], sorted(problems, key=lambda p: p.problem_id), Problem)
        write_records(temporaries[1], sorted(rejected, key=lambda r: (r.item_id, r.reason)), Rejected)
        reasons = Counter(record.reason for record in rejected)
        return Counts(
            n_in=len(problems) + len(rejected),
            n_kept=len(problems),
            n_rejected=len(rejected),
            reasons=dict(sorted(reasons.items())),
        )

    inputs = [path for name in disciplines for path in (workspace.pool(name), workspace.selection(name))]
    optional = [*(workspace.dev_selection(name) for name in disciplines), proposals, verdicts]
    inputs += [path for path in optional if path.is_file()]
    parameters: dict[str, JsonValue] = {
        "accept_proposals": accept_proposals,
        "taxonomy": digest_of(taxonomy),
        "split": rule.model_dump(mode="json"),
    }
    outputs = [workspace.problems, workspace.problems_rejected]
    return run_stage(workspace, STAGE, STAGE_VERSION, inputs, outputs, parameters, produce)


def splits(problem_ids: Sequence[str], rule: SplitRule) -> dict[str, Split]:
    """`testmini` or `test` for each problem of a discipline; the choice depends on ids and seed alone.

    A problem's rank is a digest of seed and id, so that adding or dropping others moves few problems.
    """
    ranked = sorted(problem_ids, key=lambda item: digest_of([rule.seed, item]))
    return {item: Split.TESTMINI if rank < rule.testmini else Split.TEST for rank, item in enumerate(ranked)}


def _discipline(
    workspace: Workspace, discipline: str, words: Words, rule: SplitRule
) -> tuple[list[Problem], list[Rejected]]:
    chosen, rejected = chosen_questions(workspace, discipline, STAGE)
    split = splits([problem_id(item.question.id) for item in chosen if not item.dev], rule)
    problems: list[Problem] = []
    for item in chosen:
        name = problem_id(item.question.id)
        try:
            problems.append(_problem(item, words, Split.DEV if item.dev else split[name]))
        except ItemError as error:
            rejected.append(
                Rejected(
                    item_id=name,
                    stage=STAGE,
                    reason=error.reason,
                    detail=error.detail,
                    source=item.question.source,
                )
            )
    return problems, rejected


def _problem(item: Chosen, words: Words, split: Split) -> Problem:
    question = item.question
    subject, subject_by = words.value(question, "subject")
    difficulty, difficulty_by = words.value(question, "difficulty")
    points, points_by = words.points(question)
    provenance = [subject_by, difficulty_by, *([points_by] if points_by else [])]
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
        "texts": question.texts,
        "question_type": question.question_type,
        "source_texts": question.texts,
        "source_question_type": question.question_type,
        "images": question.images,
        "provenance": tuple(provenance),
        "split": split,
    }
    try:
        return Problem.model_validate(values)
    except ValidationError as error:
        raise ItemError("bad-record", str(error.errors(include_url=False)[0]["msg"])) from error


def _refuse_open(verdict: Verdict | None, name: str) -> None:
    if verdict is not None and verdict.by:
        raise ItemError("open-review", f"{name}: the reviewers {', '.join(verdict.by)} do not agree yet")


def _by_field(records: Sequence[Keyed]) -> _ByField:
    found: dict[tuple[str, str], list[Keyed]] = {}
    for record in records:
        found.setdefault((record.item_id, record.field), []).append(record)
    return found


def _all(records: _ByField, question: Question, name: str) -> Sequence[Any]:
    return records.get((problem_id(question.id), name), ())


def _fitting(records: _ByField, question: Question, name: str, digest: str) -> Any:
    """The record about exactly what stands in the pool now, or None."""
    return next((record for record in _all(records, question, name) if record.digest == digest), None)
