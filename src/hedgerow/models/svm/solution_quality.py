"""Statistics of support vector machines: the precision and the properties of each solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers, Rows
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import array_part, expect_parts

DEVIATION, RANGE, UNSCALED = SCALES = ("deviation", "range", "none")  # what numbers were divided by
COUNTS = ("rows", "free", "bounded", "iterations")
OPEN = 0.01  # share of the primal value by which a solved machine's dual value is never below it
TOLD = ("margin", "primal", "dual", "violation")


@dataclass(frozen=True, eq=False)
class MachineFigures:
    """What is known of the machines, an entry each; the objective is w.w / 2 + sum of C_i xi_i^power.

    NaN means that a solver does not compute it.
    """

    cost: float  # C; inf: hard margin
    power: int  # of the slack: 1 or 2
    rows: Rows  # learned from
    free: Rows  # support vectors with 0 < alpha < C
    bounded: Rows  # with alpha = C
    margin: Numbers  # 2 / ||w||, the distance of the two margin hyperplanes (M207); inf where w is 0
    primal: Numbers  # value of the objective; inf where a hard margin is not kept
    dual: Numbers  # value of the dual, which is never above it
    violation: Numbers  # the worst of a KKT condition
    iterations: Rows
    settled: NDArray[np.bool_]  # whether the solver came to its tolerance
    scale: str = UNSCALED  # one of SCALES: in which the margin is measured

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def of(cls, machines: Sequence[Any], rows: Sequence[int], cost: float, power: int, scale: str) -> MachineFigures:
        """Return the statistics of solutions, which have attributes of the same names, trained on so many rows."""
        entries: dict[str, Any] = {"rows": np.array(rows, dtype=np.int64)}
        kinds: tuple[tuple[tuple[str, ...], Any], ...] = (
            (COUNTS[1:], np.int64), (TOLD, np.float64), (("settled",), np.bool_)
        )  # fmt: skip
        for names, dtype in kinds:
            entries |= {name: np.array([getattr(one, name) for one in machines], dtype=dtype) for name in names}
        return cls(float(cost), power, scale=scale, **entries)

    @property
    def gap(self) -> Numbers:
        """Primal less dual value: how far the objective is from its optimum at most."""
        return np.asarray(np.maximum(self.primal - self.dual, 0.0))

    @property
    def has_duality_gap(self) -> NDArray[np.bool_]:
        """Where the two values do not meet though all conditions hold: the kernel is not positive semidefinite."""
        return self.settled & np.isfinite(self.primal) & (self.gap > OPEN * np.maximum(self.primal, 1.0))

    @property
    def vectors(self) -> Rows:
        """How many support vectors each machine has."""
        return np.asarray(self.free + self.bounded)

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics as JSON values and arrays."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @classmethod
    def from_dict(cls, parts: Any, machines: int) -> MachineFigures:
        """Build the statistics from their parts, checking them."""
        expect_parts(parts, *(one.name for one in fields(cls)))
        cost, power = parts["cost"], parts["power"]
        if type(cost) not in (int, float) or not cost > 0:
            raise ModelError("its part 'cost' must be a number above 0")
        if type(power) is not int or power not in (1, 2):
            raise ModelError("its part 'power' must be 1 or 2")
        if not isinstance(parts["scale"], str) or parts["scale"] not in SCALES:
            raise ModelError(f"its part 'scale' must be one of {', '.join(SCALES)}")
        counts: dict[str, Any] = {name: array_part(parts, name, np.int64, machines) for name in COUNTS}
        if any((own < 0).any() for own in counts.values()):
            raise ModelError("the statistics of a machine are out of range")
        entries: dict[str, Any] = {name: array_part(parts, name, np.float64, machines) for name in TOLD}
        if np.isinf(entries["dual"]).any() or any(
            (entries[name] < 0).any() for name in ("margin", "primal", "violation")
        ):
            raise ModelError("the statistics of a machine are out of range")
        settled = array_part(parts, "settled", np.bool_, machines)
        return cls(float(cost), power, settled=settled, scale=parts["scale"], **counts, **entries)
