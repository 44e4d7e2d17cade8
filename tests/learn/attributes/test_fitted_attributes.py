"""Coefficients, importances and decision values under scikit-learn's names, one entry per feature."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

import hedgerow

pytestmark = pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("learner", [hedgerow.Logistic(), hedgerow.Perceptron()], ids=str)
def test_the_functions_of_linear_classifiers(learner):
    learner.fit(X, Y)
    assert learner.coef_.shape == (3, 4)
    assert learner.intercept_.shape == (3,)
    values = learner.decision_function(X)
    np.testing.assert_allclose(X @ learner.coef_.T + learner.intercept_, values, atol=1e-9)
    assert (learner.classes_[values.argmax(axis=1)] == learner.predict(X)).mean() > 0.99
    two = learner.fit(X, Y > 0)
    np.testing.assert_allclose(X @ two.coef_[0] + two.intercept_[0], two.decision_function(X), atol=1e-9)
    assert ((two.decision_function(X) > 0) == two.predict(X)).all()


@pytest.mark.parametrize("learner", [hedgerow.LinearRegression(), hedgerow.LeastAbsolute()], ids=str)
def test_the_coefficients_of_regressors(learner):
    data, target = load_diabetes(return_X_y=True)
    data = np.column_stack([data[:, 0], np.ones(len(data)), data[:, 1:]])
    learner.fit(data, target)
    assert learner.coef_[1] == 0  # a constant feature
    np.testing.assert_allclose(data @ learner.coef_ + learner.intercept_, learner.predict(data), atol=1e-6)


def test_nominal_features_have_several_coefficients():
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4], "color": ["red", "blue", "red", "blue"]})
    learner = hedgerow.LinearRegression().fit(frame, [1.0, 2, 4, 8])
    with pytest.raises(AttributeError, match=r"'color' may have several coefficients; model_.coefficient_sets\(\)"):
        _ = learner.coef_
    assert not hasattr(hedgerow.Winnow().fit(X, Y > 0), "coef_")  # the conditions of a number are several


@pytest.mark.parametrize(
    "learner", [hedgerow.C45(), hedgerow.CART(), hedgerow.RandomForest(), hedgerow.Bagging(), hedgerow.AdaBoost()]
)
def test_importances_have_one_entry_per_feature(learner):
    assert not hasattr(learner, "feature_importances_")
    table = hedgerow.examples.loan()
    learner.fit(table)
    shares = learner.feature_importances_
    assert shares.shape == (learner.n_features_in_,)
    assert shares[table.schema.names.index("ID")] == 0  # an identifier, which is left out
    assert shares.sum() == pytest.approx(1)


def test_only_trees_have_importances():
    learner = hedgerow.Bagging(base="one_r").fit(X, Y)
    assert not hasattr(learner, "feature_importances_")


def test_the_number_of_iterations():
    assert hedgerow.Logistic().fit(X, Y).n_iter_.tolist()[0] >= 1
    assert (hedgerow.SVM().fit(X, Y).n_iter_ >= 1).all()
    assert not hasattr(hedgerow.Logistic(), "n_iter_")
