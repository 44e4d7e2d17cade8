"""Tables as Arrow, for files and for other libraries."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Bags, Table, Text, Values

SCHEMA, WEIGHTS = b"hedgerow.schema", b"hedgerow.weights"  # metadata of Arrow tables that hedgerow made


def to_arrow(table: Table, weights: str | None = None) -> pa.Table:
    """Return the table as Arrow: nominal as dictionary, text as large strings, bags as lists of structs.

    `weights` names a column to add for the row weights, if there are any. What Arrow has no type for (text,
    unused levels, the target) stands in the metadata, so that a table read back is the same.
    """
    fields, arrays = _to_arrow_columns(table)
    if weights is not None and table.weights is not None:
        fields.append(pa.field(weights, pa.float64(), metadata={WEIGHTS: b"1"}))
        arrays.append(pa.array(table.weights))
    content = json.dumps(table.schema.to_dict()).encode()
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata={SCHEMA: content}))


def columns_table(columns: Mapping[str, Any]) -> pa.Table:
    """Return arrays by name as an Arrow table; those of objects contain strings."""
    return pa.table({name: pa.array(values, from_pandas=False) for name, values in columns.items()})


def plain_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return rows of plain values, at least one, as Arrow; a column's type is that of its values, NaN becomes null."""
    columns = {name: pa.array([None if row[name] != row[name] else row[name] for row in rows]) for name in rows[0]}
    empty = pa.array([None] * len(rows), pa.float64())
    return pa.table({name: empty if result.type == pa.null() else result for name, result in columns.items()})


def arrow_stream(table: Table, requested_schema: object = None) -> object:
    """Return the table as a PyCapsule of an Arrow stream: the body of `Table.__arrow_c_stream__`."""
    return to_arrow(table).__arrow_c_stream__(requested_schema)


def _to_arrow_columns(table: Table) -> tuple[list[pa.Field], list[pa.Array]]:
    fields, arrays = [], []
    for position, column in enumerate(table.schema.columns):
        values = _to_arrow_values(column, table.values(position))
        fields.append(pa.field(column.name, values.type))
        arrays.append(values)
    return fields, arrays


def _to_arrow_values(column: Column, values: Values) -> pa.Array:
    if isinstance(values, Text):
        return string_array(values)
    if isinstance(values, Bags):
        fields, arrays = _to_arrow_columns(values.table)
        inside = pa.StructArray.from_arrays(arrays, fields=fields)
        return pa.LargeListArray.from_arrays(pa.array(values.offsets), inside)
    assert isinstance(values, np.ndarray)
    if column.kind is Kind.NOMINAL:
        codes = pa.array(values, mask=values < 0)
        levels = pa.array(column.levels, pa.string())
        return pa.DictionaryArray.from_arrays(codes, levels, ordered=column.ordered)
    if column.date is not None:
        micros = np.where(np.isnan(values), 0, np.round(values * 1e6)).astype(np.int64)
        return pa.array(micros, mask=np.isnan(values)).cast(pa.timestamp("us"))
    return pa.array(values, mask=np.isnan(values))


def to_string_array(words: Sequence[str | None]) -> pa.Array:
    """Return words as an array of large strings."""
    return string_array(Text.of(words))


def plain_array(values: Any) -> pa.Array:
    """Return a NumPy array of numbers or truths as it is; `pa.array` would import pandas to ask what it is."""
    is_truth = values.dtype == np.bool_
    data = np.packbits(values, bitorder="little") if is_truth else np.ascontiguousarray(values)
    kind = pa.bool_() if is_truth else pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(data)])


def string_array(text: Text) -> pa.Array:
    """Return a text column as an array of large strings, sharing its bytes."""
    mask = plain_array(~text.missing).buffers()[1] if text.missing.any() else None
    offsets = pa.py_buffer(np.ascontiguousarray(text.offsets))
    data = pa.py_buffer(np.ascontiguousarray(text.data))
    return pa.Array.from_buffers(pa.large_string(), len(text), [mask, offsets, data])
