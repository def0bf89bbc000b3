"""Item statistics of runs on disk: reads run folders, writes `flags.jsonl` into each.

Only rows that are the same in every byte count together; a row that changed between releases is another item.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchwright.eval.judges.judge_rules import judge_by_rules
from benchwright.eval.metrics.baselines import blind_kind, takes_away
from benchwright.eval.metrics.cells import SCORED, Scored
from benchwright.eval.metrics.item_stats import (
    Answered,
    Item,
    ItemFigures,
    flags_of,
    item_figures,
    mean_scores,
)
from benchwright.eval.metrics.scored import scored_rows
from benchwright.eval.metrics.totals import rounded
from benchwright.eval.runs.spec import ModelSpec, RunSpec
from benchwright.eval.runs.store import RunFolder
from benchwright.models.answer_compare import Match
from benchwright.models.thinking import split_thinking
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.flags import FLAGS_NAME, Flag
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.status import CallStatus, Outcome


@dataclass(frozen=True)
class RunAnswers:
    """What a run folder holds for item statistics."""

    folder: RunFolder
    spec: RunSpec
    rows: tuple[ReleaseRow, ...]
    scored: tuple[Scored, ...]
    keys: tuple[str, ...]
    """Id and wording of each row: the same id with other bytes is another item."""
    wrong_answers: dict[str, str]
    """Row id -> the answer that the rules read, where it is not the key's."""

    @property
    def open_rows(self) -> int:
        """Rows without an outcome: not run or not judged."""
        return sum(row.outcome not in SCORED for row in self.scored)


@dataclass(frozen=True)
class ItemStatistics:
    """Figures and flags of all rows of some runs."""

    figures: tuple[ItemFigures, ...]
    """By row id; a row that changed between releases stands once for each wording."""
    flags: dict[str, tuple[Flag, ...]]
    """Run id -> flags of its rows, by row and kind."""
    respondents: tuple[str, ...]
    """Models that saw everything."""
    blind: tuple[str, ...]
    """Models that saw the text or the pictures alone."""


def read_answers(folder: RunFolder) -> RunAnswers:
    """Read a run for item statistics.

    Raises:
        UsageError: the folder holds no run, or one whose final answers nobody judges.
    """
    spec, rows = folder.spec(), folder.rows()
    if spec.judge is None:
        raise UsageError(
            f"{folder.path} has no verdicts on final answers (its steps are scored, or nothing is yet): "
            "item statistics need runs with verdicts."
        )
    known = folder.load(rows)
    scored = tuple(scored_rows(rows, known))
    wrong = {}
    for row, outcome in zip(rows, scored, strict=True):
        if outcome.outcome is Outcome.INCONSISTENT:
            response = known.responses[row.id]
            cut_off = response.status is CallStatus.TRUNCATED
            said = judge_by_rules(row, split_thinking(response.text).text, cut_off)
            if said.match is Match.INCONSISTENT and said.extracted:
                wrong[row.id] = " ".join(said.extracted.casefold().split())
    keys = tuple(f"{row.id}\n{digest_of(row)}" for row in rows)
    return RunAnswers(folder, spec, rows, scored, keys, wrong)


def item_statistics(runs: Sequence[RunAnswers]) -> ItemStatistics:
    """Figures and flags over the answers of several runs."""
    seeing = _models([run for run in runs if blind_kind(run.spec) is None])
    blind = _models([run for run in runs if blind_kind(run.spec) is not None])
    items, own = _items(runs)
    figures = item_figures(items, [_answered(name, found) for name, found in seeing], _blind(blind))
    by_key = {item.row_id: _named(one) for item, one in zip(items, figures, strict=True)}
    run_ids = tuple(sorted({run.spec.run_id for run in runs}))
    flags = {
        run_id: tuple(flag for key in sorted(keys) for flag in flags_of(by_key[key], run_ids))
        for run_id, keys in own.items()
    }
    return ItemStatistics(
        figures=tuple(by_key[key] for key in sorted(by_key)),
        flags=flags,
        respondents=tuple(name for name, _ in seeing),
        blind=tuple(name for name, _ in blind),
    )


def write_flags(run: RunAnswers, found: ItemStatistics) -> int:
    """Write the flags of a run's rows into its folder, whole; returns how many.

    Raises:
        LockedError: the run is being written.
    """
    with run.folder.lock():
        flags = [rounded(flag) for flag in found.flags[run.spec.run_id]]
        return write_jsonl(run.folder.path / FLAGS_NAME, flags)


def items_csv(figures: Iterable[ItemFigures]) -> str:
    """One line a row."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    names = list(ItemFigures.model_fields)
    writer.writerow(names)
    for one in figures:
        values = (getattr(one, name) for name in names)
        writer.writerow(
            [
                "" if value is None else round(value, 6) if isinstance(value, float) else value
                for value in values
            ]
        )
    return stream.getvalue()


def _named(figures: ItemFigures) -> ItemFigures:
    return figures.model_copy(update={"row_id": figures.row_id.split("\n")[0]})


def _items(runs: Sequence[RunAnswers]) -> tuple[list[Item], dict[str, set[str]]]:
    items: dict[str, Item] = {}
    own: dict[str, set[str]] = {}
    for run in runs:
        for key, scored in zip(run.keys, run.scored, strict=True):
            items[key] = Item(row_id=key, problem_id=scored.problem_id, chance=scored.chance)
            own.setdefault(run.spec.run_id, set()).add(key)
    return [items[key] for key in sorted(items)], own


def _models(runs: Sequence[RunAnswers]) -> list[tuple[str, list[RunAnswers]]]:
    """Runs by model, by name: one model is one respondent."""
    groups: dict[str, list[RunAnswers]] = defaultdict(list)
    for run in runs:
        groups[_name(run.spec.model)].append(run)
    return sorted(groups.items())


def _name(model: ModelSpec) -> str:
    where = f" at {model.base_url}" if model.base_url else ""
    return f"{model.name}{where}" + (f" ({model.revision[:12]})" if model.revision else "")


def _blind(models: Sequence[tuple[str, list[RunAnswers]]]) -> list[Answered]:
    return [_answered(name, runs) for name, runs in models]


def _answered(name: str, runs: Sequence[RunAnswers]) -> Answered:
    wrong: dict[str, str] = {}
    for run in runs:
        for key, row in zip(run.keys, run.rows, strict=True):
            if row.id in run.wrong_answers:
                wrong.setdefault(key, run.wrong_answers[row.id])
    return Answered(name, mean_scores([_outcomes(run) for run in runs]), wrong)


def _outcomes(run: RunAnswers) -> dict[str, float]:
    """1 or 0 for each scored row; of a blind run only rows from which something was taken away."""
    kind = blind_kind(run.spec)
    with_images = frozenset(row.id for row in run.rows if row.images)
    return {
        key: float(scored.outcome is Outcome.CONSISTENT)
        for key, scored in zip(run.keys, run.scored, strict=True)
        if scored.outcome in SCORED and (kind is None or takes_away(kind, scored, with_images))
    }
