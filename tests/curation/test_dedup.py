"""`curate dedup` on small pools: what is one question, what stays, and what goes to people."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageOps

from benchwright.curation.dedup import dedup_discipline, dedup_files, duplicate_rows
from benchwright.curation.dedup_images import looks
from benchwright.curation.dedup_overlap import read_overlap
from benchwright.curation.executor import Here
from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.curation.proposers.chosen import in_order
from benchwright.schemas.duplicates import DuplicateGroup, DuplicatePair, DuplicateRow
from benchwright.schemas.errors import RecipeError, UsageError
from benchwright.schemas.jobs import Proposal, Verdict
from benchwright.schemas.journal import read_jsonl, write_jsonl
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

TEXT_ONLY = "\n[dedup.thresholds]\ncosine = 2\n"
"""Without the embedding layer: nothing is embedded."""

Rows = dict[str, DuplicateRow]
Found = Callable[..., tuple[Workspace, Rows]]


@pytest.fixture
def found(make_workspace: Callable[..., Workspace], jsonl: Callable[..., Path]) -> Found:
    """Factory: ingest rows, run dedup, return the workspace and its rows."""

    def run(
        *rows: dict[str, Any], extra: str = TEXT_ONLY, name: str = "workspace", **options: Any
    ) -> tuple[Workspace, Rows]:
        workspace = make_workspace(extra, name)
        ingest(workspace, [jsonl(*rows)], IngestOptions())
        dedup_discipline(workspace, "physics", workers=1, **options)
        return workspace, duplicate_rows(workspace, "physics")

    return run


def pairs_of(workspace: Workspace) -> list[DuplicatePair]:
    return read_records(dedup_files(workspace, "physics")[1], DuplicatePair)


def test_ded_01_one_number_makes_another_question(found: Found) -> None:
    slope = "A 2 kg block slides {} m down a smooth 30 degree slope. Find its final speed."
    workspace, rows = found(
        {"id": "d1", "question": slope.format(3), "answer": "5.4"},
        {"id": "d2", "question": slope.format(8), "answer": "8.9"},
        {
            "id": "d3",
            "question": slope.format(3).replace("2 kg ", "2 kg  ").replace(" degree", "°"),
            "answer": "5.4",
        },
    )
    assert rows["d1"].group == rows["d3"].group == "d1"
    assert (rows["d1"].keep, rows["d3"].keep, rows["d1"].rule) == (True, False, "id")
    assert (rows["d2"].group, rows["d2"].keep, rows["d2"].template) == (None, True, "d1")
    relations = {(p.first, p.second): p.relation for p in pairs_of(workspace)}
    assert relations == {("d1", "d3"): "same", ("d1", "d2"): "same-template"}


def sentences(seed: int, n: int) -> list[str]:
    words = (
        "engine river copper signal lantern vessel thunder crystal meadow harbour pendulum lever magnet prism"
    )
    words = f"{words} orbit furnace piston glacier satellite turbine cable bridge candle shadow mirror"
    rng = random.Random(seed)
    return [" ".join(rng.choices(words.split(), k=9)).capitalize() + "." for _ in range(n)]


def test_ded_03_a_chain_is_not_one_group(found: Found) -> None:
    parts = sentences(1, 20)
    fresh = sentences(2, 20)
    chain = []
    for step in range(20):
        chain.append({"id": f"c{step:02}", "question": " ".join(parts), "answer": "yes"})
        parts[step] = fresh[step]
    preamble = " ".join(sentences(3, 5))
    tails = sentences(4, 50)
    exam = [
        {"id": f"e{at:02}", "question": f"{preamble} {tail}", "answer": str(at)}
        for at, tail in enumerate(tails)
    ]
    _, rows = found(*chain, *exam)
    assert rows["c00"].group is None or rows["c00"].group != rows["c19"].group
    assert all(row.group is None and row.keep for name, row in rows.items() if name.startswith("e"))


def test_ded_03_a_run_that_would_empty_a_source_stops_and_asks(
    found: Found,
) -> None:
    rows = [
        {"id": f"q{at:02}", "source": "placeholder", "question": "See the attached sheet."}
        for at in range(20)
    ]
    with pytest.raises(UsageError, match=r"19 of the 20 .*'placeholder' \(95%\).*--yes"):
        found(*rows)


def test_with_yes_the_same_run_goes_on(found: Found) -> None:
    rows = [
        {"id": f"q{at:02}", "source": "placeholder", "question": "See the attached sheet."}
        for at in range(20)
    ]
    _, result = found(*rows, yes=True)
    assert [name for name, row in result.items() if row.keep] == ["q00"]


def drawing(label: str = "7", seed: int = 1) -> Image.Image:
    rng = random.Random(seed)
    image = Image.new("RGB", (300, 220), "white")
    pen = ImageDraw.Draw(image)
    for _ in range(6):
        pen.line(
            [rng.randint(20, 280), rng.randint(20, 200), rng.randint(20, 280), rng.randint(20, 200)],
            "black",
            3,
        )
    pen.text((140, 90), label, "black", font_size=40)
    return image


def payload(image: Image.Image, folder: Path, name: str) -> str:
    stream = io.BytesIO()
    image.save(stream, format="PNG")
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(stream.getvalue())
    return name


def test_same_words_with_another_picture_or_other_options_are_two_questions(
    found: Found, tmp_path: Path
) -> None:
    folder = tmp_path / "source"
    one = payload(drawing(), folder, "one.png")
    wider = payload(ImageOps.expand(drawing(), (30, 10, 55, 40), "white"), folder, "wider.png")
    other = payload(drawing(seed=5), folder, "other.png")
    ask = "What is the current in the branch shown in the figure?"
    workspace, rows = found(
        {"id": "a", "question": ask, "images": [one], "answer": "2 A"},
        {"id": "b", "question": ask, "images": [wider], "answer": "2 A"},
        {"id": "c", "question": ask, "images": [other], "answer": "2 A"},
        {"id": "d", "question": ask, "images": [wider], "answer": "5 A"},
        {"id": "o1", "question": "Which is a scalar?", "choices": ["mass", "force"], "answer": "A"},
        {"id": "o2", "question": "Which is a scalar?", "choices": ["time", "force"], "answer": "A"},
        {"id": "o3", "question": "Which is a scalar?", "choices": ["force", "mass"], "answer": "B"},
    )
    assert rows["a"].group == rows["b"].group is not None, "another margin is no other picture"
    assert rows["c"].group is None
    assert rows["o1"].group == rows["o3"].group == "o1" and not rows["o1"].disputed, (
        "options in another order"
    )
    assert rows["o2"].group is None
    assert ("o1", "o2", "same-words") in {(p.first, p.second, p.relation) for p in pairs_of(workspace)}


def test_one_stem_with_the_same_right_option_and_other_wrong_ones_is_a_matter_for_people(
    found: Found, tmp_path: Path
) -> None:
    folder = tmp_path / "source"
    one, other = payload(drawing(), folder, "one.png"), payload(drawing(seed=5), folder, "other.png")
    ask = "Which of these quantities is a scalar?"
    seen = "Which of the drawn blocks is the heavier one?"
    workspace, rows = found(
        {"id": "a", "question": ask, "choices": ["mass", "force", "speed of 3 m/s"], "answer": "A"},
        {"id": "b", "question": ask, "choices": ["weight", "torque", "mass"], "answer": "C"},
        {"id": "c", "question": ask, "choices": ["mass", "force", "time"], "answer": "C"},
        {"id": "free", "question": ask, "answer": "mass"},
        {"id": "p1", "question": seen, "choices": ["X", "Y"], "answer": "A", "images": [one]},
        {"id": "p2", "question": seen, "choices": ["Z", "X"], "answer": "B", "images": [other]},
        {"id": "p3", "question": seen, "choices": ["Z", "X"], "answer": "B", "images": [one]},
    )
    assert all(row.group is None and row.keep for row in rows.values()), "nothing is merged"
    relations = {(p.first, p.second): (p.relation, p.method) for p in pairs_of(workspace)}
    asked = {pair for pair, said in relations.items() if said == ("candidate", "stem")}
    assert {("a", "b"), ("b", "free"), ("p1", "p3")} <= asked
    assert not any("c" in pair for pair in asked), "another answer makes another question"
    assert ("p1", "p2") not in asked and relations["p1", "p2"][0] == "same-words", "so does another picture"
    groups = {
        group.members: group for group in read_jsonl(dedup_files(workspace, "physics")[4], DuplicateGroup)
    }
    write_jsonl(
        workspace.verdicts("duplicates"),
        [
            Verdict(
                job="duplicates", item_id=groups["a", "b"].item_id, field=field, digest=groups["a", "b"].digest,
                value=value, basis="agreed",
            )
            for field, value in (("relation", "same"), ("keep", "b"))
        ],
    )  # fmt: skip
    dedup_discipline(workspace, "physics", workers=1)
    rows = duplicate_rows(workspace, "physics")
    assert (rows["a"].keep, rows["b"].keep, rows["a"].rule) == (False, True, "verdict"), (
        "people's word, and their keep"
    )


def test_proposals_of_all_disciplines_lie_in_one_order(
    make_workspace: Callable[..., Workspace], jsonl: Callable[..., Path]
) -> None:
    workspace = make_workspace(TEXT_ONLY)
    told = [
        {
            "id": f"{letter}{n}",
            "discipline": name,
            "question": f"What is {letter} of {name}?",
            "answer": f"{letter} {n}",
        }
        for name, letters in (("physics", "ac"), ("chemistry", "bd"))
        for letter in letters
        for n in (1, 2)
    ]
    ingest(workspace, [jsonl(*told)], IngestOptions())
    parts = []
    for name in ("physics", "chemistry"):
        dedup_discipline(workspace, name, workers=1)
        parts += read_jsonl(dedup_files(workspace, name)[3], Proposal)
    merged = read_jsonl(workspace.proposals("duplicates"), Proposal)
    assert [line.item_id[:2] for line in merged] == ["a1"] * 2 + ["b1"] * 2 + ["c1"] * 2 + ["d1"] * 2
    assert merged == in_order(parts)


def test_pictures_are_hashed_once(found: Found, tmp_path: Path) -> None:
    name = payload(drawing(), tmp_path / "source", "one.png")
    ask = "What is the current in the branch?"
    workspace, rows = found(
        {"id": "a", "question": ask, "images": [name]}, {"id": "b", "question": ask, "images": [name]}
    )
    assert rows["b"].group == "a"
    (digest,) = {path.stem for path in (workspace.root / "images").glob("[0-9a-f][0-9a-f]/*")}
    workspace.find_image(digest).unlink()
    assert digest in looks(workspace, [digest], Here()), "remembered, not opened again"


def test_options_without_words_or_pictures_are_told_by_their_labels(found: Found) -> None:
    ask = {"question": "Which piece of the mosaic is missing?", "choices": ["A", "B", "C", "D"]}
    _, rows = found({"id": "a", **ask, "answer": "A"}, {"id": "b", **ask, "answer": "B"})
    assert all(row.group == "a" and row.disputed and row.keep for row in rows.values()), rows
    _, rows = found({"id": "a", **ask, "answer": "A"}, {"id": "b", **ask, "answer": "A"}, name="same")
    assert not rows["b"].keep and not rows["b"].disputed


def test_one_thing_told_otherwise_is_asked_about_where_all_else_agrees(found: Found) -> None:
    choices = ["Heat flows from the hot to the cold body", "Work can become heat without any loss at all",
               "Entropy of a closed system never decreases", "No engine beats the one of Carnot at that"]  # fmt: skip
    told = {
        "a": ("Pick what holds.", "A"),
        "b": ("Which statement is right?", "A"),
        "c": ("Name the wrong one.", "B"),
    }
    workspace, rows = found(
        *(
            {"id": name, "question": ask, "choices": choices, "answer": answer}
            for name, (ask, answer) in told.items()
        )
    )
    assert all(row.keep and row.group is None for row in rows.values()), "nothing is merged without people"
    pairs = {(p.first, p.second): (p.relation, p.detail) for p in pairs_of(workspace)}
    assert pairs == {("a", "b"): ("candidate", "told otherwise")}, "c has another answer"


def test_different_answers_go_to_people_and_their_verdict_counts(found: Found) -> None:
    ask = "Which planet is the largest one of the solar system?"
    workspace, rows = found(
        {"id": "a", "question": ask, "answer": "Jupiter"},
        {"id": "b", "question": ask + " ", "answer": "Jupiter", "solution": "By radius."},
        {"id": "c", "question": ask, "answer": "Saturn"},
    )
    assert {row.group for row in rows.values()} == {"b"}, "the most complete one stands for the group"
    assert all(row.keep and row.disputed and row.rule == "complete" for row in rows.values())
    said = {p.field: p for p in read_jsonl(workspace.proposals("duplicates"), Proposal)}
    assert (said["relation"].value, said["keep"].value, said["answer"].value) == ("same", "b", "Jupiter")
    (group,) = read_jsonl(dedup_files(workspace, "physics")[4], DuplicateGroup)
    assert group.members == ("a", "b", "c") and group.item_id == said["keep"].item_id
    verdicts = [
        Verdict(
            job="duplicates",
            item_id=group.item_id,
            field=field,
            digest=group.digest,
            value=value,
            basis="agreed",
        )
        for field, value in (("relation", "same"), ("keep", "a"))
    ]
    write_jsonl(workspace.verdicts("duplicates"), verdicts)
    assert dedup_discipline(workspace, "physics", workers=1).stage.ran
    settled = duplicate_rows(workspace, "physics")
    assert {name for name, row in settled.items() if row.keep} == {"a"}
    assert settled["c"].rule == "verdict" and not settled["c"].disputed
    assert read_jsonl(workspace.proposals("duplicates"), Proposal), "the item is still there for its reviews"
    different = [verdicts[0].model_copy(update={"value": "different"})]
    write_jsonl(workspace.verdicts("duplicates"), different)
    dedup_discipline(workspace, "physics", workers=1)
    assert all(row.group is None and row.keep for row in duplicate_rows(workspace, "physics").values())


def test_a_changed_word_is_a_matter_for_people(found: Found) -> None:
    ask = (
        "A long uniform rod rests on a smooth horizontal table and is struck at its end by a small ball that sticks "
        "to it; which quantity of the whole system is {} during the stroke?"
    )
    workspace, rows = found(
        {"id": "a", "question": ask.format("conserved"), "answer": "momentum"},
        {"id": "b", "question": ask.format("preserved"), "answer": "momentum"},
        {"id": "c", "question": ask.format("the conserved"), "answer": "momentum"},
        {"id": "d", "question": ask.format("not conserved"), "answer": "energy"},
    )
    assert rows["a"].group == rows["c"].group is not None, "an article more changes nothing"
    assert rows["b"].group is None and rows["d"].group is None
    (candidate,) = [p for p in pairs_of(workspace) if p.relation == "candidate" and p.first == "a"]
    assert (candidate.second, candidate.detail) == ("b", "conserved | preserved")


def test_running_again_does_nothing_and_workers_change_nothing(found: Found) -> None:
    workspace, _ = found(
        *[{"id": f"q{at}", "question": f"Name the unit number {at % 3}."} for at in range(6)]
    )
    before = [path.read_bytes() for path in dedup_files(workspace, "physics")]
    assert not dedup_discipline(workspace, "physics", workers=1).stage.ran
    for path in dedup_files(workspace, "physics"):
        path.unlink()
    assert dedup_discipline(workspace, "physics", workers=2).stage.ran
    assert [path.read_bytes() for path in dedup_files(workspace, "physics")] == before


def test_a_translation_is_found_as_a_candidate(found: Found) -> None:
    workspace, rows = found(
        {
            "id": "en",
            "question": "A car travels 120 km in 2 hours. What is its average speed?",
            "answer": "60",
        },
        {
            "id": "zh",
            "question": "一辆汽车2小时行驶了120公里。它的平均速度是多少？",
            "answer": "60",
            "language": "zh",
        },
        {"id": "far", "question": "Name the chemical element with the symbol Fe.", "answer": "iron"},
        extra="",
    )
    assert [(p.first, p.second, p.method) for p in pairs_of(workspace)] == [("en", "zh", "vector")]
    assert rows["zh"].keep


def test_two_languages_with_one_label_and_the_same_few_digits_are_no_translation(found: Found) -> None:
    choices = {
        "en1": ["30 m", "105 m", "120 m"],
        "zh1": ["30米", "105米", "120米"],
        "zh2": ["1", "2", "$x^2$"],
    }
    asks = {
        "en1": "In 4 hours Rob drove 120 km. He drove at an average rate of how many metres per minute?",
        "zh1": "罗伯开车4小时走了120千米，请问他开车的平均速度是每分钟多少米？",
        "zh2": "若120个球分成4组，每组个数相等，则每分钟取一组共取多少次？",
    }
    rows = [
        {"id": name, "question": ask, "choices": choices[name], "answer": "B", "language": name[:2]}
        for name, ask in asks.items()
    ]
    workspace, _ = found(*rows, extra="\n[dedup.thresholds]\ncosine_across = -1\n")
    assert [(p.first, p.second, p.relation) for p in pairs_of(workspace)] == [("en1", "zh1", "candidate")]


def test_against_another_set(found: Found, tmp_path: Path) -> None:
    known = "A train leaves the station with constant acceleration and passes a signal after 20 seconds; how fast?"
    path = tmp_path / "public.jsonl"
    lines = [{"id": "p1", "question": known}, {"id": "p2", "question": known.replace("20", "45")}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    extra = '\n[dedup]\noverlap = "reject"\n' + TEXT_ONLY
    workspace, rows = found(
        {"id": "a", "question": known.replace(" ", "  ")},
        {"id": "b", "question": known.replace("20", "33")},
        {"id": "c", "question": "Why does ice float on water in a lake in winter?"},
        extra=extra,
        against=[str(path)],
    )
    assert rows["a"].overlap == ("public#p1",) and not rows["a"].keep
    assert rows["b"].keep and rows["b"].overlap == () and rows["c"].overlap == ()
    report = read_overlap(workspace, "physics")
    assert report is not None
    (line,) = report.sets
    assert (line.name, line.texts, line.questions, line.overlap, line.other_numbers) == ("public", 2, 3, 1, 1)
    assert "8-grams" in report.method and line.share == pytest.approx(1 / 3)
    with pytest.raises(UsageError, match=r"nowhere\.jsonl does not exist"):
        dedup_discipline(workspace, "physics", workers=1, against=["nowhere.jsonl"])


def test_an_unknown_threshold_is_named(found: Found) -> None:
    with pytest.raises(RecipeError, match="'cosin'"):
        found({"id": "a", "question": "Why?"}, extra="\n[dedup.thresholds]\ncosin = 0.9\n")


def test_numbers_that_change_places_make_another_question(found: Found) -> None:
    ask = "A body of mass {} kg at rest gains an acceleration of {} metres per second squared. Which force?"
    _, rows = found(
        {"id": "a", "question": ask.format(9.5, 12), "answer": "114 N"},
        {"id": "b", "question": ask.format(12, 9.5), "answer": "114 N"},
    )
    assert rows["a"].group is None and rows["b"].group is None
    assert rows["a"].template == rows["b"].template == "a"
