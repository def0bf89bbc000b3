"""Pages of the workspace's files and of the records in them, and a JSON Schema for each record."""

from __future__ import annotations

import ast
import inspect
import json
import re
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

from benchwright.schemas.records import Record

HEAD = "<!-- Made from the program by `make docs`; the list of files stands in files.toml. -->"
ABOUT_RECORDS = """\
What a line or a row of each [file](files.md) holds. Records are frozen, and a field that is not listed is an
error. Each has a JSON Schema; Parquet files have the same fields with the types that `schemas/tables.py`
derives from them. `Sha256` is 64 hexadecimal digits, `UnitInterval` a number from 0 to 1, `Language` a code
such as `en` or `zh`, `JsonValue` anything that JSON can say."""
ABOUT_FILES = """\
One folder, one writer a file. A Parquet or JSON file has a manifest beside it (`NAME.manifest.json`), written
last, with the digests of what it was made from; a file without one is the rest of a killed command. Names in
capitals stand for a discipline, a job, a tag and so on."""


def listed(docs: Path) -> list[dict[str, str]]:
    """The workspace's files: path, format, record, writer, what."""
    rows: list[dict[str, str]] = tomllib.loads((docs / "make" / "files.toml").read_text(encoding="utf-8"))[
        "file"
    ]
    return rows


def record(name: str) -> type[Record]:
    """A record by `module:Class` below `benchwright`."""
    module, _, cls = name.partition(":")
    found: type[Record] = getattr(import_module(f"benchwright.{module}"), cls)
    return found


def records(docs: Path) -> list[type[Record]]:
    """The records of the files and those within them, sorted by name."""
    found: dict[str, type[Record]] = {}
    todo = [record(row["record"]) for row in listed(docs) if "record" in row]
    while todo:
        one = todo.pop()
        if one.__name__ in found:
            if found[one.__name__] is not one:
                raise ValueError(f"two records are called {one.__name__}")
            continue
        found[one.__name__] = one
        for field in one.model_fields.values():
            todo += _within(field.annotation)
    return [found[name] for name in sorted(found)]


def _within(annotation: Any) -> list[type[Record]]:
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return [annotation]
    return [one for part in getattr(annotation, "__args__", ()) for one in _within(part)]


def fields(one: type[Record]) -> list[tuple[str, str, str]]:
    """Name, type as written, and what its docstring says, of each field."""
    said: dict[str, tuple[str, str]] = {}
    for cls in reversed(one.__mro__):
        if issubclass(cls, Record) and cls is not Record:
            said |= _written(cls)
    return [(name, *said[name]) for name in one.model_fields]


def _written(cls: type[Record]) -> dict[str, tuple[str, str]]:
    source = ast.parse(inspect.getsource(cls))
    (node,) = [n for n in source.body if isinstance(n, ast.ClassDef)]
    found: dict[str, tuple[str, str]] = {}
    for number, statement in enumerate(node.body):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        after = node.body[number + 1] if number + 1 < len(node.body) else None
        doc = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            doc = " ".join(str(after.value.value).split())
        found[statement.target.id] = (ast.unparse(_Plain().visit(statement.annotation)), doc)
    return found


class _Plain(ast.NodeTransformer):
    """`Annotated[X, ...]` as X."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Take the first part."""
        self.generic_visit(node)
        if (
            isinstance(node.value, ast.Name)
            and node.value.id == "Annotated"
            and isinstance(node.slice, ast.Tuple)
        ):
            return node.slice.elts[0]
        return node


def schema(one: type[Record]) -> str:
    """JSON Schema of a record, with what the fields' docstrings say."""
    made = one.model_json_schema()
    parts = {cls.__name__: cls for cls in _all_below(one)}
    for name, node in [(one.__name__, made), *made.get("$defs", {}).items()]:
        if name in parts:
            node["description"] = " ".join((parts[name].__doc__ or "").split())
            for field, _, doc in fields(parts[name]):
                if doc and field in node.get("properties", {}):
                    node["properties"][field]["description"] = doc
    return json.dumps(made, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _all_below(one: type[Record]) -> list[type[Record]]:
    found, todo = [one], [one]
    while todo:
        for field in todo.pop().model_fields.values():
            for part in _within(field.annotation):
                if part not in found:
                    found.append(part)
                    todo.append(part)
    return found


def file_name(one: type[Record]) -> str:
    """`DuplicateRow` -> `duplicate-row`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", one.__name__).lower()


def records_page(known: list[type[Record]]) -> str:
    """The page of all records."""
    lines = [HEAD, "", "# Records", "", ABOUT_RECORDS, ""]
    for one in known:
        lines += [f"## {one.__name__}", "", _cell(one.__doc__ or ""), ""]
        lines += [f"[JSON Schema](schemas/{file_name(one)}.json)", "", "| field | type | |", "|---|---|---|"]
        lines += [f"| `{name}` | `{_cell(kind)}` | {_cell(doc)} |" for name, kind, doc in fields(one)]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def files_page(rows: list[dict[str, str]]) -> str:
    """The page of all files."""
    lines = [HEAD, "", "# The workspace's files", "", ABOUT_FILES, ""]
    lines += ["| file | format | a row or line | who writes it | what it is |", "|---|---|---|---|---|"]
    for row in rows:
        name = row.get("record", "").partition(":")[2]
        linked = f"[{name}](records.md#{name.lower()})" if name else ""
        lines.append(f"| `{row['path']}` | {row['format']} | {linked} | {row['writer']} | {row['what']} |")
    return "\n".join(lines) + "\n"


def made(docs: Path) -> dict[Path, str]:
    """Every generated file about files and records, by its path."""
    known = records(docs)
    schemas = {docs / "schemas" / f"{file_name(one)}.json": schema(one) for one in known}
    return {docs / "files.md": files_page(listed(docs)), docs / "records.md": records_page(known), **schemas}
