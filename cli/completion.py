"""`benchwright completion SHELL`, and the names that Tab offers: disciplines of the recipe, review jobs, languages."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete, ShellComplete, ZshComplete

from benchwright.cli.common import emit, json_option

if TYPE_CHECKING:
    _ParamType = click.ParamType[str]
else:
    _ParamType = click.ParamType  # no generic at run time in the older clicks that we accept

COMMANDS = ("benchwright", "curate", "render", "annotate", "push-dataset", "evaluate")
"""The six that a package installs."""
JOB_NAMES = (
    "answer",
    "decomposition",
    "duplicates",
    "errors",
    "judge",
    "multiple-choice",
    "placement",
    "quality",
    "steps",
    "tagging",
    "taxonomy",
    "translation",
)
"""As `benchwright.annotation.jobs` has them; importing those would take longer than a person waits for Tab."""
_SHELLS: dict[str, type[ShellComplete]] = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}
_HOW = {
    "bash": '# Put this into ~/.bashrc:  eval "$(benchwright completion bash)"   (bash 4.4 or newer)',
    "zsh": '# Put this into ~/.zshrc, after compinit:  eval "$(benchwright completion zsh)"',
    "fish": "# Write this to ~/.config/fish/conf.d/benchwright.fish:  benchwright completion fish > THAT-FILE",
}


@click.command()
@click.argument("shell", type=click.Choice(sorted(_SHELLS)))
@json_option
def completion(shell: str, as_json: bool) -> None:
    """Print the script that completes all six commands in a SHELL: sub-commands, options, names of the recipe.

    In bash: eval "$(benchwright completion bash)".
    """
    script = completion_script(shell)
    if as_json:
        emit({"shell": shell, "script": script}, None, True)
        return
    click.echo(script)


def completion_script(shell: str) -> str:
    """The text that a shell reads once at its start."""
    parts = [_HOW[shell]]
    for name in COMMANDS:
        variable = f"_{name.replace('-', '_').upper()}_COMPLETE"  # what click looks for
        made = _SHELLS[shell](click.Command(name), {}, name, variable)
        parts.append((made.source_template % made.source_vars()).strip())
    return "\n".join(parts)


class _Names(_ParamType):
    """A free text for which some words are offered on Tab."""

    name = "text"

    def words(self, ctx: click.Context) -> Iterable[str]:
        raise NotImplementedError

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The words that begin like what was typed."""
        return [CompletionItem(word) for word in self.words(ctx) if word.startswith(incomplete)]


class DisciplineName(_Names):
    """Disciplines of the recipe of the workspace that the command would use."""

    def words(self, ctx: click.Context) -> Iterable[str]:
        """Read from the recipe as bare TOML: its models take longer to load than a person waits."""
        recipe = _recipe(ctx.params.get("workspace"))
        disciplines = recipe.get("disciplines")
        return sorted(disciplines) if isinstance(disciplines, dict) else ()


class JobName(_Names):
    """Review jobs."""

    def words(self, ctx: click.Context) -> Iterable[str]:
        """All of them."""
        return JOB_NAMES


class LanguageName(_Names):
    """Languages of the recipe."""

    def words(self, ctx: click.Context) -> Iterable[str]:
        """As the recipe says, else both that the recipe has by default."""
        benchmark = _recipe(ctx.params.get("workspace")).get("benchmark")
        said = benchmark.get("languages") if isinstance(benchmark, dict) else None
        return [str(name) for name in said] if isinstance(said, list) else ("en", "zh")


_BY_PARAMETER: dict[str, _Names] = {
    "discipline": DisciplineName(),
    "disciplines": DisciplineName(),
    "job": JobName(),
    "jobs": JobName(),
    "language": LanguageName(),
    "languages": LanguageName(),
}


def give_names(command: click.Command) -> None:
    """Let the free texts of a command, and of all below it, offer what can be typed there."""
    if isinstance(command, click.Group):
        for below in command.commands.values():
            give_names(below)
        return
    for parameter in command.params:
        if parameter.type is click.STRING and parameter.name in _BY_PARAMETER:
            parameter.type = _BY_PARAMETER[parameter.name]


def _recipe(workspace: Any) -> dict[str, Any]:
    """The recipe's table, found as a command finds it; empty where there is none, or none that can be read."""
    import tomllib

    named = workspace or os.environ.get("BENCHWRIGHT_WORKSPACE")
    here = Path(named).absolute() if named else Path.cwd()
    for folder in (here,) if named else (here, *here.parents):
        path = folder / "benchwright.toml"
        if path.is_file():
            try:
                return tomllib.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError):  # the command itself will say what is wrong with it
                return {}
    return {}
