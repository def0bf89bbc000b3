"""Errata: every row that differs needs its reason, every reason its row, and what is withheld is told by nobody."""

from __future__ import annotations

import json

import pytest

from benchwright.curation.release.build import build_release, checked_content
from benchwright.curation.release.diff import diff_releases, find_side
from benchwright.curation.release.errata import (
    ErrataPlan,
    Erratum,
    earlier_errata,
    errata_texts,
    next_patch,
    read_errata,
    read_reasons,
)
from benchwright.curation.release.errata_base import local_base
from benchwright.curation.release.errata_plan import ERRATA_REFUSALS, answer_named, plan_errata
from benchwright.curation.release.withheld import answers_path, read_salts
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Problem, Split
from benchwright.schemas.release_table import resolve_release
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace

from .conftest import rendered

ID = "org/tiny"
ROWS = ("cell-original-en", "cell-vision-only-en")


def edit(workspace, name, **changes):
    """Change a problem as `curate problems` would after a review, and render its vision-only picture again."""
    problems = [
        problem.model_copy(update=changes) if problem.problem_id == name else problem
        for problem in read_records(workspace.problems, Problem)
    ]
    write_records(workspace.problems, problems, Problem)
    (edited,) = (problem for problem in problems if problem.problem_id == name)
    if name != "insect":  # of which no picture could be made
        rendered(workspace, edited, "vision-only", "en", ())


def answer(workspace, text, name="cell", **more):
    (problem,) = (p for p in read_records(workspace.problems, Problem) if p.problem_id == name)
    texts = {"en": problem.texts["en"].model_copy(update={"answer": text, **more})}
    edit(workspace, name, texts=texts, source_texts=texts)


def reasons(workspace, corrected=None, withdrawn=None):
    lines = []
    for kind, known in (("corrected", corrected), ("withdrawn", withdrawn)):
        lines += [
            f"[{kind}]",
            *(f"{json.dumps(name)} = {json.dumps(why)}" for name, why in (known or {}).items()),
        ]
    (workspace.root / "errata.toml").write_text("\n".join(lines) + "\n")
    return read_reasons(workspace.root / "errata.toml")


def built(workspace, tag, errata=None):
    content, findings = checked_content(workspace)
    assert findings == ()
    return build_release(workspace, tag, ID, content, errata=errata)


def planned(workspace, said, tag=None, base=None):
    found = local_base(workspace, base, said, tag)
    content, _ = checked_content(workspace)
    return plan_errata(
        found, tag or next_patch(found.tag), content.rows, workspace.recipe.release.withhold, said
    )


def codes(found):
    return {finding.code: finding.rows for finding in found.findings}


def test_the_plan_is_what_the_comparison_of_the_built_releases_shows(tiny):
    built(tiny, "v1.0.0")
    answer(tiny, "chloroplast")
    found = planned(tiny, reasons(tiny, {"cell": "The key named another organelle."}))
    assert found.findings == () and found.plan.tag == "v1.0.1"
    release = built(tiny, "v1.0.1", found.plan)
    whole = diff_releases(find_side("v1.0.0", tiny), find_side("v1.0.1", tiny))
    nameless = {"after": None, "files": ()}
    assert found.diff.model_copy(update=nameless) == whole.model_copy(update=nameless)
    lines = read_errata(release.folder / "errata.jsonl")
    assert [(one.id, one.event, one.tag, one.base) for one in lines] == [
        (name, "corrected", "v1.0.1", "v1.0.0") for name in ROWS
    ]
    assert {(c.column, c.before, c.after) for one in lines for c in one.changes} == {
        ("answer", "mitochondrion", "chloroplast")
    }
    page = (release.folder / "ERRATA.md").read_text()
    assert "The key named another organelle." in page and "| answer | mitochondrion | chloroplast |" in page
    assert f"--release {ID}@v1.0.1" in page
    assert built(tiny, "v1.0.1", found.plan).ran is False
    first = (tiny.release("v1.0.0") / "ERRATA.md").read_text()
    assert "Nothing has been corrected" in first and not (tiny.release("v1.0.0") / "errata.jsonl").exists()


def no_reason(workspace):
    answer(workspace, "chloroplast")
    return {"cell-original-en": "Half of it."}, {}


def no_change(workspace):
    return {"insect": "Nothing is wrong with it."}, {}


def unknown_id(workspace):
    answer(workspace, "chloroplast")
    return {"cell": "Right.", "cel": "Misspelt."}, {}


def removed(workspace):
    problems = read_records(workspace.problems, Problem)
    write_records(workspace.problems, problems[:3], Problem)
    return {"multi": "It is gone, but corrected is not withdrawn."}, {}


def added(workspace):
    insect = next(p for p in read_records(workspace.problems, Problem) if p.problem_id == "insect")
    rendered(workspace, insect, "vision-only", "en", ())
    return {"insect": "The whole problem, not the row."}, {}


def new_problem(workspace):
    problems = read_records(workspace.problems, Problem)
    words = problems[2].texts["en"].model_copy(update={"question": "Count the eyes.", "answer": "8"})
    spider = problems[2].model_copy(
        update={
            "problem_id": "spider",
            "question_id": "s",
            "texts": {"en": words},
            "source_texts": {"en": words},
        }
    )
    write_records(workspace.problems, [*problems, spider], Problem)
    rendered(workspace, spider, "vision-only", "en", ())
    return {"spider": "New."}, {}


def moved(workspace):
    edit(workspace, "cell", split=Split.TESTMINI)
    return {"cell": "Moved."}, {}


PLANTED = {
    "errata-no-reason": (no_reason, ("cell-vision-only-en",)),
    "errata-no-change": (no_change, ("insect",)),
    "errata-unknown-id": (unknown_id, ("cel",)),
    "errata-removed": (removed, ("multi-original-zh",)),
    "errata-added": (added, ("insect-vision-only-en",)),
    "errata-new-problem": (new_problem, ("spider-original-en", "spider-vision-only-en")),
    "errata-moved": (moved, ROWS),
}


@pytest.mark.parametrize("code", PLANTED)
def test_each_refusal_names_its_rows_and_what_mends_it(tiny, code):
    plant, rows = PLANTED[code]
    built(tiny, "v1.0.0")
    found = planned(tiny, reasons(tiny, *plant(tiny)))
    assert codes(found)[code] == rows, found.findings
    (finding,) = (finding for finding in found.findings if finding.code == code)
    assert finding.sentence and finding.command


def test_other_versions_languages_and_columns_are_no_errata(tiny):
    built(tiny, "v1.0.0")
    for table in tiny.release("v1.0.0").glob("data/*/vision-only/*.parquet"):
        table.unlink()
    answer(tiny, "chloroplast")
    hand_made = tiny.root / "hand-made"
    tiny.release("v1.0.0").rename(hand_made)
    (hand_made / "manifest.json").unlink()
    base = local_base_of(hand_made)
    content, _ = checked_content(tiny)
    found = plan_errata(base, "v1.0.1", content.rows, (), reasons(tiny, {"cell": "The key was wrong."}))
    assert codes(found)["errata-new-version"] == tuple(
        sorted(row.id for row in content.rows if row.version == "vision-only")
    )
    import pyarrow.parquet as pq

    for table in hand_made.glob("data/*/*/*.parquet"):
        pq.write_table(pq.read_table(table).drop_columns(["stem"]), table)
    found = plan_errata(base, "v1.0.1", content.rows, (), reasons(tiny, {"cell": "The key was wrong."}))
    assert codes(found)["errata-columns"] == ("stem",)
    elsewhere = {"errata-new-version", "errata-columns", "errata-names-answer"}
    assert set(PLANTED) | elsewhere == set(ERRATA_REFUSALS)


def local_base_of(folder):
    from benchwright.curation.release.errata_base import ErrataBase

    return ErrataBase("v1.0.0", resolve_release(str(folder)), None)


def test_rows_may_be_withdrawn_and_come_back_by_their_own_id(tiny):
    built(tiny, "v1.0.0")
    problems = read_records(tiny.problems, Problem)
    write_records(tiny.problems, problems[:3], Problem)
    rendered(tiny, problems[2], "vision-only", "en", ())
    said = reasons(
        tiny, {"insect-vision-only-en": "It can be drawn now."}, {"multi": "Both options are right."}
    )
    found = planned(tiny, said)
    assert found.findings == ()
    assert [(one.id, one.event) for one in found.plan.own] == [
        ("insect-vision-only-en", "added"), ("multi-original-zh", "withdrawn"),
    ]  # fmt: skip
    page = errata_texts(found.plan.errata, ID)["ERRATA.md"]
    assert "Against v1.0.0: 1 withdrawn, 1 added." in page and "Both options are right." in page


def test_errata_are_cumulative_and_old_reasons_may_stay(tiny):
    built(tiny, "v1.0.0")
    answer(tiny, "chloroplast")
    first = planned(tiny, reasons(tiny, {"cell": "Another organelle."}))
    built(tiny, "v1.0.1", first.plan)
    # An earlier build of this very errata is not its base; the next one is corrected on top of it.
    assert local_base(tiny, None, read_reasons(tiny.root / "errata.toml"), None).tag == "v1.0.0"
    answer(tiny, "8", "insect")
    second = planned(tiny, reasons(tiny, {"cell": "Another organelle.", "insect": "It is a spider."}))
    assert second.findings == () and (second.plan.base, second.plan.tag) == ("v1.0.1", "v1.0.2")
    release = built(tiny, "v1.0.2", second.plan)
    lines = read_errata(release.folder / "errata.jsonl")
    assert [(one.id, one.tag) for one in lines] == [
        (ROWS[0], "v1.0.1"), (ROWS[1], "v1.0.1"), ("insect-original-en", "v1.0.2"),
    ]  # fmt: skip
    page = (release.folder / "ERRATA.md").read_text()
    assert page.index("## v1.0.2") < page.index("## v1.0.1")
    # An ordinary later release keeps them.
    assert (
        earlier_errata(tiny, "v1.1.0") == lines == read_errata(built(tiny, "v1.1.0").folder / "errata.jsonl")
    )
    assert earlier_errata(tiny, "v1.0.1") == ()


def test_a_withheld_answer_is_told_as_changed_and_by_no_word(tiny):
    recipe = tiny.root / "benchwright.toml"
    recipe.write_text(recipe.read_text() + '[release]\nwithhold = ["test"]\n')
    workspace = Workspace.find(tiny.root)
    built(workspace, "v1.0.0")
    answer(workspace, "chloroplast")
    said = reasons(workspace, {"cell": "The key was wrong."})
    found = planned(workspace, said)
    assert found.findings == () and [one.id for one in found.plan.own] == list(ROWS)
    assert {(c.column, c.before, c.after, c.withheld) for one in found.plan.own for c in one.changes} == {
        ("answer", None, None, True)
    }
    release = built(workspace, "v1.0.1", found.plan)
    for name in ("ERRATA.md", "errata.jsonl"):
        text = (release.folder / name).read_text()
        assert "chloroplast" not in text and "mitochondrion" not in text
    assert "has every value whole but the withheld ones." in (release.folder / "ERRATA.md").read_text()
    old, new = (read_promises(workspace.release(tag)) for tag in ("v1.0.0", "v1.0.1"))
    assert {name for name in old if old[name] != new[name]} == set(ROWS), (
        "only corrected rows promise something else"
    )
    assert read_salts(workspace, "v1.0.1") == read_salts(workspace, "v1.0.0")
    answers_path(workspace, "v1.0.0").unlink()
    with pytest.raises(
        UsageError, match=r"v1\.0\.0\.answers\.jsonl lacks the answers of .* put the file back"
    ):
        planned(workspace, said)


def read_promises(folder):
    lines = (folder / "withheld.jsonl").read_text().splitlines()
    return {one["id"]: one["sha256"] for one in map(json.loads, lines)}


def test_answers_of_an_open_release_are_hidden_once_they_are_withheld(tiny):
    built(tiny, "v1.0.0")
    answer(tiny, "chloroplast")
    built(tiny, "v1.0.1", planned(tiny, reasons(tiny, {"cell": "Another organelle."})).plan)
    (one, _) = earlier_errata(tiny, "v1.1.0", (Split.TEST,))
    assert [(c.column, c.before, c.after, c.withheld) for c in one.changes] == [("answer", None, None, True)]


@pytest.mark.parametrize(
    ("answer", "reason", "named"),
    [
        ("B", "The key was B.", True),
        ("B", "The key was wrong; it stands under (B) now.", True),
        ("B", "A picture was missing, and Bob saw it.", False),
        ("A", "A picture was missing.", False),
        ("A", "The key is A.", True),
        ("AC", "Both A and C hold.", True),
        ("AC", "It is AC.", True),
        ("AC", "It is BD, said DC motors.", False),
        ("12", "It is 12 metres.", True),
        ("12", "It is 120 metres in line 3.", False),
        ("1.5", "The value is 1.5", True),
        ("the nucleus", "Not The  Nucleus, as it said", True),
        ("细胞核", "答案是细胞核。", True),
    ],
)
def test_a_reason_that_names_a_withheld_answer(answer, reason, named):
    assert answer_named(answer, reason) is named


def test_a_reason_may_not_tell_a_withheld_answer(tiny):
    recipe = tiny.root / "benchwright.toml"
    recipe.write_text(recipe.read_text() + '[release]\nwithhold = ["test"]\n')
    workspace = Workspace.find(tiny.root)
    built(workspace, "v1.0.0")
    answer(workspace, "the nucleus")
    for why in ("It is the nucleus.", "It is not the mitochondrion."):
        found = planned(workspace, reasons(workspace, {"cell": why}))
        assert set(codes(found)) == {"errata-names-answer"}, why


def test_the_page_keeps_texts_from_acting_as_markup():
    one = Erratum(
        tag="v1.0.1", base="v1.0.0", id="x", problem_id="x", version="original", language="en", split=Split.TEST,
        event="corrected", reason="A | B\nand <b>",
        changes=({"column": "question", "before": "a|b", "after": "y" * 999},),
    )  # fmt: skip
    page = errata_texts([one], ID, "us@example.org")["ERRATA.md"]
    assert "A \\| B and \\<b\\>" in page and "a\\|b" in page and "us@example.org" in page
    assert max(map(len, page.splitlines())) < 400


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "is not there"),
        ("[fixed]\na = 'b'\n", "unknown"),
        ("[corrected]\na = ''\n", "no reason"),
        ("[corrected]\na = 1\n", "no reason"),
        ("[corrected\n", "cannot be read"),
    ],
)
def test_a_file_of_reasons_that_says_nothing_is_one_sentence(tmp_path, text, said):
    path = tmp_path / "errata.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match=said):
        read_reasons(path)


def test_the_next_patch_version():
    assert next_patch("v1.0.9") == "v1.0.10" and next_patch("2.3.0") == "2.3.1"
    with pytest.raises(UsageError, match="--tag"):
        next_patch("first")
    assert ErrataPlan("v1.0.1", "v1.0.0", ()).own == ()
