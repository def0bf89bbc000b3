"""Messages that the troubleshooting page quotes are messages of the program."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "howto" / "troubleshooting.md"
PACKAGES = ("schemas", "models", "render", "curation", "annotation", "eval", "cli")
ANYTHING = "..."


def texts() -> Iterator[str]:
    """Every text of the program, whatever is filled in as `...`."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.JoinedStr):
                    parts = [
                        part.value if isinstance(part, ast.Constant) else ANYTHING for part in node.values
                    ]
                    yield "".join(str(part) for part in parts)
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def test_every_quoted_message_stands_in_the_code() -> None:
    quoted = re.findall(r"^> `(.+)`$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(quoted) > 20
    program = "\n".join(text.replace("\n", " ") for text in texts())
    missing = [
        message
        for message in quoted
        if not re.search("[^\n]*".join(re.escape(part) for part in message.split(ANYTHING)), program)
    ]
    assert not missing, "\n".join(missing)
