"""Importance of columns: shares of impurity by definition, and what shuffling a column costs."""

import numpy as np
import pytest

import hedgerow
from hedgerow import C45, CART, AdaBoost, Bagging, CARTRegressor, Committee, NaiveBayes, RandomForest, Table, UsageError
from hedgerow.explain.importance import impurity_importance, permutation_importance
from hedgerow.models.many.committee import finite_votes


def telling(rows=400, seed=1):
    """Return a class determined by a number and a level, and two columns of noise."""
    random = np.random.default_rng(seed)
    number, level = random.normal(size=rows).round(3), random.integers(0, 4, rows)
    is_yes = (number + (level == 2) > 0.3) ^ (random.random(rows) < 0.05)
    columns = {
        "noise": random.normal(size=rows).round(3),
        "level": ["abcd"[code] for code in level],
        "number": number,
        "Rauschen \u00e4": ["pq"[code] for code in random.integers(0, 2, rows)],
    }
    return Table.of({**columns, "y": ["yes" if one else "no" for one in is_yes]}, "y")


def gini_lowered(tree, name):
    """Return what the splits by a column take off Gini's index, weighted by the rows at the node."""

    def mixed(node):
        weights = tree.weights[node]
        return weights.sum() * (1 - ((weights / weights.sum()) ** 2).sum()) if weights.sum() else 0.0

    nodes, position = tree.nodes, tree.schema.index(name)
    at = np.flatnonzero(nodes.columns == position)
    return sum(mixed(node) - sum(mixed(child) for child in nodes.children(node)) for node in at)


@pytest.mark.parametrize("learner", [C45(), C45(prune="none"), CART(), CART(prune="none", criterion="entropy")])
def test_shares_of_a_tree_by_definition(learner):
    table = telling()
    tree = learner.train(table)
    shares = hedgerow.impurity_importance(tree)
    lowered = {name: gini_lowered(tree, name) for name in shares}
    assert list(shares) == ["noise", "level", "number", "Rauschen \u00e4"]
    assert sum(shares.values()) == pytest.approx(1)
    for name, share in shares.items():
        assert share == pytest.approx(lowered[name] / sum(lowered.values()))
    assert max(shares, key=shares.get) == "number"
    assert {name for name, share in shares.items() if share == 0} == set(shares) - set(tree.columns_used())


def test_a_small_tree_by_hand():
    """Ten rows, 5 of either class. The split by x leaves 6 rows with one error; that by a then takes it."""
    x = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    a = ["u"] * 9 + ["v"]
    y = ["n"] * 4 + ["p"] * 5 + ["n"]
    tree = CART(prune="none").train(Table.of({"x": [float(v) for v in x], "a": a, "b": ["s"] * 10, "y": y}, "y"))
    first, second = 10 * 0.5 - 6 * 2 * (1 / 6) * (5 / 6), 6 * 2 * (1 / 6) * (5 / 6)
    expected = {"x": first / (first + second), "a": second / (first + second), "b": 0.0}
    assert impurity_importance(tree) == pytest.approx(expected)


@pytest.mark.parametrize("learner", [RandomForest(n_estimators=20), Bagging(), AdaBoost(n_estimators=5)])
def test_shares_of_a_committee_are_those_of_its_trees_by_their_votes(learner):
    model = learner.train(telling())
    shares = impurity_importance(model)
    assert sum(shares.values()) == pytest.approx(1)
    assert max(shares, key=shares.get) == "number"
    votes = finite_votes(model.votes)
    for name, share in shares.items():
        each = [impurity_importance(one)[name] for one in model.members]
        assert share == pytest.approx(np.average(each, weights=votes))
    order = sorted(shares, key=shares.get, reverse=True)
    assert f"  number {shares['number']:.3f}, {order[1]} {shares[order[1]]:.3f}" in str(model)


def test_nothing_split_is_nothing_owed():
    table = Table.of({"x": [1.0, 2.0], "y": ["a", "a"]}, "y")
    assert impurity_importance(C45().train(table)) == {"x": 0.0}
    assert impurity_importance(RandomForest(n_estimators=2).train(table)) == {"x": 0.0}
    assert permutation_importance(C45().train(table), table) == {"x": 0.0}


def test_impurity_importance_is_for_trees():
    table = telling(60)
    for model, said in [
        (NaiveBayes().train(table), "kind 'distributions'"),
        (Bagging(base="naive_bayes").train(table), "kind 'committee'"),
        (CARTRegressor().train(Table.of({"x": np.arange(30.0), "y": np.arange(30.0) ** 2}, "y")), "kind 'number_tree'"),
        (C45(), "C45"),
    ]:
        with pytest.raises(UsageError, match=f"impurity importance is defined for trees; .*{said} has none"):
            impurity_importance(model)


@pytest.mark.parametrize("learner", [RandomForest(n_estimators=30), C45(), NaiveBayes()])
def test_shuffling_costs_accuracy_on_rows_not_learned_from(learner):
    model, other = learner.train(telling()), telling(600, seed=2)
    falls = permutation_importance(model, other)
    assert list(falls) == ["noise", "level", "number", "Rauschen \u00e4"]
    assert falls["number"] > 0.2
    assert falls["number"] > falls["level"] > 0.03
    assert abs(falls["noise"]) < 0.03
    assert abs(falls["Rauschen \u00e4"]) < 0.03


def test_permutation_by_definition():
    table = telling(80)
    model = CART().train(table)
    one = permutation_importance(model, table, repeats=1, random_state=np.random.default_rng(5))
    again = permutation_importance(model, table, repeats=1, random_state=np.random.default_rng(5))
    assert one == again
    many = permutation_importance(model, table, repeats=200)
    whole = (model.decide(table) == table.target).mean()
    every = []  # the mean over all shuffles is that over all pairs of rows
    for shift in range(80):
        numbers = np.roll(table["number"], shift)
        data = tuple(numbers if name == "number" else table[name] for name in table.schema.names)
        every.append((model.decide(Table(table.schema, data, 80)) == table.target).mean())
    assert many["number"] == pytest.approx(whole - np.mean(every), abs=0.02)


def test_columns_that_a_model_does_not_use_matter_exactly_nothing():
    table = telling()
    tree = CART(max_depth=1, prune="none").train(table)
    falls = permutation_importance(tree, table)
    assert [name for name, fall in falls.items() if fall != 0] == ["number"]


def test_weights_count_and_rows_without_a_known_class_do_not():
    table = telling(100)
    model = C45().train(table)
    weights = (np.arange(100) % 3).astype(float)
    kept = table.take(weights > 0).with_weights(weights[weights > 0])
    assert permutation_importance(model, table.with_weights(weights)) == permutation_importance(model, kept)
    labels = ["yes" if code == list(model.classes).index("yes") else "no" for code in table.target]
    labels[:50] = ["never heard of"] * 25 + [None] * 25
    columns = {name: table[name] for name in ("noise", "number")}
    words = {name: [table.schema[name].levels[code] for code in table[name]] for name in ("level", "Rauschen \u00e4")}
    odd = Table.of({**columns, **words, "y": labels}, "y")
    assert permutation_importance(model, odd) == permutation_importance(model, table.take(np.arange(50, 100)))


def test_missing_values_are_shuffled_too():
    x = [None, 0.0] * 10 + [1.0] * 20
    table = Table.of({"x": x, "z": [float(i % 5) for i in range(40)], "y": ["a"] * 20 + ["b"] * 20}, "y")
    falls = permutation_importance(CART(prune="none").train(table), table, repeats=50)
    assert falls["x"] == pytest.approx(0.5, abs=0.05)
    assert falls["z"] == 0


@pytest.mark.parametrize("repeats", [0, -1, 2.5, "five", None])
def test_repeats_out_of_range(repeats):
    table = telling(40)
    with pytest.raises(UsageError, match=r"repeats=.* is not allowed: it must be a whole number of at least 1"):
        permutation_importance(C45().train(table), table, repeats=repeats)


def test_what_cannot_be_shuffled_is_a_sentence():
    table = telling(40)
    model = C45().train(table)
    with pytest.raises(UsageError, match="needs a Table with its target"):
        permutation_importance(model, {"x": [1]})
    with pytest.raises(UsageError, match="needs a Table with its target"):
        permutation_importance(model, table.with_target(None))
    with pytest.raises(UsageError, match="needs rows whose class the model knows; there are none"):
        permutation_importance(model, table.take(np.arange(0)))
    with pytest.raises(UsageError, match="is defined for classifiers; C45 is not one"):
        permutation_importance(C45(), table)
    numbers = Table.of({"x": np.arange(30.0), "y": np.arange(30.0) ** 2}, "y")
    with pytest.raises(UsageError, match="kind 'number_tree' is not one"):
        permutation_importance(CARTRegressor().train(numbers), numbers)
    with pytest.raises(hedgerow.HedgerowError, match="lack 1 column"):
        permutation_importance(model, table.select(["level", "number", "Rauschen \u00e4", "y"]))


@pytest.mark.parametrize(
    "learner", [C45(), RandomForest(n_estimators=3), AdaBoost(base="c45", n_estimators=2)], ids=repr
)
@pytest.mark.parametrize("place", [0, 2])
def test_a_models_importance_has_one_number_per_predictor(learner, place):
    x, z = np.random.default_rng(2).normal(size=(2, 80))
    columns = {"x": x, "z": z}
    names = [*columns]
    names.insert(place, "y")
    table = Table.of({**columns, "y": ["pq"[int(v > 0)] for v in z]}, "y").select(names)
    model = learner.train(table)
    assert list(model.importance().values()) == pytest.approx([0, 1], abs=0.3)
    assert model.importance() == impurity_importance(model)
    assert list(impurity_importance(model)) == ["x", "z"]
    if isinstance(model, Committee):
        assert f"z {model.importance()['z']:.3f}" in str(model)
