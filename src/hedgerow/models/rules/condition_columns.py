"""The conditions of rules as columns of zeros and ones, for other learners."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Rows, Table
from hedgerow.models.base.condition import LevelCodes, conjunction
from hedgerow.models.base.rule import Rule
from hedgerow.models.rules.base import RuleModel
from hedgerow.models.rules.covered_rows import RuleTests


def distinct(model: RuleModel) -> list[Rule]:
    """Return the rules of a model that differ in their conditions, in its order."""
    return list({rule.conditions: rule for rule in reversed(model.rules)}.values())[::-1]


def column_names(rules: Sequence[Rule], taken: Sequence[str] = ()) -> list[str]:
    """Return a name for the column of each rule: its conditions as they print, marked where that is taken."""
    names, known = [], set(taken)
    for rule in rules:
        name = conjunction(rule.conditions)
        while name in known:
            name += "'"
        known.add(name)
        names.append(name)
    return names


def iterate_covered_rows(rules: Sequence[Rule], model: RuleModel, table: Table) -> Iterator[tuple[int, int, Rows]]:
    """Yield the start of a part of an aligned table, a rule's number, and the rows of the part that it covers."""
    tests = RuleTests(rules, model.schema, LevelCodes(model.schema))
    for start, block in tests.blocks(table):
        for number, rows in enumerate(tests.iterate_covered_rows(block)):
            yield start, number, rows


def rule_array(rules: Sequence[Rule], model: RuleModel, table: Table) -> NDArray[np.float64]:
    """Return one column per rule, 1 where it covers a row of an aligned table."""
    out = np.zeros((table.n_rows, len(rules)))
    for start, number, rows in iterate_covered_rows(rules, model, table):
        out[start + rows, number] = 1.0
    return out


def rule_matrix(rules: Sequence[Rule], model: RuleModel, table: Table) -> Any:
    """Return the same as a sparse matrix (scipy's, by rows)."""
    from scipy.sparse import csr_matrix

    parts = [(start + rows, number) for start, number, rows in iterate_covered_rows(rules, model, table) if len(rows)]
    rows = np.concatenate([rows for rows, _ in parts]) if parts else np.empty(0, dtype=np.int64)
    columns = np.repeat([number for _, number in parts], [len(rows) for rows, _ in parts]).astype(np.int64)
    return csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(table.n_rows, len(rules)))


def with_rule_columns(table: Table, names: Sequence[str], values: NDArray[np.float64]) -> Table:
    """Return a table with these numeric columns after its own."""
    for number, name in enumerate(names):
        table = table.with_column(Column(name, Kind.NUMERIC), np.ascontiguousarray(values[:, number]))
    return table
