"""Acceptance F: both protocols against a scripted model whose right answers are known, with tables worked out by hand.

A real HTTP server plays the tested model and the judge. Every expected figure is a plain number that was computed by
hand from the outcomes in the tables below; intervals and tests are held against scipy and statsmodels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

from benchwright.eval.metrics.comparison import Entrant, Pair, compare
from benchwright.eval.metrics.scored import scored_rows
from benchwright.eval.runs.store import RunFolder
from benchwright.schemas.records import ReleaseRow

FREE, LITE, RICH, SEEN, ONLY = (
    "knowledge-free",
    "knowledge-lite",
    "knowledge-rich",
    "vision-rich",
    "vision-only",
)
# --- VisScience: 10 problems in two languages ----------------------------------------------------------------------
# R right, W wrong, N no answer (refused or filtered), U unjudged (the judge gives no verdict), X not run (HTTP 500).
PROBLEMS = {
    "p0": ("physics", "mechanics", 1),
    "p1": ("physics", "mechanics", 1),
    "p2": ("physics", "mechanics", 2),
    "p3": ("physics", "optics", 2),
    "p4": ("physics", "optics", 3),
    "p5": ("chemistry", "chemical reaction", 3),
    "p6": ("chemistry", "chemical reaction", 4),
    "p7": ("chemistry", "chemical reaction", 5),
    "p8": ("mathematics", "algebraic operations", 2),
    "p9": ("mathematics", "algebraic operations", 4),
}
FIRST = {"en": "RRRWRWRXRN", "zh": "RWRNWWURRW"}
SECOND = {"en": "WRWRWWWRWR", "zh": "RRRRRRRWRR"}
# n, scored, right, wrong, no answer, unjudged, not run, accuracy (by hand, from FIRST)
VISSCIENCE = {
    ((), ()): (20, 18, 10, 6, 2, 1, 1, 10 / 18),
    (("language",), ("en",)): (10, 9, 6, 2, 1, 0, 1, 6 / 9),
    (("language",), ("zh",)): (10, 9, 4, 4, 1, 1, 0, 4 / 9),
    (("discipline",), ("physics",)): (10, 10, 6, 3, 1, 0, 0, 6 / 10),
    (("discipline",), ("chemistry",)): (6, 4, 2, 2, 0, 1, 1, 2 / 4),
    (("discipline",), ("mathematics",)): (4, 4, 2, 1, 1, 0, 0, 2 / 4),
    (("discipline", "subject"), ("physics", "mechanics")): (6, 6, 5, 1, 0, 0, 0, 5 / 6),
    (("discipline", "subject"), ("physics", "optics")): (4, 4, 1, 2, 1, 0, 0, 1 / 4),
    (("language", "discipline"), ("en", "physics")): (5, 5, 4, 1, 0, 0, 0, 4 / 5),
    (("language", "discipline"), ("zh", "physics")): (5, 5, 2, 2, 1, 0, 0, 2 / 5),
    (("language", "discipline"), ("en", "chemistry")): (3, 2, 1, 1, 0, 0, 1, 1 / 2),
    (("language", "discipline"), ("zh", "chemistry")): (3, 2, 1, 1, 0, 1, 0, 1 / 2),
    (("level",), ("1 Basic",)): (4, 4, 3, 1, 0, 0, 0, 3 / 4),
    (("level",), ("2 Easy",)): (6, 6, 4, 1, 1, 0, 0, 4 / 6),
    (("level",), ("3 Intermediate",)): (4, 4, 1, 3, 0, 0, 0, 1 / 4),
    (("level",), ("4 Advanced",)): (4, 3, 1, 1, 1, 1, 0, 1 / 3),
    (("level",), ("5 Expert",)): (2, 1, 1, 0, 0, 0, 1, 1 / 1),
}
REFUSAL = {"answer": "", "content": None, "refusal": "I cannot help with this picture."}


def vis_rows(row: Callable[..., ReleaseRow]) -> list[ReleaseRow]:
    return [
        row(
            f"{name}:original:{language}",
            problem_id=name,
            question=f"Item {name} {language}: find the length BC.",
            language=language,
            discipline=discipline,
            subject=subject,
            difficulty=level,
            answer="B",
        )
        for name, (discipline, subject, level) in PROBLEMS.items()
        for language in ("en", "zh")
    ]


def vis_rules(model: str, outcomes: dict[str, str]) -> list[dict[str, Any]]:
    """The tested model: what it replies to each item; answers that nobody can judge name their item."""
    actions: dict[str, dict[str, Any]] = {
        "R": {"answer": "Answer: B"},
        "W": {"answer": "Answer: C"},
        "N": REFUSAL,
        "X": {"status": 500},
    }
    found = []
    for language, line in outcomes.items():
        for name, outcome in zip(PROBLEMS, line, strict=True):
            action = actions.get(outcome, {"answer": "The length is murky: B or rather not."})
            found.append({"match": f"Item {name} {language}:", "model": model, **action})
    return found


JUDGE = [
    {"model": "judge", "match": "murky", "answer": "I cannot say."},
    {
        "model": "judge",
        "match": r"(?:Reference answer|参考答案)[:：]\n([A-D]) .*begins -----\nAnswer: \1\n|"
        r"(?:参考答案)[:：]\n([A-D]) .*开始 -----\nAnswer: \2\n",
        "answer": "The same option.\n[Consistent]",
    },
    {"model": "judge", "answer": "Another option.\n[Inconsistent]"},
]


def cells(folder: Path, name: str = "cells") -> dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, Any]]:
    scores = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    return {(tuple(cell["by"]), tuple(cell["key"])): cell for cell in scores[name]}


def near(value: float) -> Any:
    """Files hold six decimals."""
    return pytest.approx(value, abs=5.1e-7)


@pytest.fixture
def vis_runs(openai_server: Any, row: Any, release: Any, command: Any, tmp_path: Path) -> tuple[Path, Path]:
    server = openai_server({"rules": [*vis_rules("first", FIRST), *vis_rules("second", SECOND), *JUDGE]})
    made = release(vis_rows(row))
    folders = []
    for model, code in (("first", 1), ("second", 0)):
        folders.append(tmp_path / model)
        command(
            "run", made.folder, "--protocol", "visscience", "--model", f"openai/{model}", "--base-url", server.base_url,
            "--judge", "llm", "--judge-model", "openai/judge", "--judge-base-url", server.base_url,
            "--attempts", "1", "--out", folders[-1], code=code,
        )  # fmt: skip
    return folders[0], folders[1]


def test_visscience_tables_denominators_and_wilson_intervals(vis_runs: tuple[Path, Path]) -> None:
    found = cells(vis_runs[0])
    fields = ("n_total", "n_scored", "consistent", "inconsistent", "no_answer", "unjudged", "not_run")
    for place, (*counts, accuracy) in VISSCIENCE.items():
        assert [found[place][field] for field in fields] == counts, place
        assert found[place]["accuracy"] == near(accuracy), place
        assert found[place]["share_of_all"] == near(counts[2] / counts[0]), place
    # Weighted subjects are ALL: (5 + 1 + 2 + 2) / (6 + 4 + 4 + 4).
    subjects = [cell for (by, _), cell in found.items() if by == ("discipline", "subject")]
    assert sum(cell["accuracy"] * cell["n_scored"] for cell in subjects) / 18 == near(10 / 18)
    english = found[("version", "language"), ("original", "en")]
    assert english["interval"] == "wilson"
    reference = binomtest(6, 9).proportion_ci(0.95, method="wilson")
    assert (english["low"], english["high"]) == (near(reference.low), near(reference.high))
    assert (english["low"], english["high"]) == tuple(map(near, proportion_confint(6, 9, method="wilson")))
    # By hand: (6/9 + 3.841459/18 -+ 1.959964 * sqrt(2/9/9 + 3.841459/324)) / (1 + 3.841459/9).
    assert (round(100 * english["low"], 1), round(100 * english["high"], 1)) == (35.4, 87.9)
    # Both languages: ten problems are the trials, fewer than twenty are not resampled.
    whole = found[(), ()]
    assert whole["interval"] == "wilson over problems"
    assert (whole["low"], whole["high"]) == tuple(
        map(near, proportion_confint(10 * 10 / 18, 10, method="wilson"))
    )


def test_two_runs_are_compared_by_exact_mcnemar_within_a_language(vis_runs: tuple[Path, Path]) -> None:
    entrants = []
    for folder in map(RunFolder, vis_runs):
        rows = folder.rows()
        entrants.append(Entrant(folder.spec().model.name, scored_rows(rows, folder.load(rows))))
    (found,) = compare(entrants)
    pairs: dict[tuple[str, ...], Pair] = {pair.key: pair for pair in found.pairs}
    # English: p7 was not run in the first; only the first: p0 p2 p4 p6 p8, only the second: p3 p9.
    english = pairs["original", "en"]
    assert (english.n_pairs, english.left_out, english.only_a, english.only_b) == (9, 1, 5, 2)
    assert (english.p_method, english.p) == ("mcnemar exact", 58 / 128)
    # Chinese: p6 was not judged in the first; only the first: p7, only the second: p1 p3 p4 p5 p9.
    chinese = pairs["original", "zh"]
    assert (chinese.n_pairs, chinese.left_out, chinese.only_a, chinese.only_b) == (9, 1, 1, 5)
    assert chinese.p == 14 / 64
    for pair in (english, chinese):
        assert pair.p == pytest.approx(mcnemar([[0, pair.only_a], [pair.only_b, 0]], exact=True).pvalue)
    # Holm over the two lines of this table: 2 * 14/64, then the larger of that and 58/128.
    assert (chinese.p_holm, english.p_holm) == (28 / 64, 58 / 128)
    assert (english.value_a, english.value_b) == (6 / 9, 3 / 9)
    assert (chinese.value_a, chinese.value_b) == (4 / 9, 8 / 9)
    # Across languages problems are drawn, and ten are too few for that: nothing is claimed.
    assert (pairs[()].p, pairs[()].told_apart) == (None, False)
    assert [(one.best, one.worst, one.letters) for one in found.standings] == [(1, 2, "a"), (1, 2, "a")]


# --- SciVerse: 4 problems in five versions, one of them without a vision-rich version ------------------------------
KEYS = {"p0": "B", "p1": "C", "p2": "D", "p3": "A"}
DIRECT = {FREE: "RWWR", LITE: "RRWR", RICH: "RRRR", SEEN: "RNW"}  # vision-only: "B" for every picture
# Knowledge and logic marks of each answer; "-": filtered, "?": the judge quotes what is not there, twice.
COT: dict[str, tuple[tuple[str, str] | str, ...]] = {
    FREE: (("1", "10"), ("10", "0"), ("", "11"), "-"),
    LITE: (("1", "1"), ("1", "10"), ("0", "0"), ("1", "")),
    RICH: (("11", "11"), ("1", "1"), ("11", "10"), ("1", "1")),
    SEEN: (("1", "1"), ("0", "0"), "?"),
    ONLY: (("1", "1"), ("0", "1"), ("0", "0"), ("0", "0")),
}
# n, scored, no answer, unjudged | knowledge: n, without, macro, right, steps | logic: the same | Sci-CoT
SCIVERSE = {
    FREE: ((4, 3, 1, 0), (3, 1, 1.5 / 3, 2, 3), (4, 0, 1.5 / 4, 3, 5), 0.4375),
    LITE: ((4, 4, 0, 0), (4, 0, 3 / 4, 3, 4), (3, 1, 1.5 / 3, 2, 4), 0.625),
    RICH: ((4, 4, 0, 0), (4, 0, 4 / 4, 6, 6), (4, 0, 3.5 / 4, 5, 6), 0.9375),
    SEEN: ((3, 2, 0, 1), (2, 0, 1 / 2, 1, 2), (2, 0, 1 / 2, 1, 2), 0.5),
    ONLY: ((4, 4, 0, 0), (4, 0, 1 / 4, 1, 4), (4, 0, 2 / 4, 2, 4), 0.375),
}
ACCURACY = {FREE: (2, 4), LITE: (3, 4), RICH: (4, 4), SEEN: (1, 3), ONLY: (1, 4)}


def sci_rows(row: Callable[..., ReleaseRow], picture: bytes) -> list[ReleaseRow]:
    return [
        row(
            f"{name}:{version}:en",
            problem_id=name,
            question=f"Item {name} in {version}: find the length BC.",
            version=version,
            answer=key,
            images=[picture],
        )
        for version in (FREE, LITE, RICH, SEEN, ONLY)
        for name, key in KEYS.items()
        if (name, version) != ("p3", SEEN)
    ]


def direct_rules() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for version, line in DIRECT.items():
        for (name, key), outcome in zip(KEYS.items(), line, strict=False):
            wrong = "A" if key != "A" else "B"
            action = REFUSAL if outcome == "N" else {"answer": f"Answer: {key if outcome == 'R' else wrong}"}
            found.append({"match": f"Item {name} in {version}:", "model": "tested", **action})
    return [*found, {"model": "tested", "answer": "Answer: B"}]


def steps_of(name: str, version: str, marks: tuple[str, str]) -> list[tuple[str, str, int]]:
    where = "the picture" if version == ONLY else f"{name} in {version}"
    return [
        (f"{word} {place} of {where} holds.", kind, int(mark))
        for word, kind, line in (("Law", "K", marks[0]), ("Inference", "L", marks[1]))
        for place, mark in enumerate(line)
    ]


def cot_rules() -> list[dict[str, Any]]:
    """Replies, splits and marks. All vision-only replies are alike; the scorer tells them apart by the question."""
    found: list[dict[str, Any]] = []
    for version, answers in COT.items():
        for (name, _), marks in zip(KEYS.items(), answers, strict=False):
            asked = {"match": f"Item {name} in {version}:", "model": "tested"}
            if marks == "-":
                found.append({**asked, "answer": "", "content": None, "finish_reason": "content_filter"})
                continue
            steps = steps_of(name, version, ("1", "1") if marks == "?" else (marks[0], marks[1]))
            reply = " ".join(text for text, _, _ in steps)
            split = [{"quote": text, "kind": kind} for text, kind, _ in steps]
            if marks == "?":
                split = [{"quote": "Law of a response that was never given.", "kind": "K"}]
            scores = [{"step": place, "score": score} for place, (_, _, score) in enumerate(steps, start=1)]
            told = {"model": "judge", "match": f"Mark every step.*Item {name} in {version}:"}
            found.append({**told, "json": {"scores": scores}})
            cut = {"model": "judge", "match": f"Take the answer apart.*{re.escape(reply)}"}
            found.append({**cut, "json": {"steps": split}})
            found.append(
                {**asked, "answer": reply} if version != ONLY else {"model": "tested", "answer": reply}
            )
    return found


@pytest.fixture
def sci_run(
    openai_server: Any, row: Any, release: Any, command: Any, tmp_path: Path, png: Callable[[int], bytes]
) -> Callable[..., Path]:
    """Runs one mode of the protocol with a script; gives the run's folder."""

    def run(mode: str, rules: list[dict[str, Any]], code: int, *options: str) -> Path:
        server, picture = openai_server({"rules": rules}), png(5)
        made = release(sci_rows(row, picture), [picture])
        judge = ("--judge-base-url", server.base_url) if mode == "cot" else ()
        command(
            "run", made.folder, "--protocol", "sciverse", "--mode", mode, "--model", "openai/tested",
            "--base-url", server.base_url, "--attempts", "1", "--out", tmp_path / mode, *options, *judge, code=code,
        )  # fmt: skip
        return tmp_path / mode

    return run


def test_sciverse_accuracies_their_mean_gain_and_loss(sci_run: Callable[..., Path]) -> None:
    folder = sci_run("direct", direct_rules(), 0, "--judge", "rules")
    found = cells(folder)
    for version, (right, n) in ACCURACY.items():
        cell = found[("version",), (version,)]
        assert (cell["consistent"], cell["n_scored"], cell["accuracy"]) == (right, n, near(right / n)), (
            version
        )
        reference = binomtest(right, n).proportion_ci(0.95, method="wilson")
        assert (cell["low"], cell["high"]) == (near(reference.low), near(reference.high)), version
    assert found[("version",), (SEEN,)]["no_answer"] == 1
    # 11 of the 19 rows; SciVerse's "All" is (1/2 + 3/4 + 1 + 1/3 + 1/4) / 5.
    assert found[(), ()]["accuracy"] == near(11 / 19)
    scores = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    mean = next(one for one in scores["means"] if not one["by"])
    assert mean["mean"] == near(0.5666666667) and mean["values"] == [0.5, 0.75, 1.0, near(1 / 3), 0.25]
    changes = {(one["before"], one["after"]): one for one in scores["changes"] if not one["by"]}
    by_hand = {
        (FREE, LITE): (4, 2 / 4, 3 / 4),
        (LITE, RICH): (4, 3 / 4, 4 / 4),
        (FREE, RICH): (4, 2 / 4, 4 / 4),
        (FREE, SEEN): (3, 1 / 3, 1 / 3),
        (SEEN, ONLY): (3, 1 / 3, 1 / 3),
        (FREE, ONLY): (4, 2 / 4, 1 / 4),
    }
    for versions, (n, before, after) in by_hand.items():
        one = changes[versions]
        assert (one["n_pairs"], one["value_before"], one["value_after"]) == (n, near(before), near(after))
        assert one["change"] == near(after - before)
        # Four problems at most: each is one trial from -1 to 1.
        low, high = proportion_confint(n * (1 + after - before) / 2, n, method="wilson")
        assert (one["low"], one["high"]) == (near(2 * low - 1), near(2 * high - 1))
        assert one["tie"] is (2 * low - 1 <= 0 <= 2 * high - 1)


def test_sci_cot_tables_to_the_digit(sci_run: Callable[..., Path]) -> None:
    folder = sci_run("cot", cot_rules(), 1, "--judge-model", "openai/judge")
    found = cells(folder, "step_cells")
    for version, (counts, knowledge, logic, sci_cot) in SCIVERSE.items():
        cell = found[("version",), (version,)]
        assert (cell["n_total"], cell["scored"], cell["no_answer"], cell["unjudged"]) == counts, version
        for name, (n, without, macro, right, steps) in (("knowledge", knowledge), ("logic", logic)):
            one = cell[name]
            assert (one["n"], one["without"], one["right"], one["steps"]) == (n, without, right, steps), (
                version
            )
            assert (one["macro"], one["micro"]) == (near(macro), near(right / steps)), version
        assert cell["sci_cot"] == near(sci_cot), version
    whole = found[(), ()]
    # 10.5 of 17 responses with knowledge, 9.5 of 17 with logic; 13 of 19 and 13 of 21 steps.
    assert (whole["knowledge"]["macro"], whole["logic"]["macro"]) == (near(10.5 / 17), near(9.5 / 17))
    assert (whole["sci_cot"], whole["sci_cot_micro"]) == (near(0.5882352941), near(0.6516290727))
    assert (whole["n_total"], whole["n_scored"], whole["unjudged"], whole["incomplete"]) == (19, 18, 1, True)
    scores = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    assert scores["cells"] == []
    means = {one["metric"]: one["mean"] for one in scores["means"] if not one["by"]}
    assert means == {"sci-cot": near(0.575), "sci-cot-k": near(0.6), "sci-cot-l": near(0.55)}
    failed = [json.loads(line) for line in (folder / "steps.jsonl").read_text(encoding="utf-8").splitlines()]
    reasons = {one["row_id"]: one["reason"] for one in failed if one["outcome"] != "scored"}
    assert reasons == {"p3:knowledge-free:en": "filtered", "p2:vision-rich:en": "steps-failed"}
