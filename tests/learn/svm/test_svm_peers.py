"""Support vector machines compared with scikit-learn's SVC (libsvm) on the same encoded matrix."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.svm import SVC

from hedgerow import SVM
from hedgerow.data.table.table import Table

CLOSE = 1e-3


def mixed(n=150, seed=2, classes=3):
    """A table with numbers, levels and missing values of both."""
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, n)
    size = random.normal(10, 4, n) + 3 * y
    shade = (y + random.integers(0, 2, n)) % 3
    columns = {
        "size": [None if random.random() < 0.1 else float(v) for v in size],
        "shade": [None if random.random() < 0.1 else ("red", "blue", "grün")[i] for i in shade],
        "noise": random.normal(size=n).tolist(),
        "kind": [f"k{i}" for i in y],
    }
    return Table.of(columns, "kind", levels={"kind": tuple(f"k{i}" for i in range(classes))}), y


def encoded(learner, table):
    """The matrix that machines see, in the order of the rows, and what gamma they take."""
    points = learner.prepare_points(table).points
    frame, matrix = points.frame, points.design.matrix(table)
    return frame.apply(matrix), learner.settings(points).kernel


KERNELS = [
    ({"kernel": "linear"}, {"kernel": "linear"}),
    ({"kernel": "rbf"}, {"kernel": "rbf"}),
    ({"kernel": "rbf", "gamma": 0.7}, {"kernel": "rbf", "gamma": 0.7}),
    ({"kernel": "rbf", "sigma": 2.0}, {"kernel": "rbf", "gamma": 0.125}),
    ({"kernel": "poly", "gamma": 0.5, "theta": 1.0}, {"kernel": "poly", "gamma": 0.5, "coef0": 1.0, "degree": 3}),
    ({"kernel": "poly", "degree": 2, "theta": 1.0}, {"kernel": "poly", "gamma": 1.0, "coef0": 1.0, "degree": 2}),
    ({"kernel": "sigmoid", "slope": 0.05, "delta": 0.5}, {"kernel": "sigmoid", "gamma": 0.05, "coef0": -0.5}),
]


@pytest.mark.parametrize(("own", "peer"), KERNELS, ids=lambda given: "-".join(map(str, given.values())))
@pytest.mark.parametrize("classes", [2, 3])
def test_decision_values_are_those_of_libsvm(own, peer, classes):
    table, y = mixed(classes=classes)
    learner = SVM(**own, classes="pairs", C=2.0, probabilities="none", digits=12)
    model = learner.train(table)
    matrix, _ = encoded(learner, table)
    other = SVC(**peer, C=2.0, tol=1e-7, decision_function_shape="ovo").fit(matrix, y)
    values = other.decision_function(matrix).reshape(len(y), -1).T
    sign = 1 if classes == 2 else -1  # of pairs, scikit-learn has the first class positive
    assert sign * model.values(table) == pytest.approx(values, abs=CLOSE)
    other.set_params(decision_function_shape="ovr", break_ties=classes > 2)
    assert (model.decide(table) == other.predict(matrix)).mean() > 0.999


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_default_machines_on_real_data(load, kernel):
    X, y = load(return_X_y=True)
    learner = SVM(kernel=kernel, classes="pairs").fit(X, y)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    other = SVC(kernel=kernel, gamma="scale", tol=1e-6, break_ties=True).fit(scaled, y)
    assert learner.decision_function(X) == pytest.approx(other.decision_function(scaled), abs=2e-3)
    assert (learner.predict(X) == other.predict(scaled)).mean() > 0.999


def test_gamma_of_its_own_is_that_of_scale():
    table, _ = mixed()
    matrix, kernel = encoded(SVM(), table)
    assert kernel.gamma == pytest.approx(1 / (matrix.shape[1] * matrix.var()), rel=1e-5)


def test_costs_of_classes_are_class_weights():
    table, y = mixed()
    learner = SVM(class_weight={"k0": 5, "k2": 0.5}, classes="pairs", probabilities="none")
    matrix, kernel = encoded(learner, table)
    weights = {0: 5, 2: 0.5}
    other = SVC(gamma=kernel.gamma, class_weight=weights, tol=1e-7, decision_function_shape="ovo").fit(matrix, y)
    assert pytest.approx(other.decision_function(matrix), abs=CLOSE) == -learner.train(table).values(table).T
    balanced = SVM(class_weight="balanced", classes="pairs", probabilities="none").train(table)
    other = SVC(gamma=kernel.gamma, class_weight="balanced", tol=1e-7, decision_function_shape="ovo").fit(matrix, y)
    assert pytest.approx(other.decision_function(matrix), abs=CLOSE) == -balanced.values(table).T


def test_weights_of_rows_are_sample_weights():
    table, y = mixed(classes=2)
    weights = np.random.default_rng(1).random(len(y)) * 3
    learner = SVM(scale="none", gamma=0.02, probabilities="none")
    model = learner.train(table.with_weights(weights))
    seen = model.functions.kernel_rows(model.design, table)  # the mean of a missing number is weighed too
    other = SVC(gamma=0.02, tol=1e-7).fit(seen, y, sample_weight=weights / weights.mean())
    assert model.values(table)[0] == pytest.approx(other.decision_function(seen), abs=CLOSE)


def test_a_class_against_the_rest():
    table, y = mixed()
    learner = SVM(kernel="rbf", classes="rest", probabilities="none")
    matrix, kernel = encoded(learner, table)
    values = learner.train(table).values(table)
    for code in range(3):
        other = SVC(gamma=kernel.gamma, tol=1e-7).fit(matrix, y == code)
        assert values[code] == pytest.approx(other.decision_function(matrix), abs=CLOSE)


def test_squared_slack_is_a_hard_margin_with_a_ridge():
    table, y = mixed(classes=2)
    learner = SVM(power=2, C=0.5, probabilities="none")
    matrix, kernel = encoded(learner, table)
    square = kernel.matrix(matrix, matrix)
    other = SVC(C=1e9, kernel="precomputed", tol=1e-7).fit(square + np.eye(len(y)), y)  # 1 / (2 C) = 1
    assert learner.train(table).values(table)[0] == pytest.approx(other.decision_function(square), abs=CLOSE)


def test_a_range_is_wekas_scale():
    X, y = load_iris(return_X_y=True)
    learner = SVM(kernel="linear", scale="range", classes="pairs", digits=12).fit(X, y)
    scaled = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    other = SVC(kernel="linear", tol=1e-7).fit(scaled, y)
    assert learner.decision_function(X) == pytest.approx(other.decision_function(scaled), abs=CLOSE)


def test_attributes_as_scikit_learn_has_them():
    X, y = load_breast_cancer(return_X_y=True)
    learner, other = SVM(scale="none", gamma=1e-4).fit(X, y), SVC(gamma=1e-4, tol=1e-7).fit(X, y)
    assert learner.support_.tolist() == sorted(other.support_.tolist())
    assert np.array_equal(learner.support_vectors_, X[learner.support_])
    assert learner.dual_coef_.shape == (1, len(other.support_))
    assert learner.intercept_ == pytest.approx(other.intercept_, abs=CLOSE)
    assert not hasattr(learner, "coef_")
    straight = SVM(kernel="linear").fit(X, y)
    assert straight.decision_function(X) == pytest.approx(X @ straight.coef_[0] + straight.intercept_[0])
    assert not hasattr(straight, "support_vectors_")


def test_given_kernel_values():
    X, y = load_iris(return_X_y=True)
    train, test = np.arange(0, 150, 2), np.arange(1, 150, 2)
    square, rows = np.exp(-0.3 * _distances(X[train], X[train])), np.exp(-0.3 * _distances(X[test], X[train]))
    learner = SVM(kernel="precomputed").fit(square, y[train])
    other = SVC(kernel="precomputed", tol=1e-7).fit(square, y[train])
    assert learner.decision_function(rows) == pytest.approx(other.decision_function(rows), abs=CLOSE)
    own = SVM(kernel=lambda a, b: np.exp(-0.3 * _distances(a, b)), scale="none").fit(X[train], y[train])
    assert own.decision_function(X[test]) == pytest.approx(other.decision_function(rows), abs=CLOSE)


def _distances(a, b):
    return np.square(a[:, None] - b[None]).sum(axis=2)
