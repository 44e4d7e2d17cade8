"""BagSummary: every bag becomes one row of statistics, on which any classifier is trained."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import hedgerow
from hedgerow import BagSummary, Table
from hedgerow.checks import CHECKS
from hedgerow.data.bags.bags import bags
from hedgerow.data.bags.instances import Instances
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Bags, Text
from hedgerow.errors import DataError, ModelError, UsageError
from hedgerow.examples import weather
from hedgerow.learn.bags.bag_learner import NO_BAGS, weigh_instances
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.trees.tree import Tree
from tests.learn.bags.bag_tables import bag_table, mixed_bags, single_bags

BASES = ["majority", "one_r", "c45", "naive_bayes", "knn", "logistic", "svm", "random_forest", "ripper"]


def lecture():
    """Return the bag (1,5), (3,5), (2,8) of the lecture, and another one."""
    rows = Table.of({"bag": [1, 1, 1, 2], "x": [1, 3, 2, 9], "y": [5, 5, 8, 7], "c": ["a", "a", "a", "b"]}, "c")
    return bags(rows, by="bag")


# -- what the definition says -------------------------------------------------------------------------------------


def test_the_bag_of_the_lecture():
    """G108 and M279: mean (2,6), minimum (1,5), maximum (3,8), mode of the second attribute 5."""
    table = lecture()
    model = BagSummary(base="majority", numbers="mean,min,max,mode", size=True).train(table)
    found = model.summarize(table)
    wanted = {"mean(x)": 2, "mean(y)": 6, "min(x)": 1, "min(y)": 5, "max(x)": 3, "max(y)": 8, "mode(y)": 5, "size": 3}
    assert {name: found[name][0] for name in wanted} == wanted
    assert found.schema.names[0] == "size"
    assert found.schema.target == "c"


def test_the_default_figures():
    table = mixed_bags()
    names = BagSummary().train(table).base.schema.names
    assert names == ("age", "c", "mean(size)", "min(size)", "max(size)", "mode(tint)")


def test_the_base_learns_what_it_would_learn_from_the_figures():
    table = mixed_bags()
    model = BagSummary(base="c45").train(table)
    assert model.base == hedgerow.C45().train(model.summarize(table))
    np.testing.assert_array_equal(
        model.distribution(table), model.base.distribution(model.summarize(table).with_target(None))
    )


def test_shares_and_counts_of_levels():
    table = mixed_bags()
    model = BagSummary(base="majority", numbers=None, levels=["share", "count", "mode"]).train(table)
    found, held = model.summarize(table), table["things"]
    names = ("share(tint = pale)", "share(tint = deep blue)", "share(tint = grün)", "count(tint)", "mode(tint)")
    assert found.schema.names[2:] == names
    for row in (3, 7, 20):
        codes = held[row]["tint"]
        known = codes[codes >= 0]
        assert found["count(tint)"][row] == len(known)
        if len(known):
            assert found["share(tint = grün)"][row] == pytest.approx((known == 2).mean())


def test_the_printed_model_reads_back_and_predicts_the_same():
    table = mixed_bags()
    model = BagSummary(base="c45").train(table)
    text = str(model).split("\n\n", 1)[1]
    again = Tree.parse(text, model.base.schema)
    assert again.predict(model.summarize(table)).tolist() == model.predict(table).tolist()
    assert '"mode(tint)" = pale' in text


def test_texts_are_joined():
    texts = ["free money", None, "lunch at noon", "money money", "see you at lunch", None]
    rows = Table.of({"bag": [1, 1, 2, 3, 4, 5], "c": ["spam", "spam", "ham", "spam", "ham", "ham"]}, "c")
    table = bags(rows.with_column(Column("note", Kind.TEXT), Text.of(texts)), by="bag")
    model = BagSummary(base="naive_bayes").train(table)
    assert list(model.summarize(table)["texts(note)"]) == [
        "free money",
        "lunch at noon",
        "money money",
        "see you at lunch",
        None,
    ]
    assert model.predict(table).tolist() == ["spam", "ham", "spam", "ham", "ham"]
    with_tree = BagSummary(base="c45").train(table)
    assert any("cannot use columns of their kind: 'note'" in note for note in with_tree.about.notes)


def test_dates_stay_dates():
    rows = Table.of({"bag": [1, 1, 2], "c": ["a", "a", "b"]}, "c")
    column = Column("day", Kind.NUMERIC, date="yyyy-MM-dd")
    table = bags(rows.with_column(column, np.array([0.0, 86400.0 * 2, 86400.0 * 5])), by="bag")
    schema = BagSummary(base="majority", numbers="mean,range").train(table).base.schema
    assert schema["mean(day)"].date == "yyyy-MM-dd"
    assert schema["range(day)"].date is None


# -- regions ------------------------------------------------------------------------------------------------------


def region_counts(model, table):
    found = model.summarize(table)
    return np.stack([found[name] for name in found.schema.names if "region" in name], axis=1)


@pytest.mark.parametrize("which", ["leaves", "nodes"])
def test_regions_count_the_instances_that_reach_them(which):
    table = mixed_bags(200)
    learner = BagSummary(base="c45", regions=which, numbers=None, levels=None)
    model = learner.train(table)
    tree, found = model.members[1], Instances.of(table)
    assert tree == hedgerow.C45().train(weigh_instances(found, np.ones(200), "instances"))
    counts = region_counts(model, table)
    if which == "leaves":
        assert counts.shape == (200, tree.size)
        np.testing.assert_allclose(counts.sum(axis=1), found.sizes, atol=1e-9)
    else:
        assert counts.shape == (200, len(tree.nodes) - 1)
    leaf = tree.descent.leaves(found.table)
    bag = np.repeat(np.arange(200), found.sizes)
    for region, node in enumerate(model.regions_or_none.nodes):
        below = [n for n in range(len(tree.nodes)) if node in ancestors(tree.nodes, n)]
        least = np.bincount(bag[np.isin(leaf, below)], minlength=200)  # what is divided comes on top
        assert (counts[:, region] >= least - 1e-9).all()
        assert (counts[:, region] <= least + np.bincount(bag[leaf < 0], minlength=200) + 1e-9).all()


def ancestors(nodes, node):
    """Return a node and all nodes above it."""
    found = {node}
    while node:
        node = int(nodes.parents[node])
        found.add(node)
    return found


def test_regions_of_a_tree_by_hand():
    values, classes = [[1, 2, 8], [9, 9], [1], [8, 2], []], ["a", "b", "a", "b", "a"]
    table = bag_table(values, classes)
    model = BagSummary(base="majority", numbers=None, regions="leaves", partition="cart").set_params(
        partition__prune="none", partition__min_samples_leaf=1
    )
    model = model.train(table)
    cuts = sorted({float(cut) for cut in model.members[1].nodes.thresholds[~model.members[1].nodes.is_leaf]})
    edges = [-np.inf, *cuts, np.inf]
    wanted = [[sum(low < x <= high for x in bag) for low, high in pairwise(edges)] for bag in values]
    np.testing.assert_array_equal(region_counts(model, table), wanted)
    shares = BagSummary(base="majority", numbers=None, regions="leaves", region_values="share", partition="cart")
    shares = shares.set_params(partition__prune="none", partition__min_samples_leaf=1).train(table)
    found = region_counts(shares, table)
    np.testing.assert_allclose(found[:4], np.array(wanted[:4]) / np.array([[3], [2], [1], [2]]))
    assert np.isnan(found[4]).all()


def test_regions_are_printed_with_their_conditions():
    table = bag_table([[1, 2, 8], [9, 9], [1], [8, 7]], ["a", "b", "a", "b"])
    learner = BagSummary(base="cart", numbers=None, regions="leaves", partition="cart", size=True)
    model = learner.train(table)
    text = str(model)
    assert "Each bag is replaced by one row of summary statistics: size; count of instances in 2 regions" in text
    assert "  region 1: x <= 4.5\n  region 2: x > 4.5" in text
    assert loads(dumps(model)) == model


def test_a_partition_that_makes_no_tree_is_a_sentence():
    with pytest.raises(UsageError, match="does not build a tree, whose leaves could be regions"):
        BagSummary(regions="leaves", partition="naive_bayes").train(mixed_bags())
    with pytest.raises(UsageError, match="there are no regions"):
        BagSummary(regions="leaves").train(bag_table([[], []], ["a", "b"]))


def test_regions_do_not_look_at_texts():
    rows = Table.of({"bag": [1, 1, 2, 2], "x": [1, 2, 8, 9], "c": ["a", "a", "b", "b"]}, "c")
    table = bags(rows.with_column(Column("note", Kind.TEXT), Text.of(["p", "q", "r", "s"])), by="bag")
    model = BagSummary(base="naive_bayes", regions="leaves").train(table)
    assert model.members[1].schema.names == ("x", "c")
    assert loads(dumps(model)) == model


# -- laws and bases -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("params", [{"base": "naive_bayes", "numbers": "median,deviation,count", "size": True},
                                    {"base": "one_r", "levels": "share"},
                                    {"regions": "leaves"}, {"regions": "nodes", "region_values": "share"}],
                         ids=str)  # fmt: skip
def test_own_laws_with_other_figures(params, check):
    check(BagSummary(**params), mixed_bags())


@pytest.mark.parametrize("base", BASES)
def test_any_base_learns_saves_and_predicts(base):
    table = mixed_bags()
    model = BagSummary(base=base).train(table)
    again = loads(dumps(model))
    assert again == model
    assert str(again) == str(model)
    np.testing.assert_array_equal(again.distribution(table), model.distribution(table))
    assert again.predict(table).tolist() == model.predict(table).tolist()


def test_an_estimator_of_scikit_learn():
    table = mixed_bags()
    learner = BagSummary(base=DecisionTreeClassifier(random_state=1))
    assert len(learner.train(table).predict(table)) == table.n_rows
    assert repr(clone(learner)) == repr(learner)
    with pytest.raises(ModelError, match="not a hedgerow learner"):
        dumps(learner.train(table))


def test_bags_of_one_row_have_their_values_as_figures():
    plain = weather()
    model = BagSummary(base="c45", numbers="mean").train(single_bags(plain))
    own = hedgerow.C45().train(plain)
    assert model.predict(single_bags(plain)).tolist() == own.predict(plain).tolist()
    assert str(model.base).replace('"mean(Temperature)"', "Temperature").replace(
        '"mean(Humidity)"', "Humidity"
    ).replace('"mode(Outlook)"', "Outlook").replace('"mode(Windy)"', "Windy") == str(own)


def test_a_table_without_bags_is_learned_as_it_is():
    model = BagSummary().train(weather())
    assert model.base == hedgerow.C45().train(weather())
    assert NO_BAGS in model.about.notes
    assert str(model).startswith("No column holds bags")


def test_names_inside_and_beside_may_be_the_same():
    table = bag_table([[1, 2], [8], [9, 9]], ["a", "b", "b"], x=[5.0, 5.0, 5.0], size=[1.0, 2.0, 3.0])
    table = table.with_column(Column("mean(bag.x)", Kind.NUMERIC), np.zeros(3))
    names = BagSummary(base="cart", numbers="mean", size=True).train(table).base.schema.names
    assert names == ("x", "size", "c", "bag.size", "bag.mean(bag.x)", "mean(bag.x)")


# -- parameters and bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize("numbers", ["mean,mena", ["mean", "mean"], 3, [1]])
def test_wrong_figures_are_sentences(numbers):
    with pytest.raises(UsageError, match="is not allowed: it must be some of mean, min, max, mode, median"):
        BagSummary(numbers=numbers).train(mixed_bags())


def test_figures_may_be_a_list_or_none():
    table = mixed_bags()
    assert BagSummary(numbers=["mean"], levels=None).train(table).base.schema.names == ("age", "c", "mean(size)")
    assert BagSummary(numbers=("max", "min")).train(table) == BagSummary(numbers="max, min").train(table)
    alone = BagSummary(numbers=None, levels=None).train(table)
    assert alone.base.schema.names == ("age", "c")
    assert "summary statistics: none" in str(alone)


def test_empty_bags_have_missing_figures():
    table = bag_table([[1, 2], [], [8, 9]], ["a", "b", "b"])
    model = BagSummary(base="cart", numbers="mean,sum,count", size=True).train(table)
    assert "1 of 3 bags hold no instances: their summary statistics are missing" in model.about.notes
    found = model.summarize(table)
    assert np.isnan([found["mean(x)"][1], found["sum(x)"][1]]).all()
    assert (found["count(x)"][1], found["size"][1]) == (0, 0)
    only = BagSummary().train(bag_table([[], []], ["a", "b"]))
    assert only.predict(bag_table([[]], ["a"])).tolist() == ["a"]


def test_a_bag_with_everything_missing_one_bag_and_one_class():
    table = bag_table([[None, None], [1]], ["a", "b"])
    assert np.isfinite(BagSummary().train(table).distribution(table)).all()
    one = bag_table([[1, 2, 3]], ["a"])
    model = BagSummary().train(one)
    assert model.predict(one).tolist() == ["a"]
    assert sum("the same class" in note for note in model.about.notes) == 1


def test_unseen_levels_count_as_missing():
    table = mixed_bags()
    model, held = BagSummary(base="naive_bayes").train(table), table["things"]
    rows = held.table.with_column(Column("tint", Kind.NOMINAL, ("violet",)), np.zeros(len(held.table), np.int32))
    blank = held.table.with_column(held.table.schema["tint"], np.full(len(held.table), -1, dtype=np.int32))
    odd = table.with_column(Column("things", Kind.BAG, inner=rows.schema), Bags(rows, held.offsets))
    lacking = table.with_column(table.schema["things"], Bags(blank, held.offsets))
    np.testing.assert_array_equal(model.distribution(odd), model.distribution(lacking))


def test_a_model_of_bags_says_what_it_lacks():
    model = BagSummary().train(mixed_bags())
    with pytest.raises(DataError, match=r"lack 2 columns .*'age', 'things'.* --bag NAME groups rows into bags"):
        model.predict(weather())


def test_elephants_are_told_better_than_by_chance(shared_data):
    path = shared_data("multi_instance/elephant.csv.gz")
    with pytest.warns(hedgerow.DataWarning):
        table = hedgerow.read(path, target="label", kinds={"label": "nominal"}, bag="bag")
    assert (table.n_rows, len(table["instances"].table)) == (200, 1391)
    results = hedgerow.cross_validate(BagSummary(base="random_forest"), table)
    assert (results.decided == results.actual).mean() > 0.8
