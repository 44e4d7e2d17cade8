"""TermSpace: a fixed vocabulary and the weighting of its terms; it converts texts to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.schema import Column
from hedgerow.data.table.table import Numbers, Text
from hedgerow.data.table.threads import n_threads
from hedgerow.data.text.counted_terms import CountedTerms
from hedgerow.data.text.hashed_counts import HashedCounts, column_names, hash_texts, name_columns
from hedgerow.data.text.term_counts import TermCounts, exact_row_weights
from hedgerow.data.text.term_vectors import NORMS, TFS, EvidenceParts, TermVectors, scales
from hedgerow.data.text.terms import ALL, TermLimits, Terms, terms_of
from hedgerow.data.text.tokens import FEATURES, WORDS, Tokens
from hedgerow.errors import UsageError
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits

IDFS = ("none", "plain", "smooth")
FEATURE_BITS = 18  # of features, where terms are not hashed
BLOCK_BYTES = 1 << 26  # of text whose terms are held at a time when they are hashed


@dataclass(frozen=True)
class Weighting:
    """How terms are weighted.

    Parameters
    ----------
    tf
        The term frequency: `count`; `binary`, 1; `share`, the count divided by that of all known terms of the text;
        `most`, the count divided by that of the most frequent term of the text; `log`, 1 + ln(count).
    idf
        The factor by which the term frequency is multiplied, if df of the N training texts contain the term, both by
        weight: `none`; `plain`, ln(N / df); `smooth`, ln((1 + N) / (1 + df)) + 1, as scikit-learn has it.
    norm
        The norm by which the weights of a text are finally divided: `l1`, the sum of absolute values; `l2`, the
        square root of the sum of squares; `none`.
    """

    tf: str = "count"
    idf: str = "none"
    norm: str = "none"

    def __post_init__(self) -> None:
        for name, known in (("tf", TFS), ("idf", IDFS), ("norm", NORMS)):
            if getattr(self, name) not in known:
                raise UsageError(f"{name}={getattr(self, name)!r} is not allowed: it must be one of {', '.join(known)}")

    @property
    def early_norm(self) -> str:
        """What weights are divided by before the idf is known: nothing, unless there is none."""
        return self.norm if self.idf == "none" else "none"

    def scale(self, rows: Numbers, n_rows: float) -> Numbers | None:
        """Return what each term's weight is multiplied by; None if by nothing."""
        if self.idf == "none":
            return None
        if self.idf == "plain":
            with np.errstate(over="ignore"):
                rarity = (n_rows or 1.0) / np.where(rows > 0, rows, 1.0)
            return np.asarray(np.log(np.minimum(rarity, np.finfo(np.float64).max)))
        return np.asarray(np.log((n_rows + 1.0) / (rows + 1.0)) + 1.0)


TF_IDF = Weighting("count", "smooth", "l2")  # as scikit-learn's TfidfVectorizer


def term_settings(column: Column, tokens: Tokens, weighting: Weighting) -> tuple[Tokens, Weighting]:
    """Return what the terms of a column are and how they are weighted: features count their values."""
    if not column.features:
        return tokens, weighting
    return Tokens(
        FEATURES, min_length=1, lower=False, bits=tokens.bits or FEATURE_BITS, signed=tokens.signed
    ), Weighting()


@dataclass(frozen=True, eq=False)
class TermSpace:
    """A fixed vocabulary and the weights of its terms.

    Hashed terms have no vocabulary: `vocabulary` and `totals` are the reverse dictionary, which gives columns their
    names, and `rows` is by column.

    Examples
    --------
    >>> texts = Text.of(["hockey goal hockey", "goal team", "orbit rocket orbit team"])
    >>> space, vectors = TermSpace.learn(texts, weighting=Weighting("share", "plain"))
    >>> space.names
    ('goal', 'hockey', 'orbit', 'rocket', 'team')
    >>> vectors.matrix().toarray()[1].round(6).tolist()
    [0.202733, 0.0, 0.0, 0.0, 0.202733]
    """

    vocabulary: Text
    n_rows: float  # weight of the texts that were learned from
    rows: Numbers  # weight of those that have each term
    totals: Numbers  # how often they have it, by weight
    tokens: Tokens = WORDS
    weighting: Weighting = field(default_factory=Weighting)

    @classmethod
    def from_counts(
        cls,
        counts: TermCounts | HashedCounts,
        tokens: Tokens = WORDS,
        limits: TermLimits = ALL,
        weighting: Weighting | None = None,
    ) -> TermSpace:
        """Return the space of a corpus that has been counted."""
        weighting = weighting or Weighting()
        if isinstance(counts, HashedCounts):
            refuse_limits_on_hashed(limits)
            names = counts.names.with_exact_sums
            n_rows, rows = exact_row_weights(counts.n_rows, counts.rows)
            return cls(names.vocabulary, n_rows, rows, names.totals, tokens, weighting)
        counts = counts.with_exact_sums.apply_limits(limits)
        return cls(counts.vocabulary, counts.n_rows, counts.rows, counts.totals, tokens, weighting)

    @classmethod
    def learn(
        cls,
        text: Text,
        tokens: Tokens = WORDS,
        limits: TermLimits = ALL,
        weighting: Weighting | None = None,
        weights: Numbers | None = None,
    ) -> tuple[TermSpace, TermVectors]:
        """Return the space of some texts, whose rows may have weights, and their vectors; the texts are split once."""
        weighting = weighting or Weighting()
        if tokens.bits is not None:
            refuse_limits_on_hashed(limits)
            vectors, hashed_counts = hash_texts(text, tokens, weighting.tf, weighting.early_norm, weights)
            space = cls.from_counts(hashed_counts, tokens, weighting=weighting)
            return space, space.apply_idf(vectors)
        if limits == ALL and weights is None:
            counted = CountedTerms.of(text, tokens)
            space = cls.from_counts(counted.counts, tokens, weighting=weighting)
            return space, counted.vectors(weighting.tf, space.scale, weighting.norm)
        terms = terms_of(text, tokens)
        counts = TermCounts.of_terms(terms, ~text.missing, weights=weights).with_exact_sums
        if limits != ALL:
            keep = limits.select_terms(counts.rows, counts.totals, counts.n_rows)
            terms, counts = terms.select(keep), counts.select(keep)
        space = cls.from_counts(counts, tokens, weighting=weighting)
        return space, space.weigh_terms(terms)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def corpus_size_text(self) -> str:
        """The number of training texts, in words."""
        return "1 text" if self.n_rows == 1 else f"{format_number(_round_weight(self.n_rows))} texts"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of every term, or of every column of hashed terms."""
        if self.tokens.bits is not None:
            return column_names(self.vocabulary, self.totals, self.tokens.bits)
        return tuple(str(term) for term in self.vocabulary)

    def names_of(self, ids: Sequence[int]) -> list[str]:
        """Return the names of some terms, or of some columns of hashed terms, without making all."""
        if self.tokens.bits is None:
            return [str(self.vocabulary[place]) for place in ids]
        return name_columns(self.vocabulary, self.totals, self.tokens.bits, ids)

    def name_of(self, term: int) -> str:
        """Return the name of one term."""
        return self.names[term] if self.tokens.bits is not None else str(self.vocabulary[term])

    @cached_property
    def scale(self) -> Numbers | None:
        """What the weight of each term is multiplied by (its idf)."""
        return self.weighting.scale(self.rows, self.n_rows)

    @cached_property
    def lexicon(self) -> Any:
        """The vocabulary, ready to be looked up in texts; of hashed terms there is none."""
        return _kernels.Lexicon(self.vocabulary.data, self.vocabulary.offsets, *self.tokens.kernel_settings)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "lexicon"}

    def terms(self, text: Text) -> Terms:
        """Return the terms of the vocabulary in some texts."""
        return Terms(self.vocabulary, *self.lexicon.count(text.data, text.offsets, text.missing, n_threads()))

    def add_scores(self, text: Text, evidence: EvidenceParts, scores: Numbers) -> NDArray[np.bool_]:
        """Add the weighted contributions of the terms of every text to each class; return which texts have any.

        No more than a few rows of terms are held at a time.
        """
        if self.tokens.bits is not None:
            return self.vectors(text).add_scores(evidence, scores)
        known = np.zeros(len(text), dtype=np.bool_)
        how = TFS.index(self.weighting.tf), scales(self.scale), NORMS.index(self.weighting.norm)
        column = (text.data, text.offsets, text.missing)
        self.lexicon.add_scores(*column, *how, *evidence, scores, known, n_threads())
        return known

    def vectors(self, text: Text) -> TermVectors:
        """Return the vectors of some texts."""
        if self.tokens.bits is None:
            return self.weigh_terms(self.terms(text))
        tf, norm = self.weighting.tf, self.weighting.early_norm
        parts = [self.apply_idf(hash_texts(part, self.tokens, tf, norm)[0]) for part in blocks(text)]
        return concatenate_vectors(parts, len(self))

    def apply_idf(self, vectors: TermVectors) -> TermVectors:
        """Return vectors of hashed terms times their idf, if there is one; they are changed in place."""
        if self.scale is None:
            return vectors
        return vectors.scale_terms(self.scale, self.weighting.norm, in_place=True)

    def weigh_terms(self, terms: Terms) -> TermVectors:
        """Return the vectors of texts whose terms of the vocabulary are counted."""
        return TermVectors.of_counts(terms, self.weighting.tf, self.scale, self.weighting.norm)


def refuse_limits_on_hashed(limits: TermLimits) -> None:
    """Raise an error if a vocabulary that is not there should be limited."""
    if limits != ALL:
        raise UsageError(
            "hashed terms have no vocabulary to limit: leave out either min_rows, max_share and most, or bits"
        )


def blocks(text: Text) -> list[Text]:
    """Return the rows of a text column in parts of some size."""
    cuts = [0]
    while cuts[-1] < len(text):
        end = int(np.searchsorted(text.offsets, text.offsets[cuts[-1]] + BLOCK_BYTES, side="right")) - 1
        cuts.append(min(len(text), max(end, cuts[-1] + 1)))
    if len(cuts) <= 2:
        return [text]
    return [Text(text.data, text.offsets[a : b + 1], text.missing[a:b]) for a, b in pairwise(cuts)]


def concatenate_vectors(parts: list[TermVectors], n_terms: int) -> TermVectors:
    """Return the vectors of several parts, one after another."""
    if len(parts) == 1:
        return parts[0]
    ends = np.cumsum([0, *(len(part.ids) for part in parts)])
    starts: list[Any] = [part.row_starts[1:] + end for part, end in zip(parts, ends[:-1], strict=True)]
    return TermVectors(
        np.concatenate([[0], *starts]).astype(np.int64),
        np.concatenate([part.ids for part in parts]),
        np.concatenate([part.values for part in parts]),
        n_terms,
    )


def _round_weight(weight: float) -> float:
    return weight if weight.is_integer() else round_digits(weight)
