"""Which rows each of many rules covers: tests are prepared once, and shared tests are computed once per block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Rows, Table
from hedgerow.models.base.condition import COMPARISONS, Condition, LevelCodes, Mask, terms_of_conditions
from hedgerow.models.base.rule import Rule
from hedgerow.models.base.term_hits import TermHits

BLOCK = 1 << 14  # rows per block: their masks and sums stay in the cache
MOST_KEPT = 1 << 12  # masks of a block, 64 MB


class RowBlock(NamedTuple):
    """A block of rows: the arrays of columns by name, and which rows contain which terms."""

    rows: Table
    values: dict[str, NDArray[Any]]
    hits: TermHits


Test = Callable[[RowBlock], Mask]


class RuleTests:
    """The tests of some rules over one schema."""

    def __init__(self, rules: Sequence[Rule], schema: Schema, codes: LevelCodes) -> None:
        uses = Counter(condition for rule in rules for condition in rule.conditions)
        self._tests = [_test(condition, schema, codes) for condition in uses]
        numbers = {condition: number for number, condition in enumerate(uses)}
        self._rules = [[numbers[condition] for condition in rule.conditions] for rule in rules]
        self._kept = {numbers[condition] for condition, n in uses.most_common(MOST_KEPT) if n > 1}
        self._terms = terms_of_conditions(uses)
        self._columns = {condition.column: schema.index(condition.column) for condition in uses}

    def blocks(self, table: Table) -> Iterator[tuple[int, Table]]:
        """Yield an aligned table in parts, each with the row it starts at."""
        for start in range(0, table.n_rows, BLOCK):
            yield start, table.slice(start, min(start + BLOCK, table.n_rows))

    def iterate_covered_rows(self, rows: Table) -> Iterator[Rows]:
        """Yield the rows that each rule covers, in the order of the rules."""
        values = {
            name: held for name, place in self._columns.items() if isinstance(held := rows.values(place), np.ndarray)
        }
        block = RowBlock(rows, values, TermHits(rows, self._terms))
        masks: dict[int, Mask] = {}
        for first, *others in self._rules:
            covered = self._mask(first, block, masks)
            for number in others:
                covered = covered & self._mask(number, block, masks)
            yield covered.nonzero()[0]

    def _mask(self, number: int, block: RowBlock, masks: dict[int, Mask]) -> Mask:
        if number in masks:
            return masks[number]
        mask = self._tests[number](block)
        if number in self._kept:
            masks[number] = mask
        return mask


def _test(condition: Condition, schema: Schema, codes: LevelCodes) -> Test:
    """Return a function that tests the rows of a block."""
    name = condition.column
    if schema[name].kind is Kind.NOMINAL:
        hits = condition.hits(codes[name])
        return lambda block: hits.take(block.values[name])  # -1, the missing value, takes the last
    if condition.operator in COMPARISONS:
        compare, threshold = COMPARISONS[condition.operator], condition.threshold
        return lambda block: compare(block.values[name], threshold)
    return lambda block: condition.covers(block.rows, None, codes, block.hits)
