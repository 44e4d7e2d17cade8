"""The classes that have a color in a picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Codes, Table
from hedgerow.models.views.tree_view import PALETTE

OTHERS = "other classes"


@dataclass(frozen=True, eq=False)
class Groups:
    """The classes that have a color in a picture: their labels, and the group of every row; -1 for none."""

    labels: tuple[str, ...]
    codes: Codes

    def take(self, rows: NDArray[np.bool_]) -> Groups:
        """Return the groups of some rows."""
        return Groups(self.labels, self.codes[rows]) if self.labels else self

    def table(self, codes: Codes, levels: int) -> NDArray[np.int64]:
        """Return the rows by level and group."""
        known = (codes >= 0) & (self.codes >= 0)
        cells = codes[known].astype(np.int64) * len(self.labels) + self.codes[known]
        return np.bincount(cells, minlength=levels * len(self.labels)).reshape(levels, -1)


NO_GROUPS = Groups((), np.empty(0, np.int32))


def group_classes(table: Table) -> Groups:
    """Return the classes of the target; if there are many, the rarest share one group and color.

    If these are most of the rows, there are no groups, since colors for few rows would be misleading.
    """
    schema = table.schema
    if schema.target is None or schema.target_column.kind is not Kind.NOMINAL:
        return NO_GROUPS
    codes, labels = table.codes(schema.index(schema.target)), schema.target_column.levels
    if len(labels) <= len(PALETTE):
        return Groups(labels, codes)
    counts = np.bincount(codes[codes >= 0], minlength=len(labels))
    heaviest = np.sort(np.argsort(-counts, kind="stable")[: len(PALETTE)])
    if counts[heaviest].sum() < counts.sum() / 2:
        return NO_GROUPS
    group = np.full(len(labels) + 1, len(PALETTE), dtype=np.int32)
    group[heaviest], group[-1] = np.arange(len(PALETTE)), -1  # the last is for a missing class
    return Groups((*(labels[code] for code in heaviest), OTHERS), group[codes])
