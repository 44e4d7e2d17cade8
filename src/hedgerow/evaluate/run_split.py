"""A trial: learn from some rows, test on others. Many trials on one table, gathered into one Results.

The parts are views of the table: however many trials there are, its columns are held once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from time import perf_counter
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.design.class_counts import Counts
from hedgerow.data.read import to_table
from hedgerow.data.table.schema import Column, Kind, missing_target_notes
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.data.table.threads import map_in_order
from hedgerow.errors import DataError, ModelError
from hedgerow.evaluate.results import Fold, Results, join_results
from hedgerow.evaluate.splits import Split, usable
from hedgerow.learn.classifier import CountingClassifier
from hedgerow.learn.prepare import scale_row_weights, set_target_kind
from hedgerow.learn.training_sketch import without_sketches
from hedgerow.models.base.decisions import decisions
from hedgerow.models.base.model import ClassModel, Model, NumberModel
from hedgerow.models.base.unknown_rows import unknown_rows_note

Progress = Callable[[int, int], None]
# A fold that only counts so few values is done before another thread has had its turn: threads would only wait.
SHORT = 200_000


class Trainable(Protocol):
    """The protocol of learners: `train` returns a model and changes nothing."""

    @property
    def name(self) -> str:
        """The learner's name on the command line."""

    def train(self, data: Table) -> Model:
        """Return the model that the rows of the table teach."""

    def get_params(self) -> dict[str, Any]:
        """Return the parameters by name."""


class ChosenParameters(Protocol):
    """What a learner that chooses has chosen: its text, such as `min_leaf=5`, and the model it then learns."""

    @property
    def text(self) -> str:
        """The choice in a few words; equal choices have equal texts."""

    def train(self, data: Table) -> Model:
        """Return the model that the choice learns from the table."""


@runtime_checkable
class Selector(Protocol):
    """A learner that first chooses, by looking at the rows it learns from, how to learn."""

    def choose(self, data: Table) -> ChosenParameters:
        """Return the choice that the rows of the table suggest."""


def evaluate_splits(
    learner: Trainable,
    table: Table,
    parts: Iterable[Split],
    n_splits: int,
    n_tests: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    **told: Any,
) -> Results:
    """Try a learner on every split and return all predictions.

    Parameters
    ----------
    n_tests
        How many predictions there will be, if that is known: they are then put into position as they come.
    told
        What else the Results shall say: `method`, `seed`, `notes`.
    """
    counts = TableCounts.of(learner, table) if n_splits > 1 else None
    if counts is not None and counts.n_cells < SHORT * n_splits:
        threads = 1

    def evaluate_each() -> Iterable[Results]:
        trials = map_in_order(lambda split: evaluate_split(learner, table, split, counts), parts, threads)
        for done, results in enumerate(trials, start=1):
            if progress is not None:
                progress(done, n_splits)
            yield results

    results = join_results(list(evaluate_each())) if n_tests is None else join_in_place(evaluate_each(), n_tests)
    return with_notes(results, table, told)


def with_notes(results: Results, table: Table, entries: dict[str, Any]) -> Results:
    """Return results with the given predictions, and notes on them."""
    notes = *entries.get("notes", ()), *fold_notes(results), *unknown_row_notes(results, table)
    return replace(results, **{**entries, "notes": notes})


def join_in_place(parts: Iterable[Results], n_tests: int) -> Results:
    """Return the results of several folds as one, like `join_results`, but never keep them twice in memory."""
    parts = iter(parts)
    first = next(parts)
    wholes: dict[str, Any] = {
        name: np.empty((n_tests, *getattr(first, name).shape[1:]), getattr(first, name).dtype)
        for name in ("rows", "actual", "predicted", "weight", "run", "fold")
    }
    codes: Codes | None = None
    folds: list[Fold] = []
    start = 0
    for part in chain([first], parts):
        here = slice(start, start + len(part))
        for name, whole in wholes.items():
            whole[here] = getattr(part, name)
        if codes is None and part.said is not None:
            codes = np.empty(n_tests, dtype=np.int32)
            codes[:start] = decisions(wholes["predicted"][:start])
        if codes is not None:
            codes[here] = part.decided
        folds += part.folds
        start = here.stop
    return replace(first, folds=tuple(folds), said=codes, **wholes)


@dataclass(frozen=True)
class TableCounts:
    """A learner that only counts, and the counts of all rows of a table.

    The counts of a training part are those of all rows without those of the test part. So k folds count every row
    once, not k - 1 times. Counts of rows without weights are exact: the models are the same.
    """

    learner: CountingClassifier
    counts: Counts

    @property
    def n_cells(self) -> int:
        """How many values were counted."""
        return self.counts.rows * len(self.counts.columns)

    @classmethod
    def of(cls, learner: Trainable, table: Table) -> TableCounts | None:
        """Return the counts of a table; None if that would not help to learn from its parts."""
        if not isinstance(learner, CountingClassifier) or not learner.only_counts or table.weights is not None:
            return None
        return cls(learner, learner.count_table(table))

    def train(self, train: Table, test: Table) -> ClassModel | None:
        """Return the model of a training part of the table; None if the parts do not make up all rows."""
        if train.n_rows + test.n_rows != self.counts.rows or train.n_rows < test.n_rows:
            return None

        def subtract_usable(usable: Table) -> Counts:
            return self.counts.subtract(self.learner.count_table(test), usable)

        return self.learner.train_from_counts(train, subtract_usable)


def evaluate_split(learner: Trainable, table: Table, split: Split, counted: TableCounts | None = None) -> Results:
    """Learn from one part, test on the other."""
    if counted is None:
        return predict_fold(learner, *learn_fold(learner, table, split), table.view(split.test), split.test)
    test = table.take(split.test)  # counted and then predicted, so gathered once for both
    model, fold = learn_fold(learner, table, split, partial(counted.train, test=test))
    return predict_fold(learner, model, fold, test, split.test)


def learn_fold(
    learner: Trainable, table: Table, split: Split, quick: Callable[[Table], Model | None] | None = None
) -> tuple[Model, Fold]:
    """Return the model of the training part, and the information on the fold before its test.

    `quick` may know a faster way to the same model.
    """
    train = table.view(split.train)
    start = perf_counter()
    with without_sketches():
        choice = learner.choose(train) if isinstance(learner, Selector) else None
        model = None if quick is None else quick(train)
        if model is None:
            model = (learner if choice is None else choice).train(train)
    seconds = perf_counter() - start
    return model, make_fold(split, train, model, seconds, "" if choice is None else choice.text)


def make_fold(split: Split, train: Table, model: Model, seconds: float, chosen: str = "") -> Fold:
    """Return the record of a fold before its test, with the training time of its model."""
    return Fold(
        split.run, split.fold, train.total_weight, 0.0, _prior(train), seconds, 0.0, model.size, chosen
    )  # fmt: skip


def predict_fold(learner: Trainable, model: Model, fold: Fold, part: Table, rows: Rows) -> Results:
    """Return a model's predictions for the given rows of the table."""
    labels = part.schema.target_column.levels
    start = perf_counter()
    test_predictions = predictions(model, part, labels)
    seconds = perf_counter() - start
    fold = replace(
        fold, test_weight=part.total_weight, test_seconds=seconds, silent=test_predictions.silent, decider=model.decider
    )
    own = {name: value for name, value in learner.get_params().items() if "__" not in name}
    return make_results(part, rows, target_values(part), test_predictions, labels, fold, learner.name, own)


def make_results(
    part: Table,
    rows: Rows,
    actual: NDArray[Any],
    predictions: TestPredictions,
    labels: tuple[str, ...],
    fold: Fold,
    learner: str,
    parameters: dict[str, Any],
) -> Results:
    """Return the results of one fold."""
    return Results(
        target=part.schema.target_column.name,
        labels=labels,
        rows=rows,
        actual=actual,
        predicted=predictions.values,
        weight=part.row_weights,
        run=np.full(len(rows), fold.run, dtype=np.int32),
        fold=np.full(len(rows), fold.fold, dtype=np.int32),
        folds=(fold,),
        learner=learner,
        parameters=parameters,
        said=predictions.said,
        decided_by=predictions.decided_by,
    )


class TestPredictions(NamedTuple):
    """The predictions of a model for some rows.

    `values` are numbers, or the distribution over labels. `said` are the classes that the model says, None if they are
    the most probable ones. Of `silent` rows it knows nothing. `decided_by` are the thresholds or costs that decide.
    """

    values: Numbers
    said: Codes | None
    silent: int
    decided_by: str = ""


def predictions(model: Model, table: Table, labels: tuple[str, ...]) -> TestPredictions:
    """Return the model's numbers, or its distribution over `labels`, which may include unknown ones."""
    if isinstance(model, NumberModel):
        return TestPredictions(np.asarray(model.predict(table), dtype=np.float64), None, 0)
    if not isinstance(model, ClassModel):
        raise ModelError(f"a model of kind {model.kind!r} predicts neither a class nor a number")
    aligned = model.align(table)
    scored = model.score_rows(aligned)
    known, silent = scored.distribution, 0 if scored.is_unknown is None else int(scored.is_unknown.sum())
    codes = None if model.says_most_probable else model.decide_rows(aligned, known)
    decided_by = "" if model.decision_rule is None else str(model.decision_rule)
    places = np.array([labels.index(label) for label in model.classes], dtype=np.int32)
    wide = known
    if model.classes != labels:
        wide = np.zeros((len(known), len(labels)))
        wide[:, places] = known
    if codes is None and bool((np.diff(places) > 0).all()):
        return TestPredictions(wide, None, silent, decided_by)
    codes = np.append(places, np.int32(-1))[decisions(known) if codes is None else codes]  # no answer stays -1
    said = None if np.array_equal(codes, decisions(wide)) else codes
    return TestPredictions(wide, said, silent, decided_by)


def to_learner_table(learner: Trainable, data: Any, target: str | None = None) -> Table:
    """Return data as a table with a target of the kind that the learner needs: few whole numbers may be classes.

    Its weights count rows, in training and in measures alike (`learn/row_weights.py`).
    """
    table = to_table(data, target)
    classes: bool | None = getattr(learner, "target_is_classes", None)
    table = table if classes is None else set_target_kind(table, classes)[0]
    return table if table.weights is None else scale_row_weights(table, usable(target_values(table)))


def target_values(table: Table) -> Codes | Numbers:
    """Return the target's values; one that cannot be predicted is an error."""
    column = table.schema.target_column
    if column.kind not in (Kind.NOMINAL, Kind.NUMERIC):
        raise DataError(
            f"the target {column.name!r} is {column.kind}; only nominal and numeric columns can be predicted"
        )
    values = table.target
    assert isinstance(values, np.ndarray)
    return values


def target_notes(name: str, target: NDArray[Any]) -> tuple[str, ...]:
    """Return the note on rows that have no target."""
    missing = len(target) - len(usable(target))
    return tuple(missing_target_notes(name, missing, len(target)))


def fold_notes(results: Results) -> tuple[str, ...]:
    """Return notes on the folds after the evaluation: training parts of one class, what was chosen."""
    notes = []
    alone = sum(np.count_nonzero(fold.prior) == 1 for fold in results.folds) if results.has_classes else 0
    if alone and len(np.unique(results.actual)) > 1:
        notes.append(f"in {alone} of {len(results.folds)} folds all training rows have the same class")
    choices = [fold.chosen for fold in results.folds if fold.chosen]
    if choices:
        times = {text: choices.count(text) for text in dict.fromkeys(choices)}
        often = sorted(times, key=lambda text: -times[text])
        message = ", ".join(f"{text} in {times[text]}" for text in often)
        notes.append(f"chosen within each of {len(results.folds)} folds, without its test rows: {message}")
    return tuple(notes)


def unknown_row_notes(results: Results, table: Table) -> tuple[str, ...]:
    """Return the note on test rows without values known to the model."""
    if not results.silent:
        return ()
    decider = next(fold.decider for fold in results.folds if fold.silent)
    text = unknown_rows_note(table.schema, results.silent, len(results), decider)
    return (f"{text} (in all {results.n_runs} runs)" if results.n_runs > 1 else text,)


def _prior(train: Table) -> tuple[float, ...]:
    column: Column = train.schema.target_column
    values, total = target_values(train), train.total_weight
    if not total:
        return ()
    if column.kind is Kind.NUMERIC:
        return (float(values @ train.row_weights / total),)
    shares = np.bincount(values, train.weights, len(column.levels)) / total
    return tuple(shares.tolist())
