"""The plain tree growers and pruners: their arithmetic, laws and edges."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, norm

from hedgerow import Table
from hedgerow.errors import UsageError
from hedgerow.learn.trees.by_hand import (
    TreeWork,
    collapse,
    cost_sequence,
    grow,
    grow_number,
    prune_errors,
    prune_reduced,
    thresholds_of_table,
)
from hedgerow.learn.trees.by_hand.convert import plain
from hedgerow.learn.trees.by_hand.estimate import expected_errors, extra_errors
from hedgerow.learn.trees.by_hand.grow import grow_nodes
from hedgerow.learn.trees.by_hand.plain import NodePlace, find_node_rows, leaves
from hedgerow.learn.trees.by_hand.prune import number_cost_sequence
from hedgerow.learn.trees.by_hand.target import NodeRows, gini, weighted_median
from hedgerow.learn.trees.options import C45, CART, ID3, TreeOptions
from hedgerow.models.trees.tree import Tree
from tests.textbook import contact_lenses, weather, weather_numeric

NUMBER = replace(CART, criterion="squared", min_leaf=1)
EVERY = [ID3, C45, replace(C45, branching="groups"), CART, replace(CART, missing="direction")]


def lines(tree):
    return str(tree).split("\n\n")[0].split("\n")


def c45(table, confidence=0.25, raising=True, **changes):
    grown = collapse(grow(table, replace(C45, **changes)))
    return thresholds_of_table(prune_errors(grown, table, confidence, raising), table)


# --- the estimate of errors


@pytest.mark.parametrize(("total", "limit"), [(6, 0.206), (9, 0.143), (1, 0.750)])
def test_limit_without_errors_is_quinlans(total, limit):
    """The C4.5 book prints U25%(6, 0) = 0.206, (9, 0) = 0.143 and (1, 0) = 0.750: the exact binomial limit."""
    assert extra_errors(total, 0, 0.25) / total == pytest.approx(limit, abs=5e-4)
    assert extra_errors(total, 0, 0.25) / total == pytest.approx(beta.ppf(0.75, 1, total))


def test_limit_with_errors_is_approximate():
    """The C4.5 book prints U25%(16, 1) = 0.157; the exact limit is 0.1596, ours the normal approximation 0.1547.

    It is the rate p at which errors + 1/2 lie z standard deviations below the expected p * total.
    """
    assert beta.ppf(0.75, 2, 15) == pytest.approx(0.1596, abs=5e-5)
    p = (1 + extra_errors(16, 1, 0.25)) / 16
    assert p == pytest.approx(0.1547, abs=5e-5)
    assert 16 * p - 1.5 == pytest.approx(norm.ppf(0.75) * np.sqrt(16 * p * (1 - p)))


def test_extra_errors_between_none_and_one_are_interpolated():
    none, one = extra_errors(10, 0, 0.25), extra_errors(10, 1, 0.25)
    assert extra_errors(10, 0.25, 0.25) == pytest.approx(none + 0.25 * (one - none))


def test_extra_errors_at_the_edges():
    assert extra_errors(0, 0, 0.25) == 0
    assert extra_errors(2, 1.7, 0.25) == pytest.approx(0.3)
    assert extra_errors(0.5, 0, 0.25) == pytest.approx(0.5 * (1 - 0.25**2))
    assert expected_errors(np.zeros(3), 0.25) == 0
    assert expected_errors(np.array([3.0, 2.0]), 0.25) == pytest.approx(3.221972, abs=5e-7)


@given(st.floats(1, 1e6), st.floats(0, 1), st.floats(0.01, 0.5))
def test_estimates_grow_as_confidence_falls(total, share, confidence):
    errors = share * total
    assert extra_errors(total, errors, confidence) <= extra_errors(total, errors, confidence / 2) + 1e-9 * total
    assert 0 <= errors + extra_errors(total, errors, confidence / 2) <= total + 1e-6 * total


# --- collapse and error-based pruning


def test_collapse_takes_away_what_does_not_help_in_training():
    tree = grow(contact_lenses(), C45)
    work = TreeWork(tree.schema)
    assert (tree.size, collapse(tree, work).size) == (6, 4)
    assert [record.is_pruned for record in work.records] == [False, False, True, False]
    assert collapse(collapse(tree)) == collapse(tree)


def raisable():
    """Return rows on which the root's test is only worth its heaviest branch."""
    lines = [("a", "p", "x")] * 9 + [("a", "q", "y")] * 9 + [("b", "p", "x"), ("b", "q", "y"), ("b", "q", "x")]
    return Table.of(dict(zip("abc", map(list, zip(*lines, strict=True)), strict=True)), "c")


RAISABLE = """
a = a
|   b = p: x (9)
|   b = q: y (9)
a = b: x (3/1)
"""


def test_raising_replaces_a_node_by_its_heaviest_branch():
    table, work = raisable(), TreeWork(raisable().schema)
    tree = Tree.parse(RAISABLE, table.schema)
    assert lines(prune_errors(tree, table, 0.25, True, work)) == ["b = p: x (10)", "b = q: y (11/1)"]
    assert [record.outcome for record in work.records] == ["kept", "raised", "kept"]
    assert "replaced by a" in str(work)
    assert lines(prune_errors(tree, table, 0.25, False)) == RAISABLE.strip().split("\n")


def test_raising_takes_the_last_of_the_heaviest():
    """As J48: of two branches of equal weight the last is tried."""
    rows = [("l", "p", "x")] * 3 + [("l", "q", "y")] * 3 + [("r", "p", "x")] * 3 + [("r", "q", "y")] * 3
    table = Table.of(dict(zip("abc", map(list, zip(*rows, strict=True)), strict=True)), "c")
    text = "a = l\n|   b = p: x\n|   b = q: y\na = r\n|   b = p: x\n|   b = q: y"
    work = TreeWork(table.schema)
    prune_errors(Tree.parse(text, table.schema), table, 0.25, True, work)
    assert next(record for record in work.records if not record.path).heaviest == 1


def test_rows_that_all_lack_the_value_are_shared_equally():
    table = Table.of({"a": [None, None], "c": ["x", "y"]}, "c", {"a": ["p", "q"]})
    tree = Tree.parse("a = p: x\na = q: y", table.schema)
    below = find_node_rows(table, NodePlace(plain(tree), NodeRows.of_table(table)))[1:]
    assert [place.part.weights.tolist() for place in below] == [[0.5, 0.5], [0.5, 0.5]]
    assert lines(prune_errors(tree, table, 0.25)) == [": x (2/1)"]


def test_less_confidence_prunes_more():
    sizes = [c45(random_table(3, 60), confidence).size for confidence in (0.5, 0.25, 0.1, 0.001)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


# --- pruning by other rows and by the cost of leaves


def test_reduced_error_pruning_keeps_the_growing_weights():
    tree = grow(weather(), ID3)
    sunny = Table.of(
        {"Outlook": ["Sunny"] * 2, "Temp": ["Hot"] * 2, "Humidity": ["High", "Normal"], "Windy": ["False"] * 2,
         "Play": ["No", "No"]}, "Play", {c.name: c.levels for c in weather().schema.columns},
    )  # fmt: skip
    work = TreeWork(tree.schema)
    assert lines(prune_reduced(tree, sunny, work)) == [
        "Outlook = Sunny: No (5/2)",
        "Outlook = Overcast: Yes (4)",
        "Outlook = Rainy: Yes (5/2)",
    ]
    assert [(r.leaf, r.subtree, r.is_pruned) for r in work.records] == [(0, 0, True), (0, 1, True), (2, 0, False)]


def test_reduced_error_pruning_without_rows_leaves_a_leaf():
    tree = grow(weather(), ID3)
    assert lines(prune_reduced(tree, weather().slice(0, 0))) == [": Yes (14/5)"]


def test_reduced_error_pruning_on_the_growing_rows_keeps_what_helps():
    tree = grow(weather(), ID3)
    assert prune_reduced(tree, weather()) == tree


def test_cost_sequence_by_hand():
    """Errors 5/14 as a leaf; each weak link costs (errors as a leaf - errors below) / 14 / (leaves - 1)."""
    tree, work = grow(weather(), ID3), TreeWork(weather().schema)
    sequence = cost_sequence(tree, work)
    assert [(round(alpha * 14 * 4, 9), pruned.size) for alpha, pruned in sequence] == [(0, 5), (5, 1)]
    assert [(r.leaves, round(r.risk * 14, 9)) for r in work.records] == [(5, 0), (1, 5)]
    assert "alpha  leaves  error in training" in str(work)


def test_cost_sequence_is_nested_and_ends_in_a_leaf():
    table = weather_numeric()
    sequence = cost_sequence(grow(table, replace(CART, missing="direction")))
    alphas, sizes = [alpha for alpha, _ in sequence], [tree.size for _, tree in sequence]
    assert alphas == sorted(set(alphas))
    assert sizes == sorted(set(sizes), reverse=True)
    assert (alphas[0], sizes[-1]) == (0, 1)


def test_cost_sequence_drops_splits_that_do_not_lower_the_risk_at_once():
    table = Table.of({"x": [*"aabb"], "y": ["n", "n", "n", "p"]}, "y")
    assert [(a, t.size) for a, t in cost_sequence(grow(table, CART))] == [(0, 1)]


# --- missing values


def test_fractions_add_up():
    table = Table.of({"x": ["a", "a", "a", "b", "b", None], "y": [*"nnnppp"]}, "y")
    for options in (C45, ID3):
        root = grow_nodes(table, options)
        assert np.array([leaf.summary for leaf in leaves(root)]) == pytest.approx(np.array([[3, 0.6], [0, 2.4]]))
        assert lines(grow(table, options)) == ["x = a: n (3.6/0.6)", "x = b: p (2.4)"]


def test_gain_counts_the_known_share_and_split_info_the_missing_branch():
    table = Table.of({"x": ["a", "a", "b", "b", None], "y": [*"nnppp"]}, "y")
    work = TreeWork(table.schema)
    grow(table, C45, work)
    offer = work.candidate_at("x")
    assert offer.gain == pytest.approx(0.8)
    assert offer.split_info == pytest.approx(-(0.8 * np.log2(0.4) + 0.2 * np.log2(0.2)))


@pytest.mark.parametrize("options", EVERY)
def test_a_column_without_values_is_not_split_on(options):
    table = weather().with_column(*column("lost", [None] * 14, ["u", "v"]))
    assert lines(grow(table, options)) == lines(grow(weather(), options))


def test_missing_rows_take_the_better_side():
    table = Table.of({"x": [1, 2, 3, 4, None, None], "y": [*"nnpppp"]}, "y")
    direction = replace(CART, missing="direction")
    assert lines(grow(table, direction)) == ["x <= 2.5: n (2)", "x > 2.5 or missing: p (4)"]
    nominal = Table.of({"x": ["a", "a", "b", "b", None, None], "y": [*"nnppnn"]}, "y")
    assert lines(grow(nominal, direction)) == ["x = a or missing: n (4)", "x = b: p (2)"]


def test_surrogates_stand_in_for_a_missing_value():
    table = Table.of(
        {"x": [1, 2, 3, 4, 5, 6, 7, 8, None, None], "s": [*"lllhhhhhh", None],
         "z": [1, 2, 12, 13, 10, 11, 14, 15, 16, None], "y": [*"nnnnpppppp"]}, "y",
    )  # fmt: skip
    options = replace(CART, max_depth=1)
    root = grow_nodes(table, options)
    assert [other.column for other in root.split.surrogates] == [1, 2]  # 7 and 6 of 8 rows agree, 4 by the majority
    assert root.split.missing == 0  # four known rows on either side: the first
    assert [leaf.summary.tolist() for leaf in leaves(root)] == [[4, 1], [0, 5]]
    assert "?   z <= 6 as x <= 4.5" in lines(grow(table, options))


def test_a_surrogate_must_beat_the_majority():
    table = Table.of({"x": [1, 2, 3, 4, 5, 6], "s": [*"ababab"], "y": [*"nppppp"]}, "y")
    assert grow_nodes(table, replace(CART, max_depth=1)).split.surrogates == ()


# --- laws


def random_table(seed, rows=40):
    rng = np.random.default_rng(seed)
    x = [None if rng.random() < 0.15 else float(v) for v in rng.integers(0, 9, rows)]
    a = [None if rng.random() < 0.15 else "uvw"[v] for v in rng.integers(0, 3, rows)]
    b = ["pqrst"[v] for v in rng.integers(0, 5, rows)]
    y = ["kmn"[(int(v or 0) // 4 + rng.integers(0, 2)) % 3] for v in x]
    levels = {"a": "uvw", "b": "pqrst", "y": "kmn"}
    return Table.of({"x": x, "a": a, "b": b, "y": y}, "y", levels)


def column(name, values, levels):
    made = Table.of({name: values}, levels={name: levels})
    return made.schema.columns[0], made.data[0]


@pytest.mark.parametrize("options", EVERY)
@pytest.mark.parametrize("seed", range(4))
def test_repeating_a_row_equals_weighting_it(options, seed):
    table = random_table(seed)
    rows = np.array([0, 0, 1, 1, *range(2, table.n_rows)])
    weights = np.ones(table.n_rows)
    weights[:2] = 2
    weighted = Table(table.schema, table.data, table.n_rows, weights)
    options = replace(options, average_guard=False)  # its count of levels looks at rows
    assert grow(table.take(rows), options) == grow(weighted, options)


@pytest.mark.parametrize("options", EVERY)
@pytest.mark.parametrize("seed", range(4))
def test_row_order_does_not_matter(options, seed):
    table = random_table(seed)
    order = np.random.default_rng(seed).permutation(table.n_rows)
    assert lines(grow(table, options)) == lines(grow(table.take(order), options))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(EVERY), st.floats(0.05, 0.5))
def test_pruned_trees_hold_all_weight_and_are_no_larger(seed, options, confidence):
    table = random_table(seed, 25)
    grown = grow(table, options)
    for tree in (collapse(grown), prune_errors(grown, table, confidence), prune_reduced(grown, table)):
        assert tree.size <= grown.size
        assert tree.weights[0].sum() == pytest.approx(table.n_rows, rel=1e-4)
    assert Tree.parse(str(grown), table.schema) == grown


# --- edges


@pytest.mark.parametrize("options", EVERY)
def test_small_and_plain_tables_are_a_leaf(options):
    one_row = weather().slice(0, 1)
    assert lines(grow(one_row, options)) == [": No (1)"]
    one_class = Table.of({"x": [*"abab"], "y": ["p"] * 4}, "y")
    assert lines(grow(one_class, options)) == [": p (4)"]
    constant = Table.of({"x": ["a"] * 4, "z": ["b"] * 4, "y": [*"nnpp"]}, "y", {"x": ["a", "b"], "z": ["b", "c"]})
    assert lines(grow(constant, options)) == [": n (4/2)"]  # the first class of a tie
    no_columns = Table.of({"y": [*"npp"]}, "y")
    assert lines(grow(no_columns, options)) == [": p (3/1)"]
    for table in (one_row, one_class, constant, no_columns):
        tree = grow(table, options)
        assert collapse(tree) == prune_errors(tree, table, 0.25) == prune_reduced(tree, table) == tree
        assert cost_sequence(tree) == [(0.0, tree)]


def test_id3_splits_without_gain_as_long_as_branches_fill():
    """Exclusive or: no column gains alone, but both together tell the class."""
    table = Table.of({"a": [*"0011"], "b": [*"0101"], "y": [*"nppn"]}, "y")
    assert grow(table, ID3).size == 4
    assert grow(table, replace(C45, min_leaf=1)).size == 1


def test_a_column_without_gain_counts_in_the_average():
    """As J48: a nominal column of gain 0 lowers the average, so that columns of small gain may win by ratio."""
    table = Table.of({"a": [*"0011"] * 4, "z": [*"0101"] * 4, "y": [*"nnpp"] * 4}, "y")
    work = TreeWork(table.schema)
    grow(table, C45, work)
    assert work.nodes[0].average == pytest.approx(0.5)
    assert work.candidate_at("z").refusal == ""


@pytest.mark.parametrize(
    ("changes", "size", "why"),
    [({"max_depth": 1}, 3, "depth 1"), ({"max_depth": 0}, 1, "depth 0"), ({"min_gain": 0.3}, 1, "below 0.3")],
)
def test_early_stops(changes, size, why):
    work = TreeWork(weather().schema)
    assert grow(weather(), replace(C45, **changes), work).size == size
    assert any(why in node.reason for node in work.nodes)


def test_groups_merge_levels_while_the_ratio_does_not_fall():
    table = Table.of({"x": [*"aabbccdd"] * 2, "y": [*"nnnnpppp"] * 2}, "y", {"x": "abcde"})
    assert lines(grow(table, replace(C45, branching="groups", average_guard=False))) == [
        "x in {a, b, e}: n (8)",
        "x in {c, d}: p (8)",
    ]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 1), st.integers(1, 3)), min_size=2, max_size=20))
def test_two_classes_get_the_best_of_all_subsets(rows):
    levels, classes, weights = (np.array(part) for part in zip(*rows, strict=True))
    names = {"x": [*"abcdef"], "y": [*"np"]}
    table = Table.of({"x": ["abcdef"[v] for v in levels], "y": ["np"[v] for v in classes]}, "y", names, weights)
    work = TreeWork(table.schema)
    grow(table, CART, work)
    best = 0.0
    for number in range(1, 2**6 - 1):
        side = (number >> levels & 1).astype(bool)
        counts = [np.bincount(classes[one], weights[one], 2) for one in (side, ~side)]
        after = sum(one.sum() * gini(one) for one in counts) / weights.sum()
        best = max(best, float(gini(np.bincount(classes, weights, 2).astype(float)) - after))
    found = max((offer.gain for offer in work.nodes[0].candidates if offer.split), default=0.0)
    assert max(found, 0.0) == pytest.approx(best, abs=1e-9)


def test_many_classes_try_every_subset_or_the_prefixes_of_each_class():
    few = Table.of({"x": [*"abcdef"] * 2, "y": [*"123123"] * 2}, "y")
    assert lines(grow(few, replace(CART, max_depth=1)))[0].startswith("x in {a, d}: 1")
    many = [f"l{n}" for n in range(12)]
    table = Table.of({"x": many * 2, "y": [*"123123123123"] * 2}, "y")
    tree = grow(table, CART)
    assert list(tree.predict(table)) == [*"123123123123"] * 2


def test_thresholds_become_values_of_the_table():
    table = Table.of({"x": [1, 2, 10, 11], "y": [*"nnpp"]}, "y")
    tree = grow(table, C45)
    assert tree.nodes.thresholds[0] == 6
    assert thresholds_of_table(tree, table).nodes.thresholds[0] == 2
    between = Table.of({"x": [1, 2, 4.5, 10, 11]})
    assert thresholds_of_table(tree, between).nodes.thresholds[0] == 4.5
    assert thresholds_of_table(tree, Table.of({"x": [20.0]})).nodes.thresholds[0] == 6


def test_neighboring_numbers_are_told_apart():
    low = 0.1
    table = Table.of({"x": [low, low, np.nextafter(low, 1), np.nextafter(low, 1)], "y": [*"nnpp"]}, "y")
    for options in (C45, CART):
        assert list(grow(table, options).predict(table)) == [*"nnpp"]


def test_options_that_do_not_go_together():
    with pytest.raises(UsageError, match="needs branching='binary'"):
        TreeOptions("squared")
    with pytest.raises(UsageError, match="needs branching='binary'"):
        TreeOptions(missing="surrogate")
    for criterion in ("squared", "absolute"):
        with pytest.raises(
            UsageError, match=f"by {criterion} error, cannot split rows into fractions: use missing='direction'"
        ):
            TreeOptions(criterion, branching="binary", missing="fractions")


# --- numbers


def number_table():
    return Table.of({"x": [1, 2, 3, 4, 5, 6], "c": [*"aabbcc"], "y": [1.0, 1, 2, 9, 9, 9]}, "y")


def test_regression_by_squared_error():
    root = grow_nodes(number_table(), replace(NUMBER, max_depth=1))
    assert root.split.test.threshold == 3.5
    assert np.array([leaf.summary[:2] for leaf in leaves(root)]) == pytest.approx(np.array([[3, 4 / 3], [3, 9]]))
    tree = grow_number(number_table(), NUMBER)
    assert tree.predict(number_table()).tolist() == [1, 1, 2, 9, 9, 9]
    assert [(t.size) for _, t in number_cost_sequence(tree)] == [3, 2, 1]


def test_regression_by_absolute_error():
    root = grow_nodes(number_table(), replace(NUMBER, criterion="absolute", max_depth=1))
    assert [leaf.summary.tolist() for leaf in leaves(root)] == [[3, 1, pytest.approx(1 / 3)], [3, 9, 0]]


def test_regression_by_levels_and_constant_targets():
    table = number_table().select(["c", "y"])
    work = TreeWork(table.schema)
    grow_number(table, replace(NUMBER, max_depth=1), work)
    assert "value 5.166667" in str(work)
    constant = Table.of({"x": [1, 2], "y": [3.0, 3.0]}, "y")
    assert grow_number(constant, NUMBER).size == 1


def test_regression_does_not_depend_on_the_scale_of_the_target():
    table = number_table()
    small = Table(table.schema, (*table.data[:-1], table.numbers(2) * 1e-9), table.n_rows)
    assert grow_number(small, NUMBER).size == grow_number(table, NUMBER).size == 3


def test_weighted_median():
    assert weighted_median(np.array([5.0]), np.array([2.0])) == 5
    assert weighted_median(np.array([3.0, 1.0, 2.0, 4.0]), np.ones(4)) == 2.5
    assert weighted_median(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 5.0])) == 3
