"""Whose relative a model is: a judge tends to favour answers written by its own family."""

from __future__ import annotations

import re

from benchwright.eval.runs.spec import ModelSpec, RunSpec

_LETTERS = re.compile(r"[a-z]+")
_ALIASES = {
    "chatgpt": "gpt",
    "o": "gpt",
    "chatglm": "glm",
    "codegeex": "glm",
    "qwq": "qwen",
    "qvq": "qwen",
    "gemma": "gemini",
    "codellama": "llama",
    "pixtral": "mistral",
    "mixtral": "mistral",
}
"""Names of one maker's models that begin otherwise (`o3` stands for `o`)."""
_ASKED = frozenset({"openai", "local"})
"""Endpoints that run a real model; a replayed file or a guesser has no family that its name would tell."""


def family(model: ModelSpec) -> str | None:
    """The family by the first letters of the model's own name (`org/Qwen2-VL-7B` -> `qwen`); None without one."""
    if model.endpoint not in _ASKED:
        return None
    found = _LETTERS.match(model.name.rstrip("/").rsplit("/", 1)[-1].lower())
    return None if found is None else _ALIASES.get(found.group(), found.group())


def own_family(spec: RunSpec) -> tuple[str, ...]:
    """Which of a run's judging parts are of the tested model's own family: `judge`, `steps`, both or none."""
    tested = family(spec.model)
    judges = {
        "judge": None if spec.judge is None else spec.judge.model,
        "steps": None if spec.steps is None else spec.steps.model,
    }
    if tested is None:
        return ()
    return tuple(part for part, model in judges.items() if model is not None and family(model) == tested)
