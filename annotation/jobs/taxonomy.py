"""Taxonomy: the subjects that were proposed for a discipline, edited as text and accepted (VisScience, section 2).

What the proposer saw is the whole pool, which no page can show; so the item is the newest proposal, and its digest the
proposer's own.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from functools import partial

from pydantic import JsonValue, ValidationError

from benchwright.annotation.guidelines import load_guidelines
from benchwright.annotation.jobs.base import FieldAnswer, JsonObject, ReviewGroup, ReviewItem
from benchwright.annotation.jobs.controls import (
    COMMENT,
    closing,
    entered,
    page,
    shown_html,
    text_field,
    written,
)
from benchwright.annotation.jobs.taxonomy_text import read_taxonomy, taxonomy_text
from benchwright.annotation.svg import text_html
from benchwright.schemas.errors import ItemError
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Rejected
from benchwright.schemas.taxonomy import DisciplineTaxonomy
from benchwright.schemas.workspace import Workspace

_TARGET = "proposed"
_STYLE = """
.bw-subjects{border-collapse:collapse;width:100%;font-size:14px}
.bw-subjects td,.bw-subjects th{border-top:1px solid #d0d7de;padding:6px 8px;text-align:left;vertical-align:top}
.bw-subjects .bw-covers{color:#57606a;font-size:12px}
.bw-findings{background:#fff8e5;border-left:3px solid #9a6700;padding:6px 12px;margin:0 0 12px}
.bw-findings ul{margin:0;padding-left:18px}
"""


class TaxonomyJob:
    """The subjects of each discipline that has a proposal."""

    name = "taxonomy"
    version = 1

    def groups(self, workspace: Workspace) -> list[ReviewGroup]:
        """One group with all disciplines; proposals of another form are rejected (`unreadable-proposal`)."""
        proposals = _newest(workspace)
        items: list[ReviewItem] = []
        rejected: list[Rejected] = []
        for discipline, fields in sorted(proposals.items()):
            try:
                items.append(taxonomy_item(fields))
            except ValidationError as error:
                detail = str(error.errors(include_url=False)[0]["msg"])
                rejected.append(
                    Rejected(
                        item_id=discipline,
                        stage="annotate-push/taxonomy",
                        reason="unreadable-proposal",
                        detail=detail,
                    )
                )
        if not items and not rejected:
            return []
        group = ReviewGroup(
            name="subjects",
            title="Taxonomy",
            config=taxonomy_config(),
            guidelines=load_guidelines(self.name),
            items=tuple(items),
            rejected=tuple(rejected),
        )
        return [group]

    def regions(self, proposals: Mapping[str, Proposal], data: JsonObject) -> list[JsonObject]:
        """None: the proposal stands in the field from the start, ready to be edited (`$text`)."""
        return []

    def answers(self, result: Sequence[JsonObject], data: JsonObject) -> dict[str, FieldAnswer]:
        """Subjects in the form of a taxonomy file's discipline, and what each covers.

        The text stands in the field from the start: handed in untouched, the proposal is accepted as it is. A text that
        cannot be read is an answer without a value, and why in `findings`.
        """
        said = entered(result, "text")
        if said is None:
            return {}
        if str(said.value) == str(data["text"]).strip():
            return {name: FieldAnswer(data[name], "prediction") for name in ("subjects", "assignment")}
        try:
            edited = read_taxonomy(str(said.value))
            if edited.discipline.id != data["subjects"]["id"]:
                raise ItemError("other-discipline", f"the text is about {edited.discipline.id}")
        except ItemError as error:
            return {
                "subjects": FieldAnswer(None, "manual"),
                "findings": FieldAnswer([f"{error.reason}: {error.detail}"], "manual"),
            }
        assignment: dict[str, JsonValue] = {name: list(heads) for name, heads in edited.assignment.items()}
        return {
            "subjects": FieldAnswer(edited.discipline.model_dump(mode="json"), "prediction-changed"),
            "assignment": FieldAnswer(assignment, "prediction-changed"),
        }

    def comment(self, result: Sequence[JsonObject]) -> str | None:
        """The remark."""
        return written(result, COMMENT)


def taxonomy_item(fields: Mapping[str, Proposal]) -> ReviewItem:
    """A discipline's proposal as a task.

    Args:
        fields: its proposals by field, `subjects` among them.

    Raises:
        ValidationError: the subjects have another form.
    """
    subjects = fields["subjects"]
    discipline = DisciplineTaxonomy.model_validate(subjects.value)
    assignment = _assignment(fields)
    findings = [str(one) for one in _list(fields, "findings")]
    return ReviewItem(
        item_id=subjects.item_id,
        language=None,
        digest=subjects.digest,
        build=partial(_data, discipline, assignment, findings),
    )


def taxonomy_config() -> str:
    """Label Studio's XML of the page."""
    edit = text_field("text", _TARGET, "Subjects: edit here · 学科：在此修改", 28, "text")
    return page(f"<Style>{_STYLE}</Style>{shown_html(_TARGET)}", edit + closing(_TARGET))


def _newest(workspace: Workspace) -> dict[str, dict[str, Proposal]]:
    """By discipline, the fields of its last proposal of subjects."""
    path = workspace.proposals("taxonomy")
    lines = read_jsonl(path, Proposal) if path.is_file() else []
    last = {line.item_id: line for line in lines if line.field == "subjects"}
    found: dict[str, dict[str, Proposal]] = {name: {"subjects": line} for name, line in last.items()}
    for line in lines:
        if line.item_id in last and line.digest == last[line.item_id].digest and line.field != "subjects":
            found[line.item_id][line.field] = line
    return found


def _assignment(fields: Mapping[str, Proposal]) -> dict[str, list[str]]:
    value = fields["assignment"].value if "assignment" in fields else None
    if not isinstance(value, dict):
        return {}
    return {name: [str(head) for head in heads] for name, heads in value.items() if isinstance(heads, list)}


def _list(fields: Mapping[str, Proposal], name: str) -> list[JsonValue]:
    value = fields[name].value if name in fields else None
    return list(value) if isinstance(value, list) else []


def _data(
    discipline: DisciplineTaxonomy, assignment: Mapping[str, Sequence[str]], findings: Sequence[str]
) -> JsonObject:
    return {
        "html": _page_html(discipline, assignment, findings),
        "text": taxonomy_text(discipline, assignment),
        "subjects": discipline.model_dump(mode="json"),
        "assignment": {name: list(heads) for name, heads in assignment.items()},
    }


def _page_html(
    discipline: DisciplineTaxonomy, assignment: Mapping[str, Sequence[str]], findings: Sequence[str]
) -> str:
    listed = "".join(f"<li>{text_html(finding)}</li>" for finding in findings)
    found = (
        f'<div class="bw-findings">The checks found · 程序检查发现<ul>{listed}</ul></div>' if listed else ""
    )
    rows = "".join(
        f"<tr><td><b>{text_html(' · '.join(subject.names.values()))}</b><br><code>{html.escape(subject.id)}</code>"
        f"</td><td>{'<br>'.join(text_html(text) for text in subject.descriptions.values())}"
        f'<div class="bw-covers">{text_html("; ".join(assignment.get(subject.id, ())))}</div></td></tr>'
        for subject in discipline.subjects
    )
    title = text_html(" · ".join(discipline.names.values()))
    return f'<div class="bw-q"><h3>{title}</h3>{found}<table class="bw-subjects">{rows}</table></div>'
