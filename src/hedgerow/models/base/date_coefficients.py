"""Places of a design in print: dates, which are seconds since 1970 inside, count in days and read as dates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgerow.data.design.blocks import NumberBlock
from hedgerow.data.design.design import Design
from hedgerow.data.table.dates import format_dates
from hedgerow.data.table.schema import Column
from hedgerow.data.table.table import Numbers
from hedgerow.errors import DataError
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import round_digits

DAY = 86400.0  # seconds
ISO_DAY = "yyyy-MM-dd"
EXACT = 12  # digits of a coefficient times the seconds of a day: all that it has, without the noise of the product
IN_DAYS = "Dates are measured in days since 1970-01-01"


def day_units(design: Design) -> Numbers:
    """Return the factors of printed coefficients: the seconds of a day at positions that are dates, else 1."""
    units = np.ones(design.width)
    for (position, part), start in zip(design.used_blocks, design.starts, strict=False):
        if isinstance(part, NumberBlock) and design.schema.columns[position].date is not None:
            units[start] = DAY
    return units


def name_positions(design: Design, places: Sequence[int]) -> list[str]:
    """Return the names of positions; of dates `opened (days)`."""
    units = day_units(design)
    return [
        f"{name} (days)" if units[place] != 1 else name
        for name, place in zip(design.names_of(places), places, strict=True)
    ]


def coefficient_text(value: float, unit: float = 1.0) -> str:
    """Return one coefficient per unit.

    >>> coefficient_text(0.0625), coefficient_text(8.98831e-05, DAY)
    ('0.0625', '7.76589984')
    """
    return format_number(value if unit == 1 else round_digits(value * unit, EXACT))


def format_column_number(column: Column, value: float) -> str:
    """Return a number of a column; a date as its day."""
    if column.date is not None:
        try:
            return format_dates(np.array([value]), ISO_DAY)[0]
        except DataError:  # no day of the calendar
            pass
    return format_number(value)


def date_notes(design: Design, slopes: Numbers) -> list[str]:
    """Return the sentence on dates, if some have a slope."""
    return [IN_DAYS] if ((day_units(design) != 1) & (slopes != 0)).any() else []
