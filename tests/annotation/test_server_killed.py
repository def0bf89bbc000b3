"""Server or command killed in the middle of a push or a pull: the next one finishes, nothing is doubled or lost.

The same with 2,000 tasks and twenty kills: `test_server_killed_long.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .kill_rounds import KillRounds

pytestmark = pytest.mark.labelstudio


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory, make_workspace) -> Iterator[KillRounds]:
    workspace = make_workspace(tmp_path_factory.mktemp("killed") / "ws", 80, name="killed")
    made = KillRounds(workspace, 80, batch=20)
    yield made
    made.close()


@pytest.mark.parametrize("victim", ["client", "server"])
def test_killed_in_a_pull(rounds: KillRounds, victim: str) -> None:
    print(*rounds.pull_killed(victim, seed=0), sep="\n")


@pytest.mark.parametrize(("victim", "slot"), [("client", "B"), ("server", "C")])
def test_killed_in_a_push(rounds: KillRounds, victim: str, slot: str) -> None:
    print(*rounds.push_killed(victim, slot, seed=0), sep="\n")
