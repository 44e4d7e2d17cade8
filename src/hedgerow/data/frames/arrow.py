"""The one door for foreign frames: anything with the Arrow stream interface, and scipy's sparse matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.data.frames.arrow_infer import ColumnScan, check_fields, find_all, schema_from_metadata
from hedgerow.data.frames.arrow_values import encode_values, flatten_structs, is_word_or_dictionary
from hedgerow.data.frames.infer import settle_table
from hedgerow.data.frames.match_schema import match_schema
from hedgerow.data.frames.odd_columns import plain_pandas, plain_polars
from hedgerow.data.table.data_faults import DataFaults
from hedgerow.data.table.plain_values import check_encodable, check_name
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import Numbers, SparseNumbers, Table, Values
from hedgerow.data.table.to_arrow import WEIGHTS, arrow_stream, columns_table, plain_table, to_arrow
from hedgerow.errors import DataError

__all__ = [
    "arrow_stream",
    "columns_table",
    "convert_to_schema",
    "encode",
    "plain_table",
    "table_from_arrow",
    "table_from_sparse",
    "to_arrow",
]


def table_from_arrow(frame: Any, options: ReadOptions | None = None) -> Table:
    """Return the rows of any object with `__arrow_c_stream__` as a table.

    Numbers become numeric columns, words and yes/no nominal ones (or text, by the rule that holds for CSV),
    categories keep their order, dates become seconds since 1970, lists become bags.
    """
    options = options or ReadOptions()
    taken = flatten_structs(_import_frame(frame))
    if options.schema is not None:
        return convert_to_schema(taken, options.schema, missing=options.missing)[0]
    finds = find_all(taken.schema, options)
    for find, values in zip(finds, taken.columns, strict=True):
        find.add(values)
    columns, target = [find.column() for find in finds], schema_from_metadata(taken.schema).target
    return settle_table(encode(taken, columns, target, missing=options.missing), options)


def _import_frame(frame: Any) -> pa.Table:
    if isinstance(frame, pa.Table):
        return frame
    if not hasattr(frame, "__arrow_c_stream__"):
        raise DataError(
            f"a {type(frame).__name__} cannot be read as a table; pass a data frame of pandas, polars, "
            f"pyarrow or DuckDB, an array, or a path"
        )
    if hasattr(frame, "reset_index"):
        frame = plain_pandas(frame)
    elif type(frame).__module__.startswith("polars") and hasattr(frame, "with_columns"):
        frame = plain_polars(frame)
    try:
        return pa.RecordBatchReader.from_stream(frame).read_all()
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as problem:
        _check_encodable(frame)
        raise DataError(
            f"the {type(frame).__name__} is not a table of columns ({problem}); pass a data frame"
        ) from None


def _check_encodable(frame: Any) -> None:
    """Raise an error if a pandas frame contains a word that cannot be written as UTF-8."""
    for name in getattr(frame, "columns", ()):
        check_name(name)
        check_encodable(list(frame[name]), f"column {name!r}")


def relation_column(relation: Any, name: str) -> NDArray[Any]:
    """Return a column of a relation of DuckDB with the user's values."""
    column = pa.RecordBatchReader.from_stream(relation).read_all().column(name)
    return np.asarray((column.cast(pa.float64()) if pa.types.is_decimal(column.type) else column).to_numpy())


def convert_to_schema(
    taken: pa.Table,
    schema: Schema,
    first_row: int = 1,
    missing: tuple[str, ...] = (),
    faults: DataFaults | None = None,
) -> tuple[Table, tuple[str, ...]]:
    """Return the rows under a declared schema, and notes of what had to be skipped."""
    if faults is not None:
        taken = taken.rename_columns(list(faults.rename(taken.schema.names, schema)))
    present = set(taken.schema.names)
    names = [name for name in schema.names if name in present and (faults is None or faults.reads(name))]
    chosen = taken.select(names)
    columns = []
    texts = {column.name: column for column in schema_from_metadata(taken.schema).columns if column.kind is Kind.TEXT}
    for position, each in enumerate(check_fields(chosen.schema)):
        if schema[each.name].date is not None and is_word_or_dictionary(each.type):
            columns.append(Column(each.name, Kind.NUMERIC, date=schema[each.name].date))
            continue
        kinds = {each.name: schema[each.name].kind}
        if faults is not None and is_word_or_dictionary(each.type) and schema[each.name].kind is Kind.NUMERIC:
            kinds = {each.name: Kind.NOMINAL}  # its words are counted
        find = ColumnScan(each, kinds, missing, texts.get(each.name))
        find.add(chosen.column(position))
        columns.append(find.column())
    table = encode(chosen, columns, first_row=first_row, missing=missing)
    aligned = match_schema(table, schema, faults, first_row)
    extra = tuple(name for name in taken.schema.names if name not in schema)
    return aligned.table, replace(aligned, extra=extra).notes


def encode(
    taken: pa.Table,
    columns: Sequence[Column],
    target: str | None = None,
    first_row: int = 1,
    missing: tuple[str, ...] = (),
) -> Table:
    """Return Arrow rows with known columns; `first_row` is the number of the first row, for messages."""
    weights: Numbers | None = None
    kept: list[Column] = []
    data: list[Values] = []
    for column, values, arrow in zip(columns, taken.columns, taken.schema, strict=True):
        found = encode_values(column, values, first_row, missing)
        if WEIGHTS in (arrow.metadata or {}) and isinstance(found, np.ndarray):
            weights = found.astype(np.float64, copy=False)
        else:
            kept.append(column)
            data.append(found)
    target = target if any(column.name == target for column in kept) else None
    return Table(Schema(tuple(kept), target), tuple(data), taken.num_rows, weights)


def table_from_sparse(matrix: Any, names: Sequence[str] | None = None) -> Table:
    """Return a scipy sparse matrix as a table of sparse numeric columns, called x0, x1, ... unless named."""
    from scipy import sparse

    columns = sparse.csc_array(matrix, dtype=np.float64, copy=True)
    columns.sum_duplicates()
    columns.eliminate_zeros()
    n_rows, n_columns = columns.shape
    names = [f"x{i}" for i in range(n_columns)] if names is None else list(names)
    if len(names) != n_columns:
        raise DataError(f"{len(names)} names are given for {n_columns} columns")
    starts = columns.indptr
    rows, values = columns.indices.astype(np.int64), columns.data
    if np.isinf(values).any():
        where = int(np.flatnonzero(np.isinf(values))[0])
        name = names[int(np.searchsorted(starts, where, side="right")) - 1]
        raise DataError(f"column {name!r}, row {rows[where] + 1}: the value is infinite; replace it with a number")
    data = tuple(
        SparseNumbers(rows[a:b], values[a:b], n_rows)
        for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    )
    return Table(Schema(tuple(Column(name, Kind.NUMERIC) for name in names)), data, n_rows)
