"""CbaWork: the steps of CBA: rules by precedence, the rows that each covers first, errors, and the cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Codes
from hedgerow.layout.cell_width import shorten_middle
from hedgerow.layout.names import format_level
from hedgerow.layout.numbers import format_measure, format_quantity
from hedgerow.layout.text_table import align_numbers
from hedgerow.layout.wrapping import wrap_paragraph, wrap_pieces
from hedgerow.learn.associations.class_rules import ClassRules
from hedgerow.models.base.condition import Mask, conjunction
from hedgerow.models.base.rule import format_target_class, percent_text

MOST_SHOWN = 200  # rules
MOST_ROWS = 20  # row numbers per line


@dataclass(frozen=True, eq=False)
class CbaCut:
    """The rules that CBA chose, the counts (in ticks) after each of them, and the position of the cut.

    Parameters
    ----------
    tried
        All rules that were chosen, in order.
    first
        By rule and class: the rows that no earlier rule covers.
    errors, default_errors
        After each rule: errors of the rules so far, and of the default on the remaining rows.
    defaults
        After each rule: the default class.
    size
        How many rules are kept: up to the first with the fewest errors of both.
    default
        The final default class.
    left
        By class: the rows that the default classifies.
    """

    tried_rules: Codes
    first: NDArray[np.int64]
    errors: NDArray[np.int64]
    default_errors: NDArray[np.int64]
    defaults: NDArray[np.int64]
    size: int
    default: int
    ticks_left: NDArray[np.int64]

    @classmethod
    def of(cls, cars: ClassRules, tried: Codes, first: NDArray[np.int64], heaviest: int, cut: bool = True) -> CbaCut:
        """Return the chosen rules up to the cut, or all; `heaviest` is the default where no rows remain."""
        all_rows = cars.rows.ticks_by_class()
        wrong = first.sum(axis=1) - first[np.arange(len(tried)), cars.decisions[tried]]
        left = all_rows - np.cumsum(first, axis=0)
        errors = np.cumsum(wrong)
        default_errors = left.sum(axis=1) - left.max(axis=1, initial=0)
        defaults = np.where(left.any(axis=1), left.argmax(axis=1), heaviest)
        size = int(np.argmin(errors + default_errors)) + 1 if cut and len(tried) else len(tried)
        rest = left[size - 1] if size else all_rows
        default = int(rest.argmax()) if rest.any() else heaviest
        return cls(tried, first, errors, default_errors, defaults, size, default, rest)

    @property
    def rules(self) -> Codes:
        """The rules that are kept."""
        return self.tried_rules[: self.size]

    @property
    def covered_counts(self) -> NDArray[np.int64]:
        """By kept rule and class: the rows that it classifies."""
        return self.first[: self.size]


@dataclass(frozen=True, eq=False)
class CbaWork:
    """All class association rules of a table, and what was chosen; its text shows the work.

    `cut` is what CBA chose; without it, `kept_rules` are the rules that no more general  rule precedes.
    """

    schema: Schema
    cars: ClassRules
    cut: CbaCut | None
    kept_rules: Codes | None = None

    def __str__(self) -> str:
        if not len(self.cars):
            return "No rule has the minimum support and confidence: there is only the default."
        blocks = [self._mined_text(), self._sorted()]
        blocks += [] if self.cut is None else [self._chosen_text(), self._end()]
        return "\n\n".join(blocks)

    def rule_text(self, number: int) -> str:
        """Return a rule as it prints, without statistics."""
        (body,) = self.cars.take(np.array([number])).bodies()
        text = format_target_class(self.schema.target_column, int(self.cars.decisions[number]))
        return f"if {conjunction(body)} then {text}"

    def steps(self) -> Iterator[tuple[int, list[int]]]:
        """Yield the chosen rules in order, each with the rows that it is the first to cover, counted from 0."""
        left = np.ones(len(self.cars.rows.labels), dtype=np.bool_)
        for number in [] if self.cut is None else self.cut.tried_rules.tolist():
            covered = left & self._covers(number)
            left &= ~covered
            yield number, np.flatnonzero(covered).tolist()

    def _covers(self, number: int) -> Mask:
        covered = np.ones(len(self.cars.rows.labels), dtype=np.bool_)
        for test in range(self.cars.starts[number], self.cars.starts[number + 1]):
            covered &= self.cars.rows.columns.codes[self.cars.columns[test]] == self.cars.codes[test]
        return covered

    def _mined_text(self) -> str:
        lengths, classes = self.cars.lengths, self.schema.target_column.levels
        by_length = ", ".join(f"{n:,} of {k}" for k, n in enumerate(np.bincount(lengths)) if n)
        counts = np.bincount(self.cars.decisions, minlength=len(classes)).tolist()
        by_class = ", ".join(f"{format_level(label)} {n:,}" for label, n in zip(classes, counts, strict=True) if n)
        word = "condition" if lengths.max() == 1 else "conditions"
        return "\n".join(wrap_paragraph(f"{len(self.cars):,} rules: {by_length} {word}; {by_class}"))

    def _sorted(self) -> str:
        order = self.cars.order if self.kept_rules is None else self.kept_rules
        total, rows = int(self.cars.rows.total.sum()), [["", "confidence", "support", "rule"]]
        for place, number in enumerate(order[:MOST_SHOWN].tolist(), start=1):
            hits, covered = int(self.cars.hits[number]), int(self.cars.covered[number])
            cells = [f"{place}", format_measure(hits / covered), percent_text(hits / total)]
            rows += _join_side_by_side(cells, wrap_pieces(self.rule_text(number).split(" "), 70))
        title = "Sorted by confidence, support, and order of generation"
        title += "" if self.kept_rules is None else f": {len(order):,} that do not follow a more general rule"
        more = [f"... and {len(order) - MOST_SHOWN:,} more"] if len(order) > MOST_SHOWN else []
        return "\n".join([title, *align_numbers(rows, left={3}), *more])

    def _chosen_text(self) -> str:
        cut, levels = self.cut, self.schema.target_column.levels
        assert cut is not None
        rows = [["", "rows", "errors", "default", "its errors", "total", "rule"]]
        for place, (number, covered) in zip(range(MOST_SHOWN), self.steps(), strict=False):
            wrong, rest = int(cut.errors[place]), int(cut.default_errors[place])
            n, wrongs, rests, total = map(self._amount, (int(cut.first[place].sum()), wrong, rest, wrong + rest))
            default = shorten_middle(levels[int(cut.defaults[place])], 12)
            cells = ["*" if place < cut.size else "", n, wrongs, default, rests, total]
            parts = [
                *wrap_pieces(self.rule_text(number).split(" "), 50),
                *wrap_pieces(_rows_text(covered).split(" "), 50),
            ]
            rows += _join_side_by_side(cells, parts)
        title = "Chosen in this order: correct for a row that no earlier rule covers; * marks kept rules"
        more = [f"... and {len(cut.tried_rules) - MOST_SHOWN:,} more"] if len(cut.tried_rules) > MOST_SHOWN else []
        return "\n".join([title, *align_numbers(rows, left={0, 3, 6}), *more])

    def _end(self) -> str:
        cut = self.cut
        assert cut is not None
        text = format_target_class(self.schema.target_column, cut.default)
        if not cut.size:
            return "\n".join(wrap_paragraph(f"No rules: the default is {text}"))
        errors = cut.errors + cut.default_errors
        fewest = self._amount(int(errors[cut.size - 1]))
        word = "rule" if cut.size == 1 else "rules"
        errs = "error" if fewest == "1" else "errors"
        why = (
            "the most frequent class of the remaining rows"
            if cut.ticks_left.any()
            else "no rows remain: the most frequent class of all rows"
        )
        when = "Fewest errors in training first after" if np.argmin(errors) == cut.size - 1 else "All rules are kept,"
        return "\n".join(wrap_paragraph(f"{when} {cut.size} {word}: {fewest} {errs}; default {text}, {why}"))

    def _amount(self, ticks: int) -> str:
        return format_quantity(float(self.cars.rows.ticks.weights(np.array(ticks, dtype=np.int64))))


def _rows_text(rows: list[int]) -> str:
    """Return which rows a rule is the first to cover, counted from 1."""
    shown = ", ".join(str(row + 1) for row in rows[:MOST_ROWS])
    more = f" and {len(rows) - MOST_ROWS:,} more" if len(rows) > MOST_ROWS else ""
    return f"covers {shown}{more}"


def _join_side_by_side(cells: list[str], lines: list[str]) -> list[list[str]]:
    """Return rows of a table: cells, followed by lines one below the other."""
    return [[*(cells if at == 0 else [""] * len(cells)), line] for at, line in enumerate(lines)]
