"""Criteria that need answers: of models, of people, of the scorer on replies whose worth is known."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

from benchwright.curation.release.checklist_facts import Answer, Facts
from benchwright.curation.release.scorer_probes import PROBES, failed_probes
from benchwright.schemas.errors import UsageError

_RUN = "evaluate release/TAG --model NAME"
_NO_RUN = "measured by runs after the release"
KEYS_NOT_TOLD = "what depends on withheld keys is not told"


def floor_reported(facts: Facts) -> Answer:
    """Criterion 5."""
    seen = facts.floors
    if not seen.problems:
        return Answer("fail", "no row has a key", "check with the answers, before they are withheld")
    best = max(seen.constants, key=lambda one: (one.share, one.solver), default=None)
    figure = f"guessing {100 * seen.chance:.1f} % over {seen.problems} problems"
    if not facts.keys_told:
        return Answer("pass", f"{figure}; {KEYS_NOT_TOLD}")
    if best is not None:
        figure += f", {best.solver} {100 * best.share:.1f} % of {best.problems}"
    if seen.free:
        share = 100 * seen.commonest_count / seen.free
        figure += f", the commonest answer without options {share:.1f} % of {seen.free}"
    return Answer("pass", figure)


def ceiling(facts: Facts) -> Answer:
    """Criterion 6."""
    human = [run for run in facts.runs if run.protocol == "human" and run.judged]
    if not human:
        mend = "annotate push answer, then evaluate import-human"
        return Answer("after release", "measured by answers of people after the release", mend)
    shares = fmean(run.right / run.judged for run in human)
    rows = len({one.row.id for run in human for one in run.answered})
    return Answer("pass", f"{len(human)} people, {rows} rows, mean {100 * shares:.1f} % right")


def sensitivity(facts: Facts) -> Answer:
    """Criterion 7."""
    ways: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for run in facts.scored_by_models():
        ways[run.model].add(run.way)
        ways[run.model] |= {("version", one.row.version) for one in run.answered}
    most = max((len(found) for found in ways.values()), default=0)
    varied = sorted(name for name, found in ways.items() if len(found) > 2)
    if varied:
        return Answer("pass", f"{len(varied)} models asked in several forms (versions, prompts, examples)")
    figure = _NO_RUN if not most else f"{_NO_RUN}; so far each model was asked in one form alone"
    return Answer("after release", figure, f"{_RUN}, with another --mode or more versions")


def judge(facts: Facts) -> Answer:
    """Criterion 8."""
    runs = facts.scored_by_models()
    judges = {json.dumps(run.judge, sort_keys=True): run for run in runs if run.model_judge}
    if not runs:
        return Answer("after release", _NO_RUN, _RUN)
    if not judges:
        return Answer("pass", f"{len(runs)} runs were scored by rules, no model judged")
    measured = {json.dumps(_read(path).get("judge"), sort_keys=True) for path in facts.calibrations}
    without = sorted(run.run_id for name, run in judges.items() if name not in measured)
    figure = f"{len(judges) - len(without)} of {len(judges)} judges measured on known verdicts"
    mend = "evaluate judge-check CASES --save calibrations/NAME.json"
    return Answer("fail", figure, mend, without) if without else Answer("pass", figure)


def scorer(facts: Facts) -> Answer:
    """Criterion 9."""
    del facts
    bad = failed_probes()
    figure = f"{len(PROBES) - len(bad)} of {len(PROBES)} fixed replies scored as they must be"
    names = [f"{probe.reply!r} to {probe.key!r}" for probe in bad]
    return Answer("fail", figure, "report it: the scorer is wrong", names) if bad else Answer("pass", figure)


def picture_needed(facts: Facts) -> Answer:
    """Criterion 15."""
    blind = [run for run in facts.runs if run.input == "Q" and run.judged]
    if not blind:
        return Answer(
            "after release", "measured by runs without pictures after the release", f"{_RUN} --input Q"
        )
    solved: dict[str, set[str]] = defaultdict(set)
    for run in blind:
        for one in run.answered:
            if one.judgement is not None and one.judgement.outcome == "consistent":
                solved[one.row.id].add(run.run_id)
    always = sorted(name for name, runs in solved.items() if len(runs) == len(blind))
    best = max(run.right / run.judged for run in blind)
    return Answer(
        "pass", f"{len(blind)} blind runs, best {100 * best:.1f} %; all solve {len(always)} rows", ids=always
    )


def uncertainty(facts: Facts) -> Answer:
    """Criterion 24."""
    runs = facts.scored_by_models()
    if not runs:
        return Answer("pass", "no score is published; every cell of a report has its 95 % interval")
    return Answer("pass", f"reports of {len(runs)} runs have a 95 % interval a cell and paired tests")


def pinned(facts: Facts) -> Answer:
    """Criterion 27."""
    without = [name for name in facts.disciplines if not facts.pinned.get(name)]
    n = len(facts.disciplines)
    figure = f"source files of {n - len(without)} of {n} pools held by sha256, release loaded by tag"
    return Answer("fail", figure, "curate ingest", without) if without else Answer("pass", figure)


def reproduced(facts: Facts) -> Answer:
    """Criterion 28."""
    runs = facts.scored_by_models()
    if not runs:
        return Answer("after release", _NO_RUN, f"{_RUN}, then evaluate report")
    return Answer("pass", f"{len(runs)} runs stored; evaluate report RUN … makes the table from them")


def endpoints(facts: Facts) -> Answer:
    """Criterion 29."""
    kinds = sorted({run.endpoint for run in facts.runs if run.protocol != "human"})
    tried = [kind for kind in kinds if kind in ("openai", "local")]
    figure = f"answers came from: {', '.join(kinds)}" if kinds else _NO_RUN
    if len(tried) == 2:
        return Answer("pass", figure)
    if not kinds:
        return Answer("after release", figure, _RUN)
    return Answer(
        "needs a person", figure, "try a served and a local model", sorted({"openai", "local"} - set(tried))
    )


def cost(facts: Facts) -> Answer:
    """Criterion 32."""
    timed = [one for one in facts.reviews if one.median_seconds is not None]
    spent = [run for run in facts.runs if run.spent]
    costs = f"cost of {len(spent)} runs on record" if facts.runs else f"cost {_NO_RUN}"
    figure = f"effort of {len(timed)} jobs of review on record, {costs}"
    missing = [name for name, there in (("effort of review", timed), ("cost of a run", spent)) if not there]
    mend = f"annotate report; {_RUN}"
    if not missing:
        return Answer("pass", figure)
    return Answer("fail" if facts.runs else "after release", figure, mend, missing)


def _read(path: Path) -> dict[str, object]:
    try:
        value = json.loads(path.read_bytes())
    except ValueError as error:
        raise UsageError(
            f"{path} holds no calibration: write it anew with evaluate judge-check --save."
        ) from error
    return value if isinstance(value, dict) else {}


MEASURED: dict[int, tuple[str, Callable[[Facts], Answer]]] = {
    5: ("floor reported: guessing, majority", floor_reported),
    6: ("human level with people and items", ceiling),
    7: ("sensitivity to the form of input", sensitivity),
    8: ("judge measured against known verdicts", judge),
    9: ("scorer holds on fixed probes", scorer),
    15: ("picture needed: share solved without it", picture_needed),
    24: ("uncertainty for every cell", uncertainty),
    27: ("loader and sources pinned", pinned),
    28: ("one command makes the first table", reproduced),
    29: ("runs with served and local models", endpoints),
    32: ("cost of a run, effort of annotation", cost),
}
"""By number: name and judge."""
