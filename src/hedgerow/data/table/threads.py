"""The number of threads, work shared among them, and BLAS limited to one thread meanwhile."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import copy_context
from threading import Lock, local
from typing import Any, TypeVar

import numpy as np

from hedgerow import _kernels

LARGE_MATRIX = 500  # rows of a square matrix whose factors are faster on several threads

Item = TypeVar("Item")
Result = TypeVar("Result")
_here = local()  # whether this thread does shared work, and the flag that tells it to stop


def n_threads() -> int:
    """Return how many threads to use: HEDGEROW_THREADS, or the cores this process may run on."""
    wish = os.environ.get("HEDGEROW_THREADS", "")
    if wish.isdigit() and int(wish) > 0:
        return int(wish)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class BlasLimit:
    """How many threads products and factors of matrices may take: one while any thread of the process learns.

    Between kernels with threads of their own, BLAS is slower on several: it keeps its threads spinning for a while, in
    the way of the kernels' and of other processes. The limit counts for the whole process, so that those who ask for
    it are counted: the first sets it, the last lifts it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = 0
        self._before: list[tuple[Any, int]] = []  # libraries that are held to one thread, and how many they had
        self._known: dict[bool, list[Any]] = {}  # libraries, without and with that of scipy

    @contextmanager
    def one_thread(self) -> Iterator[None]:
        """Hold BLAS to one thread inside."""
        with self._lock:
            if self._users == 0:
                self._set()
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0:
                    self._lift()

    @contextmanager
    def all_threads(self) -> Iterator[None]:
        """Let BLAS take all threads inside, for large matrices, if no other thread learns."""
        with self._lock:
            alone = self._users == 1
            if alone:
                self._lift()
        try:
            yield
        finally:
            if alone:
                with self._lock:
                    self._set()

    def renew(self) -> None:
        """Set the limit, if it is in force, for libraries that have been loaded since."""
        with self._lock:
            if self._users:
                self._lift()
                self._set()

    def _set(self) -> None:
        for library in self._libraries():
            self._before.append((library, library.get_num_threads()))
            _set_threads(library, 1)

    def _lift(self) -> None:
        while self._before:
            _set_threads(*self._before.pop())

    def _libraries(self) -> list[Any]:
        has_scipy = "scipy.linalg" in sys.modules  # brings a BLAS of its own
        if has_scipy not in self._known:
            from threadpoolctl import ThreadpoolController  # looks through all libraries: milliseconds

            self._known[has_scipy] = ThreadpoolController().select(user_api="blas").lib_controllers
        return self._known[has_scipy]


def _set_threads(library: Any, threads: int) -> None:
    """Set the threads of a BLAS from any thread: threadpoolctl heeds only the first that has set those of OpenBLAS."""
    release = getattr(library, "clear_controlling_thread", lambda **_: None)
    release(force=True)
    library.set_num_threads(threads)
    release(force=True)


_blas = BlasLimit()


def one_blas_thread() -> AbstractContextManager[None]:
    """Return a context in which BLAS takes one thread; also a decorator."""
    return _blas.one_thread()


def blas_threads_for(size: int) -> AbstractContextManager[None]:
    """Return a context for the factors of a square matrix of so many rows: all threads if it is large."""
    return _blas.all_threads() if size >= LARGE_MATRIX else nullcontext()


def scipy_linalg() -> Any:
    """Return scipy.linalg, whose BLAS is another than numpy's and must be held to one thread too."""
    fresh = "scipy.linalg" not in sys.modules
    import scipy.linalg
    import scipy.linalg.lapack

    if fresh:
        _blas.renew()
    return scipy.linalg


def raise_if_stopped() -> None:
    """Raise KeyboardInterrupt if this thread works for others that no longer wait for it.

    Python raises it itself in the main thread only.
    """
    stop = getattr(_here, "stop", None)
    if stop is not None and stop[0]:
        raise KeyboardInterrupt


def map_in_order(work: Callable[[Item], Result], items: Iterable[Item], threads: int | None = None) -> Iterator[Result]:
    """Yield `work(item)` in the order of the items, several at a time, few items ahead of the slowest.

    Work that is itself shared among threads inside such work is done in turn: the outer threads keep all cores busy.
    When one fails, or Ctrl-C ends the waiting, the others end within a fraction of a second: at the next item, or in
    the kernel that they are in.
    """
    threads = threads or n_threads()
    if threads == 1 or getattr(_here, "working", False):
        for item in items:
            raise_if_stopped()
            yield work(item)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    stop = np.zeros(1, dtype=np.uint8)

    def marked(item: Item) -> Result:
        _here.working, _here.stop = True, stop
        _kernels.watch_stop_flag(stop)
        try:
            with one_blas_thread():
                return work(item)
        finally:
            _here.stop = None
            _kernels.watch_stop_flag(None)

    pool = ThreadPoolExecutor(threads)
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(copy_context().run, marked, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        stop[0] = 1  # nobody waits for what is still being made
        pool.shutdown(cancel_futures=True)
