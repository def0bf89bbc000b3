"""The report of a run as files: Markdown for people, `scores.json` and `scores.csv` for machines.

No clock and no path inside: same records, same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchwright.eval.display.plain_text import markdown_cell
from benchwright.eval.display.tables import plain_table
from benchwright.eval.metrics.cells import Cell
from benchwright.eval.metrics.scores import Scores, Stepping, interval_text, percent, remedy, scores_csv
from benchwright.eval.metrics.step_metrics import StepCell
from benchwright.eval.pipeline.rescore import Rescored, origin_line, read_origin
from benchwright.eval.reports.report_words import STEP_COLUMNS, reading_notes, step_line, version_lines
from benchwright.eval.runs.families import own_family
from benchwright.eval.runs.people import People
from benchwright.eval.runs.protocol_name import asked_how, protocol_name, users_prompts
from benchwright.eval.runs.spec import ImagePolicy, RunSpec
from benchwright.eval.runs.store import RunFolder
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import canonical_json

_SOME_ROWS = "people answered some of the rows"
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


def write_scores(folder: Path, scores: Scores) -> tuple[Path, ...]:
    """Write `scores.json`, `report.md` and `scores.csv` (accuracies) or `step-scores.csv` (Sci-CoT).

    Same records, same bytes.
    """
    origin = read_origin(RunFolder(folder))
    texts = {"scores.json": canonical_json(scores) + "\n", "report.md": markdown(scores, origin)}
    if scores.cells:
        texts["scores.csv"] = scores_csv(scores.cells)
    if scores.step_cells:
        texts["step-scores.csv"] = scores_csv(scores.step_cells)
    for name, text in texts.items():
        write_atomic(folder / name, text.encode("utf-8"))
    return tuple(folder / name for name in texts)


def markdown(scores: Scores, origin: Rescored | None = None) -> str:
    """The report as Markdown.

    Args:
        scores: of the run.
        origin: where its answers come from, if it was rescored.
    """
    spec = scores.spec
    parts = [
        f"# {markdown_cell(spec.model.name)} on {markdown_cell(spec.dataset.name)}",
        "",
        *_head(scores),
        *([] if origin is None else [origin_line(origin)]),
        "",
    ]
    parts += ["## Score", "", *_headline(scores), ""]
    for by, title in (((), ""), *_TITLES.items()):
        parts += [f"## {title}", ""] if title else []
        if scores.cells:
            parts += [*_table(scores.table(*by)), ""]
        if scores.step_cells:
            parts += [plain_table(STEP_COLUMNS, [step_line(cell) for cell in scores.step_table(*by)])]
    parts += version_lines(scores.means, scores.changes)
    if scores.cells:
        parts += ["## How the verdicts came about", "", *_judging_lines(scores), ""]
    if scores.stepping is not None:
        parts += [
            "## How the scores of steps came about",
            "",
            *_stepping_lines(scores.stepping, scores.statuses),
        ]
    parts += ["## How to read these figures", "", *reading_notes(scores), ""]
    return "\n".join(parts)


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


def _head(scores: Scores) -> list[str]:
    spec = scores.spec
    data = spec.dataset
    where = f"commit `{data.commit}`" if data.commit else "a local folder"
    tag = f", tag {markdown_cell(data.tag)}" if data.tag else ""
    at = f" at {markdown_cell(spec.model.base_url)}" if spec.model.base_url else ""
    lines = [
        f"- run `{scores.run_id}`",
        f"- data: {markdown_cell(data.name)}, {where}{tag}, {data.rows} rows (digest `{data.digest[:16]}`); "
        f"versions {', '.join(data.versions)}; languages {', '.join(data.languages)}; "
        f"splits {', '.join(data.splits)}",
        f"- model: {markdown_cell(spec.model.name)}{at}",
        *(_protocol(spec, scores.reduced_rows) if scores.people is None else _people(scores.people)),
    ]
    if data.answers is not None:
        lines.append(f"- reference answers: from a file of their own (sha256 `{data.answers[:16]}`)")
    return [*lines, *judge_lines(spec)]


def judge_lines(spec: RunSpec) -> list[str]:
    """Who judged, as a list in Markdown; with a note where it is a relative of the tested model."""
    lines = []
    if spec.judge is not None:
        model = f" ({markdown_cell(spec.judge.model.name)})" if spec.judge.model else ""
        own = ", with the user's own prompts" if users_prompts(spec.judge.prompts) else ""
        lines.append(f"- judge: {spec.judge.kind}{model}{own}")
    if spec.steps is not None:
        sees = ", ".join(("the whole question", "the response", *spec.steps.see))
        own = "; with the user's own prompts" if users_prompts(spec.steps.prompts) else ""
        lines.append(f"- steps scored by: {markdown_cell(spec.steps.model.name)}, which sees {sees}{own}")
    names = {"judge": "the judge", "steps": "who scores the steps"}
    lines += [
        f"- note: {names[part]} is of the tested model's own family and may favour it"
        for part in own_family(spec)
    ]
    return lines


def _protocol(spec: RunSpec, reduced_rows: int) -> list[str]:
    prompts = ", ".join(prompt.name for prompt in spec.prompts)
    return [
        f"- protocol: {protocol_name(spec)}; {asked_how(spec)}",
        f"- prompts: {markdown_cell(prompts)}; {markdown_cell(_sampling(spec))}; "
        f"{_images(spec.image_policy, reduced_rows)}",
    ]


def _images(policy: ImagePolicy, reduced_rows: int) -> str:
    if policy.kind == "published-bytes":
        return "images as published"
    limit = "" if policy.limit is None else f", limit {policy.limit:,} bytes as base64"
    return f"{reduced_rows} rows were asked with reduced pictures (rule {policy.rule}{limit}), the others as published"


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


def _headline(scores: Scores) -> list[str]:
    total = scores.total
    lines: list[str] = []
    if scores.partial:
        left_out = "rows were left out by `--limit` or `--only`" if scores.people is None else _SOME_ROWS
        lines += [f"**Partial:** {left_out}; this is not the benchmark's figure.", ""]
    if not scores.complete:
        return [*lines, _incomplete(scores)]
    if isinstance(total, Cell) and total.accuracy is not None:
        lines.append(
            f"**{percent(total.accuracy)} %** ({total.consistent} of {total.n_scored}), "
            f"95 % interval {percent(total.low)} to {percent(total.high)}; "
            f"a blind guesser gets {percent(total.chance)} % "
            f"({percent(total.chance_low)} to {percent(total.chance_high)} in 95 of 100 runs)."
        )
    if isinstance(total, StepCell) and total.sci_cot is not None:
        lines.append(
            f"Sci-CoT **{percent(total.sci_cot)} %**, 95 % interval {percent(total.low)} to {percent(total.high)}: "
            f"the mean of Sci-CoT_K {percent(total.knowledge.macro)} % ({total.knowledge.n} responses) and Sci-CoT_L "
            f"{percent(total.logic.macro)} % ({total.logic.n} responses), of {total.n_scored} answers."
        )
    return lines


def _incomplete(scores: Scores) -> str:
    total = scores.total
    right = (
        f"{total.consistent} of {total.n_scored} scored rows are right"
        if isinstance(total, Cell)
        else f"The figures rest on {total.n_scored} rows"
    )
    return (
        f"**Incomplete:** {total.not_run} rows were not run and {total.unjudged} were not judged. "
        f"{right}, of {total.n_total} in all. {remedy(scores)}"
    )


def _table(cells: Sequence[Cell]) -> list[str]:
    lines = ["| | " + " | ".join(_COLUMNS) + " |", "|---|" + "---:|" * len(_COLUMNS)]
    for cell in cells:
        lines.append(f"| {markdown_cell(cell.label)} | " + " | ".join(_line_of(cell)) + " |")
    return lines


def _judging_lines(scores: Scores) -> list[str]:
    judging = scores.judging
    lines: list[str] = []
    for title, counts in (
        ("decided by", judging.decided_by),
        ("reason", judging.reasons),
        ("call status", scores.statuses),
    ):
        lines += [*_counts(title, counts), ""]
    if judging.both_decided:
        lines += [
            f"Rules and LLM judge both decided {judging.both_decided} rows and agree on {judging.both_agree}.",
            "",
        ]
    if judging.injection_suspected:
        lines += [
            f"{judging.injection_suspected} responses hold text made to look like a verdict; it was disarmed.",
            "",
        ]
    return lines[:-1]


def _stepping_lines(stepping: Stepping, statuses: Mapping[str, int]) -> list[str]:
    lines: list[str] = []
    for title, counts in (
        ("outcome", stepping.outcomes),
        ("reason", stepping.reasons),
        ("call status", statuses),
    ):
        lines += [*_counts(title, counts), ""]
    if stepping.injection_suspected:
        lines += [
            f"{stepping.injection_suspected} responses hold text made to look like a judge's reply; it was disarmed.",
            "",
        ]
    return lines


def _counts(title: str, counts: Mapping[str, int]) -> list[str]:
    return [
        f"| {title} | rows |",
        "|---|---:|",
        *(f"| {markdown_cell(k)} | {n} |" for k, n in counts.items()),
    ]
