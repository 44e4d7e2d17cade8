"""Many learners of one kind on the same splits: where they can, they learn from the same rows in one go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from threading import Lock
from time import perf_counter
from typing import Any, Protocol, TypeGuard, runtime_checkable

from hedgerow.data.table.table import Table
from hedgerow.data.table.threads import map_in_order
from hedgerow.errors import ModelError
from hedgerow.evaluate import run_split
from hedgerow.evaluate.results import Results, join_results
from hedgerow.evaluate.run_split import Progress, Trainable
from hedgerow.evaluate.splits import Split
from hedgerow.learn.training_sketch import without_sketches
from hedgerow.models.base.model import Model

MOST_CELLS = 1 << 25  # predicted numbers that are held at a time


@runtime_checkable
class TrainsEach(Trainable, Protocol):
    """A learner that trains many of its kind on the same rows in one go."""

    def train_each(self, data: Table, learners: Sequence[Any]) -> Iterator[tuple[int, Model]]:
        """Yield the model of every learner, and its position among them, in any order."""


def can_learn_together(learners: Sequence[Trainable]) -> TypeGuard[Sequence[TrainsEach]]:
    """Return whether there are several learners, all of one kind that trains many in one go."""
    return len(learners) > 1 and len({type(one) for one in learners}) == 1 and isinstance(learners[0], TrainsEach)


def evaluate_each(
    learners: Sequence[TrainsEach],
    table: Table,
    parts: Sequence[Split],
    threads: int | None = None,
    progress: Progress | None = None,
    **told: Any,
) -> Iterator[Results]:
    """Yield what `trial.tried` returns for every learner, in their order.

    However many learners there are, no more than `MOST_CELLS` predicted numbers are held: the learners are dealt with
    some at a time.
    """
    width = len(table.schema.target_column.levels) or 1
    cells = width * sum(len(split.test) for split in parts)
    some = max(1, MOST_CELLS // max(cells, 1))
    count = _Count(progress, len(learners) * len(parts))
    for start in range(0, len(learners), some):
        batch = learners[start : start + some]
        results_by_fold: list[list[Results]] = [[] for _ in batch]
        for results in map_in_order(partial(_evaluate_all, batch, table, count), parts, threads):
            for own, one in zip(results_by_fold, results, strict=True):
                own.append(one)
        while results_by_fold:
            yield run_split.with_notes(join_results(results_by_fold.pop(0)), table, told)


def _evaluate_all(learners: Sequence[TrainsEach], table: Table, count: _Count, split: Split) -> list[Results]:
    """Learn all models from one part, and test each on the other as soon as it is trained."""
    train, test = table.view(split.train), table.take(split.test)  # predicted many times, so gathered once
    result: dict[int, Results] = {}
    start = perf_counter()
    with without_sketches():
        for place, model in learners[0].train_each(train, learners):
            fold = run_split.make_fold(split, train, model, perf_counter() - start)
            result[place] = run_split.predict_fold(learners[place], model, fold, test, split.test)
            count()
            start = perf_counter()
    if sorted(result) != list(range(len(learners))):
        raise ModelError(f"{learners[0].name} should have trained {len(learners)} models, but trained {len(result)}")
    return [result[place] for place in range(len(learners))]


class _Count:
    """Counts evaluations in several threads and reports each, one at a time."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self.progress, self.total, self.done, self.lock = progress, total, 0, Lock()

    def __call__(self) -> None:
        if self.progress is not None:
            with self.lock:
                self.done += 1
                self.progress(self.done, self.total)
