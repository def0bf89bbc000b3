"""What the plots of a release show equals the card's figures; what has no data is left out."""

from __future__ import annotations

from collections import Counter

from benchwright.curation.release.audit_records import ReleaseAudit
from benchwright.curation.release.plots.composition import MOST_SUBJECTS, composition_of, folded
from benchwright.curation.release.plots.inputs import Agreement, Composition, Coverage, Legibility, Lengths
from benchwright.curation.release.plots.names import Names
from benchwright.curation.release.plots.plan import lengths_of, plots_of

ALL = [
    "subjects.png",
    "flow.png",
    "levels.png",
    "lengths.png",
    "agreement.png",
    "legibility.png",
    "coverage.png",
]


def test_every_plot_has_its_data_and_words(rows, audit, taxonomy):
    plots = plots_of(rows, audit, taxonomy)
    assert [plot.name for plot in plots] == ALL
    for plot in plots:
        assert plot.alt and not set(plot.alt) & set("[]\n|`*_<>\\"), plot.alt
        assert type(plot).model_validate_json(plot.model_dump_json()) == plot
    words = {plot.name: plot.alt for plot in plots}
    assert "120 problems" in words["subjects.png"] and "Physics" in words["flow.png"]
    assert "vision-only en: 40 of 43 passed, 99.92 % of characters" in words["legibility.png"]
    assert "tagging difficulty kappa 0.80, alpha 0.75, equal 0.40" in words["agreement.png"]


def test_composition_counts_problems_once(rows, audit, taxonomy):
    data = plots_of(rows, audit, taxonomy)[0].data
    assert isinstance(data, Composition) and data.problems == 120
    ones = {row.problem_id: row for row in rows}.values()
    assert {part.discipline: part.problems for part in data.disciplines} == Counter(
        one.discipline for one in ones
    )
    cells = {
        (part.discipline, subject.subject, level + 1): count
        for part in data.disciplines
        for subject in part.subjects
        for level, count in enumerate(subject.levels)
        if count
    }
    assert cells == Counter((one.discipline, one.subject, one.difficulty) for one in ones)
    sizes = [part.problems for part in data.disciplines]
    assert sizes == sorted(sizes, reverse=True)


def test_names_in_chinese_only_where_the_release_has_chinese(rows, audit, taxonomy):
    both = plots_of(rows, audit, taxonomy)[0].data
    assert isinstance(both, Composition)
    physics = next(part for part in both.disciplines if part.discipline == "physics")
    assert (physics.name.en, physics.name.zh) == ("Physics", "物理")
    english = plots_of([row for row in rows if row.language == "en"], audit, taxonomy)[0].data
    assert isinstance(english, Composition) and not english.chinese
    assert all(not one.name.zh for part in english.disciplines for one in part.subjects)
    unknown = Names(None, chinese=True).subject("x", "my-own_subject")
    assert (unknown.en, unknown.zh) == ("My own subject", "")


def test_lengths_equal_the_rows(rows):
    data = lengths_of(rows)
    assert data.textless == ("vision-only",)
    assert [(panel.version, panel.language) for panel in data.panels][:2] == [
        ("knowledge-free", "en"),
        ("knowledge-free", "zh"),
    ]
    for panel in data.panels:
        lengths = [
            len(row.question)
            for row in rows
            if (row.version, row.language) == (panel.version, panel.language)
        ]
        assert panel.questions == len(lengths) == sum(panel.bars) + panel.longer
        assert panel.longest == max(lengths) and panel.mean == round(sum(lengths) / len(lengths), 2)
        assert panel.longer == sum(length >= data.width * len(panel.bars) for length in lengths)
        assert panel.bars[1] == sum(data.width <= length < 2 * data.width for length in lengths)


def test_the_long_tail_stands_in_the_open_bar(make_row):
    place = ("physics", "optics", 1)
    short = [make_row(number, "original", "en", place, 10) for number in range(300)]
    data = lengths_of([*short, make_row(300, "original", "en", place, 5000)])
    (panel,) = data.panels
    assert data.width * len(panel.bars) < 50 and panel.longer == 1 and panel.longest == 5000
    assert lengths_of(short[:1]).panels[0].bars[-1] == 1


def test_agreement_legibility_and_coverage_equal_the_audit(rows, audit, taxonomy):
    data = {plot.name: plot.data for plot in plots_of(rows, audit, taxonomy)}
    agreed, pages, points = data["agreement.png"], data["legibility.png"], data["coverage.png"]
    assert isinstance(agreed, Agreement) and isinstance(pages, Legibility) and isinstance(points, Coverage)
    assert [(row.job, row.kappa is None, row.alpha is None) for row in agreed.rows][2:] == [
        ("decomposition", False, True),
        ("translation", True, True),
    ]
    assert [
        (row.version, row.language, row.passed, row.failed, row.not_judged, row.errors) for row in pages.rows
    ] == [
        ("vision-rich", "en", 9, 0, 0, 0),
        ("vision-only", "en", 40, 1, 2, 3),
        ("vision-only", "zh", 0, 0, 5, 0),
    ]
    assert pages.rows[1].characters == 4000 and pages.rows[1].pictures == 43
    for panel in points.panels:
        found = [one for one in audit.points if one.discipline == panel.discipline]
        assert sum(dot.points for dot in panel.dots) == len(found)
        assert panel.covered == sum(one.chosen > 0 for one in found if not one.stand_in)
        assert panel.stand_ins == sum(one.stand_in for one in found)


def test_what_has_no_data_is_left_out(rows, audit, taxonomy, make_row):
    assert [plot.name for plot in plots_of(rows, ReleaseAudit(), taxonomy)] == ALL[:4]
    unread = audit.model_copy(
        update={"gates": tuple(line for line in audit.gates if line.state == "unchecked")}
    )
    assert "legibility.png" not in [plot.name for plot in plots_of(rows, unread, taxonomy)]
    silent = [make_row(0, "vision-only", "en", ("physics", "optics", 1), 0)]
    assert [plot.name for plot in plots_of(silent, ReleaseAudit())] == ALL[:3]
    assert plots_of([], audit, taxonomy) == ()


def test_many_small_subjects_become_one_part_and_no_problem_is_lost(make_row):
    rows = [
        make_row(
            100 * subject + number, "original", "en", (f"d{subject % 3}", f"s{subject}", 1 + number % 5), 9
        )
        for subject in range(90)
        for number in range(1 + subject % 9)
    ]
    whole = composition_of(rows, Names(None, chinese=False))
    shown = folded(whole)
    assert sum(len(part.subjects) for part in shown.disciplines) <= MOST_SUBJECTS
    assert [part.levels for part in shown.disciplines] == [part.levels for part in whole.disciplines]
    assert all("smaller subjects" in part.subjects[-1].name.en for part in shown.disciplines)
    few = composition_of(rows[:5], Names(None, chinese=False))
    assert folded(few) is few


def test_lengths_are_a_record_of_panels_of_equal_bars(rows):
    data = lengths_of(rows)
    assert isinstance(data, Lengths) and len({len(panel.bars) for panel in data.panels}) == 1
