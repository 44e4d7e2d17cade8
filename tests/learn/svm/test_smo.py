"""The compiled solver of kernel SVMs compared with the reference solver and libsvm."""

import signal
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.svm import SVC

from hedgerow.data.table.threads import map_in_order
from hedgerow.errors import DataError
from hedgerow.learn.svm.problem import SvmProblem, SvmSolution, quality
from hedgerow.learn.svm.smo import feasible, solve
from hedgerow.learn.svm.smo_by_hand import solve_by_hand
from hedgerow.models.svm.given_kernels import CallableKernel, Precomputed
from hedgerow.models.svm.kernel_function import Kernel, KernelFunction
from tests.kernels.test_interrupts import Alarms, StopError

RBF = KernelFunction("rbf", gamma=0.5)


def clouds(n: int, width: int = 4, seed: int = 0) -> tuple[Any, Any]:
    """Two overlapping clouds of points, and their signs."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(n, width))
    signs = np.where(points[:, 0] + 0.5 * random.normal(size=n) > 0, 1, -1)
    signs[:2] = 1, -1
    return points, signs


def problem(signs: Any, bounds: Any = 1.0, power: int = 1) -> SvmProblem:
    return SvmProblem.of(np.arange(len(signs)), np.asarray(signs), bounds, power)


def assert_same(found: SvmSolution, expected: SvmSolution, tolerance: float) -> None:
    assert found.settled
    assert found.violation <= tolerance * 1.0001
    assert found.dual == pytest.approx(expected.dual, rel=1e-4, abs=1e-6)
    assert found.dual <= found.primal + 1e-9 * abs(found.primal)


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(2, 100),
    width=st.integers(1, 6),
    seed=st.integers(0, 10_000),
    cost=st.sampled_from([0.01, 1.0, 10.0, 1000.0]),
    power=st.sampled_from([1, 2]),
    kernel=st.sampled_from([RBF, KernelFunction("linear"), KernelFunction("poly", theta=1.0, degree=2)]),
    rounded=st.booleans(),
)
def test_like_the_plain_solver(
    n: int, width: int, seed: int, cost: float, power: int, kernel: KernelFunction, rounded: bool
) -> None:
    points, signs = clouds(n, width, seed)
    points = np.round(points) if rounded else points  # many rows are equal, some of both classes
    bounds = cost * np.random.default_rng(seed).uniform(0.5, 2, size=n)
    asked = problem(signs, bounds, power)
    expected = solve_by_hand(kernel.matrix(points, points), asked, tolerance=1e-4, most=10_000)
    if expected.settled:
        assert_same(solve(points, kernel, asked, tolerance=1e-4), expected, 1e-4)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("cost", [0.1, 1.0, 100.0])
def test_like_libsvm(seed: int, cost: float) -> None:
    points, signs = clouds(700, 5, seed)
    bounds = cost * np.random.default_rng(seed).uniform(0.5, 2, size=700)
    machine = SVC(C=1.0, gamma=0.5, tol=1e-4).fit(points, signs, sample_weight=bounds)
    asked, alpha = problem(signs, bounds), np.zeros(700)
    alpha[machine.support_] = np.abs(machine.dual_coef_[0])
    expected = quality(asked, alpha, RBF.matrix(points, points) @ (signs * alpha))
    found = solve(points, RBF, asked, tolerance=1e-4)
    assert_same(found, expected, 1e-4)
    assert found.b == pytest.approx(machine.intercept_[0], abs=2e-3)
    assert found.values == pytest.approx(machine.decision_function(points), abs=2e-3)


@pytest.mark.parametrize("kernel", [RBF, KernelFunction("poly", theta=1.0), KernelFunction("linear")])
def test_figures_are_those_of_double_precision(kernel: KernelFunction) -> None:
    points, signs = clouds(500)
    asked = problem(signs, 10.0)
    found = solve(points, kernel, asked)
    again = quality(asked, found.alpha, kernel.matrix(points, points) @ (signs * found.alpha))
    assert again.violation <= 1e-3
    assert (found.primal, found.dual) == pytest.approx((again.primal, again.dual), rel=1e-5)
    assert found.b == pytest.approx(again.b, abs=1e-4)


@pytest.mark.parametrize("power", [1, 2])
def test_cache_threads_and_rows_set_aside_change_nothing(power: int) -> None:
    points, signs = clouds(3000, 3)
    asked = problem(signs, 100.0, power)
    whole = solve(points, RBF, asked)
    assert_same(whole, whole, 1e-3)
    for options in ({"cache_bytes": 0}, {"threads": 1}, {"threads": 3, "cache_bytes": 1 << 20}):
        other = solve(points, RBF, asked, **options)  # type: ignore[arg-type]
        assert other.alpha.tolist() == whole.alpha.tolist()
        assert other.iterations == whole.iterations
    assert_same(solve(points, RBF, asked, shrink=False), whole, 1e-3)
    assert_same(solve(points, RBF, asked, single=False), whole, 1e-3)


def test_many_columns_shared_among_threads() -> None:
    points, signs = clouds(1500, 500)
    kernel = KernelFunction("rbf", gamma=1 / 500)
    one, two = (solve(points, kernel, problem(signs), threads=threads) for threads in (1, 2))
    assert one.alpha.tolist() == two.alpha.tolist()


def test_several_problems_at_a_time() -> None:
    points, signs = clouds(900)
    asked = [SvmProblem.of(np.arange(start, 900), signs[start:], 5.0) for start in (0, 100, 200, 300)]
    together = list(map_in_order(lambda one: solve(points, RBF, one, threads=1), asked, threads=4))
    for one, found in zip(asked, together, strict=True):
        assert found.alpha.tolist() == solve(points, RBF, one).alpha.tolist()


def test_rows_are_those_of_the_problem() -> None:
    points, signs = clouds(300)
    rows = np.arange(1, 300, 2)
    found = solve(points, RBF, SvmProblem.of(rows, signs[rows], 1.0))
    alone = solve(points[rows], RBF, problem(signs[rows]))
    assert found.alpha.tolist() == alone.alpha.tolist()


def test_start_near_the_solution_saves_steps() -> None:
    points, signs = clouds(800)
    cold = solve(points, RBF, problem(signs, 10.0))
    again = solve(points, RBF, problem(signs, 10.0), start=cold.alpha)
    assert again.iterations <= 10
    assert again.dual == pytest.approx(cold.dual)
    more = solve(points, RBF, problem(signs, 11.0), start=cold.alpha * 1.1)
    assert_same(more, solve(points, RBF, problem(signs, 11.0)), 1e-3)
    assert_same(
        solve(points, RBF, problem(signs, 0.1), start=cold.alpha), solve(points, RBF, problem(signs, 0.1)), 1e-3
    )


def test_start_is_brought_into_balance() -> None:
    asked = problem([1, 1, -1, -1], [1.0, 2.0, 3.0, inf])
    alpha = feasible(asked, np.array([5.0, -1.0, 1.0, 1.0]))
    assert alpha.tolist() == [1.0, 0.0, 0.5, 0.5]
    with pytest.raises(DataError, match="2 initial alphas, but 4 rows"):
        feasible(asked, np.ones(2))
    with pytest.raises(DataError, match="must be numbers"):
        feasible(asked, np.array([1, 1, np.nan, 1]))


def test_hard_margin_and_soft_by_hand() -> None:
    """G93, G94."""
    points = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    linear = KernelFunction("linear")
    hard = solve(points, linear, problem([1, 1, -1], inf), tolerance=1e-9)
    assert hard.alpha == pytest.approx([2, 2, 4])
    assert (hard.b, hard.dual) == pytest.approx((-1, 4))
    soft = solve(points, linear, problem([1, 1, -1], 1.0), tolerance=1e-9)
    assert soft.alpha == pytest.approx([0.5, 0.5, 1])
    assert (soft.b, soft.primal) == pytest.approx((0.5, 1.75))


def test_hard_margin_of_separable_and_other_rows() -> None:
    points, _ = clouds(400, 2)
    signs = np.where(points[:, 0] > 0, 1, -1)
    points[:, 0] += 0.3 * signs
    found = solve(points, KernelFunction("linear"), problem(signs, inf), tolerance=1e-5)
    assert found.settled
    assert found.separable
    assert found.gap == pytest.approx(0, abs=1e-3)
    assert np.min(signs * found.values) == pytest.approx(1, abs=1e-4)
    signs[np.argmax(points[:, 0])] = -1
    found = solve(points, KernelFunction("linear"), problem(signs, inf))
    assert not found.separable
    assert not found.settled
    assert found.iterations < 2_000_000


@pytest.mark.parametrize("cost", [1.0, 1e9, inf])
def test_equal_rows_of_both_classes(cost: float) -> None:
    found = solve(np.ones((6, 2)), RBF, problem([1, -1] * 3, cost))
    assert found.separable == (cost < inf)
    if cost < inf:
        assert found.settled
        assert found.alpha == pytest.approx(np.full(6, cost))
        assert found.b == 0


def test_no_margin_on_a_line() -> None:
    found = solve(np.array([[0.0], [1.0], [2.0]]), KernelFunction("linear"), problem([1, -1, 1], inf))
    assert not found.separable
    assert not found.settled
    assert found.primal == inf


def test_few_rows() -> None:
    nothing = solve(np.zeros((0, 3)), RBF, problem(np.zeros(0, dtype=int)))
    assert nothing.settled
    assert nothing.b == 0
    assert nothing.dual == 0
    one = solve(np.ones((1, 3)), RBF, problem([-1]))
    assert one.settled
    assert one.b == -1
    assert one.alpha.tolist() == [0]
    same = solve(np.ones((5, 3)), RBF, problem([1] * 5))
    assert same.settled
    assert same.b == 1
    assert not same.alpha.any()
    two = solve(np.array([[0.0], [1.0]]), RBF, problem([1, -1], 100.0), tolerance=1e-8)
    assert two.alpha == pytest.approx(np.full(2, 1 / (1 - np.exp(-0.5))))
    assert two.b == pytest.approx(0)
    no_columns = solve(np.zeros((3, 0)), RBF, problem([1, 1, -1]))
    assert no_columns.settled
    assert no_columns.alpha.tolist() == [1, 0, 1]


def test_sharp_tolerance_in_both_precisions() -> None:
    points, signs = clouds(600)
    asked = problem(signs, 10.0)
    for single in (True, False):
        found = solve(points, RBF, asked, tolerance=1e-9, single=single)
        again = quality(asked, found.alpha, RBF.matrix(points, points) @ (signs * found.alpha))
        assert found.settled
        assert again.violation < 1.1e-9


def test_sparse_rows_given_values_and_own_functions() -> None:
    points, signs = clouds(300, 6)
    points[np.abs(points) < 0.7] = 0
    asked = problem(signs, 2.0)
    dense = solve(points, RBF, asked)
    others: list[tuple[Any, Kernel, dict[str, Any]]] = [
        (csr_array(points), RBF, {}),
        (RBF.matrix(points, points), Precomputed(), {}),
        (points, CallableKernel(RBF.matrix), {}),
        (points, CallableKernel(RBF.matrix), {"cache_bytes": 100_000}),
        (csr_array(points), CallableKernel(RBF.matrix), {"cache_bytes": 100_000}),
    ]
    for data, kernel, options in others:
        assert_same(solve(data, kernel, asked, **options), dense, 1e-3)


def test_function_that_fails_says_so() -> None:
    def broken(a: Any, b: Any) -> Any:
        if len(a) != len(b):
            raise ZeroDivisionError("in the kernel")
        return a @ b.T

    points, signs = clouds(300)
    with pytest.raises(ZeroDivisionError, match="in the kernel"):
        solve(points, CallableKernel(broken), problem(signs), cache_bytes=1000)


def test_kernel_that_is_not_positive_definite() -> None:
    points, signs = clouds(400)
    kernel = KernelFunction("sigmoid", slope=0.5, delta=-1.0)
    found = solve(points, kernel, problem(signs))
    assert found.settled
    assert np.isfinite(found.b)
    assert (found.alpha >= 0).all()
    assert (found.alpha <= 1).all()
    assert float(signs @ found.alpha) == pytest.approx(0, abs=1e-9)


def test_values_that_are_no_numbers() -> None:
    with pytest.raises(DataError, match="scale the columns"):
        solve(np.array([[1e200], [2e200], [-1e200]]), KernelFunction("poly"), problem([1, -1, -1]))
    with pytest.raises(DataError, match="scale the columns"):
        solve(np.full((3, 3), np.nan), Precomputed(), problem([1, -1, -1], 1.0))


def test_single_precision_that_is_too_short() -> None:
    """Values that overflow as floats are doubles from the start."""
    points, signs = clouds(200)
    kernel = KernelFunction("poly", degree=3)
    found = solve(points * 1e13, kernel, problem(signs, 1e-78), tolerance=0.5, most_steps=10_000)
    assert np.isfinite(found.dual)


def test_regression_within_a_tube() -> None:
    """A general linear term: 2 n rows, p = e - y for the first half and e + y for the second."""
    random = np.random.default_rng(0)
    x = np.sort(random.uniform(-3, 3, size=80))[:, None]
    y, width = np.sin(x[:, 0]), 0.1
    rows = np.tile(np.arange(80), 2)
    signs = np.repeat([1, -1], 80).astype(np.int8)
    linear = np.concatenate([width - y, width + y])
    asked = SvmProblem(rows, signs, np.full(160, 10.0), np.zeros(160), linear)
    found = solve(x, RBF, asked, tolerance=1e-5)
    assert found.settled
    assert found.gap == pytest.approx(0, abs=1e-2)
    assert found.values is not None
    assert np.abs(found.values[:80] - y).max() < width + 1e-3


def test_steps_are_limited_and_progress_is_told() -> None:
    points, signs = clouds(500)
    found = solve(points, RBF, problem(signs, 1000.0), most_steps=50)
    assert not found.settled
    assert found.iterations == 50
    assert found.violation > 1e-3
    told: list[tuple[int, float]] = []
    solve(points, RBF, problem(signs, 1e5), tolerance=1e-5, on_progress=lambda *now: told.append(now))
    assert all(steps > 0 and violation > 0 for steps, violation in told)


@pytest.mark.parametrize(("name", "value"), [("tolerance", 0.0), ("tolerance", np.nan), ("cache_bytes", -1)])
def test_options_that_cannot_be(name: str, value: Any) -> None:
    with pytest.raises(DataError, match=r"above 0|or more"):
        solve(np.eye(2), RBF, problem([1, -1]), **{name: value})


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
@pytest.mark.parametrize("threads", [1, 2])
def test_solving_can_be_ended(threads: int) -> None:
    points, signs = clouds(3000, 60)
    signs = np.random.default_rng(1).permutation(signs)
    with pytest.raises(StopError), Alarms():
        solve(points, KernelFunction("linear"), problem(signs, 1e6), tolerance=1e-9, threads=threads)


# -- figures ----------------------------------------------------------------------------------------------------------


def in_double(points: Any, kernel: KernelFunction, asked: SvmProblem, found: SvmSolution) -> SvmSolution:
    """The figures of alphas by all kernel values in double precision."""
    return quality(asked, found.alpha, kernel.matrix(points, points) @ (asked.signs * found.alpha))


@pytest.mark.parametrize("most", [None, 500])
@pytest.mark.parametrize(
    "kernel", [RBF, KernelFunction("poly", theta=1.0, degree=3), KernelFunction("sigmoid", slope=0.1, delta=0.1)]
)
@pytest.mark.parametrize("cost", [1.0, 1000.0])
def test_figures_are_those_of_doubles(kernel: KernelFunction, cost: float, most: int | None) -> None:
    """Whatever the solver's kernel values were, and wherever it was stopped: the figures are those of the alphas."""
    points, signs = clouds(400, 3)
    points[:5] *= 30.0  # whose kernel values have larger errors than all others
    asked = problem(signs, cost)
    found = solve(points, kernel, asked, most_steps=most or 20_000)
    true = in_double(points, kernel, asked, found)
    assert found.violation == pytest.approx(true.violation, rel=1e-6, abs=1e-8)
    assert found.primal == pytest.approx(true.primal, rel=1e-8)
    assert found.dual == pytest.approx(true.dual, rel=1e-8)
    assert found.b == pytest.approx(true.b, rel=1e-8, abs=1e-8)
    assert not found.settled or true.violation <= 1.000001e-3


@pytest.mark.parametrize(("few", "many"), [(3, 7), (5, 6), (10, 23), (37, 111)])
def test_all_at_bounds_of_equal_sums_leave_b_in_the_middle(few: int, many: int) -> None:
    """Balanced bounds that are small are all reached (M215): no row is free but by rounding, none says what b is."""
    points, _ = clouds(few + many)
    signs = np.repeat([1, -1], [few, many])
    bounds = np.where(signs > 0, 0.001 / few, 0.001 / many) * (few + many)
    for found in (
        solve(points, RBF, problem(signs, bounds), tolerance=1e-6),
        solve_by_hand(RBF.matrix(points, points), problem(signs, bounds), tolerance=1e-6),
    ):
        assert (found.free, found.bounded) == (0, few + many)
        plain = RBF.matrix(points, points) @ (signs * bounds)
        ends = (1 - plain[signs > 0]).min(), (-1 - plain[signs < 0]).max()
        assert found.b == pytest.approx(sum(ends) / 2, abs=1e-9)


def test_squared_slack_with_a_kernel_that_is_not_positive_definite() -> None:
    """The alphas are not bounded, and the dual value grows without limit: an error message."""
    points, signs = clouds(300, 2)
    with pytest.raises(DataError, match="power=1"):
        solve(points, KernelFunction("sigmoid", slope=1.0, delta=3.0), problem(signs, 1e5, 2))
