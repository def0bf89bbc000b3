"""How many questions each step of the line kept, and why the others went: pool, screened, ..., kept."""

from __future__ import annotations

from collections import Counter

from benchwright.curation.replace_open import Opened
from benchwright.schemas.duplicates import DuplicateRow
from benchwright.schemas.reviewed import Attrition, Kept, Station
from benchwright.schemas.screening import ScreenRow
from benchwright.schemas.tables import iter_records
from benchwright.schemas.workspace import Workspace


def attrition_of(workspace: Workspace, opened: Opened, kept: Kept | None = None) -> Attrition:
    """The attrition table of a discipline; `kept` adds the last station."""
    reviewed = opened.reviewed
    chosen = len(reviewed.items)
    gone = reviewed.gone
    unseen = sum(1 for item in reviewed.items if item.question_id not in reviewed.seen | gone.keys())
    reasons: Counter[str] = Counter(one.reason for one in reviewed.turned)
    to_be_mended = [name for name in reviewed.to_be_mended if name not in gone]
    if to_be_mended:
        reasons["to-be-mended"] = len(to_be_mended)
    seen = chosen - unseen
    accepted = len(opened.accepted())
    stations = [
        *_offered(workspace, opened),
        Station(name="chosen", n=chosen, lost={"not-chosen": len(opened.items) - chosen}),
        Station(name="reviewed", n=seen, lost={"no-final-decision": unseen} if unseen else {}),
        Station(name="accepted", n=accepted, lost=dict(sorted(reasons.items()))),
    ]
    if kept is not None:
        rated = sum(len(reviewed.ratings.get(item.question_id, {})) == 2 for item in opened.accepted())
        lost = {"unrated": accepted - rated, "not-among-the-best": rated - kept.n}
        stations.append(Station(name="kept", n=kept.n, lost={name: n for name, n in lost.items() if n}))
    return Attrition(
        discipline=opened.discipline,
        stations=tuple(stations),
        replaced=sum(len(step.exchanges) for step in opened.current.applied),
    )


def _offered(workspace: Workspace, opened: Opened) -> list[Station]:
    """From the pool to what the choice was offered."""
    failed: set[str] = set()
    reasons: Counter[str] = Counter()
    path = workspace.screen(opened.discipline)
    for row in iter_records(path, ScreenRow) if path.is_file() else ():
        if not row.kept:
            failed.add(row.question_id)
            first = next((found.code for found in row.findings if found.severity == "reject"), "rejected")
            reasons[first] += 1
    repeats: Counter[str] = Counter()
    path = workspace.duplicates(opened.discipline)
    for line in iter_records(path, DuplicateRow) if path.is_file() else ():
        if not line.keep and line.question_id not in failed:
            repeats["overlap" if line.overlap and line.group is None else "duplicate"] += 1
    screened = opened.pool - len(failed)
    single = screened - sum(repeats.values())
    other = single - len(opened.items)
    return [
        Station(name="pool", n=opened.pool),
        Station(name="screened", n=screened, lost=dict(sorted(reasons.items()))),
        Station(name="deduplicated", n=single, lost=dict(sorted(repeats.items()))),
        Station(name="offered", n=len(opened.items), lost={"by-recipe": other} if other else {}),
    ]
