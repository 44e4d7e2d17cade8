"""The steps of k-means as a textbook prints them: for each pass the clusters of the rows and the new centers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits
from hedgerow.layout.wrapping import hang_list
from hedgerow.learn.clusters.lloyd_by_hand import LloydStep, lloyd_by_hand
from hedgerow.learn.clusters.points import ClusterPoints
from hedgerow.models.linear.text import quote_name

MOST_POINTS = 2000  # points whose passes are shown
MOST_ROWS = 60  # rows that are listed
MOST_PLACES = 8  # positions of a center that are shown
MOST_PASSES = 30


@dataclass(frozen=True, eq=False)
class KMeansWork:
    """The passes from one start."""

    points: ClusterPoints
    steps: Sequence[LloydStep]
    starts: int

    @classmethod
    def of(cls, points: ClusterPoints, centers: Numbers, passes: int, tolerance: float, starts: int) -> KMeansWork:
        """Return the passes from one start; None for too many points."""
        if len(points) > MOST_POINTS or points.is_sparse or not points.space.width:
            return cls(points, (), starts)
        steps = lloyd_by_hand(points.matrix, points.weights, centers, min(passes, MOST_PASSES), tolerance)
        return cls(points, steps, starts)

    def __str__(self) -> str:
        if not self.steps:
            return f"{len(self.points):,} points, which are too many, or too sparse, to show each pass"
        lines = ["each row is assigned to its nearest center; then each center moves to the mean of its rows", ""]
        if self.starts > 1:
            lines[0] = f"the first of {self.starts} starts; {lines[0]}"
        lines += self._centers("start", self.steps[0].centers)
        for number, step in enumerate(self.steps, 1):
            lines += ["", f"pass {number}: squared distances sum to {_number(step.squares)}"]
            lines += self._clusters(step)
            if number == len(self.steps):
                same = number > 1 and (step.labels == self.steps[-2].labels).all()
                lines.append(
                    "  no row has changed its cluster: these are the final clusters"
                    if same
                    else "  this was the last pass"
                )
            else:
                lines += [f"  cluster {c + 1} was empty: it is assigned the farthest row" for c in step.refilled]
                lines += self._centers("  centers move to", step.moved)
        return "\n".join(lines)

    def _clusters(self, step: LloydStep) -> list[str]:
        codes = step.labels[self.points.places]
        lines: list[str] = []
        for cluster in range(len(step.centers)):
            rows = np.flatnonzero(codes == cluster)
            parts = [str(row + 1) for row in rows[:MOST_ROWS].tolist()]
            parts += [f"... and {len(rows) - MOST_ROWS} more"] if len(rows) > MOST_ROWS else []
            lines += (
                hang_list(f"  cluster {cluster + 1}: rows ", parts) if parts else [f"  cluster {cluster + 1}: no rows"]
            )
        return lines

    def _centers(self, head: str, centers: Numbers) -> list[str]:
        design = self.points.space.design
        names = [quote_name(name) for name in design.names_of(range(min(design.width, MOST_PLACES)))]
        lines = [f"{head}:"]
        for cluster, center in enumerate(self.points.space.users(centers)):
            parts = [f"{name} {_number(value)}" for name, value in zip(names, center.tolist(), strict=False)]
            parts += ["..."] if design.width > MOST_PLACES else []
            lines += hang_list(f"{' ' * (len(head) - len(head.lstrip()))}  center {cluster + 1}: ", parts)
        return lines


def _number(value: float) -> str:
    return format_number(round_digits(value))
