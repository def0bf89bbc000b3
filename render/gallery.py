"""A static page that shows a workspace's problems: every text version, the diagrams and the rendered pictures.

The page needs no network: formulas are inline SVG (each drawn once), pictures are referenced by relative path.
"""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from benchwright.render.check import gate_verdict
from benchwright.render.compose import typesetter_for
from benchwright.render.formula import Typesetter
from benchwright.render.job import picture_path, read_sidecar
from benchwright.render.legibility_result import GateState
from benchwright.render.segment import Break, Math, Segment, Text, segment
from benchwright.render.sidecar import Sidecar
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.errors import ItemError, UsageError
from benchwright.schemas.journal import iter_jsonl
from benchwright.schemas.records import DIFFICULTY_NAMES, Problem, Rejected
from benchwright.schemas.tables import read_records
from benchwright.schemas.versions import VERSIONS, Version, version_text
from benchwright.schemas.workspace import Workspace

STATUSES = ("failed", "text-changed", "unchecked", "incomplete", "legible")
"""What a problem's pictures are, the worst first: a picture failed the gate; its text must be reviewed anew; it has
not been judged; a rendered version does not exist; all were read back."""


@dataclass(frozen=True)
class PictureView:
    """A picture as the page shows it."""

    href: str
    caption: str
    width: int
    height: int


@dataclass(frozen=True)
class VersionView:
    """One version in one language: its text, its picture, or why there is none."""

    name: str
    text: Markup
    options: tuple[tuple[str, Markup, str | None], ...] = ()
    picture: PictureView | None = None
    shown: tuple[str, ...] = ()
    refusal: str | None = None
    status: str | None = None
    """Of a rendered picture: one of `STATUSES`; None for a version without one."""
    verdict: str = ""
    """What the legibility gate says of the picture, in words."""


@dataclass(frozen=True)
class LanguageView:
    """One language of a problem."""

    language: str
    answer: str
    versions: tuple[VersionView, ...]

    @property
    def missing(self) -> dict[str, list[str]]:
        """Versions that do not exist, by reason."""
        found: dict[str, list[str]] = {}
        for version in self.versions:
            if version.refusal:
                found.setdefault(version.refusal, []).append(version.name)
        return found


@dataclass(frozen=True)
class ProblemView:
    """One problem on the page."""

    problem: Problem
    level: str
    diagrams: tuple[PictureView, ...]
    languages: tuple[LanguageView, ...]

    @property
    def status(self) -> str:
        """The worst of its pictures' statuses."""
        found = {v.status for language in self.languages for v in language.versions if v.status}
        return next((status for status in STATUSES if status in found), "incomplete")


@dataclass
class Formulas:
    """Formulas of a page, each stored once as an SVG symbol."""

    typesetter: Typesetter
    symbols: dict[tuple[str, bool], tuple[int, str]] = field(default_factory=dict)

    def markup(self, source: str, display: bool) -> str:
        """An inline element that shows the formula; its source where no engine can draw it."""
        try:
            drawing = self.typesetter.drawing(source, display)
        except ItemError as error:
            return f'<code class="bad" title="{html.escape(str(error))}">{html.escape(source)}</code>'
        key = (source, display)
        height = drawing.ascent + drawing.descent
        if key not in self.symbols:
            box = f"0 {-drawing.ascent * 1000:g} {drawing.width * 1000:g} {height * 1000:g}"
            symbol = f'<symbol id="f{len(self.symbols)}" viewBox="{box}" overflow="visible">{drawing.body}</symbol>'
            self.symbols[key] = (len(self.symbols), symbol)
        number = self.symbols[key][0]
        em = self.typesetter.font.formula_scale
        style = f"width:{em * drawing.width:.4g}em;height:{em * height:.4g}em"
        style += f";vertical-align:{-em * drawing.descent:.4g}em"
        kind = "formula display" if display else "formula"
        label = html.escape(source)
        return f'<svg class="{kind}" style="{style}" role="img" aria-label="{label}"><use href="#f{number}"/></svg>'


def write_gallery(workspace: Workspace, path: Path) -> int:
    """Write the page; returns the number of problems on it.

    Args:
        workspace: has `problems.parquet`; pictures are shown where they were rendered.
        path: the page; pictures are referenced relative to its folder.

    Raises:
        UsageError: there are no problems yet.
    """
    if not workspace.problems.is_file():
        raise UsageError(f"{workspace.problems} does not exist: run `curate problems` first.")
    problems = sorted(
        read_records(workspace.problems, Problem), key=lambda p: (p.discipline, p.subject, p.problem_id)
    )
    formulas = Formulas(typesetter_for())
    refusals = _refusals(workspace)
    views = [_problem_view(workspace, problem, path.parent, formulas, refusals) for problem in problems]
    environment = Environment(
        loader=PackageLoader("benchwright.render", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("gallery.html").render(
        title=workspace.recipe.benchmark.title or workspace.recipe.benchmark.name,
        problems=views,
        disciplines=sorted({problem.discipline for problem in problems}),
        languages=workspace.recipe.benchmark.languages,
        versions=[version.value for version in workspace.recipe.benchmark.chosen_versions],
        statuses=[status for status in STATUSES if any(view.status == status for view in views)],
        symbols=Markup("".join(symbol for _, symbol in formulas.symbols.values())),
    )
    write_atomic(path, page.encode("utf-8"))
    return len(views)


def _refusals(workspace: Workspace) -> dict[tuple[str, str, str], str]:
    """Reason by version, language and problem."""
    found: dict[tuple[str, str, str], str] = {}
    for version in (Version.VISION_RICH, Version.VISION_ONLY):
        for language in workspace.recipe.benchmark.languages:
            path = picture_path(workspace, version, language, "x").with_name("rejected.jsonl")
            if path.is_file():
                for item in iter_jsonl(path, Rejected):
                    found[(version.value, language, item.item_id)] = item.reason
    return found


def _problem_view(
    workspace: Workspace,
    problem: Problem,
    folder: Path,
    formulas: Formulas,
    refusals: dict[tuple[str, str, str], str],
) -> ProblemView:
    diagrams = tuple(
        PictureView(
            _relative(workspace.find_image(ref.sha256), folder), f"diagram {i}", ref.width, ref.height
        )
        for i, ref in enumerate(problem.images, start=1)
    )
    languages = tuple(
        LanguageView(
            language=language,
            answer=problem.texts[language].answer,
            versions=tuple(
                _version_view(workspace, problem, version, language, folder, formulas, refusals)
                for version in workspace.recipe.benchmark.chosen_versions
            ),
        )
        for language in workspace.recipe.benchmark.languages
        if language in problem.texts
    )
    return ProblemView(problem, DIFFICULTY_NAMES[problem.difficulty], diagrams, languages)


def _version_view(
    workspace: Workspace,
    problem: Problem,
    version: Version,
    language: str,
    folder: Path,
    formulas: Formulas,
    refusals: dict[tuple[str, str, str], str],
) -> VersionView:
    sidecar: Sidecar | None = None
    picture: PictureView | None = None
    if VERSIONS[version].rendered:
        png = picture_path(workspace, version, language, problem.problem_id)
        sidecar = read_sidecar(png.with_suffix(".json"))
        if sidecar is None:
            reason = refusals.get((version.value, language, problem.problem_id), "not-rendered")
            return VersionView(version.value, Markup(""), refusal=reason, status="incomplete")
        if sidecar.problem_digest != problem.digest:
            return VersionView(version.value, Markup(""), refusal="stale-render", status="incomplete")
        picture = PictureView(
            _relative(png, folder), f"{version.value}, {language}", sidecar.width, sidecar.height
        )
    try:
        text = version_text(
            problem,
            version,
            language,
            shown=sidecar.shown if sidecar else (),
            choices_in_image=workspace.recipe.render.choices == "image",
        )
    except ItemError as error:
        return VersionView(version.value, Markup(""), refusal=error.reason)
    # The choices are set as a list of their own: without them here, the text is the question alone.
    body = text.question
    options: tuple[tuple[str, Markup, str | None], ...] = ()
    if body and text.choices:
        from benchwright.schemas.versions import choices_text

        body = body.removesuffix(choices_text(text.choices)).rstrip("\n")
        options = tuple(
            (
                choice.label,
                _markup(choice.text or "", formulas),
                _relative(workspace.find_image(choice.image.sha256), folder) if choice.image else None,
            )
            for choice in text.choices
        )
    view = VersionView(
        version.value, _markup(body, formulas), options, picture, sidecar.shown if sidecar else ()
    )
    if sidecar is None:
        return view
    status, verdict = _verdict(png, sidecar)
    return replace(view, status=status, verdict=verdict)


def _verdict(png: Path, sidecar: Sidecar) -> tuple[str, str]:
    """Status and verdict of one picture."""
    found = gate_verdict(png)
    if found is None or found.state is GateState.NOT_JUDGED:
        words = "not read back yet" if found is None else f"could not be judged ({found.reason})"
        status = "unchecked"
    elif found.state is GateState.FAILED:
        words, status = f"failed: {', '.join(found.codes)}", "failed"
    else:
        read = f"read back: {found.characters - found.errors} of {found.characters} characters"
        words, status = read if found.characters else "ink and formulas checked", "legible"
    if sidecar.text_changed and status != "failed":
        return "text-changed", f"{words}; the text is cut by rule and must be reviewed"
    return status, words


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()


def _markup(text: str, formulas: Formulas) -> Markup:
    """A text as HTML with formulas as SVG; a table that cannot be read stays as its source."""
    try:
        segments: Sequence[Segment] = segment(text, lambda _: True).segments
    except ItemError:
        segments = (Text(text),)
    parts: list[str] = []
    for item in segments:
        if isinstance(item, Text):
            parts.append(html.escape(item.text))
        elif isinstance(item, Math):
            parts.append(formulas.markup(item.tex, item.display))
        elif isinstance(item, Break):
            parts.append("<br>")
        else:
            rows = "".join(
                "<tr>"
                + "".join(f'<td colspan="{c.span}">{_markup(c.text, formulas)}</td>' for c in row)
                + "</tr>"
                for row in item.rows
            )
            parts.append(f"<table>{rows}</table>")
    return Markup("".join(parts))  # every part is escaped or made by us
