"""A release whose answers are kept back: what is published, what is private, and that it can still be scored."""

from __future__ import annotations

import hashlib
import json
import shutil
import stat

import pytest
from click.testing import CliRunner

from benchwright.cli.evaluate import evaluate
from benchwright.cli.push import push_dataset
from benchwright.curation.release.build import build_release, checked_content, release_state
from benchwright.curation.release.check_withheld import withheld_found, withheld_of
from benchwright.curation.release.checklist import checklist
from benchwright.curation.release.withheld import answers_path, salts_path
from benchwright.schemas.artefact import folder_digest
from benchwright.schemas.errors import RecipeError, TamperedError, UsageError
from benchwright.schemas.recipe import RECIPE_NAME
from benchwright.schemas.records import Split
from benchwright.schemas.release_table import load_release
from benchwright.schemas.workspace import Workspace

TAG = "v1.0.0"
OURS = {"manifest.json", "checklist.json", "croissant.json"}
"""The JSON files of a release."""


def kept(workspace, more=""):
    """The same workspace with a recipe that keeps the answers of `test` back."""
    (workspace.root / RECIPE_NAME).write_text(
        (workspace.root / RECIPE_NAME).read_text() + f'\n[release]\nwithhold = ["test"]\n{more}'
    )
    return Workspace.find(workspace.root)


def built(workspace, **options):
    content, findings = checked_content(workspace)
    assert findings == ()
    return build_release(workspace, TAG, "org/tiny", content, words=lambda row: "Answer.", **options)


def test_nothing_withheld_is_published_and_everything_is_promised(tiny):
    place = kept(tiny)
    full = {row.id: row for row in checked_content(place)[0].rows}
    release = built(place)
    rows = {row.id: row for row, _ in load_release(release.folder)}
    assert set(rows) == set(full)
    hidden = {name for name, row in full.items() if row.split is Split.TEST}
    assert all((rows[n].answer, rows[n].unit, rows[n].solution) == (None, None, None) for n in hidden)
    assert all(rows[name] == full[name] for name in full.keys() - hidden), "dev keeps its answers"
    assert len(hidden) == 15 and len(rows) == 16
    assert withheld_found(release.folder, withheld_of(full.values(), [Split.TEST])) == ()
    beside = {path.relative_to(release.folder).parts[0] for path in release.folder.rglob("*")}
    assert {"audit", "plots", "DATASHEET.md", "croissant.json"} <= beside
    assert "15 rows of `test`" in (release.folder / "DATASHEET.md").read_text()
    assert not [path for path in release.folder.rglob("*.json") if path.name not in OURS], (
        "no sidecar, no gallery"
    )

    answers = [json.loads(line) for line in answers_path(place, TAG).read_text().splitlines()]
    assert {one["id"]: (one["answer"], one["unit"], one["solution"]) for one in answers} == {
        name: (full[name].answer, full[name].unit, full[name].solution) for name in hidden
    }
    salts = {
        one["id"]: one["salt"] for one in map(json.loads, salts_path(place, TAG).read_text().splitlines())
    }
    promises = [json.loads(line) for line in (release.folder / "withheld.jsonl").read_text().splitlines()]
    assert {one["id"] for one in promises} == set(salts) == hidden and len(set(salts.values())) == 15
    for one in promises:
        row = full[one["id"]]
        text = json.dumps(
            [row.id, row.answer, row.unit, row.solution], ensure_ascii=False, separators=(",", ":")
        )
        assert one["sha256"] == hashlib.sha256((salts[row.id] + text).encode()).hexdigest()
    published = b"".join(path.read_bytes() for path in release.folder.rglob("*") if path.is_file())
    assert not any(salt.encode() in published for salt in salts.values())
    for path in (answers_path(place, TAG), salts_path(place, TAG)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_card_and_exports_say_what_is_missing(tiny):
    release = built(kept(tiny))
    card = (release.folder / "README.md").read_text()
    assert "`test`: 15 rows are published without answer, unit and solution." in card
    assert "evaluate generate org/tiny@v1.0.0" in card
    assert not (release.folder / "exports").exists(), "no harness can score it"
    figures = {(one.language, one.version): one for one in release.figures.versions}
    assert figures["zh", "original"].longest_answer is None
    assert (figures["en", "original"].longest_answer, figures["en", "original"].mean_answer) == (1, 1.0)
    assert "100.0 %" in card, "the checklist knows the answers"


def test_no_figure_tells_where_the_keys_of_a_few_questions_stand(tiny):
    """The owner sees them; what is published would be the key of a release of one question."""
    place = kept(tiny)
    content, findings = checked_content(place)
    owner = checklist(content, place, findings).criteria
    published = (built(place).folder / "checklist.json").read_text()
    assert "always B 100.0 % of 1" in owner[4].figure and "always B" in owner[12].figure
    assert not any(word in published for word in ("always ", "commonest", "longest option", "smallest p"))
    assert published.count("what depends on withheld keys is not told") == 2


def test_same_bytes_with_the_same_salts(tiny, tmp_path, make_workspace):
    place = kept(tiny)
    first = built(place)
    assert release_state(place, TAG) == "done" and not built(place).ran
    other = kept(make_workspace(tmp_path / "elsewhere"))
    salts_path(other, TAG).parent.mkdir()
    shutil.copy(salts_path(place, TAG), salts_path(other, TAG))
    assert folder_digest(built(other).folder) == folder_digest(first.folder)
    stranger = built(kept(make_workspace(tmp_path / "stranger")))
    assert stranger.manifest.content != first.manifest.content, "no digest of the answers without salt"

    before = folder_digest(first.folder)
    answers_path(place, TAG).write_text("")
    assert built(place).ran and folder_digest(first.folder) == before
    assert len(answers_path(place, TAG).read_text().splitlines()) == 15
    (place.root / RECIPE_NAME).write_text((place.root / RECIPE_NAME).read_text().replace('["test"]', "[]"))
    assert release_state(Workspace.find(place.root), TAG) == "stale"


def test_an_answer_in_what_people_say_refuses(tiny):
    place = kept(tiny, '[release.statements]\nrelated = "Whether it is the mitochondrion."\n')
    with pytest.raises(UsageError, match=r"holds an answer that is withheld.*README.md"):
        built(place)
    assert list(place.release(TAG).parent.iterdir()) == []


def test_dev_cannot_be_withheld_and_broken_salts_are_one_sentence(tiny):
    place = kept(tiny)
    built(place)
    salts_path(place, TAG).write_text("{")
    assert release_state(place, TAG) == "tampered"
    with pytest.raises(TamperedError, match=r"salts\.jsonl, line 1"):
        built(place)
    (place.root / RECIPE_NAME).write_text(
        (place.root / RECIPE_NAME).read_text().replace('["test"]', '["dev"]')
    )
    with pytest.raises(RecipeError, match=r"release\.withhold"):
        Workspace.find(place.root)


def test_asked_from_the_release_and_scored_from_the_private_file(tiny, tmp_path):
    """All by the commands; the scores are those that the release with its answers gives."""
    at = ("--workspace", tiny.root)

    def run(command, *arguments):
        done = CliRunner().invoke(command, [*map(str, arguments), *map(str, at), "--json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    open_one = run(push_dataset, "org/tiny", "--tag", "v0.9.0", "--build-only")["folder"]
    place = kept(tiny)
    folder = run(push_dataset, "org/tiny", "--tag", TAG, "--build-only")["folder"]
    made = run(evaluate, "generate", folder, "--model", "baseline/random")
    score = ("score", made["runs"][0]["predictions"], "--answers")
    scores = run(
        evaluate, *score, answers_path(place, TAG), "--dataset", folder, "--out", tmp_path / "private"
    )
    (total,) = (cell for cell in scores["cells"] if cell["by"] == [])
    assert total["n_total"] == 15 and total["not_run"] == 0
    known = run(evaluate, *score, open_one, "--out", tmp_path / "open")
    assert total in known["cells"]
    direct = CliRunner().invoke(evaluate, ["run", folder, "--model", "baseline/random", *map(str, at)])
    assert isinstance(direct.exception, UsageError) and "evaluate generate" in str(direct.exception)
