"""Linear SVMs: worked examples, other programs, invariants, and unusual data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from hedgerow.data.table.table import Numbers
from hedgerow.learn.svm import linear
from hedgerow.learn.svm.linear import LinearSolution, reduce_columns, solve_linear
from hedgerow.learn.svm.linear_active_rows import FEW

TWO = np.array([[-1, 1]], dtype=np.int8)
CORNERS, SIDES = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), np.array([1, 1, 0])


def rest(classes: int) -> Any:
    """Return the codes of one against the rest."""
    return (2 * np.eye(classes) - 1).astype(np.int8)


def pairs(classes: int) -> Any:
    """Return the codes of all pairs."""
    lines = []
    for a in range(classes):
        for b in range(a + 1, classes):
            line = np.zeros(classes, dtype=np.int8)
            line[a], line[b] = -1, 1
            lines.append(line)
    return np.array(lines)


def blobs(rows: int, width: int, classes: int = 2, seed: int = 0, noise: float = 1.0) -> tuple[Numbers, Any]:
    """Return rows of classes that overlap."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, classes, rows)
    middles = random.normal(size=(classes, width))
    return middles[labels] + noise * random.normal(size=(rows, width)), labels


def values(matrix: Any, found: LinearSolution) -> Numbers:
    """Return the values of all machines, one line per row."""
    return np.asarray(matrix @ found.weights.T + found.b)


@pytest.fixture(params=["newton", "descent"])
def solver(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return solve_linear as it solves dense and sparse matrices."""

    def solved(matrix: Numbers, *args: Any, **options: Any) -> LinearSolution:
        if request.param == "newton":
            return solve_linear(matrix, *args, **options)
        monkeypatch.setattr(linear, "SMALL", 0)
        options = {"tolerance": 1e-8, "most_passes": 100_000, **options}
        return solve_linear(csr_array(matrix), *args, **options)

    return solved


def test_hard_margin(solver: Any) -> None:
    """G93: three points by hand; a point beyond the margin changes nothing; two points."""
    found = solver(CORNERS, TWO, SIDES, np.full(3, np.inf))
    assert found.weights[0] == pytest.approx([2, 2])
    assert found.b[0] == pytest.approx(-1)
    assert found.alphas[0] == pytest.approx([2, 2, 4], abs=1e-6)
    figures = found.figures[0]
    assert (figures.primal, figures.dual, figures.margin) == pytest.approx((4, 4, 0.707107))
    assert (figures.free, figures.bounded, figures.settled, figures.separable) == (3, 0, True, True)
    more = solver(np.vstack([CORNERS, [1.0, 1.0]]), TWO, np.append(SIDES, 1), np.full(4, np.inf))
    assert more.weights[0] == pytest.approx([2, 2])
    assert more.alphas[0] == pytest.approx([2, 2, 4, 0], abs=1e-6)
    two = solver(np.array([[1.0, 1.0], [0.0, 0.0]]), TWO, np.array([1, 0]), np.full(2, np.inf))
    figures = two.figures[0]
    assert (*two.weights[0], two.b[0], *two.alphas[0], figures.margin) == pytest.approx((1, 1, -1, 1, 1, 1.414214))


def test_soft_margin(solver: Any) -> None:
    """G94: the same points with C = 1."""
    found = solver(CORNERS, TWO, SIDES, np.ones(3))
    assert found.alphas[0] == pytest.approx([0.5, 0.5, 1], abs=1e-6)
    assert (*found.weights[0], found.b[0]) == pytest.approx((0.5, 0.5, 0.5))
    figures = found.figures[0]
    assert (figures.primal, figures.dual) == pytest.approx((1.75, 1.75))
    assert (figures.free, figures.bounded) == (2, 1)


def test_no_hard_margin() -> None:
    """Classes that cannot be separated are reported, however far from 0 they are."""
    line = np.array([[0.0], [1.0], [2.0]])
    for matrix in (line, line + 1e4, np.hstack([line, line**0])):
        figures = solve_linear(matrix, TWO, np.array([0, 1, 0]), np.full(3, np.inf)).figures[0]
        assert not figures.separable
        assert not figures.settled
    X, y = blobs(300, 3, seed=5)
    assert not solve_linear(X, TWO, y, np.full(300, np.inf)).figures[0].separable


def test_no_hard_margin_of_a_sparse_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    """Descent does not converge, with a note in the model."""
    monkeypatch.setattr(linear, "SMALL", 0)
    line = csr_array(np.array([[0.5], [1.0], [2.0]]))
    figures = solve_linear(line, TWO, np.array([0, 1, 0]), np.full(3, np.inf), most_passes=300).figures[0]
    assert not figures.settled


@pytest.mark.parametrize("C", [1e-6, 1e-2, 1.0, 100.0])
@pytest.mark.parametrize(("rows", "width"), [(200, 4), (40, 80)])
def test_as_libsvm(C: float, rows: int, width: int) -> None:
    """The same dual value and decision values as scikit-learn's SVC, whose intercept is free too."""
    from sklearn.svm import SVC

    X, y = blobs(rows, width)
    found = solve_linear(X, TWO, y, np.full(rows, C))
    peer = SVC(kernel="linear", C=C, tol=1e-9).fit(X, y)
    assert values(X, found)[:, 0] == pytest.approx(peer.decision_function(X), abs=1e-3)
    coefs = peer.dual_coef_[0]
    dual = np.abs(coefs).sum() - coefs @ X[peer.support_] @ X[peer.support_].T @ coefs / 2
    figures = found.figures[0]
    assert figures.dual == pytest.approx(dual, rel=1e-6)
    assert figures.settled
    assert 0 <= figures.gap + 1e-9 * figures.primal <= 1e-6 * figures.primal
    assert figures.free + figures.bounded == len(peer.support_)


@pytest.mark.parametrize("C", [1e-3, 1.0, 50.0])
def test_squared_slack_as_liblinear(C: float) -> None:
    """LinearSVC penalizes the intercept of a constant column; a large one hardly."""
    from sklearn.svm import LinearSVC

    X, y = blobs(300, 5)
    found = solve_linear(X, TWO, y, np.full(300, C), 2)
    peer = LinearSVC(C=C, dual=False, tol=1e-10, intercept_scaling=1e3, max_iter=10_000).fit(X, y)
    assert values(X, found)[:, 0] == pytest.approx(peer.decision_function(X), abs=1e-3)
    figures = found.figures[0]
    assert figures.gap == pytest.approx(0, abs=1e-8 * figures.primal)
    assert figures.bounded == 0


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("codes", [rest(4), pairs(4)], ids=["rest", "pairs"])
def test_descent_agrees_with_newton(power: int, codes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both solvers find the same functions, and the same with any number of threads."""
    X, y = blobs(150, 6, classes=4)
    costs = np.random.default_rng(1).uniform(0.2, 2, len(y))
    dense = solve_linear(X, codes, y, costs, power)
    monkeypatch.setattr(linear, "SMALL", 0)
    options = {"tolerance": 1e-7, "most_passes": 100_000}
    sparse = solve_linear(csr_array(X), codes, y, costs, power, threads=1, **options)
    assert all(figures.settled for figures in (*dense.figures, *sparse.figures))
    assert values(X, sparse) == pytest.approx(values(X, dense), abs=1e-5)
    assert [f.dual for f in sparse.figures] == pytest.approx([f.dual for f in dense.figures], rel=1e-8)
    again = solve_linear(csr_array(X), codes, y, costs, power, threads=3, **options)
    assert (again.weights == sparse.weights).all()
    assert (again.alphas == sparse.alphas).all()


@pytest.mark.parametrize("power", [1, 2])
def test_weights_are_repeated_rows(power: int, solver: Any) -> None:
    """A row with twice the bound equals two rows; one with none is absent; order does not matter."""
    X, y = blobs(80, 3, seed=3)
    counts = np.random.default_rng(2).integers(0, 4, len(y))
    weighed = solver(X, TWO, y, counts.astype(np.float64), power)
    repeated = np.repeat(np.arange(len(y)), counts)
    repeated = np.random.default_rng(3).permutation(repeated)
    plain = solver(X[repeated], TWO, y[repeated], np.ones(len(repeated)), power)
    assert values(X, plain) == pytest.approx(values(X, weighed), abs=1e-5)
    assert plain.figures[0].dual == pytest.approx(weighed.figures[0].dual, rel=1e-7)
    assert (weighed.alphas[0][counts == 0] == 0).all()


@pytest.mark.parametrize("power", [1, 2])
def test_many_rows(power: int) -> None:
    """Rows near the margin decide: the optimum of all rows, with alphas at 0, at C or free."""
    X, y = blobs(30_000, 10, classes=3, seed=1, noise=1.5)
    assert X.size > FEW
    costs = np.random.default_rng(4).uniform(0.1, 1.5, len(y))
    found = solve_linear(X, rest(3), y, costs, power)
    for figures, alpha in zip(found.figures, found.alphas, strict=True):
        assert figures.violation < 1e-7
        assert figures.gap < 1e-9 * figures.primal
        if power == 1:
            assert figures.free <= 11
            assert (np.isin(alpha, [0.0]) | (alpha == costs)).sum() >= len(y) - 11


@pytest.mark.parametrize("power", [1, 2])
def test_start(power: int, solver: Any) -> None:
    """The solution of another C is a start for this one."""
    X, y = blobs(200, 4, classes=3)
    other = solver(X, rest(3), y, np.full(200, 0.5), power)
    plain, begun = (solver(X, rest(3), y, np.ones(200), power, start=start) for start in (None, other))
    assert values(X, begun) == pytest.approx(values(X, plain), abs=1e-5)


@pytest.mark.parametrize("power", [1, 2])
def test_absent_classes(power: int, solver: Any) -> None:
    """A machine that sees one side only always says so; one that sees no rows says nothing."""
    X, y = blobs(30, 2)
    found = solver(X, rest(3), y, np.ones(30), power)
    assert (found.weights[2] == 0).all()
    assert found.b[2] == -1
    found = solver(X, pairs(4), y, np.ones(30), power)
    assert found.b[-1] == 0
    assert found.b[1] == -1
    assert all(figures.settled for figures in found.figures)
    none = solver(np.zeros((0, 2)), TWO, np.zeros(0, dtype=np.int64), np.zeros(0), power)
    assert none.weights.tolist() == [[0.0, 0.0]]
    assert none.alphas.shape == (1, 0)


@pytest.mark.parametrize("power", [1, 2])
def test_odd_columns(power: int, solver: Any) -> None:
    """Constant columns take no weight, equal ones share it; a matrix without columns gives the larger side."""
    X, y = blobs(100, 3, seed=8)
    plain = solver(X, TWO, y, np.ones(100), power)
    constant = solver(np.hstack([X, np.full((100, 1), 0.7)]), TWO, y, np.ones(100), power)
    assert constant.weights[0][:3] == pytest.approx(plain.weights[0], abs=1e-5)
    assert constant.weights[0][3] == pytest.approx(0, abs=1e-5)
    double = solver(np.hstack([X, X[:, :1]]), TWO, y, np.ones(100), power)
    assert double.weights[0][0] == pytest.approx(double.weights[0][3], abs=1e-6)
    flat = solver(np.zeros((10, 2)), TWO, np.array([1] * 7 + [0] * 3), np.ones(10), power)
    assert flat.b[0] > 0
    assert (flat.weights == 0).all()
    assert flat.figures[0].margin == np.inf
    bare = solve_linear(np.zeros((10, 0)), TWO, np.array([1] * 7 + [0] * 3), np.ones(10), power)
    assert bare.b[0] > 0


def test_huge_bounds_are_a_hard_margin() -> None:
    """Of separable classes the soft margin with a huge C is the hard one."""
    X, y = blobs(60, 2, seed=2, noise=0.05)
    hard, soft = (solve_linear(X, TWO, y, np.full(60, C)) for C in (np.inf, 1e9))
    assert hard.figures[0].settled
    assert soft.figures[0].settled
    assert soft.weights == pytest.approx(hard.weights, rel=1e-6)
    assert (y[np.argsort(values(X, hard)[:, 0])] == np.sort(y)).all()
    assert np.abs(values(X, hard)).min() == pytest.approx(1, abs=1e-6)


def test_far_from_zero() -> None:
    """Where the rows lie changes b alone."""
    X, y = blobs(200, 3, seed=4)
    near, far = (solve_linear(X + shift, TWO, y, np.ones(200)) for shift in (0.0, 1000.0))
    assert far.weights == pytest.approx(near.weights, abs=1e-5)
    assert far.figures[0].dual == pytest.approx(near.figures[0].dual, rel=1e-6)


def test_narrowed() -> None:
    """A wide matrix becomes a square one of the same products."""
    X, _ = blobs(12, 40)
    X[3] = X[4]
    narrow = reduce_columns(X)
    assert narrow.shape == (12, 11)
    assert narrow @ narrow.T == pytest.approx(X @ X.T)


def test_progress(solver: Any) -> None:
    """Callers receive the progress."""
    told: list[tuple[int, float]] = []
    X, y = blobs(60, 3, classes=3)
    solver(X, rest(3), y, np.ones(60), on_progress=lambda number, violation: told.append((number, violation)))
    assert told
    assert told[-1][1] < 1e-6
