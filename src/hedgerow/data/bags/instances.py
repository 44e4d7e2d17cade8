"""Instances: the rows of all bags of a table in one table, each with the other columns of its bag's row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Bags, Rows, StoredValues, Table
from hedgerow.errors import DataError


def bag_position(schema: Schema) -> int | None:
    """Return the position of the column of bags; None if there is none, so that every row is a bag."""
    places = [place for place in schema.predictors if schema.columns[place].kind is Kind.BAG]
    if len(places) > 1:
        first, second = (schema.columns[place].name for place in places[:2])
        raise DataError(f"{first!r} and {second!r} both hold bags; leave one out with --ignore (in Python, ignore=)")
    return places[0] if places else None


def inner_names(schema: Schema, place: int) -> dict[str, str]:
    """Return the name of each column of the instances: `bag.size` if the bag has a `size` too."""
    column = schema.columns[place]
    assert column.inner is not None
    others = [one.name for one in schema.columns if one.name != column.name]
    return make_names_unique(column.inner.names, others, f"{column.name}.")


def make_names_unique(names: Iterable[str], taken: Iterable[str], before: str) -> dict[str, str]:
    """Return a name for each of several, with `before` in front of it, as often as it takes, where it is taken.

    >>> make_names_unique(["size", "age"], ["age", "class"], "bag.")
    {'size': 'size', 'age': 'bag.age'}
    """
    used, result = set(taken), {}
    wanted = list(names)
    for name in wanted:
        other = name
        while other in used or (other != name and other in wanted):
            other = f"{before}{other}"
        used.add(other)
        result[name] = other
    return result


def instance_schema(schema: Schema) -> Schema:
    """Return the columns of instances: those of the rows inside the bags in place of the column that contains them."""
    place = bag_position(schema)
    if place is None:
        return schema
    inner, names = schema.columns[place].inner, inner_names(schema, place)
    assert inner is not None
    inside = [replace(column, name=names[column.name]) for column in inner.columns]
    columns: list[Column] = [*schema.columns[:place], *inside, *schema.columns[place + 1 :]]
    return Schema(tuple(columns), schema.target)


@dataclass(frozen=True, eq=False)
class Instances:
    """All instances of a table of bags: those of bag i are rows offsets[i] to offsets[i + 1]; weights are left out."""

    table: Table
    offsets: Rows

    @classmethod
    def of(cls, table: Table, schema: Schema | None = None) -> Instances:
        """Return the instances of a table, under their schema if it is known already."""
        place = bag_position(table.schema)
        if place is None:
            own = table.with_weights(None)
            return cls(own if schema is None else own.with_schema(schema), np.arange(table.n_rows + 1, dtype=np.int64))
        bags = table.values(place)
        assert isinstance(bags, Bags)
        bag = np.repeat(np.arange(len(bags), dtype=np.int64), np.diff(bags.offsets))
        beside = table.with_weights(None).select(n for i, n in enumerate(table.schema.names) if i != place).take(bag)
        data: list[StoredValues] = [*beside.data[:place], *bags.table.data, *beside.data[place:]]
        return cls(Table(schema or instance_schema(table.schema), tuple(data), len(bag)), bags.offsets)

    @property
    def sizes(self) -> Rows:
        """The number of instances of every bag."""
        return np.diff(self.offsets)
