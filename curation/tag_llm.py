"""The tagging proposer that asks a chat model: one structured reply a question, through scheduler and call store.

A question's text is fenced, so that instructions inside it have no effect. A reply that fails twice is recorded as
rejected; no value is ever put in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from benchwright.curation.ingest_pool import source_ids
from benchwright.curation.ingest_rows import picture_refs
from benchwright.curation.propose import Chosen
from benchwright.models.chat import ChatModel, ChatRequest, Message, Sampling
from benchwright.models.policy import require_allowed
from benchwright.models.prompts import Prompt, fence, load_prompt
from benchwright.models.scheduler import SchedulerSettings
from benchwright.models.store import CallStore
from benchwright.models.structured import Structured, run_structured
from benchwright.schemas.jobs import Proposal, problem_id, shown_digest, tagging_view
from benchwright.schemas.recipe import ModelRecipe
from benchwright.schemas.records import DIFFICULTY_NAMES, Question, Rejected
from benchwright.schemas.taxonomy import Subject
from benchwright.schemas.workspace import Workspace

PROMPT_VERSION = "1"
PROMPT_LANGUAGES = ("en", "zh")
STAGE = "tag"


class TagReply(BaseModel):
    """The form of a reply; further keys are let pass."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    subject: str
    difficulty: Annotated[int, Field(ge=1, le=5)]
    reason: Annotated[str, Field(min_length=1)]


@dataclass(frozen=True)
class LlmTagger:
    """Asks one model for tags.

    Args:
        workspace: holds pictures and the call store.
        model: whom to ask.
        settings: `[models.tagging]` of the recipe, or what stands for it.
    """

    workspace: Workspace
    model: ChatModel
    settings: ModelRecipe

    def propose(
        self,
        chosen: Sequence[Chosen],
        subjects: Sequence[Subject],
        on_item: Callable[[], None] = lambda: None,
    ) -> tuple[list[Proposal], list[Rejected]]:
        """Ask for subject and difficulty of each question.

        Raises:
            UsageError: the model is external and the recipe does not allow it.
        """
        asked, refused = self._allowed(chosen)
        require_allowed(
            self.model,
            allow_external=self.settings.allow_external,
            stage="[models.tagging]",
            what="questions, images and answers",
            n_items=len(asked),
        )
        by_id = {problem_id(item.question.id): item.question for item in asked}
        with CallStore(self.workspace.calls) as store:
            replies = run_structured(
                self.model,
                (self._request(item.question, subjects) for item in asked),
                TagReply,
                store=store,
                settings=SchedulerSettings(concurrency=self.settings.concurrency),
                check=lambda request, reply: _complaint(reply, subjects),
                on_result=lambda request, reply: on_item(),
            )
        proposals: list[Proposal] = []
        for (item_id, question), reply in zip(by_id.items(), replies, strict=True):
            if reply.value is None:
                refused.append(
                    Rejected(
                        item_id=item_id, stage=STAGE, reason=str(reply.status), detail=reply.detail or ""
                    )
                )
            else:
                subject = _known(reply.value.subject, subjects)
                assert subject is not None, "checked by _complaint"
                proposals.extend(self._proposals(question, reply, subject, reply.value.difficulty))
        return proposals, refused

    def _allowed(self, chosen: Sequence[Chosen]) -> tuple[list[Chosen], list[Rejected]]:
        """Leave out questions whose source, or the file they came in, must not reach an external model."""
        names = {name for name, source in self.workspace.recipe.sources.items() if not source.allow_external}
        forbidden = names if self.model.external else set()
        ids = {item_id for name in forbidden for item_id in source_ids(self.workspace, name)}
        kept: list[Chosen] = []
        refused: list[Rejected] = []
        for item in chosen:
            if item.question.source in forbidden or item.question.id in ids:
                detail = f"[sources] does not let {item.question.source} reach an external model"
                refused.append(
                    Rejected(
                        item_id=problem_id(item.question.id),
                        stage=STAGE,
                        reason="source-forbids-external",
                        detail=detail,
                    )
                )
            else:
                kept.append(item)
        return kept, refused

    def _request(self, question: Question, subjects: Sequence[Subject]) -> ChatRequest:
        language = prompt_language(question)
        text = tagging_prompt(language).fill(
            subjects="\n".join(
                f"- {s.id}: {s.name(language)}. {s.descriptions.get(language, s.descriptions['en'])}"
                for s in subjects
            ),
            levels="\n".join(f"- {level}: {name}" for level, name in DIFFICULTY_NAMES.items()),
            grade=fence(question.grade or "-", "grade"),
            chapter=fence(question.chapter or "-", "chapter"),
            question=fence(_question_text(question), "question"),
        )
        pictures = [
            self.workspace.read_image(ref.sha256)
            for ref in picture_refs({"": question.text}, question.images)
        ]
        return ChatRequest(
            item_id=problem_id(question.id),
            messages=(Message.user(text, *pictures),),
            sampling=Sampling(temperature=self.settings.temperature, max_tokens=self.settings.max_tokens),
        )

    def _proposals(
        self, question: Question, reply: Structured[TagReply], subject: str, difficulty: int
    ) -> list[Proposal]:
        values: dict[str, str | int] = {"difficulty": difficulty, "subject": subject}
        return [
            Proposal(
                job="tagging",
                item_id=problem_id(question.id),
                field=field,
                digest=shown_digest(tagging_view(question)),
                value=proposed,
                confidence=None,
                model=self.model.name,
                prompt_hash=tagging_prompt(prompt_language(question)).sha256,
                call_id=reply.calls[-1].key,
            )
            for field, proposed in values.items()
        ]


def tagging_prompt(language: str) -> Prompt:
    """The prompt in one language."""
    return load_prompt("benchwright.curation", "tagging", language, PROMPT_VERSION)


def prompt_language(question: Question) -> str:
    """The language in which a question is asked about: its own where there is a prompt, else English."""
    return question.language if question.language in PROMPT_LANGUAGES else "en"


def _question_text(question: Question) -> str:
    text = question.text
    options = [f"{choice.label}. {choice.text or ''}".rstrip() for choice in text.choices]
    return "\n".join([text.question, *options, f"[answer] {text.answer}"])


def _known(answer: str, subjects: Sequence[Subject]) -> str | None:
    """The subject that a reply means: by id, or by its name in any language."""
    word = answer.strip().casefold()
    for subject in subjects:
        if word in {subject.id, *(name.casefold() for name in subject.names.values())}:
            return subject.id
    return None


def _complaint(reply: TagReply, subjects: Sequence[Subject]) -> str | None:
    if _known(reply.subject, subjects) is not None:
        return None
    return f"subject must be one of {', '.join(subject.id for subject in subjects)}"
