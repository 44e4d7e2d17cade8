"""Telling a basket file by its first lines, where its name does not: lines of different lengths are no table."""

from __future__ import annotations

import os
from collections import Counter
from itertools import pairwise

import numpy as np

from hedgerow.data.formats.basket import BasketSource, outside_quotes
from hedgerow.data.table import files
from hedgerow.data.table.delimited import Bytes, Dialect, split
from hedgerow.data.table.source import ReadOptions
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError

USUAL = 0.8  # a share of lines as long as each other from which on the others are faults of a table
MARKS = (",", "\t", ";", "|")


def basket_delimiter(path: str | os.PathLike[str], encoding: str = "utf-8") -> str | None:
    """Return the item separator of a file of baskets with the name of a table; None if it is a table.

    Baskets differ in length. Where all are as long as each other, only item numbers that ascend in every line, parted
    by blanks, are taken for baskets.
    """
    if os.fspath(path) == "-" or files.suffix(path) not in ("", ".txt", *files.CSV_SUFFIXES):
        return None
    head = _head(path, encoding)
    text = outside_quotes(head.tobytes())
    mark = max(MARKS, key=lambda one: text.count(one.encode()))
    if mark.encode() not in text:
        mark = " "
    try:
        offsets, codes, words = split(head, Dialect(None if mark == " " else mark, trim=True))
    except DataError:
        return None
    sizes = np.diff(offsets)
    return mark if _are_baskets(sizes[sizes > 0], offsets, codes, words, mark) else None


def read_baskets(path: str | os.PathLike[str]) -> Table | None:
    """Return the baskets of a file that is called a table; None if it is one."""
    delimiter = basket_delimiter(path)
    if delimiter is None:
        return None
    return BasketSource(path, ReadOptions(delimiter=delimiter)).read()


def _head(path: str | os.PathLike[str], encoding: str) -> Bytes:
    """Return the first lines; the last of them whole."""
    head = next(files.blocks(path, encoding, files.HEAD), np.empty(0, dtype=np.uint8))
    ends = np.flatnonzero(head == ord("\n"))
    return head[: ends[-1] + 1] if len(ends) > 1 else head


def _are_baskets(sizes: np.ndarray, offsets: np.ndarray, codes: np.ndarray, words: list[str], mark: str) -> bool:
    if len(sizes) < 2:
        return False
    size, rows = Counter(sizes.tolist()).most_common(1)[0]
    ragged = rows < len(sizes) and (size == 1 or rows < USUAL * len(sizes))
    if mark != " ":
        return ragged
    return all(map(str.isdecimal, words)) and (ragged or (size > 1 and _rows_ascend(offsets, codes, words)))


def _rows_ascend(offsets: np.ndarray, codes: np.ndarray, words: list[str]) -> bool:
    """Whether the numbers of every row are in order, each once."""
    numbers = np.array(list(map(float, words)))[codes]
    return all(bool((np.diff(numbers[start:stop]) > 0).all()) for start, stop in pairwise(offsets.tolist()))
