"""Texts that were hashed as they were read, and the spellings that keep their columns readable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.table import Codes, Numbers, Rows, Text
from hedgerow.data.text.hashed_counts import BUDGET, HashedCounts, hashes_to_columns
from hedgerow.data.text.term_counts import TermCounts
from hedgerow.data.text.term_vectors import TermVectors
from hedgerow.data.text.tokens import FEATURES, Tokens, text_from_kernel

MOST_NAMES = 4 * BUDGET  # spellings that are kept while rows are read
MOST_FRESH = (1 << 31) - 1  # rows that are counted in 32 bits
Columns = tuple[Rows, Codes, Numbers, Any, Rows]  # starts, ids, values and new spellings, as kernels give them


def no_columns(n_rows: int) -> Columns:
    """Return columns of rows that have none."""
    starts = np.zeros(n_rows + 1, dtype=np.int64)
    none = np.empty(0, dtype=np.uint8)
    return starts, np.empty(0, dtype=np.int32), np.empty(0), none, np.zeros(1, dtype=np.int64)


@dataclass(frozen=True)
class Hashing:
    """How features are hashed: to 2 ** bits columns, their values negative where the hash is and `signed`."""

    bits: int
    signed: bool = False

    def reader(self) -> Any:
        """Return the reader of blocks in their order (kernels/text/hashed_reader.hpp)."""
        return _kernels.HashedReader(self.bits, self.signed, MOST_NAMES)

    def fits(self, tokens: Tokens) -> bool:
        """Return whether the terms of a column are features that are hashed so."""
        return tokens.unit == FEATURES and tokens.bits == self.bits and tokens.signed == self.signed


@dataclass(frozen=True, eq=False)
class NewTerms:
    """What some rows add to what is known of a column's terms: columns, one a row that has them, and new spellings."""

    n_rows: int
    n_columns: int
    ids: Codes
    names: Text

    @classmethod
    def of(cls, n_rows: int, n_columns: int, columns: Columns) -> NewTerms:
        """Return the result of the kernel."""
        return cls(n_rows, n_columns, columns[1], text_from_kernel(columns[3], columns[4]))


class HashedText(Text):
    """A text column whose features are hashed already; it is spelled out only if its bytes are requested."""

    def __init__(self, hashing: Hashing, vectors: TermVectors, new: NewTerms, spell: Callable[[], Text]) -> None:
        result = {"hashing": hashing, "vectors": vectors, "new": new, "_spell": spell}
        self.__dict__.update(result, missing=np.zeros(len(vectors), dtype=np.bool_))

    hashing: Hashing
    vectors: TermVectors
    new: NewTerms
    _spell: Callable[[], Text]

    @classmethod
    def of_columns(cls, hashing: Hashing, columns: Columns, spell: Callable[[], Text]) -> HashedText:
        """Return the result of the kernel; `spell` returns the text."""
        starts, ids, values = columns[:3]
        vectors = TermVectors(starts, ids, values, 1 << hashing.bits)
        return cls(hashing, vectors, NewTerms.of(len(vectors), vectors.n_terms, columns), spell)

    @cached_property
    def _spelled_text(self) -> Text:
        return self._spell()

    @property
    def data(self) -> Any:
        """The bytes of the features."""
        return self._spelled_text.data

    @property
    def offsets(self) -> Rows:
        """Where the features of every row begin."""
        return self._spelled_text.offsets

    def take(self, rows: Rows) -> HashedText:
        """Return the features of some rows; new spellings are told again."""
        vectors = self.vectors.take(rows)
        new = NewTerms(len(rows), vectors.n_terms, vectors.ids, self.new.names)
        return HashedText(self.hashing, vectors, new, lambda: self._spelled_text.take(rows))


class TermSpellings:
    """What is known of the hashed terms of a column: how many rows have each of its columns, and spellings."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.n_rows = 0.0
        self._rows = np.zeros(1 << bits)
        self._fresh = np.zeros(1 << bits, dtype=np.int32)  # of rows that came since; small, as all of it is in use
        self._n_fresh = 0
        self._names: list[Text] = []
        self._counts: HashedCounts | None = None  # if nothing came since

    @property
    def rows(self) -> Numbers:
        """How many rows have each column."""
        if self._n_fresh:
            self._rows += self._fresh
            self._fresh[:] = 0
            self._n_fresh = 0
        return self._rows

    def add(self, new: NewTerms) -> None:
        """Take in some rows."""
        if self._n_fresh + new.n_rows > MOST_FRESH:
            _ = self.rows
        self.n_rows += new.n_rows
        self._n_fresh += new.n_rows
        self._counts = None
        _kernels.count_ids(new.ids, self._fresh)
        self.add_spellings(new)

    def add_spellings(self, new: NewTerms) -> None:
        """Keep the spellings of some rows, which do not count."""
        if len(new.names):
            self._counts = None
            self._names.append(new.names)

    @property
    def names(self) -> Text:
        """The spellings of columns that rows have, different ones, in order."""
        ends = np.concatenate([[0], np.cumsum([len(text.data) for text in self._names])]).astype(np.int64)
        data = np.concatenate([text.data for text in self._names]) if self._names else np.empty(0, dtype=np.uint8)
        pieces = [text.offsets[:-1] + start for text, start in zip(self._names, ends, strict=False)]
        offsets = np.concatenate([*pieces, ends[-1:]]).astype(np.int64)
        order = _kernels.argsort_words(data, offsets)
        return text_from_kernel(*_kernels.gather_bytes(data, offsets, order))

    def counts(self) -> HashedCounts:
        """Return the same as counts that add up; a term counts the rows of its column."""
        if self._counts is None:
            self._counts = self._to_counts()
        return self._counts

    def _to_counts(self) -> HashedCounts:
        names = self.names
        hashes = _kernels.hash_words(names.data, names.offsets)
        by_name = self.rows[hashes_to_columns(hashes, self.bits)]
        keep = by_name > 0
        if len(names) > 1:
            keep[1:] &= _differs(names, hashes)
        if not keep.all():
            names, by_name = names.take(np.flatnonzero(keep)), by_name[keep]
        return HashedCounts(
            self.bits, self.n_rows, self.rows.copy(), TermCounts(names, self.n_rows, by_name, by_name)
        ).trim_dictionary()


def _differs(names: Text, hashes: Codes) -> Any:
    """Tell of every name but the first whether it is another than the one before."""
    sizes = np.diff(names.offsets)
    same = np.flatnonzero((hashes[1:] == hashes[:-1]) & (sizes[1:] == sizes[:-1]))
    out = np.ones(len(names) - 1, dtype=np.bool_)
    for place in same.tolist():
        out[place] = names[place] != names[place + 1]
    return out


class WordHashing:
    """Hashes the single words of text columns block by block, as `hashed` does, in one scan."""

    def __init__(self, bits: int, signed: bool) -> None:
        self.bits, self.signed = bits, signed
        self._reader = _kernels.HashedReader(bits, signed, MOST_NAMES)

    @staticmethod
    def takes(tokens: Tokens, tf: str) -> bool:
        """Return whether words are single ones, none of them left out, and what they count is known at once."""
        binary = tf == "binary" and not tokens.signed
        return tokens.unit == "word" and tokens.ngrams == (1, 1) and not tokens.stop_words and (tf == "count" or binary)

    def read(self, text: Text, tokens: Tokens, tf: str, norm: str, column: str) -> tuple[TermVectors, NewTerms]:
        """Return the terms of some texts, and what they add to what is known."""
        how = (column, tokens.min_length, tokens.lower, tf == "binary")
        columns = self._reader.read_words(text.data, text.offsets, text.missing, *how)
        starts, ids, values = columns[:3]
        vectors = TermVectors(starts, ids, values, 1 << self.bits)
        n_rows = len(text) - int(np.count_nonzero(text.missing))
        return vectors.scale_terms(None, norm, in_place=True), NewTerms.of(n_rows, vectors.n_terms, columns)
