"""One door in: turns what users hold into a Table, and their classes into codes and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.schema import Column, Kind, Schema
from hedgerow.data.source import ReadOptions, Source
from hedgerow.data.table import Codes, Numbers, Table, Values
from hedgerow.errors import DataError

TARGET = "target"


@dataclass(frozen=True)
class Entered:
    """A table that came in, and whether its column names were the user's own."""

    table: Table
    names: NDArray[Any] | None


def is_path(data: Any) -> bool:
    """Tell whether `data` names a file."""
    return isinstance(data, str | Path)


def enter(X: Any, names: Sequence[str] | None = None) -> Entered:
    """Return `X` as a table without a target: an array, a frame, a sparse matrix, a table, a path."""
    if isinstance(X, Table):
        return Entered(X, np.array(X.schema.names, dtype=object))
    if isinstance(X, Source):
        return enter(X.read())
    if is_path(X):
        from hedgerow.data.read import read

        return enter(read(X))
    if hasattr(X, "__arrow_c_stream__") and hasattr(X, "columns"):
        from hedgerow.data.arrow import table_from_arrow

        table = table_from_arrow(X, ReadOptions(target=""))
        own = [name for name in X.columns if isinstance(name, str)]
        _check_shape((table.n_rows, len(table.schema)))
        return Entered(table, np.array(own, dtype=object) if len(own) == len(table.schema) else None)
    if hasattr(X, "tocsc"):
        from hedgerow.data.arrow import table_from_sparse

        _check_shape(X.shape)
        return Entered(table_from_sparse(X, names or default_names(X.shape[1])), None)
    return Entered(_from_array(X, names), None)


def default_names(n: int) -> list[str]:
    """Return the names that scikit-learn gives to columns without one."""
    return [f"x{i}" for i in range(n)]


def _from_array(X: Any, names: Sequence[str] | None) -> Table:
    array = np.asarray(X)
    if array.dtype.kind == "c" or (array.dtype == object and any(isinstance(v, complex) for v in array.flat)):
        raise DataError("Complex data not supported: the columns must hold real numbers or words")
    if array.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data either using "
            "array.reshape(-1, 1) if it has a single column or array.reshape(1, -1) if it is a single row."
        )
    _check_shape(array.shape)
    names = names or default_names(array.shape[1])
    made = [_column(name, array[:, i]) for i, name in enumerate(names)]
    return Table(Schema(tuple(c for c, _ in made)), tuple(v for _, v in made), array.shape[0])


def _check_shape(shape: tuple[int, ...]) -> None:
    if shape[0] == 0:
        raise DataError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
    if shape[1] == 0:
        raise DataError(f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.")


def _column(name: str, values: NDArray[Any]) -> tuple[Column, Values]:
    if values.dtype.kind in "biuf":
        return Column(name, Kind.NUMERIC), finite(values.astype(np.float64), name)
    if values.dtype.kind == "M":
        seconds = values.astype("datetime64[us]").astype(np.float64) / 1e6
        seconds[np.isnat(values)] = np.nan
        return Column(name, Kind.NUMERIC, date="yyyy-MM-dd'T'HH:mm:ss"), seconds
    strange = next((v for v in values if isinstance(v, dict | list | set | tuple)), None)
    if strange is not None:
        raise TypeError(f"column {name!r}: argument must be a string or a real number, not {type(strange).__name__}")
    missing = np.array([v is None or v != v for v in values])  # NaN differs from itself
    if all(not isinstance(v, str | bytes) for v in values[~missing]):
        numbers = np.full(len(values), np.nan)
        numbers[~missing] = values[~missing].astype(np.float64)
        return Column(name, Kind.NUMERIC), finite(numbers, name)
    levels, places = np.unique([str(v) for v in values[~missing]], return_inverse=True)
    codes = np.full(len(values), -1, dtype=np.int32)
    codes[~missing] = places
    return Column(name, Kind.NOMINAL, levels=tuple(levels.tolist())), codes


def finite(values: Numbers, name: str) -> Numbers:
    """Return the values if none is infinite (NaN, missing, is fine)."""
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise DataError(
            f"column {name!r} holds an infinite value in row {row} (infinity is no number): "
            "take the row out or make the value missing"
        )
    return np.ascontiguousarray(values)


def with_target(table: Table, column: Column, values: Values) -> Table:
    """Return the table with a target column, under a name that no other column has."""
    name = column.name
    while name in table.schema:
        name += "_"
    column = Column(name, column.kind, levels=column.levels)
    return table.with_column(column, values).with_target(name)


def class_target(y: Any, n_rows: int) -> tuple[NDArray[Any], Codes]:
    """Return the sorted different classes of `y`, and every row's code."""
    y = _flat(y, n_rows)
    if y.dtype.kind == "f":
        if not np.isfinite(y).all():
            raise DataError("Input y contains NaN or infinity; every row needs a class")
        if (y != np.floor(y)).any():
            raise DataError(
                "Unknown label type: continuous. The target holds fractions; use a regressor, or make it words"
            )
    if y.dtype == object and any(v is None or v != v for v in y):
        raise DataError("Input y contains NaN; every row needs a class")
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError:  # classes of different types cannot be sorted
        raise DataError("Unknown label type: the classes are a mixture of words and numbers") from None
    return classes, codes.astype(np.int32)


def number_target(y: Any, n_rows: int) -> Numbers:
    """Return `y` as numbers."""
    y = _flat(y, n_rows)
    try:
        numbers: Numbers = y.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError("the target holds words; a regressor needs numbers") from None
    if not np.isfinite(numbers).all():
        raise DataError("Input y contains NaN or infinity; every row needs a number")
    return numbers


def _flat(y: Any, n_rows: int) -> NDArray[Any]:
    y = np.asarray(y)
    if y.dtype.kind == "c":
        raise DataError("Complex data not supported: the target must hold real numbers or words")
    if y.ndim == 2 and y.shape[1] == 1:
        import warnings

        from sklearn.exceptions import DataConversionWarning

        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
            "(n_samples,), for example using ravel().",
            DataConversionWarning,
            stacklevel=4,
        )
        y = y.ravel()
    if y.ndim != 1:
        raise DataError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    same_length(y, n_rows, "y")
    return np.asarray(y)


def row_weights(weights: Any, n_rows: int) -> Numbers | None:
    """Return the row weights as an array, or None when there are none."""
    if weights is None:
        return None
    out = np.ascontiguousarray(np.asarray(weights), dtype=np.float64)
    if np.asarray(weights).ndim == 0:
        return np.full(n_rows, out.item())
    if out.ndim != 1:
        raise DataError(f"Sample weights must be 1D array or scalar, got an array of shape {out.shape}")
    same_length(out, n_rows, "sample_weight")
    return out


def same_length(values: Any, n_rows: int, what: str) -> None:
    """Raise if `values` has not one entry a row."""
    if len(values) != n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, {what} has {len(values)}"
        )
