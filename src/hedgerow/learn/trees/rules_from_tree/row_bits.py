"""Which training rows conditions and rules cover: one bit per row, and rows that all rules treat alike as one cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.models.base.condition import Condition, LevelCodes, Mask

Bits = NDArray[np.uint8]


class RowBits:
    """The training rows with their classes and weights, and the rows that each condition lets pass.

    A condition is tested once, however many rules have it; its rows are kept as bits. A missing value passes none.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.schema = table.schema
        self.codes = LevelCodes(table.schema)
        self.classes: Codes = table.target_codes
        self.n_classes = len(table.schema.target_column.levels)
        self.weights: Numbers = np.ascontiguousarray(table.row_weights, dtype=np.float64)
        self._bits: dict[Condition, Bits] = {}

    @property
    def totals(self) -> Numbers:
        """The weight of all rows by class."""
        return np.bincount(self.classes, self.weights, self.n_classes).astype(np.float64)

    def bits(self, condition: Condition) -> Bits:
        """Return which rows pass a condition, eight a byte."""
        if condition not in self._bits:
            self._bits[condition] = np.packbits(condition.covers(self.table, codes=self.codes))
        return self._bits[condition]

    def fails(self, conditions: Sequence[Condition]) -> NDArray[np.uint8]:
        """Return for each condition and row 1 where the row does not pass."""
        packed = np.stack([~self.bits(condition) for condition in conditions])
        return np.unpackbits(packed, axis=1, count=self.table.n_rows)

    def covered_bits(self, conditions: Sequence[Condition]) -> Bits:
        """Return which rows pass all conditions, eight a byte; every row passes none at all."""
        if not conditions:
            return np.packbits(np.ones(self.table.n_rows, dtype=np.bool_))
        together: Bits = np.bitwise_and.reduce([self.bits(condition) for condition in conditions])
        return together

    def cells(self, rules: Sequence[Bits]) -> RowCells:
        """Return the rows as few cells: those that the same rules cover make one."""
        n = self.table.n_rows
        if not rules:
            return RowCells(np.zeros((0, 1), dtype=np.bool_), self.totals[None])
        signatures = np.zeros((n, (len(rules) + 7) // 8), dtype=np.uint8)
        for byte in range(signatures.shape[1]):
            eight = np.stack(rules[8 * byte : 8 * byte + 8])
            signatures[:, byte] = np.packbits(np.unpackbits(eight, axis=1, count=n), axis=0)[0]
        keys = signatures.view(np.dtype((np.void, signatures.shape[1])))[:, 0]
        _, first, cell = np.unique(keys, return_index=True, return_inverse=True)
        covers = np.unpackbits(signatures[first], axis=1, count=len(rules)).astype(np.bool_)
        spots = cell.ravel() * self.n_classes + self.classes
        weights = np.bincount(spots, self.weights, len(first) * self.n_classes).astype(np.float64)
        return RowCells(np.ascontiguousarray(covers.T), weights.reshape(-1, self.n_classes))


@dataclass(frozen=True, eq=False)
class RowCells:
    """Rows that the same rules cover, taken together.

    Parameters
    ----------
    covers
        For each rule and cell whether the rule covers it.
    weights
        The weight of each cell by class.
    """

    covers: Mask
    weights: Numbers

    def deciders(self, order: Sequence[int]) -> NDArray[np.int64]:
        """Return for each cell the position in `order` of the first rule that covers it; if none does, its length."""
        if not len(order):
            return np.zeros(len(self.weights), dtype=np.int64)
        ordered = self.covers[np.asarray(order)]
        return np.where(ordered.any(axis=0), ordered.argmax(axis=0), len(order))
