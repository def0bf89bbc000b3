"""Options that say who runs the shards of a stage: this machine's processes, or Ray."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def engine_options(function: F) -> F:
    """Add `--engine` and `--ray-address`; the command gets `engine` and `ray_address`."""
    address = click.option(
        "--ray-address",
        default=None,
        metavar="ADDRESS",
        help="With --engine ray: a cluster (HOST:PORT, ray://HOST:PORT or auto). Default: one on this machine.",
    )
    engine = click.option(
        "--engine",
        type=click.Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help="Who works through the pool: processes of this machine, or Ray. Results are the same.",
    )
    return engine(address(function))
