"""Sums of rows as directions: vectors of length 1, and what is done to sums by group before they become that."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Rows
from hedgerow.data.text.class_terms import ClassTerms
from hedgerow.data.text.term_space import concatenate_vectors
from hedgerow.data.text.term_vectors import TermVectors

KEPT_BITS = 40  # of a weight: sums that differ by rounding only become equal


def directions(sums: ClassTerms) -> TermVectors:
    """Return the sums of each group as a vector of length 1, without what is nothing; weights keep 40 bits."""
    n, group = len(sums.texts), sums.classes
    largest = np.zeros(n)
    np.maximum.at(largest, group, np.abs(sums.amounts))
    values = sums.amounts / np.where(largest > 0, largest, 1.0)[group]  # so that squares neither vanish nor overflow
    lengths = np.sqrt(np.bincount(group, np.square(values), n))
    values /= np.where(lengths > 0, lengths, 1.0)[group]
    shifted = values * (2.0 ** (53 - KEPT_BITS) + 1)
    values = shifted - (shifted - values)
    order = np.argsort(group.astype(np.uint16) if n < 1 << 16 else group, kind="stable")  # by digits if they are short
    order = order[values[order] != 0]
    starts = np.concatenate([[0], np.cumsum(np.bincount(group[order], minlength=n))]).astype(np.int64)
    return TermVectors(starts, sums.terms[order].astype(np.int32), values[order], len(sums))


def select_positions(sums: ClassTerms, first: int, last: int) -> ClassTerms:
    """Return the sums at some positions."""
    starts = sums.starts[first : last + 1]
    inside = slice(starts[0], starts[-1])
    return ClassTerms(sums.texts, starts - starts[0], sums.classes[inside], sums.amounts[inside])


def keep_groups(sums: ClassTerms, keep: NDArray[np.bool_]) -> ClassTerms:
    """Return the sums with nothing in some groups."""
    mask = keep[sums.classes]
    ends = np.concatenate([[0], np.cumsum(mask)]).astype(np.int64)
    return ClassTerms(sums.texts * keep, ends[sums.starts], sums.classes[mask], sums.amounts[mask])


def renumber_groups(sums: ClassTerms, order: Rows) -> ClassTerms:
    """Return the sums of some groups in another order."""
    number = np.full(len(sums.texts), -1, dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    mask = number[sums.classes] >= 0
    ends = np.concatenate([[0], np.cumsum(mask)]).astype(np.int64)
    classes, terms = number[sums.classes[mask]], sums.terms[mask]
    sort = np.lexsort((classes, terms))
    return ClassTerms(sums.texts[order], ends[sums.starts], classes[sort], sums.amounts[mask][sort])


def stack_vectors(*parts: TermVectors) -> TermVectors:
    """Return the rows of several sets of vectors."""
    return concatenate_vectors(list(parts), parts[0].n_terms)


def are_equal_rows(one: TermVectors, other: TermVectors) -> NDArray[np.bool_]:
    """Return which rows of two sets of vectors are equal."""

    def row(vectors: TermVectors, number: int) -> list[Any]:
        inside = slice(vectors.row_starts[number], vectors.row_starts[number + 1])
        return [vectors.ids[inside], vectors.values[inside]]

    pairs = ((row(one, number), row(other, number)) for number in range(len(one)))
    return np.array([all(map(np.array_equal, mine, its)) for mine, its in pairs], dtype=np.bool_)


def empty_vectors(width: int) -> TermVectors:
    """Return no rows, of so many positions."""
    return TermVectors(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0), width)
