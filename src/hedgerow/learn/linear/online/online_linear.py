"""Online linear learners: rows one after another, with hashed terms of texts, several passes, and `partial_fit`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Self, cast

import numpy as np

from hedgerow.data.design.design_counts import NumberCounts, number_counts
from hedgerow.data.formats.vw import NewSchema, VwSource
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Rows, SparseNumbers, Table, gather_values
from hedgerow.data.text.hashed_counts import HashedCounts
from hedgerow.data.text.hashed_text import Hashing
from hedgerow.data.text.term_counts import TermCounts
from hedgerow.data.text.term_space import IDFS, TermSpace, term_settings
from hedgerow.data.text.term_vectors import NORMS, TFS, TermVectors
from hedgerow.data.text.terms import ALL
from hedgerow.data.text.tokens import MOST_BITS
from hedgerow.errors import DataError
from hedgerow.layout.rounding import round_within
from hedgerow.learn import inputs
from hedgerow.learn.base import Counted
from hedgerow.learn.classifier import CountingClassifier
from hedgerow.learn.linear.least_squares.row_orders import row_orders
from hedgerow.learn.linear.online.online_state import LARGEST, OnlineState
from hedgerow.learn.linear.online.progressive_validation import Progress, progress_table
from hedgerow.learn.linear.online.update_rule import HINGE, LOGISTIC, QUANTILE, SQUARED, OnlineRule
from hedgerow.learn.params import choice, fitted_attribute, flag, integer, real, seed
from hedgerow.learn.passes import Engine, InMemoryEngine, StreamEngine, prefetch
from hedgerow.learn.regressor import Regressor
from hedgerow.learn.text.text_learner import TextLearner
from hedgerow.models.base.model import ClassModel, Model, NumberModel

SOME_ROWS = 50_000  # default total of rows in all passes over a small table, in at most 100 passes


class OnlineLearner(TextLearner):
    """The base of online learners of classes and of numbers."""

    rate: float = real(0.5, "learning rate", above=0)
    power: float = real(
        0.5,
        "the rate is divided by this power of the sum of a coefficient's squared gradients, or of the number of rows "
        "so far",
        low=0,
        high=1,
    )
    adaptive: bool = flag(True, "give every coefficient its own learning rate")
    normalised: bool = flag(True, "make training independent of the scale of numbers")
    invariant: bool = flag(True, "apply a row's weight as if it came in infinitely many small parts")
    tau: float = real(0.5, "quantile of the loss 'quantile', between 0 and 1", above=0, high=1)
    l1: float = real(
        0.0, "L1 penalty: factor of the sum of absolute coefficients, added to the loss of each row", low=0
    )
    l2: float = real(
        0.0, "L2 penalty: factor of half the sum of squared coefficients, added to the loss of each row", low=0
    )
    passes: int | None = integer(
        None,
        "number of passes over the rows; if none, 1 over a stream, and 5 to 100 over a table, more if it is small",
        low=1,
        none=True,
    )
    shuffle: bool = flag(True, "process the rows of a table in random order; a stream keeps its order")
    delay: int = integer(0, "number of rows by which training lags behind prediction", low=0, high=1 << 20)
    bits: int | None = integer(
        18, "names and terms share 2^bits coefficients; if none, each has its own", low=1, high=MOST_BITS, none=True
    )
    signed: bool = flag(False, "give half of the hashed terms a negative sign")
    tf: str = choice("log", "term frequency weighting in a text", *TFS)
    idf: str = choice(
        "smooth", "inverse document frequency weighting; of a stream, only if it can be read twice", *IDFS
    )
    norm: str = choice("l2", "normalization of texts", *NORMS)
    digits: int = integer(6, "minimum number of significant digits of coefficients, printed and used", low=1, high=15)
    random_state: Any = seed()
    trace: bool = flag(False, "print progressive validation at doubling numbers of rows", in_python=True)

    shows_work: ClassVar[bool] = True
    progress_: list[Progress] = fitted_attribute()

    @property
    def own_loss(self) -> str:
        """The loss; its choices differ between classes and numbers."""
        return str(self.loss)  # type: ignore[attr-defined]

    def rule(self) -> OnlineRule:
        """Return the update rule."""
        return OnlineRule(
            self.own_loss,
            float(self.tau),
            float(self.rate),
            float(self.power),
            bool(self.adaptive),
            bool(self.normalised),
            bool(self.invariant),
            float(self.l1),
            float(self.l2),
            int(self.delay),
        )

    def initial_state(
        self,
        schema: Schema,
        spaces: dict[str, TermSpace] | None = None,
        unused: frozenset[str] = frozenset(),
        centers: dict[str, float] | None = None,
        target: tuple[float, float] = (0.0, 1.0),
    ) -> OnlineState:
        """Return the initial state; terms whose counts are not final have no idf."""
        weighting = self.weighting()
        if not spaces:
            weighting = type(weighting)(weighting.tf, "none", weighting.norm)
        how = {
            "tokens": self.tokens(),
            "weighting": weighting,
            "spaces": spaces,
            "unused": unused,
            "centers": centers,
            "target": target,
        }
        return OnlineState(schema, self.rule(), bits=None if self.bits is None else int(self.bits), **how)  # type: ignore[arg-type]

    def _train_data(self, data: Table | Source, counted: Counted | None = None) -> Model:
        """Return the model of data; columns and classes of VW's lines are taken from the first rows, if they fit."""
        if isinstance(data, VwSource) and data.options.schema is None and data.path != "-":
            guess = data.with_glimpsed_schema()
            wanted = Kind.NOMINAL if self.target_is_classes else Kind.NUMERIC
            if guess.schema.target is not None and guess.schema.target_column.kind is wanted:
                with suppress(NewSchema):
                    model = super()._train_data(guess, counted)
                    data.notes.update(guess.notes)
                    data.__dict__["schema"] = guess.schema
                    return model
        return super()._train_data(data, counted)

    def learn_state(self, schema: Schema, engine: Engine) -> OnlineState:
        """Return the state after all passes over the rows."""
        if isinstance(engine, StreamEngine):
            return self._learn_stream(schema, engine)
        assert isinstance(engine, InMemoryEngine)
        return self._learn_table(engine.table)

    def _learn_table(self, table: Table) -> OnlineState:
        """Return the state after all passes over a table."""
        unused = frozenset(constant_columns(table))
        spaces: dict[str, TermSpace] = {}
        vectors: dict[str, TermVectors] = {}
        for position in table.schema.predictors:
            column = table.schema.columns[position]
            if column.kind is Kind.TEXT and column.name not in unused:
                tokens, weighting = term_settings(column, self.tokens(), self.weighting())
                limits = ALL if column.features else self.limits()
                learned = TermSpace.learn(table.texts(position), tokens, limits, weighting, table.weights)
                spaces[column.name], vectors[column.name] = learned
        state = self.initial_state(table.schema, spaces, unused, means(table), target_unit(table))
        orders, weights = self._orders(table)
        ready = state.ready(table.with_weights(weights), vectors)
        for number, order in enumerate(orders):
            state.learn_rows(ready, order, known=number > 0)
        return state

    def _orders(self, table: Table) -> tuple[Iterator[Rows], Any]:
        """Return the order of the rows in every pass, and their weights; a row of weight 2 comes twice.

        Orders depend on the values of the rows and the seed, not on how the table is sorted.
        """
        passes = int(self.passes or min(100, max(5, -(-SOME_ROWS // max(1, table.n_rows)))))
        return row_orders(table, passes, self.random_state, shuffle=bool(self.shuffle))

    def _learn_stream(self, schema: Schema, engine: StreamEngine) -> OnlineState:
        """Return the state after all passes over a source; a first pass counts terms if idf weights need them."""
        own = [schema.columns[p] for p in schema.predictors]
        texts = [column.name for column in own if column.kind is Kind.TEXT and not column.features]
        spaces: dict[str, TermSpace] = {}
        if texts and (self.idf != "none" or self.bits is None):
            spaces = self._learn_term_spaces(texts, engine)
        is_numeric = schema.target_column.kind is Kind.NUMERIC
        first = next(iter(engine.source.batches()), None) if is_numeric else None
        state = self.initial_state(schema, spaces, target=(0.0, 1.0) if first is None else target_unit(first))
        source = hash_source(engine.source, state)
        for number in range(int(self.passes or 1)):
            engine.seen.start()
            ready = (state.ready(engine.seen.usable(batch)) for batch in source.batches())
            for rows in prefetch(ready):  # type: ignore[arg-type]
                state.learn_rows(rows, known=number > 0)  # type: ignore[arg-type]
            engine.seen.check(engine.source.name)
        return state

    def _learn_term_spaces(self, texts: list[str], engine: StreamEngine) -> dict[str, TermSpace]:
        tokens = self.tokens()
        how = TermCounts if tokens.bits is None else HashedCounts
        counts: dict[str, Any] = {}
        for batch in prefetch(engine.source.batches()):
            table = engine.seen.usable(batch)
            for name in texts:
                found = how.of(table.texts(table.schema.index(name)), tokens, weights=table.weights)
                counts[name] = counts[name] + found if name in counts else found
        engine.seen.check(engine.source.name)
        return {
            name: TermSpace.from_counts(found, tokens, self.limits(), self.weighting())
            for name, found in counts.items()
        }

    def learn(self, table: Table) -> Model:
        """Return the model of a prepared table."""
        return self._learn_by_passes(table.schema, InMemoryEngine(table))

    def _learn_by_passes(self, schema: Schema, engine: Engine) -> Model:
        state = self.learn_state(schema, engine)
        if self.trace:
            print(OnlineWork(state), end="\n\n")  # set if `trace` is on
        return state.model(int(self.digits))

    def _work(self, table: Table) -> object:
        return OnlineWork(self.learn_state(table.schema, InMemoryEngine(table)))

    def _learn_state_and_model(self, schema: Schema, engine: Engine) -> tuple[OnlineState, Model]:
        state = self.learn_state(schema, engine)
        if self.trace:
            print(OnlineWork(state), end="\n\n")
        self.progress_ = state.progress
        return state, state.model(int(self.digits))


class OnlineLinear(OnlineLearner, CountingClassifier):
    """Linear functions of classes, trained one row at a time; fast on texts, streams and wide tables.

    Every row is first predicted, which gives progressive validation, and then used for an update, with a separate
    learning rate for every coefficient. Names and terms are hashed to 2^bits coefficients, or have one each
    (`bits=None`). Two classes have one function, more classes one each against all others.

    Notes
    -----
    Updates are adaptive (Duchi, Hazan, Singer), normalized (Ross, Mineiro, Langford) and invariant to how weights are
    split (Karampatziakis, Langford); each can be left out. See docs/learners/linear/online_linear.md.

    References
    ----------
    J. Duchi, E. Hazan, Y. Singer, Adaptive subgradient methods. JMLR 12 (2011).
    S. Ross, P. Mineiro, J. Langford, Normalized online learning. UAI (2013).
    N. Karampatziakis, J. Langford, Online importance weight aware updates. UAI (2011).

    Examples
    --------
    >>> table = Table.of({"age": [20.0, 30.0, 40.0, 50.0], "buys": ["no", "no", "yes", "yes"]}, "buys")
    >>> OnlineLinear().fit(table).predict(table).tolist()
    ['no', 'no', 'yes', 'yes']
    """

    loss: str = choice(LOGISTIC, "the loss to minimize", LOGISTIC, HINGE, SQUARED)

    _counts: OnlineState = fitted_attribute()  # type: ignore[assignment]

    def _train_for_fit(self, data: Any) -> Model:
        def count_and_train(schema: Schema, engine: Engine) -> Model:
            self._counts, model = self._learn_state_and_model(schema, engine)
            return model

        return self._train_data(data, count_and_train)

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Train on more rows in their order, after `fit` or other batches.

        `classes` may name all classes in advance, and others are then an error; otherwise new classes, like new levels,
        are taken in as they appear. The terms of texts have no idf unless `fit` came first.
        """
        if classes is not None:
            _check_known_classes(y, inputs.sort_classes(classes))
        return super().partial_fit(X, y, classes, sample_weight)

    def _learn_more(self, X: Any, y: Any, sample_weight: Any, fresh: bool) -> Self:
        table = self._batch(X, y, fresh)
        own = self._ready_batch(table, sample_weight, fresh=fresh)
        state = self.initial_state(own.table.schema) if fresh else self._counts
        state.learn(own.table)
        self._counts, self.progress_ = state, state.progress
        model = state.model(int(self.digits))
        self.model_ = cast("ClassModel", self.add_about(model, *state.met, own.notes))
        self._set_fitted_attributes(table.schema)
        return self


class OnlineLinearRegressor(OnlineLearner, Regressor):
    """A linear function for numbers, trained one row at a time; fast on texts, streams and wide tables.

    Every row is first predicted, which gives progressive validation, and then used for an update, with a separate
    learning rate for every coefficient. Names and terms are hashed to 2^bits coefficients, or have one each
    (`bits=None`).

    Notes
    -----
    The squared loss leads to the mean, the quantile loss to the quantile `tau`. Updates as in OnlineLinear.

    References
    ----------
    J. Duchi, E. Hazan, Y. Singer, Adaptive subgradient methods. JMLR 12 (2011).
    S. Ross, P. Mineiro, J. Langford, Normalized online learning. UAI (2013).

    Examples
    --------
    >>> table = Table.of({"area": [1.0, 2.0, 3.0, 4.0], "price": [3.0, 5.0, 7.0, 9.0]}, "price")
    >>> OnlineLinearRegressor(passes=300).fit(table).predict(table).round(1).tolist()
    [3.0, 5.0, 7.0, 9.0]
    """

    loss: str = choice(SQUARED, "the loss to minimize", SQUARED, QUANTILE)

    _state: OnlineState = fitted_attribute()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: D102
        self.__dict__.pop("_state", None)
        return super().fit(X, y, sample_weight)

    fit.__doc__ = Regressor.fit.__doc__

    def _train_for_fit(self, data: Any) -> Model:
        def count_and_train(schema: Schema, engine: Engine) -> Model:
            self._state, model = self._learn_state_and_model(schema, engine)
            return model

        return self._train_data(data, count_and_train)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on more rows in their order, after `fit` or other batches."""
        self.check_params()
        fresh = not hasattr(self, "_state")
        if fresh:
            entered = self._to_table(X)
            table = self._set_target(entered.table, X, y)
            self._remember(table.schema, entered.names)
        else:
            table = self._set_target(self._new_rows_to_table(X, self._fit_schema), X, y)
        own = self._ready_batch(table, sample_weight, fresh=fresh)
        state = self.initial_state(own.table.schema, target=target_unit(own.table)) if fresh else self._state
        state.learn(own.table)
        self._state, self.progress_ = state, state.progress
        model = state.model(int(self.digits))
        self.model_ = cast("NumberModel", self.add_about(model, *state.met, own.notes))
        return self


@dataclass(frozen=True, eq=False)
class OnlineWork:
    """Progressive validation at doubling numbers of rows, as a table."""

    state: OnlineState

    def __str__(self) -> str:
        classes = self.state.classes
        table_lines = progress_table(self.state.progress, classes)
        what = "mistakes" if classes else f"{self.state.rule.loss} loss"
        title = f"Every row is predicted before training on it: mean {what} at doubling numbers of rows"
        end = f"{self.state.rows} rows, mean {what} {self.state.mean_error:.6f}"
        return "\n".join([title, "", *table_lines, "", end])


def make_hashing(state: OnlineState) -> Hashing:
    """Return how features are hashed for a state."""
    assert state.tokens.bits is not None  # features are hashed, independently of the other columns
    return Hashing(state.tokens.bits, state.tokens.signed)


def hash_source(source: Source, state: OnlineState) -> Source:
    """Return a source of VW's lines with features hashed on reading, like those of the state."""
    return source.with_hashing(make_hashing(state)) if isinstance(source, VwSource) else source


def constant_columns(table: Table) -> list[str]:
    """Return the columns that have one value or none in all rows, and are therefore redundant with the constant."""
    out = []
    for position in table.schema.predictors:
        column = table.schema.columns[position]
        if column.kind is Kind.NUMERIC:
            values = table.numbers(position)
            alike = len(values) == 0 or bool((values == values[0]).all()) or bool(np.isnan(values).all())
        elif column.kind is Kind.NOMINAL:
            codes = table.codes(position)
            alike = len(codes) == 0 or bool((codes == codes[0]).all())
        else:
            alike = column.kind is Kind.TEXT and bool(table.texts(position).missing.all())
        if alike:
            out.append(column.name)
    return out


def target_unit(table: Table) -> tuple[float, float]:
    """Return mean and deviation of a numeric target, 0 and 1 of classes."""
    column = table.schema.target_column
    if column.kind is not Kind.NUMERIC:
        return 0.0, 1.0
    values = table.numbers(table.schema.index(column.name))
    counts = NumberCounts.of(values, table.weights, column.name, LARGEST)
    if not counts.weight > 0:
        return 0.0, 1.0
    spread = counts.deviation
    if not spread > 0:
        return counts.low, max(abs(counts.low), 1.0)
    return round_within(counts.mean, 1e-3 * spread), round_within(spread, 1e-3 * spread)


def means(table: Table) -> dict[str, float]:
    """Return the mean of every numeric column that is not stored sparsely."""
    out = {}
    for position in table.schema.predictors:
        column = table.schema.columns[position]
        if column.kind is Kind.NUMERIC and not isinstance(gather_values(table.data[position]), SparseNumbers):
            counts = number_counts(table, position)
            if counts.weight > 0:
                out[column.name] = (
                    counts.low if counts.deviation == 0 else round_within(counts.mean, 1e-3 * counts.deviation)
                )
    return out


def _check_known_classes(y: Any, classes: Any) -> None:
    """Raise an error if a label is none of the classes that were named."""
    if y is None or isinstance(y, str):
        return
    known, labels = set(classes.tolist()), inputs.flat(y)
    strange = [label for label in inputs.class_target(labels, len(labels))[0].tolist() if label not in known]
    if strange:
        raise DataError(f"y holds {strange[0]!r}, which is not one of the classes {classes.tolist()!r}")
