"""The exceptions of Benchwright.

    BenchwrightError            anything the tool itself decided to say
    ├── UsageError              unusable input: one sentence, exit code 2
    │   ├── RecipeError         benchwright.toml cannot be read or contradicts itself
    │   ├── InfeasibleError     a selection that no subset of the pool can satisfy
    │   └── LockedError         another process is writing the same stage
    ├── ItemError               one item could not be processed; carries a reason code
    │   └── ImageRejected       one image could not be accepted
    ├── TamperedError           an artefact on disk is not what its manifest says
    └── NotDone                 a dry workspace: the stage would have to run

A `UsageError` is shown without a traceback; any other exception that reaches the top is a bug and keeps its own.
"""

from __future__ import annotations


class BenchwrightError(Exception):
    """Base of every error that Benchwright raises on purpose."""


class UsageError(BenchwrightError):
    """Unusable input. The message is one sentence: what is wrong, where, and how to mend it."""


class RecipeError(UsageError):
    """The recipe (`benchwright.toml`) is missing, malformed or contradicts itself."""


class InfeasibleError(UsageError):
    """No selection can satisfy the rules; `conflict` names the rule, e.g. `cover-exceeds-budget`."""

    def __init__(self, message: str, conflict: str) -> None:
        super().__init__(message)
        self.conflict = conflict


class LockedError(UsageError):
    """Another process holds the lock of the stage that was to be written."""


class ItemError(BenchwrightError):
    """One item cannot be processed. `reason` is a stable kebab-case code, `detail` says more in words."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class ImageRejected(ItemError):
    """An image that must not enter the workspace (see `benchwright.schemas.images`)."""


class TamperedError(BenchwrightError):
    """An artefact's bytes differ from the digest that its manifest recorded."""


class NotDone(BenchwrightError):
    """Raised instead of writing by a stage of a dry workspace; `state` is `missing`, `stale` or `tampered`."""

    def __init__(self, stage: str, state: str) -> None:
        super().__init__(f"{stage} is {state}")
        self.state = state
