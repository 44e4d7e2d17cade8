"""Going down trees equals the reference implementation, for one tree and many, for any number of threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import _kernels
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table
from hedgerow.models.base.decisions import decisions
from hedgerow.models.trees import descent
from hedgerow.models.trees.descent import Descent
from hedgerow.models.trees.nodes import Nodes
from hedgerow.models.trees.tree import child_shares, sum_to_inner_nodes
from tests.models.rules.rule_lists import MANY, schemas
from tests.models.rules.test_rule_list import random_table
from tests.models.trees.trees import full_tree, nodes, play_tree
from tests.reference import trees as reference_trees


@st.composite
def forests(draw):
    """A schema, some trees with random weights, and rows."""
    schema = draw(schemas())
    trees = draw(st.lists(nodes(schema, most=6), min_size=1, max_size=4))
    seed = draw(st.integers(0, 99))
    chance = np.random.default_rng(seed)
    routes = [
        child_shares(tree, sum_to_inner_nodes(tree, chance.integers(0, 3, (len(tree), 1)).astype(float))[:, 0])
        for tree in trees
    ]
    payloads = [chance.integers(0, 9, (len(tree), 3)).astype(float) for tree in trees]
    return random_table(schema, seed, draw(st.sampled_from([0, 1, 40, 700]))), trees, routes, payloads


@MANY
@given(forests())
def test_sums_of_payloads(forest):
    table, trees, routes, payloads = forest
    found = Descent.of(table.schema, trees, routes).sums(table, np.concatenate(payloads))
    plain = sum(reference_trees.descend(*one, table) for one in zip(trees, routes, payloads, strict=True))
    assert np.allclose(found, plain, rtol=1e-12, atol=1e-12)


@MANY
@given(forests())
def test_leaves(forest):
    table, trees, routes, _ = forest
    found = Descent.of(table.schema, trees[:1], routes[:1]).leaves(table)
    shares = reference_trees.descend(trees[0], routes[0], np.eye(len(trees[0])), table)
    alone = (shares > 0).sum(axis=1) == 1
    assert np.array_equal(found, np.where(alone, shares.argmax(axis=1), -1))


@MANY
@given(forests())
def test_votes(forest):
    table, trees, routes, payloads = forest
    votes = np.arange(1.0, len(trees) + 1)
    decided = [(payload.sum(axis=1) % 3).astype(np.int32) for payload in payloads]
    lay_out = Descent.of(table.schema, trees, routes)
    found = np.zeros((table.n_rows, payloads[0].shape[1]))
    lay_out.add_votes(found, table, np.concatenate(payloads), np.concatenate(decided), votes)
    plain = np.zeros_like(found)
    for tree, route, payload, classes, vote in zip(trees, routes, payloads, decided, votes, strict=True):
        leaf = Descent.of(table.schema, [tree], [route]).leaves(table)
        mixed = decisions(reference_trees.descend(tree, route, payload, table))
        plain[np.arange(len(plain)), np.where(leaf < 0, mixed, classes[leaf])] += vote
    assert np.array_equal(found, plain)


@MANY
@given(forests(), st.integers(0, 99), st.booleans())
def test_trees_asked_about_some_rows(forest, seed, by_number):
    table, trees, routes, payloads = forest
    random = np.random.default_rng(seed)
    rows = random.integers(0, table.n_rows, min(table.n_rows, 30)) if by_number else None
    n, width = table.n_rows if rows is None else len(rows), payloads[0].shape[1]
    asked = [(random.random(n) < 0.4).astype(np.uint8) for _ in trees]
    decided = [(payload.sum(axis=1) % width).astype(np.int32) for payload in payloads]
    lay_out, votes = Descent.of(table.schema, trees, routes), np.arange(1.0, len(trees) + 1)
    sums, counts = np.ones((2, n, width))
    lay_out.add_sums(sums, table, np.concatenate(payloads), rows, asked)
    lay_out.add_votes(counts, table, np.concatenate(payloads), np.concatenate(decided), votes, rows, asked)
    plain, plain_counts = np.ones((2, n, width))
    for one in range(len(trees)):
        alone, some = Descent.of(table.schema, [trees[one]], [routes[one]]), np.flatnonzero(asked[one])
        of = some if rows is None else rows[some]
        plain[some] += alone.sums(table, payloads[one], of)
        said = np.zeros((len(some), width))
        alone.add_votes(said, table, payloads[one], decided[one], votes[one : one + 1], of)
        plain_counts[some] += said
    assert np.allclose(sums, plain, rtol=1e-12)
    assert np.array_equal(counts, plain_counts)


@MANY
@given(forests(), st.integers(0, 99))
def test_some_rows_by_their_number(forest, seed):
    table, trees, routes, payloads = forest
    rows = np.random.default_rng(seed).integers(0, table.n_rows, min(table.n_rows, 30))
    lay_out, payload = Descent.of(table.schema, trees, routes), np.concatenate(payloads)
    assert np.array_equal(lay_out.sums(table, payload, rows), lay_out.sums(table, payload)[rows])
    alone = Descent.of(table.schema, trees[:1], routes[:1])
    assert np.array_equal(alone.leaves(table, rows), alone.leaves(table)[rows])


EXTREMES = [-np.inf, -1e308, -1.0, -5e-324, -0.0, 0.0, 5e-324, 1.0, np.nextafter(1.0, 2.0), 1e308, np.inf]


@pytest.mark.parametrize("threshold", [one for one in EXTREMES if np.isfinite(one)])
@pytest.mark.parametrize("missing", [0, 1])
def test_any_number_is_compared_exactly(threshold, missing):
    tree = Nodes.of([0, -1, -1], [threshold, 0, 0], [1, 0, 0], missing=[missing, -1, -1])
    values = np.array([*EXTREMES, np.nan, -np.nan])
    table = Table.of({"x": values, "y": ["a"] * len(values)}, "y")
    found = Descent.of(table.schema, [tree], [np.zeros(3)]).leaves(table)
    assert found.tolist() == [1 + (x > threshold) for x in EXTREMES] + [1 + missing] * 2


@pytest.mark.parametrize("n_levels", [2, 30, 31, 32, 33, 64, 200])
@pytest.mark.parametrize("n_children", [2, 3])
@pytest.mark.parametrize("missing", [-1, 0, 1, 2])
def test_any_number_of_levels_and_children(n_levels, n_children, missing):
    """Few levels in two groups are stored as bits, others as tables; both follow the branch of the test."""
    if n_children > n_levels or missing >= n_children:
        return
    child = np.random.default_rng(n_levels).integers(0, n_children, n_levels).astype(np.int32)
    child[:n_children] = np.arange(n_children)
    n = 1 + n_children
    starts = [0, *[n_levels] * n]
    leaves = [-1] * n_children
    tree = Nodes.of([0, *leaves], [0] * n, [1, *[0] * n_children], starts, child, [missing, *leaves])
    codes = np.r_[np.arange(n_levels), -1].astype(np.int32)
    levels = tuple(f"v{i}" for i in range(n_levels))
    columns = (Column("x", Kind.NOMINAL, levels), Column("y", Kind.NOMINAL, ("a", "b")))
    table = Table(Schema(columns, "y"), (codes, np.zeros(len(codes), np.int32)), len(codes))
    found = Descent.of(table.schema, [tree], [np.r_[1.0, np.full(n_children, 1 / n_children)]]).leaves(table)
    assert np.array_equal(found[:-1], 1 + child)
    assert found[-1] == (-1 if missing < 0 else 1 + missing)


def test_many_columns_and_rows_of_many_parts():
    """More columns than a part of a block holds in the nearest cache, rows beyond one block, trees of one leaf."""
    chance = np.random.default_rng(5)
    columns = {f"x{i}": chance.normal(size=5000) for i in range(300)}
    table = Table.of({**columns, "y": chance.choice(["a", "b"], 5000)}, "y")
    trees = [Nodes.of([i, -1, -1], [0.1, 0, 0], [1, 0, 0]) for i in range(0, 300, 7)]
    trees.append(Nodes.of([-1], [0], [0]))
    routes = [np.ones(len(tree)) for tree in trees]
    payloads = [chance.integers(0, 9, (len(tree), 2)).astype(float) for tree in trees]
    found = Descent.of(table.schema, trees, routes).sums(table, np.concatenate(payloads))
    plain = sum(reference_trees.descend(*one, table) for one in zip(trees, routes, payloads, strict=True))
    assert np.array_equal(found, plain)
    only_leaf = Descent.of(table.schema, trees[-1:], routes[-1:])
    assert not only_leaf.leaves(table).any()


def test_any_number_of_threads_gives_the_same(monkeypatch):
    model = full_tree()
    table = random_table(model.schema, 1, 10_001)
    one = model.distribution(table)
    monkeypatch.setattr(descent, "LEAST_ROWS", 100)
    for threads in ("1", "2", "7"):
        monkeypatch.setenv("HEDGEROW_THREADS", threads)
        assert np.array_equal(model.distribution(table), one)
        assert np.array_equal(model.leaves(table), model.leaves(table.slice(0, 10_001)))


def test_strided_columns_are_taken():
    model = play_tree()
    data = random_table(model.schema, 2, 80)
    every_second = Table(model.schema, tuple(values[::2] for values in data.data), 40)
    assert np.array_equal(model.distribution(every_second), model.distribution(data)[::2])


def test_a_code_beyond_the_levels_is_refused():
    model = play_tree()
    data = (np.array([3], np.int32), np.array([1.0]), np.array([0], np.int32), np.array([0], np.int32))
    with pytest.raises(IndexError, match="a level code is out of range"):
        model.distribution(Table(model.schema, data, 1))
    data = (np.array([-2], np.int32), *data[1:])
    with pytest.raises(IndexError, match="a level code is out of range"):
        model.distribution(Table(model.schema, data, 1))


def changed(place, at, value):
    tests = list(full_tree().descent.tests)
    tests[place] = tests[place].copy()
    tests[place][at] = value
    return tuple(tests)


@pytest.mark.parametrize(
    ("place", "at", "value"),
    [(0, 0, 9), (2, 0, 0), (2, 0, 6), (3, 0, 9), (3, 1, 0), (4, 1, 9), (4, 1, -1), (5, 1, 9), (6, 0, 9), (6, 0, -1),
     (7, 0, 9), (7, 0, -1), (8, 0, 2), (8, 0, -2), (9, 1, 9), (10, 0, 7), (10, 0, -1), (12, 0, 2), (13, 0, 7),
     (14, 0, 2), (14, 0, -2), (15, 1, 7), (16, 0, 7), (17, 0, 2), (17, 0, -2)],
)  # fmt: skip
def test_tests_outside_their_arrays_are_refused(place, at, value):
    levels = full_tree().descent.levels
    _kernels.pack_trees(full_tree().descent.tests, 1, levels)
    with pytest.raises(IndexError):
        _kernels.pack_trees(changed(place, at, value), 1, levels)


def test_arrays_that_do_not_fit_are_refused():
    lay_out = full_tree().descent
    tests, packed, levels, roots = lay_out.tests, lay_out.packed, lay_out.levels, lay_out.roots
    number, code = np.zeros(2), np.zeros(2, np.int32)
    right = ([number], [code, code], levels, None, roots, [], np.zeros((7, 2)), np.zeros((2, 2)))
    marks = np.ones(2, np.uint8)
    _kernels.add_payloads(tests, packed, *right)
    for place, wrong in [
        (0, [number[:1]]), (1, [code, code[:1]]), (1, [code]), (2, levels[:1]), (3, np.array([0, 2])),
        (3, np.array([-1, 0])), (3, np.array([0])), (4, roots + 7), (4, roots - 1),
        (5, [marks, marks]), (5, [marks[:1]]),
        (6, np.zeros((6, 2))), (6, np.zeros((7, 3))), (7, np.zeros((3, 2))),
    ]:  # fmt: skip
        given_parts = [*right]
        given_parts[place] = wrong
        with pytest.raises(ValueError, match=r"differ|out of range"):
            _kernels.add_payloads(tests, packed, *given_parts)
    with pytest.raises(ValueError, match="differ"):
        _kernels.add_payloads((tests[0], tests[1][:1], *tests[2:]), packed, *right)
    with pytest.raises(ValueError, match="differ in nodes"):
        _kernels.add_payloads(tests, (packed[0][:16], *packed[1:]), *right)
    with pytest.raises(TypeError):
        _kernels.add_payloads(tests, packed, [number.astype(np.float32)], *right[1:])
    with pytest.raises(ValueError, match="a class is out of range"):
        _kernels.add_votes(tests, packed, *right[:7], np.full(7, 2, np.int32), np.ones(1), right[7])
