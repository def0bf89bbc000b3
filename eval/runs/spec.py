"""What a run is: everything that decides its answers and verdicts, and nothing else.

The run's id is a prefix of the specification's digest, so the same question asked twice continues the same folder and
a changed setting starts a new one. Concurrency, time-outs and folders stay out; so does the API key.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from benchwright.models.chat import ChatModel
from benchwright.schemas.digest import digest_of
from benchwright.schemas.records import Record, Sha256, Split
from benchwright.schemas.runs import RUN_ID_LENGTH

SPEC_VERSION = 2
"""Raised when the meaning of a run changes (rows, messages or verdict rules)."""

JudgeKind = Literal["rules", "math-verify", "llm", "chain"]
Protocol = Literal["visscience", "sciverse", "human"]
"""Whose way of asking; `human`: people answered in the annotation tool."""
Mode = Literal["direct", "cot"]
"""The answer at once, or reasoning step by step before it."""
Input = Literal["Q", "QI", "I"]
"""What of a row is sent: its text, its text and its pictures, or (a blind baseline) its pictures alone."""
StepsSee = Literal["answer", "image"]
SCORED_SPLITS: tuple[Split, ...] = (Split.TESTMINI, Split.TEST)
"""The whole scored set; `dev` holds the few-shot examples and is never scored."""


class PromptRef(Record):
    """A prompt file by name and content."""

    name: str
    """`NAME.LANG.VERSION`, e.g. `direct.zh.1`; the version of a user's own prompt is `user`."""
    sha256: Sha256
    text: str | None = None
    """The words themselves where they are a user's own, since no package holds them; None for ours."""


class DatasetSpec(Record):
    """Which released rows are asked, fixed to the byte."""

    name: str
    """Hub id; for a folder the name in its manifest, else the folder's own."""
    origin: Literal["hub", "folder"]
    commit: str | None = None
    """Commit on the Hub; None for a folder."""
    digest: Sha256
    """Digest over the chosen rows, in order: it changes when a single row does."""
    tag: str | None = None
    """Release tag from the manifest, where there is one."""
    rows: int
    versions: tuple[str, ...]
    languages: tuple[str, ...]
    splits: tuple[Split, ...]
    limit: int | None = None
    only: tuple[str, ...] = ()
    answers: Sha256 | None = None
    """Digest of the file that the reference answers came from; None: they are the release's own."""

    @property
    def partial(self) -> bool:
        """True when `--limit` or `--only` left out rows: the figures are not the benchmark's."""
        return self.limit is not None or bool(self.only)


class ModelSpec(Record):
    """A model behind an endpoint. There is no field for a key."""

    name: str
    """As given on the command line, e.g. `openai/NAME` or `baseline/random`."""
    endpoint: str
    """Kind of the endpoint: openai, replay or baseline."""
    base_url: str | None = None
    """Address without credentials."""
    revision: str | None = None
    """Digest of a replayed file, or the version of an embedded rule."""


def model_spec(model: ChatModel) -> ModelSpec:
    """Identity of a model for the specification; holds no key."""
    return ModelSpec(
        name=model.name,
        endpoint=model.endpoint.kind,
        base_url=model.endpoint.base_url,
        revision=model.endpoint.revision,
    )


class SamplingSpec(Record):
    """Settings sent with every request; None leaves a field out, so that the server's default holds."""

    max_tokens: int | None = Field(default=2048, gt=0)
    temperature: float | None = Field(default=0.0, ge=0.0)
    seed: int | None = Field(default=None, ge=0)
    extra: dict[str, JsonValue] = {}
    """Further fields of the request body, e.g. `max_completion_tokens`."""


class JudgeSpec(Record):
    """Who decides whether a response is consistent with the reference answer."""

    kind: JudgeKind
    rules_version: int
    model: ModelSpec | None = None
    """The judging model; None for `rules`."""
    max_tokens: int | None = None
    """Room for the judging model's words; None for `rules`."""
    prompts: tuple[PromptRef, ...] = ()


class StepsSpec(Record):
    """Who divides a response into key steps and scores them (SciVerse, section 2.4)."""

    model: ModelSpec
    prompts: tuple[PromptRef, ...]
    see: tuple[StepsSee, ...] = ()
    """What the scorer sees besides the whole question and the response, sorted."""
    min_coverage: float = Field(default=0.0, ge=0.0, le=1.0)
    """Least share of the response's words that its steps have to cover; 0: it is reported only."""
    max_tokens: int = Field(default=4096, gt=0)
    """Room for the reply to each of the two questions."""


class ImagePolicy(Record):
    """How pictures travel: the published bytes, or a recorded reduction of those that the endpoint would refuse."""

    kind: Literal["published-bytes", "downscale"] = "published-bytes"
    limit: int | None = Field(default=None, gt=0)
    """Most bytes that a picture may have once it is base64 text; None: no limit is known, all are sent."""
    rule: str | None = None
    """Name of the reduction with its version, e.g. `halve.1`; None for `published-bytes`."""


class RunSpec(Record):
    """Specification of a run: one answer a row."""

    spec_version: int = SPEC_VERSION
    protocol: Protocol
    mode: Mode = "direct"
    input: Input = "QI"
    shots: int = Field(default=0, ge=0)
    """Worked examples before each question."""
    shot_seed: int = Field(default=0, ge=0)
    """Draws the examples."""
    shot_ids: tuple[str, ...] = ()
    """Release rows of the dev split that serve as examples in this run, sorted."""
    shots_digest: Sha256 | None = None
    """Digest over those rows; None without examples."""
    sample: int = Field(default=0, ge=0)
    """Which of several answers to the same rows this run holds (`--repeats`)."""
    dataset: DatasetSpec
    model: ModelSpec
    sampling: SamplingSpec
    prompts: tuple[PromptRef, ...]
    prompts_of: Literal["benchwright", "user"] = "benchwright"
    """Whose instructions were sent."""
    image_policy: ImagePolicy = ImagePolicy()
    judge: JudgeSpec | None
    """Who decides about final answers; None where nobody does: answers alone (`evaluate generate`), or steps."""
    steps: StepsSpec | None = None
    """Who divides and scores the steps of a response; None where nobody does."""

    @property
    def run_id(self) -> str:
        """First 16 hexadecimal digits of the specification's digest."""
        return digest_of(self)[:RUN_ID_LENGTH]

    def differs_only_in_data(self, other: RunSpec) -> bool:
        """True when the two ask another data set in the very same way."""
        return self.model_copy(update={"dataset": other.dataset}) == other
