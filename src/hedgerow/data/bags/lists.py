"""Bags given as a list of arrays, each with one row per instance, as a column of bags."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.data.bags.bags import INSTANCES
from hedgerow.data.frames.objects import table_from
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Bags, Table
from hedgerow.errors import DataError


def parse_bags(X: Any, name: str = INSTANCES) -> Table | None:
    """Return a list of arrays, one a bag, as a table of bags; None if `X` is something else.

    All arrays have two dimensions and the same columns, called x0, x1, ...; None is a bag without instances. An array
    of three dimensions is a list of bags of the same size.

    >>> parse_bags([np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0]])])
    <Table: 2 rows, 1 columns>
    """
    if getattr(X, "ndim", 1) not in (1, 3) or not isinstance(X, list | tuple | np.ndarray):
        return None
    held = [bag for bag in X if bag is not None]
    if not held or not all(isinstance(bag, np.ndarray) and bag.ndim == 2 for bag in held):
        return None
    widths = sorted({bag.shape[1] for bag in held})
    if len(widths) > 1:
        raise DataError(
            f"the bags have between {widths[0]} and {widths[-1]} columns; give all of them the same columns"
        )
    sizes = [0 if bag is None else len(bag) for bag in X]
    if not any(sizes):
        raise DataError("Found array with 0 sample(s): no bag holds an instance")
    inner = table_from(np.concatenate(held))
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Table(Schema((Column(name, Kind.BAG, inner=inner.schema),)), (Bags(inner, offsets),), len(sizes))


def parse_bags_for_schema(schema: Schema, X: Any) -> Table | None:
    """Return a list of arrays as the only predictor of a schema, a column of bags; None if either does not apply."""
    predictors = [schema.columns[position] for position in schema.predictors]
    if len(predictors) != 1 or predictors[0].kind is not Kind.BAG or isinstance(X, Table):
        return None
    return parse_bags(X, predictors[0].name)
