"""`evaluate errors`: why wrong answers are wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.common import (
    Incomplete,
    SummaryTable,
    emit,
    json_option,
    open_workspace,
    progress,
    say,
    workspace_option,
)
from benchwright.cli.evaluate_after import asked_model_options, find_run, open_asked
from benchwright.cli.evaluate_options import Options
from benchwright.cli.evaluate_running import say_result, settings_of
from benchwright.cli.evaluate_show import kept_back

if TYPE_CHECKING:
    from benchwright.eval.errors.kinds import Wrong
    from benchwright.eval.errors.offering import Offering
    from benchwright.eval.runs.store import RunFolder
    from benchwright.schemas.workspace import Workspace


@click.command(
    "errors", short_help="Propose the kind of error of wrong answers; report shares by discipline."
)
@click.argument("run")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    default=None,
    help="At most so many wrong answers of each discipline, drawn at random by the recipe's seed; default: all.",
)
@click.option(
    "--report",
    "report_only",
    is_flag=True,
    help="Ask nobody: write the shares by discipline, what was reviewed, and how far proposals agree with it.",
)
@click.option(
    "--dataset",
    default=None,
    help="Release (folder, ORG/NAME or ORG/NAME@REVISION) that holds pictures which the workspace does not.",
)
@asked_model_options
@workspace_option
@json_option
def errors(
    run: str,
    sample: int | None,
    report_only: bool,
    dataset: str | None,
    **typed: Any,
) -> None:
    """Let a model propose the main kind of error of wrong answers of RUN (a run's id or folder).

    The kinds are VisScience's five: reasoning, knowledge, calculation, vision recognition, question misunderstood. The
    proposals go to proposals/errors.jsonl; people review them with `annotate push errors --from-run RUN`.
    """
    options = Options(**typed)
    space, folder = open_workspace(options.workspace), find_run(run, options.workspace)
    if report_only:
        _report(space, folder, options.as_json)
        return
    offering, wrong = _propose(space, folder, sample, dataset, options)
    _show(offering, wrong, folder, options.as_json)


def _propose(
    space: Workspace, folder: RunFolder, sample: int | None, named: str | None, options: Options
) -> tuple[Offering, Wrong]:
    from benchwright.eval.errors.kinds import Asking, needed_pictures, propose_errors, wrong_answers
    from benchwright.eval.errors.offering import write_offering
    from benchwright.eval.pipeline.plan import check_outgoing
    from benchwright.eval.runs.dataset import Dataset
    from benchwright.eval.runs.run_pictures import find_pictures
    from benchwright.models.policy import outgoing_note
    from benchwright.models.spending import Ledger
    from benchwright.models.store import CallStore
    from benchwright.schemas.runs import read_run

    spec, model = folder.spec(), open_asked(options)
    files = read_run(folder.path)
    wrong = wrong_answers(files, sample, space.recipe.benchmark.seed)
    rows = tuple(answered.row for answered in wrong.drawn)
    check_outgoing(
        Dataset(spec.dataset, rows, {}),
        None,
        model,
        allow_external=options.allow_external,
        forbidden_sources=kept_back(space, folder.path),
    )
    pictures = find_pictures(space, spec.dataset, needed_pictures(rows), named)
    say(f"{len(wrong.all)} wrong answers, {len(rows)} drawn")
    say(outgoing_note(model, len(rows), answers=True))
    settings = settings_of(options, space)
    ledger = Ledger("errors", settings.prices, settings.budget)
    with CallStore(space.calls) as calls, progress(len(rows), "kinds of errors") as bar:
        asking = Asking(model, calls, settings.scheduler, ledger, bar.advance)
        offering = propose_errors(files.run_id, wrong, pictures, spec.input, asking)
    say_result((), ledger.spending())
    write_offering(space, offering)
    return offering, wrong


def _show(offering: Offering, wrong: Wrong, folder: RunFolder, as_json: bool) -> None:
    from collections import Counter

    from benchwright.eval.errors.kinds import KINDS

    kinds = Counter(str(proposal.value) for proposal in offering.proposals)
    rows: list[tuple[str, int]] = [(kind, kinds[kind]) for kind in KINDS]
    failed = Counter(record.reason for record in offering.rejected)
    rows += [(f"no proposal: {reason}", n) for reason, n in sorted(failed.items())]
    result = {
        "run_id": offering.run_id,
        "wrong": len(wrong.all),
        "drawn": len(wrong.drawn),
        "proposed": dict(kinds),
        "rejected": dict(failed),
    }
    table = SummaryTable(
        f"{len(offering.proposals)} proposals for {len(wrong.drawn)} of {len(wrong.all)} wrong answers",
        ("kind", "answers"),
        rows,
    )
    emit(result, table, as_json, f"annotate push errors --from-run {folder.path}")
    if offering.rejected:
        raise Incomplete(
            f"{len(offering.rejected)} of {len(wrong.drawn)} drawn answers got no proposal: run the same "
            "command again; what was answered is not asked again."
        )


def _report(space: Workspace, folder: RunFolder, as_json: bool) -> None:

    from benchwright.eval.display.charts import draw_charts
    from benchwright.eval.errors.error_report import (
        TITLES,
        errors_chart,
        errors_markdown,
        errors_report,
        report_bytes,
    )
    from benchwright.eval.errors.kinds import KINDS
    from benchwright.schemas.artefact import write_atomic

    found = errors_report(space, folder)
    page = folder.path / "errors.md"
    write_atomic(folder.path / "errors.json", report_bytes(found))
    write_atomic(page, errors_markdown(found).encode("utf-8"))
    chart = errors_chart(found)
    if chart is not None:
        draw_charts([chart], folder.path)
    rows = []
    for group in [*found.disciplines, found.total]:
        shares = {share.kind: share for share in group.by_people}
        shown = ["-" if (s := shares[kind]).share is None else 100 * s.share for kind in KINDS]
        rows.append((group.discipline, group.wrong, group.drawn, group.reviewed, *shown))
    columns = ("", "wrong", "drawn", "reviewed", *(f"{TITLES[kind]} %" for kind in KINDS))
    table = SummaryTable(f"Errors of {found.model}, by people's verdicts", columns, rows)
    emit(found.model_dump(mode="json"), table, as_json, f"open {page}")
