"""The one door to files: which reader reads what, and `read`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module

from hedgerow.data import files
from hedgerow.data.schema import Kind
from hedgerow.data.source import ReadOptions, Source
from hedgerow.data.table import Table
from hedgerow.errors import DataWarning, UsageError

# Format: the extensions that mean it, and the source that reads it (imported when needed).
FORMATS: dict[str, tuple[tuple[str, ...], str]] = {
    "csv": ((".csv", ".tsv", ".tab", ".txt"), "hedgerow.data.csv:CsvSource"),
    "arff": ((".arff",), "hedgerow.data.arff:ArffSource"),
    "c45": ((".names", ".data", ".test"), "hedgerow.data.c45:c45_source"),
    "parquet": ((".parquet", ".pq"), "hedgerow.data.arrow_files:ParquetSource"),
    "feather": ((".feather", ".arrow", ".ipc"), "hedgerow.data.arrow_files:IpcSource"),
    "jsonl": ((".jsonl", ".ndjson"), "hedgerow.data.json_lines:JsonLinesSource"),
    "svmlight": ((".svm", ".svmlight", ".libsvm"), "hedgerow.data.svmlight:SvmlightSource"),
    "basket": ((".dat", ".basket"), "hedgerow.data.basket:BasketSource"),
}


def open_source(
    data: str | os.PathLike[str],
    options: ReadOptions | None = None,
    format: str | None = None,  # noqa: A002
) -> Source:
    """Return the source that reads a file; "-" is standard input.

    The format is told by the extension, a further .gz or .zst aside; what no format claims is taken as CSV.
    """
    module, name = _source_of(data, format).split(":")
    source: Source = getattr(import_module(module), name)(data, options or ReadOptions())
    return source


def _source_of(data: str | os.PathLike[str], wanted: str | None) -> str:
    if wanted is not None:
        key = "csv" if wanted in ("tsv", "txt") else wanted
        if key not in FORMATS:
            raise UsageError(f"there is no format {wanted!r}; the formats are {', '.join(FORMATS)}")
        return FORMATS[key][1]
    suffix = files.suffix(data)
    fitting = (source for suffixes, source in FORMATS.values() if suffix in suffixes)
    return next(fitting, FORMATS["csv"][1])


def read(
    data: str | os.PathLike[str],
    *,
    target: str | None = None,
    kinds: Mapping[str, str] | None = None,
    ignore: Sequence[str] = (),
    keep: Sequence[str] = (),
    missing: Sequence[str] = (),
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
    format: str | None = None,  # noqa: A002
) -> Table:
    """Read a file into a table; what people should know about the data comes as a `DataWarning`.

    Parameters
    ----------
    data
        The path of a file, or "-" for standard input.
    target
        The column to predict: the last one, or what the file says, unless named; "" for none.
    kinds
        Kinds that columns shall have: "numeric", "nominal" or "text", by name.
    ignore, keep
        Columns that learners shall leave out, and such that they shall use though they look like identifiers.
    missing
        Words that stand for a missing value, besides the usual ones.
    delimiter, header, encoding, decimal
        The layout of delimited text, as far as it shall not be sniffed.
    format
        The format, if the extension does not tell it.
    """
    options = ReadOptions(
        target=target,
        kinds={name: _kind(name, kind) for name, kind in (kinds or {}).items()},
        ignore=tuple(ignore),
        keep=tuple(keep),
        missing=tuple(missing),
        delimiter=delimiter,
        header=header,
        encoding=encoding,
        decimal=decimal,
    )
    source = open_source(data, options, format)
    table = source.read()
    for note in source.notes:
        warnings.warn(f"{source.name}: {note}", DataWarning, stacklevel=2)
    return table


def _kind(name: str, kind: str) -> Kind:
    if kind not in set(Kind):
        raise UsageError(f"column {name!r} cannot be {kind!r}; the kinds are {', '.join(Kind)}")
    return Kind(kind)
