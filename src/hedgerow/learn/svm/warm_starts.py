"""Many machines of the same rows: points are computed once, and machines of one C start from those of the previous C.

When C grows, rows at their bound mostly stay there and the others move less than C does, so that bounds times the ratio
of both C, and the other alphas as they are, are a start (after DeCoste and Wagstaff 2000, Alpha seeding for support
vector machines, who multiply all). It saves more steps the smaller the steps of C and the larger gamma.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hedgerow.data.table.table import Table

if TYPE_CHECKING:
    from hedgerow.learn.svm.solving import SolvedMachines
    from hedgerow.learn.svm.svm import SVM
    from hedgerow.models.svm.machines import Machines

# Parameters that only the machines depend on, not their points.
OF_MACHINES = (
    "C", "gamma", "sigma", "degree", "theta", "slope", "delta", "power", "class_weight", "classes", "probabilities",
    "tol", "max_iter", "cache", "digits", "trace",
)  # fmt: skip


def learn_each_machine(table: Table, learners: Sequence[SVM]) -> Iterator[tuple[int, Machines]]:
    """Yield the model of every learner, and its position among them; one set of points is held at a time."""
    for same_points in group_learners(enumerate(learners), OF_MACHINES):
        prepared = same_points[0][1].prepare_points(table)
        for path in group_learners(same_points, ("C",)):
            solved_machines: SolvedMachines | None = None
            for place, learner in sorted(path, key=lambda one: float(one[1].C)):
                model, solved_machines = learner.machines(prepared, solved_machines)
                yield place, model


def group_learners(learners: Iterable[tuple[int, SVM]], but: Sequence[str]) -> list[list[tuple[int, SVM]]]:
    """Return learners, with their positions, that have the same parameters but for some, together."""
    groups: dict[Any, list[tuple[int, SVM]]] = {}
    for place, learner in learners:
        values = learner.get_params(deep=False).items()
        key = tuple((name, repr(value)) for name, value in values if name not in but)
        groups.setdefault(key, []).append((place, learner))
    return list(groups.values())
