"""Least squares from products: the normal equations by Cholesky, column by column where some depend on others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.decimals import near, significant
from hedgerow.data.schema import listing
from hedgerow.data.table import Numbers
from hedgerow.errors import DataError
from hedgerow.learn.linear.products import Means, Products
from hedgerow.models.linear import Figures

DEPENDS = 1e-11  # a column of which the others leave a smaller share of its variance depends on them
TELLS = 1e-6  # a standardized coefficient of a column that another depends on
NOISE = 1e-12  # of a standardized coefficient: less is rounding
NAMED = 8  # dependent columns that are named


@dataclass(frozen=True, eq=False)
class Solution:
    """Coefficients on the user's scale, not rounded, and what is known of them."""

    intercept: float
    slopes: Numbers
    squares: float  # sum of squared errors, as a share of the target's squares
    errors: Numbers | None  # standard errors over the residual deviation, of the intercept and the slopes
    kept: NDArray[np.bool_]  # places that do not depend on others
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Factor:
    """What the normal equations of all targets of the same rows share."""

    likeness: Numbers  # products of places of length 1, with the penalty of ridge
    kept: NDArray[np.bool_]  # places that do not depend on others
    inverse: Numbers  # of the likeness of these

    @classmethod
    def of(cls, products: Products, ridge: float = 0.0, standardize: bool = False) -> Factor:
        """Return that of the places of products, whatever their target."""
        centered = products.centered[:-1, :-1]
        sizes = np.sqrt(np.maximum(np.diagonal(centered), 0.0))
        safe = np.where(sizes > 0, sizes, 1.0)
        likeness = centered / np.outer(safe, safe)
        if ridge > 0:
            unit = products.units if not standardize else np.where(sizes > 0, products.weight**0.5 / safe, 0.0)
            unit = np.where((unit > 0) & (sizes > 0), unit, 1.0)
            with np.errstate(over="ignore"):
                penalty = np.minimum(ridge / np.square(unit) / np.square(safe), 1e300)
            np.fill_diagonal(likeness, np.where(sizes > 0, np.diagonal(likeness) + penalty, 0.0))
        kept, roots = _factored(likeness)
        return cls(likeness, kept, roots.T @ roots)


def solve(products: Products, ridge: float = 0.0, standardize: bool = False, factor: Factor | None = None) -> Solution:
    """Return the coefficients of least squares, with `ridge` times the sum of their squares added to the cost.

    A place that depends on those before it gets the coefficient 0, and is named in the notes. `factor` is that of the
    places, if it is known from another target.
    """
    centered = products.centered
    spread = np.sqrt(np.maximum(np.diagonal(centered), 0.0))
    sizes, size_y = spread[:-1], spread[-1]
    safe = np.where(sizes > 0, sizes, 1.0)
    with_y = centered[:-1, -1] / safe / (size_y if size_y > 0 else 1.0)
    factor = factor or Factor.of(products, ridge, standardize)
    likeness, kept, inverse = factor.likeness, factor.kept, factor.inverse
    part, right = likeness[np.ix_(kept, kept)], with_y[kept]
    found = inverse @ right
    found += inverse @ (right - part @ found)  # what rounding left
    standard = np.zeros(len(sizes))
    standard[kept] = found
    with np.errstate(over="ignore", invalid="ignore"):
        slopes = standard / safe * size_y * products.target_unit / np.where(products.units > 0, products.units, 1.0)
        intercept = products.target_mean - float(slopes @ products.user_means)
    if not (np.isfinite(slopes).all() and np.isfinite(intercept)):
        raise DataError("the coefficients are too large for numbers: divide the target by some large number")
    plain = centered[:-1, :-1] / np.outer(safe, safe)
    share = 1 - 2 * float(standard @ with_y) + float(standard @ plain @ standard) if size_y > 0 else 0.0
    errors = _errors(products, inverse, kept, safe) if ridge == 0 else None
    notes = () if kept.all() or ridge > 0 else (dependence(products, likeness, kept, inverse),)
    return Solution(intercept, slopes, max(share, 0.0), errors, kept, notes)


def _factored(likeness: Numbers) -> tuple[NDArray[np.bool_], Numbers]:
    """Return which places are kept, and the inverse of the lower Cholesky factor of these."""
    n = len(likeness)
    kept = np.ones(n, dtype=np.bool_)
    try:
        lower = np.linalg.cholesky(likeness)
        sound = bool((np.square(np.diagonal(lower)) > DEPENDS * np.diagonal(likeness)).all())
    except np.linalg.LinAlgError:
        sound = False
    if not sound:
        lower, kept = _in_turn(likeness)
    return kept, np.linalg.solve(lower, np.eye(len(lower)))


def _in_turn(likeness: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return the Cholesky factor of the places that do not depend on those before them, and which these are."""
    n = len(likeness)
    rows = np.zeros((n, n))  # of the factor: a line a place, a column a kept place
    kept: list[int] = []
    for place in range(n):
        done = len(kept)
        own = rows[place, :done]
        left = likeness[place, place] - own @ own
        if likeness[place, place] <= 0 or left <= DEPENDS * likeness[place, place]:
            continue
        root = left**0.5
        rows[place, done] = root
        after = slice(place + 1, n)
        rows[after, done] = (likeness[after, place] - rows[after, :done] @ own) / root
        kept.append(place)
    mask = np.zeros(n, dtype=np.bool_)
    mask[kept] = True
    return rows[kept, : len(kept)], mask


def dependence(products: Products, likeness: Numbers, kept: NDArray[np.bool_], inverse: Numbers) -> str:
    """Return the sentence that names the columns that depend on others."""
    positions = np.flatnonzero(kept)
    told = []
    dropped = np.flatnonzero(~kept)
    for place in dropped[:NAMED].tolist():
        (name,) = products.design.names_of([place])
        if likeness[place, place] <= 0:
            told.append(f"{name!r} has the same value in every row")
            continue
        on = positions[np.abs(inverse @ likeness[positions, place]) > TELLS]
        told.append(f"{name!r} follows from {listing(products.design.names_of(on.tolist()), 4)}")
    more = f"; and {len(dropped) - NAMED} more" if len(dropped) > NAMED else ""
    return f"no coefficient for columns that depend on others: {'; '.join(told)}{more}"


def _errors(products: Products, inverse: Numbers, kept: NDArray[np.bool_], safe: Numbers) -> Numbers:
    """Return the standard errors over the residual deviation, of the intercept and the slopes; NaN of dropped ones."""
    unit = np.where(products.units > 0, products.units, 1.0)
    slopes = np.full(len(kept), np.nan)
    slopes[kept] = np.sqrt(np.diagonal(inverse)) / (safe * unit)[kept]
    at_mean = (products.user_means / (safe * unit))[kept]
    intercept = (1 / products.weight + float(at_mean @ inverse @ at_mean)) ** 0.5
    return np.concatenate([[intercept], slopes])


def rounded(intercept: float, slopes: Numbers, means: Means, digits: int) -> tuple[float, Numbers]:
    """Return coefficients as they print: short decimals, each within 10^-digits of itself.

    Slopes that count for much beside the others, as where columns nearly cancel each other, keep more digits, so that
    predictions move by less than 10^-digits of the target's deviation (root mean square); the intercept makes up for
    what the slopes were rounded by.
    """
    fine, spread_y = 10.0**-digits, means.target_deviation
    out, some = np.zeros(len(slopes)), np.flatnonzero(slopes).tolist()
    for place in some:
        slope, spread = float(slopes[place]), float(means.deviations[place])
        reach = spread_y / spread if spread > 0 and spread_y > 0 else abs(slope)
        if abs(slope) > NOISE * reach:
            out[place] = near(slope, max(fine * min(abs(slope), reach / len(some) ** 0.5), 1e-15 * abs(slope)))
    moved = intercept + float((slopes - out) @ means.places)
    reach = min(abs(moved), spread_y) if spread_y > 0 else abs(moved)
    if abs(moved) <= NOISE * max(spread_y, abs(means.target)):
        return 0.0, out
    return near(moved, max(fine * reach, 1e-15 * abs(moved))), out


def figures(share: float, means: Means, rank: int, errors: Numbers | None = None) -> Figures:
    """Return how well coefficients fit, and their standard errors where there are rows to tell.

    `share` is that of the target's squares that is left, `errors` are over the residual deviation.
    """
    freedom = means.weight - rank - 1
    total = means.weight * means.target_deviation**2
    deviation = (share * total / freedom) ** 0.5 if freedom > 1e-9 else None
    sure = None
    if deviation is not None and errors is not None:
        sure = np.array([0.0 if np.isnan(error) else significant(error * deviation) for error in errors.tolist()])
    return Figures(
        weight=significant(means.weight, 15),
        freedom=significant(max(freedom, 0.0), 15),
        r_squared=significant(1 - share, 9) if total > 0 else None,
        deviation=None if deviation is None else significant(deviation),
        errors=sure,
    )
