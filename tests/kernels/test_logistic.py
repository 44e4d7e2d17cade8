"""The kernels of logistic regression against reference implementations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import _kernels
from tests.reference import linear as reference


def columns_of(random, rows):
    """Return a column of numbers with gaps, one without and one of codes, as the kernel takes them and as a matrix."""
    x, y = random.normal(3, 2, rows), random.normal(size=rows)
    x[random.random(rows) < 0.2] = np.nan
    codes, table = random.integers(-1, 4, rows).astype(np.int32), np.array([-1, 0, 2, 1, 2], dtype=np.int32)
    given_ = ([x, y, codes], [None, None, table], [2, 1, 3], np.array([3.0, 0, 0]), np.array([0.5, 1, 1]))
    gaps = np.array([0.25, 0.0, 0.0])
    z = np.where(np.isnan(x), gaps[0], (x - 3) / 2)
    matrix = np.column_stack([z, np.isnan(x), y, table[codes][:, None] == np.arange(3)]).astype(float)
    return (*given_, gaps), matrix


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 999), st.integers(0, 40), st.integers(1, 6), st.booleans(), st.booleans())
def test_columns(seed, rows, functions, based, weighted):
    if functions + based < 2:
        based = True
    random = np.random.default_rng(seed)
    given_, matrix = columns_of(random, rows)
    labels = random.integers(0, functions + based, rows).astype(np.int32)
    weights = random.uniform(0, 3, rows) if weighted else None
    theta = random.normal(size=(functions, matrix.shape[1] + 1))
    cost, gradient, hessian = _kernels.compute_logistic_sums(*given_, labels, weights, theta, based, True, 2)
    plain = np.ones(rows) if weights is None else weights
    expected = reference.logistic(matrix, labels, plain, theta, based)
    assert cost == pytest.approx(expected[0], rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(gradient.reshape(theta.shape), expected[1], rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(hessian.reshape(theta.size, -1), expected[2], rtol=1e-10, atol=1e-11)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 999), st.integers(0, 30), st.integers(1, 5), st.booleans(), st.booleans())
def test_sparse(seed, rows, functions, based, weighted):
    from scipy.sparse import random_array

    if functions + based < 2:
        based = True
    random = np.random.default_rng(seed)
    matrix = random_array((rows, 7), density=0.3, format="csr", rng=random)
    labels = random.integers(0, functions + based, rows).astype(np.int32)
    weights = random.uniform(0, 3, rows) if weighted else None
    theta = random.normal(size=(functions, 8))
    cost, gradient, chances = _kernels.compute_sparse_logistic_sums(
        matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data, labels, weights,
        np.ascontiguousarray(theta.T), based, True, 2,
    )  # fmt: skip
    plain = np.ones(rows) if weights is None else weights
    expected = reference.logistic(matrix.toarray(), labels, plain, theta, based)
    assert cost == pytest.approx(expected[0], rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(gradient.reshape(8, functions).T, expected[1], rtol=1e-10, atol=1e-11)
    assert chances.shape == (rows * functions,)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 999), st.integers(0, 1200), st.integers(0, 60), st.integers(1, 3))
def test_sparse_times(seed, rows, columns, threads):
    from scipy.sparse import random_array

    random = np.random.default_rng(seed)
    matrix = random_array((rows, 9), density=0.3, format="csr", rng=random)
    lines = random.normal(size=(9, columns))
    out = _kernels.multiply_sparse(
        matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data, lines, threads
    )
    np.testing.assert_allclose(out.reshape(rows, columns), matrix.toarray() @ lines, rtol=1e-12, atol=1e-12)


def test_many_rows_are_the_same_for_any_number_of_threads():
    random = np.random.default_rng(1)
    rows = 60_000
    given_, _ = columns_of(random, rows)
    labels = random.integers(0, 3, rows).astype(np.int32)
    theta = random.normal(size=(2, 7))
    for curved in (True, False):
        answers = [_kernels.compute_logistic_sums(*given_, labels, None, theta, True, curved, n) for n in (1, 2, 5)]
        for cost, gradient, hessian in answers[1:]:
            assert cost == answers[0][0]
            assert (gradient == answers[0][1]).all()
            assert (hessian == answers[0][2]).all()
    with_ones = _kernels.compute_logistic_sums(*given_, labels, np.ones(rows), theta, True, False, 2)
    assert with_ones[0] == pytest.approx(answers[0][0], rel=1e-13)


@pytest.mark.parametrize("size", [0.0, 30.0, 800.0, 1e5, 1e200])
def test_large_functions_stay_numbers(size):
    x = np.array([1.0, -1.0, 0.5])
    labels = np.array([1, 0, 0], dtype=np.int32)
    theta = np.array([[size, 0.0]])
    one, zero = np.ones(1), np.zeros(1)
    cost, gradient, hessian = _kernels.compute_logistic_sums(
        [x], [None], [1], zero, one, zero, labels, None, theta, True, True, 1
    )
    expected = reference.logistic(x[:, None], labels, np.ones(3), theta, True)
    assert cost == pytest.approx(expected[0], rel=1e-14)
    assert gradient == pytest.approx(expected[1].ravel(), rel=1e-13, abs=1e-300)
    assert np.isfinite(hessian).all()


def test_lasso_step_is_the_minimum():
    random = np.random.default_rng(2)
    for _ in range(20):
        root = random.normal(size=(30, 6))
        hessian, gradient, l1 = root.T @ root, random.normal(0, 20, 6), np.append(random.uniform(0, 20, 5), 0.0)
        theta = random.normal(size=6)
        aim = theta.copy()
        assert _kernels.solve_lasso_step(hessian, gradient, l1, aim, 1e-13, 10_000) < 10_000
        slope = gradient + hessian @ (aim - theta)
        np.testing.assert_allclose(slope[aim != 0], (-l1 * np.sign(aim))[aim != 0], atol=1e-9)
        assert (np.abs(slope[aim == 0]) <= l1[aim == 0] + 1e-9).all()


def test_bad_arrays_are_refused():
    x, labels = np.zeros(3), np.zeros(3, dtype=np.int32)
    one, zero = np.ones(1), np.zeros(1)

    flat = np.zeros((1, 2))

    def call(arrays=(x,), labels=labels, theta=flat, weight=None, tables=(None,), widths=(1,)):
        return _kernels.compute_logistic_sums(
            list(arrays), list(tables), list(widths), zero, one, zero, labels, weight, theta, True, True, 1
        )

    with pytest.raises(ValueError, match="a label is not below the number of classes"):
        call(labels=np.array([0, 2, 0], dtype=np.int32))
    with pytest.raises(ValueError, match="theta and places differ in length"):
        call(theta=np.zeros((1, 3)))
    with pytest.raises(ValueError, match="theta has no functions"):
        call(theta=np.zeros((0, 2)))
    with pytest.raises(ValueError, match="columns differ in length"):
        call(arrays=(np.zeros(2),))
    with pytest.raises(ValueError, match="weight and rows differ in length"):
        call(weight=np.ones(2))
    with pytest.raises(ValueError, match="a code is not below its number of levels"):
        call(arrays=(np.array([0, 1, 9], dtype=np.int32),), tables=(np.array([0, -1], dtype=np.int32),))
    with pytest.raises(ValueError, match="numbers take one place or two"):
        call(widths=(3,), theta=np.zeros((1, 4)))
    with pytest.raises(ValueError, match="an id is not below"):
        _kernels.compute_sparse_logistic_sums(
            np.array([0, 1]),
            np.array([5], dtype=np.int32),
            np.ones(1),
            labels[:1],
            None,
            np.zeros((3, 1)),
            True,
            False,
            1,
        )
    one_value = np.array([0, 1]), np.array([5], dtype=np.int32), np.ones(1)
    with pytest.raises(ValueError, match="an id is not below the number of lines"):
        _kernels.multiply_sparse(*one_value, np.zeros((3, 1)), 1)
    with pytest.raises(ValueError, match="offsets out of range"):
        _kernels.multiply_sparse(np.array([0, 2]), *one_value[1:], np.zeros((9, 1)), 1)
    with pytest.raises(ValueError, match="the Hessian is not square"):
        _kernels.solve_lasso_step(np.zeros((2, 3)), np.zeros(2), np.zeros(2), np.zeros(2), 1e-9, 5)
