"""A run as an eval log of inspect_ai (JSON, log version 2), for its viewer and whatever else reads such logs.

Nothing is left out: a row whose call failed is a sample with `error` and without a score; a refusal, a filtered, an
empty or a cut reply keeps its `stop_reason` and is scored `N` (no answer); an answer that nobody judged has inspect's
own mark of an unscored sample, the value NaN with a reason. A run records no times, so `created` is the epoch.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from benchwright import __version__
from benchwright.eval.metrics.cells import Cell, cell_of
from benchwright.eval.metrics.scored import scored_rows
from benchwright.eval.runs.spec import JudgeSpec, ModelSpec, RunSpec, SamplingSpec
from benchwright.eval.runs.store import Loaded, RunFolder
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.runs import Judgement, Response, StepsRecord
from benchwright.schemas.status import OUTCOME_OF_STATUS, CallStatus, Outcome

LOG_VERSION = 2
NO_TIME = "1970-01-01T00:00:00+00:00"
SCORER = "benchwright_judge"
STEPS_SCORER = "benchwright_steps"
UNSCORED = float("nan")
"""How inspect marks a sample that no metric counts; written as the constant NaN, as inspect writes it."""
_VALUES = {Outcome.CONSISTENT: "C", Outcome.INCONSISTENT: "I", Outcome.NO_ANSWER: "N"}
_STOP_REASONS = {
    CallStatus.OK: "stop",
    CallStatus.EMPTY: "stop",
    CallStatus.TRUNCATED: "max_tokens",
    CallStatus.REFUSED: "content_filter",
    CallStatus.FILTERED: "content_filter",
}
_REASONS = {CallStatus.REFUSED: "refusal", CallStatus.FILTERED: "refusal", CallStatus.EMPTY: "no_response"}


def inspect_log(folder: RunFolder) -> dict[str, Any]:
    """The log of a run, ready for `log_bytes`.

    Raises:
        UsageError: the folder holds no run.
    """
    spec, rows = folder.spec(), folder.rows()
    known = folder.load(rows)
    total = cell_of((), (), scored_rows(rows, known))
    steps = [record for record in known.steps.values() if record.outcome != "unjudged"]
    return {
        "version": LOG_VERSION,
        "status": "success",
        "eval": _eval(spec, rows, total),
        "plan": {"name": "plan", "steps": [_step(spec)], "config": _config(spec.sampling)},
        "results": _results(spec, total, steps),
        "stats": {"model_usage": _usage(spec, known)},
        "samples": [
            _sample(
                spec, row, known.responses.get(row.id), known.judgements.get(row.id), known.steps.get(row.id)
            )
            for row in rows
        ],
    }


def log_bytes(log: Mapping[str, Any]) -> bytes:
    """The log as a file: the same bytes for the same run. NaN is written as inspect writes it."""
    return (json.dumps(log, ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode("utf-8")


def _eval(spec: RunSpec, rows: Sequence[ReleaseRow], total: Cell) -> dict[str, Any]:
    dataset = spec.dataset
    return {
        "eval_id": spec.run_id,
        "run_id": spec.run_id,
        "created": NO_TIME,
        "task": f"{spec.protocol}_{spec.mode}",
        "task_id": spec.run_id,
        "task_version": 0,
        "dataset": {
            "name": dataset.name,
            "location": dataset.name if dataset.origin == "hub" else None,
            "samples": len(rows),
            "sample_ids": [row.id for row in rows],
            "shuffled": False,
        },
        "model": spec.model.name,
        "model_base_url": spec.model.base_url,
        "model_generate_config": _config(spec.sampling),
        "config": {"epochs": 1},
        "packages": {"benchwright": __version__},
        "metadata": {
            "spec": spec.model_dump(mode="json"),
            "times": "a run records none; `created` is the epoch",
            "partial": dataset.partial,
            "incomplete": total.incomplete,
        },
    }


def _step(spec: RunSpec) -> dict[str, Any]:
    prompts = {prompt.name: prompt.sha256 for prompt in spec.prompts}
    return {
        "solver": f"benchwright_{spec.mode}",
        "params": {"protocol": spec.protocol, "input": spec.input, "shots": spec.shots, "prompts": prompts},
    }


def _config(sampling: SamplingSpec) -> dict[str, Any]:
    named = {"max_tokens": sampling.max_tokens, "temperature": sampling.temperature, "seed": sampling.seed}
    config: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    if sampling.extra:
        config["extra_body"] = dict(sampling.extra)
    return config


def _results(spec: RunSpec, total: Cell, steps: Sequence[StepsRecord]) -> dict[str, Any]:
    scores = []
    if spec.judge is not None:
        metrics = (
            {} if total.accuracy is None else {"accuracy": {"name": "accuracy", "value": total.accuracy}}
        )
        scores.append(
            {
                "name": SCORER,
                "scorer": SCORER,
                "params": _judge_params(spec.judge),
                "scored_samples": total.n_scored,
                "unscored_samples": total.n_total - total.n_scored,
                "metrics": metrics,
                "metadata": total.model_dump(mode="json"),
            }
        )
    if spec.steps is not None:
        means = {"K": _mean(steps, "K"), "L": _mean(steps, "L")}
        scores.append(
            {
                "name": STEPS_SCORER,
                "scorer": STEPS_SCORER,
                "params": {"model": spec.steps.model.name, "see": list(spec.steps.see)},
                "scored_samples": len(steps),
                "unscored_samples": total.n_total - len(steps),
                "metrics": {
                    name: {"name": name, "value": value} for name, value in means.items() if value is not None
                },
            }
        )
    return {
        "total_samples": total.n_total,
        "completed_samples": total.n_total - total.not_run,
        "scores": scores,
    }


def _judge_params(judge: JudgeSpec) -> dict[str, Any]:
    return {
        "kind": judge.kind,
        "rules_version": judge.rules_version,
        "model": None if judge.model is None else judge.model.name,
        "prompts": {prompt.name: prompt.sha256 for prompt in judge.prompts},
    }


def _usage(spec: RunSpec, known: Loaded) -> dict[str, Any]:
    """Tokens where every reply says its own: a sum with gaps would look like less than was used."""
    counts = [_tokens(reply) for reply in known.responses.values()]
    told = [count for count in counts if count is not None]
    if not told or len(told) < len(counts):
        return {}
    return {spec.model.name: {name: sum(count[name] for count in told) for name in told[0]}}


def _tokens(reply: Response) -> dict[str, int] | None:
    """None where the server did not say how many."""
    asked, said = reply.prompt_tokens, reply.completion_tokens
    if asked is None or said is None:
        return None
    return {"input_tokens": asked, "output_tokens": said, "total_tokens": asked + said}


def _sample(
    spec: RunSpec,
    row: ReleaseRow,
    response: Response | None,
    judgement: Judgement | None,
    steps: StepsRecord | None,
) -> dict[str, Any]:
    sample: dict[str, Any] = {
        "id": row.id,
        "epoch": spec.sample + 1,
        "input": row.question,
        "target": row.answer or "",
        "messages": [{"role": "user", "content": row.question}],
        "metadata": _metadata(row, response),
    }
    if row.options:
        sample["choices"] = [option.text or "" for option in row.options]
    if response is None:
        return {**sample, "error": _error("not asked yet")}
    sample["output"] = _output(spec.model, response)
    if not response.final or OUTCOME_OF_STATUS[response.status] is Outcome.NOT_RUN:
        return {**sample, "error": _error(f"{response.status.value}: {response.detail}".rstrip(": "))}
    sample["messages"] = [*sample["messages"], _said(spec.model, response)]
    scores = {}
    if spec.judge is not None:
        scores[SCORER] = _score(response, judgement)
    if spec.steps is not None:
        scores[STEPS_SCORER] = _steps_score(steps)
    return {**sample, "scores": scores}


def _metadata(row: ReleaseRow, response: Response | None) -> dict[str, Any]:
    """What a reader needs to filter by, and what the judge saw; pictures by digest."""
    names = (
        "problem_id",
        "version",
        "language",
        "discipline",
        "subject",
        "difficulty",
        "unit",
        "full_question",
    )
    shown: dict[str, Any] = {name: getattr(row, name) for name in names}
    return {
        **shown,
        "images": list(row.images),
        "status": "not-asked" if response is None else response.status.value,
        "detail": "" if response is None else response.detail,
    }


def _said(model: ModelSpec, response: Response) -> dict[str, Any]:
    return {"role": "assistant", "content": response.text, "source": "generate", "model": model.name}


def _output(model: ModelSpec, response: Response) -> dict[str, Any]:
    stopped = _STOP_REASONS.get(response.status)
    output: dict[str, Any] = {
        "model": model.name,
        "choices": [{"message": _said(model, response), "stop_reason": stopped or "unknown"}],
    }
    if (tokens := _tokens(response)) is not None:
        output["usage"] = tokens
    if stopped is None:
        output["error"] = f"{response.status.value}: {response.detail}".rstrip(": ")
    return output


def _error(message: str) -> dict[str, str]:
    return {"message": message, "traceback": "", "traceback_ansi": ""}


def _score(response: Response, judgement: Judgement | None) -> dict[str, Any]:
    if judgement is None:
        return {"value": UNSCORED, "reason": "not-judged", "explanation": "nobody judged this answer yet"}
    score: dict[str, Any] = {
        "value": _VALUES.get(judgement.outcome, UNSCORED),
        "answer": response.text,
        "explanation": judgement.judge_text or judgement.reason,
        "metadata": {
            "outcome": judgement.outcome.value,
            "decided_by": judgement.decided_by,
            "reason": judgement.reason,
            "injection_suspected": judgement.injection_suspected,
        },
    }
    if judgement.outcome is Outcome.NO_ANSWER:
        score["reason"] = _REASONS.get(response.status, judgement.reason)
    elif judgement.outcome is Outcome.UNJUDGED:
        score["reason"] = judgement.reason
    return score


def _steps_score(record: StepsRecord | None) -> dict[str, Any]:
    if record is None or record.outcome == "unjudged":
        reason = "not-judged" if record is None else record.reason
        return {"value": UNSCORED, "reason": reason}
    return {
        "value": {"K": _share(record, "K"), "L": _share(record, "L")},
        "explanation": "\n".join(f"[{step.kind} {step.score}] {step.text}" for step in record.steps),
        "metadata": {"outcome": record.outcome, "reason": record.reason, "coverage": record.coverage},
    }


def _share(record: StepsRecord, kind: str) -> float | None:
    """Share of right steps of a kind in one response; 0 without an answer, None where it has no such step."""
    if record.outcome == "no-answer":
        return 0.0
    scores = [step.score for step in record.steps if step.kind == kind]
    return fmean(scores) if scores else None


def _mean(records: Sequence[StepsRecord], kind: str) -> float | None:
    shares = [share for record in records if (share := _share(record, kind)) is not None]
    return fmean(shares) if shares else None
