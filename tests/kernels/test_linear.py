"""The kernels of linear models against their reference implementations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import _kernels
from tests.reference import linear as reference


def drawn(seed, rows):
    """Columns of all kinds, and weights."""
    random = np.random.default_rng(seed)
    columns = []
    for _ in range(random.integers(0, 6)):
        if random.random() < 0.6:
            numbers = random.normal(random.normal() * 100, 3, rows)
            gaps = bool(random.random() < 0.5)
            numbers[random.random(rows) < (0.2 if gaps else 0.0)] = np.nan
            columns.append((numbers, float(random.normal()), float(random.normal()), gaps))
        else:
            levels, width = int(random.integers(1, 5)), int(random.integers(1, 4))
            table = random.integers(-1, width, levels + 1).astype(np.int32)
            columns.append((random.integers(-1, levels, rows).astype(np.int32), table, width))
    return columns, random.integers(0, 4, rows) / 2


def asked(columns, weights, rows, threads):
    numeric = [len(column) == 4 for column in columns]
    flat = _kernels.compute_gram(
        [column[0] for column in columns],
        [None if is_number else column[1] for column, is_number in zip(columns, numeric, strict=True)],
        [1 + c[3] if is_number else c[2] for c, is_number in zip(columns, numeric, strict=True)],
        np.array([c[1] if is_number else 0.0 for c, is_number in zip(columns, numeric, strict=True)]),
        np.array([c[2] if is_number else 1.0 for c, is_number in zip(columns, numeric, strict=True)]),
        weights,
        rows,
        threads,
    )
    size = round(len(flat) ** 0.5)
    return flat.reshape(size, size)


@given(st.integers(0, 9999), st.sampled_from([0, 1, 2, 3, 7, 63, 512, 513, 1500]), st.booleans())
def test_products_of_places(seed, rows, weighted):
    columns, weights = drawn(seed, rows)
    found = asked(columns, weights if weighted else None, rows, 2)
    matrix = reference.places(columns) if columns else np.zeros((rows, 0))
    expected = reference.gram(matrix, weights if weighted else np.ones(rows))
    assert np.allclose(found, expected, rtol=1e-11, atol=1e-9)
    assert np.array_equal(found, found.T)


@pytest.mark.parametrize("places", [1, 2, 3, 4, 5, 11, 12, 13, 130, 700])
def test_every_number_of_places(places):
    random = np.random.default_rng(places)
    matrix, weights = random.normal(size=(77, places)), random.random(77)
    columns = [(np.ascontiguousarray(column), 0.0, 1.0, False) for column in matrix.T]
    full = np.column_stack([matrix, np.ones(77)])
    assert np.allclose(asked(columns, weights, 77, 1), (full * weights[:, None]).T @ full, rtol=1e-12, atol=1e-12)


def test_the_number_of_threads_changes_nothing():
    random = np.random.default_rng(5)
    columns = [(random.normal(1e3, 1, 100_001), 1e3, 0.7, False) for _ in range(9)]
    weights = random.random(100_001)
    first = asked(columns, weights, 100_001, 1)
    for threads in (2, 3, 8):
        assert np.array_equal(asked(columns, weights, 100_001, threads), first)


def test_no_columns_and_no_rows():
    assert asked([], None, 5, 2).tolist() == [[5.0]]
    assert asked([], None, 0, 2).tolist() == [[0.0]]
    assert asked([(np.empty(0), 0.0, 1.0, False)], None, 0, 2).tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arrays": []}, "columns and widths"),
        ({"tables": []}, "tables and widths"),
        ({"centers": np.zeros(2)}, "centers and widths"),
        ({"factors": np.zeros(0)}, "factors and widths"),
        ({"weight": np.ones(2)}, "weight and rows"),
        ({"rows": 2}, "columns differ in length"),
        ({"widths": [3]}, "one place or two"),
        ({"tables": [np.zeros(0, np.int32)], "arrays": [np.zeros(3, np.int32)]}, "lacks the place"),
        ({"tables": [np.array([1, 0], np.int32)], "arrays": [np.zeros(3, np.int32)]}, "place is not below"),
        ({"tables": [np.array([0], np.int32)], "arrays": [np.zeros(3, np.int32)]}, "code is not below"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change, message):
    given_ = {
        "arrays": [np.ones(3)],
        "tables": [None],
        "widths": [1],
        "centers": np.zeros(1),
        "factors": np.ones(1),
        "weight": None,
        "rows": 3,
        "threads": 1,
    }
    with pytest.raises(ValueError, match=message):
        _kernels.compute_gram(**(given_ | change))


@given(st.integers(0, 9999), st.sampled_from([0, 1, 5, 511, 512, 513, 2000]), st.floats(-1e6, 1e6), st.booleans())
def test_figures_of_a_column(seed, rows, shift, weighted):
    random = np.random.default_rng(seed)
    values = random.normal(shift, 2, rows)
    values[random.random(rows) < 0.2 * (seed % 2)] = np.nan
    weights = random.integers(1, 4, rows) / 2 if weighted else np.ones(rows)
    found = _kernels.compute_number_statistics(values, weights if weighted else None)
    expected = reference.number_figures(values, weights)
    assert np.allclose(found[:3], expected[:3], rtol=1e-12)
    assert np.isclose(found[3], expected[3], rtol=1e-7, atol=1e-6)
    assert found[4:] == expected[4:]


def test_a_large_mean_takes_no_digits_away():
    values = 1e9 + np.arange(100_000) % 2
    assert _kernels.compute_number_statistics(values, None)[2:4] == (1e9 + 0.5, 25000.0)


@given(st.integers(0, 9999), st.integers(0, 20), st.integers(0, 9), st.booleans())
def test_stochastic_steps(seed, rows, width, weighted):
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(rows, width)) * (random.random((rows, width)) < 0.5)
    target, weights = random.normal(size=rows), random.random(rows) if weighted else np.ones(rows)
    start = random.normal(size=width + 1)
    expected = reference.stochastic_pass(matrix, target, weights, 0.05, start)
    own = weights if weighted else None
    dense = start.copy()
    assert _kernels.run_sgd_steps(np.ascontiguousarray(matrix), target, own, 0.05, dense)
    assert np.allclose(dense, expected, rtol=1e-10, atol=1e-12)
    starts = np.concatenate([[0], np.cumsum((matrix != 0).sum(axis=1))]).astype(np.int64)
    ids = np.nonzero(matrix)[1].astype(np.int32)
    sparse = start.copy()
    assert _kernels.run_sparse_sgd_steps(starts, ids, matrix[matrix != 0], target, own, 0.05, sparse)
    assert np.allclose(sparse, expected, rtol=1e-10, atol=1e-12)


def test_steps_that_leave_the_numbers_end():
    theta = np.ones(2)
    assert not _kernels.run_sgd_steps(np.full((200, 1), 1e100), np.zeros(200), None, 1e100, theta)
    with pytest.raises(ValueError, match="not below the number of columns"):
        _kernels.run_sparse_sgd_steps(
            np.array([0, 1]), np.array([1], np.int32), np.ones(1), np.ones(1), None, 1.0, theta
        )
    with pytest.raises(ValueError, match="theta and columns"):
        _kernels.run_sgd_steps(np.ones((1, 2)), np.ones(1), None, 1.0, theta)


@pytest.mark.parametrize("rows", [1, 511, 512, 513, 5000])
def test_the_weight_of_all_rows_is_exact(rows):
    """Values are multiplied by roots of weights, whose squares would miss the last digits of these."""
    weights = np.arange(rows) % 7 + 3.0
    found = asked([(np.arange(float(rows)), 0.0, 1.0, False)], weights, rows, 2)
    assert found[-1, -1] == weights.sum()
    assert found[0, 1] == pytest.approx((weights * np.arange(rows)).sum(), rel=1e-13)
    assert np.array_equal(found, asked([(np.arange(float(rows)), 0.0, 1.0, False)], weights, rows, 1))
