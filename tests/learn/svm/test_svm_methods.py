"""What the documents say of support vector machines, each statement checked on solutions (M205 to M228)."""

from math import inf

import numpy as np
import pytest

from hedgerow import SVM
from hedgerow.data.table.table import Table
from hedgerow.learn.svm.problem import SvmProblem
from hedgerow.learn.svm.smo import solve
from hedgerow.models.svm.kernel_function import KernelFunction

LINEAR = KernelFunction("linear")


def clouds(apart):
    """Two clouds of 30 points each, and their signs."""
    points = np.random.default_rng(3).normal(size=(60, 2))
    points[:30] += apart
    return points, np.repeat([1, -1], 30)


def solved(apart, cost):
    points, signs = clouds(apart)
    found = solve(points, LINEAR, SvmProblem.of(np.arange(60), signs, cost), tolerance=1e-8)
    return points, signs, found, points.T @ (signs * found.alpha)


def test_hard_margin():
    """M206 to M208, M210: all rows are kept apart, the closest lie on y f = 1, no other direction has more room."""
    points, signs, found, w = solved(6.0, inf)
    kept = signs * (points @ w + found.b)
    assert found.separable
    assert kept.min() == pytest.approx(1, abs=1e-6)
    assert kept[found.alpha > 0] == pytest.approx(1, abs=1e-6)
    distances = kept / np.linalg.norm(w)
    assert found.margin == pytest.approx(2 * distances.min(), rel=1e-6)
    for angle in np.linspace(0, 2 * np.pi, 721):
        along = points @ [np.cos(angle), np.sin(angle)]
        assert along[signs > 0].min() - along[signs < 0].max() <= found.margin * (1 + 1e-6)


def test_no_hard_margin_where_classes_overlap():
    """M208: there is no solution if the data is not separable."""
    assert not solved(0.5, inf)[2].separable


@pytest.mark.parametrize("cost", [0.1, 10.0])
def test_conditions_of_the_soft_margin(cost):
    """M209, M211 to M216: the conditions of Kuhn and Tucker, both values, b, and what alpha says of a row."""
    points, signs, found, w = solved(1.0, cost)
    alpha, values = found.alpha, points @ w + found.b
    kept = signs * values
    assert signs @ alpha == pytest.approx(0, abs=1e-9)
    assert alpha.min() >= 0
    assert alpha.max() <= cost
    free = (alpha > 0) & (alpha < cost)
    assert (kept[alpha == 0] >= 1 - 1e-6).all()
    assert kept[free] == pytest.approx(1, abs=1e-6)
    assert (kept[alpha == cost] <= 1 + 1e-6).all()
    products = points @ points.T
    quadratic = (signs * alpha) @ products @ (signs * alpha)
    assert found.dual == pytest.approx(alpha.sum() - quadratic / 2, rel=1e-9)
    assert found.primal == pytest.approx(w @ w / 2 + cost * np.maximum(1 - kept, 0).sum(), rel=1e-9)
    assert found.primal == pytest.approx(found.dual, rel=1e-6)
    assert found.b == pytest.approx(np.mean(1 / signs[free] - products[free] @ (signs * alpha)), abs=1e-9)
    support = alpha > 0
    by_vectors = products[:, support] @ (signs * alpha)[support] + found.b
    assert by_vectors == pytest.approx(values, abs=1e-9)
    assert (found.free, found.bounded) == (free.sum(), (alpha == cost).sum())


def test_kernels_by_their_formulas():
    """M220 to M223: linear, polynomial, Gaussian and sigmoid kernels of two rows."""
    x, z = np.array([[1.0, 2.0]]), np.array([[3.0, -0.5]])
    assert LINEAR.matrix(x, z).item() == 2.0
    assert KernelFunction("poly", theta=1.0, degree=3).matrix(x, z).item() == pytest.approx(27.0)
    assert KernelFunction.gaussian(2.0).matrix(x, z).item() == pytest.approx(np.exp(-(4 + 6.25) / 8))
    assert KernelFunction("sigmoid", slope=0.5, delta=0.25).matrix(x, z).item() == pytest.approx(np.tanh(0.75))


def test_categories_become_numbers():
    """M225, M228: a level is an indicator, and the weights of a linear machine can be read by column and level."""
    table = Table.of({"color": ["red", "red", "blue", "green"] * 5, "y": ["a", "a", "b", "b"] * 5}, "y")
    model = SVM(kernel="linear", probabilities="none").learn(table)
    assert model.predict(table).tolist() == ["a", "a", "b", "b"] * 5
    assert "red" in str(model)
