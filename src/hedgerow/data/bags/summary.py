"""Summary: every bag of a table as one row of statistics of its instances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from hedgerow.data.bags.figures import BagStatistics, level_shares, modes
from hedgerow.data.bags.instances import bag_position, inner_names, make_names_unique
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Bags, Rows, StoredValues, Table, Text, Values

NUMBERS = ("mean", "min", "max", "mode", "median", "midrange", "range", "deviation", "sum", "count")
LEVELS = ("mode", "share", "count")
SIZE = "size"
TEXTS = "texts"
DATED = ("mean", "min", "max", "mode", "median", "midrange")  # statistics of dates that are dates themselves

Built = tuple[Column, Values]


@dataclass(frozen=True)
class Summary:
    """Which statistics of the instances replace a bag.

    Parameters
    ----------
    numbers
        Figures of a numeric column, such as `mean(length)`.
    levels
        Figures of a nominal column: `mode(color)`, and one column per level for `share(color = red)`.
    size
        Whether the number of instances is a column too.

    Texts of the instances are joined, one line each. Columns other than the bag are unchanged.
    """

    numbers: tuple[str, ...] = ("mean", "min", "max")
    levels: tuple[str, ...] = ("mode",)
    size: bool = False

    def schema(self, schema: Schema) -> Schema:
        """Return the columns that the summary has, under names that differ."""
        place = bag_position(schema)
        if place is None:
            return schema
        inner, called = schema.columns[place].inner, inner_names(schema, place)
        assert inner is not None
        columns = [] if not self.size else [Column(SIZE, Kind.NUMERIC)]
        for column in inner.columns:
            columns += self._columns(replace(column, name=called[column.name]))
        beside = [*schema.columns[:place], *schema.columns[place + 1 :]]
        apart = make_names_unique(
            (one.name for one in columns), (one.name for one in beside), f"{schema.columns[place].name}."
        )
        inside = [replace(one, name=apart[one.name]) for one in columns]
        return Schema((*beside[:place], *inside, *beside[place:]), schema.target)

    def table(self, table: Table, schema: Schema | None = None) -> Table:
        """Return the summary of a table of bags, under its schema if that is known already."""
        place = bag_position(table.schema)
        if place is None:
            return table if schema is None else table.with_schema(schema)
        bags = table.values(place)
        assert isinstance(bags, Bags)
        inside: list[StoredValues] = [np.diff(bags.offsets).astype(np.float64)] if self.size else []
        for position in range(len(bags.table.schema)):
            inside += self._values(bags.table, position, bags.offsets)
        beside = [*table.data[:place], *table.data[place + 1 :]]
        data = (*beside[:place], *inside, *beside[place:])
        return replace(table, schema=schema or self.schema(table.schema), data=data)

    def _columns(self, column: Column) -> Iterator[Column]:
        """Yield the columns of the statistics of one column."""
        name = column.name
        if column.kind is Kind.NUMERIC:
            for figure in self.numbers:
                yield Column(f"{figure}({name})", Kind.NUMERIC, date=column.date if figure in DATED else None)
        elif column.kind is Kind.TEXT:
            yield replace(column, name=f"{TEXTS}({name})")
        for figure in self.levels if column.kind is Kind.NOMINAL else ():
            if figure == "mode":
                yield replace(column, name=f"{figure}({name})")
            elif figure == "count":
                yield Column(f"{figure}({name})", Kind.NUMERIC)
            else:
                yield from (Column(f"{figure}({name} = {level})", Kind.NUMERIC) for level in column.levels)

    def _values(self, rows: Table, position: int, offsets: Rows) -> Iterator[Values]:
        """Yield the statistics of one column, in the order of `_columns`."""
        column = rows.schema.columns[position]
        if column.kind is Kind.NUMERIC:
            figures = BagStatistics(rows.numbers(position), offsets)
            yield from (getattr(figures, figure) for figure in self.numbers)
        elif column.kind is Kind.TEXT:
            yield join_bag_texts(rows.texts(position), offsets)
        else:
            codes = rows.codes(position)
            for figure in self.levels:
                if figure == "mode":
                    yield modes(codes, offsets, len(column.levels))
                elif figure == "count":
                    yield BagStatistics(np.where(codes < 0, np.nan, 0.0), offsets).count
                else:
                    yield from np.ascontiguousarray(level_shares(codes, offsets, len(column.levels)).T)


def join_bag_texts(texts: Text, offsets: Rows) -> Text:
    """Return the texts of each bag as one, a line each; missing if all are."""
    every = list(texts)
    parts = ([text for text in every[start:stop] if text is not None] for start, stop in pairwise(offsets.tolist()))
    return Text.of("\n".join(part) if part else None for part in parts)
