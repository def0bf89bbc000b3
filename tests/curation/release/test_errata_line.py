"""An errata from the review to the re-scored run: released, evaluated, corrected, released again, scored on both."""

from __future__ import annotations

import json

from benchwright.curation.problems import make_problems
from benchwright.curation.proposers.chosen import chosen_questions
from benchwright.curation.release.diff import diff_releases, find_side
from benchwright.schemas.jobs import Verdict, problem_id, shown_digest, tagging_view, translation_view
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.workspace import Workspace

ID = "org/test"
EVALUATE = "from benchwright.cli.main import run_evaluate; run_evaluate()"


def questions(workspace):
    return [
        item.question
        for item in chosen_questions(workspace, "physics", "test")[0]
        if item.question.language == "en"
    ]


def reviewed(workspace, answers):
    """What `annotate pull` leaves: final values of tags and of translations, whose answers are given by question."""
    tags, translations = [], []
    for question in questions(workspace):
        said = {"item_id": problem_id(question.id), "basis": "agreed", "by": ("A01", "A02")}
        about = {"job": "tagging", "digest": shown_digest(tagging_view(question)), **said}
        tags += [
            Verdict(**about, field=name, value=value)
            for name, value in (("subject", "optics"), ("difficulty", 3))
        ]
        view = translation_view(question.text, question.images, "zh")
        about = {"job": "translation", "language": "zh", "digest": shown_digest(view), **said}
        numbers = "".join(character for character in question.text.question if character.isdigit())
        values = {
            "question": f"第 {numbers} 题：求结果。",
            "answer": answers.get(question.id, question.text.answer),
        }
        translations += [Verdict(**about, field=name, value=value) for name, value in values.items()]
    write_jsonl(workspace.verdicts("tagging"), tags)
    write_jsonl(workspace.verdicts("translation"), translations)
    make_problems(workspace)


def total(scores):
    (cell,) = [cell for cell in scores["cells"] if cell["by"] == []]
    return cell


def test_a_review_changes_a_key_and_a_stored_run_is_scored_on_both(hub, selected, openai_server):
    recipe = selected.root / "benchwright.toml"
    words = recipe.read_text().replace('preset = "all"', 'preset = "visscience"')
    recipe.write_text(words.replace('languages = ["en", "zh"]', 'languages = ["zh"]'))
    workspace = Workspace.find(selected.root)
    first, *_ = questions(workspace)
    right, wrong, row = first.text.answer, f"{first.text.answer}7", f"{problem_id(first.id)}-original-zh"
    place = ("--workspace", str(workspace.root))
    reviewed(workspace, {first.id: wrong})
    released = hub.push(ID, *place, "--tag", "v1.0.0", "--no-verify")
    assert released.returncode == 0, released.stdout + released.stderr

    server = openai_server({"rules": [{"answer": f"Answer: {right}"}]})
    asked = ("--model", "openai/tested", "--base-url", server.base_url, "--json", *place)
    ran = hub.run(EVALUATE, f"{ID}@v1.0.0", *asked)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    before, requests = json.loads(ran.stdout), len(server.requests)

    reviewed(workspace, {first.id: right})
    (workspace.root / "errata.toml").write_text(f'[corrected]\n"{row}" = "The key was another number."\n')
    patched = hub.push(ID, *place, "--errata")
    assert patched.returncode == 0, patched.stdout + patched.stderr
    told = [line.split() for line in patched.stdout.splitlines() if "evaluate rescore" in line]
    (command,) = told
    assert command[:3] == ["evaluate", "rescore", before["folder"].rpartition("/")[2]]
    assert command[3:] == ["--release", f"{ID}@v1.0.1"]

    out = workspace.root / "shown"
    shown = hub.run(EVALUATE, *command[1:], *place, "--out", str(out))
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert row in shown.stdout and "key-changed" in shown.stdout
    origin = json.loads((out / "rescored.json").read_text())
    assert [
        (one["row_id"], one["before"]["outcome"], one["after"]["outcome"]) for one in origin["changed"]
    ] == [(row, "inconsistent", "consistent")]
    # Both runs with their scores stand in the table: one right answer more, of the same number of rows.
    figures = [line.split() for line in shown.stdout.splitlines() if "rules" in line]
    n_total, n_right = total(before)["n_total"], total(before)["consistent"]
    assert [float(cells[-1]) for cells in figures] == [
        round(100 * right_ones / n_total, 1) for right_ones in (n_right, n_right + 1)
    ]
    assert len(server.requests) == requests, "the tested model was asked again"

    diff = diff_releases(find_side("v1.0.0", workspace), find_side("v1.0.1", workspace))
    changes = [(one.id, [(c.field, c.before, c.after) for c in one.changes]) for one in diff.changed]
    assert changes == [(row, [("answer", wrong, right)])] and not (diff.added or diff.removed)
    assert "+ errata.jsonl" in diff.files and "~ ERRATA.md" in diff.files
