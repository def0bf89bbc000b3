"""Acceptance of duplicates: real repeats mixed in, translated pairs, number variants of a generated pool, memory."""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchwright.curation.dedup import dedup_discipline, dedup_files, duplicate_rows
from benchwright.curation.dedup_text import canonical
from benchwright.curation.dedup_vectors import Matrix, near_vectors, stored
from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.examples.generated_pool import write_generated_pool
from benchwright.schemas.duplicates import DuplicatePair, DuplicateRow
from benchwright.schemas.records import Question
from benchwright.schemas.tables import iter_records, read_records
from benchwright.schemas.workspace import Workspace

pytestmark = pytest.mark.long

TEXT_ONLY = "\n[dedup.thresholds]\ncosine = 2\n"


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def lines(path: Path) -> Iterator[dict[str, Any]]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    yield from map(json.loads, data.splitlines())


def test_exact_groups_mixed_in_are_all_found_and_stems_merge_only_with_options_and_picture(
    shared_data: Path, make_workspace: Callable[..., Workspace], tmp_path: Path
) -> None:
    """Issue CURATION, acceptance C."""
    text = list(lines(shared_data / "text_pool.jsonl.gz"))
    known = {row["id"]: row for row in text}
    groups = list(lines(shared_data / "real_duplicates.jsonl"))
    more = []
    for group in groups:
        if group["kind"] == "exact_after_whitespace":
            base = next(known[m["id"]] for m in group["members"] if m["id"] in known)
            shared = {key: base[key] for key in ("source_license", "discipline", "language")}
            told = {**shared, "question": group["question"], "choices": group["choices"], "images": []}
            more += [{**told, **_told(m)} for m in group["members"] if not m["in_text_pool"]]
    sources = [write_rows(tmp_path / "text.jsonl", text), write_rows(tmp_path / "more.jsonl", more)]
    workspace = make_workspace(TEXT_ONLY)
    ingest(workspace, [*sources, shared_data / "real_pool" / "pool.jsonl"], IngestOptions())
    rows: dict[str, DuplicateRow] = {}
    for discipline in workspace.pool_disciplines():
        report = dedup_discipline(workspace, discipline, workers=2, yes=True).report
        print(discipline, report.model_dump_json())
        rows |= duplicate_rows(workspace, discipline)
    found = Counter[bool]()
    for group in groups:
        ids = [m["id"] for m in group["members"] if m["id"] in rows]
        if group["kind"] == "exact_after_whitespace":
            found.update(rows[ids[0]].group == rows[name].group is not None for name in ids[1:])
    print("exact repeats found", dict(found))
    assert found[True] > 600 and not found[False]
    shown = {
        question.id: (_options(question), _pictures(question))
        for discipline in workspace.pool_disciplines()
        for question in iter_records(workspace.pool(discipline), Question)
    }
    _print_stem_table(groups, rows, shown)
    for name, (options, pictures) in shown.items():
        group = rows[name].group
        if group is None:
            continue
        assert options == shown[group][0], "merged only where the options agree, in any order"
        if pictures != shown[group][1]:
            print("merged although pictures are not equal byte by byte (to the eye they are):", group, name)
            assert len(pictures) == len(shown[group][1])


def _options(question: Question) -> list[str]:
    return sorted(canonical(choice.text or "") for choice in question.text.choices)


def _pictures(question: Question) -> list[str]:
    of_options = (choice.image.sha256 for choice in question.text.choices if choice.image is not None)
    return sorted([*(image.sha256 for image in question.images), *of_options])


def _told(member: dict[str, Any]) -> dict[str, Any]:
    return {key: member[key] for key in ("id", "source", "answer")}


AGREE, REWRITTEN, DIFFER = "agree", "agree but for writing or order", "differ"
NONE, SAME, ANOTHER, UNKNOWN = "none", "the same", "another", "unknown"


def _print_stem_table(
    groups: list[dict[str, Any]],
    rows: dict[str, DuplicateRow],
    shown: dict[str, tuple[list[str], list[str]]],
) -> None:
    """Stem groups by whether their options differ and whether their pictures are the same, and what became of them.

    Pictures are compared by their digests. A question of the text pool whose source had a picture lies there without
    it: of its group nobody can say, and it is counted apart ("unknown").
    """
    table, merged, asked = (Counter[tuple[str, str]]() for _ in range(3))
    for group in groups:
        ids = [m["id"] for m in group["members"] if m["id"] in rows]
        if group["kind"] != "normalised_stem" or len(ids) < 2:
            continue
        pictures = [shown[name][1] for name in ids]
        known = SAME if all(one == pictures[0] for one in pictures) else ANOTHER
        picture = NONE if not group["any_image"] else UNKNOWN if not all(pictures) else known
        alike = all(shown[name][0] == shown[ids[0]][0] for name in ids)
        options = AGREE if not group["choices_differ"] else REWRITTEN if alike else DIFFER
        table[options, picture] += 1
        merged[options, picture] += len({rows[name].group or name for name in ids}) == 1
        asked[options, picture] += any(rows[name].disputed for name in ids)
    print("stem groups by options x pictures: groups, merged whole, of these with contradictory answers")
    for options in (AGREE, REWRITTEN, DIFFER):
        for picture in (NONE, SAME, ANOTHER, UNKNOWN):
            counts = [found[options, picture] for found in (table, merged, asked)]
            print(f"  options {options}, picture {picture}: {counts}")
    assert not any(merged[DIFFER, picture] for picture in (NONE, SAME, ANOTHER, UNKNOWN))
    assert merged[AGREE, SAME] and merged[AGREE, NONE] > 300 and merged[REWRITTEN, NONE] > 50


def test_translated_pairs_are_candidates(
    shared_data: Path, make_workspace: Callable[..., Workspace], tmp_path: Path
) -> None:
    """Issue CURATION, acceptance E."""
    pairs = list(lines(shared_data / "parallel_zh_en.jsonl"))
    told = [
        {"id": f"{p['id']}-{tongue}", "source": p["source"], "source_license": p["source_license"],
         "discipline": "mathematics", "language": tongue, "question": p[tongue], "answer": p["answer"]}
        for p in pairs for tongue in ("en", "zh")
    ]  # fmt: skip
    workspace = make_workspace()
    ingest(workspace, [write_rows(tmp_path / "pairs.jsonl", told)], IngestOptions())
    dedup_discipline(workspace, "mathematics", workers=2)
    found = {
        (pair.first, pair.second)
        for pair in read_records(dedup_files(workspace, "mathematics")[1], DuplicatePair)
        if pair.relation == "candidate"
    }
    right = {(f"{p['id']}-en", f"{p['id']}-zh") for p in pairs}
    print(
        f"translated pairs found as candidates: {len(found & right)} of {len(right)}, others {len(found - right)}"
    )
    assert len(found & right) >= 0.7 * len(right)
    assert len(found - right) <= 0.05 * len(right)


def test_number_variants_of_a_generated_pool_are_never_merged(
    make_workspace: Callable[..., Workspace], tmp_path: Path
) -> None:
    """Issue CURATION, acceptance C: precision on the generator's number variants."""
    made = write_generated_pool(tmp_path / "made", 15_000)
    workspace = make_workspace(TEXT_ONLY)
    ingest(workspace, [made.path], IngestOptions())
    print(dedup_discipline(workspace, "physics", workers=2, yes=True).report.model_dump_json())
    rows = duplicate_rows(workspace, "physics")
    merged: Counter[tuple[str, bool]] = Counter()
    for fact in lines(made.truth):
        one, two = rows[fact["id"]], rows[fact["of"]]
        merged[fact["kind"], one.group == two.group is not None] += 1
        if fact["kind"] == "template":
            assert one.group is None or one.group != two.group, fact
            assert one.template == two.template is not None, fact
    print("planted, merged or not", dict(sorted(merged.items())))


_CHILD = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
from test_dedup_long import planted_vectors
print(planted_vectors(Path(sys.argv[1])))
"""


def test_clu_05_150000_vectors_within_4_gib(tmp_path: Path) -> None:
    """Field case CLU-05: a full square of cosines would take 90 GB."""
    command = [sys.executable, "-c", _CHILD, str(tmp_path), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1200)
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    assert done.stdout.startswith(str([(at, at + 5000) for at in range(10)]))


def planted_vectors(folder: Path) -> str:
    """Ten near pairs among 150,000 random vectors: the pairs found, and the peak in MB. Runs in the limited process."""
    rng = np.random.default_rng(0)

    def blocks() -> Iterator[Matrix]:
        first = rng.standard_normal((5000, 384)).astype(np.float32)
        yield first
        for block in range(1, 30):
            vectors = rng.standard_normal((5000, 384)).astype(np.float32)
            if block == 1:
                vectors[:10] = first[:10] + 0.05 * vectors[:10]
            yield vectors

    with stored(blocks(), folder, 384) as vectors:
        found: set[tuple[int, ...]] = set()
        least = np.float32(0.95)
        for pairs, _ in near_vectors(vectors, lambda a, b: np.full((len(a), len(b)), least), 1):
            found |= set(map(tuple, pairs.tolist()))
    return f"{sorted(found)} peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB"
