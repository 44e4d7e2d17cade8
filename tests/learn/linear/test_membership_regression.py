"""MembershipRegression: the golden case, reference implementations, other regressors, streams, weights, bad input."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import Ridge

import hedgerow
from hedgerow import CARTRegressor, LinearRegression, MembershipRegression, ModelError, Table, UsageError
from hedgerow.data.design.design import Design
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Text
from hedgerow.learn.linear.least_squares import membership_regression
from hedgerow.learn.linear.least_squares.class_products import ClassProducts
from hedgerow.learn.linear.least_squares.products import Products
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.linear.linear_classes import LinearClasses
from hedgerow.models.many.memberships import Memberships
from tests.models.files.hostile import with_array, with_manifest
from tests.textbook import tennis_codes


def tennis():
    return tennis_codes(("don't play", "play"), "class", ("play", "don't play"))


def mixed(n=80, k=3, seed=5):
    chance = np.random.default_rng(seed)
    codes = chance.integers(0, k, n)
    x = chance.normal(size=n) + codes
    table = Table.of(
        {
            "x": [None if i % 9 == 0 else float(v) for i, v in enumerate(x)],
            "sky": [None if i % 7 == 0 else ("sun", "rain", "fog")[(i + codes[i]) % 3] for i in range(n)],
            "y": chance.normal(size=n),
            "class": [f"c{code}" for code in codes],
        },
        "class",
        {"class": tuple(f"c{i}" for i in range(k))},
    )
    texts = [None if i % 11 == 0 else f"{'good' if code else 'bad'} day {code}{code}" for i, code in enumerate(codes)]
    return table.with_column(Column("note", Kind.TEXT), Text.of(texts))


def one_by_one(table, **params):
    """The reference implementation: one LinearRegression per class."""
    codes = table.codes(table.schema.index("class"))
    models = [
        LinearRegression(**params).train(table.with_column(Column("class", Kind.NUMERIC), (codes == c).astype(float)))
        for c in range(len(table.schema.target_column.levels))
    ]
    return np.array([m.intercept for m in models]), np.array([m.slopes for m in models])


# -- the golden case ----------------------------------------------------------------------------------------


def test_tennis_codes():
    """G81: coefficients as fractions, outputs add to 1, record 2 gives 0.254335, 12 of 14 right."""
    table = tennis()
    model = MembershipRegression().train(table)
    wanted = [Fraction(299, 346), Fraction(23, 346), Fraction(6, 173), Fraction(-76, 173), Fraction(-83, 346)]
    play, other = model.all_coefficients
    assert np.allclose(play, [float(one) for one in wanted], atol=1e-6)
    assert np.allclose(other, [47 / 346, *(-float(one) for one in wanted[1:])], atol=1e-6)
    found = model.functions(table)
    assert np.allclose(found.sum(axis=1), 1, atol=1e-5)
    assert found[1, 0] == pytest.approx(0.254335, abs=2e-6)
    assert model.distribution(table)[1, 0] == pytest.approx(0.254335, abs=2e-6)
    assert (model.decide(table) == table.target).sum() == 12


def test_any_regressor_gives_the_same_on_tennis_codes():
    """G81 by scikit-learn's least squares, one regression a class."""
    from sklearn.linear_model import LinearRegression as Foreign

    table = tennis()
    model = MembershipRegression(base=Foreign()).train(table)
    assert isinstance(model, Memberships)
    assert model.memberships(table)[1, 0] == pytest.approx(0.254335, abs=1e-6)
    assert (model.decide(table) == table.target).sum() == 12


# -- twins --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("params", [{}, {"alpha": 2.0}, {"alpha": 2.0, "standardize": True}, {"levels": "all"}])
@pytest.mark.parametrize("with_text", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_as_one_regression_a_class(params, with_text, weighted):
    table = mixed()
    if not with_text:
        table = table.select(("x", "sky", "y", "class"))
    if weighted:
        table = table.with_weights(np.random.default_rng(1).integers(0, 4, len(table)).astype(float))
    model = MembershipRegression(base=LinearRegression(**params)).train(table)
    intercepts, slopes = one_by_one(table, **params)
    assert isinstance(model, LinearClasses)
    assert np.allclose(model.intercepts, intercepts, atol=1e-5)
    assert np.allclose(model.slopes, slopes, atol=1e-5)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_very_many_levels_are_eliminated(monkeypatch, k):
    random, levels = np.random.default_rng(k), 700
    table = mixed(4 * levels, k).select(("x", "y", "class"))
    place = Column("place", Kind.NOMINAL, tuple(f"l{i}" for i in range(levels)))
    table = table.with_column(place, random.integers(-1, levels, len(table)).astype(np.int32))
    if k == 5:  # a class without rows
        codes = table.codes(table.schema.index("class"))
        table = table.with_column(table.schema["class"], np.where(codes == 4, 3, codes).astype(np.int32))
    with monkeypatch.context() as changed:
        changed.setattr(membership_regression, "MANY_PLACES", 10**6)
        products = MembershipRegression().train(table)
    monkeypatch.setattr(ClassProducts, "of", lambda *_: pytest.fail("products of all pairs of levels were summed"))
    model = MembershipRegression().train(table)
    assert np.allclose(model.distribution(table), products.distribution(table), atol=1e-5)
    assert model.left_out.tolist() == products.left_out.tolist()
    if k == 2:
        assert (model.slopes[0] == -model.slopes[1]).all()
        assert sum(Decimal(repr(one)) for one in model.intercepts.tolist()) == pytest.approx(1, abs=1e-15)


def test_batch_descent_comes_near_the_normal_equations():
    table = mixed().select(("x", "y", "class"))
    model = MembershipRegression(base=LinearRegression(solver="batch", standardize=True, tol=1e-12)).train(table)
    assert isinstance(model, LinearClasses)
    assert np.allclose(model.functions(table), MembershipRegression().train(table).functions(table), atol=1e-3)


def test_stochastic_descent_learns_a_class_at_a_time():
    table = mixed(300).select(("x", "y", "class"))
    model = MembershipRegression(base=LinearRegression(solver="sgd", standardize=True)).train(table)
    assert isinstance(model, LinearClasses)
    assert model.link == "membership"
    assert np.mean(model.decide(table) == table.target) > 0.5


@pytest.mark.parametrize("k", [2, 3, 70])
@pytest.mark.parametrize("with_text", [False, True])
def test_products_of_every_class_are_those_of_its_membership(k, with_text):
    table = mixed(200, k)
    if not with_text:
        table = table.select(("x", "sky", "y", "class"))
    table = table.with_weights(np.random.default_rng(2).random(len(table)))
    design = Design.learn(table)
    found = ClassProducts.of(design, table)
    halves = ClassProducts.of(design, table.slice(0, 90)) + ClassProducts.of(design, table.slice(90, 200))
    assert np.allclose(found.sums, halves.sums)
    codes = table.codes(table.schema.index("class"))
    for code in range(0, k, 23):
        own = found.of_class(code)
        numbers = table.with_column(Column("class", Kind.NUMERIC), (codes == code).astype(float))
        twin = Products.of(design, own.target, numbers)
        assert np.allclose(own.sums, twin.sums, atol=1e-9)
        assert np.allclose(halves.of_class(code).sums, twin.sums, atol=1e-9)


def test_many_classes():
    table = mixed(400, 70)
    model = MembershipRegression().train(table)
    assert model.slopes.shape[0] == 70
    assert np.allclose(model.distribution(table).sum(axis=1), 1)
    assert "... and 20 more classes" in str(model)


def test_iris_beside_least_squares_of_numpy():
    X, y = load_iris(return_X_y=True)
    learner = MembershipRegression().fit(X, y)
    full = np.column_stack([np.ones(len(X)), X])
    theta = np.linalg.lstsq(full, np.eye(3)[y], rcond=None)[0]
    assert (learner.predict(X) == (full @ theta).argmax(axis=1)).all()
    assert learner.score(X, y) == pytest.approx(127 / 150)


# -- other regressors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["cart_regressor", CARTRegressor(max_depth=2), Ridge(), "mean"])
def test_other_bases(base):
    X, y = load_wine(return_X_y=True)
    learner = MembershipRegression(base=base).fit(X, y)
    assert isinstance(learner.model_, Memberships)
    shares = learner.predict_proba(X)
    assert np.allclose(shares.sum(axis=1), 1)
    assert (shares >= 0).all()
    assert learner.score(X, y) > (0.35 if base == "mean" else 0.85)
    assert str(learner.model_).startswith("P(class): its membership, clipped to [0, 1] and normalized to sum to 1")


def test_a_model_of_trees_can_be_saved_and_read(tmp_path):
    table = mixed().select(("x", "sky", "y", "class"))
    model = MembershipRegression(base="cart_regressor").train(table)
    model.save(tmp_path / "m.hedge")
    again = hedgerow.load(tmp_path / "m.hedge")
    assert again == model
    assert str(again) == str(model)
    assert np.array_equal(again.distribution(table), model.distribution(table))
    assert model.member(1).startswith("membership of c1:\n")
    assert set(model.columns_used() or ()) <= {"x", "sky", "y"}
    assert model.size == sum(one.size for one in model.members)
    with pytest.raises(ModelError, match="numbered 0 to 2"):
        model.member(3)


def test_a_foreign_base_cannot_be_saved(tmp_path):
    model = MembershipRegression(base=Ridge()).train(mixed().select(("x", "y", "class")))
    with pytest.raises(ModelError, match="cannot be saved"):
        model.save(tmp_path / "m.hedge")


def test_memberships_that_tie_or_are_not_positive():
    table = Table.of({"x": [0.0], "c": ["a"]}, "c", {"c": ("a", "b", "c")})
    from hedgerow.models.linear.linear import Linear
    from hedgerow.models.many.memberships import number_schema

    design = Design.learn(table)

    def constant(value):
        return Linear(number_schema(table.schema), design, value, np.zeros(1), np.empty(0, np.int32))

    for values, shares, decided in (
        ([1.5, 1.7, -2.0], [0.5, 0.5, 0.0], 1),
        ([-0.5, -0.2, -0.9], [0.0, 1.0, 0.0], 1),
        ([-0.2, -0.5, -0.2], [0.5, 0.0, 0.5], 0),
        ([0.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3], 0),
        ([0.2, 0.5, 0.3], [0.2, 0.5, 0.3], 1),
    ):
        model = Memberships(table.schema, tuple(map(constant, values)))
        assert np.allclose(model.distribution(table), [shares])
        assert model.decide(table).tolist() == [decided]


# -- streams, options, bad input ----------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["normal", "batch"])
def test_streams_give_the_same(tmp_path, monkeypatch, solver):
    hedgerow.write(mixed(300), tmp_path / "t.csv")
    source = hedgerow.open_source(tmp_path / "t.csv", target="class", kinds={"note": "text"})
    batches = source.batches
    monkeypatch.setattr(source, "batches", lambda: batches(37))
    learner = MembershipRegression(base=LinearRegression(solver=solver))
    one, other = learner.train(source.read()), learner.train(source)
    assert str(one) == str(other)
    assert one.about.rows == other.about.rows == 300


def test_a_stream_refuses_what_needs_all_rows(tmp_path):
    hedgerow.write(mixed(300), tmp_path / "t.csv")
    source = hedgerow.open_source(tmp_path / "t.csv", target="class", kinds={"note": "text"})
    with pytest.raises(UsageError, match="only with the base LinearRegression, not with cart_regressor"):
        MembershipRegression(base="cart_regressor").train(source)
    with pytest.raises(UsageError, match="solver='sgd'"):
        MembershipRegression(base=LinearRegression(solver="sgd")).train(source)


@pytest.mark.parametrize(
    ("base", "sentence"),
    [
        ("c45", "it must predict numbers"),
        (3, "a regressor or its name"),
        (LinearRegression, "is a class"),
        (LinearRegression(alpha=-1), "base__alpha"),
        ("nothing", "there is no learner"),
    ],
)
def test_bases_that_do_not_fit(base, sentence):
    with pytest.raises(UsageError, match=sentence):
        MembershipRegression(base=base).train(tennis())


def test_parameters_of_the_base_can_be_reached():
    learner = MembershipRegression().set_params(base__alpha=2.0)
    assert learner.base.alpha == 2.0
    assert MembershipRegression(base=LinearRegression(alpha=2.0)).get_params()["base__alpha"] == 2.0


def test_one_class_one_row_and_columns_that_depend():
    one = Table.of({"x": [1.0, 2.0], "c": ["a", "a"]}, "c")
    assert MembershipRegression().train(one).predict(one).tolist() == ["a", "a"]
    row = Table.of({"x": [1.0], "c": ["a"]}, "c", {"c": ("a", "b")})
    assert MembershipRegression().train(row).predict(row).tolist() == ["a"]
    table = mixed().select(("x", "y", "class"))
    twice = table.with_column(Column("z", Kind.NUMERIC), 2 * table["y"])
    model = MembershipRegression().train(twice)
    assert model.left_out.tolist() == [3]
    assert any("'z' is a linear combination of" in note for note in model.about.notes)
    assert "(depends)" in str(model)


def test_a_class_without_rows_is_never_predicted():
    table = Table.of({"x": [1.0, 2.0, 3.0, 4.0], "c": ["a", "a", "b", "b"]}, "c", {"c": ("none", "a", "b")})
    model = MembershipRegression().train(table)
    assert model.all_coefficients[0].tolist() == [0.0, 0.0]
    assert model.predict(table).tolist() == ["a", "a", "b", "b"]


def test_files_that_were_tampered_with():
    model = MembershipRegression(base="cart_regressor").train(mixed().select(("x", "sky", "y", "class")))
    for change in (
        lambda m: m["parts"].pop("pools"),
        lambda m: m["parts"]["members"].pop(),
        lambda m: m["parts"].update(members=3),
        lambda m: m["parts"]["members"][0].update(kind="tree"),
        lambda m: m["parts"]["members"][0].update(kind=None),
        lambda m: m["parts"]["members"][0].update(parts=[]),
        lambda m: m["parts"]["members"][0].update(kind="linear"),
        lambda m: m["schema"].update(target=None),
    ):
        with pytest.raises(ModelError, match=r"^m\.hedge "):
            loads(with_manifest(model, change), "m.hedge")
    linear = MembershipRegression().train(tennis())
    with pytest.raises(ModelError, match=r"^m\.hedge "):
        loads(with_array(linear, "slopes", np.zeros((2, 1))), "m.hedge")
    assert loads(dumps(linear)) == linear


def test_notes_of_the_base_call_its_parameters_as_they_are_called_here():
    table = Table.of({"x": [0.0, 1.0, 2.0, 3.0], "y": ["a", "b", "a", "b"]}, "y")
    learner = MembershipRegression(base=LinearRegression(solver="sgd", passes=2, rate=0.01))
    (note,) = learner.train(table).about.notes
    assert "base__standardize=True" in note


def test_without_an_intercept():
    table = Table.of({"x": [1.0, 2.0, 3.0, 4.0], "c": ["no", "no", "yes", "yes"]}, "c")
    learner = MembershipRegression(base=LinearRegression(fit_intercept=False))
    model = learner.train(table)
    assert model.intercepts.tolist() == [0, 0]
    assert model.slopes[:, 0] == pytest.approx([0.1, 7 / 30], rel=1e-6)
    with pytest.raises(UsageError, match="fit_intercept=False"):
        learner.plan(table.schema)


@given(st.integers(0, 9999))
def test_memberships_of_two_classes_sum_to_1(seed):
    random = np.random.default_rng(seed)
    columns = {f"x{i}": random.normal(random.normal(0, 100), random.exponential(10), 50) for i in range(4)}
    classes = np.array(["no", "yes"])[(random.random(50) < random.random()).astype(int)]
    classes[:2] = "no", "yes"
    model = MembershipRegression().train(Table.of({**columns, "c": classes.tolist()}, "c"))
    assert (model.slopes[0] == -model.slopes[1]).all()
    assert sum(Decimal(repr(one)) for one in model.intercepts.tolist()) == pytest.approx(1, abs=1e-15)
