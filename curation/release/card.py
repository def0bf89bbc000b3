"""The dataset card: front matter for the Hub, text for people, all figures counted from the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

from benchwright import __version__
from benchwright.curation.release.card_merge import BEGIN, END, dump_yaml
from benchwright.curation.release.documents.citation import bibtex
from benchwright.curation.release.documents.stated import said
from benchwright.curation.release.edition import Edition
from benchwright.curation.release.markdown import pages
from benchwright.curation.release.plots.inputs import Plot
from benchwright.curation.release.repeats import THRESHOLDS
from benchwright.curation.release.statistics import ReleaseFigures, Share
from benchwright.schemas.recipe import Statement
from benchwright.schemas.records import Record, ReleaseRow, Split
from benchwright.schemas.versions import VERSIONS, Version

ALL = "all"
"""The config that is loaded when none is named."""
PLOTS_FOLDER = "plots"
_LANGUAGES = {
    "ar": "Arabic",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "ja": "Japanese",
    "ko": "Korean",
    "pt": "Portuguese",
    "ru": "Russian",
    "zh": "Chinese",
}
"""Names of languages; another stands by its code."""


class CardConfig(Record):
    """A config of the dataset."""

    name: str
    text: str
    splits: tuple[str, ...]
    folder: str
    """`language/version` below `data/`, or a pattern."""

    def block(self) -> dict[str, Any]:
        """Entry of the card's `configs` list."""
        files = [{"split": s, "path": f"data/{self.folder}/{s}-*.parquet"} for s in self.splits]
        default = {"default": True} if self.name == ALL else {}
        return {"config_name": self.name, **default, "data_files": files}


def config_name(version: str, language: str) -> str:
    """Name of the config of one version in one language, e.g. `vision_only_zh`."""
    return f"{version.replace('-', '_')}_{language}"


def card_configs(rows: Sequence[ReleaseRow]) -> tuple[CardConfig, ...]:
    """The catch-all config and one per version and language, over one set of files."""
    order = {version.value: place for place, version in enumerate(Version)}
    groups = sorted({(row.language, row.version) for row in rows}, key=lambda key: (key[0], order[key[1]]))

    def splits(chosen: Sequence[ReleaseRow]) -> tuple[str, ...]:
        present = {row.split for row in chosen}
        return tuple(split.value for split in Split if split in present)

    every = CardConfig(name=ALL, text="every version and language", splits=splits(rows), folder="*/*")
    return (
        every,
        *(
            CardConfig(
                name=config_name(version, language),
                text=f"version {version}, language {language}",
                splits=splits([row for row in rows if (row.language, row.version) == (language, version)]),
                folder=f"{language}/{version}",
            )
            for language, version in groups
        ),
    )


def front_matter(title: str, license_id: str, rows: Sequence[ReleaseRow]) -> dict[str, Any]:
    """The card's metadata, in the order in which it is written."""
    languages = sorted({row.language for row in rows})
    values: dict[str, Any] = {"language": languages, "license": license_id}
    if license_id == "other":
        values |= {"license_name": "per-source", "license_link": "LICENSES.md"}
    values |= {
        "pretty_name": title,
        "task_categories": ["visual-question-answering", "multiple-choice", "question-answering"],
        "multilinguality": ["monolingual" if len(languages) == 1 else "multilingual"],
        "size_categories": [size_category(len(rows))],
        "tags": ["benchmark", "multi-modal", "science", *sorted({row.discipline for row in rows})],
        "configs": [config.block() for config in card_configs(rows)],
    }
    return values


def size_category(rows: int) -> str:
    """The Hub's name for a number of rows."""
    for limit, name in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K")):
        if rows < limit:
            return name
    return "100K<n<1M"


def render_card(edition: Edition) -> str:
    """The whole README: front matter, then the generated text between its two markers."""
    matter = dump_yaml(front_matter(edition.title, edition.licence.license, edition.published.rows))
    text = pages("benchwright.curation.release").get_template("card.md.j2").render(_values(edition))
    return f"---\n{matter}---\n{BEGIN}\n{text.rstrip()}\n{END}\n"


def _values(edition: Edition) -> dict[str, Any]:
    """What the template is filled with."""
    rows = edition.published.rows
    configs = card_configs(rows)
    present = {row.version for row in rows}
    versions = [version.value for version in Version if version.value in present]
    example = next((config for config in configs if "vision_only" in config.name), configs[-1])
    subjects = get_args(Statement)
    return {
        "title": edition.title,
        "repo_id": edition.repo_id,
        "tag": edition.tag,
        "package_version": __version__,
        "languages": edition.languages,
        "language_names": _listed(_LANGUAGES.get(one, one) for one in edition.languages),
        "disciplines": _listed(sorted({row.discipline for row in rows})),
        "versions": versions,
        "figures": edition.figures,
        "config_table": _config_table(configs, versions, edition.languages),
        "example_config": example.name,
        "example_split": example.splits[-1],
        "has_mini": any(row.split is Split.TESTMINI for row in rows),
        "has_dev": any(row.split is Split.DEV for row in rows),
        "choices_in_image": edition.recipe.render.choices == "image",
        "version_table": [_version_row(Version(name)) for name in versions],
        "share_tables": _share_tables(edition.figures),
        "threshold_names": THRESHOLDS,
        "found": edition.found,
        "machines": edition.machines,
        "sent": edition.sent,
        "pictures": lambda *names: _pictures(edition.plots, names),
        "said": {one: words for one in subjects if (words := said(edition.release, one)) is not None},
        "checked": edition.checked.to_markdown().rstrip(),
        "counts": edition.checked.counts,
        "withheld": edition.withheld,
        "canary": rows[0].canary,
        "citation": bibtex(edition),
    }


def _config_table(
    configs: Sequence[CardConfig], versions: Sequence[str], languages: Sequence[str]
) -> list[tuple[str, list[str]]]:
    """For each version the config in each language; empty where there is none."""
    there = {config.name for config in configs}
    names = {version: [config_name(version, language) for language in languages] for version in versions}
    return [(version, [name if name in there else "" for name in row]) for version, row in names.items()]


def _listed(names: Iterable[str]) -> str:
    """`a, b and c`."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _pictures(plots: Sequence[Plot], names: Sequence[str]) -> str:
    """Those of the plots that have something to show, one below the other."""
    shown = {plot.name: f"![{plot.alt}]({PLOTS_FOLDER}/{plot.name})\n\n" for plot in plots}
    return "".join(shown.get(f"{name}.png", "") for name in names)


def _share_tables(figures: ReleaseFigures) -> tuple[tuple[str, tuple[Share, ...]], ...]:
    return (
        ("discipline", figures.disciplines),
        ("subject", figures.subjects),
        ("level", figures.levels),
        ("question type", figures.question_types),
    )


def _version_row(version: Version) -> dict[str, str]:
    spec = VERSIONS[version]
    if spec.source_form:
        text = "the question as its source asks it"
    elif not spec.text:
        text = "none"
    elif spec.rendered:
        text = "the core question and every condition that the picture does not show"
    else:
        text = " + ".join(
            part
            for part, there in (
                ("a sentence naming the knowledge needed", spec.cue),
                ("that knowledge in full", spec.detail),
                ("conditions and core question", True),
            )
            if there
        )
    if not spec.rendered:
        picture = "the diagram"
    elif spec.text:
        picture = "the diagram with conditions marked on it"
    else:
        picture = "question, diagram and choices on one page"
    return {"name": version.value, "text": text, "picture": picture}
