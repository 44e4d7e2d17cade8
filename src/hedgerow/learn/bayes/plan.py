"""Naive Bayes as passes over rows: what is counted of every column, and how counts become factors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.data.design.class_counts import (
    ColumnCounts,
    ColumnsOnDemand,
    Counts,
    LevelCounts,
    Moments,
    ValueCounts,
    count,
)
from hedgerow.data.design.discretize import Discretizer
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Numbers, Table
from hedgerow.data.table.threads import map_in_order
from hedgerow.data.text.class_terms import ClassRows
from hedgerow.data.text.term_space import TermSpace
from hedgerow.data.text.text_counts import space_amounts
from hedgerow.errors import UsageError
from hedgerow.learn.bayes.curves import bin_column, kernel_density, normals
from hedgerow.learn.bayes.texts import Amounts, TextSettings
from hedgerow.learn.passes import Pass, Plan
from hedgerow.models.base.factor import Factor
from hedgerow.models.base.model import About, ClassModel
from hedgerow.models.bayes.distributions import Distributions
from hedgerow.models.bayes.term_factor import TermFactor
from hedgerow.models.bayes.value_factors import LevelFactor

if TYPE_CHECKING:
    from hedgerow.learn.bayes.naive_bayes import NaiveBayes


@dataclass(frozen=True)
class NaiveBayesPlan(Plan):
    """Count every column by class as its factor needs it, then turn counts into factors."""

    schema: Schema
    learner: NaiveBayes
    chosen: Mapping[str, str]
    texts: TextSettings | None = None  # None: there are no text columns

    @property
    def is_single_pass(self) -> bool:
        """Whether this pass is the only one."""
        return self.texts is None or self.texts.is_single_pass

    def column_model(self, column: Column) -> str:
        """Return how a numeric column is modeled."""
        return self.chosen.get(column.name, self.learner.density)

    def count_type(self, position: int) -> type[ColumnCounts] | None:
        """Return what to count of a column; None for texts, which are counted on their own."""
        column = self.schema.columns[position]
        if column.ignored or column.name == self.schema.target or column.kind is Kind.TEXT:
            return None
        if column.kind is Kind.NOMINAL:
            return LevelCounts
        return Moments if self.column_model(column) == "normal" else ValueCounts

    def count(self, table: Table) -> Counts:
        """Return the counts of all columns."""
        counts = self.count_others(table)
        if self.texts is None:
            return counts
        members, columns = class_rows(table), list(counts.columns)
        for position in text_columns(self.schema):
            columns[position] = self.texts.counts(table.texts(position), members)
        return Counts(counts.rows, counts.classes, tuple(columns))

    def count_in_memory(self, table: Table) -> Counts | None:
        """Return the counts of intervals or kernels one column at a time: each may have as many values as rows."""
        return self.count_others_in_memory(table) if self.texts is None else None

    def count_others(self, table: Table) -> Counts:
        """Return the counts of all columns that hold no text."""
        return count(table, self._count_types)

    def count_others_in_memory(self, table: Table) -> Counts | None:
        """Return the same one column at a time, if some column may have as many values as rows."""
        return count(table, self._count_types, on_demand=True) if ValueCounts in self._count_types else None

    @cached_property
    def _count_types(self) -> list[type[ColumnCounts] | None]:
        return [self.count_type(position) for position in range(len(self.schema))]

    def advance(self, counts: Any) -> Plan | ClassModel:
        """Return the model, or the second pass over the texts."""
        if not self.is_single_pass:
            return SecondPass(self, counts)
        texts = self.texts
        factors = (
            {} if texts is None else {i: texts.factor_from_counts(counts.columns[i]) for i in text_columns(self.schema)}
        )
        return self.model(counts, factors)

    def model(self, counts: Counts, texts: Mapping[int, TermFactor | None]) -> ClassModel:
        """Return the model from the counts of other columns and the factors of texts."""

        def part(position: int) -> Factor | Moments | None:
            if position in texts:
                return texts[position]
            counted = counts.columns[position]
            if isinstance(counted, LevelCounts | ValueCounts):
                return self.factor(self.schema.columns[position], counted)
            return counted if isinstance(counted, Moments) else None

        shared = isinstance(counts.columns, ColumnsOnDemand)
        parts = list(map_in_order(part, range(len(self.schema)), None if shared else 1))
        curves = iter(normals([one for one in parts if isinstance(one, Moments)], self.learner.divisor))
        factors = [next(curves) if isinstance(one, Moments) else one for one in parts]
        empty = [self.schema.columns[position].name for position, factor in texts.items() if factor is None]
        notes = [f"no text of the column {name!r} has a term that is used: the column is left out" for name in empty]
        return Distributions(self.schema, counts.classes, tuple(factors), about=About(notes=tuple(notes)))

    def factor(self, column: Column, counts: LevelCounts | ValueCounts) -> Factor | None:
        """Return one column's factor; None if the column is not informative."""
        if isinstance(counts, LevelCounts):
            return LevelFactor(np.ascontiguousarray(counts.present), self.virtual(column))
        if self.column_model(column) == "kernel":
            return kernel_density(counts)
        cuts = Discretizer(self.learner.discretizer, self.learner.bins).cuts(counts)
        return bin_column(counts, cuts, self.smoothing_counts(np.ones(len(cuts) + 1)))

    def virtual(self, column: Column) -> Numbers:
        """Return the virtual rows on each level of a nominal column."""
        parameters = (self.learner.level_priors or {}).get(column.name)
        if parameters is None:
            return self.smoothing_counts(np.ones(len(column.levels)))
        if set(parameters) != set(column.levels):
            raise UsageError(f"level_priors: {column.name} needs a prior for each of {', '.join(column.levels)}")
        prior = np.array([float(parameters[level]) for level in column.levels])
        if (prior < 0).any() or abs(prior.sum() - 1) > 1e-9:
            raise UsageError(f"level_priors: those of {column.name} must be positive and sum to 1")
        return self.smoothing_counts(prior)

    def smoothing_counts(self, prior: Numbers) -> Numbers:
        """Return `smoothing` virtual rows on each level, or `m` distributed by the prior."""
        if self.learner.m is None:
            return np.full(len(prior), float(self.learner.alpha))
        out: Numbers = float(self.learner.m) * prior / max(prior.sum(), 1e-300)
        return out


@dataclass(frozen=True)
class OtherColumns(Pass):
    """Count all columns that hold no text."""

    plan: NaiveBayesPlan

    def count(self, table: Table) -> Counts:
        """Return the counts of some rows."""
        return self.plan.count_others(table)

    def count_in_memory(self, table: Table) -> Counts | None:
        """Return the counts one column at a time, if some column may have as many values as rows."""
        return self.plan.count_others_in_memory(table)


@dataclass(frozen=True)
class SecondPass(Plan):
    """Sum the weights of terms by class, given which terms are kept and how rare they are."""

    first: NaiveBayesPlan
    counts: Counts

    @cached_property
    def spaces(self) -> dict[int, TermSpace]:
        """The terms of every text column."""
        texts: Any = self.first.texts
        return {position: texts.space(self.counts.columns[position]) for position in text_columns(self.first.schema)}

    def count(self, table: Table) -> Amounts:
        """Return the summed term weights of some rows."""
        members = class_rows(table)
        return Amounts(
            {position: space_amounts(space, table.texts(position), members) for position, space in self.spaces.items()}
        )

    def advance(self, counts: Any) -> ClassModel:
        """Return the model."""
        texts: Any = self.first.texts
        factors = {position: texts.factor(space, counts.by_column[position]) for position, space in self.spaces.items()}
        return self.first.model(self.counts, factors)


def text_columns(schema: Schema) -> list[int]:
    """Return the positions of the text columns."""
    return [position for position in schema.predictors if schema.columns[position].kind is Kind.TEXT]


def class_rows(table: Table) -> ClassRows:
    """Return the rows of every class."""
    target = table.schema.target_column
    return ClassRows.of(table.codes(table.schema.index(target.name)), len(target.levels), table.weights)
