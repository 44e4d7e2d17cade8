"""Reference implementations of locally weighted least squares."""

import numpy as np

from tests.reference.neighbors import distances


def squares(numbers, codes, gaps, own_numbers, own_codes):
    """Squared distances of one row to all rows; another or a missing code adds 1."""
    return distances(numbers, codes, (True, gaps, np.ones(len(codes))), own_numbers, own_codes)


def weight(kind, distance, h):
    """What a row at a distance weighs (M174, M175, and Cleveland's tricube)."""
    if kind == "reciprocal":
        return 1 / (distance / h + 1)
    if kind == "gaussian":
        return np.exp(-(distance**2) / (2 * h**2))
    return np.where(distance < h, (1 - np.minimum(distance / h, 1) ** 3) ** 3, 0.0)


def local_fit(matrix, targets, weights, query, ridge=0.0):
    """Value and slopes of the weighted least squares fit at a query.

    Places are taken from their weighted means, as the intercept is: a place that is the same in all rows that count has
    no slope then, wherever the query lies. (Taken from the query, the slopes of least norm would share the mean with
    the intercept.) `ridge` times their variance is what squared slopes count; places over their deviations, so that of
    several best slopes those are found that a very small ridge would choose.
    """
    share = weights / weights.sum()
    middle, mean = share @ matrix, share @ targets
    apart = matrix - middle
    sizes = np.sqrt(share @ np.square(apart))
    sizes = np.where(np.ptp(matrix[weights > 0], axis=0) > 0, sizes, 0.0)
    safe = np.where(sizes > 0, sizes, 1.0)
    root = np.sqrt(share)[:, None]
    full = np.vstack([apart / safe * (sizes > 0) * root, np.sqrt(ridge) * np.eye(len(safe))])
    aims = np.vstack([(targets - mean) * root, np.zeros((len(safe), targets.shape[1]))])
    slopes = np.linalg.lstsq(full, aims, rcond=1e-9)[0] / safe[:, None]
    return mean + (query - middle) @ slopes, slopes


def loess(x, y, k, at):
    """Cleveland's loess of degree 1, without robustness, at some points."""
    out = []
    for point in at:
        distance = np.abs(x - point)
        h = np.sort(distance)[k - 1]
        out.append(local_fit(x[:, None], y[:, None], weight("tricube", distance, h), np.array([point]))[0][0])
    return np.array(out)
