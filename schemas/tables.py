"""Parquet tables of records, with Arrow schemas derived from the record types: nothing is ever inferred from rows.

(`load_dataset("json")` turns "007" into 7 without an error; here a column is text because the record says so.)
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel

from benchwright.schemas.errors import TamperedError

R = TypeVar("R", bound=BaseModel)

_SCALARS: dict[type, pa.DataType] = {
    str: pa.string(),
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    bytes: pa.binary(),
}


def arrow_schema(model: type[BaseModel]) -> pa.Schema:
    """The Arrow schema of a record type.

    Raises:
        TypeError: a field's type has no Arrow form.
    """
    return pa.schema(list(_fields(model)))


def write_records(path: Path, records: Iterable[R], model: type[R], row_group_size: int = 1000) -> int:
    """Write records to a Parquet file, `row_group_size` rows at a time (so memory stays flat); returns how many.

    Same records = same bytes. Writes in place: call it on a temporary path (`run_stage` gives one).
    """
    schema = arrow_schema(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    total = 0
    batch: list[R] = []
    with pq.ParquetWriter(path, schema, compression="zstd", version="2.6", store_schema=True) as writer:
        for record in records:
            batch.append(record)
            if len(batch) >= row_group_size:
                writer.write_table(_table(batch, schema))
                total += len(batch)
                batch = []
        if batch or total == 0:
            writer.write_table(_table(batch, schema))
            total += len(batch)
    return total


def iter_records(path: Path, model: type[R]) -> Iterator[R]:
    """Read records one by one, in file order.

    Raises:
        TamperedError: the file's columns are not those of the record type.
    """
    expected = arrow_schema(model)
    with pq.ParquetFile(path) as file:
        if not file.schema_arrow.equals(expected):
            raise TamperedError(f"{path} does not hold {model.__name__} records: its columns differ.")
        for batch in file.iter_batches(batch_size=1000):
            for row in batch.to_pylist():
                yield model.model_validate(_from_arrow(row, model))


def read_records(path: Path, model: type[R]) -> list[R]:
    """All records of a Parquet file."""
    return list(iter_records(path, model))


def _table(records: list[Any], schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist([_to_arrow(record) for record in records], schema=schema)


def _to_arrow(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return {name: _to_arrow(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return [(key, _to_arrow(item)) for key, item in sorted(value.items())]
    if isinstance(value, (tuple, list)):
        return [_to_arrow(item) for item in value]
    return value


def _from_arrow(value: Any, annotation: Any) -> Any:
    annotation = _bare(annotation)
    if value is None:
        return None
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {
            name: _from_arrow(value[name], field.annotation)
            for name, field in annotation.model_fields.items()
        }
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is dict:
        return {key: _from_arrow(item, arguments[1]) for key, item in value}
    if origin in (tuple, list):
        return tuple(_from_arrow(item, arguments[0]) for item in value)
    return value


def _fields(model: type[BaseModel]) -> Iterator[pa.Field]:
    for name, field in model.model_fields.items():
        annotation = field.annotation
        yield pa.field(name, _arrow_type(annotation), nullable=_is_optional(annotation))


def _arrow_type(annotation: Any) -> pa.DataType:
    annotation = _bare(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return pa.struct(list(_fields(annotation)))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return pa.string()
    if isinstance(annotation, type) and annotation in _SCALARS:
        return _SCALARS[annotation]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal and all(isinstance(argument, str) for argument in arguments):
        return pa.string()
    if origin is dict:
        return pa.map_(pa.string(), _arrow_type(arguments[1]))
    if origin in (tuple, list):
        return pa.list_(_arrow_type(arguments[0]))
    raise TypeError(f"{annotation!r} has no Arrow form")


def _bare(annotation: Any) -> Any:
    """The type without `Annotated`, a `type` alias or `| None`."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif _is_optional(annotation):
            (annotation,) = (argument for argument in get_args(annotation) if argument is not type(None))
        else:
            return annotation


def _is_optional(annotation: Any) -> bool:
    return get_origin(annotation) in (Union, types.UnionType) and type(None) in get_args(annotation)
