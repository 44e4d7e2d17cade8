"""TextLearner: what learners on texts share, the settings that say how texts become weighed terms."""

from __future__ import annotations

from typing import Any

from hedgerow.data.table.schema import Kind
from hedgerow.data.text.stop_words import stop_words_of
from hedgerow.data.text.term_space import IDFS, Weighting
from hedgerow.data.text.term_vectors import NORMS, TFS
from hedgerow.data.text.terms import TermLimits
from hedgerow.data.text.tokens import LONGEST_RUN, MOST_BITS, UNITS, Tokens
from hedgerow.learn.base import Learner
from hedgerow.learn.params import choice, flag, integer, real, some_words


class TextLearner(Learner):
    """Learners that take text columns; they inherit it beside what they are, and may declare other defaults."""

    unit: str = choice("word", "what terms are made of", *UNITS)
    ngram_min: int = integer(1, "least number of words or characters in a row", low=1, high=LONGEST_RUN)
    ngram_max: int = integer(1, "largest number of words or characters in a row", low=1, high=LONGEST_RUN)
    min_length: int = integer(2, "letters of the shortest words that count", low=1)
    lower: bool = flag(True, "take texts in lower case")
    stop_words: Any = some_words("words that are passed over")
    min_rows: int = integer(1, "least number of texts that have a term", low=1)
    max_share: float = real(1.0, "largest share of the texts that have a term", above=0, high=1)
    most: int | None = integer(None, "how many terms are kept, the most frequent ones", low=1, none=True)
    tf: str = choice("count", "what a term of a text counts", *TFS)
    idf: str = choice("none", "how rare terms are stressed", *IDFS)
    norm: str = choice("none", "how texts are brought to one length", *NORMS)
    bits: int | None = integer(None, "hash terms to 2^bits columns", low=1, high=MOST_BITS, none=True)
    signed: bool = flag(True, "let half of the hashed terms count negatively")

    takes = frozenset({Kind.NUMERIC, Kind.NOMINAL, Kind.TEXT})

    def tokens(self) -> Tokens:
        """Return what the terms of a text are."""
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
        """Return how terms are weighed."""
        return Weighting(self.tf, self.idf, self.norm)
