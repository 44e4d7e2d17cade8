"""Neighbors: a model that keeps its rows and asks the nearest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.cells import pad, width
from hedgerow.data.decimals import number_text
from hedgerow.data.schema import Schema
from hedgerow.data.table import Codes, Numbers, Table
from hedgerow.data.term_space import TermSpace
from hedgerow.data.threads import n_threads
from hedgerow.errors import ModelError, UsageError
from hedgerow.models.factor import short, shown
from hedgerow.models.grounds import Grounds
from hedgerow.models.kept_columns import KeptColumn, KeptTexts, kept_column
from hedgerow.models.kept_rows import KeptRows, NewRows
from hedgerow.models.model import TIE, About, ClassModel, Scored, by_row, decisions, ties
from hedgerow.models.neighbor_grounds import neighbor_grounds
from hedgerow.models.parts import codes_part, expect_parts, weights_part

VOTES = ("plain", "distance", "similarity")
MOST_VOTES = (1 << 53) - 1  # whole numbers that kernels count exactly


@dataclass(frozen=True, eq=False)
class Near:
    """The nearest rows of every row asked for, nearest first, by their number in the training data.

    `distance` and `similarity` are as in `docs/learners/knn.md`: of texts alone 1 - cosine and the cosine.
    """

    rows: Codes
    distance: Numbers
    similarity: Numbers


@dataclass(frozen=True, eq=False)
class Neighbors(ClassModel):
    """The rows learned from; a new row gets the class that most of the nearest ones have."""

    k: int
    votes: str  # one of VOTES: what the vote of a neighbor counts
    labels: Codes  # the class of every row
    weights: Numbers | None  # of the rows; None if all weigh 1
    columns: tuple[KeptColumn | None, ...]  # one a column of the schema; None for the target and unused columns

    kind = "neighbors"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "kept"}  # which is made anew

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.labels)

    @property
    def size(self) -> int:
        """How many rows there are, by weight: one of weight 2 is two."""
        return max(1, round(float(self.prior.sum())))

    @property
    def columns_used(self) -> tuple[str, ...]:
        """The columns that are compared."""
        return tuple(self.schema.names[at] for at in self.kept.columns)

    @cached_property
    def prior(self) -> Numbers:
        """The weight of each class."""
        return np.bincount(self.labels, weights=self.weights, minlength=len(self.classes)).astype(np.float64)

    # -- predicting -----------------------------------------------------------------------------------------

    def scores(self, table: Table) -> Numbers:
        """Return the shares of the votes; the prior where no column of a row is known."""
        return self.scored(table).distribution

    def scored(self, table: Table) -> Scored:
        """Return the same, and the rows of which nothing is known."""
        asked = self.kept.asked(table)
        votes, _ = self._voted(asked)
        silent = self.kept.silent(asked)
        return Scored(self._shares(votes, silent), silent)

    def decided(self, table: Table, scores: Numbers | None = None) -> Codes:
        """Return the class with most votes; of several the one whose neighbors are nearer, then the first."""
        far = None
        if scores is None:
            asked = self.kept.asked(table)
            votes, far = self._voted(asked)
            scores = self._shares(votes, self.kept.silent(asked))
        codes = decisions(scores)
        best, tied = ties(scores)
        if not len(tied):
            return codes
        own = self._voted(self.kept.asked(table.take(tied)))[1] if far is None else far[tied]
        own = np.where(best[tied], own, np.inf)
        least = by_row(np.minimum, own)
        codes[tied] = (own <= (least * (1 + TIE))[:, None]).argmax(axis=1)
        return codes

    def neighbors(self, table: Any, k: int | None = None) -> Near:
        """Return the `k` nearest rows of every row of a table or frame; of equally near ones the first.

        `k` is that of the model if it is not given. There are no more than the rows learned from.
        """
        k = self.k if k is None else k
        if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 1:
            raise UsageError(f"k={k!r} is not allowed: it must be a whole number of at least 1")
        rows, scores = self.kept.nearest(self.kept.asked(self.aligned(table)), min(int(k), self.n_rows))
        distance = self.kept.distances(scores)
        return Near(rows, distance, self.kept.similarities(distance))

    @cached_property
    def kept(self) -> KeptRows:
        """The rows as they are searched."""
        return KeptRows({at: one for at, one in enumerate(self.columns) if one is not None}, self.n_rows)

    def _voted(self, asked: NewRows) -> tuple[Numbers, Numbers]:
        """Return the votes of each class, and the distances of its neighbors added up."""
        votes, far = np.zeros((2, asked.n_rows, len(self.classes)))
        weights = np.empty(0) if self.weights is None else self.weights
        how = (weights, self.labels, float(self.k), VOTES.index(self.votes))
        _kernels.vote_rows(self.kept.arrays, asked, *how, votes, far, n_threads())
        return votes, far

    def _shares(self, votes: Numbers, silent: NDArray[np.bool_]) -> Numbers:
        total = by_row(np.add, votes)
        none = silent | ~(total > 0)
        shares: Numbers = votes / np.where(none, 1.0, total)[:, None]
        shares[none] = self.prior / self.prior.sum()
        return shares

    @property
    def term_spaces(self) -> dict[str, TermSpace]:
        """The terms of each text column."""
        texts = ((at, one) for at, one in self.kept.columns.items() if isinstance(one, KeptTexts))
        return {self.schema.names[at]: one.space for at, one in texts}

    def grounds(self, table: Table) -> Grounds:
        """Return the votes of the neighbors of one row.

        If texts are all that is compared, the vote of a neighbor is shared out over the terms that it has in common
        with the row, by what they add to the cosine; otherwise every neighbor is a ground.
        """
        return neighbor_grounds(self, table)

    # -- print and file -------------------------------------------------------------------------------------

    def __str__(self) -> str:
        total = number_text(short(float(self.prior.sum())))
        how = {"plain": "", "distance": ", by 1 / distance", "similarity": ", by similarity"}[self.votes]
        lines = [
            f"{shown(str(self.schema.target))}: votes of the {self.k} nearest of {total} rows{how}",
            "",
            "distance",
        ]
        used = [(shown(self.schema.names[at]), one.told()) for at, one in self.kept.columns.items()]
        classes = [shown(name) for name in self.classes]
        room = max(width(name) for name in [*classes, *(name for name, _ in used)])
        lines += [f"  {pad(name, room)}  {told}" for name, told in used] or ["  no column tells rows apart"]
        counts = [number_text(short(weight)) for weight in self.prior.tolist()]
        digits = max(map(len, counts))
        lines += ["", "rows"]
        lines += [f"  {pad(name, room)}  {count:>{digits}}" for name, count in zip(classes, counts, strict=True)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts."""
        return {
            "k": self.k,
            "votes": self.votes,
            "labels": self.labels,
            "weights": np.empty(0) if self.weights is None else self.weights,
            "columns": [None if kept is None else kept.to_dict() for kept in self.columns],
        }

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        expect_parts(parts, "k", "votes", "labels", "weights", "columns")
        k, votes = parts["k"], parts["votes"]
        if type(k) is not int or not 1 <= k <= MOST_VOTES:
            raise ModelError("its part 'k' must be a whole number of at least 1")
        if not isinstance(votes, str) or votes not in VOTES:
            raise ModelError(f"its part 'votes' must be one of {', '.join(VOTES)}")
        labels = codes_part(parts, "labels", np.int32, None, len(schema.target_column.levels))
        if not len(labels):
            raise ModelError("it has no rows")
        weights = weights_part(parts, "weights", None)
        if len(weights) not in (0, len(labels)) or not (weights > 0).all():
            raise ModelError("its part 'weights' must hold a positive weight a row, or nothing")
        columns = _columns(parts["columns"], schema, len(labels))
        return cls(schema, k, votes, labels, weights if len(weights) else None, columns, about=about)


def _columns(listed: Any, schema: Schema, n_rows: int) -> tuple[KeptColumn | None, ...]:
    if not isinstance(listed, list) or len(listed) != len(schema):
        raise ModelError("neighbors need an entry a column")
    made: list[KeptColumn | None] = []
    for parts, column in zip(listed, schema.columns, strict=True):
        if parts is None:
            made.append(None)
            continue
        if column.name == schema.target:
            raise ModelError(f"column {column.name!r} is the target, which is not compared")
        made.append(kept_column(parts, column))
        if len(made[-1] or ()) != n_rows:
            raise ModelError(f"column {column.name!r} does not have as many rows as there are classes")
    return tuple(made)
