"""TextLearner: the base of learners on texts, with the parameters of weighted terms."""

from __future__ import annotations

from typing import Any

from hedgerow.data.table.schema import Kind
from hedgerow.data.text.stop_words import stop_words_of
from hedgerow.data.text.term_space import IDFS, Weighting
from hedgerow.data.text.term_vectors import NORMS, TFS
from hedgerow.data.text.terms import TermLimits
from hedgerow.data.text.tokens import LONGEST_RUN, MOST_BITS, UNITS, Tokens
from hedgerow.learn.base import Learner
from hedgerow.learn.params import choice, flag, integer, real, words_param


class TextLearner(Learner):
    """Learners that take text columns; they inherit it beside what they are, and may declare other defaults."""

    unit: str = choice("word", "unit of terms", *UNITS)
    ngram_min: int = integer(1, "smallest length of an n-gram, in words or characters", low=1, high=LONGEST_RUN)
    ngram_max: int = integer(1, "largest length of an n-gram, in words or characters", low=1, high=LONGEST_RUN)
    min_length: int = integer(2, "minimum length of a word, in letters", low=1)
    lower: bool = flag(True, "convert texts to lower case")
    stop_words: Any = words_param("stop words, which are skipped")
    min_rows: int = integer(1, "minimum number of texts that contain a term", low=1)
    max_share: float = real(1.0, "maximum share of the texts that contain a term", above=0, high=1)
    most: int | None = integer(None, "maximum number of terms to keep, the most frequent ones", low=1, none=True)
    tf: str = choice("count", "term frequency weighting in a text", *TFS)
    idf: str = choice("none", "inverse document frequency weighting", *IDFS)
    norm: str = choice("none", "normalization of texts", *NORMS)
    bits: int | None = integer(None, "hash terms to 2^bits columns", low=1, high=MOST_BITS, none=True)
    signed: bool = flag(True, "give half of the hashed terms a negative sign")

    takes = frozenset({Kind.NUMERIC, Kind.NOMINAL, Kind.TEXT})

    def tokens(self) -> Tokens:
        """Return the definition of the terms of a text."""
        return Tokens(
            unit=self.unit,
            ngrams=(int(self.ngram_min), int(self.ngram_max)),
            min_length=int(self.min_length),
            lower=bool(self.lower),
            stop_words=stop_words_of(self.stop_words, bool(self.lower)),
            bits=None if self.bits is None else int(self.bits),
            signed=bool(self.signed),
        )

    def limits(self) -> TermLimits:
        """Return which terms are kept."""
        return TermLimits(int(self.min_rows), float(self.max_share), None if self.most is None else int(self.most))

    def weighting(self) -> Weighting:
        """Return how terms are weighted."""
        return Weighting(self.tf, self.idf, self.norm)
