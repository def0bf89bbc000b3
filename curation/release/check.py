"""The refusal list: what a release must not have. Every finding has a code, a sentence and the rows concerned.

Each check answers a complaint that users of published benchmarks really made: answers that are no option, options
missing or mislabelled, pictures lost, one problem in two splits. Nothing is published while a finding stands.
"""

from __future__ import annotations

import string
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from benchwright.curation.release.rows import STAGE, ReleaseContent, ReleaseImages
from benchwright.schemas.errors import ImageRejected, TamperedError
from benchwright.schemas.images import open_published
from benchwright.schemas.records import Option, QuestionType, Record, Rejected, ReleaseRow
from benchwright.schemas.versions import VERSIONS, Version

_CHOICE_TYPES = frozenset({QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_SELECT})
_UNKNOWN_LICENCES = frozenset({"", "unknown", "none", "?"})


class Finding(Record):
    """One reason not to publish."""

    code: str
    sentence: str
    """What is wrong and how to mend it."""
    rows: tuple[str, ...]
    """Ids of the rows concerned, sorted."""


def check_release(content: ReleaseContent, choices_in_image: bool = True) -> tuple[Finding, ...]:
    """Run every check; an empty result means that the release may be built.

    Args:
        content: rows and pictures as they would be published.
        choices_in_image: the recipe's `render.choices` is `image`, so vision-only rows have no text at all.
    """
    if not content.rows:
        return (
            Finding(
                code="no-rows",
                sentence="Not one row can be made; see the reasons, then run `curate problems` and `render`.",
                rows=(),
            ),
        )
    findings = [
        Finding(code=c, sentence=s, rows=r) for c, s, check in _CHECKS if (r := _rows(check, content.rows))
    ]
    if choices_in_image and (ids := _rows(_vision_only_text, content.rows)):
        findings.append(
            Finding(
                code="vision-only-text",
                sentence="A vision-only row has text beside its picture; run `render vision-only` again.",
                rows=ids,
            )
        )
    return (*findings, *_image_findings(content))


def unfinished(content: ReleaseContent) -> tuple[Finding, ...]:
    """Rows that are missing only because a stage has not been run since the last edit: no reason to leave them out."""
    return tuple(
        Finding(code=code, sentence=sentence, rows=ids)
        for code, sentence in _UNFINISHED.items()
        if (ids := tuple(sorted(item.item_id for item in content.rejected if item.reason == code)))
    )


def without_failing(content: ReleaseContent, findings: Sequence[Finding]) -> ReleaseContent:
    """The content without the rows that findings name; each becomes a `Rejected` with the finding's code."""
    first: dict[str, Finding] = {}
    for finding in findings:
        for name in finding.rows:
            first.setdefault(name, finding)
    dropped = tuple(
        Rejected(item_id=row.id, stage=STAGE, reason=why.code, detail=why.sentence, source=row.source)
        for row in content.rows
        if (why := first.get(row.id)) is not None
    )
    kept = tuple(row for row in content.rows if row.id not in first)
    return replace(content, rows=kept, rejected=(*content.rejected, *dropped))


def _rows(
    check: Callable[[Sequence[ReleaseRow]], Iterator[str]], rows: Sequence[ReleaseRow]
) -> tuple[str, ...]:
    return tuple(sorted(set(check(rows))))


def _duplicate_ids(rows: Sequence[ReleaseRow]) -> Iterator[str]:
    yield from (name for name, count in Counter(row.id for row in rows).items() if count > 1)


def _split_overlap(rows: Sequence[ReleaseRow]) -> Iterator[str]:
    splits: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        splits[row.problem_id].add(row.split.value)
    yield from (row.id for row in rows if len(splits[row.problem_id]) > 1)


def _no_canary(rows: Sequence[ReleaseRow]) -> Iterator[str]:
    yield from (row.id for row in rows if not row.canary.strip() or row.canary != rows[0].canary)


def _no_licence(rows: Sequence[ReleaseRow]) -> Iterator[str]:
    yield from (row.id for row in rows if row.source_license.strip().lower() in _UNKNOWN_LICENCES)


def _no_source(rows: Sequence[ReleaseRow]) -> Iterator[str]:
    yield from (row.id for row in rows if not row.source.strip())


def _no_options(rows: Sequence[ReleaseRow]) -> Iterator[str]:
    yield from (row.id for row in rows if row.question_type in _CHOICE_TYPES and len(row.options) < 2)


def _empty_option(rows: Sequence[ReleaseRow]) -> Iterator[str]:
    for row in rows:
        empty = [_is_empty(option) for option in row.options]
        # Labels alone are right where all options stand in the question's own picture, as some sources print them.
        if any(empty) and not (all(empty) and row.images):
            yield row.id


def _is_empty(option: Option) -> bool:
    return not (option.text or "").strip() and option.image_sha256 is None


def _repeated_label(rows: Sequence[ReleaseRow]) -> Iterator[str]:
    for row in rows:
        if len({option.label for option in row.options}) < len(row.options):
            yield row.id


def _labels_out_of_order(rows: Sequence[ReleaseRow]) -> Iterator[str]:
    for row in rows:
        labels = [option.label for option in row.options]
        count = len(labels)
        expected = (
            list(string.ascii_uppercase[:count]),
            list(string.ascii_lowercase[:count]),
            [str(number) for number in range(1, count + 1)],
        )
        if labels not in expected:
            yield row.id


def _repeated_option(rows: Sequence[ReleaseRow]) -> Iterator[str]:
    for row in rows:
        said = [((o.text or "").strip(), o.image_sha256) for o in row.options if not _is_empty(o)]
        if len(set(said)) < len(said):
            yield row.id


def _answer_not_an_option(rows: Sequence[ReleaseRow]) -> Iterator[str]:
    for row in rows:
        if row.answer is None or row.question_type not in _CHOICE_TYPES:
            continue
        labels = {option.label for option in row.options}
        given = [row.answer] if row.question_type is QuestionType.SINGLE_CHOICE else list(row.answer)
        if not given or not set(given) <= labels or len(set(given)) < len(given):
            yield row.id


def _no_answer(rows: Sequence[ReleaseRow]) -> Iterator[str]:
    yield from (row.id for row in rows if row.answer is not None and not row.answer.strip())


def _no_text(rows: Sequence[ReleaseRow]) -> Iterator[str]:
    for row in rows:
        silent = VERSIONS[Version(row.version)].text and not row.question.strip()
        if silent or not row.full_question.strip():
            yield row.id


def _no_picture(rows: Sequence[ReleaseRow]) -> Iterator[str]:
    yield from (row.id for row in rows if VERSIONS[Version(row.version)].rendered and not row.images)


def _vision_only_text(rows: Sequence[ReleaseRow]) -> Iterator[str]:
    yield from (row.id for row in rows if row.version == Version.VISION_ONLY and row.question)


_CHECKS: tuple[tuple[str, str, Callable[[Sequence[ReleaseRow]], Iterator[str]]], ...] = (
    (
        "duplicate-id",
        "Two rows share an id; problem ids must differ: run `curate problems` again.",
        _duplicate_ids,
    ),
    ("split-overlap", "A problem stands in two splits; run `curate problems` again.", _split_overlap),
    ("no-canary", "A row lacks the canary; set `canary` under [release] in the recipe.", _no_canary),
    (
        "no-licence",
        "A source has no licence; name it under [sources.NAME] in the recipe and run `curate problems` again.",
        _no_licence,
    ),
    (
        "no-source",
        "A row does not say where its problem comes from; map `source` under [ingest].",
        _no_source,
    ),
    (
        "no-options",
        "A multiple-choice row has fewer than two options; correct the problem in review.",
        _no_options,
    ),
    ("empty-option", "An option has neither text nor picture; correct the problem in review.", _empty_option),
    (
        "label-repeated",
        "Two options of one row share a label; correct the problem in review.",
        _repeated_label,
    ),
    (
        "labels-not-consecutive",
        "Option labels are not A, B, C … (or a, b, c …, or 1, 2, 3 …); correct the problem in review.",
        _labels_out_of_order,
    ),
    (
        "option-repeated",
        "Two options of one row say the same; correct the problem in review.",
        _repeated_option,
    ),
    (
        "answer-not-an-option",
        "The answer is not among the row's option labels; correct the problem in review.",
        _answer_not_an_option,
    ),
    ("no-answer", "A row's answer is empty; correct the problem in review.", _no_answer),
    (
        "no-text",
        "A row that should say its question in text has none; correct the problem in review.",
        _no_text,
    ),
    ("no-picture", "A rendered version has no picture; run `render` again.", _no_picture),
)


_UNFINISHED = {
    "not-rendered": "A rendered version has not been made; run `render vision-rich` and `render vision-only`, or take "
    "the version out of the recipe.",
    "illegible-image": "A rendered picture failed the legibility gate; `render check` says why.",
    "unchecked-image": "The recipe demands a verdict on every rendered picture; run `render check`.",
    "text-changed": "A condition found no place on its picture, so the text beside it is not the reviewed one; show "
    "fewer conditions on the diagram, or place them, in review of the decomposition.",
    "stale-render": "A rendered picture is older than its problem or style; run `render` again.",
}


def _image_findings(content: ReleaseContent) -> Iterator[Finding]:
    users: dict[str, set[str]] = defaultdict(set)
    for row in content.rows:
        for sha256 in (*row.images, *(option.image_sha256 for option in row.options)):
            if sha256 is not None:
                users[sha256].add(row.id)
    troubles: dict[str, set[str]] = defaultdict(set)
    for sha256, ids in users.items():
        if (code := _image_trouble(sha256, content.images)) is not None:
            troubles[code] |= ids
    for code, sentence in _IMAGE_SENTENCES.items():
        if code in troubles:
            yield Finding(code=code, sentence=sentence, rows=tuple(sorted(troubles[code])))


def _image_trouble(sha256: str, images: ReleaseImages) -> str | None:
    try:
        open_published(images(sha256)).close()
    except (KeyError, FileNotFoundError):
        return "image-missing"
    except TamperedError:
        return "image-changed"
    except ImageRejected:
        return "image-undecodable"
    return None


_IMAGE_SENTENCES = {
    "image-missing": "A picture that a row names is not there; run `curate ingest` or `render` again.",
    "image-changed": "A picture's bytes are not the reviewed ones; run `curate ingest` or `render` again.",
    "image-undecodable": "A picture cannot be decoded; run `curate ingest` or `render` again.",
}
