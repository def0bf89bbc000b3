"""The viewer: a folder with one page, its data and its pictures, that opens from a disk and asks nothing of a network.

The page may run one script, known by its digest, and read data files beside it; nothing inline, no handlers in
attributes, no markup made of text (`require-trusted-types-for`). Model output is data and is set as text.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from benchwright.eval.metrics.run_view import RunView
from benchwright.eval.reports.viewer_data import SEARCHED, Item, index_of, items_of, shards
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import digest_of
from benchwright.schemas.records import Record
from benchwright.schemas.release_table import image_name

PAGE = "index.html"
_DATA = re.compile(r"\d{4,6}\.js")
_HARMLESS = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


class ViewerFolder(Record):
    """What was written."""

    page: str
    items: int
    files: int
    pictures: int
    missing_pictures: int
    """Distinct pictures of the rows that were not given."""


def wanted_pictures(runs: Sequence[RunView]) -> frozenset[str]:
    """Digests of all pictures of these runs' rows."""
    return frozenset(image for run in runs for row in run.rows for image in row.images)


def keep_pictures(folder: Path, pictures: Mapping[str, bytes]) -> dict[str, str]:
    """Copy pictures into a viewer's folder, each distinct one once; those that lie there already stay.

    Args:
        folder: the viewer's folder.
        pictures: published bytes by digest, checked by who read them.

    Returns:
        File name of each picture, by sha256.
    """
    names: dict[str, str] = {}
    for sha256 in sorted(pictures):
        data = pictures[sha256]
        names[sha256] = image_name(data)
        path = folder / "pictures" / names[sha256]
        if not path.exists() or path.stat().st_size != len(data):
            write_atomic(path, data)
    return names


def write_viewer(
    folder: Path, runs: Sequence[RunView], pictures: Mapping[str, str], title: str
) -> ViewerFolder:
    """Write the page and its data files; same runs, same bytes.

    Args:
        folder: made where it is missing; data files of an older report in it are taken away.
        runs: at least one; their order is the order of the columns.
        pictures: of `keep_pictures`.
        title: heading of the page.
    """
    items = items_of(runs)
    index = index_of(runs, items, pictures)
    # Data files of another report carry another key, and the page refuses them.
    known = [[run.known.responses, run.known.judgements, run.known.steps] for run in runs]
    index["key"] = digest_of([index, *known])[:16]
    written = _write_data(folder / "data", index["key"], runs, items, pictures)
    write_atomic(folder / PAGE, page(index, title).encode("utf-8"))
    wanted = wanted_pictures(runs)
    return ViewerFolder(
        page=PAGE,
        items=len(items),
        files=written,
        pictures=len(wanted & set(pictures)),
        missing_pictures=len(wanted - set(pictures)),
    )


def page(index: Mapping[str, Any], title: str) -> str:
    """The page itself, with its index inside."""
    style, script = _asset("viewer.css"), _asset("viewer.js")
    environment = Environment(
        loader=PackageLoader("benchwright.eval"), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("viewer.html.j2").render(
        title=title,
        policy=content_policy(style, script),
        style=style,
        script=script,
        index=harmless_json(index),
        searched=SEARCHED,
    )


def content_policy(style: str, script: str) -> str:
    """What the page may do: its own script and style by digest, data files and pictures beside it, nothing else.

    `file:` stands beside `'self'` because browsers do not agree on whether a file on a disk is `'self'`.
    """
    rules = {
        "default-src": "'none'",
        "script-src": f"'self' file: '{_digest(script)}'",
        "style-src": f"'{_digest(style)}'",
        "img-src": "'self' file: data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "shards",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def harmless_json(value: Any) -> str:
    """JSON that is safe inside a script element and as a script: no sign in it can end the element or a line."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)
    return text.translate(_HARMLESS)


def _write_data(
    folder: Path, key: str, runs: Sequence[RunView], items: Sequence[Item], pictures: Mapping[str, str]
) -> int:
    names = set()
    for number, part in enumerate(shards(runs, items, pictures)):
        name = f"{number:04d}.js"
        names.add(name)
        text = f'benchwrightShard("{key}",{number},{harmless_json(part)});\n'
        write_atomic(folder / name, text.encode("utf-8"))
    for path in folder.iterdir() if folder.is_dir() else ():
        if _DATA.fullmatch(path.name) and path.name not in names:
            path.unlink()
    return len(names)


def _asset(name: str) -> str:
    return (files("benchwright.eval") / "templates" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
