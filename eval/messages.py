"""Row -> request: the protocol's instruction, the row's question, its images as published, and nothing else.

Both papers' direct setting: the instruction asks for the final answer alone (SciVerse, section 3.1, "Acc"). It is in
the language of the data. A vision-only row has an empty question, so its request carries no word of question or
options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright.eval.spec import PromptRef
from benchwright.models.chat import ChatRequest, Hints, Message, Sampling
from benchwright.models.prompts import Prompt, load_prompt
from benchwright.schemas.records import ReleaseRow

PACKAGE = "benchwright.eval"
DIRECT_VERSION = "1"
JUDGE_VERSION = "1"


def direct_prompt(language: str) -> Prompt:
    """The instruction of the direct protocol in a language of the data.

    Raises:
        UsageError: there is no such prompt in that language.
    """
    return load_prompt(PACKAGE, "direct", language, DIRECT_VERSION)


def prompt_ref(prompt: Prompt) -> PromptRef:
    """Name and digest of a prompt, for the run's specification."""
    return PromptRef(name=f"{prompt.name}.{prompt.language}.{prompt.version}", sha256=prompt.sha256)


def prompt_refs(languages: Sequence[str]) -> tuple[PromptRef, ...]:
    """The instructions that a run over these languages sends."""
    return tuple(prompt_ref(direct_prompt(language)) for language in sorted(set(languages)))


def request_for(
    row: ReleaseRow, images: Mapping[str, bytes], sampling: Sampling, sample_index: int = 0
) -> ChatRequest:
    """The request for one row.

    Args:
        row: the released row; only `question`, `images` and `language` of it are sent.
        images: published bytes by sha256; they travel unchanged, in the row's order.
        sampling: settings of the run.
        sample_index: counts repeated answers to one row.
    """
    text = "\n\n".join(part for part in (direct_prompt(row.language).text, row.question) if part)
    return ChatRequest(
        item_id=row.id,
        messages=(Message.user(text, *(images[sha256] for sha256 in row.images)),),
        sampling=sampling,
        sample_index=sample_index,
        hints=Hints(question_type=row.question_type, options=tuple(option.label for option in row.options)),
    )
