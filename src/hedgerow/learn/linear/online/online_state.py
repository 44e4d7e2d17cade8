"""OnlineState: a linear model trained one row at a time, and the core of online learning.

Every row is first predicted, which counts for progressive validation, and then learned. A state can be kept in a file
from which training can be resumed exactly. Its parts have separate files:

- `online_rule`: the update rule
- `data/text/hashed_slots`: which coefficients the columns of a table have
- `online_functions`: the coefficients, and their updates
- `progressive`: the predictions of rows before they were learned
- `online_model`: the readable model, and notes on it
- `online_file`, `checkpoint`: files

Memory: 4 (2k + 1) bytes per slot for k functions, 8 more with l1 or l2; names of terms within a budget.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hedgerow.data.bags.align import align
from hedgerow.data.design.design_counts import NumberCounts, number_counts
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Rows, SparseNumbers, Table, Text, gather_values
from hedgerow.data.text.hashed_counts import HashedCounts
from hedgerow.data.text.hashed_slots import Arrays, HashedSlots, LevelSlots, NumberSlots, TextSlots
from hedgerow.data.text.hashed_text import NewTerms
from hedgerow.data.text.term_space import TermSpace, Weighting, term_settings
from hedgerow.data.text.term_vectors import TermVectors
from hedgerow.data.text.tokens import WORDS, Tokens
from hedgerow.errors import DataError, UsageError
from hedgerow.learn.linear.online.functions import OnlineFunctions
from hedgerow.learn.linear.online.progressive_validation import Progress, ProgressiveValidation
from hedgerow.learn.linear.online.term_names import OnlineTerms
from hedgerow.learn.linear.online.update_rule import HINGE, LOGISTIC, QUANTILE, SQUARED, OnlineRule
from hedgerow.models.linear.linear import Linear
from hedgerow.models.linear.linear_classes import EACH, SOFTMAX, LinearClasses

TEXT_BITS = 18  # of texts where columns have names, but no vocabulary is known
CHUNK = 1 << 16  # rows that are learned at a time
LARGEST = 1e18  # of numbers and targets: their squares are single-precision numbers
DIGITS = 6


@dataclass(frozen=True, eq=False)
class OnlineRows:
    """Rows in the kernels' form."""

    arrays: Arrays
    n_rows: int
    target: Numbers | None
    codes: Codes | None
    weights: Numbers | None
    order: Rows  # of rows that have a target and a weight
    numbers: Mapping[str, NumberCounts] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()  # nominal columns that lack levels
    terms: Mapping[str, HashedCounts | NewTerms] = field(default_factory=dict)


class OnlineState:
    """A linear model in training.

    Parameters
    ----------
    schema
        Columns and target: a numeric one makes it a regression, a nominal one a classification.
    rule
        The update rule.
    bits
        Names are hashed to 2 ** bits slots; None gives each its own slot.
    tokens, weighting
        What the terms of texts are, and their weights. An idf needs `spaces`.
    spaces
        The final terms of text columns by name, if they are known.
    unused
        Columns that are skipped.
    centers
        What is subtracted from numbers, by column; missing ones count as this number. Means help if they are known.
    target
        The shift and unit of a numeric target: mean and deviation help, as adaptive steps do not grow
        with the target.

    Examples
    --------
    >>> table = Table.of({"age": [20.0, 30.0, 40.0, 50.0], "buys": ["no", "no", "yes", "yes"]}, "buys")
    >>> state = OnlineState(table.schema)
    >>> for _ in range(20):
    ...     state.learn(table)
    >>> state.rows, state.predict(table).round(1).tolist()
    (80, [[-0.0], [0.2], [0.4], [0.6]])
    """

    def __init__(
        self,
        schema: Schema,
        rule: OnlineRule | None = None,
        *,
        bits: int | None = 18,
        tokens: Tokens = WORDS,
        weighting: Weighting | None = None,
        spaces: Mapping[str, TermSpace] | None = None,
        unused: frozenset[str] = frozenset(),
        centers: Mapping[str, float] | None = None,
        target: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        self.center, self.unit = (0.0, 1.0) if schema.target_column.kind is Kind.NOMINAL else target
        if not (abs(self.center) <= LARGEST and 0 < self.unit <= LARGEST):
            raise UsageError(f"a target cannot be counted from {self.center!r} in units of {self.unit!r}")
        column = schema.target_column
        if column.kind not in (Kind.NOMINAL, Kind.NUMERIC):
            raise DataError(f"the target {column.name!r} is {column.kind}, which cannot be predicted")
        self.is_classes = column.kind is Kind.NOMINAL
        self.rule = rule or OnlineRule(LOGISTIC if self.is_classes else SQUARED)
        if not self.is_classes and self.rule.loss in (LOGISTIC, HINGE):
            raise UsageError(f"loss={self.rule.loss!r} is for classes; numbers need {SQUARED!r} or {QUANTILE!r}")
        self.bits, self.unused = bits, unused
        self.spaces = dict(spaces or {})
        self.weighting = weighting or Weighting()
        self.tokens = replace(tokens, bits=TEXT_BITS if bits is None else bits)
        self.schema = schema
        self.met = (0, 0.0)  # different rows, and their weight
        self.validated = ProgressiveValidation()
        self.numbers: dict[str, NumberCounts] = {}
        self.missing: set[str] = set()  # nominal columns that lacked levels
        self.terms = OnlineTerms()
        self.slots = HashedSlots.of(schema, bits, self._sizes(schema), unused).with_centers(centers or {})
        self.functions = OnlineFunctions(self.rule, self.classes if self.is_classes else None, self.slots.n)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes so far; none of a regression."""
        return self.schema.target_column.levels if self.is_classes else ()

    def _sizes(self, schema: Schema) -> dict[str, int]:
        texts = [column.name for column in schema.columns if column.kind is Kind.TEXT]
        return {name: len(self.spaces[name]) if name in self.spaces else 1 << (self.tokens.bits or 0) for name in texts}

    # -- rows -----------------------------------------------------------------------------------------------

    def widen(self, schema: Schema) -> None:
        """Add new columns, levels and classes; the known ones keep their positions."""
        joined = _extend_schema(self.schema, schema)
        if joined is not self.schema:
            self.slots = self.slots.extend(joined, self._sizes(joined), self.unused)
            self.schema = joined
            self.functions.resize(self.classes if self.is_classes else None, self.slots.n)

    def ready(self, table: Table, vectors: Mapping[str, TermVectors] | None = None) -> OnlineRows:
        """Return the rows of a table in the form for training, without training on them.

        Its levels and classes must be known (`widen`). `vectors` are the terms of text columns, if they are known.
        """
        table = self._align(table)
        terms: dict[str, HashedCounts | NewTerms] = {}
        result: dict[int, TermVectors] = {}
        numbers: dict[str, NumberCounts] = {}
        missing = set()
        for position, own in enumerate(self.slots.columns):
            name = self.schema.names[position]
            if isinstance(own, NumberSlots):
                numbers[name] = number_counts(table, position, LARGEST)
            elif isinstance(own, LevelSlots) and (table.codes(position) < 0).any():
                missing.add(name)
            elif isinstance(own, TextSlots):
                if vectors and name in vectors:
                    result[position] = vectors[name]
                elif name in self.spaces:
                    result[position] = self.spaces[name].vectors(table.texts(position))
                else:
                    tokens, weighting = term_settings(self.schema[name], self.tokens, self.weighting)
                    read = self.terms.read(name, table.texts(position), tokens, weighting)
                    result[position], terms[name] = read
        target = self.schema.index(self.schema.target_column.name)
        codes = np.ascontiguousarray(table.codes(target)) if self.is_classes else None
        values = None if self.is_classes else np.ascontiguousarray(table.numbers(target))
        keep = codes >= 0 if codes is not None else ~np.isnan(values)  # type: ignore[arg-type]
        if values is not None:
            NumberCounts.of(values, None, self.schema.target_column.name, LARGEST)  # raises if one is too large
            values = (values - self.center) / self.unit
        weights = None if table.weights is None else np.ascontiguousarray(table.weights)
        if weights is not None:
            if not ((weights >= 0) & (weights <= LARGEST)).all():
                raise DataError("weights must be zero or positive numbers")
            keep = keep & (weights > 0)
        order = np.flatnonzero(keep).astype(np.int64)
        arrays = self.slots.arrays(table, result)
        return OnlineRows(arrays, table.n_rows, values, codes, weights, order, numbers, frozenset(missing), terms)

    def _align(self, table: Table) -> Table:
        """Return a table under the schema; numbers may be stored sparsely in some batches only."""
        if table.schema is self.schema:
            return table
        absent = [name for name in self.schema.names if name not in table.schema]
        sparse = any(isinstance(gather_values(values), SparseNumbers) for values in table.data)
        if absent and sparse:
            nothing = SparseNumbers(np.empty(0, dtype=np.int64), np.empty(0), table.n_rows)
            for name in absent:
                if self.schema[name].kind is Kind.NUMERIC and name != self.schema.target:
                    table = table.with_column(self.schema[name], nothing)
        return align(table, self.schema).table

    # -- learning -------------------------------------------------------------------------------------------

    def learn(self, table: Table, *, known: bool = False) -> None:
        """Learn from a block of rows, each first predicted; rows that have no target are skipped."""
        self.widen(table.schema)
        self.learn_rows(self.ready(table), known=known)

    def learn_rows(self, ready: OnlineRows, order: Rows | None = None, *, known: bool = False) -> None:
        """Learn from prepared rows, in a given order if any; `known` if they were learned before."""
        if not known:
            self._meet(ready)
        order = ready.order if order is None else order
        for start in range(0, len(order), CHUNK):
            self._learn_rows(ready, order[start : start + CHUNK], known=known)

    def _meet(self, ready: OnlineRows) -> None:
        """Update the statistics of rows and columns other than coefficients."""
        weight = len(ready.order) if ready.weights is None else float(ready.weights[ready.order].sum())
        self.met = (self.met[0] + len(ready.order), self.met[1] + weight)
        for name, counts in ready.numbers.items():
            self.numbers[name] = self.numbers[name] + counts if name in self.numbers else counts
        self.missing |= ready.missing
        for name, terms in ready.terms.items():
            self.terms.meet(name, terms)

    def add_spellings(self, ready: OnlineRows) -> None:
        """Store the spellings of terms of rows that are not learned."""
        for name, terms in ready.terms.items():
            self.terms.add_spellings(name, terms)

    def _learn_rows(self, ready: OnlineRows, order: Rows, *, known: bool = False) -> None:
        done, scores = self.functions.learn(ready.arrays, ready.n_rows, order, ready.target, ready.codes, ready.weights)
        if done < len(order):
            raise self._divergence_error(self.rows + done)
        self._count(ready, order, scores, known=known)

    def _divergence_error(self, row: int) -> DataError:
        rate = float(self.rule.rate)
        largest = self.functions.largest_row
        plain = not (self.rule.adaptive or self.rule.normalised)
        better = min(rate / 10, 0.5 / largest) if plain and largest > 0 else rate / 10
        return DataError(
            f"training diverged at row {row}: a prediction became infinite; use a lower rate than {rate:g}, such as "
            f"{better:.1g}, or normalized and adaptive updates"
        )

    def _count(self, ready: OnlineRows, order: Rows, scores: Numbers, *, known: bool) -> None:
        """Count the predictions that were made before learning: progressive validation."""
        weights = np.ones(len(order)) if ready.weights is None else ready.weights[order]
        if ready.codes is not None:
            actual = ready.codes[order].astype(np.float64)
            class_codes = np.concatenate(self.functions.told)
            signs = np.where(actual[:, None] == class_codes[None, :], 1.0, -1.0)
            losses = self.rule.losses(scores, signs).sum(axis=1)
            best = (
                (scores[:, 0] > 0).astype(np.float64)
                if scores.shape[1] == 1
                else class_codes[scores.argmax(axis=1)].astype(float)
            )
            errors = (best != actual).astype(np.float64)
            if not known:
                self.validated.runs.count(ready.codes[order], self.classes)
            if self.rule.loss != LOGISTIC:
                self.validated.warm(scores, ready.codes[order], weights)
        else:
            assert ready.target is not None
            actual, best = ready.target[order], scores[:, 0]
            unit = self.unit**2 if self.rule.loss == SQUARED else self.unit
            losses = errors = self.rule.losses(best, actual) * unit
            actual, best = actual * self.unit + self.center, best * self.unit + self.center
        self.validated.count(losses, errors, weights, actual, best, known=known)

    # -- what is known --------------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """The number of rows learned, in all passes."""
        return self.validated.rows

    @property
    def weight(self) -> float:
        """Their weight."""
        return self.validated.weight

    @property
    def progress(self) -> list[Progress]:
        """Progressive validation at doubling numbers of rows."""
        return self.validated.lines

    @property
    def mean_loss(self) -> float:
        """Progressive validation: mean loss of the rule, summed over functions; NaN without rows."""
        return self.validated.mean_loss

    @property
    def mean_error(self) -> float:
        """Progressive validation: mean loss of numbers, share of mistakes of classes; NaN without rows."""
        return self.validated.mean_error

    @property
    def temperature(self) -> float:
        """The divisor of scores for the best probabilities; 1 of the logistic loss, whose scores are log-odds."""
        return 1.0 if self.rule.loss == LOGISTIC else self.validated.temperature

    @property
    def link(self) -> str:
        """How the model of classes computes probabilities from its functions."""
        return EACH if self.rule.loss == LOGISTIC and len(self.classes) > 2 else SOFTMAX

    def predict(self, table: Table) -> Numbers:
        """Return the current values of the functions for every row, by column; one for regression or two classes."""
        table = self._align(table)
        result = {
            position: self._vectors(self.schema.columns[position], table.texts(position))
            for position, own in enumerate(self.slots.columns)
            if isinstance(own, TextSlots)
        }
        arrays = self.slots.arrays(table, result, self.gaps())
        return self.functions.predict(arrays, table.n_rows) * self.unit + self.center

    def gaps(self) -> dict[int, bool]:
        """Return the columns in which missing values were learned."""
        gaps = {}
        for position, name in enumerate(self.schema.names):
            counts = self.numbers.get(name)
            gaps[position] = name in self.missing or (counts is not None and counts.missing > 0)
        return gaps

    def _vectors(self, column: Column, text: Text) -> TermVectors:
        """Return the terms of some texts of a column."""
        if column.name in self.spaces:
            return self.spaces[column.name].vectors(text)
        tokens, weighting = term_settings(column, self.tokens, self.weighting)
        return self.terms.read_terms(column.name, text, tokens, weighting)

    def space(self, name: str) -> TermSpace:
        """Return the terms of a text column, as far as they have occurred."""
        if name in self.spaces:
            return self.spaces[name]
        tokens, weighting = term_settings(self.schema[name], self.tokens, self.weighting)
        counts = self.terms.counts(name) or HashedCounts.of(Text.of([]), tokens)
        return TermSpace.from_counts(counts, tokens, weighting=weighting)

    def model(self, digits: int = DIGITS) -> Linear | LinearClasses:
        """Return the model as it is now: a coefficient for every name."""
        from hedgerow.learn.linear.online.to_model import make_model

        return make_model(self, digits)

    def to_dict(self) -> dict[str, Any]:
        """Return the complete state as JSON values and arrays, from which `from_dict` restores it exactly."""
        from hedgerow.learn.linear.online.state_file import state_parts

        return state_parts(self)

    @classmethod
    def from_dict(cls, parts: Mapping[str, Any]) -> OnlineState:
        """Build a state from `to_dict`'s values; inconsistent parts raise an error."""
        from hedgerow.learn.linear.online.state_file import read_state

        return read_state(parts)


def _extend_schema(known: Schema, batch: Schema) -> Schema:
    """Return the known schema with the batch's new columns, and its new levels after the known ones."""
    if batch is known:
        return known
    columns = list(known.columns)
    changed = False
    for position, column in enumerate(columns):
        if column.kind is Kind.NOMINAL and column.name in batch and batch[column.name].levels != column.levels:
            has = set(column.levels)
            more = tuple(level for level in batch[column.name].levels if level not in has)
            if column.name == known.target and has <= set(batch[column.name].levels):
                columns[position] = replace(column, levels=batch[column.name].levels)  # in their order
                changed = True
            elif more:
                columns[position] = replace(column, levels=column.levels + more)
                changed = True
    new = [c for c in batch.columns if c.name not in known and c.kind is Kind.NUMERIC and not c.ignored]
    return Schema((*columns, *new), known.target) if changed or new else known
