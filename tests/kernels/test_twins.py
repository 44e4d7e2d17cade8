"""Every kernel equals its reference implementation on random input."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import _kernels
from hedgerow.layout import rounding
from tests.reference import core as reference

FINITE = st.floats(min_value=-1e150, max_value=1e150, allow_nan=False)


@st.composite
def labelled(draw, values, classes=3):
    rows = draw(st.lists(st.tuples(values, st.integers(-1, classes - 1)), max_size=40))
    label = np.array([row[1] for row in rows], dtype=np.int32)
    weight = draw(st.one_of(st.none(), st.lists(st.floats(0.01, 100), min_size=len(rows), max_size=len(rows))))
    return [row[0] for row in rows], label, None if weight is None else np.array(weight, dtype=np.float64)


@given(labelled(st.integers(-1, 3)))
def test_level_counts(case):
    code, label, weight = np.array(case[0], dtype=np.int32), case[1], case[2]
    found = _kernels.count_levels(code, label, weight, 4, 3).reshape(5, 3)
    assert found == pytest.approx(reference.count_levels(code, label, weight, 4, 3))


@given(labelled(st.one_of(FINITE, st.just(float("nan")))))
def test_moments_are_exact(case):
    value, label, weight = np.array(case[0], dtype=np.float64), case[1], case[2]
    sums = np.zeros(3 * 3 * _kernels.LIMBS, dtype=np.int64)
    assert _kernels.add_moments(value, label, weight, sums)
    present, mean, squares = _kernels.compute_mean_and_squares(sums)
    together = reference.moments(value, np.minimum(label, 0), weight, 1)
    for klass, (n, exact_mean, exact_squares) in enumerate(reference.moments(value, label, weight, 3) + together):
        assert present[klass] == pytest.approx(n)
        if n:
            assert mean[klass] == pytest.approx(exact_mean, rel=1e-15, abs=1e-300)
            own = label == klass if klass < 3 else label >= 0
            largest = np.abs(value[own & ~np.isnan(value)]).max()
            assert squares[klass] == pytest.approx(exact_squares, rel=1e-14, abs=1e-30 * n * largest**2 + 1e-280)


@given(labelled(st.one_of(FINITE, st.just(float("nan")))), st.randoms())
def test_moments_do_not_depend_on_the_order_or_the_batches(case, random):
    value, label, weight = np.array(case[0], dtype=np.float64), case[1], case[2]
    rows = list(range(len(value)))
    random.shuffle(rows)
    cut = random.randint(0, len(rows))
    whole = np.zeros(3 * 3 * _kernels.LIMBS, dtype=np.int64)
    parts = np.zeros_like(whole)
    _kernels.add_moments(value, label, weight, whole)
    for some in (np.array(rows[:cut], dtype=np.int64), np.array(rows[cut:], dtype=np.int64)):
        one = np.zeros_like(whole)
        held = None if weight is None else weight[some]
        _kernels.add_moments(value[some], label[some], held, one)
        parts += one
    _kernels.propagate_carries(parts)
    assert (parts == whole).all()


def test_moments_survive_many_rows_and_wild_scales():
    random = np.random.default_rng(0)
    value = random.normal(size=5000) * 10.0 ** random.integers(-100, 100, 5000)
    label = np.zeros(5000, dtype=np.int32)
    sums = np.zeros(3 * _kernels.LIMBS, dtype=np.int64)
    _kernels.add_moments(value, label, None, sums)
    _, mean, squares = _kernels.compute_mean_and_squares(sums)
    ((_, exact_mean, exact_squares),) = reference.moments(value, label, None, 1)
    assert mean[0] == exact_mean
    assert squares[0] == pytest.approx(exact_squares, rel=1e-15)


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e151])
def test_moments_refuse_what_cannot_be_squared(value):
    sums = np.zeros(3 * _kernels.LIMBS, dtype=np.int64)
    assert not _kernels.add_moments(np.array([value]), np.zeros(1, dtype=np.int32), None, sums)


@given(labelled(st.sampled_from([0.0, -0.0, 1.5, -2.0, 1e300, float("nan"), 7.0])), st.integers(0, 6))
def test_distinct_values(case, most):
    value, label = np.array(case[0], dtype=np.float64), case[1]
    found, rows, many = _kernels.count_distinct_values(value, label, most)
    expected, counts = np.unique(value[(label >= 0) & ~np.isnan(value)], return_counts=True)
    assert many == (len(expected) > most)
    assert many or (found.tolist(), rows.tolist()) == (expected.tolist(), counts.tolist())


@given(st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=2), max_size=30), st.floats(0.5, 8))
def test_bucket_ends(weights, least):
    table = np.array(weights, dtype=np.float64).reshape(-1, 2)
    assert _kernels.find_interval_ends(table, least).tolist() == reference.bucket_ends(table, least)


@given(st.lists(st.binary(max_size=9), min_size=1, max_size=9), st.data())
def test_gather_bytes(words, data):
    rows = np.array(data.draw(st.lists(st.integers(0, len(words) - 1), max_size=20)), dtype=np.int64)
    offsets = np.cumsum([0, *map(len, words)]).astype(np.int64)
    out, ends = _kernels.gather_bytes(np.frombuffer(b"".join(words), dtype=np.uint8), offsets, rows)
    assert [bytes(out[a:b]) for a, b in pairwise(ends)] == [words[row] for row in rows]


@given(st.integers(0, 20), st.integers(1, 4), st.integers(0, 10_000))
@settings(max_examples=50)
def test_scores(rows, classes, seed):
    random = np.random.default_rng(seed)
    start = random.normal(size=(rows, classes))
    code = random.integers(-1, 4, rows).astype(np.int32)
    evidence = random.normal(size=(4, classes))
    value = np.where(random.random(rows) < 0.2, np.nan, random.normal(size=rows))
    mean = random.normal(size=classes)
    points, shares = np.sort(random.normal(size=5)), random.random((5, classes))
    width = random.random(classes) + 0.1
    for kernel, twin, parts in (
        (_kernels.add_level_scores, reference.add_level_scores, (code, evidence)),
        (_kernels.add_normal_scores, reference.add_normal_scores, (value, mean, width)),
        (_kernels.add_kernel_scores, reference.add_kernel_scores, (value, points, shares, width)),
    ):
        found = start.copy()
        kernel(*parts, found)
        assert found == pytest.approx(twin(*parts, start), rel=1e-9)


@given(st.integers(0, 20), st.integers(1, 9), st.integers(0, 10_000))
@settings(max_examples=50)
def test_log_scores_become_shares(rows, classes, seed):
    random = np.random.default_rng(seed)
    scores = np.where(random.random((rows, classes)) < 0.2, -np.inf, random.normal(size=(rows, classes)) * 1000)
    none = np.isneginf(scores).all(axis=1)
    found = scores.copy()
    assert _kernels.subtract_best(found) == none.any()
    assert np.isneginf(found[none]).all()
    assert (found[~none] == scores[~none] - scores[~none].max(axis=1, keepdims=True)).all()
    weights = np.exp(found[~none])
    shares = weights.copy()
    _kernels.divide_by_sum(shares)
    assert shares == pytest.approx(weights / weights.sum(axis=1, keepdims=True), rel=1e-15)


def test_distinct_values_beyond_the_first_hundreds():
    value = np.random.default_rng(0).integers(-600, 600, 20_000) / 8  # some whole, most not
    found, rows, many = _kernels.count_distinct_values(value, np.zeros(len(value), dtype=np.int32), 1200)
    expected, counts = np.unique(value, return_counts=True)
    assert not many
    assert (found.tolist(), rows.tolist()) == (expected.tolist(), counts.tolist())


def test_codes_out_of_range_are_refused():
    code, label = np.array([5], dtype=np.int32), np.array([0], dtype=np.int32)
    with pytest.raises(IndexError):
        _kernels.count_levels(code, label, None, 4, 1)
    with pytest.raises(IndexError):
        _kernels.count_levels(label, code, None, 4, 1)
    with pytest.raises(IndexError):
        _kernels.add_level_scores(code, np.zeros((4, 1)), np.zeros((1, 1)))
    with pytest.raises(IndexError):
        _kernels.gather_bytes(np.zeros(1, dtype=np.uint8), np.array([0, 1]), np.array([1]))


def test_a_wrong_type_is_refused_not_copied():
    with pytest.raises(TypeError):
        _kernels.count_levels(np.array([0]), np.array([0]), None, 1, 1)
    with pytest.raises(ValueError, match="differ in length"):
        _kernels.count_levels(np.zeros(2, dtype=np.int32), np.zeros(1, dtype=np.int32), None, 1, 1)


numbers = st.floats(allow_nan=True, allow_infinity=True) | st.decimals(-1000, 1000, places=3).map(float)


@given(st.lists(st.tuples(numbers, st.floats(1e-12, 1e12) | st.sampled_from([0.0, 1e-5, 1.0])), max_size=20))
def test_near(pairs):
    value, tolerance = (np.array([pair[i] for pair in pairs], dtype=np.float64) for i in range(2))
    expected = [rounding.round_within(*pair) for pair in pairs]
    assert np.array_equal(
        _kernels.find_shortest_decimals(value, tolerance), np.array(expected, dtype=np.float64), equal_nan=True
    )


@given(st.lists(numbers, max_size=20), st.integers(1, 17))
def test_significant(values, digits):
    expected = [rounding.round_digits(value, digits) for value in values]
    found = _kernels.round_significant(np.array(values, dtype=np.float64), digits)
    assert np.array_equal(found, np.array(expected, dtype=np.float64), equal_nan=True)
