"""Support vector machines on odd input: right answers, or sentences that say what to do."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import hedgerow
from hedgerow import SVM
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Table, Text
from tests.learn.svm.test_svm import INF, TRIANGLE, noisy, points

KERNELS = ["linear", "rbf", "poly", "sigmoid"]


# -- parameters -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"C": 0}, r"C=0 .* above 0 or inf"),
        ({"C": -1.0}, r"C=-1.0 .* above 0"),
        ({"C": float("nan")}, r"C=nan .* above 0"),
        ({"gamma": 0.0}, r"gamma=0.0 .* above 0"),
        ({"gamma": INF}, r"gamma=inf is not allowed"),
        ({"gamma": 1.0, "sigma": 1.0}, r"specify the same parameter"),
        ({"sigma": 1e-200}, r"sigma of a Gaussian kernel"),
        ({"kernel": "gauss"}, r"one of auto, linear, poly, rbf, sigmoid, precomputed, or a function"),
        ({"kernel": "sigmoyd"}, r"did you mean 'sigmoid'"),
        ({"kernel": None}, r"kernel=None is not allowed"),
        ({"power": 3}, r"power=3 .* at most 2"),
        ({"degree": 0}, r"degree=0"),
        ({"cache": "much"}, r"cache='much' .* such as 500M"),
        ({"class_weight": "even"}, r"class_weight='even' .* balanced"),
        ({"class_weight": {"q": 2}}, r"names 'q', which is not a class; the classes are n, p"),
        ({"class_weight": {"p": 0}}, r"cost of class 'p' is 0; it must be a number above 0"),
        ({"class_weight": {"p": "many"}}, r"cost of class 'p' is 'many'"),
        ({"class_weight": {"p": INF}}, r"cost of class 'p' is inf"),
        ({"sample": 1}, r"sample=1 .* at least 2"),
        ({"tol": 0.0}, r"tol=0.0 .* above 0"),
        ({"scale": "no"}, r"scale='no' .* one of deviation, range, none"),
    ],
)
def test_parameters_out_of_range(given, said):
    with pytest.raises(hedgerow.UsageError, match=said):
        SVM(**given).train(TRIANGLE)


def test_parameters_that_the_kernel_does_not_have_are_said():
    (note,) = SVM(kernel="linear", gamma=1.0, degree=2).train(TRIANGLE).about.notes
    assert note == "gamma and degree are not used by the kernel 'linear'"


def test_streams_are_refused_with_another_way(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,p\n2,n\n")
    with pytest.raises(hedgerow.UsageError, match=r"OnlineLinear\(loss='hinge'\)"):
        SVM().train(hedgerow.open_source(path))


def test_costs_of_classes_that_are_numbers():
    x, y = noisy(60)
    learner = SVM(class_weight={0: 1.0, np.int64(1): 4.0}).fit(x, y)
    assert (learner.predict(x) == 1).sum() > (SVM().fit(x, y).predict(x) == 1).sum()


# -- own kernels --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda a, b: np.full((len(a), len(b)), np.nan), "nan"),
        (lambda a, b: np.arange(len(a))[:, None] - np.arange(len(b)) + 0.0, "not symmetric"),
        (lambda a, b: np.zeros((len(a), len(b) + 1)), "shape"),
        (lambda a, b: "no", "numbers"),  # noqa: ARG005
    ],
)
def test_functions_that_are_no_kernels(function, said):
    with pytest.raises(hedgerow.UsageError, match=said):
        SVM(kernel=function).train(TRIANGLE)


def test_a_kernel_that_is_not_positive_definite_ends():
    x, y = noisy(60)
    learner = SVM(kernel=lambda a, b: -np.square(a @ b.T)).fit(x, y)
    assert np.isfinite(learner.decision_function(x)).all()


def test_given_kernels_of_the_wrong_form():
    x, y = noisy(20)
    with pytest.raises(hedgerow.HedgerowError, match="square"):
        SVM(kernel="precomputed").fit(x, y)
    square = x @ x.T
    square[3, 4] = np.nan
    with pytest.raises(hedgerow.HedgerowError, match="finite"):
        SVM(kernel="precomputed").fit(square, y)
    square[3, 4] = 7.0
    with pytest.raises(hedgerow.HedgerowError, match="not symmetric"):
        SVM(kernel="precomputed").fit(square, y)
    square = x @ x.T
    learner = SVM(kernel="precomputed").fit(square, y)
    with pytest.raises(hedgerow.HedgerowError, match="features"):
        learner.predict(square[:, :5])
    with pytest.raises(hedgerow.HedgerowError, match="columns"):
        SVM(kernel="precomputed").fit(square, y, sample_weight=np.r_[0.0, np.ones(19)])


# -- tables -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS)
def test_one_class_and_one_row(kernel):
    for rows in (1, 3):
        table = Table.of({"x": [1.0, 2.0, 3.0][:rows], "y": ["a"] * rows}, "y")
        model = SVM(kernel=kernel).train(table)
        assert any("the same class" in note for note in model.about.notes)
        assert model.predict(table).tolist() == ["a"] * rows
        assert model.distribution(table).tolist() == [[1.0]] * rows
        assert str(model)
    two = Table.of({"x": [1.0, 2.0], "y": ["b", "b"]}, "y", levels={"y": ("a", "b", "c")})
    model = SVM(kernel=kernel).train(two)
    assert model.distribution(two).tolist() == [[0.0, 1.0, 0.0]] * 2


def test_no_rows():
    with pytest.raises(hedgerow.DataError, match="no rows"):
        SVM().train(TRIANGLE.take(np.empty(0, dtype=np.int64)))
    with pytest.raises(hedgerow.DataError, match="all row weights are zero"):
        SVM().train(TRIANGLE.with_weights(np.zeros(3)))
    assert SVM().train(TRIANGLE).predict(TRIANGLE.take(np.empty(0, dtype=np.int64))).tolist() == []


@pytest.mark.parametrize("kernel", KERNELS)
def test_columns_that_tell_nothing(kernel):
    n = 4
    table = Table.of({"one": [3.0] * n, "none": [None] * n, "same": ["x"] * n, "y": list("aabb")}, "y")
    model = SVM(kernel=kernel).train(table)
    assert model.distribution(table) == pytest.approx(np.full((n, 2), 0.5))
    assert str(model)
    uneven = Table.of({"one": [3.0] * n, "y": list("aaab")}, "y")
    assert SVM(kernel=kernel).train(uneven).predict(uneven).tolist() == ["a"] * n


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scale", ["deviation", "range", "none"])
def test_two_rows(kernel, scale):
    table = points([(2, 3), (0.5, -1)], "pn")
    model = SVM(kernel=kernel, scale=scale).train(table)
    assert model.predict(table).tolist() == ["p", "n"]


@pytest.mark.parametrize("kernel", KERNELS)
def test_classes_without_rows_and_rows_of_one_class_each(kernel):
    table = Table.of({"x": [0.0, 5.0, 9.0], "y": list("adc")}, "y", levels={"y": ("a", "b", "c", "d")})
    for classes in ("pairs", "rest"):
        model = SVM(kernel=kernel, classes=classes, C=100.0).train(table)
        assert (model.distribution(table)[:, 1] == 0).all()
        assert np.isin(model.predict(table), ["a", "c", "d"]).all()


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_contradicting_rows(kernel):
    table = Table.of({"x": [1.0, 1.0, 2.0, 2.0], "y": list("abab")}, "y")
    model = SVM(kernel=kernel).train(table)
    assert model.distribution(table) == pytest.approx(np.full((4, 2), 0.5), abs=1e-6)


@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
@pytest.mark.parametrize("kernel", KERNELS)
def test_missing_values_unseen_levels_and_unicode(kernel):
    table = Table.of(
        {
            "größe": [1.0, None, 3.0, 2.5, None, 8.0],
            "茶": ["grün", None, "schwarz", "grün", "schwarz", "schwarz"],
            "ζ": ["α", "α", "β", "α", "β", "β"],
        },
        "ζ",
    )
    model = SVM(kernel=kernel).train(table)
    assert (model.predict(table) == np.array(list("ααβαββ"))).mean() > 0.6
    other = Table.of({"größe": [None, 2.0], "茶": ["weiß", None]})
    assert np.isfinite(model.distribution(other)).all()
    assert np.isfinite(model.values(other)).all()
    assert str(model)


def test_numbers_of_any_size():
    x, y = noisy(80)
    x[:, 0] = x[:, 0] * 1e-9
    x[:, 1] = x[:, 1] * 1e12 + 1e15
    plain = SVM().fit(noisy(80)[0], y)
    learner = SVM().fit(x, y)
    assert (learner.predict(x) == plain.predict(noisy(80)[0])).mean() > 0.98
    straight, other = SVM(kernel="linear").fit(x, y), SVM(kernel="linear").fit(noisy(80)[0], y)
    assert straight.decision_function(x) == pytest.approx(other.decision_function(noisy(80)[0]), abs=1e-2)
    x[0, 2] = np.inf
    with pytest.raises(hedgerow.DataError, match="infinite"):
        SVM().fit(x, y)
    far = np.array([[1e300, -1e300, 1e300]])
    assert np.isfinite(learner.decision_function(far)).all()


def test_kernels_that_overflow_are_sentences():
    x, y = noisy(40)
    with pytest.raises(hedgerow.DataError, match="too large"):
        SVM(kernel="poly", degree=400, scale="none").fit(1e3 * x, y)


def test_weights_of_zero_are_absent():
    x, y = noisy(60)
    table = points(x, np.array(["n", "p"])[y])
    weights = np.where(np.arange(60) < 50, 1.0, 0.0)
    for kernel in ("linear", "rbf"):
        one, other = SVM(kernel=kernel).train(table.with_weights(weights)), SVM(kernel=kernel).train(table.slice(0, 50))
        assert np.array_equal(one.distribution(table), other.distribution(table))
        tiny = SVM(kernel=kernel).train(table.with_weights(np.full(60, 1e-12)))
        assert np.isfinite(tiny.distribution(table)).all()
        heavy = SVM(kernel=kernel).train(table.with_weights(np.full(60, 2.0)))
        dear = SVM(kernel=kernel, C=2.0).train(table)
        assert heavy.values(table) == pytest.approx(dear.values(table), abs=1e-4)


# -- sparse -------------------------------------------------------------------------------------------------------


def test_sparse_stays_sparse():
    x, y = noisy(80)
    x = np.where(np.abs(x) < 0.8, 0.0, x)
    for kernel in KERNELS:
        given = {"kernel": kernel, "scale": "none", "slope": 0.1 if kernel == "sigmoid" else None}
        dense, sparse = SVM(**given, gamma=0.2).set_params(gamma=0.2 if kernel in ("rbf", "poly") else None), None
        sparse = SVM(**dense.get_params()).fit(csr_array(x), y)
        dense = dense.fit(x, y)
        assert sparse.decision_function(csr_array(x)) == pytest.approx(dense.decision_function(x), abs=2e-3)
        points_ = sparse.prepare_points(sparse._to_table(csr_array(x)).table.with_column(
            Column("y", Kind.NOMINAL, ("a", "b")), y.astype(np.int32)).with_target("y")).points  # fmt: skip
        assert points_.is_sparse
    assert not hasattr(SVM().fit(csr_array(x), y), "support_vectors_")  # auto: linear


def test_numbers_beside_texts_are_scaled():
    random = np.random.default_rng(1)
    y = random.integers(0, 2, 60)
    words = np.array([["good film", "bad film"], ["fine", "dull"]])
    table = Table.of({"size": (1e6 + 50 * y + random.normal(size=60)).tolist(), "y": [("a", "b")[i] for i in y]}, "y")
    texts = [str(words[random.integers(2), i]) if random.random() < 0.6 else None for i in y]
    table = table.with_column(Column("note", Kind.TEXT), Text.of(texts))
    for kernel in ("auto", "rbf", "poly"):
        model = SVM(kernel=kernel).train(table)
        assert (model.decide(table) == table.target_codes).mean() > 0.95
        assert model.is_linear == (kernel == "auto")


def test_many_levels_make_it_linear():
    random = np.random.default_rng(4)
    level, y = random.integers(0, 300, 900), random.integers(0, 2, 900)
    table = Table.of({"level": [f"l{i}" for i in level], "y": [("a", "b")[i] for i in y]}, "y")
    assert SVM(probabilities="none").train(table).is_linear


# -- effort -------------------------------------------------------------------------------------------------------


def test_long_work_is_announced(monkeypatch):
    from hedgerow.learn.svm import time_estimate

    x, y = noisy(60)
    monkeypatch.setattr(time_estimate, "SECOND", 1.0)
    with pytest.warns(hedgerow.DataWarning, match=r"60 rows may take about .*sample=20000.*hinge"):
        SVM(probabilities="none").fit(x, y)
    SVM(probabilities="none", kernel="linear").fit(x, y)
    monkeypatch.setattr(time_estimate, "MUCH", 1)
    with pytest.warns(hedgerow.DataWarning, match="is kept in memory and needs about"):
        SVM(probabilities="none", kernel=lambda a, b: a @ b.T).fit(x, y)


def test_a_million_rows_take_hours():
    from hedgerow.learn.svm import time_estimate

    seconds = time_estimate.SECOND * time_estimate.BEYOND_CACHE * 1e12 * (50 + time_estimate.STEPS)
    assert time_estimate.time_text(seconds).endswith(("hours", "days"))
