"""Which of many rules on one column decides: looked up in one pass over the rows, as 1R's lists may be long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.models.base.condition import Condition, LevelCodes, Operator

NumberedRules = Sequence[tuple[int, tuple[Condition, ...]]]  # rules by their number, as conditions
Lookup = Callable[[Table, Rows], Codes]


def single_tested_column(conditions: Sequence[Condition], schema: Schema) -> str | None:
    """Return the column that a rule can be looked up by: it tests no other, and a nominal one only once."""
    names = {condition.column for condition in conditions}
    if len(names) != 1:
        return None
    name = names.pop()
    kind = schema[name].kind
    if kind is Kind.NUMERIC or (kind is Kind.NOMINAL and len(conditions) == 1):
        return name
    return None


def lookup(column: str, rules: NumberedRules, schema: Schema, codes: LevelCodes, default: int) -> Lookup:
    """Return a function that gives the number of the first rule that covers each of some rows, or `default`."""
    position = schema.index(column)
    if schema[column].kind is Kind.NOMINAL:
        first = _rule_of_level(rules, codes[column], default)
        return lambda table, rows: first[table.codes(position)[rows]]
    cuts = np.unique([c.threshold for _, conditions in rules for c in conditions if c.operator is not Operator.MISSING])
    by_place = _rule_of_interval(rules, cuts, default)
    return lambda table, rows: by_place[_find_intervals(table.numbers(position)[rows], cuts)]


def _rule_of_level(rules: NumberedRules, codes: dict[str, int], default: int) -> Codes:
    """Return the first rule for each level and, last, for the missing value."""
    first = np.full(len(codes) + 1, default, dtype=np.int32)
    for number, (condition,) in rules:
        is_one = condition.operator is Operator.IS
        hit: int | NDArray[np.bool_] = codes[condition.levels[0]] if is_one else condition.hits(codes)
        first[hit] = np.minimum(first[hit], number)
    return first


def _rule_of_interval(rules: NumberedRules, cuts: Numbers, default: int) -> Codes:
    """Return the first rule for each position on the number line.

    Place 2 i is the gap before cut i, position 2 i + 1 the cut itself, the last but one the gap behind all cuts, the
    last the missing value. A rule covers a stretch of positions, since its conditions are half-lines.
    """
    first = np.full(2 * len(cuts) + 2, default, dtype=np.int32)
    for number, conditions in rules:
        stretch = first[_interval_slice(conditions, cuts)]
        np.minimum(stretch, number, out=stretch)
    return first


def _interval_slice(conditions: Iterable[Condition], cuts: Numbers) -> slice:
    missing = 2 * len(cuts) + 1
    low, high = 0, missing + 1
    for condition in conditions:
        if condition.operator is Operator.MISSING:
            low = missing
            continue
        high = min(high, missing)  # a missing value fails every comparison
        cut = 2 * int(np.searchsorted(cuts, condition.threshold)) + 1
        match condition.operator:
            case Operator.AT_MOST:
                high = min(high, cut + 1)
            case Operator.BELOW:
                high = min(high, cut)
            case Operator.ABOVE:
                low = max(low, cut + 1)
            case Operator.AT_LEAST:
                low = max(low, cut)
    return slice(low, max(low, high))


def _find_intervals(values: Numbers, cuts: Numbers) -> Rows:
    if not len(cuts):
        return np.isnan(values).astype(np.int64)
    after = np.searchsorted(cuts, values)
    is_cut = cuts[np.minimum(after, len(cuts) - 1)] == values
    return np.where(np.isnan(values), 2 * len(cuts) + 1, 2 * after + is_cut)
