"""What a release can be refused for: every code with what is wrong and the command that mends it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchwright.schemas.records import Record


class Finding(Record):
    """One reason not to publish."""

    code: str
    sentence: str
    """What is wrong."""
    command: str
    """What mends it: a command, or a place of the recipe and a command."""
    rows: tuple[str, ...]
    """Ids of the rows concerned, sorted."""
    details: tuple[str, ...] = ()
    """What was found, each once, sorted."""


@dataclass(frozen=True)
class Trouble:
    """One row that shows a fault."""

    code: str
    row_id: str
    detail: str = ""


@dataclass(frozen=True)
class Refusal:
    """A fault for which nothing is published."""

    sentence: str
    command: str
    by_words: bool = False
    """It rests on the wording of a text alone, so that a person may waive it (`[release.waived]`)."""


_REVIEW = "annotate push JOB, annotate pull JOB, curate problems; or curate replace"
_RENDER = "render vision-rich and render vision-only"
_SOURCES = "[sources.NAME] in benchwright.toml, then push-dataset --check-only"
_DEDUP = "curate dedup, then curate replace"

REFUSALS: Mapping[str, Refusal] = {
    "no-rows": Refusal("Not one row can be made.", f"curate problems, then {_RENDER}"),
    # --- a stage has not been run since the last edit
    "not-rendered": Refusal(
        "A rendered version has not been made.", f"{_RENDER}, or take the version out of the recipe"
    ),
    "illegible-image": Refusal("A rendered picture failed the legibility gate.", "render check"),
    "unchecked-image": Refusal(
        "The recipe demands a verdict on every rendered picture, and one has none.", "render check"
    ),
    "text-changed": Refusal(
        "A condition found no place on its picture, so the text beside it is not the reviewed one.",
        "annotate push placement, annotate pull placement, curate problems, render vision-rich",
    ),
    "stale-render": Refusal("A rendered picture is older than its problem or style.", _RENDER),
    # --- ids, splits, what every row has to carry
    "duplicate-id": Refusal("Two rows share an id.", "curate problems"),
    "split-overlap": Refusal("A problem stands in two splits.", "curate problems"),
    "no-canary": Refusal(
        "A row lacks the canary.", "canary under [release] in benchwright.toml, then push-dataset --check-only"
    ),
    "no-source": Refusal(
        "A row does not say where its problem comes from.",
        "source under [ingest.constants] in benchwright.toml, then curate ingest and curate problems",
    ),
    "answer-not-withheld": Refusal(
        "A row of a split whose answers are withheld carries its answer, unit or solution.",
        "push-dataset --build-only",
    ),
    # --- licences
    "no-licence": Refusal(
        "A source has no licence.",
        "license under [sources.NAME] in benchwright.toml, then curate ingest, curate cluster, curate problems",
    ),
    "not-redistributable": Refusal("A source does not say that it may be published again.", _SOURCES),
    "not-adaptable": Refusal(
        "A source does not say that it may be changed, and a row of it is translated, converted or drawn.", _SOURCES
    ),
    "licence-conflict": Refusal(
        "The release's licence grants what a source does not.",
        'license = "other" under [release] in benchwright.toml, then push-dataset --check-only',
    ),
    # --- options and answers
    "no-options": Refusal("A multiple-choice row has fewer than two options.", _REVIEW),
    "empty-option": Refusal("An option has neither text nor picture.", _REVIEW),
    "label-repeated": Refusal("Two options of one row share a label.", _REVIEW),
    "labels-not-consecutive": Refusal("Option labels are not A, B, C … (or a, b, c …, or 1, 2, 3 …).", _REVIEW),
    "option-repeated": Refusal("Two options of one row say the same.", _REVIEW),
    "answer-not-an-option": Refusal("The answer is not among the row's option labels.", _REVIEW),
    "no-answer": Refusal("A row's answer is empty.", _REVIEW),
    "key-not-scored": Refusal("The scorer does not call the key itself right.", _REVIEW),
    "versions-answer-differs": Refusal(
        "Versions of one problem that ask the same have different answers.", "curate problems"
    ),
    # --- what a model is sent
    "no-text": Refusal("A row that should say its question in text has none.", _REVIEW),
    "no-picture": Refusal("A rendered version has no picture.", _RENDER),
    "vision-only-text": Refusal("A vision-only row has text beside its picture.", "render vision-only"),
    "options-not-asked": Refusal("The text that is sent lacks an option that the row lists.", "curate problems"),
    "key-in-text": Refusal("The text that is sent names the right answer.", _REVIEW, by_words=True),
    "key-in-metadata": Refusal("The render note of a row holds its answer.", _RENDER),
    "figure-missing": Refusal(
        "A text points at a figure, and the row has no picture.", _REVIEW, by_words=True
    ),
    "placeholder-unfilled": Refusal(
        "A text has numbered places for pictures, and the row has fewer pictures.", _REVIEW, by_words=True
    ),
    # --- pictures
    "image-missing": Refusal("A picture that a row names is not there.", f"curate ingest, or {_RENDER}"),
    "image-changed": Refusal("A picture's bytes are not the reviewed ones.", f"curate ingest, or {_RENDER}"),
    "image-undecodable": Refusal("A picture cannot be decoded.", f"curate ingest, or {_RENDER}"),
    "image-metadata": Refusal(
        "A picture carries words beside its pixels (EXIF, a comment, a text chunk).", f"curate ingest, or {_RENDER}"
    ),
    # --- languages
    "languages-options-differ": Refusal("Two languages of one row have different options.", _REVIEW),
    "languages-key-differs": Refusal("Two languages of one row have different answers.", _REVIEW),
    "languages-numbers-differ": Refusal(
        "A number in one language of a question is missing in another.", _REVIEW, by_words=True
    ),
    "languages-units-differ": Refusal("Two languages of one row have different units.", _REVIEW, by_words=True),
    # --- repeats
    "duplicate-problems": Refusal("Two problems are one and the same question.", _DEDUP),
    "duplicate-across-splits": Refusal("One question stands in two splits as two problems.", _DEDUP),
    # --- people
    "e-mail-address": Refusal("A text holds an e-mail address.", _REVIEW, by_words=True),
    "phone-number": Refusal("A text holds a telephone number.", _REVIEW, by_words=True),
    "messenger-account": Refusal("A text holds an account of a messenger.", _REVIEW, by_words=True),
    "account-name": Refusal("A text holds the account name of somebody who reviewed.", _REVIEW),
    "withheld-answer-found": Refusal(
        "A published file holds an answer that is withheld.", "push-dataset --build-only"
    ),
}  # fmt: skip


def gathered(
    troubles: Iterable[Trouble],
    waived: Mapping[str, Iterable[str]] | None = None,
    refusals: Mapping[str, Refusal] = REFUSALS,
) -> tuple[Finding, ...]:
    """One finding a code, in the order of `refusals`.

    Args:
        troubles: what was found, row by row.
        waived: by code, rows that a person has looked at; counts for codes that rest on words alone.
        refusals: what stands against publishing, by code.
    """
    looked_at = {code: frozenset(ids) for code, ids in (waived or {}).items() if refusals[code].by_words}
    rows: dict[str, set[str]] = defaultdict(set)
    details: dict[str, set[str]] = defaultdict(set)
    for trouble in troubles:
        if trouble.row_id not in looked_at.get(trouble.code, ()):
            rows[trouble.code].add(trouble.row_id)
            if trouble.detail:
                details[trouble.code].add(trouble.detail)
    return tuple(
        Finding(
            code=code,
            sentence=refusal.sentence,
            command=refusal.command,
            rows=tuple(sorted(rows[code])),
            details=tuple(sorted(details[code])),
        )
        for code, refusal in refusals.items()
        if code in rows
    )
