"""Hashes of 64 bits: of numbers, of words, and of the values of rows.

The hash of a row depends on its values and on the names of their columns only: not on the order of the columns or of
the levels, nor on how a column is stored. So a row has the same hash in every table with the same kinds of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import cast

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Column
from hedgerow.data.table.table import Bags, Numbers, SparseNumbers, Table, Text, Values, gather_values

Bits = NDArray[np.uint64]
ReadBits = Callable[[slice], Bits]

STEP = np.uint64(0x9E3779B97F4A7C15)  # of SplitMix64, 2^64 by the golden ratio
ROW_SALT = np.uint64(0x68656467653A7231)  # of the hashes of rows; other rules for hashing take another salt
BLOCK = 1 << 16  # values that are hashed at a time, so that they stay in the cache

_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))  # the finalizer of SplitMix64


def mix_bits(bits: Bits) -> Bits:
    """Return numbers that look random, each made of one number."""
    for shift, factor in zip((30, 27), _MIX, strict=True):
        bits = (bits ^ (bits >> np.uint64(shift))) * factor
    return bits ^ (bits >> np.uint64(31))


def hash_bytes(content: bytes | memoryview) -> int:
    """Return a hash of some bytes."""
    return int.from_bytes(blake2b(content, digest_size=8).digest())


def hash_words(words: Sequence[str]) -> Bits:
    """Return a hash of every word, and at the end that of a missing one, 0."""
    return np.array([*(hash_bytes(word.encode("utf-8", "surrogatepass")) for word in words), 0], dtype=np.uint64)


def hash_texts(texts: Text) -> Bits:
    """Return a hash of every text, 0 for a missing one."""
    data, ends = np.ascontiguousarray(texts.data).data, texts.offsets.tolist()
    hashes = [hash_bytes(data[start:end]) for start, end in pairwise(ends)]
    out = np.array(hashes, dtype=np.uint64)
    out[texts.missing] = 0
    return out


def number_bits(numbers: Numbers) -> Bits:
    """Return the bits of numbers, equal for equal numbers: there is one zero and one missing value."""
    plain = numbers + 0.0
    plain[np.isnan(plain)] = np.nan
    return plain.view(np.uint64)


def hash_rows(table: Table) -> Bits:
    """Return a hash of the values of every row; rows with equal values in all columns have equal hashes.

    Examples
    --------
    >>> one = Table.of({"sky": ["sun", "rain"], "heat": [25, 18.5]})
    >>> other = Table.of({"heat": [18.5, 30, 25], "sky": ["rain", "sun", "sun"]})
    >>> np.isin(hash_rows(other), hash_rows(one)).tolist()
    [True, False, True]
    """
    salts = mix_bits(hash_words([column.name for column in table.schema.columns])[:-1])
    sums = np.full(table.n_rows, ROW_SALT)
    dense: list[tuple[ReadBits, np.uint64]] = []
    sparse: list[tuple[SparseNumbers, np.uint64]] = []
    for column, stored, salt in zip(table.schema.columns, table.data, salts, strict=True):
        values = gather_values(stored)
        if isinstance(values, SparseNumbers):
            sparse.append((values, salt))
        else:
            dense.append((_bits_reader(column, values), salt))
    _add_dense(sums, dense)
    _add_sparse(sums, sparse)
    return mix_bits(sums)


def _add_dense(sums: Bits, columns: list[tuple[ReadBits, np.uint64]]) -> None:
    """Add the hashes of the values of columns to those of their rows, block by block."""
    if not columns:
        return
    salts = np.array([salt for _, salt in columns], dtype=np.uint64)[:, None]
    step = max(1, BLOCK // len(columns))
    for start in range(0, len(sums), step):
        rows = slice(start, min(start + step, len(sums)))
        bits = np.empty((len(columns), rows.stop - start), dtype=np.uint64)
        for place, (read_bits, _) in enumerate(columns):
            bits[place] = read_bits(rows)
        bits ^= salts
        sums[rows] += mix_bits(bits).sum(axis=0, dtype=np.uint64)


def _add_sparse(sums: Bits, columns: list[tuple[SparseNumbers, np.uint64]]) -> None:
    """Add the hashes of the values of sparse columns, as if they were dense."""
    if not columns:
        return
    salts = np.array([salt for _, salt in columns], dtype=np.uint64)
    zeros, sizes = mix_bits(salts), [len(values.rows) for values, _ in columns]
    rows = np.concatenate([values.rows for values, _ in columns])
    bits = number_bits(np.concatenate([values.values for values, _ in columns])) ^ np.repeat(salts, sizes)
    sums += zeros.sum(dtype=np.uint64)
    np.add.at(sums, rows, mix_bits(bits) - np.repeat(zeros, sizes))


def _bits_reader(column: Column, values: Values) -> ReadBits:
    """Return a function that returns a number for every value of some rows, equal for equal values."""
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        numbers = cast("Numbers", values)
        return lambda rows: number_bits(numbers[rows])
    if isinstance(values, np.ndarray):
        levels, codes = hash_words(column.levels), values
        return lambda rows: levels[codes[rows]]  # the last is that of a missing value
    hashes = hash_texts(values) if isinstance(values, Text) else _hash_bags(values)
    return lambda rows: hashes[rows]


def _hash_bags(bags: Values) -> Bits:
    """Return a hash of every bag, which does not depend on the order of its rows."""
    assert isinstance(bags, Bags)
    ends = np.concatenate([np.zeros(1, np.uint64), np.cumsum(hash_rows(bags.table), dtype=np.uint64)])
    return mix_bits(ends[bags.offsets[1:]] - ends[bags.offsets[:-1]])
