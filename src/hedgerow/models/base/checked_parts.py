"""Checks that models make on their parts when they come back from a file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hedgerow.data.table.schema import listing
from hedgerow.errors import ModelError

FEW_NUMBERS = 1000  # types that are kept unchanged
SMALL_ARRAY = 16  # numbers: NumPy's own checks take longer than Python's; a model may have a million such arrays
MOST_NUMBERS = 1 << 28  # of an array, the zeros that are not kept among them


def expect_parts(parts: Any, *names: str, may_have: Sequence[str] = ()) -> None:
    """Raise an error unless the parts are called exactly so; some may be there or not."""
    if not isinstance(parts, Mapping):
        raise ModelError("its parts must be an object with named values")
    if set(parts).difference(may_have) != set(names):
        raise ModelError(f"its parts are {listing(sorted(parts))} instead of {listing(sorted(names))}")


def array_part(parts: Mapping[str, Any], name: str, dtype: DTypeLike, *shape: int | None) -> NDArray[Any]:
    """Return an array of this type and shape; None means any length."""
    array = parts.get(name)
    if not isinstance(array, np.ndarray):
        raise ModelError(f"its part {name!r} is not an array")
    if array.dtype != np.dtype(dtype):
        raise ModelError(f"its part {name!r} holds {array.dtype} instead of {np.dtype(dtype)}")
    if array.shape != shape and not _fits(array.shape, shape):
        raise ModelError(f"its part {name!r} has the shape {array.shape}, which does not match the others")
    return array


def _fits(lengths: tuple[int, ...], shape: tuple[int | None, ...]) -> bool:
    return len(lengths) == len(shape) and all(
        wanted in (None, length) for wanted, length in zip(shape, lengths, strict=True)
    )


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
        raise ModelError(f"its part {name!r} does not ascend from 0 to {total}")
    return starts


def numbers_part(parts: Mapping[str, Any], name: str, *shape: int | None) -> NDArray[np.float64]:
    """Return an array of finite numbers."""
    numbers = array_part(parts, name, np.float64, *shape)
    if not _are_finite(numbers):
        raise ModelError(f"its part {name!r} holds a number that is not finite")
    return numbers


def weights_part(parts: Mapping[str, Any], name: str, *shape: int | None) -> NDArray[np.float64]:
    """Return an array of finite numbers that are not negative."""
    weights = numbers_part(parts, name, *shape)
    if least(weights) < 0:
        raise ModelError(f"its part {name!r} holds a negative weight")
    return weights


def _are_finite(numbers: NDArray[np.float64]) -> bool:
    if numbers.size <= SMALL_ARRAY:
        return all(map(math.isfinite, numbers.ravel().tolist()))
    return bool(np.isfinite(numbers).all())


def least(numbers: NDArray[np.float64]) -> float:
    """Return the least of some numbers; infinity if there are none."""
    if numbers.size <= SMALL_ARRAY:
        return min(numbers.ravel().tolist(), default=math.inf)
    return float(numbers.min())


def sparsify(numbers: NDArray[np.float64]) -> Any:
    """Return numbers for a file: only those that are not 0, and where they are, if most are 0."""
    if numbers.size < FEW_NUMBERS or np.count_nonzero(numbers) * 3 > numbers.size:
        return numbers
    at = np.flatnonzero(numbers).astype(np.int64)
    return {"at": at, "values": numbers.ravel()[at]}


def restore_sparse(parts: Mapping[str, Any], name: str, *shape: int) -> NDArray[np.float64]:
    """Return finite numbers that `sparsify` put away; no more memory is taken than a file of all of them could have."""
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
        raise ModelError(f"the positions of its part {name!r} must ascend, and their numbers must not be 0")
    out = np.zeros(size)
    out[at] = values
    return out.reshape(shape)


def pool_parts(many: Sequence[dict[str, Any] | None]) -> tuple[Any, dict[str, NDArray[np.float64]]]:
    """Return many small sets of parts with their number arrays laid one after another, those of one name together.

    In place of an array stands its shape: such a head describes one set. A file then holds a few arrays however many
    sets there are. Many sets of few different heads keep each head once, and which set has which.
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
    return _number_heads(heads), {name: np.concatenate(arrays) for name, arrays in laid.items()}


def _number_heads(heads: list[dict[str, Any] | None]) -> Any:
    """Return the heads, or the different ones and the number of each set's head, if there are many sets."""
    if len(heads) < FEW_NUMBERS:
        return heads
    numbers: dict[str, int] = {}
    which = [numbers.setdefault(repr(head), len(numbers)) for head in heads]
    if len(numbers) * 2 > len(heads):
        return heads
    first = [which.index(number) for number in range(len(numbers))]
    return {"different": [heads[i] for i in first], "which": np.array(which, dtype=np.int32)}


def unpool_parts(heads: Any, pools: Any) -> list[dict[str, Any] | None]:
    """Undo `pool_parts`, checking that the shapes use up the pools exactly."""
    if not isinstance(heads, list | dict) or not isinstance(pools, dict):
        raise ModelError("its parts must be a list of shapes and the array that stores their numbers")
    if isinstance(heads, dict):
        expect_parts(heads, "different", "which")
        if not isinstance(heads["different"], list):
            raise ModelError("its shapes must be a list")
        which = codes_part(heads, "which", np.int32, None, len(heads["different"])).tolist()
        heads = heads["different"]
    else:
        which = range(len(heads))
    shapes = [None if head is None else _shapes(head) for head in heads]
    numbers = {name: numbers_part(pools, name, None) for name in pools}
    used = dict.fromkeys(numbers, 0)
    many = [
        None if (shape := shapes[i]) is None else {**heads[i], **_take_from_pools(shape, numbers, used)} for i in which
    ]
    if any(used[name] < len(pool) for name, pool in numbers.items()):
        raise ModelError("it contains numbers that do not belong to any part")
    return many


def _shapes(head: Any) -> dict[str, tuple[int, list[int]]]:
    """Return the size and the shape of each array of a set of parts."""
    if not isinstance(head, dict):
        raise ModelError("a part must be an object with named values")
    shapes = {}
    for name, shape in head.items():
        if not isinstance(shape, list):
            continue
        if not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 1 << 31 for n in shape):
            raise ModelError(f"its part {name!r} has an invalid shape")
        shapes[name] = (math.prod(shape), shape)
    return shapes


def _take_from_pools(
    shapes: Mapping[str, tuple[int, list[int]]], pools: Mapping[str, NDArray[np.float64]], used: dict[str, int]
) -> dict[str, Any]:
    """Return the next arrays of these shapes; `used` counts how many numbers of each pool have been taken."""
    parts: dict[str, Any] = {}
    for name, (size, shape) in shapes.items():
        begin = used.get(name, 0)
        if begin + size > (len(pools[name]) if name in pools else 0):
            raise ModelError(f"its part {name!r} is larger than the stored numbers")
        parts[name] = pools[name][begin : begin + size].reshape(shape) if name in pools else np.empty(shape)
        used[name] = begin + size
    return parts
