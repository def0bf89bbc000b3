"""Replacing: identical topic, same difficulty and language, nearest, no repeat, every rule kept; or a named error."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from benchwright.curation.replace_find import NEAR, Desk, Found
from benchwright.curation.replace_stock import Stock
from benchwright.curation.replace_tally import Tally
from benchwright.curation.select_items import Candidate, levels_of, shared_values
from benchwright.curation.select_rules import Rules, outside
from benchwright.schemas.errors import ItemError
from benchwright.schemas.selection import is_stand_in

from .replace_pools import made_desk, made_pool, settings


def missed(desk: Desk) -> dict[str, int]:
    slacks = desk.rules.band_slacks(desk.tally.chosen.values())
    return {slack.rule: slack.relaxed_by for slack in slacks}


def rejections(desk: Desk, count: int, seed: int) -> tuple[list[Found], list[str]]:
    """Reject random chosen questions one after another; every step is held against the rules from scratch."""
    rng, made, failed = Random(seed), [], []
    gone: set[str] = set()
    soft = missed(desk)
    for _ in range(count):
        name = rng.choice(sorted(desk.tally.chosen))
        old = desk.tally.chosen[name]
        try:
            found = desk.find(name)
        except ItemError as error:
            assert error.reason in ("topic-exhausted", "rules-against-topic"), error
            failed.append(error.reason)
            desk.turned.add(name)
            continue
        desk.make(found)
        made.append(found)
        gone.add(name)
        chosen = list(desk.tally.chosen.values())
        assert desk.rules.broken(chosen) == []
        assert not gone & desk.tally.chosen.keys()
        new = found.pairs[0][1]
        real = {p for p in old.points if not is_stand_in(p)}
        assert real & set(new.points) if found.topic == "knowledge-point" else new.cluster == old.cluster
        now = missed(desk)
        assert found.relaxed or all(now[rule] <= soft[rule] for rule in soft)
        soft = now
    return made, failed


@pytest.mark.parametrize("quotas", [False, True])
def test_forty_rejections_keep_every_rule(quotas: bool) -> None:
    hard = (
        {"difficulty_quota": {str(level): 24 for level in range(1, 6)}, "quota_tolerance": 1}
        if quotas
        else {}
    )
    desk = made_desk(made_pool(2500, 140, seed=4), 120, **hard)
    made, failed = rejections(desk, 40, seed=8)
    assert len(made) + len(failed) == 40
    assert sum(found.topic == "knowledge-point" for found in made) >= 0.99 * len(made)
    assert len(made) >= 39
    chosen = list(desk.tally.chosen.values())
    for found in made:
        for _, new in found.pairs:
            if new.question_id not in desk.tally.chosen:
                continue
            others = [item.question_id for item in chosen if item.question_id != new.question_id]
            assert max(desk.stock.cosines(new.question_id, others)) <= NEAR


def test_the_best_by_brute_force() -> None:
    """Where one exchange does, no other question of the topic stands before it in any of the stated orders."""
    desk = made_desk(made_pool(2000, 120, seed=6), 110)
    for name in sorted(desk.tally.chosen)[::9]:
        old, found = desk.tally.chosen[name], desk.find(name)
        if len(found.pairs) > 1:
            continue
        rest = [item for item in desk.tally.chosen.values() if item is not old]
        names = [item.question_id for item in (*rest, old)]
        fits = []
        for item in desk.stock.items.values():
            topic = set(item.points) & set(old.points)
            if item.question_id in desk.tally.chosen or not topic:
                continue
            shared = {value for f in ("group", "template", "image") for value in shared_values(old, f)}
            if shared & {value for f in ("group", "template", "image") for value in shared_values(item, f)}:
                continue
            if max(desk.stock.cosines(item.question_id, names)) > NEAR or desk.rules.broken([*rest, item]):
                continue
            before, after = [*rest, old], [*rest, item]
            worse = sum(
                outside(band, sum(band.rule in levels_of(i) for i in after))
                > outside(band, sum(band.rule in levels_of(i) for i in before))
                for band in desk.rules.bands
            ) + sum(
                count > desk.rules.over(cap, before).get(value, 0)
                for cap in desk.rules.caps
                for value, count in desk.rules.over(cap, after).items()
            )
            language = desk.stock.languages[item.question_id] != desk.stock.languages[name]
            cosine = desk.stock.cosines(name, [item.question_id])[0]
            far = abs(item.difficulty - old.difficulty)
            fits.append((worse, far, language, item.subject != old.subject, -cosine, item.question_id))
        assert found.offer.item.question_id == min(fits)[-1]
        assert found.supply == len(fits) - 1


def small(*items: Candidate, n: int, chosen: int, spread: float = 1.0, **more: object) -> Desk:
    """A desk of a few questions; their vectors stand apart unless `spread` is small."""
    numbers = (
        np.random.default_rng(0).normal(size=(len(items), 16)).astype(np.float32) * spread + (1 - spread) * 9
    )
    vectors = numbers / np.linalg.norm(numbers, axis=1, keepdims=True)
    stock = Stock(
        {item.question_id: item for item in items},
        {item.question_id: "en" for item in items},
        {item.question_id: row for row, item in enumerate(items)},
        vectors,
    )
    wide = {"max_per_cluster": 99, "subject_tolerance": 1.0, "difficulty_tolerance": 1.0}
    rules = Rules.of(items, settings(n, **wide))
    return Desk(stock, rules, items[:chosen], **more)  # type: ignore[arg-type]


def one(name: str, *points: str, **more: object) -> Candidate:
    values: dict[str, object] = {"subject": "s", "difficulty": 3, "cluster": 0, "centrality": 0.5}
    return Candidate(question_id=name, points=tuple(sorted(points)), **(values | more))  # type: ignore[arg-type]


def test_an_exhausted_topic_is_a_named_error_and_nothing_changes() -> None:
    desk = small(one("a", "p"), one("b", "q"), one("c", "q", cluster=1), one("d", "q"), n=2, chosen=2)
    desk.stock.by_cluster[0] = ["a", "b"]
    before = dict(desk.tally.chosen)
    with pytest.raises(ItemError, match="topic-exhausted: no question of p is left for a"):
        desk.find("a")
    assert desk.tally.chosen == before
    assert desk.find("b").offer.item.question_id in ("c", "d")
    with pytest.raises(ItemError, match="not-selected"):
        desk.find("c")


def test_rules_against_every_question_of_the_topic_are_named() -> None:
    items = [one("a", "p", "q"), one("b", "r"), one("c", "p")]
    desk = small(*items, n=2, chosen=2)
    with pytest.raises(ItemError, match=r"rules-against-topic: 1 questions of p; q .*point:q"):
        desk.find("a")


def test_further_exchanges_where_one_question_alone_held_two_points() -> None:
    items = [
        one("a", "p", "q"),
        one("b", "r"),
        one("c", "r", "s"),
        one("d", "s"),
        one("e", "p"),
        one("f", "q", "r"),
    ]
    desk = small(*items, n=3, chosen=3)
    found = desk.find("a")
    desk.make(found)
    assert len(found.pairs) == 2
    assert {joins.question_id for _, joins in found.pairs} == {"e", "f"}
    assert [leaves.question_id for leaves, _ in found.pairs] == ["a", "b"]
    assert desk.rules.broken(list(desk.tally.chosen.values())) == []


@pytest.mark.parametrize(
    "repeat",
    [{"template": "t"}, {"group": "g"}, {"images": ("9" * 64,)}],
    ids=["template", "group", "image"],
)
def test_repeats_of_what_leaves_or_is_set_apart_do_not_join(repeat: dict[str, object]) -> None:
    plain = one("z", "p", difficulty=5)
    desk = small(one("a", "p", **repeat), one("b", "p", **repeat), plain, n=1, chosen=1)
    assert desk.find("a").offer.item.question_id == "z"
    apart = one("x", "p", **repeat)
    desk = small(one("a", "p"), one("b", "p", **repeat), plain, apart, n=1, chosen=1, apart=(apart,))
    assert desk.find("a").offer.item.question_id == "z"


def test_near_duplicates_and_what_was_turned_away_do_not_join() -> None:
    items = [one("a", "p"), one("b", "p")]
    with pytest.raises(ItemError, match="topic-exhausted"):
        small(*items, n=1, chosen=1, spread=0.001).find("a")
    with pytest.raises(ItemError, match="topic-exhausted"):
        small(*items, n=1, chosen=1, turned={"b"}).find("a")
    assert small(*items, n=1, chosen=1).find("a").offer.item.question_id == "b"


def test_the_cluster_comes_after_the_point_and_levels_before_likeness() -> None:
    near_level = one("c", "p", difficulty=4)
    desk = small(one("a", "p"), one("b", "q", difficulty=3), near_level, n=1, chosen=1)
    desk.rules = desk.tally.rules = replace(desk.rules, must=("p",))
    assert desk.find("a").offer.item.question_id == "c"
    desk.turned.add("c")
    with pytest.raises(ItemError, match="rules-against-topic"):
        desk.find("a")
    free = small(one("a", "p"), one("d", "q"), one("e", "p"), n=1, chosen=1, turned={"e"})
    free.tally = Tally(replace(free.rules, must=()), [free.stock.items["a"]])
    found = free.find("a")
    assert (found.topic, found.offer.item.question_id) == ("cluster", "d")


def test_the_effect_of_an_exchange_is_what_the_rules_say_from_scratch() -> None:
    desk = made_desk(made_pool(800, 60, seed=2), 60, difficulty_quota={"3": 12}, quota_tolerance=1)
    rng, outcomes = Random(3), set()
    for _ in range(300):
        old = desk.tally.chosen[rng.choice(sorted(desk.tally.chosen))]
        new = desk.stock.items[rng.choice(sorted(desk.stock.items.keys() - desk.tally.chosen.keys()))]
        after = [*(item for item in desk.tally.chosen.values() if item is not old), new]
        broken = bool(desk.rules.broken(after))
        assert bool(desk.tally.effect([old], [new]).broken) == broken
        outcomes.add(broken)
    assert outcomes == {True, False}
