"""The columns of the items of a text: given by a schema, or derived from the items themselves."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NoReturn

import numpy as np

from hedgerow.data.formats.basket import ITEMS, basket_schema
from hedgerow.data.items.column_to_items import ColumnToItems
from hedgerow.data.items.items import Items
from hedgerow.data.items.names import ItemName
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.errors import DataError, ModelError
from hedgerow.models.base.condition import nearest


class ItemColumnResolver:
    """Finds the columns that named items are of."""

    def __init__(self, schema: Schema, where: dict[ItemName, int]) -> None:
        self.schema, self.where = schema, where
        self.ways: dict[str, ColumnToItems] = {}
        self.bounds: dict[str, set[float]] = {}

    def items(self, absent: tuple[str, ...]) -> Items:
        """Return the items of the columns that are named, save those that are absent."""
        for name, line in self.where.items():
            self._record_name(name, line)
        positions = [i for i, name in enumerate(self.schema.names) if name in self.ways]
        schema = self.schema.select(positions).with_target(None)
        ways = tuple(self.ways[name] for name in schema.names)
        cuts = tuple(
            np.array(sorted(self.bounds[name])) if way is ColumnToItems.CUTS else None
            for name, way in zip(schema.names, ways, strict=True)
        )
        try:
            items = Items(schema, ways, cuts, absent)
        except DataError as problem:
            raise ModelError(str(problem)) from None
        known = set(items.names)
        for name, line in self.where.items():
            if str(name) not in known:
                self._fail_unknown(name, line, items)
        return items

    def _record_name(self, name: ItemName, line: int) -> None:
        column, way = self._resolve_named_item(name, line)
        if self.ways.setdefault(column.name, way) is not way:
            fail(line, f"column {column.name!r} is written in two ways; write all its items in the same way")
        if way is ColumnToItems.CUTS:
            ends = {end for end in (name.low, name.high) if end is not None}
            self.bounds.setdefault(column.name, set()).update(ends)

    def _resolve_named_item(self, name: ItemName, line: int) -> tuple[Column, ColumnToItems]:
        if name.is_bare:
            return self._resolve_bare_word(name.column, line)
        if name.column not in self.schema:
            fail(line, f"there is no column {name.column!r}; {nearest(name.column, self.schema.names)}")
        column = self.schema[name.column]
        way = ColumnToItems.CUTS if name.word is None else ColumnToItems.BAG if name.in_bag else ColumnToItems.LEVELS
        fitting = {ColumnToItems.CUTS: Kind.NUMERIC, ColumnToItems.BAG: Kind.BAG, ColumnToItems.LEVELS: Kind.NOMINAL}[
            way
        ]
        if column.kind is not fitting:
            fail(line, f"column {column.name!r} is {column.kind}, which does not match {name}")
        return column, way

    def _resolve_bare_word(self, word: str, line: int) -> tuple[Column, ColumnToItems]:
        """Return the column that a word names, or else the bag that it is in."""
        if word in self.schema and self.schema[word].kind is Kind.NUMERIC:
            return self.schema[word], ColumnToItems.PRESENCE
        if word in self.schema and self.schema[word].kind is Kind.NOMINAL:
            return self.schema[word], ColumnToItems.TRUE
        bags = [column for column in self.schema.columns if column.kind is Kind.BAG]
        if len(bags) != 1:
            fail(line, f"there is no column {word!r}; {nearest(word, self.schema.names)}")
        return bags[0], ColumnToItems.WORDS

    def _fail_unknown(self, name: ItemName, line: int, items: Items) -> NoReturn:
        if name.word is None and not name.is_bare:
            fail(line, f"{name} overlaps with another interval of column {name.column!r}")
        raise ModelError(f"line {line}: there is no item {name}; {nearest(str(name), items.names, 'items')}")


def schema_of_items(sides: Sequence[Sequence[ItemName]], where: dict[ItemName, int], absent: Sequence[str]) -> Schema:
    """Return the columns that the items of sets name; a text of bare words is about baskets.

    A word that is absent is no item of a basket: one that is an item all the same is the name of a column.
    """
    if all(name.is_bare and name.column not in absent for name in where):
        return basket_schema(_merge_orders([[name.column for name in side] for side in sides]))
    result: dict[str, Column] = {}
    words: dict[str, dict[str, None]] = {}
    in_bags: dict[str, list[list[str]]] = {}
    for name in where:
        if name.word is not None:
            words.setdefault(name.column, {})[name.word] = None
    for side in sides:
        for column in {name.column for name in side if name.in_bag}:
            listed = [name.word for name in side if name.in_bag and name.column == column and name.word is not None]
            in_bags.setdefault(column, []).append(listed)
    for name in where:
        if name.in_bag:
            inner = basket_schema(_merge_orders(in_bags[name.column]))[ITEMS].inner
            result.setdefault(name.column, Column(name.column, Kind.BAG, inner=inner))
        elif name.word is not None:
            result.setdefault(name.column, Column(name.column, Kind.NOMINAL, tuple(words[name.column])))
        else:
            result.setdefault(name.column, Column(name.column, Kind.NUMERIC))
    order = _merge_orders([list(dict.fromkeys(name.column for name in side)) for side in sides])
    return Schema(tuple(result[name] for name in order))


def _merge_orders(lists: Sequence[Sequence[str]]) -> list[str]:
    """Return the different words in an order that agrees with every list, if there is one; else as they first appear.

    So items get the order that they were printed in.
    """
    rank = {word: number for number, word in enumerate(dict.fromkeys(word for words in lists for word in words))}
    after: dict[str, set[str]] = {word: set() for word in rank}
    waits = dict.fromkeys(rank, 0)
    for words in lists:
        for one, other in pairwise(words):
            if other not in after[one]:
                after[one].add(other)
                waits[other] += 1
    ready = [(rank[word], word) for word, n in waits.items() if not n]
    heapify(ready)
    out: list[str] = []
    while ready:
        _, word = heappop(ready)
        out.append(word)
        for other in after[word]:
            waits[other] -= 1
            if not waits[other]:
                heappush(ready, (rank[other], other))
    return out if len(out) == len(rank) else list(rank)


def fail(line: int, problem: str) -> NoReturn:
    """Raise an error that names a line."""
    raise ModelError(problem).at_line(line)
