"""Decision values of SVMs: compiled and plain sums, for any kernel, dense and sparse, few rows and many."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from hedgerow import _kernels
from hedgerow.models.svm.given_kernels import CallableKernel, Precomputed
from hedgerow.models.svm.kernel_function import KernelFunction
from hedgerow.models.svm.kernel_sums import dense_part, kernel_values, sparse_parts

KERNELS = [
    KernelFunction("linear"),
    KernelFunction("poly", gamma=0.5, theta=1.0, degree=1),
    KernelFunction("poly", gamma=0.05, theta=-0.5, degree=7),
    KernelFunction("rbf", gamma=0.02),
    KernelFunction("rbf", gamma=30.0),
    KernelFunction("sigmoid", slope=0.05, delta=0.3),
    KernelFunction("sigmoid", slope=-7.0, delta=-1e-9),
]
NONE = np.empty(0, dtype=np.int32)


@st.composite
def cases(draw):
    """A kernel, vectors, coefficients, offsets, rows; some rows are vectors, some columns far from 0."""
    random = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    width, machines = draw(st.integers(0, 200)), draw(st.integers(1, 12))
    n_vectors, n_rows = draw(st.integers(0, 70)), draw(st.integers(0, 70))
    points = random.normal(size=(n_vectors + n_rows, width))
    if draw(st.booleans()):
        points *= random.random(points.shape) < draw(st.sampled_from([0.0, 0.05, 0.5]))
    points *= draw(st.sampled_from([1e-3, 1.0, 1e2]))
    shift = draw(st.sampled_from([0.0, 50.0]))
    vectors, rows = points[:n_vectors] + shift, points[n_vectors:] + shift
    same = min(n_vectors, n_rows, draw(st.integers(0, 3)))
    rows[:same] = vectors[:same]
    coefs = random.normal(size=(n_vectors, machines)) * (random.random((n_vectors, machines)) < 0.6)
    kernel = draw(st.sampled_from(KERNELS))
    return kernel, vectors, coefs, random.normal(size=machines), rows


def plain(kernel, vectors, coefs, offsets, rows):
    """The sums, and those of what is added up, without its sign, with products likewise."""
    known = kernel.matrix(rows, vectors)
    values = (known @ coefs + offsets).T
    bound = np.abs(known)
    if kernel.name == "poly":  # whose sums cancel before the power is taken
        bound = (kernel.gamma * np.abs(rows) @ np.abs(vectors).T + abs(kernel.theta)) ** kernel.degree
    if kernel.name == "linear":
        bound = np.abs(rows) @ np.abs(vectors).T
    if kernel.name == "sigmoid":
        bound = 1 + abs(kernel.slope) * np.abs(rows) @ np.abs(vectors).T
    if kernel.name == "rbf":
        squared = (rows**2).sum(axis=1)[:, None] + (vectors**2).sum(axis=1)
        bound = 1 + kernel.gamma * squared * known
    return values, (bound @ np.abs(coefs) + np.abs(offsets)).T


@settings(max_examples=150, deadline=None)
@given(cases())
def test_values_are_those_of_the_plain_sum(case):
    kernel, vectors, coefs, offsets, rows = case
    want, bound = plain(kernel, vectors, coefs, offsets, rows)
    for form in (np.asarray, csr_array):
        got = kernel_values(kernel, form(vectors), coefs, offsets, form(rows))
        assert got.shape == want.shape
        assert (np.abs(got - want) <= 1e-13 * bound).all()
        single = kernel_values(kernel, form(vectors), coefs, offsets, form(rows), single=True)
        assert (np.abs(single - want) <= 2e-5 * bound).all()


RANDOM_ROWS = np.random.default_rng(0).normal(size=(40, 66)) * 1e-3
FAR_FROM_ONES = KernelFunction("rbf", gamma=30.0), RANDOM_ROWS[:0], np.empty((0, 1)), np.zeros(1), RANDOM_ROWS


@settings(max_examples=100, deadline=None)
@given(cases(), st.integers(1, 20))
@example(FAR_FROM_ONES, 20)
def test_blocks_of_kernel_values_are_those_of_the_plain_matrix(case, asked):
    kernel, points, _, _, more = case
    points = np.concatenate([points, more, np.ones((1, points.shape[1]))])
    random = np.random.default_rng(asked)
    which = random.integers(0, len(points), asked).astype(np.int32)
    order = random.permutation(len(points)).astype(np.int32)
    start = int(random.integers(0, len(points)))
    end = int(random.integers(start, len(points) + 1))
    moved = points[order]
    want, bound = plain(kernel, moved[start:end], np.eye(end - start), np.zeros(end - start), moved[which])
    for parts in (dense_part(points), sparse_parts(points)):
        out, floats = np.empty((asked, end - start)), np.empty((asked, end - start), dtype=np.float32)
        _kernels.fill_kernel_rows(kernel.numbers, parts, which, order, start, out)
        _kernels.fill_kernel_rows_single(kernel.numbers, parts, which, order, start, floats)
        assert (np.abs(out - want.T) <= 1e-13 * bound.T).all()
        error = _kernels.estimate_single_error(kernel.numbers, parts)
        if np.isfinite(error):
            by_distance = error if kernel.name == "rbf" else 0.0  # of the point farthest from the center of all
            assert (np.abs(floats - want.T) <= 2e-5 * bound.T + 1e-30 + by_distance).all()


@pytest.mark.parametrize("parts", [dense_part, sparse_parts])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    ("call", "kind"), [(_kernels.fill_kernel_rows, np.float64), (_kernels.fill_kernel_rows_single, np.float32)]
)
def test_values_are_symmetric_and_the_same_however_they_are_asked_for(parts, kernel, call, kind):
    random = np.random.default_rng(3)
    points = random.normal(size=(90, 37)) + 3
    points[60:] = points[:30]
    given, all_rows = parts(points), np.arange(90, dtype=np.int32)
    whole = np.empty((90, 90), dtype=kind)
    call(kernel.numbers, given, all_rows, NONE, 0, whole)
    assert (whole == whole.T).all()
    assert (whole[60:] == whole[:30]).all()
    for which, start, end in (([7], 0, 90), ([7], 45, 46), ([3, 88], 13, 77), ([1, 2, 3, 4, 5], 31, 65)):
        some = np.empty((len(which), end - start), dtype=kind)
        call(kernel.numbers, given, np.array(which, dtype=np.int32), NONE, start, some)
        assert (some == whole[which, start:end]).all()
    if kernel.name == "rbf":
        assert (np.diagonal(whole) == 1).all()
        assert (np.diagonal(whole[60:]) == 1).all()
        assert whole.min() >= 0
        assert whole.max() == 1


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("single", [False, True])
def test_the_value_of_a_row_does_not_depend_on_the_others_nor_on_threads(form, single, monkeypatch):
    random = np.random.default_rng(5)
    vectors, rows = form(random.normal(size=(500, 30))), form(random.normal(size=(400, 30)))
    coefs, offsets, kernel = random.normal(size=(500, 4)), random.normal(size=4), KernelFunction("rbf", gamma=0.03)
    whole = kernel_values(kernel, vectors, coefs, offsets, rows, single=single)
    monkeypatch.setenv("HEDGEROW_THREADS", "3")
    assert (kernel_values(kernel, vectors, coefs, offsets, rows, single=single) == whole).all()
    for start, end in ((0, 1), (37, 39), (399, 400)):
        some = kernel_values(kernel, vectors, coefs, offsets, rows[start:end], single=single)
        assert (some == whole[:, start:end]).all()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scale", [1e20, 1e100, 1e160])
def test_numbers_too_large_for_their_squares(kernel, scale):
    """The Gaussian of rows far apart is 0, of equal ones 1; the others may be infinite, or no numbers, as plain."""
    rows = scale * np.array([[1.0, 2.0], [3.0, 1.0], [1.0, 2.0]])
    for form in (np.asarray, csr_array):
        for single in (False, True):
            with np.errstate(invalid="ignore", over="ignore"):
                want = (kernel.matrix(rows, rows[:2]) @ np.array([[1.0], [0.0]]) + 0.5).T
            if np.isnan(want).any():
                continue
            got = kernel_values(
                kernel, form(rows[:2]), np.array([[1.0], [0.0]]), np.array([0.5]), form(rows), single=single
            )
            assert got == pytest.approx(want, rel=1e-12)


def test_a_dense_table_with_sparse_vectors():
    random = np.random.default_rng(6)
    vectors, rows, coefs = random.normal(size=(9, 4)), random.normal(size=(5, 4)), random.normal(size=(9, 1))
    want = kernel_values(KERNELS[3], vectors, coefs, np.zeros(1), rows)
    assert kernel_values(KERNELS[3], csr_array(vectors), coefs, np.zeros(1), rows) == pytest.approx(want, abs=1e-12)


def test_ids_out_of_order_and_repeated():
    jumbled = csr_array((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 4))
    got = kernel_values(KERNELS[0], jumbled, np.ones((1, 1)), np.zeros(1), csr_array(np.array([[1.0, 1.0, 10.0, 1.0]])))
    assert got.tolist() == [[42.0]]
    assert jumbled.indices.tolist() == [2, 0, 2]


def test_given_values_and_functions_of_ones_own():
    values = np.arange(12.0).reshape(3, 4)
    coefs, offsets = np.array([[1.0, 0.0], [-1.0, 2.0]]), np.array([0.5, 0.0])
    got = kernel_values(Precomputed(), np.array([3, 1]), coefs, offsets, values)
    assert got.tolist() == [[2.5, 2.5, 2.5], [2.0, 10.0, 18.0]]
    own = CallableKernel(lambda a, b: a @ b.T)
    rows, vectors = values[:, :2], values[:2, 2:]
    assert kernel_values(own, vectors, coefs, offsets, rows) == pytest.approx(
        kernel_values(KERNELS[0], vectors, coefs, offsets, rows)
    )


@pytest.mark.parametrize("kernel", [KERNELS[3], Precomputed(), CallableKernel(lambda a, b: a @ b.T)])
def test_without_vectors_the_offsets_are_left(kernel):
    vectors = np.empty(0, dtype=np.int64) if kernel.name == "precomputed" else np.empty((0, 3))
    got = kernel_values(kernel, vectors, np.empty((0, 2)), np.array([1.0, -2.0]), np.ones((4, 3)))
    assert got.tolist() == [[1.0] * 4, [-2.0] * 4]


@pytest.mark.parametrize(
    ("form", "vectors", "rows", "said"),
    [
        ((9, 1.0, 0.0, 1), np.ones((2, 3)), np.ones((2, 3)), "no such kernel"),
        ((1, 1.0, 0.0, 0), np.ones((2, 3)), np.ones((2, 3)), "degree"),
        ((0, 1.0, 0.0, 1), np.ones((2, 3)), np.ones((2, 4)), "differ in width"),
        ((0, 1.0, 0.0, 1), np.ones((3, 3)), np.ones((2, 3)), "coefs and vectors differ"),
        ((0, 1.0, 0.0, 1), np.ones((2, 3)), np.ones((5, 3)), "out and rows differ"),
        ((0, 1.0, 0.0, 1), np.ones((2, 3)), sparse_parts(np.ones((2, 3))), "both be sparse"),
        ((0, 1.0, 0.0, 1), np.ones((2, 3)), (np.array([0, 9]), NONE, np.empty(0), 3), "offsets"),
    ],
)
def test_the_kernel_refuses_arrays_that_do_not_fit(form, vectors, rows, said):
    with pytest.raises(ValueError, match=said):
        _kernels.compute_kernel_sums(form, vectors, np.ones((2, 1)), np.ones(1), rows, False, np.empty((1, 2)), 1)
