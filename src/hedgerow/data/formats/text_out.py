"""Tables as text: the quoting rules of CSV and ARFF, applied to whole columns at a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.data.table.dates import format_dates, nearest_iso_pattern
from hedgerow.data.table.delimited import MISSING
from hedgerow.data.table.schema import Column, Kind, Schema, first_repeated
from hedgerow.data.table.table import Bags, Codes, Numbers, Rows, SparseNumbers, Table, Text, Values, gather_values
from hedgerow.data.table.to_arrow import plain_array, string_array, to_string_array
from hedgerow.errors import DataError

Quote = Callable[[pa.Array], pa.Array]
_WORD = pa.large_string()
MARKS = ",\t;|"  # delimiters that a reader may think of; in a single column all of them are quoted
_MISSING = ("?", "na", "n/a", "nan", "null", "none")


def safe_cells(words: pa.Array) -> pa.Array:
    """Put an apostrophe before words that a spreadsheet would read as formulas; numbers are unchanged."""
    formula = pc.match_substring_regex(words, r"^[=+\-@\t\r\n]")
    number = pc.match_substring_regex(words, r"^[+\-]?(\d+\.?\d*|\.\d+)([eE][+\-]?\d+)?$")
    return pc.if_else(pc.and_not(formula, number), _frame_words(words, "'", ""), words)


def csv_header(schema: Schema, delimiter: str, quote_all: bool = False, safe: bool = False) -> bytes:
    """Return the line of column names; all of them in quotes if they would be taken for values."""
    for column in schema.columns:
        if column.kind is Kind.BAG:
            raise DataError(f"column {column.name!r} holds bags, which CSV cannot represent; write .arff or .parquet")
    twice = first_repeated([name.strip() for name in schema.names])
    if twice is not None:
        raise DataError(
            f"two columns are both called {twice!r} once surrounding spaces, which CSV loses, are removed; rename one "
            "of them"
        )
    words = safe_cells(to_string_array(schema.names)) if safe else to_string_array(schema.names)
    names = frame_csv(words) if quote_all else quote_csv(words, delimiter if len(words) > 1 else MARKS)
    return (delimiter.join(names.to_pylist()) + "\n").encode()


def csv_losses(table: Table) -> list[str]:
    """Return a sentence on everything in a table that CSV cannot represent, and that is read back differently."""
    out = []
    for name in table.schema.names:
        if name != name.strip():
            out.append(f"column {name!r} loses the spaces around its name: CSV cannot represent them")
        elif not name:
            out.append("a column without a name will have one when it is read back")
    for position, column in enumerate(table.schema.columns):
        if (word := _read_as_missing(column, table.values(position))) is not None:
            what = "empty strings" if not word else f"the word {word!r}"
            out.append(
                f"column {column.name!r}: {what} will be read back as missing; .arff and .parquet preserve the "
                "difference"
            )
    return out + date_losses(table)


def date_losses(table: Table) -> list[str]:
    """Return a sentence on every column whose moments are finer than milliseconds, which no text format represents."""
    return [
        f"column {column.name!r}: fractions of milliseconds are lost; .parquet and .feather preserve them"
        for position, column in enumerate(table.schema.columns)
        if column.date is not None and _is_finer(table.numbers(position))
    ]


def _is_finer(seconds: Numbers) -> bool:
    known = seconds[~np.isnan(seconds)]
    return bool(np.any(np.abs(known - np.round(known, 3)) > 1e-6))  # doubles of today hold a quarter of that


def _read_as_missing(column: Column, values: Values) -> str | None:
    """Return the first word of a column that means a missing value in CSV."""
    missing = set(MISSING)
    if column.kind is Kind.NOMINAL:
        assert isinstance(values, np.ndarray)
        return next(
            (column.levels[code] for code in np.unique(values[values >= 0]) if column.levels[code] in missing), None
        )
    if isinstance(values, Text):
        words = string_array(values)
        result = words.filter(pc.fill_null(pc.is_in(words, value_set=to_string_array(MISSING)), False))
        return str(result[0]) if len(result) else None
    return None


def csv_rows(table: Table, delimiter: str, safe: bool = False) -> bytes:
    """Return the rows as lines; a missing value is empty (or ? where an empty line would be skipped)."""
    missing, marks = ("", delimiter) if len(table.schema) > 1 else ("?", MARKS)

    def quote(words: pa.Array) -> pa.Array:
        return quote_csv(safe_cells(words) if safe else words, marks)

    columns = [
        _column_text(_set_iso_date_form(column), table.values(i), missing, quote)
        for i, column in enumerate(table.schema.columns)
    ]
    return _lines(_join_columns(columns, delimiter, table.n_rows))


def _set_iso_date_form(column: Column) -> Column:
    """Return a column of dates in a format that is recognized, since CSV does not store the format."""
    return column if column.date is None else replace(column, date=nearest_iso_pattern(column.date))


def quote_csv(words: pa.Array, delimiters: str) -> pa.Array:
    """Quote the words that CSV would read otherwise: with delimiters, quotes, line ends, or like missing."""
    special = pc.match_substring_regex(words, rf'["\r\n{re.escape(delimiters)}]|^\s|\s$|^$|^[#%]')
    odd = pc.or_(special, pc.is_in(pc.utf8_lower(words), value_set=to_string_array(_MISSING)))
    return pc.if_else(odd, frame_csv(words), words)


def frame_csv(words: pa.Array) -> pa.Array:
    """Return words in quotes."""
    return _frame_words(pc.replace_substring(words, '"', '""'), '"')


def arff_header(schema: Schema, relation: str = "hedgerow") -> bytes:
    """Return the declarations of all columns, up to and including @data."""
    lines = [f"@relation {relation}", "", *_declarations(schema), "", "@data", ""]
    return "\n".join(lines).encode()


def _declarations(schema: Schema) -> list[str]:
    lines: list[str] = []
    names = quote_arff(to_string_array(schema.names)).to_pylist()
    for name, column in zip(names, schema.columns, strict=True):
        if column.inner is not None:
            lines += [f"@attribute {name} relational", *_declarations(column.inner), f"@end {name}"]
        else:
            lines.append(f"@attribute {name} {_declare_column(column)}")
    return lines


def _declare_column(column: Column) -> str:
    if column.kind is Kind.NOMINAL:
        return "{" + ",".join(quote_arff(to_string_array(column.levels)).to_pylist()) + "}"
    if column.kind is Kind.TEXT:
        return "string"
    if column.date is not None:
        return f"date {quote_arff(to_string_array([column.date]), always=True)[0]}"
    return "numeric"


def arff_rows(table: Table) -> bytes:
    """Return the rows as lines, sparse ones if any column is stored sparsely; weights follow in braces."""
    return _lines(_arff_lines(table))


def _arff_lines(table: Table) -> pa.Array:
    sparse = any(isinstance(gather_values(values), SparseNumbers) for values in table.data)
    rows = _sparse_rows(table) if sparse else _dense_rows(table)
    if table.weights is None:
        return rows
    weights = pc.cast(plain_array(table.weights), _WORD)
    return pc.binary_join_element_wise(rows, _scalar(",{"), weights, _scalar("}"), _scalar(""))


def _dense_rows(table: Table) -> pa.Array:
    pairs = zip(table.schema.columns, table.data, strict=True)
    columns = [_arff_column(column, gather_values(values)) for column, values in pairs]
    return _join_columns(columns, ",", table.n_rows)


def _arff_column(column: Column, values: Values) -> pa.Array:
    if isinstance(values, Bags):
        inside = _arff_lines(values.table)
        lists = pa.LargeListArray.from_arrays(plain_array(values.offsets), inside)
        return quote_arff(pc.binary_join(lists, _scalar("\n")), always=True)
    if isinstance(values, SparseNumbers):
        values = values.dense()
    return _column_text(column, values, "?", quote_arff)


def _sparse_rows(table: Table) -> pa.Array:
    """Write only values other than zero and the first level, which absent entries mean in ARFF."""
    rows: list[Rows] = []
    entries: list[pa.Array] = []
    for position, (column, values) in enumerate(zip(table.schema.columns, table.data, strict=True)):
        where, chosen = _present(gather_values(values))
        rows.append(where)
        entries.append(pc.binary_join_element_wise(_scalar(str(position)), _arff_column(column, chosen), _scalar(" ")))
    row = np.concatenate(rows)
    order = np.argsort(row, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=table.n_rows))])
    sorted_entries = pa.chunked_array(entries, _WORD).take(plain_array(order)).combine_chunks()
    lists = pa.LargeListArray.from_arrays(plain_array(starts.astype(np.int64)), sorted_entries)
    return pc.binary_join_element_wise(_scalar("{"), pc.binary_join(lists, _scalar(",")), _scalar("}"), _scalar(""))


def _present(values: Values) -> tuple[Rows, Values]:
    if isinstance(values, SparseNumbers):
        return values.rows, values.values
    if isinstance(values, np.ndarray):
        where = np.flatnonzero(values)
        return where.astype(np.int64), values[where]
    return np.arange(len(values), dtype=np.int64), values


def quote_arff(words: pa.Array, always: bool = False) -> pa.Array:
    """Quote words that ARFF would read differently, with backslashes before quotes, percent signs and line ends."""
    odd = pc.match_substring_regex(words, r"[\x00-\x20,{}'\"%\\\x{1E}]|^$|^\?$|^@|^[\[\]]")
    out = words
    if always or pc.any(odd).as_py():
        for plain, written in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
            out = pc.replace_substring(out, plain, written)
        out = _frame_words(out, "'")
    return out if always else pc.if_else(odd, out, words)


def _column_text(column: Column, values: Values, missing: str, quote: Quote) -> pa.Array:
    """Return a column as words of the format, one a row."""
    if isinstance(values, Text):
        return pc.coalesce(quote(string_array(values)), _scalar(missing))
    assert isinstance(values, np.ndarray), column.name
    if column.kind is Kind.NOMINAL:
        return _nominal_text(column, values.astype(np.int32, copy=False), missing, quote)
    numbers = values.astype(np.float64, copy=False)
    if column.date is not None:
        dates = quote(to_string_array(format_dates(numbers, column.date)))
        return pc.if_else(plain_array(np.isnan(values)), _scalar(missing), dates)
    return _number_text(numbers, missing)


def _nominal_text(column: Column, codes: Codes, missing: str, quote: Quote) -> pa.Array:
    levels = quote(to_string_array(column.levels)).to_pylist()
    words = to_string_array([*levels, missing])
    return words.take(plain_array(np.where(codes < 0, len(levels), codes)))


def _number_text(values: Numbers, missing: str) -> pa.Array:
    """Return the shortest decimal that reads back as the same number; a whole one has no point."""
    words = pc.cast(plain_array(values), _WORD)
    absent = np.isnan(values)
    return pc.if_else(plain_array(absent), _scalar(missing), words) if absent.any() else words


def _join_columns(columns: list[pa.Array], separator: str, n_rows: int) -> pa.Array:
    if not columns:
        return to_string_array([""] * n_rows)
    return pc.binary_join_element_wise(*columns, _scalar(separator))


def _lines(rows: pa.Array) -> bytes:
    """Return the bytes of all rows, each followed by a line end."""
    if len(rows) == 0:
        return b""
    ended = pc.binary_join_element_wise(rows, _scalar("\n"), _scalar(""))
    _, offset_buffer, data = ended.buffers()
    offsets = np.frombuffer(offset_buffer, dtype=np.int64)[ended.offset : ended.offset + len(ended) + 1]
    return bytes(data.slice(int(offsets[0]), int(offsets[-1] - offsets[0])))


def _frame_words(words: pa.Array, before: str, behind: str | None = None) -> pa.Array:
    return pc.binary_join_element_wise(
        _scalar(before), words, _scalar(before if behind is None else behind), _scalar("")
    )


def _scalar(text: str) -> pa.Scalar:
    return to_string_array([text])[0]
