"""The threads of BLAS: one while a learner learns, as many as before afterwards."""

import os
import subprocess
import sys
import threading
from importlib import import_module

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from hedgerow import NaiveBayes
from hedgerow.checks import example
from hedgerow.data.table.threads import LARGE_MATRIX, blas_threads_for, map_in_order, one_blas_thread, scipy_linalg
from hedgerow.learn.base import Learner
from hedgerow.learn.registry import learners

LEARNERS = [info.learner() for info in learners().values()]
UNSUPERVISED = ("discretize", "rule_features")  # which take classes all the same


def blas_threads():
    """How many threads every BLAS in this process may take."""
    scipy_linalg()
    return {library.num_threads for library in ThreadpoolController().select(user_api="blas").lib_controllers}


@pytest.fixture(autouse=True)
def several_threads():
    scipy_linalg()
    with threadpool_limits(2, user_api="blas"):
        yield
        assert blas_threads() == {2}


def test_one_thread_inside_and_as_before_outside():
    with one_blas_thread():
        assert blas_threads() == {1}
        with one_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_errors_lift_the_limit():
    with pytest.raises(ValueError, match="no"), one_blas_thread():
        raise ValueError("no")
    assert blas_threads() == {2}


def test_the_last_of_several_threads_lifts_the_limit():
    """One enters first and leaves first, while the other is still inside."""
    entered, left, seen = threading.Event(), threading.Event(), []

    def other():
        with one_blas_thread():
            entered.set()
            left.wait()
            seen.append(blas_threads())

    thread = threading.Thread(target=other)
    with one_blas_thread():
        thread.start()
        entered.wait()
    left.set()
    thread.join()
    assert seen == [{1}]
    assert blas_threads() == {2}


def test_shared_work_has_one_thread_each():
    assert list(map_in_order(lambda _: blas_threads(), range(4), 2)) == [{1}] * 4


def test_large_matrices_take_all_threads():
    with one_blas_thread():
        with blas_threads_for(LARGE_MATRIX):
            assert blas_threads() == {2}
        with blas_threads_for(LARGE_MATRIX - 1):
            assert blas_threads() == {1}
        assert blas_threads() == {1}


def test_a_blas_that_is_loaded_later_is_held_too():
    """As on the first use of scipy.linalg, in the middle of learning: in a process that has not loaded it yet."""
    code = (
        "import sys, numpy\n"
        "from threadpoolctl import ThreadpoolController\n"
        "from hedgerow.data.table.threads import one_blas_thread, scipy_linalg\n"
        "with one_blas_thread():\n"
        "    assert 'scipy.linalg' not in sys.modules\n"
        "    scipy_linalg()\n"
        "    found = ThreadpoolController().select(user_api='blas').lib_controllers\n"
        "    print(len(found) > 0, {library.num_threads for library in found})\n"
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False, timeout=60
    )
    assert (done.stdout, done.stderr) == ("True {1}\n", "")


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.name)
@pytest.mark.filterwarnings("ignore::hedgerow.errors.DataWarning")
def test_learners_of_small_tables_hold_blas_to_one_thread(learner, monkeypatch):
    seen = []
    described = Learner.add_about

    def watched(self, *arguments):
        seen.append(blas_threads())  # at the end of learning, before the limit is lifted
        return described(self, *arguments)

    monkeypatch.setattr(Learner, "add_about", watched)
    table = example(NaiveBayes() if learner.name in UNSUPERVISED else learner, rows=30)
    learner.train(table)
    assert seen
    assert all(threads == {1} for threads in seen)


@pytest.mark.parametrize(
    ("name", "used"),
    [
        ("perceptron", "hedgerow.learn.linear.mistakes.base.fit_temperature"),
        ("winnow", "hedgerow.learn.linear.mistakes.base.fit_temperature"),
        ("kmeans", "hedgerow.learn.clusters.mini_batch.update_centers"),
    ],
)
def test_going_on_holds_blas_to_one_thread(name, used, monkeypatch):
    seen = []
    module, attribute = used.rsplit(".", 1)
    original = getattr(import_module(module), attribute)

    def watched(*arguments):
        seen.append(blas_threads())
        return original(*arguments)

    monkeypatch.setattr(used, watched)
    learner, X = learners()[name].learner(), np.random.default_rng(1).normal(size=(300, 3))
    given = {} if name == "kmeans" else {"y": (X[:, 0] > 0).astype(int)}
    learner.partial_fit(X, **given).partial_fit(X, **given)
    assert seen
    assert all(threads == {1} for threads in seen)
