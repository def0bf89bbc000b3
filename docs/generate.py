"""Write what the documentation takes from the program: `make docs`. `--check` only names what is stale."""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS))

from make import commands, house, records  # noqa: E402

OWN = ("commands/*.md", "schemas/*.json")
"""Folders that hold generated files alone: what is not made any more goes."""


def stale(made: dict[Path, str]) -> list[Path]:
    """Files that are not what the program says, and files of commands or records that are gone."""
    changed = [
        path for path, text in made.items() if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    return [*changed, *(path for pattern in OWN for path in DOCS.glob(pattern) if path not in made)]


def main() -> int:
    """Write the files, or check them."""
    made = {**commands.made(DOCS), **house.made(DOCS), **records.made(DOCS)}
    found = stale(made)
    if "--check" in sys.argv[1:]:
        for path in found:
            sys.stdout.write(f"stale: {path.relative_to(DOCS.parent)}\n")
        return 1 if found else 0
    for path in found:
        if path in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(made[path], encoding="utf-8")
        else:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
