"""Cases whose verdict is known, to measure a judge on: one JSON object a line, or people's verdicts in a workspace.

A case holds `discipline`, `question`, `ground_answer`, `response`, `consistent`, `kind` and `why`. The question holds
its options, as a person would write them; here they are read out of it, so that the case can be judged like a released
row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import StrictBool, StringConstraints, ValidationError

from benchwright.models.answer_parts import has_parts
from benchwright.models.answer_text import plain, same_text
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Verdict, shown_digest
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Option, QuestionType, Record, ReleaseRow, Split
from benchwright.schemas.runs import Answered, Response, asked_digest, judge_view, read_run, run_item_id
from benchwright.schemas.status import CallStatus
from benchwright.schemas.workspace import Workspace

Text = Annotated[str, StringConstraints(min_length=1)]

_MARK = re.compile(
    r"(?:(?<=\s)|^|(?<=[。？?！!：:；;，,)）]))"
    r"(?:\((?P<round>[A-H])\)|(?P<label>[A-H])\s*(?:[.)、:](?!\d)|(?=\s{2})))\s*",
    re.MULTILINE,
)
_SEVERAL = re.compile(
    r"多选|不定项|选出所有|哪些|select (?:all|every)|all that apply|choose (?:all|every)|one or more"
    r"|every correct|all (?:the )?correct",
    re.IGNORECASE,
)
_LABELS_ONLY = re.compile(r"[A-H](?:\s*(?:[,、，;；&]|and|和)?\s*[A-H])*\s*\.?")
_VERDICTS = ("consistent", "inconsistent")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


class JudgeCase(Record):
    """One case: a response, and whether it is consistent with the ground answer."""

    discipline: str
    question: Text
    """With its options, where it has some."""
    ground_answer: Text
    response: str
    consistent: StrictBool
    kind: Text
    """What the case is about; figures are given by kind too."""
    why: str = ""


def read_cases(path: Path) -> tuple[JudgeCase, ...]:
    """The cases of a JSONL file.

    Raises:
        UsageError: the file is missing or empty, or a line is no case.
    """
    if not path.is_file():
        raise UsageError(f"{path} is no file of cases: give a JSONL file with one case a line.")
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: save it as UTF-8.") from error
    found: list[JudgeCase] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.append(JudgeCase.model_validate(json.loads(line)))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(str(part) for part in first["loc"]) or "the line"
            raise UsageError(
                f"{path}:{number} is no case ({field}: {first['msg']}): it needs discipline, question, "
                "ground_answer, response, consistent (true or false) and kind."
            ) from error
        except ValueError as error:
            raise UsageError(f"{path}:{number} is not JSON: write one object a line.") from error
    if not found:
        raise UsageError(f"{path} holds no case.")
    return tuple(found)


def cases_digest(cases: Sequence[JudgeCase]) -> str:
    """Identity of a set of cases, in their order."""
    return digest_of(list(cases))


@dataclass(frozen=True)
class Prepared:
    """A case in a run's terms: what a judge is handed."""

    case: JudgeCase
    row: ReleaseRow
    response: Response


def prepared(cases: Sequence[JudgeCase]) -> tuple[Prepared, ...]:
    """Cases of a file as released rows with their responses, in order."""
    rows = [case_row(case, number) for number, case in enumerate(cases, start=1)]
    return tuple(Prepared(case, row, case_response(case, row)) for case, row in zip(cases, rows, strict=True))


def reviewed_cases(space: Workspace) -> tuple[Prepared, ...]:
    """People's final verdicts of the review job `judge`, each on an answer of a run of the workspace.

    A verdict about an answer that has changed since, or that says `cannot-say`, is no case.

    Raises:
        UsageError: there is no such verdict.
    """
    path = space.verdicts("judge")
    found = read_jsonl(path, Verdict) if path.is_file() else []
    wanted = {said.item_id: said for said in found if said.field == "verdict" and said.value in _VERDICTS}
    cases: list[Prepared] = []
    for run in sorted({item.partition("/")[0] for item in wanted}):
        folder = space.runs / run
        for answered in read_run(folder).answered if folder.is_dir() else ():
            said = wanted.get(run_item_id(run, answered.row.id))
            if said is not None and said.digest == shown_digest(judge_view(answered.row, answered.response)):
                cases.append(_reviewed(answered, said))
    if not cases:
        raise UsageError(
            f"{path} holds no verdict on an answer that stands in a run of this workspace: name a file of cases."
        )
    return tuple(cases)


def _reviewed(answered: Answered, said: Verdict) -> Prepared:
    row, response = answered.row, answered.response
    case = JudgeCase(
        discipline=row.discipline,
        question=row.full_question or row.id,
        ground_answer=row.answer or "-",
        response=response.text,
        consistent=said.value == "consistent",
        kind=row.question_type.value,
        why=f"{said.basis}: {', '.join(said.by)}",
    )
    return Prepared(case, row, response)


def case_row(case: JudgeCase, number: int) -> ReleaseRow:
    """The case as a released row: what a judge is shown and compares with.

    Args:
        case: the case.
        number: its place in the file, from 1; becomes the row's id.
    """
    options = split_options(case.question)
    answer, kind = _answer(case, options)
    return ReleaseRow(
        id=f"case-{number:04d}",
        problem_id=f"case-{number:04d}",
        version="original",
        language="zh" if _CHINESE.search(case.question + case.ground_answer) else "en",
        discipline=case.discipline,
        subject=case.kind,
        difficulty=1,
        knowledge_points=(),
        question=case.question,
        images=(),
        options=options if kind in (QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_SELECT) else (),
        question_type=kind,
        answer=answer,
        unit=None,
        full_question=case.question,
        stem=None,
        conditions=(),
        core_question=None,
        knowledge_cue=None,
        knowledge_detail=(),
        solution=None,
        split=Split.TEST,
        source="cases",
        source_license="",
        render=None,
        canary="",
    )


def case_response(case: JudgeCase, row: ReleaseRow) -> Response:
    """The case's response as a run's journal would hold it."""
    return Response(
        row_id=row.id,
        asked_digest=asked_digest(row),
        status=CallStatus.OK if case.response.strip() else CallStatus.EMPTY,
        text=case.response,
    )


def split_options(question: str) -> tuple[Option, ...]:
    """The options at the end of a question ("A. ... B. ..."), in order from A; none where there are no two."""
    text = plain(question)
    marks = list(_MARK.finditer(text))
    best: list[re.Match[str]] = []
    for start, mark in enumerate(marks):
        if (mark["round"] or mark["label"]) != "A":
            continue
        run = [mark]
        for later in marks[start + 1 :]:
            wanted = chr(ord("A") + len(run))
            if (later["round"] or later["label"]) == wanted and bool(later["round"]) == bool(mark["round"]):
                run.append(later)
        if len(run) >= max(2, len(best)):
            best = run
    ends = [*(mark.start() for mark in best[1:]), len(text)]
    return tuple(
        Option(
            label=mark["round"] or mark["label"], text=text[mark.end() : end].strip().rstrip(";,，；").strip()
        )
        for mark, end in zip(best, ends, strict=False)
    )


def _answer(case: JudgeCase, options: Sequence[Option]) -> tuple[str, QuestionType]:
    """The reference in a row's terms, and which kind of question it answers."""
    ground = plain(case.ground_answer).strip().strip("()[]【】$ ")
    labels = {option.label for option in options}
    letters = re.findall("[A-H]", ground) if _LABELS_ONLY.fullmatch(ground) else []
    known = len(letters) == len(set(letters)) and (not labels or set(letters) <= labels)
    asked = _SEVERAL.search(case.question) is not None
    # Without options two letters may be a side, three an order.
    if letters and known and (options or asked or len(letters) == 1):
        several = len(letters) > 1 or asked
        kind = QuestionType.MULTIPLE_SELECT if several else QuestionType.SINGLE_CHOICE
        return "".join(letters), kind
    if options:
        named = [o.label for o in options if o.text and same_text(ground, o.text)]
        begins = re.match(r"\(?([A-H])\s*[).:、]\s*(\S.*)", ground)
        if begins and any(o.label == begins[1] and same_text(begins[2], o.text or "") for o in options):
            named = [begins[1]]
        if len(named) == 1:
            return named[0], QuestionType.SINGLE_CHOICE
    return case.ground_answer, QuestionType.MULTI_PART if has_parts(
        case.ground_answer
    ) else QuestionType.FREE_FORM
