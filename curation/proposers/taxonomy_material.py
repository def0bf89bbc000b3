"""Reads from the workspace what the taxonomy proposers need: points and their groups, clusters and their words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchwright.curation.embed import embedding_text, index_path, load_vectors
from benchwright.curation.kmeans import kmeans
from benchwright.curation.proposers.taxonomy import Cluster, Material, Surveyor
from benchwright.curation.proposers.taxonomy_embedded import EmbeddedSurveyor
from benchwright.curation.proposers.taxonomy_heads import heads_of
from benchwright.curation.proposers.taxonomy_terms import distinctive_terms
from benchwright.models.embedders import open_embedder
from benchwright.schemas.digest import digest_of
from benchwright.schemas.records import Question
from benchwright.schemas.tables import iter_records
from benchwright.schemas.workspace import Workspace

MOST_QUESTIONS = 20_000
"""Questions whose texts are clustered; more change the words of the large clusters little."""
_PER_CLUSTER = 50
_FEWEST_CLUSTERS, _MOST_CLUSTERS = 4, 24


def asking_surveyor(workspace: Workspace, disciplines: Sequence[str]) -> Surveyor:
    """The proposer that asks models."""
    return Surveyor({name: read_material(workspace, name) for name in disciplines})


def embedded_surveyor(workspace: Workspace, disciplines: Sequence[str]) -> EmbeddedSurveyor:
    """The proposer that asks nobody."""
    embedder = workspace.recipe.embed.embedder
    materials = {name: read_material(workspace, name) for name in disciplines}
    return EmbeddedSurveyor(materials, embedder, open_embedder(embedder).name)


def read_material(workspace: Workspace, discipline: str) -> Material:
    """Points and clusters of a discipline's pool; no clusters where the pool was not embedded.

    Raises:
        UsageError: the pool changed since it was embedded.
    """
    points = Counter[str]()
    languages = Counter[str]()
    sample: list[tuple[str, Question]] = []
    for question in iter_records(workspace.pool(discipline), Question):
        points.update(set(question.knowledge_points))
        languages[question.language] += 1
        sample.append((digest_of(question.id), question))
    chosen = [question for _, question in sorted(sample, key=lambda found: found[0])[:MOST_QUESTIONS]]
    embedded = index_path(workspace, discipline).is_file()
    counts = dict(sorted(points.items()))
    return Material(
        points=counts,
        heads=heads_of(counts),
        clusters=_clusters(workspace, discipline, chosen) if embedded and chosen else (),
        language="zh" if languages["zh"] > languages["en"] else "en",
    )


def _clusters(workspace: Workspace, discipline: str, questions: Sequence[Question]) -> tuple[Cluster, ...]:
    k = min(_MOST_CLUSTERS, max(_FEWEST_CLUSTERS, len(questions) // _PER_CLUSTER))
    found = kmeans(load_vectors(workspace, discipline, questions), k, workspace.recipe.benchmark.seed)
    labels = found.labels.tolist()
    terms = distinctive_terms([embedding_text(question) for question in questions], labels)
    sizes = Counter(labels)
    clusters = [Cluster(sizes[label], tuple(words)) for label, words in enumerate(terms)]
    return tuple(sorted(clusters, key=lambda cluster: (-cluster.questions, cluster.terms)))
