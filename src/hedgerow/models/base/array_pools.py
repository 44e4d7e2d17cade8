"""Many arrays as a few: the parts of hundreds of models in one file, with one array a type."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import ModelError

Pools = dict[str, NDArray[Any]]

MOST_DIMENSIONS = 8  # of an array in a file
MARK = {"pool", "shape"}  # placeholder of an array: the type, which names its pool, and the shape


def into_pools(value: Any) -> tuple[Any, Pools]:
    """Return nested parts with placeholders for their arrays, and the arrays of each type concatenated.

    >>> head, pools = into_pools([{"a": np.array([1.0, 2.0])}, {"a": np.array([[3.0]]), "b": 4}])
    >>> head
    [{'a': {'pool': 'float64', 'shape': [2]}}, {'a': {'pool': 'float64', 'shape': [1, 1]}, 'b': 4}]
    >>> pools
    {'float64': array([1., 2., 3.])}
    """
    laid: dict[str, list[NDArray[Any]]] = {}
    head = _replace_arrays(value, laid)
    return head, {name: np.concatenate(laid[name]) for name in sorted(laid)}


def out_of_pools(head: Any, pools: Any) -> Any:
    """Undo `into_pools`, checking that the shapes use up the pools exactly."""
    if not isinstance(pools, dict):
        raise ModelError("its pools must be an object with one array per type")
    left: Pools = {}
    for name, pool in pools.items():
        if not isinstance(pool, np.ndarray) or pool.ndim != 1 or pool.dtype.name != name:
            raise ModelError(f"its pool {name!r} must be a flat array of {name}")
        left[name] = pool
    value = _restore_arrays(head, left)
    if any(len(rest) for rest in left.values()):
        raise ModelError("it contains numbers that do not belong to any part")
    return value


def _replace_arrays(value: Any, laid: dict[str, list[NDArray[Any]]]) -> Any:
    if isinstance(value, np.ndarray):
        laid.setdefault(value.dtype.name, []).append(value.ravel())
        return {"pool": value.dtype.name, "shape": list(value.shape)}
    if isinstance(value, list | tuple):
        return [_replace_arrays(item, laid) for item in value]
    if isinstance(value, dict):
        if "pool" in value:
            raise ModelError("a part cannot be called 'pool' in a model of models")
        return {key: _replace_arrays(value[key], laid) for key in sorted(value)}  # the order in which files are read
    return value


def _restore_arrays(value: Any, left: Pools) -> Any:
    if isinstance(value, list):
        return [_restore_arrays(item, left) for item in value]
    if not isinstance(value, dict):
        return value
    if "pool" not in value:
        return {key: _restore_arrays(value[key], left) for key in sorted(value)}
    name, shape = value["pool"], value.get("shape")
    if value.keys() != MARK or not isinstance(name, str) or not isinstance(shape, list):
        raise ModelError("one of its parts does not have a valid position in a pool")
    if len(shape) > MOST_DIMENSIONS or not all(type(n) is int and 0 <= n < 1 << 31 for n in shape):
        raise ModelError("one of its parts has an invalid shape")
    size = math.prod(shape)
    if name not in left or size > len(left[name]):
        raise ModelError("one of its parts is larger than the stored numbers")
    part, left[name] = left[name][:size].reshape(shape), left[name][size:]
    return part
