"""TermCounts: how often terms are in a corpus. Counts of parts of it add up, so that no more than a part is held."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.class_terms import ClassRows, ClassTerms
from hedgerow.data.places import Places
from hedgerow.data.table import Rows, Text
from hedgerow.data.terms import Terms, terms_of
from hedgerow.data.threads import n_threads
from hedgerow.data.tokens import WORDS, Tokens, words_at
from hedgerow.errors import DataError


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
    def of(cls, text: Text, tokens: Tokens = WORDS, members: ClassRows | None = None) -> TermCounts:
        """Count the terms of some texts; see `of_terms`. Without classes no rows are held."""
        if members is not None:
            return cls.of_terms(terms_of(text, tokens), ~text.missing, members)
        (data, offsets), rows, totals = _kernels.sum_terms(
            text.data, text.offsets, text.missing, *tokens.how, n_threads()
        )
        return cls(words_at(data, offsets), int(np.count_nonzero(~text.missing)), rows, totals)

    @classmethod
    def of_terms(cls, terms: Terms, present: NDArray[np.bool_], members: ClassRows | None = None) -> TermCounts:
        """Count terms that are known row by row; `present` tells which rows have a text, `members` whose they are."""
        by_class = None if members is None else ClassTerms.of(terms, terms.counts, present, members)
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
            by_class = self.by_class.plus(first, other.by_class, second, len(vocabulary))
        return TermCounts(vocabulary, self.n_rows + other.n_rows, rows, totals, by_class)

    def without(self, part: TermCounts) -> TermCounts:
        """Return the counts of the other rows, of which these here are a part; terms that they lack are gone."""
        words, others = self.vocabulary, part.vocabulary
        _, here, places = _kernels.merge_words(words.data, words.offsets, others.data, others.offsets)
        rows, totals = self.rows.copy(), self.totals.copy()
        rows[places] -= part.rows
        totals[places] -= part.totals
        by_class = None
        if self.by_class is not None and part.by_class is not None:
            by_class = self.by_class.plus(here, part.by_class, places, len(self), -1.0)
        return TermCounts(words, self.n_rows - part.n_rows, rows, totals, by_class).only(rows > 0)

    def recoded(self, levels: Any, classes: Places) -> TermCounts:  # noqa: ARG002
        """Return the same counts under more classes."""
        return replace(self, by_class=None if self.by_class is None else self.by_class.recoded(classes))

    def only(self, keep: NDArray[np.bool_]) -> TermCounts:
        """Return the counts of some terms, which a mask says."""
        if keep.all():
            return self
        kept = np.flatnonzero(keep)
        by_class = None if self.by_class is None else self.by_class.only(keep)
        return TermCounts(self.vocabulary.take(kept), self.n_rows, self.rows[kept], self.totals[kept], by_class)
