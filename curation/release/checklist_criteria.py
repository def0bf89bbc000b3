"""The 32 criteria: how each is decided. What a machine can see is passed or failed; the rest waits for a person."""

from __future__ import annotations

import re
from collections.abc import Callable

from benchwright.curation.release.check_scoring import skewed
from benchwright.curation.release.checklist_about import ABOUT
from benchwright.curation.release.checklist_facts import Answer, Facts
from benchwright.curation.release.checklist_measured import KEYS_NOT_TOLD, MEASURED
from benchwright.schemas.digest import digest_of
from benchwright.schemas.records import ReleaseRow, Split

_SAMPLE = 20
_FIGURE_NUMBER = re.compile(r"(?:图|\bfigures?\s|\bfig\.\s?)\s*(\d{1,2})(?![\d.])", re.IGNORECASE)


def keys_seen_twice(facts: Facts) -> Answer:
    """Criterion 10."""
    once = [name for name in facts.problems if facts.reviewers.get(name, 0) < 2]
    n = len(facts.problems)
    figure = f"{n - len(once)} of {n} problems judged by two people or more"
    mend = "slots = 2 under [annotation], then annotate push quality and annotate pull quality"
    return Answer("fail", figure, mend, once) if once else Answer("pass", figure)


def field_contract(facts: Facts) -> Answer:
    """Criterion 11."""
    codes = (
        "no-text",
        "no-picture",
        "vision-only-text",
        "options-not-asked",
        "figure-missing",
        "placeholder-unfilled",
    )
    bad = facts.found(*codes)
    if bad:
        return Answer(
            "fail",
            f"{len(bad)} rows lack something that their version has to show",
            _commands(facts, *codes),
            bad,
        )
    human = [run for run in facts.runs if run.protocol == "human" and run.judged]
    figure = f"the text and pictures of {len(facts.rows)} rows are complete by rule"
    if human:
        return Answer(
            "pass", f"{figure}; people answered {max(run.judged for run in human)} rows from what is sent"
        )
    sample = _sample(facts.rows)
    return Answer(
        "needs a person", figure, f"answer the {len(sample)} rows named from what they send", sample
    )


def perfect(facts: Facts) -> Answer:
    """Criterion 12."""
    right, keyed = facts.scored
    if not keyed:
        return Answer("fail", "no row has a key", "check with the answers, before they are withheld")
    figure = f"{right} of {keyed} keys are scored right ({100 * right / keyed:.1f} %)"
    bad = facts.found("key-not-scored", "answer-not-an-option", "no-answer")
    if right == keyed:
        return Answer("pass", figure)
    return Answer("fail", figure, _commands(facts, "key-not-scored", "answer-not-an-option"), bad)


def floor(facts: Facts) -> Answer:
    """Criterion 13."""
    seen = facts.floors
    best = max(seen.constants, key=lambda one: (one.share, one.solver), default=None)
    parts = [f"empty {seen.empty} right"]
    if best is not None:
        parts.append(f"{best.solver} {100 * best.share:.1f} %")
    if seen.longest.problems:
        parts.append(f"longest option {100 * seen.longest.share:.1f} % of {seen.longest.problems}")
    single = best.problems if best is not None else 0
    if best is not None and single:
        parts.append(f"guessing {100 * best.chance / single:.1f} %")
    figure = ", ".join(parts) if facts.keys_told else f"{parts[0]}; {KEYS_NOT_TOLD}"
    if seen.empty or seen.better:
        worse = [one.solver for one in seen.better] if facts.keys_told else []
        mend = (
            "permute the options of the problems concerned in review, or replace some of them: curate replace"
        )
        return Answer("fail", figure, mend, worse or (["empty"] if seen.empty else []))
    return Answer("pass", figure)


def key_hidden(facts: Facts) -> Answer:
    """Criterion 14."""
    codes = ("key-in-text", "key-in-metadata", "image-metadata")
    bad = facts.found(*codes)
    figure = f"{len(bad)} rows name their key in text, render note or picture file; files are named by digest"
    return Answer("fail", figure, _commands(facts, *codes), bad) if bad else Answer("pass", figure)


def no_repeats(facts: Facts) -> Answer:
    """Criterion 16."""
    bad = facts.found("duplicate-problems", "duplicate-across-splits")
    searched = {one.discipline for one in facts.content.repeats if one.current}
    unsearched = [name for name in facts.disciplines if name not in searched]
    shared = _templates_across(facts)
    figure = (
        f"{len(bad)} rows repeat another problem; {len(searched)} of {len(facts.disciplines)} pools searched"
    )
    if bad:
        return Answer("fail", figure, _commands(facts, "duplicate-problems", "duplicate-across-splits"), bad)
    if unsearched:
        return Answer("fail", figure, "curate dedup", unsearched)
    if shared:
        note = f"{figure}; {len(shared)} problems differ from one in another split in numbers alone"
        return Answer("needs a person", note, "say whether these may stand in two splits", shared)
    return Answer("pass", figure)


def overlap(facts: Facts) -> Answer:
    """Criterion 17."""
    compared = {one.discipline for one in facts.content.repeats if one.sets}
    missing = [name for name in facts.disciplines if name not in compared]
    held = {name for one in facts.content.repeats for other in one.sets for name in other.overlapping}
    held &= set(facts.problems)
    sets = {other.name for one in facts.content.repeats for other in one.sets}
    share = 100 * len(held) / max(1, len(facts.problems))
    figure = f"{len(held)} of {len(facts.problems)} problems ({share:.1f} %) stand in {len(sets)} other sets"
    if missing:
        return Answer("fail", "not compared with any other set", "curate dedup --against SET", missing)
    return Answer("pass", f"{figure}, {facts.content.repeats[0].method}")


def ids_and_canary(facts: Facts) -> Answer:
    """Criterion 18."""
    bad = facts.found("duplicate-id", "no-canary")
    figure = f"{len(facts.rows) - len(bad)} of {len(facts.rows)} rows have an id of their own and the canary"
    return (
        Answer("fail", figure, _commands(facts, "duplicate-id", "no-canary"), bad)
        if bad
        else Answer("pass", figure)
    )


def options(facts: Facts) -> Answer:
    """Criterion 19."""
    codes = (
        "answer-not-an-option", "no-options", "empty-option", "label-repeated", "labels-not-consecutive",
        "option-repeated", "no-answer",
    )  # fmt: skip
    bad = facts.found(*codes)
    tested = [skew for skew in facts.skews if skew.p is not None]
    crooked = skewed(facts.skews)
    least = min((skew.p for skew in tested if skew.p is not None), default=None)
    figure = f"{len(bad)} rows with faulty options or key; places tested in {len(tested)} of {len(facts.skews)} strata"
    figure += "" if least is None or not facts.keys_told else f", smallest p {least:.2g}"
    if bad:
        return Answer("fail", figure, _commands(facts, *codes), bad)
    if crooked:
        names = [
            f"{skew.stratum} ({' '.join(f'{k}:{v}' for k, v in skew.counts.items())})"
            if facts.keys_told
            else skew.stratum
            for skew in crooked
        ]
        return Answer("fail", figure, "choose among the pool again, or permute options in review", names)
    return Answer("pass", figure)


def figures_exist(facts: Facts) -> Answer:
    """Criterion 20."""
    codes = (
        "figure-missing",
        "placeholder-unfilled",
        "image-missing",
        "image-changed",
        "image-undecodable",
        "illegible-image",
        "not-rendered",
        "stale-render",
        "text-changed",
        "unchecked-image",
    )
    bad = facts.found(*codes)
    pictures = len({sha256 for row in facts.rows for sha256 in row.images})
    figure = f"{pictures} pictures decode; {len(facts.content.unchecked)} rendered ones not read back"
    if bad:
        return Answer(
            "fail", f"{len(bad)} rows with a missing or broken picture", _commands(facts, *codes), bad
        )
    if facts.content.unchecked:
        return Answer("fail", figure, "render check", facts.content.unchecked)
    more = _more_figures(facts.rows)
    if more:
        note = f"{figure}; {len(more)} rows name more numbered figures than they have pictures"
        return Answer("needs a person", note, "see whether one picture holds them all", more)
    return Answer("pass", figure)


def languages(facts: Facts) -> Answer:
    """Criterion 21."""
    codes = (
        "languages-options-differ",
        "languages-key-differs",
        "languages-numbers-differ",
        "languages-units-differ",
    )
    bad = facts.found(*codes)
    pairs: dict[tuple[str, str], set[str]] = {}
    for row in facts.rows:
        pairs.setdefault((row.problem_id, row.version), set()).add(row.language)
    both = sum(len(found) > 1 for found in pairs.values())
    alone = sorted(
        {
            problem
            for (problem, _), found in pairs.items()
            if len(found) < len(facts.recipe.benchmark.languages)
        }
    )
    figure = f"{both} pairs of rows compared, {len(bad)} rows differ; {len(alone)} problems lack a language somewhere"
    if bad:
        return Answer("fail", figure, _commands(facts, *codes), bad)
    return Answer("pass", figure)


def composition(facts: Facts) -> Answer:
    """Criterion 22."""
    without = [name for name, made in facts.certificates.items() if made is None]
    broken = [
        f"{name}: {rule.rule}" for name, made in facts.certificates.items() if made for rule in made.broken
    ]
    held = sum(made is not None and made.holds for made in facts.certificates.values())
    figure = (
        f"{held} of {len(facts.certificates)} disciplines have a certificate on reviewed values that holds"
    )
    if without or broken:
        return Answer("fail", figure, "curate certify, then curate replace", [*without, *broken])
    return Answer("pass", figure)


def licences(facts: Facts) -> Answer:
    """Criterion 26."""
    codes = (
        "no-licence", "not-redistributable", "not-adaptable", "licence-conflict", "e-mail-address", "phone-number",
        "messenger-account", "account-name",
    )  # fmt: skip
    bad = facts.found(*codes)
    open_ones = [f"{one.source}: {name}" for one in facts.terms for name in one.unknown]
    nameless = [one.source for one in facts.terms if one.attribution != "no" and not one.credit]
    figure = f"sources: {len(facts.terms)}; {len(bad)} rows not allowed or personal, {len(open_ones)} terms unknown"
    if bad:
        return Answer("fail", figure, _commands(facts, *codes), bad)
    if open_ones:
        return Answer("fail", figure, "[sources.NAME] in benchwright.toml", open_ones)
    if nameless:
        note = f"{figure}; {len(nameless)} sources have to be named, and nobody wrote by which words"
        return Answer("needs a person", note, "credit under [sources.NAME] in benchwright.toml", nameless)
    return Answer("pass", figure)


def _commands(facts: Facts, *codes: str) -> str:
    found = dict.fromkeys(facts.findings[code].command for code in codes if code in facts.findings)
    return "; ".join(found)


def _sample(rows: tuple[ReleaseRow, ...]) -> list[str]:
    """Rows for a person, spread over versions and languages: the same for the same release."""
    strata: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        strata.setdefault((row.version, row.language), []).append(row.id)
    drawn = [sorted(names, key=digest_of) for _, names in sorted(strata.items())]
    return [names[turn] for turn in range(_SAMPLE) for names in drawn if turn < len(names)][:_SAMPLE]


def _templates_across(facts: Facts) -> list[str]:
    dev = {facts.templates.get(row.problem_id) for row in facts.rows if row.split is Split.DEV} - {None}
    return sorted(
        {
            row.problem_id
            for row in facts.rows
            if row.split is not Split.DEV and facts.templates.get(row.problem_id) in dev
        }
    )


def _more_figures(rows: tuple[ReleaseRow, ...]) -> list[str]:
    """Rows whose text names more numbered figures than they have pictures; a rendered page may hold several."""
    return [
        row.id
        for row in rows
        if row.render is None
        and len(set(_FIGURE_NUMBER.findall(row.full_question))) > max(1, len(row.images))
    ]


_BY_NUMBER: dict[int, tuple[str, Callable[[Facts], Answer]]] = {
    **ABOUT,
    **MEASURED,
    10: ("keys verified by a second person", keys_seen_twice),
    11: ("every item solvable from what is sent", field_contract),
    12: ("a perfect solver gets 100 %", perfect),
    13: ("empty, constant, longest answers at the floor", floor),
    14: ("no key in text, file names, metadata", key_hidden),
    16: ("no repeats inside or across splits", no_repeats),
    17: ("overlap with public sets stated", overlap),
    18: ("own id and canary in every row", ids_and_canary),
    19: ("answer is an option, key places even", options),
    20: ("figures exist, decode, are legible", figures_exist),
    21: ("languages agree: numbers, units, options, key", languages),
    22: ("composition as announced", composition),
    26: ("licences complete, no personal data", licences),
}
CRITERIA: tuple[tuple[str, Callable[[Facts], Answer]], ...] = tuple(
    entry for _, entry in sorted(_BY_NUMBER.items())
)
"""Name and judge of each criterion, in order from 1."""
