"""A canonical order of points, by a hash of their positions, independent of the order of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.rows.hashing import STEP, mix_bits

HASHED = 1 << 20  # cells of a matrix that are hashed at a time


def point_hashes(matrix: Any) -> NDArray[np.uint64]:
    """Return a hash of every row of a matrix; 64 bits, so that collisions are very unlikely."""
    salts = mix_bits((np.arange(matrix.shape[1], dtype=np.uint64) + np.uint64(1)) * STEP)
    if not isinstance(matrix, np.ndarray):
        each = mix_bits((matrix.data + 0.0).view(np.uint64) ^ salts[matrix.indices])
        each[matrix.data == 0] = 0
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(each, dtype=np.uint64)])
        return np.asarray(sums[matrix.indptr[1:]] - sums[matrix.indptr[:-1]])
    out = np.zeros(matrix.shape[0], dtype=np.uint64)
    step = max(1, HASHED // max(matrix.shape[1], 1))
    for start in range(0, len(out), step):
        bits = np.ascontiguousarray(matrix[start : start + step] + 0.0).view(np.uint64)
        out[start : start + step] = mix_bits(bits ^ salts).sum(axis=1, dtype=np.uint64)
    return out
