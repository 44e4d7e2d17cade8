"""Locally weighted least squares: worked examples, the reference implementation, bandwidths, and difficult rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow import DataError, LocallyWeighted, LocallyWeightedClassifier, Table, UsageError
from hedgerow.checks import example
from hedgerow.models.neighbors.local_fits import WEIGHTS
from tests.reference.local import local_fit, loess, squares, weight

FOUR = Table.of({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 3.0, 2.0, 5.0]}, "y")
TWO = Table.of({"x": [2.0]})


def exact(**given_):
    return LocallyWeighted(**{"scale": "none", "ridge": 0.0, **given_})


# -- worked examples ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "sigma", "weights"),
    [
        ("reciprocal", 1.0, [1, 0.5, 1 / 3, 0.2]),
        ("gaussian", 1.0, [1, 0.606531, 0.135335, 0.000335463]),
        ("gaussian", 2.0, [1, 0.882497, 0.606531, 0.135335]),
    ],
)
def test_weights_fall_with_the_distance(kind, sigma, weights):
    """G82: distances 0, 1, 2 and 4."""
    table = Table.of({"x": [0.0, 1.0, 2.0, 4.0], "y": [0.0, 1.0, 0.0, 1.0]}, "y")
    model = exact(weight=kind, bandwidth=sigma).train(table)
    near = model.neighbors(Table.of({"x": [0.0]}), 4)
    assert near.distances.tolist() == [[0, 1, 2, 4]]
    assert near.weights[0] == pytest.approx(weights, abs=5e-7)
    mean = exact(weight=kind, bandwidth=sigma, degree=0).train(table)  # the fits weigh so too
    assert mean.predict(Table.of({"x": [0.0]}))[0] == pytest.approx((weights[1] + weights[3]) / sum(weights), abs=1e-6)


@pytest.mark.parametrize(
    ("kind", "intercept", "slope", "said"),
    [("reciprocal", 13 / 30, 29 / 30, 71 / 30), ("gaussian", 0.712265, 0.769726, 2.251718)],
)
@pytest.mark.parametrize("ridge", [0.0, 1e-6])
def test_prediction_at_two(kind, intercept, slope, said, ridge):
    """G83: local lines at x = 2 of four rows."""
    model = exact(weight=kind, bandwidth=1, ridge=ridge).train(FOUR)
    fits = model.local_fits(TWO)
    assert model.predict(TWO)[0] == pytest.approx(said, abs=1e-6)
    assert fits.slopes[0, 0, 0] == pytest.approx(slope, abs=5e-6)
    assert fits.values[0, 0, 0] - 2 * fits.slopes[0, 0, 0] == pytest.approx(intercept, abs=5e-6)


def test_a_very_wide_bandwidth_is_the_ordinary_fit():
    """G83: the line 0 + 1.1 x of all rows alike."""
    for kind in WEIGHTS:
        assert exact(weight=kind, bandwidth=1e7).train(FOUR).predict(TWO)[0] == pytest.approx(2.2, abs=1e-6)


# -- twins ----------------------------------------------------------------------------------------------------


def twin(model, table, targets, degree):
    """Return the predictions of the reference implementation for a table."""
    rows, how = model.rows, model.rows.how
    asked = rows.prepare_queries(model.align(table))
    own = rows.prepare_queries(rows.table)
    gaps = [rows.width(at) ** 2 for at in rows.numbers]
    said = []
    for query in range(table.n_rows):
        square = squares(*own.rows.mixed_columns, gaps, *(part[:, query] for part in asked.rows.mixed_columns))
        h, counted = how.bandwidth, np.ones(len(square), dtype=bool)
        if how.neighbors is not None:
            order = np.lexsort((np.arange(len(square)), square))
            reached = np.cumsum(rows.row_weights[order]) >= how.neighbors
            last = square[order[reached.argmax() if reached.any() else -1]]
            counted, h = square <= last, h * np.sqrt(last)
        square = square[counted]
        near = square == square.min()
        with np.errstate(all="ignore"):
            if how.weight == "gaussian":
                weights = np.exp(-(square - square.min()) / (2 * h**2))
            else:
                weights = weight(how.weight, np.sqrt(square), h)
        if how.weight != "tricube":
            weights[near] = weights[near] if h > 0 else 1.0
        weights = np.where(np.isnan(weights), 0.0, weights)
        weights = weights if weights.any() else near.astype(float)
        weights = weights * rows.row_weights[counted]
        if degree == 0:
            said.append(weights @ targets[counted] / weights.sum())
        else:
            said.append(local_fit(own.places[counted], targets[counted], weights, asked.places[query], how.ridge)[0])
    return np.array(said)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(WEIGHTS),
    st.sampled_from([None, 5, 30]),
    st.sampled_from(["minmax", "deviation", "none"]),
    st.floats(0.5, 5),
    st.booleans(),
)
def test_numbers_are_those_of_the_twin(seed, kind, neighbors, scale, bandwidth, weighted):
    """Means exactly; linear fits where the rows tell all slopes."""
    random = np.random.default_rng(seed)
    n = 120
    columns = {
        "a": [None if random.random() < 0.1 else float(v) for v in random.normal(size=n)],
        "b": random.normal(5, 0.5, n).tolist(),
        "c": [("x", "y", "z")[i] for i in random.integers(0, 3, n)],
        "t": random.normal(100, 10, n).tolist(),
    }
    table = Table.of(columns, "t")
    if weighted:
        table = table.with_weights(random.uniform(0.2, 3, n))
    how = {"weight": kind, "n_neighbors": neighbors, "scale": scale, "bandwidth": bandwidth}
    asked = table.take(np.arange(0, n, 7))
    mean = LocallyWeighted(degree=0, **how).train(table)
    assert np.allclose(mean.predict(asked), twin(mean, asked, mean.rows.targets, 0)[:, 0], rtol=1e-9)
    if neighbors == 5 or (kind == "tricube" and bandwidth < 2):
        return  # too few rows for six slopes
    model = LocallyWeighted(ridge=1e-12, **how).train(table)
    assert np.allclose(model.predict(asked), twin(model, asked, model.rows.targets, 1)[:, 0], rtol=1e-6)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(WEIGHTS), st.booleans())
def test_few_neighbors_whose_places_do_not_vary(seed, kind, weighted):
    """New rows around which a level or a gap of their own does not occur, or levels add up to one."""
    random = np.random.default_rng(seed)
    n = 40

    def drawn(spread):
        return {
            "a": [None if random.random() < 0.15 else float(v) for v in random.normal(size=n) * spread],
            "b": random.normal(5, 0.5 * spread, n).tolist(),
            "c": [("x", "y", "z", None)[i] for i in random.integers(0, 4, n)],
        }

    levels = {"c": ("x", "y", "z")}
    table = Table.of(drawn(1) | {"t": random.normal(100, 10, n)}, "t", levels=levels)
    if weighted:
        table = table.with_weights(random.uniform(0.2, 3, n))
    asked = Table.of(drawn(1.5), levels=levels)
    model = LocallyWeighted(weight=kind, n_neighbors=12, bandwidth=2.0, ridge=1e-3).train(table)
    assert np.allclose(model.predict(asked), twin(model, asked, model.rows.targets, 1)[:, 0], rtol=1e-7, atol=1e-7)


def test_classes_are_clipped_memberships():
    table = example(LocallyWeightedClassifier())
    model = LocallyWeightedClassifier(bandwidth=0.8, ridge=1e-12).train(table)
    raw = twin(model, table, model.rows.targets, 1)
    clipped = np.clip(raw, 0, 1)
    assert np.allclose(model.distribution(table), clipped / clipped.sum(axis=1, keepdims=True), atol=1e-6)


def test_loess_is_that_of_statsmodels():
    lowess = pytest.importorskip("statsmodels.nonparametric.smoothers_lowess").lowess
    random = np.random.default_rng(5)
    x = np.sort(random.uniform(0, 10, 200))
    y = np.sin(x) + random.normal(0, 0.2, 200)
    model = LocallyWeighted(weight="tricube", n_neighbors=40, bandwidth=1).train(Table.of({"x": x, "y": y}, "y"))
    said = model.predict(Table.of({"x": x}))
    assert np.allclose(said, loess(x, y, 40, x), atol=1e-6)
    assert np.allclose(said, lowess(y, x, frac=0.2, it=0, return_sorted=False), atol=1e-5)


def test_rows_beyond_reach_do_not_matter():
    """Weights below 1e-16 of the largest are left out, which moves nothing by more than rows times that."""
    random = np.random.default_rng(2)
    n = 4000
    x, noise = random.uniform(0, 1, (2, n)), random.normal(size=n)
    table = Table.of({"a": x[0], "b": x[1], "y": np.sin(9 * x[0]) + x[1] + 0.1 * noise}, "y")
    model = LocallyWeighted(bandwidth=0.03).train(table)
    asked = table.take(np.arange(0, n, 400))
    assert np.allclose(model.predict(asked), twin(model, asked, model.rows.targets, 1)[:, 0], rtol=1e-6)


# -- the bandwidth --------------------------------------------------------------------------------------------


def test_leaving_out_is_learning_without():
    table = example(LocallyWeighted(), rows=80)
    for neighbors in (None, 40):
        model = LocallyWeighted(bandwidth=0.6, n_neighbors=neighbors).train(table)
        every = np.arange(table.n_rows)
        said = model.rows.leave_one_out_predictions(every, np.array([0.6]))[:, 0, 0]
        for row in (0, 7, 33):
            # the columns keep the range of all rows, so that only the row itself is missing
            rows, rest = model.rows, every[every != row]
            own = rows.prepare_queries(rows.table)
            gaps = [rows.width(at) ** 2 for at in rows.numbers]
            square = squares(*own.rows.mixed_columns, gaps, *(part[:, row] for part in own.rows.mixed_columns))[rest]
            h = 0.6
            if neighbors is not None:
                last = np.sort(square)[neighbors - 1]
                rest, square, h = rest[square <= last], square[square <= last], 0.6 * np.sqrt(last)
            weights = weight("gaussian", np.sqrt(square), h)
            want = local_fit(own.places[rest], rows.targets[rest], weights, own.places[row])[0][0]
            assert said[row] == pytest.approx(want, rel=1e-5)


def test_the_bandwidth_follows_the_curve():
    random = np.random.default_rng(0)
    x = random.uniform(0, 1, 300)
    line = LocallyWeighted().train(Table.of({"x": x, "y": 2 * x + random.normal(0, 0.3, 300)}, "y"))
    wave = LocallyWeighted().train(Table.of({"x": x, "y": np.sin(30 * x) + random.normal(0, 0.1, 300)}, "y"))
    assert wave.rows.how.bandwidth < 0.05 < 0.3 < line.rows.how.bandwidth
    assert line.tried.errors.min() < 0.33
    assert wave.tried.errors.min() < 0.13
    assert f"{wave.rows.how.bandwidth:g} *" in str(wave)


def test_many_rows_are_sampled_and_that_is_said():
    random = np.random.default_rng(0)
    x = random.uniform(0, 1, (4, 30_000))
    table = Table.of({**{f"x{i}": x[i] for i in range(4)}, "y": x[0] * x[1]}, "y")
    model = LocallyWeighted(weight="reciprocal").train(table)
    assert "of 30000 rows" in str(model)
    assert any("n_neighbors=100" in note for note in model.about.notes)
    near = LocallyWeighted(n_neighbors=50).train(table)
    assert not any("takes time" in note for note in near.about.notes)


def test_an_outlier_harms_only_near_itself():
    x = np.arange(40.0)
    y = 3 * x
    y[35] = 1000
    rows, asked = Table.of({"x": x, "y": y}, "y"), Table.of({"x": [1.0, 5.0]})
    local = LocallyWeighted(bandwidth=3, scale="none").train(rows).predict(asked)
    global_ = hedgerow.LinearRegression().train(rows).predict(asked)
    assert np.allclose(local, [3, 15], atol=1e-3)
    assert (np.abs(global_ - [3, 15]) > 10).all()


# -- rows that are hard to fit --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("neighbors", [None, 3])
def test_far_away_the_nearest_rows_decide(kind, neighbors):
    """However far a query is, weights are relative to that of the nearest row; none underflows."""
    model = LocallyWeighted(weight=kind, n_neighbors=neighbors, bandwidth=0.5, degree=0).train(FOUR)
    said = model.predict(Table.of({"x": [1e9, -1e9, np.inf]}))
    assert np.isfinite(said).all()
    if kind == "gaussian" and neighbors is None:
        assert said[:2] == pytest.approx([5, 1])


@pytest.mark.parametrize("kind", WEIGHTS)
def test_one_row_and_one_value(kind):
    one = LocallyWeighted(weight=kind).train(FOUR.slice(2, 3))
    assert one.predict(Table.of({"x": [1.0, 7.0, None]})).tolist() == [2.0] * 3
    assert "no row has a neighbor" in " ".join(one.about.notes)
    same = LocallyWeighted(weight=kind).train(Table.of({"x": [1.0] * 4, "y": [1.0, 2.0, 3.0, 6.0]}, "y"))
    assert same.predict(Table.of({"x": [1.0, 2.0]})).tolist() == [3.0, 3.0]
    assert "no column has different values" in str(same)
    missing = LocallyWeighted(weight=kind).train(Table.of({"x": [None] * 3, "y": [1.0, 2.0, 6.0]}, "y"))
    assert missing.predict(Table.of({"x": [1.0]})).tolist() == [3.0]
    identical = Table.of({"x": [1.0] * 50 + [2.0], "y": [*map(float, range(50)), 7.0]}, "y")
    for neighbors in (None, 5):
        model = LocallyWeighted(weight=kind, n_neighbors=neighbors).train(identical)
        assert model.predict(Table.of({"x": [1.0]}))[0] == pytest.approx(24.5, abs=1)


def test_columns_that_depend_on_each_other():
    x = np.linspace(0, 1, 30)
    table = Table.of({"a": x, "b": 2 * x, "c": 1 - x, "y": x * x}, "y")
    alone = LocallyWeighted(bandwidth=0.2, scale="none").train(Table.of({"a": x, "y": x * x}, "y"))
    said = LocallyWeighted(bandwidth=0.2 * 6**0.5, scale="none").train(table).predict(table)
    assert np.allclose(said, alone.predict(table), atol=1e-5)
    assert np.allclose(said, LocallyWeighted(bandwidth=0.2 * 6**0.5, scale="none", ridge=0).train(table).predict(table))


def test_more_neighbors_than_rows():
    model = LocallyWeighted(n_neighbors=10).train(FOUR)
    assert "n_neighbors=10 is more than the total weight of all rows, 4" in " ".join(model.about.notes)
    assert np.isfinite(model.predict(TWO)).all()


def test_no_rows_are_asked_for():
    for learner in (LocallyWeighted(), LocallyWeightedClassifier()):
        table = example(learner)
        model = learner.train(table)
        assert len(model.predict(table.slice(0, 0))) == 0


def test_bad_input_is_told_in_sentences():
    with pytest.raises(UsageError, match=r"bandwidth=0 .* above 0"):
        LocallyWeighted(bandwidth=0).train(FOUR)
    with pytest.raises(UsageError, match=r"bandwidth=-1 .* above 0"):
        LocallyWeighted(bandwidth=-1).train(FOUR)
    with pytest.raises(UsageError, match=r"n_neighbors=0 .* at least 1"):
        LocallyWeighted(n_neighbors=0).train(FOUR)
    with pytest.raises(UsageError, match="degree=2"):
        LocallyWeighted(degree=2).train(FOUR)
    with pytest.raises(DataError, match="'x' holds inf, which is infinite"):
        LocallyWeighted().train(Table.of({"x": [1.0, np.inf], "y": [1.0, 2.0]}, "y"))
    with pytest.raises(DataError, match="divide the column"):
        LocallyWeighted().train(Table.of({"x": [1.0, 1e200], "y": [1.0, 2.0]}, "y"))
    with pytest.raises(UsageError, match="k=0"):
        LocallyWeighted().train(FOUR).neighbors(TWO, 0)
    levels = Table.of({"c": [str(i) for i in range(1500)], "y": [float(i) for i in range(1500)]}, "y")
    with pytest.raises(DataError, match="degree=0"):
        LocallyWeighted().train(levels)
    assert LocallyWeighted(degree=0).train(levels).predict(levels).shape == (1500,)


def test_large_numbers():
    x = np.array([1.0, 2.0, 3.0, 4.0]) * 1e140
    model = LocallyWeighted(bandwidth=0.5).train(Table.of({"x": x, "y": x}, "y"))
    assert np.allclose(model.predict(Table.of({"x": x})), x, rtol=1e-5)
    assert np.isfinite(LocallyWeighted().train(Table.of({"x": x, "y": x}, "y")).tried.errors).all()


# -- telling why ----------------------------------------------------------------------------------------------


def test_grounds_add_up_to_the_fit():
    for learner in (LocallyWeighted(), LocallyWeightedClassifier(n_neighbors=20)):
        table = example(learner)
        model = learner.train(table)
        row = model.align(table.slice(3, 4))
        assert np.allclose(model.contributions(row).scores, model.local_fits(row).values[0, 0])


def test_neighbors_weigh_as_in_the_fits():
    """The reported weights give the predicted weighted mean."""
    table = example(LocallyWeighted())
    for kind in WEIGHTS:
        for neighbors in (None, 9):
            model = LocallyWeighted(degree=0, weight=kind, n_neighbors=neighbors, bandwidth=0.7).train(table)
            near = model.neighbors(table, table.n_rows)
            share = near.weights / near.weights.sum(axis=1, keepdims=True)
            said = (share * model.rows.targets[near.rows, 0]).sum(axis=1)
            assert np.allclose(said, model.predict(table), rtol=1e-9)


def test_the_same_at_any_number_of_threads(monkeypatch):
    learner = LocallyWeightedClassifier()
    table = example(learner, rows=500)
    said = []
    for threads in ("1", "2"):
        monkeypatch.setenv("HEDGEROW_THREADS", threads)
        said.append(learner.train(table).distribution(table))
    assert np.array_equal(*said)


def test_nearly_equal_distances_share_a_tricube():
    """All neighbors are nearly as far as the last, so that their weights are tiny, but not beside each other."""
    table = Table.of({"x": [1.0, 1 + 1e-6, 1 + 2e-6, 1 + 4e-6], "y": [0.0, 10.0, 20.0, 30.0]}, "y")
    model = exact(weight="tricube", n_neighbors=4, bandwidth=1, degree=0).train(table)
    near = model.neighbors(Table.of({"x": [0.0]}), 4)
    assert near.weights[0] == pytest.approx([1, (3 / 4) ** 3, (2 / 4) ** 3, 0], abs=1e-4)
    share = near.weights[0] / near.weights[0].sum()
    assert model.predict(Table.of({"x": [0.0]}))[0] == pytest.approx(share @ [0, 10, 20, 30], abs=1e-6)


def test_explain_tells_the_fit_and_the_nearest_rows():
    from hedgerow.explain.decision import explain_rows

    model = exact(weight="reciprocal", bandwidth=1).train(FOUR)
    (said,) = explain_rows(model, FOUR, rows=[1])
    fit, nearest = said.notes
    assert fit == "the local fit for this row is y = 0.43333 + 0.96667 x"
    assert nearest.startswith(
        "the nearest are training row 2 (3) at distance 0, weight 1; row 1 (1) at distance 1, weight 0.5"
    )
    assert said.value == pytest.approx(71 / 30)
    assert said.reason.total == pytest.approx(71 / 30)


@pytest.mark.parametrize("learner", [LocallyWeighted, LocallyWeightedClassifier], ids=lambda kind: kind.__name__)
def test_a_weighted_mean_prints_and_explains(learner, tmp_path):
    """Degree 0 has no slopes, whatever columns there are: numbers, levels and dates."""
    from hedgerow.explain.decision import explain_rows

    rows = {"x": "1 2 3 4", "sky": "sun rain sun fog", "when": "2020-01-01 2020-01-02 2020-02-01 2020-03-01"}
    lines = zip(
        *(values.split() for values in rows.values()), "aabb" if "Class" in learner.__name__ else "1235", strict=True
    )
    path = tmp_path / "rows.csv"
    path.write_text("\n".join([",".join([*rows, "y"]), *(",".join(line) for line in lines)]) + "\n")
    table = hedgerow.read(path, target="y")
    model = learner(degree=0, bandwidth=0.5).train(table)
    assert "a weighted mean for each row" in str(model)
    assert "(days)" not in str(model)
    assert all(said.notes[0].startswith("the nearest are training row") for said in explain_rows(model, table))
    model.save(tmp_path / "model.hedge")
    assert str(hedgerow.load(tmp_path / "model.hedge")) == str(model)


@pytest.mark.parametrize("ridge", [1e-6, 1e-3, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_fewer_rows_than_places_are_those_of_the_twin(weighted, ridge):
    """Solved by the products of the rows: numbers, and levels most of which have one row, or the same for all."""
    random = np.random.default_rng(8)
    n = 30
    columns = {f"x{i}": random.normal(size=n) for i in range(25)}
    columns |= {"level": [f"v{i}" for i in random.integers(0, 20, n)], "t": random.normal(100, 10, n)}
    table = Table.of(columns, "t")
    table = table.with_weights(random.uniform(0.2, 3, n)) if weighted else table
    for how in ({}, {"n_neighbors": 12}):
        model = LocallyWeighted(bandwidth=2.0, ridge=ridge, **how).train(table)
        assert model.rows.design.width > n
        said = twin(model, table, table.numbers(table.schema.index("t"))[:, None], 1)[:, 0]
        np.testing.assert_allclose(model.predict(table), said, rtol=1e-6)
