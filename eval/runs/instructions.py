"""The words in front of a question, in the language of the data: ours for both papers' ways of asking, or the user's.

Ours are package data, `prompts/NAME.LANG.VERSION.txt`; a user's stand in a folder as `NAME.LANG.txt`. Either way name
and digest go into the run's specification.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchwright.eval.runs.spec import Mode, PromptRef, Protocol
from benchwright.models.prompts import Prompt, load_prompt
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import ReleaseRow
from benchwright.schemas.versions import PRESETS

PACKAGE = "benchwright.eval"
PROMPT_NAMES: dict[tuple[str, str], str] = {
    ("visscience", "direct"): "visscience-direct",
    ("visscience", "cot"): "visscience-cot",
    ("sciverse", "direct"): "direct",
    ("sciverse", "cot"): "cot",
}
"""Prompt of each way of asking. VisScience: zero-shot asks for a solution, the answer on a line of its own at its end;
chain of thought asks a teacher for every step (appendix C.2). SciVerse: the answer alone (Acc), or reasoning step by
step (Sci-CoT; section 3.1)."""
PROMPT_VERSIONS = {"visscience-direct": "1", "visscience-cot": "1", "direct": "1", "cot": "1"}
USER_VERSION = "user"
"""Stands where our prompts have a version number."""
PLACEHOLDERS = frozenset({"discipline", "question"})
_DISCIPLINES = {
    "zh": {"physics": "物理", "mathematics": "数学", "chemistry": "化学", "biology": "生物"},
}
_ANSWER_LINE = {"zh": "答案：{answer}"}


@dataclass(frozen=True)
class Instructions:
    """One prompt for each language of the data."""

    prompts: Mapping[str, Prompt]
    whose: Literal["benchwright", "user"] = "benchwright"

    @property
    def refs(self) -> tuple[PromptRef, ...]:
        """Names and digests, for the specification."""
        return tuple(prompt_ref(self.prompts[language]) for language in sorted(self.prompts))

    def text_for(self, row: ReleaseRow, *, with_question: bool = True) -> str:
        """The whole text sent about a row: instruction and question; of a vision-only row the instruction alone."""
        prompt, question = self.prompts[row.language], row.question if with_question else ""
        known = {"discipline": discipline_name(row.discipline, row.language), "question": question}
        said = prompt.fill(**{name: known[name] for name in prompt.placeholders})
        if "question" in prompt.placeholders or not question:
            return said.strip()
        return f"{said}\n\n{question}"


def instructions(
    protocol: Protocol, mode: Mode, languages: Sequence[str], folder: Path | None = None
) -> Instructions:
    """The instructions of one way of asking.

    Args:
        protocol: whose way.
        mode: the answer at once, or step by step.
        languages: of the data.
        folder: the user's own prompts; None for ours.

    Raises:
        UsageError: there is no prompt for one of the languages, or the user's has a placeholder that nothing fills.
    """
    name = PROMPT_NAMES[protocol, mode]
    wanted = sorted(set(languages))
    if folder is None:
        version = PROMPT_VERSIONS[name]
        return Instructions({language: load_prompt(PACKAGE, name, language, version) for language in wanted})
    mine = {language: user_prompt(folder, name, language, PLACEHOLDERS) for language in wanted}
    return Instructions(mine, "user")


def user_prompt(
    folder: Path, name: str, language: str, known: frozenset[str], needed: frozenset[str] = frozenset()
) -> Prompt:
    """A user's own prompt, `FOLDER/NAME.LANG.txt`.

    Args:
        folder: of the prompts.
        name: which prompt.
        language: of the data.
        known: placeholders that can be filled.
        needed: those that have to be there.

    Raises:
        UsageError: there is no such file, it is empty or no UTF-8, or a placeholder is unknown or missing.
    """
    path = folder / f"{name}.{language}.txt"
    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").strip()
    except FileNotFoundError as error:
        raise UsageError(f"{folder} has no {path.name}: put your words for {language} there.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no UTF-8 text: save it as UTF-8.") from error
    if not text:
        raise UsageError(f"{path} is empty: write your words into it.")
    prompt = Prompt(name, language, USER_VERSION, text, sha256_bytes(text.encode("utf-8")))
    there = ", ".join(f"{{{{{placeholder}}}}}" for placeholder in sorted(known))
    if strange := sorted(prompt.placeholders - known):
        raise UsageError(
            f"{path} has the placeholder {{{{{strange[0]}}}}}, which nothing fills: it knows {there}."
        )
    if missing := sorted(needed - prompt.placeholders):
        raise UsageError(f"{path} lacks {{{{{missing[0]}}}}}: put it where that is to stand.")
    return prompt


def prompt_ref(prompt: Prompt) -> PromptRef:
    """Name and digest of a prompt, for the run's specification; of a user's own its words too."""
    return PromptRef(
        name=f"{prompt.name}.{prompt.language}.{prompt.version}",
        sha256=prompt.sha256,
        text=prompt.text if prompt.version == USER_VERSION else None,
    )


def users_prompts(refs: Iterable[PromptRef], name: str) -> dict[str, Prompt]:
    """A user's own prompts of one name, by language, from a specification; empty where ours are used."""
    found = {}
    for ref in refs:
        of, language, version = ref.name.rsplit(".", 2)
        if of == name and ref.text is not None:
            found[language] = Prompt(of, language, version, ref.text, ref.sha256)
    return found


def default_protocol(versions: Collection[str]) -> Protocol:
    """VisScience's way for questions as their source asks them, SciVerse's as soon as one of its versions is there."""
    return "sciverse" if any(version in PRESETS["sciverse"] for version in versions) else "visscience"


def discipline_name(discipline: str, language: str) -> str:
    """A discipline in the words of a language, as far as we know them."""
    return _DISCIPLINES.get(language, {}).get(discipline, discipline.replace("-", " "))


def answer_line(answer: str, language: str) -> str:
    """The last line that our instructions ask for."""
    return _ANSWER_LINE.get(language, "Answer: {answer}").format(answer=answer)
