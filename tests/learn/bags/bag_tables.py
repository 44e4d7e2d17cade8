"""Tables of bags that tests of several learners share."""

import numpy as np

from hedgerow.data.bags.bags import bags
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Bags, Table


def bag_table(values, classes, **beside):
    """Return bags of one numeric column x, given as lists, with their classes and columns outside the bags."""
    offsets = np.concatenate([[0], np.cumsum([len(bag) for bag in values])]).astype(np.int64)
    inner = Table.of({"x": [value for bag in values for value in bag]})
    column = Column("bag", Kind.BAG, inner=inner.schema)
    return Table.of({**beside, "c": classes}, "c").with_column(column, Bags(inner, offsets))


def mixed_bags(n=60, seed=3, empty=True):
    """Return bags of a number, a level and some missing values, which have to do with their three classes."""
    random = np.random.default_rng(seed)
    sizes = random.integers(0 if empty else 1, 6, n)
    codes = random.integers(0, 3, n)
    rows = np.repeat(codes, sizes)
    size = np.round(random.normal(5 * rows, 2), 1)
    size[random.random(len(rows)) < 0.1] = np.nan
    tint = np.where(random.random(len(rows)) < 0.6, rows, random.integers(-1, 3, len(rows))).astype(np.int32)
    inner = Schema((Column("size", Kind.NUMERIC), Column("tint", Kind.NOMINAL, ("pale", "deep blue", "grün"))))
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    held = Bags(Table(inner, (size, tint), len(rows)), offsets)
    table = Table.of({"age": random.integers(1, 9, n).astype(float), "c": [("a", "b", "c")[i] for i in codes]}, "c",
                     {"c": ("a", "b", "c")})  # fmt: skip
    return table.with_column(Column("things", Kind.BAG, inner=inner), held)


def single_bags(table):
    """Return a table of plain rows as bags of one row each."""
    ids = np.arange(table.n_rows, dtype=float)
    return bags(table.with_column(Column("row", Kind.NUMERIC), ids), by="row")


def repeated_instances(table, times=2):
    """Return the table with every instance of every bag repeated."""
    place = next(i for i, column in enumerate(table.schema.columns) if column.kind is Kind.BAG)
    held = table.values(place)
    rows = np.repeat(np.arange(len(held.table)), times)
    return table.with_column(table.schema.columns[place], Bags(held.table.take(rows), held.offsets * times))
