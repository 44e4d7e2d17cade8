"""Columns of numbers that are not plainly written, or hold codes: words as numbers, dates of digits, missing values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.data.table.dates import WRITTEN
from hedgerow.data.table.delimited import InvalidNumbers, LevelColumn, encode_text, parse_numbers
from hedgerow.data.table.number_forms import NumberForm, is_absent
from hedgerow.data.table.schema import Column, Schema, listing
from hedgerow.data.table.table import Numbers, Text
from hedgerow.layout.numbers import format_number
from hedgerow.layout.quotes import quote_for_shell

if TYPE_CHECKING:
    import pyarrow as pa

COMPACT = "yyyyMMdd"
YEARS = (1900, 2100)  # of dates that are written without separators
SEEN = 100_000  # first values in which codes for a missing value are looked for
CODES = (-1.0, -9.0, -99.0, -999.0, -9999.0, -99999.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0)
LEAST_CODES = 3  # times that a code occurs at least
BEYOND = 2.0  # how many times as large as all other values a code is at least


def read_numbers(
    values: LevelColumn | Text, column: Column, decimal: str | None = None
) -> tuple[Numbers, InvalidNumbers]:
    """Return the words of a numeric column as numbers, and those that are neither numbers nor missing.

    `decimal` is the decimal point if it is not the one of the column's form.
    """
    values = encode_text(values) if isinstance(values, Text) else values
    form = NumberForm(decimal or ".") if column.form is None else column.form.with_decimal(decimal)
    is_plain = form == NumberForm() and column.form is None
    numbers = parse_numbers(values.levels) if is_plain else form.parse(arrow_words(values.levels))
    unread = np.flatnonzero(~np.isfinite(numbers)).tolist()
    bad = [level for level in unread if not is_absent(values.levels[level], column.missing)]
    numbers[~np.isfinite(numbers)] = np.nan
    rows = np.flatnonzero(np.isin(values.codes, bad)) if bad else np.empty(0, dtype=np.int64)
    first = tuple((row, values.levels[values.codes[row]]) for row in rows[:3].tolist())
    return drop_codes(np.append(numbers, np.nan)[values.codes], column), InvalidNumbers(len(rows), 0, first)


def arrow_words(values: Sequence[str] | Text) -> pa.Array:
    """Return words as an Arrow array of large strings; Arrow is loaded for odd columns only."""
    from hedgerow.data.table.to_arrow import string_array, to_string_array

    return string_array(values) if isinstance(values, Text) else to_string_array(values)


def drop_codes(numbers: Numbers, column: Column) -> Numbers:
    """Return numbers without those that stand for a missing value in their column."""
    codes = parse_numbers(column.missing) if column.missing else np.empty(0)
    codes = codes[~np.isnan(codes)]
    return np.where(np.isin(numbers, codes), np.nan, numbers) if len(codes) else numbers


def seconds_of_digits(numbers: Numbers) -> Numbers:
    """Return dates written as yyyymmdd, read as numbers, as seconds since 1970."""
    whole = np.where(np.isnan(numbers), 19700101, numbers).astype(np.int64)
    months = (whole // 10000 - 1970) * 12 + whole // 100 % 100 - 1
    days = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) + whole % 100 - 1
    return np.where(np.isnan(numbers), np.nan, days * 86400.0)


def are_dates(numbers: Numbers) -> bool:
    """Return whether all numbers are dates written as yyyymmdd."""
    low, high = YEARS[0] * 10000 + 101, YEARS[1] * 10000 + 1231
    if not bool(((numbers >= low) & (numbers <= high) & (numbers % 1 == 0)).all()):
        return False
    whole = numbers.astype(np.int64)
    month, day = whole // 100 % 100, whole % 100
    if not bool(((month >= 1) & (month <= 12) & (day >= 1)).all()):
        return False
    months = (whole // 10000 - 1970) * 12 + month - 1
    next_month = (months + 1).astype("datetime64[M]").astype("datetime64[D]")
    lengths = (next_month - months.astype("datetime64[M]").astype("datetime64[D]")).astype(np.int64)
    return bool((day <= lengths).all())


@dataclass
class NumberShape:
    """What the plain numbers of a column look like, collected block by block."""

    is_compact: bool = True  # all are dates such as 20240131
    can_be_thousands: bool = True  # every fraction may be a number of thousands, as 1.234 is
    has_fraction: bool = False
    seen: int = 0
    codes: dict[float, int] = field(default_factory=dict)
    low: float = np.inf  # of the values that are no codes
    high: float = -np.inf

    def add(self, values: Numbers) -> None:
        """Take in more values."""
        for part in (values[:1000], values[1000:]):  # a few values are enough for most columns
            if self.is_compact or self.can_be_thousands:
                present = part[~np.isnan(part)]
                self.is_compact = self.is_compact and are_dates(present)
                self._add_fractions(present)
        if self.seen < SEEN:
            part = values[: SEEN - self.seen]
            self.seen += len(part)
            self._add_codes(part[~np.isnan(part)])

    def _add_fractions(self, present: Numbers) -> None:
        if self.can_be_thousands:
            fractions = np.abs(present[present != np.floor(present)])
            fractions = fractions[np.isfinite(fractions)]
            self.has_fraction = self.has_fraction or bool(len(fractions))
            thousands = fractions * 1000
            is_grouped = (fractions > 1) & (fractions < 1000) & (np.abs(thousands - np.round(thousands)) < 1e-6)
            self.can_be_thousands = bool(is_grouped.all())

    def _add_codes(self, present: Numbers) -> None:
        is_code = np.isin(present, CODES)
        for code, count in zip(*np.unique(present[is_code], return_counts=True), strict=True):
            self.codes[float(code)] = self.codes.get(float(code), 0) + int(count)
        rest = present[~is_code]
        if len(rest):
            self.low, self.high = min(self.low, float(rest.min())), max(self.high, float(rest.max()))

    @property
    def likely_missing(self) -> list[float]:
        """The codes that probably stand for a missing value: no other value is on their side, or nearly as large."""
        if self.high < 1 or self.low > self.high:
            return []
        smaller = {code for code in self.codes if 0 <= code <= BEYOND * self.high}
        high = max([self.high, *smaller])
        usual = self.high > 1 and self.low >= 0
        return [
            code
            for code, count in sorted(self.codes.items())
            if count >= LEAST_CODES and ((code < 0 and usual) or code > BEYOND * high)
        ]


def conversion_notes(schema: Schema) -> list[str]:
    """Return sentences on columns whose numbers or dates are not plainly written, and on words read as missing."""
    forms: dict[str, list[str]] = {}
    for column in schema.columns:
        if column.form is not None:
            forms.setdefault(str(column.form), []).append(column.name)
        if column.date is not None and column.date not in WRITTEN:
            forms.setdefault(f"dates written as {column.date}", []).append(column.name)
    return [f"{_columns(names)}: {form}" for form, names in forms.items()]


def code_notes(found: Iterable[tuple[str, float, int]]) -> list[str]:
    """Return a sentence on every number that probably stands for a missing value, with the columns that hold it."""
    columns: dict[float, list[str]] = {}
    counts: dict[float, int] = {}
    for name, code, count in found:
        columns.setdefault(code, []).append(name)
        counts[code] = counts.get(code, 0) + count
    return [
        f"{_columns(names)}: {format_number(code)} occurs {counts[code]:,} times, far from all other values; if it "
        f"means a missing value, use --missing {quote_for_shell(format_number(code))} (in Python, missing=)"
        for code, names in columns.items()
    ]


def _columns(names: list[str]) -> str:
    return f"column{'s' * (len(names) > 1)} {listing(names, most=4)}"
