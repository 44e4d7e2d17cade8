"""Tables from Python objects: arrays, sparse matrices, and frames with the Arrow stream interface."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.plain_values import check_encodable, is_missing, to_array, to_numbers, value_type_error
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import Numbers, Table, Values
from hedgerow.errors import DataError


def table_from(X: Any, names: Sequence[str] | None = None, options: ReadOptions | None = None) -> Table:
    """Return an array, a frame or a sparse matrix as a table; a table is returned unchanged.

    `names` are for objects without column names. Frames go through `options`, by default without a target.
    """
    if isinstance(X, Table):
        return X
    if is_bunch(X):
        return _from_bunch(X, options)
    _refuse_unknown_types(X)
    if is_frame(X):
        from hedgerow.data.frames.arrow import table_from_arrow

        table = table_from_arrow(X, options or ReadOptions(target=""))
        _check_shape((table.n_rows, len(table.schema)))
        return table
    if hasattr(X, "tocsc"):
        from hedgerow.data.frames.arrow import table_from_sparse

        _check_shape(X.shape)
        return table_from_sparse(X, names or default_names(X.shape[1]))
    return _from_array(X, names)


def table_of_records(X: Any) -> Table | None:
    """Return a dict of columns, a dict of the values of one row, or a list of such as a table; None for all else."""
    if type(X) is dict:
        is_row = not any(hasattr(value, "__len__") for value in X.values() if not isinstance(value, str))
        columns = {name: [value] if is_row else list(value) for name, value in X.items()}
    elif isinstance(X, list) and X and all(type(row) is dict for row in X):
        columns = {name: [row.get(name) for row in X] for name in dict.fromkeys(name for row in X for name in row)}
    else:
        return None
    sizes = {len(values) for values in columns.values()}
    if len(sizes) > 1:
        raise DataError("the columns of the dict differ in length; give every column a value for each row")
    return Table.of({name: _plain_column(values) for name, values in columns.items()})


def _plain_column(values: list[Any]) -> list[Any]:
    """Return values of which either none is a word or all that are not missing are."""
    plain = [None if is_missing(value) else value for value in values]
    if not any(isinstance(value, str | bool) for value in plain):
        return plain
    return [None if value is None else str(value).lower() if isinstance(value, bool) else str(value) for value in plain]


def _refuse_unknown_types(X: Any) -> None:
    """Raise an error for objects that need a further step to become data, with this step."""
    if hasattr(X, "to_frame"):
        raise DataError(f"a {type(X).__name__} is a single column; pass a table of columns, as .to_frame() makes it")
    if hasattr(X, "collect") and not is_frame(X):
        raise DataError(f"a {type(X).__name__} has not been computed yet; pass what .collect() returns")
    if hasattr(X, "fetchnumpy") and not is_frame(X):
        raise DataError(f"a {type(X).__name__} is no table; pass the relation that its .sql(...) returns")
    if type(X) is dict:  # some sparse matrices are dicts too
        raise DataError("a dict is not a table; pass a data frame made from it, or Table.of(...)")


def is_bunch(X: Any) -> bool:
    """Return whether `X` is a data set of scikit-learn, as `load_iris` returns it."""
    return type(X).__name__ == "Bunch" and isinstance(X, dict) and "data" in X


def _from_bunch(bunch: Any, options: ReadOptions | None) -> Table:
    """Return a data set of scikit-learn as a table, whose last column is the target; classes have their names."""
    names = bunch.get("feature_names")
    is_default = names is None or isinstance(bunch.data, str) or is_frame(bunch.data)
    table = table_from(bunch.data, None if is_default else [str(name) for name in names])
    if bunch.get("target") is None:
        return table
    target = to_array(bunch.target, "target")
    if target.ndim != 1:
        raise DataError(f"the data set has {target.shape[1]} targets; pass its data, and one target, as a frame")
    labels = bunch.get("target_names")
    if target.dtype.kind in "iu" and labels is not None and len(labels) > int(target.max()):
        target = np.array([str(labels[code]) for code in target], dtype=object)
    name = "target"
    while name in table.schema:
        name += "_"
    column, values = _column(name, target)
    wanted = None if options is None else options.target
    return table.with_column(column, values).with_target(name if wanted is None else wanted or None)


def is_frame(X: Any) -> bool:
    """Return whether `X` is a foreign frame: pandas, polars, pyarrow, DuckDB and others that stream Arrow batches."""
    return hasattr(X, "__arrow_c_stream__") and not isinstance(X, Table)


def frame_names(frame: Any) -> list[str]:
    """Return the names of a frame's columns, if known before it is read."""
    names: Iterable[Any] = getattr(frame, "column_names", getattr(frame, "columns", ()))
    return [name for name in names if isinstance(name, str)]


def has_word_names(frame: Any) -> bool:
    """Return whether a frame's columns are named by words; those of pandas may be numbers, as good as no name."""
    labels = getattr(frame, "columns", ())
    return not any(isinstance(label, int | float) for label in labels)


def default_names(n: int) -> list[str]:
    """Return the names that scikit-learn gives to columns without one."""
    return [f"x{i}" for i in range(n)]


def _from_array(X: Any, names: Sequence[str] | None) -> Table:
    array = to_array(X, "X")
    if array.dtype.kind == "c" or (array.dtype == object and any(isinstance(v, complex) for v in array.flat)):
        raise DataError("Complex data not supported: the columns must hold real numbers or words")
    if array.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data either using "
            "array.reshape(-1, 1) if it has a single column or array.reshape(1, -1) if it is a single row."
        )
    _check_shape(array.shape)
    names = names or default_names(array.shape[1])
    entries = [_column(name, array[:, i]) for i, name in enumerate(names)]
    return Table(Schema(tuple(c for c, _ in entries)), tuple(v for _, v in entries), array.shape[0])


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
    for row, value in enumerate(values):
        if isinstance(value, dict | list | set | tuple | np.ndarray):
            raise value_type_error(value, row, f"column {name!r}")
    missing = missing_mask(values)
    if not missing.all() and all(isinstance(value, date) for value in values[~missing]):
        moments = np.full(len(values), np.datetime64("NaT", "us"))
        moments[~missing] = [np.datetime64(value) for value in values[~missing]]
        return _column(name, moments)
    if all(not isinstance(v, str | bytes) for v in values[~missing]):
        return Column(name, Kind.NUMERIC), finite(to_numbers(values, f"column {name!r}"), name)
    check_encodable(values, f"column {name!r}")
    words = [str(value) for value in values[~missing]]
    place = {level: code for code, level in enumerate(dict.fromkeys(words))}
    codes = np.full(len(values), -1, dtype=np.int32)
    codes[~missing] = [place[word] for word in words]
    return Column(name, Kind.NOMINAL, levels=tuple(place)), codes


def missing_mask(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where an array has no value: NaN, and among objects None and pandas' own."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=np.bool_)
    return np.array([is_missing(value) for value in values], dtype=np.bool_)


def finite(values: Numbers, name: str) -> Numbers:
    """Return the values if none is infinite (NaN, missing, is fine)."""
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise DataError(
            f"column {name!r} holds an infinite value in row {row} (infinity is not a number): remove the row or make "
            "the value missing"
        )
    return np.ascontiguousarray(values)
