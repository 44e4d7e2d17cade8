"""Products of positions and classes: the sufficient statistics of least squares on the membership of every class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hedgerow import _kernels
from hedgerow.data.design.blocks import LevelBlock, NumberBlock
from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import NumberCounts
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.data.table.threads import n_threads
from hedgerow.learn.linear.least_squares.products import Products, check_width, sparse_sums

MOST_BESIDE = 64  # classes up to which they are additional positions in the kernel


@dataclass(frozen=True, eq=False)
class ClassProducts:
    """Weighted sums of products of the positions z and 1, and of the positions and 1 in every class; they add with `+`.

    Numbers are centered and divided by their deviations first, as in `Products`.
    """

    design: Design
    sums: Numbers  # (places + 1, places + 1): the positions, 1
    by_class: Numbers  # (places + 1, classes)

    @classmethod
    def of(cls, design: Design, table: Table) -> ClassProducts:
        """Return the sums of a table, whose target is the class."""
        check_width(design.width)
        column = table.schema.target_column
        codes, k = table.codes(table.schema.index(column.name)), len(column.levels)
        if design.is_sparse(table):
            from scipy.sparse import csr_array

            n = table.n_rows
            members = csr_array((np.ones(n), (np.arange(n), codes)), shape=(n, k))
            return cls._cut(design, sparse_sums(design, table, members))
        arrays, tables, widths, centers, factors = design.kernel_columns(table)
        beside = k <= MOST_BESIDE
        if beside:
            arrays.append(codes)
            tables.append(np.append(np.arange(k), -1).astype(np.int32))
            widths.append(k)
            centers.append(0.0)
            factors.append(1.0)
        flat = _kernels.compute_gram(
            arrays, tables, widths, np.array(centers), np.array(factors), table.weights, table.n_rows, n_threads()
        )
        size = sum(widths) + 1
        sums = flat.reshape(size, size)
        return cls._cut(design, sums) if beside else cls(design, sums, _class_sums(design, table, codes, k))

    @classmethod
    def _cut(cls, design: Design, sums: Numbers) -> ClassProducts:
        """Return the products, given sums in which the classes are between the positions and 1."""
        own = np.append(np.arange(design.width), len(sums) - 1)
        return cls(design, sums[np.ix_(own, own)], sums[own, design.width : -1])

    def __add__(self, other: ClassProducts) -> ClassProducts:
        return ClassProducts(self.design, self.sums + other.sums, self.by_class + other.by_class)

    @property
    def weight(self) -> float:
        """The weight of all rows."""
        return float(self.sums[-1, -1])

    def of_class(self, code: int) -> Products:
        """Return the products with the membership of a class as target: 1 for its rows, 0 for others."""
        weight, own = self.weight, float(self.by_class[-1, code])
        share = own / weight
        squares = weight * share * (1 - share)
        target = NumberCounts(weight, 0.0, share, squares, 0.0 if own < weight else 1.0, 1.0 if own > 0 else 0.0)
        n = self.design.width
        out = np.zeros((n + 2, n + 2))
        kept = np.append(np.arange(n), n + 1)
        out[np.ix_(kept, kept)] = self.sums
        if target.deviation > 0:
            with_y = (self.by_class[:-1, code] - share * self.sums[-1, :-1]) / target.deviation
            out[n, :n] = out[:n, n] = with_y
            out[n, n] = weight
        return Products(self.design, target, out)


def _class_sums(design: Design, table: Table, codes: Codes, k: int) -> Numbers:
    """Return the sums of the positions and of 1 in every class, position by position."""
    out = np.empty((design.width + 1, k))
    start = 0
    for position, part in design.used_blocks:
        for place, values in enumerate(_lines(part, table, position)):
            weighed = values if table.weights is None else values * table.weights
            out[start + place] = np.bincount(codes, weighed, k)
        start += part.width
    out[-1] = np.bincount(codes, table.weights, k)
    return out


def _lines(part: object, table: Table, position: int) -> Iterator[Numbers]:
    """Yield the values of every position of a column, in the kernel's form."""
    if isinstance(part, NumberBlock):
        values = table.numbers(position)
        z = (values - part.mean) * (1 / part.scale if part.scale > 0 else 0.0)
        yield np.where(np.isnan(z), 0.0, z)
        if part.gaps:
            yield np.isnan(values).astype(np.float64)
        return
    assert isinstance(part, LevelBlock)
    own = part.table[table.codes(position)]
    for place in range(part.width):
        yield (own == place).astype(np.float64)
