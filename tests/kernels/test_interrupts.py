"""Signals are heard while the kernels of trees are at work, and what a handler raises ends the call."""

from __future__ import annotations

import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from hedgerow import DataError, Majority, RandomForest, _kernels
from hedgerow.data.design.design import Design
from hedgerow.data.table import threads
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table
from hedgerow.data.table.threads import map_in_order
from hedgerow.learn.trees import kernel_growth
from hedgerow.learn.trees.kernel_growth import TreeInput
from hedgerow.learn.trees.options import C45, CART
from hedgerow.models.neighbors.local_fits import LocalRows, LocalWeighting
from hedgerow.models.neighbors.stored_columns import StoredNumbers
from hedgerow.models.svm.kernel_sums import dense_part, sparse_parts
from tests.models.trees.test_deep_trees import at, chain

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")


class StopError(Exception):
    """What the handler raises."""


class Alarms:
    """A timer that goes off again and again. Python hears one alarm after a call however long it took, so that a second
    one can only be heard within the call."""

    def __init__(self):
        self.heard = 0

    def __enter__(self):
        self.before = signal.signal(signal.SIGALRM, self.hear)
        signal.setitimer(signal.ITIMER_REAL, 0.03, 0.03)
        return self

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.before)

    def hear(self, *_):
        self.heard += 1
        if self.heard == 2:
            signal.setitimer(signal.ITIMER_REAL, 0)  # a third would be heard before the timer is taken away
            raise StopError


def noise(n, columns=6, classes=2):
    """Numbers and classes that have nothing to do with each other, so that trees are large."""
    random = np.random.default_rng(1)
    names = tuple(Column(f"x{i}", Kind.NUMERIC) for i in range(columns))
    target = Column("y", Kind.NOMINAL, tuple("abcdefgh"[:classes]))
    data = (*(random.normal(size=n) for _ in names), random.integers(0, classes, n).astype(np.int32))
    return Table(Schema((*names, target), "y"), data, n)


@pytest.mark.parametrize("threads", [1, 2])
def test_growing_can_be_ended(threads):
    rows = TreeInput(noise(400_000), threads)
    with pytest.raises(StopError), Alarms():
        rows.grow(replace(CART, missing="direction"))


def test_making_columns_ready_can_be_ended():
    table = noise(200_000, columns=60)
    with pytest.raises(StopError), Alarms():
        TreeInput(table, 1)


def test_pruning_can_be_ended():
    """Classes that come at random, with missing values in every column, take long to prune."""
    table = noise(60_000, classes=4)
    for position in range(6):
        table.numbers(position)[:: 7 + position] = np.nan
    rows = TreeInput(table, 1)
    parts = rows.grow(replace(C45, mdl=False, min_leaf=1.0, max_depth=18))
    with pytest.raises(StopError), Alarms():
        rows.prune(parts, 0.5, raising=True)


@pytest.mark.parametrize("threads", [1, 2])
def test_covering_can_be_ended(threads):
    """Noise makes thousands of rules of a few rows each."""
    table, none = noise(100_000), np.empty(0, dtype=np.int64)
    columns, ways = [table.numbers(i) for i in range(6)], np.full(6, 3, dtype=np.uint8)
    with pytest.raises(StopError), Alarms():
        _kernels.learn_covering_rules(columns, [-1] * 6, ways, table.codes(6), 2, none, {"value": "entropy"}, threads)


@pytest.mark.parametrize("threads", [1, 2])
def test_prism_can_be_ended(threads):
    random = np.random.default_rng(1)
    columns = [random.integers(0, 6, 100_000).astype(np.int32) for _ in range(20)]
    labels, none = random.integers(0, 2, 100_000).astype(np.int32), np.empty(0, dtype=np.int64)
    with pytest.raises(StopError), Alarms():
        _kernels.learn_prism_rules(columns, [6] * 20, labels, 2, none, np.empty(0, dtype=np.uint8), {}, threads)


def test_prism_can_be_ended_while_another_thread_has_the_last_class():
    """The first class is done at once, as all its rows are taken; the caller then waits for the second."""
    random = np.random.default_rng(1)
    columns = [random.integers(0, 6, 100_000).astype(np.int32) for _ in range(20)]
    labels, none = random.integers(0, 2, 100_000).astype(np.int32), np.empty(0, dtype=np.int64)
    taken = np.repeat(np.array([1, 0], dtype=np.uint8), 100_000)
    for _ in range(5):  # which thread takes which class is left to chance
        with pytest.raises(StopError), Alarms():
            _kernels.learn_prism_rules(columns, [6] * 20, labels, 2, none, taken, {}, 2)


def test_threads_other_than_the_main_one_hear_nothing():
    """What is grown there ends as usual."""
    rows, made = TreeInput(noise(20_000), 2), []
    worker = threading.Thread(target=lambda: made.append(rows.grow(replace(CART, missing="direction"))))
    worker.start()
    worker.join()
    here = rows.grow(replace(CART, missing="direction"))
    assert all(np.array_equal(made[0][name], here[name]) for name in here)


def test_the_numbers_of_rows_have_a_limit(monkeypatch):
    with pytest.raises(ValueError, match=r"fewer than 2\^31 rows"):
        _kernels.TreeColumns([], [], 1 << 31, 1)
    monkeypatch.setattr(kernel_growth, "MOST_ROWS", 9)
    with pytest.raises(DataError, match="at most 9 rows, not 10; use a sample"):
        TreeInput(noise(10))


@pytest.mark.parametrize("parts", [dense_part, sparse_parts])
@pytest.mark.parametrize("threads", [1, 2])
def test_values_of_machines_can_be_ended(parts, threads):
    random = np.random.default_rng(1)
    vectors, rows = parts(random.normal(size=(8_000, 40))), parts(random.normal(size=(60_000, 40)))
    coefs, out = random.normal(size=(8_000, 3)), np.empty((3, 60_000))
    with pytest.raises(StopError), Alarms():
        _kernels.compute_kernel_sums((2, 0.1, 0.0, 1), vectors, coefs, np.zeros(3), rows, False, out, threads)


def test_going_down_a_tree_can_be_ended():
    model = chain(10_000)
    rows = at(np.full(40_000, 1e6))  # all go down to the last leaf
    with pytest.raises(StopError), Alarms():
        model.distribution(rows)


def test_what_other_threads_grow_ends_when_one_fails():
    rows, begun, ends = TreeInput(noise(400_000), 1), threading.Event(), []

    def work(fails):
        if fails:
            begun.wait()
            raise StopError
        begun.set()
        try:
            rows.grow(replace(CART, missing="direction"), threads=1)
        except BaseException as error:
            ends.append(type(error))
            raise

    with pytest.raises(StopError):
        list(map_in_order(work, [True, False], threads=2))
    assert ends == [KeyboardInterrupt]


def test_the_trees_of_a_forest_end_with_the_waiting_for_them(monkeypatch):
    monkeypatch.setenv("HEDGEROW_THREADS", "2")
    ends, grow = [], TreeInput.grow

    def watched(*given, **named):
        try:
            return grow(*given, **named)
        except BaseException as error:
            ends.append(type(error))
            raise

    monkeypatch.setattr(TreeInput, "grow", watched)
    table = noise(400_000)
    with pytest.raises(StopError), Alarms():
        RandomForest(n_estimators=2).train(table)
    assert set(ends) <= {KeyboardInterrupt}


def test_the_flag_to_stop_by_is_one_byte():
    with pytest.raises(ValueError, match="one byte"):
        _kernels.watch_stop_flag(np.zeros(2, dtype=np.uint8))


def test_short_kernels_end_at_once_when_the_flag_is_set():
    """Much work is many short calls, none of which takes as long as signals are looked for."""
    rows = TreeInput(noise(5_000), 1)
    _kernels.watch_stop_flag(np.ones(1, dtype=np.uint8))
    try:
        with pytest.raises(KeyboardInterrupt):
            rows.grow(replace(CART, missing="direction"))
    finally:
        _kernels.watch_stop_flag(None)
    rows.grow(replace(CART, missing="direction"))


@pytest.mark.parametrize("nested", ["in_order", "train"])
def test_work_of_other_threads_ends_at_its_next_step(nested):
    """One thread fails while the other does a long list of short steps, items or trainings: it does not finish them."""
    begun, done = threading.Event(), []

    def step(number):
        begun.set()
        while not threads._here.stop[0]:
            time.sleep(0.001)
        done.append(number)
        if nested == "train":
            Majority().train(noise(4))

    def work(fails):
        if fails:
            begun.wait()
            raise StopError
        for _ in map_in_order(step, range(1000)) if nested == "in_order" else map(step, range(1000)):
            pass

    with pytest.raises(StopError):
        list(map_in_order(work, [True, False], threads=2))
    assert done == [0]


@pytest.mark.parametrize("threads", [1, 2])
def test_making_rules_can_be_ended(threads):
    from tests.kernels.test_item_rules import LIMITS

    codes = np.array([item for bits in range(1, 1 << 16) for item in range(16) if bits >> item & 1], dtype=np.int32)
    sizes = [bits.bit_count() for bits in range(1, 1 << 16)]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    counts, roles = np.ones(len(sizes)), np.full(16, 3, dtype=np.uint8)
    with pytest.raises(StopError), Alarms():
        _kernels.derive_rules(offsets, codes, counts, len(sizes), 1.0, roles, {**LIMITS, "most": 10}, threads)


def test_a_single_local_fit_hears_alarms(monkeypatch):
    """One query sums the products of all rows: long enough to be interrupted in the middle."""
    monkeypatch.setenv("HEDGEROW_THREADS", "1")
    random = np.random.default_rng(1)
    names = tuple(f"x{i}" for i in range(500))
    table = Table.of({**{name: random.normal(size=12_000) for name in names}, "y": random.normal(size=12_000)}, "y")
    columns = tuple(StoredNumbers(table.numbers(i)) for i in range(500))
    how = LocalWeighting("gaussian", 100.0, None, "minmax", 1, 1e-6)
    rows = LocalRows(Design.learn(table), (*columns, None), table.target_numbers[:, None], None, how)
    asked = rows.prepare_queries(rows.table.slice(0, 1))
    assert rows.sorted_rows[0].shape[1] == 500  # made before the clock runs
    with pytest.raises(StopError), Alarms():
        rows.fits(asked)
