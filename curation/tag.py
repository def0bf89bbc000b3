"""`curate tag`: subject and difficulty of the selected questions, as proposals for people to review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from benchwright.curation.propose import Chosen, chosen_questions, in_order, selected_disciplines, taken_over
from benchwright.curation.tag_embedded import propose_embedded
from benchwright.curation.tag_llm import LlmTagger, tagging_prompt
from benchwright.models.embedders import open_embedder
from benchwright.models.registry import open_model
from benchwright.schemas.artefact import Counts, StageResult, manifest_path, read_manifest, run_stage
from benchwright.schemas.digest import digest_of
from benchwright.schemas.jobs import Proposal, problem_id
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.recipe import ModelRecipe
from benchwright.schemas.records import Rejected
from benchwright.schemas.selection import Estimate
from benchwright.schemas.tables import iter_records
from benchwright.schemas.taxonomy import Taxonomy, load_taxonomy
from benchwright.schemas.workspace import Workspace

JOB = "tagging"
STAGE_VERSION = 1
EMBEDDED = "embedded"


def tag(
    workspace: Workspace,
    discipline: str | None = None,
    model: ModelRecipe | None = None,
    on_item: Callable[[int, int], None] = lambda done, total: None,
) -> StageResult:
    """Propose tags for the selected questions; proposals for other disciplines stay.

    Args:
        workspace: the workspace.
        discipline: only this one; None takes all that have a selection.
        model: whom to ask; None takes the embedded proposer.
        on_item: told (done, total).

    Returns:
        What was done; rejected items, and why, stand in `proposals/tagging.rejected.jsonl`.

    Raises:
        UsageError: nothing selected, an unknown model, or one that may not be asked.
        LockedError: another process is tagging.
    """
    disciplines = selected_disciplines(workspace, discipline)
    taxonomy = load_taxonomy(workspace.recipe.benchmark.taxonomy, workspace.taxonomies)
    outputs = [workspace.proposals(JOB), workspace.proposals_rejected(JOB)]
    # From here on nobody else may write the file: lines about other disciplines are read and written back.
    with workspace.lock(f"tag/{JOB}"):
        work = _work(workspace, disciplines, taxonomy, model)
        _retry_failed(outputs[0])
        parameters: dict[str, JsonValue] = {
            "disciplines": list(disciplines),
            "proposer": _proposer(workspace, model),
            "taxonomy": digest_of(taxonomy),
            "taken_over": digest_of([work.kept, work.kept_rejected]),
        }
        return run_stage(
            workspace,
            f"propose/{JOB}",
            STAGE_VERSION,
            _inputs(workspace, disciplines),
            outputs,
            parameters,
            lambda temporaries: work.write(temporaries, on_item),
        )


@dataclass(frozen=True)
class _Work:
    """What is to be tagged, and the lines about other questions that stay."""

    workspace: Workspace
    taxonomy: Taxonomy
    model: ModelRecipe | None
    chosen: dict[str, list[Chosen]]
    missing: list[Rejected]
    kept: list[Proposal]
    kept_rejected: list[Rejected]

    def write(self, paths: tuple[Path, ...], on_item: Callable[[int, int], None]) -> Counts:
        """Propose, and write proposals and rejected items."""
        total = sum(map(len, self.chosen.values()))
        count = _Counter(total, on_item)
        refused: list[Rejected] = []
        if self.model is None:
            proposals = _embedded(self.workspace, self.chosen, count)
        else:
            proposals, refused = _asked(self.workspace, self.chosen, self.taxonomy, self.model, count)
        rejected = [*self.missing, *refused]
        write_jsonl(paths[0], in_order([*self.kept, *proposals]))
        all_rejected = sorted([*self.kept_rejected, *rejected], key=lambda r: (r.item_id, r.reason))
        write_jsonl(paths[1], all_rejected)
        reasons = Counter(record.reason for record in rejected)
        n_in = total + len(self.missing)
        return Counts(
            n_in=n_in,
            n_kept=n_in - len(rejected),
            n_rejected=len(rejected),
            reasons=dict(sorted(reasons.items())),
        )


def _work(
    workspace: Workspace, disciplines: tuple[str, ...], taxonomy: Taxonomy, model: ModelRecipe | None
) -> _Work:
    chosen: dict[str, list[Chosen]] = {}
    missing: list[Rejected] = []
    for name in disciplines:
        chosen[name], gone = chosen_questions(workspace, name, "tag")
        missing.extend(gone)
    asked = {problem_id(item.question.id) for items in chosen.values() for item in items}
    asked |= {record.item_id for record in missing}
    kept, kept_rejected = taken_over(workspace, JOB, asked)
    return _Work(workspace, taxonomy, model, chosen, missing, kept, kept_rejected)


class _Counter:
    """Counts finished items and tells the caller."""

    def __init__(self, total: int, on_item: Callable[[int, int], None]) -> None:
        self.done, self.total, self.on_item = 0, total, on_item

    def __call__(self, n: int = 1) -> None:
        self.done += n
        self.on_item(self.done, self.total)


def _embedded(workspace: Workspace, chosen: dict[str, list[Chosen]], count: _Counter) -> list[Proposal]:
    embedder = open_embedder(workspace.recipe.embed.embedder).name
    proposals: list[Proposal] = []
    for discipline, items in chosen.items():
        estimates = {e.question_id: e for e in iter_records(workspace.estimates(discipline), Estimate)}
        proposals += propose_embedded(items, estimates, embedder)
        count(len(items))
    return proposals


def _asked(
    workspace: Workspace,
    chosen: dict[str, list[Chosen]],
    taxonomy: Taxonomy,
    settings: ModelRecipe,
    count: _Counter,
) -> tuple[list[Proposal], list[Rejected]]:
    proposals: list[Proposal] = []
    rejected: list[Rejected] = []
    for discipline, items in chosen.items():
        # A model's connections belong to one event loop, so each discipline opens its own.
        opened = open_model(settings.model, settings.base_url, settings.api_key_env)
        more, refused = LlmTagger(workspace, opened, settings).propose(
            items, taxonomy.subjects(discipline), count
        )
        proposals += more
        rejected += refused
    return proposals, rejected


def _proposer(workspace: Workspace, model: ModelRecipe | None) -> JsonValue:
    if model is None:
        return {"model": EMBEDDED, "embedder": workspace.recipe.embed.embedder}
    return {
        "model": model.model,
        "base_url": model.base_url,
        "temperature": model.temperature,
        "max_tokens": model.max_tokens,
        "prompts": {language: tagging_prompt(language).sha256 for language in ("en", "zh")},
    }


def _inputs(workspace: Workspace, disciplines: tuple[str, ...]) -> list[Path]:
    paths = []
    for name in disciplines:
        paths += [workspace.pool(name), workspace.selection(name), workspace.estimates(name)]
        if (dev := workspace.dev_selection(name)).is_file():
            paths.append(dev)
    return paths


def _retry_failed(output: Path) -> None:
    """A run that could not ask about some items is run again; what was answered comes from the call store."""
    known = read_manifest(manifest_path(output))
    if known is not None and known.counts is not None and known.counts.n_rejected:
        manifest_path(output).unlink()
