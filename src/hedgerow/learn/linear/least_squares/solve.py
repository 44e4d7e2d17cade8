"""Least squares: the normal equations by Cholesky decomposition, or the rows by QR if columns are nearly dependent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import listing
from hedgerow.data.table.table import Numbers, Table
from hedgerow.data.table.threads import blas_threads_for
from hedgerow.errors import DataError
from hedgerow.layout.rounding import round_digits, round_within
from hedgerow.learn.linear.least_squares.products import Means, Products
from hedgerow.models.linear.linear import LinearFit

DEPENDS = 1e-11  # a column with a smaller share of residual variance given the others depends on them
SHORTEST = 1e-150  # limit of a column's length: products of two do not underflow
NEARLY_DEPENDS = 1e-5  # likewise: the products have lost digits that the rows still have
ROWS_DEPEND = 1e-12  # a column with a smaller share of residual length in QR depends on the others
MOST_CELLS = 1_000_000  # numbers of the matrix up to which QR is used
MOST_QR_PLACES = 1000
REFINED = 3  # steps of iterative refinement, in extended precision
TELLS = 1e-6  # standardized coefficient from which a column counts in a dependence
NOISE = 1e-12  # of a standardized coefficient: less is rounding error
MOST_TIGHTER = 27  # times that the allowance for rounding is reduced
NAMED = 8  # dependent columns that are listed


@dataclass(frozen=True, eq=False)
class LeastSquaresSolution:
    """Coefficients on the user's scale, not rounded, with statistics of the fit."""

    intercept: float
    slopes: Numbers
    squares: float  # sum of squared errors, as a share of the target's squares
    errors: Numbers | None  # standard errors divided by the residual deviation, of the intercept and the slopes
    kept_positions: NDArray[np.bool_]  # positions that do not depend on others
    notes: tuple[str, ...] = ()
    doubtful: bool = False  # columns nearly depend on each other, so that products may have lost precision


@dataclass(frozen=True, eq=False)
class NormalEquations:
    """The part of the normal equations that is the same for all targets of the same rows."""

    correlations: Numbers  # products of positions scaled to length 1, with the penalty of ridge
    kept_positions: NDArray[np.bool_]  # positions that do not depend on others
    inverse: Numbers  # inverse Cholesky factor of their products
    least: float  # smallest share of residual variance given all others, for the positions that vary

    @classmethod
    def of(cls, products: Products, ridge: float = 0.0, standardize: bool = False) -> NormalEquations:
        """Return the equations of the positions of products, for any target."""
        centered = products.centered_products[:-1, :-1]
        sizes = _lengths(centered)
        safe = np.where(sizes > 0, sizes, 1.0)
        likeness = np.where(np.outer(sizes > 0, sizes > 0), centered / np.outer(safe, safe), 0.0)
        if ridge > 0:
            unit = products.units if not standardize else np.where(sizes > 0, products.weight**0.5 / safe, 0.0)
            unit = np.where((unit > 0) & (sizes > 0), unit, 1.0)
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                penalty = np.fmin(ridge / np.square(unit) / np.square(safe), 1e300)
            np.fill_diagonal(likeness, np.where(sizes > 0, np.diagonal(likeness) + penalty, 0.0))
        return cls.from_correlations(likeness)

    @classmethod
    def from_correlations(cls, likeness: Numbers) -> NormalEquations:
        """Return the equations of positions of length 1, from their products."""
        with blas_threads_for(len(likeness)):
            kept, roots = _factor_matrix(likeness)
            inverse = roots.T @ roots
        varied = np.diagonal(likeness) > 0
        inflation = np.diagonal(inverse) * np.diagonal(likeness)[kept]
        least = 0.0 if (varied & ~kept).any() else 1 / float(inflation.max(initial=1.0))
        return cls(likeness, kept, inverse, least)


def solve(
    products: Products, ridge: float = 0.0, standardize: bool = False, factor: NormalEquations | None = None
) -> LeastSquaresSolution:
    """Return the coefficients of least squares, with `ridge` times the sum of their squares added to the cost.

    A position that depends on those before it gets the coefficient 0, and is named in the notes. `factor` is the factor
    of the positions, if it is known from another target.
    """
    centered = products.centered_products
    spread = _lengths(centered)
    sizes, size_y = spread[:-1], spread[-1]
    safe = np.where(sizes > 0, sizes, 1.0)
    with_y = centered[:-1, -1] / safe / (size_y if size_y > 0 else 1.0)
    factor = factor or NormalEquations.of(products, ridge, standardize)
    likeness, kept, inverse = factor.correlations, factor.kept_positions, factor.inverse
    part, right = likeness[np.ix_(kept, kept)], with_y[kept]
    values = inverse @ right
    values += inverse @ (right - part @ values)  # residue of rounding
    standard = np.zeros(len(sizes))
    standard[kept] = values
    with np.errstate(over="ignore", invalid="ignore"):
        slopes = standard / safe * size_y * products.target_unit / np.where(products.units > 0, products.units, 1.0)
        intercept = products.target_mean - float(slopes @ products.user_means)
    if not (np.isfinite(slopes).all() and np.isfinite(intercept)):
        raise DataError("the coefficients are too large for floating point: divide the target by a large number")
    plain = centered[:-1, :-1] / np.outer(safe, safe)
    share = 1 - 2 * float(standard @ with_y) + float(standard @ plain @ standard) if size_y > 0 else 0.0
    errors = _errors(products, inverse, kept, safe) if ridge == 0 else None
    notes = () if kept.all() or ridge > 0 else (dependence(products, likeness, kept, inverse),)
    doubtful = ridge == 0 and factor.least < NEARLY_DEPENDS
    return LeastSquaresSolution(intercept, slopes, max(share, 0.0), errors, kept, notes, doubtful)


def can_solve_rows(products: Products, table: Table) -> bool:
    """Return whether rows and positions are few enough for QR."""
    width = products.design.width
    return width <= MOST_QR_PLACES and table.n_rows * width <= MOST_CELLS


def solve_rows(products: Products, table: Table) -> LeastSquaresSolution:
    """Return the coefficients of least squares by QR of the rows, which keeps the digits that squaring loses.

    Columns are centered, brought to length 1 and made orthogonal in their order (Gram and Schmidt, twice each); one of
    which nothing is left depends on those before it. The residuals are solved for again in extended
    precision. A. Björck, Iterative refinement of linear least squares solutions. BIT 7 (1967).
    """
    result = products.design.matrix(table)
    matrix = np.asarray(result.toarray() if hasattr(result, "toarray") else result).astype(np.longdouble)
    weights = table.row_weights.astype(np.longdouble)
    root, total = np.sqrt(weights)[:, None], weights.sum()
    both = np.column_stack([matrix, table.target_numbers.astype(np.longdouble)])
    means = weights @ both / total if products.intercept else np.zeros(both.shape[1], dtype=np.longdouble)
    both = root * (both - means)
    sizes = np.sqrt(np.square(both).sum(axis=0))
    safe = np.where(sizes > 0, sizes, 1)
    both /= safe
    likeness = NormalEquations.of(products).correlations
    basis, upper, kept = _orthogonal(both[:, :-1].astype(np.float64), np.diagonal(likeness) > 0)
    columns, right = both[:, :-1][:, kept], both[:, -1]
    inverse_root = np.linalg.solve(upper, np.eye(len(upper)))
    found, errors = np.zeros(len(upper), dtype=np.longdouble), np.zeros_like(right)
    for _ in range(1 + REFINED):  # errors + columns @ found = right, and columns.T @ errors = 0
        lack = (right - errors - columns @ found).astype(np.float64)
        along, turn = basis.T @ lack, inverse_root.T @ (columns.T @ errors).astype(np.float64)
        found = found + inverse_root @ (along + turn)
        errors = errors + (lack - basis @ (along + turn))
    standard = np.zeros(len(kept), dtype=np.longdouble)
    standard[kept] = found
    slopes = standard / safe[:-1] * sizes[-1]
    inverse = inverse_root @ inverse_root.T
    plain = (safe[:-1] / np.where(products.units > 0, products.units, 1.0)).astype(np.float64)
    notes = () if kept.all() else (dependence(products, likeness, kept, inverse),)
    return LeastSquaresSolution(
        float(means[-1] - slopes @ means[:-1]) if products.intercept else 0.0,
        slopes.astype(np.float64),
        float(errors @ errors) if sizes[-1] > 0 else 0.0,
        _errors(products, inverse, kept, plain),
        kept,
        notes,
    )


def _orthogonal(matrix: Numbers, varied: NDArray[np.bool_]) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
    """Return orthogonal columns and the upper triangular factor of the independent columns, scaled to length 1."""
    n = matrix.shape[1]
    basis, upper, kept = np.zeros((len(matrix), n)), np.zeros((n, n)), np.zeros(n, dtype=np.bool_)
    rank = 0
    for place in np.flatnonzero(varied).tolist():
        own, along = matrix[:, place], np.zeros(rank)
        for _ in range(2):
            shares = basis[:, :rank].T @ own
            own, along = own - basis[:, :rank] @ shares, along + shares
        length = float(np.linalg.norm(own))
        if length <= ROWS_DEPEND or rank == len(matrix):
            continue
        basis[:, rank], upper[:rank, rank], upper[rank, rank] = own / length, along, length
        kept[place], rank = True, rank + 1
    return basis[:, :rank], upper[:rank, :rank], kept


def _factor_matrix(likeness: Numbers) -> tuple[NDArray[np.bool_], Numbers]:
    """Return which positions are kept, and the inverse of the lower Cholesky factor of these."""
    n = len(likeness)
    kept = np.ones(n, dtype=np.bool_)
    try:
        lower = np.linalg.cholesky(likeness)
        sound = bool((np.square(np.diagonal(lower)) > DEPENDS * np.diagonal(likeness)).all())
    except np.linalg.LinAlgError:
        sound = False
    if not sound:
        lower, kept = _factor_in_order(likeness)
    return kept, np.linalg.solve(lower, np.eye(len(lower)))


def _factor_in_order(likeness: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return the Cholesky factor of the positions that do not depend on those before them, and their numbers."""
    n = len(likeness)
    rows = np.zeros((n, n))  # rows of the factor are positions, columns are kept positions
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
    parts = []
    dropped = np.flatnonzero(~kept)
    for place in dropped[:NAMED].tolist():
        (name,) = products.design.names_of([place])
        if likeness[place, place] <= 0:
            parts.append(f"{name!r} has the same value in every row")
            continue
        on = positions[np.abs(inverse @ likeness[positions, place]) > TELLS]
        parts.append(f"{name!r} is a linear combination of {listing(products.design.names_of(on.tolist()), 4)}")
    more = f"; and {len(dropped) - NAMED} more" if len(dropped) > NAMED else ""
    return f"no coefficient for linearly dependent columns: {'; '.join(parts)}{more}"


def _lengths(centered: Numbers) -> Numbers:
    """Return the length of each column; 0 if the product of two such lengths underflows."""
    lengths: Numbers = np.sqrt(np.maximum(np.diagonal(centered), 0.0))
    return np.where(lengths > SHORTEST, lengths, 0.0)


def _errors(products: Products, inverse: Numbers, kept: NDArray[np.bool_], safe: Numbers) -> Numbers:
    """Return standard errors of intercept and slopes, divided by the residual deviation; NaN for dropped ones."""
    unit = np.where(products.units > 0, products.units, 1.0)
    slopes = np.full(len(kept), np.nan)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # of numbers too large to be squared
        slopes[kept] = np.sqrt(np.diagonal(inverse)) / (safe * unit)[kept]
        at_mean = (products.user_means / (safe * unit))[kept]
    slopes[~np.isfinite(slopes)] = np.nan
    intercept = (1 / products.weight + float(at_mean @ inverse @ at_mean)) ** 0.5 if products.intercept else np.nan
    return np.concatenate([[intercept], slopes])


def round_coefficients(intercept: float, slopes: Numbers, means: Means, digits: int) -> tuple[float, Numbers]:
    """Return coefficients as printed: short decimals with a relative error of at most 10^-digits.

    Slopes with large contributions, for example where columns nearly cancel each other, keep more digits, so that
    predictions change by less than 10^-digits of the target's deviation (root mean square). The intercept compensates
    for the rounding of the slopes within a relative error of 10^-digits; slopes have as many digits as
    needed for the rest not to matter.
    """
    fine = 10.0**-digits
    for tighter in 0.5 ** np.arange(MOST_TIGHTER + 1):
        out = _short_slopes(slopes, means, fine * tighter, fine)
        moved = slopes - out
        short, left = _short_intercept(intercept, float(moved @ means.places), means, fine * tighter, fine)
        most = abs(left) + float(np.abs(moved) @ means.deviations)  # however the columns are correlated
        if most < fine * means.target_deviation or not means.target_deviation > 0:
            break
    return short, out


def _short_slopes(slopes: Numbers, means: Means, shared: float, fine: float) -> Numbers:
    """Return slopes with relative error `fine`, which together change predictions by at most `shared` deviations."""
    spread_y = means.target_deviation
    out, some = np.zeros(len(slopes)), np.flatnonzero(slopes).tolist()
    for place in some:
        slope, spread = float(slopes[place]), float(means.deviations[place])
        reach = spread_y / spread if spread > 0 and spread_y > 0 else abs(slope)
        if abs(slope) > NOISE * reach:
            room = min(fine * abs(slope), shared * reach / len(some) ** 0.5)
            out[place] = round_within(slope, max(room, 1e-15 * abs(slope)))
    return out


def _short_intercept(intercept: float, shift: float, means: Means, shared: float, fine: float) -> tuple[float, float]:
    """Return the intercept that compensates for a shift of all predictions as far as possible, and the remaining shift.

    It is rounded by at most `shared` deviations and stays within `fine` of itself.
    """
    spread_y, room = means.target_deviation, fine * abs(intercept)
    moved = intercept + min(max(shift, -room / 2), room / 2)
    if abs(moved) <= NOISE * max(spread_y, abs(means.target)):
        return 0.0, shift + intercept
    reach = min(abs(moved), spread_y) if spread_y > 0 else abs(moved)
    least = 1e-15 * abs(moved)
    short = round_within(moved, max(shared * reach, least))
    if abs(short - intercept) > room:
        short = round_within(moved, max(min(shared * reach, room / 2), least))
    return short, shift + intercept - short


def figures(share: float, means: Means, rank: int, errors: Numbers | None = None) -> LinearFit:
    """Return the fit of coefficients, and their standard errors if there are enough rows.

    `share` is the residual share of the target's squares; `errors` are divided by the residual deviation.
    """
    freedom = means.weight - rank - means.intercept
    total = means.weight * means.target_deviation**2
    deviation = (share * total / freedom) ** 0.5 if freedom > 1e-9 else None
    sure = None
    if deviation is not None and errors is not None:
        sure = np.array([0.0 if np.isnan(error) else round_digits(error * deviation) for error in errors.tolist()])
    return LinearFit(
        weight=round_digits(means.weight, 15),
        freedom=round_digits(max(freedom, 0.0), 15),
        r_squared=round_digits(1 - share, 9) if total > 0 else None,
        deviation=None if deviation is None else round_digits(deviation),
        errors=sure,
        intercept=means.intercept,
    )
