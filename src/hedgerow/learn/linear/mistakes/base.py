"""The base of the perceptron and Winnow: learning from mistakes in passes, and continuing with more rows.

Rows are shown in random or in the given order. A row of weight w counts as w equal rows: shuffled rows of whole weights
are repeated, others are shown until they are right, up to w times side by side, the last time with a step in proportion
to what is left of w. So row weights of at most 1 scale the step.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, cast

import numpy as np

from hedgerow import _kernels
from hedgerow.data.bags.align import align
from hedgerow.data.design.blocks import ColumnBlock, LevelBlock, NumberBlock, TermBlock
from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import DesignCounts, DesignOptions
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Codes, Numbers, Rows, Table, concatenate
from hedgerow.data.text.hashed_counts import HashedCounts
from hedgerow.data.text.term_counts import TermCounts
from hedgerow.data.text.term_space import TermSpace
from hedgerow.errors import DataError, UsageError
from hedgerow.learn.attributes.fitted_attributes import LinearClassAttributes
from hedgerow.learn.calibrate import fit_temperature
from hedgerow.learn.classifier import CountingClassifier, extend_schema
from hedgerow.learn.linear.mistakes.shown_work import MistakeWork
from hedgerow.learn.params import choice, fitted_attribute, flag, integer, seed
from hedgerow.learn.passes import Engine, Plan
from hedgerow.learn.sampling import seed_number
from hedgerow.learn.text.text_learner import TextLearner
from hedgerow.models.base.model import About, Model
from hedgerow.models.linear.linear_classes import SOFTMAX, LinearClasses

PLAIN, AVERAGED, POCKET = "plain", "averaged", "pocket"
EXACT_DIGITS = 10  # a coefficient of no more digits is kept as it is
MOST_DIGITS = 15
MOST_REPEATED = 10  # maximum factor of the number of rows when they are repeated by their weights
FIRST_ROWS = 256  # first rows of partial_fit: they determine means, deviations and cut points
MOST_DOUBLINGS = 60  # of the weight of the last coefficients in their average


@dataclass(eq=False)
class LearningState:
    """The state of training. Arrays are ordered by position: all functions at one position, then the next."""

    design: Design
    coefficients: Numbers  # updated by the kernel: weights of a perceptron, the constant first; exponents of Winnow
    sums: Numbers  # for the average; empty if there is none
    since: Numbers  # likewise, of Winnow
    pocket: Numbers  # empty if there is none
    progress: Numbers  # weight of rows shown, run, longest run, mistakes of the pocket
    theta: float = 0.0  # threshold of Winnow
    terms: dict[int, TermCounts | HashedCounts] = field(default_factory=dict)  # of every text column, to continue from
    rows: int = 0
    classes: Numbers = field(default_factory=lambda: np.zeros(0))  # weight of the rows of each class
    mistakes: tuple[int, ...] = ()  # of every pass
    parts: tuple[
        ColumnBlock | None, ...
    ] = ()  # of all columns, those of a single value too, which the design leaves out
    recent: Table | None = None  # the last rows, at most FIRST_ROWS
    settled: bool = True  # whether means, deviations and cut points are fixed; else all rows are recent

    @classmethod
    def blank(cls, design: Design, inputs: int, classes: int, variant: str, *, lazy: bool = False) -> LearningState:
        """Return coefficients of 0 and what a variant remembers; `lazy` averages need a date of each coefficient."""
        size, nothing = inputs * n_functions(classes), np.empty(0)
        return cls(
            design,
            np.zeros(size),
            np.zeros(size) if variant == AVERAGED else nothing,
            np.zeros(size) if variant == AVERAGED and lazy else nothing,
            np.zeros(size) if variant == POCKET else nothing,
            np.array([0.0, 0.0, 0.0, -1.0]),
            classes=np.zeros(classes),
        )

    @property
    def functions(self) -> int:
        """How many linear functions there are: one for two classes, else one per class."""
        return n_functions(len(self.classes))


def n_functions(classes: int) -> int:
    """Return the number of linear functions for a number of classes."""
    return 1 if classes == 2 else classes


class MistakeRows:
    """Rows in the form that a kernel takes."""

    labels: Codes
    weights: Numbers | None

    @abstractmethod
    def learn(self, state: LearningState, order: Rows | None = None) -> int:
        """Show all rows once; return the number of mistakes."""

    @abstractmethod
    def sums(self, intercepts: Numbers, slopes: Numbers) -> Numbers:
        """Return the value of every function (columns) for every row, by coefficients on the user's scale."""

    @abstractmethod
    def select_row(self, row: int) -> MistakeRows:
        """Return a single row."""


class MistakeLearner(LinearClassAttributes, CountingClassifier, TextLearner):
    """Learners that update only on mistakes, one row after the other."""

    variant: str = choice(
        AVERAGED,
        "the final weights, their average over all updates, or those with the fewest mistakes",
        PLAIN,
        AVERAGED,
        POCKET,
    )
    passes: int = integer(
        100,
        "maximum number of passes over the rows; training stops after the first pass without mistakes",
        low=1,
    )
    shuffle: bool = flag(True, "shuffle the rows before every pass")
    digits: int = integer(6, "minimum number of significant digits of long weights, printed and used", low=1, high=15)
    random_state: Any = seed()
    trace: bool = flag(False, "print the work: the mistakes and the weights after each", in_python=True)

    _latest: LinearClasses = fitted_attribute()  # after the last batch

    takes: ClassVar[frozenset[Kind]] = frozenset({Kind.NUMERIC, Kind.NOMINAL, Kind.TEXT})
    shows_work: ClassVar[bool] = True
    order_matters: ClassVar[bool] = True

    # -- for subclasses ----------------------------------------------------------------------------------------

    @abstractmethod
    def design_options(self) -> DesignOptions:
        """Return how columns are encoded."""

    @abstractmethod
    def make_block(self, table: Table, position: int, part: ColumnBlock) -> ColumnBlock | None:
        """Return the positions of a column instead of the usual ones; None if it is not informative."""

    def vary_block(self, part: NumberBlock, other: float) -> ColumnBlock:  # noqa: ARG002
        """Return the positions of a column that was constant until now; its mean is the constant."""
        return part

    @abstractmethod
    def initial_state(self, design: Design, classes: int) -> LearningState:
        """Return the initial state."""

    @abstractmethod
    def make_rows(self, design: Design, table: Table) -> MistakeRows:
        """Return the rows of a table."""

    @abstractmethod
    def to_user_scale(self, state: LearningState, rows: Any) -> tuple[Numbers, Numbers]:
        """Return intercepts and slopes on the user's scale, one line per function."""

    @abstractmethod
    def make_work(self, state: LearningState, table: Table) -> MistakeWork:
        """Return the recorder of steps, without steps."""

    @abstractmethod
    def mirror(self, values: Numbers) -> Numbers:
        """Return the coefficients of the second of two classes, if these are those of the first."""

    # -- learning -------------------------------------------------------------------------------------------

    def learn(self, table: Table) -> LinearClasses:
        """Return the model of a prepared table."""
        if self.trace:
            print(self._work(table), end="\n\n")  # set if `trace` is on
        return self._learn_all(table)[1]

    def _learn_all(self, table: Table) -> tuple[LearningState, LinearClasses]:
        self.check_values(table.schema)
        state = self._first(table, DesignCounts.of(table, self.design_options()))
        if len(state.classes) < 2:
            return state, self._single_class_model(state)
        table = self._repeat_whole_weights(table)
        rows = self.make_rows(state.design, table)
        chance = self.work_chance()
        for _ in range(int(self.passes)):
            order = None if chance is None else chance.permutation(table.n_rows).astype(np.int64)
            state.mistakes += (rows.learn(state, order),)
            if not state.mistakes[-1]:
                self._continue_average(state, rows)
                break
        state.recent = table.slice(max(table.n_rows - FIRST_ROWS, 0), table.n_rows)
        return state, self._model(state, rows, table, final=True)

    def _continue_average(self, state: LearningState, rows: MistakeRows) -> None:
        """Continue averaging after a pass without error, as if more passes followed, until the average makes none.

        The coefficients no longer change, so that only the weight of the rows shown grows.
        """
        if self.variant != AVERAGED:
            return
        counted = slice(None) if rows.weights is None else rows.weights > 0
        for _ in range(MOST_DOUBLINGS):
            if np.array_equal(decide_rows(rows.sums(*self.to_user_scale(state, rows)))[counted], rows.labels[counted]):
                return
            state.progress[0] *= 2
        state.sums[:] = 0.0  # a row has the sum 0: only the coefficients themselves classify it correctly
        state.since[:] = 0.0

    def _repeat_whole_weights(self, table: Table) -> Table:
        """Return the table with rows of whole weights repeated, if rows are shuffled: equal rows are then apart."""
        weights = table.weights
        if not self.shuffle or weights is None or not np.array_equal(weights, np.trunc(weights)):
            return table
        if not 0 < weights.sum() <= MOST_REPEATED * table.n_rows:
            return table
        return table.with_weights(None).take(np.repeat(np.arange(table.n_rows), weights.astype(np.int64)))

    def check_values(self, schema: Schema) -> None:
        """Raise an error if parameters are incompatible with each other or the columns."""

    def _first(self, table: Table, counts: DesignCounts) -> LearningState:
        """Return the initial state for a table."""
        schema = table.schema
        parts = tuple(
            part if part is None or part.is_constant else self.make_block(table, position, part)
            for position, part in enumerate(Design.from_counts(schema, counts, self.design_options()).parts)
        )
        state = self._start_on_columns(schema, parts)
        kept = ((i, counts.columns[i]) for i in schema.predictors)
        state.terms = {i: counted for i, counted in kept if isinstance(counted, TermCounts | HashedCounts)}
        return self._count_rows(state, table)

    def _start_on_columns(self, schema: Schema, parts: tuple[ColumnBlock | None, ...]) -> LearningState:
        """Return the initial state for columns; constant ones are left out of the design."""
        varied = tuple(None if part is None or part.is_constant else part for part in parts)
        return replace(self.initial_state(Design(schema, varied), len(schema.target_column.levels)), parts=parts)

    def _count_rows(self, state: LearningState, table: Table) -> LearningState:
        """Count rows and classes."""
        labels = class_codes(table)
        state.rows += table.n_rows
        state.classes = state.classes + np.bincount(labels, table.weights, len(state.classes))
        return state

    # -- the model ------------------------------------------------------------------------------------------

    def _single_class_model(self, state: LearningState) -> LinearClasses:
        """Return the model of a single class."""
        width, nothing = state.design.width, np.empty(0)
        class_codes = np.empty(0, dtype=np.int32)
        return LinearClasses(state.design.schema, state.design, class_codes, nothing, np.empty((0, width)), SOFTMAX)

    def _model(self, state: LearningState, rows: MistakeRows, table: Table, final: bool) -> LinearClasses:
        """Return the model of a state; `final` if there are no more rows."""
        exact = self.to_user_scale(state, rows)
        if not all(np.isfinite(one).all() for one in exact):
            raise DataError(
                "the weights are too large for floating point: divide the columns with large numbers by a constant"
            )
        intercepts, slopes, sums = self._round_coefficients(rows, *exact)
        classes = len(state.classes)
        every = sums if sums.shape[1] == classes else np.column_stack([sums[:, 0], np.zeros(len(sums))])
        temperature = fit_temperature(every, rows.labels, rows.weights).value
        wrong = int(np.count_nonzero(decide_rows(sums) != rows.labels))
        notes = self._ending(state, wrong, table.n_rows) if final else ()
        class_codes = np.arange(n_functions(classes), dtype=np.int32)
        return LinearClasses(
            state.design.schema,
            state.design,
            class_codes,
            intercepts,
            slopes,
            SOFTMAX,
            temperature,
            about=About(notes=notes),
        )

    def _round_coefficients(
        self, rows: MistakeRows, intercepts: Numbers, slopes: Numbers
    ) -> tuple[Numbers, Numbers, Numbers]:
        """Return rounded coefficients that classify all rows as the exact ones do, and their sums."""
        with np.errstate(over="ignore", invalid="ignore"):
            exact = decide_rows(rows.sums(intercepts, slopes))
            digits = int(self.digits)
            while True:
                short = short_numbers(intercepts, digits), short_numbers(slopes, digits)
                sums = rows.sums(*short)
                if digits >= MOST_DIGITS or np.array_equal(decide_rows(sums), exact):
                    return *short, sums
                digits = min(digits + 3, MOST_DIGITS)

    def _ending(self, state: LearningState, wrong: int, n_rows: int) -> tuple[str, ...]:
        """Return notes on how training ended."""
        if not state.mistakes or not state.mistakes[-1]:
            return ()
        passes = len(state.mistakes)
        others = [f"variant={name!r}" for name in (AVERAGED, POCKET) if name != self.variant]
        advice = f"more passes, {' or '.join(others)}, or the learner logistic may do better"
        if not wrong:
            left = "the final weights predict all rows correctly, although every pass had mistakes"
            return (f"{left}; there were {_passes(passes)}",)
        rows = "1 row is" if wrong == 1 else f"{wrong} rows are"
        text = f"{rows} still misclassified, out of {n_rows}, after {_passes(passes)}"
        return (f"{text}: perhaps no linear function separates the classes; {advice}",)

    # -- more rows ------------------------------------------------------------------------------------------

    def plan(self, schema: Schema) -> Plan:
        """Return how a state becomes a model; rows cannot be counted, since each changes the state for the next."""
        return StatePlan(self, schema)

    def _learn_by_passes(self, schema: Schema, engine: Engine) -> Model:  # noqa: ARG002
        raise UsageError(
            f"{type(self).__name__} makes several passes over the rows in memory; read them into a table, call "
            "partial_fit with one batch after another, or use OnlineLinear"
        )

    def _train_for_fit(self, data: Table | Source) -> Model:
        """Return the model as `train` does, but keep the state, so that partial_fit can continue from it."""
        kept: dict[str, LearningState] = {}

        def count_and_train(schema: Schema, engine: Engine) -> Model:
            if isinstance(data, Source):
                return self._learn_by_passes(schema, engine)
            table = cast("Any", engine).table
            if self.trace:
                print(self._work(table), end="\n\n")
            kept["state"], model = self._learn_all(table)
            return model

        model = self._train_data(data, count_and_train)
        self._counts, self._plan_schema = cast("Any", kept["state"]), kept["state"].design.schema
        return model

    def _add(self, table: Table, schema: Schema, fresh: bool, is_number: bool) -> None:
        """Learn from some more rows, in one pass, with a schema extended by their levels and classes.

        The first rows are kept, and learned from again with every batch, until there are FIRST_ROWS of them. These
        determine the means, deviations and cut points of numbers, so that the division into batches does not matter.
        """
        self.check_values(schema)
        self.check_batches(schema)
        state = None if fresh else cast("LearningState", self._counts)
        if state is not None:
            schema = extend_schema(self._plan_schema, schema, self._classes is not None, is_number)
            table = align(table, schema).table
        recent = [] if state is None or state.recent is None else [align(state.recent, schema).table]
        if state is None or not state.settled:
            missing = FIRST_ROWS - sum(rows.n_rows for rows in recent)
            first = concatenate([*recent, table.slice(0, min(missing, table.n_rows))])
            state, recent = self._learn_first_rows(first), [first]
            table = table.slice(min(missing, table.n_rows), table.n_rows)
        if table.n_rows:
            state = self._extend_state(state, table)
            self._show(state, table, state.rows)
            recent.append(table)
        last = concatenate(recent)
        state.recent = last.slice(max(last.n_rows - FIRST_ROWS, 0), last.n_rows)
        model = self._single_class_model(state)
        if len(state.classes) >= 2:
            shown = self._repeat_whole_weights(state.recent)
            model = self._model(state, self.make_rows(state.design, shown), shown, final=False)
        self._counts, self._plan_schema, self._latest = cast("Any", state), schema, model

    def _learn_first_rows(self, table: Table) -> LearningState:
        """Return the state after the first rows."""
        state = self._first(table, DesignCounts.of(table, self.design_options()))
        state.settled = table.n_rows >= FIRST_ROWS
        self._show(state, table, 0)
        return state

    def _show(self, state: LearningState, table: Table, rows_before: int) -> None:
        """Show rows once; the random order depends on how many rows came before."""
        if len(state.classes) < 2 or not table.n_rows:
            return
        table = self._repeat_whole_weights(table)
        chance = np.random.default_rng([seed_number(self.random_state), rows_before]) if self.shuffle else None
        order = None if chance is None else chance.permutation(table.n_rows).astype(np.int64)
        state.mistakes += (self.make_rows(state.design, table).learn(state, order),)

    def check_batches(self, schema: Schema) -> None:
        """Raise an error if training in batches is not possible."""
        if self.variant == POCKET:
            raise UsageError(
                "variant='pocket' counts mistakes on all rows, which partial_fit does not have: use variant='averaged'"
            )
        if self.idf != "none" and any(c.kind is Kind.TEXT for c in schema.columns):
            raise UsageError(
                "partial_fit cannot weight terms before the number of texts is known: use idf='none', or train on all "
                "rows"
            )

    def _extend_state(self, before: LearningState, table: Table) -> LearningState:
        """Return the state before with the positions and classes of a batch added, which start again."""
        schema, options = table.schema, self.design_options()
        counts = DesignCounts.of(table, options)
        batch = Design.from_counts(schema, counts, options)
        terms: dict[int, Any] = dict(before.terms)
        for i, own in enumerate(counts.columns):
            if i in schema.predictors and isinstance(own, TermCounts | HashedCounts):
                terms[i] = terms[i] + own if i in terms else own
        pairs = zip(before.parts, batch.parts, strict=True)
        parts = tuple(self._extend_block(old, new, table, i, terms.get(i)) for i, (old, new) in enumerate(pairs))
        state = self._start_on_columns(schema, parts)
        state.terms, state.rows, state.theta = terms, before.rows, before.theta or state.theta
        levels, known = schema.target_column.levels, before.design.schema.target_column.levels
        where = np.array([levels.index(level) for level in known], dtype=np.int64)
        np.add.at(state.classes, where, before.classes)
        state.mistakes, state.progress = before.mistakes, before.progress.copy()
        if len(known) >= 2:
            self._copy_learned(before, state, where)
        return self._count_rows(state, table)

    def _extend_block(
        self, old: ColumnBlock | None, new: ColumnBlock | None, table: Table, position: int, terms: Any
    ) -> ColumnBlock | None:
        """Return the positions of a column after more rows; means, deviations, cut points stay those of the first."""
        if isinstance(old, TermBlock):
            options = self.design_options()
            return TermBlock(TermSpace.from_counts(terms, options.tokens, options.limits, options.weighting))
        if isinstance(old, LevelBlock) and isinstance(new, LevelBlock):
            coded = np.union1d(old.coded, new.coded).astype(np.int32)
            return LevelBlock(coded, -1, new.n_levels, old.gaps or new.gaps)
        if old is None and isinstance(new, NumberBlock):  # the first numbers of a column
            values = table.numbers(position)
            old = NumberBlock(float(values[~np.isnan(values)][0]), 0.0, gaps=True)
        if isinstance(old, NumberBlock) and old.scale == 0:
            values = table.numbers(position)
            others = values[(values != old.mean) & ~np.isnan(values)]
            if len(others):
                old = self.vary_block(replace(old, scale=abs(float(others[0]) - old.mean)), float(others[0]))
        if old is None or new is None:
            return new if old is None else old
        gaps = getattr(old, "gaps", False) or getattr(new, "gaps", False)
        return replace(cast("NumberBlock", old), gaps=gaps)

    def _copy_learned(self, before: LearningState, state: LearningState, where: Rows) -> None:
        """Move the learned values to their new positions."""
        old, new = position_keys(before.design), position_keys(state.design)
        indices = np.array([new.get(key, -1) for key in old], dtype=np.int64)
        constant = len(before.coefficients) // before.functions - before.design.width  # 1: there is a constant place
        indices = np.concatenate([np.zeros(constant, np.int64), np.where(indices >= 0, indices + constant, -1)])
        for name in ("coefficients", "sums", "since"):
            mine, its = getattr(state, name), getattr(before, name)
            if not len(mine) or not len(its):
                continue
            lines = its.reshape(-1, before.functions)
            if before.functions == 1 and state.functions > 1:
                lines = np.column_stack([lines[:, 0], self.mirror(lines[:, 0]) if name != "since" else lines[:, 0]])
            target = mine.reshape(-1, state.functions)
            columns = where if state.functions > 1 else np.zeros(1, np.int64)
            target[np.ix_(indices[indices >= 0], columns)] = lines[indices >= 0]

    # -- work -----------------------------------------------------------------------------------------------

    def work_chance(self) -> np.random.Generator | None:
        """Return the random generator for the order of the rows; None if the order is given."""
        return np.random.default_rng(seed_number(self.random_state)) if self.shuffle else None

    @abstractmethod
    def sums_of(self, state: LearningState, only: Any) -> Numbers:
        """Return the sums of a single row."""

    @abstractmethod
    def predicted_classes(self, sums: Numbers, threshold: float) -> list[int]:
        """Return the classes that sums predict."""

    def _work(self, table: Table) -> object:
        self.check_values(table.schema)
        state = self._first(table, DesignCounts.of(table, self.design_options()))
        work = self.make_work(state, table)
        if len(state.classes) >= 2:
            work.follow(self, state, self.make_rows(state.design, self._repeat_whole_weights(table)))
            work.mistakes = self._learn_all(table)[0].mistakes
        return work


@dataclass(frozen=True)
class StatePlan(Plan):
    """The model of a state, built together with the state."""

    learner: MistakeLearner
    schema: Schema

    def count(self, table: Table) -> Any:
        """Rows are not counted."""
        return self.learner._learn_by_passes(self.schema, cast("Any", table))  # noqa: SLF001

    def advance(self, counts: Any) -> Model:  # noqa: ARG002
        """Return the model after the last batch."""
        model: Model = self.learner._latest  # noqa: SLF001
        return model


# -- pieces ---------------------------------------------------------------------------------------------------


def class_codes(table: Table) -> Codes:
    """Return the class of every row."""
    return np.ascontiguousarray(table.target_codes)


def position_keys(design: Design) -> dict[tuple[str, str], int]:
    """Return the position of every column and name."""
    keys = {}
    for (position, part), start in zip(design.used_blocks, design.starts, strict=False):
        column = design.schema.columns[position]
        for place, name in enumerate(part.names(column, range(part.width))):
            keys[column.name, name] = start + place
    return keys


def decide_rows(sums: Numbers) -> Codes:
    """Return the class of every row: the first if the only sum is above 0; else that of the largest, or the first."""
    if sums.shape[1] == 1:
        return np.where(sums[:, 0] > 0, 0, 1).astype(np.int32)
    codes: Codes = sums.argmax(axis=1).astype(np.int32)
    return codes


def short_numbers(values: Numbers, digits: int) -> Numbers:
    """Return numbers with so many significant digits; those with at most ten are unchanged.

    >>> short_numbers(np.array([0.1 + 0.2, 12345.678, 2 / 3, 0.0]), 3).tolist()
    [0.3, 12345.678, 0.667, 0.0]
    """
    out, there = np.zeros(values.shape), values != 0
    some = values[there]
    longer = _kernels.round_significant(some, max(digits, EXACT_DIGITS))
    kept = np.abs(longer - some) <= 1e-13 * np.abs(some)  # a short number with a rounding error
    out[there] = np.where(kept, longer, _kernels.round_significant(some, digits))
    return out


def _passes(passes: int) -> str:
    return "1 pass" if passes == 1 else f"{passes} passes"
