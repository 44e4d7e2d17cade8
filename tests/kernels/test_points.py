"""Rows as points, and cluster statistics: the kernels compared with plain NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import _kernels


def plain_points(arrays, tables, widths, centers, factors, gaps):
    """Place by place."""
    out = []
    for array, table, width in zip(arrays, tables, widths, strict=True):
        at = len(out)
        if table is None:
            missing = np.isnan(array)
            out.append(np.where(missing, gaps[at], (array - centers[at]) * factors[at]))
            if width == 2:
                out.append((missing - centers[at + 1]) * factors[at + 1])
            continue
        places = table[array]
        for place in range(width):
            one = ((places == place) - centers[at + place]) * factors[at + place]
            out.append(np.where(places < 0, gaps[at + place], one))
    return np.column_stack(out)


@st.composite
def tables(draw):
    chance = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = draw(st.integers(1, 3000))
    arrays, codes, widths = [], [], []
    for kind in draw(st.lists(st.sampled_from(["number", "gaps", "level"]), min_size=1, max_size=5)):
        if kind == "level":
            levels = int(chance.integers(1, 5))
            table = np.append(np.arange(levels), -1).astype(np.int32)
            table[int(chance.integers(0, levels))] = -1  # a level without a place
            arrays.append(chance.integers(-1, levels, rows).astype(np.int32))
            codes.append(table)
            widths.append(levels)
        else:
            values = chance.normal(size=rows)
            values[chance.random(rows) < 0.2] = np.nan
            arrays.append(values)
            codes.append(None)
            widths.append(2 if kind == "gaps" else 1)
    width = sum(widths)
    return arrays, codes, widths, *(chance.normal(size=width) for _ in range(3))


@settings(max_examples=40, deadline=None)
@given(tables())
def test_points_are_laid_out(table):
    rows, width = len(table[0][0]), sum(table[2])
    plain = plain_points(*table)
    for threads in (1, 2):
        out = np.full((rows, width), np.nan)
        assert _kernels.fill_design_points(*table, 1e150, out, threads)
        assert (out == plain).all()


@pytest.mark.parametrize("odd", [np.inf, -np.inf, 1e200])
def test_what_is_beyond_is_told(odd):
    values = np.arange(5000.0)
    values[4321] = odd
    one = np.ones(1)
    out = np.empty((5000, 1))
    assert not _kernels.fill_design_points([values], [None], [1], 0 * one, one, one, 1e150, out, 2)


@pytest.mark.parametrize("weighed", [False, True])
def test_figures_of_clusters(weighed):
    chance = np.random.default_rng(5)
    values, codes = chance.normal(size=2000) + 1e8, chance.integers(0, 4, 2000).astype(np.int32)
    values[chance.random(2000) < 0.1] = np.nan
    weights = chance.random(2000) + 0.1 if weighed else np.ones(2000)
    known, means, squares = _kernels.compute_cluster_statistics(values, codes, weights if weighed else None, 5)
    assert known[4] == means[4] == squares[4] == 0
    for cluster in range(4):
        own = (codes == cluster) & ~np.isnan(values)
        mean = np.average(values[own], weights=weights[own])
        assert known[cluster] == pytest.approx(weights[own].sum(), rel=1e-12)
        assert means[cluster] == pytest.approx(mean, rel=1e-15)
        assert squares[cluster] == pytest.approx(weights[own] @ (values[own] - mean) ** 2, rel=1e-7)


def test_arrays_that_do_not_fit_are_refused():
    one = np.ones(1)
    with pytest.raises(ValueError, match="differ in places"):
        _kernels.fill_design_points([np.ones(3)], [None], [1], np.ones(2), one, one, 1e150, np.empty((3, 1)), 1)
    with pytest.raises(ValueError, match="differ in length"):
        _kernels.fill_design_points([np.ones(2)], [None], [1], one, one, one, 1e150, np.empty((3, 1)), 1)
    with pytest.raises(ValueError, match="not below the number of clusters"):
        _kernels.compute_cluster_statistics(np.ones(2), np.array([0, 3], dtype=np.int32), None, 3)
