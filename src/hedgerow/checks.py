"""Laws that every learner must keep, usable by anyone who writes one: `check_learner(MyLearner())`.

They come on top of scikit-learn's `check_estimator`. Each check raises an AssertionError that says which law broke.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hedgerow.data.rows.fingerprint import fingerprint
from hedgerow.data.table.schema import Column, Kind, Schema, listing
from hedgerow.data.table.table import Bags, Table, Text
from hedgerow.learn.base import Learner
from hedgerow.models.base.model import ClassModel, Model, NumberModel

Check = Callable[[Learner, Table], None]
# Checks of scikit-learn that compare weighted rows with repeated ones in another order.
SHUFFLING = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
WORDS = ("goal", "team", "orbit", "Rakete", "größer", "茶", "and", "the")  # two a topic, then common ones


def check_learner(learner: Learner) -> None:
    """Raise an AssertionError if a classifier, regressor or clusterer breaks one of hedgerow's laws."""
    for table in examples(learner).values():
        for check in CHECKS:
            check(learner, table)


def expected_failed_checks(learner: Learner) -> dict[str, str]:
    """Return the checks of scikit-learn that a learner cannot pass, by name, and why.

    It is what `check_estimator(learner, expected_failed_checks=...)` takes.
    """
    why = "the check repeats rows in a different order, and this learner depends on the order of the rows"
    return dict.fromkeys(SHUFFLING, why) if learner.order_matters else {}


def example(learner: Learner, rows: int = 60, seed: int = 7) -> Table:
    """Return a small mixed table with missing values and ties, with a target that suits the learner."""
    random = np.random.default_rng(seed)
    shade = random.integers(0, 3, rows)
    size = np.round(random.normal(10, 3, rows) + 2 * shade, 1)
    flag = random.integers(0, 2, rows)
    noise = random.random(rows) < 0.15
    group = np.where(noise, random.integers(0, 3, rows), (shade + (size > 11)) % 3)
    columns: dict[str, list[object]] = {
        "shade": [None if random.random() < 0.1 else ("red", "dark blue", "grün")[i] for i in shade],
        "size": [None if random.random() < 0.1 else float(v) for v in size],
        "flag": [("yes", "no")[i] for i in flag],
        "level": [float(v) for v in random.integers(0, 5, rows)],
    }
    levels = {"shade": ("red", "dark blue", "grün"), "flag": ("yes", "no")}
    if learner.target_is_classes is None:
        return Table.of(columns, levels=levels)
    if learner.target_is_classes:
        columns["group"] = [("a", "b", "c")[i] for i in group]
        levels["group"] = ("a", "b", "c")
    else:
        columns["group"] = [float(v) for v in np.round(3 * shade + size + random.normal(0, 1, rows), 2)]
    return Table.of(columns, target="group", levels=levels)


def examples(learner: Learner) -> dict[str, Table]:
    """Return the tables on which the laws must hold, by name, including tables of texts or bags where supported."""
    mixed = example(learner)
    result = {"mixed": mixed}
    if Kind.TEXT in learner.accepted_kinds():
        beside = with_texts(mixed)
        alone = beside.select(name for name in beside.schema.names if name in ("note", "group"))
        result |= {"texts": alone, "mixed with texts": beside}
    if Kind.BAG in learner.accepted_kinds():
        beside = with_bags(mixed)
        alone = beside.select(name for name in beside.schema.names if name in ("things", "group"))
        result |= {"bags": alone, "mixed with bags": beside}
    return result


def with_bags(table: Table, seed: int = 13) -> Table:
    """Return the table with a column of bags that have to do with the target, some of them empty or without values."""
    random = np.random.default_rng(seed)
    sizes = random.integers(0, 5, table.n_rows)
    rows = np.repeat(np.arange(table.n_rows), sizes)
    topics = random.integers(0, 3, table.n_rows)
    if table.schema.target is not None and table.schema.target_column.kind is Kind.NOMINAL:
        topics = table.target_codes.astype(np.int64)
    weight = np.round(random.normal(5 + 3 * topics[rows], 2), 1)
    weight[random.random(len(rows)) < 0.1] = np.nan
    tint = np.where(random.random(len(rows)) < 0.6, topics[rows], random.integers(-1, 3, len(rows))).astype(np.int32)
    inner = Schema((Column("weight", Kind.NUMERIC), Column("tint", Kind.NOMINAL, ("pale", "deep", "größer"))))
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    bags = Bags(Table(inner, (weight, tint), len(rows)), offsets)
    return table.with_column(Column("things", Kind.BAG, inner=inner), bags)


def with_texts(table: Table, seed: int = 11) -> Table:
    """Return the table with a column of texts that have to do with the target, some of them missing or empty."""
    random = np.random.default_rng(seed)
    topics = random.integers(0, 3, table.n_rows)
    if table.schema.target is not None:
        target = table.schema.index(table.schema.target)
        is_nominal = table.schema.target_column.kind is Kind.NOMINAL
        ranks = table.codes(target) if is_nominal else np.argsort(np.argsort(table.numbers(target)))
        topics = (ranks * 3 // (int(ranks.max(initial=0)) + 1)).astype(np.int64)
    texts: list[str | None] = []
    for topic in topics.tolist():
        likely = np.where(np.arange(len(WORDS)) // 2 == topic, 3.5, 0.5)
        outputs = random.choice(WORDS, random.integers(0, 7), p=likely / likely.sum())
        texts.append(None if random.random() < 0.1 else " ".join(outputs.tolist()))
    return table.with_column(Column("note", Kind.TEXT), Text.of(texts))


def outcome(model: Model, table: Table) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return what a model says of a table, as numbers that can be compared."""
    if isinstance(model, ClassModel):
        return model.distribution(table)
    assert isinstance(model, NumberModel), f"{type(model).__name__} predicts neither classes nor numbers"
    return np.asarray(model.predict(table), dtype=np.float64)


def check_row_order(learner: Learner, table: Table) -> None:
    """The order of the rows does not matter, unless the learner says that it does."""
    if learner.order_matters:
        return
    shuffled = table.take(np.random.default_rng(1).permutation(table.n_rows))
    _check_same_prediction(learner, table, shuffled, "the order of the rows changes the model")


def check_repeated_row(learner: Learner, table: Table) -> None:
    """A repeated row equals a row of weight 2; where the order matters, if the two stand side by side."""
    rows = np.concatenate([np.arange(table.n_rows), np.arange(10)])
    twice = table.take(np.sort(rows) if learner.order_matters else rows)
    weighted = table.with_weights(np.where(np.arange(table.n_rows) < 10, 2.0, 1.0))
    _check_same_prediction(learner, weighted, twice, "a repeated row differs from a row of weight 2")


def check_zero_weight(learner: Learner, table: Table) -> None:
    """A row of weight zero equals no row."""
    without = table.take(np.arange(10, table.n_rows))
    weighted = table.with_weights(np.where(np.arange(table.n_rows) < 10, 0.0, 1.0))
    _check_same_prediction(learner, weighted, without, "a row of weight zero changes the model")


def check_scaled_weights(learner: Learner, table: Table) -> None:
    """Weights that are not whole are scaled: multiplying them by a constant changes no prediction."""
    weights = np.random.default_rng(3).gamma(2.0, 1.0, table.n_rows)
    first = outcome(learner.train(table.with_weights(weights)), table)
    for factor in (1 / table.n_rows, 1e-6, 1e6, 0.37):
        other = outcome(learner.train(table.with_weights(factor * weights)), table)
        close = first.shape == other.shape and np.allclose(first, other, rtol=1e-9, atol=1e-12)
        assert close, f"{learner}: weights multiplied by {factor:g} change the predictions"


def check_equal_weights(learner: Learner, table: Table) -> None:
    """Weights of 1/n are the same as no weights."""
    before = outcome(learner.train(table), table)
    after = outcome(learner.train(table.with_weights(np.full(table.n_rows, 1 / table.n_rows))), table)
    assert np.array_equal(before, after), f"{learner}: weights that are all 1/n change the predictions"


def check_renamed_columns(learner: Learner, table: Table) -> None:
    """The names of the columns do not matter."""

    def renamed(column: Column) -> Column:
        inner = None if column.inner is None else Schema(tuple(map(renamed, column.inner.columns)))
        return Column(f"new {column.name}", column.kind, column.levels, column.ordered, inner=inner)

    columns = tuple(renamed(column) for column in table.schema.columns)
    target = None if table.schema.target is None else f"new {table.schema.target}"
    other = table.with_schema(Schema(columns, target))
    before, after = outcome(learner.train(table), table), outcome(learner.train(other), other)
    assert np.array_equal(before, after), f"{learner}: renaming the columns changes the predictions"


def check_constant_column(learner: Learner, table: Table) -> None:
    """A column with a single value, and one with none, change no prediction."""
    more = Table.of({"one": ["x"] * table.n_rows, "nothing": [None] * table.n_rows})
    if Kind.TEXT in learner.accepted_kinds():
        more = more.with_column(Column("silence", Kind.TEXT), Text.of([None] * table.n_rows))
    wider = table
    for column, values in zip(more.schema.columns, more.data, strict=True):
        wider = wider.with_column(column, values)
    before, after = outcome(learner.train(table), table), outcome(learner.train(wider), wider)
    close = np.allclose(before, after, rtol=1e-9, atol=1e-12)
    assert close, f"{learner}: a constant column changes the predictions"


def check_distribution(learner: Learner, table: Table) -> None:
    """Probabilities are between 0 and 1 and sum to 1, also for a row with nothing but missing values."""
    model = learner.train(table)
    empty = {c.name: [None] for c in table.schema.columns if c.name != table.schema.target and c.kind is not Kind.BAG}
    levels = {c.name: c.levels for c in table.schema.columns if c.levels}
    nothing = Table.of(empty, levels=levels) if empty else Table(Schema(()), (), 1)
    for column in table.schema.columns:
        if column.inner is not None:
            instances = table.take(np.zeros(0, dtype=np.int64))[column.name]
            assert isinstance(instances, Bags)
            nothing = nothing.with_column(column, Bags(instances.table, np.zeros(2, dtype=np.int64)))
    for requested_table in (table, nothing):
        outputs = outcome(model, requested_table)
        assert np.isfinite(outputs).all(), f"{learner}: a prediction is not a number"
        if isinstance(model, ClassModel):
            assert (outputs >= 0).all(), f"{learner}: a predicted probability is negative"
            assert np.allclose(outputs.sum(axis=1), 1), f"{learner}: the predicted probabilities do not sum to 1"


def check_unseen_level(learner: Learner, table: Table) -> None:
    """A level that training did not know counts as missing."""
    model = learner.train(table)
    two = table.take(np.zeros(2, dtype=np.int64))
    for position in table.schema.predictors:
        column = table.schema.columns[position]
        if column.kind is Kind.NOMINAL:
            strange = Column(column.name, Kind.NOMINAL, ("violet",))
            outputs = outcome(model, two.with_column(strange, np.array([0, -1], dtype=np.int32)))
            assert np.array_equal(outputs[0], outputs[1]), f"{learner}: an unseen level is not treated as missing"
        for inner in column.inner.columns if column.inner is not None else ():
            if inner.kind is Kind.NOMINAL:
                outputs = outcome(model, two.with_column(*_with_unknown_level(column, inner.name)))
                assert np.array_equal(outputs[0], outputs[1]), (
                    f"{learner}: an unseen level in a bag is not treated as missing"
                )


def _with_unknown_level(column: Column, name: str) -> tuple[Column, Bags]:
    """Return two bags of an instance each, of which a column has a level that nobody knows, and is missing."""
    assert column.inner is not None
    blank = {c.name: [None, None] for c in column.inner.columns if c.name != name}
    levels = {c.name: c.levels for c in column.inner.columns if c.levels} | {name: ("violet",)}
    rows = Table.of({**blank, name: ["violet", None]}, levels=levels).select(column.inner.names)
    return replace(column, inner=rows.schema), Bags(rows, np.arange(3, dtype=np.int64))


def check_unknown_terms(learner: Learner, table: Table) -> None:
    """A text of nothing but terms that training did not know counts as an empty one, unless terms are hashed."""
    texts = [column for column in table.schema.columns if column.kind is Kind.TEXT]
    if getattr(learner, "bits", None) is not None:
        return
    model, two = learner.train(table), table.take(np.zeros(2, dtype=np.int64))
    for column in texts:
        outputs = outcome(model, two.with_column(column, Text.of(["ʬʬʬ ʭʭʭ", ""])))
        assert np.array_equal(outputs[0], outputs[1]), f"{learner}: unknown terms change its predictions"


def check_deterministic(learner: Learner, table: Table) -> None:
    """The same data give the same model, and learning changes neither the learner nor the table."""
    params, content = repr(learner.get_params()), fingerprint(table)
    first, second = learner.train(table), learner.train(table)
    assert str(first) == str(second), f"{learner}: the same data give different models"
    assert repr(learner.get_params()) == params, f"{learner}: training changed its parameters"
    assert fingerprint(table) == content, f"{learner}: training changed the table"


def check_save_and_load(learner: Learner, table: Table) -> None:
    """A model that was saved and loaded, or pickled, prints and predicts the same."""
    from hedgerow.models.files.model_file import dumps, loads

    model = learner.train(table)
    for copy in (loads(dumps(model), "a copy"), pickle.loads(pickle.dumps(model))):  # noqa: S301
        assert str(copy) == str(model), f"{learner}: a saved model prints differently"
        assert copy.about == model.about, f"{learner}: a saved model loses the record of its training"
        assert np.array_equal(outcome(copy, table), outcome(model, table)), (
            f"{learner}: a saved model predicts something else"
        )


def check_explanation(learner: Learner, table: Table) -> None:
    """A model looks at columns that it knows, and gives the reasons of its decisions as plain values."""
    from hedgerow.explain.decision import explain_rows

    model = learner.train(table)
    used = model.columns_used()
    strange = sorted(set(used or ()) - set(model.schema.names))
    assert not strange, f"{learner}: the model uses {listing(strange)}, which are not columns of its schema"
    for decision in explain_rows(model, table, range(min(table.n_rows, 2))):
        json.dumps(decision.to_dict())


def _check_same_prediction(learner: Learner, one: Table, other: Table, law: str) -> None:
    first, second = learner.train(one), learner.train(other)
    assert str(first) == str(second), f"{learner}: {law}:\n{first}\n\n{second}"
    close = np.allclose(outcome(first, one), outcome(second, one), rtol=1e-9, atol=1e-12)
    assert close, f"{learner}: {law}: the predictions differ"


CHECKS: tuple[Check, ...] = (
    check_row_order,
    check_repeated_row,
    check_zero_weight,
    check_scaled_weights,
    check_equal_weights,
    check_renamed_columns,
    check_constant_column,
    check_distribution,
    check_unseen_level,
    check_unknown_terms,
    check_deterministic,
    check_save_and_load,
    check_explanation,
)
