"""Pools of made-up candidates with vectors, and selections that keep every rule: what the replacement tests work on."""

from __future__ import annotations

import random
from itertools import accumulate

import numpy as np

from benchwright.curation.replace_find import Desk
from benchwright.curation.replace_mend import fewest_exchanges
from benchwright.curation.replace_stock import Stock
from benchwright.curation.select_items import Candidate
from benchwright.curation.select_rules import Rules
from benchwright.schemas.selection import ChoiceSettings

SUBJECTS = ("mechanics", "optics", "waves", "heat")
DIMENSION = 64


def made_pool(size: int, points: int, seed: int, *, repeats: float = 0.2) -> Stock:
    """Questions with Zipf points, levels bound to points, templates, groups, pictures, two languages."""
    rng = random.Random(seed)
    numbers = np.random.default_rng(seed)
    centres = numbers.normal(size=(points, DIMENSION))
    weights = list(accumulate(1 / (rank + 1) for rank in range(points)))
    items: dict[str, Candidate] = {}
    vectors = np.zeros((size, DIMENSION), np.float32)
    rows, languages = {}, {}
    for number in range(size):
        name = f"q{number:06}"
        main = number if number < points else rng.choices(range(points), cum_weights=weights)[0]
        more = rng.choices(range(points), cum_weights=weights, k=rng.choice((0, 0, 1, 1, 2)))
        vector = centres[main] + numbers.normal(size=DIMENSION) * 0.6
        template = group = None
        if number > points and rng.random() < repeats:
            of = items[f"q{rng.randrange(number):06}"]
            template, vector = (
                of.question_id,
                vectors[int(of.question_id[1:])] + numbers.normal(size=DIMENSION) * 1e-3,
            )
            group = of.question_id if rng.random() < 0.2 else None
        held = sorted({f"field/{main % 40}/{main}", *(f"field/{other % 40}/{other}" for other in more)})
        items[name] = Candidate(
            name,
            SUBJECTS[main % len(SUBJECTS)],
            min(5, max(1, 1 + main % 5 + rng.choice((-1, 0, 0, 1)))),
            main % max(1, points // 3),
            round(rng.random(), 6),
            tuple(held),
            template=template,
            group=group,
            images=(f"{rng.randrange(size * 2):064x}",) if rng.random() < 0.3 else (),
        )
        vectors[number] = vector / np.linalg.norm(vector)
        rows[name] = number
        languages[name] = rng.choice(("en", "zh"))
    return Stock(items, languages, rows, vectors)


def settings(n: int, **changes: object) -> ChoiceSettings:
    values: dict[str, object] = {
        "n": n,
        "max_per_cluster": max(2, n // 10),
        "seed": 1,
        "subject_tolerance": 0.1,
    }
    return ChoiceSettings.model_validate(values | changes)


def made_desk(stock: Stock, n: int, **changes: object) -> Desk:
    """A selection of n that keeps every hard rule, found by asking for the fewest exchanges on a plain one."""
    rules = Rules.of(list(stock.items.values()), settings(n, **changes))
    plain = list(stock.items.values())[:n]
    found = fewest_exchanges(plain, stock.items.values(), rules)
    assert found is not None
    leaving = {item.question_id for item in found.leaving}
    chosen = [*(item for item in plain if item.question_id not in leaving), *found.joining]
    assert rules.broken(chosen) == []
    return Desk(stock, rules, chosen)
