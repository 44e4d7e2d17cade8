"""Space: where the rows of a table lie as points, so that the distance between two rows is that between two points.

Every column has a position or several (data/design/design.py), seen through a frame, z = (x - center) * factor:

- numbers: one position, divided by the range of the column, by its standard deviation, or unscaled.
- levels: a position each, 1 / sqrt 2 where a row has the level: two different levels are at a squared distance of 1.
- texts: one position per term, tf-idf weights of length 1 / sqrt 2: texts that share no term are at a squared distance
  of 1,
  others at 1 - cosine.

A missing value lies at the mean of its positions, and so adds no information; a text that is missing or empty has no
terms. Constant columns are not informative and have no positions. The same space serves for learning and for new rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.design.blocks import LevelBlock
from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import LARGEST
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Numbers, Table
from hedgerow.data.table.threads import n_threads
from hedgerow.errors import DataError, ModelError
from hedgerow.models.base.checked_parts import expect_parts, numbers_part
from hedgerow.models.base.design_parts import design_of, design_parts
from hedgerow.models.base.design_scaling import DesignScaling

BEYOND = f"these rows contain a number that is infinite or beyond {LARGEST:g}, so distances to it are undefined"


@dataclass(frozen=True, eq=False)
class PointSpace:
    """A design, the frame it is seen through, and the mean of every position, on the user's scale; see above."""

    design: Design
    frame: DesignScaling
    means: Numbers

    @property
    def width(self) -> int:
        """How many positions there are."""
        return self.design.width

    def with_schema(self, schema: Schema) -> PointSpace:
        """Return the same space for a schema that has more columns at its end, such as the cluster."""
        more = (None,) * (len(schema) - len(self.design.parts))
        return PointSpace(Design(schema, (*self.design.parts, *more)), self.frame, self.means)

    def points(self, table: Table) -> Any:
        """Return the rows of an aligned table as points: a C-contiguous array, or scipy's csr_array if it is sparse."""
        if self.design.is_sparse(table):
            return self._sparse_points(table)
        out = np.empty((table.n_rows, self.width))
        arrays, tables, widths, _, _ = self.design.kernel_columns(table)
        frame = (self.frame.centers, self.frame.factors, self._gaps)
        if not _kernels.fill_design_points(arrays, tables, widths, *frame, LARGEST, out, n_threads()):
            raise DataError(BEYOND)
        return out

    def _sparse_points(self, table: Table) -> Any:
        with np.errstate(over="ignore", invalid="ignore"):  # defined below
            filling, matrix = self._filling(table), self.design.matrix(table)
            matrix = self.frame.apply(matrix if filling is None else matrix + filling)
        if matrix.data.size and not (matrix.data.min() >= -LARGEST and matrix.data.max() <= LARGEST):
            raise DataError(BEYOND)
        return matrix

    def users(self, points: Numbers) -> Numbers:
        """Return dense points, such as centers, on the user's scale."""
        return np.asarray(points / self.frame.factors + self.frame.centers)

    def to_points(self, values: Numbers) -> Numbers:
        """Return positions on the user's scale, such as given centers, as points."""
        return np.asarray((values - self.frame.centers) * self.frame.factors)

    @cached_property
    def _levels(self) -> tuple[tuple[int, LevelBlock, int], ...]:
        used = zip(self.design.used_blocks, self.design.starts, strict=False)
        return tuple((position, part, start) for (position, part), start in used if isinstance(part, LevelBlock))

    @cached_property
    def _gaps(self) -> Numbers:
        """The substitute for a missing value at every position: the mean of the column."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self.to_points(self.means)

    def _filling(self, table: Table) -> Any:
        """Return the additions for missing levels, as a sparse matrix; None if there are none."""
        from scipy.sparse import csr_array

        rows, places = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for position, part, start in self._levels:
            missing = np.flatnonzero(part.table[table.codes(position)] < 0)
            rows.append(np.repeat(missing, part.width))
            places.append(np.tile(np.arange(start, start + part.width), len(missing)))
        at = np.concatenate(places)
        if not len(at):
            return None
        return csr_array((self.means[at], (np.concatenate(rows), at)), shape=(table.n_rows, self.width))

    # -- files ----------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the space as JSON values and arrays."""
        return {
            "design": design_parts(self.design),
            "centers": self.frame.centers,
            "factors": self.frame.factors,
            "means": self.means,
        }

    @classmethod
    def from_dict(cls, parts: Any, schema: Schema) -> PointSpace:
        """Return the space with these parts; inconsistent parts raise an error."""
        expect_parts(parts, "design", "centers", "factors", "means")
        design = design_of(parts["design"], schema)
        centers, factors, means = (numbers_part(parts, name, design.width) for name in ("centers", "factors", "means"))
        if not (factors > 0).all():
            raise ModelError("its part 'factors' must hold numbers above 0")
        return cls(design, DesignScaling(centers, factors), means)
