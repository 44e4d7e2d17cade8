"""A short name for the content of a table: equal tables have equal fingerprints."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Bags, Table, Text, Values


def fingerprint(table: Table) -> str:
    """Return 32 hexadecimal digits computed from the schema, all values and the weights of a table."""
    return str(_digest(table).hexdigest()[:32])


def _digest(table: Table) -> Any:
    digest = sha256(json.dumps([table.schema.to_dict(), table.n_rows]).encode())
    for position in range(len(table.schema)):
        _add(digest, table.values(position))
    if table.weights is not None:
        _add(digest, table.weights)
    return digest


def _add(digest: Any, values: Values) -> None:
    arrays: list[NDArray[Any]]
    match values:
        case Text():
            arrays = [values.data[values.offsets[0] : values.offsets[-1]], values.offsets, values.missing]
        case Bags():
            digest.update(_digest(values.table).digest())
            arrays = [values.offsets]
        case np.ndarray():
            arrays = [values]
        case _:
            raise TypeError(f"a column of {type(values).__name__} has no fingerprint")
    for array in arrays:
        digest.update(f"{array.dtype.str}{len(array)}".encode())
        plain = array + 0.0 if array.dtype == np.float64 else array  # one zero, whatever its sign
        digest.update(np.ascontiguousarray(plain).data)
