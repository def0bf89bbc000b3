"""`evaluate items` on real run folders: flags are written beside the answers, models count once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.schemas.flags import FLAGS_NAME, Flag
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import ReleaseRow

Rows = Callable[..., ReleaseRow]


@pytest.fixture
def answered(tmp_path: Path, release: Any, row: Rows, png: Callable[[int], bytes], command: Any) -> Any:
    """Factory: runs recorded answers (row id -> letter) under a model's name; gives the run's folder."""
    picture = png(1)
    made = release([row(f"p{i}", answer="B", images=[picture]) for i in range(3)], [picture])

    def run(name: str, letters: str, *options: str) -> Path:
        path = tmp_path / f"{name}.jsonl"
        lines = [json.dumps({"id": f"p{i}", "text": f"Answer: {letter}"}) for i, letter in enumerate(letters)]
        path.write_text("\n".join(lines), encoding="utf-8")
        folder = tmp_path / "runs" / f"{name}{'-'.join(options)}"
        command(
            "run", made.folder, "--model", f"replay/{path}", "--judge", "rules", "--out", folder, *options
        )
        return folder

    return run


def flags(folder: Path) -> list[tuple[str, str]]:
    return [(flag.row_id, flag.kind) for flag in read_jsonl(folder / FLAGS_NAME, Flag)]


def test_dead_ceiling_and_shared_wrong_answers_are_flagged(
    answered: Any, command: Any, tmp_path: Path
) -> None:
    # p0: all right. p1: all say C. p2: all wrong, each in its own way.
    folders = [answered(f"m{i}", f"BC{letter}") for i, letter in enumerate("ACDA")]
    found = command.json("items", *folders, "--out", tmp_path / "items.csv")
    assert found["flags"] == {"blind-solvable": 0, "ceiling": 1, "dead": 2, "suspect-key": 1}
    expected = [("p0", "ceiling"), ("p1", "dead"), ("p1", "suspect-key"), ("p2", "dead")]
    assert [flags(folder) for folder in folders] == [expected] * 4
    suspect = next(flag for flag in read_jsonl(folders[0] / FLAGS_NAME, Flag) if flag.kind == "suspect-key")
    assert (suspect.agreed_answer, suspect.agreeing, suspect.respondents, suspect.chance) == ("c", 4, 4, 0.25)
    assert len(suspect.runs) == 4
    head, first, *_ = (tmp_path / "items.csv").read_text(encoding="utf-8").splitlines()
    assert head.startswith("row_id,problem_id,respondents,share_correct") and first.startswith("p0,p0,4,1.0,")
    before = (folders[0] / FLAGS_NAME).read_bytes()
    command("items", *folders)
    assert (folders[0] / FLAGS_NAME).read_bytes() == before


def test_a_model_counts_once_and_its_blind_run_is_no_respondent(answered: Any, command: Any) -> None:
    folders = [answered("m", "BBB"), answered("m", "BBB", "--input", "Q")]
    out, err = command("items", *folders)
    assert "3 items, 1 models, 1 blind" in out and "are too few" in err
    assert command.json("items", *folders)["respondents"] == command.json("items", folders[0])["respondents"]


def test_a_run_without_verdicts_is_refused(answered: Any, command: Any, tmp_path: Path) -> None:
    _, err = command("items", tmp_path / "nothing", code=2)
    assert "is no run folder" in err


def test_a_row_that_was_not_judged_makes_the_figures_incomplete(
    answered: Any, command: Any, tmp_path: Path
) -> None:
    folder = answered("m", "BCB")
    journal = folder / "judgements.jsonl"
    journal.write_text(
        "\n".join(journal.read_text(encoding="utf-8").splitlines()[:2]) + "\n", encoding="utf-8"
    )
    out, err = command("items", folder, code=1)
    assert "rest on fewer models" in err and "ceiling" in out
