"""Models of local fits as text: the stored rows, their weights, and a fit as an example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hedgerow.data.design.blocks import LevelBlock, NumberBlock
from hedgerow.data.table.printed_value import format_value
from hedgerow.data.table.table import Numbers, Table
from hedgerow.layout.names import format_name
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits
from hedgerow.layout.text_table import align_numbers
from hedgerow.models.base.date_coefficients import DAY, date_notes, day_units, format_column_number, name_positions
from hedgerow.models.base.factor import escape_name, short
from hedgerow.models.neighbors.distance import DEVIATION, MINMAX
from hedgerow.models.neighbors.leave_one_out import DIGITS, figure
from hedgerow.models.neighbors.local_fits import LocalRows

SHOWN = 20  # coefficients of the example
IN_LINE = 8  # coefficients of a formula
NOISE = 1e-7  # share of the target's deviation below which numbers are printed as 0


def describe_rows(rows: LocalRows) -> list[str]:
    """Return the lines on the stored rows and the distance."""
    how, names = rows.how, rows.design.schema.names
    n = format_number(short(rows.total))
    counted = "all of them are used" if how.neighbors is None else f"the {how.neighbors} nearest are used"
    bandwidth = format_number(how.bandwidth)
    h = f"h = {bandwidth}" if how.neighbors is None else f"h = {bandwidth} times the distance of the farthest one"
    fit = "a weighted mean" if how.degree == 0 else "a weighted linear fit"
    columns = f"{len(rows.used_columns)} column{'' if len(rows.used_columns) == 1 else 's'}"
    head = [
        ("rows", f"{n} of {columns} are stored; {counted}"),
        ("fit", f"{fit} for each row to predict"),
        ("weight", f"{how.describe()} at distance d, {h}"),
    ]
    pairs = [(escape_name(names[at]), _describe_comparison(rows, at)) for at in rows.used_columns]
    lines = align_numbers(head, range(2))
    return [
        *lines,
        "",
        "distance",
        *("  " + line for line in align_numbers(pairs, range(2)) or ["no column has different values"]),
    ]


def _describe_comparison(rows: LocalRows, at: int) -> str:
    if at in rows.levels:
        return "0 if equal, 1 if not or missing"
    (low, high), column = rows.numbers[at].range, rows.design.schema.columns[at]
    text = "difference" if column.date is None else "difference in seconds"
    if rows.how.scale in (MINMAX, DEVIATION):
        unit = rows.unit(at)
        text = f"difference / {figure(unit)}" if column.date is None else f"difference / {figure(unit / DAY)} days"
    return (
        f"{text}, from {format_column_number(column, low)} to {format_column_number(column, high)}; missing "
        f"{figure(rows.width(at))}"
    )


def middle(rows: LocalRows) -> Table:
    """Return a row of means and most frequent levels, as an example."""
    data: list[Any] = []
    for at, column in enumerate(rows.design.schema.columns):
        part = rows.design.parts[at]
        if isinstance(part, NumberBlock):
            mean = round_digits(part.mean, DIGITS) if column.date is None else DAY * round(part.mean / DAY)
            data.append(np.array([mean]))
        elif isinstance(part, LevelBlock):
            codes = rows.levels[at].codes
            counts = np.bincount(codes[codes >= 0], rows.row_weights[codes >= 0], len(column.levels))
            data.append(np.array([int((counts >= counts.max() * (1 - 1e-12)).argmax())], dtype=np.int32))
        else:
            data.append(rows.table.slice(0, 1).data[at])
    return Table(rows.design.schema, tuple(data), 1)


def cell_text(rows: LocalRows, table: Table, at: int) -> str:
    """Return the value of one column of the only row of a table."""
    name = format_name(rows.design.schema.names[at])
    missing = np.isnan(table.numbers(at)[0]) if at in rows.numbers else table.codes(at)[0] < 0
    return f"{name} missing" if missing else f"{name} = {format_value(table, at)}"


def fit_lines(rows: LocalRows, table: Table, titles: Sequence[str], values: Numbers, slopes: Numbers) -> list[str]:
    """Return the lines of a fit at the only row of a table: values, coefficients, and the prediction.

    `values` are by target, `slopes` by target and position; the intercepts follow from both.
    """
    matrix = rows.matrix(table)[0]
    values, intercepts, slopes = _clear(rows, matrix, values, slopes)
    order = np.arange(len(matrix))
    if len(order) > SHOWN:
        strength = np.abs(slopes).sum(axis=0) * rows.frame[1]
        order = np.sort(np.argsort(-strength, kind="stable")[:SHOWN])
    units, days = day_units(rows.fitted_design), _days(rows, table)
    names = [escape_name(name) for name in name_positions(rows.fitted_design, order.tolist())]
    body: list[Sequence[str]] = [["", "value", *titles], ["(intercept)", "", *map(figure, intercepts.tolist())]]
    for name, at in zip(names, order.tolist(), strict=True):
        value = days.get(at) or figure(float(matrix[at]))
        body.append([name, value, *map(figure, (slopes[:, at] * units[at]).tolist())])
    body.append(["prediction" if len(titles) == 1 else "membership", "", *map(figure, values.tolist())])
    more = [f"... and {len(matrix) - len(order)} more coefficients"] if len(order) < len(matrix) else []
    return align_numbers(body) + more + date_notes(rows.fitted_design, np.abs(slopes).sum(axis=0))


def _days(rows: LocalRows, table: Table) -> dict[int, str]:
    """Return the dates of the only row of a table, by position."""
    return {
        start: format_column_number(rows.design.schema.columns[at], float(table.numbers(at)[0]))
        for (at, part), start in zip(rows.fitted_design.used_blocks, rows.fitted_design.starts, strict=False)
        if isinstance(part, NumberBlock) and rows.design.schema.columns[at].date is not None
    }


def _clear(rows: LocalRows, matrix: Numbers, values: Numbers, slopes: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return values, intercepts and slopes of fits at a row without rounding errors."""
    apart = (rows.targets - rows.target_means) / np.maximum(np.abs(rows.targets).max(axis=0), 1e-300)
    spread = np.sqrt(rows.row_weights @ np.square(apart) / rows.total) * np.abs(rows.targets).max(axis=0)
    least = NOISE * spread

    def clear(numbers: Numbers, size: Numbers, limit: Numbers) -> Numbers:
        return np.where(np.abs(size) <= limit, 0.0, numbers)

    slopes = clear(slopes, slopes * rows.frame[1], least[:, None])
    values = clear(values, values, least)
    intercepts = values - slopes @ matrix
    return values, clear(intercepts, intercepts, least), slopes


def formulas(rows: LocalRows, table: Table, titles: Sequence[str], values: Numbers, slopes: Numbers) -> list[str]:
    """Return the fits at the only row of a table as sums, with their strongest coefficients."""
    _, intercepts, slopes = _clear(rows, rows.matrix(table)[0], values, slopes)
    return [_formula(rows, *one) for one in zip(titles, intercepts.tolist(), slopes, strict=True)]


def _formula(rows: LocalRows, title: str, intercept: float, slopes: Numbers) -> str:
    strength = np.abs(slopes) * rows.frame[1]
    order = np.argsort(-strength, kind="stable")
    order = np.sort(order[: min(IN_LINE, np.count_nonzero(strength))])
    terms = [
        f" {'-' if slope < 0 else '+'} {figure(abs(slope))} {escape_name(name)}"
        for slope, name in zip(
            (slopes * day_units(rows.fitted_design))[order].tolist(),
            name_positions(rows.fitted_design, order.tolist()),
            strict=True,
        )
    ]
    more = " + ..." if np.count_nonzero(strength) > IN_LINE else ""
    return f"{title} = {figure(intercept)}{''.join(terms)}{more}"
