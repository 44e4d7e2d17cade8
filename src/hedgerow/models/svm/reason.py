"""SupportReason: why a kernel machine predicts a class: the support vectors for and against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.models.base.reason import Reason
from hedgerow.models.svm.functions import KernelFunctions
from hedgerow.models.svm.support import Pull, Support

if TYPE_CHECKING:
    from hedgerow.models.svm.machines import Machines

MOST_COLUMNS = 50  # columns whose values are listed, those that differ most


@dataclass(frozen=True, eq=False)
class SupportReason(Reason):
    """The support vectors that pull the most, and the nearest, each with its values."""

    model: Machines
    support: Support

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        support, functions = self.support, self.model.functions
        assert isinstance(functions, KernelFunctions)
        shown = np.sort(np.argsort(-support.differs, kind="stable")[:MOST_COLUMNS]).tolist()
        sides = zip(("for", "against"), support.counts, support.both, strict=True)
        return {
            "way": "support",
            "unit": self.model.unit,
            "kernel": functions.kernel.describe(),
            "vectors": functions.size,
            "total": support.total,
            "intercept": support.start,
            "columns": [support.columns[at] for at in shown],
            "more_columns": len(support.columns) - len(shown),
            "differs": [float(support.differs[at]) for at in shown],
            "values": [support.cells[at] for at in shown],
            "sides": {side: {"vectors": n, "adds": adds} for side, n, adds in sides},
            "strongest": [_pull_to_dict(one, shown) for one in support.strongest],
            "nearest": [_pull_to_dict(one, shown) for one in support.nearest],
        }


def _pull_to_dict(one: Pull, shown: list[int]) -> dict[str, Any]:
    return {
        "row": one.row + 1,
        "class": one.label,
        "adds": one.adds,
        "kernel": one.kernel,
        "distance": one.distance,
        "values": [one.cells[at] for at in shown] if one.cells else [],
    }
