"""Estimates of time and memory of kernel machines on many rows, given before training."""

from __future__ import annotations

import warnings

import numpy as np

from hedgerow.errors import DataWarning
from hedgerow.learn.svm.points import SvmPoints
from hedgerow.learn.svm.solving import SvmSettings
from hedgerow.models.svm.kernel_function import KernelFunction

# Measured on one core, 8,000 to 24,000 points of 10 to 300 places, about half of them support vectors: a machine of n
# points and p places takes SECOND * n^2 * (p + STEPS) seconds (3.3e-11 to 7.7e-11), more where its kernel values exceed
# the cache. To learn it once more, from a solution much like it, takes about half as long.
SECOND, STEPS = 5.5e-11, 60.0
BEYOND_CACHE, AGAIN = 1.8, 0.5
LONG = 60.0  # seconds from which on it is said
MUCH = 8 << 30  # bytes of a kernel that is held as a square


def warn_of_effort(points: SvmPoints, settings: SvmSettings, again: int) -> None:
    """Warn if machines that are learned `again` so often, for probabilities, will take long; with what is faster."""
    if settings.is_linear or len(points.seen_classes) < 2:
        return
    if not isinstance(settings.kernel, KernelFunction):
        needed = 8.0 * len(points) ** 2 * 2
        if needed > MUCH:
            _warn(
                f"the whole kernel matrix of {len(points):,} rows is kept in memory and needs about "
                f"{size_text(needed)}; {WAYS}"
            )
        return
    seconds = estimate_seconds(points, settings) * (1 + AGAIN * again)
    if seconds > LONG:
        memory = settings.cache + 12.0 * points.matrix.shape[1] * len(points)
        _warn(
            f"a kernel machine of {len(points):,} rows may take about {time_text(seconds)} and {size_text(memory)} of "
            f"memory, since its cost grows with the square of the number of rows; {WAYS}"
        )


WAYS = (
    "kernel='linear' takes seconds, sample=20000 uses only some of the rows, and OnlineLinear(loss='hinge') trains a "
    "linear machine on any number of rows"
)


def estimate_seconds(points: SvmPoints, settings: SvmSettings) -> float:
    """Return about how long the machines take, on one core; half of the rows are taken to be support vectors."""
    sizes = np.bincount(points.labels, minlength=settings.codes.n_classes).astype(np.float64)
    rows = np.abs(settings.codes.entries).astype(np.float64) @ sizes
    missed = np.where(4 * rows**2 / 2 > settings.cache, BEYOND_CACHE, 1.0)
    return float(SECOND * (missed * rows**2).sum() * (points.matrix.shape[1] + STEPS))


def time_text(seconds: float) -> str:
    """Return a duration as text.

    >>> time_text(70), time_text(700), time_text(9000), time_text(400000)
    ('70 seconds', '12 minutes', '2.5 hours', '4.6 days')
    """
    for unit, name in ((86400, "days"), (3600, "hours")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.2g} {name}"
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"


def size_text(amount: float) -> str:
    """Return an amount of memory as text.

    >>> size_text(5.4e8), size_text(1.6e13)
    ('0.5 GB', '16000 GB')
    """
    return f"{amount / 1e9:.1f} GB" if amount < 1e11 else f"{amount / 1e9:.0f} GB"


def _warn(sentence: str) -> None:
    warnings.warn(sentence, DataWarning, stacklevel=2)
