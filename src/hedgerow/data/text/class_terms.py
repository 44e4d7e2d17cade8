"""ClassTerms: sums of the terms of texts by class, sparse. Those of parts of a corpus add up, and can be taken off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.level_positions import LevelPositions
from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.data.table.threads import n_threads
from hedgerow.errors import DataError


@dataclass(frozen=True, eq=False)
class ClassRows:
    """The rows of every class and its share of each: class k has the rows `rows[starts[k]:starts[k + 1]]`.

    The share of a row is its weight for its class; where a row is of several classes by fractions, each has its part.
    """

    starts: Rows
    rows: Rows
    shares: Numbers
    n_rows: int
    weights: Numbers | None = None  # of every row, whatever its classes; None if each is 1

    @classmethod
    def of(cls, codes: Codes, n_classes: int, weights: Numbers | None = None) -> ClassRows:
        """Return the rows of every class by the rows' codes; -1 is not a class."""
        rows = np.argsort(codes, kind="stable")[np.count_nonzero(codes < 0) :]
        starts = np.concatenate([[0], np.cumsum(np.bincount(codes[rows], minlength=n_classes))]).astype(np.int64)
        shares = np.ones(len(rows)) if weights is None else weights[rows].astype(np.float64)
        return cls(starts, rows.astype(np.int64), shares, len(codes), weights)

    @classmethod
    def soft(cls, shares: Numbers) -> ClassRows:
        """Return the same of rows that are of every class (column) by some share."""
        by_class = np.ascontiguousarray(shares.T)
        classes, rows = np.nonzero(by_class)
        starts = np.concatenate([[0], np.cumsum(np.bincount(classes, minlength=len(by_class)))]).astype(np.int64)
        return cls(starts, rows.astype(np.int64), by_class[classes, rows], len(shares), shares.sum(axis=1))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def classes(self) -> Rows:
        """The class of every entry of `rows`."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.starts))

    def weight(self, present: NDArray[np.bool_]) -> Numbers:
        """Return the weight of each class in the rows selected by a mask."""
        mask = present[self.rows]
        return np.bincount(self.classes[mask], self.shares[mask], len(self)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class ClassTerms:
    """What the terms of texts amount to in every class, times the rows' shares.

    Term t has the `amounts[starts[t]:starts[t + 1]]` of those classes; they ascend, and no amount is 0. `texts` is the
    weight of the texts of each class, missing ones left out.

    Examples
    --------
    >>> from hedgerow.data.table.table import Text
    >>> from hedgerow.data.text.terms import terms_of
    >>> text, play = Text.of(["free money", "no money, no cry"]), np.array([1, 0], dtype=np.int32)
    >>> terms = terms_of(text)
    >>> found = ClassTerms.of(terms, terms.counts, ~text.missing, ClassRows.of(play, 2))
    >>> found.dense().tolist()  # of cry, free, money and no
    [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.0]]
    """

    texts: Numbers
    starts: Rows
    classes: Codes
    amounts: Numbers

    @classmethod
    def of(
        cls, rows: Any, values: Numbers | NDArray[np.int32], present: NDArray[np.bool_], members: ClassRows
    ) -> ClassTerms:
        """Sum the values of terms, one an entry of `rows` (Terms or TermVectors), by class.

        `present` tells which rows have a text.
        """
        if members.n_rows != len(rows):
            raise DataError(f"there are {len(rows)} texts, but {members.n_rows} classes")
        sums = _kernels.sum_by_class(
            rows.row_starts,
            rows.ids,
            values,
            members.starts,
            members.rows,
            members.shares,
            rows.n_terms,
            n_threads(),
        )
        return cls(members.weight(present), *sums)

    def __len__(self) -> int:
        """How many terms there are."""
        return len(self.starts) - 1

    @property
    def terms(self) -> Rows:
        """The term of every amount."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.starts))

    @property
    def totals(self) -> Numbers:
        """What all terms amount to in each class."""
        return np.bincount(self.classes, self.amounts, len(self.texts)).astype(np.float64)

    @property
    def term_totals(self) -> Numbers:
        """What each term amounts to in all classes."""
        return np.bincount(self.terms, self.amounts, len(self)).astype(np.float64)

    def dense(self) -> Numbers:
        """Return the amounts by term (lines) and class."""
        out = np.zeros((len(self), len(self.texts)))
        out[self.terms, self.classes] = self.amounts
        return out

    def __add__(self, other: ClassTerms) -> ClassTerms:
        places = np.arange(len(self), dtype=np.int64)
        return self.plus(places, other, places, len(self))

    def plus(
        self, places: Rows, other: ClassTerms, other_places: Rows, n_terms: int, factor: float = 1.0
    ) -> ClassTerms:
        """Return the amounts plus `factor` times others; the positions say where the terms of each are in the sum."""
        if len(self.texts) != len(other.texts):
            raise DataError(f"counts of {len(self.texts)} and of {len(other.texts)} classes cannot be added")
        sums = _kernels.add_class_sums(
            self.starts,
            self.classes,
            self.amounts,
            places,
            other.starts,
            other.classes,
            other.amounts,
            other_places,
            factor,
            n_terms,
        )
        return ClassTerms(self.texts + factor * other.texts, *sums)

    def select(self, keep: NDArray[np.bool_]) -> ClassTerms:
        """Return the amounts of the terms selected by a mask."""
        if keep.all():
            return self
        kept = np.repeat(keep, np.diff(self.starts))
        starts = np.concatenate([[0], np.cumsum(np.diff(self.starts)[keep])]).astype(np.int64)
        return ClassTerms(self.texts, starts, self.classes[kept], self.amounts[kept])

    def recode(self, places: LevelPositions) -> ClassTerms:
        """Return the same amounts under more classes, given the new positions of the known ones."""
        texts = np.zeros(places.total)
        texts[places.known] = self.texts
        classes = np.array([*places.known, 0], dtype=np.int32)[self.classes]
        order = np.lexsort((classes, self.terms))
        return ClassTerms(texts, self.starts, np.ascontiguousarray(classes[order]), self.amounts[order])
