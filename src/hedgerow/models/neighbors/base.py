"""NeighborModel: the base of nearest neighbor models of classes and of numbers, which store their rows."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.data.text.term_space import TermSpace
from hedgerow.errors import ModelError, UsageError
from hedgerow.models.base.checked_parts import array_part, expect_parts, weights_part
from hedgerow.models.base.model import Model
from hedgerow.models.neighbors.distance import RowDistance
from hedgerow.models.neighbors.leave_one_out import LeaveOneOut
from hedgerow.models.neighbors.neighbor_rows import neighbor_rows
from hedgerow.models.neighbors.row_search import RowSearch
from hedgerow.models.neighbors.stored_columns import StoredNeighborColumn, read_stored_column
from hedgerow.models.neighbors.stored_rows import StoredRows

VOTES = ("plain", "distance", "similarity")
MOST_VOTES = (1 << 53) - 1  # whole numbers that kernels count exactly
NOBODY: Codes = np.empty(0, dtype=np.int32)
PARTS = ("k", "votes", "weights", "columns", "comparison", "search", "origin", "tried")


@dataclass(frozen=True, eq=False)
class NearestRows:
    """The nearest rows of every requested row, nearest first, by their number in the training data.

    `distance` and `similarity` are as in `docs/learners/neighbors/knn.md`: of texts alone 1 - cosine and the cosine.
    """

    rows: Codes
    distance: Numbers
    similarity: Numbers


@dataclass(frozen=True, eq=False)
class NeighborSettings:
    """The neighborhood and the votes: all of a model except the targets."""

    k: int
    votes: str  # one of VOTES: the weight of a neighbor's vote
    weights: Numbers | None  # of the rows; None if all weigh 1
    columns: tuple[
        StoredNeighborColumn | None, ...
    ]  # one a column of the schema; None for the target and unused columns
    comparison: RowDistance
    search: RowSearch
    origin: Rows | None = None  # the numbers of the rows in the training data; None if none was left out
    tried: LeaveOneOut | None = None  # numbers of neighbors

    def to_dict(self) -> dict[str, Any]:
        """Return the parts."""
        return {
            "k": self.k,
            "votes": self.votes,
            "weights": np.empty(0) if self.weights is None else self.weights,
            "columns": [
                None if neighbor_column is None else neighbor_column.to_dict() for neighbor_column in self.columns
            ],
            "comparison": self.comparison.to_dict(),
            "search": self.search.to_dict(),
            "origin": np.empty(0, np.int64) if self.origin is None else self.origin,
            "tried": None if self.tried is None else self.tried.to_dict(),
        }

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, n_rows: int, classes: bool) -> NeighborSettings:
        """Build it from its parts, checking them."""
        k, votes = parts["k"], parts["votes"]
        if type(k) is not int or not 1 <= k <= MOST_VOTES:
            raise ModelError("its part 'k' must be a whole number of at least 1")
        if not isinstance(votes, str) or votes not in VOTES:
            raise ModelError(f"its part 'votes' must be one of {', '.join(VOTES)}")
        if not n_rows:
            raise ModelError("it has no rows")
        weights = weights_part(parts, "weights", None)
        if len(weights) not in (0, n_rows) or not (weights > 0).all():
            raise ModelError("its part 'weights' must hold one positive weight per row, or be empty")
        origin = array_part(parts, "origin", np.int64, None)
        if len(origin) not in (0, n_rows) or (len(origin) and (origin[0] < 0 or (np.diff(origin) <= 0).any())):
            raise ModelError("its part 'origin' must hold one ascending number per row, or be empty")
        return cls(
            k,
            votes,
            weights if len(weights) else None,
            _columns(parts["columns"], schema, n_rows),
            RowDistance.from_dict(parts["comparison"], schema),
            RowSearch.from_dict(parts["search"]),
            origin if len(origin) else None,
            None if parts["tried"] is None else LeaveOneOut.from_dict(parts["tried"], classes),
        )


class NeighborModel(Model):
    """What both kinds share."""

    asking: NeighborSettings
    n_rows: int

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "kept"}  # which is recomputed

    @property
    def k(self) -> int:
        """The number of neighbors."""
        return self.asking.k

    @property
    def weights(self) -> Numbers | None:
        """The weights of the rows; None if all weigh 1."""
        return self.asking.weights

    @property
    def columns(self) -> tuple[StoredNeighborColumn | None, ...]:
        """The columns of the rows."""
        return self.asking.columns

    @cached_property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.n_rows) if self.weights is None else float(self.weights.sum())

    @property
    def size(self) -> int:
        """How many rows there are, by weight: one of weight 2 is two."""
        return max(1, round(self.total))

    def neighbor_rows(self, table: Table) -> dict[str, Any] | None:
        """Return the neighbors of the only row of an aligned table; None if only texts are compared."""
        return neighbor_rows(self, table)

    def columns_used(self) -> tuple[str, ...]:
        """Return the columns that are compared."""
        return tuple(self.schema.names[at] for at in self.kept.columns)

    @cached_property
    def kept(self) -> StoredRows:
        """The rows prepared for searching."""
        columns = {at: one for at, one in enumerate(self.columns) if one is not None}
        return StoredRows(columns, self.n_rows, self.asking.comparison, self.asking.search)

    @property
    def term_spaces(self) -> dict[str, TermSpace]:
        """The terms of each text column."""
        return {self.schema.names[at]: one.space for at, one in self.kept.text_columns.items()}

    def training_row_numbers(self, rows: Any) -> Any:
        """Return the numbers that rows have in the training data."""
        return rows if self.asking.origin is None else self.asking.origin[rows]

    def neighbors(self, table: Any, k: int | None = None) -> NearestRows:
        """Return the `k` nearest rows of every row of a table or frame; of equally near ones the first.

        `k` is that of the model if it is not given. There are no more than the training rows.
        """
        k = self.k if k is None else k
        if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 1:
            raise UsageError(f"k={k!r} is not allowed: it must be a whole number of at least 1")
        rows, scores = self.kept.nearest(self.kept.prepare_queries(self.align(table)), min(int(k), self.n_rows))
        distance = self.kept.distances(scores)
        return NearestRows(self.training_row_numbers(rows), distance, self.kept.similarities(distance))

    def voters(self, ks: Numbers, left_out: Codes = NOBODY) -> tuple[Any, ...]:
        """Return the kernels' arguments that define the votes, for several numbers of neighbors at once."""
        weights = np.empty(0) if self.weights is None else self.weights
        stored_rows = self.kept
        form = (stored_rows.how.is_root, stored_rows.parts, stored_rows.widest)
        return (weights, ks, left_out, VOTES.index(self.asking.votes), *form)

    @abstractmethod
    def format_row_target(self, row: int) -> str:
        """Return the class or number of a row."""


def expect_neighbor_parts(parts: Any, answers: str) -> None:
    """Raise an error unless the parts are those of a model of neighbors; `answers` are their targets."""
    expect_parts(parts, *PARTS, answers)


def _columns(listed: Any, schema: Schema, n_rows: int) -> tuple[StoredNeighborColumn | None, ...]:
    if not isinstance(listed, list) or len(listed) != len(schema):
        raise ModelError("neighbors need one entry per column")
    neighbor_columns: list[StoredNeighborColumn | None] = []
    for parts, column in zip(listed, schema.columns, strict=True):
        if parts is None:
            neighbor_columns.append(None)
            continue
        if column.name == schema.target:
            raise ModelError(f"column {column.name!r} is the target, which is not used for distances")
        neighbor_columns.append(read_stored_column(parts, column))
        if len(neighbor_columns[-1] or ()) != n_rows:
            raise ModelError(f"column {column.name!r} does not have as many rows as the target")
    return tuple(neighbor_columns)
