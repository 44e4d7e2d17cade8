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
        found, functions = self.support, self.model.functions
        assert isinstance(functions, KernelFunctions)
        shown = np.sort(np.argsort(-found.differs, kind="stable")[:MOST_COLUMNS]).tolist()
        sides = zip(("for", "against"), found.counts, found.both, strict=True)
        return {
            "way": "support",
            "unit": self.model.unit,
            "kernel": functions.kernel.told(),
            "vectors": functions.size,
            "total": found.total,
            "intercept": found.start,
            "columns": [found.columns[at] for at in shown],
            "more_columns": len(found.columns) - len(shown),
            "differs": [float(found.differs[at]) for at in shown],
            "values": [found.cells[at] for at in shown],
            "sides": {side: {"vectors": n, "adds": adds} for side, n, adds in sides},
            "strongest": [_pull(one, shown) for one in found.strongest],
            "nearest": [_pull(one, shown) for one in found.nearest],
        }


def _pull(one: Pull, shown: list[int]) -> dict[str, Any]:
    return {
        "row": one.row + 1,
        "class": one.label,
        "adds": one.adds,
        "kernel": one.kernel,
        "distance": one.distance,
        "values": [one.cells[at] for at in shown] if one.cells else [],
    }
