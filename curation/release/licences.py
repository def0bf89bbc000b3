"""What the sources of a release allow, and which licence it may therefore have itself.

A licence of which the terms are known says them by its name; the recipe's `[sources.NAME]` says them for all others and
goes first. Where neither does, the answer is `unknown`, and nothing is published on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from benchwright.curation.release.findings import Trouble
from benchwright.curation.release.markdown import pages
from benchwright.schemas.recipe import Permission, SourceRecipe
from benchwright.schemas.records import Record, ReleaseRow
from benchwright.schemas.versions import Version

PER_SOURCE = "other"
"""The release's licence where each problem keeps that of its source."""
QUESTIONS = ("redistribute", "adapt", "commercial", "share_alike", "attribution")
_NO_LICENCE = frozenset({"", "unknown", "none", "?", "n/a"})
_CREATIVE_COMMONS = re.compile(r"cc-by(?P<nc>-nc)?(?P<end>-sa|-nd)?(?:-(?P<version>\d\.\d))?(?:-[a-z]{2,4})?")
_FREE: Mapping[str, Permission] = {
    "redistribute": "yes",
    "adapt": "yes",
    "commercial": "yes",
    "share_alike": "no",
    "attribution": "yes",
}
_PUBLIC: Mapping[str, Permission] = {**_FREE, "attribution": "no"}
_ALIKE: Mapping[str, Permission] = {**_FREE, "share_alike": "yes"}
_KNOWN: Mapping[str, Mapping[str, Permission]] = {
    **dict.fromkeys(("cc0-1.0", "cc0", "public-domain", "pddl", "pddl-1.0", "unlicense", "0bsd"), _PUBLIC),
    **dict.fromkeys(
        ("mit", "apache-2.0", "bsd-2-clause", "bsd-3-clause", "isc", "odc-by", "odc-by-1.0"), _FREE
    ),
    **dict.fromkeys(("odbl", "odbl-1.0", "gfdl", "gfdl-1.3"), _ALIKE),
}


class Terms(Record):
    """What one source allows under one licence."""

    source: str
    licence: str
    redistribute: Permission = "unknown"
    adapt: Permission = "unknown"
    commercial: Permission = "unknown"
    share_alike: Permission = "unknown"
    attribution: Permission = "unknown"
    credit: str = ""
    """The words by which its authors are named; empty where nobody wrote them down."""
    url: str = ""
    problems: int = 0
    """Of the release."""

    @property
    def unknown(self) -> tuple[str, ...]:
        """What is not known of it."""
        return tuple(name for name in QUESTIONS if getattr(self, name) == "unknown")

    @property
    def name(self) -> str:
        """Source and licence, for a sentence."""
        return f"{self.source!r} ({self.licence or 'no licence'})"


class ReleaseLicence(Record):
    """The licence of the release as a whole."""

    license: str
    """As the Hub writes it; `other`: each problem keeps its source's."""
    sentence: str
    """Why it is that one."""


def normal_name(licence: str) -> str:
    """One spelling of a licence's name, as the Hub writes it: `CC BY-SA 4.0` -> `cc-by-sa-4.0`."""
    return re.sub(r"[\s_-]+", "-", licence.strip().lower()).removesuffix("-license")


def known_rights(licence: str) -> Mapping[str, Permission]:
    """What a licence of that name is known to say; empty for one that is not known."""
    name = normal_name(licence)
    if name in _KNOWN:
        return _KNOWN[name]
    if (match := _CREATIVE_COMMONS.fullmatch(name)) is None:
        return {}
    return {
        **_FREE,
        "adapt": "no" if match["end"] == "-nd" else "yes",
        "commercial": "no" if match["nc"] else "yes",
        "share_alike": "yes" if match["end"] == "-sa" else "no",
    }


def terms_of(rows: Iterable[ReleaseRow], sources: Mapping[str, SourceRecipe]) -> tuple[Terms, ...]:
    """The terms of every source and licence of some rows, by name.

    Args:
        rows: of the release.
        sources: the recipe's; what one says counts before what its licence is known to say.
    """
    problems: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        problems.setdefault((row.source, row.source_license), set()).add(row.problem_id)
    return tuple(
        _terms(source, licence, sources.get(source, SourceRecipe()), len(problems[source, licence]))
        for source, licence in sorted(problems)
    )


def _terms(source: str, licence: str, said: SourceRecipe, problems: int) -> Terms:
    known = known_rights(licence)
    answers = {name: getattr(said, name) or known.get(name, "unknown") for name in QUESTIONS}
    return Terms.model_validate(
        {
            "source": source,
            "licence": licence,
            "credit": said.credit or "",
            "url": said.url or "",
            "problems": problems,
            **answers,
        }
    )


def release_licence(chosen: str, terms: Sequence[Terms]) -> ReleaseLicence:
    """The licence of the whole, given the recipe's choice and what the sources demand.

    Sources that demand the same licence for what is made of them fix it where there is no other; with others beside
    them it is split, and each problem keeps its source's.
    """
    if chosen != PER_SOURCE:
        return ReleaseLicence(license=chosen, sentence=f"The release as a whole is under {chosen}.")
    names = {normal_name(one.licence) for one in terms}
    alike = sorted({one.licence for one in terms if one.share_alike == "yes"})
    if alike and len(names) == 1:
        (name,) = names
        return ReleaseLicence(
            license=name,
            sentence=f"All sources are under {alike[0]}, which has to be passed on: so is the release.",
        )
    if alike:
        return ReleaseLicence(
            license=PER_SOURCE,
            sentence=f"Each problem keeps the licence of its source; what is made of problems under "
            f"{', '.join(alike)} has to stay under that licence.",
        )
    return ReleaseLicence(license=PER_SOURCE, sentence="Each problem keeps the licence of its source.")


def licence_troubles(
    rows: Sequence[ReleaseRow],
    sources: Mapping[str, SourceRecipe],
    chosen: str,
    source_languages: Mapping[str, str],
) -> Iterator[Trouble]:
    """Rows that their source does not allow, and rows that the release's licence would promise too much of.

    Args:
        rows: of the release.
        sources: the recipe's.
        chosen: the licence that the recipe names for the whole.
        source_languages: by problem, the language in which the source asks it; a row in another is translated.
    """
    terms = {(one.source, one.licence): one for one in terms_of(rows, sources)}
    for row in rows:
        one = terms[row.source, row.source_license]
        if normal_name(one.licence) in _NO_LICENCE:
            yield Trouble("no-licence", row.id, f"source {one.source!r}")
            continue
        if one.redistribute != "yes":
            yield Trouble(
                "not-redistributable", row.id, f"source {one.name}: redistribute = {one.redistribute}"
            )
        adapted = row.version != Version.ORIGINAL or row.language != source_languages.get(
            row.problem_id, row.language
        )
        if adapted and one.adapt != "yes":
            yield Trouble("not-adaptable", row.id, f"source {one.name}: adapt = {one.adapt}")
        if chosen != PER_SOURCE and (why := _conflict(one, chosen)):
            yield Trouble("licence-conflict", row.id, f"source {one.name}: {why}, the release is {chosen}")


def _conflict(terms: Terms, chosen: str) -> str:
    same = normal_name(terms.licence) == normal_name(chosen)
    if same:
        return ""
    if terms.share_alike != "no":
        return f"share_alike = {terms.share_alike}"
    if terms.commercial != "yes" and known_rights(chosen).get("commercial") != "no":
        return f"commercial = {terms.commercial}"
    return ""


def render_licenses(licence: ReleaseLicence, terms: Sequence[Terms]) -> str:
    """LICENSES.md: what each source allows, and who has to be named."""
    named = [one for one in terms if one.attribution != "no" or one.credit]
    text = (
        pages("benchwright.curation.release")
        .get_template("licenses.md.j2")
        .render(licence=licence, terms=terms, named=named, questions=QUESTIONS)
    )
    return text.rstrip() + "\n"
