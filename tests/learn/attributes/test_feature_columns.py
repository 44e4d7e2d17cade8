"""Fitted attributes have a column for every feature, so that scikit-learn's feature selection picks the right ones."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.feature_selection import RFE, SelectFromModel

from hedgerow import SVM, BisectingKMeans, KMeans
from hedgerow.errors import DataWarning

CONSTANT = (0, 2)  # columns


def rows(n=120):
    """Return numbers with two constant columns, and classes that the fourth column tells."""
    X = np.random.default_rng(0).normal(size=(n, 5))
    X[:, CONSTANT] = 3.0, -1.0
    return X, (X[:, 3] + 0.1 * X[:, 1] > 0).astype(int)


def test_feature_selection_picks_the_right_column():
    X, y = rows()
    assert RFE(SVM(kernel="linear"), n_features_to_select=1).fit(X, y).support_.tolist() == [False] * 3 + [True, False]
    picked = SelectFromModel(SVM(kernel="linear"), max_features=1, threshold=-np.inf).fit(X, y)
    assert picked.get_support().tolist() == [False] * 3 + [True, False]


def test_a_constant_feature_has_a_slope_of_zero():
    X, y = rows()
    machine = SVM(kernel="linear").fit(X, y)
    assert machine.coef_.shape == (1, 5)
    assert machine.coef_[0, list(CONSTANT)].tolist() == [0, 0]
    assert machine.decision_function(X) == pytest.approx(X @ machine.coef_[0] + machine.intercept_[0])
    y[:40] = 2
    assert SVM(kernel="linear").fit(X, y).coef_.shape == (3, 5)


def test_support_vectors_are_rows_of_the_input():
    X, y = rows()
    machine = SVM(scale="none").fit(X, y)
    assert np.array_equal(machine.support_vectors_, X[machine.support_])
    weights = np.where(np.arange(len(X)) < 7, 0.0, 1.0)  # rows that are not learned from are counted all the same
    machine = SVM(scale="none").fit(X, y, weights)
    assert machine.support_.min() >= 7
    assert np.array_equal(machine.support_vectors_, X[machine.support_])


def test_sparse_support_vectors():
    random = np.random.default_rng(1)
    X = np.where(random.random((80, 6)) < 0.3, 1.0, 0.0)
    X[:, 2], X[:, 4] = 0, 2
    y = (X[:, 0] + X[:, 5] > 0).astype(int)
    machine = SVM(kernel="rbf", scale="none").fit(csr_array(X), y)
    assert np.array_equal(machine.support_vectors_.toarray(), X[machine.support_])
    straight = SVM(kernel="linear").fit(csr_array(X), y)
    assert straight.coef_.shape == (1, 6)
    assert not straight.coef_[0, [2, 4]].any()


@pytest.mark.parametrize("kind", [KMeans, BisectingKMeans])
def test_centers_have_the_number_of_a_constant_feature(kind):
    X, _ = rows()
    learner = kind(n_clusters=3).fit(X)
    assert learner.cluster_centers_.shape == (3, 5)
    for code, center in enumerate(learner.cluster_centers_):
        assert center == pytest.approx(X[learner.labels_ == code].mean(axis=0))


def test_missing_numbers_need_no_column_of_their_own():
    X, y = rows()
    X[::7, 3], X[:, 4] = np.nan, np.nan
    assert SVM(kernel="linear").fit(X, y).coef_.shape == (1, 5)
    machine = SVM(scale="none").fit(X, y)
    assert machine.support_vectors_.shape[1] == 5
    assert np.isnan(machine.support_vectors_[:, 4]).all()
    centers = KMeans(n_clusters=2).fit(X).cluster_centers_
    assert np.isnan(centers[:, 4]).all()
    assert np.isfinite(centers[:, :4]).all()


def test_levels_have_a_column_each_in_the_order_of_the_features():
    X, y = rows()
    sky = np.array(["fog", "rain", "sun"])[np.arange(120) % 3]
    frame = pd.DataFrame({"a": X[:, 0], "sky": sky, "same": "one", "b": X[:, 3]})
    slopes = SVM(kernel="linear").fit(frame, y).coef_[0]
    assert len(slopes) == 6  # a, three levels, same, b
    assert slopes[[0, 4]].tolist() == [0, 0]
    assert np.argmax(np.abs(slopes)) == 5
    centers = KMeans(n_clusters=2).fit(frame).cluster_centers_
    assert centers[:, [0, 4]].tolist() == [[3, 1], [3, 1]]
    assert centers[:, 1:4].sum(axis=1) == pytest.approx([1, 1])


def test_no_feature_tells_anything():
    X, y = np.ones((20, 3)), np.arange(20) % 2
    with pytest.warns(DataWarning, match="no column has different values"):
        assert SVM(kernel="linear").fit(X, y).coef_.tolist() == [[0, 0, 0]]
    with pytest.warns(DataWarning, match="1 cluster instead of 2"):
        assert KMeans(n_clusters=2).fit(X).cluster_centers_.tolist() == [[1, 1, 1]]
