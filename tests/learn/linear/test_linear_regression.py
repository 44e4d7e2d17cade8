"""Linear regression: worked examples, other programs, invariants, and notes on unusual data."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression as Peer
from sklearn.linear_model import Ridge

import hedgerow
from hedgerow import DataError, DataWarning, LinearRegression, Table, UsageError
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Text
from hedgerow.learn.linear.least_squares.level_groups import solve_groups
from hedgerow.models.files.model_file import dumps, loads
from tests.reference import linear as reference
from tests.textbook import tennis_codes

HOUSES2 = Table.of({"x1": [20.0, 16.0], "x2": [3.0, 3.0], "price": [40.0, 33.0]}, "price")
HOUSES3 = Table.of(
    {"living_area": [2104.0, 1600.0, 2400.0], "bedrooms": [3.0] * 3, "price": [400.0, 330.0, 369.0]}, "price"
)
AREA = HOUSES3.select(["living_area", "price"])


def thetas(model):
    return [model.intercept, *model.slopes]


def steps(path):
    return [(step.theta.tolist(), step.cost) for step in path.steps]


def random_table(seed, rows=60, columns=4, weighted=False):
    random = np.random.default_rng(seed)
    matrix = random.normal(random.normal(0, 20, columns), random.uniform(0.1, 9, columns), (rows, columns))
    target = matrix @ random.normal(size=columns) + random.normal(size=rows) + 5
    names = [f"c{i}" for i in range(columns)]
    weights = random.integers(1, 4, rows).astype(float) if weighted else None
    table = Table.of(dict(zip(names, matrix.T, strict=True)) | {"y": target}, "y", weights=weights)
    return table, matrix, target, np.ones(rows) if weights is None else weights


# -- worked examples ------------------------------------------------------------------------------------------


def descent(**asked):
    return LinearRegression(**{"solver": "batch", "start": 1, "rate": 0.001, "tol": 0, "digits": 12} | asked)


def test_one_batch_step_of_rate_1_diverges():
    """G76: (30, 529, 88) by the rule for every theta, the intercept too; J is 96,750,590.5 then."""
    with pytest.warns(DataWarning, match=r"rate=1 is too large: the cost rose from 212\.5 to 9\.67506e\+07 in 1 pass"):
        learner = descent(rate=1, passes=1).fit(HOUSES2)
    assert thetas(learner.model_) == [30, 529, 88]
    work = descent(rate=1, passes=1).show_work(HOUSES2)
    assert [cost for _, cost in steps(work.best)] == [212.5, 96_750_590.5]


def test_one_batch_step_of_a_small_rate():
    """G77: 1.029, 1.528, 1.087."""
    assert thetas(descent(passes=1).train(HOUSES2)) == pytest.approx([1.029, 1.528, 1.087], abs=1e-12)


def test_four_batch_steps():
    """G78: the simultaneous updates of the full rule, their costs, and h(18, 3)."""
    found = steps(descent(passes=4).show_work(HOUSES2).best)
    expected = [
        ([1, 1, 1], 212.5, 22),
        ([1.029000, 1.528000, 1.087000], 22.343572, 31.794000),
        ([1.038412, 1.699192, 1.115236], 2.352523, 34.969576),
        ([1.041473, 1.754694, 1.124419], 0.250873, 35.999216),
        ([1.042474, 1.772684, 1.127423], 0.029926, 36.333064),
    ]
    assert len(found) == 5
    for (theta, cost), (theta_, cost_, said) in zip(found, expected, strict=True):
        assert theta == pytest.approx(theta_, abs=1e-6)
        assert cost == pytest.approx(cost_, abs=1e-6)
        assert theta @ np.array([1, 18, 3]) == pytest.approx(said, abs=1e-6)


def test_where_batch_descent_leads():
    """G78: the limit from (1, 1, 1) is (1.1, 1.75, 1.3), and h(18, 3) is 36.5."""
    model = LinearRegression(solver="batch", start=1, rate=0.001, passes=200_000, tol=0).train(HOUSES2)
    assert thetas(model) == pytest.approx([1.1, 1.75, 1.3], abs=1e-4)
    assert model.predict(Table.of({"x1": [18.0], "x2": [3.0]}))[0] == pytest.approx(36.5, abs=1e-4)


def test_stochastic_steps():
    """G79: thetas and errors after each row, in two passes."""
    learner = descent(solver="sgd", passes=2)
    work = learner.show_work(HOUSES2)
    first = work.row_steps(np.ones(3), 0.001)
    assert [step.error for step in first] == pytest.approx([16, 7.72], abs=1e-9)
    assert first[0].theta == pytest.approx([1.016, 1.32, 1.048], abs=1e-9)
    assert first[1].theta == pytest.approx([1.02372, 1.44352, 1.07116], abs=1e-9)
    second = work.row_steps(first[1].theta, 0.001)
    assert [step.error for step in second] == pytest.approx([6.8924, 3.391988], abs=1e-9)
    assert second[0].theta == pytest.approx([1.0306124, 1.581368, 1.0918372], abs=1e-9)
    end = [1.034004388, 1.635639808, 1.102013164]
    assert second[1].theta == pytest.approx(end, abs=1e-9)
    assert thetas(learner.train(HOUSES2)) == pytest.approx(end, abs=1e-9)


def test_least_squares_of_three_houses():
    """G80: 3797031/15338 and 7163/122704, squared error 1345.602360."""
    model = LinearRegression(digits=12).train(AREA)
    assert thetas(model) == pytest.approx([3797031 / 15338, 7163 / 122704], rel=1e-11)
    assert model.figures.deviation**2 == pytest.approx(1345.602360, rel=1e-5)  # one degree of freedom
    assert "squared error 1345.60236" in str(LinearRegression().show_work(AREA))


def test_a_constant_column_is_named_and_gets_no_coefficient():
    """G80: bedrooms is 3 in every row, so that the normal equations are singular."""
    with pytest.warns(DataWarning, match="linearly dependent columns: 'bedrooms' has the same value in every row"):
        learner = LinearRegression(digits=12).fit(HOUSES3)
    assert thetas(learner.model_) == pytest.approx([3797031 / 15338, 7163 / 122704, 0], rel=1e-11)
    assert re.search(r"bedrooms +\(depends\)", str(learner.model_))


def test_membership_by_least_squares():
    """G81: the coefficients for class play; 12 of 14 rows are on the right side."""
    codes = tennis_codes(classes=None)
    model = LinearRegression(digits=12).train(codes)
    expected = [299 / 346, 23 / 346, 6 / 173, -76 / 173, -83 / 346]
    assert thetas(model) == pytest.approx(expected, abs=1e-9)
    said = model.predict(codes)
    assert said[1] == pytest.approx(0.254335, abs=1e-6)
    assert ((said > 0.5) == (codes["play"] > 0.5)).sum() == 12


# -- peers and formulas ---------------------------------------------------------------------------------------


@given(st.integers(0, 9999), st.integers(1, 6), st.booleans())
@settings(max_examples=40)
def test_the_coefficients_are_those_of_scikit_learn(seed, columns, weighted):
    table, matrix, target, weights = random_table(seed, columns=columns, weighted=weighted)
    model = LinearRegression(digits=15).train(table)
    peer = Peer().fit(matrix, target, weights)
    assert np.allclose(model.slopes, peer.coef_, rtol=1e-9, atol=1e-11)
    assert np.isclose(model.intercept, peer.intercept_, rtol=1e-9, atol=1e-9)
    for ridge in (0.1, 30.0):
        model = LinearRegression(digits=15, alpha=ridge).train(table)
        peer = Ridge(ridge, solver="cholesky").fit(matrix, target, weights)
        assert np.allclose(model.slopes, peer.coef_, rtol=1e-9, atol=1e-11)
        assert np.isclose(model.intercept, peer.intercept_, rtol=1e-9, atol=1e-9)


@given(st.integers(0, 9999), st.booleans())
@settings(max_examples=20)
def test_standard_errors_t_p_and_fit(seed, weighted):
    from scipy.stats import t as students_t

    table, matrix, target, weights = random_table(seed, weighted=weighted)
    model = LinearRegression(digits=15).train(table)
    beta, errors, fit, deviation = reference.least_squares(matrix, target, weights)
    assert model.figures.errors == pytest.approx(errors, rel=1e-5)
    assert model.figures.r_squared == pytest.approx(fit, abs=1e-8)
    assert model.figures.deviation == pytest.approx(deviation, rel=1e-5)
    t, p = model.t_and_p()
    assert t == pytest.approx(beta / errors, rel=1e-5)
    assert p == pytest.approx(2 * students_t.sf(abs(beta / errors), weights.sum() - 5), rel=1e-3, abs=1e-12)


def test_six_digits_predict_nearly_the_same():
    table, matrix, target, _ = random_table(3)
    said, exact = LinearRegression().train(table).predict(table), Peer().fit(matrix, target).predict(matrix)
    assert np.abs(said - exact).max() < 1e-5 * target.std()


def test_years_keep_the_digits_that_they_need():
    year = np.arange(1950.0, 2020.0)
    table = Table.of({"year": year, "y": 0.123456789 * year + np.sin(year)}, "y")
    exact = Peer().fit(year[:, None], table["y"]).predict(year[:, None])
    assert np.abs(LinearRegression().train(table).predict(table) - exact).max() < 1e-5


def test_predictions_are_those_of_the_printed_coefficients():
    table = Table.of(
        {"a": [1.0, 2.5, None, 4.0, 7.0, 8.0], "b": ["x", "y", "z", None, "y", "x"], "t": [1.0, 4, 2, 8, 5, 9]}, "t"
    )
    model = LinearRegression().train(table)
    printed = dict(re.findall(r"^(\S+(?: missing)?) +(-?[\d.e-]+)", str(model), re.MULTILINE))
    mean = float(re.search(r"^a .* ([\d.]+)$", str(model), re.MULTILINE)[1])
    assert mean == 4.5
    for row, said in enumerate(model.predict(table).tolist()):
        a, b = table["a"][row], table["b"][row]
        value = float(printed["(intercept)"]) + float(printed["a"]) * (mean if np.isnan(a) else a)
        value += float(printed["a missing"]) * np.isnan(a)
        value += float(printed["b missing"]) if b < 0 else float(printed.get(f"b={'xyz'[b]}", 0))
        assert said == pytest.approx(value, abs=1e-12)
    assert "Levels are compared with b=x" in str(model)


@given(st.integers(0, 9999), st.booleans(), st.booleans())
@example(146, False, True)
@settings(max_examples=30)
def test_coefficients_as_they_print_are_faithful(seed, nearly, weighted):
    """Each is within 1e-6 of scikit-learn's, and predictions move by less than 1e-6 of the target's deviation."""
    table, matrix, target, weights = random_table(seed, rows=80, columns=7, weighted=weighted)
    if nearly:  # columns that nearly cancel each other
        close = matrix[:, 0] + 1e-4 * np.random.default_rng(seed).normal(size=80)
        table = table.with_column(Column("close", Kind.NUMERIC), close)
        matrix = np.column_stack([matrix, close])
    model, peer = LinearRegression().train(table), Peer().fit(matrix, target, sample_weight=weights)
    assert model.slopes == pytest.approx(peer.coef_, rel=1.001e-6 if not nearly else 1e-4)
    exact = LinearRegression(digits=15).train(table).predict(table)
    moved = model.predict(table) - exact
    spread = np.sqrt(np.average((target - np.average(target, weights=weights)) ** 2, weights=weights))
    assert np.sqrt(np.average(moved**2, weights=weights)) < 1e-6 * spread
    if not nearly:
        sums = abs(peer.intercept_) + np.abs(peer.coef_ * matrix.mean(0)).sum()
        assert abs(model.intercept - peer.intercept_) < 2e-6 * sums


# -- kinds of columns -----------------------------------------------------------------------------------------


def test_levels_against_the_first_and_all_levels_predict_alike():
    random = np.random.default_rng(2)
    table = Table.of(
        {"sky": random.choice(["sun", "rain", "fog"], 50), "wind": random.normal(size=50), "y": random.normal(size=50)},
        "y",
    )
    first, every = LinearRegression().train(table), LinearRegression(levels="all", digits=9).train(table)
    assert np.allclose(first.predict(table), every.predict(table), atol=1e-4)
    assert len(every.left_out) == 1
    assert "is a linear combination of" in every.about.notes[0]
    assert first.columns_used() == ("sky", "wind")


def test_a_missing_number_has_its_own_coefficient():
    table = Table.of({"a": [1.0, 2.0, 3.0, None, None], "y": [1.0, 2.0, 3.0, 10.0, 10.0]}, "y")
    model = LinearRegression().train(table)
    assert model.coefficients == {"a": 1, "a missing": 8}
    assert model.predict(table).tolist() == pytest.approx([1, 2, 3, 10, 10])


def text_table(texts, y):
    table = Table.of({"n": np.arange(float(len(y))) % 3, "y": y}, "y")
    return table.with_column(Column("note", Kind.TEXT), Text.of(texts))


WORDS = ["good", "bad", "fine", "poor", "nice", "awful", "price", "room", "clean", "dirty", "view", "noise"]


def drawn_texts(rows=80):
    random = np.random.default_rng(8)
    texts = [" ".join(random.choice(WORDS, 5)) for _ in range(rows)]
    y = [2.0 * text.count("good") - text.count("bad") + 0.5 * (i % 3) for i, text in enumerate(texts)]
    return text_table(texts, y)


def test_texts_are_terms_and_stay_sparse():
    table = drawn_texts()
    model = LinearRegression(digits=12).train(table)
    assert sp.issparse(model.design.matrix(table))
    dense = model.design.matrix(table).toarray()
    peer = Peer().fit(dense, table["y"])
    assert np.allclose(model.predict(table), peer.predict(dense), atol=1e-6)
    assert model.coefficients["note__good"] > 0 > model.coefficients["note__bad"]
    ridge = LinearRegression(alpha=1, digits=15).train(table)
    assert np.allclose(ridge.slopes, Ridge(1, solver="cholesky").fit(dense, table["y"]).coef_, atol=1e-9)


@pytest.mark.parametrize("solver", ["batch", "sgd"])
def test_descent_on_texts(solver):
    table = drawn_texts()
    model = LinearRegression(solver=solver, passes=3000, standardize=True).train(table)
    exact = LinearRegression().train(table)
    assert model.figures.r_squared == pytest.approx(exact.figures.r_squared, abs=1e-4)


def test_sparse_matrices_are_those_of_dense_ones():
    random = np.random.default_rng(4)
    matrix = random.normal(size=(60, 8)) * (random.random((60, 8)) < 0.3)
    target = matrix @ np.arange(8.0) + random.normal(size=60)
    dense = LinearRegression(digits=12).fit(matrix, target)
    sparse = LinearRegression(digits=12).fit(sp.csr_array(matrix), target)
    assert np.allclose(dense.model_.slopes, sparse.model_.slopes, rtol=1e-9)
    assert np.allclose(dense.predict(matrix), sparse.predict(sp.csr_array(matrix)), rtol=1e-9)


@pytest.fixture
def few_places(monkeypatch):
    """Products of no more than 5 places are held."""
    from hedgerow.learn.linear.least_squares import linear_regression, products

    monkeypatch.setattr(products, "MOST_PLACES", 5)
    monkeypatch.setattr(linear_regression, "MOST_PLACES", 5)


@pytest.mark.parametrize("options", [{}, {"alpha": 2.0}, {"alpha": 0.5, "standardize": True}])
@pytest.mark.parametrize("weighted", [False, True])
def test_conjugate_gradients_solve_what_the_normal_equations_do(few_places, monkeypatch, options, weighted):
    table = drawn_texts()
    table = table.with_weights(np.arange(80) % 3 + 0.5) if weighted else table
    asked = {"tol": 1e-13, "digits": 12} | options
    found = LinearRegression(**asked).train(table)
    monkeypatch.undo()
    exact = LinearRegression(**asked).train(table)
    assert thetas(found) == pytest.approx(thetas(exact), rel=1e-6, abs=1e-8)
    assert found.figures.r_squared == pytest.approx(exact.figures.r_squared, abs=1e-9)
    assert not found.about.notes


@pytest.mark.usefixtures("few_places")
def test_conjugate_gradients_on_dense_and_on_odd_columns():
    table, matrix, target, _ = random_table(4, columns=8)
    table = table.with_column(Column("flat", Kind.NUMERIC), np.full(60, 3.0))
    table = table.with_column(Column("twice", Kind.NUMERIC), 2 * matrix[:, 0])
    model = LinearRegression(tol=1e-14).train(table)
    peer = Peer().fit(matrix, target)
    assert np.abs(model.predict(table) - peer.predict(matrix)).max() < 1e-5 * target.std()
    assert model.coefficients["flat"] == 0
    early = LinearRegression(passes=1).train(table)
    assert "conjugate gradients ended after 1 step before they converged" in early.about.notes[0]


@pytest.mark.usefixtures("few_places")
def test_more_places_than_rows_take_the_smallest_coefficients_that_fit():
    random = np.random.default_rng(5)
    table = Table.of({f"c{i}": random.normal(size=6) for i in range(30)} | {"y": random.normal(size=6)}, "y")
    model = LinearRegression(digits=9, tol=1e-13).train(table)
    assert np.allclose(model.predict(table), table["y"], atol=1e-6)
    assert (
        "30 coefficients for 6 rows: of all exact fits, the one with the smallest coefficients is used"
        in model.about.notes[0]
    )
    matrix = np.column_stack([table[f"c{i}"] for i in range(30)])
    scaled = (matrix - matrix.mean(0)) / matrix.std(0)
    least = np.linalg.lstsq(scaled, table["y"] - table["y"].mean(), rcond=None)[0]
    assert np.allclose(model.slopes * matrix.std(0), least, atol=1e-6)


def test_texts_of_many_terms():
    """Beyond 5,000 places: ridge on sparse terms as scikit-learn has it."""
    random = np.random.default_rng(1)
    texts = [" ".join(f"w{i}" for i in random.integers(0, 9000, 30)) for _ in range(1500)]
    table = text_table(texts, [float(text.count("w1")) + i % 7 for i, text in enumerate(texts)])
    model = LinearRegression(alpha=1, digits=12, tol=1e-12).train(table)
    assert model.design.width > 5000
    matrix = model.design.matrix(table)
    peer = Ridge(1, solver="lsqr", tol=1e-12, max_iter=10_000).fit(matrix.toarray(), table["y"])
    assert np.allclose(model.predict(table), peer.predict(matrix), atol=1e-5)


@pytest.mark.usefixtures("few_places")
def test_what_too_many_places_rule_out_is_a_sentence(tmp_path):
    with pytest.raises(DataError, match=r"13 columns .* the equations are not shown"):
        LinearRegression().show_work(drawn_texts())
    with pytest.raises(DataError, match=r"13 columns .* keep fewer terms"):
        LinearRegression(solver="batch", alpha=1).train(drawn_texts())
    for solver in ("sgd", "batch"):
        model = LinearRegression(solver=solver, passes=2000).train(drawn_texts())
        assert model.figures.r_squared > 0.8
        assert "Ended" in str(LinearRegression(solver=solver, passes=3).show_work(drawn_texts()))
    dense = LinearRegression(solver="sgd", standardize=True).train(random_table(4, columns=8)[0])
    assert dense.figures.r_squared > 0.9


# -- descent --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["batch", "sgd"])
def test_descent_on_standardized_columns_reaches_least_squares(solver):
    table, *_ = random_table(6)
    exact = LinearRegression().train(table)
    found = LinearRegression(solver=solver, standardize=True, passes=5000, tol=1e-13).train(table)
    tolerance = 1e-3 if solver == "batch" else 0.01
    assert np.abs(found.predict(table) - exact.predict(table)).max() < tolerance * table["y"].std()


def test_batch_descent_with_ridge():
    table, *_ = random_table(7)
    exact = LinearRegression(alpha=5, standardize=True).train(table)
    found = LinearRegression(solver="batch", alpha=5, standardize=True, passes=20000, tol=0).train(table)
    assert found.slopes == pytest.approx(exact.slopes, rel=1e-4)
    with pytest.raises(UsageError, match="ridge is for solver='normal'"):
        LinearRegression(solver="sgd", alpha=1).train(table)


@given(st.integers(0, 9999), st.booleans())
@settings(max_examples=20)
def test_steps_are_those_of_the_textbook(seed, weighted):
    """M168 to M170: one pass of each kind against the plain rule."""
    table, matrix, target, weights = random_table(seed, rows=12, columns=2, weighted=weighted)
    ones = np.ones(3)
    for solver, twin in (("batch", reference.batch_step), ("sgd", reference.stochastic_pass)):
        work = LinearRegression(solver=solver, start=1, rate=1e-5, passes=1).show_work(table)
        expected = twin(matrix, target, weights, 1e-5, ones)
        assert work.best.last.theta == pytest.approx(expected, rel=1e-9, abs=1e-9)
        cost = (weights * (target - np.column_stack([ones[:1].repeat(12), matrix]) @ expected) ** 2).sum() / 2
        assert work.best.last.cost == pytest.approx(cost, rel=1e-9)


@pytest.mark.parametrize("solver", ["batch", "sgd"])
def test_a_rate_that_diverges_is_said_and_another_suggested(solver):
    with pytest.raises(
        UsageError, match=r"rate=1 is too large: the cost rose .* try rate=0\.00\d+, or rate=none"
    ) as told:
        LinearRegression(solver=solver, rate=1).train(HOUSES2)
    rate = float(re.search(r"try rate=([\d.]+)", str(told.value))[1])
    model = LinearRegression(solver=solver, rate=rate, passes=50_000).train(HOUSES2)
    assert model.predict(HOUSES2) == pytest.approx([40, 33], abs=0.1)
    assert "is too large" in str(LinearRegression(solver=solver, rate=1).show_work(HOUSES2))


def test_several_starts_keep_the_best():
    """M171: descents from several guesses; the one of least cost counts."""
    table, *_ = random_table(9)
    learner = LinearRegression(solver="batch", standardize=True, n_init=4, passes=3)
    work = learner.show_work(table)
    assert len(work.paths) == 4
    assert work.best.last.cost == min(path.last.cost for path in work.paths)
    assert str(work).count("the best") == 1
    assert str(learner.train(table)) == str(learner.train(table))
    assert str(learner.train(table)) != str(learner.set_params(random_state=2).train(table))


def test_descent_that_did_not_settle_says_so():
    table, *_ = random_table(1)
    assert "before the cost converged" in LinearRegression(solver="batch", passes=2).train(table).about.notes[0]


def test_the_work():
    normal = str(LinearRegression().show_work(HOUSES3))
    assert "Normal equations: X'X theta = X'y" in normal
    assert re.search(r"living_area +6104 +12746816 +18312 +\| +2255200", normal)
    assert "'bedrooms' has the same value in every row" in normal
    batch = str(descent(passes=4).show_work(HOUSES2))
    assert re.search(r"^4 +1\.0424\d+ +1\.7726\d+ +1\.1274\d+ +0\.0299", batch, re.MULTILINE)
    assert re.search(r"^2 +7\.72 +1\.02372 +1\.44352", str(descent(solver="sgd", passes=1).show_work(HOUSES2)), re.M)


def test_trace_prints_the_work(capsys):
    LinearRegression(trace=True).train(AREA)
    assert "Normal equations" in capsys.readouterr().out


# -- bad and odd input ----------------------------------------------------------------------------------------


def test_duplicated_columns_are_named():
    table, matrix, *_ = random_table(3)
    table = table.with_column(Column("again", Kind.NUMERIC), 2 * matrix[:, 1] - 3 * matrix[:, 0] + 1)
    model = LinearRegression().train(table)
    assert model.about.notes == (
        "no coefficient for linearly dependent columns: 'again' is a linear combination of 'c0', 'c1'",
    )
    plain = LinearRegression().train(table.select(["c0", "c1", "c2", "c3", "y"]))
    assert thetas(plain) == thetas(model)[:-1]


def test_more_columns_than_rows():
    random = np.random.default_rng(5)
    table = Table.of({f"c{i}": random.normal(size=5) for i in range(30)} | {"y": random.normal(size=5)}, "y")
    model = LinearRegression(digits=9).train(table)
    assert len(model.left_out) == 26
    assert "and 18 more" in model.about.notes[0]
    assert np.allclose(model.predict(table), table["y"], atol=1e-6)
    assert model.figures.errors is None
    ridge = LinearRegression(alpha=0.1).train(table)
    assert len(ridge.left_out) == 0
    assert np.count_nonzero(ridge.slopes) == 30


@pytest.mark.parametrize(("value", "message"), [(np.inf, "inf, which is infinite"), (-1e200, "is beyond 1e.150")])
@pytest.mark.parametrize("column", ["a", "y"])
def test_infinite_and_huge_numbers_are_sentences(value, message, column):
    columns = {"a": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 4.0]}
    columns[column][1] = value
    with pytest.raises(DataError, match=f"column '{column}' holds {'' if value > 0 else '-1e.200.*'}.*{message}"):
        LinearRegression().train(Table.of(columns, "y"))


@pytest.mark.parametrize("size", [1e-140, 1e-12, 1e12, 1e140])
def test_numbers_of_any_size(size):
    x = np.array([1.0, 2.0, 3.0, 4.0])
    model = LinearRegression().train(Table.of({"a": size * x, "y": [1.0, 2.0, 2.0, 5.0]}, "y"))
    assert model.slopes * size == pytest.approx([1.2], rel=1e-5)
    assert model.figures.r_squared == pytest.approx(0.8, abs=1e-8)


def test_one_row_empty_tables_and_nothing_but_missing():
    one = LinearRegression().train(Table.of({"a": [3.0], "b": ["x"], "y": [7.0]}, "y"))
    assert one.predict(Table.of({"a": [9.0], "b": ["x"]}))[0] == 7
    assert str(one)
    with pytest.raises(DataError, match="no rows"):
        LinearRegression().train(Table.of({"a": [3.0], "y": [7.0]}, "y").slice(0, 0))
    nothing = LinearRegression().train(Table.of({"a": [None, None], "b": [None, None], "y": [7.0, 9.0]}, "y"))
    assert nothing.predict(Table.of({"a": [1.0], "b": [2.0]}))[0] == 8
    alone = LinearRegression().train(Table.of({"y": [7.0, 9.0]}, "y"))
    assert (alone.intercept, alone.size) == (8, 0)


def test_a_constant_target():
    model = LinearRegression().train(Table.of({"a": [1.0, 2.0, 3.0], "y": [4.0, 4.0, 4.0]}, "y"))
    assert thetas(model) == [4, 0]
    assert model.figures.r_squared is None
    assert "R²" not in str(model)


def test_an_exact_fit_has_small_errors_not_wrong_ones():
    x = np.arange(20.0) + 1000
    model = LinearRegression().train(Table.of({"x": x, "y": 3 * x - 2}, "y"))
    assert thetas(model) == [-2, 3]
    assert model.figures.r_squared == 1
    assert model.figures.deviation < 1e-9


# -- streams, files, Python -----------------------------------------------------------------------------------


def csv(tmp_path, rows=500):
    random = np.random.default_rng(3)
    path = tmp_path / "t.csv"
    lines = ["size,sky,y"]
    for _ in range(rows):
        size = random.normal(50, 9)
        sky = random.choice(["sun", "rain", "fog", "?"])
        cell = "?" if random.random() < 0.1 else f"{size:.3f}"
        lines.append(f"{cell},{sky},{size + 3 * (sky == 'sun') + random.normal():.3f}")
    path.write_text("\n".join(lines) + "\n")
    return path


SGD = {"solver": "sgd", "standardize": True, "passes": 30}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"alpha": 2.0},
        {"solver": "batch", "standardize": True},
        SGD,
        SGD | {"n_init": 3},
        SGD | {"rate": 0.001},
        {"solver": "sgd", "rate": 1e-5, "start": 1, "passes": 2},
    ],
)
def test_streams_give_the_same_model(tmp_path, monkeypatch, options):
    source = hedgerow.open_source(csv(tmp_path), target="y")
    batches = source.batches
    monkeypatch.setattr(source, "batches", lambda: batches(37))
    streamed = LinearRegression(**options).train(source)
    held = LinearRegression(**options).train(source.read())
    assert str(streamed) == str(held)


def test_what_a_stream_refuses(tmp_path):
    source = hedgerow.open_source(csv(tmp_path), target="y")
    with pytest.raises(UsageError, match=r"rate=1 is too large: .* try rate=0\.0\d+"):
        LinearRegression(solver="sgd", rate=1).train(source)
    with pytest.raises(UsageError, match="not shown"):
        LinearRegression(trace=True).train(source)


def test_threads_change_nothing(monkeypatch):
    table, *_ = random_table(3, rows=30_000)
    monkeypatch.setenv("HEDGEROW_THREADS", "1")
    one = LinearRegression(digits=15).train(table)
    monkeypatch.setenv("HEDGEROW_THREADS", "3")
    assert LinearRegression(digits=15).train(table) == one


def test_all_coefficients_as_a_table():
    model = LinearRegression().train(HOUSES3)
    rows = model.to_table().to_pylist()
    assert [row["name"] for row in rows] == ["(intercept)", "living_area", "bedrooms"]
    assert rows[0]["column"] is None
    assert rows[2]["error"] is None
    assert rows[1]["coefficient"] == model.slopes[0]


def test_a_long_print_is_cut():
    random = np.random.default_rng(1)
    texts = [" ".join(f"w{i}" for i in random.integers(0, 400, 6)) for _ in range(300)]
    model = LinearRegression(alpha=1).train(text_table(texts, random.normal(size=300).tolist()))
    assert len(str(model).split("\n")) < 40
    assert "smaller coefficients of note; to_table() lists all" in str(model)
    assert loads(dumps(model)) == model


def test_weights_of_zero_and_unicode_names():
    table = Table.of({"größe €": [1.0, 2.0, 3.0, 99.0], "y": [1.0, 2.0, 3.0, -7.0]}, "y", weights=[1, 1, 1, 0])
    model = LinearRegression().train(table)
    assert model.coefficients == {"größe €": 1}
    assert "größe €" in str(model)


# -- without an intercept -------------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([0.0, 2.5]))
@settings(max_examples=25)
def test_without_intercept_as_scikit_learn(seed, weighted, ridge):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3)) * [1, 10, 0.1] + [5, -30, 0.2]
    X[:, 2] = np.where(seed % 3 == 0, 4.0, X[:, 2])  # a constant column counts where there is no intercept
    y, weights = rng.normal(size=30) + X[:, 0], rng.integers(1, 4, 30).astype(float) if weighted else None
    ours = LinearRegression(fit_intercept=False, alpha=ridge, digits=15).fit(X, y, sample_weight=weights)
    peer = Ridge(fit_intercept=False, alpha=ridge) if ridge else Peer(fit_intercept=False)
    peer.fit(X, y, sample_weight=weights)
    assert ours.model_.intercept == 0
    np.testing.assert_allclose(ours.model_.slopes, peer.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-7, atol=1e-8)


def test_without_intercept_prints_saves_and_explains(tmp_path):
    table = Table.of({"x": [1.0, 2.0, 3.0, 4.0], "sky": ["sun", "fog", "sun", "fog"], "y": [2.0, 5.0, 6.5, 8.5]}, "y")
    model = LinearRegression(fit_intercept=False).train(table)
    assert "(intercept)" not in str(model)
    assert "R² about 0" in str(model)
    assert model.to_table()["name"].to_pylist() == model.design.names
    model.save(tmp_path / "model.hedge")
    again = hedgerow.load(tmp_path / "model.hedge")
    assert again == model
    assert str(again) == str(model)
    row = table.slice(1, 2)
    assert model.contributions(model.align(row)).scores[0] == pytest.approx(model.predict(row)[0])
    assert "(intercept)" not in str(LinearRegression(fit_intercept=False).show_work(table))


def test_without_intercept_many_columns_by_conjugate_gradients(monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 6)) + 3
    y = X @ rng.normal(size=6) + rng.normal(size=80)
    exact = LinearRegression(fit_intercept=False).fit(X, y).model_
    monkeypatch.setattr("hedgerow.learn.linear.least_squares.linear_regression.MOST_PLACES", 2)
    found = LinearRegression(fit_intercept=False, tol=1e-14).fit(X, y).model_
    np.testing.assert_allclose(found.slopes, exact.slopes, rtol=1e-5)
    assert found.intercept == 0
    assert not found.has_intercept


def test_without_intercept_is_for_normal_equations():
    table = Table.of({"x": [1.0, 2.0], "y": [1.0, 3.0]}, "y")
    with pytest.raises(UsageError, match="choose solver='normal'"):
        LinearRegression(fit_intercept=False, solver="batch").train(table)


# -- columns that nearly depend on each other -----------------------------------------------------------------


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_qr_finds_what_depends_as_products_do(seed):
    """Sums and multiples of other columns, in any place, have no coefficient; the others fit as they would alone."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 4))
    X = np.column_stack([X, X[:, 0] + 2 * X[:, 1], np.full(25, 3.0), X[:, 2] * 5])[:, rng.permutation(7)]
    y = rng.normal(size=25)
    model = LinearRegression(digits=15).train(Table.of({f"x{i}": X[:, i] for i in range(7)} | {"y": y}, "y"))
    assert len(model.left_out) == 3
    fitted = np.column_stack([np.ones(25), X]) @ np.linalg.lstsq(np.column_stack([np.ones(25), X]), y, rcond=None)[0]
    np.testing.assert_allclose(model.predict(Table.of({f"x{i}": X[:, i] for i in range(7)})), fitted, atol=1e-9)


@given(st.integers(0, 10_000), st.integers(1, 9))
@example(1795, 9)
@settings(max_examples=40)
def test_rounding_keeps_what_is_promised(seed, digits):
    """Every coefficient within 10^-digits of itself, and predictions within as many deviations of the target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3)) * 10.0 ** rng.integers(-3, 4, 3) + 10.0 ** rng.integers(-2, 6, 3)
    y = X @ (rng.normal(size=3) / X.std(axis=0)) + rng.normal(size=40)
    exact, short = (LinearRegression(digits=d).fit(X, y).model_ for d in (15, digits))
    ours = np.append(short.slopes, short.intercept), np.append(exact.slopes, exact.intercept)
    assert (np.abs(ours[0] - ours[1]) <= 1.001 * 10.0**-digits * np.abs(ours[1])).all()
    apart = X @ (short.slopes - exact.slopes) + (short.intercept - exact.intercept)
    unit = 1e-15 * (np.abs(X).max(axis=0) @ np.abs(exact.slopes) + abs(exact.intercept))  # the 15th digit of all terms
    assert np.sqrt(np.square(apart).mean()) <= 1.001 * 10.0**-digits * y.std() + unit


# -- many levels ----------------------------------------------------------------------------------------------


def levels_table(seed, levels=120, rows=400, missing=0.0):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(levels), rng.integers(0, levels, rows - levels)])
    x, sky = rng.normal(20, 4, rows), rng.choice(["sun", "rain", "fog"], rows)
    y = 3 + 0.5 * x + (sky == "fog") + rng.normal(size=levels)[codes] + rng.normal(size=rows)
    city = [None if rng.random() < missing else f"c{code}" for code in codes]
    columns = {"x": x, "city": city, "sky": sky.tolist(), "y": y}
    return Table.of(columns, "y", weights=rng.integers(1, 4, rows).astype(float) if seed % 2 else None)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("seed", [1, 2])
def test_many_levels_are_eliminated_exactly(seed, missing, monkeypatch):
    """The same coefficients, standard errors and fit as from the products of all places."""
    table = levels_table(seed, missing=missing)
    solved = []
    groups = "hedgerow.learn.linear.least_squares.linear_regression.solve_groups"
    monkeypatch.setattr(groups, lambda *given: solved.append(solve_groups(*given)) or solved[-1])
    found = LinearRegression(digits=15).train(table)
    assert solved[0] is not None
    monkeypatch.setattr(groups, lambda *_: None)
    dense = LinearRegression(digits=15).train(table)
    np.testing.assert_allclose(thetas(found), thetas(dense), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.figures.errors, dense.figures.errors, rtol=1e-5)
    assert found.figures.freedom == dense.figures.freedom
    assert found.figures.r_squared == pytest.approx(dense.figures.r_squared, rel=1e-8)
    np.testing.assert_allclose(found.predict(table), dense.predict(table), rtol=1e-9)


def test_columns_that_follow_from_levels_are_named_as_before():
    table = levels_table(2)
    country = table.codes(table.schema.index("city")) % 7
    model = LinearRegression().train(table.with_column(Column("country", Kind.NUMERIC), country.astype(float)))
    assert len(model.left_out) == 1
    assert "is a linear combination of" in model.about.notes[0]


def test_the_products_of_many_levels_are_not_made(monkeypatch):
    """What is held grows with the levels, not with their square."""

    def refuse(*_, **__):
        raise AssertionError("products of all places")

    monkeypatch.setattr("hedgerow.learn.linear.least_squares.linear_regression.Products.of", refuse)
    assert LinearRegression().train(levels_table(1)).size > 100
