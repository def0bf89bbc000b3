"""The certificate as a page for people: what was chosen, which rule came to what, what is proven."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined

from benchwright.curation.select_items import Candidate
from benchwright.schemas.records import DIFFICULTY_NAMES
from benchwright.schemas.selection import Certificate, RuleSlack

FAMILIES = {
    "cluster": "questions of one cluster",
    "chapter": "questions of one chapter",
    "template": "questions with the same words and other numbers",
    "group": "copies of one question",
    "image": "questions about one picture",
}
REASONS = {
    "screened-out": "turned away by screening",
    "duplicate": "repeats another question, which stayed",
    "overlap": "also stands in a set that was compared against",
    "rejected-in-review": "rejected by reviewers",
    "replaced": "replaced by another after it was chosen",
    "license": "licence not among those allowed",
    "no-image": "has no picture",
}
VERDICTS = {
    "optimal": "Proven: no allowed selection is worth more.",
    "gap-limit": "Proven to within the gap that the recipe asks for.",
    "time-limit": "Proven to within the gap below; the time limit ended the search.",
    "preview": "A preview: nothing is proven, and hard rules may be broken.",
}


def certificate_page(certificate: Certificate, examples: Sequence[Candidate]) -> str:
    """The page of a certificate.

    Args:
        certificate: what to show.
        examples: the few-shot examples that were chosen beside the selection.
    """
    environment = Environment(
        loader=PackageLoader("benchwright.curation"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    bands = [rule for rule in certificate.rules if rule.rule.startswith(("difficulty:", "subject:"))]
    return environment.get_template("certificate.html.j2").render(
        c=certificate,
        verdict=VERDICTS[certificate.status],
        bands=[(_named(rule), rule, _bar(rule, bands)) for rule in bands],
        crowded=[rule for rule in certificate.rules if rule not in bands and rule.relaxed_by],
        families=[(FAMILIES[family.family], family) for family in certificate.families],
        reasons=[(REASONS[reason], count) for reason, count in certificate.left_out.items()],
        points=sorted(
            (point for point in certificate.points if not point.stand_in),
            key=lambda point: (bool(point.selected), -point.pool, point.point),
        ),
        examples=dict(sorted(Counter(item.subject for item in examples).items())),
        prices=sorted(certificate.prices.items(), key=lambda pair: (-abs(pair[1]), pair[0]))[:20],
    )


def _named(rule: RuleSlack) -> str:
    kind, value = rule.rule.split(":", 1)
    return f"level {value} ({DIFFICULTY_NAMES[int(value)]})" if kind == "difficulty" else value


def _bar(rule: RuleSlack, bands: Sequence[RuleSlack]) -> dict[str, float]:
    """Where band and count lie, in hundredths of the widest row."""
    widest = max((max(one.upper, one.count) for one in bands), default=1) or 1
    return {
        "from": round(100 * rule.lower / widest, 1),
        "width": round(100 * max(0, rule.upper - rule.lower) / widest, 1),
        "at": round(100 * rule.count / widest, 1),
    }
