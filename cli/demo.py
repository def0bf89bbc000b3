"""`benchwright demo`: the whole line on the built-in examples, in a fresh workspace, without a key or a network."""

from __future__ import annotations

import shlex
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.common import SummaryTable, emit, json_option, say, show_table

if TYPE_CHECKING:
    from benchwright.schemas.workspace import Workspace

RECIPE = """# The recipe of the demo: small budgets, both papers' versions.
[benchmark]
name = "benchwright-demo"
title = "Benchwright demo"
languages = ["en", "zh"]
preset = "all"
taxonomy = "visscience+sciverse"

[disciplines.biology]
budget = 10
[disciplines.chemistry]
budget = 12
[disciplines.mathematics]
budget = 12
[disciplines.physics]
budget = 12

[selection]
difficulty_tolerance = 0.2
subject_tolerance = 0.2

[release]
repo_id = "benchwright/demo"
tag = "v0.1.0"
license = "cc-by-4.0"
"""


@dataclass(frozen=True)
class Line:
    """One stage of the demo, as shown in its table; `n_in` = `kept` + `rejected`, but where a part is chosen."""

    stage: str
    n_in: int
    kept: int
    rejected: int
    seconds: float
    note: str = ""


@click.command()
@click.argument(
    "path", type=click.Path(path_type=Path, file_okay=False), default=Path("demo"), required=False
)
@click.option(
    "--with-annotation",
    is_flag=True,
    help="Start Label Studio and wait for your reviews instead of replaying the recorded ones.",
)
@json_option
def demo(path: Path, with_annotation: bool, as_json: bool) -> None:
    """Run the whole line on the built-in examples in a fresh workspace.

    Self-written problems go from raw pool to scored benchmark: ingest, cluster, tag, review, versions, images,
    dataset, evaluation. It pushes nowhere and needs no key. Run again after an interruption, it goes on where it was.
    A score marked * is incomplete, as `evaluate` would say by its exit code; the demo itself then ends with 0.
    """
    workspace = _workspace(path)
    lines = [
        *_curate(workspace),
        _reviewed(workspace, with_annotation),
        *_finish_problems(workspace),
        *_rendered(workspace),
        _released(workspace),
    ]
    scores = [_evaluated(workspace, model) for model in _models(workspace)]
    lines += [line for line, _ in scores]
    paths = {
        "gallery": workspace.root / "gallery.html",
        "dataset": workspace.release(workspace.recipe.release.tag),
        "certificates": workspace.root / "selection",
        "scores": workspace.runs,
    }
    _show(workspace, lines, [score for _, score in scores], paths, as_json)


def _workspace(path: Path) -> Workspace:
    """A fresh demo workspace, or the one of an interrupted demo.

    Raises:
        UsageError: the folder holds something else.
    """
    from benchwright.schemas.errors import UsageError
    from benchwright.schemas.recipe import RECIPE_NAME
    from benchwright.schemas.workspace import Workspace

    if (path / RECIPE_NAME).is_file():
        if (path / RECIPE_NAME).read_text(encoding="utf-8") != RECIPE:
            raise UsageError(
                f"{path} is a workspace of its own: give the demo another folder, `benchwright demo PATH`."
            )
        say(f"{path} holds an earlier demo: going on there")
        return Workspace.find(path)
    if path.is_dir() and any(path.iterdir()):
        raise UsageError(f"{path} is not empty: give the demo another folder, `benchwright demo PATH`.")
    return Workspace.create(path, RECIPE)


def _call(workspace: Workspace, *arguments: str) -> tuple[dict[str, Any], float]:
    """Run one command as typed and return its JSON result and the seconds it took.

    Only an evaluation may end with 1: the rules leave rows open, and the table says so.

    Raises:
        UsageError: the command ended with an error, or an item failed.
    """
    import contextlib
    import io
    import json

    from benchwright.cli.main import benchwright, run_command
    from benchwright.schemas.errors import UsageError

    say(f"$ {_as_typed(arguments)}")
    started = time.monotonic()
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = run_command(
            benchwright, "benchwright", [*arguments, "--workspace", str(workspace.root), "--json"]
        )
    if code == 130:
        raise click.Abort
    fine = (0, 1) if arguments[0] == "evaluate" else (0,)
    if code not in fine or not out.getvalue():
        raise UsageError(f"the demo stopped at `{_as_typed(arguments)}` (exit code {code}).")
    result: dict[str, Any] = json.loads(out.getvalue())
    return result, time.monotonic() - started


def _as_typed(arguments: tuple[str, ...]) -> str:
    words = ["push-dataset", *arguments[1:]] if arguments[0] == "push" else list(arguments)
    return shlex.join(words)


def _curate(workspace: Workspace) -> list[Line]:
    from benchwright.examples.pool import write_raw_pool

    say("drawing the example questions, then the whole line: a few minutes on a calm machine")
    started = time.monotonic()
    pool = write_raw_pool(workspace.root / "raw")
    say(f"the raw pool lies in {pool.parent} ({time.monotonic() - started:.1f} s to draw)")
    ingested, seconds = _call(workspace, "curate", "ingest", str(pool))
    (source,) = ingested["sources"]
    lines = [_line("ingest", source, seconds)]
    chosen, seconds = _call(workspace, "curate", "cluster")
    pool_size = sum(one["pool_size"] for one in chosen.values())
    selected = sum(one["n"] for one in chosen.values())
    proven = sum(one["status"] == "optimal" for one in chosen.values())
    note = f"not chosen is not rejected; {proven} of {len(chosen)} selections proven optimal"
    lines.append(Line("cluster, choose", pool_size, selected, 0, seconds, note))
    tagged, seconds = _call(workspace, "curate", "tag")
    lines.append(_line("tag (embedded proposer)", tagged, seconds))
    return lines


def _reviewed(workspace: Workspace, with_annotation: bool) -> Line:
    """Reviews: replayed from the recorded ones and shown as such, or made by the person at the browser."""
    from benchwright.schemas.jobs import Verdict
    from benchwright.schemas.journal import read_jsonl

    started = time.monotonic()
    if with_annotation:
        _review_in_browser(workspace)
        stage = "review (yours)"
    else:
        from importlib import resources

        from benchwright.annotation.replay import replay_reviews

        say("replaying recorded reviews of the examples (--with-annotation: make your own in Label Studio)")
        with resources.as_file(resources.files("benchwright.examples") / "reviews.jsonl") as recorded:
            replay_reviews(workspace, recorded)
        stage = "review (replayed)"
    verdicts = read_jsonl(workspace.verdicts("tagging"), Verdict)
    items = {verdict.item_id for verdict in verdicts}
    still = {verdict.item_id for verdict in verdicts if verdict.basis == "open"}
    note = (
        f"{len(still)} questions without a final verdict" if still else "subject and level of every question"
    )
    return Line(stage, len(items), len(items) - len(still), len(still), time.monotonic() - started, note)


def _review_in_browser(workspace: Workspace) -> None:
    from benchwright.annotation.server import ManagedServer

    with ManagedServer(workspace, say, None) as server:
        _call(workspace, "annotate", "push", "tagging")
        say(f"review server: {server.url}")
        say(f"log in as {server.credentials.username} with password {server.credentials.password}")
        click.prompt("Review in the browser, then press Enter here", default="", show_default=False, err=True)
        _call(workspace, "annotate", "pull", "tagging")


def _finish_problems(workspace: Workspace) -> list[Line]:
    made, seconds = _call(workspace, "curate", "problems")
    return [_line("problems", made, seconds)]


def _rendered(workspace: Workspace) -> list[Line]:
    lines = []
    for version in ("vision-rich", "vision-only"):
        drawn, seconds = _call(workspace, "render", version)
        kept = sum(one["made"] + one["kept"] for one in drawn["results"])
        rejected = sum(one["rejected"] for one in drawn["results"])
        reasons: Counter[str] = Counter()
        for one in drawn["results"]:
            reasons.update(one["reasons"])
        stage = f"render {version}"
        lines.append(Line(stage, kept + rejected, kept, rejected, seconds, _reasons(reasons)))
    _call(workspace, "render", "gallery")
    return lines


def _released(workspace: Workspace) -> Line:
    built, seconds = _call(workspace, "push", "--build-only")
    left_out = sum(built["rejected"].values())
    return Line(
        "dataset", built["rows"] + left_out, built["rows"], left_out, seconds, _reasons(built["rejected"])
    )


def _models(workspace: Workspace) -> list[str]:
    """The two stand-in models: chance, and a script of answers that is right, wrong and refusing by turns."""
    from benchwright.examples.replay import write_replay

    script = workspace.root / "raw" / "scripted-model.jsonl"
    write_replay(script)
    return ["baseline/random", f"replay/{script}"]


def _evaluated(workspace: Workspace, model: str) -> tuple[Line, dict[str, Any]]:
    folder = workspace.release(workspace.recipe.release.tag)
    arguments = ["evaluate", "run", str(folder), "--model", model, "--judge", "rules"]
    scores, seconds = _call(workspace, *arguments)
    total = next(cell for cell in scores["cells"] if not cell["by"])
    open_rows = total["not_run"] + total["unjudged"]
    short = "replay/scripted-model.jsonl" if model.startswith("replay/") else model
    note = f"{open_rows} rows left open by the rules: the figure is marked incomplete" if open_rows else ""
    return Line(
        f"evaluate {short}", total["n_total"], total["n_total"] - open_rows, open_rows, seconds, note
    ), {
        "model": short,
        **scores,
    }


def _line(stage: str, counts: Mapping[str, Any], seconds: float) -> Line:
    return Line(
        stage, counts["n_in"], counts["n_kept"], counts["n_rejected"], seconds, _reasons(counts["reasons"])
    )


def _reasons(reasons: Mapping[str, int]) -> str:
    return ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))


def _show(
    workspace: Workspace,
    lines: list[Line],
    scores: list[dict[str, Any]],
    paths: Mapping[str, Path],
    as_json: bool,
) -> None:
    table = SummaryTable(
        "The line, stage by stage",
        ("stage", "in", "kept", "rejected", "seconds", "note"),
        [(line.stage, line.n_in, line.kept, line.rejected, line.seconds, line.note) for line in lines],
    )
    score_rows = _score_rows(scores)
    models = [score["model"] for score in scores]
    result = {
        "workspace": str(workspace.root),
        "stages": [vars(line) for line in lines],
        "scores": [{"model": m, "accuracy": a} for m, a in zip(models, score_rows[-1][1:], strict=True)],
        "paths": {name: str(path) for name, path in paths.items()},
    }
    if as_json:
        emit(result, None, True)
        return
    show_table(table)
    starred = any(str(cell).endswith("*") for row in score_rows for cell in row)
    title = "Accuracy in %" + (" (* incomplete: the rules could not judge every answer)" if starred else "")
    show_table(SummaryTable(title, ("version", *models), score_rows))
    show_table(
        SummaryTable(
            "What was made", ("what", "where"), [(name, _short(path)) for name, path in paths.items()]
        )
    )
    click.echo(f"next: open {_short(paths['gallery'])} in a browser; then start your own: curate init PATH")


def _short(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _score_rows(scores: list[dict[str, Any]]) -> list[tuple[object, ...]]:
    """One row a version and one for all: versions are many and long-named, models few."""
    from benchwright.schemas.versions import Version

    cells = [
        {tuple(cell["key"]): cell for cell in score["cells"] if cell["by"] in ([], ["version"])}
        for score in scores
    ]
    made = [version.value for version in Version if any((version.value,) in row for row in cells)]
    rows = [(name, *[_percent(row.get((name,))) for row in cells]) for name in made]
    return [*rows, ("all", *[_percent(row[()]) for row in cells])]


def _percent(cell: Mapping[str, Any] | None) -> str:
    if cell is None or cell["accuracy"] is None:
        return "-"
    mark = "*" if cell["not_run"] or cell["unjudged"] else ""
    return f"{100 * cell['accuracy']:.1f}{mark}"
