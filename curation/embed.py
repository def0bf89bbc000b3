"""Embeddings of a discipline's questions: shards that are made once, and one table of vectors derived from them.

The pool is read in chunks, once for the keys (digests) of what is to be embedded, once more for what is missing. Shards
(`embed_shards`) are filled through an executor (`embed_fill`); what they hold does not depend on shards, workers or
neighbours. The table (`embed_table`) is written block by block. Nothing holds all texts or all vectors.

With `images` in the recipe, a question with pictures gets a fused vector (`embed_fusion`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from benchwright.curation.embed_fill import Keys, Report, Work, fill, first_seen, gather
from benchwright.curation.embed_fusion import fused, text_part
from benchwright.curation.embed_images import fill_pictures, open_sight, parameters
from benchwright.curation.embed_index import PictureIndex, ShardIndex, read_index, right_index
from benchwright.curation.embed_index import index_path as index_path
from benchwright.curation.embed_leaving import require_allowed
from benchwright.curation.embed_shards import SHARD_KEYS, ShardFolder, Vectors, whole_shard
from benchwright.curation.embed_table import (
    BLOCK,
    TableWriter,
    read_rows,
    rows_path,
    vectors_path,
)
from benchwright.curation.embed_table import open_vectors as open_vectors
from benchwright.curation.executor import Executor, Here, open_executor
from benchwright.curation.pool_reader import iter_columns, iter_texts
from benchwright.models.embedders import Embedder, embedder_name, open_embedder
from benchwright.schemas.artefact import Counts, StageResult, manifest_path, run_stage
from benchwright.schemas.digest import canonical_json, sha256_bytes
from benchwright.schemas.errors import NotDone, UsageError
from benchwright.schemas.records import Question
from benchwright.schemas.workspace import Workspace

STAGE_VERSION = 2
_WORTH_WORKERS = 512
"""Fewer texts than this are embedded faster than further processes start."""


@dataclass(frozen=True)
class EmbedResult:
    """What `embed_discipline` did."""

    stage: StageResult
    texts: int
    """Distinct texts of the discipline."""
    embedded: int
    """Texts that went through the model in this run."""


def embedding_text(question: Question) -> str:
    """What is embedded of a question: its text and the texts of its choices, in its source language."""
    text = question.text
    return "\n".join([text.question, *[choice.text for choice in text.choices if choice.text]])


def text_key(text: str) -> str:
    """The name of a text in the cache."""
    return sha256_bytes(text.encode("utf-8"))


def embed_discipline(
    workspace: Workspace,
    discipline: str,
    name: str | None = None,
    workers: int = 1,
    report: Report = lambda done, total: None,
    executor: Executor | None = None,
) -> EmbedResult:
    """Embed what is missing of a discipline.

    Args:
        workspace: reads `pool/`, writes `embeddings/`.
        discipline: which pool.
        name: embedder as in `open_embedder`; None takes the recipe's.
        workers: processes; changes the speed only.
        report: called with (embedded, to be embedded) as shards are finished.
        executor: who does it, instead of `workers` processes of this machine.

    Raises:
        UsageError: the pool does not exist, the embedder cannot be opened, or it is outside this machine and the
            recipe does not allow that.
    """
    recipe = workspace.recipe.embed
    run = _Run(
        workspace,
        discipline,
        name or recipe.embedder,
        executor or open_executor(workers),
        report,
    )
    output = index_path(workspace, discipline)
    _forget_damaged(workspace, output)
    result = run_stage(
        workspace,
        f"embed/{discipline}",
        STAGE_VERSION,
        [workspace.pool(discipline)],
        [output, vectors_path(workspace, discipline), rows_path(workspace, discipline)],
        {
            "embedder": embedder_name(
                name or recipe.embedder
            ),  # without loading it: mostly nothing is to be done
            "shard_texts": SHARD_KEYS,
            **parameters(recipe.images, recipe.image_weight),
        },
        run.produce,
    )
    return EmbedResult(result, read_index(output).texts, run.embedded)


def load_vectors(workspace: Workspace, discipline: str, questions: Sequence[Question]) -> Vectors:
    """Text vectors of some questions, [n, dimension] in their order, whatever pictures add to the table.

    Raises:
        UsageError: the discipline was not embedded, or by another embedder than the recipe's, or a question came in
            since.
    """
    index = right_index(workspace, discipline)
    wanted = {text_key(embedding_text(question)) for question in questions}
    rows = {
        key: row
        for row, key in enumerate(read_rows(workspace, discipline, ("key",)).column("key").to_pylist())
        if key in wanted
    }
    if len(rows) < len(wanted):
        raise UsageError(
            f"{len(wanted) - len(rows)} texts of {discipline} have no embedding, the pool changed: run `curate embed "
            f"--discipline {discipline}` again."
        )
    places = [rows[text_key(embedding_text(question))] for question in questions]
    return text_part(open_vectors(workspace, discipline, changed=True).take(places), index.dimension)


def text_vectors(workspace: Workspace, discipline: str) -> Vectors:
    """Text vectors of a whole discipline in the order of its ids, [n, dimension], mapped from the table.

    Only where pictures are fused in they are cut off into memory, since their rows have another length.

    Raises:
        UsageError: as `open_vectors`.
    """
    table = open_vectors(workspace, discipline)
    dimension = right_index(workspace, discipline).dimension
    if table.dimension == dimension:
        return table.vectors
    parts = [text_part(block, dimension) for _, block in table.blocks()]
    return np.concatenate([*parts, np.empty((0, dimension), np.float32)])


def embed_texts(name: str, texts: Sequence[str]) -> Vectors:
    """Vectors of texts, each as if it were alone, [n, dimension]."""
    return _opened(name).embed(texts)


def _embed_with(name: str, api_key_env: str, texts: Sequence[str]) -> Vectors:
    """What a worker process runs."""
    return _opened(name, api_key_env).embed(texts)


@cache
def _opened(name: str, api_key_env: str = "OPENAI_API_KEY") -> Embedder:
    return open_embedder(name, api_key_env)


class _Run:
    """One run of the stage."""

    def __init__(
        self,
        workspace: Workspace,
        discipline: str,
        embedder: str,
        executor: Executor,
        report: Report,
    ) -> None:
        self.workspace = workspace
        self.discipline = discipline
        self.embedded = 0
        self._name = embedder
        self._executor = executor
        self._report = report
        self._pool = workspace.pool(discipline)

    def produce(self, paths: tuple[Path, ...]) -> Counts:
        """Fill the shards, then write index, vectors and rows."""
        key_env = self.workspace.recipe.embed.api_key_env
        embedder = _opened(self._name, key_env)
        require_allowed(self.workspace, self.discipline, embedder)
        keys = _text_keys(self._pool)
        distinct, places = first_seen(keys)
        folder = self.workspace.embeddings(self.discipline)
        shards = ShardFolder(folder, embedder.name, embedder.dimension)
        work = Work(
            partial(_wanted_texts, self._pool), partial(_embed_with, self._name, key_env), _WORTH_WORKERS
        )
        made, self.embedded = fill(shards, distinct, work, self._executor, Here(), self._report)
        index = ShardIndex(
            embedder=shards.embedder, dimension=shards.dimension, texts=len(distinct), shards=made
        )
        index = self._write(paths, index, shards, keys, places)
        paths[0].write_text(canonical_json(index) + "\n", encoding="utf-8")
        return Counts(n_in=len(keys), n_kept=len(keys))

    def _write(
        self,
        paths: tuple[Path, ...],
        index: ShardIndex,
        shards: ShardFolder,
        keys: Keys,
        places: NDArray[np.int64],
    ) -> ShardIndex:
        """Write vectors and rows in the order of the ids; returns the index, with the pictures where they count."""
        ids = [name for chunk in iter_columns(self._pool, ["id"]) for name in chunk["id"]]
        order = np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int64)
        width, pictured, weight = index.dimension, None, self.workspace.recipe.embed.image_weight
        sight = open_sight(self.workspace.recipe.embed.images, self.workspace.root)
        if sight is not None:
            pictured = fill_pictures(
                self.workspace, self.discipline, sight, self._executor, Here(), lambda done, total: None
            )
            width += sight.dimension
            pictures = PictureIndex(
                embedder=sight.name,
                dimension=sight.dimension,
                weight=weight,
                pictures=pictured.pictures,
                shards=pictured.digests,
            )
            index = index.model_copy(update={"pictures": pictures})
        names = list(index.shards)
        with TableWriter(paths[1], paths[2], len(ids), width) as table:
            for start in range(0, len(order), BLOCK):
                rows = order[start : start + BLOCK]
                block = gather(shards, names, places[rows])
                if pictured is not None:
                    block = fused(block, pictured.of(rows), pictured.shards.dimension, weight)
                table.add([ids[row] for row in rows], [keys[row].tobytes().hex() for row in rows], block)
        return index


def _text_keys(pool: Path) -> Keys:
    """[n, 32], the digest of each question's text in file order."""
    digests = bytearray()
    for chunk in iter_texts(pool):
        for text in chunk.texts:
            digests += hashlib.sha256(text.encode("utf-8")).digest()
    return np.frombuffer(bytes(digests), np.uint8).reshape(-1, 32)


def _wanted_texts(pool: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """Keys and texts, each once, in the order of the pool."""
    given: set[str] = set()
    for chunk in iter_texts(pool):
        for text in chunk.texts:
            key = text_key(text)
            if wanted(key) and key not in given:
                given.add(key)
                yield key, text


def _forget_damaged(workspace: Workspace, output: Path) -> None:
    """Let the stage run again when a shard of its index is gone or changed: its manifest does not speak of shards.

    Raises:
        NotDone: in a dry workspace, instead.
    """
    if not output.is_file():
        return
    try:
        index = read_index(output)
    except ValidationError:
        return
    pictures = index.pictures.shards if index.pictures is not None else {}
    held = [(output.parent, index.shards), (output.parent / "pictures", pictures)]
    for folder, shards in held:
        for shard, digest in shards.items():
            record = whole_shard(folder, shard)
            if record is None or record.sha256 != digest:
                if workspace.dry:
                    raise NotDone(output.parent.name, "tampered")
                manifest_path(output).unlink(missing_ok=True)
                (folder / f"{shard}.json").unlink(missing_ok=True)
