"""A person's words in a document, or, where nobody gave any, what to set so that there are some."""

from __future__ import annotations

from benchwright.schemas.recipe import ReleaseRecipe, Statement


def said(release: ReleaseRecipe, subject: Statement) -> str | None:
    """What the recipe says of a subject; None where it says nothing.

    A comment in the words could end the part of the card that is ours, so it is shown as text.
    """
    words = release.statements.get(subject, "").strip()
    return words.replace("<!--", "&lt;!--") or None


def stated(release: ReleaseRecipe, subject: Statement) -> str:
    """The same, with a plain sentence where it says nothing."""
    return said(release, subject) or f"Not stated: set [release.statements] {subject}."
