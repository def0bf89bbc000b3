"""Why a question is chosen or not, and what it was exchanged for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from benchwright.curation.release.trace_find import find_record, read_json
from benchwright.curation.release.trace_records import (
    CertificateFacts,
    ChoiceFacts,
    ChoiceState,
    DuplicateFacts,
    Exchange,
)
from benchwright.schemas.journal import Journal
from benchwright.schemas.reviewed import (
    CurrentSelection,
    Replacement,
    ReviewedCertificate,
    current_rows,
    reviewed_certificate_path,
)
from benchwright.schemas.screening import ScreenRow
from benchwright.schemas.selection import Certificate, SelectionRow
from benchwright.schemas.workspace import Workspace


def choice_of(
    workspace: Workspace,
    discipline: str,
    question_id: str,
    screening: ScreenRow | None,
    duplicates: DuplicateFacts | None,
) -> ChoiceFacts:
    """Whether a question is chosen now, and why: its place, the points that only it covers, the certificate's figures.

    Args:
        workspace: the workspace.
        discipline: the question's.
        question_id: the question.
        screening: what screening says of it.
        duplicates: what the search for duplicates says of it.

    Raises:
        TamperedError: a table of the selection is damaged.
    """
    if not workspace.selection(discipline).is_file():
        return ChoiceFacts(
            state="no-selection", row=None, reasons=("nothing is selected yet",), certificate=None
        )
    current = current_rows(workspace, discipline)
    certificate = _certificate(workspace, discipline)
    state, row = _state(workspace, discipline, question_id, current)
    reasons: list[str] = []
    if state == "chosen" and row is not None:
        reasons = [*_why_chosen(row, current), *_review_says(workspace, discipline, question_id)]
    elif state == "few-shot":
        reasons = ["set aside as a few-shot example (split dev): shown to models, never scored"]
    elif state == "replaced":
        reasons = ["another question took its place"]
    elif state == "not-kept":
        kept = current.kept
        reasons = [f"chosen, but not among the {kept.n} best" if kept else "chosen, but not kept"]
    else:
        reasons = list(_why_not(screening, duplicates))
    return ChoiceFacts(
        state=state,
        row=row,
        reasons=tuple(reasons),
        certificate=None if certificate is None else _facts(workspace, discipline, certificate),
    )


def exchanges_of(workspace: Workspace, discipline: str, question_id: str) -> tuple[Exchange, ...]:
    """Every replacement in which the question left or joined, in the order of the log."""
    log = Journal(workspace.replacements(discipline)).read(Replacement)
    if not log:
        return ()
    done = current_rows(workspace, discipline).applied if workspace.selection(discipline).is_file() else ()
    return tuple(found for step in log for found in _exchanges(step, question_id, step in done))


def _exchanges(step: Replacement, question_id: str, applied: bool) -> Iterator[Exchange]:
    for exchange in step.exchanges:
        leaves, joins = exchange.leaves, exchange.row.question_id
        if question_id not in (leaves, joins):
            continue
        yield Exchange(
            role="left" if question_id == leaves else "joined",
            other=joins if question_id == leaves else leaves,
            why=step.why,
            detail=step.detail,
            topic=step.topic,
            shared_points=step.shared_points,
            similarity=step.similarity,
            place=step.place,
            step=step.step,
            applied=applied,
        )


def _state(
    workspace: Workspace, discipline: str, question_id: str, current: CurrentSelection
) -> tuple[ChoiceState, SelectionRow | None]:
    for row in current.rows:
        if row.question_id == question_id:
            return "chosen", row
    dev = find_record(workspace.dev_selection(discipline), SelectionRow, "question_id", question_id)
    if dev is not None:
        return "few-shot", dev
    if current.kept is not None:
        for row in current_rows(workspace, discipline, kept=False).rows:
            if row.question_id == question_id:
                return "not-kept", row
    if any(exchange.leaves == question_id for step in current.applied for exchange in step.exchanges):
        return "replaced", _former(workspace, discipline, question_id, current)
    return "not-chosen", None


def _former(
    workspace: Workspace, discipline: str, question_id: str, current: CurrentSelection
) -> SelectionRow | None:
    """The row that a replaced question had: in the selection, or where it had itself joined later."""
    joined = [
        exchange.row
        for step in current.applied
        for exchange in step.exchanges
        if exchange.row.question_id == question_id
    ]
    first = find_record(workspace.selection(discipline), SelectionRow, "question_id", question_id)
    return joined[-1] if joined else first


def _why_chosen(row: SelectionRow, current: CurrentSelection) -> Iterator[str]:
    covered = Counter(point for other in current.rows for point in other.points)
    yield f"rank {row.rank} among {len(current.rows)} chosen of {row.discipline}"
    for point in row.points:
        others = covered[point] - 1
        if others == 0:
            yield f"the only chosen question for the knowledge point {point}"
        else:
            yield f"covers the knowledge point {point} (chosen questions that do so too: {others})"
    mates = sum(other.cluster == row.cluster for other in current.rows) - 1
    yield f"centrality {row.centrality:.2f} in cluster {row.cluster}, others chosen from it: {mates}"
    yield f"fills level {row.difficulty} of {row.subject}"
    if current.kept is not None and row.question_id in current.kept.ratings:
        yield f"kept among the {current.kept.n} best with the rating {current.kept.ratings[row.question_id]:g}"


def _review_says(workspace: Workspace, discipline: str, question_id: str) -> Iterator[str]:
    path = reviewed_certificate_path(workspace, discipline)
    if not path.is_file():
        return
    reviewed = read_json(path, ReviewedCertificate)
    for turned in reviewed.turned:
        if turned.question_id == question_id:
            yield f"may not stay: {turned.reason} {turned.detail}".rstrip()
    if question_id in reviewed.to_be_mended:
        yield "reviewers want it mended first"
    for rule in reviewed.broken:
        if any(exchange.leaves == question_id for exchange in rule.mended_by):
            yield f"could leave to mend the rule {rule.rule}"


def _why_not(screening: ScreenRow | None, duplicates: DuplicateFacts | None) -> Iterator[str]:
    if screening is not None and not screening.kept:
        codes = [finding.code for finding in screening.findings if finding.severity == "reject"]
        yield f"turned away by screening: {', '.join(codes)}"
    elif duplicates is not None and not duplicates.row.keep:
        if duplicates.row.group is not None:
            yield f"repeats {duplicates.row.group} (rule {duplicates.row.rule or 'none'})"
        else:
            yield f"repeats another set: {', '.join(duplicates.row.overlap)}"
    else:
        yield "offered, but other questions serve the rules better (see the certificate)"


def _certificate(workspace: Workspace, discipline: str) -> Certificate | None:
    path = workspace.certificate(discipline)
    return read_json(path, Certificate) if path.is_file() else None


def _facts(workspace: Workspace, discipline: str, certificate: Certificate) -> CertificateFacts:
    return CertificateFacts(
        path=workspace.relative(workspace.certificate(discipline)),
        status=certificate.status,
        n=certificate.n,
        pool_size=certificate.pool_size,
        gap=certificate.gap,
        points_covered=certificate.points_covered,
        points_total=certificate.points_total,
    )
