"""League: learners tried on the same folds, and the simplest that is about as good as the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hedgerow.data.table import Numbers, Table
from hedgerow.data.threads import in_order
from hedgerow.errors import HedgerowError
from hedgerow.learn.sampling import own_parts, own_sample, part_of
from hedgerow.learn.simplicity import simplest_near_best
from hedgerow.learn.supervised import Supervised
from hedgerow.models.model import ClassModel, Model, NumberModel

FEW_ROWS = 1000  # below, threads take longer to share the work than to do it


@dataclass(frozen=True)
class Entry:
    """One learner of a league: its error in cross-validation, the standard error of that, the mean size of its models.

    The size is NaN where the models have none, the error where a learner failed or there were too few rows.
    """

    name: str
    learner: Supervised
    error: float
    standard_error: float
    size: float


@dataclass(frozen=True)
class League:
    """The learners, the simplest first, and which of them is kept.

    Parameters
    ----------
    kept, best
        Positions of the entry that is kept and of the one with the least error.
    within
        By how many standard errors of the best's error the kept one may exceed it.
    measure
        What the errors are: "error rate" or "mean absolute error".
    rows
        How many rows they were tried on; `all_rows` of them there are.
    """

    entries: tuple[Entry, ...]
    kept: int
    best: int
    folds: int
    within: float
    measure: str
    rows: int
    all_rows: int

    @property
    def limit(self) -> float:
        """The error up to which a learner counts as good as the best."""
        best = self.entries[self.best]
        return best.error + self.within * best.standard_error

    @property
    def why(self) -> str:
        """Why this one is kept, in a sentence."""
        kept, best = self.entries[self.kept], self.entries[self.best]
        if math.isnan(best.error):
            return f"kept: {kept.name}, the simplest of all, as there are too few rows to try them"
        if self.kept == self.best:
            return f"kept: {kept.name}, which has the lowest error; nothing simpler comes near it"
        near = "one standard error" if self.within == 1 else f"{self.within:g} standard errors"
        return (
            f"kept: {kept.name}, the simplest whose error is within {near} of the lowest, that of {best.name} "
            f"({best.error:.4g} + {self.within * best.standard_error:.4g} = {self.limit:.4g})"
        )

    def __str__(self) -> str:
        sample = "" if self.rows == self.all_rows else f" of {self.rows} of {self.all_rows} rows"
        lines = [f"League, the simplest first: {self.measure} in {self.folds}-fold cross-validation{sample}"]
        wide = max(len(entry.name) for entry in self.entries)
        for place, entry in enumerate(self.entries):
            mark = ">" if place == self.kept else " "
            lines.append(f"{mark} {entry.name:<{wide}}  {entry.error:.4f} +- {entry.standard_error:.4f}")
        return "\n".join([*lines, self.why])


class Trial(NamedTuple):
    """What one fold says of a learner: weighed losses and their squares, their weight, and the size of the model."""

    loss: float
    squares: float
    weight: float
    size: float


def hold_league(
    candidates: Sequence[tuple[str, Supervised]],
    table: Table,
    folds: int,
    within: float,
    most_rows: int,
    random_state: Any,
) -> League:
    """Try the candidates, the simplest first, on the same folds of a table that is ready.

    The folds depend on the rows and the seed, not on the order of the rows. Of more than `most_rows` rows a sample is
    taken. The kept one is the first whose error is at most the lowest plus `within` times its standard error.
    """
    sample = own_sample(table, most_rows, random_state)
    weights = sample.row_weights
    parts = [part for part in own_parts(sample, folds, random_state) if part.any() and (part < weights).any()]
    pairs = [(learner, part) for _, learner in candidates for part in parts]
    threads = 1 if sample.n_rows < FEW_ROWS else None
    trials = list(in_order(lambda pair: _trial(pair[0], sample, weights, pair[1]), pairs, threads))
    entries = tuple(
        _entry(name, learner, trials[place * len(parts) : (place + 1) * len(parts)])
        for place, (name, learner) in enumerate(candidates)
    )
    pick = simplest_near_best([one.error for one in entries], [one.standard_error for one in entries], within)
    measure = "error rate" if candidates[0][1].target_is_classes else "mean absolute error"
    return League(entries, pick.kept, pick.best, len(parts), within, measure, sample.n_rows, table.n_rows)


def _trial(learner: Supervised, table: Table, weights: Numbers, test: Numbers) -> Trial | None:
    """Learn from the rest of the rows and return the losses on the test rows; None if the learner fails."""
    try:
        model = learner.train(part_of(table, weights - test))
    except HedgerowError:
        return None
    rows = np.flatnonzero(test > 0)
    losses, weight = _losses(model, table.take(rows)), test[rows]
    size = math.nan if model.size is None else float(model.size)
    return Trial(float(losses @ weight), float(losses**2 @ weight), float(weight.sum()), size)


def _losses(model: Model, table: Table) -> Numbers:
    """Return 1 for every wrong class, or how far every number is off."""
    target = table.target
    assert isinstance(target, np.ndarray)
    if isinstance(model, ClassModel):
        return np.asarray(model.decide(table) != target, dtype=np.float64)
    assert isinstance(model, NumberModel)
    return np.asarray(np.abs(model.predict(table) - target))


def _entry(name: str, learner: Supervised, trials: Sequence[Trial | None]) -> Entry:
    found = [trial for trial in trials if trial is not None]
    if not found or len(found) < len(trials):
        return Entry(name, learner, math.nan, math.nan, math.nan)
    loss, squares, weight, size = (float(sum(figures)) for figures in zip(*found, strict=True))
    error = loss / weight
    # Of the mean of n losses; for zeros and ones it is sqrt(error (1 - error) / n).
    deviation = math.sqrt(max(squares / weight - error**2, 0.0) / weight)
    return Entry(name, learner, error, deviation, size / len(found))
