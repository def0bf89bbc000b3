"""Written guidelines of a job, in English and Chinese: what is asked, two examples, what to do when unsure.

They are package data, `guidelines/<job>.<language>.v<version>.html`. Every review keeps the digest of those it was made
under, so that a later change of the rules can be told from a change of mind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources

from benchwright.schemas.digest import sha256_bytes

LANGUAGES = ("en", "zh")
_BLOCK = re.compile(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True)
class Guidelines:
    """What a reviewer is told before the first task."""

    html: str
    sha256: str


def load_guidelines(job: str, version: int = 1, /, **blocks: str) -> Guidelines:
    """The guidelines of a job, English first.

    Args:
        job: its name in `benchwright.schemas.jobs.JOBS`.
        version: of the texts.
        blocks: HTML that takes the place of `{{name}}`, e.g. the list of subjects; already escaped.

    Raises:
        FileNotFoundError: the job has none of that version.
        KeyError: a text asks for a block that is not given.
        ValueError: a block is given that no text asks for.
    """
    folder = resources.files("benchwright.annotation") / "guidelines"
    used: set[str] = set()

    def _put(match: re.Match[str]) -> str:
        used.add(match[1])
        return blocks[match[1]]

    parts = [
        _BLOCK.sub(_put, (folder / f"{job}.{language}.v{version}.html").read_text(encoding="utf-8").strip())
        for language in LANGUAGES
    ]
    if unused := blocks.keys() - used:
        raise ValueError(f"the guidelines of {job} have no place for {', '.join(sorted(unused))}")
    html = "\n".join(f'<div class="bw-guide">{part}</div>' for part in parts)
    return Guidelines(html, sha256_bytes(html.encode("utf-8")))
