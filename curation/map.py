"""`curate map`: the whole pool of a discipline on one page, the chosen questions marked.

The page is one HTML file that needs no network. Numbers travel as packed integers, compressed: about ten bytes an item
besides its id.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from zlib_ng import zlib_ng

from benchwright.curation.cluster_words import ClusterWords, DisciplineWords, words_path
from benchwright.curation.embed import open_vectors
from benchwright.curation.embed_table import index_path
from benchwright.curation.map_layout import HEIGHT, WIDTH, centres_of, positions, rectangles
from benchwright.schemas.artefact import Counts, StageResult, run_stage
from benchwright.schemas.errors import UsageError
from benchwright.schemas.workspace import Workspace

MAP_VERSION = 2
_LARGEST = 65_535
_POINTS_SHOWN = 4
"""Knowledge points of an item that the page names."""
_WORDS = 4
"""Words of a cluster in each script."""
_COLOURS = (
    "#2f6db5", "#d9692c", "#2f8f5b", "#b5406f", "#8064b8", "#a98514", "#3a98a6", "#8a5a3c",
    "#5f7f1e", "#c2497c", "#56678a", "#b03a2e",
)  # fmt: skip


@dataclass(frozen=True)
class _Items:
    """What the page says of the items, in the order of the clusters' file."""

    ids: list[str]
    labels: NDArray[np.int64]
    centralities: NDArray[np.float64]
    subjects: list[str]
    levels: list[int]
    points: list[list[str]]
    chosen: NDArray[np.bool_]


def map_path(workspace: Workspace, discipline: str) -> Path:
    """Where the map of a discipline lies. Writer: curate map."""
    return workspace.clusters(discipline).with_suffix(".map.html")


def draw_map(workspace: Workspace, discipline: str) -> StageResult:
    """Write `clusters/<discipline>.map.html`; without a selection nothing is marked.

    Raises:
        UsageError: the discipline was not embedded, estimated or clustered yet, or these speak of different questions.
    """
    inputs = [
        workspace.clusters(discipline),
        words_path(workspace, discipline),
        workspace.estimates(discipline),
        index_path(workspace, discipline),
    ]
    if workspace.selection(discipline).is_file():
        inputs.append(workspace.selection(discipline))

    def produce(paths: tuple[Path, ...]) -> Counts:
        items = _read(workspace, discipline)
        words = DisciplineWords.model_validate_json(words_path(workspace, discipline).read_bytes())
        table = open_vectors(workspace, discipline)
        if list(table.ids) != items.ids:
            raise _apart(discipline)
        centres = centres_of(table.blocks(), items.labels, len(words.clusters), table.dimension)
        paths[0].write_text(_page(discipline, items, words, centres), encoding="utf-8")
        return Counts(n_in=len(items.ids), n_kept=len(items.ids))

    return run_stage(
        workspace, f"map/{discipline}", MAP_VERSION, inputs, [map_path(workspace, discipline)], {}, produce
    )


def _read(workspace: Workspace, discipline: str) -> _Items:
    found = _columns(workspace.clusters(discipline), ["question_id", "cluster", "centrality"])
    known = _columns(
        workspace.estimates(discipline), ["question_id", "subject", "difficulty", "points"]
    ).sort_by("question_id")
    ids: list[str] = found["question_id"].to_pylist()
    if known["question_id"].to_pylist() != ids:
        raise _apart(discipline)
    selection = workspace.selection(discipline)
    chosen = (
        set(_columns(selection, ["question_id"])["question_id"].to_pylist()) if selection.is_file() else set()
    )
    return _Items(
        ids,
        np.asarray(found["cluster"]),
        np.asarray(found["centrality"]),
        known["subject"].to_pylist(),
        known["difficulty"].to_pylist(),
        known["points"].to_pylist(),
        np.array([name in chosen for name in ids], bool),
    )


def _columns(path: Path, names: list[str]) -> pa.Table:
    return pq.read_table(path, columns=names)


def _apart(discipline: str) -> UsageError:
    return UsageError(
        f"vectors, estimates and clusters of {discipline} hold different questions: run `curate cluster --discipline "
        f"{discipline}` again."
    )


def _page(discipline: str, items: _Items, words: DisciplineWords, centres: NDArray[np.float64]) -> str:
    sizes = np.array([cluster.size for cluster in words.clusters])
    boxes = rectangles(centres, sizes)
    subjects = sorted(set(items.subjects))
    points, numbers = _numbered_points(items.points)
    of_subject = np.array([subjects.index(name) for name in items.subjects], np.int64)
    meta = {
        "discipline": discipline,
        "items": len(items.ids),
        "chosen": int(items.chosen.sum()),
        "size": [WIDTH, HEIGHT],
        "subjects": [
            {
                "name": name,
                "colour": _COLOURS[at % len(_COLOURS)],
                "items": int((of_subject == at).sum()),
                "chosen": int(items.chosen[of_subject == at].sum()),
            }
            for at, name in enumerate(subjects)
        ],
        "points": points,
        "clusters": [
            {"words": _words(cluster), "box": [round(float(v), 5) for v in box]}
            for cluster, box in zip(words.clusters, boxes, strict=True)
        ],
    }
    place = positions(boxes, items.labels, items.centralities)
    scaled = np.clip(np.round(place / (WIDTH, HEIGHT) * _LARGEST), 0, _LARGEST).astype("<u2")
    data = {
        "x": scaled[:, 0],
        "y": scaled[:, 1],
        "cluster": items.labels.astype("<u4"),
        "subject": of_subject.astype("u1"),
        "flags": (np.array(items.levels, np.int64) | (items.chosen.astype(np.int64) << 7)).astype("u1"),
        "shown": np.array([len(row) for row in numbers], "u1"),
        "points": np.array([number for row in numbers for number in row], "<u4"),
    }
    packed = {name: _packed(values.tobytes()) for name, values in data.items()}
    packed["ids"] = _packed("\n".join(items.ids).encode("utf-8"))
    template = resources.files("benchwright.curation").joinpath("templates/map.html").read_text("utf-8")
    return template.replace("{{META}}", _json(meta)).replace("{{DATA}}", _json(packed))


def _words(cluster: ClusterWords) -> list[str]:
    """Words in alphabets and in Chinese by turns."""
    pairs = zip_longest(cluster.latin[:_WORDS], cluster.han[:_WORDS])
    return [word for pair in pairs for word in pair if word]


def _numbered_points(items: Sequence[Sequence[str]]) -> tuple[list[str], list[list[int]]]:
    names = sorted({point for points in items for point in points[:_POINTS_SHOWN]})
    number = {name: at for at, name in enumerate(names)}
    return names, [[number[point] for point in points[:_POINTS_SHOWN]] for points in items]


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib_ng.compress(data, 9)).decode("ascii")


def _json(value: object) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
