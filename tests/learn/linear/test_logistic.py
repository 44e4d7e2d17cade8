"""Logistic regression: worked examples, other programs, invariants, separation, streams, and notes on unusual data."""

import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression as Peer

import hedgerow
from hedgerow import DataError, DataWarning, Logistic, Table, UsageError
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Text
from hedgerow.learn.linear.logistic import fit, in_memory
from hedgerow.models.files.model_file import dumps, loads
from tests.reference import linear as reference
from tests.textbook import TENNIS_CODES, tennis_codes

IRIS, SPECIES = load_iris(return_X_y=True)


def exact(**asked):
    return Logistic(**{"digits": 15, "tol": 1e-15} | asked)


def all_of(model):
    return np.column_stack([model.intercepts, model.slopes])


def mixed(n=300, k=3, seed=5, weighted=False):
    chance = np.random.default_rng(seed)
    codes = chance.integers(0, k, n)
    x = chance.normal(size=n) + 0.7 * codes
    weights = chance.integers(1, 4, n).astype(float) if weighted else None
    return Table.of(
        {
            "x": [None if i % 9 == 0 else float(v) for i, v in enumerate(x)],
            "sky": [None if chance.random() < 0.1 else ("sun", "rain", "fog")[chance.integers(0, 3)] for _ in range(n)],
            "z": chance.normal(1000, 5, size=n),
            "class": [f"c{code}" for code in codes],
        },
        "class",
        {"class": tuple(f"c{i}" for i in range(k))},
        weights=weights,
    )


# -- worked examples ------------------------------------------------------------------------------------------


def test_one_attribute_by_hand():
    """G84: w0=-1.25, w1=0.5 gives these probabilities; the boundary is at 2.5."""
    table = Table.of({"a": [-5.0, 0.0, 2.5, 5.0, 10.0], "y": list("nynyy")}, "y")
    model = Logistic().train(table)
    from dataclasses import replace

    model = replace(model, intercepts=np.array([-1.25]), slopes=np.array([[0.5]]), figures=None)
    expected = [0.022977, 0.222700, 0.5, 0.777300, 0.977023]
    np.testing.assert_allclose(model.distribution(table)[:, 1], expected, atol=5e-7)
    assert model.decide(table).tolist() == [0, 0, 0, 1, 1]


def test_maximum_likelihood_on_tennis_codes():
    """G86: coefficients, log-likelihood, record 2 and 11 of 14 right."""
    table = tennis_codes()
    model = Logistic().train(table)
    expected = [1.862608, 0.530913, 0.477451, -2.714946, -1.433676]
    np.testing.assert_allclose(all_of(model)[0], expected, atol=1.5e-6)
    assert model.figures.log_likelihood == pytest.approx(-6.869374, abs=1e-6)
    shares = model.distribution(table)
    assert shares[1, 1] == pytest.approx(0.209, abs=5e-4)
    assert (model.decide(table) == TENNIS_CODES[:, 4]).sum() == 11


def test_maximum_likelihood_in_the_collided_space():
    """G86: intercept, temperature, and outlook + humidity + windy in one slot."""
    both = np.column_stack([TENNIS_CODES[:, 1], TENNIS_CODES[:, 0] + TENNIS_CODES[:, 2] + TENNIS_CODES[:, 3]])
    columns = {"temperature": both[:, 0], "others": both[:, 1]}
    table = Table.of(
        {**columns, "play": np.where(TENNIS_CODES[:, 4] == 1, "yes", "no")}, "play", levels={"play": ("no", "yes")}
    )
    model = exact().train(table)
    np.testing.assert_allclose(all_of(model)[0], [2.344921, -0.695297, -0.510402], atol=1e-6)
    assert model.figures.log_likelihood == pytest.approx(-8.476043, abs=1e-6)
    assert model.distribution(table)[1, 1] == pytest.approx(0.483387, abs=1e-6)


# -- peers ----------------------------------------------------------------------------------------------------

FIXED = [  # statsmodels 0.14: Logit, MNLogit, GLM with frequency weights
    (IRIS[50:], SPECIES[50:], None,
     [[-42.63780381, -2.4652202, -6.68088701, 9.42938515, 18.28613689]],
     [[25.70766083, 2.39430102, 4.47956457, 4.7372077, 9.74261214]], -5.949273395679427),
    (IRIS[:, :1], SPECIES, None,
     [[-26.08193604, 4.81569109], [-38.75900123, 6.8463986]],
     [[4.88927292, 0.90683797], [5.69067512, 1.02222266]], -91.03396639482858),
    (IRIS[50:, :2], SPECIES[50:], np.tile([1.0, 2, 3, 1], 25),
     [[-17.16422845, 2.29011101, 0.98378165]], [[2.81388786, 0.44449323, 0.6436295]], -90.25753280314302),
]  # fmt: skip


@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
@pytest.mark.parametrize(("X", "y", "weights", "coefficients", "errors", "likelihood"), FIXED)
def test_standard_errors_are_those_of_statsmodels(X, y, weights, coefficients, errors, likelihood, solver):
    model = exact(solver=solver).fit(X, y, weights).model_
    np.testing.assert_allclose(all_of(model), coefficients, rtol=1e-6)
    np.testing.assert_allclose(model.figures.errors, errors, rtol=1e-6)
    assert model.figures.log_likelihood == pytest.approx(likelihood, rel=1e-9)


def test_statsmodels_itself():
    sm = pytest.importorskip("statsmodels.api")
    for X, y, weights, *_ in FIXED[:2]:
        full = sm.add_constant(X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = sm.MNLogit(y, full).fit(disp=0, method="newton", maxiter=100)
        model = exact().fit(X, y, weights).model_
        np.testing.assert_allclose(all_of(model), fitted.params.T, rtol=1e-6)
        np.testing.assert_allclose(model.figures.errors, np.asarray(fitted.bse).T, rtol=1e-5)
        z, p = model.z_and_p()
        np.testing.assert_allclose(z, np.asarray(fitted.tvalues).T, rtol=1e-5)
        np.testing.assert_allclose(p, np.asarray(fitted.pvalues).T, rtol=1e-4, atol=1e-12)


def made(seed, classes, n=240):
    chance = np.random.default_rng(seed)
    X = chance.normal(chance.normal(0, 3, 4), chance.uniform(0.5, 3, 4), (n, 4))
    scores = (X - X.mean(0)) @ chance.normal(size=(4, classes)) * 0.6
    return X, np.argmax(scores + chance.gumbel(size=scores.shape), axis=1), chance.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("penalty", ["none", "l2", "l1", "elastic"])
def test_coefficients_and_likelihood_are_those_of_scikit_learn(penalty, classes, weighted, solver):
    X, y, weights = made(classes, classes)
    weights = weights if weighted else None
    if penalty in ("l1", "elastic"):
        X = (X - X.mean(0)) / X.std(0)  # saga takes long otherwise
    kinds = {"none": {"C": np.inf}, "l2": {"C": 0.5}, "l1": {"C": 0.1, "l1_ratio": 1.0, "solver": "saga"},
             "elastic": {"C": 0.1, "l1_ratio": 0.3, "solver": "saga"}}  # fmt: skip
    peer = Peer(**{"solver": "newton-cg", "tol": 1e-11, "max_iter": 20_000} | kinds[penalty]).fit(X, y, weights)
    strength = 0.0 if penalty == "none" else 1 / peer.C
    ours = exact(penalty=penalty, strength=strength, l1_ratio=0.3, standardize=False, solver=solver, max_iter=5000)
    model = ours.fit(X, y, weights).model_
    slopes, intercepts = peer.coef_, peer.intercept_
    if classes > 2:
        if penalty == "none":
            slopes, intercepts = slopes[1:] - slopes[0], intercepts[1:] - intercepts[0]
        intercepts = intercepts - (intercepts.mean() if penalty != "none" else 0.0)
    np.testing.assert_allclose(model.slopes, slopes, atol=1e-6, rtol=1e-5)
    np.testing.assert_allclose(model.intercepts, intercepts, atol=1e-5, rtol=1e-5)
    if penalty == "l1":
        assert ((model.slopes == 0) == (slopes == 0)).all()
    log = np.log(peer.predict_proba(X)[np.arange(len(y)), y]) @ (np.ones(len(y)) if weights is None else weights)
    assert model.figures.log_likelihood == pytest.approx(log, abs=1e-5)


def test_standardized_penalties_do_not_depend_on_units():
    X, y, _ = made(3, 2)
    for penalty in ("l2", "l1", "elastic"):
        one = exact(penalty=penalty).fit(X, y).model_
        other = exact(penalty=penalty).fit(X * [1, 1000, 0.01, 1], y).model_
        np.testing.assert_allclose(other.slopes * [1, 1000, 0.01, 1], one.slopes, rtol=1e-7)
        share = {"l2": 0.0, "l1": 1.0, "elastic": 0.5}[penalty]
        own = Peer(C=1.0, tol=1e-11, max_iter=20_000, solver="saga", l1_ratio=share)
        own.fit((X - X.mean(0)) / X.std(0), y)
        np.testing.assert_allclose(one.slopes * X.std(0), own.coef_, atol=1e-6)


def test_l1_of_an_even_number_of_classes_is_unique():
    """A shift of all classes changes nothing then: the lower one in the middle is 0."""
    X, y, _ = made(4, 4)
    one = exact(penalty="l1", strength=5).fit(X, y).model_
    other = exact(penalty="l1", strength=5, solver="lbfgs", max_iter=5000).fit(X, y).model_
    np.testing.assert_allclose(other.slopes, one.slopes, atol=1e-5)
    assert (np.sort(one.slopes, axis=0)[1] == 0).all()


@pytest.mark.parametrize("penalty", ["none", "l2"])
def test_all_solvers_reach_the_same_optimum(penalty):
    pytest.importorskip("hedgerow.learn.linear.logistic.gradient_ascent")
    X, y, weights = made(8, 3)
    best = exact(penalty=penalty, solver="newton").fit(X, y, weights).model_
    X = (X - X.mean(0)) / X.std(0)
    best = exact(penalty=penalty, solver="newton").fit(X, y, weights).model_
    for solver, fine, passes, near in (
        ("auto", 1e-13, 1000, 1e-6),
        ("lbfgs", 1e-15, 5000, 1e-6),
        ("ascent", 1e-11, 100_000, 1e-5),
        ("sgd", 1e-12, 5000, 0.02),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the last does not settle
            learner = Logistic(penalty=penalty, solver=solver, digits=15, tol=fine, max_iter=passes)
            model = learner.fit(X, y, weights).model_
        np.testing.assert_allclose(all_of(model), all_of(best), atol=near, err_msg=solver)
        assert model.figures.log_likelihood == pytest.approx(best.figures.log_likelihood, abs=max(near, 1e-6))


# -- the twin, laws -------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.booleans())
@example(27, 2, False)  # separated completely
def test_the_twin(seed, classes, weighted):
    X, y, weights = made(seed, classes, 120)
    if len(np.unique(y)) < classes:
        return
    weights = weights if weighted else None
    theta, log, errors = reference.newton(
        (X - X.mean(0)) / X.std(0), y, np.ones(len(y)) if weights is None else weights, classes, 30
    )
    if not np.isfinite(theta).all() or np.abs(theta).max() > 12:  # separated, or nearly: there is no finite optimum
        return
    model = exact().fit(X, y, weights).model_
    np.testing.assert_allclose(model.slopes * X.std(0), theta[:, :-1], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model.figures.errors[:, 1:] * X.std(0), errors[:, :-1], rtol=1e-5)
    assert model.figures.log_likelihood == pytest.approx(log, abs=1e-8)


@pytest.mark.parametrize("options", [{}, {"penalty": "l2"}, {"penalty": "l1", "strength": 3}, {"classes": "each"}])
def test_laws(options):
    """Order of rows, repeated rows as weights, and names of columns do not matter."""
    table = mixed()
    model = exact(**options).train(table)
    turned = exact(**options).train(table.take(np.arange(table.n_rows)[::-1]))
    np.testing.assert_allclose(all_of(turned), all_of(model), rtol=1e-6, atol=1e-9)
    counts = np.random.default_rng(0).integers(0, 4, table.n_rows)
    weighed = exact(**options).train(table.with_weights(counts.astype(float)))
    repeated = exact(**options).train(table.take(np.repeat(np.arange(table.n_rows), counts)))
    np.testing.assert_allclose(all_of(weighed), all_of(repeated), rtol=1e-6, atol=1e-9)
    if weighed.figures.errors is not None:
        np.testing.assert_allclose(weighed.figures.errors, repeated.figures.errors, rtol=1e-6)


def test_levels_and_gaps_are_those_of_a_matrix():
    table = mixed(weighted=True)
    model = exact().train(table)
    matrix = model.design.matrix(table)
    spread = matrix.std(0)
    codes = table.codes(table.schema.index("class"))
    theta, log, _ = reference.newton((matrix - matrix.mean(0)) / spread, codes, table.row_weights, 3, 30)
    np.testing.assert_allclose(model.slopes * spread, theta[:, :-1], rtol=1e-6, atol=1e-9)
    assert model.figures.log_likelihood == pytest.approx(log)
    every = exact(levels="all").train(table)
    np.testing.assert_allclose(every.distribution(table), model.distribution(table), atol=1e-9)
    assert any("sky" in note and "is a linear combination of" in note for note in every.about.notes)


def test_one_model_a_class():
    table = mixed()
    model = exact(classes="each").train(table)
    assert model.link == "each"
    assert len(model.told) == 3
    codes = table.codes(table.schema.index("class"))
    for code in range(3):
        column = Column("class", Kind.NOMINAL, ("other", "own"))
        alone = exact().train(table.with_column(column, (codes == code).astype(np.int32)))
        np.testing.assert_allclose(all_of(model)[code], all_of(alone)[0], rtol=1e-8)
        np.testing.assert_allclose(model.figures.errors[code], alone.figures.errors[0], rtol=1e-6)
    two = exact(classes="each").fit(IRIS[50:], SPECIES[50:]).model_
    assert two.link == "softmax"  # the same model


def test_predictions_are_those_of_the_print():
    table = mixed()
    model = Logistic().train(table)
    full = exact().train(table)
    np.testing.assert_allclose(model.distribution(table), full.distribution(table), atol=2e-5)
    text = str(model)
    assert "95 % interval" in text
    assert "log-odds of each class against c0" in text
    assert loads(dumps(model)) == model


# -- size -----------------------------------------------------------------------------------------------------


def test_large_tables_begin_with_few_rows(monkeypatch):
    """The way through samples leads to the same coefficients and errors as all rows from the start."""
    chance = np.random.default_rng(4)
    X = chance.normal(size=(6000, 3))
    y = np.argmax(X + chance.gumbel(size=X.shape), axis=1)
    for options in ({}, {"penalty": "l2"}, {"classes": "each"}):
        plain = exact(**options).fit(X, y).model_
        with monkeypatch.context() as patch:
            patch.setattr(in_memory, "MANY_ROWS", 1000)
            patch.setattr(in_memory, "SAMPLE", 300)
            large = Logistic(digits=15, **options).fit(X, y).model_
        np.testing.assert_allclose(all_of(large), all_of(plain), rtol=1e-6, atol=1e-8)
        if plain.figures.errors is not None:
            np.testing.assert_allclose(large.figures.errors, plain.figures.errors, rtol=1e-4)


def test_threads_change_nothing(monkeypatch):
    chance = np.random.default_rng(4)
    X = chance.normal(size=(60_000, 3))
    y = (X[:, 0] + chance.logistic(size=len(X)) > 0).astype(int)
    models = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("HEDGEROW_THREADS", threads)
        models.append(Logistic().fit(X, y).model_)
    assert models[0] == models[1] == models[2]


def test_the_solver_is_chosen_by_size(monkeypatch):
    table = mixed()
    assert "Newton's method" in str(Logistic().show_work(table))
    monkeypatch.setattr(fit, "FEW_CURVED", 3)
    assert "L-BFGS" in str(Logistic().show_work(table))
    monkeypatch.setattr(fit, "MOST_CURVED", 3)
    with pytest.raises(UsageError, match=r"solver='newton' stores the second derivatives of all 14 coefficients"):
        Logistic(solver="newton").train(table)


# -- texts and sparse columns ---------------------------------------------------------------------------------


def test_texts_count_by_tf_idf_with_ridge():
    texts = ["good day", "good sun and sun", "bad rain", "bad day and rain", "good", "bad"]
    learner = Logistic().fit(texts, list("ppnnpn"))
    assert learner.predict(["good good", "rain", "bad"]).tolist() == ["p", "n", "n"]
    assert learner.model_.figures.errors is None
    from sklearn.feature_extraction.text import TfidfVectorizer

    matrix = TfidfVectorizer().fit_transform(texts)
    peer = Peer(C=10.0, tol=1e-11).fit(matrix, list("ppnnpn"))  # strength 0.1
    own = exact(tf="count").fit(texts, list("ppnnpn"))
    assert Logistic().tf == "log"
    assert own.classes_.tolist() == peer.classes_.tolist()
    np.testing.assert_allclose(own.predict_proba(texts), peer.predict_proba(matrix), atol=1e-6)


@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
@pytest.mark.parametrize("penalty", ["none", "l2", "l1"])
def test_sparse_matrices_are_those_of_dense_ones(solver, penalty):
    chance = np.random.default_rng(3)
    dense = chance.normal(size=(200, 5)) * (chance.random((200, 5)) < 0.4)
    y = np.argmax(dense[:, :3] + chance.gumbel(size=(200, 3)), axis=1)
    one = exact(solver=solver, penalty=penalty, max_iter=5000).fit(dense, y).model_
    other = exact(solver=solver, penalty=penalty, max_iter=5000).fit(sp.csr_array(dense), y).model_
    np.testing.assert_allclose(all_of(other), all_of(one), atol=2e-6)


def test_wide_texts_by_lbfgs(monkeypatch):
    chance = np.random.default_rng(0)
    words = [f"w{i}" for i in range(400)]
    texts = [" ".join(chance.choice(words[c * 30 :], 12)) for c in (np.arange(150) % 3)]
    learner = Logistic(penalty="l1", strength=0.5).fit(texts, np.arange(150) % 3)
    monkeypatch.setattr(fit, "MOST_CURVED", 10)
    monkeypatch.setattr(fit, "FEW_CURVED", 10)
    other = Logistic(penalty="l1", strength=0.5, tol=1e-12, max_iter=20_000).fit(texts, np.arange(150) % 3)
    np.testing.assert_allclose(other.predict_proba(texts), learner.predict_proba(texts), atol=1e-3)
    assert 0 < np.count_nonzero(learner.model_.slopes) < learner.model_.slopes.size / 2


# -- separation -----------------------------------------------------------------------------------------------


def on_rows(model, table):
    """Return the log-likelihood of a model on rows."""
    codes = table.codes(table.schema.index(table.schema.target))
    shares = model.distribution(table)[np.arange(table.n_rows), codes]
    return float(np.log(np.maximum(shares, 1e-300)) @ table.row_weights)


@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_complete_separation_is_said(solver):
    table = Table.of({"x": [1.0, 2.0, 3.0, 4.0], "other": [1.0, 0.0, 1.0, 0.0], "y": list("aabb")}, "y")
    model = Logistic(solver=solver).train(table)
    (note,) = model.about.notes
    assert note.startswith("the classes 'a' and 'b' are separated completely by 'x'")
    assert "l2 with strength=1 was used" in note
    ridge = Logistic(solver=solver, penalty="l2").train(table)
    np.testing.assert_allclose(all_of(model), all_of(ridge), rtol=1e-5)
    assert not ridge.about.notes
    bare = Logistic(solver=solver, penalty="none").train(table)
    (note,) = bare.about.notes
    assert note.startswith("the classes 'a' and 'b' are separated completely by 'x'")
    assert "penalty='l2'" in note
    assert bare.predict(table).tolist() == list("aabb")
    assert np.abs(all_of(bare)).max() < 200
    assert bare.figures.errors is None or (bare.figures.errors[0, 1] == 0)
    assert bare.figures.log_likelihood == pytest.approx(0, abs=1e-3)


def foggy(n=200):
    chance = np.random.default_rng(0)
    sky = chance.integers(0, 3, n)
    x = chance.normal(size=n)
    y = (x + chance.logistic(size=n) > 0).astype(int)
    y[sky == 2] = 1  # fog always has class 1
    levels = {"y": ("c0", "c1"), "sky": ("sun", "rain", "fog")}
    columns = {"x": x, "sky": [levels["sky"][s] for s in sky], "y": [f"c{v}" for v in y]}
    return Table.of(columns, "y", levels), sky


@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_quasi_complete_separation_names_the_level_and_the_class(solver):
    table, sky = foggy()
    model = Logistic(solver=solver).train(table)
    (note,) = model.about.notes
    assert note.startswith("some rows of class 'c1' are separated from 'c0' by 'sky=fog':")
    ridge = Logistic(solver=solver, penalty="l2").train(table)
    np.testing.assert_allclose(all_of(model), all_of(ridge), rtol=1e-3, atol=1e-3)
    bare = Logistic(solver=solver, penalty="none").train(table)
    (note,) = bare.about.notes
    assert note.startswith("some rows of class 'c1' are separated from 'c0' by 'sky=fog':")
    errors = bare.figures.errors[0]
    assert errors[-1] == 0
    assert (errors[:3] > 0).all()
    rest = exact().train(table.take(sky != 2))  # the other coefficients are those of the other rows
    np.testing.assert_allclose(bare.slopes[0, :2], rest.slopes[0, :2], rtol=1e-4)
    np.testing.assert_allclose(errors[:3], rest.figures.errors[0][:3], rtol=1e-3)
    with pytest.warns(DataWarning, match="separated"):
        Logistic().fit(table)
    assert not ridge.about.notes


def test_separation_does_not_depend_on_weights_or_the_strength():
    table, _ = foggy()
    halves = table.with_weights(np.full(table.n_rows, 0.5))
    for one in (table, halves):
        notes = Logistic(strength=0.25, penalty="auto").train(one).about.notes
        assert any("'sky=fog'" in note and "strength=0.25" in note for note in notes)
    nothing = table.take(np.arange(table.n_rows)[table.codes(1) != 2])
    assert not Logistic().train(nothing).about.notes


def test_separated_classes_of_three():
    column = Column("y", Kind.NOMINAL, ("a", "b", "c"))
    table = IRIS_TABLE.with_column(column, SPECIES.astype(np.int32)).with_target("y")
    model = Logistic().train(table)
    (note,) = model.about.notes
    assert note.startswith("class 'a' is separated completely from all others by")
    assert len(model.told) == 3
    np.testing.assert_allclose(all_of(model), all_of(Logistic(penalty="l2").train(table)), rtol=1e-9)
    bare = Logistic(penalty="none").train(table)
    assert any(note.startswith("class 'a' is separated completely") for note in bare.about.notes)
    assert bare.figures.log_likelihood == pytest.approx(-5.949273, abs=1e-3)
    assert on_rows(bare, table) == pytest.approx(bare.figures.log_likelihood, rel=1e-6)
    assert (bare.decide(IRIS_TABLE) == SPECIES).mean() > 0.98
    each = Logistic(classes="each").train(table)
    assert any("class 'a' is" in note or "'a' are separated" in note for note in each.about.notes)
    assert each.figures.errors is None


@pytest.mark.parametrize("penalty", ["auto", "none"])
@pytest.mark.parametrize("seed", range(6))
def test_many_separated_classes_have_a_likelihood_that_is_a_number(seed, penalty):
    """More levels than rows can hold apart, nearly dependent columns: the Hessian is singular after a step or two."""
    chance = np.random.default_rng(seed)
    n, k = 80, 4
    codes = np.minimum(chance.integers(0, k, n), chance.integers(0, k, n))
    x = chance.normal(size=(n, 6)) + codes[:, None] * chance.normal(size=6)
    columns = {f"x{i}": x[:, i] for i in range(6)}
    columns["sum"] = np.round(x[:, :3].sum(axis=1), 5)
    columns |= {f"s{i}": [f"v{v}" for v in (chance.integers(0, 4, n) + codes * (i == 1)).tolist()] for i in range(3)}
    table = Table.of({**columns, "y": [f"c{code}" for code in codes]}, "y")
    model = Logistic(penalty=penalty).train(table)
    assert np.isfinite(all_of(model)).all()
    assert np.isfinite(model.figures.log_likelihood)
    assert model.figures.converged
    assert on_rows(model, table) == pytest.approx(model.figures.log_likelihood, rel=1e-4, abs=1e-4)
    constant = model.figures.constant
    assert model.figures.log_likelihood > constant
    if penalty == "none":
        assert any("separated" in note for note in model.about.notes)
        assert (model.decide(table) == table.codes(table.schema.index("y"))).mean() > 0.85


def test_columns_that_nearly_cancel_keep_their_digits():
    chance = np.random.default_rng(0)
    x = chance.normal(1000, 1, size=(300, 2))
    y = (x[:, 0] - 1000 + chance.logistic(size=300) > 0).astype(int)
    table = Table.of({"a": x[:, 0], "b": x[:, 1], "sum": np.round(x.sum(axis=1), 3), "y": [f"c{v}" for v in y]}, "y")
    for digits in (1, 3, 6):
        model = Logistic(digits=digits, penalty="none").train(table)
        assert on_rows(model, table) == pytest.approx(model.figures.log_likelihood, rel=1e-4)


IRIS_TABLE = Table.of({f"x{i}": IRIS[:, i] for i in range(4)})


def test_odds_ratios_near_one_have_digits_and_places_that_depend_have_none():
    chance = np.random.default_rng(1)
    amount = chance.uniform(200, 20_000, 800)
    y = (amount / 10_000 + chance.logistic(size=800) > 1).astype(int)
    table = Table.of({"amount": amount, "twice": 2 * amount, "y": [f"c{v}" for v in y]}, "y")
    lines = str(Logistic().train(table)).splitlines()
    (line,) = (line for line in lines if line.startswith("amount"))
    assert re.search(r"1\.000\d{3,4}  1\.000\d{3,4} to 1\.000\d{3,4}", line)
    (line,) = (line for line in lines if line.startswith("twice"))
    assert line.split() == ["twice", "(depends)"]


def test_the_line_on_levels_is_wrapped():
    table = Table.of(
        {**{f"a column of a long name {i}": list("xyzx" * 5) for i in range(8)}, "y": list("aabba" * 4)}, "y"
    )
    text = str(Logistic(penalty="l2").train(table))
    start = text.index("Levels are compared with")
    assert all(len(line) <= 100 for line in text[start:].splitlines()[:4])


def test_a_strong_effect_is_no_separation():
    chance = np.random.default_rng(0)
    x = np.concatenate([chance.normal(size=5000) * 30, [0.4, -0.4]])
    y = (x > 0).astype(int)
    y[-2:] = [0, 1]  # two rows on the wrong side
    model = Logistic().fit(x[:, None], y).model_
    assert not model.about.notes
    assert model.figures.converged
    assert model.figures.errors[0, 1] > 0


# -- odd data -------------------------------------------------------------------------------------------------


def test_constant_and_duplicated_columns_are_named():
    X, y, _ = made(3, 2)
    table = Table.of({**{f"x{i}": X[:, i] for i in range(4)}, "five": np.full(len(X), 5.0), "twice": 2 * X[:, 1] + 1,
                      "y": [f"c{v}" for v in y]}, "y")  # fmt: skip
    model = exact().train(table)
    plain = exact().fit(X, y).model_
    np.testing.assert_allclose(model.slopes[0, :4], plain.slopes[0], rtol=1e-8)
    assert model.left_out.tolist() == [4, 5]
    (note,) = model.about.notes
    assert "'five' has the same value in every row" in note
    assert "'twice' is a linear combination of 'x1'" in note
    ridge = exact(penalty="l2").train(table)
    assert ridge.slopes[0, 5] != 0
    assert ridge.left_out.tolist() == [4]
    assert loads(dumps(model)) == model


def test_more_columns_than_rows():
    chance = np.random.default_rng(0)
    X, y = chance.normal(size=(10, 30)), np.arange(10) % 2
    table = Table.of({**{f"x{i}": X[:, i] for i in range(30)}, "y": [f"c{v}" for v in y]}, "y")
    model = Logistic().train(table)
    assert model.figures.errors is None  # by ridge
    assert not model.about.notes
    bare = Logistic(penalty="none").train(table)
    assert any("no coefficient" in note for note in bare.about.notes)
    assert any("separated completely" in note for note in bare.about.notes)
    assert (bare.slopes != 0).sum() <= 9


def test_one_class_absent_classes_and_one_row():
    one = Logistic().train(Table.of({"x": [1.0, 2.0], "y": ["a", "a"]}, "y"))
    assert one.predict(Table.of({"x": [9.0]})).tolist() == ["a"]
    absent = Table.of({"x": [1.0, 2.0, 1.5, 3.0], "y": ["b", "c", "c", "b"]}, "y", {"y": ("a", "b", "c", "d")})
    for options in ({}, {"penalty": "l2"}, {"classes": "each"}):
        model = Logistic(**options).train(absent)
        shares = model.distribution(absent)
        assert (shares[:, [0, 3]] < 1e-8).all()
        assert loads(dumps(model)) == model
    two = exact().train(Table.of({"x": [1.0, 2.0, 1.5, 3.0], "y": ["b", "c", "c", "b"]}, "y"))
    np.testing.assert_allclose(
        Logistic(digits=15).train(absent).distribution(absent)[:, 1:3], two.distribution(absent), atol=1e-8
    )
    single = Logistic().train(Table.of({"x": [1.0], "y": ["a"]}, "y", {"y": ("a", "b")}))
    assert single.predict(Table.of({"x": [1.0]})).tolist() == ["a"]
    with pytest.raises(DataError, match="no rows"):
        Logistic().train(Table.of({"x": [], "y": []}, "y", {"y": ("a", "b")}))


def test_no_columns_and_columns_that_hold_nothing():
    table = Table.of({"gone": [None] * 4, "y": list("aabb")}, "y", {"gone": ()})
    model = Logistic().train(table)
    np.testing.assert_allclose(model.distribution(table), 0.5)
    same = Table.of({"x": [1.0] * 3, "y": list("aab")}, "y")
    model = Logistic().train(same)
    np.testing.assert_allclose(model.distribution(same)[:, 1], 1 / 3, atol=1e-6)
    assert model.figures.log_likelihood == pytest.approx(model.figures.constant)


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e300])
def test_infinite_and_huge_numbers_are_sentences(value):
    with pytest.raises((DataError, ValueError), match=r"infinit|beyond"):
        Logistic().train(Table.of({"x": [1.0, value, 2.0], "y": list("aba")}, "y"))


@pytest.mark.parametrize("size", [1e-140, 1e-9, 1e9, 1e140])
def test_numbers_of_any_size(size):
    X, y, _ = made(3, 2)
    one, other = exact().fit(X, y).model_, exact().fit(X * size, y).model_
    np.testing.assert_allclose(other.slopes * size, one.slopes, rtol=1e-6)


def test_unseen_levels_and_missing_values_at_prediction():
    model = Logistic().train(mixed())
    new = Table.of({"x": [None], "sky": ["snow"], "z": [1000.0]})
    assert np.isfinite(model.distribution(new)).all()


def test_passes_that_do_not_suffice_are_said():
    X, y, _ = made(3, 3)
    for solver, passes in (("newton", 1), ("lbfgs", 3)):
        with pytest.warns(DataWarning, match=rf"solver='{solver}' ended after \d+ pass(es)? before the log-likelihood"):
            learner = Logistic(solver=solver, max_iter=passes).fit(X, y)
        assert learner.model_.figures.converged is False
        assert "NOT converged" in str(learner.model_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solver": "magic"}, "solver='magic' is not allowed"),
        ({"penalty": "l3"}, "penalty='l3' is not allowed"),
        ({"strength": -1}, "strength=-1 is not allowed"),
        ({"l1_ratio": 2}, "l1_ratio=2 is not allowed"),
        ({"classes": "few"}, "classes='few' is not allowed"),
        ({"max_iter": 0}, "max_iter=0 is not allowed"),
        ({"digits": 16}, "digits=16 is not allowed"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        Logistic(**options).train(tennis_codes())


def test_a_numeric_target_is_a_sentence():
    with pytest.raises(DataError, match="use a regressor"):
        Logistic().train(Table.of({"x": [1.0, 2.0], "y": [0.5, 0.7]}, "y"))


def test_no_strength_is_no_penalty():
    table = mixed()
    assert exact(penalty="l2", strength=0).train(table) == exact(penalty="none").train(table)


# -- work and streams -----------------------------------------------------------------------------------------


def test_the_work(capsys):
    table = tennis_codes()
    work = str(Logistic().show_work(table))
    lines = work.split("\n")
    assert lines[0] == "Newton's method (iteratively reweighted least squares)"
    assert lines[4].split()[:3] == ["step", "log-likelihood", "size"]
    assert lines[5].split()[:2] == ["0", "-9.12458766"] or lines[5].split()[0] == "0"
    assert lines[-1] == "The log-likelihood has converged"
    assert "-6.8693" in lines[-2]
    Logistic(trace=True).train(table)
    assert work in capsys.readouterr().out
    assert "Log-odds of c1, c2" in str(Logistic().show_work(mixed()))
    assert str(Logistic(classes="each").show_work(mixed())).count("Log-odds of") == 3
    assert "The penalty is subtracted from" in str(Logistic(penalty="l1").show_work(table))


def written(path):
    table = mixed(900)
    columns = [table[name] for name in ("x", "sky", "z", "class")]
    levels = [None, table.schema["sky"].levels, None, table.schema["class"].levels]
    with path.open("w", encoding="utf-8") as file:
        file.write("x,sky,z,class\n")
        for row in range(table.n_rows):
            cells = []
            for values, names in zip(columns, levels, strict=True):
                value = values[row]
                known = value == value and value >= 0 if names else value == value
                cells.append((names[value] if names else repr(float(value))) if known else "?")
            file.write(",".join(cells) + "\n")
    return path


@pytest.mark.parametrize(
    "options", [{}, {"penalty": "l2"}, {"penalty": "l1"}, {"classes": "each"}, {"solver": "lbfgs"}, {"levels": "all"}]
)
def test_streams_give_the_same_model(tmp_path, monkeypatch, options):
    source = hedgerow.open_source(written(tmp_path / "a.csv"), target="class")
    whole = exact(**options).train(source.read())
    batches = source.batches
    monkeypatch.setattr(source, "batches", lambda: batches(250))
    streamed = exact(**options).train(source)
    np.testing.assert_allclose(all_of(streamed), all_of(whole), rtol=1e-6, atol=1e-8)
    assert streamed.figures.log_likelihood == (
        whole.figures.log_likelihood and pytest.approx(whole.figures.log_likelihood)
    )
    if whole.figures.errors is not None:
        np.testing.assert_allclose(streamed.figures.errors, whole.figures.errors, rtol=1e-5)


@pytest.mark.parametrize("penalty", ["auto", "none"])
@pytest.mark.parametrize("solver", ["auto", "lbfgs"])
def test_streams_decide_separation_as_memory_does(tmp_path, monkeypatch, penalty, solver):
    path = tmp_path / "a.csv"
    rows = [
        (f"{i * 37 % 50 / 7:.3f}", "rain" if i % 7 else "fog", "abc"[(i % 50 > 20) + (i % 7 == 0)]) for i in range(90)
    ]
    path.write_text("x,sky,y\n" + "".join(f"{','.join(row)}\n" for row in rows))
    source = hedgerow.open_source(path, target="y")
    whole = Logistic(penalty=penalty, solver=solver).train(source.read())
    batches = source.batches
    monkeypatch.setattr(source, "batches", lambda: batches(20))
    model = Logistic(penalty=penalty, solver=solver).train(source)
    assert any("separated" in note for note in model.about.notes)
    assert model.about.notes == whole.about.notes
    np.testing.assert_allclose(all_of(model), all_of(whole), rtol=1e-3, atol=1e-3)
    path.write_text("x,y\n" + "".join(f"{i % 50 / 7:.3f},{'ab'[i % 50 > 20]}\n" for i in range(80)))
    model = Logistic(penalty=penalty).train(hedgerow.open_source(path, target="y"))
    assert any("separated completely by 'x'" in note for note in model.about.notes)


def test_a_stream_refuses_what_needs_all_rows(tmp_path):
    path = written(tmp_path / "a.csv")
    source = hedgerow.open_source(path, target="class")
    with pytest.raises(UsageError, match="needs the rows in memory"):
        Logistic(solver="sgd").train(source)
    with pytest.raises(UsageError, match="the work on a stream is not shown"):
        Logistic(trace=True).train(source)


def test_unicode_names_and_texts_beside_numbers():
    table = mixed(60).with_column(Column("メモ", Kind.TEXT), Text.of(["gut", "schlecht", None] * 20))
    model = Logistic().train(table)
    assert "メモ__gut" in str(model)
    assert loads(dumps(model)) == model


# -- weak penalties on redundant columns ----------------------------------------------------------------------


def redundant(kind, classes):
    """Columns of deviation 1 that are repeated, nearly repeated, sums of others, or levels that add to 1."""
    rng = np.random.default_rng(len(kind) + classes)
    X = rng.normal(size=(200, 6))
    more = {
        "repeated": np.column_stack([X, X[:, :2]]),
        "nearly repeated": X + 1e-4 * rng.normal(size=X.shape),
        "sums": np.column_stack([X[:, :3] + X[:, 3:], X.sum(axis=1)]),
        "levels": np.column_stack([np.eye(4)[rng.integers(0, 4, 200)], np.eye(3)[rng.integers(0, 3, 200)]]),
    }[kind]
    scores = X @ rng.normal(size=(6, classes)) * 0.7 + rng.gumbel(size=(200, classes))
    X = np.column_stack([X, more])
    return (X - X.mean(axis=0)) / X.std(axis=0), scores.argmax(axis=1)


@pytest.mark.parametrize("strength", [1e-1, 1e-3, 1e-5])
@pytest.mark.parametrize("penalty", ["elastic", "l1"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", ["repeated", "nearly repeated", "sums", "levels"])
def test_weak_penalties_on_redundant_columns_settle(kind, classes, penalty, strength):
    """The gradient balances the penalty at every coefficient, after a few of Newton's steps."""
    X, y = redundant(kind, classes)
    learner = Logistic(penalty=penalty, strength=strength, digits=15).fit(X, y)
    model, share = learner.model_, 1.0 if penalty == "l1" else 0.5
    assert model.figures.passes <= 12
    assert model.about.notes == ()
    told = slice(1, None) if classes == 2 else slice(None)
    away = (learner.predict_proba(X) - np.eye(classes)[y])[:, told]
    slope = away.T @ X + strength * (1 - share) * model.slopes
    least = strength * share
    zero = model.slopes == 0
    fine = 1e-4 * strength + 1e-6
    assert (np.abs(slope + least * np.sign(model.slopes))[~zero] <= fine).all()
    assert (np.abs(slope[zero]) <= least + fine).all()
