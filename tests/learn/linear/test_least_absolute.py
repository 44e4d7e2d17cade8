"""Least absolute deviations: all vertices as reference, other programs, invariants, and notes on unusual data."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.linear_model import QuantileRegressor

import hedgerow
from hedgerow import DataError, LeastAbsolute, LinearRegression, Table, UsageError
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Text
from hedgerow.learn.linear.absolute import active_rows
from hedgerow.models.files.model_file import dumps, loads
from tests.reference import linear as reference


def table_of(matrix, target, weights=None):
    names = [f"c{i}" for i in range(matrix.shape[1])]
    return Table.of(dict(zip(names, matrix.T, strict=True)) | {"y": target}, "y", weights=weights)


def thetas(model):
    return np.array([model.intercept, *model.slopes])


def noisy(rows, columns, seed=1):
    random = np.random.default_rng(seed)
    matrix = random.normal(random.normal(0, 9, columns), random.uniform(0.1, 9, columns), (rows, columns))
    return matrix, matrix @ random.normal(size=columns) + random.standard_t(2, rows) * (1 + np.abs(matrix[:, 0]))


# -- the twin -------------------------------------------------------------------------------------------------


@given(st.integers(0, 99999), st.booleans(), st.booleans(), st.sampled_from([0.1, 0.25, 0.5, 0.9]))
@settings(max_examples=60, deadline=None)
def test_no_line_through_rows_costs_less(seed, ties, weighted, quantile):
    """M166: the least over all vertices; whole numbers make rows tie and meet."""
    random = np.random.default_rng(seed)
    rows, columns = int(random.integers(3, 10)), int(random.integers(0, 3))
    draw = (lambda n: random.integers(-3, 4, n).astype(float)) if ties else random.normal
    matrix = draw(size=(rows, columns)) if not ties else random.integers(-3, 4, (rows, columns)).astype(float)
    target = draw(rows) if ties else random.normal(size=rows)
    weights = random.integers(1, 4, rows).astype(float) if weighted else np.ones(rows)
    assume(np.linalg.matrix_rank(np.column_stack([np.ones(rows), matrix])) == columns + 1)
    model = LeastAbsolute(quantile=quantile, digits=15).train(table_of(matrix, target, weights if weighted else None))
    least, best = reference.least_absolute(matrix, target, weights, quantile)
    found = reference.absolute_cost(matrix, target, weights, thetas(model), quantile)
    assert found == pytest.approx(least, rel=1e-9, abs=1e-9)
    assert model.figures.cost == pytest.approx(least * (2 if quantile == 0.5 else 1), rel=1e-8, abs=1e-8)
    assert min(np.abs(thetas(model) - theta).max() for theta in best) < 1e-8  # a vertex
    several = max(np.abs(theta - best[0]).max() for theta in best) > 1e-9
    said = any("not unique" in note for note in model.about.notes)
    assert several or not said
    if not ties:
        assert several == said


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.8])
def test_coefficients_are_those_of_linear_programs(quantile):
    matrix, target = noisy(300, 4)
    model = LeastAbsolute(quantile=quantile, digits=15).train(table_of(matrix, target))
    peer = QuantileRegressor(quantile=quantile, alpha=0, solver="highs").fit(matrix, target)
    assert thetas(model) == pytest.approx(np.append(peer.intercept_, peer.coef_), rel=1e-7)
    assert model.figures.on == 5
    assert np.count_nonzero(np.abs(target - model.predict(table_of(matrix, target))) < 1e-8) == 5


def test_weights_are_those_of_a_linear_program():
    matrix, target = noisy(60, 2)
    weights = np.random.default_rng(3).uniform(0.1, 3, 60)
    model = LeastAbsolute(digits=15).train(table_of(matrix, target, weights))
    weights /= weights.mean()  # fractional weights are scaled
    full = np.column_stack([np.ones(60), matrix])
    lp = linprog(
        np.concatenate([np.zeros(3), weights, weights]),
        A_eq=np.hstack([full, np.eye(60), -np.eye(60)]),
        b_eq=target,
        bounds=[(None, None)] * 3 + [(0, None)] * 120,
    )
    assert thetas(model) == pytest.approx(lp.x[:3], rel=1e-7)
    assert model.figures.cost == pytest.approx(lp.fun, rel=1e-8)


def test_large_tables_are_solved_by_the_rows_near_the_line(monkeypatch):
    """A sample, then the near rows: the same optimum as that of all rows at once."""
    matrix, target = noisy(30_000, 3)
    table = table_of(matrix, target)
    for quantile in (0.5, 0.95):
        whole = LeastAbsolute(quantile=quantile, digits=15).train(table)
        with monkeypatch.context() as patch:
            patch.setattr(active_rows, "FEW", 1000)
            near = LeastAbsolute(quantile=quantile, digits=15).train(table)
        assert thetas(near) == pytest.approx(thetas(whole), rel=1e-9)
        assert near.figures.cost == pytest.approx(whole.figures.cost, rel=1e-8)
        assert whole.figures.below == pytest.approx(quantile, abs=1e-3)


def test_a_sample_that_misleads_is_corrected(monkeypatch):
    """Rows are on the other side of the line than the sample tells: few near rows, all of one kind."""
    monkeypatch.setattr(active_rows, "FEW", 10)
    x = np.arange(5000.0)
    y = np.where(x < 2600, 0.0, 1000.0) + np.sin(x)
    model = LeastAbsolute(digits=15).train(table_of(x[:, None], y))
    peer = QuantileRegressor(quantile=0.5, alpha=0, solver="highs").fit(x[:, None] / 5000, y)
    assert model.figures.cost == pytest.approx(np.abs(y - peer.predict(x[:, None] / 5000)).sum(), rel=1e-7)


# -- what it is for -------------------------------------------------------------------------------------------


def test_an_odd_number_does_not_pull():
    """M176: one wrong row moves least squares, and not this line."""
    x = np.arange(1.0, 8.0)
    y = 2 * x + 1
    y[6] = 500
    table = Table.of({"x": x, "y": y}, "y")
    assert thetas(LeastAbsolute().train(table)).tolist() == [1, 2]
    assert LinearRegression().train(table).slopes[0] > 30


def test_without_columns_it_is_the_quantile():
    table = Table.of({"y": [9.0, 1.0, 4.0, 2.0, 3.0]}, "y")
    assert LeastAbsolute().train(table).intercept == 3
    assert LeastAbsolute(quantile=0.9).train(table).intercept == 9
    assert LeastAbsolute().train(table.with_weights(np.array([1.0, 9, 1, 1, 1]))).intercept == 1
    even = LeastAbsolute().train(Table.of({"y": [1.0, 2.0, 3.0, 4.0]}, "y"))
    assert even.intercept == 2  # of all that are as good, the lowest
    assert "not unique" in even.about.notes[0]


def test_the_print():
    table = Table.of({"x": [1.0, 2.0, 3.0, 4.0, 5.0], "y": [2.0, 4.0, 6.0, 8.0, 99.0]}, "y")
    assert "sum of absolute errors 89, R¹ 0.118812, 4 rows lie on the fitted line" in str(LeastAbsolute().train(table))
    high = str(LeastAbsolute(quantile=0.9).train(table))
    assert "quantile 0.9: 0.6 of the rows lie below the fitted line" in high
    assert "sum of errors 13.35 (those above the line times 0.9, those below times 0.1), R¹ 0.644947" in high


def test_r1_is_that_of_statsmodels():
    """R¹ of Koenker and Machado (1999) is 1 - V / V0."""
    matrix, target = noisy(200, 2)
    for quantile in (0.3, 0.5):
        model = LeastAbsolute(quantile=quantile, digits=15).train(table_of(matrix, target))
        alone = LeastAbsolute(quantile=quantile, digits=15).train(Table.of({"y": target}, "y"))
        assert model.figures.share == pytest.approx(1 - model.figures.cost / alone.figures.cost, abs=1e-7)


# -- kinds of columns, odd data -------------------------------------------------------------------------------


def mixed(rows=90):
    random = np.random.default_rng(5)
    age = random.normal(40, 9, rows)
    sky = random.choice(["sun", "rain", "fog"], rows)
    table = Table.of(
        {
            "age": [None if i % 9 == 0 else v for i, v in enumerate(age.tolist())],
            "sky": [None if i % 7 == 0 else s for i, s in enumerate(sky.tolist())],
            "y": age + 3 * (sky == "sun") + random.standard_t(2, rows),
        },
        "y",
    )
    words = ["good", "bad", "fine", "poor"]
    return table.with_column(Column("note", Kind.TEXT), Text.of(" ".join(random.choice(words, 3)) for _ in range(rows)))


def test_missing_values_levels_and_texts():
    table = mixed()
    model = LeastAbsolute(digits=15).train(table)
    dense = model.design.matrix(table).toarray()
    peer = QuantileRegressor(quantile=0.5, alpha=0, solver="highs").fit(dense, table["y"])
    assert model.figures.cost == pytest.approx(np.abs(table["y"] - peer.predict(dense)).sum(), rel=1e-8)
    assert {"age missing", "sky missing", "note__good"} <= set(model.coefficients)
    assert loads(dumps(model)) == model
    assert str(loads(dumps(model))) == str(model)


def test_sparse_matrices_are_those_of_dense_ones():
    random = np.random.default_rng(4)
    matrix = random.normal(size=(60, 8)) * (random.random((60, 8)) < 0.3)
    target = matrix @ np.arange(8.0) + random.normal(size=60)
    dense = LeastAbsolute(digits=12).fit(matrix, target)
    sparse = LeastAbsolute(digits=12).fit(sp.csr_array(matrix), target)
    assert np.allclose(dense.model_.slopes, sparse.model_.slopes, rtol=1e-8)


def test_columns_that_depend_are_named():
    matrix, target = noisy(40, 2)
    table = table_of(np.column_stack([matrix, matrix[:, 0] * 2 + 1, np.full(40, 7.0)]), target)
    model = LeastAbsolute(digits=15).train(table)
    assert model.left_out.tolist() == [2, 3]
    assert "'c2' is a linear combination of 'c0'; 'c3' has the same value in every row" in model.about.notes[0]
    plain = LeastAbsolute(digits=15).train(table_of(matrix, target))
    assert thetas(model)[:3] == pytest.approx(thetas(plain), rel=1e-12)


def test_more_columns_than_rows_and_few_rows():
    random = np.random.default_rng(5)
    table = table_of(random.normal(size=(5, 30)), random.normal(size=5))
    model = LeastAbsolute(digits=12).train(table)
    assert model.figures.cost == pytest.approx(0, abs=1e-9)
    assert np.allclose(model.predict(table), table["y"], atol=1e-8)
    one = LeastAbsolute().train(Table.of({"a": [3.0], "b": ["x"], "y": [7.0]}, "y"))
    assert one.intercept == 7
    with pytest.raises(DataError, match="no rows"):
        LeastAbsolute().train(Table.of({"a": [3.0], "y": [7.0]}, "y").slice(0, 0))


def test_a_constant_target_and_an_exact_fit():
    constant = LeastAbsolute().train(Table.of({"a": [1.0, 2.0, 3.0], "y": [4.0] * 3}, "y"))
    assert thetas(constant).tolist() == [4, 0]
    assert constant.figures.share is None
    x = np.arange(200.0) + 1000
    exact = LeastAbsolute().train(Table.of({"x": x, "y": 3 * x - 2}, "y"))
    assert thetas(exact).tolist() == [-2, 3]
    assert (exact.figures.cost, exact.figures.on) == (0, 200)


@pytest.mark.parametrize("size", [1e-140, 1e-12, 1e12, 1e140])
def test_numbers_of_any_size(size):
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    model = LeastAbsolute().train(Table.of({"a": size * x, "y": [1.0, 2.0, 3.0, 4.0, 99.0]}, "y"))
    assert model.slopes * size == pytest.approx([1], rel=1e-6)


def test_weights_of_zero_and_unicode_names():
    table = Table.of({"größe €": [1.0, 2.0, 3.0, 99.0], "y": [1.0, 2.0, 3.0, -7.0]}, "y", weights=[1, 1, 1, 0])
    assert LeastAbsolute().train(table).coefficients == {"größe €": 1}


@pytest.mark.parametrize("quantile", [0, 1, 1.5, -0.1, "high"])
def test_quantiles_out_of_range_are_sentences(quantile):
    with pytest.raises(UsageError, match="quantile="):
        LeastAbsolute(quantile=quantile).train(mixed())


def test_infinite_numbers_and_too_many_places_are_sentences(monkeypatch):
    with pytest.raises(DataError, match="column 'a' holds inf"):
        LeastAbsolute().train(Table.of({"a": [1.0, np.inf], "y": [1.0, 2.0]}, "y"))
    monkeypatch.setattr(active_rows, "MOST_NUMBERS", 100)
    with pytest.raises(DataError, match="do not fit in memory; keep fewer terms"):
        LeastAbsolute().train(mixed())


def test_many_rows_that_meet():
    """Whole numbers: hundreds of rows lie on the line, and nearly all tie."""
    random = np.random.default_rng(2)
    matrix = random.integers(0, 3, (2000, 4)).astype(float)
    target = np.round(matrix @ [1, 2, 0, -1] + random.integers(-1, 2, 2000))
    model = LeastAbsolute(digits=15).train(table_of(matrix, target))
    peer = QuantileRegressor(quantile=0.5, alpha=0, solver="highs").fit(matrix, target)
    assert model.figures.cost == pytest.approx(np.abs(target - peer.predict(matrix)).sum(), rel=1e-9)
    assert not any("ended before" in note for note in model.about.notes)


def test_threads_and_row_order_change_nothing(monkeypatch):
    matrix, target = noisy(3000, 3)
    table = table_of(np.round(matrix), np.round(target))
    monkeypatch.setenv("HEDGEROW_THREADS", "1")
    one = LeastAbsolute(digits=12).train(table)
    monkeypatch.setenv("HEDGEROW_THREADS", "3")
    assert LeastAbsolute(digits=12).train(table) == one
    assert str(LeastAbsolute().train(table.take(np.arange(3000)[::-1]))) == str(LeastAbsolute().train(table))


def test_in_evaluation():
    folds = hedgerow.cross_validate(LeastAbsolute(), table_of(*noisy(80, 2)), folds=4)
    assert folds is not None


def test_pictures_and_explanations_do_without_standard_errors():
    from hedgerow.report.linear.coefficient_charts import coefficients_svg

    model = LeastAbsolute().train(mixed())
    assert coefficients_svg(model) is not None
    assert model.t_and_p() is None
