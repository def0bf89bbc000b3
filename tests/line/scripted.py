"""What a scripted model replies to each proposer about questions whose texts, options and splits are known beforehand.

The tests of this folder load the file by its path; the server of `tests/servers` plays the replies over real HTTP.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchwright.cli.main import benchwright, run_command
from benchwright.curation.proposers import decomposition, multiple_choice, translation
from benchwright.curation.proposers.decomposition_checks import check
from benchwright.curation.proposers.decomposition_rules import decompose
from benchwright.curation.proposers.multiple_choice_embedded import RuleConverter
from benchwright.curation.proposers.multiple_choice_plan import ChoiceSettings
from benchwright.curation.proposers.multiple_choice_rules import distractors
from benchwright.curation.proposers.multiple_choice_values import option_of
from benchwright.curation.proposers.tagging import tagging_prompt
from benchwright.curation.proposers.unit import Item
from benchwright.schemas.digest import digest_of, sha256_file
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import (
    Decomposition,
    ImageRef,
    KnowledgeCue,
    KnowledgeDetail,
    LocalizedText,
    Question,
    ReleaseRow,
    Show,
)
from benchwright.schemas.release_table import read_release, resolve_release
from benchwright.schemas.taxonomy import load_taxonomy
from benchwright.schemas.workspace import Workspace

Rule = dict[str, Any]
MODEL = """
[models.default]
model = "openai/scripted"
base_url = "{url}"
api_key_env = "NO_SUCH_KEY"
reply_schema = "never"
vision = "assume"
concurrency = 4
"""
NOT_COMPARED = (".locks/", ".cache/", "calls.sqlite")
TAG = "v0.1.0"
RECIPE = """[benchmark]
name = "scripted"
languages = ["en", "zh"]
preset = "{preset}"
taxonomy = "visscience+sciverse"

{budgets}
[selection]
difficulty_tolerance = 1.0
subject_tolerance = 1.0
"""
TAXONOMY = load_taxonomy("visscience+sciverse")
SAYS = {
    "en": (
        "a general law",
        "The way to the answer leads over a general law.",
        "What holds in general is said here.",
    ),
    "zh": ("一般规律", "解答时请想一想一般规律。", "这里用一句话说明一般规律，不涉及任何一道题的数值。"),
}
"""Cue and detail in words of our own: what they say decides nothing here."""
SETTINGS = ChoiceSettings()


@dataclass(frozen=True)
class Scripted:
    """What is said about one question.

    Attributes:
        language: of its source.
        texts: what is said of its translation, too; the source's own among them.
        subject: as tagged.
        difficulty: as tagged.
        splits: the decomposition in each language.
        wrong: wrong options as (text, misconception), where it is converted.
    """

    language: str
    texts: Mapping[str, LocalizedText]
    subject: str
    difficulty: int
    splits: Mapping[str, Decomposition]
    wrong: Sequence[tuple[str, str]] = ()
    edits: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By language: words that a reviewer replaced in the translation, and what stands there now."""

    def rules(self) -> Iterator[Rule]:
        """The server's rules; each applies to one kind of prompt about this question in one language."""
        source = self.texts[self.language]
        tags = {"reason": "Scripted.", "subject": self.subject, "difficulty": self.difficulty}
        yield _rule(tagging_prompt(self.language).text, source.question, {**tags, "knowledge_points": []})
        yield self._split(self.language, "decomposition")
        if self.wrong:
            said = [{"text": text, "misconception": slip} for text, slip in self.wrong]
            reply = {"question": source.question, "distractors": said}
            yield self._rule("multiple-choice", self.language, multiple_choice.prompt, reply)
        for language in sorted(set(self.texts) - {self.language}):
            yield from self._in(language)

    def _in(self, language: str) -> Iterator[Rule]:
        source, target = self.texts[self.language], self.texts[language]
        options = [{"label": c.label, "text": c.text} for c in target.choices if c.text is not None]
        reply = {
            "question": target.question, "options": options, "answer": "" if target.choices else target.answer,
            "unit": target.unit or "", "solution": target.solution or "", "image_language": "keep",
        }  # fmt: skip
        yield self._rule("translation", self.language, translation.prompt, reply)
        back = {"text": translation.spoken(source)}
        yield _rule(translation.prompt("back-translation", language).text, target.question, back)
        yield self._split(language, "decomposition-twin")
        if self.wrong:
            yield self._twin(language)

    def _rule(self, name: str, language: str, prompt: Callable[[str, str], Any], reply: Any) -> Rule:
        return _rule(prompt(name, language).text, self._now(language), reply)

    def _split(self, language: str, name: str) -> Rule:
        reply = self._edited(language, split_reply(self.splits[language]))
        return self._rule(name, language, decomposition.prompt, reply)

    def _twin(self, language: str) -> Rule:
        """The options of the first language under their labels: numbers with units read the same in both."""
        shown = "".join(rf".*?\[option {label}\] (?P<{label}>[^\n]*)" for label in "ABCD")
        head = _head(multiple_choice.prompt("multiple-choice-twin", self.language).text)
        options = ", ".join(
            f'{{"label": "{label}", "text": "\\g<{label}>", "misconception": "slip {label}"}}'
            for label in "ABCD"
        )
        match = f"{re.escape(head)}{shown}.*{re.escape(self._now(language))}"
        return {"match": match, "answer": f'{{"options": [{options}]}}'}

    def _now(self, language: str) -> str:
        old, new = self.edits.get(language, ("", ""))
        question = self.texts[language].question
        return question.replace(old, new) if old else question

    def _edited(self, language: str, reply: Rule) -> Rule:
        old, new = self.edits.get(language, ("", ""))
        changed = {name: reply[name].replace(old, new) for name in ("stem", "core_question")} if old else {}
        return {**reply, **changed}


def _head(prompt: str) -> str:
    """The first line of a prompt, up to what is filled in: no other prompt begins like it."""
    return prompt.split("\n")[0].split("{{")[0]


def _rule(prompt: str, question: str, reply: Any) -> Rule:
    return {"match": f"{re.escape(_head(prompt))}.*{re.escape(question)}", "json": reply}


def split_reply(split: Decomposition) -> Rule:
    """A decomposition as a model would reply it: conditions quoted, marks without places."""
    conditions = []
    for condition in split.conditions:
        quote = split.stem[condition.start : condition.end]
        places = [found.start() for found in re.finditer(f"(?={re.escape(quote)})", split.stem)]
        conditions.append(
            {
                "id": condition.id,
                "quote": quote,
                "occurrence": places.index(condition.start) + 1,
                "show": condition.show.value,
                "labels": [mark.label for mark in condition.marks],
            }
        )
    terms = [{"term": entry.term, "detail": entry.text} for entry in split.knowledge_detail]
    return {
        "stem": split.stem, "conditions": conditions, "core_question": split.core_question,
        "cue": split.knowledge_cue.sentence, "terms": terms,
    }  # fmt: skip


def wrong_options(text: LocalizedText, language: str) -> list[tuple[str, str]]:
    """Three wrong options of a numeric answer, by the rules of the embedded converter; none where no rule fits."""
    named = "zh" if language == "zh" else "en"
    try:
        found = distractors(option_of(text.answer, text.unit), 3, 1)
    except ItemError:
        return []
    return [(one.text, one.slip.names[named]) for one in found]


def typed(workspace: Workspace, *arguments: str, codes: Sequence[int] = (0,)) -> dict[str, Any]:
    """Run a command as typed, and return its JSON result."""
    out, error = io.StringIO(), io.StringIO()
    command = [*arguments, "--json", "--workspace", str(workspace.root)]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        code = run_command(benchwright, "benchwright", command)
    assert code in codes, f"{arguments} ended with {code}\n{error.getvalue()[-3000:]}"
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def digests(workspace: Workspace) -> dict[str, str]:
    """Digest of every artefact by its path."""
    paths = {p.relative_to(workspace.root).as_posix(): p for p in workspace.root.rglob("*") if p.is_file()}
    return {name: sha256_file(p) for name, p in sorted(paths.items()) if not name.startswith(NOT_COMPARED)}


def workspace_of(folder: Path, questions: Mapping[str, int], url: str, preset: str) -> Workspace:
    """A workspace that chooses all questions, with the scripted model for every job."""
    budgets = "\n".join(f"[disciplines.{name}]\nbudget = {n}\n" for name, n in sorted(questions.items()))
    recipe = RECIPE.format(preset=preset, budgets=budgets) + MODEL.format(url=url)
    return Workspace.create(folder, recipe)


def released(workspace: Workspace) -> list[ReleaseRow]:
    """All rows of the built release."""
    return [row for row, _ in read_release(resolve_release(str(workspace.release(TAG))))]


def ruled(
    text: LocalizedText, language: str, images: Sequence[ImageRef], discipline: str
) -> Decomposition | None:
    """The rules' split where it shows something and no check finds anything, with knowledge in words of ours."""
    subject = TAXONOMY.subjects(discipline)[0]
    made = decompose(text, language, images, subject=subject, discipline=discipline)
    if made.findings or not any(c.show is Show.ON_DIAGRAM for c in made.decomposition.conditions):
        return None
    term, sentence, law = SAYS["zh" if language == "zh" else "en"]
    split = made.decomposition.model_copy(
        update={
            "knowledge_cue": KnowledgeCue(terms=(term,), sentence=sentence),
            "knowledge_detail": (KnowledgeDetail(term=term, text=law),),
        }
    )
    return None if check(text, split, None, images) else split


def promising(row: Mapping[str, Any]) -> bool:
    """Whether a raw row has something to show, by its text alone."""
    named = digest_of(row["id"])
    picture = ImageRef(source_sha256=named, sha256=named, width=8, height=6, format="png")
    text = LocalizedText(question=row["question"], answer=str(row["answer"]))
    return ruled(text, row["language"], (picture,), row["discipline"]) is not None


def script_of_real(question: Question) -> Scripted | None:
    """What the model says about a real question; None where the rules do not say it all."""
    split = ruled(question.text, question.language, question.images, question.discipline)
    if split is None:
        return None
    item = Item(question, question.texts, question.texts, question.question_type)
    converter = RuleConverter(SETTINGS)
    wrong: list[tuple[str, str]] = []
    for unit in converter.plan(question.discipline, [item]).units:
        try:
            said: dict[str, Any] = {proposal.field: proposal.value for proposal in converter.propose(unit)}
        except ItemError:
            return None
        if "findings" in said:
            return None
        pairs = zip(said["choices"], said["misconceptions"], strict=True)
        wrong = [(text, slip) for text, slip in pairs if slip]
    return Scripted(
        language=question.language,
        texts={question.language: question.text},
        subject=TAXONOMY.subjects(question.discipline)[0].id,
        difficulty=3,
        splits={question.language: split},
        wrong=wrong if len(wrong) == SETTINGS.distractors else [],
    )
