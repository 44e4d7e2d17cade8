"""Tables of item sets and rules in files: sets as texts in CSV, as lists of items in Arrow and Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from hedgerow.data.table.atomic_write import open_atomic
from hedgerow.errors import UsageError

ENDINGS = (".csv", ".arrow", ".feather", ".parquet")
BATCH = 1 << 16  # lines of CSV that are written at a time


def check_ending(path: str | PathLike[str], also: Sequence[str] = ()) -> str:
    """Return the ending of a file's name, which must be that of a format for sets and rules."""
    ending = Path(path).suffix.lower()
    if ending not in (*also, *ENDINGS):
        known = ", ".join((*also, *ENDINGS))
        raise UsageError(f"{fspath(path)} cannot be written: the name must end in one of {known}")
    return ending


@contextmanager
def set_writer(path: str | PathLike[str], schema: pa.Schema, names: Sequence[str]) -> Iterator[Any]:
    """Open a file for tables of sets or rules, such as `to_arrow` of models gives; it is there when all went well.

    Each table has its sets in columns of lists. In CSV, where items stand as they print, their `names` tell.
    """
    ending = check_ending(path)
    with open_atomic(path) as stream:
        if ending == ".csv":
            yield _CsvWriter(stream, schema, names)
        elif ending == ".parquet":
            from pyarrow import parquet

            with parquet.ParquetWriter(stream, schema) as writer:
                yield writer
        else:
            with pa.ipc.new_file(stream, schema) as writer:
                yield writer


class _CsvWriter:
    """Writes tables to CSV, with sets in braces."""

    def __init__(self, stream: IO[bytes], schema: pa.Schema, names: Sequence[str]) -> None:
        self.stream, self.names = stream, pa.array(names, pa.string())
        stream.write((",".join(schema.names) + "\n").encode())

    def write_table(self, table: pa.Table) -> None:
        from pyarrow import csv

        for start in range(0, len(table), BATCH):
            csv.write_csv(self._flat(table.slice(start, BATCH)), self.stream, csv.WriteOptions(include_header=False))

    def _flat(self, table: pa.Table) -> pa.Table:
        for place, field in enumerate(table.schema):
            if pa.types.is_large_list(field.type):
                texts = [self._texts(lists) for lists in table.column(place).chunks]
                table = table.set_column(place, field.name, pa.chunked_array(texts, pa.string()))
        return table

    def _texts(self, lists: pa.LargeListArray) -> pa.Array:
        """Return sets as they print."""
        from pyarrow import compute

        words = self.names.take(lists.flatten().indices)
        starts = compute.subtract(lists.offsets, lists.offsets[0])
        joined = compute.binary_join(pa.LargeListArray.from_arrays(starts, words), ", ")
        return compute.binary_join_element_wise("{", joined, "}", "")
