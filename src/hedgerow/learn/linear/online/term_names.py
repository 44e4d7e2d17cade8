"""OnlineTerms: the spellings of hashed terms, so that hashed columns stay readable."""

from __future__ import annotations

from functools import reduce
from operator import add

from hedgerow.data.table.table import Text
from hedgerow.data.text.hashed_counts import HashedCounts, hash_texts
from hedgerow.data.text.hashed_text import HashedText, NewTerms, TermSpellings, WordHashing
from hedgerow.data.text.term_space import Weighting
from hedgerow.data.text.term_vectors import TermVectors
from hedgerow.data.text.tokens import Tokens


class OnlineTerms:
    """The terms of text columns, as far as they have occurred.

    Rows are read before they are learned (`read`, in the order of the rows), and their terms added when learned
    (`meet`).
    """

    def __init__(self) -> None:
        self._parts: dict[str, list[HashedCounts]] = {}
        self._names: dict[str, TermSpellings] = {}
        self._hashing: WordHashing | None = None

    def read(
        self, column: str, text: Text, tokens: Tokens, weighting: Weighting
    ) -> tuple[TermVectors, HashedCounts | NewTerms]:
        """Return the hashed term weights of some texts, and the terms to add."""
        if isinstance(text, HashedText) and text.hashing.fits(tokens):
            return text.vectors, text.new
        if tokens.bits is None or not WordHashing.takes(tokens, weighting.tf):
            return hash_texts(text, tokens, weighting.tf, weighting.norm)
        if self._hashing is None:
            self._hashing = WordHashing(tokens.bits, tokens.signed)
        return self._hashing.read(text, tokens, weighting.tf, weighting.norm, column)

    def read_terms(self, column: str, text: Text, tokens: Tokens, weighting: Weighting) -> TermVectors:
        """Return the first of these, of texts that are not learned from."""
        if isinstance(text, HashedText) and text.hashing.fits(tokens):
            self.add_spellings(column, text.new)
            return text.vectors
        return hash_texts(text, tokens, weighting.tf, weighting.norm)[0]

    def meet(self, column: str, terms: HashedCounts | NewTerms) -> None:
        """Add the terms of rows that are learned."""
        if isinstance(terms, NewTerms):
            self._spellings_of(column, terms.n_columns).add(terms)
            return
        parts = self._parts.setdefault(column, [])
        parts.append(terms)
        while len(parts) > 1 and len(parts[-1].names) * 2 > len(parts[-2].names):
            parts[-2:] = [parts[-2] + parts[-1]]

    def add_spellings(self, column: str, terms: HashedCounts | NewTerms) -> None:
        """Store the spellings of rows that are not learned: they are not reported again."""
        if isinstance(terms, NewTerms):
            self._spellings_of(column, terms.n_columns).add_spellings(terms)

    def _spellings_of(self, column: str, n_columns: int) -> TermSpellings:
        return self._names.setdefault(column, TermSpellings(n_columns.bit_length() - 1))

    def counts(self, column: str) -> HashedCounts | None:
        """Return the known terms of a column."""
        parts = self.parts().get(column)
        return reduce(add, parts) if parts else None

    def parts(self) -> dict[str, list[HashedCounts]]:
        """Return all known terms, in parts that can be added."""
        out = {column: list(parts) for column, parts in self._parts.items()}
        for column, names in self._names.items():
            out.setdefault(column, []).append(names.counts())
        return out

    @classmethod
    def of(cls, parts: dict[str, list[HashedCounts]]) -> OnlineTerms:
        """Return terms that are known already."""
        out = cls()
        out._parts = parts
        return out
