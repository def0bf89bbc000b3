"""The dataset card: front matter for the Hub, text for people, all figures counted from the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from benchwright import __version__
from benchwright.curation.release.card_merge import BEGIN, END, dump_yaml
from benchwright.curation.release.repeats import THRESHOLDS, Repeats, set_figures
from benchwright.curation.release.reviews import agreed_fields, reviewed_jobs
from benchwright.curation.release.statistics import ReleaseFigures, Share
from benchwright.schemas.recipe import Statement
from benchwright.schemas.records import Record, ReleaseRow, Split
from benchwright.schemas.review_figures import JobFigures
from benchwright.schemas.versions import VERSIONS, Version

_PLACE = {name: place for place, name in enumerate(THRESHOLDS)}
ALL = "all"
"""The config that is loaded when none is named."""


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


def render_card(
    *,
    title: str,
    repo_id: str,
    tag: str,
    license_id: str,
    choices_in_image: bool,
    rows: Sequence[ReleaseRow],
    figures: ReleaseFigures,
    repeats: Sequence[Repeats] = (),
    reviews: Sequence[JobFigures] = (),
    statements: Mapping[Statement, str] | None = None,
    checked: str = "",
    withheld: Mapping[str, int] | None = None,
) -> str:
    """The whole README: front matter, then the generated text between its two markers.

    Args: title, repo_id, tag and license_id as they stand on the card; choices_in_image: vision-only rows have no text;
        rows: as published; figures: counted from them; repeats and reviews: what searches and people found;
        statements: a person's words by subject; checked: the checklist as a table; withheld: rows without their
        answers, by split.
    """
    configs = card_configs(rows)
    present = {row.version for row in rows}
    versions = [version.value for version in Version if version.value in present]
    example = next((config for config in configs if "vision_only" in config.name), configs[-1])
    text: str = _template("card.md.j2").render(
        title=title,
        repo_id=repo_id,
        tag=tag,
        package_version=__version__,
        languages=sorted({row.language for row in rows}),
        versions=versions,
        figures=figures,
        configs=configs,
        example_config=example.name,
        example_split=example.splits[-1],
        has_dev=any(row.split is Split.DEV for row in rows),
        choices_in_image=choices_in_image,
        version_table=[_version_row(Version(name)) for name in versions],
        share_tables=_share_tables(figures),
        repeats=repeats,
        thresholds=sorted(
            {pair for one in repeats for pair in one.thresholds}, key=lambda pair: _PLACE[pair[0]]
        ),
        threshold_names=THRESHOLDS,
        compared=set_figures(repeats, rows),
        reviewed_jobs=reviewed_jobs(reviews),
        agreed_fields=agreed_fields(reviews),
        said={subject: _said(text) for subject, text in (statements or {}).items() if text.strip()},
        checked=checked.rstrip(),
        withheld=withheld or {},
        canary=rows[0].canary,
    )
    matter = dump_yaml(front_matter(title, license_id, rows))
    return f"---\n{matter}---\n{BEGIN}\n{text.rstrip()}\n{END}\n"


def _said(text: str) -> str:
    """A person's words; a comment in them could end the part of the card that is ours."""
    return text.strip().replace("<!--", "&lt;!--")


def _template(name: str) -> Any:
    environment = Environment(
        loader=PackageLoader("benchwright.curation.release"),
        undefined=StrictUndefined,
        autoescape=False,  # Markdown, not HTML
        keep_trailing_newline=True,
    )
    environment.filters["cell"] = lambda value: str(value).replace("|", "\\|").replace("\n", " ")
    return environment.get_template(name)


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
