"""Hashed terms: columns instead of a vocabulary, and a reverse dictionary that keeps them readable."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table import Codes, Numbers, Rows, Text
from hedgerow.data.term_counts import ClassTerms, TermCounts, class_terms
from hedgerow.data.terms import Terms, terms_of
from hedgerow.data.threads import n_threads
from hedgerow.data.tokens import Tokens
from hedgerow.errors import DataError

BUDGET = 1 << 18  # terms of the reverse dictionary
SHOWN = 3  # terms of a column that its name shows


def hashed_columns(vocabulary: Text, bits: int) -> tuple[Codes, NDArray[np.int8]]:
    """Return the column of every term, below 2 ** bits, and its sign.

    The hash is MurmurHash3 (x86, 32 bits, seed 0) of the term's UTF-8 bytes as a signed number; its size modulo the
    number of columns is the column. This is what scikit-learn's HashingVectorizer does.
    """
    hashes = _kernels.hash_words(vocabulary.data, vocabulary.offsets)
    columns = np.abs(hashes.astype(np.int64)) & ((1 << bits) - 1)
    return columns.astype(np.int32), np.where(hashes >= 0, 1, -1).astype(np.int8)


@dataclass(frozen=True, eq=False)
class HashedCounts:
    """In how many rows of a corpus each column of hashed terms is, and how often its terms, whatever their sign.

    `names` counts terms themselves: the most frequent ones of each column, no more than `budget`. Where parts of a
    corpus were added and trimmed on the way, its counts are of what was kept, and serve for names only.
    """

    bits: int
    n_rows: int
    rows: Rows
    totals: Rows
    names: TermCounts
    by_class: ClassTerms | None = None
    budget: int = field(default=BUDGET, kw_only=True)

    @classmethod
    def of(cls, text: Text, tokens: Tokens, shares: Numbers | None = None, *, budget: int = BUDGET) -> HashedCounts:
        """Count the hashed terms of some texts; see `TermCounts.of`."""
        assert tokens.bits is not None
        return cls.of_terms(terms_of(text, tokens), ~text.missing, tokens.bits, shares, budget=budget)

    @classmethod
    def of_terms(
        cls, terms: Terms, present: Any, bits: int, shares: Numbers | None = None, *, budget: int = BUDGET
    ) -> HashedCounts:
        """Count terms that are known row by row."""
        columns, _ = hashed_columns(terms.vocabulary, bits)
        folded = folded_terms(terms, columns, bits)
        by_class = None if shares is None else class_terms(folded, present, shares)
        return replace(cls.of_folded(terms, present, bits, folded.ids, budget=budget), by_class=by_class)

    @classmethod
    def of_folded(cls, terms: Terms, present: Any, bits: int, entries: Codes, *, budget: int = BUDGET) -> HashedCounts:
        """Count terms whose columns are known entry by entry, each once a row."""
        names = TermCounts.of_terms(terms, present)
        columns, _ = hashed_columns(terms.vocabulary, bits)
        totals = np.bincount(columns, weights=names.totals, minlength=1 << bits).astype(np.int64)
        rows = np.bincount(entries, minlength=1 << bits)
        return cls(bits, names.n_rows, rows, totals, names, budget=budget).trimmed()

    def __add__(self, other: HashedCounts) -> HashedCounts:
        if self.bits != other.bits:
            raise DataError(f"terms hashed to {self.bits} bits and to {other.bits} bits cannot be added")
        if (self.by_class is None) != (other.by_class is None):
            raise DataError("counts with classes and counts without cannot be added")
        by_class = None
        if self.by_class is not None and other.by_class is not None:
            by_class = self.by_class + other.by_class
        return HashedCounts(
            self.bits,
            self.n_rows + other.n_rows,
            self.rows + other.rows,
            self.totals + other.totals,
            self.names + other.names,
            by_class,
            budget=self.budget,
        ).trimmed()

    def trimmed(self) -> HashedCounts:
        """Return the counts with a reverse dictionary within its budget: first every column's most frequent term."""
        names = self.names
        if len(names) <= self.budget:
            return self
        columns, _ = hashed_columns(names.vocabulary, self.bits)
        order = np.lexsort((-names.totals, columns))
        rank = np.empty(len(names), dtype=np.int64)  # of a term in its column
        starts = np.flatnonzero(np.diff(columns[order], prepend=-1))
        rank[order] = np.arange(len(names)) - np.repeat(starts, np.diff(np.append(starts, len(names))))
        best = np.lexsort((-names.totals, rank))[: self.budget]
        keep = np.zeros(len(names), dtype=np.bool_)
        keep[best] = True
        return replace(self, names=names.only(keep))


def folded_terms(terms: Terms, columns: Codes, bits: int) -> Terms:
    """Return columns in place of terms, each as often as its terms together."""
    starts, ids, values = folded(terms, columns, terms.counts.astype(np.float64), bits)
    empty = Text(np.empty(0, np.uint8), np.zeros((1 << bits) + 1, np.int64), np.zeros(1 << bits, np.bool_))
    return Terms(empty, starts, ids, values.astype(np.int32))


def folded(terms: Terms, columns: Codes, values: Numbers, bits: int) -> tuple[Rows, Codes, Numbers]:
    """Return rows of columns in place of rows of terms; the values of one column in a row are added."""
    starts, ids, sums = _kernels.fold_rows(terms.row_starts, terms.ids, values, columns, 1 << bits, n_threads())
    return starts, ids, sums


def column_names(vocabulary: Text, totals: Rows, bits: int) -> tuple[str, ...]:
    """Return a name for every column: its number, and its most frequent terms as far as they are known."""
    columns, _ = hashed_columns(vocabulary, bits)
    shown: dict[int, list[str]] = {}
    for place in np.argsort(-totals, kind="stable").tolist():
        terms = shown.setdefault(int(columns[place]), [])
        if len(terms) < SHOWN:
            terms.append(str(vocabulary[place]))
    return tuple(" ".join([f"#{column}", *shown.get(column, ())]) for column in range(1 << bits))
