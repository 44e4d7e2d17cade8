"""The entry point for files: the reader of each format, and `read`."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from importlib import import_module
from typing import Any, TypedDict, Unpack

from hedgerow.data.bags.source import BagSource
from hedgerow.data.table import file_signatures, files
from hedgerow.data.table.date_forms import ORDERS
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.source import ReadOptions, Source
from hedgerow.data.table.table import Table
from hedgerow.data.text.mail import check_parts
from hedgerow.errors import DataWarning, UsageError

# Format: the extensions that mean it, and the source that reads it (imported when needed).
FORMATS: dict[str, tuple[tuple[str, ...], str]] = {
    "csv": (files.CSV_SUFFIXES, "hedgerow.data.formats.csv:CsvSource"),
    "arff": ((".arff",), "hedgerow.data.formats.arff:ArffSource"),
    "c45": ((".names", ".data", ".test"), "hedgerow.data.formats.c45:c45_source"),
    "parquet": ((".parquet", ".pq"), "hedgerow.data.formats.arrow_files:ParquetSource"),
    "feather": ((".feather", ".arrow", ".ipc"), "hedgerow.data.formats.arrow_files:IpcSource"),
    "json": ((".json",), "hedgerow.data.formats.json_documents:JsonSource"),
    "excel": ((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "hedgerow.data.formats.sheets:SheetSource"),
    "sqlite": ((".sqlite", ".sqlite3", ".db"), "hedgerow.data.formats.sheets:SqliteSource"),
    "stata": ((".dta",), "hedgerow.data.formats.stat_files:StatSource"),
    "spss": ((".sav", ".zsav"), "hedgerow.data.formats.stat_files:SpssSource"),
    "sas": ((".sas7bdat",), "hedgerow.data.formats.stat_files:SasSource"),
    "xport": ((".xpt",), "hedgerow.data.formats.stat_files:XportSource"),
    "jsonl": ((".jsonl", ".ndjson"), "hedgerow.data.formats.json_lines:JsonLinesSource"),
    "svmlight": ((".svm", ".svmlight", ".libsvm"), "hedgerow.data.formats.svmlight:SvmlightSource"),
    "vw": ((".vw",), "hedgerow.data.formats.vw:VwSource"),
    "txt": ((".txt",), "hedgerow.data.formats.documents.text_lines:txt_source"),
    "lines": ((), "hedgerow.data.formats.documents.text_lines:LinesSource"),
    "mbox": ((".mbox", ".mbx"), "hedgerow.data.formats.documents.mbox:MboxSource"),
    "folder": ((), "hedgerow.data.formats.documents.folder_source:FolderSource"),
    "basket": ((".dat", ".basket"), "hedgerow.data.formats.basket:BasketSource"),
}


# Extensions of texts that are what they are called; others may be JSON or ARFF under another name.
_OTHER_TEXTS = {
    suffix for name, (suffixes, _) in FORMATS.items() if name not in ("csv", "json", "txt") for suffix in suffixes
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
        The decimal point is detected for each column.
    dates
        The order of day, month and year in dates such as 03/04/2024, if the data leave it open: "dmy", "mdy", "ymd".
    sheet, table
        The sheet of a workbook, by its name or number, and the table of an SQLite database.
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
    decimal: str | None
    dates: str | None
    sheet: str | int | None
    table: str | None
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
        return _table_from_object(data, how)
    source = open_source(data, **how)
    table = source.read()
    for note in source.notes:
        warnings.warn(f"{source.name}: {note}", DataWarning, stacklevel=2)
    return table


def to_data(data: Any, target: str | None = None) -> Table | Source:
    """Return data to learn from: a table or a source as it is, anything else as `read` reads it.

    `target` names the column to predict; by default it is that of the table, or the last column.
    """
    if target is not None and not isinstance(target, str):
        raise UsageError(
            f"the target is the name of a column, not {target!r}; give other settings by name, as in folds=5"
        )
    if isinstance(data, Table):
        return data if target is None else data.with_target(target)
    if isinstance(data, Source):
        return data if target is None else data.reopen(target=target)
    return read(data, target=target)


def to_table(data: Any, target: str | None = None) -> Table:
    """Return data as a table, as `to_data` does; a source is read."""
    found = to_data(data, target)
    return found.read() if isinstance(found, Source) else found


def open_source(data: str | os.PathLike[str], **how: Unpack[Reading]) -> Source:
    """Open a file to be read in batches, as often as needed; "-" is standard input. `Reading` lists the keywords."""
    return make_source(data, _options(how), how.get("format"))


def _show_keywords(function: Callable[..., Any]) -> None:
    """Show the keywords of `Reading` in the signature of a function, with their defaults."""
    own = inspect.signature(function)
    data = next(iter(own.parameters.values()))
    defaults = {each.name: each.default for each in fields(ReadOptions)}
    keywords = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None if (value := defaults.get(name)) is MISSING else value,
            annotation=getattr(annotation, "__forward_arg__", annotation),
        )
        for name, annotation in Reading.__annotations__.items()
    ]
    function.__signature__ = own.replace(parameters=[data, *keywords])  # type: ignore[attr-defined]


_show_keywords(read)
_show_keywords(open_source)


def make_source(data: str | os.PathLike[str], options: ReadOptions, format: str | None = None) -> Source:  # noqa: A002
    """Return the source that reads a file.

    The format is told by the first bytes of a file that is not a text, else by the extension, a further .gz, .zst, .bz2
    or .xz aside; what no format claims is taken as CSV.
    """
    if options.positive is not None and options.bag is None:
        raise UsageError(
            "positive= (--positive) names the class that a bag has if one of its rows has it; also name bag= (--bag)"
        )
    if options.schema is not None and (options.bag is not None or any(column.by for column in options.schema.columns)):
        return make_source(data, replace(options, schema=None), format).reopen(schema=options.schema)
    module, name = _detect_format(data, format).split(":")
    source: Source = getattr(import_module(module), name)(data, options)
    source = source if options.strip is None else _wrap_strip(source, options)
    return source if options.bag is None else _wrap_bags(source, options.bag, options.positive)


def _wrap_bags(source: Source, by: str, positive: str | None) -> Source:
    return BagSource(source, by, positive)


def _wrap_strip(source: Source, options: ReadOptions) -> Source:
    from hedgerow.data.text.strip_mail import StrippedSource

    assert options.strip is not None
    stripped_source = StrippedSource(source, options.strip)
    return stripped_source if options.schema is None else stripped_source.reopen(schema=options.schema)


def _detect_format(data: str | os.PathLike[str], wanted: str | None) -> str:
    if wanted is not None:
        key = "csv" if wanted == "tsv" else wanted
        if key not in FORMATS:
            raise UsageError(f"there is no format {wanted!r}; the formats are {', '.join(FORMATS)}")
        return FORMATS[key][1]
    if os.path.isdir(data):
        return FORMATS["folder"][1]
    if (known := file_signatures.detect_format(files.first_bytes(data))) is not None:
        return FORMATS[known][1]
    suffix = files.suffix(data)
    if (
        suffix not in _OTHER_TEXTS
        and (known := file_signatures.detect_text_format(files.first_bytes(data))) is not None
    ):
        return FORMATS[known][1]
    fitting = (source for suffixes, source in FORMATS.values() if suffix in suffixes)
    return next(fitting, FORMATS["csv"][1])


def _table_from_object(data: Any, how: Reading) -> Table:
    from hedgerow.data.bags.bags import bag_notes, bags
    from hedgerow.data.frames.infer import settle_table
    from hedgerow.data.frames.objects import is_frame, table_from
    from hedgerow.data.table.schema_notes import ignored_column_notes, sentence_column_notes
    from hedgerow.data.text.strip_mail import strip_table

    options = _options(how)
    table = table_from(data, options=options) if is_frame(data) else settle_table(table_from(data), options)
    table = strip_table(table, options.strip or ())
    parts = (*ignored_column_notes(table.schema), *sentence_column_notes(table.schema, options.kinds))
    if options.bag is not None:
        table = bags(table, options.bag, positive=options.positive)
        parts += bag_notes(table, options.bag)
    for note in parts:
        warnings.warn(note, DataWarning, stacklevel=3)
    return table


def _options(how: Reading) -> ReadOptions:
    unknown = set(how) - set(Reading.__annotations__)
    if unknown:
        raise TypeError(f"there is no keyword {unknown.pop()!r}; the keywords are {', '.join(Reading.__annotations__)}")
    parameters: dict[str, Any] = {key: value for key, value in how.items() if key != "format"}
    if parameters.get("dates") not in (None, *ORDERS):
        raise UsageError(
            f"dates={parameters['dates']!r} is not an order of day, month and year; use {', '.join(ORDERS)}"
        )
    parameters["kinds"] = {name: _kind(name, kind) for name, kind in parameters.get("kinds", {}).items()}
    for key in ("ignore", "keep", "missing"):
        parameters[key] = tuple(parameters.get(key, ()))
    if parameters.get("sheet") is not None:
        parameters["sheet"] = str(parameters["sheet"])
    if parameters.get("strip") is not None:
        parameters["strip"] = check_parts(parameters["strip"])
    return ReadOptions(**parameters)


def _kind(name: str, kind: str) -> Kind:
    if kind not in set(Kind):
        raise UsageError(f"column {name!r} cannot be {kind!r}; the kinds are {', '.join(Kind)}")
    return Kind(kind)
