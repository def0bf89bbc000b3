"""Problems and their rendered images become release rows: one per problem, version and language.

What a version cannot say is not published as something else: every combination is a row or a `Rejected` with its
reason (`no-translation`, `no-decomposition`, `nothing-to-show`, `not-rendered`, `stale-render`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchwright.curation.release.renders import Rendered, Renders
from benchwright.curation.release.repeats import Repeats, repeats_of
from benchwright.render.legibility_result import GateResult
from benchwright.schemas.digest import digest_of, sha256_bytes
from benchwright.schemas.errors import ItemError, TamperedError
from benchwright.schemas.records import Choice, Option, Problem, Rejected, ReleaseRow
from benchwright.schemas.versions import VERSIONS, Version, VersionText, decomposition_of, version_text
from benchwright.schemas.workspace import Workspace

STAGE = "release"


@dataclass
class ReleaseImages:
    """Where the published bytes of every picture of a release lie, by sha256. Calling it reads one."""

    paths: dict[str, Path] = field(default_factory=dict)

    def __call__(self, sha256: str) -> bytes:
        """Bytes of a picture, checked against its digest.

        Raises:
            TamperedError: the file was changed since it was reviewed.
        """
        path = self.paths[sha256]
        data = path.read_bytes()
        if sha256_bytes(data) != sha256:
            raise TamperedError(f"{path} was changed: its bytes no longer have the digest {sha256}")
        return data


@dataclass(frozen=True)
class ReleaseContent:
    """Everything a release publishes, and what it leaves out and why."""

    rows: tuple[ReleaseRow, ...]
    rejected: tuple[Rejected, ...]
    images: ReleaseImages
    origins: dict[str, tuple[tuple[str, str], ...]]
    """For each problem, who said each of its fields last: (field, origin) pairs."""
    digest: str
    """Digest of all rows, reasons and repeats as they came out of the workspace, before any row was dropped."""
    unchecked: tuple[str, ...] = ()
    """Rendered images that the legibility gate has not judged."""
    repeats: tuple[Repeats, ...] = ()
    """What the search for duplicates found in the pools of these problems."""
    source_languages: Mapping[str, str] = field(default_factory=dict)
    """By problem, the language in which its source asks it."""
    translated: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By problem, the languages into which its question was translated; its source has it in all others."""
    gates: Mapping[str, GateResult | None] = field(default_factory=dict)
    """By row with a rendered picture, what the legibility gate says of it; None where it has not looked."""


def release_content(workspace: Workspace, problems: Iterable[Problem]) -> ReleaseContent:
    """Make the rows of all problems in the recipe's versions and languages.

    Rows are ordered by language, version, discipline and problem id, whatever the order of the problems.

    Raises:
        UsageError: a diagram that a problem names is not in the workspace.
    """
    recipe = workspace.recipe.benchmark
    images = ReleaseImages()
    renders = Renders(workspace)
    rows: list[ReleaseRow] = []
    rejected: list[Rejected] = []
    gates: dict[str, GateResult | None] = {}
    ordered = sorted(problems, key=lambda problem: (problem.discipline, problem.problem_id))
    for language in recipe.languages:
        for version in recipe.chosen_versions:
            for problem in ordered:
                try:
                    rows.append(release_row(workspace, problem, version, language, images, renders, gates))
                except ItemError as error:
                    rejected.append(
                        Rejected(
                            item_id=row_id(problem.problem_id, version, language),
                            stage=STAGE,
                            reason=error.reason,
                            detail=error.detail,
                            source=problem.source,
                        )
                    )
    origins = {
        problem.problem_id: tuple((entry.field, entry.origin.value) for entry in problem.provenance)
        for problem in ordered
    }
    repeats = repeats_of(workspace, (row.discipline for row in rows))
    digest = digest_of([rows, rejected, origins, repeats])
    return ReleaseContent(
        rows=tuple(rows),
        rejected=tuple(rejected),
        images=images,
        origins=origins,
        digest=digest,
        unchecked=tuple(renders.unchecked),
        repeats=repeats,
        source_languages={problem.problem_id: problem.language for problem in ordered},
        translated={problem.problem_id: _translated(problem) for problem in ordered},
        gates=gates,
    )


def _translated(problem: Problem) -> frozenset[str]:
    """Languages but the source's in which somebody said the question: no source has it there."""
    return frozenset(
        one.language
        for one in problem.provenance
        if one.field == "question" and one.language is not None and one.language != problem.language
    )


def row_id(problem_id: str, version: Version, language: str) -> str:
    """Id of a release row: problem, version, language."""
    return f"{problem_id}-{version}-{language}"


def release_row(
    workspace: Workspace,
    problem: Problem,
    version: Version,
    language: str,
    images: ReleaseImages,
    renders: Renders,
    gates: dict[str, GateResult | None],
) -> ReleaseRow:
    """Make one row; note in `images` where its pictures lie, in `gates` what the legibility gate says of a render.

    Raises:
        ItemError: the version cannot be made of this problem, or has not been rendered.
        UsageError: a picture that the problem names is not in the workspace.
    """
    in_image = workspace.recipe.render.choices == "image"
    text = version_text(problem, version, language, (), in_image)
    rendered: Rendered | None = None
    if VERSIONS[version].rendered:
        rendered = renders.find(problem, version, language)
        gates[row_id(problem.problem_id, version, language)] = rendered.verdict
        text = version_text(problem, version, language, rendered.sidecar.shown, in_image)
    stem, conditions, core, cue, detail = _parts(problem, version, language)
    return ReleaseRow(
        id=row_id(problem.problem_id, version, language),
        problem_id=problem.problem_id,
        version=version.value,
        language=language,
        discipline=problem.discipline,
        subject=problem.subject,
        difficulty=problem.difficulty,
        knowledge_points=problem.knowledge_points,
        question=text.question,
        images=tuple(_sent_images(workspace, problem, version, text, rendered, images)),
        options=tuple(_option(workspace, choice, images) for choice in text.choices),
        question_type=text.question_type,
        answer=text.answer,
        unit=text.unit,
        full_question=text.full_question,
        stem=stem,
        conditions=conditions,
        core_question=core,
        knowledge_cue=cue,
        knowledge_detail=detail,
        solution=text.solution,
        split=problem.split,
        source=problem.source,
        source_license=problem.source_license,
        render=None if rendered is None else rendered.note,
        canary=workspace.recipe.release.canary,
    )


def _sent_images(
    workspace: Workspace,
    problem: Problem,
    version: Version,
    text: VersionText,
    rendered: Rendered | None,
    images: ReleaseImages,
) -> Iterator[str]:
    """Digests of the pictures that are sent, in order: the problem's, then those of the choices sent as text."""
    own = [ref.sha256 for ref in problem.images]
    if rendered is not None:
        images.paths[rendered.sidecar.png_sha256] = rendered.png
        yield rendered.sidecar.png_sha256
        own = [sha256 for sha256 in own if sha256 not in rendered.drawn]
    for sha256 in own:
        yield _noted(workspace, sha256, images)
    if text.question:
        for choice in text.choices:
            if choice.image is not None:
                yield _noted(workspace, choice.image.sha256, images)


def _option(workspace: Workspace, choice: Choice, images: ReleaseImages) -> Option:
    sha256 = None if choice.image is None else _noted(workspace, choice.image.sha256, images)
    return Option(label=choice.label, text=choice.text, image_sha256=sha256)


def _noted(workspace: Workspace, sha256: str, images: ReleaseImages) -> str:
    if sha256 not in images.paths:
        images.paths[sha256] = workspace.find_image(sha256)
    return sha256


def _parts(
    problem: Problem, version: Version, language: str
) -> tuple[str | None, tuple[str, ...], str | None, str | None, tuple[str, ...]]:
    """Stem, conditions, core question, cue and detail; nothing where the version does not come from a decomposition."""
    if VERSIONS[version].source_form or problem.texts[language].decomposition is None:
        return None, (), None, None, ()
    parts = decomposition_of(problem, language)
    return (
        parts.stem,
        tuple(parts.stem[condition.start : condition.end] for condition in parts.conditions),
        parts.core_question,
        parts.knowledge_cue.sentence,
        tuple(f"{item.term}: {item.text}" for item in parts.knowledge_detail),
    )
