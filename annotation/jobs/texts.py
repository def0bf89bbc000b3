"""What the jobs about a problem's texts share: a page for each discipline and language, and the proposals it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from benchwright.annotation.guidelines import Guidelines
from benchwright.annotation.items import Offer, StandingQuestion, standing_questions
from benchwright.annotation.jobs.base import ReviewGroup, ReviewItem
from benchwright.annotation.markup import LANGUAGE_NAMES
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Language
from benchwright.schemas.workspace import Workspace

Pages = Callable[[Language], str]
"""Label Studio's XML for items in a language."""


@dataclass(frozen=True)
class Proposed:
    """The last proposals of a job, by item, language and digest of what was shown, then by field."""

    values: Mapping[tuple[str, Language | None, str], Mapping[str, JsonValue]]

    @classmethod
    def read(cls, workspace: Workspace, job: str) -> Proposed:
        """Read a job's file; one that does not exist proposes nothing."""
        path = workspace.proposals(job)
        found: dict[tuple[str, Language | None, str], dict[str, JsonValue]] = {}
        for said in read_jsonl(path, Proposal) if path.is_file() else []:
            found.setdefault((said.item_id, said.language, said.digest), {})[said.field] = said.value
        return cls(found)

    def of(self, item_id: str, language: Language | None, digest: str) -> Mapping[str, JsonValue]:
        """What is proposed about exactly what is shown."""
        return self.values.get((item_id, language, digest), {})

    def languages(self, item_id: str) -> frozenset[Language | None]:
        """The languages in which anything was proposed about an item, of whatever text."""
        return self._languages.get(item_id, frozenset())

    @cached_property
    def _languages(self) -> dict[str, frozenset[Language | None]]:
        found: dict[str, set[Language | None]] = {}
        for item_id, language, _ in self.values:
            found.setdefault(item_id, set()).add(language)
        return {item_id: frozenset(languages) for item_id, languages in found.items()}


@dataclass(frozen=True)
class TextPages:
    """Makes the groups of a job that is about one language of a problem."""

    job: str
    title: str
    config: Pages
    guidelines: Guidelines
    items: Callable[[StandingQuestion], Iterable[ReviewItem]]
    """The items of a question; each has a language."""

    def groups(self, workspace: Workspace) -> list[ReviewGroup]:
        """One page for each discipline and language, those with nothing to show left out.

        What was lost or waits is told once a discipline, on its first page.
        """
        groups: list[ReviewGroup] = []
        for discipline in workspace.selected_disciplines():
            offer = standing_questions(workspace, discipline, self.job)
            by_language: dict[Language, list[ReviewItem]] = {}
            for found in offer.questions:
                for item in self.items(found):
                    assert item.language is not None, "these jobs are per language"
                    by_language.setdefault(item.language, []).append(item)
            groups += self._pages(discipline, by_language, offer)
        return groups

    def _pages(
        self, discipline: str, by_language: Mapping[Language, Sequence[ReviewItem]], offer: Offer
    ) -> list[ReviewGroup]:
        languages = sorted(by_language)
        if not languages and (offer.rejected or offer.waiting):
            languages = ["en"]  # an empty page, to tell of what is missing
        return [
            ReviewGroup(
                name=f"{discipline}.{language}",
                title=f"{self.title}: {discipline}, {LANGUAGE_NAMES.get(language, language)}",
                config=self.config(language),
                guidelines=self.guidelines,
                items=tuple(by_language.get(language, ())),
                rejected=offer.rejected if first else (),
                waiting=offer.waiting if first else (),
            )
            for first, language in ((place == 0, language) for place, language in enumerate(languages))
        ]


def list_of_texts(value: JsonValue) -> list[str]:
    """The texts of a list; [] for anything else."""
    return [str(entry) for entry in value] if isinstance(value, list) else []
