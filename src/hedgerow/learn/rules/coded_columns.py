"""Columns as codes for learners that test nominal columns only: numbers become intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hedgerow.data.design.class_counts import value_counts
from hedgerow.data.design.discretize import Discretizer, interval_codes
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.models.base.condition import Condition, Operator


@dataclass(frozen=True, eq=False)
class EncodedColumns:
    """Columns that rules may test, each as codes, and the conditions for every code.

    A code of a number represents an interval, which takes two conditions unless it is open at an end.
    """

    columns: tuple[str, ...]
    codes: tuple[Codes, ...]
    conditions: tuple[tuple[tuple[Condition, ...], ...], ...]

    @classmethod
    def of(cls, table: Table, positions: Sequence[int], how: Discretizer) -> EncodedColumns:
        """Return columns of a table; numeric ones without cut points are left out."""
        target = table.schema.target_column
        labels, classes = table.codes(table.schema.index(target.name)), len(target.levels)
        names: list[str] = []
        codes: list[Codes] = []
        conditions: list[tuple[tuple[Condition, ...], ...]] = []
        for position in positions:
            column = table.schema.columns[position]
            if column.kind is Kind.NOMINAL:
                codes.append(table.codes(position))
                conditions.append(tuple((Condition(column.name, Operator.IS, level),) for level in column.levels))
            else:
                values = table.numbers(position)
                cuts = how.cuts(value_counts(values, labels, table.weights, classes))
                if not len(cuts):
                    continue
                codes.append(interval_codes(values, cuts))
                conditions.append(intervals(column, cuts))
            names.append(column.name)
        return cls(tuple(names), tuple(codes), tuple(conditions))

    @property
    def levels(self) -> list[int]:
        """How many codes each column has."""
        return [len(conditions) for conditions in self.conditions]


def intervals(column: Column, cuts: Numbers) -> tuple[tuple[Condition, ...], ...]:
    """Return the conditions of every interval between cuts, in their order."""

    def bound(operator: Operator, cut: float) -> tuple[Condition, ...]:
        return (Condition(column.name, operator, cut),) if np.isfinite(cut) else ()

    bounds = [-np.inf, *cuts.tolist(), np.inf]
    return tuple((*bound(Operator.ABOVE, low), *bound(Operator.AT_MOST, high)) for low, high in pairwise(bounds))
