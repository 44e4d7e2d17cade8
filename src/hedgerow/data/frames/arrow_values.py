"""Arrow arrays as the arrays of a table, and the kinds that Arrow types become."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.data.table.dates import ISO, format_dates
from hedgerow.data.table.delimited import parse_numbers
from hedgerow.data.table.level_codes import date_numbers
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Bags, Codes, Numbers, Rows, Table, Text, Values
from hedgerow.errors import DataError
from hedgerow.layout.numbers import format_number

ITEM = "item"  # the name of the one column inside a bag that was a plain list


def natural_kind(kind: pa.DataType, name: str) -> Kind:
    """Return the default kind for an Arrow type."""
    types = pa.types
    if types.is_dictionary(kind):
        if natural_kind(kind.value_type, name) is Kind.BAG:
            raise DataError(
                f"column {name!r} has categories of the type {kind.value_type}; convert them to strings or numbers"
            )
        return Kind.NOMINAL
    if types.is_boolean(kind) or is_word(kind):
        return Kind.NOMINAL
    if types.is_null(kind) or types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return Kind.NUMERIC
    if types.is_temporal(kind) and not types.is_interval(kind):
        return Kind.NUMERIC
    if _is_list(kind):
        if not types.is_struct(kind.value_type):
            natural_kind(kind.value_type, name)
        return Kind.BAG
    raise DataError(f"column {name!r} has the type {kind}, which no kind of column can represent; drop or convert it")


def flatten_structs(table: pa.Table) -> pa.Table:
    """Return a table whose records are columns of their own: `city` of `address` is `address.city`."""
    while any(pa.types.is_struct(kind) for kind in table.schema.types):
        table = table.flatten()
    return table


def is_word(kind: pa.DataType) -> bool:
    """Whether values of this type are words."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view())


def is_word_or_dictionary(kind: pa.DataType) -> bool:
    """Whether values of this type are words, perhaps by a dictionary."""
    return is_word(kind.value_type if pa.types.is_dictionary(kind) else kind)


def _parse_dates(column: Column, values: pa.ChunkedArray | pa.Array, missing: tuple[str, ...]) -> Numbers:
    words = words_of(combine_chunks(values), None, missing).dictionary_encode()
    seconds = date_numbers(words.dictionary.to_pylist(), column)
    places = words.indices.fill_null(len(seconds)).to_numpy(zero_copy_only=False)
    out: Numbers = np.append(seconds, np.nan)[places]
    return out


def _is_list(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def encode_values(
    column: Column, values: pa.ChunkedArray | pa.Array, first_row: int = 1, missing: tuple[str, ...] = ()
) -> Values:
    """Return an Arrow column as the values of a column with known kind; `first_row` numbers its rows in messages."""
    if column.kind is Kind.NUMERIC:
        if column.date is not None and is_word_or_dictionary(values.type):
            return _parse_dates(column, values, missing)
        return numeric_values(column.name, values, first_row, missing)
    if column.kind is Kind.NOMINAL:
        return codes_of(column, values)
    if column.kind is Kind.TEXT:
        return text_of(words_of(combine_chunks(values), column.date, missing))
    assert column.inner is not None
    flat, offsets = flatten_lists(values)
    inside = [encode_values(c, v, 1, missing) for c, v in zip(column.inner.columns, inner_arrays(flat), strict=True)]
    return Bags(Table(column.inner, tuple(inside), len(flat)), offsets)


def chunks_of(values: pa.ChunkedArray | pa.Array) -> list[pa.Array]:
    """Return the chunks of a column."""
    if values.type == pa.string_view():  # whose nulls some functions of pyarrow treat as empty strings
        values = values.cast(pa.large_string())
    if pa.types.is_dictionary(values.type):
        values = plain_dictionary(values)
    return list(values.chunks) if isinstance(values, pa.ChunkedArray) else [values]


def plain_dictionary(values: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """Return a dictionary column with plain strings for its levels; pyarrow cannot cast string views, as of polars."""
    if values.type.value_type != pa.string_view():
        return values
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    kind = pa.dictionary(values.type.index_type, pa.large_string(), values.type.ordered)
    plain = [
        pa.DictionaryArray.from_arrays(c.indices, c.dictionary.cast(pa.large_string()), ordered=values.type.ordered)
        for c in chunks
    ]
    return pa.chunked_array(plain, type=kind)


def combine_chunks(values: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return one array; dictionaries are decoded first, since those of the chunks may differ."""
    if pa.types.is_dictionary(values.type):
        values = plain_dictionary(values)
        values = values.cast(values.type.value_type)
    if isinstance(values, pa.ChunkedArray):
        return values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()
    return values


def numeric_values(
    name: str,
    values: pa.ChunkedArray | pa.Array,
    first_row: int = 1,
    missing: tuple[str, ...] = (),
    *,
    finite: bool = True,
) -> Numbers:
    """Return a column as numbers, NaN for missing; an infinite one raises an error if requested."""
    whole = combine_chunks(values)
    if pa.types.is_null(whole.type):
        return np.full(len(whole), np.nan)
    if is_word(whole.type):
        numbers = _parse_numbers(name, words_of(whole, None, missing), first_row)
    elif pa.types.is_temporal(whole.type):
        numbers = _seconds(whole)
    else:
        numbers = whole.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    infinite = np.flatnonzero(np.isinf(numbers))
    if finite and len(infinite):
        raise DataError(
            f"column {name!r}, row {infinite[0] + first_row}: the value is infinite; replace it with a number or "
            "leave it empty"
        )
    return np.ascontiguousarray(numbers)


def _parse_numbers(name: str, words: pa.Array, first_row: int) -> Numbers:
    """Convert words to numbers on request; name the first three that are not numbers."""
    texts = words.fill_null("").to_pylist()
    numbers = parse_numbers(texts)
    stray = [row for row in np.flatnonzero(np.isnan(numbers)).tolist() if texts[row].strip()]
    if stray:
        text = ", ".join(f"{texts[row]!r} in row {row + first_row}" for row in stray[:3])
        raise DataError(
            f"column {name!r} was requested as numeric, but holds {text}; correct these values or read the column as "
            "nominal"
        )
    return numbers


def _seconds(whole: pa.Array) -> Numbers:
    kind = whole.type
    if pa.types.is_date32(kind):
        days = whole.cast(pa.int32()).to_numpy(zero_copy_only=False)
        return np.asarray(days.astype(np.float64) * 86400.0, dtype=np.float64)
    unit = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}["ms" if pa.types.is_date64(kind) else kind.unit]
    count = pa.int32() if pa.types.is_time32(kind) else pa.int64()
    counts = whole.cast(count).to_numpy(zero_copy_only=False).astype(np.float64)
    return np.asarray(counts / unit, dtype=np.float64)


def date_pattern(kind: pa.DataType, column: Column | None = None) -> str | None:
    """Return the form in which dates of this type are written; None if it contains no dates."""
    if pa.types.is_temporal(kind) and column is not None and column.date is not None:
        return column.date
    if pa.types.is_date(kind):
        return "yyyy-MM-dd"
    if pa.types.is_time(kind):
        return "HH:mm:ss" if kind.unit == "s" else "HH:mm:ss.SSS"
    return ISO if pa.types.is_timestamp(kind) else None


def has_fraction(values: pa.ChunkedArray | pa.Array) -> bool:
    """Whether some moment is not at a whole second."""
    if not pa.types.is_timestamp(values.type) or values.type.unit == "s":
        return False
    seconds = _seconds(combine_chunks(values))
    return bool(np.any(seconds[~np.isnan(seconds)] % 1))


def codes_of(column: Column, values: pa.ChunkedArray | pa.Array) -> Codes:
    """Return a column as codes into the levels; what is not a level is missing."""
    levels = pa.array(column.levels, pa.large_string())
    parts = [_chunk_codes(chunk, levels) for chunk in chunks_of(values)]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)


def _chunk_codes(chunk: pa.Array, levels: pa.Array) -> Codes:
    if pa.types.is_dictionary(chunk.type):
        of_entry = np.append(_positions(words_of(chunk.dictionary), levels), np.int32(-1))
        entries = chunk.indices.fill_null(len(of_entry) - 1) if chunk.null_count else chunk.indices
        return np.asarray(of_entry[entries.cast(pa.int64()).to_numpy()], dtype=np.int32)
    return _positions(words_of(chunk), levels)


def _positions(words: pa.Array, levels: pa.Array) -> Codes:
    result = pc.index_in(words, value_set=levels).fill_null(-1)
    return np.asarray(result.to_numpy(zero_copy_only=False), dtype=np.int32)


def words_of(values: pa.Array, date: str | None = None, missing: tuple[str, ...] = ()) -> pa.Array:
    """Return any scalar array as large strings; a whole number has no decimal point."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        return words_of(combine_chunks(values), date, missing)
    if pa.types.is_null(kind):
        return pa.nulls(len(values), pa.large_string())
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = values.cast(pa.float64(), safe=False).to_pylist()
        texts = [None if v is None or v != v else format_number(v) for v in numbers]
        return pa.array(texts, pa.large_string())
    if pa.types.is_temporal(kind):
        seconds = _seconds(values)
        texts = [text or None for text in format_dates(seconds, date or date_pattern(kind) or ISO)]
        return pa.array(texts, pa.large_string())
    words = values.cast(pa.large_string())
    if missing:
        absent = pc.is_in(words, value_set=pa.array(missing, pa.large_string()))
        words = pc.if_else(absent, pa.scalar(None, pa.large_string()), words)
    return words


def text_of(words: pa.Array) -> Text:
    """Return an array of large strings as a text column, sharing its bytes."""
    missing = np.asarray(words.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)
    if words.null_count:
        words = words.fill_null("")
    _, offset_buffer, data_buffer = words.buffers()
    offsets = np.zeros(1, dtype=np.int64)
    if len(words):
        offsets = np.frombuffer(offset_buffer, dtype=np.int64)[words.offset : words.offset + len(words) + 1]
    data = np.empty(0, dtype=np.uint8) if data_buffer is None else np.frombuffer(data_buffer, dtype=np.uint8)
    return Text(data[offsets[0] : offsets[-1]], offsets - offsets[0], missing)


def flatten_lists(values: pa.ChunkedArray | pa.Array) -> tuple[pa.Array, Rows]:
    """Return the rows of all bags one after another, and where each bag starts; no list is an empty bag."""
    whole = combine_chunks(values)
    sizes = pc.list_value_length(whole).fill_null(0).to_numpy(zero_copy_only=False)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    flat = whole.flatten()
    return flat, offsets


def inner_fields(kind: pa.DataType) -> list[pa.Field]:
    """Return the columns inside a bag of this list type."""
    inside = kind.value_type
    return list(inside) if pa.types.is_struct(inside) else [pa.field(ITEM, inside)]


def inner_arrays(flat: pa.Array) -> list[pa.Array]:
    """Return the values of the columns inside bags."""
    return list(flat.flatten()) if pa.types.is_struct(flat.type) else [flat]
