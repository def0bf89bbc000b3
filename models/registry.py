"""Opens a chat model by its id: `baseline/random`, `replay/FILE`, `local/PATH-OR-NAME`, `openai/NAME`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.models.chat import ChatModel
from benchwright.schemas.errors import UsageError

if TYPE_CHECKING:
    from benchwright.models.local_checkpoint import LocalSettings

KNOWN = "baseline/random, replay/FILE, local/PATH-OR-NAME or openai/NAME"


def open_model(
    name: str,
    base_url: str | None = None,
    api_key_env: str = "OPENAI_API_KEY",
    local: LocalSettings | None = None,
) -> ChatModel:
    """Open a model.

    Args:
        name: its id; what follows `openai/` is sent to the server as it is and may hold further slashes.
        base_url: any OpenAI-compatible endpoint; default `$OPENAI_BASE_URL`, then OpenAI's own.
        api_key_env: name of the environment variable with the key. A local endpoint needs none.
        local: how `local/...` is loaded: dtype, device, batch size, remote code.

    Raises:
        UsageError: unknown id, unusable address, missing key, file or package.
    """
    prefix, _, rest = name.partition("/")
    if (
        prefix not in ("baseline", "replay", "local", "openai")
        or not rest
        or (prefix == "baseline" and rest != "random")
    ):
        raise UsageError(f"{name!r} is no known model; use {KNOWN}.")
    if prefix != "openai" and base_url is not None:
        raise UsageError(f"{name} is embedded and has no endpoint; leave --base-url away.")
    if prefix == "baseline":
        from benchwright.models.baseline import RandomBaseline

        return RandomBaseline()
    if prefix == "replay":
        from benchwright.models.replay import ReplayModel

        return ReplayModel(Path(rest))
    if prefix == "local":
        from benchwright.models.local import LocalModel

        return LocalModel(rest, local)
    # The SDK costs half a second to import: only who asks a server pays for it.
    from benchwright.models.openai_client import OpenAIClient

    return OpenAIClient(rest, base_url=base_url, api_key_env=api_key_env)
