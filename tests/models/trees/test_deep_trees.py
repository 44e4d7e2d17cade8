"""Trees deeper than Python's stack: they are made, learned, saved, loaded, predicted with, printed and parsed back."""

import copy
import pickle

import numpy as np
import pytest

import hedgerow
from hedgerow import C45, ID3
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table
from hedgerow.models.trees.nodes import Nodes
from hedgerow.models.trees.tree import Tree

SCHEMA = Schema((Column("x", Kind.NUMERIC), Column("y", Kind.NOMINAL, ("a", "b"))), "y")


def chain(depth):
    """A tree in which every level asks whether x is at most the next whole number; its leaves take turns."""
    n = 2 * depth + 1
    columns, thresholds, first = np.full(n, -1), np.zeros(n), np.zeros(n, dtype=np.int64)
    columns[:-1:2], thresholds[:-1:2], first[:-1:2] = 0, np.arange(depth), np.arange(1, n, 2)
    weights = np.zeros((n, 2))
    weights[1::4, 0] = weights[3::4, 1] = weights[-1, depth % 2] = 1
    return Tree(SCHEMA, Nodes.of(columns.tolist(), thresholds.tolist(), first.tolist()), weights)


def at(values):
    """Rows of the schema."""
    return Table(SCHEMA, (np.asarray(values, dtype=np.float64), np.zeros(len(values), np.int32)), len(values))


def test_ten_thousand_levels_are_saved_loaded_and_predicted_with(tmp_path):
    model, numbers = chain(10_000), np.arange(10_001)
    model.save(tmp_path / "deep.hedge")
    again = hedgerow.load(tmp_path / "deep.hedge")
    assert again == model == pickle.loads(pickle.dumps(model)) == copy.deepcopy(model)
    assert again.decide(at(numbers)).tolist() == (numbers % 2).tolist()
    assert again.distribution(at([np.nan])) == pytest.approx(np.array([[5001, 5000]]) / 10_001)


def test_two_thousand_levels_are_printed_and_parsed_back():
    model = chain(2000)  # the text grows with the square of the depth: ten thousand levels take 400 MB
    text = str(model)
    assert text.count("\n|   ") > 3990
    assert Tree.parse(text, SCHEMA) == model


@pytest.mark.parametrize("learner", [ID3(), C45(min_leaf=1)], ids=repr)
def test_a_learned_tree_may_be_deeper_than_the_stack(learner):
    """Every column tells one row apart, so each level of the tree sends one row away."""
    n = 1150
    columns = tuple(Column(f"c{i}", Kind.NOMINAL, ("no", "yes")) for i in range(n))
    schema = Schema((*columns, Column("class", Kind.NOMINAL, tuple("abcdefghij"))), "class")
    alone = np.eye(n, n + 1, dtype=np.int32)
    classes = (np.arange(n + 1) % 10).astype(np.int32)
    table = Table(schema, (*alone, classes), n + 1)
    model = learner.train(table)
    assert model.size > 1000
    assert (model.decide(table) == classes).all()
