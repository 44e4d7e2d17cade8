"""BagVote: instances learn with the class of their bag, and those of a new bag decide together."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import hedgerow
from hedgerow import BagVote, Table
from hedgerow.checks import CHECKS
from hedgerow.data.bags.bags import bags
from hedgerow.data.bags.instances import Instances
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Bags
from hedgerow.errors import DataError, ModelError, UsageError
from hedgerow.examples import weather
from hedgerow.learn.bags.bag_learner import BY_SIZE, NO_BAGS, instance_weights
from hedgerow.models.bags.bag_votes import RULES, BagVotes
from hedgerow.models.base.model import About
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.trees.tree import Tree
from tests.learn.bags.bag_tables import bag_table, mixed_bags, repeated_instances, single_bags

BASES = ["majority", "one_r", "c45", "naive_bayes", "knn", "logistic", "svm", "random_forest", "ripper"]


# -- what the definition says -------------------------------------------------------------------------------------


def test_each_instance_weighs_one_divided_by_the_size_of_its_bag():
    """G108 and M280: three instances weigh 1/3 each."""
    found = Instances.of(bag_table([[1, 3, 2], [5], []], ["a", "b", "a"]))
    weights = instance_weights(found, np.ones(3), "bags")
    np.testing.assert_allclose(weights, [1 / 3, 1 / 3, 1 / 3, 1])
    doubled = instance_weights(found, np.array([1.0, 2, 5]), "bags")
    np.testing.assert_allclose(doubled, [1 / 3, 1 / 3, 1 / 3, 2])
    whole = instance_weights(found, np.ones(3), "instances")
    np.testing.assert_allclose(whole, weights * 4 / 2)
    assert whole.sum() == pytest.approx(4)


def test_votes_and_averages_may_disagree():
    """G108: predictions +, +, - vote +; the probabilities .6, .6, .1 of + average 0.433333."""
    table = bag_table([[1, 1, 2]], ["minus"])
    table = table.with_schema(table.schema.with_columns({"c": Column("c", Kind.NOMINAL, ("minus", "plus"))}))
    member = Tree.parse("x <= 1.5: plus (10/4)\nx > 1.5: minus (10/1)", Instances.of(table).table.schema)
    average, vote, geometric = (BagVotes(table.schema, (member,), rule, np.array([0.5, 0.5])) for rule in RULES[:3])
    assert vote.predict(table).tolist() == ["plus"]
    np.testing.assert_allclose(vote.distribution(table), [[1 / 3, 2 / 3]])
    assert average.predict(table).tolist() == ["minus"]
    assert average.distribution(table)[0, 1] == pytest.approx(0.433333, abs=5e-7)
    wanted = np.array([0.4 * 0.4 * 0.9, 0.6 * 0.6 * 0.1]) ** (1 / 3)
    np.testing.assert_allclose(geometric.distribution(table)[0], wanted / wanted.sum())


def test_the_base_learns_from_all_instances_with_their_weights():
    table, seen = bag_table([[1, 3, 2], [5, 6]], ["a", "b"]), []

    class Watching(hedgerow.C45):
        def train(self, data):
            seen.append(data)
            return super().train(data)

    BagVote(base=Watching()).train(table)
    assert seen[0]["x"].tolist() == [1, 3, 2, 5, 6]
    assert seen[0].target_codes.tolist() == [0, 0, 0, 1, 1]
    np.testing.assert_allclose(seen[0].weights, [1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2])


@pytest.mark.parametrize("base", BASES)
def test_bags_of_one_row_are_plain_rows(base):
    plain = weather()
    rows, alone = hedgerow.learners()[base].learner(), BagVote(base=base)
    model, own = alone.train(single_bags(plain)), rows.train(plain)
    assert str(model.base) == str(own.replace_about(About()))
    np.testing.assert_array_equal(model.distribution(single_bags(plain)), own.distribution(plain))
    assert model.predict(single_bags(plain)).tolist() == own.predict(plain).tolist()


@pytest.mark.parametrize("base", BASES)
def test_a_table_without_bags_is_one_of_single_instances(base):
    plain = weather()
    model = BagVote(base=base).train(plain)
    own = hedgerow.learners()[base].learner().train(plain)
    assert NO_BAGS in model.about.notes
    assert str(model.base) == str(own.replace_about(About()))
    np.testing.assert_array_equal(model.distribution(plain), own.distribution(plain))


def test_single_instances_are_decided_by_margins_and_costs_as_the_base_does():
    table = weather()
    for base in (hedgerow.C45(costs={"No:Yes": 9}), hedgerow.SVM()):
        model, own = BagVote(base=base).train(single_bags(table)), base.train(table)
        assert model.predict(single_bags(table)).tolist() == own.predict(table).tolist()


# -- laws ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("total", ["bags", "instances"])
@pytest.mark.parametrize("base", ["naive_bayes", "one_r", "c45"])
def test_own_laws_with_other_bases(base, total, check):
    if check.__name__ == "check_constant_column" and base == "c45":
        pytest.skip("tested with the default learner")
    check(BagVote(base=base, total=total), mixed_bags())


@pytest.mark.parametrize("combine", ["average", "vote", "geometric"])
def test_the_order_and_the_repetition_of_instances_do_not_matter(combine):
    table = mixed_bags()
    learner = BagVote(base="naive_bayes", combine=combine)
    model, twice = learner.train(table), learner.train(repeated_instances(table))
    np.testing.assert_allclose(model.distribution(table), twice.distribution(table), rtol=1e-9)
    held = table["things"]
    order = np.concatenate([np.arange(a, b)[::-1] for a, b in pairwise(held.offsets)])
    turned = table.with_column(table.schema["things"], Bags(held.table.take(order), held.offsets))
    np.testing.assert_allclose(model.distribution(table), model.distribution(turned), rtol=1e-9)


def test_what_stands_beside_a_bag_is_seen_with_each_instance():
    table = bag_table([[1, 1], [1], [1, 1], [1]], ["a", "b", "a", "b"], age=[1, 9, 2, 8])
    model = BagVote(base="one_r").set_params(base__min_bucket=1).train(table)
    assert model.predict(table).tolist() == ["a", "b", "a", "b"]
    assert model.columns_used() == ("age",)


def test_names_inside_and_beside_may_be_the_same():
    table = bag_table([[1, 2], [8], [9, 9]], ["a", "b", "b"], x=[5.0, 5.0, 5.0])
    model = BagVote(total="instances").set_params(base="cart").train(table)
    assert Instances.of(table).table.schema.names == ("x", "c", "bag.x")
    assert model.predict(table).tolist() == ["a", "b", "b"]


# -- bases --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", BASES)
def test_any_base_learns_saves_and_predicts(base):
    table = mixed_bags()
    model = BagVote(base=base).train(table)
    again = loads(dumps(model))
    assert again == model
    assert str(again) == str(model)
    np.testing.assert_array_equal(again.distribution(table), model.distribution(table))
    assert np.allclose(model.distribution(table).sum(axis=1), 1)


def test_an_estimator_of_scikit_learn():
    table = mixed_bags()
    learner = BagVote(base=LogisticRegression(max_iter=2000))
    model = learner.train(table)
    assert (model.predict(table) == table.schema.target_column.levels[0]).any()
    with pytest.raises(ModelError, match="not a hedgerow learner"):
        dumps(model)
    assert clone(learner).get_params()["base__max_iter"] == 2000


def test_ensembles_of_bags_and_bags_of_ensembles():
    table = mixed_bags()
    for learner in (
        hedgerow.Bagging(base=BagVote(), n_estimators=3),
        hedgerow.OneVsRest(base=BagVote(base="naive_bayes")),
        hedgerow.AdaBoost(base=BagVote()),
        BagVote(base=hedgerow.Bagging(n_estimators=3)),
    ):
        model = learner.train(table)
        assert loads(dumps(model)) == model
        assert len(model.predict(table)) == table.n_rows


def test_parameters_of_the_base_are_reached():
    learner = BagVote(base="c45").set_params(base__min_leaf=7)
    assert repr(learner) == "BagVote(base=C45(min_leaf=7))"
    with pytest.raises(UsageError, match="combine='mean' is not allowed: it must be one of average, vote, geometric"):
        BagVote(combine="mean").train(mixed_bags())


# -- bad input ----------------------------------------------------------------------------------------------------


def test_empty_bags():
    table = bag_table([[1, 2], [], [8, 9], []], ["a", "a", "b", "a"])
    model = BagVote(base="cart").train(table)
    assert "2 bags hold no instances and contribute nothing" in model.about.notes
    np.testing.assert_allclose(model.distribution(table)[[1, 3]], [[0.75, 0.25]] * 2)
    assert "A bag without instances: P(a) = 0.75, P(b) = 0.25" in str(model)
    with pytest.raises(DataError, match="no bag holds an instance"):
        BagVote().train(bag_table([[], []], ["a", "b"]))
    assert model.distribution(table.slice(0, 0)).shape == (0, 2)
    assert model.predict(table.take(np.array([1]))).tolist() == ["a"]


def test_a_bag_with_everything_missing():
    table = bag_table([[1, 2], [None, None], [8, 9]], ["a", "a", "b"])
    shares = BagVote(base="cart").train(table).distribution(table)
    assert np.isfinite(shares).all()


def test_one_bag_and_one_class():
    one = bag_table([[1, 2, 3]], ["a"])
    model = BagVote().train(one)
    assert model.predict(one).tolist() == ["a"]
    assert sum("the same class" in note for note in model.about.notes) == 1
    several = bag_table([[1], [2, 3], [4]], ["a", "a", "a"])
    assert BagVote(base="logistic").train(several).predict(several).tolist() == ["a", "a", "a"]


def test_unseen_levels_count_as_missing():
    table = mixed_bags()
    model = BagVote(base="naive_bayes").train(table)
    held = table["things"]
    strange = Column("tint", Kind.NOMINAL, ("violet",))
    rows = held.table.with_column(strange, np.zeros(len(held.table), dtype=np.int32))
    blank = held.table.with_column(held.table.schema["tint"], np.full(len(held.table), -1, dtype=np.int32))
    column = table.schema["things"]
    odd = table.with_column(Column("things", Kind.BAG, inner=rows.schema), Bags(rows, held.offsets))
    lacking = table.with_column(column, Bags(blank, held.offsets))
    np.testing.assert_array_equal(model.distribution(odd), model.distribution(lacking))


def test_two_columns_of_bags_are_a_sentence():
    table = bag_table([[1], [2]], ["a", "b"])
    column = table.schema["bag"]
    two = table.with_column(Column("other", Kind.BAG, inner=column.inner), table["bag"])
    with pytest.raises(DataError, match="'bag' and 'other' both hold bags; leave one out"):
        BagVote().train(two)


def test_rows_without_a_class_or_weight_are_left_out():
    table = bag_table([[1, 2], [5], [8, 9]], ["a", None, "b"])
    model = BagVote(base="cart").train(table)
    assert model.about.rows == 2
    weighed = BagVote(base="cart").train(table.with_weights(np.array([1.0, 1, 0])))
    assert weighed.predict(table).tolist() == ["a", "a", "a"]


def test_the_weights_of_weka_are_told():
    table = bag_table([[1, 2], [8]], ["a", "b"]).with_weights(np.array([2.0, 1.0]))
    assert BY_SIZE in BagVote().train(table).about.notes
    assert BY_SIZE not in BagVote().train(table.with_weights(np.array([1.0, 2.0]))).about.notes


def test_columns_inside_that_cannot_be_used_are_told():
    flat = Table.of({"bag": [1, 1, 2, 2], "x": [1, 2, 8, 9], "c": ["a", "a", "b", "b"]}, "c")
    flat = flat.with_schema(flat.schema.ignoring({"x": "asked for"}))
    model = BagVote().train(bags(flat, by="bag"))
    assert "column 'x' is not used in training (asked for)" in model.about.notes
    assert model.schema["instances"].inner.names == ()


def test_a_stream_is_refused(tmp_path):
    path = tmp_path / "flat.csv"
    path.write_text("bag,x,c\n1,1,a\n1,2,a\n2,8,b\n")
    with pytest.raises(UsageError, match="cannot be trained on a stream"):
        BagVote().train(hedgerow.open_source(path, bag="bag"))


# -- bags stay whole ----------------------------------------------------------------------------------------------


def test_evaluation_never_splits_a_bag():
    random = np.random.default_rng(1)
    rows = Table.of({"bag": np.repeat(np.arange(30.0), 4).tolist(), "x": random.normal(size=120).tolist(),
                     "c": [("a", "b")[i % 2] for i in range(30) for _ in range(4)]}, "c")  # fmt: skip
    table, seen = bags(rows, by="bag"), []

    class Watching(hedgerow.Majority):
        def train(self, data):
            seen.append(data)
            return super().train(data)

    results = hedgerow.cross_validate(BagVote(base=Watching()), table, threads=1)
    assert len(results) == 30
    for part in seen:
        assert part.n_rows == 27 * 4
        numbers = part["x"].reshape(-1, 4)
        whole = {tuple(bag) for bag in rows["x"].reshape(-1, 4).tolist()}
        assert all(tuple(bag) in whole for bag in numbers.tolist())


def test_musk_is_learned_better_than_by_chance(shared_data):
    path = shared_data("multi_instance/musk1.arff.gz")
    with pytest.warns(hedgerow.DataWarning):
        table = hedgerow.read(path, bag="molecule_name")
    assert (table.n_rows, len(table["instances"].table)) == (92, 476)
    results = hedgerow.cross_validate(BagVote(base="random_forest", total="instances"), table)
    assert (results.decided == results.actual).mean() > 0.8


def test_the_relational_and_the_flat_file_hold_the_same_bags(shared_data):
    flat, relational = (shared_data(f"multi_instance/musk1.{form}arff.gz") for form in ("", "relational."))
    with pytest.warns(hedgerow.DataWarning):
        one, other = hedgerow.read(flat, bag="molecule_name"), hedgerow.read(relational)
    names = one.schema["molecule_name"].levels
    places = {names[code]: row for row, code in enumerate(one["molecule_name"].tolist())}
    found = [places[other.schema["molecule_name"].levels[code]] for code in other["molecule_name"].tolist()]
    for mine, theirs in list(zip(found, range(92), strict=True))[::9]:
        a, b = one["instances"][mine], other["bag"][theirs]
        np.testing.assert_array_equal(np.sort(a["f1"]), np.sort(b["f1"]))  # Weka shuffled them
        np.testing.assert_array_equal(np.sort(a["f166"]), np.sort(b["f166"]))
    model = BagVote().train(one)
    np.testing.assert_allclose(model.distribution(one)[found], model.distribution(other))
