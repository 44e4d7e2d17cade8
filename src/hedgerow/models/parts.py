"""Checks that models make on their parts when they come back from a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hedgerow.data.schema import listing
from hedgerow.errors import ModelError


def expect_parts(parts: Mapping[str, Any], *names: str) -> None:
    """Raise unless the parts are called exactly so."""
    if set(parts) != set(names):
        raise ModelError(f"its parts are {listing(sorted(parts))} instead of {listing(sorted(names))}")


def array_part(parts: Mapping[str, Any], name: str, dtype: DTypeLike, *shape: int | None) -> NDArray[Any]:
    """Return an array of this type and shape; None stands for any length."""
    array = parts.get(name)
    if not isinstance(array, np.ndarray):
        raise ModelError(f"its part {name!r} is not an array")
    if array.dtype != np.dtype(dtype):
        raise ModelError(f"its part {name!r} holds {array.dtype} instead of {np.dtype(dtype)}")
    fits = array.ndim == len(shape) and all(
        wanted in (None, length) for wanted, length in zip(shape, array.shape, strict=True)
    )
    if not fits:
        raise ModelError(f"its part {name!r} has the shape {array.shape}, which does not fit the others")
    return array


def codes_part(parts: Mapping[str, Any], name: str, dtype: DTypeLike, length: int | None, below: int) -> NDArray[Any]:
    """Return a list of whole numbers from 0 to `below` - 1."""
    codes = array_part(parts, name, dtype, length)
    if codes.size and (codes.min() < 0 or codes.max() >= below):
        raise ModelError(f"its part {name!r} holds a number outside 0 to {below - 1}")
    return codes


def starts_part(parts: Mapping[str, Any], name: str, total: int) -> NDArray[np.int32]:
    """Return where each of several runs starts: from 0, never falling, to `total`."""
    starts = array_part(parts, name, np.int32, None)
    if not len(starts) or starts[0] != 0 or starts[-1] != total or (starts[1:] < starts[:-1]).any():
        raise ModelError(f"its part {name!r} does not run from 0 to {total} without falling")
    return starts


def numbers_part(parts: Mapping[str, Any], name: str, *shape: int | None) -> NDArray[np.float64]:
    """Return an array of finite numbers."""
    numbers = array_part(parts, name, np.float64, *shape)
    if not np.isfinite(numbers).all():
        raise ModelError(f"its part {name!r} holds a number that is not finite")
    return numbers


def weights_part(parts: Mapping[str, Any], name: str, *shape: int | None) -> NDArray[np.float64]:
    """Return an array of finite numbers that are not negative."""
    weights = numbers_part(parts, name, *shape)
    if (weights < 0).any():
        raise ModelError(f"its part {name!r} holds a negative weight")
    return weights
