"""What a run's way of asking is called: never by a paper's name alone where its prompts or its data were others."""

from __future__ import annotations

from collections.abc import Iterable

from benchwright.eval.runs.spec import PromptRef, RunSpec

PAPERS_OWN = {"visscience": "visscience", "sciverse": "sciverse"}
"""Protocol -> last part of the name under which its authors' own data set would lie."""
_HOW = {"direct": "direct answer", "cot": "step by step"}
_INPUT = {
    "Q": "question without pictures",
    "QI": "question and pictures",
    "I": "pictures without the question",
}


def protocol_name(spec: RunSpec) -> str:
    """The protocol in words, e.g. `visscience-like, benchwright prompts v1`.

    A paper's protocol is called so without `-like` only when the user's own prompts were sent and the data set bears
    the paper's name; even then whose prompts they were is said.
    """
    if spec.protocol == "human":
        return "answered by people on the review page"
    own_data = spec.dataset.name.rsplit("/", 1)[-1].lower() == PAPERS_OWN[spec.protocol]
    if spec.prompts_of == "user":
        return f"{spec.protocol}{'' if own_data else '-like'}, the user's own prompts"
    return f"{spec.protocol}-like, benchwright prompts {prompt_versions(spec)}"


def prompt_versions(spec: RunSpec) -> str:
    """Versions of the prompts that were sent, e.g. `v1`."""
    versions = sorted({prompt.name.rsplit(".", 1)[-1] for prompt in spec.prompts})
    return "/".join(f"v{version}" for version in versions) or "without instructions"


def users_prompts(prompts: Iterable[PromptRef]) -> bool:
    """True when some of these prompts are the user's own."""
    return any(prompt.name.endswith(".user") for prompt in prompts)


def asked_how(spec: RunSpec) -> str:
    """Mode, examples and input in words, e.g. `step by step, 2-shot, question and pictures`."""
    if spec.protocol == "human":
        return "as a model is sent it"
    shots = f"{spec.shots}-shot" if spec.shots else "zero-shot"
    repeat = f", repeat {spec.sample}" if spec.sample else ""
    return f"{_HOW[spec.mode]}, {shots}, {_INPUT[spec.input]}{repeat}"


def run_label(spec: RunSpec) -> str:
    """A run's name in a table that several runs share: the model, and what tells its runs apart."""
    parts = [] if spec.protocol == "human" else [_HOW[spec.mode]]
    if spec.shots:
        parts.append(f"{spec.shots}-shot")
    if spec.sample:
        parts.append(f"repeat {spec.sample}")
    return spec.model.name + (f" ({', '.join(parts)})" if parts else "")
