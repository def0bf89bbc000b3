"""`curate trace`: where an item comes from, who said what of it, and where it went."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.common import emit, json_option, open_workspace, workspace_option
from benchwright.cli.pages import cut, heading, remark, table

if TYPE_CHECKING:
    from benchwright.curation.release.trace_records import Trace, Words

_VALUE = 40
"""Characters of a proposed or reviewed value; --json has it whole."""


@click.command()
@click.argument("item", metavar="ID")
@workspace_option
@json_option
def trace(item: str, workspace: Path | None, as_json: bool) -> None:
    """Show where an item comes from and where it went.

    ID is a pool question's, a problem's or a release row's. Reads the whole line: source, screening, duplicates,
    cluster, choice, replacements, proposals, reviews by pseudonym, verdicts, pictures and built releases. Values are
    cut for the page; --json has them whole.
    """
    from benchwright.curation.release.trace import trace_item

    found = trace_item(open_workspace(workspace), item)
    if not as_json:
        _show(found)
    emit(found.model_dump(mode="json"), None, as_json)


def _show(found: Trace) -> None:
    known = found.identity
    heading(f"{known.problem_id} ({known.discipline})")
    if known.question_id != known.problem_id:
        remark(f"question {known.question_id}")
    if found.asked not in (known.problem_id, known.question_id):
        tags = [tag.tag for tag in found.releases if any(row.id == found.asked for row in tag.rows)]
        remark(
            f"release row {found.asked}: {'in ' + ', '.join(tags) if tags else 'in no release built here'}"
        )
    _show_source(found)
    _show_likes(found)
    _show_choice(found)
    _show_words(found.words)
    _show_problem(found)
    _show_renders(found)
    _show_releases(found)


def _show_source(found: Trace) -> None:
    heading("Source")
    source = found.source
    if source is None:
        remark(f"no longer in the pool; known from {found.identity.known_from}")
    else:
        remark(f"{source.source}, licence {source.source_license}")
        remark(
            f"{source.question_type}, asked in {source.language}, texts in {', '.join(source.languages)}, "
            f"pictures: {len(source.images)}"
        )
        remark(f"“{cut(source.question, 220)}”")
        for sha256 in source.images:
            remark(f"picture {sha256}")
    screening = found.screening
    if screening is None:
        remark("screening: not screened")
        return
    remark(f"screening: {'kept' if screening.kept else 'turned away'}; findings: {len(screening.findings)}")
    for finding in screening.findings:
        remark(f"  {finding.severity} {finding.code} {finding.detail}".rstrip())


def _show_likes(found: Trace) -> None:
    heading("Duplicates, cluster, estimates")
    duplicates = found.duplicates
    if duplicates is None:
        remark("duplicates: not searched")
    elif duplicates.row.group is None and not duplicates.pairs:
        remark("duplicates: none")
    else:
        row = duplicates.row
        group = f"group {row.group}, {len(duplicates.members)} members" if row.group else "no group"
        remark(f"duplicates: {group}; {'stays' if row.keep else 'gives way'}{_rule(row.rule)}")
        for pair in duplicates.pairs:
            other = pair.second if pair.first == found.identity.question_id else pair.first
            remark(f"  {pair.relation} {other} ({pair.method} {pair.similarity:.2f}) {pair.detail}".rstrip())
    cluster = found.cluster
    if cluster is None:
        remark("cluster: none")
    else:
        remark(
            f"cluster {cluster.row.cluster}: {cluster.size} questions, {cluster.chosen} chosen; "
            f"centrality {cluster.row.centrality:.2f}"
        )
    estimate = found.estimate
    if estimate is not None:
        remark(
            f"subject {estimate.subject} ({estimate.subject_rule}), difficulty {estimate.difficulty} "
            f"({estimate.difficulty_rule}), points {', '.join(estimate.points) or 'none'}"
        )


def _rule(rule: str) -> str:
    return f" by the rule {rule}" if rule else ""


def _show_choice(found: Trace) -> None:
    choice = found.choice
    heading(f"Choice: {choice.state}")
    for reason in choice.reasons:
        remark(f"- {reason}")
    proof = choice.certificate
    if proof is not None:
        remark(
            f"certificate {proof.path}: {proof.status}, {proof.n} of {proof.pool_size}, gap {proof.gap:.2g}, "
            f"{proof.points_covered} of {proof.points_total} points covered"
        )
    for exchange in found.exchanges:
        what = "replaced by" if exchange.role == "left" else "took the place of"
        why = f"{exchange.why}, {exchange.detail}" if exchange.detail else exchange.why
        topic = "no topic shared" if exchange.topic == "none" else f"same {exchange.topic}"
        stale = "" if exchange.applied else " (stale: not applied)"
        remark(
            f"{what} {exchange.other}: {why}; {topic}, likeness {exchange.similarity:.2f}, step {exchange.step} "
            f"of the place of {exchange.place}{stale}"
        )


def _show_words(words: Words) -> None:
    heading(f"Proposals: {len(words.proposals):,}")
    if words.proposals:
        rows = [
            (_what(p.job, p.field, p.language), cut(p.value, _VALUE), p.model, (p.prompt_hash or "-")[:8])
            for p in words.proposals
        ]
        table(("field", "value", "model", "prompt"), rows)
    for refused in words.unproposed:
        remark(f"{refused.job}: no proposal, {refused.rejected.reason} {refused.rejected.detail}".rstrip())
    latest = {(r.annotation_id, r.job, r.field, r.language): r for r in words.reviews}
    heading(f"Reviews: {len(latest):,}")
    if latest:
        rows = [
            (
                _what(r.job, r.field, r.language),
                cut(r.undecided or r.value, _VALUE),
                f"{r.pseudonym} {r.slot}",
                r.state,
            )
            for r in latest.values()
        ]
        table(("field", "value", "by", "state"), rows)
    heading(f"Final verdicts: {len(words.verdicts):,}")
    if words.verdicts:
        rows = [
            (_what(v.job, v.field, v.language), cut(v.value, _VALUE), v.basis, ", ".join(v.by))
            for v in words.verdicts
        ]
        table(("field", "value", "basis", "by"), rows)


def _what(job: str, field: str, language: str | None) -> str:
    return f"{job}.{field}" + (f" {language}" if language else "")


def _show_problem(found: Trace) -> None:
    problem = found.problem
    if problem.split is None:
        heading("Problem: none")
    else:
        heading(f"Problem: split {problem.split}")
        remark(
            f"{problem.subject}, difficulty {problem.difficulty}, texts in {', '.join(problem.languages)}, "
            f"digest {(problem.digest or '')[:12]}"
        )
        rows = [
            (p.field + (f" {p.language}" if p.language else ""), p.origin.value, p.by or "-")
            for p in problem.provenance
        ]
        if rows:
            table(("field", "said last by", "who"), rows)
    for what, items in (("not a problem", problem.refused), ("waits", problem.pending)):
        for item in items:
            remark(f"{what}: {item.reason} {item.detail}".rstrip())


def _show_renders(found: Trace) -> None:
    heading(f"Rendered pictures: {sum(r.reason is None for r in found.renders):,}")
    rows = [
        (
            r.style,
            r.version,
            r.language,
            (r.reason or r.state or "") if r.reason is None or not r.detail else f"{r.reason}: {r.detail}",
            "-" if r.renderer_version is None else str(r.renderer_version),
            "-" if r.reason else ", ".join((r.gate or "not judged", *r.gate_codes)),
        )
        for r in found.renders
    ]
    if rows:
        table(("style", "version", "lang", "state", "renderer", "gate"), rows)


def _show_releases(found: Trace) -> None:
    heading(f"Releases: {len(found.releases):,}")
    for release in found.releases:
        remark(
            f"{release.tag}: {len(release.rows):,} of its rows, signature {(release.signature or '-')[:12]}"
        )
        table(
            ("row", "split", "pictures"),
            [(row.id, row.split, ", ".join(sha256[:10] for sha256 in row.images)) for row in release.rows],
        )
