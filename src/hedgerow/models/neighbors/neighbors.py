"""Neighbors: a model that keeps its rows and lets the nearest vote for a class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.data.table.threads import n_threads
from hedgerow.errors import ModelError
from hedgerow.layout.cell_width import pad_cells
from hedgerow.layout.numbers import format_number
from hedgerow.models.base.checked_parts import codes_part
from hedgerow.models.base.contributions import Contributions
from hedgerow.models.base.decisions import TIE, decisions, reduce_rows, ties
from hedgerow.models.base.factor import escape_name, short
from hedgerow.models.base.model import About, ClassModel, RowScores
from hedgerow.models.neighbors.base import NOBODY, NeighborModel, NeighborSettings, expect_neighbor_parts
from hedgerow.models.neighbors.contributions import neighbor_contributions
from hedgerow.models.neighbors.stored_rows import NewRows
from hedgerow.models.neighbors.text import distance_lines, head_text, name_width


@dataclass(frozen=True, eq=False)
class Neighbors(NeighborModel, ClassModel):
    """The training rows; a new row gets the class that most of the nearest ones have."""

    asking: NeighborSettings
    labels: Codes  # the class of every row

    kind = "neighbors"

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        """How many rows there are."""
        return len(self.labels)

    @cached_property
    def prior(self) -> Numbers:
        """The weight of each class."""
        return np.bincount(self.labels, weights=self.weights, minlength=len(self.classes)).astype(np.float64)

    # -- predicting -----------------------------------------------------------------------------------------

    def scores(self, table: Table) -> Numbers:
        """Return the shares of the votes; the prior where no column of a row is known."""
        return self.score_rows(table).distribution

    def score_rows(self, table: Table) -> RowScores:
        """Return the same, and the rows without any known value."""
        queries = self.kept.prepare_queries(table)
        return RowScores(self._shares(self._count_votes(queries)[0], ~queries.is_known), ~queries.is_known)

    def own_decisions(self, table: Table, scores: Numbers | None = None) -> Codes:
        """Return the class with most votes; ties go to the one whose neighbors are nearer, then the first."""
        far = None
        if scores is None:
            queries = self.kept.prepare_queries(table)
            votes, far = self._count_votes(queries)
            scores = self._shares(votes, ~queries.is_known)
        tied = ties(scores)[1]
        if not len(tied):
            return decisions(scores)
        own = self._count_votes(self.kept.prepare_queries(table.take(tied)))[1] if far is None else far[tied]
        return break_ties_by_distance(scores, tied, own)

    def leave_one_out_predictions(self, table: Table, rows: Codes, ks: Numbers) -> tuple[Numbers, Codes]:
        """Return the leave-one-out predictions of some rows, by row and number of neighbors: the shares, and the class.

        `table` holds these rows, aligned. A row of weight 2 leaves one of two behind.
        """
        queries = self.kept.prepare_queries(table)
        votes, far = self._votes(queries, ks, rows)
        shares = np.empty_like(votes)
        codes = np.empty(votes.shape[:2], dtype=np.int32)
        for at in range(len(ks)):
            shares[:, at] = self._shares(votes[:, at], ~queries.is_known)
            tied = ties(shares[:, at])[1]
            codes[:, at] = break_ties_by_distance(shares[:, at], tied, far[tied, at])
        return shares, codes

    def _count_votes(self, queries: NewRows) -> tuple[Numbers, Numbers]:
        """Return the votes of each class, and the distances of its neighbors added up."""
        votes, far = self._votes(queries, np.array([float(self.k)]), NOBODY)
        return votes[:, 0], far[:, 0]

    def _votes(self, queries: NewRows, ks: Numbers, left_out: Codes) -> tuple[Numbers, Numbers]:
        votes, far = np.zeros((2, queries.n_rows, len(ks), len(self.classes)))
        who = (self.voters(ks, left_out), self.labels, len(self.classes))
        out = (votes.reshape(-1), far.reshape(-1))
        _kernels.sum_votes(self.kept.arrays(queries.n_rows), queries.arrays, *who, *out, n_threads())
        return votes, far

    def _shares(self, votes: Numbers, silent: NDArray[np.bool_]) -> Numbers:
        total = reduce_rows(np.add, votes)
        none = silent | ~(total > 0)
        shares: Numbers = votes / np.where(none, 1.0, total)[:, None]
        shares[none] = self.prior / self.prior.sum()
        return shares

    def contributions(self, table: Table) -> Contributions:
        """Return the votes of the neighbors of one row.

        If texts are all that is compared, the vote of a neighbor is shared out over the terms that it has in common
        with the row, by what they add to the cosine; otherwise every neighbor is a contribution.
        """
        return neighbor_contributions(self, table)

    def format_row_target(self, row: int) -> str:
        """Return the class of a row."""
        return str(self.classes[self.labels[row]])

    # -- print and file -------------------------------------------------------------------------------------

    def __str__(self) -> str:
        classes = tuple(escape_name(name) for name in self.classes)
        room = name_width(self, classes)
        counts = [format_number(short(weight)) for weight in self.prior.tolist()]
        digits = max(map(len, counts))
        lines = [head_text(self, "votes"), "", *distance_lines(self, room), "", "rows"]
        lines += [f"  {pad_cells(name, room)}  {count:>{digits}}" for name, count in zip(classes, counts, strict=True)]
        if self.asking.tried is not None:
            lines += ["", *self.asking.tried.lines("k", float(self.k), self.total)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts."""
        return {**self.asking.to_dict(), "labels": self.labels}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        expect_neighbor_parts(parts, "labels")
        if schema.target is None or schema.target_column.kind is not Kind.NOMINAL:
            raise ModelError("neighbors that vote need a nominal target")
        labels = codes_part(parts, "labels", np.int32, None, len(schema.target_column.levels))
        return cls(schema, NeighborSettings.from_dict(parts, schema, len(labels), classes=True), labels, about=about)


def break_ties_by_distance(scores: Numbers, tied: NDArray[np.int64], far: Numbers) -> Codes:
    """Return the class of every row; of those `tied` the one whose neighbors, so `far`, are nearer, then the first."""
    codes = decisions(scores)
    if len(tied):
        own = np.where(ties(scores[tied])[0], far, np.inf)
        codes[tied] = (own <= (reduce_rows(np.minimum, own) * (1 + TIE))[:, None]).argmax(axis=1)
    return codes
