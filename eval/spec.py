"""What a run is: everything that decides its answers and verdicts, and nothing else.

The run's id is a prefix of the specification's digest, so the same question asked twice continues the same folder and
a changed setting starts a new one. Concurrency, time-outs and folders stay out; so does the API key.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from benchwright.schemas.digest import digest_of
from benchwright.schemas.records import Record, Sha256, Split
from benchwright.schemas.runs import RUN_ID_LENGTH

SPEC_VERSION = 1
"""Raised when the meaning of a run changes (rows, messages or verdict rules)."""

JudgeKind = Literal["rules", "llm", "rules+llm"]
SCORED_SPLITS: tuple[Split, ...] = (Split.TESTMINI, Split.TEST)
"""The whole scored set; `dev` holds the few-shot examples and is never scored."""


class PromptRef(Record):
    """A prompt file by name and content."""

    name: str
    """`NAME.LANG.VERSION`, e.g. `direct.zh.1`."""
    sha256: Sha256


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


class RunSpec(Record):
    """Specification of a run."""

    spec_version: int = SPEC_VERSION
    protocol: str = "direct"
    dataset: DatasetSpec
    model: ModelSpec
    sampling: SamplingSpec
    prompts: tuple[PromptRef, ...]
    image_policy: Literal["published-bytes"] = "published-bytes"
    """Images are sent as the release holds them: same bytes, same sha256."""
    judge: JudgeSpec

    @property
    def run_id(self) -> str:
        """First 16 hexadecimal digits of the specification's digest."""
        return digest_of(self)[:RUN_ID_LENGTH]

    def differs_only_in_data(self, other: RunSpec) -> bool:
        """True when the two ask another data set in the very same way."""
        return self.model_copy(update={"dataset": other.dataset}) == other
