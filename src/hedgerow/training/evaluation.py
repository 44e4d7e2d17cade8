"""Testing a learner, always together with a baseline."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from hedgerow.learn.base import Learner
from hedgerow.training.monitor import Monitor

if TYPE_CHECKING:
    from hedgerow.data.table.table import Table
    from hedgerow.evaluate.results import Results
    from hedgerow.evaluate.run_split import Trainable


class TestedLearner(NamedTuple):
    """The test of a learner, and that of the majority class or the mean on the same rows, if it is another."""

    results: Results
    baseline: Results | None


def evaluate_with_baseline(
    learner: Trainable, monitor: Monitor, how: str, table: Table, *given: Any, work: float = 0.0, **more: Any
) -> TestedLearner:
    """Return any test of a learner, and that of the baseline.

    `how` is "cross-validation", "leave-one-out", "holdout" or "bootstrap"; what else is given goes to that function.
    `work` is its share of the bar of a longer job.
    """
    from hedgerow.evaluate import validate
    from hedgerow.evaluate.bootstrap import bootstrap

    ways: dict[str, Callable[..., Results]] = {
        "cross-validation": validate.cross_validate,
        "leave-one-out": validate.leave_one_out,
        "holdout": validate.holdout,
        "bootstrap": lambda *words, **named: bootstrap(*words, **named).results,
    }
    with monitor.stage(how, work) as tell:
        results = ways[how](learner, table, None, *given, progress=tell, **more)
    base = baseline_of(learner)
    return TestedLearner(results, None if base is None else ways[how](base, table, None, *given, **more))


def baseline_of(learner: Trainable) -> Learner | None:
    """Return the baseline learner; None if this is the one."""
    from hedgerow.learn.registry import find_learner

    base = find_learner("majority" if getattr(learner, "target_is_classes", True) else "mean")()
    return None if learner.name == base.name else base
