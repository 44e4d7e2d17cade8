"""Cobweb: the worked example, kernel and reference implementation, invariants, incremental learning, bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow
from hedgerow import Cobweb, DataError, Table, UsageError
from hedgerow.data.read import read
from hedgerow.learn.clusters.cobweb import CUTOFF
from hedgerow.learn.clusters.cobweb_by_hand import CobwebByHand, utility
from hedgerow.learn.clusters.cobweb_work import CobwebWork, rows_of
from hedgerow.models.clusters.category_utility import DENSITY, UtilityScale, category_utility
from tests import textbook
from tests.tree_tables import counted

LETTERS = "ABCDEFGHIJKLMN"


def weather(rows=14):
    table = textbook.weather().with_target(None)
    return table.select(table.schema.names[:4]).take(np.arange(rows))


def top(tree):
    return ["".join(LETTERS[row] for row in child.rows) for child in tree.root.children]


# -- the worked example -------------------------------------------------------------------------------------


def test_the_first_eight_rows_of_the_weather_data_are_placed_as_by_hand():
    """G106: the top level after each row, and the utilities that decide."""
    work = CobwebWork(weather(8), UtilityScale.of(weather()), CUTOFF)
    tree = CobwebByHand(work.measure, CUTOFF)
    tops, first = [], {}
    for row in rows_of(work.table, work.measure):
        before = len(tree.steps)
        tree.insert_row(row)
        tops.append(top(tree))
        if len(tree.steps) > before:
            first[LETTERS[row.number]] = tree.steps[before]
    assert tops[4] == ["A", "B", "C", "D", "E"]
    assert tops[5] == ["A", "B", "C", "D", "EF"]
    assert tops[6] == ["A", "B", "C", "D", "EFG"]
    assert set(tops[7]) == {"B", "C", "EFG", "ADH"}

    def best(letter, deed):
        return max(one.utility for one in first[letter].choices if one.name == deed)

    for letter, alone, host in [("C", 0.296296, 0.277778), ("D", 0.34375, 0.291667), ("E", 0.368, 0.36)]:
        assert (best(letter, "alone"), best(letter, "host")) == pytest.approx((alone, host), abs=5e-7)
    assert (best("F", "host"), best("F", "alone")) == pytest.approx((0.388889, 0.351852), abs=5e-7)
    assert (best("G", "host"), best("G", "alone")) == pytest.approx((0.372789, 0.350340), abs=5e-7)
    figures = best("H", "merge"), best("H", "host"), best("H", "alone")
    assert figures == pytest.approx((0.395833, 0.358333, 0.319444), abs=5e-7)
    assert utility(tree.root, tree.root.children) == pytest.approx(0.395833, abs=5e-7)


def test_the_kernel_has_the_same_top_level():
    """G106."""
    model = Cobweb().train(weather(8))
    assert model.nodes.weights[model.clusters].tolist() == [3, 1, 1, 3]
    assert model.utility == pytest.approx(0.395833, abs=5e-7)
    labels = Cobweb().fit(weather(8)).labels_
    assert labels[0] == labels[3] == labels[7]
    assert labels[4] == labels[5] == labels[6]
    assert len(set(labels.tolist())) == 4


def test_the_work_is_shown_as_by_hand(capsys):
    """G106: --show-work prints the utility of every operator."""
    text = str(Cobweb().show_work(weather(8)))
    last = text[text.index("row 8:") :]
    assert "row 8: Outlook = Sunny, Temp = Mild, Humidity = High, Windy = False" in last
    assert "among {1} {2} {3} {4} {5 6 7}:" in last
    assert "0.395833  in {1} and {4} merged  <- chosen" in last
    assert "0.319444  alone\n" in last
    Cobweb(trace=True).train(weather(8))
    assert capsys.readouterr().out.strip() == text.strip()


def test_with_a_cutoff_the_weather_data_fall_apart_by_humidity():
    """G105: the utility of the partition by Humidity."""
    model = Cobweb(cutoff=0.26).train(weather())
    assert np.array_equal(model.decide(weather()), weather().codes(2))
    assert model.utility == pytest.approx(31 / 98)


# -- the plain twin -----------------------------------------------------------------------------------------


def assert_twins(table, **params):
    learner = Cobweb(**params)
    nodes = learner.train(table).nodes
    tree = CobwebByHand(nodes.measure, float(learner.cutoff))
    for row in rows_of(table, nodes.measure):
        tree.insert_row(row)
    concepts, parents = [tree.root], [-1]
    for at, concept in enumerate(concepts):  # which grows meanwhile
        concepts += concept.children
        parents += [at] * len(concept.children)
    assert parents == nodes.parents.tolist()
    assert np.allclose([one.weight for one in concepts], nodes.weights)
    assert np.allclose([one.score() for one in concepts], nodes.scores)
    assert np.allclose(np.array([one.means for one in concepts]).reshape(nodes.means.shape), nodes.means, atol=1e-9)
    worth = [utility(one, one.children) if one.children else 0.0 for one in concepts]
    assert np.allclose(worth, nodes.utilities, atol=1e-12)


@st.composite
def tables(draw):
    n = draw(st.integers(1, 30))
    columns = {}
    for place in range(draw(st.integers(0, 2))):
        values = st.one_of(st.none(), st.integers(-3, 3).map(float), st.floats(-50, 50))
        columns[f"x{place}"] = draw(st.lists(values, min_size=n, max_size=n))
    for place in range(draw(st.integers(0 if columns else 1, 3))):
        values = st.one_of(st.none(), st.sampled_from("abcd"))
        columns[f"c{place}"] = draw(st.lists(values, min_size=n, max_size=n))
    levels = {name: "abcd" for name in columns if name[0] == "c"}
    weights = draw(st.one_of(st.none(), st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.25]), min_size=n, max_size=n)))
    return counted(Table.of(columns, levels=levels, weights=weights))


@given(tables(), st.sampled_from([0.0, CUTOFF, 0.05]), st.sampled_from(["n", "n-1"]), st.booleans())
def test_the_kernel_grows_the_tree_of_the_plain_twin(table, cutoff, divisor, plain):
    assert_twins(table, cutoff=cutoff, divisor=divisor, scale="none" if plain else "deviation")


def test_columns_with_very_many_levels_are_counted_the_same():
    random = np.random.default_rng(3)
    names = [f"v{code}" for code in random.integers(0, 150, 120)]
    table = Table.of({"v": names, "w": ["ab"[int(n[1:]) % 2] for n in names], "x": random.normal(size=120)})
    assert_twins(table, cutoff=0.0)


# -- laws ---------------------------------------------------------------------------------------------------


def test_the_unit_of_a_column_does_not_matter():
    X = np.random.default_rng(0).normal(size=(60, 3)) + 4 * (np.arange(60) % 3)[:, None]
    labels = Cobweb().fit(X).labels_
    assert np.array_equal(labels, Cobweb().fit(X * [1000, 0.001, 1] + [5e6, 0, 0]).labels_)
    assert len(set(labels.tolist())) == 3


def test_numbers_as_they_are_take_acuity_in_their_own_unit():
    """Weka's way: deviations below 1 are 1."""
    table = Table.of({"x": [0.1, 0.2, 0.3, 0.15]})
    assert len(Cobweb(scale="none").train(table)) == 1
    assert len(Cobweb(scale="none", acuity=0.001, cutoff=0).train(table)) > 1


def test_clusters_at_another_level_are_parts_of_those_above():
    table = weather()
    one, two, leaves = (Cobweb(level=level).fit(table).model_ for level in (1, 2, None))
    assert len(one) < len(two) <= len(leaves)
    above, below = one.decide(table), two.decide(table)
    assert all(len(set(above[below == cluster])) == 1 for cluster in set(below.tolist()))
    assert leaves.nodes.weights[leaves.clusters].sum() == 14


def test_the_order_of_rows_can_be_shuffled():
    table = weather()
    assert Cobweb(shuffle=True).train(table) == Cobweb(shuffle=True).train(table)
    trees = {str(Cobweb(shuffle=True, random_state=seed).train(table)) for seed in range(5)}
    assert len(trees) > 1


def test_readable_is_executable():
    """The print's sizes and utilities are those that follow from the rows themselves."""
    table = weather()
    model = Cobweb().fit(table).model_
    labels = model.decide(table)
    sizes = model.nodes.weights[model.clusters]
    text = str(model)
    assert f"14 rows, utility {model.utility:.4f}" in text
    assert f"cluster 1: {sizes[0]:g} rows, utility" in text
    if np.array_equal(np.bincount(labels), sizes):
        assert category_utility(table, labels) == pytest.approx(model.utility)


# -- incremental --------------------------------------------------------------------------------------------


def test_batches_give_the_tree_of_all_rows():
    table = weather()
    whole = Cobweb().fit(table)
    parts = Cobweb()
    for start in range(0, 14, 5):
        parts.partial_fit(table.slice(start, start + 5))
    assert parts.model_.nodes.parents.tolist() == whole.model_.nodes.parents.tolist()
    assert str(parts.model_) == str(whole.model_)
    assert parts.model_.about.rows == 14
    assert len(parts.labels_) == 4
    assert np.array_equal(parts.predict(table), whole.labels_)


def test_new_levels_are_taken_in():
    learner = Cobweb().fit(Table.of({"sky": ["sun", "rain", "sun"], "wind": ["no", "yes", "no"]}))
    learner.partial_fit(Table.of({"sky": ["snow", "snow", "snow"], "wind": ["storm", "storm", "no"]}))
    assert learner.model_.schema.columns[0].levels == ("sun", "rain", "snow")
    assert learner.model_.nodes.weights[0] == 6
    assert "snow" in str(learner.model_)


def test_an_empty_batch_changes_nothing():
    learner = Cobweb().fit(weather())
    before = learner.model_
    learner.partial_fit(weather().take(np.arange(0)))
    assert learner.model_ == before


# -- real data ----------------------------------------------------------------------------------------------


def test_iris_finds_setosa(shared_data):
    table = read(shared_data("uci/iris.arff"))
    labels = Cobweb(shuffle=True).fit(table).labels_
    setosa = table.target_codes == 0
    assert len(set(labels[setosa].tolist())) == 1
    assert not set(labels[setosa].tolist()) & set(labels[~setosa].tolist())


def test_a_subset_of_iris_has_a_smaller_tree_with_a_cutoff(shared_data):
    """M276, M277."""
    table = read(shared_data("uci/iris.arff")).take(np.arange(0, 150, 5))
    trees = [Cobweb(cutoff=cutoff).train(table) for cutoff in (0.0, 0.1, 0.3)]
    sizes = [len(tree.nodes) for tree in trees]
    assert sizes[0] > sizes[1] > sizes[2] > 1


# -- odd input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "columns",
    [
        {"x": [1.0]},
        {"x": [2.0, 2.0, 2.0]},
        {"c": ["a", "a", "a"], "x": [5, 5, 5]},
        {"x": [None, None], "c": [None, "a"]},
        {"x": [1e150, -1e150, 1e150, 1.0]},
        {"x": [1e-320, 2e-320, 5.0]},
        {"größe ☂": ["日本", "é", "日本"]},
    ],
)
def test_odd_tables_give_clusters(columns):
    table = Table.of(columns)
    model = Cobweb().train(table)
    assert model.nodes.weights[0] == table.n_rows
    assert np.isfinite(model.nodes.utilities).all()
    assert (model.decide(table) >= 0).all()
    assert str(model)


def test_rows_all_alike_are_one_cluster():
    assert len(Cobweb(cutoff=0).train(Table.of({"x": [3.0, 3, 3, 3], "c": ["a"] * 4}))) == 1
    apart = Table.of({"x": [0.1, 0.2] * 20, "c": ["a", "b"] * 20})
    assert len(Cobweb(cutoff=0).train(apart)) == 2


def test_a_row_with_nothing_known_goes_to_the_largest_cluster():
    learner = Cobweb().fit(Table.of({"c": ["a", "b", "b", "b", "a", "b"], "d": ["x", "y", "y", "y", "x", "y"]}))
    asked = Table.of({"c": [None, "b"], "d": [None, "y"]})
    assert learner.predict(asked).tolist() == [learner.labels_[1]] * 2


def test_infinite_numbers_count_as_missing():
    table = Table.of({"x": [1.0, np.inf, 1.1, 9.0, -np.inf]})
    assert Cobweb().train(table).nodes.known[0, 0] == 3


def test_bad_input_is_told_in_sentences():
    with pytest.raises(DataError, match="no rows"):
        Cobweb().train(weather().take(np.arange(0)))
    with pytest.raises(UsageError, match="acuity=0 is not allowed"):
        Cobweb(acuity=0).train(weather())
    with pytest.raises(UsageError, match="level=0 is not allowed"):
        Cobweb(level=0).train(weather())
    with pytest.raises(UsageError, match="cutoff=-1 is not allowed"):
        Cobweb(cutoff=-1).train(weather())


def test_the_defaults_are_wekas_cutoff_and_the_acuity_at_which_numbers_count_as_levels():
    assert pytest.approx(0.0028209479177387815) == CUTOFF
    assert UtilityScale.of(Table.of({"x": [1.0, 2.0]})).acuity == DENSITY
    assert UtilityScale.of(Table.of({"x": [1.0, 2.0]}), scale="none").acuity == 1
    assert hedgerow.learners()["cobweb"].kind == "clusterer"
