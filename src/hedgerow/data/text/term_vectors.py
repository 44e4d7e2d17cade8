"""TermVectors: weights of terms, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.data.table.table import SparseNumbers as SparseColumn
from hedgerow.data.table.threads import n_threads
from hedgerow.data.text.terms import Terms

TFS = ("count", "binary", "share", "most", "log")  # in the order of the kernels, as are norms
NORMS = ("none", "l1", "l2")

# What terms say of classes, as kernels take it: starts, classes, more, height, slope, level and strict.
EvidenceParts = tuple[Rows, Codes, Numbers, Numbers, Numbers, Numbers, NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class TermVectors:
    """Weights of terms, sparse, row by row: row i has the entries `row_starts[i]` to `row_starts[i + 1]`.

    `ids` ascend in every row, and are below `n_terms`. A text without known terms is an empty row.
    """

    row_starts: Rows
    ids: Codes
    values: Numbers
    n_terms: int

    def __len__(self) -> int:
        return len(self.row_starts) - 1

    @classmethod
    def of_counts(cls, terms: Terms, tf: str, scale: Numbers | None = None, norm: str = "none") -> TermVectors:
        """Return the weights of counted terms: their frequency `tf`, then `scale_terms`."""
        values = _kernels.weigh_counts(
            terms.row_starts, terms.ids, terms.counts, TFS.index(tf), scales(scale), NORMS.index(norm), n_threads()
        )
        return cls(terms.row_starts, terms.ids, values, len(terms.vocabulary))

    def scale_terms(self, scale: Numbers | None, norm: str, *, in_place: bool = False) -> TermVectors:
        """Return the weights times the scale of their term, every row then brought to length 1.

        `norm` is l1 (the sum of its sizes), l2 (the root of the sum of its squares) or none. `in_place` changes these
        vectors, which nobody else may hold, and saves a copy.
        """
        if scale is None and norm == "none":
            return self
        values = self.values if in_place else self.values.copy()
        _kernels.weigh_rows(self.row_starts, self.ids, scales(scale), NORMS.index(norm), values, n_threads())
        return TermVectors(self.row_starts, self.ids, values, self.n_terms)

    def take(self, rows: Rows) -> TermVectors:
        """Return some of the rows, in the order given."""
        starts, sizes = self.row_starts[rows], np.diff(self.row_starts)[rows]
        ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        inside = np.repeat(starts - ends[:-1], sizes) + np.arange(ends[-1], dtype=np.int64)
        return TermVectors(ends, self.ids[inside], self.values[inside], self.n_terms)

    def add_scores(self, evidence: EvidenceParts, scores: Numbers) -> NDArray[np.bool_]:
        """Add the weighted contributions of the terms of every row to each class; return which rows have any weight."""
        known = np.zeros(len(self), dtype=np.bool_)
        _kernels.add_term_scores(self.row_starts, self.ids, self.values, *evidence, scores, known, n_threads())
        return known

    def matrix(self) -> Any:
        """Return the weights as scipy's csr_array."""
        from scipy.sparse import csr_array

        starts = self.row_starts
        if len(self.ids) < 1 << 31:
            starts = starts.astype(np.int32)  # of the ids' type, or scipy copies these
        return csr_array((self.values, self.ids, starts), shape=(len(self), self.n_terms))

    def columns(self) -> list[SparseColumn]:
        """Return the weights as columns of a table, one a term."""
        by_term = self.matrix().tocsc()
        starts, rows, values = by_term.indptr, by_term.indices.astype(np.int64), by_term.data
        return [SparseColumn(rows[a:b], values[a:b], len(self)) for a, b in pairwise(starts)]


def scales(scale: Numbers | None) -> Numbers:
    """Return scales as the kernels take them: an empty array if there are none."""
    return np.empty(0) if scale is None else np.ascontiguousarray(scale)
