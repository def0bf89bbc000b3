"""Before a run: its specification, and whether its rows may leave the machine."""

from __future__ import annotations

from collections.abc import Collection

from benchwright.eval.dataset import Dataset
from benchwright.eval.judge_llm import JUDGE_MAX_TOKENS, judge_refs
from benchwright.eval.judge_rules import RULES_VERSION
from benchwright.eval.messages import prompt_refs
from benchwright.eval.spec import JudgeKind, JudgeSpec, ModelSpec, RunSpec, SamplingSpec
from benchwright.models.chat import ChatModel
from benchwright.schemas.errors import UsageError


def judge_kind(wanted: JudgeKind | None, judge_model: str | None, tested: ChatModel | None) -> JudgeKind:
    """Which judge a run has: as asked for, else `llm` when a judging model is named, else `rules`.

    A guesser answers in letters and is always decided by the rules. `tested` is None where people answered.

    Raises:
        UsageError: judge and judging model do not fit together.
    """
    if tested is not None and tested.endpoint.kind == "baseline":
        return "rules"
    kind = wanted or ("rules" if judge_model is None else "llm")
    if kind == "rules" and judge_model is not None:
        raise UsageError(
            "--judge rules asks no model: leave --judge-model away, or use --judge llm or rules+llm."
        )
    if kind != "rules" and judge_model is None:
        raise UsageError(f"--judge {kind} needs a judging model: name it with --judge-model.")
    return kind


def check_judge(judge: ChatModel) -> None:
    """Refuse a judge that cannot read.

    Raises:
        UsageError: the guesser was named as judge.
    """
    if judge.endpoint.kind == "baseline":
        raise UsageError(
            f"{judge.name} only guesses letters and cannot judge: name a model with --judge-model."
        )


def model_spec(model: ChatModel) -> ModelSpec:
    """Identity of a model for the specification; holds no key."""
    return ModelSpec(
        name=model.name,
        endpoint=model.endpoint.kind,
        base_url=model.endpoint.base_url,
        revision=model.endpoint.revision,
    )


def run_spec(
    dataset: Dataset,
    tested: ChatModel,
    kind: JudgeKind,
    judge: ChatModel | None,
    sampling: SamplingSpec,
    judge_max_tokens: int = JUDGE_MAX_TOKENS,
) -> RunSpec:
    """The specification of a direct, zero-shot run.

    Raises:
        UsageError: the protocol has no prompt in a language of the data.
    """
    languages = dataset.spec.languages
    return RunSpec(
        dataset=dataset.spec,
        model=model_spec(tested),
        sampling=sampling,
        prompts=prompt_refs(languages),
        judge=JudgeSpec(
            kind=kind,
            rules_version=RULES_VERSION,
            model=None if judge is None else model_spec(judge),
            max_tokens=None if judge is None else judge_max_tokens,
            prompts=() if judge is None else judge_refs(languages),
        ),
    )


def check_outgoing(
    dataset: Dataset,
    tested: ChatModel | None,
    judge: ChatModel | None,
    *,
    allow_external: bool,
    forbidden_sources: Collection[str] = (),
) -> None:
    """Refuse to send an unreleased data set out of this machine without a word from its builder.

    A data set on the Hub is released and may go to any model. A folder may not have been released yet: an external
    model needs `allow_external`, and never gets a source that the recipe forbids. `tested` is None where people
    answered.

    Raises:
        UsageError: an external model would see rows that may not leave.
    """
    if dataset.spec.origin == "hub":
        return
    for model, what in ((tested, "questions and images"), (judge, "questions and answers")):
        if model is None or not model.external:
            continue
        kept_back = sorted({row.source for row in dataset.rows} & set(forbidden_sources))
        if kept_back:
            raise UsageError(
                f"{model.name} is at {model.endpoint.host}, outside this machine, and the recipe keeps the source "
                f"{kept_back[0]!r} in: choose a local endpoint."
            )
        if not allow_external:
            raise UsageError(
                f"{model.name} is at {model.endpoint.host}, outside this machine: {len(dataset.rows)} rows of a local "
                f"folder ({what}) would be sent there; add --allow-external to agree, or use a local endpoint."
            )
