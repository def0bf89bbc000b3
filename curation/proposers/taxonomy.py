"""`curate taxonomy` by a chat model: the subjects of a discipline, with names and one-line descriptions.

The model sees the groups of knowledge points that the pool's sources name, with their frequencies, and the distinctive
words of clusters of questions. It divides all groups among subjects; a program checks that none is left out or given
twice. The value has the form of a discipline in `taxonomies/*.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from benchwright.curation.proposers.panel import Panel
from benchwright.curation.proposers.taxonomy_checks import findings_of
from benchwright.curation.proposers.taxonomy_heads import points_below
from benchwright.curation.proposers.unit import Item, Plan, Unit
from benchwright.models.prompts import PROMPT_LANGUAGES, Prompt, fence, load_prompt
from benchwright.schemas.digest import digest_of
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.taxonomy import DisciplineTaxonomy, Subject

COMMAND = "taxonomy"
JOB = "taxonomy"
PROMPT_VERSION = "1"
_BELOW = 6
"""Points shown below each group."""
_MOST_HEADS = 120
"""Groups that a prompt can show; the rest is too rare to shape subjects and is assigned by review."""
Text = Annotated[str, Field(min_length=1)]


class SubjectReply(BaseModel):
    """One proposed subject."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    name_en: Text
    name_zh: Text
    description_en: Text
    description_zh: Text
    covers: tuple[str, ...] = ()


class TaxonomyReply(BaseModel):
    """The form of a reply."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    reason: str = ""
    discipline_en: Text
    discipline_zh: Text
    subjects: Annotated[tuple[SubjectReply, ...], Field(min_length=2, max_length=30)]


@dataclass(frozen=True)
class Cluster:
    """A group of similar questions, by the words that tell it from the others."""

    questions: int
    terms: tuple[str, ...]


@dataclass(frozen=True)
class Material:
    """What a discipline's pool says about its subjects.

    Attributes:
        points: path -> number of questions.
        heads: groups of them (`taxonomy_heads`).
        clusters: largest first; empty where the pool was not embedded.
        language: of most questions, `en` or `zh`.
    """

    points: Mapping[str, int]
    heads: Mapping[str, int]
    clusters: tuple[Cluster, ...]
    language: Literal["en", "zh"]

    def view(self, discipline: str) -> dict[str, Any]:
        """What is shown, to a model and to a reviewer."""
        return {
            "discipline": discipline,
            "heads": [
                [head, n, points_below(head, self.points, self.heads, _BELOW)] for head, n in self.shown()
            ],
            "points": digest_of(dict(self.points)),
            "clusters": [[cluster.questions, list(cluster.terms)] for cluster in self.clusters],
        }

    def shown(self) -> list[tuple[str, int]]:
        """The groups, most frequent first, as many as a prompt can hold."""
        return sorted(self.heads.items(), key=lambda found: (-found[1], found[0]))[:_MOST_HEADS]


@dataclass(frozen=True)
class Surveyor:
    """Asks for subject lists; a `Proposer`.

    Args:
        materials: by discipline.
    """

    materials: Mapping[str, Material]
    command: str = COMMAND
    job: str = JOB

    @property
    def signature(self) -> JsonValue:
        """The prompts; what is shown enters by the units."""
        return {language: taxonomy_prompt(language).sha256 for language in PROMPT_LANGUAGES}

    def plan(self, discipline: str, items: Sequence[Item]) -> Plan:
        """One unit: the discipline. The items do not matter, the whole pool speaks."""
        return taxonomy_plan(discipline, self.materials[discipline])

    async def propose(self, unit: Unit, panel: Panel) -> list[Proposal]:
        """Ask the first model, with one re-ask when the checks find something.

        Raises:
            ItemError: no usable reply.
        """
        material = self.materials[unit.item_id]
        heads = dict(material.shown())
        prompt = taxonomy_prompt(material.language)
        reply = await panel.mended(
            panel.request(unit.item_id, taxonomy_text(unit.item_id, material)),
            TaxonomyReply,
            lambda value: findings_of(as_discipline(unit.item_id, value), as_assignment(value), heads),
            lambda request, value: _complaint(value, heads),
            reask=_reask,
        )
        return taxonomy_proposals(
            unit,
            as_discipline(unit.item_id, reply.value),
            as_assignment(reply.value),
            reply.findings,
            model=panel.name,
            prompt_hash=prompt.sha256,
            call_id=reply.call_id,
        )


def taxonomy_plan(discipline: str, material: Material) -> Plan:
    """The discipline as a unit; nothing to propose from where it has neither points nor clusters."""
    unit = Unit(JOB, discipline, None, material.view(discipline), None)
    if not material.heads and not material.clusters:
        why = "no knowledge points, and the pool was not embedded"
        return Plan((), (unit.rejected(COMMAND, "nothing-to-go-by", why),))
    return Plan((unit,))


def taxonomy_proposals(
    unit: Unit,
    discipline: DisciplineTaxonomy,
    assignment: Mapping[str, Sequence[str]],
    findings: Sequence[str],
    *,
    model: str,
    prompt_hash: str | None = None,
    call_id: str | None = None,
) -> list[Proposal]:
    """Subjects, who covers what, and what the checks found; with findings the subjects have no confidence at all."""

    def proposal(field: str, value: JsonValue, confidence: float | None = None) -> Proposal:
        return unit.proposal(
            field, value, model=model, confidence=confidence, prompt_hash=prompt_hash, call_id=call_id
        )

    made = [
        proposal("subjects", discipline.model_dump(mode="json"), 0.0 if findings else None),
        proposal("assignment", {name: list(heads) for name, heads in sorted(assignment.items())}),
    ]
    if findings:
        made.append(proposal("findings", list(findings)))
    return made


def taxonomy_text(discipline: str, material: Material) -> str:
    """The prompt for a discipline, in the language of most of its questions."""
    lines = []
    for head, n in material.shown():
        below = points_below(head, material.points, material.heads, _BELOW)
        lines.append(f"- {head} ({n})" + (f": {'; '.join(below)}" if below else ""))
    clusters = [f"- {cluster.questions}: {', '.join(cluster.terms)}" for cluster in material.clusters]
    return taxonomy_prompt(material.language).fill(
        discipline=discipline,
        heads=fence("\n".join(lines) or "-", "points"),
        clusters=fence("\n".join(clusters) or "-", "clusters"),
    )


def taxonomy_prompt(language: str) -> Prompt:
    """The prompt in one language."""
    return load_prompt("benchwright.curation", "taxonomy", language, PROMPT_VERSION)


def as_discipline(discipline: str, reply: TaxonomyReply) -> DisciplineTaxonomy:
    """The reply in the form of a taxonomy file's discipline."""
    return DisciplineTaxonomy(
        id=discipline,
        names={"en": reply.discipline_en, "zh": reply.discipline_zh},
        subjects=tuple(
            Subject(
                id=subject.id,
                names={"en": subject.name_en, "zh": subject.name_zh},
                descriptions={"en": subject.description_en, "zh": subject.description_zh},
            )
            for subject in reply.subjects
        ),
    )


def as_assignment(reply: TaxonomyReply) -> dict[str, tuple[str, ...]]:
    """Subject id -> groups that it covers."""
    return {subject.id: tuple(dict.fromkeys(subject.covers)) for subject in reply.subjects}


def _complaint(reply: TaxonomyReply, heads: Mapping[str, int]) -> str | None:
    ids = [subject.id for subject in reply.subjects]
    if len(set(ids)) != len(ids):
        return "two subjects share an id"
    unknown = sorted({head for subject in reply.subjects for head in subject.covers} - set(heads))
    if unknown:
        return f"covers must hold groups from the list, letter by letter; not in it: {'; '.join(unknown[:5])}"
    return None


def _reask(findings: Sequence[str]) -> str:
    listed = "\n".join(f"- {finding}" for finding in findings)
    return (
        "A program found this in your list:\n"
        f"{listed}\n"
        "Reply again with the whole object of the form asked for, mended. Every group must stand in "
        "exactly one `covers`."
    )
