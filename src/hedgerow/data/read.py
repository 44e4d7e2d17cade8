"""The entry point for files: the reader of each format, and `read`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, TypedDict, Unpack

from hedgerow.data.bags.source import BagSource
from hedgerow.data.table import files
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.source import ReadOptions, Source
from hedgerow.data.table.table import Table
from hedgerow.data.text.mail import checked_parts
from hedgerow.errors import DataWarning, UsageError

# Format: the extensions that mean it, and the source that reads it (imported when needed).
FORMATS: dict[str, tuple[tuple[str, ...], str]] = {
    "csv": (files.CSV_SUFFIXES, "hedgerow.data.formats.csv:CsvSource"),
    "arff": ((".arff",), "hedgerow.data.formats.arff:ArffSource"),
    "c45": ((".names", ".data", ".test"), "hedgerow.data.formats.c45:c45_source"),
    "parquet": ((".parquet", ".pq"), "hedgerow.data.formats.arrow_files:ParquetSource"),
    "feather": ((".feather", ".arrow", ".ipc"), "hedgerow.data.formats.arrow_files:IpcSource"),
    "jsonl": ((".jsonl", ".ndjson"), "hedgerow.data.formats.json_lines:JsonLinesSource"),
    "svmlight": ((".svm", ".svmlight", ".libsvm"), "hedgerow.data.formats.svmlight:SvmlightSource"),
    "vw": ((".vw",), "hedgerow.data.formats.vw:VwSource"),
    "txt": ((".txt",), "hedgerow.data.formats.documents.text_lines:txt_source"),
    "lines": ((), "hedgerow.data.formats.documents.text_lines:LinesSource"),
    "mbox": ((".mbox", ".mbx"), "hedgerow.data.formats.documents.mbox:MboxSource"),
    "folder": ((), "hedgerow.data.formats.documents.folder_source:FolderSource"),
    "basket": ((".dat", ".basket"), "hedgerow.data.formats.basket:BasketSource"),
}


class Reading(TypedDict, total=False):
    """How to read data, as keywords of `read` and `open_source`.

    target
        The column to predict: the last one, or what the file says, unless named; "" for none.
    kinds
        Kinds that columns shall have: "numeric", "nominal" or "text", by name.
    ignore, keep
        Columns that learners shall leave out, and such that they shall use though they look like identifiers.
    missing
        Words that stand for a missing value, besides the usual ones.
    delimiter, header, encoding, decimal, quote
        The layout of delimited text, as far as it shall not be sniffed; quote="" makes quotes plain characters.
    strip
        Parts of mails to remove from text columns: "headers", "quotes", "signatures", or "all".
    schema
        A declared schema, such as a model's: kinds and levels are taken from it, and nothing is inferred.
    bag, positive
        The column by which rows are put into bags, one row a bag; and the class that a bag has if one of its rows does.
    format
        The format, if the extension does not tell it.
    """

    target: str | None
    kinds: Mapping[str, str]
    ignore: Sequence[str]
    keep: Sequence[str]
    missing: Sequence[str]
    delimiter: str | None
    header: bool | None
    encoding: str
    decimal: str
    quote: str | None
    strip: Sequence[str] | str | None
    schema: Schema | None
    bag: str | None
    positive: str | None
    format: str | None


def read(data: Any, **how: Unpack[Reading]) -> Table:
    """Read data into a table: a file by its path ("-" is standard input), or a frame, an array, a sparse matrix.

    Notes about the data, such as columns that look like identifiers and are not used in training, are emitted as a
    `DataWarning`. `Reading` lists the keywords.
    """
    if not isinstance(data, str | os.PathLike):
        return _from_object(data, how)
    source = open_source(data, **how)
    table = source.read()
    for note in source.notes:
        warnings.warn(f"{source.name}: {note}", DataWarning, stacklevel=2)
    return table


def open_source(data: str | os.PathLike[str], **how: Unpack[Reading]) -> Source:
    """Open a file to be read in batches, as often as needed; "-" is standard input. `Reading` lists the keywords."""
    return source_for(data, _options(how), how.get("format"))


def source_for(data: str | os.PathLike[str], options: ReadOptions, format: str | None = None) -> Source:  # noqa: A002
    """Return the source that reads a file.

    The format is told by the extension, a further .gz or .zst aside; what no format claims is taken as CSV.
    """
    if options.positive is not None and options.bag is None:
        raise UsageError(
            "positive= (--positive) names the class that a bag has if one of its rows has it; also name bag= (--bag)"
        )
    if options.schema is not None and (options.bag is not None or any(column.by for column in options.schema.columns)):
        return source_for(data, replace(options, schema=None), format).reopened(schema=options.schema)
    module, name = _source_of(data, format).split(":")
    source: Source = getattr(import_module(module), name)(data, options)
    source = source if options.strip is None else _stripped(source, options)
    return source if options.bag is None else _bagged(source, options.bag, options.positive)


def _bagged(source: Source, by: str, positive: str | None) -> Source:
    return BagSource(source, by, positive)


def _stripped(source: Source, options: ReadOptions) -> Source:
    from hedgerow.data.text.strip_mail import Stripped

    assert options.strip is not None
    made = Stripped(source, options.strip)
    return made if options.schema is None else made.reopened(schema=options.schema)


def _source_of(data: str | os.PathLike[str], wanted: str | None) -> str:
    if wanted is not None:
        key = "csv" if wanted == "tsv" else wanted
        if key not in FORMATS:
            raise UsageError(f"there is no format {wanted!r}; the formats are {', '.join(FORMATS)}")
        return FORMATS[key][1]
    if os.path.isdir(data):
        return FORMATS["folder"][1]
    suffix = files.suffix(data)
    fitting = (source for suffixes, source in FORMATS.values() if suffix in suffixes)
    return next(fitting, FORMATS["csv"][1])


def _from_object(data: Any, how: Reading) -> Table:
    from hedgerow.data.bags.bags import bag_notes, bags
    from hedgerow.data.frames.infer import settle
    from hedgerow.data.frames.objects import is_frame, table_from
    from hedgerow.data.table.schema_notes import notes, repeated
    from hedgerow.data.text.strip_mail import stripped_table

    options = _options(how)
    table = table_from(data, options=options) if is_frame(data) else settle(table_from(data), options)
    table = stripped_table(table, options.strip or ())
    told = (*notes(table.schema), *repeated(table.schema, options.kinds))
    if options.bag is not None:
        table = bags(table, options.bag, positive=options.positive)
        told += bag_notes(table, options.bag)
    for note in told:
        warnings.warn(note, DataWarning, stacklevel=3)
    return table


def _options(how: Reading) -> ReadOptions:
    unknown = set(how) - set(Reading.__annotations__)
    if unknown:
        raise TypeError(f"there is no keyword {unknown.pop()!r}; the keywords are {', '.join(Reading.__annotations__)}")
    given: dict[str, Any] = {key: value for key, value in how.items() if key != "format"}
    given["kinds"] = {name: _kind(name, kind) for name, kind in given.get("kinds", {}).items()}
    for key in ("ignore", "keep", "missing"):
        given[key] = tuple(given.get(key, ()))
    if given.get("strip") is not None:
        given["strip"] = checked_parts(given["strip"])
    return ReadOptions(**given)


def _kind(name: str, kind: str) -> Kind:
    if kind not in set(Kind):
        raise UsageError(f"column {name!r} cannot be {kind!r}; the kinds are {', '.join(Kind)}")
    return Kind(kind)
