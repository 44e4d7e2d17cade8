"""The kernels grow and prune the same trees as the reference implementation, for any number of threads."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hedgerow import CARTRegressor, Table, _kernels
from hedgerow.layout import rounding
from hedgerow.learn.trees.by_hand import (
    collapse,
    cost_sequence,
    grow,
    grow_number,
    prune_errors,
    prune_reduced,
    thresholds_of_table,
)
from hedgerow.learn.trees.by_hand.convert import to_tree
from hedgerow.learn.trees.by_hand.estimate import extra_errors
from hedgerow.learn.trees.by_hand.grow import grow_nodes
from hedgerow.learn.trees.by_hand.prune import collapse_nodes, cost_steps, prune_nodes
from hedgerow.learn.trees.by_hand.target import gini
from hedgerow.learn.trees.by_hand.work import TreeWork
from hedgerow.learn.trees.complexity import compute_alphas
from hedgerow.learn.trees.kernel_growth import TreeInput, row_leaves
from hedgerow.learn.trees.options import C45, CART, ID3
from hedgerow.learn.trees.pruning import cut_nodes, prune_by_reduced_error
from hedgerow.models.trees.nodes import nodes_parts
from tests.tree_tables import WEIGHTS, random_table, tables

SOME = settings(max_examples=25, suppress_health_check=list(HealthCheck))
FEW = settings(SOME, max_examples=5)

OPTIONS = {
    "c45": C45,
    "c45 to the last row": replace(C45, min_leaf=1.0, mdl=False),
    "groups": replace(C45, branching="groups"),
    "gain": replace(C45, criterion="gain", average_guard=False),
    "id3": ID3,
    "direction": replace(CART, missing="direction"),
    "surrogate": CART,
    "entropy": replace(CART, criterion="entropy", min_leaf=2.0, stop_rows=6.0, stop_share=0.9),
    "fractions": replace(CART, missing="fractions", max_depth=4, min_gain=0.01),
}
NUMBERS = {
    "direction": replace(CART, missing="direction"),
    "surrogate": CART,
    "stopped": replace(CART, missing="direction", min_leaf=3.0, stop_rows=8.0, max_depth=4, min_gain=0.02),
}
DIVIDING = ["c45", "c45 to the last row", "groups", "gain"]  # those that C4.5 prunes
EVERY = pytest.mark.parametrize("name", OPTIONS)


def fitting(table, options):
    """Return the table, for ID3 its nominal columns."""
    if options is not ID3:
        return table
    return table.select([column.name for column in table.schema.columns if column.kind.name == "NOMINAL"])


def assert_same(one, other, atol=1e-4):
    """The same tests in the same order, and the same weights."""
    ours, theirs = nodes_parts(one.nodes), nodes_parts(other.nodes)
    for name in ours:
        assert np.array_equal(ours[name], theirs[name]), f"{name} differ:\n{one}\n{other}"
    assert np.allclose(one.weights, other.weights, atol=atol)


def assert_same_arrays(one, other):
    assert one.keys() == other.keys()
    for name in one:
        assert np.array_equal(one[name], other[name]), name


# --- growing


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("weights", ["none", "whole", "heavy", "real"])
@pytest.mark.parametrize("missing", [False, True])
def test_nodes_of_many_cases(classes, weights, missing):
    """Cuts of large nodes are skimmed block by block; the best one is found all the same."""
    rng = np.random.default_rng(classes)
    n = 3500
    numbers = {
        "noise": rng.normal(size=n),
        "shifted": rng.normal(size=n),
        "steps": rng.integers(0, 400, n).astype(float),  # many cases a value, yet too many values for codes
    }
    drawn = numbers["shifted"] + 0.3 * (numbers["steps"] > 250) + rng.normal(size=n)
    group = np.searchsorted(np.quantile(drawn, np.arange(1, classes) / classes), drawn)
    for values in numbers.values():
        values[rng.random(n) < 0.1 * missing] = np.nan
    columns = {**numbers, "y": [f"k{i}" for i in group]}
    brought = {
        "none": None,
        "whole": rng.integers(1, 5, n).astype(float),
        "heavy": rng.integers(1, 60000, n).astype(float),
        "real": rng.uniform(0.2, 3, n),
    }[weights]
    table = Table.of(columns, "y", weights=None if brought is None else brought.tolist())
    for options in (C45, replace(CART, criterion="entropy", missing="direction")):
        options = replace(options, max_depth=2)
        rows = TreeInput(table, 1)
        assert_same(grow(table, options), rows.tree(rows.grow(options)))


@pytest.mark.parametrize("seed", range(4))
def test_weights_of_very_different_size(seed):
    """As boosting makes them: beside heavy rows, light ones are lost in rounding, and still part the rows there."""
    rng, n = np.random.default_rng(seed), 400
    columns = {
        "many": rng.normal(size=n),
        "noise": rng.normal(size=n),
        "few": rng.integers(0, 40, n).astype(float),
        "level": rng.choice(list("abcdef"), n),
    }
    yes = columns["many"] + columns["few"] / 20 + rng.normal(size=n) > 1
    weights = 10 ** rng.uniform(-18, 1.5, n)
    table = Table.of({**columns, "y": np.where(yes, "yes", "no")}, "y", weights=weights.tolist())
    for options in (C45, replace(CART, criterion="entropy", missing="direction")):
        options = replace(options, max_depth=4)
        rows = TreeInput(table, 1)
        assert_same(grow(table, options), rows.tree(rows.grow(options)))


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("left_out", [0.0, 0.3])
@pytest.mark.parametrize("threads", [1, 2])
def test_columns_for_one_tree(missing, left_out, threads):
    """They are used up instead of copied; the tree is the same, and there is no second one."""
    rng, n = np.random.default_rng(3), 9000
    columns = {"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.integers(0, 9, n).astype(float)}
    yes = columns["a"] + columns["c"] / 5 + rng.normal(size=n) > 1
    columns["b"][rng.random(n) < missing] = np.nan
    weights = (rng.random(n) >= left_out).astype(float)
    table = Table.of({**columns, "y": np.where(yes, "yes", "no")}, "y")
    for options in (C45, replace(CART, missing="direction")):
        one, many = (TreeInput(table, threads, once=once) for once in (True, False))
        parts = one.grow(options, weights)
        assert_same_arrays(parts, many.grow(options, weights))
        assert_same_arrays(one.lower_thresholds(parts), many.lower_thresholds(parts))
        with pytest.raises(RuntimeError, match="grown their last tree"):
            one.grow(options, weights)


@EVERY
@SOME
@given(tables(high=40, target="classes"), st.sampled_from([1, 2]))
def test_growing(name, table, threads):
    options = OPTIONS[name]
    table = fitting(table, options)
    rows = TreeInput(table, threads)
    assert_same(grow(table, options), rows.tree(rows.grow(options)))


@pytest.mark.parametrize("name", ["c45", "groups", "direction", "surrogate"])
@FEW
@given(tables(low=300, high=500, target="classes", distinct=True, classes=3))
def test_growing_on_numbers_with_many_values(name, table):
    """More than 255 different values are listed, not counted."""
    rows = TreeInput(table, 2)
    options = replace(OPTIONS[name], max_depth=5)
    assert_same(grow(table, options), rows.tree(rows.grow(options)))


@pytest.mark.parametrize("criterion", ["squared", "absolute"])
@pytest.mark.parametrize("name", NUMBERS)
@SOME
@given(tables(high=40))
def test_growing_for_numbers(name, criterion, table):
    options = replace(NUMBERS[name], criterion=criterion)
    rows = TreeInput(table, 1)
    parts = rows.grow(options)
    fast = rows.median_tree(parts) if criterion == "absolute" else rows.number_tree(parts)
    slow = grow_number(table, options)
    assert_same(slow, fast)
    assert np.allclose(slow.numbers, fast.numbers, atol=1e-4)
    assert np.allclose(slow.deviations, fast.deviations, atol=1e-4)


@pytest.mark.parametrize("criterion", ["squared", "absolute"])
@pytest.mark.parametrize("name", ["direction", "surrogate"])
@pytest.mark.parametrize(("seed", "n"), [(34, 13), (60, 18), (158, 30), (185, 24), (191, 15), (313, 25)])
def test_levels_of_equal_mean_and_sides_of_equal_weight(name, criterion, seed, n):
    """Real weights make equals differ in their last digit, which once told apart kernel and twin."""
    table = random_table(seed, n, missing=True, weights="real", target="whole")
    options = replace(NUMBERS[name], criterion=criterion)
    rows = TreeInput(table, 1)
    parts = rows.grow(options)
    fast = rows.median_tree(parts) if criterion == "absolute" else rows.number_tree(parts)
    assert_same(grow_number(table, options), fast)


@pytest.mark.parametrize("criterion", ["squared", "absolute"])
@settings(FEW, max_examples=3)
@given(tables(low=300, high=330, distinct=True))
def test_growing_for_numbers_with_many_values(criterion, table):
    options = replace(CART, criterion=criterion, missing="direction", max_depth=3)
    rows = TreeInput(table, 2)
    parts = rows.grow(options)
    fast = rows.median_tree(parts) if criterion == "absolute" else rows.number_tree(parts)
    assert_same(grow_number(table, options), fast)


# --- pruning


@pytest.mark.parametrize("name", DIVIDING)
@SOME
@given(tables(high=60, target="classes"), st.sampled_from([0.05, 0.25, 0.5]), st.booleans())
def test_collapsing_and_pruning_by_expected_errors(name, table, confidence, raising):
    rows = TreeInput(table, 1)
    parts = rows.collapse(rows.grow(OPTIONS[name]))
    root = grow_nodes(table, OPTIONS[name])
    collapse_nodes(root, table.schema)
    assert_same(to_tree(root, table.schema), rows.tree(parts))
    prune_nodes(root, table, confidence, raising)
    slow, fast = to_tree(root, table.schema), rows.prune(parts, confidence, raising)
    assert_same(slow, rows.tree(fast))
    assert_same(thresholds_of_table(slow, table), rows.tree(rows.lower_thresholds(fast)))


@FEW
@given(tables(low=300, high=500, target="classes", distinct=True))
@example(random_table(999999, 365, classes=3, missing=True, distinct=True))
def test_pruning_on_numbers_with_many_values(table):
    rows = TreeInput(table, 2)
    parts = rows.prune(rows.collapse(rows.grow(C45)), 0.25, raising=True)
    root = grow_nodes(table, C45)
    collapse_nodes(root, table.schema)
    prune_nodes(root, table, 0.25)
    slow = thresholds_of_table(to_tree(root, table.schema), table)
    # Weights are kept as they print; in each leaf, one halfway between two such numbers may be rounded either way.
    assert_same(slow, rows.tree(rows.lower_thresholds(parts)), atol=1.1e-3 * len(slow.weights))


def boosted_noise(n, seed=0):
    """Rows of noise whose weights differ by many powers of ten, as those of late rounds of boosting do."""
    rng = np.random.default_rng(seed)
    x = {
        "a": rng.normal(size=n),
        "b": rng.normal(size=n),
        "c": rng.integers(0, 40, n) / 4,
        "d": rng.choice(list("xyz"), n),
    }
    y = np.where(x["a"] + x["b"] + rng.normal(size=n) > 0, "p", "q")
    weights = 10 ** rng.uniform(-6, 0.5, n)
    return Table.of({**x, "y": y}, "y", weights=(weights * n / weights.sum()).tolist())


@pytest.mark.parametrize("raising", [True, False])
def test_pruning_in_threads_makes_the_same_tree(raising):
    table = boosted_noise(20_000)
    parts = TreeInput(table, 1).collapse(TreeInput(table, 1).grow(C45))
    one, two = (TreeInput(table, threads).prune(parts, 0.25, raising) for threads in (1, 2))
    assert len(parts["columns"]) >= 1024  # from there on threads share the branches
    for name, array in one.items():
        np.testing.assert_array_equal(array, two[name], err_msg=name)


@pytest.mark.parametrize("max_depth", [None, 0, 1, 3])
@pytest.mark.parametrize("n", [60, 3000])
def test_it_is_known_which_leaf_rows_are_in(n, max_depth):
    table = boosted_noise(n)
    rows = TreeInput(table, 1)
    rows.last = []
    parts = rows.prune(rows.collapse(rows.grow(replace(C45, max_depth=max_depth))), 0.25, raising=True)
    tree = rows.tree(rows.lower_thresholds(parts))
    np.testing.assert_array_equal(row_leaves(parts), tree.leaves(table))
    np.testing.assert_array_equal(rows.decide_rows(tree), tree.decide(table))
    other = TreeInput(table, 1).tree(parts)
    np.testing.assert_array_equal(rows.decide_rows(other), other.decide(table))  # not the last: rows go down


@pytest.mark.parametrize("options", [C45, CART, ID3], ids=["C45", "CART", "ID3"])
@pytest.mark.parametrize("max_depth", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("n", [1023, 1024, 1025, 3000])
def test_an_unpruned_tree_of_limited_depth_knows_the_rows_of_its_leaves(n, max_depth, options):
    """Leaves cut off by depth are told too, where nodes are too large (1,024 rows) to be grown as small branches."""
    table = boosted_noise(n)
    columns = ("d", "y") if options is ID3 else table.schema.names
    for rows in (TreeInput(table.select(columns), 1), TreeInput(table.select(columns).with_weights(None), 2)):
        parts = rows.grow(replace(options, max_depth=max_depth))
        assert parts["counts"][parts["columns"] < 0].sum() == n
        np.testing.assert_array_equal(row_leaves(parts), rows.tree(parts).leaves(rows.table))


@pytest.mark.parametrize("max_depth", [0, 1, 2])
@pytest.mark.parametrize("n", [1024, 1025])
def test_an_unpruned_tree_of_numbers_knows_the_rows_of_its_leaves(n, max_depth):
    table = boosted_noise(n).select(["a", "b", "c", "d"]).with_target("a")
    rows = TreeInput(table, 1)
    parts = rows.grow(replace(CART, criterion="squared", max_depth=max_depth))
    np.testing.assert_array_equal(row_leaves(parts), rows.number_tree(parts).descent.leaves(table))


def test_rows_without_weight_and_missing_values_go_down_the_tree():
    whole = boosted_noise(300)
    weights = np.where(np.arange(300) % 5, whole.row_weights, 0.0)
    lacking = whole.take(np.arange(300))
    lacking.numbers(0)[::7] = np.nan
    for table in (whole.with_weights(weights), lacking):
        rows = TreeInput(table, 1)
        rows.last = []
        tree = rows.tree(rows.lower_thresholds(rows.prune(rows.grow(C45), 0.25, raising=True)))
        np.testing.assert_array_equal(rows.decide_rows(tree), tree.decide(table))


@SOME
@given(tables(high=60, target="classes", weights="whole", missing=False))
def test_pruning_models_gives_the_same(table):
    """Models round their weights, but whole ones stay as they are."""
    rows = TreeInput(table, 1)
    parts = rows.prune(rows.collapse(rows.grow(C45)), 0.25, raising=True)
    assert_same(prune_errors(collapse(grow(table, C45)), table, 0.25), rows.tree(parts))


@pytest.mark.parametrize("name", ["c45 to the last row", "direction", "surrogate"])
@SOME
@given(tables(low=4, high=60, target="classes"), st.integers(0, 9))
def test_reduced_error_pruning(name, table, seed):
    held = np.random.default_rng(seed).random(table.n_rows) < 0.4
    if held.all() or not held.any():
        held = np.arange(table.n_rows) == 0
    rows = TreeInput(table, 1)
    parts = rows.grow(OPTIONS[name], rows.weights * ~held)
    fast = rows.tree(prune_by_reduced_error(parts, rows.sums_below(parts, rows.weights * held)))
    training = rows.tree(parts)
    assert_same(prune_reduced(training, table.take(np.flatnonzero(held))), fast)


@pytest.mark.parametrize("name", ["direction", "surrogate", "entropy"])
@SOME
@given(tables(high=60, target="classes"))
def test_cost_sequence(name, table):
    rows = TreeInput(table, 1)
    parts = rows.grow(OPTIONS[name])
    alphas = compute_alphas(rows, parts)
    for alpha, slow in cost_sequence(grow(table, OPTIONS[name])):
        assert_same(slow, rows.tree(cut_nodes(parts, alphas <= alpha + 1e-7)))


@pytest.mark.parametrize("criterion", ["squared", "absolute"])
@SOME
@given(tables(high=40))
def test_cost_sequence_for_numbers(criterion, table):
    options = replace(CART, criterion=criterion, missing="direction")
    rows = TreeInput(table, 1)
    parts = rows.grow(options)
    rows.absolute = criterion == "absolute"
    alphas = compute_alphas(rows, parts)
    root = grow_nodes(table, options)
    power = 1 if criterion == "absolute" else 2
    steps = cost_steps(root, lambda node: float(node.summary[0] * node.summary[2] ** power) / float(rows.weights.sum()))
    for alpha in steps:
        left = cut_nodes(parts, alphas <= alpha * (1 + 1e-9) + 1e-12)
        assert len(left["columns"]) == _size(root)


def test_savings_of_rounding_are_none():
    """By absolute error surrogates may send rows where they save nothing, but for 16 digits of large numbers."""
    values = 1e20 * np.array([2.041, -2.556, 0.418, -0.568, -0.453, -0.216, -2.02])
    levels = ["b", "b", "q", "s", "b", "b", None]
    table = Table.of({"c": levels, "y": values}, "y", {"c": ["a", "b", "q", "s"]}, [3.0, 3, 3, 3, 1, 2, 3])
    learner = CARTRegressor(
        criterion="absolute", missing_route="surrogate", min_samples_leaf=0.5, stop_rows=0, alpha=0.1
    )
    assert learner.train(table).size == learner._grow_by_hand(table, TreeWork(table.schema)).size == 2


def _size(node):
    return 1 + sum(map(_size, node.children))


# --- laws of growing


@EVERY
@SOME
@given(tables(high=60, target="classes"))
def test_any_number_of_threads_gives_the_same_arrays(name, table):
    table = fitting(table, OPTIONS[name])
    rows = TreeInput(table, 1)
    assert_same_arrays(rows.grow(OPTIONS[name]), TreeInput(table, 2).grow(OPTIONS[name], threads=3))


@pytest.mark.parametrize("options", [*OPTIONS.values(), *(replace(NUMBERS["direction"], criterion="absolute"),)])
@settings(SOME, max_examples=10)
@given(st.integers(0, 10**6), st.integers(2, 40), st.booleans())
def test_a_weight_is_a_number_of_rows(options, seed, n, missing):
    target = "real" if options.criterion == "absolute" else "classes"
    table = fitting(random_table(seed, n, classes=3, missing=missing, target=target), options)
    counts = np.random.default_rng(seed).integers(1, 4, n)
    repeated = TreeInput(table.take(np.repeat(np.arange(n), counts)), 1)
    weighed = TreeInput(table.with_weights(counts.astype(float)), 1)
    options = replace(options, average_guard=False)  # which levels are too many depends on the number of rows
    one, other = repeated.grow(options), weighed.grow(options)
    for name in ("columns", "thresholds", "first", "missing", "level_rests", "level_codes", "level_children"):
        assert np.array_equal(one[name], other[name]), name
    assert np.allclose(one["tallies"], other["tallies"])


def large(n, missing, target):
    """A large table: a column with ties, one without, and levels."""
    chance = np.random.default_rng(0)
    ties, free, codes = chance.integers(0, 40, n).astype(float), chance.normal(size=n), chance.integers(0, 4, n)
    if missing:
        free[chance.random(n) < 0.1] = np.nan
    score = ties / 40 + np.nan_to_num(free) + codes % 2 + chance.normal(size=n)
    columns = {"ties": ties, "free": free, "level": np.array(list("abcd"))[codes].tolist()}
    y = score if target == "number" else np.where(score > 1, "high", np.where(score < 0, "low", "mid")).tolist()
    return Table.of({**columns, "y": y}, "y")


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    "options", [C45, replace(CART, missing="direction"), CART], ids=["c45", "direction", "surrogate"]
)
def test_a_crew_shares_out_the_columns_of_a_large_node(options, missing):
    table = large(70_000, missing, "classes")
    options = replace(options, max_depth=6, min_leaf=20.0)
    weights = np.random.default_rng(1).random(table.n_rows)
    for chosen in (np.ones(table.n_rows), weights):
        grown = [TreeInput(table, threads).grow(options, chosen) for threads in (1, 2, 5)]
        assert len(grown[0]["columns"]) > 20
        assert_same_arrays(grown[0], grown[1])
        assert_same_arrays(grown[0], grown[2])


@pytest.mark.parametrize("criterion", ["squared", "absolute"])
def test_a_crew_on_numbers(criterion):
    table = large(66_000, True, "number")
    options = replace(CART, criterion=criterion, missing="direction", max_depth=3)
    one, other = (TreeInput(table, threads).grow(options) for threads in (1, 2))
    assert_same_arrays(one, other)


# --- trees of forests, which try some columns a node


def wide(n, p, seed=0):
    """Many columns of many different values, of which two matter."""
    chance = np.random.default_rng(seed)
    numbers = chance.normal(size=(n, p))
    y = np.where(numbers[:, 0] + numbers[:, 1] + chance.normal(size=n) > 0, "yes", "no")
    return Table.of({**{f"x{j}": numbers[:, j] for j in range(p)}, "y": y.tolist()}, "y")


@pytest.mark.parametrize(("n", "p", "tried"), [(400, 6, 2), (400, 30, 2), (3000, 30, 2)])
def test_forests_do_not_depend_on_threads_but_on_the_seed(n, p, tried):
    """With 30 listed columns of which 2 are tried columns are sorted at the nodes, with 6 of them they are kept."""
    rows = TreeInput(wide(n, p), 2)
    rows.rank_if_few(tried)
    options = OPTIONS["direction"]
    grown = [rows.grow(options, tried=tried, seed=7, threads=threads) for threads in (1, 2, 4)]
    assert_same_arrays(grown[0], grown[1])
    assert_same_arrays(grown[0], grown[2])
    other = rows.grow(options, tried=tried, seed=8)
    assert not np.array_equal(other["columns"], grown[0]["columns"])


def best_decrease(values, labels):
    """Return the largest decrease of Gini's index by a cut, and the cut's neighbors."""
    order = np.argsort(values)
    values, hot = values[order], np.eye(2)[labels[order]]
    low = hot.cumsum(axis=0)[:-1]
    high = hot.sum(axis=0) - low
    after = (low.sum(axis=1) * gini(low) + high.sum(axis=1) * gini(high)) / len(values)
    decrease = np.where(values[:-1] < values[1:], gini(hot.sum(axis=0)) - after, -1)
    at = int(decrease.argmax())
    return float(decrease[at]), float(values[at]), float(values[at + 1])


BITS = 2**64 - 1


def mixed(state):
    """SplitMix64, by which the kernel draws."""
    state = (state + 0x9E3779B97F4A7C15) & BITS
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & BITS
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & BITS
    return state ^ (state >> 31)


def drawn(state, n):
    """Return the columns in the order in which a node of this seed tries them."""
    order = list(range(n))
    for i in range(n - 1):
        state = mixed(state)
        j = i + state % (n - i)
        order[i], order[j] = order[j], order[i]
    return order


@pytest.mark.parametrize("p", [6, 30])
def test_every_split_is_the_best_of_the_tried_columns(p):
    """Also where columns are sorted at the nodes, which the kernel does with 30 columns but not with 6."""
    table = wide(300, p)
    rows = TreeInput(table, 1)
    rows.rank_if_few(2)
    parts = rows.grow(OPTIONS["direction"], tried=2, seed=3)
    numbers = np.column_stack([table.numbers(position) for position in range(p)])
    nodes = {0: (np.arange(300), 3)}
    inner = np.flatnonzero(parts["columns"] >= 0)
    assert len(inner) > 30
    for node in inner.tolist():
        here, state = nodes[node]
        tried = sorted(drawn(state, p)[:2])
        offers = [best_decrease(numbers[here, column], rows.codes[here]) for column in tried]
        best = int(offers[1][0] > offers[0][0] + 1e-9)
        _, low, high = offers[best]
        assert parts["columns"][node] == tried[best]
        assert parts["thresholds"][node] == rounding.choose_threshold(low, high)
        left = numbers[here, tried[best]] <= parts["thresholds"][node]
        for child, rest in enumerate((left, ~left)):
            seed = mixed(state ^ ((0xD1B54A32D192ED03 * (child + 1)) & BITS))
            nodes[int(parts["first"][node]) + child] = here[rest], seed


def test_the_best_of_the_tried_columns_wins():
    """Of three columns two are tried: the worst of three can never win, the best does in two of three seeds."""
    chance = np.random.default_rng(5)
    y = chance.integers(0, 2, 300)
    columns = {name: y + chance.normal(size=300) * noise for name, noise in (("good", 0.3), ("fair", 1), ("bad", 5))}
    table = Table.of({**columns, "y": [f"c{i}" for i in y]}, "y")
    rows = TreeInput(table, 1)
    roots = [int(rows.grow(CART, tried=2, seed=seed)["columns"][0]) for seed in range(300)]
    won = np.bincount(roots, minlength=3)
    assert won[2] == 0
    assert 160 < won[0] < 240


def test_all_columns_tried_is_no_choice():
    rows = TreeInput(random_table(3, 60), 1)
    whole, tried = rows.grow(CART), rows.grow(CART, tried=len(rows.schema.predictors), seed=5)
    assert_same_arrays(whole, tried)


# --- what the kernels share with the plain code


@settings(SOME, max_examples=300)
@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
def test_halfway_of_any_two_numbers(one, other):
    low, high = min(one, other), max(one, other)
    if low < high:
        assert _kernels.choose_threshold(low, high) == rounding.choose_threshold(low, high)


@pytest.mark.parametrize(("low", "high"), [(-np.inf, 3.0), (3.0, np.inf), (-np.inf, np.inf), (-1.7e308, 1.7e308)])
def test_halfway_is_finite(low, high):
    found = _kernels.choose_threshold(low, high)
    assert found == rounding.choose_threshold(low, high)
    assert np.isfinite(found)
    assert low <= found < high


@settings(SOME, max_examples=300)
@given(st.integers(-(10**6), 10**6), st.integers(1, 1000), st.integers(-6, 6))
def test_halfway_of_short_decimals(low, gap, digits):
    low, high = round(low * 10.0**digits, 9), round((low + gap) * 10.0**digits, 9)
    if low < high:
        assert _kernels.choose_threshold(low, high) == rounding.choose_threshold(low, high)


@settings(SOME, max_examples=200)
@given(st.floats(-1e6, 1e6))
def test_halfway_of_neighbors(low):
    high = float(np.nextafter(low, np.inf))
    found = _kernels.choose_threshold(low, high)
    assert found == rounding.choose_threshold(low, high)
    assert low <= found < high


@settings(SOME, max_examples=300)
@given(st.floats(0, 1e6), st.floats(0, 1), st.floats(0.001, 0.5))
def test_expected_errors(total, share, confidence):
    errors = share * total
    z = NormalDist().inv_cdf(1 - confidence)
    found = _kernels.estimate_errors(total, errors, confidence, z)
    plain = errors + extra_errors(total, errors, confidence) if total > 0 else 0.0
    assert found == pytest.approx(plain, rel=1e-9, abs=1e-9)


# --- edges


@pytest.mark.parametrize("name", OPTIONS)
def test_one_row_is_a_leaf(name):
    table = Table.of({"a": ["x"], "y": ["c"]}, "y")
    rows = TreeInput(table, 2)
    assert rows.tree(rows.grow(OPTIONS[name])).size == grow(table, OPTIONS[name]).size == 1


@pytest.mark.parametrize("weights", WEIGHTS)
def test_rows_of_no_weight_take_no_part(weights):
    table = random_table(11, 50, classes=3, missing=True, weights=weights)
    rows, kept = TreeInput(table, 1), np.arange(50) % 3 > 0
    part = TreeInput(table.take(np.flatnonzero(kept)), 1)
    one, other = rows.grow(CART, rows.weights * kept), part.grow(CART)
    assert_same(rows.tree(one), part.tree(other))


def test_bad_arrays_are_refused():
    rows = TreeInput(random_table(1, 10), 1)
    numbers = TreeInput(random_table(1, 10, target="real"), 1)
    with pytest.raises(ValueError, match="weight and columns differ in length"):
        rows.grow(CART, np.ones(3))
    with pytest.raises(ValueError, match="weight and columns differ in length"):
        numbers.grow(replace(CART, criterion="absolute"), np.ones(3))
    with pytest.raises(ValueError, match="a label is not below the number of classes"):
        _kernels.grow_classes(rows.columns, rows.codes + np.int32(9), 2, rows.weights, {}, 1)
    given = {"impurity": "odd", "branching": "binary", "missing": "direction"}
    with pytest.raises(ValueError, match="unknown impurity odd"):
        _kernels.grow_numbers(numbers.columns, numbers.numbers, numbers.weights, given, 1)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("tried", [0, 2])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("real", [False, True])
def test_small_branches_are_those_grown_node_by_node(classes: int, tried: int, criterion: str, real: bool) -> None:
    """Branches without missing values are grown at once; a column of one value, missing once, forbids it."""
    random, n = np.random.default_rng(classes), 6000
    columns = {
        "many": random.normal(size=n),
        "ties": random.integers(0, 900, n) / 4,
        "few": random.integers(0, 30, n).astype(np.float64),
        "level": random.choice(list("abcdefg"), n),
    }
    score = columns["many"] + columns["few"] / 10 + (columns["level"] > "c") + random.normal(0, 0.4, n)
    columns["class"] = np.array(["x", "y", "z"])[np.digitize(score, [1.5, 3.0][: classes - 1])]
    constant = np.array(["same"] * (n - 1) + [None], dtype=object)
    weights = random.uniform(0.5, 1.5, n) if real else random.poisson(1, n).astype(np.float64)
    options = replace(CART, criterion=criterion, missing="direction")
    at_once, by_node = (
        TreeInput(Table.of(given, "class")).grow(options, weights, tried=tried, seed=7)
        for given in (columns, {"constant": constant, **columns})
    )
    assert len(at_once["columns"]) > 300
    shifted = np.where(by_node["columns"] < 0, -1, by_node["columns"] - 1)
    assert np.array_equal(at_once["columns"], shifted)
    for name in ("thresholds", "first", "missing", "level_rests", "level_starts", "level_codes", "level_children"):
        assert np.array_equal(at_once[name], by_node[name])
    assert np.allclose(at_once["tallies"], by_node["tallies"], rtol=1e-9)
