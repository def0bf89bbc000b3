"""The workspace: its recipe, the models it names, the locks that are held, and the state of its stages."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from benchwright.cli.doctor_check import Check

if TYPE_CHECKING:
    from benchwright.schemas.workspace import Workspace

_SECTION = "workspace"
_WAIT = 10.0
"""Seconds that an endpoint has to answer with the list of its models."""


def workspace_checks(ws: Workspace, connect: bool) -> Iterator[Check]:
    """All findings about a workspace; nothing is written and no lock is taken.

    Args:
        ws: the workspace.
        connect: ask each endpoint for the list of its models; without it no network is touched.
    """
    recipe = ws.recipe
    yield Check(_SECTION, "recipe", "ok", f"{ws.root / 'benchwright.toml'}: {', '.join(recipe.disciplines)}")
    if recipe.render.font is not None:
        yield _font(ws.root / recipe.render.font)
    yield _embedder(ws)
    for stage, model in sorted(recipe.models.items()):
        yield _model(f"models.{stage}", model.model, model.base_url, model.api_key_env)
        if connect and model.model.startswith("openai/"):
            yield _answers(f"models.{stage}", model.model, model.base_url, model.api_key_env)
    yield _locks(ws)
    yield _review_server(ws)
    if ws.people.is_file():
        yield _people(ws.people)
    yield from _stages(ws)


def _font(path: Path) -> Check:
    from benchwright.render.font import load_font
    from benchwright.schemas.errors import UsageError

    try:
        load_font(path)
    except UsageError as error:
        return Check(_SECTION, "render.font", "broken", str(error), "name another font in [render]")
    return Check(_SECTION, "render.font", "ok", str(path))


def _embedder(ws: Workspace) -> Check:
    from benchwright.models.embedders import embedder_name
    from benchwright.models.policy import is_local
    from benchwright.schemas.errors import UsageError

    wanted = ws.recipe.embed.embedder
    try:
        name = embedder_name(wanted)
    except UsageError as error:
        return Check(_SECTION, "embed.embedder", "broken", str(error), "mend [embed] in the recipe")
    if not wanted.startswith("openai:"):
        return Check(_SECTION, "embed.embedder", "ok", f"{name}, in this process")
    address = wanted.rsplit("@", 1)[-1]
    return _key("embed.embedder", name, ws.recipe.embed.api_key_env, is_local(address))


def _model(part: str, name: str, base_url: str | None, key: str) -> Check:
    """What the recipe names: a file, a folder, or an endpoint with its key; the key itself is never shown."""
    from benchwright.models.policy import is_local

    prefix, _, rest = name.partition("/")
    if prefix == "replay" and not Path(rest).is_file():
        return Check(_SECTION, part, "absent", f"{name}: there is no such file", "name a file of answers")
    if prefix != "openai":
        return Check(_SECTION, part, "ok", f"{name}, in this process")
    address = _address(base_url)
    where = f"{name} at {urlsplit(address).hostname}"
    return _key(part, where, key, is_local(address))


def _address(base_url: str | None) -> str:
    from benchwright.models.openai_client import DEFAULT_BASE_URL

    return base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL


def _key(part: str, where: str, variable: str, local: bool) -> Check:
    side = "on this machine or its network" if local else "outside this machine"
    if os.environ.get(variable, "").strip():
        return Check(_SECTION, part, "ok", f"{where}, {side}; {variable} is set")
    if local:
        return Check(_SECTION, part, "ok", f"{where}, {side}; {variable} is not set, which it need not be")
    said = f"{where}, {side}; {variable} is not set"
    return Check(_SECTION, part, "absent", said, f"export {variable}=...")


def _answers(part: str, name: str, base_url: str | None, key: str) -> Check:
    """Ask an endpoint which models it has: the one request that `--connect` makes."""
    import httpx

    from benchwright.models.policy import is_local

    address = _address(base_url).rstrip("/")
    secret = os.environ.get(key, "").strip()
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    remedy = "start the server, or mend base_url and key of this stage in the recipe"
    part = f"{part}, asked"
    try:
        # As in the chat client: no redirects, and for a local endpoint no proxy of the environment.
        with httpx.Client(timeout=_WAIT, follow_redirects=False, trust_env=not is_local(address)) as client:
            reply = client.get(f"{address}/models", headers=headers)
        listed = [str(entry["id"]) for entry in reply.json()["data"]] if reply.is_success else []
    except httpx.HTTPError as error:
        return Check(_SECTION, part, "broken", f"{address} does not answer: {type(error).__name__}", remedy)
    except (ValueError, KeyError, TypeError):
        return Check(_SECTION, part, "broken", f"{address}/models is no list of models", remedy)
    if not reply.is_success:
        return Check(_SECTION, part, "broken", f"{address} answers with status {reply.status_code}", remedy)
    wanted = name.partition("/")[2]
    if wanted in listed:
        return Check(_SECTION, part, "ok", f"{address} has {wanted}")
    shown = ", ".join(listed[:5]) or "none"
    return Check(_SECTION, part, "broken", f"{address} answers and has no {wanted}; it has {shown}", remedy)


def _locks(ws: Workspace) -> Check:
    """Stages that are being written now, and notes that a killed command left."""
    held: list[str] = []
    left: list[str] = []
    for note in sorted((ws.root / ".locks").glob("*.holder.json")):
        stage = note.name.removesuffix(".holder.json")
        try:
            pid = int(json.loads(note.read_bytes())["pid"])
        except FileNotFoundError:  # let go of while we looked
            continue
        (held if _alive(pid) else left).append(f"{stage} (process {pid})")
    if held:
        return Check(
            _SECTION, "locks", "note", f"being written now: {', '.join(held)}", "wait for it, or stop it"
        )
    if left:
        said = f"left by a command that was stopped: {', '.join(left)}; the next one takes it over"
        return Check(_SECTION, "locks", "note", said)
    return Check(_SECTION, "locks", "ok", "nobody is writing here")


def _review_server(ws: Workspace) -> Check:
    from benchwright.annotation.server import running_server

    server = running_server(ws)
    said = f"runs at {server.url}" if server else "does not run now; `annotate serve` starts it"
    return Check(_SECTION, "review server", "ok", said)


def _people(path: Path) -> Check:
    """Names of people are for this account alone."""
    if os.name != "nt" and path.stat().st_mode & 0o077:
        said = f"{path.name} holds the names behind pseudonyms and others on this machine can read it"
        return Check(_SECTION, "people", "broken", said, f"chmod 600 {path}")
    return Check(_SECTION, "people", "ok", f"{path.name} can be read by this account alone")


def _alive(pid: int) -> bool:
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _stages(ws: Workspace) -> Iterator[Check]:
    """What `status` says, in one line, and each artefact that is not as it was made."""
    from benchwright.cli.status import status_lines

    lines = list(status_lines(ws))
    counts = Counter(line.state for line in lines)
    said = ", ".join(f"{n} {state}" for state, n in sorted(counts.items()))
    yield Check(_SECTION, "stages", "ok", f"{said} (`benchwright status` lists them)")
    for line in lines:
        if line.state == "tampered":
            said = f"{line.note or 'its bytes are not what its manifest recorded'}"
            yield Check(_SECTION, line.stage, "broken", said, f"run again: {line.next or 'what made it'}")
