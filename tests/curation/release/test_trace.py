"""`curate trace`: every station of an item, told as the workspace's own files have it."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from benchwright.cli.curate import curate
from benchwright.cli.main import benchwright, run_command
from benchwright.curation.problems import make_problems
from benchwright.curation.release.build import build_release, checked_content
from benchwright.curation.release.trace import trace_item
from benchwright.curation.replace import replace_named
from benchwright.schemas.duplicates import DuplicateGroup, DuplicatePair, DuplicateRow, groups_path
from benchwright.schemas.errors import TamperedError, UsageError
from benchwright.schemas.jobs import Proposal, Review, Verdict, problem_id
from benchwright.schemas.journal import Journal, read_jsonl, write_jsonl
from benchwright.schemas.records import Problem, Question
from benchwright.schemas.reviewed import current_rows
from benchwright.schemas.tables import read_records, write_records

from .conftest import make_tiny

DISCIPLINES = ("chemistry", "physics")


def typed(workspace, *arguments):
    return CliRunner().invoke(curate, ["trace", *arguments, "--workspace", str(workspace.root)])


def questions(workspace):
    return [q for d in workspace.pool_disciplines() for q in read_records(workspace.pool(d), Question)]


def reviewed(workspace, item_id):
    """Let one person change the machine's difficulty, after a first word that was taken back."""
    proposal = next(
        p
        for p in read_jsonl(workspace.proposals("tagging"), Proposal)
        if (p.item_id, p.field) == (item_id, "difficulty")
    )
    key = {name: getattr(proposal, name) for name in ("job", "item_id", "language", "field", "digest")}
    said = {"pseudonym": "A07", "slot": "A", "state": "submitted", "annotation_id": "n1", "origin": "manual"}
    states = [
        Review.model_validate({**key, **said, "value": value, "updated_at": f"2026-01-0{day}T00:00:00Z"})
        for day, value in ((1, 1), (2, 4))
    ]
    Journal(workspace.reviews("tagging")).extend(states)
    verdict = Verdict.model_validate({**key, "value": 4, "basis": "agreed", "by": ("A07",)})
    write_jsonl(workspace.verdicts("tagging"), [verdict])


@pytest.fixture
def line(selected):
    """A workspace in which a question was replaced, all were tagged, one was reviewed, and v1.0.0 was built."""
    first = current_rows(selected, "physics").rows[0].question_id
    assert replace_named(selected, "physics", [first], "its picture is torn").done
    arguments = ["tag", "--workspace", str(selected.root)]
    assert CliRunner().invoke(curate, arguments).exit_code == 0
    reviewed(selected, problem_id(current_rows(selected, "physics").rows[0].question_id))
    make_problems(selected, accept_proposals=True)
    content, findings = checked_content(selected)
    assert {finding.code for finding in findings} <= {"not-rendered"}
    build_release(selected, "v1.0.0", "org/test", content)
    return selected


def test_twenty_random_items_are_answered_as_the_files_say(line):
    pool = questions(line)
    current = {d: {row.question_id: row for row in current_rows(line, d).rows} for d in DISCIPLINES}
    proposed = Counter(p.item_id for p in read_jsonl(line.proposals("tagging"), Proposal))
    released = Counter(
        name
        for path in line.release("v1.0.0").glob("data/*/*/*.parquet")
        for name in pq.read_table(path, columns=["problem_id"]).column("problem_id").to_pylist()
    )
    states = Counter()
    for question in random.Random(8).sample(pool, 20):
        result = typed(line, question.id, "--json")
        assert result.exit_code == 0, result.output
        told = json.loads(result.output)
        states[told["choice"]["state"]] += 1
        assert told["identity"]["problem_id"] == problem_id(question.id)
        assert told["source"]["question"] == question.text.question
        assert told["source"]["source_row"] == question.source_row
        assert told["source"]["images"] == [image.sha256 for image in question.images]
        chosen = current[question.discipline].get(question.id)
        assert (told["choice"]["state"] == "chosen") == (chosen is not None)
        if chosen is not None:
            assert told["choice"]["row"] == chosen.model_dump(mode="json")
            assert told["cluster"]["row"]["cluster"] == chosen.cluster
        assert len(told["words"]["proposals"]) == proposed[problem_id(question.id)]
        assert sum(len(release["rows"]) for release in told["releases"]) == released[problem_id(question.id)]
        assert (told["problem"]["split"] is not None) == (chosen is not None)
    assert states["chosen"] and states["not-chosen"], states


def test_a_replaced_question_and_the_one_that_took_its_place(line):
    (step,) = current_rows(line, "physics").applied
    old, new = step.exchanges[0].leaves, step.exchanges[0].row.question_id
    left, joined = trace_item(line, old), trace_item(line, new)
    assert (left.choice.state, joined.choice.state) == ("replaced", "chosen")
    assert left.choice.row is not None and left.choice.row.question_id == old
    (gone,), (come,) = left.exchanges, joined.exchanges
    assert (gone.role, gone.other, come.role, come.other) == ("left", new, "joined", old)
    assert gone.detail == "its picture is torn" and gone.applied and gone.place == old
    assert left.releases == () and [release.tag for release in joined.releases] == ["v1.0.0"]
    page = typed(line, old)
    assert f"replaced by {new}: named, its picture is torn; same" in " ".join(page.output.split())


def test_words_of_machines_and_people_with_what_the_problem_took(line):
    name = current_rows(line, "physics").rows[0].question_id
    found = trace_item(line, name)
    assert [(r.pseudonym, r.value) for r in found.words.reviews] == [("A07", 1), ("A07", 4)]
    (verdict,) = found.words.verdicts
    assert (verdict.field, verdict.value, verdict.by) == ("difficulty", 4, ("A07",))
    (origin,) = (p for p in found.problem.provenance if p.field == "difficulty")
    assert (origin.origin, origin.by, found.problem.difficulty) == ("review", "A07", 4)
    assert {p.field for p in found.words.proposals} >= {"difficulty", "subject"}
    page = typed(line, name).output
    assert "Reviews: 1" in page and "Final verdicts: 1" in page, "the page shows an annotation's last state"


def test_a_journal_that_was_torn_or_damaged(line):
    name = current_rows(line, "physics").rows[0].question_id
    whole = trace_item(line, name).words
    path = line.reviews("tagging")
    with path.open("ab") as stream:
        stream.write(b'{"item_id":"' + problem_id(name).encode())
    assert trace_item(line, name).words == whole
    with path.open("ab") as stream:
        stream.write(b"\n")
    with pytest.raises(TamperedError, match="line 3 is not a Review"):
        trace_item(line, name)


def test_a_file_of_another_form_is_named(line):
    name = current_rows(line, "physics").rows[0].question_id
    certificate = line.certificate("physics")
    certificate.write_text("{}")
    with pytest.raises(TamperedError, match=r"physics\.certificate\.json cannot be read"):
        trace_item(line, name)
    write_records(line.clusters("physics"), [DuplicateRow(question_id=name)], DuplicateRow)
    with pytest.raises(TamperedError, match=r"clusters/physics\.parquet cannot be read"):
        trace_item(line, name)


def test_question_problem_and_row_id_lead_to_one_item(line):
    (name,) = (question.id for question in questions(line) if "/" in question.id and "chem" in question.id)
    problem = problem_id(name)
    assert problem != name
    by_question = trace_item(line, name)
    for asked in (problem, f"{problem}-original-en", f"{problem}-vision-only-zh"):
        again = trace_item(line, asked).model_copy(update={"asked": name})
        assert again.model_dump() == by_question.model_dump()
    page = typed(line, f"{problem}-vision-only-zh").output
    assert f"question {name}" in page and "in no release built here" in page


def test_an_unknown_id_is_one_sentence_with_near_ids(line):
    with pytest.raises(
        UsageError, match=r"no question, problem or release row 'phys-1' \(near it: .*phys-01"
    ):
        trace_item(line, "phys-1")
    with pytest.raises(UsageError, match="nothing there is spelled like it"):
        trace_item(line, "§")


def test_an_item_that_left_the_pool_is_known_from_where_it_went(line):
    chosen = current_rows(line, "physics").rows[0].question_id
    left = [question for question in read_records(line.pool("physics"), Question) if question.id != chosen]
    write_records(line.pool("physics"), left, Question)
    found = trace_item(line, chosen)
    assert found.source is None and found.identity.known_from == "selection" and found.releases
    line.selection("physics").unlink()
    assert trace_item(line, problem_id(chosen)).identity.known_from == "problems"
    line.problems.unlink()
    found = trace_item(line, problem_id(chosen))
    assert (found.identity.known_from, found.choice.state) == ("release/v1.0.0", "no-selection")


def test_duplicates_and_what_people_said_of_the_group(line):
    first, second, third = sorted(
        question.id for question in questions(line) if question.discipline == "physics"
    )[1:4]
    rows = [
        DuplicateRow(question_id=first, group=first, keep=True, rule="complete"),
        DuplicateRow(question_id=second, group=first, keep=False, rule="complete"),
        DuplicateRow(question_id=third),
    ]
    write_records(line.duplicates("physics"), rows, DuplicateRow)
    pair = DuplicatePair(first=first, second=second, relation="same", method="stem", similarity=1.0)
    write_records(line.duplicates("physics").with_name("physics.pairs.parquet"), [pair], DuplicatePair)
    group = DuplicateGroup(item_id="g.1", why="candidate", members=(first, second), digest="0" * 64)
    write_jsonl(groups_path(line, "physics"), [group])
    verdict = Verdict(
        job="duplicates",
        item_id="g.1",
        field="relation",
        digest="0" * 64,
        value="same",
        basis="agreed",
        by=("A02",),
    )
    write_jsonl(line.verdicts("duplicates"), [verdict])
    found = trace_item(line, second)
    assert found.duplicates is not None
    assert (found.duplicates.members, found.duplicates.pairs) == ((first, second), (pair,))
    assert verdict in found.words.verdicts
    assert verdict not in trace_item(line, third).words.verdicts
    if found.choice.state == "not-chosen":
        assert found.choice.reasons == (f"repeats {first} (rule complete)",)


def test_pictures_and_their_state(tmp_path):
    workspace = make_tiny(tmp_path / "tiny")
    found = trace_item(workspace, "circuit-vision-rich-en")
    made = {(r.version, r.language): r for r in found.renders}
    assert set(made) == {(v, lang) for v in ("vision-only", "vision-rich") for lang in ("en", "zh")}
    rich = made["vision-rich", "en"]
    assert (rich.state, rich.shown, rich.renderer_version, rich.gate) == ("fresh", ("c1",), 1, None)
    assert [(r.version, r.reason) for r in trace_item(workspace, "insect").renders] == [
        ("vision-only", "no-room")
    ]

    (workspace.root / str(rich.path)).write_bytes(b"another picture")
    problems = read_records(workspace.problems, Problem)
    edited = [problem.model_copy(update={"difficulty": 5}) for problem in problems]
    write_records(workspace.problems, edited, Problem)
    states = {(r.version, r.language): r.state for r in trace_item(workspace, "circuit").renders}
    assert (
        states["vision-rich", "en"] == "picture-changed" and states["vision-rich", "zh"] == "problem-edited"
    )
    workspace.problems.unlink()
    with pytest.raises(UsageError):
        trace_item(workspace, "circuit")  # neither pool, selection, problems nor release name it any more


def test_pages_fit_eighty_columns(line, tmp_path):
    tiny = make_tiny(tmp_path / "tiny")
    content, _ = checked_content(tiny)
    build_release(tiny, "v1.0.0", "org/tiny", content)
    pages = [typed(line, question.id).output for question in questions(line)[:6]]
    pages += [typed(tiny, name).output for name in ("circuit", "cell", "insect", "multi")]
    for page in pages:
        assert max(map(len, page.splitlines())) <= 80, page
        for station in ("Source", "Choice: ", "Proposals: ", "Reviews: ", "Final verdicts: ", "Releases: "):
            assert f"\n{station}" in page


@pytest.mark.long
def test_twenty_random_items_of_the_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "demo"
    assert run_command(benchwright, "benchwright", ["demo", str(root), "--json"]) == 0
    paths = sorted(root.glob("pool/*.parquet")), sorted(root.glob("release/*/data/*/*/*.parquet"))
    pool = [n for p in paths[0] if p.stem != "rejected" for n in pq.read_table(p).column("id").to_pylist()]
    rows = [n for p in paths[1] for n in pq.read_table(p, columns=["id"]).column("id").to_pylist()]
    for name in random.Random(8).sample(sorted(pool), 10) + random.Random(8).sample(sorted(rows), 10):
        capsys.readouterr()
        assert (
            run_command(
                benchwright, "benchwright", ["curate", "trace", name, "--workspace", str(root), "--json"]
            )
            == 0
        )
        told = json.loads(capsys.readouterr().out)
        assert told["source"] is not None and told["screening"]["kept"] is not None
        held = {row["id"] for release in told["releases"] for row in release["rows"]}
        assert (name in held) == (name in rows) or told["identity"]["question_id"] == name
        assert bool(held) == (told["choice"]["state"] in ("chosen", "few-shot"))
