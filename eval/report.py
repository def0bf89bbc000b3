"""The report of a run: Markdown for people, `scores.json` and `scores.csv` for machines. No clock, no path inside."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchwright.eval.metrics import Cell, Scored, counts_of, tabulate
from benchwright.eval.people import People
from benchwright.eval.spec import RunSpec
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.records import Record
from benchwright.schemas.runs import Judgement

SCORES_VERSION = 1
_SOME_ROWS = "people answered some of the rows"
DIGITS = 6
"""Decimals of shares in files: more would only show the machine's rounding."""

_TITLES = {
    ("version",): "By version",
    ("language",): "By language",
    ("discipline",): "By discipline",
    ("discipline", "subject"): "By subject",
    ("level",): "By level",
    ("version", "language"): "By version and language",
    ("version", "language", "discipline"): "By version, language and discipline",
}
_COLUMNS = (
    "n",
    "scored",
    "right",
    "wrong",
    "no answer",
    "unjudged",
    "not run",
    "accuracy %",
    "95 %",
    "of all %",
    "chance %",
)


class Judging(Record):
    """How the verdicts came about."""

    decided_by: dict[str, int]
    """Rows by who decided: status, rules, llm, nobody."""
    reasons: dict[str, int]
    both_decided: int
    """Rows that rules and LLM decided both."""
    both_agree: int
    injection_suspected: int


class Scores(Record):
    """Everything a report says, derived from the records of one run."""

    scores_version: int = SCORES_VERSION
    run_id: str
    spec: RunSpec
    complete: bool
    """False when a row was not run or not judged: no figure of this run is final."""
    partial: bool
    """True when `--limit` or `--only` left rows out."""
    statuses: dict[str, int]
    judging: Judging
    people: People | None = None
    """Who answered, where people did."""
    cells: tuple[Cell, ...]

    @property
    def total(self) -> Cell:
        """The cell over everything."""
        return next(cell for cell in self.cells if not cell.by)

    def table(self, *by: str) -> tuple[Cell, ...]:
        """The cells of one table."""
        return tuple(cell for cell in self.cells if cell.by == by)


def score(
    spec: RunSpec, rows: Sequence[Scored], judgements: Iterable[Judgement], people: People | None = None
) -> Scores:
    """Derive every figure of a run from its records."""
    cells = tabulate(rows)
    total = next(cell for cell in cells if not cell.by)
    return Scores(
        run_id=spec.run_id,
        spec=spec,
        complete=not total.incomplete,
        partial=spec.dataset.partial,
        statuses=dict(counts_of(row.status for row in rows)),
        judging=_judging(judgements),
        people=people,
        cells=tuple(_rounded(cell) for cell in cells),
    )


def write_scores(folder: Path, scores: Scores) -> tuple[Path, ...]:
    """Write `scores.json`, `scores.csv` and `report.md`; same records, same bytes."""
    texts = {
        "scores.json": canonical_json(scores) + "\n",
        "scores.csv": scores_csv(scores.cells),
        "report.md": markdown(scores),
    }
    for name, text in texts.items():
        write_atomic(folder / name, text.encode("utf-8"))
    return tuple(folder / name for name in texts)


def scores_csv(cells: Iterable[Cell]) -> str:
    """One line a cell; the key's parts stand in columns of their own."""
    names = ("version", "language", "discipline", "subject", "level")
    fields = [name for name in Cell.model_fields if name not in ("by", "key")]
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*names, *fields])
    for cell in cells:
        key = dict(zip(cell.by, cell.key, strict=True))
        values = [getattr(cell, field) for field in fields]
        writer.writerow(
            [*(key.get(name, "ALL") for name in names), *("" if v is None else v for v in values)]
        )
    return stream.getvalue()


def markdown(scores: Scores) -> str:
    """The report as Markdown."""
    parts = [f"# {scores.spec.model.name} on {scores.spec.dataset.name}", "", *_head(scores), ""]
    parts += ["## Score", "", *_headline(scores), "", *_table([scores.total]), ""]
    for by, title in _TITLES.items():
        parts += [f"## {title}", "", *_table(scores.table(*by)), ""]
    parts += ["## How the verdicts came about", "", *_judging_lines(scores), ""]
    parts += ["## How to read these figures", "", *_OURS, ""]
    return "\n".join(parts)


def percent(share: float | None) -> str:
    """A share as per cent with one decimal; a dash where there is none."""
    return "-" if share is None else f"{100 * share:.1f}"


def interval_text(cell: Cell) -> str:
    """The interval as shown; a dagger where it was drawn over whole problems."""
    if cell.low is None:
        return "-"
    return f"{percent(cell.low)} to {percent(cell.high)}" + ("" if cell.interval == "wilson" else " †")


def _line_of(cell: Cell) -> tuple[str, ...]:
    counts = (cell.n_total, cell.n_scored, cell.consistent, cell.inconsistent, cell.no_answer, cell.unjudged)
    return (
        *map(str, counts),
        str(cell.not_run),
        percent(cell.accuracy) + (" *" if cell.incomplete else ""),
        interval_text(cell),
        percent(cell.share_of_all),
        percent(cell.chance),
    )


def remedy(scores: Scores) -> str:
    """What to do about an incomplete figure."""
    advice = []
    total = scores.total
    again = total.not_run or scores.spec.judge.kind != "rules"
    if again:
        advice.append("Run the same command again: only what is missing is redone.")
    if total.unjudged and scores.spec.judge.kind == "rules":
        advice.append(
            f"The rules leave {total.unjudged} open: let a model judge them with --judge rules+llm or llm."
        )
    return " ".join(advice)


def _head(scores: Scores) -> list[str]:
    spec = scores.spec
    data = spec.dataset
    where = f"commit `{data.commit}`" if data.commit else "a local folder"
    tag = f", tag {data.tag}" if data.tag else ""
    judge = spec.judge.kind + (f" ({spec.judge.model.name})" if spec.judge.model else "")
    lines = [
        f"- run `{scores.run_id}`",
        f"- data: {data.name}, {where}{tag}, {data.rows} rows (digest `{data.digest[:16]}`); "
        f"versions {', '.join(data.versions)}; languages {', '.join(data.languages)}; "
        f"splits {', '.join(data.splits)}",
        f"- model: {spec.model.name}" + (f" at {spec.model.base_url}" if spec.model.base_url else ""),
        *(_protocol(spec) if scores.people is None else _people(scores.people)),
        f"- judge: {judge}",
    ]
    if same_family(spec):
        lines.append("- note: the judge is of the tested model's own family and may favour it")
    return lines


def _protocol(spec: RunSpec) -> list[str]:
    prompts = ", ".join(prompt.name for prompt in spec.prompts)
    asked = f"direct answer, zero-shot, benchwright prompts {prompts}"
    return [f"- protocol: {asked}; {_sampling(spec)}; images as published"]


def _people(people: People) -> list[str]:
    seconds = "not known" if people.median_seconds is None else f"{people.median_seconds:.1f} s"
    lines = [
        "- protocol: answered by people on the review page, which shows what a model is sent",
        f"- people: {len(people.people)} ({', '.join(people.people)}); {people.items} items, {people.answered} with an "
        f"answer; median time {seconds} ({people.timed} items timed)",
    ]
    if people.undecided:
        given_up = ", ".join(f"{n} {why}" for why, n in people.undecided.items())
        lines.append(f"- without an answer, counted as such: {given_up}")
    if people.several:
        lines.append(f"- {people.several} items have several answers; one person's, drawn by digest, counts")
    if people.met_before:
        lines.append(
            f"- note: {people.met_before} items are of a problem that the same person had met before in another "
            "version or language; they are easier for it"
        )
    if people.stale or people.unknown:
        lines.append(
            f"- left out: {people.stale} answers to rows that changed since, {people.unknown} to rows that this "
            "release does not score"
        )
    return lines


def _sampling(spec: RunSpec) -> str:
    settings = {**spec.sampling.model_dump(exclude={"extra"}), **spec.sampling.extra}
    return ", ".join(
        f"{name} {'left to the server' if value is None else value}" for name, value in settings.items()
    )


def same_family(spec: RunSpec) -> bool:
    """True when judge and tested model share the first word of their names (`gpt-4o`, `gpt-4o-mini`)."""
    if spec.judge.model is None or spec.model.endpoint != "openai":
        return False
    judge, tested = (
        name.rsplit("/", 1)[-1].lower().split("-")[0] for name in (spec.judge.model.name, spec.model.name)
    )
    return judge == tested


def _headline(scores: Scores) -> list[str]:
    total = scores.total
    lines: list[str] = []
    if scores.partial:
        left_out = "rows were left out by `--limit` or `--only`" if scores.people is None else _SOME_ROWS
        lines += [f"**Partial:** {left_out}; this is not the benchmark's figure.", ""]
    if not scores.complete:
        lines += [
            f"**Incomplete:** {total.not_run} rows were not run and {total.unjudged} were not judged. "
            f"{total.consistent} of {total.n_scored} scored rows are right, of {total.n_total} in all. "
            + remedy(scores),
        ]
    elif total.accuracy is not None:
        lines += [
            f"**{percent(total.accuracy)} %** ({total.consistent} of {total.n_scored}), "
            f"95 % interval {percent(total.low)} to {percent(total.high)}; "
            f"a blind guesser gets {percent(total.chance)} % "
            f"({percent(total.chance_low)} to {percent(total.chance_high)} in 95 of 100 runs).",
        ]
    return lines


def _table(cells: Sequence[Cell]) -> list[str]:
    lines = ["| | " + " | ".join(_COLUMNS) + " |", "|---|" + "---:|" * len(_COLUMNS)]
    for cell in cells:
        label = cell.label.replace("|", "\\|")
        lines.append(f"| {label} | " + " | ".join(_line_of(cell)) + " |")
    return lines


def _judging_lines(scores: Scores) -> list[str]:
    judging = scores.judging
    lines = [
        "| decided by | rows |",
        "|---|---:|",
        *(f"| {who} | {n} |" for who, n in judging.decided_by.items()),
    ]
    lines += [
        "",
        "| reason | rows |",
        "|---|---:|",
        *(f"| {why} | {n} |" for why, n in judging.reasons.items()),
    ]
    lines += [
        "",
        "| call status | rows |",
        "|---|---:|",
        *(f"| {s} | {n} |" for s, n in scores.statuses.items()),
    ]
    if judging.both_decided:
        lines += [
            "",
            f"Rules and LLM judge both decided {judging.both_decided} rows and agree on {judging.both_agree}.",
        ]
    if judging.injection_suspected:
        lines += [
            "",
            f"{judging.injection_suspected} responses hold text made to look like a verdict; it was disarmed.",
        ]
    return lines


def _judging(judgements: Iterable[Judgement]) -> Judging:
    known = list(judgements)
    both = [j for j in known if j.decided_by == "llm" and j.rules is not None]
    return Judging(
        decided_by=_sorted_counts(j.decided_by for j in known),
        reasons=_sorted_counts(j.reason for j in known),
        both_decided=len(both),
        both_agree=sum(j.rules is j.outcome for j in both),
        injection_suspected=sum(j.injection_suspected for j in known),
    )


def _sorted_counts(names: Iterable[str]) -> dict[str, int]:
    counts = Counter(names)
    return {name: counts[name] for name in sorted(counts)}


def _rounded(cell: Cell) -> Cell:
    values: dict[str, Any] = {
        name: round(value, DIGITS) for name, value in cell.model_dump().items() if isinstance(value, float)
    }
    return cell.model_copy(update=values)


_OURS = [
    "- *scored* = n - not run - unjudged; *accuracy* = right / scored; *of all* = right / n. The papers do not say "
    "what a failed request or an unreadable verdict counts as; this rule is ours. A figure marked * rests on a part "
    "of its rows.",
    "- *no answer* is the model's own: refusal, filtered, empty, or cut off before an answer. It earns nothing and "
    "stays in the denominator (ours; nothing is ever guessed in its place).",
    "- *95 %*: Wilson interval. Where a line holds a problem more than once (versions, languages) its rows are not "
    "independent: then, marked †, whole problems are drawn anew (bootstrap, 2,000 draws, fixed seed), or, with fewer "
    "than 20 problems or all rows alike, the problems are taken as Wilson's trials.",
    "- *chance* is closed-form: 1/k for one of k options, 1/(2^k - 1) for any set of k options, 0 for free-form and "
    "multi-part questions (the first as in SciVerse; the others are ours).",
    "- All lines come from one set of records; each table adds up to the total.",
    "- Prompts and judge are Benchwright's own and the versions are read as the data set's card says, so these "
    "figures do not compare with the papers' tables.",
]
