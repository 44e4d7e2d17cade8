"""The rule for row weights: whole ones are counts, others are scaled to a mean of 1 over the rows that count."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

import hedgerow
from hedgerow import C45, CART, KNN, AdaBoost, Bagging, BagVote, NaiveBayes, OneR, Table, cross_validate
from hedgerow.checks import CHECKS, check_equal_weights, check_scaled_weights, example, examples, outcome
from hedgerow.data.table.source import ReadOptions, Source
from hedgerow.evaluate.clusters.evaluate_clusters import figure_rows
from hedgerow.evaluate.metrics import measures
from hedgerow.learn.row_weights import counting_rows, weight_unit

FACTORS = (1 / 150, 1e-6, 1e6, 0.37)


def weighted(table, seed=3):
    """Return the table with weights that are not whole."""
    return table.with_weights(np.random.default_rng(seed).gamma(2.0, 1.0, table.n_rows))


class Parts(Source):
    """A table as a source of small batches."""

    def __init__(self, table, rows=7):
        super().__init__("rows", ReadOptions())
        self.table, self.rows, self.reads = table, rows, 0

    def find_schema(self):
        return self.table.schema

    def batches(self, rows=None):  # noqa: ARG002
        self.reads += 1
        return self.table.batches(self.rows)


# -- the rule ---------------------------------------------------------------------------------------------------


def scaled(weights):
    table = Table.of({"x": np.zeros(len(weights))}, weights=weights)
    found = counting_rows(table, weight_unit(table))
    return found.row_weights.tolist()


def test_whole_weights_are_counts():
    assert scaled([1.0, 2.0, 0.0, 3.0]) == [1, 2, 0, 3]
    assert scaled([2e6, 4e6]) == [2e6, 4e6]
    assert scaled([1e25, 3e25]) == [0.5, 1.5]  # all doubles of this size are whole


def test_other_weights_have_a_mean_of_one_over_the_rows_that_weigh_something():
    assert scaled([0.25, 0.75, 0.0]) == [0.5, 1.5, 0]
    assert scaled([0.1, 0.2, 0.3]) == [0.5, 1, 1.5]
    assert scaled([1 / 7] * 7) == [1] * 7


@pytest.mark.parametrize("factor", [*FACTORS, 1e-300, 1e25])
def test_a_factor_changes_no_bit(factor):
    weights = np.random.default_rng(1).gamma(2.0, 1.0, 500)
    assert scaled(factor * weights) == scaled(weights)


def test_a_positive_weight_stays_positive():
    assert min(scaled([5e-324, 1e30, 1.5])) > 0


def test_weights_that_count_rows_are_not_scaled_again():
    table = counting_rows(weighted(example(C45())), 0.5)
    assert weight_unit(table) is None
    assert C45().train(table).about.weight == pytest.approx(table.total_weight)


def test_rows_without_a_target_have_no_say():
    table = example(C45())
    codes = table.target_codes.copy()
    codes[:20] = -1
    weights = np.where(np.arange(60) < 20, 1000.5, 0.5)
    lacking = table.with_column(table.schema.target_column, codes).with_weights(weights)
    assert C45().train(lacking).about.weight == 40


# -- all learners -----------------------------------------------------------------------------------------------


def test_the_laws_are_among_those_of_all_learners():
    assert {check_scaled_weights, check_equal_weights} <= set(CHECKS)


@pytest.mark.parametrize(
    "learner", [C45(), CART(), OneR(), KNN(), hedgerow.Ripper(), hedgerow.CBA(), hedgerow.RandomForest(n_estimators=20)]
)
def test_shares_as_weights_do_not_ruin_a_model(learner):
    X, y = load_iris(return_X_y=True)
    plain = learner.fit(X, y).predict_proba(X)
    assert np.array_equal(learner.fit(X, y, np.full(150, 1 / 150)).predict_proba(X), plain)
    for factor in FACTORS:
        few = np.where(np.arange(150) % 3, np.e / 2, np.pi / 2)
        one, other = (learner.fit(X, y, c * few).predict_proba(X) for c in (1.0, factor))
        assert np.array_equal(one, other)
        assert learner.score(X, y) > 0.9


@pytest.mark.parametrize("learner", [hedgerow.CARTRegressor(), hedgerow.KNNRegressor()])
def test_shares_as_weights_do_not_ruin_a_regression(learner):
    X, y = load_diabetes(return_X_y=True)
    plain = learner.fit(X, y).predict(X)
    assert np.array_equal(learner.fit(X, y, np.full(len(y), 1 / len(y))).predict(X), plain)
    assert learner.score(X, y) > 0.3


def test_boosting_of_scikit_learn_goes_on():
    X, y = load_iris(return_X_y=True)
    ours = AdaBoostClassifier(CART(max_depth=1, prune="none"), n_estimators=10, random_state=0).fit(X, y)
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=10, random_state=0).fit(X, y)
    assert len(ours.estimators_) == len(theirs.estimators_) == 10
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=0.03)


# -- learners inside others ---------------------------------------------------------------------------------------


class Noting:
    """A base that notes what its rows weigh."""

    def __init__(self):
        self.seen = []

    def train(self, table):
        model = OneR().train(table)
        self.seen.append(model.about.weight)
        return model


@pytest.mark.parametrize("weights", [np.full(60, 2.0), np.arange(60) % 3 + 0.5])
def test_members_learn_from_weights_that_keep_their_sum(weights):
    table = example(C45()).with_weights(weights)
    for kind in (AdaBoost, Bagging):
        base = Noting()
        kind(base=base, n_estimators=4).train(table)
        assert base.seen == pytest.approx([120.0 if weights[0] == 2 else 60.0] * len(base.seen), rel=0.25)
        if kind is AdaBoost:
            assert base.seen == pytest.approx([120.0 if weights[0] == 2 else 60.0] * len(base.seen))


def test_a_row_of_weight_two_is_two_rows_to_a_boosted_base():
    table = example(C45())
    twice = table.take(np.repeat(np.arange(60), 2))
    learner = AdaBoost(base=OneR(min_bucket=4), n_estimators=5)
    one, other = learner.train(table.with_weights(np.full(60, 2.0))), learner.train(twice)
    assert np.allclose(outcome(one, table), outcome(other, table))


def test_instances_of_bags_weigh_as_much_as_their_bags():
    table = examples(BagVote())["bags"]
    base = Noting()
    BagVote(base=base).train(table)
    bags = table["things"]
    assert base.seen == pytest.approx([np.count_nonzero(np.diff(bags.offsets))])


# -- streams and batches --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [NaiveBayes(), OneR(), C45(), CART(), hedgerow.LinearRegression()], ids=repr)
def test_a_stream_is_scaled_like_its_table(learner):
    table = weighted(example(learner))
    whole = learner.train(table)
    for factor in (1.0, *FACTORS):
        streamed = learner.train(Parts(table.with_weights(factor * table.weights)))
        assert streamed.about.weight == pytest.approx(60)
        assert np.allclose(outcome(streamed, table), outcome(whole, table), atol=1e-9)


def test_only_fractional_weights_cost_a_second_pass():
    table = example(OneR())
    for weights, reads in ((None, 1), (np.full(60, 2.0), 1), (np.full(60, 0.5), 2)):
        source = Parts(table.with_weights(weights))
        OneR().train(source)
        assert source.reads == reads


def test_rows_of_a_stream_without_weights_weigh_one():
    table = example(NaiveBayes())
    weights = np.where(np.arange(60) < 30, 1.0, 0.25)

    class Half(Parts):
        def batches(self, rows=None):
            return (
                batch.with_weights(None) if (batch.row_weights == 1).all() else batch for batch in super().batches(rows)
            )

    table = table.with_weights(weights)
    one, other = NaiveBayes().train(Half(table, 10)), NaiveBayes().train(table)
    assert np.allclose(outcome(one, table), outcome(other, table), atol=1e-12)


BATCHES = [
    NaiveBayes(),
    OneR(),
    KNN(),
    hedgerow.KNNRegressor(),
    hedgerow.OnlineLinear(),
    hedgerow.OnlineLinearRegressor(),
    hedgerow.Perceptron(),
    hedgerow.KMeans(),
    hedgerow.Cobweb(),
]


@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
@pytest.mark.parametrize("learner", BATCHES, ids=lambda learner: learner.name)
def test_batches_are_in_the_unit_of_the_first_one(learner):
    table = weighted(example(learner))
    more = {"classes": ["a", "b", "c"]} if learner.target_is_classes else {}

    def learned(factor, fitted):
        one = type(learner)(**learner.get_params())
        for number, batch in enumerate(table.with_weights(factor * table.weights).batches(20)):
            if fitted and not number:
                one.fit(batch, batch.schema.target)
            else:
                one.partial_fit(batch, batch.schema.target, **(more if not number else {}))
        return outcome(one.model_, table)

    for fitted in (False, True):
        for factor in FACTORS:
            assert np.allclose(learned(1.0, fitted), learned(factor, fitted), atol=1e-12)


# -- evaluation -----------------------------------------------------------------------------------------------------


def test_results_weigh_rows_by_the_same_rule():
    table = weighted(example(C45()))
    one, other = (cross_validate(C45(), table.with_weights(c * table.weights), folds=4) for c in (1.0, 1e-6))
    assert one.weight.sum() == pytest.approx(60)
    assert np.array_equal(one.weight, other.weight)
    assert np.array_equal(one.predicted, other.predicted)
    assert measures.accuracy(one) == measures.accuracy(other)


def test_a_test_weighs_rows_by_the_same_rule():
    table = weighted(example(C45()))
    model = C45().train(table)
    tested = hedgerow.evaluate.validate.test(model, table.with_weights(1e-6 * table.weights))
    assert tested.weight.sum() == pytest.approx(60)
    counts = hedgerow.evaluate.validate.test(model, table.with_weights(np.full(60, 2.0)))
    assert counts.weight.sum() == 120


def test_a_table_keeps_saying_that_its_weights_count_rows():
    table = replace(weighted(example(C45())), counts_rows=True)
    made = [table.take(np.arange(5)), table.view(np.arange(5)), table.slice(0, 5), table.with_target(None)]
    made += [table.select(["size", "group"]), table.with_weights(np.ones(60))]
    assert all(one.counts_rows for one in made)


def test_clusters_are_judged_by_the_same_rule():
    table = weighted(example(C45()))
    model = hedgerow.KMeans(n_clusters=3).train(table)
    one, other, even, plain = (
        figure_rows(hedgerow.evaluate_clusters(model, table.with_weights(weights)))
        for weights in (table.weights, 1e-6 * table.weights, np.full(60, 1 / 60), None)
    )
    assert one == other
    assert even == plain
