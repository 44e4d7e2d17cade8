"""The neighbors in an explanation: row numbers, values next to those of the row, the largest differences."""

import numpy as np
import pytest

from hedgerow import KNN, Column, Kind, KNNRegressor, Table
from hedgerow.data.table.table import Text
from hedgerow.explain.decision import explain_rows
from hedgerow.report.explanations.explanation import explanations
from tests.textbook import weather_numeric

QUERY = {"Outlook": ["Sunny"], "Temperature": [66.0], "Humidity": [90.0], "Windy": ["True"]}


def told(model, table):
    return explain_rows(model, table)[0].to_dict()


def test_neighbors_of_the_weather_data():
    """G95: the rows, distances and values of the five nearest, and what the vote rests on."""
    model = KNN(n_neighbors=5).train(weather_numeric())
    found = told(model, Table.of(QUERY))
    near = found["neighbors"]
    assert [one["row"] for one in near["rows"]] == [2, 11, 14, 12, 8]
    assert [one["says"] for one in near["rows"]] == ["No", "Yes", "No", "Yes", "No"]
    assert [one["distance"] for one in near["rows"]] == pytest.approx(
        [0.666667, 0.774536, 1.028460, 1.040016, 1.052448], abs=1e-6
    )
    assert near["columns"] == ["Outlook", "Temperature", "Humidity", "Windy"]
    assert near["values"] == ["Sunny", "66", "90", "True"]
    assert near["rows"][0]["values"] == ["Sunny", "80", "90", "True"]
    assert near["differs"] == pytest.approx(
        [2 / 5, np.mean([(t - 66) ** 2 for t in (80, 75, 71, 72, 72)]) / 21**2, 426 / 5 / 31**2, 1 / 5]
    )
    assert sum(one["adds"] for one in found["why"]["grounds"]) == pytest.approx(1)


def test_the_table_is_printed_with_the_row_first():
    text = str(explanations(KNN(n_neighbors=2).train(weather_numeric()), Table.of(QUERY))[0])
    lines = text.split("\n")
    start = lines.index("  The 2 nearest training rows that are used:")
    assert lines[start + 1].split() == ["row", "Play", "distance", "Outlook", "Temperature", "Humidity", "Windy"]
    assert lines[start + 2].split() == ["this", "row", "Sunny", "66", "90", "True"]
    assert lines[start + 3].split() == ["2", "No", "0.6667", "Sunny", "80", "90", "True"]
    assert "Contributions to No (+) and to Yes (-), in votes:" in text


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "hamming", "cosine"])
def test_missing_values_and_numbers_that_are_left_out(metric):
    x, s = [1.0, 1.0, None, 5.0, 5.0, 1.0, 5.0, 1.0], ["u", "u", None, "v", "v", "u", "v", "u"]
    model = KNN(n_neighbors=3, metric=metric, edit="once").train(
        Table.of({"x": x, "s": s, "class": list("aaabbbba")}, "class")
    )
    found = told(model, Table.of({"x": [np.nan], "s": ["u"]}))["neighbors"]
    assert found["values"] == ["missing", "u"]
    assert all(np.isfinite(found["differs"]))
    assert 6 not in [one["row"] for one in found["rows"]]  # the b among a
    assert {one["row"] - 1 for one in found["rows"]} <= set(model.asking.origin.tolist())


def test_many_columns_and_many_neighbors():
    """As many columns as fit are shown, those that differ the most; of many neighbors ten."""
    random = np.random.default_rng(1)
    table = Table.of({**{f"column {i}": random.normal(size=40) for i in range(60)}, "y": random.normal(size=40)}, "y")
    model = KNNRegressor(n_neighbors=25).train(table)
    found = explain_rows(model, table, [0])[0].to_dict()
    near = found["neighbors"]
    assert (len(near["columns"]), near["more_columns"], len(near["rows"])) == (50, 10, 10)
    text = str(explanations(model, table, [0])[0])
    assert "The 10 nearest training rows of the 25 that are used:" in text
    assert "columns with smaller differences not shown)" in text
    assert max(map(len, text.split("\n"))) <= 100


def test_texts_are_not_kept_and_not_shown():
    texts = Text.of(["free money", "see you", "money"])
    alone = Table.of({"class": ["a", "b", "a"]}, "class").with_column(Column("text", Kind.TEXT), texts)
    assert "neighbors" not in told(KNN(n_neighbors=1).train(alone), alone)
    beside = alone.with_column(Column("x", Kind.NUMERIC), np.array([1.0, 2.0, 3.0]))
    assert told(KNN(n_neighbors=1).train(beside), beside)["neighbors"]["columns"] == ["x"]


def test_a_page_has_the_table():
    page = explanations(KNN(n_neighbors=1).train(weather_numeric()), Table.of(QUERY))[0]._repr_html_()
    assert "The nearest training row:" in page
    assert ">this row<" in page
