"""The report on proposals: what counts as accepted, what decides nothing, and figures that equal their references."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import escape

from benchwright.curation.proposers.report import Gold, Report, call_ids, proposal_report
from benchwright.curation.proposers.report_figures import (
    Pair,
    calibration_of,
    confusion_of,
    same_value,
    share_of,
)
from benchwright.curation.proposers.report_page import html_page, tables
from benchwright.curation.proposers.report_read import workspace_report
from benchwright.models.chat import Call, Usage
from benchwright.models.prices import Price, PriceTable
from benchwright.models.store import CallStore
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import JOBS, Proposal, Verdict, problem_id
from benchwright.schemas.journal import read_jsonl, write_jsonl
from benchwright.schemas.records import Question
from benchwright.schemas.status import CallStatus
from benchwright.schemas.tables import iter_records
from benchwright.schemas.workspace import Workspace

NOW, BEFORE = "a" * 64, "b" * 64
LEVEL = JOBS["tagging"].field("difficulty")


def proposal(item: str, value: Any, name: str = "subject", job: str = "tagging", **more: Any) -> Proposal:
    values = {"digest": NOW, "model": "openai/x", **more}
    return Proposal(job=job, item_id=item, field=name, value=value, **values)


def verdict(item: str, value: Any, name: str = "subject", job: str = "tagging", **more: Any) -> Verdict:
    values = {"digest": NOW, "basis": "agreed", "by": ("A01", "A02"), **more}
    return Verdict(job=job, item_id=item, field=name, value=value, **values)


def call(key: str, read: int | None = 100, written: int | None = 20) -> Call:
    usage = Usage(prompt_tokens=read, completion_tokens=written)
    return Call(key=key, status=CallStatus.OK, text="{}", usage=usage, model="openai/x")


def key(number: int) -> str:
    return f"{number:064x}"


def one(report: Report, name: str = "subject", reference: str = "reviews") -> Any:
    (entry,) = [e for e in report.fields if e.field == name and e.reference == reference]
    return entry


def test_only_a_final_verdict_on_the_same_text_counts() -> None:
    proposals = [proposal(f"q{number}", "optics") for number in range(7)]
    verdicts = [
        verdict("q0", "optics"),
        verdict("q1", "mechanics", basis="adjudicated"),
        verdict("q2", None, basis="open"),
        verdict("q3", "optics", digest=BEFORE),
        verdict("q4", "optics", name="difficulty"),
        verdict("q5", None, basis="open", by=()),
        verdict("q9", "optics"),
    ]
    entry = one(proposal_report(proposals, verdicts))
    assert (entry.proposed, entry.compared.n, entry.compared.equal) == (7, 2, 1)
    assert (entry.open, entry.stale, entry.unreviewed) == (1, 1, 3)
    assert entry.proposed == entry.compared.n + entry.open + entry.stale + entry.unreviewed


def test_nothing_reviewed_is_no_figure_rather_than_nought() -> None:
    entry = one(proposal_report([proposal("q0", "optics")], []))
    assert entry.compared.share is None and entry.confusion is None and entry.calibration is None
    assert entry.unreviewed == 1


def test_fields_and_proposers_stand_apart_and_languages_are_not_mixed() -> None:
    proposals = [
        proposal("q0", "a", "question", "translation", language="en"),
        proposal("q0", "a", "question", "translation", language="zh"),
        proposal("q0", "a", "answer", "translation", language="en", model="openai/y"),
    ]
    verdicts = [verdict("q0", " a\n", "question", "translation", language="en"),
                verdict("q0", "b", "question", "translation", language="zh")]  # fmt: skip
    report = proposal_report(proposals, verdicts)
    assert [(e.field, e.proposer, e.compared.n) for e in report.fields] == [
        ("answer", "openai/y", 0), ("question", "openai/x", 2),
    ]  # fmt: skip
    assert one(report, "question").compared.equal == 1


def test_gold_labels_are_a_second_reference_and_the_sources_own_word_is_not_held_against_itself() -> None:
    proposals = [
        proposal("q0", 3, "difficulty"),
        proposal("q1", 2, "difficulty"),
        proposal("q2", 5, "difficulty"),
        proposal("q3", 4, "difficulty", model="source"),
    ]
    gold = [
        Gold(job="tagging", item_id=f"q{n}", field="difficulty", value=v) for n, v in enumerate((3, 4, 1, 4))
    ][:2]
    gold.append(Gold(job="tagging", item_id="q3", field="difficulty", value=4))
    report = proposal_report(proposals, [], gold)
    entry = one(report, "difficulty", "gold")
    assert entry.proposer == "openai/x"
    assert (entry.compared.n, entry.compared.equal, entry.unreviewed) == (2, 1, 1)
    assert entry.confusion is not None and entry.confusion.weights == "quadratic"
    assert entry.confusion.labels == ("1", "2", "3", "4", "5")
    assert entry.confusion.counts[3] == (0, 1, 0, 0, 0) and entry.confusion.counts[2] == (0, 0, 1, 0, 0)


@pytest.mark.parametrize(
    ("job", "name", "proposed", "right", "same"),
    [
        ("tagging", "knowledge_points", ["A/B", "C"], ["C", "A/B"], True),
        ("tagging", "knowledge_points", ["A/B", "A/B"], ["A/B", "C"], False),
        ("quality", "text_faults", [], [], True),
        ("quality", "text_faults", ["ambiguous", "incomplete"], ["incomplete", "ambiguous"], True),
        ("translation", "choices", ["1 m", "2 m"], ["2 m", "1 m"], False),
        ("translation", "choices", ["1 m", " 2 m"], ["1 m", "2 m"], True),
        ("tagging", "difficulty", 3, 3, True),
        ("tagging", "difficulty", 3, "3", False),
        ("translation", "answer", "007", "7", False),
        ("decomposition", "decomposition", {"a": 1, "b": [2]}, {"b": [2], "a": 1}, True),
    ],
)
def test_what_counts_as_the_same_value(job: str, name: str, proposed: Any, right: Any, same: bool) -> None:
    assert same_value(proposed, right, JOBS[job].field(name)) is same


levels = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=60)


@given(levels)
@settings(deadline=None)
def test_weighted_kappa_is_the_one_of_the_textbook(values: list[tuple[int, int]]) -> None:
    found = confusion_of([Pair(proposed, right) for proposed, right in values], LEVEL)
    assert found is not None
    matrix = np.zeros((5, 5))
    for proposed, right in values:
        matrix[right - 1, proposed - 1] += 1
    assert np.array_equal(matrix, np.array(found.counts))
    weights = np.array([[(i - j) ** 2 for j in range(5)] for i in range(5)])
    expected = np.outer(matrix.sum(1), matrix.sum(0)) / matrix.sum()
    disagreement = (weights * expected).sum()
    if len({value for pair in values for value in pair}) == 1:
        assert found.kappa is None
    elif disagreement > 0:
        assert found.kappa == pytest.approx(1 - (weights * matrix).sum() / disagreement, abs=1e-5)


@given(st.integers(1, 200), st.data())
def test_shares_stand_inside_their_interval_and_the_majority_is_the_most_frequent(
    n: int, data: st.DataObject
) -> None:
    equal = data.draw(st.integers(0, n))
    pairs = [Pair(2, 2 if place < equal else 3, None, place < equal) for place in range(n)]
    found = share_of(pairs, LEVEL)
    assert found.share is not None and found.low is not None and found.high is not None
    assert 0 <= found.low <= found.share <= found.high <= 1
    assert found.majority == pytest.approx(max(equal, n - equal) / n, abs=1e-6)


def test_the_interval_is_wilsons() -> None:
    """14 of 21, worked out by hand in the research on evaluation: 45.4 to 82.8 %."""
    pairs = [Pair(1, 1, None, place < 14) for place in range(21)]
    found = share_of(pairs, LEVEL)
    assert (round(found.low or 0, 3), round(found.high or 0, 3)) == (0.454, 0.828)


def test_calibration_of_figures_worked_out_by_hand() -> None:
    pairs = [Pair(1, 1, 0.95, True)] * 3 + [Pair(1, 2, 0.95, False)] + [Pair(1, 2, 0.2, False)] * 4
    pairs += [Pair(1, 1, 1.0, True)] * 2 + [Pair(1, 1, None, True)]
    found = calibration_of(pairs)
    assert found is not None and (found.n, found.without) == (10, 1)
    assert [(b.low, b.n, b.share) for b in found.bins] == [
        (0.2, 4, 0.0),
        (0.9, 6, pytest.approx(5 / 6, abs=1e-6)),
    ]
    # 4 at distance 0.2; 6 with mean confidence 5.8 / 6 and 5 right.
    assert found.error == pytest.approx((4 * 0.2 + 6 * abs(5.8 / 6 - 5 / 6)) / 10, abs=1e-5)
    assert calibration_of([Pair(1, 1, None, True)]) is None


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=50))
def test_every_confidence_falls_into_one_bin(values: list[tuple[float, bool]]) -> None:
    found = calibration_of([Pair(1, 1, confidence, equal) for confidence, equal in values])
    assert found is not None and sum(b.n for b in found.bins) == found.n == len(values)
    assert all(b.low - 1e-6 <= b.confidence <= b.high + 1e-6 for b in found.bins)
    assert 0 <= found.error <= 1


def test_cost_counts_each_call_once_over_items_whose_every_verdict_agrees() -> None:
    proposals = [
        proposal("q0", "optics", call_id=key(1)),
        proposal("q0", 3, "difficulty", call_id=key(1)),
        proposal("q1", "optics", call_id=key(2)),
        proposal("q1", 3, "difficulty", call_id=key(2)),
        proposal("q2", "optics", call_id=key(3)),
    ]
    verdicts = [
        verdict("q0", "optics"), verdict("q0", 3, "difficulty"),
        verdict("q1", "optics"), verdict("q1", 4, "difficulty"),
    ]  # fmt: skip
    calls = {key(n): call(key(n)) for n in (1, 2, 3)}
    price = Price(input=Decimal(10), output=Decimal(100), source="made up for this test", date="2026-01-01")
    report = proposal_report(proposals, verdicts, (), calls, PriceTable(entries={"openai/x": price}))
    (cost,) = report.costs
    assert (cost.items, cost.reviewed, cost.accepted, cost.calls) == (3, 2, 1, 3)
    assert (cost.input_tokens, cost.output_tokens, cost.tokens_per_accepted) == (300, 60, 360.0)
    assert cost.money is not None and cost.money.usd == Decimal("0.009") and cost.usd_per_accepted == 0.009


def test_what_is_not_known_of_a_cost_is_unknown_and_never_nothing() -> None:
    proposals = [proposal("q0", "optics", call_id=key(1)), proposal("q1", "optics", call_id=key(2))]
    verdicts = [verdict("q0", "optics"), verdict("q1", "optics")]
    (cost,) = proposal_report(proposals, verdicts, (), {key(1): call(key(1), None, None)}).costs
    assert (cost.calls, cost.missing, cost.unreported) == (2, 1, 1)
    assert cost.money is not None and not cost.money.known and cost.usd_per_accepted is None
    rows = tables(proposal_report(proposals, verdicts, (), {key(1): call(key(1))}))[1].rows
    assert "100 at least" in rows[0] and "unknown" in rows[0]
    (embedded,) = proposal_report([proposal("q0", "optics", model="embedded/x")], verdicts).costs
    assert (embedded.calls, embedded.money, embedded.tokens_per_accepted) == (0, None, None)


def test_calls_inside_a_value_are_found() -> None:
    value = {
        "trials": [{"call": key(1), "n": 1}, {"call": key(2)}],
        "deep": {"calls": [key(3), key(3)]},
        "x": None,
    }
    assert call_ids(proposal("q", value, "answer_check", "quality", call_id=key(4))) == {
        key(n) for n in (1, 2, 3, 4)
    }
    assert call_ids(proposal("q", "optics")) == set()


def big_report() -> Report:
    random = np.random.default_rng(3)
    subjects = ["mechanics", "optics", "electromagnetism", "thermodynamics"]
    proposals, verdicts, calls = [], [], {}
    for number in range(240):
        item, sure = f"q{number}", float(np.round(random.uniform(0.3, 1), 3))
        right = subjects[int(random.integers(4))]
        said = right if random.uniform() < sure else subjects[int(random.integers(4))]
        level = int(random.integers(1, 6))
        near = int(np.clip(level + random.integers(-1, 2), 1, 5))
        more: dict[str, Any] = {"call_id": key(number), "confidence": sure}
        proposals += [proposal(item, said, **more), proposal(item, near, "difficulty", **more)]
        calls[key(number)] = call(key(number), 900 + number, 60)
        if number < 200:
            stale = {"digest": BEFORE} if number % 20 == 0 else {}
            basis = "open" if number % 20 == 1 else "agreed"
            for name, value in (("subject", right), ("difficulty", level)):
                given = None if basis == "open" else value
                verdicts.append(verdict(item, given, name, basis=basis, **stale))
    gold = [
        Gold(job="tagging", item_id=f"q{n}", field="difficulty", value=1 + n % 5) for n in range(0, 240, 3)
    ]
    return proposal_report(proposals, verdicts, gold, calls)


def test_the_report_is_json_without_clock_and_the_page_holds_all_of_it() -> None:
    report = big_report()
    assert Report.model_validate_json(report.model_dump_json()) == report
    assert html_page(report) == html_page(big_report())
    page = html_page(report)
    for table in tables(report):
        for row in table.rows:
            assert len(row) == len(table.columns)
            assert all(f">{escape(cell)}</td>" in page for cell in row)
    assert page.count('<section class="detail">') == 3 and page.count("<svg") == 3
    entry = one(report)
    assert (entry.open, entry.stale, entry.compared.n) == (10, 10, 180)
    assert "http" not in page.replace("http-equiv", "")


def test_names_cannot_break_the_page() -> None:
    report = proposal_report([proposal("q", "<b>x", model='openai/<script>"')], [verdict("q", "<i>")])
    page = html_page(report)
    assert "<script>" not in page and "<b>x" not in page and "openai/&lt;script&gt;" in page


def test_the_workspace_is_read_and_nothing_in_it_is_written(selected: Workspace) -> None:
    from benchwright.curation.proposers.quality_embedded import EmbeddedQuality
    from benchwright.curation.proposers.stage import run_embedded

    with pytest.raises(UsageError, match="curate tag"):
        workspace_report(selected)
    with pytest.raises(UsageError, match="there is no job 'gossip'"):
        workspace_report(selected, ["gossip"])
    run_embedded(selected, EmbeddedQuality(selected))
    found = read_jsonl(selected.proposals("quality"), Proposal)
    wrong = {found[0].item_id}
    verdicts = [
        Verdict(
            job="quality", item_id=p.item_id, language=p.language, field=p.field, digest=p.digest,
            value="accept" if p.field == "decision" and p.item_id in wrong else p.value, basis="agreed", by=("A01",),
        )
        for p in found
    ]  # fmt: skip
    selected.verdicts("quality").parent.mkdir(parents=True, exist_ok=True)
    write_jsonl(selected.verdicts("quality"), verdicts)
    before = {p: p.stat().st_mtime_ns for p in sorted(selected.root.rglob("*")) if p.is_file()}
    report = workspace_report(selected, ["quality"])
    assert before == {p: p.stat().st_mtime_ns for p in sorted(selected.root.rglob("*")) if p.is_file()}
    assert (one(report, "decision").compared.equal, one(report, "decision").compared.n) == (11, 12)
    assert (report.costs[0].items, report.costs[0].accepted, report.costs[0].money) == (12, 11, None)


def test_gold_comes_from_the_pool_and_calls_from_the_store(selected: Workspace) -> None:
    gold: dict[str, int] = {}
    for name in selected.pool_disciplines():
        for question in iter_records(selected.pool(name), Question):
            if question.difficulty is not None:
                gold[problem_id(question.id)] = question.difficulty
    assert gold
    proposals = [proposal(item, 4, "difficulty", call_id=key(n)) for n, item in enumerate(sorted(gold))]
    selected.proposals("tagging").parent.mkdir(parents=True, exist_ok=True)
    write_jsonl(selected.proposals("tagging"), proposals)
    with CallStore(selected.calls) as store:
        for n in range(len(proposals) - 1):
            store.put(call(key(n)), {})
    report = workspace_report(selected)
    entry = one(report, "difficulty", "gold")
    assert (entry.compared.n, entry.compared.equal) == (len(gold), list(gold.values()).count(4))
    assert (report.costs[0].calls, report.costs[0].missing) == (len(gold), 1)


@pytest.mark.browser
def test_the_page_fits_a_window_and_a_telephone(tmp_path: Path, chromium: Callable[..., Any]) -> None:
    page = tmp_path / "report.html"
    page.write_text(html_page(big_report()), encoding="utf-8")
    for width, height in ((1280, 900), (420, 800)):
        with chromium(tmp_path / f"profile-{width}", width, height) as browser:
            browser.open(page.as_uri())
            browser.wait("document.querySelectorAll('section.detail').length === 3")
            assert browser.run("document.documentElement.scrollWidth <= window.innerWidth")
            heads: Sequence[str] = json.loads(
                browser.run("JSON.stringify([...document.querySelectorAll('h2')].map(h => h.textContent))")
            )
            assert heads == ["Proposals against reviews and sources", "What they took", "Field by field"]
