"""Costs of mistakes: totals, and decisions that cost least while the probabilities stay."""

import math

import numpy as np
import pytest
from hypothesis import given

from hedgerow.errors import UsageError
from hedgerow.evaluate import validate
from hedgerow.evaluate.metrics import costs, measures, ranking
from tests.evaluate.metrics.test_measures import class_results
from tests.evaluate.toys import Majority, decided, loan, results_of

DEAR = {"sick": {"well": 10}}


def patients():
    """Four rows; the most probable class is wrong for the second, which is sick."""
    shares = [[0.9, 0.1], [0.2, 0.8], [0.05, 0.95], [0.15, 0.85]]
    return results_of([0, 0, 1, 1], shares, ("sick", "well"))


def test_costs_by_hand():
    results = patients()
    assert costs.total_cost(results, DEAR) == 10
    assert costs.mean_cost(results, DEAR) == 2.5
    assert costs.row_costs(results, DEAR).tolist() == [0, 10, 0, 0]
    assert costs.total_cost(results, [[0, 10], [1, 0]]) == 10
    assert costs.total_cost(results, {"sick:well": 10}) == 10


def test_saying_what_costs_least_by_hand():
    """A row is called sick when 10 P(sick) > P(well), that is P(sick) > 1/11."""
    careful = costs.by_expected_cost(patients(), DEAR)
    assert careful.decided.tolist() == [0, 0, 1, 0]
    assert costs.total_cost(careful, DEAR) == 1
    assert measures.confusion(careful).tolist() == [[2, 0], [1, 1]]


def test_the_probabilities_and_all_that_follows_from_them_stay():
    plain, careful = patients(), costs.by_expected_cost(patients(), DEAR)
    assert careful.predicted is not None
    assert np.array_equal(plain.predicted, careful.predicted)
    for measure in (ranking.mean_auc, measures.log_loss, measures.brier):
        assert measure(careful) == measure(plain)
    assert costs.by_expected_cost(careful, None).decided.tolist() == plain.decided.tolist()


def test_the_first_class_wins_a_tie():
    results = results_of([0, 1], [[0.5, 0.5], [0.25, 0.75]], ("a", "b"))
    assert costs.by_expected_cost(results, [[0, 3], [1, 0]]).decided.tolist() == [0, 0]
    assert costs.by_expected_cost(results, [[0, 1], [1, 0]]).decided.tolist() == [0, 1]


def test_the_cheapest_class_for_everyone_is_the_yardstick():
    assert costs.cheapest_class(patients(), DEAR) == ("sick", 0.5)
    assert costs.cheapest_class(patients(), {"well": {"sick": 30}}) == ("well", 0.5)


@given(class_results())
def test_without_costs_every_mistake_costs_one(results):
    assert costs.mean_cost(results, None) == pytest.approx(measures.error(results))
    assert costs.total_cost(results, None) == pytest.approx(measures.error(results) * results.weight.sum())
    equal = 1 - np.eye(len(results.labels))
    assert np.array_equal(costs.by_expected_cost(results, equal).decided, results.decided)


@given(class_results())
def test_totals_are_the_sum_over_rows_and_weight_two_is_two_rows(results):
    k = len(results.labels)
    matrix = np.arange(k * k).reshape(k, k) * (1.0 - np.eye(k))
    found = costs.cost_estimate(results, matrix)
    assert found.value == pytest.approx(costs.mean_cost(results, matrix))
    assert costs.total_cost(results, matrix) == pytest.approx(costs.row_costs(results, matrix) @ results.weight)
    if not math.isnan(found.low):
        assert 0 <= found.low <= found.value <= found.high
    weight = np.ones(len(results))
    weight[0] = 2
    heavy = results_of(results.actual, results.predicted, results.labels, weight)
    again = [0, *range(len(results))]
    twice = results_of(results.actual[again], results.predicted[again], results.labels)
    assert costs.total_cost(heavy, matrix) == pytest.approx(costs.total_cost(twice, matrix))


@given(class_results())
def test_cheapest_decisions_expect_to_cost_no_more_than_any_other(results):
    k = len(results.labels)
    matrix = np.arange(1, k * k + 1).reshape(k, k) * (1.0 - np.eye(k))
    expected = results.predicted @ matrix
    said = costs.by_expected_cost(results, matrix).decided
    assert expected[np.arange(len(said)), said] == pytest.approx(expected.min(axis=1))


def test_runs_count_once():
    once = validate.cross_validate(Majority(), loan(), folds=3)
    often = validate.cross_validate(Majority(), loan(), folds=3, runs=4)
    assert costs.total_cost(often, None) == pytest.approx(costs.total_cost(once, None))


def test_mistakes_are_said():
    results = patients()
    with pytest.raises(UsageError, match="the costs name 'ill', which is not a class"):
        costs.total_cost(results, {"ill": {"well": 3}})
    with pytest.raises(UsageError, match="the costs must be 2 x 2"):
        costs.by_expected_cost(results, np.zeros((3, 3)))
    with pytest.raises(UsageError, match="the costs must be numbers from 0"):
        costs.mean_cost(results, [[0, -1], [1, 0]])
    with pytest.raises(UsageError, match="'value' is a number"):
        costs.total_cost(results_of([1.0], [2.0]), None)
    empty = decided([0], [0], ("a", "b")).take(np.array([], dtype=np.int64))
    assert costs.total_cost(empty, None) == 0
    assert math.isnan(costs.mean_cost(empty, None))
