"""`curate diff`: a planted change is shown, and nothing else."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from benchwright.cli.curate import curate
from benchwright.curation.release.build import build_release, checked_content
from benchwright.curation.release.diff import diff_releases, find_side, iter_light_rows, release_tables
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Problem
from benchwright.schemas.release_table import load_release
from benchwright.schemas.tables import read_records, write_records

from .conftest import rendered, stored


def built(workspace, tag):
    content, findings = checked_content(workspace)
    assert findings == ()
    return build_release(workspace, tag, "org/tiny", content)


def edit(workspace, problem_id, **changes):
    """Change fields of one problem, and render its vision-only picture anew."""
    problems = [
        problem.model_copy(update=changes) if problem.problem_id == problem_id else problem
        for problem in read_records(workspace.problems, Problem)
    ]
    write_records(workspace.problems, problems, Problem)
    (edited,) = (problem for problem in problems if problem.problem_id == problem_id)
    rendered(workspace, edited, "vision-only", "en", ())
    return edited


def compared(workspace, before="v1.0.0", after="v1.0.1"):
    return diff_releases(find_side(before, workspace), find_side(after, workspace))


def problem_of(workspace, problem_id):
    (found,) = (p for p in read_records(workspace.problems, Problem) if p.problem_id == problem_id)
    return found


def corrected(workspace):
    texts = problem_of(workspace, "cell").texts
    texts = {"en": texts["en"].model_copy(update={"answer": "chloroplast"})}
    edit(workspace, "cell", texts=texts, source_texts=texts)


def test_a_planted_errata_is_shown_exactly(tiny):
    built(tiny, "v1.0.0")
    corrected(tiny)
    built(tiny, "v1.0.1")
    found = compared(tiny)
    changes = {
        row.id: [(change.field, change.before, change.after) for change in row.changes]
        for row in found.changed
    }
    answer = [("answer", "mitochondrion", "chloroplast")]
    assert changes == {"cell-original-en": answer, "cell-vision-only-en": answer}
    assert found.fields == {"answer": 2}
    assert not (found.added or found.removed or found.images_added or found.images_removed or found.same)
    assert (found.before.tag, found.after.tag) == ("v1.0.0", "v1.0.1")
    assert all(count.before == count.after for count in found.counts)
    assert sum(count.before for count in found.counts) == found.before.rows == found.after.rows
    back = compared(tiny, "v1.0.1", "v1.0.0")
    assert [(c.before, c.after) for row in back.changed for c in row.changes] == [answer[0][:0:-1]] * 2


def test_an_exchanged_picture_is_named_by_its_digest(tiny):
    built(tiny, "v1.0.0")
    cell = problem_of(tiny, "cell")
    other = stored(tiny, "cell in another light")
    edit(tiny, "cell", images=(cell.images[0], other))
    built(tiny, "v1.0.1")
    found = compared(tiny)
    (row,) = found.changed
    assert (row.id, [change.field for change in row.changes]) == ("cell-original-en", ["image_sha256"])
    assert row.changes[0].after == [cell.images[0].sha256, other.sha256]
    assert (found.images_added, found.images_removed) == ((other.sha256,), (cell.images[1].sha256,))


def test_rows_that_come_and_go_and_their_counts(tiny):
    built(tiny, "v1.0.0")
    problems = read_records(tiny.problems, Problem)
    texts = {"en": problems[2].texts["en"].model_copy(update={"question": "Count the eyes.", "answer": "8"})}
    newcomer = problems[2].model_copy(
        update={"problem_id": "spider", "question_id": "q-spider", "texts": texts, "source_texts": texts}
    )
    rendered(tiny, newcomer, "vision-only", "en", ())
    write_records(tiny.problems, [problems[0], problems[1], problems[2], newcomer], Problem)
    built(tiny, "v1.0.1")
    found = compared(tiny)
    assert [row.id for row in found.added] == ["spider-original-en", "spider-vision-only-en"]
    assert {row.split for row in found.added} == {"dev"}
    assert [row.id for row in found.removed] == ["multi-original-zh"]
    assert found.changed == ()
    moved = {
        (count.version, count.language): count.after - count.before
        for count in found.counts
        if count.after != count.before
    }
    assert moved == {("original", "en"): 1, ("vision-only", "en"): 1, ("original", "zh"): -1}


def test_the_command_shows_it_and_ends_with_0(tiny):
    built(tiny, "v1.0.0")
    corrected(tiny)
    built(tiny, "v1.0.1")

    def typed(*arguments):
        return CliRunner().invoke(curate, ["diff", *arguments, "--workspace", str(tiny.root)])

    page = typed("v1.0.0", "v1.0.1")
    assert page.exit_code == 0, page.output
    assert (
        "cell-original-en" in page.output
        and "- mitochondrion" in page.output
        and "+ chloroplast" in page.output
    )
    assert "circuit" not in page.output
    assert max(map(len, page.output.splitlines())) <= 80
    answer = json.loads(typed(str(tiny.release("v1.0.0")), "v1.0.1", "--json").output)
    assert (answer["same"], answer["fields"], len(answer["changed"])) == (False, {"answer": 2}, 2)
    same = typed("v1.0.0", "v1.0.0", "--json")
    assert same.exit_code == 0 and json.loads(same.output)["same"] is True
    few = typed("v1.0.0", "v1.0.1", "--rows", "1")
    assert "… and 1 more: --rows 2" in few.output and "cell-vision-only-en" not in few.output


def test_a_release_that_is_not_there_is_one_sentence(tiny):
    built(tiny, "v1.0.0")
    with pytest.raises(
        UsageError, match=r"no release v2\.0\.0: name a tag \(built here: v1\.0\.0\), a folder"
    ):
        find_side("v2.0.0", tiny)
    with pytest.raises(UsageError, match="no release is built here"):
        find_side("v2.0.0", None)


def test_light_rows_hold_everything_but_the_bytes(tiny):
    release = built(tiny, "v1.0.0")
    light = {
        row["id"]: row for path in release_tables(find_side("v1.0.0", tiny)) for row in iter_light_rows(path)
    }
    whole = {row.id: row for row, _ in load_release(release.folder)}
    assert light.keys() == whole.keys()
    for name, row in whole.items():
        fields = row.model_dump(mode="json")
        images = fields.pop("images")
        assert light[name].pop("image_sha256") == images
        assert light[name] == fields


def test_a_release_on_the_hub_against_one_that_is_built(tiny, hub):
    pushed = hub.push("org/tiny", "--workspace", str(tiny.root), "--tag", "v1.0.0", "--no-verify")
    assert pushed.returncode == 0, pushed.stderr
    corrected(tiny)
    built(tiny, "v1.0.1")
    code = "from benchwright.cli.main import run_curate; run_curate()"
    said = hub.run(code, "diff", "org/tiny@v1.0.0", "v1.0.1", "--workspace", str(tiny.root), "--json")
    assert said.returncode == 0, said.stderr
    answer = json.loads(said.stdout)
    assert answer["before"]["tag"] == "v1.0.0" and len(answer["before"]["revision"]) == 40
    assert [row["id"] for row in answer["changed"]] == ["cell-original-en", "cell-vision-only-en"]
    unknown = hub.run(code, "diff", "org/tiny@v9.9.9", "v1.0.1", "--workspace", str(tiny.root))
    assert unknown.returncode == 2 and "no revision 'v9.9.9'" in unknown.stderr
