"""How far people agree, counted again from `audit/answers.jsonl` alone: equal answers, kappa, alpha, intervals."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np


def jaccard(first: list[Any], second: list[Any]) -> float:
    return len(set(first) & set(second)) / len({*first, *second})


def common(first: list[Any], second: list[Any]) -> float:
    """Intersection over union of two boxes, [picture, x, y, width, height]."""
    if first[0] != second[0]:
        return 0.0
    sides = [
        max(0.0, min(first[at] + first[at + 2], second[at] + second[at + 2]) - max(first[at], second[at]))
        for at in (1, 2)
    ]
    both = sides[0] * sides[1]
    return both / (first[3] * first[4] + second[3] * second[4] - both)


class Measure:
    """What people said of one measure, and how far they agree."""

    def __init__(self, job: str, name: str, seed: int, lines: Sequence[dict[str, Any]]) -> None:
        self.job, self.name, self.seed = job, name, seed
        self.scale: str | None = lines[0]["scale"]
        self.people: list[dict[str, list[Any]]] = []
        self.slots: list[dict[str, list[Any]]] = []
        self.items: list[int] = []
        for place, line in enumerate(lines):
            units: dict[int, tuple[dict[str, list[Any]], dict[str, list[Any]]]] = {}
            for reviewer, slot, unit, value in line["answers"]:
                by_person, by_slot = units.setdefault(unit, ({}, {}))
                by_person.setdefault(reviewer, []).append(value)
                by_slot.setdefault(slot, []).append(value)
            for by_person, by_slot in units.values():
                self.people.append(by_person)
                self.slots.append({s: v for s, v in by_slot.items() if len({json.dumps(x) for x in v}) == 1})
                self.items.append(place)
        values = {json.dumps(v): v for unit in self.people for said in unit.values() for v in said}
        self.values = sorted(
            values.values(), key=lambda v: (v, "") if isinstance(v, int) else (0, json.dumps(v))
        )
        self.code = {json.dumps(value): place for place, value in enumerate(self.values)}

    @property
    def pairable(self) -> int:
        """Items with two people or more on a unit."""
        return len({item for item, unit in zip(self.items, self.people, strict=True) if len(unit) > 1})

    def shown(
        self, figure: Callable[[], tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]] | None]
    ) -> str:
        value, low, high = self.figure(figure)
        if np.isnan(value):
            return "-"
        return f"{round(value, 4):.2f}" if np.isnan(low) else f"{round(value, 4):.2f} [{low:.2f}, {high:.2f}]"

    def figure(self, figure: Any) -> tuple[float, float, float]:
        """Value and interval: percentiles over 1,000 samples of items."""
        n, of = figure()
        if n == 0:
            return np.nan, np.nan, np.nan
        value = float(of(np.ones((1, n)))[0])
        drawn = np.random.default_rng(self.seed).integers(0, n, size=(1000, n))
        weights = np.stack([np.bincount(sample, minlength=n) for sample in drawn]).astype(float)
        found = of(weights)
        known = found[~np.isnan(found)]
        if np.isnan(value) or len(known) < 950:
            return value, np.nan, np.nan
        low, high = np.round(np.quantile(known, [0.025, 0.975]), 4)
        return value, float(low), float(high)

    def coincidences(self) -> np.ndarray:
        """Items x values x values: pairs of answers of different people to one unit, each unit's by its answers - 1."""
        k = len(self.values)
        by_item: dict[int, np.ndarray] = {}
        for item, unit in zip(self.items, self.people, strict=True):
            codes = [self.code[json.dumps(said[-1])] for said in unit.values()]
            if len(codes) > 1:
                cell = by_item.setdefault(item, np.zeros((k, k)))
                for one, other in combinations(codes, 2):
                    cell[one, other] += 1 / (len(codes) - 1)
                    cell[other, one] += 1 / (len(codes) - 1)
        return np.stack(list(by_item.values())) if by_item else np.zeros((0, k, k))

    def equal(self) -> Any:
        sums: dict[int, list[float]] = {}
        for item, unit in zip(self.items, self.people, strict=True):
            codes = [json.dumps(said[-1]) for said in unit.values()]
            pairs = list(combinations(codes, 2))
            if pairs:
                cell = sums.setdefault(item, [0.0, 0.0])
                cell[0] += sum(one == other for one, other in pairs) / len(pairs)
                cell[1] += 1
        table = np.asarray(list(sums.values())).reshape(-1, 2)
        return len(table), lambda w: (w @ table[:, 0]) / (w @ table[:, 1])

    def alpha(self) -> Any:
        table = self.coincidences()
        fixed = None if self.scale == "ordinal" else self.distances()

        def of(weights: np.ndarray) -> np.ndarray:
            joint = np.einsum("bi,icd->bcd", weights, table)
            margins = joint.sum(axis=2)
            total = margins.sum(axis=1)
            apart = np.broadcast_to(fixed, joint.shape) if fixed is not None else self.ranks(margins)
            observed = (joint * apart).sum(axis=(1, 2))
            with np.errstate(invalid="ignore", divide="ignore"):
                expected = np.einsum("bc,bcd,bd->b", margins, apart, margins) / (total - 1)
                return np.where(expected > 0, 1 - observed / expected, np.nan)

        return len(table), of

    @staticmethod
    def ranks(margins: np.ndarray) -> np.ndarray:
        """Krippendorff's ordinal differences: answers between two ranks, both ends by half."""
        k = margins.shape[1]
        apart = np.zeros((len(margins), k, k))
        for one, other in combinations(range(k), 2):
            between = margins[:, one : other + 1].sum(axis=1) - (margins[:, one] + margins[:, other]) / 2
            apart[:, one, other] = apart[:, other, one] = between**2
        return apart

    def distances(self) -> np.ndarray:
        k = len(self.values)
        apart = 1.0 - np.eye(k)
        for one, other in combinations(range(k), 2):
            first, second = self.values[one], self.values[other]
            if isinstance(first, list) and isinstance(second, list):
                share = jaccard(first, second) if self.scale == "sets" else common(first, second)
                apart[one, other] = apart[other, one] = 1 - share
        return apart

    def kappa(self) -> Any:
        """Mean over pairs of slots that have one on all items."""
        kept = [item for item, unit in zip(self.items, self.slots, strict=True) if len(unit) > 1]
        places = {item: place for place, item in enumerate(dict.fromkeys(kept))}
        k = len(self.values)
        cost = 1.0 - np.eye(k)
        if self.scale == "ordinal":
            cost = np.subtract.outer(self.values, self.values).astype(float) ** 2
        tables: dict[tuple[str, str], np.ndarray] = {}
        for item, unit in zip(self.items, self.slots, strict=True):
            for one, other in combinations(sorted(unit), 2):
                cell = tables.setdefault((one, other), np.zeros((len(places), k, k)))
                cell[
                    places[item], self.code[json.dumps(unit[one][0])], self.code[json.dumps(unit[other][0])]
                ] += 1

        def one_pair(weights: np.ndarray, table: np.ndarray) -> np.ndarray:
            joint = np.einsum("bi,icd->bcd", weights, table)
            n = joint.sum(axis=(1, 2))
            with np.errstate(invalid="ignore", divide="ignore"):
                observed = (joint * cost).sum(axis=(1, 2)) / n
                expected = np.einsum("bc,cd,bd->b", joint.sum(axis=2), cost, joint.sum(axis=1)) / n**2
                return np.where(expected > 0, 1 - observed / expected, np.nan)

        everything = np.ones((1, len(places)))
        defined = [t for t in tables.values() if not np.isnan(one_pair(everything, t)).any()]
        if not defined:
            return 0, None
        return len(places), lambda w: np.mean([one_pair(w, table) for table in defined], axis=0)
