"""The laws of all learners hold for every kind of machine; those of the defaults are tested with all learners."""

import numpy as np
import pytest

from hedgerow import SVM
from hedgerow.checks import CHECKS, examples
from hedgerow.data.design.design import Design
from hedgerow.learn.svm.points import SvmPoints, make_points, telling
from tests.learn.svm.test_svm import noisy, points

LEARNERS = [
    SVM(kernel="linear"),
    SVM(kernel="linear", classes="pairs", power=2),
    SVM(kernel="poly", degree=2, theta=1.0, scale="range"),
    SVM(kernel="sigmoid", slope=0.05, class_weight="balanced"),
    SVM(kernel="rbf", classes="rest", probabilities="isotonic"),
    SVM(kernel="rbf", power=2, probabilities="platt"),
    SVM(kernel="rbf", sample=30),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
def test_laws(learner, check):
    for table in examples(learner).values():
        check(learner, table)


def test_equal_rows_of_a_class_are_one_point():
    x, y = noisy(30)
    x[10:15] = x[3]
    y[10:15], y[3] = [0, 1, 1, 0, 1], 1
    table = points(x, np.array(["n", "p"])[y]).with_weights(np.arange(1.0, 31.0))
    own = make_points(Design.learn(table), table, "deviation")
    assert isinstance(own, SvmPoints)
    assert len(own) == 26
    assert own.weights.sum() == 30 * 31 / 2
    assert own.weights[own.rows == 3].tolist() == [4 + 12 + 13 + 15]
    assert own.weights[own.rows == 10].tolist() == [11 + 14]


def test_zeros_of_either_sign_are_equal():
    table = points([(0.0, 1), (-0.0, 1), (1, 2)], "ppn")
    assert len(make_points(Design.learn(table), table, "none")) == 2


def test_columns_of_one_value_have_no_places():
    table = points([(5, 1), (5, 2)], "pn")
    assert telling(Design.learn(table)).names == ["b"]
