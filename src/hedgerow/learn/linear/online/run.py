"""Training on a stream of rows in order, and predicting those that have no target."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Numbers, Rows, Table, Text
from hedgerow.errors import DataError
from hedgerow.layout.numbers import format_number
from hedgerow.learn.linear.online.online_state import OnlineRows, OnlineState
from hedgerow.learn.linear.online.progressive_validation import progress_line
from hedgerow.models.linear.linear_classes import to_shares


@dataclass
class OnlineRun:
    """Processes tables in order: rows with a target are learned, others are predicted by the state at that point.

    `report` receives a line of progressive validation at doubling numbers of rows, `answer` the predictions, one line
    each.
    """

    state: OnlineState
    report: Callable[[str], None] | None = None
    answer: Callable[[list[str]], None] | None = None
    shares: bool = False  # also output the probabilities of the classes
    read: int = 0
    n_answered: int = 0
    _n_reported: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._n_reported = len(self.state.progress)

    def ready(self, table: Table) -> OnlineRows | None:
        """Return a table prepared for training, concurrently with others; None if rows lack a target."""
        return self.state.ready(table) if _has_target(table).all() else None

    def learn_table(self, table: Table, ready: OnlineRows | None = None, *, known: bool = False) -> None:
        """Process the rows of a table in order; `known` if they were learned in an earlier pass."""
        if ready is not None:
            self.state.learn_rows(ready, known=known)
            self._report()
            self.read += table.n_rows
            return
        for start, stop, has_target in _runs(_has_target(table)):
            part = table if stop - start == table.n_rows else table.slice(start, stop)
            if has_target:
                self.state.learn(part, known=known)
                self._report()
            else:
                self._answer(part)
        self.read += table.n_rows

    def _report(self) -> None:
        for line in self.state.progress[self._n_reported :]:
            if self.report is not None:
                self.report(progress_line(line, self.state.classes))
        self._n_reported = len(self.state.progress)

    def _answer(self, table: Table) -> None:
        self.n_answered += table.n_rows
        if self.answer is not None:
            self.answer(answers(self.state, table, shares=self.shares))

    def summary(self) -> str:
        """Return the progress as a sentence."""
        state = self.state
        what = "error rate" if state.is_classes else f"mean {state.rule.loss} loss"
        learned = f"{state.rows:,} row{'s' * (state.rows != 1)} processed"
        if state.rows:
            learned += f", each predicted before training on it: {what} {state.mean_error:.6f}"
        return learned + (f"; {self.n_answered:,} predicted" if self.n_answered else "")


def answers(state: OnlineState, table: Table, *, shares: bool = False) -> list[str]:
    """Return the prediction of every row: a class or a number, probabilities if requested, its tag if it has one."""
    scores = state.predict(table)
    if state.is_classes:
        out = [state.classes[code] for code in decide_rows(scores, len(state.classes)).tolist()]
        if shares:
            result = probabilities(state, scores).round(6).tolist()
            out = [f"{word} {' '.join(map(format_number, own))}" for word, own in zip(out, result, strict=True)]
    else:
        out = [f"{value:.6g}" for value in scores[:, 0].tolist()]
    tags = _tags(table)
    if tags is None:
        return out
    return [word if tag is None else f"{word} {tag}" for word, tag in zip(out, tags, strict=True)]


def decide_rows(scores: Numbers, classes: int) -> Rows:
    """Return the class of every row from the values of the functions; ties go to the first class."""
    if classes < 2:
        return np.zeros(len(scores), dtype=np.int64)
    return (scores[:, 0] > 0).astype(np.int64) if scores.shape[1] == 1 else scores.argmax(axis=1)


def probabilities(state: OnlineState, scores: Numbers) -> Numbers:
    """Return the probabilities of the classes, as computed by the state's model."""
    if len(state.classes) < 2:
        return np.ones((len(scores), len(state.classes)))
    out = np.column_stack([np.zeros(len(scores)), scores[:, 0]]) if scores.shape[1] == 1 else scores.copy()
    to_shares(out, state.link, state.temperature)
    return out


def check_classes(notes: dict[str, None], target: str | None, where: str) -> None:
    """Raise an error if a note reports an unknown class, which can neither be learned nor ignored."""
    for note in notes:
        if note.startswith(f"column {target!r}:"):
            strange = note.removeprefix(f"column {target!r}: ").split(" not seen")[0]
            raise DataError(
                f"{where}: the class {strange} of {target!r} does not occur in the first rows, from which the classes "
                "are taken; name all of them with --classes, or inspect more rows with --first"
            )


def _has_target(table: Table) -> Any:
    target = table.schema.target_column
    position = table.schema.index(target.name)
    return table.codes(position) >= 0 if target.kind is Kind.NOMINAL else ~np.isnan(table.numbers(position))


def _runs(known: Any) -> Iterator[tuple[int, int, bool]]:
    """Yield the ranges of consecutive rows of one kind."""
    if not len(known):
        return
    cuts = [0, *(np.flatnonzero(np.diff(known)) + 1).tolist(), len(known)]
    for start, stop in pairwise(cuts):
        yield start, stop, bool(known[start])


def _tags(table: Table) -> Text | None:
    for column, values in zip(table.schema.columns, table.data, strict=True):
        if column.name == "tag" and column.ignored and isinstance(values, Text):
            return values
    return None
