"""Reviews as a release publishes them: who agreed with whom on what, under pseudonyms of this release.

Values of closed fields are published as they are. Of texts, lists of texts and objects only numbers are: equal values
have one number, so agreement can be counted and no wording, unpublished question or withheld answer is told. A verdict
on a model's response to a question whose answer is withheld would tell whether the response is right: it is numbered
within its item, and the item is not named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from pydantic import JsonValue

from benchwright.curation.release.audit_records import (
    AgreementLine,
    Answer,
    AnswersLine,
    EffortLine,
    KeptLine,
    KnownLine,
    ReviewLine,
    VerdictLine,
)
from benchwright.schemas.digest import canonical_json, sha256_bytes
from benchwright.schemas.jobs import JOBS, FieldKind, JobField, Review, Verdict
from benchwright.schemas.journal import iter_jsonl, read_jsonl
from benchwright.schemas.review_figures import (
    FieldAgreement,
    ItemAnswers,
    JobEvidence,
    JobFigures,
    Measured,
    Said,
    read_evidence,
    read_figures,
)
from benchwright.schemas.workspace import Workspace

_Line = ReviewLine | AnswersLine | VerdictLine | KeptLine
_L = TypeVar("_L", ReviewLine, AnswersLine, VerdictLine, KeptLine)
_Name = tuple[str, str, str | None]
"""Job, item, language."""
_CLOSED = frozenset({FieldKind.CHOICE, FieldKind.INTEGER, FieldKind.BOOLEAN})
_ABOUT_RESPONSES = "RUN/ROW"


@dataclass(frozen=True)
class PublishedReviews:
    """Everything about reviews below `audit/`."""

    reviews: tuple[ReviewLine, ...]
    answers: tuple[AnswersLine, ...]
    verdicts: tuple[VerdictLine, ...]
    agreement: tuple[AgreementLine, ...]
    kept: tuple[KeptLine, ...]
    known: tuple[KnownLine, ...]
    effort: tuple[EffortLine, ...]


def published_reviews(workspace: Workspace, tag: str, answered: Collection[str] | None) -> PublishedReviews:
    """All reviews that have a report, and all verdicts.

    Args:
        workspace: figures and evidence of `annotate report`, and the verdicts.
        tag: of the release: pseudonyms are given anew in each.
        answered: ids of the rows that are published with their answers; None where no answers are withheld.

    Raises:
        UsageError: a report is older than its reviews.
    """
    figures = read_figures(workspace)
    evidence = [read_evidence(workspace, one) for one in figures]
    verdicts = [
        verdict
        for job in JOBS
        if workspace.verdicts(job).is_file()
        for verdict in read_jsonl(workspace.verdicts(job), Verdict)
    ]
    coder = _Coder(_shown(workspace, evidence, verdicts), _reviewers(tag, evidence, verdicts), answered)
    reviews = [line for one in evidence for line in coder.reviews(one)]
    answers = [line for one in evidence for measured in one.measures for line in coder.answers(one, measured)]
    said = [coder.verdict(verdict) for verdict in verdicts]
    kept = [line for one in evidence for line in coder.kept(one)]
    names = _names([*reviews, *answers, *said, *kept], coder)
    return PublishedReviews(
        reviews=tuple(sorted(_named(reviews, names), key=canonical_json)),
        answers=tuple(_behind(answers, names)),
        verdicts=tuple(sorted(_named(said, names), key=canonical_json)),
        agreement=tuple(_agreement(figures, evidence, {job for job, _ in names})),
        kept=tuple(sorted(_named(kept, names), key=canonical_json)),
        known=tuple(
            KnownLine(job=one.job, right=count.right, answers=count.answers)
            for one in evidence
            for count in one.known
        ),
        effort=tuple(
            EffortLine(job=one.job, median_seconds=one.median_seconds)
            for one in figures
            if one.median_seconds is not None
        ),
    )


def release_pseudonyms(tag: str, pseudonyms: Iterable[str]) -> dict[str, str]:
    """Pseudonym of the workspace -> that of one release, `R01`, `R02`, ...

    Their order is that of a digest of tag and pseudonym. Names of accounts never enter it, so nothing leads back to
    them but the workspace's private list.
    """
    ranked = sorted(set(pseudonyms), key=lambda name: sha256_bytes(f"{tag}\n{name}".encode()))
    return {name: f"R{place:02d}" for place, name in enumerate(ranked, start=1)}


def _reviewers(tag: str, evidence: Sequence[JobEvidence], verdicts: Sequence[Verdict]) -> dict[str, str]:
    named = {made.pseudonym for one in evidence for made in one.reviews}
    return release_pseudonyms(tag, named.union(*(verdict.by for verdict in verdicts)))


def _shown(
    workspace: Workspace, evidence: Sequence[JobEvidence], verdicts: Sequence[Verdict]
) -> dict[_Name, list[str]]:
    """The digests of what was shown in the order of the journals.

    No digest is told, and neither is which is the greater: a guessed answer could be tried against both.
    """
    found: dict[_Name, set[str]] = defaultdict(set)
    for one in evidence:
        for made in one.reviews:
            found[one.job, made.item_id, made.language].add(made.digest)
    for verdict in verdicts:
        found[verdict.job, verdict.item_id, verdict.language].add(verdict.digest)
    several = {name[0] for name, digests in found.items() if len(digests) > 1}
    first: dict[tuple[_Name, str], int] = {}
    for job in sorted(several):
        for seen in iter_jsonl(workspace.reviews(job), Review):
            first.setdefault(((job, seen.item_id, seen.language), seen.digest), len(first))
    return {
        name: sorted(sorted(digests), key=lambda digest: first.get((name, digest), len(first)))
        for name, digests in found.items()
    }


def _names(lines: Iterable[_Line], coder: _Coder) -> dict[tuple[str, str], str]:
    """Job and item of which nothing may be told but what people said -> by what they go in the release.

    That people sought the error in a response says that it is wrong, so not even the row may be named. The numbers
    follow what stands in the lines: neither they nor the order of the files depends on which row it is.
    """
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for line in lines:
        if coder.hides(line.job, line.item):
            found[line.job, line.item].append(canonical_json(line.model_copy(update={"item": ""})))
    ranked = sorted(found, key=lambda name: (name[0], sorted(found[name])))
    return {name: f"withheld-{place:04d}" for place, name in enumerate(ranked, start=1)}


def _named(lines: Iterable[_L], names: Mapping[tuple[str, str], str]) -> list[_L]:
    """The lines by the names under which their items are published."""
    return [
        line.model_copy(update={"item": names[line.job, line.item]})
        if (line.job, line.item) in names
        else line
        for line in lines
    ]


def _behind(lines: Sequence[AnswersLine], names: Mapping[tuple[str, str], str]) -> Iterator[AnswersLine]:
    """The lines of each measure, those of hidden items last: among the others their place would tell the row."""
    groups: dict[tuple[str, str], list[AnswersLine]] = defaultdict(list)
    for line in lines:
        groups[line.job, line.measure].append(line)
    for group in groups.values():
        yield from (line for line in group if (line.job, line.item) not in names)
        hidden = [line for line in group if (line.job, line.item) in names]
        yield from sorted(_named(hidden, names), key=canonical_json)


def _agreement(
    figures: Sequence[JobFigures], evidence: Sequence[JobEvidence], jobs: Collection[str]
) -> Iterable[AgreementLine]:
    """Args: jobs: those with hidden items; an interval of theirs would tell, by trial, at which place these stand."""
    for one, behind in zip(figures, evidence, strict=True):
        for counted in one.fields:
            told = _without_intervals(counted) if one.job in jobs else counted
            yield AgreementLine(job=one.job, seed=behind.seed, figures=told)


def _without_intervals(counted: FieldAgreement) -> FieldAgreement:
    bare = {"low": None, "high": None}
    values = {"percent": counted.percent, "kappa": counted.kappa, "alpha": counted.alpha}
    return counted.model_copy(
        update={
            name: None if interval is None else interval.model_copy(update=bare)
            for name, interval in values.items()
        }
    )


@dataclass
class _Coder:
    """Turns what the workspace holds into what is published."""

    shown: Mapping[_Name, Sequence[str]]
    reviewers: Mapping[str, str]
    answered: Collection[str] | None
    images: dict[str, int] = field(default_factory=dict)

    def number(self, job: str, item: str, language: str | None, digest: str) -> int:
        """Which of the contents of an item was shown, 1-based."""
        return self.shown[job, item, language].index(digest) + 1

    def hides(self, job: str, item: str) -> bool:
        """Whether an item is a response to a question that is not published with its answer."""
        if self.answered is None or JOBS[job].item != _ABOUT_RESPONSES:
            return False
        return item.partition("/")[2] not in self.answered

    def kept(self, evidence: JobEvidence) -> Iterable[KeptLine]:
        """One line for each field and item whose proposals people saw."""
        for count in evidence.kept:
            yield KeptLine(
                job=evidence.job,
                field=count.field,
                item=count.item_id,
                language=count.language,
                kept=count.kept,
                answers=count.answers,
            )

    def reviews(self, evidence: JobEvidence) -> Iterable[ReviewLine]:
        """One line for each annotation."""
        for made in evidence.reviews:
            yield ReviewLine(
                job=evidence.job,
                item=made.item_id,
                language=made.language,
                shown=self.number(evidence.job, made.item_id, made.language, made.digest),
                reviewer=self.reviewers[made.pseudonym],
                slot=made.slot,
                state=made.state,
                undecided=made.undecided,
            )

    def answers(self, evidence: JobEvidence, measured: Measured) -> Iterable[AnswersLine]:
        """One line for each item of a measure, in the order in which the bootstrap numbers them."""
        job = JOBS[evidence.job]
        numbers: dict[str, int] = {}
        for item in measured.answers:
            coded = _coding(job.field(measured.field), measured, self.hides(evidence.job, item.item_id))
            yield AnswersLine(
                job=evidence.job,
                measure=measured.name,
                scale=measured.scale,
                item=item.item_id,
                language=item.language,
                shown=self.number(evidence.job, item.item_id, item.language, item.digest),
                coded=coded,
                answers=self._said(item, measured, coded, {} if coded == "number-in-item" else numbers),
            )

    def verdict(self, verdict: Verdict) -> VerdictLine:
        """One verdict; its value only where it is one of a closed list."""
        hidden = self.hides(verdict.job, verdict.item_id)
        return VerdictLine(
            job=verdict.job,
            item=verdict.item_id,
            language=verdict.language,
            shown=self.number(verdict.job, verdict.item_id, verdict.language, verdict.digest),
            field=verdict.field,
            basis=verdict.basis,
            value=None if hidden or not _told(JOBS[verdict.job].field(verdict.field)) else verdict.value,
            by=tuple(sorted(self.reviewers[name] for name in verdict.by)),
        )

    def _said(
        self, item: ItemAnswers, measured: Measured, coded: str, numbers: dict[str, int]
    ) -> tuple[Answer, ...]:
        """Answers by reviewer, slot and unit; numbers are given in that order, which says nothing of the values."""
        units = {name: place for place, name in enumerate(sorted({said.unit for said in item.said}), start=1)}

        def place(said: Said) -> tuple[str, str, int]:
            return self.reviewers[said.pseudonym], said.slot, units[said.unit]

        return tuple(
            (*place(said), said.value if coded == "value" else self._numbered(said.value, measured, numbers))
            for said in sorted(item.said, key=place)
        )

    def _numbered(self, value: JsonValue, measured: Measured, numbers: dict[str, int]) -> JsonValue:
        if measured.scale == "boxes" and isinstance(value, list):
            return [self.images.setdefault(str(value[0]), len(self.images) + 1), *value[1:]]
        if measured.scale == "sets" and isinstance(value, list):
            return [numbers.setdefault(canonical_json(entry), len(numbers) + 1) for entry in value]
        return numbers.setdefault(canonical_json(value), len(numbers) + 1)


def _coding(
    field: JobField, measured: Measured, hidden: bool
) -> Literal["value", "number", "number-in-item"]:
    if hidden or measured.scale is None:
        return "number-in-item"
    return "value" if _told(field) else "number"


def _told(field: JobField) -> bool:
    """Whether a field's values come from a closed list."""
    return field.kind in _CLOSED or (field.kind is FieldKind.MULTI and bool(field.values))
