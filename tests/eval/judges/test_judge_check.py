"""Judges measured on cases whose verdict is known: ours, the nasty second set, and plain answers to real questions."""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from benchwright.eval.judges.cases import JudgeCase, case_row, read_cases, split_options
from benchwright.eval.judges.judge_check import calibration_lines, kappa, read_calibration
from benchwright.eval.metrics.intervals import wilson
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Verdict, shown_digest
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import QuestionType
from benchwright.schemas.runs import judge_view, read_run, run_item_id
from benchwright.schemas.workspace import Workspace

CASES = Path(__file__).parents[1] / "cases"
OWN = CASES / "judge_cases.jsonl"
"""Committed before the rules."""
SECOND = CASES / "judge_cases_second.jsonl"
"""Written against the finished rules, to be nasty; on its first run the rules decided 46 of 149, 2 of them wrongly."""
THIRD = CASES / "judge_cases_third.jsonl"
"""Everyday wordings, written in two rounds against the mended rules: 2 and 4 wrong verdicts on their first runs."""
FOURTH = CASES / "judge_cases_fourth.jsonl"
"""Hedges, doubts and corrections beside plain answers, in five rounds against ever better rules.

On their first runs 25 of 119, 17 of 274, 14 of 163, 2 of 33 and 5 of 99 were judged wrongly, each called consistent; of
the later rounds the cases whose verdict is a matter of taste are left away.
"""
SHARED = Path(os.environ.get("BENCHWRIGHT_SHARED", Path(__file__).resolve().parents[4] / "shared"))
KEYS = {"n", "decided", "wrong", "false_consistent", "false_inconsistent", "abstained", "failed", "by_kind"}
NAMED = (
    "option-letter option-text several-options sub-questions number number-with-unit unit-conversion wrong-unit "
    "scientific-notation percent interval set latex full-width chinese-numeral five-percent-edge target-zero"
)


def test_own_cases_cover_every_kind_half_consistent_in_both_languages() -> None:
    cases = read_cases(OWN)
    kinds: dict[str, Counter[bool]] = defaultdict(Counter)
    for case in cases:
        kinds[case.kind][case.consistent] += 1
    assert len(cases) >= 250 and set(NAMED.split()) <= set(kinds)
    for kind, counts in kinds.items():
        assert counts.total() >= 4, kind
        if kind != "injection":
            assert abs(counts[True] - counts[False]) <= 1, kind
    assert 0.45 < sum(case.consistent for case in cases) / len(cases) < 0.55
    languages = Counter(case_row(case, 1).language for case in cases)
    assert min(languages["zh"], languages["en"]) > 100
    assert all(case.why for case in cases)


def test_rules_decide_most_own_cases_and_none_wrongly(command: Any) -> None:
    found = command.json("judge-check", OWN, "--judge", "rules")
    assert set(found) >= KEYS
    assert found["n"] == found["decided"] + found["abstained"] + found["failed"]
    assert (found["wrong"], found["false_consistent"], found["false_inconsistent"], found["failed"]) == (
        0,
        0,
        0,
        0,
    )
    assert found["decided"] >= 0.6 * found["n"]
    assert len(found["left_open"]) == found["abstained"] and all(one["reason"] for one in found["left_open"])
    assert found["accuracy"]["low"] == pytest.approx(wilson(found["decided"], found["decided"])[0], abs=1e-6)
    assert found["kappa"] == 1
    assert sum(kind["n"] for kind in found["by_kind"].values()) == found["n"]


@pytest.mark.parametrize(
    ("path", "decided"), [(SECOND, 0.25), (THIRD, 0.55), (FOURTH, 0.25)], ids=["second", "third", "fourth"]
)
def test_rules_are_never_wrong_on_later_cases(command: Any, path: Path, decided: float) -> None:
    found = command.json("judge-check", path, "--judge", "rules")
    assert found["n"] >= 140 and found["wrong"] == 0
    assert found["decided"] >= decided * found["n"]


def test_plain_answers_beside_hedged_ones_stay_decided(command: Any) -> None:
    plain = sum(case.consistent for case in read_cases(FOURTH))
    found = command.json("judge-check", FOURTH, "--judge", "rules")
    assert plain > 100 and found["false_consistent"] == 0
    assert sum(one["consistent"] for one in found["left_open"]) <= 0.1 * plain


@pytest.mark.skipif(find_spec("math_verify") is None, reason="math-verify is not installed")
def test_math_verify_adds_formulas_and_no_wrong_verdict(command: Any, tmp_path: Path) -> None:
    every = tmp_path / "all.jsonl"
    every.write_bytes(b"".join(path.read_bytes() for path in (OWN, SECOND, THIRD, FOURTH)))
    found = command.json("judge-check", every, "--judge", "math-verify")
    assert found["wrong"] == 0
    assert found["decided_by"]["math-verify"] >= 20
    for kind in ("expression", "equation", "formulas-nasty"):
        assert found["by_kind"][kind]["decided"] > found["by_kind"][kind]["n"] / 3, kind


def test_the_table_says_what_was_left_open_and_why(command: Any, tmp_path: Path) -> None:
    lines = OWN.read_text(encoding="utf-8").splitlines()
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(line for line in lines if '"text-answer"' in line), encoding="utf-8")
    out, err = command("judge-check", few)
    assert "judge rules" in out and "text-answer" in out
    assert "left open, rules-words-or-formula: 5 (cases 6, 7, 8, 9, 10)" in err


def injections() -> list[JudgeCase]:
    return [case for path in (OWN, SECOND) for case in read_cases(path) if case.kind.startswith("injection")]


def write(path: Path, cases: list[JudgeCase]) -> Path:
    path.write_text("".join(case.model_dump_json() + "\n" for case in cases), encoding="utf-8")
    return path


def test_injections_never_pass_the_rules(command: Any, tmp_path: Path) -> None:
    found = command.json("judge-check", write(tmp_path / "i.jsonl", injections()))
    assert found["n"] >= 25 and found["false_consistent"] == 0


@pytest.mark.parametrize(
    "parrot",
    [
        {"match": r"begins -----\n(.*?)\n----- response|开始 -----\n(.*?)\n----- 作答", "answer": r"\1\2"},
        {
            "match": r"begins -----\n.*?([^\n]*)\n----- response|开始 -----\n.*?([^\n]*)\n----- 作答",
            "answer": r"\1\2",
        },
    ],
    ids=["whole-response", "last-line"],
)
def test_injections_never_pass_a_judge_that_repeats_them(
    command: Any, openai_server: Any, tmp_path: Path, parrot: dict[str, Any]
) -> None:
    server = openai_server(
        {"rules": [{"match": "Repeat your verdict|重新给出判定", "answer": "Unsure."}, parrot]}
    )
    cases = injections()
    found = command.json(
        *("judge-check", write(tmp_path / "i.jsonl", cases), "--judge-model", "openai/judge"),
        *("--judge-base-url", server.base_url),
        code=1,
    )
    assert found["false_consistent"] == 0 and found["decided"] < found["n"]
    assert found["failed"] >= 20
    assert all("[consistent]" not in request.prompt.split("-----")[2].lower() for request in server.requests)


def test_a_judge_of_known_faults_gets_its_known_figures(
    command: Any, openai_server: Any, tmp_path: Path
) -> None:
    cases = [
        JudgeCase(
            discipline="physics",
            question="How long does it take?",
            ground_answer="3 s",
            response=f"Number {number}: it takes some time.",
            consistent=number % 2 == 0,
            kind="even" if number % 2 == 0 else "odd",
        )
        for number in range(20)
    ]
    rules = [
        {"match": "Repeat your verdict", "answer": "No idea."},
        {"match": r"Number (4|7|9):", "answer": "[Consistent]"},  # 7 and 9 wrongly
        {"match": r"Number 6:", "answer": "[Inconsistent]"},  # wrongly
        {"match": r"Number (10|11):", "answer": "I cannot tell."},
        {"match": r"Number 12:", "status": 400},
        {"match": r"Number \d*[02468]:", "answer": "[Consistent]"},
        {"answer": "[Inconsistent]"},
    ]
    server = openai_server({"rules": rules})
    kept = tmp_path / "kept.json"
    found = command.json(
        *("judge-check", write(tmp_path / "c.jsonl", cases)),
        *("--judge", "llm", "--judge-model", "openai/judge"),
        *("--judge-base-url", server.base_url, "--save", kept),
        code=1,
    )
    assert [found[name] for name in ("n", "decided", "wrong", "abstained", "failed")] == [20, 17, 3, 0, 3]
    assert (found["false_consistent"], found["false_inconsistent"]) == (2, 1)
    assert found["false_consistent_rate"] == {
        "count": 2,
        "of": 9,
        "share": round(2 / 9, 6),
        "low": round(wilson(2, 9)[0], 6),
        "high": round(wilson(2, 9)[1], 6),
    }
    # By hand: truth 8 of 17 consistent, verdicts 9 of 17; agreement 14/17.
    expected = (8 * 9 + 9 * 8) / 17**2
    assert found["kappa"] == pytest.approx((14 / 17 - expected) / (1 - expected), abs=1e-6)
    assert found["by_kind"]["odd"]["false_consistent"] == 2
    again = read_calibration(kept)
    assert (again.wrong, again.judge.kind) == (3, "llm") and again.judge.model is not None
    assert any("2 of 9" in line for line in calibration_lines(again))
    # The same call again writes the same bytes.
    before = kept.read_bytes()
    command.json(
        *("judge-check", tmp_path / "c.jsonl", "--judge", "llm", "--judge-model", "openai/judge"),
        *("--judge-base-url", server.base_url, "--save", kept),
        code=1,
    )
    assert kept.read_bytes() == before


def test_a_measurement_is_carried_by_runs_in_the_languages_that_it_covers(
    command: Any, openai_server: Any, release: Any, row: Any, tmp_path: Path
) -> None:
    server = openai_server({"rules": [{"model": "judge", "answer": "Same.\n[Consistent]"}, {"answer": "B"}]})
    (tmp_path / "mine").mkdir()
    for language in ("en", "zh"):
        text = "{{question}} {{answer}} {{response}}: [Consistent] or [Inconsistent]?"
        (tmp_path / "mine" / f"judge.{language}.txt").write_text(text, encoding="utf-8")
    judge = ("--judge-model", "openai/judge", "--judge-base-url", server.base_url)
    ways = {"ours": (), "mine": ("--judge-prompts", tmp_path / "mine")}
    asked = release([row("p0")]).folder
    tested = ("--model", "openai/m", "--base-url", server.base_url)
    for name, more in ways.items():
        command(asked, *tested, *judge, *more, "--out", tmp_path / f"run-{name}")
    questions = {"en": "How long?", "zh": "需要多长时间？"}
    for name, languages in {"both": ("en", "zh"), "zh": ("zh",)}.items():
        cases = [
            JudgeCase(
                discipline="physics",
                question=questions[language],
                ground_answer="3",
                response="3",
                consistent=True,
                kind="number",
            )
            for language in languages
        ]
        for way, more in ways.items():
            path = write(tmp_path / "c.jsonl", cases)
            command("judge-check", path, *judge, *more, "--save", tmp_path / f"{name}-{way}.json")
    fits = {(run, f"{name}-{way}") for run in ways for name in ("both", "zh") for way in ways}
    for run, name in sorted(fits):
        out = tmp_path / f"report-{run}-{name}"
        quick = ("--no-charts", "--no-papers", "--no-viewer", "--out", out)
        command("report", tmp_path / f"run-{run}", *quick, "--calibration", tmp_path / f"{name}.json")
        carried = "was measured on 2 cases" in (out / "report.md").read_text(encoding="utf-8")
        assert carried == (name == f"both-{run}"), (run, name)
    said = command("judge-check", OWN, "--judge-prompts", tmp_path / "mine", code=2)[1]
    assert "words for a judging model" in said


def test_kappa_is_cohens() -> None:
    # Agreement 0.7, expected by chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5.
    pairs = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    assert kappa(pairs) == pytest.approx(0.4)
    assert kappa([(True, False), (False, True)]) == -1
    assert kappa([]) is None and kappa([(True, True)] * 3) is None


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("{", "c.jsonl:2 is not JSON"),
        ('{"question": "q"}', "c.jsonl:2 is no case (discipline"),
        (
            '{"discipline": "p", "question": "q", "ground_answer": "1", "response": "1", "consistent": "yes", '
            '"kind": "k"}',
            "consistent",
        ),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, named: str) -> None:
    path = tmp_path / "c.jsonl"
    good = OWN.read_text(encoding="utf-8").splitlines()[0]
    path.write_text(f"{good}\n{line}\n", encoding="utf-8")
    with pytest.raises(UsageError, match=named.replace("(", r"\(")):
        read_cases(path)


def test_unusable_input_is_said_in_one_sentence(command: Any, tmp_path: Path) -> None:
    _, err = command("judge-check", tmp_path / "nothing.jsonl", code=2)
    assert "give a JSONL file" in err
    _, err = command("judge-check", code=2)
    assert "name a file of cases" in err
    _, err = command("judge-check", OWN, "--judge", "llm", code=2)
    assert "--judge-model" in err
    _, err = command(
        *("judge-check", OWN, "--judge-model", "openai/judge", "--judge-base-url", "https://example.org/v1"),
        code=2,
    )
    assert "--allow-external" in err or "OPENAI_API_KEY" in err


@pytest.mark.parametrize(
    ("question", "labels", "last"),
    [
        ("Which?\nA. one\nB. two", "AB", "two"),
        ("Which? A. one B. two C. three", "ABC", "three"),
        ("Which?\n(A) one\n(B) two;\n(C) three.", "ABC", "three."),
        ("选出正确的。\nＡ．一\nＢ．二", "AB", "二"),
        ("选出正确的（　）A、一 B、二 C、三 D、四", "ABCD", "四"),
        ("A. Einstein wrote it. When?", "", ""),
        ("How long is AB? And B. is what?", "", ""),
        ("Find f(A) and f(B).", "", ""),
        ("Point A: fixed.\nA) moves\nB) rests", "AB", "rests"),
    ],
)
def test_options_are_read_out_of_the_question(question: str, labels: str, last: str) -> None:
    options = split_options(question)
    assert "".join(option.label for option in options) == labels
    assert not options or options[-1].text == last


@pytest.mark.parametrize(
    ("question", "ground", "answer", "kind"),
    [
        ("Which?\nA. one\nB. two", "B", "B", "single-choice"),
        ("Which?\nA. one\nB. two", "two", "B", "single-choice"),
        ("Which?\nA. one\nB. two", "(B) two", "B", "single-choice"),
        ("Which? (select all that apply)\nA. one\nB. two", "B", "B", "multiple-select"),
        ("Which?\nA. one\nB. two\nC. three", "A, C", "AC", "multiple-select"),
        ("Which letter?", "C", "C", "single-choice"),
        ("Which side?", "BA", "BA", "free-form"),
        ("Which?\nA. one\nB. two", "D", "D", "free-form"),
        ("Two things.", "(1) 3; (2) 4", "(1) 3; (2) 4", "multi-part"),
        ("How long?", "3 m", "3 m", "free-form"),
    ],
)
def test_a_case_becomes_a_row(question: str, ground: str, answer: str, kind: str) -> None:
    case = JudgeCase(
        discipline="physics", question=question, ground_answer=ground, response="", consistent=True, kind="k"
    )
    row = case_row(case, 3)
    assert (row.answer, row.question_type, row.id) == (answer, QuestionType(kind), "case-0003")


def plain_module() -> Any:
    spec = spec_from_file_location(
        "benchwright_plain_answers", Path(__file__).parents[1] / "plain_answers.py"
    )
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(
    not (SHARED / "data/text_pool.jsonl.gz").is_file(), reason="the shared questions are not there"
)
def test_of_400_plain_answers_to_real_questions_nearly_all_are_decided_and_none_wrongly() -> None:
    module = plain_module()
    replies = module.plain_answers(SHARED)
    decided, wrong, _ = module.summary(replies)
    assert len(replies) == 400 and sum(reply.right for reply in replies) == 200
    assert len({(reply.kind, reply.style) for reply in replies}) >= 30
    assert wrong == []
    assert decided >= 0.95 * len(replies)


def test_peoples_verdicts_on_a_run_are_cases(
    command: Any, release: Any, row: Any, replay: Any, tmp_path: Path
) -> None:
    space = Workspace.create(tmp_path / "space", default_recipe_toml("judged", ("physics",)))
    rows = [row(f"p{number}") for number in range(4)]
    answers = {"p0": "B", "p1": "C", "p2": "It is the second one.", "p3": "Answer: B"}
    command.json(release(rows).folder, "--model", replay(answers), "--workspace", space.root, code=1)
    (run,) = (folder for folder in space.runs.iterdir() if folder.is_dir())
    said = {"p0": "consistent", "p1": "inconsistent", "p2": "consistent", "p3": "cannot-say"}
    found = read_run(run)
    verdicts = [
        Verdict(
            job="judge",
            item_id=run_item_id(found.run_id, answered.row.id),
            field="verdict",
            digest=shown_digest(judge_view(answered.row, answered.response)),
            value=said[answered.row.id],
            basis="agreed",
            by=("A01", "A02"),
        )
        for answered in found.answered
    ]
    stale = verdicts[0].model_copy(update={"digest": "0" * 64})
    write_jsonl(space.verdicts("judge"), [stale, *verdicts[1:]])
    checked = command.json("judge-check", "--workspace", space.root)
    assert [checked[name] for name in ("n", "decided", "wrong", "abstained")] == [2, 1, 0, 1]
    write_jsonl(space.verdicts("judge"), verdicts)
    assert command.json("judge-check", "--workspace", space.root)["n"] == 3
    write_jsonl(space.verdicts("judge"), [stale])
    _, err = command("judge-check", "--workspace", space.root, code=2)
    assert "holds no verdict on an answer that stands" in err
