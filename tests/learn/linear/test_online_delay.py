"""Delayed updates (M203): the same model for any number of threads, and a bound on what the delay may cost."""

import _thread
import signal
import time

import numpy as np
import pytest

from hedgerow import OnlineLinear, OnlineLinearRegressor, Table
from hedgerow.errors import DataError
from hedgerow.learn.linear.online.functions import _map_groups
from hedgerow.learn.linear.online.online_state import OnlineState
from hedgerow.learn.linear.online.update_rule import OnlineRule
from hedgerow.models.files.model_file import dumps
from tests.learn.linear.test_online_linear import mixed_table, numbers_table

PLAIN = {"adaptive": False, "normalised": False, "invariant": False, "power": 0.5}
MARGIN = 0.5


def apart(rows, seed):
    """Return points of length 1 that a plane tells apart with a margin, their signs, and the plane.

    The hinge loss of w = plane / margin is 0 for all of them: there are no better fixed coefficients.
    """
    random = np.random.default_rng(seed)
    plane = random.normal(size=4)
    plane /= np.linalg.norm(plane)
    x = random.normal(size=(rows * 6, 4))
    x /= np.linalg.norm(x, axis=1)[:, None]
    x = x[np.abs(x @ plane) >= MARGIN][:rows]
    assert len(x) == rows
    return x, np.sign(x @ plane), plane


@pytest.mark.parametrize("delay", [1, 4, 15])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_delay_costs_no_more_than_slow_learners_may(delay, seed):
    """Langford, Smola and Zinkevich (2009), theorem 2: the regret of T rows is at most 4 F L sqrt(tau T).

    F^2 bounds half the squared distance from the best coefficients on the way, L the slope of the loss (the hinge's is
    the length of x, the constant among it), and the rate is F / (L sqrt(2 tau t)). All of them are those of the data.
    """
    rows = 12_000
    x, y, plane = apart(rows, seed)
    best = np.concatenate([[0.0], plane / MARGIN])
    slope = np.sqrt(2.0)
    far = np.linalg.norm(best)  # F: from 0 it is sqrt(2) times too large, as coefficients may go astray first
    columns = {f"x{i}": x[:, i].tolist() for i in range(4)}
    table = Table.of({**columns, "y": np.where(y > 0, "b", "a").tolist()}, "y", {"y": ["a", "b"]})
    rule = OnlineRule("hinge", rate=float(far / (slope * np.sqrt(2 * delay))), delay=delay, **PLAIN)
    state = OnlineState(table.schema, rule, bits=None)
    distance = 0.0
    for block in table.batches(20 * (delay + 1)):
        state.learn(block)
        now = state.functions.coefficients(np.array([0, 1, 3, 5, 7], dtype=np.int32))[0]
        distance = max(distance, 0.5 * float(np.square(now - best).sum()))
    assert distance <= far**2  # F is what it must be
    bound = 4 * far * slope * np.sqrt(delay * rows)
    regret = state.mean_loss * rows - 0.0
    assert regret <= bound
    assert bound < rows  # who learns nothing loses 1 a row, which is more than that


@pytest.mark.parametrize("rule", [OnlineRule(delay=15), OnlineRule("hinge", delay=63, l1=1e-4, l2=1e-4)])
@pytest.mark.parametrize("classes", [2, 5, 20])
def test_threads_do_not_matter(monkeypatch, rule, classes):
    table = mixed_table(1200, classes)
    models = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("HEDGEROW_THREADS", threads)
        state = OnlineState(table.schema, rule)
        state.learn(table)
        models.append((dumps(state.model()), [cells.tobytes() for cells in state.functions.cells]))
    assert models[0] == models[1] == models[2]


def test_two_threads_that_diverge_end_with_the_same_sentence(monkeypatch):
    table = Table.of({"x": [30.0, 40.0, 50.0] * 200, "y": [1.0, 2.0, 3.0] * 200}, "y")
    wild = {"adaptive": False, "normalised": False, "invariant": False, "power": 0.0, "delay": 9}
    said = []
    for threads in ("1", "2"):
        monkeypatch.setenv("HEDGEROW_THREADS", threads)
        with pytest.raises(DataError, match="diverged at row") as error:
            OnlineLinearRegressor(rate=10.0, shuffle=False, **wild).train(table)
        said.append(str(error.value))
    assert said[0] == said[1]


def test_a_long_delay_still_learns_and_a_short_one_costs_little():
    table = mixed_table(600, 2)
    errors = []
    for delay in (0, 1, 32):
        state = OnlineState(table.schema, OnlineRule(delay=delay))
        state.learn(table)
        errors.append(state.mean_error)
    assert errors[2] < 0.35
    assert abs(errors[1] - errors[0]) < 0.05
    assert OnlineLinear(delay=7).fit(mixed_table(600)).score(mixed_table(600)) > 0.85
    assert OnlineLinearRegressor(delay=7, passes=40).fit(numbers_table()).score(numbers_table()) > 0.99


def test_a_delay_longer_than_the_table():
    table = numbers_table(5)
    state = OnlineState(table.schema, OnlineRule("squared", delay=1000))
    state.learn(table)
    state.learn(table.slice(0, 0))
    assert state.rows == 5
    assert np.isfinite(state.predict(table)).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_all_groups_of_classes_end_what_they_began_when_interrupted(monkeypatch, threads):
    """Ctrl-C comes while the first group is learned: the others learn the same rows before it is raised."""
    monkeypatch.setattr("hedgerow.learn.linear.online.functions.n_threads", lambda: threads)
    done = []

    def one(group):
        if group == 0:
            _thread.interrupt_main()
            time.sleep(0.05)
        done.append(group)
        return group

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have told us to ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            _map_groups(one, 4)
    finally:
        signal.signal(signal.SIGINT, before)
    assert sorted(done) == [0, 1, 2, 3]


@pytest.mark.parametrize("n", [20, 70])
def test_many_classes_in_groups_learn_as_each_for_itself(n):
    """Functions are independent: those of many classes, in one group or several, are those of one against the rest."""
    random = np.random.default_rng(n)
    x, y = random.normal(size=400), random.integers(0, n, 400)
    levels = [f"c{code:02}" for code in range(n)]
    table = Table.of({"x": x.tolist(), "y": [levels[code] for code in y]}, "y", {"y": levels})
    state = OnlineState(table.schema)
    state.learn(table)
    assert len(state.functions.told) == (1 if n < 32 else 4)
    said = state.predict(table)
    for code in (0, n // 2, n - 1):
        words = ["yes" if own == code else "no" for own in y]
        alone = Table.of({"x": x.tolist(), "y": words}, "y", {"y": ["no", "yes"]})
        single = OnlineState(alone.schema)
        single.learn(alone)
        assert said[:, code] == pytest.approx(single.predict(alone)[:, 0], rel=1e-4, abs=1e-5)
