"""Twenty kills in pushes and pulls of 2,000 tasks (`make test-long`); what it prints stands in `docs/acceptance/`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .kill_rounds import KillRounds

pytestmark = [pytest.mark.long, pytest.mark.labelstudio]

TASKS = 2000


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory, make_workspace) -> Iterator[KillRounds]:
    workspace = make_workspace(tmp_path_factory.mktemp("killed") / "ws", TASKS, name="killed-long")
    made = KillRounds(workspace, TASKS, batch=200)
    yield made
    made.close()


@pytest.mark.parametrize("writing", [0, 1])
def test_command_killed_while_a_pull_writes(rounds: KillRounds, writing: int) -> None:
    print(*rounds.pull_killed_writing(), sep="\n")


@pytest.mark.parametrize(("victim", "kills"), [("client", 3), ("server", 5)])
def test_pull_of_two_thousand_killed_again_and_again(rounds: KillRounds, victim: str, kills: int) -> None:
    print(*rounds.pull_killed(victim, seed=1, kills=kills), sep="\n")


@pytest.mark.parametrize(("victim", "slot"), [("client", "B"), ("server", "C")])
def test_push_of_two_thousand_killed_again_and_again(rounds: KillRounds, victim: str, slot: str) -> None:
    print(*rounds.push_killed(victim, slot, seed=1, kills=5), sep="\n")
