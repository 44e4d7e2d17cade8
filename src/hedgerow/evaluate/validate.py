"""Trying learners and models: cross-validation, holdout, leave-one-out, a validation part, a test table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import numpy as np

from hedgerow.data.bags.align import align
from hedgerow.data.bags.bags import group_into_bags
from hedgerow.data.frames.match_schema import AlignedTable
from hedgerow.data.frames.objects import is_frame, table_from
from hedgerow.data.read import to_table
from hedgerow.data.rows import row_groups
from hedgerow.data.table.schema import Schema, listing
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.errors import DataError, UsageError
from hedgerow.evaluate import run_split, splits
from hedgerow.evaluate.results import MIXED, SEPARATE, TRAINING, Fold, Results
from hedgerow.evaluate.run_split import Progress, Trainable
from hedgerow.evaluate.splits import Split
from hedgerow.evaluate.train_many import can_learn_together, evaluate_each
from hedgerow.evaluate.training_overlap import TrainingOverlap, overlap_of_tested
from hedgerow.learn.prepare import scale_row_weights
from hedgerow.models.base.model import Model

__all__ = [
    "EvaluationTask",
    "Progress",
    "Trainable",
    "ValidationChoice",
    "cross_validate",
    "cross_validate_each",
    "holdout",
    "leave_one_out",
    "prepare_task",
    "test",
    "validation_split",
]

ALMOST_ALL = 0.995  # of the tested rows: 100 % when rounded

L = TypeVar("L", bound=Trainable)


@dataclass(frozen=True)
class ValidationChoice:
    """The learner chosen on a validation part: all that were tried there, and the test of the best one."""

    learner: Trainable
    candidate_results: tuple[Results, ...]
    results: Results


def cross_validate(
    learner: Trainable,
    table: Any,
    target: str | None = None,
    folds: int = 10,
    runs: int = 1,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
    group: str | None = None,
) -> Results:
    """Test a learner by cross-validation: every row is tested once per run, by a model trained on the other folds.

    The table may be anything that `read` takes: a Table, the path of a file, a frame. `target` names the column to
    predict; by default it is that of the table, or the last column.

    Folds are stratified by class. They depend only on the target, the groups and the seed; the results do not
    depend on the number of threads. `progress(done, total)` is called after every fold. With `group`, the name
    of a column, the rows of a group are all in one fold, and that column is not used in training.
    """
    known = prepare_task(learner, table, target, group, folds)
    plan = _make_folds(known, folds, runs, seed, group)
    return run_split.evaluate_splits(
        known.learner,
        known.table,
        plan.parts,
        plan.n_splits,
        known.n_usable * runs,
        threads,
        progress,
        **plan.result_settings,
    )


def cross_validate_each(
    learners: Sequence[Trainable],
    table: Any,
    target: str | None = None,
    folds: int = 10,
    runs: int = 1,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
    group: str | None = None,
) -> Iterator[Results]:
    """Yield what `cross_validate` returns for each of several learners, in their order.

    Learners of one kind that can learn together (`learn.train_many`) learn from each training part in one go. The
    progress counts every fold of every learner.
    """
    if can_learn_together(learners):
        known = prepare_task(learners[0], table, target, group, folds)
        plan = _make_folds(known, folds, runs, seed, group)
        grouped = [keep_groups_inside(learner, group) for learner in learners]
        yield from evaluate_each(grouped, known.table, list(plan.parts), threads, progress, **plan.result_settings)
        return
    for before, learner in enumerate(learners):

        def tell(done: int, total: int, before: int = before) -> None:
            if progress is not None:
                progress(before * total + done, len(learners) * total)

        yield cross_validate(learner, table, target, folds, runs, seed, threads, tell, group)


class _Folds(NamedTuple):
    """The splits of a cross-validation, their number, and its description in the results."""

    parts: Iterator[Split]
    n_splits: int
    result_settings: dict[str, Any]


def _make_folds(known: EvaluationTask, folds: int, runs: int, seed: int, group: str | None) -> _Folds:
    used = splits.fold_count(known.target, folds, known.groups)
    parts = splits.repeated_folds(known.target, folds, runs, seed, known.groups)
    stratified = "stratified " if known.target.dtype.kind == "i" else ""
    by = "" if group is None else f" by {group}"
    notes = known.notes if group is not None else (*known.notes, *splits.fold_notes(known.target, folds))
    method = f"{stratified}{used}-fold cross-validation{by}{_runs(runs)}"
    return _Folds(parts, used * runs, {"method": method, "seed": seed, "notes": notes})


def leave_one_out(
    learner: Trainable,
    table: Any,
    target: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    group: str | None = None,
) -> Results:
    """Test a learner on every row (or group of rows), each time trained on all others."""
    known = prepare_task(learner, table, target, group)
    n_parts = known.n_usable if known.groups is None else splits.fold_count(known.target, known.n_usable, known.groups)
    parts = splits.leave_one_out(known.target, known.groups)
    method = "leave-one-out" if group is None else f"leave-one-{group}-out"
    return run_split.evaluate_splits(
        known.learner,
        known.table,
        parts,
        n_parts,
        known.n_usable,
        threads,
        progress,
        method=method,
        notes=known.notes,
    )


def holdout(
    learner: Trainable,
    table: Any,
    target: str | None = None,
    test: float = 1 / 3,
    runs: int = 1,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
    group: str | None = None,
) -> Results:
    """Hold out a random share `test` of the rows (and of every class) for testing, and train on the others."""
    known = prepare_task(learner, table, target, group)
    parts = splits.holdout(known.target, 1 - _check_test_share(test), runs, seed, known.groups)
    by = "" if group is None else f" by {group}"
    return run_split.evaluate_splits(
        known.learner,
        known.table,
        parts,
        runs,
        None,
        threads,
        progress,
        method=f"holdout{by}, {test:.0%} to test on{_runs(runs)}",
        seed=seed,
        notes=known.notes,
    )


def validation_split(
    learners: Sequence[Trainable],
    table: Any,
    better: Callable[[Results], float],
    validation: float = 0.2,
    test: float = 0.2,
    seed: int = 1,
    group: str | None = None,
    target: str | None = None,
) -> ValidationChoice:
    """Choose the learner with the largest `better` on a validation part, and test it on a third part (M300).

    The chosen learner is trained again on the training and validation parts together before its test;
    ties go to the first. The test part does not influence the choice, so its results are unbiased.
    """
    if not learners:
        raise UsageError("there is nothing to choose from: give at least one learner")
    known = prepare_task(learners[0], table, target, group)
    parts = splits.three_way(known.target, validation, test, seed, known.groups)
    split = Split(parts.train, parts.validation)
    tried = tuple(
        run_split.evaluate_split(keep_groups_inside(learner, group), known.table, split) for learner in learners
    )
    tried = tuple(replace(results, method="validation part", seed=seed) for results in tried)
    scores = np.nan_to_num([better(results) for results in tried], nan=-np.inf)  # undefined is worst
    best = learners[int(np.argmax(scores))]
    rows = np.sort(np.concatenate([parts.train, parts.validation]))
    final = run_split.evaluate_split(keep_groups_inside(best, group), known.table, Split(rows, parts.test))
    method = f"test part, chosen among {len(learners)} on a validation part"
    return ValidationChoice(best, tried, replace(final, method=method, seed=seed, notes=known.notes))


def test(model: Model, table: Any) -> Results:
    """Test a model on a table, a frame or a file that it was not trained on.

    Classes that the model does not know are kept: their rows count as errors of the model. If the model was trained on
    some of the rows, `overlap` of the results tells how many, and so do all reports on them.
    """
    start = perf_counter()
    known = prepare_test(model, _to_test_table(model, table))
    part = known.table if len(known.rows) == len(known.table) else known.table.view(known.rows)
    found = run_split.predictions(model, part, known.labels)
    seconds = perf_counter() - start
    fold = Fold(
        0,
        0,
        model.about.weight,
        part.total_weight,
        (),
        0.0,
        seconds,
        model.size,
        silent=found.silent,
        decider=model.decider,
    )
    about = model.about
    results = run_split.make_results(
        part,
        known.rows,
        known.target[known.rows],
        found,
        known.labels,
        fold,
        about.learner,
        dict(about.parameters),
    )
    overlap = overlap_of_tested(model, known.table, known.target, known.labels, known.rows)
    notes = *known.notes, *run_split.unknown_row_notes(results, part), *(() if overlap is None else overlap.notes)
    return replace(results, method=_method(overlap), notes=notes, overlap=overlap)


def _to_test_table(model: Model, data: Any) -> Table:
    """Return data as a table; of a frame or a file the target is that of the model, if it is there."""
    if isinstance(data, Table):
        return data
    table = table_from(data) if is_frame(data) else to_table(data, "")
    target = model.schema.target
    return table.with_target(target) if target in table.schema.names else table


def _method(overlap: TrainingOverlap | None) -> str:
    """Return the method of a test of a model on rows of which it was trained on some."""
    if overlap is None or not overlap.is_trained:
        return SEPARATE
    return TRAINING if overlap.trained_share >= ALMOST_ALL else MIXED


@dataclass(frozen=True)
class EvaluationData:
    """What a model is tested on: the table under the model's schema, the target, and the rows that have one.

    Labels are the model's own, then those that only the data have.
    """

    table: Table
    target: Codes | Numbers
    labels: tuple[str, ...]
    rows: Rows
    notes: tuple[str, ...]


def prepare_test(model: Model, table: Table) -> EvaluationData:
    """Return the test data of a model; data without the target are an error."""
    name = model.schema.target_column.name
    table = group_into_bags(table, model.schema)
    if name not in table.schema:
        raise DataError(
            f"the test data lack the target {name!r}, so the model cannot be tested; they have "
            f"{listing(table.schema.names)}"
        )
    aligned = align(table, model.schema)
    target, labels = _encode_target(aligned, table, name)
    rows = splits.usable(target)
    if not len(rows):
        raise DataError(f"the target {name!r} is missing in every row of the test data, or they have no such column")
    notes = (*run_split.target_notes(name, target), *_test_notes(aligned, name))
    return EvaluationData(scale_row_weights(aligned.table, rows), target, labels, rows, notes)


@dataclass(frozen=True)
class EvaluationTask:
    """What a learner is tried on: a table with a suitable target, and the groups of its rows if there are any."""

    learner: Trainable
    table: Table
    target: Codes | Numbers
    groups: Rows | None
    notes: tuple[str, ...]

    @property
    def n_usable(self) -> int:
        """How many rows have a target."""
        return len(splits.usable(self.target))


def prepare_task(
    learner: Trainable, data: Any, target: str | None = None, group: str | None = None, folds: int = 0
) -> EvaluationTask:
    """Return the data for evaluating a learner; with `group`, rows with one value of this column stay together."""
    table = run_split.to_learner_table(learner, data, target)
    if group is not None:
        table = row_groups.ignore_group_column(table, group)
    actual = run_split.target_values(table)
    notes = run_split.target_notes(table.schema.target_column.name, actual)
    if group is None:
        return EvaluationTask(learner, table, actual, None, notes)
    numbers = row_groups.number_groups(table, group)
    more = row_groups.group_notes(table, group, numbers, splits.usable(actual), folds)
    return EvaluationTask(keep_groups_inside(learner, group), table, actual, numbers, (*notes, *more))


def keep_groups_inside(learner: L, group: str | None) -> L:
    """Return the learner with groups kept together in its internal cross-validation, too."""
    result = getattr(learner, "within_groups", None)
    kept: L = learner if group is None or result is None else result(group)
    return kept


def _check_test_share(share: float) -> float:
    if not 0 < share < 1:
        raise UsageError(f"the share to hold out must lie between 0 and 1, such as 0.3, but is {share:g}")
    return share


def _runs(runs: int) -> str:
    return f", {runs} runs" if runs > 1 else ""


def _encode_target(aligned: AlignedTable, table: Table, name: str) -> tuple[Codes | Numbers, tuple[str, ...]]:
    """Return the target's values and labels, the model's own first, then those that only the data have."""
    column = aligned.table.schema.target_column
    if name not in aligned.unseen:
        return run_split.target_values(aligned.table), column.levels
    wider = replace(column, levels=(*column.levels, *aligned.unseen[name]))
    whole = align(table.select([name]), Schema((wider,), name)).table
    return run_split.target_values(whole), wider.levels


def _test_notes(aligned: AlignedTable, name: str) -> tuple[str, ...]:
    unseen = {column: levels for column, levels in aligned.unseen.items() if column != name}
    notes = AlignedTable(aligned.table, aligned.extra, unseen).notes
    if name not in aligned.unseen:
        return notes
    strange = aligned.unseen[name]
    classes = "class" if len(strange) == 1 else "classes"
    return (*notes, f"the model does not know the {classes} {listing(strange)}: such rows count as errors")
