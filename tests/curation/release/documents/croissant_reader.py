"""Run by another interpreter: prints every record of a Croissant file as its own library reads it, as one JSON list."""

from __future__ import annotations

import json
import sys

import mlcroissant


def main() -> int:
    """Read all record sets but that of the splits; any issue of the file ends it."""
    loaded = mlcroissant.Dataset(sys.argv[1])
    issues = loaded.metadata.ctx.issues
    if issues.errors or issues.warnings:
        print(*issues.errors, *issues.warnings, sep="\n", file=sys.stderr)
        return 1
    found = []
    for records in loaded.metadata.record_sets:
        if records.id == "splits":
            continue
        for record in loaded.records(records.id):
            fields = {name.removeprefix(f"{records.id}/"): value for name, value in record.items()}
            texts = {name: fields[name].decode() for name in ("id", "answer", "question", "split")}
            sizes = [image.size for image in fields["images"]]
            level = int(fields["difficulty"])
            found.append(texts | {"difficulty": level, "images": sizes, "options": len(fields["options"])})
    json.dump(found, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
