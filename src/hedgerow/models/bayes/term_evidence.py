"""TermEvidence: the contribution of every term of a text to the score of every class, stored sparsely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers
from hedgerow.data.text.class_terms import ClassTerms
from hedgerow.data.text.term_vectors import EvidenceParts, TermVectors

EVENTS = ("multinomial", "bernoulli", "complement", "weighted_complement")


@dataclass(frozen=True, eq=False)
class TermEvidence:
    """What a term adds to the score of a class: level(class) + slope(class) * height(term) + more(term, class).

    `more` stands for the amounts of `by_class`, and is 0 for classes that do not have a term; so the evidence takes no
    more room than the counts. Where `strict`, a class is impossible for a text with a term that it does not have.
    """

    by_class: ClassTerms
    more: Numbers
    level: Numbers
    slope: Numbers
    height: Numbers  # of every term, or empty
    strict: NDArray[np.bool_]

    def add(self, vectors: TermVectors, scores: Numbers) -> NDArray[np.bool_]:
        """Add the evidence of every row's terms, times their values; return which rows have a term."""
        return vectors.add_scores(self.parts, scores)

    @property
    def parts(self) -> EvidenceParts:
        """The evidence as the kernels take it."""
        counts = self.by_class
        return counts.starts, counts.classes, self.more, self.height, self.slope, self.level, self.strict

    def of(self, term: int) -> Numbers:
        """Return the contribution of one term to each class."""
        counts = self.by_class
        values: Numbers = self.level + (self.slope * self.height[term] if len(self.height) else 0.0)
        own = slice(int(counts.starts[term]), int(counts.starts[term + 1]))
        has = np.zeros(len(values), dtype=np.bool_)
        has[counts.classes[own]] = True
        values[counts.classes[own]] += self.more[own]
        values[self.strict & ~has] = -np.inf
        return values


def multinomial(counts: ClassTerms, virtual: float) -> TermEvidence:
    """Return ln (n(t, c) + v) / (n(c) + v V)."""
    totals = counts.totals + virtual * len(counts)
    empty = totals <= 0  # a class without terms and virtual ones has equal shares
    below = np.log(np.where(empty, max(len(counts), 1), totals))
    if virtual > 0:
        least = np.log(virtual)
        return _evidence(counts, np.log(counts.amounts + virtual) - least, least - below)
    return _evidence(counts, np.log(counts.amounts), -below, strict=~empty)


def complement(counts: ClassTerms, virtual: float, *, weighted: bool) -> TermEvidence:
    """Return - ln (n(t, not c) + v) / (n(not c) + v V); if weighted, divided by its sum over all terms."""
    by_term = counts.term_totals
    height = np.log(by_term + virtual)
    own = counts.totals
    below = np.log(np.maximum(own.sum() - own, 0.0) + virtual * len(counts))
    rest = np.maximum(
        by_term[counts.terms] - counts.amounts, 0.0
    )  # clipped at 0: rounding errors if no other class has it
    more = np.log(rest + virtual) - height[counts.terms]
    slope = np.full(len(own), -1.0)
    if weighted:
        sums = height.sum() + np.bincount(counts.classes, more, len(own)) - len(counts) * below
        slope = 1 / np.where(sums < -1e-12 * len(counts), sums, -1.0)
    return TermEvidence(
        counts, more * slope[counts.classes], -below * slope, slope, height, np.zeros(len(own), dtype=np.bool_)
    )


@dataclass(frozen=True, eq=False)
class Presence:
    """Bernoulli's evidence: ln p for the terms that a text has, ln(1 - p) for all others."""

    present: TermEvidence  # ln p
    absent: TermEvidence  # ln(1 - p), 0 where that is minus infinity
    certain: TermEvidence | None  # 1 for the terms that every text of a class must have; None if there are none

    @property
    def shift(self) -> TermEvidence:
        """What a term adds that a text has and not lacks."""
        shift = self.present.more - self.absent.more, self.present.level - self.absent.level
        return _evidence(self.present.by_class, *shift, strict=self.present.strict)

    def base(self) -> Numbers:
        """Return the contribution of a text without any term to each class, except for terms that it must have."""
        counts = self.absent.by_class
        more = np.bincount(counts.classes, self.absent.more, len(counts.texts))
        return np.asarray(len(counts) * self.absent.level + more)

    def add(self, vectors: TermVectors, missing: NDArray[np.bool_], scores: Numbers) -> NDArray[np.bool_]:
        """Add the evidence of every row that has a text; return which have."""
        self.shift.add(vectors, scores)
        scores[~missing] += self.base()
        if self.certain is not None:
            hits = np.zeros_like(scores)
            self.certain.add(vectors, hits)
            needed = np.bincount(self.certain.by_class.classes, self.certain.more, scores.shape[1])
            scores[~missing[:, None] & (hits < needed)] = -np.inf
        return ~missing


def bernoulli(counts: ClassTerms, virtual: float) -> Presence:
    """Return the evidence of p = (n(t, c) + v) / (texts(c) + 2 v); a class without texts has p = 1/2."""
    totals = counts.texts + 2 * virtual
    empty = totals <= 0
    below = np.where(empty, 1.0, totals)
    least = np.where(empty, 0.5, virtual / below)  # p of a term that the class does not have
    shares = np.minimum((counts.amounts + virtual) / below[counts.classes], 1.0)
    sure = shares >= 1
    with np.errstate(divide="ignore"):
        never, lacking = np.log(least), np.log1p(-least)
        absent = np.where(sure, 0.0, np.log1p(-shares))
    strict = np.isneginf(never)
    never = np.where(strict, 0.0, never)
    present = _evidence(counts, np.log(shares) - never[counts.classes], never, strict=strict)
    certain = _evidence(counts, sure.astype(np.float64), np.zeros(len(totals))) if sure.any() else None
    return Presence(present, _evidence(counts, absent - lacking[counts.classes], lacking), certain)


def _evidence(
    counts: ClassTerms, more: Numbers, level: Numbers, *, strict: NDArray[np.bool_] | None = None
) -> TermEvidence:
    none = np.zeros(len(level), dtype=np.bool_) if strict is None else strict
    return TermEvidence(counts, more, level, np.zeros(len(level)), np.empty(0), none)
