"""Reviews as a release publishes them: who agreed with whom on what, under pseudonyms of this release.

Values of closed fields are published as they are. Of texts, lists of texts and objects only numbers are: equal values
have one number, so agreement can be counted and no wording, unpublished question or withheld answer is told. A verdict
on a model's response to a question whose answer is withheld would tell whether the response is right: it is numbered
within its item, and the item is not named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

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
from benchwright.schemas.jobs import JOBS, FieldKind, JobField, Verdict
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.review_figures import (
    ItemAnswers,
    JobEvidence,
    JobFigures,
    Measured,
    Said,
    read_evidence,
    read_figures,
)
from benchwright.schemas.workspace import Workspace

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


def published_reviews(workspace: Workspace, tag: str, withheld: Collection[str]) -> PublishedReviews:
    """All reviews that have a report, and all verdicts.

    Args:
        workspace: figures and evidence of `annotate report`, and the verdicts.
        tag: of the release: its pseudonyms differ from those of another one.
        withheld: ids of rows whose answers are withheld.

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
    shown = _shown(evidence, verdicts)
    coder = _Coder(shown, _reviewers(tag, evidence, verdicts), _hidden(shown, frozenset(withheld), tag))
    return PublishedReviews(
        reviews=tuple(sorted((line for one in evidence for line in coder.reviews(one)), key=canonical_json)),
        answers=tuple(
            line for one in evidence for measured in one.measures for line in coder.answers(one, measured)
        ),
        verdicts=tuple(sorted(map(coder.verdict, verdicts), key=canonical_json)),
        agreement=tuple(_agreement(figures, evidence)),
        kept=tuple(line for one in evidence for line in coder.kept(one)),
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


def _shown(evidence: Sequence[JobEvidence], verdicts: Sequence[Verdict]) -> dict[_Name, list[str]]:
    """The digests of what was shown, sorted: a digest of question and answer would tell a guessed answer."""
    found: dict[_Name, set[str]] = defaultdict(set)
    for one in evidence:
        for made in one.reviews:
            found[one.job, made.item_id, made.language].add(made.digest)
    for verdict in verdicts:
        found[verdict.job, verdict.item_id, verdict.language].add(verdict.digest)
    return {name: sorted(digests) for name, digests in found.items()}


def _hidden(shown: Iterable[_Name], withheld: Collection[str], tag: str) -> dict[tuple[str, str], str]:
    """Items of responses to questions whose answers are withheld, and by what they go in the release.

    That people sought the error in a response says that it is wrong, so not even the row may be named.
    """
    found = {
        (job, item)
        for job, item, _ in shown
        if JOBS[job].item == _ABOUT_RESPONSES and item.partition("/")[2] in withheld
    }
    ranked = sorted(found, key=lambda name: sha256_bytes(f"{tag}\n{'/'.join(name)}".encode()))
    return {name: f"withheld-{place:04d}" for place, name in enumerate(ranked, start=1)}


def _agreement(figures: Sequence[JobFigures], evidence: Sequence[JobEvidence]) -> Iterable[AgreementLine]:
    for one, behind in zip(figures, evidence, strict=True):
        for counted in one.fields:
            yield AgreementLine(job=one.job, seed=behind.seed, figures=counted)


@dataclass
class _Coder:
    """Turns what the workspace holds into what is published."""

    shown: Mapping[_Name, Sequence[str]]
    reviewers: Mapping[str, str]
    hidden: Mapping[tuple[str, str], str]
    """Job and item of which neither name nor verdict is told -> what stands in place of the name."""
    images: dict[str, int] = field(default_factory=dict)

    def number(self, job: str, item: str, language: str | None, digest: str) -> int:
        """Which of the contents of an item was shown, 1-based."""
        return self.shown[job, item, language].index(digest) + 1

    def item(self, job: str, name: str) -> str:
        """What an item is called in the release."""
        return self.hidden.get((job, name), name)

    def kept(self, evidence: JobEvidence) -> Iterable[KeptLine]:
        """One line for each field and item whose proposals people saw."""
        for count in evidence.kept:
            yield KeptLine(
                job=evidence.job,
                field=count.field,
                item=self.item(evidence.job, count.item_id),
                language=count.language,
                kept=count.kept,
                answers=count.answers,
            )

    def reviews(self, evidence: JobEvidence) -> Iterable[ReviewLine]:
        """One line for each annotation."""
        for made in evidence.reviews:
            yield ReviewLine(
                job=evidence.job,
                item=self.item(evidence.job, made.item_id),
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
            coded = _coding(job.field(measured.field), measured, (evidence.job, item.item_id) in self.hidden)
            yield AnswersLine(
                job=evidence.job,
                measure=measured.name,
                scale=measured.scale,
                item=self.item(evidence.job, item.item_id),
                language=item.language,
                shown=self.number(evidence.job, item.item_id, item.language, item.digest),
                coded=coded,
                answers=self._said(item, measured, coded, {} if coded == "number-in-item" else numbers),
            )

    def verdict(self, verdict: Verdict) -> VerdictLine:
        """One verdict; its value only where it is one of a closed list."""
        hidden = (verdict.job, verdict.item_id) in self.hidden
        return VerdictLine(
            job=verdict.job,
            item=self.item(verdict.job, verdict.item_id),
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
