"""Columns of pandas and polars that Arrow cannot hold: intervals, periods, sparse values, and objects of any type."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from hedgerow.data.table.delimited import MISSING, parse_numbers
from hedgerow.data.table.number_forms import is_absent
from hedgerow.data.table.plain_values import check_encodable, is_missing, to_numbers
from hedgerow.errors import DataError


def plain_pandas(frame: Any) -> Any:
    """Return a pandas frame without its index, which would come along as a column, and with columns Arrow can hold."""
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise DataError(f"the column name {twice!r} occurs twice; give every column its own name")
    frame = frame.reset_index(drop=True)
    for name in frame.columns:
        plain = _plain_series(frame[name])
        if plain is not None:
            frame[name] = plain
    return frame


def _plain_series(values: Any) -> Any | None:
    """Return a column in a type that Arrow has; None if it is in one already."""
    kind = values.dtype
    if type(kind).__name__ == "SparseDtype":
        return values.sparse.to_dense()
    if type(kind).__name__ == "PeriodDtype":
        return values.dt.to_timestamp()
    if type(kind).__name__ == "IntervalDtype":
        return _in_order(values.astype("category"))
    if type(kind).__name__ == "CategoricalDtype" and type(kind.categories.dtype).__name__ in _ODD_CATEGORIES:
        return _in_order(values)
    return plain_objects(list(values), str(values.name)) if str(kind) == "object" else None


_ODD_CATEGORIES = ("IntervalDtype", "PeriodDtype")


def _in_order(values: Any) -> Any:
    """Return categories by their names, in their order."""
    return values.cat.rename_categories(list(map(str, values.cat.categories))).cat.as_ordered()


def plain_objects(values: Sequence[Any], name: str) -> Any | None:
    """Return objects as numbers or words; None if they are of one type, which Arrow may know.

    Numbers beside words are numbers if the words are numbers, too, or stand for missing values.
    """
    present = [value for value in values if not is_missing(value)]
    numbers = [value for value in present if _is_number(value)]
    kinds = {type(value) for value in present if not _is_number(value)}
    if not kinds:
        return to_numbers(values, f"column {name!r}") if numbers else None  # integers may be larger than Arrow's
    if len(kinds) == 1 and not numbers:
        return None
    if kinds == {str}:
        words = [str(value) for value in present if isinstance(value, str)]
        parsed = parse_numbers(words)
        absent = [word in MISSING or is_absent(word) for word in words]
        if bool((np.isfinite(parsed) | absent).all()):
            by_word = dict(zip(words, parsed.tolist(), strict=True))
            mixed = [np.nan if is_missing(v) else by_word[v] if isinstance(v, str) else v for v in values]
            return to_numbers(mixed, f"column {name!r}")
    check_encodable(values, f"column {name!r}")
    return np.array([None if is_missing(value) else str(value) for value in values], dtype=object)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def plain_polars(frame: Any) -> Any:
    """Return a polars frame whose columns of Python objects are numbers or words."""
    import polars as pl

    odd = [name for name, kind in frame.schema.items() if kind == pl.Object]
    plain = []
    for name in odd:
        values = frame[name].to_list()
        found = plain_objects(values, name)
        plain.append(pl.Series(name, values if found is None else found.tolist(), strict=False, nan_to_null=True))
    return frame.with_columns(plain)
