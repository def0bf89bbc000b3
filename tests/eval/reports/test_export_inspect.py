"""`evaluate export --format inspect`: every row is a sample, failed ones too; inspect_ai's own reader reads it back.

The reader lives in an environment of its own (its dependencies are not ours): `BENCHWRIGHT_INSPECT_PYTHON` names the
interpreter.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.eval.reports.export_inspect import SCORER, STEPS_SCORER, inspect_log, log_bytes
from benchwright.eval.runs.spec import ModelSpec, RunSpec, StepsSpec
from benchwright.eval.runs.store import RunFolder
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.runs import Step, StepsRecord, steps_key

Rows = Callable[..., ReleaseRow]
READER = os.environ.get("BENCHWRIGHT_INSPECT_PYTHON", "")
RULES = [
    {"match": "Item p0", "answer": "Answer: B"},
    {"match": "Item p1", "answer": "Answer: C"},
    {"match": "Item p2", "content": None, "refusal": "I will not."},
    {"match": "Item p3", "status": 400, "error": {"code": "content_filter", "message": "content policy"}},
    {"match": "Item p4", "answer": "It is", "finish_reason": "length"},
    {"match": "Item p5", "status": 500},
    {"match": "Item p6", "answer": "It may be B, or it may be C."},
    {"match": "Item p7", "content": None},
]


@pytest.fixture
def run(command: Any, release: Any, row: Rows, openai_server: Any, tmp_path: Path) -> Path:
    """One row for each way in which a call can end, and one that nobody could judge."""
    rows = [row(f"p{i}") for i in range(8)]
    server = openai_server({"rules": RULES})
    out = tmp_path / "run"
    more = ("--model", "openai/m", "--base-url", server.base_url, "--attempts", 1, "--out", out)
    command(release(rows).folder, *more, code=1)
    return out


def samples(log: dict[str, Any]) -> dict[str, Any]:
    return {sample["id"]: sample for sample in log["samples"]}


def test_every_row_is_a_sample_and_says_how_it_ended(command: Any, run: Path) -> None:
    shown = command.json("export", run)
    assert (shown["samples"], shown["errors"]) == (8, 1)
    log = json.loads(Path(shown["file"]).read_text())
    found = samples(log)
    assert list(found) == [f"p{i}" for i in range(8)]
    stops = {name: s["output"]["choices"][0]["stop_reason"] for name, s in found.items()}
    assert stops == {
        "p0": "stop",
        "p1": "stop",
        "p2": "content_filter",
        "p3": "content_filter",
        "p4": "max_tokens",
        "p5": "unknown",
        "p6": "stop",
        "p7": "stop",
    }
    values = {name: s["scores"][SCORER]["value"] for name, s in found.items() if "scores" in s}
    assert {name: value for name, value in values.items() if name != "p6"} == {
        **{"p0": "C", "p1": "I"},
        **dict.fromkeys(("p2", "p3", "p4", "p7"), "N"),
    }
    assert math.isnan(values["p6"]) and found["p6"]["scores"][SCORER]["reason"].startswith("rules-")
    assert found["p5"]["error"]["message"].startswith("error:") and "scores" not in found["p5"]
    assert found["p2"]["scores"][SCORER]["reason"] == "refusal"
    assert (
        found["p2"]["metadata"]["status"] == "refused" and found["p2"]["metadata"]["detail"] == "I will not."
    )
    assert found["p7"]["scores"][SCORER]["reason"] == "no_response"
    score = log["results"]["scores"][0]
    assert (score["scored_samples"], score["unscored_samples"]) == (6, 2)
    assert score["metrics"]["accuracy"]["value"] == pytest.approx(1 / 6)
    assert (log["results"]["total_samples"], log["results"]["completed_samples"]) == (8, 7)
    assert log["eval"]["metadata"]["incomplete"] is True
    assert {name for name, s in found.items() if "usage" not in s["output"]} == {"p3", "p5"}
    assert log["stats"]["model_usage"] == {}, "a sum with gaps would look like less than was used"


def test_the_log_is_the_same_each_time_and_holds_no_key(command: Any, run: Path, tmp_path: Path) -> None:
    command("export", run, "--out", tmp_path / "one.json")
    command("export", run, "--out", tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    assert (tmp_path / "one.json").read_bytes() == log_bytes(inspect_log(RunFolder(run)))


def test_what_is_no_run_is_said_in_a_sentence(command: Any, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "is no run folder" in command("export", tmp_path / "empty", code=2)[1]


def test_scored_steps_are_a_score_of_their_own(run: Path) -> None:
    old = RunFolder(run)
    rows, known = old.rows(), old.load(old.rows())
    scorer = StepsSpec(model=ModelSpec(name="openai/scorer", endpoint="openai"), prompts=())
    changes = {"protocol": "sciverse", "mode": "cot", "judge": None, "steps": scorer}
    folder = RunFolder(run.with_name("steps"))
    folder.open(RunSpec.model_validate({**old.spec().model_dump(), **changes}))
    folder.write_rows(rows)
    folder.replace_responses(list(known.responses.values()))
    steps = [
        Step(text=f"s{i}", kind=kind, score=score) for i, (kind, score) in enumerate([("K", 1), ("K", 0)])
    ]
    for row in rows[:3]:
        outcome = "no-answer" if row.id == "p2" else "scored"
        made = {"outcome": outcome, "reason": "r", "steps": steps if outcome == "scored" else []}
        key = steps_key(row, known.responses[row.id])
        folder.steps.append(StepsRecord.model_validate({"row_id": row.id, "key_digest": key, **made}))
    log = inspect_log(folder)
    found = samples(log)
    assert found["p0"]["scores"][STEPS_SCORER]["value"] == {"K": 0.5, "L": None}
    assert found["p2"]["scores"][STEPS_SCORER]["value"] == {"K": 0.0, "L": 0.0}
    assert math.isnan(found["p6"]["scores"][STEPS_SCORER]["value"])
    (score,) = log["results"]["scores"]
    assert score["metrics"]["K"]["value"] == pytest.approx(1 / 3) and score["metrics"]["L"]["value"] == 0.0
    assert (score["scored_samples"], score["unscored_samples"]) == (3, 5)


READ = """
import json, math, sys
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
log = read_eval_log(sys.argv[1])
def value(sample):
    score = (sample.scores or {}).get("benchwright_judge")
    if score is None:
        return None
    return "unscored" if isinstance(score.value, float) and math.isnan(score.value) else score.value
print(json.dumps({
    "version": log.version, "status": log.status, "task": log.eval.task, "model": log.eval.model,
    "samples": {s.id: [value(s), s.output.stop_reason, s.error is not None, s.output.completion] for s in log.samples},
    "accuracy": log.results.scores[0].metrics["accuracy"].value,
    "completed": log.results.completed_samples,
    "summaries": len(read_eval_log_sample_summaries(sys.argv[1])),
}))
"""


@pytest.mark.skipif(not READER, reason="BENCHWRIGHT_INSPECT_PYTHON names no interpreter with inspect_ai")
def test_inspects_own_reader_reads_it(command: Any, run: Path) -> None:
    shown = command.json("export", run)
    done = subprocess.run([READER, "-c", READ, shown["file"]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout)
    assert (read["version"], read["status"], read["task"], read["model"]) == (
        2,
        "success",
        "visscience_direct",
        "openai/m",
    )
    assert read["accuracy"] == pytest.approx(1 / 6) and read["completed"] == 7 and read["summaries"] == 8
    assert read["samples"] == {
        "p0": ["C", "stop", False, "Answer: B"],
        "p1": ["I", "stop", False, "Answer: C"],
        "p2": ["N", "content_filter", False, ""],
        "p3": ["N", "content_filter", False, ""],
        "p4": ["N", "max_tokens", False, "It is"],
        "p5": [None, "unknown", True, ""],
        "p6": ["unscored", "stop", False, "It may be B, or it may be C."],
        "p7": ["N", "stop", False, ""],
    }
