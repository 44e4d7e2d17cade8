"""Statistics of bags: fast and simple versions agree, with any missing values, in any order."""

from itertools import pairwise

import numpy as np
import pytest

from hedgerow.data.bags.figures import BagStatistics, level_shares, modes, runs
from hedgerow.data.bags.summary import NUMBERS
from tests.reference import bags as reference_bags


def random_bags(seed, whole=False):
    random = np.random.default_rng(seed)
    sizes = random.integers(0, 7, 200)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    values = random.integers(-3, 4, offsets[-1]).astype(float) if whole else random.normal(0, 100, offsets[-1])
    values[random.random(len(values)) < 0.2] = np.nan
    return values, offsets


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("name", NUMBERS)
def test_figures_equal_the_plain_ones(name, whole):
    values, offsets = random_bags(3, whole)
    found = getattr(BagStatistics(values, offsets), name)
    wanted = [reference_bags.figure(name, values[a:b].tolist()) for a, b in pairwise(offsets)]
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


def test_codes_equal_the_plain_ones():
    random = np.random.default_rng(5)
    _, offsets = random_bags(5)
    codes = random.integers(-1, 4, offsets[-1]).astype(np.int32)
    pairs = list(pairwise(offsets))
    assert modes(codes, offsets, 4).tolist() == [reference_bags.mode(codes[a:b].tolist()) for a, b in pairs]
    shares = level_shares(codes, offsets, 4)
    wanted = [[reference_bags.share(codes[a:b].tolist(), level) for level in range(4)] for a, b in pairs]
    np.testing.assert_allclose(shares, wanted)


def test_the_bag_of_the_lecture():
    """G108: the bag (1,5), (3,5), (2,8)."""
    offsets = np.array([0, 3])
    first, second = BagStatistics(np.array([1.0, 3.0, 2.0]), offsets), BagStatistics(np.array([5.0, 5.0, 8.0]), offsets)
    assert (first.mean[0], second.mean[0]) == (2, 6)
    assert (first.min[0], second.min[0]) == (1, 5)
    assert (first.max[0], second.max[0]) == (3, 8)
    assert second.mode[0] == 5


@pytest.mark.parametrize("name", NUMBERS)
def test_the_order_of_the_instances_does_not_matter(name):
    values, offsets = random_bags(7)
    random, shuffled = np.random.default_rng(1), values.copy()
    for start, stop in pairwise(offsets):
        shuffled[start:stop] = random.permutation(values[start:stop])
    one, other = getattr(BagStatistics(values, offsets), name), getattr(BagStatistics(shuffled, offsets), name)
    np.testing.assert_array_equal(one, other)


def test_decimals_stay_decimals():
    tenths = BagStatistics(np.array([0.1, 0.2, 0.3, 0.3, 0.2, 0.1]), np.array([0, 3, 6]))
    assert tenths.mean.tolist() == [0.2, 0.2]
    assert tenths.sum.tolist() == [0.6, 0.6]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NUMBERS)
def test_the_largest_and_the_least_numbers_give_numbers(name):
    large = np.array([1.7e308, 1.7e308, -1.7e308, 1e-320, 0.0, -1e-320, 5e-324])
    found = getattr(BagStatistics(large, np.array([0, 2, 3, 3, 6, 7])), name)
    assert np.isfinite(found[[0, 1, 3, 4]]).all()
    if name != "count":
        assert np.isnan(found[2])
    values = BagStatistics(large, np.array([0, 2, 3, 3, 6, 7]))
    assert (values.mean[0], values.mean[1]) == (1.7e308, -1.7e308)


def test_no_bags_and_only_empty_bags():
    nothing = np.array([])
    assert BagStatistics(nothing, np.array([0])).mean.shape == (0,)
    for name in NUMBERS:
        found = getattr(BagStatistics(nothing, np.array([0, 0, 0])), name)
        np.testing.assert_array_equal(found, [0, 0] if name == "count" else [np.nan, np.nan])
    assert modes(np.array([], dtype=np.int32), np.array([0, 0]), 3).tolist() == [-1]
    assert runs(np.add, np.ones((3, 2)), np.array([0, 0, 3, 3]), 7.0).tolist() == [[7, 7], [3, 3], [7, 7]]
