"""VLMEvalKit: one table of tab-separated values with the pictures as base64, each set of pictures stored once.

The harness takes an `image` cell of at most 64 characters for the `index` of the row that has the pictures, so versions
that share a diagram point to the first of them.
"""

from __future__ import annotations

import base64
import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from benchwright.curation.release.exports.source import ExportSource
from benchwright.schemas.artefact import sync_folder
from benchwright.schemas.records import Rejected, ReleaseRow
from benchwright.schemas.release_table import image_name

COLUMNS = (
    *(
        "index",
        "image",
        "image_path",
        "question",
        "answer",
        "answer_json",
        "category",
        "l2-category",
        "split",
    ),
    *(
        "id",
        "problem_id",
        "version",
        "language",
        "question_type",
        "unit",
        "options_json",
        "difficulty",
        "canary",
    ),
)
STAGE = "export/vlmevalkit"
_REFERENCE_CHARACTERS = 64
"""Longest `image` cell that the harness takes for a reference."""


def write_vlmevalkit(
    path: Path, source: ExportSource, rows: Iterable[tuple[ReleaseRow, Mapping[str, bytes]]]
) -> tuple[int, tuple[Rejected, ...]]:
    """Write the table; one row's pictures are in memory at a time.

    Args:
        path: the file; its folder exists.
        source: of the rows.
        rows: from `ExportSource.scored`.

    Returns:
        How many rows were written, and those that cannot be asked or scored there, each with its reason: the harness
        drops rows without a picture.
    """
    rejected: list[Rejected] = []
    shared: dict[tuple[str, ...], int] = {}
    index = 0
    temporary = path.with_name(f".{path.name}.tmp")
    with temporary.open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, COLUMNS, delimiter="\t", lineterminator="\n")
        table.writeheader()
        for row, pictures in rows:
            reason = "no-picture" if not row.images else "answer-withheld" if row.answer is None else None
            if reason is not None:
                rejected.append(Rejected(item_id=row.id, stage=STAGE, reason=reason, source=row.source))
                continue
            first = shared.setdefault(row.images, index)
            image = str(first) if first != index else _cell([_base64(pictures[one]) for one in row.images])
            names = _cell([image_name(pictures[one]) for one in row.images])
            table.writerow({"index": index, "image": image, "image_path": names, **_texts(source, row)})
            index += 1
    temporary.replace(path)
    sync_folder(path.parent)
    return index, tuple(rejected)


def read_vlmevalkit(path: Path) -> Iterator[dict[str, str | list[str]]]:
    """Read a table back as the harness resolves it: every cell as text, `image` and `image_path` as lists.

    Raises:
        ValueError: an index stands twice, or an `image` cell points to a row that has no pictures of its own.
    """
    own: dict[str, str] = {}
    csv.field_size_limit(1 << 30)
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            if row["index"] in own:
                raise ValueError(f"{path.name}: index {row['index']} stands twice")
            own[row["index"]] = row["image"]
            image = row["image"]
            if len(image) <= _REFERENCE_CHARACTERS:
                image = own.get(image, "")
                if len(image) <= _REFERENCE_CHARACTERS:
                    raise ValueError(
                        f"{path.name}: row {row['index']} points to {row['image']}, a row without pictures"
                    )
            yield {**row, "image": _list(image), "image_path": _list(row["image_path"])}


def _texts(source: ExportSource, row: ReleaseRow) -> dict[str, str]:
    options = [option.model_dump(mode="json") for option in row.options]
    return {
        "question": source.prompt(row),
        "answer": row.answer or "",
        "answer_json": json.dumps(row.answer, ensure_ascii=False),
        "category": row.discipline,
        "l2-category": row.subject,
        "split": row.split.value,
        "id": row.id,
        "problem_id": row.problem_id,
        "version": row.version,
        "language": row.language,
        "question_type": row.question_type.value,
        "unit": row.unit or "",
        "options_json": json.dumps(options, ensure_ascii=False),
        "difficulty": str(row.difficulty),
        "canary": row.canary,
    }


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _cell(values: list[str]) -> str:
    return values[0] if len(values) == 1 else json.dumps(values)


def _list(cell: str) -> list[str]:
    return [str(value) for value in json.loads(cell)] if cell.startswith("[") else [cell]
