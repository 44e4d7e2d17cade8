"""Texts as users hold them: lists of strings, arrays and series become a table with one text column."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.data.objects import missing_mask
from hedgerow.data.schema import Column, Kind, Schema
from hedgerow.data.table import Table, Text
from hedgerow.errors import DataError

NAME = "text"


def texts_in(X: Any) -> Text | None:
    """Return a list of texts, an array or a series of them as a text column; None if `X` is something else.

    Bytes are taken as UTF-8, whatever they are; None and NaN are missing.
    """
    if isinstance(X, Text):
        return X
    if isinstance(X, np.ndarray):
        if X.ndim != 1 or X.dtype.kind not in "OUST":
            return None
    elif hasattr(X, "to_pylist") and not hasattr(X, "column_names"):  # pyarrow's arrays
        X = X.to_pylist()
    elif not isinstance(X, list | tuple) and not hasattr(X, "to_frame"):
        return None
    values = np.empty(len(X), dtype=object)
    values[:] = list(X)
    missing = missing_mask(values)
    present = values[~missing]
    if any(isinstance(value, list | tuple | dict | set | np.ndarray) or _is_number(value) for value in present):
        return None
    return _packed([None if absent else value for value, absent in zip(values, missing, strict=True)])


def text_table(text: Text) -> Table:
    """Return a table whose only column are the texts."""
    if not len(text):
        raise DataError("Found array with 0 sample(s): there is no text to learn from")
    return Table(Schema((Column(NAME, Kind.TEXT),)), (text,), len(text))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | complex | np.number)


def _packed(values: list[Any]) -> Text:
    raw = [None if value is None else _bytes(value) for value in values]
    sizes = np.array([0, *(len(one or b"") for one in raw)], dtype=np.int64)
    data = np.frombuffer(b"".join(one or b"" for one in raw), dtype=np.uint8)
    return Text(data, np.cumsum(sizes), np.array([one is None for one in raw], dtype=np.bool_))


def _bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str):
        raise DataError(f"{value!r} is no text; give strings, or None where there is none")
    return value.encode("utf-8", "replace")
