"""Lift tables and profits: the worked mailing, ties shared out, and the laws of weights and order."""

import math

import numpy as np
import pytest
from hypothesis import given

from hedgerow.errors import DataError, UsageError
from hedgerow.evaluate.metrics.lift import lift, profit
from hedgerow.evaluate.results import join_results
from tests.evaluate.metrics.test_measures import class_results
from tests.evaluate.toys import first_row_doubled, results_of

POSITIVES = [210, 120, 60, 40, 22, 18, 12, 7, 6, 5]
PERCENT = [42.0, 24.0, 12.0, 8.0, 4.4, 3.6, 2.4, 1.4, 1.2, 1.0]
CUMULATIVE = [42.0, 66.0, 78.0, 86.0, 90.4, 94.0, 96.4, 97.8, 99.0, 100.0]
CUMULATIVE_LIFT = [4.2, 3.3, 2.6, 2.15, 1.808, 1.566667, 1.377143, 1.2225, 1.1, 1.0]
PROFIT = [550, 650, 450, 150, -240, -650, -1090, -1555, -2025, -2500]


def mailing(tied):
    """G100: 10000 rows of which 500 buy, by bins of 1000; the scores of a bin are all equal, or all different."""
    bins = np.repeat(np.arange(10), 1000)
    buys = np.concatenate([np.arange(1000) < n for n in POSITIVES])
    rank = bins * 1000.0 if tied else np.arange(10_000)
    score = 1 - (rank + 1) / 20_000
    rows = np.random.default_rng(1).permutation(10_000)
    return results_of(buys[rows], np.column_stack([1 - score, score])[rows], ("stays", "buys"))


@pytest.mark.parametrize("tied", [True, False])
def test_the_lift_table_g100(tied):
    """G100."""
    found = lift(mailing(tied), "buys")
    assert found.weight.tolist() == [1000] * 10
    assert found.positives == pytest.approx(POSITIVES)
    assert found.percent == pytest.approx(PERCENT)
    assert found.gains * 100 == pytest.approx(CUMULATIVE)
    assert found.cumulative_lift == pytest.approx(CUMULATIVE_LIFT, abs=5e-7)
    assert found.rate == pytest.approx(np.array(POSITIVES) / 1000)
    assert found.lift == pytest.approx(np.array(POSITIVES) / 50)
    assert found.base_rate == pytest.approx(0.05)
    assert found.share == pytest.approx(np.arange(1, 11) / 10)
    assert (np.diff(found.threshold) < 0).all()
    for rate, one in zip(found.rate, found.rates, strict=True):
        assert one.low < rate == one.value < one.high


@pytest.mark.parametrize("tied", [True, False])
def test_the_mailing_pays_for_bins_1_and_2_g101(tied):
    """G101: 0.50 a package, 5 a sale: 2000 packages, profit 650; everybody loses 2500."""
    found = profit(mailing(tied), "buys", cost=0.5, gain=5, bins=10)
    assert found.profit == pytest.approx([0, *PROFIT])
    best = found.best
    assert (best.taken, best.share, best.positives) == pytest.approx((2000, 0.2, 330))
    assert best.profit.value == pytest.approx(650)
    assert best.profit.low < 650 < best.profit.high
    assert best.threshold == pytest.approx(found.threshold[2])
    assert found.break_even == 0.1


def test_five_already_net_of_postage_g101():
    """G101, the other reading: a sale brings 5.50 before postage; bins 1 and 2 again, 815."""
    found = profit(mailing(True), "buys", cost=0.5, gain=5.5, bins=10)
    assert found.best.profit.value == pytest.approx(815)
    assert found.best.share == pytest.approx(0.2)


def test_a_free_choice_of_the_cut_is_at_least_as_good_as_bins():
    """The buyers of a bin come first here, so the best cut lies inside a bin: after the 120 buyers of the second."""
    results = mailing(False)
    free = profit(results, "buys", 0.5, 5)
    assert len(free.taken) == 10_001
    assert free.best.profit.value == pytest.approx(330 * 5 - 1120 * 0.5)
    assert free.best.taken == 1120
    assert profit(mailing(True), "buys", 0.5, 5).best.profit.value == pytest.approx(650)


def test_taking_nobody_may_be_best():
    best = profit(mailing(True), "buys", 5, 5).best
    assert (best.taken, best.share, best.profit.value) == (0, 0, 0)
    assert best.threshold == math.inf


def test_the_fewest_rows_win_a_tie():
    results = results_of([0, 1, 0, 1], [[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]], ("+", "-"))
    assert profit(results, "+", 1, 2).best.taken == 1


@given(class_results())
def test_bins_hold_all_rows_in_any_order(results):
    for bins in (1, 3, 10):
        found = lift(results, "a", bins)
        assert found.weight == pytest.approx(np.full(bins, results.weight.sum() / bins))
        assert found.positives.sum() == pytest.approx(results.weight[results.actual == 0].sum())
        back = lift(results.take(np.arange(len(results))[::-1]), "a", bins)
        assert found.positives == pytest.approx(back.positives)
        assert found.threshold == pytest.approx(back.threshold)
        assert (found.positives <= found.weight + 1e-9).all()


@given(class_results())
def test_a_row_of_weight_two_is_two_rows(results):
    heavy, twice = first_row_doubled(results)
    assert lift(heavy, "a").positives == pytest.approx(lift(twice, "a").positives)
    one, other = profit(heavy, "a", 1, 3).best, profit(twice, "a", 1, 3).best
    assert one.profit.value == pytest.approx(other.profit.value)
    assert one.threshold == other.threshold


def test_runs_do_not_multiply_the_profit():
    once = mailing(True)
    again = results_of(once.actual, once.predicted, once.labels)
    object.__setattr__(again, "run", np.ones_like(again.run))
    object.__setattr__(again, "folds", (type(again.folds[0])(1, 0, 100.0, 10_000.0),))
    both = join_results([once, again])
    assert both.n_runs == 2
    assert lift(both, "buys").positives == pytest.approx(POSITIVES)
    assert profit(both, "buys", 0.5, 5).best.profit.value == pytest.approx(650)


def test_no_rows_and_no_positives_are_undefined_not_wrong():
    results = results_of([1, 1], [[0.5, 0.5], [0.4, 0.6]], ("a", "b"))
    assert np.isnan(lift(results, "a").lift).all()
    assert lift(results, "a").rate.tolist() == [0] * 10
    empty = results.take(np.zeros(2, dtype=bool))
    assert np.isnan(lift(empty, "a").rate).all()
    assert profit(empty, "a", 1, 2).best.taken == 0


def test_mistakes_are_said():
    results = mailing(True)
    for bins in (0, -1, 2.5, True, "10"):
        with pytest.raises(UsageError, match="divided into 1 bin or more"):
            lift(results, "buys", bins)
    with pytest.raises(UsageError, match="the cost of a row must be a number of at least 0, not -1"):
        profit(results, "buys", -1, 5)
    with pytest.raises(UsageError, match="the gain of a row must be a number of at least 0, not nan"):
        profit(results, "buys", 1, math.nan)
    with pytest.raises(DataError, match="no class 'sells'"):
        lift(results, "sells")
    with pytest.raises(UsageError, match="'value' is a number"):
        lift(results_of([1.0], [2.0]), "a")
