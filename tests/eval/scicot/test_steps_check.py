"""Calibrating a steps judge: its own split and its marks against settled steps, over a live server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

from benchwright.eval.runs.spec import ModelSpec, StepsSpec
from benchwright.eval.scicot.steps import steps_refs
from benchwright.eval.scicot.steps_check import (
    StepsCheck,
    check_steps,
    measures,
    read_steps_cases,
    read_steps_check,
    steps_calibration_lines,
    steps_check_lines,
)
from benchwright.models.registry import open_model
from benchwright.models.scheduler import Scheduler, SchedulerSettings
from benchwright.schemas.errors import UsageError

CASES = Path(__file__).parents[1] / "cases" / "steps.jsonl"


def check(server: Any) -> StepsCheck:
    async def main() -> StepsCheck:
        model = open_model("openai/judge", base_url=server.base_url)
        try:
            scheduler = Scheduler(model, None, SchedulerSettings(attempts=1, concurrency=2))
            return await check_steps(read_steps_cases(CASES), scheduler)
        finally:
            await model.close()

    return asyncio.run(main())


def rules(
    change_kind: bool = False, all_right: bool = False, lost: int | None = None
) -> list[dict[str, Any]]:
    """A judge that knows the cases; it may call every step logic, mark every step right, or fail on one case."""
    found: list[dict[str, Any]] = []
    for number, case in enumerate(read_steps_cases(CASES)):
        said = {"quote": "in no response", "kind": "K"}
        steps = [{"quote": step.text, "kind": "L" if change_kind else step.kind} for step in case.steps]
        marks = [
            {"step": place, "score": 1 if all_right else step.score}
            for place, step in enumerate(case.steps, start=1)
        ]
        start = ".*".join(map(_literal, case.response[:20].split("\n")))
        split = {"steps": [said] if number == lost else steps}
        found.append({"match": f"(Take the answer apart|拆成关键步骤).*{start}", "json": split})
        found.append({"match": f"(Mark every step|逐一给每个步骤打分).*{start}", "json": {"scores": marks}})
    return found


def _literal(text: str) -> str:
    return "".join(f"[{c}]" if c in "$.?*+^/()" and c != "^" else c for c in text).replace("\\", ".")


def test_a_judge_that_knows_everything(openai_server: Any) -> None:
    found = check(openai_server({"rules": rules()}))
    assert (found.n, found.failed, found.steps, found.extra) == (8, 0, 20, 0)
    assert (found.found.share, found.same_kind.share, found.same_score.share) == (1.0, 1.0, 1.0)
    assert (found.kind_kappa, found.score_kappa) == (1.0, 1.0)
    # 15 of the 20 settled steps are right, 5 are wrong.
    assert (found.false_right.of, found.false_wrong.of) == (5, 15)


def test_a_judge_that_waves_everything_through_is_found_out(openai_server: Any) -> None:
    found = check(openai_server({"rules": rules(change_kind=True, all_right=True)}))
    settled = [step for case in read_steps_cases(CASES) for step in case.steps]
    kinds, marks = [step.kind for step in settled], [step.score for step in settled]
    assert (found.same_kind.count, found.same_kind.of) == (kinds.count("L"), 20)
    assert found.kind_kappa == pytest.approx(cohen_kappa_score(kinds, ["L"] * 20), abs=1e-6) == 0.0
    assert found.score_kappa == pytest.approx(cohen_kappa_score(marks, [1] * 20), abs=1e-6)
    assert (found.false_right.share, found.false_wrong.share) == (1.0, 0.0)
    reference = binomtest(15, 20).proportion_ci(0.95, method="wilson")
    assert (found.same_score.low, found.same_score.high) == pytest.approx(
        (reference.low, reference.high), abs=1e-6
    )
    assert ("wrong steps marked right", "5 of 5 = 100.0 % (56.6 to 100.0)") in steps_check_lines(found)


def test_a_case_without_a_split_failed_and_is_counted(openai_server: Any) -> None:
    found = check(openai_server({"rules": rules(lost=2)}))
    assert (found.failed, found.failed_cases, found.steps) == (1, (3,), 17)
    assert found.by_kind["miscalculated"].failed == 1 and found.by_kind["right-throughout"].n == 2
    # Its settled steps are marked all the same.
    assert found.same_score.of == 20


def test_a_coarser_split_is_seen(openai_server: Any) -> None:
    case = read_steps_cases(CASES)[0]
    whole = {"steps": [{"quote": case.response, "kind": "L"}]}
    rule = {"match": "(Take the answer apart).*Newton", "json": whole}
    found = check(openai_server({"rules": [rule, *rules()]})).by_kind["right-throughout"]
    # One step of the judge holds three settled ones: all are found in it, none is beside them.
    assert (found.steps, found.found.count, found.extra, found.same_kind.count) == (6, 6, 0, 5)


def test_a_calibration_is_of_one_judge_and_one_way_of_asking(openai_server: Any, tmp_path: Path) -> None:
    server = openai_server({"rules": rules()})
    found = check(server)
    spec = StepsSpec(model=found.judge, prompts=steps_refs(("zh",)))
    assert measures(found, spec) and not measures(found, spec.model_copy(update={"see": ("answer",)}))
    other = ModelSpec(name="openai/other", endpoint="openai", base_url=found.judge.base_url)
    assert not measures(found, spec.model_copy(update={"model": other}))
    assert not any("eference answer of the question" in request.prompt for request in server.requests)
    assert "- same mark (1 or 0): 20 of 20 = 100.0 % (83.9 to 100.0), kappa 1.00" in steps_calibration_lines(
        found
    )
    path = tmp_path / "steps.json"
    path.write_text(found.model_dump_json(), encoding="utf-8")
    assert read_steps_check(path) == found
    path.write_text("{}", encoding="utf-8")
    for wrong, why in ((path, "holds no calibration"), (tmp_path / "none.json", "does not exist")):
        with pytest.raises(UsageError, match=why):
            read_steps_check(wrong)


def test_judge_check_prints_the_figures(openai_server: Any, command: Any) -> None:
    server = openai_server({"rules": rules(all_right=True, lost=4)})
    options = ("judge-check", CASES, "--kind", "steps", "--judge-model", "openai/judge")
    where = ("--judge-base-url", server.base_url, "--attempts", "1")
    found = command.json(*options, *where, code=1)
    assert (found["n"], found["failed"], found["failed_cases"]) == (8, 1, [5])
    assert (found["false_right"]["count"], found["false_right"]["of"]) == (5, 5)
    server.use({"rules": rules()})
    out, _ = command(*options, *where)
    assert "same kind (K or L)" in out and "20 of 20 = 100.0 %" in out


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "line 1"),
        ('{"discipline": "physics"}', "question"),
        (
            json.dumps(
                {
                    "discipline": "physics",
                    "question": "Q",
                    "response": "a b",
                    "steps": [{"text": "c", "kind": "K", "score": 1}],
                    "kind": "x",
                }
            ),
            "does not stand in the response",
        ),
        ("", "holds no cases"),
    ],
)
def test_a_file_that_holds_no_step_cases_is_refused(tmp_path: Path, line: str, why: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match=why):
        read_steps_cases(path)
