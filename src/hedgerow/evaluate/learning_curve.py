"""Curves: how well a learner does the more rows it learns from, or the larger one of its parameters is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow.data.table.table import Numbers, Rows
from hedgerow.data.table.threads import map_in_order
from hedgerow.errors import UsageError
from hedgerow.evaluate import run_split, splits
from hedgerow.evaluate.metrics import catalog, intervals
from hedgerow.evaluate.metrics.catalog import main_measure
from hedgerow.evaluate.metrics.intervals import Estimate
from hedgerow.evaluate.results import Results, join_results
from hedgerow.evaluate.run_split import Progress, Trainable
from hedgerow.evaluate.splits import Split
from hedgerow.evaluate.tune import check_measure, find_param, set_values, value_text
from hedgerow.evaluate.validate import EvaluationTask, prepare_task
from hedgerow.layout.shown import ArrowTable, PrintedReport

SIZES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

Trial = tuple[Results, float]  # of the test rows; the measure on the training rows


@dataclass(frozen=True)
class CurvePoint:
    """One point of a curve.

    Parameters
    ----------
    at
        The value of the parameter, or the share or number of rows that was requested.
    rows
        The weight of the training rows, on average over the folds.
    test, training
        The measure on the rows tested, with its interval, and on the training rows, a mean over the folds.
        Far apart: the learner overfits; close together and poor: it cannot say what the rows tell, and more rows
        will not help.
    size
        The mean size of the models; NaN if they have none.
    seconds
        The mean time to learn a model.
    """

    at: Any
    rows: float
    test: Estimate
    training: float
    size: float
    seconds: float


@dataclass(frozen=True)
class Curve(ArrowTable, PrintedReport):
    """The points of a curve in the given order, and how they were computed.

    `over` is what varies, "rows" or the name of a parameter; `measure` what is measured.
    """

    learner: str
    target: str
    over: str
    measure: str
    points: tuple[CurvePoint, ...]
    method: str
    seed: int
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Curve: {self.learner} on {self.target!r} over {self.over}, {len(self.points)} points>"

    def to_arrow(self) -> Any:
        """Return the points as an Arrow table.

        Columns: at (the size or value), rows, measure, mean, low, high (95 % interval), training, size, seconds.
        """
        from hedgerow.data.frames.arrow import plain_table

        return plain_table(
            [
                {
                    "at": label,
                    "rows": point.rows,
                    "measure": self.measure,
                    "mean": point.test.value,
                    "low": point.test.low,
                    "high": point.test.high,
                    "training": point.training,
                    "size": point.size,
                    "seconds": point.seconds,
                }
                for label, point in zip(self.labels, self.points, strict=True)
            ]
        )

    @property
    def best(self) -> CurvePoint:
        """The first point at which the measure on the test rows is best."""
        measure = catalog.ALL[self.measure]
        return min(self.points, key=lambda point: measure.distance_from_best(point.test.value))

    @property
    def x(self) -> Numbers:
        """Where to draw the points: at the training rows, at the parameter's value, or, if no number, in order."""
        if self.over == "rows":
            return np.array([point.rows for point in self.points])
        values = [point.at for point in self.points]
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
            return np.array(values, dtype=np.float64)
        return np.arange(len(values), dtype=np.float64)

    @property
    def labels(self) -> tuple[str, ...]:
        """What to write at each point."""
        if self.over == "rows":
            return tuple(f"{point.rows:.0f}" for point in self.points)
        return tuple(value_text(point.at) for point in self.points)


def learning_curve(
    learner: Trainable,
    table: Any,
    target: str | None = None,
    sizes: Sequence[float] = SIZES,
    folds: int = 10,
    runs: int = 1,
    seed: int = 1,
    measure: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    group: str | None = None,
) -> Curve:
    """Return the performance of a learner by the number of training rows (M312), by N-fold cross-validation (M313).

    In every fold the learner is trained on growing parts of the training data and tested on the same test part.
    Each training set is contained in the next one and is stratified by class.

    Parameters
    ----------
    sizes
        Shares of the training part (at most 1), or numbers of rows (above 1).
    measure
        The measure, a name that `intervals.estimate` knows: by default the error rate, or the mean absolute
        error for numbers.
    """
    _check_sizes(sizes)
    check_measure(learner, measure)
    known = prepare_task(learner, table, target, group, folds)
    wanted = sorted(set(sizes), key=lambda size: size if size > 1 else size * known.n_usable * (1 - 1 / max(folds, 2)))
    smallest: list[int] = []

    def steps(split: Split) -> list[tuple[Trainable, Rows]]:
        order = splits.spread(split.train, known.target, seed, split.run, split.fold)
        smallest.append(len(order))
        return [(known.learner, np.sort(order[: _n_rows_of_size(size, len(order))])) for size in wanted]

    points, told = _points(known, wanted, steps, folds, runs, seed, measure, threads, progress)
    return Curve(**told, over="rows", points=points, notes=(*known.notes, *_size_notes(wanted, min(smallest))))


def parameter_curve(
    learner: Trainable,
    table: Any,
    parameter: str,
    values: Iterable[Any],
    folds: int = 10,
    runs: int = 1,
    seed: int = 1,
    measure: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    group: str | None = None,
    target: str | None = None,
) -> Curve:
    """Return the performance of a learner by the values of one of its parameters, on the same folds.

    The best point of the curve is optimistically biased, since it was chosen on its test rows: to choose a value and
    test the choice, use `tune`.
    """
    wanted = tuple(values)
    if not wanted:
        raise UsageError(f"a curve over {parameter} needs at least one value")
    param = find_param(learner, parameter)
    for value in wanted:
        if param is not None:
            replace(param, name=parameter).check(value)
    check_measure(learner, measure)
    known = prepare_task(learner, table, target, group, folds)
    learners = [set_values(known.learner, {parameter: value}) for value in wanted]

    def steps(split: Split) -> list[tuple[Trainable, Rows]]:
        return [(one, split.train) for one in learners]

    points, told = _points(known, wanted, steps, folds, runs, seed, measure, threads, progress)
    return Curve(**told, over=parameter, points=points, notes=known.notes)


def _points(
    known: EvaluationTask,
    wanted: Sequence[Any],
    steps: Callable[[Split], list[tuple[Trainable, Rows]]],
    folds: int,
    runs: int,
    seed: int,
    measure: str | None,
    threads: int | None,
    progress: Progress | None,
) -> tuple[tuple[CurvePoint, ...], dict[str, Any]]:
    """Return the points of a curve, whose learners and training rows are given by `steps` for every split."""
    used = splits.fold_count(known.target, folds, known.groups)
    parts = splits.repeated_folds(known.target, folds, runs, seed, known.groups)

    def work(split: Split) -> list[Trial]:
        return [_test_and_training_results(one, known, rows, split, measure) for one, rows in steps(split)]

    columns: list[list[Trial]] = [[] for _ in wanted]
    for done, pairs in enumerate(map_in_order(work, parts, threads), start=1):
        for column, each in zip(columns, pairs, strict=True):
            column.append(each)
        if progress is not None:
            progress(done, used * runs)
    name = measure or main_measure(columns[0][0][0].has_classes)
    points = tuple(_point(at, column, name) for at, column in zip(wanted, columns, strict=True))
    method = f"{used}-fold cross-validation" + (f", {runs} runs" if runs > 1 else "")
    about = {"learner": known.learner.name, "target": known.table.schema.target_column.name}
    return points, {**about, "measure": name, "method": method, "seed": seed}


def _test_and_training_results(
    learner: Trainable, known: EvaluationTask, rows: Rows, split: Split, measure: str | None
) -> Trial:
    """Return the results on the test rows, and the measure on the training rows."""
    model, fold = run_split.learn_fold(learner, known.table, split._replace(train=rows))
    test, training = (
        run_split.predict_fold(learner, model, fold, known.table.view(rows), rows) for rows in (split.test, rows)
    )
    return test, intervals.estimate(training, measure or main_measure(training.has_classes)).value


def _point(at: Any, trials: Sequence[Trial], measure: str) -> CurvePoint:
    test = join_results([results for results, _ in trials])
    folds, sizes = test.folds, test.model_sizes
    return CurvePoint(
        at,
        float(np.mean([fold.train_weight for fold in folds])),
        intervals.estimate(test, measure),
        float(np.mean([training for _, training in trials])),
        float(np.mean(sizes)) if sizes else math.nan,
        float(np.mean([fold.train_seconds for fold in folds])),
    )


def _check_sizes(sizes: Sequence[float]) -> None:
    if not len(sizes):
        raise UsageError("a learning curve needs at least one size")
    poor = next((size for size in sizes if not 0 < size < math.inf or (size > 1 and size != int(size))), None)
    if poor is not None:
        raise UsageError(f"a size must be a share of at most 1 or a whole number of rows, not {poor:g}")


def _n_rows_of_size(size: float, n_rows: int) -> int:
    """Return the number of rows for a size: at least one, at most all."""
    return min(max(round(size * n_rows) if size <= 1 else int(size), 1), n_rows)


def _size_notes(sizes: Sequence[float], n_rows: int) -> tuple[str, ...]:
    beyond = [f"{size:g}" for size in sizes if size > max(n_rows, 1)]
    if not beyond:
        return ()
    return (f"a training part has only {n_rows} rows, which replaces the sizes {', '.join(beyond)}",)
