"""The steps of mistake-driven learners as a textbook prints them: each mistake, and the weights after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.layout.text_table import align_number_columns
from hedgerow.models.linear.text import quote_name

MOST_MISTAKES = 30  # mistakes that are printed
MOST_ROWS = 5000  # rows that are examined for them, in all passes
MOST_WEIGHTS = 12  # weights per line
MOST_PASSES = 20


@dataclass
class MistakeWork:
    """The first mistakes: pass, row, sums, the predicted and the actual class, and the weights after the change."""

    rule: Sequence[str]  # the rule as text
    classes: Sequence[str]
    names: Sequence[str]  # of the weights that `weights` gives
    weights: Callable[[Any], Numbers]  # of a state, one line per vector: one, or one per class, or plus and minus
    vectors: Sequence[str]  # the names of these lines, if there are several
    threshold: float = 0.0
    lines: list[list[str]] = field(default_factory=list)
    cut_short: bool = False
    mistakes: tuple[int, ...] = ()

    def follow(self, learner: Any, state: Any, rows: Any) -> None:
        """Process the rows one by one and record the changes, until there are enough."""
        looked, n = 0, len(rows.labels)
        order = np.arange(n)
        chance = learner.work_chance()
        self._add_change(["start", "", "", "", ""], state)
        for number in range(1, int(learner.passes) + 1):
            order = order if chance is None else chance.permutation(n)
            clean = True
            for row in order.tolist():
                if len(self.lines) > MOST_MISTAKES * len(self.vectors or [""]) or looked >= MOST_ROWS:
                    self.cut_short = True
                    return
                looked += 1
                clean &= self._show(number, row, learner, state, rows.select_row(row))
            if clean:
                return

    def _show(self, number: int, row: int, learner: Any, state: Any, only: Any) -> bool:
        """Show one row; return whether it was correct."""
        sums = learner.sums_of(state, only)
        if not only.learn(state):
            return True
        right = int(only.labels[0])
        text = (
            " and ".join(quote_name(self.classes[c]) for c in learner.predicted_classes(sums, self.threshold)) or "none"
        )
        values = " ".join(_text(value) for value in sums.tolist())
        self._add_change([str(number), str(row + 1), values, text, quote_name(self.classes[right])], state)
        return False

    def _add_change(self, cells: list[str], state: Any) -> None:
        """Add the lines of a change."""
        for place, own in enumerate(self.weights(state)):
            head = cells if place == 0 else [""] * len(cells)
            vector = [self.vectors[place]] if self.vectors else []
            self.lines.append([*head, *vector, *map(_text, own[:MOST_WEIGHTS].tolist())])

    def __str__(self) -> str:
        lines = [*self.rule, ""]
        if len(self.classes) < 2:
            return "\n".join([*lines, "There is only one class: no mistake is possible"])
        vector = ["weights"] if self.vectors else []
        names = [quote_name(name) for name in self.names[:MOST_WEIGHTS]]
        head = ["pass", "row", "sum", "said", "right", *vector, *names]
        lines += align_number_columns(head, [list(column) for column in zip(*self.lines, strict=True)])
        if self.cut_short:
            lines.append("... and so on")
        if len(self.names) > MOST_WEIGHTS:
            lines.append(f"(the first {MOST_WEIGHTS} of {len(self.names)} weights)")
        return "\n".join([*lines, "", *self._passes()])

    def _passes(self) -> list[str]:
        """Return the number of mistakes in every pass."""
        shown = [str(number) for number in self.mistakes[:MOST_PASSES]]
        more = f" ... {self.mistakes[-1]}" if len(self.mistakes) > MOST_PASSES else ""
        lines = [f"Mistakes in each pass: {' '.join(shown)}{more}"]
        passes = len(self.mistakes)
        if not self.mistakes[-1]:
            lines.append(f"Pass {passes} is the first without a mistake: done")
        else:
            lines.append(f"Ended after {passes} {'pass' if passes == 1 else 'passes'}, with mistakes remaining")
        return lines


def _text(number: float) -> str:
    return f"{number:.6g}"
