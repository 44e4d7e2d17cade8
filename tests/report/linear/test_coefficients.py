"""Coefficients in reports and pictures."""

import math
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from sklearn.datasets import load_iris

from hedgerow import LinearRegression, MembershipRegression, OneR, Table, examples
from hedgerow.data.table.schema import Column, Kind
from hedgerow.models.linear.linear_classes import ClassFigures, LinearClasses
from hedgerow.report.about.model_report import model_report
from hedgerow.report.linear.coefficient_charts import coefficient_charts, coefficients_svg
from hedgerow.report.linear.coefficients import coefficients_part
from hedgerow.report.whole.full_report import full_report
from hedgerow.report.whole.html import to_html
from hedgerow.report.whole.saved import read_report


def iris():
    data = load_iris()
    names = [f"x {i}" for i in range(4)]
    columns = {name: data.data[:, i] for i, name in enumerate(names)}
    return Table.of({**columns, "class": [str(data.target_names[code]) for code in data.target]}, "class")


def logistic(table):
    base = MembershipRegression().train(table)
    errors = np.full((2, 5), 0.5)
    return LinearClasses(table.schema, base.design, np.array([1, 2], np.int32), np.array([1.0, 2.0]),
                         np.array([[1.0, -2.0, 0.5, 0.0], [3.0, 0.0, -1.0, 2.0]]),
                         figures=ClassFigures(150.0, -20.0, -160.0, errors, True, 5))  # fmt: skip


def test_numbers_are_multiplied_by_their_deviation():
    table = Table.of({"big": [1000.0, 2000.0, 3000.0, 4100.0], "small": [0.1, 0.4, 0.2, 0.3],
                      "y": [1.0, 2.0, 3.0, 4.0]}, "y")  # fmt: skip
    model = LinearRegression().train(table)
    (group,) = coefficients_part(model)["coefficients"]["groups"]
    assert group["title"] == "Contributions to y"
    assert [row["name"] for row in group["rows"]] == ["big", "small"]
    big = group["rows"][0]
    assert big["value"] == pytest.approx(model.slopes[0] * np.std(table["big"]), rel=1e-4)
    assert big["low"] < big["value"] < big["high"]
    from scipy.stats import t

    reach = t.ppf(0.975, 1) * model.figures.errors[1] * np.std(table["big"])
    assert big["high"] - big["value"] == pytest.approx(reach, rel=1e-4)


def test_classes_have_a_picture_each_on_one_axis():
    part = coefficients_part(logistic(iris()))["coefficients"]
    assert [group["title"] for group in part["groups"]] == [
        "Contributions to the log-odds of versicolor against setosa",
        "Contributions to the log-odds of virginica against setosa",
    ]
    assert "Lines are 95 % intervals" in part["reading"]
    assert len(part["groups"][0]["rows"]) == 3  # one is 0
    for picture in coefficient_charts(part):
        ET.fromstring(picture)


def test_two_opposite_classes_are_drawn_once():
    table = iris().slice(0, 100)
    schema = table.schema.with_columns({"class": Column("class", Kind.NOMINAL, ("setosa", "versicolor"))})
    model = MembershipRegression().train(table.with_schema(schema))
    part = coefficients_part(model)["coefficients"]
    assert len(part["groups"]) == 1
    assert "The coefficients of versicolor are the same with opposite signs" in part["reading"]
    assert part["hidden_functions"] == 0


def test_many_coefficients_and_many_classes_are_cut():
    chance = np.random.default_rng(1)
    columns = {f"x{i}": chance.normal(size=200) for i in range(40)}
    table = Table.of({**columns, "class": [f"c{i % 20}" for i in range(200)]}, "class")
    part = coefficients_part(MembershipRegression().train(table))["coefficients"]
    assert len(part["groups"]) == 12
    assert part["hidden_functions"] == 8
    assert part["groups"][0]["hidden"] == 30
    page = to_html(full_report(MembershipRegression().train(table)))
    assert "30 smaller coefficients are not shown. 8 more classes have their own coefficients." in page


def test_models_without_coefficients_have_no_part():
    assert coefficients_part(OneR().train(examples.loan())) == {}
    assert coefficients_svg(OneR().train(examples.loan())) is None


def test_hostile_names_stay_in_their_place():
    table = Table.of({'<q>&"': [1.0, 2.0, 4.0], "\u202eabc": [1.0, 0.0, 1.0], "y<": [1.0, 2.0, 4.5]}, "y<")
    picture = coefficients_svg(LinearRegression(alpha=1).train(table))
    ET.fromstring(picture)
    assert "<q>" not in picture
    assert "\u202e" not in picture
    assert "<q>" not in to_html(full_report(LinearRegression(alpha=1).train(table)))


def test_a_model_of_nothing_but_an_intercept():
    table = Table.of({"x": [1.0, 2.0, 1.0, 2.0], "y": [1.0, 1.0, 2.0, 2.0]}, "y")
    picture = coefficients_svg(LinearRegression().train(table))
    assert picture is not None
    ET.fromstring(picture)
    assert "all coefficients are 0" in picture


def test_the_page_has_pictures_and_print(tmp_path):
    from json import dumps

    table = iris()
    page = to_html(full_report(logistic(table), table))
    assert page.count("Contributions to the log-odds of") >= 2
    assert "odds ratio" in page
    report = model_report(MembershipRegression().train(table))
    assert all(math.isnan(row["low"]) for row in report["coefficients"]["groups"][0]["rows"])
    plain = dumps(report).replace("NaN", "null")
    (tmp_path / "r.json").write_text(plain)
    again = read_report(str(tmp_path / "r.json"))
    assert "Contributions to the membership of setosa" in to_html(again)


def test_linear_machines_are_drawn_and_kernels_are_not():
    from tests.models.svm.machine_models import ALL

    part = coefficients_part(ALL["pairs"])["coefficients"]
    assert [group["title"] for group in part["groups"]] == [
        "Evidence for yes against no",
        "Evidence for maybe against no",
        "Evidence for maybe against yes",
    ]
    assert part["functions"] == "machines"
    assert "Coefficients" in str(coefficients_svg(ALL["rest"]))
    assert coefficients_part(ALL["rest rbf"]) == {}


def test_pages_of_machines():

    from tests.models.svm.machine_models import ALL

    for model in ALL.values():
        page = to_html(model_report(model))
        assert "support vector machine" in page
