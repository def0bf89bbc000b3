"""Push: make the server hold every task and its proposal exactly once, whatever happened before.

Importing is not idempotent and its outcome is unknown after an error, so nothing is ever sent blindly: list what is
there, send what is missing, list again after any error, and check at the end that each key stands there once.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from benchwright.annotation.checks import prediction_faults
from benchwright.annotation.client import JsonObject, Prediction, Project, ReviewServer, ServerTrouble, Task
from benchwright.annotation.gold import load_gold, mixed_in
from benchwright.annotation.jobs.base import ReviewGroup, ReviewJob, task_key, without_hints
from benchwright.annotation.projects import ensure_project
from benchwright.annotation.proposals import newest_proposals
from benchwright.annotation.server import shown_folder
from benchwright.annotation.verdicts import SLOTS
from benchwright.schemas.digest import canonical_json, digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Key, Proposal
from benchwright.schemas.recipe import AnnotationRecipe
from benchwright.schemas.records import Rejected
from benchwright.schemas.workspace import Workspace

BATCH = 200
BATCH_BYTES = 16_000_000
ALWAYS_SHOWN = frozenset({"taxonomy"})
"""Jobs whose item is the proposal itself: nothing can be shown without it, so none is ever withheld."""
_ATTEMPTS = 3
"""Rounds without any progress after which a push gives up."""


@dataclass(frozen=True)
class GroupPush:
    """What a push did for one page (group and slot)."""

    group: str
    slot: str
    project: int | None
    """None for a page without items: no project is made for it."""
    tasks: int
    """Tasks of the page, all of them on the server now."""
    new: int
    proposals: int
    """Tasks that show a proposal."""
    proposals_changed: int
    refreshed: int
    """Tasks nobody worked on yet whose picture of item or proposal was brought up to date."""
    stale: int
    """Tasks on the server whose content has changed since, or that are no longer selected; left alone."""
    rejected: tuple[Rejected, ...]
    """Items that cannot be shown, and proposals that cannot (`proposal-not-in-config`: their tasks are there)."""
    waiting: tuple[Rejected, ...] = ()
    """Items that an earlier job holds up (`waits-for-JOB`); push again once it is done."""


@dataclass(frozen=True)
class _Wanted:
    """One task as it should stand on the server."""

    key: str
    data: JsonObject
    prediction: JsonObject | None


def push_job(
    server: ReviewServer,
    workspace: Workspace,
    job: ReviewJob,
    slots: Sequence[str] = SLOTS,
    progress: Callable[[int], None] = lambda n: None,
    recipe: AnnotationRecipe | None = None,
) -> list[GroupPush]:
    """Push one job. Items with a known answer (`annotation.gold`) are mixed in among the others.

    Args:
        server: where to.
        workspace: its selection and proposals are read; pictures are put into `label-studio/shown/`.
        job: which review.
        slots: independent reviews; each has its own project, so that nobody sees another's answer.
        progress: told how many tasks arrived, batch by batch.
        recipe: in place of the workspace's own `[annotation]`.

    Raises:
        ServerTrouble: the server kept failing; run again, nothing will be doubled.
        UsageError: it cannot show the pictures, or somebody worked on both copies of a doubled task.
    """
    with workspace.lock(f"annotate-push/{job.name}"):
        proposals, gold = newest_proposals(workspace, job.name), load_gold(workspace, job.name)
        settings = recipe or workspace.recipe.annotation
        done = []
        for group in job.groups(workspace):
            mixed = replace(group, items=tuple(mixed_in(group.items, gold, settings.seed)))
            for slot in slots:
                done.append(push_page(server, workspace, job, mixed, slot, proposals, settings, progress))
        return done


def place_images(workspace: Workspace, job: ReviewJob, group: ReviewGroup) -> None:
    """Put a page's pictures where the server may show them: linked where the file system can, else copied.

    Raises:
        UsageError: the workspace lacks a picture.
    """
    folder = shown_folder(workspace) / job.name
    folder.mkdir(parents=True, exist_ok=True)
    for image in {image.sha256: image for item in group.items for image in item.images}.values():
        target = folder / f"{image.sha256}{image.suffix}"
        if target.exists():
            continue
        source = workspace.find_image(image.sha256)
        partial = target.with_suffix(f".{os.getpid()}.partial")
        partial.unlink(missing_ok=True)
        try:
            os.link(source, partial)
        except OSError:  # another file system, or one without links
            shutil.copyfile(source, partial)
        partial.replace(target)


def push_page(
    server: ReviewServer,
    workspace: Workspace,
    job: ReviewJob,
    group: ReviewGroup,
    slot: str,
    proposals: Mapping[Key, Proposal],
    recipe: AnnotationRecipe,
    progress: Callable[[int], None] = lambda n: None,
) -> GroupPush:
    """Push one page in one slot; the caller holds the job's lock.

    Raises:
        ServerTrouble, UsageError: as `push_job`.
    """
    place_images(workspace, job, group)
    if not group.items:
        return GroupPush(group.name, slot, None, 0, 0, 0, 0, 0, 0, group.rejected, group.waiting)
    project, _ = ensure_project(server, workspace, job, group, slot)
    if any(item.images for item in group.items):
        server.serve_folder(project.id, str(shown_folder(workspace) / job.name), f"pictures of {job.name}")
    wanted, rejected = _wanted_tasks(job, group, slot, proposals, recipe)
    listed = server.tasks(project.id)
    before = _by_key(listed)
    _import_missing(server, project, wanted, progress)
    present = _remove_surplus(server, project, {task.key for task in wanted})
    refreshed = _refresh_data(server, project, wanted, listed)
    changed = _reconcile_predictions(server, project, wanted, present)
    keys = {task.key for task in wanted}
    return GroupPush(
        group=group.name,
        slot=slot,
        project=project.id,
        tasks=len(keys),
        new=len(keys - set(before)),
        proposals=sum(task.prediction is not None for task in wanted),
        proposals_changed=changed,
        refreshed=refreshed,
        stale=len(set(present) - keys),
        rejected=(*group.rejected, *rejected),
        waiting=group.waiting,
    )


def _wanted_tasks(
    job: ReviewJob,
    group: ReviewGroup,
    slot: str,
    proposals: Mapping[Key, Proposal],
    recipe: AnnotationRecipe,
) -> tuple[list[_Wanted], list[Rejected]]:
    fitting = _fitting(group, proposals)
    label = round_label([p for found in fitting.values() for p in found.values()])
    wanted, rejected = [], []
    for item in group.items:
        key = task_key(job, slot, item)
        withheld = job.name not in ALWAYS_SHOWN and is_withheld(recipe, key)
        data = {
            **(without_hints(item, item.data) if withheld else item.data),
            "withheld": withheld,
            "item_id": item.item_id,
            "language": item.language,
            "digest": item.digest,
            "task_key": key,
        }
        shown = {} if withheld else fitting[item.item_id, item.language]
        prediction = _prediction(job, shown, data, label)
        if prediction is not None:
            faults = prediction_faults(group.config, prediction["result"])
            if faults:
                detail = "; ".join(faults)
                rejected.append(
                    Rejected(
                        item_id=item.item_id,
                        stage=f"annotate-push/{job.name}",
                        reason="proposal-not-in-config",
                        detail=detail,
                    )
                )
                prediction = None
        wanted.append(_Wanted(key, data, prediction))
    return wanted, rejected


def _fitting(
    group: ReviewGroup, proposals: Mapping[Key, Proposal]
) -> dict[tuple[str, str | None], dict[str, Proposal]]:
    """The proposals for what is shown now, by item, language and field; those for an older text do not count."""
    shown = {(item.item_id, item.language, item.digest) for item in group.items}
    found: dict[tuple[str, str | None], dict[str, Proposal]] = {
        (item.item_id, item.language): {} for item in group.items
    }
    for key, proposal in proposals.items():
        if (key.item_id, key.language, key.digest) in shown:
            found[key.item_id, key.language][key.field] = proposal
    return found


def is_withheld(recipe: AnnotationRecipe, key: str) -> bool:
    """Whether a task was drawn to show no proposal; the same for a key however often it is pushed."""
    return int(digest_of(["no-proposal", recipe.seed, key])[:12], 16) < recipe.no_proposal_share * 16**12


def round_label(proposals: Iterable[Proposal]) -> str:
    """Name of a round of proposals: who made them, and a digest over models and prompts.

    A project shows the proposals of one round only, so all of a page carry the same name.
    """
    makers = sorted({(proposal.model, proposal.prompt_hash or "") for proposal in proposals})
    names = "+".join(sorted({model for model, _ in makers}))
    return f"{names[:80]} {digest_of([list(maker) for maker in makers])[:8]}"


def _prediction(
    job: ReviewJob, proposals: Mapping[str, Proposal], data: JsonObject, label: str
) -> JsonObject | None:
    regions = job.regions(proposals, data)
    if not regions:
        return None
    sure = [proposal.confidence for proposal in proposals.values() if proposal.confidence is not None]
    prediction: JsonObject = {"model_version": label, "result": regions}
    if sure:
        prediction["score"] = min(sure)
    return prediction


def _by_key(tasks: Iterable[Task]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for task in tasks:
        if "task_key" in task.data:
            found[str(task.data["task_key"])].append(task.id)
    return dict(found)


def _import_missing(
    server: ReviewServer, project: Project, wanted: Sequence[_Wanted], progress: Callable[[int], None]
) -> None:
    """Import what the server lacks, looking again after each round.

    Raises:
        ServerTrouble: several rounds brought nothing.
    """
    trouble = ServerTrouble(f"project {project.id} takes the tasks but does not list them")
    before, idle = len(wanted) + 1, 0
    while True:
        present = _by_key(server.tasks(project.id))
        missing = [task for task in wanted if task.key not in present]
        if not missing:
            return
        idle = idle + 1 if len(missing) >= before else 0
        if idle >= _ATTEMPTS:
            raise trouble
        before = len(missing)
        try:
            for batch in _batches(missing):
                server.import_tasks(project.id, batch)
                progress(len(batch))
        except ServerTrouble as error:
            trouble = error  # carried out or not: the next look tells


def _batches(tasks: Iterable[_Wanted]) -> Iterator[list[JsonObject]]:
    batch: list[JsonObject] = []
    size = 0
    for task in tasks:
        entry: JsonObject = {"data": task.data}
        if task.prediction is not None:
            entry["predictions"] = [task.prediction]
        weight = len(json.dumps(entry))
        if batch and (len(batch) >= BATCH or size + weight > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += weight
    if batch:
        yield batch


def _refresh_data(
    server: ReviewServer, project: Project, wanted: Sequence[_Wanted], listed: Sequence[Task]
) -> int:
    """Bring what tasks show up to date where nobody worked on them; what a reviewer answered to stays as it was seen.

    The item is the same (its digest is in the key), but a page also shows proposals, and drawings of formulas.
    """
    goal = {task.key: task.data for task in wanted}
    old = [
        task
        for task in listed
        if (key := str(task.data.get("task_key"))) in goal
        and canonical_json(goal[key]) != canonical_json(task.data)
    ]
    if not old:
        return 0
    worked = _worked_on(server, project)
    old = [task for task in old if task.id not in worked]
    for task in old:
        server.update_task(task.id, goal[str(task.data["task_key"])])
    return len(old)


def _worked_on(server: ReviewServer, project: Project) -> set[int]:
    worked = {int(row["id"]) for row in server.annotated(project.id)}
    return worked | {int(row["id"]) for row in server.drafted(project.id)}


def _remove_surplus(server: ReviewServer, project: Project, keys: set[str]) -> dict[str, int]:
    """Keep one task per key: the one that was worked on, else the oldest. Tasks with work are never deleted.

    Raises:
        ServerTrouble: a key is missing.
        UsageError: two tasks of one key both hold work.
    """
    present = _by_key(server.tasks(project.id))
    if lost := keys - set(present):
        raise ServerTrouble(f"{len(lost)} tasks did not arrive in project {project.id}: run the push again.")
    doubled = {key: ids for key, ids in present.items() if len(ids) > 1}
    if doubled:
        worked = _worked_on(server, project)
        for key, ids in doubled.items():
            kept = sorted(ids, key=lambda task: (task not in worked, task))
            if sum(task in worked for task in ids) > 1:
                raise UsageError(
                    f"tasks {sorted(ids)} of project {project.id} are the same and were both worked on: pull first, "
                    "then delete one by hand."
                )
            for task in kept[1:]:
                server.delete_task(task)
            present[key] = kept[:1]
    return {key: ids[0] for key, ids in present.items()}


def _reconcile_predictions(
    server: ReviewServer, project: Project, wanted: Sequence[_Wanted], present: Mapping[str, int]
) -> int:
    """Make each task hold exactly its proposal of this round; returns how many were stored or replaced."""
    goal = {present[task.key]: task.prediction for task in wanted if task.prediction is not None}
    concerned = {present[task.key] for task in wanted}
    changed, sent = 0, False
    for attempt in range(1, _ATTEMPTS + 1):
        kept, _ = _split_predictions(server.predictions(project.id), goal, concerned)
        missing = [{"task": task, **goal[task]} for task in goal if task not in kept]
        changed = max(changed, len(missing))
        if not missing:
            break
        try:
            if not sent:
                for start in range(0, len(missing), BATCH):
                    server.import_predictions(project.id, missing[start : start + BATCH])
                sent = True
            else:  # what a bulk left out without a word
                for prediction in missing:
                    server.create_prediction(prediction)
        except ServerTrouble:
            if attempt == _ATTEMPTS:
                raise
    kept, extra = _split_predictions(server.predictions(project.id), goal, concerned)
    label = next((str(prediction["model_version"]) for prediction in goal.values()), "")
    if goal and project.model_version != label:
        server.show_predictions_of(project.id, label)
    _delete_predictions(server, project, kept, extra)
    return changed


def _split_predictions(
    stored: Sequence[Prediction], goal: Mapping[int, JsonObject], concerned: set[int]
) -> tuple[dict[int, Prediction], list[Prediction]]:
    """Stored predictions -> (the right one per task, those to be deleted)."""
    kept: dict[int, Prediction] = {}
    extra = []
    for prediction in stored:
        if prediction.task not in concerned:
            continue
        want = goal.get(prediction.task)
        right = want is not None and prediction.model_version == want["model_version"]
        if (
            right
            and want is not None
            and _same_result(prediction.result, want["result"])
            and prediction.task not in kept
        ):
            kept[prediction.task] = prediction
        else:
            extra.append(prediction)
    return kept, extra


def _delete_predictions(
    server: ReviewServer, project: Project, kept: Mapping[int, Prediction], extra: Sequence[Prediction]
) -> None:
    """Delete what is superseded: a whole round in one call where all of it goes."""
    rounds = {prediction.model_version for prediction in kept.values()}
    for label in sorted({prediction.model_version for prediction in extra} - rounds):
        if label:
            server.delete_round(project.id, label)
    for prediction in extra:
        if prediction.model_version in rounds or not prediction.model_version:
            server.delete_prediction(prediction.id)


def _same_result(stored: Sequence[JsonObject], wanted: Sequence[JsonObject]) -> bool:
    """Equal but for the ids that the server adds to regions."""

    def _plain(regions: Sequence[JsonObject]) -> list[str]:
        return [
            canonical_json({k: v for k, v in region.items() if k not in {"id", "origin"}})
            for region in regions
        ]

    return _plain(stored) == _plain(wanted)
