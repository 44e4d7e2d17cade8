"""A round of a selection: candidates trained and tested on the same rows, cross-validated."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from hedgerow.data.table.table import Numbers, Rows, Table
from hedgerow.data.table.threads import map_in_order
from hedgerow.errors import HedgerowError
from hedgerow.learn.choosing.losses import Predictions
from hedgerow.learn.choosing.selection import Trials
from hedgerow.learn.choosing.work import TableShape, training_work
from hedgerow.learn.sampling import sample_by_value_hash, select_weighted_rows, split_by_value_hash
from hedgerow.learn.supervised import Supervised
from hedgerow.learn.training_sketch import without_sketches

Candidates = Sequence[tuple[str, Supervised]]
MANY_ROWS = 50_000  # beyond, one held-out part tells enough: the others are not tested
STEADY_ROWS = 3000  # below, the cross-validation is repeated, since what a few hundred rows tell depends on the folds
MOST_RUNS = 3
FEW_CELLS = 20_000  # below, threads take longer to share the work than to do it


@dataclass(frozen=True)
class Settings:
    """How candidates are compared."""

    criterion: str
    folds: int
    within: float
    margin: float
    seconds: float
    seed: int
    costs: Numbers | None = None


class Trial(NamedTuple):
    """What a candidate predicted for one held-out part, and the size of the model that did."""

    run: int
    rows: Rows
    predictions: Predictions
    size: float


@dataclass(frozen=True, eq=False)
class Round:
    """The rows of one round, and for each run of the cross-validation what they weigh in each held-out part."""

    table: Table
    shape: TableShape
    runs: tuple[tuple[Numbers, ...], ...]

    @classmethod
    def of(cls, table: Table, rows: int, settings: Settings, groups: Rows | None) -> Round:
        """Return a round on about so many rows of a table; with `groups`, rows of one group are in one part.

        The parts depend on the rows and the seed, not on the order of the rows.
        """
        drawn = sample_by_value_hash(table, rows, settings.seed)
        sample = table if table.n_rows <= rows else select_weighted_rows(table, drawn)
        belong = None if groups is None else groups[drawn > 0]
        runs = [_parts(sample, settings.folds, settings.seed + run, belong) for run in range(n_runs(sample.n_rows))]
        return cls(sample, TableShape.of(sample), tuple(runs))

    @property
    def n_parts(self) -> int:
        """How many parts are held out in turn, in all runs."""
        return sum(len(parts) for parts in self.runs)

    @property
    def training_shape(self) -> TableShape:
        """The shape of the rows that are not held out."""
        held_out = float(self.runs[0][0].sum()) if self.n_parts else 0.0
        share = 1 - held_out / max(float(self.table.row_weights.sum()), 1e-300)
        return self.shape.with_rows(max(1.0, self.shape.rows * share))

    @property
    def tested_rows(self) -> int:
        """How many rows are held out."""
        return sum(int(np.count_nonzero(part)) for part in self.runs[0])

    def work(self, learner: Supervised, most: float = math.inf) -> float:
        """Return the work of a candidate that learns from at most so many rows."""
        shape = self.training_shape
        return self.n_parts * training_work(learner, shape.with_rows(min(shape.rows, most)))

    def trials(
        self, candidates: Candidates, caps: Sequence[int], settings: Settings, tell: Callable[[int], None]
    ) -> list[Trials]:
        """Return the trials of all candidates, each of which learns from at most so many rows."""
        found: list[list[Trial | None]] = [[] for _ in candidates]
        weights = self.table.row_weights
        threads = 1 if self.table.n_rows * len(self.table.schema) < FEW_CELLS else None
        for run, parts in enumerate(self.runs):
            for part in parts:
                rows = np.flatnonzero(part > 0)
                train, test = select_weighted_rows(self.table, weights - part), select_weighted_rows(self.table, part)
                work = partial(_trial, train=train, test=test, rows=rows, run=run, seed=settings.seed)
                jobs = [(learner, cap) for (_, learner), cap in zip(candidates, caps, strict=True)]
                for place, trial in enumerate(map_in_order(work, jobs, threads)):
                    found[place].append(trial)
                    tell(place)
        all_rows = int(self.training_shape.rows)
        return [
            _gathered(trials, self.table.n_rows, settings, min(cap, all_rows))
            for trials, cap in zip(found, caps, strict=True)
        ]


def n_runs(rows: int) -> int:
    """Return how often the cross-validation of so many rows is repeated."""
    return max(1, min(MOST_RUNS, round(STEADY_ROWS / max(rows, 1))))


def n_parts(rows: int, folds: int) -> int:
    """Return how many parts of so many rows are held out in turn, in all runs."""
    return n_runs(rows) * (1 if rows > MANY_ROWS else folds)


def _parts(table: Table, folds: int, seed: int, groups: Rows | None) -> tuple[Numbers, ...]:
    """Return the parts that can be held out: with rows in them and beside them; of many rows the first only."""
    parts, weights = split_by_value_hash(table, folds, seed, groups), table.row_weights
    usable = [part for part in parts if part.any() and (part < weights).any()]
    return tuple(usable[:1] if table.n_rows > MANY_ROWS else usable)


def _trial(job: tuple[Supervised, int], train: Table, test: Table, rows: Rows, run: int, seed: int) -> Trial | None:
    """Train on the rows that are not held out, a sample of them if there are too many; None if the learner fails."""
    learner, most = job
    try:
        if train.n_rows > most:
            train = select_weighted_rows(train, sample_by_value_hash(train, most, seed))
        with without_sketches():
            model = learner.train(train)
        size = math.nan if model.size is None else float(model.size)
        return Trial(run, rows, Predictions.of(model, test, train.total_weight), size)
    except HedgerowError:
        return None


def _gathered(trials: Sequence[Trial | None], n_rows: int, settings: Settings, training_rows: int) -> Trials:
    """Return the trials of one candidate, of all runs; a candidate that failed once failed."""
    known = [trial for trial in trials if trial is not None]
    if len(known) < len(trials) or not known:
        return Trials.failed(training_rows)
    by_run: dict[int, list[Trial]] = {}
    for trial in known:
        by_run.setdefault(trial.run, []).append(trial)
    runs = [
        (np.concatenate([trial.rows for trial in run]), Predictions.joined([trial.predictions for trial in run]))
        for run in by_run.values()
    ]
    size = sum(trial.size for trial in known) / len(known)
    return Trials.of(runs, n_rows, settings.criterion, settings.costs, size, training_rows)
