"""The bootstrap: samples with replacement, tests on the rows left out, the .632 and .632+ estimates."""

import math

import numpy as np
import pytest

from hedgerow import C45, NaiveBayes, OneR
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError, UsageError
from hedgerow.evaluate import splits
from hedgerow.evaluate.bootstrap import Bootstrap, bootstrap
from hedgerow.evaluate.metrics import intervals, measures
from tests.evaluate.toys import Line, Majority, NearestMean, blobs, decided, loan, straight


def test_a_sample_draws_as_many_rows_as_there_are_and_tests_the_others():
    codes = np.array([0, 1, -1, 1, 0, 0, 1], dtype=np.int32)
    known = splits.usable(codes)
    for part in splits.bootstrap(codes, 50):
        assert len(part.train) == len(known)
        assert np.array_equal(np.union1d(part.train, part.test), known)
        assert not set(part.train) & set(part.test)
        assert len(part.test)


def test_about_37_of_100_rows_are_left_out_g109():
    """G109, M283: a row is left out with probability (1 - 1/m)^m, about 0.37."""
    left_out = [len(part.test) for part in splits.bootstrap(1000, 100)]
    assert np.mean(left_out) / 1000 == pytest.approx((1 - 1 / 1000) ** 1000, abs=0.005)


def test_two_rows_are_drawn_until_one_is_left_out():
    assert all(len(part.test) == 1 for part in splits.bootstrap(2, 30))


def test_each_row_counts_once_however_often_it_was_left_out():
    tried = bootstrap(NearestMean(), blobs(each=10), samples=30)
    sums = np.bincount(tried.results.rows, tried.results.weight)
    assert sums == pytest.approx(np.full(30, 30.0))
    wrong = (tried.results.decided != tried.results.actual).astype(float)
    by_row = np.bincount(tried.results.rows, wrong) / np.bincount(tried.results.rows)
    assert measures.error(tried.results) == pytest.approx(by_row.mean())


def test_the_632_estimate_mixes_training_error_and_error_out_of_bag():
    tried = bootstrap(NearestMean(), blobs(), samples=20)
    known, left_out = measures.error(tried.training), measures.error(tried.results)
    assert tried.estimate().value == pytest.approx(0.368 * known + 0.632 * left_out)
    assert tried.estimate("accuracy").value == pytest.approx(1 - tried.estimate().value)
    assert tried.estimate().low < tried.estimate().value < tried.estimate().high
    assert tried.results.notes[0] == tried.text
    assert tried.text.startswith("the .632 estimate of the error rate is")


def test_the_632_plus_estimate_by_hand():
    """Four rows: training error 0, out of bag 2 of 4 wrong; no-information rate 1/2: R = 1, so w = 1."""
    right = decided([0, 0, 1, 1], [0, 0, 1, 1], ("a", "b"))
    half = decided([0, 0, 1, 1], [0, 1, 1, 0], ("a", "b"))
    one_wrong = decided([0, 0, 1, 1], [0, 0, 1, 0], ("a", "b"))
    assert Bootstrap(half, right).estimate().value == pytest.approx(0.316)
    assert Bootstrap(half, right).estimate_plus().value == pytest.approx(0.5)
    # R = 0.25 / 0.5 = 0.5 and w = 0.632 / (1 - 0.184)
    assert Bootstrap(one_wrong, right).estimate_plus().value == pytest.approx(0.25 * 0.632 / 0.816)
    assert Bootstrap(right, right).estimate_plus().value == 0


def test_numbers_have_a_632_estimate_too():
    tried = bootstrap(Line(), straight(), samples=20)
    known, left_out = (intervals.estimate(part, "mae").value for part in (tried.training, tried.results))
    assert tried.estimate().value == pytest.approx(0.368 * known + 0.632 * left_out)
    assert math.isnan(tried.estimate_plus().value)
    assert "mean absolute error" in tried.text
    assert ".632+" not in tried.text


def test_the_estimate_of_noise_is_near_chance():
    rng = np.random.default_rng(8)
    table = blobs(classes=2, each=100)
    noise = table.with_column(table.schema.target_column, rng.permutation(table.target))
    tried = bootstrap(C45(confidence=0.5, min_leaf=1), noise, samples=30)
    assert tried.estimate_plus().value == pytest.approx(0.5, abs=0.07)


@pytest.mark.parametrize("threads", [1, 3])
def test_results_do_not_depend_on_the_number_of_threads(threads):
    one = bootstrap(NaiveBayes(), loan(), samples=12, threads=1)
    many = bootstrap(NaiveBayes(), loan(), samples=12, threads=threads)
    assert np.array_equal(one.results.predicted, many.results.predicted)
    assert one.text == many.text


def test_weights_are_kept():
    table = loan().with_weights(np.arange(1.0, 16))
    tried = bootstrap(OneR(), table, samples=40)
    assert np.bincount(tried.results.rows, tried.results.weight) == pytest.approx(40 * np.arange(1.0, 16))


def test_a_row_with_a_weight_is_drawn_as_one_row_and_never_on_both_sides():
    seen = []

    class Watching(Majority):
        def train(self, table):
            seen.append(set(zip(table["number"].tolist(), table.row_weights.tolist(), strict=True)))
            return super().train(table)

    table = Table.of({"number": np.arange(12.0), "y": ["a", "b"] * 6}, target="y")
    table = table.with_weights(np.tile([1.0, 2.0, 5.0], 4))
    tried = bootstrap(Watching(), table, samples=30, threads=1)
    for fold, learned in enumerate(seen[:30]):
        assert {weight for number, weight in learned} <= {1.0, 2.0, 5.0}  # each time as much, however often drawn
        tested = tried.results.rows[tried.results.place == fold]
        assert not set(tested.tolist()) & {int(number) for number, _ in learned}
    assert len(seen) == 31  # the last is the model of all rows


def test_rows_in_every_sample_are_counted():
    assert "never tested" in " ".join(bootstrap(Majority(), loan(), samples=1).results.notes)


def test_impossible_samples_are_refused_in_words():
    with pytest.raises(UsageError, match="at least 1, but is 0"):
        bootstrap(Majority(), loan(), samples=0)
    with pytest.raises(DataError, match="at least two rows with a target, but there are 1"):
        bootstrap(Majority(), loan().take(np.array([0])))
