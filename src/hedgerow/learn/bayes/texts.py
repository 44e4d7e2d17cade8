"""Text columns in naive Bayes: how their terms are counted by class, in one pass or two, and become a factor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hedgerow.data.table.table import Text
from hedgerow.data.text.class_terms import ClassRows, ClassTerms
from hedgerow.data.text.hashed_counts import HashedCounts
from hedgerow.data.text.term_counts import TermCounts
from hedgerow.data.text.term_space import TermSpace, Weighting
from hedgerow.data.text.terms import ALL, TermLimits
from hedgerow.data.text.text_counts import needs_one_pass, space_amounts, term_counts, text_counts
from hedgerow.data.text.tokens import Tokens
from hedgerow.errors import UsageError
from hedgerow.models.bayes.term_factor import TermFactor

if TYPE_CHECKING:
    from hedgerow.learn.bayes.naive_bayes import NaiveBayes

TextCounts = TermCounts | HashedCounts


@dataclass(frozen=True)
class TextSettings:
    """The settings of all text columns: what is counted, and the pseudocounts."""

    event: str
    tokens: Tokens
    limits: TermLimits
    weighting: Weighting
    smoothing: float
    m: float | None

    @classmethod
    def of(cls, learner: NaiveBayes) -> TextSettings:
        """Return the settings of a learner; incompatible ones raise an error."""
        weighting, m = learner.weighting(), None if learner.m is None else float(learner.m)
        event, smoothing = learner.text_model, float(learner.alpha)
        if learner.bits is not None and learner.signed:
            raise UsageError(
                "signed=True gives hashed terms negative counts, which naive Bayes does not support; leave it out"
            )
        if event == "bernoulli":
            if weighting.tf not in ("count", "binary") or weighting != Weighting(weighting.tf):
                raise UsageError(
                    "text_model='bernoulli' only uses whether a text contains a term: leave out tf, idf and norm, or "
                    "choose another text_model"
                )
            weighting = Weighting("binary")
        if "complement" in event and (smoothing if m is None else m) <= 0:
            raise UsageError(
                f"text_model={event!r} needs alpha or m above 0: a term that does not occur in the other classes "
                "would have infinite weight"
            )
        return cls(event, learner.tokens(), learner.limits(), weighting, smoothing, m)

    @property
    def is_single_pass(self) -> bool:
        """Whether one pass over the texts is enough."""
        return needs_one_pass(self.limits, self.weighting)

    def counts(self, text: Text, members: ClassRows) -> TextCounts:
        """Return the counts by class if there is one pass, or the counts without classes in the first of two passes."""
        if self.is_single_pass:
            return text_counts(text, self.tokens, self.weighting, members)
        return term_counts(text, self.tokens, members.weights)

    def space(self, counts: TextCounts) -> TermSpace:
        """Return the terms that are kept, and how they are weighted."""
        return TermSpace.from_counts(counts, self.tokens, self.limits, self.weighting)

    def factor_from_counts(self, counts: TextCounts) -> TermFactor | None:
        """Return the factor of a column that one pass has counted by class."""
        if isinstance(counts, TermCounts):
            counts = counts.with_exact_sums.apply_limits(self.limits)
        limits = ALL if isinstance(counts, TermCounts) else self.limits
        assert counts.by_class is not None
        return self.factor(TermSpace.from_counts(counts, self.tokens, limits, self.weighting), counts.by_class)

    def learn_factor(self, text: Text, members: ClassRows) -> TermFactor | None:
        """Return the factor of texts in memory: they are split once, however they are weighted."""
        space, vectors = TermSpace.learn(text, self.tokens, self.limits, self.weighting, members.weights)
        return self.factor(space, space_amounts(space, text, members, vectors))

    def factor(self, space: TermSpace, amounts: ClassTerms) -> TermFactor | None:
        """Return the factor of a column; None if it has no term at all."""
        if not len(space):
            return None
        virtual = self.smoothing
        if self.m is not None:
            virtual = self.m / (2 if self.event == "bernoulli" else len(space))
        return TermFactor(space, amounts, virtual, self.event)


@dataclass(frozen=True)
class Amounts:
    """The term sums of several text columns by class; they add column by column."""

    by_column: dict[int, ClassTerms]

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts({position: mine + other.by_column[position] for position, mine in self.by_column.items()})
