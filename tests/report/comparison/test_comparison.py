"""Reports of comparisons: plain dicts, and text that contains their content."""

import json
import math
from dataclasses import asdict

import pytest

from hedgerow import C45, Simplest, compare, comparison_report, cross_validate, examples, render
from hedgerow.evaluate.metrics.intervals import estimate
from hedgerow.layout.json_values import to_json
from hedgerow.report.comparison.model_selection import selection_report
from tests.evaluate.learner_comparison.test_compare import SETS, Fails, published
from tests.evaluate.toys import blobs, straight


@pytest.fixture(scope="module")
def report():
    return comparison_report(compare(["majority", "one_r", "naive_bayes"], SETS, runs=2, folds=4))


def test_the_report_is_plain_and_complete(report):
    plain = json.loads(to_json(report))
    assert plain["report"] == "comparison"
    assert [one["name"] for one in plain["sets"]] == ["loan", "blobs"]
    cell = plain["sets"][1]["cells"][2]
    assert len(cell["values"]) == 8
    assert cell["value"]["low"] < cell["value"]["value"] < cell["value"]["high"]
    assert cell["test"]["n"] == 8
    assert plain["sets"][0]["cells"][0]["test"] is None
    assert plain["learners"][0]["is_base"]
    assert plain["learners"][0]["beyond_chance"] is None
    assert plain["learners"][2]["by_means"]["better"] == 2
    assert plain["friedman"]["learners"] == 3


def test_the_text_has_means_marks_ranks_times_and_sizes(report):
    text = render(report)
    assert "error rate: 2 runs of stratified 4-fold cross-validation, seed 1; base majority" in text
    assert "v: significantly better than majority; *: significantly worse" in text
    line = next(line for line in text.split("\n") if line.startswith("blobs"))
    assert line.split()[1] == "0.6667"
    assert line.endswith("v")
    assert "Mean ranks over 2 data sets (1 is best): naive_bayes" in text
    assert "Nemenyi's critical difference of mean ranks: 2.34" in text
    assert "training time" in text
    assert "ratio to base" in text


def test_one_set_is_shown_with_intervals_of_the_differences():
    text = render(comparison_report(compare(["majority", "naive_bayes"], blobs(), runs=2, folds=5)))
    line = next(line for line in text.split("\n") if line.startswith("naive_bayes"))
    assert " v " in line
    assert line.endswith("below 0.0001")
    assert " to -0." in line
    assert "Friedman" not in text


def test_many_learners_are_broken_into_blocks_that_fit_the_base_first():
    learners = [f"c45(min_leaf={number})" for number in range(1, 9)]
    text = render(comparison_report(compare(learners, SETS, runs=1, folds=2)), columns=80)
    assert max(map(len, text.split("\n"))) <= 80
    heads = [line for line in text.split("\n") if line.startswith(" ") and "c45(min_leaf=1.0)" in line]
    assert len(heads) > 1


def test_a_failure_is_shown_as_one():
    text = render(comparison_report(compare(["majority", Fails()], SETS, runs=1, folds=3)))
    line = next(line for line in text.split("\n") if line.startswith("loan"))
    assert line.endswith("failed")
    assert "too wide for me" in text
    alone = render(comparison_report(compare(["majority", Fails()], examples.loan(), runs=1, folds=3)))
    assert "failed" in alone


def test_numbers_of_any_size_are_drawn():
    assert "mean absolute error" in render(comparison_report(compare(["mean", "cart_regressor"], straight(), runs=1)))
    single = render(comparison_report(compare(["majority"], SETS, runs=1, folds=2)))
    assert "base" not in single.split("\n")[0]


def test_g111_the_published_table_as_text():
    """G111: the averages that are printed under the table."""
    text = render(comparison_report(published()))
    mean = next(line for line in text.split("\n") if line.startswith("mean "))
    assert mean.split() == ["mean", "15.66", "14.11", "13.36"]
    assert "the ranks differ significantly" in text


def test_a_selection_is_plain_and_its_text_marks_the_chosen_candidate():
    selection = Simplest().select(blobs())
    report = selection_report(selection)
    assert json.loads(to_json(report))["chosen"] == selection.chosen.name
    text = render(report)
    marked = [line for line in text.split("\n") if line.startswith(">")]
    assert len(marked) == 1
    assert report["chosen"] in marked[0]
    assert "Chosen: " in text
    assert "eadability costs" in text
    failed = dict.fromkeys(
        ("loss", "standard_error", "difference", "difference_error", "auc", "error", "size"), math.nan
    )
    unknown = {**report["candidates"][1], **failed, "name": "odd", "rows": 0, "training_rows": 0}
    early = {**report["candidates"][2], "name": "early", "rows": 12}
    text = render({**report, "candidates": [*report["candidates"], unknown, early]})
    assert "as training failed or would exceed the budget: odd." in " ".join(text.split())
    assert "Dropped after a comparison on 12 rows, as clearly worse: early." in " ".join(text.split())


def test_intervals_of_a_comparison_are_those_of_the_cross_validation_by_folds():
    found = comparison_report(compare(["majority", "c45"], examples.loan(), runs=2, folds=3))
    results = cross_validate(C45(), examples.loan(), folds=3, runs=2)
    assert found["sets"][0]["cells"][1]["value"] == pytest.approx(asdict(estimate(results, "error", by="folds")))


def test_intervals_of_a_comparison_stay_where_the_measure_can_lie():
    for measure in ("error", "accuracy", "kappa", "train_seconds"):
        found = comparison_report(
            compare(["majority", "naive_bayes"], examples.loan(), runs=2, folds=5, measure=measure)
        )
        least, most = {"kappa": (-1, 1), "train_seconds": (0, math.inf)}.get(measure, (0, 1))
        for cell in found["sets"][0]["cells"]:
            if measure == "kappa" and cell["learner"] == "majority":  # 0 in every fold, which says nothing of others
                assert math.isnan(cell["value"]["low"])
                continue
            assert least <= cell["value"]["low"] <= cell["value"]["value"] <= cell["value"]["high"] <= most
