"""Rows of a column as parts of vectors: sparse terms, levels as terms, and numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from hedgerow import _kernels
from hedgerow.data.rows.hashing import STEP, Bits, mix_bits
from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.data.text.class_terms import ClassRows, ClassTerms
from hedgerow.data.text.term_vectors import EvidenceParts, TermVectors


@dataclass(frozen=True, eq=False)
class ColumnWeights:
    """The weights of n prototypes in one column: position t has `weights[starts[t]:starts[t + 1]]` of these owners."""

    starts: Rows
    owners: Codes  # ascending at every position
    weights: Numbers
    n: int

    @classmethod
    def of(cls, ids: Codes, owners: Codes, weights: Numbers, shape: tuple[int, int]) -> ColumnWeights:
        """Return the block of entries that lie prototype by prototype; `shape` is the column's width, and n."""
        width, n = shape
        order = np.argsort(ids, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(ids, minlength=width))]).astype(np.int64)
        return cls(starts, owners[order], weights[order], n)

    @cached_property
    def dense(self) -> Numbers:
        """All weights by position and prototype."""
        return self.weights_at(np.arange(len(self.starts) - 1, dtype=np.int32))

    def weights_at(self, ids: Codes) -> Numbers:
        """Return the weights of all prototypes at some positions."""
        out = np.zeros((len(ids), self.n))
        for line, place in enumerate(ids.tolist()):
            inside = slice(self.starts[place], self.starts[place + 1])
            out[line, self.owners[inside]] = self.weights[inside]
        return out

    def add(self, vectors: TermVectors, out: Numbers) -> None:
        """Add the product of every row of vectors with every prototype to `out`."""
        vectors.add_scores(self.parts, out)

    @property
    def parts(self) -> EvidenceParts:
        """The weights as the kernels take evidence."""
        nothing, none = np.zeros(self.n), np.zeros(self.n, np.bool_)
        return self.starts, self.owners, self.weights, np.empty(0), nothing, nothing, none


class VectorRows(ABC):
    """What one column has of the vectors of some rows."""

    width: int

    @abstractmethod
    def __len__(self) -> int:
        """How many rows there are."""

    @abstractmethod
    def take(self, rows: Rows) -> VectorRows:
        """Return some of the rows."""

    @abstractmethod
    def squares(self) -> Numbers:
        """Return the sum of the squares of every row."""

    @abstractmethod
    def add_dots(self, block: ColumnWeights, out: Numbers) -> None:
        """Add the product of every row with every prototype to `out`."""

    @abstractmethod
    def sums(self, groups: ClassRows) -> ClassTerms:
        """Return the weighted sum of the rows of each group, sparse."""

    @abstractmethod
    def entries(self, row: int) -> tuple[Codes, Numbers]:
        """Return the ids and values of one row."""

    @abstractmethod
    def bits(self) -> Bits:
        """Return a hash of every row, equal for equal rows."""


@dataclass(frozen=True, eq=False)
class TermRows(VectorRows):
    """A text column; `unit` means that every nonzero row has length 1."""

    vectors: TermVectors
    unit: bool = False

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def width(self) -> int:  # type: ignore[override]
        """How many terms there are."""
        return self.vectors.n_terms

    def take(self, rows: Rows) -> TermRows:
        """Return some of the rows."""
        return TermRows(self.vectors.take(rows), self.unit)

    def squares(self) -> Numbers:
        """Return the sum of the squares of every row."""
        starts, values, out = self.vectors.row_starts, self.vectors.values, np.zeros(len(self))
        filled = np.flatnonzero(np.diff(starts))
        if self.unit:
            out[filled] = 1.0
            for row in filled[values[starts[filled]] == 0].tolist():  # it may contain only zeros
                out[row] = float(values[starts[row] : starts[row + 1]].any())
        elif len(filled):
            out[filled] = np.add.reduceat(np.square(values), starts[filled])
        return out

    def add_dots(self, block: ColumnWeights, out: Numbers) -> None:
        """Add the product of every row with every prototype."""
        block.add(self.vectors, out)

    def sums(self, groups: ClassRows) -> ClassTerms:
        """Return the weighted sum of the rows of each group."""
        return ClassTerms.of(self.vectors, self.vectors.values, np.ones(len(self), dtype=np.bool_), groups)

    def entries(self, row: int) -> tuple[Codes, Numbers]:
        """Return the ids and values of one row."""
        inside = slice(int(self.vectors.row_starts[row]), int(self.vectors.row_starts[row + 1]))
        return self.vectors.ids[inside], self.vectors.values[inside]

    def bits(self) -> Bits:
        """Return a hash of every row: the sum of those of its entries."""
        v = self.vectors
        ends = np.concatenate([np.zeros(1, np.uint64), np.cumsum(_entry_bits(v.ids, v.values), dtype=np.uint64)])
        rows: Bits = np.diff(ends[v.row_starts])  # modulo 2^64, so that no bits are lost
        return rows


@dataclass(frozen=True, eq=False)
class LevelRows(VectorRows):
    """A nominal column: every level is a term, all of one weight; a missing one is -1."""

    codes: Codes
    width: int
    weight: float = 1.0

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: Rows) -> LevelRows:
        """Return some of the rows."""
        return LevelRows(self.codes[rows], self.width, self.weight)

    def squares(self) -> Numbers:
        """Return the square of the weight where there is a level."""
        return np.where(self.codes >= 0, np.float64(self.weight**2), np.float64(0))

    def add_dots(self, block: ColumnWeights, out: Numbers) -> None:
        """Add the weights of each row's level."""
        _kernels.add_level_scores(self.codes, np.ascontiguousarray(self.weight * block.dense), out)

    def sums(self, groups: ClassRows) -> ClassTerms:
        """Return the weight of every level in each group."""
        own, group = self.codes[groups.rows], groups.classes
        known = own >= 0
        cells = own[known].astype(np.int64) * len(groups) + group[known]
        flat = np.bincount(cells, groups.shares[known], self.width * len(groups)).astype(np.float64)
        return sparse_sums(self.weight * flat.reshape(self.width, len(groups)))

    def entries(self, row: int) -> tuple[Codes, Numbers]:
        """Return the level of one row, if it has one."""
        own = self.codes[row : row + 1]
        own = own[own >= 0]
        return own, np.full(len(own), self.weight)

    def bits(self) -> Bits:
        """Return a hash of every row."""
        known = self.codes >= 0
        return np.where(known, _entry_bits(self.codes, known.astype(np.float64)), np.uint64(0))


@dataclass(frozen=True, eq=False)
class NumberRows(VectorRows):
    """A numeric column, its numbers brought to one scale; a missing one is 0."""

    values: Numbers

    width = 1

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: Rows) -> NumberRows:
        """Return some of the rows."""
        return NumberRows(self.values[rows])

    def squares(self) -> Numbers:
        """Return the squares."""
        return np.square(self.values)

    def add_dots(self, block: ColumnWeights, out: Numbers) -> None:
        """Add the numbers times the weights."""
        out += self.values[:, None] * block.dense

    def sums(self, groups: ClassRows) -> ClassTerms:
        """Return the weighted sum of each group."""
        flat = np.bincount(groups.classes, groups.shares * self.values[groups.rows], len(groups))
        return sparse_sums(flat.astype(np.float64)[None, :])

    def entries(self, row: int) -> tuple[Codes, Numbers]:
        """Return the number of one row, unless it is 0."""
        own = self.values[row : row + 1]
        own = own[own != 0]
        return np.zeros(len(own), dtype=np.int32), own

    def bits(self) -> Bits:
        """Return a hash of every row."""
        return _entry_bits(np.zeros(len(self), dtype=np.int32), self.values)


@dataclass(frozen=True, eq=False)
class RowVectors:
    """The vectors of some rows, column by column, with the rows' weights and classes."""

    columns: tuple[VectorRows, ...]
    weights: Numbers
    classes: Codes
    n_classes: int

    def __len__(self) -> int:
        return len(self.weights)

    @cached_property
    def squares(self) -> Numbers:
        """The sum of the squares of every row."""
        return np.asarray(sum((column.squares() for column in self.columns), np.zeros(len(self))))

    def take(self, rows: Rows) -> RowVectors:
        """Return some of the rows."""
        columns = tuple(column.take(rows) for column in self.columns)
        return RowVectors(columns, self.weights[rows], self.classes[rows], self.n_classes)

    @cached_property
    def rows_by_class(self) -> tuple[tuple[Rows, RowVectors], ...]:
        """The nonzero rows of each class: their positions and vectors."""
        order = np.argsort(self.classes, kind="stable")
        order = order[self.squares[order] > 0]
        cuts = np.searchsorted(self.classes[order], np.arange(self.n_classes + 1))
        return tuple((order[a:b], self.take(order[a:b])) for a, b in pairwise(cuts.tolist()))

    def cosines(self, blocks: tuple[ColumnWeights, ...], n: int) -> Numbers:
        """Return the cosine of every row with n vectors of length 1; 0 where a row is zero."""
        return cosines(self.columns, self.squares, blocks, n)

    def sums(self, groups: Codes, n_groups: int) -> ClassTerms:
        """Return the weighted sums of the rows of each group, all columns one after another; -1 is no group.

        The weight of each group (`texts`) is that of its nonzero rows.
        """
        members = ClassRows.of(groups, n_groups, self.weights)
        parts = [column.sums(members) for column in self.columns]
        return concatenate_columns(parts, members.weight(self.squares > 0))

    def bits(self, seed: int) -> Bits:
        """Return a hash of every row and the seed."""
        hashed = np.full(len(self), np.uint64(seed))
        for column in self.columns:
            hashed = mix_bits((hashed + STEP) ^ column.bits())
        return hashed


def cosines(columns: tuple[VectorRows, ...], squares: Numbers, blocks: tuple[ColumnWeights, ...], n: int) -> Numbers:
    """Return the cosine of every row with n vectors of length 1; 0 where a row is zero."""
    out = np.zeros((len(squares), n))
    for column, block in zip(columns, blocks, strict=True):
        column.add_dots(block, out)
    return per_length(out, squares)


def per_length(products: Numbers, squares: Numbers) -> Numbers:
    """Return the products of every row divided by its length, in place; 0 where a row is zero."""
    lengths = np.sqrt(squares)
    products /= np.where(lengths > 0, lengths, 1.0)[:, None]
    return products


def split_by_column(vectors: TermVectors, widths: tuple[int, ...]) -> tuple[ColumnWeights, ...]:
    """Return prototypes that lie over all columns side by side as one block per column."""
    ends = np.cumsum([0, *widths])
    owners = np.repeat(np.arange(len(vectors), dtype=np.int32), np.diff(vectors.row_starts))
    if len(widths) == 1:
        return (ColumnWeights.of(vectors.ids, owners, vectors.values, (widths[0], len(vectors))),)
    column = np.searchsorted(ends, vectors.ids, side="right") - 1
    column_weights = []
    for number, width in enumerate(widths):
        own = column == number
        ids = (vectors.ids[own] - ends[number]).astype(np.int32)
        column_weights.append(ColumnWeights.of(ids, owners[own], vectors.values[own], (width, len(vectors))))
    return tuple(column_weights)


def _entry_bits(ids: Codes, values: Numbers) -> Bits:
    single = values.astype(np.float32) + np.float32(0)  # one zero; the last bits may be rounding
    return mix_bits((ids.astype(np.uint64) + np.uint64(1)) * STEP ^ single.view(np.uint32).astype(np.uint64))


def concatenate_columns(parts: Sequence[ClassTerms], weights: Numbers) -> ClassTerms:
    """Return the sums of several columns as those of one, with the weight of each group."""
    if len(parts) == 1:
        return replace(parts[0], texts=weights)
    ends = np.cumsum([0, *(len(part.amounts) for part in parts)])
    starts = [part.starts[1:] + end for part, end in zip(parts, ends[:-1].tolist(), strict=True)]
    classes, amounts = [part.classes for part in parts], [part.amounts for part in parts]
    return ClassTerms(
        weights,
        np.concatenate([np.zeros(1, np.int64), *starts]),
        np.concatenate([np.empty(0, np.int32), *classes]),
        np.concatenate([np.empty(0), *amounts]),
    )


def sparse_sums(dense: Numbers, weights: Numbers | None = None) -> ClassTerms:
    """Return sums by position and group, of which most may be 0, and the weight of each group."""
    places, groups = np.nonzero(dense)
    starts = np.concatenate([[0], np.cumsum(np.bincount(places, minlength=len(dense)))]).astype(np.int64)
    known = np.zeros(dense.shape[1]) if weights is None else weights
    return ClassTerms(known, starts, groups.astype(np.int32), dense[places, groups])
