"""The certificate: what is claimed is recomputed, and any changed claim, row or pool is found."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.curation.certificate import certify, check_certificate, gap_of, rows_of
from benchwright.curation.select import choose
from benchwright.curation.select_items import Candidate, points_at
from benchwright.schemas.selection import Certificate, ChoiceSettings, Cover


def made_pool(seed: int, size: int = 40) -> list[Candidate]:
    random = Random(seed)
    items = []
    for number in range(size):
        cluster = random.randrange(5)
        own = random.sample(["A/a", "A/b", "B/c", "B/d", "B/e"], random.choice([0, 1, 2]))
        items.append(
            Candidate(
                f"q{number:03}",
                random.choice(["optics", "mechanics", "heat"]),
                random.randint(1, 5),
                cluster,
                round(random.random(), 6),
                points_at(own, cluster, None),
                () if own else ("knowledge_points",),
            )
        )
    return items


@pytest.fixture
def case():
    pool = made_pool(4)
    setting = ChoiceSettings(n=10, max_per_cluster=3, seed=1, subject_quota={"heat": 2}, gap_limit=0.0)
    choice = choose("physics", pool, setting)
    return rows_of("physics", choice.chosen), pool, certify("physics", pool, choice, setting, 5)


def test_an_honest_certificate_holds(case):
    assert check_certificate(*case) == ()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(5, 12))
def test_every_choice_is_certified(seed, n):
    pool = made_pool(seed, 25)
    setting = ChoiceSettings(n=n, max_per_cluster=3, seed=1)
    choice = choose("physics", pool, setting)
    assert (
        check_certificate(
            rows_of("physics", choice.chosen), pool, certify("physics", pool, choice, setting, 5)
        )
        == ()
    )


CHANGES = {
    "discipline": lambda value: "chemistry",
    "settings": lambda value: value.model_copy(update={"max_per_cluster": 1}),
    "pool_size": lambda value: value + 1,
    "pool_digest": lambda value: "0" * 64,
    "selection_digest": lambda value: "0" * 64,
    "n": lambda value: value + 1,
    "status": lambda value: "gap-limit",
    "objective": lambda value: value + 1,
    "bound": lambda value: value - 1,
    "gap": lambda value: value + 0.5,
    "cover": lambda value: Cover(size=value.size + 1, lower_bound=value.size + 1, proven=True),
    "points_total": lambda value: value + 1,
    "points_covered": lambda value: value - 1,
    "stand_ins_total": lambda value: value + 1,
    "stand_ins_covered": lambda value: value + 1,
    "points": lambda value: value[1:],
    "rules": lambda value: (value[0].model_copy(update={"upper": 99}), *value[1:]),
    "relaxed": lambda value: (*value, "difficulty:9"),
    "per_difficulty": lambda value: {**value, "1": 99},
    "per_subject": lambda value: {**value, "optics": 99},
    "estimated": lambda value: {"subject": 1},
    "clusters": lambda value: value + 1,
    "clusters_asked": None,
    "solver": None,
    "columns": lambda value: value - 1,
    "families": lambda value: value[1:],
    "left_out": lambda value: {"license": 3},
    "kept": lambda value: {"recipe": 1},
    "refused_levels": None,
    "priced_bound": lambda value: value + 1,
    "prices": lambda value: {**value, "difficulty:1": value.get("difficulty:1", 0.0) + 0.25},
}
"""How to falsify each claim; None: says where it came from, nothing to recompute it from."""


def test_every_claim_is_either_checked_or_known_to_be_free():
    assert CHANGES.keys() == Certificate.model_fields.keys()


@pytest.mark.parametrize("field", [field for field, change in CHANGES.items() if change])
def test_a_changed_claim_is_found(case, field):
    rows, pool, certificate = case
    false = certificate.model_copy(update={field: CHANGES[field](getattr(certificate, field))})
    assert false != certificate
    assert check_certificate(rows, pool, false, left_out={}) != ()


def test_objective_bound_and_gap_changed_together_are_found(case):
    rows, pool, certificate = case
    low = certificate.model_copy(
        update={"bound": certificate.bound - 0.5, "objective": certificate.objective - 0.5}
    )
    assert check_certificate(rows, pool, low, resolve=False) != ()


def test_a_worse_selection_under_a_low_bound_is_found_by_solving_again(case):
    rows, pool, certificate = case
    chosen = {row.question_id for row in rows}
    for out in rows:
        for item in pool:
            if item.question_id in chosen or (item.subject == "heat") != (out.subject == "heat"):
                continue
            picked = [
                one for one in pool if one.question_id in (chosen - {out.question_id}) | {item.question_id}
            ]
            if {p for one in pool for p in one.points if p[0] in "AB"} <= {
                p for one in picked for p in one.points
            }:
                break
        else:
            continue
        break
    from benchwright.curation.select import Choice
    from benchwright.curation.select_rules import Rules

    value = Rules.of(pool, certificate.settings).worth(picked)
    assert value < certificate.objective
    claimed = Choice(
        tuple(picked),
        value,
        value,
        "optimal",
        certificate.cover,
        certificate.columns,
        certificate.priced_bound,
        certificate.prices,
    )
    false = certify("physics", pool, claimed, certificate.settings, 5)
    worse = rows_of("physics", claimed.chosen)
    assert check_certificate(worse, pool, false, resolve=False) == ()
    assert any("too low" in fault for fault in check_certificate(worse, pool, false))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[1:], "instead of 10"),
        (lambda rows: [rows[0], *rows], "chosen twice"),
        (lambda rows: [rows[0].model_copy(update={"question_id": "stranger"}), *rows[1:]], "not in the pool"),
        (
            lambda rows: [rows[0].model_copy(update={"difficulty": rows[0].difficulty % 5 + 1}), *rows[1:]],
            "difficulty",
        ),
        (lambda rows: [rows[0].model_copy(update={"points": ("Z",)}), *rows[1:]], "points"),
        (lambda rows: [rows[0].model_copy(update={"rank": 99}), *rows[1:]], "ranks"),
    ],
)
def test_a_changed_selection_is_found(case, change, message):
    rows, pool, certificate = case
    assert any(message in fault for fault in check_certificate(change(rows), pool, certificate))


def test_a_changed_pool_is_found(case):
    rows, pool, certificate = case
    assert check_certificate(rows, pool[:-1], certificate) != ()
    lonely = [*pool, Candidate("q999", "optics", 3, 0, 0.0, ("New point",))]
    assert any("New point is not covered" in fault for fault in check_certificate(rows, lonely, certificate))


def test_gap_is_relative_and_never_negative():
    assert gap_of(100, 101) == pytest.approx(0.01)
    assert gap_of(0.5, 0.6) == pytest.approx(0.1)
    assert gap_of(5, 4) == 0
