"""Input tokens of a request, estimated without network and without any model's vocabulary.

Text is counted by classes (words, digits, Han characters, LaTeX commands, punctuation ...), each with a weight that was
fitted to real tokenizers on real questions (`benchmarks/token_estimates.py` fits anew and prints the errors); images
by the published rule of their model. What is unknown is a range over all that is known, never a guess of one number.
A `Calibration`, learnt from calls whose usage a server reported, then corrects the rest.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from functools import cache, lru_cache
from importlib import resources
from statistics import median
from typing import Annotated

from pydantic import Field

from benchwright.models.chat import ChatRequest, ImagePart, TextPart
from benchwright.models.image_tokens import ImageRule, image_size
from benchwright.schemas.records import Record

RULES_FILE = "token_rules.toml"
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3007\u3040-\u30ff\uac00-\ud7af"
# As where the real tokenizers cut, a backslash right after other punctuation belongs to that run, not to its command.
_PIECE = re.compile(
    r"(?P<command>\\[A-Za-z]+)|(?P<word>[A-Za-z]+)|(?P<number>[0-9]+)"
    rf"|(?P<han>[{_HAN}]+)|(?P<han_mark>[\u3000-\u3006\u3008-\u303f\uff00-\uffef\u2018-\u201d\u2026\u2014]+)"
    r"|(?P<line>[ \t]*[\r\n]+\s*)|(?P<blanks>[ \t]{2,})|(?P<blank> )"
    r"|(?P<marks>[!-/:-@\[-`{-~]+)|(?P<other>.)",
    re.DOTALL,
)
_LINE_START = re.compile(r"(?<=[\r\n])(?=\S)")
"""Where a text can be cut without changing any count: no piece reaches over it."""
FEATURES = (
    "word",
    "word_rest",
    "capital",
    "command",
    "command_rest",
    "number_group",
    "digit",
    "number_blank",
    "han",
    "han_run",
    "han_mark",
    "line",
    "blanks",
    "mark_run",
    "mark",
    "letter",
    "symbol",
)
"""What is counted; each family of tokenizers gives a weight to each."""
_WORD_WHOLE, _COMMAND_WHOLE = 7, 6
"""Letters up to which a word or a command is mostly one piece; those beyond are `word_rest`, `command_rest`."""
_UNSIZED = ((64, 64), (2048, 2048))
"""An image whose head cannot be read lies between these sizes."""


class TokenRange(Record):
    """A count that may be uncertain: at least, likely, at most."""

    low: Annotated[int, Field(ge=0)] = 0
    likely: Annotated[int, Field(ge=0)] = 0
    high: Annotated[int, Field(ge=0)] = 0

    @classmethod
    def of(cls, low: float, likely: float, high: float) -> TokenRange:
        """Rounded outwards; the likely value to the nearest."""
        return cls(low=math.floor(low), likely=round(likely), high=math.ceil(high))

    def __add__(self, other: TokenRange) -> TokenRange:
        return TokenRange(
            low=self.low + other.low, likely=self.likely + other.likely, high=self.high + other.high
        )


class Family(Record):
    """`[families.NAME]`: weights for one tokenizer, and how a chat template frames messages."""

    source: str
    """The package whose vocabulary was counted with."""
    date: str
    margin: Annotated[float, Field(ge=0)]
    """Largest error of the sum over one held-out source of questions, as a fraction."""
    per_message: Annotated[int, Field(ge=0)] = 4
    per_request: Annotated[int, Field(ge=0)] = 3
    weights: dict[str, float]


class Preset(Record):
    """`[[presets]]`: which family and which image rule a model follows."""

    ids: str
    """Regular expression that the last part of a model's id starts with, in small letters."""
    text: str | None = None
    """A family; None where the vocabulary was never published."""
    image: str | None = None
    """An image rule; None where none was published."""
    source: str
    date: str


class TokenRules(Record):
    """The whole of `token_rules.toml`."""

    families: dict[str, Family]
    images: dict[str, ImageRule]
    presets: tuple[Preset, ...]

    def preset(self, model: str) -> Preset | None:
        """The first preset that knows this model id, e.g. `openai/gpt-4o`."""
        last = model.rstrip("/").rsplit("/", 1)[-1].lower()
        return next((preset for preset in self.presets if re.match(preset.ids, last)), None)


@cache
def token_rules() -> TokenRules:
    """The rules that this package ships."""
    text = resources.files("benchwright.models").joinpath(RULES_FILE).read_text(encoding="utf-8")
    return TokenRules.model_validate(tomllib.loads(text))


def count_features(text: str) -> tuple[int, ...]:
    """How often each of `FEATURES` occurs in a text."""
    lines = _LINE_START.split(text)
    if len(lines) == 1:
        return _count_line(text)
    return tuple(map(sum, zip(*map(_count_line, lines), strict=True)))


@lru_cache(maxsize=4096)
def _count_line(text: str) -> tuple[int, ...]:
    """The same for one line with its break; remembered, since the prompts of a stage share most of their lines."""
    found = dict.fromkeys(FEATURES, 0)
    before: str | None = None
    for piece in _PIECE.finditer(text):
        kind, length = piece.lastgroup, piece.end() - piece.start()
        if kind == "word":
            found["word"] += 1
            found["word_rest"] += max(0, length - _WORD_WHOLE)
            found["capital"] += max(0, sum(letter.isupper() for letter in piece.group()) - 1)
        elif kind == "command":
            found["command"] += 1
            found["command_rest"] += max(0, length - _COMMAND_WHOLE)
        elif kind == "number":
            found["number_group"] += -(-length // 3)
            found["digit"] += length
            found["number_blank"] += before == "blank"
        elif kind in ("han", "han_mark"):
            found[kind] += length
            found["han_run"] += kind == "han"
        elif kind == "marks":
            found["mark_run"] += 1
            found["mark"] += length
        elif kind in ("line", "blanks"):
            found[kind] += 1
        elif kind == "other":
            found["letter" if piece.group().isalpha() else "symbol"] += 1
        before = kind
    return tuple(found.values())


class TokenEstimator:
    """Estimates for one model.

    Args:
        model: its id, e.g. `openai/gpt-4o`.
        rules: default: the ones this package ships.
    """

    def __init__(self, model: str, rules: TokenRules | None = None) -> None:
        rules = rules or token_rules()
        preset = rules.preset(model)
        text = preset.text if preset is not None else None
        image = preset.image if preset is not None else None
        self._families = tuple(rules.families.values()) if text is None else (rules.families[text],)
        self._rules = (
            tuple(rule for rule in rules.images.values() if rule.usual)
            if image is None
            else (rules.images[image],)
        )
        self._images: dict[str, TokenRange] = {}
        words = f"text by {text}" if text else f"text between {len(self._families)} tokenizers"
        seen = f"images by {image}" if image else f"images between {len(self._rules)} rules"
        self.basis = f"{words}, {seen}"
        """What the estimate rests on, in words."""

    def text(self, text: str) -> TokenRange:
        """Tokens of a text on its own."""
        features = count_features(text)
        counts = [
            sum(family.weights.get(name, 0.0) * n for name, n in zip(FEATURES, features, strict=True))
            for family in self._families
        ]
        low, high = (
            min(count * (1 - family.margin) for count, family in zip(counts, self._families, strict=True)),
            max(count * (1 + family.margin) for count, family in zip(counts, self._families, strict=True)),
        )
        return TokenRange.of(low, median(counts), high)

    def image(self, part: ImagePart) -> TokenRange:
        """Tokens of an image; remembered by its digest."""
        if part.sha256 not in self._images:
            size = image_size(part.data)
            sizes = _UNSIZED if size is None else (size,)
            counts = [rule.tokens_for(*one) for rule in self._rules for one in sizes]
            self._images[part.sha256] = TokenRange.of(min(counts), median(counts), max(counts))
        return self._images[part.sha256]

    def request(self, request: ChatRequest) -> TokenRange:
        """Input tokens of a request: text, images, the template's marks, and a schema where one is sent.

        Whether a server puts the schema into the prompt differs, so it counts to `likely` and `high` alone.
        """
        total = self._frame(len(request.messages))
        for message in request.messages:
            words = [part.text for part in message.parts if isinstance(part, TextPart)]
            if words:
                total += self.text("\n".join(words))
            for part in message.parts:
                if isinstance(part, ImagePart):
                    total += self.image(part)
        sampling = request.sampling
        form = sampling.json_schema or sampling.extra.get("response_format")
        if form is not None:
            schema = self.text(json.dumps(form, separators=(",", ":"), ensure_ascii=False))
            total += schema.model_copy(update={"low": 0})
        return total

    def _frame(self, messages: int) -> TokenRange:
        counts = [family.per_message * messages + family.per_request for family in self._families]
        return TokenRange.of(min(counts), median(counts), max(counts))


class Calibration(Record):
    """How many tokens a server accounts for one estimated: a ratio with its 95 % interval."""

    factor: float
    low: float
    high: float
    calls: int
    """How many calls it was learnt from."""

    def apply(self, estimate: TokenRange) -> TokenRange:
        """The corrected count; the range is now that of the ratio."""
        return TokenRange.of(
            estimate.likely * self.low, estimate.likely * self.factor, estimate.likely * self.high
        )
