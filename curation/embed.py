"""Embeddings of a discipline's questions: content-addressed shards, so nothing is embedded twice.

A shard holds the vectors of up to 256 distinct texts in the order of their keys (SHA-256 of the text), and is named by
what it holds; a finished shard has its side file. A killed run therefore loses at most the shards in the making, and
a grown pool takes known vectors over. Each text goes through the model alone, so neither shard size nor workers nor
neighbours can change a vector.
"""

from __future__ import annotations

import io
import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from benchwright.models.embedders import Embedder, open_embedder
from benchwright.schemas.artefact import Counts, StageResult, manifest_path, run_stage, write_atomic
from benchwright.schemas.digest import canonical_json, digest_of, sha256_bytes, sha256_file
from benchwright.schemas.errors import NotDone, TamperedError, UsageError
from benchwright.schemas.records import Question, Record, Sha256
from benchwright.schemas.tables import iter_records
from benchwright.schemas.workspace import Workspace

STAGE_VERSION = 1
SHARD_TEXTS = 256
_WORTH_WORKERS = 512
"""Fewer texts than this are embedded faster than further processes start."""

Vectors = NDArray[np.float32]


class Shard(Record):
    """Side file of a shard; written last, so that its existence means the shard is whole."""

    embedder: str
    dimension: int
    keys: tuple[Sha256, ...]
    sha256: Sha256
    """Digest of the `.npy` file."""


class ShardIndex(Record):
    """The artefact of the stage: which shards hold the discipline."""

    embedder: str
    dimension: int
    texts: int
    """Distinct texts."""
    shards: dict[str, Sha256]
    """Name -> digest of the `.npy` file."""


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


def index_path(workspace: Workspace, discipline: str) -> Path:
    """The index of a discipline's shards."""
    return workspace.embeddings(discipline) / "index.json"


def embed_discipline(
    workspace: Workspace,
    discipline: str,
    embedder_name: str | None = None,
    workers: int = 1,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> EmbedResult:
    """Embed what is missing of a discipline.

    Args:
        workspace: reads `pool/`, writes `embeddings/`.
        discipline: which pool.
        embedder_name: as in `open_embedder`; None takes the recipe's.
        workers: processes; changes the speed only.
        report: called with (embedded, to be embedded) as shards are finished.

    Raises:
        UsageError: the pool does not exist, or the embedder cannot be opened.
    """
    name = embedder_name or workspace.recipe.embed.embedder
    embedder = _opened(name)
    folder = workspace.embeddings(discipline)
    output = index_path(workspace, discipline)
    _forget_damaged(workspace, output)
    embedded = 0

    def produce(paths: tuple[Path, ...]) -> Counts:
        nonlocal embedded
        texts: dict[str, str] = {}
        questions = 0
        for question in iter_records(workspace.pool(discipline), Question):
            text = embedding_text(question)
            texts[text_key(text)] = text
            questions += 1
        index, embedded = _fill(folder, name, embedder, texts, workers, report)
        paths[0].write_text(canonical_json(index) + "\n", encoding="utf-8")
        return Counts(n_in=questions, n_kept=questions)

    result = run_stage(
        workspace,
        f"embed/{discipline}",
        STAGE_VERSION,
        [workspace.pool(discipline)],
        [output],
        {"embedder": embedder.name, "shard_texts": SHARD_TEXTS},
        produce,
    )
    return EmbedResult(result, _read_index(output).texts, embedded)


def load_vectors(workspace: Workspace, discipline: str, questions: Sequence[Question]) -> Vectors:
    """Vectors of questions, [n, dimension] in their order, read from memory-mapped shards.

    Raises:
        UsageError: the discipline was not embedded, or by another embedder than the recipe's, or a question came in
            since.
    """
    output = index_path(workspace, discipline)
    if not output.is_file():
        raise UsageError(f"{discipline} was not embedded yet: run `curate embed --discipline {discipline}`.")
    index = _read_index(output)
    embedder = _opened(workspace.recipe.embed.embedder).name
    if index.embedder != embedder:
        raise UsageError(
            f"{discipline} was embedded by {index.embedder}, the recipe names {embedder}: run `curate embed "
            f"--discipline {discipline}` again."
        )
    wanted: dict[str, list[int]] = {}
    for row, question in enumerate(questions):
        wanted.setdefault(text_key(embedding_text(question)), []).append(row)
    vectors = np.empty((len(questions), index.dimension), np.float32)
    for name in index.shards:
        shard, rows = _open_shard(output.parent, name)
        for at, key in enumerate(shard.keys):
            if key in wanted:
                vectors[wanted.pop(key)] = rows[at]
    if wanted:
        raise UsageError(
            f"{len(wanted)} texts of {discipline} have no embedding, the pool changed: run `curate embed "
            f"--discipline {discipline}` again."
        )
    return vectors


def embed_texts(name: str, texts: Sequence[str]) -> Vectors:
    """Vectors of texts, each text alone, [n, dimension]; what a worker process runs."""
    embedder = _opened(name)
    rows = [embedder.embed([text]) for text in texts]
    return np.concatenate(rows) if rows else np.empty((0, embedder.dimension), np.float32)


@cache
def _opened(name: str) -> Embedder:
    return open_embedder(name)


def _fill(
    folder: Path,
    name: str,
    embedder: Embedder,
    texts: Mapping[str, str],
    workers: int,
    report: Callable[[int, int], None],
) -> tuple[ShardIndex, int]:
    """Make every shard of the plan; returns the index and how many texts went through the model."""
    folder.mkdir(parents=True, exist_ok=True)
    for torn in folder.glob(".shard-*.tmp"):
        torn.unlink()
    plan = {_shard_name(embedder.name, keys): keys for keys in _chunks(sorted(texts))}
    finished = {shard: known for shard in _names(folder) if (known := _finished(folder, shard)) is not None}
    places = {
        key: (shard, at)
        for shard, known in finished.items()
        if known.embedder == embedder.name
        for at, key in enumerate(known.keys)
    }
    missing = {shard: keys for shard, keys in plan.items() if shard not in finished}
    todo = {shard: [key for key in keys if key not in places] for shard, keys in missing.items()}
    total = sum(len(keys) for keys in todo.values())
    done = 0
    if total:
        report(done, total)
    jobs = ((shard, [texts[key] for key in keys]) for shard, keys in todo.items())
    for shard, fresh in _embedded(name, jobs, workers if total >= _WORTH_WORKERS else 1):
        rows = np.empty((len(missing[shard]), embedder.dimension), np.float32)
        new = dict(zip(todo[shard], fresh, strict=True))
        for at, key in enumerate(missing[shard]):
            if key in new:
                rows[at] = new[key]
            else:
                old, place = places[key]
                rows[at] = _open_shard(folder, old)[1][place]
        finished[shard] = _write_shard(folder, shard, embedder.name, missing[shard], rows)
        done += len(fresh)
        report(done, total)
    for shard, known in finished.items():
        if known.embedder == embedder.name and shard not in plan:
            _side(folder, shard).unlink()
            _data(folder, shard).unlink()
    digests = {shard: finished[shard].sha256 for shard in plan}
    return ShardIndex(
        embedder=embedder.name, dimension=embedder.dimension, texts=len(texts), shards=digests
    ), total


def _embedded(
    name: str, jobs: Iterator[tuple[str, list[str]]], workers: int
) -> Iterator[tuple[str, Vectors]]:
    """Run jobs here or in worker processes; results in the order of the jobs, few of them held at a time."""
    if workers <= 1:
        for shard, texts in jobs:
            yield shard, embed_texts(name, texts)
        return
    # Spawned, not forked: a fork would copy the threads of the linear algebra library in an unknown state.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        queue = []
        for shard, texts in jobs:
            queue.append((shard, pool.submit(embed_texts, name, texts)))
            if len(queue) > 2 * workers:
                first, future = queue.pop(0)
                yield first, future.result()
        for shard, future in queue:
            yield shard, future.result()


def _chunks(keys: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(keys[start : start + SHARD_TEXTS]) for start in range(0, len(keys), SHARD_TEXTS)]


def _shard_name(embedder: str, keys: tuple[str, ...]) -> str:
    return f"shard-{digest_of([embedder, keys])[:16]}"


def _data(folder: Path, shard: str) -> Path:
    return folder / f"{shard}.npy"


def _side(folder: Path, shard: str) -> Path:
    return folder / f"{shard}.json"


def _names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("shard-*.json"))


def _write_shard(folder: Path, shard: str, embedder: str, keys: tuple[str, ...], rows: Vectors) -> Shard:
    buffer = io.BytesIO()
    np.save(buffer, rows, allow_pickle=False)
    data = buffer.getvalue()
    record = Shard(embedder=embedder, dimension=rows.shape[1], keys=keys, sha256=sha256_bytes(data))
    write_atomic(_data(folder, shard), data)
    write_atomic(_side(folder, shard), (canonical_json(record) + "\n").encode("utf-8"))
    return record


def _finished(folder: Path, shard: str) -> Shard | None:
    """The side file of a shard that is whole and unchanged, else None."""
    try:
        record = Shard.model_validate_json(_side(folder, shard).read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
    data = _data(folder, shard)
    if not data.is_file() or sha256_file(data) != record.sha256:
        return None
    return record if _shard_name(record.embedder, record.keys) == shard else None


def _open_shard(folder: Path, shard: str) -> tuple[Shard, Vectors]:
    record = Shard.model_validate_json(_side(folder, shard).read_bytes())
    rows: Vectors = np.load(_data(folder, shard), mmap_mode="r", allow_pickle=False)
    if rows.shape != (len(record.keys), record.dimension) or rows.dtype != np.float32:
        raise TamperedError(
            f"{_data(folder, shard)} does not hold what its side file says: run `curate embed` again."
        )
    return record, rows


def _read_index(path: Path) -> ShardIndex:
    return ShardIndex.model_validate_json(path.read_bytes())


def _forget_damaged(workspace: Workspace, output: Path) -> None:
    """Let the stage run again when a shard of its index is gone or changed: its manifest speaks of the index alone.

    Raises:
        NotDone: in a dry workspace, instead.
    """
    if not output.is_file():
        return
    try:
        index = _read_index(output)
    except ValidationError:
        return
    for shard, digest in index.shards.items():
        record = _finished(output.parent, shard)
        if record is None or record.sha256 != digest:
            if workspace.dry:
                raise NotDone(output.parent.name, "tampered")
            manifest_path(output).unlink(missing_ok=True)
            _side(output.parent, shard).unlink(missing_ok=True)
