"""The kernels' side of RIPPER: a table prepared once, on which any number of rules can be grown and evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.rows.hashing import STEP
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Codes, Numbers, Table, Text
from hedgerow.data.table.threads import n_threads
from hedgerow.data.text.terms import Terms, terms_of
from hedgerow.errors import DataError
from hedgerow.learn.arrays import column_arrays
from hedgerow.learn.rules.user_constraints import RuleConstraints
from hedgerow.learn.sampling import copies, row_hashes, seed_number
from hedgerow.models.base.condition import COMPARISONS, Condition, Operator

Positions = NDArray[np.uint32]  # of rows, ascending
Sides = NDArray[np.uint8]  # for each row of the table whether it is of the class

MOST_ROWS = 2**31 - 1  # limit of the kernels' indices
_TESTS = (Operator.AT_MOST, Operator.ABOVE, Operator.IS, Operator.CONTAINS)  # as the kernels number them


@dataclass(frozen=True, eq=False)
class RuleBody:
    """The conditions of a rule in the kernels' form: columns, tests, and thresholds or codes."""

    columns: NDArray[np.int32]
    tests: NDArray[np.uint8]
    values: Numbers

    def __len__(self) -> int:
        return len(self.columns)

    def __add__(self, more: RuleBody) -> RuleBody:
        columns, tests = np.append(self.columns, more.columns), np.append(self.tests, more.tests)
        return RuleBody(columns, tests, np.append(self.values, more.values))

    def is_same(self, other: RuleBody) -> bool:
        """Return whether the conditions are the same, in the same order."""
        return [part.tolist() for part in self.arrays] == [part.tolist() for part in other.arrays]

    def first(self, length: int) -> RuleBody:
        """Return the first conditions."""
        return self.select_conditions(list(range(length)))

    def select_conditions(self, places: list[int]) -> RuleBody:
        """Return the conditions at these positions."""
        at = np.array(places, dtype=np.intp)
        return RuleBody(self.columns[at], self.tests[at], self.values[at])

    def tightest(self) -> RuleBody:
        """Return the conditions without those that a later one, the same way on the same column, makes superfluous."""
        keys = list(zip(self.columns.tolist(), self.tests.tolist(), strict=True))
        last = {key: place for place, key in enumerate(keys)}
        keeps = [place for place, key in enumerate(keys) if _TESTS[key[1]] not in COMPARISONS or last[key] == place]
        return self if len(keeps) == len(self) else self.select_conditions(keeps)

    @property
    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.uint8], Numbers]:
        """The parts in the kernels' form."""
        return self.columns, self.tests, self.values


EMPTY = RuleBody(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint8), np.zeros(0))


@dataclass(frozen=True, eq=False)
class RuleSample:
    """Some rows and the weights of all rows of the table in the sample; no weights if each weighs 1."""

    rows: Positions
    weights: Numbers

    def weigh(self, rows: Positions) -> Numbers:
        """Return the weight of some rows."""
        return self.weights[rows] if len(self.weights) else np.ones(len(rows))

    def select_rows(self, rows: Positions) -> RuleSample:
        """Return the sample of fewer rows."""
        return RuleSample(rows, self.weights)


def remove_rows(rows: Positions, gone: Positions) -> Positions:
    """Return those of the rows that are not gone."""
    left: Positions = _kernels.subtract_rows(rows, gone)
    return left


class RuleRows:
    """The columns of a table, sorted or coded, its classes and weights; rules are grown on some of its rows.

    `n_conditions` is how many conditions there are to choose from: the levels that occur, two for every gap between
    neighboring values, and the terms of texts. Columns of one value offer none.
    """

    def __init__(self, table: Table, limits: RuleConstraints, random_state: Any, min_weight: float) -> None:
        if table.n_rows > MOST_ROWS:
            raise DataError(f"rules can be learned from at most {MOST_ROWS} rows, not {table.n_rows}; use a sample")
        self.table, self.schema = table, table.schema
        target = self.schema.target_column
        self.n_classes = len(target.levels)
        self.classes: Codes = table.codes(self.schema.index(target.name))
        self.weights: Numbers = np.ascontiguousarray(table.row_weights, dtype=np.float64)
        self.kernel_weights = np.zeros(0) if (self.weights == 1).all() else self.weights  # none if each row weighs 1
        predictors = self.schema.predictors
        places = sorted(range(len(predictors)), key=lambda place: self._is_text(predictors[place]))
        self.predictors = [predictors[place] for place in places]  # texts last, as the kernels have them
        self.allowed = np.where(limits.allowed, limits.directions, 0).astype(np.uint8)[places]
        self._terms = self._testable_terms(min_weight)
        self.columns = self._columns()
        self.n_conditions = self._count_conditions()
        self._seed = seed_number(random_state)
        hashed = row_hashes(table)
        self._pool = copies(table, hashed)
        self._keys = self._copy_keys(hashed[self._pool.rows])
        self._strata = np.ascontiguousarray(self.classes[self._pool.rows])

    def _is_text(self, position: int) -> bool:
        return self.schema.columns[position].kind is Kind.TEXT

    def _testable_terms(self, min_weight: float) -> list[Terms]:
        """Return the terms of each text column that are in rows of the smallest weight, but not in all rows."""
        result_terms = []
        for position in self.predictors:
            text = self.table.values(position)
            if isinstance(text, Text):
                terms = terms_of(text)
                weights = np.bincount(terms.ids, self.weights[terms.entry_rows], len(terms.vocabulary))
                result_terms.append(terms.select((weights >= min_weight) & (terms.row_counts < self.table.n_rows)))
        return result_terms

    def _columns(self) -> Any:
        arrays, levels = column_arrays(self.table, self.predictors[: len(self.predictors) - len(self._terms)])
        terms = [(each.row_starts, each.ids, len(each.vocabulary)) for each in self._terms]
        return _kernels.RuleColumns(arrays, levels, terms, self.table.n_rows, n_threads())

    def _count_conditions(self) -> int:
        total = 0
        pairs = zip(self.predictors, self.columns.count_distinct().tolist(), self.allowed.tolist(), strict=True)
        for position, distinct, allowed in pairs:
            kind = self.schema.columns[position].kind
            offered = distinct if kind is Kind.TEXT or (kind is Kind.NOMINAL and distinct > 1) else 0
            if kind is Kind.NUMERIC:
                offered = allowed.bit_count() * max(distinct - 1, 0)
            total += offered if allowed else 0
        return total

    def _copy_keys(self, hashed: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return a number for each copy that depends on the values of its row; equal rows have different ones."""
        order = self._pool.order
        ordered = hashed[order]
        starts = np.append(True, ordered[1:] != ordered[:-1])
        place = np.arange(len(order))
        twins = place - np.maximum.accumulate(np.where(starts, place, 0))  # how many equal ones stand before
        keys = np.empty(len(order), dtype=np.uint64)
        keys[order] = ordered + twins.astype(np.uint64) * STEP
        return keys

    # -- samples --------------------------------------------------------------------------------------------

    def full_sample(self, rows: Positions) -> RuleSample:
        """Return rows with the weights that they have."""
        return RuleSample(rows, self.kernel_weights)

    def split(self, rows: Positions, folds: int, number: int) -> tuple[RuleSample, RuleSample]:
        """Return rows to grow on and to prune on: of every class one part of `folds` is to prune on.

        The parts depend on the values of the rows and the `number` of the split, not on the order of the rows. Where
        weights are whole, each row is dealt out as so many rows as it weighs.
        """
        seed = (self._seed + number * int(STEP)) % 2**64
        arguments = (self._keys, self._strata, self.n_classes, folds, seed)
        if self._pool.is_rows:
            grow, check = _kernels.split_by_strata(rows, *arguments)
            return self.full_sample(grow), self.full_sample(check)
        is_open = np.zeros(self.table.n_rows, dtype=np.bool_)
        is_open[rows] = True
        grow, check = _kernels.split_by_strata(np.flatnonzero(is_open[self._pool.rows]).astype(np.uint32), *arguments)
        return self._part(self._pool.rows[grow]), self._part(self._pool.rows[check])

    def _part(self, rows: NDArray[np.int64]) -> RuleSample:
        weights = np.bincount(rows, minlength=self.table.n_rows).astype(np.float64)
        return RuleSample(np.flatnonzero(weights).astype(np.uint32), weights)

    # -- rules ----------------------------------------------------------------------------------------------

    def grow(self, sample: RuleSample, positive: Sides, min_weight: float, max_length: int) -> RuleBody:
        """Return the conditions of the best gain, one after another; see kernels/rules/grow.hpp."""
        arguments = (sample.rows, positive, sample.weights, self.allowed)
        return RuleBody(*_kernels.grow_rule(self.columns, *arguments, min_weight, max_length))

    def covered_rows(self, body: RuleBody, rows: Positions) -> Positions:
        """Return those of the rows that pass all conditions."""
        found: Positions = _kernels.find_covered(self.columns, body.arrays, rows)
        return found

    def count_passed(self, body: RuleBody, rows: Positions) -> Positions:
        """Return how many conditions each row passes before the first that it fails."""
        found: Positions = _kernels.count_passed_conditions(self.columns, body.arrays, rows)
        return found

    def weights_by_length(self, body: RuleBody, sample: RuleSample, positive: Sides) -> tuple[Numbers, Numbers]:
        """Return the weight of the class and of others that the first 0, 1, 2, ... conditions cover."""
        p, n = _kernels.weigh_prefixes(self.columns, body.arrays, sample.rows, positive, sample.weights)
        return p, n

    def class_weights(self, rows: Positions) -> tuple[float, ...]:
        """Return the weight of rows by class."""
        return tuple(np.bincount(self.classes[rows], self.weights[rows], self.n_classes).tolist())

    def conditions(self, body: RuleBody) -> tuple[Condition, ...]:
        """Return the conditions as people read them: the two bounds of a column side by side."""
        conditions = [self.condition(*part) for part in zip(*body.arrays, strict=True)]
        first = {one.column: place for place, one in reversed(list(enumerate(conditions)))}
        return tuple(sorted(conditions, key=lambda one: (first[one.column], one.operator is Operator.AT_MOST)))

    def condition(self, number: int, test: int, value: float) -> Condition:
        """Return a condition that the kernels hold."""
        column = self.schema.columns[self.predictors[number]]
        operator = _TESTS[test]
        if operator is Operator.IS:
            return Condition(column.name, operator, column.levels[int(value)])
        if operator is Operator.CONTAINS:
            terms = self._terms[number - (len(self.predictors) - len(self._terms))]
            return Condition(column.name, operator, terms.words[int(value)])
        return Condition(column.name, operator, float(value))
