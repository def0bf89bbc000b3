"""One edition of the dataset before it is written: what its card and its documents are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchwright.curation.release.audit import release_audit
from benchwright.curation.release.audit_records import ReleaseAudit
from benchwright.curation.release.checklist import Checklist
from benchwright.curation.release.licences import ReleaseLicence, Terms, release_licence, terms_of
from benchwright.curation.release.plots.inputs import Plot
from benchwright.curation.release.plots.plan import plots_of
from benchwright.curation.release.rows import ReleaseContent
from benchwright.curation.release.sent import Sent, sent_outside
from benchwright.curation.release.statistics import ReleaseFigures, release_figures
from benchwright.curation.release.statistics_audit import AuditFigures, audit_figures
from benchwright.curation.release.withheld import KeptBack
from benchwright.schemas.recipe import Recipe, ReleaseRecipe
from benchwright.schemas.records import Origin
from benchwright.schemas.taxonomy import load_taxonomy
from benchwright.schemas.workspace import Workspace

_SOURCE = Origin.SOURCE.value
"""Stands in place of a model where a value was taken over as the source has it."""


@dataclass(frozen=True)
class Edition:
    """Rows as they are published, what was counted from them, and what the workspace knows besides."""

    recipe: Recipe
    tag: str
    repo_id: str
    published: ReleaseContent
    """Without the answers that are withheld."""
    withheld: Mapping[str, int]
    """Rows without their answers, by split."""
    audit: ReleaseAudit
    """What lies beside the rows, so that every figure can be counted again."""
    figures: ReleaseFigures
    """Counted from the rows."""
    found: AuditFigures
    """Counted from the audit."""
    plots: tuple[Plot, ...]
    """Not drawn yet."""
    checked: Checklist
    terms: tuple[Terms, ...]
    licence: ReleaseLicence
    machines: Mapping[str, tuple[str, ...]]
    """By job: the models and rules that proposed values, whether or not people kept them."""
    sent: tuple[Sent, ...]
    """To models outside the builders' machines."""

    @classmethod
    def of(
        cls,
        workspace: Workspace,
        tag: str,
        repo_id: str,
        published: ReleaseContent,
        kept: KeptBack,
        checked: Checklist,
    ) -> Edition:
        """Gather it.

        Args:
            workspace: where reviews and proposals lie.
            tag: of the edition.
            repo_id: the dataset's id on the Hub.
            published: rows without the answers that are withheld, pictures, and what was left out.
            kept: what is withheld.
            checked: the release checklist.

        Raises:
            UsageError: the figures on reviews are older than the reviews.
        """
        recipe = workspace.recipe
        terms = terms_of(published.rows, recipe.sources)
        audit = release_audit(workspace, tag, published)
        taxonomy = load_taxonomy(recipe.benchmark.taxonomy, workspace.taxonomies)
        return cls(
            recipe=recipe,
            tag=tag,
            repo_id=repo_id,
            published=published,
            withheld=kept.counts,
            audit=audit,
            figures=release_figures(published.rows, audit),
            found=audit_figures(published.rows, audit),
            plots=plots_of(published.rows, audit, taxonomy),
            checked=checked,
            terms=terms,
            licence=release_licence(recipe.release.license, terms),
            machines=_machines(audit),
            sent=sent_outside(workspace),
        )

    @property
    def title(self) -> str:
        """What the dataset is called."""
        return self.recipe.benchmark.title or self.recipe.benchmark.name

    @property
    def release(self) -> ReleaseRecipe:
        """The recipe's part about releases."""
        return self.recipe.release

    @property
    def languages(self) -> tuple[str, ...]:
        """Of the published rows, sorted."""
        return tuple(sorted({row.language for row in self.published.rows}))

    @property
    def url(self) -> str:
        """The dataset's page."""
        return self.release.url or f"https://huggingface.co/datasets/{self.repo_id}"


def _machines(audit: ReleaseAudit) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for line in audit.machines:
        if line.model != _SOURCE:
            found.setdefault(line.job, []).append(line.model)
    return {job: tuple(models) for job, models in found.items()}
