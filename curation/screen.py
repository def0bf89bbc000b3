"""`curate screen`: every question of a pool with what speaks against it; those that cannot be used are not chosen.

The pool is read in parts of a few hundred questions, which processes work on side by side; each picture is measured
once, whatever number of questions and disciplines it serves, and remembered by its content (`screen_store`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import pyarrow.parquet as pq

from benchwright.curation.executor import Executor, open_executor
from benchwright.curation.ingest_rows import picture_refs
from benchwright.curation.screen_codes import Rules, rules_of
from benchwright.curation.screen_images import MEASURE_VERSION, ImageMeasures, image_findings, measure_image
from benchwright.curation.screen_privacy import privacy_findings
from benchwright.curation.screen_sheet import SheetMaker
from benchwright.curation.screen_store import STORE, MeasureStore
from benchwright.curation.screen_text import text_findings
from benchwright.curation.screen_watermarks import Watermarks, reader_version
from benchwright.schemas.artefact import Counts, StageResult, run_stage
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import ImageRef, Question
from benchwright.schemas.screening import ScreenFinding, ScreenRow
from benchwright.schemas.tables import iter_records, write_records
from benchwright.schemas.workspace import Workspace

STAGE_VERSION = 1
_PICTURES_A_TASK = 64
_QUESTIONS_A_TASK = 500

T = TypeVar("T")
Report = Callable[[int, int], None]


@dataclass(frozen=True)
class ScreenResult:
    """What `screen_discipline` did."""

    stage: StageResult
    questions: int
    kept: int
    rejected_by: dict[str, int]
    """Questions by rejecting code; one that several codes reject counts under each."""
    noted_by: dict[str, int]
    """Questions by noted code, rejected ones included."""
    pictures: int
    """Distinct pictures of the discipline."""
    measured: int
    """Pictures that were measured in this run."""
    sheet: Path
    """The contact sheet of worst and borderline pictures (HTML)."""


@dataclass(frozen=True)
class _PictureTask:
    root: str
    digests: tuple[str, ...]
    read: bool


@dataclass(frozen=True)
class _QuestionTask:
    questions: tuple[Question, ...]
    known: Mapping[str, ImageMeasures]
    """Measures of their pictures by digest."""
    rules: Rules


def sheet_path(workspace: Workspace, discipline: str) -> Path:
    """The contact sheet of a discipline's pictures."""
    return workspace.screen(discipline).with_suffix(".pictures.html")


def screen_discipline(
    workspace: Workspace,
    discipline: str,
    workers: int | None = None,
    report: Report = lambda done, total: None,
    executor: Executor | None = None,
) -> ScreenResult:
    """Write `screen/<discipline>.parquet`, one row for each question of the pool in its order, and the contact sheet.

    Args:
        workspace: reads `pool/` and `images/`, writes `screen/`; remembers measures in `.cache/pictures.sqlite`.
        discipline: which pool.
        workers: processes; changes the speed only. None takes all cores.
        report: called with (done, all) pictures and questions.
        executor: who does it, instead of `workers` processes of this machine.

    Raises:
        UsageError: the pool does not exist, the recipe's `[screen]` names an unknown code, a picture of the pool is
            not in the workspace, or pictures are to be read and the `ocr` extra is missing.
        TamperedError: a picture was changed after ingest.
    """
    rules = rules_of(workspace.recipe.screen)
    read = rules.on("watermark")
    identity = measure_identity(read)
    pictures: list[bytes] = []
    measured = 0

    def produce(paths: tuple[Path, ...]) -> Counts:
        nonlocal measured
        run = executor or open_executor(workers)
        pool = workspace.pool(discipline)
        pictures.extend(picture_digests(pool))
        total = pq.read_metadata(pool).num_rows + len(pictures)
        counts: Counter[str] = Counter()
        with MeasureStore(workspace.root / STORE, identity) as store:
            sheet = SheetMaker(workspace, discipline, rules)
            measured = _measure(workspace, pictures, store, run, read, lambda done: report(done, total))
            for part in _parts(pictures, _PICTURES_A_TASK):
                for found in store.get(digest.hex() for digest in part).values():
                    sheet.add(found)
            tasks = _question_tasks(pool, store, rules)
            rows = _counted(run.map(screen_questions, tasks), counts, len(pictures), total, report)
            write_records(paths[0], rows, ScreenRow)
        paths[1].write_text(sheet.html(), encoding="utf-8")
        reasons = {code: n for code, n in sorted(counts.items()) if code}
        return Counts(
            n_in=counts.total(), n_kept=counts[""], n_rejected=sum(reasons.values()), reasons=reasons
        )

    stage = run_stage(
        workspace,
        f"screen/{discipline}",
        STAGE_VERSION,
        [workspace.pool(discipline)],
        [workspace.screen(discipline), sheet_path(workspace, discipline)],
        {"rules": rules.signature, "measures": identity},
        produce,
    )
    return _result(workspace, discipline, stage, len(pictures) if stage.ran else None, measured)


def screened_out(workspace: Workspace, discipline: str) -> dict[str, tuple[str, ...]]:
    """The questions that screening turned away: question id -> rejecting codes, sorted. Reads two columns in parts.

    Raises:
        UsageError: the discipline was not screened yet.
    """
    return {
        question_id: tuple(sorted({code for code, severity in findings if severity == "reject"}))
        for question_id, kept, findings in _stored(workspace, discipline)
        if not kept
    }


def measure_identity(read: bool) -> str:
    """Everything beside a picture's bytes that decides its measures: versions, and the reader where there is one."""
    opencv = version("opencv-python-headless")
    return f"measures {MEASURE_VERSION}, opencv {opencv}, {reader_version() if read else 'not read'}"


def picture_digests(pool: Path) -> list[bytes]:
    """Digests of the distinct pictures of a pool, options' included, sorted; 32 bytes each."""
    digests: set[bytes] = set()
    with pq.ParquetFile(pool) as file:
        columns = [
            f"{field}.sha256"
            for field in ("images.list.element", "texts.key_value.value.choices.list.element.image")
        ]
        for batch in file.iter_batches(batch_size=2000, columns=columns):
            for name in batch.schema.names:
                digests.update(map(bytes.fromhex, _digests_in(batch.column(name).to_pylist())))
    return sorted(digests)


def measure_pictures(task: _PictureTask) -> list[ImageMeasures]:
    """Measure some pictures of a workspace; what a worker process runs."""
    workspace = Workspace.find(Path(task.root))
    reader = Watermarks() if task.read else None
    found = []
    for digest in task.digests:
        data = workspace.read_image(digest)
        measures = measure_image(digest, data)
        if reader is not None:
            measures = measures.model_copy(update={"marks": reader.marks(data)})
        found.append(measures)
    return found


def screen_questions(task: _QuestionTask) -> list[ScreenRow]:
    """Screen some questions; what a worker process runs."""
    return [screen_question(question, task.known, task.rules) for question in task.questions]


def screen_question(question: Question, known: Mapping[str, ImageMeasures], rules: Rules) -> ScreenRow:
    """One question after screening.

    Args:
        question: of the pool.
        known: measures of its pictures by digest.
        rules: severities and values.
    """
    found: list[ScreenFinding] = [*text_findings(question, rules), *privacy_findings(question, rules)]
    for digest in dict.fromkeys(ref.sha256 for ref in _refs(question)):
        found.extend(image_findings(known[digest], rules))
    ordered = sorted(dict.fromkeys(found), key=lambda finding: (finding.code, finding.image or ""))
    kept = all(finding.severity != "reject" for finding in ordered)
    return ScreenRow(question_id=question.id, kept=kept, findings=tuple(ordered))


def _question_tasks(pool: Path, store: MeasureStore, rules: Rules) -> Iterator[_QuestionTask]:
    """The pool in parts with what is known of their pictures: workers need no SQLite file of another machine."""
    for part in _parts(iter_records(pool, Question), _QUESTIONS_A_TASK):
        wanted = sorted({ref.sha256 for question in part for ref in _refs(question)})
        yield _QuestionTask(part, store.get(wanted), rules)


def _refs(question: Question) -> list[ImageRef]:
    return picture_refs(question.texts, question.images)


def _measure(
    workspace: Workspace,
    pictures: Sequence[bytes],
    store: MeasureStore,
    executor: Executor,
    read: bool,
    report: Callable[[int], None],
) -> int:
    """Measure what is not in the store yet; each finished part is written before the next is taken."""
    missing = store.missing(digest.hex() for digest in pictures)
    tasks = (_PictureTask(str(workspace.root), part, read) for part in _parts(missing, _PICTURES_A_TASK))
    done = 0
    for measured in executor.map(measure_pictures, tasks):
        store.put(measured)
        done += len(measured)
        report(done)
    return done


def _counted(
    parts: Iterable[list[ScreenRow]], counts: Counter[str], done: int, total: int, report: Report
) -> Iterator[ScreenRow]:
    """Rows one by one; counts each under its first rejecting code, or "" where it is kept."""
    for rows in parts:
        for row in rows:
            rejecting = (finding.code for finding in row.findings if finding.severity == "reject")
            counts[next(rejecting, "")] += 1
            yield row
        done += len(rows)
        report(done, total)


def _parts(items: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    remaining = iter(items)
    while part := tuple(islice(remaining, size)):
        yield part


def _digests_in(value: Any) -> Iterator[str]:
    """All digests in nested lists, pairs and objects that hold nothing else but map keys."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "sha256" and isinstance(inner, str):
                yield inner
            elif key != "sha256":
                yield from _digests_in(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _digests_in(inner)


def _stored(workspace: Workspace, discipline: str) -> Iterator[tuple[str, bool, list[tuple[str, str]]]]:
    """Id, whether kept, and (code, severity) of the findings of each stored row."""
    path = workspace.screen(discipline)
    if not path.is_file():
        raise UsageError(f"{discipline} was not screened yet: run `curate screen --discipline {discipline}`.")
    findings = "findings.list.element"
    with pq.ParquetFile(path) as file:
        columns = ["question_id", "kept", f"{findings}.code", f"{findings}.severity"]
        for batch in file.iter_batches(batch_size=5000, columns=columns):
            for row in batch.to_pylist():
                yield (
                    row["question_id"],
                    row["kept"],
                    [(found["code"], found["severity"]) for found in row["findings"]],
                )


def _result(
    workspace: Workspace, discipline: str, stage: StageResult, pictures: int | None, measured: int
) -> ScreenResult:
    questions = kept = 0
    counts: dict[str, Counter[str]] = {"reject": Counter(), "note": Counter()}
    for _, is_kept, findings in _stored(workspace, discipline):
        questions += 1
        kept += is_kept
        for code, severity in dict.fromkeys(findings):
            counts[severity][code] += 1
    return ScreenResult(
        stage=stage,
        questions=questions,
        kept=kept,
        rejected_by=dict(sorted(counts["reject"].items())),
        noted_by=dict(sorted(counts["note"].items())),
        pictures=len(picture_digests(workspace.pool(discipline))) if pictures is None else pictures,
        measured=measured,
        sheet=sheet_path(workspace, discipline),
    )
