"""Reports contain the measures in a form suitable for JSON."""

import json
import math

import numpy as np
import pytest

from hedgerow import OneR
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Bags, Table, Text
from hedgerow.errors import UsageError
from hedgerow.evaluate import validate
from hedgerow.evaluate.metrics import measures
from hedgerow.layout.json_values import to_json, to_plain_values
from hedgerow.report.about.learners import changed_parameters
from hedgerow.report.about.model_report import model_report
from hedgerow.report.data.data import describe_report
from hedgerow.report.evaluation.build import evaluation_report, letter
from tests.evaluate.toys import Line, Majority, NearestMean, blobs, decided, loan, straight


def test_the_loan_baseline_is_reported_with_9_of_15_right_g01():
    """G01."""
    results = validate.test(Majority().train(loan()), loan())
    report = evaluation_report(results)
    assert (report["right"], report["wrong"], report["rows"]) == (9, 6, 15)
    assert report["measures"][0]["value"]["value"] == pytest.approx(0.6)
    assert report["confusion"]["counts"] == [[0, 6], [0, 9]]


def test_a_useless_detector_shows_recall_zero_g102():
    """G102."""
    results = decided([0] + [1] * 99, [1] * 100, ("intrusion", "normal"))
    report = evaluation_report(results)
    assert report["measures"][0]["value"]["value"] == 0.99
    assert report["by_class"][0]["recall"]["value"] == 0
    assert math.isnan(report["by_class"][0]["precision"]["value"])
    assert json.loads(to_json(report))["by_class"][0]["precision"]["value"] is None


def test_an_evaluation_compares_with_its_baseline():
    mine, base = (validate.cross_validate(learner, blobs()) for learner in (NearestMean(), Majority()))
    report = evaluation_report(mine, base)
    first = report["measures"][0]
    assert first["difference"]["value"] == pytest.approx(measures.accuracy(mine) - measures.accuracy(base))
    assert report["verdict"].startswith("Better than majority")
    assert evaluation_report(base, mine)["verdict"].startswith("Worse than nearest_mean")
    assert evaluation_report(mine, mine)["verdict"] == (
        "The predictions are the same as those of nearest_mean for every row."
    )
    assert report["over_folds"]["folds"] == 10
    assert report["model_size"] == {"mean": 3, "min": 3, "max": 3}


def test_runs_are_averaged_but_the_matrix_is_summed():
    report = evaluation_report(validate.cross_validate(NearestMean(), blobs(), folds=3, runs=4))
    assert report["right"] + report["wrong"] == pytest.approx(150)
    assert sum(map(sum, report["confusion"]["counts"])) == 600
    assert [one["weight"] for one in report["by_class"]] == [50, 50, 50]


def test_leave_one_out_has_no_spread_over_folds():
    assert evaluation_report(validate.leave_one_out(Majority(), loan()))["over_folds"] is None


def test_the_largest_confusions_come_first():
    results = decided([0, 0, 0, 1, 2, 2], [1, 1, 2, 1, 0, 2], ("a", "b", "c"))
    found = [(one["actual"], one["predicted"], one["weight"]) for one in evaluation_report(results)["confusions"]]
    assert found == [("a", "b", 2), ("a", "c", 1), ("c", "a", 1)]


def test_a_baseline_of_other_classes_is_refused():
    with pytest.raises(UsageError, match="different classes"):
        evaluation_report(decided([0], [0], ("a", "b")), decided([0], [0], ("a", "c")))


@pytest.mark.parametrize(
    "report",
    [
        evaluation_report(validate.cross_validate(Line(), straight())),
        evaluation_report(decided([0], [0], ("a", "b", "c"))),
        model_report(NearestMean().train(loan())),
        describe_report(loan()),
        describe_report(loan().slice(0, 0)),
    ],
)
def test_every_report_is_json(report):
    again = json.loads(to_json(report))
    assert again["report"] == report["report"]
    assert again["version"] == 1


def test_plain_values_have_neither_numpy_nor_nan():
    found = to_plain_values(
        {1: np.float64(np.nan), "a": np.arange(2), "b": (np.int32(3), np.inf, True, None, Kind.TEXT)}
    )
    assert found == {"1": None, "a": [0, 1], "b": [3, None, True, None, "text"]}
    assert type(found["b"][0]) is int


def test_letters_go_on_after_z():
    assert [letter(code) for code in (0, 25, 26, 27, 52, 701, 702)] == [
        "a",
        "z",
        "aa",
        "ab",
        "ba",
        "zz",
        "aaa",
    ]


def test_a_numeric_column_is_described_by_its_order_and_moments():
    (column,) = describe_report(Table.of({"x": [1.0, 2.0, 3.0, 10.0, None]}))["columns"]
    assert (column["min"], column["median"], column["mean"], column["max"]) == (1, 2.5, 4, 10)
    assert column["standard_deviation"] == pytest.approx(np.std([1, 2, 3, 10], ddof=1))
    assert (column["missing"], column["missing_share"], column["distinct"]) == (1, 0.2, 4)
    assert column["histogram"]["counts"] == [1, 1, 1, 0, 0, 0, 0, 0, 0, 1]


def test_a_nominal_column_is_described_by_its_most_frequent_levels():
    words = [f"w{i % 30}" for i in range(100)] + ["top"] * 5
    (column,) = describe_report(Table.of({"word": words}))["columns"]
    assert column["levels"][0] == {"level": "top", "rows": 5, "share": 5 / 105}
    assert (len(column["levels"]), column["n_levels"], column["distinct"]) == (20, 31, 31)
    assert column["others"] == 105 - sum(level["rows"] for level in column["levels"])


def test_text_bags_and_dates_are_described_too():
    inner = Table.of({"y": [1.0, 2.0, 3.0]})
    schema = Schema(
        (
            Column("note", Kind.TEXT),
            Column("bag", Kind.BAG, inner=inner.schema),
            Column("day", Kind.NUMERIC, date="yyyy-MM-dd"),
        )
    )
    data = (Text.of(["ab", None]), Bags(inner, np.array([0, 1, 3])), np.array([0.0, 86400.0]))
    text, bag, day = describe_report(Table(schema, data, 2))["columns"]
    assert (text["missing"], text["max_bytes"], text["mean_bytes"]) == (1, 2, 2)
    assert (bag["mean_rows"], bag["max_rows"]) == (1.5, 2)
    assert (day["earliest"], day["latest"]) == ("1970-01-01 00:00:00", "1970-01-02 00:00:00")


def notes_of(columns, target=None, **more):
    return describe_report(Table.of(columns, target, **more))["notes"]


def test_suspicious_columns_are_named():
    notes = notes_of({"same": ["x"] * 20, "rare": [1.0] + [None] * 19, "gone": [None] * 20, "x": range(20)})
    assert notes == [
        "column 'gone' has only missing values",
        "column 'same' has the same value in every row and cannot contribute to predictions",
        "column 'rare' is missing in 95.0% of the rows",
    ]


def test_suspicious_classes_are_named():
    notes = notes_of({"x": range(40), "c": ["y"] * 3 + ["n"] * 36 + [None]}, "c")
    assert notes[0] == "the target 'c' is missing in 1 row; rows without a target are not used in training"
    assert notes[1].startswith("92.3% of the rows are 'n'")
    assert notes[2] == "class 'y' has fewer than 10 rows: its metrics are uncertain"
    (single,) = notes_of({"x": range(3), "c": ["y"] * 3}, "c")
    assert "a single class" in single


def test_class_shares_count_weights():
    report = describe_report(Table.of({"c": ["a", "b"]}, "c", weights=[3, 1]))
    assert [(one["rows"], one["weight"], one["share"]) for one in report["classes"]] == [
        (1, 3.0, 0.75),
        (1, 1.0, 0.25),
    ]


def test_extreme_numbers_are_described_without_a_warning():
    (column,) = describe_report(Table.of({"x": [-1.7e308, 1.7e308, 0.0]}))["columns"]
    assert column["histogram"] is None
    assert column["max"] == 1.7e308


def test_parameters_at_their_defaults_are_told_apart():
    report = model_report(OneR(min_bucket=3).train(loan()))
    assert (report["parameters"], report["changed"]) == ({"min_bucket": 3}, {"min_bucket": 3})
    assert model_report(OneR().train(loan()))["changed"] == {}
    results = validate.cross_validate(OneR(min_bucket=2), loan(), folds=3)
    assert evaluation_report(results)["changed"] == {"min_bucket": 2}
    assert changed_parameters("a learner from elsewhere", {"k": 1}) == {"k": 1}
    assert changed_parameters("", {}) == {}
