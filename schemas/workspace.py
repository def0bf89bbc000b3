"""The workspace: one folder with a recipe, where every stage finds its input and leaves its output.

Each path has one writer; `docs/architecture.md` lists who. Locks are per stage being written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.errors import TamperedError, UsageError
from benchwright.schemas.locks import hold
from benchwright.schemas.recipe import RECIPE_NAME, Recipe, load_recipe

ENVIRONMENT = "BENCHWRIGHT_WORKSPACE"


class Workspace:
    """Paths, recipe and locks of one benchmark under construction."""

    def __init__(self, root: Path, recipe: Recipe, *, dry: bool = False) -> None:
        self.root = root
        self.recipe = recipe
        self.dry = dry
        """True: stages write nothing and take no lock; one that would have to run raises `NotDone` instead."""

    def __repr__(self) -> str:
        return f"Workspace({str(self.root)!r})"

    @classmethod
    def find(cls, path: Path | None = None) -> Self:
        """Open the workspace given by flag, environment, or upwards from the current folder.

        Raises:
            UsageError: there is none; says how to make one.
        """
        if path is None and os.environ.get(ENVIRONMENT):
            path = Path(os.environ[ENVIRONMENT])
        if path is not None:
            root = path.resolve()
            if not (root / RECIPE_NAME).is_file():
                raise UsageError(
                    f"{path} is not a workspace (it has no {RECIPE_NAME}): make one with `curate init {path}`."
                )
            return cls(root, load_recipe(root / RECIPE_NAME))
        here = Path.cwd().resolve()
        for root in (here, *here.parents):
            if (root / RECIPE_NAME).is_file():
                return cls(root, load_recipe(root / RECIPE_NAME))
        raise UsageError(
            f"no workspace here: {RECIPE_NAME} was not found in {here} or above it; "
            f"make one with `curate init`, or name one with --workspace or {ENVIRONMENT}."
        )

    @classmethod
    def create(cls, path: Path, recipe_toml: str) -> Self:
        """Make a workspace from a recipe's text.

        Raises:
            UsageError: the folder already holds a recipe.
            RecipeError: the text is not a recipe.
        """
        root = path.resolve()
        recipe_path = root / RECIPE_NAME
        if recipe_path.exists():
            raise UsageError(
                f"{recipe_path} already exists: nothing was changed; edit it, or choose another folder."
            )
        root.mkdir(parents=True, exist_ok=True)
        write_atomic(recipe_path, recipe_toml.encode("utf-8"))
        try:
            recipe = load_recipe(recipe_path)
        except UsageError:
            recipe_path.unlink()
            raise
        return cls(root, recipe)

    def relative(self, path: Path) -> str:
        """A path as manifests write it: relative to the root with forward slashes; absolute when outside."""
        try:
            return path.resolve().relative_to(self.root).as_posix()
        except ValueError:
            return path.resolve().as_posix()

    # --- pool and images
    def pool(self, discipline: str) -> Path:
        """Ingested questions (`Question`). Writer: curate ingest."""
        return self.root / "pool" / f"{discipline}.parquet"

    @property
    def pool_rejected(self) -> Path:
        """Rows that ingest refused (`Rejected`). Writer: curate ingest."""
        return self.root / "pool" / "rejected.parquet"

    def pool_disciplines(self) -> tuple[str, ...]:
        """Disciplines that have a pool, sorted."""
        return tuple(
            sorted(p.stem for p in (self.root / "pool").glob("*.parquet") if p != self.pool_rejected)
        )

    def image(self, sha256: str, suffix: str) -> Path:
        """Published bytes of an image, by content."""
        return self.root / "images" / sha256[:2] / f"{sha256}{suffix}"

    def source_image(self, sha256: str, suffix: str) -> Path:
        """Bytes as received; never published."""
        return self.root / "images" / "source" / sha256[:2] / f"{sha256}{suffix}"

    def find_image(self, sha256: str) -> Path:
        """Where the published image with that digest lies.

        Raises:
            UsageError: the workspace does not hold it.
        """
        for suffix in (".png", ".jpg"):
            if (path := self.image(sha256, suffix)).is_file():
                return path
        raise UsageError(f"image {sha256} is not in {self.root / 'images'}: ingest its source again.")

    def read_image(self, sha256: str) -> bytes:
        """Published bytes of an image, checked against its digest.

        Raises:
            UsageError: the workspace does not hold it.
            TamperedError: the file's bytes are not what its name says.
        """
        from benchwright.schemas.digest import sha256_bytes

        path = self.find_image(sha256)
        data = path.read_bytes()
        if sha256_bytes(data) != sha256:
            raise TamperedError(f"{path} was changed after ingest: its bytes no longer match its name.")
        return data

    # --- choosing
    def embeddings(self, discipline: str) -> Path:
        """Folder of embedding shards. Writer: curate embed."""
        return self.root / "embeddings" / discipline

    def estimates(self, discipline: str) -> Path:
        """Estimated subject, difficulty, points. Writer: curate estimate."""
        return self.root / "estimates" / f"{discipline}.parquet"

    def clusters(self, discipline: str) -> Path:
        """Cluster of each question. Writer: curate cluster."""
        return self.root / "clusters" / f"{discipline}.parquet"

    def duplicates(self, discipline: str) -> Path:
        """Duplicate groups. Writer: curate dedup."""
        return self.root / "duplicates" / f"{discipline}.parquet"

    def screen(self, discipline: str) -> Path:
        """Screening measures and rejections. Writer: curate screen."""
        return self.root / "screen" / f"{discipline}.parquet"

    def selection(self, discipline: str) -> Path:
        """The chosen questions (`SelectionRow`). Writer: curate cluster."""
        return self.root / "selection" / f"{discipline}.parquet"

    def certificate(self, discipline: str) -> Path:
        """Proof of the selection. Writer: curate cluster."""
        return self.root / "selection" / f"{discipline}.certificate.json"

    def selected_disciplines(self) -> tuple[str, ...]:
        """Disciplines that have a selection, sorted."""
        folder = self.root / "selection"
        return tuple(sorted(p.stem for p in folder.glob("*.parquet") if not p.name.endswith(".dev.parquet")))

    def dev_selection(self, discipline: str) -> Path:
        """Few-shot examples, never scored. Writer: curate cluster."""
        return self.root / "selection" / f"{discipline}.dev.parquet"

    def replacements(self, discipline: str) -> Path:
        """Append-only log of replaced questions. Writer: curate replace."""
        return self.root / "replacements" / f"{discipline}.jsonl"

    # --- proposals, reviews, problems
    def proposals(self, job: str) -> Path:
        """Machine's words (`Proposal`). Writer: the job's proposer."""
        return self.root / "proposals" / f"{job}.jsonl"

    def proposals_rejected(self, job: str) -> Path:
        """Items without a proposal, with the reason (`Rejected`). Writer: the job's proposer."""
        return self.root / "proposals" / f"{job}.rejected.jsonl"

    def reviews(self, job: str) -> Path:
        """Every pulled state of every annotation (`Review`), append-only. Writer: annotate pull."""
        return self.root / "reviews" / f"{job}.jsonl"

    def verdicts(self, job: str) -> Path:
        """One final value per key (`Verdict`), derived. Writer: annotate pull / adjudicate."""
        return self.root / "reviews" / f"{job}.verdicts.jsonl"

    @property
    def problems(self) -> Path:
        """The benchmark's problems (`Problem`), derived. Writer: curate problems."""
        return self.root / "problems.parquet"

    @property
    def problems_rejected(self) -> Path:
        """Selected questions that are not problems yet (`Rejected`). Writer: curate problems."""
        return self.root / "problems.rejected.parquet"

    @property
    def problems_pending(self) -> Path:
        """Texts of problems that wait for a review (`Rejected`). Writer: curate problems."""
        return self.root / "problems.pending.parquet"

    @property
    def calls(self) -> Path:
        """The one store of model calls (SQLite). Writer: the call store."""
        return self.root / "calls.sqlite"

    @property
    def label_studio(self) -> Path:
        """Data folder of the managed review server. Writer: annotate serve."""
        return self.root / "label-studio"

    @property
    def people(self) -> Path:
        """Names behind pseudonyms, mode 600, never published. Writer: annotate."""
        return self.root / "people.json"

    # --- images, release, runs
    def renders(self, style: str, version: str, language: str) -> Path:
        """Folder of rendered images and sidecars. Writer: render."""
        return self.root / "renders" / style / version / language

    def release(self, tag: str) -> Path:
        """Folder of one release, as it is pushed. Writer: push-dataset."""
        return self.root / "release" / tag

    @property
    def runs(self) -> Path:
        """Folder of evaluation runs. Writer: evaluate."""
        return self.root / "runs"

    @property
    def taxonomies(self) -> Path:
        """The user's own taxonomies."""
        return self.root / "taxonomies"

    @contextmanager
    def lock(self, stage: str) -> Iterator[None]:
        """Hold the lock of a stage that is to be written; readers take none.

        Raises:
            LockedError: another process holds it; names its process id.
        """
        path = self.root / ".locks" / f"{stage.replace('/', '.')}.lock"
        with hold(path, f"stage {stage} of {self.root}", self.root):
            yield
