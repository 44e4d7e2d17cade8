"""Tests of differences and ranks: published values, SciPy's, invariants, and bad input."""

import math

import numpy as np
import pytest
from scipy import stats

from hedgerow.errors import UsageError
from hedgerow.evaluate.learner_comparison.significance import (
    corrected_t_test,
    critical_difference,
    friedman,
    groups,
    ranks,
    studentized_range_quantile,
)

# Demsar (2006), table 6: AUC of C4.5 and its tuned variants m, cf and m+cf on 14 sets. Of the two that are printed as
# 0.975 he ranks the first one higher, hence 0.9751.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_the_published_comparison_of_four_learners_on_fourteen_sets():
    """Demsar's worked example: ranks 3.143, 2.000, 2.893, 1.964; chi2 9.28, F 3.69, critical difference 1.25."""
    ranked = ranks(DEMSAR, larger_is_better=True)
    assert ranked.mean(axis=0).round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    found = friedman(ranked)
    # He has no correction for ties, of which there are a few: chi2 is 9.28 without.
    plain = 12 * 14 / (4 * 5) * ((ranked.mean(axis=0) ** 2).sum() - 4 * 25 / 4)
    assert round(plain, 2) == 9.28
    assert found.chi2 == pytest.approx(stats.friedmanchisquare(*DEMSAR.T).statistic)
    assert found.chi2_p == pytest.approx(stats.friedmanchisquare(*DEMSAR.T).pvalue)
    assert found.p < 0.05
    assert round(critical_difference(4, 14), 2) == 1.25
    assert round(critical_difference(4, 14, 0.10), 2) == 1.12


def test_nemenyi_has_the_published_critical_values():
    """Demsar (2006), table 5."""
    q05 = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    q10 = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]
    for k, (five, ten) in enumerate(zip(q05, q10, strict=True), start=2):
        assert studentized_range_quantile(k) / math.sqrt(2) == pytest.approx(five, abs=0.001)
        assert studentized_range_quantile(k, 0.10) / math.sqrt(2) == pytest.approx(ten, abs=0.001)
    assert studentized_range_quantile(7, 0.01) == pytest.approx(stats.studentized_range.ppf(0.99, 7, np.inf), abs=1e-5)


def test_without_shared_rows_the_corrected_test_is_the_plain_one():
    values = np.random.default_rng(1).normal(0.1, 1, 30)
    mine, plain = corrected_t_test(values, 0.0), stats.ttest_1samp(values, 0.0)
    assert mine.t == pytest.approx(plain.statistic)
    assert mine.p == pytest.approx(plain.pvalue)
    low, high = plain.confidence_interval(0.95)
    assert (mine.low, mine.high) == pytest.approx((low, high))


def test_the_correction_widens_by_the_share_of_test_rows():
    """Nadeau and Bengio: 1/n + n2/n1 instead of 1/n; ten 10-fold cross-validations: 0.01 + 1/9."""
    values = np.random.default_rng(2).normal(0.1, 1, 100)
    plain, corrected = corrected_t_test(values, 0.0), corrected_t_test(values, 1 / 9)
    assert corrected.standard_error / plain.standard_error == pytest.approx(math.sqrt((0.01 + 1 / 9) / 0.01))
    assert corrected.p > plain.p


def test_the_corrected_test_cries_wolf_no_more_often_than_it_says():
    """Two coin-flipping learners whose errors over folds are correlated as in cross-validation."""
    rng = np.random.default_rng(3)
    rho, n, trials = 0.1, 100, 600  # Nadeau and Bengio's stand-in for the correlation: test share of all rows
    shared = rng.normal(0, math.sqrt(rho), (trials, 1))
    found = shared + rng.normal(0, math.sqrt(1 - rho), (trials, n))
    corrected = np.mean([corrected_t_test(row, 1 / 9).p < 0.05 for row in found])
    plain = np.mean([corrected_t_test(row, 0.0).p < 0.05 for row in found])
    assert 0.02 < corrected < 0.08
    assert plain > 0.3


def test_equal_and_constant_differences():
    nothing = corrected_t_test([0.0] * 10, 1 / 9)
    assert (nothing.t, nothing.p, nothing.difference) == (0.0, 1.0, 0.0)
    always = corrected_t_test([-0.1] * 10, 1 / 9)
    assert (always.t, always.p) == (-math.inf, 0.0)
    assert math.isnan(always.low)  # that all folds agree does not tell between what the difference lies
    assert math.isnan(nothing.high)


def test_folds_without_a_value_are_left_out_and_one_fold_says_nothing():
    assert corrected_t_test([0.1, math.nan, 0.3], 1 / 9).n == 2
    assert math.isnan(corrected_t_test([0.1], 1 / 9).p)
    assert math.isnan(corrected_t_test([], 1 / 9).difference)


def test_ranks_share_ties_and_keep_holes():
    found = ranks(np.array([[0.1, 0.3, 0.1], [0.2, np.nan, 0.1]]))
    assert found[0].tolist() == [1.5, 3.0, 1.5]
    assert found[1, [0, 2]].tolist() == [2.0, 1.0]
    assert math.isnan(found[1, 1])
    assert ranks(np.array([[0.1, 0.3]]), larger_is_better=True).tolist() == [[2.0, 1.0]]


def test_ranks_are_scipys():
    values = np.random.default_rng(4).integers(0, 4, (20, 6)).astype(float)
    assert np.array_equal(ranks(values), stats.rankdata(values, axis=1))


def test_friedman_of_too_little_is_undefined_and_of_equals_is_chance():
    assert math.isnan(friedman(np.array([[1.0, 2.0]])).p)
    assert friedman(np.full((3, 4), 2.5)).p == 1.0
    always = friedman(np.tile([1.0, 2.0, 3.0], (5, 1)))
    assert always.f == math.inf
    assert always.p == pytest.approx((1 / 6) ** 4)
    assert friedman(np.array([[1.0, 2.0], [1.0, 2.0]])).p == 0.5  # two sets that agree on two learners prove nothing
    assert friedman(np.array([[1.0, 2.5, 2.5]] * 3)).p == pytest.approx((1 / 3) ** 2)
    assert friedman(np.array([[1.0, np.nan], [1, 2], [2, 1]])).sets == 2


def test_groups_are_the_largest_that_cannot_be_told_apart():
    """Demsar (2006), figure 1a: the first two learners and the last two; one in the middle is in both."""
    assert groups([3.143, 2.000, 2.893, 1.964], 1.25) == [(3, 1, 2, 0)]
    assert groups([1.0, 2.0, 2.9], 1.5) == [(0, 1), (1, 2)]
    assert groups([1.0, 5.0, 9.0], 1.5) == []


def test_levels_out_of_range_are_sentences():
    with pytest.raises(UsageError, match="between 0 and 1"):
        corrected_t_test([0.1, 0.2], 1 / 9, level=5)
    with pytest.raises(UsageError, match="between 0 and 1"):
        critical_difference(3, 4, level=0)
