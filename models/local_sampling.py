"""Row-by-row sampling and stopping for a batch of `transformers.generate`.

Each row draws from its own generator: the Gumbel-max trick (adding Gumbel noise to the scaled scores and taking the
largest samples exactly from the softmax) turns sampling into the greedy choice, so that a batch needs one pass, rows
may have different temperatures, and a row's draws depend on its seed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """How one row of a batch is generated."""

    limit: int
    """New tokens at most."""
    temperature: float
    """0: greedy."""
    top_p: float | None
    top_k: int | None
    seed: int
    cancelled: Callable[[], bool]


def processors_for(rows: Sequence[Row]) -> Any:
    """The `LogitsProcessorList` for these rows; empty when all are greedy."""
    from transformers import LogitsProcessor, LogitsProcessorList

    if all(row.temperature <= 0 for row in rows):
        return LogitsProcessorList()
    draws = _Draws(rows)

    class Seeded(LogitsProcessor):  # type: ignore[misc]
        def __call__(self, input_ids: Any, scores: Any) -> Any:
            return draws.noisy(scores)

    return LogitsProcessorList([Seeded()])


def stopping_for(rows: Sequence[Row], limits: Sequence[int], start: int) -> Any:
    """The `StoppingCriteriaList`: each row ends at its own limit, or when nobody waits for it any more.

    Args:
        rows: whom to ask whether they were cancelled.
        limits: new tokens at most, one for each row.
        start: tokens of the padded prompt.
    """
    import torch
    from transformers import StoppingCriteria, StoppingCriteriaList

    class Limits(StoppingCriteria):  # type: ignore[misc]
        def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
            new = input_ids.shape[1] - start
            done = [new >= limit or row.cancelled() for row, limit in zip(rows, limits, strict=True)]
            return torch.tensor(done, dtype=torch.bool, device=input_ids.device)

    return StoppingCriteriaList([Limits()])


class _Draws:
    """Noise for a batch, one generator a row; drawn on the CPU, so that a seed means the same on every device."""

    def __init__(self, rows: Sequence[Row]) -> None:
        import torch

        self._rows = rows
        self._generators = [torch.Generator().manual_seed(row.seed) for row in rows]

    def noisy(self, scores: Any) -> Any:
        """Scores in which the largest of each sampled row is a draw from its distribution."""
        import torch

        out = scores.float().clone()
        for place, (row, generator) in enumerate(zip(self._rows, self._generators, strict=True)):
            if row.temperature <= 0:
                continue
            line = _restricted(out[place] / row.temperature, row.top_k, row.top_p)
            uniform = torch.rand(line.shape, generator=generator, dtype=torch.float64).clamp_(1e-300)
            noise = -torch.log((-torch.log(uniform)).clamp_(min=1e-300))
            out[place] = line + noise.to(line.device, line.dtype)
        return out


def _restricted(line: Any, top_k: int | None, top_p: float | None) -> Any:
    """The scores with all but the `top_k` largest, and all beyond a probability of `top_p`, ruled out."""
    import torch

    if top_k is not None and 0 < top_k < line.shape[0]:
        line = line.masked_fill(line < torch.topk(line, top_k).values[-1], float("-inf"))
    if top_p is not None and top_p < 1:
        values, places = torch.sort(line, descending=True)
        before = torch.cumsum(torch.softmax(values, dim=0), dim=0) - torch.softmax(values, dim=0)
        line = line.index_fill(0, places[before >= top_p], float("-inf"))
    return line
