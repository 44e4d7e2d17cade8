"""Many classes by models of two sides: one against the rest, pairs, output codes."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression

from hedgerow import C45, NaiveBayes, OneVsRest, OutputCodes, Pairwise
from hedgerow.data.table.table import RowSelection, Table
from hedgerow.examples import weather
from hedgerow.learn.many.base import UNWEIGHTED
from hedgerow.learn.many.two_sides import TwoSides
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.many.class_codes import CodeMatrix
from hedgerow.models.many.decoding import votes

MANY = [OneVsRest, Pairwise, OutputCodes]


def iris(rows=None):
    data = load_iris()
    columns = {f"x{i}": data.data[:, i] for i in range(4)}
    table = Table.of({**columns, "class": [str(data.target_names[i]) for i in data.target]}, "class")
    return table if rows is None else table.take(np.asarray(rows))


def digits(step=3):
    data = load_digits()
    return data.data[::step], data.target[::step], data.data[1::step], data.target[1::step]


# -- what the definitions say -------------------------------------------------------------------------------------


def test_pairwise_learns_a_model_a_pair_from_the_rows_of_its_classes_only():
    """M191: k (k - 1) / 2 models, with balanced classes 2 n / k rows each, which vote."""
    table, counted = iris(), []

    class Counting(NaiveBayes):
        def train(self, data):
            counted.append((data.n_rows, data.schema.target_column.levels))
            return super().train(data)

    model = Pairwise(base=Counting()).train(table)
    assert sorted(counted) == [(100, ("setosa", "versicolor")), (100, ("setosa", "virginica")),
                               (100, ("versicolor", "virginica"))]  # fmt: skip
    assert len(model) == 3
    assert sum(rows for rows, _ in counted) == (3 - 1) * 150
    model = Pairwise().train(table)
    for number, (one, other) in enumerate([(0, 1), (0, 2), (1, 2)]):
        rows = np.flatnonzero(np.isin(table.target_codes, [one, other]))
        own = table.take(rows)
        names = tuple(table.schema.target_column.levels[i] for i in (one, other))
        pair = Table.of({**{n: own[n] for n in own.schema.names[:4]},
                         "class": [names[int(code == other)] for code in own.target_codes]}, "class",
                        {"class": names})  # fmt: skip
        assert str(model.members[number]) == str(C45().train(pair))


def test_the_most_votes_decide():
    table = iris()
    model = Pairwise().train(table)
    said = model.values(table)
    won = votes(CodeMatrix.pairs(3), said)
    assert (model.decide(table) == won.argmax(axis=1)).all()
    assert (np.floor(won + 1 / 3).sum(axis=1) == 3).all()


def test_one_vs_rest_learns_a_model_a_class_from_all_rows():
    """M226."""
    table = iris()
    model = OneVsRest(base="naive_bayes").train(table)
    for code, label in enumerate(model.classes):
        sides = Table.of({**{n: table[n] for n in table.schema.names[:4]},
                          "class": [label if c == code else f"not {label}" for c in table.target_codes]}, "class",
                         {"class": (f"not {label}", label)})  # fmt: skip
        alone = NaiveBayes().train(sides)
        assert str(alone) == str(model.members[code])
        np.testing.assert_allclose(model.values(table)[code], 2 * alone.distribution(sides)[:, 1] - 1, atol=1e-12)
    shares = (model.values(table).T + 1) / 2
    np.testing.assert_allclose(model.distribution(table), shares / shares.sum(axis=1, keepdims=True), atol=1e-9)


def test_output_codes_put_a_wrong_member_right():
    """M227: codes that are d apart put (d - 1) / 2 wrong members right."""
    X, y, Xt, yt = digits(4)
    keep, kept = y < 5, yt < 5
    model = OutputCodes(base="c45", by="hamming").fit(X[keep], y[keep]).model_
    assert len(model) == 15
    assert model.codes.distances[0, 1] == 8
    said = np.where(model.values(Xt[kept]) >= 0, 1, -1)
    wrong = (said != model.codes.entries[:, yt[kept]]).sum(axis=0)
    few = wrong <= 3
    assert (wrong[few] > 0).any()
    assert (model.decide(Xt[kept])[few] == yt[kept][few]).all()


@pytest.mark.parametrize("codes", ["exhaustive", "bch", "dense", "sparse"])
@pytest.mark.parametrize("by", ["hinge", "exp", "logistic", "hamming"])
def test_the_most_probable_class_is_the_decided_one(codes, by):
    table = iris(range(0, 150, 2))
    model = OutputCodes(base="naive_bayes", codes=codes, by=by).train(table)
    scores = model.decision_values(table)
    assert (model.decide(table) == scores.argmax(axis=1)).all()
    assert (model.distribution(table).argmax(axis=1) == model.decide(table)).all()


# -- classes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", MANY)
def test_two_classes_have_one_member_that_decides_alone(learner):
    table = weather()
    model, alone = learner(base="naive_bayes").train(table), NaiveBayes().train(table)
    assert len(model) == 1
    assert str(model.members[0]) == str(alone)
    np.testing.assert_allclose(model.distribution(table), alone.distribution(table))
    assert (model.decide(table) == alone.decide(table)).all()
    assert "that separates the two classes" in str(model)


@pytest.mark.parametrize("learner", MANY)
def test_one_class_is_always_decided(learner):
    table = iris(range(50))
    model = learner().train(table)
    assert model.decide(iris()).tolist() == [0] * 150
    assert (model.distribution(iris())[:, 0] == 1).all()
    assert str(model).startswith("All training rows have the class setosa, which is always predicted")
    assert loads(dumps(model)) == model
    foreign = learner(base=LogisticRegression()).train(table)  # which could not learn one class
    assert foreign.decide(iris()).tolist() == [0] * 150


@pytest.mark.parametrize("learner", MANY)
def test_classes_without_rows_are_never_decided(learner):
    table = iris([*range(40), *range(100, 150)])
    model = learner().train(table)
    assert model.classes == ("setosa", "versicolor", "virginica")
    assert len(model) == 1
    assert not (model.decide(iris()) == 1).any()
    assert (model.distribution(iris())[:, 1] == 0).all()
    assert "Never predicted, since no training row has it: versicolor" in str(model)
    assert loads(dumps(model)) == model


@pytest.mark.parametrize("learner", MANY)
def test_rows_without_a_class_are_left_out(learner):
    table = iris()
    codes = table.target_codes.copy()
    codes[::5] = -1
    lacking = table.with_column(table.schema.target_column, codes)
    model = learner().train(lacking)
    assert model == learner().train(table.take(codes >= 0))
    assert "30 of 150 rows" in model.about.notes[0]


@pytest.mark.parametrize("learner", MANY)
def test_odd_names_of_classes(learner):
    names = ("not b", "b", "a, b", "ü 茶")
    random = np.random.default_rng(2)
    labels = random.integers(0, 4, 60)
    table = Table.of({"x": labels + random.normal(0, 0.2, 60), "c": [names[i] for i in labels]}, "c", {"c": names})
    model = learner().train(table)
    assert str(loads(dumps(model))) == str(model)
    assert (model.decide(table) == labels).mean() > 0.9


# -- weights, order, threads --------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", MANY)
@pytest.mark.parametrize("base", ["c45", "naive_bayes", "one_r"])
def test_weight_two_is_a_repeated_row_and_zero_none(learner, base):
    table = iris()
    rows = np.concatenate([np.arange(150), np.arange(0, 150, 3)])
    weights = np.where(np.arange(150) % 3 == 0, 2.0, 1.0)
    assert str(learner(base=base).train(table.take(rows))) == str(learner(base=base).train(table.with_weights(weights)))
    none = np.where(np.arange(150) % 3 == 0, 0.0, 1.0)
    assert learner(base=base).train(table.with_weights(none)) == learner(base=base).train(table.take(none > 0))


def test_a_base_without_weights_is_noted():
    table = iris().with_weights(np.where(np.arange(150) < 50, 2.0, 1.0))
    from sklearn.neighbors import KNeighborsClassifier

    model = OneVsRest(base=KNeighborsClassifier()).train(table)
    assert [note for note in model.about.notes if "weights" in note] == [
        "the estimator does not support sample weights: all rows have equal weight in its training"
    ]

    class Deaf:
        takes_weights = False

        def train(self, table):
            return NaiveBayes().train(table.with_weights(None))

    other = Pairwise(base=Deaf()).train(table)
    assert other.about.notes == (UNWEIGHTED,)


@pytest.mark.parametrize("learner", MANY)
@pytest.mark.parametrize("base", ["c45", "naive_bayes"])
def test_any_number_of_threads_gives_the_same_model(learner, base, monkeypatch):
    models = []
    for threads in ("1", "3"):
        monkeypatch.setenv("HEDGEROW_THREADS", threads)
        models.append(learner(base=base).train(iris()))
    assert models[0] == models[1]


def test_sorted_columns_that_trees_share_give_the_same_trees(monkeypatch):
    X, y, _, _ = digits(4)
    weights = np.random.default_rng(1).integers(0, 3, len(y))
    shared = [OneVsRest(base=base).fit(X, y, weights).model_ for base in ("c45", "cart")]
    monkeypatch.setattr(TwoSides, "uses_all_rows", False)
    assert [OneVsRest(base=base).fit(X, y, weights).model_ for base in ("c45", "cart")] == shared


def test_members_see_views_of_the_table_not_copies():
    table = iris()
    rest = TwoSides(table, CodeMatrix.one_vs_rest(3)).member_rows(1)
    assert all(rest.data[i] is table.data[i] for i in range(4))
    pair = TwoSides(table, CodeMatrix.pairs(3)).member_rows(2)
    assert pair.n_rows == 100
    assert all(isinstance(pair.data[i], RowSelection) and pair.data[i].values is table.data[i] for i in range(4))


def test_k_members_do_not_cost_k_copies_of_the_data(monkeypatch):
    import tracemalloc

    monkeypatch.setenv("HEDGEROW_THREADS", "1")
    random = np.random.default_rng(1)
    rows, columns, classes = 20_000, 20, 12
    labels = random.integers(0, classes, rows)
    names = [f"k{i}" for i in range(classes)]
    data = {f"x{i}": random.normal(labels, 3.0) for i in range(columns)}
    table = Table.of({**data, "c": [names[i] for i in labels]}, "c", {"c": names})
    held = rows * columns * 8
    for learner in (OneVsRest, Pairwise):
        learner(base="naive_bayes").train(iris())  # what is imported or made once does not count
        tracemalloc.start()
        learner(base="naive_bayes").train(table)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 2 * held, f"{learner.__name__} took {peak / held:.1f} times the data"
