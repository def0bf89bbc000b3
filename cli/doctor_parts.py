"""The installed parts: what the package's own metadata asks for, compared with what is there, and then used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from typing import TYPE_CHECKING

from benchwright.cli.doctor_check import Check
from benchwright.cli.doctor_probes import CORE

if TYPE_CHECKING:
    from packaging.requirements import Requirement

_LIMIT = 180.0
"""Seconds that a part may take on a busy machine before it counts as broken."""
_DEVELOPERS = ("dev", "bench")
COMMANDS_OF_EXTRA = {
    "annotate": "annotate serve, push, pull, users, adjudicate; demo --with-annotation",
    "embed": "curate cluster and embed with `sentence-transformers:...` as embedder or for pictures",
    "local": "models named local/...: evaluate, curate tag and the other proposing commands",
    "ocr": "render check; watermarks in curate screen",
    "ray": "--engine ray of curate screen, dedup, embed, estimate, cluster",
    "xlsx": "curate ingest of .xlsx files",
    "math": "evaluate --judge math-verify or chain",
}
"""What people would miss; the extras that only developers need have no entry."""


@dataclass(frozen=True)
class Needs:
    """Requirements by extra; '' are those of the core."""

    of: dict[str, tuple[Requirement, ...]]

    def unmet(self, extra: str) -> list[str]:
        """What is not installed, or in a version that is not meant, each as one phrase."""
        if extra not in self.of:
            return [f"this installation of Benchwright does not know the extra {extra}"]
        return [phrase for need in self.of[extra] if (phrase := _unmet(need))]


def read_needs() -> Needs:
    """The requirements that the installed package declares."""
    from packaging.requirements import Requirement

    found: dict[str, list[Requirement]] = {"": []}
    extras = ["", *COMMANDS_OF_EXTRA]
    for text in requires("benchwright") or ():
        need = Requirement(text)
        for extra in extras:
            if need.marker is None and extra == "":
                found[""].append(need)
            elif need.marker is not None and need.marker.evaluate({"extra": extra}):
                found.setdefault(extra, []).append(need)
    return Needs({extra: tuple(needs) for extra, needs in found.items()})


def core_checks(needs: Needs) -> Iterator[Check]:
    """Requirements of the core, then each of its parts at work."""
    unmet = needs.unmet("")
    said = "; ".join(unmet) if unmet else f"all {len(needs.of[''])} required packages, in versions that fit"
    yield Check(
        "core",
        "packages",
        "broken" if unmet else "ok",
        said,
        "pip install benchwright" if unmet else "",
    )
    for part in CORE:
        yield _used("core", part, part, "in the clone: pip install --force-reinstall .")


def extra_checks(needs: Needs) -> Iterator[Check]:
    """Each extra: absent with its pip line, or installed and at work."""
    for extra, commands in COMMANDS_OF_EXTRA.items():
        pip = f"pip install 'benchwright[{extra}]'"
        unmet = needs.unmet(extra)
        if unmet:
            yield Check("extras", f"[{extra}]", "absent", f"{'; '.join(unmet)}; needed for: {commands}", pip)
        else:
            yield _used(
                "extras", f"[{extra}]", extra, f"in the clone: pip install --force-reinstall '.[{extra}]'"
            )
        if extra == "annotate":
            yield _review_server()


def _used(section: str, part: str, probe: str, remedy: str) -> Check:
    """The part at work in a process of its own, without a network."""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "benchwright.cli.doctor_probes", probe]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False,
            env=environment, timeout=_LIMIT, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Check(section, part, "broken", f"did not finish within {_LIMIT:.0f} s", remedy)
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    if done.returncode == 0 and lines:
        return Check(section, part, "ok", str(json.loads(lines[-1])["said"]))
    if done.returncode < 0:
        return Check(section, part, "broken", f"its process was killed by signal {-done.returncode}", remedy)
    told = [line for line in done.stderr.splitlines() if line.strip()]
    return Check(section, part, "broken", told[-1] if told else f"exit code {done.returncode}", remedy)


def _unmet(need: Requirement) -> str | None:
    try:
        there = version(need.name)
    except PackageNotFoundError:
        return f"{need.name} is not installed"
    if need.specifier.contains(there, prereleases=True):
        return None
    return f"{need.name} {there} is installed, {need.specifier} is needed"


def _review_server() -> Check:
    from benchwright.annotation.environment import SERVER_VERSION, cache_folder, server_python

    folder = cache_folder()
    there = (folder / "installed").is_file() and server_python(folder).is_file()
    said = (
        f"Label Studio {SERVER_VERSION} is installed in {folder}"
        if there
        else f"Label Studio {SERVER_VERSION} is not in {folder} yet: the first `annotate serve` installs it"
    )
    return Check("extras", "review server", "ok" if there else "note", said)
