"""Tables of item sets and rules in files: sets as texts in CSV, as lists of items in Arrow and Parquet files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import IO, Any

import pyarrow as pa

from hedgerow.data.table import Codes

BATCH = 1 << 16  # lines of CSV that are made at a time


def write_csv(
    table: Any, sets: Sequence[str], columns: Mapping[str, Codes | None], stream: IO[bytes], header: bool = True
) -> None:
    """Write a table as CSV; its first columns are sets, of which all or some, by position, stand there as texts."""
    from pyarrow import csv

    texts = pa.array(sets, pa.string())
    for start in range(0, max(len(table), 1), BATCH):
        part = table.slice(start, BATCH)
        for place, (name, rows) in enumerate(columns.items()):
            here = texts.slice(start, BATCH) if rows is None else texts.take(pa.array(rows[start : start + BATCH]))
            part = part.set_column(place, name, here)
        csv.write_csv(part, stream, csv.WriteOptions(include_header=header, quoting_header="none"))
        header = False


def write_arrow(table: Any, stream: IO[bytes]) -> None:
    """Write a table as an Arrow file."""
    with pa.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table)


def write_parquet(table: Any, stream: IO[bytes]) -> None:
    """Write a table as a Parquet file."""
    from pyarrow import parquet

    parquet.write_table(table, stream)
