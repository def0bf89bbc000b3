"""Our exact choice against greedy on the same pool: worth, broken rules, proof, CPU seconds, memory.

    python benchmarks/selection.py [--items 150000] [--points 1000] [--budget 1000] [--gap 1e-3] [--growth]

Greedy takes the item that adds most to the same worth, hard rules first, then exchanges items until the hard rules
hold; ties by id. It is the usual way (submodular maximisation) and cannot say how far it is from the best.
`--growth` runs 15,000, 150,000 and 600,000 items, each in a process of its own.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time

import numpy as np

from benchwright.curation.certificate import certify, check_certificate, rows_of
from benchwright.curation.select import choose
from benchwright.curation.select_greedy import quick_choice
from benchwright.curation.select_items import Candidate, points_at
from benchwright.curation.select_rules import Rules
from benchwright.schemas.selection import ChoiceSettings

SUBJECTS = 8
CHAPTERS = 60


def make_pool(items: int, points: int, budget: int) -> list[Candidate]:
    """Items of 0 to 4 points with Zipf frequencies, 8 subjects, levels that go with the point.

    Half have a template that others may share, a tenth a group of copies, half a picture.
    """
    rng = np.random.default_rng(3)
    clusters = max(1, budget // 3)
    subject_of, level_of = rng.integers(0, SUBJECTS, points), rng.integers(1, 6, points)
    cluster_of = rng.integers(0, clusters, points)
    share = 1 / np.arange(1, points + 1)
    mates = [np.flatnonzero(subject_of == subject) for subject in range(SUBJECTS)]
    main = np.concatenate([np.arange(points), rng.choice(points, items - points, p=share / share.sum())])
    more = rng.choice([0, 1, 2, 3], items, p=[0.45, 0.3, 0.17, 0.08])
    named = rng.random(items) < 0.9
    level, strays = rng.integers(-2, 3, items), rng.integers(0, clusters, items)
    near, central = rng.random(items) < 0.7, np.round(rng.beta(5, 2, items), 6)
    likes = {
        letter: np.where(rng.random(items) < part, rng.integers(0, max(1, items // of), items), -1)
        for letter, part, of in (("t", 0.5, 3), ("g", 0.1, 2), ("i", 0.5, 2))
    }
    pool = []
    for number, point in enumerate(main):
        own = {int(point), *map(int, rng.choice(mates[subject_of[point]], more[number]))}
        cluster = int(cluster_of[point]) if near[number] else int(strays[number])
        template, group, image = (int(likes[letter][number]) for letter in "tgi")
        pool.append(
            Candidate(
                f"q{number:06}",
                f"s{subject_of[point]}",
                int(np.clip(level_of[point] + level[number], 1, 5)),
                cluster,
                float(central[number]),
                points_at((f"p{one:04}" for one in own if number < points or named[number]), cluster, None),
                template=None if template < 0 else f"t{template}",
                group=None if group < 0 else f"g{group}",
                images=() if image < 0 else (f"{image:064x}",),
                chapter=f"c{int(point) % CHAPTERS}",
            )
        )
    return pool


def memory() -> int:
    """Peak of this process so far, MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (2**20 if sys.platform == "darwin" else 1024)


def measure(items: int, points: int, budget: int, gap: float) -> None:
    """Run both on one pool and print the table."""
    pool = make_pool(items, points, budget)
    settings = ChoiceSettings(
        n=budget,
        max_per_cluster=6,
        max_per_chapter=max(1, 2 * budget // CHAPTERS),
        subject_tolerance=0.02,
        difficulty_tolerance=0.02,
        seed=0,
        gap_limit=gap,
        time_limit=60.0,
    )
    held = memory()
    started = time.process_time()
    choice = choose("pool", pool, settings)
    exact_seconds = time.process_time() - started
    peak = memory()
    rules = Rules.of(pool, settings)
    started = time.process_time()
    taken = quick_choice(pool, rules)
    greedy_seconds = time.process_time() - started
    print(
        f"{items:,} items, {points:,} points, choose {budget:,}: {choice.columns:,} columns, {choice.status}"
    )
    print(
        f"peak {peak} MB, {held} MB of them the pool; bound {choice.bound:.3f}, by prices {choice.priced_bound:.3f}"
    )
    print(f"{'method':<14}{'worth':>11}{'to bound':>11}{'broken rules':>14}{'CPU-s':>8}")
    for name, chosen, seconds in (
        ("benchwright", list(choice.chosen), exact_seconds),
        ("greedy", taken, greedy_seconds),
    ):
        worth = rules.worth(chosen)
        distance = (choice.bound - worth) / choice.bound
        print(f"{name:<14}{worth:>11.2f}{distance:>11.4%}{len(rules.broken(chosen)):>14}{seconds:>8.2f}")
    certificate = certify("pool", pool, choice, settings, max(1, budget // 3))
    faults = check_certificate(rows_of("pool", choice.chosen), pool, certificate, resolve=False)
    print("certificate:", "holds, its bound checked by arithmetic" if not faults else "; ".join(faults))


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=150_000)
    parser.add_argument("--points", type=int, default=1_000)
    parser.add_argument("--budget", type=int, default=1_000)
    parser.add_argument("--gap", type=float, default=1e-3)
    parser.add_argument("--growth", action="store_true", help="15,000, 150,000 and 600,000 items")
    options = parser.parse_args()
    if not options.growth:
        measure(options.items, options.points, options.budget, options.gap)
        return
    for items in (15_000, 150_000, 600_000):
        shape = [f"--points={options.points}", f"--budget={options.budget}", f"--gap={options.gap}"]
        subprocess.run([sys.executable, __file__, f"--items={items}", *shape], check=True)


if __name__ == "__main__":
    main()
