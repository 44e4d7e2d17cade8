"""Hashed terms: columns instead of a vocabulary, and a reverse dictionary that keeps them readable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.level_positions import LevelPositions
from hedgerow.data.table.table import Codes, Numbers, Text
from hedgerow.data.table.threads import n_threads
from hedgerow.data.text.class_terms import ClassRows, ClassTerms
from hedgerow.data.text.term_counts import TermCounts, masked_weight
from hedgerow.data.text.term_vectors import NORMS, TFS, TermVectors
from hedgerow.data.text.tokens import FEATURES, Tokens, text_from_kernel
from hedgerow.errors import DataError

BUDGET = 1 << 18  # terms of the reverse dictionary
SHOWN = 3  # terms of a column that its name shows


def hash_terms_to_columns(vocabulary: Text, bits: int) -> tuple[Codes, NDArray[np.int8]]:
    """Return the column of every term, below 2 ** bits, and its sign.

    The hash is MurmurHash3 (x86, 32 bits, seed 0) of the term's UTF-8 bytes as a signed number; its size modulo the
    number of columns is the column. This is what scikit-learn's HashingVectorizer does.
    """
    hashes = _kernels.hash_words(vocabulary.data, vocabulary.offsets)
    return hashes_to_columns(hashes, bits), np.where(hashes >= 0, np.int8(1), np.int8(-1))


def hashes_to_columns(hashes: Codes, bits: int) -> Codes:
    """Return the columns of hashes: their sizes, of which the lowest bits are kept."""
    return np.abs(hashes) & np.int32((1 << bits) - 1)  # the size of -2^31 is itself, whose lowest bits are right


@dataclass(frozen=True, eq=False)
class HashedCounts:
    """In how many rows of a corpus each column of hashed terms is.

    `names` counts terms themselves: the most frequent ones of each column, no more than `budget`. Where parts of a
    corpus were added and trimmed on the way, its counts are of what was kept, and serve for names only.
    """

    bits: int
    n_rows: float
    rows: Numbers
    names: TermCounts
    by_class: ClassTerms | None = None
    budget: int = field(default=BUDGET, kw_only=True)

    @classmethod
    def of(
        cls,
        text: Text,
        tokens: Tokens,
        members: ClassRows | None = None,
        weights: Numbers | None = None,
        *,
        budget: int = BUDGET,
    ) -> HashedCounts:
        """Count the hashed terms of some texts; see `TermCounts.of`."""
        weights = weights if members is None else members.weights
        vectors, counts = hash_texts(text, replace(tokens, signed=False), "count", weights=weights, budget=budget)
        if members is None:
            return counts
        return replace(counts, by_class=ClassTerms.of(vectors, vectors.values, ~text.missing, members))

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
            self.names + other.names,
            by_class,
            budget=self.budget,
        ).trim_dictionary()

    def recode(self, levels: Any, classes: LevelPositions) -> HashedCounts:  # noqa: ARG002
        """Return the same counts under more classes."""
        return replace(self, by_class=None if self.by_class is None else self.by_class.recode(classes))

    def trim_dictionary(self) -> HashedCounts:
        """Return the counts with a reverse dictionary within its budget: first every column's most frequent term."""
        names = self.names
        if len(names) <= self.budget:
            return self
        columns, _ = hash_terms_to_columns(names.vocabulary, self.bits)
        order = np.lexsort((-names.totals, columns))
        rank = np.empty(len(names), dtype=np.int64)  # of a term in its column
        starts = np.flatnonzero(np.diff(columns[order], prepend=-1))
        rank[order] = np.arange(len(names)) - np.repeat(starts, np.diff(np.append(starts, len(names))))
        best = np.lexsort((-names.totals, rank))[: self.budget]
        keep = np.zeros(len(names), dtype=np.bool_)
        keep[best] = True
        return replace(self, names=names.select(keep))


def hash_texts(
    text: Text, tokens: Tokens, tf: str, norm: str = "none", weights: Numbers | None = None, *, budget: int = BUDGET
) -> tuple[TermVectors, HashedCounts]:
    """Return the weights of hashed terms in every text, and the counts of the corpus.

    The first is their frequency `tf`, every row then brought to length 1 by `norm`. Rows may have weights, which matter
    for the counts only; then the texts are split twice.
    """
    bits = tokens.bits
    assert bits is not None
    if tokens.unit == FEATURES:
        return _features(text, tokens, norm, weights, budget)
    (starts, ids, values), rows, ((data, offsets), *sums) = _kernels.count_hashed_terms(
        text.data,
        text.offsets,
        text.missing,
        *tokens.kernel_settings,
        bits,
        tokens.signed,
        TFS.index(tf),
        NORMS.index(norm),
        n_threads(),
    )
    if weights is None:
        by_term = [one.astype(np.float64) for one in sums]
        names = TermCounts(text_from_kernel(data, offsets), masked_weight(~text.missing), *by_term)
        with_column = rows.astype(np.float64)
    else:
        names = TermCounts.of(text, tokens, weights=weights)
        with_column = np.bincount(ids, np.repeat(weights, np.diff(starts)), 1 << bits).astype(np.float64)
    counts = HashedCounts(bits, names.n_rows, with_column, names, budget=budget)
    return TermVectors(starts, ids, values, 1 << bits), counts.trim_dictionary()


def _features(
    text: Text, tokens: Tokens, norm: str, weights: Numbers | None, budget: int
) -> tuple[TermVectors, HashedCounts]:
    """Return the same of features, which count their values; of the names of a column the first one is known."""
    assert tokens.bits is not None
    how = (text.data, text.offsets, tokens.bits, tokens.signed, n_threads())
    (starts, ids, values), rows, ((data, offsets), named) = _kernels.hash_features(*how)
    n_columns, n_rows = 1 << tokens.bits, masked_weight(~text.missing, weights)
    by_column, by_name = rows.astype(np.float64), named.astype(np.float64)
    vocabulary = text_from_kernel(data, offsets)
    if weights is not None:
        by_column = np.bincount(ids, np.repeat(weights, np.diff(starts)), n_columns).astype(np.float64)
        by_name = by_column[hash_terms_to_columns(vocabulary, tokens.bits)[0]]
    counts = HashedCounts(
        tokens.bits, n_rows, by_column, TermCounts(vocabulary, n_rows, by_name, by_name), budget=budget
    )
    return TermVectors(starts, ids, values, n_columns).scale_terms(None, norm, in_place=True), counts.trim_dictionary()


def column_names(vocabulary: Text, totals: Numbers, bits: int) -> tuple[str, ...]:
    """Return a name for every column: its number, and its most frequent known terms."""
    return tuple(name_columns(vocabulary, totals, bits, range(1 << bits)))


def name_columns(vocabulary: Text, totals: Numbers, bits: int, wanted: Sequence[int]) -> list[str]:
    """Return the same for some columns."""
    columns, _ = hash_terms_to_columns(vocabulary, bits)
    mask = np.zeros(1 << bits, dtype=np.bool_)
    mask[np.asarray(wanted, dtype=np.int64)] = True
    places = np.flatnonzero(mask[columns])
    shown: dict[int, list[str]] = {}
    for place in places[np.argsort(-totals[places], kind="stable")].tolist():
        terms = shown.setdefault(int(columns[place]), [])
        if len(terms) < SHOWN:
            terms.append(str(vocabulary[place]))
    return [" ".join([f"#{column}", *shown.get(column, ())]) for column in wanted]
