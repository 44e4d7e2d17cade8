"""What the machines of a support vector model compute: linear functions, or sums of a kernel over support vectors.

Both give the decision value f of every machine, which is at least 0 for the classes of its positive side (M205):

- linear: f(x) = b + w.x, on the user's scale;
- kernel: f(x) = b + sum of coef_i K(x_i, x) over its support vectors, where coef_i = alpha_i y_i (M212) and K sees both
  points in the frame that the learner chose: z = (x - center) * factor, position by position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow.data.design.blocks import LevelBlock, TermBlock
from hedgerow.data.design.design import Design, clip_large_numbers
from hedgerow.data.design.score_buffer import FINITE, KnownMask, ScoreBuffer
from hedgerow.data.table.table import Codes, Numbers, Rows, SparseNumbers, Table, gather_values
from hedgerow.errors import DataError
from hedgerow.models.base.design_scaling import DesignScaling
from hedgerow.models.svm.kernel_function import Kernel
from hedgerow.models.svm.kernel_sums import kernel_values

CELLS = 1 << 21  # kernel values, or positions of rows, held at a time
MOST_COEFS = 1 << 25  # that are laid out with their zeros
LARGEST = 1e300


@dataclass(frozen=True, eq=False)
class LinearFunctions:
    """A linear function a machine: intercepts, and slopes (machines, positions) on the user's scale."""

    intercepts: Numbers
    slopes: Numbers

    def __len__(self) -> int:
        return len(self.intercepts)

    @property
    def size(self) -> int:
        """How many slopes are not zero."""
        return int(np.count_nonzero(self.slopes))

    def values(self, design: Design, table: Table) -> tuple[Numbers, KnownMask | None]:
        """Return f of every machine (lines) and row, and which rows have a known value; None if all do."""
        out = np.empty((table.n_rows, len(self)))
        place = ScoreBuffer(out, np.arange(len(self), dtype=np.int32), -1, FINITE)
        with np.errstate(over="ignore", invalid="ignore"):
            known = design.score(table, self.intercepts, self.slopes, place)
        return out.T, known if self.slopes.any() else None


@dataclass(frozen=True, eq=False)
class KernelFunctions:
    """Sums of a kernel over support vectors, which the machines share: each has coefficients for some of them.

    A vector is a row of the design matrix on the user's scale. Of a precomputed kernel there are none: the places of
    the design are then the kernel values of a row with each support row.
    """

    kernel: Kernel
    frame: DesignScaling | None  # None of a precomputed kernel
    vectors: Any  # (vectors, places): float64 array or scipy's csr_array; None of a precomputed kernel
    labels: Codes  # class of every vector
    rows: Rows  # where it stood in the data learned from, from 0; ascending
    starts: Rows  # where the coefficients of each machine start, and where the last ones end
    places: Codes  # vector of each coefficient, ascending within a machine
    coefs: Numbers  # alpha * y
    intercepts: Numbers

    @classmethod
    def of(
        cls,
        kernel: Kernel,
        frame: DesignScaling | None,
        matrix: Any,
        labels: Codes,
        machines: Sequence[tuple[Rows, Numbers]],
        intercepts: Numbers,
        rows: Rows | None = None,
    ) -> KernelFunctions:
        """Return the functions of machines that are given by rows of the matrix and their alpha * y; 0 is left out.

        `labels` are the classes of all rows of the matrix, `rows` their positions in the data if these differ. Of a
        precomputed kernel `matrix` is None; its design must then have just the places of the rows kept,
        `support_positions`.
        """
        kept = support_positions(machines)
        starts, places, coefs = [0], [], []
        for own, alphas in machines:
            order = np.argsort(own, kind="stable")
            order = order[alphas[order] != 0]
            places.append(np.searchsorted(kept, np.asarray(own)[order]).astype(np.int32))
            coefs.append(np.asarray(alphas, dtype=np.float64)[order])
            starts.append(starts[-1] + len(order))
        vectors = None if matrix is None else matrix[kept]
        if isinstance(vectors, np.ndarray):
            vectors = np.ascontiguousarray(vectors, dtype=np.float64)
        return cls(
            kernel,
            frame,
            vectors,
            np.ascontiguousarray(labels[kept], dtype=np.int32),
            kept if rows is None else np.asarray(rows, dtype=np.int64)[kept],
            np.array(starts, dtype=np.int64),
            np.concatenate([np.empty(0, np.int32), *places]).astype(np.int32),
            np.concatenate([np.empty(0), *coefs]),
            np.ascontiguousarray(intercepts, dtype=np.float64),
        )

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}  # the rest is recomputed

    def __len__(self) -> int:
        return len(self.intercepts)

    @property
    def size(self) -> int:
        """How many support vectors there are."""
        return len(self.labels)

    @property
    def is_sparse(self) -> bool:
        """Whether the vectors are sparse."""
        return self.vectors is not None and not isinstance(self.vectors, np.ndarray)

    @cached_property
    def kernel_vectors(self) -> Any:
        """The vectors as the kernel sees them."""
        assert self.frame is not None
        return self.frame.apply(self.vectors)

    @cached_property
    def weights(self) -> Any:
        """The coefficients as scipy's csr_array (machines, vectors)."""
        from scipy.sparse import csr_array

        return csr_array((self.coefs, self.places, self.starts), shape=(len(self), self.size))

    def machine(self, number: int) -> tuple[Codes, Numbers]:
        """Return the support vectors of a machine and their coefficients."""
        own = slice(self.starts[number], self.starts[number + 1])
        return self.places[own], self.coefs[own]

    def kernel_rows(self, design: Design, table: Table) -> Any:
        """Return rows of an aligned table as the kernel sees them; of a precomputed kernel, its values."""
        matrix = design.matrix(clip_large_numbers(table))
        if self.vectors is None:
            _check_kernel_values(design, table)
            return np.asarray(matrix if isinstance(matrix, np.ndarray) else matrix.toarray(), dtype=np.float64)
        assert self.frame is not None
        if self.is_sparse != (not isinstance(matrix, np.ndarray)):
            from scipy.sparse import csr_array

            matrix = csr_array(matrix) if self.is_sparse else np.asarray(matrix.toarray())
        return self.frame.apply(matrix)

    def kernel_matrix(self, seen: Any) -> Numbers:
        """Return K of some rows, which are as `kernel_rows` gives them, and every support vector."""
        if self.vectors is None:
            return np.asarray(seen, dtype=np.float64)
        with np.errstate(all="ignore"):
            return np.asarray(self.kernel.matrix(seen, self.kernel_vectors), dtype=np.float64)

    def values(self, design: Design, table: Table) -> tuple[Numbers, KnownMask | None]:
        """Return f of every machine (lines) and row, and which rows have a known value; None if all do."""
        out, known = np.empty((len(self), table.n_rows)), np.zeros(table.n_rows, dtype=np.bool_)
        with np.errstate(all="ignore"):
            for start, stop in _blocks(table.n_rows, design.width):
                some = table.slice(start, stop)
                seen = self.kernel_rows(design, some)
                out[:, start:stop] = self._sums(seen)
                known[start:stop] = find_known_rows(design, some, seen)
        np.clip(np.nan_to_num(out, copy=False, nan=0.0), -LARGEST, LARGEST, out=out)
        return out, None if known.all() else known

    def _sums(self, seen: Any) -> Numbers:
        """Return f of every machine and some rows, which are as `kernel_rows` gives them."""
        if self.vectors is not None and self.size * len(self) <= MOST_COEFS:
            vectors, coefs = self._vectors_by_class
            return kernel_values(self.kernel, vectors, coefs, self.intercepts, seen)
        out = np.empty((len(self), seen.shape[0]))
        for start, stop in _blocks(len(out[0]), self.size):
            out[:, start:stop] = self.weights @ self.kernel_matrix(seen[start:stop]).T
        return out + self.intercepts[:, None]

    @cached_property
    def _vectors_by_class(self) -> tuple[Any, Numbers]:
        """The vectors as the kernel sees them, those of a class together, and coefficients (vectors, machines).

        Vectors of one class have coefficients of the same machines, which the compiled kernel makes use of.
        """
        order = np.argsort(self.labels, kind="stable")
        return self.kernel_vectors[order], np.ascontiguousarray(self.weights.toarray().T[order])


def support_positions(machines: Sequence[tuple[Rows, Numbers]]) -> Rows:
    """Return the rows that have a coefficient other than 0 in some machine, ascending."""
    own = [np.asarray(rows, dtype=np.int64)[np.asarray(alphas) != 0] for rows, alphas in machines]
    return np.unique(np.concatenate([np.empty(0, np.int64), *own]))


def find_known_rows(design: Design, table: Table, seen: Any) -> KnownMask:
    """Return which rows of an aligned table have a value known to the design; `seen` are its rows in a frame."""
    known: KnownMask = np.zeros(table.n_rows, dtype=np.bool_)
    for (position, part), start in zip(design.used_blocks, design.starts, strict=False):
        if known.all():
            break
        if isinstance(part, TermBlock):
            known |= _has_nonzero(seen, start, start + part.width)
        elif isinstance(part, LevelBlock):
            levels = np.zeros(part.n_levels + 1, dtype=np.bool_)  # the last of a missing one
            levels[part.coded] = True
            if part.base >= 0:
                levels[part.base] = True
            known |= levels[table.codes(position)]
        elif isinstance(values := gather_values(table.data[position]), SparseNumbers):
            known[np.setdiff1d(np.arange(table.n_rows), values.rows[np.isnan(values.values)])] = True
        else:
            known |= ~np.isnan(table.numbers(position))
    return known


def _has_nonzero(seen: Any, start: int, stop: int) -> KnownMask:
    """Return which rows have something other than 0 at some positions."""
    if isinstance(seen, np.ndarray):
        return np.asarray(seen[:, start:stop].any(axis=1))
    mask: KnownMask = np.zeros(seen.shape[0], dtype=np.bool_)
    inside = (seen.indices >= start) & (seen.indices < stop) & (seen.data != 0)
    mask[np.repeat(np.arange(seen.shape[0]), np.diff(seen.indptr))[inside]] = True
    return mask


def _check_kernel_values(design: Design, table: Table) -> None:
    """Raise an error unless every kernel value that is needed is there."""
    for position, _ in design.used_blocks:
        values = table.numbers(position)
        if not np.isfinite(values).all():
            row, name = int(np.flatnonzero(~np.isfinite(values))[0]) + 1, design.schema.names[position]
            raise DataError(
                f"row {row} has no kernel value in column {name!r}; with a precomputed kernel give the kernel value "
                "of every row with each support row, in columns named as in training"
            )


def _blocks(n_rows: int, wide: int) -> Iterator[tuple[int, int]]:
    step = max(CELLS // max(wide, 1), 16)
    for start in range(0, n_rows, step):
        yield start, min(start + step, n_rows)
