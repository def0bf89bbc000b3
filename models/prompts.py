"""Versioned prompts as package data: `<package>/prompts/NAME.LANG.VERSION.txt`.

Placeholders are written `{{name}}`, so that LaTeX and JSON examples keep their single braces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import UsageError

PROMPT_LANGUAGES = ("en", "zh")
"""Languages in which our prompts are written."""
_PLACEHOLDER = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt text with its identity; the digest stands in manifests and proposals."""

    name: str
    language: str
    version: str
    text: str
    sha256: str

    @property
    def placeholders(self) -> frozenset[str]:
        """Names between double braces."""
        return frozenset(_PLACEHOLDER.findall(self.text))

    def fill(self, **values: str) -> str:
        """Put values in, in one pass: a value that looks like a placeholder stays text.

        Raises:
            ValueError: a placeholder has no value, or a value has no placeholder.
        """
        missing = sorted(self.placeholders - set(values))
        unused = sorted(set(values) - self.placeholders)
        if missing or unused:
            raise ValueError(
                f"prompt {self.name}.{self.language}.{self.version}: missing {missing}, unused {unused}"
            )
        return _PLACEHOLDER.sub(lambda match: values[match.group(1)], self.text)


@cache
def load_prompt(package: str, name: str, language: str, version: str) -> Prompt:
    """Load a prompt, e.g. `load_prompt("benchwright.eval", "judge", "en", "1")`.

    Raises:
        UsageError: there is no such prompt; the message lists the languages and versions that exist.
    """
    folder = files(package).joinpath("prompts")
    resource = folder.joinpath(f"{name}.{language}.{version}.txt")
    if not resource.is_file():
        names = (entry.name for entry in folder.iterdir()) if folder.is_dir() else iter(())
        there = sorted(entry for entry in names if entry.startswith(f"{name}."))
        raise UsageError(
            f"there is no prompt {name}.{language}.{version} in {package}; "
            f"choose one of: {', '.join(there) or 'none is there'}."
        )
    data = resource.read_bytes()
    text = data.decode("utf-8").replace("\r\n", "\n").rstrip("\n")
    return Prompt(name, language, version, text, sha256_bytes(text.encode("utf-8")))


def prompt_language(language: str) -> str:
    """The language in which a text is asked about: its own where there are prompts in it, else English."""
    return language if language in PROMPT_LANGUAGES else "en"


def prompt_digests(package: str, names: Sequence[str], version: str) -> dict[str, str]:
    """Digests of prompts in every language, by `NAME.LANG`: what a stage made with them depends on."""
    return {
        f"{name}.{language}": load_prompt(package, name, language, version).sha256
        for name in names
        for language in PROMPT_LANGUAGES
    }


def fence(text: str, label: str) -> str:
    """Put untrusted text between tags that it cannot forge: the tag's number is made from the text's own digest.

    The same text always gets the same tag, so a call's key stays stable.
    """
    tag = f"{label}-{sha256_bytes(text.encode('utf-8'))[:10]}"
    return f"<{tag}>\n{text}\n</{tag}>"
