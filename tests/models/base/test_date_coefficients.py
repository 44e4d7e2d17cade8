"""Dates of linear models: seconds inside, days and dates in print; terms of which nothing is known are not listed."""

import re

import numpy as np
import pandas as pd
import pytest

from hedgerow import (
    LeastAbsolute,
    LinearRegression,
    LocallyWeighted,
    LocallyWeightedClassifier,
    Logistic,
    MembershipRegression,
    OnlineLinear,
    explanations,
    read,
)
from hedgerow.models.base.date_coefficients import DAY, coefficient_text, format_column_number
from hedgerow.report.explanations.explanation import explanations_report
from hedgerow.report.linear.coefficients import coefficients_part
from hedgerow.report.whole.text import render


def stays(n=40):
    chance = np.random.default_rng(3)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(chance.integers(0, 900, n), unit="D")
    frame = pd.DataFrame({"since day": days, "size": chance.normal(50, 9, n)})
    age = (frame["since day"] - pd.Timestamp("1970-01-01")).dt.days
    frame["rent"] = 3 * frame["size"] + 0.25 * age + chance.normal(0, 1, n)
    return frame, age


def table_of(frame, target):
    return read(frame, target=target)


def told_of(model, frame):
    return render(explanations_report(model, explanations(model, frame.head(1))))


@pytest.mark.parametrize("learner", [LinearRegression(), LeastAbsolute(), LinearRegression(alpha=1.0)])
def test_dates_print_by_the_day_and_predict_what_is_printed(learner):
    frame, age = stays()
    model = learner.train(table_of(frame, "rent"))
    printed = str(model)
    assert "Dates are measured in days since 1970-01-01" in printed
    found = {
        name: float(number)
        for name, number in re.findall(r"^(\(intercept\)|since day \(days\)|size) +(\S+)", printed, re.MULTILINE)
    }
    assert abs(found["since day (days)"] - 0.25) < 0.01
    by_hand = found["(intercept)"] + found["since day (days)"] * age + found["size"] * frame["size"]
    np.testing.assert_allclose(model.predict(frame), by_hand, rtol=1e-9)
    assert re.search(r"since day \(days\) .* 2021-\d\d-\d\d$", printed, re.MULTILINE)  # if missing
    assert model.coefficients["since day"] == pytest.approx(found["since day (days)"] / DAY)


def test_standard_errors_of_dates_are_those_of_days():
    frame, age = stays()
    dated = str(LinearRegression().train(table_of(frame, "rent")))
    plain = str(LinearRegression().train(table_of(frame.assign(**{"since day": age.astype(float)}), "rent")))
    own = re.search(r"^since day \(days\) +\S+ +(\S+) +(\S+)", dated, re.MULTILINE)
    peer = re.search(r"^since day +\S+ +(\S+) +(\S+)", plain, re.MULTILINE)
    assert own
    assert peer
    assert own.groups() == peer.groups()


@pytest.mark.parametrize("learner", [Logistic(), MembershipRegression(), OnlineLinear()])
def test_classes_too(learner):
    frame, _ = stays()
    kinds = np.where(np.random.default_rng(1).random(len(frame)) < 0.5, "a", "b")
    model = learner.train(table_of(frame.drop(columns="rent").assign(kind=kinds), "kind"))
    printed = str(model)
    assert re.search(r"^since day \(days\) .* 2021-\d\d-\d\d$", printed, re.MULTILINE)
    assert "Dates are measured in days" in printed
    (group, *_) = coefficients_part(model)["coefficients"]["groups"]
    assert "since day (days)" in [row["name"] for row in group["rows"]]


def test_the_odds_ratio_of_a_date_is_that_of_a_day():
    frame, age = stays()
    kinds = np.where(age + np.random.default_rng(2).normal(0, 400, len(age)) > age.mean(), "late", "early")
    table = table_of(frame.drop(columns="rent").assign(kind=kinds), "kind")
    model = Logistic().train(table)
    found = re.search(r"^since day \(days\) +(\S+) +\S+ +\S+ +\S+ +(\S+) ", str(model), re.MULTILINE)
    assert found
    assert float(found[2]) == pytest.approx(np.exp(float(found[1])), rel=1e-3)
    assert float(found[2]) != 1


@pytest.mark.parametrize("scale", ["minmax", "deviation", "none"])
def test_local_fits_show_dates(scale):
    frame, _ = stays()
    model = LocallyWeighted(scale=scale, bandwidth=1e6 if scale == "none" else 1).train(table_of(frame, "rent"))
    printed = str(model)
    assert "from 2020-" in printed
    assert ("difference in seconds" if scale == "none" else " days, from") in printed
    assert re.search(r"since day \(days\) +2021-\d\d-\d\d", printed)
    told = told_of(model, frame)
    assert re.search(r'"since day" = 20\d\d-\d\d-\d\d', told)
    assert "(days)" in told


def test_local_classes_show_dates_and_what_is_missing():
    frame, age = stays()
    frame = frame.drop(columns="rent").assign(kind=np.where(age > age.mean(), "late", "early"))
    frame.loc[0, "size"] = np.nan
    told = told_of(LocallyWeightedClassifier().train(table_of(frame, "kind")), frame)
    assert "size missing" in told


def test_a_number_that_is_no_day_of_the_calendar_stays_a_number():
    frame, _ = stays()
    column = table_of(frame, "rent").schema["since day"]
    assert format_column_number(column, 0.0) == "1970-01-01"
    assert format_column_number(column, 1e15) == "1000000000000000.0"
    assert coefficient_text(0.5) == "0.5"


def test_a_perfect_fit_has_no_empty_columns():
    frame = pd.DataFrame({"size": np.arange(8.0), "rent": 2 * np.arange(8.0)})
    model = LinearRegression().train(table_of(frame, "rent"))
    assert "std. error" not in str(model)
    assert "R² 1 " in str(model)


def test_hashed_terms_without_a_coefficient_are_not_listed():
    texts = [f"word{i} common" for i in range(4)]
    table = read(pd.DataFrame({"t": texts, "k": ["a", "b", "a", "b"]}), target="k", kinds={"t": "text"})
    printed = str(OnlineLinear(idf="none").train(table))
    assert "word0" in printed
    assert not re.search(r" 0 +1$", printed, re.MULTILINE)
    assert "... all other coefficients of t are 0" in printed
