"""KNNRegressor: means of the nearest rows, and the choice of k and of rows for both learners of neighbors."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor

import hedgerow
from hedgerow import KNN, Column, DataWarning, Kind, KNNRegressor, Table, UsageError
from hedgerow.data.table.table import Text
from hedgerow.errors import ModelError
from hedgerow.models.base.model import About
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.neighbors.neighbor_numbers import NeighborNumbers
from tests.reference import neighbors as plain


def curve(rows=200, seed=1):
    random = np.random.default_rng(seed)
    x, s = random.uniform(0, 6, rows), random.integers(0, 3, rows)
    y = np.sin(x) + s + random.normal(0, 0.1, rows)
    return Table.of({"x": x, "s": [f"v{code}" for code in s.tolist()], "y": y}, "y")


# -- means ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("how", "theirs"), [("plain", "uniform"), ("distance", "distance")])
@pytest.mark.parametrize("k", [1, 5, 20])
def test_means_are_those_of_scikit_learn(how, theirs, k):
    random = np.random.default_rng(2)
    X, y, new = random.normal(size=(300, 3)), random.normal(size=300), random.normal(size=(100, 3))
    ours = KNNRegressor(n_neighbors=k, weights=how, scale="none").fit(X, y)
    peer = KNeighborsRegressor(k, weights=theirs).fit(X, y)
    np.testing.assert_allclose(ours.predict(new), peer.predict(new), rtol=1e-9)
    np.testing.assert_allclose(ours.predict(X[:20]), peer.predict(X[:20]), rtol=1e-9)


@pytest.mark.parametrize("how", ["plain", "distance", "similarity"])
def test_rows_as_near_as_the_last_share_its_place(how):
    """Three rows equally far share one place: the order of rows does not matter."""
    rows = {"x": [0.0, 1.0, 1.0, -1.0, 5.0], "y": [0.0, 3.0, 6.0, 9.0, 99.0]}
    said = KNNRegressor(n_neighbors=2, weights=how).train(Table.of(rows, "y")).predict(Table.of({"x": [0.0]}))
    want = {"plain": 3.0, "distance": 0.0, "similarity": 6 * (1 - 1 / 6) / (1 + 1 - 1 / 6)}[how]
    assert said[0] == pytest.approx(want, abs=1e-12)


def test_laws():
    """Row order, weights as repeated rows, and what nothing is known of: the mean of all rows."""
    rows, new = curve(), curve(40, 2)
    for how in ("plain", "distance", "similarity"):
        learner = KNNRegressor(n_neighbors=4, weights=how)
        model = learner.train(rows)
        shuffled = learner.train(rows.take(np.random.default_rng(0).permutation(200)))
        np.testing.assert_allclose(shuffled.predict(new), model.predict(new), rtol=1e-9)
        heavy = learner.train(rows.with_weights(np.where(np.arange(200) < 50, 3.0, 1.0)))
        twice = learner.train(rows.take(np.concatenate([np.arange(200), np.arange(50), np.arange(50)])))
        np.testing.assert_allclose(heavy.predict(new), twice.predict(new), rtol=1e-9)
        nothing = Table.of({"x": [np.nan], "s": ["never"]})
        assert model.predict(nothing)[0] == pytest.approx(float(rows.target_numbers.mean()))


def test_texts_and_equal_numbers():
    rows = Table.of({"y": [1.0, 2.0, 9.0]}, "y").with_column(
        Column("text", Kind.TEXT), Text.of(["free money", "money", "see you"])
    )
    model = KNNRegressor(n_neighbors=1, idf="none").train(rows)
    asked = Table.of({"n": [1.0]}).with_column(Column("text", Kind.TEXT), Text.of(["see"]))
    assert model.predict(asked).tolist() == [9.0]
    same = Table.of({"x": [1.0, 2.0, 3.0], "y": [7.25, 7.25, 7.25]}, "y")
    assert KNNRegressor(n_neighbors=2).train(same).predict(same).tolist() == [7.25] * 3
    with pytest.warns(DataWarning, match="all rows vote"):
        KNNRegressor(n_neighbors=9).fit(np.array([[0.0], [1.0]]), [1.0, 2.0])


def test_grounds_add_up_to_the_mean():
    rows = curve()
    model = KNNRegressor(n_neighbors=3, weights="distance").train(rows)
    row = model.align(curve(5, 3)).take(np.array([2]))
    grounds = model.contributions(row)
    assert len(grounds.parts) == 3
    assert grounds.scores[0] == pytest.approx(model.values(row)[0])
    assert grounds.parts[0].name.startswith("training row ")
    nothing = model.align(Table.of({"x": [np.nan], "s": ["new"]}))
    assert model.contributions(nothing).scores[0] == pytest.approx(model.mean)
    tied = KNNRegressor(n_neighbors=2).train(
        Table.of({"x": [0.0] * 30 + [1.0], "y": [float(i) for i in range(31)]}, "y")
    )
    told = tied.contributions(tied.align(Table.of({"x": [0.0]})))
    assert [part.name for part in told.parts] == ["30 training rows at distance 0"]
    assert told.scores[0] == pytest.approx(14.5)


def test_print_and_file():
    model = KNNRegressor(n_neighbors=3, metric="manhattan").train(curve())
    text = str(model)
    assert text.startswith("y: mean of the 3 nearest of 200 rows\n\ndistance: city block\n  x  difference / ")
    again = loads(dumps(model))
    assert again == model
    assert str(again) == text
    assert np.array_equal(again.predict(curve(30, 4)), model.predict(curve(30, 4)))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"targets": np.array([1.0, np.nan])}, "not finite"),
        ({"targets": np.full(200, 1e200)}, "too large"),
        ({"targets": np.empty(0)}, "no rows"),
        ({"targets": np.ones(3)}, "as many rows"),
        ({"origin": np.arange(3)}, "'origin'"),
        ({"origin": np.arange(200)[::-1].copy()}, "'origin'"),
        ({"tried": {"values": np.ones(1)}}, "parts"),
        ({"search": {"algorithm": "magic", "leaf_size": 1, "direction": "variance", "point": "mean"}}, "algorithm"),
        ({"search": {"algorithm": "auto", "leaf_size": 0, "direction": "variance", "point": "mean"}}, "leaf_size"),
        ({"search": None}, "named values"),
        ({"comparison": {"metric": "far"}}, "parts"),
        ({"more": 1}, "its parts are"),
    ],
)
def test_files_that_do_not_fit_are_refused(change, told):
    model = KNNRegressor().train(curve())
    with pytest.raises(ModelError, match=told):
        NeighborNumbers.from_dict({**model.to_dict(), **change}, model.schema, About())


@pytest.mark.parametrize("part", ["origins", "units", "weights"])
def test_comparisons_that_do_not_fit_are_refused(part):
    model = KNN().train(Table.of({"x": [1.0, 2.0], "c": ["a", "b"]}, "c"))
    for wrong in (np.ones(1), np.array([1.0, np.nan]), np.array([1.0, -1e9 if part != "origins" else np.inf])):
        parts = model.to_dict()
        parts["comparison"] = {**parts["comparison"], part: wrong}
        with pytest.raises(ModelError):
            type(model).from_dict(parts, model.schema, About())


# -- k --------------------------------------------------------------------------------------------------------


def left_out_by_hand(table, k, how="plain"):
    """Leave-one-out predictions by the reference implementation: all distances, votes, ties to the nearer."""
    model = KNN(n_neighbors=k, weights=how).train(table)
    numbers, codes = model.kept.mixed
    said = []
    for row in range(table.n_rows):
        far = plain.distances(numbers, codes, model.kept.distance, numbers[:, row], codes[:, row])
        rest = [other for other in range(table.n_rows) if other != row]
        own = [-far[other] for other in rest]
        labels = [int(model.labels[other]) for other in rest]
        votes, sums = plain.votes(
            own, [1.0] * len(rest), labels, len(model.classes), k, how, 0, len(model.kept.columns)
        )
        best = max(votes)
        tied = [code for code, vote in enumerate(votes) if vote >= best * (1 - 1e-12)]
        said.append(min(tied, key=lambda code: (sums[code], code)))
    return np.array(said)


def classes_of(rows=90, seed=3, wrong=0.15):
    random = np.random.default_rng(seed)
    x, y = random.uniform(0, 3, (2, rows))
    codes = (x.astype(int) + y.astype(int)) % 2
    codes = np.where(random.random(rows) < wrong, 1 - codes, codes)
    return Table.of(
        {"x": x, "y": y, "s": [("u", "v")[i % 2] for i in range(rows)], "c": list(np.array(["a", "b"])[codes])}, "c"
    )


def test_k_is_chosen_by_leaving_out_one_row_at_a_time():
    """M233: the errors of all numbers of neighbors are found in one pass, and are those of leaving out by hand."""
    table = classes_of()
    model = KNN(n_neighbors=None).train(table)
    tried = model.asking.tried
    assert tried.values.tolist() == [1, 3, 5, 7, 9, 11, 13, 15, 19, 25, 33, 45, 61, 81]
    for at in (0, 2, 9):
        by_hand = left_out_by_hand(table, int(tried.values[at]))
        assert tried.wrong[at] == pytest.approx(np.mean(by_hand != model.labels))
    assert model.k == int(tried.values[tried.wrong.argmin()])
    assert f"{model.k} *" in str(model)
    assert loads(dumps(model)) == model
    again = KNN(n_neighbors=model.k).train(table)
    assert np.array_equal(again.distribution(table), model.distribution(table))


def test_k_of_weighted_rows_is_that_of_repeated_ones():
    table = classes_of()
    heavy = KNN(n_neighbors=None).train(table.with_weights(np.where(np.arange(90) < 40, 2.0, 1.0)))
    twice = KNN(n_neighbors=None).train(table.take(np.concatenate([np.arange(90), np.arange(40)])))
    assert heavy.k == twice.k
    n = min(len(heavy.asking.tried.values), len(twice.asking.tried.values))
    np.testing.assert_allclose(heavy.asking.tried.wrong[:n], twice.asking.tried.wrong[:n], atol=1e-12)
    np.testing.assert_allclose(heavy.asking.tried.errors[:n], twice.asking.tried.errors[:n], atol=1e-9)


def test_k_of_numbers_is_chosen_too():
    table = curve(60)
    model = KNNRegressor(n_neighbors=None).train(table)
    tried = model.asking.tried
    for at in (0, 3):
        k = int(tried.values[at])
        errors = []
        for row in range(60):
            rest = np.delete(np.arange(60), row)
            kept = KNNRegressor(
                n_neighbors=k, scale="none", column_weights={"x": 1 / model.asking.comparison.units[0] ** 2}
            )
            said = kept.train(table.take(rest)).predict(table.take(np.array([row])))[0]
            errors.append((said - table.target_numbers[row]) ** 2)
        assert tried.errors[at] == pytest.approx(np.sqrt(np.mean(errors)), rel=1e-9)
    assert model.k == int(tried.values[tried.errors.argmin()])


def test_a_single_row_has_no_others():
    one = Table.of({"x": [1.0], "c": ["a"]}, "c")
    model = KNN(n_neighbors=None).train(one)
    assert (model.k, model.asking.tried) == (1, None)
    assert model.predict(one).tolist() == ["a"]
    assert KNNRegressor(n_neighbors=None).train(Table.of({"x": [1.0], "y": [3.5]}, "y")).predict(one)[0] == 3.5


# -- noisy rows -----------------------------------------------------------------------------------------------


def test_noisy_rows_are_left_out():
    """M037: rows whose class is not what the others say of them (Wilson's editing), as by hand."""
    table = classes_of()
    model = KNN(n_neighbors=3, edit="once").train(table)
    agree = np.flatnonzero(left_out_by_hand(table, 3) == table.target_codes)
    assert model.asking.origin.tolist() == agree.tolist()
    assert model.n_rows == len(agree) < 90
    gone = 90 - len(agree)
    assert model.about.notes[-1] == f"{gone} of 90 rows were removed as noisy: their neighbors have another class"
    near = model.neighbors(table.take(agree[:3]), 1)
    assert near.rows[:, 0].tolist() == agree[:3].tolist()  # numbered as in the training data
    assert loads(dumps(model)) == model
    assert np.array_equal(KNN(n_neighbors=3).train(table.take(agree)).distribution(table), model.distribution(table))


def test_editing_is_repeated_until_all_agree():
    table = classes_of(200, 5, 0.25)
    once, often = (KNN(n_neighbors=3, edit=edit).train(table) for edit in ("once", "repeat"))
    assert often.n_rows < once.n_rows
    kept = table.take(often.asking.origin)
    assert np.array_equal(left_out_by_hand(kept, 3), kept.target_codes)
    assert KNN(n_neighbors=3, edit="repeat").train(kept).n_rows == often.n_rows


def test_editing_resists_wrong_classes():
    """Wrong classes among the training rows do less harm to the nearest neighbor once they are left out."""
    train, test = classes_of(600, 6, 0.2), classes_of(400, 7, 0.0)
    plain_one, edited = (KNN(n_neighbors=1, edit=edit).train(train) for edit in ("no", "once"))
    three = KNN(n_neighbors=5, edit="once").train(train)
    actual = np.array([test.schema.target_column.levels[code] for code in test.target_codes])
    right = [np.mean(model.predict(test) == actual) for model in (plain_one, edited, three)]
    assert right[2] > right[0] + 0.05


def test_rows_that_all_disagree_stay():
    table = Table.of({"x": [0.0, 1.0], "c": ["a", "b"]}, "c")
    model = KNN(n_neighbors=1, edit="once").train(table)
    assert model.n_rows == 2
    assert "no row is removed as noisy" in model.about.notes[0]
    lonely = Table.of({"x": [0.0, 0.1, 0.2, 0.3, 5.0], "c": ["a", "a", "a", "a", "b"]}, "c")
    lost = KNN(n_neighbors=1, edit="once").train(lonely)
    assert lost.n_rows == 4
    assert "this removes all rows of 'b'" in lost.about.notes[-1]
    with pytest.raises(UsageError, match="one of no, once, repeat"):
        KNN(edit="twice").train(table)


def test_on_real_numbers(shared_data):
    """Better than the mean on CPU performance, with k chosen."""
    table = hedgerow.read(str(shared_data("textbook/cpu.arff")))
    results = hedgerow.cross_validate(KNNRegressor(n_neighbors=None), table)
    base = hedgerow.cross_validate(hedgerow.Mean(), table)
    assert results.actual.shape == base.actual.shape
    error, other = (np.mean(np.abs(one.actual - one.predicted)) for one in (results, base))
    assert error < other / 2
