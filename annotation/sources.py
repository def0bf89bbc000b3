"""Rows that are to be reviewed outside the pool: answers of a run, rows of a release.

`annotate push JOB --from-run RUN` (or `--from-release RELEASE`) copies what its pages will show into
`label-studio/sources/<job>/`, pictures included. From then on the job knows its items by itself: pushing again, pulling
and counting need neither the run nor the release, which may lie on the Hub or be gone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from benchwright.annotation.server import shown_folder
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.images import media_type, open_published
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.journal import read_jsonl, write_jsonl
from benchwright.schemas.records import ImageRef, Record, Rejected, ReleaseRow, Split
from benchwright.schemas.release_table import read_release, resolve_release
from benchwright.schemas.runs import Answered, Response, read_run, run_item_id
from benchwright.schemas.workspace import Workspace

T = TypeVar("T")
SCORED = (Split.TESTMINI, Split.TEST)
_SUFFIX = ".jsonl"
_REJECTED = ".rejected.jsonl"


class Offered(Record):
    """One row as its page will show it."""

    item_id: str
    row: ReleaseRow
    response: Response | None = None
    """The answer that is reviewed; None where an answer is asked for."""
    pictures: tuple[ImageRef, ...] = ()


@dataclass(frozen=True)
class Source:
    """What one run, or one version and language of a release, offers to a job."""

    name: str
    offered: tuple[Offered, ...]
    rejected: tuple[Rejected, ...]


@dataclass(frozen=True)
class ReleaseChoice:
    """Which rows of a release people are to answer; empty means all."""

    target: str
    """A release folder, `ORG/NAME` or `ORG/NAME@REVISION`."""
    versions: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    sample: int | None = None
    """At most so many problems of each discipline, the same ones in every version and language."""


def read_sources(workspace: Workspace, job: str) -> list[Source]:
    """Everything that was ever offered to a job, by name."""
    folder = _folder(workspace, job)
    names = sorted(p.name.removesuffix(_SUFFIX) for p in folder.glob(f"*{_SUFFIX}") if not _is_rejected(p))
    return [
        Source(
            name,
            tuple(read_jsonl(folder / f"{name}{_SUFFIX}", Offered)),
            tuple(read_jsonl(folder / f"{name}{_REJECTED}", Rejected)),
        )
        for name in names
    ]


def offer_run(
    workspace: Workspace,
    job: str,
    run: str,
    wanted: Callable[[Answered], bool],
    *,
    pictures: bool,
    sample: int | None = None,
    release: str | None = None,
) -> Source:
    """Offer a run's answers to a job.

    Where the job has proposals for the run, `evaluate` drew the answers already and exactly those are taken; else all
    that are `wanted`, or `sample` of each discipline, drawn by the recipe's seed.

    Args:
        workspace: where the reviews are made.
        job: `judge`, `steps` or `errors`.
        run: a run's id in `runs/`, or its folder.
        wanted: which answers the job is about.
        pictures: whether the page shows the row's pictures.
        sample: most answers of each discipline.
        release: where pictures may be found that the workspace does not hold.

    Raises:
        UsageError: no such run, or it has no answer for this job.
    """
    folder = Path(run) if Path(run).is_dir() else workspace.runs / run
    files = read_run(folder)
    found = [answered for answered in files.answered if wanted(answered)]
    drawn = _proposed(workspace, job, files.run_id)
    if drawn:
        found = [answered for answered in found if answered.row.id in drawn]
    if not found:
        raise UsageError(f"run {files.run_id} holds no answer that the job {job} is about ({folder}).")
    seed = workspace.recipe.benchmark.seed
    chosen = _drawn(
        found, lambda a: a.row.discipline, lambda a: digest_of([seed, files.run_id, a.row.id]), sample
    )
    offered = [
        Offered(item_id=run_item_id(files.run_id, a.row.id), row=a.row, response=a.response) for a in chosen
    ]
    return _write(workspace, job, files.run_id, offered, pictures, [release] if release else [])


def offer_release(workspace: Workspace, job: str, choice: ReleaseChoice) -> list[Source]:
    """Offer the scored rows of a release to the job `answer`, one source for each version and language.

    Raises:
        UsageError: no such release, version or language.
    """
    name, revision = _target(choice.target)
    release = resolve_release(name, revision)
    rows = [row for row, _ in read_release(release) if row.split in SCORED]
    for what, asked, there in (
        ("version", choice.versions, {row.version for row in rows}),
        ("language", choice.languages, {row.language for row in rows}),
    ):
        if missing := sorted(set(asked) - there):
            known = ", ".join(sorted(there))
            raise UsageError(f"{choice.target} has no {what} {missing[0]!r} in its scored splits ({known}).")
    rows = [
        row
        for row in rows
        if (not choice.versions or row.version in choice.versions)
        and (not choice.languages or row.language in choice.languages)
    ]
    seed = workspace.recipe.benchmark.seed
    problems = {row.problem_id: row.discipline for row in rows}
    kept = set(_drawn(sorted(problems), problems.__getitem__, lambda p: digest_of([seed, p]), choice.sample))
    groups: dict[str, list[Offered]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.id):
        if row.problem_id in kept:
            groups[f"{row.version}.{row.language}"].append(Offered(item_id=row.id, row=row))
    return [
        _write(workspace, job, group, offered, True, [choice.target])
        for group, offered in sorted(groups.items())
    ]


def place_pictures(
    workspace: Workspace, job: str, needed: Iterable[str], releases: Sequence[str] = ()
) -> dict[str, ImageRef]:
    """Find pictures by digest and put those that only a release holds where the server may show them.

    Looked for among those shown already, in the workspace, in the releases named, then in its own `release/`.

    Returns:
        What was found, by sha256.
    """
    found: dict[str, ImageRef] = {}
    shown = shown_folder(workspace) / job
    missing = set(needed)
    for sha256 in sorted(missing):
        path = next((p for suffix in (".png", ".jpg") if (p := shown / f"{sha256}{suffix}").is_file()), None)
        if path is None:
            path = _in_workspace(workspace, sha256)
        if path is not None:
            found[sha256] = picture_ref(sha256, path.read_bytes())
    missing -= set(found)
    own = sorted(str(p) for p in (workspace.root / "release").glob("*") if p.is_dir())
    for target in (*releases, *(path for path in own if path not in releases)):
        if not missing:
            break
        for sha256, data in _pictures_of(target, missing):
            ref = picture_ref(sha256, data)
            write_atomic(shown / f"{sha256}{ref.suffix}", data)
            found[sha256] = ref
            missing.discard(sha256)
    return found


def picture_ref(sha256: str, data: bytes) -> ImageRef:
    """A published picture as a record; what it was made from does not matter here."""
    with open_published(data) as image:
        width, height = image.size
    kind = media_type(data).removeprefix("image/")
    return ImageRef.model_validate(
        {"source_sha256": sha256, "sha256": sha256, "width": width, "height": height, "format": kind}
    )


def _write(
    workspace: Workspace,
    job: str,
    name: str,
    offered: Sequence[Offered],
    pictures: bool,
    releases: Sequence[str],
) -> Source:
    rejected: list[Rejected] = []
    kept = list(offered)
    if pictures:
        needed = {sha256 for one in offered for sha256 in one.row.images}
        found = place_pictures(workspace, job, needed, releases)
        kept = []
        for one in offered:
            lost = [sha256 for sha256 in one.row.images if sha256 not in found]
            if lost:
                rejected.append(
                    Rejected(
                        item_id=one.item_id,
                        stage=f"annotate-push/{job}",
                        reason="picture-missing",
                        detail=f"picture {lost[0]} is neither in the workspace nor in a release: name one with "
                        "--from-release",
                    )
                )
                continue
            refs = tuple(found[sha256] for sha256 in one.row.images)
            kept.append(one.model_copy(update={"pictures": refs}))
    folder = _folder(workspace, job)
    folder.mkdir(parents=True, exist_ok=True)
    write_jsonl(folder / f"{name}{_REJECTED}", rejected)
    write_jsonl(folder / f"{name}{_SUFFIX}", kept)
    return Source(name, tuple(kept), tuple(rejected))


def _drawn(
    items: Sequence[T], discipline: Callable[[T], str], order: Callable[[T], str], sample: int | None
) -> list[T]:
    """At most `sample` of each discipline: a larger sample holds every smaller one. In the order given."""
    if sample is None:
        return list(items)
    ranked: dict[str, list[int]] = defaultdict(list)
    for place in sorted(range(len(items)), key=lambda place: order(items[place])):
        ranked[discipline(items[place])].append(place)
    chosen = {place for places in ranked.values() for place in places[:sample]}
    return [item for place, item in enumerate(items) if place in chosen]


def _proposed(workspace: Workspace, job: str, run_id: str) -> set[str]:
    """Rows of a run that the job has proposals for."""
    path = workspace.proposals(job)
    if not path.is_file():
        return set()
    prefix = run_item_id(run_id, "")
    return {
        proposal.item_id.removeprefix(prefix)
        for proposal in read_jsonl(path, Proposal)
        if proposal.item_id.startswith(prefix)
    }


def _pictures_of(target: str, needed: set[str]) -> Iterator[tuple[str, bytes]]:
    name, revision = _target(target)
    for _, pictures in read_release(resolve_release(name, revision)):
        for sha256 in sorted(needed & pictures.keys()):
            yield sha256, pictures[sha256]


def _in_workspace(workspace: Workspace, sha256: str) -> Path | None:
    return next((p for suffix in (".png", ".jpg") if (p := workspace.image(sha256, suffix)).is_file()), None)


def _target(text: str) -> tuple[str, str | None]:
    if Path(text).is_dir() or "@" not in text:
        return text, None
    name, _, revision = text.rpartition("@")
    if not name or not revision:
        raise UsageError(f"{text!r} names no release: write a folder, ORG/NAME or ORG/NAME@REVISION.")
    return name, revision


def _folder(workspace: Workspace, job: str) -> Path:
    return workspace.label_studio / "sources" / job


def _is_rejected(path: Path) -> bool:
    return path.name.endswith(_REJECTED)
