"""A cost-sensitive model is evaluated by its predictions, not by the most probable classes."""

import numpy as np

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table
from hedgerow.evaluate import validate
from hedgerow.evaluate.metrics import measures
from hedgerow.evaluate.results import join_results
from hedgerow.models.trees.tree import Tree
from hedgerow.models.views.predictions import predictions

SCHEMA = Schema((Column("x", Kind.NUMERIC), Column("y", Kind.NOMINAL, ("a", "b"))), "y")
ROWS = Table.of({"x": [0, 0, 1], "y": ["a", "b", "b"]}, target="y", levels={"y": ["a", "b"]})


def test_what_is_said_counts_as_the_prediction():
    plain, dear = Tree(SCHEMA, *parts(None)), Tree(SCHEMA, *parts([[0, 5], [1, 0]]))
    assert plain.predict(ROWS).tolist() == ["b", "b", "b"]
    assert dear.predict(ROWS).tolist() == ["a", "a", "b"]
    results = validate.test(dear, ROWS)
    assert results.said.tolist() == results.decided.tolist() == [0, 0, 1]
    assert np.array_equal(results.predicted, plain.distribution(ROWS))
    assert measures.confusion(results).tolist() == [[1, 0], [1, 1]]
    assert validate.test(plain, ROWS).said is None


def test_parts_of_results_keep_what_was_said():
    results = validate.test(Tree(SCHEMA, *parts([[0, 5], [1, 0]])), ROWS)
    assert results.take(np.array([2, 0])).decided.tolist() == [1, 0]
    other = validate.test(Tree(SCHEMA, *parts(None)), ROWS)
    assert join_results([results, other]).decided.tolist() == [0, 0, 1, 1, 1, 1]


def test_a_class_that_only_the_data_know():
    rows = Table.of({"x": [0, 1], "y": ["c", "b"]}, target="y", levels={"y": ["c", "b", "a"]})
    assert validate.test(Tree(SCHEMA, *parts([[0, 5], [1, 0]])), rows).decided.tolist() == [0, 1]


def test_predicted_tables_hold_what_is_said():
    table = predictions(Tree(SCHEMA, *parts([[0, 5], [1, 0]])), ROWS)
    assert table["predicted y"].tolist() == [0, 0, 1]
    assert table["P(a)"].tolist() == [0.2, 0.2, 0.142857]


def parts(costs):
    tree = Tree.parse("x <= 0.5: b (5/1)\nx > 0.5: b (7/1)", SCHEMA)
    return tree.nodes, tree.weights, None, None, costs
