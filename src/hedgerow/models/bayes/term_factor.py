"""TermFactor: the factor of a text column in naive Bayes, from the amounts of its terms in every class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Numbers, Rows, Table
from hedgerow.data.text.class_terms import ClassTerms
from hedgerow.data.text.term_space import TermSpace
from hedgerow.errors import ModelError
from hedgerow.layout.cell_width import count_cells, pad_cells
from hedgerow.layout.names import format_term
from hedgerow.layout.numbers import format_number
from hedgerow.layout.wrapping import hang_list
from hedgerow.models.base.checked_parts import array_part, codes_part, expect_parts, weights_part
from hedgerow.models.base.contributions import Contribution
from hedgerow.models.base.factor import Factor, escape_name, short
from hedgerow.models.base.term_parts import space_of, space_parts, terms_text
from hedgerow.models.bayes.term_evidence import EVENTS, Presence, TermEvidence, bernoulli, complement, multinomial

DIGITS = 12  # of amounts that are no whole numbers: sums lose their rounding noise, and no probability changes visibly
SHOWN = 10  # telling terms of a class that are printed
MOST = 1e200  # maximum total amount of all terms, so that no sum of a model from a file overflows


@dataclass(frozen=True)
class TellingTerm:
    """A term that distinguishes one class from the others.

    `log_odds` is ln P(term given class) - ln P(term given all other classes together), smoothed as the model smooths;
    `amount` is the term's weighted count in the class.
    """

    term: int
    name: str
    log_odds: float
    amount: float


@dataclass(frozen=True, eq=False)
class TermFactor(Factor):
    """A text column: the amount of every term in every class, and the pseudocount per term.

    Its evidence e(term, class) is, with n(t, c) the amount of term t in class c, v the virtual amount and V terms:

    - multinomial: ln (n(t, c) + v) / (n(c) + v V); a text adds x(t) e(t, c) for every term, x its weight.
    - bernoulli: p = (n(t, c) + v) / (texts(c) + 2 v); a text adds ln p for the terms it has and ln(1 - p) for others.
    - complement: - ln (n(t, not c) + v) / (n(not c) + v V), of all other classes; added as multinomial.
    - weighted_complement: the same divided by its sum over all terms of a class.
    """

    space: TermSpace
    by_class: ClassTerms
    virtual: float
    event: str

    kind = "terms"
    fits = Kind.TEXT

    def __post_init__(self) -> None:
        amounts, texts = self.by_class.amounts, self.by_class.texts
        if not _are_whole(amounts):
            amounts = _kernels.round_significant(amounts, DIGITS)
        if not _are_whole(texts):
            texts = _kernels.round_significant(texts, DIGITS)
        object.__setattr__(self, "by_class", replace(self.by_class, amounts=amounts, texts=texts))

    # -- evidence -------------------------------------------------------------------------------------------

    @property
    def is_complement(self) -> bool:
        """Whether a class is evaluated by the terms of the others."""
        return self.event in ("complement", "weighted_complement")

    @cached_property
    def evidence(self) -> TermEvidence | Presence:
        """What every term adds to the score of every class."""
        match self.event:
            case "multinomial":
                return multinomial(self.by_class, self.virtual)
            case "bernoulli":
                return bernoulli(self.by_class, self.virtual)
        return complement(self.by_class, self.virtual, weighted=self.event == "weighted_complement")

    # -- scores ---------------------------------------------------------------------------------------------

    def add(self, table: Table, position: int, scores: Numbers) -> None:
        """Add the evidence of each row's terms."""
        self.add_known(table, position, scores)

    def add_known(self, table: Table, position: int, scores: Numbers) -> NDArray[np.bool_]:
        """Do the same, and return which rows have a term that counts; in Bernoulli's model, which have a text."""
        text, evidence = table.texts(position), self.evidence
        if isinstance(evidence, Presence):
            return evidence.add(self.space.vectors(text), text.missing, scores)
        return self.space.add_scores(text, evidence.parts, scores)

    def contributions(self, table: Table, position: int) -> list[Contribution]:
        """Return the contribution of every term of the single row; in Bernoulli's model also that of absent terms."""
        text = table.texts(position)
        if text.missing[0]:
            return []
        name, evidence, vectors = table.schema.columns[position].name, self.evidence, self.space.vectors(text)
        pairs = [(int(term), float(x)) for term, x in zip(vectors.ids, vectors.values, strict=True) if x != 0]
        if not isinstance(evidence, Presence):
            return [Contribution(self.space.name_of(term), x * evidence.of(term), name, term) for term, x in pairs]
        parts = [Contribution(self.space.name_of(term), evidence.present.of(term), name, term) for term, _ in pairs]
        lacking = np.zeros((1, len(self.by_class.texts)))
        evidence.add(vectors, text.missing, lacking)
        for part in parts:
            lacking[0] -= np.where(np.isneginf(part.scores), 0.0, part.scores)
        return [*parts, Contribution("absent terms", lacking[0], name)]

    # -- for people -----------------------------------------------------------------------------------------

    @cached_property
    def log_odds(self) -> Numbers:
        """Of every amount of `by_class`, the log-odds of its term: see `TellingTerm`."""
        counts, v = self.by_class, self.virtual
        own, rest = counts.amounts, np.maximum(counts.term_totals[counts.terms] - counts.amounts, 0.0)
        if self.event == "bernoulli":
            own_total, total, virtual = counts.texts, float(counts.texts.sum()), 2 * v
        else:
            own_total, total, virtual = counts.totals, float(counts.totals.sum()), v * len(counts)
        below, rest_below = own_total + virtual, np.maximum(total - own_total, 0.0) + virtual
        equal = 0.5 if self.event == "bernoulli" else 1 / max(len(counts), 1)
        none = rest_below[counts.classes] <= 0
        with np.errstate(divide="ignore"):
            shares = (rest + v) / np.where(none, 1.0, rest_below[counts.classes])
            return np.asarray(np.log((own + v) / below[counts.classes]) - np.log(np.where(none, equal, shares)))

    @cached_property
    def ranked_amounts(self) -> Rows:
        """The amounts of `by_class` class by class, those of a class by amount times log-odds, the largest first."""
        counts = self.by_class
        values = counts.amounts * self.log_odds
        return np.lexsort((counts.terms, -counts.amounts, -values, counts.classes))

    def telling(self, most: int | None = SHOWN) -> list[list[TellingTerm]]:
        """Return the terms that distinguish each class most: the largest amounts times log-odds.

        At most `most` a class, None for all; only terms that are more probable in the class than elsewhere.
        """
        counts, terms = self.by_class, self.by_class.terms
        ends = np.cumsum(np.bincount(counts.classes, minlength=len(counts.texts)))
        groups = []
        for own in np.split(self.ranked_amounts, ends[:-1]):
            best = own[self.log_odds[own] > 0][:most]
            told = zip(terms[best].tolist(), self.log_odds[best].tolist(), counts.amounts[best].tolist(), strict=True)
            groups.append([TellingTerm(term, self.space.name_of(term), odds, amount) for term, odds, amount in told])
        return groups

    def text(self, column: Column, classes: Sequence[str]) -> list[str]:
        """Return the printed lines: the number of terms and the event model, then the telling terms of every class."""
        space = self.space
        weights = ", ".join(
            f"{name} {value}"
            for name, value, usual in zip(
                ("tf", "idf", "norm"),
                (space.weighting.tf, space.weighting.idf, space.weighting.norm),
                ("binary" if self.event == "bernoulli" else "count", "none", "none"),
                strict=True,
            )
            if value != usual
        )
        event = self.event.replace("_", " ")
        head = f"{escape_name(column.name)}: {terms_text(space)} of {space.corpus_size_text}, {event}" + (
            f"; {weights}" if weights else ""
        )
        names = [escape_name(label) for label in classes]
        room = max(map(count_cells, names))
        lines = [head]
        for name, terms in zip(names, self.telling(), strict=True):
            pieces = [
                f"{format_term(t.name)} {t.log_odds:+.2f} ({format_number(_round_amount(t.amount))})" for t in terms
            ]
            lines += hang_list(f"  {pad_cells(name, room)}  ", pieces or ["no term distinguishes it from the others"])
        return lines

    # -- parts ----------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the factor's parts."""
        counts = self.by_class
        return {
            "event": self.event,
            "virtual": self.virtual,
            "space": space_parts(self.space),
            "texts": counts.texts,
            "starts": counts.starts,
            "classes": counts.classes,
            "amounts": counts.amounts,
        }

    @classmethod
    def from_dict(cls, parts: dict[str, Any], column: Column, classes: int) -> TermFactor:  # noqa: ARG003
        """Build the factor from its parts."""
        expect_parts(parts, "kind", "event", "virtual", "space", "texts", "starts", "classes", "amounts")
        event, virtual = parts["event"], parts["virtual"]
        if event not in EVENTS:
            raise ModelError("a text column has an unknown event model")
        if type(virtual) is not float or not 0 <= virtual < np.inf:
            raise ModelError("the smoothing amount of a term must be a number of at least 0")
        space = space_of(parts["space"])
        if virtual * len(space) > MOST:
            raise ModelError("the smoothing amounts of its terms are too large")
        texts = weights_part(parts, "texts", classes)
        amounts = weights_part(parts, "amounts", None)
        if (texts > MOST / max(len(texts), 1)).any() or (amounts > MOST / max(len(amounts), 1)).any():
            raise ModelError("the amounts of its terms are too large to be added")
        starts = array_part(parts, "starts", np.int64, len(space) + 1)
        of = codes_part(parts, "classes", np.int32, len(amounts), classes)
        if starts[0] != 0 or starts[-1] != len(amounts) or (np.diff(starts) < 0).any():
            raise ModelError(f"its part 'starts' does not ascend from 0 to {len(amounts)}")
        first = np.zeros(len(amounts) + 1, dtype=np.bool_)
        first[starts] = True
        if ((np.diff(of) <= 0) & ~first[1:-1]).any() or not (amounts > 0).all():
            raise ModelError("the amounts of a term must be above 0, in ascending order of the classes")
        if event == "bernoulli" and (amounts > texts[of] * (1 + 1e-9)).any():
            raise ModelError("a term cannot occur in more texts of a class than there are")
        if event in ("complement", "weighted_complement") and virtual <= 0:
            raise ModelError("complement naive Bayes needs a smoothing amount above 0")
        if space.tokens.bits is not None and space.tokens.signed:
            raise ModelError("naive Bayes cannot count hashed terms with signs")
        return cls(space, ClassTerms(texts, starts, of, amounts), virtual, event)


def _are_whole(values: Numbers) -> bool:
    return bool((values == np.floor(values)).all())


def _round_amount(amount: float) -> float:
    return amount if amount.is_integer() else float(f"{short(amount):.4g}")
