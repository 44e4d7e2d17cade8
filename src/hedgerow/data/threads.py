"""How many threads to use, and work shared among them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from threading import local
from typing import TypeVar

import numpy as np

from hedgerow import _kernels

LARGE = 1_000_000  # cells of a table, from which on it is worth milliseconds

Item = TypeVar("Item")
Made = TypeVar("Made")
_here = local()  # whether this thread does shared work, and the flag that tells it to stop


def n_threads() -> int:
    """Return how many threads to use: HEDGEROW_THREADS, or the cores this process may run on."""
    wish = os.environ.get("HEDGEROW_THREADS", "")
    if wish.isdigit() and int(wish) > 0:
        return int(wish)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def one_blas_thread(cells: int) -> AbstractContextManager[object]:
    """Return a context in which products of matrices take one thread, if a table of so many cells is large.

    Between kernels with threads of their own, small products are slower on several: BLAS keeps its threads spinning
    for a while, in the way of the kernels'.
    """
    if cells < LARGE:
        return nullcontext()
    import scipy.linalg.lapack  # noqa: F401 - has a BLAS of its own, which must be loaded to be found
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(1, user_api="blas")
    return limits


def stop_if_told() -> None:
    """Raise KeyboardInterrupt if this thread works for others that no longer wait for it.

    Python raises it itself in the main thread only.
    """
    stop = getattr(_here, "stop", None)
    if stop is not None and stop[0]:
        raise KeyboardInterrupt


def in_order(work: Callable[[Item], Made], items: Iterable[Item], threads: int | None = None) -> Iterator[Made]:
    """Yield `work(item)` in the order of the items, several at a time, few items ahead of the slowest.

    Work that is itself shared among threads inside such work is done in turn: the outer threads keep all cores busy.
    When one fails, or Ctrl-C ends the waiting, the others end within a fraction of a second: at the next item, or in
    the kernel that they are in.
    """
    threads = threads or n_threads()
    if threads == 1 or getattr(_here, "working", False):
        for item in items:
            stop_if_told()
            yield work(item)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    stop = np.zeros(1, dtype=np.uint8)

    def marked(item: Item) -> Made:
        _here.working, _here.stop = True, stop
        _kernels.stop_when(stop)
        try:
            return work(item)
        finally:
            _here.stop = None
            _kernels.stop_when(None)

    pool = ThreadPoolExecutor(threads)
    waiting: deque[Future[Made]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(marked, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        stop[0] = 1  # nobody waits for what is still being made
        pool.shutdown(cancel_futures=True)
