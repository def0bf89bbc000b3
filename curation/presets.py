r"""Presets: how the files of a known public source are read, as data (`presets/*.toml`).

A preset says which files hold questions, in which column each field stands, and by which of a few named styles options,
answers and pictures are read. What cannot be data is such a named style:

- `shape`: `rows` as any source has them; `lists`, a JSON object of lists, whose key is `{list}`; `keyed-list`, a JSON
  object with one list, whose other keys are `{KEY}`; `record`, each file one row (or a list of rows);
- `options.style`: `list`; `python-list`, a list written as Python text; `in-question`, they stand in the question;
- `answer.style`: `as-is`; `alternatives`, where a list (also as Python text) holds answers of which any one is right;
  `letter-or-command`, a letter or `\answer{...}` before its explanation;
  `number-and-latex`, a number with the same as LaTeX beside it;
- `images.placeholders`: `numbered`, `<image N>` means column N; `shared`, all of them mean the one picture; `none`.
"""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Record

Shape = Literal["rows", "lists", "keyed-list", "record"]
OptionStyle = Literal["none", "list", "python-list", "in-question"]
AnswerStyle = Literal["as-is", "alternatives", "letter-or-command", "number-and-latex"]
Placeholders = Literal["none", "numbered", "shared"]


class Lookup(Record):
    """A value that is told from a column or a place: `template`, of it what `pattern` catches, through `map`."""

    template: str
    pattern: str = "(.+)"
    map: dict[str, str] = {}
    """Value -> ours. What is not listed is kept as the source says it."""


class Cut(Record):
    """Something that does not belong to the question and is cut from it, with a note."""

    pattern: str
    note: str


class PresetImages(Record):
    """Where the pictures are."""

    columns: tuple[str, ...] = ()
    """Columns in their order; each holds a path, a picture, or a list of them, or is null. `x|y`: x, else y."""
    beside: dict[str, str] = {}
    """File name without ending -> name of the picture that lies beside that file."""
    strip: str = ""
    """A pattern that is cut off the start of a path."""
    prefixes: tuple[str, ...] = ("",)
    endings: tuple[str, ...] = ("",)
    """Tried in turn, with each prefix: the first file that exists is meant."""
    placeholders: Placeholders = "none"


class PresetOptions(Record):
    """Where the options are."""

    style: OptionStyle = "none"
    column: str = "options"
    pictured: int = 0
    """How many options there are where they are drawn in the pictures alone."""


class PresetAnswer(Record):
    """What the answer's column holds."""

    style: AnswerStyle = "as-is"
    column: str = "answer"
    latex: str = ""
    """Column of the same answer as LaTeX (`number-and-latex`)."""
    withheld: tuple[str, ...] = ()
    """What stands there where the source keeps the answer to itself."""


class Preset(Record):
    """One public source."""

    name: str
    title: str
    source: str
    """`Question.source`: who published it."""
    license: str
    url: str
    language: str
    files: tuple[str, ...]
    """Patterns of the files with questions, below the source's folder."""
    skip: tuple[str, ...] = ()
    """Files among them that hold no questions of this kind."""
    shape: Shape = "rows"
    id: str
    """Template of the ids: columns and `{file}`, `{folder}`, `{parent}`, `{row}`, `{list}`, keys of a `keyed-list`."""
    ids: dict[str, str] = {}
    """File name without ending -> template for its rows instead."""
    fields: dict[str, str] = {}
    """Record field -> column, for what needs no style."""
    constants: dict[str, str] = {}
    discipline: Lookup
    subject: Lookup | None = None
    difficulty: Lookup | None = None
    images: PresetImages = PresetImages()
    options: PresetOptions = PresetOptions()
    answer: PresetAnswer = PresetAnswer()
    cut: tuple[Cut, ...] = ()


def preset_names() -> tuple[str, ...]:
    """The names of all presets, sorted."""
    folder = resources.files("benchwright.curation").joinpath("presets")
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml")))


def load_preset(name: str) -> Preset:
    """A preset by its name, in any spelling of case, blanks and hyphens; or a file of one's own, by its path.

    Raises:
        UsageError: there is none of that name (the sentence names all), or the file is no preset.
    """
    if name.endswith(".toml"):
        return _own_preset(Path(name))
    known = {_plain(one): one for one in preset_names()}
    found = known.get(_plain(name))
    if found is None:
        raise UsageError(f"there is no preset {name!r}: use one of {', '.join(preset_names())}.")
    text = resources.files("benchwright.curation").joinpath(f"presets/{found}.toml").read_text("utf-8")
    return Preset.model_validate({"name": found, **tomllib.loads(text)})


def _own_preset(path: Path) -> Preset:
    try:
        values = tomllib.loads(path.read_text("utf-8"))
        preset = Preset.model_validate({"name": path.stem, **values})
        for pattern in (preset.images.strip, preset.discipline.pattern, *(cut.pattern for cut in preset.cut)):
            re.compile(pattern)
    except OSError as error:
        raise UsageError(
            f"the preset {path} cannot be read ({error.strerror}): give the path of a file."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, re.error) as error:
        raise UsageError(f"the preset {path} is not valid ({error}): mend it.") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise UsageError(f"the preset {path} is not valid: {where}: {first['msg']}.") from error
    return preset


def load_presets() -> tuple[Preset, ...]:
    """All presets, by name."""
    return tuple(map(load_preset, preset_names()))


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())
