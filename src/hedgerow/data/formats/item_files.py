"""Files of item sets that are written piece by piece: Arrow, Parquet or CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike, fspath
from typing import IO, Any

import pyarrow as pa

from hedgerow.data import files
from hedgerow.data.aside import aside
from hedgerow.data.formats.association_files import write_csv
from hedgerow.errors import UsageError

ENDINGS = (".arrow", ".feather", ".parquet", ".csv")


def check_path(path: str | PathLike[str]) -> None:
    """Raise unless the file's name tells a format that item sets are written in."""
    if files.suffix(path) not in ENDINGS:
        raise UsageError(f"item sets cannot be written to {fspath(path)!r}: name a file .arrow, .parquet or .csv")


@contextmanager
def set_writer(path: str | PathLike[str], schema: pa.Schema, names: Mapping[str, str]) -> Iterator[Any]:
    """Open a file for tables of item sets, such as `ItemSets.to_arrow` gives; it is there when all went well.

    `names` tells how items print, by their labels.
    """
    check_path(path)
    kind = files.suffix(path)
    with aside(path) as stream:
        if kind == ".parquet":
            from pyarrow import parquet

            with parquet.ParquetWriter(stream, schema) as writer:
                yield writer
        elif kind == ".csv":
            texts = _Texts(stream, names)
            yield texts
            if not texts.begun:
                texts.write_table(schema.empty_table())
        else:
            with pa.ipc.new_file(stream, schema) as writer:
                yield writer


class _Texts:
    """Writes tables to CSV, where a set stands as it prints: in braces, its items quoted where they need be."""

    def __init__(self, stream: IO[bytes], names: Mapping[str, str]) -> None:
        self.stream = stream
        self.names = names
        self.begun = False

    def write_table(self, table: pa.Table) -> None:
        names = self.names
        texts = ["{" + ", ".join([names[item] for item in items]) + "}" for items in table["items"].to_pylist()]
        write_csv(table, texts, {"items": None}, self.stream, header=not self.begun)
        self.begun = True
