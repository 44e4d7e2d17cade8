"""Where a function is zero."""

from __future__ import annotations

from collections.abc import Callable

HALVINGS = 60  # more than a double has digits


def crossing(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function, positive at `low` and negative just below `high`, changes its sign, by bisection.

    Examples
    --------
    >>> round(crossing(lambda x: 2 - x * x, 0.0, 2.0), 12)
    1.414213562373
    """
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2
