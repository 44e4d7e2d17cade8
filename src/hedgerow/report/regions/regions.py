"""Decision regions: the predictions of a classifier over two numeric columns, with the others fixed at one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.design.blocks import NumberBlock
from hedgerow.data.table.schema import Kind, listing
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.errors import DataError, UsageError
from hedgerow.layout.numbers import format_count
from hedgerow.layout.rounding import round_digits
from hedgerow.models.base.condition import nearest
from hedgerow.models.base.model import ClassModel, Model
from hedgerow.models.svm.multiclass import REST
from hedgerow.report.regions.regions_grid import Grid, Span
from hedgerow.report.regions.regions_machines import DecisionField, fields, machines_in, support, vector_numbers

MOST_POINTS = 2000
ROOM = 0.05  # beyond the outermost numbers, on either side
REACH = 2.5  # standard deviations that are shown where there are no numbers


@dataclass(frozen=True, eq=False)
class RegionPoints:
    """Rows of data: their positions, and their classes; -1 for a class that the model does not know."""

    x: Numbers
    y: Numbers
    codes: Codes


@dataclass(frozen=True, eq=False)
class DecisionRegions:
    """The data of a picture of decision regions.

    Parameters
    ----------
    codes
        The class of every cell of a grid, the top row first; -1 for no prediction.
    fields
        For support vector machines: f, whose contour lines at -1, 0 and 1 are the margins and the boundary.
    support
        The positions of support vectors; None if the model has none, or the data to find them are not given.
    held
        The other columns that the model uses, and their fixed values.
    """

    title: str
    x: Span
    y: Span
    classes: tuple[str, ...]
    counts: NDArray[np.int64]  # of the classes among the rows, or the cells if there are no rows with a class
    codes: NDArray[np.int32]
    fields: tuple[DecisionField, ...]
    points: RegionPoints | None
    support: Numbers | None  # (vectors, 2)
    held: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def regions(
    model: Model,
    data: Table | None = None,
    columns: Sequence[str] = (),
    cells: tuple[int, int] = (566, 400),
) -> DecisionRegions:
    """Return the decision regions of a classification model over two of its numeric columns.

    Parameters
    ----------
    data
        Rows to show; they determine the range, and the mean or most frequent value of the other columns.
        Without them, the model must know the range of its columns, as linear models and kernel machines do, and the
        other columns are missing.
    columns
        The names of the two columns, across and upwards; by default the first two that the model uses.
    cells
        The resolution of the grid: columns and rows.
    """
    if not isinstance(model, ClassModel):
        raise UsageError(f"a model of kind {model.kind!r} does not predict classes, so it has no decision regions")
    across, upwards = _two_columns(model, columns)
    aligned = None if data is None else model.align(data)
    x, y = (_span(model, aligned, one) for one in (across, upwards))
    grid = Grid(model, (x, y), _fixed_values(model, aligned, (across, upwards)))
    codes = grid.decide_cells(cells)
    points, notes = _points(aligned, across, upwards)
    shown = codes.ravel() if aligned is None or (aligned.target_codes < 0).all() else aligned.target_codes
    counts = np.bincount(shown[shown >= 0], minlength=len(model.classes))
    machines = machines_in(model)
    ringed = None if machines is None else support(machines, aligned, (across, upwards))
    if machines is not None and machines.form == REST and ringed is not None:
        notes = (*notes, "rings mark the support vectors of the machine for their own class against the rest")
    return DecisionRegions(
        f"Decision regions of {model.about.learner or 'the model'} for {model.schema.target}",
        x,
        y,
        model.classes,
        counts,
        codes,
        () if machines is None else fields(machines, *grid.values(machines, cells)),
        points,
        ringed,
        grid.fixed_columns,
        notes,
    )


# -- which columns, which numbers -----------------------------------------------------------------------------


def _two_columns(model: ClassModel, names: Sequence[str]) -> tuple[int, int]:
    """Return the positions of the two columns; by default the first two numeric ones that the model uses."""
    schema = model.schema
    numeric = [c.name for c in schema.columns if c.kind is Kind.NUMERIC and c.name != schema.target and not c.ignored]
    used = model.columns_used()
    best = [name for name in numeric if used is None or name in used]
    best += [name for name in numeric if name not in best]
    if not names and len(best) < 2:
        had = f"only {best[0]!r}" if best else "none"
        raise UsageError(f"regions are drawn over two numeric columns, but the model has {had}")
    chosen = list(names) or best[:2]
    if len(chosen) != 2 or chosen[0] == chosen[1]:
        raise UsageError(f"regions are drawn over two columns, not over {listing(chosen)}; name two, as in x,y")
    for name in chosen:
        if name not in schema:
            raise UsageError(f"the model has no column {name!r}; {nearest(name, numeric, 'numeric columns')}")
        if name not in numeric:
            what = "the target" if name == schema.target else schema[name].kind
            raise UsageError(
                f"column {name!r} is {what}, but regions are drawn over numeric columns; there are {listing(numeric)}"
            )
    return schema.index(chosen[0]), schema.index(chosen[1])


def _span(model: ClassModel, data: Table | None, position: int) -> Span:
    """Return the range of a column: that of the data, or one known to the model."""
    column = model.schema.columns[position]
    values = np.empty(0) if data is None else data.numbers(position)
    values = values[np.isfinite(values)]
    if not len(values):
        values = _known_numbers(model, position)
    if not len(values):
        if data is not None:
            raise DataError(f"column {column.name!r} has no numbers, so no regions can be drawn over it")
        raise UsageError(
            f"a model of kind {model.kind!r} does not store the range of its columns; add data to the command"
        )
    low, high = float(values.min()), float(values.max())
    low, high = max(low, -1e300), min(high, 1e300)
    room = (high - low) * ROOM if high > low else max(abs(low) * 0.1, 1.0)
    return Span(column, low - room, high + room)


def _known_numbers(model: ClassModel, position: int) -> Numbers:
    """Return numbers of a column that a model stores: of its support vectors, or a range around its mean."""
    machines = machines_in(model)
    found = None if machines is None else vector_numbers(machines, position)
    if found is not None and len(found):
        return found
    design = getattr(model, "design", None)
    for place, part in design.used_blocks if design is not None else ():
        if place == position and isinstance(part, NumberBlock):
            return np.array([part.mean - REACH * part.scale, part.mean + REACH * part.scale])
    return np.empty(0)


def _fixed_values(model: ClassModel, data: Table | None, shown: tuple[int, int]) -> dict[int, float]:
    """Return the fixed values of the other columns by position: a number, or the code of a level; NaN for missing."""
    held = {}
    for position, column in enumerate(model.schema.columns):
        if position in shown or column.name == model.schema.target:
            continue
        value = float("nan")
        if data is not None and column.kind is Kind.NUMERIC:
            numbers = data.numbers(position)
            counts = np.isfinite(numbers)
            weights = data.row_weights[counts]
            if weights.sum() > 0:
                size = float(np.abs(numbers[counts]).max()) or 1.0  # so that sums of huge numbers stay numbers
                value = round_digits(float(numbers[counts] / size @ weights / weights.sum()) * size, 6)
        elif data is not None and column.kind is Kind.NOMINAL:
            codes = data.codes(position)
            counts = np.bincount(codes[codes >= 0], data.row_weights[codes >= 0], len(column.levels))
            if counts.sum() > 0:
                value = float(counts.argmax())
        held[position] = value
    return held


# -- what else is drawn ---------------------------------------------------------------------------------------


def _points(data: Table | None, across: int, upwards: int) -> tuple[RegionPoints | None, tuple[str, ...]]:
    """Return the rows that can be drawn, a sample if there are many, and notes on the others."""
    if data is None:
        return None, ()
    x, y = data.numbers(across), data.numbers(upwards)
    codes = data.target_codes
    whole = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    notes = []
    lost = data.n_rows - len(whole)
    if lost:
        lack = "row lacks" if lost == 1 else "rows lack"
        notes.append(f"{format_count(lost)} {lack} one of the two numbers and cannot be drawn")
    if len(whole) > MOST_POINTS:
        some = whole[np.linspace(0, len(whole) - 1, MOST_POINTS).astype(np.int64)]
        notes.append(f"{format_count(MOST_POINTS)} of {format_count(len(whole))} rows are shown")
        whole = some
    return RegionPoints(x[whole], y[whole], codes[whole]), tuple(notes)
