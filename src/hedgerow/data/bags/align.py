"""Fitting new data to a learned schema, also flat rows to one of bags."""

from __future__ import annotations

from hedgerow.data.bags.bags import group_into_bags
from hedgerow.data.frames.match_schema import AlignedTable, match_schema
from hedgerow.data.table.data_faults import DataFaults
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Table


def align(table: Table, schema: Schema, faults: DataFaults | None = None) -> AlignedTable:
    """Return the table under `schema`: flat rows grouped into its bags, columns by name, levels by value.

    With `faults`, faults of the data that a model can do without are recorded there.
    """
    if table.schema is schema:
        return AlignedTable(table)
    if any(column.kind is Kind.BAG and column.name not in table.schema for column in schema.columns):
        table = group_into_bags(table, schema)
    return match_schema(table, schema, faults)
