"""Reads from the workspace what the tagging proposers need: subjects, vocabularies, labels that people gave."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchwright.curation.embed import load_vectors
from benchwright.curation.estimate import Known, estimate_all
from benchwright.curation.proposers.tagging import JOB, Sorting, Tagger
from benchwright.curation.proposers.tagging_embedded import EmbeddedTagger
from benchwright.curation.proposers.tagging_points import Vocabulary
from benchwright.models.embedders import open_embedder
from benchwright.schemas.errors import ItemError
from benchwright.schemas.jobs import problem_id, tagging_view
from benchwright.schemas.records import Question
from benchwright.schemas.selection import Estimate
from benchwright.schemas.tables import iter_records, read_records
from benchwright.schemas.taxonomy import Taxonomy, load_taxonomy
from benchwright.schemas.words import Trust, Words
from benchwright.schemas.workspace import Workspace


def asking_tagger(workspace: Workspace, disciplines: Sequence[str]) -> Tagger:
    """The proposer that asks models.

    Raises:
        UsageError: the taxonomy does not know a discipline, or its pool was not embedded.
    """
    taxonomy = _taxonomy(workspace)
    return Tagger(
        {name: Sorting(taxonomy.subjects(name), read_vocabulary(workspace, name)) for name in disciplines}
    )


def embedded_tagger(
    workspace: Workspace, disciplines: Sequence[str], learn_from_reviews: bool = False
) -> EmbeddedTagger:
    """The proposer that asks nobody.

    Args:
        workspace: the workspace.
        disciplines: those to be tagged.
        learn_from_reviews: estimate anew with final verdicts as further labels. A reviewed question's own proposal
            still comes from a model that did not see its review, so that proposals can be measured against reviews.

    Raises:
        UsageError: the pool of a discipline was not embedded.
    """
    embedder = open_embedder(workspace.recipe.embed.embedder).name
    if not learn_from_reviews:
        return EmbeddedTagger(embedder)
    words = Words.read(workspace, (JOB,), Trust.REVIEWED)
    learned: dict[str, Estimate] = {}
    for name in disciplines:
        questions = sorted(read_records(workspace.pool(name), Question), key=lambda question: question.id)
        reviewed = {question.id: _known(words, question) for question in questions}
        if any(known != Known() for known in reviewed.values()):
            taxonomy = _taxonomy(workspace)
            estimates, _ = estimate_all(
                questions,
                load_vectors(workspace, name, questions),
                name,
                taxonomy.subjects(name) if taxonomy.has(name) else (),
                workspace.recipe.embed.embedder,
                reviewed,
            )
            learned |= {estimate.question_id: estimate for estimate in estimates}
    return EmbeddedTagger(embedder, learned)


def read_vocabulary(workspace: Workspace, discipline: str) -> Vocabulary:
    """The knowledge points of a discipline's pool, as its sources give them.

    Raises:
        UsageError: there are some, and the pool was not embedded.
    """
    carrying = sorted(
        (q for q in iter_records(workspace.pool(discipline), Question) if q.knowledge_points),
        key=lambda question: question.id,
    )
    embedder = workspace.recipe.embed.embedder
    if not carrying:
        return Vocabulary.of([], np.empty((0, 0), np.float32), embedder)
    vectors = load_vectors(workspace, discipline, carrying)
    return Vocabulary.of([question.knowledge_points for question in carrying], vectors, embedder)


def _taxonomy(workspace: Workspace) -> Taxonomy:
    return load_taxonomy(workspace.recipe.benchmark.taxonomy, workspace.taxonomies)


def _known(words: Words, question: Question) -> Known:
    def said(field: str) -> object:
        try:
            found = words.optional(JOB, problem_id(question.id), None, field, tagging_view(question))
        except ItemError:  # reviewers disagree, or saw another text: no label yet
            return None
        return None if found is None else found[0]

    subject, level = said("subject"), said("difficulty")
    return Known(
        subject if isinstance(subject, str) else None,
        level if isinstance(level, int) and 1 <= level <= 5 else None,
    )
