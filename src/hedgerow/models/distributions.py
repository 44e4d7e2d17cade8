"""Distributions: naive Bayes' model, the prior of the classes and one factor a column."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.dates import format_dates
from hedgerow.data.decimals import number_text
from hedgerow.data.discretize import interval_codes, interval_names
from hedgerow.data.schema import Column, Kind, Schema
from hedgerow.data.table import Numbers, Table
from hedgerow.data.term_space import TermSpace
from hedgerow.errors import ModelError
from hedgerow.models.factor import Factor, Lines, ValueFactor, fractions, log_shares, short, shown, stored
from hedgerow.models.grounds import Ground, Grounds
from hedgerow.models.model import About, ClassModel, Scored
from hedgerow.models.parts import expect_parts, numbers_part, pooled, unpooled, weights_part
from hedgerow.models.term_factor import SHOWN, WIDTH, Telling, TermFactor


@dataclass(frozen=True, eq=False)
class Levels(ValueFactor):
    """A nominal column: counts by level and class, and virtual rows a level."""

    counts: Numbers  # (levels, classes)
    virtual: Numbers  # (levels,)

    kind = "levels"
    fits = Kind.NOMINAL

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", stored(self.counts))
        object.__setattr__(self, "virtual", stored(self.virtual))

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.counts.shape[1])

    @cached_property
    def evidence(self) -> Numbers:
        """Log probability by level and class."""
        return np.ascontiguousarray(log_shares(self.counts, self.virtual))

    def add(self, table: Table, position: int, scores: Numbers) -> None:
        """Add the evidence of each row's level."""
        _kernels.add_level_scores(table.codes(position), self.evidence, scores)

    def lines(self, column: Column) -> Lines:
        """Return a line a level."""
        return list(zip(map(shown, column.levels), fractions(self.counts, self.virtual), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return the factor's parts."""
        return {"counts": self.counts, "virtual": self.virtual}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], column: Column, classes: int) -> Factor:
        """Build the factor from its parts."""
        expect_parts(parts, "kind", "counts", "virtual")
        shape = (len(column.levels), classes)
        return cls(weights_part(parts, "counts", *shape), weights_part(parts, "virtual", shape[0]))


@dataclass(frozen=True, eq=False)
class Bins(Levels):
    """A numeric column cut into intervals, then treated like a nominal one: interval i has the i-th line of counts."""

    cuts: Numbers  # (intervals - 1,), ascending

    kind = "bins"
    fits = Kind.NUMERIC

    def add(self, table: Table, position: int, scores: Numbers) -> None:
        """Add the evidence of each row's interval."""
        _kernels.add_level_scores(interval_codes(table.numbers(position), self.cuts), self.evidence, scores)

    def lines(self, column: Column) -> Lines:  # noqa: ARG002
        """Return a line an interval."""
        return list(zip(interval_names(self.cuts), fractions(self.counts, self.virtual), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return the factor's parts."""
        return {"cuts": self.cuts, **super().to_dict()}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], column: Column, classes: int) -> Factor:  # noqa: ARG003
        """Build the factor from its parts."""
        expect_parts(parts, "kind", "cuts", "counts", "virtual")
        cuts = numbers_part(parts, "cuts", None)
        if (np.diff(cuts) <= 0).any():
            raise ModelError("the cut points of a column must ascend")
        shape = (len(cuts) + 1, classes)
        return cls(weights_part(parts, "counts", *shape), weights_part(parts, "virtual", shape[0]), cuts)


@dataclass(frozen=True, eq=False)
class Normal(ValueFactor):
    """A numeric column: a normal distribution a class."""

    mean: Numbers
    deviation: Numbers  # above 0
    weight: Numbers  # rows they were estimated from

    kind = "normal"
    fits = Kind.NUMERIC

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.mean)

    def add(self, table: Table, position: int, scores: Numbers) -> None:
        """Add log N(x; mean, deviation) = - log(deviation sqrt(2 pi)) - (x - mean)^2 / (2 deviation^2)."""
        _kernels.add_normal_scores(table.numbers(position), self.mean, self.deviation, scores)

    def lines(self, column: Column) -> Lines:
        """Return mean, deviation and weight; of dates also the day, and the deviation in days."""
        lines = [
            ("mean", [number_text(v) for v in self.mean.tolist()]),
            ("std dev", [number_text(v) for v in self.deviation.tolist()]),
            ("weight", [number_text(short(v)) for v in self.weight.tolist()]),
        ]
        if column.date is not None:
            lines.insert(1, ("= day", format_dates(self.mean, "yyyy-MM-dd")))
            lines.insert(3, ("= days", [f"{v / 86400:.1f}" for v in self.deviation.tolist()]))
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return the factor's parts."""
        return {"mean": self.mean, "deviation": self.deviation, "weight": self.weight}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], column: Column, classes: int) -> Factor:  # noqa: ARG003
        """Build the factor from its parts."""
        expect_parts(parts, "kind", "mean", "deviation", "weight")
        deviation = weights_part(parts, "deviation", classes)
        if not (deviation > 0).all():
            raise ModelError("a standard deviation must be above zero")
        mean, weight = numbers_part(parts, "mean", classes), weights_part(parts, "weight", classes)
        return cls(mean, deviation, weight)


@dataclass(frozen=True, eq=False)
class KernelDensity(ValueFactor):
    """A numeric column: a small normal curve on every training value (John and Langley 1995)."""

    points: Numbers  # (n,), ascending
    weights: Numbers  # (n, classes)
    width: Numbers  # (classes,), above 0

    kind = "kernel"
    fits = Kind.NUMERIC

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.width)

    @cached_property
    def shares(self) -> Numbers:
        """Each point's share of its class."""
        totals = self.weights.sum(axis=0)
        return np.ascontiguousarray(self.weights / np.where(totals > 0, totals, 1))

    def add(self, table: Table, position: int, scores: Numbers) -> None:
        """Add the log density of each row's value."""
        _kernels.add_kernel_scores(table.numbers(position), self.points, self.shares, self.width, scores)

    def lines(self, column: Column) -> Lines:  # noqa: ARG002
        """Return how many curves there are and how wide they are."""
        return [
            ("kernels", [str(n) for n in (self.weights > 0).sum(axis=0).tolist()]),
            ("width", [number_text(v) for v in self.width.tolist()]),
            ("weight", [number_text(short(v)) for v in self.weights.sum(axis=0).tolist()]),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the factor's parts."""
        return {"points": self.points, "weights": self.weights, "width": self.width}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], column: Column, classes: int) -> Factor:  # noqa: ARG003
        """Build the factor from its parts."""
        expect_parts(parts, "kind", "points", "weights", "width")
        points = numbers_part(parts, "points", None)
        width = weights_part(parts, "width", classes)
        if not (width > 0).all() or (np.diff(points) <= 0).any():
            raise ModelError("kernel widths must be above zero and kernel points must ascend")
        return cls(points, weights_part(parts, "weights", len(points), classes), width)


FACTORS: dict[str, type[Factor]] = {f.kind: f for f in (Levels, Bins, Normal, KernelDensity, TermFactor)}


@dataclass(frozen=True, eq=False)
class Distributions(ClassModel):
    """The prior of the classes times one factor a column, each independent of the others given the class."""

    prior: Numbers  # weight of each class
    factors: tuple[Factor | None, ...]  # one a column of the schema; None for the target and unused columns

    kind = "distributions"

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior", stored(self.prior))

    @property
    def columns_used(self) -> tuple[str, ...]:
        """The columns that have a factor."""
        named = zip(self.schema.names, self.factors, strict=True)
        return tuple(name for name, factor in named if factor is not None)

    @property
    def has_texts(self) -> bool:
        """Whether a text column has a factor."""
        return any(isinstance(factor, TermFactor) for factor in self.factors)

    @property
    def counts_prior(self) -> bool:
        """Whether the prior is a factor: not where complement naive Bayes on texts is all there is."""
        used = [factor for factor in self.factors if factor is not None]
        return not used or not all(isinstance(factor, TermFactor) and factor.is_complement for factor in used)

    @property
    def term_spaces(self) -> dict[str, TermSpace]:
        """The terms of each text column."""
        named = zip(self.schema.names, self.factors, strict=True)
        return {name: factor.space for name, factor in named if isinstance(factor, TermFactor)}

    def scores(self, table: Table) -> Numbers:
        """Return P(class given row), proportional to the prior times all factors.

        Sums of logarithms, so nothing underflows. Where every class has probability zero, which only unsmoothed
        counts can do, there is no evidence for a decision and the prior stands.
        """
        return self._shares(self._log_products(table) if self.counts_prior else self._log_products_known(table)[0])

    def scored(self, table: Table) -> Scored:
        """Return the same and, of models with texts, the rows of which no factor knows anything."""
        if not self.has_texts:
            return Scored(self.scores(table))
        scores, known = self._log_products_known(table)
        return Scored(self._shares(scores), ~known)

    def grounds(self, table: Table) -> Grounds:
        """Return what the prior and every value, or term of a text, of the only row add to the scores."""
        parts = [
            part
            for position, factor in enumerate(self.factors)
            if factor is not None
            for part in factor.grounds(table, position)
        ]
        unit = "log probability" if self.counts_prior else "complement weight"
        prior, start = Ground("P(class)", self._log_prior()), Ground("P(class)", self._start())
        found = Grounds(unit, (start, *parts) if start.scores.any() else tuple(parts))
        return Grounds(unit, (prior,)) if not parts or np.isneginf(found.scores).all() else found

    def joint(self, table: Any) -> Numbers:
        """Return the unnormalized products P(class) P(row given class), as textbooks write them."""
        products: Numbers = np.exp(self._log_products(self.aligned(table)))
        return products

    def _shares(self, scores: Numbers) -> Numbers:
        """Return log scores as shares of their row; they are changed in place."""
        if _kernels.subtract_best(scores):
            prior = self._log_prior()
            scores[np.isneginf(scores).all(axis=1)] = prior - prior.max()
        np.exp(scores, out=scores)
        _kernels.divide_by_sum(scores)
        return scores

    def _log_prior(self) -> Numbers:
        """Return the logarithms of the classes' shares, equal ones where nothing was learned yet."""
        counts = self.prior if self.prior.any() else np.ones_like(self.prior)
        with np.errstate(divide="ignore"):
            prior: Numbers = np.log(counts / counts.sum())
        return prior

    def _start(self) -> Numbers:
        """Return what the scores start from: the prior, or only that classes without any row are impossible."""
        prior = self._log_prior()
        return prior if self.counts_prior else np.where(np.isneginf(prior), prior, 0.0)

    def _log_products(self, table: Table) -> Numbers:
        scores = np.tile(self._start(), (table.n_rows, 1))
        for position, factor in enumerate(self.factors):
            if factor is not None:
                factor.add(table, position, scores)
        return scores

    def _log_products_known(self, table: Table) -> tuple[Numbers, NDArray[np.bool_]]:
        """Return the same, and the rows of which a factor knows something; the prior decides the others."""
        prior = self._log_prior()
        scores = np.tile(self._start(), (table.n_rows, 1))
        known = np.zeros(table.n_rows, dtype=np.bool_)
        for position, factor in enumerate(self.factors):
            if factor is not None:
                known |= factor.add_known(table, position, scores)
        scores[~known] = prior
        return scores, known

    # -- texts ----------------------------------------------------------------------------------------------

    def telling(self, n: int | None = SHOWN) -> dict[str, dict[str, list[Telling]]]:
        """Return, by text column and class, the terms that tell the class most from the others; None gives all."""
        return {
            column.name: dict(zip(self.classes, factor.telling(n), strict=True))
            for column, factor in zip(self.schema.columns, self.factors, strict=True)
            if isinstance(factor, TermFactor)
        }

    def to_table(self) -> Any:
        """Return an Arrow table of the terms of all text columns: column, class, term, amount and log-odds.

        A row a term and class that has it; those of a class in the order of what they tell.
        """
        from hedgerow.data.arrow import columns_table

        if not self.has_texts:
            raise ModelError("this model has no text column, and only the terms of texts make a table")
        classes, found = np.array(self.classes, dtype=object), []
        for column, factor in zip(self.schema.columns, self.factors, strict=True):
            if isinstance(factor, TermFactor):
                order, counts = factor.ranked, factor.by_class
                found.append(
                    {
                        "column": np.full(len(order), column.name, dtype=object),
                        "class": classes[counts.classes[order]],
                        "term": np.array(factor.space.names, dtype=object)[counts.terms[order]],
                        "amount": counts.amounts[order],
                        "log_odds": factor.log_odds[order],
                    }
                )
        return columns_table({name: np.concatenate([one[name] for one in found]) for name in found[0]})

    def __str__(self) -> str:
        total = self.prior.sum()
        prior = [f"{number_text(short(p))}/{number_text(short(total))}" for p in self.prior.tolist()]
        blocks: list[tuple[str, Lines]] = [(shown(str(self.schema.target)), [("P(class)", prior)])]
        texts: list[str] = []
        for column, factor in zip(self.schema.columns, self.factors, strict=True):
            if isinstance(factor, ValueFactor):
                blocks.append((shown(column.name), factor.lines(column)))
            elif isinstance(factor, TermFactor):
                texts += ["", *factor.text(column, self.classes)]
        classes = tuple(map(shown, self.classes))
        table = _aligned_blocks(blocks, classes)
        if len(blocks) == 1 and texts and len(table.partition("\n")[0]) > WIDTH:  # a line a class, as the terms have
            table = _aligned_blocks(
                [(blocks[0][0], [(c, [p]) for c, p in zip(classes, prior, strict=True)])], ("P(class)",)
            )
        return "\n".join([table, *texts])

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts."""
        parts = [None if f is None else {"kind": f.kind, **f.to_dict()} for f in self.factors]
        texts = [part for part in parts if part is not None and part["kind"] == TermFactor.kind]
        factors, numbers = pooled(
            [part and ({"kind": TermFactor.kind} if part["kind"] == TermFactor.kind else part) for part in parts]
        )
        return {"prior": self.prior, "factors": factors, "numbers": numbers} | ({"texts": texts} if texts else {})

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        classes = len(schema.target_column.levels)
        expect_parts(parts, "prior", "factors", "numbers", may_have=("texts",))
        prior = weights_part(parts, "prior", classes)
        listed = _with_texts(unpooled(parts["factors"], parts["numbers"]), parts.get("texts", []))
        if len(listed) != len(schema):
            raise ModelError("a naive Bayes model needs one factor a column")
        if not prior.sum() > 0:
            raise ModelError("the prior of a naive Bayes model must hold some weight")
        factors = tuple(
            _factor(part, column, classes, column.name == schema.target)
            for part, column in zip(listed, schema.columns, strict=True)
        )
        return cls(schema, prior, factors, about=about)


def _with_texts(listed: list[dict[str, Any] | None], texts: Any) -> list[dict[str, Any] | None]:
    """Return the parts of all factors, those of texts put in their places."""
    places = [place for place, part in enumerate(listed) if part is not None and part == {"kind": TermFactor.kind}]
    if not isinstance(texts, list) or len(texts) != len(places):
        raise ModelError("a naive Bayes model needs the terms of every text column, and no others")
    for place, part in zip(places, texts, strict=True):
        if not isinstance(part, dict):
            raise ModelError("the terms of a text column must be an object with named values")
        listed[place] = part
    return listed


def _factor(part: dict[str, Any] | None, column: Column, classes: int, is_target: bool) -> Factor | None:
    if part is None:
        return None
    if not isinstance(part.get("kind"), str) or part["kind"] not in FACTORS:
        raise ModelError(f"column {column.name!r} has an unknown kind of factor")
    factor = FACTORS[part["kind"]]
    if factor.fits is not column.kind or is_target:
        raise ModelError(f"column {column.name!r} cannot have a factor of kind {part['kind']!r}")
    return factor.from_dict(part, column, classes)


def _aligned_blocks(blocks: list[tuple[str, Lines]], classes: tuple[str, ...]) -> str:
    """Return the blocks as one table: captions on the left, a column a class, everything lined up."""
    caption = max([len(title) for title, _ in blocks] + [len(c) + 2 for _, lines in blocks for c, _ in lines])
    widths = [
        max([len(label), *(len(texts[i]) for _, lines in blocks for _, texts in lines)])
        for i, label in enumerate(classes)
    ]
    out = []
    for title, lines in blocks:
        heads = "  ".join(label.rjust(width) for label, width in zip(classes, widths, strict=True))
        out.append(f"{title.ljust(caption)}  {heads}")
        for text, cells in lines:
            row = "  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
            out.append(f"  {text.ljust(caption - 2)}  {row}")
        out.append("")
    return "\n".join(out).rstrip()
