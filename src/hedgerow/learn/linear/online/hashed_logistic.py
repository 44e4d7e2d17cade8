"""Logistic regression over hashed slots, row by row with annealed rates: Mahout's trainer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hedgerow import _kernels
from hedgerow.data.bags.align import align
from hedgerow.data.design.blocks import LevelBlock, NumberBlock, TermBlock
from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import EVERY, DesignOptions
from hedgerow.data.frames.infer import settle_table
from hedgerow.data.table.schema import Kind, listing
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.data.text.term_space import Weighting
from hedgerow.data.text.tokens import Tokens
from hedgerow.errors import DataError, UsageError
from hedgerow.learn.classifier import Classifier
from hedgerow.learn.linear.least_squares.row_orders import row_orders
from hedgerow.learn.linear.online.mahout_slots import INTERCEPT, intercept_slot, number_slot, word_slots
from hedgerow.learn.linear.online.online_linear import constant_columns
from hedgerow.learn.params import column_names, flag, integer, item_names, parse_names, real, seed
from hedgerow.models.base.model import About
from hedgerow.models.linear.linear_classes import ClassFigures, LinearClasses

TYPES = {"numeric": Kind.NUMERIC, "word": Kind.NOMINAL, "text": Kind.TEXT}
OFFSET, EXPONENT, CALM = 10.0, -0.5, 20.0  # decrease of the rates; see kernels/linear/mahout_sgd.hpp
DIGITS = 12  # digits of coefficients, both printed and used
LARGE = 20.0  # mean and deviation of numbers at which steps go far beyond
MOST_SLOTS = 100  # of a vector that is printed
MOST_TOLD = 10  # shared slots that are listed in notes
OPTIONS = DesignOptions(EVERY, Tokens(min_length=1, lower=False), weighting=Weighting("log"))


class HashedLogistic(Classifier):
    """Logistic regression over hashed slots, trained row by row, as in Mahout's TrainLogistic.

    Predictors are put into a vector of `features` slots by a hash of their names (words and texts by their words, each
    into two slots), so several may share a coefficient; a note names them. The learning rate decreases with every row.

    Notes
    -----
    Row t of all passes, counted from 0, is learned from at the rate rate * decay^t / sqrt(t + 10), in a slot that n
    rows have had times sqrt(20 / (20 + n)). Before that, its slots pay the L1 penalty for the rows since they were last
    paid for. Slots and steps are Mahout's; with shuffle=False the same rows give the same coefficients. As `decay`
    makes the rate vanish after some thousand rows, give large tables decay=1, or use another learner.

    References
    ----------
    S. Owen, R. Anil, T. Dunning, E. Friedman, Mahout in Action (2011), chapters 13 and 14.
    B. Carpenter, Lazy sparse stochastic gradient descent for regularized multinomial logistic regression (2008).

    Examples
    --------
    >>> table = Table.of({"a": [0.0, 1.0, 2.0, 3.0], "b": [1.0, 0.0, 1.0, 0.0], "y": ["n", "n", "p", "p"]}, "y")
    >>> print(HashedLogistic(features=3, rate=1.0, passes=10).show_work(table))
    3
    y ~ -0.614*Intercept Term + 1.044*a + -0.614*b
          Intercept Term -0.61413
                       a 1.04359
                       b -0.61413
       -0.614131650     1.043592612     0.000000000
    slot 0 is shared by 'Intercept Term', 'b': they share one coefficient; use more features to separate them
    """

    features: int = integer(
        1 << 18, "number of slots of the hashed vector, which predictors may share", low=1, high=1 << 24
    )
    passes: int = integer(100, "number of passes over the rows", low=1)
    rate: float = real(10.0, "learning rate of the first row, before annealing", above=0)
    penalty: float = real(1e-4, "L1 penalty per row (Mahout's lambda)", low=0)
    decay: float = real(
        0.999, "factor by which the rate is multiplied after every row (Mahout's alpha)", above=0, high=1
    )
    categories: int | None = integer(None, "required number of classes; any number if none", low=1, none=True)
    shuffle: bool = flag(True, "process the rows in random order, unlike Mahout, which keeps the given order")
    predictors: Any = column_names("the columns to use; all if none")
    types: Any = item_names("numeric, word or text, one per predictor; the last one applies to all that follow")
    random_state: Any = seed()

    takes = frozenset({Kind.NUMERIC, Kind.NOMINAL, Kind.TEXT})
    shows_work: ClassVar[bool] = True

    def learn(self, table: Table) -> LinearClasses:
        """Return the model of a prepared table."""
        return self.learn_slots(table).model()

    def learn_slots(self, table: Table) -> SlotVector:
        """Return the slots and their learned state."""
        table = self._set_types(table)
        if self.shuffle:
            table = _drop_constants(table)
        classes = table.schema.target_column.levels
        if self.categories is not None and len(classes) != self.categories:
            raise DataError(
                f"the target {table.schema.target!r} has {len(classes)} classes ({listing(classes)}), but categories "
                f"is {self.categories}; correct one of them"
            )
        design = Design.learn(table, OPTIONS)
        slots = DesignSlots.of(design, int(self.features))
        steps = MahoutSteps.start(
            max(len(classes) - 1, 1), len(slots.used_slots), float(self.rate), float(self.penalty), float(self.decay)
        )
        rows = slots.rows(table)
        target = table.target_codes
        shuffle = bool(self.shuffle)
        orders, weights = row_orders(table, int(self.passes), self.random_state, shuffle=shuffle)
        for order in orders:
            some = rows[order] if shuffle else rows
            own = None if weights is None else np.ascontiguousarray(weights[order])
            steps.learn(*_parts(some), np.ascontiguousarray(target[order]), own)
        if not np.isfinite(steps.beta).all():
            raise DataError(
                f"the coefficients diverge to infinity at the rate {self.rate:g}; choose a smaller one, as in "
                f"rate={self.rate / 1000:g}, or scale down columns with large numbers"
            )
        steps.apply_pending()
        return SlotVector(table, design, slots, steps)

    def _set_types(self, table: Table) -> Table:
        """Return the table with the predictors that are requested, each of the type that it shall have."""
        schema = table.schema
        used = parse_names(self.predictors) or [schema.names[i] for i in schema.predictors]
        if schema.target in used:
            raise UsageError(f"{schema.target!r} is the target, so it cannot also be a predictor; leave it out")
        types = parse_names(self.types)
        for name in types:
            if name not in TYPES:
                raise UsageError(f"types={name!r} is not allowed: a type is one of {', '.join(TYPES)}")
        if len(types) > len(used):
            raise UsageError(f"there are {len(types)} types for {len(used)} predictors; leave some out")
        kinds = {name: TYPES[types[min(i, len(types) - 1)]] for i, name in enumerate(used)} if types else {}
        table = table.select([*used, schema.target_column.name])
        return table if not kinds else _recast(table, kinds)

    def _work(self, table: Table) -> object:
        return self.learn_slots(table)


def _drop_constants(table: Table) -> Table:
    """Return the table without constant columns, which are redundant with the intercept."""
    unused = {*constant_columns(table)}
    return table.select([name for name in table.schema.names if name not in unused]) if unused else table


def _recast(table: Table, kinds: dict[str, Kind]) -> Table:
    """Return the table with columns of other kinds; none of them is left out as an identifier."""
    target = table.schema.target
    return settle_table(table, ReadOptions(target=target, kinds=kinds, keep=tuple(kinds)))


@dataclass(frozen=True, eq=False)
class DesignSlots:
    """The slots of a design's positions and of the intercept; used slots are in order of occurrence."""

    design: Design
    n: int
    used_slots: Codes  # the slots that are used; the first is the intercept's
    slot_matrix: Any  # scipy's csr_array (positions, used slots): 1 where a position has a slot

    @classmethod
    def of(cls, design: Design, n: int) -> DesignSlots:
        """Return the slots that Mahout assigns."""
        from scipy.sparse import csr_array

        known = {intercept_slot(n): 0}
        place: list[int] = []
        slot: list[int] = []
        for (position, part), start in zip(design.used_blocks, design.starts, strict=False):
            column = design.schema.columns[position]
            for number, own in enumerate(_part_slots(part, column.name, column.levels, n)):
                place += [start + number] * len(own)
                slot += [known.setdefault(one, len(known)) for one in own]
        placed = csr_array((np.ones(len(place)), (place, slot)), shape=(design.width, len(known)))
        placed.sum_duplicates()
        return cls(design, n, np.array(list(known), dtype=np.int32), placed)

    def vector(self, beta: Numbers) -> Numbers:
        """Return the coefficients of all slots, given those of the used ones."""
        out = np.zeros(self.n)
        out[self.used_slots] = beta
        return out

    def rows(self, table: Table) -> Any:
        """Return the slots of every row that are not 0, and their values, as scipy's csr_array."""
        from scipy.sparse import csr_array

        n = table.n_rows
        first = csr_array((np.ones(n), (np.arange(n), np.zeros(n, dtype=np.int64))), (n, len(self.used_slots)))
        matrix = first
        if self.design.width:
            matrix = csr_array(csr_array(self.design.matrix(table)) @ self.slot_matrix + first)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        return matrix

    @cached_property
    def shared(self) -> dict[int, list[str]]:
        """The slots shared by several predictors, and these predictors."""
        by_slot: dict[int, list[str]] = {int(self.used_slots[0]): [INTERCEPT]}
        where = self.slot_matrix.tocoo()
        names = self.design.names
        for place, slot in sorted(zip(where.coords[0].tolist(), where.coords[1].tolist(), strict=True)):
            by_slot.setdefault(int(self.used_slots[slot]), []).append(names[place])
        return {slot: own for slot, own in sorted(by_slot.items()) if len(own) > 1}

    @property
    def notes(self) -> tuple[str, ...]:
        """The note on shared slots."""
        texts = [f"slot {slot} is shared by {listing(own)}" for slot, own in list(self.shared.items())[:MOST_TOLD]]
        if not texts:
            return ()
        more = len(self.shared) - len(texts)
        rest = f" (and {more} more slots are shared)" if more else ""
        return (f"{'; '.join(texts)}{rest}: they share one coefficient; use more features to separate them",)


def _parts(matrix: Any) -> tuple[Rows, Codes, Numbers]:
    """Return sparse rows in the kernels' form."""
    ids, values = matrix.indices.astype(np.int32, copy=False), np.ascontiguousarray(matrix.data, dtype=np.float64)
    return matrix.indptr.astype(np.int64), ids, values


def _part_slots(part: Any, name: str, levels: Sequence[str], n: int) -> list[list[int]]:
    """Return the slots of every position of a column."""
    missing = [[number_slot(f"{name} missing", n)]]
    if isinstance(part, NumberBlock):
        return [[number_slot(name, n)], *(missing if part.gaps else [])]
    if isinstance(part, LevelBlock):
        return [*(word_slots(name, levels[code], n) for code in part.coded.tolist()), *(missing if part.gaps else [])]
    assert isinstance(part, TermBlock)
    return [word_slots(name, str(term), n) for term in part.space.names]


@dataclass(eq=False)
class MahoutSteps:
    """The state of training: coefficients, and the pending penalty of every slot."""

    how: Numbers
    beta: Numbers  # (classes - 1, slots)
    settled: Rows
    seen: Numbers
    step: int = 0

    @classmethod
    def start(cls, n_functions: int, slots: int, rate: float, penalty: float, decay: float) -> MahoutSteps:
        """Return coefficients of 0."""
        how = np.array([rate, penalty, decay, OFFSET, EXPONENT, CALM])
        return cls(how, np.zeros((n_functions, slots)), np.zeros(slots, dtype=np.int64), np.zeros(slots))

    def learn(self, starts: Rows, slots: Codes, values: Numbers, label: Codes, weight: Numbers | None = None) -> None:
        """Learn from rows in order."""
        state = (self.how, self.beta, self.settled, self.seen, self.step)
        self.step = _kernels.learn_mahout_sgd(starts, slots, values, label, weight, *state)

    def apply_pending(self) -> None:
        """Apply the pending penalty to all slots."""
        self.step = _kernels.finish_mahout_sgd(self.how, self.beta, self.settled, self.seen, self.step)

    def classify_scalar(self, slots: Codes, values: Numbers) -> float:
        """Return the probability of the second of two classes for a row, after the pending penalty.

        That is Mahout's classifyScalar: r = exp(coefficients times values), r / (1 + r).
        """
        if len(self.beta) != 1:
            raise UsageError(f"classify_scalar is for two classes, but there are {len(self.beta) + 1}; use the model")
        paid = MahoutSteps(self.how, self.beta, self.settled.copy(), self.seen, self.step - 1)
        paid.settled[np.setdiff1d(np.arange(len(self.settled)), slots)] = self.step
        paid.apply_pending()
        self.settled[slots] = paid.settled[slots]
        r = float(np.exp(min(float(self.beta[0, slots] @ values), 700.0)))
        return r / (1 + r)


@dataclass(frozen=True, eq=False)
class SlotVector:
    """A vector of slots after training, printed in Mahout's format."""

    table: Table
    design: Design
    slots: DesignSlots
    steps: MahoutSteps

    @cached_property
    def coefficients(self) -> Numbers:
        """What every position adds to the function of each class but the first (a line each): the sum of its slots."""
        return np.ascontiguousarray((self.slots.slot_matrix @ self.steps.beta.T).T).reshape(len(self.steps.beta), -1)

    def model(self) -> LinearClasses:
        """Return the model: one coefficient per position."""
        schema = self.table.schema
        classes = len(schema.target_column.levels)
        class_codes = np.arange(min(1, classes - 1), classes, dtype=np.int32)
        figures = ClassFigures(self.table.total_weight)
        lines = np.column_stack([self.steps.beta[:, 0], self.coefficients])
        lines = np.array([_kernels.round_significant(np.ascontiguousarray(line), DIGITS) for line in lines])
        intercepts, slopes = lines[:, 0].copy(), lines[:, 1:].copy()
        linear_classes = LinearClasses(schema, self.design, class_codes, intercepts, slopes, figures=figures)
        value = _log_likelihood(linear_classes, self.table)
        about = About(notes=(*self.slots.notes, *self._poor(value)))
        return replace(linear_classes, figures=replace(figures, log_likelihood=value), about=about)

    def _poor(self, value: float) -> tuple[str, ...]:
        """Return advice if the model fits worse than the class frequencies."""
        target = self.table.schema.index(self.table.schema.target_column.name)
        weights = np.bincount(self.table.codes(target), self.table.row_weights)
        weights = weights[weights > 0]
        constant = float(weights @ np.log(weights / weights.sum()))
        if value >= constant - 1e-9 * abs(constant):
            return ()
        parts = [
            (abs(part.mean) + part.scale, at) for at, part in self.design.used_blocks if isinstance(part, NumberBlock)
        ]
        size, at = max(parts, default=(0.0, 0))
        large = (
            f"; numbers are not scaled, and those of {self.table.schema.names[at]!r} are large" if size > LARGE else ""
        )
        text = f"the model fits worse than the class frequencies alone (log-likelihood {value:.6g}, {constant:.6g})"
        return (f"{text}{large}; use a smaller rate, decay=1, or the learner logistic or online_linear",)

    def __str__(self) -> str:
        names, lines = self.design.names, [f"{self.slots.n}"]
        target = self.table.schema.target
        for line, beta in enumerate(self.steps.beta):
            coefficients = {INTERCEPT: float(beta[0])}
            coefficients |= {
                name: value for name, value in zip(names, self.coefficients[line].tolist(), strict=True) if value
            }
            formula = " + ".join(f"{value:.3f}*{name}" for name, value in coefficients.items() if value)
            of_class = f" = {self.table.schema.target_column.levels[line + 1]}" if len(self.steps.beta) > 1 else ""
            lines.append(f"{target}{of_class} ~ {formula or '0'}")
            width = max(20, *map(len, coefficients))
            lines += [
                f"{name:>{width}} {coefficients[name]:.5f}" for name in sorted(coefficients) if coefficients[name]
            ]
            vector = self.slots.vector(beta)
            shown = " ".join(f"{value:15.9f}" for value in vector[:MOST_SLOTS].tolist())
            lines.append(shown if self.slots.n <= MOST_SLOTS else f"{shown} ... and {self.slots.n - MOST_SLOTS} more")
        return "\n".join([*lines, *self.slots.notes])


def _log_likelihood(model: LinearClasses, table: Table) -> float:
    codes = table.target_codes
    shares = model.scores(align(table, model.schema).table)[np.arange(len(codes)), codes]
    return float(np.log(np.maximum(shares, 1e-300)) @ table.row_weights)
