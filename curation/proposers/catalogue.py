"""The proposers by command: what `curate tag`, `curate translate`, ... run, with a model and without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.curation.proposers.decomposition import Decomposer
from benchwright.curation.proposers.decomposition_embedded import RuleDecomposer
from benchwright.curation.proposers.multiple_choice import Converter
from benchwright.curation.proposers.multiple_choice_embedded import RuleConverter
from benchwright.curation.proposers.multiple_choice_plan import ChoiceSettings
from benchwright.curation.proposers.placement import Placer
from benchwright.curation.proposers.quality import QualityProposer
from benchwright.curation.proposers.quality_embedded import EmbeddedQuality
from benchwright.curation.proposers.tagging_material import asking_tagger, embedded_tagger
from benchwright.curation.proposers.taxonomy_material import asking_surveyor, embedded_surveyor
from benchwright.curation.proposers.translation import Translator
from benchwright.curation.proposers.unit import EmbeddedProposer, Proposer
from benchwright.models.embedders import open_embedder
from benchwright.schemas.errors import UsageError
from benchwright.schemas.taxonomy import load_taxonomy
from benchwright.schemas.workspace import Workspace

JOB_OF_COMMAND = {
    "taxonomy": "taxonomy",
    "tag": "tagging",
    "assess": "quality",
    "translate": "translation",
    "multiple-choice": "multiple-choice",
    "decompose": "decomposition",
    "place": "placement",
}
"""Commands of `curate` and the jobs whose files they write."""


@dataclass(frozen=True)
class Wishes:
    """Settings of single proposers, as flags give them.

    Attributes:
        solve: trial solutions that a model makes of each question (`assess`).
        blind: least number of tries in each condition without the picture (`assess`).
        options: options of a converted question (`multiple-choice`).
        none_of_these: whether an option may be "none of these" (`multiple-choice`).
        back: whether a translation is translated back (`translate`).
    """

    solve: int = 0
    blind: int = 0
    options: int = 4
    none_of_these: bool = False
    back: bool = True


def asking_proposer(
    workspace: Workspace, command: str, disciplines: Sequence[str], wishes: Wishes
) -> Proposer:
    """The proposer of a command that asks models.

    Raises:
        UsageError: the command asks none.
    """
    recipe = workspace.recipe
    match command:
        case "tag":
            return asking_tagger(workspace, disciplines)
        case "taxonomy":
            return asking_surveyor(workspace, disciplines)
        case "assess":
            return QualityProposer(
                workspace, solve=wishes.solve, blind=wishes.blind, seed=recipe.benchmark.seed
            )
        case "translate":
            embedder = open_embedder(recipe.embed.embedder)
            return Translator(recipe.benchmark.languages, embedder, back=wishes.back)
        case "multiple-choice":
            return Converter(_choice_settings(workspace, wishes))
        case "decompose":
            return Decomposer()
        case "place":
            raise UsageError("`curate place` asks no model: marks are placed by the renderer's rules.")
    raise AssertionError(f"no proposer {command}")


def embedded_proposer(
    workspace: Workspace, command: str, disciplines: Sequence[str], wishes: Wishes
) -> EmbeddedProposer:
    """The proposer of a command that asks nobody.

    Raises:
        UsageError: there is none, or a wish that only a model can fulfil.
    """
    if wishes.solve or wishes.blind:
        raise UsageError("--solve and --blind need somebody to ask: name a model with --model.")
    match command:
        case "tag":
            return embedded_tagger(workspace, disciplines)
        case "taxonomy":
            return embedded_surveyor(workspace, disciplines)
        case "assess":
            return EmbeddedQuality(workspace)
        case "multiple-choice":
            return RuleConverter(_choice_settings(workspace, wishes))
        case "decompose":
            return RuleDecomposer(load_taxonomy(workspace.recipe.benchmark.taxonomy, workspace.taxonomies))
        case "place":
            return Placer(workspace)
    raise UsageError(f"`curate {command}` has no embedded proposer: name a model with --model.")


def _choice_settings(workspace: Workspace, wishes: Wishes) -> ChoiceSettings:
    return ChoiceSettings(
        distractors=wishes.options - 1,
        none_of_these=wishes.none_of_these,
        seed=workspace.recipe.benchmark.seed,
    )
