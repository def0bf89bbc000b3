"""Our exact choice against greedy on the same pool: objective, broken rules, proof, seconds.

    python benchmarks/selection.py [--items 5000] [--points 200] [--budget 200]

Greedy takes the item that adds most to the same objective, first for points that are still uncovered; ties by id. It
is the usual way (submodular maximisation) and cannot say how far it is from the best.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import numpy as np

from benchwright.curation.certificate import certify, check_certificate, rows_of
from benchwright.curation.select import choose, outside, worth
from benchwright.curation.select_items import (
    Candidate,
    bands,
    frequencies,
    frequency_targets,
    must_cover,
    points_at,
)
from benchwright.schemas.selection import ChoiceSettings

UNCOVERED = 100.0


def make_pool(items: int, points: int) -> list[Candidate]:
    """Items of 0 to 4 points with Zipf frequencies, 8 subjects, levels that go with the point."""
    rng = np.random.default_rng(3)
    subject_of, level_of = rng.integers(0, 8, points), rng.integers(1, 6, points)
    share = 1 / np.arange(1, points + 1)
    main = np.concatenate([np.arange(points), rng.choice(points, items - points, p=share / share.sum())])
    pool = []
    for number, point in enumerate(main):
        mates = np.flatnonzero(subject_of == subject_of[point])
        extra = rng.choice(mates, min(len(mates), int(rng.choice([0, 1, 2, 3], p=[0.45, 0.3, 0.17, 0.08]))))
        named = {int(point), *map(int, extra)} if number < points or rng.random() < 0.9 else set()
        cluster = int(point) // 3
        pool.append(
            Candidate(
                f"q{number:06}",
                f"s{subject_of[point]}",
                int(np.clip(level_of[point] + rng.integers(-2, 3), 1, 5)),
                cluster,
                round(float(rng.beta(5, 2)), 6),
                points_at((f"p{one:04}" for one in named), cluster, None),
            )
        )
    return pool


def greedy(pool: list[Candidate], settings: ChoiceSettings) -> list[Candidate]:
    """Take `n` items one by one, each the best next one within the upper ends of the bands."""
    targets = frequency_targets(pool, settings.n)
    upper = {band.rule: band.upper for band in bands(pool, settings)}
    counts: Counter[str] = Counter()
    chosen: list[Candidate] = []
    left = sorted(pool, key=lambda item: item.question_id)
    while len(chosen) < settings.n:
        best = max(left, key=lambda item: _gain(item, counts, targets, upper, settings))
        chosen.append(best)
        left.remove(best)
        counts.update(
            [*best.points, f"difficulty:{best.difficulty}", f"subject:{best.subject}", f"c{best.cluster}"]
        )
    return chosen


def _gain(
    item: Candidate,
    counts: Counter[str],
    targets: dict[str, int],
    upper: dict[str, int],
    settings: ChoiceSettings,
) -> float:
    weights = settings.weights
    gain = weights.centrality * item.centrality
    for point in item.points:
        gain += weights.point * (counts[point] < targets[point]) + UNCOVERED * (counts[point] == 0)
    for rule in (f"difficulty:{item.difficulty}", f"subject:{item.subject}"):
        gain -= weights.quota * (counts[rule] >= upper[rule])
    return gain - weights.crowding * (counts[f"c{item.cluster}"] >= settings.max_per_cluster)


def broken(chosen: list[Candidate], pool: list[Candidate], settings: ChoiceSettings) -> tuple[int, int]:
    """Uncovered points, and questions by which the bands are missed."""
    counts = Counter(
        rule
        for item in chosen
        for rule in (*item.points, f"difficulty:{item.difficulty}", f"subject:{item.subject}")
    )
    uncovered = sum(1 for point in must_cover(frequencies(pool), settings) if not counts[point])
    return uncovered, sum(outside(band, counts[band.rule]) for band in bands(pool, settings))


def main() -> None:
    """Run both and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=5_000)
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--budget", type=int, default=200)
    options = parser.parse_args()
    pool = make_pool(options.items, options.points)
    settings = ChoiceSettings(n=options.budget, max_per_cluster=6, seed=0, gap_limit=1e-4)
    started = time.perf_counter()
    choice = choose("pool", pool, settings)
    exact_seconds = time.perf_counter() - started
    started = time.perf_counter()
    taken = greedy(pool, settings)
    greedy_seconds = time.perf_counter() - started
    value = worth(taken, pool, settings)
    print(f"{options.items} items, {options.points} points, choose {options.budget}")
    cover = choice.cover
    print(f"smallest cover {cover.lower_bound} to {cover.size}, {choice.columns} columns, {choice.status}")
    print(
        f"{'method':<14}{'objective':>11}{'to bound':>10}{'uncovered':>11}{'outside bands':>15}{'seconds':>9}"
    )
    for name, chosen, worthy, seconds in (
        ("benchwright", list(choice.chosen), choice.objective, exact_seconds),
        ("greedy", taken, value, greedy_seconds),
    ):
        uncovered, missed = broken(chosen, pool, settings)
        gap = (choice.bound - worthy) / choice.bound
        print(f"{name:<14}{worthy:>11.2f}{gap:>10.3%}{uncovered:>11}{missed:>15}{seconds:>9.2f}")
    faults = check_certificate(
        rows_of("pool", choice), pool, certify("pool", pool, choice, settings, 100), resolve=False
    )
    print("certificate:", "holds" if not faults else "; ".join(faults))


if __name__ == "__main__":
    main()
