"""CART for classes and numbers: every parameter, cost-complexity by its definition, missing values, bad input."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

import hedgerow
from hedgerow import CART, CARTRegressor, Table, UsageError, examples, load
from hedgerow.evaluate.metrics import measures
from hedgerow.learn.sampling import select_weighted_rows, split_by_value_hash
from hedgerow.models.trees.tree import NumberTree, Tree
from tests.learn.trees.tree_tables import cards, lines, mixed_table, repeated, traced
from tests.textbook import weather_numeric

FULL = {"prune": "none"}
LATE = Table.of({"night": ["yes"], "abroad": ["yes"]})


def size(table, **params):
    return CART(**params).train(table).size


# --- growing


def test_the_full_binary_tree_of_the_weather():
    """G24."""
    assert lines(CART(prune="none").train(weather_numeric())) == [
        "Outlook = Overcast: Yes (4)",
        "Outlook != Overcast or missing",
        "|   Humidity <= 82.5 or missing",
        "|   |   Temperature <= 66.5: No (1)",
        "|   |   Temperature > 66.5 or missing: Yes (4)",
        "|   Humidity > 82.5",
        "|   |   Temperature <= 70.5: Yes (1)",
        "|   |   Temperature > 70.5 or missing: No (4)",
    ]


@pytest.mark.parametrize(
    ("params", "leaves"),
    [
        ({"stop_rows": 5}, 3),
        ({"stop_rows": 14}, 1),
        ({"stop_share": 0.8}, 3),
        ({"stop_share": 0.5}, 1),
        ({"max_depth": 0}, 1),
        ({"max_depth": 1}, 2),
        ({"min_gain": 0.11}, 1),
        ({"min_samples_leaf": 5}, 2),
        ({"min_samples_leaf": 8}, 1),
    ],
    ids=str,
)
def test_limits_stop_early(params, leaves):
    """G24: eta is stop_rows, pi is stop_share."""
    assert size(weather_numeric(), **FULL, **params) == leaves


def test_no_leaf_is_lighter_than_min_leaf():
    for table in (mixed_table(1), mixed_table(1, weights="fractional")):
        tree = CART(**FULL, min_samples_leaf=4).train(table)
        assert tree.weights[tree.nodes.is_leaf].sum(axis=1).min() >= 4 - 1e-4


def test_criterion_changes_the_tree():
    made = [{str(CART(**FULL, criterion=c).train(mixed_table(s))) for c in ("gini", "entropy")} for s in range(5)]
    assert any(len(trees) == 2 for trees in made)


# --- cost-complexity


def test_a_higher_price_leaves_a_smaller_nested_tree():
    table = mixed_table(2, 150)
    trees = [CART(alpha=alpha).train(table) for alpha in (0, 0.002, 0.005, 0.01, 0.05, 0.5)]
    sizes = [tree.size for tree in trees]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1
    for large, small in pairwise(trees):
        tests = [[line.split(":")[0] for line in lines(tree)] for tree in (large, small)]
        assert small.size == 1 or set(tests[1]) <= set(tests[0])


def test_a_price_of_zero_drops_only_what_does_not_help():
    table = mixed_table(3, 100)
    full, free = CART(prune="none").train(table), CART(alpha=0).train(table)
    assert free.size <= full.size
    errors = [(tree.predict(table) != full.predict(table)).sum() for tree in (full, free)]
    assert errors[0] == 0
    actual = np.array([*"kmn"])[table.target]
    assert (free.predict(table) != actual).sum() == (full.predict(table) != actual).sum()


@pytest.mark.parametrize("seed", range(5))
def test_one_standard_error_is_never_larger_than_the_best(seed):
    for table, learner in ((mixed_table(seed, 120), CART), (mixed_table(seed, 120, number=True), CARTRegressor)):
        sizes = [learner(rule=rule).train(table).size for rule in ("1se", "min")]
        assert sizes[0] <= sizes[1]


def direct_errors(learner, table, prices, folds, loss):
    """Return the cross-validated errors of pruned trees by definition: trained and tested fold by fold."""
    middles = [*(np.sqrt(a * b) for a, b in pairwise(prices)), 2 * prices[-1] + 1]
    found = []
    for price in middles:
        total = 0.0
        for test in split_by_value_hash(table, folds):
            model = learner(alpha=price).train(select_weighted_rows(table, table.row_weights - test))
            total += loss(model, table, test)
        found.append(total / table.row_weights.sum())
    return found


def wrong(model, table, weights):
    actual = np.array(table.schema.target_column.levels)[table.target]
    return float(weights[model.predict(table) != actual].sum())


def squared(model, table, weights):
    return float((weights * (model.predict(table) - table.numbers(table.schema.index("y"))) ** 2).sum())


@pytest.mark.parametrize("weights", [None, "whole"])
def test_cross_validated_errors_are_those_of_training_and_testing_fold_by_fold(weights):
    """The sequence is tested in one go inside; here tree by tree, through the learners' own predictions."""
    for learner, table, loss in (
        (CART, mixed_table(4, 40, weights), wrong),
        (CARTRegressor, mixed_table(4, 40, weights, number=True), squared),
    ):
        steps = learner(prune_folds=4).show_work(table).costs
        prices = [step.alpha for step in steps]
        expected = direct_errors(learner, table, prices, 4, loss)
        assert [step.expected for step in steps] == pytest.approx(expected, rel=1e-4)


def test_the_standard_error_of_a_share_and_the_choice_by_rule():
    steps = CART().show_work(weather_numeric()).costs
    for step in steps:
        assert step.deviation == pytest.approx(np.sqrt(step.expected * (1 - step.expected) / 14))
    chosen = [step for step in steps if step.reason]
    assert len(chosen) == 1
    assert chosen[0].leaves == CART().train(weather_numeric()).size
    assert "rule 1se" in chosen[0].reason


def test_equal_rows_do_not_spoil_the_cross_validation():
    """Rows that are repeated often are in all folds: kept together, a tree could never predict them."""
    rows = [("a", "n")] * 40 + [("a", "p")] * 10 + [("b", "p")] * 40 + [("b", "n")] * 10
    x, y = zip(*rows, strict=True)
    assert lines(CART().train(Table.of({"x": x, "y": y}, "y"))) == ["x = a or missing: n (50/10)", "x = b: p (50/10)"]


def test_prune_folds_and_random_state_choose_the_folds():
    table = mixed_table(6, 80)
    assert len({tuple(s.expected for s in CART(prune_folds=k).show_work(table).costs) for k in (3, 5, 10)}) == 3
    assert len({tuple(s.expected for s in CART(random_state=k).show_work(table).costs) for k in (1, 2, 3)}) == 3


def test_reduced_error_pruning_uses_rows_kept_aside():
    table = mixed_table(7, 150)
    tree = CART(prune="reduced").train(table)
    assert tree.size < size(table, **FULL)
    assert tree.weights[0].sum() == 135  # a tenth is kept aside


# --- missing values


def wet():
    return Table.of(
        {
            "humid": [30, 35, 40, 45, 80, 85, 90, None, None, 95],
            "rain": ["no", "no", "no", "no", "yes", "yes", "yes", "yes", "no", "no"],
            "wet": ["dry", "dry", "dry", "dry", "wet", "wet", "wet", "wet", "dry", "wet"],
        },
        "wet",
    )


def test_surrogates_stand_in_for_missing_values():
    tree = CART(**FULL, missing_route="surrogate").train(wet())
    assert lines(tree) == [
        "?   rain = no as humid <= 62.5",
        "?   rain = yes as humid > 62.5",
        "humid <= 62.5 or missing: dry (5)",
        "humid > 62.5: wet (5)",
    ]
    new = Table.of({"humid": [None, None, None], "rain": ["yes", "no", None]})
    assert tree.predict(new).tolist() == ["wet", "dry", "dry"]


def test_the_direction_is_the_better_side():
    table = Table.of({"x": [1, 2, 3, 4, None, None], "y": [*"nnpppp"]}, "y")
    assert lines(CART(**FULL).train(table)) == ["x <= 2.5: n (2)", "x > 2.5 or missing: p (4)"]


def test_surrogates_are_told_in_the_work():
    text = str(CART(**FULL, missing_route="surrogate").show_work(wet()))
    assert "Without humid: rain no as <= 62.5; yes as > 62.5 (agrees in 7 of 8 rows)" in text
    assert "Rows without humid and these: <= 62.5" in text


# --- skewed classes and costs


def confusion(**params):
    return measures.confusion(hedgerow.test(CART(**params).train(cards()), cards())).astype(int).tolist()


def test_skewed_classes():
    assert confusion() == [[90, 0], [10, 0]]
    assert confusion(balanced=True) == confusion(priors={"ok": 0.5, "fraud": 0.5}) == [[60, 30], [0, 10]]
    assert confusion(priors={"ok": 0.9, "fraud": 0.1}) == [[90, 0], [10, 0]]
    assert confusion(**FULL, costs={"fraud": {"ok": 8}}) == [[60, 30], [0, 10]]


def test_costs_keep_the_probabilities_and_smoothing_changes_them():
    plain, priced = CART(**FULL).train(cards()), CART(**FULL, costs=[[0, 1], [8, 0]]).train(cards())
    assert np.array_equal(plain.distribution(cards()), priced.distribution(cards()))
    assert plain.predict(LATE).tolist() != priced.predict(LATE).tolist()
    assert CART(**FULL, leaves="laplace").train(cards()).distribution(LATE)[0] == pytest.approx([6 / 11, 5 / 11])
    assert CART(**FULL, leaves="m", m=10).train(cards()).distribution(LATE)[0] == pytest.approx([14 / 19, 5 / 19])


# --- laws


EVERY = [
    {},
    {"rule": "min"},
    {"missing_route": "surrogate"},
    {"missing_route": "surrogate", **FULL},
    FULL,
    {"prune": "reduced"},
    {"balanced": True},
    {"balanced": True, "prune": "reduced"},
    {"alpha": 0.02},
    {"criterion": "entropy", "stop_share": 0.8, "stop_rows": 4},
    {"priors": {"k": 0.5, "m": 0.3, "n": 0.2}, "min_samples_leaf": 3, "prune_folds": 4},
]
NUMBERS = [
    {},
    {"rule": "min"},
    FULL,
    {"missing_route": "surrogate"},
    {"alpha": 0.1},
    {"max_depth": 2, "min_samples_leaf": 4},
]


@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
@pytest.mark.parametrize("params", EVERY, ids=str)
def test_the_tree_by_hand_is_that_of_the_kernel(params, weights, capsys):
    table = mixed_table(1, weights=weights)
    model, work = traced(CART(**params), table, capsys)
    assert str(model) == str(CART(**params).train(table))
    assert max(map(len, work.split("\n"))) <= 100


@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
@pytest.mark.parametrize("params", NUMBERS, ids=str)
def test_the_regression_tree_by_hand_is_that_of_the_kernel(params, weights, capsys):
    for seed in (3, 4):
        table = mixed_table(seed, weights=weights, number=True)
        model, work = traced(CARTRegressor(**params), table, capsys)
        assert str(model) == str(CARTRegressor(**params).train(table))
        assert max(map(len, work.split("\n"))) <= 100


@pytest.mark.parametrize("params", [{}, {"prune": "reduced"}, {"missing_route": "surrogate", "rule": "min"}], ids=str)
def test_repeating_a_row_equals_weighting_it(params):
    for seed in range(4):
        twice, weighted = repeated(mixed_table(seed))
        assert str(CART(**params).train(twice)) == str(CART(**params).train(weighted))


def test_row_order_does_not_matter():
    table = mixed_table(8, 90)
    order = np.random.default_rng(8).permutation(table.n_rows)
    for params in ({}, {"prune": "reduced"}):
        assert str(CART(**params).train(table)) == str(CART(**params).train(table.take(order)))


def test_the_print_is_the_model(tmp_path):
    for made, kind, table in (
        (CART(missing_route="surrogate", alpha=0.01), Tree, mixed_table(9)),
        (CARTRegressor(alpha=0.01), NumberTree, mixed_table(9, number=True)),
    ):
        tree = made.train(table)
        assert kind.parse(str(tree), tree.schema) == tree
        tree.save(tmp_path / "tree.hedge")
        assert load(tmp_path / "tree.hedge") == tree


def test_level_names_of_all_kinds():
    table = Table.of({"día": ["año nuevo", "晴れ", "a=b", "x: y"] * 4, "y": [*"nnpp"] * 4}, "y")
    tree = CART(**FULL).train(table)
    assert Tree.parse(str(tree), tree.schema) == tree
    assert "晴れ" in str(CART().show_work(table))


def test_identifiers_are_left_out_and_tiny_tables_are_leaves(capsys):
    assert "ID" not in str(CART(**FULL).train(examples.loan()))
    for table in (weather_numeric().slice(0, 1), Table.of({"y": [*"npp"]}, "y")):
        for params in ({}, FULL, {"prune": "reduced"}):
            assert size(table, **params) == 1
            assert traced(CART(**params), table, capsys)[0].size == 1


# --- numbers


def test_the_full_regression_tree_is_that_of_scikit_learn():
    """Distinct random numbers leave no ties, so both must part the rows alike."""
    random = np.random.default_rng(3)
    X = random.normal(size=(80, 3))
    y = X[:, 0] * 2 + random.normal(size=80)
    ours = CARTRegressor(**FULL, min_samples_leaf=3).fit(X, y)
    theirs = DecisionTreeRegressor(min_samples_leaf=3).fit(X, y)
    assert ours.predict(X) == pytest.approx(theirs.predict(X), rel=1e-4)
    alpha = float(np.median(theirs.cost_complexity_pruning_path(X, y).ccp_alphas)) * 1.01
    ours = CARTRegressor(alpha=alpha, min_samples_leaf=3).fit(X, y)
    theirs = DecisionTreeRegressor(ccp_alpha=alpha, min_samples_leaf=3).fit(X, y)
    assert ours.model_.size == theirs.get_n_leaves()
    assert ours.predict(X) == pytest.approx(theirs.predict(X), rel=1e-4)


@pytest.mark.parametrize(
    ("params", "leaves"),
    [
        ({"max_depth": 0}, 1),
        ({"max_depth": 1}, 2),
        ({"min_samples_leaf": 4}, 1),
        ({"stop_rows": 6}, 1),
        ({"min_gain": 15}, 1),
    ],
    ids=str,
)
def test_limits_of_regression_trees(params, leaves):
    table = Table.of({"x": [1, 2, 3, 4, 5, 6], "y": [1.0, 1, 2, 9, 9, 9]}, "y")
    assert CARTRegressor(**FULL, **params).train(table).size == leaves


def test_equal_numbers_have_no_deviation():
    """A leaf of one value far from the mean of all: sums of squares would leave a deviation of rounding."""
    table = Table.of(
        {"x": [1.0, 1, 1, 2, 2, 2], "y": [0.1, 0.1, 0.1, 1e9, 1e9, 1e9]}, "y", weights=[0.3, 0.7, 1, 2, 1, 1]
    )
    assert lines(CARTRegressor(**FULL).train(table)) == [
        "x <= 1.5: 0.1 (2 rows, deviation 0)",
        "x > 1.5 or missing: 1000000000 (4 rows, deviation 0)",
    ]


def test_small_deviations_far_from_the_mean_are_kept():
    table = Table.of({"x": [1.0, 1, 2, 2], "y": [0.001, 0.003, 1e7, 1e7]}, "y")
    assert lines(CARTRegressor(max_depth=1, **FULL).train(table))[0] == (
        "x <= 1.5 or missing: 0.002 (2 rows, deviation 0.001)"
    )


# --- bad input


BAD = [
    (CART, {"stop_share": 0}, "stop_share=0 .* above 0 and at most 1"),
    (CART, {"stop_share": 1.1}, "stop_share=1.1"),
    (CART, {"stop_rows": -1}, "stop_rows=-1"),
    (CART, {"alpha": -0.1}, "alpha=-0.1 .* at least 0 or none"),
    (CART, {"prune": "costs"}, "did you mean 'cost'"),
    (CART, {"criterion": "ginni"}, "did you mean 'gini'"),
    (CART, {"missing_route": "surogate"}, "did you mean 'surrogate'"),
    (CART, {"costs": [[0, 1], [1, 0]]}, "must be 3 x 3"),
    (CART, {"priors": {"k": 1}}, "leave out the class 'm'"),
    (CARTRegressor, {"min_samples_leaf": 0}, "min_samples_leaf=0"),
    (CARTRegressor, {"max_depth": -1}, "max_depth=-1"),
    (CARTRegressor, {"prune": "reduced"}, "must be one of cost, none"),
    (CARTRegressor, {"prune_folds": 0}, "prune_folds=0"),
]


@pytest.mark.parametrize(("learner", "params", "words"), BAD)
def test_bad_parameters_are_sentences(learner, params, words):
    with pytest.raises(UsageError, match=words):
        learner(**params).train(mixed_table(0, number=learner is CARTRegressor))


def test_bad_weights_are_sentences():
    for weights, words in ((np.r_[-1.0, np.ones(59)], "row 0"), (np.zeros(60), "all row weights are zero")):
        for learner in (CART, CARTRegressor):
            with pytest.raises(ValueError, match=words):
                learner().train(mixed_table(0, number=learner is CARTRegressor).with_weights(weights))


def test_heavy_rows_make_the_tree_of_light_ones():
    """Weights that add up to far more than there are rows are added as real numbers: no table goes up to them."""
    table = mixed_table(3, 400)
    heavy = table.with_weights(np.full(table.n_rows, 50_000.0))
    light = CART(criterion="entropy", prune="none").train(table)
    tree = CART(criterion="entropy", prune="none", min_samples_leaf=50_000, stop_rows=50_000).train(heavy)
    assert np.array_equal(tree.nodes.columns, light.nodes.columns)
    assert np.array_equal(tree.nodes.thresholds, light.nodes.thresholds)
    assert np.array_equal(tree.weights, light.weights * 50_000)
