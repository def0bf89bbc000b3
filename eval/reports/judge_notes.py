"""How far the verdicts behind a report can be trusted: relatives, different judges, what a judge's measurement says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from benchwright.eval.display.plain_text import markdown_cell
from benchwright.eval.judges.judge_check import Calibration, calibration_lines, read_calibration
from benchwright.eval.judges.judge_check import measures as measures_judge
from benchwright.eval.runs.families import own_family
from benchwright.eval.runs.spec import JudgeSpec, RunSpec, StepsSpec
from benchwright.eval.scicot.steps_check import (
    StepsCheck,
    measures,
    read_steps_check,
    steps_calibration_lines,
)
from benchwright.schemas.errors import UsageError

AnyCalibration = Calibration | StepsCheck
_FAMILY = {"judge": "judge", "steps": "scorer of steps"}


def read_any_calibration(path: Path) -> AnyCalibration:
    """What `evaluate judge-check --save` wrote, of a judge of answers or of steps.

    Raises:
        UsageError: it is missing, or neither.
    """
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return read_calibration(path)
    except ValueError as error:
        raise UsageError(f"{path} is no JSON: write it anew with evaluate judge-check --save.") from error
    return read_steps_check(path) if isinstance(found, dict) and "see" in found else read_calibration(path)


def judge_notes(runs: Sequence[tuple[str, RunSpec]], calibrations: Sequence[AnyCalibration]) -> list[str]:
    """What a reader has to know of who judged, as Markdown; each judge with its calibration or its lack.

    Args:
        runs: label and specification.
        calibrations: of any judges; those that judged none of these runs are named as such.
    """
    lines = [
        f"- {markdown_cell(label)}: its {_FAMILY[part]} is of its own family and may favour it"
        for label, spec in runs
        for part in own_family(spec)
    ]
    judges = list(dict.fromkeys(spec.judge for _, spec in runs if spec.judge is not None))
    steps = list(dict.fromkeys(spec.steps for _, spec in runs if spec.steps is not None))
    for those, what in ((judges, "judged"), (steps, "scored for their steps")):
        if len(those) > 1:
            lines.append(f"- these runs were not {what} in the same way: a difference may be the judges'")
    used: list[AnyCalibration] = []
    for judge in judges:
        fitting = [one for one in calibrations if isinstance(one, Calibration) and measures_judge(one, judge)]
        used += fitting
        lines += [line for one in fitting for line in calibration_lines(one)] or _once(judge, lines)
    for scorer in steps:
        found = [one for one in calibrations if isinstance(one, StepsCheck) and measures(one, scorer)]
        used += found
        lines += [line for one in found for line in steps_calibration_lines(one)] or _once(scorer, lines)
    lines += [_foreign(one) for one in calibrations if one not in used]
    return ["### Who judged", "", *lines, ""] if lines else []


def _once(judge: JudgeSpec | StepsSpec, lines: Sequence[str]) -> list[str]:
    """That a judge was not measured; nothing where that stands there already, of the same model elsewhere."""
    words = _not_measured(judge)
    return [] if words in lines else [words]


def _not_measured(judge: JudgeSpec | StepsSpec) -> str:
    if isinstance(judge, StepsSpec):
        name, kind = f"steps judge ({judge.model.name})", " --kind steps"
    else:
        model = "" if judge.model is None else f" ({judge.model.name})"
        name, kind = f"judge {judge.kind}{model}", ""
    return (
        f"- the {markdown_cell(name)} was not measured here: `evaluate judge-check{kind}` does, `--calibration` "
        "carries it"
    )


def _foreign(one: AnyCalibration) -> str:
    if isinstance(one, StepsCheck):
        name = f"the steps judge {one.judge.name}"
    else:
        name = one.judge.kind + ("" if one.judge.model is None else f" ({one.judge.model.name})")
    return f"- a calibration of {markdown_cell(name)} was given, which judged none of these runs"
