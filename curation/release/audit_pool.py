"""What a release says of the pool it was chosen from: cells, knowledge points, certificates, the way to the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import JsonValue

from benchwright.curation.pool_reader import iter_columns
from benchwright.curation.release.audit_records import (
    CellLine,
    CertificateLine,
    PointLine,
    SourceFileLine,
    StationLine,
    TemplateLine,
)
from benchwright.curation.release.rows import ReleaseContent
from benchwright.curation.screen import screened_out
from benchwright.schemas.artefact import manifest_path, read_manifest, stage_state
from benchwright.schemas.jobs import problem_id
from benchwright.schemas.records import Rejected, ReleaseRow, Split
from benchwright.schemas.reviewed import (
    CurrentSelection,
    ReviewedCertificate,
    current_rows,
    reviewed_certificate_path,
)
from benchwright.schemas.selection import Certificate, PointCount
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

_LEFT_IN_WORKSPACE = {"points"}
"""They have a file of their own."""


@dataclass(frozen=True)
class PublishedPool:
    """Everything about pools below `audit/`."""

    cells: tuple[CellLine, ...]
    points: tuple[PointLine, ...]
    certificates: tuple[CertificateLine, ...]
    attrition: tuple[StationLine, ...]
    templates: tuple[TemplateLine, ...]
    sources: tuple[SourceFileLine, ...]


def published_pool(workspace: Workspace, content: ReleaseContent, with_sources: bool = True) -> PublishedPool:
    """What is on record of the pools of a release's disciplines; nothing of one that has no selection.

    Args:
        workspace: where the pools lie.
        content: of the release.
        with_sources: False leaves digests of source files out: a small file with answers could be guessed by them.
    """
    names = sorted({row.discipline for row in content.rows})
    pools = [_Pool(workspace, name, content.rows) for name in names if workspace.selection(name).is_file()]
    return PublishedPool(
        cells=tuple(line for pool in pools for line in pool.cells()),
        points=tuple(line for pool in pools for line in pool.points()),
        certificates=tuple(line for pool in pools for line in pool.certificates()),
        attrition=tuple(line for pool in pools for line in pool.stations()),
        templates=tuple(line for name in names for line in _templates(workspace, name, content.rows)),
        sources=tuple(line for name in names for line in _sources(workspace, name, with_sources)),
    )


@dataclass(frozen=True)
class _Pool:
    """One discipline."""

    workspace: Workspace
    discipline: str
    rows: Sequence[ReleaseRow]

    @cached_property
    def selection(self) -> CurrentSelection:
        return current_rows(self.workspace, self.discipline)

    @cached_property
    def published(self) -> dict[str, ReleaseRow]:
        """One row of each problem outside `dev`, by problem."""
        rows = (row for row in self.rows if row.discipline == self.discipline)
        return {row.problem_id: row for row in rows if row.split is not Split.DEV}

    @cached_property
    def screened(self) -> dict[str, str]:
        """Question that screening turned away -> the first of its codes."""
        if not self.workspace.screen(self.discipline).is_file():
            return {}
        found = screened_out(self.workspace, self.discipline)
        return {name: codes[0] if codes else "rejected" for name, codes in found.items()}

    @cached_property
    def repeats(self) -> dict[str, str]:
        """Question that gives way to another -> `duplicate` or `overlap`."""
        path = self.workspace.duplicates(self.discipline)
        if not path.is_file():
            return {}
        columns = ["question_id", "group", "overlap"]
        table = pq.read_table(path, columns=columns, filters=[("keep", "==", False)])
        return {
            row["question_id"]: "overlap" if row["overlap"] and row["group"] is None else "duplicate"
            for row in table.to_pylist()
            if row["question_id"] not in self.screened
        }

    @cached_property
    def reviewed(self) -> ReviewedCertificate | None:
        path = reviewed_certificate_path(self.workspace, self.discipline)
        return ReviewedCertificate.model_validate_json(path.read_bytes()) if path.is_file() else None

    @cached_property
    def certificate(self) -> Certificate | None:
        path = self.workspace.certificate(self.discipline)
        return Certificate.model_validate_json(path.read_bytes()) if path.is_file() else None

    def cells(self) -> Iterator[CellLine]:
        """Every subject and level that pool, choice or release have."""
        path = self.workspace.estimates(self.discipline)
        pool: Counter[tuple[str, int]] = Counter()
        offered: Counter[tuple[str, int]] = Counter()
        if path.is_file():
            table = pq.read_table(path, columns=["question_id", "subject", "difficulty"])
            away = pa.array(sorted(self.screened.keys() | self.repeats.keys()), pa.string())
            pool = _by_cell(table)
            offered = _by_cell(table.filter(pc.invert(pc.is_in(table["question_id"], away))))
        chosen = Counter((row.subject, row.difficulty) for row in self.selection.rows)
        published = Counter((row.subject, row.difficulty) for row in self.published.values())
        for subject, level in sorted({*pool, *chosen, *published}):
            yield CellLine(
                discipline=self.discipline,
                subject=subject,
                level=level,
                pool=pool[subject, level],
                offered=offered[subject, level],
                chosen=chosen[subject, level],
                published=published[subject, level],
            )

    def points(self) -> Iterator[PointLine]:
        """Every point that the choice had to do with, by name."""
        made = self.reviewed or self.certificate
        if made is None:
            return
        counts = self._published_points(made.points, made.settings.path_level)
        for point in sorted(made.points, key=lambda point: point.point):
            yield PointLine(
                discipline=self.discipline,
                point=point.point,
                stand_in=point.stand_in,
                pool=point.pool,
                target=point.target,
                chosen=point.selected,
                published=counts[point.point],
            )

    def _published_points(self, points: Iterable[PointCount], level: int | None) -> Counter[str]:
        """Published problems by point; of a stand-in, those of its cluster that have no point."""
        counts: Counter[str] = Counter()
        stand_ins = {point.point for point in points if point.stand_in}
        chosen_for = {problem_id(row.question_id): row.points for row in self.selection.rows}
        for name, row in self.published.items():
            counts.update({"/".join(point.split("/")[:level]) for point in row.knowledge_points})
            if not row.knowledge_points:
                counts.update(stand_ins.intersection(chosen_for.get(name, ())))
        return counts

    def certificates(self) -> Iterator[CertificateLine]:
        """The certificate of the choice, and the one on reviewed values."""
        made = {"chosen": (self.certificate, self.workspace.certificate(self.discipline))}
        again = {"reviewed": (self.reviewed, reviewed_certificate_path(self.workspace, self.discipline))}
        for name, (found, path) in (made | again).items():
            if found is not None:
                yield CertificateLine.model_validate(
                    {
                        "discipline": self.discipline,
                        "of": name,
                        "current": stage_state(self.workspace, path) == "done",
                        "certificate": _told(found),
                    }
                )

    def stations(self) -> Iterator[StationLine]:
        """From the pool to the rows, with what was lost on the way."""
        if not self.workspace.pool(self.discipline).is_file():
            return
        for place, (station, n, lost) in enumerate(self._steps()):
            yield StationLine.model_validate(
                {
                    "discipline": self.discipline,
                    "place": place,
                    "station": station,
                    "n": n,
                    "lost": dict(sorted(Counter(lost.values()).items())),
                }
            )

    def _steps(self) -> Iterator[tuple[str, int, Mapping[str, str]]]:
        """Station, questions there, and why others of the station before are not."""
        columns = iter_columns(self.workspace.pool(self.discipline), ("id",))
        pool = {name for part in columns for name in part["id"]}
        screened, repeats = _among(self.screened, pool), _among(self.repeats, pool)
        single = pool - screened.keys() - repeats.keys()
        chosen = {row.question_id for row in self.selection.rows}
        there = chosen & self._problems()
        published = {name for name in there if problem_id(name) in self.published}
        yield "pool", len(pool), {}
        yield "screened", len(pool) - len(screened), screened
        yield "single", len(single), repeats
        yield "chosen", len(chosen), dict.fromkeys(single - chosen, "not-chosen") | self._replaced(chosen)
        yield "problem", len(there), self._refused(chosen - there)
        yield "published", len(published), dict.fromkeys(there - published, "no-row")

    def _replaced(self, chosen: Collection[str]) -> dict[str, str]:
        """Questions that were chosen at some time and are not now, and few-shot examples."""
        gone = {exchange.leaves for step in self.selection.applied for exchange in step.exchanges}
        path = self.workspace.dev_selection(self.discipline)
        dev = (
            set(pq.read_table(path, columns=["question_id"]).column("question_id").to_pylist())
            if path.is_file()
            else set()
        )
        return dict.fromkeys(gone - set(chosen), "replaced") | dict.fromkeys(dev, "few-shot")

    def _problems(self) -> set[str]:
        if not self.workspace.problems.is_file():
            return set()
        table = pq.read_table(
            self.workspace.problems, columns=["question_id"], filters=[("discipline", "==", self.discipline)]
        )
        return set(table.column("question_id").to_pylist())

    def _refused(self, names: Collection[str]) -> dict[str, str]:
        """Why chosen questions are no problems."""
        path = self.workspace.problems_rejected
        said = {item.item_id: item.reason for item in read_records(path, Rejected)} if path.is_file() else {}
        return {name: said.get(name) or said.get(problem_id(name), "not-made") for name in names}


def _by_cell(table: pa.Table) -> Counter[tuple[str, int]]:
    """Questions by subject and level."""
    counted = table.group_by(["subject", "difficulty"]).aggregate([([], "count_all")]).to_pylist()
    return Counter({(row["subject"], row["difficulty"]): row["count_all"] for row in counted})


def _templates(workspace: Workspace, discipline: str, rows: Sequence[ReleaseRow]) -> Iterator[TemplateLine]:
    path = workspace.duplicates(discipline)
    if not path.is_file():
        return
    published = {row.problem_id for row in rows if row.discipline == discipline}
    table = pq.read_table(path, columns=["question_id", "template"])
    table = table.filter(pc.is_valid(table["template"]))
    shared = {problem_id(row["question_id"]): row["template"] for row in table.to_pylist()}
    for name in sorted(published & shared.keys()):
        yield TemplateLine(problem_id=name, template=shared[name])


def _sources(workspace: Workspace, discipline: str, told: bool) -> Iterator[SourceFileLine]:
    manifest = read_manifest(manifest_path(workspace.pool(discipline)))
    for digest in sorted(manifest.inputs.values()) if manifest is not None else ():
        yield SourceFileLine(discipline=discipline, sha256=digest if told else None)


def _among(reasons: Mapping[str, str], pool: Collection[str]) -> dict[str, str]:
    return {name: reason for name, reason in reasons.items() if name in pool}


def _told(certificate: Certificate | ReviewedCertificate) -> dict[str, JsonValue]:
    """A certificate without its points, and without what reviewers wrote about questions."""
    values: dict[str, JsonValue] = certificate.model_dump(mode="json", exclude=_LEFT_IN_WORKSPACE)
    turned = values.get("turned")
    if isinstance(turned, list):
        values["turned"] = [{**one, "detail": ""} if isinstance(one, dict) else one for one in turned]
    return values
