"""The options of `evaluate`'s commands, in groups: which rows, which model, how to ask, who judges, how hard to try."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from benchwright.eval.runs.dataset import Selection
    from benchwright.eval.runs.spec import Input, JudgeKind, Mode, Protocol, SamplingSpec, StepsSee
    from benchwright.models.local_checkpoint import LocalSettings

F = TypeVar("F", bound=Callable[..., Any])
KEY_ENVIRONMENT = "OPENAI_API_KEY"


class Temperature(click.ParamType[Any]):
    """A number, or `default` to leave it to the server."""

    name = "number|default"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the option."""
        if value is None or value == "default":
            return "default"
        try:
            number = float(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number nor 'default'.", param, ctx)
        if number < 0:
            self.fail("a temperature is not negative.", param, ctx)
        return number


@dataclass(frozen=True, kw_only=True)
class Options:
    """What was typed; a command that lacks a group of options has its defaults here."""

    dataset: str = ""
    versions: str | None = None
    languages: str | None = None
    split: str = "test+testmini"
    limit: int | None = None
    only: tuple[str, ...] = ()
    model: str = ""
    base_url: str | None = None
    api_key_env: str = KEY_ENVIRONMENT
    max_tokens: int = 0
    temperature: float | str = 0.0
    seed: int | None = None
    extra: tuple[str, ...] = ()
    local: tuple[str, ...] = ()
    protocol: Protocol | None = None
    mode: str = "direct"
    input: Input = "QI"
    shots: str = "0"
    shot_seed: int = 0
    repeats: int = 1
    prompts: Path | None = None
    image_limit: float | None = None
    downscale_images: bool = False
    judge: JudgeKind | None = None
    judge_model: str | None = None
    judge_base_url: str | None = None
    judge_api_key_env: str = KEY_ENVIRONMENT
    judge_max_tokens: int = 2048
    judge_prompts: Path | None = None
    steps_see: str | None = None
    min_step_coverage: float = 0.0
    concurrency: int = 8
    attempts: int = 6
    timeout: float = 120.0
    stop_above: float = 0.5
    budget: str | None = None
    prices: Path | None = None
    allow_external: bool = False
    resume: bool = False
    out: Path | None = None
    predictions: Path | None = None
    answers: str | None = None
    workspace: Path | None = None
    as_json: bool = False

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The modes asked for, in the order in which they run."""
        return ("direct", "cot") if self.mode == "both" else ("cot",) if self.mode == "cot" else ("direct",)

    @property
    def selection(self) -> Selection:
        """Which rows."""
        from benchwright.eval.runs.dataset import Selection
        from benchwright.schemas.records import Split
        from benchwright.schemas.versions import PRESETS

        return Selection(
            versions=_names(self.versions),
            languages=_names(self.languages),
            splits=tuple(Split(name) for name in self.split.split("+")),
            limit=self.limit,
            only=self.only,
            preferred=tuple(PRESETS[self.protocol]) if self.protocol is not None else (),
        )

    @property
    def sampling(self) -> SamplingSpec:
        """Settings of each request."""
        from benchwright.eval.runs.spec import SamplingSpec

        return SamplingSpec(
            max_tokens=self.max_tokens or None,
            temperature=self.temperature if isinstance(self.temperature, float) else None,
            seed=self.seed,
            extra=_extra(self.extra),
        )

    @property
    def local_settings(self) -> LocalSettings | None:
        """How a `local/...` model is loaded; None where nothing is said.

        Raises:
            UsageError: an unknown setting or value, or settings for a model that is not loaded here.
        """
        from pydantic import ValidationError

        from benchwright.models.local_checkpoint import LocalSettings
        from benchwright.schemas.errors import UsageError

        if not self.local:
            return None
        if not self.model.startswith("local/"):
            raise UsageError(
                f"--local {self.local[0]} is about a local/... model: leave it away for {self.model}."
            )
        try:
            return LocalSettings.model_validate(dict(pair.split("=", 1) for pair in self.local))
        except ValueError as error:
            first = error.errors(include_url=False)[0] if isinstance(error, ValidationError) else None
            why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first else "write KEY=VALUE"
            raise UsageError(f"--local {' '.join(self.local)}: {why}.") from error

    @property
    def see(self) -> tuple[StepsSee, ...]:
        """What the scorer of steps sees besides question and response.

        Raises:
            UsageError: something else is named.
        """
        from typing import get_args

        from benchwright.eval.runs.spec import StepsSee
        from benchwright.schemas.errors import UsageError

        known = get_args(StepsSee)
        for name in _names(self.steps_see):
            if name not in known:
                raise UsageError(f"--steps-see {name}: choose {' and '.join(known)}, separated by a comma.")
        return tuple(name for name in known if name in _names(self.steps_see))


def grouped(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Options as one decorator; `--help` lists them in this order."""

    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return add


judge_option = click.option(
    "--judge",
    type=click.Choice(["rules", "math-verify", "llm", "chain"]),
    default=None,
    help="Who decides; default: llm when --judge-model is given, else rules.",
)
judge_key_option = click.option(
    "--judge-api-key-env", default=KEY_ENVIRONMENT, show_default=True, help="Its key's variable."
)
tries_options = grouped(
    click.option(
        "--concurrency", type=click.IntRange(min=1), default=8, show_default=True, help="Calls in flight."
    ),
    click.option(
        "--attempts", type=click.IntRange(min=1), default=6, show_default=True, help="Tries for one call."
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=120.0,
        show_default=True,
        metavar="SECONDS",
        help="Longest wait for the reply to one try.",
    ),
)
prices_option = click.option(
    "--prices",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="TOML file with prices of tokens; they win over those of the recipe.",
)

row_options = grouped(
    click.option(
        "--versions",
        default=None,
        help="Versions, separated by commas; default: the protocol's where --protocol is given, else all there are.",
    ),
    click.option(
        "--languages", default=None, help="Languages, separated by commas; default: all of the data set."
    ),
    click.option(
        "--split",
        type=click.Choice(["test+testmini", "test", "testmini"]),
        default="test+testmini",
        show_default=True,
        help="The default is the whole scored set.",
    ),
    click.option(
        "--limit", type=click.IntRange(min=1), default=None, help="Only the first N rows: a partial figure."
    ),
    click.option(
        "--only", multiple=True, metavar="ID", help="Only this row; may be repeated: a partial figure."
    ),
)

model_options = grouped(
    click.option(
        "--model", required=True, help="baseline/random, replay/FILE, local/PATH-OR-NAME or openai/NAME."
    ),
    click.option("--base-url", default=None, help="OpenAI-compatible endpoint of openai/NAME."),
    click.option(
        "--api-key-env",
        default=KEY_ENVIRONMENT,
        show_default=True,
        help="Environment variable that holds the key.",
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(min=0),
        default=2048,
        show_default=True,
        help="0 leaves it to the server.",
    ),
    click.option(
        "--temperature",
        type=Temperature(),
        default="0",
        show_default=True,
        help="`default` leaves it to the server.",
    ),
    click.option(
        "--seed", type=click.IntRange(min=0), default=None, help="Sent along; seeds baseline/random."
    ),
    click.option(
        "--extra",
        multiple=True,
        metavar="KEY=JSON",
        help="A further field of the request, e.g. reasoning_effort='\"low\"'.",
    ),
    click.option(
        "--local",
        multiple=True,
        metavar="KEY=VALUE",
        help="How a local/... model is loaded: dtype, device, batch_size, trust_remote_code, revision.",
    ),
)

way_options = grouped(
    click.option(
        "--protocol",
        type=click.Choice(["visscience", "sciverse"]),
        default=None,
        help="Whose way of asking and scoring; default: sciverse when one of its versions is asked, else visscience.",
    ),
    click.option(
        "--mode",
        type=click.Choice(["direct", "cot", "both"]),
        default="direct",
        show_default=True,
        help="The answer, or reasoning step by step; both makes two runs.",
    ),
    click.option(
        "--input",
        type=click.Choice(["Q", "QI", "I"]),
        default="QI",
        show_default=True,
        help="Send the text, text and pictures, or (blind baseline) pictures alone.",
    ),
    click.option(
        "--shots",
        type=click.Choice(["0", "2"]),
        default="0",
        show_default=True,
        help="Worked examples from the dev split before each question.",
    ),
    click.option(
        "--shot-seed", type=click.IntRange(min=0), default=0, show_default=True, help="Draws the examples."
    ),
    click.option(
        "--repeats",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Ask every row K times: K runs, whose spread is reported.",
    ),
    click.option(
        "--prompts",
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        default=None,
        help="Folder of your own instructions, NAME.LANG.txt (docs/evaluation.md); recorded as yours.",
    ),
    click.option(
        "--image-limit",
        type=click.FloatRange(min=0, min_open=True),
        default=None,
        metavar="MB",
        help="Most megabytes of a picture as base64; a larger one counts as not sendable.",
    ),
    click.option(
        "--downscale-images",
        is_flag=True,
        help="Send pictures above the limit reduced by a fixed, recorded rule.",
    ),
)

judge_options = grouped(
    judge_option,
    click.option(
        "--judge-model",
        default=None,
        help="The judging model, e.g. openai/NAME; it scores the steps of SciVerse's step by step runs too.",
    ),
    click.option("--judge-base-url", default=None, help="Endpoint of the judging model."),
    judge_key_option,
    click.option(
        "--judge-max-tokens",
        type=click.IntRange(min=1024),
        default=2048,
        show_default=True,
        help="Room for the judge's words; a reasoning judge needs more.",
    ),
    click.option(
        "--judge-prompts",
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        default=None,
        help="Folder of your own words for the judging model, judge.LANG.txt; recorded as yours.",
    ),
    click.option(
        "--steps-see",
        default=None,
        metavar="WHAT",
        help="Show the scorer of steps more than question and response: answer, image or both; recorded.",
    ),
    click.option(
        "--min-step-coverage",
        type=click.FloatRange(0, 1),
        default=0.0,
        show_default=True,
        help="Least share of a response's words that its steps have to cover; below, it is not scored.",
    ),
)

effort_options = grouped(
    tries_options,
    click.option(
        "--stop-above",
        type=click.FloatRange(0, 1),
        default=0.5,
        show_default=True,
        help="Stop when more than this share of the run's calls fail.",
    ),
    click.option(
        "--budget",
        default=None,
        metavar="USD",
        help="Stop before the calls cost more than this, judge included.",
    ),
    prices_option,
    click.option(
        "--allow-external", is_flag=True, help="Send an unreleased folder to a model outside this machine."
    ),
)


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def _extra(pairs: Sequence[str]) -> dict[str, Any]:
    from benchwright.schemas.errors import UsageError

    fields: dict[str, Any] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        try:
            fields[name] = json.loads(text, parse_constant=_no_number)
        except ValueError as error:
            raise UsageError(f"--extra {pair}: write KEY=JSON, e.g. top_k=20 or effort='\"low\"'.") from error
        if not sign or not name:
            raise UsageError(f"--extra {pair}: write KEY=JSON, e.g. top_k=20.")
    return fields


def _no_number(name: str) -> None:
    raise ValueError(f"{name} has no JSON form")
