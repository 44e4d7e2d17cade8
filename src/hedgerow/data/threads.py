"""How many threads to use."""

from __future__ import annotations

import os


def n_threads() -> int:
    """Return how many threads to use: HEDGEROW_THREADS, or the cores this process may run on."""
    wish = os.environ.get("HEDGEROW_THREADS", "")
    if wish.isdigit() and int(wish) > 0:
        return int(wish)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
