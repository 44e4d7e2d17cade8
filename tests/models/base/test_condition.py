import numpy as np
import pytest

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import SparseNumbers, Table, Text
from hedgerow.errors import ModelError
from hedgerow.models.base.condition import Condition, Operator, conjunction

TABLE = Table.of({"Outlook": ["sunny", "rainy", None], "Humidity": [85.0, 82.5, None]})


def covered(column, operator, value=None, table=TABLE):
    return Condition(column, Operator(operator), value).covers(table).tolist()


@pytest.mark.parametrize(
    ("operator", "value", "rows"),
    [
        ("=", "sunny", [True, False, False]),
        ("!=", "sunny", [False, True, False]),
        ("in", ("sunny", "rainy"), [True, True, False]),
        ("=", "snow", [False, False, False]),
        ("!=", "snow", [True, True, False]),
        ("is missing", None, [False, False, True]),
    ],
)
def test_nominal_tests_fail_on_missing_values(operator, value, rows):
    assert covered("Outlook", operator, value) == rows


@pytest.mark.parametrize(
    ("operator", "rows"),
    [
        ("<=", [False, True, False]),
        ("<", [False, False, False]),
        (">", [True, False, False]),
        (">=", [True, True, False]),
    ],
)
def test_numeric_tests_fail_on_missing_values(operator, rows):
    assert covered("Humidity", operator, 82.5) == rows


def test_a_missing_number_is_missing():
    assert covered("Humidity", "is missing") == [False, False, True]


def test_only_the_rows_asked_for_are_tested():
    condition = Condition("Outlook", Operator.IS, "rainy")
    assert condition.covers(TABLE, np.array([2, 1])).tolist() == [False, True]


def test_text_can_be_missing_and_sparse_numbers_compare():
    schema = Schema((Column("note", Kind.TEXT), Column("x", Kind.NUMERIC)))
    sparse = SparseNumbers(np.array([1]), np.array([3.0]), 2)
    table = Table(schema, (Text.of(["", None]), sparse), 2)
    assert covered("note", "is missing", table=table) == [False, True]
    assert covered("x", ">", 0.5, table=table) == [False, True]


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Condition("Outlook", Operator.IS, "Sunny"), "Outlook = Sunny"),
        (Condition("Humidity", Operator.ABOVE, 82.5), "Humidity > 82.5"),
        (Condition("Humidity", Operator.AT_MOST, 80.0), "Humidity <= 80"),
        (Condition("Humidity", Operator.AT_MOST, np.float64(0.1)), "Humidity <= 0.1"),
        (Condition("Credit", Operator.IN, ("good", "excellent")), "Credit in {good, excellent}"),
        (Condition("Age", Operator.MISSING), "Age is missing"),
        (Condition("own house", Operator.IS, "And"), '"own house" = "And"'),
        (Condition("2019", Operator.IS_NOT, "10-20"), '"2019" != 10-20'),
        (Condition("a", Operator.IS, 'x"\n\\\x00'), r'a = "x\"\n\\\u0000"'),
        (Condition("größe", Operator.IS, ""), 'größe = ""'),
    ],
)
def test_conditions_print_plain_words_bare_and_others_quoted(condition, text):
    assert str(condition) == text


def test_a_lower_and_an_upper_bound_print_as_an_interval():
    low = Condition("Humidity", Operator.ABOVE, 82.5)
    high = Condition("Humidity", Operator.AT_MOST, 95.5)
    assert conjunction([low, high]) == "82.5 < Humidity <= 95.5"
    assert conjunction([high, low]) == "Humidity <= 95.5 and Humidity > 82.5"


@pytest.mark.parametrize(
    ("operator", "value"),
    [("<=", float("nan")), ("<=", float("inf")), ("<=", "x"), ("=", 3.0), ("in", ()), ("in", ("a", "a")),
     ("is missing", "a"), ("=", None)],
)  # fmt: skip
def test_values_that_do_not_fit_the_operator_are_refused(operator, value):
    with pytest.raises(ModelError, match="column 'x'"):
        Condition("x", Operator(operator), value)


def test_a_test_that_does_not_fit_the_kind_is_refused():
    with pytest.raises(ModelError, match="column 'Outlook' is nominal and cannot be tested with '<='"):
        covered("Outlook", "<=", 3.0)
    bags = Table.of({}).with_schema(Schema(()))
    with pytest.raises(ValueError, match="no column"):
        covered("Outlook", "is missing", table=bags)
