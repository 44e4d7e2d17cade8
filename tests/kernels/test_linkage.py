"""Merges of the linkage kernels compared with the reference implementation, SciPy and worked examples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import pdist

from hedgerow import _kernels
from tests.reference import linkage as twin

LINKAGES = ("single", "complete", "average", "centroid", "group", "ward")
CENTERED = ("centroid", "ward")


def all_ways(linkage: str, points: Any, weights: Any, cityblock: bool = False) -> dict[str, Any]:
    """Return the merges by every kernel that makes them."""
    number = LINKAGES.index(linkage)
    upper = np.triu_indices(len(points), 1)
    given = np.ascontiguousarray(twin.distances(points, cityblock)[upper])
    out = {"given": _kernels.link_distances(given, weights, number)}
    if linkage == "single":
        out["tree"] = _kernels.link_tree(points, cityblock)
    out["sparse"] = _kernels.link_sparse(*entries(points), weights, cityblock, number, False, 2)
    if linkage in CENTERED:
        out["centers"] = _kernels.link_centers(points, weights, linkage == "ward")
    else:
        out["pairs"] = _kernels.link_pairs(points, weights, cityblock, number, False, 2)
    return out


def entries(points: Any) -> tuple[Any, Any, Any]:
    """Return where the entries of each row begin, their places and values."""
    rows, places = np.nonzero(points)
    starts = np.searchsorted(rows, np.arange(len(points) + 1)).astype(np.int64)
    return starts, places.astype(np.int32), points[rows, places]


G104 = {
    "single": [1, 2, 4],
    "complete": [1, 3, 7],
    "average": [1, 2.5, 17 / 3],
    "centroid": [1, 2.5, 17 / 3],
    "group": [1, 2, 23 / 6],
    "ward": [0.5, 25 / 6, 289 / 12],
}


@pytest.mark.parametrize("linkage", LINKAGES)
def test_worked_example(linkage: str) -> None:
    """G104: 0, 1, 3, 7 are merged in this order by every linkage, at these heights."""
    points = np.array([[0.0], [1.0], [3.0], [7.0]])
    ways = all_ways(linkage, points, np.ones(4))
    for first, second, heights in ways.values():
        assert first.tolist() == [0, 0, 0]
        assert second.tolist() == [1, 2, 3]
        np.testing.assert_allclose(heights, G104[linkage], rtol=1e-14)
    plain = twin.merges(linkage, twin.distances(points), np.ones(4), points)
    np.testing.assert_allclose([height for _, _, height in plain], G104[linkage], rtol=1e-14)


@pytest.mark.parametrize("cityblock", [False, True])
@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("seed", range(3))
def test_twin(linkage: str, cityblock: bool, seed: int) -> None:
    """The kernels make the merges of the definition, with weights."""
    if cityblock and linkage in CENTERED:
        pytest.skip("has centers")
    random = np.random.default_rng(seed)
    points = random.normal(size=(36 + seed, 1 + seed))
    weights = random.integers(1, 4, len(points)).astype(float) if seed else random.uniform(0.2, 3, len(points))
    plain = twin.merges(linkage, twin.distances(points, cityblock), weights, points)
    for first, second, heights in all_ways(linkage, points, weights, cityblock).values():
        assert list(zip(first.tolist(), second.tolist(), strict=True)) == [merge[:2] for merge in plain]
        np.testing.assert_allclose(heights, [merge[2] for merge in plain], rtol=1e-9)


@pytest.mark.parametrize("linkage", ["single", "complete"])
@pytest.mark.parametrize("seed", range(6))
def test_ties(linkage: str, seed: int) -> None:
    """Of equally close pairs the one with the lowest rows comes first; these linkages know no rounding."""
    random = np.random.default_rng(seed)
    points = random.permutation(np.unique(random.integers(0, 5, size=(40, 2)).astype(float), axis=0))
    weights = np.ones(len(points))
    plain = twin.merges(linkage, twin.distances(points), weights, points)
    for first, second, heights in all_ways(linkage, points, weights).values():
        assert list(zip(first.tolist(), second.tolist(), heights.tolist(), strict=True)) == plain


@pytest.mark.parametrize("linkage", [name for name in LINKAGES if name != "group"])
@pytest.mark.parametrize("shape", [(2, 1), (33, 3), (700, 6)])
def test_scipy(linkage: str, shape: tuple[int, int]) -> None:
    """Heights are scipy's, ward's as sqrt(2 * height)."""
    points = np.random.default_rng(shape[0]).normal(size=shape)
    expected = scipy_linkage(pdist(points), linkage)[:, 2]
    for _, _, heights in all_ways(linkage, points, np.ones(len(points))).values():
        told = np.sqrt(2 * heights) if linkage == "ward" else heights
        np.testing.assert_allclose(np.sort(told), np.sort(expected), rtol=1e-9)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_weights_are_repeated_rows(linkage: str) -> None:
    """A row of weight 3 gives the heights of three equal rows, but for their own merges at 0."""
    random = np.random.default_rng(5)
    points, weights = random.normal(size=(20, 2)), random.integers(1, 4, 20).astype(float)
    repeated = np.repeat(points, weights.astype(int), axis=0)
    many = all_ways(linkage, np.ascontiguousarray(repeated), np.ones(len(repeated)))
    for name, (_, _, heights) in all_ways(linkage, points, weights).items():
        again = np.sort(many[name][2])
        assert not again[: len(repeated) - 20].any()
        np.testing.assert_allclose(np.sort(heights), again[len(repeated) - 20 :], rtol=1e-6, atol=1e-7)


def test_centroid_turns_back() -> None:
    """The corners of a nearly equilateral triangle: the second height is below the first."""
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]])
    heights = _kernels.link_centers(points, np.ones(3), False)[2]
    np.testing.assert_allclose(heights, [1, 0.9])


def test_single_precision() -> None:
    """Distances in single precision give nearly the same heights."""
    points = np.random.default_rng(2).normal(size=(200, 4))
    short, long = (_kernels.link_pairs(points, np.ones(200), False, 2, short, 1)[2] for short in (True, False))
    np.testing.assert_allclose(short, long, rtol=1e-5)


@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows(rows: int) -> None:
    """Without two rows nothing is merged."""
    points, weights = np.zeros((rows, 2)), np.ones(rows)
    for linkage in LINKAGES:
        for found in all_ways(linkage, points, weights).values():
            assert [len(part) for part in found] == [0, 0, 0]


def test_bad_input() -> None:
    """What has no distance is refused."""
    points, weights = np.array([[0.0], [np.nan]]), np.ones(2)
    with pytest.raises(ValueError, match="missing or infinite"):
        _kernels.link_tree(points, False)
    with pytest.raises(ValueError, match="not above 0"):
        _kernels.link_centers(np.zeros((2, 1)), np.array([1.0, 0.0]), True)
    with pytest.raises(ValueError, match="differ in length"):
        _kernels.link_centers(np.zeros((2, 1)), np.ones(3), True)
    with pytest.raises(ValueError, match="no such linkage"):
        _kernels.link_distances(np.ones(1), weights, 6)
    with pytest.raises(ValueError, match="do not fit"):
        _kernels.link_distances(np.ones(2), weights, 0)
    with pytest.raises(ValueError, match="negative"):
        _kernels.link_distances(np.array([-1.0]), weights, 0)


@pytest.mark.parametrize("cityblock", [False, True])
@pytest.mark.parametrize("short", [False, True])
def test_sparse_points_have_the_same_distances(cityblock: bool, short: bool) -> None:
    """Complete linkage shows single distances: those from entries are those from all places, to the last bit."""
    random = np.random.default_rng(5)
    points = random.normal(size=(70, 50)) * (random.random((70, 50)) < 0.1)
    ones, number = np.ones(len(points)), LINKAGES.index("complete")
    dense = _kernels.link_pairs(points, ones, cityblock, number, short, 1)
    for threads in (1, 2):
        sparse = _kernels.link_sparse(*entries(points), ones, cityblock, number, short, threads)
        for one, other in zip(dense, sparse, strict=True):
            assert np.array_equal(one, other)


def test_sparse_points_are_checked() -> None:
    """Rows must not reach beyond the entries, and entries must be finite."""
    starts, places, values = np.array([0, 1, 3], dtype=np.int64), np.zeros(2, dtype=np.int32), np.ones(2)
    with pytest.raises(ValueError, match="offsets out of range"):
        _kernels.link_sparse(starts, places, values, np.ones(2), False, 0, False, 1)
    starts = np.array([0, 1, 2], dtype=np.int64)
    with pytest.raises(ValueError, match="missing or infinite"):
        _kernels.link_sparse(starts, places, values * np.inf, np.ones(2), False, 0, False, 1)
    with pytest.raises(ValueError, match="differ in length"):
        _kernels.link_sparse(starts, places[:1], values, np.ones(2), False, 0, False, 1)
