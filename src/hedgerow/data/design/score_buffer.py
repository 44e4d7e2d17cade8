"""The output buffer of the kernel `compute_linear_scores`, and the transformation of its values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.table import Codes, Numbers, RowSelection, SparseNumbers, StoredValues
from hedgerow.data.table.threads import n_threads

VIEW_ROWS = 1 << 16  # of a view that are gathered at a time

KnownMask = NDArray[np.bool_]


def is_sparse(values: StoredValues) -> bool:
    """Return whether a column is sparse, without gathering one that is a view."""
    return isinstance(values.values if isinstance(values, RowSelection) else values, SparseNumbers)


def dense_rows(values: StoredValues, start: int, stop: int) -> NDArray[Any]:
    """Return some rows of a dense column, side by side."""
    some = RowSelection(values.values, values.rows[start:stop]).gather() if isinstance(values, RowSelection) else values
    assert isinstance(some, np.ndarray)
    return np.ascontiguousarray(some if isinstance(values, RowSelection) else some[start:stop])


AS_THEY_ARE, FINITE, SOFTMAX = 0, 1, 2  # transformations of the values of functions


@dataclass(frozen=True, eq=False)
class ScoreBuffer:
    """The output of linear functions: the lines of `out`, or the columns given by `columns`.

    `FINITE` makes what is not a number 0 and keeps all within 1e300; `SOFTMAX` then makes them probabilities.
    """

    out: Numbers
    columns: Codes | None = None
    base: int = -1  # column of the class whose function is 0
    link: int = AS_THEY_ARE
    temperature: float = 1.0

    def fill(
        self,
        arrays: list[Any],
        tables: list[Numbers],
        more: list[Any],
        means: Numbers,
        intercepts: Numbers,
        added: Numbers | None,
        known: KnownMask,
        start: int,
        stop: int,
    ) -> None:
        """Have the kernel put the functions of some rows."""
        by_row = self.columns is not None
        places = np.arange(len(intercepts), dtype=np.int64) if self.columns is None else self.columns.astype(np.int64)
        whole = stop - start == len(known)
        out = self.out if whole else self.out[start:stop] if by_row else np.empty((len(intercepts), stop - start))
        _kernels.compute_linear_scores(
            arrays, tables, more, means, intercepts, added, out, by_row, places, self.base, self.link,
            float(self.temperature), known[start:stop], stop - start, n_threads(),
        )  # fmt: skip
        if not whole and not by_row:
            self.out[:, start:stop] = out
