"""Rocchio's columns: how each becomes part of a row's vector, and its weight there."""

from __future__ import annotations

import numpy as np

from hedgerow.data.design.class_counts import Counts, LevelCounts, Moments
from hedgerow.data.table.schema import Schema
from hedgerow.data.text.term_space import TermSpace
from hedgerow.layout.rounding import round_digits, round_within
from hedgerow.models.vectors.columns import LevelTerms, NumberColumn, VectorColumn, WordColumn

LEAST = 1e-6  # what a column must count to be used: less is rounding


def vector_columns(
    schema: Schema, spaces: dict[str, TermSpace], counts: Counts, relevance: bool
) -> tuple[VectorColumn | None, ...]:
    """Return how each column becomes part of a vector; one with a single value or no term tells nothing, and does not.

    With `relevance` levels and numbers count as much as they have to do with the class, otherwise 1.
    """
    vector_columns: list[VectorColumn | None] = []
    for column, counted in zip(schema.columns, counts.columns, strict=True):
        if column.name in spaces:
            space = spaces[column.name]
            vector_columns.append(WordColumn(space) if space.rows.any() else None)
        elif isinstance(counted, LevelCounts):
            vector_columns.append(_level_column(counted, relevance))
        elif isinstance(counted, Moments):
            vector_columns.append(_number_column(counted, relevance))
        else:
            vector_columns.append(None)
    return tuple(vector_columns)


def _level_column(counted: LevelCounts, relevance: bool) -> LevelTerms | None:
    """Return the column with the weight of Cramer's V: the root of chi squared / (n (the fewer of both - 1))."""
    levels, classes = counted.present.sum(axis=1), counted.present.sum(axis=0)
    fewer = min(np.count_nonzero(levels), np.count_nonzero(classes)) - 1
    if np.count_nonzero(levels) < 2:
        return None
    if not relevance or fewer < 1:
        return LevelTerms(levels)
    total = levels.sum()
    expected = np.outer(levels / total, classes / total)
    squares = np.square(counted.present / total) / np.where(expected > 0, expected, 1.0)
    weight = round_digits(min(max(float(squares.sum()) - 1, 0.0) / fewer, 1.0) ** 0.5)
    return LevelTerms(levels, weight) if weight > LEAST else None


def _number_column(counted: Moments, relevance: bool) -> NumberColumn | None:
    """Return the column with the weight of the correlation ratio: the root of the share of squares between classes."""
    weights, means, squares = counted.figures()
    if not (weights[-1] > 0 and squares[-1] > 0):
        return None
    deviation = round_digits((float(squares[-1]) / float(weights[-1])) ** 0.5)
    if not deviation > 0:
        return None
    weight = 1.0
    if relevance and np.count_nonzero(weights[:-1]) > 1:
        within = float(squares[:-1][weights[:-1] > 0].sum()) / float(squares[-1])
        weight = round_digits(min(max(1 - within, 0.0), 1.0) ** 0.5)
    return NumberColumn(round_within(float(means[-1]), 1e-5 * deviation), deviation, weight) if weight > LEAST else None
