"""`evaluate export`: a run in the form of another tool."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.cli.common import SummaryTable, emit, json_option, workspace_option


@click.command("export", short_help="Write a run as another tool's log.")
@click.argument("run")
@click.option(
    "--format",
    "form",
    type=click.Choice(["inspect"]),
    default="inspect",
    show_default=True,
    help="inspect: an eval log of inspect_ai (JSON), with every sample, failed ones too.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="File to write; default: inspect.json in the run folder.",
)
@workspace_option
@json_option
def export(run: str, form: str, out: Path | None, workspace: Path | None, as_json: bool) -> None:
    """Write RUN (a run's id or folder) as a log that other tools read; nothing is asked."""
    from benchwright.cli.evaluate_after import find_run
    from benchwright.eval.reports.export_inspect import inspect_log, log_bytes
    from benchwright.schemas.artefact import write_atomic

    folder = find_run(run, workspace)
    log = inspect_log(folder)
    path = out if out is not None else folder.path / f"{form}.json"
    write_atomic(path, log_bytes(log))
    failed = sum("error" in sample for sample in log["samples"])
    counts = {"samples": len(log["samples"]), "with an error": failed}
    table = SummaryTable(f"evaluate export: {form}", ("", "count"), list(counts.items()))
    result = {"file": str(path), "format": form, "samples": len(log["samples"]), "errors": failed}
    emit(result, table, as_json, f"inspect view --log-dir {path.parent}")
