"""TermCounts: how often terms are in a corpus. Counts of parts of it add up, so that no more than a part is held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table import Codes, Numbers, Rows, Text
from hedgerow.data.terms import Terms, terms_of
from hedgerow.data.tokens import WORDS, Tokens, words_at
from hedgerow.errors import DataError

Sparse = Any  # scipy's csr_array, which is imported where it is needed


@dataclass(frozen=True, eq=False)
class ClassTerms:
    """The same counts by class, with the rows' weights.

    `texts` is the weight of the texts of each class; `rows` and `totals` are sparse, a row a class and a column a
    term: the weight of the rows that have it, and how often it is in them times their weight.
    """

    texts: Numbers
    rows: Sparse
    totals: Sparse

    def __add__(self, other: ClassTerms) -> ClassTerms:
        if len(self.texts) != len(other.texts):
            raise DataError(f"counts of {len(self.texts)} and of {len(other.texts)} classes cannot be added")
        return ClassTerms(self.texts + other.texts, self.rows + other.rows, self.totals + other.totals)

    def moved(self, places: Rows, n_terms: int) -> ClassTerms:
        """Return the counts with every term at a new, later place."""
        return ClassTerms(self.texts, _moved(self.rows, places, n_terms), _moved(self.totals, places, n_terms))

    def only(self, keep: Rows) -> ClassTerms:
        """Return the counts of some terms."""
        return ClassTerms(self.texts, self.rows[:, keep], self.totals[:, keep])


@dataclass(frozen=True, eq=False)
class TermCounts:
    """In how many rows of a corpus each term is, and how often; by class if there are classes.

    Examples
    --------
    >>> one = TermCounts.of(Text.of(["free money", "no money, no cry"]))
    >>> both = one + TermCounts.of(Text.of(["free beer", None, ""]))
    >>> [str(term) for term in both.vocabulary], both.n_rows
    (['beer', 'cry', 'free', 'money', 'no'], 4)
    >>> both.rows.tolist(), both.totals.tolist()
    ([1, 1, 2, 2, 1], [1, 1, 2, 2, 2])
    """

    vocabulary: Text  # in the order of code points
    n_rows: int  # that have a text, which may be empty
    rows: Rows
    totals: Rows
    by_class: ClassTerms | None = None

    @classmethod
    def of(cls, text: Text, tokens: Tokens = WORDS, shares: Numbers | None = None) -> TermCounts:
        """Count the terms of some texts; see `of_terms`."""
        return cls.of_terms(terms_of(text, tokens), ~text.missing, shares)

    @classmethod
    def of_terms(cls, terms: Terms, present: Any, shares: Numbers | None = None) -> TermCounts:
        """Count terms that are known row by row.

        Parameters
        ----------
        present
            Which rows have a text.
        shares
            What each class (column) has of each row, its weight included: `class_shares` makes it from class codes.
        """
        by_class = None if shares is None else class_terms(terms, present, shares)
        return cls(terms.vocabulary, int(np.count_nonzero(present)), terms.row_counts, terms.totals, by_class)

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __add__(self, other: TermCounts) -> TermCounts:
        if (self.by_class is None) != (other.by_class is None):
            raise DataError("counts with classes and counts without cannot be added")
        mine, theirs = self.vocabulary, other.vocabulary
        (data, offsets), first, second = _kernels.merge_words(mine.data, mine.offsets, theirs.data, theirs.offsets)
        vocabulary = words_at(data, offsets)
        rows, totals = np.zeros((2, len(vocabulary)), dtype=np.int64)
        for counts, places in ((self, first), (other, second)):
            rows[places] += counts.rows
            totals[places] += counts.totals
        by_class = None
        if self.by_class is not None and other.by_class is not None:
            n_terms = len(vocabulary)
            by_class = self.by_class.moved(first, n_terms) + other.by_class.moved(second, n_terms)
        return TermCounts(vocabulary, self.n_rows + other.n_rows, rows, totals, by_class)

    def only(self, keep: Any) -> TermCounts:
        """Return the counts of some terms, which a mask says."""
        kept = np.flatnonzero(keep)
        by_class = None if self.by_class is None else self.by_class.only(kept)
        return TermCounts(self.vocabulary.take(kept), self.n_rows, self.rows[kept], self.totals[kept], by_class)


def class_shares(codes: Codes, n_classes: int, weights: Numbers | None = None) -> Numbers:
    """Return what each class has of each row: its weight for its class, nothing where the class is missing."""
    shares = np.zeros((len(codes), n_classes))
    known = np.flatnonzero(codes >= 0)
    shares[known, codes[known]] = 1.0 if weights is None else weights[known]
    return shares


def class_terms(terms: Terms, present: Any, shares: Numbers) -> ClassTerms:
    """Count terms by class."""
    from scipy.sparse import csr_array

    if len(shares) != len(terms):
        raise DataError(f"there are {len(terms)} texts, but {len(shares)} rows of classes")
    shape = (len(terms), len(terms.vocabulary))
    by_class = csr_array(shares.T)
    found = [
        csr_array(by_class @ csr_array((values, terms.ids, terms.row_starts), shape=shape))
        for values in (np.ones(len(terms.ids)), terms.counts.astype(np.float64))
    ]
    for counts in found:
        counts.sort_indices()
    return ClassTerms(shares[present].sum(axis=0), *found)


def _moved(counts: Sparse, places: Rows, n_terms: int) -> Sparse:
    from scipy.sparse import csr_array

    return csr_array((counts.data, places[counts.indices], counts.indptr), shape=(counts.shape[0], n_terms))
