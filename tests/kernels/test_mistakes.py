"""The kernels that learn from mistakes against their reference implementations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from hedgerow import _kernels
from tests.reference import mistakes as reference

NOTHING = np.empty(0)
SEEDS, CLASSES = st.integers(0, 9999), st.integers(2, 4)


def drawn(seed, classes, zero_one=False):
    """Rows of small whole numbers, so that sums are exact; classes and weights."""
    random = np.random.default_rng(seed)
    n, width = int(random.integers(1, 30)), int(random.integers(0, 7))
    matrix = random.integers(0 if zero_one else -2, 2 if zero_one else 3, (n, width)).astype(np.float64)
    return matrix, random.integers(0, classes, n).astype(np.int32), random.integers(0, 9, n) / 2


def progress():
    return np.array([0.0, 0.0, 0.0, -1.0])


def perceptron(matrix, labels, classes, weights, passes, sparse=False, order=None):
    """Weights (a line a function), their average, and the mistakes of every pass."""
    functions = 1 if classes == 2 else classes
    coefficients, sums, at = np.zeros((matrix.shape[1] + 1) * functions), None, progress()
    sums = np.zeros(len(coefficients))
    counts = []
    for _ in range(passes):
        if sparse:
            held = csr_array(matrix)
            rows = (held.indptr.astype(np.int64), held.indices.astype(np.int32), held.data)
            call = _kernels.run_sparse_perceptron_pass
        else:
            rows, call = (matrix,), _kernels.run_perceptron_pass
        counts.append(call(*rows, labels, classes, weights, order, coefficients, sums, NOTHING, at))
        if not counts[-1]:
            break
    average = coefficients - sums / max(at[0], 1e-300)
    return *(one.reshape(-1, functions).T for one in (coefficients, average)), counts


@given(SEEDS, CLASSES, st.booleans(), st.booleans())
def test_perceptron(seed, classes, sparse, weighted):
    matrix, labels, weights = drawn(seed, classes)
    twin = reference.Perceptron(matrix.shape[1], classes)
    expected = twin.run(matrix, labels, weights if weighted else np.ones(len(labels)), 4)
    found, average, counts = perceptron(matrix, labels, classes, weights if weighted else None, 4, sparse)
    assert counts == expected
    assert np.allclose(found, twin.weights, rtol=1e-12, atol=1e-12)
    if twin.shown:
        assert np.allclose(average, twin.average, rtol=1e-9, atol=1e-9)


@given(SEEDS, CLASSES)
def test_the_order_of_rows_may_be_given(seed, classes):
    matrix, labels, _ = drawn(seed, classes)
    order = np.random.default_rng(seed).permutation(len(labels)).astype(np.int64)
    found = perceptron(matrix, labels, classes, None, 2, order=order)
    expected = perceptron(np.ascontiguousarray(matrix[order]), labels[order], classes, None, 2)
    assert np.array_equal(found[0], expected[0])
    assert found[2] == expected[2]


@given(SEEDS, CLASSES)
def test_the_pocket_never_has_more_mistakes_than_any_pass_ends_with(seed, classes):
    matrix, labels, weights = drawn(seed, classes)
    functions = 1 if classes == 2 else classes
    coefficients, pocket, at = np.zeros((matrix.shape[1] + 1) * functions), None, progress()
    pocket, best = np.zeros(len(coefficients)), np.inf

    def wrong(flat):
        lines = flat.reshape(-1, functions).T
        told = [reference.said(lines @ np.append(1.0, row)) for row in matrix]
        return float(weights[np.array(told) != labels].sum())

    for _ in range(5):
        _kernels.run_perceptron_pass(matrix, labels, classes, weights, None, coefficients, NOTHING, pocket, at)
        best = min(best, wrong(coefficients))
        assert at[3] == wrong(pocket) <= best


@given(SEEDS, CLASSES, st.booleans(), st.booleans())
def test_winnow(seed, classes, balanced, weighted):
    matrix, labels, weights = drawn(seed, classes, zero_one=True)
    weights = np.floor(weights)  # powers of 2 that add up exactly
    alpha, theta = 2.0, 0.0 if balanced else matrix.shape[1] / 2
    twin = reference.Winnow(matrix.shape[1], classes, alpha, theta, 1.0, balanced)
    expected = twin.run(matrix, labels, weights if weighted else np.ones(len(labels)), 4)
    held, functions = csr_array(matrix), 1 if classes == 2 else classes
    rows = held.indptr.astype(np.int64), held.indices.astype(np.int32)
    exponents = np.zeros(matrix.shape[1] * functions)
    sums, since, at = np.zeros(len(exponents)), np.zeros(len(exponents)), progress()
    counts = []
    for _ in expected:
        how = (weights if weighted else None, None, alpha, theta, 1.0, balanced)
        counts.append(_kernels.run_winnow_pass(*rows, labels, classes, *how, exponents, sums, since, NOTHING, at))
    assert counts == expected
    found = alpha**exponents - (alpha**-exponents if balanced else 0.0)
    assert np.allclose(found.reshape(-1, functions).T, twin.net(), rtol=1e-9, atol=1e-12)
    if twin.shown:
        average = (sums + found * (at[0] - since)) / at[0]
        assert np.allclose(average.reshape(-1, functions).T, twin.average, rtol=1e-9, atol=1e-9)


@given(SEEDS, CLASSES, st.booleans(), st.booleans())
def test_steps_on_the_likelihood_of_classes(seed, classes, based, sparse):
    matrix, labels, weights = drawn(seed, classes)
    functions = classes - based
    start = np.random.default_rng(seed).normal(size=(functions, matrix.shape[1] + 1))
    flat = start.T.copy().ravel()
    if sparse:
        held = csr_array(matrix)
        rows = (held.indptr.astype(np.int64), held.indices.astype(np.int32), held.data)
        assert _kernels.run_sparse_class_sgd_steps(*rows, labels, classes, based, weights, 0.1, flat)
    else:
        assert _kernels.run_class_sgd_steps(matrix, labels, classes, based, weights, 0.1, flat)
    expected = reference.class_steps(matrix, labels, classes, based, weights, 0.1, start)
    assert np.allclose(flat.reshape(-1, functions).T, expected, rtol=1e-9, atol=1e-9)


def test_steps_that_leave_the_numbers_end():
    matrix, labels = np.full((3, 1), 1e200), np.array([0, 1, 0], dtype=np.int32)
    assert not _kernels.run_class_sgd_steps(matrix, labels, 2, True, None, 1e200, np.zeros(2))


def test_heavy_rows_end():
    matrix, labels = np.array([[1e100], [1.0]]), np.array([0, 1], dtype=np.int32)
    weights = np.array([1e30, 1e30])
    coefficients = np.zeros(2)
    _kernels.run_perceptron_pass(matrix, labels, 2, weights, None, coefficients, NOTHING, NOTHING, progress())
    assert np.isfinite(coefficients).all()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"label": np.array([0, 2], dtype=np.int32)}, "label is not below"),
        ({"label": np.array([0], dtype=np.int32)}, "differ in length"),
        ({"classes": 1}, "two classes"),
        ({"weight": np.array([1.0, np.nan])}, "negative or not finite"),
        ({"weight": np.array([1.0])}, "differ in length"),
        ({"order": np.array([2], dtype=np.int64)}, "not there"),
        ({"coefficients": np.zeros(2)}, "differ in length"),
        ({"sums": np.zeros(2)}, "differ in length"),
        ({"pocket": np.zeros(7)}, "differ in length"),
        ({"progress": np.zeros(3)}, "four figures"),
    ],
)
def test_wrong_arrays_are_refused(changed, message):
    right = {
        "matrix": np.zeros((2, 2)),
        "label": np.array([0, 1], dtype=np.int32),
        "classes": 2,
        "weight": None,
        "order": None,
        "coefficients": np.zeros(3),
        "sums": NOTHING,
        "pocket": NOTHING,
        "progress": progress(),
    }
    with pytest.raises(ValueError, match=message):
        _kernels.run_perceptron_pass(**right | changed)


def test_wrong_places_are_refused():
    starts, label = np.array([0, 1], dtype=np.int64), np.array([0], dtype=np.int32)
    how = (None, None, 2.0, 1.0, 1.0, False)
    rest = (NOTHING, NOTHING, NOTHING, progress())
    with pytest.raises(ValueError, match="below the number of places"):
        _kernels.run_winnow_pass(starts, np.array([3], dtype=np.int32), label, 2, *how, np.zeros(3), *rest)
    with pytest.raises(ValueError, match="alpha must be above 1"):
        _kernels.run_winnow_pass(
            starts, np.array([0], dtype=np.int32), label, 2, None, None, 1.0, 1.0, 1.0, False, np.zeros(3), *rest
        )
