"""CutBlock: a numeric column as conditions, `age <= 30` and `age > 30` at every cut point, as zeros and ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.data.design.blocks import ColumnBlock, has_number
from hedgerow.data.design.discretize import interval_codes
from hedgerow.data.design.score_buffer import KnownMask
from hedgerow.data.table.schema import Column
from hedgerow.data.table.table import Codes, Numbers, SparseNumbers, Table, gather_values
from hedgerow.layout.numbers import format_number


@dataclass(frozen=True, eq=False)
class CutBlock(ColumnBlock):
    """Two positions a cut point c: value <= c, and value > c; and one for missing numbers, if there are `gaps`.

    All other positions are 0 where the number is missing.
    """

    cuts: Numbers  # ascending, finite
    gaps: bool = False

    @property
    def width(self) -> int:  # type: ignore[override]
        """Two positions a cut point, and one for missing numbers."""
        return 2 * len(self.cuts) + self.gaps

    def names(self, column: Column, places: Sequence[int]) -> list[str]:
        """Return `age <= 30`, `age > 30` or `age missing`."""
        out = []
        for place in places:
            if place == 2 * len(self.cuts):
                out.append(f"{column.name} missing")
            else:
                out.append(f"{column.name} {'>' if place % 2 else '<='} {format_number(float(self.cuts[place // 2]))}")
        return out

    def codes(self, table: Table, position: int) -> Codes:
        """Return the interval of every number; -1 where it is missing."""
        return interval_codes(table.numbers(position), self.cuts)

    def active_positions(self) -> Codes:
        """Return the positions that are 1, one line per interval and a last one for missing numbers; -1 is none."""
        n = len(self.cuts)
        out = np.full((n + 2, max(n, 1)), -1, dtype=np.int32)
        above = np.arange(n + 1)[:, None] > np.arange(n)  # the interval lies above the cut
        out[: n + 1, :n] = 2 * np.arange(n) + above
        if self.gaps:
            out[n + 1, 0] = 2 * n
        return out

    def by_interval(self, slopes: Numbers) -> Numbers:
        """Return the sum of the slopes of a number in every interval and, at the end, of a missing one."""
        met = self.active_positions()
        return np.asarray(np.where(met >= 0, np.append(slopes, 0.0)[met], 0.0).sum(axis=1))

    def scoring(self, slopes: Numbers) -> tuple[Numbers, Any]:
        """Return what every interval adds and, at the end, a missing number; and the cut points."""
        return np.array([self.by_interval(own) for own in slopes]), self.cuts

    def add_each(self, table: Table, position: int, slopes: Numbers, out: Numbers) -> KnownMask | None:
        """Add what the interval of every number adds, if the column is sparse: that of 0 where nothing is stored."""
        values = gather_values(table.data[position])
        assert isinstance(values, SparseNumbers)
        codes, zero = interval_codes(values.values, self.cuts), interval_codes(np.zeros(1), self.cuts)[0]
        for own, line in zip(slopes, out, strict=True):
            added = self.by_interval(own)
            line += added[zero]
            line[values.rows] += added[codes] - added[zero]
        return has_number(values)

    def fill(self, table: Table, position: int, out: Numbers) -> None:
        """Put a 1 at every condition that is true."""
        met = self.active_positions()
        full = np.zeros((len(met), self.width))
        line, _ = np.nonzero(met >= 0)
        full[line, met[met >= 0]] = 1.0
        out[:] = full[self.codes(table, position)]

    def sparse(self, table: Table, position: int) -> Any:
        """Return the conditions that are true."""
        from scipy.sparse import csr_array

        out = np.zeros((table.n_rows, self.width))
        self.fill(table, position, out)
        return csr_array(out)
