"""The kernel of dual coordinate descent compared with its reference implementation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from hedgerow import _kernels
from tests.reference.linear_machines import descended


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), machines=st.integers(1, 19), squared=st.booleans(), threads=st.integers(1, 3))
@example(seed=2, machines=14, squared=False, threads=1)
def test_twin(seed: int, machines: int, squared: bool, threads: int) -> None:
    """Machines side by side end where each ends alone."""
    random = np.random.default_rng(seed)
    rows, width = int(random.integers(1, 15)), int(random.integers(1, 6))
    matrix = random.normal(size=(rows, width)) * (random.uniform(size=(rows, width)) < 0.6)
    signs = random.choice(np.array([-1, 0, 1], dtype=np.int8), (rows, machines), p=[0.45, 0.1, 0.45])
    bounds = random.uniform(0.1, 2, rows)
    weights, alphas, b = np.zeros((width, machines)), np.zeros((rows, machines)), np.zeros(machines)
    sparse = csr_array(matrix)
    passes = _kernels.run_dual_coordinate_descent(
        sparse.indptr.astype(np.int64),
        sparse.indices.astype(np.int32),
        sparse.data,
        signs,
        bounds,
        squared,
        0.3,
        1e-3,
        40,
        seed,
        weights,
        alphas,
        b,
        threads,
    )
    for m in range(machines):
        plain = descended(
            matrix,
            signs[:, m].astype(np.float64),
            bounds,
            squared=squared,
            rho=0.3,
            tolerance=1e-3,
            most_passes=40,
            seed=seed,
        )
        if plain[4] < 1e-12:
            continue  # rounding decides
        assert passes[m] == plain[3]
        assert weights[:, m] == pytest.approx(plain[0], abs=1e-9)
        assert alphas[:, m] == pytest.approx(plain[1], abs=1e-9)
        assert b[m] == pytest.approx(plain[2], abs=1e-9)


def test_lengths_are_checked() -> None:
    """Arrays that do not belong together are refused."""
    starts, ids, data = np.array([0, 1]), np.array([3], dtype=np.int32), np.ones(1)
    signs, aims = np.ones((1, 1), dtype=np.int8), (False, 1.0, 1e-3, 10, 1)
    with pytest.raises(ValueError, match="not below the number of places"):
        _kernels.run_dual_coordinate_descent(
            starts, ids, data, signs, np.ones(1), *aims, np.zeros((2, 1)), np.zeros((1, 1)), np.zeros(1), 1
        )
    with pytest.raises(ValueError, match="alphas and bounds"):
        _kernels.run_dual_coordinate_descent(
            starts, ids, data, signs, np.ones(1), *aims, np.zeros((4, 1)), np.zeros((2, 1)), np.zeros(1), 1
        )
