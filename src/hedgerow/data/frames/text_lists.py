"""Texts given as lists, arrays or series of strings, as a text column."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.frames.objects import missing_mask
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Table, Text
from hedgerow.errors import DataError

NAME = "text"
PART = 2048  # texts of a list that are predicted at a time


def parse_texts(X: Any, *, expected: bool = False) -> Text | None:
    """Return a list of texts, an array or a series of them as a text column; None if `X` is something else.

    Bytes are taken as UTF-8, whatever they are; None and NaN are missing. If all are, they are texts only where texts
    are `expected`, as by a model that reads nothing else.
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
    values = list(X)
    if set(map(type, values)) == {str}:
        return Text(*_kernels.pack_texts(values))
    if any(isinstance(value, list | tuple | dict | set | np.ndarray) for value in values):
        return None
    held = np.empty(len(values), dtype=object)
    held[:] = values
    missing = missing_mask(held)
    if any(_is_number(value) for value in held[~missing]) or (missing.all() and values and not expected):
        return None
    for value in held[~missing]:
        if not isinstance(value, str | bytes):
            raise DataError(f"{value!r} is not a text; give strings, or None for a missing text")
    return Text(*_kernels.pack_texts([None if absent else one for one, absent in zip(values, missing, strict=True)]))


def text_parts(X: Any) -> list[Any]:
    """Return a long list of texts in parts, so that no copy of all of them is needed; anything else is one part."""
    if type(X) is not list or len(X) <= PART or not all(type(value) is str for value in X):
        return [X]
    return [X[start : start + PART] for start in range(0, len(X), PART)]


def text_table(text: Text, name: str = NAME) -> Table:
    """Return a table whose only column are the texts."""
    if not len(text):
        raise DataError("Found array with 0 sample(s): there are no texts")
    return Table(Schema((Column(name, Kind.TEXT),)), (text,), len(text))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | complex | np.number)
