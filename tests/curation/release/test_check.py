"""The refusal list: each fault is planted in real content and must be found, and only that one."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image, PngImagePlugin

from benchwright.curation.release.build import checked_content
from benchwright.curation.release.check import Known, check_release, unfinished, without_failing
from benchwright.curation.release.check_pairs import lost_numbers
from benchwright.curation.release.check_rows import withheld_troubles
from benchwright.curation.release.findings import REFUSALS, gathered
from benchwright.curation.release.licences import known_rights
from benchwright.curation.release.personal import AccountNames
from benchwright.curation.release.rows import ReleaseImages
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import UsageError
from benchwright.schemas.recipe import SourceRecipe
from benchwright.schemas.records import Option, QuestionType, Rejected, Split

CIRCUIT, CELL, MULTI = "circuit-original-en", "cell-original-en", "multi-original-zh"
A, B, C = (Option(label="A", text="1"), Option(label="B", text="2"), Option(label="C", text="3"))
BOTH = ("circuit-original-en", "circuit-original-zh")


@pytest.fixture
def content(tiny):
    found, findings = checked_content(tiny)
    assert findings == ()
    return found


def planted(content, row_id, **changes):
    rows = tuple(row.model_copy(update=changes) if row.id == row_id else row for row in content.rows)
    assert rows != content.rows
    return replace(content, rows=rows)


def codes(content, **known):
    return {finding.code: finding.rows for finding in check_release(content, Known(**known))}


def asked(options, text="What?"):
    """A row's texts with these options."""
    lines = "\n".join([text, *(f"{option.label}. {option.text}" for option in options)])
    return {"options": options, "question": lines, "full_question": lines}


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("no-canary", {"canary": " "}),
        ("no-canary", {"canary": "another"}),
        ("no-licence", {"source_license": "Unknown"}),
        ("no-source", {"source": ""}),
        ("no-options", {**asked((A,)), "answer": "A"}),
        ("empty-option", asked((A, Option(label="B", text=" ")))),
        ("label-repeated", asked((A, B, C, Option(label="B", text="4")))),
        ("labels-not-consecutive", asked((A, B, Option(label="D", text="4")))),
        ("labels-not-consecutive", asked((B, A))),
        ("option-repeated", asked((A, B, Option(label="C", text="2 ")))),
        ("answer-not-an-option", {"answer": "D"}),
        ("answer-not-an-option", {"answer": "AB"}),
        ("no-answer", {"answer": " "}),
        ("no-text", {"question": " "}),
        ("no-text", {"full_question": ""}),
        ("options-not-asked", {"question": "What is R at 6 V?\nA. 2 Ω\nB."}),
        ("key-in-text", {"question": "What is R at 6 V? Answer: B\nA. 2 Ω\nB.\nC. 007"}),
        ("key-in-text", {**asked((A, Option(label="B", text="2 (correct)"), C))}),
        ("key-in-metadata", {"render": '{"style": {"answer": "B"}}'}),
        ("e-mail-address", {"solution": "ask wang@school.edu.cn"}),
        ("phone-number", {"full_question": "联系电话：13812345678\nA. 2 Ω\nB.\nC. 007"}),
        ("messenger-account", {"solution": "QQ群：123456789"}),
    ],
)
def test_planted_fault(content, code, changes):
    alone = replace(content, rows=tuple(row for row in content.rows if row.language == "en"))
    found = codes(planted(alone, CIRCUIT, **changes))
    assert found[code] == (CIRCUIT,)
    # A label twice is out of order as well, an answer is no option of fewer; nothing else may be reported beside it.
    assert set(found) <= {code, "labels-not-consecutive", "answer-not-an-option", "options-not-asked"}


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("languages-options-differ", asked((A, Option(label="B", text="2")), "电压6 V时R多大？")),
        ("languages-key-differs", {"answer": "A"}),
        ("languages-units-differ", {"unit": "kg"}),
        ("languages-numbers-differ", {"full_question": "电压16 V时R多大？\nA. 2 Ω\nB.\nC. 007"}),
    ],
)
def test_languages_that_differ_are_found(content, code, changes):
    start = planted(content, BOTH[0], unit="m") if code == "languages-units-differ" else content
    assert codes(planted(start, BOTH[1], **changes)) == {code: BOTH}


def test_languages_may_write_a_number_or_unit_in_their_own_way(content):
    start = planted(content, BOTH[0], unit="m", full_question="Two lamps at 6 V?\nA. 2 Ω\nB.\nC. 007")
    same = planted(start, BOTH[1], unit="米", full_question="6 V时两盏灯？\nA. 2 Ω\nB.\nC. 007")
    assert codes(same) == {}
    assert codes(planted(same, BOTH[1], unit=None)) == {"languages-units-differ": BOTH}
    free = planted(content, "insect-original-en", answer="6 legs")
    other = free.rows[[row.id for row in free.rows].index("insect-original-en")].model_copy(
        update={"id": "insect-original-zh", "language": "zh", "answer": "六条腿", "full_question": "几条腿？"}
    )
    assert codes(replace(free, rows=(*free.rows, other))) == {}
    wrong = replace(free, rows=(*free.rows, other.model_copy(update={"answer": "8条腿"})))
    assert codes(wrong) == {"languages-key-differs": ("insect-original-en", "insect-original-zh")}


def test_versions_that_ask_the_same_have_one_answer(content):
    assert codes(planted(content, "circuit-knowledge-free-en", unit="V"))["versions-answer-differs"] == (
        "circuit-knowledge-free-en",
    )


def test_options_that_stand_in_the_picture(content):
    """Labels alone are no fault where the question's own picture shows the options, and are one without a picture."""
    alone = replace(content, rows=tuple(row for row in content.rows if row.language == "en"))
    bare = (Option(label="A"), Option(label="B"))
    assert codes(planted(alone, CIRCUIT, options=bare)) == {}
    assert codes(planted(alone, CIRCUIT, options=bare, images=())) == {"empty-option": (CIRCUIT,)}


def test_answers_that_are_right_are_not_reported(content):
    assert codes(planted(content, CIRCUIT, answer=None)) == {}  # withheld
    assert codes(planted(content, MULTI, answer="A")) == {}
    assert "answer-not-an-option" in codes(planted(content, MULTI, answer="AA"))
    assert codes(planted(content, CELL, answer="D")) == {}  # free form
    assert "no-answer" in codes(planted(content, CELL, answer=" "))


def test_a_key_that_the_scorer_does_not_take_is_found(content):
    """Nobody could ever be right: the key says nothing, or is several labels that are read as one number."""
    assert codes(planted(content, CELL, answer="...")) == {"key-not-scored": (CELL,)}
    options = tuple(Option(label=label, text=f"part {label}") for label in "123")
    digits = {"question_type": QuestionType.MULTIPLE_SELECT, **asked(options), "answer": "12"}
    assert codes(planted(content, CELL, **digits)) == {"key-not-scored": (CELL,)}
    assert codes(planted(content, CELL, **{**digits, "answer": "2"})) == {}


def test_vision_only_has_no_text(content):
    faulty = planted(content, "circuit-vision-only-en", question="A. 2 Ω\nB.\nC. 007")
    assert codes(faulty) == {"vision-only-text": ("circuit-vision-only-en",)}
    in_text = replace(content, rows=tuple(row for row in faulty.rows if row.id == "circuit-vision-only-en"))
    assert codes(in_text, choices_in_image=False) == {}
    assert "no-picture" in codes(planted(content, "circuit-vision-only-en", images=()))


def test_ids_and_splits(content):
    twice = replace(content, rows=(*content.rows, content.rows[0]))
    assert codes(twice) == {"duplicate-id": (content.rows[0].id,)}
    moved = planted(content, CIRCUIT, split=Split.DEV)
    assert len(codes(moved)["split-overlap"]) == 12
    assert set(codes(replace(content, rows=()))) == {"no-rows"}


def test_figures_that_a_text_points_at_have_to_be_there(content):
    bare = {"images": (), "options": (), "answer": "5 N", "question_type": QuestionType.FREE_FORM}
    for text in ("As shown in the figure, what is F?", "如图所示，F多大？", "See Figure 3. What is F?"):
        row = planted(content, CELL, **bare, question=text, full_question=text)
        assert codes(row) == {"figure-missing": (CELL,)}, text
        assert codes(row, waived={"figure-missing": (CELL,)}) == {}
    text = "Compare <image 1>, <image 2> and <image 3>."
    assert codes(planted(content, CELL, question=text, full_question=text)) == {
        "placeholder-unfilled": (CELL,)
    }
    text = "Compare <image 1> and <image 2>."
    assert codes(planted(content, CELL, question=text, full_question=text)) == {}


def test_only_what_rests_on_words_can_be_waived(content, tiny):
    faulty = planted(content, CIRCUIT, answer="D")
    assert codes(faulty, waived={"answer-not-an-option": (CIRCUIT,)}) == codes(faulty)
    recipe = tiny.root / "benchwright.toml"
    recipe.write_text(recipe.read_text() + '\n[release.waived]\nanswer-not-an-option = ["circuit"]\n')
    with pytest.raises(UsageError, match=r"\[release.waived\].*it may name: "):
        Known.of(type(tiny).find(tiny.root))


def test_one_question_as_two_problems(content):
    cell = next(row for row in content.rows if row.id == CELL)
    again = cell.model_copy(update={"id": "copy-original-en", "problem_id": "copy"})
    same = replace(content, rows=(*content.rows, again))
    assert codes(same) == {"duplicate-problems": (CELL, "copy-original-en")}
    dev = replace(content, rows=(*content.rows, again.model_copy(update={"split": Split.DEV})))
    assert codes(dev) == {"duplicate-across-splits": (CELL, "copy-original-en")}
    other = again.model_copy(update={"images": cell.images[:1]})
    assert codes(replace(content, rows=(*content.rows, other))) == {}, "the same words about another picture"
    grouped = codes(content, groups={"cell": "g", "multi": "g"})
    assert set(grouped) == {"duplicate-problems"} and MULTI in grouped["duplicate-problems"]
    assert set(codes(content, groups={"cell": "g", "insect": "g"})) == {"duplicate-across-splits"}


def test_a_row_that_keeps_a_withheld_answer(content):
    rows = [row.model_copy(update={"answer": None, "solution": None, "unit": None}) for row in content.rows]
    assert gathered(withheld_troubles(rows, [Split.TEST])) == ()
    assert {f.code for f in gathered(withheld_troubles(content.rows, [Split.TEST]))} == {
        "answer-not-withheld"
    }
    assert gathered(withheld_troubles(content.rows, [Split.TESTMINI])) == ()


def test_sources_that_do_not_allow_it_are_named(content):
    def found(licence, **said):
        rows = tuple(row.model_copy(update={"source_license": licence}) for row in content.rows)
        sources = {"hand-made": SourceRecipe(**said)}
        return {f.code: f for f in check_release(replace(content, rows=rows), Known(sources=sources))}

    assert found("CC BY 4.0") == {}
    assert set(found("CC-BY-ND-4.0")) == {"not-adaptable"}
    adapted = found("CC-BY-ND-4.0")["not-adaptable"].rows
    assert CELL not in adapted and "circuit-vision-only-en" in adapted
    assert "circuit-original-zh" in adapted, "its source asks in English: it is a translation"
    assert MULTI not in adapted, "its source asks in Chinese"
    assert set(found("house terms")) == {"not-redistributable", "not-adaptable"}
    assert "'hand-made' (house terms): redistribute = unknown" in str(
        found("house terms")["not-redistributable"].details
    )
    assert found("house terms", redistribute="yes", adapt="yes") == {}
    assert set(found("CC0-1.0", redistribute="no")) == {"not-redistributable"}


def test_a_licence_of_the_whole_that_promises_too_much(content):
    rows = tuple(row.model_copy(update={"source_license": "CC-BY-SA-4.0"}) for row in content.rows)
    alike = replace(content, rows=rows)
    assert codes(alike, license="cc-by-sa-4.0") == {} == codes(alike, license="other")
    assert set(codes(alike, license="cc-by-4.0")) == {"licence-conflict"}
    closed = tuple(row.model_copy(update={"source_license": "CC-BY-NC-4.0"}) for row in content.rows)
    assert set(codes(replace(content, rows=closed), license="mit")) == {"licence-conflict"}
    assert codes(replace(content, rows=closed), license="cc-by-nc-sa-4.0") == {}
    assert known_rights("nobody's licence") == {}


def test_account_names_of_reviewers(content):
    accounts = AccountNames.of(["li.wei7@lab.example", "anna@lab.example"])
    named = planted(content, CIRCUIT, solution="checked by Li.Wei7")
    assert codes(named, accounts=accounts) == {"account-name": (CIRCUIT,)}
    assert codes(named) == {}
    person = planted(content, CIRCUIT, solution="Anna pulls the rope.")
    assert codes(person, accounts=accounts) == {}, "a person of the question"


def test_pictures(content, tmp_path):
    row = next(row for row in content.rows if row.id == CELL)
    users = {other.id for other in content.rows if row.images[1] in other.images}

    def with_file(data):
        path = tmp_path / "picture.png"
        if data is not None:
            path.write_bytes(data)
        return replace(content, images=ReleaseImages({**content.images.paths, row.images[1]: path}))

    def only(data):
        broken = planted(with_file(data), row.id, images=(sha256_bytes(data),))
        broken.images.paths[sha256_bytes(data)] = tmp_path / "picture.png"
        return codes(broken)

    assert codes(with_file(None)) == {"image-missing": tuple(sorted(users))}
    whole = content.images(row.images[1])
    assert codes(with_file(whole[:-1])) == {"image-changed": tuple(sorted(users))}
    assert only(whole[: len(whole) // 2])["image-undecodable"] == (row.id,)
    noted = io.BytesIO()
    words = PngImagePlugin.PngInfo()
    words.add_text("Description", "the answer is mitochondrion")
    with Image.open(io.BytesIO(whole)) as image:
        image.save(noted, "PNG", pnginfo=words)
    assert only(noted.getvalue()) == {"image-metadata": (row.id,)}


@pytest.mark.parametrize(
    "code", ["not-rendered", "illegible-image", "unchecked-image", "text-changed", "stale-render"]
)
def test_a_stage_that_has_not_been_run(content, code):
    waiting = Rejected(item_id=CIRCUIT, stage="release", reason=code)
    (finding,) = unfinished(replace(content, rejected=(waiting, *content.rejected)))
    assert (finding.code, finding.rows) == (code, (CIRCUIT,))


def test_failing_rows_can_be_left_out_with_their_reason(content):
    faulty = planted(content, CIRCUIT, answer="D")
    faulty = replace(faulty, rows=tuple(row for row in faulty.rows if row.id != "circuit-original-zh"))
    kept = without_failing(faulty, check_release(faulty))
    assert check_release(kept) == ()
    assert len(kept.rows) == len(faulty.rows) - 1
    assert [item.reason for item in kept.rejected if item.item_id == CIRCUIT] == ["answer-not-an-option"]


def test_every_refusal_is_planted_somewhere_and_its_commands_exist():
    here = Path(__file__).parent
    tests = "".join(path.read_text(encoding="utf-8") for path in sorted(here.glob("test_*.py")))
    assert [code for code in REFUSALS if f'"{code}"' not in tests] == []
    assert len(REFUSALS) >= 25
    index = (here.parents[2] / "docs/commands.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^\| \[([a-z -]+)\]\(commands/", index, re.MULTILINE))
    for code, refusal in REFUSALS.items():
        named = re.findall(r"\b(?:curate|render|annotate) (?!JOB)[a-z-]+|push-dataset", refusal.command)
        assert named and set(named) <= known, (code, set(named) - known)


def test_numbers_of_real_translations(shared_data):
    """Real pairs: nearly none is reported, and one number changed in the translation nearly always is."""
    lines = (shared_data / "parallel_zh_en.jsonl").read_text("utf-8").splitlines()
    pairs = [(pair["en"], pair["zh"]) for pair in map(json.loads, lines)]
    assert sum(bool(lost_numbers(en, zh)) for en, zh in pairs) <= 0.02 * len(pairs)
    changed = [
        (en, zh.replace(found[0], str(int(found[0]) + 977), 1))
        for en, zh in pairs
        if (found := re.search(r"(?<![\d.,])\d{2,4}(?![\d.,])", zh))
    ]
    assert len(changed) > 150
    assert sum(bool(lost_numbers(en, zh)) for en, zh in changed) >= 0.98 * len(changed)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It costs 2,000 in May.", "5月花费2000元。"),
        ("A dog takes .5 hours.", "一条狗要0.5小时。"),
        ("Twelve boys and 3 girls", "12个男孩和三个女孩"),
        ("at −5 °C", "在-5 °C时"),
        ("Take 1 cup", "取杯子"),
    ],
)
def test_numbers_in_another_spelling_are_not_lost(one, other):
    assert lost_numbers(one, other) == []
