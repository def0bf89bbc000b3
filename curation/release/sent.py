"""Which models outside the builders' machines were asked about questions that were not released yet.

The manifest of a job's proposals says whom its last run asked; a base URL that the environment gave is not on record.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from benchwright.models.embedder_openai import PREFIX, parse_openai
from benchwright.models.policy import is_local
from benchwright.schemas.artefact import manifest_path, read_manifest
from benchwright.schemas.records import Record
from benchwright.schemas.workspace import Workspace

_SERVED = "openai"
"""Kind of the models that are reached by a URL."""
_UNKNOWN = "api.openai.com or where OPENAI_BASE_URL pointed"


class Sent(Record):
    """One job and one model outside."""

    job: str
    model: str
    host: str


def sent_outside(workspace: Workspace) -> tuple[Sent, ...]:
    """Jobs whose questions went to a model outside, by job and model."""
    found = {(one.job, one.model, one.host): one for one in (*_proposals(workspace), *_embedding(workspace))}
    return tuple(found[key] for key in sorted(found))


def _proposals(workspace: Workspace) -> Iterator[Sent]:
    for path in sorted((workspace.root / "proposals").glob("*.jsonl")):
        manifest = read_manifest(manifest_path(path))
        asking: Any = None if manifest is None else manifest.parameters.get("asking")
        for model in (asking or {}).get("models", ()):
            kind, _, _ = model["model"].partition("/")
            if kind == _SERVED:
                yield from _outside(path.stem, model["model"], model.get("base_url"))


def _embedding(workspace: Workspace) -> Iterator[Sent]:
    embedder = workspace.recipe.embed.embedder
    if embedder.startswith(PREFIX) and (workspace.root / "embeddings").is_dir():
        model, base_url = parse_openai(embedder)
        yield from _outside("embedding", f"{_SERVED}/{model}", base_url)


def _outside(job: str, model: str, base_url: str | None) -> Iterator[Sent]:
    if base_url is None:
        yield Sent(job=job, model=model, host=_UNKNOWN)
    elif not is_local(base_url):
        yield Sent(job=job, model=model, host=urlsplit(base_url).hostname or _UNKNOWN)
