"""Sums of terms by class, and scores of terms, against dense NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import _kernels
from hedgerow.data.table.level_positions import LevelPositions
from hedgerow.data.text.class_terms import ClassRows, ClassTerms
from hedgerow.data.text.term_vectors import TermVectors


def vectors(matrix, dtype=np.float64):
    """Return a dense matrix as sparse rows; zeros may be among the entries."""
    kept = matrix != 0
    starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))]).astype(np.int64)
    return TermVectors(starts, np.nonzero(kept)[1].astype(np.int32), matrix[kept].astype(dtype), matrix.shape[1])


def drawn(seed, n_rows, n_terms, n_classes):
    random = np.random.default_rng(seed)
    matrix = random.integers(0, 4, (n_rows, n_terms)) * (random.random((n_rows, n_terms)) < 0.4)
    shares = random.integers(0, 3, (n_rows, n_classes)) / 2
    return random, matrix, shares


SIZES = (st.integers(0, 9999), st.integers(0, 12), st.integers(0, 9), st.integers(1, 4))


@given(*SIZES, st.sampled_from([np.float64, np.int32]))
def test_sums_by_class(seed, n_rows, n_terms, n_classes, dtype):
    _, matrix, shares = drawn(seed, n_rows, n_terms, n_classes)
    rows = vectors(matrix, dtype)
    found = ClassTerms.of(rows, rows.values, np.ones(n_rows, dtype=np.bool_), ClassRows.soft(shares))
    assert np.array_equal(found.dense(), matrix.T @ shares)
    assert (found.amounts > 0).all()
    assert np.array_equal(found.totals, (matrix.T @ shares).sum(axis=0))
    assert np.array_equal(found.term_totals, (matrix.T @ shares).sum(axis=1))
    assert np.array_equal(found.texts, shares.sum(axis=0))


@given(*SIZES)
def test_codes_are_shares(seed, n_rows, n_terms, n_classes):
    random, matrix, _ = drawn(seed, n_rows, n_terms, n_classes)
    codes = random.integers(-1, n_classes, n_rows).astype(np.int32)
    weights = random.integers(1, 4, n_rows).astype(np.float64)
    shares = np.where(codes[:, None] == np.arange(n_classes), weights[:, None], 0.0)
    one, other = ClassRows.of(codes, n_classes, weights), ClassRows.soft(shares)
    for name in ("starts", "rows", "shares"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
    rows, present = vectors(matrix), random.random(n_rows) < 0.5
    assert np.array_equal(ClassTerms.of(rows, rows.values, present, one).texts, shares[present].sum(axis=0))


@given(*SIZES, st.sampled_from([1.0, -1.0, 0.5]))
def test_sums_are_added_at_their_places(seed, n_rows, n_terms, n_classes, factor):
    random, matrix, shares = drawn(seed, n_rows, n_terms, n_classes)
    rows, everywhere = vectors(matrix), np.ones(n_rows, dtype=np.bool_)
    whole = ClassTerms.of(rows, rows.values, everywhere, ClassRows.soft(shares))
    part = ClassTerms.of(rows, rows.values, everywhere, ClassRows.soft(shares * (random.random((n_rows, 1)) < 0.5)))
    n_places = n_terms + 3
    first, second = (np.sort(random.choice(n_places, n_terms, replace=False)).astype(np.int64) for _ in range(2))
    expected = np.zeros((n_places, n_classes))
    expected[first] += whole.dense()
    expected[second] += factor * part.dense()
    both = whole.plus(first, part, second, n_places, factor)
    assert np.array_equal(both.dense(), expected)
    assert (both.amounts != 0).all()


@given(*SIZES)
def test_some_terms_and_more_classes(seed, n_rows, n_terms, n_classes):
    random, matrix, shares = drawn(seed, n_rows, n_terms, n_classes)
    rows = vectors(matrix)
    found = ClassTerms.of(rows, rows.values, np.ones(n_rows, dtype=np.bool_), ClassRows.soft(shares))
    keep = random.random(n_terms) < 0.5
    assert np.array_equal(found.select(keep).dense(), found.dense()[keep])
    places = LevelPositions(random.permutation(n_classes + 2)[:n_classes].tolist(), n_classes + 2)
    more = found.recode(places)
    assert np.array_equal(more.dense()[:, places.known], found.dense())
    assert np.array_equal(more.texts[places.known], found.texts)
    ends = set(more.starts.tolist())
    assert all(i in ends or more.classes[i - 1] < more.classes[i] for i in range(1, len(more.classes)))


@given(*SIZES, st.integers(1, 3), st.booleans(), st.sampled_from([np.float64, np.int32]))
def test_scores_of_terms(seed, n_rows, n_terms, n_classes, threads, heights, dtype):
    random, matrix, shares = drawn(seed, n_rows, n_terms, n_classes)
    rows = vectors(matrix, dtype)
    found = ClassTerms.of(rows, rows.values, np.ones(n_rows, dtype=np.bool_), ClassRows.soft(shares))
    more, level, slope = random.random(len(found.amounts)), random.random(n_classes), random.random(n_classes)
    height, strict = random.random(n_terms if heights else 0), random.random(n_classes) < 0.3
    dense = np.tile(level, (n_terms, 1)) + (np.outer(height, slope) if heights else 0)
    has = found.dense() > 0
    dense[found.terms, found.classes] += more
    scores = np.zeros((n_rows, n_classes))
    known = np.zeros(n_rows, dtype=np.bool_)
    _kernels.add_term_scores(
        *(rows.row_starts, rows.ids, rows.values, found.starts, found.classes, more, height, slope, level, strict),
        *(scores, known, threads),
    )
    expected = matrix @ dense
    impossible = strict & ((matrix > 0).astype(int) @ ~has > 0)
    assert np.isneginf(scores).tolist() == impossible.tolist()
    assert np.allclose(scores[~impossible], expected[~impossible])
    assert known.tolist() == (matrix.sum(axis=1) > 0).tolist()


def test_a_value_of_zero_is_no_term():
    """As plain idf gives it to terms that all texts have, which may be infinitely unlikely elsewhere."""
    scores, known = np.zeros((1, 1)), np.ones(1, dtype=np.bool_)
    one, none = np.array([0, 1], dtype=np.int64), np.empty(0)
    empty = np.array([0, 0], dtype=np.int64), np.empty(0, dtype=np.int32), none
    arguments = none, np.zeros(1), np.zeros(1), np.array([True])
    _kernels.add_term_scores(one, np.zeros(1, dtype=np.int32), np.zeros(1), *empty, *arguments, scores, known, 1)
    assert scores.tolist() == [[0.0]]
    assert known.tolist() == [False]


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_threads_change_nothing(threads):
    random = np.random.default_rng(1)
    matrix = random.random((3000, 300)) * (random.random((3000, 300)) < 0.5)
    rows = vectors(matrix)
    members = ClassRows.of(random.integers(0, 5, 3000).astype(np.int32), 5)
    sums = [
        _kernels.sum_by_class(
            *(rows.row_starts, rows.ids, rows.values, members.starts, members.rows, members.shares, 300, n)
        )
        for n in (1, threads)
    ]
    for one, other in zip(*sums, strict=True):
        assert np.array_equal(one, other)


def test_wrong_arrays_are_refused():
    starts, ids, values = np.array([0, 1], dtype=np.int64), np.array([7], dtype=np.int32), np.ones(1)
    rows, shares = np.zeros(1, dtype=np.int64), np.ones(1)
    with pytest.raises(ValueError, match="out of range"):
        _kernels.sum_by_class(starts, ids, values, starts, rows, shares, 3, 1)
    with pytest.raises(ValueError, match="no such row"):
        _kernels.sum_by_class(starts, ids, values, starts, rows + 1, shares, 8, 1)
    two, none = np.array([0, 0, 0], dtype=np.int64), (np.empty(0, dtype=np.int32), np.empty(0))
    with pytest.raises(ValueError, match="ascend"):
        _kernels.add_class_sums(two, *none, np.array([1, 0], dtype=np.int64), two[:1], *none, rows[:0], 1.0, 2)


@given(*SIZES)
def test_sums_of_weighted_rows(seed, n_rows, n_terms, n_classes):
    _, matrix, shares = drawn(seed, n_rows, n_terms, n_classes)
    rows, weights = vectors(matrix, np.int32), shares.sum(axis=1)
    with_term, totals = _kernels.sum_weighted_rows(rows.row_starts, rows.ids, rows.values, weights, n_terms)
    assert np.array_equal(with_term, (matrix > 0).T @ weights)
    assert np.array_equal(totals, matrix.T @ weights)


def test_weighted_rows_that_do_not_fit_are_refused():
    starts, ids, counts = np.array([0, 1, 2]), np.array([0, 1], np.int32), np.array([1, 1], np.int32)
    with pytest.raises(ValueError, match="rows and weights"):
        _kernels.sum_weighted_rows(starts, ids, counts, np.ones(3), 2)
    with pytest.raises(ValueError, match="ids and counts"):
        _kernels.sum_weighted_rows(starts, ids, counts[:1], np.ones(2), 2)
    with pytest.raises(ValueError, match="no such term"):
        _kernels.sum_weighted_rows(starts, ids, counts, np.ones(2), 1)
