"""Fitted attributes with a column for every feature of the input, as scikit-learn's feature selection expects them.

A design has no positions for columns without information, such as constant ones, and two for numbers that may be
missing (data/design). In `coef_`, `support_vectors_` and `cluster_centers_` every numeric feature has exactly one
column, in the order of the input; a nominal feature has a column for each level that has a position, a text one for
each term, and either has one column if it has no position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.data.design.blocks import ColumnBlock, LevelBlock, NumberBlock
from hedgerow.data.design.design import Design
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Numbers, Rows, Table
from hedgerow.learn.params import fitted_attribute
from hedgerow.learn.prepare import has_target

if TYPE_CHECKING:
    from hedgerow.learn.base import Learner as Beside
else:
    Beside = object

NOWHERE = -1  # the position of a feature that has none


class FeatureColumns(Beside):
    """Learners whose fitted attributes have a column for every feature; a mixin."""

    _learned_rows: Rows = fitted_attribute()  # the training rows of the input
    _constants: dict[str, float] = (
        fitted_attribute()
    )  # of features without a position in the design: their only number, or NaN

    def _set_table_attributes(self, table: Table) -> None:
        """Store which rows were used in training, and the numbers of features that the model leaves out."""
        super()._set_table_attributes(table)
        learned = table.row_weights > 0
        if self.target_is_classes is not None:
            learned &= has_target(table)
        self._learned_rows = np.flatnonzero(learned)
        placed = positions_by_column(self._design())
        left_out = (c for c in table.schema.columns if c.name not in placed and c.name != table.schema.target)
        self._constants = {column.name: _only_number(table, column, self._learned_rows) for column in left_out}

    def _design(self) -> Design:
        """Return the design of the fitted model."""
        raise NotImplementedError

    def _to_feature_columns(self, matrix: Any, constants: bool) -> Any:
        """Return a matrix (lines, positions) converted to one with the columns of the features.

        Those without a position hold 0, or their only number with `constants`.
        """
        placed, places, other = positions_by_column(self._design()), [], []
        for name in self._fit_schema.names:
            own = placed.get(name, [NOWHERE])
            places += own
            other += [self._constants[name] if constants and name not in placed else 0.0] * len(own)
        return _select_positions(matrix, np.array(places), np.array(other))


def positions_by_column(design: Design) -> dict[str, list[int]]:
    """Return the positions of each column that has any, except that of missing values."""
    spans = zip(design.used_blocks, design.starts, strict=False)
    result = {
        design.schema.names[i]: list(range(start, start + _width_without_missing(part))) for (i, part), start in spans
    }
    return {name: places for name, places in result.items() if places}


def _width_without_missing(part: ColumnBlock) -> int:
    """Return how many positions of a part are not for missing values, which come last."""
    return part.width - int(isinstance(part, NumberBlock | LevelBlock) and part.gaps)


def _only_number(table: Table, column: Column, rows: Rows) -> float:
    """Return the number that some rows all have in a column, 1 for a level; NaN if they have none or several."""
    if column.kind not in (Kind.NUMERIC, Kind.NOMINAL):
        return 0.0
    values = np.asarray(table[column.name])[rows]
    known = values[~np.isnan(values)] if column.kind is Kind.NUMERIC else values[values >= 0]
    if not len(known) or (known != known[0]).any():
        return float("nan")
    return float(known[0]) if column.kind is Kind.NUMERIC else 1.0


def _select_positions(matrix: Any, places: Rows, other: Numbers) -> Any:
    """Return the columns of a matrix at some positions, and numbers from `other` where there is no position."""
    has = places != NOWHERE
    if isinstance(matrix, np.ndarray):
        out = np.tile(other, (len(matrix), 1))
        out[:, has] = matrix[:, places[has]]
        return out
    from scipy.sparse import csr_array

    at = np.flatnonzero(has)
    choice = csr_array((np.ones(len(at)), (places[at], at)), shape=(matrix.shape[1], len(places)))
    picked = matrix @ choice
    return picked + csr_array(np.tile(other, (matrix.shape[0], 1))) if other.any() else picked
