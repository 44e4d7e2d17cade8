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

    `tell` receives a line of progressive validation at doubling numbers of rows, `answer` the predictions, one line
    each.
    """

    state: OnlineState
    tell: Callable[[str], None] | None = None
    answer: Callable[[list[str]], None] | None = None
    shares: bool = False  # also output the probabilities of the classes
    read: int = 0
    answered: int = 0
    _told: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._told = len(self.state.progress)

    def ready(self, table: Table) -> OnlineRows | None:
        """Return a table prepared for training, concurrently with others; None if rows lack a target."""
        return self.state.ready(table) if _has_target(table).all() else None

    def take(self, table: Table, ready: OnlineRows | None = None, *, known: bool = False) -> None:
        """Process the rows of a table in order; `known` if they were learned in an earlier pass."""
        if ready is not None:
            self.state.take(ready, known=known)
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
        for line in self.state.progress[self._told :]:
            if self.tell is not None:
                self.tell(progress_line(line, self.state.classes))
        self._told = len(self.state.progress)

    def _answer(self, table: Table) -> None:
        self.answered += table.n_rows
        if self.answer is not None:
            self.answer(answers(self.state, table, shares=self.shares))

    def summary(self) -> str:
        """Return the progress as a sentence."""
        state = self.state
        what = "error rate" if state.is_classes else f"mean {state.rule.loss} loss"
        learned = f"{state.rows:,} row{'s' * (state.rows != 1)} processed"
        if state.rows:
            learned += f", each predicted before training on it: {what} {state.mean_error:.6f}"
        return learned + (f"; {self.answered:,} predicted" if self.answered else "")


def answers(state: OnlineState, table: Table, *, shares: bool = False) -> list[str]:
    """Return the prediction of every row: a class or a number, probabilities if requested, its tag if it has one."""
    said = state.predict(table)
    if state.is_classes:
        out = [state.classes[code] for code in decided(said, len(state.classes)).tolist()]
        if shares:
            found = probabilities(state, said).round(6).tolist()
            out = [f"{word} {' '.join(map(format_number, own))}" for word, own in zip(out, found, strict=True)]
    else:
        out = [f"{value:.6g}" for value in said[:, 0].tolist()]
    tags = _tags(table)
    if tags is None:
        return out
    return [word if tag is None else f"{word} {tag}" for word, tag in zip(out, tags, strict=True)]


def decided(said: Numbers, classes: int) -> Rows:
    """Return the class of every row from the values of the functions; ties go to the first class."""
    if classes < 2:
        return np.zeros(len(said), dtype=np.int64)
    return (said[:, 0] > 0).astype(np.int64) if said.shape[1] == 1 else said.argmax(axis=1)


def probabilities(state: OnlineState, said: Numbers) -> Numbers:
    """Return the probabilities of the classes, as computed by the state's model."""
    if len(state.classes) < 2:
        return np.ones((len(said), len(state.classes)))
    out = np.column_stack([np.zeros(len(said)), said[:, 0]]) if said.shape[1] == 1 else said.copy()
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
