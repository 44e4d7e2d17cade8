"""Unusual values in lists, arrays and data frames: an error message that names the column and the row."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import hedgerow
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table, Text
from hedgerow.errors import DataError, ValueTypeError

CLASSES = [0, 1, 0, 1]
SURROGATE = "a\ud800b"


def column(values):
    """A matrix of one column of objects."""
    matrix = np.empty((len(values), 1), dtype=object)
    for row, value in enumerate(values):
        matrix[row, 0] = value
    return matrix


def frame(values):
    return pd.DataFrame({"a": pd.Series(values, dtype=object)})


def test_half_a_character_is_named_wherever_it_comes_in():
    words = ["x", SURROGATE, "y", "x"]
    numbers = np.arange(4.0).reshape(-1, 1)
    fit = hedgerow.NaiveBayes().fit
    for call, what in (
        (lambda: fit(frame(words), CLASSES), "column 'a'"),
        (lambda: fit(column(words), CLASSES), "column 'x0'"),
        (lambda: fit([[word] for word in words], CLASSES), "column 'x0'"),
        (lambda: fit(numbers, words), "the target"),
        (lambda: fit(numbers, np.array(words, dtype=object)), "the target"),
        (lambda: fit(frame(words), "a"), "column 'a'"),
        (lambda: Table.of({"a": words}), "column 'a'"),
    ):
        with pytest.raises(DataError, match=rf"{what} holds 'a\\ud800b' in row 1: half of a character") as caught:
            call()
        str(caught.value).encode()
    with pytest.raises(DataError, match=r"the column name '\\ud800' holds half of a character"):
        Table.of({"\ud800": [1.0]})


@pytest.mark.parametrize(
    "value",
    [1j, [1], {"a": 1}, {1}, np.array([1, 2]), dt.time(1), dt.timedelta(1), object, pd.Period("2020")],
    ids=lambda value: type(value).__name__,
)
def test_what_is_neither_a_number_nor_a_word_is_named(value):
    values = [1.0, 2.0, value, 3.0]
    for call in (
        lambda: Table.of({"x0": values}),
        lambda: hedgerow.NaiveBayes().fit(column(values), CLASSES),
        lambda: hedgerow.LinearRegression().fit(np.arange(4.0).reshape(-1, 1), column(values).ravel()),
        lambda: hedgerow.NaiveBayes().fit(np.arange(4.0).reshape(-1, 1), CLASSES, sample_weight=column(values).ravel()),
    ):
        with pytest.raises(DataError):
            call()
    with pytest.raises(ValueTypeError, match=r"column 'x0' holds .* in row 2: argument must be a string or a real"):
        Table.of({"x0": values})


def test_integers_may_be_larger_than_a_machine_word_but_not_beyond_all_numbers():
    for made in (frame([2**70, 1, 2, 3]), column([2**70, 1, 2, 3])):
        hedgerow.NaiveBayes().fit(made, CLASSES)
    for call in (
        lambda: hedgerow.NaiveBayes().fit(frame([10**400, 1, 2, 3]), CLASSES),
        lambda: hedgerow.NaiveBayes().fit(column([10**400, 1, 2, 3]), CLASSES),
        lambda: hedgerow.NaiveBayes().fit([[1.0]] * 4, CLASSES, sample_weight=[10**400, 1, 1, 1]),
        lambda: hedgerow.CARTRegressor().fit([[1.0]] * 4, [10**5000, 1, 1, 1]),
    ):
        with pytest.raises(DataError, match="in row 0, which is too large for a number"):
            call()


def test_decimals_are_numbers_and_rows_of_different_lengths_are_none():
    table = Table.of({"a": [Decimal("1.5"), None]})
    assert table["a"].tolist()[0] == 1.5
    with pytest.raises(DataError, match=r"X cannot be converted to an array: .*; give rows of equal length"):
        hedgerow.NaiveBayes().fit([[1], [1, 2], [3], [4]], CLASSES)
    with pytest.raises(DataError, match="y cannot be converted to an array"):
        hedgerow.NaiveBayes().fit([[1.0]] * 4, [[1], [1, 2], [3], [4]])


def test_tables_without_columns_and_columns_without_names():
    for empty in (pd.DataFrame(index=range(4)), pd.DataFrame()):
        with pytest.raises(DataError):
            hedgerow.NaiveBayes().fit(empty, CLASSES)
        with pytest.raises(DataError, match="no columns"):
            hedgerow.cross_validate(hedgerow.NaiveBayes(), empty)
    with pytest.raises(DataError, match="the column name 1 is not a string"):
        Table.of({1: [1.0]})


def test_a_text_target_is_refused_by_transformers_too():
    schema = Schema((Column("x", Kind.NUMERIC), Column("note", Kind.TEXT)), "note")
    table = Table(schema, (np.arange(4.0), Text.of(["a b", "c", "a", "b"])), 4)
    for learner in (hedgerow.RuleFeatures(), hedgerow.Discretize(), hedgerow.TextTerms()):
        for call in (learner.train, learner.fit):
            with pytest.raises(DataError, match="the target 'note' is text, which cannot be predicted"):
                call(table)


def test_columns_that_are_of_another_kind_than_in_training():
    table = Table.of({"x": [1.0, 2.0, 3.0, 4.0], "y": list("abab")}, target="y")
    cuts = hedgerow.Discretize().fit(table).model_
    with pytest.raises(DataError, match="column 'x' is nominal, but was numeric in training"):
        cuts.transform(Table.of({"x": ["p", "q"], "y": ["a", "b"]}))
    texts = Table(Schema((Column("t", Kind.TEXT),)), (Text.of(["a b", "c"]),), 2)
    terms = hedgerow.TextTerms().fit(texts).model_
    with pytest.raises(DataError, match="column 't' is numeric, but was text in training"):
        terms.transform(Table.of({"t": [1.0, 2.0]}))
