"""Printed SVMs and their notes: where numbers come from, and what went wrong."""

import subprocess
import sys

import numpy as np
import pytest

import hedgerow
from hedgerow import SVM, Table
from tests.learn.svm.test_probabilities import amidst, table_of
from tests.learn.svm.test_svm import INF, noisy, points


def lines_of(table, **given):
    model = SVM(**given).train(table)
    return str(model).split("\n"), " ".join(model.about.notes)


# -- parameters that were not given -----------------------------------------------------------------------------


def test_the_print_tells_how_gamma_was_chosen():
    table = table_of(*noisy(60))
    told = "gamma 0.5 is the default: 1 / (2 dimensions * 1, the variance of the values)"
    assert told in lines_of(table)[0]
    for given in ({"gamma": 0.3}, {"sigma": 2.0}, {"kernel": "linear"}, {"kernel": "poly"}):
        assert not any("not given" in line for line in lines_of(table, **given)[0])


def test_the_print_tells_how_the_slope_was_chosen():
    table = table_of(*noisy(60))
    told = "slope 0.5 is the default: 1 / (2 dimensions * 1, the variance of the values)"
    assert told in lines_of(table, kernel="sigmoid")[0]
    assert not any("not given" in line for line in lines_of(table, kernel="sigmoid", slope=0.2)[0])


def test_one_place_is_no_places():
    table = Table.of({"a": [0.0, 1, 2, 3], "c": list("xxyy")}, "c")
    assert any("1 / (1 dimension * 1," in line for line in lines_of(table)[0])


# -- machines that tell nothing ---------------------------------------------------------------------------------


def test_a_class_amidst_the_others_is_named():
    _, notes = lines_of(amidst(), kernel="linear", classes="rest")
    assert "no boundary is better than none for 'k1'" in notes
    assert "classes='pairs'" in notes
    assert "no boundary" not in lines_of(amidst(), kernel="linear", classes="pairs")[1]


def test_a_machine_that_decides_for_one_class_everywhere_says_so():
    table = points([(0, 0), (0, 0), (0, 0), (1, 1), (1, 1)], "ppnpn")
    _, notes = lines_of(table)
    assert "predicts 'p' everywhere; try a larger C, class_weight='balanced', or a smaller sigma" in notes
    assert "or kernel='rbf'" in lines_of(table, kernel="linear")[1]


def test_a_table_whose_columns_tell_nothing_says_so():
    table = Table.of({"a": [1.0, 1, 1], "b": [None, None, None], "c": ["x", "y", "x"]}, "c")
    assert "no column has different values" in lines_of(table)[1]


@pytest.mark.parametrize(("kernel", "bends"), [("linear", True), ("rbf", False)])
def test_a_bent_kernel_is_not_offered_to_one_that_bends(kernel, bends):
    table = points([(0, 0), (0, 0), (1, 1), (1, 1)], "pnpn")
    _, notes = lines_of(table, kernel=kernel, C=INF)
    assert "no hard margin exists" in notes
    assert ("a nonlinear kernel" in notes) == bends


# -- kernels that are no product --------------------------------------------------------------------------------


def test_a_kernel_that_is_not_positive_semidefinite_is_told():
    table = hedgerow.Table.of({"a": [0.0, 1, 2, 3, 4, 5], "b": [1.0, 0, 1, 0, 1, 0], "c": list("xyxyyx")}, "c")
    model = SVM(kernel="sigmoid", slope=3.0, delta=2.0, C=10).train(table)
    assert model.figures.has_duality_gap.any()
    text = str(model)
    assert "K is not positive semidefinite" in text
    assert "infinite" not in text
    assert "semidefinite" not in str(SVM(C=10).train(table))


def test_how_to_read_a_machine_that_is_left_out_can_be_typed():
    x, y = noisy(160, classes=8)
    text = str(SVM(probabilities="none").train(table_of(x, y)))
    assert "print(model.member(20)), or hedgerow show FILE --member 20" in text


# -- doors ------------------------------------------------------------------------------------------------------


def test_parameters_without_a_name_are_refused_in_words():
    with pytest.raises(TypeError, match=r"OneVsRest takes its parameters by name, as in OneVsRest\(base=...\)"):
        hedgerow.OneVsRest(SVM())


def test_the_package_is_a_command():
    out = subprocess.run(
        [sys.executable, "-m", "hedgerow", "--version"], capture_output=True, text=True, check=True
    ).stdout
    assert out.startswith("hedgerow")


def test_machines_of_a_minute_have_a_warning(monkeypatch):
    from hedgerow.learn.svm import time_estimate

    assert time_estimate.LONG == 60
    monkeypatch.setattr(time_estimate, "estimate_seconds", lambda *_: 65.0)
    table = table_of(*noisy(40))
    with pytest.warns(hedgerow.errors.DataWarning, match="may take about 65 seconds"):
        SVM(probabilities="none").fit(*xy(table))


def xy(table):
    return np.column_stack([table.numbers(i) for i in table.schema.predictors]), table.target_codes
