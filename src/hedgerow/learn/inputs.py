"""Conversion of user input to a Table, and of classes to codes and back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.bags.lists import parse_bags
from hedgerow.data.frames.objects import frame_names, has_word_names, is_frame, missing_mask, table_from
from hedgerow.data.frames.text_lists import parse_texts, text_table
from hedgerow.data.read import make_source
from hedgerow.data.table.plain_values import check_encodable, to_array, to_numbers
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import ReadOptions, Source
from hedgerow.data.table.table import Codes, Numbers, Table, Values
from hedgerow.errors import DataError, UsageError

TARGET = "target"


@dataclass(frozen=True)
class InputTable:
    """An input table, and whether its column names were the user's own."""

    table: Table
    names: NDArray[Any] | None


def is_path(data: Any) -> bool:
    """Return whether `data` names a file."""
    return isinstance(data, str | os.PathLike)


def to_input_table(
    X: Any,
    names: Sequence[str] | None = None,
    known: Schema | None = None,
    *,
    texts: bool = False,
    bags: bool = False,
) -> InputTable:
    """Return `X` as a table: an array, a frame, a sparse matrix, a table, a source, a path.

    `names` are for arrays; the columns of a frame get the kinds that they have in `known`. With `texts`, a list, an
    array or a series of strings is a table with one text column; with `bags`, a list of arrays one with a column of
    bags.
    """
    if bags and (table := parse_bags(X)) is not None:
        return InputTable(table, None)
    if texts and (text := parse_texts(X)) is not None:
        return InputTable(text_table(text, *(names or ())[:1]), None)
    if not texts and _are_texts(X):
        from hedgerow.learn.registry import learners_using

        users = ", ".join(learner.__name__ for learner in learners_using(Kind.TEXT))
        raise DataError(
            f"a list of texts is for learners that use texts ({users}); for other learners, convert texts to columns "
            "with TextTerms first, or give a table"
        )
    if isinstance(X, Source):
        X = X.read()
    elif is_path(X):
        X = make_source(X, ReadOptions()).read()
    options = None
    if known is not None and is_frame(X):
        kinds = {name: known[name].kind for name in frame_names(X) if name in known and known[name].date is None}
        options = ReadOptions(target="", kinds=kinds)
    table = table_from(X, names, options)
    is_named = isinstance(X, Table) or (is_frame(X) and has_word_names(X))
    return InputTable(table, np.array(table.schema.names, dtype=object) if is_named else None)


def _are_texts(X: Any) -> bool:
    """Return whether `X` is a list, an array or a series of nothing but strings."""
    if not (isinstance(X, list | tuple) or (hasattr(X, "ndim") and X.ndim == 1 and hasattr(X, "dtype"))):
        return False
    return len(X) > 0 and all(isinstance(value, str) for value in X)


def frame_column(frame: Any, name: str) -> NDArray[Any]:
    """Return one column of a frame with the user's values rather than our levels."""
    known = frame_names(frame)
    if name not in known:
        Schema(tuple(Column(other, Kind.TEXT) for other in known)).index(name)
    if hasattr(frame, "fetchnumpy"):  # a relation of DuckDB, whose columns are relations
        from hedgerow.data.frames.arrow import relation_column

        return relation_column(frame, name)
    return np.asarray(frame[name])


def with_target(table: Table, column: Column, values: Values) -> Table:
    """Return the table with a target column, under a name that no other column has."""
    name = column.name
    while name in table.schema:
        name += "_"
    column = Column(name, column.kind, levels=column.levels)
    return table.with_column(column, values).with_target(name)


def class_target(y: Any, n_rows: int, may_lack: bool = False) -> tuple[NDArray[Any], Codes]:
    """Return the sorted different classes of `y`, and every row's code, -1 where it is missing if allowed."""
    y = flat(y)
    check_length(y, n_rows, "y")
    missing = missing_mask(y)
    if missing.any() and not may_lack:
        raise DataError("Input y contains NaN; every row needs a class")
    present = y[~missing]
    if y.dtype.kind in "OU":
        check_encodable(y, "the target")
    if present.dtype.kind == "f" and (present != np.floor(present)).any():
        raise DataError(
            "Unknown label type: continuous. The target holds fractions; use a regressor, or convert it to strings"
        )
    if present.dtype.kind == "f" and not np.isfinite(present).all():
        raise DataError("Input y contains infinity; every row needs a class")
    try:
        classes, places = np.unique(present, return_inverse=True)
    except (TypeError, ValueError):  # classes of different types cannot be sorted, nor can lists
        raise DataError("Unknown label type: the classes are neither all strings nor all numbers") from None
    codes = np.full(len(y), -1, dtype=np.int32)
    codes[~missing] = places
    return classes, codes


def sort_classes(classes: Any) -> NDArray[Any]:
    """Return the sorted different classes that a caller names in advance."""
    try:
        return np.unique(np.asarray(list(classes)))
    except (TypeError, ValueError):  # not a list, or one that contains missing values
        raise UsageError("classes must be a list of strings or of numbers") from None


def number_target(y: Any, n_rows: int, may_lack: bool = False) -> Numbers:
    """Return `y` as numbers, NaN where it is missing if that is allowed."""
    y = flat(y)
    check_length(y, n_rows, "y")
    if any(isinstance(value, str) for value in y):
        raise DataError("the target holds words; a regressor needs numbers")
    numbers = to_numbers(y, "the target")
    if np.isinf(numbers).any() or (np.isnan(numbers).any() and not may_lack):
        raise DataError("Input y contains NaN or infinity; every row needs a number")
    return numbers


def flat(y: Any) -> NDArray[Any]:
    """Return a target as a one-dimensional array; a single column is flattened with a warning."""
    y = to_array(y, "y")
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
    return np.asarray(y)


def row_weights(weights: Any, n_rows: int) -> Numbers | None:
    """Return the row weights as an array, or None when there are none."""
    if weights is None:
        return None
    given = to_array(weights, "sample_weight")
    if given.ndim > 1:
        raise DataError(f"Sample weights must be 1D array or scalar, got an array of shape {given.shape}")
    out = np.ascontiguousarray(to_numbers(given.reshape(-1), "sample_weight"))
    if given.ndim == 0:
        return np.full(n_rows, out.item())
    check_length(out, n_rows, "sample_weight")
    return out


def weighted(table: Table, sample_weight: Any) -> Table:
    """Return a table with the given row weights, if any."""
    weights = row_weights(sample_weight, table.n_rows)
    return table if weights is None else table.with_weights(weights)


def check_length(values: Any, n_rows: int, what: str) -> None:
    """Raise an error unless `values` has one entry per row."""
    if len(values) != n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, {what} has {len(values)}"
        )
