"""Basket files: one transaction a line, items parted by blanks, commas or semicolons.

A blank line is an empty basket, as in R's arules, except those after the last basket, which editors leave.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from hedgerow import _kernels
from hedgerow.data.formats.row_blocks import FileSource, check_utf8
from hedgerow.data.frames.match_schema import match_schema
from hedgerow.data.table.delimited import Bytes, Dialect, split
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.data.table.source import BATCH_ROWS
from hedgerow.data.table.table import Bags, Codes, Rows, Table, concatenate
from hedgerow.errors import DataError

ITEMS, ITEM = "items", "item"
_BLANK_LINE = re.compile(rb"[ \t\r]*+(?:\n|\Z)")
_IS_BLANK = np.isin(np.arange(256), [ord(sign) for sign in " \t\r\n"])

QUOTED = re.compile(rb'(?m)(?:(?<=[\s,;|])|^)"(?:[^"\n]|"")*"')  # an item in quotes


class BasketSource(FileSource):
    """A basket file: a table with one bag column, whose rows are the items of a transaction."""

    def find_schema(self) -> Schema:
        """Return the one column; its items are in the order of their first appearance."""
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
            raise DataError(
                f"{self.name}: a basket file has one bag column {ITEMS!r}, but other columns were requested"
            )
        code = {item: number for number, item in enumerate(inner[ITEM].levels)}
        for offsets, codes, words in self._blocks(whole=whole):
            if self.options.schema is None:
                new = np.array([*(code[word] for word in words), -1], dtype=np.int32)
                yield _table(schema, offsets, new[codes])
            else:
                yield match_schema(_table(basket_schema(words), offsets, codes), schema).table

    def _blocks(self, *, whole: bool) -> Iterator[tuple[Rows, Codes, list[str]]]:
        """Yield transactions as codes into the words of their own block."""
        dialect: Dialect | None = None
        blank, any_rows = 0, False  # blank lines that came last: empty baskets if another one follows
        for data, line in self._texts(whole=whole):
            check_utf8(data, self.name, line)
            dialect = dialect or self._dialect(data)
            try:
                offsets, codes, words = _drop_blank_items(*split(data, dialect))
            except DataError as problem:
                where = f"after line {line - 1}, " if line > 1 else ""
                raise DataError(f"{self.name}: {where}{problem}") from None
            offsets, blank = _insert_empty_baskets(offsets, data, dialect, blank)
            any_rows = any_rows or len(words) > 0
            yield offsets, codes, words
        if not any_rows:
            raise DataError(f"{self.name}: there are no transactions; the file needs at least one line with items")

    def _texts(self, *, whole: bool) -> Iterator[tuple[Bytes, int]]:
        """Yield blocks of whole lines, each with the number of its first one; all lines at once if `whole`."""
        items = self.open_blocks(whole=whole).rows()
        if not whole:
            yield from items
            return
        pieces = [data for data, _ in items]  # two, if the last line has no end
        if pieces:
            yield pieces[0] if len(pieces) == 1 else np.concatenate(pieces), 1

    def _dialect(self, data: Bytes) -> Dialect:
        text = self.options.delimiter
        if text is None:
            head = outside_quotes(data[: 1 << 16].tobytes())
            text = next((sign for sign in ",;" if sign.encode() in head), " ")
        return Dialect(delimiter=None if text.isspace() and text != "\t" else text, trim=True)


def outside_quotes(text: bytes) -> bytes:
    """Return text without quoted items, so that their content is not mistaken for a delimiter."""
    return QUOTED.sub(b"", text) if b'"' in text else text


def _drop_blank_items(offsets: Rows, codes: Codes, words: list[str]) -> tuple[Rows, Codes, list[str]]:
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


def _insert_empty_baskets(offsets: Rows, data: Bytes, dialect: Dialect, before: int) -> tuple[Rows, int]:
    """Return where baskets start with empty ones for blank lines, and how many blank lines come last.

    `before` is the number of blank lines that came last in the block before this one.
    """
    blank = _blank_lines(data)
    if not len(blank) and not before:
        return offsets, 0
    starts = _kernels.find_row_starts(data, dialect.settings)
    if (data == ord('"')).any():
        blank = _outside_quotes(blank, starts, data)
    n_rows = len(offsets) - 1
    if not n_rows:
        return offsets, before + len(blank)
    empty = np.bincount(np.searchsorted(starts, blank), minlength=n_rows + 1)  # before each row, and after the last
    empty[0] += before
    return np.concatenate([np.repeat(offsets[:-1], 1 + empty[:-1]), offsets[-1:]]), int(empty[-1])


def _blank_lines(data: Bytes) -> Rows:
    """Return where blank lines begin."""
    starts = np.concatenate([[0], np.flatnonzero(data == ord("\n")) + 1])
    starts = starts[starts < len(data)]
    likely: Rows = starts[_IS_BLANK[data[starts]]]
    if not len(likely):
        return likely
    raw = data.tobytes()
    blank: Rows = likely[[_BLANK_LINE.match(raw, start) is not None for start in likely.tolist()]]
    return blank


def _outside_quotes(blank: Rows, starts: Rows, data: Bytes) -> Rows:
    """Leave out lines inside a quoted item, after an odd number of quotes of their row."""
    quotes = np.flatnonzero(data == ord('"'))
    row = np.searchsorted(starts, blank) - 1
    begin = np.where(row < 0, blank, starts[np.maximum(row, 0)]) if len(starts) else blank
    inside = (np.searchsorted(quotes, blank) - np.searchsorted(quotes, begin)) % 2
    outside: Rows = blank[inside == 0]
    return outside


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
