"""1R on the textbook's tables."""

import numpy as np
import pytest

from hedgerow import OneR, Table
from hedgerow.data.design.class_counts import LevelCounts, ValueCounts, count, count_types, value_counts
from hedgerow.data.design.discretize import one_r_buckets
from hedgerow.learn.rules.one_r import column_rules
from tests.textbook import loan_a, loan_b, weather, weather_numeric


def errors_by_column(table, min_bucket=6):
    counts = count(table, count_types(table.schema, ValueCounts))
    return {
        column.name: sum(rule.errors for rule in column_rules(column, counted, min_bucket))
        for column, counted in zip(table.schema.columns, counts.columns, strict=True)
        if counted is not None
    }


def buckets(table, name, min_bucket):
    label = table.codes(table.schema.index("Play"))
    counts = value_counts(table[name], label, None, 2)
    found = one_r_buckets(counts, min_bucket)
    levels = table.schema["Play"].levels
    return [bucket.upper for bucket in found[:-1]], [levels[int(bucket.weights.argmax())] for bucket in found]


def test_g41_nominal_weather():
    """G41."""
    table = weather()
    assert errors_by_column(table) == {"Outlook": 4, "Temp": 5, "Humidity": 4, "Windy": 5}
    assert str(OneR().train(table)) == (
        "if Outlook = Sunny then Play = No (5/2)  # support 21.4 %, confidence 60 %\n"
        "if Outlook = Overcast then Play = Yes (4/0)  # support 28.6 %, confidence 100 %\n"
        "if Outlook = Rainy then Play = Yes (5/2)  # support 21.4 %, confidence 60 %\n"
        "otherwise Play = Yes"
    )


def test_g41_class_ties_go_to_the_first_class():
    """G41."""
    table = weather()
    counts = count(table, count_types(table.schema, ValueCounts))
    temp = column_rules(table.schema["Temp"], counts.columns[1], 6)
    windy = column_rules(table.schema["Windy"], counts.columns[3], 6)
    play = table.schema["Play"].levels
    assert [(play[rule.decision], rule.errors, rule.n) for rule in temp] == [
        ("No", 2, 4),
        ("Yes", 2, 6),
        ("Yes", 1, 4),
    ]
    assert [(play[rule.decision], rule.errors, rule.n) for rule in windy] == [("Yes", 2, 8), ("No", 3, 6)]


def test_g42_numeric_temperature_without_a_minimum():
    """G42."""
    cuts, classes = buckets(weather_numeric(), "Temperature", 1)
    assert cuts == [64.5, 66.5, 70.5, 73.5, 77.5, 80.5, 84.0]
    assert classes == ["Yes", "No", "Yes", "No", "Yes", "No", "Yes", "No"]
    assert errors_by_column(weather_numeric(), 1)["Temperature"] == 1


def test_g43_minimum_of_three():
    """G43."""
    table = weather_numeric()
    assert buckets(table, "Temperature", 3) == ([77.5], ["Yes", "No"])
    assert buckets(table, "Humidity", 3) == ([82.5, 95.5], ["Yes", "No", "Yes"])
    assert errors_by_column(table, 3) == {"Outlook": 4, "Temperature": 5, "Humidity": 3, "Windy": 5}
    assert str(OneR(min_bucket=3).train(table)) == (
        "if Humidity <= 82.5 then Play = Yes (7/1)  # support 42.9 %, confidence 85.7 %\n"
        "if 82.5 < Humidity <= 95.5 then Play = No (6/2)  # support 28.6 %, confidence 66.7 %\n"
        "if Humidity > 95.5 then Play = Yes (1/0)  # support 7.1 %, confidence 100 %\n"
        "otherwise Play = Yes"
    )


def test_g44_minimum_of_six():
    """G44."""
    table = weather_numeric()
    assert buckets(table, "Temperature", 6) == ([77.5], ["Yes", "No"])
    assert buckets(table, "Humidity", 6) == ([82.5], ["Yes", "No"])
    assert errors_by_column(table, 6)["Humidity"] == 4


def test_g45_loan_errors():
    """G45."""
    assert errors_by_column(loan_a()) == {"Age": 5, "Has_Job": 4, "Own_House": 3, "Credit_Rating": 3}
    assert errors_by_column(loan_b()) == {"Age": 5, "Has_Job": 4, "Own_House": 3, "Credit_Rating": 2}


def test_g11_loan_applicant_is_refused():
    """G11."""
    model = OneR().train(loan_a())
    applicant = Table.of({"Age": ["young"], "Has_Job": ["false"], "Own_House": ["false"], "Credit_Rating": ["good"]})
    assert list(model.predict(applicant)) == ["No"]


def test_missing_is_a_value_of_its_own():
    table = Table.of({"x": ["a", None, None, "b"], "y": ["n", "p", "p", "n"]}, target="y")
    assert "if x is missing then y = p (2/0)" in str(OneR().train(table))


def test_missing_numbers_are_a_value_of_their_own():
    table = Table.of({"x": [1, 2, None, None, 8, 9], "y": ["n", "n", "p", "p", "q", "q"]}, target="y")
    model = OneR(min_bucket=2).train(table)
    assert list(model.predict(table)) == ["n", "n", "p", "p", "q", "q"]


def test_a_column_that_cannot_repeat_is_passed_over():
    ids = [f"id{i}" for i in range(14)]
    table = weather().with_column(*_column("ID", ids))
    assert str(OneR().train(table)).startswith("if Outlook")


def test_a_time_stamp_is_passed_over():
    from hedgerow.data.table.schema import Column, Kind

    table = weather_numeric()
    play = table.codes(table.schema.index("Play"))
    stamped = table.with_column(Column("when", Kind.NUMERIC, date="yyyy-MM-dd"), play * 86400.0)
    assert str(OneR().train(stamped)).startswith("if Outlook")


def test_without_a_usable_column_the_majority_decides():
    table = Table.of({"x": [1.0, 1.0, 1.0], "y": ["a", "b", "b"]}, target="y")
    assert str(OneR().train(table)) == "otherwise y = b (3/1)  # support 66.7 %, confidence 66.7 %"


@pytest.mark.parametrize("min_bucket", [1, 3, 6])
def test_rules_parse_back_and_predict_the_same(min_bucket):
    table = weather_numeric()
    model = OneR(min_bucket=min_bucket).train(table)
    again = type(model).parse(str(model), model.schema)
    assert str(again) == str(model)
    assert np.array_equal(again.distribution(table), model.distribution(table))


def _column(name, values):
    made = Table.of({name: values})
    return made.schema.columns[0], made.data[0]


def test_counts_of_levels_hold_the_missing_last():
    table = Table.of({"x": ["a", None, "b"], "y": ["n", "p", "p"]}, target="y")
    counted = count(table, [LevelCounts, None]).columns[0]
    assert counted.present.tolist() == [[1, 0], [0, 1]]
    assert counted.missing.tolist() == [0, 1]
