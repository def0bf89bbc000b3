"""The figures of the checklist, counted again: by number of the criterion, what its figure must say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from scipy.stats import chisquare

if TYPE_CHECKING:
    import pandas as pd

    from .recount import Recount

PROBES = 31
"""Fixed replies that the scorer is tried on: part of the program, not of the data."""
NOT_TOLD = "what depends on withheld keys is not told"


SECTIONS = {
    "measures": "What it measures",
    "uses": "Uses",
    "people": "People",
    "related": "Related work",
    "metric": "Scoring",
    "construction": "How it was made",
    "limitations": "Limitations",
    "contact": "Contact",
    "retirement": "Retirement",
}
"""Where a person's words stand on the card."""


def stated(of: Recount, *subjects: str) -> str:
    card = (of.folder / "README.md").read_text(encoding="utf-8")
    texts = {}
    for subject in subjects:
        found = re.search(rf"\n## {SECTIONS[subject]}\n\n((?:[^#!|\n].*\n|\n)+)", card)
        said = "" if found is None else re.sub(r"Machines proposed values: .*", "", found[1])
        if said.split():
            texts[subject] = said
    missing = [subject for subject in subjects if subject not in texts]
    if missing:
        return f"not said yet: {', '.join(missing)}"
    return f"said in {sum(len(text.split()) for text in texts.values())} words"


def experts(of: Recount) -> str:
    jobs = of.jobs()
    if not jobs:
        return "no reviews with figures"
    return f"up to {max(int(job[1]) for job in jobs)} people in {len(jobs)} jobs; {stated(of, 'people')}"


def chance(rows: pd.DataFrame) -> float:
    """Right answers that guessing gives, summed up."""
    ways = {"single-choice": lambda n: n, "multiple-select": lambda n: 2**n - 1}
    closed = rows[(rows.options.map(len) > 0) & rows.question_type.isin(ways)]
    return sum(1 / ways[row.question_type](len(row.options)) for row in closed.itertuples())


def floor(of: Recount) -> str:
    guess = chance(of.keyed) / len(of.keyed)
    if of.withheld:
        return f"guessing {100 * guess:.1f} % over {len(of.keyed)} problems; {NOT_TOLD}"
    name, share = of.always()
    free = of.keyed[of.keyed.options.map(len) == 0].answer
    common = 100 * free.value_counts().max() / len(free)
    return (
        f"guessing {100 * guess:.1f} % over {len(of.keyed)} problems, {name} {100 * share:.1f} % of {len(of.single)}, "
        f"the commonest answer without options {common:.1f} % of {len(free)}"
    )


def blind(of: Recount) -> str:
    if of.withheld:
        return f"empty 0 right; {NOT_TOLD}"
    name, share = of.always()
    right, tried = of.longest()
    guess = chance(of.single) / len(of.single)
    return (
        f"empty 0 right, {name} {100 * share:.1f} %, longest option {100 * right / tried:.1f} % of {tried}, "
        f"guessing {100 * guess:.1f} %"
    )


def judged_twice(of: Recount) -> str:
    said = of.reviews[(of.reviews.job == "quality") & of.reviews.undecided.isna()]
    people = said[said.slot != "adjudication"].groupby("item").reviewer.nunique()
    problems = set(of.rows.problem_id)
    twice = sum(people.get(name, 0) > 1 for name in problems)
    return f"{twice} of {len(problems)} problems judged by two people or more"


def perfect(of: Recount) -> str:
    keys = int(of.full.answer.notna().sum())
    right = keys - of.rows_refused("key-not-scored")
    return f"{right} of {keys} keys are scored right ({100 * right / keys:.1f} %)"


def repeats(of: Recount) -> str:
    searched = sum(one["current"] for one in of.audit("repeats"))
    bad = of.rows_refused("duplicate-problems", "duplicate-across-splits")
    text = f"{bad} rows repeat another problem; {searched} of {of.rows.discipline.nunique()} pools searched"
    template = {line["problem_id"]: line["template"] for line in of.audit("templates")}
    split = of.ones.set_index("problem_id").split
    dev = {template[name] for name in template if split[name] == "dev"}
    shared = sum(split[name] != "dev" and template[name] in dev for name in template)
    return f"{text}; {shared} problems differ from one in another split in numbers alone" if shared else text


def overlap(of: Recount) -> str:
    lines = of.audit("repeats")
    if {one["discipline"] for one in lines if one["sets"]} != set(of.rows.discipline):
        return "not compared with any other set"
    problems = set(of.rows.problem_id)
    held = problems & {name for one in lines for other in one["sets"] for name in other["overlapping"]}
    sets = {other["name"] for one in lines for other in one["sets"]}
    share = 100 * len(held) / len(problems)
    text = f"{len(held)} of {len(problems)} problems ({share:.1f} %) stand in {len(sets)} other sets"
    return f"{text}, {lines[0]['method']}"


def own_ids(of: Recount) -> str:
    good = min(of.rows.id.nunique(), int((of.rows.canary.str.len() > 0).sum()))
    return f"{good} of {len(of.rows)} rows have an id of their own and the canary"


def options(of: Recount) -> str:
    strata = list(of.single.groupby(["discipline", of.single.options.map(len)]))
    p = []
    for (_, places), rows in strata:
        if len(rows) >= 5 * places:
            counts = Counter(rows.answer)
            p.append(chisquare([counts[option["label"]] for option in rows.options.iloc[0]]).pvalue)
    bad = sum(
        row.answer not in [option["label"] for option in row.options]
        for row in of.full[of.full.question_type == "single-choice"].itertuples()
    )
    text = f"{bad} rows with faulty options or key; places tested in {len(p)} of {len(strata)} strata"
    return text + (f", smallest p {min(p):.2g}" if p and not of.withheld else "")


def pictures(of: Recount) -> str:
    shown = {one for images in of.rows.image_sha256 for one in images}
    waiting = sum(line["state"] in ("unchecked", "not-judged") for line in of.audit("gates"))
    return f"{len(shown)} pictures decode; {waiting} rendered ones not read back"


def languages(of: Recount) -> str:
    pairs = of.rows.groupby(["problem_id", "version"]).language.nunique()
    alone = {problem for (problem, _), n in pairs.items() if n < of.rows.language.nunique()}
    codes = [f"languages-{what}-differ" for what in ("options", "numbers", "units")]
    bad = of.rows_refused(*codes, "languages-key-differs")
    text = f"{(pairs > 1).sum()} pairs of rows compared, {bad} rows differ"
    return f"{text}; {len(alone)} problems lack a language somewhere"


def composition(of: Recount) -> str:
    reviewed = [c["certificate"] for c in of.audit("certificates") if c["of"] == "reviewed"]
    held = sum(not one["broken"] for one in reviewed)
    return f"{held} of {of.rows.discipline.nunique()} disciplines have a certificate on reviewed values that holds"


def licences(of: Recount) -> str:
    sources = of.rows[["source", "source_license"]].drop_duplicates()
    page = (of.folder / "LICENSES.md").read_text(encoding="utf-8")
    unknown = page.count("| unknown ")
    names = ["no-licence", "not-redistributable", "not-adaptable", "licence-conflict", "e-mail-address"]
    bad = of.rows_refused(*names, "phone-number", "messenger-account", "account-name")
    text = f"sources: {len(sources)}; {bad} rows not allowed or personal, {unknown} terms unknown"
    nameless = sum(line.startswith("- Questions from ") for line in page.splitlines())
    if unknown or not nameless:
        return text
    return f"{text}; {nameless} sources have to be named, and nobody wrote by which words"


def own_key(of: Recount) -> str:
    bad = of.rows_refused("key-in-text", "key-in-metadata", "image-metadata")
    return f"{bad} rows name their key in text, render note or picture file; files are named by digest"


def construction(of: Recount) -> str:
    origins = sorted({line["origin"] for line in of.audit("origins")})
    return f"values come from: {', '.join(origins)}; {stated(of, 'construction')}"


def pinned(of: Recount) -> str:
    pools = {line["discipline"] for line in of.audit("sources")}
    n = of.rows.discipline.nunique()
    return f"source files of {len(pools)} of {n} pools held by sha256, release loaded by tag"


def effort(of: Recount) -> str:
    return f"effort of {len(of.audit('effort'))} jobs of review on record, cost measured by runs after the release"


CRITERIA: dict[int, Callable[[Recount], str]] = {
    1: lambda of: stated(of, "measures", "uses"),
    2: experts,
    3: lambda of: stated(of, "related"),
    4: lambda of: stated(of, "metric"),
    5: floor,
    9: lambda of: f"{PROBES} of {PROBES} fixed replies scored as they must be",
    10: judged_twice,
    11: lambda of: f"the text and pictures of {len(of.rows)} rows are complete by rule",
    12: perfect,
    13: blind,
    14: own_key,
    16: repeats,
    17: overlap,
    18: own_ids,
    19: options,
    20: pictures,
    21: languages,
    22: composition,
    23: construction,
    24: lambda of: "no score is published; every cell of a report has its 95 % interval",
    25: lambda of: f"errors explained after the release; {stated(of, 'limitations')}",
    26: licences,
    27: pinned,
    30: lambda of: stated(of, "contact"),
    31: lambda of: f"version {of.manifest['tag']}; {stated(of, 'retirement')}",
    32: effort,
}
"""All but those that only runs can measure, whose figure has no number before."""
