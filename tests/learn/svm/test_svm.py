"""Support vector machines: the documents' cases by hand, the work, weights, costs, notes."""

import io
from contextlib import redirect_stdout

import numpy as np
import pytest
from sklearn.datasets import load_iris

import hedgerow
from hedgerow import SVM
from hedgerow.data.table.table import Table
from hedgerow.models.files.model_file import dumps, loads
from hedgerow.models.svm.kernel_function import KernelFunction

INF = float("inf")


def points(rows, classes, levels=("n", "p")):
    """A table of two numbers a row, whose second class is positive."""
    x = np.asarray(rows, dtype=np.float64)
    return Table.of({"a": x[:, 0].tolist(), "b": x[:, 1].tolist(), "y": list(classes)}, "y", levels={"y": levels})


def plain(**given):
    """A linear machine on the numbers as they are."""
    return SVM(**{"kernel": "linear", "scale": "none", "probabilities": "none", **given})


def noisy(n=120, seed=3, flips=0.15, classes=2):
    """Rows around as many centers as classes, some of them mistaken."""
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, n)
    x = random.normal(size=(n, 3)) + 1.5 * np.eye(3)[y % 3] * (1 + y[:, None] // 3)
    wrong = random.random(n) < flips
    return x, np.where(wrong, random.integers(0, classes, n), y)


TRIANGLE = points([(1, 0), (0, 1), (0, 0)], "ppn")


# -- worked examples ------------------------------------------------------------------------------------------


def test_a_feature_map_and_its_kernel():
    """G91: phi(x) = (x1^2, x2^2, sqrt(2) x1 x2) is the kernel <x.z>^2: 529 at (2, 3) and (4, 5)."""

    def phi(x):
        return np.column_stack([x[:, 0] ** 2, x[:, 1] ** 2, np.sqrt(2) * x[:, 0] * x[:, 1]])

    assert phi(np.array([[2.0, 3.0]]))[0] == pytest.approx([4, 9, 8.485281], abs=1e-6)
    assert phi(np.array([[2.0, 3.0]])) @ phi(np.array([[4.0, 5.0]])).T == pytest.approx(529)
    x, y = noisy()
    table = points(x, [f"c{i}" for i in y], ("c0", "c1"))
    columns = {f"f{i}": column.tolist() for i, column in enumerate(phi(x).T)} | {"y": [f"c{i}" for i in y]}
    mapped = Table.of(columns, "y", levels={"y": ("c0", "c1")})
    straight = plain().train(mapped).values(mapped)
    through = plain(kernel="poly", degree=2).train(table).values(table)
    own = plain(kernel=lambda a, b: phi(a) @ phi(b).T).train(table).values(table)
    assert straight == pytest.approx(through, abs=1e-3)
    assert own == pytest.approx(through, abs=1e-3)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"kernel": "linear"}, 23),
        ({"kernel": "poly", "theta": 1.0, "degree": 2}, 576),
        ({"kernel": "rbf", "sigma": 2.0}, 0.367879),
        ({"kernel": "rbf", "gamma": 0.125}, 0.367879),
        ({"kernel": "sigmoid", "slope": 0.1, "delta": 1.0}, 0.861723),
    ],
)
def test_kernels_of_a_learner(given, expected):
    """G92: the kernels at (2, 3) and (4, 5)."""
    table = points([(2, 3), (4, 5)], "np")
    learner = SVM(scale="none", **given)
    kernel = learner.settings(learner.prepare_points(table).points).kernel
    assert isinstance(kernel, KernelFunction)
    assert kernel.matrix(np.array([[2.0, 3.0]]), np.array([[4.0, 5.0]]))[0, 0] == pytest.approx(expected, abs=1e-6)


def alphas(work, machine=0):
    """The alphas of a machine, in the order of the table."""
    out = np.zeros(len(work.points))
    rows, coefs = work.solved.sides[machine]
    out[work.points.rows[rows]] = np.abs(coefs)
    return out


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_hard_margin_by_hand(kernel):
    """G93: w = (2, 2), b = -1, alpha = (2, 2, 4), dual value 4, margin 0.707107; also by the general solver."""
    learner = plain(kernel=kernel, degree=1, C=INF) if kernel == "poly" else plain(C=INF)
    model = learner.train(TRIANGLE)
    assert model.about.notes == ()
    work = learner.show_work(TRIANGLE)
    assert alphas(work) == pytest.approx([2, 2, 4], abs=1e-6)
    assert model.figures.dual == pytest.approx([4], abs=1e-5)
    assert model.figures.primal == pytest.approx([4], abs=1e-5)
    assert model.figures.margin == pytest.approx([0.707107], abs=1e-6)
    if kernel == "linear":
        assert model.functions.slopes.tolist() == [[2, 2]]
        assert model.functions.intercepts.tolist() == [-1]
    assert model.values(TRIANGLE) == pytest.approx(np.array([[1, 1, -1]]), abs=1e-5)


def test_a_point_beyond_the_margin_changes_nothing():
    """G93: (1, 1) has alpha 0."""
    table = points([(1, 0), (0, 1), (0, 0), (1, 1)], "ppnp")
    model = plain(C=INF).train(table)
    assert alphas(plain(C=INF).show_work(table)) == pytest.approx([2, 2, 4, 0], abs=1e-6)
    assert model.functions.slopes.tolist() == [[2, 2]]
    assert model.functions.intercepts.tolist() == [-1]


def test_two_points():
    """G93: (1, 1) and (0, 0): w = (1, 1), b = -1, alpha = (1, 1), margin 1.414214."""
    table = points([(1, 1), (0, 0)], "pn")
    model = plain(C=INF).train(table)
    assert alphas(plain(C=INF).show_work(table)) == pytest.approx([1, 1])
    assert model.functions.slopes.tolist() == [[1, 1]]
    assert model.functions.intercepts.tolist() == [-1]
    assert model.figures.margin == pytest.approx([1.414214], abs=1e-6)


def test_soft_margin_by_hand():
    """G94: alpha = (0.5, 0.5, 1), w = (0.5, 0.5), b = 0.5, slack of (0, 0) 1.5, primal = dual = 1.75."""
    model = plain().train(TRIANGLE)
    work = plain().show_work(TRIANGLE)
    assert alphas(work) == pytest.approx([0.5, 0.5, 1])
    assert model.functions.slopes.tolist() == [[0.5, 0.5]]
    assert model.functions.intercepts.tolist() == [0.5]
    assert model.figures.primal == pytest.approx([1.75])
    assert model.figures.dual == pytest.approx([1.75])
    assert (model.figures.free.tolist(), model.figures.bounded.tolist()) == ([2], [1])
    assert 1 + model.values(TRIANGLE)[0, 2] == pytest.approx(1.5)


@pytest.mark.parametrize("C", [0.125, 1.0, INF])
def test_exclusive_or_through_a_kernel(C):
    """G94: kernel (<x.z> + 1)^2: alpha all 1/8, b = 0, f = -x1 x2, dual value 0.25."""
    table = points([(1, 1), (1, -1), (-1, 1), (-1, -1)], "nppn")
    learner = plain(kernel="poly", theta=1.0, degree=2, C=C)
    model = learner.train(table)
    assert alphas(learner.show_work(table)) == pytest.approx([0.125] * 4)
    assert model.values(table) == pytest.approx(np.array([[-1, 1, 1, -1]]))
    assert model.figures.dual == pytest.approx([0.25])
    other = points([(2, 3), (-0.5, 4)], "pp")
    assert model.values(other) == pytest.approx(np.array([[-6, 2]]))


def test_the_work_as_one_does_it_by_hand():
    """G94, as `--show-work` prints it."""
    text = str(plain().show_work(TRIANGLE))
    lines = [line.split() for line in text.splitlines()]
    assert ["1", "+1", "1", "0", "0.5", "1", "1", "0", "0", "<", "alpha", "<", "C:", "y", "f", "=", "1"] in lines
    assert ["3", "-1", "0", "0", "1", "0.5", "-0.5", "1.5", "alpha", "=", "C:", "y", "f", "<=", "1"] in lines
    assert "w = the sum of y alpha x: 0.5 a, 0.5 b" in text
    assert "0.5 (row 1), 0.5 (row 2); mean 0.5" in text
    assert "margin 2 / |w| = 2.82843" in text
    assert "Primal value 0.25 + 1.5 = 1.75, dual value 1.75, gap 0" in text
    assert "1/y" in text
    assert "broken," not in text


def test_the_work_of_many_classes_rows_kernels_and_squared_slack():
    X, y = load_iris(return_X_y=True)
    columns = {f"x{i}": X[:, i].tolist() for i in range(4)}
    table = Table.of(columns | {"kind": [f"k{i}" for i in y]}, "kind")
    text = str(SVM().show_work(table))
    assert text.count("against") == 3
    assert "more rows of smaller alpha" in text
    assert "Numbers are standardized to mean 0 and standard deviation 1" in text
    assert "the rest" in str(SVM(kernel="linear", classes="rest").show_work(table))
    squared = str(SVM(power=2, kernel="linear").show_work(TRIANGLE))
    assert "slack^2" in squared
    assert "gap 0" in squared
    single = Table.of({"x": [1.0, 2.0], "kind": ["k0", "k0"]}, "kind")
    assert "only one class" in str(SVM().show_work(single))
    many = {f"x{i}": X[:, 0].tolist() for i in range(9)} | {"kind": [f"k{i}" for i in y]}
    assert "first 6 of 9 dimensions" in str(SVM().show_work(Table.of(many, "kind")))
    values = X @ X.T
    given = Table.of({f"k{i}": values[i].tolist() for i in range(150)} | {"kind": [f"k{i}" for i in y]}, "kind")
    assert "values given with the data" in str(SVM(kernel="precomputed").show_work(given))


def test_trace_prints_the_work():
    out = io.StringIO()
    with redirect_stdout(out):
        plain(trace=True).train(TRIANGLE)
    assert out.getvalue() == str(plain().show_work(TRIANGLE)) + "\n\n"


# -- C, costs, weights ----------------------------------------------------------------------------------------


def test_a_hard_margin_that_does_not_exist_is_said():
    table = points([(0, 0), (1, 1), (0, 1), (1, 0)], "nnpp")
    for learner in (plain(C=INF), plain(C=INF, kernel="poly", degree=1)):
        (note,) = learner.train(table).about.notes
        assert "no hard margin exists" in note
        assert "C=100" in note
    assert SVM(C=INF, gamma=1.0).train(table).about.notes == ()


def test_which_pair_has_no_hard_margin_is_said():
    x, y = noisy(60, classes=3)
    x[y == 2] += 50
    table = points(x, [f"k{i}" for i in y], ("k0", "k1", "k2"))
    notes = plain(C=INF, classes="pairs").train(table).about.notes
    assert any("between k1 and k0:" in note for note in notes)


def test_too_few_iterations_are_said():
    x, y = noisy()
    table = points(x, np.array(["n", "p"])[y])
    for kernel in (lambda a, b: a @ b.T, "rbf"):
        (note,) = SVM(kernel=kernel, max_iter=5, C=100.0, probabilities="none").train(table).about.notes
        assert "before it reached a tolerance" in note


def test_a_cost_of_a_class_multiplies_its_weights():
    x, y = noisy()
    table = points(x, np.array(["n", "p"])[y])
    weighted = table.with_weights(np.where(y == 1, 3.0, 1.0))
    for given in ({"kernel": "linear"}, {"gamma": 0.5}, {"gamma": 0.5, "power": 2}):
        costly = SVM(class_weight={"p": 3}, scale="none", probabilities="none", **given).train(table)
        heavy = SVM(scale="none", probabilities="none", **given).train(weighted)
        assert costly.values(table) == pytest.approx(heavy.values(table), abs=1e-4)


def test_costs_that_balance_classes():
    x, y = noisy(200)
    y = np.where(np.random.default_rng(1).random(200) < 0.8, 0, y)
    table = points(x, np.array(["n", "p"])[y])
    balanced = SVM(class_weight="balanced", probabilities="none").train(table)
    n, p = len(y) / (2 * np.sum(y == 0)), len(y) / (2 * np.sum(y == 1))
    by_hand = SVM(class_weight={"n": n, "p": p}, probabilities="none").train(table)
    assert np.array_equal(balanced.values(table), by_hand.values(table))
    assert np.count_nonzero(balanced.decide(table)) > np.count_nonzero(SVM().train(table).decide(table))


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("power", [1, 2])
def test_weights_are_numbers_of_rows(kernel, power):
    x, y = noisy(60)
    table = points(x, np.array(["n", "p"])[y])
    counts = np.random.default_rng(5).integers(0, 4, 60)
    learner = SVM(kernel=kernel, power=power)
    weighted, repeated = table.with_weights(counts.astype(float)), table.take(np.repeat(np.arange(60), counts))
    one, other = learner.train(weighted), learner.train(repeated)
    assert np.array_equal(one.values(table), other.values(table))
    assert np.array_equal(one.distribution(table), other.distribution(table))


def test_swapped_names_of_classes_turn_decision_values():
    x, y = noisy(60)
    for kernel in ("linear", "rbf"):
        learner = SVM(kernel=kernel, tol=1e-8)
        one = learner.train(points(x, np.array(["n", "p"])[y]))
        other = learner.train(points(x, np.array(["p", "n"])[y]))
        table = points(x, ["n"] * 60)
        assert one.values(table) == pytest.approx(-other.values(table), abs=1e-4)


def test_squared_slack_is_what_it_says():
    """The objective w.w / 2 + C * the sum of slack^2 of the model is the least of all linear functions."""
    from scipy.optimize import minimize

    x, y = noisy(40)
    table, sign = points(x, np.array(["n", "p"])[y]), 2.0 * y - 1
    x = x[:, :2]

    def cost(theta):
        slack = np.maximum(1 - sign * (x @ theta[:2] + theta[2]), 0)
        return theta[:2] @ theta[:2] / 2 + 0.7 * (slack**2).sum()

    model = plain(power=2, C=0.7).train(table)
    best = minimize(cost, np.zeros(3), tol=1e-10)
    assert model.figures.primal == pytest.approx([best.fun], rel=1e-6)
    assert [*model.functions.slopes[0], *model.functions.intercepts] == pytest.approx(best.x, abs=1e-3)


def test_a_sample_is_said_and_keeps_all_classes():
    x, y = noisy(300, classes=3)
    y[0] = 2
    table = points(x, [f"k{i}" for i in y], ("k0", "k1", "k2"))
    model = SVM(sample=60).train(table)
    assert any("60" in note or "59" in note or "58" in note for note in model.about.notes)
    assert (model.rows > 0).all()
    assert model.rows.sum() <= 60
    assert SVM(sample=300).train(table).about.notes == ()
    shuffled = table.take(np.random.default_rng(2).permutation(300))
    assert SVM(sample=60).train(shuffled).values(table) == pytest.approx(model.values(table), rel=1e-9)


# -- what is shared with other learners -------------------------------------------------------------------------


def test_saved_and_loaded():
    x, y = noisy(60, classes=3)
    table = points(x, [f"k{i}" for i in y], ("k0", "k1", "k2"))
    for given in (
        {},
        {"kernel": "linear"},
        {"classes": "rest", "probabilities": "platt"},
        {"probabilities": "isotonic"},
    ):
        model = SVM(**given).train(table)
        copy = loads(dumps(model), "a copy")
        assert np.array_equal(copy.distribution(table), model.distribution(table))
        assert np.array_equal(copy.decide(table), model.decide(table))
        assert copy == model


def test_a_function_of_ones_own_cannot_be_saved():
    model = SVM(kernel=lambda a, b: a @ b.T).train(TRIANGLE)
    with pytest.raises(hedgerow.ModelError, match="Python function"):
        dumps(model)


def test_C_and_gamma_are_tuned():
    x, y = noisy(80)
    table = points(x, np.array(["n", "p"])[y])
    model = hedgerow.tune(SVM(), {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]}).train(table)
    assert any("was chosen" in note for note in model.about.notes)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_balanced_costs_and_a_small_c_tell_classes_apart(kernel):
    """All rows are at their bound; the intercept lies in the middle of what is allowed, not at an end."""
    random = np.random.default_rng(0)
    points = random.normal(size=(33, 3))
    points[:10] += 2.0
    classes = np.repeat(["few", "many"], [10, 23])
    machine = SVM(C=0.001, kernel=kernel, class_weight="balanced", probabilities="none").fit(points, classes)
    values = machine.decision_function(points)
    assert values[classes == "few"].min() == pytest.approx(-values[classes == "many"].max(), abs=1e-6)
    assert machine.score(points, classes) > 23 / 33  # the share of the larger class
