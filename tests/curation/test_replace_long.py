"""Acceptance F: five hundred random rejections one after another."""

from __future__ import annotations

import pytest

from .replace_pools import made_desk, made_pool
from .test_replace import rejections


@pytest.mark.long
@pytest.mark.parametrize("quotas", [False, True])
def test_five_hundred_rejections_keep_every_rule(quotas: bool, capsys: pytest.CaptureFixture[str]) -> None:
    hard = (
        {"difficulty_quota": {str(level): 200 for level in range(1, 6)}, "quota_tolerance": 5}
        if quotas
        else {}
    )
    desk = made_desk(made_pool(30_000, 1000, seed=11), 1000, **hard)
    made, failed = rejections(desk, 500, seed=12)
    same = sum(found.topic == "knowledge-point" for found in made)
    several = sum(len(found.pairs) > 1 for found in made)
    with capsys.disabled():
        print(f"\n500 rejections, quotas {quotas}: {len(made)} replaced, {same} on the same knowledge point, "
              f"{several} with further exchanges, not replaced: {sorted(set(failed))} x {len(failed)}")  # fmt: skip
    assert same >= 0.99 * len(made)
    assert all(reason in ("topic-exhausted", "rules-against-topic") for reason in failed)
    assert len(failed) <= 5
