import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table
from hedgerow.errors import ModelError
from hedgerow.models.base.decisions import decisions
from hedgerow.models.base.rule import Rule, round_weights
from hedgerow.models.trees.nodes import Nodes
from hedgerow.models.trees.tree import NumberTree, Tree, round_weight_rows
from tests.models.rules.rule_lists import MANY, random_table
from tests.models.trees.trees import PLAY, full_tree, number_trees, play_tree, trees
from tests.reference import trees as reference_trees
from tests.textbook import loan_a, loan_b

XY = Schema((Column("x", Kind.NUMERIC), Column("y", Kind.NOMINAL, ("a", "b"))), "y")
CUT = Nodes.of([0, -1, -1], [0.5, 0, 0], [1, 0, 0])
LOAN = """\
Own_House = false
|   Has_Job = false: No (6)
|   Has_Job = true: Yes (3)
Own_House = true: Yes (6)"""


def at(*values):
    """Rows of XY."""
    return Table(XY, (np.array(values, dtype=np.float64), np.zeros(len(values), np.int32)), len(values))


@MANY
@given(st.lists(st.lists(st.floats(0, 1e12), min_size=2, max_size=2), min_size=1, max_size=6))
def test_weights_of_many_leaves_are_stored_as_those_of_one(rows):
    """But for a last digit where a weight is just between two decimals."""
    kept = round_weight_rows(np.array(rows))
    assert np.array_equal(round_weight_rows(kept), kept)
    for weights, many in zip(rows, kept.tolist(), strict=True):
        assert round_weights(many) == tuple(many)
        assert np.allclose(many, round_weights(weights), rtol=0, atol=1.1e-5 * sum(weights))


def test_weights_of_leaves_are_rounded_once():
    assert round_weight_rows(np.array([[0.777947, 9.222049], [0.25, 1 / 3]])).tolist() == [
        [0.7779, 9.222],
        [0.25, 0.333333],
    ]


@MANY
@given(trees(), st.integers(0, 99))
def test_a_tree_predicts_as_its_plain_twin(model, seed):
    table = random_table(model.schema, seed)
    plain = reference_trees.descend(model.nodes, model.routes, model.leaf_shares, table)
    assert np.allclose(model.distribution(table), plain, rtol=1e-12, atol=0)
    assert np.allclose(plain.sum(axis=1), 1)


@MANY
@given(trees(costs=False), st.integers(0, 99))
def test_a_leaf_decides_for_the_class_it_prints_and_others_for_the_most_probable(model, seed):
    table = random_table(model.schema, seed)
    leaves = model.leaves(table)
    said = model.decide(table)
    assert np.array_equal(said, decisions(model.distribution(table)))
    assert np.array_equal(said[leaves >= 0], model.decisions[leaves[leaves >= 0]])
    assert not (model.nodes.columns[leaves[leaves >= 0]] >= 0).any()


@MANY
@given(number_trees(), st.integers(0, 99))
def test_a_number_tree_predicts_as_its_plain_twin(model, seed):
    table = random_table(model.schema, seed)
    plain = reference_trees.descend(model.nodes, model.routes, model.numbers[:, None], table)[:, 0]
    assert np.allclose(model.predict(table), plain, rtol=1e-9, atol=1e-12 * np.abs(model.numbers).max())


@MANY
@given(trees(), st.randoms(use_true_random=False))
def test_any_numbering_of_the_nodes_is_the_same_tree(model, random):
    """Families are moved as a whole; within a family the order is that of the children."""
    nodes = model.nodes
    families = [list(nodes.children(node)) for node in range(len(nodes)) if nodes.columns[node] >= 0]
    random.shuffle(families)
    order = np.array([0, *(node for family in families for node in family)])
    number = np.argsort(order)
    first = np.where(nodes.columns < 0, 0, number[nodes.first])[order]
    runs = [nodes.levels_of(node) for node in order]
    held = [one for node in order for one in nodes.surrogates(node)]
    inner = [nodes.surrogate_levels_of(one) for one in held]
    moved = Nodes.of(
        nodes.columns[order], nodes.thresholds[order], first,
        np.cumsum([0, *map(len, runs)]), np.concatenate(runs), nodes.missing[order],
        np.cumsum([0, *(len(nodes.surrogates(node)) for node in order)]),
        nodes.surrogate_columns[held], nodes.surrogate_thresholds[held], nodes.surrogate_first[held],
        np.cumsum([0, *map(len, inner)]), np.concatenate([*inner, np.empty(0)]),
    )  # fmt: skip
    again = Tree(model.schema, moved, model.weights[order], model.decisions[order], model.added, model.costs)
    assert again == model


def test_inner_nodes_have_the_sum_of_their_children():
    model = play_tree()
    assert model.weights[0].tolist() == [5, 9]
    assert model.weights[1:4].tolist() == [[3, 2], [0, 4], [2, 3]]
    assert model.decisions[:4].tolist() == [1, 0, 1, 1]
    assert (model.size, len(model.nodes), model.nodes.depth) == (5, 8, 2)


def test_a_missing_value_takes_every_branch_by_its_weight():
    """Row 4: Rainy and Windy; row 5: no Outlook, so 5/14 of Sunny, 4/14 of Overcast, 5/14 of Rainy."""
    found = play_tree().distribution(PLAY)
    assert found[:4].tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]
    sunny, rainy = 5 / 14 * 3 / 5, 5 / 14  # humidity is missing too; windy is known
    assert found[4, 0] == pytest.approx(sunny + rainy)


def test_surrogates_stand_in_and_then_the_marked_branch():
    model = full_tree()
    leaf = model.leaves(Table.of({"Outlook": ["Sunny", "Overcast", None, None], "Humidity": [None] * 4,
                                  "Windy": ["yes", "yes", "yes", "no"], "Play": [None] * 4},
                                 levels={"Outlook": PLAY.schema["Outlook"].levels, "Windy": ("no", "yes"),
                                         "Play": ("No", "Yes")}))  # fmt: skip
    assert leaf.tolist() == [6, 2, 2, 2]  # the first goes on to Humidity again: one of the leaves there is empty


def test_laplace_and_the_m_estimate():
    weights = [[0, 0], [3, 0], [1, 2]]
    assert Tree(XY, CUT, weights).distribution(at(0)).tolist() == [[1, 0]]
    assert Tree(XY, CUT, weights, added=[1, 1]).distribution(at(0)).tolist() == [[4 / 5, 1 / 5]]
    assert Tree(XY, CUT, weights, added=[0.5, 1.5]).distribution(at(1)).tolist() == [[1.5 / 5, 3.5 / 5]]


def test_an_empty_leaf_has_the_distribution_of_its_nearest_ancestor_that_is_not_empty():
    model = Tree(XY, CUT, [[9, 9], [1, 3], [0, 0]])
    assert model.distribution(at(1)).tolist() == [[0.25, 0.75]]
    assert model.decisions.tolist() == [1, 1, 1]
    assert str(model).split("\n")[1] == "x > 0.5: b (0)"


def test_a_stated_class_is_predicted_even_if_it_is_not_the_heaviest():
    model = Tree(XY, CUT, [[0, 0], [5, 1], [2, 2]], [-1, 1, 1])
    assert model.predict(at(0, 1)).tolist() == ["b", "b"]
    assert model.distribution(at(0, 1)) == pytest.approx(0.5)


def test_costs_change_the_class_but_not_the_probability():
    """M032: to say b costs 5 when it is a, so b must be five times as probable."""
    model = Tree(XY, CUT, [[0, 0], [1, 4], [1, 6]], costs=[[0, 5], [1, 0]])
    assert model.predict(at(0, 1)).tolist() == ["a", "b"]
    assert model.distribution(at(0, 1)).tolist() == [[0.2, 0.8], [1 / 7, 6 / 7]]
    assert model.predict(at(np.nan)).tolist() == ["a"]  # 2 : 10 of all is just as dear: the first of equals
    assert Tree(XY, CUT, [[0, 0], [1, 4], [1, 6]], costs=np.zeros((2, 2))).costs is None


def test_fractional_weights_are_kept_as_they_print():
    model = Tree(XY, CUT, [[0, 0], [1 / 3, 2 / 3], [1e6 + 1, 2]])
    assert model.weights[1:].tolist() == [[0.33333, 0.66667], [1000001, 2]]
    assert Tree(XY, CUT, model.weights) == model


def test_numbers_are_kept_to_what_their_deviation_makes_sense_of():
    schema = Schema((Column("x", Kind.NUMERIC), Column("y", Kind.NUMERIC)), "y")
    given_numbers = np.array([0, 70.66666666, 1.7e9 + 1 / 3])
    model = NumberTree(schema, CUT, [0, 3, 9], given_numbers, [0, 4.123456789, 0])
    assert model.numbers[1:].tolist() == [70.66667, 1700000000.33]
    assert model.deviations[1] == 4.12346
    assert model.numbers[0] == pytest.approx((3 * 70.66667 + 9 * 1700000000.33) / 12)
    assert given_numbers[1] == 70.66666666
    assert model.predict(Table.of({"x": [0.5, None]})).tolist() == [70.66667, model.numbers[0]]
    assert model.size == 2


def test_rules_of_the_loan_tree():
    """G25, with the counts right: support 6/15, 3/15, 6/15, confidence 1; the same of both variants."""
    for table in (loan_a(), loan_b()):
        rules = Tree.parse(LOAN, table.schema).rules()
        assert [str(Fraction(rule.support(15)).limit_denominator(15)) for rule in rules.rules] == ["2/5", "1/5", "2/5"]
        assert [rule.confidence for rule in rules] == [1, 1, 1, 0]
        assert str(rules) == (
            "if Own_House = false and Has_Job = false then Class = No (6/0)  # support 40 %, confidence 100 %\n"
            "if Own_House = false and Has_Job = true then Class = Yes (3/0)  # support 20 %, confidence 100 %\n"
            "if Own_House = true then Class = Yes (6/0)  # support 40 %, confidence 100 %\n"
            "otherwise Class = Yes"
        )
        assert np.array_equal(rules.decide(table), table.target)


def test_rules_print_with_support_and_confidence():
    """G25."""
    assert str(Tree.parse(LOAN, loan_a().schema).rules()) == (
        "if Own_House = false and Has_Job = false then Class = No (6/0)  # support 40 %, confidence 100 %\n"
        "if Own_House = false and Has_Job = true then Class = Yes (3/0)  # support 20 %, confidence 100 %\n"
        "if Own_House = true then Class = Yes (6/0)  # support 40 %, confidence 100 %\n"
        "otherwise Class = Yes"
    )


def test_rules_of_empty_leaves_and_of_trees_without_counts_print_what_they_have():
    empty = Tree(XY, CUT, np.array([[3, 1.5], [3, 1.5], [0, 0]]))
    assert str(empty.rules()) == (
        "if x <= 0.5 then y = a (4.5/1.5)  # support 66.7 %, confidence 66.7 %\nif x > 0.5 then y = a\notherwise y = a"
    )
    written = Tree.parse("x <= 0.5: a\nx > 0.5: b", XY)
    assert str(written.rules()) == "if x <= 0.5 then y = a\nif x > 0.5 then y = b\notherwise y = a"
    lone = Tree.parse(": b (3/1)", XY)
    assert str(lone.rules()) == "otherwise y = b (3/1)  # support 66.7 %, confidence 66.7 %"


def test_support_counts_the_rows_that_are_covered_and_right():
    """G27: Credit_Rating=fair -> No has support 4/15 and confidence 4/5 with loan_A."""
    rule = Rule((), (4, 1))
    assert (rule.support(15), rule.confidence) == (4 / 15, 4 / 5)
    assert (Rule((), (0, 0)).confidence, Rule((), (0, 0)).support(3)) == (0, 0)
    for total in (0, 3, float("nan")):
        with pytest.raises(ModelError, match="cannot have its support computed from"):
            rule.support(total)


def test_paths_become_rules_with_the_tightest_conditions():
    text = """\
Humidity <= 80
|   Outlook in {Sunny, Rainy}
|   |   Humidity <= 70
|   |   |   Outlook = Sunny: No (1)
|   |   |   Outlook = Overcast: Yes (0)
|   |   |   Outlook = Rainy: No (2)
|   |   Humidity > 70: Yes (3)
|   Outlook = Overcast: Yes (2/1)
Humidity > 80: No (9)"""
    assert (
        str(Tree.parse(text, PLAY.schema).rules())
        == """\
if Humidity <= 70 and Outlook = Sunny then Play = No (1/0)  # support 5.9 %, confidence 100 %
if Humidity <= 70 and Outlook != Overcast and Outlook = Overcast then Play = Yes
if Humidity <= 70 and Outlook = Rainy then Play = No (2/0)  # support 11.8 %, confidence 100 %
if 70 < Humidity <= 80 and Outlook != Overcast then Play = Yes (3/0)  # support 17.6 %, confidence 100 %
if Humidity <= 80 and Outlook = Overcast then Play = Yes (2/1)  # support 5.9 %, confidence 50 %
if Humidity > 80 then Play = No (9/0)  # support 52.9 %, confidence 100 %
otherwise Play = No"""
    )


def test_a_lone_leaf_is_the_default_rule():
    assert str(Tree.parse(": Yes (9/3)", PLAY.schema).rules()).startswith("otherwise Play = Yes (9/3)  #")


@MANY
@given(trees(), st.integers(0, 99))
def test_rules_decide_complete_rows_as_the_tree_does(model, seed):
    table = random_table(model.schema, seed)
    known = np.ones(table.n_rows, dtype=bool)
    for position, column in enumerate(table.schema.columns):
        if column.kind is Kind.NUMERIC:
            known &= ~np.isnan(table.numbers(position))
        elif column.kind is Kind.NOMINAL:
            known &= table.codes(position) >= 0
    table = table.take(known)
    assert np.array_equal(model.rules().decide(table), model.decide(table))


def test_a_hundred_thousand_nodes_are_quick_work():
    n = 100_001
    inner = np.arange(n) < n // 2
    first = np.where(inner, 2 * np.arange(n) + 1, 0)
    nodes = Nodes.of(np.where(inner, 0, -1), np.zeros(n), first)
    model = Tree(XY, nodes, np.ones((n, 2)))
    assert model.weights[0].tolist() == [50001, 50001]
    assert nodes.depth == 16


def test_a_long_chain_neither_recurses_nor_hangs():
    n = 10_001
    inner = np.arange(n) % 2 == 1
    inner[0], inner[-2:] = True, False
    first = np.where(inner, np.arange(n) + 1 + (np.arange(n) % 2), 0)
    model = Tree(XY, Nodes.of(np.where(inner, 0, -1), -np.where(inner, np.arange(n), 0.0), first), np.ones((n, 2)))
    assert model.nodes.depth == 5000
    assert Tree.parse(str(model), XY) == model
    assert model.leaves(at(-1e9, 1)).tolist() == [n - 2, 2]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"weights": np.ones((2, 2))}, "weights of a tree have the shape"),
        ({"weights": -np.ones((3, 2))}, "finite numbers of at least 0"),
        ({"weights": np.full((3, 2), np.nan)}, "finite numbers"),
        ({"weights": np.full((3, 2), 1e300)}, "finite numbers"),
        ({"decisions": [0, 1]}, "3 classes from 0 to 1"),
        ({"decisions": [0, 1, 2]}, "3 classes from 0 to 1"),
        ({"decisions": [0, 1, -2]}, "3 classes from 0 to 1"),
        ({"added": [1]}, "weights added to the leaves of a tree have the shape"),
        ({"added": [-1, 1]}, "finite numbers of at least 0"),
        ({"costs": [[0, 1]]}, "costs of a tree have the shape"),
        ({"costs": [[1, 1], [1, 0]]}, "the diagonal of the costs must be 0"),
        ({"costs": [[0, -1], [1, 0]]}, "finite numbers of at least 0"),
        ({"schema": XY.with_target("x")}, "the target 'x' has no classes"),
        ({"nodes": Nodes.of([1, -1, -1], [0, 0, 0], [1, 0, 0])}, "which is the target to predict"),
        ({"nodes": Nodes.of([2, -1, -1], [0, 0, 0], [1, 0, 0])}, "tests column 3 of 2"),
        ({"nodes": Nodes.of([0, -1, -1], [0, 0, 0], [1, 0, 0], [0, 2, 2, 2], [0, 1])}, "2 levels of column 'x'"),
    ],
)
def test_what_does_not_fit_is_refused(changes, problem):
    parts = {"schema": XY, "nodes": CUT, "weights": np.ones((3, 2))} | changes
    with pytest.raises(ModelError, match=problem):
        Tree(**parts)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"columns": []}, "at least one node"),
        ({"columns": [[0]]}, "must be a list"),
        ({"columns": [0, -2, -1]}, "a column with a negative number"),
        ({"thresholds": [0.0]}, "a tree has 1 thresholds instead of 3"),
        ({"thresholds": [np.nan, 0, 0]}, "not a finite number"),
        ({"thresholds": [0, 1, 0]}, "a leaf of the tree has a test"),
        ({"first": [1, 1, 0]}, "a leaf of the tree has a test"),
        ({"first": [2, 0, 0]}, "outside its nodes"),
        ({"first": [0, 0, 0]}, "outside its nodes"),
        ({"first": [-1, 0, 0]}, "outside its nodes"),
        ({"missing": [2, -1, -1]}, "that the node does not have"),
        ({"missing": [-2, -1, -1]}, "that the node does not have"),
        ({"missing": [-1, 0, -1]}, "that the node does not have"),
        ({"level_starts": [0, 0, 0]}, "a tree has 3 level_starts instead of 4"),
        ({"level_starts": [0, 2, 2, 2], "level_children": [0, 0]}, "fewer than two children"),
        ({"level_starts": [0, 2, 2, 2], "level_children": [0, 2]}, "no level leads to a child of the tree"),
        ({"level_starts": [0, 2, 2, 2], "level_children": [-1, 1]}, "a child with a negative number"),
        ({"level_starts": [0, 0, 2, 2], "level_children": [0, 1]}, "a leaf of the tree has a test"),
        ({"level_starts": [0, 3, 2, 2], "level_children": [0, 1]}, "ascend from"),
        ({"columns": [0, -1, -1, -1], "thresholds": [0.0] * 4, "first": [1, 0, 0, 0]}, "1 of them cannot be reached"),
        ({"columns": [-1, 0, -1], "first": [0, 1, 0]}, "2 of them cannot be reached"),
        ({"columns": [0, 0, -1], "first": [1, 1, 0]}, "child of two, or its own descendant"),
        ({"columns": [0, 0, 0], "first": [1, 1, 1]}, "child of two, or its own descendant"),
    ],
)
def test_nodes_that_are_no_tree_are_refused(changes, problem):
    with pytest.raises(ModelError, match=problem):
        Nodes.of(**{"columns": [0, -1, -1], "thresholds": [0.0, 0, 0], "first": [1, 0, 0]} | changes)


def test_trees_can_be_pickled_and_copied():
    model = full_tree()
    before = model.distribution(PLAY)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert again == model
        assert np.array_equal(again.distribution(PLAY), before)


def test_levels_are_matched_by_value_and_unseen_ones_are_missing():
    other = Table.of({"Windy": ["no", "no"], "Humidity": [1, 99], "Outlook": ["Overcast", "Foggy"]})
    model = play_tree()
    assert model.predict(other).tolist()[0] == "Yes"
    assert model.distribution(other)[1, 0] == pytest.approx(5 / 14)
