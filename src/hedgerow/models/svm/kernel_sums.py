"""Sums of kernel functions over support vectors: the values that machines give to many rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.table import Numbers
from hedgerow.data.table.threads import n_threads
from hedgerow.models.svm.kernel_function import RBF, Kernel, KernelFunction, largest_magnitude

MOST = 1e300  # squared distance, beyond which sums of squares might not be numbers
SINGLE_ERROR = 3e-5  # of a value of single precision, by the largest, beyond which doubles are taken
BLOCK_VALUES = 1 << 22  # kernel values that are held at a time where they come from Python


def kernel_values(
    kernel: Kernel, vectors: Any, coefs: Numbers, offsets: Numbers, rows: Any, *, single: bool = False
) -> Numbers:
    """Return f(x) = sum over vectors v of coef K(v, x), plus an offset, of all machines: (machines, rows).

    `vectors` and `rows` are arrays or scipy's sparse arrays; to given values, `vectors` are the positions of theirs.
    `coefs` is (vectors, machines). Vectors that have coefficients of the same machines should lie together.

    Dot products are of doubles: values agree with the plain sum to about 1e-14 of the sum of all |coef K|. With
    `single` they are of floats, in half the time, and a value of K may be off by up to SINGLE_ERROR of the largest;
    where rounding might cost more, doubles are taken after all. Sums over vectors are always of doubles.
    """
    coefs, offsets = (np.ascontiguousarray(given, dtype=np.float64) for given in (coefs, offsets))
    if not isinstance(kernel, KernelFunction):
        return _sum_in_blocks(kernel, vectors, coefs, offsets, rows)
    sparse = hasattr(vectors, "toarray") or hasattr(rows, "toarray")
    number = max(largest_magnitude(vectors), largest_magnitude(rows))
    largest = 4.0 * max(vectors.shape[1], 1) * number * number
    if kernel.name == RBF and not largest < MOST:
        return _sum_in_blocks(kernel, vectors, coefs, offsets, rows)
    out = np.empty((len(offsets), rows.shape[0]))
    given, asked = (sparse_parts(points) if sparse else dense_part(points) for points in (vectors, rows))
    if single:
        single = max(_kernels.estimate_single_error(kernel.numbers, part) for part in (given, asked)) <= SINGLE_ERROR
    _kernels.compute_kernel_sums(kernel.numbers, given, coefs, offsets, asked, single, out, n_threads())
    return out


def dense_part(points: Any) -> Numbers:
    """Return points as the compiled kernels take them: lines of doubles."""
    return np.ascontiguousarray(points, dtype=np.float64)


def sparse_parts(points: Any) -> tuple[Any, Any, Numbers, int]:
    """Return starts, ids, which ascend in every row, and values of sparse points, and their width."""
    from scipy.sparse import csr_array

    rows = csr_array(points, dtype=np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return (
        np.ascontiguousarray(rows.indptr, dtype=np.int64),
        np.ascontiguousarray(rows.indices, dtype=np.int32),
        np.ascontiguousarray(rows.data),
        int(rows.shape[1]),
    )


def _sum_in_blocks(kernel: Kernel, vectors: Any, coefs: Numbers, offsets: Numbers, rows: Any) -> Numbers:
    """Return the values by plain matrices of kernel values, some rows at a time."""
    n = rows.shape[0]
    out = np.empty((len(offsets), n))
    block = max(1, BLOCK_VALUES // max(len(coefs), 1))
    for start in range(0, n, block):
        some = rows[start : start + block]
        known = kernel.matrix(some, vectors) if len(coefs) else np.zeros((some.shape[0], 0))
        out[:, start : start + block] = (known @ coefs + offsets).T
    return out
