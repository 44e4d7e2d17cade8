"""Basket files: one transaction a line, items parted by blanks or commas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from hedgerow.data.align import align
from hedgerow.data.formats.blocks import FileSource, check_utf8
from hedgerow.data.formats.delimited import Bytes, Dialect, split
from hedgerow.data.schema import Column, Kind, Schema
from hedgerow.data.source import BATCH_ROWS
from hedgerow.data.table import Bags, Codes, Rows, Table, concatenate
from hedgerow.errors import DataError

ITEMS, ITEM = "items", "item"


class BasketSource(FileSource):
    """A basket file: a table with one bag column, whose rows are the items of a transaction."""

    def find_schema(self) -> Schema:
        """Return the one column; its items stand in the order of their first appearance."""
        if self.options.schema is not None:
            return self.options.schema
        items: dict[str, int] = {}
        for _, _, words in self._blocks(whole=False):
            for word in words:
                items.setdefault(word, len(items))
        return basket_schema(items)

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[Table]:
        """Yield the transactions in order."""
        for table in self._tables(whole=False):
            yield from table.batches(rows)

    def read(self) -> Table:
        """Return all transactions in one table, in one pass."""
        if self.options.schema is None:
            [(offsets, codes, words)] = self._blocks(whole=True)
            return _table(basket_schema(words), offsets, codes)
        return concatenate(list(self._tables(whole=True)))

    def _tables(self, *, whole: bool) -> Iterator[Table]:
        schema = self.schema
        inner = schema[ITEMS].inner if ITEMS in schema else None
        if inner is None:
            raise DataError(f"{self.name}: a basket file has one bag column {ITEMS!r}, but others are asked for")
        code = {item: number for number, item in enumerate(inner[ITEM].levels)}
        for offsets, codes, words in self._blocks(whole=whole):
            if self.options.schema is None:
                new = np.array([*(code[word] for word in words), -1], dtype=np.int32)
                yield _table(schema, offsets, new[codes])
            else:
                yield align(_table(basket_schema(words), offsets, codes), schema).table

    def _blocks(self, *, whole: bool) -> Iterator[tuple[Rows, Codes, list[str]]]:
        """Yield transactions as codes into the words of their own block."""
        dialect: Dialect | None = None
        empty = True
        for data, line in self.opened(whole=whole).rows():
            check_utf8(data, self.name, line)
            dialect = dialect or self._dialect(data)
            try:
                found = _without_blanks(*split(data, dialect))
            except DataError as problem:
                where = f"behind line {line - 1}, " if line > 1 else ""
                raise DataError(f"{self.name}: {where}{problem}") from None
            empty = empty and len(found[0]) < 2
            yield found
        if empty:
            raise DataError(f"{self.name}: there are no transactions; the file needs at least one line with items")

    def _dialect(self, data: Bytes) -> Dialect:
        told = self.options.delimiter
        if told is None:
            told = "," if b"," in data[: 1 << 16].tobytes() else " "
        return Dialect(delimiter=None if told.isspace() and told != "\t" else told, trim=True)


def _without_blanks(offsets: Rows, codes: Codes, words: list[str]) -> tuple[Rows, Codes, list[str]]:
    """Leave out empty items, which a comma at the end of a line makes."""
    if "" not in words:
        return offsets, codes, words
    empty = words.index("")
    kept = codes != empty
    before = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
    codes = codes[kept]
    return (
        before[offsets],
        np.where(codes > empty, codes - 1, codes).astype(np.int32),
        [w for w in words if w],
    )


def basket_schema(items: Iterable[str]) -> Schema:
    """Return the schema of baskets over some items."""
    inner = Schema((Column(ITEM, Kind.NOMINAL, levels=tuple(items)),))
    return Schema((Column(ITEMS, Kind.BAG, inner=inner),))


def basket_table(items: Sequence[str], offsets: Rows, codes: Codes) -> Table:
    """Return baskets, given as codes of items, as a table."""
    return _table(basket_schema(items), offsets, codes)


def _table(schema: Schema, offsets: Rows, codes: Codes) -> Table:
    inner = schema[ITEMS].inner
    assert inner is not None
    return Table(schema, (Bags(Table(inner, (codes,), len(codes)), offsets),), len(offsets) - 1)
