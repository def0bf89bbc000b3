"""A discipline's selection, opened for work: what was chosen and replaced, what people said, what may still join."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright.curation.candidates import read_candidates
from benchwright.curation.chosen_now import current_selection, replaced_away, selection_files
from benchwright.curation.embed_table import index_path, open_vectors
from benchwright.curation.pool_reader import iter_columns
from benchwright.curation.problems import JOBS_READ
from benchwright.curation.proposers.chosen import chosen_questions
from benchwright.curation.replace_find import Desk
from benchwright.curation.replace_stock import Stock
from benchwright.curation.reviewed_values import Reviewed, of_row, reviewed_values
from benchwright.curation.select_items import Candidate
from benchwright.curation.select_rules import Band, Rules, caps, must_cover
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Verdict, problem_id
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.reviewed import CurrentSelection
from benchwright.schemas.selection import Certificate, SelectionRow
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace


@dataclass(frozen=True)
class Opened:
    """Everything that certifying, replacing and keeping start from."""

    discipline: str
    current: CurrentSelection
    """Replacements applied; the choice of the best, if any, is not."""
    certificate: Certificate
    """Of the selection when it was made."""
    items: dict[str, Candidate]
    """What the choice was offered, by id."""
    left_out: dict[str, int]
    """Questions of the pool that it was not offered, by reason."""
    pool: int
    rules: Rules
    reviewed: Reviewed
    apart: tuple[Candidate, ...]
    """Few-shot examples."""

    def accepted(self) -> list[Candidate]:
        """Chosen questions with reviewed values that may stay and that people decided about, by id."""
        reviewed, gone = self.reviewed, self.reviewed.gone
        waiting = {*gone, *reviewed.to_be_mended}
        return [
            item
            for item in reviewed.items
            if item.question_id in reviewed.seen and item.question_id not in waiting
        ]


def open_selection(workspace: Workspace, discipline: str, accept_proposals: bool = False) -> Opened:
    """Read a discipline's selection with what became of it since.

    Raises:
        UsageError: nothing is selected there, or the selection was made of another pool.
    """
    current = current_selection(workspace, discipline, kept=False)
    certificate = Certificate.model_validate_json(workspace.certificate(discipline).read_bytes())
    level = certificate.settings.path_level
    offer = read_candidates(_as_offered(workspace), discipline, level)
    items = {item.question_id: item for item in offer.items}
    chosen, _ = chosen_questions(workspace, discipline, "certify", kept=False)
    questions = {entry.question.id: entry.question for entry in chosen if not entry.dev}
    reviewed = reviewed_values(workspace, current.rows, items, questions, level, accept_proposals)
    return Opened(
        discipline=discipline,
        current=current,
        certificate=certificate,
        items=items,
        left_out=dict(offer.left_out),
        pool=offer.total,
        rules=certified_rules(certificate),
        reviewed=reviewed,
        apart=_apart(workspace, discipline, items),
    )


def certified_rules(certificate: Certificate) -> Rules:
    """The rules as the selection was made with them: later ingests and rejections do not move what was promised."""
    settings = certificate.settings
    return Rules(
        settings.n,
        {point.point: point.target for point in certificate.points},
        tuple(must_cover([point.point for point in certificate.points], settings)),
        tuple(
            Band(rule.rule, rule.lower, rule.upper, rule.hard)
            for rule in certificate.rules
            if rule.rule.startswith(("difficulty:", "subject:"))
        ),
        caps(settings),
        settings.weights,
    )


def open_desk(workspace: Workspace, opened: Opened) -> Desk:
    """A desk at which questions are exchanged.

    Raises:
        UsageError: the discipline is not embedded as the pool stands.
    """
    table = open_vectors(workspace, opened.discipline)
    languages: dict[str, str] = {}
    for chunk in iter_columns(workspace.pool(opened.discipline), ("id", "language")):
        languages.update(zip(chunk["id"], chunk["language"], strict=True))
    rows = {name: row for row, name in enumerate(table.ids)}
    stock = Stock(
        {name: item for name, item in opened.items.items() if name in rows}, languages, rows, table.vectors
    )
    return Desk(
        stock,
        opened.rules,
        opened.reviewed.items,
        turned=turned_away(workspace, opened, opened.items),
        apart=opened.apart,
        seconds=opened.certificate.settings.time_limit,
    )


def turned_away(workspace: Workspace, opened: Opened, names: Iterable[str]) -> set[str]:
    """Questions that may not join: replaced before, or rejected by people whenever that was."""
    away = replaced_away(workspace, opened.discipline)
    path = workspace.verdicts("quality")
    rejected = {
        verdict.item_id
        for verdict in (read_jsonl(path, Verdict) if path.is_file() else [])
        if verdict.field == "decision" and verdict.value == "reject" and verdict.basis != "open"
    }
    return {*away, *(name for name in names if rejected and problem_id(name) in rejected)}


def inputs_of(workspace: Workspace, discipline: str) -> list[Path]:
    """Files on which everything here rests, where they exist."""
    paths = [
        workspace.pool(discipline),
        workspace.estimates(discipline),
        workspace.clusters(discipline),
        *selection_files(workspace, discipline),
        workspace.certificate(discipline),
        index_path(workspace, discipline),
    ]
    optional = [
        workspace.screen(discipline),
        workspace.duplicates(discipline),
        workspace.dev_selection(discipline),
    ]
    optional += [path for job in JOBS_READ for path in (workspace.proposals(job), workspace.verdicts(job))]
    optional.append(workspace.verdicts("duplicates"))
    return [*paths, *(path for path in optional if path.is_file())]


def disciplines_with_selection(workspace: Workspace, named: Sequence[str]) -> tuple[str, ...]:
    """The named disciplines, or all that have a selection.

    Raises:
        UsageError: nothing is selected (there).
    """
    there = workspace.selected_disciplines()
    for discipline in named or ("",):
        if discipline and discipline not in there:
            raise UsageError(
                f"{discipline} has no selection: run `curate cluster --discipline {discipline}` first."
            )
    if not there:
        raise UsageError("no discipline has a selection yet: run `curate cluster` first.")
    return tuple(named) or there


def _as_offered(workspace: Workspace) -> Workspace:
    """The workspace with a recipe that offers rejected questions too: of chosen ones all values must be known."""
    selection = workspace.recipe.selection.model_copy(update={"keep_reviewed": False})
    return Workspace(workspace.root, workspace.recipe.model_copy(update={"selection": selection}), dry=True)


def _apart(workspace: Workspace, discipline: str, items: dict[str, Candidate]) -> tuple[Candidate, ...]:
    path = workspace.dev_selection(discipline)
    if not path.is_file():
        return ()
    rows = read_records(path, SelectionRow)
    return tuple(items.get(row.question_id) or of_row(row) for row in rows)
