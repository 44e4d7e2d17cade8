"""League: learners tried on the same folds, and the simplest one whose error is close to the lowest."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hedgerow.data.table.table import Numbers, Rows, Table
from hedgerow.data.table.threads import map_in_order
from hedgerow.errors import HedgerowError
from hedgerow.learn.sampling import sample_by_value_hash, select_weighted_rows, split_by_value_hash
from hedgerow.learn.simplicity import Pick, simplest_near_best
from hedgerow.learn.supervised import Supervised
from hedgerow.models.base.model import ClassModel, Model, NumberModel

Progress = Callable[[int, int], None]
HOPELESS = 3.0  # standard errors beyond which a slow learner is abandoned
MOST_LOSS = 1e150  # maximum loss of one row: its square can be summed
FEW_ROWS = 1000  # below this, sharing the work among threads takes longer than doing it


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
class Ranking:
    """The learners, the simplest first, and which of them is kept.

    Parameters
    ----------
    kept, best
        Positions of the entry that is kept and of the one with the smallest error.
    within
        The maximum excess of the kept error over the lowest, in standard errors of the lowest.
    measure
        What the errors are: "error rate" or "mean absolute error".
    rows
        The number of rows used for the comparison, out of `all_rows`.
    """

    entries: tuple[Entry, ...]
    kept_index: int
    best: int
    folds: int
    tolerance: float
    measure: str
    rows: int
    all_rows: int

    @property
    def limit(self) -> float:
        """The largest error that is close enough to the lowest."""
        best = self.entries[self.best]
        return best.error + self.tolerance * best.standard_error

    @property
    def reason(self) -> str:
        """A sentence that gives the reason for the choice."""
        entry, best = self.entries[self.kept_index], self.entries[self.best]
        if math.isnan(best.error):
            return f"chosen: {entry.name}, the simplest of all, since there are too few rows to compare them"
        if self.kept_index == self.best:
            return f"chosen: {entry.name}, which has the lowest error; nothing simpler comes close"
        near = "one standard error" if self.tolerance == 1 else f"{self.tolerance:g} standard errors"
        return (
            f"chosen: {entry.name}, the simplest whose error is within {near} of the lowest, that of {best.name} "
            f"({best.error:.4g} + {self.tolerance * best.standard_error:.4g} = {self.limit:.4g})"
        )

    def __str__(self) -> str:
        sample = "" if self.rows == self.all_rows else f" of {self.rows} of {self.all_rows} rows"
        lines = [f"Ranking, the simplest first: {self.measure} in {self.folds}-fold cross-validation{sample}"]
        wide = max(len(entry.name) for entry in self.entries)
        for place, entry in enumerate(self.entries):
            mark = ">" if place == self.kept_index else " "
            lines.append(f"{mark} {entry.name:<{wide}}  {entry.error:.4f} +- {entry.standard_error:.4f}")
        return "\n".join([*lines, self.reason])


class FoldTrial(NamedTuple):
    """The results of a learner on one fold: weighted losses and their squares, their weight, and the model size."""

    loss: float
    squares: float
    weight: float
    size: float


@dataclass(frozen=True, eq=False)
class ContestRows:
    """The data of a comparison: a sample of the rows, their weights, and their weights in each test fold."""

    table: Table
    weights: Numbers
    parts: tuple[Numbers, ...]
    all_rows: int

    @classmethod
    def of(cls, table: Table, folds: int, most_rows: int, random_state: Any, groups: Rows | None = None) -> ContestRows:
        """Return the field of a prepared table: a sample if it has more than `most_rows` rows, split into folds.

        The folds depend on the rows and the seed, not on the order of the rows. With `groups`, the group of every
        row, the rows of a group stay in one fold.
        """
        drawn = sample_by_value_hash(table, most_rows, random_state)
        sample = table if table.n_rows <= most_rows else select_weighted_rows(table, drawn)
        weights, belong = sample.row_weights, None if groups is None else groups[drawn > 0]
        parts = split_by_value_hash(sample, folds, random_state, belong)
        used = tuple(part for part in parts if part.any() and (part < weights).any())
        return cls(sample, weights, used, table.n_rows)

    @property
    def threads(self) -> int | None:
        """How many threads are worthwhile; None for all available."""
        return 1 if self.table.n_rows < FEW_ROWS else None

    def run_trial(self, learner: Supervised, part: Numbers) -> FoldTrial | None:
        """Return the results of a learner on the fold with these test rows."""
        return _run_trial(learner, self.table, self.weights, part)


def hold_league(
    candidates: Sequence[tuple[str, Supervised]], field: ContestRows, within: float, progress: Progress | None = None
) -> Ranking:
    """Cross-validate the candidates, the simplest first, on the same folds.

    The kept one is the first whose error is at most the lowest plus `within` times its standard error.
    `progress(done, total)` is called after every trial.
    """
    pairs = [(learner, part) for _, learner in candidates for part in field.parts]
    trials: list[FoldTrial | None] = []
    for trial in map_in_order(lambda pair: field.run_trial(*pair), pairs, field.threads):
        trials.append(trial)
        if progress is not None:
            progress(len(trials), len(pairs))
    n = len(field.parts)
    entries = [_entry(*one, trials[place * n : (place + 1) * n]) for place, one in enumerate(candidates)]
    return _choose_winner(entries, field, within)


def hold_race(
    candidates: Sequence[tuple[str, Supervised]], field: ContestRows, within: float, last: Container[str] = ()
) -> Ranking:
    """Compare the learners when only the outcome is needed, which is faster.

    The learners named in `last`, which are slow, are tried last, and only until their error so far is more
    than `HOPELESS` standard errors above the limit: the others' errors are known by then. A learner that
    is abandoned has no error in the result. (Maron and Moore, Hoeffding races. NIPS 6, 1994.)
    """
    quick = [one for one in candidates if one[1].name not in last]
    league = hold_league(quick, field, within)
    known = dict(zip((name for name, _ in quick), league.entries, strict=True))
    for name, learner in candidates:
        if name not in known:
            limit = _chance(candidates, known, within)
            known[name] = _entry(name, learner, _run_trials(learner, field, limit))
    return _choose_winner([known[name] for name, _ in candidates], field, within)


def _choose_winner(entries: Sequence[Entry], field: ContestRows, within: float) -> Ranking:
    pick = _choice(entries, within)
    measure = "error rate" if entries[0].learner.target_is_classes else "mean absolute error"
    return Ranking(
        tuple(entries),
        pick.kept_index,
        pick.best,
        len(field.parts),
        within,
        measure,
        field.table.n_rows,
        field.all_rows,
    )


def _chance(candidates: Sequence[tuple[str, Supervised]], known: Mapping[str, Entry], within: float) -> float:
    """Return the error above which the next candidate cannot change the result.

    That is the lowest error, if a simpler one is close enough to it to be kept; otherwise the largest error close
    enough.
    """
    following = next(place for place, (name, _) in enumerate(candidates) if name not in known)
    entries = [known[name] for name, _ in candidates if name in known]
    pick = _choice(entries, within)
    if math.isnan(pick.limit):
        return math.inf
    simpler = any(entries[pick.kept_index].name == name for name, _ in candidates[:following])
    return entries[pick.best].error if simpler else pick.limit


def _run_trials(learner: Supervised, field: ContestRows, limit: float) -> list[FoldTrial | None]:
    """Return the trials of a learner fold by fold; None at the end if it can no longer come below the limit."""
    trials: list[FoldTrial | None] = []
    for part in field.parts:
        trials.append(field.run_trial(learner, part))
        entries = [trial for trial in trials if trial is not None]
        if len(entries) < len(trials):
            break
        error, deviation = _error(entries)
        if error - HOPELESS * deviation > limit and len(trials) < len(field.parts):
            return [*trials, None]
    return trials


def _choice(entries: Sequence[Entry], within: float) -> Pick:
    """Return which entry to keep and which is best."""
    return simplest_near_best([one.error for one in entries], [one.standard_error for one in entries], within)


def _run_trial(learner: Supervised, table: Table, weights: Numbers, test: Numbers) -> FoldTrial | None:
    """Learn from the rest of the rows and return the losses on the test rows; None if the learner fails."""
    try:
        model = learner.train(select_weighted_rows(table, weights - test))
    except HedgerowError:
        return None
    rows = np.flatnonzero(test > 0)
    losses, weight = np.minimum(_losses(model, table.take(rows)), MOST_LOSS), test[rows]
    size = math.nan if model.size is None else float(model.size)
    return FoldTrial(float(losses @ weight), float(losses**2 @ weight), float(weight.sum()), size)


def _losses(model: Model, table: Table) -> Numbers:
    """Return 1 for every incorrect class, or the absolute error of every number."""
    target = table.target
    assert isinstance(target, np.ndarray)
    if isinstance(model, ClassModel):
        return np.asarray(model.decide(table) != target, dtype=np.float64)
    assert isinstance(model, NumberModel)
    with np.errstate(over="ignore"):
        return np.asarray(np.abs(model.predict(table) - target))


def _entry(name: str, learner: Supervised, trials: Sequence[FoldTrial | None]) -> Entry:
    entries = [trial for trial in trials if trial is not None]
    if not entries or len(entries) < len(trials):
        return Entry(name, learner, math.nan, math.nan, math.nan)
    return Entry(name, learner, *_error(entries), sum(trial.size for trial in entries) / len(entries))


def _error(trials: Sequence[FoldTrial]) -> tuple[float, float]:
    """Return the mean loss of some folds and its standard error; for zeros and ones sqrt(error (1 - error) / n)."""
    loss, squares, weight = (sum(figures) for figures in list(zip(*trials, strict=True))[:3])
    error = loss / weight
    return error, math.sqrt(max(squares / weight - error**2, 0.0) / weight)
