"""EncodedRows: the rows from which class association rules are mined, in the form that the kernels take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.design.discretize import Discretizer
from hedgerow.data.table.schema import Column
from hedgerow.data.table.table import Codes, Rows, Table
from hedgerow.learn.rules.coded_columns import EncodedColumns
from hedgerow.learn.rules.user_constraints import class_codes
from hedgerow.learn.rules.whole_weights import WholeWeights


@dataclass(frozen=True, eq=False)
class EncodedRows:
    """Rows in the form that the kernels take: columns as codes, classes, and weights in ticks."""

    columns: EncodedColumns
    labels: Codes
    target: Column
    ticks: WholeWeights
    total: NDArray[np.int64]  # ticks by class, of all rows that support is a share of

    @classmethod
    def of(cls, table: Table, positions: Sequence[int], how: Discretizer, rows: Rows | None = None) -> EncodedRows:
        """Return some rows of a table, or all; all rows determine cut points and supports."""
        target, labels, ticks = table.schema.target_column, class_codes(table), WholeWeights.of(table.row_weights)
        coded = EncodedColumns.of(table, positions, how)
        total = np.zeros(len(target.levels), dtype=np.int64)
        np.add.at(total, labels, ticks.weight if len(ticks.weight) else 1)
        if rows is not None:
            coded = replace(coded, codes=tuple(codes[rows] for codes in coded.codes))
            labels, ticks = (
                labels[rows],
                replace(ticks, weight=ticks.weight[rows] if len(ticks.weight) else ticks.weight),
            )
        return cls(coded, labels, target, ticks, total)

    @property
    def n_classes(self) -> int:
        """How many classes the target has."""
        return len(self.target.levels)

    @property
    def arrays(self) -> tuple[list[Codes], list[int], Codes, int, NDArray[np.int64]]:
        """The first arguments of every kernel."""
        return list(self.columns.codes), self.columns.levels, self.labels, self.n_classes, self.ticks.weight

    def ticks_by_class(self) -> NDArray[np.int64]:
        """Return the ticks of these rows by class."""
        weights = np.zeros(self.n_classes, dtype=np.int64)
        np.add.at(weights, self.labels, self.ticks.weight if len(self.ticks.weight) else 1)
        return weights
