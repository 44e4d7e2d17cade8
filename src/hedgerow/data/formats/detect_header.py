"""Whether the first line of a delimited text names the columns: its cells are compared with the cells below them.

No single sign is safe, since column names may be numbers (`0,1,2,3,species`, `Country,2019,2020`). Column by column:

* a word above numbers speaks for a header, and so does a new word above words that repeat;
* a word that occurs again below it speaks against one, and so does a number above numbers, unless it looks like a name:
  the numbers of the line count up (0, 1, 2 or 2019, 2020, 2021) and are unlike the values below them;
* where words stand beside years in order, the numbers are names even if the values below them are as large;
* numbers that count up from 0 behind an empty cell, above rows that are numbered likewise, are names: so pandas writes
  the columns of an array;
* a line that is quoted throughout though nothing in it needs quotes, above lines that are not, is a header: so R and
  `hedgerow convert` write names that would be taken for values.

Other programs decide likewise: DuckDB takes the first line as a header if it does not fit the types of the columns,
`data.table::fread` if its fields are words where those below are not, Python's `csv.Sniffer` by a vote of the columns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.data.table.delimited import MISSING, parse_numbers
from hedgerow.data.table.table import Numbers

CELLS = 200_000  # about so many are compared with the first line
RARE = 0.1  # share of values that occur once, up to which a new word above a column is a surprise
LEAST_REPEATED = 4  # values below that are needed to be surprised
LEAST_ROWS = 10  # rows from which distinct words are a reason for a note on the assumption
YEARS = (1900, 2100)
_WHOLE = re.compile(r"\d{1,9}")
_WRITTEN = re.compile(r"[-+(\u2212]?\s*[$€£¥]?\s*(\d[\d.,'\u2019\s]*)\s*[-)%$€£¥]?")
_ABSENT = re.compile(r"[^\w]*|n\.?a\.?|n/a|none|nil|unknown|missing|[+-]?inf(inity)?", re.IGNORECASE)

_AS_NAMES = "use --no-header (in Python, header=False) to read it as a row of values"
_AS_VALUES = "use --header (in Python, header=True) to read it as the column names"


@dataclass(frozen=True)
class HeaderDecision:
    """Whether there is a header, and a sentence if the signs are not clear."""

    has_header: bool
    note: str = ""


def _parse_cells(cells: Sequence[str], decimal: str) -> Numbers:
    """Return cells as numbers, roughly if they are not written plainly; NaN for words."""
    numbers = parse_numbers(cells, decimal)
    for place in np.flatnonzero(np.isnan(numbers)).tolist():
        match = _WRITTEN.fullmatch(cells[place].strip())
        if match is not None:
            whole, mark, rest = re.sub(r"[^\d.,]", "", match[1]).replace(",", ".").rpartition(".")
            digits = re.sub(r"\D", "", whole)
            numbers[place] = float(f"{digits}.{rest}" if mark and len(rest) != 3 else digits + rest)
    return numbers


def find_header(
    rows: Sequence[Sequence[str]], missing: Sequence[str], decimal: str, quoted: Sequence[bool] = ()
) -> HeaderDecision:
    """Return whether the first row is a header; `quoted` marks rows that are quoted without need."""
    if not rows:
        return HeaderDecision(True)
    if any(quoted[:1]) and not any(quoted[1:]) and len(rows) > 1:
        return HeaderDecision(True)
    first = [cell.strip() for cell in rows[0]]
    below = [row for row in rows[1:] if len(row) == len(first)][: max(20, CELLS // max(len(first), 1))]
    return _HeaderSigns(first, below, frozenset((*MISSING, *missing)), decimal).decide()


@dataclass(frozen=True)
class _HeaderSigns:
    """The evidence in the first row and the rows below it."""

    first: list[str]
    below: list[Sequence[str]]
    missing: frozenset[str]
    decimal: str

    @cached_property
    def names(self) -> Numbers:
        """The cells of the first row as numbers; NaN for words."""
        return _parse_cells(self.first, self.decimal)

    @cached_property
    def columns(self) -> list[list[str]]:
        """The values below, column by column, without missing ones."""
        stripped = [[cell.strip() for cell in row] for row in self.below]
        return [[row[place] for row in stripped if row[place] not in self.missing] for place in range(len(self.first))]

    @cached_property
    def numbers(self) -> list[Numbers | None]:
        """The values below as numbers, for columns without other values; None for others."""
        items = (_parse_cells(values, self.decimal) if values else None for values in self.columns)
        return [None if values is None or np.isnan(values).any() else values for values in items]

    def decide(self) -> HeaderDecision:
        if not any(self.first):
            return HeaderDecision(False)
        if np.isnan(self.names).all():
            return self._decide_without_numbers()
        return self._decide_with_numbers() if self.below else HeaderDecision(False)

    def _decide_without_numbers(self) -> HeaderDecision:
        """A first row without numbers."""
        absent = not self.missing.isdisjoint(filter(None, self.first))
        if self._count_words_above_numbers() > absent:
            return HeaderDecision(True)
        distinct = all(self.first) and len(set(self.first)) == len(self.first)
        again, new = self._repeated_words(), self._words_seen_once()
        if not again and distinct and not absent:
            is_clear = bool(new) or len(self.below) < LEAST_ROWS  # in a small table little repeats
            return HeaderDecision(True, "" if is_clear else f"the first line is read as the column names; {_AS_NAMES}")
        if len(new) > len(again) and distinct:
            return HeaderDecision(False, f"the first line is read as a row of values; {_AS_VALUES}")
        return HeaderDecision(False)

    def _decide_with_numbers(self) -> HeaderDecision:
        """A first row that contains numbers, which may be names all the same."""
        absent = not self.missing.isdisjoint(filter(None, self.first))
        words, new, again = self._count_words_above_numbers() > absent, self._words_seen_once(), self._repeated_words()
        distinct = len(set(filter(None, self.first))) == len(list(filter(None, self.first)))
        at = [place for place, name in enumerate(self.names) if not np.isnan(name)]
        whole = all(_WHOLE.fullmatch(self.first[place]) for place in at)
        unlike = [place for place in at if self._is_unlike(place)]
        is_written_by_pandas = self._numbers_rows_and_columns()
        counting = self._is_counting(self.names[at]) and (len(unlike) == len(at) or not self._rows_count(at))
        if words or is_written_by_pandas:
            is_header = whole or counting
        elif again or not distinct or absent:
            return HeaderDecision(False)
        elif counting:
            is_header = bool(new) or 2 * len(unlike) >= len(at) or self._has_words_beside_years()
        else:
            is_header = bool(new) and whole and len(unlike) == len(at)
        shown = ", ".join(repr(self.first[place]) for place in at[:3]) + ", ..." * (len(at) > 3)
        if is_header:
            return HeaderDecision(
                True, f"the first line is read as the column names, though it holds {shown}; {_AS_NAMES}"
            )
        if words or new or (counting and (len(at) > 2 or unlike)):  # two numbers may be consecutive by chance
            return HeaderDecision(
                False, f"the first line is read as a row of values, since it holds {shown}; {_AS_VALUES}"
            )
        return HeaderDecision(False)

    def _count_words_above_numbers(self) -> int:
        """Return the number of words, other than those for a missing value, above numbers."""
        return sum(
            values is not None and np.isnan(name) and cell not in self.missing and not _ABSENT.fullmatch(cell)
            for cell, name, values in zip(self.first, self.names, self.numbers, strict=True)
        )

    def _has_words_beside_years(self) -> bool:
        """Whether the first row has a word above words, and years in order."""
        words = any(
            np.isnan(name) and cell not in self.missing and not _ABSENT.fullmatch(cell)
            for cell, name in zip(self.first, self.names, strict=True)
        )
        return words and self._are_years(self.names[~np.isnan(self.names)])

    def _numbers_rows_and_columns(self) -> bool:
        """Whether the first row is an empty cell and 0, 1, 2 and so on, and the rows below begin with 0, 1, 2."""
        at, rows = self.names[1:], self.numbers[0]
        if self.first[0] or rows is None or len(rows) < len(self.below) or len(at) == 0:
            return False
        is_written = np.array_equal(at, np.arange(len(at))) and np.array_equal(rows, np.arange(len(rows)))
        return is_written and len(rows) > 1

    def _repeated_words(self) -> list[str]:
        """Return the words that occur again in their columns."""
        return [
            cell
            for cell, name, values in zip(self.first, self.names, self.columns, strict=True)
            if np.isnan(name) and cell in values
        ]

    def _words_seen_once(self) -> list[str]:
        """Return the cells above words that repeat, and not this one."""
        texts = []
        for cell, values, numbers in zip(self.first, self.columns, self.numbers, strict=True):
            if not cell or cell in self.missing or numbers is not None or len(values) < LEAST_REPEATED:
                continue
            counts = Counter(values)
            rare = sum(count == 1 for count in counts.values())
            if cell not in counts and rare <= RARE * len(values):
                texts.append(cell)
        return texts

    @staticmethod
    def _is_counting(numbers: Numbers) -> bool:
        """Whether numbers count up by ones, or are years in order; of spectra and the like, by equal steps."""
        if len(numbers) < 2 or not np.isfinite(numbers).all():
            return False
        with np.errstate(over="ignore"):
            steps = np.diff(numbers)
        by_ones = bool((steps == 1).all())
        evenly = len(numbers) > 3 and bool((steps > 0).all()) and bool(np.allclose(steps, steps[0]))
        return by_ones or evenly or _HeaderSigns._are_years(numbers)

    @staticmethod
    def _are_years(numbers: Numbers) -> bool:
        """Whether numbers are years in order, two at least."""
        in_range = (numbers >= YEARS[0]) & (numbers <= YEARS[1]) & (numbers % 1 == 0)
        return len(numbers) > 1 and bool(in_range.all() and (np.diff(numbers) > 0).all())

    def _rows_count(self, at: list[int]) -> bool:
        """Whether most rows below count up likewise."""
        rows = self.below[:20]
        counting = (self._is_counting(_parse_cells([row[place].strip() for place in at], self.decimal)) for row in rows)
        return 2 * sum(counting) > len(rows)

    def _is_unlike(self, place: int) -> bool:
        """Whether a whole number is above fractions, or words, or numbers of a very different size."""
        values = self.numbers[place]
        if values is None:
            return not any(~np.isnan(_parse_cells(self.columns[place], self.decimal))) if self.columns[place] else False
        name, finite = float(self.names[place]), values[np.isfinite(values)]
        if not len(finite):
            return False
        if name % 1 == 0 and bool((finite % 1 != 0).any()):
            return True
        low, high = float(finite.min()), float(finite.max())
        spread = max(high - low, abs(high), 1.0)
        return not low - spread <= name <= high + spread
