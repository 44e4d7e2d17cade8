"""Checks that models make on their parts when they come back from a file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hedgerow.data.schema import listing
from hedgerow.errors import ModelError

FEW_NUMBERS = 1000  # that are kept as they are
MOST_NUMBERS = 1 << 28  # of an array, the zeros that are not kept among them


def expect_parts(parts: Any, *names: str, may_have: Sequence[str] = ()) -> None:
    """Raise unless the parts are called exactly so; some may be there or not."""
    if not isinstance(parts, Mapping):
        raise ModelError("its parts must be an object with named values")
    if set(parts).difference(may_have) != set(names):
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


def thinned(numbers: NDArray[np.float64]) -> Any:
    """Return numbers for a file: only those that are not 0, and where they are, if most are 0."""
    if numbers.size < FEW_NUMBERS or np.count_nonzero(numbers) * 3 > numbers.size:
        return numbers
    at = np.flatnonzero(numbers).astype(np.int64)
    return {"at": at, "values": numbers.ravel()[at]}


def thinned_part(parts: Mapping[str, Any], name: str, *shape: int) -> NDArray[np.float64]:
    """Return finite numbers that `thinned` put away; no more memory is taken than a file of all of them could have."""
    thin = parts.get(name)
    if not isinstance(thin, Mapping):
        return numbers_part(parts, name, *shape)
    expect_parts(thin, "at", "values")
    size = math.prod(shape)
    if size > MOST_NUMBERS:
        raise ModelError(f"its part {name!r} has more than {MOST_NUMBERS:,} numbers")
    at = codes_part(thin, "at", np.int64, None, size)
    values = numbers_part(thin, "values", len(at))
    if (at[1:] <= at[:-1]).any() or (values == 0).any():
        raise ModelError(f"the places of its part {name!r} must ascend, and hold numbers other than 0")
    out = np.zeros(size)
    out[at] = values
    return out.reshape(shape)


def pooled(many: Sequence[dict[str, Any] | None]) -> tuple[list[dict[str, Any] | None], dict[str, NDArray[np.float64]]]:
    """Return many small sets of parts with their number arrays laid one after the other, those of one name together.

    In place of an array stands its shape. A file then holds a few arrays however many sets there are.
    """
    heads: list[dict[str, Any] | None] = []
    laid: dict[str, list[NDArray[np.float64]]] = {}
    for parts in many:
        if parts is None:
            heads.append(None)
            continue
        heads.append({name: list(v.shape) if isinstance(v, np.ndarray) else v for name, v in parts.items()})
        for name, value in parts.items():
            if isinstance(value, np.ndarray):
                laid.setdefault(name, []).append(value.ravel())
    return heads, {name: np.concatenate(arrays) for name, arrays in laid.items()}


def unpooled(heads: Any, pools: Any) -> list[dict[str, Any] | None]:
    """Return what `pooled` was given, checking that the shapes use up the pools exactly."""
    if not isinstance(heads, list) or not isinstance(pools, dict):
        raise ModelError("its parts must be a list of shapes and the numbers they are laid out in")
    left = {name: numbers_part(pools, name, None) for name in pools}
    many = [None if head is None else _from_pools(head, left) for head in heads]
    if any(len(rest) for rest in left.values()):
        raise ModelError("it holds numbers that belong to no part")
    return many


def _from_pools(head: Any, left: dict[str, NDArray[np.float64]]) -> dict[str, Any]:
    if not isinstance(head, dict):
        raise ModelError("a part must be an object with named values")
    parts: dict[str, Any] = {}
    for name, shape in head.items():
        if not isinstance(shape, list):
            parts[name] = shape
            continue
        if not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 1 << 31 for n in shape):
            raise ModelError(f"its part {name!r} has no proper shape")
        size = math.prod(shape)
        pool = left.get(name, np.empty(0))
        if size > len(pool):
            raise ModelError(f"its part {name!r} is larger than the numbers there are")
        parts[name], left[name] = pool[:size].reshape(shape), pool[size:]
    return parts
