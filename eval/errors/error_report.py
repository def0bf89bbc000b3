"""Shares of the kinds of errors by discipline, as in VisScience's Figure 4, and how far a machine's word agrees.

A share rests on people's final verdicts; what a model proposed stands beside it and is called that. Every share has its
denominator. Answers are drawn per discipline, so the line over all weights each discipline with its wrong answers.
Answers to the versions and languages of one problem are not independent: intervals over several of them rest on whole
problems. Answers about which people said "cannot decide" or "the item is faulty" are reviewed and have no kind.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchwright.eval.display.charts import Chart, Point, Series
from benchwright.eval.errors.draw import is_wrong
from benchwright.eval.errors.kinds import FIELD, JOB, KINDS
from benchwright.eval.errors.offering import read_offered
from benchwright.eval.metrics.intervals import (
    NO_INTERVAL,
    Interval,
    IntervalMethod,
    Ratio,
    figure_of,
    interval_over_problems,
    wilson,
)
from benchwright.eval.runs.store import RunFolder
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.jobs import Proposal, Review, Verdict, shown_digest
from benchwright.schemas.journal import Journal, read_jsonl
from benchwright.schemas.records import Record, Rejected
from benchwright.schemas.review_states import QUALIFICATION, current_states
from benchwright.schemas.runs import Answered, RunFiles, errors_view, read_run, run_item_id
from benchwright.schemas.workspace import Workspace

TITLES = {
    "reasoning": "Reasoning",
    "knowledge": "Knowledge",
    "calculation": "Calculation",
    "vision-recognition": "Vision recognition",
    "question-misunderstood": "Question misunderstood",
}
PAPER_SHARES: Mapping[str, Mapping[str, float]] = {
    "mathematics": {"reasoning": 56.5, "vision-recognition": 18.8, "knowledge": 8.8},
    "physics": {"reasoning": 50.1, "vision-recognition": 17.8},
    "chemistry": {"reasoning": 40.6, "knowledge": 33.2, "vision-recognition": 15.3},
}
"""Percentages that VisScience's section 3.3 states of GPT-4o's errors, found by people; the others are in a picture."""


class Share(Record):
    """One kind's part of the answers that have a kind. `share` and its interval are None where none has."""

    kind: str
    n: int
    of: int
    share: float | None
    """n / of; over several disciplines their shares, weighted with their numbers of wrong answers."""
    low: float | None
    high: float | None
    interval: IntervalMethod


class DisciplineErrors(Record):
    """The wrong answers of one discipline, or of all (`ALL`)."""

    discipline: str
    wrong: int
    """Answers judged inconsistent."""
    drawn: int
    """Of these, drawn to be looked at."""
    proposed: int
    """Drawn, with a proposal for what stands there now."""
    reviewed: int
    """Drawn, with a final word of people: a kind, or that there is none."""
    without_kind: dict[str, int]
    """Reviewed, by why they have no kind: `cannot-decide`, `item-faulty`."""
    by_people: tuple[Share, ...]
    """Over the reviewed answers that have a kind."""
    by_model: tuple[Share, ...]
    """Over the proposed ones: a machine's word."""


class Agreement(Record):
    """How often people's final kind is the proposed one, over answers that have both."""

    among: str
    """`all`; `withheld`: reviewed by people who were not shown the proposal; `shown`: all others."""
    n: int
    equal: int
    share: float | None
    low: float | None
    high: float | None
    interval: IntervalMethod
    kappa: float | None
    """Cohen's, unweighted; None where it is undefined (nothing varies)."""


class ErrorsReport(Record):
    """What `evaluate errors RUN --report` writes."""

    run_id: str
    model: str
    dataset: str
    proposers: tuple[str, ...]
    """Models that proposed, each with the digest of its prompt."""
    stale: int
    """Proposals about answers that have changed or are not wrong any more; they count for nothing."""
    disciplines: tuple[DisciplineErrors, ...]
    total: DisciplineErrors
    agreement: tuple[Agreement, ...]


@dataclass(frozen=True)
class _Looked:
    """One wrong answer and what was said about it."""

    item: str
    discipline: str
    problem: str
    place: tuple[str, str]
    """Version and language."""
    drawn: bool
    proposed: str | None
    decided: str | None
    undecided: str | None
    withheld: bool

    @property
    def reviewed(self) -> bool:
        return self.decided is not None or self.undecided is not None


def errors_report(workspace: Workspace, folder: RunFolder) -> ErrorsReport:
    """Count what was proposed and reviewed about a run's wrong answers.

    Raises:
        UsageError: no such run.
    """
    spec, files = folder.spec(), read_run(folder.path)
    wrong = [answered for answered in files.answered if is_wrong(answered)]
    offered = read_offered(workspace, JOB, files.run_id)
    looked = _looked(workspace, files, wrong, offered)
    digests = dict(_keys(files, wrong))
    fitting = [p for p in offered if digests.get(p.item_id) == p.digest]
    disciplines = sorted({one.discipline for one in looked})
    return ErrorsReport(
        run_id=files.run_id,
        model=spec.model.name,
        dataset=spec.dataset.name,
        proposers=tuple(sorted({f"{p.model} (prompt {(p.prompt_hash or '')[:12]})" for p in fitting})),
        stale=len(offered) - len(fitting),
        disciplines=tuple(
            _counted(name, [o for o in looked if o.discipline == name]) for name in disciplines
        ),
        total=_counted("ALL", looked),
        agreement=tuple(
            _agreement(among, members)
            for among, members in (
                ("all", looked),
                ("shown", [one for one in looked if not one.withheld]),
                ("withheld", [one for one in looked if one.withheld]),
            )
        ),
    )


def errors_markdown(report: ErrorsReport) -> str:
    """The report as Markdown."""
    lines = [f"# Errors of {report.model} on {report.dataset} (run {report.run_id})", ""]
    lines += [
        "Kinds as in VisScience, section 3.3; one main kind an answer, that of its earliest fault. Shares are of the "
        "reviewed answers that have a kind, with 95 % intervals: Wilson's, or, marked †, over whole problems where one "
        "problem stands there several times (versions, languages). ALL weights each discipline with its wrong answers, "
        "because the sample is drawn per discipline.",
        "",
        f"Proposed by: {', '.join(report.proposers) or 'nobody'}. A proposal is a machine's word until it is reviewed.",
        "",
        "| discipline | wrong | drawn | proposed | reviewed | without a kind |",
        "|---|---:|---:|---:|---:|---|",
    ]
    groups = [*report.disciplines, report.total]
    lines += [
        f"| {g.discipline} | {g.wrong} | {g.drawn} | {g.proposed} | {_part(g.reviewed, g.drawn)} | {_without(g)} |"
        for g in groups
    ]
    lines += ["", "## Shares by people's verdicts", "", *_shares(groups, "by_people")]
    lines += ["", "## Shares by proposal (not reviewed)", "", *_shares(groups, "by_model")]
    lines += ["", "## Do proposals and verdicts agree?", "", *_agreement_lines(report.agreement)]
    lines += [
        "",
        "## What the paper states of GPT-4o, on its own data, by its own review (per cent)",
        "",
        *_paper(),
    ]
    if report.stale:
        lines += [
            "",
            f"{report.stale} proposals are about answers that changed or are not wrong any more: left out.",
        ]
    return "\n".join(lines) + "\n"


def errors_chart(report: ErrorsReport) -> Chart | None:
    """The shares by discipline as one picture, by people's verdicts; by proposal, and called so, while there are none.

    None where nothing was said yet.
    """
    reviewed = any(group.by_people[0].of for group in report.disciplines)
    which = "by_people" if reviewed else "by_model"
    shown = [group for group in report.disciplines if getattr(group, which)[0].of]
    if not shown:
        return None
    series = tuple(
        Series(TITLES[kind], tuple(Point(getattr(group, which)[place].share) for group in shown))
        for place, kind in enumerate(KINDS)
    )
    whose = "people's verdicts" if reviewed else "a model's proposals, not reviewed"
    return Chart(
        name="errors",
        kind="shares",
        title="Kinds of errors by discipline",
        places=tuple(f"{group.discipline} (n = {getattr(group, which)[0].of})" for group in shown),
        series=series,
        value_name=f"% of the answers with a kind, by {whose}",
    )


def _keys(files: RunFiles, wrong: Iterable[Answered]) -> Iterable[tuple[str, str]]:
    for answered in wrong:
        digest = shown_digest(errors_view(answered.row, answered.response))
        yield run_item_id(files.run_id, answered.row.id), digest


def _looked(
    workspace: Workspace, files: RunFiles, wrong: Sequence[Answered], offered: Sequence[Proposal]
) -> list[_Looked]:
    keys = dict(_keys(files, wrong))
    proposed = {
        p.item_id: str(p.value) for p in offered if keys.get(p.item_id) == p.digest and p.value in KINDS
    }
    failed = _failed(workspace)
    decided = _decided(workspace, keys)
    said = _said(workspace, keys)
    looked = []
    for answered in wrong:
        item = run_item_id(files.run_id, answered.row.id)
        states = said.get(item, [])
        gave_up = {state.undecided for state in states if state.undecided}
        kind = decided.get(item)
        looked.append(
            _Looked(
                item=item,
                discipline=answered.row.discipline,
                problem=answered.row.problem_id,
                place=(answered.row.version, answered.row.language),
                drawn=item in proposed or item in failed or bool(states),
                proposed=proposed.get(item),
                decided=kind,
                # One word for all who answered: people who disagree have not settled anything yet.
                undecided=next(iter(gave_up))
                if kind is None and len(gave_up) == 1 and all(state.undecided for state in states)
                else None,
                withheld=bool(states) and all(state.withheld for state in states),
            )
        )
    return looked


def _failed(workspace: Workspace) -> set[str]:
    path = workspace.proposals_rejected(JOB)
    return {record.item_id for record in read_jsonl(path, Rejected)} if path.is_file() else set()


def _decided(workspace: Workspace, keys: Mapping[str, str]) -> dict[str, str]:
    path = workspace.verdicts(JOB)
    verdicts = read_jsonl(path, Verdict) if path.is_file() else []
    return {
        v.item_id: str(v.value)
        for v in verdicts
        if v.field == FIELD and v.basis != "open" and v.value in KINDS and keys.get(v.item_id) == v.digest
    }


def _said(workspace: Workspace, keys: Mapping[str, str]) -> dict[str, list[Review]]:
    """Submitted words on today's answers, by item."""
    path = workspace.reviews(JOB)
    found: dict[str, list[Review]] = {}
    for review in current_states(Journal(path).read(Review)) if path.is_file() else []:
        right = review.field == FIELD and review.state == "submitted" and review.slot != QUALIFICATION
        if right and keys.get(review.item_id) == review.digest:
            found.setdefault(review.item_id, []).append(review)
    return found


def _counted(name: str, looked: Sequence[_Looked]) -> DisciplineErrors:
    return DisciplineErrors(
        discipline=name,
        wrong=len(looked),
        drawn=sum(one.drawn for one in looked),
        proposed=sum(one.proposed is not None for one in looked),
        reviewed=sum(one.reviewed for one in looked),
        without_kind=dict(sorted(Counter(one.undecided for one in looked if one.undecided).items())),
        by_people=_shares_of(looked, {o.item: o.decided for o in looked if o.decided}),
        by_model=_shares_of(looked, {o.item: o.proposed for o in looked if o.proposed}),
    )


def _shares_of(looked: Sequence[_Looked], kinds: Mapping[str, str]) -> tuple[Share, ...]:
    """The share of each kind, each discipline weighted with its wrong answers.

    Args:
        looked: wrong answers.
        kinds: kind by item, of those that have one.
    """
    wrong = Counter(one.discipline for one in looked)
    known: dict[str, list[_Looked]] = defaultdict(list)
    for one in looked:
        if one.item in kinds:
            known[one.discipline].append(one)
    total = sum(wrong[discipline] for discipline in known)
    shares = []
    for kind in KINDS:
        parts = [
            (wrong[discipline] / total, [(one, kinds[one.item] == kind) for one in members])
            for discipline, members in sorted(known.items())
        ]
        share, interval = _with_interval(parts)
        shares.append(
            Share(
                kind=kind,
                n=sum(said == kind for said in kinds.values()),
                of=len(kinds),
                share=share,
                low=interval.low,
                high=interval.high,
                interval=interval.method,
            )
        )
    return tuple(shares)


def _with_interval(
    parts: Sequence[tuple[float, Sequence[tuple[_Looked, bool]]]],
) -> tuple[float | None, Interval]:
    """The weighted share of yes among answers, and its interval; Wilson's only where no problem stands there twice."""
    if not any(members for _, members in parts):
        return None, NO_INTERVAL
    ratios = []
    for weight, members in parts:
        sums: dict[Hashable, tuple[float, float]] = {}
        for one, yes in members:
            right, n = sums.get(one.problem, (0.0, 0.0))
            sums[one.problem] = (right + yes, n + 1)
        ratios.append(Ratio(weight, sums))
    answers = [one for _, members in parts for one, _ in members]
    problems, places = {one.problem for one in answers}, {one.place for one in answers}
    if len(parts) == len(places) == 1 and len(problems) == len(answers):
        low, high = wilson(sum(yes for _, members in parts for _, yes in members), len(answers))
        return figure_of(ratios), Interval(low, high, "wilson")
    return figure_of(ratios), interval_over_problems(ratios)


def _agreement(among: str, looked: Iterable[_Looked]) -> Agreement:
    both = [one for one in looked if one.proposed and one.decided]
    same = [(one, one.proposed == one.decided) for one in both]
    share, interval = _with_interval([(1.0, same)])
    return Agreement(
        among=among,
        n=len(both),
        equal=sum(equal for _, equal in same),
        share=share,
        low=interval.low,
        high=interval.high,
        interval=interval.method,
        kappa=_kappa([(one.proposed, one.decided) for one in both]),
    )


def _kappa(pairs: Sequence[tuple[str | None, str | None]]) -> float | None:
    if len({kind for pair in pairs for kind in pair}) < 2:
        return None  # nothing varies: chance alone would agree as often
    from sklearn.metrics import cohen_kappa_score

    return float(cohen_kappa_score([one for one, _ in pairs], [other for _, other in pairs]))


def _shares(groups: Sequence[DisciplineErrors], which: str) -> list[str]:
    shown = [group for group in groups if getattr(group, which)[0].of]
    if not shown:
        return ["None yet."]
    head = ["discipline", "n", *(TITLES[kind] for kind in KINDS)]
    lines = [_line(head), _line(["---", *["---:"] * (len(head) - 1)])]
    for group in shown:
        shares: Sequence[Share] = getattr(group, which)
        lines.append(_line([group.discipline, str(shares[0].of), *(_share_words(share) for share in shares)]))
    return lines


def _share_words(share: Share) -> str:
    if share.share is None or share.low is None or share.high is None:
        return "-"
    mark = "" if share.interval == "wilson" else " †"
    return f"{100 * share.share:.1f} % ({share.n}) [{100 * share.low:.1f}, {100 * share.high:.1f}]{mark}"


def _agreement_lines(agreement: Sequence[Agreement]) -> list[str]:
    words = {
        "all": "all answers with both",
        "shown": "reviewed with the proposal in sight",
        "withheld": "reviewed without seeing it",
    }
    lines = [_line(["among", "n", "equal", "share", "95 %", "kappa"]), "|---|---:|---:|---:|---|---:|"]
    for one in agreement:
        share = "-" if one.share is None else f"{100 * one.share:.1f} %"
        bounds = "-" if one.low is None or one.high is None else f"{100 * one.low:.1f}-{100 * one.high:.1f}"
        bounds += "" if one.interval in ("wilson", "none") else " †"
        kappa = "-" if one.kappa is None else f"{one.kappa:.2f}"
        lines.append(_line([words[one.among], str(one.n), str(one.equal), share, bounds, kappa]))
    return lines


def _paper() -> list[str]:
    lines = [_line(["discipline", *(TITLES[kind] for kind in KINDS)]), _line(["---", *["---:"] * len(KINDS)])]
    for discipline, shares in PAPER_SHARES.items():
        cells = [f"{shares[kind]}" if kind in shares else "not stated" for kind in KINDS]
        lines.append(_line([discipline, *cells]))
    return lines


def _part(n: int, of: int) -> str:
    return f"{n} of {of} ({100 * n / of:.0f} %)" if of else "0"


def _without(group: DisciplineErrors) -> str:
    return ", ".join(f"{n} {why}" for why, n in group.without_kind.items()) or "-"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def report_bytes(report: ErrorsReport) -> bytes:
    """The report as JSON."""
    return (canonical_json(report) + "\n").encode("utf-8")
