"""Distributions: naive Bayes' model, the prior of the classes and one factor a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.schema import Column, Schema
from hedgerow.data.table.table import Numbers, Table
from hedgerow.data.text.term_space import TermSpace
from hedgerow.errors import ModelError
from hedgerow.layout.cell_width import count_cells, pad_cells
from hedgerow.layout.numbers import format_number
from hedgerow.layout.wrapping import LINE_WIDTH, cut_lines
from hedgerow.models.base.checked_parts import expect_parts, pool_parts, unpool_parts, weights_part
from hedgerow.models.base.contributions import Contribution, Contributions
from hedgerow.models.base.factor import Factor, Lines, escape_name, round_counts, short
from hedgerow.models.base.model import About, ClassModel, RowScores
from hedgerow.models.base.rule_figures import LEARNERS
from hedgerow.models.base.term_groups import TermGroup, TermGroups, TermValue
from hedgerow.models.bayes.term_factor import SHOWN, TellingTerm, TermFactor
from hedgerow.models.bayes.value_factors import Bins, KernelDensity, LevelFactor, Normal, ValueFactor

FACTORS: dict[str, type[Factor]] = {f.kind: f for f in (LevelFactor, Bins, Normal, KernelDensity, TermFactor)}


@dataclass(frozen=True, eq=False)
class Distributions(ClassModel):
    """The prior of the classes times one factor a column, each independent of the others given the class."""

    prior: Numbers  # weight of each class
    factors: tuple[Factor | None, ...]  # one a column of the schema; None for the target and unused columns

    kind = "distributions"

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior", round_counts(self.prior))

    def no_rules(self) -> str:
        """Return the error message for a model without rules of classes: the reason, and what to do."""
        return f"naive Bayes has no rules, since it combines all columns of a row; {LEARNERS}"

    def columns_used(self) -> tuple[str, ...]:
        """Return the columns that have a factor."""
        named = zip(self.schema.names, self.factors, strict=True)
        return tuple(name for name, factor in named if factor is not None)

    @property
    def has_texts(self) -> bool:
        """Whether a text column has a factor."""
        return any(isinstance(factor, TermFactor) for factor in self.factors)

    @property
    def counts_prior(self) -> bool:
        """Whether the prior is a factor: not where complement naive Bayes on texts is all there is."""
        used = [factor for factor in self.factors if factor is not None and factor.is_informative]
        return not used or not all(isinstance(factor, TermFactor) and factor.is_complement for factor in used)

    @property
    def term_spaces(self) -> dict[str, TermSpace]:
        """The terms of each text column."""
        named = zip(self.schema.names, self.factors, strict=True)
        return {name: factor.space for name, factor in named if isinstance(factor, TermFactor)}

    def scores(self, table: Table) -> Numbers:
        """Return P(class given row), proportional to the prior times all factors.

        Sums of logarithms, so nothing underflows. Where every class has probability zero, which only unsmoothed
        counts can do, there is no evidence for a decision and the prior is used.
        """
        return self._shares(self._log_products(table) if self.counts_prior else self._score_known_rows(table)[0])

    def score_rows(self, table: Table) -> RowScores:
        """Return the same and, of models with texts, the rows without any known value."""
        if not self.has_texts:
            return RowScores(self.scores(table))
        scores, known = self._score_known_rows(table)
        return RowScores(self._shares(scores), ~known)

    def contributions(self, table: Table) -> Contributions:
        """Return the contributions of the prior and of each value (or term) of the single row to the scores."""
        parts = [
            part
            for position, factor in enumerate(self.factors)
            if factor is not None
            for part in factor.contributions(table, position)
        ]
        unit = "log probability" if self.counts_prior else "complement weight"
        prior, start = Contribution("P(class)", self._log_prior()), Contribution("P(class)", self._start())
        contributions = Contributions(unit, (start, *parts) if start.scores.any() else tuple(parts))
        return Contributions(unit, (prior,)) if not parts or np.isneginf(contributions.scores).all() else contributions

    def joint(self, table: Any) -> Numbers:
        """Return the unnormalized products P(class) P(row given class), as textbooks write them."""
        products: Numbers = np.exp(self._log_products(self.align(table)))
        return products

    def _shares(self, scores: Numbers) -> Numbers:
        """Convert log scores to shares of their row, in place."""
        if _kernels.subtract_best(scores):
            prior = self._log_prior()
            scores[np.isneginf(scores).all(axis=1)] = prior - prior.max()
        np.exp(scores, out=scores)
        _kernels.divide_by_sum(scores)
        return scores

    def _log_prior(self) -> Numbers:
        """Return the logarithms of the classes' shares, equal ones before any row was learned."""
        counts = self.prior if self.prior.any() else np.ones_like(self.prior)
        with np.errstate(divide="ignore"):
            prior: Numbers = np.log(counts / counts.sum())
        return prior

    def _start(self) -> Numbers:
        """Return the initial scores: the prior, or only the exclusion of classes without rows."""
        prior = self._log_prior()
        return prior if self.counts_prior else np.where(np.isneginf(prior), prior, 0.0)

    def _log_products(self, table: Table) -> Numbers:
        scores = np.tile(self._start(), (table.n_rows, 1))
        for position, factor in enumerate(self.factors):
            if factor is not None:
                factor.add(table, position, scores)
        return scores

    def _score_known_rows(self, table: Table) -> tuple[Numbers, NDArray[np.bool_]]:
        """Return the same, and the rows with some known value; the prior decides the others."""
        prior = self._log_prior()
        scores = np.tile(self._start(), (table.n_rows, 1))
        known = np.zeros(table.n_rows, dtype=np.bool_)
        for position, factor in enumerate(self.factors):
            if factor is not None:
                known |= factor.add_known(table, position, scores)
        scores[~known] = prior
        return scores, known

    # -- texts ----------------------------------------------------------------------------------------------

    def telling(self, most: int | None = SHOWN) -> dict[str, dict[str, list[TellingTerm]]]:
        """Return, by text column and class, the terms that distinguish the class most from the others.

        At most `most` a class, None for all.
        """
        return {
            column.name: dict(zip(self.classes, factor.telling(most), strict=True))
            for column, factor in zip(self.schema.columns, self.factors, strict=True)
            if isinstance(factor, TermFactor)
        }

    def term_groups(self, most: int | None = None) -> TermGroups | None:
        """Return the same as groups of terms, a class of a text column each; None if there are no texts."""
        if not self.has_texts:
            return None
        factors = zip(self.schema.names, self.factors, strict=True)
        events = {name: factor.event for name, factor in factors if isinstance(factor, TermFactor)}
        groups = [
            TermGroup(
                label, rows, tuple(TermValue(one.name, one.log_odds, one.amount) for one in telling_terms), column
            )
            for column, by_class in self.telling(most).items()
            for (label, telling_terms), rows in zip(by_class.items(), self.prior.tolist(), strict=True)
        ]
        return TermGroups("log-odds", tuple(groups), events)

    def to_arrow(self) -> Any:
        """Return an Arrow table of the terms of all text columns: column, class, term, amount and log-odds.

        One row per term and class that has it; those of a class with the most indicative first.
        """
        from hedgerow.data.frames.arrow import columns_table

        if not self.has_texts:
            raise ModelError("this model has no text column with terms, and only terms can be listed in a table")
        classes, columns = np.array(self.classes, dtype=object), []
        for column, factor in zip(self.schema.columns, self.factors, strict=True):
            if isinstance(factor, TermFactor):
                order, counts = factor.ranked_amounts, factor.by_class
                columns.append(
                    {
                        "column": np.full(len(order), column.name, dtype=object),
                        "class": classes[counts.classes[order]],
                        "term": np.array(factor.space.names, dtype=object)[counts.terms[order]],
                        "amount": counts.amounts[order],
                        "log_odds": factor.log_odds[order],
                    }
                )
        return columns_table({name: np.concatenate([one[name] for one in columns]) for name in columns[0]})

    def __str__(self) -> str:
        return self._text(self.factors)

    def outline(self, most_lines: int) -> str:
        """Return the printed form or, if it has more than so many lines, the columns that tell most of the class."""
        whole = str(self)
        if whole.count("\n") < most_lines:
            return whole
        kept: list[Factor | None] = [factor if isinstance(factor, TermFactor) else None for factor in self.factors]
        room = most_lines - self._text(kept).count("\n") - 3
        valued = [(at, factor) for at, factor in enumerate(self.factors) if isinstance(factor, ValueFactor)]
        left = len(valued)
        for at, factor in sorted(valued, key=lambda one: -one[1].information):
            height = len(factor.lines(self.schema.columns[at])) + 2
            if height <= room:
                kept[at], room, left = factor, room - height, left - 1
        more = f"\n\n... {left:,} more columns, which tell less of the class" if left else ""
        return cut_lines(self._text(kept), most_lines - 2 * bool(more)) + more

    def _text(self, factors: Sequence[Factor | None]) -> str:
        total = self.prior.sum()
        prior = [f"{format_number(short(p))}/{format_number(short(total))}" for p in self.prior.tolist()]
        blocks: list[tuple[str, Lines]] = [(escape_name(str(self.schema.target)), [("P(class)", prior)])]
        texts: list[str] = []
        for column, factor in zip(self.schema.columns, factors, strict=True):
            if isinstance(factor, ValueFactor):
                blocks.append((escape_name(column.name), factor.lines(column)))
            elif isinstance(factor, TermFactor):
                texts += ["", *factor.text(column, self.classes)]
        classes = tuple(map(escape_name, self.classes))
        table = _join_blocks(blocks, classes)
        if (
            len(blocks) == 1 and texts and count_cells(table.partition("\n")[0]) > LINE_WIDTH
        ):  # one line per class, as for terms
            table = _join_blocks(
                [(blocks[0][0], [(c, [p]) for c, p in zip(classes, prior, strict=True)])], ("P(class)",)
            )
        return "\n".join([table, *texts])

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts."""
        parts = [None if f is None else {"kind": f.kind, **f.to_dict()} for f in self.factors]
        texts = [part for part in parts if part is not None and part["kind"] == TermFactor.kind]
        factors, numbers = pool_parts(
            [part and ({"kind": TermFactor.kind} if part["kind"] == TermFactor.kind else part) for part in parts]
        )
        return {"prior": self.prior, "factors": factors, "numbers": numbers} | ({"texts": texts} if texts else {})

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        classes = len(schema.target_column.levels)
        expect_parts(parts, "prior", "factors", "numbers", may_have=("texts",))
        prior = weights_part(parts, "prior", classes)
        listed = _insert_text_parts(unpool_parts(parts["factors"], parts["numbers"]), parts.get("texts", []))
        if len(listed) != len(schema):
            raise ModelError("a naive Bayes model needs one factor per column")
        if not prior.sum() > 0:
            raise ModelError("the prior of a naive Bayes model must have a weight above 0")
        factors = tuple(
            _factor(part, column, classes, column.name == schema.target)
            for part, column in zip(listed, schema.columns, strict=True)
        )
        return cls(schema, prior, factors, about=about)


def _insert_text_parts(listed: list[dict[str, Any] | None], texts: Any) -> list[dict[str, Any] | None]:
    """Return the parts of all factors, those of texts put in their positions."""
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


def _join_blocks(blocks: list[tuple[str, Lines]], classes: tuple[str, ...]) -> str:
    """Return the blocks as one table: captions on the left, one column per class, everything lined up."""
    caption = max(
        [count_cells(title) for title, _ in blocks] + [count_cells(c) + 2 for _, lines in blocks for c, _ in lines]
    )
    widths = [
        max([count_cells(label), *(count_cells(texts[i]) for _, lines in blocks for _, texts in lines)])
        for i, label in enumerate(classes)
    ]
    out = []
    for title, lines in blocks:
        heads = "  ".join(pad_cells(label, room, "r") for label, room in zip(classes, widths, strict=True))
        out.append(f"{pad_cells(title, caption)}  {heads}")
        for text, cells in lines:
            row = "  ".join(pad_cells(cell, room, "r") for cell, room in zip(cells, widths, strict=True))
            out.append(f"  {pad_cells(text, caption - 2)}  {row}")
        out.append("")
    return "\n".join(out).rstrip()
