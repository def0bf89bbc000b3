"""Before a run: its specification, and whether its rows may leave the machine."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchwright.eval.judges.judge_llm import JUDGE_MAX_TOKENS, judge_refs
from benchwright.eval.judges.judge_rules import RULES_VERSION
from benchwright.eval.runs.dataset import Dataset
from benchwright.eval.runs.instructions import Instructions, instructions
from benchwright.eval.runs.shots import Shots
from benchwright.eval.runs.spec import (
    ImagePolicy,
    Input,
    JudgeKind,
    JudgeSpec,
    Mode,
    Protocol,
    RunSpec,
    SamplingSpec,
    StepsSee,
    StepsSpec,
    model_spec,
)
from benchwright.models.chat import ChatModel
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.versions import VERSIONS

ASKING_JUDGES: frozenset[JudgeKind] = frozenset({"llm", "chain"})
"""Judges that ask a model."""
IN_THE_PICTURE = frozenset(spec.version.value for spec in VERSIONS.values() if spec.rendered)
"""Versions whose picture holds a part of the question."""


def judge_kind(
    wanted: JudgeKind | None,
    judge_model: str | None,
    tested: ChatModel | None,
    *,
    for_steps: bool = False,
) -> JudgeKind:
    """Which judge a run has: as asked for, else `llm` when a judging model is named, else `rules`.

    Args:
        wanted: as typed.
        judge_model: name of the judging model, as typed.
        tested: the model to be judged; a guesser answers in letters and is always decided by the rules. None where
            people answered.
        for_steps: the judging model scores steps too, so it has work beside a judge that asks nobody.

    Raises:
        UsageError: judge and judging model do not fit together.
    """
    if tested is not None and tested.endpoint.kind == "baseline":
        return "rules"
    kind = wanted or ("rules" if judge_model is None else "llm")
    if kind not in ASKING_JUDGES and judge_model is not None and not for_steps:
        raise UsageError(
            f"--judge {kind} asks no model: leave --judge-model away, or use --judge llm or chain."
        )
    if kind in ASKING_JUDGES and judge_model is None:
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


def judge_spec(
    kind: JudgeKind,
    judge: ChatModel | None,
    max_tokens: int,
    languages: Sequence[str],
    prompts: Path | None = None,
) -> JudgeSpec:
    """Who decides about final answers.

    Args:
        kind: of judge.
        judge: the judging model; None for a judge that asks none.
        max_tokens: room for its words.
        languages: of the data.
        prompts: folder of the user's own prompts of the judging model; None for ours.

    Raises:
        UsageError: a prompt is missing or cannot be used.
    """
    return JudgeSpec(
        kind=kind,
        rules_version=RULES_VERSION,
        model=None if judge is None else model_spec(judge),
        max_tokens=None if judge is None else max_tokens,
        prompts=() if judge is None else judge_refs(tuple(languages), prompts),
    )


@dataclass(frozen=True)
class Way:
    """How rows are asked."""

    protocol: Protocol
    mode: Mode = "direct"
    input: Input = "QI"
    shots: int = 0
    shot_seed: int = 0
    prompts: Path | None = None
    """Folder of the user's own prompts; None for ours."""
    images: ImagePolicy = field(default_factory=ImagePolicy)


@dataclass(frozen=True)
class Verdicts:
    """Who decides, and how."""

    kind: JudgeKind
    model: ChatModel | None = None
    """Judges final answers or steps; None for a judge that asks nobody."""
    max_tokens: int = JUDGE_MAX_TOKENS
    prompts: Path | None = None
    """Folder of the user's own prompts of the judging model; None for ours."""
    steps_see: tuple[StepsSee, ...] = ()
    min_step_coverage: float = 0.0


@dataclass(frozen=True)
class Plan:
    """A run before it starts: its specification, and what the specification names only by digest."""

    spec: RunSpec
    dataset: Dataset
    instructions: Instructions
    shots: Shots


def check_way(way: Way, dataset: Dataset) -> None:
    """Refuse ways of asking that make no sense for these rows.

    Raises:
        UsageError: text alone is asked of rows whose question stands in the picture, or examples where the protocol
            has none.
    """
    drawn = [version for version in dataset.spec.versions if version in IN_THE_PICTURE]
    if way.input == "Q" and drawn:
        raise UsageError(
            f"--input Q sends no pictures, and {' and '.join(drawn)} ask with the picture: leave them out with "
            "--versions, or use --input QI."
        )
    if way.shots and (way.protocol, way.mode) != ("visscience", "cot"):
        raise UsageError(
            f"--shots {way.shots} shows worked examples, which are part of VisScience's chain of thought: add "
            "--protocol visscience --mode cot, or use --shots 0."
        )
    if way.shots and way.input == "I":
        raise UsageError(
            "--input I is a blind baseline without any text: it takes no examples, use --shots 0."
        )


def make_plan(
    dataset: Dataset,
    tested: ChatModel,
    way: Way,
    sampling: SamplingSpec,
    verdicts: Verdicts | None,
    *,
    shots: Shots | None = None,
    sample: int = 0,
) -> Plan:
    """Everything that decides a run.

    Args:
        dataset: the rows to ask.
        tested: the model to ask.
        way: how.
        sampling: settings of each request; a seed is that of the first sample, the next ones count up from it.
        verdicts: who decides; None where only answers are wanted.
        shots: drawn examples.
        sample: which of several answers to the same rows.

    Raises:
        UsageError: the way does not fit the rows, there is no prompt in a language of the data, or step scores are
            wanted without a judging model.
    """
    check_way(way, dataset)
    languages = dataset.spec.languages
    words = instructions(way.protocol, way.mode, languages, way.prompts)
    examples = shots or Shots()
    if sampling.seed is not None:
        sampling = sampling.model_copy(update={"seed": sampling.seed + sample})
    spec = RunSpec(
        protocol=way.protocol,
        mode=way.mode,
        input=way.input,
        shots=way.shots,
        shot_seed=way.shot_seed if way.shots else 0,
        shot_ids=examples.ids,
        shots_digest=examples.digest,
        sample=sample,
        dataset=dataset.spec,
        model=model_spec(tested),
        sampling=sampling,
        prompts=words.refs,
        prompts_of=words.whose,
        image_policy=way.images,
        judge=None,
    )
    spec = spec if verdicts is None else with_verdicts(spec, verdicts)
    return Plan(spec, dataset, words, examples)


def with_verdicts(spec: RunSpec, verdicts: Verdicts) -> RunSpec:
    """The specification of the same answers, decided about by these.

    Raises:
        UsageError: step scores are wanted without a judging model.
    """
    languages = spec.dataset.languages
    if scored_by_steps(spec.protocol, spec.mode):
        return spec.model_copy(update={"judge": None, "steps": steps_spec(verdicts, languages)})
    # A guesser answers in letters: the rules decide, whoever is named.
    kind: JudgeKind = "rules" if spec.model.endpoint == "baseline" else verdicts.kind
    judge = verdicts.model if kind in ASKING_JUDGES else None
    decided = judge_spec(kind, judge, verdicts.max_tokens, languages, verdicts.prompts)
    return spec.model_copy(update={"judge": decided, "steps": None})


def scored_by_steps(protocol: Protocol, mode: Mode) -> bool:
    """Whether a run's steps are scored in place of its final answers: SciVerse's Sci-CoT."""
    return (protocol, mode) == ("sciverse", "cot")


def steps_spec(verdicts: Verdicts, languages: Sequence[str]) -> StepsSpec:
    """Who divides and scores steps.

    Raises:
        UsageError: there is no judging model.
    """
    from benchwright.eval.scicot.steps import STEPS_MAX_TOKENS, steps_refs

    if verdicts.model is None:
        raise UsageError(
            "SciVerse's step by step runs are scored by a model, step after step: name it with --judge-model, or make "
            "the answers alone with evaluate generate."
        )
    return StepsSpec(
        model=model_spec(verdicts.model),
        prompts=steps_refs(tuple(languages)),
        see=tuple(sorted(verdicts.steps_see)),
        min_coverage=verdicts.min_step_coverage,
        max_tokens=max(verdicts.max_tokens, STEPS_MAX_TOKENS),
    )


def check_outgoing(
    dataset: Dataset,
    tested: ChatModel | None,
    judge: ChatModel | None,
    *,
    allow_external: bool,
    forbidden_sources: Collection[str] = (),
    examples: Sequence[ReleaseRow] = (),
) -> None:
    """Refuse to send an unreleased data set out of this machine without a word from its builder.

    A data set on the Hub is released and may go to any model. A folder may not have been released yet: an external
    model needs `allow_external`, and never gets a source that the recipe forbids. `tested` is None where people
    answered; `examples` are shown to it with their answers.

    Raises:
        UsageError: an external model would see rows that may not leave.
    """
    if dataset.spec.origin == "hub":
        return
    asked = "questions and images" + (f", {len(examples)} examples with answers" if examples else "")
    for model, what in ((tested, asked), (judge, "questions and answers")):
        if model is None or not model.external:
            continue
        kept_back = sorted({row.source for row in (*dataset.rows, *examples)} & set(forbidden_sources))
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
