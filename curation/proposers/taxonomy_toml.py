"""An accepted taxonomy as the text of a file below `taxonomies/`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from benchwright.schemas.taxonomy import DisciplineTaxonomy, Taxonomy


def discipline_of(value: JsonValue) -> DisciplineTaxonomy:
    """The discipline that a proposal or verdict of the taxonomy job holds.

    Raises:
        pydantic.ValidationError: it does not hold one.
    """
    return DisciplineTaxonomy.model_validate(value)


def taxonomy_toml(name: str, source: str, disciplines: Sequence[DisciplineTaxonomy]) -> str:
    """The text of a taxonomy file; reading it gives the same taxonomy.

    Args:
        name: of the taxonomy.
        source: where it comes from, e.g. `proposed by MODEL, reviewed`.
        disciplines: at least one.
    """
    taxonomy = Taxonomy(name=name, source=source, disciplines=tuple(disciplines))
    head = f"name = {_text(taxonomy.name)}\nsource = {_text(taxonomy.source)}\n"
    return head + "".join(f"\n{discipline_toml(discipline)}" for discipline in taxonomy.disciplines)


def discipline_toml(discipline: DisciplineTaxonomy) -> str:
    """One discipline and its subjects, as in the built-in taxonomies."""
    lines = [
        "[[disciplines]]",
        f"id = {_text(discipline.id)}",
        f"names = {_inline(discipline.names)}",
    ]
    for subject in discipline.subjects:
        lines += [
            "",
            "[[disciplines.subjects]]",
            f"id = {_text(subject.id)}",
            f"names = {_inline(subject.names)}",
            "[disciplines.subjects.descriptions]",
            *(f"{language} = {_text(text)}" for language, text in sorted(subject.descriptions.items())),
        ]
    return "\n".join(lines) + "\n"


def _inline(texts: Mapping[str, str]) -> str:
    return "{ " + ", ".join(f"{language} = {_text(text)}" for language, text in sorted(texts.items())) + " }"


def _text(text: str) -> str:
    # TOML's basic strings know JSON's escapes; JSON leaves DEL as it is, TOML does not.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
