"""The steps of Cobweb as text: for each row, the possible operations and their category utilities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.data.table.table import Table
from hedgerow.layout.names import format_level
from hedgerow.layout.numbers import format_number
from hedgerow.learn.clusters.cobweb_by_hand import CobwebAction, CobwebByHand, CobwebStep, Concept, Row, utility
from hedgerow.models.clusters.category_utility import UtilityScale
from hedgerow.models.trees.text import INDENT

MOST_ROWS = 8  # of a concept whose numbers are listed


@dataclass(frozen=True, eq=False)
class CobwebWork:
    """The rows of a table in the order in which they are added, how they are measured, and the cutoff."""

    table: Table
    measure: UtilityScale
    cutoff: float

    @cached_property
    def grown_tree(self) -> CobwebByHand:
        """The tree grown by hand, with all its steps."""
        tree = CobwebByHand(self.measure, self.cutoff)
        for row in rows_of(self.table, self.measure):
            tree.insert_row(row)
        return tree

    def __str__(self) -> str:
        lines = [f"row 1: {self._row_text(0)}", "    is the root"] if self.table.n_rows else []
        row = 0
        for step in self.grown_tree.steps:
            if step.row != row:
                row = step.row
                lines += ["", f"row {row + 1}: {self._row_text(row)}"]
            lines += self._step_lines(step)
        return "\n".join([*lines, "", "The tree:", *_tree_lines(self.grown_tree.root)])

    def _row_text(self, row: int) -> str:
        entries: dict[int, str] = {}
        columns = self.table.schema.columns
        for at in self.measure.numbers:
            value = float(self.table.numbers(at)[row])
            entries[at] = "?" if np.isnan(value) else format_number(value)
        for at in self.measure.nominal:
            code = int(self.table.codes(at)[row])
            entries[at] = "?" if code < 0 else format_level(columns[at].levels[code])
        return ", ".join(f"{columns[at].name} = {entries[at]}" for at in sorted(entries))

    def _step_lines(self, step: CobwebStep) -> Iterator[str]:
        yield f"    among {' '.join(map(_rows_text, step.candidates))}:"
        for n, choice in enumerate(step.choices):
            mark = "  <- chosen" if n == step.chosen_index else ""
            yield f"        {choice.utility:.6f}  {_step_text(choice)}{mark}"
        if step.chosen_index < 0:
            yield f"        none is above the cutoff of {self.cutoff:.6f}: a leaf"


def rows_of(table: Table, measure: UtilityScale) -> Iterator[Row]:
    """Yield the rows of a table, with repetitions of the previous row merged into it."""
    numbers, codes, weights = measure.scale_numbers(table), measure.codes(table), table.row_weights
    stored_row: Row | None = None
    for number in range(table.n_rows):
        row = Row(number, tuple(numbers[number].tolist()), tuple(codes[number].tolist()), float(weights[number]))
        if (
            stored_row is not None
            and stored_row.codes == row.codes
            and np.array_equal(stored_row.numbers, row.numbers, equal_nan=True)
        ):
            stored_row = Row(stored_row.number, stored_row.numbers, stored_row.codes, stored_row.weight + row.weight)
            continue
        if stored_row is not None:
            yield stored_row
        stored_row = row
    if stored_row is not None:
        yield stored_row


def _rows_text(rows: tuple[int, ...]) -> str:
    listed = [str(row + 1) for row in sorted(rows)[:MOST_ROWS]]
    more = len(rows) - len(listed)
    return "{" + " ".join([*listed, *([f"and {more} more"] if more else [])]) + "}"


def _step_text(choice: CobwebAction) -> str:
    about = " and ".join(map(_rows_text, choice.about))
    words = {"host": f"in {about}", "alone": "alone", "merge": f"in {about} merged", "split": f"{about} split"}
    return words[choice.name]


def _tree_lines(concept: Concept) -> Iterator[str]:
    left = [(concept, 0)]
    while left:
        one, depth = left.pop()
        worth = f"  {utility(one, one.children):.6f}" if one.children else ""
        yield f"{INDENT * depth}{_rows_text(tuple(one.rows))}{worth}"
        left += [(child, depth + 1) for child in reversed(one.children)]
