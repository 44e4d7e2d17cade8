"""Python's own values as numbers and words: one that is neither raises an error that names its column and row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import DataError, ValueTypeError

LONGEST_SHOWN = 60  # characters of a value in a message


def to_array(values: Any, what: str) -> NDArray[Any]:
    """Return user input as an array; invalid input, such as rows of different lengths, raises an error."""
    try:
        return np.asarray(values)
    except Exception as error:  # whatever the type of the values raises
        reason = str(error).split("\n", 1)[0][:200]
        raise DataError(f"{what} cannot be converted to an array: {reason}; give rows of equal length") from None


def is_missing(value: Any) -> bool:
    """Return whether a value is none: None, NaN, and pandas' own."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    differs = value != value
    return isinstance(differs, bool | np.bool_) and bool(differs)


def to_numbers(values: Sequence[Any] | NDArray[Any], what: str) -> NDArray[np.float64]:
    """Return values as numbers, NaN where there is none; `what` they are of is named if one is not a number."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        return values.astype(np.float64)
    numbers = np.empty(len(values))
    for row, value in enumerate(values):
        if isinstance(value, complex | np.complexfloating):  # NumPy's would lose a part with no more than a warning
            raise value_type_error(value, row, what)
        try:
            numbers[row] = np.nan if is_missing(value) else float(value)
        except OverflowError:
            raise DataError(
                f"{what} holds {format_value(value)} in row {row}, which is too large for a number; correct or "
                "remove the "
                "value"
            ) from None
        except ValueError:
            raise DataError(
                f"{what} holds {format_value(value)} in row {row}, which is not a number; correct or remove the value"
            ) from None
        except TypeError:
            raise value_type_error(value, row, what) from None
    return numbers


def value_type_error(value: Any, row: int, what: str) -> ValueTypeError:
    """Return the error for a value that is neither a number nor a word, in the words that scikit-learn expects."""
    return ValueTypeError(
        f"{what} holds {format_value(value)} in row {row}: argument must be a string or a real number, not "
        f"{type(value).__name__}; convert or remove the value"
    )


def check_encodable(words: Sequence[Any] | NDArray[Any], what: str) -> None:
    """Raise an error if one of the words cannot be written as UTF-8; values that are not words are skipped."""
    try:
        "".join(word for word in words if isinstance(word, str)).encode()
    except UnicodeEncodeError:
        for row, word in enumerate(words):
            if isinstance(word, str) and not _is_sound(word):
                raise DataError(
                    f"{what} holds {format_value(word)} in row {row}: half of a character (a lone surrogate), "
                    "which cannot "
                    "be written to a file; replace it"
                ) from None


def check_name(name: Any) -> None:
    """Raise an error if a column's name cannot be written as UTF-8."""
    if isinstance(name, str) and not _is_sound(name):
        raise DataError(
            f"the column name {format_value(name)} holds half of a character (a lone surrogate), which cannot "
            "be written to "
            "a file; rename the column"
        )


def format_value(value: Any) -> str:
    """Return a value as messages show it."""
    try:
        text = repr(str(value) if isinstance(value, str) else value)
    except ValueError:  # Python does not write integers of very many digits
        text = "a very large integer"
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 4] + " ..."


def _is_sound(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True
