"""The whole chain of proposals with a scripted model behind real HTTP: from raw questions to five versions each.

The first test is bilingual and small; the second one makes all five versions of a hundred real questions (acceptance F
of PROPOSALS) and needs the shared data.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from benchwright.curation.release.rows import release_content
from benchwright.examples.pool import source_row
from benchwright.examples.problem import ExampleProblem
from benchwright.examples.registry import all_problems
from benchwright.schemas.digest import digest_of
from benchwright.schemas.jobs import Proposal, Verdict, shown_digest, translation_view
from benchwright.schemas.journal import read_jsonl, write_jsonl
from benchwright.schemas.records import (
    Decomposition,
    KnowledgeCue,
    KnowledgeDetail,
    Problem,
    Question,
    QuestionType,
    Rejected,
    ReleaseRow,
)
from benchwright.schemas.tables import read_records
from benchwright.schemas.versions import Version
from benchwright.schemas.workspace import Workspace

HERE = Path(__file__).resolve().parent
PROPOSERS = ("tag", "translate", "multiple-choice", "decompose")
FIVE = (
    Version.KNOWLEDGE_FREE, Version.KNOWLEDGE_LITE, Version.KNOWLEDGE_RICH, Version.VISION_RICH, Version.VISION_ONLY,
)  # fmt: skip


def loaded(path: Path) -> ModuleType:
    """A file beside the tests, under a name of its own."""
    name = f"benchwright_test_{path.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


scripted: Any = loaded(HERE / "scripted.py")
typed, digests = scripted.typed, scripted.digests
workspace_of = scripted.workspace_of
released: Callable[[Workspace], list[ReleaseRow]] = scripted.released


# --- questions of our own -------------------------------------------------------------------------------------------

IDS = (
    "math-law-of-cosines", "phys-lens-image", "phys-atwood-machine", "phys-rod-on-rails", "phys-spring-constant",
    "chem-electrolysis-mass", "bio-cardiac-output", "bio-pedigree",
)  # fmt: skip
CONVERTED = ("phys-atwood-machine", "phys-spring-constant", "bio-cardiac-output")
NOTHING_TO_SHOW = "phys-spring-constant"
"""Its split keeps all conditions in the text, so it has no vision-rich version."""
KNOWLEDGE = {
    "en": ("Hooke's law", "What helps here is Hooke's law.", "A spring pulls back in proportion to its stretch."),
    "zh": ("胡克定律", "解答时想一想胡克定律。", "弹簧的弹力与形变量成正比。"),
}  # fmt: skip
EDITS = {
    "phys-lens-image": ("zh", "则所成", "那么所成"),
    "bio-cardiac-output": ("en", "The graph shows", "This graph shows"),
}
"""What a reviewer changes in a translation: (language, words, words instead)."""


def our_problems() -> list[ExampleProblem]:
    """The questions by id; one has no solution."""
    found = {problem.id: problem for problem in all_problems() if problem.id in IDS}
    lens = found["phys-lens-image"]
    # Its Chinese solution is another way to the same answer, not a translation: the checks say so, and rightly.
    texts = {name: text.model_copy(update={"solution": None}) for name, text in lens.texts.items()}
    found[lens.id] = replace(lens, texts=texts)
    return [found[name] for name in sorted(found)]


def unsplit(problem: ExampleProblem, language: str) -> Decomposition:
    """A split for an example without one: everything stays in the text."""
    term, sentence, law = KNOWLEDGE[language]
    question = problem.texts[language].question
    return Decomposition(
        stem=question,
        conditions=(),
        core_question=question,
        knowledge_cue=KnowledgeCue(terms=(term,), sentence=sentence),
        knowledge_detail=(KnowledgeDetail(term=term, text=law),),
    )


def script_of(problem: ExampleProblem, edited: bool = False) -> Any:
    """What the model says about one of our questions."""
    language, old, new = EDITS.get(problem.id, ("", "", ""))
    source = problem.texts[problem.language]
    wrong = scripted.wrong_options(source, problem.language) if problem.id in CONVERTED else []
    assert bool(wrong) == (problem.id in CONVERTED)
    return scripted.Scripted(
        language=problem.language,
        texts={name: text.model_copy(update={"decomposition": None}) for name, text in problem.texts.items()},
        subject=problem.subject,
        difficulty=problem.difficulty,
        splits={name: text.decomposition or unsplit(problem, name) for name, text in problem.texts.items()},
        wrong=wrong,
        edits={language: (old, new)} if edited and language else {},
    )


def script(problems: Sequence[ExampleProblem], edited: bool = False) -> dict[str, Any]:
    return {"rules": [rule for problem in problems for rule in script_of(problem, edited).rules()]}


def raw_pool(folder: Path, problems: Sequence[ExampleProblem]) -> Path:
    """The questions in the language of their source alone, without what the model has to say."""
    (folder / "images").mkdir(parents=True)
    rows = []
    for problem in problems:
        (folder / "images" / problem.image_name).write_bytes(problem.drawing.png)
        row = source_row(problem)
        text = {
            name: value for name, value in row["texts"][problem.language].items() if name != "decomposition"
        }
        rows.append({**row, "texts": {problem.language: text}})
    path = folder / "pool.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def propose_all(workspace: Workspace) -> dict[str, dict[str, Any]]:
    return {command: typed(workspace, "curate", command) for command in PROPOSERS}


def finish(workspace: Workspace) -> list[ReleaseRow]:
    """From proposals to the built release."""
    typed(workspace, "curate", "problems", "--accept-proposals")
    typed(workspace, "render", "vision-rich", "--workers", "1")
    typed(workspace, "render", "vision-only", "--workers", "1")
    typed(workspace, "push", "--build-only")
    return released(workspace)


def pending(workspace: Workspace) -> dict[tuple[str, str], str]:
    """What waits, by problem and language."""
    found = read_records(workspace.problems_pending, Rejected)
    return {(record.item_id, record.detail[1:3]): record.reason for record in found}


def test_a_model_takes_raw_questions_to_all_versions_in_both_languages(
    tmp_path: Path, openai_server: Callable[..., Any]
) -> None:
    problems = our_problems()
    server = openai_server(script(problems))
    place = workspace_of(tmp_path / "w", Counter(p.discipline for p in problems), server.base_url, "all")
    typed(place, "curate", "ingest", str(raw_pool(tmp_path / "raw", problems)))
    typed(place, "curate", "cluster", "--workers", "1")
    made = propose_all(place)
    counts = {command: (result["n_kept"], result["reasons"]) for command, result in made.items()}
    assert counts == {
        "tag": (8, {}),
        "translate": (8, {}),
        "multiple-choice": (6, {"already-multiple-choice": 4, "multi-part": 1}),
        "decompose": (16, {}),
    }
    for job in ("translation", "multiple-choice", "decomposition"):
        assert not [p for p in read_jsonl(place.proposals(job), Proposal) if p.field == "findings"], job
    rows = finish(place)
    check_versions(place, problems, rows)
    nothing_is_asked_twice(place, server)
    the_report_counts(place, problems)
    an_edit_makes_stale_what_is_about_it(place, server, problems)


def check_versions(place: Workspace, problems: Sequence[ExampleProblem], rows: Sequence[ReleaseRow]) -> None:
    """Every problem has six versions in two languages, or the one named reason."""
    content = release_content(place, read_records(place.problems, Problem))
    reasons = {record.item_id: record.reason for record in content.rejected}
    assert reasons == {f"{NOTHING_TO_SHOW}-vision-rich-{name}": "nothing-to-show" for name in ("en", "zh")}
    assert len(rows) == 8 * 6 * 2 - 2 and {row.id for row in rows} == {row.id for row in content.rows}
    by_id = {row.id: row for row in rows}
    for problem in problems:
        for language, text in problem.texts.items():
            original = by_id[f"{problem.id}-original-{language}"]
            assert original.question.startswith(text.question)
            free = by_id[f"{problem.id}-knowledge-free-{language}"]
            split = text.decomposition or unsplit(problem, language)
            assert free.stem == split.stem and free.question.startswith(split.stem)
            assert by_id[f"{problem.id}-vision-only-{language}"].question == ""
    for name in CONVERTED:
        free_form, choice = by_id[f"{name}-original-zh"], by_id[f"{name}-knowledge-rich-zh"]
        assert (free_form.question_type, choice.question_type) == (
            QuestionType.FREE_FORM,
            QuestionType.SINGLE_CHOICE,
        )
        right = next(option.text for option in choice.options if option.label == choice.answer)
        assert len(choice.options) == 4 and right and free_form.answer
        assert free_form.answer in right


def nothing_is_asked_twice(place: Workspace, server: Any) -> None:
    """Every command once more: no request, no changed byte."""
    before, asked = digests(place), len(server.requests)
    bodies = {json.dumps(request.body, sort_keys=True) for request in server.requests}
    assert len(bodies) == asked, "no request was sent twice in the first run either"
    again = propose_all(place)
    assert not any(result["ran"] for result in again.values())
    finish(place)
    assert len(server.requests) == asked and digests(place) == before


def the_report_counts(place: Workspace, problems: Sequence[ExampleProblem]) -> None:
    """Items and fields of each job, all of them without a review."""
    report = typed(place, "curate", "proposals", "report")
    items = {cost["job"]: (cost["items"], cost["reviewed"], cost["missing"]) for cost in report["costs"]}
    assert items == {
        "tagging": (8, 0, 0), "translation": (8, 0, 0), "multiple-choice": (6, 0, 0), "decomposition": (16, 0, 0),
    }  # fmt: skip
    proposed = {(f["job"], f["field"]): (f["proposed"], f["unreviewed"]) for f in report["fields"]}
    with_options = sum(bool(problem.texts["en"].choices) for problem in problems)
    assert proposed["tagging", "subject"] == proposed["translation", "question"] == (8, 8)
    assert proposed["translation", "choices"] == (with_options, with_options) == (4, 4)
    assert proposed["decomposition", "decomposition"] == (16, 16)


def an_edit_makes_stale_what_is_about_it(
    place: Workspace, server: Any, problems: Sequence[ExampleProblem]
) -> None:
    """A reviewer's wording of a translation: the conversion and the split of that text alone are asked for again."""
    edited = [problem for problem in problems if problem.id in EDITS]
    write_jsonl(place.verdicts("translation"), [verdict(place, problem) for problem in edited])
    typed(place, "curate", "problems", "--accept-proposals")
    lens, heart = ("phys-lens-image", "zh"), ("bio-cardiac-output", "en")
    assert pending(place) == {lens: "decomposition-unreviewed", heart: "multiple-choice-unreviewed"}
    assert all("about an older text" in r.detail for r in read_records(place.problems_pending, Rejected))
    report = typed(place, "curate", "proposals", "report", "translation")
    (field,) = [f for f in report["fields"] if f["field"] == "question"]
    assert (field["compared"]["n"], field["compared"]["equal"], field["unreviewed"]) == (2, 0, 6)
    server.use(script(problems, edited=True))
    asked, before = (
        len(server.requests),
        {job: lines(place, job) for job in ("multiple-choice", "decomposition")},
    )
    assert not typed(place, "curate", "translate")["ran"]
    typed(place, "curate", "multiple-choice")
    assert len(server.requests) == asked + 1, "the English form of the heart's options"
    assert changed(before["multiple-choice"], lines(place, "multiple-choice")) == {heart}
    typed(place, "curate", "problems", "--accept-proposals")
    assert pending(place) == {lens: "decomposition-unreviewed", heart: "decomposition-unreviewed"}
    typed(place, "curate", "decompose")
    assert len(server.requests) == asked + 3
    assert changed(before["decomposition"], lines(place, "decomposition")) == {lens, heart}
    rows = {row.id: row for row in finish(place)}
    assert not pending(place) and len(rows) == 8 * 6 * 2 - 2
    for name, (language, old, new) in EDITS.items():
        question = rows[f"{name}-original-{language}"].question
        assert new in question and old not in question.replace(new, "")
        assert new in (rows[f"{name}-knowledge-free-{language}"].stem or "")


def lines(place: Workspace, job: str) -> dict[tuple[str, str | None, str], Proposal]:
    """The proposals of a job by what they are about."""
    found = read_jsonl(place.proposals(job), Proposal)
    return {(proposal.item_id, proposal.language, proposal.field): proposal for proposal in found}


def changed(
    before: Mapping[tuple[str, str | None, str], Proposal],
    now: Mapping[tuple[str, str | None, str], Proposal],
) -> set[tuple[str, str | None]]:
    """Problem and language of the proposals that are not what they were."""
    return {place[:2] for place in before.keys() | now.keys() if before.get(place) != now.get(place)}


def verdict(place: Workspace, problem: ExampleProblem) -> Verdict:
    """A final word on the question of a translation."""
    language, old, new = EDITS[problem.id]
    pool = read_records(place.pool(problem.discipline), Question)
    (question,) = [entry for entry in pool if entry.id == problem.id]
    said = problem.texts[language].question
    assert said.count(old) == 1
    return Verdict(
        job="translation",
        item_id=problem.id,
        language=language,
        field="question",
        digest=shown_digest(translation_view(question.text, question.images, language)),
        value=said.replace(old, new),
        basis="agreed",
        by=("A01", "A02"),
    )


# --- a hundred real questions ---------------------------------------------------------------------------------------

CANDIDATES, WANTED = 130, 100


@pytest.fixture
def real_pool() -> Path:
    folder = Path(os.environ.get("BENCHWRIGHT_SHARED", HERE.parents[2] / "shared")) / "data" / "real_pool"
    if not folder.is_dir():
        pytest.skip("the shared data (BENCHWRIGHT_SHARED) is not there")
    return folder


def copied(real_pool: Path, rows: Sequence[Mapping[str, Any]], folder: Path) -> Path:
    """Rows and their pictures, in a folder of the test."""
    for row in rows:
        for name in row["images"]:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(real_pool / name, folder / name)
    path = folder / "pool.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def pool_of(workspace: Workspace) -> list[Question]:
    names = workspace.pool_disciplines()
    return [question for name in names for question in read_records(workspace.pool(name), Question)]


def candidates(real_pool: Path, folder: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The first questions, in the order of a digest, about which the rules say everything; and what they say."""
    lines = (real_pool / "pool.jsonl").read_text(encoding="utf-8").splitlines()
    rows = sorted(map(json.loads, lines), key=lambda row: digest_of(row["id"]))
    found = [row for row in rows if scripted.promising(row)]
    print(f"{len(found)} of {len(rows)} rows have something to show")
    some = found[: 2 * CANDIDATES]
    place = workspace_of(
        folder / "look", Counter(row["discipline"] for row in some), "http://127.0.0.1:9/v1", "all"
    )
    typed(place, "curate", "ingest", str(copied(real_pool, some, folder / "raw")))
    known = {question.id: scripted.script_of_real(question) for question in pool_of(place)}
    said = {row["id"]: known[row["id"]] for row in some if known[row["id"]] is not None}
    print(f"of the first {len(some)}, the rules say everything about {len(said)}")
    chosen = list(said)[:CANDIDATES]
    return [row for row in some if row["id"] in chosen], {name: said[name] for name in chosen}


@pytest.mark.long
def test_a_model_makes_all_five_versions_of_a_hundred_real_questions(
    real_pool: Path, tmp_path: Path, openai_server: Callable[..., Any]
) -> None:
    rows, said = candidates(real_pool, tmp_path)
    assert len(rows) == CANDIDATES
    server = openai_server({"rules": [rule for one in said.values() for rule in one.rules()]})
    place = workspace_of(
        tmp_path / "w", Counter(row["discipline"] for row in rows), server.base_url, "sciverse"
    )
    typed(place, "curate", "ingest", str(copied(real_pool, rows, tmp_path / "chosen")))
    typed(place, "curate", "cluster", "--workers", "2")
    n_converted = sum(bool(one.wrong) for one in said.values())
    for command, n in (("tag", CANDIDATES), ("multiple-choice", None), ("decompose", CANDIDATES)):
        result = typed(place, "curate", command)
        print(command, result["n_kept"], result["reasons"], [one["calls"] for one in result["spending"]])
        assert n is None or (result["n_kept"], result["reasons"]) == (n, {})
    assert len(server.requests) == 2 * CANDIDATES + n_converted, "one call each, and no re-ask"
    left = {record.item_id: record.reason for record in _unmade(place)}
    complete = check_real_versions(released(place), left)
    pictures = read_records(place.problems, Problem)
    print(f"{len(complete)} of {len(pictures)} complete;", Counter(left.values()))
    assert len(complete) >= WANTED


def _unmade(place: Workspace) -> list[Rejected]:
    """Build the release; the rows in a problem's own language that cannot be made."""
    problems = read_made(place)
    for version in ("vision-rich", "vision-only"):
        result = typed(place, "render", version, "--workers", "2", codes=(0, 1))
        print(version, [(one["language"], one["made"], one["reasons"]) for one in result["results"]])
    built = typed(place, "push", "--build-only")
    print(f"release: {built['rows']} rows of {built['problems']} problems")
    own = {f"{p.problem_id}-{version}-{p.language}" for p in problems for version in FIVE}
    return [record for record in release_content(place, problems).rejected if record.item_id in own]


def read_made(place: Workspace) -> list[Problem]:
    made = typed(place, "curate", "problems", "--accept-proposals")
    assert (made["n_kept"], made["reasons"]) == (CANDIDATES, {})
    assert not read_records(place.problems_pending, Rejected)
    return read_records(place.problems, Problem)


def check_real_versions(rows: Sequence[ReleaseRow], left: Mapping[str, str]) -> list[str]:
    """Problems with all five versions; their lengths grow and shrink as Table 1 of SciVerse says."""
    versions: dict[str, dict[str, ReleaseRow]] = defaultdict(dict)
    for row in rows:
        assert row.version not in versions[row.problem_id], "one row a version"
        versions[row.problem_id][row.version] = row
    complete = [name for name, made in sorted(versions.items()) if set(made) == {str(v) for v in FIVE}]
    for name, made in versions.items():
        missing = {f"{name}-{v}-{made['knowledge-free'].language}" for v in FIVE if str(v) not in made}
        assert missing <= set(left), "what is missing has a reason"
    for name in complete:
        free, lite, rich, seen, only = (versions[name][str(version)].question for version in FIVE)
        assert len(free) < len(lite) < len(rich) and len(seen) < len(free) and only == ""
        assert len({row.images for row in versions[name].values()}) == 3, "diagram, marked diagram, page"
    languages = Counter(versions[name]["knowledge-free"].language for name in complete)
    disciplines = Counter(versions[name]["knowledge-free"].discipline for name in complete)
    print(languages, disciplines)
    return complete
