"""Terms: the different words of a text column, or their runs, and how often each is in every row.

Words are the longest runs of letters, digits and underscores, in lower case. By default those of one letter do not
count, and the terms are those of scikit-learn's CountVectorizer, term by term and count by count. `Tokens` says what
else a term may be: runs of words or characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.schema import first_repeated
from hedgerow.data.table.table import Codes, Numbers, Rows, Text
from hedgerow.data.table.threads import n_threads
from hedgerow.data.text.tokens import WORDS, Tokens, text_from_kernel
from hedgerow.errors import DataError, UsageError


@dataclass(frozen=True, eq=False)
class Terms:
    """Which terms are in which rows: sparse, row by row.

    Row i has the terms `ids[row_starts[i]:row_starts[i + 1]]`, ascending, each as often as `counts` says; an id is a
    position in the vocabulary. A missing text has none, as an empty one.

    Examples
    --------
    >>> terms = terms_of(Text.of(["Free, free money!", None, "no money"]))
    >>> terms.words
    ('free', 'money', 'no')
    >>> terms.row_starts.tolist(), terms.ids.tolist(), terms.counts.tolist()
    ([0, 2, 2, 4], [0, 1, 1, 2], [2, 1, 1, 1])
    """

    vocabulary: Text
    row_starts: Rows
    ids: Codes
    counts: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.row_starts) - 1

    @property
    def n_terms(self) -> int:
        """How many terms the vocabulary has."""
        return len(self.vocabulary)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The vocabulary as words."""
        return tuple(str(word) for word in self.vocabulary)

    def sums(self, weights: Numbers | None = None) -> tuple[Numbers, Numbers]:
        """Return the weight of the rows that have each term, and of all its occurrences; without weights each is 1."""
        if weights is None:
            return self.row_counts.astype(np.float64), self.totals.astype(np.float64)
        rows, totals = _kernels.sum_weighted_rows(
            self.row_starts, self.ids, self.counts, np.ascontiguousarray(weights, dtype=np.float64), self.n_terms
        )
        return rows, totals

    @cached_property
    def row_counts(self) -> Rows:
        """In how many rows each term is."""
        return self._sums[0]

    @cached_property
    def totals(self) -> Rows:
        """How often each term is in all rows together."""
        return self._sums[1]

    @cached_property
    def _sums(self) -> tuple[Rows, Rows]:
        rows, totals = _kernels.sum_rows(self.ids, self.counts, len(self.vocabulary))
        return rows, totals

    @cached_property
    def entry_rows(self) -> Rows:
        """The row of every entry of `ids` and `counts`."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.row_starts))

    def by_term(self) -> tuple[Rows, Rows]:
        """Return the rows of every term: those of term k are `rows[starts[k]:starts[k + 1]]`, ascending."""
        starts = np.concatenate([[0], np.cumsum(self.row_counts)]).astype(np.int64)
        return starts, self.entry_rows[np.argsort(self.ids, kind="stable")]

    def select(self, keep: NDArray[np.bool_]) -> Terms:
        """Return the same rows with the terms selected by `keep`, by id."""
        if keep.all():
            return self
        new_ids = np.cumsum(keep, dtype=np.int64) - 1
        kept = keep[self.ids]
        ends = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
        return Terms(
            self.vocabulary.take(np.flatnonzero(keep)),
            ends[self.row_starts],
            new_ids[self.ids[kept]].astype(np.int32),
            self.counts[kept],
        )


@dataclass(frozen=True)
class TermLimits:
    """The limits that select the terms of a corpus.

    Parameters
    ----------
    min_rows
        Minimum number of rows with the term. Rows count by their weight.
    max_share
        Maximum share of the rows with the term; rows without a text are ignored.
    most
        Number of terms to keep: the most frequent ones, ties going to the first. None keeps all.
    """

    min_rows: int = 1
    max_share: float = 1.0
    most: int | None = None

    def __post_init__(self) -> None:
        if self.min_rows < 1:
            raise UsageError(f"min_rows={self.min_rows!r} is not allowed: it must be 1 or more")
        if not 0 < self.max_share <= 1:
            raise UsageError(f"max_share={self.max_share!r} is not allowed: it must be above 0 and at most 1")
        if self.most is not None and self.most < 1:
            raise UsageError(f"most={self.most!r} is not allowed: it must be 1 or more, or None for all terms")

    def select_terms(self, row_counts: Rows | Numbers, totals: Rows | Numbers, n_rows: float) -> NDArray[np.bool_]:
        """Return which terms are kept, given the number of the `n_rows` rows with each, and their total counts."""
        keep: NDArray[np.bool_] = row_counts <= self.max_share * n_rows
        if self.min_rows > 1:  # otherwise rows of little weight count too
            keep &= row_counts >= self.min_rows
        if self.most is not None and np.count_nonzero(keep) > self.most:
            allowed = np.flatnonzero(keep)
            keep = np.zeros(len(keep), dtype=np.bool_)
            keep[allowed[np.argsort(-totals[allowed], kind="stable")[: self.most]]] = True
        return keep


ALL = TermLimits()


def terms_of(text: Text, tokens: Tokens = WORDS, limits: TermLimits = ALL) -> Terms:
    """Return the terms of a text column, in the order of their code points."""
    (data, offsets), rows = _kernels.count_terms(
        text.data, text.offsets, text.missing, *tokens.kernel_settings, n_threads()
    )
    terms = Terms(text_from_kernel(data, offsets), *rows)
    if limits == ALL:
        return terms
    return terms.select(limits.select_terms(terms.row_counts, terms.totals, int(np.count_nonzero(~text.missing))))


def terms_with(text: Text, vocabulary: Text | Iterable[str], tokens: Tokens = WORDS) -> Terms:
    """Return how often known terms are in every row of a text column.

    The vocabulary may be in any order; ids are positions in it. A term that the texts cannot have is in no row.
    `TermSpace.lexicon` serves where the same terms are looked up again.
    """
    known = vocabulary
    if not isinstance(known, Text):
        known = Text.of(known)
        if (twice := first_repeated(map(str, known))) is not None:
            raise DataError(f"the vocabulary lists {twice!r} twice")
    rows = _kernels.count_known_terms(
        text.data, text.offsets, text.missing, known.data, known.offsets, *tokens.kernel_settings, n_threads()
    )
    return Terms(known, *rows)


def words_in(text: str, min_length: int = WORDS.min_length) -> list[str]:
    """Return the words of one text in their order.

    Examples
    --------
    >>> words_in("It's FREE, free!")
    ['it', 'free', 'free']
    """
    return Tokens(min_length=min_length).split(text)
