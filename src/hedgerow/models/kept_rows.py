"""KeptRows: rows laid out for the search of nearest neighbors, whatever is then made of those."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table import Codes, Numbers, Rows, Table
from hedgerow.data.term_vectors import TermVectors
from hedgerow.data.threads import n_threads
from hedgerow.models.kept_columns import KeptColumn, KeptLevels, KeptNumbers, KeptTexts, joined_rows, stacked

EQUAL_TEXTS = 1e-12  # 1 - cosine of texts that are equal but for rounding


class NewRows(NamedTuple):
    """New rows as the kernels take them: the vectors of texts by row, numbers and codes by column."""

    starts: Rows
    ids: Codes
    values: Numbers
    numbers: Numbers
    codes: Codes

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.starts) - 1


@dataclass(frozen=True, eq=False)
class KeptRows:
    """The columns of some rows that are compared, by their position in a table; all distances come from here.

    Kernels tell how near a row is by a score, the larger the nearer: for texts alone the sum of their cosines,
    otherwise minus the squared distance.
    """

    columns: dict[int, KeptColumn]
    n_rows: int

    @cached_property
    def n_texts(self) -> int:
        """How many of the columns are texts."""
        return sum(isinstance(one, KeptTexts) for one in self.columns.values())

    @property
    def texts_only(self) -> bool:
        """Whether nothing but texts is compared."""
        return 0 < self.n_texts == len(self.columns)

    @cached_property
    def texts(self) -> TermVectors:
        """The vectors of all text columns, put together."""
        return joined_rows([one.vectors for one in self.columns.values() if isinstance(one, KeptTexts)], self.n_rows)

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """All that the kernels need of the rows; the inverted index is made here."""
        used, n, texts = self.columns.values(), self.n_rows, self.texts
        by_row = (texts.row_starts, texts.ids, texts.values)
        *by_term, norms = _kernels.postings_of(*by_row, texts.n_terms)
        numbers = stacked([one.scaled(one.values) for one in used if isinstance(one, KeptNumbers)], n, np.float64)
        codes = stacked([one.codes for one in used if isinstance(one, KeptLevels)], n, np.int32)
        return (*by_row, *by_term, norms.reshape(-1, n), numbers, codes, self.n_texts)

    def asked(self, table: Table) -> NewRows:
        """Return new rows as the kernels take them."""
        used, n = self.columns.items(), table.n_rows
        texts = joined_rows([one.vectors_of(table, at) for at, one in used if isinstance(one, KeptTexts)], n)
        numbers = [one.scaled(table.numbers(at)) for at, one in used if isinstance(one, KeptNumbers)]
        codes = [table.codes(at) for at, one in used if isinstance(one, KeptLevels)]
        by_column = stacked(numbers, n, np.float64), stacked(codes, n, np.int32)
        return NewRows(texts.row_starts, texts.ids, texts.values, *by_column)

    def silent(self, asked: NewRows) -> NDArray[np.bool_]:
        """Return which new rows hold nothing that is known."""
        starts, _, values, numbers, codes = asked
        known = np.concatenate([[0], np.cumsum(values != 0)])
        unread = known[starts[1:]] == known[starts[:-1]]
        mute: NDArray[np.bool_] = unread & np.isnan(numbers).all(axis=0) & (codes < 0).all(axis=0)
        return mute

    def nearest(self, asked: NewRows, k: int) -> tuple[Codes, Numbers]:
        """Return the `k` nearest rows of every new row, and their scores; `k` is no more than there are rows."""
        rows, scores = np.empty((asked.n_rows, k), dtype=np.int32), np.empty((asked.n_rows, k))
        _kernels.nearest_rows(self.arrays, asked, rows, scores, n_threads())
        return rows, scores

    @cached_property
    def widest(self) -> float:
        """The largest distance of rows within the ranges of the columns."""
        return 1.0 if self.texts_only or not self.columns else float(np.sqrt(len(self.columns)))

    def distances(self, scores: Numbers) -> Numbers:
        """Return the distances that belong to scores."""
        if self.texts_only:
            far: Numbers = np.maximum(0.0, 1 - scores / self.n_texts)
            return np.where(far <= EQUAL_TEXTS, 0.0, far)
        return np.sqrt(np.where(-scores <= EQUAL_TEXTS * self.n_texts, 0.0, -scores))

    def similarities(self, distances: Numbers) -> Numbers:
        """Return 1 for equal rows, 0 for those at the largest distance."""
        return np.maximum(0.0, 1 - distances / self.widest)
