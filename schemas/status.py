"""Two enums that are never mixed: what happened to a call, and what an answer is worth.

`CallStatus` speaks of transport, `Outcome` of the score; `OUTCOME_OF_STATUS` is the one table between them
(docs/architecture.md, "Statuses and outcomes").
"""

from __future__ import annotations

from enum import StrEnum


class CallStatus(StrEnum):
    """How a model call ended."""

    OK = "ok"
    REFUSED = "refused"
    """HTTP 400 with a content-policy error, or a filled `refusal` field."""
    FILTERED = "filtered"
    """finish_reason content_filter."""
    TRUNCATED = "truncated"
    """finish_reason length."""
    EMPTY = "empty"
    UNPARSABLE = "unparsable"
    """A structured reply (proposal, judge, steps) that could not be parsed; never used for an answer."""
    UNSENDABLE = "unsendable"
    """The request breaks a limit of the endpoint, e.g. an image that is too large."""
    RATE_LIMITED = "rate-limited"
    TIMEOUT = "timeout"
    ERROR = "error"


class Outcome(StrEnum):
    """What one answered (or unanswered) row counts as."""

    CONSISTENT = "consistent"
    INCONSISTENT = "inconsistent"
    NO_ANSWER = "no-answer"
    """The model's own failure to answer: earns nothing, stays in the denominator."""
    UNJUDGED = "unjudged"
    """The judge abstained or failed: leaves the denominator, and the figure is marked incomplete."""
    NOT_RUN = "not-run"
    """Transport failed: leaves the denominator, and the figure is marked incomplete."""


REUSABLE_STATUSES = frozenset({CallStatus.OK, CallStatus.REFUSED, CallStatus.FILTERED, CallStatus.TRUNCATED})
"""Final replies: a stored call with one of these is never sent again."""

OUTCOME_OF_STATUS: dict[CallStatus, Outcome | None] = {
    CallStatus.OK: None,
    CallStatus.TRUNCATED: None,
    CallStatus.REFUSED: Outcome.NO_ANSWER,
    CallStatus.FILTERED: Outcome.NO_ANSWER,
    CallStatus.EMPTY: Outcome.NO_ANSWER,
    CallStatus.UNSENDABLE: Outcome.NOT_RUN,
    CallStatus.RATE_LIMITED: Outcome.NOT_RUN,
    CallStatus.TIMEOUT: Outcome.NOT_RUN,
    CallStatus.ERROR: Outcome.NOT_RUN,
}
"""None: the text decides (a truncated reply that still holds an answer is judged, else it is no-answer).

UNPARSABLE is absent on purpose: it belongs to structured replies, where a judge's becomes `unjudged`.
"""
