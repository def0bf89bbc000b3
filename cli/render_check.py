"""`render check`: runs the legibility gate and reports by version, language and style."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchwright.cli.common import Incomplete, SummaryTable, emit, progress, say
from benchwright.render.check import CheckResult, GateState, check_version, rendered_pictures
from benchwright.render.job import picture_path
from benchwright.render.legibility_read import missing_packages
from benchwright.schemas.errors import UsageError
from benchwright.schemas.versions import VERSIONS, Version

if TYPE_CHECKING:
    from benchwright.schemas.workspace import Workspace


def run_check(
    where: Workspace,
    version_name: str | None,
    languages: Sequence[str],
    only: Sequence[str],
    jobs: int | None,
    as_json: bool,
) -> None:
    """Judge pictures and report; raises `Incomplete` when one failed or could not be judged."""
    chosen = tuple(dict.fromkeys(languages)) or where.recipe.benchmark.languages
    results: list[CheckResult] = []
    for version in _versions(where, version_name):
        for language in chosen:
            if version_name is None and not _is_rendered(where, version, language):
                continue
            total = len(only) or len(rendered_pictures(where, version, language))
            with progress(total, f"check {version.value} {language}") as bar:
                results.append(
                    check_version(where, version, language, only, jobs or os.cpu_count() or 1, bar.advance)
                )
    if not results:
        raise UsageError(
            "no picture has been rendered yet: run `render vision-only` or `render vision-rich`."
        )
    for result in results:
        for verdict in result.verdicts:
            if verdict.state is GateState.FAILED:
                say(
                    f"{verdict.problem_id} ({result.version.value}, {result.language}): {', '.join(verdict.codes)}"
                )
    if missing := missing_packages():
        say(f"text was not read: {' and '.join(missing)} missing; run `pip install 'benchwright[ocr]'`.")
    emit(
        {"results": [_as_json(result) for result in results]},
        SummaryTable(
            "legibility",
            ("version", "language", "style", "passed", "failed", "not judged", "characters read", "codes"),
            [_row(result) for result in results],
        ),
        as_json,
        "push-dataset",
    )
    _conclude(results)


def _versions(workspace: Workspace, name: str | None) -> list[Version]:
    if name is not None:
        return [Version(name)]
    return [v for v in workspace.recipe.benchmark.chosen_versions if VERSIONS[v].rendered]


def _is_rendered(workspace: Workspace, version: Version, language: str) -> bool:
    return picture_path(workspace, version, language, "x").with_name("index.jsonl").is_file()


def _conclude(results: Sequence[CheckResult]) -> None:
    failed = sum(result.count(GateState.FAILED) for result in results)
    unjudged = sum(result.count(GateState.NOT_JUDGED) for result in results)
    if failed or unjudged:
        raise Incomplete(
            f"{failed} pictures failed and {unjudged} could not be judged; renders/*/*/*/gate/ says why."
        )


def _row(result: CheckResult) -> tuple[object, ...]:
    codes = ", ".join(f"{code} {count}" for code, count in result.codes.items())
    accuracy = "-" if result.accuracy is None else f"{100 * result.accuracy:.2f} %"
    return (
        result.version.value,
        result.language,
        result.style,
        *(result.count(state) for state in GateState),
        accuracy,
        codes or "-",
    )


def _as_json(result: CheckResult) -> dict[str, object]:
    failed = {v.problem_id: v.codes for v in result.verdicts if v.state is GateState.FAILED}
    return {
        "version": result.version.value,
        "language": result.language,
        "style": result.style,
        **{state.value: result.count(state) for state in GateState},
        "kept": result.kept,
        "character_accuracy": result.accuracy,
        "codes": result.codes,
        "failing": failed,
    }
