"""Naive Bayes on the textbook's tables, to the last digit that the documents allow."""

from fractions import Fraction

import numpy as np
import pytest

from hedgerow import DataError, NaiveBayes, Table, UsageError
from hedgerow.models.bayes.distributions import Distributions
from hedgerow.models.bayes.value_factors import LevelFactor, log_shares
from hedgerow.models.files.model_file import dumps, loads
from tests.textbook import abc, loan_a, loan_b, shapes, weather, weather_numeric


def row(**values):
    return Table.of({name: [value] for name, value in values.items()}, levels=_words(values))


def _words(values):
    return {name: (value,) for name, value in values.items() if isinstance(value, str)}


def posterior(model, asked, label):
    return model.distribution(asked)[0, model.classes.index(label)]


def score(model, asked, label):
    return model.joint(asked)[0, model.classes.index(label)]


def test_g54_abc_scores():
    """G54."""
    model = NaiveBayes(alpha=0).train(abc())
    asked = row(A="m", B="q")
    assert score(model, asked, "t") == pytest.approx(2 / 25)
    assert score(model, asked, "f") == pytest.approx(1 / 25)
    assert posterior(model, asked, "t") == pytest.approx(2 / 3)
    assert list(model.predict(asked)) == ["t"]


@pytest.mark.parametrize(("smoothing", "t"), [(1, Fraction(3, 5)), (0.1, Fraction(21, 32))])
def test_g55_abc_smoothed(smoothing, t):
    """G55."""
    model = NaiveBayes(alpha=smoothing).train(abc())
    assert posterior(model, row(A="m", B="q"), "t") == pytest.approx(float(t))


def test_g56_weather():
    """G56."""
    model = NaiveBayes(alpha=0).train(weather())
    asked = row(Outlook="Sunny", Temp="Cool", Humidity="High", Windy="True")
    assert score(model, asked, "Yes") == pytest.approx(1 / 189)
    assert score(model, asked, "No") == pytest.approx(18 / 875)
    assert posterior(model, asked, "Yes") == pytest.approx(125 / 611)
    assert list(model.predict(asked)) == ["No"]


def test_g56_the_printed_counts_are_the_textbooks():
    """G56."""
    text = str(NaiveBayes(alpha=0).train(weather()))
    lines = {line.split()[0]: line.split()[1:] for line in text.split("\n") if line.startswith("  ")}
    assert lines["P(class)"] == ["5/14", "9/14"]
    assert lines["Sunny"] == ["3/5", "2/9"]
    assert lines["Overcast"] == ["0/5", "4/9"]
    assert lines["High"] == ["4/5", "3/9"]
    assert lines["True"] == ["3/5", "3/9"]


def test_g57_missing_outlook_is_left_out():
    """G57."""
    model = NaiveBayes(alpha=0).train(weather())
    asked = Table.of({"Outlook": [None], "Temp": ["Cool"], "Humidity": ["High"], "Windy": ["True"]})
    assert score(model, asked, "Yes") == pytest.approx(1 / 42)
    assert score(model, asked, "No") == pytest.approx(6 / 175)
    assert posterior(model, asked, "Yes") == pytest.approx(25 / 61)


@pytest.mark.parametrize(
    ("m", "expected"),
    [(3, (1 / 4, 5 / 12, 1 / 3)), (1, (7 / 30, 13 / 30, 1 / 3)), (0, (2 / 9, 4 / 9, 1 / 3))],
)
def test_g58_mu_estimator_for_outlook_given_yes(m, expected):
    """G58."""
    model = NaiveBayes(m=m).train(weather())
    shares = np.exp(model.factors[0].evidence[:, model.classes.index("Yes")])
    assert shares == pytest.approx(expected)


def test_g58_unequal_priors_must_sum_to_one():
    """G58."""
    prior = {"Sunny": 0.5, "Overcast": 0.3, "Rainy": 0.2}
    model = NaiveBayes(m=2, level_priors={"Outlook": prior}).train(weather())
    shares = np.exp(model.factors[0].evidence[:, model.classes.index("Yes")])
    assert shares == pytest.approx([(2 + 1) / 11, (4 + 0.6) / 11, (3 + 0.4) / 11])
    with pytest.raises(UsageError, match="sum to 1"):
        NaiveBayes(m=2, level_priors={"Outlook": {**prior, "Rainy": 0.3}}).train(weather())
    with pytest.raises(UsageError, match="Outlook needs a prior for each of"):
        NaiveBayes(m=2, level_priors={"Outlook": {"Sunny": 1.0}}).train(weather())


def test_g59_weather_with_add_one():
    """G59."""
    model = NaiveBayes().train(weather())
    asked = row(Outlook="Sunny", Temp="Cool", Humidity="High", Windy="True")
    assert score(model, asked, "Yes") == pytest.approx(6 / 847)
    assert score(model, asked, "No") == pytest.approx(25 / 1372)
    assert posterior(model, asked, "Yes") == pytest.approx(1176 / 4201)
    overcast = row(Outlook="Overcast", Temp="Cool", Humidity="High", Windy="True")
    assert posterior(model, overcast, "Yes") == pytest.approx(0.721583, abs=5e-7)
    unsmoothed = NaiveBayes(alpha=0).train(weather())
    assert unsmoothed.distribution(overcast).tolist() == [[0, 1]]


def test_g60_parameters_of_the_shapes():
    """G60."""
    model = NaiveBayes(alpha=0).train(shapes())
    expected = {
        "Size": [(0.5, 0.5), (0, 0), (0.5, 0.5)],
        "Color": [(1, 0.5), (0, 0.5), (0, 0)],
        "Shape": [(0, 0), (1, 0.5), (0, 0.5)],
    }
    for name, shares in expected.items():
        found = np.exp(model.factors[model.schema.index(name)].evidence)
        assert found == pytest.approx(np.array(shares))


def test_g61_without_any_support_the_prior_stands():
    """G61."""
    model = NaiveBayes(alpha=0).train(shapes())
    asked = row(Size="medium", Color="red", Shape="circle")
    assert model.joint(asked).tolist() == [[0, 0]]
    assert model.distribution(asked).tolist() == [[0.5, 0.5]]


def test_g62_given_parameters():
    """G62."""
    schema = shapes().schema
    given = {
        "Size": [(0.4, 0.4), (0.1, 0.2), (0.5, 0.4)],
        "Color": [(0.9, 0.3), (0.05, 0.3), (0.05, 0.4)],
        "Shape": [(0.05, 0.4), (0.9, 0.3), (0.05, 0.3)],
    }
    factors = tuple(LevelFactor(np.array(given[name]), np.zeros(3)) if name in given else None for name in schema.names)
    model = Distributions(schema, np.array([0.5, 0.5]), factors)
    asked = row(Size="medium", Color="red", Shape="circle")
    assert model.joint(asked)[0] == pytest.approx([0.0405, 0.009])
    assert model.distribution(asked)[0] == pytest.approx([9 / 11, 2 / 11])


def test_g63_m_estimate_of_sizes():
    """G63."""
    counts = np.array([[4.0], [0.0], [6.0]])
    shares = np.exp(log_shares(counts, np.full(3, 1 / 3)))[:, 0]
    assert shares == pytest.approx([13 / 33, 1 / 33, 19 / 33])
    assert shares.sum() == pytest.approx(1)


@pytest.mark.parametrize(("m", "positive"), [(1, Fraction(49, 65)), (3, Fraction(9, 13))])
def test_g64_shapes_with_the_m_estimate(m, positive):
    """G64."""
    model = NaiveBayes(m=m).train(shapes())
    asked = row(Size="medium", Color="red", Shape="circle")
    assert posterior(model, asked, "positive") == pytest.approx(float(positive))
    if m == 1:
        assert model.joint(asked)[0] == pytest.approx([49 / 1458, 8 / 729])


def test_g65_joint_distribution():
    """G65."""
    joint = [0.20, 0.02, 0.02, 0.01, 0.05, 0.30, 0.20, 0.20]
    table = Table.of(
        {
            "both": ["red circle", "red square", "blue circle", "blue square"] * 2,
            "category": ["positive"] * 4 + ["negative"] * 4,
        },
        target="category",
        weights=joint,
    )
    model = NaiveBayes(alpha=0).train(table)
    assert (model.prior / 8).tolist() == pytest.approx([0.25, 0.75])  # eight rows, of a mean weight of 1
    assert posterior(model, row(both="red circle"), "positive") == pytest.approx(0.80)
    either = model.factors[0].counts.sum(axis=1) / 8
    assert either[0] == pytest.approx(0.25)
    assert either[:2].sum() == pytest.approx(0.57)
    assert either.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("table", "smoothing", "no"),
    [(loan_a, 0, 0.883636), (loan_a, 1, 0.814535), (loan_b, 0, 0.752322), (loan_b, 1, 0.709295)],
)
def test_g66_and_g11_loan_applicant(table, smoothing, no):
    """G66, G11."""
    model = NaiveBayes(alpha=smoothing).train(table())
    asked = row(Age="young", Has_Job="false", Own_House="false", Credit_Rating="good")
    assert posterior(model, asked, "No") == pytest.approx(no, abs=5e-7)
    assert list(model.predict(asked)) == ["No"]
    if smoothing == 0 and table is loan_a:
        assert score(model, asked, "Yes") == pytest.approx(32 / 3645)
        assert score(model, asked, "No") == pytest.approx(1 / 15)


def normals(divisor):
    model = NaiveBayes(alpha=0, divisor=divisor).train(weather_numeric())
    yes, no = model.classes.index("Yes"), model.classes.index("No")
    return {
        name: (
            model.factors[model.schema.index(name)].mean[[yes, no]],
            model.factors[model.schema.index(name)].deviation[[yes, no]],
        )
        for name in ("Temperature", "Humidity")
    }


def test_g67_statistics_with_divisor_n_minus_1():
    """G67."""
    found = normals("n-1")
    assert found["Temperature"][0] == pytest.approx([73, 74.6])
    assert found["Temperature"][1] == pytest.approx([6.164414, 7.893035], rel=1e-5)
    assert found["Humidity"][0] == pytest.approx([79.111111, 86.2], rel=1e-5)
    assert found["Humidity"][1] == pytest.approx([10.215729, 9.731393], rel=1e-5)


def test_g68_statistics_with_divisor_n():
    """G68."""
    found = normals("n")
    deviations = [*found["Temperature"][1], *found["Humidity"][1]]
    assert deviations == pytest.approx([5.811865, 7.059745, 9.631481, 8.704022], rel=1e-5)


def density(model, name, value, label):
    """The factor's own contribution: the joint with it over the joint without it."""
    one = row(**{name: float(value)})
    position = model.schema.index(name)
    scores = np.zeros((1, 2))
    from hedgerow.data.bags.align import align

    table = align(one, model.schema.select([position])).table
    model.factors[position].add(table, 0, scores)
    return float(np.exp(scores[0, model.classes.index(label)]))


def test_g69_density():
    """G69."""
    from hedgerow.models.bayes.value_factors import Normal

    scores = np.zeros((1, 1))
    table = Table.of({"x": [66.0]})
    Normal(np.array([73.0]), np.array([6.2]), np.array([9.0])).add(table, 0, scores)
    assert np.exp(scores[0, 0]) == pytest.approx(0.034019, abs=5e-7)
    model = NaiveBayes(alpha=0).train(weather_numeric())
    assert density(model, "Temperature", 66, "Yes") == pytest.approx(0.033964, abs=1e-6)


@pytest.mark.parametrize(("divisor", "yes"), [("n-1", 0.207902), ("n", 0.193547)])
def test_g70_numeric_weather(divisor, yes):
    """G70."""
    model = NaiveBayes(alpha=0, divisor=divisor).train(weather_numeric())
    asked = row(Outlook="Sunny", Temperature=66.0, Humidity=90.0, Windy="True")
    assert posterior(model, asked, "Yes") == pytest.approx(yes, abs=2e-6)
    if divisor == "n-1":
        assert density(model, "Humidity", 90, "Yes") == pytest.approx(0.022128, abs=1e-6)
        assert density(model, "Temperature", 66, "No") == pytest.approx(0.027918, abs=1e-6)
        assert density(model, "Humidity", 90, "No") == pytest.approx(0.037986, abs=1e-6)
        assert score(model, asked, "Yes") == pytest.approx(3.578708e-05, rel=1e-5)
        assert score(model, asked, "No") == pytest.approx(1.363472e-04, rel=1e-5)


def test_many_factors_do_not_underflow():
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 2000))
    y = np.arange(40) % 2
    said = NaiveBayes().fit(X, y).predict_proba(X)
    assert np.isfinite(said).all()
    assert said.sum(axis=1) == pytest.approx(np.ones(40))


def test_missing_numbers_are_left_out_of_mean_and_deviation():
    full = Table.of({"x": [1.0, 2.0, 3.0, 7.0, 8.0], "y": list("aaabb")}, target="y")
    holes = Table.of({"x": [1.0, 2.0, 3.0, 7.0, 8.0, None, None], "y": list("aaabbab")}, target="y")
    first, second = NaiveBayes().train(full), NaiveBayes().train(holes)
    assert first.factors[0].mean.tolist() == second.factors[0].mean.tolist()
    assert first.factors[0].deviation.tolist() == second.factors[0].deviation.tolist()


def test_each_numeric_column_may_have_its_own_density():
    model = NaiveBayes(densities={"Humidity": "kernel"}).train(weather_numeric())
    kinds = [None if factor is None else factor.kind for factor in model.factors]
    assert kinds == ["levels", "normal", "kernel", "levels", None]
    with pytest.raises(UsageError, match="only numeric columns have a density"):
        NaiveBayes(densities={"Outlook": "kernel"}).train(weather_numeric())
    with pytest.raises(UsageError, match="choose normal, kernel, bins"):
        NaiveBayes(densities={"Humidity": "gauss"}).train(weather_numeric())


def test_kernel_density_is_the_mean_of_curves():
    table = Table.of({"x": [0.0, 1.0, 4.0, 10.0, 12.0], "y": list("aaabb")}, target="y")
    factor = NaiveBayes(density="kernel").train(table).factors[0]
    scores = np.zeros((1, 2))
    factor.add(Table.of({"x": [2.0]}), 0, scores)
    for klass, values in enumerate(([0.0, 1.0, 4.0], [10.0, 12.0])):
        width = factor.width[klass]
        assert width == pytest.approx((values[-1] - values[0]) / np.sqrt(len(values)), rel=1e-5)
        curves = [np.exp(-((2 - v) ** 2) / (2 * width**2)) / (width * np.sqrt(2 * np.pi)) for v in values]
        assert np.exp(scores[0, klass]) == pytest.approx(np.mean(curves))


def test_gaussian_naive_bayes_equals_scikit_learns():
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB

    X, y = load_iris(return_X_y=True)
    ours = NaiveBayes(divisor="n").fit(X, y).predict_proba(X)
    theirs = GaussianNB(var_smoothing=0).fit(X, y).predict_proba(X)
    assert ours == pytest.approx(theirs, abs=1e-4)


def test_categorical_naive_bayes_equals_scikit_learns():
    from sklearn.naive_bayes import CategoricalNB

    random = np.random.default_rng(0)
    codes, y = random.integers(0, 4, (200, 5)), random.integers(0, 3, 200)
    ours = NaiveBayes().fit(codes.astype(str).astype(object), y).predict_proba(codes.astype(str).astype(object))
    assert ours == pytest.approx(CategoricalNB().fit(codes, y).predict_proba(codes))


@pytest.mark.parametrize("density", ["kernel", "normal", "bins"])
@pytest.mark.parametrize(
    "numbers",
    [
        [1e300, -1e300, 1e299, 3.0],
        [1.7976931348623157e308, -1.7976931348623157e308, 0.0, 1.0],
        [5e-324, 1e-323, 0.0, 1.5e-323],
        [1e-300, 2e-300, 3e-300, 1.0],
        [1e15, 1 / 3, 1e15, 2e15],
    ],
    ids=["huge", "largest", "denormal", "tiny", "far apart"],
)
def test_distributions_of_extreme_numbers_are_finite(density, numbers):
    table = Table.of({"x": numbers, "y": list("abab")}, "y")
    new = Table.of({"x": [*numbers, -1.7e308, 1.7e308, 5e-324, 0.0, 1e16]})
    try:
        model = NaiveBayes(density=density).train(table)
    except DataError as error:
        assert "beyond 1e150" in str(error)  # noqa: PT017
        return
    shares = model.distribution(new)
    assert np.isfinite(shares).all()
    assert np.allclose(shares.sum(axis=1), 1)
    assert np.array_equal(loads(dumps(model)).distribution(new), shares)
