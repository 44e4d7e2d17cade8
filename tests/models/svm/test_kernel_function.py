"""Kernel functions: worked examples, invariants, and error messages for invalid functions and values."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from hedgerow.errors import ModelError, UsageError
from hedgerow.models.svm.given_kernels import CallableKernel, Precomputed
from hedgerow.models.svm.kernel_function import KernelFunction, read_kernel

X, Z = np.array([[2.0, 3.0]]), np.array([[4.0, 5.0]])
ALL = [
    KernelFunction("linear"),
    KernelFunction("poly", gamma=0.5, theta=1.0, degree=3),
    KernelFunction("rbf", gamma=0.125),
    KernelFunction("sigmoid", slope=0.1, delta=1.0),
]


def feature_map(rows):
    """The squares of two columns, and the root of 2 times their product: M218."""
    return np.column_stack([rows[:, 0] ** 2, rows[:, 1] ** 2, math.sqrt(2) * rows[:, 0] * rows[:, 1]])


def value(kernel, x=X, z=Z):
    return float(kernel.matrix(x, z)[0, 0])


def test_the_feature_map_by_hand():
    """G91: phi(2,3) = (4, 9, 8.485281); the document rounds the last to 8.5 (X5)."""
    assert feature_map(X)[0] == pytest.approx([4, 9, 8.485281], abs=1e-6)
    assert round(feature_map(X)[0, 2], 1) == 8.5


def test_the_square_of_the_product_is_the_product_of_feature_maps():
    """G91: <x.z>^2 = 529 = <phi(x).phi(z)>."""
    assert value(KernelFunction("poly", degree=2)) == 529
    assert (feature_map(X) @ feature_map(Z).T).item() == pytest.approx(529)


@given(st.lists(st.floats(-100, 100), min_size=4, max_size=4))
def test_the_kernel_replaces_the_map(numbers):
    """M219: K(x, z) = <phi(x).phi(z)> for any two rows."""
    x, z = np.array([numbers[:2]]), np.array([numbers[2:]])
    assert value(KernelFunction("poly", degree=2), x, z) == pytest.approx(
        (feature_map(x) @ feature_map(z).T).item(), rel=1e-9, abs=1e-6
    )


def test_kernels_at_two_points():
    """G92: linear 23; polynomial theta=1, d=2: 576; sigma=2: 0.367879; sigmoid k=0.1, delta=1: 0.861723."""
    assert value(KernelFunction("linear")) == 23
    assert value(KernelFunction("poly", theta=1.0, degree=2)) == 576
    assert value(KernelFunction.gaussian(2)) == pytest.approx(0.367879, abs=5e-7)
    assert value(KernelFunction("sigmoid", slope=0.1, delta=1)) == pytest.approx(0.861723, abs=5e-7)


def test_the_printed_denominator_of_the_gaussian_lacks_the_square():
    """G92, X5: as printed, by 2 sigma instead of 2 sigma^2, the value would be 0.135335."""
    as_printed = KernelFunction("rbf", gamma=1 / (2 * 2))
    assert value(as_printed) == pytest.approx(0.135335, abs=5e-7)
    assert KernelFunction.gaussian(2) == KernelFunction("rbf", gamma=0.125) != as_printed


def test_the_formula_is_told_with_its_numbers():
    assert [kernel.describe() for kernel in ALL] == [
        "<x.z>",
        "(0.5 <x.z> + 1)^3",
        "exp(-0.125 |x - z|^2)",
        "tanh(0.1 <x.z> - 1)",
    ]
    assert KernelFunction("poly", degree=2).describe() == "<x.z>^2"
    assert KernelFunction("rbf").describe() == "exp(-|x - z|^2)"
    assert KernelFunction("sigmoid", delta=-0.5).describe() == "tanh(<x.z> + 0.5)"
    assert Precomputed().describe() == "values given with the data"


@pytest.mark.parametrize("kernel", ALL)
def test_sparse_rows_have_the_values_of_dense_ones(kernel):
    random = np.random.default_rng(0)
    a, b = random.normal(size=(7, 5)) * (random.random((7, 5)) < 0.4), random.normal(size=(4, 5))
    dense = kernel.matrix(a, b)
    for left in (a, csr_array(a)):
        for right in (b, csr_array(b)):
            assert kernel.matrix(left, right) == pytest.approx(dense, abs=1e-12)
        assert kernel.diagonal(left) == pytest.approx(np.diagonal(kernel.matrix(a, a)), abs=1e-12)


@pytest.mark.parametrize("kernel", ALL)
@pytest.mark.parametrize(("rows", "others", "width"), [(0, 3, 2), (3, 0, 2), (1, 1, 1), (2, 3, 0)])
def test_few_rows_and_no_columns(kernel, rows, others, width):
    assert kernel.matrix(np.ones((rows, width)), np.ones((others, width))).shape == (rows, others)
    assert kernel.diagonal(np.ones((rows, width))).shape == (rows,)


@pytest.mark.parametrize("kernel", [*ALL, Precomputed()])
def test_parts_come_back(kernel):
    assert read_kernel(kernel.to_dict()) == kernel


def test_numbers_that_a_kernel_does_not_use_do_not_make_it_another():
    assert KernelFunction("rbf", gamma=2, degree=9, delta=4) == KernelFunction("rbf", gamma=2)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (None, "its kernel must be one of"),
        ({"name": "cosine"}, "not 'cosine'"),
        ({"name": ["rbf"]}, "its kernel must be one of"),
        ({"name": "rbf"}, "its parts are"),
        ({"name": "rbf", "gamma": 0.0}, "gamma of a kernel must be above 0"),
        ({"name": "rbf", "gamma": "1"}, "must be a finite number"),
        ({"name": "rbf", "gamma": math.inf}, "must be a finite number"),
        ({"name": "poly", "gamma": 1.0, "theta": 0.0, "degree": 2.5}, "a whole number from 1 to 1000"),
        ({"name": "poly", "gamma": 1.0, "theta": 0.0, "degree": 0}, "a whole number from 1 to 1000"),
        ({"name": "precomputed", "gamma": 1.0}, "its parts are"),
    ],
)
def test_parts_that_cannot_be(parts, said):
    with pytest.raises(ModelError, match=said):
        read_kernel(parts)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": "gauss"}, "there is no kernel 'gauss'"),
        ({"name": "rbf", "gamma": -1.0}, "gamma of a kernel must be above 0, not -1"),
        ({"name": "sigmoid", "delta": math.nan}, "delta of a kernel must be a finite number"),
        ({"name": "poly", "degree": 1.5}, "whole number"),
        ({"name": "poly", "degree": math.nan}, "whole number"),
    ],
)
def test_kernels_that_cannot_be(given, said):
    with pytest.raises(UsageError, match=said):
        KernelFunction(**given)


@pytest.mark.parametrize("sigma", [0, -1, math.nan, math.inf, 1e-200, 1e200])
def test_sigma_out_of_range(sigma):
    with pytest.raises(UsageError, match="sigma of a Gaussian kernel must be above 0"):
        KernelFunction.gaussian(sigma)


def test_values_too_large_for_a_number_are_infinite():
    assert value(KernelFunction("poly", degree=200), 1e3 * X, Z) == math.inf


def test_a_function_of_ones_own():
    def overlap(a, b):
        return np.minimum(a[:, None, :], b[None, :, :]).sum(axis=2)

    rows = np.random.default_rng(1).integers(0, 9, (600, 3)).astype(float)
    kernel = CallableKernel(overlap)
    assert value(kernel) == 5
    assert kernel.describe() == "the kernel function overlap(x, z)"
    assert kernel.diagonal(rows) == pytest.approx(rows.sum(axis=1))
    assert kernel.diagonal(rows[:0]).shape == (0,)
    with pytest.raises(ModelError, match="is a Python function, which a file cannot store"):
        kernel.to_dict()


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda a, b: a @ b.T * math.nan, "has the value nan for rows 1 and 1; every value must be finite"),
        (lambda a, b: a @ b.T + math.inf, "has the value inf for rows 1 and 1"),
        (
            lambda a, b: (a + b).sum(axis=1),
            r"returned an array of shape \(3,\) for 3 and 3 rows; it must return one of shape",
        ),
        (lambda a, b: f"near {len(a) + len(b)}", "must give an array of numbers, not str"),
        (
            lambda a, b: a[:, :1] - b[:, :1].T,
            "is not symmetric: rows 1 and 3 have the value -4, but 4 in reverse order",
        ),
    ],
)
def test_functions_that_are_no_kernels(function, said):
    rows = np.arange(6.0).reshape(3, 2)
    with pytest.raises(UsageError, match=said):
        CallableKernel(function).matrix(rows, rows)


def test_precomputed_values():
    values = np.array([[2.0, 1.0], [1.0, 3.0]])
    assert Precomputed.check_values(values).tolist() == values.tolist()
    assert Precomputed().matrix(values, np.array([1])).tolist() == [[1.0], [3.0]]
    assert Precomputed().diagonal(values).tolist() == [2.0, 3.0]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.ones((2, 3)), r"must be square, with one value per pair of rows, but its shape is \(2, 3\)"),
        ([[1.0, math.nan], [math.nan, 1.0]], "the value nan for rows 1 and 2"),
        ([[1.0, 0.5], [0.25, 1.0]], "is not symmetric: rows 1 and 2"),
        ([["a"]], "must give an array of numbers"),
    ],
)
def test_precomputed_values_that_cannot_be(values, said):
    with pytest.raises(UsageError, match=said):
        Precomputed.check_values(values)
