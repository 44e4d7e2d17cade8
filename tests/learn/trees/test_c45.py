"""C4.5: what each parameter does, skewed classes and costs, the same tree by kernel and by hand, bad input."""

import numpy as np
import pytest

import hedgerow
from hedgerow import C45, Table, UsageError, examples, load
from hedgerow.evaluate.metrics import measures
from hedgerow.learn.sampling import select_weighted_rows, split_by_value_hash
from hedgerow.learn.trees import options
from hedgerow.learn.trees.by_hand import collapse, grow, prune_reduced, thresholds_of_table
from hedgerow.models.trees.tree import Tree
from tests.learn.trees.tree_tables import cards, lines, mixed_table, repeated, traced
from tests.textbook import contact_lenses, loan_b, weather, weather_numeric, weather_with_id

FULL = {"prune": "none", "collapse": False}
LATE = Table.of({"night": ["yes"], "abroad": ["yes"]})


def size(table, **params):
    return C45(**params).train(table).size


# --- parameters


def test_max_depth_limits_the_longest_path():
    table = mixed_table(1)
    assert [max(line.count("|") for line in lines(C45(**FULL, max_depth=d).train(table))) for d in (1, 2, 3)] == [
        0,
        1,
        2,
    ]
    assert lines(C45(max_depth=0).train(weather())) == [": Yes (14/5)"]


def test_min_gain_keeps_a_node_whole():
    assert lines(C45(min_gain=0.3).train(weather())) == [": Yes (14/5)"]
    assert size(weather(), min_gain=0.24) == 5


def test_min_leaf_is_the_least_weight_of_two_branches():
    sizes = [size(mixed_table(2), **FULL, min_leaf=least) for least in (0.5, 2, 5, 12, 31)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1


def test_criterion_gain_takes_the_column_of_the_largest_gain():
    """G07: on this table Credit_Rating gains most, but Own_House has the largest ratio."""
    assert lines(C45(**FULL, criterion="gain").train(loan_b()))[0].startswith("Credit_Rating = ")
    assert lines(C45(**FULL).train(loan_b()))[0].startswith("Own_House = ")


def test_subset_merges_levels():
    table = Table.of({"x": [*"aabbccdd"] * 2, "z": [1.0, 2.0] * 8, "y": [*"nnnnpppp"] * 2}, "y")
    assert lines(C45(subset=True).train(table)) == ["x in {a, b}: n (8)", "x in {c, d}: p (8)"]
    assert size(table) == 4


def test_mdl_makes_numeric_columns_pay():
    table = examples.weather()
    paid, free = (C45(mdl=mdl).show_work(table).candidate_at("Humidity") for mdl in (True, False))
    assert free.gain - paid.gain == pytest.approx(np.log2(7) / 14)
    assert size(mixed_table(3), **FULL, mdl=False) > size(mixed_table(3), **FULL)


def test_pruning_and_collapsing_make_the_tree_smaller():
    table = mixed_table(4, 120)
    full, collapsed, pruned = size(table, **FULL), size(table, prune="none"), size(table)
    assert full > collapsed > pruned
    sizes = [size(table, confidence=confidence) for confidence in (0.5, 0.25, 0.05, 0.001)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_raising_replaces_a_node_by_its_heaviest_branch():
    rows = [("a", "p", "x")] * 9 + [("a", "q", "y")] * 9 + [("b", "p", "x"), ("b", "q", "y"), ("b", "q", "x")]
    a, b, c = zip(*rows, strict=True)
    raised = [C45(raising=raising, confidence=0.1) for raising in (True, False)]
    differ = [seed for seed in range(30) if len({str(one.train(mixed_table(seed, 80))) for one in raised}) == 2]
    assert differ
    assert size(Table.of({"a": a, "b": b, "c": c}, "c")) == 2


def test_reduced_error_pruning_is_what_it_is_by_hand():
    for seed in range(8):
        table = mixed_table(seed, 90)
        held = split_by_value_hash(table, 3)[0]
        grown = collapse(grow(select_weighted_rows(table, table.row_weights - held), options.C45))
        expected = thresholds_of_table(prune_reduced(grown, select_weighted_rows(table, held)), table)
        tree = C45(prune="reduced").train(table)
        assert tree.nodes.columns.tolist() == expected.nodes.columns.tolist()
        assert tree.weights == pytest.approx(expected.weights, abs=1e-3)


def test_prune_folds_and_random_state_choose_the_rows_kept_aside():
    table = mixed_table(5, 120)
    assert split_by_value_hash(table, 3)[0].sum() == 40
    assert split_by_value_hash(table, 6)[0].sum() == 20
    kept = [str(C45(prune="reduced", prune_folds=folds).train(table)) for folds in (2, 3, 10)]
    assert len(set(kept)) == 3
    seeds = {str(C45(prune="reduced", random_state=seed).train(table)) for seed in range(6)}
    assert len(seeds) > 1
    assert str(C45(prune="reduced", random_state=3).train(table)) in seeds


def test_equal_rows_are_kept_aside_in_part_only():
    """With all copies of a row in one part, nothing could be learned of it from the others."""
    table = cards()
    for held in split_by_value_hash(table, 3):
        assert {str(row) for row in C45(**FULL).train(select_weighted_rows(table, held)).rules().rules}
        assert 30 <= held.sum() <= 36
    weights = np.array([4.0, 1.0])
    parts = split_by_value_hash(Table.of({"x": ["a", "b"], "y": ["n", "p"]}, "y", weights=weights), 2)
    assert [part.tolist() for part in parts] == [[2, 0], [2, 1]] or [part.tolist() for part in parts] == [
        [2, 1],
        [2, 0],
    ]


# --- skewed classes, costs, smoothing


def confusion(**params):
    return measures.confusion(hedgerow.test(C45(**params).train(cards()), cards())).astype(int).tolist()


def test_equal_class_weights_find_the_rare_class():
    assert confusion() == [[90, 0], [10, 0]]
    assert confusion(balanced=True) == [[60, 30], [0, 10]]
    tree = C45(balanced=True).train(cards())
    assert tree.weights[0] == pytest.approx([50, 50], rel=1e-5)


def test_priors_are_shares_in_proportion():
    assert confusion(priors={"ok": 0.7, "fraud": 0.3}) == [[75, 15], [3, 7]]
    one, other = (C45(priors=p).train(cards()) for p in ({"ok": 7, "fraud": 3}, {"fraud": 0.3, "ok": 0.7}))
    assert str(one) == str(other)
    assert str(C45(priors={"ok": 1, "fraud": 1}).train(cards())) == str(C45(balanced=True).train(cards()))
    assert C45(priors={"ok": 0.9, "fraud": 0.1}, **FULL).train(cards()).weights == pytest.approx(
        C45(**FULL).train(cards()).weights
    )


def test_a_prior_of_zero_takes_a_class_out():
    assert lines(C45(priors={"ok": 1, "fraud": 0}).train(cards())) == [": ok (100)"]


def test_a_declared_class_without_rows_has_no_weight():
    table = Table.of({"x": [*"aabb"], "y": [*"nnpp"]}, "y", {"y": [*"npq"]})
    assert C45(balanced=True).train(table).weights[0].tolist() == [2, 2, 0]
    assert C45(priors={"n": 0.4, "p": 0.1, "q": 0.5}).train(table).weights[0] == pytest.approx([3.2, 0.8, 0])


COSTS = [{"fraud": {"ok": 8}}, {"fraud:ok": 8}, {"fraud:ok": "8"}, [[0, 1], [8, 0]], np.array([[0, 1], [8, 0]])]


@pytest.mark.parametrize("costs", COSTS, ids=str)
def test_costs_change_decisions_but_neither_tree_nor_probabilities(costs):
    plain, priced = C45(**FULL).train(cards()), C45(**FULL, costs=costs).train(cards())
    assert np.array_equal(priced.distribution(cards()), plain.distribution(cards()))
    assert np.array_equal(priced.nodes.columns, plain.nodes.columns)
    assert confusion(**FULL, costs=costs) == [[60, 30], [0, 10]]
    assert priced.distribution(LATE)[0] == pytest.approx([5 / 9, 4 / 9])
    assert priced.predict(LATE).tolist() == ["fraud"]
    assert str(priced).endswith("Costs: ok predicted as fraud 1, fraud predicted as ok 8")


def test_costs_decide_by_the_expected_cost():
    """Saying ok costs c * 4/9, saying fraud 5/9: the decision turns at c = 1.25."""
    said = [C45(**FULL, costs={"fraud": {"ok": c}}).train(cards()).predict(LATE)[0] for c in (1.2, 1.25, 1.3)]
    assert said == ["ok", "ok", "fraud"]


def test_smoothed_leaves():
    raw, laplace, m = (
        C45(**FULL, **more).train(cards()).distribution(LATE)[0]
        for more in ({}, {"leaves": "laplace"}, {"leaves": "m", "m": 10})
    )
    assert raw == pytest.approx([5 / 9, 4 / 9])
    assert laplace == pytest.approx([6 / 11, 5 / 11])
    assert m == pytest.approx([14 / 19, 5 / 19])
    none = C45(**FULL, leaves="m", m=0).train(cards()).distribution(LATE)[0]
    assert none == pytest.approx(raw)
    assert C45(**FULL, m=50).train(cards()) == C45(**FULL).train(cards())  # m counts with leaves="m" only


def test_smoothing_and_costs_together():
    """With m = 10 fraud has 5/19, so that it must cost 2.8 times an alarm before it is said."""
    options = {**FULL, "leaves": "m", "m": 10}
    said = [C45(**options, costs={"fraud": {"ok": c}}).train(cards()).predict(LATE)[0] for c in (2.7, 2.9)]
    assert said == ["ok", "fraud"]


# --- laws


EVERY = [
    {},
    {"subset": True},
    {"criterion": "gain"},
    {"mdl": False},
    {"prune": "none"},
    FULL,
    {"prune": "reduced"},
    {"raising": False, "confidence": 0.1},
    {"balanced": True},
    {"balanced": True, "prune": "reduced"},
    {"min_leaf": 5, "max_depth": 3},
    {"min_gain": 0.1, "leaves": "laplace", "costs": {"k": {"m": 3}}},
]


@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
@pytest.mark.parametrize("params", EVERY, ids=str)
def test_the_tree_by_hand_is_that_of_the_kernel(params, weights, capsys):
    for seed in (1, 2):
        table = mixed_table(seed, weights=weights)
        model, work = traced(C45(**params), table, capsys)
        assert str(model) == str(C45(**params).train(table))
        assert work.startswith("gain = ")
        assert max(map(len, work.split("\n"))) <= 100


@pytest.mark.parametrize("table", [weather, weather_numeric, contact_lenses, weather_with_id, examples.loan, cards])
def test_textbook_trees_by_hand_and_by_kernel(table, capsys):
    for params in ({}, FULL, {"prune": "reduced"}):
        assert str(traced(C45(**params), table(), capsys)[0]) == str(C45(**params).train(table()))


@pytest.mark.parametrize("params", [{}, {"prune": "reduced"}, {"subset": True}], ids=str)
def test_repeating_a_row_equals_weighting_it(params):
    for seed in range(5):
        twice, weighted = repeated(mixed_table(seed))
        assert str(C45(**params).train(twice)) == str(C45(**params).train(weighted))


@pytest.mark.parametrize("params", [{}, {"prune": "reduced"}], ids=str)
def test_row_order_does_not_matter(params):
    table = mixed_table(7)
    order = np.random.default_rng(7).permutation(table.n_rows)
    assert str(C45(**params).train(table)) == str(C45(**params).train(table.take(order)))


def test_the_print_is_the_model(tmp_path):
    table = mixed_table(8, weights="fractional")
    tree = C45(leaves="m", costs={"k": {"m": 4}}).train(table)
    again = Tree.parse(str(tree), tree.schema)
    assert np.array_equal(again.distribution(table), tree.distribution(table))
    assert again.predict(table).tolist() == tree.predict(table).tolist()
    tree.save(tmp_path / "tree.hedge")
    assert load(tmp_path / "tree.hedge") == tree


# --- edges


def test_identifiers_are_left_out_with_a_note():
    tree = C45().train(examples.loan())
    assert "ID" not in str(tree)
    assert "column 'ID' is not used in training" in tree.about.notes[0]


def test_level_names_of_all_kinds():
    names = ["año nuevo", "晴れ", "a=b", "x: y", "", "and", "1.5"]
    table = Table.of({"día": names * 4, "¿?": [*"nnnnppp"] * 4}, "¿?")
    tree = C45().train(table)
    assert Tree.parse(str(tree), tree.schema) == tree
    assert tree.predict(table).tolist() == [*"nnnnppp"] * 4
    assert "晴れ: 4, 0" in str(C45().show_work(table))


@pytest.mark.parametrize("params", [{}, FULL, {"prune": "reduced"}, {"balanced": True}], ids=str)
def test_tiny_tables(params, capsys):
    one_row = weather().slice(0, 1)
    two = Table.of({"x": [1.0, 2.0], "y": ["n", "p"]}, "y")
    no_columns = Table.of({"y": [*"npp"]}, "y")
    lost = Table.of({"x": [None, None, None], "y": [*"npp"]}, "y", {"x": ["a", "b"]})
    for table in (one_row, two, no_columns, lost):
        tree = C45(**params).train(table)
        assert tree.size == 1
        assert str(traced(C45(**params), table, capsys)[0]) == str(tree)


def test_a_missing_value_goes_down_all_branches():
    table = Table.of({"sky": ["sun", "sun", "sun", "rain", "rain", None], "play": [*"yyynnn"]}, "play")
    tree = C45().train(table)
    assert lines(tree) == ["sky = sun: y (3.6/0.6)", "sky = rain: n (2.4)"]
    assert tree.distribution(Table.of({"sky": [None]}))[0] == pytest.approx([3 / 6, 3 / 6])


BAD = [
    ({"max_depth": -1}, "max_depth=-1 .* a whole number of at least 0 or none"),
    ({"max_depth": 1.5}, "max_depth=1.5"),
    ({"min_leaf": 0}, "min_leaf=0 .* a number above 0"),
    ({"min_leaf": float("nan")}, "min_leaf=nan"),
    ({"min_gain": -0.1}, "min_gain=-0.1"),
    ({"confidence": 0}, "confidence=0 .* above 0 and at most 0.5"),
    ({"confidence": 0.6}, "confidence=0.6"),
    ({"prune_folds": 1}, "prune_folds=1 .* at least 2"),
    ({"prune": "error"}, "did you mean 'errors'"),
    ({"leaves": "laplas"}, "did you mean 'laplace'"),
    ({"m": -1}, "m=-1"),
    ({"priors": {"ok": 1}}, "leave out the class 'fraud'; give every class its share"),
    ({"priors": {"ok": 1, "froud": 1}}, "name 'froud', which is not a class; did you mean 'fraud'"),
    ({"priors": {"ok": -1, "fraud": 1}}, "must be finite numbers of at least 0"),
    ({"priors": {"ok": 0, "fraud": 0}}, "not all 0"),
    ({"priors": {"ok": "much", "fraud": 1}}, "must be numbers"),
    ({"priors": {"ok": 1, "fraud": 1}, "balanced": True}, "exclude each other"),
    ({"costs": [[0, 1, 1], [1, 0, 1]]}, "must be 2 x 2, for the classes 'ok', 'fraud', not 2 x 3"),
    ({"costs": 5}, "costs=5"),
    ({"costs": [[0, 1], [1, 3]]}, "predicting 'fraud' correctly cannot cost 3: the diagonal must be 0"),
    ({"costs": {"fraud": {"okay": 2}}}, "name 'okay', which is not a class"),
    ({"costs": {"fraud": 2}}, "as in Yes:No=5, not 'fraud'"),
    ({"costs": {"fraud:ok": -2}}, "must be numbers from 0"),
    ({"costs": {"fraud:ok": "much"}}, "must be a number, not 'much'"),
    ({"costs": [[0, 0], [0, 0]]}, "all costs are 0"),
]


@pytest.mark.parametrize(("params", "words"), BAD, ids=lambda value: str(value) if isinstance(value, dict) else "")
def test_bad_parameters_are_sentences(params, words):
    with pytest.raises(UsageError, match=words):
        C45(**params).train(cards())


def test_bad_weights_are_sentences():
    with pytest.raises(ValueError, match="row 0"):
        C45().train(weather().with_weights(np.array([-1.0] + [1.0] * 13)))
    with pytest.raises(ValueError, match="all row weights are zero"):
        C45().train(weather().with_weights(np.zeros(14)))


def test_rows_of_weight_zero_take_no_part():
    table = mixed_table(9)
    weights = (np.arange(table.n_rows) % 4 > 0).astype(float)
    some = table.take(np.flatnonzero(weights))
    assert str(C45().train(table.with_weights(weights))) == str(C45().train(some))
