"""Trying learners and models: cross-validation, holdout, leave-one-out, a validation part, a test table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.align import Aligned, align
from hedgerow.data.read import read
from hedgerow.data.schema import Column, Kind, Schema, listing
from hedgerow.data.table import Codes, Numbers, Rows, Table
from hedgerow.data.threads import in_order
from hedgerow.errors import DataError, ModelError, UsageError
from hedgerow.evaluate import splits
from hedgerow.evaluate.results import Fold, Results, joined
from hedgerow.evaluate.splits import Split
from hedgerow.learn.prepare import typed_target
from hedgerow.models.model import ClassModel, Model, NumberModel, decisions

Progress = Callable[[int, int], None]


class Learns(Protocol):
    """What can be tried: a learner whose `train` changes nothing but returns a model."""

    @property
    def name(self) -> str:
        """The learner's name on the command line."""

    def train(self, data: Table) -> Model:
        """Return the model that the rows of the table teach."""

    def get_params(self) -> dict[str, Any]:
        """Return the parameters by name."""


@dataclass(frozen=True)
class Choice:
    """The learner chosen on a validation part: all that were tried there, and the test of the best one."""

    learner: Learns
    tried: tuple[Results, ...]
    results: Results


def cross_validate(
    learner: Learns,
    table: Any,
    folds: int = 10,
    runs: int = 1,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Results:
    """Test a learner on every row once a run, each time learned from the other folds.

    The table may be anything that `read` takes: a Table, the path of a file, a frame with the target last.

    Classes are spread evenly over the folds. The folds depend on the target and the seed alone, the results
    not on the number of threads. `progress(done, total)` is called after every fold.
    """
    table = _suited(learner, table)
    target = _target(table)
    parts = splits.repeated_folds(target, folds, runs, seed)
    used = min(folds, _n_usable(target))
    stratified = "stratified " if target.dtype.kind == "i" else ""
    method = f"{stratified}{used}-fold cross-validation" + (f", {runs} runs" if runs > 1 else "")
    results = _try(learner, table, parts, used * runs, threads, progress)
    notes = (*_target_notes(table), *splits.fold_notes(target, folds))
    return replace(results, method=method, seed=seed, notes=notes)


def leave_one_out(learner: Learns, table: Any, threads: int | None = None, progress: Progress | None = None) -> Results:
    """Test a learner on every row, each time learned from all others."""
    table = _suited(learner, table)
    target = _target(table)
    parts = splits.leave_one_out(target)
    results = _try(learner, table, parts, _n_usable(target), threads, progress)
    return replace(results, method="leave-one-out", notes=_target_notes(table))


def holdout(
    learner: Learns,
    table: Any,
    share: float = 2 / 3,
    runs: int = 1,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Results:
    """Learn from a random share of the rows (and of every class) and test on the rest."""
    table = _suited(learner, table)
    parts = splits.holdout(_target(table), share, runs, seed)
    results = _try(learner, table, parts, runs, threads, progress)
    method = f"holdout, {share:.0%} to learn from" + (f", {runs} runs" if runs > 1 else "")
    return replace(results, method=method, seed=seed, notes=_target_notes(table))


def validation_split(
    learners: Sequence[Learns],
    table: Any,
    better: Callable[[Results], float],
    validation: float = 0.2,
    test: float = 0.2,
    seed: int = 1,
) -> Choice:
    """Choose the learner for which `better` is largest on a validation part, and test it on a third part.

    The chosen learner learns again from the training and validation parts together before its test; the
    first of equals is chosen. The test part has no say in the choice, so its figures are honest.
    """
    if not learners:
        raise UsageError("there is nothing to choose from: give at least one learner")
    table = _suited(learners[0], table)
    parts = splits.three_way(_target(table), validation, test, seed)
    tried = tuple(_one(learner, table, Split(parts.train, parts.validation)) for learner in learners)
    tried = tuple(replace(results, method="validation part", seed=seed) for results in tried)
    scores = np.nan_to_num([better(results) for results in tried], nan=-np.inf)  # undefined is worst
    best = learners[int(np.argmax(scores))]
    known = np.sort(np.concatenate([parts.train, parts.validation]))
    final = _one(best, table, Split(known, parts.test))
    method = f"test part, chosen among {len(learners)} on a validation part"
    notes = _target_notes(table)
    return Choice(best, tried, replace(final, method=method, seed=seed, notes=notes))


def test(model: Model, table: Table) -> Results:
    """Test a model on a table that it was not learned from.

    Classes that the model does not know stay in: their rows are errors of the model, not of the data.
    """
    name = model.schema.target_column.name
    if name not in table.schema:
        raise DataError(
            f"the test data lack the target {name!r}, so nothing can be checked; "
            f"they have {listing(table.schema.names)}"
        )
    start = perf_counter()
    aligned = align(table, model.schema)
    target, labels = _known_target(aligned, table, name)
    rows = splits.usable(target)
    if not len(rows):
        raise DataError(f"the target {name!r} is missing in every row of the test data, or they have no such column")
    part = aligned.table if len(rows) == len(table) else aligned.table.take(rows)
    predicted, said = _predictions(model, part, labels)
    seconds = perf_counter() - start
    fold = Fold(0, 0, model.about.weight, float(part.row_weights.sum()), (), 0.0, seconds, model.size)
    results = _results(part, rows, target[rows], predicted, labels, fold)
    return replace(
        results,
        said=said,
        learner=model.about.learner,
        parameters=dict(model.about.parameters),
        method="separate test data",
        notes=(*_missing_notes(name, target), *_test_notes(aligned, name)),
    )


def _try(
    learner: Learns,
    table: Table,
    parts: Iterable[Split],
    total: int,
    threads: int | None,
    progress: Progress | None,
) -> Results:
    made = []
    for results in in_order(lambda split: _one(learner, table, split), parts, threads):
        made.append(results)
        if progress is not None:
            progress(len(made), total)
    return joined(made)


def _one(learner: Learns, table: Table, split: Split) -> Results:
    """Learn from one part, test on the other."""
    train, test = table.take(split.train), table.take(split.test)
    start = perf_counter()
    model = learner.train(train)
    learned = perf_counter()
    column = table.schema.target_column
    predicted, said = _predictions(model, test, column.levels)
    done = perf_counter()
    fold = Fold(
        split.run,
        split.fold,
        float(train.row_weights.sum()),
        float(test.row_weights.sum()),
        _prior(train, column),
        learned - start,
        done - learned,
        model.size,
    )
    results = _results(test, split.test, _target(test), predicted, column.levels, fold)
    own = {name: value for name, value in learner.get_params().items() if "__" not in name}
    return replace(results, said=said, learner=learner.name, parameters=own)


def _results(
    part: Table, rows: Rows, actual: NDArray[Any], predicted: Numbers, labels: tuple[str, ...], fold: Fold
) -> Results:
    return Results(
        target=part.schema.target_column.name,
        labels=labels,
        rows=rows,
        actual=actual,
        predicted=predicted,
        weight=part.row_weights,
        run=np.full(len(rows), fold.run, dtype=np.int32),
        fold=np.full(len(rows), fold.fold, dtype=np.int32),
        folds=(fold,),
    )


def _predictions(model: Model, table: Table, labels: tuple[str, ...]) -> tuple[Numbers, Codes | None]:
    """Return the model's numbers, or its distribution over `labels`, which may be more than it knows.

    Beside it stand the classes that the model says, unless they are the most probable ones.
    """
    if isinstance(model, NumberModel):
        return np.asarray(model.predict(table), dtype=np.float64), None
    if not isinstance(model, ClassModel):
        raise ModelError(f"a model of kind {model.kind!r} predicts neither a class nor a number")
    aligned = model.aligned(table)
    known = model.scores(aligned)
    said = model.decided(aligned, known)
    places = np.array([labels.index(label) for label in model.classes], dtype=np.int32)
    wide = known
    if model.classes != labels:
        wide = np.zeros((len(known), len(labels)))
        wide[:, places] = known
    said = places[said]
    return wide, None if np.array_equal(said, decisions(wide)) else said


def _prior(train: Table, column: Column) -> tuple[float, ...]:
    values, weights = _target(train), train.row_weights
    total = weights.sum()
    if not total:
        return ()
    if column.kind is Kind.NUMERIC:
        return (float(values @ weights / total),)
    shares = np.bincount(values, weights, len(column.levels)) / total
    return tuple(shares.tolist())


def _suited(learner: Learns, data: Any) -> Table:
    """Return data as a table with a target of the kind that the learner needs: few whole numbers may be classes."""
    table = data if isinstance(data, Table) else read(data)
    classes: bool | None = getattr(learner, "target_is_classes", None)
    return table if classes is None else typed_target(table, classes)[0]


def _target(table: Table) -> Codes | Numbers:
    column = table.schema.target_column
    if column.kind not in (Kind.NOMINAL, Kind.NUMERIC):
        raise DataError(
            f"the target {column.name!r} is {column.kind}; only nominal and numeric columns can be predicted"
        )
    values = table.target
    assert isinstance(values, np.ndarray)
    return values


def _known_target(aligned: Aligned, table: Table, name: str) -> tuple[Codes | Numbers, tuple[str, ...]]:
    """Return the target's values and labels, the model's own first, then those that only the data have."""
    column = aligned.table.schema.target_column
    if name not in aligned.unseen:
        return _target(aligned.table), column.levels
    wider = replace(column, levels=(*column.levels, *aligned.unseen[name]))
    whole = align(table.select([name]), Schema((wider,), name)).table
    return _target(whole), wider.levels


def _n_usable(target: NDArray[Any]) -> int:
    return len(splits.usable(target))


def _target_notes(table: Table) -> tuple[str, ...]:
    return _missing_notes(table.schema.target_column.name, _target(table))


def _missing_notes(name: str, target: NDArray[Any]) -> tuple[str, ...]:
    left_out = len(target) - _n_usable(target)
    if not left_out:
        return ()
    return (f"{left_out} of {len(target)} rows are left out, for their {name!r} is missing",)


def _test_notes(aligned: Aligned, name: str) -> tuple[str, ...]:
    unseen = {column: levels for column, levels in aligned.unseen.items() if column != name}
    notes = Aligned(aligned.table, aligned.extra, unseen).notes
    if name not in aligned.unseen:
        return notes
    strange = listing(aligned.unseen[name])
    return (*notes, f"the model does not know the class {strange}: such rows count as errors")
