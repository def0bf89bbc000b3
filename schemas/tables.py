"""Parquet tables of records, with Arrow schemas derived from the record types: nothing is ever inferred from rows.

(`load_dataset("json")` turns "007" into 7 without an error; here a column is text because the record says so.)
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ValidationError

from benchwright.schemas.errors import TamperedError

R = TypeVar("R", bound=BaseModel)
Reader = Callable[[Any], Any]

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
        TamperedError: the file is damaged, or holds other records.
    """
    try:
        with pq.ParquetFile(path) as file:
            if not file.schema_arrow.equals(arrow_schema(model)):
                raise TamperedError(f"{path} does not hold {model.__name__} records: its columns differ.")
            reader = _record_reader(model)
            for batch in file.iter_batches(batch_size=1000):
                for row in batch.to_pylist():
                    yield model.model_validate(row if reader is None else reader(row))
    except FileNotFoundError:
        raise
    except (pa.ArrowInvalid, OSError, ValidationError) as error:
        first = str(error).splitlines()[0]
        raise TamperedError(f"{path} cannot be read ({first}): run the stage that makes it again.") from error


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


@cache
def _record_reader(model: type[BaseModel]) -> Reader | None:
    """How a row of Arrow's becomes what the record type validates; None where it can stay as it is.

    Worked out once for a type: looking at annotations for every value costs more than reading the file.
    """
    found = {name: _reader(field.annotation) for name, field in model.model_fields.items()}
    readers = {name: reader for name, reader in found.items() if reader is not None}
    if not readers:
        return None
    return lambda row: {**row, **{name: reader(row[name]) for name, reader in readers.items()}}


def _reader(annotation: Any) -> Reader | None:
    """The same for a value of any type."""
    reader = _reader_of(_bare(annotation))
    if reader is None or not _is_optional(annotation):
        return reader
    return lambda value: None if value is None else reader(value)


def _reader_of(annotation: Any) -> Reader | None:
    """Only maps differ between Arrow (a list of pairs) and a record; they may lie inside of lists and records."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _record_reader(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is dict:
        inside = _reader(arguments[1])
        return dict if inside is None else lambda pairs: {key: inside(item) for key, item in pairs}
    if origin in (tuple, list) and (item := _reader(arguments[0])) is not None:
        return lambda values: [item(value) for value in values]
    return None


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
