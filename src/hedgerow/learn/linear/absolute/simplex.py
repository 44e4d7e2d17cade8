"""Least absolute errors, exactly: a vertex, where as many rows lie on the line as there are thetas.

From a vertex near the optimum, the simplex method goes from vertex to vertex: a row leaves the line, rows that the
line then meets are passed as long as the cost decreases, and the last one of them lies on it (I. Barrodale, F. D. K.
Roberts, An improved algorithm for discrete L1 linear approximation. SIAM Journal on Numerical Analysis 10, 1973).
At the end the shares `a` of the rows on the line, which balance all others, lie between 0 and 1: the proof that no
other thetas cost less. Where more rows meet than there are thetas, the target is perturbed slightly first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers, Rows
from hedgerow.data.table.threads import scipy_linalg
from hedgerow.learn.linear.absolute.interior_point import along, predict_rows

SLACK = 1e-9  # of shares: what rounding may leave
ON = 1e-10  # errors of rows that lie on the line, as a share of the target's size
NUDGES = (1e-7, 1e-10, 0.0)  # how far targets are moved where rows meet
REFRESH = 40  # exchanges after which the inverse is recomputed


@dataclass(frozen=True, eq=False)
class Vertex:
    """Thetas, the rows that lie on the line, and properties of the optimum."""

    theta: Numbers
    basis: Rows
    proven: bool  # optimal: no other thetas have lower cost
    unique: bool  # unique: none have equal cost
    moves: int
    bounded: bool = True


def best_vertex(matrix: Numbers, target: Numbers, right: Numbers, values: Numbers, theta: Numbers) -> Vertex:
    """Return the best vertex, starting with the rows of smallest `values` on the line."""
    size = float(np.abs(target).max(initial=0.0)) or 1.0
    basis = first_basis(matrix, values)
    scale = float(np.abs(target - predict_rows(matrix, theta)).mean()) or size
    random = np.random.default_rng(1)
    chance = random.uniform(0.5, 1.0, len(target)) * random.choice([-1.0, 1.0], len(target))
    moves, numbers = 0, theta
    for nudge in NUDGES:
        moved = target + nudge * scale * chance
        basis, above, more, bounded = _exchange_rows(matrix, moved, right, basis)
        moves += more
        numbers = np.asarray(np.linalg.solve(matrix[basis], target[basis]), dtype=np.float64)
        errors = target - predict_rows(matrix, numbers)
        errors[basis] = 0.0
        if not bounded:
            return Vertex(numbers, basis, False, False, moves, False)
        shares = np.asarray(np.linalg.solve(matrix[basis].T, right - along(matrix, above)), dtype=np.float64)
        lengths = np.abs(matrix).max(axis=1)
        room = ON * size * np.maximum(lengths, 1.0)
        agree = bool(((above > 0) & (errors >= -room) | (above == 0) & (errors <= room)).all())
        within = bool((shares >= -SLACK).all() and (shares <= 1 + SLACK).all())
        if agree and within:
            return Vertex(numbers, basis, True, _is_unique(matrix, basis, shares, above, np.abs(errors) <= room), moves)
    return Vertex(numbers, basis, False, False, moves)


def first_basis(matrix: Numbers, values: Numbers) -> Rows:
    """Return as many independent rows as there are thetas, those with the smallest slack first."""
    rows, width = matrix.shape
    order = np.argsort(values, kind="stable")
    for some in (4 * width + 10, rows):
        picked = order[:some]
        free = 1 / np.maximum(values[picked], 1e-300)
        factor = np.sqrt(np.clip(free / free.max(), 1e-8, 1.0))
        lengths = np.abs(matrix[picked]).max(axis=1)
        factor = factor / np.where(lengths > 0, lengths, 1.0)
        for how in (factor, 1 / np.where(lengths > 0, lengths, 1.0)):
            upper, pivots = scipy_linalg().qr((matrix[picked] * how[:, None]).T, mode="r", pivoting=True)[0:2]
            diagonal = np.abs(np.diagonal(upper))
            if len(diagonal) == width and diagonal[-1] > 1e-7 * diagonal[0]:
                return np.asarray(picked[pivots[:width]], dtype=np.int64)
    return np.asarray(picked[pivots[:width]], dtype=np.int64)


def _exchange_rows(matrix: Numbers, target: Numbers, right: Numbers, basis: Rows) -> tuple[Rows, Numbers, int, bool]:
    """Exchange rows of the basis while the cost decreases; return it, the rows above, exchanges, and convergence."""
    basis, most = basis.copy(), 200 + 20 * len(basis) + len(target) // 10
    inverse = _inverse(matrix, basis)
    errors, above = _errors_and_signs(matrix, target, inverse, basis)
    balance = right - along(matrix, above)
    for move in range(most):
        if move % REFRESH == REFRESH - 1:
            inverse = _inverse(matrix, basis)
            errors, above = _errors_and_signs(matrix, target, inverse, basis)
            balance = right - along(matrix, above)
        shares = balance @ inverse
        beyond = np.maximum(shares - 1, -shares)
        worst = int(np.argmax(beyond))
        if beyond[worst] <= SLACK:
            worst = _lower(inverse, shares)
            if worst < 0:
                return basis, above, move, True
        up = 1.0 if shares[worst] > 0.5 else -1.0
        speed = up * predict_rows(matrix, inverse[:, worst])
        speed[basis] = 0.0
        meets = np.flatnonzero((above > 0) & (speed < 0) | (above == 0) & (speed > 0))
        times = np.maximum(-errors[meets] / speed[meets], 0.0)
        order = np.argsort(times, kind="stable")
        passed = np.cumsum(np.abs(speed[meets[order]]))
        last = int(np.searchsorted(passed, max(float(beyond[worst]), SLACK)))
        if last == len(order):
            return basis, above, move, False
        crossed, enters = meets[order[:last]], int(meets[order[last]])
        time, leaves = float(times[order[last]]), int(basis[worst])
        errors += time * speed
        errors[enters] = 0.0
        errors[leaves] = up * time
        balance += above[crossed] @ matrix[crossed] - (1 - above[crossed]) @ matrix[crossed]
        above[crossed] = 1 - above[crossed]
        balance += above[enters] * matrix[enters]
        above[enters] = 0.0
        above[leaves] = 1.0 if up > 0 else 0.0
        balance -= above[leaves] * matrix[leaves]
        basis[worst] = enters
        line = matrix[enters] @ inverse
        pivot = line[worst]
        line[worst] -= 1.0
        inverse = inverse - np.outer(inverse[:, worst], line / pivot)
    return basis, above, most, True


def _inverse(matrix: Numbers, basis: Rows) -> Numbers:
    return np.asarray(np.linalg.inv(matrix[basis]), dtype=np.float64)


def _lower(inverse: Numbers, shares: Numbers) -> int:
    """Return the row that can leave the line at no cost and lowers it; -1 if there is none.

    So of several optimal lines the same one is always found, that of the lowest mean.
    """
    free = np.flatnonzero((shares >= 1 - SLACK) | (shares <= SLACK))
    if not len(free):
        return -1
    liking = 1e-3 * np.cos(np.arange(len(shares), dtype=np.float64))
    liking[0] = 1.0
    ways = inverse[:, free] * np.where(shares[free] > 0.5, -1.0, 1.0)
    gains = liking @ ways / np.abs(ways).max(axis=0)
    best = int(np.argmin(gains))
    return int(free[best]) if gains[best] < -SLACK else -1


def _errors_and_signs(matrix: Numbers, target: Numbers, inverse: Numbers, basis: Rows) -> tuple[Numbers, Numbers]:
    """Return the errors, and 1 for every row above the line, 0 for those on it or below."""
    errors = target - predict_rows(matrix, inverse @ target[basis])
    errors[basis] = 0.0
    above = (errors > 0).astype(np.float64)
    return errors, above


def _is_unique(matrix: Numbers, basis: Rows, shares: Numbers, above: Numbers, on: NDArray[np.bool_]) -> bool:
    """Return whether every edge from the vertex increases the cost."""
    inverse = _inverse(matrix, basis)
    others = np.setdiff1d(np.flatnonzero(on), basis)
    for place in np.flatnonzero((shares <= SLACK) | (shares >= 1 - SLACK)).tolist():
        up = 1.0 if shares[place] > 0.5 else -1.0
        speed = up * (matrix[others] @ inverse[:, place])
        stays = (above[others] > 0) & (speed >= 0) | (above[others] == 0) & (speed <= 0)
        if float(np.abs(speed[~stays]).sum()) <= SLACK:
            return False
    return True
