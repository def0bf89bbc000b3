"""What the viewer shows, as data: a small index of all items, and files of a few dozen items each, read when needed.

An item is a row of a release. All text of models and data sets goes through `visible`, so control codes stand as signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchwright.eval.display.plain_text import visible
from benchwright.eval.metrics.placed import Part, level_name
from benchwright.eval.metrics.run_view import RunView, labels
from benchwright.eval.metrics.step_metrics import StepScored, response_scores
from benchwright.eval.reports.viewer_text import Formulas, pieces
from benchwright.eval.runs.protocol_name import asked_how, protocol_name
from benchwright.models.thinking import split_thinking
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.runs import Judgement, Response, StepsRecord
from benchwright.schemas.status import CallStatus, Outcome
from benchwright.schemas.versions import Version

SHARD_ITEMS = 40
"""Items of a data file, at least; the rows of one problem stay together."""
SEARCHED = 240
"""Characters of a question that the index holds: the list shows them, and words are looked for in them."""
OUTCOMES = ("", "consistent", "inconsistent", "no-answer", "unjudged", "not-run", "scored")
"""By their digit in the index; the first: the run does not have the item, the last: its steps are scored."""
MARKS = (
    "injection",
    "hidden signs",
    "truncated",
    "thinking",
    "reduced picture",
    "dead",
    "ceiling",
    "blind-solvable",
    "suspect-key",
)
"""By their bit in the index."""
_FACETS = ("version", "language", "discipline", "subject", "level", "type")


@dataclass(frozen=True)
class Item:
    """A row, and which of the runs hold it."""

    row: ReleaseRow
    held_by: tuple[RunView | None, ...]
    """By run; None where a run does not have the row, or has another state of it."""


def items_of(runs: Sequence[RunView]) -> list[Item]:
    """All rows of these runs, those of a problem together; a row that differs between releases is two items."""
    rows: dict[tuple[str, str], ReleaseRow] = {}
    for run in runs:
        for row in run.rows:
            rows.setdefault((row.id, run.digests[row.id]), row)
    places = {version.value: place for place, version in enumerate(Version)}
    ordered = sorted(
        rows.items(),
        key=lambda one: (
            one[1].problem_id,
            one[1].language,
            places.get(one[1].version, len(places)),
            one[0],
        ),
    )
    return [
        Item(row, tuple(run if run.digests.get(key) == digest else None for run in runs))
        for (key, digest), row in ordered
    ]


def shards_of(items: Sequence[Item]) -> list[int]:
    """Where each data file begins: at the first item of a problem, once enough items lie behind."""
    starts = [0] if items else []
    for at in range(1, len(items)):
        same = items[at].row.problem_id == items[at - 1].row.problem_id
        if not same and at - starts[-1] >= SHARD_ITEMS:
            starts.append(at)
    return starts


def index_of(runs: Sequence[RunView], items: Sequence[Item], pictures: Mapping[str, str]) -> dict[str, Any]:
    """The index: the runs, and of each item what it can be chosen by."""
    columns = {name: [_facet(item.row, name) for item in items] for name in _FACETS}
    words = {name: sorted(set(values), key=_facet_order(name)) for name, values in columns.items()}
    names = labels(runs)
    return {
        "runs": [_run(run, visible(names[run.run_id])) for run in runs],
        "id": [visible(item.row.id) for item in items],
        "problem": [visible(item.row.problem_id) for item in items],
        "text": [_beginning(item.row.full_question) for item in items],
        "order": list(_FACETS),
        "words": {name: [visible(word) for word in values] for name, values in words.items()},
        "facets": {name: [words[name].index(value) for value in values] for name, values in columns.items()},
        "outcomes": list(OUTCOMES),
        "outcome": ["".join(_digit(item, at) for item in items) for at in range(len(runs))],
        "knowledge": [_shares(run, items, at, "K") for at, run in enumerate(runs)],
        "logic": [_shares(run, items, at, "L") for at, run in enumerate(runs)],
        "marks": list(MARKS),
        "mark": [_marks(run, items, at) for at, run in enumerate(runs)],
        "shards": shards_of(items),
        "without_picture": sum(image not in pictures for item in items for image in item.row.images),
    }


def shards(
    runs: Sequence[RunView], items: Sequence[Item], pictures: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """The data files, in order.

    Args:
        runs: as for `index_of`.
        items: all items.
        pictures: file name of each picture that the viewer has, by sha256.
    """
    starts = shards_of(items)
    steps = [{row.row_id: row for row in run.steps} for run in runs]
    for start, end in zip(starts, [*starts[1:], len(items)], strict=True):
        formulas = Formulas()
        shown = [_item(item, steps, pictures, formulas) for item in items[start:end]]
        yield {"items": shown, "formulas": formulas.drawn}


def _item(
    item: Item, steps: Sequence[Mapping[str, StepScored]], pictures: Mapping[str, str], formulas: Formulas
) -> dict[str, Any]:
    row = item.row
    return {
        "sent": visible(row.question),
        "full": pieces(row.full_question, formulas),
        "source": visible(row.full_question),
        "answer": pieces(row.answer or "", formulas),
        "unit": visible(row.unit or ""),
        "solution": pieces(row.solution, formulas) if row.solution else None,
        "images": [[image[:12], pictures.get(image)] for image in row.images],
        "of": visible(f"{row.source}, {row.source_license}"),
        "split": row.split.value,
        "runs": [
            None if run is None else _answer(row, run, steps[at].get(row.id))
            for at, run in enumerate(item.held_by)
        ],
    }


def _answer(row: ReleaseRow, run: RunView, counted: StepScored | None) -> dict[str, Any]:
    response = run.known.responses.get(row.id)
    judgement = run.known.judgements.get(row.id)
    record = run.known.steps.get(row.id)
    return {
        **_response(response),
        "verdict": None if judgement is None else _verdict(judgement),
        "steps": None if record is None else _steps(record, counted),
    }


def _response(response: Response | None) -> dict[str, Any]:
    if response is None:
        return {"status": None, "text": "", "thinking": "", "detail": "", "tokens": None}
    said = split_thinking(response.text)
    return {
        "status": response.status.value,
        "text": visible(said.text),
        "thinking": visible(said.thinking or ""),
        "detail": visible(response.detail),
        "tokens": [response.prompt_tokens, response.completion_tokens],
    }


def _verdict(judgement: Judgement) -> dict[str, Any]:
    return {
        "outcome": judgement.outcome.value,
        "by": judgement.decided_by,
        "reason": judgement.reason,
        "rules": None if judgement.rules is None else judgement.rules.value,
        "words": visible(judgement.judge_text),
        "call": None if judgement.judge_status is None else judgement.judge_status.value,
    }


def _steps(record: StepsRecord, counted: StepScored | None) -> dict[str, Any]:
    return {
        "outcome": record.outcome,
        "reason": record.reason,
        "detail": visible(record.detail),
        "coverage": record.coverage,
        "list": [[step.kind, step.score, visible(step.text)] for step in record.steps],
        "scores": None if counted is None else list(response_scores(counted)),
        "words": [visible(text) for text in record.judge_texts],
    }


def _run(run: RunView, label: str) -> dict[str, Any]:
    spec = run.spec
    judge: str = "nobody" if spec.judge is None else spec.judge.kind
    if spec.judge is not None and spec.judge.model is not None:
        judge += f", {spec.judge.model.name}"
    if spec.steps is not None:
        judge = f"steps scored by {spec.steps.model.name}"
    data = spec.dataset
    return {
        "id": run.run_id,
        "label": label,
        "model": visible(spec.model.name),
        "how": f"{protocol_name(spec)}; {asked_how(spec)}",
        "judge": visible(judge),
        "data": visible(f"{data.name}{f' {data.tag}' if data.tag else ''}, rows {data.digest[:12]}"),
        "rows": len(run.rows),
        "steps": spec.steps is not None,
        "incomplete": run.incomplete,
        "partial": data.partial or run.people is not None,
    }


def _digit(item: Item, at: int) -> str:
    run = item.held_by[at]
    if run is None:
        return "0"
    response = run.known.responses.get(item.row.id)
    if response is None or not response.final:
        return str(OUTCOMES.index("not-run"))
    if run.spec.judge is None and run.spec.steps is not None:
        record = run.known.steps.get(item.row.id)
        return str(OUTCOMES.index("unjudged" if record is None else record.outcome))
    judgement = run.known.judgements.get(item.row.id)
    outcome = Outcome.UNJUDGED if judgement is None else judgement.outcome
    return str(OUTCOMES.index(outcome.value))


def _shares(run: RunView, items: Sequence[Item], at: int, part: Part) -> list[int | None] | None:
    """Share of right steps of a kind by item, in hundredths of a percent; None for a run without scored steps."""
    if run.spec.steps is None:
        return None
    values = {row.row_id: row.value(part) for row in run.steps}
    shares = [values.get(item.row.id) if item.held_by[at] is not None else None for item in items]
    return [None if share is None else round(10_000 * share) for share in shares]


def _marks(run: RunView, items: Sequence[Item], at: int) -> list[int]:
    flagged: dict[str, set[str]] = {}
    for flag in run.flags:
        flagged.setdefault(flag.row_id, set()).add(flag.kind)
    return [
        0 if item.held_by[at] is None else _bits(run, item.row, flagged.get(item.row.id, set()))
        for item in items
    ]


def _bits(run: RunView, row: ReleaseRow, flagged: set[str]) -> int:
    response = run.known.responses.get(row.id)
    judgement, record = run.known.judgements.get(row.id), run.known.steps.get(row.id)
    found = set(flagged)
    if (judgement and judgement.injection_suspected) or (record and record.injection_suspected):
        found.add("injection")
    if response is not None:
        if response.text and visible(response.text) != response.text.replace("\r\n", "\n"):
            found.add("hidden signs")
        if response.status is CallStatus.TRUNCATED:
            found.add("truncated")
        if response.reduced_images:
            found.add("reduced picture")
        if "think" in response.text.lower() and split_thinking(response.text).thinking:
            found.add("thinking")
    return sum(1 << place for place, name in enumerate(MARKS) if name in found)


def _facet(row: ReleaseRow, name: str) -> str:
    if name == "level":
        return level_name(row.difficulty)
    return row.question_type.value if name == "type" else str(getattr(row, name))


def _facet_order(name: str) -> Any:
    places = {version.value: place for place, version in enumerate(Version)}
    return (lambda word: (places.get(word, len(places)), word)) if name == "version" else (lambda word: word)


def _beginning(text: str) -> str:
    return " ".join(visible(text[: 2 * SEARCHED]).split())[:SEARCHED]
