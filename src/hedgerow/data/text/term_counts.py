"""TermCounts: how often terms are in a corpus. Counts of parts of it add up, so that no more than a part is held."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.level_positions import LevelPositions
from hedgerow.data.table.table import Numbers, Text
from hedgerow.data.table.threads import n_threads
from hedgerow.data.text.class_terms import ClassRows, ClassTerms
from hedgerow.data.text.terms import ALL, TermLimits, Terms, terms_of
from hedgerow.data.text.tokens import WORDS, Tokens, text_from_kernel
from hedgerow.errors import DataError
from hedgerow.layout.rounding import round_digits

DIGITS = 12  # of sums of weights that are no whole numbers
EXACT = 2.0**53  # below which sums of whole numbers are exact


@dataclass(frozen=True, eq=False)
class TermCounts:
    """In how many rows of a corpus each term is, and how often; by class if there are classes.

    A row of weight 2 counts as two rows, here and in all that is made of the counts: idf, `min_rows`, `most`.

    Examples
    --------
    >>> one = TermCounts.of(Text.of(["free money", "no money, no cry"]))
    >>> both = one + TermCounts.of(Text.of(["free beer", None, ""]))
    >>> [str(term) for term in both.vocabulary], both.n_rows
    (['beer', 'cry', 'free', 'money', 'no'], 4.0)
    >>> both.rows.tolist(), both.totals.tolist()
    ([1.0, 1.0, 2.0, 2.0, 1.0], [1.0, 1.0, 2.0, 2.0, 2.0])
    """

    vocabulary: Text  # in the order of code points
    n_rows: float  # weight of those that have a text, which may be empty
    rows: Numbers
    totals: Numbers
    by_class: ClassTerms | None = None

    @classmethod
    def of(
        cls,
        text: Text,
        tokens: Tokens = WORDS,
        members: ClassRows | None = None,
        weights: Numbers | None = None,
    ) -> TermCounts:
        """Count the terms of some texts; see `of_terms`. Without classes and weights no rows are held."""
        if members is not None or weights is not None:
            return cls.of_terms(terms_of(text, tokens), ~text.missing, members, weights)
        (data, offsets), rows, totals = _kernels.count_term_sums(
            text.data, text.offsets, text.missing, *tokens.kernel_settings, n_threads()
        )
        n_rows = masked_weight(~text.missing)
        return cls(text_from_kernel(data, offsets), n_rows, rows.astype(np.float64), totals.astype(np.float64))

    @classmethod
    def of_terms(
        cls,
        terms: Terms,
        present: NDArray[np.bool_],
        members: ClassRows | None = None,
        weights: Numbers | None = None,
    ) -> TermCounts:
        """Count terms that are known row by row.

        `present` tells which rows have a text, `members` whose they are, with weights of their own; `weights` are those
        of rows without classes.
        """
        by_class = None if members is None else ClassTerms.of(terms, terms.counts, present, members)
        weights = weights if members is None else members.weights
        rows, totals = terms.sums(weights)
        return cls(terms.vocabulary, masked_weight(present, weights), rows, totals, by_class)

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __add__(self, other: TermCounts) -> TermCounts:
        if (self.by_class is None) != (other.by_class is None):
            raise DataError("counts with classes and counts without cannot be added")
        mine, theirs = self.vocabulary, other.vocabulary
        (data, offsets), first, second = _kernels.merge_words(mine.data, mine.offsets, theirs.data, theirs.offsets)
        vocabulary = text_from_kernel(data, offsets)
        rows, totals = np.zeros((2, len(vocabulary)))
        for counts, places in ((self, first), (other, second)):
            rows[places] += counts.rows
            totals[places] += counts.totals
        by_class = None
        if self.by_class is not None and other.by_class is not None:
            by_class = self.by_class.plus(first, other.by_class, second, len(vocabulary))
        return TermCounts(vocabulary, self.n_rows + other.n_rows, rows, totals, by_class)

    def subtract(self, part: TermCounts) -> TermCounts:
        """Return the counts of the other rows, of which these here are a part; terms that they lack are gone."""
        words, others = self.vocabulary, part.vocabulary
        _, here, places = _kernels.merge_words(words.data, words.offsets, others.data, others.offsets)
        rows, totals = self.rows.copy(), self.totals.copy()
        rows[places] -= part.rows
        totals[places] -= part.totals
        by_class = None
        if self.by_class is not None and part.by_class is not None:
            by_class = self.by_class.plus(here, part.by_class, places, len(self), -1.0)
        return TermCounts(words, self.n_rows - part.n_rows, rows, totals, by_class).select(rows > 0)

    @property
    def with_exact_sums(self) -> TermCounts:
        """The same without the rounding of sums, so that it does not matter in what order rows were added.

        Only sums of weights that are no whole numbers change, by less than anybody can see.
        """
        if are_whole_numbers(np.append(self.rows, self.n_rows)) and are_whole_numbers(self.totals):
            return self
        n_rows, rows = exact_row_weights(self.n_rows, self.rows)
        return replace(self, n_rows=n_rows, rows=rows, totals=_kernels.round_significant(self.totals, DIGITS))

    def apply_limits(self, limits: TermLimits) -> TermCounts:
        """Return the counts of the terms that are kept."""
        return self if limits == ALL else self.select(limits.select_terms(self.rows, self.totals, self.n_rows))

    def recode(self, levels: Any, classes: LevelPositions) -> TermCounts:  # noqa: ARG002
        """Return the same counts under more classes."""
        return replace(self, by_class=None if self.by_class is None else self.by_class.recode(classes))

    def select(self, keep: NDArray[np.bool_]) -> TermCounts:
        """Return the counts of the terms selected by a mask."""
        if keep.all():
            return self
        kept = np.flatnonzero(keep)
        by_class = None if self.by_class is None else self.by_class.select(keep)
        return TermCounts(self.vocabulary.take(kept), self.n_rows, self.rows[kept], self.totals[kept], by_class)


def masked_weight(present: NDArray[np.bool_], weights: Numbers | None = None) -> float:
    """Return the number of rows selected by a mask, or their weight."""
    return float(np.count_nonzero(present) if weights is None else weights[present].sum())


def are_whole_numbers(numbers: Numbers) -> bool:
    """Return whether all are whole numbers that are added exactly."""
    return bool(((numbers == np.floor(numbers)) & (numbers < EXACT)).all())


def exact_row_weights(n_rows: float, rows: Numbers) -> tuple[float, Numbers]:
    """Return the weight of all rows and that of the rows with each term without rounding; a term in all has just it."""
    if are_whole_numbers(np.append(rows, n_rows)):
        return n_rows, rows
    total = round_digits(n_rows, DIGITS)
    counts = _kernels.round_significant(rows, DIGITS)
    return total, np.where(counts >= total * (1 - 10.0 ** (2 - DIGITS)), total, counts)
