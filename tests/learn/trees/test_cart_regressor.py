"""CART for numbers: by hand, against scikit-learn, its pruning by cross-validation, its laws and its edges."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hedgerow import CARTRegressor, DataError, Table, UsageError, cross_validate, read
from hedgerow.evaluate.metrics import regression
from hedgerow.learn.sampling import select_weighted_rows, split_by_value_hash
from hedgerow.learn.trees.by_hand import grow_number
from hedgerow.learn.trees.complexity import CostComplexity, compute_alphas
from hedgerow.learn.trees.kernel_growth import TreeInput
from hedgerow.learn.trees.options import CART
from hedgerow.learn.trees.pruning import cut_nodes
from hedgerow.models.trees.tree import NumberTree
from tests.tree_tables import WEIGHTS, counted, random_table, tables

SOME = settings(max_examples=15, suppress_health_check=list(HealthCheck))
NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
CRITERIA = pytest.mark.parametrize("criterion", ["squared", "absolute"])


def steps():
    """Four rows whose numbers are 1, 2, 10 and 12."""
    return Table.of({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 2.0, 10.0, 12.0]}, "y")


def full(criterion, **params):
    return CARTRegressor(criterion=criterion, **{"prune": "none", **params})


def lines(tree):
    return str(tree).split("\n\n")[0].split("\n")


# --- worked by hand


def test_squared_error_by_hand():
    """Squares around 6.25 are 92.75; around 1.5 and 11 they are 0.5 and 2."""
    printed = ["x <= 2.5 or missing: 1.5 (2 rows, deviation 0.5)", "x > 2.5: 11 (2 rows, deviation 1)"]
    assert lines(full("squared", max_depth=1).train(steps())) == printed


def test_absolute_error_by_hand():
    """Distances from 6 are 19; from 1.5 and 11 they are 1 and 2. Medians of two numbers are their middle."""
    printed = ["x <= 2.5 or missing: 1.5 (2 rows, deviation 0.5)", "x > 2.5: 11 (2 rows, deviation 1)"]
    assert lines(full("absolute", max_depth=1).train(steps())) == printed


@pytest.mark.parametrize(("criterion", "gain"), [("squared", (92.75 - 2.5) / 4), ("absolute", (19 - 3) / 4)])
def test_least_gain_is_a_decrease_of_the_mean_error(criterion, gain):
    assert full(criterion, min_gain=gain - 0.001).train(steps()).size > 1
    assert full(criterion, min_gain=gain + 0.001).train(steps()).size == 1


@pytest.mark.parametrize(("criterion", "prices"), [("squared", [0.125, 0.5, 22.5625]), ("absolute", [0.25, 0.5, 4.0])])
def test_prices_of_leaves_by_hand(criterion, prices):
    """Mean errors of the nodes as leaves: 23.1875, 0.125, 0.5 squared; 4.75, 0.25, 0.5 absolute."""
    for leaves, price in zip([3, 2, 1], prices, strict=True):
        assert CARTRegressor(criterion=criterion, alpha=price - 1e-6).train(steps()).size == leaves + 1
        assert CARTRegressor(criterion=criterion, alpha=price + 1e-6).train(steps()).size == leaves


def test_a_pruned_node_predicts_its_own_median():
    """The median of 0, 0, 0, 9, 9 is 0, though its leaves say 0 (2 rows) and 9 (3 rows): 5.4 on average."""
    table = Table.of({"x": [1.0, 2.0, 3.0, 3.0, 4.0], "y": [0.0, 0.0, 0.0, 9.0, 9.0]}, "y")
    assert full("absolute").train(table).numbers.tolist() == pytest.approx([5.4, 0, 9])
    pruned = CARTRegressor(criterion="absolute", alpha=99.0).train(table)
    assert lines(pruned) == [": 0 (5 rows, deviation 3.6)"]
    assert CARTRegressor(alpha=99.0).train(table).numbers.tolist() == pytest.approx([3.6])


def test_single_odd_numbers_do_not_move_medians():
    table = Table.of({"x": [1.0, 1.0, 1.0, 2.0, 2.0, 2.0], "y": [1.0, 1.0, 1.0, 5.0, 5.0, 900.0]}, "y")
    rows = Table.of({"x": [1.0, 2.0]}, None)
    assert full("absolute").train(table).predict(rows).tolist() == [1, 5]
    assert full("squared").train(table).predict(rows)[1] == pytest.approx(910 / 3, rel=1e-4)


def test_medians_are_weighted():
    table = Table.of({"x": [1.0, 1.0, 1.0], "y": [1.0, 2.0, 4.0]}, "y")
    for weights, median in (([1.0, 1.0, 1.0], 2), ([1.0, 1.0, 2.0], 3), ([1.0, 1.0, 2.5], 4), ([3.0, 1.0, 1.0], 1)):
        assert full("absolute").train(table.with_weights(np.array(weights))).numbers.tolist() == [median]


@CRITERIA
def test_levels_are_split_by_their_means(criterion):
    columns = {"größe": ["klein", "groß", "mittel", "groß", "klein"], "y": [1.0, 9.0, 2.0, 10.0, 1.0]}
    tree = full(criterion, max_depth=1).train(Table.of(columns, "y"))
    assert lines(tree)[0].startswith("größe = groß: 9.5 (2 rows")


# --- against the plain twin and scikit-learn

LEARNED = {"min_leaf": "min_samples_leaf"}  # names of options as parameters


@CRITERIA
@pytest.mark.parametrize("route", ["direction", "surrogate"])
@SOME
@example(random_table(94, 29, weights=WEIGHTS[1], target="real"), {"max_depth": 2})  # a deviation between two decimals
@given(tables(high=35), st.sampled_from([{}, {"min_leaf": 2.5}, {"max_depth": 2}, {"stop_rows": 6.0}]))
def test_learner_equals_the_plain_twin(criterion, route, table, changes):
    learned = {LEARNED.get(name, name): value for name, value in changes.items()}
    fast = full(criterion, missing_route=route, **learned).train(table)
    slow = grow_number(table, replace(CART, criterion=criterion, missing=route, **changes))
    for ours, theirs in zip(lines(fast), lines(slow), strict=True):
        assert NUMBER.sub("", ours) == NUMBER.sub("", theirs)
        numbers = [[float(text) for text in NUMBER.findall(line)] for line in (ours, theirs)]
        assert numbers[0] == pytest.approx(numbers[1], rel=2e-6)  # the sixth digit is rounded


@CRITERIA
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learn_predicts_the_same(criterion, seed, weighted):
    trees = pytest.importorskip("sklearn.tree")
    chance = np.random.default_rng(seed)
    x = chance.integers(0, 2**20, (200, 4)) / 1024  # exact in single precision, which scikit-learn computes in
    y = np.sin(x[:, 0] / 100) + (x[:, 1] > 500) + 0.2 * chance.normal(size=200)
    weights = chance.integers(1, 5, 200).astype(float) if weighted else np.ones(200)
    theirs = trees.DecisionTreeRegressor(
        criterion={"squared": "squared_error", "absolute": "absolute_error"}[criterion], max_depth=4
    )
    theirs.fit(x, y, sample_weight=weights)
    ours = full(criterion, max_depth=4).fit(x, y, sample_weight=weights)
    assert ours.model_.size == theirs.get_n_leaves()
    assert np.allclose(ours.predict(x), theirs.predict(x), atol=1e-4)
    leaves = theirs.tree_.children_left < 0
    weight, impurity = theirs.tree_.weighted_n_node_samples[leaves], theirs.tree_.impurity[leaves]
    ends = ours.model_.nodes.leaves
    power = 2 if criterion == "squared" else 1
    found = ours.model_.weights[ends] * ours.model_.deviations[ends] ** power
    assert found.sum() == pytest.approx((weight * impurity).sum(), rel=1e-4)


# --- pruning


def cart(criterion, rule="1se", **params):
    return CARTRegressor(criterion=criterion, rule=rule, random_state=1, **params)


def searched(table, criterion, rule="min", folds=5):
    options = replace(CART, criterion=criterion, missing="direction")
    rows = TreeInput(table, 1)
    rows.absolute = criterion == "absolute"
    parts = rows.grow(options)
    alphas = compute_alphas(rows, parts)
    return rows, options, CostComplexity(None, rule, folds, 1).cross_validate(rows, parts, alphas, options)


@CRITERIA
@SOME
@given(tables(low=5, high=60))
def test_sequences_shrink_as_leaves_get_dearer(criterion, table):
    _, _, found = searched(table, criterion)
    assert (np.diff(found.alphas) > 0).all()
    assert (np.diff(found.leaves) < 0).all()
    assert (np.diff(found.errors) >= -1e-9).all()
    assert found.alphas[0] == 0
    assert found.leaves[-1] == 1


@CRITERIA
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("weights", ["none", "real"])
def test_cross_validation_is_what_fresh_trees_predict(criterion, missing, weights):
    """Each fold's rows go down trees grown on copies of the other rows, pruned, and turned into models."""
    table = random_table(4, 80, missing=missing, weights=weights, target="real")
    rows, options, found = searched(table, criterion)
    prices = np.append(np.sqrt(found.alphas[:-1] * found.alphas[1:]), np.inf)
    wrong = np.zeros(len(prices))
    for weights_aside in split_by_value_hash(table, 5, 1):
        test = select_weighted_rows(table, weights_aside)
        fresh = TreeInput(select_weighted_rows(table, table.row_weights - weights_aside), 1)
        fresh.absolute = criterion == "absolute"
        parts = fresh.grow(options)
        alphas = compute_alphas(fresh, parts)
        for place, price in enumerate(prices):
            left = cut_nodes(parts, alphas <= price)
            tree = fresh.median_tree(left) if criterion == "absolute" else fresh.number_tree(left)
            away = np.abs(tree.predict(test) - test.target)
            wrong[place] += test.row_weights @ (away if criterion == "absolute" else away**2)
    assert found.expected_errors == pytest.approx(wrong / rows.weights.sum(), rel=1e-3)


@CRITERIA
def test_one_standard_error_prunes_no_less_than_the_least_error(criterion):
    sizes = []
    for seed in range(6):
        table = random_table(seed, 120, target="real")
        best, near = cart(criterion, "min").train(table), cart(criterion).train(table)
        whole = full(criterion).train(table)
        assert near.size <= best.size <= whole.size
        sizes.append((near.size, best.size, whole.size))
    assert any(near < best for near, best, _ in sizes)
    assert all(best < whole for _, best, whole in sizes)


@CRITERIA
def test_pruning_forgets_noise_and_keeps_steps(criterion):
    chance = np.random.default_rng(0)
    x = np.arange(200.0)
    noise = Table.of({"x": x, "y": chance.normal(size=200)}, "y")
    step = Table.of({"x": x, "y": 10 * (x > 99) + chance.normal(size=200)}, "y")
    assert cart(criterion).train(noise).size == 1
    assert lines(cart(criterion).train(step))[0].startswith("x <= 99.5")


# --- every parameter has its effect


@CRITERIA
@pytest.mark.parametrize(
    "changes",
    [
        {"max_depth": 2},
        {"min_gain": 0.2},
        {"min_samples_leaf": 8.0},
        {"stop_rows": 12.0},
        {"missing_route": "surrogate"},
        {"prune": "cost"},
        {"prune": "cost", "alpha": 0.05},
    ],
    ids=str,
)
def test_parameters_matter(criterion, changes):
    table = random_table(8, 90, missing=True, target="real")
    plain, changed = full(criterion).train(table), full(criterion, **changes).train(table)
    assert str(plain) != str(changed)
    if "missing_route" not in changes:
        assert changed.size < plain.size


@CRITERIA
def test_parameters_of_the_cross_validation_matter(criterion):
    kinds = ({"prune_folds": 10}, {"prune_folds": 3}, {"random_state": 5}, {"rule": "min"})
    sizes = {
        name: [
            CARTRegressor(criterion=criterion, **kind).train(random_table(seed, 60, target="real")).size
            for seed in range(8)
        ]
        for name, kind in zip("abcd", kinds, strict=True)
    }
    assert len({tuple(found) for found in sizes.values()}) == 4


def test_the_criterion_matters():
    table = random_table(8, 90, target="real")
    assert str(full("squared").train(table)) != str(full("absolute").train(table))


def test_leaves_keep_the_least_weight():
    table = random_table(2, 80, weights="real", target="real", missing=True)
    for criterion in ("squared", "absolute"):
        tree = full(criterion, min_samples_leaf=5.0).train(table)
        assert tree.size > 2
        assert tree.weights[tree.nodes.leaves].min() >= 5


# --- laws


@CRITERIA
@SOME
@given(tables(high=50, weights="none"), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(criterion, table, random):
    order = list(range(table.n_rows))
    random.shuffle(order)
    assert_alike(cart(criterion).train(table), cart(criterion).train(table.take(np.array(order))))


def assert_alike(one, other):
    """The same tests, and numbers but for the last digit that prints."""
    assert np.array_equal(one.nodes.columns, other.nodes.columns)
    assert np.array_equal(one.nodes.thresholds, other.nodes.thresholds)
    assert np.array_equal(one.weights, other.weights)
    assert np.allclose(one.numbers, other.numbers, rtol=1e-4, atol=1e-5)


@CRITERIA
@SOME
@given(tables(high=40, weights="none"), st.integers(0, 99))
def test_repeating_a_row_equals_weighting_it(criterion, table, seed):
    counts = np.random.default_rng(seed).integers(1, 4, table.n_rows)
    repeated = table.take(np.repeat(np.arange(table.n_rows), counts))
    weighed = table.with_weights(counts.astype(float))
    assert_alike(cart(criterion).train(repeated), cart(criterion).train(weighed))


@CRITERIA
def test_units_of_the_target_do_not_matter(criterion):
    table = random_table(5, 70, missing=True, target="real")
    place = table.schema.index("y")
    small = full(criterion).train(table)
    for factor, shift in ((2.0**20, 0.0), (2.0**-30, 0.0), (1.0, 1e6)):
        column = table.schema.columns[place]
        other = full(criterion).train(table.with_column(column, table.numbers(place) * factor + shift))
        assert np.array_equal(other.nodes.columns, small.nodes.columns)
        assert np.array_equal(other.nodes.thresholds, small.nodes.thresholds)


@CRITERIA
def test_a_constant_column_changes_nothing(criterion):
    table = random_table(6, 60, target="real")
    names = [column.name for column in table.schema.columns]
    columns = {name: list(table[name]) if name.startswith("x") or name == "y" else None for name in names}
    kept = {name: values for name, values in columns.items() if values is not None}
    one = full(criterion).train(Table.of(kept, "y"))
    other = full(criterion).train(Table.of({"same": [1.0] * 60, **kept}, "y"))
    assert lines(one) == lines(other)


@CRITERIA
@SOME
@given(tables(high=50))
def test_printed_trees_read_back(criterion, table):
    tree = cart(criterion, "min").train(table)
    again = NumberTree.parse(str(tree), table.schema)
    assert str(again) == str(tree)
    assert np.array_equal(again.predict(table), tree.predict(table))


# --- edges and bad input


@CRITERIA
def test_few_rows(criterion):
    one = Table.of({"x": [1.0], "y": [3.0]}, "y")
    assert lines(CARTRegressor(criterion=criterion).train(one)) == [": 3 (1 row, deviation 0)"]
    two = Table.of({"x": [1.0, 2.0], "y": [3.0, 4.0]}, "y")
    assert full(criterion).train(two).size == 2


@CRITERIA
def test_a_target_of_one_number_is_a_leaf(criterion):
    table = Table.of({"x": [1.0, 2.0, 3.0], "y": [0.1, 0.1, 0.1]}, "y").with_weights(np.array([0.5, 0.5, 2.0]))
    assert lines(CARTRegressor(criterion=criterion).train(table)) == [": 0.1 (3 rows, deviation 0)"]
    random = np.random.default_rng(3)
    for value in (2.5, 0.1, 1e6 + 0.1):  # sums of weighted numbers differ by rounding, which is nothing to split on
        table = Table.of({"x": random.normal(size=60), "y": np.full(60, value)}, "y", weights=3 * random.random(60))
        for params in ({"prune": "none"}, {"alpha": 0}):
            learner = CARTRegressor(criterion=criterion, **params)
            assert learner.train(table).size == grow_number(table, learner._options()).size == 1


@CRITERIA
def test_equal_numbers_far_from_the_others_are_a_leaf(criterion):
    """Beside the rounding of such far numbers, the spread of all the others is nothing."""
    n, random = 40, np.random.default_rng(3)
    numbers, weights = np.append(np.zeros(n), np.full(n, 1e6 + 0.1)), np.append(np.ones(n), 1e-9 * random.random(n))
    table = Table.of({"x": np.arange(2.0 * n), "y": numbers}, "y", weights=weights)
    learner = full(criterion, min_samples_leaf=1e-12, stop_rows=0)
    assert learner.train(table).size == grow_number(table, learner._options()).size == 2


@CRITERIA
def test_columns_without_values(criterion):
    table = Table.of({"none": [None] * 4, "x": [1.0, 2.0, 3.0, None], "y": [1.0, 1.0, 5.0, 5.0]}, "y", {"none": ["a"]})
    tree = full(criterion).train(table)
    assert lines(tree) == ["x <= 2.5: 1 (2 rows, deviation 0)", "x > 2.5 or missing: 5 (2 rows, deviation 0)"]


@CRITERIA
def test_missing_values_take_the_better_side(criterion):
    table = Table.of({"x": [1.0, 2.0, 3.0, 4.0, None, None], "y": [1.0, 1.0, 9.0, 9.0, 9.0, 9.0]}, "y")
    assert lines(full(criterion).train(table))[1] == "x > 2.5 or missing: 9 (4 rows, deviation 0)"


@CRITERIA
def test_leaves_of_equal_numbers_show_no_rounding(criterion):
    table = Table.of({"x": [1.0, 1.0, 1.0, 2.0, 2.0], "y": [0.3, 0.3, 0.3, 7.7, 7.7]}, "y")
    table = counted(table.with_weights(np.array([0.1, 0.7, 0.13, 1.1, 0.37])))
    assert lines(full(criterion, min_samples_leaf=0.5).train(table)) == [
        "x <= 1.5: 0.3 (0.93 rows, deviation 0)",
        "x > 1.5 or missing: 7.7 (1.47 rows, deviation 0)",
    ]


@CRITERIA
def test_equal_halves_by_rounding_are_equal(criterion):
    """0.1 + 0.2 is not 0.3 to a computer, but the first child is to have the missing values of equals."""
    table = Table.of({"x": [1.0, 2.0, 2.0], "y": [1.0, 5.0, 5.0]}, "y").with_weights(np.array([0.3, 0.1, 0.2]))
    tree = full(criterion, min_samples_leaf=0.1, stop_rows=0.1).train(table)
    assert lines(tree)[0].startswith("x <= 1.5 or missing")


def test_bad_parameters():
    with pytest.raises(UsageError, match=r"criterion='absolut' .* did you mean 'absolute'"):
        CARTRegressor(criterion="absolut").train(steps())
    with pytest.raises(UsageError, match=r"min_samples_leaf=0 .* above 0"):
        CARTRegressor(min_samples_leaf=0).train(steps())
    with pytest.raises(UsageError, match="prune='reduced'"):
        CARTRegressor(prune="reduced").train(steps())
    with pytest.raises(UsageError, match=r"prune_folds=1 .* at least 2"):
        CARTRegressor(prune_folds=1).train(steps())


def test_bad_targets():
    classes = Table.of({"x": [1.0, 2.0], "y": ["a", "b"]}, "y")
    with pytest.raises(DataError, match="y"):
        CARTRegressor().train(classes)
    with pytest.raises(DataError):
        CARTRegressor().train(Table.of({"x": [1.0], "y": [1.0]}, None))


@CRITERIA
def test_numbers_whose_squares_are_none_are_refused(criterion):
    learner, x = CARTRegressor(criterion=criterion), [1.0, 2.0]
    for call in (learner.train, learner.show_work):
        with pytest.raises(DataError, match=r"target 'y' holds -3e\+60; .* beyond 1e\+50 .* divide the column"):
            call(Table.of({"x": x, "y": [1.0, -3e60]}, "y"))
        with pytest.raises(DataError, match=r"target 'y' differ by at most 3e-160; .* multiply the column"):
            call(Table.of({"x": x, "y": [0.0, 3e-160]}, "y"))
    for size in (1e48, 1e-48):
        table = Table.of({"x": x, "y": [size, 2 * size]}, "y", weights=[1e30, 1e30])
        assert full(criterion).train(table).predict(table).tolist() == [size, 2 * size]


# --- public data


@pytest.mark.parametrize(
    ("name", "limit"), [("housing", 5.5), ("autoMpg", 4.4), ("servo", 1.1)], ids=["housing", "autoMpg", "servo"]
)
@CRITERIA
def test_errors_on_public_data(shared_data, name, limit, criterion):
    """Limits are well below the deviation of the target (9.2, 7.8 and 1.6), and above what other folds give.

    Over three seeds the errors were 4.1 to 4.9, 3.7 to 4.2 and 0.4 to 0.6; trees of scikit-learn, on folds of their own
    and with a column for each level, had 4.5 to 5.4, 4.0 to 4.6 and 0.5 to 0.8.
    """
    table = read(shared_data(f"regression/{name}.arff"))
    learner = cart(criterion, "min", prune_folds=5)
    assert regression.rmse(cross_validate(learner, table, folds=5, seed=1)) < limit
