"""Counting texts by class in one pass: the terms of a corpus, and their amounts in every class."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hedgerow.data.table.table import Numbers, Text
from hedgerow.data.text.class_terms import ClassRows, ClassTerms
from hedgerow.data.text.hashed_counts import HashedCounts, hash_texts
from hedgerow.data.text.term_counts import TermCounts
from hedgerow.data.text.term_space import TermSpace, Weighting
from hedgerow.data.text.term_vectors import TermVectors
from hedgerow.data.text.terms import ALL, TermLimits, terms_of
from hedgerow.data.text.tokens import Tokens


def needs_one_pass(limits: TermLimits, weighting: Weighting) -> bool:
    """Tell whether what terms amount to is known text by text: before it is known which terms are kept, and their idf.

    Of whole texts it is; where terms are left out, only if a weight does not depend on the others of its text.
    """
    alone = weighting.tf not in ("share", "most") and weighting.norm == "none"
    return weighting.idf == "none" and (limits == ALL or alone)


def exact(weighting: Weighting) -> bool:
    """Return whether amounts of rows without weights are whole numbers, whose sums are exact."""
    return weighting.idf == "none" and weighting.norm == "none" and weighting.tf in ("count", "binary")


def subtractable(tokens: Tokens, limits: TermLimits, weighting: Weighting) -> bool:
    """Return whether the counts of some texts can be taken off those of all, exactly; names of hashed terms cannot."""
    return needs_one_pass(limits, weighting) and exact(weighting) and tokens.bits is None


def text_counts(text: Text, tokens: Tokens, weighting: Weighting, members: ClassRows) -> TermCounts | HashedCounts:
    """Return the counts of some texts by class, where one pass is enough."""
    present, weights = ~text.missing, members.weights
    if tokens.bits is not None:
        term_vectors, hashed_counts = hash_texts(text, tokens, weighting.tf, weighting.norm, weights)
        return replace(hashed_counts, by_class=ClassTerms.of(term_vectors, term_vectors.values, present, members))
    terms = terms_of(text, tokens)
    counts = TermCounts.of_terms(terms, present, weights=weights)
    if exact(weighting):
        values = terms.counts if weighting.tf == "count" else np.ones_like(terms.counts)
        return replace(counts, by_class=ClassTerms.of(terms, values, present, members))
    vectors = TermVectors.of_counts(terms, weighting.tf, norm=weighting.norm)
    return replace(counts, by_class=ClassTerms.of(vectors, vectors.values, present, members))


def term_counts(text: Text, tokens: Tokens, weights: Numbers | None) -> TermCounts | HashedCounts:
    """Return the counts of some texts, whatever their class: the first of two passes."""
    how = TermCounts if tokens.bits is None else HashedCounts
    return how.of(text, tokens, weights=weights)


def space_amounts(space: TermSpace, text: Text, members: ClassRows, vectors: TermVectors | None = None) -> ClassTerms:
    """Return what texts amount to in a settled space, by class: the second pass; their vectors may be known."""
    vectors = space.vectors(text) if vectors is None else vectors
    return ClassTerms.of(vectors, vectors.values, ~text.missing, members)
