"""Files of item sets that are written piece by piece: Arrow, Parquet or CSV."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from typing import Any

import pyarrow as pa

from hedgerow.data import files
from hedgerow.data.aside import aside
from hedgerow.errors import UsageError

ENDINGS = (".arrow", ".feather", ".parquet", ".csv")


def check_path(path: str | PathLike[str]) -> None:
    """Raise unless the file's name tells a format that item sets are written in."""
    if files.suffix(path) not in ENDINGS:
        raise UsageError(f"item sets cannot be written to {fspath(path)!r}: name a file .arrow, .parquet or .csv")


@contextmanager
def set_writer(path: str | PathLike[str], schema: pa.Schema) -> Iterator[Any]:
    """Open a file for tables of item sets, such as `ItemSets.to_arrow` gives; it is there when all went well."""
    check_path(path)
    kind = files.suffix(path)
    with aside(path) as stream:
        if kind == ".parquet":
            from pyarrow import parquet

            with parquet.ParquetWriter(stream, schema) as writer:
                yield writer
        elif kind == ".csv":
            from pyarrow import csv

            with csv.CSVWriter(stream, _flat(schema.empty_table()).schema) as writer:
                yield _Flat(writer)
        else:
            with pa.ipc.new_file(stream, schema) as writer:
                yield writer


class _Flat:
    """Writes tables to CSV, where a set stands in braces."""

    def __init__(self, writer: Any) -> None:
        self.writer = writer

    def write_table(self, table: pa.Table) -> None:
        self.writer.write_table(_flat(table))


def _flat(table: pa.Table) -> pa.Table:
    texts = ["{" + ", ".join(items) + "}" for items in table["items"].to_pylist()]
    return table.set_column(0, "items", pa.array(texts, pa.string()))
