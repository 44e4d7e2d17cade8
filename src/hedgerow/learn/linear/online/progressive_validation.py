"""Progressive validation: every row is predicted before it is used in training."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hedgerow.data.table.table import Codes, Numbers
from hedgerow.learn.calibrate import RunningTemperature

MANY_CHANGES = 30  # expected changes of class from which a low number is reported
SELDOM = 4  # ratio to the number of class changes expected by chance
HEAD = ("rows", "mean loss", "since last", "target", "predicted")
WIDTHS = (12, 11, 11, 12, 12)


@dataclass(frozen=True)
class Progress:
    """The progress after some rows: their weight, the mean loss since the last line and in total, and the last row.

    The loss is the rule's for numbers, and 1 for a mistake for classes.
    """

    rows: int
    weight: float
    since: float
    overall: float
    target: float  # a number, or the code of a class
    said: float


class ClassRuns:
    """How often the class changes from one row to the next, compared with shuffled rows."""

    def __init__(self) -> None:
        self.changes = 0
        self.counts: dict[str, int] = {}
        self._last: str | None = None

    def count(self, codes: Codes, classes: tuple[str, ...]) -> None:
        """Count some more rows."""
        if not len(codes):
            return
        self.changes += int(np.count_nonzero(codes[1:] != codes[:-1]))
        self.changes += self._last is not None and self._last != classes[codes[0]]
        self._last = classes[codes[-1]]
        for code, n in enumerate(np.bincount(codes, minlength=len(classes)).tolist()):
            if n:
                self.counts[classes[code]] = self.counts.get(classes[code], 0) + n

    @property
    def expected(self) -> float:
        """How many changes shuffled rows would have on average: (n^2 - the sum of n_c^2) / n."""
        n = sum(self.counts.values())
        return (n - sum(own * own for own in self.counts.values()) / n) if n else 0.0

    def notes(self) -> list[str]:
        """Return the sentence on rows that are sorted by class, if they seem to be."""
        if self.expected < MANY_CHANGES or self.changes > self.expected / SELDOM:
            return []
        n = sum(self.counts.values())
        note = (
            f"the rows seem to be sorted by class: in {n:,} rows it changes {self.changes:,} times, but about "
            f"{round(self.expected):,} times are expected in shuffled rows; online training needs shuffled rows, so "
            "shuffle them"
        )
        return [note]

    def to_dict(self) -> dict[str, Any]:
        """Return all counts as JSON values."""
        return {"changes": self.changes, "counts": [list(pair) for pair in self.counts.items()], "last": self._last}

    @classmethod
    def from_dict(cls, parts: Any) -> ClassRuns:
        """Build from `to_dict`'s values; inconsistent parts raise an error."""
        class_runs = cls()
        class_runs.changes, class_runs._last = int(parts["changes"]), parts["last"]
        class_runs.counts = {str(name): int(n) for name, n in parts["counts"]}
        return class_runs


class ProgressiveValidation:
    """Statistics of the predictions made before training on each row; and progress at doubling numbers of rows."""

    def __init__(self) -> None:
        self.rows = 0  # learned, every pass counted
        self.weight = 0.0
        self.loss = 0.0  # summed by weight
        self.mistakes = 0.0
        self.first = (0, 0.0, 0.0, 0.0)  # rows, weight, mistakes and loss of rows seen for the first time
        self.lines: list[Progress] = []
        self._since = (0.0, 0.0)  # weight and mistakes at the last line
        self._heat = RunningTemperature()
        self.runs = ClassRuns()

    def count(
        self,
        losses: Numbers,
        errors: Numbers,
        weights: Numbers,
        actual: Numbers,
        predictions: Numbers,
        *,
        known: bool = False,
    ) -> None:
        """Count rows in their order: their losses, errors and weights, the actual and the predicted values.

        Rows that are `known` were learned before: their predictions are not a validation.
        """
        summed, weighed = np.cumsum(errors * weights), np.cumsum(weights)
        due = 1 << self.rows.bit_length()
        while due <= self.rows + len(errors):
            at = due - self.rows - 1
            weight, mistakes = self.weight + float(weighed[at]), self.mistakes + float(summed[at])
            apart = weight - self._since[0]  # 0 for weights that vanish relative to the previous ones
            since = (mistakes - self._since[1]) / apart if apart > 0 else 0.0
            self.lines.append(
                Progress(due, weight, since, mistakes / weight, float(actual[at]), float(predictions[at]))
            )
            self._since = (weight, mistakes)
            due *= 2
        self.rows += len(errors)
        self.weight += float(weighed[-1]) if len(weighed) else 0.0
        self.mistakes += float(summed[-1]) if len(summed) else 0.0
        self.loss += float(losses @ weights)
        if not known:
            rows, weight, mistakes, loss = self.first
            sums = float(weights.sum()), float(errors @ weights), float(losses @ weights)
            self.first = (rows + len(errors), weight + sums[0], mistakes + sums[1], loss + sums[2])

    @property
    def mean_loss(self) -> float:
        """Mean loss of the rule, summed over functions; NaN without rows."""
        return self.loss / self.weight if self.weight > 0 else float("nan")

    @property
    def mean_error(self) -> float:
        """Mean loss of numbers, share of mistakes of classes; NaN without rows."""
        return self.mistakes / self.weight if self.weight > 0 else float("nan")

    def warm(self, predictions: Numbers, codes: Codes, weights: Numbers) -> None:
        """Count scores predicted before training, for the temperature."""
        full = (
            np.column_stack([np.zeros(len(predictions)), predictions[:, 0]])
            if predictions.shape[1] == 1
            else predictions
        )
        self._heat.count(full, codes, weights)

    @property
    def temperature(self) -> float:
        """The divisor of scores for the best probabilities; 1 without scores."""
        return self._heat.value

    def to_dict(self) -> dict[str, Any]:
        """Return all counts as JSON values and arrays."""
        return {
            "counts": [self.rows, self.weight, self.loss, self.mistakes, *self._since],
            "first": list(self.first),
            "runs": self.runs.to_dict(),
            "progress": [list(asdict(line).values()) for line in self.lines],
            "heat": self._heat.losses.copy(),
        }

    @classmethod
    def from_dict(cls, parts: Any) -> ProgressiveValidation:
        """Build from `to_dict`'s values; inconsistent parts raise an error."""
        progressive_validation = cls()
        rows, *figures = parts["counts"]
        progressive_validation.rows = int(rows)
        progressive_validation.weight, progressive_validation.loss, progressive_validation.mistakes, *since = map(
            _figure, figures
        )
        progressive_validation._since = (since[0], since[1])
        first = parts["first"]
        progressive_validation.first = (int(first[0]), _figure(first[1]), _figure(first[2]), _figure(first[3]))
        if progressive_validation.rows < progressive_validation.first[0] or progressive_validation.first[0] < 0:
            raise ValueError("its numbers of rows are impossible")
        progressive_validation.runs = ClassRuns.from_dict(parts["runs"])
        progressive_validation.lines = [Progress(int(rows), *map(_figure, line)) for rows, *line in parts["progress"]]
        heat = np.array(parts["heat"], dtype=np.float64)
        if heat.shape != progressive_validation._heat.losses.shape or not np.isfinite(heat).all():
            raise ValueError("its temperatures are invalid")
        progressive_validation._heat.losses = heat
        return progressive_validation


def _figure(value: Any) -> float:
    if type(value) not in (int, float) or not abs(value) < np.inf:
        raise ValueError(f"{value!r} is not a finite number")
    return float(value)


# -- as text --------------------------------------------------------------------------------------------------


def progress_head() -> str:
    """Return the head of the lines of progressive validation."""
    return "".join(word.rjust(width) for word, width in zip(HEAD, WIDTHS, strict=True))


def progress_line(line: Progress, classes: tuple[str, ...]) -> str:
    """Return a line of progressive validation."""
    *figures, target, predicted = _cells(line, classes)
    cells = [*figures, f" {_short(target)}", f" {_short(predicted)}"]
    return "".join(cell.rjust(width) for cell, width in zip(cells, WIDTHS, strict=True))


def progress_table(lines: list[Progress], classes: tuple[str, ...]) -> list[str]:
    """Return all lines with their header, at full width."""
    rows = [list(HEAD), *(_cells(line, classes) for line in lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


def _cells(line: Progress, classes: tuple[str, ...]) -> list[str]:
    ends = [classes[int(value)] if classes else f"{value:.4g}" for value in (line.target, line.said)]
    return [f"{line.rows}", f"{line.overall:.6f}", f"{line.since:.6f}", *ends]


def _short(word: str, most: int = 10) -> str:
    return word if len(word) <= most else f"{word[: most - 1]}…"
