"""What choosing leaves behind: estimates, clusters, the selection, and the certificate that proves it.

`curate estimate` writes `Estimate`, `curate cluster` writes `ClusterRow`, `SelectionRow` and one `Certificate` per
discipline. Point names that start with `cluster:` are stand-ins for questions whose source names no knowledge point.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from benchwright.schemas.records import Difficulty, Origin, Record, Sha256, UnitInterval

STAND_IN_PREFIX = "cluster:"

SolverStatus = Literal["optimal", "gap-limit", "time-limit", "preview"]
"""`optimal`: the bound is reached; `gap-limit`, `time-limit`: stopped before; `preview`: nothing was proven."""
Family = Literal["cluster", "chapter", "template", "group", "image"]
"""What questions may share: each family has a limit on how many with one value may be chosen."""
Share = Annotated[float, Field(ge=0.0, le=1.0)]


def stand_in(cluster: int) -> str:
    """The point that a question without knowledge points stands for."""
    return f"{STAND_IN_PREFIX}{cluster}"


def is_stand_in(point: str) -> bool:
    """Whether a point is a cluster that stands in for missing knowledge points."""
    return point.startswith(STAND_IN_PREFIX)


class Estimate(Record):
    """Cheap values that the choice rests on; each says whether the source gave it or we estimated it."""

    question_id: str
    subject: str
    subject_origin: Origin
    subject_confidence: UnitInterval
    """1.0 for a value of the source; otherwise a share among the taxonomy's subjects, calibrated where the pool has
    labels (`<discipline>.fit.json` says how well)."""
    subject_rule: str
    """`source`, `nearest`, `fitted`, or `none` without a taxonomy."""
    difficulty: Difficulty
    difficulty_origin: Origin
    difficulty_confidence: UnitInterval
    """1.0 for a value of the source; the share of the level where a model was fitted; else the share of the stage's
    labelled questions with exactly this level, 0.5 for an unmeasured stage, 0.0 for the median."""
    difficulty_rule: str
    """`source`, `grade:<stage>`, `fitted` or `median`."""
    points: tuple[str, ...]
    """Knowledge points of the source; empty where it names none (the cluster stands in then)."""
    points_origin: Origin

    @property
    def estimated(self) -> tuple[str, ...]:
        """Names of the fields that are estimates."""
        origins = {
            "subject": self.subject_origin,
            "difficulty": self.difficulty_origin,
            "knowledge_points": self.points_origin,
        }
        return tuple(name for name, origin in origins.items() if origin is Origin.ESTIMATE)


class ClusterRow(Record):
    """Where one question lies among its like."""

    question_id: str
    cluster: NonNegativeInt
    """Numbered from 0 in the order of the clusters' first members by question id."""
    distance: NonNegativeFloat
    """Euclidean distance to the centre of the cluster."""
    centrality: UnitInterval
    """1 at the centre, 0 for the member farthest out."""


class SelectionRow(Record):
    """One chosen question."""

    question_id: str
    discipline: str
    subject: str
    difficulty: Difficulty
    cluster: NonNegativeInt
    centrality: UnitInterval
    points: tuple[str, ...]
    """Knowledge points at the level that was covered; a stand-in where the source names none."""
    rank: PositiveInt
    """1-based place in the order in which the choice grows: most new coverage first, ties by id."""


class RuleSlack(Record):
    """One rule of the choice, what it asked for and what was reached."""

    rule: str
    """Like `difficulty:3`, `subject:optics`, `cluster:12`."""
    hard: bool
    lower: NonNegativeInt
    upper: NonNegativeInt
    count: NonNegativeInt
    relaxed_by: NonNegativeInt
    """How far `count` lies outside `[lower, upper]`; above 0 only for soft rules."""


class FamilySlack(Record):
    """All limits of one family together (those of clusters and chapters stand singly under `rules` too)."""

    family: Family
    limit: PositiveInt
    hard: bool
    tight: NonNegativeInt
    """Values that more questions of the pool share than may be chosen."""
    full: NonNegativeInt
    """Of these, values of which the limit is reached."""
    most: NonNegativeInt
    """Largest number chosen with one value."""
    relaxed_by: NonNegativeInt
    """Questions chosen beyond the limit, all values together; above 0 only for soft limits."""


class RefusedLevel(Record):
    """A path level that was tried before the one that was taken, and why it cannot be kept."""

    path_level: PositiveInt
    conflict: str
    detail: str


class PointCount(Record):
    """One point in the pool and in the selection."""

    point: str
    stand_in: bool
    pool: PositiveInt
    target: PositiveInt
    """Count up to which choosing it again still earns; grows with the square root of `pool`."""
    selected: NonNegativeInt


class Cover(Record):
    """The smallest set of questions that covers every point that must be covered."""

    size: NonNegativeInt
    lower_bound: NonNegativeInt
    proven: bool
    """True when `size` equals `lower_bound`."""


class Weights(Record):
    """What one unit of each term is worth in the objective."""

    point: NonNegativeFloat = 1.0
    """For each occurrence of a point up to its target."""
    stand_in_covered: NonNegativeFloat = 2.0
    """On top, for the first question of a cluster that stands in for missing points."""
    centrality: NonNegativeFloat = 0.2
    """For a question at its cluster's centre; less outwards."""
    quota: NonNegativeFloat = 2.0
    """Lost for each question by which a soft quota is missed."""
    crowding: NonNegativeFloat = 0.5
    """Lost for each question beyond a soft limit of its cluster."""
    chapter: NonNegativeFloat = 0.25
    """Lost for each question beyond the limit of its chapter."""


class ChoiceSettings(Record):
    """Everything that decides a choice besides the pool."""

    n: PositiveInt
    """How many questions, exactly."""
    path_level: PositiveInt | None = None
    """Parts of a knowledge point's path that are told apart; None: whole paths."""
    stand_ins_hard: bool = False
    """True: each stand-in must be covered too; False: covering it is rewarded and counted in its own line."""
    subject_quota: dict[str, NonNegativeInt] | None = None
    """Hard number of questions by subject; None: a soft target from the pool."""
    difficulty_quota: dict[str, NonNegativeInt] | None = None
    """Hard number of questions by level ("1".."5"); None: a soft target, levels as equal as the pool allows."""
    quota_tolerance: NonNegativeInt = 0
    """How far a count may lie from a hard quota."""
    subject_target: dict[str, NonNegativeFloat] | None = None
    """Soft number of questions by subject in place of `subject_balance`; subjects that it does not name are free."""
    difficulty_target: dict[str, NonNegativeFloat] | None = None
    """Soft number of questions by level in place of equal ones."""
    subject_balance: Share = 0.5
    """Soft target of subjects: 0 in proportion to the pool, 1 all equal."""
    subject_tolerance: Share = 0.1
    """Width of the soft band to either side, as a share of n."""
    difficulty_tolerance: Share = 0.1
    max_per_cluster: PositiveInt
    """Questions of one cluster beyond which each costs `weights.crowding`; never exceeded where `cluster_hard`."""
    cluster_hard: bool = False
    max_per_chapter: PositiveInt | None = None
    """Questions of one chapter beyond which each costs `weights.chapter`; None: chapters do not count."""
    max_per_template: PositiveInt | None = 1
    """Never more questions that differ in nothing but their numbers; None: no limit."""
    max_per_group: PositiveInt | None = 1
    """Never more of the same question."""
    max_per_image: PositiveInt | None = 1
    """Never more questions about one picture, by its published bytes."""
    weights: Weights = Weights()
    gap_limit: NonNegativeFloat = 1e-6
    """Relative gap at which the solver may stop."""
    time_limit: Annotated[float, Field(gt=0)] = 300.0
    """Seconds; reaching it is recorded, and the gap reached by then stands in the certificate."""
    seed: Annotated[int, Field(ge=0)]


class Certificate(Record):
    """Everything needed to check a selection without trusting the tool that made it (docs/selection.md).

    Holds no time: the same pool and settings give the same bytes.
    """

    discipline: str
    settings: ChoiceSettings
    pool_size: PositiveInt
    pool_digest: Sha256
    """Digest of the items as the model saw them: all fields of a candidate."""
    selection_digest: Sha256
    """Digest of the chosen ids, sorted."""
    n: PositiveInt
    status: SolverStatus
    objective: float
    bound: float
    """No selection that the hard rules allow is worth more than this."""
    gap: NonNegativeFloat
    """(bound - objective) / max(1, |objective|)."""
    cover: Cover
    """The smallest cover of the points that must be covered."""
    points_total: NonNegativeInt
    points_covered: NonNegativeInt
    stand_ins_total: NonNegativeInt
    stand_ins_covered: NonNegativeInt
    points: tuple[PointCount, ...]
    rules: tuple[RuleSlack, ...]
    families: tuple[FamilySlack, ...]
    relaxed: tuple[str, ...]
    """Soft rules that were not met, by name."""
    refused_levels: tuple[RefusedLevel, ...] = ()
    """Deeper path levels that were tried first; the level that was taken is `settings.path_level`."""
    left_out: dict[str, NonNegativeInt] = {}
    """Questions of the pool that were not offered, by reason."""
    kept: dict[str, NonNegativeInt] = {}
    """Chosen questions that had to stay, by why (`recipe`, `reviewed`)."""
    per_difficulty: dict[str, int]
    per_subject: dict[str, int]
    estimated: dict[str, int]
    """How many of the chosen questions rest on an estimate, by field."""
    clusters: PositiveInt
    clusters_asked: PositiveInt
    """More than `clusters` when the pool had fewer distinct items than were asked for."""
    solver: str
    """Name and version."""
    columns: NonNegativeInt
    """Questions that entered the last program; for all others the prices prove that they cannot lift the bound."""
    priced_bound: float
    """What `prices` alone prove: no allowed selection of any of the pool's questions is worth more.

    `bound` may be lower: it rests on the solver's search too."""
    prices: dict[str, float]
    """Price of each rule that has one (duals of the linear relaxation), by name; docs/selection.md says how a bound
    follows from them by arithmetic."""
