"""Everything that lies beside the tables of a release: card, documents, licences, checklist, audit, errata, exports.

What does not depend on the tables is gathered before they are written, and is part of the release's signature; the
Croissant description, which holds their digests, and the plots are made when the folder is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright.curation.release.audit import audit_files
from benchwright.curation.release.card import PLOTS_FOLDER, render_card
from benchwright.curation.release.checklist import CHECKLIST_NAME
from benchwright.curation.release.documents.citation import CITATION_NAME, citation
from benchwright.curation.release.documents.croissant import CROISSANT_NAME, croissant
from benchwright.curation.release.documents.pages import (
    DATA_STATEMENT_NAME,
    DATASHEET_NAME,
    data_statement,
    datasheet,
)
from benchwright.curation.release.edition import Edition
from benchwright.curation.release.errata import Erratum, errata_texts
from benchwright.curation.release.exports.source import ExportSource, Instruct
from benchwright.curation.release.exports.write import text_exports
from benchwright.curation.release.licences import render_licenses
from benchwright.curation.release.plots.draw import draw_plots
from benchwright.curation.release.plots.plan import DRAWING
from benchwright.curation.release.withheld import PROMISES_NAME, KeptBack
from benchwright.schemas.digest import digest_of
from benchwright.schemas.release_table import ReleaseFile

CARD_NAME = "README.md"
EXPORTS_FOLDER = "exports"


@dataclass(frozen=True)
class Texts:
    """The files beside the tables."""

    edition: Edition
    early: Mapping[str, str]
    """By name: those that do not depend on the tables, the card among them."""

    @property
    def card(self) -> str:
        """The card."""
        return self.early[CARD_NAME]

    @property
    def mark(self) -> str:
        """Digest of all that goes into them, before the tables are written."""
        return digest_of([dict(self.early), croissant(self.edition, ()), DRAWING, self.edition.plots])

    def files(self, tables: Sequence[ReleaseFile]) -> dict[str, bytes]:
        """All files by name, the late ones among them.

        Args:
            tables: the Parquet files as they were written.
        """
        texts = {**self.early, CROISSANT_NAME: croissant(self.edition, tables)}
        files = {name: text.encode("utf-8") for name, text in texts.items()}
        drawn = draw_plots(self.edition.plots)
        return files | {f"{PLOTS_FOLDER}/{name}": data for name, data in drawn.items()}


def gather_texts(
    edition: Edition, kept: KeptBack, errata: Sequence[Erratum], words: Instruct | None
) -> Texts:
    """Make the files that do not depend on the tables.

    Args:
        edition: what is released.
        kept: what is withheld.
        errata: corrections since the first release.
        words: what `evaluate` puts in front of a question, for `exports/`; None: no exports.
    """
    early = {
        CARD_NAME: render_card(edition),
        "LICENSES.md": render_licenses(edition.licence, edition.terms),
        CHECKLIST_NAME: edition.checked.to_json(),
        DATASHEET_NAME: datasheet(edition),
        DATA_STATEMENT_NAME: data_statement(edition),
        CITATION_NAME: citation(edition),
    }
    early |= audit_files(edition.audit)
    early |= errata_texts(errata, edition.repo_id, edition.release.statements.get("contact", ""))
    if kept.keys:
        early[PROMISES_NAME] = kept.promises
    if words is not None:
        early |= _exports(edition, words)
    return Texts(edition, early)


def _exports(edition: Edition, words: Instruct) -> dict[str, str]:
    """Tasks for other harnesses that load this release from the Hub at its tag."""
    source = ExportSource(
        name=edition.recipe.benchmark.name,
        tag=edition.tag,
        dataset=edition.repo_id,
        revision=edition.tag,
        instruct=words,
        title=edition.title,
    )
    exports = text_exports(source, edition.published.rows)
    return {f"{EXPORTS_FOLDER}/{name}": text for name, text in exports.items()}
