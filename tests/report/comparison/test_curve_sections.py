"""Curves and comparisons: their reports and plain values draw the same."""

import math
import xml.etree.ElementTree as ET

import pytest

from hedgerow.report.comparison.comparison_charts import (
    comparison_charts,
    comparison_values,
    learning_chart,
    learning_values,
)
from hedgerow.report.whole.html import to_html
from hedgerow.report.whole.markdown import to_markdown


def estimate(value, half=0.02):
    return {"value": value, "low": value - half, "high": value + half, "standard_error": half / 2}


def curve(over="rows", at=(0.1, 0.5, 1.0), labels=("10%", "50%", "100%"), errors=(0.3, 0.2, 0.1)):
    """A report as `hedgerow curve` makes it."""
    points = [
        {
            "at": place,
            "rows": 135.0 * (n + 1),
            "test": estimate(error),
            "training": error / 2,
            "size": 3.0,
            "label": label,
        }
        for n, (place, label, error) in enumerate(zip(at, labels, errors, strict=True))
    ]
    return {
        "report": "curve",
        "version": 1,
        "learner": "c45",
        "target": "class",
        "over": over,
        "measure": "error",
        "title": "error rate",
        "method": "10-fold",
        "seed": 1,
        "points": points,
        "best": 2,
        "notes": ["a note"],
    }


def comparison(n_sets=2):
    """A report as `hedgerow compare` makes it."""

    def cell(name, value, mark, failure=""):
        return {"learner": name, "value": estimate(value), "mark": mark, "failure": failure}

    cells = [cell("c45", 0.1, " "), cell("one_r", 0.2, "*"), cell("nb", 0.05, "v"), cell("x", math.nan, "", "no rows")]
    return {
        "report": "comparison",
        "version": 1,
        "measure": "error",
        "title": "error rate",
        "base": "c45",
        "notes": [],
        "learners": [{"name": one["learner"]} for one in cells],
        "sets": [{"name": f"set {number}", "cells": cells} for number in range(n_sets)],
    }


def words_of(picture):
    return [element.text for element in ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]


def test_a_learning_curve_stands_at_its_training_rows():
    plain = learning_values(curve())
    assert plain["x"] == [135, 270, 405]
    assert [one["name"] for one in plain["series"]] == ["test rows", "training rows"]
    assert plain["series"][0]["low"] == pytest.approx([0.28, 0.18, 0.08])
    assert {"Learning curve", "error rate", "training rows", "test rows"} <= set(words_of(learning_chart(curve())))


def test_plain_values_draw_the_same():
    assert learning_chart(learning_values(curve())) == learning_chart(curve())


def test_a_curve_over_a_parameter_stands_at_its_values():
    plain = learning_values(curve("min_leaf", (1, 5, 100), ("1", "5", "100")))
    assert (plain["title"], plain["x"], plain["x_title"]) == ("Curve over min_leaf", [1, 5, 100], "min_leaf")
    words = words_of(learning_chart(plain))
    assert {"1", "10", "100"} <= set(words)  # far apart: a logarithmic axis


@pytest.mark.parametrize("at", [("gain", "gain_ratio", None), (True, False, True)])
def test_a_parameter_of_words_stands_side_by_side(at):
    labels = [str(place) for place in at]
    found = learning_values(curve("criterion", at, labels))
    assert (found["x"], found["names"]) == ([0, 1, 2], labels)
    assert set(labels) <= set(words_of(learning_chart(found)))


def test_measures_that_are_no_shares_have_no_percent():
    words = words_of(learning_chart(curve(errors=(3.0, 2.0, 1.5))))
    assert not any(word.endswith("%") for word in words)


def test_an_undefined_point_is_left_out():
    report = curve(errors=(0.3, math.nan, 0.1))
    assert learning_chart(report).count("<circle") == 2 * 2 + 2
    assert "?" in to_markdown(report)


def test_a_comparison_has_a_picture_a_set():
    assert [one["name"] for one in comparison_values(comparison())] == ["set 0", "set 1"]
    first, _ = comparison_charts(comparison())
    assert {"20% (worse)", "5% (better)", "? (failed)"} <= set(words_of(first))
    plain = {"base": "c45", "measure": "error rate", "learners": comparison_values(comparison())[0]["learners"]}
    assert words_of(comparison_charts(plain)[0])[1:] == words_of(first)[1:]


def test_both_have_pages_and_markdown():
    page = to_html(curve())
    assert 'id="learning"' in page
    assert "A note." in page
    page = to_html(comparison(20))
    assert page.count("<figure") == 12
    assert page.count("set 19") == 1
    markdown = to_markdown(comparison())
    assert "| 0.2000 (0.180 to 0.220) worse | 0.0500 (0.030 to 0.070) better | ? failed |" in markdown
    assert "| 100% | 0.1000\\* (0.080 to 0.120) | 0.0500 |" in to_markdown(curve())
