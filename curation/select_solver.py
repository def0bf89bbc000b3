"""A mixed-integer linear program and the one place that talks to HiGHS.

One thread and a fixed seed: the same program gives the same answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib.metadata import version

import highspy
import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from benchwright.schemas.errors import UsageError
from benchwright.schemas.selection import SolverStatus

Floats = NDArray[np.float64]

SOLVER = f"HiGHS (highspy {version('highspy')})"


class _Quiet(highspy.Highs):  # type: ignore[misc]
    """HiGHS without its banner: the constructor prints it on standard output, before any option can be set."""

    def enableCallbacks(self) -> None:
        """Called by the constructor."""
        self.silent()
        super().enableCallbacks()


@dataclass(frozen=True)
class Linear:
    """Maximise a linear function of bounded variables under linear rows; arrays by variable or by row."""

    gains: Floats
    lower: Floats
    upper: Floats
    whole: NDArray[np.bool_]
    matrix: sparse.csc_matrix
    """[rows, variables]"""
    row_lower: Floats
    row_upper: Floats

    def solve(
        self,
        gap_limit: float = 0.0,
        time_limit: float = math.inf,
        seed: int = 0,
        nodes: int | None = None,
        start: Floats | None = None,
    ) -> Solution | None:
        """The best answer found, or None when there is none.

        Args:
            gap_limit: relative gap at which to stop.
            time_limit: seconds; where it is reached the answer depends on the machine.
            seed: of the solver's own choices.
            nodes: branches after which to stop; unlike a time limit the same everywhere.
            start: values of an answer known before, [variables].

        Raises:
            UsageError: the time ran out before any answer was found.
            RuntimeError: the solver failed.
        """
        solver = _Quiet()
        for name, value in (
            ("output_flag", False),
            ("threads", 1),
            ("random_seed", seed % 2**31),
            ("mip_rel_gap", gap_limit),
            ("mip_abs_gap", 1e-9),
            ("time_limit", time_limit),
            ("mip_max_nodes", highspy.kHighsIInf if nodes is None else nodes),
        ):
            solver.setOptionValue(name, value)
        solver.passModel(self._model())
        if start is not None:
            known = highspy.HighsSolution()
            known.col_value = start.tolist()
            solver.setSolution(known)
        solver.run()
        found = self._read(solver, time_limit)
        if found is None or found.objective - float(self.gains @ found.values) <= 1e-6:
            return found
        # HiGHS 1.16 at times names the right worth beside an answer that is worth less; without presolve it does not.
        solver.setOptionValue("presolve", "off")
        solver.clearSolver()
        solver.run()
        return self._read(solver, time_limit)

    def _read(self, solver: _Quiet, time_limit: float) -> Solution | None:
        status = solver.getModelStatus()
        kinds = highspy.HighsModelStatus
        if status in (kinds.kInfeasible, kinds.kUnboundedOrInfeasible):
            return None
        info = solver.getInfo()
        stopped = status in (kinds.kTimeLimit, kinds.kSolutionLimit)
        found = info.primal_solution_status == 2
        if status == kinds.kTimeLimit and not found:
            raise UsageError(
                f"the solver found no selection within {time_limit:g} s: raise time_limit under [selection]."
            )
        if not (status == kinds.kOptimal or (stopped and found)):
            raise RuntimeError(f"HiGHS ended with {solver.modelStatusToString(status)!r}")
        whole = bool(self.whole.any())
        objective = float(info.objective_function_value)
        bound = float(info.mip_dual_bound) if whole else objective
        solution = solver.getSolution()
        return Solution(
            np.asarray(solution.col_value, np.float64),
            objective,
            max(objective, rounded_up(bound)),
            stopped,
            np.zeros(0) if whole else np.asarray(solution.row_dual, np.float64),
        )

    def _model(self) -> highspy.HighsLp:
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = self.matrix.shape
        model.sense_ = highspy.ObjSense.kMaximize
        model.col_cost_ = self.gains
        model.col_lower_ = self.lower
        model.col_upper_ = self.upper
        model.row_lower_ = self.row_lower
        model.row_upper_ = self.row_upper
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = self.matrix.indptr
        model.a_matrix_.index_ = self.matrix.indices
        model.a_matrix_.value_ = self.matrix.data
        if self.whole.any():
            kinds = highspy.HighsVarType
            model.integrality_ = [kinds.kInteger if whole else kinds.kContinuous for whole in self.whole]
        return model


class Program:
    """A small linear program, built column by column, row by row."""

    def __init__(self) -> None:
        self._gains: list[float] = []
        self._lower: list[float] = []
        self._upper: list[float] = []
        self._whole: list[bool] = []
        self._row_lower: list[float] = []
        self._row_upper: list[float] = []
        self._rows: list[int] = []
        self._columns: list[int] = []
        self._values: list[float] = []

    def variable(self, gain: float, lower: float = 0.0, upper: float = math.inf, whole: bool = False) -> int:
        """Add a variable; returns its index."""
        self._gains.append(gain)
        self._lower.append(lower)
        self._upper.append(upper)
        self._whole.append(whole)
        return len(self._gains) - 1

    def row(self, terms: dict[int, float], lower: float = -math.inf, upper: float = math.inf) -> None:
        """Demand `lower <= sum of coefficient * variable <= upper`."""
        index = len(self._row_lower)
        self._row_lower.append(lower)
        self._row_upper.append(upper)
        for column, value in terms.items():
            self._rows.append(index)
            self._columns.append(column)
            self._values.append(value)

    def solve(
        self, gap_limit: float = 0.0, time_limit: float = math.inf, seed: int = 0, nodes: int | None = None
    ) -> Solution | None:
        """As `Linear.solve`."""
        shape = (len(self._row_lower), len(self._gains))
        linear = Linear(
            np.asarray(self._gains, np.float64),
            np.asarray(self._lower, np.float64),
            np.asarray(self._upper, np.float64),
            np.asarray(self._whole, np.bool_),
            sparse.csc_matrix((self._values, (self._rows, self._columns)), shape=shape),
            np.asarray(self._row_lower, np.float64),
            np.asarray(self._row_upper, np.float64),
        )
        return linear.solve(gap_limit, time_limit, seed, nodes)


@dataclass(frozen=True)
class Solution:
    """What the solver found."""

    values: Floats
    """[variables]."""
    objective: float
    bound: float
    """No allowed answer is worth more; rounded up to six decimals."""
    stopped: bool
    """Whether a limit of time or nodes ended the search."""
    prices: Floats
    """[rows], of a program without whole variables: what one more unit of each row's limit is worth; else empty."""


def rounded_up(bound: float) -> float:
    """A bound in six decimals that is not below the given one by more than the solver's own noise."""
    return float(math.ceil(bound * 1e6 - 1e-3) / 1e6)


def status_of(objective: float, bound: float, stopped: bool) -> SolverStatus:
    """Optimal when the bound is reached, else why the solver stopped earlier."""
    if bound - objective <= 1e-6 * max(1.0, abs(objective)):
        return "optimal"
    return "time-limit" if stopped else "gap-limit"
