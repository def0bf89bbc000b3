"""Repeated runs and blind baselines: which runs belong together, and what they say, by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from benchwright.eval.metrics.baselines import blind_baselines, blind_kind
from benchwright.eval.metrics.cells import Scored
from benchwright.eval.metrics.repeats import RunRecords, repeats, spread
from benchwright.eval.reports.comparison_page import blind_markdown, repeats_markdown
from benchwright.eval.runs.spec import DatasetSpec, JudgeSpec, ModelSpec, RunSpec, SamplingSpec
from benchwright.schemas.records import Split

Rows = Callable[..., Scored]
RIGHT, WRONG = "consistent", "inconsistent"


def spec(**given: Any) -> RunSpec:
    fields: dict[str, Any] = {
        "protocol": "sciverse",
        "dataset": DatasetSpec(
            name="org/set",
            origin="hub",
            commit="c" * 40,
            digest="a" * 64,
            rows=4,
            versions=("knowledge-free",),
            languages=("en",),
            splits=(Split.TEST,),
        ),
        "model": ModelSpec(name="openai/m", endpoint="openai"),
        "sampling": SamplingSpec(),
        "prompts": (),
        "judge": JudgeSpec(kind="rules", rules_version=1),
    }
    return RunSpec.model_validate({**fields, **given})


def run(judged: Rows, given: RunSpec, outcomes: Sequence[str], **fields: Any) -> RunRecords:
    rows = [
        judged(f"p{i}", outcome, version="knowledge-free", **fields) for i, outcome in enumerate(outcomes)
    ]
    digests = {row.row_id: f"digest of {row.row_id}" for row in rows}
    return RunRecords(given, rows, digests=digests, with_images=frozenset(("p0", "p1", "p2")))


def test_repeats_differ_in_their_number_and_seed_alone(judged: Rows) -> None:
    seeded = [spec(sample=i, sampling=SamplingSpec(seed=7 + i, temperature=1.0)) for i in range(3)]
    outcomes = ([RIGHT, RIGHT, WRONG, WRONG], [RIGHT, RIGHT, RIGHT, WRONG], [RIGHT, WRONG, WRONG, "not-run"])
    runs = [run(judged, one, found) for one, found in zip(seeded, outcomes, strict=True)]
    other = run(judged, spec(model=ModelSpec(name="openai/n", endpoint="openai")), outcomes[0])
    (group,) = repeats([runs[1], other, runs[0], runs[2]])
    assert group.run_ids == tuple(one.run_id for one in seeded)
    # p3 was not run once; of p0, p1, p2 only p0 always ends alike.
    assert (group.rows, group.same_outcome) == (3, 1 / 3)
    whole = next(one for one in group.spreads if one.by == ())
    # 2/4, 3/4, 1/3; the third rests on three of its four rows.
    assert whole.incomplete and "52.8 *" in repeats_markdown([group], dict.fromkeys(group.run_ids, "m"))
    assert (whole.n_runs, whole.lowest, whole.highest) == (3, 1 / 3, 3 / 4)
    assert whole.mean == pytest.approx(19 / 36)
    assert whole.sd == pytest.approx(0.209718, abs=1e-6)
    assert [one.key for one in group.spreads if one.by == ("version",)] == [("knowledge-free",)]


def test_one_run_twice_is_no_repetition(judged: Rows) -> None:
    one = run(judged, spec(), [RIGHT] * 4)
    assert repeats([one, one]) == () and repeats([]) == ()
    with pytest.raises(ValueError, match="at least one value"):
        spread("accuracy", (), (), [])
    assert spread("accuracy", (), (), [0.5]).sd is None


def test_a_blind_run_stands_beside_the_run_that_saw_all_on_the_rows_that_lost_something(judged: Rows) -> None:
    blind = run(judged, spec(input="Q"), [RIGHT, WRONG, WRONG, RIGHT])
    full = run(judged, spec(), [RIGHT, RIGHT, WRONG, RIGHT])
    (found,) = blind_baselines([blind, full])
    # p3 has no picture: asked without it, it is the same question.
    assert (found.kind, found.of, found.rows) == ("text without image", full.spec.run_id, 3)
    assert (found.accuracy, found.full_accuracy, found.chance) == (1 / 3, 2 / 3, 0.25)
    assert blind_kind(full.spec) is None and blind_baselines([full]) == ()
    lacking = run(judged, spec(), [RIGHT, "unjudged", WRONG, RIGHT])
    (found,) = blind_baselines([blind, lacking])
    page = blind_markdown([found], {blind.spec.run_id: "blind"})
    assert "| 33.3 |" in page and "| 50.0 * |" in page


def test_rows_that_changed_between_releases_are_not_shared(judged: Rows) -> None:
    blind, full = run(judged, spec(input="Q"), [RIGHT] * 4), run(judged, spec(), [WRONG] * 4)
    changed = RunRecords(
        full.spec, full.rows, digests={**full.digests, "p1": "new"}, with_images=full.with_images
    )
    (found,) = blind_baselines([blind, changed])
    assert (found.rows, found.full_accuracy) == (2, 0.0)


def test_a_picture_alone_is_blind_where_there_was_text(judged: Rows) -> None:
    rows = [
        judged("p0", RIGHT, version="vision-only"),
        judged("p0:free", WRONG, version="knowledge-free"),
        judged("p1:free", RIGHT, version="knowledge-free"),
    ]
    # p1 has no picture: nothing of it was shown, which is no baseline.
    (found,) = blind_baselines([RunRecords(spec(input="I"), rows, with_images=frozenset({"p0", "p0:free"}))])
    assert (found.kind, found.of, found.rows, found.accuracy) == ("image without text", None, 1, 0.0)
    assert found.full_accuracy is None
