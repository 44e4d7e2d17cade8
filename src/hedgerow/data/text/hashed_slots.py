"""Slots: the coefficients of a table's columns in online learning; hashed to 2 ** bits slots, or one slot each.

Slot 0 is the constant. A number has a slot for its value and one for being missing, a level one that counts 1, a
missing level one, a text the slots of its terms. Hashed, a name's slot is 1 plus its MurmurHash3, as scikit-learn's
hashing has it: of `age`, `age missing`, `sky=rain`, `sky missing`; terms have the hash of the term plus that of their
column. Names may share a slot, and then have one coefficient. Named, places are given out as columns and levels come,
and stay.

What is learned is read through an ordinary `Design` (`design_of`): each name gets the coefficient of its slot.
K. Weinberger, A. Dasgupta, J. Langford, A. Smola, J. Attenberg, Feature hashing for large scale multitask learning.
ICML (2009).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.table import Codes, SparseNumbers, Table, Text, gather_values
from hedgerow.data.text.hashed_counts import hash_terms_to_columns
from hedgerow.data.text.term_vectors import TermVectors

ALL_BITS = (1 << 32) - 1
Arrays = tuple[list[Any], list[Any], list[Any]]  # numbers, levels and entries, as kernels take them


@dataclass(frozen=True)
class NumberSlots:
    """Of a number less its center, and of its being missing."""

    slot: int
    gap: int
    center: float = 0.0


@dataclass(frozen=True, eq=False)
class LevelSlots:
    """Of every level; the last is of a missing one."""

    slots: Codes


@dataclass(frozen=True)
class TextSlots:
    """Of a text's terms: 1 + ((id + base) & mask)."""

    base: int
    mask: int
    size: int  # ids are below it

    @property
    def slots(self) -> Codes:
        """The slot of every id."""
        ids = np.arange(self.size, dtype=np.uint32)
        ids += np.uint32(self.base)  # modulo 2^32, as the mask is of no more bits
        ids &= np.uint32(self.mask)
        ids += np.uint32(1)
        return ids.view(np.int32)


ColumnSlots = NumberSlots | LevelSlots | TextSlots


@dataclass(frozen=True, eq=False)
class HashedSlots:
    """The slots of a schema's columns; columns that are not `used`, and the target, have none."""

    schema: Schema
    bits: int | None
    columns: tuple[ColumnSlots | None, ...]
    n: int  # all slots, the constant's too

    @classmethod
    def of(cls, schema: Schema, bits: int | None, sizes: Mapping[str, int], unused: frozenset[str]) -> HashedSlots:
        """Return the slots of a schema; `sizes` gives the number of terms of each text column."""
        return cls(schema, bits, (), 1).extend(schema, sizes, unused)

    def with_centers(self, centers: Mapping[str, float]) -> HashedSlots:
        """Return the slots with numbers that are counted from a center."""
        columns = tuple(
            replace(own, center=centers.get(name, 0.0)) if isinstance(own, NumberSlots) else own
            for name, own in zip(self.schema.names, self.columns, strict=True)
        )
        return replace(self, columns=columns)

    def extend(self, schema: Schema, sizes: Mapping[str, int], unused: frozenset[str]) -> HashedSlots:
        """Return the slots of a schema that has more columns or levels; what has a position keeps it."""
        used = {schema.columns[position].name for position in schema.predictors} - unused
        if self.bits is not None:
            bits = self.bits
            columns = tuple(_hash_column(c, bits) if c.name in used else None for c in schema.columns)
            return replace(self, schema=schema, columns=columns, n=(1 << bits) + 1).with_centers(self.centers)
        known = dict(zip(self.schema.names, self.columns, strict=False)) if self.columns else {}
        made, n = [], self.n
        for column in schema.columns:
            own = known.get(column.name)
            if column.name in used:
                own, n = _place_column(column, own, n, sizes.get(column.name, 0))
            made.append(own)
        return replace(self, schema=schema, columns=tuple(made), n=n)

    @property
    def centers(self) -> dict[str, float]:
        """What numbers are counted from, by column."""
        pairs = zip(self.schema.names, self.columns, strict=False)
        return {name: own.center for name, own in pairs if isinstance(own, NumberSlots)}

    def arrays(
        self, table: Table, vectors: Mapping[int, TermVectors], gaps: Mapping[int, bool] | None = None
    ) -> Arrays:
        """Return the columns of a table as kernels expect them; `gaps` marks columns with a slot for missing values."""
        numbers: list[Any] = []
        levels: list[Any] = []
        entries: list[Any] = []
        stored: list[tuple[SparseNumbers, NumberSlots]] = []
        for position, own in enumerate(self.columns):
            has_gap = gaps is None or gaps.get(position, False)
            if isinstance(own, NumberSlots):
                own = own if has_gap else replace(own, gap=-1)
                values = gather_values(table.data[position])
                if isinstance(values, SparseNumbers):
                    stored.append((values, own))
                else:
                    numbers.append((np.ascontiguousarray(table.numbers(position)), own.center, own.slot, own.gap))
            elif isinstance(own, LevelSlots):
                slots = own.slots if has_gap else np.append(own.slots[:-1], np.int32(-1))
                levels.append((np.ascontiguousarray(table.codes(position)), slots))
            elif isinstance(own, TextSlots):
                term_vectors = vectors[position]
                entries.append((term_vectors.row_starts, term_vectors.ids, term_vectors.values, own.base, own.mask))
        if stored:
            entries.append(_stored_rows(stored, table.n_rows))
        return numbers, levels, entries

    def names(self) -> tuple[list[str], Codes]:
        """Return the names of numbers and levels, and their slots."""
        names: list[str] = []
        slots: list[int] = []
        for column, own in zip(self.schema.columns, self.columns, strict=True):
            if isinstance(own, NumberSlots):
                names += [column.name]
                slots += [own.slot]
            elif isinstance(own, LevelSlots):
                names += [f"{column.name}={level}" for level in column.levels]
                slots += own.slots[:-1].tolist()
        return names, np.array(slots, dtype=np.int32)


def _hash_column(column: Column, bits: int) -> ColumnSlots | None:
    if column.kind is Kind.NUMERIC:
        slot, gap = _slots_of([column.name, f"{column.name} missing"], bits).tolist()
        return NumberSlots(slot, gap)
    if column.kind is Kind.NOMINAL:
        names = [f"{column.name}={level}" for level in column.levels]
        return LevelSlots(_slots_of([*names, f"{column.name} missing"], bits))
    if column.kind is Kind.TEXT:
        return TextSlots(int(_slots_of([column.name], bits)[0]) - 1, (1 << bits) - 1, 1 << bits)
    return None


def _slots_of(names: list[str], bits: int) -> Codes:
    columns, _ = hash_terms_to_columns(Text.of(names), bits)
    return columns + np.int32(1)


def _place_column(column: Column, own: ColumnSlots | None, n: int, size: int) -> tuple[ColumnSlots | None, int]:
    """Return the places of a column, new ones from `n` on, and how many positions there are then."""
    if column.kind is Kind.NUMERIC:
        return (own, n) if own is not None else (NumberSlots(n, n + 1), n + 2)
    if column.kind is Kind.NOMINAL:
        gap = own.slots[-1] if isinstance(own, LevelSlots) else n
        old = own.slots[:-1] if isinstance(own, LevelSlots) else np.empty(0, dtype=np.int32)
        start = n if isinstance(own, LevelSlots) else n + 1
        more = len(column.levels) - len(old)
        new = np.arange(start, start + more, dtype=np.int32)
        return LevelSlots(np.concatenate([old, new, [gap]]).astype(np.int32)), start + more
    if column.kind is Kind.TEXT:
        return (own, n) if own is not None else (TextSlots(n - 1, ALL_BITS, size), n + size)
    return None, n


def _stored_rows(stored: list[tuple[SparseNumbers, NumberSlots]], n_rows: int) -> tuple[Any, ...]:
    """Return numbers that are stored sparsely as rows of entries."""
    rows = np.concatenate([values.rows for values, _ in stored])
    numbers = np.concatenate([values.values for values, _ in stored])
    slots = np.repeat([own.slot for _, own in stored], [len(values.rows) for values, _ in stored])
    gaps = np.repeat([own.gap for _, own in stored], [len(values.rows) for values, _ in stored])
    missing = np.isnan(numbers)
    slots, numbers = np.where(missing, gaps, slots), np.where(missing, 1.0, numbers)
    kept = np.flatnonzero(slots > 0)
    order = kept[np.argsort(rows[kept], kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows[order], minlength=n_rows))]).astype(np.int64)
    return starts, (slots[order] - 1).astype(np.int32), numbers[order], 0, ALL_BITS
