"""Results: every prediction of a test, kept once; all measures and curves are pure functions of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import listing
from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.errors import DataError, ModelError
from hedgerow.evaluate.training_overlap import TrainingOverlap
from hedgerow.layout.shown import ArrowTable, PrintedReport
from hedgerow.models.base.decisions import decisions

SEPARATE = "separate test data"
TRAINING, MIXED = "training rows", "training rows and others"
MODEL_TESTS = frozenset({SEPARATE, TRAINING, MIXED})  # methods that test a given model, not a learner

Cached = TypeVar("Cached")


@dataclass(frozen=True)
class Fold:
    """One training and one test: the numbers of rows, the times, and the size of the model.

    Parameters
    ----------
    train_weight, test_weight
        The weight of the rows in each part, their number when the table has no weights.
    prior
        What the training part says without looking at any column: the share of every class, or the mean
        of the numbers. Empty when the training part is not known (a model tested on its own).
    train_seconds, test_seconds
        Time on the wall. Folds that run side by side slow each other down a little.
    model_size
        Leaves, rules, or what the model counts itself by; None if it does not.
    chosen
        What a learner that chooses its parameters chose from the training part: "min_leaf=5".
    silent
        How many test rows hold nothing that the model knows, so that its prior or intercept decides.
    decider
        Which of them: "prior" or "intercept".
    """

    run: int
    fold: int
    train_weight: float
    test_weight: float
    prior: tuple[float, ...] = ()
    train_seconds: float = 0.0
    test_seconds: float = 0.0
    model_size: int | None = None
    chosen: str = ""
    silent: int = 0
    decider: str = "prior"


@dataclass(frozen=True, eq=False)
class Results(ArrowTable, PrintedReport):
    """The predictions of a test, one entry per tested row.

    Parameters
    ----------
    target, labels
        The target's name and its classes in code order; no labels when a number is predicted.
    rows
        The row of the table that was tested; with several runs each row occurs once per run.
    actual
        The row's class code, or its number.
    predicted
        The distribution over the labels (rows x labels), or the predicted number.
    weight
        The row's weight.
    run, fold
        The run and fold in which the row was tested; `folds` has an entry for each pair, in this order.
    learner, parameters, method, seed
        What was tested, and how: "10-fold cross-validation".
    notes
        Notes, one sentence each.
    said
        The code of the predicted class; None if that is always the most probable one, the first on a tie. With
        misclassification costs it may be another one. -1 means no prediction: metrics then refer to the predicted rows.
    decided_by
        The thresholds or costs by which the model decided, as in "threshold yes=0.2"; empty if by none.
    overlap
        How many of the rows the tested model was trained on; None if that is unknown.
    """

    target: str
    labels: tuple[str, ...]
    rows: Rows
    actual: NDArray[Any]
    predicted: Numbers
    weight: Numbers
    run: Codes
    fold: Codes
    folds: tuple[Fold, ...]
    learner: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    method: str = ""
    seed: int | None = None
    notes: tuple[str, ...] = ()
    said: Codes | None = None
    decided_by: str = ""
    overlap: TrainingOverlap | None = None

    def __post_init__(self) -> None:
        wide = (len(self.rows), len(self.labels)) if self.labels else (len(self.rows),)
        if self.predicted.shape != wide:
            raise ModelError(f"the predictions have shape {self.predicted.shape} instead of {wide}")
        for name in ("actual", "weight", "run", "fold"):
            if len(getattr(self, name)) != len(self.rows):
                raise ModelError(f"results of {len(self.rows)} rows need as many entries of {name!r}")
        if self.said is not None and len(self.said) != len(self.rows):
            raise ModelError(f"results of {len(self.rows)} rows need as many entries of 'said'")
        if self.said is not None and len(self) and not -1 <= self.said.min() <= self.said.max() < len(self.labels):
            raise ModelError(
                f"{self.learner or 'the model'} predicted a class that is not one of {listing(self.labels)}"
            )
        if not _are_finite(self.predicted):
            lines = np.flatnonzero(~np.isfinite(self.predicted.reshape(len(self.rows), -1)).all(axis=1))
            raise ModelError(
                f"{self.learner or 'the model'} did not predict a finite number for {len(lines)} of {len(self.rows)} "
                f"rows (the first is row {self.rows[lines[0]]}); a model must predict every row"
            )

    def __len__(self) -> int:
        return len(self.rows)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_kept"}  # a copy works it out anew

    def __repr__(self) -> str:
        return f"<Results: {self.learner or 'a model'} on {self.target!r}, {self.method}, {len(self)} tests>"

    def to_arrow(self) -> Any:
        """Return the predictions as an Arrow table, one row per tested row; classes also have their probabilities.

        Columns: row (from 0), run, fold, actual, predicted, probability of each class as `P(yes)`, weight.
        """
        from hedgerow.data.frames.arrow import columns_table

        if not self.has_classes:
            values = {"actual": self.actual, "predicted": self.predicted}
        else:
            labels = np.array([*self.labels, None], dtype=object)
            values = {"actual": labels[self.actual], "predicted": labels[self.decided]}
            values |= {f"P({label})": self.predicted[:, code] for code, label in enumerate(self.labels)}
        return columns_table({"row": self.rows, "run": self.run, "fold": self.fold, **values, "weight": self.weight})

    @property
    def has_classes(self) -> bool:
        """Whether a class is predicted, not a number."""
        return bool(self.labels)

    @property
    def n_runs(self) -> int:
        """How many times the rows were tested."""
        return len({fold.run for fold in self.folds})

    @property
    def model_sizes(self) -> list[int]:
        """The sizes of the folds' models, as far as they have one."""
        return [fold.model_size for fold in self.folds if fold.model_size is not None]

    @property
    def silent(self) -> int:
        """The number of test rows without any known value, such as texts of unknown words."""
        return sum(fold.silent for fold in self.folds)

    @cached_property
    def decided(self) -> Codes:
        """The code of the predicted class of every row: `said`, or the most probable one."""
        return decisions(self.predicted) if self.said is None else self.said

    @cached_property
    def has_answer(self) -> NDArray[np.bool_]:
        """Which rows have a prediction."""
        if self.said is None:
            return np.ones(len(self), dtype=np.bool_)
        return self.said >= 0

    @cached_property
    def answered(self) -> Results:
        """The results of the rows that have a prediction; the results themselves if all rows have one."""
        return self if self.has_answer.all() else replace(self.take(self.has_answer), folds=self.folds)

    @cached_property
    def place(self) -> Codes:
        """The position in `folds` of every row's fold."""
        keys = np.array([(fold.run, fold.fold) for fold in self.folds], dtype=np.int64).reshape(-1, 2)
        base = keys[:, 1].max(initial=0) + 1
        at = np.empty(keys[:, 0].max(initial=0) * base + base, dtype=np.int32)
        at[keys[:, 0] * base + keys[:, 1]] = np.arange(len(keys))
        place: Codes = at[self.run.astype(np.int64) * base + self.fold]
        return place

    @cached_property
    def only_priors(self) -> bool:
        """Whether every prediction is the prior of its fold's training part, independent of all columns.

        Such predictions cannot rank rows, although they differ from fold to fold.
        """
        if not all(fold.prior for fold in self.folds):
            return False
        priors = np.array([fold.prior for fold in self.folds])[self.place]
        return bool(np.allclose(self.predicted, priors.reshape(self.predicted.shape), rtol=1e-9, atol=1e-12))

    def cache(self, name: str, make: Callable[[], Cached]) -> Cached:
        """Return the result of `make`, cached under its name, since results never change."""
        kept: dict[str, Any] = self.__dict__.setdefault("_kept", {})
        if name not in kept:
            kept[name] = make()
        value: Cached = kept[name]
        return value

    def code(self, label: str) -> int:
        """Return the code of the class called `label`."""
        if label not in self.labels:
            raise DataError(f"{self.target!r} has no class {label!r}; its classes are {listing(self.labels)}")
        return self.labels.index(label)

    def take(self, rows: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> Results:
        """Return the results of some entries, by position or by mask, and the folds they come from."""
        arrays: dict[str, Any] = {name: getattr(self, name)[rows] for name in _ARRAYS}
        folds = tuple(self.folds[position] for position in np.unique(self.place[rows]))
        codes = None if self.said is None else self.said[rows]
        return replace(self, folds=folds, said=codes, **arrays)

    def by_fold(self) -> Iterator[Results]:
        """Yield the results of every fold that tested any rows, in order."""
        order = np.argsort(self.place, kind="stable")
        edges = np.flatnonzero(np.diff(self.place[order], prepend=-1))
        for start, stop in zip(edges, [*edges[1:], len(order)], strict=True):
            yield self.take(order[start:stop])


def _are_finite(numbers: Numbers) -> bool:
    """Return whether all are; mostly their sum does, without an array of answers as long as they are."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(numbers.sum()) or np.isfinite(numbers).all())


_ARRAYS = ("rows", "actual", "predicted", "weight", "run", "fold")


def join_results(parts: Sequence[Results]) -> Results:
    """Return the results of several folds of one test as one; names and notes are the first part's."""
    arrays: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS}
    plain = all(part.said is None for part in parts)
    codes = None if plain else np.concatenate([part.decided for part in parts])
    return replace(parts[0], folds=tuple(fold for part in parts for fold in part.folds), said=codes, **arrays)
