"""Trees of the kernels skip the checks of trees from files and users: they must pass them all the same."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import C45, CART, ID3, AdaBoost, Bagging, CARTRegressor, ModelError, RandomForest, Table
from hedgerow.models.many.committee import Forest
from hedgerow.models.trees.nodes import Nodes, nodes_parts
from hedgerow.models.trees.tree import Tree
from tests.learn.trees.tree_tables import mixed_table

LEARNERS = [
    C45(), C45(prune="none", mdl=False), C45(prune="reduced"), C45(subset=True, raising=False), CART(),
    CART(missing_route="surrogate"), CART(prune="none"),
    RandomForest(n_estimators=3), Bagging(n_estimators=3), AdaBoost(n_estimators=3),
]  # fmt: skip


def checked(tree):
    """Return what the constructor makes of a tree's parts, with all checks."""
    return Tree(tree.schema, Nodes.of(**nodes_parts(tree.nodes)), tree.weights)


def same(one, other):
    return one == other and all(
        nodes_parts(one.nodes)[name].dtype == array.dtype for name, array in nodes_parts(other.nodes).items()
    )


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 999), st.sampled_from([None, "whole", "fractional"]), st.sampled_from([1, 2, 60, 300]))
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_trees_of_kernels_pass_all_checks(learner, seed, weights, rows):
    model = learner.train(mixed_table(seed, rows, weights))
    for tree in getattr(model, "members", [model]):
        assert tree.nodes.canonical()[1] is None
        assert same(checked(tree), tree)


def test_nominal_and_numeric_targets_too():
    table = Table.of({"a": list("uuvvww"), "y": list("ppqqpp")}, "y")
    tree = ID3().train(table)
    assert same(checked(tree), tree)
    numbers = CARTRegressor().train(mixed_table(3, number=True))
    assert numbers.nodes.canonical()[1] is None
    Nodes.of(**nodes_parts(numbers.nodes))


def test_a_threshold_that_is_not_finite_is_still_refused():
    nodes = CART().train(mixed_table(1)).nodes
    parts = {one.name: getattr(nodes, one.name) for one in fields(nodes)}
    with pytest.raises(ModelError, match="not a finite number"):
        Nodes.from_kernel(**parts | {"thresholds": np.full(len(nodes), np.inf)})


@pytest.mark.parametrize("rule", ["vote", "average"])
@pytest.mark.parametrize("learner", LEARNERS[:6], ids=str)
def test_votes_on_some_rows_are_those_of_a_table_of_these_rows(learner, rule):
    table, rows = mixed_table(4, 200), np.array([5, 3, 3, 199, 0, 77])
    model = learner.train(table)
    taken = table.take(rows)
    expected = model.scores(taken) if rule == "average" else np.eye(3)[model.decide_rows(taken)]
    votes, none = np.zeros((len(rows), 3)), np.zeros((0, 3))
    forest = Forest([model], np.ones(1), rule)
    forest.add(votes, table, rows)
    forest.add(none, table, rows[:0])
    assert np.allclose(votes, expected, rtol=1e-12)
    assert np.array_equal(votes, expected) or rule == "average"
    again = np.zeros_like(votes)
    forest.add(again, table, rows, [np.array([1, 0, 1, 0, 0, 1], dtype=np.uint8)])
    assert np.array_equal(again, votes * np.array([1, 0, 1, 0, 0, 1])[:, None])
