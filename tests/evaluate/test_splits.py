"""Folds partition the rows and spread every class evenly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import DataError, UsageError
from hedgerow.evaluate import splits

codes_lists = st.lists(st.integers(-1, 3), min_size=4, max_size=60).filter(
    lambda codes: sum(code >= 0 for code in codes) >= 4
)


@given(codes_lists, st.integers(2, 12), st.integers(0, 5))
def test_folds_partition_the_rows_that_have_a_class(codes, k, seed):
    codes = np.array(codes, dtype=np.int32)
    known = np.flatnonzero(codes >= 0)
    parts = list(splits.folds(codes, k, seed))
    assert np.array_equal(np.sort(np.concatenate([part.test for part in parts])), known)
    for part in parts:
        assert part.train.dtype == part.test.dtype == np.int64
        assert np.array_equal(np.sort(np.concatenate([part.train, part.test])), known)
        assert np.all(np.diff(part.train) > 0)
        assert np.all(np.diff(part.test) > 0)


@given(codes_lists, st.integers(2, 12))
def test_fold_sizes_and_class_counts_differ_by_at_most_one(codes, k):
    codes = np.array(codes, dtype=np.int32)
    counts = np.array([np.bincount(codes[part.test], minlength=4) for part in splits.folds(codes, k)])
    assert np.ptp(counts, axis=0).max() <= 1
    assert np.ptp(counts.sum(axis=1)) <= 1


def test_the_same_seed_gives_the_same_folds_and_another_seed_others():
    def tests(seed):
        return [part.test.tolist() for part in splits.folds(30, 3, seed)]

    assert tests(1) == tests(1)
    assert tests(1) != tests(2)


def test_the_folds_of_a_seed_never_change():
    assert [part.test.tolist() for part in splits.folds(6, 3, 1)] == [[1, 4], [0, 5], [2, 3]]


def test_runs_are_shuffled_anew_and_the_first_is_the_single_run():
    parts = list(splits.repeated_folds(20, 2, runs=3))
    single = list(splits.folds(20, 2))
    assert [(part.run, part.fold) for part in parts] == [(r, f) for r in range(3) for f in range(2)]
    assert parts[0].test.tolist() == single[0].test.tolist()
    assert parts[0].test.tolist() != parts[2].test.tolist()


def test_leave_one_out_tests_every_row_once():
    parts = list(splits.leave_one_out(np.array([0, 1, -1, 1], dtype=np.int32)))
    assert [part.test.tolist() for part in parts] == [[0], [1], [3]]
    assert [part.train.tolist() for part in parts] == [[1, 3], [0, 3], [0, 1]]


def test_a_holdout_takes_two_thirds_of_every_class():
    codes = np.repeat([0, 1], [60, 30]).astype(np.int32)
    (part,) = splits.holdout(codes)
    assert np.bincount(codes[part.train]).tolist() == [40, 20]
    assert np.bincount(codes[part.test]).tolist() == [20, 10]


@given(codes_lists, st.floats(0.01, 0.99))
def test_a_holdout_leaves_rows_on_both_sides_and_gives_each_class_its_share(codes, share):
    codes = np.array(codes, dtype=np.int32)
    (part,) = splits.holdout(codes, share)
    known = np.flatnonzero(codes >= 0)
    assert len(part.train) >= 1
    assert len(part.test) >= 1
    assert np.array_equal(np.sort(np.concatenate([part.train, part.test])), known)
    wanted = share * np.bincount(codes[known], minlength=4)
    assert np.abs(np.bincount(codes[part.train], minlength=4) - wanted).max() <= 1 + 1e-6


def test_three_parts_are_disjoint_and_hold_all_rows():
    codes = np.repeat([0, 1], [50, 50]).astype(np.int32)
    parts = splits.three_way(codes)
    assert [np.bincount(codes[part]).tolist() for part in parts] == [[30, 30], [10, 10], [10, 10]]
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(100))


def test_three_rows_make_three_parts():
    assert sorted(np.concatenate(splits.three_way(3)).tolist()) == [0, 1, 2]
    assert [len(part) for part in splits.three_way(3)] == [1, 1, 1]


def test_rows_without_a_number_are_in_no_part():
    parts = list(splits.folds(np.array([1.5, np.nan, 2, 3]), 2))
    assert sorted(np.concatenate([part.test for part in parts]).tolist()) == [0, 2, 3]


def test_more_folds_than_rows_means_one_row_a_fold_and_a_note():
    assert [len(part.test) for part in splits.folds(3, 10)] == [1, 1, 1]
    assert splits.fold_notes(3, 10) == (
        "10 folds were requested, but only 3 rows have a target: 3 folds of one row are used",
    )


def test_more_folds_than_members_of_a_class_is_said():
    codes = np.repeat([0, 2], [20, 3]).astype(np.int32)
    (note,) = splits.fold_notes(codes, 10)
    assert note.startswith("1 of 2 classes have fewer rows than the 10 folds (the smallest 3)")
    assert splits.fold_notes(codes, 3) == ()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: splits.folds(10, 1), UsageError, "at least 2, but is 1"),
        (lambda: splits.folds(1, 2), DataError, "at least two rows"),
        (lambda: splits.folds(10, 2, -1), UsageError, "seed must not be negative"),
        (lambda: splits.holdout(10, 1.5), UsageError, "between 0 and 1, but is 1.5"),
        (lambda: splits.holdout(1, 0.5), DataError, "needs 2 rows"),
        (lambda: splits.repeated_folds(10, 2, 0), UsageError, "runs must be at least 1"),
        (lambda: splits.three_way(10, 0.5, 0.5), UsageError, "between 0 and 1"),
        (lambda: splits.three_way(2), DataError, "three parts need three rows"),
    ],
)
def test_impossible_splits_are_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        list(call())
